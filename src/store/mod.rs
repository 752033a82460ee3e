//! Where tasks, events and the outbox are kept. A store writes one [`Change`] whole or nothing, and decides nothing.

use std::ops::{Range, RangeInclusive};
use std::path::Path;

use futures_util::future::BoxFuture;
use uuid::Uuid;

use crate::domain::breaker::TargetHealth;
use crate::domain::delivery::{Delivery, DeliveryId, Target};
use crate::domain::device_event::{AnyEvent, DeviceEvent};
use crate::domain::event::{Event, Snapshot};
use crate::domain::import::{Imported, Rehearsal};
use crate::domain::occurrence::{FireId, Occurrence, OccurrenceName, Spent};
use crate::domain::op::Op;
use crate::domain::outbox::{DeliveryFilter, TargetCount};
use crate::domain::pause::ManyPause;
use crate::domain::quiet::Away;
use crate::domain::run::{Output, Run, RunId};
use crate::domain::state::StateName;
use crate::domain::task::{Number, TaskId};
use crate::domain::time::Timestamp;
use crate::store::archive::{Export, Staged, Staging};

pub use crate::store::error::StoreError;

pub mod archive;
mod error;
pub mod memory;
pub mod sqlite;

#[cfg(test)]
mod conformance;

/// Keeps everything that outlives the process.
///
/// `commit` is called by the one loop only; the questions are answered from the last committed state, block for as long
/// as a read takes, and never wait for the writer.
pub trait Store: Send + Sync + 'static {
    /// Writes a change in one durable transaction, or nothing of it.
    fn commit(&self, change: Change) -> BoxFuture<'static, Result<Committed, StoreError>>;

    /// Returns what a start needs to know.
    ///
    /// # Errors
    /// The store cannot be read.
    fn identity(&self) -> Result<Identity, StoreError>;

    /// Returns every task that the clock has something to do for, in no order.
    ///
    /// # Errors
    /// The store cannot be read.
    fn wakes(&self) -> Result<Vec<Wake>, StoreError>;

    /// Returns the earliest of [`Store::wakes`], of several of one time that of the task with the lowest number.
    ///
    /// # Errors
    /// The store cannot be read.
    fn next_wake(&self) -> Result<Option<Wake>, StoreError>;

    /// As [`Store::next_wake`], of the tasks that have not come up: what is due already may nag, and that is nothing that comes.
    ///
    /// # Errors
    /// The store cannot be read.
    fn next_coming(&self) -> Result<Option<Wake>, StoreError>;

    /// Returns those of many tasks that are there, each as [`Store::snapshot`] does, all of one moment.
    ///
    /// # Errors
    /// The store cannot be read.
    fn snapshots(&self, ids: &[TaskId]) -> Result<Vec<Snapshot>, StoreError>;

    /// Returns a task with its present occurrence: the one that was opened last.
    ///
    /// # Errors
    /// The store cannot be read.
    fn snapshot(&self, id: TaskId) -> Result<Option<Snapshot>, StoreError>;

    /// Returns the task of a number, also of one that was purged: it is then all that is left of it.
    ///
    /// # Errors
    /// The store cannot be read.
    fn by_number(&self, number: Number) -> Result<Option<TaskId>, StoreError>;

    /// Returns the tasks whose id begins with `prefix` (lower case, with or without hyphens), at most `limit`.
    ///
    /// # Errors
    /// The store cannot be read.
    fn by_id_prefix(&self, prefix: &str, limit: usize) -> Result<Vec<TaskId>, StoreError>;

    /// Returns tasks with their present occurrences, ordered by number; deleted ones are left out.
    ///
    /// # Errors
    /// The store cannot be read.
    fn list(&self, which: Which) -> Result<Vec<Snapshot>, StoreError>;

    /// Returns the tasks whose number is above `after`, as [`Store::list`] does, at most `limit`.
    ///
    /// # Errors
    /// The store cannot be read.
    fn list_after(&self, which: Which, after: Number, limit: usize) -> Result<Vec<Snapshot>, StoreError>;

    /// Returns the numbers of the open tasks of a kind, ordered, each with the state of its present occurrence.
    ///
    /// # Errors
    /// The store cannot be read.
    fn open_numbers(&self, kind: OpenKind) -> Result<Vec<(Number, StateName)>, StoreError>;

    /// Returns the tags of the open tasks, each once, ordered.
    ///
    /// # Errors
    /// The store cannot be read.
    fn open_tags(&self) -> Result<Vec<String>, StoreError>;

    /// Returns the tasks whose present occurrence has not ended and that were told to wait for `parent`, ordered by
    /// number; some of them may not wait any more.
    ///
    /// # Errors
    /// The store cannot be read.
    fn dependents(&self, parent: TaskId) -> Result<Vec<TaskId>, StoreError>;

    /// Returns each open task, with one that it was told to wait for, where nobody will tell it of that any more: that is not
    /// there, or has ended while the task still waits. Some of them may know it already.
    ///
    /// # Errors
    /// The store cannot be read.
    fn untold(&self) -> Result<Vec<(TaskId, TaskId)>, StoreError>;

    /// Returns the events of a task, oldest first.
    ///
    /// # Errors
    /// The store cannot be read.
    fn history(&self, id: TaskId) -> Result<Vec<StoredEvent>, StoreError>;

    /// Returns the events of a task behind `cursor`, oldest first, at most `limit`.
    ///
    /// # Errors
    /// The store cannot be read.
    fn history_since(&self, id: TaskId, cursor: u64, limit: usize) -> Result<Vec<StoredEvent>, StoreError>;

    /// Returns the latest events of a task before the place `before`, of those that happened within `during`, oldest
    /// first, at most `limit`.
    ///
    /// # Errors
    /// The store cannot be read.
    fn history_before(
        &self,
        id: TaskId,
        before: u64,
        during: Range<Timestamp>,
        limit: usize,
    ) -> Result<Vec<StoredEvent>, StoreError>;

    /// Returns the events behind `cursor` (0: from the first), of tasks and of devices, oldest first, at most `limit`.
    ///
    /// # Errors
    /// The store cannot be read.
    fn events_since(&self, cursor: u64, limit: usize) -> Result<Vec<StoredEvent<AnyEvent>>, StoreError>;

    /// Returns the events of devices that bear a time from `from` to `to`, both included, in the order in which they were
    /// written: after a clock was set back that is not the order of their times.
    ///
    /// # Errors
    /// The store cannot be read.
    fn device_events(&self, from: Timestamp, to: Timestamp) -> Result<Vec<StoredEvent<DeviceEvent>>, StoreError>;

    /// Returns the instances of repeating tasks that were due after `since` and do not come up again: those that have
    /// ended, and those that a person passed over. Sorted, each once.
    ///
    /// # Errors
    /// The store cannot be read.
    fn spent(&self, since: Timestamp) -> Result<Vec<(TaskId, Spent)>, StoreError>;

    /// Returns a delivery.
    ///
    /// # Errors
    /// The store cannot be read.
    fn delivery(&self, id: &DeliveryId) -> Result<Option<Delivery>, StoreError>;

    /// Returns the deliveries of one occurrence, or of all of a task where `occurrence` is `None`, oldest first.
    ///
    /// # Errors
    /// The store cannot be read.
    fn deliveries(&self, task: TaskId, occurrence: Option<OccurrenceName>) -> Result<Vec<Delivery>, StoreError>;

    /// Returns the deliveries of firings, firing by firing.
    ///
    /// # Errors
    /// The store cannot be read.
    fn deliveries_of(&self, firings: &[FireId]) -> Result<Vec<Delivery>, StoreError>;

    /// Returns the deliveries that are not final, oldest first.
    ///
    /// # Errors
    /// The store cannot be read.
    fn outbox(&self) -> Result<Vec<Delivery>, StoreError>;

    /// Returns the deliveries that are held for a target, oldest first, at most `limit`.
    ///
    /// # Errors
    /// The store cannot be read.
    fn held(&self, target: &Target, limit: usize) -> Result<Vec<Delivery>, StoreError>;

    /// Returns deliveries behind the place `after` (0: from the first) in the order of their places, at most `limit`.
    ///
    /// Those of a task, those that are not final and those that failed are found at once; for others all are looked at.
    ///
    /// # Errors
    /// The store cannot be read.
    fn deliveries_after(
        &self,
        which: &DeliveryFilter,
        after: u64,
        limit: usize,
    ) -> Result<Vec<(u64, Delivery)>, StoreError>;

    /// Returns the deliveries that a digest tells of, in the order of their places.
    ///
    /// # Errors
    /// The store cannot be read.
    fn members(&self, digest: &DeliveryId) -> Result<Vec<Delivery>, StoreError>;

    /// Returns how many events at `since` or later say that times were skipped, and the latest of them, latest first, at
    /// most `limit`.
    ///
    /// # Errors
    /// The store cannot be read.
    fn skipped_since(&self, since: Timestamp, limit: usize) -> Result<(u64, Vec<StoredEvent>), StoreError>;

    /// Returns how many deliveries failed for good at `since` or later, and the latest of them, latest first, at most
    /// `limit`. What failed is made up for where a later one of its occurrence was delivered to the same target.
    ///
    /// # Errors
    /// The store cannot be read.
    fn failed_since(&self, since: Timestamp, limit: usize) -> Result<(u64, Vec<Delivery>), StoreError>;

    /// Returns how many deliveries that are not final each target has in each status, in order; none where there are none.
    ///
    /// # Errors
    /// The store cannot be read.
    fn counts_by_target(&self) -> Result<Vec<TargetCount>, StoreError>;

    /// Returns the targets of which anything was noted, in order.
    ///
    /// # Errors
    /// The store cannot be read.
    fn targets(&self) -> Result<Vec<TargetHealth>, StoreError>;

    /// Returns the pauses of many tasks that stand, the oldest first.
    ///
    /// # Errors
    /// The store cannot be read.
    fn pauses(&self) -> Result<Vec<ManyPause>, StoreError>;

    /// Returns what a request of this idempotency key did.
    ///
    /// # Errors
    /// The store cannot be read.
    fn request(&self, key: &str) -> Result<Option<RequestSeen>, StoreError>;

    /// Returns the operations before the place `before` (`None`: from the latest), with their places, latest first, at most
    /// `limit`.
    ///
    /// # Errors
    /// The store cannot be read.
    fn ops(&self, before: Option<u64>, limit: usize) -> Result<Vec<(u64, Op)>, StoreError>;

    /// Returns the operations whose id begins with `prefix` (lower case, with or without hyphens), at most `limit`.
    ///
    /// # Errors
    /// The store cannot be read.
    fn ops_by_prefix(&self, prefix: &str, limit: usize) -> Result<Vec<Op>, StoreError>;

    /// Returns the latest operation that a bare undo means ([`Op::is_next_to_undo`]).
    ///
    /// # Errors
    /// The store cannot be read.
    fn op_to_undo(&self) -> Result<Option<Op>, StoreError>;

    /// Returns the events of an operation, oldest first.
    ///
    /// # Errors
    /// The store cannot be read.
    fn events_of_op(&self, op: Uuid) -> Result<Vec<StoredEvent>, StoreError>;

    /// Returns the tasks that were deleted at `until` or before, with when, the earliest first, at most `limit`.
    ///
    /// # Errors
    /// The store cannot be read.
    fn deleted(&self, until: Timestamp, limit: usize) -> Result<Vec<(TaskId, Timestamp)>, StoreError>;

    /// Returns how many occurrences of tasks with a command failed for good at `since` or later, and the latest of them, latest
    /// first, at most `limit`, each with its task. Of deleted tasks there are none.
    ///
    /// # Errors
    /// The store cannot be read.
    fn commands_failed_since(&self, since: Timestamp, limit: usize) -> Result<(u64, Vec<Snapshot>), StoreError>;

    /// Returns the ids and titles of tasks that are not deleted, in the order of their numbers: many at little cost, to find one by
    /// its title.
    ///
    /// # Errors
    /// The store cannot be read.
    fn titles(&self, which: Which) -> Result<Vec<(TaskId, String)>, StoreError>;

    /// Returns a run.
    ///
    /// # Errors
    /// The store cannot be read.
    fn run(&self, id: RunId) -> Result<Option<Run>, StoreError>;

    /// Returns the runs of a task that are kept, in the order in which they were decided on.
    ///
    /// # Errors
    /// The store cannot be read.
    fn runs(&self, task: TaskId) -> Result<Vec<Run>, StoreError>;

    /// Returns the runs that are not over, in the order in which they were decided on.
    ///
    /// # Errors
    /// The store cannot be read.
    fn open_runs(&self) -> Result<Vec<Run>, StoreError>;

    /// Returns what a run said, once it is over.
    ///
    /// # Errors
    /// The store cannot be read.
    fn output(&self, run: RunId) -> Result<Option<Output>, StoreError>;

    /// Returns an occurrence of a task.
    ///
    /// # Errors
    /// The store cannot be read.
    fn occurrence(&self, task: TaskId, name: OccurrenceName) -> Result<Option<Occurrence>, StoreError>;

    /// Returns how many tasks ask for the person, and the most important of them: no more of each is read than that takes.
    ///
    /// # Errors
    /// The store cannot be read.
    fn at_hand(&self, now: Timestamp) -> Result<AtHand, StoreError>;

    /// Returns how many tasks are in each state and the like; deleted ones are not counted.
    ///
    /// # Errors
    /// The store cannot be read.
    fn counts(&self) -> Result<Counts, StoreError>;

    /// Looks whether a change of [`Room::Free`] finds room now.
    ///
    /// # Errors
    /// The disk is full.
    fn check_room(&self) -> Result<(), StoreError>;

    /// Copies what is committed into a new file, checks the copy, and returns its length in bytes.
    ///
    /// # Errors
    /// There is a file of that name, the store cannot be read, or the copy cannot be written.
    fn backup(&self, to: &Path) -> Result<u64, StoreError>;

    /// Returns all that is committed as lines of JSON, as it is at this moment.
    ///
    /// # Errors
    /// The store cannot be read, or not apart from its writer.
    fn export(&self) -> Result<Box<dyn Export>, StoreError>;

    /// Begins to take lines of an export, apart from what the store holds.
    ///
    /// # Errors
    /// Another import is under way, or there is no room.
    fn stage(&self) -> Result<Box<dyn Staging>, StoreError>;

    /// Brings in what is staged, in one durable transaction or not at all, or tells what that would be. Tasks that are here
    /// already stay as they are; into a store that never held anything all comes in, settings too.
    ///
    /// What was planned by what the store held before is to be planned anew.
    fn import(
        &self,
        staged: Staged,
        rehearsal: Rehearsal,
        at: Timestamp,
    ) -> BoxFuture<'static, Result<Imported, StoreError>>;

    /// Returns the places, the first and the last, of the events that came in with the next import behind a place or around
    /// it, `None` where all behind it happened here.
    ///
    /// # Errors
    /// The store cannot be read.
    fn import_behind(&self, seq: u64) -> Result<Option<RangeInclusive<u64>>, StoreError>;

    /// Returns the tasks that came in with an import, by the name of its operation; `None` where none of that name was made
    /// here.
    ///
    /// # Errors
    /// The store cannot be read.
    fn imported_by(&self, op: Uuid) -> Result<Option<Vec<TaskId>>, StoreError>;
}

