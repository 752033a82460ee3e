//! `task.unblock`, and what `task.add` and `task.update` say of the tasks that one waits for.

use std::fmt::Write as _;

use crate::api::Api;
use crate::api::handlers::changes::expected;
use crate::api::handlers::details;
use crate::api::time;
use crate::domain::command::Command;
use crate::domain::event::Snapshot;
use crate::domain::task::TaskId;
use crate::domain::time::Span;
use crate::domain::waiting::{HowFailed, OnParentFail, PARENTS_MAX, Parent, SetWaits, Wait};
use crate::protocol::error_code::{ErrorKind, RpcError};
use crate::protocol::methods::{Add, Method, TaskRef, Unblock, Update, WriteResult};

/// It waits for no other task any more.
pub(in crate::api) async fn unblock(api: &Api, params: Unblock) -> Result<WriteResult, RpcError> {
    let key = details::key(params.key, Method::TaskUnblock)?;
    if let Some(answer) = api.repeated(key.as_ref()).await? {
        return Ok(answer);
    }
    let id = api.find(&params.task).await?;
    let applied = api.change(id, key, Command::Unblock, expected(params.version, None)?).await?;
    api.written(applied, Vec::new()).await
}

/// Returns what a new task waits for.
pub(super) async fn of_new(api: &Api, params: &Add) -> Result<SetWaits, RpcError> {
    let parents = parents(api, params.waits_for.as_deref()).await?;
    let waits_for_none = parents.as_ref().is_none_or(Vec::is_empty);
    let alone = [("delay", params.delay.is_some()), ("on_parent_fail", params.on_parent_fail.is_some())];
    if let (true, Some((name, _))) = (waits_for_none, alone.into_iter().find(|(_, is_given)| *is_given)) {
        let message = format!("cannot use parameter {name:?} alone: expected parameter \"waits_for\" beside it");
        return Err(RpcError::new(ErrorKind::Params, message));
    }
    Ok(SetWaits {
        parents,
        delay: params.delay.as_deref().map(delay).transpose()?.map(Some),
        on_fail: params.on_parent_fail.as_deref().map(on_fail).transpose()?,
    })
}

/// Returns what a task is to wait for from now on.
pub(super) async fn of_update(api: &Api, params: &Update) -> Result<SetWaits, RpcError> {
    Ok(SetWaits {
        parents: parents(api, params.waits_for.as_deref()).await?,
        delay: params.delay.as_ref().map(|new| new.as_deref().map(delay).transpose()).transpose()?,
        on_fail: params.on_parent_fail.as_deref().map(on_fail).transpose()?,
    })
}

async fn parents(api: &Api, tasks: Option<&[TaskRef]>) -> Result<Option<Vec<Parent>>, RpcError> {
    let Some(tasks) = tasks else { return Ok(None) };
    details::within("waits_for", tasks.len(), PARENTS_MAX, "tasks")?;
    let mut parents = Vec::new();
    for task in tasks {
        let id: TaskId = api.find_any(task).await?;
        let parent = api.handle.snapshot(id).await.map_err(|error| api.refusal(&error))?;
        parents.push(Parent::new(id, parent.task.number));
    }
    Ok(Some(parents))
}

fn delay(text: &str) -> Result<Span, RpcError> {
    time::length(text)
}

fn on_fail(word: &str) -> Result<OnParentFail, RpcError> {
    OnParentFail::from_word(word).ok_or_else(|| {
        RpcError::new(
            ErrorKind::Params,
            format!("cannot use {word:?} as parameter \"on_parent_fail\": expected hold, run or cancel"),
        )
    })
}

/// Returns what the person should know of the tasks that one was told to wait for: which are done already, and which never
/// will be.
pub(super) fn warnings(snapshot: &Snapshot) -> Vec<String> {
    let (number, waits) = (snapshot.task.number, &snapshot.task.waits);
    let of_parent = |parent: &Parent| match parent.wait {
        Wait::Met(_) => Some(format!("{} is done already, so it is not waited for", parent.number)),
        Wait::Failed(failure) => {
            let mut told = format!("{} {}", parent.number, told(failure.how));
            let follows = match waits.on_fail {
                OnParentFail::Hold => format!("so {number} is blocked; keiko unblock {number} lets it go on without"),
                OnParentFail::Run => "and counts as done".to_owned(),
                OnParentFail::Cancel => format!("so {number} is cancelled too"),
            };
            write!(told, " already, {follows}").expect("writing to a string does not fail");
            Some(told)
        }
        Wait::Awaited => None,
    };
    waits.parents.iter().filter_map(of_parent).collect()
}

const fn told(how: HowFailed) -> &'static str {
    match how {
        HowFailed::Cancelled => "was cancelled",
        HowFailed::Skipped => "was skipped for the last time",
        HowFailed::Unanswered => "ended unanswered",
        HowFailed::Undelivered | HowFailed::RetriesExhausted => "failed",
        HowFailed::Deleted => "was deleted",
    }
}
