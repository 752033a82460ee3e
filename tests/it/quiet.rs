//! Nights and times away, as a person at a screen lives them: the real programs, a notification server, a clock to move.

#![cfg(feature = "desktop")]

use std::time::Duration;

use serde_json::json;

use crate::support::daemon::{Connection, Daemon, Home};
use crate::support::fake_server::{FakeServer, Manner};
use crate::support::measure;
use crate::support::person::said;
use crate::support::private_bus::PrivateBus;

const EVENING: &str = "2026-05-13T20:00:00-04:00";

/// A person with a screen, whose nights are quiet.
struct Person {
    home: Home,
    server: FakeServer,
    bus: PrivateBus,
    daemon: Option<Daemon>,
}

impl Person {
    async fn new(config: &str) -> Self {
        let (home, bus) = (Home::new(), PrivateBus::start());
        std::fs::write(home.path("config.toml"), config).expect("a directory of its own");
        let server = FakeServer::start(&bus, Manner::Plain).await;
        let mut person = Self { home, server, bus, daemon: None };
        person.on(EVENING);
        person
    }

    fn on(&mut self, now: &str) {
        let mut command = self.home.command(env!("CARGO_BIN_EXE_keikod"));
        command.args(["--clock", now]).env("DBUS_SESSION_BUS_ADDRESS", self.bus.address());
        command.env("KEIKO_CONFIG", self.home.path("config.toml"));
        self.daemon = Some(Daemon::start(command));
        let mut connection = self.home.connect();
        let limit = measure::instant() + Duration::from_secs(30);
        while connection.call("daemon.status", json!({}))["channels"][0]["present"] != true {
            assert!(measure::instant() < limit, "the daemon does not notice the server");
            std::thread::yield_now();
        }
    }

    fn off(&mut self) {
        self.home.connect().call("daemon.stop", json!({}));
        assert!(self.daemon.take().expect("it runs").ended().success());
    }

    fn to(&self, time: &str) -> Connection {
        let mut connection = self.home.connect();
        connection.call("clock.advance", json!({ "to": time }));
        connection
    }

    fn keiko(&self, words: &str) -> String {
        let mut command = self.home.command(env!("CARGO_BIN_EXE_keiko"));
        command.args(words.split_whitespace()).env("TZ", "America/New_York");
        let said = said(command);
        assert_eq!(said.code, Some(0), "keiko {words}: {}{}", said.out, said.err);
        format!("{}{}", said.out, said.err)
    }

