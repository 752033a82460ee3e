//! Which week, quarter or part of a month or year is it: "week 31", "q3 2027", "late march", "the last week of june"?

use chrono::Weekday;

use crate::when::grammar::amount::{Amount, amount, count, number_in_words};
use crate::when::grammar::date::{month_name, year};
use crate::when::grammar::day::{Day, DayKind, FoundDay, MonthOf, WeekOf, Which, found, of_month, ordinal};
use crate::when::grammar::words::Words;
use crate::when::grammar::{Binder, Strength};
use crate::when::lexicon::{Meaning, Unit};

/// The days on which the middle and the late part of a month start.
const MIDDLE: u32 = 15;
const LATE: u32 = 21;
/// The day on which the second half of a month starts.
const HALF: u32 = 16;

/// Reads a week, a quarter, a year, or a part of a month.
pub(super) fn period_of_calendar(words: &Words<'_>, start: usize, binder: Option<Binder>) -> Option<FoundDay> {
    [
        week_number(words, start),
        nth_week(words, start),
        nth_quarter(words, start),
        quarter_code(words, start),
        last_of_year(words, start),
        part_of_month(words, start),
        after_next(words, start),
        year_alone(words, start, binder),
        behind_month(words, start),
        day_of_year(words, start),
        half(words, start),
        season(words, start, binder),
        working_days(words, start, binder),
    ]
    .into_iter()
    .flatten()
    .reduce(|best, other| if other.next > best.next { other } else { best })
}

/// "week 31", "week 3 of 2027".
fn week_number(words: &Words<'_>, start: usize) -> Option<FoundDay> {
    if !words.has(start, Meaning::Unit(Unit::Week)) {
        return None;
    }
    let (week @ 1..=53, 1..=2) = words.digits(start + 1)? else { return None };
    let nth = i32::try_from(week).ok()?;
    let said = year(words, words.skip(words.skip(start + 2, Meaning::Of), Meaning::In));
    let (year, next) = said.map_or((None, start + 2), |(year, next)| (Some(year), next));
    let is_glued = words.is_glued(start + 1) || words.is_unit(next);
    (!is_glued).then(|| found(Day::Week { nth, of: WeekOf::Year(year) }, next, Strength::Weak))
}

/// "the first week of 2027", "last week of june", "the third week of this month".
fn nth_week(words: &Words<'_>, start: usize) -> Option<FoundDay> {
    let (nth, at) = ordinal(words, words.skip(start, Meaning::The))?;
    if !words.has(at, Meaning::Unit(Unit::Week)) {
        return None;
    }
    if let Some((month, next)) = of_month(words, at + 1) {
        return Some(found(Day::Week { nth, of: WeekOf::Month(month) }, next, Strength::Strong));
    }
    let behind = words.skip(words.skip(at + 1, Meaning::Of), Meaning::In);
    if words.has(behind, Meaning::Next) && words.has(behind + 1, Meaning::Unit(Unit::Year)) {
        return Some(found(Day::Week { nth, of: WeekOf::NextYear }, behind + 2, Strength::Strong));
    }
    let (year, next) = year(words, behind).filter(|_| behind > at + 1)?;
    Some(found(Day::Week { nth, of: WeekOf::Year(Some(year)) }, next, Strength::Strong))
}

/// "the third quarter of 2027", "4th qtr".
fn nth_quarter(words: &Words<'_>, start: usize) -> Option<FoundDay> {
    let (nth @ 1..=4, at) = ordinal(words, words.skip(start, Meaning::The))? else { return None };
    if !words.has(at, Meaning::Quarter) {
        return None;
    }
    quarter(words, u32::try_from(nth).ok()?, at + 1)
}

/// "q3", "q3 2027", "2027-q3", "27q3"; weak, since it names things as well ("q3 report").
fn quarter_code(words: &Words<'_>, start: usize) -> Option<FoundDay> {
    if let Some((said, at)) = year_before_code(words, start)
        && (words.has(at, Meaning::Quarter) || words.has(at, Meaning::ShortQuarter))
        && let Some((nth @ 1..=4, 1)) = words.digits(at + 1)
        && words.is_glued(at + 1)
    {
        return Some(found(Day::Month { year: Some(said), month: nth * 3 - 2 }, at + 2, Strength::Strong));
    }
    let (nth @ 1..=4, 1) = words.digits(start + 1)? else { return None };
    if !(words.has(start, Meaning::Quarter) && words.is_glued(start + 1)) {
        return None;
    }
    let strong = quarter(words, nth, start + 2)?;
    Some(FoundDay { strength: if strong.next > start + 2 { Strength::Strong } else { Strength::Whole }, ..strong })
}

