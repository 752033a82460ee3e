//! What do the words of a caller mean in time? The one door from requests to `when`, and where zones are settled.

use std::ops::Range;

use chrono::{NaiveDate, NaiveTime};
use chrono_tz::Tz;

use crate::api::{Api, refusal};
use crate::domain::occurrence::Nominal;
use crate::domain::schedule::{Rule, Schedule};
use crate::domain::time::{Span, Timestamp, resolve};
use crate::protocol::error_code::{ErrorKind, RpcError};
use crate::protocol::from_wire;
use crate::protocol::objects;
use crate::protocol::to_wire::{self, Understood};
use crate::when::{self, Context, Dialect, Grain, Limits, Note, Reach, Reading, Settings, TimeError, TimeReading};

/// Two zones whose clocks agree now and through a year of changes are one for people, whatever their names.
const SEASONS: [Span; 4] = [
    Span::from_minutes(0),
    Span::from_minutes(91 * 24 * 60),
    Span::from_minutes(182 * 24 * 60),
    Span::from_minutes(273 * 24 * 60),
];

/// Where local times are read, and whether the task keeps that.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    /// Where words are read.
    pub(super) zone: Tz,
    /// The device's zone.
    device: Tz,
    /// Whether the task keeps the zone, and why.
    keeps: Keeps,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Keeps {
    /// It floats with the device.
    No,
    /// The person asked for the zone.
    Asked,
    /// The caller is in another zone than the daemon.
    Elsewhere,
}

/// The words that say when.
#[derive(Clone, Copy, Debug)]
pub(super) struct Asked<'a> {
    /// A time phrase.
    pub(super) text: Option<&'a str>,
    /// A time phrase.
    pub(super) at: Option<&'a str>,
    /// A repetition.
    pub(super) rule: Option<RuleText<'a>>,
    /// Where a repetition begins and ends.
    pub(super) limits: Limits<'a>,
    /// The day of a time of day that names none; today or tomorrow, whichever comes first, where there is none.
    pub(super) day: Option<NaiveDate>,
}

