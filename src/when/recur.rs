//! Which rule says "every month on the 31st at 9am", and when does it start?

use std::fmt::Write as _;

use chrono::{Datelike, NaiveDateTime, NaiveTime, Timelike, Weekday};

use crate::domain::occurrence::Nominal;
use crate::domain::schedule::{Calendar, INTERVAL_MIN, Interval, Rule, Schedule};
use crate::domain::time::{Span, Timestamp, resolve};
use crate::when::days::later;
use crate::when::grammar::{
    Amount, Clock, Cycle, Day, DayKind, Every, Face, Hours, MonthOf, Naming, Phrase, WEEKEND, WORKING_DAYS, Which,
};
use crate::when::resolve::{Here, Resolved, cut, repeated_clock};
use crate::when::{Grain, Note, TimeError};

/// The days of a repetition, gathered from all the words.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
struct Days {
    weekdays: Vec<Weekday>,
    dates: Vec<u32>,
    nth: Vec<(i32, DayKind)>,
    month: Option<u32>,
}

/// Resolves a phrase that repeats.
pub(super) fn series(here: &Here<'_>, phrase: &Phrase, every: &Every) -> Result<Resolved, TimeError> {
    here.refuse_impossible(phrase)?;
    if phrase.shift.is_some() {
        return Err(here.no_rule("a time before or after another does not repeat"));
    }
    let days_said = match every.cycle {
        Cycle::Weeks | Cycle::Months | Cycle::Years => (every.days.len() + phrase.days.len()).max(1),
        Cycle::Days | Cycle::Exact(_) => 1,
    };
    if phrase.naming == Naming::Mixed {
        return Err(here.no_rule("its days have times of day of their own"));
    }
    let times_a_day: usize = phrase.hours().iter().map(|hours| hours.clocks.len().max(1)).sum();
    let times_said = times_a_day.saturating_mul(days_said);
    if phrase.often.is_some_and(|often| usize::try_from(often) != Ok(times_said)) {
        return Err(here.no_rule("it does not say when, expected times such as `every day at 9 and 18`"));
    }
    match every.cycle {
        Cycle::Exact(amount) => match (phrase.clocks.as_slice(), phrase.window_end) {
            ([start], Some(end)) => window(here, phrase, every, amount, (*start, end)),
            (_, _) => interval(here, phrase, every, amount),
        },
        Cycle::Days | Cycle::Weeks | Cycle::Months | Cycle::Years => calendar(here, phrase, every),
    }
}

/// Hours and finer: absolute, from now.
fn interval(here: &Here<'_>, phrase: &Phrase, every: &Every, amount: Amount) -> Result<Resolved, TimeError> {
    let has_days = !(every.days.is_empty() && phrase.days.is_empty() && phrase.except.is_empty());
    if has_days || phrase.part.is_some() || phrase.clocks.len() > 1 || !phrase.earlier.is_empty() {
        return Err(here.no_rule("an interval of hours or less goes on through every day"));
    }
    let step = Span::from_millis(amount.millis);
    if step < INTERVAL_MIN {
        return Err(here.no_rule("expected an interval of at least one second"));
    }
    let start = match (&phrase.starting, phrase.clocks.first()) {
        (Some(moment), _) => Some(here.start_of_moment(moment)?),
        (None, Some(_)) => {
            let once = here.once(&Phrase { clocks: phrase.clocks.clone(), ..Phrase::default() })?;
            Some(once.due.local(here.zone))
        }
        (None, None) => None,
    };
    let now = here.context.now;
    let from = match start {
        Some(local) => resolve(local, here.zone).map(|(at, _)| at),
        None => now.checked_add(step),
    };
    // A day as start counts from its first moment, which may have passed.
    let from = from.and_then(|from| if from > now { Some(from) } else { now.checked_add(step) });
    let from = from.ok_or_else(|| here.out_of_range())?;
    let until = end(here, phrase)?.map(|local| resolve(local, here.zone).map_or(Timestamp::MAX, |(at, _)| at));
    if until.is_some_and(|until| until < from) {
        return Err(here.nothing_ahead());
    }
    let grain = if step.as_millis() % 60_000 == 0 { Grain::Minute } else { Grain::Second };
    let rule = Rule::Interval(Interval { every: step, from, count: count(here, phrase)?, until });
    Ok(Resolved { rule, due: from, grain, notes: Vec::new() })
}