/// The year of "2027-q3", "2027 h2", "27q3", and the place behind it.
fn year_before_code(words: &Words<'_>, start: usize) -> Option<(u32, usize)> {
    if let Some((said, next)) = year(words, start).filter(|_| words.digits(start).is_some()) {
        return Some((said, words.skip(next, Meaning::Dash)));
    }
    let (short, 2) = words.digits(start)? else { return None };
    words.is_glued(start + 1).then_some((2000 + short, start + 1))
}

/// "h2 2027", "2027-h2", "the second half of the year", "first half of june".
fn half(words: &Words<'_>, start: usize) -> Option<FoundDay> {
    let code = |at: usize| words.digits(at + 1).filter(|_| words.has(at, Meaning::HalfYear)).map(|(nth, _)| nth);
    let of_year = |year, nth: u32| Day::Month { year, month: if nth == 1 { 1 } else { 7 } };
    if let Some((said, at)) = year_before_code(words, start)
        && let Some(nth) = code(at)
    {
        return Some(found(of_year(Some(said), nth), at + 2, Strength::Strong));
    }
    if let Some(nth) = code(start) {
        return Some(match year(words, words.skip(start + 2, Meaning::Of)) {
            Some((said, next)) => found(of_year(Some(said), nth), next, Strength::Strong),
            None => found(of_year(None, nth), start + 2, Strength::Whole),
        });
    }
    let (nth @ 1..=2, at) = ordinal(words, words.skip(start, Meaning::The))? else { return None };
    if !(words.has(at, Meaning::Half) && words.has(at + 1, Meaning::Of)) {
        return None;
    }
    let nth = u32::try_from(nth).ok()?;
    let behind = words.skip(words.skip(at + 2, Meaning::The), Meaning::This);
    if let Some((said, next)) = year(words, behind) {
        return Some(found(of_year(Some(said), nth), next, Strength::Strong));
    }
    if let Some(month) = month_name(words, behind) {
        let said = year(words, behind + 1);
        let (year, next) = said.map_or((None, behind + 1), |(year, next)| (Some(year), next));
        let day = Day::Date { year, month, day: if nth == 1 { 1 } else { HALF } };
        return Some(found(day, next, Strength::Strong));
    }
    let is_year = |at: usize| words.has(at, Meaning::Unit(Unit::Year));
    if words.has(behind, Meaning::Next) && is_year(behind + 1) {
        let month = MonthOf::InYear { years: 1, month: if nth == 1 { 1 } else { 7 } };
        return Some(found(Day::Nth { nth: 1, kind: DayKind::Day, month }, behind + 2, Strength::Strong));
    }
    (is_year(behind) && behind > at + 2).then(|| found(of_year(None, nth), behind + 1, Strength::Strong))
}

/// "this summer", "in the fall", "next winter", "spring of 2027"; bound, since "spring water" is a thing.
fn season(words: &Words<'_>, start: usize, binder: Option<Binder>) -> Option<FoundDay> {
    let named =
        |at: usize| words.pick(at, |m| if let Meaning::Season(month, day) = m { Some((month, day)) } else { None });
    let behind_the = words.skip(start, Meaning::The);
    let which = words.pick(behind_the, |meaning| match meaning {
        Meaning::This => Some(Which::This),
        Meaning::Next | Meaning::Coming => Some(Which::Next),
        _ => None,
    });
    let at = if which.is_some() { behind_the + 1 } else { behind_the };
    let (month, day) = named(at)?;
    let said = year(words, words.skip(at + 1, Meaning::Of));
    let is_bound = which.is_some()
        || said.is_some()
        || matches!(binder, Some(Binder::In | Binder::By)) && (at > start || words.is_end(at + 1));
    let (year, next) = said.map_or((None, at + 1), |(year, next)| (Some(year), next));
    let day = Day::Season { which: which.unwrap_or(Which::Coming), year, month, day };
    Some(found(day, next, if is_bound { Strength::Strong } else { Strength::Whole }))
}

