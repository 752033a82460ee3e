//! Tasks and their occurrences: what is written is what is read.

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

use crate::domain::event::{Operation, Snapshot};
use crate::domain::occurrence::{Nominal, Occurrence, OccurrenceKey};
use crate::domain::pause::{ManyPause, Scope};
use crate::domain::quiet::Away;
use crate::domain::state::{Pending, Running, State, StateName};
use crate::domain::task::{Number, Priority, TaskId};
use crate::domain::waiting::{Parent, Waits};
use crate::store::conformance::samples::{
    DEVICE, add_tasks, added, at, change, event, everything, full_task, later, local, occurrence, opened, schedules,
    snapshot, states, task_id, with_occurrence,
};
use crate::store::conformance::{Fixture, strategies};
use crate::store::{AtHand, Change, Counts, OpenKind, Store, StoreError, Wake, Which};

const PENDING: State = State::Pending(Pending { snooze: None, is_missed: false, retry_at: None });

/// Writes each snapshot as a new task, and reads each back in every way.
async fn check_round_trip(store: &impl Store, snapshots: &[Snapshot]) {
    let events = (1..).zip(snapshots).map(|(id, snapshot)| added(id, snapshot));
    store.commit(change(events)).await.expect("new tasks are written");
    for snapshot in snapshots {
        assert_eq!(store.snapshot(snapshot.task.id).unwrap().as_ref(), Some(snapshot));
        let history = store.history(snapshot.task.id).unwrap();
        assert_eq!(history.iter().map(|stored| &stored.event.snapshot).collect::<Vec<_>>(), [snapshot]);
    }
    assert_eq!(store.list(Which::All).unwrap(), snapshots);
}

pub(crate) async fn a_snapshot_reads_back_whole_in_every_state<F: Fixture>() {
    let fixture = F::open();
    let snapshots: Vec<Snapshot> = (1..).zip(states()).map(|(number, state)| snapshot(number, 13, state)).collect();
    check_round_trip(fixture.store(), &snapshots).await;
}

pub(crate) async fn every_field_reads_back_as_it_was_written<F: Fixture>() {
    let fixture = F::open();
    let mut snapshots: Vec<Snapshot> = (1..)
        .zip(schedules())
        .map(|(number, schedule)| {
            let mut snapshot = snapshot(number, 13, PENDING);
            snapshot.task.schedule = schedule;
            snapshot
        })
        .collect();
    let keys =
        [OccurrenceKey::Once, OccurrenceKey::DateTime(local("2026-05-13T09:30:00")), OccurrenceKey::Instant(at(1_500))];
    for (number, key) in (20..).zip(keys) {
        let mut snapshot = Snapshot { task: full_task(number), occurrence: occurrence(13, PENDING) };
        snapshot.occurrence.key = key;
        snapshot.occurrence.generation = u32::MAX;
        snapshot.occurrence.due = snapshot
            .occurrence
            .due
            .map(|due| crate::domain::occurrence::Due { nominal: Nominal::Instant(due.at), ..due });
        snapshots.push(snapshot);
    }
    let mut bare = snapshot(30, 13, State::Created);
    bare.task.alerts.clear();
    let occurrence = &mut bare.occurrence;
    *occurrence = Occurrence { due: None, successor_at: None, spoken: vec![], last_spoken: None, ..occurrence.clone() };
    snapshots.push(bare);
    check_round_trip(fixture.store(), &snapshots).await;
}

