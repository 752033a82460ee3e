//! The one connection that writes, on a thread of its own. It takes one change after another, and tries
//! one again only where a full disk has given up its reserve for it.

use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{Builder, JoinHandle};

use rusqlite::Connection;
use tokio::sync::oneshot;

use crate::domain::import::{Imported, Rehearsal};
use crate::domain::time::Timestamp;
use crate::store::archive::Staged;
use crate::store::sqlite::archive::import::import;
use crate::store::sqlite::fault::Fault;
use crate::store::sqlite::reserve::Reserve;
use crate::store::sqlite::write;
use crate::store::{Change, Committed, Room, StoreError};

/// How many changes may wait. The loop has one under way at a time, so more than a few is a fault of the caller, who
/// then waits instead of filling the memory.
const CHANGES_MAX: usize = 16;

/// Where a commit's outcome goes.
pub(crate) type Answer = oneshot::Sender<Result<Committed, StoreError>>;

/// What the writer is asked.
pub(crate) enum Job {
    /// To write a change.
    Commit(Box<Change>, Answer),
    /// To bring in what is staged, or to tell what that would be.
    Import {
        /// What.
        staged: Staged,
        /// Whether it is only told.
        rehearsal: Rehearsal,
        /// When.
        at: Timestamp,
        /// Where the outcome goes.
        answer: oneshot::Sender<Result<Imported, StoreError>>,
    },
    /// To end, after what was asked before.
    Close,
}

/// Starts the writer's thread.
pub(crate) fn start(
    connection: Arc<Mutex<Connection>>,
    reserve: Arc<Mutex<Reserve>>,
    path: String,
) -> Result<(SyncSender<Job>, JoinHandle<()>), Fault> {
    let (sender, jobs) = sync_channel(CHANGES_MAX);
    let thread =
        Builder::new().name("keiko-store".to_owned()).spawn(move || run(&connection, &reserve, jobs, &path))?;
    Ok((sender, thread))
}

fn run(connection: &Mutex<Connection>, reserve: &Mutex<Reserve>, jobs: Receiver<Job>, path: &str) {
    // Nobody else holds it, unless a full disk leaves room for one connection only.
    let connection = || connection.lock().unwrap_or_else(PoisonError::into_inner);
    for job in &jobs {
        match job {
            Job::Commit(change, answer) => {
                let mut reserve = reserve.lock().unwrap_or_else(PoisonError::into_inner);
                let outcome = commit(&mut connection(), &mut reserve, &change, path);
                drop(reserve);
                // Whoever dropped the answer no longer wants it; the change stands all the same.
                let _ = answer.send(outcome.map_err(|fault| fault.into_store_error("write", path)));
            }
            Job::Import { staged, rehearsal, at, answer } => {
                let has_room = reserve.lock().unwrap_or_else(PoisonError::into_inner).has_room();
                let outcome = if has_room {
                    import(&mut connection(), staged.path(), rehearsal, at)
                } else {
                    Err(Fault::Refused(StoreError::Full { path: path.to_owned() }))
                };
                drop(staged);
                let _ = answer.send(outcome.map_err(|fault| fault.into_store_error("import into", path)));
            }
            Job::Close => break,
        }
    }
    // From here on a commit is refused at once, it does not wait for the checkpoint.
    drop(jobs);
    // Only a courtesy: what a checkpoint leaves in the log is found there at the next start.
    let _ = connection().query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()));
}

/// Writes a change into the room that it may take.
fn commit(connection: &mut Connection, reserve: &mut Reserve, change: &Change, path: &str) -> Result<Committed, Fault> {
    match change.room {
        Room::Free if reserve.has_room() => write::commit(connection, change),
        Room::Free => Err(Fault::Refused(StoreError::Full { path: path.to_owned() })),
        Room::Reserve => {
            let mut outcome = write::commit(connection, change);
            if is_full(&outcome) && reserve.give_up() {
                outcome = write::commit(connection, change);
            }
            if is_full(&outcome) {
                // What is in the database already leaves its place in the log to this one.
                let _ = connection.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(()));
                outcome = write::commit(connection, change);
            }
            reserve.take_back();
            outcome
        }
    }
}

fn is_full(outcome: &Result<Committed, Fault>) -> bool {
    outcome.as_ref().is_err_and(Fault::is_full)
}
