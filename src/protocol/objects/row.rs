//! What of a task stands in a row among others?

use serde::{Deserialize, Serialize};

use crate::protocol::objects::{Priority, Task, Time};

/// What a list shows of a task.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[expect(clippy::struct_excessive_bools, reason = "each is something of its own that a row says or does not")]
pub struct Row {
    /// Its number.
    pub number: u64,
    /// Its title.
    pub title: String,
    /// How much it matters.
    pub priority: Priority,
    /// Its tags, without the leading `+`.
    pub tags: Vec<String>,
    /// Its state, as `state` of a task.
    pub state: String,
    /// Where it stands, in words for people.
    pub stage: String,
    /// The time that matters most at present: when it ended, until when it is snoozed or paused, else when it is due.
    pub at: Option<Time>,
    /// Whether it is open and comes up more than once.
    pub repeats: bool,
    /// Whether somebody has seen it, and not done it.
    pub seen: bool,
    /// Whether it waits for a task that failed.
    pub blocked: bool,
    /// Whether another task is to be done first.
    pub waits: bool,
    /// How far its command says that it has come.
    pub percent: Option<u8>,
}

impl Task {
    /// Returns whether it comes up more than once.
    #[must_use]
    pub fn is_series(&self) -> bool {
        matches!(self.schedule.kind.as_str(), "interval" | "calendar" | "cron" | "after_done")
    }

    /// Returns whether it has not ended.
    #[must_use]
    pub fn is_open(&self) -> bool {
        is_open(&self.state)
    }
}

impl Row {
    /// Returns whether it has not ended.
    #[must_use]
    pub fn is_open(&self) -> bool {
        is_open(&self.state)
    }
}

/// Returns whether a task in this state has not ended.
fn is_open(state: &str) -> bool {
    !matches!(state, "COMPLETED" | "CANCELLED")
}

impl From<Task> for Row {
    fn from(task: Task) -> Self {
        let at = match task.state.as_str() {
            "COMPLETED" | "CANCELLED" => task.ended_at,
            "SUSPENDED" => task.paused_until.or(task.due_at),
            "PENDING" => task.snoozed_until.or(task.due_at),
            _ => task.due_at,
        };
        Self {
            number: task.number,
            at,
            repeats: task.is_open() && task.is_series(),
            seen: task.state == "RUNNING" && task.occurrence.acked_at.is_some(),
            blocked: !task.blocked_by.is_empty(),
            waits: !task.waits_for.is_empty(),
            percent: task.progress.map(|progress| progress.percent),
            title: task.title,
            priority: task.priority,
            tags: task.tags,
            state: task.state,
            stage: task.stage,
        }
    }
}
