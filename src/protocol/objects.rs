//! What do programs read? The objects inside results: task, event, delivery, reading. All fields are always present.

use std::collections::BTreeMap;
use std::fmt;

use chrono::{DateTime, FixedOffset, SecondsFormat};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::domain::time::Timestamp;

pub use crate::protocol::objects::row::Row;
pub use crate::protocol::objects::run::{Command, CommandFailed, CommandLimits, Progress, Run, RunCounts, RunEnd};

mod row;
mod run;

/// Any JSON value, for the few places whose shape depends on another field.
pub type Json = serde_json::Value;

/// An instant with the offset of the device's zone: `2026-05-13T16:00:00-04:00` (RFC 3339, milliseconds only if any).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Time(pub DateTime<FixedOffset>);

impl Time {
    /// Returns the instant, held within the years 1970 to 9999.
    #[must_use]
    pub fn instant(self) -> Timestamp {
        let utc = self.0.to_utc();
        Timestamp::from_utc(utc).unwrap_or(if utc < Timestamp::MIN.to_utc() { Timestamp::MIN } else { Timestamp::MAX })
    }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.to_rfc3339_opts(SecondsFormat::AutoSi, false))
    }
}

impl Serialize for Time {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Time {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        DateTime::parse_from_rfc3339(&text)
            .map(Self)
            .map_err(|error| D::Error::custom(format!("cannot read time {text:?} as RFC 3339: {error}")))
    }
}

/// How much a task matters.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Priority {
    /// Shown last.
    Low,
    /// The default.
    #[default]
    Normal,
    /// Shown first.
    High,
}

/// What one command of a person did, as one thing that can be taken back.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Op {
    /// Names it, in events too.
    pub op_id: String,
    /// When it was done.
    pub at: Time,
    /// What was asked, as people type it; `undo` and `redo` of what took something back or did it again.
    pub verb: String,
    /// It in words: `done 7 pay rent`.
    pub text: String,
    /// The numbers of its tasks, the first 100.
    pub tasks: Vec<u64>,
    /// How many tasks those are.
    pub total: u64,
    /// The operation that this took back or did again.
    pub undoes: Option<String>,
    /// The operation that took this back.
    pub undone_by: Option<String>,
    /// Whether it is the one that a bare undo takes back; whether that is still possible shows when it is tried.
    pub is_next: bool,
}

