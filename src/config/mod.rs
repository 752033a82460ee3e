//! What can be configured, and what holds where nothing is.
//!
//! Never read after start-up by anybody but the daemon and the command line's entry: parts receive values. The file is read
//! in [`file`], the places of all files are in [`paths`].

use chrono::NaiveTime;

use crate::config::target::ConfiguredTarget;
use crate::config::webhook::Webhook;
use crate::domain::day::Daily;
use crate::domain::delivery::{ChannelKind, Target};
use crate::domain::hook::Hook;
use crate::domain::quiet::QuietHours;
use crate::domain::routing::Routing;
use crate::domain::time::Span;

pub mod bounded;
pub mod default_file;
pub mod edit;
pub mod file;
mod hooks;
pub mod keys;
pub mod literal;
mod nearest;
pub mod paths;
pub mod place;
mod private_dir;
mod routing;
pub mod shown;
pub mod suspicious;
pub mod target;
mod value;
pub mod webhook;
pub mod whole;

/// The configuration, complete.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Config {
    /// Within it a firing is on time.
    pub grace: Span,
    /// How dates made of numbers are read.
    pub dialect: Dialect,
    /// The time of a day that was named without one.
    pub date_only: NaiveTime,
    /// The times of the parts of a day.
    pub day_parts: DayParts,
    /// How long a snooze is when nobody says.
    pub snooze_default: Span,
    /// How long the snoozes are that popups offer, a button each.
    pub snooze_choices: Vec<Span>,
    /// Who is told by what.
    pub routing: Routing,
    /// Programs to be told, in the order of their names.
    pub webhooks: Vec<Webhook>,
    /// Chats, topics, mail addresses and programs of the person's own, in the order of the file.
    pub targets: Vec<ConfiguredTarget>,
    /// When the person is to be left alone each day.
    pub quiet: QuietHours,
    /// When and where each day is told.
    pub daily: Option<Daily>,
    /// How many commands of tasks run at once.
    pub commands_at_once: usize,
    /// Programs that are run when something happens, in the order of the file.
    pub hooks: Vec<Hook>,
    /// What the daemon writes down.
    pub log: Log,
}

/// How dates made of numbers are read: `6/13` is 13 June in one, no date in the other.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Dialect {
    /// Month first.
    #[default]
    Us,
    /// Day first.
    Uk,
}

/// The times of the parts of a day.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DayParts {
    /// `morning`.
    pub morning: NaiveTime,
    /// `afternoon`.
    pub afternoon: NaiveTime,
    /// `evening`.
    pub evening: NaiveTime,
    /// `tonight`.
    pub tonight: NaiveTime,
    /// `night`.
    pub night: NaiveTime,
    /// `eod`, 下班前, and the time of a deadline that names a day.
    pub end_of_day: NaiveTime,
}

/// What the daemon writes down.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Log {
    /// How much.
    pub level: LogLevel,
    /// In which form.
    pub format: LogFormat,
}

/// How much the daemon writes down; each holds those before it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum LogLevel {
    /// What failed.
    Error,
    /// What needs a look.
    Warn,
    /// What happened.
    #[default]
    Info,
    /// What happened inside.
    Debug,
    /// Every step.
    Trace,
}

/// The form of a log line.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum LogFormat {
    /// For people.
    #[default]
    Text,
    /// One JSON object a line.
    Json,
}

impl LogLevel {
    /// Returns the word that stands for it, in the file and in `KEIKO_LOG`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warn => "warn",
            Self::Info => "info",
            Self::Debug => "debug",
            Self::Trace => "trace",
        }
    }
}

impl Config {
    /// Returns every target that has a table of its own.
    #[must_use]
    pub fn named_targets(&self) -> Vec<Target> {
        let webhook = |webhook: &Webhook| Target { kind: ChannelKind::Webhook, address: webhook.name.clone() };
        self.webhooks.iter().map(webhook).chain(self.targets.iter().map(|target| target.target.clone())).collect()
    }
}

impl Default for Config {
    fn default() -> Self {
        Self {
            grace: Span::from_secs(30),
            dialect: Dialect::default(),
            date_only: clock_time(9),
            day_parts: DayParts::default(),
            snooze_default: Span::from_minutes(10),
            snooze_choices: vec![Span::from_minutes(10), Span::from_minutes(60)],
            routing: Routing::NONE,
            webhooks: Vec::new(),
            targets: Vec::new(),
            quiet: QuietHours::default(),
            daily: None,
            commands_at_once: 32,
            hooks: Vec::new(),
            log: Log::default(),
        }
    }
}

impl Default for DayParts {
    fn default() -> Self {
        Self {
            morning: clock_time(9),
            afternoon: clock_time(15),
            evening: clock_time(19),
            tonight: clock_time(20),
            night: clock_time(21),
            end_of_day: clock_time(17),
        }
    }
}

fn clock_time(hour: u32) -> NaiveTime {
    NaiveTime::from_hms_opt(hour, 0, 0).expect("the defaults are hours of a day")
}
