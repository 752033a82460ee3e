//! What does a rule mean that was typed as programs write it, `FREQ=DAILY;BYHOUR=9` or `0 9 * * MON-FRI`?

use std::fmt::Write as _;
use std::ops::Range;

use chrono::{NaiveDate, NaiveDateTime, NaiveTime, Timelike};

use crate::domain::occurrence::Nominal;
use crate::domain::schedule::{Calendar, Cron, Interval, Rule, Schedule, ScheduleError};
use crate::domain::time::{Span, Timestamp, resolve};
use crate::when::resolve::{Here, Said};
use crate::when::{Context, Grain, Note, TimeError, TimeReading};

/// The names by which cron knows common rules.
const ALIASES: [&str; 7] = ["@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly"];

/// Returns where a rule stands in a sentence: a word with `FREQ=`, or five to seven cron fields, two of them `*` or `?`,
/// a day or weekday among these ("2 * 3 * 4" is a sum).
pub(super) fn find(text: &str) -> Option<Range<usize>> {
    let words = words(text);
    if let Some(span) = words.iter().find(|span| is_rrule(&text[(*span).clone()])) {
        return Some(span.clone());
    }
    if let Some(span) = whole(text).filter(|_| text.contains(['*', '?', '@'])) {
        return Some(span);
    }
    let is_field = |span: &Range<usize>| is_cron_field(&text[span.clone()]);
    let is_any = |span: &&Range<usize>| matches!(&text[(*span).clone()], "*" | "?");
    (0..words.len()).find_map(|start| {
        (5..=7).rev().find_map(|len| {
            let fields = words.get(start..start + len)?;
            let day = fields.len().saturating_sub(if fields.len() == 7 { 4 } else { 3 });
            let is_open_day = is_any(&&fields[day]) || is_any(&&fields[day + 2]);
            let is_cron = fields.iter().all(is_field) && fields.iter().filter(is_any).count() >= 2 && is_open_day;
            let span = fields.first()?.start..fields.last()?.end;
            (is_cron && cron(&text[span.clone()], NaiveDateTime::default()).is_ok()).then_some(span)
        })
    })
}

/// Returns the whole text where it is a rule, even one that cannot be read.
pub(super) fn whole(text: &str) -> Option<Range<usize>> {
    let words = words(text);
    let span = words.first()?.start..words.last()?.end;
    let is_alias = ALIASES.iter().any(|alias| alias.eq_ignore_ascii_case(&text[span.clone()]));
    let is_cron = (5..=7).contains(&words.len()) && words.iter().all(|span| is_cron_field(&text[span.clone()]));
    (is_alias || is_cron || words.len() == 1 && is_rrule(&text[span.clone()])).then_some(span)
}

fn words(text: &str) -> Vec<Range<usize>> {
    let start_of = |word: &str| word.as_ptr() as usize - text.as_ptr() as usize;
    text.split_whitespace().map(|word| start_of(word)..start_of(word) + word.len()).collect()
}

fn is_rrule(word: &str) -> bool {
    let upper = word.to_ascii_uppercase();
    upper.starts_with("FREQ=") || upper.starts_with("RRULE:") || upper.contains(";FREQ=")
}

/// Numbers, names of three letters and the marks of cron; words of a title have other letters.
fn is_cron_field(word: &str) -> bool {
    const NAMES: [&str; 19] = [
        "MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN", "JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP",
        "OCT", "NOV", "DEC",
    ];
    let upper = word.to_ascii_uppercase();
    let pieces = upper.split(|c: char| !c.is_ascii_alphabetic()).filter(|piece| !piece.is_empty());
    word.chars().all(|c| c.is_ascii_alphanumeric() || "*/,-?#+".contains(c))
        && pieces
            .into_iter()
            .all(|piece| matches!(piece, "L" | "W" | "LW") || NAMES.contains(&piece.trim_end_matches('L')))
}

/// Returns where the words stand between spaces.
pub(super) fn trimmed(text: &str) -> Range<usize> {
    let start = text.len() - text.trim_start().len();
    start..start + text.trim().len()
}

/// Reads the rule at `span`.
pub(super) fn read(text: &str, span: Range<usize>, context: &Context) -> Result<TimeReading, TimeError> {
    if is_rrule(&text[span.clone()]) { read_rrule(text, span, context) } else { read_cron(text, span, context) }
}

/// Reads the rule of RFC 5545 at `span`.
pub(super) fn read_rrule(text: &str, span: Range<usize>, context: &Context) -> Result<TimeReading, TimeError> {
    let here = Here::new(context, None, Said { words: text[span.clone()].to_owned(), span });
    let rule = rrule(&here, &here.said.words)?;
    reading(&here, rule, Vec::new())
}

