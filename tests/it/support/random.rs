//! Chances that a seed repeats.

use keiko::domain::time::Span;

/// `SplitMix64`: small, and the same on every machine.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    /// Returns the next number.
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Returns a number below `limit`.
    pub(crate) fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit
    }

    /// Returns a whole number of minutes from `from`, below `to`.
    pub(crate) fn minutes(&mut self, from: i64, to: i64) -> Span {
        let width = u64::try_from(to - from).expect("from is below to");
        Span::from_minutes(from + i64::try_from(self.below(width)).expect("small"))
    }

    /// Returns true in `percent` of a hundred cases.
    pub(crate) fn chance(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }
}
