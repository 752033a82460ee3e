//! The immutable record of one change, and how a task is rebuilt from such records alone.

use uuid::Uuid;

use crate::domain::command::Edit;
use crate::domain::delivery::Target;
use crate::domain::occurrence::{Due, FireId, Occurrence, Outcome, Slot};
use crate::domain::schedule::Schedule;
use crate::domain::state::{Ended, Failed, Pending, Running, Snooze, State, StateName, Suspended};
use crate::domain::task::{Task, TaskLink};
use crate::domain::time::Timestamp;
use crate::domain::waiting::{Parent, Waits};

pub use crate::domain::actor::Actor;

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
    Retried,
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
            Self::Retried => "retried",
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
            | Self::Retried
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
            | Self::Retried
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
            | Self::Retried
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

/// Returns the snapshot after `operation`; this is how events rebuild a task, and how [`transition`] makes each step.
///
/// `None` where the operation does not fit: a first operation that is not `Added`, or one whose state is not as it
/// must be. Events of this program always fit; those of another device or a damaged file may not.
///
/// [`transition`]: crate::domain::transition::transition
#[must_use]
pub fn apply(before: Option<&Snapshot>, operation: &Operation, at: Timestamp, version: u64) -> Option<Snapshot> {
    let mut after = match (before, operation) {
        (None, Operation::Added(first)) => return Some((**first).clone()),
        (Some(_), Operation::Added(_)) | (None, _) => return None,
        (Some(before), _) => before.clone(),
    };
    after.task.version = version;
    after.task.updated_at = at;
    match operation {
        Operation::Opened(occurrence) | Operation::Moved(occurrence) => open(&mut after, occurrence),
        Operation::Edited(edit) => {
            count_nag_anew(&mut after, edit, at);
            edit_task(&mut after.task, edit);
        }
        Operation::Followed { by, schedule } => {
            after.task.schedule = (**schedule).clone();
            after.task.followed_by = Some(*by);
            after.occurrence.successor_at = None;
        }
        Operation::WaitsSet(waits) => after.task.waits = (**waits).clone(),
        Operation::ParentDone(parent) | Operation::ParentFailed(parent) => {
            *after.task.waits.parents.iter_mut().find(|known| known.id == parent.id)? = *parent;
        }
        Operation::Unblocked => after.task.waits = Waits::default(),
        Operation::Deleted => after.task.deleted_at = Some(at),
        Operation::Restored(restored) => restore(&mut after, restored)?,
        Operation::Added(_) => return None,
        Operation::Armed
        | Operation::Spoke(_)
        | Operation::Fired(_)
        | Operation::Started
        | Operation::Acked { .. }
        | Operation::Suspended(_)
        | Operation::Snoozed { .. }
        | Operation::Resumed { .. }
        | Operation::Failed
        | Operation::Retried
        | Operation::Completed(_)
        | Operation::Cancelled(_)
        | Operation::Withdrawn
        | Operation::PassedOver { .. }
        | Operation::Missed { .. }
        | Operation::DeadlinePassed
        | Operation::Freed(_)
        | Operation::Resent { .. }
        | Operation::Held { .. }
        | Operation::Expired { .. } => {
            after.occurrence.state = next_state(&after.occurrence.state, operation, at)?;
            note_alerts(&mut after.occurrence, operation);
        }
    }
    Some(after)
}

