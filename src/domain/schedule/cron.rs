//! Which local time of a cron expression is next?
//!
//! Expressions have five fields, six with seconds before them, or seven with a year behind; `? L W #` and names are
//! known, 0 and 7 are Sunday, and a day matches by its day of the month or its weekday when both are given.

use std::str::FromStr as _;

use chrono::{Datelike, NaiveDateTime, TimeDelta, Timelike};
use chrono_tz::Tz;

use crate::domain::occurrence::Instance;
use crate::domain::schedule::ScheduleError;
use crate::domain::schedule::local::{self, Naming, Reading};
use crate::domain::time::Timestamp;

/// A recurrence of local dates and times as cron writes it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cron {
    /// The expression, such as `0 9 * * MON-FRI`.
    pub expression: String,
    /// The first local time that may be an instance.
    pub from: NaiveDateTime,
    /// How many in all.
    pub count: Option<u32>,
    /// The last local time that may be one.
    pub until: Option<NaiveDateTime>,
}

impl Cron {
    pub(super) fn instances(
        &self,
        cursor: Option<&Instance>,
        floor: Timestamp,
        zone: Tz,
    ) -> impl Iterator<Item = Instance> + use<> {
        let reading =
            Reading { zone, naming: self.naming(), count: self.count, until: self.until, cursor: cursor.copied() };
        let mut search = self.search().ok();
        let mut start = Some(self.start_near(cursor, floor, zone));
        let locals = std::iter::from_fn(move || search.as_mut()?.next(start.take()));
        local::instances(locals, reading)
    }

    /// Returns the search for local times.
    pub(super) fn search(&self) -> Result<Search, ScheduleError> {
        let (expression, days_before_last) = without_last(&self.expression);
        let pattern = croner::Cron::from_str(&expression).map_err(|error| ScheduleError::UnreadableCron {
            expression: self.expression.clone(),
            reason: error.to_string(),
        })?;
        let has_year = self.expression.split_whitespace().count() == 7;
        Ok(Search { pattern, days_before_last, has_year, last: None })
    }

    /// Returns where the search may start without changing its results; counted rules are walked from their start.
    fn start_near(&self, cursor: Option<&Instance>, floor: Timestamp, zone: Tz) -> NaiveDateTime {
        let from = self.from.with_nanosecond(0).unwrap_or(self.from);
        if self.count.is_some() {
            return from;
        }
        let behind = cursor.map_or(Timestamp::MIN, |cursor| cursor.due);
        from.max(local::near(floor.max(behind), zone))
    }

    /// Returns the expression in English words, `None` where it cannot be read.
    #[must_use]
    pub fn in_words(&self) -> Option<String> {
        if without_last(&self.expression).1.is_some() {
            return None;
        }
        let words = self.search().ok()?.pattern.describe();
        let words = words.trim_end_matches('.');
        let mut letters = words.chars();
        letters.next().map(|first| first.to_lowercase().chain(letters).collect())
    }

    /// Returns whether both a day of the month and a weekday are given, of which either is enough.
    #[must_use]
    pub fn has_either_day(&self) -> bool {
        let fields: Vec<&str> = self.expression.split_whitespace().collect();
        let ([_, _, day, _, weekday] | [_, _, _, day, _, weekday] | [_, _, _, day, _, weekday, _]) = fields.as_slice()
        else {
            return false;
        };
        let is_given = |field: &str| !field.starts_with(['*', '?', '+']);
        is_given(day) && is_given(weekday)
    }

    /// Returns what names an instance: one time of day leaves one a day, `*` as hour one in every hour.
    fn naming(&self) -> Naming {
        let fields: Vec<&str> = self.expression.split_whitespace().collect();
        let is_single = |field: &str| field.bytes().all(|byte| byte.is_ascii_digit());
        let (times, hour) = match fields.as_slice() {
            [name] if name.eq_ignore_ascii_case("@hourly") => return Naming::Instant,
            [_] => return Naming::Date,
            [minute, hour, _, _, _] => (vec![*minute, *hour], *hour),
            [second, minute, hour, _, _, _] | [second, minute, hour, _, _, _, _] => {
                (vec![*second, *minute, *hour], *hour)
            }
            _ => return Naming::DateTime,
        };
        if times.into_iter().all(is_single) {
            Naming::Date
        } else if matches!(hour, "*" | "?" | "*/1" | "0-23" | "0-23/1") {
            Naming::Instant
        } else {
            Naming::DateTime
        }
    }
}

/// A walk through the local times of an expression.
pub(super) struct Search {
    pattern: croner::Cron,
    /// `L-3`: only so many days before the last of a month, which the crate cannot say.
    days_before_last: Option<u32>,
    has_year: bool,
    last: Option<NaiveDateTime>,
}

impl Search {
    /// Returns the next local time: from `start` on where it is given, else behind the one before.
    fn next(&mut self, start: Option<NaiveDateTime>) -> Option<NaiveDateTime> {
        let (mut from, mut is_inclusive) = match start {
            Some(start) => (start, true),
            None => (self.last?, false),
        };
        // An expression that never matches again ends its own search; with `L-n` a month has one match at most, and
        // so have at least 100 years.
        for _ in 0..NEAR_LAST_MAX {
            let found = self.find(from, is_inclusive)?;
            self.last = Some(found);
            let is_meant =
                self.days_before_last.is_none_or(|days| found.day() + days == u32::from(found.num_days_in_month()));
            if is_meant {
                return Some(found);
            }
            (from, is_inclusive) = (found, false);
        }
        self.last = None;
        None
    }

    fn find(&self, from: NaiveDateTime, is_inclusive: bool) -> Option<NaiveDateTime> {
        let moved = if self.has_year { TimeDelta::zero() } else { local::to_last_centuries(from, LAST_CENTURIES) };
        let near = from.checked_add_signed(moved)?;
        let found = self.pattern.find_next_occurrence(&near.and_utc(), is_inclusive).ok()?.naive_utc();
        found.checked_sub_signed(moved)
    }
}

/// Where the last 400 years begin in which the crate, whose calendar ends with the year 5000, has 40 ahead: no day of a
/// month falls on a given weekday more rarely.
const LAST_CENTURIES: i64 = 4560;

/// How many days near a month's end are looked at for `L-n`: four in each month, and every minute of them.
const NEAR_LAST_MAX: u32 = 4 * 1440 * 12;

/// Returns the expression with `L-3` as day of the month replaced by the days that this may be, and how many days before
/// the last are meant. Beside a weekday it stays, since either would then be enough.
fn without_last(expression: &str) -> (String, Option<u32>) {
    let mut fields: Vec<&str> = expression.split_whitespace().collect();
    let day = match fields.len() {
        5 => 2,
        6 | 7 => 3,
        _ => return (expression.to_owned(), None),
    };
    let days = fields[day].strip_prefix(['L', 'l']).and_then(|rest| rest.strip_prefix('-'));
    let days = days.and_then(|days| days.parse::<u32>().ok()).filter(|days| (1..=27).contains(days));
    let Some(days) = days.filter(|_| matches!(fields[day + 2], "*" | "?")) else {
        return (expression.to_owned(), None);
    };
    let range = format!("{}-{}", 28 - days, 31 - days);
    fields[day] = &range;
    (fields.join(" "), Some(days))
}
