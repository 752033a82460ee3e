//! What do `--cron`, `--rrule`, `--from` and `--until` mean: a rule as programs write it, and where a repetition begins
//! and ends?
//!
//! The limits are time phrases of their own. Where a rule begins decides its place in its cycle and, where it names no time
//! of day, that too; so its words are read as if they were said just before.

use chrono::{NaiveDateTime, NaiveTime};

use crate::domain::schedule::{Rule, Schedule};
use crate::domain::time::{Span, Timestamp, resolve};
use crate::when::resolve::{Here, Said};
use crate::when::{Context, Grain, TimeError, TimeReading, parse_time, typed};

/// The longest text that is read, in bytes: twice what a title may have. What is longer is no sentence, and would only
/// cost time.
pub(super) const TEXT_MAX: usize = 8 * 1024;

/// Refuses a text that is too long to be read.
pub(super) const fn within_length(text: &str) -> Result<(), TimeError> {
    if text.len() > TEXT_MAX { Err(TimeError::TooLong { span: 0..text.len() }) } else { Ok(()) }
}

/// The phrases that limit a repetition.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Limits<'a> {
    /// Its first time.
    pub from: Option<&'a str>,
    /// Its last time, or the day of it.
    pub until: Option<&'a str>,
}

/// Limits that have been read.
#[derive(Clone, Debug)]
pub struct Bounds {
    from: Option<TimeReading>,
    until: Option<(NaiveDateTime, Said)>,
    context: Context,
}

/// Reads a cron expression, and nothing else.
///
/// # Errors
/// It is none, or it never matches.
pub fn parse_cron(text: &str, context: &Context) -> Result<TimeReading, TimeError> {
    within_length(text)?;
    typed::read_cron(text, typed::trimmed(text), context)
}

/// Reads a recurrence rule of RFC 5545, and nothing else.
///
/// # Errors
/// It is none, or it never matches.
pub fn parse_rrule(text: &str, context: &Context) -> Result<TimeReading, TimeError> {
    within_length(text)?;
    typed::read_rrule(text, typed::trimmed(text), context)
}

impl Limits<'_> {
    /// Returns whether there are none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.from.is_none() && self.until.is_none()
    }

    /// Reads the phrases.
    ///
    /// # Errors
    /// One of them is no time, has passed, or repeats itself.
    pub fn read(&self, context: &Context) -> Result<Bounds, TimeError> {
        let from = self.from.map(|text| single(text, context)).transpose()?;
        let until = self.until.map(|text| end(text, context)).transpose()?;
        Ok(Bounds { from, until, context: context.clone() })
    }
}

impl Bounds {
    /// Returns the context in which the repetition is to be read.
    #[must_use]
    pub fn context(&self) -> Context {
        let Some(from) = &self.from else { return self.context.clone() };
        let local = from.due.local(self.zone());
        let mut inner = self.context.clone();
        let start = if from.grain <= Grain::Hour {
            inner.settings.date_only = local.time();
            Some(from.due)
        } else {
            // A day alone begins with its first moment: the rule's own time of day counts.
            resolve(local.date().and_time(NaiveTime::MIN), self.zone()).map(|(at, _)| at)
        };
        let before = start.and_then(|start| start.checked_add(Span::from_millis(-1))).unwrap_or(Timestamp::MIN);
        inner.now = before.max(self.context.now);
        inner
    }

    /// Puts the limits into a reading from [`Bounds::context`].
    ///
    /// # Errors
    /// What was read does not repeat, or nothing of it lies within the limits.
    pub fn close(&self, mut reading: TimeReading) -> Result<TimeReading, TimeError> {
        self.limit(&mut reading.schedule)?;
        let zone = reading.schedule.zone.unwrap_or(self.context.zone);
        let first = reading.schedule.next_after(None, self.context.now, zone);
        reading.due = first.ok_or_else(|| self.here(&reading.schedule.text).nothing_ahead())?.due;
        Ok(reading)
    }

    /// Puts the limits into a schedule.
    ///
    /// # Errors
    /// It does not repeat, or has a count beside an end.
    pub fn limit(&self, schedule: &mut Schedule) -> Result<(), TimeError> {
        let here = self.here(&schedule.text);
        let is_counted = match &mut schedule.rule {
            Rule::Calendar(calendar) => {
                calendar.until = self.earlier(calendar.until);
                calendar.count.is_some()
            }
            Rule::Cron(cron) => {
                cron.until = self.earlier(cron.until);
                cron.count.is_some()
            }
            Rule::Interval(interval) => {
                if let Some(from) = &self.from {
                    interval.from = from.due;
                }
                if let Some((until, _)) = &self.until {
                    interval.until = Some(resolve(*until, here.zone).map_or(Timestamp::MAX, |(at, _)| at));
                }
                interval.count.is_some()
            }
            Rule::None | Rule::Once(_) | Rule::Countdown(_) | Rule::AfterDone(_) => {
                return Err(here.no_rule("only a repetition has a first and a last time"));
            }
        };
        if is_counted && self.until.is_some() {
            return Err(here.no_rule("a count and an end exclude each other"));
        }
        Ok(())
    }

    fn earlier(&self, own: Option<NaiveDateTime>) -> Option<NaiveDateTime> {
        match (&self.until, own) {
            (Some((until, _)), Some(own)) => Some(own.min(*until)),
            (Some((until, _)), None) => Some(*until),
            (None, own) => own,
        }
    }

