//! The seven states of an occurrence, each with the data that is valid in it, and which may follow which.
//!
//! ```text
//! CREATED ────▶ PENDING ────▶ RUNNING ────▶ COMPLETED (ends)
//!    │           ▲  ▲ │          │ │
//!    │           │  │ └─▶ SUSPENDED ◀┘
//!    │           │  └────────┤   ▼
//!    │           └───────────│─ FAILED
//!    └──────────▶ CANCELLED (ends) ◀── PENDING, SUSPENDED, FAILED
//! ```

use std::fmt;

use uuid::Uuid;

use crate::domain::occurrence::{Outcome, Slot};
use crate::domain::time::{Span, Timestamp};

/// Where an occurrence stands (SPEC 3).
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum State {
    /// Known but not armed: it has no time yet.
    Created,
    /// Armed.
    Pending(Pending),
    /// It fired and waits for the person.
    Running(Running),
    /// Its clock does not count.
    Suspended(Suspended),
    /// An attempt failed; what follows is decided in the same transaction.
    Failed(Failed),
    /// It ended well.
    Completed(Ended),
    /// It ended otherwise.
    Cancelled(Ended),
}

/// What an armed occurrence carries.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Pending {
    /// Set while it is snoozed.
    pub snooze: Option<Snooze>,
    /// Set where its time was missed and is not made up for: it is armed no more.
    pub is_missed: bool,
    /// Set while it waits for another attempt at its command, which failed: when that is.
    pub retry_at: Option<Timestamp>,
}

/// A repetition of an alert at another time; it never moves the due.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Snooze {
    /// Names the snooze or the pause that asked for it: part of the repeated firing's id.
    pub id: Uuid,
    /// When the alert speaks again.
    pub until: Timestamp,
    /// Which alert it repeats.
    pub slot: Slot,
    /// Whether a person chose the time; else it is what a pause left over.
    pub is_chosen: bool,
    /// Whether it was asked for as so long from then: it moves when the clock is set.
    pub is_duration: bool,
}

/// What a fired occurrence carries.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Running {
    /// When it fired.
    pub fired_at: Timestamp,
    /// From when a nag counts: when it rang last, or was told since to nag; `None` where it came up in silence.
    pub rang_at: Option<Timestamp>,
    /// How often it nagged since then.
    pub nags: u32,
    /// Whether the person said to nag no more.
    pub is_hushed: bool,
    /// Whether it fired past grace.
    pub late: bool,
    /// When the person saw it without doing it.
    pub acked_at: Option<Timestamp>,
    /// A snooze of an early alert that reaches past due: it still speaks at its time.
    pub snooze: Option<Snooze>,
    /// Until when what it said is held for quiet hours; `None` where it was told, or nothing was held.
    pub held_until: Option<Timestamp>,
}

/// What a suspended occurrence carries.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Suspended {
    /// Names the pause: part of the id of a firing that it delayed.
    pub id: Uuid,
    /// Since when.
    pub since: Timestamp,
    /// When it resumes by itself.
    pub until: Option<Timestamp>,
    /// What was left to due; `None` when due had passed.
    pub remaining: Option<Span>,
    /// The snooze that it interrupted.
    pub snooze: Option<Snooze>,
    /// Whether this occurrence alone is paused, so that its series goes on when its successor is due.
    pub is_this_only: bool,
    /// When the person had seen what rang before, so that nothing of it is to be said again.
    pub acked_at: Option<Timestamp>,
}

/// What a failed occurrence carries.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Failed {
    /// When the attempt failed.
    pub at: Timestamp,
}

/// What an ended occurrence carries.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ended {
    /// When it ended.
    pub at: Timestamp,
    /// How.
    pub outcome: Outcome,
}

impl Running {
    /// Returns what an occurrence carries that came up at `at` with nothing said.
    #[must_use]
    pub const fn silent(at: Timestamp) -> Self {
        Self {
            fired_at: at,
            rang_at: None,
            nags: 0,
            is_hushed: false,
            late: false,
            acked_at: None,
            snooze: None,
            held_until: None,
        }
    }
}

impl State {
    /// Returns the name of the state without its data.
    #[must_use]
    pub const fn name(&self) -> StateName {
        match self {
            Self::Created => StateName::Created,
            Self::Pending(_) => StateName::Pending,
            Self::Running(_) => StateName::Running,
            Self::Suspended(_) => StateName::Suspended,
            Self::Failed(_) => StateName::Failed,
            Self::Completed(_) => StateName::Completed,
            Self::Cancelled(_) => StateName::Cancelled,
        }
    }
}

/// A state without its data, as events and programs name it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum StateName {
    /// See [`State::Created`].
    Created,
    /// See [`State::Pending`].
    Pending,
    /// See [`State::Running`].
    Running,
    /// See [`State::Suspended`].
    Suspended,
    /// See [`State::Failed`].
    Failed,
    /// See [`State::Completed`].
    Completed,
    /// See [`State::Cancelled`].
    Cancelled,
}

impl StateName {
    /// All seven, in the order of SPEC 3.
    pub const ALL: [Self; 7] =
        [Self::Created, Self::Pending, Self::Running, Self::Suspended, Self::Failed, Self::Completed, Self::Cancelled];

    /// Returns the states that may follow, the whole table of SPEC 3.
    #[must_use]
    pub const fn successors(self) -> &'static [Self] {
        match self {
            Self::Created => &[Self::Pending, Self::Cancelled],
            Self::Pending => &[Self::Running, Self::Suspended, Self::Cancelled],
            Self::Running => &[Self::Completed, Self::Failed, Self::Suspended],
            Self::Suspended | Self::Failed => &[Self::Pending, Self::Cancelled],
            Self::Completed | Self::Cancelled => &[],
        }
    }

    /// Returns the word that events, SQL and the wire use.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Created => "CREATED",
            Self::Pending => "PENDING",
            Self::Running => "RUNNING",
            Self::Suspended => "SUSPENDED",
            Self::Failed => "FAILED",
            Self::Completed => "COMPLETED",
            Self::Cancelled => "CANCELLED",
        }
    }

    /// Returns the state of a word, `None` for a word of another version.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|name| name.as_str() == word)
    }
}

impl fmt::Display for StateName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
