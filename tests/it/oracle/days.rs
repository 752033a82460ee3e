//! At which times of a date does a rule come up? A small part of RFC 5545 and of cron, answered for one date at a time.
//!
//! Must never search: who wants the next time walks from date to date.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{Datelike, NaiveDate, NaiveDateTime, NaiveTime, TimeDelta, Timelike, Weekday};

/// A rule that can say which of a date's times are its own.
#[derive(Clone, Debug)]
pub(super) enum Days {
    Rrule(Rrule),
    Cron(Cron),
}

impl Days {
    pub(super) fn on(&self, date: NaiveDate) -> Vec<NaiveDateTime> {
        match self {
            Self::Rrule(rule) => rule.on(date),
            Self::Cron(cron) => cron.on(date),
        }
    }

    /// Returns whether it comes up in each hour of a day: then each hour that people live through has its own.
    pub(super) fn is_hourly(&self) -> bool {
        self.times().iter().map(Timelike::hour).collect::<BTreeSet<_>>().len() == 24
    }

    /// Returns whether it comes up more than once a day.
    pub(super) fn is_several_a_day(&self) -> bool {
        self.times().len() > 1
    }

    fn times(&self) -> &[NaiveTime] {
        match self {
            Self::Rrule(rule) => &rule.times,
            Self::Cron(cron) => &cron.times,
        }
    }
}

/// FREQ, INTERVAL, BYMONTH, BYMONTHDAY, BYDAY, BYHOUR, BYMINUTE, BYSECOND and BYSETPOS; weeks begin on Monday.
#[derive(Clone, Debug)]
pub(super) struct Rrule {
    freq: String,
    interval: i64,
    from: NaiveDate,
    months: Vec<i64>,
    month_days: Vec<i64>,
    /// With which one of the month, 0 for each.
    weekdays: Vec<(i64, Weekday)>,
    positions: Vec<i64>,
    times: Vec<NaiveTime>,
}

impl Rrule {
    pub(super) fn read(text: &str, from: NaiveDateTime) -> Self {
        let parts: BTreeMap<&str, &str> =
            text.split(';').map(|part| part.split_once('=').expect("NAME=VALUE")).collect();
        let numbers = |name: &str| -> Vec<i64> {
            let Some(value) = parts.get(name) else { return Vec::new() };
            value.split(',').map(|number| number.parse().expect("a number")).collect()
        };
        let or = |name: &str, usual: u32| {
            let given = numbers(name);
            if given.is_empty() { vec![i64::from(usual)] } else { given }
        };
        let weekdays = parts.get("BYDAY").map_or("", |days| days).split(',').filter(|day| !day.is_empty());
        let weekdays = weekdays.map(|day| {
            let (nth, name) = day.split_at(day.len() - 2);
            (if nth.is_empty() { 0 } else { nth.parse().expect("a number") }, weekday(name))
        });
        let mut times = Vec::new();
        for hour in or("BYHOUR", from.hour()) {
            for minute in or("BYMINUTE", from.minute()) {
                for second in or("BYSECOND", from.second()) {
                    times.push(time_of_day(hour, minute, second));
                }
            }
        }
        times.sort_unstable();
        times.dedup();
        Self {
            freq: (*parts.get("FREQ").expect("FREQ")).to_owned(),
            interval: numbers("INTERVAL").first().copied().unwrap_or(1),
            from: from.date(),
            months: numbers("BYMONTH"),
            month_days: numbers("BYMONTHDAY"),
            weekdays: weekdays.collect(),
            positions: numbers("BYSETPOS"),
            times,
        }
    }

    fn on(&self, date: NaiveDate) -> Vec<NaiveDateTime> {
        let all = |date: NaiveDate| self.times.iter().map(move |time| date.and_time(*time));
        if !self.is_on(date) {
            return Vec::new();
        }
        if self.positions.is_empty() {
            return all(date).collect();
        }
        let of_period: Vec<NaiveDateTime> =
            self.period_of(date).into_iter().filter(|date| self.is_on(*date)).flat_map(all).collect();
        let count = i64::try_from(of_period.len()).expect("few");
        let is_chosen = |place: i64| self.positions.iter().any(|at| *at == place + 1 || *at == place - count);
        let chosen = (0..).zip(&of_period).filter(|(place, _)| is_chosen(*place)).map(|(_, local)| *local);
        chosen.filter(|local| local.date() == date).collect()
    }

