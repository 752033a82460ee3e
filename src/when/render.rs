//! How are times and rules said in words?

use chrono::{Datelike, NaiveDateTime, Timelike};
use chrono_tz::Tz;

use crate::domain::schedule::{AfterDone, Calendar, Cron, Every, Interval, Rule, Schedule};
use crate::domain::time::{Span, Timestamp};

/// Says a schedule in words, such as `every day at 09:00`; a floating one is read in `zone`.
#[must_use]
pub fn describe(schedule: &Schedule, zone: Tz) -> String {
    let in_zone = schedule.zone.unwrap_or(zone);
    let said = match &schedule.rule {
        Rule::None => "no time".to_owned(),
        Rule::Once(at) => local(*at),
        Rule::Countdown(at) => local(at.local(in_zone)),
        Rule::Interval(interval) => describe_interval(interval, in_zone),
        Rule::Calendar(calendar) => describe_calendar(calendar),
        Rule::Cron(cron) => describe_cron(cron),
        Rule::AfterDone(after) => describe_after_done(after),
    };
    match schedule.zone {
        Some(fixed) if fixed != zone => format!("{said} ({fixed})"),
        Some(_) | None => said,
    }
}

/// Says an instant as local time with weekday and zone, such as `Thu 14 May 2026 15:00 EDT`.
///
/// `now` decides nothing yet said: the year is always given, so that a line stays true when it is read later.
#[must_use]
pub fn absolute(at: Timestamp, now: Timestamp, zone: Tz) -> String {
    let here = at.in_zone(zone);
    let is_exact = here.second() != 0 && at.since(now).as_millis().abs() < 3_600_000;
    let clock = if is_exact { "%H:%M:%S" } else { "%H:%M" };
    here.format(&format!("%a %-d %b %Y {clock} %Z")).to_string()
}

/// Says how far an instant is from now, such as `in 23 h`, `in 20 min`, `3 days ago`.
#[must_use]
pub fn distance(at: Timestamp, now: Timestamp) -> String {
    let span = at.since(now);
    let length = length(span.as_millis().unsigned_abs());
    match span.as_millis() {
        _ if length.is_empty() => "now".to_owned(),
        0.. => format!("in {length}"),
        _ => format!("{length} ago"),
    }
}

/// Says a local time, such as `Thu 14 May 2026 15:00`.
pub(super) fn local(at: NaiveDateTime) -> String {
    let clock = if at.second() == 0 { "%H:%M" } else { "%H:%M:%S" };
    at.format(&format!("%a %-d %b %Y {clock}")).to_string()
}

/// Says a length in its largest unit, and the next one where that matters.
fn length(millis: u64) -> String {
    let seconds = (millis + 500) / 1000;
    let (minutes, hours, days) = (seconds / 60, seconds / 3600, seconds / 86_400);
    let and = |first: String, rest: u64, unit: &str| if rest == 0 { first } else { format!("{first} {rest} {unit}") };
    match days {
        0 if seconds == 0 => String::new(),
        0 if minutes == 0 => format!("{seconds} s"),
        0 if minutes < 10 => and(format!("{minutes} min"), seconds % 60, "s"),
        0 if hours == 0 => format!("{minutes} min"),
        0 => and(format!("{hours} h"), minutes % 60, "min"),
        1 => and("1 day".to_owned(), hours % 24, "h"),
        2..=6 => and(format!("{days} days"), hours % 24, "h"),
        7..=729 => format!("{days} days"),
        _ => format!("{} years", days / 365),
    }
}

fn describe_after_done(rule: &AfterDone) -> String {
    let every = match rule.every {
        Every::Span(span) => spelled(span),
        Every::Days(1) => "day".to_owned(),
        Every::Days(7) => "week".to_owned(),
        Every::Days(days) if days % 7 == 0 => format!("{} weeks", days / 7),
        Every::Days(days) => format!("{days} days"),
        Every::Months(1) => "month".to_owned(),
        Every::Months(12) => "year".to_owned(),
        Every::Months(months) if months % 12 == 0 => format!("{} years", months / 12),
        Every::Months(months) => format!("{months} months"),
    };
    let at = rule.at.map_or(String::new(), |at| format!(" at {}", at.format("%H:%M")));
    with_count(format!("every {every}{at}, counted from when it is done"), rule.count)
}

fn describe_interval(interval: &Interval, zone: Tz) -> String {
    let mut said = format!("every {}", spelled(interval.every));
    if let Some(until) = interval.until {
        said.push_str(" until ");
        said.push_str(&local(until.local(zone)));
    }
    with_count(said, interval.count)
}

