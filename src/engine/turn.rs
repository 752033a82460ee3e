//! What one turn commits: what people ask and what the loop does by itself, together while there is room, apart when the
//! disk is full. It decides nothing of a task.

use std::collections::HashMap;
use std::sync::Arc;

use tokio::sync::oneshot;
use uuid::Uuid;

use crate::domain::breaker::TargetHealth;
use crate::domain::delivery::{ChannelKind, Delivery, DeliveryId, Report, Target};
use crate::domain::event::Snapshot;
use crate::domain::task::TaskId;
use crate::engine::archive::AskedImport;
use crate::engine::input::{
    AddRequest, Applied, AwayApplied, AwayCall, Call, CallError, FollowCall, ManyApplied, ManyCall, PreviewCall,
    ResponseCall, StoreFailure, TargetCall, UndoCall, Undone, store_failure,
};
use crate::engine::run::Engine;
use crate::engine::step::Batch;
use crate::runner::News;
use crate::store::{Room, StoreError, Wake};

impl Engine {
    /// Commits what people ask and what the loop does by itself, together; where the disk is full, apart: what people ask
    /// is refused then, and does not keep from ringing what is due.
    ///
    /// What is left in `own` was not written.
    pub(super) async fn commit_turn(&mut self, calls: Vec<Asked>, own: &mut Own) -> Result<bool, Arc<StoreError>> {
        let step_calls = |batch: &mut Batch<'_>, calls: Vec<Asked>| {
            for call in calls {
                call.step(batch);
            }
            Ok(())
        };
        if calls.is_empty() {
            return self.commit_own(own).await;
        }
        if self.health.is_full() {
            let first = self.commit_own(own).await;
            let second = self.commit_for(Room::Free, |batch| step_calls(batch, calls)).await;
            return match (first, second) {
                // Those who asked know it, and nothing of it was planned.
                (first, Err(error)) if is_full(&error) => first,
                (Ok(_), Err(error)) | (Err(error), Ok(_) | Err(_)) => Err(error),
                (Ok(first), Ok(second)) => Ok(first || second),
            };
        }
        let together = |batch: &mut Batch<'_>| {
            step_calls(batch, calls)?;
            own.fill(batch)
        };
        match self.commit_for(Room::Free, together).await {
            Err(error) if is_full(&error) => self.commit_own(own).await,
            Err(error) => Err(error),
            Ok(has_written) => {
                *own = Own::default();
                Ok(has_written)
            }
        }
    }

    /// Commits what the loop does by itself; where there is too little room for all of it at once, one by one.
    async fn commit_own(&mut self, own: &mut Own) -> Result<bool, Arc<StoreError>> {
        match self.commit(|batch| own.fill(batch)).await {
            Err(error) if is_full(&error) && own.due.len() + own.reports.len() + own.news.len() > 1 => {
                while let Some(part) = own.part() {
                    self.commit(|batch| part.fill(batch)).await?;
                    own.remove_part();
                }
                Ok(true)
            }
            Err(error) => Err(error),
            Ok(has_written) => {
                *own = Own::default();
                Ok(has_written)
            }
        }
    }
}

fn is_full(error: &StoreError) -> bool {
    store_failure(error) == StoreFailure::Full
}

/// What the loop does by itself in one turn.
#[derive(Clone, Default)]
pub(super) struct Own {
    pub(super) due: Vec<(TaskId, u64)>,
    /// What was read of some of them ahead of their turn; it may be out of date.
    pub(super) ahead: HashMap<TaskId, Snapshot>,
    pub(super) retries: Vec<Delivery>,
    pub(super) releases: Vec<Target>,
    pub(super) reports: Vec<(DeliveryId, Report)>,
    pub(super) news: Vec<News>,
}

impl Own {
    fn is_empty(&self) -> bool {
        let is_told_of_nothing = self.reports.is_empty() && self.news.is_empty();
        is_told_of_nothing && self.due.is_empty() && self.retries.is_empty() && self.releases.is_empty()
    }

