//! What of a delivery does its service have already, where that was said in parts and not all of them were taken?
//!
//! Kept in memory alone: after a restart a delivery is said from its beginning, rather twice than not at all.

use std::collections::HashMap;
use std::fmt;
use std::sync::Mutex;

use crate::domain::delivery::DeliveryId;

/// How many deliveries are remembered (I9): more than the engine has under way.
const REMEMBERED_MAX: usize = 1000;

/// What was taken of deliveries that are not whole yet, one `T` a part.
pub(in crate::notify) struct Progress<T>(Mutex<HashMap<DeliveryId, Vec<T>>>);

impl<T> Progress<T> {
    /// Returns a progress of nothing.
    pub(in crate::notify) fn new() -> Self {
        Self(Mutex::default())
    }

    /// Returns what was taken of a delivery, and forgets it.
    pub(in crate::notify) fn take(&self, id: &DeliveryId) -> Vec<T> {
        self.0.lock().expect("no holder of the progress panics").remove(id).unwrap_or_default()
    }

    /// Remembers what was taken of a delivery.
    pub(in crate::notify) fn put(&self, id: &DeliveryId, taken: Vec<T>) {
        let mut known = self.0.lock().expect("no holder of the progress panics");
        if taken.is_empty() {
            return;
        }
        // One that was withdrawn in between is never taken again, so any may go.
        if known.len() >= REMEMBERED_MAX
            && let Some(any) = known.keys().next().cloned()
        {
            known.remove(&any);
        }
        known.insert(id.clone(), taken);
    }
}

/// What was taken tells nobody anything.
impl<T> fmt::Debug for Progress<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Progress")
    }
}
