//! What is asked of the future: to be answered once something has happened to a task.

use serde::{Deserialize, Serialize};

use crate::protocol::methods::TaskRef;
use crate::protocol::objects::{OccurrenceName, Task, Time};

/// Waits until a task has fired or is done. What has happened already is answered at once.
///
/// Other calls of the connection are answered meanwhile. The wait ends with the connection, and with the daemon.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Wait {
    /// Which.
    pub task: TaskRef,
    /// What for; [`WaitFor::Fired`] unless given.
    #[serde(rename = "for", default)]
    pub awaited: WaitFor,
    /// The most milliseconds that it takes, by the daemon's clock; absent: as long as it takes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
    /// Which of its occurrences, as `KEY~GENERATION`; absent: the one that is open, or the last where all have ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub occurrence: Option<String>,
}

/// What may be waited for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WaitFor {
    /// It comes up: it rings at its due or behind it, or is due in silence. What is due has fired; of what is ahead,
    /// snoozed or paused it is the next time. An early alert does not count.
    #[default]
    Fired,
    /// It is completed by a person or a program.
    Done,
}

/// How a wait ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WaitOutcome {
    /// It fired.
    Fired,
    /// It is done.
    Done,
    /// It ended otherwise.
    Ended,
    /// The time was over first.
    TimedOut,
}

/// A wait is over.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct WaitResult {
    /// See [`crate::protocol::SCHEMA_VERSION`].
    pub schema_version: u32,
    /// The daemon's time.
    pub now: Time,
    /// How it ended.
    pub result: WaitOutcome,
    /// How the occurrence ended where that was not waited for: an outcome, `missed`, `withdrawn` or `deleted`; else null.
    pub how: Option<String>,
    /// The occurrence that was waited for: the one that took its place where the first was removed.
    pub occurrence: OccurrenceName,
    /// The task as it was when that happened, where an event tells it; else as it is now.
    pub task: Task,
    /// What the person should know besides.
    pub warnings: Vec<String>,
}
