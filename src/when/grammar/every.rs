//! How does it repeat: "every other tuesday", "every 2 hours", "mondays and thursdays", "daily"?

use chrono::Weekday;

use crate::when::Dialect;
use crate::when::grammar::amount::{Amount, amount, count, number_in_words};
use crate::when::grammar::date::month_name;
use crate::when::grammar::day::{Day, DayKind, MonthOf, day, day_kind, of_month, ordinal};
use crate::when::grammar::words::Words;
use crate::when::grammar::{Strength, suffixed};
use crate::when::lexicon::{Meaning, Part, Unit};

/// A repetition as said.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(in crate::when) struct Every {
    /// Every so many cycles.
    pub(in crate::when) interval: i64,
    pub(in crate::when) cycle: Cycle,
    /// The days of the cycle that were said with it.
    pub(in crate::when) days: Vec<Day>,
    pub(in crate::when) part: Option<Part>,
}

/// What comes round.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::when) enum Cycle {
    /// So much clock time.
    Exact(Amount),
    Days,
    Weeks,
    Months,
    Years,
}

/// A repetition that was found.
pub(in crate::when) struct FoundEvery {
    pub(in crate::when) every: Every,
    pub(in crate::when) next: usize,
    pub(in crate::when) strength: Strength,
}

/// The days Monday to Friday.
pub(in crate::when) const WORKING_DAYS: [Weekday; 5] =
    [Weekday::Mon, Weekday::Tue, Weekday::Wed, Weekday::Thu, Weekday::Fri];
/// Saturday and Sunday.
pub(in crate::when) const WEEKEND: [Weekday; 2] = [Weekday::Sat, Weekday::Sun];

/// Reads a repetition.
pub(in crate::when) fn every(words: &Words<'_>, start: usize, dialect: Dialect) -> Option<FoundEvery> {
    let strong = |(every, next): (Every, usize)| FoundEvery { every, next, strength: Strength::Strong };
    if words.has(start, Meaning::Every) {
        return behind_every(words, words.skip(start + 1, Meaning::Single), dialect).map(strong);
    }
    if let Some(found) = suffixed::every(words, start) {
        return Some(strong(found));
    }
    adverb(words, start)
        .or_else(|| plural(words, start).map(strong))
        .or_else(|| once_a(words, start).or_else(|| a_unit(words, start)).map(strong))
}

/// Reads what follows "every".
fn behind_every(words: &Words<'_>, start: usize, dialect: Dialect) -> Option<(Every, usize)> {
    if words.has(start, Meaning::Other) {
        return unit(words, start + 1, 2).or_else(|| weekdays(words, start + 1, 2));
    }
    if let Some(next) = unruly(words, start) {
        return Some((Every { interval: 0, cycle: Cycle::Days, days: Vec::new(), part: None }, next));
    }
    yearly(words, start, dialect)
        .or_else(|| counted(words, start))
        .or_else(|| amount(words, start).and_then(|found| Some((of_amount(found.amount)?, found.next))))
        .or_else(|| unit(words, start, 1))
        .or_else(|| weekdays(words, start, 1))
        .or_else(|| part(words, start))
}

/// Returns the place behind a length that no rule has: "1.5 days", "-1 weeks", "99999999999 days".
fn unruly(words: &Words<'_>, start: usize) -> Option<usize> {
    if words.has(start, Meaning::Huge) && words.is_unit(start + 1) {
        return Some(start + 2);
    }
    if words.has(start, Meaning::Dash) && words.is_glued(start + 1) {
        return amount(words, start + 1).map(|found| found.next);
    }
    amount(words, start).filter(|found| of_amount(found.amount).is_none()).map(|found| found.next)
}

/// "year", "quarter", "half hour": one unit, so many times.
pub(super) fn unit(words: &Words<'_>, at: usize, interval: i64) -> Option<(Every, usize)> {
    let unit = words.pick(at, |meaning| match meaning {
        Meaning::Unit(unit) => Some(unit),
        Meaning::Quarter => Some(Unit::Quarter),
        _ => None,
    })?;
    Some((of_units(unit, interval), at + 1))
}

