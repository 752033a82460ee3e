//! Who waits for something to happen to a task? Those waits live in the loop, so that nothing can happen between the look
//! whether it has happened and the wait for it.
//!
//! A wait costs a place in a table and nothing while nothing happens to its task. It is never written: it ends with the
//! daemon, and who waits asks the next one anew.

use std::collections::{BTreeSet, HashMap};

use tokio::sync::{mpsc, oneshot};

use crate::domain::awaiting::{Awaited, Recalled, Standing, Verdict, Watch, recall};
use crate::domain::event::{Event, Snapshot};
use crate::domain::occurrence::OccurrenceName;
use crate::domain::rejection::Rejection;
use crate::domain::task::TaskId;
use crate::domain::time::{Span, Timestamp};
use crate::engine::handle::{Handle, INPUTS_MAX};
use crate::engine::input::{CallError, Input};
use crate::engine::run::Engine;
use crate::store::Store;

/// How many waits there may be: each is some hundred bytes and a look at each event of its task. Four times as many as one
/// connection may have.
pub const WAITS_MAX: usize = 4096;

/// How many events of a task are read at once.
const CHUNK: usize = 200;

/// How many events of a task are looked through for an occurrence that is not its present one.
const RECALLED_MAX: usize = 10_000;

/// Somebody wants to wait.
#[derive(Clone, Copy, Debug)]
pub struct WaitCall {
    /// For which task.
    pub id: TaskId,
    /// For what.
    pub awaited: Awaited,
    /// For which of its occurrences; `None`: the present one.
    pub occurrence: Option<OccurrenceName>,
    /// How long at most, by the daemon's clock.
    pub timeout: Option<Span>,
}

/// A wait that is over.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Waited {
    /// The occurrence that was waited for.
    pub occurrence: OccurrenceName,
    /// What became of it; `None` where the time was over first.
    pub verdict: Option<Verdict>,
    /// The place of the event that told it; `None` where the task as it is now tells it.
    pub seq: Option<u64>,
}

/// A wait that has begun.
#[derive(Debug)]
pub enum Begun {
    /// And is over already.
    Over(Waited),
    /// And will be told here.
    Waiting(oneshot::Receiver<Result<Waited, CallError>>),
}

/// A wait on its way into the loop.
#[derive(Clone, Copy, Debug)]
pub struct Wait {
    id: TaskId,
    watch: Watch,
    /// The last event of the task that was looked at.
    after: u64,
    timeout: Option<Span>,
}

impl Handle {
    /// Begins to wait. What has happened already is told at once. To drop what is returned ends the wait.
    ///
    /// # Errors
    /// There is no such task or occurrence, too many wait, or the store fails.
    pub async fn wait(&self, call: WaitCall) -> Result<Begun, CallError> {
        match self.read(move |store| look(store, call)).await? {
            Look::Over(waited) => Ok(Begun::Over(waited)),
            Look::Open(wait) => Ok(Begun::Waiting(self.begin(|reply| Input::Wait { wait, reply })?)),
        }
    }

    /// Returns a task as it was at an event of its own; as it is now where that is gone.
    ///
    /// # Errors
    /// The task is not there, or the store fails.
    pub async fn snapshot_at(&self, id: TaskId, seq: u64) -> Result<Snapshot, CallError> {
        self.read(move |store| {
            let mut found = store.history_before(id, seq.saturating_add(1), Timestamp::MIN..Timestamp::MAX, 1)?;
            match found.pop().filter(|stored| stored.seq == seq) {
                Some(stored) => Ok(stored.event.snapshot),
                None => store.snapshot(id)?.ok_or(CallError::NotFound { id }),
            }
        })
        .await
    }

    /// Puts an input into the loop's queue; the answer comes when the loop has one.
    pub(super) fn begin<T>(
        &self,
        input: impl FnOnce(oneshot::Sender<Result<T, CallError>>) -> Input,
    ) -> Result<oneshot::Receiver<Result<T, CallError>>, CallError> {
        let (reply, answer) = oneshot::channel();
        self.inputs.try_send(input(reply)).map_err(|error| match error {
            mpsc::error::TrySendError::Full(_) => CallError::Busy { limit: INPUTS_MAX },
            mpsc::error::TrySendError::Closed(_) => CallError::Stopping,
        })?;
        Ok(answer)
    }
}

/// What the first look finds.
enum Look {
    Over(Waited),
    Open(Wait),
}

