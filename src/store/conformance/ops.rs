//! Operations, and tasks that are deleted and purged.

use uuid::Uuid;

use crate::domain::event::Operation;
use crate::domain::op::{AwayChanged, Op, PausesChanged};
use crate::domain::pause::{ManyPause, Scope};
use crate::domain::quiet::Away;
use crate::domain::state::{Pending, State};
use crate::domain::task::Number;
use crate::store::conformance::Fixture;
use crate::store::conformance::samples::{add_tasks, added, at, change, delivery, event, later, snapshot, task_id};
use crate::store::{Change, Counts, Store, StoreError, Which};

const PENDING: State = State::Pending(Pending { snooze: None, is_missed: false, retry_at: None });

fn op(id: u128, verb: &str) -> Op {
    Op::new(Uuid::from_u128(id), at(1_779_000_000_000), verb, &snapshot(1, 13, PENDING))
}

async fn write(store: &impl Store, ops: impl IntoIterator<Item = Op>) {
    let change = Change { ops: ops.into_iter().collect(), ..Change::default() };
    store.commit(change).await.expect("written");
}

pub(crate) async fn operations_read_back_latest_first_and_keep_their_place<F: Fixture>() {
    let fixture = F::open();
    let store = fixture.store();
    let pause =
        ManyPause { id: Uuid::from_u128(9), scope: Scope::Tag("home".into()), since: at(5), until: Some(at(7)) };
    let all = ManyPause { id: Uuid::from_u128(10), scope: Scope::All, since: at(6), until: None };
    let pauses = Some(PausesChanged { before: vec![pause], after: vec![all] });
    let except = vec!["med".to_owned()];
    let gone = Away { id: Uuid::from_u128(91), from: at(1_779_000_000_000), to: at(1_779_000_600_000), except };
    let away = Some(AwayChanged { before: None, after: Some(gone) });
    let mut undo = op(3 << 64, "undo");
    (undo.undoes, undo.is_undo, undo.is_typed) = (Some(Uuid::from_u128(2 << 64)), true, false);
    let ops = [op(1 << 64, "add"), Op { pauses, away, ..op(2 << 64, "pause") }, undo];
    write(store, ops.clone()).await;
    let found: Vec<Op> = store.ops(None, 10).unwrap().into_iter().map(|(_, op)| op).collect();
    assert_eq!(found, ops.iter().rev().cloned().collect::<Vec<_>>());
    let mut first = ops[0].clone();
    first.add(&snapshot(2, 13, PENDING));
    first.undone_by = Some(Uuid::from_u128(4 << 64));
    write(store, [first.clone()]).await;
    let page = store.ops(None, 2).unwrap();
    assert_eq!(page.iter().map(|(_, op)| op.verb.as_str()).collect::<Vec<_>>(), ["undo", "pause"]);
    assert_eq!(store.ops(Some(page[1].0), 2).unwrap().into_iter().map(|(_, op)| op).collect::<Vec<_>>(), [first]);
}

pub(crate) async fn an_operation_is_found_by_its_id_its_events_and_as_the_one_to_undo<F: Fixture>() {
    let fixture = F::open();
    let store = fixture.store();
    assert_eq!(store.op_to_undo().unwrap(), None);
    let (first, second) = (op(0xabcd_ef01 << 96, "add"), op(0xabcd_ef02 << 96, "done"));
    write(store, [first.clone(), second.clone()]).await;
    assert_eq!(store.op_to_undo().unwrap(), Some(second.clone()));
    assert_eq!(store.ops_by_prefix("abcdef01", 2).unwrap(), std::slice::from_ref(&first));
    assert_eq!(store.ops_by_prefix("abcdef0", 2).unwrap().len(), 2);
    assert_eq!(store.ops_by_prefix("abcdef", 1).unwrap().len(), 1);
    assert_eq!(store.ops_by_prefix("12345678", 2).unwrap(), []);
    let closed = Op { is_typed: false, ..op(0xabcd_ef03 << 96, "dismiss") };
    write(store, [Op { undone_by: Some(Uuid::nil()), ..second }, closed]).await;
    assert_eq!(store.op_to_undo().unwrap(), Some(first));
    let born = added(1, &snapshot(1, 13, PENDING));
    let op_id = born.op_id;
    store.commit(change([born.clone()])).await.unwrap();
    assert_eq!(store.events_of_op(op_id).unwrap().into_iter().map(|stored| stored.event).collect::<Vec<_>>(), [born]);
    assert_eq!(store.events_of_op(Uuid::nil()).unwrap(), []);
}

pub(crate) async fn a_deleted_task_is_seen_by_nobody_and_purged_for_ever<F: Fixture>() {
    let fixture = F::open();
    let store = fixture.store();
    let tasks = add_tasks(store, 2).await;
    let mut gone = later(&tasks[0], 2);
    gone.task.deleted_at = Some(at(1_779_000_000_500));
    let spoken = delivery(700, &tasks[0].task, crate::domain::delivery::DeliveryStatus::Delivered(at(5)));
    let deleted = change([event(50, Operation::Deleted, &gone)]);
    store.commit(Change { deliveries: vec![spoken.clone()], ..deleted }).await.unwrap();
    assert_eq!(store.list(Which::All).unwrap(), &tasks[1..]);
    assert_eq!(store.list(Which::Open).unwrap(), &tasks[1..]);
    assert_eq!(store.snapshot(task_id(1)).unwrap(), Some(gone));
    let counts = store.counts().unwrap();
    assert_eq!(counts.pending + counts.created + counts.ended, 1, "{counts:?}");
    assert!(store.wakes().unwrap().iter().all(|wake| wake.id != task_id(1)));
    assert_eq!(store.deleted(at(1_779_000_000_499), 9).unwrap(), []);
    assert_eq!(store.deleted(at(1_779_000_000_500), 9).unwrap(), [(task_id(1), at(1_779_000_000_500))]);
    // One that is not deleted stays.
    let purged = vec![task_id(1), task_id(2)];
    store.commit(Change { purged, ..Change::default() }).await.unwrap();
    assert_eq!(store.snapshot(task_id(1)).unwrap(), None);
    assert_eq!(store.list(Which::All).unwrap(), &tasks[1..]);
    assert_eq!(store.delivery(&spoken.id).unwrap(), None);
    assert_eq!(store.deleted(crate::domain::time::Timestamp::MAX, 9).unwrap(), []);
    assert_eq!(store.by_number(Number(1)).unwrap(), Some(task_id(1)), "its number means nothing else");
    assert_eq!(store.history(task_id(1)).unwrap().len(), 2, "its events stay");
    let refused = store.commit(change([added(60, &snapshot(1, 13, PENDING))])).await;
    assert!(matches!(refused, Err(StoreError::Dead { id }) if id == task_id(1)), "{refused:?}");
    assert_eq!(store.counts().unwrap(), Counts { outbox: counts.outbox, ..counts });
}