/// Says a span with its units spelled out, exactly: `2 hours`, `1 hour 30 minutes`.
fn spelled(span: Span) -> String {
    let mut rest = span.as_millis().unsigned_abs();
    let mut parts = Vec::new();
    for (unit, name) in [(86_400_000, "day"), (3_600_000, "hour"), (60_000, "minute"), (1000, "second")] {
        let count = rest / unit;
        rest %= unit;
        if count > 0 {
            parts.push(format!("{count} {name}{}", if count == 1 { "" } else { "s" }));
        }
    }
    match parts.as_slice() {
        [] => format!("{rest} ms"),
        [only] if rest == 0 && only.starts_with("1 ") => only[2..].to_owned(),
        parts => parts.join(" "),
    }
}

fn with_count(mut said: String, count: Option<u32>) -> String {
    match count {
        Some(1) => said.push_str(", once"),
        Some(count) => {
            said.push_str(", ");
            said.push_str(&count.to_string());
            said.push_str(" times");
        }
        None => {}
    }
    said
}

fn describe_calendar(calendar: &Calendar) -> String {
    // A rule that these words do not cover is shown as it is rather than said wrongly.
    let mut said = Parts::of(&calendar.rrule)
        .and_then(|parts| parts.words(calendar.from))
        .unwrap_or_else(|| format!("by the rule {}", calendar.rrule));
    push_until(&mut said, calendar.until);
    with_count(said, calendar.count)
}

fn describe_cron(cron: &Cron) -> String {
    let mut said = cron.in_words().unwrap_or_else(|| "by cron".to_owned());
    for part in [" (", &cron.expression, ")"] {
        said.push_str(part);
    }
    push_until(&mut said, cron.until);
    with_count(said, cron.count)
}

fn push_until(said: &mut String, until: Option<NaiveDateTime>) {
    let Some(until) = until else { return };
    said.push_str(" until ");
    let is_whole_day = until.hour() == 23 && until.minute() == 59;
    said.push_str(&if is_whole_day { until.format("%a %-d %b %Y").to_string() } else { local(until) });
}

/// The parts of a rule that words are known for.
#[derive(Default)]
struct Parts<'a> {
    frequency: &'a str,
    interval: u32,
    months: Vec<&'a str>,
    month_days: Vec<i32>,
    days: Vec<&'a str>,
    positions: Vec<i32>,
    hours: Vec<u32>,
    minutes: Vec<u32>,
    second: u32,
}

impl<'a> Parts<'a> {
    fn of(rrule: &'a str) -> Option<Self> {
        let mut parts = Self { interval: 1, ..Self::default() };
        for part in rrule.split(';').filter(|part| !part.is_empty()) {
            let (name, value) = part.split_once('=')?;
            match name {
                "FREQ" => parts.frequency = value,
                "INTERVAL" => parts.interval = value.parse().ok()?,
                "BYMONTH" => parts.months = value.split(',').collect(),
                "BYMONTHDAY" => parts.month_days = numbers(value)?,
                "BYDAY" => parts.days = value.split(',').collect(),
                "BYSETPOS" => parts.positions = numbers(value)?,
                "BYHOUR" => parts.hours = numbers(value)?,
                "BYMINUTE" => parts.minutes = numbers(value)?,
                "BYSECOND" => parts.second = value.parse().ok()?,
                _ => return None,
            }
        }
        Some(parts)
    }

    fn words(&self, from: NaiveDateTime) -> Option<String> {
        let unit = match self.frequency {
            "DAILY" => "day",
            "WEEKLY" => "week",
            "MONTHLY" => "month",
            "YEARLY" => "year",
            _ => return None,
        };
        let on = self.on(from)?;
        let every = match (self.interval, on.as_str()) {
            (1, "Mon to Fri") => "every weekday".to_owned(),
            (1, on) if unit == "week" => format!("every {on}"),
            (1, "") => format!("every {unit}"),
            (1, on) => format!("every {unit} on {on}"),
            (2, "") => format!("every other {unit}"),
            (2, on) => format!("every other {unit} on {on}"),
            (count, "") => format!("every {count} {unit}s"),
            (count, on) => format!("every {count} {unit}s on {on}"),
        };
        Some(format!("{every} at {}", self.clocks()?))
    }