fn look(store: &dyn Store, call: WaitCall) -> Result<Look, CallError> {
    let WaitCall { id, awaited, occurrence, timeout } = call;
    // Its place is read before the task: what falls between is looked at twice, and nothing never.
    let last = store.history_before(id, u64::MAX, Timestamp::MIN..Timestamp::MAX, 1)?;
    let after = last.last().map_or(0, |stored| stored.seq);
    let snapshot = store.snapshot(id)?.ok_or(CallError::NotFound { id })?;
    let present = snapshot.occurrence.name();
    let mut watch = Watch::new(awaited, occurrence.unwrap_or(present));
    let over = |verdict, seq, occurrence| Look::Over(Waited { occurrence, verdict: Some(verdict), seq });
    match watch.look(&snapshot.occurrence) {
        Standing::Over(verdict) => Ok(over(verdict, None, watch.occurrence())),
        Standing::Open => Ok(Look::Open(Wait { id, watch, after, timeout })),
        Standing::Past => {
            let Recalled { occurrence, verdict } = recall(watch, &history(store, id, watch.occurrence())?);
            let mut watch = Watch::new(awaited, occurrence);
            match (verdict, watch.look(&snapshot.occurrence)) {
                (Some((verdict, seq)), _) => Ok(over(verdict, Some(seq), occurrence)),
                // It was removed, and the present one came in its place.
                (None, Standing::Over(verdict)) => Ok(over(verdict, None, occurrence)),
                (None, Standing::Open) => Ok(Look::Open(Wait { id, watch, after, timeout })),
                (None, Standing::Past) => Err(CallError::from(Rejection::OtherOccurrence {
                    verb: "wait for",
                    number: snapshot.task.number,
                    expected: occurrence,
                    found: present,
                })),
            }
        }
    }
}

/// Returns the events of a task from the one on that opened an occurrence; none where it is not found.
fn history(store: &dyn Store, id: TaskId, name: OccurrenceName) -> Result<Vec<(u64, Event)>, CallError> {
    let mut events: Vec<(u64, Event)> = Vec::new();
    let mut before = u64::MAX;
    while events.len() < RECALLED_MAX {
        let page = store.history_before(id, before, Timestamp::MIN..Timestamp::MAX, CHUNK)?;
        let is_last = page.len() < CHUNK;
        before = page.first().map_or(0, |stored| stored.seq);
        let opened = page.iter().rposition(|stored| opens(&stored.event, name));
        let from = opened.unwrap_or(0);
        let mut found: Vec<_> = page.into_iter().skip(from).map(|stored| (stored.seq, stored.event)).collect();
        found.append(&mut events);
        events = found;
        if opened.is_some() {
            return Ok(events);
        }
        if is_last {
            break;
        }
    }
    Ok(Vec::new())
}

fn opens(event: &Event, name: OccurrenceName) -> bool {
    // Only what is new has no state before.
    event.from.is_none() && event.snapshot.occurrence.name() == name
}

impl Engine {
    /// Takes a wait; none begins while the daemon stops, which is told by the end of its channel.
    pub(super) fn take_wait(&mut self, wait: Wait, reply: oneshot::Sender<Result<Waited, CallError>>) {
        if !self.is_stopping {
            self.waits.take(&*self.store, self.clock.now(), wait, reply);
        }
    }

    /// Ends the waits whose time is over by now, once what is due by now has happened.
    pub(super) fn end_overdue_waits(&mut self, now: Timestamp) {
        let is_behind = self.wakes.next_deadline().is_some_and(|due| due <= now);
        if !is_behind || self.is_held_back(now) {
            self.waits.expire(now);
        }
    }
}

/// The waits that are open.
#[derive(Debug, Default)]
pub(super) struct Waits {
    open: HashMap<u64, Open>,
    by_task: HashMap<TaskId, Vec<u64>>,
    deadlines: BTreeSet<(Timestamp, u64)>,
    last_number: u64,
}

#[derive(Debug)]
struct Open {
    wait: Wait,
    ends_at: Option<Timestamp>,
    reply: oneshot::Sender<Result<Waited, CallError>>,
}

impl Waits {
    /// Takes a wait, unless what it waits for happened since it was looked at.
    pub(super) fn take(
        &mut self,
        store: &dyn Store,
        now: Timestamp,
        wait: Wait,
        reply: oneshot::Sender<Result<Waited, CallError>>,
    ) {
        if self.open.len() >= WAITS_MAX {
            self.sweep();
        }
        if self.open.len() >= WAITS_MAX {
            // Who asked may have gone, here and below.
            let _ = reply.send(Err(CallError::Busy { limit: WAITS_MAX }));
            return;
        }
        let since = match store.history_since(wait.id, wait.after, RECALLED_MAX) {
            Ok(since) => since,
            Err(error) => return drop(reply.send(Err(CallError::from(error)))),
        };
        self.last_number += 1;
        let number = self.last_number;
        let ends_at = wait.timeout.map(|timeout| now.saturating_add(timeout));
        self.deadlines.extend(ends_at.map(|at| (at, number)));
        self.by_task.entry(wait.id).or_default().push(number);
        self.open.insert(number, Open { wait, ends_at, reply });
        let since: Vec<(u64, Event)> = since.into_iter().map(|stored| (stored.seq, stored.event)).collect();
        self.look_at(&since.iter().map(|(seq, event)| (*seq, event)).collect::<Vec<_>>());
    }

