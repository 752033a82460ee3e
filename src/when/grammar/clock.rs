//! Which time of day is it: "3pm", "17:30", "half past 5", "noon"?

use crate::when::grammar::amount::number_in_words;
use crate::when::grammar::range::{joiner, opener};
use crate::when::grammar::words::Words;
use crate::when::grammar::{Binder, Strength, suffixed};
use crate::when::lexicon::{Half, Meaning, Unit};

/// A time of day as said.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::when) struct Clock {
    pub(in crate::when) hour: u32,
    pub(in crate::when) minute: u32,
    pub(in crate::when) second: u32,
    pub(in crate::when) face: Face,
}

/// How much of the time of day was said.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::when) enum Face {
    /// One time of the 24 hours.
    Day,
    /// A 12-hour reading without am or pm.
    Open,
    /// The midnight that ends a day, or a time behind it (今晚两点).
    Midnight,
    /// No clock shows it, such as 25:00 and 13am.
    Impossible,
}

/// A clock time that was found.
pub(in crate::when) struct FoundClock {
    pub(in crate::when) clock: Clock,
    pub(in crate::when) next: usize,
    pub(in crate::when) strength: Strength,
}

pub(in crate::when) const MIDNIGHT: Clock = Clock { hour: 0, minute: 0, second: 0, face: Face::Midnight };

/// Reads a clock time, `binder` being the preposition before it.
pub(in crate::when) fn clock(words: &Words<'_>, start: usize, binder: Option<Binder>) -> Option<FoundClock> {
    let strong = |(clock, next): (Clock, usize)| FoundClock { clock, next, strength: Strength::Strong };
    let marked = suffixed::clock(words, start);
    let plain = named(words, start)
        .or_else(|| digital(words, start, binder))
        .or_else(|| with_meridiem(words, start))
        .or_else(|| oclock(words, start))
        .map(strong)
        .or_else(|| spoken(words, start, binder))
        .or_else(|| bare(words, start, binder).map(strong))
        .or_else(|| behind_after(words, start))
        .or_else(|| meal(words, start, binder))
        .or_else(|| alone(words, start, binder))
        .map(|found| FoundClock { next: words.skip(found.next, Meaning::Ish), ..found });
    [marked, plain].into_iter().flatten().reduce(|best, other| if other.next > best.next { other } else { best })
}

/// "monday after 3pm": not before it, so at it.
fn behind_after(words: &Words<'_>, start: usize) -> Option<FoundClock> {
    if !words.has(start, Meaning::After) {
        return None;
    }
    let (clock, next) = named(words, start + 1)
        .or_else(|| digital(words, start + 1, None))
        .or_else(|| with_meridiem(words, start + 1))?;
    Some(FoundClock { clock, next, strength: Strength::Strong })
}

/// "at lunch", "after dinner", "lunchtime".
fn meal(words: &Words<'_>, start: usize, binder: Option<Binder>) -> Option<FoundClock> {
    let is_after = words.has(start, Meaning::After);
    let at = if is_after { start + 1 } else { start };
    let hour = words.pick(at, |meaning| if let Meaning::Meal(hour) = meaning { Some(hour) } else { None })?;
    let is_named = words.lexeme(at).is_some_and(|lexeme| lexeme.span.len() >= 9) && hour != 8;
    let is_bound = is_after || is_named || binder == Some(Binder::At);
    if !(is_bound || start == 0 && words.is_end(at + 1)) {
        return None;
    }
    let clock = Clock { hour: if is_after { hour + 1 } else { hour }, minute: 0, second: 0, face: Face::Day };
    // "lunch with ann" is a title.
    let strength = if is_bound { Strength::Strong } else { Strength::Whole };
    Some(FoundClock { clock, next: at + 1, strength })
}

