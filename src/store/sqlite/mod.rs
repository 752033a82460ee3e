//! The store in one SQLite file: one connection writes, on a thread of its own, and a few others answer questions.
//!
//! Write-ahead logging lets readers see the last committed state while the writer is at work; synchronous=FULL makes a
//! commit outlast a power cut. Two programs never share the file: the daemon's directory lock sees to that.

use std::ops::{Range, RangeInclusive};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::SyncSender;
use std::sync::{Arc, Mutex, PoisonError, TryLockError};
use std::thread::JoinHandle;

use futures_util::future::BoxFuture;
use rusqlite::Connection;
use tokio::sync::oneshot;
use uuid::Uuid;

use crate::domain::breaker::TargetHealth;
use crate::domain::delivery::{Delivery, DeliveryId, Target};
use crate::domain::device_event::{AnyEvent, DeviceEvent};
use crate::domain::event::Snapshot;
use crate::domain::import::{Imported, Rehearsal};
use crate::domain::occurrence::{FireId, Occurrence, OccurrenceName, Spent};
use crate::domain::op::Op;
use crate::domain::outbox::{DeliveryFilter, TargetCount};
use crate::domain::pause::ManyPause;
use crate::domain::run::{Output, Run, RunId};
use crate::domain::state::StateName;
use crate::domain::task::{Number, TaskId};
use crate::domain::time::Timestamp;
use crate::store::archive::{Export, Staged, Staging};
use crate::store::sqlite::archive::export::Exporting;
use crate::store::sqlite::archive::stage::Stager;
use crate::store::sqlite::fault::Fault;
use crate::store::sqlite::readers::Readers;
use crate::store::sqlite::reserve::Reserve;
use crate::store::sqlite::schema::Sharing;
use crate::store::sqlite::writer::Job;
use crate::store::{
    AtHand, Change, Committed, Counts, Identity, OpenKind, RequestSeen, Store, StoreError, StoredEvent, Wake, Which,
};

mod archive;
mod backup;
mod columns;
pub mod damage;
mod device_events;
pub mod examine;
mod fault;
mod ops;
mod outbox;
mod read;
mod readers;
mod reserve;
pub mod restore;
mod rows;
mod runs;
mod schema;
mod volume;
mod write;
mod writer;

/// A store in one SQLite file.
///
/// A change is handed to the writer when `commit` is called, in the order of the calls; dropping the future gives up
/// the answer, not the change. Dropping the store closes it.
#[derive(Debug)]
pub struct SqliteStore {
    path: String,
    readers: Readers,
    reserve: Arc<Mutex<Reserve>>,
    /// Whether there was room when that was last looked at.
    had_room: AtomicBool,
    jobs: SyncSender<Job>,
    /// Whether an import is under way.
    importing: Arc<AtomicBool>,
    writer: Mutex<Option<JoinHandle<()>>>,
}

impl SqliteStore {
    /// Opens the database at `path`, making it (for its owner only) or migrating it where needed.
    ///
    /// `device` names this installation where the database is new, and is not looked at otherwise: a UUIDv7 holds the
    /// time, and a store reads no clock. The directory must exist.
    ///
    /// Where the disk is full, an existing database opens all the same, but with one connection for all: questions
    /// then wait for the writer, until the database is opened anew.
    ///
    /// # Errors
    /// The schema is newer, and the file is then as it was; or the file cannot be opened, is no such database, or the
    /// disk is full.
    pub fn open(path: &Path, device: Uuid) -> Result<Self, StoreError> {
        let sharing = Sharing::at(path).map_err(Fault::from);
        let opened = sharing.and_then(|sharing| Self::open_as(path, device, sharing));
        opened.map_err(|fault| fault.into_store_error("open", &path.display().to_string()))
    }

    fn open_as(path: &Path, device: Uuid, sharing: Sharing) -> Result<Self, Fault> {
        let connection = Arc::new(Mutex::new(schema::open(path, device, sharing)?));
        let only = (sharing == Sharing::Alone).then(|| Arc::clone(&connection));
        // Behind the database itself, which goes first where there is little room.
        let mut reserve = Reserve::keep(path);
        let had_room = AtomicBool::new(reserve.has_room());
        let reserve = Arc::new(Mutex::new(reserve));
        let (jobs, thread) = writer::start(connection, Arc::clone(&reserve), path.display().to_string())?;
        let readers = Readers::new(path.to_owned(), only);
        archive::stage::clear(path);
        Ok(Self {
            path: path.display().to_string(),
            readers,
            reserve,
            had_room,
            jobs,
            importing: Arc::default(),
            writer: Mutex::new(Some(thread)),
        })
    }

