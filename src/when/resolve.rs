//! Which moment is it, seen from now?

use chrono::{Datelike, NaiveDate, NaiveDateTime, NaiveTime, TimeDelta, Timelike};
use chrono_tz::Tz;

use crate::domain::schedule::Rule;
use crate::domain::time::{Meeting, Span, Timestamp, add_days, resolve};
use crate::when::days::later;
use crate::when::error::is_chinese;
use crate::when::grammar::{Amount, Clock, Day, DayPart, Face, Hours, Moment, Phrase, Which};
use crate::when::lexicon::{Part, Unit};
use crate::when::plain_date;
use crate::when::{Context, Grain, Note, Settings, TimeError, render};

/// The words that are being resolved, for errors to point at.
#[derive(Clone, Debug)]
pub(super) struct Said {
    pub(super) words: String,
    pub(super) span: std::ops::Range<usize>,
}

/// One moment, resolved.
pub(super) struct Resolved {
    pub(super) rule: Rule,
    pub(super) due: Timestamp,
    pub(super) grain: Grain,
    pub(super) notes: Vec<Note>,
}

/// Now, where the words are read.
pub(super) struct Here<'a> {
    pub(super) context: &'a Context,
    pub(super) zone: Tz,
    /// The wall-clock reading of now.
    pub(super) now: NaiveDateTime,
    pub(super) said: Said,
}

impl<'a> Here<'a> {
    pub(super) fn new(context: &'a Context, zone: Option<Tz>, said: Said) -> Self {
        let zone = zone.unwrap_or(context.zone);
        Self { context, zone, now: context.now.local(zone), said }
    }

    pub(super) fn settings(&self) -> &Settings {
        &self.context.settings
    }

    pub(super) fn today(&self) -> NaiveDate {
        self.now.date()
    }

    /// Returns the first full second from now on: a rule that is read just before its first time begins with it.
    pub(super) fn first_second(&self) -> NaiveDateTime {
        let second = cut(self.now);
        if second < self.now { second.checked_add_signed(TimeDelta::seconds(1)).unwrap_or(second) } else { second }
    }

    /// Resolves a phrase that names one moment.
    pub(super) fn once(&self, phrase: &Phrase) -> Result<Resolved, TimeError> {
        self.refuse_impossible(phrase)?;
        if phrase.clocks.len() > 1 || !phrase.earlier.is_empty() {
            return Err(self.several());
        }
        if phrase.is_now {
            return Ok(countdown(self.context.now, Grain::Second));
        }
        if phrase.is_ago {
            return Err(self.past(None));
        }
        match phrase.ahead {
            Some(amount) if amount.is_exact() => self.exact(amount),
            Some(amount) => self.ahead(amount, phrase),
            None => self.on_a_day(phrase),
        }
    }

    fn exact(&self, amount: Amount) -> Result<Resolved, TimeError> {
        let at = self.context.now.checked_add(Span::from_millis(amount.millis)).ok_or_else(|| self.out_of_range())?;
        let grain = if amount.millis % 60_000 == 0 { Grain::Minute } else { Grain::Second };
        Ok(countdown(at, grain))
    }

    /// Days, weeks and months from now keep the wall clock, unless a clock time is said.
    fn ahead(&self, amount: Amount, phrase: &Phrase) -> Result<Resolved, TimeError> {
        let local = later(self.now, amount, false).ok_or_else(|| self.out_of_range())?;
        if let [Day::Weekday(_, weekday)] = phrase.days.as_slice() {
            // That weekday of the week so far ahead; of a month or year so far ahead the first from there on.
            let to_weekday = i64::from(weekday.num_days_from_monday());
            let days = to_weekday - i64::from(local.weekday().num_days_from_monday());
            let days = if amount.months > 0 { days.rem_euclid(7) } else { days };
            let date = add_days(local.date(), days).ok_or_else(|| self.out_of_range())?;
            return self.first_ahead(phrase, &[date], Vec::new());
        }
        if let [Day::Month { month, .. }] = phrase.days.as_slice() {
            let first = plain_date::date(local.year(), *month, 1).ok_or_else(|| self.out_of_range())?;
            return self.first_ahead(phrase, &[first], Vec::new());
        }
        if phrase.clocks.is_empty() && phrase.part.is_none() {
            let grain = if amount.months == 0 { Grain::Day } else { Grain::Month };
            return self.at_local(cut(local), grain, Vec::new());
        }
        self.first_ahead(phrase, &[local.date()], Vec::new())
    }

