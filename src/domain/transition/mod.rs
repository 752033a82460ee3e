//! What follows from a command: one match over state and command, and the legal steps that each cell takes.

use crate::domain::command::{Command, Expected, Moment};
use crate::domain::delivery::{self, Delivery};
use crate::domain::effect::Effect;
use crate::domain::event::{Operation, Snapshot};
use crate::domain::occurrence::{Occurrence, Outcome, Spent};
use crate::domain::rejection::Rejection;
use crate::domain::run::Run;
use crate::domain::state::{Ended, State, StateName};
use crate::domain::transition::steps::Steps;

mod ask;
mod clock_set;
mod create;
mod edit;
mod fall_back;
mod following;
mod report;
mod run;
mod silence;
mod steps;
mod targets;
mod this;
mod undo;
mod waits;
mod wake;

#[cfg(test)]
mod tests;

pub use crate::domain::transition::create::{CreateError, create};
pub use crate::domain::transition::following::{Follower, Succession, edit_following};

/// What follows from a command, to be committed as a whole.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Transition {
    /// The legal steps, each an event; none where nothing changes.
    pub steps: Vec<Step>,
    /// Deliveries that are new or changed.
    pub deliveries: Vec<Delivery>,
    /// Runs that are new or changed.
    pub runs: Vec<Run>,
    /// What the edges do after the commit.
    pub effects: Vec<Effect>,
    /// How many instances of a series were passed over.
    pub passed_over: u64,
    /// The task and its present occurrence afterwards.
    pub after: Snapshot,
}

impl Transition {
    /// Returns whether the task changed; a delivery alone does not change it.
    #[must_use]
    pub fn has_changed(&self) -> bool {
        !self.steps.is_empty()
    }
}

/// One legal step.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Step {
    /// What happened.
    pub operation: Operation,
    /// The state before; `None` where the occurrence is new.
    pub from: Option<StateName>,
    /// The state after; `None` where the occurrence was removed.
    pub to: Option<StateName>,
    /// Why, for people; empty where the operation says it all.
    pub reason: &'static str,
    /// The task and occurrence after the step.
    pub snapshot: Snapshot,
}

/// What the store knows besides the task and its present occurrence.
#[derive(Clone, Copy, Debug)]
pub struct Known<'a> {
    /// The deliveries of the present occurrence; for a report or a resend, the one it speaks of is among them.
    pub deliveries: &'a [Delivery],
    /// Instances that do not come up again although they may lie ahead. Only a clock that was set back makes any that the
    /// task's cursor does not tell by itself.
    pub spent: &'a [Spent],
    /// The runs of the task that are kept, oldest first; none where it has no command.
    pub runs: &'a [Run],
    /// The occurrence that a run is reported of, where that is not the present one.
    pub earlier: Option<&'a Occurrence>,
}

impl<'a, T: AsRef<[Delivery]> + ?Sized> From<&'a T> for Known<'a> {
    fn from(deliveries: &'a T) -> Self {
        Self { deliveries: deliveries.as_ref(), spent: &[], runs: &[], earlier: None }
    }
}

