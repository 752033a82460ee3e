//! Does every kind of rule ring when it should through every change of the clock?
//!
//! The oracle walks real time minute by minute and looks at the clock on the wall; it asks nothing of the schedule's code
//! nor of `time::resolve`. A part of the changes of 2000 to 2037 is tried, all of them when built
//! with `KEIKO_CLOCK_CHANGES=all` (a rule's file asks no environment when it runs).

use chrono::{Datelike, NaiveDate, NaiveDateTime, TimeDelta, Timelike, Weekday};

use super::{ZONES, cron, transitions};
use crate::domain::occurrence::Instance;
use crate::domain::schedule::local::Naming;
use crate::domain::schedule::{Calendar, Cron, Interval, Rule, Schedule};
use crate::domain::time::{Span, Timestamp};

const MINUTE_MS: i64 = 60_000;

/// What the clock on the wall shows, minute by minute.
struct Wall {
    minutes: Vec<(Timestamp, NaiveDateTime)>,
}

impl Wall {
    /// Looks at it for two days on both sides of `change`.
    fn around(change: Timestamp, zone: chrono_tz::Tz) -> Self {
        let at = |minutes: i64| change.saturating_add(Span::from_minutes(minutes));
        // Whole minutes of the clock, also where its offset has seconds.
        let minutes = (-2 * 1440..2 * 1440).map(|minute| (at(minute), at(minute).local(zone))).collect();
        Self { minutes }
    }

    /// Returns when a rule of the local times that `matches` names should ring.
    ///
    /// What rings `once` also rings when its date is never shown: a reminder is not lost.
    fn rings(&self, naming: Naming, once: bool, matches: impl Fn(NaiveDateTime) -> bool) -> Vec<Timestamp> {
        let minute = TimeDelta::minutes(1);
        let mut latest = self.minutes[0].1;
        let mut rings = Vec::new();
        for pair in self.minutes.windows(2) {
            let ((_, before), (at, now)) = (pair[0], pair[1]);
            let is_again = now <= latest;
            let is_due = if is_again {
                naming == Naming::Instant && matches(now)
            } else {
                // What the clock jumped over is due now, but for dates that it never shows.
                let mut passed = before + minute;
                let mut is_due = false;
                while passed <= now {
                    let is_shown = once || passed.date() == before.date() || passed.date() == now.date();
                    is_due |= is_shown && passed > latest && matches(passed);
                    passed += minute;
                }
                is_due
            };
            latest = latest.max(now);
            if is_due {
                rings.push(at);
            }
        }
        rings
    }

    fn start(&self) -> Timestamp {
        self.minutes[0].0
    }

    fn end(&self) -> Timestamp {
        self.minutes[self.minutes.len() - 1].0
    }
}

/// A rule, and the same in the test's own words.
struct Case {
    rule: Rule,
    naming: Naming,
    matches: Box<dyn Fn(NaiveDateTime) -> bool>,
    count: usize,
}

fn case(rule: Rule, naming: Naming, matches: impl Fn(NaiveDateTime) -> bool + 'static) -> Case {
    Case { rule, naming, matches: Box::new(matches), count: usize::MAX }
}

fn rrule(text: &str, from: NaiveDateTime) -> Calendar {
    Calendar { rrule: format!("{text};BYSECOND=0"), from, count: None, until: None }
}

fn cron_from(expression: &str, from: NaiveDateTime) -> Cron {
    let Rule::Cron(rule) = cron(expression, "2000-01-01 00:00").rule else { unreachable!("a cron rule") };
    Cron { from, ..rule }
}

fn code(day: Weekday) -> String {
    day.to_string()[..2].to_uppercase()
}

fn month_days(local: NaiveDateTime) -> u32 {
    u32::from(local.num_days_in_month())
}

fn working(day: Weekday) -> bool {
    !matches!(day, Weekday::Sat | Weekday::Sun)
}

fn is_last_working_day(local: NaiveDateTime) -> bool {
    let later = (local.day() + 1..=month_days(local)).filter_map(|day| local.with_day(day));
    working(local.weekday()) && later.into_iter().all(|day| !working(day.weekday()))
}