/// "eight forty", "1730", "11ish" where nothing binds them: sure only alone or beside other words of time.
fn alone(words: &Words<'_>, start: usize, binder: Option<Binder>) -> Option<FoundClock> {
    let found = |clock, next, strength| Some(FoundClock { clock, next, strength });
    if let Some((clock, next)) = two_numbers(words, start) {
        let is_half_said = clock.face == Face::Day
            && clock.hour < 24
            && words.pick(next - 1, |m| matches!(m, Meaning::Meridiem(_)).then_some(())).is_some();
        return found(clock, next, if is_half_said { Strength::Strong } else { Strength::Whole });
    }
    if let Some((hour, next)) = hour_number(words, start)
        && words.has(next, Meaning::Ish)
    {
        return found(face(hour, 0, 0, true), next, Strength::Strong);
    }
    // "room 1430" is no time.
    if binder.is_none()
        && start == 0
        && let Some((value, 4)) = words.digits(start)
    {
        let clock = face(value / 100, value % 100, 0, false);
        let hour_mark = words.is_glued(start + 1) && words.has(start + 1, Meaning::ShortUnit(Unit::Hour));
        if clock.face != Face::Day {
            return None;
        }
        return if hour_mark {
            found(clock, start + 2, Strength::Strong)
        } else {
            found(clock, start + 1, Strength::Whole)
        };
    }
    None
}

fn named(words: &Words<'_>, start: usize) -> Option<(Clock, usize)> {
    if let Some(hour) = words.pick(start, |m| if let Meaning::NamedHour(hour) = m { Some(hour) } else { None }) {
        return Some((Clock { hour, minute: 0, second: 0, face: Face::Day }, start + 1));
    }
    // "next noon"
    let is_next = words.has(start, Meaning::Next) && words.has(start + 1, Meaning::Noon);
    let start = if is_next { start + 1 } else { start };
    let at = if words.digits(start).is_some_and(|(value, _)| value == 12) { start + 1 } else { start };
    if words.has(at, Meaning::Noon) {
        return Some((Clock { hour: 12, minute: 0, second: 0, face: Face::Day }, at + 1));
    }
    words.has(at, Meaning::Midnight).then_some((MIDNIGHT, at + 1))
}

/// "9:30", "17:30:05", "9.30pm", "17h30".
pub(in crate::when) fn digital(words: &Words<'_>, start: usize, binder: Option<Binder>) -> Option<(Clock, usize)> {
    let (hour, hour_len @ 1..=2) = words.digits(start)? else { return None };
    let (minute, minute_len) = words.digits(start + 2)?;
    // "3:5pm"
    let is_cut = minute_len == 1 && words.has(start + 1, Meaning::Colon) && words.is_glued(start + 2);
    if is_cut && (meridiem(words, start + 3).is_some() || binder.is_some_and(Binder::takes_bare_number)) {
        let next = meridiem(words, start + 3).map_or(start + 3, |(_, next)| next);
        return Some((Clock { hour, minute, second: 0, face: Face::Impossible }, next));
    }
    if minute_len != 2 || !(words.is_glued(start + 1) && words.is_glued(start + 2)) {
        return None;
    }
    let colon = words.has(start + 1, Meaning::Colon);
    let dot = words.has(start + 1, Meaning::Dot);
    let hour_mark = words.has(start + 1, Meaning::ShortUnit(Unit::Hour));
    let mut next = start + 3;
    let mut second = None;
    if colon
        && words.has(next, Meaning::Colon)
        && words.is_glued(next)
        && let Some((value, 2)) = words.digits(next + 1)
    {
        second = Some(value);
        next += 2;
        // "15:00:00.000"
        if words.has(next, Meaning::Dot)
            && words.is_glued(next)
            && words.is_glued(next + 1)
            && words.digits(next + 1).is_some()
        {
            next += 2;
        }
    }
    if let Some((half, behind)) = meridiem(words, next) {
        return Some((on_half(hour, minute, second.unwrap_or(0), half), behind));
    }
    // "1h30" is as long as "18h30" is a time of day.
    let is_hour_said = binder != Some(Binder::In) && (hour_len == 2 || binder.is_some_and(Binder::takes_bare_number));
    let is_clock = colon
        // "9.30" alone is a number, "17h30m" an amount.
        || (dot && binder.is_some_and(Binder::takes_bare_number) && !words.has(next, Meaning::Dot))
        // "9.30 tomorrow"
        || (dot && start == 0 && words.pick(next, |m| matches!(m, Meaning::Day(_)).then_some(())).is_some())
        || (hour_mark && !words.is_unit(next) && is_hour_said);
    if !is_clock {
        return None;
    }
    // "06:00h"
    let has_hour_mark = colon && words.is_glued(next) && words.has(next, Meaning::ShortUnit(Unit::Hour));
    let next = if has_hour_mark { next + 1 } else { next };
    let is_open = hour_len == 1 || hour >= 10;
    Some((face(hour, minute, second.unwrap_or(0), is_open && !hour_mark && second.is_none()), next))
}

