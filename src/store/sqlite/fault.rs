//! What goes wrong below the trait, and which [`StoreError`] that is. Nothing here is tried again.

use std::io;

use refinery_core::error::Kind;
use rusqlite::ffi;

use crate::store::StoreError;
use crate::store::sqlite::rows::RowError;
use crate::store::sqlite::schema::BUSY_TIMEOUT;

/// A failure before it is known where the database lies.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Fault {
    /// SQLite said no.
    #[error(transparent)]
    Sqlite(#[from] rusqlite::Error),
    /// The file could not be made.
    #[error(transparent)]
    File(#[from] io::Error),
    /// A row says nothing that this program knows.
    #[error("{row}: {source}")]
    Row {
        /// Which one.
        row: String,
        /// Why.
        source: RowError,
    },
    /// A value does not fit its column.
    #[error(transparent)]
    Value(#[from] RowError),
    /// The schema could not be brought to this version.
    #[error(transparent)]
    Migration(#[from] refinery_core::Error),
    /// It is a database of another program.
    #[error("it is a database of another program")]
    Foreign,
    /// The file system does not take write-ahead logging.
    #[error("expected journal mode wal, found {found}")]
    NoWal {
        /// The mode instead.
        found: String,
    },
    /// The schema is newer.
    #[error("its schema is version {found}, this program knows up to {known}")]
    Newer {
        /// Its version.
        found: u32,
        /// The newest that is known.
        known: u32,
    },
    /// The file is damaged.
    #[error("{found}")]
    Damaged {
        /// What SQLite found.
        found: String,
    },
    /// A task would be left without an occurrence.
    #[error("task {task} would be left without an occurrence")]
    NoOccurrence {
        /// The task.
        task: uuid::Uuid,
    },
    /// The change itself is refused.
    #[error(transparent)]
    Refused(StoreError),
}

impl Fault {
    /// Says in which row a value was not understood.
    pub(crate) fn in_row(self, row: impl FnOnce() -> String) -> Self {
        match self {
            Self::Value(source) => Self::Row { row: row(), source },
            Self::Sqlite(_)
            | Self::File(_)
            | Self::Row { .. }
            | Self::Migration(_)
            | Self::Foreign
            | Self::NoWal { .. }
            | Self::Newer { .. }
            | Self::Damaged { .. }
            | Self::NoOccurrence { .. }
            | Self::Refused(_) => self,
        }
    }

    /// Returns the error of the trait, for an attempt to `what` the database at `path`.
    pub(crate) fn into_store_error(self, what: &'static str, path: &str) -> StoreError {
        let path = path.to_owned();
        if let Some(migration) = self.other_build() {
            return StoreError::OtherBuild { what, path, migration };
        }
        match self {
            Self::Refused(error) => error,
            Self::Newer { found, known } => StoreError::Newer { path, found, known },
            fault if fault.is_full() => StoreError::Full { path },
            fault if fault.is_damage() => StoreError::Damaged { what, path, source: Box::new(fault) },
            fault if fault.is_busy() => StoreError::Broken { what, path, source: Box::new(Busy) },
            fault => StoreError::Broken { what, path, source: Box::new(fault) },
        }
    }

    /// Returns the migration that this program has otherwise than the one that made the database.
    fn other_build(&self) -> Option<String> {
        let Self::Migration(error) = self else { return None };
        match error.kind() {
            Kind::DivergentVersion(applied, _) => Some(applied.to_string()),
            Kind::MissingVersion(migration) => Some(migration.to_string()),
            _ => None,
        }
    }

    /// Returns whether the disk is full.
    pub(crate) fn is_full(&self) -> bool {
        match self {
            Self::Refused(StoreError::Full { .. }) => true,
            Self::Sqlite(error) => is_sqlite_full(error),
            Self::File(error) => is_full(error),
            Self::Migration(error) => migration_error(error).is_some_and(is_sqlite_full),
            Self::Row { .. }
            | Self::Value(_)
            | Self::Foreign
            | Self::NoWal { .. }
            | Self::Newer { .. }
            | Self::Damaged { .. }
            | Self::NoOccurrence { .. }
            | Self::Refused(_) => false,
        }
    }

    /// Returns whether the file itself is at fault.
    pub(crate) fn is_damage(&self) -> bool {
        match self {
            Self::Damaged { .. } => true,
            Self::Sqlite(error) => is_sqlite_damage(error),
            Self::Migration(error) => migration_error(error).is_some_and(is_sqlite_damage),
            Self::File(_)
            | Self::Row { .. }
            | Self::Value(_)
            | Self::Foreign
            | Self::NoWal { .. }
            | Self::Newer { .. }
            | Self::NoOccurrence { .. }
            | Self::Refused(_) => false,
        }
    }

    /// Returns whether another program kept the file to itself for longer than is waited.
    fn is_busy(&self) -> bool {
        let is_busy = |error: &rusqlite::Error| {
            matches!(error.sqlite_error_code(), Some(ffi::ErrorCode::DatabaseBusy | ffi::ErrorCode::DatabaseLocked))
        };
        match self {
            Self::Sqlite(error) => is_busy(error),
            Self::Migration(error) => migration_error(error).is_some_and(is_busy),
            Self::File(_)
            | Self::Row { .. }
            | Self::Value(_)
            | Self::Foreign
            | Self::NoWal { .. }
            | Self::Newer { .. }
            | Self::Damaged { .. }
            | Self::NoOccurrence { .. }
            | Self::Refused(_) => false,
        }
    }
}

/// Another program keeps the file to itself.
#[derive(Debug, thiserror::Error)]
#[error("another program has had the file to itself for {} s", BUSY_TIMEOUT.as_secs())]
struct Busy;

fn migration_error(error: &refinery_core::Error) -> Option<&rusqlite::Error> {
    match error.kind() {
        Kind::Connection(_, source) => source.downcast_ref::<rusqlite::Error>(),
        _ => None,
    }
}

fn is_sqlite_damage(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ffi::ErrorCode::DatabaseCorrupt | ffi::ErrorCode::NotADatabase))
}

/// SQLite turns ENOSPC of a write into FULL; only where it enlarges the shared memory file it says SHMSIZE instead.
fn is_sqlite_full(error: &rusqlite::Error) -> bool {
    error
        .sqlite_error()
        .is_some_and(|error| error.code == ffi::ErrorCode::DiskFull || error.extended_code == ffi::SQLITE_IOERR_SHMSIZE)
}

/// Returns whether the disk, or what the person may use of it, is full.
pub(crate) fn is_full(error: &io::Error) -> bool {
    use io::ErrorKind::{FileTooLarge, QuotaExceeded, StorageFull};
    matches!(error.kind(), StorageFull | QuotaExceeded | FileTooLarge)
}