/// A task with its present occurrence (SPEC 2).
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Task {
    /// What people type.
    pub number: u64,
    /// The UUID of every device.
    pub id: String,
    /// The idempotency key that it was added with, where that is at hand.
    pub key: Option<String>,
    /// One line.
    pub title: String,
    /// Free text, may be empty.
    pub notes: String,
    /// Something to open.
    pub link: Option<String>,
    /// `CREATED`, `PENDING`, `RUNNING`, `SUSPENDED`, `FAILED`, `COMPLETED` or `CANCELLED`; a later version may add some.
    pub state: String,
    /// What people read in place of the state.
    pub stage: String,
    /// Counts the changes.
    pub version: u64,
    /// When it was added.
    pub created_at: Time,
    /// When it last changed.
    pub updated_at: Time,
    /// When it is due.
    pub due_at: Option<Time>,
    /// When Keiko speaks next by itself.
    pub scheduled_at: Option<Time>,
    /// When it fired, while it is due.
    pub started_at: Option<Time>,
    /// When it ended.
    pub ended_at: Option<Time>,
    /// Until when it is snoozed.
    pub snoozed_until: Option<Time>,
    /// When a pause ends by itself.
    pub paused_until: Option<Time>,
    /// What was left to due when it was paused.
    pub remaining_ms: Option<i64>,
    /// When it comes up.
    pub schedule: Schedule,
    /// The present occurrence.
    pub occurrence: Occurrence,
    /// The next times, at most three; begins with the open occurrence while that is ahead.
    pub next: Vec<Time>,
    /// When it must be done at the latest.
    pub deadline_at: Option<Time>,
    /// When it speaks, relative to due: `-1h` before, `0` at due, `+15m` after.
    pub alerts: Vec<String>,
    /// The numbers of the tasks that were to be done first, done ones too.
    pub waits_for: Vec<u64>,
    /// The numbers of those that never will be done, while that keeps it from coming up.
    pub blocked_by: Vec<u64>,
    /// Where it speaks; empty: the default.
    pub channels: Vec<String>,
    /// What it runs when it is due.
    pub command: Option<Command>,
    /// How long that may run.
    pub timeout_s: Option<i64>,
    /// Whether it is done as soon as it was delivered.
    pub auto_done: bool,
    /// How long after each ring it rings again until it is answered.
    pub nag_ms: Option<i64>,
    /// What becomes of times that were missed: `once`, `skip`, or `all` of a command.
    pub missed: String,
    /// How late it may ring; what is later is passed over.
    pub max_late_s: Option<i64>,
    /// How many attempts the present occurrence's most tried delivery took; of a command, how many it has made.
    pub attempts: u32,
    /// How many times a delivery of a task for programs only is tried again, or a command; 0 where it is sent until it is
    /// answered.
    pub max_retries: u32,
    /// How much it matters.
    pub priority: Priority,
    /// Without the leading `+`, sorted.
    pub tags: Vec<String>,
    /// For programs.
    pub metadata: BTreeMap<String, String>,
    /// Whether it fired past grace.
    pub late: bool,
    /// How it ended: `done`, `unanswered`, `undelivered`, `retries_exhausted`, `cancelled` or `skipped`.
    pub outcome: Option<String>,
    /// Why a delivery of the present occurrence has not arrived; of a command, how the latest attempt failed.
    pub last_error: Option<String>,
    /// The device that tells this.
    pub device: String,
    /// How long after the last of `waits_for` was done it may come up.
    #[serde(default)]
    pub delay_ms: Option<i64>,
    /// What becomes of it where one of `waits_for` never will be done: `hold`, `run` or `cancel`; null where it waits for
    /// none.
    #[serde(default)]
    pub on_parent_fail: Option<String>,
    /// The task whose series this one goes on with, from a time on.
    #[serde(default)]
    pub follows: Option<u64>,
    /// The task that goes on with this one's series.
    #[serde(default)]
    pub followed_by: Option<u64>,
    /// How far its command says that it is, while it runs.
    #[serde(default)]
    pub progress: Option<Progress>,
    /// When it speaks of its deadline, relative to that; empty where it has none.
    #[serde(default)]
    pub deadline_alerts: Vec<String>,
    /// How often it rings again at most; null where it does not.
    #[serde(default)]
    pub nag_max: Option<u32>,
}

/// Something that will be said, once or several times.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct AgendaEntry {
    /// When, the first time.
    pub at: Time,
    /// When, the last time; `at` where it is said once.
    pub last_at: Time,
    /// How many times it is said.
    pub times: u64,
    /// How far apart those are, null where that differs or it is said once.
    pub every_ms: Option<i64>,
    /// The number of the task.
    pub task: u64,
    /// Its id.
    pub task_id: String,
    /// Its title.
    pub title: String,
    /// How much it matters.
    pub priority: Priority,
    /// Its tags.
    pub tags: Vec<String>,
    /// Which alert: `0` at due, `-1h` an hour before, `nag#3`, `deadline`.
    pub slot: String,
    /// The occurrence, that of the first time.
    pub occurrence: String,
    /// When that is due; null where it has only a deadline.
    pub due_at: Option<Time>,
    /// What it depends on: `unanswered` (said only if what rang before is not answered), `answered` (only if the occurrence
    /// before is), or null.
    pub only_if: Option<String>,
    /// Whether the occurrence is not there yet.
    pub predicted: bool,
    /// Until when it is held, since it is quiet then or the person is away, of several the first; null where it is said at
    /// its time.
    #[serde(default)]
    pub held_until: Option<Time>,
    /// Whether its command runs then.
    #[serde(default)]
    pub runs: bool,
}

/// A time for which the person is away.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Away {
    /// Since when.
    pub from: Time,
    /// Until when.
    pub to: Time,
    /// Tasks with one of these tags ring all the same.
    pub except: Vec<String>,
}

/// Something that an agenda does not have.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct AgendaNote {
    /// The number of the task.
    pub task: u64,
    /// Its title.
    pub title: String,
    /// `paused`, `after_done` (what comes behind is known once it is done) or `cut` (it comes up too often to be told to
    /// the end).
    pub kind: String,
    /// When the pause ends by itself, or up to where it is told.
    pub until: Option<Time>,
    /// The same for people.
    pub text: String,
}

