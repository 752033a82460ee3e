//! The real engine on the programmable clock: seeded users, crashes, clock steps, a store that fails, channels that drop.
//!
//! After each step the invariants I3 to I6 of the architecture are checked. A failure prints its seed; run that one with
//! `KEIKO_SIM_SEED=<seed>`, and more of them with `KEIKO_SIM_SEEDS=<count>`.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use chrono_tz::Tz;
use keiko::clock::Clock;
use keiko::clock::sim::SimClock;
use keiko::domain::command::{Command, Edit, Expected, GRACE_DEFAULT};
use keiko::domain::delivery::{ChannelKind, Delivery, DeliveryId, DeliveryStatus, Report};
use keiko::domain::event::{Actor, Operation, Snapshot, apply};
use keiko::domain::occurrence::{FireId, OccurrenceName};
use keiko::domain::schedule::{Calendar, Interval, Rule, Schedule};
use keiko::domain::state::State;
use keiko::domain::task::{Details, TaskId};
use keiko::domain::time::{Span, Timestamp};
use keiko::engine::handle::Handle;
use keiko::engine::ids::Ids;
use keiko::engine::input::{AddRequest, Applied, Call, CallError};
use keiko::engine::{EngineParts, Running, start};
use keiko::notify::recording::{Answer, RecordingChannel};
use keiko::notify::{Channel, Presence};
use keiko::store::memory::MemoryStore;
use keiko::store::{Store, StoreError, Wake, Which};
use uuid::Uuid;

use crate::support::random::Random;

/// How many seeds the suite plays, and how many steps each.
const SEEDS: u64 = 150;
const STEPS: usize = 80;

const ZONES: [Tz; 4] = [Tz::Europe__Berlin, Tz::America__New_York, Tz::Australia__Lord_Howe, Tz::America__Havana];

#[test]
fn a_simulated_life_keeps_every_invariant() {
    let number = |name: &str| std::env::var(name).ok().map(|text| text.parse::<u64>().expect("a number"));
    let seeds = match number("KEIKO_SIM_SEED") {
        Some(seed) => seed..seed + 1,
        None => 0..number("KEIKO_SIM_SEEDS").unwrap_or(SEEDS),
    };
    for seed in seeds {
        let outcome = std::panic::catch_unwind(|| play(seed));
        if let Err(cause) = outcome {
            eprintln!("seed {seed} failed; play it alone with KEIKO_SIM_SEED={seed}");
            std::panic::resume_unwind(cause);
        }
    }
}

#[test]
fn nobody_is_answered_before_the_commit() {
    runtime().block_on(async {
        let mut world = World::new(1).await;
        world.store.pause();
        let mut waiting = world.store.waiting();
        let handle = world.handle();
        let added = tokio::spawn(async move { handle.add(request("tea", countdown(60))).await });
        waiting.wait_for(|count| *count == 1).await.expect("the store lives");
        // The loop waits for the disk now: what is asked meanwhile is stepped after the result.
        let handle = world.handle();
        let refused = tokio::spawn(async move { handle.call(call(TaskId(Uuid::nil()), Command::Cancel)).await });
        tokio::task::yield_now().await;
        assert!(!added.is_finished() && !refused.is_finished(), "answered before the commit (I6)");
        world.store.release();
        assert!(added.await.expect("no panic").expect("added").changed);
        assert!(matches!(refused.await.expect("no panic"), Err(CallError::NotFound { .. })));
        world.check().await;
    });
}

