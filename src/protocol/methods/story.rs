//! What is asked about the story of a task: why it rang, when and why then.

use serde::{Deserialize, Serialize};

use crate::protocol::methods::{TaskRef, is_false};
use crate::protocol::objects::{Sentence, Task, Time};

/// How many events [`Why`] tells of unless asked otherwise.
pub const WHY_DEFAULT: usize = 1000;

/// The most events that [`Why`] tells of.
pub const WHY_MAX: usize = 10_000;

/// Asks for the story of a task in sentences.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Why {
    /// Which.
    pub task: TaskRef,
    /// From when on, as a time phrase, such as `yesterday 9am`; or how long back, such as `2h`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
    /// Up to when, as `since`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<String>,
    /// The caller's IANA zone, in which times are read and said; the daemon's unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub zone: Option<String>,
    /// Whether what went alike again and again is told each time, rather than counted.
    #[serde(default, skip_serializing_if = "is_false")]
    pub all: bool,
    /// Where to go on: `next` of the answer before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<u64>,
    /// The most events that are to be told of, the latest; 1000 unless given, 10000 at most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<usize>,
}

/// The story of a task, oldest first.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct WhyResult {
    /// See [`crate::protocol::SCHEMA_VERSION`].
    pub schema_version: u32,
    /// The daemon's time.
    pub now: Time,
    /// The task now.
    pub task: Task,
    /// The sentences; the last two say how it stands and what comes next, unless the story ends before now.
    pub sentences: Vec<Sentence>,
    /// Where to go on with what came before, as `before`; null where nothing did.
    pub next: Option<u64>,
}