/// Returns what follows from `command`, or why it is refused.
///
/// A function in the strict sense (I1): the same arguments give the same result.
///
/// # Errors
/// The state does not allow it, the caller saw something else, or a new value cannot be used.
#[expect(clippy::too_many_lines, reason = "one match over state and command shows every cell at once (I2)")]
pub fn transition<'a>(
    before: &Snapshot,
    known: impl Into<Known<'a>>,
    command: &Command,
    expected: Expected,
    moment: &Moment,
) -> Result<Transition, Rejection> {
    check_expected(before, command.verb(), expected)?;
    let mut steps = Steps::new(before, known.into(), moment);
    if before.task.deleted_at.is_some() && is_shut_out(before, command)? {
        return Ok(steps.finish());
    }
    // Naming the occurrence says that it is meant although it is still ahead.
    let is_named = expected.occurrence.is_some();
    match (&before.occurrence.state, command) {
        (State::Created | State::Failed(_) | State::Completed(_) | State::Cancelled(_), Command::Wake)
        | (State::Failed(_) | State::Completed(_) | State::Cancelled(_), Command::Rezone | Command::ClockSet { .. }) => {
        }
        (State::Pending(_) | State::Running(_) | State::Suspended(_), Command::Wake) => {
            wake::wake(&mut steps);
            wake::tell_of_skips(&mut steps);
        }
        (State::Created | State::Pending(_) | State::Running(_) | State::Suspended(_), Command::Rezone) => {
            edit::rezone(&mut steps);
        }
        (State::Created | State::Pending(_) | State::Running(_) | State::Suspended(_), Command::ClockSet { by }) => {
            clock_set::clock_set(&mut steps, *by);
        }

        (State::Created | State::Pending(_) | State::Suspended(_), Command::Done { early }) => {
            if ask::is_meant(&steps, "complete", *early || is_named)? {
                ask::done(&mut steps);
            }
        }
        (State::Running(_) | State::Failed(_), Command::Done { .. }) => ask::done(&mut steps),

        (State::Pending(_), Command::Ack { early, is_dismissal }) => {
            if ask::is_meant(&steps, "ack", *early || is_named)? {
                ask::ack_ahead(&mut steps, *is_dismissal)?;
            }
        }
        (State::Running(_), Command::Ack { is_dismissal, .. }) => ask::ack(&mut steps, *is_dismissal),

        (State::Pending(_), Command::Snooze { until, is_duration, early }) => {
            if ask::is_meant(&steps, "snooze", *early || is_named)? {
                ask::snooze(&mut steps, *until, *is_duration)?;
            }
        }
        // What it said can be said again later; what it runs is run.
        (State::Running(_), Command::Snooze { .. }) if steps.present_run().is_some() => {
            return Err(Rejection::StillRuns { verb: "snooze", number: before.task.number, state: StateName::Running });
        }
        (State::Running(_), Command::Snooze { until, is_duration, .. }) => {
            ask::snooze(&mut steps, *until, *is_duration)?;
        }

        (State::Pending(_) | State::Running(_) | State::Failed(_), Command::Pause { until }) => {
            ask::pause(&mut steps, *until)?;
        }
        (State::Pending(_) | State::Running(_) | State::Failed(_), Command::PauseThis { until }) => {
            ask::pause_this(&mut steps, *until)?;
        }
        (State::Suspended(_), Command::Resume { shift }) => ask::resume(&mut steps, *shift),
        (State::Suspended(_), Command::SleepOn { pause }) => ask::sleep_on(&mut steps, *pause),
        (
            State::Created
            | State::Pending(_)
            | State::Running(_)
            | State::Failed(_)
            | State::Completed(_)
            | State::Cancelled(_),
            Command::SleepOn { .. },
        ) => {}
        (State::Pending(_) | State::Running(_), Command::Skip) => ask::skip(&mut steps)?,
        (State::Created, Command::Skip) if before.is_waiting() => ask::skip(&mut steps)?,
        (
            State::Created
            | State::Pending(_)
            | State::Running(_)
            | State::Suspended(_)
            | State::Failed(_)
            | State::Completed(_)
            | State::Cancelled(_),
            Command::Run,
        ) => run::ask(&mut steps)?,
        (State::Running(_), Command::Retry) => report::retry(&mut steps),
        (State::Cancelled(Ended { outcome: Outcome::RetriesExhausted, .. }), Command::Retry) => {
            report::try_anew(&mut steps);
        }
        (
            State::Created
            | State::Pending(_)
            | State::Running(_)
            | State::Suspended(_)
            | State::Failed(_)
            | State::Completed(_)
            | State::Cancelled(_),
            Command::Delete,
        ) => ask::delete(&mut steps),
        (
            State::Created
            | State::Pending(_)
            | State::Running(_)
            | State::Suspended(_)
            | State::Failed(_)
            | State::Completed(_)
            | State::Cancelled(_),
            Command::Undo(taken),
        ) => undo::undo(&mut steps, taken)?,

        (
            State::Created | State::Pending(_) | State::Running(_) | State::Suspended(_) | State::Failed(_),
            Command::Cancel,
        ) => ask::cancel(&mut steps),
        (
            State::Created | State::Pending(_) | State::Running(_) | State::Suspended(_) | State::Failed(_),
            Command::CancelThis,
        ) => this::cancel(&mut steps)?,
        (
            State::Created | State::Pending(_) | State::Running(_) | State::Suspended(_) | State::Failed(_),
            Command::Unblock,
        ) => waits::unblock(&mut steps),
        (
            State::Created
            | State::Pending(_)
            | State::Running(_)
            | State::Suspended(_)
            | State::Failed(_)
            | State::Completed(_)
            | State::Cancelled(_),
            Command::ParentEnded(end),
        ) => waits::parent_ended(&mut steps, end),
        (
            State::Created | State::Pending(_) | State::Running(_) | State::Suspended(_) | State::Failed(_),
            Command::Edit(edit),
        ) => edit::edit(&mut steps, edit)?,
        (
            State::Created | State::Pending(_) | State::Running(_) | State::Suspended(_) | State::Failed(_),
            Command::EditThis(edit),
        ) => this::edit(&mut steps, edit)?,

        (
            state @ State::Created,
            Command::Ack { .. } | Command::Snooze { .. } | Command::Pause { .. } | Command::PauseThis { .. },
        )
        | (
            state @ (State::Created | State::Pending(_) | State::Running(_) | State::Failed(_)),
            Command::Resume { .. },
        )
        | (state @ (State::Created | State::Pending(_) | State::Suspended(_) | State::Failed(_)), Command::Retry)
        | (state @ (State::Created | State::Suspended(_) | State::Failed(_)), Command::Skip)
        | (
            state @ State::Suspended(_),
            Command::Ack { .. } | Command::Snooze { .. } | Command::Pause { .. } | Command::PauseThis { .. },
        )
        | (state @ State::Failed(_), Command::Ack { .. } | Command::Snooze { .. }) => {
            return Err(not_now(before, command.verb(), state.name()));
        }
        (
            State::Completed(ended) | State::Cancelled(ended),
            Command::Edit(_)
            | Command::EditThis(_)
            | Command::Done { .. }
            | Command::Ack { .. }
            | Command::Snooze { .. }
            | Command::Pause { .. }
            | Command::PauseThis { .. }
            | Command::Resume { .. }
            | Command::Skip
            | Command::Cancel
            | Command::CancelThis
            | Command::Unblock
            | Command::Retry,
        ) => {
            return Err(has_ended(before, command.verb(), ended.outcome));
        }

        // What comes back from a target is never refused. It touches the delivery, and ends a task for programs only.
        (
            State::Created
            | State::Pending(_)
            | State::Running(_)
            | State::Suspended(_)
            | State::Failed(_)
            | State::Completed(_)
            | State::Cancelled(_),
            Command::Report { delivery: id, report, jitter, is_probe },
        ) => {
            let spent = if *is_probe { delivery::Spent::Nothing } else { delivery::Spent::Attempt };
            report::report(&mut steps, id, report, spent, *jitter);
        }
        (
            State::Created
            | State::Pending(_)
            | State::Running(_)
            | State::Suspended(_)
            | State::Failed(_)
            | State::Completed(_)
            | State::Cancelled(_),
            Command::RunReport { run: id, report, jitter },
        ) => run::report(&mut steps, *id, report, *jitter),
        (
            State::Created
            | State::Pending(_)
            | State::Running(_)
            | State::Suspended(_)
            | State::Failed(_)
            | State::Completed(_)
            | State::Cancelled(_),
            Command::Resend { delivery },
        ) => report::resend(&mut steps, delivery),
        (
            State::Created
            | State::Pending(_)
            | State::Running(_)
            | State::Suspended(_)
            | State::Failed(_)
            | State::Completed(_)
            | State::Cancelled(_),
            Command::Expire { delivery },
        ) => report::expire(&mut steps, delivery),
        (
            State::Created
            | State::Pending(_)
            | State::Running(_)
            | State::Suspended(_)
            | State::Failed(_)
            | State::Completed(_)
            | State::Cancelled(_),
            Command::FallBack { delivery },
        ) => fall_back::fall_back(&mut steps, delivery.fire_id),
        (
            State::Created
            | State::Pending(_)
            | State::Running(_)
            | State::Suspended(_)
            | State::Failed(_)
            | State::Completed(_)
            | State::Cancelled(_),
            Command::Hold { until },
        ) => report::hold(&mut steps, *until),
        (
            State::Created
            | State::Pending(_)
            | State::Running(_)
            | State::Suspended(_)
            | State::Failed(_)
            | State::Completed(_)
            | State::Cancelled(_),
            Command::TellTargetFails { target, failures, error },
        ) => report::tell_target_fails(&mut steps, target, *failures, error),
    }
    Ok(steps.finish())
}