/// Hours and finer within a window of each day: times of day, both ends included.
fn window(
    here: &Here<'_>,
    phrase: &Phrase,
    every: &Every,
    step: Amount,
    (start, end): (Clock, Clock),
) -> Result<Resolved, TimeError> {
    let minute_of_day =
        |clock: Clock| repeated_clock(clock, None).map(|time| i64::from(time.hour()) * 60 + i64::from(time.minute()));
    let day_end = if end.face == Face::Midnight { Some(24 * 60 - 1) } else { minute_of_day(end) };
    let (Some(first), Some(last)) = (minute_of_day(start), day_end) else { return Err(here.no_such_day()) };
    let minutes = step.millis / 60_000;
    if minutes == 0 || step.millis % 60_000 != 0 || last < first {
        return Err(here.no_rule("expected whole minutes within one day"));
    }
    let clock = |minute: i64| {
        let part = |value: i64| u32::try_from(value).unwrap_or(0);
        Clock { hour: part(minute / 60), minute: part(minute % 60), second: 0, face: Face::Day }
    };
    let mut clocks = Vec::new();
    let mut at = first;
    while at <= last {
        clocks.push(clock(at));
        at += minutes;
    }
    let daily = Every { interval: 1, cycle: Cycle::Days, ..every.clone() };
    calendar(here, &Phrase { clocks, window_end: None, ..phrase.clone() }, &daily)
}

/// Days and coarser: a rule of local dates and times.
fn calendar(here: &Here<'_>, phrase: &Phrase, every: &Every) -> Result<Resolved, TimeError> {
    let phrase = &with_clock_of_its_end(phrase);
    let mut notes = Vec::new();
    let mut days = gather(here, phrase, every)?;
    let interval = u16::try_from(every.interval).ok().filter(|interval| *interval > 0);
    let interval = interval.ok_or_else(|| here.no_rule("expected a whole interval of 1 to 65535"))?;
    let times = Times::of(here, phrase)?;
    let cycle = match every.cycle {
        Cycle::Days if !days.weekdays.is_empty() && interval == 1 => Cycle::Weeks,
        cycle @ (Cycle::Exact(_) | Cycle::Days | Cycle::Weeks | Cycle::Months | Cycle::Years) => cycle,
    };
    let earliest = floor(here, phrase)?;
    if days == Days::default() && !matches!(cycle, Cycle::Days) {
        // "every month": the day of the month on which it first comes up.
        let daily = rule(here, Cycle::Days, 1, &days, &times, &mut Vec::new())?;
        let start = first(here, &daily, earliest).ok_or_else(|| here.nothing_ahead())?;
        match cycle {
            Cycle::Months if start.day() > 28 => days.dates.push(start.day()),
            Cycle::Years if start.day() == 29 && start.month() == 2 => {
                days.month = Some(2);
                days.dates.push(29);
            }
            Cycle::Exact(_) | Cycle::Days | Cycle::Weeks | Cycle::Months | Cycle::Years => {}
        }
        if days == Days::default() {
            let rrule = rule(here, cycle, interval, &days, &times, &mut notes)?;
            return finish(here, phrase, rrule, start, &times, notes);
        }
    }
    // Counted from the first coming one: so its place in the cycle is found without the interval.
    let each = rule(here, cycle, 1, &days, &times, &mut Vec::new())?;
    let start = first(here, &each, earliest).ok_or_else(|| here.nothing_ahead())?;
    let rrule = rule(here, cycle, interval, &days, &times, &mut notes)?;
    finish(here, phrase, rrule, start, &times, notes)
}