pub(crate) async fn unusual_text_reads_back_as_it_was_written<F: Fixture>() {
    let fixture = F::open();
    let texts = [
        "明天下午三点提醒我交房租".to_owned(),
        "👩‍👩‍👧‍👦 🏳️‍🌈 e\u{301} \u{202e}rtl".to_owned(),
        "'; DROP TABLE tasks; --\"\\".to_owned(),
        "\u{1}\u{7}\u{1b}[31m\r\n\t\u{7f}\u{85}\u{feff}".to_owned(),
        "a note of 100 KiB. ".repeat(5_390),
    ];
    let snapshots: Vec<Snapshot> = (1..)
        .zip(texts)
        .map(|(number, text)| {
            let mut snapshot = snapshot(number, 13, PENDING);
            let details = &mut snapshot.task.details;
            details.title.clone_from(&text);
            details.link = Some(text.clone());
            details.tags = vec![text.clone()];
            details.metadata.insert(text.clone(), text.clone());
            details.notes = text;
            snapshot
        })
        .collect();
    check_round_trip(fixture.store(), &snapshots).await;
}

pub(crate) async fn whatever_is_written_reads_back<F: Fixture>() {
    let mut runner = TestRunner::new(Config { cases: 16, failure_persistence: None, ..Config::default() });
    let outcome = runner.run(&strategies::snapshots(), |snapshots| {
        let fixture = F::open();
        strategies::block_on(check_round_trip(fixture.store(), &snapshots));
        let expected: Vec<Wake> = wakes_of(&snapshots);
        prop_assert_eq!(sorted(fixture.store().wakes().unwrap()), expected);
        Ok(())
    });
    outcome.unwrap();
}

fn wakes_of(snapshots: &[Snapshot]) -> Vec<Wake> {
    let wake = |snapshot: &Snapshot| {
        let (id, version) = (snapshot.task.id, snapshot.task.version);
        snapshot.next_wake().map(|at| Wake { at, id, version })
    };
    sorted(snapshots.iter().filter_map(wake).collect())
}

fn sorted(mut wakes: Vec<Wake>) -> Vec<Wake> {
    wakes.sort_unstable();
    wakes
}

pub(crate) async fn what_is_written_outlives_the_store<F: Fixture>() {
    let fixture = F::open();
    add_tasks(fixture.store(), 5).await;
    let zone = Change { zone: Some("Europe/Berlin".into()), ..Change::default() };
    fixture.store().commit(zone).await.unwrap();
    let before = everything(fixture.store());
    let fixture = fixture.reopen();
    assert_eq!(everything(fixture.store()), before);
    let next = snapshot(6, 13, PENDING);
    assert_eq!(fixture.store().commit(change([added(6, &next)])).await.unwrap().last_seq, 6);
}

pub(crate) async fn an_empty_store_knows_its_device_and_starts_at_one<F: Fixture>() {
    let fixture = F::open();
    let store = fixture.store();
    let identity = store.identity().unwrap();
    assert_eq!((identity.device, identity.next_number, identity.last_seq), (DEVICE, Number(1), 0));
    assert_eq!(identity.zone, None);
    assert_eq!(store.list(Which::All).unwrap(), []);
    assert_eq!(store.wakes().unwrap(), []);
    assert_eq!(store.snapshot(task_id(1)).unwrap(), None);
    assert_eq!(store.counts().unwrap(), Counts::default());
}

pub(crate) async fn numbers_are_never_given_again<F: Fixture>() {
    let fixture = F::open();
    let store = fixture.store();
    let high = snapshot(41, 13, PENDING);
    store.commit(change([added(1, &high)])).await.unwrap();
    assert_eq!(store.identity().unwrap().next_number, Number(42));
    // A lower one, as another device's task may bring, does not take it back.
    store.commit(change([added(2, &snapshot(7, 13, PENDING))])).await.unwrap();
    assert_eq!(store.identity().unwrap().next_number, Number(42));
    assert_eq!(fixture.reopen().store().identity().unwrap().next_number, Number(42));
}

pub(crate) async fn a_number_of_another_task_is_refused<F: Fixture>() {
    let fixture = F::open();
    add_tasks(fixture.store(), 1).await;
    let before = everything(fixture.store());
    let mut other = snapshot(2, 13, PENDING);
    other.task.number = Number(1);
    let error = fixture.store().commit(change([added(2, &other)])).await.unwrap_err();
    assert!(matches!(error, StoreError::Broken { .. }), "{error}");
    assert_eq!(everything(fixture.store()), before);
}

