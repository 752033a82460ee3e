//! Where ids and jitter come from, so that a simulation can repeat them.

use uuid::{Builder, Uuid};

use crate::domain::retry::Jitter;
use crate::domain::time::Timestamp;

/// A source of random numbers, and the ids that are made of them.
pub struct Ids {
    random: Box<dyn FnMut() -> u64 + Send>,
}

impl std::fmt::Debug for Ids {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Ids").finish_non_exhaustive()
    }
}

impl Ids {
    /// Returns a source that draws from the operating system.
    #[must_use]
    pub fn from_system() -> Self {
        Self { random: Box::new(|| Uuid::new_v4().as_u64_pair().1) }
    }

    /// Returns a source that gives the same numbers for the same seed (`SplitMix64`).
    #[must_use]
    pub fn from_seed(seed: u64) -> Self {
        let mut state = seed;
        Self {
            random: Box::new(move || {
                state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
                let mut mixed = state;
                mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
                mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
                mixed ^ (mixed >> 31)
            }),
        }
    }

    /// Returns a new id (`UUIDv7`, RFC 9562 §5.7) of a thing made at `now`.
    pub fn next(&mut self, now: Timestamp) -> Uuid {
        let (high, low) = ((self.random)(), (self.random)());
        let mut bytes = [0; 10];
        bytes[..8].copy_from_slice(&high.to_le_bytes());
        bytes[8..].copy_from_slice(&low.to_le_bytes()[..2]);
        // Invariant: a Timestamp is never negative.
        let millis = now.as_millis().unsigned_abs();
        Builder::from_unix_timestamp_millis(millis, &bytes).into_uuid()
    }

    /// Draws the jitter of a back-off.
    pub fn jitter(&mut self) -> Jitter {
        Jitter::draw((self.random)())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_of_version_7_and_differ() {
        let now = Timestamp::from_millis(1_800_000_000_000).expect("in range");
        for mut ids in [Ids::from_system(), Ids::from_seed(7)] {
            let (first, second) = (ids.next(now), ids.next(now));
            assert_eq!(first.get_version_num(), 7);
            assert_ne!(first, second);
        }
    }

    #[test]
    fn a_seed_gives_the_same_ids_again() {
        let now = Timestamp::MIN;
        assert_eq!(Ids::from_seed(3).next(now), Ids::from_seed(3).next(now));
        assert_ne!(Ids::from_seed(3).next(now), Ids::from_seed(4).next(now));
    }
}
