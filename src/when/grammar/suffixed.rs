//! Which day or time is it, where marks stand behind numbers and the large before the small: 6月3日, 下午三点半, 周五之前?
//!
//! The order of Chinese (and of Japanese and Korean). Only meanings are read here, no words.

use chrono::Weekday;

use crate::when::Dialect;
use crate::when::grammar::clock::{Clock, Face, FoundClock, MIDNIGHT, digital, meridiem, on_half};
use crate::when::grammar::day::{Day, DayKind, FoundDay, MonthOf, WeekOf, Which, day_kind};
use crate::when::grammar::every::{Every, WEEKEND, of_amount, unit, weekday_list, weekdays};
use crate::when::grammar::words::Words;
use crate::when::grammar::{Binder, Cycle, Found, Moment, Piece, Strength, amount};
use crate::when::lexicon::{Meaning, Part, Unit};

/// A number with how many digits it was written with (0 for a number in words) and the place behind it.
#[derive(Clone, Copy)]
struct Number {
    value: u32,
    len: usize,
    next: usize,
}

fn number(words: &Words<'_>, at: usize) -> Option<Number> {
    words.pick(at, |meaning| match meaning {
        Meaning::Digits { value, len } => Some(Number { value, len, next: at + 1 }),
        Meaning::Number(value) => Some(Number { value, len: 0, next: at + 1 }),
        _ => None,
    })
}

/// Reads a number that the mark stands behind, and the place behind the mark.
fn marked(words: &Words<'_>, at: usize, mark: Meaning) -> Option<(Number, usize)> {
    // 三十分零8秒
    let behind_zero = words.skip(at, Meaning::Number(0));
    let number = number(words, behind_zero).or_else(|| number(words, at))?;
    words.has(number.next, mark).then_some((number, number.next + 1))
}

fn pick_part(words: &Words<'_>, at: usize) -> Option<Part> {
    words.pick(at, |meaning| if let Meaning::SurePart(part) = meaning { Some(part) } else { None })
}

/// Reads a clock time: 三点, 下午三点半, 差一刻六点, 晚上9:30, 三点pm.
pub(super) fn clock(words: &Words<'_>, start: usize) -> Option<FoundClock> {
    let part = pick_part(words, start);
    let at = if part.is_some() { words.skip(start + 1, Meaning::Linker) } else { start };
    let face = short_of(words, at)
        .or_else(|| hour_and_minutes(words, at))
        .or_else(|| part.and_then(|_| with_colon(words, at)))?;
    let time = &face.time;
    if time.minute > 59 || time.second > 59 {
        return Some(impossible(face.time, face.next));
    }
    if let Some((half, next)) = meridiem(words, face.next).filter(|_| part.is_none()) {
        return Some(strong(on_half(time.hour, time.minute, time.second, half), next));
    }
    let Some(part) = part else {
        // 一点 and 三点 may be something else, 三点半 not.
        let is_sure = face.is_sure || time.hour > 12 || time.hour == 0;
        if !is_sure && is_no_clock(words, start, face.next) {
            return None;
        }
        let strength = if is_sure { Strength::Strong } else { Strength::Weak };
        return Some(FoundClock { clock: without_part(face.time), next: face.next, strength });
    };
    Some(strong(on_part(face.time, part), face.next))
}

fn strong(clock: Clock, next: usize) -> FoundClock {
    FoundClock { clock, next, strength: Strength::Strong }
}

fn impossible(clock: Clock, next: usize) -> FoundClock {
    strong(Clock { face: Face::Impossible, ..clock }, next)
}

/// 三点建议 counts points, and 买一点 is a little.
fn is_no_clock(words: &Words<'_>, start: usize, next: usize) -> bool {
    let is_little = words.has(start, Meaning::Number(1)) && words.is_glued(start) && start > 0 && {
        let before = start - 1;
        words.pick(before, |_| Some(())).is_none() && words.opens_or_closes(before)
    };
    is_little || words.has(next, Meaning::PointNoun)
}

