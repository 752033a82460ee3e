//! New values for a task, and new times for its open occurrence.

use crate::domain::command::Edit;
use crate::domain::event::Operation;
use crate::domain::occurrence::{Due, Instance, Nominal, Occurrence, Outcome, Slot};
use crate::domain::rejection::Rejection;
use crate::domain::schedule::{Rule, ScheduleError};
use crate::domain::state::{Pending, State, Suspended};
use crate::domain::time::{Span, Timestamp, resolve};
use crate::domain::transition::steps::{Steps, deadline_of};
use crate::domain::transition::{ask, create, report, waits, wake};

/// Changes what a task says or when it comes up.
pub(super) fn edit(steps: &mut Steps<'_>, edit: &Edit) -> Result<(), Rejection> {
    let number = steps.task().number;
    if edit.title.as_ref().is_some_and(|title| title.trim().is_empty()) {
        return Err(Rejection::EmptyTitle { verb: "edit", number });
    }
    if edit.command.as_ref().is_some_and(|new| new.is_some() != steps.has_command()) && has_come_up(steps) {
        return Err(Rejection::CommandChange { number, state: steps.state().name() });
    }
    let was_series = steps.task().is_series();
    let alerts_before = steps.task().alerts.clone();
    let mut edit = edit.clone();
    if let Some(alerts) = &mut edit.alerts {
        alerts.sort_unstable();
        alerts.dedup();
    }
    let (has_schedule, has_alerts) = (edit.schedule.is_some(), edit.alerts.is_some());
    let has_deadline = edit.deadline.is_some();
    let set_waits = std::mem::take(&mut edit.waits);
    if edit != Edit::default() {
        steps.step(Operation::Edited(Box::new(edit)), "");
    }
    let refuse = |source| Rejection::Schedule { verb: "edit", number, source };
    create::check_nag(steps.task().policy).map_err(refuse)?;
    if has_deadline {
        move_deadline(steps);
    }
    if has_schedule {
        reschedule(steps, was_series)?;
    }
    if has_deadline || has_schedule && !steps.occurrence().is_past_deadline {
        create::check_deadline(steps.occurrence(), steps.moment).map_err(refuse)?;
    }
    if has_alerts {
        keep_past_alerts_silent(steps, &alerts_before);
    }
    if has_alerts || has_deadline {
        succeed_anew(steps);
    }
    waits::set(steps, &set_waits)?;
    wake::wake(steps);
    if has_alerts || has_deadline {
        // The alert that a task of programs still waited for may be gone.
        report::end_where_all_are_over(steps);
    }
    Ok(())
}

/// Returns whether the open occurrence is due, or its command runs or is to be tried again.
fn has_come_up(steps: &Steps<'_>) -> bool {
    let is_due = match steps.state() {
        State::Running(_) => true,
        State::Pending(pending) => pending.retry_at.is_some(),
        State::Created | State::Suspended(_) | State::Failed(_) | State::Completed(_) | State::Cancelled(_) => false,
    };
    is_due || steps.present_run().is_some()
}

/// Gives the open occurrence another deadline, or none; one without a time is armed by it.
fn move_deadline(steps: &mut Steps<'_>) {
    let deadline = deadline_of(steps.task(), steps.occurrence().due, steps.moment);
    let mut occurrence = Occurrence { deadline, is_past_deadline: false, ..steps.occurrence().clone() };
    occurrence.spoken.retain(|slot| !matches!(slot, Slot::Deadline(_)));
    let now = steps.now();
    let alerts = steps.task().deadline.iter().flat_map(|deadline| &deadline.alerts);
    let past = alerts
        .filter(|offset| **offset < Span::ZERO)
        .map(|offset| Slot::Deadline(*offset))
        .filter(|slot| occurrence.time_of(*slot).is_some_and(|at| at <= now));
    let past: Vec<Slot> = past.collect();
    occurrence.spoken.extend(past);
    // What was to be said again had no other time.
    if !occurrence.has_time() {
        occurrence.state = without_snooze(&occurrence.state);
    }
    // The same deadline may come again.
    if steps.has_spoken() {
        occurrence.moved_by = Some(steps.moment.op_id);
    }
    steps.step(Operation::Moved(Box::new(occurrence)), "the deadline changed");
    if matches!(steps.state(), State::Created) && steps.occurrence().has_time() {
        steps.arm();
    }
}

