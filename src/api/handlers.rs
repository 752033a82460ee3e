//! What does each method do? One function a method: parameters in, result out. No rule of its own: it asks the engine.

use crate::api::Api;
use crate::domain;
use crate::domain::event::Snapshot;
use crate::domain::run::{RunEnd, RunStatus};
use crate::domain::task::TaskId;
use crate::domain::time::Timestamp;
use crate::engine::input::Applied;
use crate::engine::request::RequestKey;
use crate::protocol::SCHEMA_VERSION;
use crate::protocol::error_code::RpcError;
use crate::protocol::methods::{TaskRef, WriteResult};
use crate::protocol::objects::{Run, Task};
use crate::protocol::to_wire::{self, Detail};

pub(super) mod add;
pub(super) mod agenda;
pub(super) mod archive;
pub(super) mod awaiting;
pub(super) mod away;
pub(super) mod changes;
pub(super) mod choices;
mod command;
pub(super) mod daemon;
mod details;
pub(super) mod following;
pub(super) mod glance;
pub(super) mod hooks;
pub(super) mod ops;
pub(super) mod outgoing;
pub(super) mod pauses;
mod policy;
pub(super) mod questions;
pub(super) mod runs;
mod scope;
pub(super) mod storage;
pub(super) mod story;
pub(super) mod waits;

impl Api {
    async fn find(&self, task: &TaskRef) -> Result<TaskId, RpcError> {
        self.handle.find(&task.0).await.map_err(|error| self.refusal(&error))
    }

    /// Finds the task that is only asked of, which may have ended.
    async fn find_any(&self, task: &TaskRef) -> Result<TaskId, RpcError> {
        self.handle.find_any(&task.0).await.map_err(|error| self.refusal(&error))
    }

    /// Finds the task of a verb that may be said without one: then it is the one that is due.
    async fn find_or_due(&self, task: Option<&TaskRef>) -> Result<TaskId, RpcError> {
        match task {
            Some(task) => self.find(task).await,
            None => self.handle.find_due().await.map_err(|error| self.refusal(&error)),
        }
    }

    /// Tells a task whole, with the deliveries of its present occurrence.
    async fn tell(&self, snapshot: &Snapshot) -> Result<Task, RpcError> {
        // What has not spoken has sent nothing, and needs no question.
        let deliveries = match snapshot.occurrence.last_spoken {
            Some(_) => self.handle.deliveries(snapshot).await.map_err(|error| self.refusal(&error))?,
            None => Vec::new(),
        };
        let mut told = to_wire::task(snapshot, &deliveries, Detail::Full, self.view());
        if snapshot.task.details.command.is_some() {
            let runs = self.handle.runs(snapshot.task.id).await.map_err(|error| self.refusal(&error))?;
            to_wire::run::tell_runs(&mut told, snapshot, &runs);
        }
        Ok(told)
    }

    /// Returns the answer to a request that was done before under its key. It is asked before anything else of the request
    /// is looked at: its words may not fit any more.
    async fn repeated(&self, key: Option<&RequestKey>) -> Result<Option<WriteResult>, RpcError> {
        let Some(key) = key else { return Ok(None) };
        match self.handle.repeated(key.clone()).await.map_err(|error| self.refusal(&error))? {
            Some(applied) => self.written(applied, Vec::new()).await.map(Some),
            None => Ok(None),
        }
    }

    async fn written(&self, applied: Applied, mut warnings: Vec<String>) -> Result<WriteResult, RpcError> {
        warnings.extend(self.storage_warnings().await);
        Ok(WriteResult {
            schema_version: SCHEMA_VERSION,
            now: self.told(applied.now),
            op_id: applied.op_id.to_string(),
            changed: applied.changed,
            task: self.tell(&applied.snapshot).await?,
            passed_over: applied.passed_over,
            warnings,
            dependents: {
                let told = applied.dependents.told.iter();
                told.map(|each| to_wire::task(each, &[], Detail::Brief, self.view())).collect()
            },
            dependents_total: applied.dependents.total,
            preview: false,
            follower: match &applied.follower {
                Some(follower) => Some(Box::new(self.tell(follower).await?)),
                None => None,
            },
            runs: self.runs_at(&applied.snapshot, applied.now).await?,
        })
    }

    /// Tells the runs of a task that were not over at a time, though they may be by now: what is asked to end may do so at once.
    async fn runs_at(&self, snapshot: &Snapshot, at: Timestamp) -> Result<Vec<Run>, RpcError> {
        if snapshot.task.details.command.is_none() {
            return Ok(Vec::new());
        }
        let runs = self.handle.runs(snapshot.task.id).await.map_err(|error| self.refusal(&error))?;
        let was_open = |run: &&domain::run::Run| match &run.status {
            RunStatus::Ended { at: ended, end: RunEnd::Stopped, .. } => at <= *ended,
            RunStatus::Ended { .. } => false,
            RunStatus::Queued | RunStatus::Starting | RunStatus::Running { .. } | RunStatus::Ending { .. } => true,
        };
        let open = runs.iter().filter(was_open);
        Ok(open.map(|run| to_wire::run::run(run, self.handle.zone())).collect())
    }
}
