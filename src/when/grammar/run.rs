//! Which pieces of the sentence belong together, and which words are left?

use std::ops::Range;

use chrono::Weekday;

use crate::when::Dialect;
use crate::when::grammar::clock::clock;
use crate::when::grammar::phrase::{Naming, Phrase};
use crate::when::grammar::{
    Binder, Cycle, Day, Every, Found, Piece, Strength, Which, Words, amount, contradiction, open, piece, range,
};
use crate::when::lexicon::Meaning;

/// Pieces side by side.
#[derive(Clone, Debug)]
pub(in crate::when) struct Run {
    /// The lexemes it takes.
    pub(in crate::when) range: Range<usize>,
    pub(super) phrase: Phrase,
    pub(super) pieces: usize,
    pub(super) strength: Strength,
}

/// Finds the time in `words[edges]`, and the runs of words that say it, in order.
///
/// `edges` leaves out the lead ("remind me") and closing marks. `None` when nothing there is about time.
pub(in crate::when) fn phrase(
    words: &Words<'_>,
    edges: Range<usize>,
    dialect: Dialect,
    first_binder: Option<Binder>,
) -> Option<(Phrase, Vec<Run>)> {
    let mut runs = Vec::new();
    let mut at = edges.start;
    while at < edges.end {
        let binder = first_binder.filter(|_| at == edges.start);
        match run(words, at, dialect, binder).filter(|run| is_time(run, &edges) && is_bounded(words, &run.range)) {
            Some(run) => {
                at = run.range.end.max(at + 1);
                runs.push(run);
            }
            None => at += 1,
        }
    }
    runs.sort_by_key(|run| {
        // "friday about the monday meeting": what stands behind "the" tells a thing from others.
        let is_free = !contradiction::is_told_apart(words, run);
        let is_first = (run.phrase.every.is_some(), !run.is_past(), !run.phrase.is_only_alerts(), is_free);
        std::cmp::Reverse((is_first, run.weight()))
    });
    let mut whole: Option<Phrase> = None;
    let mut taken = Vec::new();
    for run in runs {
        match &mut whole {
            None => whole = Some(run.phrase.clone()),
            Some(phrase) if phrase.has_room_for(&run.phrase) && !run.is_past() => phrase.merge(run.phrase.clone()),
            // "nov 12 (sun": they must agree.
            Some(phrase) if taken.iter().any(|known| contradiction::is_named_date(words, known, &run)) => {
                phrase.days.extend(run.phrase.days.clone());
            }
            Some(phrase) if taken.iter().any(|known| contradiction::contradict(words, known, &run)) => {
                phrase.naming = Naming::Several;
            }
            Some(phrase) if taken.iter().any(|known| contradiction::repeat_apart(words, known, &run)) => {
                phrase.naming = phrase.naming.max(Naming::Mixed);
            }
            // Else what contradicts the time already found is part of the title.
            Some(_) => continue,
        }
        taken.push(run);
    }
    taken.sort_by_key(|run| run.range.start);
    if let Some(phrase) = whole.as_mut().filter(|_| contradiction::lists_weekdays(words, &taken)) {
        phrase.naming = Naming::Several;
    }
    if let Some(phrase) = &mut whole {
        phrase.repeat_through();
    }
    // "be there 10 minutes before" has no time to be before.
    let is_time = |phrase: &Phrase| !phrase.is_only_alerts() && (phrase.times.is_none() || phrase.every.is_some());
    whole.filter(is_time).map(|phrase| (phrase, taken))
}

/// Returns whether the run is sure enough where it stands.
fn is_time(run: &Run, edges: &Range<usize>) -> bool {
    let is_at_start = run.range.start == edges.start;
    let is_at_end = run.range.end >= edges.end;
    match run.strength {
        Strength::Strong => true,
        Strength::Weak => is_at_start || is_at_end || run.pieces > 1,
        Strength::Adverb => is_at_end || run.pieces > 1,
        Strength::Whole => is_at_start && is_at_end,
    }
}