fn without_snooze(state: &State) -> State {
    match state {
        State::Pending(pending) => State::Pending(Pending { snooze: None, ..*pending }),
        State::Suspended(suspended) => State::Suspended(Suspended { snooze: None, ..*suspended }),
        State::Created | State::Running(_) | State::Failed(_) | State::Completed(_) | State::Cancelled(_) => {
            state.clone()
        }
    }
}

/// Gives the open occurrence the time that the new schedule says.
fn reschedule(steps: &mut Steps<'_>, was_series: bool) -> Result<(), Rejection> {
    let number = steps.task().number;
    let refuse = |source| Rejection::Schedule { verb: "edit", number, source };
    steps.task().schedule.validate().map_err(refuse)?;
    let is_series = steps.task().is_series();
    if was_series && !is_series {
        return Err(Rejection::OneTime { number, state: steps.state().name() });
    }
    if is_series != was_series && (steps.has_come_up() || steps.task().last_ended.is_some()) {
        return Err(Rejection::KindChange { number, state: steps.state().name() });
    }
    if matches!(steps.task().schedule.rule, Rule::None) && steps.occurrence().due.is_none() {
        // It has no time still: the zone is that of its deadline.
        return Ok(());
    }
    // One that ended before the clock was set back lies behind the open one, and is among the spent.
    let present_at = steps.occurrence().due_at();
    let last_ended = steps.task().last_ended.filter(|ended| present_at.is_none_or(|present| ended.due <= present));
    let next = steps.next_behind(last_ended).ok_or_else(|| refuse(ScheduleError::NothingAhead))?;
    if steps.moment.has_passed(next.due) {
        return Err(Rejection::Past { verb: "edit", number, at: next.due });
    }
    match (is_series || was_series, steps.has_come_up()) {
        (true, true) if is_ahead(steps) && next.key == steps.occurrence().key => move_to(steps, &next),
        // It has spoken, so it cannot be withdrawn but ends; only for a later one, else its own time would come again.
        (true, true) if is_ahead(steps) && steps.occurrence().due_at() < Some(next.due) => {
            replace(steps, &next, Operation::Cancelled(Outcome::Skipped), "the rule changed");
        }
        (true, true) => keep_open_one(steps),
        (true, false) => replace(steps, &next, steps.removal(), "the rule changed"),
        (false, _) => move_to(steps, &next),
    }
    Ok(())
}

/// A series whose open occurrence rang keeps that; the new rule says when it is succeeded, from now on.
fn keep_open_one(steps: &mut Steps<'_>) {
    let present = steps.occurrence().instance().expect("an occurrence of a series has a time");
    let successor_at = match steps.task().schedule.rule {
        // What counts from completions waits for that of the open one.
        Rule::AfterDone(_) => None,
        Rule::None | Rule::Once(_) | Rule::Countdown(_) | Rule::Interval(_) | Rule::Calendar(_) | Rule::Cron(_) => {
            let due = steps.occurrence().due.expect("an occurrence of a series has a time");
            let deadline = steps.occurrence().deadline.map(|deadline| deadline.at);
            // What the new rule would have said before it was given is not said, and takes nothing over.
            let busy_until = steps.task().busy_until(due.at, deadline).max(steps.now());
            steps.next_behind(Some(present)).map(|next| steps.task().takeover(busy_until, next.due))
        }
    };
    let occurrence = Occurrence { successor_at, ..steps.occurrence().clone() };
    steps.step(Operation::Moved(Box::new(occurrence)), "the rule changed");
}

/// Returns whether only early alerts of the open occurrence have spoken: its due can still be moved.
fn is_ahead(steps: &Steps<'_>) -> bool {
    let is_armed = matches!(steps.state(), State::Pending(_) | State::Suspended(_));
    is_armed && steps.occurrence().due_at().is_some_and(|due| due > steps.now())
}

