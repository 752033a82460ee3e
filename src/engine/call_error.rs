//! Why was a call not done?

use std::sync::Arc;

use uuid::Uuid;

use crate::clock::AdvanceError;
use crate::domain::pause::Scope;
use crate::domain::rejection::Rejection;
use crate::domain::task::TaskId;
use crate::domain::time::Timestamp;
use crate::domain::transition::CreateError;
use crate::store::StoreError;

/// Why a call was not done.
#[derive(Clone, Debug, thiserror::Error)]
pub enum CallError {
    /// The rules refuse it.
    #[error(transparent)]
    Rejected {
        /// Why.
        #[from]
        rejection: Rejection,
    },
    /// A pause of many tasks would end before it began.
    #[error("cannot pause {scope}: {until} has passed")]
    PauseInPast {
        /// Which tasks.
        scope: Scope,
        /// When it was to end.
        until: Timestamp,
    },
    /// The person would be away until before it began.
    #[error("cannot be away from {from} to {to}: that is over before it begins")]
    AwayInPast {
        /// Since when.
        from: Timestamp,
        /// Until when.
        to: Timestamp,
    },
    /// The rules refuse to add it.
    #[error(transparent)]
    NotAdded {
        /// Why.
        #[from]
        source: CreateError,
    },
    /// There is no such task.
    #[error("cannot find task {id}: it is not in this store")]
    NotFound {
        /// Its id.
        id: TaskId,
    },
    /// No task has the name.
    #[error("cannot find a task named {name:?}")]
    NoSuchName {
        /// What was typed.
        name: String,
    },
    /// Only tasks that have ended have the name.
    #[error("cannot find an open task named {name:?}: {} ended", has_or_have(ended))]
    HasEnded {
        /// What was typed.
        name: String,
        /// The latest of them first.
        ended: Vec<(u64, String)>,
    },
    /// Several tasks have the name.
    #[error("cannot tell which task {}: {}", meant_by(name), told(candidates))]
    Ambiguous {
        /// What was typed.
        name: String,
        /// Number and title of those that match, at most a few.
        candidates: Vec<(u64, String)>,
    },
    /// The task was deleted.
    #[error("cannot use task {name}: it was deleted{}", if *is_for_ever { " for good" } else { "" })]
    Gone {
        /// What it was called.
        name: String,
        /// Whether it cannot be brought back any more.
        is_for_ever: bool,
    },
    /// The latest that a person did cannot be taken back.
    #[error("{refused}")]
    UndoRefused {
        /// Why.
        refused: Box<CallError>,
        /// The one before it, by its name and in words.
        next: Option<(Uuid, String)>,
    },
    /// Nothing that a person did stands.
    #[error("cannot undo: there is nothing to take back")]
    NothingToUndo,
    /// No operation has the name.
    #[error("cannot undo {name:?}: there is no such operation")]
    NoSuchOp {
        /// What was typed.
        name: String,
    },
    /// Several operations have the name.
    #[error("cannot undo {name:?}: several operations begin so")]
    ManySuchOps {
        /// What was typed.
        name: String,
    },
    /// The operation was taken back before.
    #[error("cannot undo \"{op}\": it was taken back already")]
    UndoneBefore {
        /// What it did.
        op: String,
    },
    /// The operation cannot be taken back.
    #[error("cannot undo \"{op}\": {why}")]
    CannotUndo {
        /// What it did.
        op: String,
        /// Why, for people.
        why: &'static str,
    },
    /// A backup took the place of all that there was: nothing of it is known here.
    #[error("cannot undo \"restore a backup\": what was there before is in another database")]
    Restored {
        /// The file in which that is kept, empty where there was nothing that could be.
        kept: String,
    },
    /// No task is due, so a verb without a name means nothing.
    #[error("cannot tell which task is meant: none is due")]
    NoneDue,
    /// The store could not write or read; nothing was done.
    #[error(transparent)]
    Store {
        /// Why.
        source: Arc<StoreError>,
    },
    /// The idempotency key was used for something else.
    #[error("cannot use key {key:?} for {method}: it was used for {seen} before")]
    KeyTaken {
        /// The key.
        key: String,
        /// What it is to be used for.
        method: &'static str,
        /// What it was used for.
        seen: String,
    },
    /// Too many pauses of many tasks stand.
    #[error("cannot pause {scope}: {limit} pauses of many tasks stand already")]
    TooManyPauses {
        /// Which tasks.
        scope: Scope,
        /// How many may stand.
        limit: usize,
    },
    /// Too many inputs wait.
    #[error("cannot take the request: {limit} others wait already")]
    Busy {
        /// The limit.
        limit: usize,
    },
    /// The clock was not moved.
    #[error(transparent)]
    Advance {
        /// Why.
        #[from]
        source: AdvanceError,
    },
    /// The daemon is about to stop.
    #[error("cannot take the request: the daemon is stopping")]
    Stopping,
}

impl From<StoreError> for CallError {
    fn from(source: StoreError) -> Self {
        Self::Store { source: Arc::new(source) }
    }
}

fn meant_by(name: &str) -> String {
    // A verb without a name means the one that is due.
    if name.is_empty() { "is meant, since several are due".to_owned() } else { format!("{name:?} means") }
}

/// Says of tasks that have ended that they have it: `3 pay rent has`.
fn has_or_have(ended: &[(u64, String)]) -> String {
    format!("{} {}", told(ended), if ended.len() == 1 { "has" } else { "have" })
}

/// Lists candidates as `3 pay rent, 7 pay tax`.
fn told(candidates: &[(u64, String)]) -> String {
    let each: Vec<String> = candidates.iter().map(|(number, title)| format!("{number} {title}")).collect();
    each.join(", ")
}

/// What kind of failure of the store it was, for those above the engine, who do not know the store.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StoreFailure {
    /// The disk is full.
    Full,
    /// The database cannot be read or written.
    Broken,
    /// The database's file is damaged.
    Damaged,
    /// What was asked for would do harm.
    Refused,
    /// What is to be imported cannot be used.
    Unusable,
    /// The database, or what is to be imported, is of a newer program or of another build.
    Newer,
    /// The same is under way already.
    Busy,
    /// This program asked for what must not be.
    OurFault,
    /// The store was closed: the daemon stops.
    Closed,
}

/// Returns what kind of failure it was.
#[must_use]
pub const fn store_failure(error: &StoreError) -> StoreFailure {
    match error {
        StoreError::Full { .. } => StoreFailure::Full,
        StoreError::Broken { .. } => StoreFailure::Broken,
        StoreError::Newer { .. } | StoreError::OtherBuild { .. } => StoreFailure::Newer,
        StoreError::BadExport { .. } => StoreFailure::Unusable,
        StoreError::Importing => StoreFailure::Busy,
        StoreError::Damaged { .. } => StoreFailure::Damaged,
        StoreError::Taken { .. } => StoreFailure::Refused,
        StoreError::Conflict { .. } | StoreError::Dead { .. } | StoreError::FiredBefore { .. } => {
            StoreFailure::OurFault
        }
        StoreError::Closed => StoreFailure::Closed,
    }
}
