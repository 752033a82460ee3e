//! The real engine under the same happenings, on a programmable clock, and whether it agrees with the oracle.

use std::sync::Arc;
use std::time::Duration;

use chrono_tz::Tz;
use keiko::clock::Clock;
use keiko::clock::sim::SimClock;
use keiko::domain::command::{Expected, GRACE_DEFAULT};
use keiko::domain::delivery::ChannelKind;
use keiko::domain::event::{Actor, Snapshot};
use keiko::domain::occurrence::Outcome;
use keiko::domain::routing::Routing;
use keiko::domain::state::State;
use keiko::domain::task::TaskId;
use keiko::domain::time::Timestamp;
use keiko::engine::handle::Handle;
use keiko::engine::ids::Ids;
use keiko::engine::input::{Call, CallError};
use keiko::engine::runs::AT_ONCE_DEFAULT;
use keiko::engine::{EngineParts, Running, start};
use keiko::notify::Channel;
use keiko::notify::recording::RecordingChannel;
use keiko::runner::recording::RecordingRunner;
use keiko::store::Store;
use keiko::store::memory::MemoryStore;
use uuid::Uuid;

use crate::oracle::{Answer, Happening, Oracle, Ring, Standing};

/// One device on which the real engine runs.
pub(crate) struct Device {
    seed: u64,
    clock: Arc<SimClock>,
    store: MemoryStore,
    desktop: RecordingChannel,
    engine: Option<(Handle, Running)>,
    starts: u64,
    /// The tasks, in the order in which they were added.
    tasks: Vec<TaskId>,
    rings: Vec<Vec<Ring>>,
    last_seq: u64,
}

impl Device {
    pub(crate) async fn new(seed: u64, now: Timestamp, zone: Tz) -> Self {
        let mut device = Self {
            seed,
            clock: Arc::new(SimClock::starting_at(now, zone)),
            store: MemoryStore::new(Uuid::from_u64_pair(2, seed)),
            desktop: RecordingChannel::new(ChannelKind::Desktop),
            engine: None,
            starts: 0,
            tasks: Vec::new(),
            rings: Vec::new(),
            last_seq: 0,
        };
        device.boot().await;
        device
    }

    async fn boot(&mut self) {
        self.starts += 1;
        let parts = EngineParts {
            runner: Arc::new(RecordingRunner::prompt()),
            commands_at_once: AT_ONCE_DEFAULT,
            store: Arc::new(self.store.clone()),
            clock: Arc::clone(&self.clock) as Arc<dyn Clock>,
            channels: vec![Arc::new(self.desktop.clone()) as Arc<dyn Channel>],
            ids: Ids::from_seed(self.seed.wrapping_mul(1000) + self.starts),
            grace: GRACE_DEFAULT,
            quiet_hours: keiko::domain::quiet::QuietHours::default(),
            daily: None,
            routing: Routing::NONE,
        };
        self.engine = Some(start(parts).await.expect("the store is readable"));
    }

    fn handle(&self) -> &Handle {
        &self.engine.as_ref().expect("the engine runs between happenings").0
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.clock.now()
    }

    pub(crate) fn zone(&self) -> Tz {
        self.clock.zone()
    }

    /// Something happens; afterwards everything is quiet.
    pub(crate) async fn meet(&mut self, happening: &Happening) -> Answer {
        let answer = match happening {
            Happening::Add(request) => match self.handle().add((**request).clone()).await {
                Ok(applied) => {
                    self.tasks.push(applied.snapshot.task.id);
                    self.rings.push(Vec::new());
                    Answer::Done
                }
                Err(CallError::NotAdded { .. }) => Answer::Refused,
                Err(other) => panic!("an answer that nothing here explains: {other}"),
            },
            Happening::Ask(task, command) => {
                let (task, command, expected) = (self.tasks[*task], command.clone(), Expected::default());
                let call = Call { task, command, expected, actor: Actor::Person, key: None };
                answer(self.handle().call(call).await.map(|applied| applied.changed))
            }
            Happening::Many(call) => answer(self.handle().call_many(call.clone()).await.map(|_| true)),
            Happening::Runs(to) => {
                self.handle().advance(*to).await.expect("time goes forwards");
                Answer::Done
            }
            Happening::Sleeps(to) => {
                self.clock.suspend_to(*to);
                Answer::Done
            }
            Happening::Off(to, zone) => {
                self.stop().await;
                self.clock.step_to(*to);
                self.clock.set_zone(*zone);
                self.boot().await;
                Answer::Done
            }
            Happening::Travels(zone) => {
                self.clock.set_zone(*zone);
                Answer::Done
            }
            Happening::Crashes => {
                self.stop().await;
                self.boot().await;
                Answer::Done
            }
        };
        let handle = self.handle();
        handle.advance(handle.now()).await.expect("quiet");
        self.note_rings();
        answer
    }

