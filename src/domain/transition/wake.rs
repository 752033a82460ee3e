//! What the clock brings: alerts, snoozes that are over, pauses that end by themselves, successors.

use crate::domain::event::Operation;
use crate::domain::occurrence::{Instance, Slot};
use crate::domain::state::{Snooze, State};
use crate::domain::time::Timestamp;
use crate::domain::transition::steps::Steps;
use crate::domain::transition::{ask, report};

/// Does whatever is due by now; nothing where nothing is. Afterwards the next wake lies ahead.
pub(super) fn wake(steps: &mut Steps<'_>) {
    match steps.state().clone() {
        State::Suspended(suspended) => {
            if suspended.until.is_some_and(|until| until <= steps.now()) {
                ask::resume(steps, false);
            }
        }
        State::Pending(_) | State::Running(_) if steps.is_succeeded() => succeed(steps),
        State::Pending(pending) => speak(steps, pending.snooze),
        State::Running(running) => speak(steps, running.snooze),
        State::Created | State::Failed(_) | State::Completed(_) | State::Cancelled(_) => {}
    }
}

/// The successor is due: the open occurrence is closed, or withdrawn where it never rang, and the latest instance that
/// is due by now rings. Those in between were missed and are passed over.
fn succeed(steps: &mut Steps<'_>) {
    let present = steps.occurrence().instance().expect("only an occurrence with a time has a successor");
    let now = steps.now();
    let latest = steps.task().schedule.latest_by(&present, now, steps.moment.zone);
    // One without alerts comes up in silence.
    let has_come_up = steps.has_spoken() || matches!(steps.state(), State::Running(_));
    let missed = latest.map_or(0, |(_, between)| between) + u64::from(!has_come_up);
    pass_over(steps, missed);
    if has_come_up {
        steps.close_unanswered();
    } else {
        steps.silence();
    }
    // Without a latest one the zone has moved under the rule: go on with what lies ahead.
    let next = latest.map(|(instance, _)| instance).or_else(|| steps.next_instance());
    if !steps.occurrence().has_ended() {
        ask::withdraw_or_end(steps, next.is_some());
    }
    if let Some(next) = next {
        steps.open(&next);
        wake(steps);
    }
}

/// Returns what a series goes on with once its open occurrence is closed by a person: the latest instance that is due by
/// now and rings, else the first ahead. Those between are passed over.
///
/// A person's word and the clock may meet in one batch; what came due just before the word is not lost by it.
pub(super) fn take_next(steps: &mut Steps<'_>) -> Option<Instance> {
    let overdue = match steps.task().cursor.filter(|_| steps.is_succeeded()) {
        Some(present) => steps.task().schedule.latest_by(&present, steps.now(), steps.moment.zone),
        None => None,
    };
    match overdue {
        Some((instance, between)) => {
            pass_over(steps, between);
            Some(instance)
        }
        None => steps.next_instance(),
    }
}

/// Notes instances that never came up.
pub(super) fn pass_over(steps: &mut Steps<'_>, instances: u64) {
    if instances > 0 {
        let by = steps.now();
        steps.step(Operation::PassedOver { instances, by }, "missed");
        steps.pass_over(instances);
    }
}

/// Speaks the latest alert whose time has come, or the snooze; earlier ones of the same moment are swallowed by it.
fn speak(steps: &mut Steps<'_>, snooze: Option<Snooze>) {
    let now = steps.now();
    let mut overdue: Vec<(Slot, Timestamp)> = steps.now_is.alerts_ahead().filter(|(_, at)| *at <= now).collect();
    overdue.sort_by_key(|(_, at)| *at);
    let latest = overdue.pop();
    let swallowed: Vec<Slot> = overdue.into_iter().map(|(slot, _)| slot).collect();
    let snooze = snooze.filter(|snooze| snooze.until <= now);
    match (latest, snooze) {
        (Some((slot, at)), Some(snooze)) if snooze.until < at => steps.ring(slot, None, at, swallowed),
        (Some((slot, at)), None) => steps.ring(slot, None, at, swallowed),
        (latest, Some(snooze)) => {
            let swallowed = swallowed.into_iter().chain(latest.map(|(slot, _)| slot)).collect();
            // What a pause left over was due when it was due; a chosen time is the time.
            let due = steps.occurrence().due_at().filter(|_| !snooze.is_chosen);
            steps.ring(snooze.slot, Some(snooze), due.unwrap_or(snooze.until).min(snooze.until), swallowed);
        }
        (None, None) => {
            let is_due = steps.occurrence().due_at().is_some_and(|due| due <= now);
            let waits = matches!(steps.state(), State::Pending(pending) if pending.snooze.is_none());
            if is_due && waits {
                steps.step(Operation::Started, "it has no alert at due");
                // A snooze may have said all of it already, where the clock was set back.
                report::end_where_all_are_over(steps);
            }
        }
    }
}
