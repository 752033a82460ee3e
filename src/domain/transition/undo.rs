//! What becomes of a task when a person takes a change back: it is as it was before, by legal steps, or it is refused.
//!
//! What is done no more is due in silence, and so is what is deleted no more: it does not ring at once. But what was never
//! said for a pause, a snooze or an edit that is taken back is said late, and what was held is said when it is quiet no
//! more: no reminder is lost by taking something back.

use crate::domain::event::{Operation, Snapshot};
use crate::domain::occurrence::{Nominal, Occurrence, Outcome, Slot};
use crate::domain::op::Taken;
use crate::domain::rejection::Rejection;
use crate::domain::state::{Pending, Running, Snooze, State, Suspended};
use crate::domain::task::Task;
use crate::domain::time::{Span, Timestamp, resolve};
use crate::domain::transition::steps::Steps;
use crate::domain::transition::{ask, edit, waits, wake};
use crate::domain::waiting::{Met, Parent, Wait, Waits};

/// Why the steps of an undo are taken, for the history.
const TAKEN_BACK: &str = "taken back";

/// Takes back what an operation did.
pub(super) fn undo(steps: &mut Steps<'_>, taken: &Taken) -> Result<(), Rejection> {
    if taken.has_resent {
        return Err(cannot(steps, "what was sent again cannot be called back"));
    }
    let Some(before) = &taken.before else { return unadd(steps, taken) };
    match (before.task.deleted_at, taken.after.task.deleted_at) {
        (None, Some(_)) => return undelete(steps, taken),
        (Some(_), None) => {
            ask::delete(steps);
            return Ok(());
        }
        (None, None) | (Some(_), Some(_)) => {}
    }
    if steps.task().deleted_at.is_some() {
        return Err(Rejection::Deleted { verb: "undo what was done to", number: steps.task().number });
    }
    let task = task_before(steps.task(), before, taken)?;
    let (was, is) = (&before.occurrence, &taken.after.occurrence);
    if was == is {
        of_task_alone(steps, task, taken);
        return Ok(());
    }
    let was_created = matches!(was.state, State::Created) && !taken.has_ended;
    if was_created && !matches!(steps.state(), State::Created) {
        return wait_again(steps, task, taken, was);
    }
    // It waits again already, since what set it free as well was taken back before.
    let was_freed = !matches!(is.state, State::Created);
    let waits_still = was_created && was_freed && !task.waits.is_none() && !task.waits.is_met();
    if waits_still && steps.occurrence().name() == is.name() {
        of_task_alone(steps, task, taken);
        return Ok(());
    }
    if steps.occurrence().name() != is.name() {
        return Err(cannot(steps, "it has gone on since"));
    }
    if was.has_ended() && is.has_ended() {
        stay(steps, task, was);
        return Ok(());
    }
    match (was.name() == is.name(), is.has_ended()) {
        (true, true) => enter(steps, was, taken),
        (true, false) => check_untouched(steps, is)?,
        (false, _) => {
            if leave(steps, before, taken)? {
                stay(steps, task, was);
                return Ok(());
            }
            enter(steps, was, taken);
        }
    }
    arrive(steps, task, was, taken);
    Ok(())
}

/// The open occurrence has ended, and only what the task says is as it was.
fn stay(steps: &mut Steps<'_>, mut task: Task, was: &Occurrence) {
    let occurrence = steps.occurrence().clone();
    // Where the series had gone on since, its end is that of another time than the one that ended it before.
    if was.key != occurrence.key {
        let now = steps.task();
        (task.cursor, task.last_ended, task.previous) = (now.cursor, now.last_ended, now.previous);
    }
    restore(steps, Snapshot { task, occurrence });
}