#[test]
fn a_failed_commit_answers_all_with_the_error_and_leaves_no_trace() {
    runtime().block_on(async {
        let mut world = World::new(2).await;
        let full = || StoreError::Full { path: "keiko.db".into() };
        world.store.pause();
        let mut waiting = world.store.waiting();
        let first = spawn_add(&world, "first");
        waiting.wait_for(|count| *count == 1).await.expect("the store lives");
        let rest: Vec<_> = ["second", "third"].into_iter().map(|title| spawn_add(&world, title)).collect();
        tokio::task::yield_now().await;
        world.store.step();
        waiting.wait_for(|count| *count == 1).await.expect("the store lives");
        world.store.fail_next(full());
        world.store.release();
        assert!(first.await.expect("no panic").is_ok());
        for added in rest {
            assert!(matches!(added.await.expect("no panic"), Err(CallError::Store { .. })));
        }
        assert_eq!(world.store.list(Which::All).expect("readable").len(), 1);
        // Nothing of the failed batch is counted: the next number is the one that was not given.
        let next = spawn_add(&world, "fourth").await.expect("no panic").expect("added");
        assert_eq!(next.snapshot.task.number.0, 2);
        world.check().await;
    });
}

#[test]
fn a_task_that_cannot_be_written_keeps_no_other_from_ringing() {
    runtime().block_on(async {
        let mut world = World::new(6).await;
        let handle = world.handle();
        let added = handle.add(request("at fault", countdown(60))).await.expect("added");
        for title in ["one", "two"] {
            handle.add(request(title, countdown(60))).await.expect("added");
        }
        // As a fault of the rules would: the batch of all three, and then the one at fault when it is alone.
        let conflict = || StoreError::Conflict { id: added.snapshot.task.id, expected: 1, found: Some(9) };
        world.store.fail_next(conflict());
        world.store.fail_next(conflict());
        handle.advance(handle.now().saturating_add(Span::from_minutes(5))).await.expect("forwards");
        let shown: BTreeSet<_> = world.desktop.record().delivered.into_iter().map(|d| d.message.title).collect();
        assert_eq!(shown.len(), 2, "two of the three rang: {shown:?}");
        // A start looks at the one at fault anew.
        world.crash().await;
        let handle = world.handle();
        handle.advance(handle.now().saturating_add(Span::from_minutes(5))).await.expect("forwards");
        world.check().await;
        assert_eq!(world.desktop.record().delivered.len(), 3);
    });
}

#[test]
fn a_key_sent_twice_adds_once() {
    runtime().block_on(async {
        let mut world = World::new(3).await;
        let keyed = || AddRequest { key: Some("k1".into()), ..request("tea", countdown(60)) };
        let handle = world.handle();
        let (first, second) = tokio::join!(handle.add(keyed()), handle.add(keyed()));
        let (first, second) = (first.expect("added"), second.expect("seen"));
        assert_eq!(first.snapshot.task.id, second.snapshot.task.id);
        assert_eq!([first.changed, second.changed], [true, false]);
        assert!(!handle.add(keyed()).await.expect("seen").changed);
        world.check().await;
    });
}

#[test]
fn a_delivery_waits_for_its_channel_and_is_sent_once_it_appears() {
    runtime().block_on(async {
        let mut world = World::new(4).await;
        world.go_away(true);
        let handle = world.handle();
        handle.add(request("tea", countdown(60))).await.expect("added");
        handle.advance(handle.now().saturating_add(Span::from_minutes(5))).await.expect("forwards");
        assert_eq!(world.desktop.record().delivered.len(), 0);
        assert_eq!(world.terminal.record().delivered.len(), 1, "the terminal speaks while the desktop is away");
        world.go_away(false);
        let record = world.desktop.wait_until(|record| record.delivered.len() == 1).await;
        assert_eq!(record.delivered[0].message.title, "tea");
        handle.advance(handle.now()).await.expect("quiet");
        world.check().await;
        assert_eq!(world.desktop.record().delivered.len(), 1);
    });
}

