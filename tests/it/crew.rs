//! Commands in the real loop, with a runner that runs nothing: who is started when, and what a start finds again.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use chrono_tz::Tz;
use keiko::clock::sim::SimClock;
use keiko::domain::command::{Command, Expected, GRACE_DEFAULT};
use keiko::domain::event::{Actor, Snapshot};
use keiko::domain::quiet::QuietHours;
use keiko::domain::routing::Routing;
use keiko::domain::run::{Limits, Line, Overlap, Program, RunEnd, RunId, RunReport, RunStatus};
use keiko::domain::schedule::{Rule, Schedule};
use keiko::domain::state::StateName;
use keiko::domain::task::{Details, Policy, TaskId};
use keiko::domain::time::{Span, Timestamp};
use keiko::domain::waiting::SetWaits;
use keiko::engine::handle::Handle;
use keiko::engine::ids::Ids;
use keiko::engine::input::{AddRequest, Call};
use keiko::engine::{EngineParts, Running, start};
use keiko::runner::recording::{RecordingRunner, Told};
use keiko::store::memory::MemoryStore;
use keiko::store::{Store as _, StoreError};
use uuid::Uuid;

use crate::support::soon;

/// When the clock begins: 2026-03-07T12:00:00Z.
fn noon() -> Timestamp {
    Timestamp::from_millis(1_772_884_800_000).expect("in range")
}

fn after(minutes: i64) -> Timestamp {
    noon().saturating_add(Span::from_minutes(minutes))
}

/// A loop with two places for commands.
struct Shop {
    clock: Arc<SimClock>,
    store: MemoryStore,
    runner: Arc<RecordingRunner>,
    handle: Handle,
    running: Running,
}

impl Shop {
    async fn new() -> Self {
        let clock = Arc::new(SimClock::starting_at(noon(), Tz::America__New_York));
        Self::with(clock, MemoryStore::new(Uuid::nil())).await
    }

    async fn with(clock: Arc<SimClock>, store: MemoryStore) -> Self {
        let runner = Arc::new(RecordingRunner::default());
        let parts = EngineParts {
            runner: Arc::clone(&runner) as _,
            commands_at_once: 2,
            store: Arc::new(store.clone()),
            clock: Arc::clone(&clock) as _,
            channels: Vec::new(),
            ids: Ids::from_seed(1),
            grace: GRACE_DEFAULT,
            quiet_hours: QuietHours::default(),
            daily: None,
            routing: Routing::NONE,
        };
        let (handle, running) = start(parts).await.expect("a store that was left in order");
        Self { clock, store, runner, handle, running }
    }

    /// The daemon is killed, and another begins.
    async fn killed(self) -> Self {
        let Self { clock, store, handle, running, .. } = self;
        running.abort().await;
        drop(handle);
        Self::with(clock, store.reopen()).await
    }

    async fn add(&self, title: &str, minutes: i64) -> TaskId {
        let program = Program {
            line: Line::Arguments(vec![title.into()]),
            directory: String::new(),
            environment: BTreeMap::new(),
            timeout: None,
            overlap: Overlap::Skip,
            nice: 0,
            limits: Limits::default(),
            ping: None,
        };
        let request = AddRequest {
            details: Details { title: title.into(), command: Some(Box::new(program)), ..Details::default() },
            schedule: Schedule { text: String::new(), rule: Rule::Countdown(after(minutes)), zone: None },
            alerts: None,
            deadline: None,
            policy: Policy::default(),
            waits: SetWaits::default(),
            key: None,
        };
        self.handle.add(request).await.expect("ahead").snapshot.task.id
    }

    /// Lets the clock reach a time, with what comes up then begun.
    async fn reach(&self, minutes: i64) {
        self.clock.suspend_to(after(minutes));
        self.quiet().await;
    }

    /// Waits until the loop has done all that it was told.
    async fn quiet(&self) {
        for _ in 0..4 {
            self.handle.audit().await.expect("the loop lives");
        }
    }

    fn started(&self) -> Vec<(String, RunId)> {
        let told = self.runner.take_told().into_iter();
        let orders = told.filter_map(|told| match told {
            Told::Start(order) => Some((order.variables["KEIKO_TITLE"].clone(), order.id)),
            Told::End(_) | Told::Forget(_) | Told::TakeUp(_) => None,
        });
        orders.collect()
    }

    async fn until(&self, id: TaskId, state: StateName) -> Snapshot {
        let mut seq = self.handle.last_seq();
        let now = || self.store.snapshot(id).expect("readable").expect("it is there");
        soon(state.as_str(), seq.wait_for(|_| now().occurrence.state.name() == state)).await.expect("the loop lives");
        now()
    }

    async fn call(&self, task: TaskId, command: Command) {
        let call = Call { task, command, expected: Expected::default(), actor: Actor::Person, key: None };
        self.handle.call(call).await.expect("not refused");
    }
}

