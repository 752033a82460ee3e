//! What is asked of a task that is there, by one verb: done, ack, snooze, pause, resume, skip, cancel, delete, retry,
//! unblock.

use serde::{Deserialize, Serialize};

use crate::protocol::methods::{TaskRef, WriteResult};
use crate::protocol::objects::{Run, Task, Time};

/// The person did it.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Done {
    /// Which; absent: the one that is due.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task: Option<TaskRef>,
    /// Whether an occurrence of a series that has not spoken yet is meant.
    #[serde(default, skip_serializing_if = "crate::protocol::methods::is_false")]
    pub early: bool,
    /// The occurrence that is meant, `KEY~GENERATION`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub occurrence: Option<String>,
    /// The version that the caller saw.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<u64>,
    /// The idempotency key, see [`Add::key`](crate::protocol::methods::Add::key).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
}

/// The person saw it.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ack {
    /// See [`Done::task`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task: Option<TaskRef>,
    /// See [`Done::early`].
    #[serde(default, skip_serializing_if = "crate::protocol::methods::is_false")]
    pub early: bool,
    /// Whether the person only closed what was shown: that does not end a nag.
    #[serde(default, skip_serializing_if = "crate::protocol::methods::is_false")]
    pub dismissal: bool,
    /// See [`Done::occurrence`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub occurrence: Option<String>,
    /// See [`Done::version`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<u64>,
    /// The idempotency key, see [`Add::key`](crate::protocol::methods::Add::key).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
}

/// It is to speak again later: in ten minutes where neither `for` nor `until` says when.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Snooze {
    /// See [`Done::task`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task: Option<TaskRef>,
    /// How long, such as `10m`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub r#for: Option<String>,
    /// Until when, as a time phrase.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<String>,
    /// See [`Done::early`].
    #[serde(default, skip_serializing_if = "crate::protocol::methods::is_false")]
    pub early: bool,
    /// See [`Done::occurrence`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub occurrence: Option<String>,
    /// The zone in which `until` is read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub zone: Option<String>,
    /// The idempotency key, see [`Add::key`](crate::protocol::methods::Add::key).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
}

/// Which times of a series are meant. Of a task that comes up once, `this` and `all` are the same.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SeriesScope {
    /// The open one.
    This,
    /// The open one and all behind it; of a change, those behind it where the open one rang already.
    Following,
    /// The whole series.
    All,
}

/// Its clock stops, until a resume where neither `for` nor `until` says when.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pause {
    /// Which; absent where `all` or `tag` says which.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<TaskRef>,
    /// All tasks, and those that are armed meanwhile.
    #[serde(default, skip_serializing_if = "crate::protocol::methods::is_false")]
    pub all: bool,
    /// As `all`, those with this tag only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tag: Option<String>,
    /// How long.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub r#for: Option<String>,
    /// Until when, as a time phrase.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<String>,
    /// The zone in which `until` is read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub zone: Option<String>,
    /// The occurrence that is meant, `KEY~GENERATION`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub occurrence: Option<String>,
    /// The idempotency key, see [`Add::key`](crate::protocol::methods::Add::key).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// Which times of a series are meant; absent: all of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<SeriesScope>,
    /// Whether it is only asked what would be: nothing is changed, and the key is not used up.
    #[serde(default, skip_serializing_if = "crate::protocol::methods::is_false")]
    pub preview: bool,
}

/// Its clock goes on.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Resume {
    /// Which; absent where `all` or `tag` says which.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<TaskRef>,
    /// What a pause of all tasks put to sleep.
    #[serde(default, skip_serializing_if = "crate::protocol::methods::is_false")]
    pub all: bool,
    /// What a pause of the tasks with this tag put to sleep.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tag: Option<String>,
    /// Whether what remained at the pause is added to now for wall-clock times too.
    #[serde(default, skip_serializing_if = "crate::protocol::methods::is_false")]
    pub shift: bool,
    /// The occurrence that is meant, `KEY~GENERATION`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub occurrence: Option<String>,
    /// The idempotency key, see [`Add::key`](crate::protocol::methods::Add::key).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
}

/// What a pause or a resume did, of one task or of many.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct PauseResult {
    /// See [`crate::protocol::SCHEMA_VERSION`].
    pub schema_version: u32,
    /// When it was done.
    pub now: Time,
    /// Names the request, in events too.
    pub op_id: String,
    /// Whether anything changed.
    pub changed: bool,
    /// The task now, where one was meant.
    pub task: Option<Task>,
    /// The numbers of the tasks that changed.
    pub tasks: Vec<u64>,
    /// How many instances of a series were passed over.
    pub passed_over: u64,
    /// What the person should know besides.
    pub warnings: Vec<String>,
    /// Whether this is only what would be.
    #[serde(default)]
    pub preview: bool,
    /// The runs of its command that are not over, where one task was meant.
    #[serde(default)]
    pub runs: Vec<Run>,
}

impl PauseResult {
    /// Returns the answer about one task, or this where many were meant.
    ///
    /// # Errors
    /// Many were meant.
    pub fn into_one(self) -> Result<WriteResult, Box<Self>> {
        match self.task {
            Some(task) => Ok(WriteResult {
                schema_version: self.schema_version,
                now: self.now,
                op_id: self.op_id,
                changed: self.changed,
                task,
                passed_over: self.passed_over,
                warnings: self.warnings,
                dependents: Vec::new(),
                dependents_total: 0,
                preview: self.preview,
                follower: None,
                runs: self.runs,
            }),
            None => Err(Box::new(self)),
        }
    }
}

/// Passes over the open occurrence of a series.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Skip {
    /// Which.
    pub task: TaskRef,
    /// The occurrence that is meant, `KEY~GENERATION`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub occurrence: Option<String>,
    /// The idempotency key, see [`Add::key`](crate::protocol::methods::Add::key).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
}

/// Ends a task.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cancel {
    /// Which.
    pub task: TaskRef,
    /// Whether the whole series is meant on purpose, so that nobody need be told of `task.skip`.
    #[serde(default, skip_serializing_if = "crate::protocol::methods::is_false")]
    pub all: bool,
    /// The occurrence that is meant, `KEY~GENERATION`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub occurrence: Option<String>,
    /// The idempotency key, see [`Add::key`](crate::protocol::methods::Add::key).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// Which times of a series are meant; absent: all of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<SeriesScope>,
    /// Whether it is only asked what would be: nothing is changed, and the key is not used up.
    #[serde(default, skip_serializing_if = "crate::protocol::methods::is_false")]
    pub preview: bool,
}

/// Removes a task from sight; for 30 days `op.undo` brings it back.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Delete {
    /// Which.
    pub task: TaskRef,
    /// The version that the caller saw.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<u64>,
    /// The idempotency key, see [`Add::key`](crate::protocol::methods::Add::key).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
}

/// Sends at once, under the same ids, what failed of a reminder that is due.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Retry {
    /// Which.
    pub task: TaskRef,
    /// The occurrence that is meant, `KEY~GENERATION`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub occurrence: Option<String>,
    /// The idempotency key, see [`Add::key`](crate::protocol::methods::Add::key).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
}

/// It waits for no other task any more.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Unblock {
    /// Which.
    pub task: TaskRef,
    /// The version that the caller saw.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<u64>,
    /// The idempotency key, see [`Add::key`](crate::protocol::methods::Add::key).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
}