#[test]
fn a_slow_target_holds_up_no_call_and_no_other_target() {
    runtime().block_on(async {
        let mut world = World::new(5).await;
        world.desktop.answer(|_, _| Answer::Hang(Report::Delivered));
        let handle = world.handle();
        for title in ["one", "two", "three", "four"] {
            handle.add(request(title, countdown(0))).await.expect("added");
        }
        let record = world.desktop.wait_until(|record| record.attempts.len() == 2).await;
        assert_eq!(record.attempts.len(), 2, "at most two are under way to one target");
        let mut details = Details { title: "five".into(), ..Details::default() };
        details.targets = vec![keiko::domain::delivery::Target::terminal()];
        let schedule = countdown_at(handle.now());
        handle.add(AddRequest { details, schedule, alerts: None, key: None }).await.expect("added");
        world.terminal.wait_until(|record| record.delivered.len() == 1).await;
        for delivered in [2, 4] {
            world.desktop.release();
            world.desktop.wait_until(|record| record.delivered.len() >= delivered).await;
        }
        handle.advance(handle.now()).await.expect("quiet");
        world.check().await;
    });
}

#[test]
fn what_a_successor_withdrew_is_not_sent_any_more() {
    runtime().block_on(async {
        let world = World::new(6).await;
        world.desktop.answer(|_, _| Answer::Hang(Report::Delivered));
        let handle = world.handle();
        // Two hang, so what follows waits in memory.
        for title in ["one", "two"] {
            handle.add(request(title, countdown(0))).await.expect("added");
        }
        world.desktop.wait_until(|record| record.attempts.len() == 2).await;
        let (every, from) = (Span::from_minutes(1), first_instant());
        let interval = Interval { every, from, count: None, until: None };
        let added = handle.add(request("series", schedule(Rule::Interval(interval)))).await.expect("added");
        let series = added.snapshot.task.id;
        for minutes in 1..=3 {
            let mut seq = handle.last_seq();
            seq.mark_unchanged();
            world.clock.step_to(first_instant().saturating_add(Span::from_minutes(minutes)));
            seq.changed().await.expect("the engine runs");
        }
        world.desktop.answer(|_, _| Answer::Report(Report::Delivered));
        world.desktop.release();
        handle.advance(handle.now()).await.expect("quiet");
        let record = world.desktop.record();
        let of_series = record.delivered.iter().filter(|delivery| delivery.task == series).count();
        assert_eq!(of_series, 1, "only the latest is still wanted");
    });
}

#[test]
fn a_popup_that_follows_a_silence_is_not_taken_back_by_it() {
    runtime().block_on(async {
        let world = World::new(7).await;
        world.desktop.answer(|_, _| Answer::Hang(Report::Delivered));
        let handle = world.handle();
        let task = handle.add(request("tea", countdown(0))).await.expect("added").snapshot.task.id;
        world.desktop.wait_until(|record| record.attempts.len() == 1).await;
        let until = first_instant().saturating_add(Span::from_secs(60));
        handle.call(call(task, Command::Snooze { until, early: false })).await.expect("due");
        world.desktop.wait_until(|record| record.withdrawn == [task]).await;
        world.clock.step_to(until);
        world.desktop.wait_until(|record| record.attempts.len() == 2).await;
        world.desktop.release();
        handle.advance(until).await.expect("quiet");
        assert_eq!(world.desktop.record().withdrawn, [task], "the new popup stays");
    });
}

#[test]
fn a_channel_that_appears_before_it_is_reported_away_is_tried_again() {
    runtime().block_on(async {
        let mut world = World::new(8).await;
        world.desktop.answer(|_, attempt| match attempt {
            0 => Answer::Hang(Report::Away { reason: "the server left".into() }),
            _ => Answer::Report(Report::Delivered),
        });
        let handle = world.handle();
        handle.add(request("tea", countdown(0))).await.expect("added");
        world.desktop.wait_until(|record| record.attempts.len() == 1).await;
        // Another server is there at once; the loop hears of it before the attempt at the first ends.
        world.desktop.set_presence(Presence::Present);
        handle.audit().await.expect("the engine runs");
        tokio::task::yield_now().await;
        handle.audit().await.expect("the engine runs");
        world.desktop.release();
        handle.advance(handle.now()).await.expect("quiet");
        assert_eq!(world.desktop.record().delivered.len(), 1);
        world.check().await;
    });
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime")
}

