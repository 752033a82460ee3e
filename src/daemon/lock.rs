//! Who serves a data directory? One daemon, which holds the lock of a file in it for as long as it lives.
//!
//! The lock is the system's and ends with the process, however that ends. The pid inside is for people only.

use std::fs::{File, TryLockError};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

/// The lock of a data directory, held until it is dropped.
#[derive(Debug)]
pub(super) struct DataLock {
    /// Never read again: it is the open file that holds the lock.
    _file: File,
}

/// Why the lock was not taken.
#[derive(Debug, thiserror::Error)]
pub(super) enum LockError {
    /// Another daemon has it.
    #[error("cannot serve {}: another keikod does already ({holder})", data_dir.display())]
    Held {
        /// The data directory.
        data_dir: PathBuf,
        /// Who, in words.
        holder: String,
    },
    /// The file cannot be used.
    #[error("cannot lock {}: {source}", path.display())]
    Unusable {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}

impl DataLock {
    /// Takes the lock of `path`, a file in the data directory.
    ///
    /// # Errors
    /// Another daemon has it, or the file cannot be used.
    pub(super) fn take(path: &Path) -> Result<Self, LockError> {
        let unusable = |source| LockError::Unusable { path: path.to_owned(), source };
        let mut file = File::options()
            .create(true)
            .truncate(false)
            .read(true)
            .write(true)
            .mode(0o600)
            .open(path)
            .map_err(unusable)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::Error(source)) => return Err(unusable(source)),
            Err(TryLockError::WouldBlock) => {
                let mut text = String::new();
                // Who it is only helps; that somebody is there is what counts.
                let _ = file.read_to_string(&mut text);
                let holder = match text.trim().parse::<u32>() {
                    Ok(pid) => format!("pid {pid}"),
                    Err(_) => "its pid is not known yet".to_owned(),
                };
                let data_dir = path.parent().unwrap_or(path).to_owned();
                return Err(LockError::Held { data_dir, holder });
            }
        }
        file.set_len(0).and_then(|()| writeln!(file, "{}", std::process::id())).map_err(unusable)?;
        Ok(Self { _file: file })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_daemon_is_told_who_serves_already() {
        let dir = tempfile::tempdir().expect("a directory");
        let path = dir.path().join("keiko.lock");
        let first = DataLock::take(&path).expect("free");
        let error = DataLock::take(&path).expect_err("held");
        assert_eq!(
            error.to_string(),
            format!("cannot serve {}: another keikod does already (pid {})", dir.path().display(), std::process::id())
        );
        drop(first);
        DataLock::take(&path).expect("free again");
    }
}
