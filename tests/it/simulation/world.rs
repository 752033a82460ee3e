//! One device with its user, its disk and its channels, and what must hold of it whenever all is quiet.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use chrono_tz::Tz;
use keiko::clock::Clock;
use keiko::clock::sim::SimClock;
use keiko::domain::command::{Command, Edit, Expected, GRACE_DEFAULT};
use keiko::domain::delivery::{ChannelKind, Delivery, DeliveryId, DeliveryStatus, Report, Target};
use keiko::domain::event::{Actor, Event, Operation, Snapshot, apply};
use keiko::domain::occurrence::{FireId, Nominal, Occurrence, OccurrenceKey, OccurrenceName, Slot};
use keiko::domain::outbox::{DeliveryFilter, Statuses};
use keiko::domain::pause::Scope;
use keiko::domain::quiet::QuietHours;
use keiko::domain::routing::Routing;
use keiko::domain::schedule::{AfterDone, Calendar, Every, Interval, Rule, Schedule};
use keiko::domain::state::State;
use keiko::domain::task::{Deadline, DeadlineTime, Missed, Nag, Policy, TaskId};
use keiko::domain::time::{Span, Timestamp};
use keiko::domain::waiting::SetWaits;
use keiko::engine::handle::Handle;
use keiko::engine::ids::Ids;
use keiko::engine::input::{AddRequest, Applied, CallError, FollowCall, ManyCall, PreviewCall, TargetCall, UndoCall};
use keiko::engine::runs::AT_ONCE_DEFAULT;
use keiko::engine::{EngineParts, Running, start};
use keiko::notify::recording::{Answer, RecordingChannel};
use keiko::notify::{Channel, Presence};
use keiko::runner::Runner;
use keiko::runner::recording::RecordingRunner;
use keiko::store::memory::MemoryStore;
use keiko::store::{Store, StoreError, StoredEvent, Wake, Which};
use uuid::Uuid;

use crate::simulation::commands::{Jobs, give_command};
use crate::simulation::programs::{Programs, webhook};
use crate::simulation::quiet::{Heard, any_hours};
use crate::simulation::{call, countdown_at, first_instant, request, schedule, stories, waits};
use crate::support::random::Random;

const ZONES: [Tz; 4] = [Tz::Europe__Berlin, Tz::America__New_York, Tz::Australia__Lord_Howe, Tz::America__Havana];

/// One device with its user, its disk and its channels.
pub(super) struct World {
    seed: u64,
    pub(super) random: Random,
    pub(super) clock: Arc<SimClock>,
    pub(super) store: MemoryStore,
    pub(super) desktop: RecordingChannel,
    pub(super) terminal: RecordingChannel,
    pub(super) programs: Programs,
    engine: Option<(Handle, Running)>,
    /// What was acknowledged: the version that each task had reached.
    acknowledged: BTreeMap<TaskId, u64>,
    /// Deliveries that were queued when the device crashed: only these may be shown again.
    in_flight_at_crashes: BTreeSet<DeliveryId>,
    starts: u64,
    pub(super) quiet_hours: QuietHours,
    /// What the person had heard when it was last looked.
    pub(super) heard: Heard,
    known: Known,
    /// What runs commands, in lives in which tasks have some.
    jobs: Option<Arc<Jobs>>,
}

/// What the events so far say, replayed once.
#[derive(Default)]
struct Known {
    last_seq: u64,
    rebuilt: BTreeMap<TaskId, Snapshot>,
    /// Occurrences that their successors left open, as they were last.
    earlier: BTreeMap<(TaskId, OccurrenceName), Occurrence>,
    fired: BTreeSet<FireId>,
    ended: BTreeSet<(TaskId, OccurrenceName)>,
    flagged: BTreeSet<DeliveryId>,
    purged: BTreeSet<TaskId>,
}

impl World {
    pub(super) async fn new(seed: u64) -> Self {
        Self::living(seed, QuietHours::default()).await
    }

    /// As [`World::new`]; in most lives some hours are quiet.
    pub(super) async fn with_nights(seed: u64) -> Self {
        Self::living(seed, any_hours(&mut Random(!seed))).await
    }

    pub(super) async fn living(seed: u64, quiet_hours: QuietHours) -> Self {
        Self::beginning(seed, quiet_hours, None).await
    }

    pub(super) async fn beginning(seed: u64, quiet_hours: QuietHours, jobs: Option<Arc<Jobs>>) -> Self {
        let mut random = Random(seed);
        let zone = ZONES[usize::try_from(random.below(4)).expect("small")];
        let mut world = Self {
            seed,
            random,
            clock: Arc::new(SimClock::starting_at(first_instant(), zone)),
            store: MemoryStore::new(Uuid::from_u64_pair(1, seed)),
            desktop: RecordingChannel::new(ChannelKind::Desktop),
            terminal: RecordingChannel::new(ChannelKind::Terminal),
            programs: Programs::new(seed),
            engine: None,
            acknowledged: BTreeMap::new(),
            in_flight_at_crashes: BTreeSet::new(),
            starts: 0,
            quiet_hours,
            heard: Heard::default(),
            known: Known::default(),
            jobs,
        };
        world.boot().await;
        world
    }

