//! The task: what is to be remembered, and what is true of every task.

use std::collections::BTreeMap;
use std::fmt;

use chrono::TimeDelta;
use chrono_tz::Tz;
use uuid::Uuid;

use crate::domain::delivery::Target;
use crate::domain::occurrence::{Due, Instance, Nominal, Outcome};
use crate::domain::retry::RETRIES_DEFAULT;
use crate::domain::run::{COMMAND_RETRIES_DEFAULT, Overlap, Program};
use crate::domain::schedule::Schedule;
use crate::domain::time::{Span, Timestamp, resolve};
use crate::domain::waiting::Waits;

/// Names a task on every device alike (`UUIDv7`, never reused).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct TaskId(pub Uuid);

impl fmt::Display for TaskId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The number that people type: one counter per store, never reused or renumbered, from 1.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Number(pub u64);

impl Number {
    /// From here on a number is none: that of a task that had ended when it was imported, and whose own was taken. It is told
    /// as 0, and nobody gets there by counting.
    pub const UNTYPED_FROM: u64 = 1 << 40;

    /// Returns what people type; 0 for a task that has no number.
    #[must_use]
    pub const fn typed(self) -> u64 {
        if self.0 < Self::UNTYPED_FROM { self.0 } else { 0 }
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0 < Self::UNTYPED_FROM { self.0.fmt(f) } else { f.pad("-") }
    }
}

/// How much a task matters; the most important is shown first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum Priority {
    /// Shown last, popups without sound.
    Low,
    /// The default.
    #[default]
    Normal,
    /// Shown first, popups marked urgent.
    High,
}

impl Priority {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Low, Self::Normal, Self::High];

    /// Returns its word in SQL, on the wire, in files and on the command line.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Normal => "normal",
            Self::High => "high",
        }
    }
}

/// What a person or program wrote about a task; `edit` changes any of it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Details {
    /// One line, never empty.
    pub title: String,
    /// Free text, empty when there is none.
    pub notes: String,
    /// Something to open, such as a URL.
    pub link: Option<String>,
    /// How much it matters.
    pub priority: Priority,
    /// Without the leading `+`, sorted, each once.
    pub tags: Vec<String>,
    /// For programs; Keiko never reads it.
    pub metadata: BTreeMap<String, String>,
    /// Where it speaks; empty means the default: the desktop, and the terminal while that is away.
    pub targets: Vec<Target>,
    /// What it runs when it is due; persons are then told what is said before that, and where it fails.
    pub command: Option<Box<Program>>,
    /// How many times a delivery of a task for programs only is tried again, or its command; `None`: [`RETRIES_DEFAULT`], of a
    /// command [`COMMAND_RETRIES_DEFAULT`].
    pub max_retries: Option<u32>,
    /// How long past its time it is still sent; `None`: for as long as it is not answered.
    pub max_late: Option<Span>,
}

/// What becomes of a time at which the machine was off or asleep (SPEC 4, Missed).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum Missed {
    /// The latest one rings late.
    #[default]
    Once,
    /// It is passed over.
    Skip,
    /// Each of them, one after another; of commands only.
    All,
}

impl Missed {
    /// Returns the word that people type and SQL and the wire use.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Once => "once",
            Self::Skip => "skip",
            Self::All => "all",
        }
    }

    /// Returns the rule of a word, `None` for a word of another version.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        [Self::Once, Self::Skip, Self::All].into_iter().find(|missed| missed.as_str() == word)
    }
}

/// How often, unless it is said, a nag rings at most.
pub const NAG_MAX_DEFAULT: u32 = 20;

/// Rings again until it is answered.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Nag {
    /// How long after each ring the next is.
    pub every: Span,
    /// How often at most.
    pub max: u32,
}

/// How a task behaves beyond its schedule.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Policy {
    /// What becomes of times that were missed.
    pub missed: Missed,
    /// Whether it rings again until it is answered.
    pub nag: Option<Nag>,
    /// Whether it is done as soon as it was delivered.
    pub auto_done: bool,
}

/// When a task must be done at the latest, apart from due.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Deadline {
    /// When.
    pub time: DeadlineTime,
    /// When it speaks of that, relative to it: zero at the deadline, negative before. Sorted, each once.
    pub alerts: Vec<Span>,
}

/// How a deadline is given.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DeadlineTime {
    /// One time, of a task that comes up once.
    At(Nominal),
    /// So long after due by the clock on the wall, of each occurrence of a series.
    AfterDue(Span),
}

/// Another task that one is linked with, by the name of every device and that of this store.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TaskLink {
    /// The id of every device.
    pub id: TaskId,
    /// The number of this store.
    pub number: Number,
}

