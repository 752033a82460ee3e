//! Which days does "this week", "june" or "2026-06-01..2026-06-30" name?

use std::ops::Range;

use chrono::{Datelike, Months, NaiveDate, NaiveDateTime, NaiveTime, Timelike};
use chrono_tz::Tz;

use crate::domain::time::{Span, Timestamp, add_days, resolve};
use crate::when::error::TimeError;
use crate::when::grammar::{Amount, Day, Words, amount};
use crate::when::lexicon::{Meaning, lexemes};
use crate::when::limits::within_length;
use crate::when::token::tokens;
use crate::when::{Context, Grain, TimeReading, is_time_of_day_alone, parse_time, phrase_alone};

/// What stands between two ends.
const BETWEEN: [&str; 6] = ["..", " to ", " until ", "到", "至", " - "];

/// What says that an amount lies ahead.
const AHEAD: [&str; 9] = ["the next ", "next ", "the coming ", "coming ", "未来", "未來", "接下来", "接下來", "今后"];

/// What says that all up to an end is meant.
const UP_TO: [&str; 3] = ["until ", "till ", "through "];

/// What makes a day one end of a stretch, before it.
const ONE_END_BEFORE: [&str; 6] = ["from ", "since ", "after ", "before ", "by ", "starting "];

/// What makes a day one end of a stretch, behind it.
const ONE_END_BEHIND: [&str; 10] = ["之前", "以前", "之后", "之後", "以后", "以後", "起", "开始", "開始", " onwards"];

/// Which night "10pm..6am" is, and which morning "9am..11am" is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reach {
    /// The first that has not ended.
    Ahead,
    /// Today's, also where it has passed.
    Today,
}

/// Reads a stretch of time: `today`, `this week`, `june`, `2 weeks`, `next 3 months`, `2026-06-01..2026-06-30`,
/// `10pm..6am`. A day counts whole, from midnight to midnight, and a part of one (`tomorrow morning`) from noon, six or
/// midnight to the next of them; an amount begins now. The end is the first instant that is not meant.
///
/// # Errors
/// The words name no time, or a repetition, one instant, or one end alone, or the end does not lie behind the beginning.
pub fn parse_stretch(text: &str, reach: Reach, context: &Context) -> Result<Range<Timestamp>, TimeError> {
    within_length(text)?;
    let text = text.trim();
    if let Some(ahead) = ahead(text, context) {
        return Ok(context.now..ahead);
    }
    if let Some((from, to)) = hyphenated(text, context) {
        return clock_to_clock(text, from, to, reach, context);
    }
    let lower = text.to_lowercase();
    if let Some(to) = UP_TO.iter().find_map(|word| lower.strip_prefix(word)) {
        return parse_stretch(&format!("..{to}"), reach, context);
    }
    if let Some(from) = text.strip_suffix(BETWEEN[0]).filter(|from| !from.trim().is_empty()) {
        return match reach {
            Reach::Today => Ok(parse_bound(from, context)?.start..Timestamp::MAX),
            Reach::Ahead => Err(none(text, "expected two ends, found a beginning")),
        };
    }
    match between(text, reach, context) {
        Some(Ok(stretch)) => Ok(stretch),
        Some(Err(error)) if text.contains(BETWEEN[0]) => Err(error),
        // What only looks like two ends may be one time.
        Some(Err(_)) | None => {
            let stretch = period(text, context, TimeOfDay::Refused)?;
            let is_one_end = ONE_END_BEFORE.iter().any(|word| lower.starts_with(word))
                || ONE_END_BEHIND.iter().any(|word| lower.ends_with(word));
            if is_one_end { Err(none(text, "expected a day or more, found one end of it")) } else { Ok(stretch) }
        }
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
    /// One instant is no stretch, and its day is not what was said; a part of the day is one.
    Refused,
    Itself,
}

/// Reads two ends: from the beginning of the one up to the end of the other.
fn between(text: &str, reach: Reach, context: &Context) -> Option<Result<Range<Timestamp>, TimeError>> {
    BETWEEN.iter().find_map(|mark| {
        let (from, to) = text.split_once(mark)?;
        let is_clock = |words: &str| is_time_of_day_alone(words, context);
        if is_clock(from) && is_clock(to) {
            return Some(clock_to_clock(text, from, to, reach, context));
        }
        let start =
            if from.trim().is_empty() { Ok(context.now) } else { parse_bound(from, context).map(|from| from.start) };
        Some(start.and_then(|start| {
            let end = end_behind(to, start, context)?;
            if start < end { Ok(start..end) } else { Err(none(text, "the end lies before the beginning")) }
        }))
    })
}

/// Reads the end of what begins at `start`.
fn end_behind(to: &str, start: Timestamp, context: &Context) -> Result<Timestamp, TimeError> {
    let read = |now: Timestamp| Ok(parse_bound(to, &Context { now, ..context.clone() })?.end);
    if is_time_of_day_alone(to, context) {
        // Of the day on which it begins, or of the one behind: "tomorrow 10pm..6am".
        let end = read(start.max(context.now))?;
        return if start < end { Ok(end) } else { read(midnight_behind(start, context.zone)) };
    }
    let end = read(context.now);
    // "mon..fri" is the friday behind that monday; "tomorrow" and "in 2 hours" are the same wherever they stand.
    let stays = |day: &Day| {
        matches!(day, Day::FromToday(_) | Day::WorkingDays(_) | Day::Date { year: Some(_), .. } | Day::Period(..))
    };
    let may_move =
        phrase_alone(to, context).is_none_or(|phrase| phrase.ahead.is_none() && !phrase.days.iter().any(stays));
    match end {
        Ok(end) if start < end || !may_move => Ok(end),
        Ok(_) | Err(_) => read(start.max(context.now)),
    }
}

/// Reads "10pm..6am": the end is of the same day or of the next one.
fn clock_to_clock(
    text: &str,
    from: &str,
    to: &str,
    reach: Reach,
    context: &Context,
) -> Result<Range<Timestamp>, TimeError> {
    let today = context.now.local(context.zone).date();
    let read = |days: i64| {
        let date = add_days(today, days).ok_or_else(|| none(text, "it lies outside 1970 to 9999"))?;
        let day = Context { now: at(date.and_time(NaiveTime::MIN), context.zone), ..context.clone() };
        let start = parse_bound(from, &day)?.start;
        Ok(start..end_behind(to, start, &day)?)
    };
    let first = if reach == Reach::Ahead { -1 } else { 0 };
    for days in first..1 {
        let found = read(days)?;
        if found.end > context.now || reach == Reach::Today {
            return Ok(found);
        }
    }
    read(1)
}

/// Parts "10pm-6am" and "22:00-07:00"; "10-12" may be a date.
fn hyphenated<'a>(text: &'a str, context: &Context) -> Option<(&'a str, &'a str)> {
    let (from, to) = text.split_once(['-', '–', '－'])?;
    let is_clock = |words: &str| is_time_of_day_alone(words, context);
    let is_number = |words: &str| words.trim().bytes().all(|byte| byte.is_ascii_digit());
    (!(is_number(from) && is_number(to)) && is_clock(from) && is_clock(to)).then_some((from, to))
}