/// What was added is deleted; what goes on with a series gives way to that, where it has not begun.
fn unadd(steps: &mut Steps<'_>, taken: &Taken) -> Result<(), Rejection> {
    if steps.task().deleted_at.is_some() {
        return Err(cannot(steps, "it is deleted already"));
    }
    if taken.after.task.follows.is_some() {
        let Task { details, schedule, alerts, .. } = &taken.after.task;
        let task = steps.task();
        if (&task.details, &task.schedule, &task.alerts) != (details, schedule, alerts) {
            return Err(cannot(steps, "it has been changed since"));
        }
        check_unfired(steps, &taken.after.occurrence)?;
    }
    ask::delete(steps);
    Ok(())
}

/// It comes back as it was deleted. What it missed meanwhile is passed over, as after a pause, and said by nobody.
fn undelete(steps: &mut Steps<'_>, taken: &Taken) -> Result<(), Rejection> {
    if steps.task().deleted_at.is_none() {
        return Err(cannot(steps, "it has been brought back already"));
    }
    let waits = looked_up(&steps.task().waits, taken, steps.task().is_series());
    let task = Task { deleted_at: None, waits, ..steps.task().clone() };
    let was = steps.occurrence().clone();
    restore(steps, Snapshot { task: task.clone(), occurrence: was.clone() });
    if was.has_ended() || matches!(was.state, State::Created) {
        settle(steps);
        return Ok(());
    }
    // Where the device is where it was, nothing is read anew: an occurrence that was kept under a new rule stays so.
    let is_read_alike = was.due.is_some_and(|due| match due.nominal {
        Nominal::Local(local) => resolve(local, steps.zone()).is_some_and(|(at, _)| at == due.at),
        Nominal::Instant(_) => true,
    });
    if !is_read_alike {
        edit::rezone(steps);
    }
    let now = steps.occurrence().clone();
    arrive(steps, steps.task().clone(), &now, taken);
    Ok(())
}

/// Only what the task says was changed, not its open occurrence.
fn of_task_alone(steps: &mut Steps<'_>, task: Task, taken: &Taken) {
    let is_new = |offset| !steps.task().alerts.contains(&offset);
    let mut occurrence = steps.occurrence().clone();
    keep_past_silent(steps, &task, &mut occurrence, |slot| matches!(slot, Slot::Alert(offset) if is_new(offset)));
    let is_to_wait = !occurrence.has_ended() && !task.waits.is_none() && !task.waits.is_met();
    let is_free = matches!(occurrence.state, State::Pending(_) | State::Suspended(_));
    // Another of those that it waited for has set it free since.
    if !taken.is_asked && is_to_wait && is_free && occurrence.last_spoken.is_none() && !steps.task().is_series() {
        steps.step(Operation::Withdrawn, TAKEN_BACK);
        let waiting = Occurrence { state: State::Created, ..taken.after.occurrence.clone() };
        steps.step(Operation::Opened(Box::new(waiting.clone())), TAKEN_BACK);
        occurrence = waiting;
    }
    restore(steps, Snapshot { task, occurrence });
    settle(steps);
}

/// What was set free waits again, or has no time again, unless it has rung or been changed since.
fn wait_again(steps: &mut Steps<'_>, task: Task, taken: &Taken, was: &Occurrence) -> Result<(), Rejection> {
    if !task.waits.is_none() && task.waits.is_met() {
        return Err(cannot(steps, "what it waited for is done"));
    }
    if steps.occurrence().name() != taken.after.occurrence.name() {
        return Err(cannot(steps, "it has gone on since"));
    }
    check_unfired(steps, &taken.after.occurrence)?;
    let waiting = Occurrence { state: State::Created, ..was.clone() };
    steps.step(Operation::Withdrawn, TAKEN_BACK);
    steps.step(Operation::Opened(Box::new(waiting.clone())), TAKEN_BACK);
    restore(steps, Snapshot { task, occurrence: waiting });
    settle(steps);
    Ok(())
}

