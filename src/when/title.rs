//! Which words are the title, once the time and the lead are taken out?

use std::ops::Range;

use crate::when::grammar::{Run, Words};
use crate::when::lexicon::{Lexeme, Meaning, Unit};
use crate::when::token::{Kind, is_ideograph};

/// Returns the lexemes in which time is looked for: without the lead ("remind me to") and closing marks.
pub(super) fn edges(words: &Words<'_>) -> Range<usize> {
    let end = (0..words.len()).rev().find(|at| !words.is_mark(*at)).map_or(0, |at| at + 1);
    let start = lead_end(words, 0).unwrap_or(0);
    start.min(end)..end
}

/// Returns the place behind "remind me", "remind me to", "me to" at `start`.
fn lead_end(words: &Words<'_>, start: usize) -> Option<usize> {
    let at = words.skip(start, Meaning::LeadFiller);
    let is_lead = words.has(at, Meaning::Lead);
    // "me" alone leads only before "to" ("keiko remind me to …").
    let is_filler_alone = at > start && words.has(at, Meaning::LeadEnd);
    if !(is_lead || is_filler_alone) {
        return None;
    }
    let at = if is_lead { at + 1 } else { at };
    let behind = words.skip(words.skip(at, Meaning::LeadEnd), Meaning::Colon);
    Some(behind)
}

/// Returns what is left of `text` without the lead and the runs of time, word for word.
pub(super) fn title(text: &str, lexemes: &[Lexeme], words: &Words<'_>, start: usize, runs: &[Run]) -> String {
    let taken: Vec<Range<usize>> = runs.iter().map(|run| run.range.clone()).collect();
    beside(text, lexemes, words, start, &taken)
}

/// Returns what is left of `text` without the lead and the words `taken`.
pub(super) fn beside(
    text: &str,
    lexemes: &[Lexeme],
    words: &Words<'_>,
    start: usize,
    taken: &[Range<usize>],
) -> String {
    let mut parts: Vec<Range<usize>> = Vec::new();
    let mut at = start;
    for run in taken {
        // "pay the bill (due friday)"
        let is_bracketed =
            run.start > at && words.has(run.start - 1, Meaning::Bracket) && words.has(run.end, Meaning::Bracket);
        let around = usize::from(is_bracketed);
        parts.push(at..run.start - around);
        at = run.end + around;
    }
    // A full stop that stands apart closes nothing.
    let is_apart = |at: usize| words.has(at, Meaning::Dot) && !words.is_glued(at);
    let end = if lexemes.len() > 1 && is_apart(lexemes.len() - 1) { lexemes.len() - 1 } else { lexemes.len() };
    parts.push(at.min(end)..end);
    let count = parts.len();
    let parts_end = at;
    let mut kept: Vec<Range<usize>> = Vec::new();
    for (index, part) in parts.into_iter().enumerate() {
        let mut part = part;
        if index > 0 {
            part.start = part.end.min(behind_marks(words, part.start));
            // "3pm tomorrow to pay rent", "at 3 remind me to pay rent"
            if kept.is_empty() {
                let lead = lead_end(words, part.start).unwrap_or(part.start);
                part.start = words.skip(lead, Meaning::LeadEnd).min(part.end);
            }
        }
        // "water the ferns tomorrow 3pm, remind me"
        if index > 0 && index + 1 == count {
            if (part.start..part.end)
                .all(|at| words.is_mark(at) && !is_picture(words, at) || words.has(at, Meaning::LeadFiller))
            {
                part.end = part.start;
            }
            let end =
                (part.start..part.end).rev().find(|at| !words.is_mark(*at)).filter(|at| words.has(*at, Meaning::Lead));
            part.end = end.unwrap_or(part.end);
        }
        if index + 1 < count {
            while part.end > part.start && is_seam(words, part.end - 1) {
                part.end -= 1;
            }
            // "the 3pm meeting moved to 4pm"
            let is_joint = |at: usize| {
                [Meaning::To, Meaning::After, Meaning::Since, Meaning::Through, Meaning::For]
                    .iter()
                    .any(|join| words.has(at, *join))
            };
            if part.end > part.start && is_joint(part.end - 1) {
                part.end -= 1;
            }
            // "the exam is in three weeks": the title is the exam.
            let is_last = index + 2 == count && words.is_end(parts_end);
            if is_last && part.len() > 1 && words.has(part.end - 1, Meaning::Copula) {
                part.end -= 1;
            }
        }
        if !part.is_empty() {
            kept.push(part);
        }
    }
    if let [only] = kept.as_slice()
        && only.len() == 1
        && lexemes[only.start].kind == Kind::Quoted
    {
        return unquoted(&text[lexemes[only.start].span.clone()]).to_owned();
    }
    let slices: Vec<&str> =
        kept.iter().map(|part| text[lexemes[part.start].span.start..lexemes[part.end - 1].span.end].trim()).collect();
    joined(&slices)
}

