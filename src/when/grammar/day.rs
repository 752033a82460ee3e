//! Which day is it: "tomorrow", "next friday", "june 3rd", "6/13", "the last friday of the month"?

use chrono::Weekday;

use crate::when::Dialect;
use crate::when::grammar::amount::{Amount, amount, count};
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
        numeric(words, start, dialect),
        month_and_day(words, start),
        month_day(words, start, binder),
        month_alone(words, start, binder),
        weekday(words, start),
        weekend(words, start),
        period(words, start),
        weekdays_from_now(words, start),
        end_of(words, start, binder),
        suffixed::day(words, start),
    ]
    .into_iter()
    .flatten()
    // The first of the longest, so that "june 3" is not the third of any month.
    .reduce(|best, other| if other.next > best.next { other } else { best })
}

fn found(day: Day, next: usize, strength: Strength) -> FoundDay {
    FoundDay { day, next, strength }
}

/// "a week from friday", "two days after tomorrow".
fn shifted(words: &Words<'_>, start: usize, dialect: Dialect) -> Option<FoundDay> {
    let length = amount(words, start).filter(|found| !found.amount.is_exact())?;
    let is_back = words.has(length.next, Meaning::Before);
    let is_ahead = words.has(length.next, Meaning::From) || words.has(length.next, Meaning::After);
    if !(is_back || is_ahead) {
        return None;
    }
    let anchor = [
        named(words, length.next + 1),
        weekday(words, length.next + 1),
        month_and_day(words, length.next + 1),
        numeric(words, length.next + 1, dialect),
        month_day(words, length.next + 1, Some(Binder::On)),
    ]
    .into_iter()
    .flatten()
    .reduce(|best, other| if other.next > best.next { other } else { best })?;
    let day = Day::Shifted { amount: length.amount, is_back, from: Box::new(anchor.day) };
    Some(found(day, anchor.next, Strength::Strong))
}

