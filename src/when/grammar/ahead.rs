//! How long from now, or from a time of day, is it: "in 20 minutes", "3 days from now", "10 minutes before 5pm"?

use crate::when::grammar::amount::{Amount, FoundAmount, amount, count};
use crate::when::grammar::clock::{self, Face};
use crate::when::grammar::words::Words;
use crate::when::grammar::{Binder, Found, Piece, Strength};
use crate::when::lexicon::{Meaning, Unit};

/// "in 20 minutes", "3 days from now", "2 hours ago", "10m".
pub(super) fn ahead(words: &Words<'_>, start: usize, binder: Option<Binder>) -> Option<Found> {
    if let Some(found) = beside_now(words, start, binder).or_else(|| next_unit(words, start, binder)) {
        return Some(found);
    }
    let unit = |at: usize| words.pick(at, |m| if let Meaning::Unit(unit) = m { Some(unit) } else { None });
    // "now + 2 hours", "in the next 2 hours"
    let is_from_now = words.has(start, Meaning::Now) && words.has(start + 1, Meaning::Plus);
    let behind_next = words.skip(start, Meaning::The);
    let is_ahead = words.has(behind_next, Meaning::Next) || words.has(behind_next, Meaning::Coming);
    let is_next = matches!(binder, Some(Binder::In | Binder::For)) && is_ahead;
    let at = if is_from_now {
        start + 2
    } else if is_next {
        behind_next + 1
    } else {
        start
    };
    // "+15min"
    let has_plus = words.has(start, Meaning::Plus);
    let at = words.skip(if has_plus { start + 1 } else { at }, Meaning::About);
    // "after 2 days"
    let is_after = binder.is_none() && words.has(at, Meaning::After);
    // "for the next year"
    let single = unit(at)
        .filter(|_| is_next && words.has_repeat && binder == Some(Binder::For))
        .and_then(|unit| Amount::default().plus(1000, unit))
        .map(|amount| FoundAmount { amount, next: at + 1, is_short: false });
    let mut amount = amount(words, if is_after { at + 1 } else { at }).or(single)?;
    // "the 70s" are years.
    if amount.is_short && start > 0 && words.has(start - 1, Meaning::The) {
        return None;
    }
    // "in 2 weeks' time"
    amount.next = words.skip(words.skip(amount.next, Meaning::TimeWord), Meaning::Ish);
    let binder = if is_after { Some(Binder::In) } else { binder };
    if is_from_now || has_plus {
        return Some(Found { piece: Piece::Ahead(amount.amount), next: amount.next, strength: Strength::Strong });
    }
    let found = |piece, next, strength| Some(Found { piece, next, strength });
    // 25日前 is before the 25th.
    let is_date = words.has(amount.next - 1, Meaning::DayMark) && words.has(amount.next, Meaning::ByBehind);
    if words.has(amount.next, Meaning::Ago) && !is_date {
        return found(Piece::Ago, amount.next + 1, Strength::Strong);
    }
    let is_later =
        words.has(amount.next, Meaning::Vague) && words.lexeme(amount.next).is_some_and(|w| w.span.len() == 5);
    if words.has(amount.next, Meaning::FromNow) || is_later {
        return found(Piece::Ahead(amount.amount), amount.next + 1, Strength::Strong);
    }
    if words.has(amount.next, Meaning::From) && words.has(amount.next + 1, Meaning::Day(0)) {
        return found(Piece::Ahead(amount.amount), amount.next + 2, Strength::Strong);
    }
    if words.has(amount.next, Meaning::FromToday) {
        return found(Piece::Ahead(amount.amount), amount.next + 1, Strength::Strong);
    }
    match binder {
        Some(Binder::In) => found(Piece::Ahead(amount.amount), amount.next, Strength::Strong),
        Some(Binder::For) if !words.has_repeat => found(Piece::Ahead(amount.amount), amount.next, Strength::Whole),
        Some(Binder::For) => found(Piece::Lasting(amount.amount), amount.next, Strength::Strong),
        None => {
            let strength = if amount.is_short { Strength::Weak } else { Strength::Whole };
            found(Piece::Ahead(amount.amount), amount.next, strength)
        }
        Some(_) => None,
    }
}