/// Returns the cases whose times lie where the clock changes: around `local`, in a window from `start` on.
fn cases(local: NaiveDateTime, start: NaiveDateTime) -> Vec<Case> {
    let long_ago = start - TimeDelta::days(1000);
    let days = in_weeks_and_days(local, long_ago).into_iter().chain(in_months_and_years(local, long_ago));
    days.chain(limited(local, start)).chain(several_a_day(local, long_ago)).collect()
}

fn calendar(text: &str, from: NaiveDateTime) -> Rule {
    Rule::Calendar(rrule(text, from))
}

fn time_of(local: NaiveDateTime) -> String {
    format!("BYHOUR={};BYMINUTE={}", local.hour(), local.minute())
}

fn is_time(wanted: NaiveDateTime, local: NaiveDateTime) -> bool {
    (local.hour(), local.minute()) == (wanted.hour(), wanted.minute())
}

fn in_weeks_and_days(local: NaiveDateTime, long_ago: NaiveDateTime) -> Vec<Case> {
    let (hour, minute, date, at) = (local.hour(), local.minute(), local.date(), time_of(local));
    let is_time = move |now: NaiveDateTime| is_time(local, now);
    let weekday = date.weekday();
    vec![
        case(calendar(&format!("FREQ=DAILY;{at}"), long_ago), Naming::Date, is_time),
        case(calendar(&format!("FREQ=WEEKLY;BYDAY={};{at}", code(weekday)), long_ago), Naming::Date, move |local| {
            is_time(local) && local.weekday() == weekday
        }),
        case(calendar(&format!("FREQ=DAILY;INTERVAL=2;{at}"), long_ago), Naming::Date, move |local| {
            is_time(local) && (local.date() - long_ago.date()).num_days() % 2 == 0
        }),
        case(Rule::Cron(cron_from(&format!("{minute} {hour} * * *"), long_ago)), Naming::Date, is_time),
        case(Rule::Once(date.and_hms_opt(hour, minute, 0).expect("a time")), Naming::Date, move |local| {
            is_time(local) && local.date() == date
        }),
    ]
}

fn in_months_and_years(local: NaiveDateTime, long_ago: NaiveDateTime) -> Vec<Case> {
    let (hour, minute, date, at) = (local.hour(), local.minute(), local.date(), time_of(local));
    let is_time = move |now: NaiveDateTime| is_time(local, now);
    let (day, month, weekday) = (date.day(), date.month(), date.weekday());
    let nth = (day - 1) / 7 + 1;
    vec![
        case(calendar(&format!("FREQ=MONTHLY;BYMONTHDAY={day};{at}"), long_ago), Naming::Date, move |local| {
            is_time(local) && local.day() == day
        }),
        case(
            calendar(&format!("FREQ=MONTHLY;BYDAY={nth}{};{at}", code(weekday)), long_ago),
            Naming::Date,
            move |local| is_time(local) && local.weekday() == weekday && (local.day() - 1) / 7 + 1 == nth,
        ),
        case(calendar(&format!("FREQ=MONTHLY;BYDAY=-1{};{at}", code(weekday)), long_ago), Naming::Date, move |local| {
            is_time(local) && local.weekday() == weekday && local.day() + 7 > month_days(local)
        }),
        case(calendar(&format!("FREQ=MONTHLY;BYMONTHDAY=-1;{at}"), long_ago), Naming::Date, move |local| {
            is_time(local) && local.day() == month_days(local)
        }),
        case(
            calendar(&format!("FREQ=MONTHLY;BYMONTHDAY=28,29,30,31;BYSETPOS=-1;{at}"), long_ago),
            Naming::Date,
            move |local| is_time(local) && local.day() == month_days(local),
        ),
        case(
            calendar(&format!("FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1;{at}"), long_ago),
            Naming::Date,
            move |local| is_time(local) && is_last_working_day(local),
        ),
        case(
            calendar(&format!("FREQ=YEARLY;BYMONTH={month};BYMONTHDAY={day};{at}"), long_ago),
            Naming::Date,
            move |local| is_time(local) && (local.month(), local.day()) == (month, day),
        ),
        case(calendar(&format!("FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29;{at}"), long_ago), Naming::Date, move |local| {
            is_time(local) && (local.month(), local.day()) == (2, 29)
        }),
        case(
            Rule::Cron(cron_from(&format!("{minute} {hour} {day} {month} *"), long_ago)),
            Naming::Date,
            move |local| is_time(local) && (local.month(), local.day()) == (month, day),
        ),
    ]
}

