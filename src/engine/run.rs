//! The loop: wait, take what waits and what is due, step, commit, then answer, plan and hand out.

use std::collections::{HashMap, VecDeque};
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use chrono::NaiveDate;
use tokio::sync::{mpsc, oneshot, watch};
use uuid::Uuid;

use crate::clock::{Clock, Reading, Woken};
use crate::domain::command::Command;
use crate::domain::day::Daily;
use crate::domain::delivery::{ChannelKind, Delivery, DeliveryId, DeliveryStatus, Report, Target};
use crate::domain::effect::Effect;
use crate::domain::event::{Actor, Snapshot};
use crate::domain::occurrence::Spent;
use crate::domain::op::DELETED_KEPT;
use crate::domain::pause::ManyPause;
use crate::domain::quiet::Quiet;
use crate::domain::retry::back_off;
use crate::domain::routing::Routing;
use crate::domain::task::{Number, TaskId};
use crate::domain::time::{Span, Timestamp};
use crate::engine::EngineParts;
use crate::engine::advance::Advance;
use crate::engine::dispatch::Dispatcher;
use crate::engine::ids::Ids;
use crate::engine::input::{CallError, EngineSettings, Input};
use crate::engine::log_lines::{LogLine, log_lines};
use crate::engine::runs::Crew;
use crate::engine::step::{Batch, Circumstances, Outcome, Plan, World};
use crate::engine::storage::StoreHealth;
use crate::engine::targets::Targets;
use crate::engine::turn::{Asked, Own, Sorted};
use crate::engine::waits::Waits;
use crate::runner::News;
use crate::scheduler::Queue;
use crate::store::{Change, Identity, Room, Store, StoreError, Wake};

/// How many inputs one commit takes: enough to share its fsync, few enough to answer in a few milliseconds.
const BATCH_MAX: usize = 512;

/// How many due tasks one commit takes; callers are answered between two.
pub(super) const DUE_MAX: usize = 512;

/// The longest wait until a store that failed is tried again: short enough for what is due to be on time still, once the
/// disk has room.
const STORE_WAIT_MAX: Span = Span::from_secs(15);

/// The loop's own state. Nothing in it outlives the process but what the store has.
pub(super) struct Engine {
    pub(super) store: Arc<dyn Store>,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) wakes: Queue<TaskId>,
    pub(super) retries: Queue<DeliveryId>,
    pub(super) targets: Targets,
    pub(super) next_number: Number,
    /// The pauses of many tasks that stand.
    pub(super) pauses: Vec<ManyPause>,
    /// The instances of each task that do not come up again although they may lie ahead.
    pub(super) spent: HashMap<TaskId, Vec<Spent>>,
    /// What the clocks showed when it was last looked whether the wall clock was set.
    pub(super) reading: Reading,
    pub(super) dispatcher: Dispatcher,
    /// Whether something came late of which nothing was decided yet.
    pub(super) has_unreleased: bool,
    /// When the person is to be left alone.
    pub(super) quiet: Quiet,
    /// Who is told by what.
    pub(super) routing: Routing,
    /// When what is held is looked at next: the end of the earliest hold.
    pub(super) let_go_at: Option<Timestamp>,
    /// The server that popups were last shown by.
    pub(super) shown_by: Option<String>,
    /// What was read of tasks that are due and whose turn comes next, while the batch before was written.
    pub(super) ahead: HashMap<TaskId, Snapshot>,
    /// The lines of what was committed last, for when there is nothing better to do.
    pub(super) unlogged: Vec<LogLine>,
    ids: Ids,
    pub(super) grace: Span,
    pub(super) device: Uuid,
    pub(super) inputs: mpsc::Receiver<Input>,
    last_seq: watch::Sender<u64>,
    pub(super) advances: VecDeque<Advance>,
    pub(super) storage: Storage,
    pub(super) health: StoreHealth,
    /// Reports that could not be written yet.
    unwritten: Vec<(DeliveryId, Report)>,
    pub(super) is_stopping: bool,
    /// When deleted tasks go for ever next.
    pub(super) purge_at: Option<Timestamp>,
    /// When and where each day is told.
    pub(super) daily: Option<Daily>,
    /// Who waits for something to happen.
    pub(super) waits: Waits,
    /// The latest date that was told, or of which there was nothing to tell.
    pub(super) day_told: Option<NaiveDate>,
    pub(super) crew: Crew,
    /// What became of runs and could not be written yet.
    unwritten_news: Vec<News>,
}

