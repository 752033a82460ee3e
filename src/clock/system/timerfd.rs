//! How Linux waits for a wall-clock time: a timerfd on the real-time clock that is cancelled when that clock is set.
//!
//! Never polls while the kernel gives timers. What the kernel does, by its `fs/timerfd.c`:
//! - `timerfd_clock_was_set` marks every timer that is armed with `CANCEL_ON_SET`. The mark stays on the descriptor until
//!   `read` or the next `timerfd_settime` reports it as `ECANCELED`. The latter has armed the timer all the same, but
//!   for a plan made before the step: so the caller is told, and plans anew.
//! - Resume counts as such a step (`timerfd_resume`; before Linux 5.14 through `hrtimers_resume`), because the offset
//!   between monotonic and real time has grown by the time asleep. A deadline that passed asleep is told as a step too.
//! - A value of zero disarms. A value beyond the year 2262 is held at the end of the kernel's range and never fires.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::{Mutex, PoisonError};

use rustix::io::Errno;
use rustix::time::{
    Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, Timespec, timerfd_create, timerfd_settime,
};

use crate::clock::Woken;
use crate::clock::system::bounded::BoundedTimer;
use crate::clock::system::zone_watch::ZoneWatch;
use crate::clock::system::{events, wall_now};
use crate::domain::time::Timestamp;

/// Waits for wall-clock times, and remembers a step that nobody was waiting for.
#[derive(Debug)]
pub(super) struct WallTimer {
    /// Timers that nobody waits on. They stay armed, so that the kernel marks a step on them for the next wait to see.
    idle: Mutex<Vec<OwnedFd>>,
    zone: ZoneWatch,
    /// For when the system is out of descriptors.
    bounded: BoundedTimer,
}

impl WallTimer {
    /// Returns a timer that notices every step from now on.
    pub(super) fn new() -> Self {
        let first = create().and_then(|timer| arm(&timer, None).map(|_| timer));
        Self { idle: Mutex::new(first.into_iter().collect()), zone: ZoneWatch::new(), bounded: BoundedTimer::new() }
    }

    /// Waits until the wall clock shows `deadline`, is set, or its zone changes.
    pub(super) async fn sleep_until(&self, deadline: Option<Timestamp>) -> Woken {
        tokio::select! {
            biased;
            () = self.zone.changed() => Woken::Stepped,
            woken = self.wait(deadline) => woken,
        }
    }

    async fn wait(&self, deadline: Option<Timestamp>) -> Woken {
        let waited = match self.lease() {
            Ok(lease) => wait_on(&lease, deadline).await,
            Err(error) => Err(error),
        };
        match waited {
            Ok(woken) => woken,
            Err(error) => {
                tracing::warn!(%error, "the system gives no timer, looking at the clock now and then instead");
                self.bounded.sleep_until(deadline).await
            }
        }
    }

    fn lease(&self) -> io::Result<Lease<'_>> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let timer = idle.map_or_else(create, Ok)?;
        Ok(Lease { pool: &self.idle, timer: Some(timer) })
    }
}

/// A timer that goes back to the pool, mark and all, when its wait ends or is dropped.
struct Lease<'a> {
    pool: &'a Mutex<Vec<OwnedFd>>,
    timer: Option<OwnedFd>,
}

impl Lease<'_> {
    fn timer(&self) -> &OwnedFd {
        self.timer.as_ref().expect("a lease holds its timer until it is dropped")
    }
}

impl Drop for Lease<'_> {
    fn drop(&mut self) {
        self.pool.lock().unwrap_or_else(PoisonError::into_inner).extend(self.timer.take());
    }
}

