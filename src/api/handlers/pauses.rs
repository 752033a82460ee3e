//! `task.pause`, `task.resume`: the clocks of tasks stop and go on, of one or of many.

use crate::api::Api;
use crate::api::handlers::changes::{expected, until};
use crate::api::handlers::details;
use crate::api::handlers::scope::{self, Mode};
use crate::api::time::Place;
use crate::domain::command::Command;
use crate::domain::event::Actor;
use crate::domain::pause::Scope;
use crate::engine::input::{Applied, Call, ManyApplied, ManyCall};
use crate::protocol::SCHEMA_VERSION;
use crate::protocol::error_code::{ErrorKind, RpcError};
use crate::protocol::methods::{Method, Pause, PauseResult, Resume, SeriesScope, TaskRef, WriteResult};

/// Clocks stop.
pub(in crate::api) async fn pause(api: &Api, params: Pause) -> Result<PauseResult, RpcError> {
    let key = details::key(params.key, Method::TaskPause)?;
    if let Some(answer) = api.repeated(key.as_ref()).await? {
        return Ok(one(answer));
    }
    let place = Place::of_question(api, params.zone.as_deref())?;
    let until = until(api, place, params.r#for.as_deref(), params.until.as_deref())?;
    match Whom::of(params.task, params.all, params.tag)? {
        Whom::One(task) => {
            let id = api.find(&task).await?;
            api.check_scope(id, params.scope, "pause").await?;
            let expected = expected(None, params.occurrence.as_deref())?;
            let command = scope::command(params.scope, Command::PauseThis { until }, Command::Pause { until });
            let mode = Mode::of(params.preview);
            let call = Call { task: id, command, expected, actor: Actor::Person, key };
            let applied = api.change_or_preview(call, mode).await?;
            let warnings = without_a_next(&applied, params.scope);
            Ok(one(api.written_or_previewed(applied, warnings, mode).await?))
        }
        Whom::Many(_) if params.scope.is_some() => Err(scope::of_one_only("scope")),
        Whom::Many(_) if params.preview => Err(scope::of_one_only("preview")),
        Whom::Many(_) if key.is_some() => Err(scope::of_one_only("key")),
        Whom::Many(scope) => {
            let call = ManyCall::Pause { scope: scope.clone(), until };
            let done = api.handle.call_many(call).await.map_err(|error| api.refusal(&error))?;
            let warnings = if done.numbers.is_empty() { vec![nobody_awake(&scope, &done)] } else { Vec::new() };
            Ok(many(api, done, warnings))
        }
    }
}

/// Clocks go on.
pub(in crate::api) async fn resume(api: &Api, params: Resume) -> Result<PauseResult, RpcError> {
    let key = details::key(params.key, Method::TaskResume)?;
    if let Some(answer) = api.repeated(key.as_ref()).await? {
        return Ok(one(answer));
    }
    match Whom::of(params.task, params.all, params.tag)? {
        Whom::One(task) => {
            let id = api.find(&task).await?;
            let expected = expected(None, params.occurrence.as_deref())?;
            let applied = api.change(id, key, Command::Resume { shift: params.shift }, expected).await?;
            Ok(one(api.written(applied, Vec::new()).await?))
        }
        Whom::Many(_) if key.is_some() => Err(scope::of_one_only("key")),
        Whom::Many(scope) => {
            let call = ManyCall::Resume { scope: scope.clone(), shift: params.shift };
            let done = api.handle.call_many(call).await.map_err(|error| api.refusal(&error))?;
            let warnings = match (done.held_by.is_empty(), done.is_done) {
                (false, _) => done.held_by.iter().map(still_holds).collect(),
                (true, true) => Vec::new(),
                (true, false) => {
                    vec![format!("no pause of {scope} stands: tasks that were paused one by one are resumed by number")]
                }
            };
            Ok(many(api, done, warnings))
        }
    }
}

/// Says why a pause put none to sleep, and what it does all the same.
fn nobody_awake(scope: &Scope, done: &ManyApplied) -> String {
    let others: Vec<String> = done.held_by.iter().map(ToString::to_string).collect();
    let why = if others.is_empty() {
        format!("nothing of {scope} is awake now")
    } else {
        format!("what there is of {scope} sleeps already, with the pause of {}", others.join(" and "))
    };
    format!("{why}; what is added or comes up meanwhile sleeps with this pause too")
}

fn still_holds(scope: &Scope) -> String {
    let resume = match scope {
        Scope::All => "--all".to_owned(),
        Scope::Tag(tag) => format!("--tag {tag}"),
    };
    format!("the pause of {scope} still holds: keiko resume {resume} ends it")
}

/// Which tasks are meant.
enum Whom {
    One(TaskRef),
    Many(Scope),
}

impl Whom {
    fn of(task: Option<TaskRef>, all: bool, tag: Option<String>) -> Result<Self, RpcError> {
        match (task, all, tag) {
            (Some(task), false, None) => Ok(Self::One(task)),
            (None, true, None) => Ok(Self::Many(Scope::All)),
            (None, false, Some(tag)) => {
                let tag = tag.trim().trim_start_matches('+').to_owned();
                if tag.is_empty() {
                    let message = "cannot use tag \"\": expected at least one character";
                    return Err(RpcError::new(ErrorKind::Params, message));
                }
                Ok(Self::Many(Scope::Tag(tag)))
            }
            (_, _, _) => Err(RpcError::new(
                ErrorKind::Params,
                "cannot tell which tasks are meant: expected one of the parameters \"task\", \"all\" and \"tag\"",
            )),
        }
    }
}

/// Warns where one time of a series was to be paused and none behind it comes by itself.
fn without_a_next(applied: &Applied, scope: Option<SeriesScope>) -> Vec<String> {
    let is_this = scope == Some(SeriesScope::This) && applied.snapshot.task.is_series();
    if is_this && applied.snapshot.occurrence.successor_at.is_none() {
        vec!["no next time comes by itself, so it sleeps until it is resumed".to_owned()]
    } else {
        Vec::new()
    }
}

fn one(written: WriteResult) -> PauseResult {
    PauseResult {
        schema_version: written.schema_version,
        now: written.now,
        op_id: written.op_id,
        changed: written.changed,
        tasks: if written.changed { vec![written.task.number] } else { Vec::new() },
        task: Some(written.task),
        passed_over: written.passed_over,
        warnings: written.warnings,
        preview: written.preview,
        runs: written.runs,
    }
}

fn many(api: &Api, done: ManyApplied, warnings: Vec<String>) -> PauseResult {
    PauseResult {
        schema_version: SCHEMA_VERSION,
        now: api.told(done.now),
        op_id: done.op_id.to_string(),
        changed: done.is_done,
        task: None,
        tasks: done.numbers.into_iter().map(|number| number.0).collect(),
        passed_over: done.passed_over,
        warnings,
        preview: false,
        runs: Vec::new(),
    }
}