fn play(seed: u64) {
    runtime().block_on(async {
        let mut world = World::new(seed).await;
        for _ in 0..STEPS {
            world.act().await;
            world.check().await;
        }
        world.end().await;
    });
}

fn request(title: &str, schedule: Schedule) -> AddRequest {
    let details = Details { title: title.into(), ..Details::default() };
    AddRequest { details, schedule, alerts: None, key: None }
}

fn schedule(rule: Rule) -> Schedule {
    Schedule { text: String::new(), rule, zone: None }
}

fn countdown_at(at: Timestamp) -> Schedule {
    schedule(Rule::Countdown(at))
}

/// A countdown of so many seconds from the start of every world.
fn countdown(seconds: i64) -> Schedule {
    countdown_at(first_instant().saturating_add(Span::from_secs(seconds)))
}

fn first_instant() -> Timestamp {
    // 2026-03-07T12:00:00Z: gaps of New York and Havana, a fold of Lord Howe and a gap of Berlin lie in the next month.
    Timestamp::from_millis(1_772_884_800_000).expect("in range")
}

fn call(task: TaskId, command: Command) -> Call {
    Call { task, command, expected: Expected::default(), actor: Actor::Person }
}

fn spawn_add(world: &World, title: &'static str) -> tokio::task::JoinHandle<Result<Applied, CallError>> {
    let handle = world.handle();
    tokio::spawn(async move { handle.add(request(title, countdown(600))).await })
}

/// One device with its user, its disk and its channels.
struct World {
    seed: u64,
    random: Random,
    clock: Arc<SimClock>,
    store: MemoryStore,
    desktop: RecordingChannel,
    terminal: RecordingChannel,
    engine: Option<(Handle, Running)>,
    /// What was acknowledged: the version that each task had reached.
    acknowledged: BTreeMap<TaskId, u64>,
    /// Deliveries that were queued when the device crashed: only these may be shown again.
    in_flight_at_crashes: BTreeSet<DeliveryId>,
    starts: u64,
    known: Known,
}

/// What the events so far say, replayed once.
#[derive(Default)]
struct Known {
    last_seq: u64,
    rebuilt: BTreeMap<TaskId, Snapshot>,
    fired: BTreeSet<FireId>,
    ended: BTreeSet<(TaskId, OccurrenceName)>,
    flagged: BTreeSet<DeliveryId>,
}

impl World {
    async fn new(seed: u64) -> Self {
        let mut random = Random(seed);
        let zone = ZONES[usize::try_from(random.below(4)).expect("small")];
        let mut world = Self {
            seed,
            random,
            clock: Arc::new(SimClock::starting_at(first_instant(), zone)),
            store: MemoryStore::new(Uuid::from_u64_pair(1, seed)),
            desktop: RecordingChannel::new(ChannelKind::Desktop),
            terminal: RecordingChannel::new(ChannelKind::Terminal),
            engine: None,
            acknowledged: BTreeMap::new(),
            in_flight_at_crashes: BTreeSet::new(),
            starts: 0,
            known: Known::default(),
        };
        world.boot().await;
        world
    }

    async fn boot(&mut self) {
        self.starts += 1;
        let channels: Vec<Arc<dyn Channel>> = vec![Arc::new(self.desktop.clone()), Arc::new(self.terminal.clone())];
        let parts = EngineParts {
            store: Arc::new(self.store.clone()),
            clock: Arc::clone(&self.clock) as Arc<dyn Clock>,
            channels,
            ids: Ids::from_seed(self.seed.wrapping_mul(1000) + self.starts),
            grace: GRACE_DEFAULT,
        };
        self.engine = Some(start(parts).await.expect("the store is readable"));
    }

