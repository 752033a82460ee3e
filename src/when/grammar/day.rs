//! Which day is it: "tomorrow", "next friday", "june 3rd", "6/13", "the last friday of the month"?

use chrono::Weekday;

use crate::when::Dialect;
use crate::when::grammar::amount::{Amount, amount, count};
use crate::when::grammar::clock::clock;
use crate::when::grammar::counted::{anchor, counted_from, shifted, weekdays_from_now};
use crate::when::grammar::date::{compact, month_and_day, month_and_year, month_name, numeric, year};
use crate::when::grammar::period::period_of_calendar;
use crate::when::grammar::words::Words;
use crate::when::grammar::{Binder, Strength, suffixed};
use crate::when::lexicon::{Meaning, Unit};

/// A day as said.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(in crate::when) enum Day {
    /// So many days from today.
    FromToday(i64),
    /// A weekday.
    Weekday(Which, Weekday),
    /// A date, its year perhaps unsaid.
    Date { year: Option<u32>, month: u32, day: u32 },
    /// A day of a month that was not said.
    OfMonth(u32),
    /// The so-manieth such day of a month, counted from its end when negative.
    Nth { nth: i32, kind: DayKind, month: MonthOf },
    /// A month without a day.
    Month { year: Option<u32>, month: u32 },
    /// A weekend.
    Weekend(Which),
    /// A week, month or year around or beside this one.
    Period(Which, Unit),
    /// The end of the running day, week, month or year.
    End(Unit),
    /// The end of a named day.
    EndOf(Box<Day>),
    /// The so-manieth week of a year or month, a week belonging to where its Thursday lies.
    Week { nth: i32, of: WeekOf },
    /// The week of a day.
    WeekAround(Box<Day>),
    /// The so-manieth weekday after another day, before it when negative.
    Counted { nth: i64, weekday: Weekday, from: Box<Day> },
    /// So many Mondays to Fridays from today.
    WorkingDays(i64),
    /// A season by the month and day of its start.
    Season { which: Which, year: Option<u32>, month: u32, day: u32 },
    /// So long from another day.
    Shifted { amount: Amount, is_back: bool, from: Box<Day> },
}

/// Which of several days of one name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::when) enum Which {
    /// Nothing said: the coming one.
    Coming,
    /// "this".
    This,
    /// "next".
    Next,
    /// "last", which has passed.
    Last,
    /// So many weeks after the coming one ("friday week").
    Later(i64),
    /// In the week so many weeks on, and in no other (本周一, 下下周五).
    InWeek(i64),
}

/// What is counted in a month.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::when) enum DayKind {
    /// Days.
    Day,
    /// Mondays to Fridays.
    WorkingDay,
    /// One weekday.
    Weekday(Weekday),
}

/// The month in which days are counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::when) enum MonthOf {
    /// "of the month", or none said.
    Any,
    /// "of next month".
    Next,
    /// Of the month so many months on.
    Ahead(i64),
    /// Of a month of the year so many years on.
    InYear { years: i64, month: u32 },
    /// "of june", its year perhaps said.
    Named { year: Option<u32>, month: u32 },
}

/// In what weeks are counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::when) enum WeekOf {
    /// A year, perhaps unsaid.
    Year(Option<u32>),
    /// The next one.
    NextYear,
    /// A month.
    Month(MonthOf),
}

/// A day that was found.
pub(in crate::when) struct FoundDay {
    pub(in crate::when) day: Day,
    pub(in crate::when) next: usize,
    pub(in crate::when) strength: Strength,
}