/// Returns whether the run starts and ends where words do: not inside "mp3", "#friday", "e-mail", "friday.com".
fn is_bounded(words: &Words<'_>, range: &Range<usize>) -> bool {
    let is_word = |at: usize| !words.is_mark(at) && !words.opens_or_closes(at);
    let joins = |at: usize| {
        words.is_mark(at)
            && ![Meaning::Comma, Meaning::At].iter().any(|mark| words.has(at, *mark))
            // "3:5pm" is one thing, "3pm:call" two.
            && (!words.has(at, Meaning::Colon) || words.digits(at + 1).is_some() && at > 0 && words.digits(at - 1).is_some())
            && !words.opens_or_closes(at)
    };
    let is_start = range.start == 0 || !words.is_glued(range.start) || {
        let before = range.start - 1;
        let is_prefix = before == 0 || !words.is_glued(before) || is_word(before - 1);
        !(is_word(before) || joins(before) && is_prefix)
    };
    let next = range.end;
    let is_end =
        !(words.is_glued(next) && (is_word(next) || joins(next) && words.is_glued(next + 1) && is_word(next + 1)));
    is_start && is_end
}

/// Reads a run from `start`, and whether it names no moment.
fn run(words: &Words<'_>, start: usize, dialect: Dialect, first_binder: Option<Binder>) -> Option<Run> {
    if let Some(len) = open::opener(words, start).filter(|_| !words.has_repeat) {
        return whole_run(words, start + len, dialect, None).map(|run| open::opened(run, start));
    }
    let run = whole_run(words, start, dialect, first_binder);
    // "an hour before friday": no hour of the day is said.
    if let Some(at) = open::length_beside(words, start)
        && run.as_ref().is_none_or(|run| run.range.end < at)
        && let Some(day) = whole_run(words, at, dialect, None).filter(|day| day.phrase.clocks.is_empty())
    {
        return Some(open::opened(day, start));
    }
    let run = run?;
    Some(if open::is_bounded_above(words, &run) { open::bounded(run) } else { run })
}

/// Reads pieces side by side from `start`, with the end of a stretch ("from 4pm today to 5pm tomorrow").
fn whole_run(words: &Words<'_>, start: usize, dialect: Dialect, first_binder: Option<Binder>) -> Option<Run> {
    let opener = range::opener(words, start).filter(|_| first_binder.is_none() && !words.has_repeat);
    // "for 2 hours from 3pm"
    if words.has(start, Meaning::For)
        && !words.has_repeat
        && let Some(length) = amount(words, start + 1)
        && words.has(length.next, Meaning::From)
        && let Some(run) = pieces(words, length.next + 1, dialect, Some(Binder::From), None)
    {
        return Some(Run { range: start..run.range.end, strength: Strength::Strong, ..run });
    }
    // "3 days starting next monday"
    if !words.has_repeat
        && let Some(length) = amount(words, start).filter(|length| words.has(length.next, Meaning::Starting))
        && let Some(run) = pieces(words, words.skip(length.next + 1, Meaning::From), dialect, None, None)
    {
        return Some(Run { range: start..run.range.end, strength: Strength::Strong, ..run });
    }
    let plain = pieces(words, start, dialect, first_binder, None);
    let Some(opener) = opener.filter(|_| plain.is_none()) else {
        let run = plain?;
        return Some(with_end(words, &run, None, dialect).unwrap_or(run));
    };
    // "from 9 for 2 hours"
    let is_hour = words.is_end(start + 2) || words.has(start + 2, Meaning::For);
    let bound = (opener == range::Opener::From && is_hour).then_some(Binder::From);
    let run = pieces(words, start + 1, dialect, bound, Some(opener))?;
    if let Some(stretch) = with_end(words, &run, Some(opener), dialect) {
        return Some(Run { range: start..stretch.range.end, ..stretch });
    }
    // "from 4pm", "from friday"; but "the mail from friday about rent" is a title with its day.
    let is_month = matches!(run.phrase.days.first(), Some(Day::Month { .. }));
    let end = words.skip(run.range.end, Meaning::StartsThere);
    let is_day = run.phrase.is_only_days() && (words.is_end(end) || end > run.range.end);
    let is_time = is_month || (is_day || !run.phrase.clocks.is_empty()) && run.strength == Strength::Strong;
    (opener == range::Opener::From && is_time).then_some(Run { range: start..end, ..run })
}

