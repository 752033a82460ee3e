//! Who serves a data directory? One daemon, which holds the lock of a file in it for as long as it lives.
//!
//! The lock is the system's and ends with the process, however that ends. The pid inside is for people only.

use std::fs::{File, TryLockError};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::time::Duration;

/// How long a daemon may take to stop: its requests, its deliveries and its tasks have 11 s together.
const STOP_WAIT: Duration = Duration::from_secs(15);

/// How often is looked meanwhile whether it answers after all, as one does that had to make its socket anew.
const LOOK_AGAIN: Duration = Duration::from_millis(50);

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
    /// Where another daemon has it, `is_served` tells whether that one answers; one that does not is stopping, and its
    /// end is waited for unless it answers after all, so that a command given at that moment finds a daemon all the same.
    ///
    /// # Errors
    /// Another daemon has it and keeps it, or the file cannot be used.
    pub(super) fn take(path: &Path, is_served: impl Fn() -> bool) -> Result<Self, LockError> {
        let unusable = |source| LockError::Unusable { path: path.to_owned(), source };
        let open = File::options().create(true).truncate(false).read(true).write(true).mode(0o600).open(path);
        let mut file = open.map_err(unusable)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::Error(source)) => return Err(unusable(source)),
            Err(TryLockError::WouldBlock) => {
                if is_served() || !wait(&file, &is_served).map_err(unusable)? {
                    let data_dir = path.parent().unwrap_or(path).to_owned();
                    return Err(LockError::Held { data_dir, holder: holder(&mut file) });
                }
            }
        }
        // Who it is only helps: a full disk keeps no daemon from serving.
        if let Err(error) = file.set_len(0).and_then(|()| writeln!(file, "{}", std::process::id())) {
            tracing::warn!(%error, path = %path.display(), "cannot write down which process serves");
        }
        Ok(Self { _file: file })
    }
}

/// Waits until the lock is free and takes it; answers whether it was free in time, and before who has it answered.
fn wait(file: &File, is_served: impl Fn() -> bool) -> io::Result<bool> {
    let file = file.try_clone()?;
    let (done, doing) = mpsc::channel();
    // A thread, since the system's wait for a lock knows no time limit. One that waits in vain ends with the process.
    std::thread::spawn(move || done.send(file.lock()));
    for _ in 0..STOP_WAIT.as_millis() / LOOK_AGAIN.as_millis() {
        if let Ok(locked) = doing.recv_timeout(LOOK_AGAIN) {
            return locked.map(|()| true);
        }
        if is_served() {
            break;
        }
    }
    Ok(false)
}

/// Returns who has the lock. Who it is only helps; that somebody is there is what counts.
fn holder(file: &mut File) -> String {
    let mut text = String::new();
    let _ = file.read_to_string(&mut text);
    match text.trim().parse::<u32>() {
        Ok(pid) => format!("pid {pid}"),
        Err(_) => "its pid is not known yet".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_daemon_is_told_who_serves_already() {
        let dir = tempfile::tempdir().expect("a directory");
        let path = dir.path().join("keiko.lock");
        let first = DataLock::take(&path, || true).expect("free");
        let error = DataLock::take(&path, || true).expect_err("held");
        assert_eq!(
            error.to_string(),
            format!("cannot serve {}: another keikod does already (pid {})", dir.path().display(), std::process::id())
        );
        drop(first);
        DataLock::take(&path, || true).expect("free again");
    }

    #[test]
    fn the_end_of_a_daemon_that_does_not_answer_any_more_is_waited_for() {
        let dir = tempfile::tempdir().expect("a directory");
        let path = dir.path().join("keiko.lock");
        let first = DataLock::take(&path, || true).expect("free");
        let (asks, asked) = mpsc::channel();
        let second = std::thread::spawn({
            let path = path.clone();
            move || DataLock::take(&path, || asks.send(()).is_err())
        });
        asked.recv().expect("the lock is held");
        drop(first);
        let second = second.join().expect("a thread that ends").expect("free by now");
        assert!(DataLock::take(&path, || true).is_err());
        drop(second);
    }
}
