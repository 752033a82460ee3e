//! What is said where marks stand behind numbers and the large before the small: 6月3日, 下午三点半, 每隔三天, 周五之前?
//!
//! The order of Chinese (and of Japanese and Korean). Only meanings are read here, no words.

mod clock;
mod date;

use chrono::Weekday;

use crate::when::Dialect;
use crate::when::grammar::every::{Every, WEEKEND, of_amount, unit, weekday_list, weekdays};
use crate::when::grammar::words::Words;
use crate::when::grammar::{Binder, Cycle, Found, Moment, Piece, Strength, amount, moment};
use crate::when::lexicon::{Meaning, Part};

pub(super) use self::clock::clock;
pub(super) use self::date::day;

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
    // 一天三次
    let is_rate = words.has(start, Meaning::Number(1)) && marked(words, start + 2, Meaning::PerCycle).is_some();
    if is_rate && let Some(found) = unit(words, start + 1, 1) {
        return Some(found);
    }
    let is_list = words.pick(start, |m| matches!(m, Meaning::Weekday(_)).then_some(())).is_some();
    let (_, next) = weekday_list(words, start).filter(|_| is_list)?;
    let has_digit =
        (start..next).any(|at| words.pick(at, |m| matches!(m, Meaning::AlsoWeekday(_)).then_some(())).is_some());
    // 周一到周五每天, 周一到周五早上七点; 周一到周五 alone may be one stretch.
    let is_before_time = words.has(next, Meaning::Every) || clock(words, next).is_some();
    let is_range = is_before_time && (start..next).any(|at| words.has(at, Meaning::To));
    if has_digit || is_range { weekdays(words, start, 1) } else { None }
}

/// 周末除外.
pub(super) fn exception(words: &Words<'_>, start: usize) -> Option<(Vec<Weekday>, usize)> {
    let (days, next) = weekday_list(words, start)
        .or_else(|| words.has(start, Meaning::Weekend).then(|| (WEEKEND.to_vec(), start + 1)))?;
    words.has(next, Meaning::ExceptBehind).then_some((days, next + 1))
}

/// 下周一开始.
pub(super) fn start(words: &Words<'_>, at: usize, dialect: Dialect) -> Option<(Moment, usize)> {
    let (start, next) = moment(words, at, Binder::From, dialect)?;
    // 早上七点开始上课 says when the lesson starts.
    let is_start = words.has(next, Meaning::StartsThere) && start.day.is_some();
    is_start.then_some((start, next + 1))
}

/// What stands behind its moment: the 之前 of 周五之前.
pub(super) fn beside(words: &Words<'_>, start: usize, before: Option<&Piece>) -> Option<Found> {
    if matches!(before, Some(Piece::Every(_)))
        && let Some((times, next)) = marked(words, start, Meaning::PerCycle)
    {
        return Some(Found { piece: Piece::Often(times.value), next, strength: Strength::Strong });
    }
    if matches!(before, Some(Piece::Every(_)))
        && let Some((first, second, next)) = clock::twice(words, start)
    {
        return Some(Found { piece: Piece::Twice(first, second), next, strength: Strength::Strong });
    }
    let is_moment = matches!(before, Some(Piece::Day(_) | Piece::Clock(_) | Piece::Part { .. }));
    // 周五之后; the 内 of 三天内 is another.
    if is_moment && words.has(start, Meaning::FromNow) && !words.has(start, Meaning::Inside) {
        return Some(Found { piece: Piece::Behind, next: start + 1, strength: Strength::Strong });
    }
    // 今天之内
    let is_inside = matches!(before, Some(Piece::Day(_))) && words.has(start, Meaning::Inside);
    (is_moment && words.has(start, Meaning::ByBehind) || is_inside).then_some(Found {
        piece: Piece::By,
        next: start + 1,
        strength: Strength::Strong,
    })
}

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
