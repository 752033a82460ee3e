//! The programmable clock: it stands still until it is told what time it is. For tests and `keikod --clock`.
//!
//! Never moves by itself, and never loses a wake-up: who waits subscribes before looking, and a step that nobody was
//! waiting for ends the next wait, as with the system's clock.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use chrono_tz::Tz;
use futures_util::future::BoxFuture;
use tokio::sync::watch;

use crate::clock::{self, AdvanceError, Clock, Jump, Monotonic, Woken};
use crate::domain::time::Timestamp;

/// The programmable clock.
#[derive(Debug)]
pub struct SimClock {
    reading: watch::Sender<Reading>,
    /// How many steps have been told to somebody.
    told: AtomicU64,
}

#[derive(Clone, Copy, Debug)]
struct Reading {
    now: Timestamp,
    boot: Duration,
    monotonic: Duration,
    zone: Tz,
    /// Counts the times that the clock or its zone was set.
    steps: u64,
}

impl SimClock {
    /// Returns a clock that shows `now` in `zone`.
    #[must_use]
    pub fn starting_at(now: Timestamp, zone: Tz) -> Self {
        let reading = Reading { now, boot: Duration::ZERO, monotonic: Duration::ZERO, zone, steps: 0 };
        Self { reading: watch::Sender::new(reading), told: AtomicU64::new(0) }
    }

    /// Sets the clock to any time, as a person or a time server does; everybody who waits is told of a step.
    pub fn step_to(&self, to: Timestamp) {
        self.reading.send_modify(|reading| {
            reading.now = to;
            reading.steps += 1;
        });
    }

    /// Lets the machine sleep until `to`, or not at all where that has passed; everybody who waits is told of a step.
    pub fn suspend_to(&self, to: Timestamp) {
        self.reading.send_modify(|reading| {
            reading.boot += to.since(reading.now).to_duration();
            reading.now = to.max(reading.now);
            reading.steps += 1;
        });
    }

    /// Sets the device's zone, as by travel; everybody who waits is told of a step.
    pub fn set_zone(&self, zone: Tz) {
        self.reading.send_modify(|reading| {
            reading.zone = zone;
            reading.steps += 1;
        });
    }
}

impl Clock for SimClock {
    fn now(&self) -> Timestamp {
        self.reading.borrow().now
    }

    fn monotonic(&self) -> Monotonic {
        Monotonic(self.reading.borrow().monotonic)
    }

    fn reading(&self) -> clock::Reading {
        let Reading { now, boot, monotonic, .. } = *self.reading.borrow();
        clock::Reading { wall: now, boot: Some(boot), monotonic: Monotonic(monotonic) }
    }

    fn zone(&self) -> Tz {
        self.reading.borrow().zone
    }

