//! Which day is it: 6月3日, 下个月15号, 明年三月一号, 月底, 下周五, 十月第一个星期一?

use chrono::Weekday;

use crate::when::grammar::Strength;
use crate::when::grammar::amount::{Amount, amount};
use crate::when::grammar::day::{Day, DayKind, FoundDay, MonthOf, WeekOf, Which, day_kind, found, weekday_name};
use crate::when::grammar::suffixed::{marked, number, pick_part};
use crate::when::grammar::words::Words;
use crate::when::lexicon::{Meaning, Unit};

/// The day on which the second half of a month starts.
const HALF: u32 = 16;

/// Reads a day: 6月3日, 2026年6月3号, 20号, 下个月15号, 明年三月一号, 月底, 下周五, 十月第一个星期一.
pub(in crate::when) fn day(words: &Words<'_>, start: usize) -> Option<FoundDay> {
    week(words, start)
        .or_else(|| date(words, start))
        .or_else(|| slashed(words, start))
        .or_else(|| in_brackets(words, start))
        .or_else(|| half(words, start))
        .or_else(|| quarter(words, start))
        .map(|found| {
            // 下周内, 2027年内; but 五日内 is an amount.
            let is_period = matches!(found.day, Day::Period(..) | Day::Month { .. } | Day::Nth { .. });
            if is_period { FoundDay { next: words.skip(found.next, Meaning::Inside), ..found } } else { found }
        })
}

/// 下半年, 上半月, 下半周.
fn half(words: &Words<'_>, start: usize) -> Option<FoundDay> {
    let day = if let Some(half) = half_of(words, start, Unit::Year) {
        Day::Month { year: None, month: if half == 1 { 1 } else { 7 } }
    } else if let Some(half) = half_of(words, start, Unit::Month) {
        Day::OfMonth(if half == 1 { 1 } else { HALF })
    } else {
        let half = half_of(words, start, Unit::Week)?;
        Day::Weekday(Which::InWeek(0), if half == 1 { Weekday::Mon } else { Weekday::Thu })
    };
    Some(found(day, start + 1, Strength::Strong))
}

/// 下季度, 第三季度, 三季度; 三个季度 is a length.
fn quarter(words: &Words<'_>, start: usize) -> Option<FoundDay> {
    let on = words.pick(start, |m| if let Meaning::QuarterOn(quarters) = m { Some(quarters) } else { None });
    if let Some(quarters) = on {
        let which = if quarters == 1 { Which::Next } else { Which::InWeek(quarters) };
        return Some(found(Day::Period(which, Unit::Quarter), start + 1, Strength::Strong));
    }
    let (nth, next) = nth_quarter(words, start)?;
    Some(found(Day::Month { year: None, month: nth * 3 - 2 }, next, Strength::Strong))
}

fn nth_quarter(words: &Words<'_>, at: usize) -> Option<(u32, usize)> {
    let at = words.skip(at, Meaning::Linker);
    let nth = words.pick(at, |m| if let Meaning::Ordinal(nth) = m { Some(nth) } else { None });
    // 季度 and not 个季度
    let is_uncounted = words.lexeme(at + 1).is_some_and(|lexeme| lexeme.span.len() == 6);
    let nth = nth.or_else(|| number(words, at).filter(|_| is_uncounted).map(|number| number.value))?;
    ((1..=4).contains(&nth) && words.has(at + 1, Meaning::Unit(Unit::Quarter))).then_some((nth, at + 2))
}

fn half_of(words: &Words<'_>, at: usize, unit: Unit) -> Option<u32> {
    words.pick(at, |meaning| match meaning {
        Meaning::HalfOf(half, of) if of == unit => Some(half),
        _ => None,
    })
}

/// The weekday of 6月5日（周五）, which must agree with its date.
fn in_brackets(words: &Words<'_>, start: usize) -> Option<FoundDay> {
    let is_closed = words.has(start, Meaning::Bracket) && words.has(start + 2, Meaning::Bracket);
    let (weekday, _) = weekday_name(words, start + 1).filter(|_| is_closed && start > 0)?;
    Some(found(Day::Weekday(Which::Coming, weekday), start + 3, Strength::Whole))
}

