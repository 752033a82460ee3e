//! What moved, from when to when, and why?

use crate::domain::command::Edit;
use crate::domain::device_event::DeviceOperation;
use crate::domain::event::Event;
use crate::domain::occurrence::{Due, Occurrence, Slot};
use crate::domain::story::tell::{Teller, snooze_of};
use crate::domain::story::{Mark, Said};
use crate::domain::task::Task;
use crate::domain::waiting::SetWaits;

/// Returns what a new shape of the open occurrence says: other times, alerts that are too late, or just its reason.
pub(super) fn moved(teller: &Teller<'_>, event: &Event, occurrence: &Occurrence) -> Vec<Said> {
    let before = teller.before.map(|before| &before.occurrence);
    let mut said = Vec::new();
    let mut compare = |what, was: Option<Due>, is: Option<Due>| {
        let (from, to) = (was.map(|due| due.at), is.map(|due| due.at));
        if from != to {
            let (by, why) = (event.actor, event.reason.clone());
            said.push(Said::Moved { what, from, to, by, zones: zones(teller, event), why });
        }
    };
    compare(Mark::Due, before.and_then(|before| before.due), occurrence.due);
    compare(Mark::Deadline, before.and_then(|before| before.deadline), occurrence.deadline);
    let is_new = |slot: &&Slot| before.is_none_or(|before| !before.spoken.contains(slot));
    let slots: Vec<Slot> = occurrence.spoken.iter().filter(is_new).copied().collect();
    if !slots.is_empty() {
        said.push(Said::TooLateToSay { slots });
    }
    let snooze = |occurrence: &Occurrence| snooze_of(&occurrence.state).map(|snooze| snooze.until);
    if let (Some(was), Some(until)) = (before.and_then(snooze), snooze(occurrence))
        && was != until
    {
        let (by, why) = (event.actor, event.reason.clone());
        said.push(Said::Snoozed { by, until, moves: None, repeats: None, swallowed: Vec::new(), why });
    }
    let has_other_state = before.is_some_and(|before| before.state != occurrence.state);
    if said.is_empty() && has_other_state && !event.reason.is_empty() {
        said.push(Said::Altered { why: event.reason.clone() });
    }
    said
}

/// Returns what a task says otherwise than before.
pub(super) fn between(was: &Task, is: &Task) -> Edit {
    fn new<T: Clone + PartialEq>(was: &T, is: &T) -> Option<T> {
        (was != is).then(|| is.clone())
    }
    Edit {
        title: new(&was.details.title, &is.details.title),
        notes: new(&was.details.notes, &is.details.notes),
        link: new(&was.details.link, &is.details.link),
        priority: new(&was.details.priority, &is.details.priority),
        tags: new(&was.details.tags, &is.details.tags),
        metadata: new(&was.details.metadata, &is.details.metadata),
        targets: new(&was.details.targets, &is.details.targets),
        command: new(&was.details.command, &is.details.command),
        max_retries: new(&was.details.max_retries, &is.details.max_retries),
        max_late: new(&was.details.max_late, &is.details.max_late),
        schedule: new(&was.schedule, &is.schedule),
        alerts: new(&was.alerts, &is.alerts),
        deadline: new(&was.deadline, &is.deadline),
        missed: new(&was.policy.missed, &is.policy.missed),
        nag: new(&was.policy.nag, &is.policy.nag),
        auto_done: new(&was.policy.auto_done, &is.policy.auto_done),
        waits: SetWaits::default(),
    }
}

/// Returns the zones between which the device went in the same moment.
fn zones(teller: &Teller<'_>, event: &Event) -> Option<(String, String)> {
    teller.device.iter().rev().find_map(|note| match &note.event.operation {
        DeviceOperation::ZoneChanged { from, to } if note.event.at == event.at => Some((from.clone(), to.clone())),
        DeviceOperation::ZoneChanged { .. }
        | DeviceOperation::ClockStepped { .. }
        | DeviceOperation::Slept { .. }
        | DeviceOperation::AwaySet { .. }
        | DeviceOperation::AwayEnded => None,
    })
}
