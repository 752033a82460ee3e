//! The birth of a task.

use crate::domain::command::{Moment, NewTask};
use crate::domain::event::{Operation, Snapshot};
use crate::domain::schedule::{Rule, ScheduleError};
use crate::domain::task::Task;
use crate::domain::time::{Span, Timestamp};
use crate::domain::transition::steps::{Steps, first_occurrence};
use crate::domain::transition::{Step, Transition, wake};

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

/// Returns what follows from adding a task: it is CREATED, armed where it has a time, and rings where that is now or
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
        cursor: None,
        last_ended: None,
        previous: None,
    };
    task.alerts.sort_unstable();
    task.alerts.dedup();
    let instance = task.schedule.next_after(None, moment.now, moment.zone);
    match (&task.schedule.rule, &instance) {
        (Rule::None, _) => {}
        (Rule::Once(_) | Rule::Countdown(_), Some(instance)) if moment.has_passed(instance.due) => {
            return Err(CreateError::Past { at: instance.due });
        }
        (_, Some(_)) => {}
        (_, None) => return Err(CreateError::Schedule { source: ScheduleError::NothingAhead }),
    }
    let occurrence = first_occurrence(&task, instance.as_ref(), moment);
    task.cursor = instance;
    let snapshot = Snapshot { task, occurrence };
    Ok(finish(&snapshot, moment))
}

fn finish(snapshot: &Snapshot, moment: &Moment) -> Transition {
    let added = Step {
        operation: Operation::Added(Box::new(snapshot.clone())),
        from: None,
        to: Some(snapshot.occurrence.state.name()),
        reason: "",
        snapshot: snapshot.clone(),
    };
    let mut steps = Steps::continuing(snapshot, moment);
    if snapshot.occurrence.due.is_some() {
        steps.step(Operation::Armed, "");
        wake::wake(&mut steps);
    }
    let mut transition = steps.finish();
    transition.steps.insert(0, added);
    transition
}