/// 下周五, 本周末, 下周.
fn week(words: &Words<'_>, start: usize) -> Option<FoundDay> {
    let weeks = words.pick(start, |meaning| if let Meaning::WeekOn(weeks) = meaning { Some(weeks) } else { None })?;
    let which = match weeks {
        1 => Which::Next,
        _ => Which::InWeek(weeks),
    };
    let at = words.skip(start + 1, Meaning::Linker);
    if let Some(day) = words.pick(at, |meaning| if let Meaning::Weekday(day) = meaning { Some(day) } else { None }) {
        return Some(found(Day::Weekday(which, day), at + 1, Strength::Strong));
    }
    if words.has(at, Meaning::Weekend) {
        return Some(found(Day::Weekend(which), at + 1, Strength::Strong));
    }
    Some(found(Day::Period(which, Unit::Week), start + 1, Strength::Strong))
}

/// A year as said.
#[derive(Clone, Copy)]
enum Year {
    Named(u32),
    Ahead(i64),
}

/// A month as said.
#[derive(Clone, Copy)]
enum Month {
    Named(u32),
    Ahead(i64),
    Any,
}

fn date(words: &Words<'_>, start: usize) -> Option<FoundDay> {
    let (year, at) = year(words, start).map_or((None, start), |(year, at)| (Some(year), at));
    let behind_year = words.skip(words.skip(at, Meaning::Comma), Meaning::Linker);
    let holiday =
        words.pick(behind_year, |m| if let Meaning::Holiday(month, day) = m { Some((month, day)) } else { None });
    if let (Some(year), Some((month, day))) = (year, holiday) {
        let day = in_month(month_of(Some(year), Month::Named(month))?, day)?;
        return Some(found(day, behind_year + 1, Strength::Strong));
    }
    let month = month(words, behind_year).filter(|(month, _)| year.is_none() || matches!(month, Month::Named(_)));
    let (month, at) = month.map_or((None, at), |(month, at)| (Some(month), at));
    if year.is_none() && month.is_none() {
        let is_bare_year = words.has(start, Meaning::BareYear);
        return if is_bare_year { of_year(words, None, start) } else { day_alone(words, start) };
    }
    let Some(month) = month else { return of_year(words, year, at) };
    let month = month_of(year, month)?;
    let behind = words.skip(at, Meaning::Linker);
    if let Some((nth, kind, next)) = counted(words, behind) {
        return Some(found(Day::Nth { nth, kind, month }, next, Strength::Strong));
    }
    // A week belongs to the month in which its Monday lies.
    if let Some((nth, next)) = nth_week(words, behind) {
        let kind = DayKind::Weekday(Weekday::Mon);
        return Some(found(Day::Nth { nth, kind, month }, next, Strength::Strong));
    }
    if let Some(half) = half_of(words, at, Unit::Month) {
        let day = if half == 1 { 1 } else { HALF };
        return Some(found(in_month(month, day)?, at + 1, Strength::Strong));
    }
    if let Some(nth) = place(words, at) {
        return Some(found(Day::Nth { nth, kind: DayKind::Day, month }, at + 1, Strength::Strong));
    }
    if let Some((day, next)) = day_number(words, at) {
        return Some(found(in_month(month, day)?, next, Strength::Strong));
    }
    // A month of which no day was said.
    match month {
        MonthOf::Named { year, month } => {
            let is_sure = year.is_some() || !words.is_glued(at) || words.is_end(at);
            Some(found(Day::Month { year, month }, at, if is_sure { Strength::Strong } else { Strength::Weak }))
        }
        MonthOf::Ahead(months) if (-1..=1).contains(&months) => {
            let which = if months == 1 { Which::Next } else { Which::InWeek(months) };
            Some(found(Day::Period(which, Unit::Month), at, Strength::Strong))
        }
        MonthOf::Ahead(_) | MonthOf::InYear { .. } => {
            Some(found(Day::Nth { nth: 1, kind: DayKind::Day, month }, at, Strength::Strong))
        }
        MonthOf::Any | MonthOf::Next => None,
    }
}

fn year(words: &Words<'_>, at: usize) -> Option<(Year, usize)> {
    if let Some(years) = words.pick(at, |meaning| if let Meaning::YearOn(years) = meaning { Some(years) } else { None })
    {
        return Some((Year::Ahead(years), at + 1));
    }
    let (number, next) = marked(words, at, Meaning::YearMark)?;
    match (number.value, number.len) {
        (value @ 1000..=9999, _) => Some((Year::Named(value), next)),
        // Of two digits, as 26年6月; 三年 is an amount.
        (value, 2) => Some((Year::Named(2000 + value), next)),
        (_, _) => None,
    }
}

