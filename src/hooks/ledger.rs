//! What of hooks outlives the daemon? The hooks that programs registered, and how far each hook and the pings have come.
//!
//! One small file beside the database, replaced as a whole. Decides nothing; a file that cannot be read is put aside.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::domain::hook::{Happening, Hook};
use crate::domain::task::{Number, Priority};
use crate::domain::time::Span;
use crate::files;

/// The version of the file: one more when a field changes its meaning or goes.
const SCHEMA_VERSION: u32 = 1;

/// The longest file that is read: all hooks that there may be, each as long as it may be.
const FILE_BYTES_MAX: u64 = 8 * 1024 * 1024;

/// What is kept.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub(super) struct Kept {
    /// The hooks that programs registered.
    pub(super) registered: Vec<Hook>,
    /// The last event that each hook is done with, by its name.
    pub(super) cursors: BTreeMap<String, u64>,
    /// The last event that the pings are done with; `None` where no task ever had one.
    pub(super) pings: Option<u64>,
}

/// Where it is kept.
#[derive(Debug)]
pub(super) struct Ledger {
    path: PathBuf,
}

#[derive(Serialize, Deserialize)]
struct LedgerRow {
    schema_version: u32,
    registered: Vec<HookRow>,
    cursors: BTreeMap<String, u64>,
    pings: Option<u64>,
}

#[derive(Serialize, Deserialize)]
struct HookRow {
    name: String,
    on: Vec<String>,
    tags: Vec<String>,
    tasks: Vec<u64>,
    priority: Option<String>,
    late: bool,
    command: Vec<String>,
    directory: String,
    timeout_ms: i64,
}

impl Ledger {
    pub(super) const fn at(path: PathBuf) -> Self {
        Self { path }
    }

    /// Returns what is kept; nothing where there is no file, or none that can be read.
    pub(super) fn read(&self) -> Kept {
        let read = match fs::metadata(&self.path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Kept::default(),
            Ok(found) if found.len() > FILE_BYTES_MAX => Err("it is too long".to_owned()),
            Ok(_) | Err(_) => fs::read(&self.path).map_err(|error| error.to_string()),
        };
        match read.and_then(|text| kept(&text)) {
            Ok(kept) => kept,
            Err(why) => {
                tracing::error!(file = %self.path.display(), "cannot read the registered hooks, they are put aside: {why}");
                // Where that fails too, it is replaced by the next write.
                let _ = fs::rename(&self.path, self.path.with_extension("json.unreadable"));
                Kept::default()
            }
        }
    }

    /// Replaces what is kept. On the disk when it returns: what was registered is promised to be there.
    ///
    /// # Errors
    /// It cannot be written; what was kept before still is.
    pub(super) fn write(&self, kept: &Kept) -> io::Result<()> {
        if *kept == Kept::default() && !self.path.exists() {
            return Ok(());
        }
        let row = LedgerRow {
            schema_version: SCHEMA_VERSION,
            registered: kept.registered.iter().map(HookRow::from_hook).collect(),
            cursors: kept.cursors.clone(),
            pings: kept.pings,
        };
        // Nobody else may read it: commands may hold keys.
        files::replace(&self.path, &serde_json::to_vec(&row)?)
    }
}

fn kept(text: &[u8]) -> Result<Kept, String> {
    let row: LedgerRow = serde_json::from_slice(text).map_err(|error| error.to_string())?;
    if row.schema_version != SCHEMA_VERSION {
        return Err(format!("it has version {}, expected {SCHEMA_VERSION}", row.schema_version));
    }
    let registered = row.registered.into_iter().map(HookRow::into_hook).collect::<Result<_, _>>()?;
    Ok(Kept { registered, cursors: row.cursors, pings: row.pings })
}

impl HookRow {
    fn from_hook(hook: &Hook) -> Self {
        Self {
            name: hook.name.clone(),
            on: hook.on.iter().map(|happening| happening.as_str().to_owned()).collect(),
            tags: hook.tags.clone(),
            tasks: hook.tasks.iter().map(|number| number.0).collect(),
            priority: hook.priority.map(|priority| priority.as_str().to_owned()),
            late: hook.is_late_only,
            command: hook.command.clone(),
            directory: hook.directory.clone(),
            timeout_ms: hook.timeout.as_millis(),
        }
    }

    fn into_hook(self) -> Result<Hook, String> {
        let happening = |word: String| Happening::from_word(&word).ok_or(format!("there is no event {word:?}"));
        let priority = |text: String| {
            Priority::ALL.into_iter().find(|each| each.as_str() == text).ok_or(format!("there is no priority {text:?}"))
        };
        let hook = Hook {
            name: self.name,
            on: self.on.into_iter().map(happening).collect::<Result<_, _>>()?,
            tags: self.tags,
            tasks: self.tasks.into_iter().map(Number).collect(),
            priority: self.priority.map(priority).transpose()?,
            is_late_only: self.late,
            command: self.command,
            directory: self.directory,
            timeout: Span::from_millis(self.timeout_ms),
        };
        hook.ready().map_err(|unfit| format!("a hook cannot be used: expected {unfit}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hook() -> Hook {
        let hook = Hook {
            on: vec![Happening::Failed, Happening::Completed],
            tags: vec!["ci".to_owned()],
            tasks: vec![Number(7)],
            priority: Some(Priority::High),
            is_late_only: true,
            directory: "/srv".to_owned(),
            ..Hook::new(vec!["/bin/true".to_owned(), "交房租 \"".to_owned()])
        };
        hook.ready().unwrap()
    }

    #[test]
    fn what_is_written_is_read_and_nobody_else_may() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("hooks.json");
        let ledger = Ledger::at(path.clone());
        assert_eq!(ledger.read(), Kept::default());
        let kept = Kept { registered: vec![hook()], cursors: BTreeMap::from([(hook().name, 7)]), pings: Some(3) };
        ledger.write(&kept).unwrap();
        assert_eq!(ledger.read(), kept);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        }
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_file_that_cannot_be_read_is_put_aside() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("hooks.json");
        for text in ["", "{", r#"{"schema_version":9,"registered":[],"cursors":{},"pings":null}"#] {
            fs::write(&path, text).unwrap();
            assert_eq!(Ledger::at(path.clone()).read(), Kept::default(), "of {text:?}");
            assert_eq!(fs::read_to_string(directory.path().join("hooks.json.unreadable")).unwrap(), text);
            assert!(!path.exists());
        }
    }
}
