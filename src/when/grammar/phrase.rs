//! What has a sentence said about time, and what may it still say?

use chrono::Weekday;
use chrono_tz::Tz;

use crate::when::grammar::every::weekly;
use crate::when::grammar::run::Join;
use crate::when::grammar::{Alert, Amount, Clock, Cycle, Day, Every, Face, Moment, Piece, Which};
use crate::when::lexicon::{Part, Unit};

/// All that a sentence says about time.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(in crate::when) struct Phrase {
    pub(in crate::when) days: Vec<Day>,
    pub(in crate::when) clocks: Vec<Clock>,
    /// The end of the stretch whose start is the only clock time.
    pub(in crate::when) window_end: Option<Clock>,
    pub(in crate::when) part: Option<DayPart>,
    /// The hours by which "early" or "late" moves the part of the day.
    pub(in crate::when) degree: i64,
    pub(in crate::when) ahead: Option<Amount>,
    pub(in crate::when) is_ago: bool,
    pub(in crate::when) is_now: bool,
    pub(in crate::when) naming: Naming,
    pub(in crate::when) shift: Option<(Amount, bool)>,
    pub(in crate::when) every: Option<Every>,
    pub(in crate::when) until: Option<Moment>,
    pub(in crate::when) starting: Option<Moment>,
    pub(in crate::when) lasting: Option<Amount>,
    pub(in crate::when) times: Option<u32>,
    pub(in crate::when) except: Vec<Weekday>,
    pub(in crate::when) zone: Option<Tz>,
    /// Whether the day is one by which it must be done ("by friday", 周五之前).
    pub(in crate::when) is_by: bool,
    /// How many times each cycle has.
    pub(in crate::when) often: Option<u32>,
    /// When to speak beside or instead of at due.
    pub(in crate::when) alerts: Vec<Alert>,
    /// Times of day that stand before the last "and", with another part of the day than what follows:
    /// the morning of "every morning and evening at 9".
    pub(in crate::when) earlier: Vec<Hours>,
    /// The days of a stretch from one weekday to another ("mon-fri"), each of which has the time of day said with them.
    pub(in crate::when) through: Vec<Weekday>,
    /// Seconds east of UTC, where the words name an offset rather than a region.
    pub(in crate::when) offset: Option<i32>,
}

/// The most alerts that one sentence sets.
const ALERTS_MAX: usize = 8;

/// Whether the words name a moment.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Debug)]
pub(in crate::when) enum Naming {
    /// They do.
    #[default]
    Moment,
    /// They say only until when ("within 2 hours").
    Until,
    /// They speak of a stretch and name no moment of it.
    Nothing,
    /// Their days have times of their own ("monday 9am and thursday 5pm"), which no rule says.
    Mixed,
    /// They name two, of which neither gives way.
    Several,
}

/// A part of the day as said.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::when) struct DayPart {
    pub(in crate::when) part: Part,
    pub(in crate::when) is_today: bool,
    pub(in crate::when) is_tonight: bool,
}

/// Times of day that a part of the day goes with; without any it is the part alone.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(in crate::when) struct Hours {
    pub(in crate::when) clocks: Vec<Clock>,
    pub(in crate::when) part: Option<DayPart>,
}

impl Hours {
    fn is_empty(&self) -> bool {
        self.clocks.is_empty() && self.part.is_none()
    }
}

const fn any_day(part: Part) -> DayPart {
    DayPart { part, is_today: false, is_tonight: false }
}

impl Phrase {
    /// Returns the times of day, each list with its part of the day; the last may be empty.
    pub(in crate::when) fn hours(&self) -> Vec<Hours> {
        let of_every = self.every.as_ref().and_then(|every| every.part).map(any_day);
        let last = Hours { clocks: self.clocks.clone(), part: of_every.or(self.part) };
        self.earlier.iter().cloned().chain([last]).collect()
    }

