//! `task.choices`, `task.tags`: what there is to choose from.

use crate::api::Api;
use crate::domain::stage::stage;
use crate::domain::verb::Verb;
use crate::engine::choices::Sought;
use crate::protocol::SCHEMA_VERSION;
use crate::protocol::error_code::{ErrorKind, RpcError};
use crate::protocol::methods::{CHOICES_DEFAULT, CHOICES_MAX, Choices, ChoicesResult, Tags, TagsResult};
use crate::protocol::objects::Choice;

/// Tells of which tasks a verb may be said just now.
pub(in crate::api) async fn choices(api: &Api, params: Choices) -> Result<ChoicesResult, RpcError> {
    let verb = Verb::from_word(&params.verb).ok_or_else(|| {
        let known = Verb::ALL.map(|(_, word)| word).join(", ");
        RpcError::new(ErrorKind::Params, format!("there is no verb {:?}: expected {known}", params.verb))
    })?;
    let limit = params.limit.unwrap_or(CHOICES_DEFAULT);
    if limit == 0 || limit > CHOICES_MAX {
        let message = format!("cannot give {limit} tasks to choose from: expected 1 to {CHOICES_MAX}");
        return Err(RpcError::new(ErrorKind::Params, message));
    }
    let sought = Sought { verb, number: params.number.unwrap_or_default(), limit };
    let found = api.handle.choices(sought).await.map_err(|error| api.refusal(&error))?;
    let view = api.view();
    let choice = |each: &crate::domain::event::Snapshot| Choice {
        number: each.task.number.0,
        title: each.task.details.title.clone(),
        stage: stage(each, view.now, view.zone).into_owned(),
    };
    Ok(ChoicesResult {
        schema_version: SCHEMA_VERSION,
        now: api.told(view.now),
        choices: found.tasks.iter().map(choice).collect(),
        has_more: found.has_more,
    })
}

/// Tells the tags of the open tasks.
pub(in crate::api) async fn tags(api: &Api, params: Tags) -> Result<TagsResult, RpcError> {
    let Tags {} = params;
    let tags = api.handle.open_tags().await.map_err(|error| api.refusal(&error))?;
    Ok(TagsResult { schema_version: SCHEMA_VERSION, tags })
}