/// A repetition that stands alone, in one of the ways to write it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum RuleText<'a> {
    /// What would follow "every".
    Every(&'a str),
    /// A cron expression.
    Cron(&'a str),
    /// A recurrence rule of RFC 5545.
    Rrule(&'a str),
}

impl<'a> RuleText<'a> {
    /// Returns the repetition of a request; several contradict each other.
    pub(super) fn of(
        every: Option<&'a str>,
        cron: Option<&'a str>,
        rrule: Option<&'a str>,
    ) -> Result<Option<Self>, RpcError> {
        match (every, cron, rrule) {
            (None, None, None) => Ok(None),
            (Some(every), None, None) => Ok(Some(Self::Every(every))),
            (None, Some(cron), None) => Ok(Some(Self::Cron(cron))),
            (None, None, Some(rrule)) => Ok(Some(Self::Rrule(rrule))),
            (_, _, _) => Err(RpcError::new(
                ErrorKind::Params,
                "cannot use several of the parameters \"every\", \"cron\" and \"rrule\": expected one of them",
            )),
        }
    }
}

/// When a task comes up and speaks.
#[derive(Clone, Debug)]
pub(super) struct Time {
    /// When it comes up.
    pub(super) schedule: Schedule,
    /// How exactly that was said.
    pub(super) grain: Grain,
    /// When it speaks, where the words say so.
    pub(super) alerts: Option<Vec<Span>>,
    /// By when it must be done, where the words say so ("by friday").
    pub(super) deadline: Option<Nominal>,
    /// What was assumed, for people.
    pub(super) notes: Vec<String>,
}

/// What a sentence says.
#[derive(Clone, Debug)]
pub(super) struct Sentence {
    /// What is left without the time.
    pub(super) title: String,
    /// The time, or why there is none.
    pub(super) time: Result<Time, RpcError>,
    /// What was assumed, for people.
    pub(super) notes: Vec<String>,
}

impl Place {
    /// Returns the place of a task's times: the caller's zone, which the task keeps where it is not the daemon's or where
    /// the person asked for it (SPEC 5).
    pub(super) fn of(api: &Api, zone: Option<&str>, fixed: bool) -> Result<Self, RpcError> {
        let place = Self::of_question(api, zone)?;
        let keeps = if fixed {
            Keeps::Asked
        } else if are_alike(place.zone, place.device, api.handle.now()) {
            Keeps::No
        } else {
            Keeps::Elsewhere
        };
        Ok(Self { keeps, ..place })
    }

    /// Returns the place of a time that nothing keeps.
    pub(super) fn of_question(api: &Api, zone: Option<&str>) -> Result<Self, RpcError> {
        let device = api.handle.zone();
        let zone = zone.map(from_wire::zone).transpose().map_err(refusal::unusable)?.unwrap_or(device);
        Ok(Self { zone, device, keeps: Keeps::No })
    }

    /// Returns what the person should know of the zone.
    pub(super) fn warnings(self) -> Vec<String> {
        match self.keeps {
            Keeps::No | Keeps::Asked => Vec::new(),
            Keeps::Elsewhere => vec![format!(
                "its times are kept in {}, where it was said; the daemon is in {}",
                self.zone.name(),
                self.device.name()
            )],
        }
    }

    /// Puts the zone into a schedule, unless its own words named one.
    pub(super) fn settle(self, schedule: Schedule) -> Schedule {
        match self.keeps {
            Keeps::No => schedule,
            Keeps::Asked | Keeps::Elsewhere => Schedule { zone: schedule.zone.or(Some(self.zone)), ..schedule },
        }
    }
}

/// Reads a sentence: a title with a time in it, or a title alone.
pub(super) fn sentence(api: &Api, place: Place, text: &str, limits: Limits<'_>) -> Result<Sentence, RpcError> {
    let bounds = limits.read(&context(api, place)).map_err(not_understood)?;
    let reading = when::parse_sentence(text, &bounds.context()).map_err(not_understood)?;
    let (title, notes) = (reading.title.clone(), aloud(&reading.notes));
    let time = match reading.into_time() {
        // What does not repeat has no limits: to leave them aside would be to guess.
        Ok(time) if !limits.is_empty() => Ok(bounds.close(time).map_err(not_understood)?),
        time => time,
    };
    let time = time.map(|time| settled(place, time)).map_err(not_understood);
    Ok(Sentence { title, time, notes })
}

/// Reads the words that say when; `None` where there are none.
pub(super) fn time(api: &Api, place: Place, asked: Asked<'_>) -> Result<Option<Time>, RpcError> {
    let context = context(api, place);
    let phrase = match (asked.text, asked.at) {
        (Some(text), Some(at)) => Some(format!("{text} {at}")),
        (Some(text), None) => Some(text.to_owned()),
        (None, at) => at.map(str::to_owned),
    };
    let bounds = asked.limits.read(&context).map_err(not_understood)?;
    let mut inner = bounds.context();
    if let (Some(day), Some(phrase)) = (asked.day, &phrase)
        && when::is_time_of_day_alone(phrase, &inner)
        && let Some((midnight, _)) = resolve(day.and_time(NaiveTime::MIN), inner.zone)
    {
        inner.now = inner.now.max(midnight);
    }
    let read = match (asked.rule, phrase) {
        (None, None) => return if asked.limits.is_empty() { Ok(None) } else { Err(nothing_to_limit()) },
        (None, Some(phrase)) => when::parse_time(&phrase, &inner),
        (Some(RuleText::Every(every)), None) => when::parse_every(every, &inner),
        // "weekday" at "9am" is "every weekday at 9am".
        (Some(RuleText::Every(every)), Some(phrase)) => when::parse_every(&format!("{every} at {phrase}"), &inner),
        (Some(RuleText::Cron(cron)), None) => when::parse_cron(cron, &inner),
        (Some(RuleText::Rrule(rrule)), None) => when::parse_rrule(rrule, &inner),
        (Some(RuleText::Cron(rule) | RuleText::Rrule(rule)), Some(phrase)) => {
            let message = format!("cannot use rule {rule:?} with time {phrase:?}: expected the times in the rule");
            return Err(RpcError::new(ErrorKind::Params, message));
        }
    };
    let read = read.and_then(|time| if asked.limits.is_empty() { Ok(time) } else { bounds.close(time) });
    read.map(|time| Some(settled(place, time))).map_err(not_understood)
}

/// Reads a repetition that is there anew, between other limits.
pub(super) fn limited(api: &Api, place: Place, limits: Limits<'_>, schedule: Schedule) -> Result<Schedule, RpcError> {
    let zone = schedule.zone.unwrap_or(place.zone);
    let bounds = limits.read(&Context { zone, ..context(api, place) }).map_err(not_understood)?;
    let mut schedule = match limits.from {
        // Another beginning is another place in the cycle, so the words are read again.
        Some(_) if schedule.rule.is_series() => {
            let inner = bounds.context();
            let again = match when::parse_time(&schedule.text, &inner) {
                Ok(time) if time.schedule.rule.is_series() => time,
                Ok(_) | Err(_) => when::parse_every(&schedule.text, &inner).map_err(not_understood)?,
            };
            Schedule { rule: again.schedule.rule, ..schedule }
        }
        Some(_) | None => schedule,
    };
    bounds.limit(&mut schedule).map_err(not_understood)?;
    Ok(schedule)
}

fn nothing_to_limit() -> RpcError {
    let message = "cannot use parameters \"from\" and \"until\" alone: expected a repetition beside them";
    RpcError::new(ErrorKind::Params, message)
}

/// Reads the end of a snooze or a pause.
pub(super) fn end(api: &Api, place: Place, text: &str) -> Result<Timestamp, RpcError> {
    let read = when::parse_time(text, &context(api, place)).map_err(not_understood)?;
    if read.schedule.rule.is_series() {
        let message = format!("cannot use {text:?} as an end: expected one time, found a repetition");
        return Err(RpcError::new(ErrorKind::Time, message));
    }
    Ok(read.due)
}

/// Reads one time as if it were `now`; a day is its end.
pub(super) fn moment(api: &Api, place: Place, text: &str, now: Timestamp) -> Result<Nominal, RpcError> {
    let context = Context { now, ..context(api, place) };
    let read = when::parse_time(text, &context).map_err(not_understood)?;
    let is_day = match read.grain {
        Grain::Second | Grain::Minute | Grain::Hour => false,
        Grain::Day | Grain::Week | Grain::Month | Grain::Year => true,
    };
    match read.schedule.rule {
        Rule::Once(local) if read.schedule.zone.is_none() => {
            let end = local.date().and_time(context.settings.end_of_day);
            Ok(Nominal::Local(if is_day { end } else { local }))
        }
        Rule::Once(_) | Rule::Countdown(_) => Ok(Nominal::Instant(read.due)),
        Rule::None | Rule::Interval(_) | Rule::Calendar(_) | Rule::Cron(_) | Rule::AfterDone(_) => {
            let message = format!("cannot use {text:?} as a deadline: expected one time, found a repetition");
            Err(RpcError::new(ErrorKind::Time, message))
        }
    }
}

/// What a stretch of time is asked for, which says how else it could be said.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Purpose {
    /// When the person is away.
    Away,
    /// What an agenda tells of.
    Agenda,
    /// Which tasks are meant.
    Filter,
}

/// Returns whether words say on which day it is, so that they mean the same wherever they are read from.
pub(super) fn names_one_day(api: &Api, place: Place, text: &str) -> bool {
    when::names_one_day(text, &context(api, place))
}

/// Reads the days or hours that words name, such as `this week` or `10pm..6am`.
pub(super) fn stretch(api: &Api, place: Place, text: &str, purpose: Purpose) -> Result<Range<Timestamp>, RpcError> {
    let reach = match purpose {
        Purpose::Away | Purpose::Agenda => Reach::Ahead,
        Purpose::Filter => Reach::Today,
    };
    when::parse_stretch(text, reach, &context(api, place)).map_err(|error| {
        // What proposes a time proposes what is no stretch.
        let hint = match (&error, purpose) {
            (TimeError::Missing { .. } | TimeError::Vague { .. } | TimeError::Impossible { proposal: None, .. }, _) => {
                purpose.hint()
            }
            (_, _) => return not_understood(error),
        };
        not_understood(error).with_hint(hint)
    })
}

impl Purpose {
    const fn hint(self) -> &'static str {
        match self {
            Self::Away => {
                "say until when, for how long, or both ends, such as `until 5pm`, `for 2h` or `friday 5pm..monday 9am`"
            }
            Self::Agenda => "say a day or more, or both ends, such as `tomorrow`, `this week` or `5pm..9pm`",
            Self::Filter => {
                "say a day or more, or ends, such as `today`, `this week`, `9am..5pm` or `5pm..`; --before and --after \
                 take a time"
            }
        }
    }
}