/// Returns the run with the end of the stretch that it starts.
fn with_end(words: &Words<'_>, run: &Run, opener: Option<range::Opener>, dialect: Dialect) -> Option<Run> {
    if words.has_repeat {
        return None;
    }
    // "at 2pm and lasts for 3 hours"
    let lasts = words.skip(words.skip(run.range.end, Meaning::Comma), Meaning::And);
    if words.has(lasts, Meaning::Lasts)
        && let Some(length) = amount(words, words.skip(lasts + 1, Meaning::For))
    {
        return Some(Run { range: run.range.start..length.next, ..run.clone() });
    }
    if run.phrase.window_end.is_some() {
        // "june 3 at 3pm - 2pm june 5": the day of the end.
        let end = pieces(words, run.range.end, dialect, None, None)?;
        let is_day = matches!(end.phrase.days.as_slice(), [Day::Date { .. }]) && end.pieces == 1;
        let is_end = is_day && matches!(run.phrase.days.as_slice(), [Day::Date { .. }]);
        return is_end.then(|| Run { range: run.range.start..end.range.end, ..run.clone() });
    }
    let behind = words.skip(run.range.end, Meaning::Comma);
    let join = if words.has(behind, Meaning::Until) { behind } else { run.range.end };
    let at = words.skip(words.skip(range::joiner(words, join, opener)?, Meaning::The), Meaning::Starting);
    let end = pieces(words, at, dialect, None, None)?;
    let has_day = |run: &Run| !run.phrase.days.is_empty();
    let has_clock = |run: &Run| !run.phrase.clocks.is_empty();
    let is_like = has_day(run) && has_day(&end)
        || has_clock(run) && has_clock(&end)
        || run.phrase.part.is_some() && end.phrase.part.is_some()
        || run.phrase.is_now
        || words.has(at.saturating_sub(1), Meaning::Until) && end.phrase.ahead.is_some();
    let is_month = |run: &Run| matches!(run.phrase.days.first(), Some(Day::Month { .. }));
    let is_sure = end.strength > Strength::Whole || opener.is_some() || is_month(run) && is_month(&end);
    if !is_like || !is_sure || end.phrase.every.is_some() {
        return None;
    }
    let mut whole = run.clone();
    // "mon-fri 9:30 and saturday morning", "mon-fri afternoon and saturday"
    let is_weekday = |day: &Day| matches!(day, Day::Weekday(..));
    let ends_twice = end.phrase.days.len() > 1 && end.phrase.days.iter().all(is_weekday);
    if end.phrase.naming >= Naming::Mixed || ends_twice {
        whole.phrase.naming = Naming::Several;
    }
    // Until when it lasts is of no use for its start, but "tomorrow to friday 9:30" says when to be there.
    let joins = |join: Meaning| words.has(at.saturating_sub(1), join);
    if joins(Meaning::To) || !joins(Meaning::Until) {
        whole.phrase.through = through(words, run, &end);
        // "today to tomorrow afternoon" ends in the afternoon.
        let is_parts_own = whole.phrase.through.is_empty() && !words.has(end.range.end.saturating_sub(2), Meaning::The);
        let part = end.phrase.part.filter(|_| !is_parts_own);
        whole.phrase.take_from_end(&Phrase { part, ..end.phrase.clone() });
    }
    // "today to friday" has begun.
    if let [Day::FromToday(0)] = whole.phrase.days.as_slice()
        && whole.phrase.is_only_days()
    {
        whole.phrase = Phrase { is_now: true, ..Phrase::default() };
    }
    range::share_year(&mut whole.phrase, &end.phrase);
    whole.range.end = words.skip(end.range.end, Meaning::BetweenBehind);
    whole.pieces += end.pieces;
    whole.strength = Strength::Strong;
    whole.phrase.zone = whole.phrase.zone.or(end.phrase.zone);
    Some(whole)
}

/// Returns the weekdays from the one that closes `run` to the one of `end`: "mon-fri", but not "monday 9am - friday".
fn through(words: &Words<'_>, run: &Run, end: &Run) -> Vec<Weekday> {
    let is_weekday = |m: Meaning| matches!(m, Meaning::Weekday(_) | Meaning::ShortWeekday(_)).then_some(());
    let closes = words.pick(run.range.end - 1, is_weekday).is_some();
    match (run.phrase.days.as_slice(), end.phrase.days.as_slice()) {
        ([Day::Weekday(Which::Coming, first)], [Day::Weekday(Which::Coming, last)]) if closes && first != last => {
            let mut days = vec![*first];
            while days.last() != Some(last) {
                days.extend(days.last().map(Weekday::succ));
            }
            days
        }
        _ => Vec::new(),
    }
}