/// A task to choose.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Choice {
    /// Its number.
    pub number: u64,
    /// Its title.
    pub title: String,
    /// Where it stands, in a word.
    pub stage: String,
}

/// When a task comes up.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Schedule {
    /// The words as typed, empty when a program gave the rule.
    pub text: String,
    /// `none`, `once`, `countdown`, `interval`, `calendar`, `cron` or `after_done`.
    pub kind: String,
    /// The recurrence without DTSTART, COUNT and UNTIL.
    pub rrule: Option<String>,
    /// The cron expression.
    pub cron: Option<String>,
    /// How often an interval comes up.
    pub every_ms: Option<i64>,
    /// Where its local times are read; the device's zone while it floats.
    pub zone: String,
    /// Whether it follows the device's zone.
    pub floating: bool,
    /// The first time of a series.
    pub from: Option<Time>,
    /// The last time of a series.
    pub until: Option<Time>,
    /// How many times a series has.
    pub count: Option<u32>,
}

/// Which time of the task it is.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Occurrence {
    /// `once`, a local date, a local date and time, or a UTC instant.
    pub key: String,
    /// 1 + number of undone closings.
    pub generation: u32,
    /// When the person saw it.
    #[serde(default)]
    pub acked_at: Option<Time>,
    /// When the rule has it due, where a person gave this one another time.
    #[serde(default)]
    pub moved_from: Option<Time>,
}

/// One change.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Event {
    /// The UUID of every device.
    pub event_id: String,
    /// The place in this store, from 1, without gaps.
    pub seq: u64,
    /// The request or cause.
    pub op_id: String,
    /// The task's number, null where it happened to the device: its clock was set, it slept, it moved to another zone.
    pub task: Option<u64>,
    /// The task's UUID, null as the number is.
    pub task_id: Option<String>,
    /// The occurrence, null as the number is.
    pub occurrence: Option<OccurrenceName>,
    /// Where it happened.
    pub device: String,
    /// `person`, `clock` or `daemon`.
    pub actor: String,
    /// When.
    pub at: Time,
    /// What, in the past tense.
    pub operation: String,
    /// The operation's own values.
    pub values: Json,
    /// The state before, null where there was none.
    pub from: Option<String>,
    /// The state after, null where there is none.
    pub to: Option<String>,
    /// Whether it is a firing past grace.
    pub late: bool,
    /// Why, may be empty.
    pub reason: String,
    /// The task as it then was, where asked for.
    pub snapshot: Option<Box<Task>>,
}

/// The name of an occurrence.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct OccurrenceName {
    /// See [`Occurrence::key`].
    pub key: String,
    /// See [`Occurrence::generation`].
    pub generation: u32,
}

/// One firing to one target.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Delivery {
    /// The firing.
    pub fire_id: String,
    /// The number of the task that fired; 0 of a digest, and from a daemon that does not tell it.
    #[serde(default)]
    pub task: u64,
    /// The target.
    pub target: String,
    /// `queued`, `waiting`, `held`, `grouped` (it came late, and a digest tells of it), `retrying`, `delivered`, `failed` or
    /// `withdrawn`.
    pub status: String,
    /// How many attempts were made.
    pub attempts: u32,
    /// When the firing was committed.
    pub created_at: Time,
    /// Since when it has its status, or when the next attempt is made.
    pub at: Option<Time>,
    /// Why the latest attempt failed or had to wait.
    pub last_error: Option<String>,
    /// The occurrence that fired.
    pub occurrence: OccurrenceName,
    /// The firing of the digest that tells of it, null where none does.
    #[serde(default)]
    pub digest: Option<String>,
}

/// Times of a task that were missed and not made up for.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Skipped {
    /// The number of the task.
    pub number: u64,
    /// Its title then.
    pub title: String,
    /// How many times were skipped.
    pub instances: u64,
    /// The first of them.
    pub from: Time,
    /// The last of them.
    pub to: Time,
    /// When that was found.
    pub at: Time,
    /// Why, for people.
    pub reason: String,
}

/// One sentence of a task's story.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Sentence {
    /// When that was; of `next`, when it will be.
    pub at: Time,
    /// What it tells, in one word: `added`, `rang`, `sent`, `snoozed`, `skipped`, `folded`, `now`, `next` and others.
    pub kind: String,
    /// The sentence, without its own time; other times in it are of the caller's zone.
    pub text: String,
    /// Whether it belongs to the last sentence before that is no detail.
    pub detail: bool,
    /// The occurrence that it is about, null where it is about the device.
    pub occurrence: Option<OccurrenceName>,
    /// The UUIDs of the events that it rests on, none where it tells how things stand.
    pub events: Vec<String>,
}

