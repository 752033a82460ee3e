//! The clock of this machine: the only place where the program reads the time or waits for it.
//!
//! Never beats: a wait ends at its deadline, or at once when the clock is set, the machine resumes or the zone changes.

#![expect(clippy::disallowed_methods, reason = "this is the clock that everybody else is sent to")]

use std::time::{Instant, SystemTime, UNIX_EPOCH};

use chrono_tz::Tz;
use futures_util::future::BoxFuture;

use crate::clock::zone::{self, Detected};
use crate::clock::{AdvanceError, Clock, Monotonic, Woken};
use crate::domain::time::Timestamp;

mod bounded;
#[cfg(target_os = "linux")]
mod events;
#[cfg(target_os = "linux")]
mod timerfd;
#[cfg(target_os = "linux")]
mod zone_watch;

#[cfg(not(target_os = "linux"))]
use bounded::BoundedTimer as WallTimer;
#[cfg(target_os = "linux")]
use timerfd::WallTimer;

/// The clock of this machine.
#[derive(Debug)]
pub struct SystemClock {
    started: Instant,
    timer: WallTimer,
}

impl SystemClock {
    /// Returns the clock. A step of the wall clock from now on ends the first wait, also one that begins later.
    #[must_use]
    pub fn new() -> Self {
        Self { started: Instant::now(), timer: WallTimer::new() }
    }

    /// Returns the zone of this device, and why it may not be the one that was meant.
    #[must_use]
    pub fn detect_zone(&self) -> Detected {
        zone::detect()
    }
}

impl Default for SystemClock {
    fn default() -> Self {
        Self::new()
    }
}

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        wall_now()
    }

    fn monotonic(&self) -> Monotonic {
        Monotonic(self.started.elapsed())
    }

    /// Read anew each time, since the person may travel.
    fn zone(&self) -> Tz {
        self.detect_zone().zone
    }

    fn sleep_until(&self, deadline: Option<Timestamp>) -> BoxFuture<'_, Woken> {
        Box::pin(self.timer.sleep_until(deadline))
    }

    fn advance_to(&self, _to: Timestamp) -> Result<(), AdvanceError> {
        Err(AdvanceError::NotProgrammable)
    }
}

/// Returns the wall-clock time cut to the millisecond, held within the years that Keiko knows.
///
/// Cut, not rounded: a clock that shows a deadline has reached it.
fn wall_now() -> Timestamp {
    let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let millis = i64::try_from(since_epoch.as_millis()).unwrap_or(i64::MAX);
    Timestamp::from_millis(millis).unwrap_or(if millis < 0 { Timestamp::MIN } else { Timestamp::MAX })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::time::Span;

    #[tokio::test]
    async fn a_wait_is_not_over_before_its_deadline() {
        let clock = SystemClock::new();
        for millis in [0, 1, 20] {
            let deadline = clock.now().saturating_add(Span::from_millis(millis));
            assert_eq!(clock.sleep_until(Some(deadline)).await, Woken::Reached);
            assert!(clock.now() >= deadline);
        }
    }

    #[tokio::test]
    async fn a_deadline_that_has_passed_is_reached_at_once() {
        let clock = SystemClock::new();
        assert_eq!(clock.sleep_until(Some(Timestamp::MIN)).await, Woken::Reached);
        assert_eq!(clock.sleep_until(Some(clock.now())).await, Woken::Reached);
    }

    #[tokio::test]
    async fn the_system_clock_cannot_be_advanced() {
        let clock = SystemClock::new();
        assert_eq!(clock.advance_to(Timestamp::MAX), Err(AdvanceError::NotProgrammable));
    }

    #[tokio::test]
    async fn the_monotonic_clock_goes_on_with_the_wall_clock() {
        let clock = SystemClock::new();
        let (before, wall) = (clock.monotonic(), clock.now());
        clock.sleep_until(Some(wall.saturating_add(Span::from_millis(5)))).await;
        assert!(clock.monotonic() > before);
    }
}
