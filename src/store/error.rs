//! Why could a store not do what it was asked?

use uuid::Uuid;

use crate::domain::task::TaskId;

/// Why a store could not do what it was asked. Nothing of the change was written.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Another change came first.
    #[error("cannot write task {id}: expected stored version {expected}, found {found:?}")]
    Conflict {
        /// The task.
        id: TaskId,
        /// The version that the change builds on, 0 for a new task.
        expected: u64,
        /// The stored version, `None` where the task is not stored.
        found: Option<u64>,
    },
    /// The task was purged, and its id is dead for ever.
    #[error("cannot write task {id}: it was deleted for good")]
    Dead {
        /// The task.
        id: TaskId,
    },
    /// A firing was committed before.
    #[error("cannot write firing {fire_id}: it was committed before")]
    FiredBefore {
        /// The firing.
        fire_id: Uuid,
    },
    /// The disk is full.
    #[error("cannot write {path}: the disk is full, no space left on the device")]
    Full {
        /// The database.
        path: String,
    },
    /// The database is of a newer program.
    #[error("cannot open {path}: its schema is version {found}, this program knows up to {known}")]
    Newer {
        /// The database.
        path: String,
        /// Its version.
        found: u32,
        /// The newest version that is known.
        known: u32,
    },
    /// The database was made by a build of this program that was never released, or is between two.
    #[error("cannot {what} {path}: another build of Keiko made it, with another {migration} of its schema")]
    OtherBuild {
        /// What was attempted.
        what: &'static str,
        /// The database.
        path: String,
        /// The step in which the two differ.
        migration: String,
    },
    /// The database cannot be read or written.
    #[error("cannot {what} {path}: {source}")]
    Broken {
        /// What was attempted.
        what: &'static str,
        /// The database.
        path: String,
        /// Why.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The database's file is damaged.
    #[error("cannot {what} {path}: the database is damaged: {source}")]
    Damaged {
        /// What was attempted.
        what: &'static str,
        /// The database.
        path: String,
        /// What was found.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// A copy would take another file's place.
    #[error("cannot back up to {path}: there is a file of that name")]
    Taken {
        /// The file.
        path: String,
    },
    /// What is to be imported is no export, or a broken one.
    #[error("cannot read the export{}: {source}", told(*line))]
    BadExport {
        /// Which line, from 1; 0: the whole.
        line: u64,
        /// Why.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// Another import is under way.
    #[error("cannot import: another import is under way")]
    Importing,
    /// The store was closed.
    #[error("cannot use the store: it is closed")]
    Closed,
}

impl StoreError {
    /// Returns whether one task's part of the change is at fault, so that a change without it may succeed.
    #[must_use]
    pub const fn is_particular(&self) -> bool {
        match self {
            Self::Conflict { .. } | Self::Dead { .. } | Self::FiredBefore { .. } => true,
            Self::Full { .. }
            | Self::Newer { .. }
            | Self::OtherBuild { .. }
            | Self::Broken { .. }
            | Self::Damaged { .. }
            | Self::Taken { .. }
            | Self::BadExport { .. }
            | Self::Importing
            | Self::Closed => false,
        }
    }
}

fn told(line: u64) -> String {
    if line == 0 { String::new() } else { format!(" at line {line}") }
}
