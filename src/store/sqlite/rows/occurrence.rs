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
    pub(crate) task: TaskRow,
    pub(crate) occurrence: OccurrenceRow,
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
    pub(crate) moved_from: Option<DueRow>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) successor_at: Option<i64>,
    #[serde(default, alias = "spoken_ms", skip_serializing_if = "Vec::is_empty")]
    pub(crate) spoken: Vec<SlotRow>,
    #[serde(alias = "last_spoken_ms", skip_serializing_if = "Option::is_none")]
    pub(crate) last_spoken: Option<SlotRow>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) deadline: Option<DueRow>,
    #[serde(default, skip_serializing_if = "is_false")]
    pub(crate) is_past_deadline: bool,
    #[serde(default, skip_serializing_if = "is_zero")]
    pub(crate) nags: u32,
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
            moved_from: occurrence.moved_from.as_ref().map(DueRow::from_due),
            successor_at: millis(occurrence.successor_at),
            spoken: slots_to_rows(&occurrence.spoken),
            last_spoken: occurrence.last_spoken.map(SlotRow::from_slot),
            deadline: occurrence.deadline.as_ref().map(DueRow::from_due),
            is_past_deadline: occurrence.is_past_deadline,
            nags: occurrence.nags,
            moved_by: occurrence.moved_by,
            state: StateRow::from_state(&occurrence.state),
        }
    }

    pub(crate) fn into_occurrence(self) -> Result<Occurrence, RowError> {
        Ok(Occurrence {
            key: key("key", &self.key)?,
            generation: self.generation,
            due: self.due.map(DueRow::into_due).transpose()?,
            moved_from: self.moved_from.map(DueRow::into_due).transpose()?,
            successor_at: maybe_timestamp("successor_at", self.successor_at)?,
            spoken: slots_from_rows(self.spoken)?,
            last_spoken: self.last_spoken.map(SlotRow::into_slot).transpose()?,
            deadline: self.deadline.map(DueRow::into_due).transpose()?,
            is_past_deadline: self.is_past_deadline,
            nags: self.nags,
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
    pub(crate) is_missed: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) fired_at: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) rang_at: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) nags_since: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) is_hushed: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) late: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) acked_at: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) held_until: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) suspended: Option<SuspendedRow>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) failed_at: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) ended_at: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) outcome: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) retry_at: Option<i64>,
}

