//! Why did it ring, and when? The events of a task as sentences: what happened, in the order in which it happened.
//!
//! A sentence is a value; [`words`] alone says it in a language. Never tells what no event says: what is not known is not
//! guessed, and what the window of events leaves out is not counted.

use std::collections::BTreeMap;

use uuid::Uuid;

use crate::domain::command::Edit;
use crate::domain::delivery::{Delivery, DeliveryStatus, Target};
use crate::domain::device_event::{DeviceEvent, DeviceOperation};
use crate::domain::event::{Actor, Event, Snapshot};
use crate::domain::occurrence::{FireId, OccurrenceName, Outcome, Slot};
use crate::domain::run::{Progress, RunEnd};
use crate::domain::schedule::Schedule;
use crate::domain::task::{Nag, Number};
use crate::domain::time::{Span, Timestamp};
use crate::domain::waiting::HowFailed;

mod changes;
mod fold;
mod present;
mod rings;
mod tell;
#[cfg(test)]
mod tests;
mod waits;
pub mod words;

pub use self::fold::fold;
pub use self::present::{Standing, present};

/// What is known of a stretch of a task's life.
#[derive(Clone, Copy, Debug)]
pub struct Account<'a> {
    /// The task as it was just before the first of the events; `None` where that is the first of all.
    pub before: Option<&'a Snapshot>,
    /// The events, oldest first, each operation whole.
    pub events: &'a [Entry],
    /// The deliveries of the firings among them, in any order.
    pub deliveries: &'a [Delivery],
    /// What happened to the device meanwhile, oldest first.
    pub device: &'a [DeviceEntry],
}

/// An event with its place in the store.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Entry {
    /// Its place.
    pub seq: u64,
    /// The event.
    pub event: Event,
}

/// An event of the device with its place in the store.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DeviceEntry {
    /// Its place.
    pub seq: u64,
    /// The event.
    pub event: DeviceEvent,
}

/// One sentence.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sentence {
    /// When that was; of what comes next, when it will be.
    pub at: Timestamp,
    /// Which occurrence it is about; `None` where it is about the device.
    pub occurrence: Option<OccurrenceName>,
    /// Whether it belongs to the sentence before that is no detail.
    pub is_detail: bool,
    /// What it says.
    pub said: Said,
    /// The events that it rests on, none where it tells how things stand.
    pub events: Vec<Uuid>,
}

