//! The part of a batch that is about targets: what their health says is done to the deliveries of the batch.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use tokio::sync::oneshot;

use crate::domain::breaker::TargetHealth;
use crate::domain::command::Command;
use crate::domain::delivery::{Delivery, DeliveryId, DeliveryStatus, Report, Target};
use crate::domain::digest::AT_ONCE_MAX;
use crate::domain::effect::Effect;
use crate::domain::event::Actor;
use crate::domain::outbox::DeliveryFilter;
use crate::domain::task::TaskId;
use crate::engine::dispatch::PER_TARGET_MAX;
use crate::engine::input::{CallError, TargetCall};
use crate::engine::run::DUE_MAX;
use crate::engine::step::{Answer, Batch};
use crate::store::StoreError;

/// Why what a digest is to tell of waits, where nothing else is known.
const HELD: &str = "nothing is sent there at the moment";

impl Batch<'_> {
    /// Does what a person asks of a target.
    pub(in crate::engine) fn call_target(
        &mut self,
        call: &TargetCall,
        reply: oneshot::Sender<Result<TargetHealth, CallError>>,
    ) {
        let now = self.circumstances.now;
        let before = self.health(call.target());
        let after = match call {
            TargetCall::Pause(_) => before.paused(now),
            TargetCall::Resume(_) => before.resumed(now),
        };
        let held = if after.admits() { Ok(()) } else { self.hold_rest(call.target()) };
        if held.is_ok() {
            self.set_health(after.clone());
        }
        let result = held.map(|()| after).map_err(CallError::from);
        self.target_answers.push(Answer { reply, result });
    }

    /// Notes that targets are to be tried at once.
    pub(in crate::engine) fn wake_target(&mut self, target: &Target) {
        let before = self.health(target);
        self.set_health(before.woken(self.circumstances.now));
    }

    /// Lets one go out of what is held for a target, where its health says that one may.
    ///
    /// # Errors
    /// The store cannot be read.
    pub(in crate::engine) fn release(&mut self, target: &Target) -> Result<(), Arc<StoreError>> {
        let now = self.circumstances.now;
        let health = self.health(target);
        if health.next_release().is_none_or(|at| at > now) {
            // An input of this very batch has moved it.
            self.unplanned.insert(target.clone());
            return Ok(());
        }
        // Some of what the store has as held may be withdrawn by this batch.
        let of_batch = self.deliveries.values().filter(|made| made.id.target == *target).count();
        let turn = health.next_of_held();
        let mut held = self.store.held(target, of_batch + 1 + turn)?;
        held.retain(|delivery| !self.deliveries.contains(&delivery.id));
        if held.first().is_some_and(|oldest| oldest.is_expired(now)) {
            return self.expire_held(target);
        }
        if held.is_empty() {
            self.set_health(health.drained());
            return Ok(());
        }
        let chosen = held.swap_remove(turn % held.len());
        // Beside a probe goes nothing else, not even another probe.
        let load_max = if health.is_probed() { 1 } else { PER_TARGET_MAX };
        if self.world.dispatcher.load(target) >= load_max {
            self.set_health(health.put_off(now));
            return Ok(());
        }
        self.released.insert(chosen.id.clone());
        self.queue(chosen)?;
        self.set_health(health.released(now));
        Ok(())
    }

    /// Gives up what is held for a target past its time, in one turn as many as one commit takes.
    fn expire_held(&mut self, target: &Target) -> Result<(), Arc<StoreError>> {
        for delivery in self.store.held(target, DUE_MAX)? {
            if delivery.is_expired(self.circumstances.now) {
                self.command(delivery.task, &Command::Expire { delivery: delivery.id }, Actor::Daemon)?;
            }
        }
        // What is not late goes out in the next turn, which comes at once.
        self.unplanned.insert(target.clone());
        Ok(())
    }

    pub(super) fn is_probed(&self, target: &Target) -> bool {
        self.health(target).is_probed()
    }

    /// Notes what a report says of its target; where that has failed too often, the person is told.
    pub(super) fn judge(&mut self, id: &DeliveryId, report: &Report, task: TaskId) -> Result<(), Arc<StoreError>> {
        let before = self.health(&id.target);
        let after = before.reported(report, self.circumstances.now);
        let has_opened = after.has_opened_since(&before);
        let failures = after.failures;
        if before.is_probed() && after.admits() {
            tracing::info!(target = %id.target, "the target answers again: what was held for it goes out");
        }
        self.set_health(after);
        let (true, Report::Failed { error, .. }) = (has_opened, report) else { return Ok(()) };
        tracing::warn!(channel = id.target.public_name(), failures, error, "the target fails: what is for it is held");
        self.hold_rest(&id.target)?;
        let command = Command::TellTargetFails { target: id.target.clone(), failures, error: error.clone() };
        self.command(task, &command, Actor::Daemon)
    }

    /// Where very many come due at once for a person, they are told together; where some are already, the rest joins them.
    pub(super) fn group_together(&mut self) {
        let now = self.circumstances.now;
        let is_new = |delivery: &Delivery| {
            let is_ring = delivery.id.target.kind.is_person() && !delivery.is_notice();
            is_ring && delivery.attempts == 0 && delivery.created_at == now && delivery.last_error.is_none()
        };
        let mut counts: HashMap<Target, usize> = HashMap::new();
        for effect in &self.effects {
            if let Effect::Deliver(delivery) = effect
                && is_new(delivery)
            {
                *counts.entry(delivery.id.target.clone()).or_default() += 1;
            }
        }
        let is_much = |target: &Target| counts.get(target).is_some_and(|count| *count > AT_ONCE_MAX);
        let joins = self.world.has_unreleased;
        let mut grouped = Vec::new();
        self.effects.retain(|effect| match effect {
            Effect::Deliver(delivery) if is_new(delivery) && (joins || is_much(&delivery.id.target)) => {
                grouped.push((**delivery).clone());
                false
            }
            Effect::Deliver(_) | Effect::Silence { .. } | Effect::Run(_) | Effect::EndRun(_) => true,
        });
        for delivery in &grouped {
            self.group(delivery);
        }
    }

    /// Makes every unsent delivery of targets that are not sent to a held one, in place of handing it out.
    pub(super) fn settle(&mut self) {
        for effect in &self.effects {
            if let Effect::Deliver(delivery) = effect
                && !self.deliveries.contains(&delivery.id)
                && !self.health(&delivery.id.target).admits()
            {
                self.deliveries.insert((**delivery).clone());
            }
        }
        let to_be_held = |delivery: &&Delivery| self.is_to_be_held(delivery);
        let held: Vec<Delivery> = self.deliveries.values().filter(to_be_held).cloned().collect();
        for delivery in held {
            self.unplanned.insert(delivery.id.target.clone());
            self.deliveries.insert(Delivery { status: DeliveryStatus::Held, ..delivery });
        }
        let is_wanted = |delivery: &Delivery| {
            self.deliveries.get(&delivery.id).is_none_or(|now| now.status == DeliveryStatus::Queued)
        };
        self.effects.retain(|effect| match effect {
            Effect::Deliver(delivery) => is_wanted(delivery),
            Effect::Silence { .. } | Effect::Run(_) | Effect::EndRun(_) => true,
        });
    }

    /// Says elsewhere what is held now since its target is not sent to, where nobody else was reached by it.
    ///
    /// # Errors
    /// The store cannot be read.
    pub(in crate::engine) fn fall_back(&mut self) -> Result<(), Arc<StoreError>> {
        if self.world.routing.fallback.is_empty() {
            return Ok(());
        }
        let mut looked_at = BTreeSet::new();
        loop {
            // What is said elsewhere may be held there too.
            self.settle();
            let is_new =
                |delivery: &&Delivery| delivery.status == DeliveryStatus::Held && !looked_at.contains(&delivery.id);
            let held: Vec<Delivery> = self.deliveries.values().filter(is_new).cloned().collect();
            if held.is_empty() {
                return Ok(());
            }
            for delivery in held {
                looked_at.insert(delivery.id.clone());
                if delivery.is_digest() {
                    let reason = self.health(&delivery.id.target).last_error.unwrap_or_else(|| HELD.to_owned());
                    self.tell_members(&delivery.id, &Report::Away { reason })?;
                } else {
                    let command = Command::FallBack { delivery: delivery.id };
                    self.command(delivery.task, &command, Actor::Daemon)?;
                }
            }
        }
    }

    /// Keeps what the attempts of what is handed out are to say: it is committed before the first, so that neither a new
    /// template nor a crash changes it.
    pub(super) fn freeze(&mut self) {
        for effect in &mut self.effects {
            let Effect::Deliver(delivery) = effect else { continue };
            if delivery.frozen.is_none()
                && let Some(frozen) = self.world.dispatcher.freeze(delivery)
            {
                delivery.frozen = Some(Arc::new(frozen));
                let kept = self.deliveries.get(&delivery.id).unwrap_or(delivery).clone();
                self.deliveries.insert(Delivery { frozen: delivery.frozen.clone(), ..kept });
            }
        }
    }

    fn is_to_be_held(&self, delivery: &Delivery) -> bool {
        let is_unsent = match delivery.status {
            DeliveryStatus::Queued | DeliveryStatus::Retrying(_) => true,
            DeliveryStatus::Waiting
            | DeliveryStatus::Held
            | DeliveryStatus::Grouped
            | DeliveryStatus::Quiet
            | DeliveryStatus::Delivered(_)
            | DeliveryStatus::Failed(_)
            | DeliveryStatus::Withdrawn(_) => false,
        };
        is_unsent
            && !self.health(&delivery.id.target).admits()
            && !self.released.contains(&delivery.id)
            && !self.is_under_way(&delivery.id)
    }

    /// Takes into the batch whatever of a target is unsent, to be settled with the rest.
    fn hold_rest(&mut self, target: &Target) -> Result<(), StoreError> {
        let unsent = self.store.deliveries_after(&DeliveryFilter::open_of(target), 0, usize::MAX)?;
        for (_, delivery) in unsent {
            if !self.deliveries.contains(&delivery.id) && !self.is_under_way(&delivery.id) {
                self.deliveries.insert(delivery);
            }
        }
        Ok(())
    }

    /// What a worker has is queued, so that a start after a crash knows that its target may have it.
    pub(super) fn is_under_way(&self, id: &DeliveryId) -> bool {
        (self.world.dispatcher.is_under_way(id) && !self.reported.contains(id))
            || self.world.unwritten.iter().any(|(unwritten, _)| unwritten == id)
    }

    fn health(&self, target: &Target) -> TargetHealth {
        self.health.get(target).cloned().unwrap_or_else(|| self.world.targets.health(target))
    }

    fn set_health(&mut self, health: TargetHealth) {
        if health != self.health(&health.target) {
            self.health.insert(health.target.clone(), health);
        }
    }
}
