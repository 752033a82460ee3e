//! Collects the legal steps of one command, each applied to the result of the one before.

use chrono_tz::Tz;
use uuid::Uuid;

use crate::domain::command::Moment;
use crate::domain::delivery::{ChannelKind, Delivery, DeliveryId, DeliveryStatus};
use crate::domain::effect::{Effect, Standing};
use crate::domain::event::{Firing, Operation, Snapshot, apply};
use crate::domain::message::{Message, Occasion, Reason, Skip, skipped};
use crate::domain::occurrence::{Due, FireId, Instance, Occurrence, OccurrenceKey, Outcome, Slot, Spent};
use crate::domain::quiet::{AWAY, QUIET_HOURS, rings};
use crate::domain::run::Run;
use crate::domain::schedule::{Passed, Schedule};
use crate::domain::state::{Snooze, State, Suspended};
use crate::domain::task::Task;
use crate::domain::time::{Span, Timestamp};
use crate::domain::transition::{Known, Step, Transition, ask, run, waits};

/// The work in hand of one command.
pub(super) struct Steps<'a> {
    pub(super) moment: &'a Moment<'a>,
    /// The task and its present occurrence so far.
    pub(super) now_is: Snapshot,
    /// The deliveries of the occurrence that was present at first, and those made since.
    pub(super) deliveries: Vec<Delivery>,
    /// Instances that do not come up again.
    pub(super) spent: Vec<Spent>,
    /// What is known of the task's runs, as they are now, oldest first.
    pub(super) runs: Vec<Run>,
    /// The occurrence that a run is reported of, where that is not the present one.
    pub(super) earlier: Option<Occurrence>,
    pub(super) changed_runs: Vec<Run>,
    changed: Vec<Delivery>,
    pub(super) effects: Vec<Effect>,
    pub(super) taken: Vec<Step>,
    passed_over: u64,
    /// The version that every step of the command gives the task.
    pub(super) version: u64,
    /// When the successor took over from the occurrence that was closed, where it did.
    takes_over_at: Option<Timestamp>,
}

impl<'a> Steps<'a> {
    pub(super) fn new(before: &Snapshot, known: Known<'_>, moment: &'a Moment<'a>) -> Self {
        let occurrence = &before.occurrence;
        // An occurrence that was ended or skipped, and reopened, is there.
        let is_open = |spent: &&Spent| spent.key == occurrence.key && !occurrence.has_ended();
        Self {
            moment,
            now_is: before.clone(),
            deliveries: known.deliveries.to_vec(),
            spent: known.spent.iter().filter(|spent| !is_open(spent)).copied().collect(),
            runs: known.runs.to_vec(),
            earlier: known.earlier.cloned(),
            changed_runs: Vec::new(),
            changed: Vec::new(),
            effects: Vec::new(),
            taken: Vec::new(),
            passed_over: 0,
            version: before.task.version + 1,
            takes_over_at: None,
        }
    }

    /// As [`Steps::new`] for a task that is being added: its steps share the first version.
    pub(super) fn continuing(added: &Snapshot, moment: &'a Moment<'a>) -> Self {
        Self {
            version: added.task.version,
            ..Self::new(added, Known { deliveries: &[], spent: &[], runs: &[], earlier: None }, moment)
        }
    }

    pub(super) fn finish(mut self) -> Transition {
        // A new popup of the task takes the place of the old one; taking that back as well could hit the new one.
        let anew: Vec<ChannelKind> = self.effects.iter().filter_map(kind_of_popup).collect();
        for effect in &mut self.effects {
            if let Effect::Silence { except, withdrawal } = effect {
                except.clone_from(&anew);
                let is_of = |step: &&Step| step.snapshot.occurrence.name() == withdrawal.occurrence;
                let latest = self.taken.iter().rev().find(is_of).map(|step| &step.snapshot.occurrence);
                withdrawal.standing = latest.map_or(withdrawal.standing, Standing::of);
            }
        }
        Transition {
            steps: self.taken,
            deliveries: self.changed,
            runs: self.changed_runs,
            effects: self.effects,
            passed_over: self.passed_over,
            after: self.now_is,
        }
    }

    pub(super) fn now(&self) -> Timestamp {
        self.moment.now
    }

    pub(super) fn occurrence(&self) -> &Occurrence {
        &self.now_is.occurrence
    }

