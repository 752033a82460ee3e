//! What becomes of a task by its command: when it is started, what its end makes of the occurrence, and what a time means at
//! which it still runs (SPEC 4 and 7).

use uuid::Uuid;

use crate::domain::delivery::DeliveryId;
use crate::domain::effect::Effect;
use crate::domain::event::{Operation, Snapshot, apply};
use crate::domain::message::{Occasion, Reason, command_failed};
use crate::domain::occurrence::{FireId, Instance, Occurrence, OccurrenceName, Outcome, Slot};
use crate::domain::rejection::Rejection;
use crate::domain::retry::{Jitter, back_off};
use crate::domain::run::{Overlap, Run, RunEnd, RunId, RunReport, RunStatus};
use crate::domain::schedule::Passed;
use crate::domain::state::State;
use crate::domain::time::Timestamp;
use crate::domain::transition::steps::Steps;
use crate::domain::transition::{Step, wake};

/// Why a time of a series is passed over at which the command still runs.
pub(super) const STILL_RUNS: &str = "its command was still running";

/// How many runs of one task may be open where they may overlap (I9): a command that hangs must not heap them up for ever.
const OPEN_MAX: usize = 100;

/// A run of this attempt was asked for besides the task's times: it changes no state.
const EXTRA: u32 = 0;

impl Steps<'_> {
    /// Returns whether the task runs something when it is due.
    pub(super) fn has_command(&self) -> bool {
        self.task().details.command.is_some()
    }

    /// Returns the attempt at the present occurrence that is not over.
    pub(super) fn present_run(&self) -> Option<&Run> {
        let name = self.occurrence().name();
        let is_present = |run: &&Run| run.occurrence == name && run.attempt != EXTRA;
        self.runs.iter().filter(is_present).find(|run| match run.status {
            RunStatus::Queued | RunStatus::Starting | RunStatus::Running { .. } => true,
            RunStatus::Ending { .. } | RunStatus::Ended { .. } => false,
        })
    }

    /// Returns whether a run of the task, of whatever occurrence, is not over.
    fn is_busy(&self) -> bool {
        self.runs.iter().any(|run| !run.is_over())
    }

    /// Returns whether another run may be begun beside those that are not over.
    fn has_room(&self, overlap: Overlap) -> bool {
        let open = self.runs.iter().filter(|run| !run.is_over()).count();
        open == 0 || overlap == Overlap::Allow && open < OPEN_MAX
    }

    /// Returns whether the time that has come is to be passed over, since something of the task still runs.
    pub(super) fn is_blocked_by_run(&self) -> bool {
        let overlap = self.task().details.command.as_ref().map(|program| program.overlap);
        overlap == Some(Overlap::Skip) && self.task().is_series() && !self.task().runs_each() && self.is_busy()
    }

    /// Starts the next attempt at the present occurrence.
    pub(super) fn start_command(&mut self) {
        let Some(program) = self.task().details.command.clone() else { return };
        let (task, occurrence) = (self.task().id, self.occurrence().name());
        let made = self.runs.iter().filter(|run| run.occurrence == occurrence).map(|run| run.attempt).max();
        let attempt = made.unwrap_or(EXTRA) + 1;
        let resumes_from = self.left_at();
        self.order(Run {
            id: RunId::compute(task, occurrence, attempt),
            task,
            occurrence,
            attempt,
            program: *program,
            status: RunStatus::Queued,
            created_at: self.now(),
            resumes_from,
            checkpoint: None,
            progress: None,
        });
    }

    /// Returns what the latest attempt at this time had reported, where it did not come to its end.
    fn left_at(&self) -> Option<String> {
        let key = self.occurrence().key;
        let latest = self.runs.iter().rev().find(|run| run.occurrence.key == key && run.attempt != EXTRA)?;
        match &latest.status {
            RunStatus::Ended { end, .. } if end.is_success() => None,
            RunStatus::Queued
            | RunStatus::Starting
            | RunStatus::Running { .. }
            | RunStatus::Ending { .. }
            | RunStatus::Ended { .. } => latest.checkpoint.clone().or_else(|| latest.resumes_from.clone()),
        }
    }

    fn order(&mut self, run: Run) {
        self.effects.push(Effect::Run(Box::new(run.clone())));
        self.change_run(run);
    }

    /// Takes a step of the named occurrence: of the present one, or of the earlier one that a run is reported of.
    pub(super) fn step_of(&mut self, name: OccurrenceName, operation: Operation, reason: &'static str) {
        if self.occurrence().name() == name {
            return self.step(operation, reason);
        }
        // What was purged with its history has nothing left to tell.
        let Some(earlier) = self.earlier.clone().filter(|earlier| earlier.name() == name) else { return };
        let before = Snapshot { occurrence: earlier, task: self.now_is.task.clone() };
        let from = Some(before.occurrence.state.name());
        let after = apply(Some(&before), &operation, self.now(), self.version)
            .expect("the rules make only operations that fit");
        self.now_is.task = after.task.clone();
        self.earlier = Some(after.occurrence.clone());
        let to = Some(after.occurrence.state.name());
        self.taken.push(Step { operation, from, to, reason, snapshot: after });
    }

    /// Notes a run as it is now.
    pub(super) fn change_run(&mut self, run: Run) {
        match self.runs.iter_mut().find(|known| known.id == run.id) {
            Some(known) => known.clone_from(&run),
            None => self.runs.push(run.clone()),
        }
        self.changed_runs.retain(|known| known.id != run.id);
        self.changed_runs.push(run);
    }

    /// Ends what runs for the present occurrence, which has ended: nobody waits for it any more.
    pub(super) fn end_command(&mut self) {
        let name = self.occurrence().name();
        self.end_runs(|run| run.occurrence == name && run.attempt != EXTRA);
    }

    /// Ends whatever runs of the task.
    pub(super) fn end_all_runs(&mut self) {
        self.end_runs(|_| true);
    }

    fn end_runs(&mut self, is_meant: impl Fn(&Run) -> bool) {
        let meant: Vec<Run> = self.runs.iter().filter(|run| is_meant(run) && !run.is_over()).cloned().collect();
        for run in meant {
            let status = match run.status {
                RunStatus::Queued => RunStatus::Ended { since: None, at: self.now(), end: RunEnd::Withdrawn },
                RunStatus::Starting => RunStatus::Ending { since: None, process: None },
                RunStatus::Running { since, process } => {
                    RunStatus::Ending { since: Some(since), process: Some(process) }
                }
                RunStatus::Ending { .. } | RunStatus::Ended { .. } => continue,
            };
            self.effects.retain(|effect| !matches!(effect, Effect::Run(ordered) if ordered.id == run.id));
            self.effects.push(Effect::EndRun(run.id));
            self.change_run(Run { status, ..run });
        }
    }
}