/// Reads a day, `binder` being the preposition before it.
pub(in crate::when) fn day(
    words: &Words<'_>,
    start: usize,
    binder: Option<Binder>,
    dialect: Dialect,
) -> Option<FoundDay> {
    [
        shifted(words, start, dialect),
        named(words, start),
        nth(words, start, binder),
        numeric(words, start, binder, dialect),
        month_and_day(words, start),
        month_day(words, start, binder),
        month_alone(words, start, binder),
        weekday(words, start),
        weekend(words, start),
        period(words, start),
        weekdays_from_now(words, start),
        end_of(words, start, binder),
        suffixed::day(words, start),
        period_of_calendar(words, start, binder),
        week_around(words, start, dialect),
        counted_from(words, start, dialect),
        holiday(words, start, binder),
        after(words, start, dialect),
        compact(words, start),
    ]
    .into_iter()
    .flatten()
    // The first of the longest, so that "june 3" is not the third of any month.
    .reduce(|best, other| if other.next > best.next { other } else { best })
}

pub(super) fn found(day: Day, next: usize, strength: Strength) -> FoundDay {
    FoundDay { day, next, strength }
}

/// "on christmas", "by new year's eve": bound, since "christmas tree" is a thing.
pub(super) fn holiday(words: &Words<'_>, start: usize, binder: Option<Binder>) -> Option<FoundDay> {
    let (month, day) =
        words.pick(start, |m| if let Meaning::Holiday(month, day) = m { Some((month, day)) } else { None })?;
    let strength = if binder.is_some() { Strength::Strong } else { Strength::Whole };
    Some(found(Day::Date { year: None, month, day }, start + 1, strength))
}

/// "after friday": the day behind it; "after friday 5pm" is at five.
fn after(words: &Words<'_>, start: usize, dialect: Dialect) -> Option<FoundDay> {
    if !words.has(start, Meaning::After) || words.has_repeat {
        return None;
    }
    let day = anchor(words, start + 1, dialect)?;
    if clock(words, words.skip(day.next, Meaning::At), Some(Binder::At)).is_some() {
        return None;
    }
    let amount = Amount { days: 1, ..Amount::default() };
    let from = Box::new(day.day);
    Some(found(Day::Shifted { amount, is_back: false, from }, day.next, Strength::Strong))
}

/// "the week of june 3", "week beginning monday".
fn week_around(words: &Words<'_>, start: usize, dialect: Dialect) -> Option<FoundDay> {
    let at = words.skip(start, Meaning::The);
    let is_week = words.has(at, Meaning::Unit(Unit::Week));
    let is_starting = words.has(at + 1, Meaning::Starting);
    let is_bound = words.has(at + 1, Meaning::Of) || is_starting;
    let day = anchor(words, at + 2, dialect).filter(|_| is_week && is_bound && !words.has_repeat)?;
    if is_starting {
        return Some(day);
    }
    Some(found(Day::WeekAround(Box::new(day.day)), day.next, Strength::Strong))
}

/// "end of friday", and in repetitions "the end" of their cycle.
fn end_of(words: &Words<'_>, start: usize, binder: Option<Binder>) -> Option<FoundDay> {
    let at = words.skip(start, Meaning::The);
    if !words.has(at, Meaning::Ending) {
        return None;
    }
    if words.has(at + 1, Meaning::Of) {
        let inner = words.skip(at + 2, Meaning::The);
        if let Some(day) = named(words, inner).or_else(|| weekday(words, inner)) {
            return Some(found(Day::EndOf(Box::new(day.day)), day.next, Strength::Strong));
        }
    }
    let is_cycle = words.has_repeat && (words.has(at + 1, Meaning::Of) || binder.is_some());
    let last = Day::Nth { nth: -1, kind: DayKind::Day, month: MonthOf::Any };
    is_cycle.then(|| found(last, at + 1, Strength::Strong))
}

