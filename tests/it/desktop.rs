//! Popups against real buses and servers: what must hold when the desktop comes late, leaves, stops or misreads.

#![cfg(feature = "desktop")]

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use futures_util::future::join_all;
use keiko::domain::delivery::{Delivery, Report, Target};
use keiko::notify::desktop::{ANSWER_WITHIN, Choices, DesktopChannel, SessionBus};
use keiko::notify::{Channel, Presence, first_look};

use crate::support::fake_server::{Asked, FakeServer, Manner};
use crate::support::private_bus::PrivateBus;
use crate::support::xvfb::{Dunst, Screen, differing_pixels};
use crate::support::{sample, soon};

/// For servers that never answer: they are waited for in full.
const SHORT: Duration = Duration::from_millis(100);

fn delivery(number: u64, title: &str, body: &str) -> Delivery {
    sample::delivery(Target::desktop(), number, title, body)
}

fn channel(bus: &PrivateBus, answer_within: Duration) -> DesktopChannel {
    let address = Some(bus.address().to_owned());
    DesktopChannel::start(
        SessionBus { address, runtime_dir: PathBuf::from("/nonexistent"), answer_within },
        Choices::of(Vec::new()),
    )
}

async fn present(channel: &DesktopChannel) {
    soon("a server", channel.presence().wait_for(|now| *now == Presence::Present)).await.expect("the channel lives");
}

/// Waits until nobody can be reached for a reason with these words.
async fn away(channel: &DesktopChannel, words: &str) {
    let is_away = |now: &Presence| matches!(now, Presence::Away { reason } if reason.contains(words));
    soon(words, channel.presence().wait_for(is_away)).await.expect("the channel lives");
}

#[track_caller]
fn assert_away(report: &Report, words: &str) {
    assert!(matches!(report, Report::Away { reason } if reason.contains(words)), "{report:?}");
}

#[track_caller]
fn assert_failed(report: &Report, words: &str) {
    let is_so = matches!(report, Report::Failed { error, is_final: false, .. } if error.contains(words));
    assert!(is_so, "{report:?}");
}

#[tokio::test]
async fn a_popup_is_shown_once_when_the_server_appears_after_the_firing() {
    let bus = PrivateBus::start();
    let channel = channel(&bus, ANSWER_WITHIN);
    let stretch = delivery(1, "stretch", "due 16:00");
    away(&channel, "no notification server on the session bus").await;
    assert_away(&channel.deliver(&stretch).await, "no notification server on the session bus");

    let mut presence = channel.presence();
    presence.mark_unchanged();
    let server = FakeServer::start(&bus, Manner::Markup).await;
    soon("the news", presence.changed()).await.unwrap();
    assert_eq!(*presence.borrow(), Presence::Present);
    assert_eq!(channel.deliver(&stretch).await, Report::DELIVERED);

    let [popup] = &server.notified()[..] else { panic!("{:?}", server.notified()) };
    assert_eq!((popup.app_name.as_str(), popup.summary.as_str()), ("keiko", "stretch"));
    assert_eq!(popup.body, "due 16:00\nkeiko done 1");
    // Normal urgency; 0 never expires.
    assert_eq!((popup.replaces, popup.urgency, popup.expire_timeout), (0, 1, 0));
    assert_eq!(popup.icon, "appointment-soon");
}

#[tokio::test]
async fn a_bus_that_appears_later_or_anew_is_found_without_an_address() {
    let place = tempfile::tempdir().unwrap();
    let runtime_dir = place.path().join("user").join("1000");
    let session = SessionBus { address: None, runtime_dir: runtime_dir.clone(), answer_within: ANSWER_WITHIN };
    let channel = DesktopChannel::start(session, Choices::of(Vec::new()));
    away(&channel, "no session bus: DBUS_SESSION_BUS_ADDRESS is not set").await;
    assert_away(&channel.deliver(&delivery(1, "a", "")).await, "no session bus");

    std::fs::create_dir_all(&runtime_dir).unwrap();
    for round in 0..3 {
        let bus = PrivateBus::start_in(&runtime_dir);
        away(&channel, "no notification server").await;
        let server = FakeServer::start(&bus, Manner::Plain).await;
        present(&channel).await;
        assert_eq!(channel.deliver(&delivery(round, "a", "")).await, Report::DELIVERED);
        assert_eq!(server.shown().len(), 1);
        drop(bus);
        away(&channel, "session bus").await;
        assert_away(&channel.deliver(&delivery(round, "b", "")).await, "session bus");
    }
}

