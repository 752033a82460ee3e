//! When is what could not be sent tried again: at its time, when its channel appears, when there is room, on waking.
//!
//! The times are `domain`'s; here they are kept and obeyed.

use std::sync::Arc;

use crate::domain::delivery::{ChannelKind, Delivery, DeliveryId, DeliveryStatus, Target};
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
            let tried = match self.hand_out_waiting(Some(kind)).await {
                Ok(()) => self.wake_targets(Some(kind)).await,
                Err(error) => Err(error),
            };
            if let Err(error) = tried {
                self.hold_back(&error, self.clock.now());
            }
        }
        for kind in self.dispatcher.take_overfull() {
            let outbox = match self.store.outbox() {
                Ok(outbox) => outbox,
                Err(error) => return self.hold_back(&error, self.clock.now()),
            };
            let queued = outbox.into_iter().filter(|delivery| matches!(delivery.status, DeliveryStatus::Queued));
            for delivery in queued.filter(|delivery| delivery.id.target.kind == kind) {
                if !self.is_unwritten(&delivery.id) {
                    self.dispatcher.deliver(delivery);
                }
            }
        }
    }

    /// Hands out what waits for `kind`, or for any channel that is there.
    pub(super) async fn hand_out_waiting(&mut self, kind: Option<ChannelKind>) -> Result<(), Arc<StoreError>> {
        let mut waiting = self.store.outbox()?;
        waiting.retain(|delivery| {
            let of_kind = kind.is_none_or(|kind| delivery.id.target.kind == kind);
            let is_waiting = matches!(delivery.status, DeliveryStatus::Waiting);
            of_kind && is_waiting && !self.dispatcher.is_away(delivery.id.target.kind)
        });
        if waiting.is_empty() {
            return Ok(());
        }
        self.commit(|batch| {
            for delivery in waiting {
                batch.queue(delivery);
            }
            Ok(())
        })
        .await
        .map(drop)
    }

    /// Tries at once what waits for its next attempt, and targets that are left alone: after a sleep they may answer.
    pub(super) async fn try_at_once(&mut self) -> Result<(), Arc<StoreError>> {
        self.wake_targets(None).await?;
        let mut retrying = self.store.outbox()?;
        retrying.retain(|delivery| matches!(delivery.status, DeliveryStatus::Retrying(_)));
        for deliveries in retrying.chunks(DUE_MAX) {
            self.commit(|batch| {
                for delivery in deliveries {
                    batch.queue(delivery.clone());
                }
                Ok(())
            })
            .await?;
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