pub(super) fn named(words: &Words<'_>, start: usize) -> Option<FoundDay> {
    // "the eom"
    let is_end = words.pick(start + 1, |m| matches!(m, Meaning::End(_)).then_some(())).is_some();
    let start = if is_end { words.skip(start, Meaning::The) } else { start };
    // "next morning" is tomorrow's.
    let at = words.skip(start, Meaning::The);
    let is_part = words.pick(at + 1, |m| matches!(m, Meaning::Part(_)).then_some(())).is_some();
    if words.has(at, Meaning::Next) && is_part {
        return Some(found(Day::FromToday(1), at + 1, Strength::Strong));
    }
    words
        .pick(start, |meaning| match meaning {
            Meaning::Day(days) => Some(Day::FromToday(days)),
            Meaning::End(unit) => Some(Day::End(unit)),
            _ => None,
        })
        .map(|day| found(day, start + 1, Strength::Strong))
}

/// "friday", "this friday", "next friday", "friday week", "friday after next".
pub(super) fn weekday(words: &Words<'_>, start: usize) -> Option<FoundDay> {
    let before = words.skip(start, Meaning::The);
    let (which, at) = which(words, before);
    let (weekday, is_full) = weekday_name(words, at)?;
    let is_bare = at == before;
    let next = words.skip_dot(at);
    if is_bare && is_week(words, next) && !words.is_glued(next) {
        return Some(found(Day::Weekday(Which::Later(1), weekday), next + 1, Strength::Strong));
    }
    // A name with an article is a thing ("the sun", "a friday").
    let is_thing = is_bare && words.has(start, Meaning::The);
    if is_thing && !is_full {
        return None;
    }
    let strength = if is_full || !is_bare { Strength::Strong } else { Strength::Weak };
    Some(found(Day::Weekday(which, weekday), next, strength))
}

/// Reads a weekday's name, and whether it is the full one.
pub(in crate::when) fn weekday_name(words: &Words<'_>, at: usize) -> Option<(Weekday, bool)> {
    words.pick(at, |meaning| match meaning {
        Meaning::Weekday(weekday) => Some((weekday, true)),
        Meaning::ShortWeekday(weekday) => Some((weekday, false)),
        _ => None,
    })
}

fn which(words: &Words<'_>, at: usize) -> (Which, usize) {
    // "this coming friday"
    let at = if words.has(at + 1, Meaning::Coming) { words.skip(at, Meaning::This) } else { at };
    let said = words.pick(at, |meaning| match meaning {
        Meaning::This => Some(Which::This),
        Meaning::Next => Some(Which::Next),
        Meaning::Last => Some(Which::Last),
        Meaning::Coming => Some(Which::Coming),
        _ => None,
    });
    said.map_or((Which::Coming, at), |which| (which, at + 1))
}

fn is_week(words: &Words<'_>, at: usize) -> bool {
    words.has(at, Meaning::Unit(Unit::Week))
}

fn weekend(words: &Words<'_>, start: usize) -> Option<FoundDay> {
    let at = words.skip(start, Meaning::The);
    let (which, at) = which(words, at);
    if !words.has(at, Meaning::Weekend) {
        return None;
    }
    let strength = if at == start { Strength::Weak } else { Strength::Strong };
    Some(found(Day::Weekend(which), at + 1, strength))
}

/// "next week", "last month", "this year".
fn period(words: &Words<'_>, start: usize) -> Option<FoundDay> {
    let before = words.skip(start, Meaning::The);
    // "2 next days" are the next 2.
    let behind_count = count(words, before).map_or(before, |(_, at)| at);
    let before = if words.has(behind_count, Meaning::Next) { behind_count } else { before };
    // "5 upcoming years" begin at no known moment.
    if start > 0 && words.has(start, Meaning::Coming) && words.digits(start - 1).is_some() {
        return None;
    }
    let (which, at) = which(words, before);
    // "next two weeks", "the coming 3 days": they start with the next one.
    let counted = match which {
        Which::Next | Which::Coming if at > before => count(words, at).filter(|(n, _)| n % 1000 == 0).map(|(_, at)| at),
        Which::Next | Which::Coming | Which::This | Which::Last | Which::Later(_) | Which::InWeek(_) => None,
    };
    let at = counted.unwrap_or(at);
    let unit = words.pick(at, |meaning| match meaning {
        Meaning::Unit(unit @ (Unit::Week | Unit::Month | Unit::Year | Unit::Day | Unit::Quarter)) => Some(unit),
        Meaning::Quarter => Some(Unit::Quarter),
        _ => None,
    })?;
    match which {
        Which::Coming if at > before => Some(found(Day::Period(Which::Next, unit), at + 1, Strength::Strong)),
        // "this month in numbers" is a title.
        Which::This => Some(found(Day::Period(which, unit), at + 1, Strength::Adverb)),
        Which::Next | Which::Last => Some(found(Day::Period(which, unit), at + 1, Strength::Strong)),
        Which::Coming | Which::Later(_) | Which::InWeek(_) => None,
    }
}