fn limited(local: NaiveDateTime, start: NaiveDateTime) -> Vec<Case> {
    let long_ago = start - TimeDelta::days(1000);
    let (hour, minute, date, at) = (local.hour(), local.minute(), local.date(), time_of(local));
    let is_time = move |now: NaiveDateTime| is_time(local, now);
    let until = date.and_hms_opt(hour, minute, 0);
    let counted = Case {
        count: 2,
        ..case(
            Rule::Calendar(Calendar { count: Some(2), ..rrule(&format!("FREQ=DAILY;{at}"), start) }),
            Naming::Date,
            is_time,
        )
    };
    vec![
        counted,
        case(
            Rule::Calendar(Calendar { until, ..rrule(&format!("FREQ=DAILY;{at}"), long_ago) }),
            Naming::Date,
            move |local| is_time(local) && local.date() <= date,
        ),
        case(
            Rule::Cron(Cron { until, ..cron_from(&format!("{minute} {hour} * * *"), long_ago) }),
            Naming::Date,
            move |local| is_time(local) && local.date() <= date,
        ),
    ]
}

fn several_a_day(local: NaiveDateTime, long_ago: NaiveDateTime) -> Vec<Case> {
    let (hour, minute) = (local.hour(), local.minute());
    let later = (hour + 3) % 24;
    vec![
        case(calendar(&format!("FREQ=DAILY;BYHOUR={hour},{later};BYMINUTE={minute}"), long_ago), Naming::DateTime, {
            move |local: NaiveDateTime| [hour, later].contains(&local.hour()) && local.minute() == minute
        }),
        case(Rule::Cron(cron_from(&format!("*/10 {hour} * * *"), long_ago)), Naming::DateTime, move |local| {
            local.hour() == hour && local.minute() % 10 == 0
        }),
        case(Rule::Cron(cron_from("*/10 * * * *", long_ago)), Naming::Instant, |local| local.minute() % 10 == 0),
        case(Rule::Cron(cron_from(&format!("{minute} * * * *"), long_ago)), Naming::Instant, move |local| {
            local.minute() == minute
        }),
        case(
            calendar(&format!("FREQ=DAILY;BYHOUR={};BYMINUTE=20", every_hour()), long_ago),
            Naming::Instant,
            |local| local.minute() == 20,
        ),
    ]
}

fn every_hour() -> String {
    (0..24).map(|hour: u32| hour.to_string()).collect::<Vec<_>>().join(",")
}

#[test]
fn every_kind_of_rule_rings_as_the_clock_on_the_wall_says() {
    let is_all = option_env!("KEIKO_CLOCK_CHANGES") == Some("all");
    let step = if is_all { 1 } else { 17 };
    let mut tried = 0;
    for (index, name) in ZONES.into_iter().enumerate() {
        let zone: chrono_tz::Tz = name.parse().expect("a zone of the test's own");
        let apia = (name == "Pacific/Apia").then(|| super::instant("2011-12-31 00:00", zone));
        let changes = transitions(zone).into_iter().enumerate();
        let chosen = changes.filter(|(place, change)| (place + index) % step == 0 || Some(*change) == apia);
        for (place, change) in chosen {
            let wall = Wall::around(change, zone);
            let before = change.saturating_add(Span::from_millis(-MINUTE_MS)).local(zone);
            let after = change.local(zone);
            // Before, inside and behind the hour that the clock jumps over or shows twice.
            let inside = before.max(after) - TimeDelta::minutes([15, 29, 1, 30][place % 4]);
            let start = wall.minutes[0].1;
            let around = [inside, after, before].into_iter().cycle().skip(if is_all { 0 } else { place });
            for local in around.take(if is_all { 3 } else { 1 }) {
                let cases = cases(local, start + TimeDelta::minutes(1));
                for case in &cases {
                    check(case, &wall, zone);
                    tried += 1;
                }
            }
        }
    }
    assert!(tried > 300, "{tried}");
}

