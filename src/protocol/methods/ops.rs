//! What is asked about operations: what people did, and what of it is taken back.

use serde::{Deserialize, Serialize};

use crate::protocol::objects::{Op, Task, Time};

/// How many operations [`OpList`] gives unless asked otherwise.
pub const OPS_DEFAULT: usize = 20;

/// The most operations that [`OpList`] gives at once.
pub const OPS_MAX: usize = 1000;

/// Makes all that this connection changes from now on one operation, until the next begins or the connection ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OpBegin {}

/// The operation that begins.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct OpBeginResult {
    /// See [`crate::protocol::SCHEMA_VERSION`].
    pub schema_version: u32,
    /// Names it, in the answers and the events of what it changes.
    pub op_id: String,
}

/// Asks what people did, latest first.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OpList {
    /// Where to go on: `next` of the answer before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<u64>,
    /// At most so many; 20 unless given, 1000 at most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<usize>,
}

/// What people did, latest first.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct OpListResult {
    /// See [`crate::protocol::SCHEMA_VERSION`].
    pub schema_version: u32,
    /// The daemon's time.
    pub now: Time,
    /// The operations.
    pub ops: Vec<Op>,
    /// Where to go on with what came before, as `before`; null where nothing did.
    pub next: Option<u64>,
}

/// Asks about one operation.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OpGet {
    /// The beginning of its id, eight letters or more.
    pub op: String,
}

/// One operation.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct OpGetResult {
    /// See [`crate::protocol::SCHEMA_VERSION`].
    pub schema_version: u32,
    /// The daemon's time.
    pub now: Time,
    /// The operation.
    pub op: Op,
}

/// Takes an operation back: all of it, or nothing.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Undo {
    /// The beginning of its id, eight letters or more; absent: the latest that a person typed and that stands. One that
    /// took something back does it again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub op: Option<String>,
    /// The idempotency key, see [`Add::key`](crate::protocol::methods::Add::key).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
}

/// What was taken back.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct UndoResult {
    /// See [`crate::protocol::SCHEMA_VERSION`].
    pub schema_version: u32,
    /// When it was done.
    pub now: Time,
    /// Names the request, in events too: an operation itself.
    pub op_id: String,
    /// Whether it was done now; not where the key was seen before.
    pub changed: bool,
    /// What was taken back, or done again.
    pub undone: Op,
    /// The first of the tasks that changed, as they are now; deleted ones too.
    pub tasks: Vec<Task>,
    /// What could not be taken back, and what else the person should know.
    pub warnings: Vec<String>,
}
