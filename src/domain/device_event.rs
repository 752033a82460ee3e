//! What happened to a device rather than to a task: its clock was set, it slept, it moved to another zone.

use uuid::Uuid;

use crate::domain::event::{Actor, Event};
use crate::domain::time::{Span, Timestamp};

/// What happened to a device.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum DeviceOperation {
    /// Its clock was set.
    ClockStepped {
        /// What it would have shown.
        from: Timestamp,
        /// What it showed instead.
        to: Timestamp,
    },
    /// It slept, and nothing could be done meanwhile.
    Slept {
        /// Since when, by the clock that it woke to.
        from: Timestamp,
        /// Until when.
        to: Timestamp,
    },
    /// It moved to another zone. The names may be of zones that this program does not know.
    ZoneChanged {
        /// The zone before.
        from: String,
        /// The zone since.
        to: String,
    },
    /// The person said to be away.
    AwaySet {
        /// Since when.
        from: Timestamp,
        /// Until when.
        to: Timestamp,
        /// Tasks with one of these tags ring all the same.
        except: Vec<String>,
    },
    /// The person said to be away no more.
    AwayEnded,
}

impl DeviceOperation {
    /// Returns the word that SQL and the wire use, in the past tense.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::ClockStepped { .. } => "clock_stepped",
            Self::Slept { .. } => "slept",
            Self::ZoneChanged { .. } => "zone_changed",
            Self::AwaySet { .. } => "away_set",
            Self::AwayEnded => "away_ended",
        }
    }

    /// Returns by how much the clock was set, or how long the device slept; `None` for any other change.
    #[must_use]
    pub const fn by(&self) -> Option<Span> {
        match self {
            Self::ClockStepped { from, to } | Self::Slept { from, to } => Some(to.since(*from)),
            Self::ZoneChanged { .. } | Self::AwaySet { .. } | Self::AwayEnded => None,
        }
    }
}

/// The immutable record of something that happened to a device.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DeviceEvent {
    /// Its name on every device (`UUIDv7`).
    pub event_id: Uuid,
    /// The cause; what it made of tasks bears the same or another.
    pub op_id: Uuid,
    /// The device.
    pub device: Uuid,
    /// Who did it.
    pub actor: Actor,
    /// When it was noticed, by the clock as it then was.
    pub at: Timestamp,
    /// What happened.
    pub operation: DeviceOperation,
    /// Why, for people; empty where the operation says it all.
    pub reason: String,
}

/// An event of a task or of a device: both are counted by one counter.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum AnyEvent {
    /// Of a task.
    Task(Box<Event>),
    /// Of a device.
    Device(DeviceEvent),
}

impl AnyEvent {
    /// Returns when it happened.
    #[must_use]
    pub const fn at(&self) -> Timestamp {
        match self {
            Self::Task(event) => event.at,
            Self::Device(event) => event.at,
        }
    }

    /// Returns the event of a task, where it is one.
    #[must_use]
    pub fn of_task(&self) -> Option<&Event> {
        match self {
            Self::Task(event) => Some(event),
            Self::Device(_) => None,
        }
    }
}