/// "every day until friday at 8" comes at 8 on Friday, too: the clock time is the repetition's own.
fn with_clock_of_its_end(phrase: &Phrase) -> Phrase {
    let mut phrase = phrase.clone();
    let has_clock = !phrase.clocks.is_empty() || phrase.starting.as_ref().is_some_and(|start| start.clock.is_some());
    if let Some(until) = &mut phrase.until
        && until.day.is_some()
        && !has_clock
    {
        phrase.clocks.extend(until.clock.take());
    }
    phrase
}

fn finish(
    here: &Here<'_>,
    phrase: &Phrase,
    rrule: String,
    first: NaiveDateTime,
    times: &Times,
    notes: Vec<Note>,
) -> Result<Resolved, TimeError> {
    let until = end(here, phrase)?;
    if until.is_some_and(|until| until < first) {
        return Err(here.nothing_ahead());
    }
    let grain = if times.is_said { Grain::Minute } else { Grain::Day };
    let once = here.at_local(first, grain, notes)?;
    let calendar = Calendar { rrule, from: first, count: count(here, phrase)?, until };
    Ok(Resolved { rule: Rule::Calendar(calendar), ..once })
}

/// Returns the first local time from `floor` on that the rule names and that lies ahead.
fn first(here: &Here<'_>, rrule: &str, floor: NaiveDateTime) -> Option<NaiveDateTime> {
    let calendar = Calendar { rrule: rrule.to_owned(), from: floor, count: None, until: None };
    let schedule = Schedule { text: String::new(), rule: Rule::Calendar(calendar), zone: Some(here.zone) };
    match schedule.next_after(None, here.context.now, here.zone)?.nominal {
        Nominal::Local(local) => Some(local),
        Nominal::Instant(_) => None,
    }
}

fn floor(here: &Here<'_>, phrase: &Phrase) -> Result<NaiveDateTime, TimeError> {
    let Some(moment) = &phrase.starting else { return Ok(here.first_second()) };
    // The clock time of "starting monday at 9" is the repetition's own.
    let start = match &moment.day {
        Some(day) => here.first_date_of(day, moment.weekday)?.and_time(NaiveTime::MIN),
        None => here.start_of_moment(moment)?,
    };
    Ok(start.max(here.first_second()))
}

fn end(here: &Here<'_>, phrase: &Phrase) -> Result<Option<NaiveDateTime>, TimeError> {
    if let Some(moment) = &phrase.until {
        return here.end_of_moment(moment).map(Some);
    }
    let Some(amount) = phrase.lasting else { return Ok(None) };
    later(cut(here.now), amount, false).map(Some).ok_or_else(|| here.out_of_range())
}

fn count(here: &Here<'_>, phrase: &Phrase) -> Result<Option<u32>, TimeError> {
    match phrase.times {
        Some(0) => Err(here.nothing_ahead()),
        times => Ok(times),
    }
}