/// "3pm", "3 pm", "340pm", "9p".
fn with_meridiem(words: &Words<'_>, start: usize) -> Option<(Clock, usize)> {
    let (value, len) = words.digits(start).or_else(|| {
        number_in_words(words, start).filter(|(_, next)| *next == start + 1).map(|(value, _)| (value, 2))
    })?;
    if words.has(start, Meaning::Article) {
        return None;
    }
    // "ten thirty am"
    if words.digits(start).is_none()
        && let Some((minute @ 5..60, behind)) = number_in_words(words, start + 1)
        && let Some((half, next)) = meridiem(words, behind)
    {
        return Some((on_half(value, minute, 0, half), next));
    }
    let (half, next) = meridiem(words, start + 1)?;
    match len {
        1..=2 => Some((on_half(value, 0, 0, half), next)),
        3..=4 => Some((on_half(value / 100, value % 100, 0, half), next)),
        _ => None,
    }
}

/// "5 o'clock", with am or pm behind.
fn oclock(words: &Words<'_>, start: usize) -> Option<(Clock, usize)> {
    let (hour, next) = hour_number(words, start)?;
    if !words.has(next, Meaning::OClock) {
        return None;
    }
    Some(
        meridiem(words, next + 1)
            .map_or_else(|| (face(hour, 0, 0, true), next + 1), |(half, behind)| (on_half(hour, 0, 0, half), behind)),
    )
}

/// The letter of minutes.
const M: Meaning = Meaning::ShortUnit(Unit::Minute);

/// "half past 5", "quarter to 6", "ten past 4", "half five".
fn spoken(words: &Words<'_>, start: usize, binder: Option<Binder>) -> Option<FoundClock> {
    let at = words.skip(start, Meaning::Article);
    let (minutes, behind, is_named) = if words.has(at, Meaning::Half) {
        (30, at + 1, true)
    } else if words.has(at, Meaning::Quarter) {
        (15, at + 1, true)
    } else {
        let (value, next) = small_number(words, start)?;
        let is_minutes = words.has(next, Meaning::Unit(Unit::Minute)) || words.has(next, M);
        // "26 hours to three" are no minutes.
        if words.is_unit(next) && !is_minutes {
            return None;
        }
        (value, if is_minutes { next + 1 } else { next }, false)
    };
    if !(1..60).contains(&minutes) {
        return None;
    }
    let is_before = words.has(behind, Meaning::To);
    // "ten after 4pm"
    // "9 to 5" are hours.
    if is_before && !is_named && !words.is_unit(behind - 1) && minutes % 5 != 0 {
        return None;
    }
    let is_bare = words.digits(start).is_none_or(|_| behind == start + 1) && !words.is_unit(behind - 1);
    let is_after = words.has(behind, Meaning::Past) || is_bare && words.has(behind, Meaning::After);
    let is_british = minutes == 30 && is_named && at == start && !is_before && !is_after;
    let hour_at = if is_before || is_after { behind + 1 } else { behind };
    if (is_before || is_after)
        && let Some((clock, next)) = named(words, hour_at)
    {
        let strength = if is_named || is_after { Strength::Strong } else { Strength::Weak };
        return Some(FoundClock { clock: beside(clock, minutes, is_before), next, strength });
    }
    let (hour, next) = hour_number(words, hour_at).filter(|_| is_before || is_after || is_british)?;
    // "2 to 5" is as well a range, "half 5 apples" half a thing.
    let is_past = words.has(behind, Meaning::Past)
        || is_after
            && words
                .pick(next, |m| matches!(m, Meaning::Meridiem(_) | Meaning::ShortMeridiem(_)).then_some(()))
                .is_some();
    let is_sure = is_named && !is_british || is_past || binder.is_some_and(Binder::takes_bare_number);
    if words.is_unit(next) || words.has(next, Meaning::Colon) && words.is_glued(next) {
        return None;
    }
    let said = meridiem(words, next);
    let (whole, next) =
        said.map_or_else(|| (face(hour, 0, 0, true), next), |(half, behind)| (on_half(hour, 0, 0, half), behind));
    if whole.face == Face::Impossible {
        return None;
    }
    let clock = beside(whole, minutes, is_before);
    Some(FoundClock { clock, next, strength: if is_sure { Strength::Strong } else { Strength::Weak } })
}