/// An hour with its minutes as said, the hour not yet put on the 24-hour clock.
struct Said {
    time: Clock,
    next: usize,
    /// Whether more was said than an hour of one number.
    is_sure: bool,
}

fn said(hour: u32, minute: u32, second: u32, next: usize) -> Said {
    Said { time: Clock { hour, minute, second, face: Face::Open }, next, is_sure: true }
}

/// 三点, 三点半, 三点十五分二十秒, 三点零五, 三点一刻, 六点差五分, 七八点 (the first of the two).
fn hour_and_minutes(words: &Words<'_>, start: usize) -> Option<Said> {
    let first = number(words, start)?;
    let second = number(words, first.next).filter(|second| second.value == first.value + 1);
    let mark = second.map_or(first.next, |second| second.next);
    if !words.has(mark, Meaning::HourMark) || first.value > 24 && first.len > 2 {
        return None;
    }
    let hour = first.value;
    let next = mark + 1;
    if words.has(mark, Meaning::OClock) {
        return Some(said(hour, 0, 0, next));
    }
    if words.has(next, Meaning::ShortOf)
        && let Some((minutes, behind)) = minutes(words, next + 1)
    {
        return before_hour(hour, minutes, behind);
    }
    let behind = words.skip(next, Meaning::OnMark);
    if words.has(behind, Meaning::Half) {
        // 三时半五十九秒
        let seconds = marked(words, behind + 1, Meaning::SecondMark);
        return Some(seconds.map_or_else(
            || said(hour, 30, 0, behind + 1),
            |(seconds, end)| said(hour, 30, seconds.value, end),
        ));
    }
    if let Some((minutes, end)) = minutes(words, behind) {
        let seconds = marked(words, end, Meaning::SecondMark);
        return Some(seconds.map_or_else(|| said(hour, minutes, 0, end), |(second, end)| said(hour, minutes, second.value, end)));
    }
    if let Some((minutes, end)) = unmarked_minutes(words, behind, behind > next) {
        return Some(said(hour, minutes, 0, end));
    }
    let is_padded = first.len == 2 && hour < 10;
    Some(Said { is_sure: second.is_some() || is_padded, ..said(hour, 0, 0, next) })
}

/// 十五分, 一刻, 三个字.
fn minutes(words: &Words<'_>, at: usize) -> Option<(u32, usize)> {
    if let Some(minutes) = words.pick(at, |m| if let Meaning::MinutesPast(minutes) = m { Some(minutes) } else { None }) {
        return Some((minutes, at + 1));
    }
    if let Some((fives, next)) = marked(words, at, Meaning::FiveMinutes) {
        return Some((fives.value.saturating_mul(5), next));
    }
    let (minutes, next) = marked(words, at, Meaning::MinuteMark)?;
    Some((minutes.value, next))
}

/// 三点十五, 三点零五; a single digit counts fives (三點三), if nothing follows that it could count.
fn unmarked_minutes(words: &Words<'_>, at: usize, is_joined: bool) -> Option<(u32, usize)> {
    let number = number(words, at).filter(|_| words.is_glued(at))?;
    let is_last = words.is_end(number.next) || !words.is_glued(number.next);
    let is_counting = words.is_unit(number.next)
        || [Meaning::HourMark, Meaning::Single, Meaning::DayMark, Meaning::MonthMark, Meaning::Times]
            .iter()
            .any(|mark| words.has(number.next, *mark));
    match (number.value, number.len) {
        (10..=59, _) | (0..=9, 2) if !is_counting => Some((number.value, number.next)),
        (1..=11, 0) if is_last || is_joined => Some((number.value * 5, number.next)),
        (_, _) => None,
    }
}

/// 差一刻六点, 差五分六点.
fn short_of(words: &Words<'_>, start: usize) -> Option<Said> {
    let at = words.has(start, Meaning::ShortOf).then_some(start + 1)?;
    let (minutes, at) = minutes(words, at)?;
    let (hour, next) = marked(words, at, Meaning::HourMark)?;
    before_hour(hour.value, minutes, next)
}

