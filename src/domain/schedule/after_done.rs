//! When does a rule that counts from completions come up next?

use chrono::{Months, NaiveTime};
use chrono_tz::Tz;

use crate::domain::occurrence::{Instance, Nominal, OccurrenceKey};
use crate::domain::schedule::{Rule, ScheduleError};
use crate::domain::time::{Span, Timestamp, add_days, resolve};

/// So long after each completion. Its occurrences have no successor: each waits until it is closed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AfterDone {
    /// How long after.
    pub every: Every,
    /// At which time of the day; `None`: at the time of the completion. Only of whole days and months.
    pub at: Option<NaiveTime>,
    /// The first instance.
    pub from: Nominal,
    /// How many in all.
    pub count: Option<u32>,
    /// The last instant that may be one.
    pub until: Option<Timestamp>,
}

/// A distance from a completion.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Every {
    /// So much time, whatever the clock on the wall does.
    Span(Span),
    /// So many dates.
    Days(u32),
    /// So many months; the last day of the month where that has no such day.
    Months(u32),
}

impl AfterDone {
    /// Returns the rule that comes up as often as `rule` does, but counted from each completion; `first` is due first.
    ///
    /// `keeps_clock` says that the words named a time of day, which is then kept.
    ///
    /// # Errors
    /// The rule names days, or is cron's: neither can be counted from a completion.
    pub fn from_rule(rule: &Rule, first: Timestamp, keeps_clock: bool, zone: Tz) -> Result<Self, ScheduleError> {
        let local = first.local(zone);
        match rule {
            Rule::Interval(interval) => Ok(Self {
                every: Every::Span(interval.every),
                at: None,
                from: Nominal::Instant(first),
                count: interval.count,
                until: interval.until,
            }),
            Rule::Calendar(calendar) => Ok(Self {
                every: calendar.distance()?,
                at: keeps_clock.then(|| local.time()),
                from: Nominal::Local(local),
                count: calendar.count,
                until: calendar.until.and_then(|until| resolve(until, zone)).map(|(at, _)| at),
            }),
            Rule::AfterDone(rule) => Ok(*rule),
            Rule::None | Rule::Once(_) | Rule::Countdown(_) | Rule::Cron(_) => Err(ScheduleError::NotADistance),
        }
    }

    /// Returns the first instance, or the one behind `cursor` when that is closed at `closed`.
    pub(super) fn next(&self, cursor: Option<&Instance>, closed: Timestamp, zone: Tz) -> Option<Instance> {
        let (n, nominal) = match cursor.map(|cursor| cursor.key) {
            None => (1, self.from),
            Some(OccurrenceKey::Nth(n)) => (n.checked_add(1)?, self.behind(closed, zone)?),
            // The task had another rule before: this one counts anew.
            Some(
                OccurrenceKey::Once | OccurrenceKey::Date(_) | OccurrenceKey::DateTime(_) | OccurrenceKey::Instant(_),
            ) => (1, self.from),
        };
        let due = match nominal {
            Nominal::Local(local) => resolve(local, zone)?.0,
            Nominal::Instant(at) => at,
        };
        let is_within = self.count.is_none_or(|count| n <= count) && self.until.is_none_or(|until| due <= until);
        is_within.then_some(Instance { key: OccurrenceKey::Nth(n), nominal, due })
    }

    fn behind(&self, closed: Timestamp, zone: Tz) -> Option<Nominal> {
        let local = closed.local(zone);
        let date = match self.every {
            Every::Span(span) => return closed.checked_add(span).map(Nominal::Instant),
            Every::Days(days) => add_days(local.date(), days.into())?,
            Every::Months(months) => local.date().checked_add_months(Months::new(months))?,
        };
        Some(Nominal::Local(date.and_time(self.at.unwrap_or(local.time()))))
    }
}