#[tokio::test]
async fn a_bus_that_died_and_left_its_socket_is_found_when_it_listens_again() {
    let place = tempfile::tempdir().unwrap();
    let session = SessionBus { address: None, runtime_dir: place.path().to_owned(), answer_within: ANSWER_WITHIN };
    // Bound, but nobody listens: as a bus that was killed leaves it.
    drop(std::os::unix::net::UnixListener::bind(place.path().join("bus")).unwrap());
    let channel = DesktopChannel::start(session, Choices::of(Vec::new()));
    away(&channel, "no session bus").await;
    std::fs::remove_file(place.path().join("bus")).unwrap();
    let bus = PrivateBus::start_in(place.path());
    let _server = FakeServer::start(&bus, Manner::Plain).await;
    present(&channel).await;
}

#[tokio::test]
async fn each_server_is_asked_anew_what_it_can_do() {
    let bus = PrivateBus::start();
    let channel = channel(&bus, ANSWER_WITHIN);
    for (manner, body) in [
        (Manner::Markup, "R&amp;D &lt;3 &amp;amp;\nkeiko done 1"),
        (Manner::Plain, "R&D <3 &amp;\nkeiko done 1"),
        (Manner::Markup, "R&amp;D &lt;3 &amp;amp;\nkeiko done 1"),
    ] {
        let server = FakeServer::start(&bus, manner).await;
        present(&channel).await;
        let title = r#"Tom & Jerry <3 "x" </b> &amp;"#;
        assert_eq!(channel.deliver(&delivery(1, title, "R&D <3 &amp;")).await, Report::DELIVERED);
        let notified = server.notified();
        let [popup] = &notified[..] else { panic!("{notified:?}") };
        assert_eq!((popup.summary.as_str(), popup.body.as_str()), (title, body));
        // Another server's popup is not this one's.
        assert_eq!(popup.replaces, 0);
        server.quit().await;
        away(&channel, "no notification server").await;
    }
}

#[tokio::test]
async fn a_server_that_never_answers_fails_each_popup_in_time_and_in_bounds() {
    for manner in [Manner::Silent, Manner::Stopped] {
        let bus = PrivateBus::start();
        let server = FakeServer::start(&bus, manner).await;
        let channel = channel(&bus, SHORT);
        present(&channel).await;
        let due: Vec<Delivery> = (1..=20).map(|number| delivery(number, "now", "")).collect();
        for _ in 0..2 {
            let reports = join_all(due.iter().map(|one| channel.deliver(one))).await;
            for report in &reports {
                assert_failed(report, "not answer");
            }
        }
        server.go_on().await;
        server.wait_until_shown(16).await;
        // What had failed meanwhile is taken back, and shown when it is tried again.
        for one in &due {
            channel.withdraw(&sample::withdrawal(one.task)).await;
        }
        server.wait_until_shown(0).await;
        for one in &due {
            assert_eq!(channel.deliver(one).await, Report::DELIVERED);
        }
        assert_eq!(server.shown().len(), 20);
    }
}

#[tokio::test]
async fn a_popup_withdrawn_before_the_server_answered_is_closed_when_it_does() {
    let bus = PrivateBus::start();
    let server = FakeServer::start(&bus, Manner::Silent).await;
    let channel = channel(&bus, SHORT);
    present(&channel).await;
    assert_failed(&channel.deliver(&delivery(1, "a", "")).await, "did not answer within 100ms");
    server.wait_until_owing(1).await;
    channel.withdraw(&sample::withdrawal(sample::task(1))).await;
    server.go_on().await;
    server.wait_until_shown(1).await;
    server.wait_until_shown(0).await;
    assert_eq!(channel.deliver(&delivery(1, "b", "")).await, Report::DELIVERED);
    assert_eq!(server.shown().len(), 1);
}

