//! What is asked about changes: the events behind a cursor, page by page or pushed, and the history of one task.

use serde::{Deserialize, Serialize};

use crate::protocol::methods::{TaskRef, is_false};
use crate::protocol::objects::{Delivery, Event, Task, Time};

/// How many events [`EventList`] answers with unless asked otherwise.
pub const EVENTS_DEFAULT: usize = 1000;

/// The most events that [`EventList`] answers with.
pub const EVENTS_MAX: usize = 10_000;

/// How long the objects of one answer may be together, in bytes: as long as a frame of a caller may be. An answer has one
/// object at least, however long; what does not fit is on the next page.
pub const PAGE_BYTES_MAX: usize = 1024 * 1024;

/// The most deliveries that [`History`] answers with, the latest.
pub const HISTORY_DELIVERIES_MAX: usize = 1000;

/// The method of the notifications that a subscription gives.
pub const EVENT_NOTIFICATION: &str = "event";

/// Asks what happened to a task.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct History {
    /// Which.
    pub task: TaskRef,
    /// Whether each event carries the task as it then was.
    #[serde(default, skip_serializing_if = "is_false")]
    pub full: bool,
    /// Where to go on: `next` of the page before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<u64>,
}

/// Asks for the events behind a cursor.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EventList {
    /// The cursor: the `seq` of the last event seen, 0 before the first.
    #[serde(default)]
    pub since: u64,
    /// The most that are wanted; [`EVENTS_DEFAULT`] unless given, [`EVENTS_MAX`] at most.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<usize>,
}

/// Asks to be told of each event behind a cursor, as the notification [`EVENT_NOTIFICATION`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EventSubscribe {
    /// The cursor, as in [`EventList`]; absent: only what happens from now on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<u64>,
}

/// Asks to be told no more.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EventUnsubscribe {
    /// Which one, as [`EventSubscribeResult`] named it.
    pub subscription: u64,
}

/// What happened to a task, oldest first.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct HistoryResult<E = Event> {
    /// See [`crate::protocol::SCHEMA_VERSION`].
    pub schema_version: u32,
    /// The daemon's time.
    pub now: Time,
    /// The task now.
    pub task: Task,
    /// Its events.
    pub events: Vec<E>,
    /// The latest of its deliveries, on the first page only.
    pub deliveries: Vec<Delivery>,
    /// Where the next page begins, null on the last one.
    #[serde(default)]
    pub next: Option<u64>,
}

/// Events, oldest first.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct EventListResult<E = Event> {
    /// See [`crate::protocol::SCHEMA_VERSION`].
    pub schema_version: u32,
    /// The daemon's time.
    pub now: Time,
    /// The events.
    pub events: Vec<E>,
    /// Where to go on: the `seq` of the last event given, or `since` where there is none.
    pub cursor: u64,
    /// Whether there were more when this was answered; fewer events than the limit do not tell.
    #[serde(default)]
    pub more: bool,
}

/// A subscription has begun; what is behind its cursor follows this answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct EventSubscribeResult {
    /// See [`crate::protocol::SCHEMA_VERSION`].
    pub schema_version: u32,
    /// The daemon's time.
    pub now: Time,
    /// Names it, within the connection.
    pub subscription: u64,
    /// Behind which event it begins.
    pub cursor: u64,
}

/// A subscription has ended; no event of it follows this answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct EventUnsubscribeResult {
    /// See [`crate::protocol::SCHEMA_VERSION`].
    pub schema_version: u32,
    /// The daemon's time.
    pub now: Time,
    /// The last event that was told: where another subscription goes on.
    pub cursor: u64,
}

/// The parameters of the notification [`EVENT_NOTIFICATION`].
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct EventPushed<E = Event> {
    /// See [`EventSubscribeResult::subscription`].
    pub subscription: u64,
    /// Where to go on after this event.
    pub cursor: u64,
    /// The event, with the task as it then was.
    pub event: E,
}
