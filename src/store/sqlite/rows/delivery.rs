//! How a delivery's status lies in its row; its other fields are columns as they are.

use crate::domain::delivery::{DeliveryStatus, StatusName};
use crate::domain::time::Timestamp;
use crate::store::sqlite::rows::{RowError, required, timestamp};

/// A delivery's status, as columns.
pub(crate) struct StatusRow {
    pub(crate) word: String,
    pub(crate) at: Option<i64>,
}

impl StatusRow {
    pub(crate) fn from_status(status: DeliveryStatus) -> Self {
        Self { word: status.name().as_str().to_owned(), at: status.at().map(Timestamp::as_millis) }
    }

    pub(crate) fn into_status(self) -> Result<DeliveryStatus, RowError> {
        let at = || timestamp("status_at", required("status_at", self.at)?);
        let name = StatusName::from_word(&self.word).ok_or_else(|| RowError::unknown("status", self.word.clone()))?;
        Ok(match name {
            StatusName::Queued => DeliveryStatus::Queued,
            StatusName::Waiting => DeliveryStatus::Waiting,
            StatusName::Held => DeliveryStatus::Held,
            StatusName::Grouped => DeliveryStatus::Grouped,
            StatusName::Quiet => DeliveryStatus::Quiet,
            StatusName::Retrying => DeliveryStatus::Retrying(at()?),
            StatusName::Delivered => DeliveryStatus::Delivered(at()?),
            StatusName::Failed => DeliveryStatus::Failed(at()?),
            StatusName::Withdrawn => DeliveryStatus::Withdrawn(at()?),
        })
    }
}
