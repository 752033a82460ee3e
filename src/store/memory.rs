//! A store that forgets, for the simulator: it fails, pauses and crashes when told to, and keeps each promise else.
//!
//! It is written apart from the SQLite store on purpose, event by event, so that the one suite that both pass compares
//! two readings of the trait.

use std::collections::{HashSet, VecDeque};
use std::ops::{Range, RangeInclusive};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_util::future::BoxFuture;
use tokio::sync::{oneshot, watch};
use uuid::Uuid;

use crate::domain::breaker::TargetHealth;
use crate::domain::delivery::{Delivery, DeliveryId, DeliveryStatus, Target};
use crate::domain::device_event::{AnyEvent, DeviceEvent};
use crate::domain::event::Snapshot;
use crate::domain::import::{Imported, Rehearsal};
use crate::domain::occurrence::{FireId, Occurrence, OccurrenceName, Outcome, Spent};
use crate::domain::op::Op;
use crate::domain::outbox::{DeliveryFilter, Statuses, TargetCount};
use crate::domain::pause::ManyPause;
use crate::domain::run::{Output, Run, RunId};
use crate::domain::state::{Ended, State, StateName};
use crate::domain::task::{Number, Task, TaskId};
use crate::domain::time::Timestamp;
use crate::store::archive::{Export, Staged, Staging};
use crate::store::memory::breach::Breach;
use crate::store::memory::disk::Disk;
use crate::store::memory::entry::Entry;
use crate::store::{
    AtHand, Change, Committed, Counts, Identity, OpenKind, RequestSeen, Room, Store, StoreError, StoredEvent, Wake,
    Which,
};

mod breach;
mod counted;
mod disk;
mod entry;

/// A store in memory. Clones are the same store.
///
/// A change is taken when `commit` is called, in the order of the calls, as the SQLite store does; dropping the future
/// gives up the answer, not the change.
#[derive(Clone, Debug)]
pub struct MemoryStore {
    /// What was committed; outlives a crash.
    disk: Arc<Mutex<Disk>>,
    process: Arc<Mutex<Process>>,
    waiting: Arc<watch::Sender<usize>>,
}

/// What a crash takes with it.
#[derive(Debug, Default)]
struct Process {
    has_crashed: bool,
    is_paused: bool,
    waiting: VecDeque<Waiting>,
    failures: VecDeque<StoreError>,
    failing_reads: usize,
    /// How many changes the reserve still takes, where the disk is full.
    reserve: Option<usize>,
}

#[derive(Debug)]
struct Waiting {
    change: Change,
    answer: oneshot::Sender<Result<Committed, StoreError>>,
}

impl MemoryStore {
    /// Returns an empty store of the installation `device`.
    #[must_use]
    pub fn new(device: Uuid) -> Self {
        Self::on(Arc::new(Mutex::new(Disk::new(device))))
    }

    fn on(disk: Arc<Mutex<Disk>>) -> Self {
        Self { disk, process: Arc::default(), waiting: Arc::new(watch::Sender::new(0)) }
    }

    /// Makes the next commit that is carried out write nothing and answer `error`; called again, the one after it.
    pub fn fail_next(&self, error: StoreError) {
        self.process().failures.push_back(error);
    }

    /// Makes the disk full: only changes of [`Room::Reserve`] are written, and of those no more than `reserve`.
    pub fn fill(&self, reserve: usize) {
        self.process().reserve = Some(reserve);
    }

    /// Makes room on the disk.
    pub fn empty(&self) {
        self.process().reserve = None;
    }

    /// Returns how many changes the reserve still takes, `None` where the disk is not full.
    #[must_use]
    pub fn reserve(&self) -> Option<usize> {
        self.process().reserve
    }

    /// Makes the next `count` questions answer that the store is closed.
    pub fn fail_reads(&self, count: usize) {
        self.process().failing_reads = count;
    }

    /// Makes commits wait, as on a slow disk, until [`MemoryStore::step`] or [`MemoryStore::release`].
    pub fn pause(&self) {
        self.process().is_paused = true;
    }