#[tokio::test]
async fn a_server_that_leaves_while_it_is_asked_is_away_and_not_failing() {
    let bus = PrivateBus::start();
    let server = FakeServer::start(&bus, Manner::Silent).await;
    let channel = channel(&bus, ANSWER_WITHIN);
    present(&channel).await;
    let stretch = delivery(1, "stretch", "");
    let (report, ()) = tokio::join!(channel.deliver(&stretch), async {
        server.wait_until_owing(1).await;
        server.quit().await;
    });
    assert_away(&report, "the notification server left");
    let server = FakeServer::start(&bus, Manner::Plain).await;
    present(&channel).await;
    assert_eq!(channel.deliver(&stretch).await, Report::DELIVERED);
    assert_eq!(server.notified().len(), 1);
}

#[tokio::test]
async fn a_refusal_is_told_in_the_servers_words() {
    let bus = PrivateBus::start();
    let _server = FakeServer::start(&bus, Manner::Refusing).await;
    let channel = channel(&bus, ANSWER_WITHIN);
    present(&channel).await;
    assert_failed(&channel.deliver(&delivery(1, "a", "")).await, "the screen is full");
}

#[tokio::test]
async fn a_task_has_one_popup_that_is_replaced_and_withdrawn() {
    let bus = PrivateBus::start();
    let server = FakeServer::start(&bus, Manner::Plain).await;
    let channel = channel(&bus, ANSWER_WITHIN);
    present(&channel).await;
    // Also when both are on their way at once.
    let (first, second) = (delivery(1, "first", ""), delivery(1, "second", ""));
    let reports = tokio::join!(channel.deliver(&first), channel.deliver(&second));
    assert_eq!(reports, (Report::DELIVERED, Report::DELIVERED));
    assert_eq!(channel.deliver(&delivery(2, "other", "")).await, Report::DELIVERED);
    assert_eq!(channel.deliver(&delivery(1, "third", "")).await, Report::DELIVERED);
    let titles: Vec<String> = server.shown().into_values().map(|popup| popup.summary).collect();
    assert_eq!(titles, ["third", "other"]);

    channel.withdraw(&sample::withdrawal(sample::task(1))).await;
    channel.withdraw(&sample::withdrawal(sample::task(1))).await;
    channel.withdraw(&sample::withdrawal(sample::task(3))).await;
    let titles: Vec<String> = server.shown().into_values().map(|popup| popup.summary).collect();
    assert_eq!(titles, ["other"]);
    let closed = server.asked().iter().filter(|asked| matches!(asked, Asked::Close(_))).count();
    assert_eq!(closed, 1);
}

#[tokio::test]
async fn a_server_that_the_bus_cannot_start_is_named_and_waited_for() {
    let place = tempfile::tempdir().unwrap();
    std::fs::create_dir(place.path().join("services")).unwrap();
    let service = "[D-BUS Service]\nName=org.freedesktop.Notifications\nExec=/bin/false\n";
    std::fs::write(place.path().join("services").join("broken.service"), service).unwrap();
    let bus = PrivateBus::start_in(place.path());
    let channel = channel(&bus, ANSWER_WITHIN);
    away(&channel, "the notification server could not be started").await;
    assert_away(&channel.deliver(&delivery(1, "a", "")).await, "could not be started");
    let _server = FakeServer::start(&bus, Manner::Plain).await;
    present(&channel).await;
    assert_eq!(channel.deliver(&delivery(1, "a", "")).await, Report::DELIVERED);
}

