//! What is asked about hooks: programs that are run when something happens.

use serde::{Deserialize, Serialize};

use crate::protocol::objects::{Priority, Time};

/// Asks for the hooks, and how it goes with them and with the pings of commands.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HookList {}

/// Registers a program that is run when something happens, until it is removed; one of the same name is replaced.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HookAdd {
    /// What it is told of, such as `completed`; `all` stands for everything.
    pub on: Vec<String>,
    /// The program and its arguments, never read by a shell.
    pub command: Vec<String>,
    /// What it is called by; made of all the rest where it is not given, so that the same hook has the same name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Only of tasks with one of these tags.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// Only of the tasks of these numbers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tasks: Vec<u64>,
    /// Only of tasks of this priority.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub priority: Option<Priority>,
    /// Only of what came late.
    #[serde(default)]
    pub late: bool,
    /// The directory that it runs in; that of the daemon where it is not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub directory: Option<String>,
    /// How many seconds it may run; 30 where it is not given, 3600 at most.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout_s: Option<u32>,
}

/// Removes a hook that was registered.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HookRemove {
    /// Its name.
    pub name: String,
}

/// The hooks.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct HookListResult {
    /// See [`crate::protocol::SCHEMA_VERSION`].
    pub schema_version: u32,
    /// The daemon's time.
    pub now: Time,
    /// Those of the configuration in their order, then those that were registered.
    pub hooks: Vec<HookStatus>,
    /// How it goes with the pings of commands.
    pub pings: PingStatus,
}

/// A hook that was registered.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct HookAddResult {
    /// See [`crate::protocol::SCHEMA_VERSION`].
    pub schema_version: u32,
    /// The daemon's time.
    pub now: Time,
    /// Its name.
    pub name: String,
    /// Whether it took the place of one of the same name.
    pub replaced: bool,
    /// The last event that it is not told of; those behind it are.
    pub cursor: u64,
}

/// A hook that was removed.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct HookRemoveResult {
    /// See [`crate::protocol::SCHEMA_VERSION`].
    pub schema_version: u32,
    /// The daemon's time.
    pub now: Time,
    /// The hook as it was.
    pub hook: HookStatus,
}

/// A program that is run when something happens, and how it goes with it since the daemon was started.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct HookStatus {
    /// Its name.
    pub name: String,
    /// `configuration`, or `rpc` where a program registered it.
    pub origin: String,
    /// What it is told of; `all` stands for everything.
    pub on: Vec<String>,
    /// Only of tasks with one of these tags.
    pub tags: Vec<String>,
    /// Only of the tasks of these numbers.
    pub tasks: Vec<u64>,
    /// Only of tasks of this priority.
    pub priority: Option<Priority>,
    /// Only of what came late.
    pub late: bool,
    /// The program, without its arguments: they may hold keys.
    pub program: String,
    /// How many seconds it may run.
    pub timeout_s: u64,
    /// How many events wait for it.
    pub waiting: usize,
    /// Whether it runs now.
    pub running: bool,
    /// How often it has run.
    pub runs: u64,
    /// How many of these failed.
    pub failures: u64,
    /// How many of these failed in a row, up to the last.
    pub failures_in_a_row: u64,
    /// How many events found no room in its queue, and were not told.
    pub dropped: u64,
    /// Why the last failure failed.
    pub last_error: Option<String>,
    /// When it last ended.
    pub last_run_at: Option<Time>,
}

/// How it goes with the pings of commands since the daemon was started.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct PingStatus {
    /// How many wait or are under way.
    pub waiting: usize,
    /// How many were taken.
    pub taken: u64,
    /// How many were given up.
    pub failures: u64,
    /// How many were not sent, since too many waited or they were too old.
    pub dropped: u64,
    /// Why the last one that was given up failed.
    pub last_error: Option<String>,
}