    pub(super) fn state(&self) -> &State {
        &self.now_is.occurrence.state
    }

    pub(super) fn task(&self) -> &Task {
        &self.now_is.task
    }

    /// The zone in which the schedule's local times are read.
    pub(super) fn zone(&self) -> Tz {
        self.now_is.zone(self.moment.zone)
    }

    pub(super) fn has_spoken(&self) -> bool {
        self.occurrence().last_spoken.is_some()
    }

    /// Returns whether it came up: it spoke, or became due in silence, so that it ends and is not withdrawn.
    pub(super) fn has_come_up(&self) -> bool {
        self.has_spoken() || matches!(self.state(), State::Running(_))
    }

    /// Returns whether the successor of the open occurrence takes over: it closes this one and speaks itself.
    pub(super) fn is_succeeded(&self) -> bool {
        self.occurrence().successor_at.is_some_and(|at| at <= self.now())
    }

    /// Returns the operation that removes the open occurrence, which has not come up. One that had spoken before it was moved
    /// ends: created anew under its name it would say the same once more.
    pub(super) fn removal(&self) -> Operation {
        match self.occurrence().moved_by {
            Some(_) => Operation::Cancelled(Outcome::Skipped),
            None => Operation::Withdrawn,
        }
    }

    /// Notes that the successor of the open occurrence takes over now: what it says early is said from then on.
    pub(super) fn take_over(&mut self) {
        self.takes_over_at = self.occurrence().successor_at;
    }

    /// Takes one step.
    ///
    /// # Panics
    /// Never: the rules make only operations that fit the state they have looked at, which the property tests hold.
    pub(super) fn step(&mut self, operation: Operation, reason: &'static str) {
        if operation.outcome().is_some() || operation == Operation::Withdrawn {
            self.end_command();
        }
        let is_birth = matches!(operation, Operation::Added(_) | Operation::Opened(_));
        let from = (!is_birth).then(|| self.state().name());
        let after = apply(Some(&self.now_is), &operation, self.now(), self.version)
            .expect("the rules make only operations that fit");
        let to = (operation != Operation::Withdrawn).then(|| after.occurrence.state.name());
        self.now_is = after.clone();
        self.taken.push(Step { operation, from, to, reason, snapshot: after });
    }

    /// CREATED becomes PENDING, or goes to sleep where many tasks are paused; one that waits for another task stays.
    pub(super) fn arm(&mut self) {
        if self.now_is.is_waiting() {
            return;
        }
        self.step(Operation::Armed, "");
        self.sleep();
    }

    /// What is armed while many tasks are paused goes to sleep with them.
    pub(super) fn sleep(&mut self) {
        if let Some(pause) = self.moment.standing
            && matches!(self.state(), State::Pending(_))
        {
            let remaining = ask::remaining(self);
            let (since, until) = (self.now(), pause.until);
            let suspended =
                Suspended { id: pause.id, since, until, remaining, snooze: None, is_this_only: false, acked_at: None };
            self.step(Operation::Suspended(suspended), "many tasks are paused");
        }
    }

    pub(super) fn pass_over(&mut self, instances: u64) {
        self.passed_over += instances;
    }