fn of_units(unit: Unit, count: i64) -> Every {
    let exact = |millis: i64| Cycle::Exact(Amount { millis: millis.saturating_mul(count), ..Amount::default() });
    let (interval, cycle) = match unit {
        Unit::Second => (1, exact(1000)),
        Unit::Minute => (1, exact(60_000)),
        Unit::Hour => (1, exact(3_600_000)),
        Unit::Day => (count, Cycle::Days),
        Unit::Week => (count, Cycle::Weeks),
        Unit::Fortnight => (count.saturating_mul(2), Cycle::Weeks),
        Unit::Month => (count, Cycle::Months),
        Unit::Quarter => (count.saturating_mul(3), Cycle::Months),
        Unit::Year => (count, Cycle::Years),
        Unit::Decade => (count.saturating_mul(10), Cycle::Years),
    };
    Every { interval, cycle, days: Vec::new(), part: None }
}

/// "2 hours", "3 days", "an hour and a half"; days mixed with hours have no rule.
pub(super) fn of_amount(amount: Amount) -> Option<Every> {
    let Amount { months, days, millis } = amount;
    match (months, days, millis) {
        (0, 0, _) => Some(Every { interval: 1, cycle: Cycle::Exact(amount), days: Vec::new(), part: None }),
        (0, days, 0) if days % 7 == 0 => Some(of_units(Unit::Week, days / 7)),
        (0, days, 0) => Some(of_units(Unit::Day, days)),
        (months, 0, 0) if months % 12 == 0 => Some(of_units(Unit::Year, months / 12)),
        (months, 0, 0) => Some(of_units(Unit::Month, months)),
        (_, _, _) => None,
    }
}

/// "2nd tuesday", "last day of the month", "15th", "second week", "1st and 3rd friday".
fn counted(words: &Words<'_>, start: usize) -> Option<(Every, usize)> {
    let (nth, at) = ordinal(words, words.skip(start, Meaning::The))?;
    let monthly = |days: Vec<Day>| Every { interval: 1, cycle: Cycle::Months, days, part: None };
    let mut nths = vec![nth];
    let mut at = at;
    while let Some((more, behind)) = ordinal(words, joined(words, at)).filter(|_| joined(words, at) > at) {
        nths.push(more);
        at = behind;
    }
    if let Some((kind, next)) = day_kind(words, at) {
        let of = of_month(words, next);
        if kind == DayKind::Day && of.is_none() && nth > 0 {
            return unit(words, at, i64::from(nth));
        }
        let (month, next) = of.unwrap_or((MonthOf::Any, next));
        return Some((monthly(nths.iter().map(|nth| Day::Nth { nth: *nth, kind, month }).collect()), next));
    }
    if let Some(found) = unit(words, at, i64::from(nth)).filter(|_| nth > 0) {
        return Some(found);
    }
    // "every second" without a unit behind is the unit itself.
    if words.has(start, Meaning::Unit(Unit::Second)) {
        return None;
    }
    let days = nths.iter().map(|nth| Some(Day::OfMonth(u32::try_from(*nth).ok()?))).collect::<Option<Vec<_>>>()?;
    match of_month(words, at) {
        Some((MonthOf::Any, next)) => Some((monthly(days), next)),
        Some((MonthOf::Named { year: None, month }, next)) => {
            let date = |nth: &i32| Some(Day::Date { year: None, month, day: u32::try_from(*nth).ok()? });
            let days = nths.iter().map(date).collect::<Option<Vec<_>>>()?;
            Some((Every { interval: 1, cycle: Cycle::Years, days, part: None }, next))
        }
        Some((MonthOf::Next | MonthOf::Ahead(_) | MonthOf::InYear { .. } | MonthOf::Named { .. }, _)) | None => {
            Some((monthly(days), at))
        }
    }
}

