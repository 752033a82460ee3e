//! What `why` tells of simulated lives is what happened: each ring once, each lateness, each skip, and nothing else.

use std::collections::BTreeMap;

use keiko::domain::event::{Event, Operation, Snapshot};
use keiko::domain::occurrence::Outcome;
use keiko::domain::story::words::{Listener, english};
use keiko::domain::story::{Account, DeviceEntry, Entry, Said, Sentence, fold, present, story};
use keiko::domain::time::Timestamp;
use keiko::store::memory::MemoryStore;
use keiko::store::{Store, Which};
use uuid::Uuid;

/// Checks the story of every task.
pub(super) fn check(store: &MemoryStore, now: Timestamp) {
    let device: Vec<DeviceEntry> = store
        .device_events(Timestamp::MIN, Timestamp::MAX)
        .expect("readable")
        .into_iter()
        .map(|stored| DeviceEntry { seq: stored.seq, event: stored.event })
        .collect();
    for task in store.list(Which::All).expect("readable") {
        check_one(store, &task, &device, now);
    }
}

fn check_one(store: &MemoryStore, task: &Snapshot, device: &[DeviceEntry], now: Timestamp) {
    let id = task.task.id;
    let history = store.history(id).expect("readable");
    let events: Vec<Entry> = history.into_iter().map(|stored| Entry { seq: stored.seq, event: stored.event }).collect();
    let deliveries = store.deliveries(id, None).expect("readable");
    let whole = Account { before: None, events: &events, deliveries: &deliveries, device };
    let told = story(&whole);
    let by_event = sentences_by_event(&told);
    for (index, entry) in events.iter().enumerate() {
        let of_event = by_event.get(&entry.event.event_id).cloned().unwrap_or_default();
        check_event(&entry.event, &events[..index], &of_event);
    }
    let known: BTreeMap<Uuid, &Event> = events.iter().map(|entry| (entry.event.event_id, &entry.event)).collect();
    for sentence in &told {
        for id in &sentence.events {
            let is_of_device = device.iter().any(|note| note.event.event_id == *id);
            assert!(known.contains_key(id) || is_of_device, "{sentence:?} rests on nothing");
        }
    }
    check_words(&told, now);
    check_fold(&told);
    check_windows(&whole, &told);
    check_words(&present(task, now), now);
}

fn sentences_by_event(told: &[Sentence]) -> BTreeMap<Uuid, Vec<&Sentence>> {
    let mut by_event: BTreeMap<Uuid, Vec<&Sentence>> = BTreeMap::new();
    for sentence in told.iter().filter(|sentence| !sentence.is_detail) {
        for id in &sentence.events {
            by_event.entry(*id).or_default().push(sentence);
        }
    }
    by_event
}

/// What happened is told once, and what is told of it is so.
fn check_event(event: &Event, before: &[Entry], told: &[&Sentence]) {
    let rings = told.iter().filter(|sentence| matches!(sentence.said, Said::Rang(_))).count();
    assert_eq!(rings, usize::from(event.operation.firing().is_some()), "{:?}: {told:?}", event.operation);
    for sentence in told {
        assert!(fits(&sentence.said, &event.operation), "{:?} is no {sentence:?}", event.operation);
        assert_eq!(sentence.at, event.at);
    }
    match (&event.operation, told) {
        (Operation::Spoke(firing) | Operation::Fired(firing), [sentence]) => {
            let Said::Rang(ring) = &sentence.said else { panic!("{sentence:?}") };
            assert_eq!(ring.late_by, firing.late.then(|| event.at.since(firing.nominal_at)));
            assert_eq!((ring.slot, ring.nominal_at), (firing.slot, firing.nominal_at));
        }
        (Operation::PassedOver { instances, .. }, [sentence]) => {
            assert!(matches!(sentence.said, Said::Skipped { instances: told, .. } if told == *instances));
        }
        (Operation::Missed { .. } | Operation::DeadlinePassed | Operation::Added(_) | Operation::Acked { .. }, [_]) => {
        }
        (
            Operation::PassedOver { .. }
            | Operation::Missed { .. }
            | Operation::DeadlinePassed
            | Operation::Acked { .. },
            _,
        ) => panic!("{:?} is told by {told:?}", event.operation),
        (Operation::Cancelled(Outcome::Skipped) | Operation::Withdrawn, []) => {
            let is_told = before.iter().any(|entry| {
                entry.event.op_id == event.op_id && matches!(entry.event.operation, Operation::PassedOver { .. })
            });
            assert!(is_told, "{:?} is told by nothing", event.operation);
        }
        (Operation::Completed(_) | Operation::Cancelled(_), _) => assert_eq!(told.len(), 1, "{event:?}"),
        (_, _) => assert!(told.len() <= 3, "{:?} is told by {told:?}", event.operation),
    }
}