    /// Returns the dates of the day, week, month or year in which a date lies.
    fn period_of(&self, date: NaiveDate) -> Vec<NaiveDate> {
        let first = match self.freq.as_str() {
            "DAILY" => date,
            "WEEKLY" => monday(date),
            "MONTHLY" => date.with_day(1).expect("each month has a first"),
            _ => date.with_ordinal(1).expect("each year has a first"),
        };
        first.iter_days().take_while(|day| self.period(*day) == self.period(date)).collect()
    }

    /// Counts the periods of the rule.
    fn period(&self, date: NaiveDate) -> i64 {
        let month = i64::from(date.year()) * 12 + i64::from(date.month0());
        match self.freq.as_str() {
            "DAILY" => i64::from(date.num_days_from_ce()),
            "WEEKLY" => i64::from(monday(date).num_days_from_ce()) / 7,
            "MONTHLY" => month,
            "YEARLY" => i64::from(date.year()),
            other => panic!("the oracle does not know FREQ={other}"),
        }
    }

    fn is_on(&self, date: NaiveDate) -> bool {
        if (self.period(date) - self.period(self.from)) % self.interval != 0 {
            return false;
        }
        let month_is_given = self.months.is_empty() || self.months.contains(&i64::from(date.month()));
        let days_to_end = i64::from(date.day()) - i64::from(days_in_month(date)) - 1;
        let day_is_given = self.month_days.is_empty()
            || self.month_days.iter().any(|day| *day == i64::from(date.day()) || *day == days_to_end);
        let nth = i64::from(date.day0() / 7) + 1;
        let nth_last = (days_to_end + 1) / 7 - 1;
        let weekday_is_given = self.weekdays.is_empty()
            || self.weekdays.iter().any(|(n, day)| *day == date.weekday() && [0, nth, nth_last].contains(n));
        // What the rule leaves open is as on its first day.
        let as_first = match self.freq.as_str() {
            "WEEKLY" => !self.weekdays.is_empty() || date.weekday() == self.from.weekday(),
            "MONTHLY" | "YEARLY" if self.weekdays.is_empty() && self.month_days.is_empty() => {
                date.day() == self.from.day()
                    && (self.freq == "MONTHLY" || !self.months.is_empty() || date.month() == self.from.month())
            }
            _ => true,
        };
        month_is_given && day_is_given && weekday_is_given && as_first
    }
}

/// Five fields, six with seconds, seven with a year; `* ? , - / L W #`.
#[derive(Clone, Debug)]
pub(super) struct Cron {
    month_days: String,
    months: BTreeSet<u32>,
    weekdays: String,
    years: Option<BTreeSet<u32>>,
    times: Vec<NaiveTime>,
}

impl Cron {
    pub(super) fn read(expression: &str) -> Self {
        let mut fields: Vec<&str> = expression.split_whitespace().collect();
        if fields.len() == 5 {
            fields.insert(0, "0");
        }
        let mut times = Vec::new();
        for hour in numbers(fields[2], 0, 23) {
            for minute in numbers(fields[1], 0, 59) {
                for second in numbers(fields[0], 0, 59) {
                    times.push(time_of_day(hour.into(), minute.into(), second.into()));
                }
            }
        }
        times.sort_unstable();
        Self {
            month_days: fields[3].to_owned(),
            months: numbers(fields[4], 1, 12),
            weekdays: fields[5].to_owned(),
            years: fields.get(6).map(|years| numbers(years, 1970, 9999)),
            times,
        }
    }