/// What a time phrase means, as `keiko parse --json` and `time.parse` answer.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Reading {
    /// See [`crate::protocol::SCHEMA_VERSION`].
    pub schema_version: u32,
    /// What was read.
    pub text: String,
    /// When Keiko first speaks.
    pub at: Option<Time>,
    /// When it is due.
    pub due: Option<Time>,
    /// When a repetition ends.
    pub until: Option<Time>,
    /// The recurrence.
    pub rrule: Option<String>,
    /// The cron expression.
    pub cron: Option<String>,
    /// How often an interval comes up.
    pub every_ms: Option<i64>,
    /// The next times, at most three.
    pub next: Vec<Time>,
    /// When it speaks, relative to due.
    pub alerts: Vec<String>,
    /// What is left of the sentence.
    pub title: String,
    /// How fine the time is: `second`, `minute`, `hour`, `day` and so on.
    pub grain: Option<String>,
    /// Where the local time is read.
    pub zone: String,
    /// Where in the text the time's words are: bytes, from and behind.
    pub span: Option<(usize, usize)>,
    /// What was assumed, for people.
    pub note: Option<String>,
    /// Why there is no time.
    pub error: Option<String>,
}

/// What the daemon does next.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Next {
    /// The task.
    pub number: u64,
    /// Its title.
    pub title: String,
    /// When.
    pub at: Time,
}

/// How it stands with the configuration.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct ConfigStatus {
    /// The file, which need not be there.
    pub file: String,
    /// Why what stands there now is refused, null where it holds; the former one holds meanwhile.
    pub error: Option<String>,
    /// What is odd in the one that holds, and does no harm.
    pub warnings: Vec<String>,
    /// The keys whose values differ from those that the daemon started with, and hold from its next start on only.
    pub at_next_start: Vec<String>,
}

/// How many tasks are in each state, and how many deliveries wait.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Counts {
    /// CREATED.
    pub created: u64,
    /// PENDING.
    pub pending: u64,
    /// RUNNING.
    pub running: u64,
    /// SUSPENDED.
    pub suspended: u64,
    /// FAILED.
    pub failed: u64,
    /// COMPLETED or CANCELLED.
    pub ended: u64,
    /// Deliveries that are not final.
    pub outbox: u64,
    /// Those of them that are held since their target fails or is paused.
    pub held: u64,
}

/// What is wrong with the store.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct StorageTrouble {
    /// `full`: the disk is, and what is due rings from a reserve; `broken`: it cannot be written or read; `damaged`: the
    /// file itself is.
    pub kind: String,
    /// Since when.
    pub since: Time,
    /// The error, in words.
    pub reason: String,
    /// What follows, and what to do.
    pub hint: String,
}

/// Whether a channel can reach somebody.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ChannelStatus {
    /// The channel.
    pub kind: String,
    /// Whether it can.
    pub present: bool,
    /// Why it cannot.
    pub reason: Option<String>,
}

/// How a target has done lately, and what is held for it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct TargetStatus {
    /// The target, as tasks name it.
    pub target: String,
    /// Whether it is one of this machine, a URL, or one that the configuration has.
    pub configured: bool,
    /// `closed` (it is sent to), `open` (it failed too often), `paused` or `releasing` (what was held goes out).
    pub breaker: String,
    /// How many attempts in a row failed.
    pub failures: u32,
    /// Since when it is not sent to.
    pub since: Option<Time>,
    /// When the next of the held goes out.
    pub next_at: Option<Time>,
    /// Why the latest attempt failed, null once one succeeded.
    #[serde(default)]
    pub last_error: Option<String>,
    /// How many deliveries are held for it.
    pub held: u64,
    /// How many wait for their next attempt.
    #[serde(default)]
    pub retrying: u64,
    /// How many wait until its channel can reach somebody.
    #[serde(default)]
    pub waiting: u64,
    /// How many are about to be sent.
    #[serde(default)]
    pub queued: u64,
    /// How many a digest tells of that is not sent yet.
    #[serde(default)]
    pub grouped: u64,
}
