//! Buttons on popups: the real loop and channel on real buses, against a server that says what a test wants it to say.
//!
//! That nothing follows is shown by what comes behind it: signals of one server are heard in order.

#![cfg(feature = "desktop")]

use std::path::PathBuf;

use keiko::domain::command::Command;
use keiko::domain::delivery::{Report, Target};
use keiko::domain::event::Snapshot;
use keiko::domain::message::Reason;
use keiko::domain::schedule::Rule;
use keiko::domain::state::State;
use keiko::domain::task::{Details, Policy};
use keiko::domain::time::Span;
use keiko::notify::desktop::{ANSWER_WITHIN, Choices};
use keiko::notify::{Channel, first_look};

use crate::support::fake_server::{FakeServer, Manner, Notify, tell_pressed};
use crate::support::opener::Opener;
use crate::support::popup_desk::{
    DISMISSED, Desk, TAKEN_BACK, after, channel, deeds, hourly, is_done, is_seen, once, snoozed_until,
};
use crate::support::private_bus::PrivateBus;
use crate::support::{sample, soon};

fn choices() -> Choices {
    Choices::of(vec![Span::from_minutes(10), Span::from_minutes(60)])
}

fn keys(popup: &Notify) -> Vec<&str> {
    popup.buttons.iter().map(|(key, _)| key.as_str()).collect()
}

#[tokio::test]
async fn a_ring_has_buttons_and_notices_digests_and_trials_have_none() {
    let bus = PrivateBus::start();
    let server = FakeServer::start(&bus, Manner::Buttons).await;
    let channel = channel(&bus, choices());
    first_look(&channel, ANSWER_WITHIN).await;
    let mut ring = sample::delivery(Target::desktop(), 1, "ring", "due 16:00");
    ring.message.link = Some("https://example.org/?a&b".to_owned());
    assert_eq!(channel.deliver(&ring).await, Report::DELIVERED);
    let reasons = [Reason::TargetFails, Reason::Blocked, Reason::Skipped, Reason::Digest, Reason::Trial];
    for (number, reason) in (2..).zip(reasons) {
        let mut other = sample::delivery(Target::desktop(), number, reason.as_str(), "");
        other.occasion.reason = reason;
        other.message.link.clone_from(&ring.message.link);
        assert_eq!(channel.deliver(&other).await, Report::DELIVERED);
    }
    let [popup, others @ ..] = &server.notified()[..] else { panic!("{:?}", server.notified()) };
    let pair = |key: &str, label: &str| (key.to_owned(), label.to_owned());
    let expected = [
        pair("done", "Done"),
        pair("snooze:600", "Snooze 10m"),
        pair("snooze:3600", "Snooze 1h"),
        pair("open", "Open"),
    ];
    assert_eq!(popup.buttons, expected);
    assert_eq!(popup.body, "due 16:00\nhttps://example.org/?a&amp;b\nkeiko done 1");
    assert_eq!(popup.category, "x-keiko.reminder");
    assert!(others.iter().all(|other| other.buttons.is_empty()), "{others:?}");
    let categories: Vec<&str> = others.iter().map(|other| other.category.as_str()).collect();
    let notice = "x-keiko.notice";
    assert_eq!(categories, [notice, notice, notice, "x-keiko.digest", "x-keiko.reminder"]);
}

#[tokio::test]
async fn whether_a_server_shows_buttons_is_asked_of_each_and_what_to_type_stands_on_all() {
    let bus = PrivateBus::start();
    let channel = channel(&bus, Choices::of(Vec::new()));
    for (manner, expected) in
        [(Manner::Buttons, vec!["done"]), (Manner::Plain, vec![]), (Manner::Buttons, vec!["done"])]
    {
        let server = FakeServer::start(&bus, manner).await;
        soon("a server", channel.presence().wait_for(|now| now.reason().is_none())).await.expect("it lives");
        assert_eq!(channel.deliver(&sample::delivery(Target::desktop(), 1, "a", "")).await, Report::DELIVERED);
        let [popup] = &server.notified()[..] else { panic!("{:?}", server.notified()) };
        assert_eq!((keys(popup), popup.body.as_str()), (expected, "keiko done 1"));
        server.quit().await;
        soon("its end", channel.presence().wait_for(|now| now.reason().is_some())).await.expect("it lives");
    }
}

