//! Which calendar date do numbers and month names say: "june 3rd", "8/oct/2026", "6/13", "20260603"?

use crate::when::Dialect;
use crate::when::grammar::amount::number_in_words;
use crate::when::grammar::clock::{clock, range};
use crate::when::grammar::day::{Day, FoundDay, found, ordinal_word};
use crate::when::grammar::period::spoken_year;
use crate::when::grammar::words::Words;
use crate::when::grammar::{Binder, Strength};
use crate::when::lexicon::{Meaning, Unit};

/// "20260603".
pub(super) fn compact(words: &Words<'_>, start: usize) -> Option<FoundDay> {
    let (value, 8) = words.digits(start)? else { return None };
    let (year, month, day) = (value / 10_000, value / 100 % 100, value % 100);
    let is_date = (1970..2100).contains(&year) && (1..=12).contains(&month) && (1..=31).contains(&day);
    is_date.then(|| found(Day::Date { year: Some(year), month, day }, start + 1, Strength::Weak))
}

/// "june 3rd", "june 3, 2027", "3 june 2027", "the 3rd of june".
pub(super) fn month_and_day(words: &Words<'_>, start: usize) -> Option<FoundDay> {
    if let Some(month) = month_name(words, start) {
        let at = words.skip_joint(words.skip(words.skip_dot(start), Meaning::Comma));
        let at = words.skip(at, Meaning::The);
        let (day, next) = day_number(words, at).or_else(|| cardinal_day(words, at))?;
        return Some(with_year(words, month, day, next));
    }
    // "this may 8th", "2026/aug/10"
    if words.has(start, Meaning::This) && month_name(words, start + 1).is_some() {
        return month_and_day(words, start + 1);
    }
    if let Some(date) = year_first(words, start) {
        return Some(date);
    }
    let (day, at) = day_number(words, words.skip(start, Meaning::The))?;
    let at = words.skip(words.skip_joint(at), Meaning::Of);
    let month = month_name(words, at)?;
    let found = with_year(words, month, day, words.skip_dot(at));
    let short = with_short_year(words, month, day, &found).filter(|_| !words.has(at - 1, Meaning::Of));
    Some(short.unwrap_or(found))
}

/// "2 july 27": behind day and month a number that is no hour of a 12-hour clock is the year.
fn with_short_year(words: &Words<'_>, month: u32, day: u32, known: &FoundDay) -> Option<FoundDay> {
    let (short @ 13.., 2) = words.digits(known.next)? else { return None };
    let next = known.next + 1;
    let is_free = words.is_end(next) || words.has(next, Meaning::Comma) || words.has(next, Meaning::At);
    let is_open = matches!(known.day, Day::Date { year: None, .. }) && is_free && !words.is_glued(next);
    is_open.then(|| found(Day::Date { year: Some(2000 + short), month, day }, next, Strength::Strong))
}

/// "2026/aug/10", "2026-10-aug".
fn year_first(words: &Words<'_>, start: usize) -> Option<FoundDay> {
    let (year, 4) = words.digits(start)? else { return None };
    let second = words.skip_joint(start + 1);
    let third = words.skip_joint(second + 1);
    if second == start + 1 || third == second + 1 {
        return None;
    }
    let day = |at: usize| words.digits(at).filter(|(_, len)| *len <= 2).map(|(day, _)| day);
    let (month, day) = match (month_name(words, second), month_name(words, third)) {
        (Some(month), _) => (month, day(third)?),
        (None, Some(month)) => (month, day(second)?),
        (None, None) => return None,
    };
    Some(found(Day::Date { year: Some(year), month, day }, third + 1, Strength::Strong))
}

/// "may twenty nine": a number in words as day, where it is long enough or closes the sentence.
fn cardinal_day(words: &Words<'_>, at: usize) -> Option<(u32, usize)> {
    let (day, next) = number_in_words(words, at).filter(|_| !words.has(at, Meaning::Article))?;
    let is_clock = words.pick(next, meridiem_only).is_some() || words.is_unit(next);
    ((1..=31).contains(&day) && !is_clock && (day >= 20 || words.is_end(next))).then_some((day, next))
}

/// Reads "june 3" with the year behind it.
pub(super) fn month_day_with_year(words: &Words<'_>, start: usize) -> Option<(Day, usize)> {
    month_name(words, start)?;
    month_and_day(words, start).map(|found| (found.day, found.next))
}

