//! Which local time of an RFC 5545 rule is next?

use chrono::{DateTime, NaiveDateTime, Timelike, Utc};
use chrono_tz::Tz;
use rrule::{Frequency, RRule, RRuleSet, Unvalidated};

use crate::domain::occurrence::Instance;
use crate::domain::schedule::{Every, ScheduleError};
use crate::domain::schedule::local::{self, INSTANCES_MAX, Reading};
use crate::domain::time::{Timestamp, add_days};

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
        let expander = self.expander(start).ok();
        let is_at_most_daily = expander.as_ref().is_some_and(|(_, at_most_daily)| *at_most_daily);
        let locals = expander.into_iter().flat_map(|(set, _)| set.into_iter().take(INSTANCES_MAX));
        local::instances(
            locals.map(|at| at.with_timezone(&Utc).naive_utc()),
            Reading { zone, is_at_most_daily, until: self.until, cursor: behind },
        )
    }

    /// Returns where expansion may start without changing its results.
    ///
    /// The expander walks from DTSTART, so a rule of years ago would cost its whole past; daily and weekly rules are
    /// moved by whole periods. Counted rules must be walked from their start.
    fn start_near(&self, cursor: Option<&Instance>, floor: Timestamp, zone: Tz) -> NaiveDateTime {
        let Some(rule) = self.parse().ok().filter(|_| self.count.is_none()) else { return self.from };
        let period_days = match rule.get_freq() {
            Frequency::Daily => i64::from(rule.get_interval()),
            Frequency::Weekly => 7 * i64::from(rule.get_interval()),
            Frequency::Yearly | Frequency::Monthly | Frequency::Hourly | Frequency::Minutely | Frequency::Secondly => {
                return self.from;
            }
        };
        let cursor_due = cursor.map_or(Timestamp::MIN, |cursor| cursor.due);
        // Two days of margin cover every zone's distance from another, one period what lies inside it.
        let near = floor.max(cursor_due).local(zone).date();
        let days = near.signed_duration_since(self.from.date()).num_days() - 2 - period_days;
        let periods = days.div_euclid(period_days.max(1)).max(0);
        add_days(self.from.date(), periods * period_days).map_or(self.from, |date| date.and_time(self.from.time()))
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

    fn parse(&self) -> Result<RRule<Unvalidated>, ScheduleError> {
        // The parser cuts weekdays at byte places and panics inside a longer character.
        if !self.rrule.is_ascii() {
            let reason = "expected letters, digits and marks of ASCII".to_owned();
            return Err(ScheduleError::Unreadable { rrule: self.rrule.clone(), reason });
        }
        self.rrule.parse::<RRule<Unvalidated>>().map_err(|error| self.unreadable(&error))
    }

    /// Returns the expansion from `start`, local times written as UTC, and whether it comes up at most daily.
    pub(super) fn expander(&self, start: NaiveDateTime) -> Result<(RRuleSet, bool), ScheduleError> {
        let mut rule = self.parse()?;
        let is_at_most_daily = match rule.get_freq() {
            Frequency::Yearly | Frequency::Monthly | Frequency::Weekly | Frequency::Daily => {
                rule.get_by_hour().len() <= 1 && rule.get_by_minute().len() <= 1 && rule.get_by_second().len() <= 1
            }
            Frequency::Hourly | Frequency::Minutely | Frequency::Secondly => {
                return Err(ScheduleError::TooFine { rrule: self.rrule.clone() });
            }
        };
        if let Some(count) = self.count {
            rule = rule.count(count);
        }
        let start: DateTime<rrule::Tz> =
            start.with_nanosecond(0).unwrap_or(start).and_utc().with_timezone(&rrule::Tz::UTC);
        let set = rule.build(start).map_err(|error| self.unreadable(&error))?;
        Ok((set.limit(), is_at_most_daily))
    }

    fn unreadable(&self, error: &rrule::RRuleError) -> ScheduleError {
        ScheduleError::Unreadable { rrule: self.rrule.clone(), reason: error.to_string() }
    }
}
