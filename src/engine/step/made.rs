//! The deliveries as a batch leaves them, over what the store has: in one order, and by task, since a digest's result is that
//! of thousands. It decides nothing.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::domain::delivery::{Delivery, DeliveryId};
use crate::domain::task::TaskId;

/// The deliveries of a batch.
#[derive(Clone, Default)]
pub(super) struct Made {
    by_id: BTreeMap<DeliveryId, Delivery>,
    /// A delivery is of the same task for ever.
    of_task: HashMap<TaskId, BTreeSet<DeliveryId>>,
}

impl Made {
    pub(super) fn insert(&mut self, delivery: Delivery) {
        let (id, task) = (delivery.id.clone(), delivery.task);
        if self.by_id.insert(id.clone(), delivery).is_none() {
            self.of_task.entry(task).or_default().insert(id);
        }
    }

    pub(super) fn contains(&self, id: &DeliveryId) -> bool {
        self.by_id.contains_key(id)
    }

    pub(super) fn get(&self, id: &DeliveryId) -> Option<&Delivery> {
        self.by_id.get(id)
    }

    pub(super) fn values(&self) -> impl Iterator<Item = &Delivery> {
        self.by_id.values()
    }

    pub(super) fn of_task(&self, task: TaskId) -> impl Iterator<Item = &Delivery> {
        self.of_task.get(&task).into_iter().flatten().filter_map(|id| self.by_id.get(id))
    }

    pub(super) fn into_vec(self) -> Vec<Delivery> {
        self.by_id.into_values().collect()
    }
}