fn fits(said: &Said, operation: &Operation) -> bool {
    let words: &[&str] = match said {
        Said::Added(_) => &["added"],
        Said::Reopened { .. } => &["opened"],
        Said::Rang(_) | Said::Sent(_) => &["spoke", "fired"],
        Said::CameUp { .. } => &["started"],
        Said::Seen { .. } => &["acked"],
        Said::Snoozed { .. } => &["snoozed", "moved"],
        Said::Paused { .. } => &["suspended"],
        Said::Resumed { .. } => &["resumed"],
        Said::Edited { .. } => &["edited"],
        Said::Moved { .. } | Said::TooLateToSay { .. } | Said::Altered { .. } => &["moved"],
        Said::Failed { .. } => &["failed"],
        Said::Retried { .. } | Said::RetriedAt { .. } => &["retried"],
        Said::RunStarted { .. } => &["run_started"],
        Said::Progressed(_) => &["progressed"],
        Said::RunEnded { .. } => &["run_ended"],
        Said::Ended { .. } => &["completed", "cancelled"],
        Said::Withdrawn { .. } => &["withdrawn"],
        Said::Skipped { .. } => &["passed_over"],
        Said::Missed { .. } => &["missed"],
        Said::DeadlinePassed { .. } => &["deadline_passed"],
        Said::Resent { .. } => &["resent"],
        Said::Expired { .. } => &["expired"],
        Said::Held { .. } => &["held"],
        Said::Followed { .. } => &["followed"],
        Said::WaitsSet { .. } => &["waits_set"],
        Said::ParentDone { .. } => &["parent_done"],
        Said::ParentFailed { .. } => &["parent_failed"],
        Said::Freed { .. } => &["freed"],
        Said::Unblocked => &["unblocked"],
        Said::Deleted { .. } => &["deleted"],
        Said::Restored { .. } => &["restored"],
        Said::Device(_) | Said::Folded(_) | Said::Now(_) | Said::Next(_) => &[],
    };
    words.contains(&operation.name())
}

fn check_words(told: &[Sentence], now: Timestamp) {
    for sentence in told {
        let text = english(sentence, Listener { now, zone: chrono_tz::Asia::Shanghai });
        assert!(!text.is_empty() && !text.contains('\n'), "{text:?}");
        if let Said::Rang(ring) = &sentence.said {
            assert_eq!(text.contains(" late, "), ring.late_by.is_some(), "{text}");
        }
    }
}

/// Folding loses no ring, and nothing that did not go as it should.
fn check_fold(told: &[Sentence]) {
    let folded = fold(told.to_vec());
    let rings = |sentences: &[Sentence]| sentences.iter().map(|sentence| sentence.said.rings()).sum::<usize>();
    assert_eq!(rings(&folded), rings(told));
    let kept = |sentences: &[Sentence]| {
        let is_kept = |said: &Said| match said {
            Said::Rang(ring) => ring.late_by.is_some(),
            Said::RunStarted { attempt: 1 } => false,
            Said::RunEnded { end, .. } => !end.is_success(),
            Said::Sent(_) | Said::Ended { .. } | Said::Seen { .. } | Said::CameUp { .. } | Said::Folded(_) => false,
            _ => true,
        };
        sentences.iter().filter(|sentence| is_kept(&sentence.said)).cloned().collect::<Vec<_>>()
    };
    assert_eq!(kept(&folded), kept(told));
}

/// A part of the events tells its part of the story.
fn check_windows(whole: &Account<'_>, told: &[Sentence]) {
    let events = whole.events;
    let Some(cut) = (1..events.len())
        .rev()
        .find(|index| events[*index].event.op_id != events[index - 1].event.op_id && events.len() / 2 >= *index)
    else {
        return;
    };
    let before = &events[cut - 1].event.snapshot;
    let part = story(&Account { before: Some(before), events: &events[cut..], ..*whole });
    let told = &told[told.len() - part.len()..];
    for (of_part, of_whole) in part.iter().zip(told) {
        assert_eq!((of_part.said.kind(), &of_part.events), (of_whole.said.kind(), &of_whole.events));
    }
}