fn titles(started: &[(String, RunId)]) -> Vec<&str> {
    started.iter().map(|(title, _)| title.as_str()).collect()
}

#[tokio::test]
async fn as_many_run_at_once_as_there_are_places() {
    let shop = Shop::new().await;
    for (title, minutes) in [("a", 1), ("b", 2), ("c", 3), ("d", 4)] {
        shop.add(title, minutes).await;
    }
    shop.reach(5).await;
    let first = shop.started();
    assert_eq!(titles(&first), ["a", "b"]);
    shop.runner.tell_started(first[0].1, 7);
    shop.runner.tell_ended(first[0].1, RunEnd::Exit(0));
    shop.quiet().await;
    let second = shop.started();
    assert_eq!(titles(&second), ["c"]);
    // One that is cancelled before it has a place is never started.
    let last = shop.store.open_runs().unwrap().pop().unwrap();
    shop.call(last.task, Command::Cancel).await;
    shop.runner.tell_ended(first[1].1, RunEnd::Exit(0));
    shop.runner.tell_ended(second[0].1, RunEnd::Exit(0));
    shop.quiet().await;
    assert_eq!(shop.started(), []);
    assert!(shop.store.open_runs().unwrap().is_empty());
}

#[tokio::test]
async fn what_ended_is_forgotten_once_it_is_on_the_disk() {
    let shop = Shop::new().await;
    let id = shop.add("a", 1).await;
    shop.reach(1).await;
    let [(_, run)] = shop.started().try_into().expect("one");
    shop.store.fail_next(StoreError::Full { path: "keiko.db".into() });
    shop.runner.tell_ended(run, RunEnd::Exit(0));
    shop.quiet().await;
    assert!(!shop.runner.take_told().contains(&Told::Forget(run)), "it is not on the disk");
    shop.reach(3).await;
    shop.until(id, StateName::Completed).await;
    assert!(shop.runner.take_told().contains(&Told::Forget(run)));
}

#[tokio::test]
async fn a_start_takes_up_what_was_started_and_starts_what_was_not() {
    let shop = Shop::new().await;
    let ids = [shop.add("a", 1).await, shop.add("b", 2).await, shop.add("c", 3).await];
    shop.reach(5).await;
    let started = shop.started();
    shop.runner.tell_started(started[0].1, 7);
    shop.quiet().await;
    let shop = shop.killed().await;
    let told = shop.runner.take_told();
    let [Told::TakeUp(left)] = told.as_slice() else { panic!("{told:?}") };
    // One ran, and of the other nobody can tell whether it was started; neither is started again.
    assert_eq!(left.iter().map(|left| left.id).collect::<Vec<_>>(), [started[0].1, started[1].1]);
    assert_eq!((left[0].process.map(|process| process.pid), left[1].process), (Some(7), None));
    shop.runner.tell_ended(started[1].1, RunEnd::Interrupted);
    shop.quiet().await;
    assert_eq!(titles(&shop.started()), ["c"], "there is a place again");
    shop.until(ids[1], StateName::Cancelled).await;
    shop.runner.tell_ended(started[0].1, RunEnd::Exit(0));
    shop.until(ids[0], StateName::Completed).await;
    shop.running.stop(Duration::ZERO).await;
}

#[tokio::test]
async fn a_cancelled_command_is_asked_to_end_and_keeps_its_place_until_it_has() {
    let shop = Shop::new().await;
    let id = shop.add("a", 1).await;
    shop.reach(1).await;
    let [(_, run)] = shop.started().try_into().expect("one");
    shop.runner.tell_started(run, 7);
    shop.quiet().await;
    shop.call(id, Command::Cancel).await;
    assert!(shop.runner.take_told().contains(&Told::End(run)));
    assert!(matches!(shop.store.run(run).unwrap().unwrap().status, RunStatus::Ending { .. }));
    shop.runner.tell_ended(run, RunEnd::Signal(15));
    shop.quiet().await;
    assert!(shop.store.run(run).unwrap().unwrap().is_over());
}

#[tokio::test]
async fn what_a_run_says_is_kept() {
    let shop = Shop::new().await;
    let id = shop.add("a", 1).await;
    shop.reach(1).await;
    let [(_, run)] = shop.started().try_into().expect("one");
    let output = keiko::domain::run::Output { tail: b"said".to_vec(), dropped: 3 };
    shop.runner.tell_started(run, 7);
    shop.runner.tell(run, RunReport::Checkpoint("page 7".into()));
    shop.runner.tell(run, RunReport::Ended { end: RunEnd::Exit(0), output: output.clone() });
    shop.until(id, StateName::Completed).await;
    let kept = shop.store.run(run).unwrap().unwrap();
    assert_eq!((kept.checkpoint.as_deref(), shop.store.output(run).unwrap()), (Some("page 7"), Some(output)));
}
