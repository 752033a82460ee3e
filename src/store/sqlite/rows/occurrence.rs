//! How an occurrence and its state lie in their row.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::domain::event::Snapshot;
use crate::domain::occurrence::{Due, Occurrence, Slot};
use crate::domain::state::{Ended, Failed, Pending, Running, Snooze, State, StateName, Suspended};
use crate::domain::time::Span;
use crate::store::sqlite::rows::task::{TaskRow, key};
use crate::store::sqlite::rows::{
    RowError, maybe_timestamp, millis, nominal, nominal_text, outcome, outcome_word, required, timestamp,
};

/// A task and its occurrence, as JSON.
#[derive(Serialize, Deserialize)]
pub(crate) struct SnapshotRow {
    task: TaskRow,
    occurrence: OccurrenceRow,
}

impl SnapshotRow {
    pub(crate) fn from_snapshot(snapshot: &Snapshot) -> Self {
        Self {
            task: TaskRow::from_task(&snapshot.task),
            occurrence: OccurrenceRow::from_occurrence(&snapshot.occurrence),
        }
    }

    pub(crate) fn into_snapshot(self) -> Result<Snapshot, RowError> {
        Ok(Snapshot { task: self.task.into_task()?, occurrence: self.occurrence.into_occurrence()? })
    }
}

/// An occurrence, as columns and as JSON.
#[derive(Serialize, Deserialize)]
pub(crate) struct OccurrenceRow {
    pub(crate) key: String,
    pub(crate) generation: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) due: Option<DueRow>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) successor_at: Option<i64>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) spoken_ms: Vec<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) last_spoken_ms: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) moved_by: Option<Uuid>,
    pub(crate) state: StateRow,
}

impl OccurrenceRow {
    pub(crate) fn from_occurrence(occurrence: &Occurrence) -> Self {
        Self {
            key: occurrence.key.to_string(),
            generation: occurrence.generation,
            due: occurrence.due.as_ref().map(DueRow::from_due),
            successor_at: millis(occurrence.successor_at),
            spoken_ms: slots_to_ms(&occurrence.spoken),
            last_spoken_ms: occurrence.last_spoken.map(|slot| slot.0.as_millis()),
            moved_by: occurrence.moved_by,
            state: StateRow::from_state(&occurrence.state),
        }
    }

    pub(crate) fn into_occurrence(self) -> Result<Occurrence, RowError> {
        Ok(Occurrence {
            key: key("key", &self.key)?,
            generation: self.generation,
            due: self.due.map(DueRow::into_due).transpose()?,
            successor_at: maybe_timestamp("successor_at", self.successor_at)?,
            spoken: slots_from_ms(&self.spoken_ms),
            last_spoken: self.last_spoken_ms.map(slot),
            moved_by: self.moved_by,
            state: self.state.into_state()?,
        })
    }
}

/// A due time, as columns and as JSON.
#[derive(Serialize, Deserialize)]
pub(crate) struct DueRow {
    pub(crate) nominal: String,
    pub(crate) at: i64,
}

impl DueRow {
    pub(crate) fn from_due(due: &Due) -> Self {
        Self { nominal: nominal_text(due.nominal), at: due.at.as_millis() }
    }

    pub(crate) fn into_due(self) -> Result<Due, RowError> {
        Ok(Due { nominal: nominal("due_nominal", &self.nominal)?, at: timestamp("due_at", self.at)? })
    }
}

/// A state with its data, as columns and as JSON. Which fields are there depends on the state.
#[derive(Serialize, Deserialize)]
pub(crate) struct StateRow {
    pub(crate) name: String,
    /// Of PENDING and RUNNING, and of SUSPENDED what it interrupted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) snooze: Option<SnoozeRow>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) fired_at: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) late: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) acked_at: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) suspended: Option<SuspendedRow>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) failed_at: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) ended_at: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) outcome: Option<String>,
}