    /// Sets free what is kept in reserve beside the database at `path`, for what a start must write on a full disk. The
    /// store that is opened then takes it back as soon as there is room.
    ///
    /// # Errors
    /// There is none, or it cannot be removed.
    pub fn give_up_reserve(path: &Path) -> std::io::Result<()> {
        std::fs::remove_file(Reserve::path_of(path))
    }

    /// Returns the version of the schema that an open database has.
    #[must_use]
    pub fn schema_version() -> u32 {
        schema::known_version()
    }

    /// Closes the store: what was handed over is written, the log is merged into the file, later calls are refused.
    ///
    /// Blocks until that is done; on an async thread this belongs into `spawn_blocking`.
    pub fn close(&self) {
        // Readers first, so that the checkpoint finds nobody who still needs the log.
        self.readers.close();
        let thread = self.writer.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(thread) = thread {
            // An error means that the writer has ended, which is what is wanted.
            let _ = self.jobs.send(Job::Close);
            let _ = thread.join();
        }
    }

    /// Returns whether there is room; while something is written, whether there was when it was last looked.
    fn has_room(&self) -> bool {
        let mut reserve = match self.reserve.try_lock() {
            Ok(reserve) => reserve,
            Err(TryLockError::Poisoned(reserve)) => reserve.into_inner(),
            Err(TryLockError::WouldBlock) => return self.had_room.load(Ordering::Relaxed),
        };
        let has_room = reserve.has_room();
        self.had_room.store(has_room, Ordering::Relaxed);
        has_room
    }

    fn ask<T>(&self, question: impl FnOnce(&Connection) -> Result<T, Fault>) -> Result<T, StoreError> {
        self.readers.ask(question).map_err(|fault| fault.into_store_error("read", &self.path))
    }
}

impl Drop for SqliteStore {
    fn drop(&mut self) {
        self.close();
    }
}