/// "in four business days", "3 working days from now", "next 4 business days" (which start with the next one).
fn working_days(words: &Words<'_>, start: usize, binder: Option<Binder>) -> Option<FoundDay> {
    let behind_the = words.skip(start, Meaning::The);
    let is_next = words.has(behind_the, Meaning::Next);
    let at = if is_next { behind_the + 1 } else { start };
    let counted = count(words, at).filter(|(thousandths, _)| thousandths % 1000 == 0 && *thousandths > 0);
    let (number, at) = counted.map_or((1, at), |(thousandths, at)| (thousandths / 1000, at));
    let is_unit = words.has(at, Meaning::WorkingDay) || words.has(at, Meaning::EveryWorkingDay);
    if !is_unit || counted.is_none() && !is_next {
        return None;
    }
    let has_from_now = words.has(at + 1, Meaning::FromNow);
    let next = if has_from_now { at + 2 } else { at + 1 };
    if is_next {
        return Some(found(Day::WorkingDays(1), next, Strength::Strong));
    }
    let is_bound = has_from_now || binder == Some(Binder::In);
    is_bound.then(|| found(Day::WorkingDays(number), next, Strength::Strong))
}

/// "the last three weeks of 2027", "the last 4 months of this year": the first day of them.
fn last_of_year(words: &Words<'_>, start: usize) -> Option<FoundDay> {
    let at = words.skip(start, Meaning::The);
    let length = amount(words, at + 1).filter(|length| words.has(at, Meaning::Last) && !length.amount.is_exact())?;
    if !words.has(length.next, Meaning::Of) {
        return None;
    }
    let behind = length.next + 1;
    let is_this = words.has(behind, Meaning::This) && words.has(behind + 1, Meaning::Unit(Unit::Year));
    let (from, next) = match year(words, behind) {
        Some((said, next)) => (Day::Date { year: Some(said + 1), month: 1, day: 1 }, next),
        None if is_this => (Day::Period(Which::Next, Unit::Year), behind + 2),
        None => return None,
    };
    let day = Day::Shifted { amount: length.amount, is_back: true, from: Box::new(from) };
    let is_weeks = length.amount.months == 0 && length.amount.days % 7 == 0;
    let day = if is_weeks { Day::WeekAround(Box::new(day)) } else { day };
    Some(found(day, next, Strength::Strong))
}

fn quarter(words: &Words<'_>, nth: u32, next: usize) -> Option<FoundDay> {
    let said = year(words, words.skip(words.skip(next, Meaning::Of), Meaning::In));
    let (year, next) = said.map_or((None, next), |(year, next)| (Some(year), next));
    Some(found(Day::Month { year, month: nth.checked_mul(3)?.checked_sub(2)? }, next, Strength::Strong))
}

/// "end of april", "late march", "mid-november", "beginning of next week", "start of 2027".
fn part_of_month(words: &Words<'_>, start: usize) -> Option<FoundDay> {
    let at = words.skip(start, Meaning::The);
    let is_end = words.has(at, Meaning::Ending);
    let (is_late, is_early) = (words.has(at, Meaning::Late), words.has(at, Meaning::Early));
    let is_middle = words.has(at, Meaning::Middle);
    if !(is_end || is_late || is_early || is_middle) {
        return None;
    }
    let behind = words.skip(words.skip(words.skip(at + 1, Meaning::Dash), Meaning::Of), Meaning::Around);
    let behind = words.skip(behind, Meaning::The);
    // "beginning june 7th" starts then.
    if is_early && behind == at + 1 && month_name(words, behind).is_some() && words.digits(behind + 1).is_some() {
        return None;
    }
    if is_end && !words.has(at + 1, Meaning::Of) {
        return None;
    }
    if let Some(month) = month_name(words, behind) {
        let (year, next) = year(words, behind + 1).map_or((None, behind + 1), |(year, next)| (Some(year), next));
        let day = if is_end {
            let last = Day::Nth { nth: -1, kind: DayKind::Day, month: MonthOf::Named { year, month } };
            Day::EndOf(Box::new(last))
        } else if is_early {
            Day::Month { year, month }
        } else {
            Day::Date { year, month, day: if is_middle { MIDDLE } else { LATE } }
        };
        return Some(found(day, next, Strength::Strong));
    }
    if let Some((said, next)) = year(words, behind).filter(|_| !is_late) {
        let (month, day) = if is_end { (12, 31) } else { (if is_middle { 7 } else { 1 }, 1) };
        let day = Day::Date { year: Some(said), month, day };
        return Some(found(if is_end { Day::EndOf(Box::new(day)) } else { day }, next, Strength::Strong));
    }
    let which = words.pick(behind, |meaning| match meaning {
        Meaning::Next | Meaning::Coming => Some(Which::Next),
        Meaning::This => Some(Which::This),
        _ => None,
    })?;
    let unit = period_unit(words, behind + 1)?;
    let day = match (is_end, which) {
        (true, Which::This) => Day::End(unit),
        (true, _) => Day::EndOf(Box::new(Day::Period(which, unit))),
        (false, Which::This | Which::Next) if (is_late || is_middle) && unit == Unit::Month => {
            let month = if which == Which::This { MonthOf::Any } else { MonthOf::Next };
            Day::Nth { nth: i32::try_from(if is_late { LATE } else { MIDDLE }).ok()?, kind: DayKind::Day, month }
        }
        (false, Which::Next) if is_middle && unit == Unit::Week => Day::Weekday(Which::Next, Weekday::Wed),
        (false, _) => Day::Period(which, unit),
    };
    Some(found(day, behind + 2, Strength::Strong))
}

