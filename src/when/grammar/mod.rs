//! Which words of a sentence are time, and what do they say together?
//!
//! A piece is one statement of time ("at 9", "friday", "every day"); a run is pieces side by side; a phrase is all
//! that the sentence says about time. `grammar.md` gives the rules in one page. Nothing here knows the date.

mod ahead;
mod alert;
mod amount;
mod clock;
mod contradiction;
mod counted;
mod date;
mod day;
mod every;
mod open;
mod period;
mod phrase;
mod range;
mod run;
mod suffixed;
mod words;

use chrono::Weekday;
use chrono_tz::Tz;

use crate::when::Dialect;
use crate::when::lexicon::{Half, Meaning, Part, Unit};

pub(super) use self::alert::Alert;
pub(super) use self::amount::{Amount, amount, count};
pub(super) use self::clock::{Clock, Face};
pub(super) use self::day::{Day, DayKind, MonthOf, WeekOf, Which};
pub(super) use self::every::{Cycle, Every, WEEKEND, WORKING_DAYS};
pub(super) use self::open::{begun, is_open};
pub(super) use self::phrase::{DayPart, Hours, Naming, Phrase};
pub(super) use self::run::{Run, phrase};
pub(super) use self::words::Words;

/// The preposition before a piece.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Binder {
    At,
    Around,
    On,
    In,
    By,
    For,
    Until,
    From,
    /// The words before are a clock time joined by a comma or "and".
    List,
}

impl Binder {
    /// Returns whether a number behind it is a time of day ("at 5"; but "table for 5", "in 5").
    pub(super) const fn takes_bare_number(self) -> bool {
        match self {
            Self::At | Self::By | Self::Until | Self::From | Self::List => true,
            Self::Around | Self::On | Self::In | Self::For => false,
        }
    }
}

/// How sure it is that words mean time.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Strength {
    /// Only when nothing else is said ("20 minutes").
    Whole,
    /// At the sentence's end, or at its start beside another piece ("daily").
    Adverb,
    /// At either edge of the sentence, or beside another piece ("10m", "sat").
    Weak,
    /// Anywhere ("tomorrow").
    Strong,
}

/// One statement of time.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Piece {
    Day(Day),
    Clock(Clock),
    /// From one time of day to another: once it is its start, every hour a window.
    Window(Clock, Clock),
    /// The same hour of morning and evening.
    Twice(Clock, Clock),
    /// A part of the day, and whether it is today's ("this morning", "tonight").
    Part {
        part: Part,
        is_today: bool,
        is_tonight: bool,
    },
    /// "early" (−1) or "late" (1) before a part of the day.
    Degree(i64),
    /// So long from now.
    Ahead(Amount),
    /// So long ago: always past.
    Ago,
    /// So long before or after the time of day that was said.
    Shift {
        amount: Amount,
        is_back: bool,
    },
    /// So long before or after an event's time of day, which stays in the title.
    Beside {
        amount: Amount,
        is_back: bool,
        clock: Clock,
    },
    Every(Every),
    Until(Moment),
    Starting(Moment),
    /// For so long, counted from now.
    Lasting(Amount),
    Times(u32),
    Except(Vec<Weekday>),
    Zone(Tz),
    /// So many seconds east of UTC ("+02:00", "UTC-5").
    Offset(i32),
    /// The year of the date that was said before.
    Year(u32),
    Now,
    Alert(Alert),
    /// "by" behind its moment.
    By,
    /// "after" behind its moment: of a day the next.
    Behind,
    /// So many times in each cycle, which no rule says.
    Often(u32),
}

/// A day, a time of day, or both.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Moment {
    pub(super) day: Option<Day>,
    /// The weekday said beside its date, which must agree.
    pub(super) weekday: Option<Weekday>,
    pub(super) clock: Option<Clock>,
}

/// A piece that was found.
#[derive(Clone, Debug)]
struct Found {
    piece: Piece,
    next: usize,
    strength: Strength,
}

