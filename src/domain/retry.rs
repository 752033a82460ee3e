//! Back-off of deliveries as a function of the attempt; the jitter is an argument.

use crate::domain::time::Span;

/// The longest wait between two attempts (SPEC 7).
pub const BACK_OFF_MAX: Span = Span::from_minutes(60);

/// The longest wait that a target can ask for: a server that names a year must not lose a reminder.
pub const RETRY_AFTER_MAX: Span = Span::from_minutes(24 * 60);

/// How many times a delivery of a task for programs only is tried again, unless the task says otherwise (SPEC 7).
pub const RETRIES_DEFAULT: u32 = 3;

/// The most that a task may say: with an hour between two, that is more than a month.
pub const RETRIES_MAX: u32 = 1000;

/// A random number in 0..=[`Jitter::MAX`], drawn by the caller.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Jitter(u16);

impl Jitter {
    /// The largest draw.
    pub const MAX: u16 = 1000;
    /// No deviation.
    pub const NONE: Self = Self(500);

    /// Returns the draw of a random number.
    #[must_use]
    pub fn draw(random: u64) -> Self {
        Self(u16::try_from(random % u64::from(Self::MAX + 1)).expect("the remainder is at most 1000"))
    }
}

/// Returns the wait after attempt `attempts` (from 1) failed: 5 s × 5^(n-1), at most an hour, each ± 20 %.
#[must_use]
pub fn back_off(attempts: u32, jitter: Jitter) -> Span {
    let steps = attempts.saturating_sub(1).min(10);
    let base = 5000_i64.saturating_mul(5_i64.saturating_pow(steps)).min(BACK_OFF_MAX.as_millis());
    // 800 to 1200 thousandths.
    let factor = 800 + i64::from(jitter.0) * 400 / i64::from(Jitter::MAX);
    Span::from_millis(base * factor / 1000)
}

/// Returns the wait after attempt `attempts` failed: the back-off, or what the target asked for where that is longer.
#[must_use]
pub fn wait(attempts: u32, retry_after: Option<Span>, jitter: Jitter) -> Span {
    let asked = retry_after.map_or(Span::ZERO, |asked| asked.min(RETRY_AFTER_MAX));
    back_off(attempts, jitter).max(asked)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_wait_grows_fivefold_up_to_an_hour() {
        let waits: Vec<i64> = (1..=7).map(|n| back_off(n, Jitter::NONE).as_millis() / 1000).collect();
        assert_eq!(waits, [5, 25, 125, 625, 3125, 3600, 3600]);
    }

    #[test]
    fn what_the_target_asks_for_counts_where_it_is_later_up_to_a_day() {
        let waits = |asked: i64| wait(2, Some(Span::from_secs(asked)), Jitter::NONE);
        assert_eq!(waits(0), Span::from_secs(25));
        assert_eq!(waits(-9), Span::from_secs(25));
        assert_eq!(waits(120), Span::from_secs(120));
        assert_eq!(waits(i64::from(u32::MAX)), RETRY_AFTER_MAX);
        assert_eq!(wait(2, None, Jitter::NONE), Span::from_secs(25));
    }

    #[test]
    fn the_wait_deviates_by_a_fifth_at_most() {
        assert_eq!(back_off(1, Jitter::draw(0)), Span::from_millis(4000));
        assert_eq!(back_off(1, Jitter::draw(1000)), Span::from_millis(6000));
        assert_eq!(back_off(u32::MAX, Jitter::draw(1000)), Span::from_minutes(72));
    }
}