#[tokio::test]
async fn done_is_done_and_that_the_popup_goes_with_it_is_no_second_answer() {
    let bus = PrivateBus::start();
    let server = FakeServer::start(&bus, Manner::Buttons).await;
    let desk = Desk::offering(&bus, choices()).await;
    // A server may say why a popup went in any way, before or after it says what was pressed.
    for (minute, title, reason) in [(1, "one", DISMISSED), (3, "two", TAKEN_BACK)] {
        let task = desk.add(title, once(minute), Policy::default()).await;
        desk.to(minute).await;
        let id = server.id_of(title);
        server.pressed(id, "done").await;
        server.went(id, reason).await;
        assert!(is_done(&desk.until(task, is_done).await));
        desk.to(minute + 1).await;
        assert_eq!(deeds(&desk, task), ["completed"]);
        assert!(server.shown().is_empty());
    }
    let first = desk.add("went first", once(9), Policy::default()).await;
    desk.to(9).await;
    let id = server.id_of("went first");
    server.went(id, DISMISSED).await;
    server.pressed(id, "done").await;
    desk.until(first, is_done).await;
    assert_eq!(deeds(&desk, first), ["acked", "completed"]);
}

#[tokio::test]
async fn a_snooze_speaks_again_at_its_time_with_the_same_buttons() {
    let bus = PrivateBus::start();
    let server = FakeServer::start(&bus, Manner::Buttons).await;
    let desk = Desk::offering(&bus, choices()).await;
    let rent = desk.add("rent", once(1), Policy::default()).await;
    desk.to(1).await;
    server.pressed(server.id_of("rent"), "snooze:3600").await;
    let snoozed = desk.until(rent, |task| snoozed_until(task).is_some()).await;
    assert_eq!(snoozed_until(&snoozed), Some(after(61)));
    server.wait_until_shown(0).await;
    desk.to(60).await;
    assert_eq!(server.notified().len(), 1);
    desk.to(61).await;
    assert_eq!(keys(&server.notified()[1]), ["done", "snooze:600", "snooze:3600"]);
    server.pressed(server.id_of("rent"), "done").await;
    desk.until(rent, is_done).await;
}

#[tokio::test]
async fn only_the_server_is_believed_and_only_what_it_was_asked_to_offer() {
    let bus = PrivateBus::start();
    let server = FakeServer::start(&bus, Manner::Buttons).await;
    let desk = Desk::offering(&bus, choices()).await;
    let rent = desk.add("rent", once(1), Policy::default()).await;
    let last = desk.add("last", once(1), Policy::default()).await;
    desk.to(1).await;
    let id = server.id_of("rent");
    // Somebody else on the bus; the answer shows that the bus has passed on what was said.
    let stranger = bus.connect().await;
    tell_pressed(&stranger, id, "done").await;
    let bus_itself = Some("org.freedesktop.DBus");
    stranger.call_method(bus_itself, "/org/freedesktop/DBus", bus_itself, "GetId", &()).await.expect("an answer");
    for key in ["default", "", "Done", "snooze:1", "snooze:-600", "open", &"x".repeat(100_000)] {
        server.pressed(id, key).await;
    }
    for unknown in [0, 4711, u32::MAX] {
        server.pressed(unknown, "done").await;
    }
    server.pressed(server.id_of("last"), "done").await;
    server.pressed(server.id_of("last"), "snooze:600").await;
    desk.until(last, is_done).await;
    desk.to(2).await;
    assert_eq!((deeds(&desk, rent), deeds(&desk, last)), (vec![], vec!["completed"]));
    assert!(!is_seen(&desk.task(rent)));
}

#[tokio::test]
async fn a_button_of_an_occurrence_that_is_over_does_nothing_to_a_later_one() {
    let bus = PrivateBus::start();
    let server = FakeServer::start(&bus, Manner::Buttons).await;
    let desk = Desk::offering(&bus, choices()).await;
    let series = desk.add("water", hourly(), Policy::default()).await;
    let last = desk.add("last", once(1), Policy::default()).await;
    desk.to(60).await;
    // The second cannot be shown, so that the first stands on the screen.
    server.refuse();
    desk.to(120).await;
    server.pressed(server.id_of("water"), "done").await;
    server.pressed(server.id_of("last"), "done").await;
    desk.until(last, is_done).await;
    desk.to(121).await;
    assert!(!is_seen(&desk.task(series)), "the second waits for its answer");
}