/// Reads the longest piece at `start`.
///
/// `before` is the piece before it in its run, `binder` the preposition in between.
fn piece(
    words: &Words<'_>,
    start: usize,
    binder: Option<Binder>,
    before: Option<&Piece>,
    dialect: Dialect,
) -> Option<Found> {
    // "pages 10-20"
    if start > 0 && words.has(start - 1, Meaning::Counted) && words.digits(start).is_some() {
        return None;
    }
    // "in the mornings"
    let is_plural_part = binder == Some(Binder::In)
        && words.has(start, Meaning::The)
        && words.pick(start + 1, |m| matches!(m, Meaning::EveryPart(_)).then_some(())).is_some();
    let every_at = if is_plural_part { start + 1 } else { start };
    let every = every::every(words, every_at, dialect).map(|found| Found {
        piece: Piece::Every(found.every),
        next: found.next,
        strength: found.strength,
    });
    let day = day_piece(words, start, binder, dialect);
    // "1 o'clock lunchtime" has its time already.
    let is_meal = words.pick(start, |m| matches!(m, Meaning::Meal(_)).then_some(())).is_some();
    let is_told = is_meal && matches!(before, Some(Piece::Clock(_)));
    let clock = clock::clock(words, start, binder).filter(|_| !is_told).map(|found| Found {
        piece: Piece::Clock(found.clock),
        next: found.next,
        strength: if binder.is_some_and(Binder::takes_bare_number) { Strength::Strong } else { found.strength },
    });
    let is_behind_day = matches!(before, Some(Piece::Day(_) | Piece::Part { .. }));
    let stretch = range::days(words, start, dialect).map(|(day, next)| Found {
        piece: Piece::Day(day),
        next,
        strength: Strength::Strong,
    });
    let window = clock::range(words, start, binder, is_behind_day).map(|(begin, end, next)| Found {
        piece: Piece::Window(begin, end),
        next,
        strength: Strength::Strong,
    });
    [
        offset_behind_clock(words, start, before),
        every,
        stretch,
        window,
        ahead::shift(words, start),
        every::range_of_weekdays(words, start)
            .filter(|_| matches!(before, Some(Piece::Every(_))))
            .map(|(every, next)| Found { piece: Piece::Every(every), next, strength: Strength::Strong }),
        year_behind_clock(words, start, before),
        number_behind_day(words, start, before),
        day,
        clock,
        bare_hour(words, start, before),
        part(words, start, binder, before),
        degree(words, start, binder),
        ahead::ahead(words, start, binder),
        limit(words, start, binder, before, dialect),
        other(words, start, before),
        alert::alert(words, start, before).map(|(alert, next)| Found {
            piece: Piece::Alert(alert),
            next,
            strength: Strength::Strong,
        }),
        suffixed::beside(words, start, before),
    ]
    .into_iter()
    .flatten()
    .reduce(|best, other| if other.next > best.next { other } else { best })
    .map(|found| Found {
        strength: if words.has(start, Meaning::Sure) { Strength::Strong } else { found.strength },
        ..found
    })
}

fn day_piece(words: &Words<'_>, start: usize, binder: Option<Binder>, dialect: Dialect) -> Option<Found> {
    // "for the next 2 weeks" is a length, "next 2 weeks" begins with the next one.
    let is_length = |found: &day::FoundDay| {
        matches!(found.day, Day::Period(..)) && binder.is_some() && ahead::ahead(words, start, binder).is_some()
    };
    day::day(words, start, binder, dialect).filter(|found| !is_length(found)).map(|found| Found {
        piece: Piece::Day(found.day),
        next: found.next,
        // A preposition of time makes a weak day sure: "on sat", "by the 5th".
        strength: match found.strength {
            Strength::Weak | Strength::Adverb | Strength::Strong if binder.is_some() => Strength::Strong,
            strength => strength,
        },
    })
}

