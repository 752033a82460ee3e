//! Events: each is written once, in one order, with its task or not at all.

use uuid::Uuid;

use crate::domain::delivery::DeliveryStatus;
use crate::domain::device_event::AnyEvent;
use crate::domain::event::{Actor, Operation};
use crate::domain::state::StateName;
use crate::domain::task::Number;
use crate::domain::time::{Span, Timestamp};
use crate::store::conformance::Fixture;
use crate::store::conformance::samples::{
    add_tasks, added, at, change, delivery, event, everything, firing, later, occurrence, operations, snapshot, states,
    task_id, with_occurrence,
};
use crate::store::{Change, Store, StoreError, StoredEvent, Which};

pub(crate) async fn every_operation_reads_back_as_it_was_written<F: Fixture>() {
    let fixture = F::open();
    let store = fixture.store();
    let first = snapshot(1, 13, states().remove(1));
    let older = with_occurrence(&first, 1, occurrence(12, states().remove(1)));
    store.commit(change([added(1000, &older)])).await.unwrap();
    let actors = [Actor::Person, Actor::Clock, Actor::Daemon];
    let words = [None, Some(StateName::Created), Some(StateName::Failed)];
    let mut written = Vec::new();
    for (version, operation) in (2..).zip(operations(&first)) {
        let index = usize::try_from(version).expect("small");
        let mut event = event(version.into(), operation, &later(&first, version));
        event.actor = actors[index % 3];
        event.from = words[index % 3];
        event.to = words[(index + 1) % 3];
        event.reason = format!("because {version} 因为");
        event.device = Uuid::from_u128(0xd0 + index as u128 % 3);
        store.commit(change([event.clone()])).await.unwrap();
        written.push(event);
    }
    let read: Vec<_> = store.history(task_id(1)).unwrap().into_iter().skip(1).map(|stored| stored.event).collect();
    assert_eq!(read, written);
}

pub(crate) async fn seq_grows_by_one_over_all_commits<F: Fixture>() {
    let fixture = F::open();
    let store = fixture.store();
    let snapshots = add_tasks(store, 3).await;
    let stale = store.commit(change([added(50, &snapshots[0])])).await;
    assert!(matches!(stale, Err(StoreError::Conflict { .. })));
    let edit = |id, version| event(id, Operation::Edited(Box::default()), &later(&snapshots[0], version));
    assert_eq!(store.commit(change([edit(4, 2), edit(5, 3)])).await.unwrap().last_seq, 5);
    assert_eq!(store.commit(change([edit(6, 4)])).await.unwrap().last_seq, 6);
    let seqs: Vec<u64> = store.events_since(0, 100).unwrap().iter().map(|stored| stored.seq).collect();
    assert_eq!(seqs, [1, 2, 3, 4, 5, 6]);
    assert_eq!(store.identity().unwrap().last_seq, 6);
}

pub(crate) async fn events_page_without_gap_or_repeat<F: Fixture>() {
    let fixture = F::open();
    let store = fixture.store();
    add_tasks(store, 23).await;
    for limit in [1, 2, 7, 23, 100] {
        let (mut cursor, mut paged) = (0, Vec::new());
        loop {
            let page: Vec<StoredEvent<AnyEvent>> = store.events_since(cursor, limit).unwrap();
            let Some(last) = page.last() else { break };
            assert!(page.len() <= limit);
            cursor = last.seq;
            paged.extend(page);
        }
        assert_eq!(paged, store.events_since(0, usize::MAX).unwrap());
    }
    assert_eq!(store.events_since(u64::MAX, usize::MAX).unwrap(), []);
    assert_eq!(store.events_since(0, 0).unwrap(), []);
}

