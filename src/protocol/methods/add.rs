//! What can be said of a task that is added: `task.add`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::protocol::methods::{Command, TaskRef, is_false};
use crate::protocol::objects::Priority;

/// Adds a task.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own on the wire")]
pub struct Add {
    /// A sentence with title and time, or a time phrase where `title` is given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The title, word for word.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// A time phrase.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    /// What would follow "every".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub every: Option<String>,
    /// A cron expression of five to seven fields.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cron: Option<String>,
    /// A recurrence rule of RFC 5545.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rrule: Option<String>,
    /// The first time of a repetition, as a time phrase.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// The last time of a repetition, or the day of it, as a time phrase.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<String>,
    /// The caller's IANA zone; where it differs from the daemon's the task keeps it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub zone: Option<String>,
    /// Whether the person chose the zone, so that the task keeps it whatever the daemon's is.
    #[serde(default, skip_serializing_if = "is_false")]
    pub fixed_zone: bool,
    /// Free text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notes: Option<String>,
    /// Something to open.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub link: Option<String>,
    /// How much it matters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub priority: Option<Priority>,
    /// With or without the leading `+`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tags: Option<Vec<String>>,
    /// For programs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metadata: Option<BTreeMap<String, String>>,
    /// Where it speaks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub channels: Option<Vec<String>>,
    /// When it speaks: `1h` and `-1h` before due, `0` at due, `+15m` after.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub alerts: Option<Vec<String>>,
    /// How many times a delivery of a task for programs only is tried again (3), or its command (0).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_retries: Option<u32>,
    /// How long past its time it is still sent, such as `2h`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_late: Option<String>,
    /// Whether it does not speak at all.
    #[serde(default, skip_serializing_if = "is_false")]
    pub no_alert: bool,
    /// What it runs when it is due: it then says nothing by itself at due, and its times that were missed are skipped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<Command>,
    /// What becomes of times at which the machine was off: `once` (the latest rings late), `skip`, or of a command `all`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missed: Option<String>,
    /// How long after each ring it rings again until it is answered, such as `10m`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nag: Option<String>,
    /// How often it rings again at most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nag_max: Option<u32>,
    /// Whether it is done as soon as it was delivered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub auto_done: Option<bool>,
    /// When it must be done at the latest, as a time phrase; of a repetition, behind each due.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deadline: Option<String>,
    /// When it speaks of its deadline: `1h` before, `0` at it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deadline_alerts: Option<Vec<String>>,
    /// Whether a repetition counts from each completion.
    #[serde(default, skip_serializing_if = "is_false")]
    pub after_done: bool,
    /// Whether a task without a time is refused (`remind`).
    #[serde(default, skip_serializing_if = "is_false")]
    pub time_required: bool,
    /// The idempotency key: sent twice, done once; the second answer tells the task as it is then, with `changed` false.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// The tasks that are to be done first: until then it neither comes up nor rings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waits_for: Option<Vec<TaskRef>>,
    /// How long after the last of them was done it may come up, such as `30m`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delay: Option<String>,
    /// What becomes of it where one of them never will be done: `hold` (it is blocked, and the person is told), `run` (that
    /// one counts as done) or `cancel`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on_parent_fail: Option<String>,
    /// The address of an outside dead-man's switch (healthchecks.io and its like) that is told when its command starts,
    /// succeeds and fails.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ping: Option<String>,
    /// Whether nothing is added, and only asked what would be: it has no number then, and its id goes with the answer. Where its
    /// key was used before, the task of that is told.
    #[serde(default, skip_serializing_if = "is_false")]
    pub preview: bool,
}
