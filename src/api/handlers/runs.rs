//! `task.run`, `task.output`: a command is run now, and what its runs have said.

use crate::api::Api;
use crate::api::handlers::changes::expected;
use crate::api::handlers::details;
use crate::domain::command::Command;
use crate::domain::run::{Run, RunId};
use crate::domain::task::TaskId;
use crate::engine::input::Applied;
use crate::protocol::SCHEMA_VERSION;
use crate::protocol::error_code::{ErrorKind, RpcError};
use crate::protocol::methods::{Method, OutputGet, OutputResult, RunNow, RunNowResult};
use crate::protocol::to_wire;

/// Runs the command of a task now.
pub(in crate::api) async fn run(api: &Api, params: RunNow) -> Result<RunNowResult, RpcError> {
    let key = details::key(params.key, Method::TaskRun)?;
    let cursor = *api.handle.last_seq().borrow();
    let repeated = match &key {
        Some(key) => api.handle.repeated(key.clone()).await.map_err(|error| api.refusal(&error))?,
        None => None,
    };
    let applied = if let Some(applied) = repeated {
        applied
    } else {
        let id = api.find(&params.task).await?;
        api.change(id, key, Command::Run, expected(None, params.occurrence.as_deref())?).await?
    };
    let run = ordered(api, &applied).await?;
    Ok(RunNowResult {
        schema_version: SCHEMA_VERSION,
        now: api.told(applied.now),
        op_id: applied.op_id.to_string(),
        cursor,
        task: api.tell(&applied.snapshot).await?,
        run: run.map(|run| to_wire::run::run(&run, api.handle.zone())),
        warnings: api.storage_warnings().await,
    })
}

/// Returns the run that a request ordered: one of its own, or the next attempt at what failed.
async fn ordered(api: &Api, applied: &Applied) -> Result<Option<Run>, RpcError> {
    let task = applied.snapshot.task.id;
    let mut runs = runs(api, task).await?;
    let own = RunId::asked_for(task, applied.op_id);
    match runs.iter().position(|run| run.id == own) {
        Some(place) => Ok(Some(runs.swap_remove(place))),
        None if applied.changed => Ok(runs.pop()),
        None => Ok(None),
    }
}

/// Tells what a run has said.
pub(in crate::api) async fn output(api: &Api, params: OutputGet) -> Result<OutputResult, RpcError> {
    let id = api.find_any(&params.task).await?;
    let task = api.handle.snapshot(id).await.map_err(|error| api.refusal(&error))?.task;
    let runs = runs(api, id).await?;
    let is_meant = |run: &&Run| {
        params.run.as_ref().is_none_or(|id| run.id.to_string() == *id)
            && params.attempt.is_none_or(|attempt| run.attempt == attempt)
    };
    let Some(run) = runs.iter().rev().find(is_meant) else {
        let number = task.number;
        let why = match (&params.run, params.attempt) {
            (Some(run), _) => format!("no run {run} of it is kept"),
            (None, Some(attempt)) => format!("no attempt {attempt} of it is kept"),
            (None, None) if task.details.command.is_none() => "it has no command".to_owned(),
            (None, None) => "its command has not run yet".to_owned(),
        };
        let error = RpcError::new(ErrorKind::NotFound, format!("cannot show the output of task {number}: {why}"));
        return Err(error.with_hint(format!("keiko show {number} tells its latest runs")));
    };
    let output = api.handle.output(run).await.map_err(|error| api.refusal(&error))?;
    let said = to_wire::run::said(&output);
    Ok(OutputResult {
        schema_version: SCHEMA_VERSION,
        now: api.told(api.handle.now()),
        task: task.number.0,
        run: to_wire::run::run(run, api.handle.zone()),
        text: said.text,
        base64: said.base64.filter(|_| params.raw),
        dropped: output.dropped,
        live: !run.is_over(),
    })
}

async fn runs(api: &Api, task: TaskId) -> Result<Vec<Run>, RpcError> {
    api.handle.runs(task).await.map_err(|error| api.refusal(&error))
}
