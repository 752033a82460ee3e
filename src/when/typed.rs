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
    let cron = cron(words, here.first_second()).map_err(|_| here.no_rule("expected five to seven cron fields"))?;
    let notes = if cron.has_either_day() { vec![Note::EitherDay] } else { Vec::new() };
    Ok((Rule::Cron(cron), notes))
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
        _ => Err(here.no_rule("expected FREQ=YEARLY, MONTHLY, WEEKLY, DAILY, HOURLY, MINUTELY or SECONDLY alone")),
    }
}

fn parts(here: &Here<'_>, words: &str) -> Result<Parts, TimeError> {
    let mut parts = Parts { interval: 1, ..Parts::default() };
    let upper = words.to_ascii_uppercase();
    for part in upper.trim_start_matches("RRULE:").split(';').filter(|part| !part.is_empty()) {
        let unread = || here.no_rule("expected parts such as FREQ=DAILY;BYHOUR=9");
        let (name, value) = part.split_once('=').ok_or_else(unread)?;
        match name {
            "FREQ" => value.clone_into(&mut parts.frequency),
            "INTERVAL" => {
                parts.interval = value.parse().ok().filter(|interval| *interval > 0).ok_or_else(unread)?;
            }
            "COUNT" => parts.count = Some(value.parse().ok().filter(|count| *count > 0).ok_or_else(unread)?),
            "UNTIL" => parts.until = Some(until(here, value).ok_or_else(unread)?),
            name => parts.others.push((name.to_owned(), value.to_owned())),
        }
    }
    Ok(parts)
}

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
    schedule.validate().map_err(|_| here.no_rule("expected a recurrence rule of RFC 5545"))?;
    match schedule.next_after(None, here.context.now, here.zone).map(|first| first.nominal) {
        Some(Nominal::Local(local)) => Ok(local),
        Some(Nominal::Instant(_)) | None => Err(here.nothing_ahead()),
    }
}