/// A bare hour that its neighbours make one: "8 tonight", "7 in the evening", "friday 9".
fn bare_hour(words: &Words<'_>, start: usize, before: Option<&Piece>) -> Option<Found> {
    // "16h for 30 minutes"
    let is_hour = |at: usize| words.is_glued(at) && words.has(at, Meaning::ShortUnit(Unit::Hour));
    let has_length = is_hour(start + 1) && words.has(start + 2, Meaning::For);
    if before.is_none() && has_length && amount::amount(words, start + 3).is_some() {
        let found = clock::clock(words, start, Some(Binder::At))?;
        return Some(Found { piece: Piece::Clock(found.clock), next: found.next, strength: Strength::Strong });
    }
    let is_counted = start > 0 && words.has(start - 1, Meaning::Counted);
    let (_, next) = clock::hour_number(words, start).filter(|_| !is_counted)?;
    if clock::is_number_of_more(words, next) {
        return None;
    }
    // "2 july 22" may be a year.
    let may_be_year = matches!(before, Some(Piece::Day(Day::Date { year: None, .. })))
        && words.digits(start).is_some_and(|(value, len)| len == 2 && value > 12);
    if may_be_year {
        return None;
    }
    let is_before_part = clock::is_part_behind(words, words.skip(next, Meaning::Comma));
    let is_behind_day = matches!(before, Some(Piece::Day(_) | Piece::Part { .. }))
        && (words.is_end(next) || words.has(next, Meaning::Comma));
    if !(is_before_part || is_behind_day) {
        return None;
    }
    let found = clock::clock(words, start, Some(Binder::At))?;
    Some(Found { piece: Piece::Clock(found.clock), next: found.next, strength: Strength::Strong })
}

/// "monday 21" is a date, "2 jan 1430" and "thursday 8h" have times of day.
fn number_behind_day(words: &Words<'_>, start: usize, before: Option<&Piece>) -> Option<Found> {
    let Some(Piece::Day(day)) = before else { return None };
    let (value, len) = words.digits(start)?;
    // "29.02.2028 13.12", "tomorrow 14.30"; "friday 11.12." may be its date.
    let is_timed = match day {
        Day::Date { .. } | Day::FromToday(_) => true,
        Day::Weekday(..) => words.digits(start + 2).is_some_and(|(minute, _)| minute > 12 || minute == 0),
        _ => false,
    };
    if is_timed && words.has(start + 1, Meaning::Dot) {
        let found = clock::clock(words, start, Some(Binder::At)).filter(|found| found.next == start + 3)?;
        // "tomorrow 2.50€"
        let is_price = words.is_mark(found.next)
            && words.is_glued(found.next)
            && words.lexeme(found.next).is_some_and(|mark| mark.span.len() > 1);
        let is_shown = matches!(found.clock.face, Face::Day | Face::Open)
            && !is_price
            && !clock::is_number_of_more(words, found.next);
        if !(is_shown || matches!(day, Day::Date { .. })) {
            return None;
        }
        return Some(Found { piece: Piece::Clock(found.clock), next: found.next, strength: Strength::Strong });
    }
    let strong = |piece, next| Some(Found { piece, next, strength: Strength::Strong });
    let is_date = matches!(day, Day::Weekday(..)) && len == 2 && (13..=31).contains(&value);
    let is_followed = words.is_end(start + 1)
        || [Meaning::Comma, Meaning::At, Meaning::Between, Meaning::From].iter().any(|m| words.has(start + 1, *m));
    if is_date && is_followed {
        return strong(Piece::Day(Day::OfMonth(value)), start + 1);
    }
    let has_hour_mark = words.is_glued(start + 1) && words.has(start + 1, Meaning::ShortUnit(Unit::Hour));
    if !(len == 4 || has_hour_mark) {
        return None;
    }
    let found = clock::clock(words, start, Some(Binder::At)).filter(|found| found.clock.face == Face::Day)?;
    strong(Piece::Clock(found.clock), found.next)
}

/// "thu oct 26 11:00 2027": a year behind the time.
fn year_behind_clock(words: &Words<'_>, start: usize, before: Option<&Piece>) -> Option<Found> {
    let (year, 4) = words.digits(start)? else { return None };
    let is_year = matches!(before, Some(Piece::Clock(_))) && (1970..2200).contains(&year) && words.is_end(start + 1);
    is_year.then(|| Found { piece: Piece::Year(year), next: start + 1, strength: Strength::Weak })
}

fn part_of(words: &Words<'_>, at: usize) -> Option<Part> {
    words.pick(at, |meaning| if let Meaning::Part(part) = meaning { Some(part) } else { None })
}