    /// Speaks: one firing, and its delivery to every target.
    ///
    /// `repeat` is the snooze that it repeats.
    pub(super) fn ring(&mut self, slot: Slot, repeat: Option<Snooze>, nominal_at: Timestamp, swallowed: Vec<Slot>) {
        let (due, deadline) = (self.occurrence().due, self.occurrence().deadline);
        let nominal = match slot {
            Slot::Alert(_) | Slot::Nag(_) => due.or(deadline),
            Slot::Deadline(_) => deadline.or(due),
        };
        let nominal = nominal.expect("only an occurrence with a time has alerts").nominal;
        let reason = match repeat {
            None => Reason::Alert,
            Some(snooze) if snooze.is_chosen => Reason::Snooze,
            Some(_) => Reason::Pause,
        };
        let repeat = repeat.map(|snooze| snooze.id).or(self.occurrence().moved_by);
        let fire_id = FireId::compute(self.task().id, self.occurrence().name(), slot, nominal, repeat);
        let late = self.now().since(nominal_at) > self.moment.grace;
        // A deadline that stands for the alert at due says that too.
        let says_due = |slot: &Slot| !matches!(slot, Slot::Deadline(_));
        let says_due = says_due(&slot) || swallowed.iter().copied().any(Slot::is_of_due);
        let is_due = due.is_some_and(|due| due.at <= self.now()) && says_due;
        let becomes_due = is_due && matches!(self.state(), State::Pending(_));
        let firing = Firing { fire_id, slot, nominal_at, late, swallowed };
        let operation = if becomes_due { Operation::Fired(firing) } else { Operation::Spoke(firing) };
        self.step(operation, if late { "late" } else { "" });
        let missed = self.skips().map_or(0, |skip| skip.times);
        let message = Message::compose(&self.now_is, late.then_some(nominal_at), missed, self.now(), self.moment.zone);
        let occasion = Occasion { slot, nominal_at, late, ..self.occasion(reason) };
        for target in self.targets_of(slot) {
            self.deliver(DeliveryId { fire_id, target }, message.clone(), occasion.clone());
        }
        if becomes_due {
            self.start_command();
        }
        let is_held = |delivery: &Delivery| delivery.id.fire_id == fire_id && delivery.status == DeliveryStatus::Quiet;
        if self.changed.iter().any(is_held) {
            let until = self.moment.quiet_until;
            self.step(Operation::Held { until }, if self.moment.is_away { AWAY } else { QUIET_HOURS });
        }
    }

    /// Returns what programs are told of something that is said now.
    pub(super) fn occasion(&self, reason: Reason) -> Occasion {
        let details = &self.task().details;
        Occasion {
            device: self.moment.device,
            reason,
            slot: Slot::DUE,
            nominal_at: self.now(),
            late: false,
            due: self.occurrence().due,
            notes: details.notes.clone(),
            tags: details.tags.clone(),
            metadata: details.metadata.clone(),
        }
    }

    /// Returns what this command found to have been missed and does not make up for.
    pub(super) fn skips(&self) -> Option<Skip> {
        let skips = self.taken.iter().filter(|step| ![ask::PAUSED, run::STILL_RUNS].contains(&step.reason)).filter_map(
            |step| {
                let (times, from, to) = step.operation.skipped()?;
                Some(Skip { times, from, to, why: step.reason })
            },
        );
        skips.reduce(|one, other| Skip {
            times: one.times.saturating_add(other.times),
            from: one.from.min(other.from),
            to: one.to.max(other.to),
            why: other.why,
        })
    }

    /// Returns whether this command rings.
    pub(super) fn has_rung(&self) -> bool {
        self.taken.iter().any(|step| step.operation.firing().is_some())
    }

    /// Tells the person of what was skipped, in a digest.
    pub(super) fn tell_of_skip(&mut self, skip: &Skip) {
        // Where the clock is set back the same times may be skipped again, which is told again.
        let name = format!("skipped|{}", self.moment.op_id);
        let fire_id = FireId(Uuid::new_v5(&self.task().id.0, name.as_bytes()));
        let message = skipped(self.task(), skip, self.now(), self.moment.zone);
        let occasion = Occasion { nominal_at: skip.to, late: true, due: None, ..self.occasion(Reason::Skipped) };
        let mut targets = self.targets();
        targets.retain(|target| target.kind.is_person());
        if targets.is_empty() {
            targets = self.default_targets();
        }
        for target in targets {
            self.deliver(DeliveryId { fire_id, target }, message.clone(), occasion.clone());
        }
    }

    /// Puts a delivery into the outbox. What comes late to a person waits there until all that is late is known, and what
    /// comes while it is quiet until that is over.
    pub(super) fn deliver(&mut self, id: DeliveryId, message: Message, occasion: Occasion) {
        let is_for_person = id.target.kind.is_person();
        let status = if is_for_person && self.moment.quiet_until.is_some() && !rings(self.task(), &occasion) {
            DeliveryStatus::Quiet
        } else if is_for_person && occasion.late {
            DeliveryStatus::Grouped
        } else {
            DeliveryStatus::Queued
        };
        self.deliver_as(status, id, message, occasion);
    }