    fn on_a_day(&self, phrase: &Phrase) -> Result<Resolved, TimeError> {
        let mut notes = Vec::new();
        let dates = match phrase.days.as_slice() {
            [] if phrase.part.is_some_and(|part| part.is_today) => vec![self.today()],
            [] => [Some(self.today()), add_days(self.today(), 1)].into_iter().flatten().collect(),
            [day] => self.dates(day, has_time(phrase), &mut notes)?,
            days => self.agreeing(days, has_time(phrase), &mut notes)?,
        };
        self.first_ahead(phrase, &dates, notes)
    }

    /// Takes the first of the candidate dates whose time lies ahead.
    fn first_ahead(&self, phrase: &Phrase, dates: &[NaiveDate], mut notes: Vec<Note>) -> Result<Resolved, TimeError> {
        let mut passed = None;
        let mut is_outside = dates.is_empty();
        for date in dates {
            for local in self.times_on(*date, phrase) {
                let local = match phrase.shift {
                    Some((amount, is_back)) => later(local, amount, is_back).ok_or_else(|| self.out_of_range())?,
                    None => local,
                };
                match resolve(local, self.zone) {
                    Some((due, _)) if due > self.context.now => {
                        self.note_date(phrase, local, &mut notes);
                        return self.at_local(local, grain_of(phrase), notes);
                    }
                    Some(_) => passed = passed.or(Some(local)),
                    None => is_outside = true,
                }
            }
        }
        Err(match (passed, phrase.days.as_slice()) {
            (None, _) if is_outside => self.out_of_range(),
            (Some(local), [Day::Weekday(..)]) => self.past_weekday(local),
            (_, _) => self.past(passed),
        })
    }

    /// Says aloud what the words leave open.
    fn note_date(&self, phrase: &Phrase, local: NaiveDateTime, notes: &mut Vec<Note>) {
        let is_midnight = phrase.clocks.iter().any(|clock| clock.face == Face::Midnight);
        match phrase.days.as_slice() {
            [Day::Weekday(Which::Next, weekday)] => {
                let nearer = plain_date::weekday_after(self.today(), *weekday);
                if let Some(nearer) = nearer.filter(|nearer| *nearer != local.date()) {
                    notes.push(Note::NextWeekday { taken: local.date(), nearer });
                }
            }
            [Day::Date { year: None, .. }] if local.year() != self.today().year() => {
                notes.push(Note::OtherYear { taken: local.date() });
            }
            [] if phrase.ahead.is_none()
                && phrase.part.is_none_or(|part| !part.is_today)
                && local.date() != self.today()
                && !is_midnight =>
            {
                notes.push(Note::Tomorrow { taken: local.date() });
            }
            [_] if is_midnight => notes.push(Note::MidnightEnds { taken: local }),
            _ => {}
        }
    }

    pub(super) fn at_local(
        &self,
        local: NaiveDateTime,
        grain: Grain,
        mut notes: Vec<Note>,
    ) -> Result<Resolved, TimeError> {
        let (due, meeting) = resolve(local, self.zone).ok_or_else(|| self.out_of_range())?;
        match meeting {
            Meeting::Exact => {}
            Meeting::Gap => notes.push(Note::Gap { asked: local, moved: due.local(self.zone) }),
            Meeting::Fold => notes.push(Note::Fold { local }),
        }
        Ok(Resolved { rule: Rule::Once(local), due, grain, notes })
    }

    /// Returns the local time that ends with `moment`: its clock time, or the whole of its day.
    pub(super) fn end_of_moment(&self, moment: &Moment) -> Result<NaiveDateTime, TimeError> {
        let last_second = NaiveTime::from_hms_opt(23, 59, 59).unwrap_or(NaiveTime::MIN);
        match (&moment.day, moment.clock) {
            (Some(day), None) => Ok(self.first_date_of(day, moment.weekday)?.and_time(last_second)),
            (_, Some(_)) | (None, None) => self.start_of_moment(moment),
        }
    }

    /// Returns the local time at which `moment` starts: its clock time, or its day's first.
    pub(super) fn start_of_moment(&self, moment: &Moment) -> Result<NaiveDateTime, TimeError> {
        match (&moment.day, moment.clock) {
            (Some(day), None) => Ok(self.first_date_of(day, moment.weekday)?.and_time(NaiveTime::MIN)),
            (day, clock) => {
                let phrase = Phrase {
                    days: moment
                        .weekday
                        .map(|weekday| Day::Weekday(Which::Coming, weekday))
                        .into_iter()
                        .chain(day.iter().cloned())
                        .collect(),
                    clocks: clock.into_iter().collect(),
                    ..Phrase::default()
                };
                let resolved = self.on_a_day(&phrase)?;
                Ok(resolved.due.local(self.zone))
            }
        }
    }

