//! Which local time of an RFC 5545 rule is next?

use std::collections::HashSet;

use chrono::{DateTime, Datelike, NaiveDate, NaiveDateTime, TimeDelta, Timelike, Utc};
use chrono_tz::Tz;
use rrule::{Frequency, RRule, RRuleSet, Unvalidated};

use crate::domain::occurrence::Instance;
use crate::domain::schedule::local::{self, INSTANCES_MAX, Naming, Reading};
use crate::domain::schedule::{Every, ScheduleError, anchor};
use crate::domain::time::{Span, Timestamp, add_days};

/// A recurrence of local dates and times (RFC 5545 §3.3.10), DAILY or coarser.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Calendar {
    /// The rule's parts without DTSTART, COUNT and UNTIL, such as `FREQ=DAILY;BYHOUR=9`.
    pub rrule: String,
    /// Where counting starts (DTSTART), which is itself an instance only where it matches.
    pub from: NaiveDateTime,
    /// How many in all.
    pub count: Option<u32>,
    /// The last local time that may be one.
    pub until: Option<NaiveDateTime>,
}

impl Calendar {
    pub(super) fn instances(
        &self,
        cursor: Option<&Instance>,
        floor: Timestamp,
        zone: Tz,
    ) -> impl Iterator<Item = Instance> + use<> {
        let behind = cursor.copied();
        let start = self.start_near(behind.as_ref(), floor, zone);
        let moved = self.moved(start);
        let expander = start.checked_add_signed(moved).and_then(|start| self.expander(start).ok());
        let naming = expander.as_ref().map_or(Naming::Date, |(_, naming)| *naming);
        let locals = expander.into_iter().flat_map(|(set, _)| set.into_iter().take(INSTANCES_MAX));
        local::instances(
            locals.map_while(move |at| at.with_timezone(&Utc).naive_utc().checked_sub_signed(moved)),
            Reading { zone, naming, count: self.count, until: self.until, cursor: behind },
        )
    }

    /// Returns where expansion may start without changing its results.
    ///
    /// The expander walks from DTSTART, so a rule of years ago would cost its whole past: it is moved by whole periods.
    /// Counted rules must be walked from their start.
    fn start_near(&self, cursor: Option<&Instance>, floor: Timestamp, zone: Tz) -> NaiveDateTime {
        let Some(rule) = self.parse().ok().filter(|_| self.count.is_none()) else { return self.from };
        let behind = cursor.map_or(Timestamp::MIN, |cursor| cursor.due);
        let near = local::near(floor.max(behind), zone).date();
        let interval = i64::from(rule.get_interval().max(1));
        let from = self.from.date();
        let days = match rule.get_freq() {
            Frequency::Daily => interval,
            Frequency::Weekly => 7 * interval,
            Frequency::Monthly => return self.months_near(near, interval),
            Frequency::Yearly => return self.months_near(near, 12 * interval),
            Frequency::Hourly | Frequency::Minutely | Frequency::Secondly => return self.from,
        };
        // One period more than whole ones fit covers what lies inside it, and the day before a gap of a day.
        let periods = (near.signed_duration_since(from).num_days() - 1 - days).div_euclid(days).max(0);
        add_days(from, periods * days).map_or(self.from, |date| date.and_time(self.from.time()))
    }

    /// Returns how far the expansion is moved in time. A long interval needs all the years that the expander knows.
    fn moved(&self, start: NaiveDateTime) -> TimeDelta {
        let is_short = self.parse().is_ok_and(|rule| rule.get_interval() <= SHORT_INTERVAL_MAX);
        if is_short { local::to_last_centuries(start, LAST_CENTURIES) } else { TimeDelta::zero() }
    }

    /// Moves the start by whole periods of `months`, to a month that has its day: a rule without days of its own takes
    /// that of its start.
    fn months_near(&self, near: NaiveDate, months: i64) -> NaiveDateTime {
        let from = self.from.date();
        let month_of = |date: NaiveDate| i64::from(date.year()) * 12 + i64::from(date.month0());
        let periods = ((month_of(near) - month_of(from) - 1).div_euclid(months) - 1).max(0);
        let moved = (0..=periods).rev().find_map(|periods| {
            let month = month_of(from) + periods * months;
            let year = i32::try_from(month.div_euclid(12)).ok()?;
            let month = u32::try_from(month.rem_euclid(12)).ok()? + 1;
            NaiveDate::from_ymd_opt(year, month, from.day())
        });
        moved.map_or(self.from, |date| date.and_time(self.from.time()))
    }