fn with_year(words: &Words<'_>, month: u32, day: u32, next: usize) -> FoundDay {
    let behind = words.skip_joint(words.skip(words.skip(words.skip(next, Meaning::Comma), Meaning::In), Meaning::Of));
    let (year, next) = match year(words, behind) {
        Some((year, behind)) => (Some(year), behind),
        None => (None, next),
    };
    found(Day::Date { year, month, day }, next, Strength::Strong)
}

pub(super) fn year(words: &Words<'_>, at: usize) -> Option<(u32, usize)> {
    let Some((year, 4)) = words.digits(at) else { return spoken_year(words, at) };
    let is_clock = words.has(at + 1, Meaning::Colon) && words.is_glued(at + 1);
    // "19 february 2027 year"
    let is_marked = words.has(at + 1, Meaning::Unit(Unit::Year)) && at > 0 && month_name(words, at - 1).is_some();
    if is_marked && (1970..2200).contains(&year) {
        return Some((year, at + 2));
    }
    let is_amount = words.is_unit(at + 1) || words.pick(at + 1, meridiem_only).is_some();
    // "12 may 1700" and "12 may 2330" mean a time of day; ISO dates reach the far years.
    ((1970..2200).contains(&year) && !is_clock && !is_amount).then_some((year, at + 1))
}

pub(super) fn meridiem_only(meaning: Meaning) -> Option<()> {
    matches!(meaning, Meaning::Meridiem(_)).then_some(())
}

/// Reads a month's name.
pub(in crate::when) fn month_name(words: &Words<'_>, at: usize) -> Option<u32> {
    words.pick(at, |meaning| if let Meaning::Month(month) = meaning { Some(month) } else { None })
}

/// Reads a day of a month: "3", "3rd", "third", "twenty-first".
pub(super) fn day_number(words: &Words<'_>, at: usize) -> Option<(u32, usize)> {
    if let Some((day, 1..=2)) = words.digits(at) {
        let is_ordinal = words.has(at + 1, Meaning::OrdinalEnd) && words.is_glued(at + 1);
        let next = if is_ordinal { at + 2 } else { at + 1 };
        let is_clock = words.has(next, Meaning::Colon) && words.is_glued(next)
            || words.pick(next, meridiem_only).is_some() && !is_ordinal
            || words.has(next, Meaning::Slash) && words.is_glued(next) && words.digits(next + 1).is_some();
        return (!is_clock).then_some((day, next));
    }
    ordinal_word(words, at)
}

/// "9/2026", "2026/10".
pub(super) fn month_and_year(words: &Words<'_>, start: usize) -> Option<FoundDay> {
    let (first, first_len) = words.digits(start)?;
    let (second, second_len) = words.digits(start + 2)?;
    let is_joined = [Meaning::Slash, Meaning::Dash].iter().any(|mark| words.has(start + 1, *mark))
        && words.is_glued(start + 1)
        && words.is_glued(start + 2);
    let is_more = words.is_glued(start + 3) && !words.is_end(start + 3);
    let (month, year) = match (first_len, second_len) {
        (1..=2, 4) => (first, second),
        (4, 1..=2) => (second, first),
        (_, _) => return None,
    };
    let is_date = is_joined && !is_more && (1..=12).contains(&month) && (1970..2200).contains(&year);
    is_date.then(|| found(Day::Month { year: Some(year), month }, start + 3, Strength::Weak))
}