/// What has passed ("the last 2 weeks", "in -5 minutes"), begins now (未来7天) or lies beyond all years.
fn beside_now(words: &Words<'_>, start: usize, binder: Option<Binder>) -> Option<Found> {
    let behind_the = words.skip(start, Meaning::The);
    let unit = |at: usize| words.pick(at, |m| if let Meaning::Unit(unit) = m { Some(unit) } else { None });
    // "in -5 minutes"
    if binder == Some(Binder::In)
        && words.has(start, Meaning::Dash)
        && words.is_glued(start + 1)
        && let Some(length) = amount(words, start + 1)
    {
        return Some(Found { piece: Piece::Ago, next: length.next, strength: Strength::Strong });
    }
    // "the last 2 weeks", "past hour"
    if words.has(behind_the, Meaning::Last) || words.has(behind_the, Meaning::Past) {
        let length = amount(words, behind_the + 1).map(|length| length.next);
        let is_exact_unit =
            [Unit::Hour, Unit::Minute].iter().any(|unit| words.has(behind_the + 1, Meaning::Unit(*unit)));
        if let Some(next) = length.or(is_exact_unit.then_some(behind_the + 2)) {
            return Some(Found { piece: Piece::Ago, next, strength: Strength::Whole });
        }
    }
    // 未来7天 begins now.
    if words.has(start, Meaning::Onward)
        && let Some(length) = amount(words, start + 1)
    {
        return Some(Found { piece: Piece::Now, next: length.next, strength: Strength::Weak });
    }
    // "in 99999999999 years"
    if binder == Some(Binder::In) && words.has(start, Meaning::Huge) && unit(start + 1).is_some() {
        let amount = Amount { months: i64::MAX, ..Amount::default() };
        return Some(Found { piece: Piece::Ahead(amount), next: start + 2, strength: Strength::Strong });
    }
    None
}

/// "next hour", "the next 3 hours": a stretch is its start.
fn next_unit(words: &Words<'_>, start: usize, binder: Option<Binder>) -> Option<Found> {
    let behind_next = words.skip(start, Meaning::The);
    let counted = count(words, behind_next + 1).filter(|_| binder.is_none());
    let unit_at = counted.map_or(behind_next + 1, |(_, at)| at);
    if let Some(unit) = words.pick(unit_at, |m| match m {
        Meaning::Unit(unit @ (Unit::Hour | Unit::Minute | Unit::Second)) => Some(unit),
        _ => None,
    }) && words.has(behind_next, Meaning::Next)
    {
        let amount = Amount::default().plus(1000, unit)?;
        return Some(Found { piece: Piece::Ahead(amount), next: unit_at + 1, strength: Strength::Strong });
    }
    None
}

/// "10 minutes before" a time of day.
pub(super) fn shift(words: &Words<'_>, start: usize) -> Option<Found> {
    let length = amount(words, start).filter(|found| found.amount.is_exact())?;
    let is_back = words.has(length.next, Meaning::Before);
    if !(is_back || words.has(length.next, Meaning::After) || words.has(length.next, Meaning::From)) {
        return None;
    }
    let next = length.next + 1;
    let is_event = words.has(next, Meaning::The);
    let found = clock::clock(words, words.skip(next, Meaning::The), None)?;
    // Only a time of day can be shifted.
    if found.strength != Strength::Strong || found.clock.face == Face::Impossible {
        return None;
    }
    let (amount, clock) = (length.amount, found.clock);
    // "an hour before the 9pm flight" leaves the flight in the title.
    let piece = if is_event { Piece::Beside { amount, is_back, clock } } else { Piece::Shift { amount, is_back } };
    Some(Found { piece, next, strength: Strength::Strong })
}