/// Returns the time so many minutes before or after a full hour.
fn beside(whole: Clock, minutes: u32, is_before: bool) -> Clock {
    let face = if whole.face == Face::Midnight { Face::Day } else { whole.face };
    if is_before {
        let hour = if whole.face == Face::Open { (whole.hour + 10) % 12 + 1 } else { (whole.hour + 23) % 24 };
        Clock { hour, minute: 60 - minutes, face, ..whole }
    } else {
        Clock { minute: minutes, face, ..whole }
    }
}

/// "5", "17", "1730" where a preposition makes it a time of day.
fn bare(words: &Words<'_>, start: usize, binder: Option<Binder>) -> Option<(Clock, usize)> {
    binder.filter(|binder| binder.takes_bare_number())?;
    if words.has(start, Meaning::Article) {
        return None;
    }
    if let Some((value, len @ 3..=4)) = words.digits(start) {
        let clock = face(value / 100, value % 100, 0, len == 3);
        let is_shown = matches!(clock.face, Face::Day | Face::Open);
        let is_hour_mark = words.is_glued(start + 1) && words.has(start + 1, Meaning::ShortUnit(Unit::Hour));
        let next = if is_hour_mark { start + 2 } else { start + 1 };
        // "at 221 Baker Street" is a house.
        let is_sure = len == 4 || words.is_end(next) || is_part_behind(words, next);
        return (is_shown && is_sure && !is_number_of_more(words, next)).then_some((clock, next));
    }
    let (hour, next) = hour_number(words, start)?;
    if words.is_glued(next) && words.has(next, Meaning::ShortUnit(Unit::Hour)) && words.digits(start).is_some() {
        return Some((face(hour, 0, 0, false), next + 1));
    }
    // "at three twenty", "at 3 15"
    let minutes = match words.digits(next) {
        Some((minutes, 2)) if words.is_end(next + 1) => Some((minutes, next + 1)),
        Some(_) => None,
        None => number_in_words(words, next).filter(|_| words.digits(start).is_none()),
    };
    if let Some((minutes @ 10..60, behind)) = minutes
        && !is_number_of_more(words, behind)
    {
        return Some((face(hour, minutes, 0, true), behind));
    }
    (!is_number_of_more(words, next)).then(|| (face(hour, 0, 0, true), next))
}

/// Returns whether "tonight", "in the evening" or the like stands here.
pub(in crate::when) fn is_part_behind(words: &Words<'_>, next: usize) -> bool {
    let is_part = |at: usize| words.pick(at, |m| matches!(m, Meaning::Part(_)).then_some(())).is_some();
    let is_lunchtime =
        words.has(next, Meaning::Meal(12)) && words.lexeme(next).is_some_and(|word| word.span.len() >= 9);
    is_lunchtime
        || words.has(next, Meaning::Tonight)
        || words.has(next, Meaning::In) && words.has(next + 1, Meaning::The) && is_part(next + 2)
        || words.has(next, Meaning::At) && is_part(next + 1)
        || words.has(next, Meaning::This) && is_part(next + 1)
}

