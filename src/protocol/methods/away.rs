//! `away.set`, `away.get`: when the person is to be left alone.

use serde::{Deserialize, Serialize};

use crate::protocol::objects::{Away, Time};

/// Says that the person is away, or not any more. One of `range`, `for`, `until` and `off` is needed.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AwaySet {
    /// From when to when, in words: `tomorrow..friday`, `next week`, `2026-06-01..2026-06-14`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub range: Option<String>,
    /// From now for so long, such as `2h`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub r#for: Option<String>,
    /// From now until then, such as `monday 9am`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<String>,
    /// Not away any more, nor later.
    #[serde(default)]
    pub off: bool,
    /// Tasks with one of these tags ring all the same.
    #[serde(default)]
    pub except: Vec<String>,
    /// The zone in which words are read; the daemon's unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub zone: Option<String>,
}

/// Asks when the person is to be left alone.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AwayGet {}

/// When the person is to be left alone.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct AwayResult {
    /// See [`crate::protocol::SCHEMA_VERSION`].
    pub schema_version: u32,
    /// The daemon's time.
    pub now: Time,
    /// The request, null where only asked.
    pub op_id: Option<String>,
    /// Whether anything changed.
    pub changed: bool,
    /// The time for which the person is or will be away, null where there is none.
    pub away: Option<Away>,
    /// Until when what comes by itself is held now, by quiet hours or since the person is away; null where nothing is.
    pub quiet_until: Option<Time>,
    /// What the person should know besides.
    pub warnings: Vec<String>,
}
