//! `task.glance`: little enough to be asked before each line of a shell.

use serde::{Deserialize, Serialize};

use crate::protocol::objects::{Away, Next, Time};

/// Asks what asks for the person now and what comes next.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Glance {}

/// What asks for the person now, and what comes next.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct GlanceResult {
    /// See [`crate::protocol::SCHEMA_VERSION`].
    pub schema_version: u32,
    /// The daemon's time.
    pub now: Time,
    /// How many are due and not seen.
    pub due: u64,
    /// How many of those came up late.
    pub late: u64,
    /// How many are seen and not done.
    pub seen: u64,
    /// How many are due and held for quiet hours.
    pub held: u64,
    /// How many commands run.
    pub running: u64,
    /// How many attempts failed and are to be decided.
    pub failing: u64,
    /// How many are paused.
    pub paused: u64,
    /// The most important of those that are due.
    pub first: Option<Next>,
    /// What comes up next.
    pub next: Option<Next>,
    /// The time for which the person is or will be away.
    pub away: Option<Away>,
    /// Until when what comes by itself is held now.
    pub quiet_until: Option<Time>,
}