    /// Ends the list of times of day where `piece` begins another one: the "evening" of "every morning and evening".
    pub(super) fn part_hours(&mut self, piece: &Piece, before: Option<&Piece>, join: Join) {
        let has_part = self.part.is_some() || self.every.as_ref().is_some_and(|every| every.part.is_some());
        let is_behind_part = matches!(before, Some(Piece::Part { .. } | Piece::Every(Every { part: Some(_), .. })));
        let begins = match piece {
            Piece::Part { .. } => has_part || !self.clocks.is_empty() && join == Join::And,
            Piece::Every(more) => more.part.is_some() && has_part,
            // "every morning, 8am" is one time.
            Piece::Clock(clock) | Piece::Window(clock, _) => {
                // "every morning, noon and night"
                let is_noon = self.every.is_some() && (clock.hour, clock.minute, clock.face) == (12, 0, Face::Day);
                is_behind_part && (join == Join::And || !self.clocks.is_empty() || is_noon)
            }
            _ => false,
        };
        if join == Join::None || !begins {
            return;
        }
        let mut hours = self.hours();
        self.earlier = hours.drain(..).filter(|hours| !hours.is_empty()).collect();
        self.clocks.clear();
        self.part = None;
        if let Some(every) = &mut self.every {
            every.part = None;
        }
    }

    /// Returns whether `piece` may stand beside what the run says already.
    pub(super) fn takes(&self, piece: &Piece, join: Join) -> bool {
        let is_list = join != Join::None;
        let is_offset = self.ahead.is_some() || self.is_ago || self.is_now;
        match piece {
            Piece::Day(day) => {
                let is_other_kind =
                    !self.days.iter().any(|known| std::mem::discriminant(known) == std::mem::discriminant(day));
                // "two weeks from now on monday"
                let is_in_week = matches!(day, Day::Weekday(Which::Coming, _))
                    && self.days.is_empty()
                    && self
                        .ahead
                        .is_some_and(|amount| amount.days % 7 == 0 && !amount.is_exact() && amount.millis == 0);
                is_in_week || !is_offset && (self.every.is_some() || is_list || is_other_kind)
            }
            Piece::Clock(_) | Piece::Window(..) => {
                let is_calendar = self.ahead.is_none_or(|amount| !amount.is_exact());
                let is_free = self.clocks.is_empty() || is_list || self.every.is_some();
                is_calendar && !self.is_ago && !self.is_now && is_free
            }
            Piece::Twice(..) => self.every.is_some() && self.clocks.is_empty() && self.part.is_none(),
            Piece::Part { .. } => {
                let has_room = self.part.is_none() || is_list && self.every.is_some();
                has_room && !self.is_ago && !self.is_now
            }
            // "monday two weeks from now"
            Piece::Ahead(amount)
                if matches!(self.days.as_slice(), [Day::Weekday(Which::Coming, _)])
                    && !is_offset
                    && self.every.is_none()
                    && !amount.is_exact()
                    && amount.days % 7 == 0
                    && amount.millis == 0 =>
            {
                true
            }
            // "march in a year"
            Piece::Ahead(amount)
                if matches!(self.days.as_slice(), [Day::Month { year: None, .. }])
                    && self.is_only_days()
                    && amount.months > 0
                    && amount.months % 12 == 0 =>
            {
                true
            }
            Piece::Ahead(amount) => {
                *self == Self::default() || self.is_only_clock() && !is_offset && !amount.is_exact()
            }
            Piece::Ago => *self == Self::default() || self.is_only_clock() && !is_offset,
            Piece::Now => *self == Self::default(),
            Piece::Shift { .. } | Piece::Beside { .. } => self.shift.is_none() && self.clocks.is_empty(),
            Piece::Every(every) => !is_offset && self.takes_every(every, is_list),
            Piece::Until(_) => self.until.is_none(),
            Piece::Starting(_) => self.starting.is_none(),
            // "read every day for 20 minutes" says how long, not until when.
            Piece::Lasting(amount) => {
                let is_by_clock = self.every.as_ref().is_some_and(|every| matches!(every.cycle, Cycle::Exact(_)));
                self.lasting.is_none() && (is_by_clock || !amount.is_exact())
            }
            Piece::Times(_) => self.times.is_none() && (self.every.is_some() || *self == Self::default()),
            Piece::Except(_) => self.except.is_empty(),
            Piece::Alert(_) => self.alerts.len() < ALERTS_MAX,
            Piece::By | Piece::Behind => self.every.is_none(),
            Piece::Often(_) => self.often.is_none(),
            Piece::Zone(_) | Piece::Offset(_) => self.zone.is_none() && self.offset.is_none(),
            Piece::Degree(_) => self.degree == 0 && self.part.is_none(),
            Piece::Year(_) => matches!(self.days.last(), Some(Day::Date { year: None, .. })),
        }
    }