/// Reads one end of a stretch: where it begins and where it ends.
pub(super) fn bound(api: &Api, place: Place, text: &str) -> Result<Range<Timestamp>, RpcError> {
    when::parse_bound(text, &context(api, place)).map_err(not_understood)
}

/// Reads a time of the past: the latest that the words may mean (`yesterday 9am`, `monday`, `4 may`), or so long ago
/// (`2h`). A time ahead is as good as now.
pub(super) fn past(api: &Api, place: Place, text: &str) -> Result<Timestamp, RpcError> {
    let context = context(api, place);
    let now = context.now;
    if let Ok(span) = when::parse_span(text) {
        return Ok(now.saturating_add(Span::from_millis(-span.as_millis().abs())));
    }
    let at = |result: Result<TimeReading, TimeError>| match result {
        Ok(read) => Ok(read.due),
        Err(TimeError::Past { at: Some(at), .. }) => Ok(at),
        Err(error) => Err(error),
    };
    let first = at(when::parse_time(text, &context)).map_err(not_understood)?;
    if first <= now {
        return Ok(first);
    }
    // "9am", "monday" and "4 may" mean the next one; here the last one is meant.
    let earlier = LOOKED_BACK.into_iter().filter_map(|days| {
        let now = now.saturating_add(Span::from_minutes(-days * 24 * 60));
        at(when::parse_time(text, &Context { now, ..context.clone() })).ok()
    });
    Ok(earlier.filter(|at| *at <= now).max().unwrap_or(first))
}