/// How many runs of a task are kept once they are over, with what they said.
pub const RUNS_KEPT: usize = 20;

/// What is written at once.
///
/// The events carry their tasks and occurrences whole: those rows are written from the snapshots, in order, so what an
/// event says and what the tables hold cannot differ. An event whose operation is `Withdrawn` removes its occurrence.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Change {
    /// What happened to this device; `seq` is given to these first, since what happened to tasks follows from it.
    pub device_events: Vec<DeviceEvent>,
    /// In the order in which they happened; `seq` is given to them in this order.
    ///
    /// The first event of a task must carry the version behind the stored one (1 for a task that is not stored), else
    /// the whole change is a [`StoreError::Conflict`].
    pub events: Vec<Event>,
    /// Deliveries as they are now, new or changed.
    pub deliveries: Vec<Delivery>,
    /// Runs as they are now, new or changed. Of those that are over the latest [`RUNS_KEPT`] of a task are kept, and all of the
    /// occurrence that the latest is of.
    pub runs: Vec<Run>,
    /// What runs have said.
    pub outputs: Vec<(RunId, Output)>,
    /// Operations as they are now, new or changed.
    pub ops: Vec<Op>,
    /// Deleted tasks that go for ever, but for their events; their ids stay dead.
    pub purged: Vec<TaskId>,
    /// Targets as they are now, new or changed.
    pub targets: Vec<TargetHealth>,
    /// Requests with an idempotency key.
    pub requests: Vec<RequestSeen>,
    /// The pauses of many tasks that stand now, where that changed.
    pub pauses: Option<Vec<ManyPause>>,
    /// The zone that floating times were last resolved in, where it changed.
    pub zone: Option<String>,
    /// The notification server that popups are now shown by, where it changed.
    pub shown_by: Option<String>,
    /// Until when the person is away, where that changed; `None` within: not any more.
    pub away: Option<Option<Away>>,
    /// Which room it may take.
    pub room: Room,
}

