//! What a task does that waits for others: it is set free, blocked, or ends with them.

use uuid::Uuid;

use crate::domain::delivery::DeliveryId;
use crate::domain::event::Operation;
use crate::domain::message::{Reason, blocked};
use crate::domain::occurrence::{Due, FireId, Instance, Nominal, Occurrence, Outcome};
use crate::domain::rejection::Rejection;
use crate::domain::schedule::Passed;
use crate::domain::state::State;
use crate::domain::time::Timestamp;
use crate::domain::transition::steps::{Steps, first_occurrence};
use crate::domain::transition::wake;
use crate::domain::waiting::{OnParentFail, ParentEnd, SetWaits, Wait, Waits};

/// Notes what became of a task that this one may wait for, and does what follows.
pub(super) fn parent_ended(steps: &mut Steps<'_>, end: &ParentEnd) {
    let is_waiting = steps.now_is.is_waiting();
    // One that was set free is not asked again, unless it has a next time that waits anew.
    if steps.occurrence().has_ended() || !is_waiting && !steps.task().is_series() {
        return;
    }
    let before = steps.task().waits.parents.iter().find(|parent| parent.id == end.parent).copied();
    let Some(before) = before else { return };
    let after = before.ended(end.wait, is_waiting);
    if after == before {
        return;
    }
    let was_blocked = steps.task().waits.is_blocked();
    match end.wait {
        Wait::Met(_) => steps.step(Operation::ParentDone(after), ""),
        Wait::Awaited | Wait::Failed(_) => steps.step(Operation::ParentFailed(after), ""),
    }
    settle(steps, steps.now());
    if !was_blocked {
        tell_where_blocked(steps);
    }
    wake::wake(steps);
}

/// Does what follows from where the tasks stand that a CREATED one waits for: nothing while any is awaited. `since` is when
/// it may come up at the earliest, whenever they were done.
pub(super) fn settle(steps: &mut Steps<'_>, since: Timestamp) {
    if !steps.now_is.is_waiting() {
        return;
    }
    let waits = &steps.task().waits;
    if waits.is_blocked() && waits.on_fail == OnParentFail::Cancel {
        steps.step(Operation::Cancelled(Outcome::Cancelled), "a task that it waits for will not be done");
    } else if waits.is_met() {
        let from = waits.free_from().map_or(since, |from| from.max(since));
        set_free(steps, from);
    }
}

/// Tells the person once that it waits for a task that never will be done, and how it goes on.
pub(super) fn tell_where_blocked(steps: &mut Steps<'_>) {
    if !steps.now_is.is_waiting() || !steps.task().waits.is_blocked() {
        return;
    }
    let name = format!("blocked|{}|{}", steps.occurrence().name(), steps.moment.op_id);
    let fire_id = FireId(Uuid::new_v5(&steps.task().id.0, name.as_bytes()));
    let message = blocked(steps.task());
    let occasion = steps.occasion(Reason::Blocked);
    for target in steps.targets() {
        steps.deliver(DeliveryId { fire_id, target }, message.clone(), occasion.clone());
    }
}

/// The person says that it waits for no other task any more: it comes up at its time, or at once.
pub(super) fn unblock(steps: &mut Steps<'_>) {
    // What is free already waits for nothing any more, but the next time of a series does.
    if steps.now_is.is_waiting() || goes_on(steps) {
        wait_for_none(steps);
    }
}

fn wait_for_none(steps: &mut Steps<'_>) {
    if steps.task().waits.is_none() {
        return;
    }
    let is_waiting = steps.now_is.is_waiting();
    steps.step(Operation::Unblocked, "");
    if is_waiting {
        set_free(steps, steps.now());
        wake::wake(steps);
    }
}

/// Sets what a task waits for anew; one that is armed and has not spoken waits from now on.
pub(super) fn set(steps: &mut Steps<'_>, set: &SetWaits) -> Result<(), Rejection> {
    if *set == SetWaits::default() {
        return Ok(());
    }
    let number = steps.task().number;
    let after = steps.task().waits.set(set);
    let is_to_wait = set.parents.as_ref().is_some_and(|parents| !parents.is_empty());
    if after.is_none() && (set.parents.is_none() || is_to_wait) {
        return Err(Rejection::WaitsForNone { number });
    }
    if after == steps.task().waits {
        return Ok(());
    }
    if after.is_none() {
        wait_for_none(steps);
        return Ok(());
    }
    match steps.state() {
        State::Created => steps.step(Operation::WaitsSet(Box::new(after)), ""),
        State::Pending(_) | State::Suspended(_) if bears_no_mark(steps) => {
            steps.step(Operation::WaitsSet(Box::new(after.caught_up())), "");
            disarm(steps);
        }
        // The open one is free; the next waits.
        State::Pending(_) | State::Suspended(_) | State::Running(_) | State::Failed(_) if goes_on(steps) => {
            steps.step(Operation::WaitsSet(Box::new(after)), "from its next time on");
            return Ok(());
        }
        state @ (State::Pending(_) | State::Suspended(_) | State::Running(_) | State::Failed(_)) => {
            return Err(Rejection::TooLateToWait { number, state: state.name() });
        }
        State::Completed(_) | State::Cancelled(_) => return Ok(()),
    }
    settle(steps, steps.now());
    Ok(())
}