    /// Carries out the commit that has waited longest, and returns whether there was one.
    #[expect(clippy::must_use_candidate, reason = "most callers know that one waits")]
    pub fn step(&self) -> bool {
        let mut process = self.process();
        let Some(Waiting { change, answer }) = process.waiting.pop_front() else { return false };
        self.waiting.send_replace(process.waiting.len());
        let outcome = self.carry_out(&mut process, &change);
        // Whoever dropped the answer no longer wants it; the change stands all the same.
        let _ = answer.send(outcome);
        true
    }

    /// Carries out all commits that wait, and makes none wait any more.
    pub fn release(&self) {
        self.process().is_paused = false;
        while self.step() {}
    }

    /// Returns how many commits wait, and tells of each change.
    #[must_use]
    pub fn waiting(&self) -> watch::Receiver<usize> {
        self.waiting.subscribe()
    }

    /// Ends this store as a crash does: commits that wait are lost, and whatever is asked later is refused.
    pub fn crash(&self) {
        let mut process = self.process();
        process.has_crashed = true;
        process.waiting.clear();
        self.waiting.send_replace(0);
    }

    /// Crashes this store, and returns one that finds what had been committed.
    #[must_use]
    pub fn reopen(&self) -> Self {
        self.crash();
        let next = Self::on(Arc::clone(&self.disk));
        next.process().reserve = self.process().reserve;
        next
    }

    /// Returns a store of its own that holds what is committed here now.
    #[must_use]
    pub fn copy(&self) -> Self {
        Self::on(Arc::new(Mutex::new(self.disk().clone())))
    }

    fn carry_out(&self, process: &mut Process, change: &Change) -> Result<Committed, StoreError> {
        if let Some(error) = process.failures.pop_front() {
            return Err(error);
        }
        match (change.room, &mut process.reserve) {
            (_, None) => {}
            (Room::Reserve, Some(left)) if *left > 0 => *left -= 1,
            (Room::Free | Room::Reserve, Some(_)) => return Err(full()),
        }
        self.disk().commit(change)
    }

    fn ask<T>(&self, question: impl FnOnce(&Disk) -> T) -> Result<T, StoreError> {
        let mut process = self.process();
        if process.has_crashed {
            return Err(StoreError::Closed);
        }
        if let Some(left) = process.failing_reads.checked_sub(1) {
            process.failing_reads = left;
            return Err(StoreError::Closed);
        }
        drop(process);
        Ok(question(&self.disk()))
    }

    fn process(&self) -> MutexGuard<'_, Process> {
        self.process.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn disk(&self) -> MutexGuard<'_, Disk> {
        self.disk.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Store for MemoryStore {
    fn commit(&self, change: Change) -> BoxFuture<'static, Result<Committed, StoreError>> {
        let (answer, outcome) = oneshot::channel();
        let mut process = self.process();
        if process.has_crashed {
            drop(answer);
        } else if process.is_paused || !process.waiting.is_empty() {
            process.waiting.push_back(Waiting { change, answer });
            self.waiting.send_replace(process.waiting.len());
        } else {
            let committed = self.carry_out(&mut process, &change);
            answer.send(committed).expect("the receiver is held below");
        }
        Box::pin(async move { outcome.await.unwrap_or(Err(StoreError::Closed)) })
    }

    fn identity(&self) -> Result<Identity, StoreError> {
        self.ask(|disk| Identity {
            device: disk.device,
            next_number: disk.next_number,
            last_seq: disk.last_seq(),
            zone: disk.zone.clone(),
            shown_by: disk.shown_by.clone(),
            away: disk.away.clone(),
        })
    }

    fn wakes(&self) -> Result<Vec<Wake>, StoreError> {
        self.ask(|disk| {
            let wake = |snapshot: Snapshot| {
                let Task { id, version, .. } = snapshot.task;
                snapshot.next_wake().map(|at| Wake { at, id, version })
            };
            disk.tasks.values().map(Entry::snapshot).filter_map(wake).collect()
        })
    }

