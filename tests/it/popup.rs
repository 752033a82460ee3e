//! The main job from end to end: a sentence on the command line becomes a popup on a screen, and `done` takes it away.

#![cfg(feature = "desktop")]

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use serde_json::Value;
use zbus::{Message, OwnedVariant};

use crate::support::daemon::{Daemon, NOON};
use crate::support::fake_server::{FakeServer, Manner};
use crate::support::person::{Person, said};
use crate::support::private_bus::PrivateBus;
use crate::support::xvfb::{Dunst, Screen, differing_pixels};

const NO_SERVER: &str = "no notification server on the session bus";

/// Where the pictures of a test go, to be looked at.
fn picture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(name)
}

#[tokio::test(flavor = "multi_thread")]
async fn one_command_on_an_empty_home_shows_a_popup_and_done_takes_it_away() {
    let (bus, screen) = (PrivateBus::start(), Screen::start());
    let dunst = Dunst::start(&screen, &bus).await;
    let mut overheard = bus.overhear().await;
    let mut person = Person::new();
    person.set("DBUS_SESSION_BUS_ADDRESS", bus.address());
    let (before, shown, after) = (picture("job-before.png"), picture("job-shown.png"), picture("job-after.png"));
    screen.shoot(&before);

    let reminded = person.keiko("remind me in 1 second to stretch");
    assert!(reminded.fine().starts_with("added 1  stretch  "), "{reminded:?}");
    assert!(reminded.err.starts_with("started keikod\n"), "{reminded:?}");
    assert!(!reminded.err.contains("warning"), "the desktop is there: {reminded:?}");

    let call = overheard.call("Notify").await;
    let (app, summary, body) = popup(&call);
    assert_eq!((app.as_str(), summary.as_str()), ("keiko", "stretch"));
    assert!(body.ends_with("keiko done 1"), "{body}");
    assert_eq!(dunst.displayed(&bus).await, 1);
    screen.shoot(&shown);
    let pixels = differing_pixels(&before, &shown);
    assert!(pixels > 5_000, "a popup is larger than {pixels} pixels");
    let task = person.keiko("show 1 --json").json()["task"].clone();
    assert_eq!((&task["stage"], &task["late"]), (&"due".into(), &false.into()), "{task}");

    assert_eq!(person.keiko("done").fine(), "done 1  stretch\n");
    overheard.call("CloseNotification").await;
    assert_eq!(dunst.displayed(&bus).await, 0);
    screen.shoot(&after);
    assert_eq!(differing_pixels(&before, &after), 0, "the screen is as it was");
    // A stop waits for what is under way, so what the next daemon reads is all that there was.
    person.keiko("daemon stop").fine();
    let sent = person.keiko("history 1 --json").json()["deliveries"].clone();
    assert_eq!(statuses(&sent), [("desktop", "delivered")], "{sent}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_fires_without_a_server_is_kept_and_shown_once_when_one_appears() {
    let bus = PrivateBus::start();
    let mut person = Person::new();
    person.set("DBUS_SESSION_BUS_ADDRESS", bus.address());
    // The terminals of whoever runs the tests stay as they are.
    person.configure("channels = [\"desktop\"]\n");
    let mut keikod = person.command(env!("CARGO_BIN_EXE_keikod"));
    keikod.args(["--clock", NOON]);
    let daemon = Daemon::start(keikod);

    let reminded = person.keiko("remind me in 1 second to stretch");
    reminded.fine();
    assert!(reminded.err.contains("warning: nobody can be reached"), "{reminded:?}");
    advance(&person, "2026-05-13T12:00:01-04:00");
    let kept = person.keiko("show 1 --json").json()["task"].clone();
    assert_eq!((&kept["stage"], &kept["attempts"]), (&"due".into(), &0.into()), "{kept}");
    assert!(kept["last_error"].as_str().is_some_and(|error| error.contains(NO_SERVER)), "{kept}");
    let status = person.keiko("daemon status --json").json();
    assert_eq!(status["counts"]["outbox"], 1, "{status}");
    let desktop = &status["channels"][0];
    assert_eq!((&desktop["kind"], &desktop["present"]), (&"desktop".into(), &false.into()), "{status}");
    assert!(desktop["reason"].as_str().is_some_and(|reason| reason.contains(NO_SERVER)), "{status}");
    assert!(person.keiko("show 1").fine().contains(NO_SERVER));

    let server = FakeServer::start(&bus, Manner::Markup).await;
    server.wait_until_shown(1).await;
    // Everything that the popup set in motion is over when the clock has moved.
    advance(&person, "2026-05-13T12:30:00-04:00");
    let [popup] = &server.notified()[..] else { panic!("{:?}", server.notified()) };
    assert_eq!(popup.summary, "stretch");
    let sent = person.keiko("history 1 --json").json()["deliveries"].clone();
    assert_eq!(statuses(&sent), [("desktop", "delivered")], "{sent}");

    person.keiko("done 1").fine();
    server.wait_until_shown(0).await;
    person.keiko("daemon stop").fine();
    assert!(daemon.ended().success());
}

/// Returns the name, the heading and the text that a popup was asked for with.
fn popup(call: &Message) -> (String, String, String) {
    type Arguments = (String, u32, String, String, String, Vec<String>, HashMap<String, OwnedVariant>, i32);
    let (app, _, _, summary, body, _, _, _): Arguments = call.body().deserialize().expect("the arguments of `Notify`");
    (app, summary, body)
}

fn advance(person: &Person, to: &str) {
    let mut command = person.keiko_command("rpc clock.advance");
    command.arg(format!("{{\"to\":\"{to}\"}}"));
    said(command).fine();
}

fn statuses(deliveries: &Value) -> Vec<(&str, &str)> {
    let all = deliveries.as_array().expect("a list");
    all.iter().map(|one| (one["target"].as_str().expect("text"), one["status"].as_str().expect("text"))).collect()
}
