//! How is what goes out, and what was skipped, told? Deliveries, targets and skips as wire objects.

use chrono_tz::Tz;

use crate::domain::breaker::{Breaker, TargetHealth};
use crate::domain::delivery::{Delivery, StatusName};
use crate::domain::event::Event;
use crate::protocol::objects;
use crate::protocol::to_wire::{name, time};

/// Returns a delivery.
#[must_use]
pub fn delivery(delivery: &Delivery, zone: Tz) -> objects::Delivery {
    objects::Delivery {
        fire_id: delivery.id.fire_id.to_string(),
        task: delivery.message.number.typed(),
        target: delivery.id.target.to_string(),
        status: delivery.status.name().as_str().to_owned(),
        attempts: delivery.attempts,
        created_at: time(delivery.created_at, zone),
        at: delivery.status.at().map(|at| time(at, zone)),
        last_error: delivery.last_error.clone(),
        occurrence: name(delivery.occurrence),
        digest: delivery.digest.map(|digest| digest.to_string()),
    }
}

/// Returns what an event says was skipped, `None` where it is about something else.
#[must_use]
pub fn skip(event: &Event, zone: Tz) -> Option<objects::Skipped> {
    let (instances, from, to) = event.operation.skipped()?;
    Some(objects::Skipped {
        number: event.snapshot.task.number.typed(),
        title: event.snapshot.task.details.title.clone(),
        instances,
        from: time(from, zone),
        to: time(to, zone),
        at: time(event.at, zone),
        reason: event.reason.clone(),
    })
}

/// Returns a target, which the configuration may have or not; `count` tells how many of its deliveries are in a status.
#[must_use]
pub fn target(
    health: &TargetHealth,
    configured: bool,
    count: impl Fn(StatusName) -> u64,
    zone: Tz,
) -> objects::TargetStatus {
    let since = match health.breaker {
        Breaker::Closed | Breaker::Releasing { .. } => None,
        Breaker::Open { since, .. } | Breaker::Paused { since } => Some(since),
    };
    objects::TargetStatus {
        target: health.target.to_string(),
        configured,
        breaker: health.breaker.as_str().to_owned(),
        failures: health.failures,
        since: since.map(|at| time(at, zone)),
        next_at: health.next_release().map(|at| time(at, zone)),
        last_error: health.last_error.clone(),
        held: count(StatusName::Held),
        retrying: count(StatusName::Retrying),
        waiting: count(StatusName::Waiting),
        queued: count(StatusName::Queued),
        grouped: count(StatusName::Grouped) + count(StatusName::Quiet),
    }
}