/// Returns the state after an operation that is one of state, `None` where the operation does not fit.
#[expect(clippy::too_many_lines, reason = "one match shows every pair of state and operation at once (I2)")]
fn next_state(state: &State, operation: &Operation, at: Timestamp) -> Option<State> {
    let next = match (state, operation) {
        (State::Created, Operation::Armed | Operation::Freed(_)) => State::Pending(Pending::default()),
        (State::Pending(pending), Operation::Spoke(_)) => {
            State::Pending(Pending { snooze: still_ahead(pending.snooze, at), ..*pending })
        }
        // What speaks again is to be seen again.
        (State::Running(running), Operation::Spoke(firing)) => State::Running(Running {
            rang_at: Some(at),
            nags: running.nags + u32::from(matches!(firing.slot, Slot::Nag(_))),
            acked_at: None,
            snooze: still_ahead(running.snooze, at),
            held_until: None,
            ..*running
        }),
        (State::Pending(pending), Operation::Fired(firing)) => {
            let snooze = still_ahead(pending.snooze, at);
            State::Running(Running { rang_at: Some(at), late: firing.late, snooze, ..Running::silent(at) })
        }
        (State::Pending(_), Operation::Started) => State::Running(Running::silent(at)),
        (State::Running(running), Operation::Acked { is_dismissal }) => {
            let is_hushed = running.is_hushed || !is_dismissal;
            State::Running(Running { acked_at: Some(at), is_hushed, held_until: None, ..*running })
        }
        (State::Pending(pending), Operation::Acked { .. }) => State::Pending(*pending),
        (State::Pending(_) | State::Running(_), Operation::Suspended(suspended)) => State::Suspended(*suspended),
        (State::Suspended(_), Operation::Snoozed { snooze, .. }) => {
            State::Pending(Pending { snooze: Some(*snooze), is_missed: false })
        }
        (State::Suspended(_), Operation::Resumed { snooze, .. }) => {
            State::Pending(Pending { snooze: *snooze, is_missed: false })
        }
        (State::Running(_), Operation::Failed) => State::Failed(Failed { at }),
        (State::Failed(_), Operation::Retried) => State::Pending(Pending::default()),
        (State::Running(_), Operation::Completed(outcome)) => State::Completed(Ended { at, outcome: *outcome }),
        (
            State::Created | State::Pending(_) | State::Suspended(_) | State::Failed(_),
            Operation::Cancelled(outcome),
        ) => State::Cancelled(Ended { at, outcome: *outcome }),
        // A series goes on with another occurrence; a one-shot has no other, and waits for the person.
        (State::Pending(pending), Operation::Missed { slots, .. }) => {
            let is_missed = pending.is_missed || slots.contains(&Slot::DUE);
            State::Pending(Pending { is_missed, ..*pending })
        }
        // While it is held it does not nag: that counts from when it is told.
        (State::Running(running), Operation::Held { until }) => {
            let rang_at = if until.is_none() { running.rang_at.map(|_| at) } else { running.rang_at };
            State::Running(Running { held_until: *until, rang_at, ..*running })
        }
        (
            state,
            Operation::Withdrawn
            | Operation::PassedOver { .. }
            | Operation::Missed { .. }
            | Operation::DeadlinePassed
            | Operation::Resent { .. }
            | Operation::Held { .. }
            | Operation::Expired { .. },
        ) => state.clone(),
        (
            _,
            Operation::Added(_)
            | Operation::Opened(_)
            | Operation::Armed
            | Operation::Spoke(_)
            | Operation::Fired(_)
            | Operation::Started
            | Operation::Acked { .. }
            | Operation::Suspended(_)
            | Operation::Snoozed { .. }
            | Operation::Resumed { .. }
            | Operation::Edited(_)
            | Operation::Moved(_)
            | Operation::Followed { .. }
            | Operation::Failed
            | Operation::Retried
            | Operation::WaitsSet(_)
            | Operation::ParentDone(_)
            | Operation::ParentFailed(_)
            | Operation::Freed(_)
            | Operation::Unblocked
            | Operation::Deleted
            | Operation::Restored(_)
            | Operation::Completed(_)
            | Operation::Cancelled(_),
        ) => return None,
    };
    Some(next)
}

/// Notes which alerts have spoken or will not, and a due that a pause moved.
fn note_alerts(occurrence: &mut Occurrence, operation: &Operation) {
    match operation {
        Operation::Spoke(firing) | Operation::Fired(firing) => mark_spoken(occurrence, firing),
        Operation::Snoozed { swallowed: slots, .. } | Operation::Missed { slots, .. } => pass_over(occurrence, slots),
        Operation::Resumed { due, .. } => occurrence.due = *due,
        Operation::DeadlinePassed => occurrence.is_past_deadline = true,
        // It had rung, and the clock was set back since: what nags counts from here.
        Operation::Started if occurrence.spoken.contains(&Slot::DUE) => {
            if let State::Running(running) = &mut occurrence.state {
                running.rang_at = Some(running.fired_at);
            }
        }
        Operation::Freed(freed) => {
            let state = occurrence.state.clone();
            *occurrence = Occurrence { state, ..(**freed).clone() };
        }
        Operation::Added(_)
        | Operation::Opened(_)
        | Operation::Armed
        | Operation::Started
        | Operation::Acked { .. }
        | Operation::Suspended(_)
        | Operation::Edited(_)
        | Operation::Moved(_)
        | Operation::Followed { .. }
        | Operation::Failed
        | Operation::Retried
        | Operation::Completed(_)
        | Operation::Cancelled(_)
        | Operation::Withdrawn
        | Operation::PassedOver { .. }
        | Operation::WaitsSet(_)
        | Operation::ParentDone(_)
        | Operation::ParentFailed(_)
        | Operation::Unblocked
        | Operation::Deleted
        | Operation::Restored(_)
        | Operation::Resent { .. }
        | Operation::Held { .. }
        | Operation::Expired { .. } => {}
    }
}

