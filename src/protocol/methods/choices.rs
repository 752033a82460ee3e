//! What is asked to offer tasks and tags to choose from, as a shell does when a word is completed.

use serde::{Deserialize, Serialize};

use crate::protocol::objects::{Choice, Time};

/// How many tasks [`Choices`] gives unless asked otherwise.
pub const CHOICES_DEFAULT: usize = 100;

/// The most tasks that [`Choices`] gives.
pub const CHOICES_MAX: usize = 1000;

/// Asks of which tasks a verb may be said just now: what is due first, the others by number.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Choices {
    /// The verb, as it stands behind `task.` in a method's name: `done`, `resume`, `retry`. `get` means every open task.
    pub verb: String,
    /// With what the number begins.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub number: Option<String>,
    /// At most so many; 100 unless given, 1000 at most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<usize>,
}

/// Tasks to choose from.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct ChoicesResult {
    /// See [`crate::protocol::SCHEMA_VERSION`].
    pub schema_version: u32,
    /// The daemon's time.
    pub now: Time,
    /// The tasks.
    pub choices: Vec<Choice>,
    /// Whether there may be more. The numbers that are given then have no longer beginning in common than all have, so
    /// that a shell completes no more of a number than is certain.
    pub has_more: bool,
}

/// Asks for the tags of the open tasks.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tags {}

/// The tags of the open tasks.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct TagsResult {
    /// See [`crate::protocol::SCHEMA_VERSION`].
    pub schema_version: u32,
    /// Each once, ordered, without the leading `+`.
    pub tags: Vec<String>,
}
