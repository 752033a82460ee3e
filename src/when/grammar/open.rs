//! Which words speak of a stretch that is open at one end: "within 2 hours", "since monday", "later this week"?
//!
//! What is bounded only above begins now; of a thing to do it is the end. Where no moment is named nothing is chosen: the sentence is refused, and says why.

use crate::when::grammar::phrase::{Naming, Phrase};
use crate::when::grammar::run::Run;
use crate::when::grammar::words::Words;
use crate::when::grammar::{Day, Strength, Which, amount};
use crate::when::lexicon::{Meaning, Part, Unit};

/// Returns how many words at `start` open a stretch that what follows them bounds.
pub(super) fn opener(words: &Words<'_>, start: usize) -> Option<usize> {
    let is_late = words.has(start, Meaning::Late);
    let is_period = |at: usize| {
        [Unit::Week, Unit::Quarter, Unit::Year].iter().any(|unit| words.has(at, Meaning::Unit(*unit)))
            && (words.has(at - 1, Meaning::This) || words.has(at - 1, Meaning::Next))
    };
    // "later this week"; "late this month" is its last third.
    if is_late && is_period(start + 2) {
        return Some(1);
    }
    let is_part = |at: usize| [Meaning::Late, Meaning::Early, Meaning::Middle].iter().any(|m| words.has(at, *m));
    // "after mid may", "since late july"
    let is_open = words.has(start, Meaning::Since) || words.has(start, Meaning::After) && is_part(start + 1);
    is_open.then_some(1)
}

/// Returns the place behind "an hour before", where it is beside a day: that has no hour to count from.
pub(super) fn length_beside(words: &Words<'_>, start: usize) -> Option<usize> {
    let length = amount(words, start).filter(|length| length.amount.is_exact() && !words.has_repeat)?;
    let is_beside = words.has(length.next, Meaning::Before) || words.has(length.next, Meaning::After);
    is_beside.then_some(length.next + 1)
}

/// Returns the run behind an opener, as one of which no moment is known.
pub(super) fn opened(run: Run, start: usize) -> Run {
    let phrase = Phrase { naming: Naming::Nothing, ..run.phrase };
    Run { range: start..run.range.end, strength: run.strength.max(Strength::Weak), phrase, ..run }
}

/// Returns the run as one that says only until when.
pub(super) fn bounded(run: Run) -> Run {
    let phrase = Phrase { naming: Naming::Until, ..run.phrase };
    Run { strength: run.strength.max(Strength::Weak), phrase, ..run }
}

/// Returns a phrase that says only until when as one that begins where its length is counted from: now, or its day.
pub(in crate::when) fn begun(phrase: Phrase) -> Phrase {
    let days = match phrase.days.as_slice() {
        [Day::Shifted { from, .. }] if **from != Day::FromToday(0) => vec![from.as_ref().clone()],
        [Day::Period(Which::Next, unit)] => vec![Day::Period(Which::Next, *unit)],
        _ => Vec::new(),
    };
    Phrase { is_now: days.is_empty(), ahead: None, days, ..phrase }
}

/// Returns whether the run says only until when: "within 2 hours", "less than 3 days after friday".
pub(super) fn is_bounded_above(words: &Words<'_>, run: &Run) -> bool {
    let start = run.range.start;
    let is_length =
        run.phrase.ahead.is_some() || matches!(run.phrase.days.as_slice(), [Day::Shifted { .. } | Day::Period(..)]);
    // "in less than an hour" is in an hour.
    let is_less = words.has(start, Meaning::LessThan) || start > 0 && words.has(start - 1, Meaning::LessThan);
    is_length && (words.has(start, Meaning::Within) || is_less)
}

/// Returns whether the phrase names no moment. A part of the day has its hour; its early or late side has none that is
/// agreed for the afternoon and evening.
pub(in crate::when) fn is_open(phrase: &Phrase) -> bool {
    let is_side =
        phrase.degree != 0 && phrase.part.is_some_and(|part| matches!(part.part, Part::Afternoon | Part::Evening));
    phrase.naming == Naming::Nothing || is_side && phrase.clocks.is_empty() && phrase.every.is_none()
}