    /// As [`Steps::deliver`], where it is known what is to become of it at first.
    pub(super) fn deliver_as(&mut self, status: DeliveryStatus, id: DeliveryId, message: Message, occasion: Occasion) {
        // A notice is to be known however long it takes.
        let is_notice = occasion.reason.is_notice();
        let max_late = self.task().details.max_late.filter(|_| !is_notice);
        // What is said though it is later than that (out of a pause, a snooze, a deadline) is not to be lost on the way.
        let ends_at = |from: Timestamp| max_late.map(|late| from.saturating_add(late));
        let is_over = ends_at(occasion.nominal_at).is_some_and(|end| end < self.now());
        // What is held is told however long that takes.
        let expires_at = ends_at(if is_over { self.now() } else { occasion.nominal_at });
        let delivery = Delivery {
            id,
            task: self.task().id,
            occurrence: self.occurrence().name(),
            message,
            occasion,
            status,
            frozen: None,
            expires_at: expires_at.filter(|_| status != DeliveryStatus::Quiet),
            attempts: 0,
            created_at: self.now(),
            last_error: None,
            digest: None,
            receipt: None,
        };
        if status == DeliveryStatus::Queued {
            self.effects.push(Effect::Deliver(Box::new(delivery.clone())));
        }
        self.change(delivery);
    }

    pub(super) fn hand_out(&mut self, delivery: Delivery) {
        self.effects.push(Effect::Deliver(Box::new(delivery)));
    }

    /// Notes a delivery as it is now.
    pub(super) fn change(&mut self, delivery: Delivery) {
        self.deliveries.retain(|known| known.id != delivery.id);
        self.changed.retain(|known| known.id != delivery.id);
        self.deliveries.push(delivery.clone());
        self.changed.push(delivery);
    }

    pub(super) fn delivery(&self, id: &DeliveryId) -> Option<&Delivery> {
        self.deliveries.iter().find(|delivery| delivery.id == *id)
    }

    /// Closes an occurrence that rang and was not answered before its successor (SPEC 4, Completion).
    ///
    /// It must be PENDING or RUNNING.
    pub(super) fn close_unanswered(&mut self) {
        let is_for_programs = self.task().is_program_only();
        // What is held, or stands in the digest of what was, is told.
        let is_told =
            |delivery: &Delivery| matches!(delivery.status, DeliveryStatus::Delivered(_)) || delivery.is_held_or_was();
        let is_delivered = self
            .deliveries_of_present()
            .any(|delivery| delivery.id.target.kind.is_person() != is_for_programs && is_told(delivery));
        // One that was reopened may have said nothing since: what it had said was delivered or not, and the person knows it.
        let is_reopened = self.occurrence().generation > 1 && self.deliveries_of_present().next().is_none();
        let had_nothing_to_say = !self.has_spoken() || is_reopened;
        self.start_silently();
        if had_nothing_to_say || (is_delivered && !is_for_programs) {
            self.step(Operation::Completed(Outcome::Unanswered), "its successor is due");
        } else if is_delivered {
            self.step(Operation::Completed(Outcome::Done), "a program took it");
        } else if is_for_programs {
            self.step(Operation::Failed, "no program took it before its successor was due; its deliveries go on");
            self.step(Operation::Cancelled(Outcome::RetriesExhausted), "");
        } else {
            self.step(Operation::Failed, "it reached nobody before its successor was due");
            self.step(Operation::Cancelled(Outcome::Undelivered), "");
        }
        self.withdraw_where(|delivery| delivery.id.target.kind.is_person() && !delivery.is_held_or_was());
    }

    /// Returns what is known of the deliveries of a firing.
    pub(super) fn deliveries_of(&self, fire_id: FireId) -> impl Iterator<Item = &Delivery> {
        self.deliveries.iter().filter(move |delivery| delivery.id.fire_id == fire_id)
    }

    /// Returns the deliveries of the present occurrence's firings.
    pub(super) fn deliveries_of_present(&self) -> impl Iterator<Item = &Delivery> {
        let name = self.occurrence().name();
        self.deliveries.iter().filter(move |delivery| delivery.occurrence == name && !delivery.is_notice())
    }

    /// PENDING becomes RUNNING with nothing sent; RUNNING stays.
    pub(super) fn start_silently(&mut self) {
        if matches!(self.state(), State::Pending(_)) {
            self.step(Operation::Started, "nothing sent");
        }
    }

    /// Returns the first instance behind the present occurrence that is due after now; none where the series is over.
    pub(super) fn next_instance(&self) -> Option<Instance> {
        if !self.task().is_series() {
            return None;
        }
        self.next_behind(self.task().cursor)
    }

