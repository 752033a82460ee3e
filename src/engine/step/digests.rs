//! The part of a batch that is about what came late: it is let go, or told in a digest, and the digest's result is that
//! of each that it tells of.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::domain::command::Command;
use crate::domain::delivery::{Delivery, DeliveryId, DeliveryStatus, Report, Spent, Target};
use crate::domain::digest::{Setting, release, without_the_gone};
use crate::domain::event::Actor;
use crate::domain::routing::ATTEMPTS_MAX;
use crate::engine::step::Batch;
use crate::store::StoreError;

impl Batch<'_> {
    /// Lets go what came late: few singly, the rest of each target in one digest.
    ///
    /// # Errors
    /// The store cannot be read.
    pub(in crate::engine) fn release_late(&mut self, unreleased: Vec<Delivery>) -> Result<(), Arc<StoreError>> {
        let mut by_target: BTreeMap<Target, Vec<Delivery>> = BTreeMap::new();
        for delivery in unreleased {
            by_target.entry(delivery.id.target.clone()).or_default().push(delivery);
        }
        for (target, grouped) in by_target {
            let released = release(&target, grouped, &self.setting());
            released.singles.into_iter().try_for_each(|single| self.queue(single))?;
            for member in released.members {
                self.deliveries.insert(member);
            }
            released.digest.into_iter().try_for_each(|digest| self.queue(digest))?;
        }
        Ok(())
    }

    /// Notes that it is to be told with others, few of them singly.
    pub(in crate::engine) fn group(&mut self, delivery: &Delivery) {
        let is_over = self.deliveries.get(&delivery.id).is_some_and(|known| known.status.is_final());
        if !is_over {
            let grouped = Delivery { status: DeliveryStatus::Grouped, ..delivery.clone() };
            self.deliveries.insert(grouped);
        }
    }

    /// Takes up a delivery that an earlier run may have made without learning so.
    ///
    /// # Errors
    /// The store cannot be read.
    pub(in crate::engine) fn resend(&mut self, delivery: &Delivery) -> Result<(), Arc<StoreError>> {
        if delivery.is_digest() {
            return self.queue(delivery.clone());
        }
        self.command(delivery.task, &Command::Resend { delivery: delivery.id.clone() }, Actor::Daemon)
    }

    /// Notes what a worker says of a digest. Where it is told, failed for good, or found nobody, so it is with each that it
    /// tells of.
    pub(super) fn report_digest(&mut self, digest: &Delivery, report: &Report) -> Result<(), Arc<StoreError>> {
        let spent = if self.is_probed(&digest.id.target) { Spent::Nothing } else { Spent::Attempt };
        let after = digest.reported(report, spent, None, self.ids.jitter(), self.circumstances.now);
        let of_members = match (after.status, report) {
            (DeliveryStatus::Delivered(_), _) => Some(Report::DELIVERED),
            (DeliveryStatus::Failed(_), Report::Failed { error, .. }) => {
                Some(Report::Failed { error: error.clone(), is_final: true, retry_after: None })
            }
            (DeliveryStatus::Waiting, Report::Away { .. }) => Some(report.clone()),
            // It goes on trying, and what it tells of may be said elsewhere.
            (DeliveryStatus::Retrying(_), Report::Failed { error, .. }) if after.attempts == ATTEMPTS_MAX => {
                Some(Report::Away { reason: error.clone() })
            }
            (
                DeliveryStatus::Queued
                | DeliveryStatus::Waiting
                | DeliveryStatus::Held
                | DeliveryStatus::Grouped
                | DeliveryStatus::Quiet
                | DeliveryStatus::Retrying(_)
                | DeliveryStatus::Failed(_)
                | DeliveryStatus::Withdrawn(_),
                _,
            ) => None,
        };
        self.deliveries.insert(after);
        let members = self.members_of(&digest.id)?;
        if let Some(report) = of_members {
            self.tell_members(&digest.id, &report)?;
        }
        // A target that fails is told of by a task, and the digest is none's.
        match members.first() {
            Some(witness) => self.judge(&digest.id, report, witness.task),
            None => Ok(()),
        }
    }

    /// Notes of each that a digest tells of what became of that.
    pub(super) fn tell_members(&mut self, digest: &DeliveryId, report: &Report) -> Result<(), Arc<StoreError>> {
        for member in self.members_of(digest)?.into_iter().filter(|member| !member.status.is_final()) {
            let (delivery, jitter) = (member.id, self.ids.jitter());
            let command = Command::Report { delivery, report: report.clone(), jitter, is_probe: false };
            self.command(member.task, &command, Actor::Daemon)?;
        }
        Ok(())
    }

    /// Returns a digest as it is to be sent: what is past its time is given up, and told no more.
    pub(super) fn digest_of_now(&mut self, digest: &Delivery) -> Result<Delivery, Arc<StoreError>> {
        for member in self.members_of(&digest.id)? {
            if !member.status.is_final() && member.is_expired(self.circumstances.now) {
                self.command(member.task, &Command::Expire { delivery: member.id }, Actor::Daemon)?;
            }
        }
        Ok(without_the_gone(digest, self.members_of(&digest.id)?, &self.setting()))
    }

    /// Takes what this batch withdrew or gave up out of the digests that were to tell of it.
    ///
    /// # Errors
    /// The store cannot be read.
    pub(in crate::engine) fn settle_digests(&mut self) -> Result<(), Arc<StoreError>> {
        let digest_of_gone = |delivery: &Delivery| {
            let fire_id = delivery.digest.filter(|_| delivery.status.is_final())?;
            Some(DeliveryId { fire_id, target: delivery.id.target.clone() })
        };
        let touched: BTreeSet<DeliveryId> = self.deliveries.values().filter_map(digest_of_gone).collect();
        for id in touched {
            let Some(digest) = self.delivery(&id)? else { continue };
            if digest.status.is_final() || self.is_under_way(&id) {
                continue;
            }
            let after = without_the_gone(&digest, self.members_of(&id)?, &self.setting());
            self.deliveries.insert(after);
        }
        Ok(())
    }

    const fn setting(&self) -> Setting {
        Setting { now: self.circumstances.now, zone: self.circumstances.zone, device: self.circumstances.device }
    }

    /// Returns a delivery as this batch leaves it.
    pub(super) fn delivery(&self, id: &DeliveryId) -> Result<Option<Delivery>, StoreError> {
        match self.deliveries.get(id) {
            Some(delivery) => Ok(Some(delivery.clone())),
            None => self.store.delivery(id),
        }
    }

    /// Returns what a digest tells of, as this batch leaves it.
    fn members_of(&self, digest: &DeliveryId) -> Result<Vec<Delivery>, StoreError> {
        let mut members = self.store.members(digest)?;
        members.retain(|member| !self.deliveries.contains(&member.id));
        let is_told = |made: &&Delivery| made.digest == Some(digest.fire_id) && made.id.target == digest.target;
        members.extend(self.deliveries.values().filter(is_told).cloned());
        Ok(members)
    }
}