/// Whether the store takes writes; while it does not, what is due waits instead of spinning.
#[derive(Default)]
pub(super) struct Storage {
    failures: u32,
    retry_at: Option<Timestamp>,
    /// Whether what is planned in memory may lack what the store has: it is read anew before anything else.
    is_plan_stale: bool,
    /// Whether what an earlier run left is taken up; a full disk may put that off.
    pub(super) has_recovered: bool,
}

impl Engine {
    pub(super) fn new(
        parts: EngineParts,
        identity: &Identity,
        inputs: mpsc::Receiver<Input>,
        inputs_in: mpsc::WeakSender<Input>,
        last_seq: watch::Sender<u64>,
        health: StoreHealth,
    ) -> Self {
        // To where it is, which moves none.
        let is_clock_programmable = parts.clock.advance_to(parts.clock.now()).is_ok();
        Self {
            store: parts.store,
            reading: parts.clock.reading(),
            clock: parts.clock,
            wakes: Queue::default(),
            retries: Queue::default(),
            targets: Targets::default(),
            next_number: identity.next_number,
            pauses: Vec::new(),
            spent: HashMap::new(),
            crew: Crew::new(parts.runner, parts.commands_at_once, is_clock_programmable, inputs_in.clone()),
            unwritten_news: Vec::new(),
            dispatcher: Dispatcher::new(parts.channels, inputs_in),
            has_unreleased: false,
            quiet: Quiet { hours: parts.quiet_hours, away: identity.away.clone() },
            routing: parts.routing,
            let_go_at: None,
            shown_by: identity.shown_by.clone(),
            ahead: HashMap::new(),
            unlogged: Vec::new(),
            ids: parts.ids,
            grace: parts.grace,
            device: identity.device,
            inputs,
            last_seq,
            advances: VecDeque::new(),
            storage: Storage::default(),
            health,
            unwritten: Vec::new(),
            is_stopping: false,
            purge_at: None,
            daily: parts.daily,
            waits: Waits::default(),
            day_told: None,
        }
    }

    pub(super) async fn run(mut self, mut stopped: oneshot::Receiver<Duration>) {
        let mut taken = Vec::new();
        // What was overdue at the start goes first.
        self.turn(&mut taken).await;
        self.show_again().await;
        let grace = loop {
            if self.advance().await {
                self.turn(&mut taken).await;
                continue;
            }
            let deadline = self.deadline();
            if deadline.is_none_or(|next| next > self.clock.now()) {
                self.write_log();
            }
            tokio::select! {
                biased;
                stop = &mut stopped => break stop.unwrap_or_default(),
                count = self.inputs.recv_many(&mut taken, BATCH_MAX) => {
                    if count == 0 {
                        break Duration::ZERO;
                    }
                }
                woken = self.clock.sleep_until(deadline) => {
                    if woken == Woken::Stepped {
                        self.look_again().await;
                    }
                }
            }
            self.turn(&mut taken).await;
        };
        // Beyond the grace a delivery is left to the next start, which finds it in the outbox.
        self.wind_down(grace, &mut taken).await;
        self.write_log();
    }

    /// The clock or the zone was set, or the machine woke: floating times follow, what failed is tried at once, and the
    /// next turn looks at the time anew.
    ///
    /// What counts from before the step moves first, so that nothing that is done here sees it unmoved.
    pub(super) async fn look_again(&mut self) {
        // A wait counted by the old time means nothing any more.
        let now = self.clock.now();
        self.storage.retry_at = self.storage.retry_at.map(|_| now);
        if let Err(error) = self.follow_clock().await {
            return self.hold_back(&error, self.clock.now());
        }
        let looked = match self.follow_known_zone().await {
            Ok(()) => self.try_at_once(None).await,
            Err(error) => Err(error),
        };
        if let Err(error) = looked {
            self.hold_back(&error, self.clock.now());
        }
    }

