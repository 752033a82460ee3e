//! What can be asked of the runs of a task? Those that are kept, and what they have said.

use std::future::pending;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use tokio::time::timeout;

use crate::domain::event::Snapshot;
use crate::domain::run::{Output, Run, RunId, RunStatus};
use crate::domain::state::State;
use crate::domain::task::TaskId;
use crate::engine::handle::Handle;
use crate::engine::input::CallError;
use crate::runner::Runner;

/// How long what a run says is gathered for whoever follows it: no eye sees that, and a flood is told in few pieces.
const GATHERED: Duration = Duration::from_millis(25);

impl Handle {
    /// Returns it with what runs commands, which knows what they say.
    #[must_use]
    pub(super) fn with_runner(mut self, runner: Arc<dyn Runner>) -> Self {
        self.runner = Some(runner);
        self
    }

    /// Returns the runs of a task that are kept, in the order in which they were decided on.
    ///
    /// # Errors
    /// The store fails.
    pub async fn runs(&self, task: TaskId) -> Result<Vec<Run>, CallError> {
        self.read(move |store| Ok(store.runs(task)?)).await
    }

    /// Returns the runs that are not over, in the order in which they were decided on.
    ///
    /// # Errors
    /// The store fails.
    pub async fn open_runs(&self) -> Result<Vec<Run>, CallError> {
        self.read(|store| Ok(store.open_runs()?)).await
    }

    /// Returns tasks, each with its runs where it has a command that has been tried.
    ///
    /// # Errors
    /// The store fails.
    pub async fn with_runs(&self, tasks: Vec<Snapshot>) -> Result<Vec<(Snapshot, Vec<Run>)>, CallError> {
        if !tasks.iter().any(is_tried) {
            return Ok(tasks.into_iter().map(|each| (each, Vec::new())).collect());
        }
        self.read(move |store| {
            let with_runs = |each: Snapshot| {
                let runs = if is_tried(&each) { store.runs(each.task.id)? } else { Vec::new() };
                Ok((each, runs))
            };
            tasks.into_iter().map(with_runs).collect()
        })
        .await
    }

    /// Returns what a run has said until now, and nothing where it said nothing yet or that is not kept any more.
    ///
    /// # Errors
    /// The store fails.
    pub async fn output(&self, run: &Run) -> Result<Output, CallError> {
        if let Some(runner) = self.runner.as_ref().filter(|_| !run.is_over())
            && let Some(output) = runner.output_of(run.id).await
        {
            return Ok(output);
        }
        let id = run.id;
        // It may have ended meanwhile.
        Ok(self.read(move |store| Ok(store.output(id)?)).await?.unwrap_or_default())
    }

    /// Waits until a run has said more than `since` bytes, or is over and that is on the disk.
    ///
    /// # Errors
    /// The store fails, or the engine ends.
    pub async fn output_behind(&self, id: RunId, since: u64) -> Result<(), CallError> {
        let mut committed = self.last_seq();
        let mut said: Option<BoxFuture<'_, Option<Output>>> = None;
        loop {
            committed.borrow_and_update();
            let run = self.read(move |store| Ok(store.run(id)?)).await?;
            // What is not kept any more is over.
            let Some(run) = run.filter(|run| !run.is_over()) else { return Ok(()) };
            if said.is_none() && run.status != RunStatus::Queued {
                said = self.runner.as_ref().map(|runner| runner.output_behind(id, since));
            }
            let heard = async {
                match &mut said {
                    Some(said) => said.await,
                    None => pending().await,
                }
            };
            tokio::select! {
                heard = heard => {
                    if heard.is_some() {
                        let _ = timeout(GATHERED, pending::<()>()).await;
                        return Ok(());
                    }
                    // It has ended, which is about to be on the disk; or nobody knows it now.
                    said = None;
                    committed.changed().await.map_err(|_| CallError::Stopping)?;
                }
                changed = committed.changed() => changed.map_err(|_| CallError::Stopping)?,
            }
        }
    }

    /// Returns what keeps commands from being run, for people; looks, which takes a second at most.
    pub async fn runner_trouble(&self) -> Option<String> {
        self.runner.as_ref()?.trouble().await
    }
}

/// Returns whether its command has been tried at its present occurrence, as far as the state tells.
fn is_tried(snapshot: &Snapshot) -> bool {
    let has_command = snapshot.task.details.command.is_some();
    has_command
        && match &snapshot.occurrence.state {
            State::Created => false,
            State::Pending(pending) => pending.retry_at.is_some(),
            State::Running(_) | State::Suspended(_) | State::Failed(_) | State::Completed(_) | State::Cancelled(_) => {
                true
            }
        }
}
