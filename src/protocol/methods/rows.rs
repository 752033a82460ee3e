//! What is asked to show many tasks in rows: a fraction of what there is to say of each, so that ten thousand come at once.

use serde::{Deserialize, Serialize};

use crate::protocol::methods::List;
use crate::protocol::objects::{Row, Time};

/// Asks for tasks as [`List`] does, of each what its row in a list shows.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Rows(pub List);

/// Rows of tasks, ordered by number.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct RowsResult<T = Row> {
    /// See [`crate::protocol::SCHEMA_VERSION`].
    pub schema_version: u32,
    /// The daemon's time.
    pub now: Time,
    /// The rows.
    pub rows: Vec<T>,
    /// What the person should know besides.
    pub warnings: Vec<String>,
    /// Where the next page begins, null on the last one; see [`crate::protocol::methods::PAGE_BYTES_MAX`].
    #[serde(default)]
    pub next: Option<u64>,
}