#[track_caller]
fn check(case: &Case, wall: &Wall, zone: chrono_tz::Tz) {
    let schedule = Schedule { text: String::new(), rule: case.rule.clone(), zone: Some(zone) };
    let once = !case.rule.is_series();
    let expected: Vec<Timestamp> = wall.rings(case.naming, once, &case.matches).into_iter().take(case.count).collect();
    let (start, end) = (wall.start(), wall.end());
    // Asked one after another, as the engine does; where there are many, from every eleventh on. And in one go.
    let is_within = |next: &Instance| start < next.due && next.due <= end;
    let ask = |cursor: Option<&Instance>| schedule.next_after(cursor, start, zone).filter(is_within);
    let first = ask(None);
    assert_eq!(first.map(|first| first.due), expected.first().copied(), "{:?} in {zone}", case.rule);
    for (index, due) in expected.iter().enumerate().skip(1) {
        if expected.len() < 20 || index % 11 == 0 {
            let before = schedule.instances(None, start, zone).find(|i| i.due == expected[index - 1]);
            let next = ask(before.as_ref());
            assert_eq!(next.map(|next| next.due), Some(*due), "{:?} in {zone}", case.rule);
        }
    }
    let at_once = schedule.instances(None, start, zone).filter(|i| i.due > start).take_while(|i| i.due <= end);
    assert_eq!(at_once.map(|i| i.due).collect::<Vec<_>>(), expected, "{:?} in {zone}", case.rule);
}

#[test]
fn an_interval_keeps_its_length_through_every_clock_change() {
    for name in ZONES {
        let zone: chrono_tz::Tz = name.parse().expect("a zone of the test's own");
        for change in transitions(zone) {
            let from = change.saturating_add(Span::from_minutes(-100));
            let interval = Interval { every: Span::from_minutes(45), from, count: None, until: None };
            let schedule = Schedule { rule: Rule::Interval(interval), ..Schedule::none() };
            let due: Vec<i64> = schedule.instances(None, from, zone).take(6).map(|i| i.due.as_millis()).collect();
            assert!(due.windows(2).all(|pair| pair[1] - pair[0] == 45 * MINUTE_MS), "{name} {change}");
        }
    }
}

#[test]
fn a_rule_of_every_hour_is_not_silent_in_the_repeated_hour() {
    let zone = chrono_tz::Tz::America__New_York;
    let from = NaiveDate::from_ymd_opt(2026, 11, 1).and_then(|date| date.and_hms_opt(0, 30, 0)).expect("a time");
    let hourly = Schedule { rule: Rule::Cron(cron_from("0 * * * *", from)), ..Schedule::none() };
    let told: Vec<String> =
        hourly.instances(None, Timestamp::MIN, zone).take(3).map(|i| i.due.in_zone(zone).to_rfc3339()).collect();
    assert_eq!(told, ["2026-11-01T01:00:00-04:00", "2026-11-01T01:00:00-05:00", "2026-11-01T02:00:00-05:00"]);
    let named = Schedule { rule: Rule::Cron(cron_from("*/30 1 * * *", from)), ..Schedule::none() };
    let told: Vec<String> =
        named.instances(None, Timestamp::MIN, zone).take(3).map(|i| i.due.in_zone(zone).to_rfc3339()).collect();
    assert_eq!(told, ["2026-11-01T01:00:00-04:00", "2026-11-01T01:30:00-04:00", "2026-11-02T01:00:00-05:00"]);
}
