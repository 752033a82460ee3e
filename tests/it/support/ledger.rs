//! What the database of a killed daemon must hold. It is read from a copy, so that the next daemon finds the files as
//! the killed one left them.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};

use keiko::domain::delivery::{Delivery, DeliveryId, DeliveryStatus};
use keiko::domain::device_event::AnyEvent;
use keiko::domain::event::{Operation, Snapshot, apply};
use keiko::domain::occurrence::FireId;
use keiko::domain::state::StateName;
use keiko::domain::task::TaskId;
use keiko::store::sqlite::SqliteStore;
use keiko::store::{Store, StoredEvent, Which};
use tempfile::TempDir;
use uuid::Uuid;

use crate::support::users::Acknowledged;

/// What the events have told so far, over all lives of the daemon.
#[derive(Default)]
pub(crate) struct Ledger {
    last_seq: u64,
    rebuilt: HashMap<TaskId, Snapshot>,
    fired: HashSet<FireId>,
    titles: HashSet<String>,
    ops: HashMap<Uuid, Done>,
    resent: HashMap<DeliveryId, usize>,
}

/// What one request came to.
struct Done {
    task: TaskId,
    version: u64,
    state: StateName,
}

/// A copy of a database, opened.
pub(crate) struct Copy {
    store: SqliteStore,
    _directory: TempDir,
}

impl Copy {
    /// Copies the database of a daemon that does not run, and opens it; SQLite must find it sound.
    pub(crate) fn of(data: &Path) -> Self {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("keiko.db");
        for suffix in ["", "-wal"] {
            let from = with_suffix(&data.join("keiko.db"), suffix);
            if from.exists() {
                std::fs::copy(from, with_suffix(&path, suffix)).expect("a copy");
            }
        }
        let connection = rusqlite::Connection::open(&path).expect("a database");
        let check: String = connection.query_row("PRAGMA integrity_check", [], |row| row.get(0)).expect("an answer");
        assert_eq!(check, "ok");
        drop(connection);
        let store = SqliteStore::open(&path, Uuid::nil()).expect("a database of this version");
        Self { store, _directory: directory }
    }

    /// Returns the deliveries that a worker had or was to have.
    pub(crate) fn queued(&self) -> Vec<Delivery> {
        let mut outbox = self.store.outbox().expect("readable");
        outbox.retain(|delivery| delivery.status == DeliveryStatus::Queued);
        outbox
    }

    /// Returns every delivery that there ever was.
    pub(crate) fn deliveries(&self) -> Vec<Delivery> {
        let tasks = self.store.list(Which::All).expect("readable");
        let of = |task: &Snapshot| self.store.deliveries(task.task.id, None).expect("readable");
        tasks.iter().flat_map(of).collect()
    }

    /// Returns every task.
    pub(crate) fn tasks(&self) -> Vec<Snapshot> {
        self.store.list(Which::All).expect("readable")
    }
}

impl Ledger {
    /// Reads what has happened since, and compares it with what the tables hold.
    pub(crate) fn read(&mut self, copy: &Copy) {
        let mut touched = HashSet::new();
        loop {
            let events = copy.store.events_since(self.last_seq, 1000).expect("readable");
            if events.is_empty() {
                break;
            }
            for stored in &events {
                touched.extend(self.take(stored));
            }
        }
        for id in touched {
            let stored = copy.store.snapshot(id).expect("readable");
            assert_eq!(stored.as_ref(), self.rebuilt.get(&id), "the events rebuild what is stored");
        }
    }

    /// Compares all that was ever told with the tables.
    pub(crate) fn compare_all(&self, copy: &Copy) {
        let stored: BTreeMap<TaskId, Snapshot> = copy.tasks().into_iter().map(|task| (task.task.id, task)).collect();
        let rebuilt: BTreeMap<TaskId, Snapshot> = self.rebuilt.clone().into_iter().collect();
        assert_eq!(rebuilt, stored, "the events rebuild what is stored");
    }

    /// Each write that was acknowledged is there, with the version and the state that the answer told.
    pub(crate) fn check_acknowledged(&self, acknowledged: &[Acknowledged]) {
        for one in acknowledged {
            self.check_one(one);
        }
    }

    fn check_one(&self, acknowledged: &Acknowledged) {
        let Acknowledged { op_id, task, version, state, .. } = acknowledged;
        let done = self.ops.get(op_id).unwrap_or_else(|| panic!("an acknowledged write is lost: {acknowledged:?}"));
        assert_eq!((done.task.0, done.version, done.state.as_str()), (*task, *version, state.as_str()));
        let now = self.rebuilt[&done.task].task.version;
        assert!(now >= *version, "task {task} had version {version} and has {now}");
    }

    /// Returns how often the history says of a delivery that it was sent again.
    pub(crate) fn resent(&self, id: &DeliveryId) -> usize {
        self.resent.get(id).copied().unwrap_or_default()
    }

    /// Returns how often the history says so of any.
    pub(crate) fn resent_in_all(&self) -> usize {
        self.resent.values().sum()
    }

    /// Returns how many events there are.
    pub(crate) const fn events(&self) -> u64 {
        self.last_seq
    }

    /// Returns how many firings there are.
    pub(crate) fn firings(&self) -> usize {
        self.fired.len()
    }

    fn take(&mut self, stored: &StoredEvent<AnyEvent>) -> Option<TaskId> {
        self.last_seq += 1;
        assert_eq!(stored.seq, self.last_seq, "seq has no gap");
        let event = stored.event.of_task()?;
        let (id, version) = (event.snapshot.task.id, event.snapshot.task.version);
        let after = apply(self.rebuilt.get(&id), &event.operation, event.at, version);
        assert_eq!(after.as_ref(), Some(&event.snapshot), "replay of {:?}", event.operation);
        if let Some(firing) = event.operation.firing() {
            assert!(self.fired.insert(firing.fire_id), "{} was committed twice (I4)", firing.fire_id);
            assert!(firing.nominal_at <= event.at, "{} fired early", firing.fire_id);
        }
        if let Operation::Added(first) = &event.operation {
            let title = first.task.details.title.clone();
            assert!(self.titles.insert(title.clone()), "{title} was added twice");
        }
        if let Operation::Resent { fire_id, target } = &event.operation {
            *self.resent.entry(DeliveryId { fire_id: *fire_id, target: target.clone() }).or_default() += 1;
        }
        let state = event.snapshot.occurrence.state.name();
        self.ops.insert(event.op_id, Done { task: id, version, state });
        self.rebuilt.insert(id, event.snapshot.clone());
        Some(id)
    }
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}