    fn handle(&self) -> Handle {
        self.engine.as_ref().expect("the engine runs between steps").0.clone()
    }

    fn go_away(&self, is_away: bool) {
        if is_away {
            self.desktop.answer(|_, _| Answer::Report(Report::Away { reason: "no server".into() }));
            self.desktop.set_presence(Presence::Away { reason: "no server".into() });
        } else {
            self.desktop.answer(|_, _| Answer::Report(Report::Delivered));
            self.desktop.set_presence(Presence::Present);
        }
    }

    /// One thing happens: to the user, the clock, the disk or a channel.
    async fn act(&mut self) {
        match self.random.below(100) {
            0..20 => self.add().await,
            20..60 => self.ask().await,
            60..80 => self.advance().await,
            80..85 => self.step_clock(),
            85..88 => {
                let zone = ZONES[usize::try_from(self.random.below(4)).expect("small")];
                self.clock.set_zone(zone);
            }
            88..92 => {
                let is_away = self.random.chance(50);
                self.go_away(is_away);
            }
            92..95 => self.drop_some_deliveries(),
            95..97 => self.fail_once().await,
            _ => self.crash().await,
        }
    }

    async fn add(&mut self) {
        let schedule = self.any_schedule();
        let alerts = self.random.chance(30).then(|| {
            let count = self.random.below(3);
            (0..count).map(|_| self.random.minutes(-300, 60)).collect()
        });
        let number = self.random.below(1000);
        let request = AddRequest { alerts, ..request(&format!("task {number}"), schedule) };
        let result = self.handle().add(request).await;
        self.note(result);
    }

    async fn ask(&mut self) {
        let tasks = self.store.list(Which::All).expect("readable");
        if tasks.is_empty() {
            return;
        }
        let chosen = usize::try_from(self.random.next() % tasks.len() as u64).expect("small");
        let command = self.any_command();
        let result = self.handle().call(call(tasks[chosen].task.id, command)).await;
        self.note(result);
    }

    fn note(&mut self, result: Result<Applied, CallError>) {
        match result {
            Ok(applied) => {
                self.acknowledged.insert(applied.snapshot.task.id, applied.snapshot.task.version);
            }
            // A refusal is an answer.
            Err(CallError::Rejected { .. } | CallError::NotAdded { .. } | CallError::Store { .. }) => {}
            Err(other) => panic!("an answer that nothing here explains: {other}"),
        }
    }

    fn any_schedule(&mut self) -> Schedule {
        let now = self.clock.now();
        let ahead = now.saturating_add(self.random.minutes(-5, 3000));
        match self.random.below(6) {
            0 => Schedule::none(),
            1 | 2 => schedule(Rule::Once(ahead.local(self.clock.zone()))),
            3 => countdown_at(ahead),
            4 => {
                let every = self.random.minutes(1, 600);
                let count = self.random.chance(30).then(|| u32::try_from(1 + self.random.below(5)).expect("small"));
                let from = now.saturating_add(every);
                schedule(Rule::Interval(Interval { every, from, count, until: None }))
            }
            _ => {
                let (hour, minute) = (self.random.below(24), self.random.below(60));
                let rrule = format!("FREQ=DAILY;BYHOUR={hour};BYMINUTE={minute};BYSECOND=0");
                let from = now.local(self.clock.zone());
                schedule(Rule::Calendar(Calendar { rrule, from, count: None, until: None }))
            }
        }
    }

    fn any_command(&mut self) -> Command {
        let now = self.clock.now();
        let early = self.random.chance(30);
        match self.random.below(9) {
            0 | 1 => Command::Done { early },
            2 => Command::Ack { early },
            3 | 4 => Command::Snooze { until: now.saturating_add(self.random.minutes(-1, 600)), early },
            5 => {
                let until = self.random.chance(50).then(|| now.saturating_add(self.random.minutes(1, 3000)));
                Command::Pause { until }
            }
            6 => Command::Resume { shift: self.random.chance(30) },
            7 if self.random.chance(50) => Command::Skip,
            7 => Command::Cancel,
            _ => Command::Edit(Edit { schedule: Some(self.any_schedule()), ..Edit::default() }),
        }
    }

