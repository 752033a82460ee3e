//! What waits for one hook, and how did it go? Its events in their order, each told once.
//!
//! Holds the numbers of events alone: what is told is read when its turn comes. Runs nothing.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use crate::domain::hook::{Happening, Hook};
use crate::domain::time::Timestamp;

/// How many events may wait for one hook (I9); what comes above is dropped, counted and told. At a program a second that is
/// nearly three hours behind.
pub const WAITING_MAX: usize = 10_000;

/// Where a hook comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Origin {
    /// It stands in the configuration.
    Configured,
    /// A program registered it.
    Registered,
}

/// An event that a hook is to be told of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Job {
    pub(super) seq: u64,
    pub(super) happening: Happening,
}

/// The events of one hook.
#[derive(Debug)]
pub(super) struct Queue {
    /// May be configured anew; what waits goes on under the new one.
    hook: RwLock<Arc<Hook>>,
    pub(super) origin: Origin,
    /// Events up to this one are none of its.
    since: u64,
    tally: Mutex<Tally>,
    news: Notify,
    /// Cancelled when the hook is there no more.
    pub(super) gone: CancellationToken,
}

#[derive(Debug, Default)]
struct Tally {
    waiting: VecDeque<Job>,
    running: Option<Job>,
    done: u64,
    said: Counts,
}

/// How it went with a hook since the daemon was started.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Counts {
    /// How many events wait.
    pub waiting: usize,
    /// Whether its program runs now.
    pub is_running: bool,
    /// How often its program has ended, or could not be started.
    pub runs: u64,
    /// How many of these were failures.
    pub failures: u64,
    /// How many of these in a row, up to the last.
    pub failures_in_a_row: u64,
    /// How many events found no room.
    pub dropped: u64,
    /// Why the last failure failed.
    pub last_error: Option<String>,
    /// When its program last ended.
    pub last_run_at: Option<Timestamp>,
}

impl Queue {
    pub(super) fn new(hook: Hook, origin: Origin, since: u64) -> Self {
        let tally = Mutex::new(Tally { done: since, ..Tally::default() });
        let hook = RwLock::new(Arc::new(hook));
        Self { hook, origin, since, tally, news: Notify::new(), gone: CancellationToken::new() }
    }

    pub(super) fn hook(&self) -> Arc<Hook> {
        Arc::clone(&self.hook.read().unwrap_or_else(PoisonError::into_inner))
    }

    pub(super) fn replace_hook(&self, hook: Hook) {
        *self.hook.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(hook);
    }

    /// Takes an event, unless it is none of its.
    pub(super) fn push(&self, job: Job) {
        if job.seq <= self.since {
            return;
        }
        let mut tally = self.tally();
        if tally.waiting.len() < WAITING_MAX {
            tally.waiting.push_back(job);
            drop(tally);
            self.news.notify_one();
            return;
        }
        tally.said.dropped += 1;
        let dropped = tally.said.dropped;
        drop(tally);
        // Few lines, however many they become.
        if dropped.is_power_of_two() {
            let hook = self.hook().name.clone();
            tracing::warn!(hook, dropped, "a hook is too far behind: events that find no room are not told to it");
        }
    }

    /// Waits until there is something to do.
    pub(super) async fn ready(&self) {
        while self.tally().waiting.is_empty() {
            self.news.notified().await;
        }
    }

    /// Takes what is next; it counts as done only by [`Queue::ended`].
    pub(super) fn begin(&self) -> Option<Job> {
        let mut tally = self.tally();
        let job = tally.waiting.pop_front()?;
        tally.running = Some(job);
        Some(job)
    }

    /// Notes how it went with what was begun.
    pub(super) fn ended(&self, result: Result<(), String>, at: Timestamp) {
        let mut tally = self.tally();
        let Some(job) = tally.running.take() else { return };
        tally.done = job.seq;
        let said = &mut tally.said;
        said.runs += 1;
        said.last_run_at = Some(at);
        match result {
            Ok(()) => said.failures_in_a_row = 0,
            Err(error) => {
                said.failures += 1;
                said.failures_in_a_row += 1;
                let in_a_row = said.failures_in_a_row;
                said.last_error = Some(error.clone());
                drop(tally);
                if in_a_row.is_power_of_two() {
                    let hook = self.hook().name.clone();
                    tracing::warn!(
                        hook,
                        seq = job.seq,
                        event = job.happening.as_str(),
                        in_a_row,
                        "a hook failed: {error}"
                    );
                }
            }
        }
    }

    /// What was begun came to nothing: its event is there no more.
    pub(super) fn pass_over(&self) {
        let mut tally = self.tally();
        if let Some(job) = tally.running.take() {
            tally.done = job.seq;
        }
    }

    /// Returns the last event that it is done with, when all up to `read` were held against it.
    pub(super) fn cursor(&self, read: u64) -> u64 {
        let tally = self.tally();
        match tally.running.or_else(|| tally.waiting.front().copied()) {
            Some(job) => job.seq - 1,
            None => read.max(tally.done),
        }
    }

    pub(super) fn counts(&self) -> Counts {
        let tally = self.tally();
        Counts { waiting: tally.waiting.len(), is_running: tally.running.is_some(), ..tally.said.clone() }
    }

    fn tally(&self) -> MutexGuard<'_, Tally> {
        self.tally.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job(seq: u64) -> Job {
        Job { seq, happening: Happening::Due }
    }

    fn queue() -> Queue {
        Queue::new(Hook::new(vec!["true".to_owned()]).ready().unwrap(), Origin::Configured, 5)
    }

    #[test]
    fn a_cursor_is_never_past_what_is_not_done() {
        let queue = queue();
        let at = Timestamp::MIN;
        assert_eq!((queue.cursor(5), queue.cursor(9)), (5, 9));
        for seq in [4, 5, 7, 8] {
            queue.push(job(seq));
        }
        assert_eq!(queue.cursor(9), 6, "7 waits, 4 and 5 are none of its");
        assert_eq!(queue.begin(), Some(job(7)));
        assert_eq!(queue.cursor(9), 6, "7 runs");
        queue.ended(Ok(()), at);
        assert_eq!(queue.cursor(9), 7);
        queue.begin();
        queue.ended(Err("no".to_owned()), at);
        assert_eq!((queue.cursor(9), queue.cursor(6)), (9, 8));
        let counts = queue.counts();
        assert_eq!((counts.runs, counts.failures, counts.last_error.as_deref()), (2, 1, Some("no")));
    }

    #[test]
    fn what_finds_no_room_is_counted_and_what_waits_stays() {
        let queue = queue();
        for seq in 0..WAITING_MAX as u64 + 3 {
            queue.push(job(10 + seq));
        }
        let counts = queue.counts();
        assert_eq!((counts.waiting, counts.dropped), (WAITING_MAX, 3));
        assert_eq!(queue.begin(), Some(job(10)));
    }
}
