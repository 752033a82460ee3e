//! What does an import bring, and what not? Decides nothing: the store does.

use std::ops::RangeInclusive;

use uuid::Uuid;

/// The word for an import among what people did.
pub const IMPORT: &str = "import";

/// Returns the name of the operation with which the events at these places came into the store of a device.
#[must_use]
pub fn op_id(device: Uuid, seqs: &RangeInclusive<u64>) -> Uuid {
    Uuid::new_v5(&device, format!("import|{}|{}", seqs.start(), seqs.end()).as_bytes())
}

/// How many tasks that were not taken are named one by one.
pub const UNTAKEN_NAMED_MAX: usize = 100;

/// Whether an import is made, or only told what it would make.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rehearsal {
    /// Nothing is written.
    Only,
    /// All of it is written.
    No,
}

/// What an import made, or would make.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Imported {
    /// How many tasks came in.
    pub added: u64,
    /// How many were here already, the same or with a later history.
    pub there: u64,
    /// How many of those that were here already are deleted here, and stay so.
    pub deleted: u64,
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
    /// What a person did with it, which can be taken back; `None` where no task came in.
    pub op: Option<Uuid>,
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
