//! `delivery.list`, `channel.list`, `channel.pause`, `channel.resume`, `channel.test`: what goes out, and where to.

use std::collections::BTreeMap;

use crate::api::Api;
use crate::api::handlers::details;
use crate::domain::breaker::TargetHealth;
use crate::domain::delivery::{ChannelKind, DeliveryStatus, Report, Target};
use crate::engine::handle::ChannelPresence;
use crate::engine::input::{CallError, TargetCall};
use crate::protocol::SCHEMA_VERSION;
use crate::protocol::error_code::{ErrorKind, RpcError};
use crate::protocol::methods::{
    ChannelList, ChannelListResult, ChannelPause, ChannelResult, ChannelResume, ChannelTest, ChannelTestResult,
    DELIVERIES_MAX, DeliveryList, DeliveryListResult,
};
use crate::protocol::objects::ChannelStatus;
use crate::protocol::to_wire;

/// The statuses of deliveries that are not final.
const STATUSES: [&str; 4] = ["queued", "waiting", "held", "retrying"];

/// Tells the deliveries that are not final.
pub(in crate::api) async fn deliveries(api: &Api, params: DeliveryList) -> Result<DeliveryListResult, RpcError> {
    let limit = params.limit.unwrap_or(DELIVERIES_MAX);
    if limit > DELIVERIES_MAX {
        let message = format!("cannot tell {limit} deliveries at once: expected at most {DELIVERIES_MAX}");
        return Err(RpcError::new(ErrorKind::Params, message));
    }
    if let Some(status) = params.status.as_deref().filter(|status| !STATUSES.contains(status)) {
        let message = format!("cannot tell deliveries of status {status:?}: expected {}", STATUSES.join(", "));
        return Err(RpcError::new(ErrorKind::Params, message)
            .with_hint("what has ended is in the history of its task, as task.history tells it"));
    }
    let outbox = api.handle.outbox().await.map_err(|error| api.refusal(&error))?;
    let zone = api.handle.zone();
    let is_wanted = |target: &str, status: &str| {
        params.target.as_deref().is_none_or(|wanted| wanted == target)
            && params.status.as_deref().is_none_or(|wanted| wanted == status)
    };
    let mut deliveries: Vec<_> = outbox
        .iter()
        .map(|delivery| to_wire::delivery(delivery, zone))
        .filter(|delivery| is_wanted(&delivery.target, &delivery.status))
        .collect();
    let left_out = deliveries.len().saturating_sub(limit);
    deliveries.truncate(limit);
    Ok(DeliveryListResult { schema_version: SCHEMA_VERSION, now: api.told(api.handle.now()), deliveries, left_out })
}

/// Tells the channels, and the targets that are configured or of which anything is known.
pub(in crate::api) async fn list(api: &Api, _params: ChannelList) -> Result<ChannelListResult, RpcError> {
    let mut known: BTreeMap<Target, TargetHealth> = healths(api).await?;
    let channels = api.handle.channels();
    let own = channels.iter().filter(|(kind, _)| !kind.has_addresses());
    let own = own.map(|(kind, _)| Target { kind: *kind, address: String::new() });
    let webhooks = api.options.webhooks.iter().map(|name| Target { kind: ChannelKind::Webhook, address: name.clone() });
    for target in own.chain(webhooks) {
        known.entry(target.clone()).or_insert_with(|| TargetHealth::new(target));
    }
    let held = held(api).await?;
    let zone = api.handle.zone();
    let targets =
        known.values().map(|health| to_wire::target(health, held.get(&health.target).copied().unwrap_or(0), zone));
    Ok(ChannelListResult {
        schema_version: SCHEMA_VERSION,
        now: api.told(api.handle.now()),
        channels: self::channels(&channels),
        targets: targets.collect(),
    })
}

/// Leaves a target alone.
pub(in crate::api) async fn pause(api: &Api, params: ChannelPause) -> Result<ChannelResult, RpcError> {
    let target = target(api, &params.target).await?;
    call(api, TargetCall::Pause(target)).await
}

/// Sends to a target again.
pub(in crate::api) async fn resume(api: &Api, params: ChannelResume) -> Result<ChannelResult, RpcError> {
    let target = target(api, &params.target).await?;
    call(api, TargetCall::Resume(target)).await
}

/// Tries whether a target can be reached; that it cannot is an answer too.
pub(in crate::api) async fn test(api: &Api, params: ChannelTest) -> Result<ChannelTestResult, RpcError> {
    let target = target(api, &params.target).await?;
    let told = target.to_string();
    let report = api.handle.try_target(target).await.map_err(|error| match error {
        CallError::Busy { .. } => {
            let message = format!("cannot try {told}: another trial is under way");
            RpcError::new(ErrorKind::Limit, message).with_hint("try again in a moment")
        }
        error => api.refusal(&error),
    })?;
    let error = match report {
        Report::Delivered => None,
        Report::Away { reason } => Some(reason),
        Report::Failed { error, .. } => Some(error),
    };
    Ok(ChannelTestResult {
        schema_version: SCHEMA_VERSION,
        now: api.told(api.handle.now()),
        target: told,
        delivered: error.is_none(),
        error,
    })
}

/// Returns how each channel is.
pub(super) fn channels(channels: &[ChannelPresence]) -> Vec<ChannelStatus> {
    let told = |(kind, presence): &ChannelPresence| ChannelStatus {
        kind: kind.as_str().to_owned(),
        present: presence.reason().is_none(),
        reason: presence.reason().map(str::to_owned),
    };
    channels.iter().map(told).collect()
}

async fn call(api: &Api, call: TargetCall) -> Result<ChannelResult, RpcError> {
    let health = api.handle.call_target(call).await.map_err(|error| api.refusal(&error))?;
    let held = held(api).await?.get(&health.target).copied().unwrap_or(0);
    Ok(ChannelResult {
        schema_version: SCHEMA_VERSION,
        now: api.told(api.handle.now()),
        target: to_wire::target(&health, held, api.handle.zone()),
    })
}

/// Reads a target that a task may name, or one that is no longer configured and of which something is known still.
async fn target(api: &Api, text: &str) -> Result<Target, RpcError> {
    let known = Target::parse(text).filter(|target| target.kind.has_addresses());
    if let Some(target) = known
        && healths(api).await?.contains_key(&target)
    {
        return Ok(target);
    }
    let mut targets = details::targets(&[text.to_owned()], &api.options.webhooks)?;
    Ok(targets.pop().expect("one text is one target"))
}

async fn healths(api: &Api) -> Result<BTreeMap<Target, TargetHealth>, RpcError> {
    let targets = api.handle.targets().await.map_err(|error| api.refusal(&error))?;
    Ok(targets.into_iter().map(|health| (health.target.clone(), health)).collect())
}

/// Counts what is held, target by target.
async fn held(api: &Api) -> Result<BTreeMap<Target, usize>, RpcError> {
    let mut held = BTreeMap::new();
    for delivery in api.handle.outbox().await.map_err(|error| api.refusal(&error))? {
        if delivery.status == DeliveryStatus::Held {
            *held.entry(delivery.id.target).or_default() += 1;
        }
    }
    Ok(held)
}