/// Takes the open occurrence away, which the operation had brought. Returns whether it ends where it is, since one that
/// was reopened ends again, and so does a series that was.
fn leave(steps: &mut Steps<'_>, before: &Snapshot, taken: &Taken) -> Result<bool, Rejection> {
    let (was, is) = (&before.occurrence, &taken.after.occurrence);
    if was.key == is.key && was.generation < is.generation {
        let (State::Completed(ended) | State::Cancelled(ended)) = &was.state else {
            return Err(cannot(steps, "it has gone on since"));
        };
        check_untouched(steps, is)?;
        close(steps, ended.outcome);
        return Ok(true);
    }
    let is_reopened = is.generation > 1 && before.task.last_ended.is_some_and(|last| last.key == is.key);
    if let Some(outcome) = before.task.previous.filter(|_| is_reopened && !was.has_ended()) {
        check_untouched(steps, is)?;
        // Where the series was over, it ended at once by that.
        if !is.has_ended() {
            close(steps, outcome);
        }
        return Ok(false);
    }
    check_unfired(steps, is)?;
    match &was.state {
        // What it was has ended, and never comes back to life: the time with which the series went on ends in its place.
        State::Cancelled(ended) => close(steps, ended.outcome),
        State::Completed(_) => return Err(cannot(steps, "it has gone on since")),
        State::Created | State::Pending(_) | State::Running(_) | State::Suspended(_) | State::Failed(_) => {
            steps.step(Operation::Withdrawn, TAKEN_BACK);
        }
    }
    Ok(was.has_ended())
}

/// Ends the open occurrence as it had ended before it was reopened.
fn close(steps: &mut Steps<'_>, outcome: Outcome) {
    steps.silence();
    match outcome {
        Outcome::Done | Outcome::Unanswered => {
            walk(steps, &State::Running(Running::silent(steps.now())));
            steps.step(Operation::Completed(outcome), "done again");
        }
        Outcome::Undelivered | Outcome::RetriesExhausted | Outcome::Cancelled | Outcome::Skipped => {
            if steps.present_run().is_some() {
                steps.step(Operation::Failed, ask::ENDED_WITH_IT);
            } else if matches!(steps.state(), State::Running(_)) {
                ask::suspend(steps, None);
            }
            steps.step(Operation::Cancelled(outcome), "done again");
        }
    }
}

/// Opens the occurrence that was open before: a new generation where it had ended, the same where it was withdrawn.
fn enter(steps: &mut Steps<'_>, was: &Occurrence, taken: &Taken) {
    let generation = if taken.has_ended { was.generation + 1 } else { was.generation };
    let occurrence = Occurrence { generation, state: State::Created, ..was.clone() };
    steps.step(Operation::Opened(Box::new(occurrence)), TAKEN_BACK);
}

