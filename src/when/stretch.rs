//! Which days does "this week", "june" or "2026-06-01..2026-06-30" name?

use std::ops::Range;

use chrono::{Datelike, Months, NaiveDate, NaiveDateTime, NaiveTime};
use chrono_tz::Tz;

use crate::domain::time::{Span, Timestamp, add_days, resolve};
use crate::when::error::TimeError;
use crate::when::grammar::{Amount, Words, amount};
use crate::when::lexicon::{Meaning, lexemes};
use crate::when::limits::within_length;
use crate::when::token::tokens;
use crate::when::{Context, Grain, TimeReading, parse_time};

/// What stands between two ends.
const BETWEEN: [&str; 6] = ["..", " to ", " until ", "到", "至", " - "];

/// What says that an amount lies ahead.
const AHEAD: [&str; 9] = ["the next ", "next ", "the coming ", "coming ", "未来", "未來", "接下来", "接下來", "今后"];

/// Reads a stretch of time: `today`, `this week`, `june`, `2 weeks`, `next 3 months`, `2026-06-01..2026-06-30`. A day
/// counts whole, from midnight to midnight; an amount begins now. The end is the first instant that is not meant.
///
/// # Errors
/// The words name no time, or a repetition, or the end does not lie behind the beginning.
pub fn parse_stretch(text: &str, context: &Context) -> Result<Range<Timestamp>, TimeError> {
    within_length(text)?;
    let text = text.trim();
    if let Some(ahead) = ahead(text, context) {
        return Ok(context.now..ahead);
    }
    match between(text, context) {
        Some(Ok(stretch)) => Ok(stretch),
        Some(Err(error)) if text.contains(BETWEEN[0]) => Err(error),
        // What only looks like two ends may be one time.
        Some(Err(_)) | None => period(text, context, TimeOfDay::ItsDay),
    }
}

/// Reads one end: a day or more as [`parse_stretch`] does, a time of day as itself, which begins and ends at once.
///
/// # Errors
/// The words name no time, or a repetition.
pub fn parse_bound(text: &str, context: &Context) -> Result<Range<Timestamp>, TimeError> {
    within_length(text)?;
    period(text, context, TimeOfDay::Itself)
}

/// What a time of day stands for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum TimeOfDay {
    ItsDay,
    Itself,
}

/// Reads two ends: from the beginning of the one up to the end of the other.
fn between(text: &str, context: &Context) -> Option<Result<Range<Timestamp>, TimeError>> {
    BETWEEN.iter().find_map(|mark| {
        let (from, to) = text.split_once(mark)?;
        let start =
            if from.trim().is_empty() { Ok(context.now) } else { parse_bound(from, context).map(|from| from.start) };
        Some(start.and_then(|start| {
            // "mon..fri" is the friday behind that monday.
            let behind = Context { now: start.max(context.now), ..context.clone() };
            let end = parse_bound(to, &behind)?.end;
            if start < end { Ok(start..end) } else { Err(none(text, "the end lies before the beginning")) }
        }))
    })
}

/// Returns where an amount from now on ends, `None` where the words are none.
fn ahead(text: &str, context: &Context) -> Option<Timestamp> {
    let lower = text.to_lowercase();
    let rest = AHEAD.iter().find_map(|word| lower.strip_prefix(word));
    // 六月 is June rather than six months.
    let is_month = || parse_time(text, context).is_ok_and(|read| read.grain == Grain::Month);
    if rest.is_none() && is_month() {
        return None;
    }
    let rest = rest.unwrap_or(&lower);
    let lexemes = lexemes(&tokens(rest));
    let words = Words::new(&lexemes);
    let found = amount(&words, 0).filter(|found| words.is_end(found.next))?;
    let Amount { months, days, millis } = found.amount;
    // "next month" is a month of the calendar, "monday" a day.
    if (months, days, millis) == (0, 0, 0) || words.has(0, Meaning::Next) {
        return None;
    }
    let local = context.now.local(context.zone);
    let date = local.date().checked_add_months(Months::new(u32::try_from(months).ok()?))?;
    let date = add_days(date, days)?;
    let at = at(date.and_time(local.time()), context.zone);
    Some(at.saturating_add(Span::from_millis(millis)))
}

/// Reads a day, a week, a month or a year.
fn period(text: &str, context: &Context, time_of_day: TimeOfDay) -> Result<Range<Timestamp>, TimeError> {
    let text = text.trim();
    let zone = context.zone;
    let today = context.now.local(zone).date();
    if let Some(dates) = typed(text) {
        return days(dates, zone).ok_or_else(|| none(text, "the year lies outside 1970 to 9999"));
    }
    // What of today has passed is a part of today.
    let morning = at(today.and_time(NaiveTime::MIN), zone);
    let read = parse_time(text, &Context { now: morning, ..context.clone() })?;
    if read.schedule.rule.is_series() {
        return Err(none(text, "expected a day or more, found a repetition"));
    }
    if time_of_day == TimeOfDay::Itself && read.grain <= Grain::Hour {
        return Ok(read.due..read.due);
    }
    days(dates_of(text, &read, today, zone), zone).ok_or_else(|| none(text, "it lies outside 1970 to 9999"))
}

