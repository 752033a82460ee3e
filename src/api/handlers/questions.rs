//! `task.get`, `task.list`, `task.history`, `event.list`, `time.parse`: what is asked without changing anything.

use crate::api::Api;
use crate::api::time;
use crate::engine::input::CallError;
use crate::protocol::SCHEMA_VERSION;
use crate::protocol::envelope::{RawJson, write_answer};
use crate::protocol::error_code::{ErrorKind, RpcError};
use crate::protocol::methods::{
    EVENTS_DEFAULT, EVENTS_MAX, EventList, EventListResult, Get, History, HistoryResult, List, ListResult, Parse,
    TaskResult,
};
use crate::protocol::objects::{Reading, Time};
use crate::protocol::to_wire::{self, Detail};

/// Tells a task.
pub(in crate::api) async fn get(api: &Api, params: Get) -> Result<TaskResult, RpcError> {
    let id = api.find(&params.task).await?;
    let snapshot = api.handle.snapshot(id).await.map_err(|error| api.refusal(&error))?;
    Ok(TaskResult {
        schema_version: SCHEMA_VERSION,
        now: api.told(api.handle.now()),
        task: api.tell(&snapshot).await?,
        warnings: Vec::new(),
    })
}

/// Tells the open tasks, or all, as JSON text.
pub(in crate::api) async fn list(api: &Api, params: List) -> Result<RawJson, RpcError> {
    let snapshots = if params.all { api.handle.list_all().await } else { api.handle.list_open().await };
    let snapshots = snapshots.map_err(|error| api.refusal(&error))?;
    let (view, now) = (api.view(), api.told(api.handle.now()));
    let limit = params.limit.unwrap_or(usize::MAX);
    written_aside(api, move || {
        let tasks = snapshots.iter().take(limit).map(|each| to_wire::task(each, &[], Detail::Brief, view)).collect();
        write_answer(ListResult { schema_version: SCHEMA_VERSION, now, tasks, warnings: Vec::new() })
    })
    .await
}

/// Tells what happened to a task.
pub(in crate::api) async fn history(api: &Api, params: History) -> Result<HistoryResult, RpcError> {
    let id = api.find(&params.task).await?;
    let snapshot = api.handle.snapshot(id).await.map_err(|error| api.refusal(&error))?;
    let history = api.handle.history(id).await.map_err(|error| api.refusal(&error))?;
    let view = api.view();
    let detail = if params.full { Detail::Full } else { Detail::Brief };
    Ok(HistoryResult {
        schema_version: SCHEMA_VERSION,
        now: api.told(view.now),
        task: api.tell(&snapshot).await?,
        events: history.events.iter().map(|stored| to_wire::event(stored.seq, &stored.event, detail, view)).collect(),
        deliveries: history.deliveries.iter().map(|delivery| to_wire::delivery(delivery, view.zone)).collect(),
    })
}

/// Tells the events behind a cursor, as JSON text.
pub(in crate::api) async fn events(api: &Api, params: EventList) -> Result<RawJson, RpcError> {
    let limit = params.limit.unwrap_or(EVENTS_DEFAULT);
    if limit > EVENTS_MAX {
        let message = format!("cannot tell {limit} events at once: expected at most {EVENTS_MAX}");
        return Err(RpcError::new(ErrorKind::Params, message).with_hint("go on from the cursor of the answer"));
    }
    let events = api.handle.events_since(params.since, limit).await.map_err(|error| api.refusal(&error))?;
    let (view, now) = (api.view(), api.told(api.handle.now()));
    written_aside(api, move || {
        let cursor = events.last().map_or(params.since, |last| last.seq);
        let events =
            events.iter().map(|stored| to_wire::event(stored.seq, &stored.event, Detail::Full, view)).collect();
        write_answer(EventListResult { schema_version: SCHEMA_VERSION, now, events, cursor })
    })
    .await
}

/// Tells what a sentence means; that it means nothing is an answer too.
pub(in crate::api) fn parse(api: &Api, params: &Parse) -> Result<Reading, RpcError> {
    let place = time::Place::of_question(api, params.zone.as_deref())?;
    let now = params.now.map_or_else(|| api.handle.now(), Time::instant);
    time::explain(&params.text, params.dialect.as_deref(), now, place.zone, &api.options.settings)
}

/// Writes a long answer where it holds up no other connection.
async fn written_aside(api: &Api, write: impl FnOnce() -> RawJson + Send + 'static) -> Result<RawJson, RpcError> {
    tokio::task::spawn_blocking(write).await.map_err(|_| api.refusal(&CallError::Stopping))
}
