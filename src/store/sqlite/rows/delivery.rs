//! How a delivery's status lies in its row; its other fields are columns as they are.

use crate::domain::delivery::DeliveryStatus;
use crate::domain::time::Timestamp;
use crate::store::sqlite::rows::{RowError, required, timestamp};

/// A delivery's status, as columns.
pub(crate) struct StatusRow {
    pub(crate) word: String,
    pub(crate) at: Option<i64>,
}

impl StatusRow {
    pub(crate) fn from_status(status: DeliveryStatus) -> Self {
        let (word, at) = match status {
            DeliveryStatus::Queued => ("queued", None),
            DeliveryStatus::Waiting => ("waiting", None),
            DeliveryStatus::Held => ("held", None),
            DeliveryStatus::Retrying(at) => ("retrying", Some(at)),
            DeliveryStatus::Delivered(at) => ("delivered", Some(at)),
            DeliveryStatus::Failed(at) => ("failed", Some(at)),
            DeliveryStatus::Withdrawn(at) => ("withdrawn", Some(at)),
        };
        Self { word: word.to_owned(), at: at.map(Timestamp::as_millis) }
    }

    pub(crate) fn into_status(self) -> Result<DeliveryStatus, RowError> {
        let at = || timestamp("status_at", required("status_at", self.at)?);
        Ok(match self.word.as_str() {
            "queued" => DeliveryStatus::Queued,
            "waiting" => DeliveryStatus::Waiting,
            "held" => DeliveryStatus::Held,
            "retrying" => DeliveryStatus::Retrying(at()?),
            "delivered" => DeliveryStatus::Delivered(at()?),
            "failed" => DeliveryStatus::Failed(at()?),
            "withdrawn" => DeliveryStatus::Withdrawn(at()?),
            word => return Err(RowError::unknown("status", word)),
        })
    }
}
