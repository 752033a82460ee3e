//! What becomes of a task when the clock is set: what counts as so long from then moves with it, and after a step back a
//! series goes on from now instead of from where the wrong clock had led it (SPEC 5).

use crate::domain::command::Edit;
use crate::domain::event::Operation;
use crate::domain::occurrence::{Due, Instance, Nominal, Occurrence, OccurrenceKey, Slot};
use crate::domain::schedule::{AfterDone, Rule, move_local};
use crate::domain::state::{Snooze, State, Suspended};
use crate::domain::task::{DeadlineTime, Task};
use crate::domain::time::{Span, Timestamp, resolve};
use crate::domain::transition::ask;
use crate::domain::transition::steps::{Steps, deadline_of};

/// Follows a clock that was set by `by`.
///
/// A step forward needs no more than the moving: what it jumped over is missed, as by a machine that was off.
pub(super) fn clock_set(steps: &mut Steps<'_>, by: Span) {
    let mut moved = steps.occurrence().clone();
    move_durations(steps, &mut moved, by);
    if by < Span::ZERO {
        arm_again(steps, &mut moved);
    }
    if moved != *steps.occurrence() {
        steps.step(Operation::Moved(Box::new(moved)), "the clock was set");
    }
    if by < Span::ZERO && steps.task().is_series() {
        go_on_from_now(steps, by);
    }
}

/// Moves what was asked for as so long from then: snoozes, nags, and what counts from a completion. Countdowns are
/// times and stay, and so do the ends of pauses, which do not say how they were asked for, but of one that began by the
/// wrong clock.
fn move_durations(steps: &Steps<'_>, moved: &mut Occurrence, by: Span) {
    match &mut moved.state {
        State::Pending(pending) => {
            move_snooze(&mut pending.snooze, by);
            pending.retry_at = pending.retry_at.map(|at| at.saturating_add(by));
        }
        State::Suspended(suspended) => {
            move_snooze(&mut suspended.snooze, by);
            // One that was asked for by the wrong clock began later than now, and ends as long after that as it was to.
            if steps.now() < suspended.since {
                suspended.since = suspended.since.saturating_add(by);
                suspended.until = suspended.until.map(|until| until.saturating_add(by));
            }
        }
        State::Running(running) => {
            move_snooze(&mut running.snooze, by);
            let nags = steps.now_is.next_nag().is_some();
            // A nag that is asked for later counts from here too.
            let counts = |rang_at: &Timestamp| nags || steps.now() < *rang_at;
            running.rang_at = running.rang_at.map(|at| if counts(&at) { at.saturating_add(by) } else { at });
        }
        State::Created | State::Failed(_) | State::Completed(_) | State::Cancelled(_) => {}
    }
    if let Rule::AfterDone(rule) = &steps.task().schedule.rule {
        move_from_completion(steps, rule, moved, by);
    }
}

fn move_snooze(snooze: &mut Option<Snooze>, by: Span) {
    if let Some(snooze) = snooze.as_mut().filter(|snooze| snooze.is_duration) {
        snooze.until = snooze.until.saturating_add(by);
    }
}

/// The completion that it counts from moves with the clock, and so does what follows from it; the first of the rule has a
/// time of its own.
fn move_from_completion(steps: &Steps<'_>, rule: &AfterDone, moved: &mut Occurrence, by: Span) {
    // A time that a person gave it is a time, and stays.
    let (Some(due), OccurrenceKey::Nth(2..), None) = (moved.due, moved.key, moved.moved_from) else { return };
    let nominal = match due.nominal {
        Nominal::Instant(at) => Some(Nominal::Instant(at.saturating_add(by))),
        // At a fixed time of day only the dates move.
        Nominal::Local(local) => move_local(local, by, rule.at.is_some()).map(Nominal::Local),
    };
    let at = |nominal| match nominal {
        Nominal::Instant(at) => Some(at),
        Nominal::Local(local) => resolve(local, steps.zone()).map(|(at, _)| at),
    };
    let Some(due) = nominal.and_then(|nominal| Some(Due { nominal, at: at(nominal)? })) else { return };
    moved.due = Some(due);
    let is_of_due = |task: &Task| task.deadline.as_ref().is_some_and(|d| matches!(d.time, DeadlineTime::AfterDue(_)));
    if is_of_due(steps.task()) && !moved.is_past_deadline {
        moved.deadline = deadline_of(steps.task(), moved.due, steps.moment);
    }
}

