//! What a person asks: done, ack, snooze, pause, resume, skip, cancel.

use crate::domain::command::StandingPause;
use crate::domain::event::{Operation, SKIPPED};
use crate::domain::occurrence::{Due, Instance, Nominal, Occurrence, Outcome, Slot};
use crate::domain::rejection::Rejection;
use crate::domain::schedule::{Passed, Rule};
use crate::domain::state::{Snooze, State, Suspended};
use crate::domain::time::{Span, Timestamp};
use crate::domain::transition::steps::Steps;
use crate::domain::transition::{not_now, wake};

/// Returns whether the open occurrence is what the person means.
///
/// One of a series that is still ahead of its first alert must be named or asked for as early. Without that it is
/// another one that was meant: nothing is done where the one before was done, so that "done" said twice is done once.
pub(super) fn is_meant(steps: &Steps<'_>, verb: &'static str, early: bool) -> Result<bool, Rejection> {
    let is_ahead = steps.task().is_series() && !steps.has_spoken();
    if !is_ahead || early {
        return Ok(true);
    }
    if steps.task().previous == Some(Outcome::Done) {
        return Ok(false);
    }
    let due = steps.occurrence().due_at().expect("an occurrence of a series has a time");
    Err(Rejection::Ahead { verb, number: steps.task().number, due })
}

/// The person did it: by legal steps from any open state to COMPLETED, nothing sent, and the series goes on.
pub(super) fn done(steps: &mut Steps<'_>) {
    let next = match steps.state() {
        // What fell into a pause does not ring.
        State::Suspended(suspended) if !suspended.is_this_only => steps.next_instance(),
        State::Created | State::Pending(_) | State::Running(_) | State::Suspended(_) | State::Failed(_) => {
            wake::take_next(steps)
        }
        State::Completed(_) | State::Cancelled(_) => None,
    };
    let before = steps.state().clone();
    match &before {
        State::Created => steps.step(Operation::Armed, ""),
        State::Suspended(_) => {
            let due = steps.occurrence().due;
            steps.step(Operation::Resumed { due, snooze: None }, "");
        }
        State::Failed(_) => steps.step(Operation::Retried { at: None }, ""),
        State::Pending(_) | State::Running(_) | State::Completed(_) | State::Cancelled(_) => {}
    }
    steps.start_silently();
    steps.step(Operation::Completed(Outcome::Done), "");
    steps.silence();
    match (next, &before) {
        (None, _) => {}
        // A pause means the series: what comes next sleeps on with it.
        (Some(next), State::Suspended(paused)) => steps.open_asleep(&next, paused),
        (Some(next), _) => {
            steps.open(&next);
            wake::wake(steps);
        }
    }
}

/// The person saw it: it is silent until it speaks by itself again.
pub(super) fn ack(steps: &mut Steps<'_>, is_dismissal: bool) {
    let State::Running(running) = *steps.state() else { return };
    let ends_nag = steps.now_is.next_nag().is_some() && !is_dismissal;
    if running.acked_at.is_some() && !ends_nag {
        return;
    }
    steps.step(Operation::Acked { is_dismissal }, "");
    steps.silence_persons();
    // A countdown has said all that it had to say ("in 20m tea"); what was to nag is to be done (SPEC 4, `ack`).
    let is_plain = !steps.has_command()
        && matches!(steps.task().schedule.rule, Rule::Countdown(_))
        && steps.task().policy.nag.is_none();
    if is_plain && steps.now_is.next_wake().is_none() {
        steps.step(Operation::Completed(Outcome::Done), "a countdown ends when it is seen");
    }
}

/// The person saw an early alert.
pub(super) fn ack_ahead(steps: &mut Steps<'_>, is_dismissal: bool) -> Result<(), Rejection> {
    if !steps.has_spoken() {
        return Err(not_now(&steps.now_is, "ack", steps.state().name()));
    }
    steps.step(Operation::Acked { is_dismissal }, "");
    steps.silence_persons();
    Ok(())
}

