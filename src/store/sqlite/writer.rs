//! The one connection that writes, on a thread of its own. It takes one change after another and retries none.

use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{Builder, JoinHandle};

use rusqlite::Connection;
use tokio::sync::oneshot;

use crate::store::sqlite::fault::Fault;
use crate::store::sqlite::write;
use crate::store::{Change, Committed, StoreError};

/// How many changes may wait. The loop has one under way at a time, so more than a few is a fault of the caller, who
/// then waits instead of filling the memory.
const CHANGES_MAX: usize = 16;

/// Where a commit's outcome goes.
pub(crate) type Answer = oneshot::Sender<Result<Committed, StoreError>>;

/// What the writer is asked.
pub(crate) enum Job {
    /// To write a change.
    Commit(Box<Change>, Answer),
    /// To end, after what was asked before.
    Close,
}

/// Starts the writer's thread.
pub(crate) fn start(
    connection: Arc<Mutex<Connection>>,
    path: String,
) -> Result<(SyncSender<Job>, JoinHandle<()>), Fault> {
    let (sender, jobs) = sync_channel(CHANGES_MAX);
    let thread = Builder::new().name("keiko-store".to_owned()).spawn(move || run(&connection, jobs, &path))?;
    Ok((sender, thread))
}

fn run(connection: &Mutex<Connection>, jobs: Receiver<Job>, path: &str) {
    // Nobody else holds it, unless a full disk leaves room for one connection only.
    let connection = || connection.lock().unwrap_or_else(PoisonError::into_inner);
    for job in &jobs {
        match job {
            Job::Commit(change, answer) => {
                let outcome = write::commit(&mut connection(), &change);
                // Whoever dropped the answer no longer wants it; the change stands all the same.
                let _ = answer.send(outcome.map_err(|fault| fault.into_store_error("write", path)));
            }
            Job::Close => break,
        }
    }
    // From here on a commit is refused at once, it does not wait for the checkpoint.
    drop(jobs);
    // Only a courtesy: what a checkpoint leaves in the log is found there at the next start.
    let _ = connection().query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()));
}
