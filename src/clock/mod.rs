//! The one clock: wall time to schedule by, monotonic time to measure by, and a sleep that knows when wall time is set.
//!
//! No other module calls `now()` or sleeps. Tests and `keikod --clock` replace the system's clock by a programmable one.

use std::time::Duration;

use chrono_tz::Tz;
use futures_util::future::BoxFuture;

use crate::domain::time::{Span, Timestamp};

pub mod sim;
pub mod system;
pub mod zone;

/// Where all time comes from.
pub trait Clock: Send + Sync + 'static {
    /// Returns the wall-clock time. It may be set, so it can go back.
    fn now(&self) -> Timestamp;

    /// Returns the monotonic time. It never goes back and is never set, and it stands still in suspend.
    fn monotonic(&self) -> Monotonic;

    /// Returns all clocks at one moment: what they say of another moment tells how much the wall clock was set between
    /// the two and how long the machine slept. Cheap enough for every turn of a loop.
    fn reading(&self) -> Reading;

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

    /// Moves a programmable clock to `to` at once, past whatever lies between, and tells whoever waits of a step.
    ///
    /// # Errors
    /// The clock is the system's, or a machine is to sleep until a time before now.
    fn jump_to(&self, to: Timestamp, jump: Jump) -> Result<(), AdvanceError>;
}

/// How a programmable clock comes to show another time without showing those between.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Jump {
    /// The machine sleeps meanwhile.
    Sleep,
    /// The clock is set, also back, and the device may be in another zone since.
    Set {
        /// The zone; `None`: the one it was in.
        zone: Option<Tz>,
    },
}

/// What the clocks show at one moment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Reading {
    /// The wall clock.
    pub wall: Timestamp,
    /// The time since the machine was started, asleep or not; it is never set. `None` where the system has no such clock:
    /// a clock that was set forward cannot be told from a sleep then, and is taken for one, since sleeps are the many.
    pub boot: Option<Duration>,
    /// The monotonic clock, which stands still in suspend.
    pub monotonic: Monotonic,
}

/// What happened to the wall clock between two readings, beside the passing of time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shifted {
    /// How much it was set, forward or (negative) back.
    pub stepped: Span,
    /// How long the machine slept.
    pub slept: Span,
}

/// Below this a difference between the clocks is slewing, or the time between two of their readings.
pub const STEP_MIN: Span = Span::from_secs(1);

impl Reading {
    /// Returns what happened since an earlier reading; what is shorter than [`STEP_MIN`] is nothing.
    ///
    /// Slewing touches the wall clock and the boot clock alike, so it is no step.
    #[must_use]
    pub fn since(&self, earlier: &Self) -> Shifted {
        let shown = self.wall.since(earlier.wall).as_millis();
        let awake = millis(self.monotonic.0) - millis(earlier.monotonic.0);
        let passed = match (self.boot, earlier.boot) {
            (Some(boot), Some(before)) => millis(boot) - millis(before),
            (None, _) | (_, None) => shown.max(awake),
        };
        let stepped = Span::from_millis(shown - passed);
        let slept = Span::from_millis(passed - awake);
        let is_step = stepped.as_millis().abs() >= STEP_MIN.as_millis();
        Shifted {
            stepped: if is_step { stepped } else { Span::ZERO },
            slept: if slept >= STEP_MIN { slept } else { Span::ZERO },
        }
    }
}

impl Shifted {
    /// Returns whether nothing happened.
    #[must_use]
    pub fn is_nothing(&self) -> bool {
        *self == Self { stepped: Span::ZERO, slept: Span::ZERO }
    }
}

/// Clocks since a start count centuries at most, so none is cut.
fn millis(duration: Duration) -> i64 {
    i64::try_from(duration.as_millis()).unwrap_or(i64::MAX / 4)
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

#[cfg(test)]
mod tests {
    use super::*;

    fn reading(wall: i64, boot: u64, monotonic: u64) -> Reading {
        Reading {
            wall: Timestamp::from_millis(1_700_000_000_000 + wall).expect("in range"),
            boot: Some(Duration::from_millis(boot)),
            monotonic: Monotonic(Duration::from_millis(monotonic)),
        }
    }

    #[track_caller]
    fn check(later: Reading, stepped: i64, slept: i64) {
        let expected = Shifted { stepped: Span::from_millis(stepped), slept: Span::from_millis(slept) };
        assert_eq!(later.since(&reading(0, 0, 0)), expected);
    }

    #[test]
    fn the_clocks_together_tell_a_step_from_a_sleep() {
        check(reading(5000, 5000, 5000), 0, 0);
        check(reading(3_605_000, 5000, 5000), 3_600_000, 0);
        check(reading(-3_595_000, 5000, 5000), -3_600_000, 0);
        check(reading(3_605_000, 3_605_000, 5000), 0, 3_600_000);
        check(reading(-1_000_000, 3_605_000, 5000), -4_605_000, 3_600_000);
    }

    #[test]
    fn without_a_boot_clock_a_jump_forward_is_a_sleep_and_one_back_a_step() {
        let blind = |wall, monotonic| Reading { boot: None, ..reading(wall, 0, monotonic) };
        let since = |later: Reading| {
            let shifted = later.since(&blind(0, 0));
            (shifted.stepped, shifted.slept)
        };
        assert_eq!(since(blind(5000, 5000)), (Span::ZERO, Span::ZERO));
        assert_eq!(since(blind(3_605_000, 5000)), (Span::ZERO, Span::from_secs(3600)));
        assert_eq!(since(blind(-3_595_000, 5000)), (Span::from_secs(-3600), Span::ZERO));
    }

    #[test]
    fn less_than_a_second_is_no_step_and_no_sleep() {
        check(reading(5999, 5000, 5000), 0, 0);
        check(reading(4001, 5000, 5000), 0, 0);
        check(reading(5000, 5000, 4001), 0, 0);
        check(reading(6000, 5000, 4000), 1000, 1000);
    }
}