    /// Returns the first instance behind `cursor` that is due after now and comes up still.
    pub(super) fn next_behind(&self, cursor: Option<Instance>) -> Option<Instance> {
        self.next_of(&self.task().schedule, cursor)
    }

    /// As [`Steps::next_behind`], of another schedule.
    pub(super) fn next_of(&self, schedule: &Schedule, cursor: Option<Instance>) -> Option<Instance> {
        let mut behind = cursor;
        loop {
            let next = schedule.next_after(behind.as_ref(), self.now(), self.moment.zone)?;
            if !self.is_spent(&next) {
                return Some(next);
            }
            behind = Some(next);
        }
    }

    /// Returns the latest instance behind `present` that is due by now and comes up still, and what lies between the two.
    pub(super) fn latest_behind(&self, present: &Instance) -> Option<(Instance, Passed)> {
        self.latest_due_by(present, self.now())
    }

    /// As [`Steps::latest_behind`], by another time than now.
    pub(super) fn latest_due_by(&self, present: &Instance, mut by: Timestamp) -> Option<(Instance, Passed)> {
        loop {
            let (latest, passed) = self.task().schedule.latest_by(present, by, self.moment.zone)?;
            if !self.is_spent(&latest) {
                // Where a later one has come up already, what was before it is over: the clock was set forth again.
                let is_over = self.spent.iter().any(|spent| spent.is_behind(&latest) && spent.due <= self.now());
                // What was due before there was a task is nothing that it missed.
                let created_at = self.task().created_at;
                let is_before_it = latest.due < created_at && created_at <= self.now();
                return (!is_over && !is_before_it).then(|| (latest, self.without_spent(passed)));
            }
            by = latest.due.saturating_add(Span::from_millis(-1));
        }
    }

    /// What came up before the clock was set back was not passed over.
    fn without_spent(&self, passed: Passed) -> Passed {
        let Some((from, to)) = passed.range else { return passed };
        let spent = self.spent.iter().filter(|spent| (from..=to).contains(&spent.due)).count();
        let instances = passed.instances.saturating_sub(spent as u64);
        if instances == 0 { Passed::NONE } else { Passed { instances, ..passed } }
    }

    fn is_spent(&self, instance: &Instance) -> bool {
        is_spent(&self.spent, instance)
    }

    /// Notes that the open occurrence, which came up, does not come up again, though its series goes on before it.
    pub(super) fn spend(&mut self, present: &Instance) {
        self.spent.push(Spent { key: present.key, due: present.due });
    }

    /// Opens and arms the occurrence of an instance; where the task waits for others, it waits anew.
    pub(super) fn open(&mut self, instance: &Instance) {
        self.open_awake(instance);
        self.sleep();
    }

    /// As [`Steps::open`], whatever is paused.
    pub(super) fn open_awake(&mut self, instance: &Instance) {
        let occurrence = self.occurrence_of(instance);
        self.step(Operation::Opened(Box::new(occurrence)), "");
        if self.task().waits.is_none() {
            self.step(Operation::Armed, "");
        } else {
            waits::begin_turn(self);
        }
    }

    /// Opens the occurrence of an instance in the place of one that was withdrawn: what that waited for stays as it is.
    pub(super) fn reopen(&mut self, instance: &Instance) {
        let occurrence = self.occurrence_of(instance);
        self.step(Operation::Opened(Box::new(occurrence)), "");
        if self.task().waits.is_met() {
            self.step(Operation::Armed, "");
        } else {
            waits::begin_to_wait(self);
        }
    }

    /// As [`Steps::open`], but it sleeps on with a pause of its own, whatever else is paused.
    pub(super) fn open_asleep(&mut self, instance: &Instance, paused: &Suspended) {
        self.open_awake(instance);
        self.sleep_on(paused);
    }

    /// Sleeps with a pause of its own. What waits for others is not armed, so it has no clock to stop; what was set free
    /// sleeps with the pause of many already, and what ended with them is over.
    pub(super) fn sleep_on(&mut self, paused: &Suspended) {
        if !matches!(self.state(), State::Pending(_)) {
            return;
        }
        let remaining = ask::remaining(self);
        let suspended = Suspended { remaining, snooze: None, acked_at: None, ..*paused };
        self.step(Operation::Suspended(suspended), "it is paused");
    }

