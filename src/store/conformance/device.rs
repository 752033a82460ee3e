//! Events of the device, which share one counter with those of tasks, and what does not come up again.

use uuid::Uuid;

use crate::domain::device_event::{AnyEvent, DeviceEvent, DeviceOperation};
use crate::domain::event::{Actor, Operation, SKIPPED};
use crate::domain::occurrence::{Outcome, Spent};
use crate::domain::state::{Ended, State};
use crate::domain::time::Timestamp;
use crate::store::conformance::Fixture;
use crate::store::conformance::samples::{
    DEVICE, add_tasks, added, at, change, event, everything, key, later, occurrence, opened, snapshot, states, task_id,
    with_occurrence,
};
use crate::store::{Change, Store, StoreError, StoredEvent};

fn of_device(id: u128, time: i64, operation: DeviceOperation) -> DeviceEvent {
    DeviceEvent {
        event_id: Uuid::from_u128(id),
        op_id: Uuid::from_u128(id + 1),
        device: DEVICE,
        actor: Actor::Daemon,
        at: at(time),
        operation,
        reason: format!("because {id} 因为"),
    }
}

fn operations() -> [DeviceOperation; 5] {
    let (from, to) = (at(1_800_000_000_001), at(1_700_000_000_002));
    [
        DeviceOperation::ClockStepped { from, to },
        DeviceOperation::Slept { from: to, to: from },
        DeviceOperation::ZoneChanged { from: "Europe/Berlin".into(), to: "Mars/Olympus".into() },
        DeviceOperation::AwaySet { from, to, except: vec!["med".into()] },
        DeviceOperation::AwayEnded,
    ]
}

pub(crate) async fn events_of_the_device_read_back_in_one_list_with_those_of_tasks<F: Fixture>() {
    let fixture = F::open();
    let store = fixture.store();
    let snapshots = add_tasks(store, 2).await;
    let written: Vec<DeviceEvent> =
        (100..).step_by(2).zip(operations()).map(|(id, operation)| of_device(id, 5000, operation)).collect();
    let edited = event(7, Operation::Edited(Box::default()), &later(&snapshots[0], 2));
    let both = Change { device_events: written[..2].to_vec(), ..change([edited.clone()]) };
    assert_eq!(store.commit(both).await.unwrap().last_seq, 5);
    let alone = Change { device_events: written[2..].to_vec(), ..Change::default() };
    assert_eq!(store.commit(alone).await.unwrap().last_seq, 8);
    let expected = vec![
        AnyEvent::Device(written[0].clone()),
        AnyEvent::Device(written[1].clone()),
        AnyEvent::Task(Box::new(edited)),
        AnyEvent::Device(written[2].clone()),
        AnyEvent::Device(written[3].clone()),
        AnyEvent::Device(written[4].clone()),
    ];
    let fixture = fixture.reopen();
    let store = fixture.store();
    let read = store.events_since(2, 100).unwrap();
    assert_eq!(read.iter().map(|stored| stored.seq).collect::<Vec<_>>(), [3, 4, 5, 6, 7, 8]);
    assert_eq!(read.iter().map(|stored| stored.event.clone()).collect::<Vec<_>>(), expected);
    for limit in 1..=6 {
        let mut paged: Vec<StoredEvent<AnyEvent>> = Vec::new();
        loop {
            let page = store.events_since(paged.last().map_or(0, |last| last.seq), limit).unwrap();
            assert!(page.len() <= limit);
            if page.is_empty() {
                break;
            }
            paged.extend(page);
        }
        assert_eq!(paged, store.events_since(0, 100).unwrap());
    }
    assert_eq!(store.history(task_id(1)).unwrap().len(), 2, "a history is of its task");
    assert_eq!(store.identity().unwrap().last_seq, 8);
}

pub(crate) async fn events_of_the_device_are_found_between_two_instants<F: Fixture>() {
    let fixture = F::open();
    let store = fixture.store();
    // The clock was set back: the order in which they were written stays.
    let written: Vec<DeviceEvent> = [4000, 9000, 5000]
        .into_iter()
        .zip((100..).step_by(2).zip(operations()))
        .map(|(time, (id, operation))| of_device(id, time, operation))
        .collect();
    store.commit(Change { device_events: written.clone(), ..Change::default() }).await.unwrap();
    let between = |from, to| -> Vec<u64> {
        store.device_events(at(from), at(to)).unwrap().iter().map(|stored| stored.seq).collect()
    };
    assert_eq!(between(0, 9000), [1, 2, 3]);
    assert_eq!(between(4000, 5000), [1, 3]);
    assert_eq!(between(4001, 4999), [0_u64; 0]);
    let all = store.device_events(Timestamp::MIN, Timestamp::MAX).unwrap();
    assert_eq!(all.into_iter().map(|stored| stored.event).collect::<Vec<_>>(), written);
}

pub(crate) async fn an_event_of_the_device_is_committed_once<F: Fixture>() {
    let fixture = F::open();
    let store = fixture.store();
    let [stepped, ..] = operations();
    let change = || Change { device_events: vec![of_device(100, 5000, stepped.clone())], ..Change::default() };
    store.commit(change()).await.unwrap();
    let before = everything(store);
    let error = store.commit(change()).await.unwrap_err();
    assert!(matches!(error, StoreError::Broken { .. }), "{error}");
    assert_eq!(everything(store), before);
}

pub(crate) async fn what_has_ended_or_was_passed_over_by_a_person_is_spent<F: Fixture>() {
    let fixture = F::open();
    let store = fixture.store();
    let first = snapshot(1, 13, states().remove(1));
    let ended = State::Completed(Ended { at: at(1_778_000_000_000), outcome: Outcome::Done });
    let closed = with_occurrence(&first, 2, occurrence(13, ended));
    let of = |version, day| with_occurrence(&first, version, occurrence(day, states().remove(1)));
    let withdrawn = |id, version, day, reason: &str| {
        let mut event = event(id, Operation::Withdrawn, &of(version, day));
        (event.to, event.reason) = (None, reason.to_owned());
        event
    };
    store
        .commit(change([
            added(1, &first),
            event(2, Operation::Completed(Outcome::Done), &closed),
            opened(3, &of(3, 14)),
            withdrawn(4, 4, 14, SKIPPED),
            opened(5, &of(5, 15)),
            withdrawn(6, 6, 15, "the rule changed"),
            opened(7, &of(7, 16)),
        ]))
        .await
        .unwrap();
    let due = |day| occurrence(day, states().remove(1)).due_at().unwrap();
    let spent = |day| (task_id(1), Spent { key: key(day), due: due(day) });
    assert_eq!(store.spent(Timestamp::MIN).unwrap(), [spent(13), spent(14)]);
    assert_eq!(store.spent(due(13)).unwrap(), [spent(14)]);
    assert_eq!(store.spent(due(14)).unwrap(), []);
}