/// Reads the cron expression at `span`.
pub(super) fn read_cron(text: &str, span: Range<usize>, context: &Context) -> Result<TimeReading, TimeError> {
    let here = Here::new(context, None, Said { words: text[span.clone()].to_owned(), span });
    let (rule, notes) = cron_rule(&here, &here.said.words)?;
    reading(&here, rule, notes)
}

fn reading(here: &Here<'_>, rule: Rule, notes: Vec<Note>) -> Result<TimeReading, TimeError> {
    let schedule = Schedule { text: here.said.words.clone(), rule, zone: None };
    let first = schedule.next_after(None, here.context.now, here.zone).ok_or_else(|| here.nothing_ahead())?;
    Ok(TimeReading {
        schedule,
        due: first.due,
        grain: Grain::Minute,
        spans: vec![here.said.span.clone()],
        alerts: Vec::new(),
        deadline: None,
        zone: None,
        notes,
    })
}

fn cron(expression: &str, from: NaiveDateTime) -> Result<Cron, ScheduleError> {
    let cron = Cron { expression: expression.to_owned(), from, count: None, until: None };
    let schedule = Schedule { text: String::new(), rule: Rule::Cron(cron.clone()), zone: None };
    schedule.validate().map(|()| cron)
}

fn cron_rule(here: &Here<'_>, words: &str) -> Result<(Rule, Vec<Note>), TimeError> {
    let cron = cron(words, here.first_second()).map_err(|_| unreadable_cron(here, words))?;
    let notes = if cron.has_either_day() { vec![Note::EitherDay] } else { Vec::new() };
    Ok((Rule::Cron(cron), notes))
}

/// Points at the field of an expression that cannot be read.
fn unreadable_cron(here: &Here<'_>, text: &str) -> TimeError {
    const EXAMPLE: &str = "0 9 * * MON-FRI";
    const REASONS: [&str; 7] = [
        "expected seconds of 0 to 59",
        "expected minutes of 0 to 59",
        "expected hours of 0 to 23",
        "expected days of 1 to 31, L, L-3, LW or 15W",
        "expected months of 1 to 12 or JAN to DEC",
        "expected weekdays of 0 to 7 or SUN to SAT, with L or #1 to #5",
        "expected years of four digits",
    ];
    let fields = words(text);
    let first = match fields.len() {
        5 => 1,
        6 | 7 => 0,
        _ => return unreadable(here, 0..text.len(), "expected five to seven fields", EXAMPLE),
    };
    let is_read = |place: usize| {
        let others = ["0", "*", "*", "*", "*", "*", "*"];
        let alone: Vec<&str> = (first..first + fields.len())
            .map(|other| if other == first + place { &text[fields[place].clone()] } else { others[other] })
            .collect();
        cron(&alone.join(" "), NaiveDateTime::default()).is_ok()
    };
    match (0..fields.len()).find(|place| !is_read(*place)) {
        Some(place) => unreadable(here, fields[place].clone(), REASONS[first + place], EXAMPLE),
        None => unreadable(here, 0..text.len(), "expected fields that go together", EXAMPLE),
    }
}

/// An error at `part` of the words.
fn unreadable(here: &Here<'_>, part: Range<usize>, reason: &'static str, example: &'static str) -> TimeError {
    let start = here.said.span.start;
    TimeError::Unreadable {
        words: here.said.words[part.clone()].to_owned(),
        span: start + part.start..start + part.end,
        reason,
        example,
    }
}

/// The parts of an RFC 5545 rule that become fields of their own, and the others as they are.
#[derive(Default)]
struct Parts {
    frequency: String,
    interval: u32,
    count: Option<u32>,
    until: Option<NaiveDateTime>,
    others: Vec<(String, String)>,
}

fn rrule(here: &Here<'_>, words: &str) -> Result<Rule, TimeError> {
    let parts = parts(here, words)?;
    if parts.count.is_some() && parts.until.is_some() {
        return Err(here.no_rule("COUNT and UNTIL exclude each other (RFC 5545)"));
    }
    match parts.frequency.as_str() {
        "HOURLY" | "MINUTELY" | "SECONDLY" if parts.others.is_empty() => exact(here, &parts),
        "HOURLY" | "MINUTELY" => calendar(here, &within_days(here, parts)?),
        "DAILY" | "WEEKLY" | "MONTHLY" | "YEARLY" => calendar(here, &parts),
        _ => {
            let reason = "expected FREQ=YEARLY, MONTHLY, WEEKLY, DAILY, HOURLY, MINUTELY or SECONDLY alone";
            Err(unreadable(here, 0..words.len(), reason, RULE_EXAMPLE))
        }
    }
}

