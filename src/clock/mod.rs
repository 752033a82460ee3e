//! The one clock: wall time to schedule by, monotonic time to measure by, and a sleep that knows when wall time is set.
//!
//! No other module calls `now()` or sleeps. Tests and `keikod --clock` replace the system's clock by a programmable one.

use std::time::Duration;

use chrono_tz::Tz;
use futures_util::future::BoxFuture;

use crate::domain::time::Timestamp;

pub mod sim;
pub mod system;
pub mod zone;

/// Where all time comes from.
pub trait Clock: Send + Sync + 'static {
    /// Returns the wall-clock time. It may be set, so it can go back.
    fn now(&self) -> Timestamp;

    /// Returns the monotonic time. It never goes back and is never set, and it stands still in suspend.
    fn monotonic(&self) -> Monotonic;

    /// Returns the zone of this device.
    fn zone(&self) -> Tz;

    /// Waits until wall-clock time reaches `deadline`; `None` waits for a step only. A step that nobody waited for ends
    /// the next wait.
    ///
    /// A wake-up is a hint: the caller looks at [`Clock::now`]. Dropping the future ends the wait without a trace.
    fn sleep_until(&self, deadline: Option<Timestamp>) -> BoxFuture<'_, Woken>;

    /// Moves a programmable clock to `to`, and wakes whoever waits for a time on the way.
    ///
    /// # Errors
    /// The clock is the system's, or `to` lies before now.
    fn advance_to(&self, to: Timestamp) -> Result<(), AdvanceError>;
}

/// Why a wait ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Woken {
    /// The deadline was reached.
    Reached,
    /// The clock or its zone was set, or the machine woke from suspend: every plan is to be looked at again.
    Stepped,
}

/// A reading of the monotonic clock; only differences mean anything.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Monotonic(pub Duration);

impl Monotonic {
    /// Returns the time since an earlier reading, nothing when that is later.
    #[must_use]
    pub fn since(self, earlier: Self) -> Duration {
        self.0.saturating_sub(earlier.0)
    }
}

/// Why a clock was not moved.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum AdvanceError {
    /// It is the system's clock.
    #[error("cannot advance the clock: the daemon runs on the system's clock")]
    NotProgrammable,
    /// Time does not go back.
    #[error("cannot advance the clock to {to}: it already shows {now}")]
    Backwards {
        /// Where it was to go.
        to: Timestamp,
        /// What it shows.
        now: Timestamp,
    },
}