/// Leads the open occurrence to where it stood, and the task with it.
fn arrive(steps: &mut Steps<'_>, task: Task, was: &Occurrence, taken: &Taken) {
    let has_opened = matches!(steps.state(), State::Created);
    let is_silent = has_opened || taken.after.task.deleted_at.is_some();
    let mut target = target(steps, was, taken, is_silent);
    // Its command was ended with it, and is not run again by taking that back: the person decides.
    if steps.has_command() && matches!(target, State::Running(_)) && steps.present_run().is_none() {
        target = State::Pending(Pending { is_missed: true, ..Pending::default() });
    }
    if let State::Running(running) = &mut target
        && running.rang_at.is_none()
        && !was.spoken.contains(&Slot::DUE)
        && task.policy.nag.is_some()
    {
        // It does not ring at once, but is not forgotten either.
        running.rang_at = Some(steps.now());
    }
    if !has_opened && steps.state().name() != target.name() {
        steps.silence();
    }
    walk(steps, &target);
    // What spoke at a time of its own that is over, in the same occurrence, is not said twice; the ring at due has a name
    // of its own where it follows a pause or a snooze.
    let as_was = Snapshot { task: task.clone(), occurrence: was.clone() };
    let is_over = |slot: Slot, at: Timestamp| slot != Slot::DUE && at <= steps.now();
    let has_spoken =
        as_was.alerts_ahead().filter(|(slot, at)| !has_opened && is_over(*slot, *at)).map(|(slot, _)| slot);
    let has_spoken = has_spoken.filter(|slot| steps.occurrence().spoken.contains(slot));
    let mut spoken: Vec<Slot> = was.spoken.iter().copied().chain(has_spoken).collect();
    spoken.sort_unstable();
    spoken.dedup();
    let mut occurrence = Occurrence {
        generation: steps.occurrence().generation,
        spoken,
        nags: was.nags.max(steps.occurrence().nags),
        is_past_deadline: was.is_past_deadline || steps.occurrence().is_past_deadline,
        state: target,
        ..was.clone()
    };
    let is_late = |slot: Slot| matches!(slot, Slot::Alert(offset) if offset >= Span::ZERO);
    let rings_late = !is_silent && matches!(occurrence.state, State::Pending(_));
    keep_past_silent(steps, &task, &mut occurrence, |slot| !(rings_late && is_late(slot)));
    restore(steps, Snapshot { task, occurrence });
    settle(steps);
    let is_awake = matches!(steps.state(), State::Pending(_) | State::Running(_));
    if is_awake && steps.is_succeeded() {
        let has_come_up = steps.has_come_up();
        ask::go_on_ahead(steps, !has_come_up);
    } else if has_opened {
        // What is armed while many tasks are paused sleeps with them.
        steps.sleep();
    } else if is_awake && !is_silent {
        wake::wake(steps);
    }
}

/// Returns the state that the occurrence is to have: as it was, but for what has passed meanwhile.
fn target(steps: &Steps<'_>, was: &Occurrence, taken: &Taken, is_silent: bool) -> State {
    let now = steps.now();
    let ahead = |snooze: Option<Snooze>| snooze.filter(|snooze| snooze.until > now);
    let is_due = was.due_at().is_some_and(|due| due <= now);
    // What was to be said once it is quiet no more is said then, or now where that has passed.
    let held = |until: Timestamp| Snooze {
        id: steps.moment.op_id,
        until: steps.moment.quiet_until.unwrap_or(until).max(now),
        slot: was.last_spoken.unwrap_or(Slot::DUE),
        is_chosen: false,
        is_duration: false,
    };
    let held = |running: &Running| running.held_until.map(held).filter(|held| held.until > now || !is_silent);
    let armed = |pending: Pending| {
        let snooze = ahead(pending.snooze);
        let comes_up = is_due && is_silent && !pending.is_missed && snooze.is_none();
        if comes_up && steps.has_command() {
            // What was to run then is not run in silence: the person decides.
            State::Pending(Pending { is_missed: true, ..pending })
        } else if comes_up {
            State::Running(Running::silent(now))
        } else {
            State::Pending(Pending { snooze, ..pending })
        }
    };
    match &was.state {
        State::Pending(pending) => armed(*pending),
        // A nag counts from now.
        State::Running(running) => State::Running(Running {
            rang_at: running.rang_at.map(|_| now),
            snooze: ahead(running.snooze).or_else(|| held(running)),
            held_until: None,
            ..*running
        }),
        State::Suspended(suspended) if suspended.until.is_some_and(|until| until <= now) => {
            armed(Pending { snooze: suspended.snooze, is_missed: false, retry_at: None })
        }
        State::Suspended(suspended) => {
            let id = match taken.pause {
                Some((before, id)) if before == suspended.id => id,
                // Its name is that of what rang when it ended.
                Some(_) | None if taken.has_rung => steps.moment.op_id,
                Some(_) | None => suspended.id,
            };
            State::Suspended(Suspended { id, ..*suspended })
        }
        State::Failed(_) => armed(Pending::default()),
        State::Created => State::Created,
        State::Completed(_) | State::Cancelled(_) => was.state.clone(),
    }
}