/// Which room on the disk a change may take.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Room {
    /// What is free. On a full disk the change is refused, so that what people write takes nothing from what is due.
    #[default]
    Free,
    /// Also what is kept in reserve: for firings, and for what becomes of them.
    Reserve,
}

/// What a commit gave.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Committed {
    /// The `seq` of the last event in the store after the commit.
    pub last_seq: u64,
}

/// What a start needs to know.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Identity {
    /// This installation (`UUIDv7`), made with the database.
    pub device: Uuid,
    /// The number of the next task: one more than the highest ever given.
    pub next_number: Number,
    /// The `seq` of the last event, 0 before the first.
    pub last_seq: u64,
    /// The zone that floating times were last resolved in.
    pub zone: Option<String>,
    /// The notification server that popups were last shown by.
    pub shown_by: Option<String>,
    /// Until when the person is or was away.
    pub away: Option<Away>,
}

/// When the clock has something to do for a task.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Wake {
    /// When ([`Snapshot::next_wake`]).
    pub at: Timestamp,
    /// The task.
    pub id: TaskId,
    /// The version of the task for which this holds.
    pub version: u64,
}

/// Which tasks a list has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Which {
    /// Those whose present occurrence has not ended.
    Open,
    /// All.
    All,
}

/// Which open tasks are looked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OpenKind {
    /// All.
    Any,
    /// Those that repeat.
    Series,
    /// Those that run a command.
    Command,
    /// Those that were told to wait for others; some of them may not wait any more.
    Waiting,
}