/// "2026-06-03", "6/13", "13.6.2026", "6/13/26".
pub(super) fn numeric(words: &Words<'_>, start: usize, binder: Option<Binder>, dialect: Dialect) -> Option<FoundDay> {
    let (first, first_len) = words.digits(start)?;
    let (second, 1..=2) = words.digits(start + 2)? else { return None };
    if !(words.is_glued(start + 1) && words.is_glued(start + 2)) {
        let is_spaced = first_len <= 2 && !words.is_glued(start + 1) && !words.is_glued(start + 2);
        return is_spaced.then(|| spaced(words, start, dialect))?;
    }
    let mark = [Meaning::Slash, Meaning::Dash, Meaning::Dot].into_iter().find(|mark| words.has(start + 1, *mark))?;
    let is_time = mark == Meaning::Dot && binder.is_some_and(Binder::takes_bare_number);
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
    if mark == Meaning::Dot
        && first_len <= 2
        && let Some(found) = dotted(words, start, first, second, binder)
    {
        return Some(found);
    }
    // "9.30 tomorrow" is no date of two.
    let is_before_day =
        mark == Meaning::Dot && words.pick(start + 3, |m| matches!(m, Meaning::Day(_)).then_some(())).is_some();
    if is_before_day && binder.is_none() {
        return None;
    }
    let is_more = words.is_glued(start + 3) && (words.has(start + 3, mark) || words.is_unit(start + 3));
    let is_clock = words.pick(start + 3, meridiem_only).is_some();
    if first_len > 2 || is_more || is_clock || is_time {
        return None;
    }
    // "on 04.09"
    let is_german = mark == Meaning::Dot && first_len == 2 && words.digits(start + 2).is_some_and(|(_, len)| len == 2);
    let is_day_first = dialect == Dialect::Uk || is_german && binder == Some(Binder::On);
    let (month, day) = month_first(first, second, is_day_first);
    let is_date = (1..=12).contains(&month) && (1..=31).contains(&day);
    let strength = match mark {
        Meaning::Slash => Strength::Weak,
        _ if is_german && binder == Some(Binder::On) => Strength::Strong,
        // "2-15" may be many things, and is a date only alone.
        _ => Strength::Whole,
    };
    is_date.then(|| found(Day::Date { year: None, month, day }, start + 3, strength))
}

/// "24.12." as it is written where the day stands first: sure behind "on", before a time of day, or alone.
fn dotted(words: &Words<'_>, start: usize, day: u32, month: u32, binder: Option<Binder>) -> Option<FoundDay> {
    let next = start + 4;
    let is_dotted = words.has(start + 3, Meaning::Dot)
        && words.is_glued(start + 3)
        && !(words.is_glued(next) && words.digits(next).is_some());
    if !is_dotted || !(1..=12).contains(&month) || !(1..=31).contains(&day) {
        return None;
    }
    let at = words.skip(words.skip(next, Meaning::Comma), Meaning::At);
    let bound = (at > next && words.has(at - 1, Meaning::At)).then_some(Binder::At);
    let is_before_clock = clock(words, at, bound).is_some() || range(words, at, bound, true).is_some();
    let is_sure = binder == Some(Binder::On) || is_before_clock;
    // "update to 1.5. tomorrow"
    let strength = if is_sure { Strength::Strong } else { Strength::Whole };
    (is_sure || words.is_end(next)).then(|| found(Day::Date { year: None, month, day }, next, strength))
}

/// "2 / 15", "2 - 15", alone.
fn spaced(words: &Words<'_>, start: usize, dialect: Dialect) -> Option<FoundDay> {
    let ((first, _), (second, _)) = (words.digits(start)?, words.digits(start + 2)?);
    let is_joined = words.has(start + 1, Meaning::Slash) || words.has(start + 1, Meaning::Dash);
    let (month, day) = month_first(first, second, dialect == Dialect::Uk);
    let is_date = is_joined && (1..=12).contains(&month) && (1..=31).contains(&day) && words.is_end(start + 3);
    is_date.then(|| found(Day::Date { year: None, month, day }, start + 3, Strength::Whole))
}

/// An impossible month flips the order (phrases, family 32).
fn month_first(first: u32, second: u32, is_day_first: bool) -> (u32, u32) {
    let (month, day) = if is_day_first { (second, first) } else { (first, second) };
    if month > 12 && day <= 12 { (day, month) } else { (month, day) }
}

impl Words<'_> {
    /// Returns the place behind the word at `at` and the full stop of its abbreviation ("Nov. 16", "Fri.").
    pub(super) fn skip_dot(&self, at: usize) -> usize {
        let is_abbreviated = self.has(at + 1, Meaning::Dot) && self.is_glued(at + 1) && !self.is_end(at + 1);
        if is_abbreviated { at + 2 } else { at + 1 }
    }

    /// Returns the place behind a "/", "-" or "." glued between the parts of a date ("8/oct/2026").
    pub(super) fn skip_joint(&self, at: usize) -> usize {
        let is_joint = [Meaning::Slash, Meaning::Dash, Meaning::Dot].iter().any(|mark| self.has(at, *mark));
        if is_joint && self.is_glued(at) && !self.is_end(at) { at + 1 } else { at }
    }
}
