//! Do two runs of words name two times for one thing, or one of them a thing that has a time?

use std::ops::Range;

use crate::when::grammar::run::Run;
use crate::when::grammar::words::Words;
use crate::when::grammar::{Day, Which};
use crate::when::lexicon::Meaning;

/// Returns whether the run stands behind "the" and before a noun ("the monday meeting").
pub(super) fn is_told_apart(words: &Words<'_>, run: &Run) -> bool {
    let Range { start, end } = run.range;
    let has_the = words.has(start, Meaning::The) || start > 0 && words.has(start - 1, Meaning::The);
    has_the && !words.is_end(end)
}

/// Returns whether two runs with marks between are a date and its weekday, and say nothing else.
pub(super) fn is_named_date(words: &Words<'_>, known: &Run, other: &Run) -> bool {
    let is_date = |run: &Run| matches!(run.phrase.days.as_slice(), [Day::Date { .. } | Day::OfMonth(_)]);
    let is_weekday = |run: &Run| matches!(run.phrase.days.as_slice(), [Day::Weekday(Which::Coming, _)]);
    let mut between = known.range.end.min(other.range.end)..known.range.start.max(other.range.start);
    let is_pair = is_date(known) && is_weekday(other) || is_weekday(known) && is_date(other);
    is_pair && other.phrase.is_only_days() && between.all(|at| words.is_mark(at))
}

/// Returns whether "mon/wed/fri" stands outside all runs: days of which none was taken.
pub(super) fn lists_weekdays(words: &Words<'_>, runs: &[Run]) -> bool {
    let is_weekday = |at: usize| {
        let is_free = !runs.iter().any(|run| run.range.contains(&at));
        is_free
            && words.pick(at, |m| matches!(m, Meaning::Weekday(_) | Meaning::ShortWeekday(_)).then_some(())).is_some()
    };
    let is_pair =
        |at: usize| is_weekday(at) && words.has(at + 1, Meaning::Slash) && words.is_glued(at + 1) && is_weekday(at + 2);
    !words.has_repeat && (0..words.len()).any(is_pair)
}

/// Returns whether two runs side by side repeat each in its own way: "at 9 every monday and at 17 every thursday".
pub(super) fn repeat_apart(words: &Words<'_>, known: &Run, other: &Run) -> bool {
    let (first, second) = if known.range.start < other.range.start { (known, other) } else { (other, known) };
    let mut between = first.range.end..second.range.start;
    let joins = |at: usize| words.is_mark(at) || words.has(at, Meaning::And) || words.has(at, Meaning::AndAlso);
    let has_time = !first.phrase.clocks.is_empty() || first.phrase.part.is_some();
    let repeats = |run: &Run| run.phrase.every.is_some();
    repeats(first) && repeats(second) && (has_time || !between.is_empty()) && between.all(joins)
}

/// Returns whether two runs name two times for one thing: side by side ("at 3pm at 5pm", "friday or saturday"), or both
/// bound times of day without "that", "about" or "is" between, which begin a title of its own.
pub(super) fn contradict(words: &Words<'_>, known: &Run, other: &Run) -> bool {
    let (first, second) = if known.range.start < other.range.start { (known, other) } else { (other, known) };
    let is_plain = |run: &Run| !run.is_past() && !run.phrase.is_only_alerts() && run.phrase.every.is_none();
    let mut between = first.range.end..second.range.start;
    if !(is_plain(first) && is_plain(second)) || is_told_apart(words, first) || is_told_apart(words, second) {
        return false;
    }
    let joins = |at: usize| {
        words.is_mark(at) || [Meaning::And, Meaning::AndAlso, Meaning::Or].iter().any(|join| words.has(at, *join))
    };
    let has_clock_bound =
        |run: &Run| !run.phrase.clocks.is_empty() && run.range.clone().any(|at| words.has(at, Meaning::At));
    let begins_title = |at: usize| words.has(at, Meaning::LeadEnd) || words.has(at, Meaning::Copula);
    between.clone().all(joins) || has_clock_bound(first) && has_clock_bound(second) && !between.any(begins_title)
}