/// Returns the first instant of the day after that of `instant`.
fn midnight_behind(instant: Timestamp, zone: Tz) -> Timestamp {
    let next = add_days(instant.local(zone).date(), 1).unwrap_or(NaiveDate::MAX);
    at(next.and_time(NaiveTime::MIN), zone)
}

/// Returns where an amount from now on ends, `None` where the words are none.
fn ahead(text: &str, context: &Context) -> Option<Timestamp> {
    let lower = text.to_lowercase();
    let rest = AHEAD.iter().find_map(|word| lower.strip_prefix(word));
    // 六月 is June rather than six months.
    let is_month = || {
        phrase_alone(text, context).is_some_and(|phrase| phrase.days.iter().any(|day| matches!(day, Day::Month { .. })))
    };
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
    match (time_of_day, read.grain) {
        (TimeOfDay::Itself, Grain::Second | Grain::Minute | Grain::Hour) => return Ok(read.due..read.due),
        (TimeOfDay::Refused, Grain::Second | Grain::Minute) => {
            return Err(none(text, "expected a day or more, found one time"));
        }
        (TimeOfDay::Refused, Grain::Hour) => return Ok(part_of_day(read.due, read.zone.unwrap_or(zone))),
        (TimeOfDay::Itself | TimeOfDay::Refused, Grain::Day | Grain::Week | Grain::Month | Grain::Year) => {}
    }
    days(dates_of(text, &read, today, zone), zone).ok_or_else(|| none(text, "it lies outside 1970 to 9999"))
}