    /// Returns the end of the day by which a single time must be done; with a clock time, that is due itself.
    pub(super) fn deadline(&self, phrase: &Phrase, due: Timestamp) -> Option<Timestamp> {
        let is_day = phrase.is_by && phrase.every.is_none() && phrase.clocks.is_empty();
        let end = is_day.then(|| due.local(self.zone).date().and_time(self.settings().end_of_day))?;
        resolve(end, self.zone).map(|(at, _)| at).filter(|at| *at >= due)
    }

    /// Returns the times of `date` that the words may mean, earliest first.
    fn times_on(&self, date: NaiveDate, phrase: &Phrase) -> Vec<NaiveDateTime> {
        let part = phrase.part.map(|part| part.part);
        if let Some(clock) = phrase.clocks.first() {
            let is_near = phrase.days.is_empty() && phrase.ahead.is_none() || date == self.today();
            return clock_on(date, *clock, part, is_near);
        }
        if let Some(part) = phrase.part {
            let hour = if part.is_tonight { self.settings().tonight } else { self.part_time(part.part) };
            let local = date.and_time(hour);
            return local.checked_add_signed(TimeDelta::hours(phrase.degree)).into_iter().collect();
        }
        let is_end = phrase.days.iter().any(|day| matches!(day, Day::End(_) | Day::EndOf(_)));
        let is_running = phrase
            .days
            .iter()
            .any(|day| matches!(day, Day::FromToday(0) | Day::Weekend(_) | Day::Period(Which::This, Unit::Day)));
        if is_end {
            return vec![date.and_time(self.settings().end_of_day)];
        }
        if is_running && date == self.today() {
            return self.settings().parts().into_iter().map(|time| date.and_time(time)).collect();
        }
        vec![date.and_time(self.settings().date_only)]
    }

    pub(super) fn part_time(&self, part: Part) -> NaiveTime {
        match part {
            Part::Morning => self.settings().morning,
            Part::Afternoon => self.settings().afternoon,
            Part::Evening => self.settings().evening,
            Part::Night => self.settings().night,
            Part::LongEvening => self.settings().tonight,
            Part::Midday => NaiveTime::from_hms_opt(12, 0, 0).unwrap_or(NaiveTime::MIN),
            Part::Dawn | Part::DeepNight => NaiveTime::MIN,
        }
    }

    pub(super) fn refuse_impossible(&self, phrase: &Phrase) -> Result<(), TimeError> {
        let clocks = phrase.hours().into_iter().flat_map(|hours| hours.clocks);
        if let Some(clock) = clocks.into_iter().find(|clock| clock.face == Face::Impossible) {
            let says_day = !phrase.days.is_empty() || phrase.every.is_some() || phrase.ahead.is_some();
            let (hour, minute) = (clock.hour % 24, clock.minute.min(59));
            let day = if is_chinese(&self.said.words) { "明天" } else { "tomorrow " };
            return Err(TimeError::NoSuchClock {
                words: self.said.words.clone(),
                span: self.said.span.clone(),
                proposal: (!says_day && !phrase.is_by).then(|| format!("{day}{hour:02}:{minute:02}")),
            });
        }
        // "this evening at 2" may be after noon or behind midnight.
        let has_hour = |clock: &Clock, part: Part| match part {
            Part::Afternoon if clock.face == Face::Day => (11..=19).contains(&clock.hour),
            Part::Evening if clock.face == Face::Day => clock.hour >= 15 || clock.hour == 0,
            Part::Morning if clock.face == Face::Day => clock.hour <= 12,
            Part::Afternoon => !(9..=11).contains(&(clock.hour % 12)),
            Part::Evening => !(1..=3).contains(&(clock.hour % 12)),
            Part::Morning | Part::Night | Part::Dawn | Part::Midday | Part::LongEvening | Part::DeepNight => true,
        };
        let is_said = |clock: &Clock| matches!(clock.face, Face::Open | Face::Day);
        let is_outside = |hours: &Hours| {
            let lacks = |part: DayPart| hours.clocks.iter().any(|clock| is_said(clock) && !has_hour(clock, part.part));
            hours.part.is_some_and(lacks)
        };
        if phrase.hours().iter().any(is_outside) {
            return Err(self.impossible("that part of the day has no such hour", None));
        }
        let is_no_day = |day: &Day| match day {
            Day::Date { year, month, day } => {
                // 2028 is a leap year: without a year, 29 February exists.
                let year = year.map_or(Ok(2028), i32::try_from).unwrap_or(2028);
                NaiveDate::from_ymd_opt(year, *month, *day).is_none()
            }
            Day::OfMonth(day) => !(1..=31).contains(day),
            Day::Nth { nth, .. } => *nth == 0 || nth.abs() > 31,
            Day::FromToday(_)
            | Day::Weekday(..)
            | Day::Month { .. }
            | Day::Weekend(_)
            | Day::Period(..)
            | Day::End(_)
            | Day::EndOf(_)
            | Day::Week { .. }
            | Day::WeekAround(_)
            | Day::Counted { .. }
            | Day::WorkingDays(_)
            | Day::Season { .. }
            | Day::Shifted { .. } => false,
        };
        let days = phrase.every.iter().flat_map(|every| &every.days).chain(&phrase.days);
        match days.into_iter().find(|day| is_no_day(day)) {
            Some(Day::Date { year, month, .. }) => Err(self.impossible(NO_SUCH_DAY, self.last_day(*year, *month))),
            Some(_) => Err(self.no_such_day()),
            None => Ok(()),
        }
    }

