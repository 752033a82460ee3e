//! How an operation's values lie in an event's row, so that undo and other devices can replay it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::domain::command::Edit;
use crate::domain::event::{Firing, Operation};
use crate::domain::occurrence::{FireId, Occurrence};
use crate::domain::time::{Span, Timestamp};
use crate::domain::waiting::SetWaits;
use crate::store::sqlite::rows::occurrence::{
    DueRow, OccurrenceRow, SlotRow, SnapshotRow, SnoozeRow, SuspendedRow, slots_from_rows, slots_to_rows,
};
use crate::store::sqlite::rows::run::{EndRow, ProgramRow, ProgressRow};
use crate::store::sqlite::rows::task::{DeadlineRow, LinkRow, NagRow, ScheduleRow, TargetRow, missed};
use crate::store::sqlite::rows::waits::{ParentRow, WaitsRow};
use crate::store::sqlite::rows::{RowError, maybe_timestamp, outcome, outcome_word, priority, required, timestamp};

/// The values of an operation, as JSON. Which are there depends on the operation's name, which has its own column.
#[derive(Serialize, Deserialize, Default)]
pub(crate) struct ValuesRow {
    #[serde(skip_serializing_if = "Option::is_none")]
    snapshot: Option<SnapshotRow>,
    #[serde(skip_serializing_if = "Option::is_none")]
    occurrence: Option<OccurrenceRow>,
    #[serde(skip_serializing_if = "Option::is_none")]
    firing: Option<FiringRow>,
    #[serde(skip_serializing_if = "Option::is_none")]
    suspended: Option<SuspendedRow>,
    #[serde(skip_serializing_if = "Option::is_none")]
    snooze: Option<SnoozeRow>,
    #[serde(default, alias = "swallowed_ms", skip_serializing_if = "Vec::is_empty")]
    swallowed: Vec<SlotRow>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    slots: Vec<SlotRow>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    is_dismissal: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    due: Option<DueRow>,
    #[serde(skip_serializing_if = "Option::is_none")]
    edit: Option<EditRow>,
    #[serde(skip_serializing_if = "Option::is_none")]
    outcome: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    instances: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<i64>,
    #[serde(alias = "by", skip_serializing_if = "Option::is_none")]
    to: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fire_id: Option<Uuid>,
    #[serde(skip_serializing_if = "Option::is_none")]
    target: Option<TargetRow>,
    #[serde(skip_serializing_if = "Option::is_none")]
    waits: Option<WaitsRow>,
    #[serde(skip_serializing_if = "Option::is_none")]
    parent: Option<ParentRow>,
    #[serde(skip_serializing_if = "Option::is_none")]
    task: Option<LinkRow>,
    #[serde(skip_serializing_if = "Option::is_none")]
    schedule: Option<ScheduleRow>,
    #[serde(skip_serializing_if = "Option::is_none")]
    attempt: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    progress: Option<ProgressRow>,
    #[serde(skip_serializing_if = "Option::is_none")]
    end: Option<EndRow>,
}

impl ValuesRow {
    pub(crate) fn from_operation(operation: &Operation) -> Self {
        let none = Self::default();
        let occurrence = |occurrence: &Occurrence| Some(OccurrenceRow::from_occurrence(occurrence));
        match operation {
            Operation::Armed
            | Operation::Started
            | Operation::DeadlinePassed
            | Operation::Failed
            | Operation::Unblocked
            | Operation::Deleted
            | Operation::Withdrawn => none,
            Operation::Retried { at } => Self { to: at.map(Timestamp::as_millis), ..none },
            Operation::RunStarted { attempt } => Self { attempt: Some(*attempt), ..none },
            Operation::Progressed(progress) => Self { progress: Some(ProgressRow::from_progress(progress)), ..none },
            Operation::RunEnded { attempt, end } => {
                Self { attempt: Some(*attempt), end: Some(EndRow::from_end(end)), ..none }
            }
            Operation::WaitsSet(waits) => Self { waits: WaitsRow::from_waits(waits), ..none },
            Operation::ParentDone(parent) | Operation::ParentFailed(parent) => {
                Self { parent: Some(ParentRow::from_parent(parent)), ..none }
            }
            Operation::Freed(freed) => Self { occurrence: occurrence(freed), ..none },
            Operation::Acked { is_dismissal } => Self { is_dismissal: Some(*is_dismissal), ..none },
            Operation::Added(snapshot) | Operation::Restored(snapshot) => {
                Self { snapshot: Some(SnapshotRow::from_snapshot(snapshot)), ..none }
            }
            Operation::Opened(opened) => Self { occurrence: occurrence(opened), ..none },
            Operation::Moved(moved) => Self { occurrence: occurrence(moved), ..none },
            Operation::Followed { by, schedule } => Self {
                task: Some(LinkRow::from_link(*by)),
                schedule: Some(ScheduleRow::from_schedule(schedule)),
                ..none
            },
            Operation::Spoke(firing) | Operation::Fired(firing) => {
                Self { firing: Some(FiringRow::from_firing(firing)), ..none }
            }
            Operation::Suspended(suspended) => Self {
                suspended: Some(SuspendedRow::from_suspended(suspended)),
                snooze: suspended.snooze.as_ref().map(SnoozeRow::from_snooze),
                ..none
            },
            Operation::Snoozed { snooze, swallowed } => {
                Self { snooze: Some(SnoozeRow::from_snooze(snooze)), swallowed: slots_to_rows(swallowed), ..none }
            }
            Operation::Resumed { due, snooze } => Self {
                due: due.as_ref().map(DueRow::from_due),
                snooze: snooze.as_ref().map(SnoozeRow::from_snooze),
                ..none
            },
            Operation::Edited(edit) => Self { edit: Some(EditRow::from_edit(edit)), ..none },
            Operation::Completed(outcome) | Operation::Cancelled(outcome) => {
                Self { outcome: Some(outcome_word(*outcome).to_owned()), ..none }
            }
            Operation::PassedOver { instances, from, to } => {
                Self { instances: Some(*instances), from: Some(from.as_millis()), to: Some(to.as_millis()), ..none }
            }
            Operation::Missed { slots, from, to } => {
                Self { slots: slots_to_rows(slots), from: Some(from.as_millis()), to: Some(to.as_millis()), ..none }
            }
            Operation::Held { until } => Self { to: until.map(Timestamp::as_millis), ..none },
            Operation::Resent { fire_id, target } | Operation::Expired { fire_id, target } => {
                Self { fire_id: Some(fire_id.0), target: Some(TargetRow::from_target(target)), ..none }
            }
        }
    }

