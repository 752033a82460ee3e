//! Buttons pressed on real servers, each on a screen of its own: dunst, and MATE's.
//!
//! The pictures that it takes are to be looked at.

#![cfg(feature = "desktop")]

use std::path::{Path, PathBuf};

use keiko::domain::command::Command;
use keiko::domain::delivery::{Report, Target};
use keiko::domain::message::Reason;
use keiko::domain::task::{Details, Number, Policy, Priority};
use keiko::domain::time::Span;
use keiko::notify::desktop::{ANSWER_WITHIN, Choices};
use keiko::notify::{Channel, first_look};

use crate::support::popup_desk::{Desk, after, channel, deeds, is_done, is_seen, once, snoozed_until};
use crate::support::private_bus::PrivateBus;
use crate::support::sample;
use crate::support::xvfb::{Dunst, MateDaemon, Screen};

fn choices() -> Choices {
    Choices::of(vec![Span::from_minutes(10), Span::from_minutes(60)])
}

/// A popup covers far more than so many pixels.
const DRAWN: u64 = 5_000;

fn picture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(name)
}

#[tokio::test]
async fn buttons_are_pressed_on_dunst() {
    let (bus, screen) = (PrivateBus::start(), Screen::start());
    let dunst = Dunst::start(&screen, &bus).await;
    let desk = Desk::offering(&bus, choices()).await;
    let rent = desk.add("rent", once(1), Policy::default()).await;
    desk.to(1).await;
    assert_eq!(dunst.displayed(&bus).await, 1);
    dunst.press(&bus, "Snooze 10m").await;
    let snoozed = desk.until(rent, |task| snoozed_until(task).is_some()).await;
    assert_eq!(snoozed_until(&snoozed), Some(after(11)));
    desk.to(2).await;
    assert_eq!(dunst.displayed(&bus).await, 0);
    desk.to(11).await;
    assert_eq!(dunst.displayed(&bus).await, 1);
    dunst.press(&bus, "Done").await;
    desk.until(rent, is_done).await;
    desk.to(12).await;
    assert_eq!(dunst.displayed(&bus).await, 0);
    let deeds = deeds(&desk, rent);
    assert!(!deeds.contains(&"acked") && deeds.ends_with(&["completed"]), "{deeds:?}");
}

// B16: dunst keeps what expired in its history, and tells of no button pressed there; so nothing may hang on that.
#[tokio::test]
async fn b16_what_expired_on_dunst_is_due_still_and_a_button_of_its_history_does_no_harm() {
    let (bus, screen) = (PrivateBus::start(), Screen::start());
    let dunst = Dunst::start(&screen, &bus).await;
    let mut overheard = bus.overhear().await;
    let desk = Desk::offering(&bus, choices()).await;
    let details = Details { title: "water".to_owned(), priority: Priority::Low, ..Details::default() };
    let water = desk.add_with(details, once(1), Policy::default()).await;
    desk.to(1).await;
    // What matters little expires, as dunst is set up.
    let closed = overheard.signal("NotificationClosed").await;
    let (_, reason): (u32, u32) = closed.body().deserialize().expect("two numbers");
    assert_eq!((reason, dunst.displayed(&bus).await), (1, 0));
    desk.to(11).await;
    dunst.show_history(&bus).await;
    assert_eq!(dunst.displayed(&bus).await, 1);
    dunst.press(&bus, "Done").await;
    assert_eq!((deeds(&desk, water), is_seen(&desk.task(water))), (vec![], false));
    desk.call(water, Command::Done { early: false }).await;
    assert!(is_done(&desk.task(water)));
}

#[tokio::test]
async fn buttons_are_clicked_on_mates_server() {
    let (bus, screen) = (PrivateBus::start(), Screen::start());
    let _server = MateDaemon::start(&screen, &bus).await;
    let mut overheard = bus.overhear().await;
    let desk = Desk::offering(&bus, choices()).await;
    let (empty, shown) = (picture("mate-before.png"), picture("mate-button.png"));
    screen.shoot(&empty);
    let rent = desk.add("rent", once(1), Policy::default()).await;
    desk.to(1).await;
    // The buttons stand in a row below the text, the first at its left edge.
    screen.shoot_once_drawn(&empty, DRAWN, &shown);
    screen.click(MateDaemon::WINDOW, 284, 107);
    let snoozed = desk.until(rent, |task| snoozed_until(task).is_some()).await;
    assert_eq!(snoozed_until(&snoozed), Some(after(11)));
    overheard.signal("NotificationClosed").await;
    desk.to(11).await;
    screen.shoot_once_drawn(&empty, DRAWN, &shown);
    screen.click(MateDaemon::WINDOW, 207, 107);
    desk.until(rent, is_done).await;
    overheard.signal("NotificationClosed").await;
    desk.to(12).await;
    let deeds = deeds(&desk, rent);
    assert!(!deeds.contains(&"acked") && deeds.ends_with(&["completed"]), "{deeds:?}");
}

/// Shows on a screen what persons see of all kinds, one after another, and takes a picture of each.
async fn pictures_of_all_kinds(server: &str, bus: &PrivateBus, screen: &Screen) {
    let channel = channel(bus, choices());
    first_look(&channel, ANSWER_WITHIN).await;
    let link = Some("https://example.org/rent?year=2026&month=5".to_owned());
    let of_all_kinds: [(&str, &str, &str, Option<String>, Reason); 4] = [
        ("buttons", "Pay the rent", "due 16:00, late 5m", link, Reason::Alert),
        (
            "digest",
            "3 more came due while the machine was off or asleep",
            "4 water the plants, due 13:00\n5 交房租, due 13:00\n6 back up: skipped, 03:00: missed",
            None,
            Reason::Digest,
        ),
        (
            "cjk-emoji",
            "交房租 👨‍👩‍👧 🏠 Tom & Jerry <3",
            "明天下午三点 due 15:00\n带上 💶 R&D <b>not bold</b> &lt;",
            None,
            Reason::Alert,
        ),
        (
            "long",
            &"a long title that goes on and on ".repeat(8),
            &"notes that nobody ends 没有尽头的备注 ".repeat(60),
            None,
            Reason::Alert,
        ),
    ];
    let empty = picture(&format!("{server}-empty.png"));
    screen.shoot(&empty);
    for (number, (kind, title, body, link, reason)) in (1..).zip(of_all_kinds) {
        let mut shown = sample::delivery(Target::desktop(), number, title, body);
        if reason == Reason::Digest {
            shown.message.number = Number(0);
        }
        (shown.message.link, shown.occasion.reason) = (link, reason);
        assert_eq!(channel.deliver(&shown).await, Report::DELIVERED);
        screen.shoot_once_drawn(&empty, DRAWN, &picture(&format!("{server}-{kind}.png")));
        channel.withdraw(&sample::withdrawal(shown.task)).await;
        screen.shoot_until_gone(&empty);
    }
}

#[tokio::test]
async fn dunst_shows_all_kinds() {
    let (bus, screen) = (PrivateBus::start(), Screen::start());
    let _server = Dunst::start(&screen, &bus).await;
    pictures_of_all_kinds("dunst", &bus, &screen).await;
}

#[tokio::test]
async fn mates_server_shows_all_kinds() {
    let (bus, screen) = (PrivateBus::start(), Screen::start());
    let _server = MateDaemon::start(&screen, &bus).await;
    pictures_of_all_kinds("mate", &bus, &screen).await;
}