    /// Returns how many events there are.
    pub(crate) fn events(&self) -> u64 {
        self.last_seq
    }

    async fn stop(&mut self) {
        let (_, running) = self.engine.take().expect("the engine runs between happenings");
        running.abort().await;
        self.store = self.store.reopen();
    }

    pub(crate) async fn end(mut self) {
        let (_, running) = self.engine.take().expect("the engine runs between happenings");
        running.stop(Duration::from_secs(5)).await;
    }

    fn note_rings(&mut self) {
        for stored in self.store.events_since(self.last_seq, usize::MAX).expect("readable") {
            self.last_seq = stored.seq;
            let Some(event) = stored.event.of_task() else { continue };
            let task = self.tasks.iter().position(|id| *id == event.snapshot.task.id);
            if let (Some(firing), Some(task)) = (event.operation.firing(), task) {
                self.rings[task].push(Ring {
                    at: event.at,
                    slot: firing.slot,
                    nominal: firing.nominal_at,
                    late: firing.late,
                    key: event.snapshot.occurrence.key,
                });
            }
        }
    }

    pub(crate) fn rings(&self, task: usize) -> &[Ring] {
        &self.rings[task]
    }

    /// Returns where a task stands, as the store has it.
    pub(crate) fn standing(&self, task: usize) -> Standing {
        let snapshot = self.store.snapshot(self.tasks[task]).expect("readable").expect("it was added");
        let occurrence = &snapshot.occurrence;
        let due = occurrence.due_at().filter(|_| !occurrence.has_ended());
        let local = due.map(|due| due.local(self.zone()));
        let is_past_deadline = occurrence.is_past_deadline && !occurrence.has_ended();
        Standing { stage: stage(&snapshot), due, is_past_deadline, local }
    }

    /// Checks that the oracle says the same of every task; `told` is what happened to one.
    pub(crate) fn agree(&self, oracle: &Oracle, told: &dyn Fn(usize) -> String) {
        assert_eq!(self.tasks.len(), oracle.tasks(), "as many tasks");
        for task in 0..self.tasks.len() {
            let (core, own) = (self.rings(task), oracle.rings(task));
            let common = core.iter().zip(own).take_while(|(core, own)| core == own).count();
            let (stands, should) = (self.standing(task), oracle.standing(task));
            if (core.len(), own.len()) != (common, common) || stands != should {
                let snapshot = self.store.snapshot(self.tasks[task]).expect("readable");
                panic!(
                    "core and oracle disagree on task {task} at {} in {}\nafter {common} rings alike the core says\n  \
                     {:?}\n  {stands:?}\nand the oracle\n  {:?}\n  {should:?}\n{}\nthe core has {snapshot:?}",
                    self.now(),
                    self.zone(),
                    &core[common..],
                    &own[common..],
                    told(task),
                );
            }
        }
    }
}

fn answer(result: Result<bool, CallError>) -> Answer {
    match result {
        Ok(true) => Answer::Done,
        Ok(false) => Answer::Nothing,
        Err(CallError::Rejected { .. } | CallError::PauseInPast { .. }) => Answer::Refused,
        Err(other) => panic!("an answer that nothing here explains: {other}"),
    }
}

fn stage(snapshot: &Snapshot) -> &'static str {
    match &snapshot.occurrence.state {
        State::Created => "no time",
        State::Pending(pending) if pending.snooze.is_some_and(|snooze| snooze.is_chosen) => "snoozed",
        State::Pending(pending) if pending.is_missed => "missed",
        State::Pending(_) => "scheduled",
        State::Running(running) if running.late => "late",
        State::Running(_) => "due",
        State::Suspended(_) => "paused",
        State::Failed(_) => "failed",
        State::Completed(ended) | State::Cancelled(ended) => match ended.outcome {
            Outcome::Done => "done",
            Outcome::Unanswered => "unanswered",
            Outcome::Undelivered => "undelivered",
            Outcome::RetriesExhausted => "retries exhausted",
            Outcome::Cancelled => "cancelled",
            Outcome::Skipped => "skipped",
        },
    }
}