pub(super) fn ordinal_word(words: &Words<'_>, at: usize) -> Option<(u32, usize)> {
    let ordinal = |at: usize| words.pick(at, |m| if let Meaning::Ordinal(nth) = m { Some(nth) } else { None });
    if let Some(nth) = ordinal(at) {
        return Some((nth, at + 1));
    }
    let tens = words.pick(at, |m| if let Meaning::Number(tens @ (20 | 30)) = m { Some(tens) } else { None })?;
    let behind = words.skip(at + 1, Meaning::Dash);
    let ones = ordinal(behind).filter(|ones| *ones < 10)?;
    Some((tens + ones, behind + 1))
}

/// Reads an ordinal: "3rd", "third", "last".
pub(in crate::when) fn ordinal(words: &Words<'_>, at: usize) -> Option<(i32, usize)> {
    if words.has(at, Meaning::Last) {
        return Some((-1, at + 1));
    }
    let (nth, next) = plain_ordinal(words, at)?;
    // "2nd last", "second to the last"
    let last = words.skip(words.skip(next, Meaning::To), Meaning::The);
    let is_counted = words.is_unit(last + 1) || day_kind(words, last + 1).is_some() || words.has(last + 1, Meaning::Of);
    Some(if words.has(last, Meaning::Last) && is_counted { (-nth, last + 1) } else { (nth, next) })
}

fn plain_ordinal(words: &Words<'_>, at: usize) -> Option<(i32, usize)> {
    if let Some((value, 1..=2)) = words.digits(at) {
        let is_ordinal = words.has(at + 1, Meaning::OrdinalEnd) && words.is_glued(at + 1);
        return is_ordinal.then(|| Some((i32::try_from(value).ok()?, at + 2)))?;
    }
    let (nth, next) = ordinal_word(words, at)?;
    Some((i32::try_from(nth).ok()?, next))
}

/// "the 20th", "on the first".
pub(super) fn month_day(words: &Words<'_>, start: usize, binder: Option<Binder>) -> Option<FoundDay> {
    let at = words.skip(start, Meaning::The);
    // "20 of next month", "the 28th of the month after next"
    let number =
        words.digits(at).filter(|(_, len)| *len <= 2).map(|(day, _)| (i32::try_from(day).unwrap_or(0), at + 1));
    if let Some((nth, behind)) = ordinal(words, at).filter(|(nth, _)| *nth > 0).or(number)
        && let Some((month @ (MonthOf::Any | MonthOf::Next | MonthOf::Ahead(_)), next)) = of_month(words, behind)
        && !words.has_repeat
    {
        return Some(found(Day::Nth { nth, kind: DayKind::Day, month }, next, Strength::Strong));
    }
    // "on the 22."
    if let Some((nth, behind)) = number
        && at > start
        && binder == Some(Binder::On)
        && words.is_end(behind)
    {
        return Some(found(Day::OfMonth(u32::try_from(nth).ok()?), behind, Strength::Strong));
    }
    // "the 17 between 2 and 4pm"
    let is_before_clock = |behind: usize| {
        [Meaning::Between, Meaning::From, Meaning::At].iter().any(|m| words.has(behind, *m))
            && words.digits(behind + 1).is_some()
    };
    if let Some((nth @ 1..=31, behind)) = number
        && at > start
        && is_before_clock(behind)
    {
        return Some(found(Day::OfMonth(u32::try_from(nth).ok()?), behind, Strength::Strong));
    }
    let (nth, next) = ordinal(words, at).filter(|(nth, _)| *nth > 0)?;
    // "on 5th street"
    if words.has(next, Meaning::OrdinalNoun) {
        return None;
    }
    let is_word = words.digits(at).is_none();
    // "the first of each month"
    let of_each = words.has(next, Meaning::Of)
        && words.has(next + 1, Meaning::Every)
        && words.has(words.skip(next + 2, Meaning::Single), Meaning::Unit(Unit::Month));
    if is_word && of_each {
        return Some(found(Day::OfMonth(u32::try_from(nth).ok()?), next, Strength::Strong));
    }
    let is_bound = binder.is_some_and(|binder| matches!(binder, Binder::On | Binder::By | Binder::Until));
    // "the second attempt" and "on the first try" are no dates.
    if is_word && !(at > start && words.is_end(next)) {
        return None;
    }
    if is_word && !is_bound {
        return Some(found(Day::OfMonth(u32::try_from(nth).ok()?), next, Strength::Whole));
    }
    let day = u32::try_from(nth).ok()?;
    Some(found(Day::OfMonth(day), next, if is_bound { Strength::Strong } else { Strength::Weak }))
}