    async fn advance(&mut self) {
        let to = self.clock.now().saturating_add(self.random.minutes(0, 2000));
        self.handle().advance(to).await.expect("time goes forwards");
    }

    fn step_clock(&mut self) {
        let span = self.random.minutes(-3000, 3000);
        self.clock.step_to(self.clock.now().saturating_add(span));
    }

    fn drop_some_deliveries(&mut self) {
        let salt = self.random.next();
        self.desktop.answer(move |delivery, attempt| {
            let failed = (delivery.id.fire_id.0.as_u64_pair().1 ^ salt).wrapping_add(attempt as u64) % 3;
            Answer::Report(match failed {
                0 => Report::Failed { error: "dropped".into(), is_final: false, retry_after: None },
                1 => Report::Failed { error: "refused".into(), is_final: true, retry_after: None },
                _ => Report::Delivered,
            })
        });
    }

    /// The disk is full for one commit; whoever asks then hears so, and nothing is lost.
    async fn fail_once(&mut self) {
        self.store.fail_next(StoreError::Full { path: "keiko.db".into() });
        let to = self.clock.now().saturating_add(Span::from_minutes(200));
        self.handle().advance(to).await.expect("time goes forwards");
        // One that met no commit must not fail a later one unseen.
        let added = self.handle().add(request("after the failure", countdown_at(to))).await;
        self.note(added);
        // The loop holds back for a while after a failure; then it goes on by itself.
        self.handle().advance(to.saturating_add(Span::from_minutes(90))).await.expect("time goes forwards");
    }

    async fn crash(&mut self) {
        let (_, running) = self.engine.take().expect("the engine runs between steps");
        running.abort().await;
        self.store = self.store.reopen();
        let queued = self.store.outbox().expect("readable");
        let queued = queued.into_iter().filter(|delivery| matches!(delivery.status, DeliveryStatus::Queued));
        self.in_flight_at_crashes.extend(queued.map(|delivery| delivery.id));
        if self.random.chance(60) {
            self.clock.step_to(self.clock.now().saturating_add(self.random.minutes(0, 10_000)));
        }
        self.boot().await;
    }

    /// Waits until everything is quiet, then looks at the whole.
    async fn check(&mut self) {
        let handle = self.handle();
        handle.advance(handle.now()).await.expect("quiet");
        let tasks = self.store.list(Which::All).expect("readable");
        self.check_acknowledged(&tasks);
        self.check_events(&tasks);
        self.check_queue(&tasks).await;
        self.check_deliveries();
    }

    /// I6: what was acknowledged is there, over crashes and failures.
    fn check_acknowledged(&self, tasks: &[Snapshot]) {
        for (id, version) in &self.acknowledged {
            let task = tasks.iter().find(|snapshot| snapshot.task.id == *id);
            let found = task.map(|snapshot| snapshot.task.version);
            assert!(found.is_some_and(|found| found >= *version), "{id} had version {version}, now {found:?}");
        }
    }

