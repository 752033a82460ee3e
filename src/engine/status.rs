//! How is the daemon? What it does next, and what went wrong lately.

use crate::domain::delivery::Delivery;
use crate::domain::event::Snapshot;
use crate::domain::run::{RunEnd, RunStatus};
use crate::domain::time::{Span, Timestamp};
use crate::engine::handle::{ChannelPresence, FAILED_WITHIN, Handle};
use crate::engine::input::CallError;
use crate::engine::storage::Trouble;
use crate::store::{Counts, Store, StoreError, StoredEvent};

/// How many of what went wrong are told one by one.
const FAILED_TOLD_MAX: usize = 5;

/// What the daemon knows of itself.
#[derive(Clone, Debug)]
pub struct Status {
    /// How many there are.
    pub counts: Counts,
    /// The task that the clock has something to do for next, with the time.
    pub next: Option<(Timestamp, Snapshot)>,
    /// Whether each channel can reach somebody.
    pub channels: Vec<ChannelPresence>,
    /// What is wrong with the store.
    pub storage: Option<Trouble>,
    /// How many deliveries failed for good within [`FAILED_WITHIN`].
    pub failed_total: u64,
    /// The latest of them, latest first, [`FAILED_TOLD_MAX`] at most.
    pub failed: Vec<Delivery>,
    /// How many times commands failed for good within [`FAILED_WITHIN`].
    pub commands_failed_total: u64,
    /// The latest of them, latest first, [`FAILED_TOLD_MAX`] at most: each with how it ended, where that is known still.
    pub commands_failed: Vec<(Snapshot, Option<RunEnd>)>,
    /// How often something was skipped within [`FAILED_WITHIN`].
    pub skipped_total: u64,
    /// The latest of that, latest first, [`FAILED_TOLD_MAX`] at most.
    pub skipped: Vec<StoredEvent>,
}

impl Handle {
    /// Returns what the daemon knows of itself.
    ///
    /// # Errors
    /// The store fails.
    pub async fn status(&self) -> Result<Status, CallError> {
        let (channels, storage) = (self.channels(), self.look_at_storage().await);
        let since = self.now().saturating_add(Span::from_millis(-FAILED_WITHIN.as_millis()));
        self.read(move |store| {
            let next = match store.next_wake()? {
                Some(wake) => store.snapshot(wake.id)?.map(|snapshot| (wake.at, snapshot)),
                None => None,
            };
            let (failed_total, failed) = store.failed_since(since, FAILED_TOLD_MAX)?;
            let (skipped_total, skipped) = store.skipped_since(since, FAILED_TOLD_MAX)?;
            let (commands_failed_total, failed_commands) = store.commands_failed_since(since, FAILED_TOLD_MAX)?;
            let commands_failed =
                failed_commands.into_iter().map(|failed| with_end(store, failed)).collect::<Result<_, _>>()?;
            let counts = store.counts()?;
            Ok(Status {
                counts,
                next,
                channels,
                storage,
                failed_total,
                failed,
                commands_failed_total,
                commands_failed,
                skipped_total,
                skipped,
            })
        })
        .await
    }
}

/// Returns a task that failed with how the last attempt at it ended, where that is kept still.
fn with_end(store: &dyn Store, failed: Snapshot) -> Result<(Snapshot, Option<RunEnd>), StoreError> {
    let name = failed.occurrence.name();
    let runs = store.runs(failed.task.id)?;
    let last = runs.into_iter().rfind(|run| run.occurrence == name && run.attempt > 0);
    let end = last.and_then(|run| match run.status {
        RunStatus::Ended { end, .. } => Some(end),
        RunStatus::Queued | RunStatus::Starting | RunStatus::Running { .. } | RunStatus::Ending { .. } => None,
    });
    Ok((failed, end))
}
