//! Which local time of a cron expression is next?
//!
//! Expressions have five fields, six with seconds before them, or seven with a year behind; `? L W #` and names are
//! known, 0 and 7 are Sunday, and a day matches by its day of the month or its weekday when both are given.

use std::str::FromStr as _;

use chrono::{NaiveDateTime, TimeDelta, Timelike};
use chrono_tz::Tz;

use crate::domain::occurrence::Instance;
use crate::domain::schedule::ScheduleError;
use crate::domain::schedule::local::{self, Reading};
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
            Reading { zone, is_at_most_daily: self.is_at_most_daily(), until: self.until, cursor: cursor.copied() };
        let count = self.count.map_or(usize::MAX, |count| usize::try_from(count).unwrap_or(usize::MAX));
        let mut next = self.parse().ok().map(|pattern| (pattern, self.start_near(cursor, floor, zone), true));
        let locals = std::iter::from_fn(move || {
            let (pattern, from, is_inclusive) = next.as_mut()?;
            // An expression that never matches again ends its own search.
            let found = pattern.find_next_occurrence(&from.and_utc(), *is_inclusive).ok()?.naive_utc();
            *from = found;
            *is_inclusive = false;
            Some(found)
        });
        local::instances(locals.take(count), reading)
    }

    pub(super) fn parse(&self) -> Result<croner::Cron, ScheduleError> {
        croner::Cron::from_str(&self.expression).map_err(|error| ScheduleError::UnreadableCron {
            expression: self.expression.clone(),
            reason: error.to_string(),
        })
    }

    /// Returns where the search may start without changing its results; counted rules are walked from their start.
    fn start_near(&self, cursor: Option<&Instance>, floor: Timestamp, zone: Tz) -> NaiveDateTime {
        let from = self.from.with_nanosecond(0).unwrap_or(self.from);
        if self.count.is_some() {
            return from;
        }
        let cursor_due = cursor.map_or(Timestamp::MIN, |cursor| cursor.due);
        // Two days of margin cover every zone's distance from another.
        let near = floor.max(cursor_due).local(zone).checked_sub_signed(TimeDelta::days(2));
        near.and_then(|near| near.with_nanosecond(0)).map_or(from, |near| from.max(near))
    }

    /// Returns the expression in English words, `None` where it cannot be read.
    #[must_use]
    pub fn in_words(&self) -> Option<String> {
        let words = self.parse().ok()?.describe();
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

    fn is_at_most_daily(&self) -> bool {
        let fields: Vec<&str> = self.expression.split_whitespace().collect();
        let is_single = |field: &&str| field.bytes().all(|byte| byte.is_ascii_digit());
        match fields.as_slice() {
            [name] => !name.eq_ignore_ascii_case("@hourly"),
            [minute, hour, _, _, _] => [minute, hour].into_iter().all(is_single),
            [second, minute, hour, _, _, _] | [second, minute, hour, _, _, _, _] => {
                [second, minute, hour].into_iter().all(is_single)
            }
            _ => false,
        }
    }
}
