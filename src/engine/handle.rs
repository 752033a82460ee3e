//! The way into the loop for everyone else: calls that change go through it, questions read the last committed state.

use std::collections::BTreeSet;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, RwLock};

use chrono_tz::Tz;
use tokio::sync::{Semaphore, mpsc, oneshot, watch};
use uuid::Uuid;

use crate::clock::{Clock, Jump};
use crate::domain::agenda::{Agenda, Around, Part, Stretch, agenda};
use crate::domain::breaker::TargetHealth;
use crate::domain::delivery::{ChannelKind, Delivery, DeliveryStatus, Report, Target};
use crate::domain::device_event::AnyEvent;
use crate::domain::event::Snapshot;
use crate::domain::filter::TaskFilter;
use crate::domain::outbox::{DeliveryFilter, TargetCount};
use crate::domain::quiet::{Quiet, QuietHours};
use crate::domain::state::State;
use crate::domain::task::{Number, TaskId};
use crate::domain::time::{Span, Timestamp};
use crate::engine::chronicle::{self, Chronicle};
use crate::engine::input::{
    AddRequest, Applied, AwayApplied, AwayCall, Call, CallError, FollowCall, Input, ManyApplied, ManyCall, PreviewCall,
    TargetCall,
};
use crate::engine::named::{Reach, find, pick};
use crate::engine::storage::{StoreHealth, Trouble};
use crate::notify::{Channel, Presence};
use crate::runner::Runner;
use crate::store::{Identity, Store, StoredEvent, Wake, Which};

/// How many trials may be under way: one whose secret is asked of a person holds up no other.
const TRIALS_MAX: usize = 4;

/// How many inputs may wait for the loop; one more is refused, never dropped in silence (I9).
pub const INPUTS_MAX: usize = 4096;

/// The way into the loop. Cheap to clone.
#[derive(Clone)]
pub struct Handle {
    pub(super) inputs: mpsc::Sender<Input>,
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    identity: Identity,
    channels: Vec<Arc<dyn Channel>>,
    last_seq: watch::Receiver<u64>,
    health: StoreHealth,
    /// Shared by all handles of the loop: it may be configured anew.
    pub(super) quiet_hours: Arc<RwLock<QuietHours>>,
    /// What knows what a command that runs has said until now.
    pub(super) runner: Option<Arc<dyn Runner>>,
    /// The operation that what is asked belongs to, where that began before.
    pub(super) op: Option<Uuid>,
    /// How many operations have begun with this handle and its clones.
    pub(super) begun: Arc<AtomicU64>,
    /// Few trials at a time: each goes past the limits that protect a target.
    trials: Arc<Semaphore>,
    /// One backup at a time: each reads the whole store.
    backups: Arc<Semaphore>,
}

/// What tasks are asked for, with those of which something could not be sent.
pub type Matching = (TaskFilter, BTreeSet<TaskId>);

/// A channel, and whether it can reach somebody.
pub type ChannelPresence = (ChannelKind, Presence);

/// For how long a delivery that failed, or a skip, asks for attention: who looks once a week misses none.
pub(super) const FAILED_WITHIN: Span = Span::from_secs(7 * 24 * 60 * 60);

/// How many deliveries that failed are looked at to find their tasks.
const UNDELIVERED_MAX: usize = 1000;

/// How many tasks are read at once to find those that a filter means.
const SCANNED_AT_ONCE: usize = 256;

impl Handle {
    /// Returns a handle of a loop that takes from the other end of `inputs`.
    #[must_use]
    pub(crate) fn new(
        inputs: mpsc::Sender<Input>,
        store: Arc<dyn Store>,
        clock: Arc<dyn Clock>,
        identity: Identity,
        channels: Vec<Arc<dyn Channel>>,
        last_seq: watch::Receiver<u64>,
        health: StoreHealth,
    ) -> Self {
        Self {
            inputs,
            store,
            clock,
            identity,
            channels,
            last_seq,
            health,
            quiet_hours: Arc::default(),
            runner: None,
            op: None,
            begun: Arc::default(),
            trials: Arc::new(Semaphore::new(TRIALS_MAX)),
            backups: Arc::new(Semaphore::new(1)),
        }
    }

    /// Adds a task; answers when it is committed.
    ///
    /// # Errors
    /// The rules refuse it, the store fails, or too many inputs wait.
    pub async fn add(&self, request: AddRequest) -> Result<Applied, CallError> {
        self.ask(|reply| Input::Add { request: Box::new(request), op: self.op, reply }).await
    }

