//! How is a whole file read that somebody named, whatever stands there?
//!
//! Never waits for a writer, and never reads without end. Whether a file may be missing is for the caller to say.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::Path;

/// Why a file was not read.
#[derive(Debug, thiserror::Error)]
pub enum Unread {
    /// The system says why.
    #[error("{source}")]
    Unreadable {
        /// Why.
        source: io::Error,
    },
    /// It is no plain file, so reading it may never end.
    #[error("it is {found}, expected a file")]
    NoFile {
        /// What it is.
        found: &'static str,
    },
    /// It is too long.
    #[error("it is longer than {bytes_max} bytes")]
    TooLong {
        /// The most that is read.
        bytes_max: u64,
    },
}

/// Returns what the file at `path` holds, at most `bytes_max` of it.
///
/// # Errors
/// It is not there, is no plain file, is longer, or cannot be read.
pub fn read(path: &Path, bytes_max: u64) -> Result<Vec<u8>, Unread> {
    let unreadable = |source| Unread::Unreadable { source };
    let found = fs::metadata(path).map_err(unreadable)?;
    if !found.is_file() {
        let found = if found.is_dir() { "a directory" } else { "a pipe, a socket or a device" };
        return Err(Unread::NoFile { found });
    }
    let mut bytes = Vec::new();
    // Bounded all the same, since a file may grow, and those of some file systems have no length.
    let mut bounded = File::open(path).map_err(unreadable)?.take(bytes_max.saturating_add(1));
    if found.len() <= bytes_max {
        bounded.read_to_end(&mut bytes).map_err(unreadable)?;
    }
    if found.len().max(bytes.len() as u64) > bytes_max {
        return Err(Unread::TooLong { bytes_max });
    }
    Ok(bytes)
}