/// "three fridays from now".
fn weekdays_from_now(words: &Words<'_>, start: usize) -> Option<FoundDay> {
    let (thousandths, at) = count(words, start).filter(|(thousandths, _)| thousandths % 1000 == 0)?;
    let weekday = words.pick(at, |meaning| match meaning {
        Meaning::EveryWeekday(weekday) | Meaning::Weekday(weekday) => Some(weekday),
        _ => None,
    })?;
    let weeks = thousandths / 1000 - 1;
    let is_today = words.has(at + 1, Meaning::From) && words.has(at + 2, Meaning::Day(0));
    let next = if is_today { at + 3 } else { at + 2 };
    let is_said = is_today || words.has(at + 1, Meaning::FromNow);
    (is_said && weeks >= 0).then(|| found(Day::Weekday(Which::Later(weeks), weekday), next, Strength::Strong))
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

fn named(words: &Words<'_>, start: usize) -> Option<FoundDay> {
    words
        .pick(start, |meaning| match meaning {
            Meaning::Day(days) => Some(Day::FromToday(days)),
            Meaning::End(unit) => Some(Day::End(unit)),
            _ => None,
        })
        .map(|day| found(day, start + 1, Strength::Strong))
}

/// "friday", "this friday", "next friday", "friday week", "friday after next".
fn weekday(words: &Words<'_>, start: usize) -> Option<FoundDay> {
    let (which, at) = which(words, words.skip(start, Meaning::The));
    let (weekday, is_full) = weekday_name(words, at)?;
    let is_bare = which == Which::Coming;
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
    let said = words.pick(at, |meaning| match meaning {
        Meaning::This => Some(Which::This),
        Meaning::Next => Some(Which::Next),
        Meaning::Last => Some(Which::Last),
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
    let (which, at) = which(words, words.skip(start, Meaning::The));
    let unit = words.pick(at, |meaning| match meaning {
        Meaning::Unit(unit @ (Unit::Week | Unit::Month | Unit::Year | Unit::Day | Unit::Quarter)) => Some(unit),
        _ => None,
    })?;
    match which {
        Which::Next | Which::This | Which::Last => Some(found(Day::Period(which, unit), at + 1, Strength::Strong)),
        Which::Coming | Which::Later(_) | Which::InWeek(_) => None,
    }
}

/// "june 3rd", "june 3, 2027", "3 june 2027", "the 3rd of june".
fn month_and_day(words: &Words<'_>, start: usize) -> Option<FoundDay> {
    if let Some(month) = month_name(words, start) {
        let at = words.skip(words.skip(words.skip_dot(start), Meaning::Comma), Meaning::The);
        let (day, next) = day_number(words, at)?;
        return Some(with_year(words, month, day, next));
    }
    let (day, at) = day_number(words, words.skip(start, Meaning::The))?;
    let at = words.skip(words.skip(at, Meaning::Dash), Meaning::Of);
    let month = month_name(words, at)?;
    Some(with_year(words, month, day, words.skip_dot(at)))
}

fn with_year(words: &Words<'_>, month: u32, day: u32, next: usize) -> FoundDay {
    let behind = words.skip(words.skip(words.skip(next, Meaning::Comma), Meaning::In), Meaning::Of);
    let (year, next) = match year(words, behind) {
        Some((year, behind)) => (Some(year), behind),
        None => (None, next),
    };
    found(Day::Date { year, month, day }, next, Strength::Strong)
}

fn year(words: &Words<'_>, at: usize) -> Option<(u32, usize)> {
    let (year, 4) = words.digits(at)? else { return None };
    let is_clock = words.has(at + 1, Meaning::Colon) && words.is_glued(at + 1);
    let is_amount = words.is_unit(at + 1) || words.pick(at + 1, meridiem_only).is_some();
    // "12 may 1700" and "12 may 2330" mean a time of day; ISO dates reach the far years.
    ((1970..2200).contains(&year) && !is_clock && !is_amount).then_some((year, at + 1))
}

fn meridiem_only(meaning: Meaning) -> Option<()> {
    matches!(meaning, Meaning::Meridiem(_)).then_some(())
}

/// Reads a month's name.
pub(in crate::when) fn month_name(words: &Words<'_>, at: usize) -> Option<u32> {
    words.pick(at, |meaning| if let Meaning::Month(month) = meaning { Some(month) } else { None })
}

/// Reads a day of a month: "3", "3rd", "third", "twenty-first".
fn day_number(words: &Words<'_>, at: usize) -> Option<(u32, usize)> {
    if let Some((day, 1..=2)) = words.digits(at) {
        let is_ordinal = words.has(at + 1, Meaning::OrdinalEnd) && words.is_glued(at + 1);
        let next = if is_ordinal { at + 2 } else { at + 1 };
        let is_clock = words.has(next, Meaning::Colon) && words.is_glued(next)
            || words.pick(next, meridiem_only).is_some() && !is_ordinal
            || words.has(next, Meaning::Slash) && words.is_glued(next);
        return (!is_clock).then_some((day, next));
    }
    ordinal_word(words, at)
}

fn ordinal_word(words: &Words<'_>, at: usize) -> Option<(u32, usize)> {
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
    Some(if words.has(last, Meaning::Last) { (-nth, last + 1) } else { (nth, next) })
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
fn month_day(words: &Words<'_>, start: usize, binder: Option<Binder>) -> Option<FoundDay> {
    let at = words.skip(start, Meaning::The);
    let (nth, next) = ordinal(words, at).filter(|(nth, _)| *nth > 0)?;
    let is_word = words.digits(at).is_none();
    let is_bound = binder.is_some_and(|binder| matches!(binder, Binder::On | Binder::By | Binder::Until));
    // "the second attempt" and "on the first try" are no dates.
    if is_word && !(is_bound && at > start && words.is_end(next)) {
        return None;
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
    let is_counted = words.has_repeat && (binder == Some(Binder::On) || words.has(next, Meaning::Of));
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
        let next = start + 2;
        return Some(match year(words, next) {
            Some((year, behind)) => (MonthOf::Named { year: Some(year), month }, behind),
            None => (MonthOf::Named { year: None, month }, next),
        });
    }
    let is_month = |at: usize| words.has(at, Meaning::Unit(Unit::Month));
    let is_any = words.has(start + 1, Meaning::The) || words.has(start + 1, Meaning::This);
    if is_any && is_month(start + 2) {
        return Some((MonthOf::Any, start + 3));
    }
    (words.has(start + 1, Meaning::Next) && is_month(start + 2)).then_some((MonthOf::Next, start + 3))
}

/// "in june", "june 2027", "next june".
fn month_alone(words: &Words<'_>, start: usize, binder: Option<Binder>) -> Option<FoundDay> {
    let at = words.skip(words.skip(start, Meaning::This), Meaning::Next);
    let month = month_name(words, at)?;
    if let Some((year, next)) = year(words, at + 1) {
        return Some(found(Day::Month { year: Some(year), month }, next, Strength::Strong));
    }
    let is_bound = at > start || matches!(binder, Some(Binder::In | Binder::By | Binder::Until));
    is_bound.then(|| found(Day::Month { year: None, month }, at + 1, Strength::Strong))
}

/// "2026-06-03", "6/13", "13.6.2026", "6/13/26".
fn numeric(words: &Words<'_>, start: usize, dialect: Dialect) -> Option<FoundDay> {
    let (first, first_len) = words.digits(start)?;
    let (second, 1..=2) = words.digits(start + 2)? else { return None };
    if !(words.is_glued(start + 1) && words.is_glued(start + 2)) {
        return None;
    }
    let mark = [Meaning::Slash, Meaning::Dash, Meaning::Dot].into_iter().find(|mark| words.has(start + 1, *mark))?;
    let third = words
        .digits(start + 4)
        .filter(|_| words.has(start + 3, mark) && words.is_glued(start + 3) && words.is_glued(start + 4));
    if let Some((third, third_len)) = third {
        let next = start + 5;
        if first_len >= 4 && third_len <= 2 {
            return Some(found(Day::Date { year: Some(first), month: second, day: third }, next, Strength::Strong));
        }
        let year = match third_len {
            4.. => third,
            2 => 2000 + third,
            _ => return None,
        };
        let is_day_first = mark == Meaning::Dot || dialect == Dialect::Uk;
        let (month, day) = month_first(first, second, is_day_first);
        return (first_len <= 2).then(|| found(Day::Date { year: Some(year), month, day }, next, Strength::Strong));
    }
    let is_more = words.is_glued(start + 3) && (words.has(start + 3, mark) || words.is_unit(start + 3));
    if mark != Meaning::Slash || first_len > 2 || is_more {
        return None;
    }
    let (month, day) = month_first(first, second, dialect == Dialect::Uk);
    let is_date = (1..=12).contains(&month) && (1..=31).contains(&day);
    is_date.then(|| found(Day::Date { year: None, month, day }, start + 3, Strength::Weak))
}

/// An impossible month flips the order (phrases, family 32).
fn month_first(first: u32, second: u32, is_day_first: bool) -> (u32, u32) {
    let (month, day) = if is_day_first { (second, first) } else { (first, second) };
    if month > 12 && day <= 12 { (day, month) } else { (month, day) }
}

impl Words<'_> {
    /// Returns the place behind the word at `at` and the full stop of its abbreviation ("Nov. 16", "Fri.").
    fn skip_dot(&self, at: usize) -> usize {
        let is_abbreviated = self.has(at + 1, Meaning::Dot) && self.is_glued(at + 1) && !self.is_end(at + 1);
        if is_abbreviated { at + 2 } else { at + 1 }
    }
}