    async fn follow_known_zone(&mut self) -> Result<(), Arc<StoreError>> {
        let known = self.store.identity()?.zone;
        self.follow_zone(known.as_deref()).await
    }

    /// Finishes what waits and what is under way; begins nothing new. The grace bounds the waiting only: a commit that
    /// has begun is never cut off, so that nobody is told of a failure that was none.
    async fn wind_down(&mut self, grace: Duration, taken: &mut Vec<Input>) {
        self.is_stopping = true;
        self.waits.end_all();
        self.dispatcher.stop();
        let mut is_over = pin!(tokio::time::timeout(grace, std::future::pending::<()>()));
        while !self.dispatcher.is_idle() || !self.inputs.is_empty() || !self.unwritten.is_empty() {
            let deadline = self.deadline().filter(|_| !self.unwritten.is_empty());
            tokio::select! {
                biased;
                count = self.inputs.recv_many(taken, BATCH_MAX) => {
                    // Nobody is left who could report.
                    if count == 0 {
                        return;
                    }
                }
                _ = self.clock.sleep_until(deadline), if deadline.is_some() => {}
                _ = &mut is_over => return,
            }
            self.turn(taken).await;
        }
    }

    /// Returns when the clock has something to do next.
    pub(super) fn deadline(&mut self) -> Option<Timestamp> {
        let held = self.let_go_at.filter(|_| !self.is_stopping);
        let queues = [self.wakes.next_deadline(), self.retries.next_deadline(), self.targets.next_deadline()];
        let day = self.next_day().filter(|_| !self.is_stopping);
        let planned = queues.into_iter().chain([held, self.purge_at, day]);
        let planned = planned.flatten().min();
        let planned = match self.storage.retry_at {
            Some(retry) if self.storage.is_plan_stale || !self.unwritten.is_empty() => Some(retry),
            Some(retry) => planned.map(|next| next.max(retry)),
            None => planned,
        };
        planned.into_iter().chain(self.waits.next_deadline()).min()
    }

    /// Takes inputs and what is due by now, all in one commit. A full batch leaves the rest for the next turn.
    async fn turn(&mut self, taken: &mut Vec<Input>) {
        let followed = if self.is_stopping { Ok(()) } else { self.follow_clock().await };
        let now = self.clock.now();
        let sorted = self.sort(std::mem::take(taken));
        self.plan_anew(now).await;
        let mut own = if self.is_held_back(now) {
            Own::default()
        } else {
            Own {
                due: self.pop_due(now),
                ahead: std::mem::take(&mut self.ahead),
                retries: self.pop_retries(now),
                releases: self.pop_releases(now),
                reports: std::mem::take(&mut self.unwritten),
                news: std::mem::take(&mut self.unwritten_news),
            }
        };
        own.reports.extend(sorted.reports);
        own.news.extend(sorted.news);
        let news = own.news.clone();
        // Whoever took one gets the next while that is committed; what failed may keep the rest from going out.
        let (taken_by_target, refused): (Vec<_>, Vec<_>) =
            own.reports.iter().cloned().partition(|(_, report)| matches!(report, Report::Delivered { .. }));
        for (id, report) in &taken_by_target {
            self.dispatcher.reported(id, report);
        }
        let committed = self.commit_turn(sorted.calls, &mut own).await;
        let mut presences = sorted.presences;
        for kind in &presences {
            self.dispatcher.presence_changed(*kind);
        }
        for (id, report) in &refused {
            // A channel that came back before this was heard has told so already: what now waits is to be tried anew.
            if self.dispatcher.reported(id, report) && matches!(report, Report::Away { .. }) {
                presences.push(id.target.kind);
            }
        }
        match committed {
            Ok(has_written) => {
                self.note_news(&news);
                self.store_answers(has_written, now);
            }
            Err(error) => {
                self.unwritten.extend(own.reports);
                self.unwritten_news.extend(own.news);
                if error.is_particular() {
                    self.isolate(own.due, now).await;
                } else {
                    self.hold_back(&error, now);
                }
            }
        }
        for import in sorted.imports {
            self.import(import).await;
        }
        self.refill(presences).await;
        if let Err(error) = followed {
            // Only now: on a full disk what is due may find room where all that moves with the clock does not.
            self.hold_back(&error, now);
        }
        self.start_runs().await;
        self.release_late().await;
        self.tell_day().await;
        self.purge(now).await;
        self.end_overdue_waits(now);
        for reply in sorted.audits {
            // Who asked may have gone.
            let _ = reply.send(self.audit());
        }
        for reply in sorted.beats {
            let _ = reply.send(());
        }
    }