/// What the wrong clock found missed, and what it found past its deadline, lies ahead again: it was not, and comes still.
fn arm_again(steps: &Steps<'_>, moved: &mut Occurrence) {
    let now = steps.now();
    if moved.deadline.is_some_and(|deadline| now < deadline.at) {
        moved.is_past_deadline = false;
    }
    let is_ahead = moved.due_at().is_some_and(|due| now < due);
    if let State::Pending(pending) = &mut moved.state
        && pending.is_missed
        && is_ahead
    {
        pending.is_missed = false;
        // It was missed before it became due, so nothing of its due has been said.
        let due_at = moved.due_at();
        let is_said = |slot: &Slot| match slot {
            Slot::Alert(offset) => !slot.is_of_due() || due_at.is_none_or(|due| due.saturating_add(*offset) <= now),
            Slot::Nag(_) | Slot::Deadline(_) => true,
        };
        moved.spoken.retain(is_said);
    }
}

/// A series whose open occurrence lies ahead of now goes on from now, minus what has come up already.
///
/// - Where the clock had passed over times that lie ahead again and have not come up, the first of them takes the open
///   one's place. Those that were ahead by the old clock too were left out by a person, and stay so.
/// - One that fired and now lies ahead is closed as by its successor. It stays where it will be due again within the
///   grace, since a clock that is corrected by seconds must not take away what was just said; where it is snoozed, since
///   the person waits for that; and where nothing follows.
/// - What counts from completions has no successor: one that fired waits to be closed.
fn go_on_from_now(steps: &mut Steps<'_>, by: Span) {
    let is_anchored_anew = anchor_anew(steps, by);
    let now = steps.now();
    // A person may have given it a time that is behind, though the rule's is ahead.
    let Some(due_at) = steps.occurrence().due_at().filter(|due| now < *due) else { return };
    let Some(present) = steps.occurrence().instance().filter(|present| now < present.due) else { return };
    let has_come_up = has_come_up(steps);
    let counts_completions = matches!(steps.task().schedule.rule, Rule::AfterDone(_));
    if counts_completions && (has_come_up || !is_anchored_anew || present.key != OccurrenceKey::Nth(1)) {
        return;
    }
    if has_come_up {
        steps.spend(&present);
    }
    let Some(next) = steps.next_behind(None) else { return };
    let passed_by = now.saturating_add(Span::from_millis(by.as_millis().saturating_neg()));
    let is_in_between = next.due < present.due && (is_anchored_anew || next.due <= passed_by);
    let is_far = due_at.since(now) > steps.moment.grace;
    if is_in_between || (is_far && is_due(steps)) {
        replace(steps, &next);
    }
}

fn has_come_up(steps: &Steps<'_>) -> bool {
    // What had spoken before it was moved is not to speak again under the same name.
    let spoke_before = steps.occurrence().moved_by.is_some();
    steps.has_spoken() || spoke_before || matches!(steps.state(), State::Running(_))
}

/// Returns whether it fired and waits for nothing but the person.
fn is_due(steps: &Steps<'_>) -> bool {
    match steps.state() {
        State::Running(running) => running.snooze.is_none(),
        State::Created
        | State::Pending(_)
        | State::Suspended(_)
        | State::Failed(_)
        | State::Completed(_)
        | State::Cancelled(_) => false,
    }
}

/// A rule that was given while the clock was wrong begins there: it is moved to where it would have begun. Returns whether
/// it was.
///
/// Only of a task that was added by the wrong clock is that known.
fn anchor_anew(steps: &mut Steps<'_>, by: Span) -> bool {
    // One that ends would come to its end by times that never were, where the clock is set forward again.
    if steps.task().created_at <= steps.now() || steps.task().schedule.has_end() {
        return false;
    }
    let Some(schedule) = steps.task().schedule.anchored_anew(by, steps.now(), steps.moment.zone) else { return false };
    let edit = Edit { schedule: Some(schedule), ..Edit::default() };
    steps.step(Operation::Edited(Box::new(edit)), "it was added while the clock was wrong");
    true
}

/// Ends the open occurrence, or withdraws it where it has not come up, and opens another; a pause stays.
fn replace(steps: &mut Steps<'_>, next: &Instance) {
    let paused = match steps.state() {
        State::Suspended(suspended) => Some(*suspended),
        State::Created | State::Pending(_) | State::Running(_) | State::Failed(_) => None,
        State::Completed(_) | State::Cancelled(_) => None,
    };
    let ends_turn = has_come_up(steps);
    if ends_turn {
        if paused.is_some() {
            let due = steps.occurrence().due;
            steps.step(Operation::Resumed { due, snooze: None }, "");
        }
        steps.close_unanswered();
    } else {
        steps.silence();
        steps.step(Operation::Withdrawn, "the clock was set back");
    }
    if ends_turn {
        steps.open_awake(next);
    } else {
        steps.reopen(next);
    }
    // Where it waits for another task, the pause ends with the old one.
    if !matches!(steps.state(), State::Pending(_)) {
        return;
    }
    let Some(paused) = paused else { return steps.sleep() };
    let remaining = ask::remaining(steps);
    steps.step(Operation::Suspended(Suspended { remaining, snooze: None, ..paused }), "it is paused");
}
