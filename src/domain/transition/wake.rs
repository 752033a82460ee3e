//! What the clock brings: alerts, snoozes that are over, pauses that end by themselves, successors.

use crate::domain::event::Operation;
use crate::domain::occurrence::{Instance, Occurrence, Outcome, Slot};
use crate::domain::schedule::Passed;
use crate::domain::state::{Snooze, State};
use crate::domain::task::Missed;
use crate::domain::time::{Span, Timestamp};
use crate::domain::transition::steps::Steps;
use crate::domain::transition::{ask, report, run};

/// Does whatever is due by now; nothing where nothing is. Afterwards the next wake lies ahead.
pub(super) fn wake(steps: &mut Steps<'_>) {
    pass_deadline(steps);
    match steps.state().clone() {
        State::Suspended(suspended) => {
            if suspended.is_this_only && steps.is_succeeded() {
                succeed_paused(steps);
            } else if suspended.until.is_some_and(|until| until <= steps.now()) {
                match steps.moment.standing {
                    // What is armed while many are paused goes to sleep too.
                    Some(pause) => ask::sleep_on(steps, pause),
                    None => ask::resume(steps, false),
                }
            }
        }
        State::Running(_) if steps.is_succeeded() && run::overlap(steps) => {}
        State::Pending(pending) if pending.retry_at.is_some() => {
            if steps.is_succeeded() {
                run::give_up(steps);
            } else if pending.retry_at.is_some_and(|at| at <= steps.now()) {
                run::try_again(steps);
            }
        }
        State::Pending(pending) if steps.is_succeeded() && is_each_run(steps) => speak(steps, pending.snooze),
        State::Pending(_) | State::Running(_) if steps.is_succeeded() => {
            if rings_late_itself(steps) {
                hold_on(steps);
                wake(steps);
            } else {
                succeed(steps);
            }
        }
        State::Pending(pending) => speak(steps, pending.snooze),
        State::Running(running) => speak(steps, running.snooze),
        State::Created | State::Failed(_) | State::Completed(_) | State::Cancelled(_) => {}
    }
}

/// Tells the person of times that were missed and are not made up for, where nothing that rings now says so itself.
pub(super) fn tell_of_skips(steps: &mut Steps<'_>) {
    if let Some(skip) = steps.skips().filter(|_| !steps.has_rung()) {
        steps.tell_of_skip(&skip);
    }
}

/// Notes that the deadline of what is not done has passed, once. Its alert is one like any other.
fn pass_deadline(steps: &mut Steps<'_>) {
    let is_open = matches!(steps.state(), State::Pending(_) | State::Running(_) | State::Suspended(_));
    if is_open && steps.now_is.deadline_ahead().is_some_and(|at| at <= steps.now()) {
        steps.step(Operation::DeadlinePassed, "");
    }
}