/// Ends the open occurrence, which has not become due, and opens the first of the new rule; a pause stays.
fn replace(steps: &mut Steps<'_>, next: &Instance, end: Operation, why: &'static str) {
    let paused = match steps.state() {
        // A pause of this time only is none of another.
        State::Suspended(suspended) if suspended.is_this_only && next.key != steps.occurrence().key => None,
        State::Suspended(suspended) => Some(*suspended),
        State::Created | State::Pending(_) | State::Running(_) | State::Failed(_) => None,
        State::Completed(_) | State::Cancelled(_) => None,
    };
    steps.silence();
    steps.step(end, why);
    // It is the same time of the series, so what that waited for is not asked anew.
    steps.reopen(next);
    match paused {
        Some(paused) => steps.sleep_on(&paused),
        None => steps.sleep(),
    }
}

/// Moves a one-shot: it speaks anew at its new time.
fn move_to(steps: &mut Steps<'_>, next: &Instance) {
    let fresh = steps.occurrence_of(next);
    put(steps, fresh, "");
}

/// Puts the open occurrence, as it would be if nothing had been said of it, at another time.
pub(super) fn put(steps: &mut Steps<'_>, fresh: Occurrence, reason: &'static str) {
    steps.silence();
    match steps.state() {
        State::Running(_) => ask::suspend(steps, None),
        State::Failed(_) => steps.step(Operation::Retried { at: None }, ""),
        State::Created | State::Pending(_) | State::Suspended(_) | State::Completed(_) | State::Cancelled(_) => {}
    }
    let was_running = matches!(steps.state(), State::Suspended(suspended) if suspended.id == steps.moment.op_id);
    let due_at = fresh.due_at();
    let state = match steps.state() {
        State::Suspended(suspended) => {
            let left = due_at.map(|due| due.since(steps.now()));
            let remaining = left.filter(|left| left.is_positive());
            State::Suspended(Suspended { remaining, snooze: None, acked_at: None, ..*suspended })
        }
        State::Pending(_) => State::Pending(Pending::default()),
        state @ (State::Created | State::Running(_) | State::Failed(_)) => state.clone(),
        state @ (State::Completed(_) | State::Cancelled(_)) => state.clone(),
    };
    // The same local time may come again: in another zone, or after the clock was set back.
    let moved_by = if steps.has_spoken() { Some(steps.moment.op_id) } else { steps.occurrence().moved_by };
    let mut moved = Occurrence { generation: steps.occurrence().generation, state, moved_by, ..fresh };
    // A deadline stands apart from due: what was said of it stays said.
    if moved.deadline == steps.occurrence().deadline {
        moved.is_past_deadline = steps.occurrence().is_past_deadline;
        moved.spoken.extend(steps.occurrence().spoken.iter().filter(|slot| matches!(slot, Slot::Deadline(_))));
        moved.spoken.sort_unstable();
        moved.spoken.dedup();
    }
    let due = moved.due;
    steps.step(Operation::Moved(Box::new(moved)), reason);
    if was_running {
        steps.step(Operation::Resumed { due, snooze: None }, "");
    } else if matches!(steps.state(), State::Created) {
        steps.arm();
    }
}

/// Alerts that are new and whose time has passed do not speak; who sets "a day before" an hour before means the next.
fn keep_past_alerts_silent(steps: &mut Steps<'_>, alerts_before: &[Span]) {
    let now = steps.now();
    let is_new = |slot: &Slot| !alerts_before.iter().any(|before| *slot == Slot::Alert(*before));
    let overdue = steps.now_is.alerts_ahead().filter(|(_, at)| *at <= now).map(|(slot, _)| slot);
    let past: Vec<Slot> = overdue.filter(is_new).collect();
    if past.is_empty() {
        return;
    }
    let mut occurrence = steps.occurrence().clone();
    occurrence.spoken.extend(past);
    occurrence.spoken.sort_unstable();
    occurrence.spoken.dedup();
    steps.step(Operation::Moved(Box::new(occurrence)), "alerts in the past do not speak");
}

/// What the next occurrence says early, and until when the open one speaks, has changed: so has when it is succeeded. What
/// would have been said early before now is not said, and takes nothing over.
fn succeed_anew(steps: &mut Steps<'_>) {
    let occurrence = steps.occurrence();
    let (Some(present), Some(due), Some(_)) = (occurrence.instance(), occurrence.due, occurrence.successor_at) else {
        return;
    };
    let Some(next) = steps.successor_due(&present) else { return };
    let deadline = occurrence.deadline.map(|deadline| deadline.at);
    let busy_until = steps.task().busy_until(due.at, deadline).max(steps.now());
    let successor_at = Some(steps.task().takeover(busy_until, next));
    if successor_at != occurrence.successor_at {
        let occurrence = Occurrence { successor_at, ..occurrence.clone() };
        steps.step(Operation::Moved(Box::new(occurrence)), "what the next one says early has changed");
    }
}