/// A stretch of clock time, "3-5pm", "from 9 to 17", "between 1440 and 1825": its start, its end, and the place behind.
///
/// At least one end must be a time by itself, or the words around it speak of time.
pub(in crate::when) fn range(
    words: &Words<'_>,
    start: usize,
    binder: Option<Binder>,
    is_behind_day: bool,
) -> Option<(Clock, Clock, usize)> {
    let opener = opener(words, start);
    let at = if opener.is_some() { words.skip(start + 1, Meaning::At) } else { start };
    let first = end_of_range(words, at)?;
    let behind = joiner(words, first.1, opener)?;
    // "15:00:00-05:00" is an offset from UTC.
    let has_seconds = (at..first.1).filter(|at| words.has(*at, Meaning::Colon)).count() > 1;
    if has_seconds && words.is_glued(first.1) && words.has(first.1, Meaning::Dash) {
        return None;
    }
    let end = words.skip(behind, Meaning::At);
    // "at 9:00 until 20 june" ends on a day.
    let is_of_month =
        |next: usize| next == end + 1 && words.pick(next, |m| matches!(m, Meaning::Month(_)).then_some(())).is_some();
    let last = end_of_range(words, end).filter(|(_, next)| !is_number_of_more(words, *next) && !is_of_month(*next))?;
    let is_alone = |at: usize| clock(words, at, None).is_some_and(|found| found.strength == Strength::Strong);
    let is_military = |at: usize| words.digits(at).is_some_and(|(_, len)| len == 4);
    let is_sure = opener.is_some()
        || is_behind_day
        || binder.is_some_and(Binder::takes_bare_number)
        || is_alone(at)
        || is_alone(behind)
        || !words.has(first.1, Meaning::To) && is_part_behind(words, last.1);
    // "from 2019 to 2020" are years, "1440-1825" beside a day are times.
    if !is_sure || is_military(at) != is_military(behind) || is_military(at) && !(is_behind_day || opener.is_some()) {
        return None;
    }
    let has_half =
        words.pick(last.1 - 1, |m| matches!(m, Meaning::Meridiem(_) | Meaning::ShortMeridiem(_)).then_some(()));
    Some((same_half(first.0, last.0, has_half.is_some()), last.0, last.1))
}

/// "3-5pm": the start takes the end's half of the day, unless that would turn it round ("11-1pm").
fn same_half(begin: Clock, end: Clock, has_half: bool) -> Clock {
    if begin.face != Face::Open || end.face != Face::Day || !has_half {
        return begin;
    }
    let (near, far) =
        if end.hour >= 12 { (begin.hour % 12 + 12, begin.hour % 12) } else { (begin.hour % 12, begin.hour % 12 + 12) };
    let is_in_order = (near, begin.minute) < (end.hour, end.minute);
    Clock { hour: if is_in_order { near } else { far }, face: Face::Day, ..begin }
}

/// Reads one end of a stretch; "9 to 17" must not be nine minutes to five.
fn end_of_range(words: &Words<'_>, at: usize) -> Option<(Clock, usize)> {
    if let Some((value, 4)) = words.digits(at) {
        let clock = face(value / 100, value % 100, 0, false);
        return (clock.face == Face::Day).then_some((clock, at + 1));
    }
    let marked = suffixed::clock(words, at).map(|found| (found.clock, found.next));
    marked
        .or_else(|| named(words, at))
        .or_else(|| digital(words, at, Some(Binder::At)))
        .or_else(|| with_meridiem(words, at))
        .or_else(|| spoken(words, at, None).filter(|f| f.strength == Strength::Strong).map(|f| (f.clock, f.next)))
        .or_else(|| two_numbers(words, at))
        .or_else(|| hour_number(words, at).map(|(hour, next)| (face(hour, 0, 0, true), next)))
        .map(|(clock, next)| (clock, words.skip(next, Meaning::Ish)))
}