fn month(words: &Words<'_>, at: usize) -> Option<(Month, usize)> {
    if let Some(months) =
        words.pick(at, |meaning| if let Meaning::MonthOn(months) = meaning { Some(months) } else { None })
    {
        return Some((Month::Ahead(months), at + 1));
    }
    // 月底, and in a repetition the 底 of 每个月底
    if words.has(at, Meaning::BareMonth) {
        return Some((Month::Any, at + 1));
    }
    if words.has_repeat && (place(words, at).is_some() || counted(words, at).is_some()) {
        return Some((Month::Any, at));
    }
    let (number, next) = marked(words, at, Meaning::MonthMark)?;
    Some((Month::Named(number.value), next))
}

fn month_of(year: Option<Year>, month: Month) -> Option<MonthOf> {
    match (year, month) {
        (None, Month::Any) => Some(MonthOf::Any),
        (None, Month::Ahead(months)) => Some(MonthOf::Ahead(months)),
        (None, Month::Named(month)) => Some(MonthOf::Named { year: None, month }),
        (Some(Year::Named(year)), Month::Named(month)) => Some(MonthOf::Named { year: Some(year), month }),
        (Some(Year::Ahead(years)), Month::Named(month)) => Some(MonthOf::InYear { years, month }),
        (Some(_), Month::Any | Month::Ahead(_)) => None,
    }
}

fn in_month(month: MonthOf, day: u32) -> Option<Day> {
    match month {
        MonthOf::Named { year, month } => Some(Day::Date { year, month, day }),
        MonthOf::Any => Some(Day::OfMonth(day)),
        MonthOf::Next | MonthOf::Ahead(_) | MonthOf::InYear { .. } => {
            Some(Day::Nth { nth: i32::try_from(day).ok()?, kind: DayKind::Day, month })
        }
    }
}

/// What is behind a year without a month: 年底, 明年年初, 2026年第一天; or nothing.
fn of_year(words: &Words<'_>, year: Option<Year>, at: usize) -> Option<FoundDay> {
    // 明年年底
    let at = if words.has(at, Meaning::BareYear) { at + 1 } else { at };
    if let (Some((nth, next)), Some(Year::Named(year))) = (nth_week(words, words.skip(at, Meaning::Linker)), year) {
        return Some(found(Day::Week { nth, of: WeekOf::Year(Some(year)) }, next, Strength::Strong));
    }
    if let Some(found) = rest_of_year(words, year, at) {
        return Some(found);
    }
    let season = words.pick(at, |m| if let Meaning::Season(month, day) = m { Some((month, day)) } else { None });
    if let (Some(year), Some((month, day))) = (year, season) {
        return Some(found(in_month(month_of(Some(year), Month::Named(month))?, day)?, at + 1, Strength::Strong));
    }
    let (month, nth, next) = if let Some((nth, next)) = nth_quarter(words, at).filter(|_| year.is_some()) {
        (nth * 3 - 2, 1, next)
    } else if let Some(half) = half_of(words, at, Unit::Year) {
        (if half == 1 { 1 } else { 7 }, 1, at + 1)
    } else if let Some(place) = place(words, at) {
        if place < 0 { (12, 31, at + 1) } else { (1, 1, at + 1) }
    } else if let Some((nth @ 1..=31, DayKind::Day, next)) = counted(words, words.skip(at, Meaning::Linker)) {
        (1, nth, next)
    } else {
        let strength = |year: Year| if matches!(year, Year::Ahead(_)) { Strength::Strong } else { Strength::Weak };
        return match year {
            Some(Year::Ahead(1)) => Some(found(Day::Period(Which::Next, Unit::Year), at, Strength::Strong)),
            Some(Year::Ahead(years)) if years < 1 => {
                // 今年 beside a title says no time.
                Some(found(Day::Period(Which::InWeek(years), Unit::Year), at, Strength::Whole))
            }
            Some(year) => Some(found(
                Day::Nth { nth: 1, kind: DayKind::Day, month: month_of(Some(year), Month::Named(1))? },
                at,
                strength(year),
            )),
            None => None,
        };
    };
    let month = month_of(year, Month::Named(month))?;
    let day = in_month(month, u32::try_from(nth).ok()?)?;
    Some(found(day, next, Strength::Strong))
}