pub(crate) async fn that_the_person_is_away_is_kept_until_it_changes<F: Fixture>() {
    let fixture = F::open();
    let store = fixture.store();
    assert_eq!(store.identity().unwrap().away, None);
    let away = |id: u128, except: &[&str]| Away {
        id: uuid::Uuid::from_u128(id),
        from: at(1_779_000_000_000),
        to: at(1_779_000_000_009),
        except: except.iter().map(ToString::to_string).collect(),
    };
    let set = |away: Option<Away>| Change { away: Some(away), ..Change::default() };
    store.commit(set(Some(away(1, &["med"])))).await.unwrap();
    store.commit(Change { zone: Some("UTC".into()), ..Change::default() }).await.unwrap();
    assert_eq!(store.identity().unwrap().away, Some(away(1, &["med"])));
    store.commit(set(Some(away(2, &[])))).await.unwrap();
    assert_eq!(store.identity().unwrap().away, Some(away(2, &[])));
    store.commit(set(None)).await.unwrap();
    assert_eq!(store.identity().unwrap().away, None);
}

pub(crate) async fn the_zone_is_kept_until_it_changes<F: Fixture>() {
    let fixture = F::open();
    let store = fixture.store();
    let zone = |name: &str| Change { zone: Some(name.to_owned()), ..Change::default() };
    store.commit(zone("Asia/Tokyo")).await.unwrap();
    store.commit(Change::default()).await.unwrap();
    assert_eq!(store.identity().unwrap().zone.as_deref(), Some("Asia/Tokyo"));
    store.commit(zone("UTC")).await.unwrap();
    assert_eq!(store.identity().unwrap().zone.as_deref(), Some("UTC"));
}

pub(crate) async fn the_server_that_shows_popups_is_kept_until_it_changes<F: Fixture>() {
    let fixture = F::open();
    let store = fixture.store();
    assert_eq!(store.identity().unwrap().shown_by, None);
    let server = |name: &str| Change { shown_by: Some(name.to_owned()), ..Change::default() };
    store.commit(server("bus/:1.4")).await.unwrap();
    store.commit(Change::default()).await.unwrap();
    assert_eq!(store.identity().unwrap().shown_by.as_deref(), Some("bus/:1.4"));
    store.commit(server("bus/:1.7")).await.unwrap();
    assert_eq!(store.identity().unwrap().shown_by.as_deref(), Some("bus/:1.7"));
}

pub(crate) async fn pauses_of_many_are_kept_until_they_change<F: Fixture>() {
    let fixture = F::open();
    let store = fixture.store();
    let pause = |n: u32, scope, until| ManyPause {
        id: uuid::Uuid::from_u128(n.into()),
        scope,
        since: at(1_779_000_000_000 + i64::from(n)),
        until,
    };
    let both = [pause(1, Scope::All, Some(at(1_779_100_000_000))), pause(2, Scope::Tag("家".into()), None)];
    store.commit(Change { pauses: Some(both.to_vec()), ..Change::default() }).await.unwrap();
    store.commit(Change::default()).await.unwrap();
    assert_eq!(store.pauses().unwrap(), both);
    store.commit(Change { pauses: Some(both[1..].to_vec()), ..Change::default() }).await.unwrap();
    assert_eq!(store.pauses().unwrap(), both[1..]);
}

pub(crate) async fn the_present_occurrence_is_the_one_opened_last<F: Fixture>() {
    let fixture = F::open();
    let store = fixture.store();
    let first = add_tasks(store, 1).await.remove(0);
    let second = with_occurrence(&first, 2, occurrence(14, PENDING));
    store.commit(change([opened(2, &second)])).await.unwrap();
    assert_eq!(store.snapshot(task_id(1)).unwrap(), Some(second.clone()));
    assert_eq!(store.list(Which::Open).unwrap(), [second]);
}

