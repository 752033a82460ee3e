//! What can be asked of the store as a whole, and what is answered?

use serde::{Deserialize, Serialize};

use crate::protocol::envelope::RawJson;
use crate::protocol::methods::is_false;
use crate::protocol::objects::Time;

/// Copies the whole store into a file, while it is in use.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Backup {
    /// Where to: a file that is not there yet, or a folder that is; absolute. Absent: the folder of backups.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// How many of those that were made in the same folder under a date stay, this one too; absent: all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub keep: Option<u32>,
}

/// A backup that is complete and checked.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct BackupResult {
    /// See [`crate::protocol::SCHEMA_VERSION`].
    pub schema_version: u32,
    /// The daemon's time.
    pub now: Time,
    /// The file.
    pub path: String,
    /// Its length.
    pub bytes: u64,
    /// The older ones that were removed.
    #[serde(default)]
    pub removed: Vec<String>,
}

/// Asks for the whole store as it is at one moment, as lines of JSON, page by page on one connection.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Export {
    /// The `next` of the page before. Absent: a new export begins, and one that this connection had begun is given up.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<u64>,
}

/// A page of an export. Its first line is the header, its last one says how many there were.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ExportResult {
    /// See [`crate::protocol::SCHEMA_VERSION`].
    pub schema_version: u32,
    /// The daemon's time.
    pub now: Time,
    /// The lines, each a JSON object that stands on a line of its own in a file.
    pub lines: Vec<RawJson>,
    /// How many lines there are in all.
    pub total: u64,
    /// Where the next page begins; null behind the last.
    pub next: Option<u64>,
}

/// Brings in lines of an export: chunks of them on one connection, and at the end all of it in one transaction or nothing.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Import {
    /// The next lines, in order. What is wrong with one of them gives up the whole.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lines: Vec<RawJson>,
    /// Whether these were the last: all is checked, and comes in.
    #[serde(default, skip_serializing_if = "is_false")]
    pub finish: bool,
    /// At the end: whether it is only told what would come in.
    #[serde(default, skip_serializing_if = "is_false")]
    pub dry_run: bool,
}

/// What an import brought in; before the end only how many lines are here.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ImportResult {
    /// See [`crate::protocol::SCHEMA_VERSION`].
    pub schema_version: u32,
    /// The daemon's time.
    pub now: Time,
    /// How many lines are here.
    pub lines: u64,
    /// Whether all is brought in, or was only told.
    pub finished: bool,
    /// Whether it was only told.
    pub dry_run: bool,
    /// What it did as one operation, which `op.undo` takes back; null where no task came in.
    pub op_id: Option<String>,
    /// How many tasks came in.
    pub added: u64,
    /// How many were here already.
    pub already_there: u64,
    /// How many of those that are here are deleted, and stay so.
    #[serde(default)]
    pub deleted: u64,
    /// How many stay as they are here, since they are here with another history or were deleted for good.
    pub refused_total: u64,
    /// The first 100 of those.
    pub refused: Vec<Untaken>,
    /// How many of those that came in have another number here, since theirs was taken.
    pub renumbered: u64,
    /// How many events came in.
    pub events: u64,
}

/// A task that was not taken.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Untaken {
    /// Its id.
    pub id: String,
    /// Its title, in the file.
    pub title: String,
    /// Why.
    pub reason: String,
}

/// What `keikod --restore` did, or what the copy holds.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct RestoreResult {
    /// See [`crate::protocol::SCHEMA_VERSION`].
    pub schema_version: u32,
    /// When.
    pub now: Time,
    /// The copy.
    pub path: String,
    /// Whether it took the place of the database, or was only checked.
    pub restored: bool,
    /// How many tasks it holds, ended ones too.
    pub tasks: u64,
    /// When the last change in it was made.
    pub last_at: Option<Time>,
    /// Of how many of its tasks a time has passed since.
    pub overdue: u64,
    /// Where the database is kept that was there.
    pub kept: Option<String>,
    /// Where it is set aside, since it could not be read.
    pub set_aside: Option<String>,
}