/// A task without its occurrences.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Task {
    /// The id of every device.
    pub id: TaskId,
    /// The number of this store.
    pub number: Number,
    /// What it says.
    pub details: Details,
    /// When it comes up.
    pub schedule: Schedule,
    /// When it speaks, relative to due: negative before, zero at due, positive after. Sorted, each once.
    pub alerts: Vec<Span>,
    /// How it behaves beyond its schedule.
    pub policy: Policy,
    /// When it must be done at the latest.
    pub deadline: Option<Deadline>,
    /// What it waits for, before each of its times.
    pub waits: Waits,
    /// Counts the changes; a change names the version it saw.
    pub version: u64,
    /// When it was added.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
    /// The latest instance of the schedule that became an occurrence, withdrawn ones too: the next lies behind it.
    pub cursor: Option<Instance>,
    /// The instance of the latest occurrence that ended before the present one: its name is never used again.
    pub last_ended: Option<Instance>,
    /// How the occurrence before the present one ended.
    pub previous: Option<Outcome>,
    /// The task whose series this one goes on with, from a time on.
    pub follows: Option<TaskLink>,
    /// The task that goes on with this one's series.
    pub followed_by: Option<TaskLink>,
    /// When it was removed from sight; nothing of it rings any more.
    pub deleted_at: Option<Timestamp>,
}

impl Task {
    /// Returns whether the task comes up more than once.
    #[must_use]
    pub fn is_series(&self) -> bool {
        self.schedule.rule.is_series()
    }

    /// Returns when what is due at `due` must be done at the latest; local times are those of `zone`.
    #[must_use]
    pub fn deadline_of(&self, due: Option<Due>, zone: Tz) -> Option<Due> {
        let nominal = match (self.deadline.as_ref()?.time, due.map(|due| due.nominal)) {
            (DeadlineTime::At(nominal), _) => nominal,
            (DeadlineTime::AfterDue(span), Some(Nominal::Local(due))) => {
                Nominal::Local(due.checked_add_signed(TimeDelta::try_milliseconds(span.as_millis())?)?)
            }
            (DeadlineTime::AfterDue(span), Some(Nominal::Instant(due))) => Nominal::Instant(due.checked_add(span)?),
            (DeadlineTime::AfterDue(_), None) => return None,
        };
        let at = match nominal {
            Nominal::Local(local) => resolve(local, zone)?.0,
            Nominal::Instant(at) => at,
        };
        Some(Due { nominal, at })
    }

    /// Returns when the next occurrence, due at `next`, takes over from one that has said all that it has to say at
    /// `busy_until` and is not answered: when it first speaks after that, so that nobody who leaves one unanswered misses
    /// the early alerts of the next.
    ///
    /// What is for programs is not waited for by anybody.
    #[must_use]
    pub fn takeover(&self, busy_until: Timestamp, next: Timestamp) -> Timestamp {
        if self.is_program_only() || self.details.command.is_some() {
            return next;
        }
        let early = self.alerts.iter().map(|offset| next.saturating_add(*offset));
        early.filter(|at| *at > busy_until).min().map_or(next, |early| early.min(next))
    }

    /// Returns when what is due at `due`, and must be done by `deadline`, has said all that it has to say.
    #[must_use]
    pub fn busy_until(&self, due: Timestamp, deadline: Option<Timestamp>) -> Timestamp {
        let last_of = |offsets: &[Span]| offsets.iter().copied().max().unwrap_or(Span::ZERO).max(Span::ZERO);
        let of_deadline = self.deadline.as_ref().map_or(Span::ZERO, |deadline| last_of(&deadline.alerts));
        let busy_until = due.saturating_add(last_of(&self.alerts));
        deadline.map_or(busy_until, |at| busy_until.max(at.saturating_add(of_deadline)))
    }

    /// Returns whether it speaks to programs only, so that it ends when they have taken it.
    #[must_use]
    pub fn is_program_only(&self) -> bool {
        let targets = &self.details.targets;
        self.details.command.is_none() && !targets.is_empty() && targets.iter().all(|target| !target.kind.is_person())
    }

    /// Returns how many attempts its command has at each occurrence.
    #[must_use]
    pub fn runs_max(&self) -> u32 {
        self.details.max_retries.unwrap_or(COMMAND_RETRIES_DEFAULT).saturating_add(1)
    }

    /// Returns whether each time that came up while its command ran is run when that has ended.
    #[must_use]
    pub fn runs_each(&self) -> bool {
        let overlap = self.details.command.as_ref().map(|program| program.overlap);
        overlap.is_some_and(|overlap| overlap == Overlap::Queue || self.policy.missed == Missed::All)
    }

    /// Returns how many attempts a delivery of it has; `None` where it is sent until somebody has it or answers.
    #[must_use]
    pub fn attempts_max(&self) -> Option<u32> {
        self.is_program_only().then(|| self.details.max_retries.unwrap_or(RETRIES_DEFAULT).saturating_add(1))
    }
}