/// Gathers the days from the repetition and from the words beside it.
fn gather(here: &Here<'_>, phrase: &Phrase, every: &Every) -> Result<Days, TimeError> {
    let mut days = Days::default();
    for day in every.days.iter().chain(&phrase.days) {
        match day {
            Day::Weekday(Which::Coming, weekday) => push(&mut days.weekdays, *weekday),
            Day::Weekend(Which::Coming) => WEEKEND.into_iter().for_each(|day| push(&mut days.weekdays, day)),
            Day::OfMonth(day) => push(&mut days.dates, *day),
            Day::Date { year: None, month, day } if days.month.is_none_or(|known| known == *month) => {
                days.month = Some(*month);
                push(&mut days.dates, *day);
            }
            Day::Nth { nth, kind, month } => {
                push(&mut days.nth, (*nth, *kind));
                match month {
                    MonthOf::Named { year: None, month } => days.month = Some(*month),
                    MonthOf::Any => {}
                    MonthOf::Next
                    | MonthOf::Ahead(_)
                    | MonthOf::InYear { .. }
                    | MonthOf::Named { year: Some(_), .. } => {
                        return Err(here.several());
                    }
                }
            }
            Day::Month { year: None, month } => days.month = Some(*month),
            Day::Date { .. }
            | Day::Weekday(..)
            | Day::Weekend(_)
            | Day::FromToday(_)
            | Day::Month { .. }
            | Day::Period(..)
            | Day::End(_)
            | Day::EndOf(_)
            | Day::Week { .. }
            | Day::WeekAround(_)
            | Day::Counted { .. }
            | Day::WorkingDays(_)
            | Day::Season { .. }
            | Day::Shifted { .. } => return Err(here.several()),
        }
    }
    if !phrase.except.is_empty() {
        if days.weekdays.is_empty() {
            days.weekdays = WORKING_DAYS.into_iter().chain(WEEKEND).collect();
        }
        days.weekdays.retain(|day| !phrase.except.contains(day));
        if days.weekdays.is_empty() {
            return Err(here.nothing_ahead());
        }
    }
    days.weekdays.sort_by_key(Weekday::num_days_from_monday);
    days.dates.sort_unstable();
    Ok(days)
}

fn push<T: PartialEq>(list: &mut Vec<T>, item: T) {
    if !list.contains(&item) {
        list.push(item);
    }
}

/// The times of day of a repetition.
struct Times {
    hours: Vec<u32>,
    minutes: Vec<u32>,
    second: u32,
    /// Which of hours × minutes are meant, in order; all where they fill the square.
    kept: Vec<usize>,
    is_said: bool,
}

impl Times {
    fn of(here: &Here<'_>, phrase: &Phrase) -> Result<Self, TimeError> {
        let settings = &here.context.settings;
        let starting = phrase.starting.as_ref().filter(|moment| moment.day.is_some()).and_then(|moment| moment.clock);
        let mut lists = phrase.hours();
        if let Some(last) = lists.last_mut() {
            last.clocks.extend(starting);
        }
        let is_said = lists.iter().any(|hours| !hours.clocks.is_empty() || hours.part.is_some());
        let time_of = |hours: &Hours| match hours.part {
            Some(part) if part.is_tonight => settings.tonight,
            Some(part) => here.part_time(part.part),
            None => settings.date_only,
        };
        let mut times: Vec<NaiveTime> = Vec::new();
        for hours in &lists {
            let part = hours.part.map(|part| part.part);
            let said: Vec<NaiveTime> = hours.clocks.iter().filter_map(|clock| repeated_clock(*clock, part)).collect();
            times.extend(if said.is_empty() { vec![time_of(hours)] } else { said });
        }
        times.sort_unstable();
        times.dedup();
        let mut hours: Vec<u32> = times.iter().map(Timelike::hour).collect();
        hours.dedup();
        let mut minutes: Vec<u32> = times.iter().map(Timelike::minute).collect();
        minutes.sort_unstable();
        minutes.dedup();
        let second = times.first().map_or(0, Timelike::second);
        if times.iter().any(|time| time.second() != second) {
            return Err(here.no_rule("its times differ in their seconds"));
        }
        let square = hours.iter().flat_map(|hour| minutes.iter().map(move |minute| (*hour, *minute)));
        let is_meant = |(hour, minute)| times.iter().any(|time| time.hour() == hour && time.minute() == minute);
        let kept = square.enumerate().filter(|(_, time)| is_meant(*time)).map(|(index, _)| index).collect();
        Ok(Self { hours, minutes, second, kept, is_said })
    }

    fn per_day(&self) -> usize {
        self.hours.len() * self.minutes.len()
    }

    fn is_square(&self) -> bool {
        self.kept.len() == self.per_day()
    }

