//! `delivery.list`, `channel.list`, `channel.pause`, `channel.resume`, `channel.test`: what goes out, and where to.

use std::collections::BTreeMap;

use crate::api::Api;
use crate::api::handlers::details;
use crate::api::page::Page;
use crate::domain::breaker::TargetHealth;
use crate::domain::delivery::{Report, StatusName, Target};
use crate::domain::outbox::{DeliveryFilter, Statuses};
use crate::engine::handle::ChannelPresence;
use crate::engine::input::{CallError, TargetCall};
use crate::protocol::SCHEMA_VERSION;
use crate::protocol::envelope::{RawJson, write_answer};
use crate::protocol::error_code::{ErrorKind, RpcError};
use crate::protocol::methods::{
    ChannelList, ChannelListResult, ChannelPause, ChannelResult, ChannelResume, ChannelTest, ChannelTestResult,
    DELIVERIES_MAX, DeliveryList, DeliveryListResult,
};
use crate::protocol::objects::ChannelStatus;
use crate::protocol::to_wire;

/// Tells deliveries: of a task all, else those that are not final.
pub(in crate::api) async fn deliveries(api: &Api, params: DeliveryList) -> Result<RawJson, RpcError> {
    let limit = params.limit.unwrap_or(DELIVERIES_MAX);
    if limit > DELIVERIES_MAX {
        let message = format!("cannot tell {limit} deliveries at once: expected at most {DELIVERIES_MAX}");
        return Err(RpcError::new(ErrorKind::Params, message));
    }
    let task = match &params.task {
        Some(task) => Some(api.find(task).await?),
        None => None,
    };
    let which = DeliveryFilter {
        task,
        kind: None,
        target: params.target.as_deref().map(any_target).transpose()?,
        statuses: statuses(params.status.as_deref(), task.is_some())?,
    };
    let zone = api.handle.zone();
    let page = Page::new(params.after.unwrap_or(0), limit)
        .fill(
            |after, limit| api.handle.deliveries_after(which.clone(), after, limit),
            move |(place, delivery)| (*place, write_answer(to_wire::outgoing::delivery(delivery, zone))),
        )
        .await
        .map_err(|error| api.refusal(&error))?;
    Ok(write_answer(DeliveryListResult {
        schema_version: SCHEMA_VERSION,
        now: api.told(api.handle.now()),
        next: page.has_more().then(|| page.cursor()),
        deliveries: page.into_texts(),
    }))
}

/// Reads which statuses are meant. What has come to its good end piles up, so only a task's are told.
fn statuses(word: Option<&str>, is_of_task: bool) -> Result<Statuses, RpcError> {
    let Some(word) = word else { return Ok(if is_of_task { Statuses::All } else { Statuses::Open }) };
    let is_told = |status: &StatusName| is_of_task || !status.is_final() || *status == StatusName::Failed;
    if let Some(status) = StatusName::from_word(word).filter(is_told) {
        return Ok(Statuses::One(status));
    }
    let known: Vec<&str> = StatusName::ALL.into_iter().filter(is_told).map(StatusName::as_str).collect();
    let message = format!("cannot tell deliveries of status {word:?}: expected {}", known.join(", "));
    let error = RpcError::new(ErrorKind::Params, message);
    Err(if is_of_task { error } else { error.with_hint("name the task to see also what was delivered or withdrawn") })
}

/// Reads a target that may be nobody's: then there is nothing to tell of it.
fn any_target(text: &str) -> Result<Target, RpcError> {
    Target::parse(text).ok_or_else(|| {
        let message = format!(
            "cannot use target {text:?}: expected desktop, terminal, or a kind with its name such as webhook:NAME"
        );
        RpcError::new(ErrorKind::Params, message)
    })
}

/// Tells the channels, and the targets that are configured or of which anything is known.
pub(in crate::api) async fn list(api: &Api, _params: ChannelList) -> Result<ChannelListResult, RpcError> {
    let mut known: BTreeMap<Target, TargetHealth> = healths(api).await?;
    let channels = api.handle.channels();
    let own = channels.iter().filter(|(kind, _)| !kind.has_addresses());
    let own = own.map(|(kind, _)| Target { kind: *kind, address: String::new() });
    for target in own.chain(api.options().targets.iter().cloned()) {
        known.entry(target.clone()).or_insert_with(|| TargetHealth::new(target));
    }
    let counts = api.handle.counts_by_target().await.map_err(|error| api.refusal(&error))?;
    // What is on its way to a target of which nothing else is known is known of it.
    for count in &counts {
        known.entry(count.target.clone()).or_insert_with(|| TargetHealth::new(count.target.clone()));
    }
    let counted: BTreeMap<(&Target, StatusName), u64> =
        counts.iter().map(|count| ((&count.target, count.status), count.count)).collect();
    let zone = api.handle.zone();
    let targets = known.values().map(|health| {
        let is_configured = is_configured(api, &health.target);
        let count = |status| counted.get(&(&health.target, status)).copied().unwrap_or(0);
        to_wire::outgoing::target(health, is_configured, count, zone)
    });
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
            let message = format!("cannot try {told}: too many other trials are under way");
            RpcError::new(ErrorKind::Limit, message).with_hint("try again in a moment")
        }
        error => api.refusal(&error),
    })?;
    let error = match report {
        Report::Delivered { .. } => None,
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

fn is_configured(api: &Api, target: &Target) -> bool {
    !target.kind.has_addresses() || target.address.contains("://") || api.options().targets.contains(target)
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
    let counts = api.handle.counts_by_target().await.map_err(|error| api.refusal(&error))?;
    let count = |status| {
        let counted = counts.iter().find(|count| count.target == health.target && count.status == status);
        counted.map_or(0, |count| count.count)
    };
    Ok(ChannelResult {
        schema_version: SCHEMA_VERSION,
        now: api.told(api.handle.now()),
        target: to_wire::outgoing::target(&health, is_configured(api, &health.target), count, api.handle.zone()),
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
    let mut targets = details::targets(&[text.to_owned()], &api.options().targets)?;
    Ok(targets.pop().expect("one text is one target"))
}

async fn healths(api: &Api) -> Result<BTreeMap<Target, TargetHealth>, RpcError> {
    let targets = api.handle.targets().await.map_err(|error| api.refusal(&error))?;
    Ok(targets.into_iter().map(|health| (health.target.clone(), health)).collect())
}
