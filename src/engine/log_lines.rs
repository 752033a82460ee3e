//! What does the log tell of a change? One line an event, and one a delivery that went another way than out.
//!
//! Names only: a log goes to places where titles, notes and the keys inside addresses have no business.

use uuid::Uuid;

use crate::domain::delivery::{Delivery, DeliveryStatus};
use crate::domain::device_event::DeviceEvent;
use crate::domain::event::Event;
use crate::domain::task::Number;
use crate::store::Change;

/// A line that is written once its change is committed.
pub(super) enum LogLine {
    /// What happened to a task.
    Event { op_id: Uuid, event_id: Uuid, task: Number, event: &'static str, to: &'static str, reason: String },
    /// What happened to this device.
    Device { op_id: Uuid, event_id: Uuid, event: &'static str, by: String },
    /// How a delivery stands.
    Delivery {
        delivery_id: Uuid,
        fire_id: Uuid,
        task: Number,
        channel: String,
        delivery: &'static str,
        attempts: u32,
        error: String,
    },
}

impl LogLine {
    /// Writes the line.
    pub(super) fn write(&self) {
        match self {
            Self::Event { op_id, event_id, task, event, to, reason } => {
                tracing::info!(%op_id, %event_id, %task, event, to, reason);
            }
            Self::Device { op_id, event_id, event, by } => tracing::info!(%op_id, %event_id, event, by),
            Self::Delivery { delivery_id, fire_id, task, channel, delivery, attempts, error } => {
                tracing::info!(%delivery_id, %fire_id, %task, channel, delivery, attempts, error);
            }
        }
    }
}

/// Returns the lines of a change, none where nobody reads them.
pub(super) fn log_lines(change: &Change) -> Vec<LogLine> {
    if !tracing::enabled!(tracing::Level::INFO) {
        return Vec::new();
    }
    let of_device = change.device_events.iter().map(of_device);
    let of_tasks = change.events.iter().map(of_event);
    of_device.chain(of_tasks).chain(change.deliveries.iter().filter_map(of_delivery)).collect()
}

fn of_event(event: &Event) -> LogLine {
    LogLine::Event {
        op_id: event.op_id,
        event_id: event.event_id,
        task: event.snapshot.task.number,
        event: event.operation.name(),
        to: event.to.map_or("", |state| state.as_str()),
        reason: event.reason.clone(),
    }
}

fn of_device(event: &DeviceEvent) -> LogLine {
    LogLine::Device {
        op_id: event.op_id,
        event_id: event.event_id,
        event: event.operation.name(),
        by: event.operation.by().map_or_else(String::new, |by| by.to_string()),
    }
}

fn of_delivery(delivery: &Delivery) -> Option<LogLine> {
    let word = match delivery.status {
        // The line of its firing says that it goes out.
        DeliveryStatus::Queued => return None,
        // Neither out nor in a digest yet: which of both it is has a line, or is told by the digest's.
        DeliveryStatus::Grouped if delivery.digest.is_none() => return None,
        DeliveryStatus::Waiting => "waiting",
        DeliveryStatus::Held => "held",
        DeliveryStatus::Grouped => "grouped",
        DeliveryStatus::Quiet => "held for quiet hours",
        DeliveryStatus::Retrying(_) => "retrying",
        DeliveryStatus::Delivered(_) => "delivered",
        DeliveryStatus::Failed(_) => "failed",
        DeliveryStatus::Withdrawn(_) => "withdrawn",
    };
    Some(LogLine::Delivery {
        delivery_id: delivery.id.token(),
        fire_id: delivery.id.fire_id.0,
        task: delivery.message.number,
        channel: delivery.id.target.public_name(),
        delivery: word,
        attempts: delivery.attempts,
        error: delivery.last_error.clone().unwrap_or_default(),
    })
}
