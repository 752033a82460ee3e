//! The week that keiko(7) tells is played: what the page shows is what the programs say, to the letter.
//!
//! The text of the page is a script. Its commands are typed at the times before them into one shell, on a bus and a
//! notification server of the test's own; what they say and which popups appear when is written between them. What comes
//! of it must be the text again; with `KEIKO_REGENERATE=1` it takes the text's place.

#![cfg(feature = "desktop")]

use std::fs;
use std::path::Path;

use chrono::{DateTime, Days, NaiveDate, NaiveDateTime, NaiveTime, SecondsFormat, TimeDelta, TimeZone as _, Utc};
use chrono_tz::Tz;
use keiko::cli::week_page::{INDENT, WEEK, is_session};
use serde_json::json;

use crate::support::console::Shell;
use crate::support::daemon::Connection;
use crate::support::fake_server::{FakeServer, Manner};
use crate::support::person::Person;
use crate::support::private_bus::PrivateBus;

/// Set, the text is written anew rather than compared.
const REGENERATE: &str = "KEIKO_REGENERATE";

/// The days of the week, from [`monday`].
const DAYS: [&str; 7] = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];

/// A line of the script that is played.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Scene<'a> {
    Command(&'a str),
    Off,
    On(Option<Tz>),
}

#[tokio::test(flavor = "multi_thread")]
async fn the_week_of_the_manual_is_what_happens() {
    let bus = PrivateBus::start();
    let server = FakeServer::start(&bus, Manner::Plain).await;
    let mut person = Person::new();
    person.set("DBUS_SESSION_BUS_ADDRESS", bus.address());
    let mut week = Week::begin(&person, &server);
    let mut played = String::new();
    let lines: Vec<&str> = WEEK.lines().collect();
    for (index, line) in lines.iter().enumerate() {
        match scene(line) {
            Some((at, scene)) => played.push_str(&week.play(line, at, scene)),
            // What was said and shown when the text was made is said and shown anew.
            None if is_session(&lines, index) => {}
            None => played.extend([*line, "\n"]),
        }
    }
    if std::env::var_os(REGENERATE).is_some() {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/cli/week.txt");
        fs::write(file, played).expect("a generated file can be written");
    } else {
        let hint = "run KEIKO_REGENERATE=1 cargo test --test it week, then the same with generated";
        assert_eq!(WEEK, played, "the week of keiko(7) is another: {hint}");
    }
}

#[test]
fn lines_of_the_script_are_told_from_what_is_said() {
    let at = |day: u64, hour, minute| {
        let date = monday().checked_add_days(Days::new(day)).expect("a date");
        date.and_time(NaiveTime::from_hms_opt(hour, minute, 0).expect("a time"))
    };
    for (line, expected) in [
        ("    Mon 07:40 $ keiko list", Some((at(0, 7, 40), Scene::Command("keiko list")))),
        ("    Tue 23:00 - the laptop is switched off", Some((at(1, 23, 0), Scene::Off))),
        ("    Sun 00:05 - the laptop is switched on", Some((at(6, 0, 5), Scene::On(None)))),
        (
            "    Thu 13:30 - the laptop is switched on in Asia/Tokyo",
            Some((at(3, 13, 30), Scene::On(Some(Tz::Asia__Tokyo)))),
        ),
        ("    Mon 08:00 * call Anna", None),
        ("    Mon 11 May 08:00  now  due  call Anna", None),
        ("Mon 07:40 $ keiko list", None),
        ("# MONDAY", None),
        ("", None),
    ] {
        assert_eq!(scene(line), expected, "{line}");
    }
}

fn monday() -> NaiveDate {
    NaiveDate::from_ymd_opt(2026, 5, 11).expect("a date")
}

/// Reads a line that is played; `None` where it is prose, or what was said.
fn scene(line: &str) -> Option<(NaiveDateTime, Scene<'_>)> {
    let (day, rest) = line.strip_prefix(INDENT)?.split_at_checked(3)?;
    let day = DAYS.iter().position(|name| *name == day)?;
    let (time, what) = rest.strip_prefix(' ')?.split_at_checked(5)?;
    let time = NaiveTime::parse_from_str(time, "%H:%M").ok()?;
    let scene = if let Some(command) = what.strip_prefix(" $ ") {
        Scene::Command(command)
    } else {
        let state = what.strip_prefix(" - the laptop is switched ")?;
        match (state, state.strip_prefix("on in ")) {
            ("off", _) => Scene::Off,
            ("on", _) => Scene::On(None),
            (_, zone) => Scene::On(Some(zone?.parse().expect("a zone"))),
        }
    };
    Some((monday().checked_add_days(Days::new(day as u64))?.and_time(time), scene))
}