/// It speaks again at `until`; the due stays.
pub(super) fn snooze(steps: &mut Steps<'_>, until: Timestamp, is_duration: bool) -> Result<(), Rejection> {
    check_ahead(steps, "snooze", until)?;
    let ahead = steps.now_is.next_alert().map(|(slot, _)| slot);
    // One that has not spoken yet speaks later: its next alert moves.
    let slot = steps.occurrence().last_spoken.or(ahead).unwrap_or(Slot::DUE);
    let swallowed = steps
        .now_is
        .alerts_ahead()
        // An alert behind the snooze speaks at its own time as well: a snooze by mistake loses nothing.
        .filter(|(ahead, at)| *at <= until && (*ahead == slot || ahead.is_behind_due()))
        .map(|(slot, _)| slot)
        .collect();
    let id = steps.moment.op_id;
    steps.silence();
    steps.step(
        Operation::Suspended(Suspended {
            id,
            since: steps.now(),
            until: Some(until),
            remaining: None,
            snooze: None,
            is_this_only: false,
            acked_at: None,
        }),
        "",
    );
    let snooze = Snooze { id, until, slot, is_chosen: true, is_duration };
    steps.step(Operation::Snoozed { snooze, swallowed }, "");
    Ok(())
}

/// Its clock stops.
pub(super) fn pause(steps: &mut Steps<'_>, until: Option<Timestamp>) -> Result<(), Rejection> {
    if let Some(until) = until {
        check_ahead(steps, "pause", until)?;
    }
    stop(steps);
    suspend(steps, until);
    Ok(())
}

/// The clock of the open occurrence stops, and its series goes on when its successor is due; where none comes by itself
/// it is paused like any other.
pub(super) fn pause_this(steps: &mut Steps<'_>, until: Option<Timestamp>) -> Result<(), Rejection> {
    if let Some(until) = until {
        check_ahead(steps, "pause", until)?;
    }
    stop(steps);
    let is_this_only = steps.occurrence().successor_at.is_some();
    let suspended = Suspended { is_this_only, ..suspended(steps, until) };
    steps.step(Operation::Suspended(suspended), "this time only");
    Ok(())
}

/// What is about to be paused falls silent.
fn stop(steps: &mut Steps<'_>) {
    if matches!(steps.state(), State::Failed(_)) {
        steps.step(Operation::Retried { at: None }, "");
    }
    steps.silence();
}

/// PENDING or RUNNING becomes SUSPENDED, with what remains.
pub(super) fn suspend(steps: &mut Steps<'_>, until: Option<Timestamp>) {
    let suspended = suspended(steps, until);
    steps.step(Operation::Suspended(suspended), "");
}

fn suspended(steps: &Steps<'_>, until: Option<Timestamp>) -> Suspended {
    let snooze = match steps.state() {
        State::Pending(pending) => pending.snooze,
        State::Running(running) => running.snooze,
        State::Created | State::Suspended(_) | State::Failed(_) | State::Completed(_) | State::Cancelled(_) => None,
    };
    // Where it nags, only an explicit word has ended that.
    let acked_at = match steps.state() {
        State::Running(running) if running.is_hushed || steps.task().policy.nag.is_none() => running.acked_at,
        State::Running(_)
        | State::Created
        | State::Pending(_)
        | State::Suspended(_)
        | State::Failed(_)
        | State::Completed(_)
        | State::Cancelled(_) => None,
    };
    let remaining = remaining(steps);
    Suspended { id: steps.moment.op_id, since: steps.now(), until, remaining, snooze, is_this_only: false, acked_at }
}

/// Returns what is left to due, `None` when that has passed.
pub(super) fn remaining(steps: &Steps<'_>) -> Option<Span> {
    steps.occurrence().due_at().map(|due| due.since(steps.now())).filter(|left| left.is_positive())
}

