//! Which sentences does each event give? One match over the operations: a new one is a question of the compiler.

use std::collections::BTreeMap;

use uuid::Uuid;

use crate::domain::command::Edit;
use crate::domain::device_event::DeviceOperation;
use crate::domain::event::{Event, Operation, Snapshot};
use crate::domain::occurrence::{Occurrence, Outcome, Slot};
use crate::domain::state::{Snooze, State, Suspended};
use crate::domain::story::rings::cause_between;
use crate::domain::story::{Account, Addition, ByFiring, DeviceEntry, Entry, Said, Sentence, changes, rings, waits};
use crate::domain::time::Timestamp;

/// Why what came due while a task was deleted did not ring.
const DELETED_THEN: &str = "it was deleted then";

/// What the end of a command gives as the reason of what follows from it.
const OF_COMMAND: [&str; 2] = ["its command succeeded", "its command failed"];

/// The tale so far.
pub(super) struct Teller<'a> {
    /// The task before the event that is told.
    pub(super) before: Option<&'a Snapshot>,
    /// When each snooze was asked for and each pause began, by its name.
    pub(super) asked: BTreeMap<Uuid, Timestamp>,
    /// The deliveries of each firing.
    pub(super) deliveries: ByFiring<'a>,
    /// What happened to the device.
    pub(super) device: &'a [DeviceEntry],
    /// The operation that brought it back from deletion.
    brought_back: Option<Uuid>,
    /// What is told of the device, and not yet said.
    to_say: &'a [DeviceEntry],
    told: Vec<Sentence>,
}

/// An event among those that were committed with it.
#[derive(Clone, Copy)]
pub(super) struct Place<'a> {
    /// Those before it.
    pub(super) earlier: &'a [Entry],
    /// The event.
    pub(super) event: &'a Event,
    /// Those behind it.
    pub(super) rest: &'a [Entry],
}

impl<'a> Place<'a> {
    /// Returns the operation that follows in the same change.
    pub(super) fn next(self) -> Option<&'a Operation> {
        self.rest.first().map(|entry| &entry.event.operation)
    }

    fn is_followed_by(self, is_meant: impl Fn(&Operation) -> bool) -> bool {
        self.rest.iter().any(|entry| is_meant(&entry.event.operation))
    }

    fn follows(self, is_meant: impl Fn(&Operation) -> bool) -> bool {
        self.earlier.iter().any(|entry| is_meant(&entry.event.operation))
    }
}

const fn is_run_end(operation: &Operation) -> bool {
    matches!(operation, Operation::RunEnded { .. })
}

pub(super) fn tell(account: &Account<'_>) -> Vec<Sentence> {
    let mut deliveries = ByFiring::new();
    for delivery in account.deliveries.iter().filter(|delivery| !delivery.is_notice()) {
        deliveries.entry(delivery.id.fire_id).or_default().push(delivery);
    }
    let mut teller = Teller {
        before: account.before,
        asked: BTreeMap::new(),
        deliveries,
        device: account.device,
        brought_back: None,
        to_say: since(account),
        told: Vec::new(),
    };
    if let Some(before) = account.before {
        teller.note_state(&before.occurrence);
    }
    for op in account.events.chunk_by(|one, other| one.event.op_id == other.event.op_id) {
        for (index, entry) in op.iter().enumerate() {
            teller.say_of_device(Some(entry.seq));
            teller.say(Place { earlier: &op[..index], event: &entry.event, rest: &op[index + 1..] });
        }
    }
    teller.say_of_device(None);
    teller.told
}

impl<'a> Teller<'a> {
    fn say_opened(&mut self, event: &'a Event, occurrence: &Occurrence) {
        if occurrence.generation > 1 {
            self.push(event, Said::Reopened { due: occurrence.due_at() });
        }
    }

    fn was_nagging(&self) -> bool {
        self.before.is_some_and(|before| before.next_nag().is_some())
    }

