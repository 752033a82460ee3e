//! How an event of the device is told, beside those of tasks.

use chrono_tz::Tz;

use crate::domain::device_event::{AnyEvent, DeviceEvent, DeviceOperation};
use crate::domain::time::Span;
use crate::protocol::objects;
use crate::protocol::to_wire::{Detail, View, event, time};

/// Returns an event of a task or of the device; one of a task in full.
#[must_use]
pub fn any_event(seq: u64, any: &AnyEvent, view: View) -> objects::Event {
    match any {
        AnyEvent::Task(of_task) => event(seq, of_task, Detail::Full, view),
        AnyEvent::Device(event) => device_event(seq, event, view.zone),
    }
}

fn device_event(seq: u64, event: &DeviceEvent, zone: Tz) -> objects::Event {
    objects::Event {
        event_id: event.event_id.to_string(),
        seq,
        op_id: event.op_id.to_string(),
        task: None,
        task_id: None,
        occurrence: None,
        device: event.device.to_string(),
        actor: event.actor.as_str().to_owned(),
        at: time(event.at, zone),
        operation: event.operation.name().to_owned(),
        values: device_values(&event.operation, zone),
        from: None,
        to: None,
        late: false,
        reason: event.reason.clone(),
        snapshot: None,
    }
}

fn device_values(operation: &DeviceOperation, zone: Tz) -> objects::Json {
    let by_ms = operation.by().map(Span::as_millis);
    match operation {
        DeviceOperation::ClockStepped { from, to } | DeviceOperation::Slept { from, to } => {
            serde_json::json!({ "from": time(*from, zone), "to": time(*to, zone), "by_ms": by_ms })
        }
        DeviceOperation::AwaySet { from, to, except } => {
            serde_json::json!({ "from": time(*from, zone), "to": time(*to, zone), "except": except })
        }
        DeviceOperation::AwayEnded => serde_json::json!({}),
        DeviceOperation::ZoneChanged { from, to } => serde_json::json!({ "from": from, "to": to }),
    }
}
