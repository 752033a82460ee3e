//! Where does a stretch of days begin: "june 3-5", "from the 10th to 12 august", "dec 1 at 3pm - dec 11"?
//!
//! A reminder rings once, at the start; the end is taken from the title and otherwise not needed.

use crate::when::Dialect;
use crate::when::grammar::date::{month_day_with_year, year};
use crate::when::grammar::day::{Day, DayKind, MonthOf, day, ordinal};
use crate::when::grammar::words::Words;
use crate::when::grammar::{Phrase, Strength};
use crate::when::lexicon::Meaning;

/// Returns the place behind "-", "to", "until", "through"; behind "and" where "between" opened the stretch.
pub(super) fn joiner(words: &Words<'_>, at: usize, opener: Option<Opener>) -> Option<usize> {
    let is_joiner = [Meaning::Dash, Meaning::To, Meaning::Until, Meaning::Through].iter().any(|m| words.has(at, *m))
        || opener == Some(Opener::Between) && words.has(at, Meaning::And)
        || is_between_behind(words, at)
        || words.has(at, Meaning::Slash)
            && opener.is_none()
            && (!words.is_glued(at) || is_between_iso_times(words, at));
    is_joiner.then_some(at + 1)
}

/// The 和 of 三点和五点之间.
pub(super) fn is_between_behind(words: &Words<'_>, at: usize) -> bool {
    let is_and = words.has(at, Meaning::AndAlso) || words.has(at, Meaning::And);
    is_and && (at..words.len()).any(|at| words.has(at, Meaning::BetweenBehind))
}

/// "2027-03-28 17:00/2027-03-29 21:00"
fn is_between_iso_times(words: &Words<'_>, at: usize) -> bool {
    let is_behind_clock = at >= 2 && words.has(at - 2, Meaning::Colon) && words.digits(at - 1).is_some();
    is_behind_clock && matches!(words.digits(at + 1), Some((_, 4))) && words.has(at + 2, Meaning::Dash)
}

/// The word before a stretch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Opener {
    From,
    Between,
}

/// Reads "from" or "between".
pub(super) fn opener(words: &Words<'_>, at: usize) -> Option<Opener> {
    if words.has(at, Meaning::From) {
        return Some(Opener::From);
    }
    words.has(at, Meaning::Between).then_some(Opener::Between)
}

/// Reads a stretch of days whose two ends share a month, and returns its first day and the place behind.
pub(super) fn days(words: &Words<'_>, start: usize, dialect: Dialect) -> Option<(Day, usize)> {
    if words.has_repeat {
        return None;
    }
    let opener = opener(words, start);
    let at = if opener.is_some() { start + 1 } else { start };
    month_first(words, at, opener).or_else(|| number_first(words, at, opener, dialect))
}

/// "august 21-25", "jan 12 to 15th, 2027".
fn month_first(words: &Words<'_>, at: usize, opener: Option<Opener>) -> Option<(Day, usize)> {
    let (Day::Date { year: None, month, day: first }, next) = month_day_with_year(words, at)? else { return None };
    let behind = words.skip(joiner(words, next, opener)?, Meaning::The);
    let (last, next) = number(words, behind)?;
    if last <= first || is_more_than_a_number(words, next) {
        return None;
    }
    let said = year(words, words.skip(next, Meaning::Comma));
    let (year, next) = said.map_or((None, next), |(year, next)| (Some(year), next));
    Some((Day::Date { year, month, day: first }, next))
}

/// "10 - 22 august", "the 13th to 15 july", "between the 21st and 23rd", "4 to 23 next month".
fn number_first(words: &Words<'_>, at: usize, opener: Option<Opener>, dialect: Dialect) -> Option<(Day, usize)> {
    let has_the = words.has(at, Meaning::The);
    let at = words.skip(at, Meaning::The);
    let is_ordinal = ordinal(words, at).is_some_and(|(nth, _)| nth > 0);
    let (first, next) = number(words, at)?;
    let behind = words.skip(joiner(words, next, opener)?, Meaning::The);
    let found = day(words, behind, None, dialect);
    if let Some(found) = found
        && let Day::Date { year, month, day } = found.day
        && found.strength == Strength::Strong
        && words.digits(behind).is_none_or(|(_, len)| len <= 2)
    {
        let day = if first < day { Day::Date { year, month, day: first } } else { Day::OfMonth(first) };
        return Some((day, found.next));
    }
    let (last, next) = number(words, behind)?;
    let is_last_ordinal = ordinal(words, behind).is_some();
    let month_at = words.skip(words.skip(next, Meaning::In), Meaning::Of);
    if words.has(month_at, Meaning::Next) && words.has(month_at + 1, Meaning::Unit(crate::when::lexicon::Unit::Month)) {
        let nth = i32::try_from(first).ok()?;
        return Some((Day::Nth { nth, kind: DayKind::Day, month: MonthOf::Next }, month_at + 2));
    }
    let is_sure = is_ordinal && is_last_ordinal || opener.is_some() && (has_the || is_ordinal || is_last_ordinal);
    let is_date = is_sure && first <= 31 && last <= 31 && !is_more_than_a_number(words, next);
    is_date.then_some((Day::OfMonth(first), next))
}

fn number(words: &Words<'_>, at: usize) -> Option<(u32, usize)> {
    if let Some((nth, next)) = ordinal(words, at).filter(|(nth, _)| *nth > 0) {
        return Some((u32::try_from(nth).ok()?, next));
    }
    match words.digits(at)? {
        (value @ 1..=31, 1..=2) => Some((value, at + 1)),
        _ => None,
    }
}

fn is_more_than_a_number(words: &Words<'_>, next: usize) -> bool {
    let is_meridiem = words.pick(next, |m| matches!(m, Meaning::Meridiem(_)).then_some(())).is_some();
    let is_glued = words.is_glued(next)
        && ([Meaning::Colon, Meaning::Slash].iter().any(|m| words.has(next, *m)) || !words.is_mark(next));
    is_meridiem || words.is_unit(next) || is_glued
}

/// Gives the start of a stretch the year that only its end names ("may to october 2027").
pub(super) fn share_year(start: &mut Phrase, end: &Phrase) {
    let place = |day: &Day| match day {
        Day::Date { year, month, day } => Some((*year, *month, *day)),
        Day::Month { year, month } => Some((*year, *month, 1)),
        _ => None,
    };
    let Some((Some(year), end_month, end_day)) = end.days.first().and_then(place) else { return };
    for day in &mut start.days {
        if let Day::Date { year: unsaid @ None, month, day } = day {
            *unsaid = Some(if (*month, *day) <= (end_month, end_day) { year } else { year.saturating_sub(1) });
        } else if let Day::Month { year: unsaid @ None, month } = day {
            *unsaid = Some(if *month <= end_month { year } else { year.saturating_sub(1) });
        }
    }
}
