//! How what a task waits for lies in its row and in events.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::domain::task::{Number, TaskId};
use crate::domain::time::Span;
use crate::domain::waiting::{Failure, HowFailed, Met, OnParentFail, Parent, Wait, Waits};
use crate::store::sqlite::rows::{RowError, required, timestamp};

/// What a task waits for, as JSON.
#[derive(Serialize, Deserialize)]
pub(crate) struct WaitsRow {
    parents: Vec<ParentRow>,
    #[serde(skip_serializing_if = "Option::is_none")]
    delay_ms: Option<i64>,
    on_fail: String,
}

impl WaitsRow {
    /// Returns nothing for a task that waits for none.
    pub(crate) fn from_waits(waits: &Waits) -> Option<Self> {
        if waits.is_none() {
            return None;
        }
        Some(Self {
            parents: waits.parents.iter().map(ParentRow::from_parent).collect(),
            delay_ms: waits.delay.map(Span::as_millis),
            on_fail: waits.on_fail.as_str().to_owned(),
        })
    }

    pub(crate) fn into_waits(self) -> Result<Waits, RowError> {
        Ok(Waits {
            parents: self.parents.into_iter().map(ParentRow::into_parent).collect::<Result<_, _>>()?,
            delay: self.delay_ms.map(Span::from_millis),
            on_fail: OnParentFail::from_word(&self.on_fail)
                .ok_or_else(|| RowError::unknown("waits.on_fail", self.on_fail.clone()))?,
        })
    }
}

/// A task that is to be done first, as JSON.
#[derive(Serialize, Deserialize)]
pub(crate) struct ParentRow {
    task: Uuid,
    number: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    wait: Option<WaitRow>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ahead: Option<WaitRow>,
}

impl ParentRow {
    pub(crate) fn from_parent(parent: &Parent) -> Self {
        Self {
            task: parent.id.0,
            number: parent.number.0,
            wait: WaitRow::from_wait(parent.wait),
            ahead: parent.ahead.and_then(WaitRow::from_wait),
        }
    }

    pub(crate) fn into_parent(self) -> Result<Parent, RowError> {
        Ok(Parent {
            id: TaskId(self.task),
            number: Number(self.number),
            wait: self.wait.map(WaitRow::into_wait).transpose()?.unwrap_or(Wait::Awaited),
            ahead: self.ahead.map(WaitRow::into_wait).transpose()?,
        })
    }
}

/// What such a task came to, as JSON: it was done, or never will be.
#[derive(Serialize, Deserialize)]
struct WaitRow {
    #[serde(skip_serializing_if = "Option::is_none")]
    occurrence: Option<String>,
    #[serde(default)]
    is_last: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    how: Option<String>,
    at: i64,
}

impl WaitRow {
    /// Returns nothing for one that is awaited.
    fn from_wait(wait: Wait) -> Option<Self> {
        match wait {
            Wait::Awaited => None,
            Wait::Met(Met { occurrence, at, is_last }) => {
                Some(Self { occurrence: Some(occurrence.to_string()), is_last, how: None, at: at.as_millis() })
            }
            Wait::Failed(Failure { how, at }) => {
                Some(Self { occurrence: None, is_last: false, how: Some(how.as_str().to_owned()), at: at.as_millis() })
            }
        }
    }

    fn into_wait(self) -> Result<Wait, RowError> {
        let at = timestamp("waits.at", self.at)?;
        if let Some(word) = self.how {
            let how = HowFailed::from_word(&word).ok_or_else(|| RowError::unknown("waits.how", word))?;
            return Ok(Wait::Failed(Failure { how, at }));
        }
        let text = required("waits.occurrence", self.occurrence)?;
        let occurrence = text.parse().map_err(|_| RowError::unknown("waits.occurrence", text))?;
        Ok(Wait::Met(Met { occurrence, at, is_last: self.is_last }))
    }
}
