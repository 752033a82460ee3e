//! The real loop with the real desktop channel, on a clock that only moves when it is told to.

use std::path::PathBuf;
use std::sync::Arc;

use chrono_tz::Tz;
use keiko::clock::sim::SimClock;
use keiko::domain::command::{Command, Expected, GRACE_DEFAULT};
use keiko::domain::delivery::Target;
use keiko::domain::event::{Actor, Operation, Snapshot};
use keiko::domain::occurrence::Outcome;
use keiko::domain::quiet::QuietHours;
use keiko::domain::routing::Routing;
use keiko::domain::schedule::{Interval, Rule, Schedule};
use keiko::domain::state::State;
use keiko::domain::task::{Details, Nag, Policy, TaskId};
use keiko::domain::time::{Span, Timestamp};
use keiko::domain::waiting::SetWaits;
use keiko::engine::handle::Handle;
use keiko::engine::ids::Ids;
use keiko::engine::input::{AddRequest, Call};
use keiko::engine::runs::AT_ONCE_DEFAULT;
use keiko::engine::{EngineParts, Running, start};
use keiko::notify::desktop::{ANSWER_WITHIN, Choices, DesktopChannel, SessionBus};
use keiko::notify::first_look;
use keiko::runner::recording::RecordingRunner;
use keiko::store::Store as _;
use keiko::store::memory::MemoryStore;
use uuid::Uuid;

use crate::support::private_bus::PrivateBus;
use crate::support::soon;

/// Reasons of the signal by which a server tells that a popup is gone.
pub(crate) const EXPIRED: u32 = 1;
pub(crate) const DISMISSED: u32 = 2;
pub(crate) const TAKEN_BACK: u32 = 3;

/// A loop that speaks on a desktop only.
pub(crate) struct Desk {
    pub(crate) clock: Arc<SimClock>,
    pub(crate) store: MemoryStore,
    pub(crate) handle: Handle,
    _running: Running,
}

impl Desk {
    /// Starts one whose server is there already, if there is to be one, and which offers no snoozes.
    pub(crate) async fn new(bus: &PrivateBus) -> Self {
        Self::offering(bus, Choices::of(Vec::new())).await
    }

    /// Starts one that offers these answers.
    pub(crate) async fn offering(bus: &PrivateBus, choices: Choices) -> Self {
        let clock = Arc::new(SimClock::starting_at(noon(), Tz::America__New_York));
        let store = MemoryStore::new(Uuid::nil());
        let channel = channel(bus, choices);
        first_look(&channel, ANSWER_WITHIN).await;
        let parts = EngineParts {
            runner: Arc::new(RecordingRunner::prompt()),
            commands_at_once: AT_ONCE_DEFAULT,
            store: Arc::new(store.clone()),
            clock: Arc::clone(&clock) as _,
            channels: vec![Arc::new(channel)],
            ids: Ids::from_seed(1),
            grace: GRACE_DEFAULT,
            quiet_hours: QuietHours::default(),
            daily: None,
            routing: Routing::NONE,
        };
        let (handle, running) = start(parts).await.expect("an empty store");
        Self { clock, store, handle, _running: running }
    }

    /// Adds a task that speaks on the desktop.
    pub(crate) async fn add(&self, title: &str, rule: Rule, policy: Policy) -> TaskId {
        self.add_with(Details { title: title.into(), ..Details::default() }, rule, policy).await
    }

    /// Adds one that says more than a title.
    pub(crate) async fn add_with(&self, details: Details, rule: Rule, policy: Policy) -> TaskId {
        let request = AddRequest {
            details: Details { targets: vec![Target::desktop()], ..details },
            schedule: Schedule { text: String::new(), rule, zone: None },
            alerts: None,
            deadline: None,
            policy,
            waits: SetWaits::default(),
            key: None,
        };
        self.handle.add(request).await.expect("ahead").snapshot.task.id
    }

    /// Lets the time go on until so many minutes after noon, and all that comes up on the way be done.
    pub(crate) async fn to(&self, minutes: i64) {
        self.handle.advance(after(minutes)).await.expect("forwards");
    }