pub(crate) async fn titles_are_those_of_the_list<F: Fixture>() {
    let fixture = F::open();
    let snapshots: Vec<Snapshot> = (1..).zip(states()).map(|(number, state)| snapshot(number, 13, state)).collect();
    check_round_trip(fixture.store(), &snapshots).await;
    for which in [Which::Open, Which::All] {
        let listed = fixture.store().list(which).unwrap();
        let titles: Vec<_> = listed.into_iter().map(|each| (each.task.id, each.task.details.title)).collect();
        assert_eq!(fixture.store().titles(which).unwrap(), titles);
    }
}

pub(crate) async fn a_change_of_an_earlier_occurrence_leaves_the_present_one<F: Fixture>() {
    let fixture = F::open();
    let store = fixture.store();
    let first = add_tasks(store, 1).await.remove(0);
    let second = with_occurrence(&first, 2, occurrence(14, PENDING));
    let ended = with_occurrence(&first, 3, occurrence(13, states().pop().expect("an ended state")));
    let outcome = Operation::Cancelled(crate::domain::occurrence::Outcome::Skipped);
    store.commit(change([opened(2, &second), event(3, outcome, &ended)])).await.unwrap();
    assert_eq!(store.snapshot(task_id(1)).unwrap(), Some(later_task(&second, &ended)));
    let edited = with_occurrence(&ended, 4, ended.occurrence.clone());
    store.commit(change([event(4, Operation::Edited(Box::default()), &edited)])).await.unwrap();
    assert_eq!(store.snapshot(task_id(1)).unwrap(), Some(later_task(&second, &edited)));
    assert_eq!(store.wakes().unwrap(), wakes_of(&[later_task(&second, &edited)]));
}

/// The occurrence of one snapshot with the task of a later one.
fn later_task(present: &Snapshot, last: &Snapshot) -> Snapshot {
    Snapshot { task: last.task.clone(), occurrence: present.occurrence.clone() }
}

pub(crate) async fn a_withdrawn_occurrence_is_gone_and_may_be_opened_again<F: Fixture>() {
    let fixture = F::open();
    let store = fixture.store();
    let first = add_tasks(store, 1).await.remove(0);
    let gone = later(&first, 2);
    let next = with_occurrence(&first, 3, occurrence(14, PENDING));
    let withdrawn = Operation::Withdrawn;
    store.commit(change([event(2, withdrawn.clone(), &gone), opened(3, &next)])).await.unwrap();
    assert_eq!(store.snapshot(task_id(1)).unwrap(), Some(next.clone()));
    // Withdrawn and opened by one change, under the same name, with other data.
    let mut again = with_occurrence(&next, 5, occurrence(13, State::Created));
    again.occurrence.spoken.clear();
    let events = [event(4, withdrawn, &later(&next, 4)), opened(5, &again)];
    store.commit(change(events)).await.unwrap();
    assert_eq!(store.snapshot(task_id(1)).unwrap(), Some(again));
}

pub(crate) async fn without_its_present_occurrence_a_task_falls_back_to_the_one_before<F: Fixture>() {
    let fixture = F::open();
    let store = fixture.store();
    let first = add_tasks(store, 1).await.remove(0);
    // Opened in another order than their dates have.
    let second = with_occurrence(&first, 2, occurrence(20, PENDING));
    let third = with_occurrence(&first, 3, occurrence(9, PENDING));
    store.commit(change([opened(2, &second), opened(3, &third)])).await.unwrap();
    let withdrawn = later(&third, 4);
    store.commit(change([event(4, Operation::Withdrawn, &withdrawn)])).await.unwrap();
    let present = later_task(&second, &withdrawn);
    assert_eq!(store.snapshot(task_id(1)).unwrap(), Some(present.clone()));
    assert_eq!(store.wakes().unwrap(), wakes_of(&[present]));
}

