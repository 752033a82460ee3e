//! Which day is counted from another: "a week from friday", "the monday before may 25", "three fridays from now"?

use crate::when::Dialect;
use crate::when::grammar::amount::{Amount, FoundAmount, amount, count};
use crate::when::grammar::date::{month_and_day, numeric};
use crate::when::grammar::day::{Day, FoundDay, Which, found, holiday, month_day, named, ordinal, weekday};
use crate::when::grammar::words::Words;
use crate::when::grammar::{Binder, Strength};
use crate::when::lexicon::{Meaning, Unit};

/// "a week from friday", "two days after tomorrow".
pub(super) fn shifted(words: &Words<'_>, start: usize, dialect: Dialect) -> Option<FoundDay> {
    // "the day after tomorrow", "the second week after friday"
    let length = match amount(words, words.skip(start, Meaning::About)) {
        Some(found) => found,
        None => unit_after_the(words, start)?,
    };
    if length.amount.is_exact() {
        return None;
    }
    let is_back = words.has(length.next, Meaning::Before);
    let is_ahead = words.has(length.next, Meaning::From) || words.has(length.next, Meaning::After);
    if !(is_back || is_ahead) {
        return None;
    }
    let anchor = anchor(words, length.next + 1, dialect)?;
    let day = Day::Shifted { amount: length.amount, is_back, from: Box::new(anchor.day) };
    Some(found(day, anchor.next, Strength::Strong))
}

/// "the day", "the second week", before what it is counted from.
fn unit_after_the(words: &Words<'_>, start: usize) -> Option<FoundAmount> {
    let at = words.skip(start, Meaning::The);
    if at == start && !words.has(at, Meaning::Unit(Unit::Day)) {
        return None;
    }
    let (nth, at) = ordinal(words, at).unwrap_or((1, at));
    let unit = words.pick(at, |meaning| if let Meaning::Unit(unit) = meaning { Some(unit) } else { None })?;
    let amount = Amount::default().plus(i64::from(nth).checked_mul(1000)?, unit).filter(|_| nth > 0)?;
    Some(FoundAmount { amount, next: at + 1, is_short: false })
}

/// Reads a day that another is counted from.
pub(super) fn anchor(words: &Words<'_>, at: usize, dialect: Dialect) -> Option<FoundDay> {
    [
        named(words, at),
        holiday(words, at, Some(Binder::On)),
        weekday(words, at),
        month_and_day(words, at),
        numeric(words, at, None, dialect).filter(|day| day.strength > Strength::Whole),
        month_day(words, at, Some(Binder::On)),
    ]
    .into_iter()
    .flatten()
    .reduce(|best, other| if other.next > best.next { other } else { best })
}

/// "the monday before may 25", "3 mondays after june 2".
pub(super) fn counted_from(words: &Words<'_>, start: usize, dialect: Dialect) -> Option<FoundDay> {
    let (nth, at) = match count(words, start).filter(|(thousandths, _)| thousandths % 1000 == 0) {
        Some((thousandths, at)) => (thousandths / 1000, at),
        None => (1, words.skip(start, Meaning::The)),
    };
    let weekday = words.pick(at, |meaning| match meaning {
        Meaning::EveryWeekday(weekday) | Meaning::Weekday(weekday) => Some(weekday),
        _ => None,
    })?;
    let is_back = words.has(at + 1, Meaning::Before);
    if !(is_back || words.has(at + 1, Meaning::After)) {
        return None;
    }
    let is_period = words.is_unit(at + 3)
        || words
            .pick(at + 3, |m| {
                matches!(m, Meaning::Weekday(_) | Meaning::ShortWeekday(_) | Meaning::Month(_) | Meaning::Weekend)
                    .then_some(())
            })
            .is_some();
    if words.has(at + 2, Meaning::Next) && !is_period {
        return Some(found(Day::Weekday(Which::Later(1), weekday), at + 3, Strength::Strong));
    }
    let from = anchor(words, at + 2, dialect)?;
    let nth = if is_back { -nth } else { nth };
    Some(found(Day::Counted { nth, weekday, from: Box::new(from.day) }, from.next, Strength::Strong))
}

/// "three fridays from now".
pub(super) fn weekdays_from_now(words: &Words<'_>, start: usize) -> Option<FoundDay> {
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