/// Puts another occurrence in the place of the present one, or moves that.
fn open(snapshot: &mut Snapshot, occurrence: &Occurrence) {
    let present = &snapshot.occurrence;
    if present.name() != occurrence.name() {
        // One that was withdrawn leaves no outcome: the one before the next is then nobody's.
        snapshot.task.previous = match &present.state {
            State::Completed(ended) | State::Cancelled(ended) => {
                snapshot.task.last_ended = present.instance();
                Some(ended.outcome)
            }
            State::Created | State::Pending(_) | State::Running(_) | State::Suspended(_) | State::Failed(_) => None,
        };
    }
    snapshot.task.cursor = occurrence.instance();
    snapshot.occurrence = occurrence.clone();
}

/// Makes the task and its open occurrence what they were. `None` where that is another occurrence, or in another state.
fn restore(after: &mut Snapshot, restored: &Snapshot) -> Option<()> {
    let (is, was) = (&after.occurrence, &restored.occurrence);
    let fits = is.name() == was.name() && is.state.name() == was.state.name() && after.task.id == restored.task.id;
    let Task { version, updated_at, .. } = after.task;
    *after = fits.then(|| restored.clone())?;
    after.task.version = version;
    after.task.updated_at = updated_at;
    Some(())
}

fn mark_spoken(occurrence: &mut Occurrence, firing: &Firing) {
    match firing.slot {
        // A nag repeats what spoke; a snooze of it repeats the same.
        Slot::Nag(n) => occurrence.nags = n,
        Slot::Alert(_) | Slot::Deadline(_) => occurrence.last_spoken = Some(firing.slot),
    }
    // A snooze may say it before its own time, and does not take that away.
    let own_time = occurrence.time_of(firing.slot);
    if own_time.is_some_and(|at| at <= firing.nominal_at) {
        pass_over(occurrence, &[firing.slot]);
    }
    pass_over(occurrence, &firing.swallowed);
}

/// A snooze is over once its time has come; one that is still ahead stays.
fn still_ahead(snooze: Option<Snooze>, at: Timestamp) -> Option<Snooze> {
    snooze.filter(|snooze| snooze.until > at)
}

fn pass_over(occurrence: &mut Occurrence, slots: &[Slot]) {
    occurrence.spoken.extend_from_slice(slots);
    occurrence.spoken.sort_unstable();
    occurrence.spoken.dedup();
}

/// Who says "every ten minutes" of what rang an hour ago means ten minutes from now.
fn count_nag_anew(snapshot: &mut Snapshot, edit: &Edit, at: Timestamp) {
    let before = snapshot.task.policy.nag.map(|nag| nag.every);
    if let (Some(Some(nag)), State::Running(running)) = (edit.nag, &mut snapshot.occurrence.state)
        && before != Some(nag.every)
    {
        running.rang_at = running.rang_at.map(|_| at);
    }
}

/// Gives a task the new values.
pub(in crate::domain) fn edit_task(task: &mut Task, edit: &Edit) {
    let set = edit.clone();
    let details = &mut task.details;
    details.title = set.title.unwrap_or_else(|| std::mem::take(&mut details.title));
    details.notes = set.notes.unwrap_or_else(|| std::mem::take(&mut details.notes));
    details.link = set.link.unwrap_or_else(|| details.link.take());
    details.priority = set.priority.unwrap_or(details.priority);
    details.tags = set.tags.unwrap_or_else(|| std::mem::take(&mut details.tags));
    details.metadata = set.metadata.unwrap_or_else(|| std::mem::take(&mut details.metadata));
    details.targets = set.targets.unwrap_or_else(|| std::mem::take(&mut details.targets));
    details.max_retries = set.max_retries.unwrap_or(details.max_retries);
    details.max_late = set.max_late.unwrap_or(details.max_late);
    if let Some(schedule) = set.schedule {
        task.schedule = schedule;
    }
    if let Some(alerts) = set.alerts {
        task.alerts = alerts;
    }
    if let Some(deadline) = set.deadline {
        task.deadline = deadline;
    }
    let policy = &mut task.policy;
    policy.missed = set.missed.unwrap_or(policy.missed);
    policy.nag = set.nag.unwrap_or(policy.nag);
    policy.auto_done = set.auto_done.unwrap_or(policy.auto_done);
}