impl StateRow {
    fn from_state(state: &State) -> Self {
        let bare = Self {
            name: state.name().as_str().to_owned(),
            snooze: None,
            is_missed: None,
            fired_at: None,
            rang_at: None,
            nags_since: None,
            is_hushed: None,
            late: None,
            acked_at: None,
            held_until: None,
            suspended: None,
            failed_at: None,
            ended_at: None,
            outcome: None,
            retry_at: None,
        };
        match state {
            State::Created => bare,
            State::Pending(pending) => Self {
                snooze: pending.snooze.as_ref().map(SnoozeRow::from_snooze),
                is_missed: Some(pending.is_missed),
                retry_at: millis(pending.retry_at),
                ..bare
            },
            State::Running(running) => Self {
                fired_at: Some(running.fired_at.as_millis()),
                rang_at: millis(running.rang_at),
                nags_since: Some(running.nags),
                is_hushed: Some(running.is_hushed),
                late: Some(running.late),
                acked_at: millis(running.acked_at),
                held_until: millis(running.held_until),
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
                let snooze = self.snooze.map(SnoozeRow::into_snooze).transpose()?;
                // An event of the first version knows none of what is defaulted here.
                State::Pending(Pending {
                    snooze,
                    is_missed: self.is_missed.unwrap_or(false),
                    retry_at: maybe_timestamp("retry_at", self.retry_at)?,
                })
            }
            StateName::Running => State::Running(Running {
                fired_at: timestamp("fired_at", required("fired_at", self.fired_at)?)?,
                rang_at: maybe_timestamp("rang_at", self.rang_at)?,
                nags: self.nags_since.unwrap_or(0),
                is_hushed: self.is_hushed.unwrap_or(false),
                late: required("late", self.late)?,
                acked_at: maybe_timestamp("acked_at", self.acked_at)?,
                snooze: self.snooze.map(SnoozeRow::into_snooze).transpose()?,
                held_until: maybe_timestamp("held_until", self.held_until)?,
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
    #[serde(alias = "slot_ms")]
    pub(crate) slot: SlotRow,
    pub(crate) is_chosen: bool,
    #[serde(default)]
    pub(crate) is_duration: bool,
}

impl SnoozeRow {
    pub(crate) fn from_snooze(snooze: &Snooze) -> Self {
        Self {
            id: snooze.id,
            until: snooze.until.as_millis(),
            slot: SlotRow::from_slot(snooze.slot),
            is_chosen: snooze.is_chosen,
            is_duration: snooze.is_duration,
        }
    }

    pub(crate) fn into_snooze(self) -> Result<Snooze, RowError> {
        Ok(Snooze {
            id: self.id,
            until: timestamp("snooze_until", self.until)?,
            slot: self.slot.into_slot()?,
            is_chosen: self.is_chosen,
            is_duration: self.is_duration,
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
    #[serde(default, skip_serializing_if = "is_false")]
    pub(crate) is_this_only: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) acked_at: Option<i64>,
}

impl SuspendedRow {
    pub(crate) fn from_suspended(suspended: &Suspended) -> Self {
        Self {
            id: suspended.id,
            at: suspended.since.as_millis(),
            until: millis(suspended.until),
            remaining_ms: suspended.remaining.map(Span::as_millis),
            is_this_only: suspended.is_this_only,
            acked_at: millis(suspended.acked_at),
        }
    }

    pub(crate) fn into_suspended(self, snooze: Option<SnoozeRow>) -> Result<Suspended, RowError> {
        Ok(Suspended {
            id: self.id,
            since: timestamp("suspended_at", self.at)?,
            until: maybe_timestamp("suspended_until", self.until)?,
            remaining: self.remaining_ms.map(Span::from_millis),
            snooze: snooze.map(SnoozeRow::into_snooze).transpose()?,
            is_this_only: self.is_this_only,
            acked_at: maybe_timestamp("acked_at", self.acked_at)?,
        })
    }
}

/// An alert's name; the first version wrote its milliseconds from due as a number.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
pub(crate) enum SlotRow {
    Name(String),
    Millis(i64),
}

impl SlotRow {
    pub(crate) fn from_slot(slot: Slot) -> Self {
        Self::Name(slot.exact())
    }

    pub(crate) fn name(&self) -> String {
        match self {
            Self::Name(name) => name.clone(),
            Self::Millis(millis) => millis.to_string(),
        }
    }

    pub(crate) fn into_slot(self) -> Result<Slot, RowError> {
        match self {
            Self::Name(name) => slot(&name),
            Self::Millis(millis) => Ok(Slot::Alert(Span::from_millis(millis))),
        }
    }
}

/// Returns the alert of a column.
pub(crate) fn slot(name: &str) -> Result<Slot, RowError> {
    Slot::from_exact(name).ok_or_else(|| RowError::unknown("slot", name))
}

pub(crate) fn slots_to_rows(slots: &[Slot]) -> Vec<SlotRow> {
    slots.iter().copied().map(SlotRow::from_slot).collect()
}

pub(crate) fn slots_from_rows(rows: Vec<SlotRow>) -> Result<Vec<Slot>, RowError> {
    rows.into_iter().map(SlotRow::into_slot).collect()
}

/// Serde asks by reference whether a field is left out.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it with a reference")]
fn is_false(flag: &bool) -> bool {
    !*flag
}

/// As [`is_false`].
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it with a reference")]
fn is_zero(count: &u32) -> bool {
    *count == 0
}