/// What a sentence says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Said {
    /// The task was added.
    Added(Box<Addition>),
    /// It came back after it had ended.
    Reopened {
        /// When it is due.
        due: Option<Timestamp>,
    },
    /// It spoke.
    Rang(Box<Ring>),
    /// What became of one delivery of the ring before.
    Sent(News),
    /// It came due with nothing said.
    CameUp {
        /// Why, for people; may be empty.
        why: String,
        /// Whether its command runs then, so that it is no silence.
        is_run: bool,
    },
    /// The person saw it.
    Seen {
        /// Whether what was shown was only closed.
        is_dismissal: bool,
        /// Whether it was nagging, and does so no more.
        ends_nag: bool,
    },
    /// It is to speak again.
    Snoozed {
        /// Who asked.
        by: Actor,
        /// When it speaks again.
        until: Timestamp,
        /// What it says then in place of its own time, where nothing had been said yet.
        moves: Option<Slot>,
        /// What is said then and at its own time as well, where nothing had been said yet.
        repeats: Option<Slot>,
        /// What is not said any more since it falls into the snooze.
        swallowed: Vec<Slot>,
        /// Why, for people; may be empty.
        why: String,
    },
    /// Its clock stopped.
    Paused {
        /// Who asked.
        by: Actor,
        /// When it goes on by itself.
        until: Option<Timestamp>,
        /// What was left to due.
        remaining: Option<Span>,
        /// Why, for people; may be empty.
        why: String,
    },
    /// Its clock went on.
    Resumed {
        /// Who asked; the clock where the pause ended by itself.
        by: Actor,
        /// Where due was moved: to when.
        due: Option<Timestamp>,
    },
    /// Its fields got new values.
    Edited {
        /// Who did it.
        by: Actor,
        /// Which.
        edit: Box<Edit>,
        /// Why, for people; may be empty.
        why: String,
    },
    /// Its due or its deadline moved.
    Moved {
        /// Which of the two.
        what: Mark,
        /// From when, where it had a time.
        from: Option<Timestamp>,
        /// To when.
        to: Option<Timestamp>,
        /// Who moved it.
        by: Actor,
        /// The zones between which the device went, where that moved it and it is known.
        zones: Option<(String, String)>,
        /// Why, for people; may be empty.
        why: String,
    },
    /// Alerts whose time had passed when they were set.
    TooLateToSay {
        /// Which.
        slots: Vec<Slot>,
    },
    /// It was given something else than a time, such as another pause; told as the event says it.
    Altered {
        /// Why, for people.
        why: String,
    },
    /// An attempt failed.
    Failed {
        /// Why, for people.
        why: String,
    },
    /// It is tried again.
    Retried {
        /// Who asked.
        by: Actor,
    },
    /// Its command, which failed, is to be tried again.
    RetriedAt {
        /// When.
        at: Timestamp,
    },
    /// Its command was started.
    RunStarted {
        /// Counts the attempts at the occurrence, from 1.
        attempt: u32,
    },
    /// Its command said how far it was.
    Progressed(Progress),
    /// Its command ran no more.
    RunEnded {
        /// Counts the attempts at the occurrence, from 1.
        attempt: u32,
        /// How it ended.
        end: RunEnd,
    },
    /// The occurrence ended.
    Ended {
        /// How.
        outcome: Outcome,
        /// Who ended it.
        by: Actor,
        /// How long before its due, where that lay ahead.
        early: Option<Span>,
        /// Why, for people; may be empty.
        why: String,
    },
    /// An occurrence that had not rung was taken back.
    Withdrawn {
        /// Who did it.
        by: Actor,
        /// When it was due.
        due: Option<Timestamp>,
        /// Why, for people; may be empty.
        why: String,
    },
    /// Times of the rule that did not ring.
    Skipped {
        /// How many.
        instances: u64,
        /// When the first of them was due.
        from: Timestamp,
        /// When the last of them was due.
        to: Timestamp,
        /// Why, for people.
        why: String,
        /// What the device did then, as far as it is on record.
        cause: Option<Cause>,
    },
    /// Alerts that did not ring.
    Missed {
        /// Which.
        slots: Vec<Slot>,
        /// When the first of them was to speak.
        from: Timestamp,
        /// When the last of them was to speak.
        to: Timestamp,
        /// Why, for people.
        why: String,
        /// What the device did then, as far as it is on record.
        cause: Option<Cause>,
    },
    /// It was not done by its deadline.
    DeadlinePassed {
        /// The deadline.
        deadline: Option<Timestamp>,
    },
    /// A delivery was handed out again.
    Resent {
        /// Where.
        target: Target,
        /// Why, for people.
        why: String,
    },
    /// A delivery was given up since its time was over.
    Expired {
        /// Where.
        target: Target,
        /// Why, for people.
        why: String,
    },
    /// What it said was held for quiet hours, or was let go.
    Held {
        /// Until when; `None`: it was let go.
        until: Option<Timestamp>,
        /// Why, for people; empty where an earlier version did not note it.
        why: String,
    },
    /// Another task goes on with its series.
    Followed {
        /// Which.
        by: Number,
    },
    /// What it waits for was set.
    WaitsSet {
        /// Who did it.
        by: Actor,
        /// The tasks that it waits for.
        parents: Vec<Number>,
        /// For how much longer.
        delay: Option<Span>,
        /// Why, for people; may be empty.
        why: String,
    },
    /// A task that it waits for was done.
    ParentDone {
        /// Which.
        parent: Number,
    },
    /// A task that it waits for never will be done.
    ParentFailed {
        /// Which.
        parent: Number,
        /// How that ended.
        how: Option<HowFailed>,
    },
    /// It waits for nothing any more.
    Freed {
        /// When it is due.
        due: Option<Timestamp>,
    },
    /// The person said that it waits for no other task any more.
    Unblocked,
    /// It was removed from sight.
    Deleted {
        /// Who did.
        by: Actor,
    },
    /// A change was taken back.
    Restored {
        /// Who did.
        by: Actor,
        /// What it says as it did before.
        edit: Box<Edit>,
        /// Whether it had been deleted.
        was_deleted: bool,
    },
    /// Something happened to the device.
    Device(DeviceOperation),
    /// Much of the same, left out.
    Folded(Fold),
    /// How it stands now.
    Now(Box<Standing>),
    /// When it speaks next.
    Next(Next),
}

/// One of the two times of a task.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mark {
    /// When it is due.
    Due,
    /// When it must be done at the latest.
    Deadline,
}

/// How a task began.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Addition {
    /// Who added it.
    pub by: Actor,
    /// When it comes up.
    pub schedule: Schedule,
    /// When it is first due.
    pub due: Option<Timestamp>,
    /// When it speaks.
    pub alerts: Vec<Span>,
    /// When it must be done at the latest.
    pub deadline: Option<Timestamp>,
    /// Whether it rings again until it is answered.
    pub nag: Option<Nag>,
    /// The tasks that it waits for.
    pub parents: Vec<Number>,
    /// Whether it runs a command when it is due.
    pub runs: bool,
}