    /// Returns whether another repetition limits the one that was said, or goes on with its list.
    fn takes_every(&self, every: &Every, is_list: bool) -> bool {
        let is_filter = |every: &Every| {
            every.interval == 1
                && (every.cycle == Cycle::Weeks && !every.days.is_empty()
                    || every.cycle == Cycle::Days && every.part.is_none())
        };
        // "every hour on weekdays": the days of one limit the other.
        let is_limit =
            |known: &Every| is_filter(known) != is_filter(every) || is_filter(known) && known.cycle != every.cycle;
        // "every morning and every evening", "every monday at 9 and every thursday at 9"
        let is_more = |known: &Every| {
            let is_alike = known.cycle == every.cycle && known.interval == every.interval;
            let has_both = |has: fn(&Every) -> bool| has(known) && has(every);
            let is_part = every.part.is_some() && known.cycle == Cycle::Days;
            is_list && is_alike && (has_both(|every| !every.days.is_empty()) || is_part)
        };
        self.every.as_ref().is_none_or(|known| is_limit(known) || is_more(known))
    }

    pub(super) fn is_only_alerts(&self) -> bool {
        !self.alerts.is_empty() && *self == Self { alerts: self.alerts.clone(), ..Self::default() }
    }

    pub(super) fn is_only_days(&self) -> bool {
        *self == Self { days: self.days.clone(), ..Self::default() }
    }

    fn is_only_clock(&self) -> bool {
        let clocks = Self { clocks: self.clocks.clone(), part: self.part, ..Self::default() };
        *self == clocks && self.part.is_none_or(|part| !part.is_today)
    }

    pub(super) fn add(&mut self, piece: Piece) {
        match piece {
            Piece::Day(day) => self.days.push(day),
            Piece::Clock(clock) => self.clocks.push(clock),
            Piece::Twice(first, second) => self.clocks.extend([first, second]),
            Piece::Window(start, end) => {
                self.clocks.push(start);
                self.window_end = Some(end);
            }
            Piece::Part { part, is_today, is_tonight } => self.part = Some(DayPart { part, is_today, is_tonight }),
            Piece::Ahead(amount) => self.ahead = Some(amount),
            Piece::Ago => self.is_ago = true,
            Piece::Now => self.is_now = true,
            Piece::Shift { amount, is_back } => self.shift = Some((amount, is_back)),
            Piece::Beside { amount, is_back, clock } => {
                self.shift = Some((amount, is_back));
                self.clocks.push(clock);
            }
            Piece::Every(every) => match self.every.take() {
                Some(mut known) if matches!(every.cycle, Cycle::Weeks | Cycle::Days) || known.cycle == every.cycle => {
                    self.days.extend(every.days);
                    if known.part.is_none() && self.part.is_none() {
                        known.part = every.part;
                    }
                    self.every = Some(known);
                }
                Some(known) => {
                    self.days.extend(known.days);
                    self.every = Some(every);
                }
                None => self.every = Some(every),
            },
            Piece::Until(moment) => self.until = Some(moment),
            Piece::Starting(moment) => self.starting = Some(moment),
            Piece::Lasting(amount) => self.lasting = Some(amount),
            Piece::Times(times) => self.times = Some(times),
            Piece::Except(days) => self.except = days,
            Piece::Zone(zone) => self.zone = Some(zone),
            Piece::Alert(alert) => self.alerts.push(alert),
            Piece::By => self.is_by = true,
            Piece::Behind => {
                if self.clocks.is_empty()
                    && self.part.is_none()
                    && let Some(day) = self.days.pop()
                {
                    let amount = Amount { days: 1, ..Amount::default() };
                    self.days.push(Day::Shifted { amount, is_back: false, from: Box::new(day) });
                }
            }
            Piece::Often(times) => self.often = Some(times),
            Piece::Offset(seconds) => self.offset = Some(seconds),
            Piece::Degree(hours) => self.degree = hours,
            Piece::Year(said) => {
                if let Some(Day::Date { year, .. }) = self.days.last_mut() {
                    *year = Some(said);
                }
            }
        }
    }

