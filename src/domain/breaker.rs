//! Whether a target is sent to: one that fails again and again is left alone, tried now and then, and taken up slowly.
//!
//! Holds no deliveries and sends none: the engine asks and obeys.

use crate::domain::delivery::{Report, Target};
use crate::domain::retry::RETRY_AFTER_MAX;
use crate::domain::time::{Span, Timestamp};

/// So many failures in a row are borne; one more opens the breaker (SPEC 7).
pub const FAILURES_MAX: u32 = 10;

/// How long an open breaker waits for its first probe; each later one waits twice as long.
pub const PROBE_FIRST: Span = Span::from_secs(30);

/// The longest wait between two probes.
pub const PROBE_MAX: Span = Span::from_minutes(60);

/// So many of the held take turns as probes.
pub const PROBED_MAX: usize = 32;

/// What was held goes out one by one, so far apart.
pub const RELEASE_EVERY: Span = Span::from_secs(1);

/// How a target has done lately.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TargetHealth {
    /// The target.
    pub target: Target,
    /// How many attempts in a row failed.
    pub failures: u32,
    /// Whether it is sent to.
    pub breaker: Breaker,
    /// Why the latest attempt failed, for people; nothing once one succeeded.
    pub last_error: Option<String>,
}

/// Whether a target is sent to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Breaker {
    /// It is.
    Closed,
    /// It is not, since it failed too often; one delivery goes out now and then to see whether it answers.
    Open {
        /// Since when.
        since: Timestamp,
        /// When the next probe may go out.
        probe_at: Timestamp,
        /// How many probes went out.
        probes: u32,
    },
    /// It is not, since a person said so.
    Paused {
        /// Since when.
        since: Timestamp,
    },
    /// It is; what was held goes out one by one.
    Releasing {
        /// When the next one goes out.
        next_at: Timestamp,
    },
}

impl Breaker {
    /// Returns the word that SQL and programs use.
    #[must_use]
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::Closed => "closed",
            Self::Open { .. } => "open",
            Self::Paused { .. } => "paused",
            Self::Releasing { .. } => "releasing",
        }
    }
}

impl TargetHealth {
    /// Returns the health of a target that nothing is known of.
    #[must_use]
    pub const fn new(target: Target) -> Self {
        Self { target, failures: 0, breaker: Breaker::Closed, last_error: None }
    }

    /// Returns whether deliveries may go out; else they are held.
    #[must_use]
    pub const fn admits(&self) -> bool {
        match self.breaker {
            Breaker::Closed | Breaker::Releasing { .. } => true,
            Breaker::Open { .. } | Breaker::Paused { .. } => false,
        }
    }

    /// Returns whether what is sent now only looks whether the target answers again: a failure then spends no attempt.
    #[must_use]
    pub const fn is_probed(&self) -> bool {
        match self.breaker {
            Breaker::Open { .. } => true,
            Breaker::Closed | Breaker::Paused { .. } | Breaker::Releasing { .. } => false,
        }
    }

    /// Returns which of the held goes out next, counted from the oldest, where there are more than one: the oldest, but
    /// each probe is another one, since the fault may lie in what is sent.
    #[must_use]
    pub fn next_of_held(&self) -> usize {
        match self.breaker {
            Breaker::Open { probes, .. } => usize::try_from(probes).unwrap_or(PROBED_MAX) % PROBED_MAX,
            Breaker::Closed | Breaker::Paused { .. } | Breaker::Releasing { .. } => 0,
        }
    }

    /// Returns when one of the held may go out, `None` where none may by itself.
    #[must_use]
    pub const fn next_release(&self) -> Option<Timestamp> {
        match self.breaker {
            Breaker::Closed | Breaker::Paused { .. } => None,
            Breaker::Open { probe_at, .. } => Some(probe_at),
            Breaker::Releasing { next_at } => Some(next_at),
        }
    }

    /// Returns the health after an attempt. A target that was away was not tried.
    #[must_use]
    pub fn reported(&self, report: &Report, now: Timestamp) -> Self {
        let mut after = self.clone();
        match report {
            Report::Away { .. } => {}
            Report::Delivered { .. } => {
                after.failures = 0;
                after.last_error = None;
                after.breaker = match self.breaker {
                    Breaker::Open { .. } => Breaker::Releasing { next_at: now.saturating_add(RELEASE_EVERY) },
                    Breaker::Closed | Breaker::Paused { .. } | Breaker::Releasing { .. } => self.breaker,
                };
            }
            // A final refusal counts as well: an address that is wrong is wrong for all.
            Report::Failed { error, retry_after, is_final: _ } => {
                after.failures = self.failures.saturating_add(1);
                after.last_error = Some(error.clone());
                let asked = now.saturating_add(retry_after.map_or(Span::ZERO, |asked| asked.min(RETRY_AFTER_MAX)));
                after.breaker = match self.breaker {
                    Breaker::Closed | Breaker::Releasing { .. } if after.failures > FAILURES_MAX => {
                        Breaker::Open { since: now, probe_at: now.saturating_add(PROBE_FIRST).max(asked), probes: 0 }
                    }
                    Breaker::Open { since, probe_at, probes } => {
                        Breaker::Open { since, probe_at: probe_at.max(asked), probes }
                    }
                    Breaker::Closed | Breaker::Paused { .. } | Breaker::Releasing { .. } => self.breaker,
                };
            }
        }
        after
    }