    /// Returns whether the store failed, and is to be left alone for a while.
    pub(super) fn is_held_back(&self, now: Timestamp) -> bool {
        self.storage.retry_at.is_some_and(|retry| now < retry)
    }

    /// Tells apart what goes into the batch and what does not.
    fn sort(&mut self, inputs: Vec<Input>) -> Sorted {
        let mut sorted = Sorted::default();
        for input in inputs {
            match input {
                Input::Add { request, op, reply } => sorted.calls.push(Asked::Add(request, op, reply)),
                Input::Call { call, op, reply } => sorted.calls.push(Asked::Call(call, op, reply)),
                Input::Follow { call, op, reply } => sorted.calls.push(Asked::Follow(call, op, reply)),
                Input::Undo { call, reply } => sorted.calls.push(Asked::Undo(call, reply)),
                Input::Preview { call, reply } => sorted.calls.push(Asked::Preview(call, reply)),
                Input::SetAway { call, reply } => sorted.calls.push(Asked::SetAway(call, reply)),
                Input::CallMany { call, reply } => sorted.calls.push(Asked::CallMany(call, reply)),
                Input::CallTarget { call, reply } => sorted.calls.push(Asked::CallTarget(call, reply)),
                Input::Run { news } => sorted.news.push(news),
                Input::RunsLong { run } => self.crew.let_clock_go(run),
                Input::Report { delivery, report } => sorted.reports.push((delivery, report)),
                Input::Presence { kind } => sorted.presences.push(kind),
                Input::Responded { response, reply } => sorted.calls.push(Asked::Responded(response, reply)),
                Input::Silenced { kind } => self.dispatcher.silenced(kind),
                Input::Advance { to, jump, reply } => self.take_advance(Advance { to, jump, reply }),
                Input::Configure { settings, reply } => self.configure(settings, reply),
                Input::Wait { wait, reply } => self.take_wait(wait, reply),
                Input::Import { import, reply } => sorted.imports.push((import, reply)),
                Input::Audit { reply } => sorted.audits.push(reply),
                Input::Beat { reply } => sorted.beats.push(reply),
            }
        }
        sorted
    }

    /// Goes by other settings from now on; what is held is looked at anew.
    fn configure(&mut self, settings: EngineSettings, reply: oneshot::Sender<Result<(), CallError>>) {
        let EngineSettings { grace, quiet_hours, daily, routing, commands_at_once } = settings;
        self.daily = daily;
        self.crew.set_at_once(commands_at_once);
        (self.grace, self.quiet.hours, self.routing) = (grace, quiet_hours, routing);
        self.has_unreleased = true;
        // Who asked may have gone; the settings hold all the same.
        let _ = reply.send(Ok(()));
    }

    fn audit(&self) -> Vec<Wake> {
        let mut wakes: Vec<Wake> = self.wakes.entries().map(|(at, id, version)| Wake { at, id, version }).collect();
        wakes.sort_unstable();
        wakes
    }

    fn pop_due(&mut self, now: Timestamp) -> Vec<(TaskId, u64)> {
        if self.is_stopping {
            return Vec::new();
        }
        std::iter::from_fn(|| self.wakes.pop_due(now)).take(DUE_MAX).collect()
    }

    fn pop_releases(&mut self, now: Timestamp) -> Vec<Target> {
        if self.is_stopping { Vec::new() } else { self.targets.pop_due(now) }
    }

