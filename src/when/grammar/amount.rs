//! How long is it: "2h30m", "an hour and a half", "twenty-five minutes", "3 weeks"?

use crate::when::grammar::words::Words;
use crate::when::lexicon::{Meaning, Unit};

/// A length of time as said: calendar months and days apart from clock time, since they differ by date.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(in crate::when) struct Amount {
    pub(in crate::when) months: i64,
    pub(in crate::when) days: i64,
    pub(in crate::when) millis: i64,
}

impl Amount {
    /// Returns whether it counts hours, minutes or seconds only.
    pub(in crate::when) const fn is_exact(self) -> bool {
        self.months == 0 && self.days == 0
    }

    pub(super) fn plus(self, thousandths: i64, unit: Unit) -> Option<Self> {
        let times = |per: i64| thousandths.checked_mul(per);
        let mut sum = self;
        match unit {
            Unit::Second => sum.millis = sum.millis.checked_add(thousandths)?,
            Unit::Minute => sum.millis = sum.millis.checked_add(times(60)?)?,
            Unit::Hour => sum.millis = sum.millis.checked_add(times(3600)?)?,
            Unit::Day | Unit::Week | Unit::Fortnight => {
                let days = times(if unit == Unit::Day {
                    1
                } else if unit == Unit::Week {
                    7
                } else {
                    14
                })?;
                sum.days = sum.days.checked_add(days / 1000)?;
                sum.millis = sum.millis.checked_add((days % 1000).checked_mul(86_400)?)?;
            }
            Unit::Month | Unit::Quarter | Unit::Year | Unit::Decade => {
                let months = times(match unit {
                    Unit::Quarter => 3,
                    Unit::Year => 12,
                    Unit::Decade => 120,
                    Unit::Second | Unit::Minute | Unit::Hour | Unit::Day => 1,
                    Unit::Week | Unit::Fortnight | Unit::Month => 1,
                })?;
                // Half a month has no length.
                sum.months = (months % 1000 == 0).then(|| sum.months.checked_add(months / 1000))??;
            }
        }
        Some(sum)
    }
}

/// "mon", of which "in 2 mon" has months.
const MON: Meaning = Meaning::ShortWeekday(chrono::Weekday::Mon);

/// An amount that was found, and how it was written.
#[derive(Clone, Copy, Debug)]
pub(in crate::when) struct FoundAmount {
    pub(in crate::when) amount: Amount,
    /// The place behind it.
    pub(in crate::when) next: usize,
    /// Whether it is written like "10m".
    pub(in crate::when) is_short: bool,
}

/// Reads an amount: one or more numbers with units, from the largest unit down.
pub(in crate::when) fn amount(words: &Words<'_>, start: usize) -> Option<FoundAmount> {
    let (mut found, mut smallest) = one_unit(words, start, Amount::default(), None)?;
    loop {
        let joined = words.skip(words.skip(found.next, Meaning::Comma), Meaning::And);
        if let Some((more, unit)) = one_unit(words, joined, found.amount, Some(smallest)) {
            found = FoundAmount { is_short: found.is_short && more.is_short, ..more };
            smallest = unit;
        } else if let Some((minutes, 1..=2)) = words.digits(found.next)
            && smallest == Unit::Hour
            && found.is_short
            && words.is_glued(found.next)
            && !words.is_unit(found.next + 1)
            && minutes < 60
        {
            // "1h30"
            let amount = found.amount.plus(i64::from(minutes) * 1000, Unit::Minute)?;
            return Some(FoundAmount { amount, next: found.next + 1, is_short: true });
        } else {
            return Some(found);
        }
    }
}

fn one_unit(words: &Words<'_>, start: usize, base: Amount, above: Option<Unit>) -> Option<(FoundAmount, Unit)> {
    let (thousandths, at) = count(words, start)?;
    let long = words.pick(at, |meaning| if let Meaning::Unit(unit) = meaning { Some(unit) } else { None });
    let short = || {
        let is_behind_digits = at > start && words.digits(at - 1).is_some();
        let unit = words.pick(at, |meaning| if let Meaning::ShortUnit(unit) = meaning { Some(unit) } else { None })?;
        is_behind_digits.then_some(unit)
    };
    // "in 2 mon"; elsewhere it is a Monday.
    let is_month = |at: usize| start > 0 && words.has(start - 1, Meaning::In) && words.has(at, MON) && at > start;
    let long = long.or_else(|| (is_month(at) && words.digits(at - 1).is_some()).then_some(Unit::Month));
    // "10min" is written as short as "10m".
    let is_glued = at > start && words.digits(at - 1).is_some() && words.is_glued(at) && !words.opens_or_closes(at);
    let (unit, is_short) = long.map(|unit| (unit, is_glued)).or_else(|| short().map(|unit| (unit, true)))?;
    if above.is_some_and(|above| unit >= above) {
        return None;
    }
    // 6月3日之后 has a date.
    let is_date = words.has(at, Meaning::MonthMark)
        && count(words, at + 1).is_some_and(|(_, next)| words.has(next, Meaning::DayMark));
    if is_date {
        return None;
    }
    let mut amount = base.plus(thousandths, unit)?;
    let mut next = at + 1;
    if let Some(behind) = and_a_half(words, next) {
        amount = amount.plus(500, unit)?;
        next = behind;
    }
    Some((FoundAmount { amount, next, is_short }, unit))
}