    fn on(&self, date: NaiveDate) -> Vec<NaiveDateTime> {
        let year = u32::try_from(date.year()).expect("after Christ");
        let is_open = |field: &str| field.starts_with(['*', '?']);
        let (by_day, by_weekday) = (self.is_day(date), self.is_weekday(date));
        // As cron does: where both are given, either will do.
        let is_day = if is_open(&self.month_days) || is_open(&self.weekdays) {
            by_day && by_weekday
        } else {
            by_day || by_weekday
        };
        let is_year = self.years.as_ref().is_none_or(|years| years.contains(&year));
        if is_day && is_year && self.months.contains(&date.month()) {
            self.times.iter().map(|time| date.and_time(*time)).collect()
        } else {
            Vec::new()
        }
    }

    fn is_day(&self, date: NaiveDate) -> bool {
        let last = days_in_month(date);
        self.month_days.split(',').any(|item| match item {
            "L" => date.day() == last,
            "LW" => date == nearest_workday(date, last),
            _ if item.ends_with('W') => {
                let day: u32 = item.trim_end_matches('W').parse().expect("a day");
                day <= last && date == nearest_workday(date, day)
            }
            _ => numbers(item, 1, 31).contains(&date.day()),
        })
    }

    fn is_weekday(&self, date: NaiveDate) -> bool {
        let today = date.weekday().num_days_from_sunday();
        let is_last = date.day() + 7 > days_in_month(date);
        self.weekdays.split(',').any(|item| {
            if let Some((day, nth)) = item.split_once('#') {
                numbers(day, 0, 7).contains(&today) && date.day0() / 7 + 1 == nth.parse::<u32>().expect("which")
            } else if let Some(day) = item.strip_suffix('L').filter(|day| !day.is_empty()) {
                numbers(day, 0, 7).contains(&today) && is_last
            } else {
                let days = numbers(item, 0, 7);
                days.contains(&today) || today == 0 && days.contains(&7)
            }
        })
    }
}

/// Returns the numbers that a field of cron lists: `*`, `5`, `1-5`, `*/10`, `8-18/2`, `MON-FRI`.
fn numbers(field: &str, first: u32, last: u32) -> BTreeSet<u32> {
    let mut found = BTreeSet::new();
    for item in field.split(',') {
        let (range, step) = item.split_once('/').unwrap_or((item, "1"));
        let (from, to) = match range.split_once('-') {
            Some((from, to)) => (number(from), number(to)),
            None if range == "*" || range == "?" => (first, last),
            None if item.contains('/') => (number(range), last),
            None => (number(range), number(range)),
        };
        found.extend((from..=to).step_by(step.parse().expect("a step")));
    }
    found
}

fn number(text: &str) -> u32 {
    const WEEKDAYS: [&str; 7] = ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"];
    let named = WEEKDAYS.iter().position(|name| *name == text);
    named.map_or_else(|| text.parse().expect("a number"), |place| u32::try_from(place).expect("small"))
}

/// Returns the Monday to Friday nearest to a day of the month, within that month.
fn nearest_workday(month: NaiveDate, day: u32) -> NaiveDate {
    let wanted = month.with_day(day).expect("a day of the month");
    let by = |days| wanted + TimeDelta::days(days);
    let nearest = match wanted.weekday() {
        Weekday::Sat => [by(-1), by(2)],
        Weekday::Sun => [by(1), by(-2)],
        Weekday::Mon | Weekday::Tue | Weekday::Wed | Weekday::Thu | Weekday::Fri => [wanted, wanted],
    };
    if nearest[0].month() == month.month() { nearest[0] } else { nearest[1] }
}

pub(super) fn days_in_month(date: NaiveDate) -> u32 {
    (28..=31).rev().find(|day| date.with_day(*day).is_some()).expect("each month has 28 days")
}

fn monday(date: NaiveDate) -> NaiveDate {
    date - TimeDelta::days(date.weekday().num_days_from_monday().into())
}

fn weekday(name: &str) -> Weekday {
    const NAMES: [&str; 7] = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"];
    let place = NAMES.iter().position(|known| *known == name).expect("a weekday");
    Weekday::try_from(u8::try_from(place).expect("small")).expect("one of seven")
}

fn time_of_day(hour: i64, minute: i64, second: i64) -> NaiveTime {
    let part = |number: i64| u32::try_from(number).expect("not negative");
    NaiveTime::from_hms_opt(part(hour), part(minute), part(second)).expect("a time of the day")
}
