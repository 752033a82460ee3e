//! What is asked of one time of a series only: another time for it, or none at all. The series stays as it is.

use crate::domain::command::Edit;
use crate::domain::occurrence::{Due, Instance, Nominal, Occurrence};
use crate::domain::rejection::Rejection;
use crate::domain::schedule::Rule;
use crate::domain::state::State;
use crate::domain::time::{Timestamp, resolve};
use crate::domain::transition::steps::Steps;
use crate::domain::transition::{ask, edit, not_now, wake};

/// Gives the open occurrence another time, before its successor's; its name, the rule and its cadence stay.
pub(super) fn edit(steps: &mut Steps<'_>, new: &Edit) -> Result<(), Rejection> {
    if !steps.task().is_series() {
        return edit::edit(steps, new);
    }
    let number = steps.task().number;
    let state = steps.state().name();
    let is_time_alone = *new == Edit { schedule: new.schedule.clone(), ..Edit::default() };
    let time = new.schedule.as_ref().filter(|_| is_time_alone).and_then(|schedule| match schedule.rule {
        Rule::Once(local) => {
            let at = resolve(local, schedule.zone.unwrap_or(steps.moment.zone))?.0;
            Some(Due { nominal: nominal_of(steps, at), at })
        }
        Rule::Countdown(at) => Some(Due { nominal: Nominal::Instant(at), at }),
        Rule::None | Rule::Interval(_) | Rule::Calendar(_) | Rule::Cron(_) | Rule::AfterDone(_) => None,
    });
    let Some(time) = time else { return Err(Rejection::TimeOnly { number, state }) };
    if steps.moment.has_passed(time.at) {
        return Err(Rejection::Past { verb: "edit", number, at: time.at });
    }
    let by_rule = steps.occurrence().instance().expect("an occurrence of a series has a time");
    // One that has none by itself has none at another time.
    let has_successor = steps.occurrence().successor_at.is_some();
    let successor = steps.successor_due(&by_rule).filter(|_| has_successor);
    if let Some(successor) = successor.filter(|successor| *successor <= time.at) {
        return Err(Rejection::PastSuccessor { number, state, at: time.at, successor });
    }
    let successor_at = successor.and_then(|_| steps.successor_of(&by_rule, time));
    let by_rule = Due { nominal: by_rule.nominal, at: by_rule.due };
    let key = steps.occurrence().key;
    let fresh = steps.occurrence_of(&Instance { key, nominal: time.nominal, due: time.at });
    let moved_from = Some(by_rule).filter(|by_rule| by_rule.at != time.at);
    edit::put(steps, Occurrence { moved_from, successor_at, ..fresh }, "this time only");
    wake::wake(steps);
    Ok(())
}

/// Returns an instant as the rule of the task would say it.
fn nominal_of(steps: &Steps<'_>, at: Timestamp) -> Nominal {
    match steps.occurrence().due.map(|due| due.nominal) {
        Some(Nominal::Local(_)) => Nominal::Local(at.local(steps.zone())),
        Some(Nominal::Instant(_)) | None => Nominal::Instant(at),
    }
}

/// Passes over the open occurrence of a series; of a task that comes up once it is the end.
pub(super) fn cancel(steps: &mut Steps<'_>) -> Result<(), Rejection> {
    if !steps.task().is_series() {
        ask::cancel(steps);
        return Ok(());
    }
    match steps.state() {
        State::Pending(_) | State::Running(_) => ask::skip(steps),
        state @ (State::Created | State::Suspended(_) | State::Failed(_)) => {
            Err(not_now(&steps.now_is, "skip", state.name()))
        }
        State::Completed(_) | State::Cancelled(_) => Ok(()),
    }
}
