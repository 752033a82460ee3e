//! One batch: each input is stepped by the rules on top of the others, and all are committed at once.
//!
//! A refused input leaves no trace in the batch. Every answer waits for the commit, refusals too, so that nobody hears
//! of a state that the disk does not have (I6).

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use chrono_tz::Tz;
use tokio::sync::oneshot;
use uuid::Uuid;

use crate::domain::breaker::TargetHealth;
use crate::domain::command::{Command, Expected, Moment, NewTask};
use crate::domain::delivery::{Delivery, DeliveryId, DeliveryStatus, Report, Target};
use crate::domain::device_event::{DeviceEvent, DeviceOperation};
use crate::domain::effect::Effect;
use crate::domain::event::{Actor, Event, Snapshot};
use crate::domain::occurrence::{OccurrenceName, Spent};
use crate::domain::pause::{ManyPause, standing};
use crate::domain::quiet::{Away, Quiet};
use crate::domain::routing::Routing;
use crate::domain::run::{Run, RunId};
use crate::domain::task::{Number, TaskId};
use crate::domain::time::{Span, Timestamp};
use crate::domain::transition::{Known, Transition, create, transition};
use crate::domain::waiting::ParentEnd;
use crate::engine::dispatch::Dispatcher;
use crate::engine::ids::Ids;
use crate::engine::input::{
    AddRequest, Applied, AwayApplied, Call, CallError, Dependents, ManyApplied, ResponseCall, Undone,
};
use crate::engine::request::RequestKey;
use crate::engine::step::made::Made;
use crate::engine::targets::Targets;
use crate::notify::responses::{Act, Ring};
use crate::store::{Change, RequestSeen, Store, StoreError};

mod dependents;
mod digests;
mod follow;
mod made;
mod many;
mod quiet;
mod runs;
mod targets;
mod undo;
mod wake;

/// What holds for every step of a batch.
#[derive(Clone, Copy, Debug)]
pub(super) struct Circumstances {
    pub(super) now: Timestamp,
    pub(super) zone: Tz,
    pub(super) grace: Span,
    pub(super) is_desktop_away: bool,
    pub(super) device: Uuid,
}

/// What the loop knows besides the store.
#[derive(Clone, Copy)]
pub(super) struct World<'a> {
    pub(super) targets: &'a Targets,
    pub(super) dispatcher: &'a Dispatcher,
    /// Reports that could not be written yet.
    pub(super) unwritten: &'a [(DeliveryId, Report)],
    /// The pauses of many tasks that stand.
    pub(super) pauses: &'a [ManyPause],
    /// The instances of each task that do not come up again.
    pub(super) spent: &'a HashMap<TaskId, Vec<Spent>>,
    /// When the person is to be left alone.
    pub(super) quiet: &'a Quiet,
    /// Who is told by what.
    pub(super) routing: &'a Routing,
    /// Whether something that is to be told with others waits for them.
    pub(super) has_unreleased: bool,
}

impl<'a> World<'a> {
    /// Returns what the rules are told of a task besides itself.
    pub(super) fn known(&self, task: TaskId, deliveries: &'a [Delivery], runs: &'a [Run]) -> Known<'a> {
        let spent = self.spent.get(&task).map_or::<&[Spent], _>(&[], Vec::as_slice);
        Known { deliveries, spent, runs, earlier: None }
    }
}

/// An answer that waits for the commit.
struct Answer<T> {
    reply: oneshot::Sender<Result<T, CallError>>,
    result: Result<T, CallError>,
}

impl<T> Answer<T> {
    fn send(self, failed: Option<&CallError>) {
        let result = match (failed, self.result) {
            // Nothing was written, so what was done is not; a refusal may rest on something that is not either.
            (Some(error), Ok(_) | Err(_)) => Err(error.clone()),
            (None, result) => result,
        };
        // Who asked may have gone meanwhile; the change stands all the same.
        let _ = self.reply.send(result);
    }
}

