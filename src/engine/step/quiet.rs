//! The part of a batch that is about leaving the person alone: what is held, until when, and that the person is away.

use std::collections::BTreeMap;
use std::sync::Arc;

use tokio::sync::oneshot;
use uuid::Uuid;

use crate::domain::command::Command;
use crate::domain::delivery::{Delivery, DeliveryStatus, StatusName};
use crate::domain::device_event::{DeviceEvent, DeviceOperation};
use crate::domain::event::Actor;
use crate::domain::occurrence::OccurrenceName;
use crate::domain::op::{AwayChanged, Op};
use crate::domain::outbox::DeliveryFilter;
use crate::domain::quiet::{Away, rings};
use crate::domain::state::State;
use crate::domain::task::TaskId;
use crate::domain::time::Timestamp;
use crate::engine::input::{AwayApplied, AwayCall, CallError};
use crate::engine::step::{Answer, Batch};
use crate::store::StoreError;

impl Batch<'_> {
    /// Notes that the person is away, or not any more.
    pub(in crate::engine) fn set_away(
        &mut self,
        call: &AwayCall,
        reply: oneshot::Sender<Result<AwayApplied, CallError>>,
    ) {
        let result = self.away_set(call);
        self.away_answers.push(Answer { reply, result });
    }

    fn away_set(&mut self, call: &AwayCall) -> Result<AwayApplied, CallError> {
        let now = self.circumstances.now;
        let op_id = self.ids.next(now);
        let before = self.quiet.away_ahead(now).cloned();
        let (away, operation) = match call {
            AwayCall::Until { from, to, except } => {
                if to <= from || *to <= now {
                    return Err(CallError::AwayInPast { from: *from, to: *to });
                }
                let away = Away { id: op_id, from: *from, to: *to, except: except.clone() };
                let operation = DeviceOperation::AwaySet { from: *from, to: *to, except: except.clone() };
                (Some(away), Some(operation))
            }
            AwayCall::Off => (None, before.is_some().then_some(DeviceOperation::AwayEnded)),
        };
        let is_changed = operation.is_some();
        if let Some(operation) = operation {
            let (event_id, device) = (self.ids.next(now), self.circumstances.device);
            let (actor, reason) = (Actor::Person, String::new());
            self.change.device_events.push(DeviceEvent { event_id, op_id, device, actor, at: now, operation, reason });
            self.change.away = Some(away.clone());
            self.quiet.away.clone_from(&away);
            let verb = if away.is_some() { "away" } else { "away off" };
            let changed = AwayChanged { before: before.clone(), after: away.clone() };
            self.set_op(Op { away: Some(changed), ..Op::of_none(op_id, now, verb) });
        }
        Ok(AwayApplied { op_id, now, is_changed, away, before })
    }

    /// Puts back for when the person had said to be away, where an operation changed that.
    ///
    /// # Errors
    /// It has been changed since.
    pub(super) fn restore_away(&mut self, op: &Op, op_id: Uuid) -> Result<(), CallError> {
        let Some(AwayChanged { before, after }) = &op.away else { return Ok(()) };
        let now = self.circumstances.now;
        let stands = |away: &Option<Away>| away.clone().filter(|away| !away.is_over(now));
        if stands(&self.quiet.away) != stands(after) {
            let why = "the time for which you are away has been changed since";
            return Err(CallError::CannotUndo { op: op.told(), why });
        }
        let away = stands(before);
        let operation = match &away {
            Some(Away { from, to, except, .. }) => {
                DeviceOperation::AwaySet { from: *from, to: *to, except: except.clone() }
            }
            None => DeviceOperation::AwayEnded,
        };
        let (event_id, device) = (self.ids.next(now), self.circumstances.device);
        let (actor, reason) = (Actor::Person, String::new());
        self.change.device_events.push(DeviceEvent { event_id, op_id, device, actor, at: now, operation, reason });
        self.change.away = Some(away.clone());
        self.quiet.away = away;
        Ok(())
    }

    /// Looks at what was held or came late: what is to be held on is, and until when is noted; all else is let go.
    ///
    /// # Errors
    /// The store cannot be read.
    pub(in crate::engine) fn look_at_held(&mut self, unreleased: Vec<Delivery>) -> Result<(), Arc<StoreError>> {
        let mut ends: BTreeMap<TaskId, Option<Timestamp>> = BTreeMap::new();
        let mut released = Vec::new();
        for delivery in unreleased {
            let end = self.held_until(&delivery)?;
            // Of what is not held, and was not, no task says that it is: thousands that came up at once are not looked up.
            let is_held = end.is_some() || delivery.status == DeliveryStatus::Quiet;
            if is_held && !delivery.is_digest() && !delivery.is_notice() {
                let known = ends.entry(delivery.task).or_default();
                *known = (*known).max(end);
            }
            let held = delivery.held_for_quiet();
            if end.is_none() {
                released.push(delivery);
            } else if held != delivery {
                self.deliveries.insert(held);
            }
        }
        for (task, until) in ends {
            if self.is_to_be_told_anew(task, until)? {
                self.command(task, &Command::Hold { until }, Actor::Daemon)?;
            }
        }
        self.release_late(released)
    }

    /// Returns what is held of earlier times of a series: who answers the open one answers those too.
    pub(super) fn held_before(&self, task: TaskId, open: OccurrenceName) -> Result<Vec<Delivery>, StoreError> {
        let (now, zone) = (self.circumstances.now, self.circumstances.zone);
        // Without quiet hours nothing is held, and the store is not asked.
        if self.quiet.until(&[], now, zone).is_none() {
            return Ok(Vec::new());
        }
        let held = DeliveryFilter { task: Some(task), ..DeliveryFilter::in_status(StatusName::Quiet) };
        let mut held: Vec<Delivery> =
            self.store.deliveries_after(&held, 0, usize::MAX)?.into_iter().map(|(_, delivery)| delivery).collect();
        held.retain(|delivery| delivery.occurrence != open && !self.deliveries.contains(&delivery.id));
        let is_held = |made: &&Delivery| made.occurrence != open && made.status == DeliveryStatus::Quiet;
        held.extend(self.deliveries.of_task(task).filter(is_held).cloned());
        Ok(held)
    }

    /// Returns whether the end of its hold that a task shows is another than that.
    fn is_to_be_told_anew(&self, task: TaskId, until: Option<Timestamp>) -> Result<bool, Arc<StoreError>> {
        match self.snapshot(task) {
            Ok(snapshot) => Ok(matches!(snapshot.occurrence.state, State::Running(running)
                if running.held_until.is_some() && running.held_until != until)),
            Err(CallError::Store { source }) => Err(source),
            Err(_) => Ok(false),
        }
    }

    /// Returns whether a delivery that was to be handed out is to be held, since it has become quiet.
    pub(super) fn is_held_now(&self, delivery: &Delivery) -> Result<bool, Arc<StoreError>> {
        Ok(!delivery.status.is_final() && self.held_until(delivery)?.is_some())
    }

    /// Returns until when a delivery is held; `None` where it is not.
    fn held_until(&self, delivery: &Delivery) -> Result<Option<Timestamp>, Arc<StoreError>> {
        if !delivery.id.target.kind.is_person() {
            return Ok(None);
        }
        let (now, zone) = (self.circumstances.now, self.circumstances.zone);
        let Some(until) = self.quiet.until(&delivery.occasion.tags, now, zone) else { return Ok(None) };
        let rings = !delivery.is_digest()
            && match self.snapshot(delivery.task) {
                Ok(snapshot) => rings(&snapshot.task, &delivery.occasion),
                Err(CallError::Store { source }) => return Err(source),
                Err(_) => false,
            };
        // What was held once is not let go one by one.
        let is_held = !rings || delivery.status == DeliveryStatus::Quiet;
        Ok(is_held.then_some(until))
    }
}
