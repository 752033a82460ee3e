//! What only a store in a file can show: its file, its threads, and that it agrees with the store in memory.

use std::path::PathBuf;

use tempfile::TempDir;

use crate::store::conformance::samples::DEVICE;
use crate::store::conformance::{Fixture, conformance};

use super::*;

struct InDirectory {
    store: SqliteStore,
    directory: TempDir,
}

impl InDirectory {
    fn path(&self) -> PathBuf {
        self.directory.path().join("keiko.db")
    }
}

impl Fixture for InDirectory {
    type Store = SqliteStore;

    fn open() -> Self {
        let directory = tempfile::tempdir().unwrap();
        Self { store: SqliteStore::open(&directory.path().join("keiko.db"), DEVICE).unwrap(), directory }
    }

    fn store(&self) -> &SqliteStore {
        &self.store
    }

    fn reopen(self) -> Self {
        let path = self.path();
        drop(self.store);
        // Another device id, which an existing database must not take.
        let store = SqliteStore::open(&path, Uuid::from_u128(99)).unwrap();
        Self { store, directory: self.directory }
    }
}

conformance! { InDirectory }