    async fn boot(&mut self) {
        self.starts += 1;
        self.programs.watch(&self.store, &self.clock);
        let channels: Vec<Arc<dyn Channel>> = vec![
            Arc::new(self.desktop.clone()),
            Arc::new(self.terminal.clone()),
            Arc::new(self.programs.channel.clone()),
        ];
        let runner: Arc<dyn Runner> = match &self.jobs {
            Some(jobs) => Arc::clone(jobs) as Arc<dyn Runner>,
            None => Arc::new(RecordingRunner::prompt()),
        };
        let parts = EngineParts {
            runner,
            commands_at_once: AT_ONCE_DEFAULT,
            store: Arc::new(self.store.clone()),
            clock: Arc::clone(&self.clock) as Arc<dyn Clock>,
            channels,
            ids: Ids::from_seed(self.seed.wrapping_mul(1000) + self.starts),
            grace: GRACE_DEFAULT,
            quiet_hours: self.quiet_hours.clone(),
            daily: None,
            routing: Routing::NONE,
        };
        self.engine = Some(start(parts).await.expect("the store is readable"));
    }

    pub(super) fn handle(&self) -> Handle {
        self.engine.as_ref().expect("the engine runs between steps").0.clone()
    }

    pub(super) fn go_away(&self, is_away: bool) {
        if is_away {
            self.desktop.answer(|_, _| Answer::Report(Report::Away { reason: "no server".into() }));
            self.desktop.set_presence(Presence::Away { reason: "no server".into() });
        } else {
            self.desktop.answer(|_, _| Answer::Report(Report::DELIVERED));
            self.server_comes();
            self.desktop.set_presence(Presence::Present);
        }
    }

    /// Half of the servers that appear are others than the one before.
    fn server_comes(&self) {
        let number = self.desktop.record().delivered.len() / 2;
        self.desktop.set_shown_by(&format!("server {number}"));
    }