    /// Returns the set positions of all times of the days with the 1-based `indices`; negative ones from the end.
    fn positions(&self, indices: &[i32]) -> Vec<i32> {
        let per_day = i32::try_from(self.per_day()).unwrap_or(1);
        let of_day = |index: i32| {
            self.kept.iter().filter_map(move |kept| {
                let kept = i32::try_from(*kept).ok()?;
                Some(if index > 0 { (index - 1) * per_day + kept + 1 } else { index * per_day + kept })
            })
        };
        indices.iter().copied().flat_map(of_day).collect()
    }
}

/// The most times of a week that set positions of the week may pick from.
const WEEK_TIMES_MAX: usize = 40;

/// Writes the rule.
fn rule(
    here: &Here<'_>,
    cycle: Cycle,
    interval: u16,
    days: &Days,
    times: &Times,
    notes: &mut Vec<Note>,
) -> Result<String, TimeError> {
    // Positions are counted by the day where a week has more times than an expansion goes through.
    let is_by_day = interval == 1 && !times.is_square() && times.per_day() * days.weekdays.len() > WEEK_TIMES_MAX;
    let frequency = match cycle {
        Cycle::Weeks if is_by_day => "DAILY",
        Cycle::Days => "DAILY",
        Cycle::Weeks => "WEEKLY",
        Cycle::Months => "MONTHLY",
        Cycle::Years => "YEARLY",
        Cycle::Exact(_) => return Err(here.no_rule("an interval is no rule of dates")),
    };
    let mut text = format!("FREQ={frequency}");
    if interval > 1 {
        write_part(&mut text, "INTERVAL", &[interval]);
    }
    if let Some(month) = days.month {
        if !matches!(cycle, Cycle::Years) {
            return Err(here.no_rule("a month comes once a year, expected `every year`"));
        }
        write_part(&mut text, "BYMONTH", &[month]);
    }
    // The days that one cycle has, counted for the positions of times that are no square.
    let positions = match cycle {
        Cycle::Days if *days == Days::default() => Some(vec![1]),
        Cycle::Weeks if days.dates.is_empty() && days.nth.is_empty() => {
            let counted = weekly(&mut text, &days.weekdays);
            if is_by_day { Some(vec![1]) } else { counted }
        }
        Cycle::Months | Cycle::Years if days.weekdays.is_empty() => {
            in_month(here, &mut text, cycle, days, times, notes)?
        }
        Cycle::Days | Cycle::Weeks | Cycle::Months | Cycle::Years | Cycle::Exact(_) => {
            return Err(here.no_rule("its days do not fit its cycle"));
        }
    };
    if !text.contains("BYSETPOS") && !times.is_square() {
        let all = positions.ok_or_else(|| here.no_rule("several times of day with different minutes"))?;
        write_part(&mut text, "BYSETPOS", &times.positions(&all));
    }
    write_part(&mut text, "BYHOUR", &times.hours);
    write_part(&mut text, "BYMINUTE", &times.minutes);
    write_part(&mut text, "BYSECOND", &[times.second]);
    Ok(text)
}

fn weekly(text: &mut String, weekdays: &[Weekday]) -> Option<Vec<i32>> {
    if weekdays.is_empty() {
        return Some(vec![1]);
    }
    let names: Vec<&str> = weekdays.iter().map(|day| day_name(*day)).collect();
    write_part(text, "BYDAY", &names);
    i32::try_from(weekdays.len()).ok().map(|count| (1..=count).collect())
}

