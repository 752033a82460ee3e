//! What moved, from when to when, and why?

use crate::domain::device_event::DeviceOperation;
use crate::domain::event::Event;
use crate::domain::occurrence::{Due, Occurrence, Slot};
use crate::domain::story::tell::{Teller, snooze_of};
use crate::domain::story::{Mark, Said};

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
        said.push(Said::Snoozed { by, until, moves: None, swallowed: Vec::new(), why });
    }
    let has_other_state = before.is_some_and(|before| before.state != occurrence.state);
    if said.is_empty() && has_other_state && !event.reason.is_empty() {
        said.push(Said::Altered { why: event.reason.clone() });
    }
    said
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
