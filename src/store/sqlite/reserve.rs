//! The room that is kept for firings when the disk is full: a file beside the database that really takes its place on
//! the disk, and is given up when a firing finds no other.
//!
//! It never lets what people write take from it: their changes are refused while the disk is full or the reserve is in
//! use.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use crate::store::sqlite::fault::is_full;
use crate::store::sqlite::schema::log_of;
use crate::store::sqlite::volume;

/// What is kept where the disk is large: a firing takes some kilobytes for good and a tenth of a megabyte in passing,
/// so this is about a thousand of them.
const BYTES_MAX: u64 = 4 * 1024 * 1024;

/// The least that helps: the log of one firing and of the report on it.
const BYTES_MIN: u64 = 128 * 1024;

/// The share of a small disk that is kept at most.
const SHARE: u64 = 8;

/// Below this the disk counts as full for what people write. What the last pages hold, and what is free inside the
/// database's own files, is left to firings.
const FREE_MIN: u64 = 64 * 1024;

/// The reserve of one database.
#[derive(Debug)]
pub(crate) struct Reserve {
    path: PathBuf,
    /// The write-ahead log, which takes the place of the reserve.
    log: PathBuf,
    bytes: u64,
    standing: Standing,
}

/// How the reserve is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Standing {
    /// It is on the disk.
    Kept,
    /// Firings use it, or there was no room for it yet: the last of the disk is theirs.
    GivenUp,
    /// It cannot be made here, whatever the room.
    Impossible,
}

impl Reserve {
    /// Returns where the reserve of a database lies.
    pub(crate) fn path_of(database: &Path) -> PathBuf {
        database.with_extension("reserve")
    }

    /// Returns the reserve of a database, made where there is room; on a small disk it is smaller.
    pub(crate) fn keep(database: &Path) -> Self {
        let path = Self::path_of(database);
        let bytes = BYTES_MAX.min(volume::total(&path) / SHARE).max(BYTES_MIN);
        let mut reserve = Self { path, log: log_of(database), bytes, standing: Standing::GivenUp };
        if reserve.is_there() {
            reserve.standing = Standing::Kept;
        }
        reserve.take_back();
        if reserve.standing == Standing::GivenUp {
            tracing::warn!(path = %reserve.path.display(), "the disk is full: what room there is, is kept for firings");
        }
        reserve
    }

    /// Returns whether people's changes find room; where the reserve was given up it is first taken back.
    pub(crate) fn has_room(&mut self) -> bool {
        self.take_back();
        self.standing != Standing::GivenUp && volume::free(&self.path) >= FREE_MIN
    }

    /// Takes the reserve back as soon as there is room for all of it.
    pub(crate) fn take_back(&mut self) {
        if self.standing == Standing::GivenUp && volume::free(&self.path) >= self.bytes.saturating_add(FREE_MIN) {
            self.standing = self.made();
        }
    }

    /// Gives the reserve up, so that a firing can be written. Returns whether there was one.
    pub(crate) fn give_up(&mut self) -> bool {
        if self.standing != Standing::Kept {
            return false;
        }
        self.standing = Standing::GivenUp;
        if let Err(error) = fs::remove_file(&self.path) {
            tracing::error!(path = %self.path.display(), %error, "cannot give up the reserve");
            return false;
        }
        tracing::warn!("the disk is full: firings are written to the reserve, and nothing else is");
        // Whatever filled the disk would fill this too. Half is for the log, which is used again and again; the other
        // half is for the pages that the database grows by.
        if let Err(error) = self.hold_for_log(self.bytes / 2) {
            tracing::debug!(%error, "the room for the log cannot be held");
        }
        true
    }

    fn is_there(&self) -> bool {
        volume::taken(&self.path).is_ok_and(|taken| taken >= BYTES_MIN)
    }

    fn made(&self) -> Standing {
        match create_private(&self.path).and_then(|file| volume::allocate(&file, self.bytes)) {
            Ok(()) => {
                tracing::debug!(bytes = self.bytes, "room is kept for firings");
                Standing::Kept
            }
            Err(error) => {
                // Less than was asked for would only take room away.
                let _ = fs::remove_file(&self.path);
                if is_full(&error) {
                    return Standing::GivenUp;
                }
                tracing::warn!(path = %self.path.display(), %error, "cannot keep a reserve for firings");
                Standing::Impossible
            }
        }
    }

    fn hold_for_log(&self, bytes: u64) -> io::Result<()> {
        // Only the log: to close another descriptor of the database would set its locks free.
        let log = File::options().write(true).open(&self.log)?;
        volume::allocate_behind(&log, bytes)
    }
}

fn create_private(path: &Path) -> io::Result<File> {
    let mut options = File::options();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reserve_really_takes_its_room_and_is_given_up_once() {
        let directory = tempfile::tempdir().unwrap();
        let database = directory.path().join("keiko.db");
        let path = Reserve::path_of(&database);
        let mut reserve = Reserve::keep(&database);
        assert!(volume::taken(&path).unwrap() >= BYTES_MIN, "it is no hole");
        assert!(reserve.has_room());
        assert!(reserve.give_up());
        assert!(!path.exists() && !reserve.give_up());
        assert!(reserve.has_room(), "this disk has room, so it is taken back");
        assert!(path.exists());
    }

    #[test]
    fn a_reserve_that_was_left_is_taken_over() {
        let directory = tempfile::tempdir().unwrap();
        let database = directory.path().join("keiko.db");
        drop(Reserve::keep(&database));
        let before = volume::taken(&Reserve::path_of(&database)).unwrap();
        assert_eq!(Reserve::keep(&database).standing, Standing::Kept);
        assert_eq!(volume::taken(&Reserve::path_of(&database)).unwrap(), before);
    }
}
