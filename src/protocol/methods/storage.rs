//! What can be asked of the store as a whole, and what is answered?

use serde::{Deserialize, Serialize};

use crate::protocol::objects::Time;

/// Copies the whole store into a file, while it is in use.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Backup {
    /// Where to: a file that is not there yet, or a folder that is; absolute. Absent: the folder of backups.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
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
}
