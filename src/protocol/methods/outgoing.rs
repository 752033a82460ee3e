//! What is asked about what goes out: the channels, their targets, and the deliveries that are not final.

use serde::{Deserialize, Serialize};

use crate::protocol::methods::TaskRef;
use crate::protocol::objects::{ChannelStatus, Delivery, TargetStatus, Time};

/// The most deliveries that [`DeliveryList`] answers with, and its default.
pub const DELIVERIES_MAX: usize = 1000;

/// Asks for deliveries, oldest first: of a task all, else those that are not final.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DeliveryList {
    /// Only those to this target.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// Only those of this status: `queued`, `waiting`, `held`, `grouped`, `retrying` or `failed`; of a task also `delivered` and
    /// `withdrawn`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
    /// Only those of this task.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task: Option<TaskRef>,
    /// Where the page begins: the `next` of the page before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<u64>,
    /// The most that are wanted; [`DELIVERIES_MAX`] unless given, and at most.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<usize>,
}

/// Asks for the channels and their targets.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChannelList {}

/// Leaves a target alone: what is for it is held.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChannelPause {
    /// Which, such as `desktop` or `webhook:NAME`.
    pub target: String,
}

/// Sends to a target again, and what was held for it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChannelResume {
    /// See [`ChannelPause::target`].
    pub target: String,
}

/// Makes one attempt at a target with a message that is no task's, and answers what came of it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChannelTest {
    /// See [`ChannelPause::target`].
    pub target: String,
}

/// Deliveries, oldest first.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct DeliveryListResult<T = Delivery> {
    /// See [`crate::protocol::SCHEMA_VERSION`].
    pub schema_version: u32,
    /// The daemon's time.
    pub now: Time,
    /// The deliveries.
    pub deliveries: Vec<T>,
    /// Where the next page begins, null on the last one; see [`PAGE_BYTES_MAX`](crate::protocol::methods::PAGE_BYTES_MAX).
    pub next: Option<u64>,
}

/// The channels and their targets.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct ChannelListResult {
    /// See [`crate::protocol::SCHEMA_VERSION`].
    pub schema_version: u32,
    /// The daemon's time.
    pub now: Time,
    /// Whether each channel can reach somebody.
    pub channels: Vec<ChannelStatus>,
    /// The targets that are configured or of which anything is known.
    pub targets: Vec<TargetStatus>,
}

/// A target after a change.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct ChannelResult {
    /// See [`crate::protocol::SCHEMA_VERSION`].
    pub schema_version: u32,
    /// The daemon's time.
    pub now: Time,
    /// The target now.
    pub target: TargetStatus,
}

/// What came of an attempt.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ChannelTestResult {
    /// See [`crate::protocol::SCHEMA_VERSION`].
    pub schema_version: u32,
    /// The daemon's time.
    pub now: Time,
    /// The target.
    pub target: String,
    /// Whether it has the message.
    pub delivered: bool,
    /// Why it has not.
    pub error: Option<String>,
}