    /// Returns how far its instances are apart, where it says nothing but that.
    pub(super) fn distance(&self) -> Result<Every, ScheduleError> {
        let rule = self.parse()?;
        let names_days = !rule.get_by_weekday().is_empty()
            || !rule.get_by_month_day().is_empty()
            || !rule.get_by_month().is_empty()
            || !rule.get_by_year_day().is_empty()
            || !rule.get_by_week_no().is_empty()
            || !rule.get_by_set_pos().is_empty()
            || rule.get_by_hour().len() > 1
            || rule.get_by_minute().len() > 1;
        let interval = u32::from(rule.get_interval());
        match rule.get_freq() {
            Frequency::Daily if !names_days => Ok(Every::Days(interval)),
            Frequency::Weekly if !names_days => Ok(Every::Days(7 * interval)),
            Frequency::Monthly if !names_days => Ok(Every::Months(interval)),
            Frequency::Yearly if !names_days => Ok(Every::Months(12 * interval)),
            Frequency::Daily | Frequency::Weekly | Frequency::Monthly | Frequency::Yearly => {
                Err(ScheduleError::NotADistance)
            }
            Frequency::Hourly | Frequency::Minutely | Frequency::Secondly => {
                Err(ScheduleError::TooFine { rrule: self.rrule.clone() })
            }
        }
    }

    /// Returns the rule as if it began earlier by at least `back`: by whole weeks, or by whole months or years to a day of
    /// the same number.
    pub(super) fn anchored(&self, back: Span) -> Option<Self> {
        const WEEK: Span = Span::from_secs(7 * 24 * 60 * 60);
        let (weeks, months) = (anchor::whole(back, WEEK, self.count), |period| {
            let days = back.as_millis() / (24 * 60 * 60 * 1000);
            // Months are 28 days at least, so this many are never too few by more than one.
            let near = if self.count.is_some() { days * 12 / 366 } else { days * 12 / 365 + 1 };
            anchor::months_before(self.from.date(), near, period)
        });
        let date = match self.parse().ok()?.get_freq() {
            Frequency::Daily | Frequency::Weekly => add_days(self.from.date(), -7 * weeks)?,
            Frequency::Monthly => months(1)?,
            Frequency::Yearly => months(12)?,
            Frequency::Hourly | Frequency::Minutely | Frequency::Secondly => return None,
        };
        Some(Self { from: date.and_time(self.from.time()), ..self.clone() })
    }

    fn parse(&self) -> Result<RRule<Unvalidated>, ScheduleError> {
        // The parser cuts weekdays at byte places and panics inside a longer character.
        if !self.rrule.is_ascii() {
            let reason = "expected letters, digits and marks of ASCII".to_owned();
            return Err(ScheduleError::Unreadable { rrule: self.rrule.clone(), reason });
        }
        self.rrule.parse::<RRule<Unvalidated>>().map_err(|error| self.unreadable(&error))
    }

    /// Returns the expansion from `start`, local times written as UTC, and what names an instance.
    pub(super) fn expander(&self, start: NaiveDateTime) -> Result<(RRuleSet, Naming), ScheduleError> {
        let rule = self.parse()?;
        let days = match rule.get_freq() {
            Frequency::Yearly => 366,
            Frequency::Monthly => 31,
            Frequency::Weekly => 7,
            Frequency::Daily => 1,
            Frequency::Hourly | Frequency::Minutely | Frequency::Secondly => {
                return Err(ScheduleError::TooFine { rrule: self.rrule.clone() });
            }
        };
        let hours = distinct(rule.get_by_hour());
        let per_day = hours * distinct(rule.get_by_minute()) * distinct(rule.get_by_second());
        if per_day > TIMES_A_DAY_MAX || per_day * days > TIMES_A_PERIOD_MAX {
            return Err(ScheduleError::TooMany { rrule: self.rrule.clone() });
        }
        let naming = match (per_day, hours) {
            (..=1, _) => Naming::Date,
            (_, 24..) => Naming::Instant,
            (_, _) => Naming::DateTime,
        };
        let start: DateTime<rrule::Tz> =
            start.with_nanosecond(0).unwrap_or(start).and_utc().with_timezone(&rrule::Tz::UTC);
        let set = rule.build(start).map_err(|error| self.unreadable(&error))?;
        Ok((set.limit(), naming))
    }

    fn unreadable(&self, error: &rrule::RRuleError) -> ScheduleError {
        ScheduleError::Unreadable { rrule: self.rrule.clone(), reason: error.to_string() }
    }
}

/// Where the last 400 years begin in which the expander, whose calendar ends with the year 10000, has 400 ahead.
const LAST_CENTURIES: i64 = 9200;

/// The longest interval that is sure to come up within 400 years, if ever.
const SHORT_INTERVAL_MAX: u16 = 30;

/// The most times of day of one rule: every minute.
const TIMES_A_DAY_MAX: usize = 1440;

/// The most times within one period of a rule. The expander holds a whole period at once, so a yearly rule of every
/// second would fill the memory.
const TIMES_A_PERIOD_MAX: usize = 20_000;

/// Returns how many values a part of a rule has; one that is left out has that of the start.
fn distinct(values: &[u8]) -> usize {
    values.iter().collect::<HashSet<_>>().len().max(1)
}