    /// Returns those events that somebody may wait for, each with how many come behind it.
    pub(super) fn concerned(&self, events: &[Event]) -> Vec<(u64, Event)> {
        if self.open.is_empty() {
            return Vec::new();
        }
        let behind = events.iter().rev().zip(0..);
        let mut concerned: Vec<(u64, Event)> = behind
            .filter(|(event, _)| self.by_task.contains_key(&event.snapshot.task.id))
            .map(|(event, behind)| (behind, event.clone()))
            .collect();
        concerned.reverse();
        concerned
    }

    /// Ends the waits for what those events brought that [`Waits::concerned`] returned and that are committed.
    pub(super) fn committed(&mut self, concerned: &[(u64, Event)], last_seq: u64) {
        let placed: Vec<(u64, &Event)> =
            concerned.iter().map(|(behind, event)| (last_seq.saturating_sub(*behind), event)).collect();
        self.look_at(&placed);
    }

    /// Looks at events of any tasks, in their order.
    fn look_at(&mut self, events: &[(u64, &Event)]) {
        let mut by_task: HashMap<TaskId, Vec<(u64, &Event)>> = HashMap::new();
        for (seq, event) in events {
            by_task.entry(event.snapshot.task.id).or_default().push((*seq, event));
        }
        for (id, events) in by_task {
            let mut over = Vec::new();
            for number in self.by_task.get(&id).into_iter().flatten() {
                let Some(open) = self.open.get_mut(number) else { continue };
                if let Some(verdict) = open.wait.look_at(&events) {
                    over.push((*number, verdict));
                }
            }
            for (number, (verdict, seq)) in over {
                self.end(number, |watch| Waited {
                    occurrence: watch.occurrence(),
                    verdict: Some(verdict),
                    seq: Some(seq),
                });
            }
        }
    }

    /// Returns when the first wait ends for its time.
    pub(super) fn next_deadline(&self) -> Option<Timestamp> {
        self.deadlines.first().map(|(at, _)| *at)
    }

    /// Ends the waits whose time is over.
    pub(super) fn expire(&mut self, now: Timestamp) {
        while let Some((at, number)) = self.deadlines.first().copied()
            && at <= now
        {
            self.end(number, |watch| Waited { occurrence: watch.occurrence(), verdict: None, seq: None });
        }
    }

    /// Moves the ends of all waits with a clock that was set: a wait is as long as it was to be.
    pub(super) fn shift(&mut self, by: Span) {
        if by == Span::ZERO {
            return;
        }
        for open in self.open.values_mut() {
            open.ends_at = open.ends_at.map(|at| at.saturating_add(by));
        }
        self.deadlines = self.open.iter().filter_map(|(number, open)| Some((open.ends_at?, *number))).collect();
    }

    /// Ends all waits, since the daemon stops: whoever waits is told so by the end of its channel.
    pub(super) fn end_all(&mut self) {
        *self = Self { last_number: self.last_number, ..Self::default() };
    }

    /// Forgets the waits whose callers have gone. Rare, so that no caller needs to say that it goes.
    fn sweep(&mut self) {
        let gone: Vec<u64> =
            self.open.iter().filter(|(_, open)| open.reply.is_closed()).map(|(number, _)| *number).collect();
        for number in gone {
            drop(self.remove(number));
        }
    }

    fn end(&mut self, number: u64, waited: impl FnOnce(&Watch) -> Waited) {
        if let Some(open) = self.remove(number) {
            let _ = open.reply.send(Ok(waited(&open.wait.watch)));
        }
    }

    fn remove(&mut self, number: u64) -> Option<Open> {
        let open = self.open.remove(&number)?;
        if let Some(at) = open.ends_at {
            self.deadlines.remove(&(at, number));
        }
        if let Some(of_task) = self.by_task.get_mut(&open.wait.id) {
            of_task.retain(|each| *each != number);
            if of_task.is_empty() {
                self.by_task.remove(&open.wait.id);
            }
        }
        Some(open)
    }
}

impl Wait {
    /// Looks at events of its task, in their order, all of whole commits.
    fn look_at(&mut self, events: &[(u64, &Event)]) -> Option<(Verdict, u64)> {
        for (index, (seq, event)) in events.iter().enumerate() {
            if *seq <= self.after {
                continue;
            }
            let is_last_of_op = events.get(index + 1).is_none_or(|(_, next)| next.op_id != event.op_id);
            let verdict = self.watch.see(event).or_else(|| if is_last_of_op { self.watch.settle() } else { None });
            if let Some(verdict) = verdict {
                return Some((verdict, *seq));
            }
            self.after = *seq;
        }
        None
    }
}