impl Store for SqliteStore {
    fn commit(&self, change: Change) -> BoxFuture<'static, Result<Committed, StoreError>> {
        let (sender, answer) = oneshot::channel();
        let handed_over = self.jobs.send(Job::Commit(Box::new(change), sender));
        Box::pin(async move {
            if handed_over.is_err() {
                return Err(StoreError::Closed);
            }
            answer.await.unwrap_or(Err(StoreError::Closed))
        })
    }

    fn identity(&self) -> Result<Identity, StoreError> {
        self.ask(read::identity)
    }

    fn wakes(&self) -> Result<Vec<Wake>, StoreError> {
        self.ask(read::wakes)
    }

    fn next_wake(&self) -> Result<Option<Wake>, StoreError> {
        self.ask(read::next_wake)
    }

    fn next_coming(&self) -> Result<Option<Wake>, StoreError> {
        self.ask(read::next_coming)
    }

    fn snapshots(&self, ids: &[TaskId]) -> Result<Vec<Snapshot>, StoreError> {
        self.ask(|connection| read::snapshots(connection, ids))
    }

    fn snapshot(&self, id: TaskId) -> Result<Option<Snapshot>, StoreError> {
        self.ask(|connection| read::snapshot(connection, id))
    }

    fn by_number(&self, number: Number) -> Result<Option<TaskId>, StoreError> {
        self.ask(|connection| read::by_number(connection, number))
    }

    fn dependents(&self, parent: TaskId) -> Result<Vec<TaskId>, StoreError> {
        self.ask(|connection| read::dependents(connection, parent))
    }

    fn untold(&self) -> Result<Vec<(TaskId, TaskId)>, StoreError> {
        self.ask(read::untold)
    }

    fn by_id_prefix(&self, prefix: &str, limit: usize) -> Result<Vec<TaskId>, StoreError> {
        self.ask(|connection| read::by_id_prefix(connection, prefix, limit))
    }

    fn list(&self, which: Which) -> Result<Vec<Snapshot>, StoreError> {
        self.list_after(which, Number(0), usize::MAX)
    }

    fn titles(&self, which: Which) -> Result<Vec<(TaskId, String)>, StoreError> {
        self.ask(|connection| read::titles(connection, which))
    }

    fn list_after(&self, which: Which, after: Number, limit: usize) -> Result<Vec<Snapshot>, StoreError> {
        self.ask(|connection| read::list(connection, which, after, limit))
    }

    fn open_numbers(&self, kind: OpenKind) -> Result<Vec<(Number, StateName)>, StoreError> {
        self.ask(|connection| read::open_numbers(connection, kind))
    }

    fn open_tags(&self) -> Result<Vec<String>, StoreError> {
        self.ask(read::open_tags)
    }

    fn history(&self, id: TaskId) -> Result<Vec<StoredEvent>, StoreError> {
        self.history_since(id, 0, usize::MAX)
    }

    fn history_since(&self, id: TaskId, cursor: u64, limit: usize) -> Result<Vec<StoredEvent>, StoreError> {
        self.ask(|connection| read::history(connection, id, cursor, limit))
    }

    fn history_before(
        &self,
        id: TaskId,
        before: u64,
        during: Range<Timestamp>,
        limit: usize,
    ) -> Result<Vec<StoredEvent>, StoreError> {
        self.ask(|connection| read::history_before(connection, id, before, &during, limit))
    }

    fn events_since(&self, cursor: u64, limit: usize) -> Result<Vec<StoredEvent<AnyEvent>>, StoreError> {
        self.ask(|connection| device_events::all_since(connection, cursor, limit))
    }

    fn device_events(&self, from: Timestamp, to: Timestamp) -> Result<Vec<StoredEvent<DeviceEvent>>, StoreError> {
        self.ask(|connection| device_events::between(connection, from, to))
    }

    fn spent(&self, since: Timestamp) -> Result<Vec<(TaskId, Spent)>, StoreError> {
        self.ask(|connection| read::spent(connection, since))
    }

    fn delivery(&self, id: &DeliveryId) -> Result<Option<Delivery>, StoreError> {
        self.ask(|connection| outbox::delivery(connection, id))
    }

    fn deliveries(&self, task: TaskId, occurrence: Option<OccurrenceName>) -> Result<Vec<Delivery>, StoreError> {
        self.ask(|connection| outbox::deliveries(connection, task, occurrence))
    }

    fn deliveries_of(&self, firings: &[FireId]) -> Result<Vec<Delivery>, StoreError> {
        self.ask(|connection| outbox::of_firings(connection, firings))
    }

    fn outbox(&self) -> Result<Vec<Delivery>, StoreError> {
        self.ask(outbox::outbox)
    }

    fn held(&self, target: &Target, limit: usize) -> Result<Vec<Delivery>, StoreError> {
        self.ask(|connection| outbox::held(connection, target, limit))
    }

    fn deliveries_after(
        &self,
        which: &DeliveryFilter,
        after: u64,
        limit: usize,
    ) -> Result<Vec<(u64, Delivery)>, StoreError> {
        self.ask(|connection| outbox::page(connection, which, after, limit))
    }

    fn members(&self, digest: &DeliveryId) -> Result<Vec<Delivery>, StoreError> {
        self.ask(|connection| outbox::members(connection, digest))
    }

    fn skipped_since(&self, since: Timestamp, limit: usize) -> Result<(u64, Vec<StoredEvent>), StoreError> {
        self.ask(|connection| read::skipped_since(connection, since, limit))
    }

    fn failed_since(&self, since: Timestamp, limit: usize) -> Result<(u64, Vec<Delivery>), StoreError> {
        self.ask(|connection| outbox::failed_since(connection, since, limit))
    }

    fn counts_by_target(&self) -> Result<Vec<TargetCount>, StoreError> {
        self.ask(outbox::counts_by_target)
    }

    fn targets(&self) -> Result<Vec<TargetHealth>, StoreError> {
        self.ask(outbox::targets)
    }

    fn pauses(&self) -> Result<Vec<ManyPause>, StoreError> {
        self.ask(read::pauses)
    }

    fn request(&self, key: &str) -> Result<Option<RequestSeen>, StoreError> {
        self.ask(|connection| read::request(connection, key))
    }

    fn ops(&self, before: Option<u64>, limit: usize) -> Result<Vec<(u64, Op)>, StoreError> {
        self.ask(|connection| ops::page(connection, before, limit))
    }

    fn ops_by_prefix(&self, prefix: &str, limit: usize) -> Result<Vec<Op>, StoreError> {
        self.ask(|connection| ops::by_prefix(connection, prefix, limit))
    }

    fn op_to_undo(&self) -> Result<Option<Op>, StoreError> {
        self.ask(ops::to_undo)
    }

    fn events_of_op(&self, op: Uuid) -> Result<Vec<StoredEvent>, StoreError> {
        self.ask(|connection| ops::events(connection, op))
    }

    fn deleted(&self, until: Timestamp, limit: usize) -> Result<Vec<(TaskId, Timestamp)>, StoreError> {
        self.ask(|connection| ops::deleted(connection, until, limit))
    }

    fn commands_failed_since(&self, since: Timestamp, limit: usize) -> Result<(u64, Vec<Snapshot>), StoreError> {
        self.ask(|connection| runs::failed_since(connection, since, limit))
    }

    fn run(&self, id: RunId) -> Result<Option<Run>, StoreError> {
        self.ask(|connection| runs::run(connection, id))
    }

    fn runs(&self, task: TaskId) -> Result<Vec<Run>, StoreError> {
        self.ask(|connection| runs::of_task(connection, task))
    }

    fn open_runs(&self) -> Result<Vec<Run>, StoreError> {
        self.ask(runs::open)
    }

    fn output(&self, run: RunId) -> Result<Option<Output>, StoreError> {
        self.ask(|connection| runs::output(connection, run))
    }

    fn occurrence(&self, task: TaskId, name: OccurrenceName) -> Result<Option<Occurrence>, StoreError> {
        self.ask(|connection| read::present(connection, task, Some(name)))
    }

    fn at_hand(&self, now: Timestamp) -> Result<AtHand, StoreError> {
        self.ask(|connection| read::at_hand(connection, now))
    }

    fn counts(&self) -> Result<Counts, StoreError> {
        self.ask(read::counts)
    }

    fn check_room(&self) -> Result<(), StoreError> {
        if self.has_room() { Ok(()) } else { Err(StoreError::Full { path: self.path.clone() }) }
    }

    fn backup(&self, to: &Path) -> Result<u64, StoreError> {
        let outcome = self.readers.ask(|connection| backup::copy(connection, to));
        outcome.map_err(|fault| fault.into_store_error("back up to", &to.display().to_string()))
    }

    fn export(&self) -> Result<Box<dyn Export>, StoreError> {
        match Exporting::begin(Path::new(&self.path)) {
            Ok(export) => Ok(Box::new(export)),
            Err(fault) => Err(fault.into_store_error("read", &self.path)),
        }
    }

    fn stage(&self) -> Result<Box<dyn Staging>, StoreError> {
        self.check_room()?;
        match Stager::begin(Path::new(&self.path), &self.importing) {
            Ok(staging) => Ok(Box::new(staging)),
            Err(fault) => Err(fault.into_store_error("import into", &self.path)),
        }
    }

    fn import(
        &self,
        staged: Staged,
        rehearsal: Rehearsal,
        at: Timestamp,
    ) -> BoxFuture<'static, Result<Imported, StoreError>> {
        let (sender, answer) = oneshot::channel();
        let handed_over = self.jobs.send(Job::Import { staged, rehearsal, at, answer: sender });
        Box::pin(async move {
            if handed_over.is_err() {
                return Err(StoreError::Closed);
            }
            answer.await.unwrap_or(Err(StoreError::Closed))
        })
    }

    fn import_behind(&self, seq: u64) -> Result<Option<RangeInclusive<u64>>, StoreError> {
        self.ask(|connection| read::import_behind(connection, seq))
    }

    fn imported_by(&self, op: Uuid) -> Result<Option<Vec<TaskId>>, StoreError> {
        self.ask(|connection| read::imported_by(connection, op))
    }
}

#[cfg(test)]
mod tests;
