//! A stretch of somebody's life with Keiko: the real programs on a clock that a test moves, days of it in a moment.
//!
//! Times are written as the person reads them, `2026-05-11T08:00` in the zone where the device is.

use std::process::{Command, Stdio};

use chrono::{DateTime, NaiveDateTime, SecondsFormat, TimeZone as _, Utc};
use chrono_tz::Tz;
use serde_json::{Value, json};

use crate::support::daemon::{Daemon, Home};
use crate::support::person::{Said, said};

/// How times are written.
const TIME: &str = "%Y-%m-%dT%H:%M";

/// A device, its daemon while it runs, and what its clock shows.
pub(crate) struct Life {
    home: Home,
    zone: Tz,
    now: DateTime<Utc>,
    daemon: Option<Daemon>,
}

impl Life {
    /// Begins one.
    pub(crate) fn begin(zone: Tz, now: &str) -> Self {
        let mut life = Self { home: Home::new(), zone, now: instant(zone, now), daemon: None };
        // Whoever has a terminal on this machine is left in peace.
        std::fs::write(life.home.path("config.toml"), "channels = [\"desktop\"]\n").expect("it is ours");
        life.switch_on();
        life
    }

    /// Returns the files.
    pub(crate) fn home(&self) -> &Home {
        &self.home
    }

    /// Returns the command that runs `program` here.
    pub(crate) fn command(&self, program: &str) -> Command {
        let mut command = self.home.command(program);
        command.env("TZ", self.zone.name()).env("KEIKO_CONFIG", self.home.path("config.toml"));
        command
    }

    /// Runs `keiko`; what stands in `'…'` is one word.
    pub(crate) fn keiko(&self, words: &str) -> Said {
        let mut command = self.command(env!("CARGO_BIN_EXE_keiko"));
        for (index, part) in words.split('\'').enumerate() {
            if index % 2 == 0 {
                command.args(part.split_whitespace());
            } else {
                command.arg(part);
            }
        }
        said(command)
    }

    /// Runs `keiko`, which must go well, and returns what it says.
    #[track_caller]
    pub(crate) fn does(&self, words: &str) -> String {
        self.keiko(words).fine().to_owned()
    }

    /// Lets the clock run to a time.
    #[track_caller]
    pub(crate) fn to(&mut self, time: &str) {
        self.now = instant(self.zone, time);
        let to = json!({ "to": self.now.to_rfc3339_opts(SecondsFormat::Secs, true) });
        self.does(&format!("rpc clock.advance '{to}'"));
    }

    /// The device is off or asleep until a time.
    pub(crate) fn is_off_until(&mut self, time: &str) {
        self.travels_until(self.zone, time);
    }

    /// The device is off, and is switched on again in another zone; the time is that zone's.
    pub(crate) fn travels_until(&mut self, zone: Tz, time: &str) {
        self.switch_off();
        (self.zone, self.now) = (zone, instant(zone, time));
        self.switch_on();
    }

    /// The daemon is killed as by `kill -9`, and starts again at the same moment.
    pub(crate) fn crashes(&mut self) {
        self.daemon.take().expect("it runs").kill();
        self.switch_on();
    }

    /// Stops the daemon in order.
    pub(crate) fn switch_off(&mut self) {
        self.does("daemon stop");
        assert!(self.daemon.take().expect("it runs").ended().success());
    }

    /// Starts the daemon, and waits until it has dealt with what came due meanwhile.
    pub(crate) fn switch_on(&mut self) {
        let mut command = self.command(env!("CARGO_BIN_EXE_keikod"));
        let now = self.now.to_rfc3339_opts(SecondsFormat::Secs, true);
        // In the foreground it logs to standard error, and a pipe that nobody reads is full one day.
        command.args(["--foreground", "--clock", &now]).stderr(Stdio::null());
        self.daemon = Some(Daemon::start(command));
        self.does(&format!("rpc clock.advance '{}'", json!({ "to": now })));
    }

    /// Returns a task as `show --json` tells it.
    #[track_caller]
    pub(crate) fn task(&self, number: u32) -> Value {
        self.keiko(&format!("show {number} --json")).json()["task"].take()
    }

    /// Returns a time of a task as the person reads it; empty where there is none.
    #[track_caller]
    pub(crate) fn time(&self, number: u32, field: &str) -> String {
        self.read(&self.task(number)[field])
    }

    /// Returns the next times of a task as the person reads them.
    #[track_caller]
    pub(crate) fn next(&self, number: u32) -> Vec<String> {
        self.task(number)["next"].as_array().expect("a list").iter().map(|at| self.read(at)).collect()
    }

    /// Returns the state and stage of a task.
    #[track_caller]
    pub(crate) fn stage(&self, number: u32) -> String {
        let task = self.task(number);
        task["stage"].as_str().expect("a word").to_owned()
    }

    /// Returns what happened to a task, as `history --json` tells it.
    #[track_caller]
    pub(crate) fn events(&self, number: u32) -> Vec<Value> {
        self.keiko(&format!("history {number} --json")).json()["events"].as_array().expect("a list").clone()
    }

    /// Returns when a task spoke, in order: `2026-05-11T08:00`, behind it ` late` where it was.
    #[track_caller]
    pub(crate) fn rings(&self, number: u32) -> Vec<String> {
        let events = self.events(number);
        let spoken = events.iter().filter(|event| event["operation"] == "fired" || event["operation"] == "spoke");
        let late = |event: &Value| if event["late"] == true { " late" } else { "" };
        spoken.map(|event| format!("{}{}", self.read(&event["at"]), late(event))).collect()
    }

    /// Returns how many times of a task never came up, and why, in order: `2 missed`.
    #[track_caller]
    pub(crate) fn passed_over(&self, number: u32) -> Vec<String> {
        let events = self.events(number);
        let passed = events.iter().filter(|event| event["operation"] == "passed_over");
        let told =
            |event: &Value| format!("{} {}", event["values"]["instances"], event["reason"].as_str().expect("words"));
        passed.map(told).collect()
    }

    /// Returns how the occurrences of a task have ended, in order.
    #[track_caller]
    pub(crate) fn outcomes(&self, number: u32) -> Vec<String> {
        let events = self.events(number);
        let outcomes = events.iter().filter_map(|event| event["values"]["outcome"].as_str());
        outcomes.map(str::to_owned).collect()
    }

    fn read(&self, time: &Value) -> String {
        let Some(text) = time.as_str() else { return String::new() };
        let at = DateTime::parse_from_rfc3339(text).expect("times are RFC 3339");
        at.with_timezone(&self.zone).format(TIME).to_string()
    }
}

fn instant(zone: Tz, time: &str) -> DateTime<Utc> {
    let local = NaiveDateTime::parse_from_str(time, TIME).expect("a local time");
    zone.from_local_datetime(&local).earliest().expect("the zone has this time").to_utc()
}