async fn wait_on(lease: &Lease<'_>, deadline: Option<Timestamp>) -> io::Result<Woken> {
    let timer = lease.timer();
    if arm(timer, deadline)? == Armed::AfterStep {
        return Ok(Woken::Stepped);
    }
    let descriptor = events::of(timer.as_fd())?;
    loop {
        let mut ready = descriptor.readable().await?;
        match rustix::io::read(timer, &mut [0_u8; 8]) {
            Ok(_) if deadline.is_some_and(|at| wall_now() >= at) => return Ok(Woken::Reached),
            // Slower by a tick than the clock it is set by, or a wait for steps that came to the end of time.
            Ok(_) => {
                ready.clear_ready();
                if arm(timer, deadline)? == Armed::AfterStep {
                    return Ok(Woken::Stepped);
                }
            }
            Err(Errno::CANCELED) => return Ok(Woken::Stepped),
            Err(Errno::AGAIN) => ready.clear_ready(),
            Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

fn create() -> io::Result<OwnedFd> {
    Ok(timerfd_create(TimerfdClockId::Realtime, TimerfdFlags::NONBLOCK | TimerfdFlags::CLOEXEC)?)
}

/// How arming a timer went.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Armed {
    /// As asked.
    Quietly,
    /// As asked, and a step that nobody saw came before.
    AfterStep,
}

fn arm(timer: &OwnedFd, deadline: Option<Timestamp>) -> io::Result<Armed> {
    let flags = TimerfdTimerFlags::ABSTIME | TimerfdTimerFlags::CANCEL_ON_SET;
    match timerfd_settime(timer, flags, &expiry(deadline)) {
        Ok(_) => Ok(Armed::Quietly),
        Err(Errno::CANCELED) => Ok(Armed::AfterStep),
        Err(error) => Err(error.into()),
    }
}

fn expiry(deadline: Option<Timestamp>) -> Itimerspec {
    let millis = deadline.unwrap_or(Timestamp::MAX).as_millis();
    // Zero would disarm: the first instant of 1970 is told by its first nanosecond.
    let nanos = if millis == 0 { 1 } else { millis % 1000 * 1_000_000 };
    Itimerspec {
        it_interval: Timespec { tv_sec: 0, tv_nsec: 0 },
        it_value: Timespec { tv_sec: millis / 1000, tv_nsec: nanos },
    }
}

#[cfg(test)]
mod tests {
    use std::task::Poll;

    use futures_util::poll;
    use rustix::time::timerfd_gettime;

    use super::*;
    use crate::domain::time::Span;

    fn remaining_s(timer: &OwnedFd) -> i64 {
        timerfd_gettime(timer).unwrap().it_value.tv_sec
    }

    #[test]
    fn no_deadline_disarms_a_timer() {
        for millis in [0, 1, 999, 1000, 1_715_630_400_123, Timestamp::MAX.as_millis()] {
            let value = expiry(Timestamp::from_millis(millis)).it_value;
            assert!(value.tv_sec > 0 || value.tv_nsec > 0, "at {millis}");
            assert!((0..1_000_000_000).contains(&value.tv_nsec), "at {millis}");
        }
    }

    #[test]
    fn a_timer_that_nobody_waits_on_stays_armed() {
        let timer = WallTimer::new();
        let idle = timer.idle.lock().unwrap();
        assert_eq!(idle.len(), 1);
        // Armed beyond the kernel's range: held at its end, some two hundred years ahead.
        assert!(remaining_s(&idle[0]) > 100 * 365 * 86_400);
    }

    #[tokio::test]
    async fn a_wait_without_a_deadline_does_not_end_by_itself() {
        let timer = WallTimer::new();
        let mut wait = Box::pin(timer.sleep_until(None));
        assert_eq!(poll!(&mut wait), Poll::Pending);
        drop(wait);
        assert!(remaining_s(&timer.idle.lock().unwrap()[0]) > 100 * 365 * 86_400);
    }

    #[tokio::test]
    async fn a_dropped_wait_gives_its_timer_back() {
        let timer = WallTimer::new();
        let hour = wall_now().saturating_add(Span::from_minutes(60));
        for _ in 0..3 {
            assert_eq!(poll!(Box::pin(timer.sleep_until(Some(hour)))), Poll::Pending);
        }
        assert_eq!(timer.idle.lock().unwrap().len(), 1);
    }

    #[tokio::test]
    async fn waits_at_the_same_time_each_have_a_timer() {
        let timer = WallTimer::new();
        let soon = wall_now().saturating_add(Span::from_millis(5));
        let mut long = Box::pin(timer.sleep_until(None));
        assert_eq!(poll!(&mut long), Poll::Pending);
        assert_eq!(timer.sleep_until(Some(soon)).await, Woken::Reached);
        assert_eq!(poll!(&mut long), Poll::Pending);
    }
}