/// "first monday of june", "last day of the month".
fn nth(words: &Words<'_>, start: usize, binder: Option<Binder>) -> Option<FoundDay> {
    let (nth, at) = ordinal(words, words.skip(start, Meaning::The))?;
    // "the last of every month"
    if nth < 0 && words.has_repeat && words.has(at, Meaning::Of) {
        return Some(found(Day::Nth { nth, kind: DayKind::Day, month: MonthOf::Any }, at, Strength::Strong));
    }
    // "first and third friday of every month": the first shares what stands behind the last.
    let joined = words.skip(words.skip(at, Meaning::Comma), Meaning::And);
    if words.has_repeat && joined > at && day_kind(words, at).is_none() {
        let other = self::nth(words, joined, binder)?;
        let Day::Nth { kind, month, .. } = other.day else { return None };
        return Some(found(Day::Nth { nth, kind, month }, at, Strength::Strong));
    }
    let (kind, next) = day_kind(words, at)?;
    if let Some((month, behind)) = of_month(words, next) {
        return Some(found(Day::Nth { nth, kind, month }, behind, Strength::Strong));
    }
    // Without a month "last friday" has passed; behind "every month on" it counts.
    let more = words.skip(words.skip(next, Meaning::Comma), Meaning::And);
    let is_list = more > next && ordinal(words, more).is_some();
    let is_counted = words.has_repeat && (binder == Some(Binder::On) || words.has(next, Meaning::Of) || is_list);
    is_counted.then(|| found(Day::Nth { nth, kind, month: MonthOf::Any }, next, Strength::Strong))
}

/// Reads what is counted: "day", "weekday", "friday".
pub(in crate::when) fn day_kind(words: &Words<'_>, at: usize) -> Option<(DayKind, usize)> {
    if let Some((weekday, _)) = weekday_name(words, at) {
        return Some((DayKind::Weekday(weekday), at + 1));
    }
    words
        .pick(at, |meaning| match meaning {
            Meaning::WorkingDay => Some(DayKind::WorkingDay),
            Meaning::Weekend => Some(DayKind::Weekday(Weekday::Sat)),
            Meaning::Unit(Unit::Day) => Some(DayKind::Day),
            Meaning::EveryWeekday(weekday) => Some(DayKind::Weekday(weekday)),
            _ => None,
        })
        .map(|kind| (kind, at + 1))
}