/// Returns the part of the day in which `instant` lies: up to noon, up to six, up to midnight.
fn part_of_day(instant: Timestamp, zone: Tz) -> Range<Timestamp> {
    let local = instant.local(zone);
    let start = match local.hour() {
        0..12 => 0,
        12..18 => 12,
        _ => 18,
    };
    let begins = |hour: u32| at(local.date().and_time(NaiveTime::from_hms_opt(hour, 0, 0).unwrap_or_default()), zone);
    let end = if start == 18 { midnight_behind(instant, zone) } else { begins(if start == 0 { 12 } else { 18 }) };
    begins(start)..end
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
        let found = parse_stretch(text, Reach::Ahead, &context);
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
        check("1 month", "2026-05-13 16:00..2026-06-13 16:00");
        check("6 months", "2026-05-13 16:00..2026-11-13 16:00");
        check("1 year", "2026-05-13 16:00..2027-05-13 16:00");
        check("2 years", "2026-05-13 16:00..2028-05-13 16:00");
        check("a year", "2026-05-13 16:00..2027-05-13 16:00");
        check("next 12 months", "2026-05-13 16:00..2027-05-13 16:00");
        check("六个月", "2026-05-13 16:00..2026-11-13 16:00");
        check("6个月", "2026-05-13 16:00..2026-11-13 16:00");
        check("一年", "2026-05-13 16:00..2027-05-13 16:00");
    }

    #[test]
    fn a_night_ends_on_the_next_day() {
        for night in ["10pm..6am", "10pm to 6am", "22:00..06:00", "10pm-6am", "22:00-06:00", "晚上10点到早上6点"]
        {
            check(night, "2026-05-13 22:00..2026-05-14 06:00");
        }
        check("friday 10pm..6am", "2026-05-15 22:00..2026-05-16 06:00");
        check("tomorrow 10pm..6am", "2026-05-14 22:00..2026-05-15 06:00");
        check("..6am", "2026-05-13 16:00..2026-05-14 06:00");
        check("..8pm", "2026-05-13 16:00..2026-05-13 20:00");
    }

    #[test]
    fn hours_that_have_passed_are_those_of_the_next_day() {
        check("2am..4am", "2026-05-14 02:00..2026-05-14 04:00");
        check("9am..5pm", "2026-05-13 09:00..2026-05-13 17:00");
        let context = context_at("2026-05-13 02:00", "America/New_York");
        let hours = |text: &str, reach: Reach| {
            let found = parse_stretch(text, reach, &context).expect("two times of day");
            [found.start, found.end].map(|at| at.local(context.zone).format("%d %H:%M").to_string()).join("..")
        };
        assert_eq!(hours("10pm..6am", Reach::Ahead), "12 22:00..13 06:00", "the night that runs");
        assert_eq!(hours("10pm..6am", Reach::Today), "13 22:00..14 06:00");
        assert_eq!(hours("1am..1:30am", Reach::Today), "13 01:00..13 01:30");
        assert_eq!(hours("1am..1:30am", Reach::Ahead), "14 01:00..14 01:30");
    }

    #[test]
    fn two_ends_count_whole() {
        check("2026-06-01..2026-06-30", "2026-06-01..2026-07-01");
        check("monday..friday", "2026-05-18..2026-05-23");
        check("june 1 to june 10", "2026-06-01..2026-06-11");
        check("..friday", "2026-05-13 16:00..2026-05-16");
        check("thursday 2am..thursday 4am", "2026-05-14 02:00..2026-05-14 04:00");
        check("tomorrow 2am..tomorrow 4am", "2026-05-14 02:00..2026-05-14 04:00");
        check("tomorrow 2am..4am", "2026-05-14 02:00..2026-05-14 04:00");
        check("tomorrow..in 3 days", "2026-05-14..2026-05-17");
        check(
            "tomorrow 4am..tomorrow 2am",
            "cannot set \"tomorrow 4am..tomorrow 2am\": the end lies before the beginning",
        );
        check("明天凌晨2点到明天凌晨4点", "2026-05-14 02:00..2026-05-14 04:00");
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
    fn a_part_of_a_day_counts_whole() {
        check("tonight", "2026-05-13 18:00..2026-05-14");
        check("this morning", "2026-05-13..2026-05-13 12:00");
        check("tomorrow morning", "2026-05-14..2026-05-14 12:00");
        check("friday afternoon", "2026-05-15 12:00..2026-05-15 18:00");
        check("明天上午", "2026-05-14..2026-05-14 12:00");
    }

    #[test]
    fn one_time_is_no_stretch_and_its_day_is_not_taken_for_it() {
        for one in ["tomorrow 9am", "3pm", "from 3pm", "in 20 minutes", "friday 5pm", "noon", "now", "明天下午三点"]
        {
            check(one, &format!("cannot set {one:?}: expected a day or more, found one time"));
        }
        for end in ["from friday", "after friday", "before friday", "by friday", "周五之前", "周五以后"] {
            check(end, &format!("cannot set {end:?}: expected a day or more, found one end of it"));
        }
        check("friday..", "cannot set \"friday..\": expected two ends, found a beginning");
        check("until friday", "2026-05-13 16:00..2026-05-16");
        check("until 5pm", "2026-05-13 16:00..2026-05-13 17:00");
        let context = context_at("2026-05-13 16:00", "America/New_York");
        let open = parse_stretch("5pm..", Reach::Today, &context).expect("a filter may have no end");
        assert_eq!(open.end, Timestamp::MAX);
    }

    #[test]
    fn what_is_no_stretch_is_refused() {
        check("every day", "cannot set \"every day\": expected a day or more, found a repetition");
        check("tea", "cannot find a time in \"tea\"");
    }
}