/// "tonight", "this morning", "in the evening", "at night", and "morning" behind a day or a time.
fn part(words: &Words<'_>, start: usize, binder: Option<Binder>, before: Option<&Piece>) -> Option<Found> {
    let found = |part, is_today, is_tonight, next| {
        Some(Found { piece: Piece::Part { part, is_today, is_tonight }, next, strength: Strength::Strong })
    };
    if let Some(part) = words.pick(start, |m| if let Meaning::SurePart(part) = m { Some(part) } else { None }) {
        return found(part, false, false, start + 1);
    }
    // "tuesday am"
    if matches!(before, Some(Piece::Day(_)))
        && let Some(half) = words.pick(start, |m| if let Meaning::Meridiem(half) = m { Some(half) } else { None })
    {
        let part = match half {
            Half::Am => Part::Morning,
            Half::Pm => Part::Afternoon,
        };
        return found(part, false, false, start + 1);
    }
    // "first thing tomorrow", "first thing in the morning"
    if words.has(start, Meaning::FirstThing) {
        let at = words.skip(words.skip(start + 1, Meaning::In), Meaning::The);
        let next = if part_of(words, at) == Some(Part::Morning) { at + 1 } else { start + 1 };
        let piece = Piece::Part { part: Part::Morning, is_today: false, is_tonight: false };
        return Some(Found { piece, next, strength: Strength::Weak });
    }
    // "1 o'clock lunchtime"
    let meal = words.pick(start, |m| if let Meaning::Meal(hour) = m { Some(hour) } else { None });
    if matches!(before, Some(Piece::Clock(_)))
        && let Some(hour) = meal.filter(|_| words.lexeme(start).is_some_and(|lexeme| lexeme.span.len() >= 9))
    {
        let part = if hour == 12 { Part::Midday } else { Part::Evening };
        return found(part, false, false, start + 1);
    }
    if words.has(start, Meaning::Tonight) {
        return found(Part::Night, true, true, start + 1);
    }
    if words.has(start, Meaning::This) && !words.has(start + 1, Meaning::Degree) {
        return part_of(words, start + 1).and_then(|part| found(part, true, false, start + 2));
    }
    if words.has(start, Meaning::The) && matches!(binder, Some(Binder::In | Binder::By)) {
        return part_of(words, start + 1).and_then(|part| found(part, false, false, start + 2));
    }
    // "later in the evening", "next evening"
    let part = part_of(words, start)?;
    let is_night = part == Part::Night && binder == Some(Binder::At);
    let is_beside = matches!(before, Some(Piece::Day(_) | Piece::Clock(_) | Piece::Every(_) | Piece::Degree(_)))
        || words.has_repeat && matches!(before, Some(Piece::Part { .. }));
    let is_whole = start == 0 && words.is_end(start + 1);
    // "evening of the 25th", "afternoon 3pm"
    let is_before_day = words.has(start + 1, Meaning::Of);
    let is_before_clock = words.digits(start + 1).is_some()
        && clock::clock(words, start + 1, None).is_some_and(|found| found.strength == Strength::Strong);
    if is_night || is_beside || is_whole || is_before_day || is_before_clock {
        found(part, false, false, start + 1)
    } else {
        None
    }
}

/// "early" before "morning", "late" before "tonight", with "in the" or "this" before it.
fn degree(words: &Words<'_>, start: usize, binder: Option<Binder>) -> Option<Found> {
    let has_article = binder == Some(Binder::In) && words.has(start, Meaning::The);
    let at = if has_article || words.has(start, Meaning::This) { start + 1 } else { start };
    let hours = words.pick(at, |meaning| match meaning {
        Meaning::Late => Some(1),
        Meaning::Early => Some(-1),
        _ => None,
    })?;
    let next = words.skip(words.skip(at + 1, Meaning::Dash), Meaning::In);
    let next = if next > at + 1 { words.skip(next, Meaning::The) } else { next };
    let next = words.skip(next, Meaning::This);
    // "early tomorrow morning"
    let is_day = words.pick(next, |m| matches!(m, Meaning::Day(_) | Meaning::Weekday(_)).then_some(())).is_some();
    let part_at = if is_day { next + 1 } else { next };
    let is_part = part_of(words, part_at).is_some() || words.has(next, Meaning::Tonight);
    is_part.then_some(Found { piece: Piece::Degree(hours), next, strength: Strength::Weak })
}