impl StateRow {
    fn from_state(state: &State) -> Self {
        let bare = Self {
            name: state.name().as_str().to_owned(),
            snooze: None,
            fired_at: None,
            late: None,
            acked_at: None,
            suspended: None,
            failed_at: None,
            ended_at: None,
            outcome: None,
        };
        match state {
            State::Created => bare,
            State::Pending(pending) => Self { snooze: pending.snooze.as_ref().map(SnoozeRow::from_snooze), ..bare },
            State::Running(running) => Self {
                fired_at: Some(running.fired_at.as_millis()),
                late: Some(running.late),
                acked_at: millis(running.acked_at),
                snooze: running.snooze.as_ref().map(SnoozeRow::from_snooze),
                ..bare
            },
            State::Suspended(suspended) => Self {
                snooze: suspended.snooze.as_ref().map(SnoozeRow::from_snooze),
                suspended: Some(SuspendedRow::from_suspended(suspended)),
                ..bare
            },
            State::Failed(failed) => Self { failed_at: Some(failed.at.as_millis()), ..bare },
            State::Completed(ended) | State::Cancelled(ended) => Self {
                ended_at: Some(ended.at.as_millis()),
                outcome: Some(outcome_word(ended.outcome).to_owned()),
                ..bare
            },
        }
    }

    fn into_state(self) -> Result<State, RowError> {
        let Some(name) = StateName::from_word(&self.name) else {
            return Err(RowError::unknown("state", self.name));
        };
        Ok(match name {
            StateName::Created => State::Created,
            StateName::Pending => {
                State::Pending(Pending { snooze: self.snooze.map(SnoozeRow::into_snooze).transpose()? })
            }
            StateName::Running => State::Running(Running {
                fired_at: timestamp("fired_at", required("fired_at", self.fired_at)?)?,
                late: required("late", self.late)?,
                acked_at: maybe_timestamp("acked_at", self.acked_at)?,
                snooze: self.snooze.map(SnoozeRow::into_snooze).transpose()?,
            }),
            StateName::Suspended => {
                State::Suspended(required("suspended_at", self.suspended)?.into_suspended(self.snooze)?)
            }
            StateName::Failed => {
                State::Failed(Failed { at: timestamp("failed_at", required("failed_at", self.failed_at)?)? })
            }
            StateName::Completed => State::Completed(self.ended()?),
            StateName::Cancelled => State::Cancelled(self.ended()?),
        })
    }

    fn ended(&self) -> Result<Ended, RowError> {
        Ok(Ended {
            at: timestamp("ended_at", required("ended_at", self.ended_at)?)?,
            outcome: outcome("outcome", required("outcome", self.outcome.as_deref())?)?,
        })
    }
}

/// A snooze, as columns and as JSON.
#[derive(Serialize, Deserialize)]
pub(crate) struct SnoozeRow {
    pub(crate) id: Uuid,
    pub(crate) until: i64,
    pub(crate) slot_ms: i64,
    pub(crate) is_chosen: bool,
}

impl SnoozeRow {
    pub(crate) fn from_snooze(snooze: &Snooze) -> Self {
        Self {
            id: snooze.id,
            until: snooze.until.as_millis(),
            slot_ms: snooze.slot.0.as_millis(),
            is_chosen: snooze.is_chosen,
        }
    }

    pub(crate) fn into_snooze(self) -> Result<Snooze, RowError> {
        Ok(Snooze {
            id: self.id,
            until: timestamp("snooze_until", self.until)?,
            slot: slot(self.slot_ms),
            is_chosen: self.is_chosen,
        })
    }
}

/// What a suspended occurrence carries but the snooze, as columns and as JSON.
#[derive(Serialize, Deserialize)]
pub(crate) struct SuspendedRow {
    pub(crate) id: Uuid,
    pub(crate) at: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) until: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) remaining_ms: Option<i64>,
}

impl SuspendedRow {
    pub(crate) fn from_suspended(suspended: &Suspended) -> Self {
        Self {
            id: suspended.id,
            at: suspended.since.as_millis(),
            until: millis(suspended.until),
            remaining_ms: suspended.remaining.map(Span::as_millis),
        }
    }

    pub(crate) fn into_suspended(self, snooze: Option<SnoozeRow>) -> Result<Suspended, RowError> {
        Ok(Suspended {
            id: self.id,
            since: timestamp("suspended_at", self.at)?,
            until: maybe_timestamp("suspended_until", self.until)?,
            remaining: self.remaining_ms.map(Span::from_millis),
            snooze: snooze.map(SnoozeRow::into_snooze).transpose()?,
        })
    }
}

pub(crate) fn slot(millis: i64) -> Slot {
    Slot(Span::from_millis(millis))
}

pub(crate) fn slots_to_ms(slots: &[Slot]) -> Vec<i64> {
    slots.iter().map(|slot| slot.0.as_millis()).collect()
}

pub(crate) fn slots_from_ms(millis: &[i64]) -> Vec<Slot> {
    millis.iter().copied().map(slot).collect()
}