    fn next_wake(&self) -> Result<Option<Wake>, StoreError> {
        self.ask(|disk| earliest(disk.tasks.values().map(Entry::snapshot)))
    }

    fn next_coming(&self) -> Result<Option<Wake>, StoreError> {
        self.ask(|disk| {
            let has_come = |snapshot: &Snapshot| matches!(snapshot.occurrence.state, State::Running(_));
            earliest(disk.tasks.values().map(Entry::snapshot).filter(|snapshot| !has_come(snapshot)))
        })
    }

    fn snapshots(&self, ids: &[TaskId]) -> Result<Vec<Snapshot>, StoreError> {
        self.ask(|disk| ids.iter().filter_map(|id| disk.tasks.get(id)).map(Entry::snapshot).collect())
    }

    fn snapshot(&self, id: TaskId) -> Result<Option<Snapshot>, StoreError> {
        self.ask(|disk| disk.tasks.get(&id).map(Entry::snapshot))
    }

    fn by_number(&self, number: Number) -> Result<Option<TaskId>, StoreError> {
        self.ask(|disk| disk.numbers.get(&number).or_else(|| disk.dead.get(&number)).copied())
    }

    fn open_numbers(&self, kind: OpenKind) -> Result<Vec<(Number, StateName)>, StoreError> {
        self.ask(|disk| disk.open_numbers(kind))
    }

    fn open_tags(&self) -> Result<Vec<String>, StoreError> {
        self.ask(Disk::open_tags)
    }

    fn untold(&self) -> Result<Vec<(TaskId, TaskId)>, StoreError> {
        self.ask(Disk::untold)
    }

    fn dependents(&self, parent: TaskId) -> Result<Vec<TaskId>, StoreError> {
        let waits = |entry: &&Entry| {
            let is_told = entry.task.waits.parents.iter().any(|each| each.id == parent);
            is_told && !entry.present().has_ended() && entry.task.deleted_at.is_none()
        };
        self.ask(|disk| {
            let mut waiting: Vec<&Entry> = disk.waiting.iter().map(|id| &disk.tasks[id]).filter(waits).collect();
            waiting.sort_by_key(|entry| entry.task.number);
            waiting.into_iter().map(|entry| entry.task.id).collect()
        })
    }

    fn by_id_prefix(&self, prefix: &str, limit: usize) -> Result<Vec<TaskId>, StoreError> {
        let digits: String = prefix.chars().filter(|c| *c != '-').collect();
        let matches = |id: &&TaskId| id.0.simple().to_string().starts_with(&digits);
        self.ask(|disk| disk.tasks.keys().filter(matches).take(limit).copied().collect())
    }

    fn list(&self, which: Which) -> Result<Vec<Snapshot>, StoreError> {
        self.list_after(which, Number(0), usize::MAX)
    }

    fn titles(&self, which: Which) -> Result<Vec<(TaskId, String)>, StoreError> {
        Ok(self.list(which)?.into_iter().map(|each| (each.task.id, each.task.details.title)).collect())
    }

    fn list_after(&self, which: Which, after: Number, limit: usize) -> Result<Vec<Snapshot>, StoreError> {
        let is_listed = |snapshot: &Snapshot| match which {
            Which::Open => !snapshot.occurrence.has_ended(),
            Which::All => true,
        };
        self.ask(|disk| {
            let ids = disk.numbers.iter().filter(|(number, _)| **number > after).map(|(_, id)| id);
            let tasks = ids.map(|id| disk.tasks[id].snapshot()).filter(|snapshot| snapshot.task.deleted_at.is_none());
            tasks.filter(is_listed).take(limit).collect()
        })
    }

    fn history(&self, id: TaskId) -> Result<Vec<StoredEvent>, StoreError> {
        self.history_since(id, 0, usize::MAX)
    }

    fn history_since(&self, id: TaskId, cursor: u64, limit: usize) -> Result<Vec<StoredEvent>, StoreError> {
        self.ask(|disk| {
            let of_tasks = disk.stored_events(cursor).filter_map(|StoredEvent { seq, event }| {
                let event = event.of_task().filter(|event| event.snapshot.task.id == id)?;
                Some(StoredEvent { seq, event: event.clone() })
            });
            of_tasks.take(limit).collect()
        })
    }