/// The work of one commit.
pub(super) struct Batch<'a> {
    store: &'a dyn Store,
    ids: &'a mut Ids,
    circumstances: Circumstances,
    world: World<'a>,
    /// The tasks as this batch leaves them, over what the store has.
    snapshots: HashMap<TaskId, Snapshot>,
    /// The deliveries as this batch leaves them, over what the store has.
    deliveries: Made,
    /// The runs as this batch leaves them, over what the store has.
    runs: BTreeMap<RunId, Run>,
    change: Change,
    /// Targets as this batch leaves them, over what was committed.
    health: BTreeMap<Target, TargetHealth>,
    /// Targets of which a release is to be planned, though their health is as it was.
    unplanned: BTreeSet<Target>,
    /// Deliveries that go out although their target is not sent to: probes.
    released: HashSet<DeliveryId>,
    /// Deliveries of which this batch has a report, so that no worker has them any more.
    reported: HashSet<DeliveryId>,
    effects: Vec<Effect>,
    answers: Vec<Answer<Applied>>,
    target_answers: Vec<Answer<TargetHealth>>,
    many_answers: Vec<Answer<ManyApplied>>,
    away_answers: Vec<Answer<AwayApplied>>,
    undo_answers: Vec<Answer<Undone>>,
    /// The operation that what is asked belongs to, where that began before.
    op: Option<Uuid>,
    /// Who waits for whom by this batch, over what the store has.
    waiting: HashMap<TaskId, BTreeSet<TaskId>>,
    /// Why nothing of this batch may be committed: what follows from a part of it is not known.
    broken: Option<Arc<StoreError>>,
    /// The pauses of many tasks as this batch leaves them.
    pauses: Vec<ManyPause>,
    /// When the person is to be left alone, as this batch leaves it.
    quiet: Quiet,
    next_number: Number,
}

/// What is left of a batch when it is to be committed.
pub(super) struct Outcome {
    pub(super) change: Change,
    pub(super) plan: Plan,
}

/// What follows a commit.
pub(super) struct Plan {
    pub(super) snapshots: HashMap<TaskId, Snapshot>,
    pub(super) deliveries: Vec<Delivery>,
    pub(super) targets: Vec<TargetHealth>,
    pub(super) unplanned: BTreeSet<Target>,
    pub(super) effects: Vec<Effect>,
    pub(super) next_number: Number,
    pub(super) pauses: Vec<ManyPause>,
    pub(super) away: Option<Away>,
    away_answers: Vec<Answer<AwayApplied>>,
    answers: Vec<Answer<Applied>>,
    target_answers: Vec<Answer<TargetHealth>>,
    many_answers: Vec<Answer<ManyApplied>>,
    undo_answers: Vec<Answer<Undone>>,
}

impl Plan {
    /// Answers everybody: with what was done, or with why the commit failed.
    pub(super) fn answer(self, failed: Option<&CallError>) {
        self.answers.into_iter().for_each(|answer| answer.send(failed));
        self.target_answers.into_iter().for_each(|answer| answer.send(failed));
        self.away_answers.into_iter().for_each(|answer| answer.send(failed));
        self.many_answers.into_iter().for_each(|answer| answer.send(failed));
        self.undo_answers.into_iter().for_each(|answer| answer.send(failed));
    }
}

impl<'a> Batch<'a> {
    pub(super) fn new(
        store: &'a dyn Store,
        ids: &'a mut Ids,
        circumstances: Circumstances,
        world: World<'a>,
        next_number: Number,
    ) -> Self {
        Self {
            store,
            ids,
            circumstances,
            world,
            snapshots: HashMap::new(),
            deliveries: Made::default(),
            runs: BTreeMap::new(),
            change: Change::default(),
            health: BTreeMap::new(),
            unplanned: BTreeSet::new(),
            released: HashSet::new(),
            reported: HashSet::new(),
            effects: Vec::new(),
            answers: Vec::new(),
            target_answers: Vec::new(),
            many_answers: Vec::new(),
            undo_answers: Vec::new(),
            op: None,
            pauses: world.pauses.to_vec(),
            quiet: world.quiet.clone(),
            away_answers: Vec::new(),
            waiting: HashMap::new(),
            broken: None,
            next_number,
        }
    }