/// Starts the command now, besides the task's times; where it waits for another attempt, that is made now.
pub(super) fn ask(steps: &mut Steps<'_>) -> Result<(), Rejection> {
    let number = steps.task().number;
    let Some(program) = steps.task().details.command.clone() else {
        return Err(Rejection::NoCommand { number, state: steps.state().name() });
    };
    if !steps.has_room(program.overlap) {
        return Err(Rejection::StillRuns { verb: "run", number, state: steps.state().name() });
    }
    if matches!(steps.state(), State::Pending(pending) if pending.retry_at.is_some()) {
        try_again(steps);
        return Ok(());
    }
    let (task, occurrence) = (steps.task().id, steps.occurrence().name());
    steps.order(Run {
        id: RunId::asked_for(task, steps.moment.op_id),
        task,
        occurrence,
        attempt: EXTRA,
        program: *program,
        status: RunStatus::Queued,
        created_at: steps.now(),
        resumes_from: None,
        checkpoint: None,
        progress: None,
    });
    Ok(())
}

/// Makes the next attempt at what failed.
pub(super) fn try_again(steps: &mut Steps<'_>) {
    steps.step(Operation::Started, "its command is tried again");
    steps.start_command();
}

/// Follows what the runner says of a run.
pub(super) fn report(steps: &mut Steps<'_>, id: RunId, report: &RunReport, jitter: Jitter) {
    let Some(run) = steps.runs.iter().find(|run| run.id == id && !run.is_over()).cloned() else { return };
    let now = steps.now();
    match report {
        RunReport::Starting => {
            if run.status == RunStatus::Queued {
                steps.change_run(Run { status: RunStatus::Starting, ..run });
            }
        }
        RunReport::Started { process } => {
            let (attempt, process) = (run.attempt, *process);
            if matches!(run.status, RunStatus::Ending { .. }) {
                let status = RunStatus::Ending { since: Some(now), process: Some(process) };
                steps.change_run(Run { status, ..run });
                steps.effects.push(Effect::EndRun(id));
            } else {
                let name = run.occurrence;
                steps.change_run(Run { status: RunStatus::Running { since: now, process }, ..run });
                steps.step_of(name, Operation::RunStarted { attempt }, "");
            }
        }
        RunReport::Progress(progress) => {
            let name = run.occurrence;
            if run.progress.as_ref() != Some(progress) {
                steps.change_run(Run { progress: Some(progress.clone()), ..run });
                steps.step_of(name, Operation::Progressed(progress.clone()), "");
            }
        }
        RunReport::Checkpoint(text) => steps.change_run(Run { checkpoint: Some(text.clone()), ..run }),
        RunReport::Ended { end, .. } => ended(steps, &run, end, jitter),
    }
}

