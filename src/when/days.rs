//! Which dates may "friday", "june 3" or "the last weekday of the month" be, seen from today?

use chrono::{Datelike, Months, NaiveDate, NaiveDateTime, NaiveTime, TimeDelta, Weekday};

use crate::domain::time::add_days;
use crate::when::grammar::{Amount, Day, DayKind, MonthOf, WORKING_DAYS, WeekOf, Which};
use crate::when::lexicon::Unit;
use crate::when::resolve::Here;
use crate::when::{Note, TimeError, plain_date};

/// The most candidates that are tried: months of two years, or years until the next 29 February.
const MONTHS_AHEAD: u32 = 24;
const YEARS_AHEAD: i32 = 8;

impl Here<'_> {
    /// Returns the dates that `day` may mean, in the order in which they are tried.
    pub(super) fn dates(&self, day: &Day, has_time: bool, notes: &mut Vec<Note>) -> Result<Vec<NaiveDate>, TimeError> {
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
            Day::OfMonth(day) => (0..=MONTHS_AHEAD).filter_map(|months| self.month(months)?.with_day(*day)).collect(),
            Day::Nth { nth, kind, month } => self.nth_dates(*nth, *kind, *month),
            Day::Month { year, month } => {
                let years = match year {
                    Some(year) => vec![i32::try_from(*year).unwrap_or(i32::MAX)],
                    None => vec![today.year(), today.year() + 1],
                };
                let firsts = years.into_iter().filter_map(|year| plain_date::date(year, *month, 1));
                firsts.flat_map(|first| self.rest_of_month(first)).collect()
            }
            Day::Weekend(which) => self.weekends(*which),
            Day::Period(which, unit) => self.period(*which, *unit),
            Day::End(unit) => self.end_of(*unit).into_iter().collect(),
            Day::EndOf(day) => match day.as_ref() {
                Day::Period(Which::Next, unit) => self.end_of_next(*unit).into_iter().collect(),
                day => self.dates(day, true, notes)?,
            },
            Day::Week { nth, of } => self.weeks(*nth, *of),
            Day::WeekAround(day) => {
                let date = self.first_date(day)?;
                let monday = add_days(date, -i64::from(date.weekday().num_days_from_monday()));
                monday.into_iter().chain([today, date]).filter(|date| *date >= today).collect()
            }
            Day::Counted { nth, weekday, from } => {
                let from = self.first_date(from)?;
                let to = i64::from((weekday.num_days_from_monday() + 7 - from.weekday().num_days_from_monday()) % 7);
                let days = match (*nth, to) {
                    (..0, 0) => nth.checked_mul(7),
                    (..0, to) => (*nth + 1).checked_mul(7).map(|weeks| weeks + to - 7),
                    (nth, 0) => nth.checked_mul(7),
                    (nth, to) => (nth - 1).checked_mul(7).map(|weeks| weeks + to),
                };
                days.and_then(|days| plain_date::days_after(from, days)).into_iter().collect()
            }
            Day::WorkingDays(count) => working_days_after(today, *count).into_iter().collect(),
            Day::Season { which, year, month, day } => self.season(*which, *year, (*month, *day)),
            Day::Shifted { amount, is_back, from } => {
                let anchor = match from.as_ref() {
                    Day::FromToday(days) => add_days(today, *days).ok_or_else(|| self.out_of_range())?,
                    Day::Date { year: Some(year), month, day } => i32::try_from(*year)
                        .ok()
                        .and_then(|year| plain_date::date(year, *month, *day))
                        .ok_or_else(|| self.no_such_day())?,
                    from => self.first_date(from)?,
                };
                later(anchor.and_time(NaiveTime::MIN), *amount, *is_back)
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
            Which::InWeek(weeks) => in_week(weeks).into_iter().collect(),
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
            MonthOf::Ahead(months) => shift_months(self.month(0), months).into_iter().collect(),
            MonthOf::InYear { years, month } => {
                let year = i64::from(self.today().year()).checked_add(years).and_then(|year| i32::try_from(year).ok());
                year.and_then(|year| plain_date::date(year, month, 1)).into_iter().collect()
            }
            MonthOf::Named { year: Some(year), month } => {
                i32::try_from(year).ok().and_then(|year| plain_date::date(year, month, 1)).into_iter().collect()
            }
            MonthOf::Named { year: None, month } => {
                (0..=YEARS_AHEAD).filter_map(|years| plain_date::date(self.today().year() + years, month, 1)).collect()
            }
        };
        months.into_iter().filter_map(|first| nth_of_month(first, nth, kind)).collect()
    }

    /// Returns the Mondays of the so-manieth week of the years or months that may be meant.
    fn weeks(&self, nth: i32, of: WeekOf) -> Vec<NaiveDate> {
        let spans: Vec<(NaiveDate, NaiveDate)> = match of {
            WeekOf::Year(year) => {
                let first = year.and_then(|year| i32::try_from(year).ok());
                let years = first.map_or_else(|| vec![self.today().year(), self.today().year() + 1], |year| vec![year]);
                let span = |year: i32| Some((plain_date::date(year, 1, 1)?, plain_date::date(year, 12, 31)?));
                years.into_iter().filter_map(span).collect()
            }
            WeekOf::NextYear => {
                let year = self.today().year() + 1;
                plain_date::date(year, 1, 1).zip(plain_date::date(year, 12, 31)).into_iter().collect()
            }
            WeekOf::Month(month) => {
                let firsts = self.nth_dates(1, DayKind::Day, month);
                firsts.into_iter().filter_map(|first| Some((first, nth_of_month(first, -1, DayKind::Day)?))).collect()
            }
        };
        let monday = |(first, last): (NaiveDate, NaiveDate)| {
            let to_thursday = |date: NaiveDate| i64::from((10 - date.weekday().num_days_from_monday()) % 7);
            let thursday = add_days(first, to_thursday(first))?;
            let count = i32::try_from(last.signed_duration_since(thursday).num_days() / 7 + 1).ok()?;
            let index = if nth > 0 { nth - 1 } else { count + nth };
            let is_within = (0..count).contains(&index);
            is_within.then(|| add_days(thursday, i64::from(index) * 7 - 3))?
        };
        // "the first week of the month" said on its Wednesday goes on today.
        let running = |monday: NaiveDate| {
            let days = self.today().signed_duration_since(monday).num_days();
            if (1..7).contains(&days) { self.today() } else { monday }
        };
        spans.into_iter().filter_map(monday).map(running).collect()
    }

    fn end_of_next(&self, unit: Unit) -> Option<NaiveDate> {
        match unit {
            Unit::Week | Unit::Fortnight => add_days(self.end_of(Unit::Week)?, 7),
            Unit::Month => nth_of_month(self.month(1)?, -1, DayKind::Day),
            Unit::Quarter => nth_of_month(self.month(5 - self.today().month0() % 3)?, -1, DayKind::Day),
            Unit::Year | Unit::Decade => plain_date::date(self.today().year() + 1, 12, 31),
            Unit::Day | Unit::Hour | Unit::Minute | Unit::Second => add_days(self.today(), 1),
        }
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
            Which::Later(weeks) | Which::InWeek(weeks) => saturday(weeks).into_iter().collect(),
        }
    }

    fn period(&self, which: Which, unit: Unit) -> Vec<NaiveDate> {
        let today = self.today();
        let monday = add_days(today, -i64::from(today.weekday().num_days_from_monday()));
        let step: i64 = match which {
            Which::Next => 1,
            Which::Last => -1,
            Which::Later(periods) | Which::InWeek(periods) if periods != 0 => periods,
            // "this week", like "today", is its next moment.
            Which::This | Which::Coming | Which::Later(_) | Which::InWeek(_) => return self.rest_of(unit),
        };
        let quarter = i64::from(today.month0() % 3);
        let date = match unit {
            Unit::Week | Unit::Fortnight => monday.and_then(|monday| add_days(monday, 7 * step)),
            Unit::Month => shift_months(today.with_day(1), step),
            Unit::Quarter => shift_months(today.with_day(1), 3 * step - quarter),
            Unit::Year => shift_months(plain_date::date(today.year(), 1, 1), 12 * step),
            Unit::Decade => shift_months(plain_date::date(today.year(), 1, 1), 120 * step),
            Unit::Day | Unit::Hour | Unit::Minute | Unit::Second => add_days(today, step),
        };
        date.into_iter().collect()
    }

    /// Returns the start of the season, or while it is running and no year was said, what is left of it: today, tomorrow.
    fn season(&self, which: Which, year: Option<u32>, (month, day): (u32, u32)) -> Vec<NaiveDate> {
        let today = self.today();
        if let Some(year) = year {
            let year = i32::try_from(year).ok();
            return year.and_then(|year| plain_date::date(year, month, day)).into_iter().collect();
        }
        let starts = (-1..=1).filter_map(|years| plain_date::date(today.year() + years, month, day));
        let is_running = |start: &NaiveDate| (1..91).contains(&today.signed_duration_since(*start).num_days());
        if which == Which::This && starts.clone().any(|start| is_running(&start)) {
            return [Some(today), add_days(today, 1)].into_iter().flatten().collect();
        }
        starts.filter(|start| *start >= today).collect()
    }

    /// Returns the first of the month, or where the month is running, what is left of it.
    fn rest_of_month(&self, first: NaiveDate) -> Vec<NaiveDate> {
        let is_running = (first.year(), first.month()) == (self.today().year(), self.today().month());
        if is_running && self.today() > first { self.rest_of(Unit::Month) } else { vec![first] }
    }

    /// Returns the days of the running week, month or year from today on, tomorrow's first part included.
    fn rest_of(&self, unit: Unit) -> Vec<NaiveDate> {
        let last = match unit {
            // Monday to Sunday.
            Unit::Week | Unit::Fortnight => self.end_of(Unit::Week).and_then(|friday| add_days(friday, 2)),
            Unit::Quarter => self.month(3 - self.today().month0() % 3).and_then(|first| add_days(first, -1)),
            Unit::Second | Unit::Minute | Unit::Hour | Unit::Day => Some(self.today()),
            Unit::Month | Unit::Year | Unit::Decade => self.end_of(unit),
        };
        let tomorrow = add_days(self.today(), 1).filter(|tomorrow| last.is_some_and(|last| *tomorrow <= last));
        std::iter::once(self.today()).chain(tomorrow).collect()
    }

    fn end_of(&self, unit: Unit) -> Option<NaiveDate> {
        let today = self.today();
        match unit {
            Unit::Week | Unit::Fortnight => add_days(today, 4 - i64::from(today.weekday().num_days_from_monday())),
            Unit::Month | Unit::Quarter => nth_of_month(self.month(0)?, -1, DayKind::Day),
            Unit::Year | Unit::Decade => plain_date::date(today.year(), 12, 31),
            Unit::Day | Unit::Hour | Unit::Minute | Unit::Second => Some(today),
        }
    }

    /// Returns the dates on which all of `days` agree.
    pub(super) fn agreeing(
        &self,
        days: &[Day],
        has_time: bool,
        notes: &mut Vec<Note>,
    ) -> Result<Vec<NaiveDate>, TimeError> {
        let [first, second] = days else { return self.all_agreeing(days, notes) };
        if let (Day::Weekday(_, first), Day::Weekday(_, second)) = (first, second)
            && first != second
        {
            return Err(self.several());
        }
        let (wide, narrow) = if rank(first) <= rank(second) { (first, second) } else { (second, first) };
        match (wide, narrow) {
            (Day::Period(which, Unit::Week), Day::Weekday(Which::Coming, weekday)) => {
                let weeks = match which {
                    Which::Next => 1,
                    Which::Last => -1,
                    Which::Later(weeks) | Which::InWeek(weeks) => *weeks,
                    Which::This | Which::Coming => 0,
                };
                let monday =
                    add_days(self.today(), weeks * 7 - i64::from(self.today().weekday().num_days_from_monday()));
                let date = monday.and_then(|monday| add_days(monday, weekday.num_days_from_monday().into()));
                return Ok(date.into_iter().collect());
            }
            // "the first week of october on friday"
            (Day::Weekday(Which::Coming, weekday), week @ Day::Week { .. }) => {
                let monday = self
                    .dates(week, has_time, notes)?
                    .into_iter()
                    .map(|date| add_days(date, -i64::from(date.weekday().num_days_from_monday())).unwrap_or(date));
                return Ok(monday
                    .filter_map(|monday| add_days(monday, weekday.num_days_from_monday().into()))
                    .collect());
            }
            // "eod friday"
            (Day::End(Unit::Day), day) | (day, Day::End(Unit::Day)) => return self.dates(day, true, notes),
            (Day::Period(Which::Next, Unit::Month), Day::OfMonth(day)) => {
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
        if let Day::OfMonth(_) = narrow {
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

    /// Returns the dates of the narrowest of three or more days, where the others name them too.
    fn all_agreeing(&self, days: &[Day], notes: &mut Vec<Note>) -> Result<Vec<NaiveDate>, TimeError> {
        let weekdays = |day: &Day| if let Day::Weekday(_, weekday) = day { Some(*weekday) } else { None };
        let mut named = days.iter().filter_map(weekdays);
        // "monday, wednesday and friday at 10"
        if let Some(first) = named.next()
            && named.any(|other| other != first)
        {
            return Err(self.several());
        }
        let mut days: Vec<&Day> = days.iter().collect();
        days.sort_by_key(|day| std::cmp::Reverse(rank(day)));
        let Some((narrow, others)) = days.split_first() else { return Ok(Vec::new()) };
        let mut dates = self.dates(narrow, true, notes)?;
        let Some(first) = dates.first().copied() else { return Ok(dates) };
        for other in others {
            let allowed = match other {
                Day::Weekday(Which::Coming, weekday) => {
                    dates.iter().copied().filter(|date| date.weekday() == *weekday).collect()
                }
                other => self.dates(other, true, notes)?,
            };
            dates.retain(|date| allowed.contains(date));
        }
        if dates.is_empty() { Err(self.mismatch(first)) } else { Ok(dates) }
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

    /// Returns the first date of a moment, which its weekday must agree with.
    pub(super) fn first_date_of(&self, day: &Day, weekday: Option<Weekday>) -> Result<NaiveDate, TimeError> {
        let Some(weekday) = weekday else { return self.first_date(day) };
        let dates = self.agreeing(&[Day::Weekday(Which::Coming, weekday), day.clone()], false, &mut Vec::new())?;
        self.first_of(&dates).ok_or_else(|| self.no_such_day())
    }

    /// Returns the first day of the month so many months on.
    fn month(&self, months: u32) -> Option<NaiveDate> {
        self.today().with_day(1)?.checked_add_months(Months::new(months))
    }
}

/// Returns the date so many Mondays to Fridays after `date`.
fn working_days_after(date: NaiveDate, count: i64) -> Option<NaiveDate> {
    // From a Saturday or Sunday on it is counted as from the Friday before.
    let past_friday = (i64::from(date.weekday().num_days_from_monday()) - 4).max(0);
    let start = add_days(date, -past_friday)?;
    let weekday = i64::from(start.weekday().num_days_from_monday());
    let ahead = weekday.checked_add(count)?;
    let days = ahead.div_euclid(5).checked_mul(7)?.checked_add(ahead.rem_euclid(5))?.checked_sub(weekday)?;
    plain_date::days_after(start, days)
}

/// Returns the local time so long after `local`: months clamp at their end, days are calendar days.
pub(super) fn later(local: NaiveDateTime, amount: Amount, is_back: bool) -> Option<NaiveDateTime> {
    let sign = if is_back { -1 } else { 1 };
    let months = shift_months(Some(local.date()), amount.months.checked_mul(sign)?)?;
    let date = plain_date::days_after(months, amount.days.checked_mul(sign)?)?;
    date.and_time(local.time()).checked_add_signed(TimeDelta::try_milliseconds(amount.millis.checked_mul(sign)?)?)
}

/// Returns the so-manieth day of a kind in the month that starts at `first`, from its end when negative.
fn nth_of_month(first: NaiveDate, nth: i32, kind: DayKind) -> Option<NaiveDate> {
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
        Day::Week { .. } | Day::WeekAround(_) | Day::Counted { .. } | Day::WorkingDays(_) | Day::Season { .. } => 2,
        Day::FromToday(_) => 3,
        Day::OfMonth(_) | Day::Nth { .. } => 4,
        Day::Date { .. } => 5,
    }
}

fn shift_months(date: Option<NaiveDate>, months: i64) -> Option<NaiveDate> {
    let count = Months::new(u32::try_from(months.unsigned_abs()).ok()?);
    if months < 0 { date?.checked_sub_months(count) } else { date?.checked_add_months(count) }
}
