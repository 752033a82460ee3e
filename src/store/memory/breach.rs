//! Why the store in memory refuses a change that SQLite would refuse by a constraint.

use uuid::Uuid;

use crate::domain::task::{Number, TaskId};
use crate::store::StoreError;

/// Why a change breaks the store's own rules; SQLite says so by a constraint.
#[derive(Debug, thiserror::Error)]
pub(super) enum Breach {
    #[error("event {event_id} is stored already")]
    EventTwice { event_id: Uuid },
    #[error("number {number} is another task's")]
    NumberTwice { number: Number },
    #[error("request {key:?} is stored already")]
    RequestTwice { key: String },
    #[error("a delivery names task {task}, which is not stored")]
    DeliveryOfNoTask { task: TaskId },
    #[error("task {task} would be left without an occurrence")]
    NoOccurrence { task: TaskId },
    #[error("a store in memory has no file")]
    NoFile,
}

impl From<Breach> for StoreError {
    fn from(breach: Breach) -> Self {
        Self::Broken { what: "write", path: "memory".to_owned(), source: Box::new(breach) }
    }
}