/// Reads pieces side by side from `start`.
fn pieces(
    words: &Words<'_>,
    start: usize,
    dialect: Dialect,
    first_binder: Option<Binder>,
    opener: Option<range::Opener>,
) -> Option<Run> {
    let mut run = Run { range: start..start, phrase: Phrase::default(), pieces: 0, strength: Strength::Whole };
    let mut before: Option<Piece> = None;
    let mut by_day = ByDay::default();
    loop {
        // "between june 3 and june 5" lists nothing.
        let is_at_its_end = opener == Some(range::Opener::Between) && words.has(run.range.end, Meaning::And)
            || range::is_between_behind(words, run.range.end);
        if before.is_some() && is_at_its_end {
            break;
        }
        let (at, join) = joint(words, run.range.end, before.as_ref());
        let binder = join.binder.or_else(|| first_binder.filter(|_| before.is_none()));
        let is_list_clock = join.list != Join::None && matches!(before, Some(Piece::Clock(_)));
        let binder = binder.or_else(|| is_list_clock.then_some(Binder::List));
        // A word that binds may itself begin a piece ("in a while" does not, "the 5th" does).
        let found = piece(words, at, binder, before.as_ref(), dialect);
        // "today - friday" is a stretch.
        let is_spaced = at > 0 && !words.is_glued(at - 1);
        let is_stretch = |found: &Found| match (&found.piece, &before) {
            (Piece::Day(_), Some(Piece::Day(_))) => join.has_dash && is_spaced,
            // "13:20 - friday 9:00"
            (Piece::Day(_), Some(Piece::Clock(_))) => join.has_dash && clock(words, found.next, None).is_some(),
            _ => false,
        };
        let found = found.filter(|found| !is_stretch(found));
        let Some(Found { piece, next, strength }) = found.filter(|found| {
            // The evening of "every monday morning and thursday evening" is Thursday's.
            let is_days_own = matches!(found.piece, Piece::Part { .. }) && by_day.is_behind_day();
            run.phrase.takes(&found.piece, join.list) || is_days_own && run.phrase.every.is_some()
        }) else {
            break;
        };
        // "q2 every 2 minutes": no hours or weeks come round once a year, so that it is a name.
        if is_name_of_repeated(&run, before.as_ref(), &piece) {
            return None;
        }
        run.phrase.part_hours(&piece, before.as_ref(), join.list);
        by_day.add(&piece);
        run.phrase.is_by |= binder == Some(Binder::By) && matches!(piece, Piece::Day(_));
        run.phrase.add(piece.clone());
        run.pieces += 1;
        run.strength = run.strength.max(strength);
        run.range.end = next;
        before = Some(piece);
    }
    if let Some(end) = another_part(words, &run, before.as_ref()) {
        run.phrase.naming = Naming::Several;
        run.range.end = end;
    }
    if by_day.differ() {
        run.phrase.naming = run.phrase.naming.max(Naming::Mixed);
    }
    (run.pieces > 0).then_some(run)
}

/// Returns whether `before` is a month or season that stands alone before a repetition that it cannot bound.
fn is_name_of_repeated(run: &Run, before: Option<&Piece>, piece: &Piece) -> bool {
    let is_bare = matches!(
        before,
        Some(Piece::Day(Day::Month { year: None, .. } | Day::Season { which: Which::Coming, year: None, .. }))
    );
    let is_other = matches!(piece, Piece::Every(every) if every.cycle != Cycle::Years);
    run.pieces == 1 && run.strength < Strength::Strong && is_bare && is_other
}

/// Returns the place behind the "and evening" that closes "tomorrow morning and evening".
fn another_part(words: &Words<'_>, run: &Run, before: Option<&Piece>) -> Option<usize> {
    let has_part = run.phrase.part.is_some() && !run.phrase.days.is_empty() && run.phrase.every.is_none();
    let (at, join) = joint(words, run.range.end, before);
    let at = if join.binder == Some(Binder::In) { words.skip(at, Meaning::The) } else { at };
    let is_part = |m: Meaning| matches!(m, Meaning::Part(_) | Meaning::SurePart(_)).then_some(());
    let is_another = words.pick(at, is_part).is_some() && words.is_end(at + 1);
    (has_part && join.list == Join::And && is_another).then_some(at + 1)
}

/// The times of day said behind each list of days.
#[derive(Default)]
struct ByDay {
    lists: Vec<Vec<Piece>>,
    /// Whether a day was said behind the last time of day.
    is_next: bool,
    /// How many days, or repetitions of days, were said: "noon every day at 12:15" has one, to which both belong.
    days: usize,
}