fn ended(steps: &mut Steps<'_>, run: &Run, end: &RunEnd, jitter: Jitter) {
    let now = steps.now();
    let (since, was_ending) = match run.status {
        RunStatus::Running { since, .. } => (Some(since), false),
        RunStatus::Ending { since, .. } => (since, true),
        RunStatus::Queued | RunStatus::Starting | RunStatus::Ended { .. } => (None, false),
    };
    let end = if was_ending { RunEnd::Stopped } else { end.clone() };
    let attempt = run.attempt;
    steps.change_run(Run { status: RunStatus::Ended { since, at: now, end: end.clone() }, ..run.clone() });
    steps.step_of(run.occurrence, Operation::RunEnded { attempt, end: end.clone() }, "");
    if attempt == EXTRA {
        return;
    }
    if run.occurrence != steps.occurrence().name() {
        return end_earlier(steps, run, &end);
    }
    // What ended has ended; and where it was given another time, that has an attempt of its own.
    let is_latest = steps.runs.iter().all(|other| other.occurrence != run.occurrence || other.attempt <= attempt);
    if was_ending || !is_latest {
        return;
    }
    match steps.state().clone() {
        State::Running(_) => settle(steps, run, &end, jitter),
        // What ran while it was paused has run; what failed is tried again when it resumes.
        State::Suspended(suspended) if end.is_success() || attempt >= steps.task().runs_max() => {
            let due = steps.occurrence().due;
            steps.step(Operation::Resumed { due, snooze: None }, "");
            steps.step(Operation::Started, "its command has ended");
            let next = steps.next_instance();
            end_occurrence(steps, run, &end);
            if let Some(next) = next {
                steps.open_asleep(&next, &suspended);
            }
        }
        // It was given another time meanwhile, or ended: what ran for the old one ends nothing.
        State::Created
        | State::Pending(_)
        | State::Suspended(_)
        | State::Failed(_)
        | State::Completed(_)
        | State::Cancelled(_) => {}
    }
}

/// Ends the present occurrence, or has its command tried again.
fn settle(steps: &mut Steps<'_>, run: &Run, end: &RunEnd, jitter: Jitter) {
    if !end.is_success() && run.attempt < steps.task().runs_max() {
        let at = steps.now().saturating_add(back_off(run.attempt, jitter));
        steps.step(Operation::Failed, "its command failed");
        steps.step(Operation::Retried { at: Some(at) }, "");
        return wake::wake(steps);
    }
    if let Some(next) = next_in_turn(steps) {
        end_occurrence(steps, run, end);
        steps.open(&next);
        return ring_in_turn(steps, &next);
    }
    let next = wake::take_next(steps);
    end_occurrence(steps, run, end);
    if let Some(next) = next {
        steps.open(&next);
        wake::wake(steps);
    }
}

fn end_occurrence(steps: &mut Steps<'_>, run: &Run, end: &RunEnd) {
    if end.is_success() {
        steps.step(Operation::Completed(Outcome::Done), "its command succeeded");
    } else {
        let failed_before = steps.task().previous == Some(Outcome::RetriesExhausted);
        steps.step(Operation::Failed, "its command failed");
        steps.step(Operation::Cancelled(Outcome::RetriesExhausted), "");
        // One that fails each time is told once, until it has succeeded.
        if !failed_before {
            tell_of_failure(steps, run, end);
        }
    }
    steps.silence();
}