/// Returns why something that was to be said at `at` is not said any more; `None` where it is, late or not (SPEC 4,
/// Missed).
fn why_skipped(steps: &Steps<'_>, at: Timestamp) -> Option<&'static str> {
    let late = steps.now().since(at);
    if late <= steps.moment.grace {
        None
    } else if steps.task().policy.missed == Missed::Skip {
        Some("missed, and it is not made up for")
    } else if steps.task().details.max_late.is_some_and(|max| max < late) {
        Some("missed, and by more than it may be late")
    } else {
        None
    }
}

/// Returns whether each time that was missed is run.
fn is_each_run(steps: &Steps<'_>) -> bool {
    steps.has_command() && steps.task().policy.missed == Missed::All
}

/// Returns whether the open occurrence has not come up, though its time has come, and is the latest that was missed: it
/// rings late, before the successor that would only speak early.
fn rings_late_itself(steps: &Steps<'_>) -> bool {
    let Some(due) = steps.occurrence().due_at().filter(|_| !steps.has_come_up()) else { return false };
    let present = steps.occurrence().instance().expect("an occurrence with a time is one of an instance");
    let waits = matches!(steps.state(), State::Pending(pending) if !pending.is_missed && pending.snooze.is_none());
    let has_successor_come = steps.successor_due(&present).is_some_and(|next| next <= steps.now());
    due <= steps.now() && waits && !has_successor_come && why_skipped(steps, due).is_none()
}

/// It is closed once its successor is due: what that would have said early is not said.
fn hold_on(steps: &mut Steps<'_>) {
    let present = steps.occurrence().instance().expect("an occurrence with a time is one of an instance");
    let successor_at = steps.successor_due(&present);
    let occurrence = Occurrence { successor_at, ..steps.occurrence().clone() };
    steps
        .step(Operation::Moved(Box::new(occurrence)), "it rings late, in place of an early alert of the one behind it");
}

/// The successor takes over: the open occurrence is closed, or withdrawn where it never rang, and the latest instance that
/// is due by now rings. Those in between were missed and are passed over.
fn succeed(steps: &mut Steps<'_>) {
    let present = steps.occurrence().instance().expect("only an occurrence with a time has a successor");
    let unsaid = if steps.has_come_up() { Passed::NONE } else { Passed::one(present.due) };
    succeed_with(steps, &present, unsaid);
}

/// As [`succeed`] for an occurrence that alone is paused: it is passed over for that, and its series goes on.
pub(super) fn succeed_paused(steps: &mut Steps<'_>) {
    let due = steps.occurrence().due;
    steps.step(Operation::Resumed { due, snooze: None }, "its successor is due");
    let present = steps.occurrence().instance().expect("only an occurrence with a time has a successor");
    if !steps.has_come_up() {
        pass_over(steps, Passed::one(present.due), "it was paused");
    }
    succeed_with(steps, &present, Passed::NONE);
}

fn succeed_with(steps: &mut Steps<'_>, present: &Instance, unsaid: Passed) {
    let has_come_up = steps.has_come_up();
    let next = go_on(steps, present, unsaid);
    if has_come_up {
        steps.close_unanswered();
    } else {
        steps.silence();
        ask::withdraw_or_end(steps, next.is_some());
    }
    if let Some(next) = next {
        steps.open(&next);
        wake(steps);
    }
}

/// Returns what a series goes on with behind `present`: the latest instance that is due by now and rings, else the first
/// ahead. Those between, and what was `unsaid` before, are passed over.
fn go_on(steps: &mut Steps<'_>, present: &Instance, unsaid: Passed) -> Option<Instance> {
    steps.take_over();
    let latest = steps.latest_behind(present);
    // Without a latest one the successor only speaks early, or the zone has moved under the rule.
    let Some((latest, between)) = latest else {
        pass_over(steps, unsaid, "missed");
        return steps.next_instance();
    };
    if let Some(why) = why_skipped(steps, latest.due) {
        pass_over(steps, unsaid.and(between).and(Passed::one(latest.due)), why);
        return steps.next_instance();
    }
    pass_over(steps, unsaid.and(between), "missed");
    Some(latest)
}

/// Returns what a series goes on with once its open occurrence is closed by a person, as [`go_on`] says.
///
/// A person's word and the clock may meet in one batch; what came due just before the word is not lost by it.
pub(super) fn take_next(steps: &mut Steps<'_>) -> Option<Instance> {
    match steps.task().cursor.filter(|_| steps.is_succeeded()) {
        Some(present) => go_on(steps, &present, Passed::NONE),
        None => steps.next_instance(),
    }
}

/// Notes instances that never came up.
pub(super) fn pass_over(steps: &mut Steps<'_>, passed: Passed, why: &'static str) {
    if let Some((from, to)) = passed.range {
        steps.step(Operation::PassedOver { instances: passed.instances, from, to }, why);
        steps.pass_over(passed.instances);
    }
}

/// Speaks the latest alert whose time has come, or the snooze, or a nag; earlier ones of the same moment are swallowed
/// by it.
fn speak(steps: &mut Steps<'_>, snooze: Option<Snooze>) {
    let now = steps.now();
    let snooze = snooze.filter(|snooze| snooze.until <= now);
    if snooze.is_none() && miss(steps, &overdue(steps)) {
        return;
    }
    let mut overdue = overdue(steps);
    let latest = overdue.pop();
    let swallowed: Vec<Slot> = overdue.into_iter().map(|(slot, _)| slot).collect();
    match (latest, snooze) {
        (Some((slot, at)), Some(snooze)) if snooze.until < at => steps.ring(slot, None, at, swallowed),
        (Some((slot, at)), None) => steps.ring(slot, None, at, swallowed),
        (latest, Some(snooze)) => {
            let swallowed = swallowed.into_iter().chain(latest.map(|(slot, _)| slot)).collect();
            // What a pause left over was due when it was due; a chosen time is the time.
            let due = steps.occurrence().due_at().filter(|_| !snooze.is_chosen);
            steps.ring(snooze.slot, Some(snooze), due.unwrap_or(snooze.until).min(snooze.until), swallowed);
        }
        (None, None) => speak_unasked(steps),
    }
}

/// Returns the alerts whose time has come, the latest last.
fn overdue(steps: &Steps<'_>) -> Vec<(Slot, Timestamp)> {
    let now = steps.now();
    let mut overdue: Vec<(Slot, Timestamp)> = steps.now_is.alerts_ahead().filter(|(_, at)| *at <= now).collect();
    overdue.sort_by_key(|(_, at)| *at);
    overdue
}

/// Nothing was to be said at a time of its own: what rang may nag, and what has no alert at due comes up in silence.
fn speak_unasked(steps: &mut Steps<'_>) {
    let now = steps.now();
    if let Some((slot, at)) = steps.now_is.next_nag().filter(|(_, at)| *at <= now) {
        return steps.ring(slot, None, at, Vec::new());
    }
    let is_due = steps.occurrence().due_at().is_some_and(|due| due <= now);
    let waits = matches!(steps.state(), State::Pending(pending) if pending.snooze.is_none() && !pending.is_missed);
    if is_due && waits && steps.has_command() && miss_command(steps) {
        return;
    }
    if is_due && waits {
        let has_spoken = steps.occurrence().spoken.contains(&Slot::DUE);
        let why = match (has_spoken, steps.has_command()) {
            (true, _) => "its alert at due has spoken already",
            (false, true) => "its command runs",
            (false, false) => "it has no alert at due",
        };
        steps.step(Operation::Started, why);
        steps.start_command();
        // A snooze may have said all of it already, where the clock was set back, or its deadline where both were missed.
        report::finish_where_told(steps);
        report::end_where_all_are_over(steps);
    }
}

/// Passes over alerts that were missed and are not made up for. Returns whether nothing is left to be said now.
///
/// A deadline is told however late it is.
fn miss(steps: &mut Steps<'_>, overdue: &[(Slot, Timestamp)]) -> bool {
    let is_of_deadline = |slot: &Slot| matches!(slot, Slot::Deadline(_));
    let alerts: Vec<(Slot, Timestamp)> = overdue.iter().filter(|(slot, _)| !is_of_deadline(slot)).copied().collect();
    let tells_deadline = alerts.len() < overdue.len();
    let (Some((_, from)), Some((_, to))) = (alerts.first(), alerts.last()) else { return false };
    let is_blocked = steps.is_blocked_by_run() && alerts.iter().any(|(slot, _)| *slot == Slot::DUE);
    let why = if is_blocked { Some(run::STILL_RUNS) } else { why_skipped(steps, *to) };
    let Some(why) = why else { return false };
    let is_due = matches!(steps.state(), State::Pending(_)) && alerts.iter().any(|(slot, _)| *slot == Slot::DUE);
    if is_due && steps.task().is_series() {
        // The deadline is that of the occurrence, which says it by coming up.
        if !tells_deadline {
            skip_missed(steps, why);
        }
        return !tells_deadline;
    }
    let slots = if is_due {
        // It is armed no more, so what lies behind due is not said either.
        steps.now_is.alerts_ahead().map(|(slot, _)| slot).filter(|slot| matches!(slot, Slot::Alert(_))).collect()
    } else {
        alerts.iter().map(|(slot, _)| *slot).collect()
    };
    steps.step(Operation::Missed { slots, from: *from, to: *to }, why);
    if is_due {
        steps.silence();
    }
    !tells_deadline
}

/// A command whose time was missed, and that has no alert at due, is not run, unless that is made up for. Returns whether it
/// is not.
fn miss_command(steps: &mut Steps<'_>) -> bool {
    let Some(due) = steps.occurrence().due_at() else { return false };
    let is_blocked = steps.is_blocked_by_run();
    let Some(why) = (if is_blocked { Some(run::STILL_RUNS) } else { why_skipped(steps, due) }) else { return false };
    if steps.task().is_series() {
        skip_missed(steps, why);
    } else {
        steps.step(Operation::Missed { slots: vec![Slot::DUE], from: due, to: due }, why);
        steps.silence();
    }
    true
}

/// Returns the times behind the present one that are too late to be run too, and the first that is not.
fn what_is_too_late(steps: &Steps<'_>, max_late: Span) -> (Passed, Option<Instance>) {
    let present = steps.occurrence().instance().expect("an occurrence of a series is one of an instance");
    let by = steps.now().saturating_add(Span::from_millis(max_late.as_millis().saturating_neg() - 1));
    let (last, passed) = match steps.latest_due_by(&present, by) {
        Some((latest, between)) => (latest, between.and(Passed::one(latest.due))),
        None => (present, Passed::NONE),
    };
    (passed, run::next_behind(steps, &last))
}

/// The open occurrence of a series was missed: the series goes on with what lies ahead.
fn skip_missed(steps: &mut Steps<'_>, why: &'static str) {
    let due = steps.occurrence().due_at().expect("an occurrence of a series has a time");
    let (too_late, next) = match steps.task().details.max_late.filter(|_| is_each_run(steps)) {
        Some(max_late) => what_is_too_late(steps, max_late),
        None => (Passed::NONE, steps.next_instance()),
    };
    pass_over(steps, Passed::one(due).and(too_late), why);
    steps.silence();
    if steps.has_spoken() {
        steps.step(Operation::Cancelled(Outcome::Skipped), why);
    } else {
        ask::withdraw_or_end(steps, next.is_some());
    }
    if let Some(next) = next {
        steps.open(&next);
        wake(steps);
    }
}