/// Reads "of june", "in june 2027", "of the month", "of next month".
pub(in crate::when) fn of_month(words: &Words<'_>, start: usize) -> Option<(MonthOf, usize)> {
    if !(words.has(start, Meaning::Of) || words.has(start, Meaning::In)) {
        return None;
    }
    if let Some(month) = month_name(words, start + 1) {
        let next = words.skip_dot(start + 1);
        return Some(match year(words, next) {
            Some((year, behind)) => (MonthOf::Named { year: Some(year), month }, behind),
            None => (MonthOf::Named { year: None, month }, next),
        });
    }
    let is_month = |at: usize| words.has(at, Meaning::Unit(Unit::Month));
    // "first monday in 2 months"
    if let Some(found) = amount(words, start + 1)
        && let Amount { months: months @ 1..=1200, days: 0, millis: 0 } = found.amount
    {
        let next = words.skip(found.next, Meaning::FromNow);
        return Some((MonthOf::Ahead(months), next));
    }
    if words.has(start + 1, Meaning::The)
        && is_month(start + 2)
        && words.has(start + 3, Meaning::After)
        && words.has(start + 4, Meaning::Next)
    {
        return Some((MonthOf::Ahead(2), start + 5));
    }
    let is_any = words.has(start + 1, Meaning::The) || words.has(start + 1, Meaning::This);
    let any_at = if is_any { start + 2 } else { start + 1 };
    if is_month(any_at) {
        // "first monday of the month in 2 months"
        return match of_month(words, any_at + 1) {
            Some((month @ MonthOf::Ahead(_), next)) => Some((month, next)),
            Some(_) | None => Some((MonthOf::Any, any_at + 1)),
        };
    }
    let is_next = words.has(start + 1, Meaning::Next) || words.has(start + 1, Meaning::Coming);
    (is_next && is_month(start + 2)).then_some((MonthOf::Next, start + 3))
}

/// Returns the place behind "the month of".
fn behind_month_of(words: &Words<'_>, start: usize) -> usize {
    let at = words.skip(start, Meaning::The);
    let is_named = words.has(at, Meaning::Unit(Unit::Month)) && words.has(at + 1, Meaning::Of);
    if is_named && month_name(words, at + 2).is_some() { at + 2 } else { start }
}

/// "in june", "june 2027", "next june", "the month of june".
fn month_alone(words: &Words<'_>, start: usize, binder: Option<Binder>) -> Option<FoundDay> {
    let at = words.skip(words.skip(behind_month_of(words, start), Meaning::This), Meaning::Next);
    // "in an october"
    let at = if at == start && binder == Some(Binder::In) { words.skip(at, Meaning::Article) } else { at };
    let Some(month) = month_name(words, at) else { return month_and_year(words, start) };
    if words.has(at.saturating_sub(1), Meaning::Next) && at > start {
        let month = MonthOf::Named { year: None, month };
        return Some(found(Day::Nth { nth: 1, kind: DayKind::Day, month }, at + 1, Strength::Strong));
    }
    let behind = words.skip_joint(words.skip(words.skip(words.skip_dot(at), Meaning::Comma), Meaning::Of));
    if let Some((year, next)) = year(words, behind) {
        return Some(found(Day::Month { year: Some(year), month }, next, Strength::Strong));
    }
    let is_bound = at > start || matches!(binder, Some(Binder::In | Binder::By | Binder::Until | Binder::From));
    // "september" alone; elsewhere a name may be a person's.
    let joins = |at: usize| {
        [Meaning::Dash, Meaning::To, Meaning::Until, Meaning::Through, Meaning::From, Meaning::Between, Meaning::And]
            .iter()
            .any(|join| words.has(at, *join))
    };
    // "march in a year"
    let is_ahead = words.has(at + 1, Meaning::In) && amount(words, at + 2).is_some();
    let is_alone = (start == 0 || joins(start - 1)) && (words.is_end(at + 1) || joins(at + 1) || is_ahead);
    let strength = if is_bound { Strength::Strong } else { Strength::Whole };
    (is_bound || is_alone).then(|| found(Day::Month { year: None, month }, at + 1, strength))
}