    /// Returns whether the breaker has opened since `before`.
    #[must_use]
    pub const fn has_opened_since(&self, before: &Self) -> bool {
        matches!(self.breaker, Breaker::Open { .. }) && !matches!(before.breaker, Breaker::Open { .. })
    }

    /// Returns the health after one of the held went out at `now`.
    ///
    /// The next probe is planned as the one before goes out, not as it fails: a probe that is lost in a crash, or hangs,
    /// is then followed by another all the same.
    #[must_use]
    pub fn released(&self, now: Timestamp) -> Self {
        let breaker = match self.breaker {
            Breaker::Open { since, probes, .. } => {
                let probes = probes.saturating_add(1);
                Breaker::Open { since, probe_at: now.saturating_add(probe_wait(probes)), probes }
            }
            Breaker::Releasing { .. } => Breaker::Releasing { next_at: now.saturating_add(RELEASE_EVERY) },
            Breaker::Closed | Breaker::Paused { .. } => self.breaker,
        };
        Self { breaker, ..self.clone() }
    }

    /// Returns the health where something may go out at `now`, and what went out before is still under way.
    #[must_use]
    pub fn put_off(&self, now: Timestamp) -> Self {
        let breaker = match self.breaker {
            Breaker::Open { since, probes, .. } => {
                Breaker::Open { since, probe_at: now.saturating_add(PROBE_FIRST), probes }
            }
            Breaker::Releasing { .. } => Breaker::Releasing { next_at: now.saturating_add(RELEASE_EVERY) },
            Breaker::Closed | Breaker::Paused { .. } => self.breaker,
        };
        Self { breaker, ..self.clone() }
    }

    /// Returns the health where nothing is held any more.
    #[must_use]
    pub fn drained(&self) -> Self {
        let breaker = match self.breaker {
            Breaker::Releasing { .. } => Breaker::Closed,
            Breaker::Closed | Breaker::Open { .. } | Breaker::Paused { .. } => self.breaker,
        };
        Self { breaker, ..self.clone() }
    }

    /// Returns the health where the clock was set, the machine woke, or the target's channel appeared: it is tried at
    /// once, and what was planned on the clock that was does not bind.
    #[must_use]
    pub fn woken(&self, now: Timestamp) -> Self {
        let breaker = match self.breaker {
            Breaker::Open { since, probes, .. } => Breaker::Open { since, probe_at: now, probes },
            Breaker::Releasing { next_at } => {
                Breaker::Releasing { next_at: next_at.min(now.saturating_add(RELEASE_EVERY)) }
            }
            Breaker::Closed | Breaker::Paused { .. } => self.breaker,
        };
        Self { breaker, ..self.clone() }
    }

    /// Returns the health after a person said that nothing is to be sent.
    #[must_use]
    pub fn paused(&self, now: Timestamp) -> Self {
        let breaker = match self.breaker {
            Breaker::Paused { .. } => self.breaker,
            Breaker::Closed | Breaker::Open { .. } | Breaker::Releasing { .. } => Breaker::Paused { since: now },
        };
        Self { breaker, ..self.clone() }
    }

    /// Returns the health after a person said that sending goes on.
    #[must_use]
    pub fn resumed(&self, now: Timestamp) -> Self {
        match self.breaker {
            Breaker::Closed | Breaker::Releasing { .. } => self.clone(),
            Breaker::Open { .. } | Breaker::Paused { .. } => {
                Self { failures: 0, breaker: Breaker::Releasing { next_at: now }, ..self.clone() }
            }
        }
    }
}

