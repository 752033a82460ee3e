//! What is asked of a task by `task.update`: new values of anything that it says and does.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

#[cfg(doc)]
use crate::protocol::methods::Add;
use crate::protocol::methods::{Command, SeriesScope, TaskRef, is_false, some};
use crate::protocol::objects::Priority;

/// Changes what a task says or when it comes up; what is absent stays.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Update {
    /// Which.
    pub task: TaskRef,
    /// The version that the caller saw.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<u64>,
    /// The new title.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The new notes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notes: Option<String>,
    /// The new link; null removes it.
    #[serde(default, deserialize_with = "some", skip_serializing_if = "Option::is_none")]
    pub link: Option<Option<String>>,
    /// The new priority.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub priority: Option<Priority>,
    /// All tags anew.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tags: Option<Vec<String>>,
    /// All metadata anew.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metadata: Option<BTreeMap<String, String>>,
    /// All channels anew.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub channels: Option<Vec<String>>,
    /// What it runs when it is due; null removes it, and it is a reminder from then on.
    #[serde(default, deserialize_with = "some", skip_serializing_if = "Option::is_none")]
    pub command: Option<Option<Command>>,
    /// See [`Add::ping`]; null tells it of nothing more.
    #[serde(default, deserialize_with = "some", skip_serializing_if = "Option::is_none")]
    pub ping: Option<Option<String>>,
    /// See [`Add::max_retries`]; null goes back to the default.
    #[serde(default, deserialize_with = "some", skip_serializing_if = "Option::is_none")]
    pub max_retries: Option<Option<u32>>,
    /// See [`Add::max_late`]; null removes it.
    #[serde(default, deserialize_with = "some", skip_serializing_if = "Option::is_none")]
    pub max_late: Option<Option<String>>,
    /// A new time, as a phrase.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// A new time, as a phrase.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    /// A new repetition: what would follow "every".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub every: Option<String>,
    /// See [`Add::cron`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cron: Option<String>,
    /// See [`Add::rrule`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rrule: Option<String>,
    /// See [`Add::from`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// See [`Add::until`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<String>,
    /// See [`Add::zone`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub zone: Option<String>,
    /// See [`Add::fixed_zone`].
    #[serde(default, skip_serializing_if = "is_false")]
    pub fixed_zone: bool,
    /// All alerts anew; see [`Add::alerts`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub alerts: Option<Vec<String>>,
    /// See [`Add::missed`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missed: Option<String>,
    /// See [`Add::nag`]; null removes it.
    #[serde(default, deserialize_with = "some", skip_serializing_if = "Option::is_none")]
    pub nag: Option<Option<String>>,
    /// See [`Add::nag_max`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nag_max: Option<u32>,
    /// See [`Add::auto_done`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub auto_done: Option<bool>,
    /// See [`Add::deadline`]; null removes it.
    #[serde(default, deserialize_with = "some", skip_serializing_if = "Option::is_none")]
    pub deadline: Option<Option<String>>,
    /// See [`Add::deadline_alerts`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deadline_alerts: Option<Vec<String>>,
    /// See [`Add::after_done`].
    #[serde(default, skip_serializing_if = "is_false")]
    pub after_done: bool,
    /// The idempotency key, see [`Add::key`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// All tasks that are to be done first, anew; none: it waits for none any more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waits_for: Option<Vec<TaskRef>>,
    /// See [`Add::delay`]; null removes it.
    #[serde(default, deserialize_with = "some", skip_serializing_if = "Option::is_none")]
    pub delay: Option<Option<String>>,
    /// See [`Add::on_parent_fail`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on_parent_fail: Option<String>,
    /// Which times of a series are meant; absent: all of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<SeriesScope>,
    /// Whether it is only asked what would be: nothing is changed, and the key is not used up.
    #[serde(default, skip_serializing_if = "is_false")]
    pub preview: bool,
}