    fn history_before(
        &self,
        id: TaskId,
        before: u64,
        during: Range<Timestamp>,
        limit: usize,
    ) -> Result<Vec<StoredEvent>, StoreError> {
        self.ask(|disk| {
            let of_task = disk.stored_events(0).filter(|stored| stored.seq < before).filter_map(|stored| {
                let event = stored.event.of_task().filter(|event| event.snapshot.task.id == id)?;
                during.contains(&event.at).then(|| StoredEvent { seq: stored.seq, event: event.clone() })
            });
            let mut events: Vec<StoredEvent> = of_task.collect();
            events.drain(..events.len().saturating_sub(limit));
            events
        })
    }

    fn events_since(&self, cursor: u64, limit: usize) -> Result<Vec<StoredEvent<AnyEvent>>, StoreError> {
        self.ask(|disk| {
            let events = disk.stored_events(cursor).take(limit);
            events.map(|StoredEvent { seq, event }| StoredEvent { seq, event: event.clone() }).collect()
        })
    }

    fn device_events(&self, from: Timestamp, to: Timestamp) -> Result<Vec<StoredEvent<DeviceEvent>>, StoreError> {
        self.ask(|disk| {
            let within = disk.stored_events(0).filter_map(|StoredEvent { seq, event }| match event {
                AnyEvent::Device(event) if (from..=to).contains(&event.at) => {
                    Some(StoredEvent { seq, event: event.clone() })
                }
                AnyEvent::Device(_) | AnyEvent::Task(_) => None,
            });
            within.collect()
        })
    }

    fn spent(&self, since: Timestamp) -> Result<Vec<(TaskId, Spent)>, StoreError> {
        self.ask(|disk| disk.spent(since))
    }

    fn delivery(&self, id: &DeliveryId) -> Result<Option<Delivery>, StoreError> {
        self.ask(|disk| disk.delivery_positions.get(id).map(|position| (*disk.deliveries[*position]).clone()))
    }

    fn deliveries(&self, task: TaskId, occurrence: Option<OccurrenceName>) -> Result<Vec<Delivery>, StoreError> {
        self.ask(|disk| {
            let of_task =
                disk.deliveries_by_task.get(&task).into_iter().flatten().map(|index| &disk.deliveries[*index]);
            let meant = of_task.filter(|each| occurrence.is_none_or(|occurrence| each.occurrence == occurrence));
            meant.map(|delivery| (**delivery).clone()).collect()
        })
    }

    fn deliveries_of(&self, firings: &[FireId]) -> Result<Vec<Delivery>, StoreError> {
        let of = |disk: &Disk, firing: &FireId| disk.deliveries_where(|delivery| delivery.id.fire_id == *firing);
        self.ask(|disk| firings.iter().flat_map(|firing| of(disk, firing)).collect())
    }

    fn outbox(&self) -> Result<Vec<Delivery>, StoreError> {
        self.ask(|disk| disk.open().map(|(_, delivery)| (**delivery).clone()).collect())
    }

    fn held(&self, target: &Target, limit: usize) -> Result<Vec<Delivery>, StoreError> {
        let is_meant = |delivery: &Delivery| delivery.status == DeliveryStatus::Held && delivery.id.target == *target;
        self.ask(|disk| {
            let held = disk.open().filter(|(_, delivery)| is_meant(delivery)).take(limit);
            held.map(|(_, delivery)| (**delivery).clone()).collect()
        })
    }

    fn deliveries_after(
        &self,
        which: &DeliveryFilter,
        after: u64,
        limit: usize,
    ) -> Result<Vec<(u64, Delivery)>, StoreError> {
        let has_ended = match which.statuses {
            Statuses::Open => false,
            Statuses::All => true,
            Statuses::One(status) => status.is_final(),
        };
        self.ask(|disk| {
            let all: Box<dyn Iterator<Item = (usize, &Arc<Delivery>)>> =
                if has_ended { Box::new(disk.deliveries.iter().enumerate()) } else { Box::new(disk.open()) };
            let placed = all.map(|(index, delivery)| (index as u64 + 1, delivery));
            let meant = placed.filter(|(position, delivery)| *position > after && which.is_met_by(delivery));
            meant.take(limit).map(|(position, delivery)| (position, (**delivery).clone())).collect()
        })
    }