/// How many days back a clock time, a weekday and a date are looked for.
const LOOKED_BACK: [i64; 3] = [1, 7, 366];

/// A number of more digits is none of a length that Keiko counts.
const DIGITS_MAX: usize = 9;

/// Reads a length of time, such as `10m`; it must be longer than nothing.
pub(super) fn length(text: &str) -> Result<Span, RpcError> {
    let nothing = || {
        let message = format!("cannot use {text:?} as a length of time: expected more than nothing");
        RpcError::new(ErrorKind::Time, message).with_hint("say how long, such as 10m or 2h")
    };
    // Without a unit it is refused for that, which leads to 0m.
    if text.trim().parse() == Ok(0) {
        return Err(nothing());
    }
    let span = when::parse_span(text).map_err(|error| match error {
        TimeError::Missing { ref words, .. } => {
            let is_huge = words.split(|letter: char| !letter.is_ascii_digit()).any(|digits| digits.len() > DIGITS_MAX);
            let why = if is_huge { "it is longer than Keiko counts" } else { "expected a number with a unit" };
            let message = format!("cannot use {text:?} as a length of time: {why}");
            RpcError { message, ..not_understood(error) }.with_hint("say how long, such as 10m or 2h")
        }
        other => not_understood(other),
    })?;
    if span.is_positive() {
        return Ok(span);
    }
    Err(nothing())
}

