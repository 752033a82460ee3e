//! Why a command is refused, and what would be accepted. A rejection is an answer, not a failure.

use crate::domain::occurrence::{OccurrenceName, Outcome};
use crate::domain::schedule::ScheduleError;
use crate::domain::state::StateName;
use crate::domain::task::Number;
use crate::domain::time::Timestamp;

/// The reason for which a command was refused; the task is as it was.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Rejection {
    /// It has ended, and what has ended never comes back to life.
    #[error("cannot {verb} task {number}: it is already {}", outcome_word(*outcome))]
    Ended {
        /// What was wanted.
        verb: &'static str,
        /// The task.
        number: Number,
        /// The state, which is an end.
        state: StateName,
        /// How it ended.
        outcome: Outcome,
    },
    /// Its state does not allow the command.
    #[error("cannot {verb} task {number}: it is {}", state_word(*state))]
    NotNow {
        /// What was wanted.
        verb: &'static str,
        /// The task.
        number: Number,
        /// The state.
        state: StateName,
        /// The commands that are allowed, as people type them.
        allowed: &'static [&'static str],
    },
    /// It waits for another task, so there is nothing that the command could apply to.
    #[error("cannot {verb} task {number}: it is {why}")]
    Waiting {
        /// What was wanted.
        verb: &'static str,
        /// The task.
        number: Number,
        /// What it waits for, for people.
        why: String,
        /// The commands that are allowed, as people type them.
        allowed: &'static [&'static str],
    },
    /// It can no longer begin to wait for another task.
    #[error("cannot let task {number} wait: it is {} already", state_word(*state))]
    TooLateToWait {
        /// The task.
        number: Number,
        /// The state.
        state: StateName,
    },
    /// It waits for no task, so there is nothing that a delay or a rule could apply to.
    #[error("cannot edit task {number}: it waits for no task")]
    WaitsForNone {
        /// The task.
        number: Number,
    },
    /// It would wait for itself.
    #[error("cannot let task {number} wait for {}: {}", first(*number, path), told_path(*number, path))]
    Cycle {
        /// The task.
        number: Number,
        /// From the one that it is to wait for to the one that waits for it; empty where that is itself.
        path: Vec<Number>,
    },
    /// Too many tasks wait for one another.
    #[error("cannot let task {number} wait: more than {limit} tasks would wait for one another in a row")]
    TooDeep {
        /// The task.
        number: Number,
        /// The limit.
        limit: usize,
    },
    /// It has no command that could be run.
    #[error("cannot run task {number}: it has no command")]
    NoCommand {
        /// The task.
        number: Number,
        /// The state.
        state: StateName,
    },
    /// Its command runs already, and not two are to run at once.
    #[error("cannot {verb} task {number}: its command is running")]
    StillRuns {
        /// What was wanted.
        verb: &'static str,
        /// The task.
        number: Number,
        /// The state.
        state: StateName,
    },
    /// What has come up is a reminder or runs a command until it ends.
    #[error(
        "cannot edit task {number}: it has come up, so it can neither gain nor lose its command before that has ended"
    )]
    CommandChange {
        /// The task.
        number: Number,
        /// The state.
        state: StateName,
    },
    /// The open occurrence of a series is still ahead of its first alert.
    #[error("cannot {verb} task {number}: it is not due before {due}")]
    Ahead {
        /// What was wanted.
        verb: &'static str,
        /// The task.
        number: Number,
        /// When it is due.
        due: Timestamp,
    },
    /// The task does not repeat.
    #[error("cannot {verb} task {number}: it does not repeat")]
    NotSeries {
        /// What was wanted.
        verb: &'static str,
        /// The task.
        number: Number,
        /// The state.
        state: StateName,
    },
    /// A task that has rung cannot change between one time and a repeat.
    #[error("cannot edit task {number}: it has rung already, so it can no longer change between one time and a repeat")]
    KindChange {
        /// The task.
        number: Number,
        /// The state.
        state: StateName,
    },
    /// Too many wait for a task already.
    #[error("cannot let task {number} wait for {parent}: {limit} tasks wait for that already")]
    TooManyWait {
        /// The task.
        number: Number,
        /// What it was to wait for.
        parent: Number,
        /// How many may wait for one.
        limit: usize,
    },
    /// A task that repeats was given one time.
    #[error("cannot edit task {number}: it repeats, and one time would end that: expected a repetition")]
    OneTime {
        /// The task.
        number: Number,
        /// The state.
        state: StateName,
    },
    /// Something besides another time was asked of one time of a series.
    #[error("cannot edit this time only of task {number}: expected another time for it and nothing else")]
    TimeOnly {
        /// The task.
        number: Number,
        /// The state.
        state: StateName,
    },
    /// The other time of one occurrence lies where its successor has closed it.
    #[error("cannot edit this time only of task {number}: {at} is not before its next time, {successor}")]
    PastSuccessor {
        /// The task.
        number: Number,
        /// The state.
        state: StateName,
        /// The time that was asked for.
        at: Timestamp,
        /// When the next one is due.
        successor: Timestamp,
    },
    /// One time was asked of all that follow.
    #[error("cannot edit the following times of task {number}: expected a repetition, found one time")]
    FollowingOnce {
        /// The task.
        number: Number,
        /// The state.
        state: StateName,
    },
    /// The time given lies in the past.
    #[error("cannot {verb} task {number}: {at} has passed")]
    Past {
        /// What was wanted.
        verb: &'static str,
        /// The task.
        number: Number,
        /// The time.
        at: Timestamp,
    },
    /// The schedule has no time left.
    #[error("cannot {verb} task {number}: {source}")]
    Schedule {
        /// What was wanted.
        verb: &'static str,
        /// The task.
        number: Number,
        /// Why.
        source: ScheduleError,
    },
    /// The title is empty.
    #[error("cannot {verb} task {number}: expected a title, found nothing")]
    EmptyTitle {
        /// What was wanted.
        verb: &'static str,
        /// The task.
        number: Number,
    },
    /// It was deleted.
    #[error("cannot {verb} task {number}: it is deleted")]
    Deleted {
        /// What was wanted.
        verb: &'static str,
        /// The task.
        number: Number,
    },
    /// What was done to it cannot be taken back.
    #[error("cannot undo what was done to task {number}: {why}")]
    CannotUndo {
        /// The task.
        number: Number,
        /// Why, for people.
        why: &'static str,
    },
    /// Somebody has changed since what is to be taken back.
    #[error("cannot undo what was done to task {number}: its {field} has been changed since")]
    ChangedSince {
        /// The task.
        number: Number,
        /// What was changed, as people call it.
        field: &'static str,
    },
    /// The caller saw another version.
    #[error("cannot {verb} task {number}: it has changed (expected version {expected}, found {found})")]
    Stale {
        /// What was wanted.
        verb: &'static str,
        /// The task.
        number: Number,
        /// The version that the caller saw.
        expected: u64,
        /// The version now.
        found: u64,
    },
    /// The caller named an occurrence that is not the open one.
    #[error("cannot {verb} task {number}: occurrence {expected} is not the open one, that is {found}")]
    OtherOccurrence {
        /// What was wanted.
        verb: &'static str,
        /// The task.
        number: Number,
        /// The occurrence that the caller named.
        expected: OccurrenceName,
        /// The open occurrence.
        found: OccurrenceName,
    },
}