    pub(super) fn no_such_day(&self) -> TimeError {
        self.impossible(NO_SUCH_DAY, None)
    }

    fn impossible(&self, reason: &'static str, proposal: Option<String>) -> TimeError {
        TimeError::Impossible { words: self.said.words.clone(), span: self.said.span.clone(), reason, proposal }
    }

    /// Says the last day of a month, which is what a day that it lacks comes near to.
    fn last_day(&self, year: Option<u32>, month: u32) -> Option<String> {
        let known = year.and_then(|year| i32::try_from(year).ok());
        let last = (28..=31).rev().find_map(|day| NaiveDate::from_ymd_opt(known.unwrap_or(2027), month, day))?;
        if known.is_some() && last < self.today() {
            return None;
        }
        Some(match (is_chinese(&self.said.words), known) {
            (true, Some(year)) => format!("{year}年{}月{}日", last.month(), last.day()),
            (true, None) => format!("{}月{}日", last.month(), last.day()),
            (false, Some(_)) => last.format("%-d %B %Y").to_string().to_lowercase(),
            (false, None) => last.format("%-d %B").to_string().to_lowercase(),
        })
    }

    /// Says a date in the language of the words.
    fn date_in_words(&self, date: NaiveDate) -> String {
        if is_chinese(&self.said.words) {
            format!("{}年{}月{}日", date.year(), date.month(), date.day())
        } else {
            date.format("%-d %B %Y").to_string().to_lowercase()
        }
    }

    pub(super) fn several(&self) -> TimeError {
        TimeError::Several { words: self.said.words.clone(), span: self.said.span.clone() }
    }

    pub(super) fn out_of_range(&self) -> TimeError {
        TimeError::OutOfRange { words: self.said.words.clone(), span: self.said.span.clone() }
    }

    pub(super) fn nothing_ahead(&self) -> TimeError {
        TimeError::NothingAhead { words: self.said.words.clone(), span: self.said.span.clone() }
    }

    pub(super) fn no_rule(&self, reason: &'static str) -> TimeError {
        TimeError::NoRule { words: self.said.words.clone(), span: self.said.span.clone(), reason }
    }

    pub(super) fn mismatch(&self, date: NaiveDate) -> TimeError {
        TimeError::Mismatch {
            words: self.said.words.clone(),
            span: self.said.span.clone(),
            date: date.format("%a %-d %B %Y").to_string(),
            proposal: self.date_in_words(date),
        }
    }

    pub(super) fn past(&self, local: Option<NaiveDateTime>) -> TimeError {
        let proposal = local.map(|local| {
            let today = self.today().and_time(local.time());
            let clock = local.format("%H:%M");
            match (is_chinese(&self.said.words), self.is_ahead(today)) {
                (true, true) => format!("今天{clock}"),
                (true, false) => format!("明天{clock}"),
                (false, true) => format!("today {clock}"),
                (false, false) => format!("tomorrow {clock}"),
            }
        });
        self.past_with(local, proposal)
    }

    /// A weekday of this week that has passed is proposed a week later.
    fn past_weekday(&self, local: NaiveDateTime) -> TimeError {
        let later = add_days(local.date(), 7).map(|date| date.and_time(local.time()));
        match later.filter(|later| self.is_ahead(*later)) {
            Some(later) => {
                let proposal = format!("{} {}", self.date_in_words(later.date()), later.format("%H:%M"));
                self.past_with(Some(local), Some(proposal))
            }
            None => self.past(Some(local)),
        }
    }

    fn past_with(&self, local: Option<NaiveDateTime>, proposal: Option<String>) -> TimeError {
        TimeError::Past {
            words: self.said.words.clone(),
            span: self.said.span.clone(),
            was: local.map_or_else(|| "that time".to_owned(), render::local),
            at: local.and_then(|local| resolve(local, self.zone)).map(|(at, _)| at),
            proposal,
        }
    }