fn period_unit(words: &Words<'_>, at: usize) -> Option<Unit> {
    words.pick(at, |meaning| match meaning {
        Meaning::Unit(unit @ (Unit::Week | Unit::Month | Unit::Quarter | Unit::Year)) => Some(unit),
        _ => None,
    })
}

/// "the week after next", "the month after next".
fn after_next(words: &Words<'_>, start: usize) -> Option<FoundDay> {
    let at = words.skip(start, Meaning::The);
    let is_weekend = words.has(at, Meaning::Weekend);
    let unit = period_unit(words, at);
    let behind = words.skip(at + 2, Meaning::The);
    if !(words.has(at + 1, Meaning::After) && words.has(behind, Meaning::Next)) {
        return None;
    }
    let day = match unit {
        Some(unit) => Day::Period(Which::Later(2), unit),
        None if is_weekend => Day::Weekend(Which::Later(2)),
        None => return None,
    };
    Some(found(day, behind + 1, Strength::Strong))
}

/// "in 2027", "two thousand and thirty".
fn year_alone(words: &Words<'_>, start: usize, binder: Option<Binder>) -> Option<FoundDay> {
    let (said, next) = year(words, start)?;
    let is_digits = words.digits(start).is_some();
    let strength = match binder {
        Some(Binder::In | Binder::By | Binder::Until | Binder::From) => Strength::Strong,
        None if !is_digits => Strength::Whole,
        Some(_) | None => return None,
    };
    Some(found(Day::Date { year: Some(said), month: 1, day: 1 }, next, strength))
}

/// "after february", "after 2027": what follows it.
fn behind_month(words: &Words<'_>, start: usize) -> Option<FoundDay> {
    if !words.has(start, Meaning::After) {
        return None;
    }
    if let Some((said, next)) = year(words, start + 1) {
        return Some(found(Day::Date { year: Some(said + 1), month: 1, day: 1 }, next, Strength::Strong));
    }
    let month = month_name(words, start + 1)?;
    // "after may" before another word may be a person.
    let is_end = words.is_end(start + 2);
    is_end.then(|| found(Day::Month { year: None, month: month % 12 + 1 }, start + 2, Strength::Strong))
}

/// "the 100th day of 2027".
fn day_of_year(words: &Words<'_>, start: usize) -> Option<FoundDay> {
    let at = words.skip(start, Meaning::The);
    let (nth, _) = words.digits(at).filter(|(nth, _)| (1..=366).contains(nth))?;
    let is_day = words.has(at + 1, Meaning::OrdinalEnd) && words.has(at + 2, Meaning::Unit(Unit::Day));
    let is_of = words.has(at + 3, Meaning::Of) || words.has(at + 3, Meaning::In);
    let (year, next) = year(words, at + 4).filter(|_| is_day && is_of)?;
    let amount = Amount { days: i64::from(nth) - 1, ..Amount::default() };
    let from = Box::new(Day::Date { year: Some(year), month: 1, day: 1 });
    Some(found(Day::Shifted { amount, is_back: false, from }, next, Strength::Strong))
}

/// Reads a year in words: "two thousand [and] eighteen", "twenty thirty-two".
pub(super) fn spoken_year(words: &Words<'_>, start: usize) -> Option<(u32, usize)> {
    let number = |at: usize| words.pick(at, |m| if let Meaning::Number(value) = m { Some(value) } else { None });
    match number(start)? {
        2 if words.has(start + 1, Meaning::Thousand) => {
            let behind = words.skip(start + 2, Meaning::And);
            match number_in_words(words, behind).filter(|(value, _)| (1..100).contains(value)) {
                Some((value, next)) => Some((2000 + value, next)),
                None => Some((2000, start + 2)),
            }
        }
        20 => {
            let (value, next) = number_in_words(words, start + 1).filter(|(value, _)| (20..100).contains(value))?;
            Some((2000 + value, next))
        }
        _ => None,
    }
}