    /// Changes a task; answers when that is committed.
    ///
    /// # Errors
    /// The rules refuse it, the store fails, or too many inputs wait.
    pub async fn call(&self, call: Call) -> Result<Applied, CallError> {
        self.ask(|reply| Input::Call { call, op: self.op, reply }).await
    }

    /// Changes a series from a time on; answers when that is committed.
    ///
    /// # Errors
    /// The rules refuse it, the store fails, or too many inputs wait.
    pub async fn follow(&self, call: FollowCall) -> Result<Applied, CallError> {
        self.ask(|reply| Input::Follow { call, op: self.op, reply }).await
    }

    /// Returns what would follow from a change; nothing is changed, and its key is not used up.
    ///
    /// # Errors
    /// As for the change itself.
    pub async fn preview(&self, call: PreviewCall) -> Result<Applied, CallError> {
        self.ask(|reply| Input::Preview { call, reply }).await
    }

    /// Notes that the person is away, or not any more; answers when that is committed.
    ///
    /// # Errors
    /// It would end before it begins, the store fails, or too many inputs wait.
    pub async fn set_away(&self, call: AwayCall) -> Result<AwayApplied, CallError> {
        self.ask(|reply| Input::SetAway { call, reply }).await
    }

    /// Returns when the person is to be left alone: each day, and once.
    ///
    /// # Errors
    /// The store fails.
    pub async fn quiet(&self) -> Result<Quiet, CallError> {
        let hours = self.quiet_hours();
        self.read(move |store| Ok(Quiet { hours, away: store.identity()?.away })).await
    }

    /// Pauses many tasks, or lets them go on; answers when that is committed.
    ///
    /// # Errors
    /// The pause would end in the past, the store fails, or too many inputs wait.
    pub async fn call_many(&self, call: ManyCall) -> Result<ManyApplied, CallError> {
        self.ask(|reply| Input::CallMany { call, reply }).await
    }

    /// Leaves a target alone, or sends to it again; answers with its health when that is committed.
    ///
    /// # Errors
    /// The store fails, or too many inputs wait.
    pub async fn call_target(&self, call: TargetCall) -> Result<TargetHealth, CallError> {
        self.ask(|reply| Input::CallTarget { call, reply }).await
    }

    /// Moves the programmable clock; answers when everything on the way is quiet.
    ///
    /// # Errors
    /// The clock is the system's, or `to` has passed.
    pub async fn advance(&self, to: Timestamp) -> Result<Timestamp, CallError> {
        self.ask(|reply| Input::Advance { to, jump: None, reply }).await
    }

    /// Lets the programmable clock jump; answers when all that follows is quiet.
    ///
    /// # Errors
    /// The clock is the system's, or a machine is to sleep until a time that has passed.
    pub async fn jump(&self, to: Timestamp, jump: Jump) -> Result<Timestamp, CallError> {
        self.ask(|reply| Input::Advance { to, jump: Some(jump), reply }).await
    }

    /// Returns the live entries of the queue, in order: they equal what the store plans (I5).
    ///
    /// # Errors
    /// The daemon is about to stop.
    pub async fn audit(&self) -> Result<Vec<Wake>, CallError> {
        let (reply, answer) = oneshot::channel();
        self.inputs.send(Input::Audit { reply }).await.map_err(|_| CallError::Stopping)?;
        answer.await.map_err(|_| CallError::Stopping)
    }

    /// Waits until the loop has gone round once, with all that was before it: it lives.
    ///
    /// # Errors
    /// The daemon is about to stop.
    pub async fn beat(&self) -> Result<(), CallError> {
        let (reply, answer) = oneshot::channel();
        // A full queue is waited for: it is no sign of a loop that stands still.
        self.inputs.send(Input::Beat { reply }).await.map_err(|_| CallError::Stopping)?;
        answer.await.map_err(|_| CallError::Stopping)
    }

    /// Finds the task that somebody named.
    ///
    /// # Errors
    /// None has the name, or several have.
    pub async fn find(&self, name: &str) -> Result<TaskId, CallError> {
        let text = name.to_owned();
        self.read(move |store| find(store, text, Reach::Open)).await
    }

    /// Finds the task that somebody asks of: also one that has ended by its title, where no open one has that.
    ///
    /// # Errors
    /// None has the name, or several have.
    pub async fn find_any(&self, name: &str) -> Result<TaskId, CallError> {
        let text = name.to_owned();
        self.read(move |store| find(store, text, Reach::Ended)).await
    }

