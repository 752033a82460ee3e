//! The birth of a task.

use crate::domain::command::{Moment, NewTask};
use crate::domain::event::{Operation, Snapshot};
use crate::domain::occurrence::{Due, Occurrence};
use crate::domain::schedule::{INTERVAL_MIN, Rule, ScheduleError};
use crate::domain::task::{Nag, Policy, Task};
use crate::domain::time::{Span, Timestamp};
use crate::domain::transition::steps::{Steps, first_occurrence};
use crate::domain::transition::{Step, Transition, waits, wake};
use crate::domain::waiting::Waits;

/// Why a task was not added.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum CreateError {
    /// It has no title.
    #[error("cannot add the task: expected a title, found nothing")]
    EmptyTitle,
    /// Its time has passed.
    #[error("cannot add the task: {at} has passed")]
    Past {
        /// The time.
        at: Timestamp,
    },
    /// Its schedule cannot be used.
    #[error("cannot add the task: {source}")]
    Schedule {
        /// Why.
        #[from]
        source: ScheduleError,
    },
}

/// Returns what follows from adding a task: it is CREATED, armed where it has a time and waits for no other task, and rings where that is now or
/// passed while the request waited.
///
/// # Errors
/// It has no title, its time has passed, or its schedule cannot be used.
pub fn create(new: NewTask, moment: &Moment) -> Result<Transition, CreateError> {
    if new.details.title.trim().is_empty() {
        return Err(CreateError::EmptyTitle);
    }
    new.schedule.validate()?;
    let mut task = Task {
        id: new.id,
        number: new.number,
        details: new.details,
        schedule: new.schedule,
        alerts: new.alerts.unwrap_or_else(|| vec![Span::ZERO]),
        version: 1,
        created_at: moment.now,
        updated_at: moment.now,
        policy: new.policy,
        deadline: new.deadline,
        waits: Waits::default().set(&new.waits),
        cursor: None,
        last_ended: None,
        previous: None,
        follows: None,
        followed_by: None,
        deleted_at: None,
    };
    task.alerts.sort_unstable();
    task.alerts.dedup();
    check_nag(task.policy)?;
    let instance = task.schedule.next_after(None, moment.now, moment.zone);
    match (&task.schedule.rule, &instance) {
        (Rule::None, _) => {}
        (Rule::Once(_) | Rule::Countdown(_) | Rule::AfterDone(_), Some(instance))
            if moment.has_passed(instance.due) =>
        {
            return Err(CreateError::Past { at: instance.due });
        }
        (_, Some(_)) => {}
        (_, None) => return Err(CreateError::Schedule { source: ScheduleError::NothingAhead }),
    }
    let occurrence = first_occurrence(&task, instance.as_ref(), &[], moment);
    check_deadline(&occurrence, moment)?;
    task.cursor = instance;
    let snapshot = Snapshot { task, occurrence };
    Ok(born(&snapshot, moment))
}

/// Checks that a deadline lies ahead, and not before due.
pub(super) fn check_deadline(occurrence: &Occurrence, moment: &Moment) -> Result<(), ScheduleError> {
    let Some(Due { at: deadline, .. }) = occurrence.deadline else { return Ok(()) };
    match occurrence.due_at() {
        Some(due) if deadline < due => Err(ScheduleError::DeadlineBeforeDue { deadline, due }),
        Some(_) | None if moment.has_passed(deadline) => Err(ScheduleError::DeadlinePast { deadline }),
        Some(_) | None => Ok(()),
    }
}

/// Checks that a nag pauses between its rings, and rings at all.
pub(super) fn check_nag(policy: Policy) -> Result<(), ScheduleError> {
    match policy.nag {
        Some(Nag { every, max }) if every < INTERVAL_MIN || max == 0 => Err(ScheduleError::Nag { every, max }),
        Some(_) | None => Ok(()),
    }
}

/// Returns what follows from a task with its first occurrence, which is CREATED.
pub(super) fn born(snapshot: &Snapshot, moment: &Moment) -> Transition {
    born_with(snapshot, moment, |steps| {
        if steps.now_is.is_waiting() {
            waits::settle(steps, Timestamp::MIN);
        } else if steps.occurrence().has_time() {
            steps.arm();
        }
        wake::wake(steps);
    })
}

/// As [`born`], and `arm` says what becomes of the occurrence.
pub(super) fn born_with(snapshot: &Snapshot, moment: &Moment, arm: impl FnOnce(&mut Steps<'_>)) -> Transition {
    let added = Step {
        operation: Operation::Added(Box::new(snapshot.clone())),
        from: None,
        to: Some(snapshot.occurrence.state.name()),
        reason: "",
        snapshot: snapshot.clone(),
    };
    let mut steps = Steps::continuing(snapshot, moment);
    arm(&mut steps);
    let mut transition = steps.finish();
    transition.steps.insert(0, added);
    transition
}
