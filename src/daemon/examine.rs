//! What does the daemon's program find where it only looks? For `keiko doctor`: the database, and the desktop as seen from whoever
//! asks. Serves nobody, writes nothing, takes no lock, and needs no configuration.

use std::fs::{File, TryLockError};

use crate::config::paths::Paths;
use crate::daemon::DaemonError;
use crate::daemon::damage::SetAside;
use crate::notify::desktop::{DesktopChannel, Looked, SessionBus};
use crate::protocol::PROGRAM_VERSION;
use crate::protocol::examination::{DatabaseFound, DesktopFound, Examination};
use crate::store::StoreError;
use crate::store::sqlite::SqliteStore;
use crate::store::sqlite::examine::examine;

/// Looks at everything.
///
/// # Errors
/// It is not known where the files are, or the system gives no threads.
pub(super) fn look() -> Result<Examination, DaemonError> {
    let paths = Paths::of_process()?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|source| DaemonError::System { what: "start threads", source })?;
    let user = rustix::process::geteuid().as_raw();
    Ok(Examination {
        version: PROGRAM_VERSION.to_owned(),
        schema: SqliteStore::schema_version(),
        database: database(&paths),
        desktop: match runtime.block_on(DesktopChannel::look(SessionBus::of_environment(user))) {
            Looked::Server { name, capabilities } => DesktopFound::Server { name, capabilities },
            Looked::NoServer { reason } => DesktopFound::NoServer { reason },
            Looked::NoBus { reason } => DesktopFound::NoBus { reason },
            Looked::NotBuilt => DesktopFound::NotBuilt,
        },
    })
}

fn database(paths: &Paths) -> DatabaseFound {
    if let Some(set_aside) = SetAside::before(paths) {
        return DatabaseFound::SetAside { reason: set_aside.told(), mend: set_aside.hint() };
    }
    let path = paths.database();
    if path.symlink_metadata().is_err() {
        return DatabaseFound::Absent;
    }
    match examine(&path, !is_served(paths)) {
        Ok(found) => DatabaseFound::Fine { schema: found.schema, bytes: found.bytes },
        Err(error) => {
            let damaged = matches!(error, StoreError::Damaged { .. });
            DatabaseFound::Wrong { damaged, reason: error.to_string() }
        }
    }
}

/// Returns whether a daemon has the lock, which is let go at once.
fn is_served(paths: &Paths) -> bool {
    File::open(paths.lock_file()).is_ok_and(|file| matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)))
}