pub(crate) async fn a_task_is_never_left_without_an_occurrence<F: Fixture>() {
    let fixture = F::open();
    let first = add_tasks(fixture.store(), 1).await.remove(0);
    let before = everything(fixture.store());
    let only = event(2, Operation::Withdrawn, &later(&first, 2));
    let error = fixture.store().commit(change([only])).await.unwrap_err();
    assert!(matches!(error, StoreError::Broken { .. }), "{error}");
    assert_eq!(everything(fixture.store()), before);
}

pub(crate) async fn wakes_are_those_of_the_snapshots<F: Fixture>() {
    let fixture = F::open();
    let store = fixture.store();
    let snapshots: Vec<Snapshot> = (1..).zip(states()).map(|(number, state)| snapshot(number, 13, state)).collect();
    store.commit(change((1..).zip(&snapshots).map(|(id, snapshot)| added(id, snapshot)))).await.unwrap();
    let expected = wakes_of(&snapshots);
    assert!(expected.len() > 3, "{expected:?}");
    assert_eq!(sorted(store.wakes().unwrap()), expected);
    // A wake goes when its occurrence ends.
    let id = expected[0].id;
    let mut ended = store.snapshot(id).unwrap().expect("it was added");
    ended.task.version = 2;
    ended.occurrence.state = states().pop().expect("an ended state");
    let outcome = Operation::Completed(crate::domain::occurrence::Outcome::Done);
    store.commit(change([event(90, outcome, &ended)])).await.unwrap();
    assert_eq!(sorted(store.wakes().unwrap()), expected[1..]);
}

pub(crate) async fn lists_are_ordered_by_number_and_leave_out_what_ended<F: Fixture>() {
    let fixture = F::open();
    let store = fixture.store();
    let numbers = [5, 100, 3, 20, 4];
    let snapshots = numbers.map(|number| {
        let state = if number == 20 || number == 4 { states().pop().expect("an ended state") } else { PENDING };
        snapshot(number, 13, state)
    });
    store.commit(change((1..).zip(&snapshots).map(|(id, snapshot)| added(id, snapshot)))).await.unwrap();
    let listed = |which| store.list(which).unwrap().iter().map(|s| s.task.number.0).collect::<Vec<_>>();
    assert_eq!(listed(Which::All), [3, 4, 5, 20, 100]);
    assert_eq!(listed(Which::Open), [3, 5, 100]);
}

pub(crate) async fn tasks_are_found_by_number_and_by_the_beginning_of_their_id<F: Fixture>() {
    let fixture = F::open();
    let store = fixture.store();
    add_tasks(store, 3).await;
    let mut other = snapshot(4, 13, PENDING);
    other.task.id = TaskId(uuid::Uuid::from_u128(0xffff_ffff_0000_7000_8000_0000_0000_00ab));
    store.commit(change([added(4, &other)])).await.unwrap();
    assert_eq!(store.by_number(Number(2)).unwrap(), Some(task_id(2)));
    for missing in [0, 5, u64::MAX] {
        assert_eq!(store.by_number(Number(missing)).unwrap(), None);
    }
    let found = |prefix: &str| store.by_id_prefix(prefix, 10).unwrap();
    assert_eq!(found("0190aaaa"), [1, 2, 3].map(task_id));
    assert_eq!(found("0190aaaa-0000-7"), [1, 2, 3].map(task_id));
    assert_eq!(store.by_id_prefix("0190aaaa0", 2).unwrap(), [1, 2].map(task_id));
    assert_eq!(found(&task_id(2).to_string()), [task_id(2)]);
    assert_eq!(found("ffffffff00007"), [other.task.id]);
    assert_eq!(found("0190aaab"), []);
    assert_eq!(found(&format!("{}0", task_id(2))), []);
    assert_eq!(found("not hex!"), []);
}