    /// Says the days of one cycle.
    fn on(&self, from: NaiveDateTime) -> Option<String> {
        let names = || self.days.iter().map(|day| weekday(day)).collect::<Option<Vec<_>>>();
        let month = match self.months.as_slice() {
            [] => String::new(),
            [month] => format!(" {}", month_name(month.parse().ok()?)?),
            _ => return None,
        };
        match (self.frequency, self.month_days.as_slice(), self.days.as_slice()) {
            ("DAILY", [], []) => Some(String::new()),
            ("WEEKLY", [], []) => weekday(&from.weekday().to_string().to_uppercase()[..2]).map(str::to_owned),
            ("WEEKLY", [], ["MO", "TU", "WE", "TH", "FR"]) => Some("Mon to Fri".to_owned()),
            ("WEEKLY", [], _) => Some(listed(&names()?)),
            ("MONTHLY", [], []) => Some(format!("the {}", nth(i32::try_from(from.day()).ok()?))),
            ("YEARLY", [], []) if month.is_empty() => Some(from.format("%-d %b").to_string()),
            (_, [], ["MO", "TU", "WE", "TH", "FR"]) => {
                let [position] = self.positions.as_slice() else { return None };
                Some(format!("the {} weekday{}", nth(*position), of(&month)))
            }
            (_, [], days) => {
                let days = days.iter().map(|day| nth_weekday(day)).collect::<Option<Vec<_>>>()?;
                Some(format!("the {}{}", listed(&days), of(&month)))
            }
            (_, month_days, []) => {
                let days = self.meant_days(month_days);
                let days: Vec<String> = days.iter().map(|day| nth(*day)).collect();
                let is_last = days == ["last"];
                Some(match (month.trim(), is_last) {
                    ("", true) => "the last day".to_owned(),
                    ("", false) => format!("the {}", listed(&days)),
                    (month, _) => format!("{} {month}", listed(&self.meant_days(month_days))),
                })
            }
            _ => None,
        }
    }

    /// Takes back the clamp: `28,29,30,31` with the last position is the 31st.
    fn meant_days(&self, month_days: &[i32]) -> Vec<i32> {
        if self.positions.is_empty() {
            return month_days.to_vec();
        }
        let lowest = match self.months.as_slice() {
            ["4" | "6" | "9" | "11"] => 30,
            _ => 28,
        };
        let early = month_days.iter().copied().filter(|day| *day < lowest);
        early.chain(month_days.iter().copied().max()).collect()
    }

    fn clocks(&self) -> Option<String> {
        let square: Vec<(u32, u32)> =
            self.hours.iter().flat_map(|hour| self.minutes.iter().map(move |minute| (*hour, *minute))).collect();
        let is_kept = |index: usize| {
            let position = i32::try_from(index + 1).unwrap_or(0);
            self.frequency != "DAILY" || self.positions.is_empty() || self.positions.contains(&position)
        };
        // Positions of a week mix days and times.
        if self.frequency == "WEEKLY" && !self.positions.is_empty() {
            return None;
        }
        let said = |(hour, minute): (u32, u32)| match self.second {
            0 => format!("{hour:02}:{minute:02}"),
            second => format!("{hour:02}:{minute:02}:{second:02}"),
        };
        let times: Vec<String> =
            square.into_iter().enumerate().filter(|(index, _)| is_kept(*index)).map(|(_, time)| said(time)).collect();
        (!times.is_empty()).then(|| listed(&times))
    }
}

fn numbers<T: std::str::FromStr>(text: &str) -> Option<Vec<T>> {
    text.split(',').map(|number| number.parse().ok()).collect()
}

fn listed<T: ToString>(items: &[T]) -> String {
    let items: Vec<String> = items.iter().map(ToString::to_string).collect();
    match items.as_slice() {
        [] => String::new(),
        [only] => only.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

fn of(month: &str) -> String {
    if month.is_empty() { String::new() } else { format!(" of{month}") }
}

fn weekday(code: &str) -> Option<&'static str> {
    Some(match code {
        "MO" => "Mon",
        "TU" => "Tue",
        "WE" => "Wed",
        "TH" => "Thu",
        "FR" => "Fri",
        "SA" => "Sat",
        "SU" => "Sun",
        _ => return None,
    })
}

fn nth_weekday(code: &str) -> Option<String> {
    let split = code.len().checked_sub(2).filter(|split| code.is_char_boundary(*split))?;
    let (position, day) = code.split_at(split);
    Some(format!("{} {}", nth(position.parse().ok()?), weekday(day)?))
}

fn nth(position: i32) -> String {
    match position {
        -1 => "last".to_owned(),
        ..-1 => format!("{} last", nth(-position)),
        _ => {
            let end = match (position % 100, position % 10) {
                (11..=13, _) => "th",
                (_, 1) => "st",
                (_, 2) => "nd",
                (_, 3) => "rd",
                (_, _) => "th",
            };
            format!("{position}{end}")
        }
    }
}

fn month_name(month: u32) -> Option<&'static str> {
    const NAMES: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    NAMES.get(usize::try_from(month).ok()?.checked_sub(1)?).copied()
}