    fn say(&mut self, place: Place<'a>) {
        let event = place.event;
        match &event.operation {
            Operation::Added(first) => self.push(event, added(event, first)),
            // A first generation is said by what ended the one before, and by its own ring.
            Operation::Opened(occurrence) => self.say_opened(event, occurrence),
            Operation::Armed => {}
            Operation::Spoke(firing) | Operation::Fired(firing) => {
                let ring = rings::ring(self, place, firing);
                self.push(event, Said::Rang(Box::new(ring)));
                self.push_details(event, rings::news(self, firing));
            }
            Operation::Started => self.say_started(place),
            Operation::Acked { is_dismissal } => {
                let ends_nag = !is_dismissal && self.was_nagging();
                self.push(event, Said::Seen { is_dismissal: *is_dismissal, ends_nag });
            }
            Operation::Suspended(suspended) => self.say_suspended(place, suspended),
            Operation::Snoozed { snooze, swallowed } => self.say_snoozed(event, snooze, swallowed),
            Operation::Resumed { .. } => self.say_resumed(place),
            Operation::Edited(edit) => {
                let (edit, why) = (edit.clone(), event.reason.clone());
                self.push(event, Said::Edited { by: event.actor, edit, why });
            }
            Operation::Moved(occurrence) => {
                for said in changes::moved(self, event, occurrence) {
                    self.push(event, said);
                }
            }
            Operation::Failed if matches!(place.next(), Some(Operation::Cancelled(_))) => {}
            // How its command ended is told, which says that it failed.
            Operation::Failed if place.follows(is_run_end) => {}
            Operation::Failed => self.push(event, Said::Failed { why: event.reason.clone() }),
            Operation::Retried { .. } if is_on_the_way(place.next()) => {}
            Operation::Retried { at: None } => self.push(event, Said::Retried { by: event.actor }),
            Operation::Retried { at: Some(at) } => self.push(event, Said::RetriedAt { at: *at }),
            Operation::RunStarted { attempt } => self.push(event, Said::RunStarted { attempt: *attempt }),
            Operation::Progressed(progress) => self.push(event, Said::Progressed(progress.clone())),
            Operation::RunEnded { attempt, end } => {
                self.push(event, Said::RunEnded { attempt: *attempt, end: end.clone() });
            }
            Operation::Completed(outcome) | Operation::Cancelled(outcome) => self.say_ended(place, *outcome),
            Operation::Withdrawn => self.say_withdrawn(place),
            Operation::PassedOver { instances, from, to } => self.say_passed_over(event, *instances, (*from, *to)),
            Operation::Missed { slots, from, to } => self.say_missed(event, slots, (*from, *to)),
            Operation::DeadlinePassed => {
                let deadline = event.snapshot.occurrence.deadline.map(|deadline| deadline.at);
                self.push(event, Said::DeadlinePassed { deadline });
            }
            Operation::Followed { by, .. } => self.push(event, Said::Followed { by: by.number }),
            Operation::Deleted => self.push(event, Said::Deleted { by: event.actor }),
            Operation::Restored(restored) => self.say_restored(place, restored),
            Operation::WaitsSet(_)
            | Operation::ParentDone(_)
            | Operation::ParentFailed(_)
            | Operation::Freed(_)
            | Operation::Unblocked => {
                if let Some(said) = waits::said(event) {
                    self.push(event, said);
                }
            }
            Operation::Resent { target, .. } => {
                self.push(event, Said::Resent { target: target.clone(), why: event.reason.clone() });
            }
            Operation::Held { until } => {
                self.push(event, Said::Held { until: *until, why: event.reason.clone() });
            }
            Operation::Expired { target, .. } => {
                self.push(event, Said::Expired { target: target.clone(), why: event.reason.clone() });
            }
        }
        self.note_state(&event.snapshot.occurrence);
        self.before = Some(&event.snapshot);
    }

    fn say_missed(&mut self, event: &'a Event, slots: &[Slot], (from, to): (Timestamp, Timestamp)) {
        let cause = cause_between(self.device, from, event.at);
        let (why, slots) = (event.reason.clone(), slots.to_vec());
        self.push(event, Said::Missed { slots, from, to, why, cause });
    }