    fn members(&self, digest: &DeliveryId) -> Result<Vec<Delivery>, StoreError> {
        let is_told =
            |delivery: &Delivery| delivery.digest == Some(digest.fire_id) && delivery.id.target == digest.target;
        self.ask(|disk| disk.deliveries_where(is_told))
    }

    fn skipped_since(&self, since: Timestamp, limit: usize) -> Result<(u64, Vec<StoredEvent>), StoreError> {
        self.ask(|disk| {
            let skips = disk.stored_events(0).filter_map(|StoredEvent { seq, event }| {
                let event = event.of_task().filter(|event| event.at >= since && event.operation.skipped().is_some())?;
                Some(StoredEvent { seq, event: event.clone() })
            });
            let mut skipped: Vec<StoredEvent> = skips.collect();
            skipped.sort_by_key(|stored| std::cmp::Reverse((stored.event.at, stored.seq)));
            let count = skipped.len() as u64;
            skipped.truncate(limit);
            (count, skipped)
        })
    }

    fn failed_since(&self, since: Timestamp, limit: usize) -> Result<(u64, Vec<Delivery>), StoreError> {
        self.ask(|disk| {
            let about = |one: &Delivery| (one.task, one.occurrence, one.id.target.clone());
            let mut taken = HashSet::new();
            let mut failed: Vec<Delivery> = disk
                .deliveries
                .iter()
                .rev()
                .filter(|delivery| {
                    if matches!(delivery.status, DeliveryStatus::Delivered(_)) {
                        taken.insert(about(delivery));
                    }
                    let has_failed = matches!(delivery.status, DeliveryStatus::Failed(at) if at >= since);
                    has_failed && !taken.contains(&about(delivery))
                })
                .map(|delivery| Delivery::clone(delivery))
                .collect();
            // Stable, so that of one moment the last written stays first.
            failed.sort_by_key(|delivery| std::cmp::Reverse(delivery.status.at()));
            let count = failed.len() as u64;
            failed.truncate(limit);
            (count, failed)
        })
    }

    fn counts_by_target(&self) -> Result<Vec<TargetCount>, StoreError> {
        self.ask(Disk::counts_by_target)
    }

    fn targets(&self) -> Result<Vec<TargetHealth>, StoreError> {
        self.ask(|disk| disk.targets.values().cloned().collect())
    }

    fn pauses(&self) -> Result<Vec<ManyPause>, StoreError> {
        self.ask(|disk| disk.pauses.clone())
    }

    fn request(&self, key: &str) -> Result<Option<RequestSeen>, StoreError> {
        self.ask(|disk| disk.requests.get(key).cloned())
    }

    fn ops(&self, before: Option<u64>, limit: usize) -> Result<Vec<(u64, Op)>, StoreError> {
        self.ask(|disk| {
            let placed = disk.ops.iter().enumerate().map(|(index, op)| (index as u64 + 1, op.clone()));
            placed.rev().filter(|(place, _)| before.is_none_or(|before| *place < before)).take(limit).collect()
        })
    }

    fn ops_by_prefix(&self, prefix: &str, limit: usize) -> Result<Vec<Op>, StoreError> {
        let digits: String = prefix.chars().filter(|c| *c != '-').collect();
        let matches = |op: &&Op| op.id.simple().to_string().starts_with(&digits);
        self.ask(|disk| {
            let mut found: Vec<Op> = disk.ops.iter().filter(matches).cloned().collect();
            found.sort_by_key(|op| op.id);
            found.truncate(limit);
            found
        })
    }

    fn op_to_undo(&self) -> Result<Option<Op>, StoreError> {
        self.ask(|disk| disk.ops.iter().rev().find(|op| op.is_next_to_undo()).cloned())
    }

