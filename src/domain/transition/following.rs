//! A series is changed from a time on: its rule ends, and another task goes on with it.

use crate::domain::command::{Edit, Expected, Moment, StandingPause};
use crate::domain::event::{Operation, Snapshot};
use crate::domain::occurrence::{Instance, Outcome};
use crate::domain::rejection::Rejection;
use crate::domain::replay::edit_task;
use crate::domain::schedule::{Schedule, ScheduleError};
use crate::domain::state::{State, Suspended};
use crate::domain::task::{Task, TaskLink};
use crate::domain::time::Timestamp;
use crate::domain::transition::steps::{Steps, first_occurrence};
use crate::domain::transition::{Known, Transition, check_expected, create, has_ended, waits, wake};
use crate::domain::waiting::Waits;

/// The task that goes on with a series.
#[derive(Clone, Debug)]
pub struct Follower<'a> {
    /// Its name.
    pub link: TaskLink,
    /// What it has that the series had not.
    pub edit: &'a Edit,
    /// The pause of many tasks that holds for it.
    pub standing: Option<StandingPause>,
}

/// What follows for both, to be committed as one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Succession {
    /// Of the task whose series ends.
    pub ended: Transition,
    /// Of the one that goes on.
    pub follower: Transition,
}

/// Returns what follows from changing a series from its open occurrence on, or from the next where that rang already.
///
/// What came up before stays with the old task, and what rang waits there for its answer. All that the old task says and
/// does goes on with the new one, but for what is edited; a count goes on with what is left of it.
///
/// # Errors
/// It has ended or is no series, the caller saw something else, no time is left, or a new value cannot be used.
pub fn edit_following<'a>(
    before: &Snapshot,
    known: impl Into<Known<'a>>,
    follower: &Follower<'_>,
    expected: Expected,
    moment: &Moment,
) -> Result<Succession, Rejection> {
    check_expected(before, "edit", expected)?;
    let (number, edit) = (before.task.number, follower.edit);
    if before.task.deleted_at.is_some() {
        return Err(Rejection::Deleted { verb: "edit", number });
    }
    if !before.task.is_series() {
        return Err(Rejection::NotSeries { verb: "edit", number, state: before.occurrence.state.name() });
    }
    if edit.title.as_ref().is_some_and(|title| title.trim().is_empty()) {
        return Err(Rejection::EmptyTitle { verb: "edit", number });
    }
    let mut steps = Steps::new(before, known.into(), moment);
    // What came due just before the word rings with the old task.
    wake::wake(&mut steps);
    if let State::Completed(ended) | State::Cancelled(ended) = steps.state() {
        return Err(has_ended(&steps.now_is, "edit", ended.outcome));
    }
    let cut = cut(&steps, edit)?;
    let snapshot = begin(&steps, follower, &cut)?;
    let paused = match steps.state() {
        State::Suspended(suspended) if !suspended.is_this_only => Some(*suspended),
        State::Created | State::Pending(_) | State::Running(_) | State::Suspended(_) | State::Failed(_) => None,
        State::Completed(_) | State::Cancelled(_) => None,
    };
    end(&mut steps, follower.link, &cut);
    let moment = Moment { standing: follower.standing, ..*moment };
    let born = match paused {
        Some(paused) => born_asleep(&snapshot, &paused, &moment),
        None => create::born(&snapshot, &moment),
    };
    Ok(Succession { ended: steps.finish(), follower: born })
}

/// Where a series is cut in two.
struct Cut {
    /// Whether the open occurrence came up already, so that it stays with the old task.
    stays: bool,
    /// What is left of the old schedule.
    ended: Schedule,
    /// The new schedule.
    schedule: Schedule,
    /// The first time of the new task.
    first: Instance,
    /// The latest time that the new task must not have again.
    last: Option<Instance>,
}

