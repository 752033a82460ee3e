//! When is the day told? At its time, once, to every target that is configured for it.

use std::sync::Arc;

use crate::domain::day::{Turn, delivery, fire_id, of_day};
use crate::domain::delivery::{ChannelKind, DeliveryId, Target};
use crate::domain::time::Timestamp;
use crate::engine::run::Engine;
use crate::store::{StoreError, Which};

impl Engine {
    /// Returns when the day is looked at next.
    pub(super) fn next_day(&self) -> Option<Timestamp> {
        let now = self.clock.now();
        match self.daily.as_ref()?.turn(self.day_told, now, self.clock.zone()) {
            Turn::Tell(_) => Some(now),
            Turn::Wait(until) => until,
        }
    }

    /// Tells the day where its time has come.
    pub(super) async fn tell_day(&mut self) {
        let now = self.clock.now();
        if self.is_stopping || self.is_held_back(now) {
            return;
        }
        if let Err(error) = self.try_tell_day(now).await {
            self.hold_back(&error, now);
        }
    }

    async fn try_tell_day(&mut self, now: Timestamp) -> Result<(), Arc<StoreError>> {
        let zone = self.clock.zone();
        let Some(daily) = &self.daily else { return Ok(()) };
        let Turn::Tell(date) = daily.turn(self.day_told, now, zone) else { return Ok(()) };
        let targets = if daily.targets.is_empty() { self.default_targets() } else { daily.targets.clone() };
        let id = |target: &Target| DeliveryId { fire_id: fire_id(date, self.device), target: target.clone() };
        let mut untold = Vec::new();
        for target in targets {
            if self.store.delivery(&id(&target))?.is_none() {
                untold.push(target);
            }
        }
        if !untold.is_empty()
            && let Some(message) = of_day(&self.store.list(Which::Open)?, date, now, zone)
        {
            let device = self.device;
            let told: Vec<_> =
                untold.into_iter().map(|target| delivery(target, date, message.clone(), device, now)).collect();
            self.commit(|batch| told.into_iter().try_for_each(|one| batch.queue(one))).await?;
        }
        self.day_told = Some(date);
        Ok(())
    }

    /// As tasks that name no channel: the desktop, and the terminal while that is away.
    fn default_targets(&self) -> Vec<Target> {
        let is_away = self.dispatcher.is_away(ChannelKind::Desktop);
        [Target::desktop()].into_iter().chain(is_away.then(Target::terminal)).collect()
    }
}