/// Returns the wait for the next probe after `probes` of them: 30 s doubling to an hour.
fn probe_wait(probes: u32) -> Span {
    let doubled = PROBE_FIRST.as_millis().saturating_mul(1_i64 << probes.min(20));
    Span::from_millis(doubled).min(PROBE_MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_millis(seconds * 1000).expect("small")
    }

    fn failed() -> Report {
        Report::Failed { error: "refused".into(), is_final: false, retry_after: None }
    }

    fn health(failures: u32, breaker: Breaker) -> TargetHealth {
        TargetHealth { failures, breaker, ..TargetHealth::new(Target::terminal()) }
    }

    /// What is done, and the breakers after it.
    type Act<'a> = (&'a str, &'a dyn Fn(&TargetHealth) -> TargetHealth, [Breaker; 4]);

    fn open(probe_at: i64, probes: u32) -> Breaker {
        Breaker::Open { since: at(1), probe_at: at(probe_at), probes }
    }

    #[test]
    fn more_than_ten_failures_in_a_row_open_it() {
        let mut health = TargetHealth::new(Target::terminal());
        for _ in 0..10 {
            health = health.reported(&failed(), at(1));
            assert!(health.admits());
        }
        let opened = health.reported(&failed(), at(1));
        assert!(opened.has_opened_since(&health));
        assert_eq!(opened.breaker, open(31, 0));
        assert!(!opened.admits());
        assert!(!opened.reported(&failed(), at(2)).has_opened_since(&opened));
    }

    #[test]
    fn a_success_between_failures_starts_the_count_anew() {
        let before = health(10, Breaker::Closed).reported(&Report::DELIVERED, at(1));
        let after = before.reported(&failed(), at(2));
        assert_eq!(after.last_error.as_deref(), Some("refused"));
        assert_eq!(TargetHealth { last_error: None, ..after }, health(1, Breaker::Closed));
    }

    #[test]
    fn a_target_that_is_away_was_not_tried() {
        let away = Report::Away { reason: "no server".into() };
        let before = health(10, Breaker::Closed);
        assert_eq!(before.reported(&away, at(1)), before);
    }

    #[test]
    fn each_probe_is_another_of_the_held() {
        let turns = |probes| health(11, open(31, probes)).next_of_held();
        assert_eq!([0, 1, 31, 32, 33].map(turns), [0, 1, 31, 0, 1]);
        assert_eq!(health(0, Breaker::Releasing { next_at: at(1) }).next_of_held(), 0);
    }

    #[test]
    fn probes_wait_thirty_seconds_doubling_to_an_hour() {
        let mut health = health(11, open(31, 0));
        let mut waits = Vec::new();
        for _ in 0..9 {
            let now = health.next_release().expect("open");
            health = health.released(now);
            waits.push(health.next_release().expect("open").since(now).as_millis() / 1000);
        }
        assert_eq!(waits, [60, 120, 240, 480, 960, 1920, 3600, 3600, 3600]);
    }

    #[test]
    fn every_breaker_does_with_every_input_what_the_table_says() {
        let now = at(100);
        let closed = Breaker::Closed;
        let paused = Breaker::Paused { since: at(1) };
        let releasing = |next_at| Breaker::Releasing { next_at: at(next_at) };
        let asked = Report::Failed { error: "busy".into(), is_final: false, retry_after: Some(Span::from_secs(900)) };
        // From: closed, open, paused, releasing; the failure is the eleventh.
        let table: [Act<'_>; 9] = [
            ("delivered", &|h| h.reported(&Report::DELIVERED, now), [closed, releasing(101), paused, releasing(200)]),
            (
                "failed",
                &|h| h.reported(&failed(), now),
                [
                    Breaker::Open { since: now, probe_at: at(130), probes: 0 },
                    open(150, 3),
                    paused,
                    Breaker::Open { since: now, probe_at: at(130), probes: 0 },
                ],
            ),
            (
                "asked to wait",
                &|h| h.reported(&asked, now),
                [
                    Breaker::Open { since: now, probe_at: at(1000), probes: 0 },
                    open(1000, 3),
                    paused,
                    Breaker::Open { since: now, probe_at: at(1000), probes: 0 },
                ],
            ),
            ("released", &|h| h.released(now), [closed, open(580, 4), paused, releasing(101)]),
            ("put off", &|h| h.put_off(now), [closed, open(130, 3), paused, releasing(101)]),
            ("drained", &TargetHealth::drained, [closed, open(150, 3), paused, closed]),
            ("woken", &|h| h.woken(now), [closed, open(100, 3), paused, releasing(101)]),
            ("paused", &|h| h.paused(now), {
                let since = Breaker::Paused { since: now };
                [since, since, paused, since]
            }),
            ("resumed", &|h| h.resumed(now), [closed, releasing(100), releasing(100), releasing(200)]),
        ];
        let before = [closed, open(150, 3), paused, releasing(200)];
        for (name, act, expected) in table {
            assert_eq!(before.map(|breaker| act(&health(10, breaker)).breaker), expected, "{name}");
        }
    }
}
