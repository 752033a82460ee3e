//! Which dead-man's switch is to be told what, and was it? Those of the commands that start and end.
//!
//! Of each task in their order, off everybody's way, each tried a few times. What cannot be told is counted and logged, without
//! the address, which is a key.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use uuid::Uuid;

use crate::clock::Clock;
use crate::domain::delivery::Report;
use crate::domain::device_event::AnyEvent;
use crate::domain::event::{Event, Operation};
use crate::domain::retry::{Jitter, wait};
use crate::domain::run::{RunEnd, RunId};
use crate::domain::secret::Secret;
use crate::domain::task::{Number, TaskId};
use crate::domain::time::{Span, Timestamp};
use crate::engine::handle::Handle;
use crate::hooks::Shared;
use crate::notify::ping::{PingClient, PingRequest, Signal};

/// How often one is tried in all: with the back-off that takes two and a half minutes.
const ATTEMPTS_MAX: u32 = 4;

/// The longest that a service can ask to be left alone: what is behind it waits too.
const PAUSE_MAX: Span = Span::from_secs(600);

/// How many are under way at once (I9).
const AT_ONCE_MAX: usize = 16;

/// How many may wait (I9); what comes above is dropped, counted and told.
const WAITING_MAX: usize = 10_000;

/// What is older says that something is alive which may not be: only a failure is told later than that.
const OLD: Span = Span::from_secs(3600);

/// How much of the end of what a command said goes with its end: services keep 10 kB to 100 kB of it.
const TAIL_BYTES_MAX: usize = 10_000;

/// One ping to be sent.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Ping {
    seq: u64,
    task: TaskId,
    number: Number,
    at: Timestamp,
    url: Secret,
    signal: Signal,
    run: Option<RunId>,
    /// How the run ended, for people.
    end: Option<String>,
}

/// How it went with the pings since the daemon was started.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct PingCounts {
    /// How many wait or are under way.
    pub waiting: usize,
    /// How many were taken.
    pub taken: u64,
    /// How many were given up.
    pub failures: u64,
    /// How many found no room, or were too old to say anything.
    pub dropped: u64,
    /// Why the last one that was given up failed.
    pub last_error: Option<String>,
}

/// Sends the pings.
pub(super) struct Pings {
    handle: Handle,
    clock: Arc<dyn Clock>,
    client: PingClient,
    places: Semaphore,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// The last event before which none is of interest; `None` where no task ever had a ping.
    since: Option<u64>,
    /// Those of each task in their order. The first is under way; who has none has no entry.
    tasks: HashMap<TaskId, VecDeque<Ping>>,
    counts: PingCounts,
    means: Option<Means>,
}

/// What is needed to begin one.
#[derive(Clone)]
struct Means {
    tasks: TaskTracker,
    stop: CancellationToken,
    give_up: CancellationToken,
}

impl Ping {
    /// Returns the ping that an event asks for; `behind` are the events behind it, which tell whether a run that failed is
    /// tried again.
    pub(super) fn of<'a>(seq: u64, event: &AnyEvent, behind: impl Iterator<Item = &'a AnyEvent>) -> Option<Self> {
        let event = event.of_task()?;
        let task = &event.snapshot.task;
        let url = task.details.command.as_ref()?.ping.clone()?;
        let (attempt, signal, end) = if let Operation::RunStarted { attempt } = &event.operation {
            (*attempt, Signal::Start, None)
        } else if let Operation::RunEnded { attempt, end } = &event.operation {
            if end.is_success() {
                (*attempt, Signal::Success, Some(end))
            } else if *end == RunEnd::Withdrawn || is_tried_again(event, behind) {
                // It was never started, so that nobody expects its end; or its end is not the last word.
                return None;
            } else {
                (*attempt, Signal::Failure, Some(end))
            }
        } else {
            return None;
        };
        // A run that was asked for besides the task's times has a name of its own, which no event tells.
        let run = (attempt > 0).then(|| RunId::compute(task.id, event.snapshot.occurrence.name(), attempt));
        let end = end.map(ToString::to_string);
        Some(Self { seq, task: task.id, number: task.number, at: event.at, url, signal, run, end })
    }
}

/// Returns whether the operation that an event is part of has its command tried again.
fn is_tried_again<'a>(event: &Event, behind: impl Iterator<Item = &'a AnyEvent>) -> bool {
    behind
        .filter_map(AnyEvent::of_task)
        .take_while(|next| next.op_id == event.op_id && next.snapshot.task.id == event.snapshot.task.id)
        .any(|next| matches!(next.operation, Operation::Retried { at: Some(_) }))
}

impl Pings {
    /// Returns what sends none yet; `since` is the last event that was seen to, where there ever were pings.
    pub(super) fn new(handle: Handle, clock: Arc<dyn Clock>, since: Option<u64>) -> Self {
        let state = Mutex::new(State { since, ..State::default() });
        Self { handle, clock, client: PingClient::new(), places: Semaphore::new(AT_ONCE_MAX), state }
    }

    /// From now on what is pushed is sent.
    pub(super) fn start(&self, shared: &Shared) {
        let (tasks, stop, give_up) = (shared.tasks.clone(), shared.stop.clone(), shared.give_up.clone());
        self.state().means = Some(Means { tasks, stop, give_up });
    }

    /// Returns the event behind which there may be pings.
    pub(super) fn since(&self) -> Option<u64> {
        self.state().since
    }

    /// Returns whether events are to be looked through.
    pub(super) fn are_expected(&self) -> bool {
        self.state().since.is_some()
    }

