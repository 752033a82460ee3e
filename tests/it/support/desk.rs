//! The real loop on a programmable clock, with one channel under test.

use std::sync::Arc;
use std::time::Duration;

use chrono_tz::Tz;
use keiko::clock::sim::SimClock;
use keiko::domain::command::GRACE_DEFAULT;
use keiko::domain::delivery::Target;
use keiko::domain::event::Snapshot;
use keiko::domain::occurrence::Outcome;
use keiko::domain::quiet::QuietHours;
use keiko::domain::routing::Routing;
use keiko::domain::schedule::{Rule, Schedule};
use keiko::domain::state::State;
use keiko::domain::task::{Details, Policy, TaskId};
use keiko::domain::time::{Span, Timestamp};
use keiko::domain::waiting::SetWaits;
use keiko::engine::handle::Handle;
use keiko::engine::ids::Ids;
use keiko::engine::input::AddRequest;
use keiko::engine::runs::AT_ONCE_DEFAULT;
use keiko::engine::{EngineParts, Running, start};
use keiko::notify::Channel;
use keiko::runner::recording::RecordingRunner;
use keiko::store::Store as _;
use keiko::store::memory::MemoryStore;
use uuid::Uuid;

use crate::support::soon;

/// A loop that speaks by one channel.
pub(crate) struct Desk {
    clock: Arc<SimClock>,
    store: MemoryStore,
    handle: Handle,
    running: Running,
}

impl Desk {
    /// Starts one at [`noon`]; the channel is given its clock.
    pub(crate) async fn new<C: Channel>(channel: impl FnOnce(Arc<SimClock>) -> C) -> Self {
        let clock = Arc::new(SimClock::starting_at(noon(), Tz::America__New_York));
        Self::with(clock, MemoryStore::new(Uuid::nil()), channel).await
    }

    async fn with<C: Channel>(
        clock: Arc<SimClock>,
        store: MemoryStore,
        channel: impl FnOnce(Arc<SimClock>) -> C,
    ) -> Self {
        let parts = EngineParts {
            runner: Arc::new(RecordingRunner::prompt()),
            commands_at_once: AT_ONCE_DEFAULT,
            store: Arc::new(store.clone()),
            clock: Arc::clone(&clock) as _,
            channels: vec![Arc::new(channel(Arc::clone(&clock)))],
            ids: Ids::from_seed(1),
            grace: GRACE_DEFAULT,
            quiet_hours: QuietHours::default(),
            daily: None,
            routing: Routing::NONE,
        };
        let (handle, running) = start(parts).await.expect("a store that was left in order");
        Self { clock, store, handle, running }
    }

    /// Ends the loop with its channel, and begins again with the same store and another channel.
    pub(crate) async fn restarted<C: Channel>(self, channel: impl FnOnce(Arc<SimClock>) -> C) -> Self {
        let Self { clock, store, handle, running } = self;
        running.stop(Duration::from_secs(5)).await;
        drop(handle);
        Self::with(clock, store, channel).await
    }

    /// Adds a task that speaks to a target.
    pub(crate) async fn add(&self, title: &str, target: &str, rule: Rule) -> TaskId {
        let targets = vec![Target::parse(target).expect("a target")];
        let request = AddRequest {
            details: Details { title: title.into(), targets, ..Details::default() },
            schedule: Schedule { text: String::new(), rule, zone: None },
            alerts: None,
            deadline: None,
            policy: Policy::default(),
            waits: SetWaits::default(),
            key: None,
        };
        self.handle.add(request).await.expect("ahead").snapshot.task.id
    }

    /// Lets the clock go on until so many minutes after noon.
    pub(crate) async fn to(&self, minutes: i64) {
        self.handle.advance(after(minutes)).await.expect("forwards");
    }

    /// Returns the way into the loop.
    pub(crate) const fn handle(&self) -> &Handle {
        &self.handle
    }

    /// Returns where the tasks are kept.
    pub(crate) const fn store(&self) -> &MemoryStore {
        &self.store
    }

    /// Returns a task as it is stored.
    pub(crate) fn task(&self, id: TaskId) -> Snapshot {
        self.store.snapshot(id).expect("readable").expect("it is there")
    }

    /// Returns whether a task was done.
    pub(crate) fn is_done(&self, id: TaskId) -> bool {
        matches!(self.task(id).occurrence.state, State::Completed(ended) if ended.outcome == Outcome::Done)
    }

    /// Waits until a task is so.
    pub(crate) async fn until(&self, id: TaskId, what: &str, is_so: impl Fn(&State) -> bool) {
        let mut seq = self.handle.last_seq();
        let waited = seq.wait_for(|_| is_so(&self.task(id).occurrence.state));
        soon(what, waited).await.expect("the loop lives");
    }
}

/// When the clock of a desk begins.
pub(crate) fn noon() -> Timestamp {
    Timestamp::from_millis(1_772_884_800_000).expect("in range")
}

/// Returns so many minutes after noon.
pub(crate) fn after(minutes: i64) -> Timestamp {
    noon().saturating_add(Span::from_minutes(minutes))
}

/// Returns the rule of a one-shot at so many minutes after noon.
pub(crate) fn once(minutes: i64) -> Rule {
    Rule::Once(after(minutes).local(Tz::America__New_York))
}