    fn events_of_op(&self, op: Uuid) -> Result<Vec<StoredEvent>, StoreError> {
        self.ask(|disk| {
            let of_op = disk.stored_events(0).filter_map(|StoredEvent { seq, event }| {
                let event = event.of_task().filter(|event| event.op_id == op)?;
                Some(StoredEvent { seq, event: event.clone() })
            });
            of_op.collect()
        })
    }

    fn deleted(&self, until: Timestamp, limit: usize) -> Result<Vec<(TaskId, Timestamp)>, StoreError> {
        self.ask(|disk| {
            let deleted = disk.tasks.values().filter_map(|entry| Some((entry.task.deleted_at?, &entry.task)));
            let mut deleted: Vec<_> = deleted.filter(|(at, _)| *at <= until).collect();
            deleted.sort_by_key(|(at, task)| (*at, task.number));
            deleted.into_iter().take(limit).map(|(at, task)| (task.id, at)).collect()
        })
    }

    fn commands_failed_since(&self, since: Timestamp, limit: usize) -> Result<(u64, Vec<Snapshot>), StoreError> {
        self.ask(|disk| {
            let mut failed = Vec::new();
            let is_meant = |entry: &&Entry| entry.task.deleted_at.is_none() && entry.task.details.command.is_some();
            for entry in disk.tasks.values().filter(is_meant) {
                for (place, occurrence) in entry.occurrences.iter().enumerate() {
                    if let State::Cancelled(Ended { at, outcome: Outcome::RetriesExhausted }) = occurrence.state
                        && at >= since
                    {
                        let snapshot = Snapshot { task: (*entry.task).clone(), occurrence: (**occurrence).clone() };
                        failed.push(((at, entry.task.number, place), snapshot));
                    }
                }
            }
            failed.sort_by_key(|(order, _)| std::cmp::Reverse(*order));
            let count = failed.len() as u64;
            (count, failed.into_iter().map(|(_, snapshot)| snapshot).take(limit).collect())
        })
    }

    fn run(&self, id: RunId) -> Result<Option<Run>, StoreError> {
        self.ask(|disk| disk.runs.iter().find(|run| run.id == id).cloned())
    }

    fn runs(&self, task: TaskId) -> Result<Vec<Run>, StoreError> {
        self.ask(|disk| disk.runs.iter().filter(|run| run.task == task).cloned().collect())
    }

    fn open_runs(&self) -> Result<Vec<Run>, StoreError> {
        self.ask(|disk| disk.runs.iter().filter(|run| !run.is_over()).cloned().collect())
    }

    fn output(&self, run: RunId) -> Result<Option<Output>, StoreError> {
        self.ask(|disk| disk.outputs.get(&run).cloned())
    }

    fn occurrence(&self, task: TaskId, name: OccurrenceName) -> Result<Option<Occurrence>, StoreError> {
        self.ask(|disk| {
            let mut occurrences = disk.tasks.get(&task)?.occurrences.iter();
            occurrences.find(|occurrence| occurrence.name() == name).map(|occurrence| (**occurrence).clone())
        })
    }

    fn at_hand(&self, now: Timestamp) -> Result<AtHand, StoreError> {
        self.ask(|disk| disk.at_hand(now))
    }

    fn counts(&self) -> Result<Counts, StoreError> {
        self.ask(Disk::counts)
    }

    fn check_room(&self) -> Result<(), StoreError> {
        if self.process().reserve.is_none() { Ok(()) } else { Err(full()) }
    }

    fn backup(&self, to: &Path) -> Result<u64, StoreError> {
        Err(StoreError::Broken { what: "back up to", path: to.display().to_string(), source: Box::new(Breach::NoFile) })
    }

    fn export(&self) -> Result<Box<dyn Export>, StoreError> {
        Err(no_file("export"))
    }

    fn stage(&self) -> Result<Box<dyn Staging>, StoreError> {
        Err(no_file("import into"))
    }

