//! How does a whole store leave as lines of JSON, and come into another? The shapes of both ways; what a line says, the
//! store knows. Neither way holds more than some pages in memory.

use std::fmt::Debug;
use std::path::{Path, PathBuf};

use uuid::Uuid;

use crate::store::StoreError;

/// How many tasks that were not taken are named one by one.
pub const UNTAKEN_NAMED_MAX: usize = 100;

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

/// Whether an import is made, or only told what it would make.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rehearsal {
    /// Nothing is written.
    Only,
    /// All of it is written.
    No,
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

/// What an import made, or would make.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Imported {
    /// How many tasks came in.
    pub added: u64,
    /// How many were here already, the same or with a later history.
    pub there: u64,
    /// How many were here with another history, or were deleted here for good: they stay as they are here.
    pub untaken_total: u64,
    /// The first of those, by number.
    pub untaken: Vec<Untaken>,
    /// How many of those that came in have another number here, since theirs was taken.
    pub renumbered: u64,
    /// How many events came in.
    pub events: u64,
    /// The `seq` of the last event in the store afterwards.
    pub last_seq: u64,
    /// Whether the store held nothing before, so that settings came in too.
    pub was_empty: bool,
}

/// A task that was not taken.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Untaken {
    /// Its id.
    pub id: Uuid,
    /// Its title, in the file.
    pub title: String,
    /// Why.
    pub why: Why,
}

/// Why a task was not taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Why {
    /// It was deleted here for good: its id means nothing else for ever.
    Dead,
    /// It is here as it was earlier on.
    OlderHere,
    /// It is here, and has gone another way since.
    Differs,
}

impl Why {
    /// Returns it in words.
    #[must_use]
    pub const fn told(self) -> &'static str {
        match self {
            Self::Dead => "it was deleted here for good",
            Self::OlderHere => "it is here already, with an earlier state than in the file",
            Self::Differs => "it is here already, and has changed here and in the file",
        }
    }
}
