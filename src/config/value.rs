//! What a value of the configuration file means.
//!
//! Never decides where a value goes, and never knows where in the file it stood.

use chrono::{NaiveTime, Weekday};
use toml::de::{DeArray, DeValue};

use crate::config::{Dialect, LogFormat, LogLevel};
use crate::domain::delivery::Target;
use crate::domain::quiet::{QuietHours, QuietRange, Weekdays};
use crate::domain::time::Span;

/// What would have been accepted, said so that it can follow "expected".
pub(super) type Expected = &'static str;

/// The longest grace: a firing that is a day old is late by any standard.
const GRACE_S_MAX: i64 = 86_400;

/// The longest snooze by default.
const SNOOZE_MAX: Span = Span::from_secs(366 * 86_400);

/// How many snoozes a popup offers: more buttons than this have no room in a row.
const SNOOZE_CHOICES_MAX: usize = 4;

/// Reads a number of seconds.
pub(super) fn grace(value: &DeValue<'_>) -> Result<Span, Expected> {
    let seconds = value.as_integer().and_then(|number| i64::from_str_radix(number.as_str(), number.radix()).ok());
    let held = seconds.filter(|seconds| (0..=GRACE_S_MAX).contains(seconds));
    held.map(Span::from_secs).ok_or("a whole number of seconds from 0 to 86400")
}

/// The most commands that may run at once: each takes three descriptors, and a process usually has 1,024.
const AT_ONCE_MAX: usize = 256;

/// Reads how many commands may run at once.
pub(super) fn at_once(value: &DeValue<'_>) -> Result<usize, Expected> {
    let count = value.as_integer().and_then(|number| usize::from_str_radix(number.as_str(), number.radix()).ok());
    count.filter(|count| (1..=AT_ONCE_MAX).contains(count)).ok_or("a whole number from 1 to 256")
}

/// Reads a time of day.
pub(super) fn clock_time(value: &DeValue<'_>) -> Result<NaiveTime, Expected> {
    value.as_str().and_then(parse_clock_time).ok_or("a time from \"00:00\" to \"23:59\"")
}

/// Reads a length of time with its units.
pub(super) fn snooze(value: &DeValue<'_>) -> Result<Span, Expected> {
    let span = value.as_str().and_then(parse_span).filter(|span| span.is_positive() && *span <= SNOOZE_MAX);
    span.ok_or("a length of time with its unit, such as \"10m\" or \"1h30m\"")
}

/// Reads a list of lengths of time with their units; one that is named twice counts once.
pub(super) fn snoozes(value: &DeValue<'_>) -> Result<Vec<Span>, Expected> {
    let read = |values: &DeArray<'_>| {
        let mut spans = Vec::new();
        for value in values {
            let span = snooze(value.get_ref()).ok()?;
            if !spans.contains(&span) {
                spans.push(span);
            }
        }
        (spans.len() <= SNOOZE_CHOICES_MAX).then_some(spans)
    };
    let spans = value.as_array().and_then(read);
    spans.ok_or("a list of at most 4 lengths of time with their units, such as [\"10m\", \"1h\"]")
}

/// Reads a dialect.
pub(super) fn dialect(value: &DeValue<'_>) -> Result<Dialect, Expected> {
    match value.as_str() {
        Some("us") => Ok(Dialect::Us),
        Some("uk") => Ok(Dialect::Uk),
        _ => Err("\"us\" or \"uk\""),
    }
}

/// Reads a log level.
pub(super) fn log_level(value: &DeValue<'_>) -> Result<LogLevel, Expected> {
    let levels = [LogLevel::Error, LogLevel::Warn, LogLevel::Info, LogLevel::Debug, LogLevel::Trace];
    let found = levels.into_iter().find(|level| value.as_str() == Some(level.as_str()));
    found.ok_or("\"error\", \"warn\", \"info\", \"debug\" or \"trace\"")
}

/// Reads a log format.
pub(super) fn log_format(value: &DeValue<'_>) -> Result<LogFormat, Expected> {
    match value.as_str() {
        Some("text") => Ok(LogFormat::Text),
        Some("json") => Ok(LogFormat::Json),
        _ => Err("\"text\" or \"json\""),
    }
}

/// Reads a list of channels; one that is named twice counts once.
pub(super) fn channels(value: &DeValue<'_>) -> Result<Vec<Target>, Expected> {
    value
        .as_array()
        .and_then(targets)
        .ok_or("a list of channels, each \"desktop\", \"terminal\", or a kind with a name such as \"webhook:ops\"")
}

fn targets(values: &DeArray<'_>) -> Option<Vec<Target>> {
    let mut targets = Vec::new();
    for value in values {
        let target = Target::parse(value.get_ref().as_str()?)?;
        if !targets.contains(&target) {
            targets.push(target);
        }
    }
    Some(targets)
}

/// Reads quiet hours: one stretch, or a list of them.
pub(super) fn quiet_hours(value: &DeValue<'_>) -> Result<Vec<QuietRange>, Expected> {
    let ranges = match (value.as_str(), value.as_array()) {
        (Some(text), _) => quiet_range(text).map(|range| vec![range]),
        (None, Some(values)) => values.iter().map(|value| quiet_range(value.get_ref().as_str()?)).collect(),
        (None, None) => None,
    };
    let ranges =
        ranges.ok_or("a stretch of the day such as \"22:00-07:00\" or \"sat-sun 23:00-09:00\", or a list of such")?;
    let hours = QuietHours { ranges, except: Vec::new() };
    if hours.leaves_room() { Ok(hours.ranges) } else { Err("some time of the week that is not quiet") }
}

