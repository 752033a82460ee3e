//! When do deleted tasks go for ever? At a planned instant, at most once a day: nothing is looked at in between.

use std::sync::Arc;

use crate::domain::op::DELETED_KEPT;
use crate::domain::time::{Span, Timestamp};
use crate::engine::run::{DUE_MAX, Engine};
use crate::store::StoreError;

/// How long after one time the next is at the earliest.
const EVERY: Span = Span::from_secs(24 * 60 * 60);

impl Engine {
    /// Plans the next time from what the store has.
    pub(super) fn plan_purge(&mut self, earliest: Timestamp) -> Result<(), Arc<StoreError>> {
        let first = self.store.deleted(Timestamp::MAX, 1)?.into_iter().next();
        self.purge_at = first.map(|(_, at)| at.saturating_add(DELETED_KEPT).max(earliest));
        Ok(())
    }

    /// Lets go of what was deleted long ago, where it is time.
    pub(super) async fn purge(&mut self, now: Timestamp) {
        let is_time = self.purge_at.is_some_and(|at| at <= now);
        if !is_time || self.is_stopping || self.is_held_back(now) {
            return;
        }
        if let Err(error) = self.purge_now(now).await {
            self.purge_at = Some(now.saturating_add(EVERY));
            self.hold_back(&error, now);
        }
    }

    async fn purge_now(&mut self, now: Timestamp) -> Result<(), Arc<StoreError>> {
        let until = now.saturating_add(Span::from_millis(-DELETED_KEPT.as_millis()));
        let tasks: Vec<_> = self.store.deleted(until, DUE_MAX)?.into_iter().map(|(task, _)| task).collect();
        let is_all = tasks.len() < DUE_MAX;
        if !tasks.is_empty() {
            tracing::info!(count = tasks.len(), "deleted tasks go for ever");
            self.commit(|batch| {
                batch.purge(tasks);
                Ok(())
            })
            .await?;
        }
        self.plan_purge(if is_all { now.saturating_add(EVERY) } else { now })
    }
}
