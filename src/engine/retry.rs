//! When is what could not be sent tried again: at its time, when its channel appears, when there is room, on waking.
//!
//! The times are `domain`'s; here they are kept and obeyed.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use crate::domain::delivery::{ChannelKind, Delivery, DeliveryId, DeliveryStatus, StatusName, Target};
use crate::domain::digest::SINGLES_MAX;
use crate::domain::outbox::DeliveryFilter;
use crate::domain::time::Timestamp;
use crate::engine::run::{DUE_MAX, Engine};
use crate::store::StoreError;

impl Engine {
    pub(super) fn pop_retries(&mut self, now: Timestamp) -> Vec<Delivery> {
        if self.is_stopping {
            return Vec::new();
        }
        let ids: Vec<DeliveryId> =
            std::iter::from_fn(|| self.retries.pop_due(now)).take(DUE_MAX).map(|(id, _)| id).collect();
        let stored: Result<Vec<_>, _> = ids.iter().filter_map(|id| self.store.delivery(id).transpose()).collect();
        match stored {
            // One that was withdrawn meanwhile is not sent.
            Ok(mut stored) => {
                stored.retain(|delivery| matches!(delivery.status, DeliveryStatus::Retrying(_)));
                stored
            }
            Err(error) => {
                self.hold_back(&error, now);
                Vec::new()
            }
        }
    }

    /// Notes when a delivery is tried again, as of its latest attempt.
    pub(super) fn plan_retry(&mut self, delivery: &Delivery) {
        let at = match delivery.status {
            DeliveryStatus::Retrying(at) => Some(at),
            DeliveryStatus::Queued
            | DeliveryStatus::Waiting
            | DeliveryStatus::Held
            | DeliveryStatus::Grouped
            | DeliveryStatus::Quiet
            | DeliveryStatus::Delivered(_)
            | DeliveryStatus::Failed(_)
            | DeliveryStatus::Withdrawn(_) => None,
        };
        self.retries.set(delivery.id.clone(), u64::from(delivery.attempts), at);
    }

    /// Hands out what waited for a channel that is there now, or for room in its pool.
    pub(super) async fn refill(&mut self, presences: Vec<ChannelKind>) {
        let appeared = presences.into_iter().filter(|kind| !self.dispatcher.is_away(*kind)).collect::<Vec<_>>();
        for kind in appeared {
            let is_screen = kind == ChannelKind::Desktop;
            let tried = match self.hand_out_waiting(Some(kind)).await {
                Ok(()) => self.try_at_once(Some(kind)).await,
                Err(error) => Err(error),
            };
            if let Err(error) = tried {
                self.hold_back(&error, self.clock.now());
            }
            if is_screen {
                self.show_again().await;
            }
        }
        for kind in self.dispatcher.take_overfull() {
            if let Err(error) = self.fill_up(kind) {
                return self.hold_back(&error, self.clock.now());
            }
        }
    }

    /// Hands out what was left in the store, until the pool of `kind` is full again.
    fn fill_up(&mut self, kind: ChannelKind) -> Result<(), StoreError> {
        let queued = DeliveryFilter { kind: Some(kind), ..DeliveryFilter::in_status(StatusName::Queued) };
        let mut after = 0;
        while !self.dispatcher.is_overfull(kind) {
            let page = self.store.deliveries_after(&queued, after, DUE_MAX)?;
            let Some((last, _)) = page.last() else { break };
            after = *last;
            for (_, delivery) in page {
                if !self.is_unwritten(&delivery.id) {
                    self.dispatcher.deliver(delivery);
                }
            }
        }
        Ok(())
    }

    /// Returns the deliveries of one status by `kind`, or by any channel.
    fn open(&self, kind: Option<ChannelKind>, status: StatusName) -> Result<Vec<Delivery>, StoreError> {
        let meant = DeliveryFilter { kind, ..DeliveryFilter::in_status(status) };
        let open = self.store.deliveries_after(&meant, 0, usize::MAX)?;
        Ok(open.into_iter().map(|(_, delivery)| delivery).collect())
    }

    /// Hands out what waits for `kind`, or for any channel that is there.
    pub(super) async fn hand_out_waiting(&mut self, kind: Option<ChannelKind>) -> Result<(), Arc<StoreError>> {
        let mut waiting = self.open(kind, StatusName::Waiting)?;
        waiting.retain(|delivery| !self.dispatcher.is_away(delivery.id.target.kind));
        let many = told_together(&waiting);
        let (grouped, single): (Vec<Delivery>, Vec<Delivery>) =
            waiting.into_iter().partition(|delivery| can_be_grouped(delivery) && many.contains(&delivery.id.target));
        for deliveries in single.chunks(DUE_MAX) {
            self.commit(|batch| deliveries.iter().try_for_each(|delivery| batch.queue(delivery.clone()))).await?;
        }
        for deliveries in grouped.chunks(DUE_MAX) {
            self.commit(|batch| {
                for delivery in deliveries {
                    batch.group(delivery);
                }
                Ok(())
            })
            .await?;
        }
        if grouped.is_empty() { Ok(()) } else { self.try_release_late().await }
    }

    /// Tries at once what waits for its next attempt, and targets that are left alone: after a sleep they may answer.
    ///
    /// `kind` is the channel that is meant, `None` any.
    pub(super) async fn try_at_once(&mut self, kind: Option<ChannelKind>) -> Result<(), Arc<StoreError>> {
        self.wake_targets(kind).await?;
        let retrying = self.open(kind, StatusName::Retrying)?;
        for deliveries in retrying.chunks(DUE_MAX) {
            self.commit(|batch| deliveries.iter().try_for_each(|delivery| batch.queue(delivery.clone()))).await?;
        }
        Ok(())
    }

    /// Lets targets of `kind`, or of any, be tried at once.
    async fn wake_targets(&mut self, kind: Option<ChannelKind>) -> Result<(), Arc<StoreError>> {
        let all = self.targets.all().map(|health| health.target.clone());
        let targets: Vec<Target> = all.filter(|target| kind.is_none_or(|kind| target.kind == kind)).collect();
        if targets.is_empty() {
            return Ok(());
        }
        self.commit(|batch| {
            for target in &targets {
                batch.wake_target(target);
            }
            Ok(())
        })
        .await
        .map(drop)
    }
}

/// Returns the targets for which so much has waited that most of it is told in one digest.
fn told_together(waiting: &[Delivery]) -> HashSet<Target> {
    let mut counts: HashMap<&Target, usize> = HashMap::new();
    for delivery in waiting.iter().filter(|delivery| can_be_grouped(delivery)) {
        *counts.entry(&delivery.id.target).or_default() += 1;
    }
    counts.into_iter().filter(|(_, count)| *count > SINGLES_MAX).map(|(target, _)| target.clone()).collect()
}

fn can_be_grouped(delivery: &Delivery) -> bool {
    delivery.id.target.kind.is_person() && delivery.digest.is_none() && !delivery.is_notice()
}