    fn import(&self, _: Staged, _: Rehearsal, _: Timestamp) -> BoxFuture<'static, Result<Imported, StoreError>> {
        Box::pin(async { Err(no_file("import into")) })
    }

    fn import_behind(&self, _: u64) -> Result<Option<RangeInclusive<u64>>, StoreError> {
        Ok(None)
    }

    fn imported_by(&self, _: Uuid) -> Result<Option<Vec<TaskId>>, StoreError> {
        Ok(None)
    }
}

fn no_file(what: &'static str) -> StoreError {
    StoreError::Broken { what, path: "memory".to_owned(), source: Box::new(Breach::NoFile) }
}

fn full() -> StoreError {
    StoreError::Full { path: "memory".to_owned() }
}

fn earliest(snapshots: impl Iterator<Item = Snapshot>) -> Option<Wake> {
    let woken = snapshots.filter_map(|snapshot| {
        let Task { id, version, number, .. } = snapshot.task;
        snapshot.next_wake().map(|at| (number, Wake { at, id, version }))
    });
    woken.min_by_key(|(number, wake)| (wake.at, *number)).map(|(_, wake)| wake)
}

#[cfg(test)]
mod tests {
    use crate::store::conformance::samples::{DEVICE, add_tasks, added, change, everything, snapshot, states};
    use crate::store::conformance::{Fixture, conformance};

    use super::*;

    impl Fixture for MemoryStore {
        type Store = Self;

        fn open() -> Self {
            Self::new(DEVICE)
        }

        fn store(&self) -> &Self {
            self
        }

        fn reopen(self) -> Self {
            Self::reopen(&self)
        }
    }

    conformance! { MemoryStore }

    fn some_change() -> Change {
        change([added(1, &snapshot(1, 13, states().remove(1)))])
    }

    #[tokio::test]
    async fn a_commit_fails_as_often_as_it_was_told_and_writes_nothing() {
        let store = MemoryStore::new(DEVICE);
        let before = everything(&store);
        store.fail_next(StoreError::Full { path: "memory".into() });
        assert!(matches!(store.commit(some_change()).await, Err(StoreError::Full { .. })));
        assert_eq!(everything(&store), before);
        assert!(store.commit(some_change()).await.is_ok());
    }

    #[tokio::test]
    async fn a_paused_commit_is_seen_by_nobody_until_it_is_released() {
        let store = MemoryStore::new(DEVICE);
        store.pause();
        let mut commit = store.commit(some_change());
        assert_eq!(*store.waiting().borrow(), 1);
        assert!(futures_util::poll!(&mut commit).is_pending());
        assert_eq!(store.identity().unwrap().last_seq, 0);
        store.release();
        assert_eq!(commit.await.unwrap().last_seq, 1);
        assert_eq!(*store.waiting().borrow(), 0);
    }

    #[tokio::test]
    async fn paused_commits_are_carried_out_in_order_one_a_step() {
        let store = MemoryStore::new(DEVICE);
        store.pause();
        let (first, second) = (store.commit(some_change()), store.commit(some_change()));
        assert!(store.step());
        assert!(first.await.is_ok());
        assert!(store.step());
        assert!(matches!(second.await, Err(StoreError::Conflict { .. })));
        assert!(!store.step());
    }

    #[tokio::test]
    async fn a_crash_loses_what_waits_and_keeps_what_was_committed() {
        let store = MemoryStore::new(DEVICE);
        add_tasks(&store, 2).await;
        let before = everything(&store);
        store.pause();
        let lost = store.commit(some_change());
        let reopened = MemoryStore::reopen(&store);
        assert!(matches!(lost.await, Err(StoreError::Closed)));
        assert!(matches!(store.commit(some_change()).await, Err(StoreError::Closed)));
        assert!(matches!(store.identity(), Err(StoreError::Closed)));
        assert_eq!(everything(&reopened), before);
    }

    #[tokio::test]
    async fn a_copy_goes_its_own_way() {
        let store = MemoryStore::new(DEVICE);
        let copy = store.copy();
        add_tasks(&store, 1).await;
        assert_eq!(copy.identity().unwrap().last_seq, 0);
        assert_eq!(store.identity().unwrap().last_seq, 1);
    }
}
