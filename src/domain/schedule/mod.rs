//! When a task comes up: one time, a countdown, an interval, a calendar or cron rule, and which instance is next.
//!
//! Calendar and cron rules are expanded as local dates and times without any zone, and each result meets its zone in
//! [`crate::domain::time::resolve`]. So gaps and folds are decided in one place, for every kind of rule.

mod after_done;
mod anchor;
mod calendar;
mod cron;
mod interval;
mod local;
mod rest;

use chrono::NaiveDateTime;
use chrono_tz::Tz;

use crate::domain::occurrence::{Instance, Nominal, OccurrenceKey};
use crate::domain::time::{Span, Timestamp, resolve};

pub use self::after_done::{AfterDone, Every};
pub use self::anchor::move_local;
pub use self::calendar::Calendar;
pub use self::cron::Cron;
pub use self::interval::Interval;

/// The shortest interval: finer ones would be a busy loop.
pub const INTERVAL_MIN: Span = Span::from_secs(1);

/// How many bounded walks look for the latest of many missed instances.
const WALKS_MAX: usize = 40;

/// How many missed instances of a rule that comes up more often than once a minute are counted one by one. One of every
/// second has 31 million a year, and nothing waits for them: beyond, they are as many as those before were close.
const COUNTED_MAX: u64 = 100_000;

/// How far back from now the latest instance is looked for where there are too many to count.
const LOOK_BACK: [Span; 4] =
    [Span::from_secs(3_600), Span::from_secs(86_400), Span::from_secs(40 * 86_400), Span::from_secs(400 * 86_400)];

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
    /// So long after each completion.
    AfterDone(AfterDone),
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
    /// The deadline comes before the thing is due.
    #[error("the deadline {deadline} lies before the due time {due}")]
    DeadlineBeforeDue {
        /// The deadline.
        deadline: Timestamp,
        /// When it is due.
        due: Timestamp,
    },
    /// The deadline has passed.
    #[error("the deadline {deadline} has passed")]
    DeadlinePast {
        /// The deadline.
        deadline: Timestamp,
    },
    /// A rule that counts from completions needs a distance.
    #[error(
        "cannot count from a completion: expected a distance, such as every 3 days, without days of the week or month"
    )]
    NotADistance,
    /// The nag would ring without a pause, or never.
    #[error("cannot nag every {} at most {max} times: expected at least {INTERVAL_MIN} and once", *every)]
    Nag {
        /// How often.
        every: Span,
        /// How many times.
        max: u32,
    },
}

impl Rule {
    /// Returns whether it comes up more than once.
    #[must_use]
    pub const fn is_series(&self) -> bool {
        match self {
            Self::None | Self::Once(_) | Self::Countdown(_) => false,
            Self::Interval(_) | Self::Calendar(_) | Self::Cron(_) | Self::AfterDone(_) => true,
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
            Self::AfterDone(_) => "after_done",
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
            Rule::AfterDone(after) => match after.every {
                Every::Span(every) if every < INTERVAL_MIN => Err(ScheduleError::TooOften { every }),
                Every::Span(_) | Every::Days(1..) | Every::Months(1..) => Ok(()),
                Every::Days(0) | Every::Months(0) => Err(ScheduleError::TooOften { every: Span::ZERO }),
            },
        }
    }

    /// Returns the first instance behind `cursor` that is due after `now`.
    ///
    /// The one instance of a one-shot, and the first of a rule that counts from completions, are returned even when they
    /// have passed, since the caller decides what that means. Behind its first such a rule counts from `now`.
    #[must_use]
    pub fn next_after(&self, cursor: Option<&Instance>, now: Timestamp, device: Tz) -> Option<Instance> {
        if let Rule::AfterDone(after) = &self.rule {
            return after.next(cursor, now, self.zone.unwrap_or(device));
        }
        let mut instances = self.instances(cursor, now, device);
        if self.rule.is_series() { instances.find(|instance| instance.due > now) } else { instances.next() }
    }