    fn say_passed_over(&mut self, event: &'a Event, instances: u64, (from, to): (Timestamp, Timestamp)) {
        let cause = cause_between(self.device, from, event.at);
        let is_back = self.brought_back == Some(event.op_id);
        let why = if is_back { DELETED_THEN.to_owned() } else { event.reason.clone() };
        self.push(event, Said::Skipped { instances, from, to, why, cause });
    }

    fn say_restored(&mut self, place: Place<'a>, restored: &Snapshot) {
        let was_deleted = self.before.is_some_and(|before| before.task.deleted_at.is_some());
        if was_deleted {
            self.brought_back = Some(place.event.op_id);
        }
        let edit =
            self.before.map_or_else(Box::default, |before| Box::new(changes::between(&before.task, &restored.task)));
        // A change of several steps is taken back in several, and said once.
        let is_more = place.follows(|operation| matches!(operation, Operation::Restored(_)));
        if !is_more || *edit != Edit::default() {
            self.push(place.event, Said::Restored { by: place.event.actor, edit, was_deleted });
        }
    }

    fn say_started(&mut self, place: Place<'a>) {
        // Where it is on its way to an end, that is what is told.
        if !matches!(place.next(), Some(Operation::Completed(_) | Operation::Failed)) {
            let is_run = place.event.snapshot.task.details.command.is_some();
            self.push(place.event, Said::CameUp { why: place.event.reason.clone(), is_run });
        }
    }

    fn say_snoozed(&mut self, event: &'a Event, snooze: &Snooze, swallowed: &[Slot]) {
        self.asked.insert(snooze.id, event.at);
        let has_spoken = event.snapshot.occurrence.last_spoken.is_some();
        // An alert behind the snooze speaks at its own time as well.
        let is_moved = swallowed.contains(&snooze.slot);
        self.push(
            event,
            Said::Snoozed {
                by: event.actor,
                until: snooze.until,
                moves: (!has_spoken && is_moved).then_some(snooze.slot),
                repeats: (!has_spoken && !is_moved).then_some(snooze.slot),
                swallowed: swallowed.to_vec(),
                why: event.reason.clone(),
            },
        );
    }

    fn say_suspended(&mut self, place: Place<'a>, suspended: &Suspended) {
        self.asked.insert(suspended.id, suspended.since);
        let is_on_the_way = matches!(place.next(), Some(Operation::Snoozed { .. } | Operation::Cancelled(_)))
            || place.is_followed_by(|operation| matches!(operation, Operation::Resumed { .. }));
        if !is_on_the_way {
            self.push(
                place.event,
                Said::Paused {
                    by: place.event.actor,
                    until: suspended.until,
                    remaining: suspended.remaining,
                    why: place.event.reason.clone(),
                },
            );
        }
    }

    fn say_resumed(&mut self, place: Place<'a>) {
        let is_done = place.rest.iter().take(2).any(|entry| {
            matches!(entry.event.operation, Operation::Completed(Outcome::Done)) && entry.event.reason.is_empty()
        });
        let was_only_moved = place.follows(|operation| matches!(operation, Operation::Suspended(_)));
        if is_done || was_only_moved {
            return;
        }
        let due = place.event.snapshot.occurrence.due_at();
        let was = self.before.and_then(|before| before.occurrence.due_at());
        let due = due.filter(|_| self.before.is_some() && due != was);
        self.push(place.event, Said::Resumed { by: place.event.actor, due });
    }

    fn say_ended(&mut self, place: Place<'a>, outcome: Outcome) {
        let event = place.event;
        if outcome == Outcome::Skipped && Self::is_told_as_skipped(place) {
            return;
        }
        let failed = place.earlier.last().filter(|entry| matches!(entry.event.operation, Operation::Failed));
        let why = match failed {
            Some(failed) if event.reason.is_empty() => failed.event.reason.clone(),
            Some(_) | None => event.reason.clone(),
        };
        // How its command ended is told, which says why.
        let why = if place.follows(is_run_end) && OF_COMMAND.contains(&why.as_str()) { String::new() } else { why };
        let due = event.snapshot.occurrence.due_at();
        let early = due.map(|due| due.since(event.at)).filter(|left| left.is_positive());
        self.push(event, Said::Ended { outcome, by: event.actor, early, why });
    }