fn before_hour(hour: u32, minutes: u32, next: usize) -> Option<Said> {
    let minute = 60_u32.checked_sub(minutes).filter(|minute| (1..60).contains(minute))?;
    let hour = match hour {
        0 => 23,
        1 => 12,
        2..=24 => hour - 1,
        _ => return None,
    };
    Some(said(hour, minute, 0, next))
}

/// The 9:30 of 晚上9:30.
fn with_colon(words: &Words<'_>, at: usize) -> Option<Said> {
    let (clock, next) = digital(words, at, None)?;
    Some(Said { time: clock, next, is_sure: true })
}

fn without_part(time: Clock) -> Clock {
    let face = match time.hour {
        24 if time.minute == 0 => return MIDNIGHT,
        1..=12 => Face::Open,
        0 | 13..=23 => Face::Day,
        _ => Face::Impossible,
    };
    Clock { face, ..time }
}

/// Puts a time on the 24-hour clock; hours that the part does not have are no time (晚上13点, 中午十点).
fn on_part(time: Clock, part: Part) -> Clock {
    let (hour, face) = match (part, time.hour) {
        (Part::Morning, 0..=12)
        | (Part::Dawn, 0..=6)
        | (Part::Midday, 11..=14)
        | (Part::Afternoon, 12..=18)
        | (Part::Evening, 16..=20)
        | (Part::LongEvening | Part::Night, 17..=23)
        | (Part::DeepNight, 21..=23) => (time.hour, Face::Day),
        (Part::Dawn, 12) => (0, Face::Day),
        (Part::Midday, 1..=2)
        | (Part::Afternoon, 1..=11)
        | (Part::Evening, 4..=8)
        | (Part::LongEvening | Part::Night, 5..=11)
        | (Part::DeepNight, 9..=11) => (time.hour + 12, Face::Day),
        // The night goes on behind midnight.
        (Part::LongEvening | Part::Night | Part::DeepNight, 0 | 12 | 24) => (0, Face::Midnight),
        (Part::LongEvening | Part::Night, 1..=4) | (Part::DeepNight, 1..=5) => (time.hour, Face::Midnight),
        (
            Part::Morning
            | Part::Dawn
            | Part::Midday
            | Part::Afternoon
            | Part::Evening
            | Part::LongEvening
            | Part::Night
            | Part::DeepNight,
            _,
        ) => (time.hour, Face::Impossible),
    };
    Clock { hour, face, ..time }
}

/// Reads a day: 6月3日, 2026年6月3号, 20号, 下个月15号, 明年三月一号, 月底, 下周五, 十月第一个星期一.
pub(super) fn day(words: &Words<'_>, start: usize) -> Option<FoundDay> {
    week(words, start).or_else(|| date(words, start)).or_else(|| slashed(words, start))
}