/// Returns the commands of people that a state allows, as they type them; only a series can be skipped.
#[must_use]
pub const fn allowed(state: StateName, is_series: bool) -> &'static [&'static str] {
    match (state, is_series) {
        (StateName::Created, _) => &["edit", "done", "cancel"],
        (StateName::Pending, true) => &["edit", "done", "snooze", "pause", "skip", "cancel"],
        (StateName::Pending, false) => &["edit", "done", "snooze", "pause", "cancel"],
        (StateName::Running, true) => &["edit", "done", "ack", "snooze", "pause", "skip", "retry", "cancel"],
        (StateName::Running, false) => &["edit", "done", "ack", "snooze", "pause", "retry", "cancel"],
        (StateName::Suspended, _) => &["edit", "done", "resume", "cancel"],
        (StateName::Failed, _) => &["edit", "done", "pause", "cancel"],
        (StateName::Completed | StateName::Cancelled, _) => &[],
    }
}

/// What is allowed of a task that waits for another.
const WAITING: [&str; 4] = ["edit", "done", "unblock", "cancel"];

/// The same of a series.
const WAITING_SERIES: [&str; 5] = ["edit", "done", "unblock", "skip", "cancel"];

fn not_now(before: &Snapshot, verb: &'static str, state: StateName) -> Rejection {
    if before.is_waiting() {
        let is_series = before.task.is_series();
        let allowed: &[_] = if is_series { &WAITING_SERIES } else { &WAITING };
        return Rejection::Waiting { verb, number: before.task.number, why: before.task.waits.told(), allowed };
    }
    Rejection::NotNow { verb, number: before.task.number, state, allowed: allowed(state, before.task.is_series()) }
}

