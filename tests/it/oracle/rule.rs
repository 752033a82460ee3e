//! When does a rule come up next, and when before? Found by walking over every date and every step of an interval.
//!
//! Must never use the core's schedules but as plain words: the texts and figures that they hold.

use chrono::{Days as DaysOf, Months, NaiveDate, NaiveDateTime};
use chrono_tz::Tz;
use keiko::domain::occurrence::{Nominal, OccurrenceKey};
use keiko::domain::schedule::{Every, Rule};
use keiko::domain::time::{Span, Timestamp};

use crate::oracle::days::{Cron, Days, Rrule};
use crate::oracle::wall::{first_reading, has_date, second_reading, shown_at};

/// One time at which a rule comes up.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Time {
    pub(super) key: OccurrenceKey,
    pub(super) nominal: Nominal,
    pub(super) due: Timestamp,
}

impl Time {
    /// Returns whether it comes behind another in the rule's own order: a date that was lived through is over, whatever
    /// the zone says later.
    pub(super) fn is_behind(&self, other: &Self) -> bool {
        let by_name = match (self.key, other.key) {
            (OccurrenceKey::Date(own), OccurrenceKey::Date(other)) => own > other,
            (OccurrenceKey::DateTime(own), OccurrenceKey::DateTime(other)) => own > other,
            _ => true,
        };
        by_name && self.due > other.due
    }
}

/// How far the oracle walks for a time that may never come.
const WALK_DAYS: u64 = 15 * 366;

/// The rule of a task, in the zone where its local times are read.
pub(super) struct Walk<'a> {
    pub(super) rule: &'a Rule,
    pub(super) days: Option<&'a Days>,
    pub(super) zone: Tz,
}

/// Returns the part of a rule that speaks of dates.
pub(super) fn days_of(rule: &Rule) -> Option<Days> {
    match rule {
        Rule::Calendar(calendar) => Some(Days::Rrule(Rrule::read(&calendar.rrule, calendar.from))),
        Rule::Cron(cron) => Some(Days::Cron(Cron::read(&cron.expression))),
        Rule::None | Rule::Once(_) | Rule::Countdown(_) | Rule::Interval(_) | Rule::AfterDone(_) => None,
    }
}