/// The pause with which it sleeps has ended, and another one holds for it.
///
/// It must be SUSPENDED.
pub(super) fn sleep_on(steps: &mut Steps<'_>, pause: StandingPause) {
    let State::Suspended(suspended) = *steps.state() else { return };
    let state = State::Suspended(Suspended { id: pause.id, until: pause.until, ..suspended });
    let occurrence = Occurrence { state, ..steps.occurrence().clone() };
    steps.step(Operation::Moved(Box::new(occurrence)), "another pause holds for it");
}

/// Its clock goes on (SPEC 4, Pause).
///
/// It must be SUSPENDED.
pub(super) fn resume(steps: &mut Steps<'_>, shift: bool) {
    let State::Suspended(suspended) = *steps.state() else { return };
    if suspended.is_this_only && steps.is_succeeded() {
        return wake::succeed_paused(steps);
    }
    let now = steps.now();
    let due = shifted_due(steps, &suspended, shift);
    let has_passed = due.is_some_and(|due| due.at <= now);
    // An early alert alone does not take it out of the pause into which its due fell.
    let was_due = suspended.remaining.is_none() || steps.occurrence().spoken.contains(&Slot::DUE);
    let came_due_in_it = !(steps.has_spoken() && was_due);
    let fell_into_pause = steps.task().is_series() && has_passed && (came_due_in_it || steps.is_succeeded());
    if fell_into_pause {
        steps.step(Operation::Resumed { due, snooze: None }, "");
        return go_on_ahead(steps, came_due_in_it);
    }
    // What had been said at due and was not answered, or was to be said then, is said now, once; what was to come due in
    // silence does so.
    let is_seen = suspended.acked_at.is_some() && was_due && has_passed && suspended.snooze.is_none();
    let said_before = steps.occurrence().last_spoken.filter(|_| was_due);
    let speaks = said_before.is_some() || steps.task().alerts.contains(&Span::ZERO);
    let at_once = Snooze {
        id: suspended.id,
        until: now,
        slot: said_before.unwrap_or(Slot::DUE),
        is_chosen: false,
        is_duration: false,
    };
    let snooze = match suspended.snooze {
        Some(snooze) if snooze.until > now => Some(snooze),
        Some(snooze) => Some(Snooze { until: now, is_chosen: false, ..snooze }),
        None if has_passed => Some(at_once).filter(|_| speaks && !is_seen),
        // It had rung, and the clock was set back since: what the pause silenced is said when it is due again.
        None if steps.occurrence().spoken.contains(&Slot::DUE) => due.map(|due| Snooze { until: due.at, ..at_once }),
        None => None,
    };
    // What ran on while it was paused is not started once more.
    if steps.present_run().is_some() {
        steps.step(Operation::Resumed { due, snooze: None }, "");
        return steps.step(Operation::Started, "its command is still running");
    }
    steps.step(Operation::Resumed { due, snooze }, "");
    wake::wake(steps);
    if is_seen && !steps.has_rung() && matches!(steps.state(), State::Running(_)) {
        steps.step(Operation::Acked { is_dismissal: false }, "it was seen before the pause");
    }
}

/// Returns the due after a resume: moved by what remained for a countdown, or for any task with `shift`.
fn shifted_due(steps: &Steps<'_>, suspended: &Suspended, shift: bool) -> Option<Due> {
    let due = steps.occurrence().due?;
    // Without a rule it is due so long after another task was done.
    let moves = shift || matches!(steps.task().schedule.rule, Rule::Countdown(_) | Rule::None);
    let Some(remaining) = suspended.remaining.filter(|_| moves) else { return Some(due) };
    let at = steps.now().saturating_add(remaining);
    // A series keeps its cadence: it is never shifted past its successor.
    if steps.occurrence().successor_at.is_some_and(|successor| at >= successor) {
        return Some(due);
    }
    let nominal = match due.nominal {
        Nominal::Local(_) => Nominal::Local(at.local(steps.zone())),
        Nominal::Instant(_) => Nominal::Instant(at),
    };
    Some(Due { nominal, at })
}

/// Why a running one is no more, where a person ends it.
pub(super) const ENDED_WITH_IT: &str = "its command is asked to end";

/// Why what fell into a pause is passed over: who paused knows it.
pub(super) const PAUSED: &str = "it was paused";