/// One firing.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ring {
    /// Which alert.
    pub slot: Slot,
    /// When it was to speak.
    pub nominal_at: Timestamp,
    /// By how much it was late, where that was past grace.
    pub late_by: Option<Span>,
    /// What the device did between, as far as it is on record.
    pub cause: Option<Cause>,
    /// Whether the occurrence had spoken before.
    pub is_again: bool,
    /// Why it spoke then.
    pub why: Why,
    /// Earlier alerts that it stands for.
    pub swallowed: Vec<Slot>,
    /// Whether people were not told then, but later.
    pub is_held: bool,
    /// Whether nobody was told, but its command was to run.
    pub is_run: bool,
}

/// Why something spoke when it did.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Why {
    /// It was the alert's own time.
    OwnTime,
    /// A snooze was over.
    Snoozed {
        /// When it was asked for, where that is among the events.
        asked_at: Option<Timestamp>,
    },
    /// A pause was over, and it was to be said meanwhile or had not been answered.
    Paused {
        /// Since when it was paused, where that is among the events.
        since: Option<Timestamp>,
    },
    /// Nobody had answered.
    Unanswered,
}

/// What kept a device from speaking.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cause {
    /// It slept.
    Slept {
        /// Since when.
        from: Timestamp,
        /// Until when.
        to: Timestamp,
    },
    /// Its clock was set forward, over the time.
    Stepped {
        /// From when.
        from: Timestamp,
        /// To when.
        to: Timestamp,
    },
}

/// What became of a delivery.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct News {
    /// Where.
    pub target: Target,
    /// Where it stands.
    pub status: DeliveryStatus,
    /// Whether a digest tells it, with others.
    pub is_in_digest: bool,
    /// Whether it was late.
    pub is_late: bool,
    /// How many attempts were made.
    pub attempts: u32,
    /// Why the latest one failed, for people.
    pub error: Option<String>,
}

/// Much of the same.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fold {
    /// How many are left out.
    pub count: usize,
    /// How many rings are among them.
    pub rings: usize,
    /// When the last of them was.
    pub to: Timestamp,
    /// What they are.
    pub of: Folded,
}

/// What was left out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Folded {
    /// Occurrences that went alike.
    Occurrences {
        /// How each of them ended, where it did.
        outcome: Option<Outcome>,
    },
    /// Rings of one occurrence.
    Rings,
}

/// When a task speaks next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Next {
    /// An alert.
    Alert(Slot),
    /// What a snooze repeats.
    Snoozed(Slot),
    /// The one behind the open one comes up.
    Successor {
        /// Whether it may do so by an early alert.
        speaks_early: bool,
    },
    /// It comes up in silence.
    Silence,
    /// Its command runs.
    Runs,
    /// It goes on by itself.
    Resumes,
    /// It comes up once what it waits for is done; when that is nobody knows.
    Freed,
    /// Nothing, unless somebody does something.
    Nothing,
}

impl Said {
    /// Returns the word that programs read.
    #[must_use]
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Added(_) => "added",
            Self::Reopened { .. } => "reopened",
            Self::Rang(ring) if ring.is_held => "came_up",
            Self::Rang(_) => "rang",
            Self::Sent(_) => "sent",
            Self::CameUp { .. } => "came_up",
            Self::Seen { .. } => "seen",
            Self::Snoozed { .. } => "snoozed",
            Self::Paused { .. } => "paused",
            Self::Resumed { .. } => "resumed",
            Self::Edited { .. } => "edited",
            Self::Moved { .. } => "moved",
            Self::TooLateToSay { .. } => "too_late_to_say",
            Self::Altered { .. } => "altered",
            Self::Failed { .. } => "failed",
            Self::Retried { .. } => "retried",
            Self::RetriedAt { .. } => "retried_at",
            Self::RunStarted { .. } => "run_started",
            Self::Progressed(_) => "progressed",
            Self::RunEnded { .. } => "run_ended",
            Self::Ended { .. } => "ended",
            Self::Withdrawn { .. } => "withdrawn",
            Self::Skipped { .. } => "skipped",
            Self::Missed { .. } => "missed",
            Self::DeadlinePassed { .. } => "deadline_passed",
            Self::Resent { .. } => "resent",
            Self::Expired { .. } => "expired",
            Self::Held { .. } => "held",
            Self::Followed { .. } => "followed",
            Self::WaitsSet { .. } => "waits_set",
            Self::ParentDone { .. } => "parent_done",
            Self::ParentFailed { .. } => "parent_failed",
            Self::Freed { .. } => "freed",
            Self::Unblocked => "unblocked",
            Self::Deleted { .. } => "deleted",
            Self::Restored { .. } => "restored",
            Self::Device(_) => "device",
            Self::Folded(_) => "folded",
            Self::Now(_) => "now",
            Self::Next(_) => "next",
        }
    }
}

/// Tells the events of an account, oldest first.
#[must_use]
pub fn story(account: &Account<'_>) -> Vec<Sentence> {
    tell::tell(account)
}

/// The deliveries of each firing.
type ByFiring<'a> = BTreeMap<FireId, Vec<&'a Delivery>>;