/// Reads when an alert speaks: `1h` and `-1h` before due, `0` at due, `+15m` after.
pub(super) fn alert(text: &str) -> Result<Span, RpcError> {
    let text = text.trim();
    if text.trim_start_matches(['+', '-']) == "0" {
        return Ok(Span::ZERO);
    }
    match text.strip_prefix('+') {
        Some(after) => length(after),
        None => length(text.strip_prefix('-').unwrap_or(text)).map(|span| Span::from_millis(-span.as_millis())),
    }
}

/// Tells what a sentence means.
pub(super) fn explain(
    text: &str,
    dialect: Option<&str>,
    now: Timestamp,
    zone: Tz,
    settings: &Settings,
) -> Result<objects::Reading, RpcError> {
    let dialect = match dialect {
        None => settings.dialect,
        Some("us") => Dialect::Us,
        Some("uk") => Dialect::Uk,
        Some(other) => {
            let message = format!("cannot use dialect {other:?}: expected us or uk");
            return Err(RpcError::new(ErrorKind::Params, message));
        }
    };
    let context = Context { now, zone, settings: Settings { dialect, ..settings.clone() } };
    let reading = match when::parse_sentence(text, &context) {
        Ok(reading) => reading,
        Err(error) => {
            let title = when::title_beside(text, error.span());
            return Ok(to_wire::unread(text, &title, &error.to_string(), Some(span_of(&error)), zone));
        }
    };
    let mut told = told(text, &reading, &context);
    // A sentence without any time is a title; one that says "later" means a time and does not say which.
    if let Err(error @ TimeError::Vague { .. }) = reading.into_time() {
        told.error = Some(error.to_string());
    }
    Ok(told)
}

fn told(text: &str, reading: &Reading, context: &Context) -> objects::Reading {
    let none = Schedule::none();
    let time = reading.time.as_ref();
    let notes = aloud(&reading.notes);
    let understood = Understood {
        schedule: time.map_or(&none, |time| &time.schedule),
        due: time.map(|time| time.due),
        alerts: time.map_or(&[], |time| &time.alerts),
        grain: time.map(|time| time.grain.name()),
        span: time.and_then(|time| Some((time.spans.first()?.start, time.spans.last()?.end))),
        title: &reading.title,
        note: (!notes.is_empty()).then(|| notes.join("; ")),
    };
    to_wire::reading(text, &understood, context.now, context.zone)
}

fn aloud(notes: &[Note]) -> Vec<String> {
    notes.iter().map(ToString::to_string).collect()
}

fn span_of(error: &TimeError) -> (usize, usize) {
    (error.span().start, error.span().end)
}

fn context(api: &Api, place: Place) -> Context {
    Context { now: api.handle.now(), zone: place.zone, settings: api.options().settings.clone() }
}

fn settled(place: Place, time: TimeReading) -> Time {
    let alerts = (!time.alerts.is_empty()).then_some(time.alerts);
    let zone = time.zone.unwrap_or(place.zone);
    let deadline = time.deadline.map(|deadline| Nominal::Local(deadline.local(zone)));
    Time { schedule: place.settle(time.schedule), grain: time.grain, alerts, deadline, notes: aloud(&time.notes) }
}

#[expect(clippy::needless_pass_by_value, reason = "it is what map_err gives")]
fn not_understood(error: TimeError) -> RpcError {
    let span = span_of(&error);
    let refusal = RpcError::new(ErrorKind::Time, error.to_string()).with(|data| data.span = Some(span));
    match error.hint() {
        Some(hint) => refusal.with_hint(hint),
        None => refusal,
    }
}

fn are_alike(one: Tz, other: Tz, now: Timestamp) -> bool {
    one == other
        || SEASONS.into_iter().all(|season| {
            let at = now.saturating_add(season);
            at.local(one) == at.local(other)
        })
}