    /// Returns why nothing of it may be committed, where that is so.
    pub(super) fn check(&self) -> Result<(), Arc<StoreError>> {
        self.broken.as_ref().map_or(Ok(()), |error| Err(Arc::clone(error)))
    }

    pub(super) fn finish(mut self) -> Outcome {
        // What a later input of the batch withdrew or holds is not handed out for an earlier one.
        self.settle();
        self.group_together();
        self.freeze();
        let targets: Vec<TargetHealth> = self.health.into_values().collect();
        self.change.targets.clone_from(&targets);
        let deliveries: Vec<Delivery> = self.deliveries.into_vec();
        self.change.deliveries.clone_from(&deliveries);
        self.change.runs = self.runs.into_values().collect();
        Outcome {
            change: self.change,
            plan: Plan {
                snapshots: self.snapshots,
                deliveries,
                targets,
                unplanned: self.unplanned,
                effects: self.effects,
                next_number: self.next_number,
                pauses: self.pauses,
                away: self.quiet.away,
                away_answers: self.away_answers,
                answers: self.answers,
                target_answers: self.target_answers,
                many_answers: self.many_answers,
                undo_answers: self.undo_answers,
            },
        }
    }

    /// Adds a task, unless its idempotency key was seen before.
    pub(super) fn add(&mut self, request: AddRequest, reply: oneshot::Sender<Result<Applied, CallError>>) {
        let result = self.added(request);
        self.answers.push(Answer { reply, result });
    }

    /// Changes a task.
    pub(super) fn call(&mut self, call: &Call, reply: oneshot::Sender<Result<Applied, CallError>>) {
        let result = self.called(call);
        self.answers.push(Answer { reply, result });
    }

    /// The person did something with what was shown of an occurrence: it is done, if that is still the one that is open.
    pub(super) fn responded(&mut self, response: ResponseCall, reply: oneshot::Sender<Result<Applied, CallError>>) {
        let ResponseCall { ring: Ring { task, occurrence }, act, key } = response;
        // Whoever has it before them means this one, also where it has only spoken early.
        let command = match act {
            Act::Dismiss => Command::Ack { early: false, is_dismissal: true },
            Act::Ack => Command::Ack { early: true, is_dismissal: false },
            Act::Done => Command::Done { early: true },
            Act::Snooze(by) => {
                let until = self.circumstances.now.saturating_add(by);
                Command::Snooze { until, is_duration: true, early: true }
            }
        };
        let expected = Expected { version: None, occurrence: Some(occurrence) };
        self.call(&Call { task, command, expected, actor: Actor::Person, key }, reply);
    }

    /// Does what nobody waits for: the clock's and the daemon's own commands.
    ///
    /// # Errors
    /// The store cannot be read. A refusal is no error here: what the clock finds changed is left alone.
    pub(super) fn command(&mut self, task: TaskId, command: &Command, actor: Actor) -> Result<(), Arc<StoreError>> {
        match self.planned(None, task, command, Expected::default()) {
            Ok((transition, moment)) => {
                self.carry_out(transition, actor, &moment);
                Ok(())
            }
            Err(CallError::Store { source }) => Err(source),
            Err(_) => Ok(()),
        }
    }