/// Takes the legal steps from an open state to another; what each carries is set afterwards.
fn walk(steps: &mut Steps<'_>, target: &State) {
    let is_ahead = matches!(target, State::Pending(_) | State::Suspended(_));
    match steps.state() {
        State::Created if matches!(target, State::Created) => return,
        State::Created => steps.step(Operation::Armed, TAKEN_BACK),
        State::Failed(_) => steps.step(Operation::Retried { at: None }, TAKEN_BACK),
        State::Running(_) if is_ahead => ask::suspend(steps, None),
        State::Pending(_) | State::Running(_) | State::Suspended(_) | State::Completed(_) | State::Cancelled(_) => {}
    }
    if matches!(steps.state(), State::Suspended(_)) && !matches!(target, State::Suspended(_)) {
        let due = steps.occurrence().due;
        steps.step(Operation::Resumed { due, snooze: None }, TAKEN_BACK);
    }
    match (steps.state(), target) {
        (State::Pending(_), State::Running(_)) => steps.step(Operation::Started, "nothing sent"),
        (State::Pending(_), State::Suspended(suspended)) => steps.step(Operation::Suspended(*suspended), TAKEN_BACK),
        (_, _) => {}
    }
}

/// What it waits for may have ended meanwhile: then it is free, and due in silence where its time has passed.
fn settle(steps: &mut Steps<'_>) {
    if !steps.now_is.is_waiting() {
        return;
    }
    waits::settle(steps, steps.now());
    let is_due = steps.occurrence().due_at().is_some_and(|due| due <= steps.now());
    if matches!(steps.state(), State::Pending(_)) && is_due {
        steps.start_silently();
        let Snapshot { task, mut occurrence } = steps.now_is.clone();
        keep_past_silent(steps, &task, &mut occurrence, |_| true);
        restore(steps, Snapshot { task, occurrence });
    }
}

fn restore(steps: &mut Steps<'_>, mut restored: Snapshot) {
    if restored.is_waiting() {
        restored.task.waits = restored.task.waits.caught_up();
    }
    let Task { version, updated_at, .. } = *steps.task();
    let as_now = Task { version, updated_at, ..restored.task.clone() };
    if as_now != *steps.task() || restored.occurrence != *steps.occurrence() {
        steps.step(Operation::Restored(Box::new(restored)), TAKEN_BACK);
    }
}

/// Alerts whose time has passed do not speak. What falls into a pause, or a wait, is for the end of that to say.
fn keep_past_silent(steps: &Steps<'_>, task: &Task, occurrence: &mut Occurrence, is_meant: impl Fn(Slot) -> bool) {
    if !matches!(occurrence.state, State::Pending(_) | State::Running(_)) {
        return;
    }
    let as_now = Snapshot { task: task.clone(), occurrence: occurrence.clone() };
    let past = as_now.alerts_ahead().filter(|(slot, at)| *at <= steps.now() && is_meant(*slot));
    occurrence.spoken.extend(past.map(|(slot, _)| slot));
    occurrence.spoken.sort_unstable();
    occurrence.spoken.dedup();
}

/// Checks that the open occurrence is as the operation left it; that its deadline has passed changes nothing.
fn check_untouched(steps: &Steps<'_>, is: &Occurrence) -> Result<(), Rejection> {
    let now = steps.occurrence();
    let as_then = Occurrence { is_past_deadline: is.is_past_deadline, ..now.clone() };
    if as_then == *is {
        Ok(())
    } else if now.has_ended() {
        Err(cannot(steps, "it has ended since"))
    } else if now.spoken != is.spoken || now.last_spoken != is.last_spoken || now.nags != is.nags {
        Err(cannot(steps, "it has rung since"))
    } else {
        Err(cannot(steps, "it has been changed since"))
    }
}