/// Writes the days of a month or year; returns the days of one cycle where their number is always the same.
fn in_month(
    here: &Here<'_>,
    text: &mut String,
    cycle: Cycle,
    days: &Days,
    times: &Times,
    notes: &mut Vec<Note>,
) -> Result<Option<Vec<i32>>, TimeError> {
    if matches!(cycle, Cycle::Years) && days.month.is_none() && !days.dates.is_empty() {
        return Err(here.no_rule("a day of a month comes every month, expected the month"));
    }
    match (days.dates.as_slice(), days.nth.as_slice()) {
        ([], []) => Ok((days.month.is_none()).then(|| vec![1])),
        (month_days, []) => on_month_days(here, text, month_days, days.month, times, notes),
        ([], [(nth, DayKind::WorkingDay)]) => {
            let names: Vec<&str> = WORKING_DAYS.iter().map(|day| day_name(*day)).collect();
            write_part(text, "BYDAY", &names);
            write_part(text, "BYSETPOS", &times.positions(&[*nth]));
            Ok(None)
        }
        ([], nths) if nths.iter().all(|(_, kind)| *kind == DayKind::Day) => {
            let nths: Vec<i32> = nths.iter().map(|(nth, _)| *nth).collect();
            write_part(text, "BYMONTHDAY", &nths);
            Ok((nths.len() == 1).then(|| vec![1]))
        }
        ([], nths) => {
            let is_of_year = matches!(cycle, Cycle::Years) && days.month.is_none();
            let name = |(nth, kind): &(i32, DayKind)| match kind {
                // The 13th Friday of a year is one, of a month none.
                DayKind::Weekday(day) if (1..=if is_of_year { 53 } else { 5 }).contains(&nth.abs()) => {
                    Some(format!("{nth}{}", day_name(*day)))
                }
                DayKind::Weekday(_) | DayKind::WorkingDay | DayKind::Day => None,
            };
            let names: Option<Vec<String>> = nths.iter().map(name).collect();
            let names = names.ok_or_else(|| here.no_rule("no month has such days together"))?;
            write_part(text, "BYDAY", &names);
            Ok((names.len() == 1).then(|| vec![1]))
        }
        (_, _) => Err(here.no_rule("days of the month and weekdays together")),
    }
}

/// Writes days of a month; the 29th to 31st are the last day of months that lack them (SPEC 4).
fn on_month_days(
    here: &Here<'_>,
    text: &mut String,
    days: &[u32],
    month: Option<u32>,
    times: &Times,
    notes: &mut Vec<Note>,
) -> Result<Option<Vec<i32>>, TimeError> {
    let shortest = match month {
        Some(2) | None => 28,
        Some(4 | 6 | 9 | 11) => 30,
        Some(_) => 31,
    };
    let late: Vec<u32> = days.iter().copied().filter(|day| *day > shortest).collect();
    let early: Vec<u32> = days.iter().copied().filter(|day| *day <= shortest).collect();
    let Some(last) = late.last() else {
        write_part(text, "BYMONTHDAY", days);
        return Ok(i32::try_from(days.len()).ok().map(|count| (1..=count).collect()));
    };
    // With the 28th as well, or two late days, a short month would hold the same day twice.
    if late.len() > 1 || early.contains(&shortest) {
        return Err(here.no_rule("two days at the month's end fall together in short months"));
    }
    let all: Vec<u32> = early.iter().copied().chain(shortest..=*last).collect();
    write_part(text, "BYMONTHDAY", &all);
    let early_count = i32::try_from(early.len()).unwrap_or(0);
    let indices: Vec<i32> = (1..=early_count).chain([-1]).collect();
    write_part(text, "BYSETPOS", &times.positions(&indices));
    notes.push(Note::MonthEnd { day: *last });
    Ok(None)
}

fn write_part<T: ToString>(text: &mut String, name: &str, values: &[T]) {
    let values: Vec<String> = values.iter().map(ToString::to_string).collect();
    // Writing to a string does not fail.
    let _ = write!(text, ";{name}={}", values.join(","));
}

pub(super) const fn day_name(day: Weekday) -> &'static str {
    match day {
        Weekday::Mon => "MO",
        Weekday::Tue => "TU",
        Weekday::Wed => "WE",
        Weekday::Thu => "TH",
        Weekday::Fri => "FR",
        Weekday::Sat => "SA",
        Weekday::Sun => "SU",
    }
}
