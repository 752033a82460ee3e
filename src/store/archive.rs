//! How does a whole store leave as lines of JSON, and come into another? The shapes of both ways; what a line says, the
//! store knows. Neither way holds more than some pages in memory.

use std::fmt::Debug;
use std::path::{Path, PathBuf};

use crate::store::StoreError;

/// A store as it was at one moment, line by line.
///
/// The first line is the header, the last says how many there were: what was cut off is recognised by it.
pub trait Export: Send + Debug {
    /// Returns how many lines there will be.
    fn total(&self) -> u64;

    /// Returns the next lines, and none behind the last. Blocks for as long as a read takes.
    ///
    /// # Errors
    /// The store cannot be read.
    fn page(&mut self) -> Result<Vec<String>, StoreError>;
}

/// Lines that were given one by one, and are kept apart from the store until all are here.
pub trait Staging: Send + Debug {
    /// Takes the next line.
    ///
    /// # Errors
    /// It says nothing that fits, or the disk is full.
    fn take(&mut self, line: &str) -> Result<(), StoreError>;

    /// Checks that all is here and fits together.
    ///
    /// # Errors
    /// Something is missing, or says nothing that this program knows.
    fn finish(self: Box<Self>) -> Result<Staged, StoreError>;
}

/// What is complete and checked, in a file of its own that goes with this value.
#[derive(Debug)]
pub struct Staged {
    path: PathBuf,
}

impl Staged {
    /// Takes the file at `path`, which is removed when this is dropped.
    #[must_use]
    pub(crate) const fn at(path: PathBuf) -> Self {
        Self { path }
    }

    /// Returns where it lies.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Staged {
    fn drop(&mut self) {
        for suffix in ["", "-journal", "-wal", "-shm"] {
            let mut path = self.path.as_os_str().to_owned();
            path.push(suffix);
            // Most of them are not there; what stays is removed by the next import.
            let _ = std::fs::remove_file(PathBuf::from(path));
        }
    }
}