#[tokio::test]
async fn whoever_presses_a_button_that_does_nothing_any_more_is_told_so_by_one_popup() {
    let bus = PrivateBus::start();
    let server = FakeServer::start(&bus, Manner::Buttons).await;
    let desk = Desk::offering(&bus, choices()).await;
    let series = ["water", "read"].map(|title| (title, hourly()));
    for (title, rule) in series {
        desk.add(title, rule, Policy::default()).await;
    }
    desk.to(60).await;
    server.refuse();
    desk.to(120).await;
    server.go_on().await;
    let shown = server.notified().len();
    let (water, read) = (server.id_of("water"), server.id_of("read"));
    server.pressed(water, "done").await;
    server.wait_until_notified(shown + 1).await;
    let told = server.id_of("The button did nothing");
    let said = server.shown()[&told].clone();
    assert_eq!((said.category.as_str(), said.buttons.len()), ("x-keiko.notice", 0));
    assert!(said.body.contains("task 1"), "{said:?}");
    // The next takes its place, and who only closes something has got what they wanted.
    server.went(water, DISMISSED).await;
    server.pressed(read, "snooze:600").await;
    server.wait_until_notified(shown + 2).await;
    assert_eq!(server.id_of("The button did nothing"), told);
    assert!(server.shown()[&told].body.contains("task 2"), "{:?}", server.shown());
}

#[tokio::test]
async fn what_is_answered_elsewhere_in_whatever_way_is_closed_here() {
    let bus = PrivateBus::start();
    let server = FakeServer::start(&bus, Manner::Buttons).await;
    let desk = Desk::offering(&bus, choices()).await;
    let commands = [
        Command::Done { early: false },
        Command::Ack { early: false, is_dismissal: false },
        Command::Ack { early: false, is_dismissal: true },
        Command::Snooze { until: after(100), is_duration: false, early: false },
        Command::Pause { until: None },
        Command::Skip,
        Command::Cancel,
        Command::Delete,
    ];
    let mut tasks = Vec::new();
    for command in &commands {
        // One that comes up once has nothing to be skipped for.
        let rule = if *command == Command::Skip { hourly() } else { once(60) };
        tasks.push(desk.add(&format!("{command:?}"), rule, Policy::default()).await);
    }
    desk.to(60).await;
    assert_eq!(server.shown().len(), commands.len());
    for (task, command) in tasks.into_iter().zip(commands) {
        let title = format!("{command:?}");
        desk.call(task, command).await;
        desk.to(61).await;
        assert!(server.shown().values().all(|popup| popup.summary != title), "{title}");
    }
}

#[tokio::test]
async fn open_starts_the_persons_opener_with_the_link_and_says_that_it_was_seen() {
    let bus = PrivateBus::start();
    let server = FakeServer::start(&bus, Manner::Buttons).await;
    let place = tempfile::tempdir().expect("a directory");
    // Whether the program succeeds does not matter: it was opened, as far as anybody can tell.
    let opener = Opener::new(place.path(), 1);
    let desk = Desk::offering(&bus, Choices { opener: opener.program.clone(), ..choices() }).await;
    let link = "https://example.org/$(touch%20x);`id`?a=1&b='2'";
    let details = Details { title: "read".to_owned(), link: Some(link.to_owned()), ..Details::default() };
    let read = desk.add_with(details, once(1), Policy::default()).await;
    desk.to(1).await;
    let id = server.id_of("read");
    // Of another popup, then what no compositor gives, then the one that counts.
    server.gave_token(id + 1, "not-this").await;
    server.gave_token(id, "not\nthis").await;
    server.gave_token(id, "kwin-42_TIME7").await;
    server.pressed(id, "open").await;
    assert_eq!(opener.opened().await, format!("1 {link} kwin-42_TIME7"));
    let seen = |task: &Snapshot| matches!(task.occurrence.state, State::Running(running) if running.acked_at.is_some());
    desk.until(read, seen).await;
    assert_eq!(deeds(&desk, read), ["acked"]);
    server.wait_until_shown(0).await;
}

#[tokio::test]
async fn an_opener_that_is_not_there_holds_up_nothing() {
    let bus = PrivateBus::start();
    let server = FakeServer::start(&bus, Manner::Buttons).await;
    let desk = Desk::offering(&bus, Choices { opener: PathBuf::from("/nonexistent"), ..choices() }).await;
    let link = Some("mailto:a@example.org".to_owned());
    let details = Details { title: "read".to_owned(), link, ..Details::default() };
    let read = desk.add_with(details, Rule::Countdown(after(1)), Policy::default()).await;
    desk.to(1).await;
    server.pressed(server.id_of("read"), "open").await;
    assert!(is_done(&desk.until(read, is_done).await), "a countdown ends when it was seen");
}
