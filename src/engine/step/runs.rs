//! Which runs does a command find, and what does a batch note of them?

use std::sync::Arc;

use crate::domain::command::Command;
use crate::domain::event::{Actor, Event, Operation, Snapshot};
use crate::domain::occurrence::Occurrence;
use crate::domain::run::{Run, RunId, RunReport};
use crate::domain::task::TaskId;
use crate::engine::step::Batch;
use crate::store::StoreError;

impl Batch<'_> {
    /// Notes what the runner says of a run; of one that is not stored there is nothing to note.
    ///
    /// # Errors
    /// The store cannot be read.
    pub(in crate::engine) fn run_report(&mut self, id: RunId, report: &RunReport) -> Result<(), Arc<StoreError>> {
        let Some(run) = self.run(id)? else { return Ok(()) };
        if let RunReport::Ended { output, .. } = report
            && !run.is_over()
        {
            self.change.outputs.push((id, output.clone()));
        }
        let command = Command::RunReport { run: id, report: report.clone(), jitter: self.ids.jitter() };
        self.command(run.task, &command, Actor::Daemon)
    }

    /// Returns the runs that a command finds: of what has no command only a report finds any, of before it was removed.
    pub(super) fn runs_for(&self, snapshot: &Snapshot, command: &Command) -> Result<Vec<Run>, StoreError> {
        let is_report = matches!(command, Command::RunReport { .. });
        if is_report { self.all_runs(snapshot.task.id) } else { self.runs_of(snapshot) }
    }

    /// Returns the runs of a task; firings of what has no command need not ask the store.
    pub(super) fn runs_of(&self, snapshot: &Snapshot) -> Result<Vec<Run>, StoreError> {
        let has_command = snapshot.task.details.command.is_some();
        if has_command { self.all_runs(snapshot.task.id) } else { Ok(Vec::new()) }
    }

    /// Returns the runs of a task as this batch leaves them.
    fn all_runs(&self, task: TaskId) -> Result<Vec<Run>, StoreError> {
        let mut runs = self.store.runs(task)?;
        for run in self.runs.values().filter(|run| run.task == task) {
            match runs.iter_mut().find(|known| known.id == run.id) {
                Some(known) => known.clone_from(run),
                None => runs.push(run.clone()),
            }
        }
        Ok(runs)
    }

    /// Returns the occurrence that a run is reported of, where that is not the present one any more.
    pub(super) fn earlier_for(
        &self,
        snapshot: &Snapshot,
        runs: &[Run],
        command: &Command,
    ) -> Result<Option<Occurrence>, StoreError> {
        let Command::RunReport { run: id, .. } = command else { return Ok(None) };
        let is_earlier = |run: &&Run| run.id == *id && run.occurrence != snapshot.occurrence.name();
        let Some(run) = runs.iter().find(is_earlier) else { return Ok(None) };
        let (task, name) = (snapshot.task.id, run.occurrence);
        let is_meant = |event: &&Event| {
            event.snapshot.task.id == task
                && event.snapshot.occurrence.name() == name
                && event.operation != Operation::Withdrawn
        };
        match self.change.events.iter().rev().find(is_meant) {
            Some(event) => Ok(Some(event.snapshot.occurrence.clone())),
            None => self.store.occurrence(task, name),
        }
    }

    fn run(&self, id: RunId) -> Result<Option<Run>, StoreError> {
        match self.runs.get(&id) {
            Some(run) => Ok(Some(run.clone())),
            None => self.store.run(id),
        }
    }
}