/// Returns the words that are left where they are no title but time that was not understood: the "15" of "15 at 8:00".
///
/// How long it lasts ("18h for 45 minutes") is not needed.
pub(super) fn time_left_over(words: &Words<'_>, edges: Range<usize>, runs: &[Run]) -> Option<Range<usize>> {
    let is_left = |at: &usize| !words.is_mark(*at) && !runs.iter().any(|run| run.range.contains(at));
    let mut left = edges.filter(is_left).peekable();
    let first = *left.peek()?;
    // Marks that say nothing about time belong to a title.
    let is_strange = |at: usize| words.is_mark(at) && words.pick(at, |_| Some(())).is_none();
    if words.has(first, Meaning::For) || (0..first).any(is_strange) {
        return None;
    }
    let (mut last, mut has_time) = (first, false);
    for at in left {
        let is_name =
            words.pick(at, |m| matches!(m, Meaning::Unit(Unit::Second) | Meaning::Month(3 | 5)).then_some(()));
        let is_time = words.pick(at, |m| is_of_time(m).then_some(())).is_some() && is_name.is_none();
        if !is_time && words.pick(at, |m| joins(m).then_some(())).is_none() {
            return None;
        }
        has_time |= is_time;
        last = at;
    }
    has_time.then_some(first..last + 1)
}

/// Returns whether a word of that meaning is no title by itself.
const fn is_of_time(meaning: Meaning) -> bool {
    matches!(
        meaning,
        Meaning::Digits { .. }
            | Meaning::Unit(_)
            | Meaning::Month(_)
            | Meaning::Weekday(_)
            | Meaning::Day(_)
            | Meaning::Part(_)
            | Meaning::Tonight
            | Meaning::HourMark
            | Meaning::DayMark
            | Meaning::MonthMark
            | Meaning::SurePart(_)
    )
}

const fn joins(meaning: Meaning) -> bool {
    matches!(
        meaning,
        Meaning::At
            | Meaning::Around
            | Meaning::On
            | Meaning::In
            | Meaning::Of
            | Meaning::The
            | Meaning::Article
            | Meaning::And
            | Meaning::To
            | Meaning::ShortUnit(_)
            | Meaning::Meridiem(_)
            | Meaning::OrdinalEnd
            | Meaning::Number(_)
            | Meaning::Next
            | Meaning::Last
            | Meaning::This
    )
}

/// Joins the parts by a space, but Chinese ones as Chinese is written.
fn joined(parts: &[&str]) -> String {
    let mut title = String::new();
    for part in parts {
        let is_chinese = title.ends_with(is_ideograph) && part.starts_with(is_ideograph);
        if !(title.is_empty() || is_chinese) {
            title.push(' ');
        }
        title.push_str(part);
    }
    title
}

/// Returns the place behind marks that only joined the time to the title ("3pm tomorrow: pay rent").
fn behind_marks(words: &Words<'_>, start: usize) -> usize {
    let closes = |at: usize| words.is_mark(at) && words.is_end(at) && !is_picture(words, at);
    let mut at = start;
    while is_seam(words, at) || closes(at) {
        at += 1;
    }
    at
}

/// Returns whether an emoji stands here ("cake friday🎂"): what takes four bytes is no punctuation.
fn is_picture(words: &Words<'_>, at: usize) -> bool {
    words.is_mark(at) && words.lexeme(at).is_some_and(|lexeme| lexeme.span.len() > 3)
}

fn is_seam(words: &Words<'_>, at: usize) -> bool {
    let is_join = [Meaning::Comma, Meaning::Colon, Meaning::Dash, Meaning::Dot, Meaning::Linker]
        .iter()
        .any(|mark| words.has(at, *mark));
    // "call bob@3pm"
    is_join || words.is_mark(at) && words.has(at, Meaning::At)
}

/// Takes the first and last character off, which are quotes.
fn unquoted(text: &str) -> &str {
    let mut chars = text.chars();
    chars.next();
    chars.next_back();
    chars.as_str().trim()
}
