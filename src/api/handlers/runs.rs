//! `task.run`, `task.output`: a command is run now, and what its runs have said.

use crate::api::Api;
use crate::api::dispatch::Answered;
use crate::api::handlers::awaiting::{Awaiting, Over};
use crate::api::handlers::changes::expected;
use crate::api::handlers::details;
use crate::domain::command::Command;
use crate::domain::run::{Output, Run, RunId};
use crate::domain::task::{Task, TaskId};
use crate::engine::input::Applied;
use crate::protocol::SCHEMA_VERSION;
use crate::protocol::envelope::write_answer;
use crate::protocol::error_code::{ErrorKind, RpcError};
use crate::protocol::methods::{Method, OutputGet, OutputResult, RunNow, RunNowResult, TaskRef};
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
        // What has ended can be run too.
        let id = api.find_any(&params.task).await?;
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

/// Tells what a run has said; behind what is known of it, once it has said more or is over.
pub(in crate::api) async fn output(api: &Api, params: OutputGet) -> Result<Answered, RpcError> {
    let Some(since) = params.since else { return said(api, params).await.map(write_answer).map(Answered::Now) };
    let (task, run) = meant(api, &params).await?;
    let (handle, id) = (api.handle.clone(), run.id);
    // By their names: another run may be the latest by then.
    let question = OutputGet { task: TaskRef(task.id.to_string()), run: Some(id.to_string()), attempt: None, ..params };
    Ok(Answered::Later(Awaiting(Box::pin(async move {
        let news = handle.output_behind(id, since).await;
        Over::Output(question, news)
    }))))
}

/// Tells what a run has said until now.
pub(in crate::api) async fn said(api: &Api, params: OutputGet) -> Result<OutputResult, RpcError> {
    let (task, run) = meant(api, &params).await?;
    let output = api.handle.output(&run).await.map_err(|error| api.refusal(&error))?;
    let total = output.dropped + output.tail.len() as u64;
    let output = behind(output, params.since.unwrap_or(0));
    let said = to_wire::run::said(&output);
    Ok(OutputResult {
        schema_version: SCHEMA_VERSION,
        now: api.told(api.handle.now()),
        task: task.number.0,
        run: to_wire::run::run(&run, api.handle.zone()),
        text: said.text,
        base64: said.base64.filter(|_| params.raw),
        dropped: output.dropped,
        said: total,
        live: !run.is_over(),
    })
}

/// Returns the task and the run that are meant.
async fn meant(api: &Api, params: &OutputGet) -> Result<(Task, Run), RpcError> {
    let id = api.find_any(&params.task).await?;
    let task = api.handle.snapshot(id).await.map_err(|error| api.refusal(&error))?.task;
    let runs = runs(api, id).await?;
    let is_meant = |run: &Run| {
        params.run.as_ref().is_none_or(|id| run.id.to_string() == *id)
            && params.attempt.is_none_or(|attempt| run.attempt == attempt)
    };
    if let Some(run) = runs.into_iter().rfind(is_meant) {
        return Ok((task, run));
    }
    let number = task.number;
    let why = match (&params.run, params.attempt) {
        (Some(run), _) => format!("no run {run} of it is kept"),
        (None, Some(attempt)) => format!("no attempt {attempt} of it is kept"),
        (None, None) if task.details.command.is_none() => "it has no command".to_owned(),
        (None, None) => "its command has not run yet".to_owned(),
    };
    let error = RpcError::new(ErrorKind::NotFound, format!("cannot show the output of task {number}: {why}"));
    Err(error.with_hint(format!("keiko show {number} tells its latest runs")))
}

/// Returns what of it lies behind so many bytes, with how many of those are not kept.
fn behind(output: Output, since: u64) -> Output {
    let known = usize::try_from(since.saturating_sub(output.dropped)).unwrap_or(usize::MAX).min(output.tail.len());
    Output { dropped: output.dropped.saturating_sub(since), tail: output.tail[known..].to_vec() }
}

async fn runs(api: &Api, task: TaskId) -> Result<Vec<Run>, RpcError> {
    api.handle.runs(task).await.map_err(|error| api.refusal(&error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_known_of_an_output_is_not_told_again() {
        let output = Output { tail: b"defg".to_vec(), dropped: 3 };
        let check = |since: u64, tail: &[u8], dropped: u64| {
            assert_eq!(behind(output.clone(), since), Output { tail: tail.to_vec(), dropped }, "behind {since}");
        };
        check(0, b"defg", 3);
        check(2, b"defg", 1);
        check(3, b"defg", 0);
        check(5, b"fg", 0);
        check(7, b"", 0);
        check(u64::MAX, b"", 0);
    }
}