    fn say_withdrawn(&mut self, place: Place<'a>) {
        if !Self::is_told_as_skipped(place) {
            let due = place.event.snapshot.occurrence.due_at();
            self.push(place.event, Said::Withdrawn { by: place.event.actor, due, why: place.event.reason.clone() });
        }
    }

    /// Returns whether the occurrence is among those that the same change has passed over.
    fn is_told_as_skipped(place: Place<'a>) -> bool {
        let Some(due) = place.event.snapshot.occurrence.due_at() else { return false };
        place.follows(
            |operation| matches!(operation, Operation::PassedOver { from, to, .. } if (*from..=*to).contains(&due)),
        )
    }

    /// Notes what a state says of when it began, since the event that began it may lie before the window.
    fn note_state(&mut self, occurrence: &Occurrence) {
        if let State::Suspended(suspended) = &occurrence.state {
            self.asked.insert(suspended.id, suspended.since);
        }
    }

    /// Tells what happened to the device before `seq`, as far as it concerns what rings.
    fn say_of_device(&mut self, seq: Option<u64>) {
        while let Some((note, rest)) = self.to_say.split_first() {
            if seq.is_some_and(|seq| note.seq > seq) {
                break;
            }
            self.to_say = rest;
            match &note.event.operation {
                // What these kept from ringing says so itself; each night's sleep is no news.
                DeviceOperation::Slept { .. } | DeviceOperation::AwaySet { .. } | DeviceOperation::AwayEnded => {}
                DeviceOperation::ClockStepped { .. } | DeviceOperation::ZoneChanged { .. } => {
                    self.told.push(Sentence {
                        at: note.event.at,
                        occurrence: None,
                        is_detail: false,
                        said: Said::Device(note.event.operation.clone()),
                        events: vec![note.event.event_id],
                    });
                }
            }
        }
    }

    fn push(&mut self, event: &Event, said: Said) {
        self.told.push(Sentence {
            at: event.at,
            occurrence: Some(event.snapshot.occurrence.name()),
            is_detail: false,
            said,
            events: vec![event.event_id],
        });
    }

    fn push_details(&mut self, event: &Event, details: Vec<(Timestamp, Said)>) {
        let occurrence = Some(event.snapshot.occurrence.name());
        self.told.extend(details.into_iter().map(|(at, said)| Sentence {
            at,
            occurrence,
            is_detail: true,
            said,
            events: vec![event.event_id],
        }));
    }
}

/// Returns what happened to the device after the first of the events.
fn since<'a>(account: &Account<'a>) -> &'a [DeviceEntry] {
    let first = account.events.first().map_or(0, |entry| entry.seq);
    &account.device[account.device.partition_point(|note| note.seq < first)..]
}

/// Returns the snooze that an open occurrence has.
pub(super) const fn snooze_of(state: &State) -> Option<Snooze> {
    match state {
        State::Pending(pending) => pending.snooze,
        State::Running(running) => running.snooze,
        State::Created | State::Suspended(_) | State::Failed(_) | State::Completed(_) | State::Cancelled(_) => None,
    }
}

/// Returns whether what follows is what was asked for, and the step before only leads there.
const fn is_on_the_way(next: Option<&Operation>) -> bool {
    matches!(next, Some(Operation::Suspended(_) | Operation::Started | Operation::Moved(_)))
}

fn added(event: &Event, first: &Snapshot) -> Said {
    Said::Added(Box::new(Addition {
        by: event.actor,
        schedule: first.task.schedule.clone(),
        due: first.occurrence.due_at(),
        alerts: first.task.alerts.clone(),
        deadline: first.occurrence.deadline.map(|deadline| deadline.at),
        nag: first.task.policy.nag,
        parents: first.task.waits.parents.iter().map(|parent| parent.number).collect(),
        runs: first.task.details.command.is_some(),
    }))
}