fn parts(here: &Here<'_>, words: &str) -> Result<Parts, TimeError> {
    let mut parts = Parts { interval: 1, ..Parts::default() };
    let mut seen: Vec<String> = Vec::new();
    let mut at = if words.get(..6).is_some_and(|start| start.eq_ignore_ascii_case("RRULE:")) { 6 } else { 0 };
    for part in words[at..].split(';') {
        let span = at..at + part.len();
        at = span.end + 1;
        if part.is_empty() {
            continue;
        }
        let unread = |reason| unreadable(here, span.clone(), reason, RULE_EXAMPLE);
        let upper = part.to_ascii_uppercase();
        let (name, value) = upper.split_once('=').ok_or_else(|| unread("expected a part such as BYHOUR=9"))?;
        if seen.iter().any(|seen| seen == name) {
            return Err(unread("expected each part once"));
        }
        seen.push(name.to_owned());
        match name {
            "FREQ" => value.clone_into(&mut parts.frequency),
            "INTERVAL" => {
                let interval = value.parse::<u16>().ok().filter(|interval| *interval > 0);
                parts.interval = interval.ok_or_else(|| unread("expected 1 to 65535"))?.into();
            }
            "COUNT" => {
                let count = value.parse().ok().filter(|count| (1..=COUNT_MAX).contains(count));
                parts.count = Some(count.ok_or_else(|| unread("expected 1 to 100000"))?);
            }
            "UNTIL" => {
                let reason = "expected a date such as 20260520 or 20260520T130000Z";
                parts.until = Some(until(here, value).ok_or_else(|| unread(reason))?);
            }
            name => {
                let reason = wrong_value(name, value);
                reason.map_or(Ok(()), |reason| Err(unread(reason)))?;
                parts.others.push((name.to_owned(), value.to_owned()));
            }
        }
    }
    Ok(parts)
}

/// A rule to write instead.
const RULE_EXAMPLE: &str = "FREQ=WEEKLY;BYDAY=MO,FR;BYHOUR=9";

/// The largest count that is walked from its start.
const COUNT_MAX: u32 = 100_000;

/// Says what a part may have, where it has something else (RFC 5545 §3.3.10).
fn wrong_value(name: &str, value: &str) -> Option<&'static str> {
    let all = |is_right: &dyn Fn(&str) -> bool| value.split(',').all(is_right);
    let within = |low: i32, high: i32| all(&|item| item.parse().is_ok_and(|number| (low..=high).contains(&number)));
    let either = |high: i32| within(-high, high) && all(&|item| item.parse() != Ok(0));
    let is_day = |item: &str| {
        let number = item.len().checked_sub(2).and_then(|split| item.get(..split));
        let name = item.get(item.len().saturating_sub(2)..).unwrap_or_default();
        let is_number = |number: &str| number.parse().is_ok_and(|n: i32| n != 0 && n.abs() <= 53);
        number.is_some_and(|number| number.is_empty() || is_number(number)) && DAYS.contains(&name)
    };
    let (is_right, reason) = match name {
        "BYSECOND" => (within(0, 59), "expected seconds of 0 to 59"),
        "BYMINUTE" => (within(0, 59), "expected minutes of 0 to 59"),
        "BYHOUR" => (within(0, 23), "expected hours of 0 to 23"),
        "BYDAY" => (all(&is_day), "expected weekdays such as MO, 2TU or -1FR"),
        "BYMONTHDAY" => (either(31), "expected days of 1 to 31, or -1 to -31 from the end"),
        "BYYEARDAY" => (either(366), "expected days of 1 to 366, or -1 to -366 from the end"),
        "BYWEEKNO" => (either(53), "expected weeks of 1 to 53, or -1 to -53 from the end"),
        "BYMONTH" => (within(1, 12), "expected months of 1 to 12"),
        "BYSETPOS" => (either(366), "expected places of 1 to 366, or -1 to -366 from the end"),
        "WKST" => (DAYS.contains(&value), "expected a weekday such as MO"),
        _ => (false, "expected a part of RFC 5545, such as BYDAY"),
    };
    (!is_right).then_some(reason)
}

/// The weekdays as rules write them.
const DAYS: [&str; 7] = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"];

/// Reads `20260520`, `20260520T090000` (local) and `20260520T130000Z` (UTC); all of them inclusive.
fn until(here: &Here<'_>, value: &str) -> Option<NaiveDateTime> {
    if let Some(utc) = value.strip_suffix('Z') {
        let utc = NaiveDateTime::parse_from_str(utc, "%Y%m%dT%H%M%S").ok()?;
        return Some(Timestamp::from_utc(utc.and_utc())?.local(here.zone));
    }
    let last_second = NaiveTime::from_hms_opt(23, 59, 59)?;
    let day = NaiveDate::parse_from_str(value, "%Y%m%d").ok().map(|date| date.and_time(last_second));
    day.or_else(|| NaiveDateTime::parse_from_str(value, "%Y%m%dT%H%M%S").ok())
}