impl Rejection {
    /// Returns whether another change came first, so that the caller should look again.
    #[must_use]
    pub const fn is_conflict(&self) -> bool {
        match self {
            Self::Stale { .. } | Self::OtherOccurrence { .. } => true,
            Self::Ended { .. }
            | Self::NoCommand { .. }
            | Self::StillRuns { .. }
            | Self::CommandChange { .. }
            | Self::NotNow { .. }
            | Self::Waiting { .. }
            | Self::TooLateToWait { .. }
            | Self::WaitsForNone { .. }
            | Self::Cycle { .. }
            | Self::TooDeep { .. }
            | Self::TooManyWait { .. }
            | Self::Ahead { .. }
            | Self::NotSeries { .. }
            | Self::KindChange { .. }
            | Self::OneTime { .. }
            | Self::TimeOnly { .. }
            | Self::PastSuccessor { .. }
            | Self::FollowingOnce { .. }
            | Self::Past { .. }
            | Self::Schedule { .. }
            | Self::Deleted { .. }
            | Self::CannotUndo { .. }
            | Self::ChangedSince { .. }
            | Self::EmptyTitle { .. } => false,
        }
    }
}

fn first(number: Number, path: &[Number]) -> Number {
    path.first().copied().unwrap_or(number)
}

/// Tells a way from a task back to itself: `7 waits for 3, which waits for 7`.
fn told_path(number: Number, path: &[Number]) -> String {
    let mut told = number.to_string();
    for (index, next) in path.iter().chain([&number]).enumerate() {
        told.push_str(if index == 0 { " waits for " } else { ", which waits for " });
        told.push_str(&next.to_string());
    }
    told
}

fn outcome_word(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Done => "done",
        Outcome::Unanswered => "closed unanswered",
        Outcome::Undelivered => "closed undelivered",
        Outcome::RetriesExhausted => "closed, since no attempt at it succeeded",
        Outcome::Cancelled => "cancelled",
        Outcome::Skipped => "skipped",
    }
}

fn state_word(state: StateName) -> &'static str {
    match state {
        StateName::Created => "without a time",
        StateName::Pending => "scheduled",
        StateName::Running => "due",
        StateName::Suspended => "paused",
        StateName::Failed => "failed",
        StateName::Completed => "done",
        StateName::Cancelled => "cancelled",
    }
}
