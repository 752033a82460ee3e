//! `task.why`: the story of a task in sentences.

use crate::api::{Api, time};
use crate::domain::story::words::Listener;
use crate::domain::story::{fold, present, story};
use crate::domain::time::Timestamp;
use crate::engine::input::CallError;
use crate::protocol::SCHEMA_VERSION;
use crate::protocol::error_code::{ErrorKind, RpcError};
use crate::protocol::methods::{WHY_DEFAULT, WHY_MAX, Why, WhyResult};
use crate::protocol::to_wire::story::sentence;

/// Tells why a task rang, when and why then.
pub(in crate::api) async fn why(api: &Api, params: Why) -> Result<WhyResult, RpcError> {
    let limit = params.limit.unwrap_or(WHY_DEFAULT);
    if limit == 0 || limit > WHY_MAX {
        let message = format!("cannot tell of {limit} events at once: expected 1 to {WHY_MAX}");
        return Err(RpcError::new(ErrorKind::Params, message).with_hint("go on from the next of the answer"));
    }
    let id = api.find_any(&params.task).await?;
    let refusal = |error: CallError| api.refusal(&error);
    let place = time::Place::of_question(api, params.zone.as_deref())?;
    let past = |text: Option<&String>| text.map(|text| time::past(api, place, text)).transpose();
    let (since, until) = (past(params.since.as_ref())?, past(params.until.as_ref())?);
    let during = since.unwrap_or(Timestamp::MIN)..until.unwrap_or(Timestamp::MAX);
    if during.is_empty() {
        let message = "cannot tell the story: the end does not lie behind the beginning";
        return Err(RpcError::new(ErrorKind::Params, message));
    }
    let chronicle =
        api.handle.chronicle(id, params.before.unwrap_or(u64::MAX), during, limit).await.map_err(refusal)?;
    let (task, next) = (api.tell(&chronicle.present).await?, chronicle.earlier);
    let view = api.view();
    let listener = Listener { now: view.now, zone: place.zone };
    let has_present = until.is_none() && params.before.is_none();
    // Long texts are written where they hold up no other connection.
    let told = tokio::task::spawn_blocking(move || {
        let mut sentences = story(&chronicle.account());
        if !params.all {
            sentences = fold(sentences);
        }
        if has_present {
            sentences.extend(present(&chronicle.present, view.now));
        }
        sentences.iter().map(|each| sentence(each, listener, view.zone)).collect()
    });
    Ok(WhyResult {
        schema_version: SCHEMA_VERSION,
        now: api.told(view.now),
        task,
        sentences: told.await.map_err(|_| refusal(CallError::Stopping))?,
        next,
    })
}
