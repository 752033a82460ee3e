//! When a task comes up: one time, a countdown, an interval, a calendar or cron rule, and which instance is next.
//!
//! Calendar and cron rules are expanded as local dates and times without any zone, and each result meets its zone in
//! [`crate::domain::time::resolve`]. So gaps and folds are decided in one place, for every kind of rule.

mod calendar;
mod cron;
mod interval;
mod local;

use chrono::NaiveDateTime;
use chrono_tz::Tz;

use crate::domain::occurrence::{Instance, Nominal, OccurrenceKey};
use crate::domain::time::{Span, Timestamp, resolve};

pub use self::calendar::Calendar;
pub use self::cron::Cron;
pub use self::interval::Interval;

/// The shortest interval: finer ones would be a busy loop.
pub const INTERVAL_MIN: Span = Span::from_secs(1);

/// How many bounded walks look for the latest of many missed instances.
const WALKS_MAX: usize = 40;

/// When a task comes up.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Schedule {
    /// The words as typed, empty when a program gave the rule.
    pub text: String,
    /// The rule.
    pub rule: Rule,
    /// Where its local times are read; `None`: floating, wherever the device is.
    pub zone: Option<Tz>,
}

/// The kinds of rule.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Rule {
    /// No time: the task is remembered and does not ring.
    None,
    /// One wall-clock time.
    Once(NaiveDateTime),
    /// One instant, so long after it was asked for.
    Countdown(Timestamp),
    /// Every so often, anchored at an instant.
    Interval(Interval),
    /// A recurrence of local dates and times.
    Calendar(Calendar),
    /// A recurrence of local dates and times as cron writes it.
    Cron(Cron),
}

/// Why a schedule cannot be used.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ScheduleError {
    /// The rule cannot be read.
    #[error("cannot read recurrence rule {rrule:?}: {reason}")]
    Unreadable {
        /// The rule.
        rrule: String,
        /// What the parser says.
        reason: String,
    },
    /// The cron expression cannot be read.
    #[error("cannot read cron expression {expression:?}: {reason}")]
    UnreadableCron {
        /// The expression.
        expression: String,
        /// What the parser says.
        reason: String,
    },
    /// The rule repeats more often than daily, which intervals do.
    #[error("cannot use recurrence rule {rrule:?}: expected FREQ=DAILY or coarser, finer ones are intervals")]
    TooFine {
        /// The rule.
        rrule: String,
    },
    /// The rule has more times than the expander may hold.
    #[error("cannot use recurrence rule {rrule:?}: expected at most one time a minute, and fewer in months and years")]
    TooMany {
        /// The rule.
        rrule: String,
    },
    /// The interval is too short.
    #[error("cannot repeat every {}: expected at least {INTERVAL_MIN}", *every)]
    TooOften {
        /// The interval.
        every: Span,
    },
    /// No instance lies ahead.
    #[error("the schedule has no time ahead")]
    NothingAhead,
}

impl Rule {
    /// Returns whether it comes up more than once.
    #[must_use]
    pub const fn is_series(&self) -> bool {
        match self {
            Self::None | Self::Once(_) | Self::Countdown(_) => false,
            Self::Interval(_) | Self::Calendar(_) | Self::Cron(_) => true,
        }
    }

    /// Returns the word that SQL and the wire use.
    #[must_use]
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Once(_) => "once",
            Self::Countdown(_) => "countdown",
            Self::Interval(_) => "interval",
            Self::Calendar(_) => "calendar",
            Self::Cron(_) => "cron",
        }
    }
}

impl Schedule {
    /// The schedule of a task without a time.
    #[must_use]
    pub const fn none() -> Self {
        Self { text: String::new(), rule: Rule::None, zone: None }
    }

    /// Checks what can be checked without knowing the time.
    ///
    /// # Errors
    /// The rule cannot be read, or repeats too often.
    pub fn validate(&self) -> Result<(), ScheduleError> {
        match &self.rule {
            Rule::None | Rule::Once(_) | Rule::Countdown(_) => Ok(()),
            Rule::Interval(interval) if interval.every < INTERVAL_MIN => {
                Err(ScheduleError::TooOften { every: interval.every })
            }
            Rule::Interval(_) => Ok(()),
            Rule::Calendar(calendar) => calendar.expander(calendar.from).map(|_| ()),
            Rule::Cron(cron) => cron.search().map(|_| ()),
        }
    }

    /// Returns the first instance behind `cursor` that is due after `now`.
    ///
    /// The one instance of a one-shot is returned even when it has passed, since its caller decides what that means.
    #[must_use]
    pub fn next_after(&self, cursor: Option<&Instance>, now: Timestamp, device: Tz) -> Option<Instance> {
        let mut instances = self.instances(cursor, now, device);
        if self.rule.is_series() { instances.find(|instance| instance.due > now) } else { instances.next() }
    }

    /// Returns the latest instance behind `cursor` that is due by `now`, and how many lie between the two.
    #[must_use]
    pub fn latest_by(&self, cursor: &Instance, now: Timestamp, device: Tz) -> Option<(Instance, u64)> {
        if let Rule::Interval(interval) = &self.rule {
            let latest = interval.index_by(now)?;
            let passed = interval.index_by(cursor.due).map_or(0, |index| index + 1);
            return (latest >= passed).then(|| Some((interval.at(latest)?, latest - passed)))?;
        }
        let mut passed = 0_u64;
        let mut latest = None;
        // One walk is bounded; a rule of every minute has more than that behind a year away.
        for _ in 0..WALKS_MAX {
            let behind = latest.unwrap_or(*cursor);
            let walk = self.instances(Some(&behind), Timestamp::MIN, device).take_while(|i| i.due <= now);
            let Some((last, count)) = walk.fold(None, |last: Option<(Instance, u64)>, instance| {
                Some((instance, last.map_or(1, |(_, count)| count + 1)))
            }) else {
                break;
            };
            latest = Some(last);
            passed += count;
        }
        latest.map(|instance| (instance, passed - 1))
    }

    /// Returns the instances behind `cursor`, in order. Those before `floor` may be left out, and mostly are.
    #[must_use]
    pub fn instances(
        &self,
        cursor: Option<&Instance>,
        floor: Timestamp,
        device: Tz,
    ) -> Box<dyn Iterator<Item = Instance>> {
        let zone = self.zone.unwrap_or(device);
        match &self.rule {
            Rule::None => Box::new(std::iter::empty()),
            Rule::Once(local) => {
                let due = resolve(*local, zone).map(|(at, _)| at);
                Box::new(due.into_iter().map(once(Nominal::Local(*local))).filter(unless_used(cursor)))
            }
            Rule::Countdown(at) => {
                Box::new(std::iter::once(*at).map(once(Nominal::Instant(*at))).filter(unless_used(cursor)))
            }
            Rule::Interval(interval) => Box::new(interval.instances(cursor, floor)),
            Rule::Calendar(calendar) => Box::new(calendar.instances(cursor, floor, zone)),
            Rule::Cron(cron) => Box::new(cron.instances(cursor, floor, zone)),
        }
    }
}

fn once(nominal: Nominal) -> impl Fn(Timestamp) -> Instance {
    move |due| Instance { key: OccurrenceKey::Once, nominal, due }
}

fn unless_used(cursor: Option<&Instance>) -> impl Fn(&Instance) -> bool + use<> {
    let used = cursor.is_some_and(|cursor| cursor.key == OccurrenceKey::Once);
    move |_| !used
}

#[cfg(test)]
mod tests;