    /// Returns the operation of a name and these values.
    pub(crate) fn into_operation(self, name: &str) -> Result<Operation, RowError> {
        Ok(match name {
            "added" => Operation::Added(Box::new(required("snapshot", self.snapshot)?.into_snapshot()?)),
            "opened" => Operation::Opened(Box::new(required("occurrence", self.occurrence)?.into_occurrence()?)),
            "armed" => Operation::Armed,
            "spoke" => Operation::Spoke(required("firing", self.firing)?.into_firing()?),
            "fired" => Operation::Fired(required("firing", self.firing)?.into_firing()?),
            "started" => Operation::Started,
            "acked" => Operation::Acked { is_dismissal: self.is_dismissal.unwrap_or(false) },
            "suspended" => Operation::Suspended(required("suspended", self.suspended)?.into_suspended(self.snooze)?),
            "snoozed" => Operation::Snoozed {
                snooze: required("snooze", self.snooze)?.into_snooze()?,
                swallowed: slots_from_rows(self.swallowed)?,
            },
            "resumed" => Operation::Resumed {
                due: self.due.map(DueRow::into_due).transpose()?,
                snooze: self.snooze.map(SnoozeRow::into_snooze).transpose()?,
            },
            "edited" => Operation::Edited(Box::new(required("edit", self.edit)?.into_edit()?)),
            "moved" => Operation::Moved(Box::new(required("occurrence", self.occurrence)?.into_occurrence()?)),
            "followed" => Operation::Followed {
                by: required("task", self.task)?.into_link(),
                schedule: Box::new(required("schedule", self.schedule)?.into_schedule()?),
            },
            "failed" => Operation::Failed,
            "retried" => Operation::Retried { at: maybe_timestamp("to", self.to)? },
            "run_started" => Operation::RunStarted { attempt: required("attempt", self.attempt)? },
            "progressed" => Operation::Progressed(required("progress", self.progress)?.into_progress()),
            "run_ended" => Operation::RunEnded {
                attempt: required("attempt", self.attempt)?,
                end: required("end", self.end)?.into_end()?,
            },
            "completed" => Operation::Completed(outcome("outcome", &required("outcome", self.outcome)?)?),
            "cancelled" => Operation::Cancelled(outcome("outcome", &required("outcome", self.outcome)?)?),
            "withdrawn" => Operation::Withdrawn,
            "passed_over" => {
                let to = timestamp("to", required("to", self.to)?)?;
                // The first version kept only the end.
                let from = self.from.map_or(Ok(to), |from| timestamp("from", from))?;
                Operation::PassedOver { instances: required("instances", self.instances)?, from, to }
            }
            "missed" => Operation::Missed {
                slots: slots_from_rows(self.slots)?,
                from: timestamp("from", required("from", self.from)?)?,
                to: timestamp("to", required("to", self.to)?)?,
            },
            "deadline_passed" => Operation::DeadlinePassed,
            "waits_set" => {
                Operation::WaitsSet(Box::new(self.waits.map(WaitsRow::into_waits).transpose()?.unwrap_or_default()))
            }
            "parent_done" => Operation::ParentDone(required("parent", self.parent)?.into_parent()?),
            "parent_failed" => Operation::ParentFailed(required("parent", self.parent)?.into_parent()?),
            "freed" => Operation::Freed(Box::new(required("occurrence", self.occurrence)?.into_occurrence()?)),
            "unblocked" => Operation::Unblocked,
            "deleted" => Operation::Deleted,
            "restored" => Operation::Restored(Box::new(required("snapshot", self.snapshot)?.into_snapshot()?)),
            "resent" => Operation::Resent {
                fire_id: FireId(required("fire_id", self.fire_id)?),
                target: required("target", self.target)?.into_target()?,
            },
            "held" => Operation::Held { until: maybe_timestamp("to", self.to)? },
            "expired" => Operation::Expired {
                fire_id: FireId(required("fire_id", self.fire_id)?),
                target: required("target", self.target)?.into_target()?,
            },
            word => return Err(RowError::unknown("operation", word)),
        })
    }
}

