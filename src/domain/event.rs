//! The immutable record of one change, and how a task is rebuilt from such records alone.

use uuid::Uuid;

use crate::domain::command::Edit;
use crate::domain::delivery::Target;
use crate::domain::occurrence::{Due, FireId, Occurrence, Outcome, Slot};
use crate::domain::run::{Progress, RunEnd};
use crate::domain::schedule::Schedule;
use crate::domain::state::{Snooze, StateName, Suspended};
use crate::domain::task::{Task, TaskLink};
use crate::domain::time::Timestamp;
use crate::domain::waiting::{Parent, Waits};

pub use crate::domain::actor::Actor;
pub use crate::domain::replay::apply;

/// A task and its present occurrence, whole.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Snapshot {
    /// The task.
    pub task: Task,
    /// Its open occurrence, or its last where all have ended.
    pub occurrence: Occurrence,
}

/// The reason of the event that withdraws an occurrence since a person passed over it: that instance never comes back.
pub const SKIPPED: &str = "skipped";

/// What happened, with every value that is needed to do it again: undo and other devices replay it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Operation {
    /// The task was added, with its first occurrence, which is CREATED.
    Added(Box<Snapshot>),
    /// The next occurrence of a series came up, CREATED.
    Opened(Box<Occurrence>),
    /// CREATED → PENDING: it has a time.
    Armed,
    /// An alert spoke without changing the state (early, or after due).
    Spoke(Firing),
    /// PENDING → RUNNING: an alert spoke at or after due.
    Fired(Firing),
    /// PENDING → RUNNING with nothing sent.
    Started,
    /// The person saw it.
    Acked {
        /// Whether the person only closed what was shown; that does not end a nag.
        is_dismissal: bool,
    },
    /// → SUSPENDED.
    Suspended(Suspended),
    /// SUSPENDED → PENDING, to speak again.
    Snoozed {
        /// When, and what.
        snooze: Snooze,
        /// Alerts that fall into the snooze and will not speak.
        swallowed: Vec<Slot>,
    },
    /// SUSPENDED → PENDING.
    Resumed {
        /// The due, moved where the pause shifted it.
        due: Option<Due>,
        /// What is to speak besides the alerts that are ahead.
        snooze: Option<Snooze>,
    },
    /// Fields got new values.
    Edited(Box<Edit>),
    /// A person, the schedule or the zone gave the open occurrence another time; what had spoken may speak again.
    Moved(Box<Occurrence>),
    /// Its series ended: another task goes on with it from a time on.
    Followed {
        /// The other task.
        by: TaskLink,
        /// What is left of the schedule.
        schedule: Box<Schedule>,
    },
    /// RUNNING → FAILED.
    Failed,
    /// FAILED → PENDING.
    Retried {
        /// When its command is tried again; `None` where that failed for good and a person goes on with the task.
        at: Option<Timestamp>,
    },
    /// Its command was started.
    RunStarted {
        /// Counts the attempts at the occurrence, from 1.
        attempt: u32,
    },
    /// Its command says how far it is.
    Progressed(Progress),
    /// Its command runs no more.
    RunEnded {
        /// Counts the attempts at the occurrence, from 1.
        attempt: u32,
        /// How it ended.
        end: RunEnd,
    },
    /// RUNNING → COMPLETED.
    Completed(Outcome),
    /// → CANCELLED.
    Cancelled(Outcome),
    /// The open occurrence, which had not fired, was removed; the series goes on with another.
    Withdrawn,
    /// Instances of the rule behind the present one never came up: the machine was off, or the task was paused.
    PassedOver {
        /// How many.
        instances: u64,
        /// When the first of them was due.
        from: Timestamp,
        /// When the last of them was due.
        to: Timestamp,
    },
    /// Alerts of the open occurrence were missed and are not made up for.
    Missed {
        /// Which.
        slots: Vec<Slot>,
        /// When the first of them was to speak.
        from: Timestamp,
        /// When the last of them was to speak.
        to: Timestamp,
    },
    /// It was not done by its deadline.
    DeadlinePassed,
    /// What it waits for was set, or each of it is to be done anew before the next occurrence of a series.
    WaitsSet(Box<Waits>),
    /// A task that it waits for was done; where that now stands.
    ParentDone(Parent),
    /// A task that it waits for never will be done; where that now stands.
    ParentFailed(Parent),
    /// CREATED → PENDING: it waits for nothing any more. The occurrence is as it was before, with the due that it now has.
    Freed(Box<Occurrence>),
    /// The person said that it waits for no other task any more.
    Unblocked,
    /// It was removed from sight; for a while a person can bring it back.
    Deleted,
    /// A person took a change back: the task and its open occurrence are as they were before. The steps before it have led
    /// to the state that this has.
    Restored(Box<Snapshot>),
    /// A delivery was handed out again, after a crash or since a person asked for it: its target may have it twice.
    Resent {
        /// The firing.
        fire_id: FireId,
        /// The target.
        target: Target,
    },
    /// What it said is held for quiet hours until then; `None`: it is let go.
    Held {
        /// Until when.
        until: Option<Timestamp>,
    },
    /// A delivery was not sent, since its time was over before it could be.
    Expired {
        /// The firing.
        fire_id: FireId,
        /// The target.
        target: Target,
    },
}