/// Reads a date, a month or a year as programs write them; those may have passed.
fn typed(text: &str) -> Option<Range<NaiveDate>> {
    let first = |text: String| text.parse::<NaiveDate>().ok();
    if let Some(date) = first(text.to_owned()) {
        return Some(date..date.succ_opt()?);
    }
    let is_digits = |text: &str, len: usize| text.len() == len && text.bytes().all(|byte| byte.is_ascii_digit());
    match text.split_once('-') {
        Some((year, month)) if is_digits(year, 4) && is_digits(month, 2) => {
            let date = first(format!("{text}-01"))?;
            Some(date..date.checked_add_months(Months::new(1))?)
        }
        None if is_digits(text, 4) && ("1970".."9999").contains(&text) => {
            let date = first(format!("{text}-01-01"))?;
            Some(date..date.checked_add_months(Months::new(12))?)
        }
        Some(_) | None => None,
    }
}

fn dates_of(text: &str, read: &TimeReading, today: NaiveDate, zone: Tz) -> Range<NaiveDate> {
    let date = read.due.local(read.zone.unwrap_or(zone)).date();
    let plus = |date: NaiveDate, days: i64| add_days(date, days).unwrap_or(NaiveDate::MAX);
    let months = |date: NaiveDate, months: u32| date.checked_add_months(Months::new(months)).unwrap_or(NaiveDate::MAX);
    let days_since_monday = i64::from(date.weekday().num_days_from_monday());
    let is_weekend = ["weekend", "周末", "週末"].iter().any(|word| text.to_lowercase().contains(word));
    match read.grain {
        Grain::Second | Grain::Minute | Grain::Hour | Grain::Day => date..plus(date, 1),
        Grain::Week if is_weekend => date..plus(date, 7 - days_since_monday),
        Grain::Week => plus(date, -days_since_monday)..plus(date, 7 - days_since_monday),
        Grain::Month => {
            let first = date.with_day(1).unwrap_or(date);
            first..months(first, 1)
        }
        // "this year" said in its middle begins today.
        Grain::Year => {
            let first = date.with_ordinal(1).unwrap_or(today);
            first..months(first, 12)
        }
    }
}

fn days(dates: Range<NaiveDate>, zone: Tz) -> Option<Range<Timestamp>> {
    let start = |date: NaiveDate| resolve(date.and_time(NaiveTime::MIN), zone).map(|(at, _)| at);
    Some(start(dates.start)?..start(dates.end).unwrap_or(Timestamp::MAX))
}

fn at(local: NaiveDateTime, zone: Tz) -> Timestamp {
    resolve(local, zone).map_or(Timestamp::MAX, |(at, _)| at)
}

fn none(text: &str, reason: &'static str) -> TimeError {
    TimeError::Impossible { words: text.to_owned(), span: 0..text.len(), reason, proposal: None }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::when::tests::context_at;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let context = context_at("2026-05-13 16:00", "America/New_York");
        let told = |at: Timestamp| at.local(context.zone).format("%Y-%m-%d %H:%M").to_string().replace(" 00:00", "");
        let found = parse_stretch(text, &context);
        let found =
            found.map_or_else(|error| error.to_string(), |found| format!("{}..{}", told(found.start), told(found.end)));
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn days_weeks_months_and_years_count_whole() {
        check("today", "2026-05-13..2026-05-14");
        check("tomorrow", "2026-05-14..2026-05-15");
        check("friday", "2026-05-15..2026-05-16");
        check("this week", "2026-05-11..2026-05-18");
        check("next week", "2026-05-18..2026-05-25");
        check("this weekend", "2026-05-16..2026-05-18");
        check("june", "2026-06-01..2026-07-01");
        check("june 2027", "2027-06-01..2027-07-01");
        check("this month", "2026-05-01..2026-06-01");
        check("next month", "2026-06-01..2026-07-01");
        check("this year", "2026-01-01..2027-01-01");
        check("2026-06-01", "2026-06-01..2026-06-02");
        check("2026-02", "2026-02-01..2026-03-01");
        check("2027", "2027-01-01..2028-01-01");
        check("2026-03-08", "2026-03-08..2026-03-09");
    }

    #[test]
    fn an_amount_begins_now() {
        check("2 weeks", "2026-05-13 16:00..2026-05-27 16:00");
        check("7 days", "2026-05-13 16:00..2026-05-20 16:00");
        check("next 3 months", "2026-05-13 16:00..2026-08-13 16:00");
        check("the next 12 hours", "2026-05-13 16:00..2026-05-14 04:00");
    }

    #[test]
    fn two_ends_count_whole() {
        check("2026-06-01..2026-06-30", "2026-06-01..2026-07-01");
        check("monday..friday", "2026-05-18..2026-05-23");
        check("june 1 to june 10", "2026-06-01..2026-06-11");
        check("..friday", "2026-05-13 16:00..2026-05-16");
        check("2026-06-30..2026-06-01", "cannot set \"2026-06-30..2026-06-01\": the end lies before the beginning");
    }

    #[test]
    fn chinese_says_the_same() {
        check("今天", "2026-05-13..2026-05-14");
        check("明天", "2026-05-14..2026-05-15");
        check("本周", "2026-05-11..2026-05-18");
        check("下周", "2026-05-18..2026-05-25");
        check("周末", "2026-05-16..2026-05-18");
        check("六月", "2026-06-01..2026-07-01");
        check("下个月", "2026-06-01..2026-07-01");
        check("明年", "2027-01-01..2028-01-01");
        check("两周", "2026-05-13 16:00..2026-05-27 16:00");
        check("未来三个月", "2026-05-13 16:00..2026-08-13 16:00");
        check("6月1日到6月10日", "2026-06-01..2026-06-11");
    }

    #[test]
    fn what_is_no_stretch_is_refused() {
        check("every day", "cannot set \"every day\": expected a day or more, found a repetition");
        check("tea", "cannot find a time in \"tea\"");
    }
}
