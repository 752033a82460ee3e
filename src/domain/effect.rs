//! What the edges must do once a change is committed.

use crate::domain::delivery::Delivery;
use crate::domain::task::TaskId;

/// Something to be done outside, after the commit.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Effect {
    /// Hand a delivery to a worker.
    Deliver(Box<Delivery>),
    /// Take back what is shown of a task.
    Silence(TaskId),
}