    /// Notes what a worker says of a delivery; of one that is not stored there is nothing to note.
    ///
    /// # Errors
    /// The store cannot be read.
    pub(super) fn report(&mut self, id: &DeliveryId, report: &Report) -> Result<(), Arc<StoreError>> {
        let Some(delivery) = self.delivery(id)? else { return Ok(()) };
        self.reported.insert(id.clone());
        if delivery.is_digest() {
            return self.report_digest(&delivery, report);
        }
        let task = delivery.task;
        let command = Command::Report {
            delivery: id.clone(),
            report: report.clone(),
            jitter: self.ids.jitter(),
            is_probe: self.is_probed(&id.target),
        };
        self.command(task, &command, Actor::Daemon)?;
        self.judge(id, report, task)
    }

    /// Notes that a delivery is about to be handed to a worker, so that a start after a crash knows it.
    ///
    /// One that this very batch has withdrawn stays so, and one whose time is over is given up.
    ///
    /// # Errors
    /// The store cannot be read.
    pub(super) fn queue(&mut self, delivery: Delivery) -> Result<(), Arc<StoreError>> {
        if self.deliveries.get(&delivery.id).is_some_and(|known| known.status.is_final()) {
            return Ok(());
        }
        if delivery.is_expired(self.circumstances.now) && delivery.status != DeliveryStatus::Quiet {
            return self.command(delivery.task, &Command::Expire { delivery: delivery.id }, Actor::Daemon);
        }
        let delivery = if delivery.is_digest() { self.digest_of_now(&delivery)? } else { delivery };
        if delivery.status.is_final() {
            self.deliveries.insert(delivery);
            return Ok(());
        }
        if self.is_held_now(&delivery)? {
            let held = delivery.held_for_quiet();
            self.deliveries.insert(held);
            return Ok(());
        }
        let queued = Delivery { status: DeliveryStatus::Queued, ..delivery };
        self.effects.push(Effect::Deliver(Box::new(queued.clone())));
        self.deliveries.insert(queued);
        Ok(())
    }

    /// Notes something that happened to this device.
    pub(super) fn device_event(&mut self, operation: DeviceOperation, reason: &str) {
        let now = self.circumstances.now;
        let (event_id, op_id) = (self.ids.next(now), self.ids.next(now));
        let device = self.circumstances.device;
        let actor = Actor::Daemon;
        let reason = reason.to_owned();
        self.change.device_events.push(DeviceEvent { event_id, op_id, device, actor, at: now, operation, reason });
    }

    pub(super) fn set_zone(&mut self, zone: Tz) {
        self.change.zone = Some(zone.name().to_owned());
    }

    pub(super) fn set_shown_by(&mut self, server: String) {
        self.change.shown_by = Some(server);
    }

    fn added(&mut self, request: AddRequest) -> Result<Applied, CallError> {
        if let Some(key) = &request.key
            && let Some(seen) = self.seen(key)?
        {
            return Ok(seen);
        }
        let key = request.key.clone();
        let (transition, moment) = self.planned_new(request)?;
        self.next_number = Number(self.next_number.0 + 1);
        self.note(key, transition.after.task.id);
        let applied = self.take(transition, Actor::Person, &moment);
        self.note_verb(applied.op_id, "add", &applied.snapshot);
        Ok(applied)
    }

    /// Returns what follows for a task that is to be added; it has the next number, which is not used up.
    fn planned_new(&mut self, request: AddRequest) -> Result<(Transition, Moment<'a>), CallError> {
        // A command that adds several has its own name, whatever keys keep each from being added twice.
        let key = request.key.as_ref().filter(|_| self.op.is_none());
        let moment = self.moment_of(key, &request.details.tags);
        let id = TaskId(self.ids.next(moment.now));
        let mut waits = request.waits;
        self.resolve(id, self.next_number, &mut waits)?;
        let new = NewTask {
            id,
            number: self.next_number,
            details: request.details,
            schedule: request.schedule,
            alerts: request.alerts,
            deadline: request.deadline,
            policy: request.policy,
            waits,
        };
        let transition = create(new, &moment)?;
        Ok((transition, moment))
    }