/// Reads a list of tags, with their `+` or without.
pub(super) fn tags(value: &DeValue<'_>) -> Result<Vec<String>, Expected> {
    let tag = |text: &str| {
        let tag = text.trim().trim_start_matches('+');
        (!tag.is_empty() && !tag.contains(char::is_whitespace)).then(|| tag.to_owned())
    };
    let tags = match (value.as_str(), value.as_array()) {
        (Some(text), _) => tag(text).map(|tag| vec![tag]),
        (None, Some(values)) => values.iter().map(|value| tag(value.get_ref().as_str()?)).collect(),
        (None, None) => None,
    };
    tags.ok_or("a list of tags, such as [\"+med\"]")
}

/// Reads `22:00-07:00`, `mon-fri 22:00-07:00` or `sat,sun 23:00-09:00`.
fn quiet_range(text: &str) -> Option<QuietRange> {
    let (days, hours) = match text.trim().rsplit_once(' ') {
        Some((days, hours)) => (weekdays(days)?, hours),
        None => (Weekdays::ALL, text.trim()),
    };
    let (from, to) = hours.split_once('-')?;
    let (from, to) = (parse_clock_time(from)?, parse_clock_time(to)?);
    (from != to).then_some(QuietRange { days, from, to })
}

fn weekdays(text: &str) -> Option<Weekdays> {
    let range = |text: &str| {
        let (first, last) = text.split_once('-').unwrap_or((text, text));
        let day = |text: &str| text.trim().parse::<Weekday>().ok();
        Some(Weekdays::between(day(first)?, day(last)?))
    };
    let ranges: Option<Vec<Weekdays>> = text.split(',').map(range).collect();
    ranges?.into_iter().reduce(Weekdays::and)
}

fn parse_clock_time(text: &str) -> Option<NaiveTime> {
    let (hour, minute) = text.split_once(':')?;
    let is_number = |digits: &str| digits.bytes().all(|byte| byte.is_ascii_digit());
    let is_written_so = (1..=2).contains(&hour.len()) && minute.len() == 2 && is_number(hour) && is_number(minute);
    is_written_so.then(|| NaiveTime::from_hms_opt(hour.parse().ok()?, minute.parse().ok()?, 0)).flatten()
}

/// Reads `10m`, `1h30m`, `2d`: each number with its unit, without signs or fractions.
fn parse_span(text: &str) -> Option<Span> {
    let mut total: i64 = 0;
    let mut rest = text.trim();
    if rest.is_empty() {
        return None;
    }
    while !rest.is_empty() {
        let (number, after) = rest.split_at(rest.find(|c: char| !c.is_ascii_digit())?);
        let (unit, after) = after.split_at(after.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(after.len()));
        let unit_s = match unit {
            "s" => 1,
            "m" | "min" => 60,
            "h" => 3600,
            "d" => 86_400,
            "w" => 7 * 86_400,
            _ => return None,
        };
        total = total.checked_add(number.parse::<i64>().ok()?.checked_mul(unit_s)?)?;
        rest = after.trim_start();
    }
    total.checked_mul(1000).map(Span::from_millis)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_of_day_has_hour_and_minute() {
        let at = |hour, minute| NaiveTime::from_hms_opt(hour, minute, 0);
        for (text, expected) in [
            ("09:00", at(9, 0)),
            ("9:00", at(9, 0)),
            ("23:59", at(23, 59)),
            ("24:00", None),
            ("9", None),
            ("09:60", None),
            ("9:5", None),
            ("+9:00", None),
            ("", None),
        ] {
            assert_eq!(parse_clock_time(text), expected, "of {text:?}");
        }
    }

    #[test]
    fn quiet_hours_have_two_times_and_may_have_days() {
        let range = |days, from, to| {
            let at = |hour| NaiveTime::from_hms_opt(hour, 0, 0).expect("a time");
            Some(QuietRange { days, from: at(from), to: at(to) })
        };
        let weekend = Weekdays::between(Weekday::Sat, Weekday::Sun);
        for (text, expected) in [
            ("22:00-07:00", range(Weekdays::ALL, 22, 7)),
            ("13:00-14:00", range(Weekdays::ALL, 13, 14)),
            ("sat-sun 23:00-09:00", range(weekend, 23, 9)),
            ("Saturday,Sun 23:00-09:00", range(weekend, 23, 9)),
            ("22:00", None),
            ("22:00-22:00", None),
            ("22-7", None),
            ("someday 22:00-07:00", None),
            ("", None),
        ] {
            assert_eq!(quiet_range(text), expected, "of {text:?}");
        }
    }

    #[test]
    fn a_length_of_time_has_its_units() {
        for (text, expected_s) in [
            ("10m", Some(600)),
            ("1h30m", Some(5400)),
            ("1h 30m", Some(5400)),
            ("2d", Some(172_800)),
            ("0m", Some(0)),
            ("10", None),
            ("m", None),
            ("10 x", None),
            ("-5m", None),
            ("1.5h", None),
            ("", None),
            ("99999999999999999999m", None),
            ("9223372036854775807s", None),
            ("10分", None),
        ] {
            assert_eq!(parse_span(text), expected_s.map(Span::from_secs), "of {text:?}");
        }
    }
}
