//! What do programs read of commands and their runs?

use serde::{Deserialize, Serialize};

use crate::protocol::objects::{OccurrenceName, Time};

/// What a task runs when it is due.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Command {
    /// The program and its arguments, null of the shell form.
    pub arguments: Option<Vec<String>>,
    /// The text for `sh -c`, null of a list of arguments.
    pub shell: Option<String>,
    /// The directory that it runs in; empty: the home directory.
    pub directory: String,
    /// The names of the variables that were kept. Their values may be secret, and are never told.
    pub env: Vec<String>,
    /// How long it may run, null: for ever.
    pub timeout_s: Option<i64>,
    /// What becomes of a time at which it still runs: `skip`, `queue` or `allow`.
    pub overlap: String,
    /// How much it gives way to others, from 0 to 19.
    pub nice: u8,
    /// What it may use at most.
    pub limits: CommandLimits,
    /// Where a dead-man's switch is told of its start and its end, null: nowhere. Only the host: the rest is the key to it.
    #[serde(default)]
    pub ping: Option<String>,
}

/// What a command may use at most; null: what the daemon may.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct CommandLimits {
    /// Bytes of memory.
    pub memory_bytes: Option<u64>,
    /// Seconds of processor time.
    pub cpu_s: Option<u64>,
    /// Processes and threads.
    pub processes: Option<u64>,
    /// Open files.
    pub files: Option<u64>,
}

/// One attempt at a command.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Run {
    /// The UUID of every device.
    pub id: String,
    /// Counts the attempts at the occurrence, from 1; 0 where it was asked for besides the task's times.
    pub attempt: u32,
    /// The occurrence.
    pub occurrence: OccurrenceName,
    /// `queued`, `starting`, `running`, `ending` (it is asked to end) or `ended`.
    pub status: String,
    /// When it was decided on.
    pub created_at: Time,
    /// When it was started, where it was.
    pub since: Option<Time>,
    /// When it ended.
    pub ended_at: Option<Time>,
    /// The number of its process and of that one's group, while it runs.
    pub pid: Option<u32>,
    /// How it ended.
    pub end: Option<RunEnd>,
    /// What it reported last of how far it is, for the attempt behind it.
    pub checkpoint: Option<String>,
    /// What the attempt before had reported last, where that was cut short.
    pub resumes_from: Option<String>,
    /// How far it says that it is.
    pub progress: Option<Progress>,
}

/// How a run ended.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct RunEnd {
    /// `exit`, `signal`, `timed_out`, `not_started`, `interrupted`, `stopped` or `withdrawn`.
    pub how: String,
    /// The exit status, or the signal.
    pub code: Option<i32>,
    /// Why it was not started.
    pub error: Option<String>,
    /// The same for people: `exit status 3`.
    pub text: String,
}

impl RunEnd {
    /// Returns whether it did what it was to do.
    #[must_use]
    pub fn is_success(&self) -> bool {
        self.how == "exit" && self.code == Some(0)
    }
}

/// How many runs of commands there are.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct RunCounts {
    /// Those that have been started.
    pub running: u64,
    /// Those that wait for a free place.
    pub waiting: u64,
}

/// How far a command says that it is.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Progress {
    /// Per cent, from 0 to 100.
    pub percent: u8,
    /// What it does, possibly empty.
    pub text: String,
}

/// A command that failed, and is not tried again.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct CommandFailed {
    /// The number of its task.
    pub number: u64,
    /// The title of its task.
    pub title: String,
    /// The occurrence.
    pub occurrence: OccurrenceName,
    /// When it ended.
    pub at: Time,
    /// How its last attempt ended, in words; null where that is not kept any more.
    pub error: Option<String>,
}