/// A week that is played.
struct Week<'a> {
    server: &'a FakeServer,
    shell: Shell,
    daemon: Option<Connection>,
    zone: Tz,
    now: DateTime<Utc>,
    /// How many popups have been told of.
    popups: usize,
}

impl<'a> Week<'a> {
    fn begin(person: &'a Person, server: &'a FakeServer) -> Self {
        let zone = Tz::Europe__Paris;
        let now = zone.from_local_datetime(&monday().and_time(NaiveTime::MIN)).unwrap().to_utc();
        let mut shell = Shell::start(person);
        let built = Path::new(env!("CARGO_BIN_EXE_keiko")).parent().expect("a program lies in a directory");
        shell.begin(&format!("PATH={}:$PATH", built.display()), 0);
        let mut week = Self { server, shell, daemon: None, zone, now, popups: 0 };
        week.switch_on();
        week
    }

    /// Plays a line, and returns it with what happens until then and what is said then.
    fn play(&mut self, line: &str, at: NaiveDateTime, scene: Scene<'_>) -> String {
        if let Scene::On(Some(zone)) = scene {
            self.zone = zone;
        }
        let at = self.zone.from_local_datetime(&at).unwrap().to_utc();
        let mut told = String::new();
        match scene {
            Scene::Command(command) => {
                told.push_str(&self.pass_until(at));
                let said = self.shell.run(command);
                told.extend([line, "\n"]);
                for line in said {
                    told.push_str(format!("{INDENT}{line}").trim_end());
                    told.push('\n');
                }
            }
            Scene::Off => {
                told.push_str(&self.pass_until(at));
                told.extend([line, "\n"]);
                self.daemon = None;
                self.shell.run("keiko daemon stop");
            }
            Scene::On(_) => {
                told.extend([line, "\n"]);
                self.now = at;
                self.switch_on();
                told.push_str(&self.popups());
            }
        }
        told
    }

    fn switch_on(&mut self) {
        let now = self.told_now();
        let command = format!("export TZ={}; keikod --clock {now} &", self.zone.name());
        assert_eq!(self.shell.begin(&command, 1), ["ready"]);
        let status: serde_json::Value =
            serde_json::from_str(&self.shell.run("keiko daemon status --json").join("\n")).expect("the status is JSON");
        let socket = status["socket"].as_str().expect("a path");
        self.daemon = Some(Connection::open(Path::new(socket)));
        self.move_clock();
    }

    /// Lets the time pass, minute by minute, and returns the popups that appear.
    fn pass_until(&mut self, at: DateTime<Utc>) -> String {
        let mut told = String::new();
        while self.now < at {
            self.now += TimeDelta::minutes(1);
            self.move_clock();
            told.push_str(&self.popups());
        }
        assert_eq!(self.now, at, "the script goes on in time");
        told
    }

    fn move_clock(&mut self) {
        let to = json!({ "to": self.told_now() });
        self.daemon.as_mut().expect("the laptop is on").call("clock.advance", to);
    }

    fn told_now(&self) -> String {
        self.now.to_rfc3339_opts(SecondsFormat::Secs, true)
    }

    /// Returns the popups that have appeared since it was last asked.
    fn popups(&mut self) -> String {
        let shown = self.server.notified();
        let at = self.now.with_timezone(&self.zone).format("%a %H:%M");
        let told = shown[self.popups..].iter().map(|popup| {
            let (body, how) = popup.body.rsplit_once('\n').expect("several lines");
            assert!(how.starts_with("keiko done "), "the last line of {popup:?}");
            // Further lines stand below the title.
            format!("{INDENT}{at} * {}  {}\n", popup.summary, body.replace('\n', "\n                "))
        });
        let told = told.collect();
        self.popups = shown.len();
        told
    }
}