    fn zone(&self) -> chrono_tz::Tz {
        self.from.as_ref().and_then(|from| from.zone).unwrap_or(self.context.zone)
    }

    fn here(&self, text: &str) -> Here<'_> {
        let said = match &self.until {
            Some((_, said)) => said.clone(),
            None => Said { words: text.to_owned(), span: 0..text.len() },
        };
        Here::new(&self.context, None, said)
    }
}

/// Reads one moment.
fn single(text: &str, context: &Context) -> Result<TimeReading, TimeError> {
    let reading = parse_time(text, context)?;
    if reading.schedule.rule.is_series() {
        let said = Said { words: text.trim().to_owned(), span: 0..text.len() };
        return Err(Here::new(context, None, said).no_rule("expected one time, found a repetition"));
    }
    Ok(reading)
}

/// Reads the end of a repetition: a time of day is itself the last, a day counts whole.
fn end(text: &str, context: &Context) -> Result<(NaiveDateTime, Said), TimeError> {
    let reading = single(text, context)?;
    let local = reading.due.local(context.zone);
    let last_second = NaiveTime::from_hms_opt(23, 59, 59).unwrap_or(NaiveTime::MIN);
    let until = if reading.grain <= Grain::Hour { local } else { local.date().and_time(last_second) };
    Ok((until, Said { words: text.trim().to_owned(), span: 0..text.len() }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::when::parse_every;
    use crate::when::tests::context_at;

    fn now() -> Context {
        context_at("2026-05-13 16:00", "America/New_York")
    }

    /// Reads a rule between limits and returns its next times, up to three.
    fn next(
        limits: Limits<'_>,
        read: impl FnOnce(&Context) -> Result<TimeReading, TimeError>,
    ) -> Result<Vec<String>, TimeError> {
        let context = now();
        let bounds = limits.read(&context)?;
        let reading = bounds.close(read(&bounds.context())?)?;
        let mut times = Vec::new();
        let mut last = None;
        while times.len() < 3
            && let Some(instance) = reading.schedule.next_after(last.as_ref(), context.now, context.zone)
        {
            times.push(instance.due.local(context.zone).format("%m-%d %H:%M").to_string());
            last = Some(instance);
        }
        Ok(times)
    }

    #[track_caller]
    fn check(
        from: Option<&str>,
        until: Option<&str>,
        read: impl FnOnce(&Context) -> Result<TimeReading, TimeError>,
        expected: &[&str],
    ) {
        assert_eq!(next(Limits { from, until }, read).expect("times"), expected);
    }

    #[test]
    fn the_first_time_gives_the_place_in_the_cycle_and_the_time_of_day() {
        let rrule = |context: &Context| parse_rrule("FREQ=WEEKLY;INTERVAL=2;BYDAY=SA", context);
        check(Some("2026-05-23 10:00"), None, rrule, &["05-23 10:00", "06-06 10:00", "06-20 10:00"]);
        let monthly = |context: &Context| parse_rrule("FREQ=MONTHLY", context);
        check(Some("2026-06-01 00:00"), None, monthly, &["06-01 00:00", "07-01 00:00", "08-01 00:00"]);
        let fortnight = |context: &Context| parse_every("2 weeks", context);
        check(Some("june 3 at 7:30"), None, fortnight, &["06-03 07:30", "06-17 07:30", "07-01 07:30"]);
        let hours = |context: &Context| parse_every("6 hours", context);
        check(Some("tomorrow 7am"), None, hours, &["05-14 07:00", "05-14 13:00", "05-14 19:00"]);
    }

    #[test]
    fn a_day_as_beginning_leaves_the_time_of_day_to_the_rule() {
        let daily = |context: &Context| parse_every("day at 8am", context);
        check(Some("june 1"), None, daily, &["06-01 08:00", "06-02 08:00", "06-03 08:00"]);
        let cron = |context: &Context| parse_cron("30 7 * * MON", context);
        check(Some("june 1"), Some("june 10"), cron, &["06-01 07:30", "06-08 07:30"]);
    }

    #[test]
    fn an_end_counts_whole_where_it_is_a_day() {
        let daily = |context: &Context| parse_every("day at 6pm", context);
        check(None, Some("tomorrow"), daily, &["05-13 18:00", "05-14 18:00"]);
        check(None, Some("tomorrow 5pm"), daily, &["05-13 18:00"]);
    }

    #[test]
    fn what_cannot_be_limited_or_never_comes_is_refused() {
        let refused = |limits: Limits<'_>, text: &'static str| {
            next(limits, |context| parse_rrule(text, context)).expect_err("refused").to_string()
        };
        let none = Limits::default();
        assert!(refused(none, "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30").contains("no time ahead"));
        let until = Limits { until: Some("friday"), ..none };
        assert!(refused(until, "FREQ=DAILY;COUNT=3").contains("exclude each other"));
        assert!(refused(Limits { from: Some("every day"), ..none }, "FREQ=DAILY").contains("found a repetition"));
        let once = next(until, |context| parse_time("tomorrow", context)).expect_err("refused");
        assert!(once.to_string().contains("only a repetition"), "{once}");
        let never = next(none, |context| parse_cron("0 9 31 2 *", context));
        assert!(never.is_err(), "{never:?}");
        assert!(next(none, |context| parse_cron("0 9 * *", context)).is_err());
    }
}
