//! What does "every other friday at 9" mean?
//!
//! Text in, schedule out: tokens with their place in the text, a lexicon a language, one grammar of time, resolution
//! against a given now and zone; what remains is the title. `grammar.md` beside this file has the rules on one page. Nothing here reads
//! a clock or the system's zone.

mod alerts;
mod arguments;
mod days;
mod error;
mod grammar;
mod lexicon;
mod limits;
mod note;
mod plain_date;
mod recur;
pub mod render;
mod resolve;
mod settings;
mod span;
mod stretch;
mod title;
mod token;
mod typed;

use std::ops::Range;

use chrono_tz::Tz;

use crate::domain::schedule::{Rule, Schedule};
use crate::domain::time::{Span, Timestamp};
use crate::when::grammar::{Binder, Cycle, Day, Naming, Phrase, Run, Which, Words};
use crate::when::lexicon::{Lexeme, Meaning, lexemes};
use crate::when::resolve::{Here, Resolved, Said};

pub use self::arguments::{Arguments, from_arguments};
pub use self::error::TimeError;
pub use self::limits::{Bounds, Limits, parse_cron, parse_rrule};
pub use self::note::Note;
pub use self::settings::{Dialect, Settings};
pub use self::span::parse_span;
pub use self::stretch::{Reach, parse_bound, parse_stretch};

/// What a text is read against.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Context {
    /// The present instant.
    pub now: Timestamp,
    /// The zone in which times are meant that name none.
    pub zone: Tz,
    /// Hours of the parts of the day, and the order of numeric dates.
    pub settings: Settings,
}

/// What a sentence says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reading {
    /// The time, `None` where the sentence has none.
    pub time: Option<TimeReading>,
    /// The rest, word for word; empty where the whole sentence is a time.
    pub title: String,
    /// What is to be said aloud, that of the time included.
    pub notes: Vec<Note>,
}

/// What words about time say.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TimeReading {
    /// The schedule; its text is the words taken as time.
    pub schedule: Schedule,
    /// The first instance.
    pub due: Timestamp,
    /// How exactly the time was said.
    pub grain: Grain,
    /// Byte ranges in the text, in order, of the words taken as time.
    pub spans: Vec<Range<usize>>,
    /// When to speak, from due (negative: before); empty for at due alone.
    pub alerts: Vec<Span>,
    /// By when it must be done, where the words name the day by which ("by friday"): the end of that day.
    pub deadline: Option<Timestamp>,
    /// The zone that the words name.
    pub zone: Option<Tz>,
    /// What is to be said aloud.
    pub notes: Vec<Note>,
}

/// How exactly a time was said.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Grain {
    /// To the second.
    Second,
    /// To the minute.
    Minute,
    /// To the hour or part of the day.
    Hour,
    /// To the day.
    Day,
    /// To the week.
    Week,
    /// To the month.
    Month,
    /// To the year.
    Year,
}

impl Grain {
    /// Returns the word for it, such as `minute`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Second => "second",
            Self::Minute => "minute",
            Self::Hour => "hour",
            Self::Day => "day",
            Self::Week => "week",
            Self::Month => "month",
            Self::Year => "year",
        }
    }
}

impl Reading {
    /// Returns the time, for callers that cannot do without.
    ///
    /// # Errors
    /// The sentence has no time, or only a vague one ("later").
    pub fn into_time(self) -> Result<TimeReading, TimeError> {
        let vague = self.notes.iter().find_map(|note| match note {
            Note::Vague { words, span } => Some(TimeError::Vague { words: words.clone(), span: span.clone() }),
            Note::NextWeekday { .. }
            | Note::ThisWeekday { .. }
            | Note::OtherYear { .. }
            | Note::Tomorrow { .. }
            | Note::MidnightEnds { .. }
            | Note::Gap { .. }
            | Note::Fold { .. }
            | Note::EitherDay
            | Note::MonthEnd { .. }
            | Note::AlertPassed { .. } => None,
        });
        self.time.ok_or_else(|| {
            let span = 0..self.title.len();
            vague.unwrap_or(TimeError::Missing { words: self.title, span })
        })
    }
}