/// The device moved to another zone: floating local times follow it, but for one that has spoken and become due.
pub(super) fn rezone(steps: &mut Steps<'_>) {
    if steps.task().schedule.zone.is_some() {
        return;
    }
    let is_local =
        matches!(steps.task().schedule.rule, Rule::Once(_) | Rule::Calendar(_) | Rule::Cron(_) | Rule::AfterDone(_));
    let present = steps.occurrence().instance().filter(|_| is_local);
    if let Some(Instance { nominal: Nominal::Instant(_), .. }) = present
        && matches!(steps.task().schedule.rule, Rule::Calendar(_) | Rule::Cron(_))
    {
        return rezone_hourly(steps);
    }
    let (Some(Instance { nominal: Nominal::Local(_), .. }), Some(due)) = (present, steps.occurrence().due) else {
        // A deadline may float although nothing else does.
        return follow(steps, Occurrence { deadline: rezoned_deadline(steps), ..steps.occurrence().clone() });
    };
    let has_rung = matches!(steps.state(), State::Running(_)) || steps.has_spoken() && due.at <= steps.now();
    let rezoned = |due: Due| match due.nominal {
        Nominal::Local(local) if !has_rung => {
            resolve(local, steps.moment.zone).map_or(due, |(at, _)| Due { at, ..due })
        }
        Nominal::Local(_) | Nominal::Instant(_) => due,
    };
    let (was_due_at, due) = (due.at, rezoned(due));
    let moved_from = steps.occurrence().moved_from.map(rezoned);
    let by_rule = moved_from.unwrap_or(due);
    let instance = Instance { key: steps.occurrence().key, nominal: by_rule.nominal, due: by_rule.at };
    let successor_at = steps.successor_of(&instance, due);
    let state = rezoned_state(steps.state(), due.at, was_due_at);
    let (due, deadline) = (Some(due), rezoned_deadline(steps));
    follow(steps, Occurrence { due, moved_from, successor_at, deadline, state, ..steps.occurrence().clone() });
}

/// A rule of every hour names instants: other ones in another zone, where its minutes are other minutes.
fn rezone_hourly(steps: &mut Steps<'_>) {
    let present = steps.occurrence().instance().expect("an occurrence of a series has a time");
    let next = if steps.has_come_up() { None } else { steps.next_behind(steps.task().last_ended) };
    if let Some(next) = next {
        if next != present {
            replace(steps, &next, steps.removal(), "the device's zone changed");
        }
        return;
    }
    let due = steps.occurrence().due.expect("an occurrence of a series has a time");
    let (successor_at, deadline) = (steps.successor_of(&present, due), rezoned_deadline(steps));
    follow(steps, Occurrence { successor_at, deadline, ..steps.occurrence().clone() });
}

fn follow(steps: &mut Steps<'_>, moved: Occurrence) {
    if moved != *steps.occurrence() {
        steps.step(Operation::Moved(Box::new(moved)), "the device's zone changed");
    }
}

/// A deadline by the clock on the wall follows the zone until it has passed.
fn rezoned_deadline(steps: &Steps<'_>) -> Option<Due> {
    let deadline = steps.occurrence().deadline?;
    match deadline.nominal {
        Nominal::Local(local) if !steps.occurrence().is_past_deadline => {
            let at = resolve(local, steps.moment.zone).map_or(deadline.at, |(at, _)| at);
            Some(Due { at, ..deadline })
        }
        Nominal::Local(_) | Nominal::Instant(_) => Some(deadline),
    }
}

fn rezoned_state(state: &State, due_at: Timestamp, was_due_at: Timestamp) -> State {
    match state {
        State::Suspended(suspended) if due_at != was_due_at => {
            let remaining = Some(due_at.since(suspended.since)).filter(|left| left.is_positive());
            State::Suspended(Suspended { remaining, ..*suspended })
        }
        State::Created
        | State::Pending(_)
        | State::Running(_)
        | State::Suspended(_)
        | State::Failed(_)
        | State::Completed(_)
        | State::Cancelled(_) => state.clone(),
    }
}