/// An occurrence that its successor left open: nothing else follows from its end.
fn end_earlier(steps: &mut Steps<'_>, run: &Run, end: &RunEnd) {
    let is_running = |earlier: &&Occurrence| matches!(earlier.state, State::Running(_));
    if steps.earlier.as_ref().filter(is_running).is_none_or(|earlier| earlier.name() != run.occurrence) {
        return;
    }
    if end.is_success() {
        steps.step_of(run.occurrence, Operation::Completed(Outcome::Done), "its command succeeded");
    } else if *end == RunEnd::Stopped {
        steps.step_of(run.occurrence, Operation::Failed, "its command was asked to end");
        steps.step_of(run.occurrence, Operation::Cancelled(Outcome::Cancelled), "");
    } else {
        steps.step_of(run.occurrence, Operation::Failed, "its command failed");
        steps.step_of(run.occurrence, Operation::Cancelled(Outcome::RetriesExhausted), "its successor has come up");
        tell_of_failure(steps, run, end);
    }
}

/// Returns the time behind the present one that came up while the command ran, where each is run in its turn.
fn next_in_turn(steps: &Steps<'_>) -> Option<Instance> {
    let present = steps.task().cursor.filter(|_| steps.task().runs_each() && steps.task().is_series())?;
    next_behind(steps, &present).filter(|next| next.due <= steps.now())
}

/// Returns the first instance behind another that comes up still, be it long past.
pub(super) fn next_behind(steps: &Steps<'_>, instance: &Instance) -> Option<Instance> {
    let mut behind = steps.task().schedule.instances(Some(instance), instance.due, steps.moment.zone);
    behind.find(|next| !steps.spent.iter().any(|spent| spent.key == next.key))
}

/// Runs what came up while the one before it ran, though it was missed: it waited for its turn.
fn ring_in_turn(steps: &mut Steps<'_>, next: &Instance) {
    let late = steps.now().since(next.due);
    let is_too_late = steps.task().details.max_late.is_some_and(|max| max < late);
    if matches!(steps.state(), State::Pending(_)) && !is_too_late {
        steps.ring(Slot::DUE, None, next.due, Vec::new());
    } else {
        wake::wake(steps);
    }
}

/// Returns whether the successor of the present occurrence, whose time has come, is seen to by the rule of overlap.
pub(super) fn overlap(steps: &mut Steps<'_>) -> bool {
    let (Some(_), Some(present)) = (steps.present_run(), steps.occurrence().instance()) else { return false };
    let rule = steps.task().details.command.as_ref().map(|program| program.overlap).unwrap_or_default();
    if steps.task().runs_each() {
        wait_for(steps, None);
    } else if rule == Overlap::Allow && steps.has_room(rule) {
        let Some(next) = steps.latest_behind(&present).map(|(next, _)| next) else { return false };
        // The one that runs stays open, and ends by itself.
        steps.open(&next);
        wake::wake(steps);
    } else {
        if let Some((latest, between)) = steps.latest_behind(&present) {
            wake::pass_over(steps, between.and(Passed::one(latest.due)), STILL_RUNS);
        }
        let next = steps.next_instance().map(|next| next.due);
        wait_for(steps, next);
    }
    true
}

/// The present occurrence has its place until then; `None`: until its command has ended.
fn wait_for(steps: &mut Steps<'_>, successor_at: Option<Timestamp>) {
    let occurrence = Occurrence { successor_at, ..steps.occurrence().clone() };
    steps.step(Operation::Moved(Box::new(occurrence)), STILL_RUNS);
}

/// Another attempt is not waited for past the time of the next one.
pub(super) fn give_up(steps: &mut Steps<'_>) {
    let next = wake::take_next(steps);
    steps.step(Operation::Cancelled(Outcome::RetriesExhausted), "its successor is due");
    steps.silence();
    if let Some(next) = next {
        steps.open(&next);
        wake::wake(steps);
    }
}

fn tell_of_failure(steps: &mut Steps<'_>, run: &Run, end: &RunEnd) {
    let fire_id = FireId(Uuid::new_v5(&steps.task().id.0, format!("failed|{}", run.id).as_bytes()));
    let message = command_failed(steps.task(), run.attempt, end);
    let occasion = Occasion { due: steps.occurrence().due, ..steps.occasion(Reason::CommandFailed) };
    let mut targets = steps.targets();
    targets.retain(|target| target.kind.is_person());
    if targets.is_empty() {
        targets = steps.default_targets();
    }
    for target in targets {
        steps.deliver(DeliveryId { fire_id, target }, message.clone(), occasion.clone());
    }
}