impl Walk<'_> {
    /// Returns the first time of all behind `last` that is due after `now`.
    pub(super) fn ahead(&self, last: Option<&Time>, now: Timestamp) -> Option<Time> {
        let start = last.map_or(now, |last| last.due.max(now));
        self.since(start).find(|time| time.due > now && last.is_none_or(|last| time.is_behind(last)))
    }

    /// Returns the first time behind `last`.
    pub(super) fn behind(&self, last: &Time) -> Option<Time> {
        self.since(last.due).find(|time| time.is_behind(last))
    }

    /// Returns the latest time behind `last` that is due by `now`.
    pub(super) fn latest(&self, last: &Time, now: Timestamp) -> Option<Time> {
        self.since(last.due).take_while(|time| time.due <= now).filter(|time| time.is_behind(last)).last()
    }

    /// Returns the only time of a task that comes up once, or the first of one that counts from completions.
    pub(super) fn only(&self) -> Option<Time> {
        let (key, nominal) = match self.rule {
            Rule::Once(local) => (OccurrenceKey::Once, Nominal::Local(*local)),
            Rule::Countdown(at) => (OccurrenceKey::Once, Nominal::Instant(*at)),
            Rule::AfterDone(after) => (OccurrenceKey::Nth(1), after.from),
            Rule::None | Rule::Interval(_) | Rule::Calendar(_) | Rule::Cron(_) => return None,
        };
        Some(Time { key, nominal, due: self.instant_of(nominal) })
    }

    /// Returns the time of a rule that counts from completions which follows one that is closed at `at`; its first where
    /// that was of another rule.
    pub(super) fn follower(&self, closed: Option<&Time>, at: Timestamp) -> Option<Time> {
        let Rule::AfterDone(after) = self.rule else { return None };
        let Some(OccurrenceKey::Nth(n)) = closed.map(|closed| closed.key) else { return self.only() };
        let shown = shown_at(at, self.zone);
        let on = |date: Option<NaiveDate>| Some(Nominal::Local(date?.and_time(after.at.unwrap_or(shown.time()))));
        let nominal = match after.every {
            Every::Span(span) => Nominal::Instant(at.saturating_add(span)),
            Every::Days(days) => on(shown.date().checked_add_days(DaysOf::new(days.into())))?,
            Every::Months(months) => on(shown.date().checked_add_months(Months::new(months)))?,
        };
        let due = self.instant_of(nominal);
        let is_within = after.count.is_none_or(|count| n < count) && after.until.is_none_or(|until| due <= until);
        is_within.then_some(Time { key: OccurrenceKey::Nth(n + 1), nominal, due })
    }

    pub(super) fn instant_of(&self, nominal: Nominal) -> Timestamp {
        match nominal {
            Nominal::Local(local) => first_reading(local, self.zone),
            Nominal::Instant(at) => at,
        }
    }

    /// Walks over the times of a rule, from a few days before `start` or from its first.
    fn since(&self, start: Timestamp) -> Box<dyn Iterator<Item = Time> + '_> {
        match self.rule {
            Rule::None | Rule::Once(_) | Rule::Countdown(_) | Rule::AfterDone(_) => Box::new(std::iter::empty()),
            Rule::Interval(interval) => {
                let step = interval.every.as_millis();
                // As a person would count: so many whole steps have passed.
                let passed = (start.since(interval.from).as_millis() / step - 1).max(0);
                let count = interval.count.map_or(i64::MAX, i64::from);
                let until = interval.until.unwrap_or(Timestamp::MAX);
                let due = move |n: i64| interval.from.saturating_add(Span::from_millis(step * n));
                let times = (passed..count).map(due).take_while(move |due| *due <= until);
                Box::new(times.map(|due| Time {
                    key: OccurrenceKey::Instant(due),
                    nominal: Nominal::Instant(due),
                    due,
                }))
            }
            Rule::Calendar(calendar) => self.dates(start, calendar.from, calendar.count, calendar.until),
            Rule::Cron(cron) => self.dates(start, cron.from, cron.count, cron.until),
        }
    }

    fn dates(
        &self,
        start: Timestamp,
        from: NaiveDateTime,
        count: Option<u32>,
        until: Option<NaiveDateTime>,
    ) -> Box<dyn Iterator<Item = Time> + '_> {
        let days = self.days.expect("such a rule speaks of dates");
        let near = shown_at(start, self.zone).date().checked_sub_days(DaysOf::new(3)).expect("after Christ");
        // Who counts has to begin with the first.
        let first = if count.is_some() { from.date() } else { near.max(from.date()) };
        let from = chrono::Timelike::with_nanosecond(&from, 0).expect("zero");
        let dates = (0..WALK_DAYS).map(move |day| first + DaysOf::new(day));
        let mut last = None;
        let times = dates
            .take_while(move |date| until.is_none_or(|until| *date <= until.date()))
            .flat_map(move |date| self.on(days, date, from, until))
            // Two times that one jump of the hands swallows are one.
            .filter(move |time| last.replace(time.due).is_none_or(|last| time.due > last));
        Box::new(times.take(count.map_or(usize::MAX, |count| usize::try_from(count).expect("small"))))
    }

    fn on(&self, days: &Days, date: NaiveDate, from: NaiveDateTime, until: Option<NaiveDateTime>) -> Vec<Time> {
        let mut times = Vec::new();
        let locals = days.on(date);
        if locals.is_empty() || !has_date(date, self.zone) {
            return times;
        }
        for local in locals.into_iter().filter(|local| *local >= from && until.is_none_or(|until| *local <= until)) {
            let due = first_reading(local, self.zone);
            if days.is_hourly() {
                let both = [Some(due), second_reading(local, self.zone)];
                times.extend(both.into_iter().flatten().map(|due| Time {
                    key: OccurrenceKey::Instant(due),
                    nominal: Nominal::Instant(due),
                    due,
                }));
            } else {
                let several = days.is_several_a_day();
                let key = if several { OccurrenceKey::DateTime(local) } else { OccurrenceKey::Date(date) };
                times.push(Time { key, nominal: Nominal::Local(local), due });
            }
        }
        times.sort_by_key(|time| time.due);
        times
    }
}
