//! What is a program told of a firing? Everything that was frozen with it, as JSON.
//!
//! Never reads anything but the delivery: two attempts of one delivery must say the same.

use chrono::SecondsFormat;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::domain::delivery::{Delivery, DeliveryId};
use crate::domain::time::Timestamp;

/// The version of this form: one more when a field changes its meaning or goes.
const SCHEMA_VERSION: u32 = 1;

/// Returns the name of a delivery for the receiver.
pub(in crate::notify) fn id(delivery: &DeliveryId) -> Uuid {
    delivery.token()
}

/// Returns what is told: the body of a target that expects nothing else, and what templates are made of.
pub(in crate::notify) fn payload(delivery: &Delivery) -> Value {
    let (message, occasion) = (&delivery.message, &delivery.occasion);
    json!({
        "schema_version": SCHEMA_VERSION,
        "type": "reminder.fired",
        "timestamp": time(delivery.created_at),
        "delivery_id": id(&delivery.id),
        "task": {
            "number": message.number.0,
            "id": delivery.task.0,
            "title": message.title,
            "notes": occasion.notes,
            "link": message.link,
            "tags": occasion.tags,
            "priority": message.priority.as_str(),
            "metadata": occasion.metadata,
        },
        "occurrence": {
            "key": delivery.occurrence.key.to_string(),
            "generation": delivery.occurrence.generation,
            "due_at": occasion.due.map(|due| time(due.at)),
        },
        "firing": {
            "fire_id": delivery.id.fire_id.0,
            "slot": occasion.slot.to_string(),
            "nominal": time(occasion.nominal_at),
            "at": time(delivery.created_at),
            "late": occasion.late,
        },
        "device": occasion.device,
        "reason": occasion.reason.as_str(),
        "text": text(&message.title, &message.body),
    })
}

/// Returns what a person would read.
fn text(title: &str, body: &str) -> String {
    if body.is_empty() { title.to_owned() } else { format!("{title}\n{body}") }
}

fn time(at: Timestamp) -> String {
    at.to_utc().to_rfc3339_opts(SecondsFormat::AutoSi, true)
}

#[cfg(test)]
pub(in crate::notify) mod tests {
    use super::*;

    use std::collections::BTreeMap;

    use crate::domain::delivery::{DeliveryStatus, Target};
    use crate::domain::message::{Message, Occasion, Reason};
    use crate::domain::occurrence::{FireId, OccurrenceKey, OccurrenceName, Slot};
    use crate::domain::task::{Number, Priority, TaskId};

    pub(in crate::notify) fn delivery() -> Delivery {
        let target = Target::parse("webhook:ops").unwrap();
        Delivery {
            id: DeliveryId { fire_id: FireId(Uuid::from_u128(1)), target },
            task: TaskId(Uuid::from_u128(2)),
            occurrence: OccurrenceName { key: OccurrenceKey::Once, generation: 1 },
            message: Message {
                number: Number(7),
                title: "say \"hi\" \\ </script>".to_owned(),
                body: "due 12:00".to_owned(),
                priority: Priority::High,
                link: None,
            },
            occasion: Occasion {
                device: Uuid::from_u128(3),
                reason: Reason::Alert,
                slot: Slot::DUE,
                nominal_at: Timestamp::from_millis(0).unwrap(),
                late: true,
                due: None,
                notes: "交房租\n🏠".to_owned(),
                tags: vec!["home".to_owned()],
                metadata: BTreeMap::from([("room".to_owned(), "7".to_owned())]),
            },
            status: DeliveryStatus::Queued,
            frozen: None,
            expires_at: None,
            attempts: 0,
            created_at: Timestamp::from_millis(1500).unwrap(),
            last_error: None,
            digest: None,
            receipt: None,
        }
    }

    #[test]
    fn a_program_is_told_all_that_was_frozen() {
        let delivery = delivery();
        let expected = json!({
            "schema_version": 1,
            "type": "reminder.fired",
            "timestamp": "1970-01-01T00:00:01.500Z",
            "delivery_id": id(&delivery.id).to_string(),
            "task": {
                "number": 7, "id": "00000000-0000-0000-0000-000000000002", "title": "say \"hi\" \\ </script>",
                "notes": "交房租\n🏠", "link": null, "tags": ["home"], "priority": "high", "metadata": {"room": "7"},
            },
            "occurrence": {"key": "once", "generation": 1, "due_at": null},
            "firing": {
                "fire_id": "00000000-0000-0000-0000-000000000001", "slot": "0", "nominal": "1970-01-01T00:00:00Z",
                "at": "1970-01-01T00:00:01.500Z", "late": true,
            },
            "device": "00000000-0000-0000-0000-000000000003",
            "reason": "alert",
            "text": "say \"hi\" \\ </script>\ndue 12:00",
        });
        assert_eq!(payload(&delivery), expected);
    }

    #[test]
    fn the_name_of_a_delivery_is_that_of_its_firing_and_target() {
        let delivery = delivery();
        let mut later = delivery.clone();
        later.attempts = 3;
        assert_eq!(id(&delivery.id), id(&later.id));
        later.id.target = Target::parse("webhook:other").unwrap();
        assert_ne!(id(&delivery.id), id(&later.id));
    }
}