    fn sleep_until(&self, deadline: Option<Timestamp>) -> BoxFuture<'_, Woken> {
        // Before the first poll already: a step between the call and the poll belongs to this wait.
        let mut readings = self.reading.subscribe();
        let known = self.told.load(Ordering::SeqCst);
        Box::pin(async move {
            let is_over =
                |reading: &Reading| reading.steps != known || deadline.is_some_and(|deadline| deadline <= reading.now);
            let waited = readings.wait_for(is_over).await;
            let reading = *waited.expect("the clock, which holds the sender, outlives the wait that borrows it");
            if reading.steps == known {
                return Woken::Reached;
            }
            self.told.fetch_max(reading.steps, Ordering::SeqCst);
            Woken::Stepped
        })
    }

    fn advance_to(&self, to: Timestamp) -> Result<(), AdvanceError> {
        let mut outcome = Ok(());
        self.reading.send_if_modified(|reading| {
            if to < reading.now {
                outcome = Err(AdvanceError::Backwards { to, now: reading.now });
                return false;
            }
            let passed = to.since(reading.now).to_duration();
            reading.monotonic += passed;
            reading.boot += passed;
            reading.now = to;
            true
        });
        outcome
    }

    fn jump_to(&self, to: Timestamp, jump: Jump) -> Result<(), AdvanceError> {
        match jump {
            Jump::Sleep => {
                let now = self.now();
                if to < now {
                    return Err(AdvanceError::Backwards { to, now });
                }
                self.suspend_to(to);
            }
            Jump::Set { zone } => self.reading.send_modify(|reading| {
                reading.now = to;
                reading.zone = zone.unwrap_or(reading.zone);
                reading.steps += 1;
            }),
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::task::Poll;

    use futures_util::poll;

    use super::*;
    use crate::domain::time::Span;

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_millis(seconds * 1000).unwrap()
    }

    fn clock() -> SimClock {
        SimClock::starting_at(at(100), Tz::UTC)
    }

    #[tokio::test]
    async fn it_stands_still_until_it_is_moved() {
        let clock = clock();
        let mut wait = clock.sleep_until(Some(at(200)));
        assert_eq!(poll!(&mut wait), Poll::Pending);
        clock.advance_to(at(199)).unwrap();
        assert_eq!(poll!(&mut wait), Poll::Pending);
        clock.advance_to(at(200)).unwrap();
        assert_eq!(poll!(&mut wait), Poll::Ready(Woken::Reached));
        assert_eq!((clock.now(), clock.monotonic()), (at(200), Monotonic(Duration::from_secs(100))));
    }

    #[tokio::test]
    async fn a_deadline_that_has_passed_is_reached_at_once() {
        let clock = clock();
        assert_eq!(poll!(clock.sleep_until(Some(at(100)))), Poll::Ready(Woken::Reached));
        assert_eq!(poll!(clock.sleep_until(Some(at(99)))), Poll::Ready(Woken::Reached));
    }

    #[tokio::test]
    async fn a_wait_without_a_deadline_ends_by_a_step_only() {
        let clock = clock();
        let mut wait = clock.sleep_until(None);
        clock.advance_to(Timestamp::MAX).unwrap();
        assert_eq!(poll!(&mut wait), Poll::Pending);
        clock.step_to(at(1));
        assert_eq!(poll!(&mut wait), Poll::Ready(Woken::Stepped));
    }

    #[tokio::test]
    async fn everybody_who_waits_is_told_of_a_step() {
        let clock = clock();
        let mut waits = [clock.sleep_until(Some(at(200))), clock.sleep_until(None)];
        for wait in &mut waits {
            assert_eq!(poll!(wait), Poll::Pending);
        }
        clock.step_to(at(50));
        for wait in &mut waits {
            assert_eq!(poll!(wait), Poll::Ready(Woken::Stepped));
        }
        assert_eq!((clock.now(), clock.monotonic()), (at(50), Monotonic(Duration::ZERO)));
    }

    #[tokio::test]
    async fn a_step_that_nobody_waited_for_ends_the_next_wait_once() {
        let clock = clock();
        clock.step_to(at(300));
        assert_eq!(poll!(clock.sleep_until(Some(at(200)))), Poll::Ready(Woken::Stepped));
        assert_eq!(poll!(clock.sleep_until(Some(at(200)))), Poll::Ready(Woken::Reached));
        assert_eq!(poll!(clock.sleep_until(None)), Poll::Pending);
    }

    #[tokio::test]
    async fn a_move_between_the_call_and_the_first_poll_is_not_lost() {
        let clock = clock();
        let mut reached = clock.sleep_until(Some(at(200)));
        clock.advance_to(at(200)).unwrap();
        assert_eq!(poll!(&mut reached), Poll::Ready(Woken::Reached));
        let mut stepped = clock.sleep_until(None);
        clock.step_to(at(150));
        assert_eq!(poll!(&mut stepped), Poll::Ready(Woken::Stepped));
    }

    #[tokio::test]
    async fn a_new_zone_is_a_step() {
        let clock = clock();
        let mut wait = clock.sleep_until(None);
        assert_eq!(poll!(&mut wait), Poll::Pending);
        clock.set_zone(Tz::Asia__Shanghai);
        assert_eq!(poll!(&mut wait), Poll::Ready(Woken::Stepped));
        assert_eq!(clock.zone(), Tz::Asia__Shanghai);
    }

    #[test]
    fn setting_and_sleeping_are_told_apart() {
        let clock = clock();
        let before = clock.reading();
        clock.step_to(at(400));
        assert_eq!(clock.reading().since(&before).stepped, Span::from_secs(300));
        clock.suspend_to(at(1000));
        let shifted = clock.reading().since(&before);
        assert_eq!((shifted.stepped, shifted.slept), (Span::from_secs(300), Span::from_secs(600)));
        clock.advance_to(at(2000)).unwrap();
        assert_eq!(clock.reading().since(&before), shifted);
    }

    #[tokio::test]
    async fn a_jump_is_told_to_everybody_who_waits() {
        let clock = clock();
        let mut wait = clock.sleep_until(Some(at(200)));
        assert_eq!(clock.jump_to(at(99), Jump::Sleep), Err(AdvanceError::Backwards { to: at(99), now: at(100) }));
        assert_eq!(poll!(&mut wait), Poll::Pending);
        clock.jump_to(at(50), Jump::Set { zone: Some(Tz::Asia__Tokyo) }).unwrap();
        assert_eq!(poll!(&mut wait), Poll::Ready(Woken::Stepped));
        assert_eq!((clock.now(), clock.zone()), (at(50), Tz::Asia__Tokyo));
        clock.jump_to(at(60), Jump::Sleep).unwrap();
        assert_eq!(poll!(clock.sleep_until(None)), Poll::Ready(Woken::Stepped));
    }

    #[test]
    fn advancing_never_goes_back() {
        let clock = clock();
        assert_eq!(clock.advance_to(at(99)), Err(AdvanceError::Backwards { to: at(99), now: at(100) }));
        assert_eq!(clock.advance_to(at(100)), Ok(()));
        assert_eq!(clock.now(), at(100));
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 4)]
    async fn no_wake_up_is_lost_between_threads() {
        let clock = Arc::new(clock());
        for second in 101..1000 {
            let sleeper = Arc::clone(&clock);
            let waited = tokio::spawn(async move { sleeper.sleep_until(Some(at(second))).await });
            clock.advance_to(at(second)).unwrap();
            assert_eq!(waited.await.unwrap(), Woken::Reached);
        }
    }
}