/// Reads a number in thousandths: "3", "1.5", "twenty-five", "an", "half an", "a quarter of an", "two and a half".
pub(in crate::when) fn count(words: &Words<'_>, start: usize) -> Option<(i64, usize)> {
    if let Some(found) = fraction(words, start) {
        return Some(found);
    }
    let (thousandths, mut next) = if let Some((value, _)) = words.digits(start) {
        decimal(words, start, value)
    } else {
        let (value, next) = number_in_words(words, start)?;
        (i64::from(value) * 1000, next)
    };
    let mut total = thousandths;
    if let Some(behind) = and_a_half(words, next) {
        total += 500;
        next = behind;
    }
    Some((total, next))
}

/// Reads a number in words; "a" and "an" count as one.
pub(in crate::when) fn number_in_words(words: &Words<'_>, start: usize) -> Option<(u32, usize)> {
    let number = |at: usize| words.pick(at, |m| if let Meaning::Number(value) = m { Some(value) } else { None });
    if words.has(start, Meaning::Article) {
        return Some((1, start + 1));
    }
    let first = number(start)?;
    let behind = words.skip(start + 1, Meaning::Dash);
    match number(behind) {
        Some(ones @ 1..=9) if (20..100).contains(&first) && first % 10 == 0 => Some((first + ones, behind + 1)),
        Some(100) if (1..10).contains(&first) => Some((first * 100, behind + 1)),
        Some(_) | None => Some((first, start + 1)),
    }
}

fn decimal(words: &Words<'_>, start: usize, value: u32) -> (i64, usize) {
    let whole = i64::from(value) * 1000;
    let is_point = words.has(start + 1, Meaning::Dot) || words.has(start + 1, Meaning::Comma);
    let is_joined = is_point && words.is_glued(start + 1) && words.is_glued(start + 2);
    match words.digits(start + 2) {
        Some((part, len @ 1..=3)) if is_joined => {
            let scale = [100, 10, 1][len - 1];
            (whole + i64::from(part) * scale, start + 3)
        }
        Some(_) | None => (whole, start + 1),
    }
}

/// "half an hour", "half hour", "a quarter of an hour".
fn fraction(words: &Words<'_>, start: usize) -> Option<(i64, usize)> {
    if let Some(found) = slashed(words, start) {
        return Some(found);
    }
    // "three quarters of an hour"
    if let Some((count @ 2..=3, at)) = number_in_words(words, start)
        && words.has(at, Meaning::Unit(Unit::Quarter))
        && words.has(at + 1, Meaning::Of)
    {
        let next = words.skip(at + 2, Meaning::Article);
        return words.is_unit(next).then_some((i64::from(count) * 250, next));
    }
    let at = words.skip(start, Meaning::Article);
    let part = if words.has(at, Meaning::Half) {
        500
    } else if words.has(at, Meaning::Quarter) {
        250
    } else {
        return None;
    };
    let next = words.skip(words.skip(at + 1, Meaning::Of), Meaning::Article);
    words.is_unit(next).then_some((part, next))
}

/// "1/2 hour".
fn slashed(words: &Words<'_>, start: usize) -> Option<(i64, usize)> {
    let (above, 1..=2) = words.digits(start)? else { return None };
    let (below @ 1.., 1..=2) = words.digits(start + 2)? else { return None };
    let is_joined = words.has(start + 1, Meaning::Slash) && words.is_glued(start + 1) && words.is_glued(start + 2);
    let next = words.skip(words.skip(start + 3, Meaning::Of), Meaning::Article);
    (is_joined && words.is_unit(next)).then(|| (i64::from(above) * 1000 / i64::from(below), next))
}

fn and_a_half(words: &Words<'_>, at: usize) -> Option<usize> {
    if words.has(at, Meaning::AndHalf) {
        return Some(at + 1);
    }
    let is_half =
        words.has(at, Meaning::And) && words.has(at + 1, Meaning::Article) && words.has(at + 2, Meaning::Half);
    is_half.then_some(at + 3)
}
