//! `keikod --restore`: puts a copy in the place of the database while no daemon has it, as `keiko restore` asks for.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::clock::Clock as _;
use crate::clock::system::SystemClock;
use crate::clock::zone;
use crate::config::paths::Paths;
use crate::daemon::lock::DataLock;
use crate::daemon::{DaemonError, is_served, say};
use crate::domain::time::Timestamp;
use crate::protocol::envelope::write_answer;
use crate::protocol::methods::RestoreResult;
use crate::protocol::{SCHEMA_VERSION, to_wire};
use crate::store::StoreError;
use crate::store::sqlite::restore::{Copied, Former, check, restore};

/// Whether the copy is only looked at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Mode {
    /// It is only checked.
    Check,
    /// It takes the place of the database.
    Replace,
}

/// Does it, and says what came of it as one line of JSON.
pub(super) fn run(copy: &Path, mode: Mode) -> Result<(), DaemonError> {
    let paths = Paths::of_process()?;
    paths.create_dirs()?;
    let now = SystemClock::new().now();
    let (database, refused) = (paths.database(), |error: StoreError| DaemonError::Store { source: Arc::new(error) });
    let (copied, former) = match mode {
        Mode::Check => (check(copy, &database, now).map_err(refused)?, Former::None),
        Mode::Replace => {
            // Whoever has it is the only one to touch the database.
            let _lock = DataLock::take(&paths.lock_file(), || is_served(&paths))?;
            let date = now.to_utc().format("%Y-%m-%dT%H-%M-%SZ").to_string();
            let kept = free_name(&paths.backup_dir(), &date);
            restore(copy, &database, &kept, &date, now).map_err(refused)?
        }
    };
    say(write_answer(told(copy, mode, &copied, &former, now)).get());
    Ok(())
}

/// Returns where what is there now is kept: two restores may come in one second.
fn free_name(folder: &Path, date: &str) -> PathBuf {
    let first = folder.join(format!("keiko-{date}-before-restore.db"));
    let more = (2..).map(|number: u32| folder.join(format!("keiko-{date}-before-restore-{number}.db")));
    let mut names = std::iter::once(first).chain(more);
    names.find(|name| name.symlink_metadata().is_err()).expect("there are more names than files")
}

fn told(copy: &Path, mode: Mode, copied: &Copied, former: &Former, now: Timestamp) -> RestoreResult {
    let zone = zone::detect().zone;
    let (kept, set_aside) = match former {
        Former::None => (None, None),
        Former::Kept(path) => (Some(path.display().to_string()), None),
        Former::SetAside(path) => (None, Some(path.display().to_string())),
    };
    RestoreResult {
        schema_version: SCHEMA_VERSION,
        now: to_wire::time(now, zone),
        path: copy.display().to_string(),
        restored: mode == Mode::Replace,
        tasks: copied.tasks,
        last_at: copied.last_at.map(|at| to_wire::time(at, zone)),
        overdue: copied.overdue,
        kept,
        set_aside,
    }
}