pub(crate) async fn counts_are_those_of_the_present_occurrences<F: Fixture>() {
    let fixture = F::open();
    let store = fixture.store();
    let snapshots: Vec<Snapshot> = (1..).zip(states()).map(|(number, state)| snapshot(number, 13, state)).collect();
    store.commit(change((1..).zip(&snapshots).map(|(id, snapshot)| added(id, snapshot)))).await.unwrap();
    let expected =
        Counts { created: 1, pending: 2, running: 2, suspended: 2, failed: 1, ended: 6, ..Counts::default() };
    assert_eq!(store.counts().unwrap(), expected);
    // An ended one that opens its next is counted once, as that.
    let last = snapshots.last().expect("there are some");
    store.commit(change([opened(50, &with_occurrence(last, 2, occurrence(14, PENDING)))])).await.unwrap();
    assert_eq!(store.counts().unwrap(), Counts { pending: 3, ended: 5, ..expected });
}

pub(crate) async fn what_is_at_hand_is_counted_and_the_most_important_found<F: Fixture>() {
    let fixture = F::open();
    let store = fixture.store();
    assert_eq!(store.at_hand(at(0)).unwrap(), AtHand::default());
    let task = |number: u64, priority: Priority, fired_at: i64, change: &dyn Fn(&mut Running)| {
        let mut running = Running { fired_at: at(fired_at), ..Running::silent(at(fired_at)) };
        change(&mut running);
        let mut snapshot = snapshot(number, 13, State::Running(running));
        snapshot.task.details.priority = priority;
        snapshot
    };
    let mut command = task(6, Priority::High, 1, &|_| {});
    command.task.details.command = full_task(6).details.command;
    let mut deleted = task(7, Priority::High, 1, &|_| {});
    deleted.task.deleted_at = Some(at(9_000));
    let tasks = [
        task(1, Priority::Low, 10, &|_| {}),
        task(2, Priority::Normal, 30, &|running| running.late = true),
        task(3, Priority::Normal, 20, &|running| running.late = true),
        task(4, Priority::High, 5, &|running| running.acked_at = Some(at(50))),
        task(5, Priority::High, 5, &|running| running.held_until = Some(at(60))),
        command,
        deleted,
        snapshot(8, 13, PENDING),
    ];
    store.commit(change((1..).zip(&tasks).map(|(id, each)| added(id, each)))).await.unwrap();
    let expected = AtHand { due: 3, late: 2, seen: 1, held: 1, commands: 1, first: Some(task_id(3)) };
    assert_eq!(store.at_hand(at(59)).unwrap(), expected);
    // What was held is due when that has passed.
    let first = Some(task_id(5));
    assert_eq!(store.at_hand(at(60)).unwrap(), AtHand { due: 4, held: 0, first, ..expected });
}

pub(crate) async fn those_who_wait_for_a_task_are_found_while_they_are_open<F: Fixture>() {
    let fixture = F::open();
    let store = fixture.store();
    let waiting = |number: u64, parents: &[u64], state: State| {
        let mut snapshot = snapshot(number, 13, state);
        let parent = |number: &u64| Parent::new(task_id(*number), Number(*number));
        snapshot.task.waits = Waits { parents: parents.iter().map(parent).collect(), ..Waits::default() };
        snapshot
    };
    let first = [
        waiting(1, &[], PENDING),
        waiting(2, &[1], State::Created),
        waiting(3, &[1, 2], PENDING),
        waiting(4, &[1], states().remove(states().len() - 1)),
    ];
    store.commit(change((1..).zip(&first).map(|(id, each)| added(id, each)))).await.unwrap();
    assert_eq!(store.dependents(task_id(1)).unwrap(), [task_id(2), task_id(3)]);
    assert_eq!(store.dependents(task_id(2)).unwrap(), [task_id(3)]);
    assert_eq!(store.dependents(task_id(3)).unwrap(), []);
    assert_eq!(store.untold().unwrap(), []);
    let mut set = later(&first[2], 2);
    set.task.waits.parents.remove(0);
    let mut unblocked = later(&first[1], 2);
    unblocked.task.waits = Waits::default();
    let waits = Operation::WaitsSet(Box::new(set.task.waits.clone()));
    let changes = [event(20, waits, &set), event(21, Operation::Unblocked, &unblocked)];
    store.commit(change(changes)).await.unwrap();
    assert_eq!(store.dependents(task_id(1)).unwrap(), []);
    assert_eq!(store.dependents(task_id(2)).unwrap(), [task_id(3)]);
}

