//! What does an event say of itself? The values of each operation, so that a program can follow without comparing snapshots.

use chrono_tz::Tz;

use crate::domain::command::Edit;
use crate::domain::event::{Firing, Operation};
use crate::domain::occurrence::{Due, Nominal, Occurrence, Slot};
use crate::domain::run::RunEnd;
use crate::domain::state::Snooze;
use crate::domain::task::DeadlineTime;
use crate::domain::time::{Span, Timestamp};
use crate::domain::waiting::{Parent, Wait};
use crate::protocol::objects;
use crate::protocol::to_wire::run::command;
use crate::protocol::to_wire::{outcome_word, priority, schedule, span, time};

/// Returns the operation's own values, so that a program can follow without comparing snapshots.
pub(super) fn values(operation: &Operation, zone: Tz) -> objects::Json {
    use serde_json::json;
    let told = |at: Timestamp| time(at, zone);
    match operation {
        Operation::Added(snapshot) | Operation::Restored(snapshot) => json!({
            "title": snapshot.task.details.title,
            "schedule": schedule(&snapshot.task.schedule, zone),
            "due_at": snapshot.occurrence.due_at().map(told),
        }),
        Operation::Opened(occurrence) | Operation::Moved(occurrence) | Operation::Freed(occurrence) => {
            opened(occurrence, zone)
        }
        Operation::WaitsSet(waits) => json!({
            "waits_for": waits.parents.iter().map(|parent| parent.number.typed()).collect::<Vec<_>>(),
            "delay_ms": waits.delay.map(Span::as_millis),
            "on_parent_fail": waits.on_fail.as_str(),
        }),
        Operation::ParentDone(parent) | Operation::ParentFailed(parent) => came_to(parent, zone),
        Operation::Spoke(firing) | Operation::Fired(firing) => fired(firing, zone),
        Operation::Suspended(suspended) => json!({
            "pause_id": suspended.id,
            "until": suspended.until.map(told),
            "remaining_ms": suspended.remaining.map(Span::as_millis),
            "snooze": suspended.snooze.map(|snooze| snoozed(&snooze, zone)),
            "this_only": suspended.is_this_only,
        }),
        Operation::Snoozed { snooze, swallowed } => {
            let mut values = snoozed(snooze, zone);
            values["swallowed"] = slots(swallowed).into();
            values
        }
        Operation::Resumed { due, snooze } => json!({
            "due_at": due.map(|due: Due| told(due.at)),
            "snooze": snooze.map(|snooze| snoozed(&snooze, zone)),
        }),
        Operation::Edited(edit) => edited(edit, zone),
        Operation::Followed { by, schedule: left } => json!({
            "followed_by": by.number.typed(),
            "schedule": schedule(left, zone),
        }),
        Operation::Completed(outcome) | Operation::Cancelled(outcome) => json!({ "outcome": outcome_word(*outcome) }),
        Operation::PassedOver { instances, from, to } => {
            json!({ "instances": instances, "from": told(*from), "to": told(*to) })
        }
        Operation::Missed { slots: missed, from, to } => {
            json!({ "slots": slots(missed), "from": told(*from), "to": told(*to) })
        }
        Operation::Acked { is_dismissal } => json!({ "dismissal": is_dismissal }),
        Operation::Held { until } => json!({ "until": until.map(told) }),
        Operation::Resent { fire_id, target } | Operation::Expired { fire_id, target } => {
            json!({ "fire_id": fire_id.to_string(), "target": target.to_string() })
        }
        Operation::Armed
        | Operation::Started
        | Operation::Unblocked
        | Operation::Deleted
        | Operation::DeadlinePassed
        | Operation::Failed
        | Operation::Withdrawn => json!({}),
        Operation::Retried { at } => json!({ "at": at.map(told) }),
        Operation::RunStarted { attempt } => json!({ "attempt": attempt }),
        Operation::Progressed(progress) => json!({ "percent": progress.percent, "text": progress.text }),
        Operation::RunEnded { attempt, end } => run_ended(*attempt, end),
    }
}