    /// I3 and I4: the events alone rebuild every task, and no firing is in them twice.
    fn check_events(&mut self, tasks: &[Snapshot]) {
        let known = &mut self.known;
        let events = self.store.events_since(known.last_seq, usize::MAX).expect("readable");
        for stored in &events {
            known.last_seq += 1;
            assert_eq!(stored.seq, known.last_seq, "seq has no gap");
            let event = &stored.event;
            let id = event.snapshot.task.id;
            let before = known.rebuilt.get(&id);
            let after = apply(before, &event.operation, event.at, event.snapshot.task.version);
            assert_eq!(after.as_ref(), Some(&event.snapshot), "replay of {:?}", event.operation);
            if let Some(firing) = event.operation.firing() {
                assert!(known.fired.insert(firing.fire_id), "{} fired twice", firing.fire_id);
                assert!(firing.nominal_at <= event.at, "{} fired early", firing.fire_id);
            }
            let name = event.snapshot.occurrence.name();
            assert!(!known.ended.contains(&(id, name)), "{name} came back to life");
            if let Operation::Resent { fire_id, target } = &event.operation {
                known.flagged.insert(DeliveryId { fire_id: *fire_id, target: target.clone() });
            }
            if event.snapshot.occurrence.has_ended() {
                known.ended.insert((id, name));
            }
            known.rebuilt.insert(id, event.snapshot.clone());
        }
        let stored: BTreeMap<TaskId, Snapshot> = tasks.iter().map(|task| (task.task.id, task.clone())).collect();
        assert_eq!(known.rebuilt, stored, "the events rebuild what is stored");
    }

    /// I5: the queue is what the store plans; I4: nothing that is due was left out.
    async fn check_queue(&self, tasks: &[Snapshot]) {
        let now = self.clock.now();
        let mut planned = self.store.wakes().expect("readable");
        planned.sort_unstable();
        let queue = self.handle().audit().await.expect("the engine runs");
        assert_eq!(queue, planned, "the queue equals the deadlines in the store (I5)");
        let of_tasks: BTreeSet<Wake> = tasks
            .iter()
            .filter_map(|task| Some(Wake { at: task.next_wake()?, id: task.task.id, version: task.task.version }))
            .collect();
        assert_eq!(of_tasks, planned.into_iter().collect(), "the store plans what the rules say");
        for task in tasks {
            assert!(task.next_wake().is_none_or(|at| at > now), "{task:?} was left out at {now}");
        }
    }

    /// I4: what was fired is delivered, waits for its channel, is retried or was withdrawn; never lost, never again
    /// after it ended, and shown twice only where a crash came between.
    fn check_deliveries(&self) {
        let outbox = self.store.outbox().expect("readable");
        for delivery in &outbox {
            let is_stuck = matches!(delivery.status, DeliveryStatus::Queued);
            assert!(!is_stuck, "{} is queued though all is quiet", delivery.id);
            let is_open = self.store.snapshot(delivery.task).expect("readable").is_some_and(|task| {
                task.occurrence.name() == delivery.occurrence
                    && matches!(task.occurrence.state, State::Running(_) | State::Pending(_))
            });
            assert!(is_open, "{} waits for an occurrence that is over", delivery.id);
        }
        for channel in [&self.desktop, &self.terminal] {
            let shown = channel.record().delivered;
            let mut times: BTreeMap<&DeliveryId, usize> = BTreeMap::new();
            for delivery in &shown {
                *times.entry(&delivery.id).or_default() += 1;
            }
            for (id, count) in times {
                let is_explained = self.in_flight_at_crashes.contains(id);
                assert!(count == 1 || is_explained, "{id} was shown {count} times without a crash");
                assert!(
                    count == 1 || self.known.flagged.contains(id),
                    "{id} was shown again and the history does not say so"
                );
            }
            for delivery in shown {
                assert!(self.is_same_message(&delivery), "{} changed on the way", delivery.id);
            }
        }
    }

    fn is_same_message(&self, shown: &Delivery) -> bool {
        let stored = self.store.delivery(&shown.id).expect("readable");
        stored.is_some_and(|stored| stored.message == shown.message)
    }

    async fn end(mut self) {
        let (_, running) = self.engine.take().expect("the engine runs between steps");
        running.stop(Duration::from_secs(5)).await;
        let outbox = self.store.outbox().expect("readable");
        let left = outbox.iter().filter(|delivery| matches!(delivery.status, DeliveryStatus::Queued)).count();
        assert_eq!(left, 0, "an orderly stop leaves nothing half sent");
    }
}