/// "until june 2", "starting monday", "from 9am", "except weekends", which only a repetition has.
fn limit(
    words: &Words<'_>,
    start: usize,
    binder: Option<Binder>,
    before: Option<&Piece>,
    dialect: Dialect,
) -> Option<Found> {
    if !words.has_repeat {
        return None;
    }
    let strong = |piece, next| Some(Found { piece, next, strength: Strength::Strong });
    if let Some((days, next)) = every::exception(words, start).or_else(|| suffixed::exception(words, start)) {
        return strong(Piece::Except(days), words.skip(next, Meaning::ExceptBehind));
    }
    if let Some((moment, next)) = suffixed::start(words, start, dialect) {
        return strong(Piece::Starting(moment), next);
    }
    // "from june 1 to july 1", "from june 1 - july 1"
    let is_behind_start = matches!(before, Some(Piece::Starting(_)));
    let is_dashed = is_behind_start && start > 0 && words.has(start - 1, Meaning::Dash);
    let is_until = words.has(start, Meaning::Until)
        || words.has(start, Meaning::Through)
        || is_behind_start && words.has(start, Meaning::To)
        || is_dashed;
    let is_start = words.has(start, Meaning::Starting) || words.has(start, Meaning::From) && binder.is_none();
    if !(is_until || is_start) {
        return None;
    }
    let inner = if is_until { Binder::Until } else { Binder::From };
    let at = if is_dashed { start } else { start + 1 };
    let (moment, next) = moment(words, at, inner, dialect)?;
    let next = words.skip(next, Meaning::StartsThere);
    strong(if is_until { Piece::Until(moment) } else { Piece::Starting(moment) }, next)
}

pub(in crate::when) fn moment(
    words: &Words<'_>,
    start: usize,
    binder: Binder,
    dialect: Dialect,
) -> Option<(Moment, usize)> {
    let at = words.skip(words.skip(words.skip(start, Meaning::On), Meaning::At), Meaning::In);
    if let Some(found) = day::day(words, at, Some(binder), dialect) {
        let (day, weekday, next) = dated(words, found, dialect);
        let clock_at = words.skip(words.skip(next, Meaning::Comma), Meaning::At);
        let inner = (clock_at > next).then_some(Binder::At);
        return Some(match clock::clock(words, clock_at, inner) {
            Some(clock) => (Moment { day: Some(day), weekday, clock: Some(clock.clock) }, clock.next),
            None => (Moment { day: Some(day), weekday, clock: None }, next),
        });
    }
    let found = clock::clock(words, at, Some(binder))?;
    Some((Moment { day: None, weekday: None, clock: Some(found.clock) }, found.next))
}

/// Reads the date behind its weekday ("thu 20 jun 2030"), and returns both with the place behind.
fn dated(words: &Words<'_>, found: day::FoundDay, dialect: Dialect) -> (Day, Option<Weekday>, usize) {
    let Day::Weekday(Which::Coming, weekday) = found.day else { return (found.day, None, found.next) };
    let behind = words.skip(words.skip(found.next, Meaning::Comma), Meaning::The);
    let date = day::day(words, behind, Some(Binder::On), dialect)
        .filter(|date| matches!(date.day, Day::Date { .. } | Day::OfMonth(_)));
    match date {
        Some(date) => (date.day, Some(weekday), date.next),
        None => (found.day, None, found.next),
    }
}

/// An offset from UTC behind a time of day.
fn offset_behind_clock(words: &Words<'_>, start: usize, before: Option<&Piece>) -> Option<Found> {
    let Some(Piece::Clock(_)) = before else { return None };
    let is_utc = words.has(start, Meaning::Zone(Tz::UTC));
    // The dash before an offset has been taken for one between two pieces.
    let has_dash = start > 0 && words.has(start - 1, Meaning::Dash) && words.is_glued(start - 1);
    let sign_at = if is_utc {
        start + 1
    } else if has_dash {
        start - 1
    } else {
        start
    };
    let (seconds, next) = offset(words, sign_at, is_utc)?;
    Some(Found { piece: Piece::Offset(seconds), next, strength: Strength::Strong })
}