/// 2027年的最后四个月 and 2027年前三个月: their first day.
fn rest_of_year(words: &Words<'_>, year: Option<Year>, at: usize) -> Option<FoundDay> {
    let at = words.skip(at, Meaning::Linker);
    let (is_last, is_first) = (words.has(at, Meaning::Final), words.has(at, Meaning::ByBehind));
    let length = amount(words, at + 1).filter(|length| !length.amount.is_exact() && (is_last || is_first))?;
    let first = |years: u32| match year? {
        Year::Named(said) => Some(Day::Date { year: Some(said + years), month: 1, day: 1 }),
        Year::Ahead(0) if years == 1 => Some(Day::Period(Which::Next, Unit::Year)),
        Year::Ahead(_) => None,
    };
    if is_first {
        return Some(found(first(0)?, length.next, Strength::Strong));
    }
    let day = Day::Shifted { amount: length.amount, is_back: true, from: Box::new(first(1)?) };
    let Amount { months, days, .. } = length.amount;
    let day = if months == 0 && days % 7 == 0 { Day::WeekAround(Box::new(day)) } else { day };
    Some(found(day, length.next, Strength::Strong))
}

fn place(words: &Words<'_>, at: usize) -> Option<i32> {
    words.pick(at, |meaning| if let Meaning::Place(nth) = meaning { Some(nth) } else { None })
}

/// 第一个周一, 最后一天, 最后一个工作日, 倒数第二天.
fn counted(words: &Words<'_>, at: usize) -> Option<(i32, DayKind, usize)> {
    let nth = words.pick(at, |meaning| match meaning {
        Meaning::Final => Some(-1),
        Meaning::Ordinal(nth) => i32::try_from(nth).ok(),
        Meaning::FinalNth(nth) => i32::try_from(nth).ok().map(|nth| -nth),
        _ => None,
    })?;
    let (kind, next) = day_kind(words, at + 1)?;
    Some((nth, kind, next))
}

/// 第二周.
fn nth_week(words: &Words<'_>, at: usize) -> Option<(i32, usize)> {
    let nth = words.pick(at, |meaning| match meaning {
        Meaning::Final => Some(-1),
        Meaning::Ordinal(nth) => i32::try_from(nth).ok(),
        _ => None,
    })?;
    let next = words.skip(at + 1, Meaning::Number(1));
    words.has(next, Meaning::Unit(Unit::Week)).then_some((nth, next + 1))
}

/// Reads a day of a month behind its month: 3日, 3号, and 3 where nothing else is counted.
fn day_number(words: &Words<'_>, at: usize) -> Option<(u32, usize)> {
    let number = number(words, at)?;
    if words.has(number.next, Meaning::DayMark) {
        return Some((number.value, number.next + 1));
    }
    // 5月20-25日 begins on the 20th.
    let is_stretch =
        !words.has_repeat && (words.has(number.next, Meaning::Dash) || words.has(number.next, Meaning::To));
    if is_stretch && let Some((_, next)) = marked(words, number.next + 1, Meaning::DayMark) {
        return Some((number.value, next));
    }
    let is_free = words.is_end(number.next) || pick_part(words, number.next).is_some() || !words.is_glued(number.next);
    ((1..=31).contains(&number.value) && is_free).then_some((number.value, number.next))
}

/// 20号, and the 1 of 每月1、15号.
fn day_alone(words: &Words<'_>, start: usize) -> Option<FoundDay> {
    let number = number(words, start)?;
    if words.has(number.next, Meaning::DayMark) {
        return Some(found(Day::OfMonth(number.value), number.next + 1, Strength::Strong));
    }
    let joined = [Meaning::Comma, Meaning::And, Meaning::AndAlso].iter().any(|join| words.has(number.next, *join));
    let is_shared = words.has_repeat && joined && day_alone(words, number.next + 1).is_some();
    is_shared.then(|| found(Day::OfMonth(number.value), number.next, Strength::Strong))
}

/// 11/3号.
fn slashed(words: &Words<'_>, start: usize) -> Option<FoundDay> {
    let (month, 1..=2) = words.digits(start)? else { return None };
    let (day, next) = marked(words, start + 2, Meaning::DayMark)?;
    let is_joined = words.has(start + 1, Meaning::Slash) || words.has(start + 1, Meaning::Dot);
    is_joined.then(|| found(Day::Date { year: None, month, day: day.value }, next, Strength::Strong))
}