/// Checks that the open occurrence has not come up, and bears no person's mark but a pause.
fn check_unfired(steps: &Steps<'_>, is: &Occurrence) -> Result<(), Rejection> {
    let now = steps.occurrence();
    if steps.has_come_up() || now.has_ended() {
        return Err(cannot(steps, "its next time has come up already"));
    }
    let is_asleep = matches!(now.state, State::Suspended(_)) || matches!(is.state, State::Suspended(_));
    let state = if is_asleep { is.state.clone() } else { now.state.clone() };
    let as_then = Occurrence { state, is_past_deadline: is.is_past_deadline, ..now.clone() };
    if as_then == *is { Ok(()) } else { Err(cannot(steps, "its next time has been changed since")) }
}

fn cannot(steps: &Steps<'_>, why: &'static str) -> Rejection {
    Rejection::CannotUndo { number: steps.task().number, why }
}

/// Returns the task as it was before, in what the operation changed and nobody changed since.
fn task_before(now: &Task, before: &Snapshot, taken: &Taken) -> Result<Task, Rejection> {
    let (was, is) = (&before.task, &taken.after.task);
    let mut task = now.clone();
    macro_rules! back {
        ($($name:literal: $($field:ident).+;)*) => {
            $(if was.$($field).+ != is.$($field).+ {
                if now.$($field).+ != is.$($field).+ {
                    return Err(Rejection::ChangedSince { number: now.number, field: $name });
                }
                task.$($field).+.clone_from(&was.$($field).+);
            })*
        };
    }
    back! {
        "title": details.title;
        "note": details.notes;
        "link": details.link;
        "priority": details.priority;
        "tags": details.tags;
        "metadata": details.metadata;
        "channels": details.targets;
        "retries": details.max_retries;
        "time for being late": details.max_late;
        "time": schedule;
        "alerts": alerts;
        "rule for missed times": policy.missed;
        "nag": policy.nag;
        "way of being done": policy.auto_done;
        "deadline": deadline;
        "following series": followed_by;
    }
    if before.occurrence.name() != taken.after.occurrence.name() || was.cursor != is.cursor {
        (task.cursor, task.last_ended, task.previous) = (was.cursor, was.last_ended, was.previous);
    }
    task.waits = looked_up(&waits_before(now, before, taken)?, taken, task.is_series());
    Ok(task)
}

/// Returns what the task is to wait for.
fn waits_before(now: &Task, before: &Snapshot, taken: &Taken) -> Result<Waits, Rejection> {
    let (was, is) = (&before.task.waits, &taken.after.task.waits);
    let rules = |waits: &Waits| {
        let ids: Vec<_> = waits.parents.iter().map(|parent| parent.id).collect();
        (ids, waits.delay, waits.on_fail)
    };
    if was == is {
        return Ok(now.waits.clone());
    }
    if rules(was) != rules(is) {
        if rules(&now.waits) != rules(is) {
            return Err(Rejection::ChangedSince { number: now.number, field: "list of what it waits for" });
        }
        return Ok(was.clone());
    }
    let back = |parent: &Parent| {
        let of = |waits: &Waits| waits.parents.iter().find(|each| each.id == parent.id).copied();
        match (of(was), of(is)) {
            (Some(was), Some(is)) if was != is && is == *parent => was,
            (_, _) => *parent,
        }
    };
    Ok(Waits { parents: now.waits.parents.iter().map(back).collect(), ..now.waits.clone() })
}

/// Returns what a task waits for, after a time in which it was not told what became of that.
fn looked_up(waits: &Waits, taken: &Taken, is_series: bool) -> Waits {
    let look = |parent: &Parent| match taken.parents.iter().find(|(id, _)| *id == parent.id) {
        Some((_, Wait::Awaited)) | None => *parent,
        Some((_, end)) => match parent.wait {
            Wait::Awaited => Parent { wait: *end, ahead: None, ..*parent },
            // What was done once stays done for this time, and the next would wait for it in vain.
            Wait::Met(Met { is_last: false, .. }) if is_series => Parent { ahead: Some(*end), ..*parent },
            Wait::Met(_) | Wait::Failed(_) => *parent,
        },
    };
    Waits { parents: waits.parents.iter().map(look).collect(), ..waits.clone() }
}