    fn called(&mut self, call: &Call) -> Result<Applied, CallError> {
        if let Some(key) = &call.key
            && let Some(seen) = self.seen(key)?
        {
            return Ok(seen);
        }
        let command = self.resolved(call.task, &call.command)?;
        let applied = self.applied_for(call.key.as_ref(), call.task, &command, call.expected, call.actor)?;
        self.note(call.key.clone(), call.task);
        if applied.changed && call.actor == Actor::Person {
            self.note_op(applied.op_id, &command, &applied.snapshot);
        }
        Ok(applied)
    }

    /// Returns the answer to a request whose key was seen before, in this batch or in the store.
    fn seen(&self, key: &RequestKey) -> Result<Option<Applied>, CallError> {
        let in_batch = self.change.requests.iter().find(|seen| seen.key == key.key).cloned();
        let seen = match in_batch {
            Some(seen) => Some(seen),
            None => self.store.request(&key.key)?,
        };
        let Some(seen) = seen else { return Ok(None) };
        let task = key.task_of(seen)?;
        let op = match self.change.events.iter().find(|event| event.snapshot.task.id == task && key.is_done_by(event)) {
            Some(added) => Some(added.op_id),
            None => key.op_in(self.store, task)?,
        };
        Ok(Some(key.repeated(self.snapshot(task)?, op, self.circumstances.now)))
    }

    /// Notes that a request is done, unless it is one that may be done again.
    fn note(&mut self, key: Option<RequestKey>, task: TaskId) {
        if let Some(RequestKey { key, method }) = key {
            let at = self.circumstances.now;
            self.change.requests.push(RequestSeen { key, method: method.to_owned(), task, at });
        }
    }

    fn applied_for(
        &mut self,
        key: Option<&RequestKey>,
        task: TaskId,
        command: &Command,
        expected: Expected,
        actor: Actor,
    ) -> Result<Applied, CallError> {
        let (transition, moment) = self.planned(key, task, command, expected)?;
        Ok(self.take(transition, actor, &moment))
    }

    /// Returns what would follow from a command; nothing of it is taken.
    fn planned(
        &mut self,
        key: Option<&RequestKey>,
        task: TaskId,
        command: &Command,
        expected: Expected,
    ) -> Result<(Transition, Moment<'a>), CallError> {
        let before = self.snapshot(task)?;
        self.planned_from(&before, key, command, expected)
    }

    fn planned_from(
        &mut self,
        before: &Snapshot,
        key: Option<&RequestKey>,
        command: &Command,
        expected: Expected,
    ) -> Result<(Transition, Moment<'a>), CallError> {
        let deliveries = self.deliveries_for(before, command)?;
        let moment = self.moment_of(key, &before.task.details.tags);
        let runs = self.runs_for(before, command)?;
        let earlier = self.earlier_for(before, &runs, command)?;
        let known = Known { earlier: earlier.as_ref(), ..self.world.known(before.task.id, &deliveries, &runs) };
        let transition = transition(before, known, command, expected, &moment)?;
        Ok((transition, moment))
    }

    fn snapshot(&self, id: TaskId) -> Result<Snapshot, CallError> {
        match self.snapshots.get(&id) {
            Some(snapshot) => Ok(snapshot.clone()),
            None => self.store.snapshot(id)?.ok_or(CallError::NotFound { id }),
        }
    }

    /// Returns the deliveries that the rules may need: those of the present occurrence, and the one that is spoken of.
    fn deliveries_for(&self, snapshot: &Snapshot, command: &Command) -> Result<Vec<Delivery>, StoreError> {
        let name = snapshot.occurrence.name();
        // What has never spoken has sent nothing: firings of many tasks need not ask the store.
        let mut deliveries = match snapshot.occurrence.last_spoken {
            Some(_) => self.deliveries_of(snapshot.task.id, name)?,
            None => Vec::new(),
        };
        if command.is_answer() {
            deliveries.extend(self.held_before(snapshot.task.id, name)?);
        }
        if let Command::Report { delivery: id, .. }
        | Command::Resend { delivery: id }
        | Command::FallBack { delivery: id }
        | Command::Expire { delivery: id } = command
            && !deliveries.iter().any(|delivery| delivery.id == *id)
            && let Some(spoken_of) = self.delivery(id)?
        {
            // What stands in for it, or it for others, is not to be made twice.
            let mut of_firing = self.deliveries_of(snapshot.task.id, spoken_of.occurrence)?;
            of_firing.retain(|delivery| delivery.id.fire_id == id.fire_id && delivery.id != *id);
            deliveries.extend(of_firing);
            deliveries.push(spoken_of);
        }
        Ok(deliveries)
    }