    fn popups(&self) -> Vec<(String, String)> {
        self.server.notified().into_iter().map(|popup| (popup.summary, popup.body)).collect()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_night_with_a_restart_ends_in_one_popup_and_a_typed_time_rings_in_it() {
    let mut person = Person::new("[quiet]\nhours = \"22:00-07:00\"\n").await;
    let added = person.keiko("add drink --every 2h --from 10:30pm");
    assert!(added.contains("held until 07:00"), "{added}");
    person.keiko("add stretch --every 3h --from 11:30pm");
    person.keiko("add pill --at 11:45pm");
    let agenda = person.keiko("agenda tomorrow");
    assert!(agenda.contains("held until 07:00"), "{agenda}");

    person.to("2026-05-13T23:40:00-04:00");
    assert_eq!(person.popups(), []);
    let list = person.keiko("list --stage held");
    assert!(list.contains("held until 07:00") && list.contains("drink") && !list.contains("pill"), "{list}");
    assert!(person.keiko("status").contains("quiet"), "{}", person.keiko("status"));
    let shown = person.keiko("");
    assert!(shown.contains("quiet until 07:00"), "{shown}");
    person.to("2026-05-13T23:50:00-04:00");
    assert_eq!(person.popups().iter().map(|(summary, _)| summary.as_str()).collect::<Vec<_>>(), ["pill"]);

    person.off();
    person.on("2026-05-14T00:10:00-04:00");
    person.to("2026-05-14T06:59:00-04:00");
    assert_eq!(person.popups().len(), 1);
    person.to("2026-05-14T07:00:00-04:00");
    let popups = person.popups();
    assert_eq!(popups.len(), 2, "{popups:?}");
    assert_eq!(popups[1].0, "8 came due while it was quiet");
    let lines: Vec<&str> = popups[1].1.lines().collect();
    assert_eq!(lines[..2], ["1 drink, due 06:30, and 4 times before", "2 stretch, due 05:30, and 2 times before"]);
    let why = person.keiko("why 1");
    assert!(why.contains("held until"), "{why}");
    assert_eq!(person.home.connect().call("delivery.list", json!({}))["deliveries"], json!([]));
}

#[tokio::test(flavor = "multi_thread")]
async fn who_is_away_is_told_so_and_hears_of_it_on_coming_back() {
    let person = Person::new("").await;
    person.keiko("add drink --every 30m");
    person.keiko("add medicine --every 40m +med");
    let away = person.keiko("away for 3h --except +med");
    assert!(away.contains("away until") && away.contains("but for +med"), "{away}");
    assert!(person.keiko("add tea --every 2h").contains("you are away until 23:00"));
    assert!(person.keiko("").contains("away until"));
    person.to("2026-05-13T20:45:00-04:00");
    assert_eq!(person.popups().iter().map(|(summary, _)| summary.as_str()).collect::<Vec<_>>(), ["medicine"]);
    assert!(person.keiko("away").contains("held until"));
    let off = person.keiko("away off");
    assert!(off.contains("not away any more"), "{off}");
    person.to("2026-05-13T20:46:00-04:00");
    assert_eq!(person.popups().last().map(|(summary, _)| summary.clone()), Some("drink".to_owned()));
    let events = person.home.connect().call("event.list", json!({}));
    let told: Vec<&str> =
        events["events"].as_array().expect("a list").iter().filter_map(|e| e["operation"].as_str()).collect();
    for operation in ["away_set", "away_ended", "held"] {
        assert!(told.contains(&operation), "{told:?}");
    }
}

#[test]
fn a_time_away_is_read_in_words_and_what_is_over_is_refused() {
    let home = Home::new();
    let _daemon = home.start();
    let mut connection = home.connect();
    let set = connection.call("away.set", json!({"range": "tomorrow..friday", "except": ["tag:med", "+pet"]}));
    assert_eq!(
        (&set["away"]["from"], &set["away"]["to"], &set["away"]["except"], &set["changed"], &set["quiet_until"]),
        (
            &json!("2026-05-14T00:00:00-04:00"),
            &json!("2026-05-16T00:00:00-04:00"),
            &json!(["med", "pet"]),
            &json!(true),
            &json!(null)
        )
    );
    let until = connection.call("away.set", json!({"until": "monday 9am"}));
    assert_eq!(until["away"]["to"], "2026-05-18T09:00:00-04:00");
    assert_eq!(until["warnings"].as_array().map(Vec::len), Some(1), "{until}");
    assert_eq!(connection.call("away.get", json!({}))["away"], until["away"]);
    assert_eq!(connection.refused("away.set", json!({"range": "yesterday"}))["code"], 400);
    assert_eq!(connection.refused("away.set", json!({}))["code"], -32602);
    assert_eq!(connection.refused("away.set", json!({"off": true, "for": "2h"}))["code"], -32602);
    assert_eq!(connection.call("away.set", json!({"off": true}))["changed"], json!(true));
    assert_eq!(connection.call("away.set", json!({"off": true}))["changed"], json!(false));
    assert_eq!(connection.call("away.get", json!({}))["away"], json!(null));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_day_begins_with_what_is_due_on_it_once_however_often_the_daemon_starts() {
    let mut person = Person::new("[digest]\nat = \"08:00\"\n[quiet]\nhours = \"22:00-07:00\"\n").await;
    person.keiko("add forms today 9pm");
    person.keiko("add rent tomorrow 9:30am --priority high");
    person.keiko("add stretch every day at 11am");
    person.keiko("add later 20 may 9am");
    person.keiko("add asleep tomorrow 3pm");
    person.keiko("pause asleep");
    person.to("2026-05-14T07:59:00-04:00");
    let before = person.popups().len();
    person.to("2026-05-14T08:00:00-04:00");
    let popups = person.popups();
    assert_eq!(popups[before..].len(), 1, "{popups:?}");
    let (title, body) = &popups[before];
    assert_eq!(title, "Today: 2, and 1 still due");
    assert_eq!(body, "09:30 2 rent\n11:00 3 stretch\nstill due: 1 forms\nkeiko list");

    person.off();
    person.on("2026-05-14T08:30:00-04:00");
    person.to("2026-05-14T09:00:00-04:00");
    let again = person.popups();
    assert!(!again[before + 1..].iter().any(|(title, _)| title.starts_with("Today")), "{again:?}");
    person.keiko("done forms");
    person.keiko("cancel stretch");
    person.keiko("cancel rent");
    person.to("2026-05-15T12:00:00-04:00");
    assert_eq!(
        person.popups().iter().filter(|(title, _)| title.starts_with("Today")).count(),
        1,
        "nothing is due on it"
    );
}
