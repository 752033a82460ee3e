//! `task.history`, `event.list`, `event.subscribe`, `event.unsubscribe`: what has changed, and what changes from now on.

use crate::api::Api;
use crate::api::dispatch::{Session, Subscription};
use crate::api::page::Page;
use crate::engine::input::CallError;
use crate::protocol::SCHEMA_VERSION;
use crate::protocol::envelope::{RawJson, write_answer};
use crate::protocol::error_code::{ErrorKind, RpcError};
use crate::protocol::methods::{
    EVENTS_DEFAULT, EVENTS_MAX, EventList, EventListResult, EventPushed, EventSubscribe, EventSubscribeResult,
    EventUnsubscribe, EventUnsubscribeResult, HISTORY_DELIVERIES_MAX, History, HistoryResult,
};
use crate::protocol::to_wire::{self, Detail};

/// Tells what happened to a task, as JSON text.
pub(in crate::api) async fn history(api: &Api, params: History) -> Result<RawJson, RpcError> {
    let id = api.find_any(&params.task).await?;
    let refusal = |error: CallError| api.refusal(&error);
    let snapshot = api.handle.snapshot(id).await.map_err(refusal)?;
    let view = api.view();
    let detail = if params.full { Detail::Full } else { Detail::Brief };
    let page = Page::new(params.since.unwrap_or(0), usize::MAX)
        .fill(
            |cursor, limit| api.handle.history(id, cursor, limit),
            move |stored| (stored.seq, write_answer(to_wire::event(stored.seq, &stored.event, detail, view))),
        )
        .await
        .map_err(refusal)?;
    let mut deliveries = match params.since {
        None => api.handle.all_deliveries(id).await.map_err(refusal)?,
        Some(_) => Vec::new(),
    };
    deliveries.drain(..deliveries.len().saturating_sub(HISTORY_DELIVERIES_MAX));
    Ok(write_answer(HistoryResult {
        schema_version: SCHEMA_VERSION,
        now: api.told(view.now),
        task: api.tell(&snapshot).await?,
        next: page.has_more().then(|| page.cursor()),
        events: page.into_texts(),
        deliveries: deliveries.iter().map(|delivery| to_wire::outgoing::delivery(delivery, view.zone)).collect(),
    }))
}

/// Tells the events behind a cursor, as JSON text.
pub(in crate::api) async fn events(api: &Api, params: EventList) -> Result<RawJson, RpcError> {
    let limit = params.limit.unwrap_or(EVENTS_DEFAULT);
    if limit > EVENTS_MAX {
        let message = format!("cannot tell {limit} events at once: expected at most {EVENTS_MAX}");
        return Err(RpcError::new(ErrorKind::Params, message).with_hint("go on from the cursor of the answer"));
    }
    let view = api.view();
    let page = Page::new(params.since, limit)
        .fill(
            |cursor, limit| api.handle.events_since(cursor, limit),
            move |stored| (stored.seq, write_answer(to_wire::any_event(stored.seq, &stored.event, view))),
        )
        .await
        .map_err(|error| api.refusal(&error))?;
    let last = *api.handle.last_seq().borrow();
    if params.since > last && !is_there(api, params.since).await? {
        return Err(beyond(params.since, last));
    }
    Ok(write_answer(EventListResult {
        schema_version: SCHEMA_VERSION,
        now: api.told(view.now),
        cursor: page.cursor(),
        more: page.has_more(),
        events: page.into_texts(),
    }))
}

/// Begins to tell events on this connection.
pub(in crate::api) async fn subscribe(
    api: &Api,
    session: &mut Session,
    params: EventSubscribe,
) -> Result<EventSubscribeResult, RpcError> {
    if let Some(Subscription { number, .. }) = session.subscription {
        let message = format!("cannot subscribe: this connection has subscription {number} already");
        return Err(RpcError::new(ErrorKind::Limit, message).with_hint("end it first, or use another connection"));
    }
    let last = *api.handle.last_seq().borrow();
    let cursor = params.since.unwrap_or(last);
    if cursor > last && !is_there(api, cursor).await? {
        return Err(beyond(cursor, last));
    }
    let number = session.subscribe(cursor);
    Ok(EventSubscribeResult {
        schema_version: SCHEMA_VERSION,
        now: api.told(api.handle.now()),
        subscription: number,
        cursor,
    })
}

/// Tells no more events.
pub(in crate::api) fn unsubscribe(
    api: &Api,
    session: &mut Session,
    params: EventUnsubscribe,
) -> Result<EventUnsubscribeResult, RpcError> {
    let Some(ended) = session.subscription.take_if(|known| known.number == params.subscription) else {
        let message =
            format!("cannot end subscription {}: this connection has none of that number", params.subscription);
        return Err(RpcError::new(ErrorKind::NotFound, message));
    };
    Ok(EventUnsubscribeResult { schema_version: SCHEMA_VERSION, now: api.told(api.handle.now()), cursor: ended.cursor })
}

/// Returns the next events of a subscription, as parameters of notifications, each with its place.
pub(in crate::api) async fn next(api: &Api, subscription: Subscription) -> Result<Vec<(u64, RawJson)>, RpcError> {
    let (view, number) = (api.view(), subscription.number);
    let page = Page::new(subscription.cursor, EVENTS_MAX)
        .fill(
            |cursor, limit| api.handle.events_since(cursor, limit),
            move |stored| {
                let event = to_wire::any_event(stored.seq, &stored.event, view);
                (stored.seq, write_answer(EventPushed { subscription: number, cursor: stored.seq, event }))
            },
        )
        .await
        .map_err(|error| api.refusal(&error))?;
    Ok(page.into_objects())
}

/// Refuses a cursor that no event of this store ever had: to wait behind it would miss all events up to it.
fn beyond(cursor: u64, last: u64) -> RpcError {
    let message = format!("cannot go on from cursor {cursor}: the last event is {last}");
    RpcError::new(ErrorKind::Gone, message).with_hint(
        "the cursor is another store's, or this one was restored: begin anew without one, after task.list (keiko list)",
    )
}

/// Returns whether an event is committed; whoever reads the store may know of it before the loop has told.
async fn is_there(api: &Api, seq: u64) -> Result<bool, RpcError> {
    let events = api.handle.events_since(seq - 1, 1).await.map_err(|error| api.refusal(&error))?;
    Ok(!events.is_empty())
}
