//! What a start does: the queue is rebuilt from the store, floating times follow a change of zone, who waits for what is gone
//! is told, and the outbox of an earlier run is taken up again.

use std::sync::Arc;

use crate::domain::command::Command;
use crate::domain::delivery::{Delivery, DeliveryStatus};
use crate::domain::device_event::DeviceOperation;
use crate::domain::event::Actor;
use crate::domain::task::TaskId;
use crate::engine::input::{StoreFailure, store_failure};
use crate::engine::run::{DUE_MAX, Engine};
use crate::engine::targets::Targets;
use crate::scheduler::Queue;
use crate::store::{Identity, StoreError, Which};

impl Engine {
    /// Brings the loop to where the store is, or on a full disk as far as can be without writing.
    pub(super) async fn begin(&mut self, identity: &Identity) -> Result<(), Arc<StoreError>> {
        if let Err(error) = self.store.check_room() {
            self.health.failed(&error, self.clock.now());
        }
        match self.recover(identity).await {
            Err(error) if store_failure(&error) == StoreFailure::Full => {
                self.rebuild()?;
                self.hold_back(&error, self.clock.now());
                Ok(())
            }
            Err(error) => Err(error),
            Ok(()) => {
                self.storage.has_recovered = true;
                Ok(())
            }
        }
    }

    /// Brings the loop to where the store is.
    pub(super) async fn recover(&mut self, identity: &Identity) -> Result<(), Arc<StoreError>> {
        self.rebuild()?;
        self.follow_earlier_clock(identity.last_seq).await?;
        self.follow_zone(identity.zone.as_deref()).await?;
        self.tell_untold().await?;
        self.take_up_outbox().await?;
        self.take_up_runs().await
    }

    /// Tasks that came in may wait for what is not here, or has ended here meanwhile: nothing would ever tell them.
    pub(super) async fn tell_untold(&mut self) -> Result<(), Arc<StoreError>> {
        let untold = self.store.untold()?;
        for pairs in untold.chunks(DUE_MAX) {
            self.commit(|batch| batch.tell_untold(pairs)).await?;
        }
        Ok(())
    }

    /// Rebuilds both queues from the store; whatever was planned in memory only is dropped.
    pub(super) fn rebuild(&mut self) -> Result<(), Arc<StoreError>> {
        let identity = self.store.identity()?;
        self.next_number = identity.next_number;
        self.shown_by = identity.shown_by;
        self.pauses = self.store.pauses()?;
        self.spent = self.spent_by(self.clock.now())?;
        let wakes = self.store.wakes()?;
        self.wakes = Queue::from_entries(wakes.into_iter().map(|wake| (wake.at, wake.id, wake.version)));
        self.retries = Queue::default();
        self.targets = Targets::of(self.store.targets()?);
        self.quiet.away = identity.away;
        // What is held may be so no more: it is looked at in the first turn.
        self.has_unreleased = true;
        self.let_go_at = None;
        self.plan_purge(self.clock.now())?;
        for delivery in self.store.outbox()? {
            self.plan_retry(&delivery);
            if delivery.status == DeliveryStatus::Held {
                self.targets.plan(delivery.id.target);
            }
        }
        Ok(())
    }

    /// Floating times follow the device: where its zone is another than `known`, they are read anew.
    pub(super) async fn follow_zone(&mut self, known: Option<&str>) -> Result<(), Arc<StoreError>> {
        let zone = self.clock.zone();
        if known == Some(zone.name()) {
            return Ok(());
        }
        let open = self.store.list(Which::Open)?;
        let open: Vec<TaskId> = open.into_iter().map(|snapshot| snapshot.task.id).collect();
        let from = known.map(str::to_owned);
        self.rezone(&open, from).await
    }

    /// Reads the floating times of open tasks anew; `from` is the zone that the device has left, where it has.
    pub(super) async fn rezone(&mut self, open: &[TaskId], from: Option<String>) -> Result<(), Arc<StoreError>> {
        let zone = self.clock.zone();
        // Quiet hours go by the clock of the new zone.
        self.has_unreleased = true;
        for tasks in open.chunks(DUE_MAX) {
            self.commit(|batch| {
                tasks.iter().try_for_each(|task| batch.command(*task, &Command::Rezone, Actor::Daemon))
            })
            .await?;
        }
        // Last, so that a crash on the way begins anew.
        self.commit(|batch| {
            if let Some(from) = from {
                let to = zone.name().to_owned();
                batch.device_event(DeviceOperation::ZoneChanged { from, to }, "");
            }
            batch.set_zone(zone);
            Ok(())
        })
        .await
        .map(drop)
    }

    /// What was queued may have been sent by the earlier run: it is sent again and marked so, never lost.
    ///
    /// What waits for a channel is handed out as soon as that is there.
    pub(super) async fn take_up_outbox(&mut self) -> Result<(), Arc<StoreError>> {
        let outbox = self.store.outbox()?;
        // Where a full disk cut an earlier attempt at this short, some are under way or sent already.
        let is_queued = |delivery: &&Delivery| {
            let is_taken_up = self.dispatcher.is_under_way(&delivery.id) || self.is_unwritten(&delivery.id);
            matches!(delivery.status, DeliveryStatus::Queued) && !is_taken_up
        };
        let queued: Vec<&Delivery> = outbox.iter().filter(is_queued).collect();
        for deliveries in queued.chunks(DUE_MAX) {
            self.commit(|batch| deliveries.iter().try_for_each(|delivery| batch.resend(delivery))).await?;
        }
        self.hand_out_waiting(None).await
    }
}