    /// Finds the one task that is due, for verbs without a name.
    ///
    /// # Errors
    /// None is due, or several are.
    pub async fn find_due(&self) -> Result<TaskId, CallError> {
        self.read(|store| {
            let open = store.list(Which::Open)?;
            let due = open.iter().filter(|snapshot| matches!(snapshot.occurrence.state, State::Running(_)));
            pick("", &due.collect::<Vec<_>>(), CallError::NoneDue)
        })
        .await
    }

    /// Returns a task.
    ///
    /// # Errors
    /// It is not there, or the store fails.
    pub async fn snapshot(&self, id: TaskId) -> Result<Snapshot, CallError> {
        self.read(move |store| store.snapshot(id)?.ok_or(CallError::NotFound { id })).await
    }

    /// Returns tasks, ordered by number.
    ///
    /// # Errors
    /// The store fails.
    pub async fn list(&self, which: Which) -> Result<Vec<Snapshot>, CallError> {
        self.read(move |store| Ok(store.list(which)?)).await
    }

    /// Returns the tasks whose present occurrence has not ended, of those whose number is above `after`, ordered by number,
    /// at most `limit`.
    ///
    /// # Errors
    /// The store fails.
    pub async fn list_open_after(&self, after: Number, limit: usize) -> Result<Vec<Snapshot>, CallError> {
        self.read(move |store| Ok(store.list_after(Which::Open, after, limit)?)).await
    }

    /// Returns all tasks whose number is above `after`, ordered by number, at most `limit`.
    ///
    /// # Errors
    /// The store fails.
    pub async fn list_all_after(&self, after: Number, limit: usize) -> Result<Vec<Snapshot>, CallError> {
        self.read(move |store| Ok(store.list_after(Which::All, after, limit)?)).await
    }

    /// Returns the open tasks behind `after` that a filter means, ordered by number, at most `limit`. All behind `after` are
    /// looked at until there are enough.
    ///
    /// # Errors
    /// The store fails.
    pub async fn open_matching(
        &self,
        filter: Arc<Matching>,
        after: Number,
        limit: usize,
    ) -> Result<Vec<Snapshot>, CallError> {
        self.matching(Which::Open, filter, after, limit).await
    }

    /// As [`Handle::open_matching`], of all tasks.
    ///
    /// # Errors
    /// The store fails.
    pub async fn all_matching(
        &self,
        filter: Arc<Matching>,
        after: Number,
        limit: usize,
    ) -> Result<Vec<Snapshot>, CallError> {
        self.matching(Which::All, filter, after, limit).await
    }

    async fn matching(
        &self,
        which: Which,
        filter: Arc<Matching>,
        after: Number,
        limit: usize,
    ) -> Result<Vec<Snapshot>, CallError> {
        let now = self.now();
        self.read(move |store| {
            let (filter, undelivered) = &*filter;
            let (mut matching, mut last) = (Vec::new(), after);
            loop {
                let read = store.list_after(which, last, SCANNED_AT_ONCE)?;
                let is_last = read.len() < SCANNED_AT_ONCE;
                last = read.last().map_or(last, |snapshot| snapshot.task.number);
                matching.extend(read.into_iter().filter(|each| filter.matches(each, undelivered, now)));
                if is_last || matching.len() >= limit {
                    matching.truncate(limit);
                    return Ok(matching);
                }
            }
        })
        .await
    }

    /// Returns the tasks of which something is not sent since its target cannot be reached, or failed for good lately.
    ///
    /// # Errors
    /// The store fails.
    pub async fn undelivered(&self) -> Result<BTreeSet<TaskId>, CallError> {
        let since = self.now().saturating_add(Span::from_millis(-FAILED_WITHIN.as_millis()));
        self.read(move |store| {
            let (_, failed) = store.failed_since(since, UNDELIVERED_MAX)?;
            let is_stuck = |delivery: &Delivery| match delivery.status {
                DeliveryStatus::Waiting | DeliveryStatus::Retrying(_) | DeliveryStatus::Held => true,
                DeliveryStatus::Queued
                | DeliveryStatus::Grouped
                | DeliveryStatus::Quiet
                | DeliveryStatus::Delivered(_)
                | DeliveryStatus::Failed(_)
                | DeliveryStatus::Withdrawn(_) => false,
            };
            let stuck = store.outbox()?.into_iter().filter(is_stuck);
            Ok(stuck.chain(failed).map(|delivery| delivery.task).collect())
        })
        .await
    }