    /// Returns the CREATED occurrence of an instance of the task's schedule.
    pub(super) fn occurrence_of(&self, instance: &Instance) -> Occurrence {
        let mut occurrence = first_occurrence(self.task(), Some(instance), &self.spent, self.moment);
        // One that was reopened is created again as that; one that ended never comes back to life.
        let present = self.occurrence();
        if present.key == instance.key {
            occurrence.generation = present.generation + u32::from(present.has_ended());
        }
        // What takes over by speaking early has not spoken yet.
        if let Some(from) = self.takes_over_at.filter(|_| instance.due > self.now()) {
            let is_before = |slot: &Slot| match slot {
                Slot::Alert(offset) => instance.due.saturating_add(*offset) < from,
                Slot::Nag(_) | Slot::Deadline(_) => true,
            };
            occurrence.spoken.retain(is_before);
        }
        occurrence
    }

    /// Returns when the instance behind `instance` takes over from that, which is due at `due`.
    pub(super) fn successor_of(&self, instance: &Instance, due: Due) -> Option<Timestamp> {
        successor_of(self.task(), instance, due, &self.spent, self.moment)
    }

    /// Returns when the instance behind `instance` is due.
    pub(super) fn successor_due(&self, instance: &Instance) -> Option<Timestamp> {
        successor_due(self.task(), instance, &self.spent, self.moment)
    }
}

/// Returns where something new takes the place of the old by itself; in a chat both stand.
fn kind_of_popup(effect: &Effect) -> Option<ChannelKind> {
    match effect {
        Effect::Deliver(delivery) => Some(delivery.id.target.kind).filter(|kind| !kind.has_addresses()),
        Effect::Silence { .. } | Effect::Run(_) | Effect::EndRun(_) => None,
    }
}

/// Returns a CREATED occurrence: of `instance`, or without a time.
pub(super) fn first_occurrence(
    task: &Task,
    instance: Option<&Instance>,
    spent: &[Spent],
    moment: &Moment,
) -> Occurrence {
    let due = instance.map(|instance| Due { nominal: instance.nominal, at: instance.due });
    let deadline = deadline_of(task, due, moment);
    // Early alerts whose time has passed already do not speak; the one at due always does.
    let is_past = |base: Option<Due>, offset: &&Span| {
        **offset < Span::ZERO && base.is_some_and(|base| base.at.saturating_add(**offset) <= moment.now)
    };
    let of_due = task.alerts.iter().filter(|offset| is_past(due, offset)).map(|offset| Slot::Alert(*offset));
    let of_deadline = task.deadline.iter().flat_map(|deadline| &deadline.alerts);
    let of_deadline = of_deadline.filter(|offset| is_past(deadline, offset)).map(|offset| Slot::Deadline(*offset));
    Occurrence {
        key: instance.map_or(OccurrenceKey::Once, |instance| instance.key),
        generation: 1,
        due,
        moved_from: None,
        successor_at: instance.zip(due).and_then(|(instance, due)| successor_of(task, instance, due, spent, moment)),
        spoken: of_due.chain(of_deadline).collect(),
        last_spoken: None,
        deadline,
        is_past_deadline: false,
        nags: 0,
        moved_by: None,
        state: State::Created,
    }
}

/// Returns when what is due at `due` must be done at the latest.
pub(super) fn deadline_of(task: &Task, due: Option<Due>, moment: &Moment) -> Option<Due> {
    task.deadline_of(due, task.schedule.zone.unwrap_or(moment.zone))
}

fn is_spent(spent: &[Spent], instance: &Instance) -> bool {
    spent.iter().any(|spent| spent.key == instance.key)
}

fn successor_of(task: &Task, instance: &Instance, due: Due, spent: &[Spent], moment: &Moment) -> Option<Timestamp> {
    let next = successor_due(task, instance, spent, moment)?;
    let deadline = deadline_of(task, Some(due), moment).map(|deadline| deadline.at);
    Some(task.takeover(task.busy_until(due.at, deadline), next))
}

fn successor_due(task: &Task, instance: &Instance, spent: &[Spent], moment: &Moment) -> Option<Timestamp> {
    if !task.is_series() {
        return None;
    }
    let mut behind = task.schedule.instances(Some(instance), instance.due, moment.zone);
    behind.find(|next| !is_spent(spent, next)).map(|next| next.due)
}