/// Hours and finer without filters: absolute, from now.
fn exact(here: &Here<'_>, parts: &Parts) -> Result<Rule, TimeError> {
    let unit = match parts.frequency.as_str() {
        "HOURLY" => 3_600_000,
        "MINUTELY" => 60_000,
        _ => 1000,
    };
    let every = Span::from_millis(i64::from(parts.interval) * unit);
    let from = here.context.now.checked_add(every).ok_or_else(|| here.out_of_range())?;
    let until = parts.until.map(|local| resolve(local, here.zone).map_or(Timestamp::MAX, |(at, _)| at));
    if until.is_some_and(|until| until < from) {
        return Err(here.nothing_ahead());
    }
    Ok(Rule::Interval(Interval { every, from, count: parts.count, until }))
}

/// Hours and minutes with filters: times of day, where they fill the day evenly.
fn within_days(here: &Here<'_>, mut parts: Parts) -> Result<Parts, TimeError> {
    let is_hourly = parts.frequency == "HOURLY";
    let cycle: u32 = if is_hourly { 24 } else { 60 };
    if !cycle.is_multiple_of(parts.interval) {
        return Err(here.no_rule("expected an INTERVAL that fills a day or an hour evenly beside other parts"));
    }
    let steps = |name: &str, end: u32, step: u32| {
        let values: Vec<String> =
            (0..end).step_by(usize::try_from(step).unwrap_or(1)).map(|value| value.to_string()).collect();
        (name.to_owned(), values.join(","))
    };
    let has = |parts: &Parts, wanted: &str| parts.others.iter().any(|(name, _)| name == wanted);
    if !has(&parts, "BYHOUR") {
        parts.others.push(steps("BYHOUR", 24, if is_hourly { parts.interval } else { 1 }));
    } else if is_hourly && parts.interval > 1 {
        return Err(here.no_rule("expected BYHOUR or an INTERVAL of hours, not both"));
    }
    if !is_hourly && !has(&parts, "BYMINUTE") {
        parts.others.push(steps("BYMINUTE", 60, parts.interval));
    }
    "DAILY".clone_into(&mut parts.frequency);
    parts.interval = 1;
    Ok(parts)
}

/// Days and coarser; a day of the month that a month lacks is skipped, as RFC 5545 says.
fn calendar(here: &Here<'_>, parts: &Parts) -> Result<Rule, TimeError> {
    let has = |wanted: &str| parts.others.iter().any(|(name, _)| name == wanted);
    let time = if has("BYHOUR") { NaiveTime::MIN } else { here.settings().date_only };
    let mut tail = String::new();
    for (name, value) in &parts.others {
        // Writing to a string does not fail.
        let _ = write!(tail, ";{name}={value}");
    }
    for (name, value) in [("BYHOUR", time.hour()), ("BYMINUTE", time.minute()), ("BYSECOND", time.second())] {
        if !has(name) {
            let _ = write!(tail, ";{name}={value}");
        }
    }
    // Counted from the first coming one, which is therefore found without the interval.
    let each = format!("FREQ={}{tail}", parts.frequency);
    let first = first(here, &each)?;
    if parts.until.is_some_and(|until| until < first) {
        return Err(here.nothing_ahead());
    }
    let interval = if parts.interval > 1 { format!(";INTERVAL={}", parts.interval) } else { String::new() };
    let rrule = format!("FREQ={}{interval}{tail}", parts.frequency);
    Ok(Rule::Calendar(Calendar { rrule, from: first, count: parts.count, until: parts.until }))
}

fn first(here: &Here<'_>, rrule: &str) -> Result<NaiveDateTime, TimeError> {
    let calendar = Calendar { rrule: rrule.to_owned(), from: here.first_second(), count: None, until: None };
    let schedule = Schedule { text: String::new(), rule: Rule::Calendar(calendar), zone: Some(here.zone) };
    schedule.validate().map_err(|error| {
        let reason = match error {
            ScheduleError::TooMany { .. } => "expected at most one time a minute, and fewer in months and years",
            ScheduleError::Unreadable { .. }
            | ScheduleError::UnreadableCron { .. }
            | ScheduleError::TooFine { .. }
            | ScheduleError::TooOften { .. }
            | ScheduleError::NothingAhead
            | ScheduleError::DeadlineBeforeDue { .. }
            | ScheduleError::DeadlinePast { .. }
            | ScheduleError::NotADistance
            | ScheduleError::Nag { .. } => "expected parts that go together (RFC 5545)",
        };
        unreadable(here, 0..here.said.words.len(), reason, RULE_EXAMPLE)
    })?;
    match schedule.next_after(None, here.context.now, here.zone).map(|first| first.nominal) {
        Some(Nominal::Local(local)) => Ok(local),
        Some(Nominal::Instant(_)) | None => Err(here.nothing_ahead()),
    }
}
