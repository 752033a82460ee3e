//! When to speak beside or instead of at due: "30 min before", "and again at 9", 提前十分钟提醒我?

use crate::when::grammar::amount::{Amount, amount};
use crate::when::grammar::clock::{Clock, Face, clock};
use crate::when::grammar::words::Words;
use crate::when::grammar::{Binder, Piece};
use crate::when::lexicon::{Meaning, Part, Unit};

/// A moment at which to speak.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::when) enum Alert {
    /// So long before due.
    Before(Amount),
    /// In this part of the day before due's.
    Eve(Part),
    /// At this time of the day of due.
    At(Clock),
    /// At due itself.
    AtDue,
}

/// Reads an alert at `start`, `before` being the piece in front of it.
pub(super) fn alert(words: &Words<'_>, start: usize, before: Option<&Piece>) -> Option<(Alert, usize)> {
    let is_behind_alert = matches!(before, Some(Piece::Alert(_)));
    let at = words.skip(start, Meaning::Lead);
    let behind_again = words.skip(at, Meaning::Again);
    if is_behind_alert && let Some(found) = again(words, at, behind_again) {
        return Some(found);
    }
    let (alert, next) = marked(words, behind_again)
        .or_else(|| eve(words, behind_again))
        .or_else(|| amount_before(words, behind_again))
        .or_else(|| is_behind_alert.then(|| listed(words, behind_again))?)?;
    Some((alert, behind_reminder(words, next)))
}

/// Returns the place behind 提醒我 and "remind me", which the alert carries out.
fn behind_reminder(words: &Words<'_>, at: usize) -> usize {
    words.skip(words.skip(at, Meaning::Lead), Meaning::Reminds)
}

/// "again at 9", 准点.
fn again(words: &Words<'_>, start: usize, behind: usize) -> Option<(Alert, usize)> {
    if words.has(behind, Meaning::AtDue) {
        return Some((Alert::AtDue, behind_reminder(words, behind + 1)));
    }
    if behind == start {
        return None;
    }
    let at = words.skip(behind, Meaning::At);
    let found = clock(words, at, Some(Binder::At)).filter(|found| found.clock.face != Face::Impossible)?;
    Some((Alert::At(found.clock), found.next))
}

/// 提前十分钟提醒我, 开会前十分钟提醒我: the mark stands before the amount.
fn marked(words: &Words<'_>, start: usize) -> Option<(Alert, usize)> {
    let is_in_advance = words.has(start, Meaning::InAdvance);
    if !(is_in_advance || words.has(start, Meaning::ByBehind)) {
        return None;
    }
    let (alert, next) = listed(words, start + 1)?;
    // 开会前十分钟 alone may be the title's.
    (is_in_advance || behind_reminder(words, next) > next).then_some((alert, next))
}

/// "30 min before", "an hour early"; "10 minutes before 5pm" is another time.
fn amount_before(words: &Words<'_>, start: usize) -> Option<(Alert, usize)> {
    let (alert, next) = listed(words, start)?;
    if words.has(next, Meaning::Beforehand) || words.has(next, Meaning::Early) && words.is_end(next + 1) {
        return Some((alert, next + 1));
    }
    // "30 min before breakfast at 8" is a title, unless one asked to be reminded.
    let is_asked = start > 0 && (words.has(start - 1, Meaning::Lead) || words.has(start - 1, Meaning::Again));
    let joins = |at: usize| [Meaning::Comma, Meaning::And, Meaning::Lead].iter().any(|join| words.has(at, *join));
    let is_sure = is_asked || words.is_end(next + 1) || joins(next + 1);
    (words.has(next, Meaning::Before) && is_sure).then_some((alert, next + 1))
}

/// "the night before", "the day before": of a thing that has a time.
fn eve(words: &Words<'_>, start: usize) -> Option<(Alert, usize)> {
    let at = start + 1;
    let is_eve = words.has(start, Meaning::The) && words.has(at + 1, Meaning::Before);
    let joins = [Meaning::And, Meaning::Comma].iter().any(|join| words.has(at + 2, *join));
    let is_eve = is_eve && (joins || words.is_end(at + 2));
    let part = words.pick(at, |m| if let Meaning::Part(part) = m { Some(part) } else { None });
    let is_day = words.has(at, Meaning::Unit(Unit::Day));
    let day = is_day.then_some(Alert::Before(Amount { days: 1, ..Amount::default() }));
    part.map(Alert::Eve).or(day).filter(|_| is_eve).map(|alert| (alert, at + 2))
}

/// The 一小时 of 提前一天和一小时.
fn listed(words: &Words<'_>, start: usize) -> Option<(Alert, usize)> {
    let found = amount(words, start)?;
    Some((Alert::Before(found.amount), found.next))
}