    fn deliveries_of(&self, task: TaskId, name: OccurrenceName) -> Result<Vec<Delivery>, StoreError> {
        let mut deliveries = self.store.deliveries(task, Some(name))?;
        deliveries.retain(|stored| !self.deliveries.contains(&stored.id));
        let of_batch = self.deliveries.of_task(task);
        deliveries.extend(of_batch.filter(|made| made.occurrence == name).cloned());
        Ok(deliveries)
    }

    /// Returns the circumstances of a request about a task of these tags.
    fn moment_of(&mut self, key: Option<&RequestKey>, tags: &[String]) -> Moment<'a> {
        let Circumstances { now, zone, grace, is_desktop_away, device } = self.circumstances;
        let op_id = key.map(RequestKey::op_id).or(self.op).unwrap_or_else(|| self.ids.next(now));
        let standing = standing(&self.pauses, tags, now);
        let quiet_until = self.quiet.until(tags, now, zone);
        let routing = self.world.routing;
        let is_away = self.quiet.is_away(tags, now);
        Moment { now, zone, device, op_id, grace, is_desktop_away, standing, quiet_until, routing, is_away }
    }

    /// Takes what follows from a command, and returns the answer to whoever asked for it.
    fn take(&mut self, transition: Transition, actor: Actor, moment: &Moment) -> Applied {
        let applied = Applied::of(&transition, moment);
        Applied { dependents: self.carry_out(transition, actor, moment), ..applied }
    }

    /// Takes what follows from a command, and what follows from that for tasks that waited; returns those.
    fn carry_out(&mut self, transition: Transition, actor: Actor, moment: &Moment) -> Dependents {
        let ends = ParentEnd::all_of(&transition);
        self.write_down(transition, actor, moment);
        match self.tell_dependents(ends, moment) {
            Ok(dependents) => dependents,
            Err(error) => {
                self.broken = Some(error);
                Dependents::default()
            }
        }
    }

    fn write_down(&mut self, transition: Transition, actor: Actor, moment: &Moment) {
        self.note_waits(&transition);
        let has_changed = transition.has_changed();
        for step in transition.steps {
            self.change.events.push(Event {
                event_id: self.ids.next(moment.now),
                op_id: moment.op_id,
                device: self.circumstances.device,
                actor,
                at: moment.now,
                operation: step.operation,
                from: step.from,
                to: step.to,
                reason: step.reason.to_owned(),
                snapshot: step.snapshot,
            });
        }
        for delivery in transition.deliveries {
            self.deliveries.insert(delivery);
        }
        self.runs.extend(transition.runs.into_iter().map(|run| (run.id, run)));
        self.effects.extend(transition.effects);
        if has_changed {
            self.snapshots.insert(transition.after.task.id, transition.after);
        }
    }
}

impl Applied {
    /// Returns the answer to a change of one task.
    fn of(transition: &Transition, moment: &Moment) -> Self {
        Self {
            snapshot: transition.after.clone(),
            op_id: moment.op_id,
            now: moment.now,
            changed: transition.has_changed(),
            passed_over: transition.passed_over,
            dependents: Dependents::default(),
            follower: None,
        }
    }
}

impl Outcome {
    /// Returns whether there is anything to be written.
    pub(super) fn is_empty(&self) -> bool {
        self.change == Change::default()
    }
}
