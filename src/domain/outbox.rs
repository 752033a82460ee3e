//! Which deliveries are meant, when some of all are asked for, and how many a target has.

use crate::domain::delivery::{ChannelKind, Delivery, StatusName, Target};
use crate::domain::task::TaskId;

/// Which deliveries are meant: those that meet every condition that is there.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct DeliveryFilter {
    /// Of this task.
    pub task: Option<TaskId>,
    /// By this channel.
    pub kind: Option<ChannelKind>,
    /// To this target.
    pub target: Option<Target>,
    /// In these statuses.
    pub statuses: Statuses,
}

impl DeliveryFilter {
    /// Returns the filter for what is not final of `target`.
    #[must_use]
    pub fn open_of(target: &Target) -> Self {
        Self { target: Some(target.clone()), ..Self::default() }
    }

    /// Returns the filter for what is in one status.
    #[must_use]
    pub fn in_status(status: StatusName) -> Self {
        Self { statuses: Statuses::One(status), ..Self::default() }
    }

    /// Returns whether a delivery is meant.
    #[must_use]
    pub fn is_met_by(&self, delivery: &Delivery) -> bool {
        self.task.is_none_or(|task| task == delivery.task)
            && self.kind.is_none_or(|kind| kind == delivery.id.target.kind)
            && self.target.as_ref().is_none_or(|target| *target == delivery.id.target)
            && match self.statuses {
                Statuses::All => true,
                Statuses::Open => !delivery.status.is_final(),
                Statuses::One(status) => delivery.status.name() == status,
            }
    }
}

/// Which statuses are meant.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Statuses {
    /// Those that are not final.
    #[default]
    Open,
    /// All.
    All,
    /// One.
    One(StatusName),
}

/// How many deliveries a target has in one status.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct TargetCount {
    /// The target.
    pub target: Target,
    /// The status, which is not final.
    pub status: StatusName,
    /// How many.
    pub count: u64,
}