/// "eight forty", "ten ten": an hour and minutes in words.
fn two_numbers(words: &Words<'_>, at: usize) -> Option<(Clock, usize)> {
    // 五一 is a day.
    if words.digits(at).is_some() || words.has(at, Meaning::Article) || words.opens_or_closes(at) {
        return None;
    }
    let number = |at: usize| words.pick(at, |m| if let Meaning::Number(value) = m { Some(value) } else { None });
    let hour = number(at).filter(|hour| (1..24).contains(hour))?;
    let behind = words.skip(at + 1, Meaning::Dash);
    let (minute, next) = number_in_words(words, behind).filter(|_| number(behind).is_some())?;
    // "twenty five" is one number.
    let is_one_number = hour == 20 && minute < 10;
    let is_shown = (1..60).contains(&minute) && !is_one_number && !is_number_of_more(words, next);
    if !is_shown {
        return None;
    }
    Some(
        meridiem(words, next).map_or_else(
            || (face(hour, minute, 0, true), next),
            |(half, behind)| (on_half(hour, minute, 0, half), behind),
        ),
    )
}

/// Returns whether the number before `next` belongs to a longer one, a unit or an ordinal.
pub(in crate::when) fn is_number_of_more(words: &Words<'_>, next: usize) -> bool {
    let glued_mark = words.is_glued(next)
        && (words.has(next, Meaning::Slash)
            || words.has(next, Meaning::Colon) && words.digits(next + 1).is_some()
            || words.has(next, Meaning::Dot) && words.digits(next + 1).is_some() && words.is_glued(next + 1)
            || words.has(next, Meaning::Dash)
            || words.pick(next, |_| Some(())).is_none() && !words.is_mark(next) && !words.opens_or_closes(next));
    glued_mark || words.is_unit(next) || words.has(next, Meaning::OrdinalEnd) || words.has(next, Meaning::Times)
}

/// Reads an hour of at most two digits, or in words up to twelve.
pub(in crate::when) fn hour_number(words: &Words<'_>, at: usize) -> Option<(u32, usize)> {
    if words.has(at, Meaning::Article) {
        return None;
    }
    let (hour, next) = small_number(words, at)?;
    (hour <= 24).then_some((hour, next))
}

fn small_number(words: &Words<'_>, at: usize) -> Option<(u32, usize)> {
    match words.digits(at) {
        Some((value, 1..=2)) => Some((value, at + 1)),
        Some(_) => None,
        None => number_in_words(words, at),
    }
}

pub(in crate::when) fn meridiem(words: &Words<'_>, at: usize) -> Option<(Half, usize)> {
    // "3ish pm", "3 in the am"
    let at = words.skip(at, Meaning::Ish);
    let is_in_the = words.has(at, Meaning::In) && words.has(at + 1, Meaning::The);
    let at = if is_in_the { at + 2 } else { at };
    words
        .pick(at, |meaning| match meaning {
            Meaning::Meridiem(half) => Some(half),
            Meaning::ShortMeridiem(half) if words.is_glued(at) => Some(half),
            _ => None,
        })
        .map(|half| (half, at + 1))
}

/// Returns the clock time of a 12-hour reading; "17:00 pm" is 17:00, "13am" no time at all.
pub(in crate::when) fn on_half(hour: u32, minute: u32, second: u32, half: Half) -> Clock {
    let hour24 = match (hour, half) {
        (0 | 12, Half::Am) => Some(0),
        (1..=11, Half::Am) | (12..=23, Half::Pm) => Some(hour),
        (1..=11, Half::Pm) => Some(hour + 12),
        _ => None,
    };
    let is_shown = minute < 60 && second < 60;
    match hour24 {
        Some(hour) if is_shown => Clock { hour, minute, second, face: Face::Day },
        Some(_) | None => Clock { hour, minute, second, face: Face::Impossible },
    }
}

fn face(hour: u32, minute: u32, second: u32, may_be_open: bool) -> Clock {
    let face = match hour {
        _ if minute >= 60 || second >= 60 => Face::Impossible,
        24 if minute == 0 && second == 0 => return MIDNIGHT,
        1..=12 if may_be_open => Face::Open,
        0..=23 => Face::Day,
        _ => Face::Impossible,
    };
    Clock { hour, minute, second, face }
}
