//! How a task is rebuilt from its events alone: what each operation makes of the task and its occurrence.

use crate::domain::command::Edit;
use crate::domain::event::{Firing, Operation, Snapshot};
use crate::domain::occurrence::{Occurrence, Slot};
use crate::domain::state::{Ended, Failed, Pending, Running, Snooze, State};
use crate::domain::task::Task;
use crate::domain::time::Timestamp;
use crate::domain::waiting::Waits;

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
        | Operation::Retried { .. }
        | Operation::RunStarted { .. }
        | Operation::Progressed(_)
        | Operation::RunEnded { .. }
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
            State::Pending(Pending { snooze: Some(*snooze), is_missed: false, retry_at: None })
        }
        (State::Suspended(_), Operation::Resumed { snooze, .. }) => {
            State::Pending(Pending { snooze: *snooze, is_missed: false, retry_at: None })
        }
        (State::Running(_), Operation::Failed) => State::Failed(Failed { at }),
        (State::Failed(_), Operation::Retried { at }) => {
            State::Pending(Pending { retry_at: *at, ..Pending::default() })
        }
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
            | Operation::RunStarted { .. }
            | Operation::Progressed(_)
            | Operation::RunEnded { .. }
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
            | Operation::Retried { .. }
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
        | Operation::Retried { .. }
        | Operation::RunStarted { .. }
        | Operation::Progressed(_)
        | Operation::RunEnded { .. }
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
        // A nag repeats what spoke; a snooze of it repeats the same. Where that came back in silence, it speaks first.
        Slot::Nag(n) => {
            occurrence.nags = n;
            occurrence.last_spoken = occurrence.last_spoken.or(Some(Slot::DUE));
        }
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
    details.command = set.command.unwrap_or_else(|| details.command.take());
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