    fn fill(&self, batch: &mut Batch<'_>) -> Result<(), Arc<StoreError>> {
        self.reports.iter().try_for_each(|(id, report)| batch.report(id, report))?;
        self.news.iter().try_for_each(|News { id, report }| batch.run_report(*id, report))?;
        self.due.iter().try_for_each(|(id, version)| {
            // As it was read it is, while its version is the one that said when it is due.
            let ahead = self.ahead.get(id).filter(|snapshot| snapshot.task.version == *version);
            batch.wake(*id, ahead)
        })?;
        self.retries.iter().try_for_each(|delivery| batch.queue(delivery.clone()))?;
        self.releases.iter().try_for_each(|target| batch.release(target))
    }

    /// Returns what needs the least room: one report, else one end of a run, else one task that is due, else the rest.
    fn part(&self) -> Option<Self> {
        if let [report, ..] = self.reports.as_slice() {
            return Some(Self { reports: vec![report.clone()], ..Self::default() });
        }
        if let [news, ..] = self.news.as_slice() {
            return Some(Self { news: vec![news.clone()], ..Self::default() });
        }
        if let [due, ..] = self.due.as_slice() {
            return Some(Self { due: vec![*due], ..Self::default() });
        }
        (!self.is_empty()).then(|| self.clone())
    }

    /// Removes what [`Own::part`] returned.
    fn remove_part(&mut self) {
        if !self.reports.is_empty() {
            self.reports.remove(0);
        } else if !self.news.is_empty() {
            self.news.remove(0);
        } else if self.due.is_empty() {
            *self = Self::default();
        } else {
            self.due.remove(0);
        }
    }
}

/// What came in, by what becomes of it.
#[derive(Default)]
pub(super) struct Sorted {
    pub(super) calls: Vec<Asked>,
    pub(super) reports: Vec<(DeliveryId, Report)>,
    pub(super) news: Vec<News>,
    pub(super) presences: Vec<ChannelKind>,
    pub(super) imports: Vec<AskedImport>,
    pub(super) audits: Vec<oneshot::Sender<Vec<Wake>>>,
    /// Whoever wants to know whether the loop goes round.
    pub(super) beats: Vec<oneshot::Sender<()>>,
}

/// What people ask; but for what they close on a screen, they wait for an answer.
pub(super) enum Asked {
    SetAway(AwayCall, oneshot::Sender<Result<AwayApplied, CallError>>),
    CallMany(ManyCall, oneshot::Sender<Result<ManyApplied, CallError>>),
    CallTarget(TargetCall, oneshot::Sender<Result<TargetHealth, CallError>>),
    Add(Box<AddRequest>, Option<Uuid>, oneshot::Sender<Result<Applied, CallError>>),
    Call(Call, Option<Uuid>, oneshot::Sender<Result<Applied, CallError>>),
    Follow(FollowCall, Option<Uuid>, oneshot::Sender<Result<Applied, CallError>>),
    Undo(UndoCall, oneshot::Sender<Result<Undone, CallError>>),
    Preview(PreviewCall, oneshot::Sender<Result<Applied, CallError>>),
    Responded(ResponseCall, oneshot::Sender<Result<Applied, CallError>>),
}

impl Asked {
    pub(super) fn step(self, batch: &mut Batch<'_>) {
        match self {
            Self::Add(request, op, reply) => batch.within(op, |batch| batch.add(*request, reply)),
            Self::Call(call, op, reply) => batch.within(op, |batch| batch.call(&call, reply)),
            Self::Follow(call, op, reply) => batch.within(op, |batch| batch.follow(&call, reply)),
            Self::Undo(call, reply) => batch.undo(&call, reply),
            Self::Preview(call, reply) => batch.preview(&call, reply),
            Self::SetAway(call, reply) => batch.set_away(&call, reply),
            Self::CallMany(call, reply) => batch.call_many(&call, reply),
            Self::CallTarget(call, reply) => batch.call_target(&call, reply),
            Self::Responded(response, reply) => batch.responded(response, reply),
        }
    }
}
