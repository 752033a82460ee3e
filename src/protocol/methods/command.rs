//! What a task is to run, as a caller says it, and what is asked of its runs: `task.run`, `task.output`.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize};

use crate::protocol::methods::{TaskRef, is_false, some};
use crate::protocol::objects::{Run, Task, Time};

/// What a task runs when it is due.
///
/// Adding, what is absent has its default; changing, it stays as it was.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Command {
    /// A program and its arguments, never read by a shell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arguments: Option<Vec<String>>,
    /// A text for `sh -c`, in place of `arguments`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shell: Option<String>,
    /// The directory that it runs in, an absolute path; the home directory unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub directory: Option<String>,
    /// All its variables anew, by their names; the session's are added when it runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub env: Option<BTreeMap<String, String>>,
    /// How long it may run, such as `2h`; null: for ever.
    #[serde(default, deserialize_with = "some", skip_serializing_if = "Option::is_none")]
    pub timeout: Option<Option<String>>,
    /// What becomes of a time at which it still runs: `skip` (the default), `queue` or `allow`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub overlap: Option<String>,
    /// How much it gives way to others, from 0 to 19.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nice: Option<u8>,
    /// All that it may use at most, anew.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limits: Option<Limits>,
}

/// What a command may use at most; what is absent or null is not limited.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Limits {
    /// How much memory, such as `512M`, or in bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<Size>,
    /// How much time of a processor, such as `10m`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu: Option<String>,
    /// How many processes and threads.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub processes: Option<u64>,
    /// How many open files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub files: Option<u64>,
}

/// A number of bytes: `512M`, or a JSON number.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(transparent)]
pub struct Size(pub String);

impl<'de> Deserialize<'de> for Size {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged, expecting = "expected a size such as \"512M\", or a whole number of bytes")]
        enum Either {
            Bytes(u64),
            Text(String),
        }
        Ok(match Either::deserialize(deserializer)? {
            Either::Bytes(bytes) => Self(bytes.to_string()),
            Either::Text(text) => Self(text),
        })
    }
}

/// Runs the command of a task now, besides its times: neither its state nor a time of it changes. One that waits to be
/// tried again is tried again now.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunNow {
    /// Which.
    pub task: TaskRef,
    /// The occurrence that is meant, `KEY~GENERATION`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub occurrence: Option<String>,
    /// The idempotency key, see [`Add::key`](crate::protocol::methods::Add::key).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
}

/// A command was ordered to run.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct RunNowResult {
    /// See [`crate::protocol::SCHEMA_VERSION`].
    pub schema_version: u32,
    /// When.
    pub now: Time,
    /// Names the request.
    pub op_id: String,
    /// The `seq` of the last event before it: what it says from its start on lies behind.
    pub cursor: u64,
    /// The task.
    pub task: Task,
    /// The run; null where its key was used before and the run is not kept any more.
    pub run: Option<Run>,
    /// What the person should know besides.
    pub warnings: Vec<String>,
}

/// Asks what a run has said.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OutputGet {
    /// Which task.
    pub task: TaskRef,
    /// Which run, by its id; absent: the latest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
    /// Which attempt, of the latest occurrence that had so many; 0: the latest that was asked for besides the task's times.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attempt: Option<u32>,
    /// Whether what is no UTF-8 is wanted whole too.
    #[serde(default, skip_serializing_if = "is_false")]
    pub raw: bool,
    /// How many bytes of it are known, as `said` told: it is answered as soon as there are more, with those alone, or the run is
    /// over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<u64>,
}

/// What a run has said on standard output and standard error, as it came.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct OutputResult {
    /// See [`crate::protocol::SCHEMA_VERSION`].
    pub schema_version: u32,
    /// The daemon's time.
    pub now: Time,
    /// The number of the task.
    pub task: u64,
    /// The run.
    pub run: Run,
    /// The end of what it said; what is no UTF-8 is replaced by U+FFFD.
    pub text: String,
    /// The same in base64, where `raw` asks for it and it is no UTF-8.
    pub base64: Option<String>,
    /// How many bytes before that were not kept.
    pub dropped: u64,
    /// How many bytes it has said in all: what `since` goes on with.
    pub said: u64,
    /// Whether it may say more: it still runs.
    pub live: bool,
}