fn cut(steps: &Steps<'_>, edit: &Edit) -> Result<Cut, Rejection> {
    let (task, zone, now) = (steps.task(), steps.moment.zone, steps.now());
    let refuse = |source| Rejection::Schedule { verb: "edit", number: task.number, source };
    let open = task.cursor.expect("a series has opened an occurrence");
    let is_due = steps.occurrence().due_at().is_some_and(|due| due <= now);
    let stays = match steps.state() {
        State::Running(_) | State::Failed(_) => true,
        State::Created | State::Pending(_) | State::Suspended(_) => is_due && steps.has_spoken(),
        State::Completed(_) | State::Cancelled(_) => false,
    };
    let last = if stays { Some(open) } else { task.last_ended };
    let (first, schedule) = match &edit.schedule {
        None => {
            // By the rule it may have passed, where a person had given it another time.
            let first = Some(open).filter(|open| !stays && open.due > now);
            let first = first.or_else(|| steps.next_behind(Some(open)));
            (first, first.map(|first| task.schedule.rest_from(&first, zone)))
        }
        Some(new) => {
            new.validate().map_err(refuse)?;
            if !new.rule.is_series() {
                let state = steps.state().name();
                return Err(Rejection::FollowingOnce { number: task.number, state });
            }
            let behind = if stays { steps.next_behind(Some(open)) } else { Some(open) };
            let until = if new.has_end() { new.clone() } else { new.until_as(&task.schedule, zone) };
            let first = steps.next_of(&until, last);
            let schedule = match &first {
                Some(first) if !new.has_end() => until.counted_as(first, &task.schedule, behind.as_ref(), zone),
                Some(_) | None => Some(until),
            };
            (first, schedule)
        }
    };
    let (Some(first), Some(schedule)) = (first, schedule) else { return Err(refuse(ScheduleError::NothingAhead)) };
    let ended = if stays { task.schedule.ended_with(&open, zone) } else { task.schedule.ended_before(&open, zone) };
    Ok(Cut { stays, ended, schedule, first, last })
}

/// Returns the new task with its first occurrence, CREATED.
fn begin(steps: &Steps<'_>, follower: &Follower<'_>, cut: &Cut) -> Result<Snapshot, Rejection> {
    let (old, moment) = (steps.task(), steps.moment);
    let refuse = |source| Rejection::Schedule { verb: "edit", number: old.number, source };
    let mut task = Task {
        id: follower.link.id,
        number: follower.link.number,
        version: 1,
        created_at: moment.now,
        updated_at: moment.now,
        last_ended: cut.last,
        previous: None,
        follows: Some(TaskLink { id: old.id, number: old.number }),
        followed_by: None,
        deleted_at: None,
        ..old.clone()
    };
    edit_task(&mut task, follower.edit);
    task.waits = waits_of_first(steps, cut);
    task.schedule = cut.schedule.clone();
    task.alerts.sort_unstable();
    task.alerts.dedup();
    task.cursor = Some(cut.first);
    create::check_nag(task.policy).map_err(refuse)?;
    let occurrence = first_occurrence(&task, Some(&cut.first), &[], moment);
    create::check_deadline(&occurrence, moment).map_err(refuse)?;
    Ok(Snapshot { task, occurrence })
}

/// Returns what the first occurrence of the new task waits for: as the next of the series would where the open one stays
/// with the old task, else as that one did.
fn waits_of_first(steps: &Steps<'_>, cut: &Cut) -> Waits {
    let waits = &steps.task().waits;
    match cut.stays {
        true => waits.anew(),
        false if waits.is_met() => waits.clone(),
        false => waits.caught_up(),
    }
}

/// The old rule ends; an open occurrence that rang is its last, one that did not is the new task's.
fn end(steps: &mut Steps<'_>, by: TaskLink, cut: &Cut) {
    steps.step(
        Operation::Followed { by, schedule: Box::new(cut.ended.clone()) },
        "another task goes on with its series",
    );
    if !cut.stays {
        steps.silence();
        steps.step(Operation::Cancelled(Outcome::Cancelled), "another task goes on with it");
    }
}

/// As [`create::born`], and it sleeps with the pause with which the old task slept; where it waits, it is not armed.
fn born_asleep(snapshot: &Snapshot, paused: &Suspended, moment: &Moment) -> Transition {
    let moment = Moment { standing: None, ..*moment };
    create::born_with(snapshot, &moment, |steps| {
        if steps.task().waits.is_met() {
            steps.step(Operation::Armed, "");
        } else {
            waits::settle(steps, Timestamp::MIN);
        }
        steps.sleep_on(paused);
    })
}