/// Reads a sentence: the time anywhere in it, the rest as title. A lead ("remind me to") drops out.
///
/// A sentence without a time is a title alone; one that only says "later" has [`Note::Vague`] too.
///
/// # Errors
/// The sentence names a time that cannot be set: past, impossible, contradictory, or several at once.
pub fn parse_sentence(text: &str, context: &Context) -> Result<Reading, TimeError> {
    limits::within_length(text)?;
    if let Some(span) = typed::find(text) {
        let time = typed::read(text, span.clone(), context)?;
        let notes = time.notes.clone();
        return Ok(Reading { time: Some(time), title: title_beside(text, &span), notes });
    }
    let lexemes = lexemes(&token::tokens(text));
    let words = Words::new(&lexemes);
    let mut edges = title::edges(&words);
    let dialect = context.settings.dialect;
    let mut found = None;
    // "me" leads only before a time: "me tomorrow 3pm" is what follows "keiko remind".
    if edges.start == 0 && words.has(0, Meaning::LeadFiller) {
        found = grammar::phrase(&words, 1..edges.end, dialect, None)
            .filter(|(_, runs)| runs.first().is_some_and(|run| run.range.start == 1));
        edges.start = usize::from(found.is_some());
    }
    found = found.or_else(|| grammar::phrase(&words, edges.clone(), dialect, None));
    // 农历八月十五 has a date; 农历书 is a thing.
    let has_date = |at: usize| {
        words.pick(at + 1, |m| matches!(m, Meaning::Number(_) | Meaning::Digits { .. }).then_some(())).is_some()
    };
    let is_lunar = |at: &usize| words.has(*at, Meaning::Lunar) && (found.is_some() || has_date(*at));
    if let Some(at) = (0..words.len()).find(is_lunar) {
        return Err(lunar(text, &lexemes[at]));
    }
    let Some((mut phrase, runs)) = found else {
        return Ok(without_time(text, &lexemes, &words, edges));
    };
    let title = title::title(text, &lexemes, &words, edges.start, &runs);
    // "every year on thanksgiving"
    let is_undated = phrase.every.as_ref().is_some_and(|every| every.cycle == Cycle::Years && every.days.is_empty())
        && phrase.days.is_empty();
    if let Some(run) = runs.iter().find(|run| is_undated && words.has(run.range.end, Meaning::On)) {
        let span = lexemes[run.range.start].span.start..lexemes[run.range.end].span.end;
        let reason = "its date is not known, expected one such as `on june 3`";
        return Err(TimeError::NoRule { words: text[span.clone()].to_owned(), span, reason });
    }
    // Alone it names a stretch; of a thing to do it names the end, since a reminder at once is none.
    if phrase.naming == Naming::Until && edges.start == 0 && title.is_empty() {
        phrase = grammar::begun(phrase);
    }
    let time = match resolve_phrase(text, &lexemes, &runs, &phrase, context) {
        Ok(time) => time,
        // "eat more kale this month" is a title.
        Err(TimeError::Vague { words: said, span }) => {
            let title = title::title(text, &lexemes, &words, edges.start, &[]);
            return Ok(Reading { time: None, title, notes: vec![Note::Vague { words: said, span }] });
        }
        Err(error) => return Err(error),
    };
    if let Some(left) = title::time_left_over(&words, edges.clone(), &runs) {
        let span = lexemes[left.start].span.start..lexemes[left.end - 1].span.end;
        return Err(TimeError::Leftover { words: text[span.clone()].to_owned(), span });
    }
    let notes = time.notes.clone();
    Ok(Reading { time: Some(time), title, notes })
}

/// Reads a time and nothing else.
///
/// # Errors
/// The text has words that are no part of a time, has no time, or names one that cannot be set.
pub fn parse_time(text: &str, context: &Context) -> Result<TimeReading, TimeError> {
    limits::within_length(text)?;
    let lexemes = lexemes(&token::tokens(text));
    only_time(text, text, &lexemes, context)
}