    fn is_ahead(&self, local: NaiveDateTime) -> bool {
        resolve(local, self.zone).is_some_and(|(at, _)| at > self.context.now)
    }
}

const NO_SUCH_DAY: &str = "no calendar has that day";

/// Returns the times of `date` that a clock reading may mean.
///
/// `is_near`: today, or no day said, where the next of the two readings counts; otherwise 7 to 11 are morning.
fn clock_on(date: NaiveDate, clock: Clock, part: Option<Part>, is_near: bool) -> Vec<NaiveDateTime> {
    let at = |date: Option<NaiveDate>, hour: u32| {
        date.and_then(|date| date.and_hms_opt(hour, clock.minute, clock.second)).into_iter()
    };
    let (today, next) = (Some(date), add_days(date, 1));
    let hour = clock.hour % 12;
    let part = part.map(broad);
    match (clock.face, part) {
        (Face::Midnight, _) => at(next, clock.hour).collect(),
        (Face::Day, Some(Part::Night)) if clock.hour < 6 => at(next, clock.hour).collect(),
        (Face::Day | Face::Impossible, _) => at(today, clock.hour).collect(),
        (Face::Open, Some(Part::Morning | Part::Dawn)) => at(today, hour).collect(),
        (Face::Open, Some(Part::Afternoon | Part::Midday)) => {
            at(today, if hour <= 8 { hour + 12 } else { hour }).collect()
        }
        (Face::Open, Some(Part::Evening | Part::Night | Part::LongEvening | Part::DeepNight)) if hour == 0 => {
            at(next, 0).collect()
        }
        (Face::Open, Some(Part::Night)) if hour < 5 => at(next, hour).collect(),
        (Face::Open, Some(Part::Evening | Part::Night | Part::LongEvening | Part::DeepNight)) => {
            at(today, hour + 12).collect()
        }
        (Face::Open, None) if is_near => {
            // Hours before 7 are never guessed.
            let morning = at(today, hour).filter(|_| hour >= 7);
            morning.chain(at(today, hour + 12)).collect()
        }
        (Face::Open, None) => at(today, on_another_day(clock.hour)).collect(),
    }
}

/// Returns the part whose hours a 12-hour reading takes.
const fn broad(part: Part) -> Part {
    match part {
        Part::LongEvening | Part::DeepNight => Part::Night,
        Part::Dawn => Part::Morning,
        Part::Midday => Part::Afternoon,
        Part::Morning | Part::Afternoon | Part::Evening | Part::Night => part,
    }
}

/// Returns the hour that a bare one means on a day that is not today: 7 to 11 as they are, 12 and 1 to 6 after noon.
const fn on_another_day(hour: u32) -> u32 {
    match hour {
        1..=6 => hour + 12,
        _ => hour,
    }
}

/// Returns the time of day of a repetition's clock reading.
pub(super) fn repeated_clock(clock: Clock, part: Option<Part>) -> Option<NaiveTime> {
    let date = NaiveDate::default();
    match clock.face {
        Face::Midnight => NaiveTime::from_hms_opt(clock.hour, clock.minute, clock.second),
        Face::Day | Face::Open | Face::Impossible => {
            clock_on(date, clock, part, false).first().map(NaiveDateTime::time)
        }
    }
}

fn countdown(at: Timestamp, grain: Grain) -> Resolved {
    Resolved { rule: Rule::Countdown(at), due: at, grain, notes: Vec::new() }
}

fn has_time(phrase: &Phrase) -> bool {
    !phrase.clocks.is_empty() || phrase.part.is_some()
}

fn grain_of(phrase: &Phrase) -> Grain {
    match phrase.clocks.first() {
        Some(clock) if clock.second != 0 => Grain::Second,
        Some(_) => Grain::Minute,
        None if phrase.part.is_some() => Grain::Hour,
        None => match phrase.days.first() {
            Some(Day::Period(_, Unit::Week) | Day::Weekend(_) | Day::Week { .. } | Day::WeekAround(_)) => Grain::Week,
            Some(Day::Period(_, Unit::Month | Unit::Quarter) | Day::Month { .. }) => Grain::Month,
            Some(Day::Period(_, Unit::Year)) => Grain::Year,
            Some(_) | None => Grain::Day,
        },
    }
}

/// Cuts a wall-clock reading to the second.
pub(super) fn cut(local: NaiveDateTime) -> NaiveDateTime {
    local.with_nanosecond(0).unwrap_or(local)
}