pub(crate) async fn those_are_found_who_wait_for_what_is_gone<F: Fixture>() {
    let fixture = F::open();
    let store = fixture.store();
    let ended = || states().remove(states().len() - 1);
    let waiting = |number: u64, parents: &[u64], state: State| {
        let mut snapshot = snapshot(number, 13, state);
        let parent = |number: &u64| Parent::new(task_id(*number), Number(*number));
        snapshot.task.waits = Waits { parents: parents.iter().map(parent).collect(), ..Waits::default() };
        snapshot
    };
    let mut deleted = waiting(3, &[], PENDING);
    deleted.task.deleted_at = Some(at(9_000));
    let tasks = [
        waiting(1, &[], PENDING),
        waiting(2, &[], ended()),
        deleted,
        waiting(4, &[1, 2, 3, 77], State::Created),
        // What is free is told of none that has ended; but its next time may wait for one that is not there.
        waiting(5, &[1, 2, 3, 77], PENDING),
        waiting(6, &[2, 77], ended()),
    ];
    store.commit(change((1..).zip(&tasks).map(|(id, each)| added(id, each)))).await.unwrap();
    let expected = [(4, 2), (4, 3), (4, 77), (5, 77)].map(|(task, parent)| (task_id(task), task_id(parent)));
    assert_eq!(store.untold().unwrap(), expected);
}

pub(crate) async fn the_numbers_and_tags_of_open_tasks_are_found_by_kind<F: Fixture>() {
    let fixture = F::open();
    let store = fixture.store();
    assert_eq!((store.open_numbers(OpenKind::Any).unwrap(), store.open_tags().unwrap()), (Vec::new(), Vec::new()));
    let mut snapshots: Vec<Snapshot> = (1..).zip(states()).map(|(number, state)| snapshot(number, 13, state)).collect();
    for each in &mut snapshots {
        each.task.details.tags = vec![format!("n{}", each.task.number.0), "of all".to_owned()];
        each.task.waits = Waits::default();
    }
    snapshots[0].task.waits.parents = vec![Parent::new(task_id(2), Number(2))];
    snapshots[1].task.details.command = None;
    store.commit(change((1..).zip(&snapshots).map(|(id, each)| added(id, each)))).await.unwrap();
    let found = |kind| store.open_numbers(kind).unwrap();
    let open = || snapshots.iter().filter(|each| !each.occurrence.has_ended());
    let of = |fits: &dyn Fn(&Snapshot) -> bool| -> Vec<(Number, StateName)> {
        open().filter(|each| fits(each)).map(|each| (each.task.number, each.occurrence.state.name())).collect()
    };
    assert!(found(OpenKind::Any).len() > 3);
    assert_eq!(found(OpenKind::Any), of(&|_| true));
    assert_eq!(found(OpenKind::Series), of(&|each| each.task.is_series()));
    assert_eq!(found(OpenKind::Command), of(&|each| each.task.details.command.is_some()));
    assert_eq!(found(OpenKind::Waiting), [(Number(1), snapshots[0].occurrence.state.name())]);
    let mut tags: Vec<String> = open().flat_map(|each| each.task.details.tags.clone()).collect();
    tags.sort();
    tags.dedup();
    assert_eq!(store.open_tags().unwrap(), tags);
}