    /// Steps a batch of the loop's own and commits it, from the reserve where the disk is full; see
    /// [`Engine::commit_for`].
    pub(super) async fn commit(
        &mut self,
        fill: impl FnOnce(&mut Batch<'_>) -> Result<(), Arc<StoreError>>,
    ) -> Result<bool, Arc<StoreError>> {
        self.commit_for(Room::Reserve, fill).await
    }

    /// Steps a batch and commits it; afterwards answers, plans and hands out. Returns whether anything was written.
    pub(super) async fn commit_for(
        &mut self,
        room: Room,
        fill: impl FnOnce(&mut Batch<'_>) -> Result<(), Arc<StoreError>>,
    ) -> Result<bool, Arc<StoreError>> {
        let circumstances = Circumstances {
            now: self.clock.now(),
            zone: self.clock.zone(),
            grace: self.grace,
            is_desktop_away: self.dispatcher.is_away(ChannelKind::Desktop),
            device: self.device,
        };
        let world = World {
            targets: &self.targets,
            dispatcher: &self.dispatcher,
            unwritten: &self.unwritten,
            pauses: &self.pauses,
            spent: &self.spent,
            quiet: &self.quiet,
            routing: &self.routing,
            has_unreleased: self.has_unreleased,
        };
        let mut batch = Batch::new(&*self.store, &mut self.ids, circumstances, world, self.next_number);
        let filled = fill(&mut batch)
            .and_then(|()| batch.check())
            .and_then(|()| batch.fall_back())
            .and_then(|()| batch.settle_digests());
        let outcome = batch.finish();
        if let Err(error) = filled {
            outcome.plan.answer(Some(&CallError::Store { source: Arc::clone(&error) }));
            return Err(error);
        }
        let is_empty = outcome.is_empty();
        let Outcome { mut change, plan } = outcome;
        change.room = room;
        if !is_empty && let Err(error) = self.write(change).await {
            self.health.failed(&error, self.clock.now());
            plan.answer(Some(&CallError::Store { source: Arc::clone(&error) }));
            return Err(error);
        }
        if !is_empty && room == Room::Free {
            self.health.written();
        }
        self.follow(plan);
        Ok(!is_empty)
    }

    /// Tells how far the store has come.
    pub(super) fn tell_last_seq(&self, last_seq: u64) {
        self.last_seq.send_replace(last_seq);
    }

    async fn write(&mut self, change: Change) -> Result<(), Arc<StoreError>> {
        let (lines, waited_for) = (log_lines(&change), self.waits.concerned(&change.events));
        let committing = self.store.commit(change);
        // It is on its way: what follows here costs nobody any time.
        self.write_log();
        self.read_ahead();
        let committed = committing.await?;
        self.waits.committed(&waited_for, committed.last_seq);
        self.unlogged = lines;
        self.last_seq.send_replace(committed.last_seq);
        Ok(())
    }

    /// After the commit: plans by what is now true, hands out, and answers last, so that who is answered finds it so.
    fn follow(&mut self, mut plan: Plan) {
        self.next_number = plan.next_number;
        self.pauses = std::mem::take(&mut plan.pauses);
        if self.quiet.away != plan.away {
            self.quiet.away = plan.away.take();
            self.has_unreleased = true;
        }
        if let Some(at) = plan.snapshots.values().filter_map(|snapshot| snapshot.task.deleted_at).min() {
            let at = at.saturating_add(DELETED_KEPT);
            self.purge_at = Some(self.purge_at.map_or(at, |planned| planned.min(at)));
        }
        self.dispatcher.settle_digest(&plan.deliveries, &plan.snapshots, self.device);
        for (id, snapshot) in plan.snapshots.drain() {
            self.wakes.set(id, snapshot.task.version, snapshot.next_wake());
        }
        for health in plan.targets.drain(..) {
            self.targets.note(health);
        }
        for target in std::mem::take(&mut plan.unplanned) {
            self.targets.plan(target);
        }
        for delivery in &plan.deliveries {
            self.plan_retry(delivery);
            self.plan_release(delivery);
        }
        let is_unwanted = |delivery: &&Delivery| delivery.status != DeliveryStatus::Queued;
        self.dispatcher.forget(&plan.deliveries.iter().filter(is_unwanted).map(|delivery| &delivery.id).collect());
        for effect in plan.effects.drain(..) {
            match effect {
                Effect::Deliver(delivery) => self.dispatcher.deliver(*delivery),
                Effect::Run(run) => self.crew.order(&run),
                Effect::EndRun(run) => self.crew.end(run),
                Effect::Silence { withdrawal, except } => self.dispatcher.silence(&withdrawal, &except),
            }
        }
        plan.answer(None);
    }

    /// Where the store failed before and may answer now, reads what is planned from it anew.
    async fn plan_anew(&mut self, now: Timestamp) {
        let is_time = self.storage.retry_at.is_none_or(|retry| retry <= now);
        if !self.storage.is_plan_stale || !is_time || self.is_stopping {
            return;
        }
        let taken_up = if self.storage.has_recovered { self.take_up_plan().await } else { self.recover_late().await };
        match taken_up {
            Ok(()) => {
                self.storage.is_plan_stale = false;
                self.storage.retry_at = None;
            }
            Err(error) => self.hold_back(&error, now),
        }
    }

    async fn recover_late(&mut self) -> Result<(), Arc<StoreError>> {
        let identity = self.store.identity()?;
        self.recover(&identity).await?;
        self.storage.has_recovered = true;
        Ok(())
    }

    /// Reads both queues, the zone, and what is to be sent from the store. What is under way already stays so.
    async fn take_up_plan(&mut self) -> Result<(), Arc<StoreError>> {
        self.rebuild()?;
        self.follow_known_zone().await?;
        for delivery in self.store.outbox()? {
            if matches!(delivery.status, DeliveryStatus::Queued) && !self.is_unwritten(&delivery.id) {
                self.dispatcher.deliver(delivery);
            }
        }
        self.hand_out_waiting(None).await
    }

    /// Returns whether a worker has reported on a delivery and that could not be written yet.
    pub(super) fn is_unwritten(&self, id: &DeliveryId) -> bool {
        self.unwritten.iter().any(|(reported, _)| reported == id)
    }

    /// The store failed: what is due waits a while, and what is planned is then read anew.
    pub(super) fn hold_back(&mut self, error: &StoreError, now: Timestamp) {
        self.storage.failures = self.storage.failures.saturating_add(1);
        let wait = back_off(self.storage.failures, self.ids.jitter()).min(STORE_WAIT_MAX);
        // A call that fails meanwhile puts off nothing: else people who try again and again would silence every reminder.
        let planned = self.storage.retry_at.filter(|retry| now < *retry);
        self.storage.retry_at = planned.or_else(|| Some(now.saturating_add(wait)));
        self.storage.is_plan_stale = true;
        self.health.failed(error, now);
        tracing::warn!(%error, %wait, "waiting before the next write");
    }

    /// One task made a whole batch fail, and would again: each that is due gets a commit of its own, so that no task
    /// keeps another from ringing. The one at fault is left until it changes or the daemon starts anew.
    async fn isolate(&mut self, due: Vec<(TaskId, u64)>, now: Timestamp) {
        if let Err(error) = self.rebuild() {
            return self.hold_back(&Arc::new(error), now);
        }
        // The reports of the batch are written in the next turn, which comes at once.
        self.storage.retry_at = Some(now);
        for (id, version) in due {
            match self.commit(|batch| batch.command(id, &Command::Wake, Actor::Clock)).await {
                Ok(_) => {}
                Err(error) if error.is_particular() => {
                    tracing::error!(%error, task = %id, "a task cannot go on; the others do");
                    self.wakes.set(id, version, None);
                }
                Err(error) => return self.hold_back(&error, now),
            }
        }
    }

    /// Where the store takes writes again, nothing is held back any more: the next turn, at once, plans anew.
    fn store_answers(&mut self, has_written: bool, now: Timestamp) {
        // Whatever else failed, a store that takes firings again is not broken.
        if has_written && !self.health.is_full() {
            self.health.written();
        }
        if has_written && self.storage.failures > 0 {
            self.storage.failures = 0;
            self.storage.retry_at = self.storage.is_plan_stale.then_some(now);
        }
    }
}
