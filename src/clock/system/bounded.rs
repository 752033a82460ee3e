//! How a system without a wall-clock timer waits: short sleeps on the monotonic clock, and a look at the wall clock after each.
//!
//! Never sleeps longer than [`SLICE_MAX`], so a step or a suspend is noticed that late at most. On Linux this is the
//! way out when the kernel gives no timer.

#![expect(clippy::disallowed_methods, reason = "this is the clock that everybody else is sent to")]

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::clock::Woken;
use crate::clock::system::wall_now;
use crate::domain::time::{Span, Timestamp};

/// The longest sleep. Shorter would cost wake-ups, longer would notice a step later than people forgive.
const SLICE_MAX: Duration = Duration::from_secs(30);

/// How far the two clocks may drift apart within a slice without a step: network time slews by at most 0.5 ms a second,
/// which is 15 ms a slice; the rest is for a machine that is busy between the two readings.
const DRIFT_MAX: Span = Span::from_millis(500);

/// Waits for wall-clock times, and remembers a step that nobody was waiting for.
#[derive(Debug)]
pub(super) struct BoundedTimer {
    started: Instant,
    watch: Mutex<StepWatch>,
}

impl BoundedTimer {
    /// Returns a timer that notices every step from now on.
    pub(super) fn new() -> Self {
        let started = Instant::now();
        Self { started, watch: Mutex::new(StepWatch::new(wall_now(), Duration::ZERO)) }
    }

    /// Waits until the wall clock shows `deadline` or was set.
    pub(super) async fn sleep_until(&self, deadline: Option<Timestamp>) -> Woken {
        let known = self.watch.lock().unwrap_or_else(PoisonError::into_inner).steps;
        loop {
            let now = wall_now();
            if self.look(now) != known {
                return Woken::Stepped;
            }
            let Some(slice) = slice(now, deadline) else { return Woken::Reached };
            tokio::time::sleep(slice).await;
        }
    }

    fn look(&self, now: Timestamp) -> u64 {
        self.watch.lock().unwrap_or_else(PoisonError::into_inner).look(now, self.started.elapsed())
    }
}

/// Returns how long to sleep before the next look, `None` when the deadline is reached.
fn slice(now: Timestamp, deadline: Option<Timestamp>) -> Option<Duration> {
    let Some(deadline) = deadline else { return Some(SLICE_MAX) };
    let left = deadline.since(now);
    left.is_positive().then(|| left.to_duration().min(SLICE_MAX))
}

/// Tells a step of the wall clock by how far it is from where the monotonic clock says it should be.
#[derive(Debug)]
struct StepWatch {
    wall: Timestamp,
    monotonic: Duration,
    /// Counts the steps seen, so that everybody who waits sees each.
    steps: u64,
}

impl StepWatch {
    fn new(wall: Timestamp, monotonic: Duration) -> Self {
        Self { wall, monotonic, steps: 0 }
    }

    /// Takes two readings of the same moment; returns how many steps there were by now.
    fn look(&mut self, wall: Timestamp, monotonic: Duration) -> u64 {
        let passed = i64::try_from(monotonic.saturating_sub(self.monotonic).as_millis()).unwrap_or(i64::MAX);
        let drift = wall.since(self.wall).as_millis().saturating_sub(passed);
        if drift.unsigned_abs() > DRIFT_MAX.as_millis().unsigned_abs() {
            self.steps += 1;
        }
        (self.wall, self.monotonic) = (wall, monotonic);
        self.steps
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_millis(1_700_000_000_000 + seconds * 1000).unwrap()
    }

    #[test]
    fn no_sleep_is_longer_than_the_slice_or_the_deadline() {
        assert_eq!(slice(at(0), None), Some(SLICE_MAX));
        assert_eq!(slice(at(0), Some(Timestamp::MAX)), Some(SLICE_MAX));
        assert_eq!(slice(at(0), Some(at(5))), Some(Duration::from_secs(5)));
        assert_eq!(slice(at(5), Some(at(5))), None);
        assert_eq!(slice(at(6), Some(at(5))), None);
    }

    #[test]
    fn clocks_that_go_on_together_are_no_step() {
        let mut watch = StepWatch::new(at(0), Duration::ZERO);
        for slice in 1..100 {
            // Slewed by network time as fast as it may.
            let wall = at(slice * 30).saturating_add(Span::from_millis(slice * 15));
            let monotonic = Duration::from_secs(u64::try_from(slice).unwrap() * 30);
            assert_eq!(watch.look(wall, monotonic), 0);
        }
    }

    #[test]
    fn a_clock_that_was_set_and_a_suspend_are_steps() {
        let mut watch = StepWatch::new(at(0), Duration::ZERO);
        assert_eq!(watch.look(at(3600), Duration::from_secs(30)), 1, "set forward, or asleep");
        assert_eq!(watch.look(at(3630), Duration::from_mins(1)), 1, "told once");
        assert_eq!(watch.look(at(0), Duration::from_secs(90)), 2, "set back");
    }

    #[tokio::test]
    async fn a_step_that_nobody_saw_ends_the_next_wait_once() {
        let timer = BoundedTimer::new();
        timer.watch.lock().unwrap().wall = at(-1_000_000);
        assert_eq!(timer.sleep_until(None).await, Woken::Stepped);
        assert_eq!(timer.sleep_until(Some(Timestamp::MIN)).await, Woken::Reached);
    }

    #[tokio::test]
    async fn a_wait_is_not_over_before_its_deadline() {
        let timer = BoundedTimer::new();
        let deadline = wall_now().saturating_add(Span::from_millis(20));
        assert_eq!(timer.sleep_until(Some(deadline)).await, Woken::Reached);
        assert!(wall_now() >= deadline);
    }
}