pub(crate) async fn the_history_is_of_one_task_and_in_order<F: Fixture>() {
    let fixture = F::open();
    let store = fixture.store();
    let snapshots = add_tasks(store, 2).await;
    let edit =
        |id, number: usize, version| event(id, Operation::Edited(Box::default()), &later(&snapshots[number], version));
    store.commit(change([edit(3, 1, 2), edit(4, 0, 2), edit(5, 1, 3)])).await.unwrap();
    let seqs = |number| store.history(task_id(number)).unwrap().iter().map(|stored| stored.seq).collect::<Vec<_>>();
    assert_eq!((seqs(1), seqs(2), seqs(3)), (vec![1, 4], vec![2, 3, 5], vec![]));
    let page = |cursor, limit| {
        let page = store.history_since(task_id(2), cursor, limit).unwrap();
        page.iter().map(|stored| stored.seq).collect::<Vec<_>>()
    };
    assert_eq!((page(0, 2), page(3, 2), page(5, 2)), (vec![2, 3], vec![5], vec![]));
    let numbers = |after, limit| {
        let page = store.list_after(Which::All, Number(after), limit).unwrap();
        page.iter().map(|snapshot| snapshot.task.number.0).collect::<Vec<_>>()
    };
    assert_eq!((numbers(0, 1), numbers(1, 9), numbers(2, 9)), (vec![1], vec![2], vec![]));
    assert_eq!(store.list_after(Which::Open, Number(1), 9).unwrap().len(), 1);
}

pub(crate) async fn the_latest_of_a_history_are_found_from_its_end<F: Fixture>() {
    let fixture = F::open();
    let store = fixture.store();
    let snapshots = add_tasks(store, 2).await;
    let edit =
        |id, number: usize, version| event(id, Operation::Edited(Box::default()), &later(&snapshots[number], version));
    store.commit(change([edit(3, 1, 2), edit(4, 0, 2), edit(5, 1, 3), edit(6, 1, 4)])).await.unwrap();
    let always = Timestamp::MIN..Timestamp::MAX;
    let page = |before, during, limit| {
        let page = store.history_before(task_id(2), before, during, limit).unwrap();
        page.into_iter().map(|stored| (stored.seq, stored.event.at)).collect::<Vec<_>>()
    };
    let seqs = |before, limit| page(before, always.clone(), limit).iter().map(|(seq, _)| *seq).collect::<Vec<_>>();
    assert_eq!((seqs(u64::MAX, 9), seqs(u64::MAX, 2), seqs(5, 9)), (vec![2, 3, 5, 6], vec![5, 6], vec![2, 3]));
    assert_eq!((seqs(u64::MAX, 0), seqs(0, 9)), (vec![], vec![]));
    for (seq, at) in page(u64::MAX, always.clone(), 9) {
        let at_that_time = page(u64::MAX, at..at.saturating_add(Span::from_millis(1)), 9);
        assert!(at_that_time.contains(&(seq, at)) && at_that_time.iter().all(|(_, other)| *other == at));
        assert_eq!(page(u64::MAX, at..at, 9), []);
    }
}

pub(crate) async fn a_stale_version_leaves_no_trace<F: Fixture>() {
    let fixture = F::open();
    let store = fixture.store();
    let snapshots = add_tasks(store, 3).await;
    let before = everything(store);
    let edit =
        |id, number: usize, version| event(id, Operation::Edited(Box::default()), &later(&snapshots[number], version));
    let with_rest = Change {
        events: vec![edit(4, 0, 2), edit(5, 1, 5), edit(6, 2, 2)],
        deliveries: vec![delivery(1, &snapshots[0].task, DeliveryStatus::Queued)],
        zone: Some("UTC".into()),
        ..Change::default()
    };
    let error = store.commit(with_rest).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        format!("cannot write task {}: expected stored version 4, found Some(1)", task_id(2))
    );
    assert!(matches!(error, StoreError::Conflict { .. }));
    assert_eq!(everything(store), before);
    // Nothing is left behind that stands in the way of the next.
    assert_eq!(store.commit(change([edit(4, 0, 2), edit(5, 1, 2)])).await.unwrap().last_seq, 5);
}

pub(crate) async fn a_new_task_must_be_of_version_one<F: Fixture>() {
    let fixture = F::open();
    for version in [0, 2, u64::MAX] {
        let unknown = later(&snapshot(1, 13, states().remove(1)), version);
        let error = fixture.store().commit(change([added(1, &unknown)])).await.unwrap_err();
        let before = version.saturating_sub(1);
        assert!(matches!(error, StoreError::Conflict { expected, found: None, .. } if expected == before), "{error}");
    }
}

