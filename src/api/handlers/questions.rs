//! `task.get`, `task.list`, `time.parse`: what is asked without changing anything.

use crate::api::Api;
use crate::api::page::Page;
use crate::api::time;
use crate::domain::event::Snapshot;
use crate::domain::task::Number;
use crate::protocol::SCHEMA_VERSION;
use crate::protocol::envelope::{RawJson, write_answer};
use crate::protocol::error_code::RpcError;
use crate::protocol::methods::{Get, List, ListResult, Parse, TaskResult};
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
        warnings: api.storage_warnings().await,
    })
}

/// Tells the open tasks, or all, as JSON text.
pub(in crate::api) async fn list(api: &Api, params: List) -> Result<RawJson, RpcError> {
    let view = api.view();
    let page = Page::new(params.after.unwrap_or(0), params.limit.unwrap_or(usize::MAX))
        .fill(
            |after, limit| async move {
                if params.all {
                    api.handle.list_all_after(Number(after), limit).await
                } else {
                    api.handle.list_open_after(Number(after), limit).await
                }
            },
            move |each: &Snapshot| (each.task.number.0, write_answer(to_wire::task(each, &[], Detail::Brief, view))),
        )
        .await
        .map_err(|error| api.refusal(&error))?;
    Ok(write_answer(ListResult {
        schema_version: SCHEMA_VERSION,
        now: api.told(view.now),
        next: page.has_more().then(|| page.cursor()),
        tasks: page.into_texts(),
        warnings: api.storage_warnings().await,
    }))
}

/// Tells what a sentence means; that it means nothing is an answer too.
pub(in crate::api) fn parse(api: &Api, params: &Parse) -> Result<Reading, RpcError> {
    let place = time::Place::of_question(api, params.zone.as_deref())?;
    let now = params.now.map_or_else(|| api.handle.now(), Time::instant);
    time::explain(&params.text, params.dialect.as_deref(), now, place.zone, &api.options.settings)
}