/// "+02:00" glued to a time, "+2" behind UTC: seconds east.
fn offset(words: &Words<'_>, start: usize, is_behind_utc: bool) -> Option<(i32, usize)> {
    let sign = if words.has(start, Meaning::Plus) {
        1
    } else if words.has(start, Meaning::Dash) {
        -1
    } else {
        return None;
    };
    let (hours @ 0..=14, hour_len) = words.digits(start + 1)? else { return None };
    let is_glued = (is_behind_utc || words.is_glued(start)) && words.is_glued(start + 1);
    let minutes = words.digits(start + 3).filter(|(minutes, len)| {
        *minutes < 60 && *len == 2 && words.has(start + 2, Meaning::Colon) && words.is_glued(start + 2)
    });
    let (minutes, next) = minutes.map_or((None, start + 2), |(minutes, _)| (Some(minutes), start + 4));
    // "5pm-6" is a stretch.
    if !(is_glued && (is_behind_utc && hour_len <= 2 || hour_len == 2 && minutes.is_some())) {
        return None;
    }
    // "UTC -12h"
    let has_hour_mark = is_behind_utc && words.is_glued(next) && words.has(next, Meaning::ShortUnit(Unit::Hour));
    let next = if has_hour_mark { next + 1 } else { next };
    let seconds = i32::try_from(hours * 3600 + minutes.unwrap_or(0) * 60).ok()?;
    Some((sign * seconds, next))
}

/// "3 times", "twice", "now", a zone behind a time of day.
fn other(words: &Words<'_>, start: usize, before: Option<&Piece>) -> Option<Found> {
    let found = |piece, next, strength| Some(Found { piece, next, strength });
    if let Some((times, next)) = every::often(words, start) {
        return found(Piece::Often(times), next, Strength::Strong);
    }
    // 每天九点吃药，共10次: behind the title it still counts.
    if words.has_repeat && (before.is_some() || words.has(start, Meaning::Total)) {
        if let Some(times) = words.pick(start, |m| if let Meaning::Count(times) = m { Some(times) } else { None }) {
            return found(Piece::Times(times), start + 1, Strength::Strong);
        }
        let at = words.skip(start, Meaning::Total);
        let number = words.digits(at).map(|(value, _)| (value, at + 1));
        if let Some((times, next)) = number.or_else(|| amount::number_in_words(words, at))
            && (words.has(next, Meaning::Times) || at > start && words.has(next, Meaning::PerCycle))
        {
            return found(Piece::Times(times), next + 1, Strength::Strong);
        }
    }
    // "from now until friday"
    let joins = |at: usize| [Meaning::Until, Meaning::To, Meaning::Through].iter().any(|join| words.has(at, *join));
    if before.is_none() && words.has(start, Meaning::FromNow) && joins(start + 1) {
        return found(Piece::Now, start + 1, Strength::Weak);
    }
    if words.has(start, Meaning::Now) {
        return found(Piece::Now, start + 1, Strength::Weak);
    }
    // "( CET )"
    let is_bracketed = words.is_mark(start) && words.opens_or_closes(start) && words.opens_or_closes(start + 2);
    let at = if is_bracketed { start + 1 } else { start };
    let zone = words.pick(at, |meaning| if let Meaning::Zone(zone) = meaning { Some(zone) } else { None })?;
    let is_behind_time =
        matches!(before, Some(Piece::Clock(_) | Piece::Window(..) | Piece::Day(_) | Piece::Part { .. }));
    let next = if is_bracketed { start + 3 } else { start + 1 };
    // 东京时间明早九点
    let is_before_time = before.is_none() && words.opens_or_closes(start) && words.pick(next, |_| Some(())).is_some();
    if is_before_time && !is_bracketed {
        return found(Piece::Zone(zone), next, Strength::Adverb);
    }
    if is_behind_time { found(Piece::Zone(zone), next, Strength::Strong) } else { None }
}