/// Reads what would follow "every": `day at 9am`, `2 hours 3 times`, `month on the 31st at 9am`; also a rule as
/// programs write it, `FREQ=…` (RFC 5545) or cron.
///
/// # Errors
/// As [`parse_time`]; also where the words repeat nothing.
pub fn parse_every(text: &str, context: &Context) -> Result<TimeReading, TimeError> {
    const EVERY: &str = "every ";
    limits::within_length(text)?;
    if let Some(span) = typed::whole(text) {
        return typed::read(text, span, context);
    }
    let own = lexemes(&token::tokens(text));
    let own_words = Words::new(&own);
    let repeats = |at: usize| Words::new(&own[..own.len().min(at)]).has_repeat;
    // "every day" and "daily" say it themselves.
    if own_words.has_repeat && repeats(1) {
        return only_time(text, text, &own, context);
    }
    let whole = format!("{EVERY}{text}");
    let lexemes = lexemes(&token::tokens(&whole));
    match only_time(text, &whole, &lexemes, context) {
        Ok(mut reading) => {
            reading.spans = reading.spans.iter().map(|span| shift(span, EVERY.len(), text.len())).collect();
            text.trim().clone_into(&mut reading.schedule.text);
            Ok(reading)
        }
        // What is left over is "every" itself.
        Err(TimeError::Leftover { span, .. }) if span.start < EVERY.len() => Err(TimeError::NoRule {
            words: text.trim().to_owned(),
            span: 0..text.len(),
            reason: "expected what follows `every`, such as `day at 9am`",
        }),
        Err(TimeError::Missing { .. }) => Err(TimeError::NoRule {
            words: text.trim().to_owned(),
            span: 0..text.len(),
            reason: "expected what follows `every`, such as `day at 9am`",
        }),
        Err(error) => Err(error.shifted(EVERY.len(), text)),
    }
}

/// Returns the words of `text` beside those that an error points at, as title.
#[must_use]
pub fn title_beside(text: &str, span: &Range<usize>) -> String {
    if limits::within_length(text).is_err() {
        return text.trim().to_owned();
    }
    let lexemes = lexemes(&token::tokens(text));
    let words = Words::new(&lexemes);
    let edges = title::edges(&words);
    let inside = |lexeme: &Lexeme| lexeme.span.start >= span.start && lexeme.span.end <= span.end;
    let first = (edges.start..edges.end).find(|at| inside(&lexemes[*at]));
    let last = (edges.start..edges.end).rfind(|at| inside(&lexemes[*at]));
    let Some((first, last)) = first.zip(last) else { return text.trim().to_owned() };
    let taken = first..last + 1;
    title::beside(text, &lexemes, &words, edges.start, std::slice::from_ref(&taken))
}

fn shift(span: &Range<usize>, by: usize, len: usize) -> Range<usize> {
    span.start.saturating_sub(by).min(len)..span.end.saturating_sub(by).min(len)
}

/// Reads `whole`, in which every word must be about time; `text` is what errors show.
fn only_time(text: &str, whole: &str, lexemes: &[Lexeme], context: &Context) -> Result<TimeReading, TimeError> {
    let words = Words::new(lexemes);
    let end = (0..words.len()).rev().find(|at| !words.is_mark(*at)).map_or(0, |at| at + 1);
    let missing = || TimeError::Missing { words: text.trim().to_owned(), span: 0..whole.len() };
    if let Some(lexeme) = lexemes.iter().find(|lexeme| lexeme.meanings.contains(&Meaning::Lunar)) {
        return Err(lunar(whole, lexeme));
    }
    let Some((phrase, runs)) = phrase_of_time(&words, end, context) else {
        return Err(vague(whole, lexemes, &words, &(0..end))
            .map_or_else(missing, |(words, span)| TimeError::Vague { words, span }));
    };
    if let Some(left) = first_leftover(&words, &runs, end) {
        let span = lexemes[left.start].span.start..lexemes[left.end - 1].span.end;
        return Err(TimeError::Leftover { words: whole[span.clone()].to_owned(), span });
    }
    resolve_phrase(whole, lexemes, &runs, &phrase, context)
}