    /// One thing happens: to the user, the clock, the disk or a channel.
    pub(super) async fn act(&mut self) {
        if let Some(jobs) = self.jobs.clone()
            && self.random.chance(50)
        {
            return self.act_on_jobs(&jobs).await;
        }
        match self.random.below(100) {
            0..20 => self.add().await,
            20..56 => self.ask().await,
            56..60 => self.dismiss().await,
            66..80 => self.advance().await,
            80..82 => self.step_clock().await,
            82 => self.suspend(),
            _ if self.random.chance(3) => self.go_or_come_back().await,
            83 | 84 => self.programs.change_mood(&mut self.random),
            85 => self.pause_or_resume_many().await,
            86 => self.programs.channel.set_presence(Presence::Present),
            // As often as the acts that it takes back.
            60..66 => self.undo().await,
            87 => self.pause_or_resume_target().await,
            88..90 => {
                let zone = ZONES[usize::try_from(self.random.below(4)).expect("small")];
                self.clock.set_zone(zone);
            }
            90..92 => {
                let is_away = self.random.chance(50);
                self.go_away(is_away);
            }
            92..95 => self.drop_some_deliveries(),
            95 => self.fill_disk().await,
            96 => self.fail_once().await,
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
        let policy = self.any_policy();
        let deadline = if self.random.chance(30) { self.any_deadline() } else { None };
        let waits = if self.random.chance(35) { self.any_waits() } else { SetWaits::default() };
        let mut request =
            AddRequest { alerts, deadline, policy, waits, ..request(&format!("task {number}"), schedule) };
        request.details.tags.extend(self.random.chance(30).then(|| "home".to_owned()));
        request.details.max_retries =
            self.random.chance(20).then(|| u32::try_from(self.random.below(6)).expect("small"));
        request.details.max_late = self.random.chance(30).then(|| self.random.minutes(1, 600));
        request.details.targets = match self.random.below(6) {
            0 => vec![Target::desktop(), webhook("a")],
            1 => vec![webhook("a")],
            2 => vec![webhook("a"), webhook("b")],
            _ => Vec::new(),
        };
        if self.jobs.is_some() {
            give_command(&mut self.random, &mut request);
        }
        let result = self.handle().add(request).await;
        self.note(result);
    }

    /// What was done last is taken back, or something that was done before.
    async fn undo(&mut self) {
        let ops = self.store.ops(None, 20).expect("readable");
        let named = self.random.chance(30) && !ops.is_empty();
        let op = named.then(|| {
            let chosen = usize::try_from(self.random.next() % ops.len() as u64).expect("small");
            ops[chosen].1.id.to_string()
        });
        let foreseen = self.store.op_to_undo().expect("readable");
        match self.handle().undo(UndoCall { op: op.clone(), key: None }).await {
            Ok(undone) => {
                assert!(op.is_some() || foreseen.map(|op| op.id) == Some(undone.op.id), "a bare undo means the last");
                self.acknowledged.extend(undone.tasks.iter().map(|task| (task.task.id, task.task.version)));
            }
            // A refusal is an answer.
            Err(
                CallError::Rejected { .. }
                | CallError::NothingToUndo
                | CallError::UndoneBefore { .. }
                | CallError::CannotUndo { .. }
                | CallError::UndoRefused { .. }
                | CallError::Gone { .. }
                | CallError::Store { .. },
            ) => {}
            Err(other) => panic!("an answer that nothing here explains: {other}"),
        }
    }

    async fn ask(&mut self) {
        let tasks = self.store.list(Which::All).expect("readable");
        if tasks.is_empty() {
            return;
        }
        let chosen = usize::try_from(self.random.next() % tasks.len() as u64).expect("small");
        let task = tasks[chosen].task.id;
        if self.random.chance(6) {
            let call = self.any_following(task);
            let result = self.handle().follow(call).await;
            if let Ok(Applied { follower: Some(follower), .. }) = &result {
                self.acknowledged.insert(follower.task.id, follower.task.version);
            }
            return self.note(result);
        }
        if self.random.chance(6) {
            return self.preview(task).await;
        }
        let command = self.any_command();
        let result = self.handle().call(call(task, command)).await;
        self.note(result);
    }

    /// The person closes a popup, maybe one of long ago that a slow screen still shows: what it was of is seen, nothing else.
    async fn dismiss(&mut self) {
        let shown = self.desktop.record().delivered;
        let among = if self.random.chance(60) { 4 } else { 40 };
        let back = usize::try_from(self.random.below(among)).expect("small");
        let Some(closed) = shown.len().checked_sub(back + 1).map(|index| &shown[index]) else { return };
        let Some(before) = self.store.snapshot(closed.task).expect("readable") else {
            return self.desktop.dismiss(closed).await;
        };
        self.desktop.dismiss(closed).await;
        self.handle().advance(self.clock.now()).await.expect("quiet");
        let after = self.store.snapshot(closed.task).expect("readable").expect("it was there");
        let is_there = before.task.deleted_at.is_none();
        let is_meant = is_there && before.occurrence.name() == closed.occurrence && !closed.is_notice();
        let is_unseen = matches!(before.occurrence.state, State::Running(running) if running.acked_at.is_none());
        if is_meant && is_unseen {
            let is_seen = match after.occurrence.state {
                // What nags may ring again at that very moment.
                State::Running(running) => {
                    let now = Some(self.clock.now());
                    running.acked_at == now || running.rang_at == now && task_nags(&after)
                }
                // Another may have opened: a countdown ends when it is seen.
                _ => after.task.version > before.task.version,
            };
            assert!(is_seen, "{closed:?} was dismissed: {after:?}");
        } else if !is_meant {
            assert_eq!(before, after, "{closed:?} was dismissed, and is not what is open");
        }
    }

    fn any_following(&mut self, task: TaskId) -> FollowCall {
        let schedule = self.random.chance(50).then(|| self.any_schedule());
        let edit = Box::new(Edit { title: Some("goes on".to_owned()), schedule, ..Edit::default() });
        FollowCall { task, edit, expected: Expected::default(), actor: Actor::Person, key: None }
    }

    /// What is only asked changes nothing, and the change itself does what was said.
    async fn preview(&mut self, task: TaskId) {
        let before = self.store.events_since(self.known.last_seq, usize::MAX).expect("readable").len();
        let (foreseen, done) = if self.random.chance(50) {
            let asked = self.any_following(task);
            let foreseen = self.handle().preview(PreviewCall::Follow(asked.clone())).await;
            self.check_unchanged(before);
            (foreseen, self.handle().follow(asked).await)
        } else {
            let asked = call(task, self.any_command());
            let foreseen = self.handle().preview(PreviewCall::One(asked.clone())).await;
            self.check_unchanged(before);
            (foreseen, self.handle().call(asked).await)
        };
        if let (Ok(foreseen), Ok(done)) = (&foreseen, &done) {
            let due = |applied: &Applied| {
                let both = [Some(&applied.snapshot), applied.follower.as_deref()];
                both.map(|snapshot| snapshot.map(|snapshot| (snapshot.task.number, snapshot.occurrence.due)))
            };
            let history = self.store.history(done.snapshot.task.id).expect("readable");
            assert_eq!(due(foreseen), due(done), "it is as it was foreseen{}", told(&history));
        }
        if let Ok(Applied { follower: Some(follower), .. }) = &done {
            self.acknowledged.insert(follower.task.id, follower.task.version);
        }
        self.note(done);
    }

    fn check_unchanged(&self, before: usize) {
        let after = self.store.events_since(self.known.last_seq, usize::MAX).expect("readable").len();
        assert_eq!(before, after, "what is only asked is not stored");
    }

    pub(super) fn note(&mut self, result: Result<Applied, CallError>) {
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
        match self.random.below(7) {
            0 => Schedule::none(),
            1 | 2 => schedule(Rule::Once(ahead.local(self.clock.zone()))),
            3 => countdown_at(ahead),
            4 => {
                let every = self.random.minutes(1, 600);
                let count = self.random.chance(30).then(|| u32::try_from(1 + self.random.below(5)).expect("small"));
                let from = now.saturating_add(every);
                schedule(Rule::Interval(Interval { every, from, count, until: None }))
            }
            5 => {
                let days = u32::try_from(1 + self.random.below(5)).expect("small");
                let every =
                    if self.random.chance(50) { Every::Days(days) } else { Every::Span(self.random.minutes(1, 600)) };
                let from = Nominal::Local(ahead.local(self.clock.zone()));
                schedule(Rule::AfterDone(AfterDone { every, at: None, from, count: None, until: None }))
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
        match self.random.below(12) {
            9 => {
                let until = self.random.chance(30).then(|| now.saturating_add(self.random.minutes(1, 3000)));
                if self.random.chance(70) { Command::PauseThis { until } } else { Command::CancelThis }
            }
            10 => {
                let at = now.saturating_add(self.random.minutes(-5, 1500));
                let rule =
                    if self.random.chance(70) { Rule::Once(at.local(self.clock.zone())) } else { Rule::Countdown(at) };
                Command::EditThis(Box::new(Edit { schedule: Some(schedule(rule)), ..Edit::default() }))
            }
            11 if self.random.chance(20) => Command::Unblock,
            11 if self.random.chance(20) => Command::Delete,
            11 => Command::Edit(Box::new(Edit { waits: self.any_waits(), ..Edit::default() })),
            0 | 1 => Command::Done { early },
            2 => Command::Ack { early, is_dismissal: self.random.chance(50) },
            3 | 4 => {
                let (until, is_duration) = (now.saturating_add(self.random.minutes(-1, 600)), self.random.chance(50));
                Command::Snooze { until, is_duration, early }
            }
            5 => {
                let until = self.random.chance(50).then(|| now.saturating_add(self.random.minutes(1, 3000)));
                Command::Pause { until }
            }
            6 => Command::Resume { shift: self.random.chance(30) },
            7 if self.random.chance(50) => Command::Skip,
            7 => Command::Cancel,
            _ if self.random.chance(60) => {
                Command::Edit(Box::new(Edit { schedule: Some(self.any_schedule()), ..Edit::default() }))
            }
            _ => {
                let policy = self.any_policy();
                let deadline = self.random.chance(50).then(|| self.any_deadline());
                let (missed, nag, auto_done) = (Some(policy.missed), Some(policy.nag), Some(policy.auto_done));
                Command::Edit(Box::new(Edit { deadline, missed, nag, auto_done, ..Edit::default() }))
            }
        }
    }

    fn any_policy(&mut self) -> Policy {
        let missed = if self.random.chance(25) { Missed::Skip } else { Missed::Once };
        let max = u32::try_from(1 + self.random.below(4)).expect("small");
        let nag = self.random.chance(30).then(|| Nag { every: self.random.minutes(1, 300), max });
        Policy { missed, nag, auto_done: self.random.chance(20) }
    }

    fn any_deadline(&mut self) -> Option<Deadline> {
        let span = self.random.minutes(1, 4000);
        let at = self.clock.now().saturating_add(span);
        let time = match self.random.below(4) {
            0 => return None,
            1 => DeadlineTime::At(Nominal::Instant(at)),
            2 => DeadlineTime::At(Nominal::Local(at.local(self.clock.zone()))),
            _ => DeadlineTime::AfterDue(span),
        };
        let mut alerts = vec![self.random.minutes(-300, -1)];
        alerts.extend(self.random.chance(70).then_some(Span::ZERO));
        Some(Deadline { time, alerts })
    }

    async fn advance(&mut self) {
        let to = self.clock.now().saturating_add(self.random.minutes(0, 2000));
        self.handle().advance(to).await.expect("time goes forwards");
    }

    async fn pause_or_resume_many(&mut self) {
        let scope = if self.random.chance(60) { Scope::All } else { Scope::Tag("home".into()) };
        let call = if self.random.chance(50) {
            let until = self.random.chance(50).then(|| self.clock.now().saturating_add(self.random.minutes(1, 3000)));
            ManyCall::Pause { scope, until }
        } else {
            ManyCall::Resume { scope, shift: self.random.chance(30) }
        };
        match self.handle().call_many(call).await {
            Ok(_) | Err(CallError::Store { .. }) => {}
            Err(other) => panic!("an answer that nothing here explains: {other}"),
        }
    }

    async fn pause_or_resume_target(&mut self) {
        let target = webhook(if self.random.chance(50) { "a" } else { "b" });
        self.programs.forget_releases();
        let call = if self.random.chance(40) { TargetCall::Pause(target) } else { TargetCall::Resume(target) };
        match self.handle().call_target(call).await {
            Ok(_) | Err(CallError::Store { .. }) => {}
            Err(other) => panic!("an answer that nothing here explains: {other}"),
        }
    }

    fn set_clock(&mut self) {
        self.heard.clock_was_set = true;
        self.programs.forget_releases();
        let span = self.random.minutes(-3000, 3000);
        self.clock.step_to(self.clock.now().saturating_add(span));
    }

    fn suspend(&mut self) {
        self.programs.forget_releases();
        let span = self.random.minutes(0, 3000);
        self.clock.suspend_to(self.clock.now().saturating_add(span));
    }

    /// The clock is set: what is snoozed for a duration moves with it, and no series is left where the old one was.
    async fn step_clock(&mut self) {
        self.handle().advance(self.clock.now()).await.expect("quiet");
        let (before, snoozes) = (self.clock.now(), self.snoozes());
        self.set_clock();
        self.handle().advance(self.clock.now()).await.expect("quiet");
        let now = self.clock.now();
        let by = now.since(before);
        for (id, until) in self.snoozes() {
            if let Some(earlier) = snoozes.get(&id) {
                assert_eq!(until, earlier.saturating_add(by), "a snooze by duration moves with the clock");
            }
        }
        if now < before {
            self.check_series_go_on_from(now, before);
        }
    }

    /// When each snooze ends that was asked for as so long from then.
    fn snoozes(&self) -> BTreeMap<Uuid, Timestamp> {
        let tasks = self.store.list(Which::Open).expect("readable");
        let snooze = |task: &Snapshot| match task.occurrence.state {
            State::Pending(pending) => pending.snooze,
            State::Running(running) => running.snooze,
            State::Suspended(suspended) => suspended.snooze,
            State::Created | State::Failed(_) | State::Completed(_) | State::Cancelled(_) => None,
        };
        let by_duration = tasks.iter().filter_map(snooze).filter(|snooze| snooze.is_duration);
        by_duration.map(|snooze| (snooze.id, snooze.until)).collect()
    }

    /// After a step back to `now` no series waits for a time that the clock had led it to, while an instance lies before
    /// that which the clock had passed and which has not come up.
    fn check_series_go_on_from(&self, now: Timestamp, passed_by: Timestamp) {
        let spent = self.store.spent(now.saturating_add(Span::from_minutes(-3 * 24 * 60))).expect("readable");
        let spent: BTreeSet<(TaskId, OccurrenceKey)> =
            spent.into_iter().map(|(task, spent)| (task, spent.key)).collect();
        for task in self.store.list(Which::Open).expect("readable") {
            let counts_completions = matches!(task.task.schedule.rule, Rule::AfterDone(_));
            let Some(due) = task.occurrence.due_at().filter(|due| now < *due && task.task.is_series()) else {
                continue;
            };
            let instances = task.task.schedule.instances(None, now, self.clock.zone());
            let left_out = instances
                .skip_while(|instance| instance.due <= now)
                .take_while(|instance| instance.due < due && instance.due <= passed_by)
                .find(|instance| !spent.contains(&(task.task.id, instance.key)) && instance.key != task.occurrence.key);
            // What was set free after a delay has a time of its own, counted from when its parents were done.
            let was_set_free = !task.task.waits.is_none();
            assert!(
                counts_completions || was_set_free || left_out.is_none(),
                "{now}: {left_out:?} comes before {task:#?}"
            );
        }
    }

    fn drop_some_deliveries(&mut self) {
        let salt = self.random.next();
        self.desktop.answer(move |delivery, attempt| {
            let failed = (delivery.id.fire_id.0.as_u64_pair().1 ^ salt).wrapping_add(attempt as u64) % 3;
            Answer::Report(match failed {
                0 => Report::Failed { error: "dropped".into(), is_final: false, retry_after: None },
                1 => Report::Failed { error: "refused".into(), is_final: true, retry_after: None },
                _ => Report::DELIVERED,
            })
        });
    }

    /// The disk is full for one commit; whoever asks then hears so, and nothing is lost.
    async fn fail_once(&mut self) {
        self.heard.disk_was_full = true;
        self.store.fail_next(StoreError::Full { path: "keiko.db".into() });
        let to = self.clock.now().saturating_add(Span::from_minutes(200));
        self.handle().advance(to).await.expect("time goes forwards");
        // One that met no commit must not fail a later one unseen.
        let added = self.handle().add(request("after the failure", countdown_at(to))).await;
        self.note(added);
        // The loop holds back for a while after a failure; then it goes on by itself.
        self.handle().advance(to.saturating_add(Span::from_minutes(90))).await.expect("time goes forwards");
    }

    /// The disk is full for a while: people are refused, what is due rings from the reserve, and once that is used up too
    /// it waits for room and is not lost.
    async fn fill_disk(&mut self) {
        let reserve = if self.random.chance(50) { 10_000 } else { usize::try_from(self.random.below(6)).expect("few") };
        self.store.fill(reserve);
        let refused = self.handle().add(request("no room", countdown_at(self.clock.now()))).await;
        assert!(matches!(refused, Err(CallError::Store { .. })), "{refused:?}");
        for _ in 0..self.random.below(6) {
            match self.random.below(5) {
                0 => self.ask().await,
                1 | 2 => self.advance().await,
                3 => self.set_clock(),
                _ => self.crash().await,
            }
            // What is still to be written may use the rest of it up.
            self.handle().advance(self.clock.now()).await.expect("quiet");
            if self.store.reserve().is_some_and(|left| left > 0) {
                self.check().await;
            }
        }
        self.store.empty();
        // What was told meanwhile is noted only now; what was looked at on the way does not count.
        self.heard.disk_was_full = true;
        // The loop looks again within a quarter of a minute.
        let to = self.clock.now().saturating_add(Span::from_minutes(1));
        self.handle().advance(to).await.expect("time goes forwards");
    }

    pub(super) async fn crash(&mut self) {
        // Half of the crashes come while programs have requests that they have not answered.
        if self.random.chance(50) {
            self.programs.hang(true);
            let (handle, to) = (self.handle(), self.clock.now().saturating_add(self.random.minutes(0, 600)));
            let advance = tokio::spawn(async move { handle.advance(to).await });
            for _ in 0..200 {
                tokio::task::yield_now().await;
            }
            advance.abort();
        }
        let (_, running) = self.engine.take().expect("the engine runs between steps");
        running.abort().await;
        self.programs.hang(false);
        self.programs.forget_releases();
        self.store = self.store.reopen();
        let queued = self.store.outbox().expect("readable");
        let queued = queued.into_iter().filter(|delivery| matches!(delivery.status, DeliveryStatus::Queued));
        self.in_flight_at_crashes.extend(queued.map(|delivery| delivery.id));
        if self.random.chance(60) {
            // The machine was off, or the clock was corrected while it was.
            self.clock.step_to(self.clock.now().saturating_add(self.random.minutes(-1000, 10_000)));
        }
        self.boot().await;
    }

    /// The daemon is killed and starts again at once.
    pub(super) async fn restart(&mut self) {
        let (_, running) = self.engine.take().expect("the engine runs between steps");
        running.abort().await;
        self.store = self.store.reopen();
        self.boot().await;
    }

    /// Waits until everything is quiet, then looks at the whole.
    pub(super) async fn check(&mut self) {
        let handle = self.handle();
        handle.advance(handle.now()).await.expect("quiet");
        let mut tasks = self.store.list(Which::All).expect("readable");
        for (id, _) in self.store.deleted(Timestamp::MAX, usize::MAX).expect("readable") {
            tasks.extend(self.store.snapshot(id).expect("readable"));
        }
        tasks.sort_by_key(|task| task.task.number);
        waits::check(&tasks);
        self.check_events(&tasks);
        self.check_acknowledged(&tasks);
        self.check_queue(&tasks).await;
        self.check_deliveries();
        self.check_quiet(&tasks);
        self.check_late();
        self.programs.check(&self.store, &tasks);
        if let Some(jobs) = &self.jobs {
            self.check_runs(jobs, &tasks);
        }
    }

    /// I6: what was acknowledged is there, over crashes and failures.
    fn check_acknowledged(&self, tasks: &[Snapshot]) {
        for (id, version) in &self.acknowledged {
            let task = tasks.iter().find(|snapshot| snapshot.task.id == *id);
            if self.known.purged.contains(id) {
                continue;
            }
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
            let Some(event) = stored.event.of_task() else { continue };
            waits::check_event(event);
            let id = event.snapshot.task.id;
            let takes_over =
                matches!(event.operation, Operation::Added(_) | Operation::Opened(_) | Operation::Moved(_));
            let name = event.snapshot.occurrence.name();
            let present = known.rebuilt.get(&id).map(|snapshot| snapshot.occurrence.clone());
            // What its successor left open goes on beside it.
            let is_earlier = !takes_over && present.as_ref().is_some_and(|present| present.name() != name);
            if let Some(earlier) = is_earlier.then(|| known.earlier.get(&(id, name)).cloned()).flatten() {
                known.rebuilt.get_mut(&id).expect("it has a present one").occurrence = earlier;
            }
            let before = known.rebuilt.get(&id);
            let after = apply(before, &event.operation, event.at, event.snapshot.task.version);
            assert_eq!(after.as_ref(), Some(&event.snapshot), "replay of {:?}", event.operation);
            if let Some(firing) = event.operation.firing() {
                assert!(known.fired.insert(firing.fire_id), "{} fired twice", firing.fire_id);
                assert!(firing.nominal_at <= event.at, "{} fired early", firing.fire_id);
            }
            if let Some(firing) = event.operation.firing() {
                let runs = event.snapshot.task.details.command.is_some() && firing.slot == Slot::DUE;
                for target in event.snapshot.task.details.targets.iter().filter(|_| !runs) {
                    let id = DeliveryId { fire_id: firing.fire_id, target: target.clone() };
                    let is_there = self.store.snapshot(event.snapshot.task.id).expect("readable").is_some();
                    let was_kept = self.store.delivery(&id).expect("readable").is_some();
                    assert!(was_kept || !is_there, "{id} was lost");
                }
            }
            // What is noted of one that ended (a delivery sent again after a crash) leaves it ended.
            let is_open = !event.snapshot.occurrence.has_ended();
            let is_revived = is_open && known.ended.contains(&(id, name));
            assert!(!is_revived, "{name} came back to life{}", told(&self.store.history(id).expect("readable")));
            if let Operation::Resent { fire_id, target } = &event.operation {
                known.flagged.insert(DeliveryId { fire_id: *fire_id, target: target.clone() });
            }
            if event.snapshot.occurrence.has_ended() {
                known.ended.insert((id, name));
            }
            known.earlier.insert((id, name), event.snapshot.occurrence.clone());
            known.rebuilt.insert(id, event.snapshot.clone());
            if let Some(present) = present.filter(|_| is_earlier) {
                known.rebuilt.get_mut(&id).expect("it was just noted").occurrence = present;
            }
        }
        let stored: BTreeMap<TaskId, Snapshot> = tasks.iter().map(|task| (task.task.id, task.clone())).collect();
        // What was deleted goes for ever after 30 days, and its events stay.
        let is_kept = |id: &TaskId, task: &Snapshot| task.task.deleted_at.is_none() || stored.contains_key(id);
        let purged: Vec<TaskId> =
            known.rebuilt.iter().filter(|(id, task)| !is_kept(id, task)).map(|(id, _)| *id).collect();
        known.rebuilt.retain(|id, _| !purged.contains(id));
        known.purged.extend(purged);
        assert_eq!(known.rebuilt, stored, "the events rebuild what is stored");
    }

    /// I5: the queue is what the store plans; I4: nothing that is due was left out.
    async fn check_queue(&self, tasks: &[Snapshot]) {
        let now = self.clock.now();
        let mut planned = self.store.wakes().expect("readable");
        planned.sort_unstable();
        let queue = self.handle().audit().await.expect("the engine runs");
        let told_of = |wake: &Wake| told(&self.store.history(wake.id).expect("readable"));
        let odd: Vec<String> = planned.iter().filter(|wake| !queue.contains(wake)).map(told_of).collect();
        assert_eq!(queue, planned, "the queue equals the deadlines in the store (I5) at {now}{odd:?}");
        let of_tasks: BTreeSet<Wake> = tasks
            .iter()
            .filter_map(|task| Some(Wake { at: task.next_wake()?, id: task.task.id, version: task.task.version }))
            .collect();
        assert_eq!(of_tasks, planned.into_iter().collect(), "the store plans what the rules say");
        for task in tasks {
            assert!(task.next_wake().is_none_or(|at| at > now), "{task:?} was left out at {now}");
        }
    }

    /// SPEC 4: what came late is told singly at most three times a waking, or stands in a digest; none is left over.
    fn check_late(&self) {
        let mut singles: BTreeMap<(&Target, Timestamp), BTreeSet<TaskId>> = BTreeMap::new();
        let all = DeliveryFilter { statuses: Statuses::All, ..DeliveryFilter::default() };
        let all = self.store.deliveries_after(&all, 0, usize::MAX).expect("readable");
        for (_, delivery) in &all {
            let Some(fire_id) = delivery.digest else {
                assert!(
                    delivery.status != DeliveryStatus::Grouped,
                    "{} is of no digest, though all is quiet",
                    delivery.id
                );
                let is_single = delivery.occasion.late && delivery.id.target.kind.is_person() && !delivery.is_notice();
                if is_single && matches!(delivery.status, DeliveryStatus::Delivered(_)) {
                    singles.entry((&delivery.id.target, delivery.created_at)).or_default().insert(delivery.task);
                }
                continue;
            };
            let id = DeliveryId { fire_id, target: delivery.id.target.clone() };
            let digest = self.store.delivery(&id).expect("readable").expect("what tells of it is there");
            match (delivery.status, digest.status) {
                (DeliveryStatus::Grouped, of_digest) => assert!(!of_digest.is_final(), "{} is forgotten", delivery.id),
                (DeliveryStatus::Delivered(at), of_digest) => assert_eq!(of_digest, DeliveryStatus::Delivered(at)),
                _ => {}
            }
        }
        for again in self.desktop.record().shown_again {
            assert!(
                again.is_digest()
                    || self
                        .store
                        .delivery(&again.id)
                        .expect("readable")
                        .is_some_and(|stored| { matches!(stored.status, DeliveryStatus::Delivered(_)) }),
                "{} is shown again, and never was",
                again.id
            );
        }
        for ((target, at), tasks) in singles {
            assert!(tasks.len() <= 3, "{} popups at once on {target} at {at}", tasks.len());
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
            // What is for programs outlives an occurrence that was succeeded; that a target fails is told in any case.
            // What stands in a digest that waits for its channel is told, whatever came since.
            // One alone that was held is told as itself.
            let is_held = delivery.is_held_or_was() || delivery.digest.is_some() || self.was_held(delivery);
            let outlives = !delivery.id.target.kind.is_person() || delivery.is_notice() || is_held;
            assert!(
                is_open || outlives,
                "{} waits for an occurrence that is over{}",
                delivery.id,
                self.story_of(delivery)
            );
        }
        for channel in [&self.desktop, &self.terminal, &self.programs.channel] {
            let shown = channel.record().delivered;
            let mut times: BTreeMap<&DeliveryId, usize> = BTreeMap::new();
            for delivery in &shown {
                *times.entry(&delivery.id).or_default() += 1;
            }
            for (id, count) in times {
                let is_explained = self.in_flight_at_crashes.contains(id);
                assert!(count == 1 || is_explained, "{id} was shown {count} times without a crash");
                assert!(
                    count == 1 || self.known.flagged.contains(id) || is_digest(&shown, id),
                    "{id} was shown again and the history does not say so"
                );
            }
            for delivery in shown {
                assert!(self.is_same_message(&delivery), "{} changed on the way", delivery.id);
            }
        }
    }

    /// Returns whether a delivery was held for quiet hours, by what is on record of its task.
    fn was_held(&self, delivery: &Delivery) -> bool {
        let history = self.store.history(delivery.task).expect("readable");
        let of_it = history.iter().filter(|stored| stored.event.snapshot.occurrence.name() == delivery.occurrence);
        of_it.map(|stored| &stored.event.operation).any(|operation| matches!(operation, Operation::Held { .. }))
    }

    /// Returns what is on record of a delivery's task, for whoever looks into a failure.
    fn story_of(&self, delivery: &Delivery) -> String {
        format!(", {delivery:?}{}", told(&self.store.history(delivery.task).expect("readable")))
    }

    /// Whether a crash came while it was queued.
    pub(super) fn was_in_flight(&self, id: &DeliveryId) -> bool {
        self.in_flight_at_crashes.contains(id)
    }

    fn is_same_message(&self, shown: &Delivery) -> bool {
        let stored = self.store.delivery(&shown.id).expect("readable");
        self.known.purged.contains(&shown.task)
            || stored.is_some_and(|stored| stored.message == shown.message && stored.occasion == shown.occasion)
    }

    /// Returns what is on record of a task, for whoever looks into a failure.
    pub(super) fn story_of_task(&self, task: &Snapshot) -> String {
        told(&self.store.history(task.task.id).expect("readable"))
    }

    pub(super) async fn end(mut self) {
        if let Some(jobs) = self.jobs.clone() {
            self.end_jobs(&jobs).await;
        }
        stories::check(&self.store, self.clock.now());
        let (_, running) = self.engine.take().expect("the engine runs between steps");
        running.stop(Duration::from_secs(5)).await;
        let outbox = self.store.outbox().expect("readable");
        let left = outbox.iter().filter(|delivery| matches!(delivery.status, DeliveryStatus::Queued)).count();
        assert_eq!(left, 0, "an orderly stop leaves nothing half sent");
    }
}

fn is_digest(shown: &[Delivery], id: &DeliveryId) -> bool {
    shown.iter().any(|delivery| delivery.id == *id && delivery.is_digest())
}

fn task_nags(snapshot: &Snapshot) -> bool {
    snapshot.task.policy.nag.is_some()
}

/// Returns what is on record, for whoever looks into a failure.
fn told(history: &[StoredEvent]) -> String {
    let line = |stored: &StoredEvent| {
        let Event { at, operation, from, to, reason, .. } = &stored.event;
        format!("\n{at} {operation:?} {from:?} to {to:?}: {reason}")
    };
    history.iter().map(line).collect()
}