/// B43. Descriptors belong to the process, and other tests open some: so it runs alone, in a process of its own.
#[test]
fn two_hundred_popups_leave_no_descriptor_task_or_connection_behind() {
    const ALONE: &str = "KEIKO_TEST_ALONE";
    if std::env::var_os(ALONE).is_some() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(show_two_hundred());
        return;
    }
    let name = "desktop::two_hundred_popups_leave_no_descriptor_task_or_connection_behind";
    let alone = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", name, "--nocapture"])
        .env(ALONE, "1")
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&alone.stdout);
    assert!(alone.status.success() && told.contains("1 passed"), "{told}{}", String::from_utf8_lossy(&alone.stderr));
}

async fn show_two_hundred() {
    let descriptors = || std::fs::read_dir("/proc/self/fd").unwrap().count();
    let tasks = || tokio::runtime::Handle::current().metrics().num_alive_tasks();
    let bus = PrivateBus::start();
    let server = FakeServer::start(&bus, Manner::Buttons).await;
    let channel = channel(&bus, ANSWER_WITHIN);
    present(&channel).await;
    assert_eq!(channel.deliver(&delivery(0, "first", "")).await, Report::DELIVERED);
    let before = (descriptors(), tasks(), bus.connections().await);
    let due: Vec<Delivery> = (1..=200).map(|number| delivery(number, "now", "")).collect();
    for some in due.chunks(channel.workers()) {
        let reports = join_all(some.iter().map(|one| channel.deliver(one))).await;
        assert!(reports.iter().all(|report| *report == Report::DELIVERED), "{reports:?}");
    }
    assert_eq!(server.shown().len(), 201);
    assert_eq!((descriptors(), tasks(), bus.connections().await), before);
}

#[tokio::test]
async fn dunst_shows_the_popups_on_a_real_screen() {
    let (bus, screen) = (PrivateBus::start(), Screen::start());
    let channel = channel(&bus, ANSWER_WITHIN);
    away(&channel, "no notification server").await;
    let picture = |name: &str| Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let (empty, shown, closed) = (picture("dunst-empty.png"), picture("dunst-shown.png"), picture("dunst-closed.png"));
    let dunst = Dunst::start(&screen, &bus).await;
    present(&channel).await;
    screen.shoot(&empty);

    let texts = [
        (1, "stretch", "due 16:00"),
        (2, r#"Tom & Jerry <3 "x" </b> &amp;"#, "R&D <b>not bold</b> &lt;"),
        (3, "交房租 👨‍👩‍👧 🏠", "明天下午三点\n带上 💶"),
    ];
    for (number, title, body) in texts {
        assert_eq!(channel.deliver(&delivery(number, title, body)).await, Report::DELIVERED);
    }
    assert_eq!(channel.deliver(&delivery(1, "stretch again", "due 16:00, late 5m")).await, Report::DELIVERED);
    assert_eq!(dunst.displayed(&bus).await, 3);
    screen.shoot(&shown);
    // Three popups of 460 pixels width are far more than this.
    assert!(differing_pixels(&empty, &shown) > 50_000);

    for number in 1..=3 {
        channel.withdraw(&sample::withdrawal(sample::task(number))).await;
    }
    assert_eq!(dunst.displayed(&bus).await, 0);
    screen.shoot(&closed);
    assert_eq!(differing_pixels(&empty, &closed), 0);
}

#[tokio::test]
async fn the_first_look_is_waited_for_in_bounds() {
    let bus = PrivateBus::start();
    let _server = FakeServer::start(&bus, Manner::Plain).await;
    let quick = channel(&bus, ANSWER_WITHIN);
    first_look(&quick, ANSWER_WITHIN).await;
    assert_eq!(*quick.presence().borrow(), Presence::Present);

    // A bus that takes connections and says nothing.
    let place = tempfile::tempdir().unwrap();
    let _silent = std::os::unix::net::UnixListener::bind(place.path().join("bus")).unwrap();
    let runtime_dir = place.path().to_owned();
    let slow =
        DesktopChannel::start(SessionBus { address: None, runtime_dir, answer_within: SHORT }, Choices::of(Vec::new()));
    first_look(&slow, Duration::ZERO).await;
    assert_eq!(*slow.presence().borrow(), Presence::not_looked_yet());
    away(&slow, "there was no answer within 100ms").await;
}