fn found(day: Day, next: usize, strength: Strength) -> FoundDay {
    FoundDay { day, next, strength }
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
    let holiday = words.pick(behind_year, |m| if let Meaning::Holiday(month, day) = m { Some((month, day)) } else { None });
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
    if let Some((nth, next)) = nth_week(words, behind) {
        return Some(found(Day::Week { nth, of: WeekOf::Month(month) }, next, Strength::Strong));
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
    if let Some(years) = words.pick(at, |meaning| if let Meaning::YearOn(years) = meaning { Some(years) } else { None }) {
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
    if let Some(months) = words.pick(at, |meaning| if let Meaning::MonthOn(months) = meaning { Some(months) } else { None })
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
    let (month, nth, next) = if let Some(place) = place(words, at) {
        if place < 0 { (12, 31, at + 1) } else { (1, 1, at + 1) }
    } else if let Some((nth @ 1..=31, DayKind::Day, next)) = counted(words, words.skip(at, Meaning::Linker)) {
        (1, nth, next)
    } else {
        let strength = |year: Year| if matches!(year, Year::Ahead(_)) { Strength::Strong } else { Strength::Weak };
        // 2027年内
        let is_named = matches!(year, Some(Year::Named(_)));
        let at = if is_named { words.skip(at, Meaning::FromNow) } else { at };
        return match year {
            Some(Year::Ahead(1)) => {
                Some(found(Day::Period(Which::Next, Unit::Year), at, Strength::Strong))
            }
            Some(Year::Ahead(years)) if years < 1 => {
                // 今年 beside a title says no time.
                Some(found(Day::Period(Which::InWeek(years), Unit::Year), at, Strength::Whole))
            }
            Some(year) => Some(found(Day::Nth { nth: 1, kind: DayKind::Day, month: month_of(Some(year), Month::Named(1))? }, at, strength(year))),
            None => None,
        };
    };
    let month = month_of(year, Month::Named(month))?;
    let day = in_month(month, u32::try_from(nth).ok()?)?;
    Some(found(day, next, Strength::Strong))
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

/// Reads 隔天, 隔周, 每隔三天 and lists of weekdays (周一三五), which repeat without "every".
pub(super) fn every(words: &Words<'_>, start: usize) -> Option<(Every, usize)> {
    if words.has(start, Meaning::EveryOther) {
        let found = unit(words, start + 1, 2).or_else(|| weekdays(words, start + 1, 2));
        if found.is_some() {
            return found;
        }
    }
    if words.has(start, Meaning::EveryGap) || words.has(start, Meaning::EveryOther) {
        let found = amount(words, start + 1)?;
        let every = of_amount(found.amount)?;
        // 每隔一天 leaves a day out; 每隔三天 is every three days, as people say it.
        let is_one = every.interval == 1 && !matches!(every.cycle, Cycle::Exact(_));
        return Some((Every { interval: if is_one { 2 } else { every.interval }, ..every }, found.next));
    }
    let is_list = words.pick(start, |m| matches!(m, Meaning::Weekday(_)).then_some(())).is_some();
    let (_, next) = weekday_list(words, start).filter(|_| is_list)?;
    let has_digit = (start..next).any(|at| words.pick(at, |m| matches!(m, Meaning::AlsoWeekday(_)).then_some(())).is_some());
    // 周一到周五每天, 周一到周五早上七点; 周一到周五 alone may be one stretch.
    let is_before_time = words.has(next, Meaning::Every) || clock(words, next).is_some();
    let is_range = is_before_time && (start..next).any(|at| words.has(at, Meaning::To));
    if has_digit || is_range { weekdays(words, start, 1) } else { None }
}

/// 周末除外.
pub(super) fn exception(words: &Words<'_>, start: usize) -> Option<(Vec<Weekday>, usize)> {
    let (days, next) = weekday_list(words, start).or_else(|| words.has(start, Meaning::Weekend).then(|| (WEEKEND.to_vec(), start + 1)))?;
    words.has(next, Meaning::ExceptBehind).then_some((days, next + 1))
}

/// 下周一开始.
pub(super) fn start(words: &Words<'_>, start: usize, dialect: Dialect) -> Option<(Moment, usize)> {
    let (moment, next) = crate::when::grammar::moment(words, start, Binder::From, dialect)?;
    // 早上七点开始上课 says when the lesson starts.
    let is_start = words.has(next, Meaning::StartsThere) && moment.day.is_some();
    is_start.then_some((moment, next + 1))
}

/// What stands behind its moment: the 之前 of 周五之前.
pub(super) fn beside(words: &Words<'_>, start: usize, before: Option<&Piece>) -> Option<Found> {
    if matches!(before, Some(Piece::Every(_)))
        && let Some((times, next)) = marked(words, start, Meaning::PerCycle)
    {
        return Some(Found { piece: Piece::Often(times.value), next, strength: Strength::Strong });
    }
    let is_moment = matches!(before, Some(Piece::Day(_) | Piece::Clock(_) | Piece::Part { .. }));
    (is_moment && words.has(start, Meaning::ByBehind)).then_some(Found {
        piece: Piece::By,
        next: start + 1,
        strength: Strength::Strong,
    })
}