fn phrase_of_time(words: &Words<'_>, end: usize, context: &Context) -> Option<(Phrase, Vec<Run>)> {
    // `--at 5` is what "at 5" is.
    grammar::phrase(words, 0..end, context.settings.dialect, None)
        .filter(|(_, runs)| first_leftover(words, runs, end).is_none())
        .or_else(|| grammar::phrase(words, 0..end, context.settings.dialect, Some(Binder::At)))
}

/// Returns whether words say a time of day and leave the day open: `6am`, `at noon`, `evening`; not `tonight`.
#[must_use]
pub fn is_time_of_day_alone(text: &str, context: &Context) -> bool {
    let names_time = |phrase: &Phrase| !phrase.clocks.is_empty() || phrase.part.is_some_and(|part| !part.is_today);
    phrase_alone(text, context).is_some_and(|phrase| names_time(&phrase) && !has_day(&phrase))
}

/// Returns whether words say on which day it is, seen from now: `today`, `tonight`, `dec 24 5pm`; not `5pm`, `in 2 hours`,
/// nor `friday`, which comes each week.
#[must_use]
pub fn names_one_day(text: &str, context: &Context) -> bool {
    phrase_alone(text, context).is_some_and(|phrase| {
        let is_today = phrase.part.is_some_and(|part| part.is_today);
        is_today || phrase.days.iter().any(|day| !matches!(day, Day::Weekday(Which::Coming, _)))
    })
}

/// Returns what words say that are about time and nothing else.
fn phrase_alone(text: &str, context: &Context) -> Option<Phrase> {
    if limits::within_length(text).is_err() || typed::find(text).is_some() {
        return None;
    }
    let lexemes = lexemes(&token::tokens(text));
    let words = Words::new(&lexemes);
    let end = (0..words.len()).rev().find(|at| !words.is_mark(*at)).map_or(0, |at| at + 1);
    let (phrase, runs) = phrase_of_time(&words, end, context)?;
    first_leftover(&words, &runs, end).is_none().then_some(phrase)
}

/// Returns whether a phrase says on which day, or from which moment on.
fn has_day(phrase: &Phrase) -> bool {
    let is_today = phrase.part.is_some_and(|part| part.is_today);
    let is_repeated = phrase.every.is_some() || phrase.times.is_some();
    let is_from_now = phrase.ahead.is_some() || phrase.is_ago || phrase.is_now || phrase.lasting.is_some();
    !phrase.days.is_empty() || is_today || is_from_now || is_repeated
}

/// Returns the first words before `end` that no run takes.
fn first_leftover(words: &Words<'_>, runs: &[Run], end: usize) -> Option<Range<usize>> {
    let is_free = |at: usize| !words.is_mark(at) && !runs.iter().any(|run| run.range.contains(&at));
    let start = (0..end).find(|at| is_free(*at))?;
    let stop = (start..end).find(|at| !is_free(*at)).unwrap_or(end);
    Some(start..stop)
}

fn resolve_phrase(
    text: &str,
    lexemes: &[Lexeme],
    runs: &[Run],
    phrase: &Phrase,
    context: &Context,
) -> Result<TimeReading, TimeError> {
    let spans: Vec<Range<usize>> =
        runs.iter().map(|run| lexemes[run.range.start].span.start..lexemes[run.range.end - 1].span.end).collect();
    let words: Vec<&str> = spans.iter().map(|span| &text[span.clone()]).collect();
    let words = words.join(" ");
    let span = spans.first().map_or(0, |first| first.start)..spans.last().map_or(0, |last| last.end);
    let said = Said { words: words.clone(), span };
    if grammar::is_open(phrase) {
        return Err(TimeError::Vague { words: said.words, span: said.span });
    }
    let here = Here::new(context, phrase.zone, said.clone());
    if phrase.naming == Naming::Several {
        return Err(here.several());
    }
    let (resolved, zone) = match (&phrase.every, phrase.offset) {
        (None, None) => (here.once(phrase)?, phrase.zone),
        // An offset names an instant, which stays where it is when the device travels.
        (None, Some(seconds)) => (at_offset(context, phrase, said, seconds)?, Some(context.zone)),
        (Some(every), None) => (recur::series(&here, phrase, every)?, phrase.zone),
        (Some(_), Some(_)) => return Err(here.no_rule("an offset is no zone, expected one such as Europe/Berlin")),
    };
    let mut notes = resolved.notes;
    let alerts = alerts::spans(&phrase.alerts, &resolved.rule, resolved.due, &here, &mut notes);
    let schedule = Schedule { text: words, rule: resolved.rule, zone };
    let deadline = here.deadline(phrase, resolved.due);
    Ok(TimeReading {
        schedule,
        due: resolved.due,
        grain: resolved.grain,
        spans,
        alerts,
        deadline,
        zone: phrase.zone,
        notes,
    })
}

