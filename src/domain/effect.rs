//! What the edges must do once a change is committed.

use crate::domain::delivery::{ChannelKind, Delivery};
use crate::domain::task::TaskId;

/// Something to be done outside, after the commit.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Effect {
    /// Hand a delivery to a worker.
    Deliver(Box<Delivery>),
    /// Take back what is shown of a task.
    Silence {
        /// The task.
        task: TaskId,
        /// Channels on which it speaks anew: there the new takes the place of the old by itself.
        except: Vec<ChannelKind>,
    },
}