    /// Returns whether another run's statements fill only what is still open.
    pub(super) fn has_room_for(&self, other: &Self) -> bool {
        let both = |has: fn(&Self) -> bool| has(self) && has(other);
        let is_offset = |phrase: &Self| phrase.ahead.is_some() || phrase.is_now || phrase.is_ago;
        let is_exact = |phrase: &Self| phrase.is_now || phrase.ahead.is_some_and(Amount::is_exact);
        let has_day = |phrase: &Self| !phrase.days.is_empty() || phrase.part.is_some_and(|part| part.is_today);
        let has_clock = |phrase: &Self| !phrase.clocks.is_empty();
        let crossed = |a: &Self, b: &Self| {
            is_offset(a) && (has_day(b) || b.every.is_some()) || is_exact(a) && (has_clock(b) || b.part.is_some())
        };
        // "next week, preferably on tuesday": a week and its day.
        let is_week = |p: &Self| matches!(p.days.as_slice(), [Day::Period(_, Unit::Week)]);
        let is_weekday = |p: &Self| matches!(p.days.as_slice(), [Day::Weekday(Which::Coming, _)]);
        let is_day_of_week = is_week(self) && is_weekday(other) || is_weekday(self) && is_week(other);
        !(both(|p| !p.days.is_empty()) && !is_day_of_week
            || both(|p| !p.clocks.is_empty() || !p.earlier.is_empty())
            || both(|p| p.part.is_some())
            || both(|p| p.every.is_some())
            || both(|p| p.until.is_some())
            || both(|p| p.starting.is_some())
            || both(|p| p.lasting.is_some())
            || both(|p| p.shift.is_some())
            || is_offset(self) && is_offset(other)
            || crossed(self, other)
            || crossed(other, self))
    }

    pub(super) fn merge(&mut self, other: Self) {
        self.days.extend(other.days);
        self.clocks.extend(other.clocks);
        self.window_end = self.window_end.or(other.window_end);
        self.part = self.part.or(other.part);
        self.degree = if self.degree == 0 { other.degree } else { self.degree };
        self.ahead = self.ahead.or(other.ahead);
        self.is_ago |= other.is_ago;
        self.is_now |= other.is_now;
        self.naming = self.naming.max(other.naming);
        self.shift = self.shift.or(other.shift);
        self.every = self.every.take().or(other.every);
        self.until = self.until.take().or(other.until);
        self.starting = self.starting.take().or(other.starting);
        self.lasting = self.lasting.or(other.lasting);
        self.times = self.times.or(other.times);
        self.except.extend(other.except);
        self.zone = self.zone.or(other.zone);
        self.is_by |= other.is_by;
        self.often = self.often.or(other.often);
        self.alerts.extend(other.alerts);
        self.offset = self.offset.or(other.offset);
        self.through.extend(other.through);
        self.earlier.extend(other.earlier);
    }

    /// Takes what the end of a stretch says and its start does not: the 9:30 of "tomorrow to friday 9:30".
    pub(super) fn take_from_end(&mut self, end: &Self) {
        if self.clocks.is_empty() && self.part.is_none() {
            self.clocks.clone_from(&end.clocks);
            self.earlier.clone_from(&end.earlier);
            self.window_end = end.window_end;
            self.part = end.part;
            self.degree = end.degree;
            self.offset = self.offset.or(end.offset);
        }
        self.zone = self.zone.or(end.zone);
        self.alerts.extend(end.alerts.iter().copied());
        self.alerts.truncate(ALERTS_MAX);
    }

    /// Makes a time of day on the days of "mon-fri" come each week; without one they are a stretch, which begins once.
    pub(super) fn repeat_through(&mut self) {
        let has_time = !self.clocks.is_empty() || self.part.is_some_and(|part| !part.is_today);
        let is_open = self.every.is_none() && self.ahead.is_none() && !self.is_by;
        if self.through.is_empty() || !has_time || !is_open {
            return;
        }
        if let [Day::Weekday(Which::Coming, _)] = self.days.as_slice() {
            self.every = Some(weekly(&self.through, 1));
            self.days.clear();
        } else {
            // "mon-fri 9:30 until dec 24"
            self.naming = Naming::Several;
        }
    }
}