/// The lunar calendar is not read, and its 15th is no date of ours.
fn lunar(text: &str, lexeme: &Lexeme) -> TimeError {
    TimeError::Impossible {
        words: text[lexeme.span.clone()].to_owned(),
        span: lexeme.span.clone(),
        reason: "the lunar calendar is not read, expected a date of the solar one",
        proposal: Some("9月25日上午九点".to_owned()),
    }
}

/// Resolves a moment said with its offset from UTC: read on a clock that is so far ahead, then brought home.
fn at_offset(context: &Context, phrase: &Phrase, said: Said, seconds: i32) -> Result<Resolved, TimeError> {
    let ahead = Span::from_secs(seconds.into());
    let home = Here::new(context, None, said.clone());
    let shifted = context.now.checked_add(ahead).ok_or_else(|| home.out_of_range())?;
    let there = Context { now: shifted, zone: Tz::UTC, settings: context.settings.clone() };
    let resolved = Here::new(&there, None, said).once(phrase)?;
    let due = resolved.due.checked_add(Span::from_secs(-i64::from(seconds))).ok_or_else(|| home.out_of_range())?;
    Ok(Resolved { rule: Rule::Once(due.local(context.zone)), due, ..resolved })
}

/// A sentence in which no time was found: a title, perhaps with a vague word.
fn without_time(text: &str, lexemes: &[Lexeme], words: &Words<'_>, edges: Range<usize>) -> Reading {
    let vague = vague(text, lexemes, words, &edges);
    let has_lead = edges.start > 0;
    let title = title::title(text, lexemes, words, edges.start, &[]);
    let (title, notes) = match vague {
        // With a lead the word was meant as time; without one it may be the title's own.
        Some((said, span)) => {
            let title = if has_lead { without(text, lexemes, edges.start, &span, words) } else { title };
            (title, vec![Note::Vague { words: said, span }])
        }
        None => (title, Vec::new()),
    };
    Reading { time: None, title, notes }
}

/// Returns the title without the vague word at its edge.
fn without(text: &str, lexemes: &[Lexeme], start: usize, span: &Range<usize>, words: &Words<'_>) -> String {
    let is_first = lexemes.get(start).is_some_and(|first| first.span == *span);
    if !is_first {
        let from = lexemes.get(start).map_or(0, |first| first.span.start).min(span.start);
        return text[from..span.start].trim().to_owned();
    }
    let behind = words.skip(start + 1, Meaning::LeadEnd);
    lexemes.get(behind).map_or_else(String::new, |next| text[next.span.start..].trim().to_owned())
}

/// Returns a vague word at either edge ("later", "asap").
fn vague(text: &str, lexemes: &[Lexeme], words: &Words<'_>, edges: &Range<usize>) -> Option<(String, Range<usize>)> {
    let last = edges.end.checked_sub(1)?;
    let at = [edges.start, last].into_iter().find(|at| words.has(*at, Meaning::Vague))?;
    let span = lexemes[at].span.clone();
    Some((text[span.clone()].to_owned(), span))
}

#[cfg(test)]
mod tests;
#[cfg(test)]
mod zh_tests;