    /// Does what a person asks elsewhere.
    pub(crate) async fn call(&self, task: TaskId, command: Command) {
        let call = Call { task, command, expected: Expected::default(), actor: Actor::Person, key: None };
        self.handle.call(call).await.expect("it is open");
    }

    /// Waits until a task is as it is wanted.
    pub(crate) async fn until(&self, id: TaskId, wanted: impl Fn(&Snapshot) -> bool) -> Snapshot {
        let mut seq = self.handle.last_seq();
        soon("the task", seq.wait_for(|_| wanted(&self.task(id)))).await.expect("the loop lives");
        self.task(id)
    }

    /// Returns the task as it is stored.
    pub(crate) fn task(&self, id: TaskId) -> Snapshot {
        self.store.snapshot(id).expect("readable").expect("it is there")
    }

    /// Waits until the person is noted to have closed a popup of a task for the `count`th time.
    pub(crate) async fn seen(&self, id: TaskId, count: usize) -> Snapshot {
        let mut seq = self.handle.last_seq();
        soon("the ack", seq.wait_for(|_| self.responses(id) == count)).await.expect("the loop lives");
        self.task(id)
    }

    /// Returns how often the person closed a popup of a task.
    pub(crate) fn responses(&self, id: TaskId) -> usize {
        let events = self.store.events_since(0, usize::MAX).expect("readable");
        let of_task =
            events.iter().filter_map(|stored| stored.event.of_task()).filter(|event| event.snapshot.task.id == id);
        let acks = of_task.filter(|event| matches!(event.operation, Operation::Acked { is_dismissal: true }));
        acks.inspect(|event| assert_eq!(event.actor, Actor::Person)).count()
    }
}

/// Returns a channel to the desktop of a bus.
pub(crate) fn channel(bus: &PrivateBus, choices: Choices) -> DesktopChannel {
    let address = Some(bus.address().to_owned());
    DesktopChannel::start(
        SessionBus { address, runtime_dir: PathBuf::from("/nonexistent"), answer_within: ANSWER_WITHIN },
        choices,
    )
}

/// When the loop begins.
pub(crate) fn noon() -> Timestamp {
    Timestamp::from_millis(1_772_884_800_000).expect("in range")
}

pub(crate) fn after(minutes: i64) -> Timestamp {
    noon().saturating_add(Span::from_minutes(minutes))
}

pub(crate) fn once(minutes: i64) -> Rule {
    Rule::Once(after(minutes).local(Tz::America__New_York))
}

pub(crate) fn hourly() -> Rule {
    Rule::Interval(Interval { every: Span::from_minutes(60), from: after(60), count: None, until: None })
}

pub(crate) fn nagging() -> Policy {
    Policy { nag: Some(Nag { every: Span::from_minutes(10), max: 5 }), ..Policy::default() }
}

/// Returns whether what is due was seen.
#[track_caller]
pub(crate) fn is_seen(snapshot: &Snapshot) -> bool {
    let State::Running(running) = snapshot.occurrence.state else { panic!("{:?}", snapshot.occurrence.state) };
    running.acked_at.is_some()
}

/// Returns whether it is done.
pub(crate) fn is_done(snapshot: &Snapshot) -> bool {
    matches!(&snapshot.occurrence.state, State::Completed(ended) if ended.outcome == Outcome::Done)
}

/// Returns until when it is snoozed, where it is.
pub(crate) fn snoozed_until(snapshot: &Snapshot) -> Option<Timestamp> {
    match &snapshot.occurrence.state {
        State::Pending(pending) => pending.snooze.as_ref().map(|snooze| snooze.until),
        State::Created
        | State::Running(_)
        | State::Suspended(_)
        | State::Failed(_)
        | State::Completed(_)
        | State::Cancelled(_) => None,
    }
}

/// Returns what the person did to a task, in the words of its history.
pub(crate) fn deeds(desk: &Desk, id: TaskId) -> Vec<&'static str> {
    let events = desk.store.events_since(0, usize::MAX).expect("readable");
    let of_task = events.iter().filter_map(|stored| stored.event.of_task()).filter(|event| {
        let is_deed = event.actor == Actor::Person && event.snapshot.task.id == id;
        is_deed && !matches!(event.operation.name(), "added" | "opened" | "armed")
    });
    of_task.map(|event| event.operation.name()).collect()
}