/// Returns whether nothing comes of a command since the task is deleted.
fn is_shut_out(before: &Snapshot, command: &Command) -> Result<bool, Rejection> {
    match command {
        Command::Wake
        | Command::Rezone
        | Command::ClockSet { .. }
        | Command::SleepOn { .. }
        | Command::ParentEnded(_)
        | Command::Delete
        | Command::Hold { .. }
        | Command::FallBack { .. }
        | Command::TellTargetFails { .. } => Ok(true),
        Command::Undo(_)
        | Command::RunReport { .. }
        | Command::Report { .. }
        | Command::Resend { .. }
        | Command::Expire { .. } => Ok(false),
        Command::Edit(_)
        | Command::EditThis(_)
        | Command::Done { .. }
        | Command::Ack { .. }
        | Command::Snooze { .. }
        | Command::Pause { .. }
        | Command::PauseThis { .. }
        | Command::Resume { .. }
        | Command::Skip
        | Command::Cancel
        | Command::CancelThis
        | Command::Unblock
        | Command::Run
        | Command::Retry => Err(Rejection::Deleted { verb: command.verb(), number: before.task.number }),
    }
}

fn has_ended(before: &Snapshot, verb: &'static str, outcome: Outcome) -> Rejection {
    Rejection::Ended { verb, number: before.task.number, state: before.occurrence.state.name(), outcome }
}

fn check_expected(before: &Snapshot, verb: &'static str, expected: Expected) -> Result<(), Rejection> {
    let number = before.task.number;
    if let Some(version) = expected.version.filter(|version| *version != before.task.version) {
        return Err(Rejection::Stale { verb, number, expected: version, found: before.task.version });
    }
    let found = before.occurrence.name();
    match expected.occurrence {
        Some(name) if name != found => Err(Rejection::OtherOccurrence { verb, number, expected: name, found }),
        Some(_) | None => Ok(()),
    }
}
