//! `task.get`, `task.list`, `task.rows`, `time.parse`: what is asked without changing anything.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::api::Api;
use crate::api::page::Page;
use crate::api::time;
use crate::domain::event::Snapshot;
use crate::domain::filter::TaskFilter;
use crate::domain::run::Run;
use crate::domain::stage::STAGES;
use crate::domain::task::Number;
use crate::domain::time::Timestamp;
use crate::protocol::SCHEMA_VERSION;
use crate::protocol::envelope::{RawJson, nearest, write_answer};
use crate::protocol::error_code::{ErrorKind, RpcError};
use crate::protocol::methods::{Get, List, ListResult, Parse, RUNS_TOLD_MAX, Rows, RowsResult, TaskResult};
use crate::protocol::objects::{Reading, Row, Task, Time};
use crate::protocol::to_wire::{self, Detail, View};

/// Tells a task.
pub(in crate::api) async fn get(api: &Api, params: Get) -> Result<TaskResult, RpcError> {
    let id = api.find_any(&params.task).await?;
    let snapshot = api.handle.snapshot(id).await.map_err(|error| api.refusal(&error))?;
    let options = api.options();
    let via = options.routing.chosen_for(&snapshot.task.details);
    Ok(TaskResult {
        schema_version: SCHEMA_VERSION,
        now: api.told(api.handle.now()),
        task: api.tell(&snapshot).await?,
        via: via.iter().map(ToString::to_string).collect(),
        runs: {
            let runs = api.handle.runs(id).await.map_err(|error| api.refusal(&error))?;
            let latest = runs.iter().rev().take(RUNS_TOLD_MAX);
            latest.map(|run| to_wire::run::run(run, api.handle.zone())).collect()
        },
        warnings: api.storage_warnings().await,
    })
}

/// Tells the open tasks, or all, as JSON text.
pub(in crate::api) async fn list(api: &Api, params: List) -> Result<RawJson, RpcError> {
    let view = api.view();
    let page = page(api, params, view, write_answer::<Task>).await?;
    Ok(write_answer(ListResult {
        schema_version: SCHEMA_VERSION,
        now: api.told(view.now),
        next: page.has_more().then(|| page.cursor()),
        tasks: page.into_texts(),
        warnings: api.storage_warnings().await,
    }))
}

/// Tells the rows of the open tasks, or of all, as JSON text.
pub(in crate::api) async fn rows(api: &Api, Rows(params): Rows) -> Result<RawJson, RpcError> {
    let view = api.view();
    let page = page(api, params, view, |task| write_answer(Row::from(task))).await?;
    Ok(write_answer(RowsResult {
        schema_version: SCHEMA_VERSION,
        now: api.told(view.now),
        next: page.has_more().then(|| page.cursor()),
        rows: page.into_texts(),
        warnings: api.storage_warnings().await,
    }))
}

/// Returns a page of the tasks that are wanted, each as `tell` writes it.
async fn page(
    api: &Api,
    params: List,
    view: View,
    tell: impl Fn(Task) -> RawJson + Copy + Send + 'static,
) -> Result<Page, RpcError> {
    let wants_ended = params.all || params.ended || params.attention;
    let filter = filter(api, &params)?;
    let undelivered = if filter.needs_attention {
        api.handle.undelivered().await.map_err(|error| api.refusal(&error))?
    } else {
        BTreeSet::new()
    };
    let filter = (filter != TaskFilter::default()).then(|| Arc::new((filter, undelivered)));
    Page::new(params.after.unwrap_or(0), params.limit.unwrap_or(usize::MAX))
        .fill(
            |after, limit| {
                let filter = filter.clone();
                async move {
                    let tasks = match (filter, wants_ended) {
                        (Some(filter), true) => api.handle.all_matching(filter, Number(after), limit).await,
                        (Some(filter), false) => api.handle.open_matching(filter, Number(after), limit).await,
                        (None, true) => api.handle.list_all_after(Number(after), limit).await,
                        (None, false) => api.handle.list_open_after(Number(after), limit).await,
                    };
                    api.handle.with_runs(tasks?).await
                }
            },
            move |(each, runs): &(Snapshot, Vec<Run>)| {
                let mut told = to_wire::task(each, &[], Detail::Brief, view);
                to_wire::run::tell_runs(&mut told, each, runs);
                (each.task.number.0, tell(told))
            },
        )
        .await
        .map_err(|error| api.refusal(&error))
}

/// Reads what is said of the tasks that are wanted.
fn filter(api: &Api, params: &List) -> Result<TaskFilter, RpcError> {
    let place = time::Place::of_question(api, params.zone.as_deref())?;
    let stages: Vec<String> = params.stages.iter().flatten().map(|word| word.trim().to_lowercase()).collect();
    if let Some(unknown) = stages.iter().find(|word| !STAGES.contains(&word.as_str())) {
        let message = format!("there is no stage {unknown:?}: expected {}", STAGES.join(", "));
        let error = RpcError::new(ErrorKind::Params, message);
        return Err(match nearest(unknown, STAGES) {
            Some(near) => error.with_hint(format!("did you mean {near:?}?")),
            None => error,
        });
    }
    let within =
        params.due.as_deref().map(|text| time::stretch(api, place, text, time::Purpose::Filter)).transpose()?;
    let before = params.due_before.as_deref().map(|text| time::bound(api, place, text)).transpose()?;
    let after = params.due_after.as_deref().map(|text| time::bound(api, place, text)).transpose()?;
    let start = within.as_ref().map(|within| within.start).max(after.map(|after| after.end));
    let ends = within.map(|within| within.end).into_iter().chain(before.map(|before| before.start));
    let end = ends.min();
    let due =
        (start.is_some() || end.is_some()).then(|| start.unwrap_or(Timestamp::MIN)..end.unwrap_or(Timestamp::MAX));
    let text = params.text.as_deref().unwrap_or_default().to_lowercase();
    Ok(TaskFilter {
        stages,
        tags: params.tags.iter().flatten().map(|tag| tag.trim_start_matches('+').to_owned()).collect(),
        words: text.split_whitespace().map(str::to_owned).collect(),
        due,
        is_series: params.series,
        has_ended: params.ended.then_some(true),
        needs_attention: params.attention,
    })
}

/// Tells what a sentence means; that it means nothing is an answer too.
pub(in crate::api) fn parse(api: &Api, params: &Parse) -> Result<Reading, RpcError> {
    let place = time::Place::of_question(api, params.zone.as_deref())?;
    let now = params.now.map_or_else(|| api.handle.now(), Time::instant);
    time::explain(&params.text, params.dialect.as_deref(), now, place.zone, &api.options().settings)
}