    /// Returns what will be said within a stretch, with the open tasks that it tells of by their places.
    ///
    /// # Errors
    /// The store fails.
    pub async fn agenda(&self, stretch: Stretch, part: Part) -> Result<(Vec<Snapshot>, Agenda), CallError> {
        let hours = self.quiet_hours();
        self.read(move |store| {
            let tasks = store.list(Which::Open)?;
            let quiet = Quiet { hours, away: store.identity()?.away };
            let mut around = Around { pauses: store.pauses()?, quiet, ..Around::default() };
            for (task, spent) in store.spent(stretch.now)? {
                around.spent.entry(task).or_default().push(spent);
            }
            let agenda = agenda(&tasks, &around, &stretch, part);
            Ok((tasks, agenda))
        })
        .await
    }

    /// Returns the events of a task behind `cursor`, oldest first, at most `limit`.
    ///
    /// # Errors
    /// The store fails.
    pub async fn history(&self, id: TaskId, cursor: u64, limit: usize) -> Result<Vec<StoredEvent>, CallError> {
        self.read(move |store| Ok(store.history_since(id, cursor, limit)?)).await
    }

    /// Returns a stretch of a task's history for its story: the latest events before the place `before` that happened
    /// within `during`, with what else is needed to tell them. It holds at most `limit` events, and no more than the memory
    /// for one answer holds.
    ///
    /// # Errors
    /// It is not there, or the store fails.
    pub async fn chronicle(
        &self,
        id: TaskId,
        before: u64,
        during: Range<Timestamp>,
        limit: usize,
    ) -> Result<Chronicle, CallError> {
        self.read(move |store| chronicle::read(store, id, before, during, limit)).await
    }

    /// Returns all deliveries of a task, oldest first.
    ///
    /// # Errors
    /// The store fails.
    pub async fn all_deliveries(&self, id: TaskId) -> Result<Vec<Delivery>, CallError> {
        self.read(move |store| Ok(store.deliveries(id, None)?)).await
    }

    /// Returns the deliveries of a task's present occurrence.
    ///
    /// # Errors
    /// The store fails.
    pub async fn deliveries(&self, snapshot: &Snapshot) -> Result<Vec<Delivery>, CallError> {
        let (id, name) = (snapshot.task.id, snapshot.occurrence.name());
        self.read(move |store| Ok(store.deliveries(id, Some(name))?)).await
    }

    /// Returns the targets of which anything was noted, in order; one that is not among them has never failed.
    ///
    /// # Errors
    /// The store fails.
    pub async fn targets(&self) -> Result<Vec<TargetHealth>, CallError> {
        self.read(|store| Ok(store.targets()?)).await
    }

    /// Returns the deliveries that are held for a target, oldest first, at most `limit`.
    ///
    /// # Errors
    /// The store fails.
    pub async fn held(&self, target: Target, limit: usize) -> Result<Vec<Delivery>, CallError> {
        self.read(move |store| Ok(store.held(&target, limit)?)).await
    }

    /// Returns deliveries behind the place `after`, in the order of their places, at most `limit`.
    ///
    /// # Errors
    /// The store fails.
    pub async fn deliveries_after(
        &self,
        which: DeliveryFilter,
        after: u64,
        limit: usize,
    ) -> Result<Vec<(u64, Delivery)>, CallError> {
        self.read(move |store| Ok(store.deliveries_after(&which, after, limit)?)).await
    }

    /// Returns how many deliveries that are not final each target has in each status, in order.
    ///
    /// # Errors
    /// The store fails.
    pub async fn counts_by_target(&self) -> Result<Vec<TargetCount>, CallError> {
        self.read(|store| Ok(store.counts_by_target()?)).await
    }

    /// Returns the events behind `cursor`, oldest first, at most `limit`.
    ///
    /// # Errors
    /// The store fails.
    pub async fn events_since(&self, cursor: u64, limit: usize) -> Result<Vec<StoredEvent<AnyEvent>>, CallError> {
        self.read(move |store| Ok(store.events_since(cursor, limit)?)).await
    }

    /// Returns what is wrong with the store: nothing any more, where the disk was full and has room again.
    ///
    /// A disk that is full and that nobody has written to since is not noticed here, but by [`Handle::status`]: it costs
    /// nothing while all is well.
    pub async fn trouble(&self) -> Option<Trouble> {
        if self.health.is_full() { self.look_at_storage().await } else { self.health.trouble() }
    }

    pub(super) async fn look_at_storage(&self) -> Option<Trouble> {
        // An error is noted by the read itself.
        if self.read(|store| Ok(store.check_room()?)).await.is_ok() && self.health.is_full() {
            self.health.written();
        }
        self.health.trouble()
    }