    /// Returns the latest instance behind `cursor` that is due by `now`, and what lies between the two.
    #[must_use]
    pub fn latest_by(&self, cursor: &Instance, now: Timestamp, device: Tz) -> Option<(Instance, Passed)> {
        if let Rule::Interval(interval) = &self.rule {
            let latest = interval.index_by(now)?;
            let first = interval.index_by(cursor.due).map_or(0, |index| index + 1);
            let due = |index| interval.at(index).map(|instance| instance.due);
            let last = latest.checked_sub(1).filter(|last| first <= *last);
            let passed = last.and_then(|last| Some((due(first)?, due(last)?, last - first + 1)));
            return (first <= latest).then(|| Some((interval.at(latest)?, Passed::of(passed))))?;
        }
        let mut passed = Passed::NONE;
        let mut latest: Option<Instance> = None;
        // One walk is bounded; a rule of every minute has more than that behind a year away.
        'walks: for _ in 0..WALKS_MAX {
            let behind = latest.unwrap_or(*cursor);
            let mut has_walked = false;
            for instance in self.instances(Some(&behind), Timestamp::MIN, device).take_while(|i| i.due <= now) {
                has_walked = true;
                if let Some(before) = latest.replace(instance) {
                    passed = passed.and(Passed::one(before.due));
                }
                if is_countless(&passed, cursor.due, instance.due) {
                    break 'walks;
                }
            }
            if !has_walked {
                break;
            }
        }
        let counted = latest?;
        let is_cut = is_countless(&passed, cursor.due, counted.due);
        let jumped = if is_cut { self.last_two_by(&counted, now, device) } else { None };
        Some(jumped.map_or((counted, passed), |(before, last)| {
            let (took, rest) = (counted.due.since(cursor.due).as_millis(), last.due.since(counted.due).as_millis());
            let reckoned = i128::from(passed.instances) * i128::from(rest) / i128::from(took.max(1));
            let instances = passed.instances.saturating_add(u64::try_from(reckoned).unwrap_or(0));
            let range = passed.range.map(|(from, _)| (from, before));
            (last, Passed { range, instances })
        }))
    }

    /// Returns the latest instance behind `counted` that is due by `now`, and when the one before it was due.
    fn last_two_by(&self, counted: &Instance, now: Timestamp, device: Tz) -> Option<(Timestamp, Instance)> {
        LOOK_BACK.into_iter().find_map(|back| {
            let floor = now.saturating_add(Span::from_millis(-back.as_millis())).max(counted.due);
            let due = self.instances(Some(counted), floor, device).take_while(|instance| instance.due <= now);
            due.fold(None, |two: Option<(Timestamp, Instance)>, next| {
                Some((two.map_or(counted.due, |(_, last)| last.due), next))
            })
        })
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
            // What comes behind the first is known once that is closed.
            Rule::AfterDone(after) => Box::new(match cursor {
                None => after.next(None, floor, zone).into_iter(),
                Some(_) => None.into_iter(),
            }),
        }
    }
}

/// Returns whether so many lie so close together that they are reckoned: what comes up once a minute is counted for years.
fn is_countless(passed: &Passed, from: Timestamp, to: Timestamp) -> bool {
    let took = to.since(from).as_millis();
    passed.instances >= COUNTED_MAX && i128::from(took) < i128::from(passed.instances) * 60_000
}

/// Instances of a rule that never came up, in a row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Passed {
    /// When the first and the last were due; `None` where there are none.
    pub range: Option<(Timestamp, Timestamp)>,
    /// How many.
    pub instances: u64,
}

impl Passed {
    /// No instance.
    pub const NONE: Self = Self { range: None, instances: 0 };

    /// The one that was due at `due`.
    #[must_use]
    pub const fn one(due: Timestamp) -> Self {
        Self { range: Some((due, due)), instances: 1 }
    }

    fn of(row: Option<(Timestamp, Timestamp, u64)>) -> Self {
        row.map_or(Self::NONE, |(from, to, instances)| Self { range: Some((from, to)), instances })
    }

    /// Returns both together.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        let range = match (self.range, other.range) {
            (Some((from, to)), Some((other_from, other_to))) => Some((from.min(other_from), to.max(other_to))),
            (range, None) | (None, range) => range,
        };
        Self { range, instances: self.instances + other.instances }
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