impl ByDay {
    fn add(&mut self, piece: &Piece) {
        let is_days = |every: &Every| !every.days.is_empty() || every.part.is_none();
        let is_day = matches!(piece, Piece::Day(_)) || matches!(piece, Piece::Every(every) if is_days(every));
        self.is_next |= is_day;
        self.days += usize::from(is_day);
        let time = match piece {
            Piece::Every(Every { part: Some(part), .. }) => {
                Some(Piece::Part { part: *part, is_today: false, is_tonight: false })
            }
            Piece::Clock(_) | Piece::Window(..) | Piece::Twice(..) | Piece::Part { .. } => Some(piece.clone()),
            _ => None,
        };
        let Some(time) = time else { return };
        if std::mem::take(&mut self.is_next) || self.lists.is_empty() {
            self.lists.push(Vec::new());
        }
        if let Some(list) = self.lists.last_mut() {
            list.push(time);
        }
    }

    /// Returns whether a day stands between the last time of day and what comes next.
    fn is_behind_day(&self) -> bool {
        self.is_next && !self.lists.is_empty()
    }

    /// Returns whether the days of one list have other times than those of another.
    fn differ(&self) -> bool {
        self.days > 1 && self.lists.windows(2).any(|pair| pair[0] != pair[1])
    }
}

/// The words between two pieces.
#[derive(Clone, Copy, Default)]
struct Joint {
    binder: Option<Binder>,
    list: Join,
    has_dash: bool,
}

/// What joins two pieces as items of one list.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) enum Join {
    #[default]
    None,
    /// A comma alone.
    Comma,
    /// "and", with or without a comma.
    And,
}

/// Reads "," "and" "on" "at" from `start`.
fn joint(words: &Words<'_>, start: usize, before: Option<&Piece>) -> (usize, Joint) {
    let mut at = start;
    let mut joint = Joint::default();
    if before.is_some() {
        let comma = words.skip(at, Meaning::Comma);
        let behind = words.skip(words.skip(comma, Meaning::And), Meaning::AndAlso);
        joint.list = match behind {
            behind if behind > comma => Join::And,
            behind if behind > at => Join::Comma,
            _ => Join::None,
        };
        at = words.skip(behind, Meaning::Linker);
        // "this week from tuesday"
        let is_in_period = matches!(before, Some(Piece::Day(Day::Period(..))));
        at = if is_in_period { words.skip(at, Meaning::From) } else { at };
        // "the 31st of every month", "6 jan 2027 - 6:37am", "2026-06-03T14:00"
        at = words.skip(at, Meaning::Of);
        joint.has_dash = words.has(at, Meaning::Dash);
        at = words.skip(words.skip(at, Meaning::Dash), Meaning::IsoT);
    }
    let binder = words.pick(at, |meaning| match meaning {
        Meaning::At => Some(Binder::At),
        Meaning::Around => Some(Binder::Around),
        Meaning::On => Some(Binder::On),
        Meaning::In | Meaning::Within => Some(Binder::In),
        Meaning::By => Some(Binder::By),
        // "finish before friday" is by friday.
        Meaning::Before if before.is_none() => Some(Binder::By),
        Meaning::For => Some(Binder::For),
        Meaning::Until if before.is_none() && !words.has_repeat => Some(Binder::Until),
        Meaning::Starting if !words.has_repeat && !words.has(at + 1, Meaning::Of) => Some(Binder::On),
        _ => None,
    });
    if binder.is_some() {
        joint.binder = binder;
        at = words.skip(words.skip(at + 1, Meaning::About), Meaning::Around);
    }
    // "due on friday"
    let second = words.pick(at, |meaning| match meaning {
        Meaning::At => Some(Binder::At),
        Meaning::On => Some(Binder::On),
        Meaning::In => Some(Binder::In),
        Meaning::By => Some(Binder::By),
        _ => None,
    });
    let takes_second = binder == Some(Binder::By) || words.has(at.saturating_sub(1), Meaning::Starting);
    if second.is_some() && takes_second {
        joint.binder = second;
        at += 1;
    }
    (at, joint)
}

impl Run {
    pub(super) fn is_past(&self) -> bool {
        self.phrase.is_ago || self.phrase.naming == Naming::Nothing || self.phrase.days.iter().any(is_past_day)
    }

    /// Longer and surer phrases win where two exclude each other.
    fn weight(&self) -> (Strength, usize, usize) {
        (self.strength, self.pieces, self.range.len())
    }
}

fn is_past_day(day: &Day) -> bool {
    matches!(
        day,
        Day::FromToday(..0)
            | Day::Weekday(Which::Last | Which::InWeek(..0), _)
            | Day::Weekend(Which::Last | Which::InWeek(..0))
            | Day::Period(Which::Last | Which::InWeek(..0), _)
    )
}