/// Returns whether the open occurrence has not spoken and a person has asked nothing of it: then it can be created anew.
fn bears_no_mark(steps: &Steps<'_>) -> bool {
    let is_as_armed = match steps.state() {
        State::Pending(pending) => pending.snooze.is_none() && !pending.is_missed,
        // A pause of many holds for what is armed later as well; one of its own would be lost.
        State::Suspended(suspended) => steps.moment.standing.is_some_and(|pause| pause.id == suspended.id),
        State::Created | State::Running(_) | State::Failed(_) | State::Completed(_) | State::Cancelled(_) => false,
    };
    is_as_armed && !steps.has_spoken()
}

/// Returns whether the open occurrence of a series is left as it is, and its next one can be told to wait.
fn goes_on(steps: &Steps<'_>) -> bool {
    let is_asleep = matches!(steps.state(), State::Suspended(_)) && !steps.has_spoken();
    steps.task().is_series() && !is_asleep
}

/// The armed occurrence is created anew, under the same name.
fn disarm(steps: &mut Steps<'_>) {
    let present = steps.occurrence().clone();
    steps.step(Operation::Withdrawn, "it is to wait for another task");
    let fresh = first_occurrence(steps.task(), present.instance().as_ref(), &steps.spent, steps.moment);
    let Occurrence { generation, moved_by, successor_at, .. } = present;
    steps.step(Operation::Opened(Box::new(Occurrence { generation, successor_at, moved_by, ..fresh })), "");
}

/// The next occurrence of a series that waits was opened: each task that may be done again is to be done anew, where the
/// occurrence before was free.
pub(super) fn begin_turn(steps: &mut Steps<'_>) {
    let anew = steps.task().waits.anew();
    wait_by(steps, anew, "each of its times waits anew");
}

/// An occurrence was opened in the place of another, and the task was told meanwhile to wait: it begins with that.
pub(super) fn begin_to_wait(steps: &mut Steps<'_>) {
    let caught_up = steps.task().waits.caught_up();
    wait_by(steps, caught_up, "what became of those since it was told to wait counts");
}

fn wait_by(steps: &mut Steps<'_>, waits: Waits, reason: &'static str) {
    let was_blocked = steps.task().waits.is_blocked();
    if waits != steps.task().waits {
        steps.step(Operation::WaitsSet(Box::new(waits)), reason);
    }
    settle(steps, Timestamp::MIN);
    if !was_blocked {
        tell_where_blocked(steps);
    }
}

/// A CREATED occurrence waits for nothing any more: it is due at its time, but not before `from`; without a time it is due
/// then, or at once.
///
/// What passed while it waited was missed by nobody, so it is on time. Of a series only the latest instance that is due by
/// then comes up.
fn set_free(steps: &mut Steps<'_>, from: Timestamp) {
    if steps.task().is_series() {
        pass_over_until(steps, from);
    }
    let present = steps.occurrence().clone();
    let due = match present.due {
        Some(due) if due.at >= from => due,
        // A series keeps the kind of its times, since its next ones count from them.
        Some(Due { nominal: Nominal::Local(_), .. }) if steps.task().is_series() => {
            Due { nominal: Nominal::Local(from.local(steps.zone())), at: from }
        }
        Some(_) => Due { nominal: Nominal::Instant(from), at: from },
        None => {
            let at = from.max(steps.now());
            Due { nominal: Nominal::Instant(at), at }
        }
    };
    let instance = Instance { key: present.key, nominal: due.nominal, due: due.at };
    let fresh = steps.occurrence_of(&instance);
    let by_rule = present.instance().filter(|_| present.successor_at.is_some());
    let successor_at = by_rule.and_then(|by_rule| steps.successor_of(&by_rule, due));
    let Occurrence { generation, moved_by, .. } = present;
    let freed = Occurrence { generation, successor_at, moved_by, ..fresh };
    steps.step(Operation::Freed(Box::new(freed)), "");
    steps.sleep();
}

/// Puts the latest instance that is due by `from` in the place of an earlier one that still waits.
fn pass_over_until(steps: &mut Steps<'_>, from: Timestamp) {
    let Some(present) = steps.occurrence().instance() else { return };
    let Some((latest, between)) = steps.latest_due_by(&present, from) else { return };
    wake::pass_over(steps, Passed::one(present.due).and(between), "it waited for another task");
    steps.step(steps.removal(), "passed over");
    let occurrence = steps.occurrence_of(&latest);
    steps.step(Operation::Opened(Box::new(occurrence)), "");
}
