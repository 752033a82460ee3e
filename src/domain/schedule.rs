//! When a task comes up: one time, a countdown, an interval, or a calendar rule, and which instance is next.
//!
//! Calendar rules are expanded as local dates and times without any zone, and each result meets its zone in
//! [`crate::domain::time::resolve`]. So gaps and folds are decided in one place, for every kind of rule.

use chrono::{DateTime, NaiveDateTime, Timelike, Utc};
use chrono_tz::Tz;
use rrule::{Frequency, RRule, RRuleSet, Unvalidated};

use crate::domain::occurrence::{Instance, Nominal, OccurrenceKey};
use crate::domain::time::{Span, Timestamp, add_days, date_exists, resolve};

/// The shortest interval: finer ones would be a busy loop.
pub const INTERVAL_MIN: Span = Span::from_secs(1);

/// The most instances that one question looks at; a rule that has not answered by then never will (some 270 years of a
/// daily rule).
const INSTANCES_MAX: usize = 100_000;

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
}

/// Every so often: the first at `from`, then each `every` later. Absolute: clock changes do not move it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Interval {
    /// How often; at least [`INTERVAL_MIN`].
    pub every: Span,
    /// The first instance.
    pub from: Timestamp,
    /// How many in all.
    pub count: Option<u32>,
    /// The last instant that may be one.
    pub until: Option<Timestamp>,
}

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
    /// The rule repeats more often than daily, which intervals do.
    #[error("cannot use recurrence rule {rrule:?}: expected FREQ=DAILY or coarser, finer ones are intervals")]
    TooFine {
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
            Self::Interval(_) | Self::Calendar(_) => true,
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
        let mut passed = 0;
        let mut latest = None;
        for instance in self.instances(Some(cursor), Timestamp::MIN, device).take_while(|i| i.due <= now) {
            if latest.replace(instance).is_some() {
                passed += 1;
            }
        }
        latest.map(|instance| (instance, passed))
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

impl Interval {
    /// Returns instance `index`, counted from 0, or `None` past the end.
    fn at(&self, index: u64) -> Option<Instance> {
        if self.count.is_some_and(|count| index >= u64::from(count)) {
            return None;
        }
        let offset = self.every.as_millis().checked_mul(i64::try_from(index).ok()?)?;
        let due = self.from.checked_add(Span::from_millis(offset))?;
        let is_within = self.until.is_none_or(|until| due <= until);
        is_within.then_some(Instance { key: OccurrenceKey::Instant(due), nominal: Nominal::Instant(due), due })
    }

    /// Returns the index of the last instance due by `now`, `None` before the first.
    fn index_by(&self, now: Timestamp) -> Option<u64> {
        let last_due = self.until.map_or(now, |until| until.min(now));
        let index = u64::try_from(last_due.since(self.from).as_millis()).ok()?
            / u64::try_from(self.every.as_millis().max(1)).ok()?;
        match self.count {
            Some(count) => Some(index.min(u64::from(count).checked_sub(1)?)),
            None => Some(index),
        }
    }

    fn instances(&self, cursor: Option<&Instance>, floor: Timestamp) -> impl Iterator<Item = Instance> + use<> {
        let after_cursor = cursor.and_then(|cursor| self.index_by(cursor.due)).map_or(0, |index| index + 1);
        let at_floor = self.index_by(floor).unwrap_or(0);
        let interval = *self;
        (after_cursor.max(at_floor)..).map_while(move |index| interval.at(index))
    }
}

impl Calendar {
    fn instances(
        &self,
        cursor: Option<&Instance>,
        floor: Timestamp,
        zone: Tz,
    ) -> impl Iterator<Item = Instance> + use<> {
        let behind = cursor.copied();
        let start = self.start_near(behind.as_ref(), floor, zone);
        let expander = self.expander(start).ok();
        let is_at_most_daily = expander.as_ref().is_some_and(|(_, at_most_daily)| *at_most_daily);
        let until = self.until;
        let mut last_due = behind.map(|cursor| cursor.due);
        expander
            .map(|(set, _)| set)
            .into_iter()
            .flat_map(|set| set.into_iter().take(INSTANCES_MAX))
            .map(|at| at.with_timezone(&Utc).naive_utc())
            .take_while(move |local| until.is_none_or(|until| *local <= until))
            .filter(move |local| date_exists(local.date(), zone))
            .filter_map(move |local| {
                let key =
                    if is_at_most_daily { OccurrenceKey::Date(local.date()) } else { OccurrenceKey::DateTime(local) };
                let (due, _) = resolve(local, zone)?;
                Some(Instance { key, nominal: Nominal::Local(local), due })
            })
            .filter(move |instance| {
                // Invariant: instants grow strictly, so that two local times that one gap swallows ring once.
                let is_new = behind.is_none_or(|cursor| is_behind(instance, &cursor))
                    && last_due.is_none_or(|last| instance.due > last);
                if is_new {
                    last_due = Some(instance.due);
                }
                is_new
            })
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

    fn parse(&self) -> Result<RRule<Unvalidated>, ScheduleError> {
        self.rrule.parse::<RRule<Unvalidated>>().map_err(|error| self.unreadable(&error))
    }

    /// Returns the expansion from `start`, local times written as UTC, and whether it comes up at most daily.
    fn expander(&self, start: NaiveDateTime) -> Result<(RRuleSet, bool), ScheduleError> {
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

/// Returns whether `instance` comes after `cursor` by name: by local date or time where both are local, so that a
/// change of zone neither repeats nor loses a day, else by instant.
fn is_behind(instance: &Instance, cursor: &Instance) -> bool {
    match (&instance.key, &cursor.key) {
        (OccurrenceKey::Date(instance), OccurrenceKey::Date(cursor)) => instance > cursor,
        (OccurrenceKey::DateTime(instance), OccurrenceKey::DateTime(cursor)) => instance > cursor,
        (
            OccurrenceKey::Once | OccurrenceKey::Date(_) | OccurrenceKey::DateTime(_) | OccurrenceKey::Instant(_),
            OccurrenceKey::Once | OccurrenceKey::Date(_) | OccurrenceKey::DateTime(_) | OccurrenceKey::Instant(_),
        ) => instance.due > cursor.due,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn local(text: &str) -> NaiveDateTime {
        NaiveDateTime::parse_from_str(text, "%Y-%m-%d %H:%M").expect("a local time of the test's own")
    }

    fn zone(name: &str) -> Tz {
        name.parse().expect("a zone of the test's own")
    }

    fn instant(text: &str, zone: Tz) -> Timestamp {
        resolve(local(text), zone).expect("within range").0
    }

    fn calendar(rrule: &str, from: &str) -> Schedule {
        let calendar = Calendar { rrule: rrule.into(), from: local(from), count: None, until: None };
        Schedule { text: String::new(), rule: Rule::Calendar(calendar), zone: None }
    }

    #[track_caller]
    fn check(rrule: &str, from: &str, in_zone: &str, expected: &[&str]) {
        let schedule = calendar(rrule, from);
        let zone = zone(in_zone);
        let now = instant(from, zone);
        let found: Vec<String> = schedule
            .instances(None, now, zone)
            .filter(|instance| instance.due > now)
            .take(expected.len())
            .map(|instance| instance.due.in_zone(zone).to_rfc3339())
            .collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn a_daily_rule_keeps_its_hour_through_a_gap_and_a_fold() {
        check(
            "FREQ=DAILY;BYHOUR=2;BYMINUTE=30;BYSECOND=0",
            "2026-03-06 12:00",
            "America/New_York",
            &["2026-03-07T02:30:00-05:00", "2026-03-08T03:00:00-04:00", "2026-03-09T02:30:00-04:00"],
        );
        check(
            "FREQ=DAILY;BYHOUR=1;BYMINUTE=30;BYSECOND=0",
            "2026-10-31 12:00",
            "America/New_York",
            &["2026-11-01T01:30:00-04:00", "2026-11-02T01:30:00-05:00"],
        );
    }

    #[test]
    fn a_date_that_does_not_exist_has_no_instance() {
        check(
            "FREQ=DAILY;BYHOUR=7;BYMINUTE=0;BYSECOND=0",
            "2011-12-28 12:00",
            "Pacific/Apia",
            &["2011-12-29T07:00:00-10:00", "2011-12-31T07:00:00+14:00"],
        );
    }

    #[test]
    fn a_month_end_is_clamped_and_returns() {
        check(
            "FREQ=MONTHLY;BYMONTHDAY=28,29,30,31;BYSETPOS=-1;BYHOUR=9;BYMINUTE=0;BYSECOND=0",
            "2026-01-20 12:00",
            "Europe/Berlin",
            &["2026-01-31T09:00:00+01:00", "2026-02-28T09:00:00+01:00", "2026-03-31T09:00:00+02:00"],
        );
    }

    #[test]
    fn several_times_a_day_that_one_gap_swallows_ring_once() {
        check(
            "FREQ=DAILY;BYHOUR=2;BYMINUTE=0,30;BYSECOND=0",
            "2026-03-08 00:00",
            "America/New_York",
            &["2026-03-08T03:00:00-04:00", "2026-03-09T02:00:00-04:00", "2026-03-09T02:30:00-04:00"],
        );
    }

    #[test]
    fn a_fortnightly_rule_keeps_its_weeks_years_later() {
        let schedule = calendar("FREQ=WEEKLY;INTERVAL=2;BYDAY=TU;BYHOUR=9;BYMINUTE=0;BYSECOND=0", "2020-01-07 08:00");
        let berlin = zone("Europe/Berlin");
        let now = instant("2026-11-20 12:00", berlin);
        let near = schedule.next_after(None, now, berlin).expect("a next one");
        let walked = schedule.instances(None, Timestamp::MIN, berlin).find(|i| i.due > now).expect("a next one");
        assert_eq!(near, walked);
    }

    #[test]
    fn a_count_counts_from_the_start() {
        let Rule::Calendar(rule) = calendar("FREQ=DAILY;BYHOUR=9;BYMINUTE=0;BYSECOND=0", "2026-01-01 08:00").rule
        else {
            unreachable!("a calendar rule")
        };
        let rule = Rule::Calendar(Calendar { count: Some(3), ..rule });
        let schedule = Schedule { text: String::new(), rule, zone: None };
        let utc = Tz::UTC;
        assert_eq!(schedule.instances(None, Timestamp::MIN, utc).count(), 3);
        assert_eq!(schedule.next_after(None, instant("2026-01-03 10:00", utc), utc), None);
    }

    #[test]
    fn a_rule_that_cannot_be_read_or_is_too_fine_is_refused() {
        let error = calendar("FREQ=SOMETIMES", "2026-01-01 08:00").validate().expect_err("unreadable");
        assert!(error.to_string().starts_with("cannot read recurrence rule \"FREQ=SOMETIMES\""), "{error}");
        let error = calendar("FREQ=HOURLY", "2026-01-01 08:00").validate().expect_err("too fine");
        assert_eq!(
            error.to_string(),
            "cannot use recurrence rule \"FREQ=HOURLY\": expected FREQ=DAILY or coarser, finer ones are intervals"
        );
    }

    #[test]
    fn a_rule_that_never_matches_ends_its_search() {
        let schedule = calendar("FREQ=MONTHLY;BYMONTH=4;BYMONTHDAY=31", "2026-01-01 08:00");
        assert_eq!(schedule.next_after(None, Timestamp::MIN, Tz::UTC), None);
    }

    proptest! {
        #[test]
        fn an_interval_finds_what_walking_finds(
            every in 1_i64..100_000, from in 0_i64..1_000_000, now in 0_i64..3_000_000,
            cursor_index in 0_u64..40, count in proptest::option::of(1_u32..60),
        ) {
            let at = |millis| Timestamp::from_millis(millis).expect("small");
            let interval = Interval { every: Span::from_secs(every), from: at(from), count, until: None };
            let schedule = Schedule { text: String::new(), rule: Rule::Interval(interval), zone: None };
            if let Some(cursor) = interval.at(cursor_index) {
                let walked: Vec<Instance> = (cursor_index + 1..).map_while(|i| interval.at(i)).take_while(|i| i.due <= at(now)).collect();
                let latest = schedule.latest_by(&cursor, at(now), Tz::UTC);
                prop_assert_eq!(latest, walked.last().map(|last| (*last, walked.len() as u64 - 1)));
                let next = schedule.next_after(Some(&cursor), at(now), Tz::UTC);
                let expected = (cursor_index + 1..).map_while(|i| interval.at(i)).find(|i| i.due > at(now));
                prop_assert_eq!(next, expected);
            }
        }

        #[test]
        fn the_next_instance_is_ahead_and_skips_none(days in 0_i64..4000, hour in 0_u32..24, name in prop::sample::select(vec![
            "America/New_York", "Europe/Berlin", "Australia/Lord_Howe", "Pacific/Apia", "America/Havana", "Africa/Casablanca",
        ])) {
            let zone = zone(name);
            let schedule = calendar(&format!("FREQ=DAILY;BYHOUR={hour};BYMINUTE=30;BYSECOND=0"), "2010-01-01 00:00");
            let now = Timestamp::from_millis(1_262_304_000_000 + days * 86_400_000).expect("in range");
            let near = schedule.next_after(None, now, zone).expect("daily rules go on");
            prop_assert!(near.due > now);
            // 25 hours, and a day more where a date does not exist.
            prop_assert!(near.due.since(now).as_millis() <= 50 * 3_600_000);
            let walked = schedule.instances(None, Timestamp::MIN, zone).find(|i| i.due > now);
            prop_assert_eq!(Some(near), walked);
        }
    }
}