/// "june 3", "3rd of june", "first monday of june": once a year.
fn yearly(words: &Words<'_>, start: usize, dialect: Dialect) -> Option<(Every, usize)> {
    // "every january": its first day.
    if let Some(month) = month_name(words, start).filter(|_| words.digits(start + 1).is_none()) {
        let first = Day::Date { year: None, month, day: 1 };
        let found = day(words, start, None, dialect).is_none_or(|found| found.next == start + 1);
        if found {
            return Some((Every { interval: 1, cycle: Cycle::Years, days: vec![first], part: None }, start + 1));
        }
    }
    let found = day(words, start, None, dialect)?;
    let is_yearly = match found.day {
        Day::Date { year: None, .. } | Day::Nth { month: MonthOf::Named { year: None, .. }, .. } => true,
        Day::Date { .. }
        | Day::Nth { .. }
        | Day::FromToday(_)
        | Day::Weekday(..)
        | Day::OfMonth(_)
        | Day::Month { .. }
        | Day::Weekend(_)
        | Day::Period(..)
        | Day::End(_)
        | Day::EndOf(_)
        | Day::Week { .. }
        | Day::WeekAround(_)
        | Day::Counted { .. }
        | Day::WorkingDays(_)
        | Day::Season { .. }
        | Day::Shifted { .. } => false,
    };
    is_yearly.then(|| (Every { interval: 1, cycle: Cycle::Years, days: vec![found.day], part: None }, found.next))
}

/// "monday", "monday and thursday", "mon-fri", "weekday", "weekend".
pub(super) fn weekdays(words: &Words<'_>, start: usize, interval: i64) -> Option<(Every, usize)> {
    let (days, next) = weekday_list(words, start)?;
    Some((weekly(&days, interval), next))
}

pub(super) fn weekly(days: &[Weekday], interval: i64) -> Every {
    let days = days.iter().map(|weekday| Day::Weekday(crate::when::grammar::day::Which::Coming, *weekday)).collect();
    Every { interval, cycle: Cycle::Weeks, days, part: None }
}

/// "saturday through tuesday" behind "every week on".
pub(super) fn range_of_weekdays(words: &Words<'_>, start: usize) -> Option<(Every, usize)> {
    let is_range = [Meaning::Dash, Meaning::To, Meaning::Through].iter().any(|mark| words.has(start + 1, *mark));
    let (days, next) = weekday_list(words, start).filter(|(days, _)| is_range && days.len() > 1)?;
    Some((weekly(&days, 1), next))
}

/// The most weekdays of one list, some named twice.
const LIST_MAX: usize = 14;

/// Reads weekdays joined by commas, "and" or a range.
pub(in crate::when) fn weekday_list(words: &Words<'_>, start: usize) -> Option<(Vec<Weekday>, usize)> {
    let (mut days, mut at) = weekday_set(words, start)?;
    loop {
        // A list that names no new day is none; and read from each of its places again it would cost its square.
        if days.len() > LIST_MAX {
            return Some((days, at));
        }
        let is_range = words.has(at, Meaning::Dash) || words.has(at, Meaning::To) || words.has(at, Meaning::Through);
        let end = weekday_set(words, at + 1)
            .or_else(|| also_weekday(words, at + 1).map(|(day, next)| (vec![day], next)))
            .filter(|(end, _)| end.len() == 1);
        if is_range && let Some((end, next)) = end {
            let mut day = *days.last()?;
            while day != end[0] {
                day = day.succ();
                days.push(day);
            }
            at = next;
        } else if let Some((more, next)) = also_weekday(words, at) {
            days.push(more);
            at = next;
        } else if let Some((more, next)) = weekday_set(words, joined(words, at)).filter(|_| joined(words, at) > at) {
            days.extend(more);
            at = next;
        } else {
            return Some((days, at));
        }
    }
}

/// The 三 of 周一三五 and of 周一、三.
fn also_weekday(words: &Words<'_>, at: usize) -> Option<(Weekday, usize)> {
    let at = joined(words, at);
    words.pick(at, |meaning| if let Meaning::AlsoWeekday(day) = meaning { Some((day, at + 1)) } else { None })
}

fn weekday_set(words: &Words<'_>, start: usize) -> Option<(Vec<Weekday>, usize)> {
    let at = words.skip(start, Meaning::Every);
    let days = words.pick(at, |meaning| match meaning {
        Meaning::Weekday(day) | Meaning::ShortWeekday(day) | Meaning::EveryWeekday(day) => Some(vec![day]),
        Meaning::WorkingDay | Meaning::EveryWorkingDay => Some(WORKING_DAYS.to_vec()),
        Meaning::Weekend | Meaning::EveryWeekend => Some(WEEKEND.to_vec()),
        _ => None,
    })?;
    // "every monday morning" is one day; "every sat in the sun" ends at "sat".
    Some((days, at + 1))
}

