//! Deliveries to send.

use std::collections::BTreeMap;

use keiko::domain::delivery::{Delivery, DeliveryId, DeliveryStatus, Target};
#[cfg(feature = "desktop")]
use keiko::domain::effect::{Standing, Withdrawal};
use keiko::domain::message::{Message, Occasion, Reason};
use keiko::domain::occurrence::{FireId, OccurrenceKey, OccurrenceName, Slot};
use keiko::domain::task::{Number, Priority, TaskId};
use keiko::domain::time::Timestamp;
use uuid::Uuid;

/// Returns the id of task `number`.
pub(crate) fn task(number: u64) -> TaskId {
    TaskId(Uuid::from_u128(number.into()))
}

/// Returns a delivery of task `number`.
pub(crate) fn delivery(target: Target, number: u64, title: &str, body: &str) -> Delivery {
    Delivery {
        id: DeliveryId { fire_id: FireId(Uuid::from_u128(number.into())), target },
        task: task(number),
        occurrence: OccurrenceName { key: OccurrenceKey::Once, generation: 1 },
        message: Message {
            number: Number(number),
            title: title.to_owned(),
            body: body.to_owned(),
            priority: Priority::Normal,
            link: None,
        },
        occasion: Occasion {
            device: Uuid::nil(),
            reason: Reason::Alert,
            slot: Slot::DUE,
            nominal_at: Timestamp::MIN,
            late: false,
            due: None,
            notes: String::new(),
            tags: Vec::new(),
            metadata: BTreeMap::new(),
        },
        status: DeliveryStatus::Queued,
        frozen: None,
        expires_at: None,
        attempts: 0,
        created_at: Timestamp::MIN,
        last_error: None,
        digest: None,
        receipt: None,
    }
}

/// Returns that what is shown of a task holds no more, since it was seen.
#[cfg(feature = "desktop")]
pub(crate) fn withdrawal(task: TaskId) -> Withdrawal {
    let occurrence = OccurrenceName { key: OccurrenceKey::Once, generation: 1 };
    Withdrawal { task, occurrence, standing: Standing::Seen, told: Vec::new() }
}