pub(crate) async fn many_events_of_one_task_are_one_change<F: Fixture>() {
    let fixture = F::open();
    let store = fixture.store();
    let first = snapshot(1, 13, states().remove(0));
    let armed = with_occurrence(&first, 2, occurrence(13, states().remove(1)));
    let next = with_occurrence(&first, 3, occurrence(14, states().remove(0)));
    let opened = event(3, Operation::Opened(Box::new(next.occurrence.clone())), &next);
    store.commit(change([added(1, &first), event(2, Operation::Armed, &armed), opened])).await.unwrap();
    assert_eq!(store.snapshot(task_id(1)).unwrap(), Some(next));
    let written: Vec<_> = store.history(task_id(1)).unwrap().iter().map(|s| s.event.snapshot.clone()).collect();
    assert_eq!(written[..2], [first, armed]);
}

pub(crate) async fn a_firing_is_committed_once<F: Fixture>() {
    let fixture = F::open();
    let store = fixture.store();
    let snapshots = add_tasks(store, 2).await;
    let fired =
        |id, number: usize, fire_id| event(id, Operation::Fired(firing(fire_id, false)), &later(&snapshots[number], 2));
    store.commit(change([fired(3, 0, 77)])).await.unwrap();
    let before = everything(store);
    let again = Change {
        events: vec![fired(4, 1, 77)],
        deliveries: vec![delivery(77, &snapshots[1].task, DeliveryStatus::Queued)],
        ..Change::default()
    };
    let error = store.commit(again).await.unwrap_err();
    assert!(matches!(error, StoreError::FiredBefore { fire_id } if fire_id == Uuid::from_u128(77)), "{error}");
    assert_eq!(everything(store), before);
}

pub(crate) async fn a_firing_twice_in_one_change_is_refused<F: Fixture>() {
    let fixture = F::open();
    let store = fixture.store();
    let snapshots = add_tasks(store, 2).await;
    let before = everything(store);
    let spoke = event(3, Operation::Spoke(firing(77, false)), &later(&snapshots[0], 2));
    let fired = event(4, Operation::Fired(firing(77, true)), &later(&snapshots[1], 2));
    let error = store.commit(change([spoke, fired])).await.unwrap_err();
    assert!(matches!(error, StoreError::FiredBefore { .. }), "{error}");
    assert_eq!(everything(store), before);
}

pub(crate) async fn an_event_is_committed_once<F: Fixture>() {
    let fixture = F::open();
    let store = fixture.store();
    let snapshots = add_tasks(store, 2).await;
    let before = everything(store);
    let again = event(1, Operation::Edited(Box::default()), &later(&snapshots[1], 2));
    let error = store.commit(change([again])).await.unwrap_err();
    assert!(matches!(error, StoreError::Broken { .. }), "{error}");
    assert_eq!(everything(store), before);
}

pub(crate) async fn an_empty_change_is_committed<F: Fixture>() {
    let fixture = F::open();
    add_tasks(fixture.store(), 2).await;
    assert_eq!(fixture.store().commit(Change::default()).await.unwrap().last_seq, 2);
}

pub(crate) async fn what_was_skipped_is_found_latest_first<F: Fixture>() {
    let fixture = F::open();
    let store = fixture.store();
    let first = add_tasks(store, 1).await.remove(0);
    let passed = || Operation::PassedOver { instances: 4, from: at(1), to: at(2) };
    let missed = || Operation::Missed { slots: Vec::new(), from: at(1), to: at(2) };
    let operations = [(passed(), 300), (missed(), 200), (Operation::Edited(Box::default()), 250), (passed(), 200)];
    let mut written = Vec::new();
    for (version, (operation, millis)) in (2..).zip(operations) {
        let mut event = event(version.into(), operation, &later(&first, version));
        event.at = at(millis);
        store.commit(change([event.clone()])).await.unwrap();
        written.push(StoredEvent { seq: version, event });
    }
    let latest = [0, 3, 1].map(|index: usize| written[index].clone());
    assert_eq!(store.skipped_since(at(0), 9).unwrap(), (3, latest.to_vec()));
    assert_eq!(store.skipped_since(at(200), 2).unwrap(), (3, latest[..2].to_vec()));
    assert_eq!(store.skipped_since(at(201), 9).unwrap(), (1, latest[..1].to_vec()));
    assert_eq!(store.skipped_since(at(301), 9).unwrap(), (0, Vec::new()));
}
