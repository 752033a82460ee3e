//! What does a program see of an agenda?

use chrono_tz::Tz;

use crate::domain::agenda::{Condition, Entry, Note, NoteKind};
use crate::domain::event::Snapshot;
use crate::domain::time::Span;
use crate::protocol::objects;
use crate::protocol::to_wire::{priority, time};

/// Returns an entry; `snapshot` is its task.
#[must_use]
pub fn entry(entry: &Entry, snapshot: &Snapshot, zone: Tz) -> objects::AgendaEntry {
    let (details, firing) = (&snapshot.task.details, &entry.firing);
    objects::AgendaEntry {
        at: time(entry.at, zone),
        last_at: time(firing.last_at.max(entry.at), zone),
        times: firing.times,
        every_ms: firing.every.map(Span::as_millis),
        task: entry.number.typed(),
        task_id: snapshot.task.id.to_string(),
        title: details.title.clone(),
        priority: priority(details.priority),
        tags: details.tags.clone(),
        slot: firing.slot.to_string(),
        occurrence: firing.key.to_string(),
        due_at: firing.due.map(|due| time(due, zone)),
        only_if: condition(firing.only_if).map(str::to_owned),
        predicted: firing.is_predicted,
        held_until: entry.held_until.map(|end| time(end, zone)),
        runs: entry.runs,
    }
}

/// Returns a note; `snapshot` is its task.
#[must_use]
pub fn note(note: &Note, snapshot: &Snapshot, zone: Tz) -> objects::AgendaNote {
    let text = &snapshot.task.schedule.text;
    let (kind, until, text) = match note.kind {
        NoteKind::Paused { until: None } => ("paused", None, "paused until somebody resumes it".to_owned()),
        NoteKind::Paused { until: Some(until) } => {
            ("paused", Some(until), "paused: what falls into that is left out".to_owned())
        }
        NoteKind::AfterDone if text.is_empty() => {
            ("after_done", None, "counts from each completion, so only the next time is known".to_owned())
        }
        NoteKind::AfterDone => ("after_done", None, format!("then {text} after it is done")),
        NoteKind::CutAt { at } => ("cut", Some(at), "comes up too often to be told to the end".to_owned()),
    };
    objects::AgendaNote {
        task: note.number.typed(),
        title: snapshot.task.details.title.clone(),
        kind: kind.to_owned(),
        until: until.map(|until| time(until, zone)),
        text,
    }
}

const fn condition(condition: Condition) -> Option<&'static str> {
    match condition {
        Condition::Nothing => None,
        Condition::Unanswered => Some("unanswered"),
        Condition::Answered => Some("answered"),
    }
}