    /// Copies the store into a new file, and returns its length in bytes.
    ///
    /// # Errors
    /// There is a file of that name, or the store fails.
    pub async fn backup(&self, to: PathBuf) -> Result<u64, CallError> {
        let _turn = self.backups.acquire().await.map_err(|_| CallError::Stopping)?;
        // Not by `read`: what fails here may be the disk that the copy goes to.
        let store = Arc::clone(&self.store);
        let copied = tokio::task::spawn_blocking(move || store.backup(&to)).await;
        copied.map_err(|_| CallError::Stopping)?.map_err(CallError::from)
    }

    /// Returns whether each channel can reach somebody.
    #[must_use]
    pub fn channels(&self) -> Vec<ChannelPresence> {
        self.channels.iter().map(|channel| (channel.kind(), channel.presence().borrow().clone())).collect()
    }

    /// Makes one attempt at a target with a message that is no task's. Neither the loop nor the store knows of it, so
    /// that a target that hangs holds up nobody but the caller.
    ///
    /// # Errors
    /// Too many trials are under way.
    pub async fn try_target(&self, target: Target) -> Result<Report, CallError> {
        let _turn = self.trials.try_acquire().map_err(|_| CallError::Busy { limit: TRIALS_MAX })?;
        let Some(channel) = self.channels.iter().find(|channel| channel.kind() == target.kind) else {
            return Ok(Report::Away { reason: format!("there is no channel {}", target.kind) });
        };
        let presence = channel.presence().borrow().clone();
        match presence {
            Presence::Away { reason } => Ok(Report::Away { reason }),
            Presence::Present => Ok(channel.deliver(&Delivery::trial(target, self.identity.device, self.now())).await),
        }
    }

    /// Returns the `seq` of the last committed event, and tells of each later one.
    #[must_use]
    pub fn last_seq(&self) -> watch::Receiver<u64> {
        self.last_seq.clone()
    }

    /// Waits until the loop has ended, for whatever reason.
    pub async fn ended(&self) {
        self.inputs.closed().await;
    }

    /// Returns what this store says of itself.
    #[must_use]
    pub const fn identity(&self) -> &Identity {
        &self.identity
    }

    /// Returns the daemon's time.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// Returns the device's zone.
    #[must_use]
    pub fn zone(&self) -> Tz {
        self.clock.zone()
    }

    pub(super) const fn store(&self) -> &Arc<dyn Store> {
        &self.store
    }

    pub(super) async fn ask<T>(
        &self,
        input: impl FnOnce(oneshot::Sender<Result<T, CallError>>) -> Input,
    ) -> Result<T, CallError> {
        self.begin(input)?.await.unwrap_or(Err(CallError::Stopping))
    }

    /// Asks the store off the async threads, since a read blocks for as long as the disk takes.
    pub(super) async fn read<T: Send + 'static>(
        &self,
        question: impl FnOnce(&dyn Store) -> Result<T, CallError> + Send + 'static,
    ) -> Result<T, CallError> {
        let store = Arc::clone(&self.store);
        let answer = tokio::task::spawn_blocking(move || question(&*store)).await.unwrap_or(Err(CallError::Stopping));
        if let Err(CallError::Store { source }) = &answer {
            self.health.failed(source, self.now());
        }
        answer
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::sim::SimClock;
    use crate::store::memory::MemoryStore;

    #[tokio::test]
    async fn one_input_too_many_is_refused_with_words_and_what_waits_stays() {
        let store = Arc::new(MemoryStore::new(uuid::Uuid::from_u128(1)));
        let clock = Arc::new(SimClock::starting_at(Timestamp::from_millis(0).expect("in range"), chrono_tz::UTC));
        let (inputs, mut waiting) = mpsc::channel(1);
        let identity = store.identity().expect("readable");
        let last_seq = watch::channel(0).1;
        let handle = Handle::new(inputs, store, clock, identity, Vec::new(), last_seq, StoreHealth::default());
        let target = || TargetCall::Pause(Target::desktop());
        let (first, second) = tokio::join!(biased; handle.call_target(target()), async {
            let refused = handle.call_target(target()).await;
            drop(waiting.recv().await);
            refused
        });
        assert!(matches!(second, Err(CallError::Busy { limit: INPUTS_MAX })), "{second:?}");
        // It was taken out by the test, and not done.
        assert!(matches!(first, Err(CallError::Stopping)), "{first:?}");
    }
}