/// Returns the place behind "," and "and".
fn joined(words: &Words<'_>, at: usize) -> usize {
    let at = words.skip(words.skip(words.skip(at, Meaning::Comma), Meaning::And), Meaning::AndAlso);
    words.skip(at, Meaning::Slash)
}

fn part(words: &Words<'_>, at: usize) -> Option<(Every, usize)> {
    let part = words.pick(at, |meaning| match meaning {
        Meaning::Part(part) | Meaning::SurePart(part) => Some(part),
        _ => None,
    });
    let daily = |part| Every { interval: 1, cycle: Cycle::Days, days: Vec::new(), part };
    part.map(|part| (daily(Some(part)), at + 1))
}

/// "daily", "biweekly", "nightly": weak, since they are adjectives too.
fn adverb(words: &Words<'_>, start: usize) -> Option<FoundEvery> {
    let every = words.pick(start, |meaning| match meaning {
        Meaning::Repeats(interval, unit) => Some(of_units(unit, i64::from(interval))),
        Meaning::EveryPart(part) => Some(Every { interval: 1, cycle: Cycle::Days, days: Vec::new(), part: Some(part) }),
        _ => None,
    })?;
    Some(FoundEvery { every, next: start + 1, strength: Strength::Adverb })
}

/// "mondays and thursdays", "weekdays": plurals repeat without "every".
fn plural(words: &Words<'_>, start: usize) -> Option<(Every, usize)> {
    // "weekday mornings", "sunday evenings"
    let part = words.pick(start + 1, |m| if let Meaning::EveryPart(part) = m { Some(part) } else { None });
    if let Some(part) = part
        && let Some((days, next)) = weekday_set(words, start).filter(|(_, next)| *next == start + 1)
        && words.pick(start, |m| matches!(m, Meaning::ShortWeekday(_)).then_some(())).is_none()
    {
        return Some((Every { part: Some(part), ..weekly(&days, 1) }, next + 1));
    }
    words.pick(start, |meaning| {
        matches!(meaning, Meaning::EveryWeekday(_) | Meaning::EveryWorkingDay | Meaning::EveryWeekend).then_some(())
    })?;
    // "three fridays" are no repetition.
    let is_counted = start > 0 && count(words, start - 1).is_some_and(|(_, next)| next == start);
    if is_counted { None } else { weekdays(words, start, 1) }
}

/// Reads how often a cycle has it: the "twice" of "twice a day", the "three times" of "three times daily".
pub(super) fn often(words: &Words<'_>, start: usize) -> Option<(u32, usize)> {
    let once = words.pick(start, |m| if let Meaning::Count(times) = m { Some(times) } else { None });
    let counted = || {
        let number = words.digits(start).map(|(value, _)| (value, start + 1));
        let (times, at) = number.or_else(|| number_in_words(words, start))?;
        words.has(at, Meaning::Times).then_some((times, at + 1))
    };
    let (times, next) = once.map(|times| (times, start + 1)).or_else(counted)?;
    let is_cycle = words.has(next, Meaning::Article) && words.is_unit(next + 1)
        || words.has(next, Meaning::Every)
        || words.pick(next, |m| matches!(m, Meaning::Repeats(..)).then_some(())).is_some();
    (is_cycle && times > 1).then_some((times, next))
}

/// The "a day" of "twice a day".
fn a_unit(words: &Words<'_>, start: usize) -> Option<(Every, usize)> {
    let before = start.checked_sub(1)?;
    let is_counted = words.has(before, Meaning::Times)
        || words.pick(before, |m| matches!(m, Meaning::Count(_)).then_some(())).is_some();
    if is_counted && words.has(start, Meaning::Article) { unit(words, start + 1, 1) } else { None }
}

/// "once a week".
fn once_a(words: &Words<'_>, start: usize) -> Option<(Every, usize)> {
    let is_once = words.has(start, Meaning::Count(1)) && words.has(start + 1, Meaning::Article);
    is_once.then(|| unit(words, start + 2, 1))?
}

/// Reads the weekdays behind "except".
pub(in crate::when) fn exception(words: &Words<'_>, start: usize) -> Option<(Vec<Weekday>, usize)> {
    words.has(start, Meaning::Except).then(|| weekday_list(words, words.skip(start + 1, Meaning::On)))?
}