/// Returns what became of a task that another waits for: of its next time, where the open one is free already.
fn came_to(parent: &Parent, zone: Tz) -> objects::Json {
    let (occurrence, how, at) = match parent.ahead.unwrap_or(parent.wait) {
        Wait::Awaited => (None, None, None),
        Wait::Met(met) => (Some(met.occurrence.to_string()), None, Some(met.at)),
        Wait::Failed(failure) => (None, Some(failure.how.as_str()), Some(failure.at)),
    };
    serde_json::json!({
        "parent": parent.number.typed(),
        "parent_id": parent.id.to_string(),
        "occurrence": occurrence,
        "how": how,
        "at": at.map(|at| time(at, zone)),
        "for_next": parent.ahead.is_some(),
    })
}

fn opened(occurrence: &Occurrence, zone: Tz) -> objects::Json {
    serde_json::json!({
        "key": occurrence.key.to_string(),
        "generation": occurrence.generation,
        "due_at": occurrence.due_at().map(|at| time(at, zone)),
        "moved_from": occurrence.moved_from.map(|by_rule| time(by_rule.at, zone)),
        "successor_at": occurrence.successor_at.map(|at| time(at, zone)),
    })
}

fn fired(firing: &Firing, zone: Tz) -> objects::Json {
    serde_json::json!({
        "fire_id": firing.fire_id.to_string(),
        "slot": slot(firing.slot),
        "nominal_at": time(firing.nominal_at, zone),
        "late": firing.late,
        "swallowed": slots(&firing.swallowed),
    })
}

fn snoozed(snooze: &Snooze, zone: Tz) -> objects::Json {
    serde_json::json!({
        "snooze_id": snooze.id,
        "until": time(snooze.until, zone),
        "slot": slot(snooze.slot),
        "chosen": snooze.is_chosen,
    })
}

fn slots(slots: &[Slot]) -> Vec<String> {
    slots.iter().map(|each| slot(*each)).collect()
}

fn slot(slot: Slot) -> String {
    match slot {
        Slot::Alert(offset) => span(offset),
        Slot::Deadline(Span::ZERO) | Slot::Nag(_) => slot.to_string(),
        Slot::Deadline(offset) => format!("deadline{}", span(offset)),
    }
}

fn deadline_word(deadline: DeadlineTime, zone: Tz) -> String {
    match deadline {
        DeadlineTime::At(Nominal::Local(local)) => local.format("%Y-%m-%dT%H:%M:%S").to_string(),
        DeadlineTime::At(Nominal::Instant(at)) => time(at, zone).to_string(),
        DeadlineTime::AfterDue(after) => span(after),
    }
}

fn edited(edit: &Edit, zone: Tz) -> objects::Json {
    let mut values = serde_json::Map::new();
    let mut set = |name: &str, value: Option<objects::Json>| {
        if let Some(value) = value {
            values.insert(name.to_owned(), value);
        }
    };
    set("title", edit.title.clone().map(Into::into));
    set("notes", edit.notes.clone().map(Into::into));
    set("link", edit.link.clone().map(Into::into));
    set("priority", edit.priority.map(|each| serde_json::json!(priority(each))));
    set("tags", edit.tags.clone().map(Into::into));
    set("metadata", edit.metadata.as_ref().map(|metadata| serde_json::json!(metadata)));
    set("channels", edit.targets.as_ref().map(|targets| targets.iter().map(ToString::to_string).collect()));
    set("command", edit.command.as_ref().map(|new| serde_json::json!(new.as_deref().map(command))));
    set("max_retries", edit.max_retries.map(Into::into));
    set("max_late_s", edit.max_late.map(|late| late.map(|late| late.as_millis() / 1000).into()));
    set("schedule", edit.schedule.as_ref().map(|each| serde_json::json!(schedule(each, zone))));
    set("missed", edit.missed.map(|missed| missed.as_str().into()));
    set("nag_ms", edit.nag.map(|nag| nag.map(|nag| nag.every.as_millis()).into()));
    set("auto_done", edit.auto_done.map(Into::into));
    set("deadline", edit.deadline.as_ref().map(|new| new.as_ref().map(|new| deadline_word(new.time, zone)).into()));
    set("alerts", edit.alerts.as_ref().map(|alerts| alerts.iter().map(|offset| span(*offset)).collect()));
    objects::Json::Object(values)
}

fn run_ended(attempt: u32, end: &RunEnd) -> objects::Json {
    let (how, code, error) = end.parts();
    serde_json::json!({ "attempt": attempt, "how": how, "code": code, "error": error })
}