/// One alert going off.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Firing {
    /// Its name on every device.
    pub fire_id: FireId,
    /// Which alert.
    pub slot: Slot,
    /// When it was to speak.
    pub nominal_at: Timestamp,
    /// Whether it spoke past grace.
    pub late: bool,
    /// Earlier alerts whose time had passed too: they do not speak any more.
    pub swallowed: Vec<Slot>,
}

impl Operation {
    /// Returns the word that SQL and the wire use, in the past tense.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Added(_) => "added",
            Self::Opened(_) => "opened",
            Self::Armed => "armed",
            Self::Spoke(_) => "spoke",
            Self::Fired(_) => "fired",
            Self::Started => "started",
            Self::Acked { .. } => "acked",
            Self::Suspended(_) => "suspended",
            Self::Snoozed { .. } => "snoozed",
            Self::Resumed { .. } => "resumed",
            Self::Edited(_) => "edited",
            Self::Moved(_) => "moved",
            Self::Followed { .. } => "followed",
            Self::Failed => "failed",
            Self::Retried { .. } => "retried",
            Self::RunStarted { .. } => "run_started",
            Self::Progressed(_) => "progressed",
            Self::RunEnded { .. } => "run_ended",
            Self::Completed(_) => "completed",
            Self::Cancelled(_) => "cancelled",
            Self::Withdrawn => "withdrawn",
            Self::PassedOver { .. } => "passed_over",
            Self::Missed { .. } => "missed",
            Self::DeadlinePassed => "deadline_passed",
            Self::WaitsSet(_) => "waits_set",
            Self::ParentDone(_) => "parent_done",
            Self::ParentFailed(_) => "parent_failed",
            Self::Freed(_) => "freed",
            Self::Unblocked => "unblocked",
            Self::Deleted => "deleted",
            Self::Restored(_) => "restored",
            Self::Resent { .. } => "resent",
            Self::Held { .. } => "held",
            Self::Expired { .. } => "expired",
        }
    }

    /// Returns how many times were skipped, the first and the last of them, where this says so.
    #[must_use]
    pub const fn skipped(&self) -> Option<(u64, Timestamp, Timestamp)> {
        match self {
            Self::PassedOver { instances, from, to } => Some((*instances, *from, *to)),
            Self::Missed { from, to, .. } => Some((1, *from, *to)),
            Self::Added(_)
            | Self::Opened(_)
            | Self::Armed
            | Self::Spoke(_)
            | Self::Fired(_)
            | Self::Started
            | Self::Acked { .. }
            | Self::Suspended(_)
            | Self::Snoozed { .. }
            | Self::Resumed { .. }
            | Self::Edited(_)
            | Self::Moved(_)
            | Self::Followed { .. }
            | Self::Failed
            | Self::Retried { .. }
            | Self::RunStarted { .. }
            | Self::Progressed(_)
            | Self::RunEnded { .. }
            | Self::Completed(_)
            | Self::Cancelled(_)
            | Self::Withdrawn
            | Self::DeadlinePassed
            | Self::WaitsSet(_)
            | Self::ParentDone(_)
            | Self::ParentFailed(_)
            | Self::Freed(_)
            | Self::Unblocked
            | Self::Deleted
            | Self::Restored(_)
            | Self::Resent { .. }
            | Self::Held { .. }
            | Self::Expired { .. } => None,
        }
    }

    /// Returns the firing, where this is one.
    #[must_use]
    pub const fn firing(&self) -> Option<&Firing> {
        match self {
            Self::Spoke(firing) | Self::Fired(firing) => Some(firing),
            Self::Added(_)
            | Self::Opened(_)
            | Self::Armed
            | Self::Started
            | Self::Acked { .. }
            | Self::Suspended(_)
            | Self::Snoozed { .. }
            | Self::Resumed { .. }
            | Self::Edited(_)
            | Self::Moved(_)
            | Self::Followed { .. }
            | Self::Failed
            | Self::Retried { .. }
            | Self::RunStarted { .. }
            | Self::Progressed(_)
            | Self::RunEnded { .. }
            | Self::Completed(_)
            | Self::Cancelled(_)
            | Self::Withdrawn
            | Self::PassedOver { .. }
            | Self::Missed { .. }
            | Self::DeadlinePassed
            | Self::WaitsSet(_)
            | Self::ParentDone(_)
            | Self::ParentFailed(_)
            | Self::Freed(_)
            | Self::Unblocked
            | Self::Deleted
            | Self::Restored(_)
            | Self::Resent { .. }
            | Self::Held { .. }
            | Self::Expired { .. } => None,
        }
    }

    /// Returns how the occurrence ended, where this ended it.
    #[must_use]
    pub const fn outcome(&self) -> Option<Outcome> {
        match self {
            Self::Completed(outcome) | Self::Cancelled(outcome) => Some(*outcome),
            Self::Added(_)
            | Self::Opened(_)
            | Self::Armed
            | Self::Spoke(_)
            | Self::Fired(_)
            | Self::Started
            | Self::Acked { .. }
            | Self::Suspended(_)
            | Self::Snoozed { .. }
            | Self::Resumed { .. }
            | Self::Edited(_)
            | Self::Moved(_)
            | Self::Followed { .. }
            | Self::Failed
            | Self::Retried { .. }
            | Self::RunStarted { .. }
            | Self::Progressed(_)
            | Self::RunEnded { .. }
            | Self::Withdrawn
            | Self::PassedOver { .. }
            | Self::Missed { .. }
            | Self::DeadlinePassed
            | Self::WaitsSet(_)
            | Self::ParentDone(_)
            | Self::ParentFailed(_)
            | Self::Freed(_)
            | Self::Unblocked
            | Self::Deleted
            | Self::Restored(_)
            | Self::Resent { .. }
            | Self::Held { .. }
            | Self::Expired { .. } => None,
        }
    }
}

/// The immutable record of one change.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Event {
    /// Its name on every device (`UUIDv7`).
    pub event_id: Uuid,
    /// The request or cause; events of one op were committed together.
    pub op_id: Uuid,
    /// The device on which it happened.
    pub device: Uuid,
    /// Who asked for it.
    pub actor: Actor,
    /// When it happened.
    pub at: Timestamp,
    /// What happened.
    pub operation: Operation,
    /// The state before; `None` where the occurrence is new.
    pub from: Option<StateName>,
    /// The state after; as before where the change is not one of state, `None` where the occurrence was removed.
    pub to: Option<StateName>,
    /// Why, for people; empty where the operation says it all.
    pub reason: String,
    /// The task and occurrence as they then were; of a withdrawn occurrence, as it was before.
    pub snapshot: Snapshot,
}

impl Event {
    /// Returns whether it is a firing past grace.
    #[must_use]
    pub fn is_late(&self) -> bool {
        self.operation.firing().is_some_and(|firing| firing.late)
    }
}