/// A firing, as JSON.
#[derive(Serialize, Deserialize)]
struct FiringRow {
    fire_id: Uuid,
    #[serde(alias = "slot_ms")]
    slot: SlotRow,
    nominal_at: i64,
    late: bool,
    #[serde(default, alias = "swallowed_ms", skip_serializing_if = "Vec::is_empty")]
    swallowed: Vec<SlotRow>,
}

impl FiringRow {
    fn from_firing(firing: &Firing) -> Self {
        Self {
            fire_id: firing.fire_id.0,
            slot: SlotRow::from_slot(firing.slot),
            nominal_at: firing.nominal_at.as_millis(),
            late: firing.late,
            swallowed: slots_to_rows(&firing.swallowed),
        }
    }

    fn into_firing(self) -> Result<Firing, RowError> {
        Ok(Firing {
            fire_id: FireId(self.fire_id),
            slot: self.slot.into_slot()?,
            nominal_at: timestamp("nominal_at", self.nominal_at)?,
            late: self.late,
            swallowed: slots_from_rows(self.swallowed)?,
        })
    }
}

/// New values of a task, as JSON; what is not there stays as it is.
#[derive(Serialize, Deserialize)]
struct EditRow {
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    notes: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    link: Option<NewRow<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    priority: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tags: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    metadata: Option<BTreeMap<String, String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    targets: Option<Vec<TargetRow>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    schedule: Option<ScheduleRow>,
    #[serde(skip_serializing_if = "Option::is_none")]
    alerts_ms: Option<Vec<i64>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    deadline: Option<NewRow<DeadlineRow>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    missed: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    nag: Option<NewRow<NagRow>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    auto_done: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_retries: Option<NewRow<u32>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_late_ms: Option<NewRow<i64>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    command: Option<NewRow<ProgramRow>>,
}

/// A new value that may be none; in a struct of its own, since "removed" and "left as it is" are both null otherwise.
#[derive(Serialize, Deserialize)]
struct NewRow<T> {
    to: Option<T>,
}

impl EditRow {
    fn from_edit(edit: &Edit) -> Self {
        Self {
            title: edit.title.clone(),
            notes: edit.notes.clone(),
            link: edit.link.clone().map(|to| NewRow { to }),
            priority: edit.priority.map(|priority| priority.as_str().to_owned()),
            tags: edit.tags.clone(),
            metadata: edit.metadata.clone(),
            targets: edit.targets.as_ref().map(|targets| targets.iter().map(TargetRow::from_target).collect()),
            schedule: edit.schedule.as_ref().map(ScheduleRow::from_schedule),
            alerts_ms: edit.alerts.as_ref().map(|alerts| alerts.iter().map(|span| span.as_millis()).collect()),
            deadline: edit.deadline.as_ref().map(|to| NewRow { to: to.as_ref().map(DeadlineRow::from_deadline) }),
            missed: edit.missed.map(|missed| missed.as_str().to_owned()),
            nag: edit.nag.map(|to| NewRow { to: to.map(NagRow::from_nag) }),
            auto_done: edit.auto_done,
            max_retries: edit.max_retries.map(|to| NewRow { to }),
            max_late_ms: edit.max_late.map(|to| NewRow { to: to.map(Span::as_millis) }),
            command: edit.command.as_ref().map(|to| NewRow { to: to.as_deref().map(ProgramRow::from_program) }),
        }
    }

    fn into_edit(self) -> Result<Edit, RowError> {
        let targets = self.targets.map(|targets| targets.into_iter().map(TargetRow::into_target).collect());
        Ok(Edit {
            title: self.title,
            notes: self.notes,
            link: self.link.map(|link| link.to),
            priority: self.priority.map(|word| priority(&word)).transpose()?,
            tags: self.tags,
            metadata: self.metadata,
            targets: targets.transpose()?,
            schedule: self.schedule.map(ScheduleRow::into_schedule).transpose()?,
            alerts: self.alerts_ms.map(|alerts| alerts.into_iter().map(Span::from_millis).collect()),
            deadline: self.deadline.map(|row| row.to.map(DeadlineRow::into_deadline).transpose()).transpose()?,
            missed: self.missed.map(|word| missed(&word)).transpose()?,
            nag: self.nag.map(|row| row.to.map(NagRow::into_nag)),
            auto_done: self.auto_done,
            max_retries: self.max_retries.map(|new| new.to),
            max_late: self.max_late_ms.map(|new| new.to.map(Span::from_millis)),
            command: self
                .command
                .map(|row| row.to.map(ProgramRow::into_program).transpose().map(|to| to.map(Box::new)))
                .transpose()?,
            // They have an operation of their own.
            waits: SetWaits::default(),
        })
    }
}
