//! What is due next? A min-heap of snapshots; an entry is never changed in place.
//!
//! A change enters anew with a higher version; an entry whose version is old is dropped when it comes up. When the
//! stale outnumber the live, the heap is rebuilt from the live ones. Nothing is kept here that the store cannot rebuild.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::hash::Hash;

use crate::domain::time::Timestamp;

/// Below this the heap is not worth rebuilding.
const REBUILD_MIN: usize = 64;

/// When each of many things is due, by the version of the thing that said so.
#[derive(Debug)]
pub struct Queue<K> {
    heap: BinaryHeap<Reverse<(Timestamp, K, u64)>>,
    /// The live entry of each key.
    live: HashMap<K, (Timestamp, u64)>,
}

impl<K: Clone + Ord + Hash> Default for Queue<K> {
    fn default() -> Self {
        Self { heap: BinaryHeap::new(), live: HashMap::new() }
    }
}

impl<K: Clone + Ord + Hash> Queue<K> {
    /// Returns a queue of these entries.
    #[must_use]
    pub fn from_entries(entries: impl IntoIterator<Item = (Timestamp, K, u64)>) -> Self {
        let mut queue = Self::default();
        for (at, key, version) in entries {
            queue.set(key, version, Some(at));
        }
        queue
    }

    /// Notes when `key` is due as of `version`; `None`: not any more. An older version than the known one is ignored.
    pub fn set(&mut self, key: K, version: u64, at: Option<Timestamp>) {
        if self.live.get(&key).is_some_and(|(_, known)| *known > version) {
            return;
        }
        match at {
            Some(at) => {
                if self.live.insert(key.clone(), (at, version)) != Some((at, version)) {
                    self.heap.push(Reverse((at, key, version)));
                }
            }
            None => {
                self.live.remove(&key);
            }
        }
        if self.heap.len() > REBUILD_MIN && self.heap.len() > 2 * self.live.len() {
            self.rebuild();
        }
    }

    /// Returns the earliest due time.
    pub fn next_deadline(&mut self) -> Option<Timestamp> {
        self.drop_stale();
        self.heap.peek().map(|Reverse((at, _, _))| *at)
    }

    /// Takes the earliest entry that is due by `now`, with the version that said so.
    pub fn pop_due(&mut self, now: Timestamp) -> Option<(K, u64)> {
        self.drop_stale();
        self.heap.peek().filter(|Reverse((at, _, _))| *at <= now)?;
        let Reverse((_, key, version)) = self.heap.pop()?;
        self.live.remove(&key);
        Some((key, version))
    }

    /// Returns what [`Queue::pop_due`] takes next, at most `limit`; all of it stays. What is changed and changed back may
    /// come twice.
    pub fn peek_due(&mut self, now: Timestamp, limit: usize) -> Vec<K> {
        let mut taken = Vec::new();
        while taken.len() < limit && self.next_deadline().is_some_and(|at| at <= now) {
            taken.extend(self.heap.pop());
        }
        let keys = taken.iter().map(|Reverse((_, key, _))| key.clone()).collect();
        self.heap.extend(taken);
        keys
    }

    /// Returns the live entries, in no order.
    pub fn entries(&self) -> impl Iterator<Item = (Timestamp, K, u64)> {
        self.live.iter().map(|(key, (at, version))| (*at, key.clone(), *version))
    }

    /// Returns how many live entries there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.live.len()
    }

    /// Returns whether nothing is due, ever.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.live.is_empty()
    }

    fn drop_stale(&mut self) {
        while let Some(Reverse((at, key, version))) = self.heap.peek() {
            if self.live.get(key) == Some(&(*at, *version)) {
                return;
            }
            self.heap.pop();
        }
    }

    fn rebuild(&mut self) {
        self.heap = self.live.iter().map(|(key, (at, version))| Reverse((*at, key.clone(), *version))).collect();
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    fn at(millis: i64) -> Timestamp {
        Timestamp::from_millis(millis).expect("small")
    }

    #[test]
    fn a_newer_version_replaces_an_older_entry() {
        let mut queue = Queue::from_entries([(at(10), 'a', 1)]);
        queue.set('a', 2, Some(at(30)));
        assert_eq!(queue.next_deadline(), Some(at(30)));
        assert_eq!(queue.pop_due(at(20)), None);
        assert_eq!(queue.pop_due(at(30)), Some(('a', 2)));
        assert!(queue.is_empty());
    }

    #[test]
    fn an_older_version_is_ignored() {
        let mut queue = Queue::from_entries([(at(10), 'a', 5)]);
        queue.set('a', 4, Some(at(1)));
        queue.set('a', 4, None);
        assert_eq!(queue.next_deadline(), Some(at(10)));
    }

    proptest! {
        #[test]
        fn the_queue_agrees_with_a_sorted_list(
            steps in prop::collection::vec((0_u8..20, prop::option::weighted(0.8, 0_i64..100), prop::bool::weighted(0.2)), 0..300),
        ) {
            let mut queue = Queue::default();
            let mut model: BTreeMap<u8, (Timestamp, u64)> = BTreeMap::new();
            for (version, (key, due, pops)) in (1_u64..).zip(steps) {
                if pops {
                    let expected = model.iter().map(|(key, (at, version))| (*at, *key, *version)).min();
                    let now = at(50);
                    let ahead = queue.peek_due(now, 3).first().copied();
                    prop_assert_eq!(ahead, expected.filter(|(at, _, _)| *at <= now).map(|(_, key, _)| key));
                    let popped = queue.pop_due(now);
                    let due = expected.filter(|(at, _, _)| *at <= now);
                    prop_assert_eq!(popped, due.map(|(_, key, version)| (key, version)));
                    if let Some((key, _)) = popped {
                        model.remove(&key);
                    }
                } else {
                    queue.set(key, version, due.map(at));
                    match due {
                        Some(millis) => { model.insert(key, (at(millis), version)); }
                        None => { model.remove(&key); }
                    }
                }
                prop_assert_eq!(queue.next_deadline(), model.values().map(|(at, _)| *at).min());
                prop_assert!(queue.heap.len() <= REBUILD_MIN.max(2 * queue.len()) + 1);
            }
        }
    }
}