/// A series goes on with what lies ahead; what fell into its pause is passed over, what had rung is closed.
pub(super) fn go_on_ahead(steps: &mut Steps<'_>, came_due_in_it: bool) {
    let present = steps.occurrence().instance().expect("an occurrence of a series has a time");
    let latest = steps.latest_behind(&present);
    let behind = latest.map_or(Passed::NONE, |(latest, between)| between.and(Passed::one(latest.due)));
    let next = steps.next_instance();
    if came_due_in_it {
        wake::pass_over(steps, Passed::one(present.due).and(behind), PAUSED);
        withdraw_or_end(steps, next.is_some());
    } else {
        wake::pass_over(steps, behind, PAUSED);
        steps.close_unanswered();
    }
    if let Some(next) = next {
        steps.open(&next);
    }
}

/// Removes an occurrence that has not come up; one that spoke early ends, and so does the last of its series, since a task
/// has always one.
pub(super) fn withdraw_or_end(steps: &mut Steps<'_>, has_next: bool) {
    if steps.has_spoken() {
        steps.step(Operation::Cancelled(Outcome::Skipped), "passed over");
    } else if has_next {
        steps.step(steps.removal(), "passed over");
    } else {
        steps.step(Operation::Cancelled(Outcome::Skipped), "it was the last of its series");
    }
}

/// Passes over the open occurrence of a series.
pub(super) fn skip(steps: &mut Steps<'_>) -> Result<(), Rejection> {
    if !steps.task().is_series() {
        return Err(Rejection::NotSeries { verb: "skip", number: steps.task().number, state: steps.state().name() });
    }
    steps.silence();
    let next = next_of_skipped(steps);
    if steps.present_run().is_some() {
        steps.step(Operation::Failed, ENDED_WITH_IT);
        steps.step(Operation::Cancelled(Outcome::Skipped), "");
    } else if matches!(steps.state(), State::Running(_)) {
        suspend(steps, None);
        steps.step(Operation::Cancelled(Outcome::Skipped), "");
    } else if steps.has_spoken() {
        steps.step(Operation::Cancelled(Outcome::Skipped), "");
    } else if next.is_some() {
        steps.step(steps.removal(), SKIPPED);
    } else {
        withdraw_or_end(steps, false);
    }
    if let Some(next) = next {
        steps.open(&next);
        wake::wake(steps);
    }
    Ok(())
}

/// Returns what a series goes on with once the open occurrence is skipped. What counts from completions counts from the
/// time that was passed over, where that lies ahead: else the next could be at that very time.
fn next_of_skipped(steps: &mut Steps<'_>) -> Option<Instance> {
    let task = steps.task();
    match (&task.schedule.rule, steps.occurrence().due_at().filter(|due| steps.now() < *due)) {
        (Rule::AfterDone(_), Some(due)) => task.schedule.next_after(task.cursor.as_ref(), due, steps.moment.zone),
        (_, _) => wake::take_next(steps),
    }
}

/// Ends the task: by legal steps from any open state to CANCELLED.
pub(super) fn cancel(steps: &mut Steps<'_>) {
    steps.silence();
    if matches!(steps.state(), State::Running(_)) && steps.present_run().is_some() {
        steps.step(Operation::Failed, ENDED_WITH_IT);
    } else if matches!(steps.state(), State::Running(_)) {
        suspend(steps, None);
    }
    steps.end_all_runs();
    steps.step(Operation::Cancelled(Outcome::Cancelled), "");
}

/// Removes the task from sight: it is as it was, and nothing of it rings.
pub(super) fn delete(steps: &mut Steps<'_>) {
    steps.silence_for_ever();
    steps.end_all_runs();
    steps.step(Operation::Deleted, "");
}

fn check_ahead(steps: &Steps<'_>, verb: &'static str, at: Timestamp) -> Result<(), Rejection> {
    if at <= steps.now() {
        return Err(Rejection::Past { verb, number: steps.task().number, at });
    }
    Ok(())
}
