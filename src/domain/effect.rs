//! What the edges must do once a change is committed.

use crate::domain::delivery::{ChannelKind, Delivery, DeliveryId, DeliveryStatus};
use crate::domain::occurrence::{Occurrence, OccurrenceName, Outcome};
use crate::domain::run::{Run, RunId};
use crate::domain::state::State;
use crate::domain::task::TaskId;

/// Something to be done outside, after the commit.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Effect {
    /// Hand a delivery to a worker.
    Deliver(Box<Delivery>),
    /// Start a run as soon as there is a place for it.
    Run(Box<Run>),
    /// Ask a run to end, or do not start it.
    EndRun(RunId),
    /// Take back what is shown of a task.
    Silence {
        /// What, and why.
        withdrawal: Withdrawal,
        /// Channels on which it speaks anew: there the new takes the place of the old by itself.
        except: Vec<ChannelKind>,
    },
}

/// What was said of an occurrence, and holds no more.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Withdrawal {
    /// The task.
    pub task: TaskId,
    /// Which of its occurrences was spoken of.
    pub occurrence: OccurrenceName,
    /// What became of it.
    pub standing: Standing,
    /// What persons were told of it, oldest first.
    pub told: Vec<Told>,
}

/// Something that a target has.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Told {
    /// Which delivery.
    pub id: DeliveryId,
    /// What its channel needs to find it again, where it gave something.
    pub receipt: Option<String>,
}

impl Told {
    /// Returns what a target has by a delivery; `None` where it does not have it.
    #[must_use]
    pub fn by(delivery: &Delivery) -> Option<Self> {
        let has_it = matches!(delivery.status, DeliveryStatus::Delivered(_));
        has_it.then(|| Self { id: delivery.id.clone(), receipt: delivery.receipt.clone() })
    }
}

/// What became of what was shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Standing {
    /// It is due, and not answered.
    Due,
    /// The person has seen it.
    Seen,
    /// It speaks again later.
    Later,
    /// Its clock does not count.
    Paused,
    /// It ended.
    Ended(Outcome),
}

impl Standing {
    /// Returns what becomes of what was shown of an occurrence that is now so.
    #[must_use]
    pub const fn of(occurrence: &Occurrence) -> Self {
        match &occurrence.state {
            State::Running(running) if running.acked_at.is_some() => Self::Seen,
            State::Running(_) | State::Failed(_) => Self::Due,
            State::Created | State::Pending(_) => Self::Later,
            State::Suspended(_) => Self::Paused,
            State::Completed(ended) | State::Cancelled(ended) => Self::Ended(ended.outcome),
        }
    }
}
