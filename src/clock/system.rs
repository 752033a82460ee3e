//! The clock of this machine: the only place where the program reads the time or waits for it.
//!
//! Never beats: a wait ends at its deadline, or at once when the clock is set, the machine resumes or the zone changes.

#![expect(clippy::disallowed_methods, reason = "this is the clock that everybody else is sent to")]

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use chrono_tz::Tz;
use futures_util::future::BoxFuture;

use crate::clock::zone::{self, Detected};
use crate::clock::{AdvanceError, Clock, Jump, Monotonic, Reading, Woken};
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

/// Within this the clocks of one reading are read, unless the machine is busy; far below what counts as a step.
const READING_MAX: Duration = Duration::from_millis(20);

/// How often a reading that took longer is taken anew.
const READINGS_MAX: usize = 4;

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

    fn reading(&self) -> Reading {
        // A reading that was interrupted would look like a step: the tightest of a few is taken.
        let read = || {
            let (before, wall, boot, after) = (self.monotonic(), self.now(), boot(), self.monotonic());
            (after.since(before), Reading { wall, boot, monotonic: before })
        };
        let mut tightest = read();
        for _ in 1..READINGS_MAX {
            if tightest.0 <= READING_MAX {
                break;
            }
            let again = read();
            if again.0 < tightest.0 {
                tightest = again;
            }
        }
        tightest.1
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

    fn jump_to(&self, _to: Timestamp, _jump: Jump) -> Result<(), AdvanceError> {
        Err(AdvanceError::NotProgrammable)
    }
}

/// Returns the time since the machine was started, asleep or not.
#[cfg(target_os = "linux")]
fn boot() -> Option<Duration> {
    let boot = rustix::time::clock_gettime(rustix::time::ClockId::Boottime);
    Some(Duration::new(u64::try_from(boot.tv_sec).ok()?, u32::try_from(boot.tv_nsec).ok()?))
}

/// The standard library knows no clock that goes on in suspend and is never set.
#[cfg(not(target_os = "linux"))]
const fn boot() -> Option<Duration> {
    None
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
    async fn the_passing_of_time_is_no_step_and_no_sleep() {
        let clock = SystemClock::new();
        let before = clock.reading();
        clock.sleep_until(Some(clock.now().saturating_add(Span::from_millis(5)))).await;
        let shifted = clock.reading().since(&before);
        assert!(shifted.is_nothing(), "{shifted:?}");
    }

    #[tokio::test]
    async fn the_monotonic_clock_goes_on_with_the_wall_clock() {
        let clock = SystemClock::new();
        let (before, wall) = (clock.monotonic(), clock.now());
        clock.sleep_until(Some(wall.saturating_add(Span::from_millis(5)))).await;
        assert!(clock.monotonic() > before);
    }
}