    /// Notes that there will be pings behind an event; returns whether that is new.
    pub(super) fn expect(&self, seq: u64) -> bool {
        let mut state = self.state();
        let is_new = state.since.is_none();
        state.since.get_or_insert(seq);
        is_new
    }

    /// Takes a ping.
    pub(super) fn push(self: &Arc<Self>, ping: Ping) {
        let mut state = self.state();
        if state.since.is_none_or(|since| ping.seq <= since) {
            return;
        }
        let is_old = self.handle.now().since(ping.at) > OLD && ping.signal != Signal::Failure;
        if is_old || state.counts.waiting >= WAITING_MAX {
            state.counts.dropped += 1;
            let dropped = state.counts.dropped;
            drop(state);
            if dropped.is_power_of_two() {
                tracing::warn!(task = ping.number.0, dropped, "a ping is not sent: it is old, or too many wait");
            }
            return;
        }
        let Some(means) = state.means.clone() else { return };
        state.counts.waiting += 1;
        let task = ping.task;
        let queue = state.tasks.entry(task).or_default();
        queue.push_back(ping);
        let is_first = queue.len() == 1;
        drop(state);
        if is_first {
            let tasks = means.tasks.clone();
            tasks.spawn(Arc::clone(self).serve(task, means));
        }
    }

    /// Returns the last event that is seen to, when all up to `read` were looked through; `None` where there are no pings.
    pub(super) fn cursor(&self, read: u64) -> Option<u64> {
        let state = self.state();
        let since = state.since?;
        let first = state.tasks.values().filter_map(|queue| queue.front()).map(|ping| ping.seq).min();
        Some(first.map_or(read.max(since), |first| first - 1))
    }

    pub(super) fn counts(&self) -> PingCounts {
        self.state().counts.clone()
    }

    /// Sends those of a task, one after another.
    async fn serve(self: Arc<Self>, task: TaskId, means: Means) {
        loop {
            let Some(ping) = self.state().tasks.get(&task).and_then(|queue| queue.front().cloned()) else { return };
            let sent = tokio::select! {
                biased;
                () = means.give_up.cancelled() => return,
                sent = self.send(&ping, &means.stop) => sent,
            };
            let Some(sent) = sent else { return };
            let mut state = self.state();
            state.counts.waiting -= 1;
            match sent {
                Ok(()) => state.counts.taken += 1,
                Err(error) => {
                    tracing::warn!(task = ping.number.0, signal = ?ping.signal, "a ping is given up: {error}");
                    state.counts.failures += 1;
                    state.counts.last_error = Some(error);
                }
            }
            if let Some(queue) = state.tasks.get_mut(&task) {
                queue.pop_front();
                if queue.is_empty() {
                    state.tasks.remove(&task);
                    return;
                }
            }
        }
    }

    /// Sends one, with all its attempts; `None` where the daemon stops before it came to its end.
    async fn send(&self, ping: &Ping, stop: &CancellationToken) -> Option<Result<(), String>> {
        let request = PingRequest {
            url: ping.url.clone(),
            signal: ping.signal,
            run: ping.run.map(|run| run.0),
            body: self.body(ping).await,
        };
        let mut attempts = 0;
        loop {
            let report = {
                let place = tokio::select! {
                    biased;
                    () = stop.cancelled() => return None,
                    place = self.places.acquire() => place,
                };
                let report = self.client.send(&request, self.handle.now()).await;
                drop(place);
                report
            };
            attempts += 1;
            let (error, is_final, retry_after) = match report {
                Report::Delivered { .. } => return Some(Ok(())),
                Report::Away { reason } => (reason, true, None),
                Report::Failed { error, is_final, retry_after } => (error, is_final, retry_after),
            };
            // That it started need not be said any more once its end is to be.
            if is_final || attempts >= ATTEMPTS_MAX || (ping.signal == Signal::Start && self.has_more(ping.task)) {
                return Some(Err(error));
            }
            let pause = wait(attempts, retry_after, jitter(ping, attempts)).min(PAUSE_MAX);
            tokio::select! {
                biased;
                () = stop.cancelled() => return None,
                () = self.rest(pause) => {}
            }
        }
    }

    fn has_more(&self, task: TaskId) -> bool {
        self.state().tasks.get(&task).is_some_and(|queue| queue.len() > 1)
    }

    /// Waits; where the clock is set meanwhile, from then on anew.
    async fn rest(&self, pause: Span) {
        let mut until = self.clock.now().saturating_add(pause);
        while self.clock.now() < until {
            if self.clock.sleep_until(Some(until)).await == crate::clock::Woken::Stepped {
                until = self.clock.now().saturating_add(pause);
            }
        }
    }

    /// Returns what people are shown of a run's end: how it ended, and the end of what it said.
    async fn body(&self, ping: &Ping) -> String {
        let Some(end) = &ping.end else { return String::new() };
        let output = match ping.run {
            Some(run) => self.handle.run_output(run).await.ok().flatten(),
            None => None,
        };
        let said = output.map(|output| output.tail).unwrap_or_default();
        let tail = &said[said.len().saturating_sub(TAIL_BYTES_MAX)..];
        format!("{end}\n{}", String::from_utf8_lossy(tail))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Draws the deviation of a back-off, so that many that fail at once are not tried again at once.
fn jitter(ping: &Ping, attempts: u32) -> Jitter {
    let name = format!("{}|{attempts}", ping.seq);
    Jitter::draw(Uuid::new_v5(&ping.task.0, name.as_bytes()).as_u64_pair().0)
}
