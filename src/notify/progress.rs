//! How much of a delivery that goes out in several pieces has its target? Kept for the next attempt, in memory alone.
//!
//! Never grows without bound: what is forgotten, by that or by a restart, is sent again from its beginning.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Mutex;

use crate::domain::delivery::DeliveryId;

/// How many deliveries may be in the midst of it (I9): far more than fail at once.
const DELIVERIES_MAX: usize = 1024;

/// What targets have of deliveries that are not through.
#[derive(Debug)]
pub(in crate::notify) struct Progress<T>(Mutex<Known<T>>);

#[derive(Debug)]
struct Known<T> {
    by_id: BTreeMap<DeliveryId, T>,
    /// The one that was begun first in front.
    order: VecDeque<DeliveryId>,
}

impl<T: Clone + Default> Progress<T> {
    /// Returns that nothing was begun.
    pub(in crate::notify) fn none() -> Self {
        Self(Mutex::new(Known { by_id: BTreeMap::new(), order: VecDeque::new() }))
    }

    /// Returns what the target has of a delivery.
    pub(in crate::notify) fn of(&self, id: &DeliveryId) -> T {
        self.known().by_id.get(id).cloned().unwrap_or_default()
    }

    /// Notes what the target has of a delivery.
    pub(in crate::notify) fn note(&self, id: &DeliveryId, what: T) {
        let mut known = self.known();
        if known.by_id.insert(id.clone(), what).is_none() {
            known.order.push_back(id.clone());
        }
        if known.order.len() > DELIVERIES_MAX
            && let Some(oldest) = known.order.pop_front()
        {
            known.by_id.remove(&oldest);
        }
    }

    /// Forgets a delivery: it is through.
    pub(in crate::notify) fn end(&self, id: &DeliveryId) {
        let mut known = self.known();
        if known.by_id.remove(id).is_some() {
            known.order.retain(|other| other != id);
        }
    }

    fn known(&self) -> std::sync::MutexGuard<'_, Known<T>> {
        self.0.lock().expect("no holder of the progress panics")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use uuid::Uuid;

    use crate::domain::delivery::Target;
    use crate::domain::occurrence::FireId;

    #[test]
    fn the_oldest_is_forgotten_where_too_many_are_in_the_midst_of_it() {
        let progress = Progress::none();
        let id = |n: usize| DeliveryId { fire_id: FireId(Uuid::from_u128(n as u128)), target: Target::desktop() };
        for n in 0..=DELIVERIES_MAX {
            progress.note(&id(n), n + 1);
        }
        progress.note(&id(5), 7);
        assert_eq!([0, 1, 5, DELIVERIES_MAX].map(|n| progress.of(&id(n))), [0, 2, 7, DELIVERIES_MAX + 1]);
        progress.end(&id(5));
        assert_eq!(progress.of(&id(5)), 0);
        let known = progress.known();
        assert_eq!(known.order.len(), known.by_id.len());
    }
}