/// An event with its place in this store.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StoredEvent<E = Event> {
    /// One counter for the whole store, from 1, without gaps.
    pub seq: u64,
    /// The event.
    pub event: E,
}

/// A request that carried an idempotency key.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RequestSeen {
    /// The key.
    pub key: String,
    /// The method.
    pub method: String,
    /// The task that it made or changed.
    pub task: TaskId,
    /// When.
    pub at: Timestamp,
}

/// What came up and has not ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct AtHand {
    /// How many are due and not seen.
    pub due: u64,
    /// How many of those came up late.
    pub late: u64,
    /// How many are seen and not done.
    pub seen: u64,
    /// How many are due and held for quiet hours.
    pub held: u64,
    /// How many commands run.
    pub commands: u64,
    /// The most important of those that are due; of several the one that came up first.
    pub first: Option<TaskId>,
}

/// How many there are.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counts {
    /// CREATED.
    pub created: u64,
    /// PENDING.
    pub pending: u64,
    /// RUNNING.
    pub running: u64,
    /// SUSPENDED.
    pub suspended: u64,
    /// FAILED.
    pub failed: u64,
    /// COMPLETED or CANCELLED.
    pub ended: u64,
    /// Deliveries that are not final.
    pub outbox: u64,
    /// Those of them that are held since their target fails or is paused.
    pub held: u64,
}
