//! Which moment is it, seen from now?

use chrono::{Datelike, Months, NaiveDate, NaiveDateTime, NaiveTime, TimeDelta, Timelike, Weekday};
use chrono_tz::Tz;

use crate::domain::schedule::Rule;
use crate::domain::time::{Meeting, Span, Timestamp, add_days, resolve};
use crate::when::grammar::{Amount, Clock, Day, DayKind, Face, Moment, MonthOf, Phrase, WORKING_DAYS, Which};
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

/// The most candidates that are tried: months of two years, or years until the next 29 February.
const MONTHS_AHEAD: u32 = 24;
const YEARS_AHEAD: i32 = 8;

impl<'a> Here<'a> {
    pub(super) fn new(context: &'a Context, zone: Option<Tz>, said: Said) -> Self {
        let zone = zone.unwrap_or(context.zone);
        Self { context, zone, now: context.now.local(zone), said }
    }

    fn settings(&self) -> &Settings {
        &self.context.settings
    }

    pub(super) fn today(&self) -> NaiveDate {
        self.now.date()
    }

    /// Resolves a phrase that names one moment.
    pub(super) fn once(&self, phrase: &Phrase) -> Result<Resolved, TimeError> {
        self.refuse_impossible(phrase)?;
        if phrase.clocks.len() > 1 {
            return Err(self.several());
        }
        if phrase.is_now {
            return Ok(self.countdown(self.context.now, Grain::Second));
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
        Ok(self.countdown(at, grain))
    }

    fn countdown(&self, at: Timestamp, grain: Grain) -> Resolved {
        let _ = self;
        Resolved { rule: Rule::Countdown(at), due: at, grain, notes: Vec::new() }
    }

    /// Days, weeks and months from now keep the wall clock, unless a clock time is said.
    fn ahead(&self, amount: Amount, phrase: &Phrase) -> Result<Resolved, TimeError> {
        let local = self.later(self.now, amount, false).ok_or_else(|| self.out_of_range())?;
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
                    Some((amount, is_back)) => self.later(local, amount, is_back).ok_or_else(|| self.out_of_range())?,
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
        if is_outside && passed.is_none() { Err(self.out_of_range()) } else { Err(self.past(passed)) }
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
            [] if phrase.part.is_none_or(|part| !part.is_today) && local.date() != self.today() && !is_midnight => {
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

    /// Returns the dates that `day` may mean, in the order in which they are tried.
    fn dates(&self, day: &Day, has_time: bool, notes: &mut Vec<Note>) -> Result<Vec<NaiveDate>, TimeError> {
        let today = self.today();
        let dates = match day {
            Day::FromToday(days) => plain_date::days_after(today, *days).into_iter().collect(),
            Day::Weekday(which, weekday) => self.weekdays(*which, *weekday, has_time, notes),
            Day::Date { year: Some(year), month, day } => {
                let year = i32::try_from(*year).ok().filter(|year| *year <= 9999).ok_or_else(|| self.out_of_range())?;
                plain_date::date(year, *month, *day).into_iter().collect()
            }
            Day::Date { year: None, month, day } => {
                (0..=YEARS_AHEAD).filter_map(|years| plain_date::date(today.year() + years, *month, *day)).collect()
            }
            Day::MonthDay(day) => (0..=MONTHS_AHEAD).filter_map(|months| self.month(months)?.with_day(*day)).collect(),
            Day::Nth { nth, kind, month } => self.nth_dates(*nth, *kind, *month),
            Day::Month { year, month } => {
                let years = match year {
                    Some(year) => vec![i32::try_from(*year).unwrap_or(i32::MAX)],
                    None => vec![today.year(), today.year() + 1],
                };
                years.into_iter().filter_map(|year| plain_date::date(year, *month, 1)).collect()
            }
            Day::Weekend(which) => self.weekends(*which),
            Day::Period(which, unit) => self.period(*which, *unit)?,
            Day::End(unit) => self.end_of(*unit).into_iter().collect(),
            Day::EndOf(day) => self.dates(day, true, notes)?,
            Day::Shifted { amount, is_back, from } => {
                let anchor = match from.as_ref() {
                    Day::FromToday(days) => add_days(today, *days).ok_or_else(|| self.out_of_range())?,
                    from => self.first_date(from)?,
                };
                self.later(anchor.and_time(NaiveTime::MIN), *amount, *is_back)
                    .map(|local| local.date())
                    .into_iter()
                    .collect()
            }
        };
        Ok(dates)
    }

    fn weekdays(&self, which: Which, weekday: Weekday, has_time: bool, notes: &mut Vec<Note>) -> Vec<NaiveDate> {
        let today = self.today();
        let in_week = |weeks: i64| {
            let monday = add_days(today, -i64::from(today.weekday().num_days_from_monday()))?;
            add_days(monday, weeks * 7 + i64::from(weekday.num_days_from_monday()))
        };
        let coming = plain_date::weekday_after(today, weekday);
        match which {
            Which::Coming => {
                let first = (has_time && today.weekday() == weekday).then_some(today);
                first.into_iter().chain(coming).collect()
            }
            Which::This => {
                let this = in_week(0);
                if let Some(passed) = this.filter(|this| *this < today) {
                    notes.extend(coming.map(|taken| Note::ThisWeekday { passed, taken }));
                }
                this.into_iter().filter(|this| *this >= today).chain(coming).collect()
            }
            Which::Next => in_week(1).into_iter().collect(),
            Which::Last => coming
                .and_then(|date| add_days(date, -7))
                .into_iter()
                .map(|date| {
                    // Today's name said with "last" is a week ago.
                    if date == today { add_days(date, -7).unwrap_or(date) } else { date }
                })
                .collect(),
            Which::Later(weeks) => coming.and_then(|date| add_days(date, weeks * 7)).into_iter().collect(),
        }
    }

    fn nth_dates(&self, nth: i32, kind: DayKind, month: MonthOf) -> Vec<NaiveDate> {
        let months: Vec<NaiveDate> = match month {
            MonthOf::Any => (0..=MONTHS_AHEAD).filter_map(|months| self.month(months)).collect(),
            MonthOf::Next => self.month(1).into_iter().collect(),
            MonthOf::Named { year: Some(year), month } => {
                i32::try_from(year).ok().and_then(|year| plain_date::date(year, month, 1)).into_iter().collect()
            }
            MonthOf::Named { year: None, month } => {
                (0..=YEARS_AHEAD).filter_map(|years| plain_date::date(self.today().year() + years, month, 1)).collect()
            }
        };
        months.into_iter().filter_map(|first| nth_of_month(first, nth, kind)).collect()
    }

    fn weekends(&self, which: Which) -> Vec<NaiveDate> {
        let today = self.today();
        let saturday = |weeks: i64| add_days(today, weeks * 7 + 5 - i64::from(today.weekday().num_days_from_monday()));
        match which {
            Which::Coming | Which::This => {
                let sunday = saturday(0).and_then(|saturday| add_days(saturday, 1));
                let running = sunday.filter(|_| today.weekday().num_days_from_monday() >= 5);
                let next = saturday(1).filter(|_| which == Which::Coming);
                saturday(0).into_iter().chain(running).chain(next).collect()
            }
            Which::Next => saturday(1).into_iter().collect(),
            Which::Last => saturday(-1).into_iter().collect(),
            Which::Later(weeks) => saturday(weeks).into_iter().collect(),
        }
    }

    fn period(&self, which: Which, unit: Unit) -> Result<Vec<NaiveDate>, TimeError> {
        let today = self.today();
        let monday = add_days(today, -i64::from(today.weekday().num_days_from_monday()));
        let step: i64 = match which {
            Which::Next => 1,
            Which::Last => -1,
            // "this week" names no day of it.
            Which::This | Which::Coming | Which::Later(_) => {
                return Err(TimeError::Vague { words: self.said.words.clone(), span: self.said.span.clone() });
            }
        };
        let quarter = i64::from(today.month0() % 3);
        let date = match unit {
            Unit::Week | Unit::Fortnight => monday.and_then(|monday| add_days(monday, 7 * step)),
            Unit::Month => shift_months(today.with_day(1), step),
            Unit::Quarter => shift_months(today.with_day(1), 3 * step - quarter),
            Unit::Year => shift_months(plain_date::date(today.year(), 1, 1), 12 * step),
            Unit::Day | Unit::Hour | Unit::Minute | Unit::Second => add_days(today, step),
        };
        Ok(date.into_iter().collect())
    }

    fn end_of(&self, unit: Unit) -> Option<NaiveDate> {
        let today = self.today();
        match unit {
            Unit::Week | Unit::Fortnight => add_days(today, 4 - i64::from(today.weekday().num_days_from_monday())),
            Unit::Month | Unit::Quarter => nth_of_month(self.month(0)?, -1, DayKind::Day),
            Unit::Year => plain_date::date(today.year(), 12, 31),
            Unit::Day | Unit::Hour | Unit::Minute | Unit::Second => Some(today),
        }
    }

    /// Returns the dates on which all of `days` agree.
    fn agreeing(&self, days: &[Day], has_time: bool, notes: &mut Vec<Note>) -> Result<Vec<NaiveDate>, TimeError> {
        let [first, second] = days else { return Err(self.several()) };
        let (wide, narrow) = if rank(first) <= rank(second) { (first, second) } else { (second, first) };
        match (wide, narrow) {
            (Day::Period(which, Unit::Week), Day::Weekday(Which::Coming, weekday)) => {
                let weeks = match which {
                    Which::Next => 1,
                    Which::Last => -1,
                    Which::This | Which::Coming | Which::Later(_) => 0,
                };
                let monday =
                    add_days(self.today(), weeks * 7 - i64::from(self.today().weekday().num_days_from_monday()));
                let date = monday.and_then(|monday| add_days(monday, weekday.num_days_from_monday().into()));
                return Ok(date.into_iter().collect());
            }
            // "eod friday"
            (Day::End(Unit::Day), day) | (day, Day::End(Unit::Day)) => return self.dates(day, true, notes),
            (Day::Period(Which::Next, Unit::Month), Day::MonthDay(day)) => {
                return Ok(self.month(1).and_then(|month| month.with_day(*day)).into_iter().collect());
            }
            (Day::Period(Which::Next, Unit::Year), Day::Date { year: None, month, day }) => {
                return Ok(plain_date::date(self.today().year() + 1, *month, *day).into_iter().collect());
            }
            _ => {}
        }
        let Day::Weekday(_, weekday) = wide else {
            return self.same_date(wide, narrow, notes);
        };
        let dates = self.dates(narrow, has_time, notes)?;
        if let Day::MonthDay(_) = narrow {
            // "friday the 13th" waits for the next such day.
            return Ok(dates.into_iter().filter(|date| date.weekday() == *weekday).collect());
        }
        let first = self.first_of(&dates);
        match first {
            Some(date) if date.weekday() == *weekday => Ok(vec![date]),
            Some(date) => Err(self.mismatch(date)),
            None => Err(self.past(dates.first().map(|date| date.and_time(self.settings().date_only)))),
        }
    }

    fn same_date(&self, one: &Day, other: &Day, notes: &mut Vec<Note>) -> Result<Vec<NaiveDate>, TimeError> {
        if std::mem::discriminant(one) == std::mem::discriminant(other) {
            return Err(self.several());
        }
        let dates = self.dates(one, true, notes)?;
        let others = self.dates(other, true, notes)?;
        let common: Vec<NaiveDate> = dates.iter().filter(|date| others.contains(date)).copied().collect();
        match dates.first().or(others.first()) {
            Some(date) if common.is_empty() => Err(self.mismatch(*date)),
            Some(_) | None => Ok(common),
        }
    }

    fn first_of(&self, dates: &[NaiveDate]) -> Option<NaiveDate> {
        dates.iter().copied().find(|date| *date >= self.today())
    }

    /// Returns the first date ahead, or today's, that `day` means.
    pub(super) fn first_date(&self, day: &Day) -> Result<NaiveDate, TimeError> {
        let dates = self.dates(day, false, &mut Vec::new())?;
        let passed = dates.first().map(|date| date.and_time(self.settings().date_only));
        self.first_of(&dates).ok_or_else(|| if dates.is_empty() { self.no_such_day() } else { self.past(passed) })
    }

    /// Returns the local time that ends with `moment`: its clock time, or the whole of its day.
    pub(super) fn end_of_moment(&self, moment: &Moment) -> Result<NaiveDateTime, TimeError> {
        let last_second = NaiveTime::from_hms_opt(23, 59, 59).unwrap_or(NaiveTime::MIN);
        match (&moment.day, moment.clock) {
            (Some(day), None) => Ok(self.first_date(day)?.and_time(last_second)),
            (_, Some(_)) | (None, None) => self.start_of_moment(moment),
        }
    }

    /// Returns the local time at which `moment` starts: its clock time, or its day's first.
    pub(super) fn start_of_moment(&self, moment: &Moment) -> Result<NaiveDateTime, TimeError> {
        match (&moment.day, moment.clock) {
            (Some(day), None) => Ok(self.first_date(day)?.and_time(NaiveTime::MIN)),
            (day, clock) => {
                let phrase = Phrase {
                    days: day.iter().cloned().collect(),
                    clocks: clock.into_iter().collect(),
                    ..Phrase::default()
                };
                let resolved = self.on_a_day(&phrase)?;
                Ok(resolved.due.local(self.zone))
            }
        }
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
            return vec![date.and_time(hour)];
        }
        let is_end = phrase.days.iter().any(|day| matches!(day, Day::End(_) | Day::EndOf(_)));
        let is_running = phrase.days.iter().any(|day| matches!(day, Day::FromToday(0) | Day::Weekend(_)));
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
        }
    }

    /// Returns the first day of the month so many months on.
    fn month(&self, months: u32) -> Option<NaiveDate> {
        self.today().with_day(1)?.checked_add_months(Months::new(months))
    }

    pub(super) fn later(&self, local: NaiveDateTime, amount: Amount, is_back: bool) -> Option<NaiveDateTime> {
        let _ = self;
        let sign = if is_back { -1 } else { 1 };
        let months = shift_months(Some(local.date()), amount.months.checked_mul(sign)?)?;
        let date = plain_date::days_after(months, amount.days.checked_mul(sign)?)?;
        date.and_time(local.time()).checked_add_signed(TimeDelta::try_milliseconds(amount.millis.checked_mul(sign)?)?)
    }

    pub(super) fn refuse_impossible(&self, phrase: &Phrase) -> Result<(), TimeError> {
        if phrase.clocks.iter().any(|clock| clock.face == Face::Impossible) {
            return Err(self.impossible("no clock shows that time"));
        }
        let is_no_day = |day: &Day| match day {
            Day::Date { year, month, day } => {
                // 2028 is a leap year: without a year, 29 February exists.
                let year = year.map_or(Ok(2028), i32::try_from).unwrap_or(2028);
                NaiveDate::from_ymd_opt(year, *month, *day).is_none()
            }
            Day::MonthDay(day) => !(1..=31).contains(day),
            Day::Nth { nth, .. } => *nth == 0 || nth.abs() > 31,
            Day::FromToday(_)
            | Day::Weekday(..)
            | Day::Month { .. }
            | Day::Weekend(_)
            | Day::Period(..)
            | Day::End(_)
            | Day::EndOf(_)
            | Day::Shifted { .. } => false,
        };
        let days = phrase.every.iter().flat_map(|every| &every.days).chain(&phrase.days);
        if days.into_iter().any(is_no_day) { Err(self.no_such_day()) } else { Ok(()) }
    }

    pub(super) fn no_such_day(&self) -> TimeError {
        self.impossible("no calendar has that day")
    }

    fn impossible(&self, reason: &'static str) -> TimeError {
        TimeError::Impossible { words: self.said.words.clone(), span: self.said.span.clone(), reason }
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

    fn mismatch(&self, date: NaiveDate) -> TimeError {
        TimeError::Mismatch {
            words: self.said.words.clone(),
            span: self.said.span.clone(),
            date: date.format("%a %-d %B %Y").to_string(),
            proposal: date.format("%-d %B %Y").to_string().to_lowercase(),
        }
    }

    fn past(&self, local: Option<NaiveDateTime>) -> TimeError {
        let proposal = local.and_then(|local| {
            let today = self.today().and_time(local.time());
            let is_ahead =
                |local: NaiveDateTime| resolve(local, self.zone).is_some_and(|(at, _)| at > self.context.now);
            let clock = local.format("%H:%M");
            if is_ahead(today) { Some(format!("today {clock}")) } else { Some(format!("tomorrow {clock}")) }
        });
        TimeError::Past {
            words: self.said.words.clone(),
            span: self.said.span.clone(),
            was: local.map_or_else(|| "that time".to_owned(), render::local),
            proposal,
        }
    }
}

/// Returns the times of `date` that a clock reading may mean.
///
/// `is_near`: today, or no day said, where the next of the two readings counts; otherwise 7 to 11 are morning.
fn clock_on(date: NaiveDate, clock: Clock, part: Option<Part>, is_near: bool) -> Vec<NaiveDateTime> {
    let at = |date: Option<NaiveDate>, hour: u32| {
        date.and_then(|date| date.and_hms_opt(hour, clock.minute, clock.second)).into_iter()
    };
    let (today, next) = (Some(date), add_days(date, 1));
    let hour = clock.hour % 12;
    match (clock.face, part) {
        (Face::Midnight, _) => at(next, 0).collect(),
        (Face::Day, Some(Part::Night)) if clock.hour < 6 => at(next, clock.hour).collect(),
        (Face::Day | Face::Impossible, _) => at(today, clock.hour).collect(),
        (Face::Open, Some(Part::Morning)) => at(today, hour).collect(),
        (Face::Open, Some(Part::Afternoon)) => at(today, if hour <= 8 { hour + 12 } else { hour }).collect(),
        (Face::Open, Some(Part::Evening | Part::Night)) if hour == 0 => at(next, 0).collect(),
        (Face::Open, Some(Part::Night)) if hour < 5 => at(next, hour).collect(),
        (Face::Open, Some(Part::Evening | Part::Night)) => at(today, hour + 12).collect(),
        (Face::Open, None) if is_near => {
            // Hours before 7 are never guessed.
            let morning = at(today, hour).filter(|_| hour >= 7);
            morning.chain(at(today, hour + 12)).collect()
        }
        (Face::Open, None) => at(today, on_another_day(clock.hour)).collect(),
    }
}

/// Returns the hour that a bare one means on a day that is not today: 7 to 11 as they are, 12 and 1 to 6 after noon.
pub(super) const fn on_another_day(hour: u32) -> u32 {
    match hour {
        1..=6 => hour + 12,
        _ => hour,
    }
}

/// Returns the time of day of a repetition's clock reading.
pub(super) fn repeated_clock(clock: Clock, part: Option<Part>) -> Option<NaiveTime> {
    let date = NaiveDate::default();
    match clock.face {
        Face::Midnight => Some(NaiveTime::MIN),
        Face::Day | Face::Open | Face::Impossible => {
            clock_on(date, clock, part, false).first().map(|local| local.time())
        }
    }
}

/// Returns the so-manieth day of a kind in the month that starts at `first`, from its end when negative.
pub(super) fn nth_of_month(first: NaiveDate, nth: i32, kind: DayKind) -> Option<NaiveDate> {
    let is_kind = |date: &NaiveDate| match kind {
        DayKind::Day => true,
        DayKind::WorkingDay => WORKING_DAYS.contains(&date.weekday()),
        DayKind::Weekday(weekday) => date.weekday() == weekday,
    };
    let mut days = (1..=31).filter_map(|day| first.with_day(day)).filter(is_kind);
    let index = usize::try_from(nth.unsigned_abs()).ok()?.checked_sub(1)?;
    if nth > 0 { days.nth(index) } else { days.rev().nth(index) }
}

/// How much a day leaves open: a week more than a weekday, a weekday more than a date.
fn rank(day: &Day) -> u8 {
    match day {
        Day::Period(..) => 0,
        Day::Weekday(..) => 1,
        Day::Weekend(_) | Day::Month { .. } | Day::End(_) | Day::EndOf(_) | Day::Shifted { .. } => 2,
        Day::FromToday(_) => 3,
        Day::MonthDay(_) | Day::Nth { .. } => 4,
        Day::Date { .. } => 5,
    }
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
            Some(Day::Period(_, Unit::Week) | Day::Weekend(_)) => Grain::Week,
            Some(Day::Period(_, Unit::Month | Unit::Quarter) | Day::Month { .. }) => Grain::Month,
            Some(Day::Period(_, Unit::Year)) => Grain::Year,
            Some(_) | None => Grain::Day,
        },
    }
}

fn shift_months(date: Option<NaiveDate>, months: i64) -> Option<NaiveDate> {
    let count = Months::new(u32::try_from(months.unsigned_abs()).ok()?);
    if months < 0 { date?.checked_sub_months(count) } else { date?.checked_add_months(count) }
}

/// Cuts a wall-clock reading to the second.
pub(super) fn cut(local: NaiveDateTime) -> NaiveDateTime {
    local.with_nanosecond(0).unwrap_or(local)
}
