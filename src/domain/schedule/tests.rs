//! Each kind of rule, and what clock changes do to it.

mod bounds;
mod clock_changes;

use chrono::{NaiveDate, NaiveTime, TimeDelta};
use proptest::prelude::*;

use super::*;
use crate::domain::time::{add_days, date_exists};

fn local(text: &str) -> NaiveDateTime {
    NaiveDateTime::parse_from_str(text, "%Y-%m-%d %H:%M").expect("a local time of the test's own")
}

fn zone(name: &str) -> Tz {
    name.parse().expect("a zone of the test's own")
}

fn instant(text: &str, zone: Tz) -> Timestamp {
    resolve(local(text), zone).expect("within range").0
}

fn calendar(rrule: &str, from: &str) -> Schedule {
    let calendar = Calendar { rrule: rrule.into(), from: local(from), count: None, until: None };
    Schedule { text: String::new(), rule: Rule::Calendar(calendar), zone: None }
}

#[track_caller]
fn check(rrule: &str, from: &str, in_zone: &str, expected: &[&str]) {
    let schedule = calendar(rrule, from);
    let zone = zone(in_zone);
    let now = instant(from, zone);
    let found: Vec<String> = schedule
        .instances(None, now, zone)
        .filter(|instance| instance.due > now)
        .take(expected.len())
        .map(|instance| instance.due.in_zone(zone).to_rfc3339())
        .collect();
    assert_eq!(found, expected);
}

#[test]
fn a_daily_rule_keeps_its_hour_through_a_gap_and_a_fold() {
    check(
        "FREQ=DAILY;BYHOUR=2;BYMINUTE=30;BYSECOND=0",
        "2026-03-06 12:00",
        "America/New_York",
        &["2026-03-07T02:30:00-05:00", "2026-03-08T03:00:00-04:00", "2026-03-09T02:30:00-04:00"],
    );
    check(
        "FREQ=DAILY;BYHOUR=1;BYMINUTE=30;BYSECOND=0",
        "2026-10-31 12:00",
        "America/New_York",
        &["2026-11-01T01:30:00-04:00", "2026-11-02T01:30:00-05:00"],
    );
}

#[test]
fn a_date_that_does_not_exist_has_no_instance() {
    check(
        "FREQ=DAILY;BYHOUR=7;BYMINUTE=0;BYSECOND=0",
        "2011-12-28 12:00",
        "Pacific/Apia",
        &["2011-12-29T07:00:00-10:00", "2011-12-31T07:00:00+14:00"],
    );
}

#[test]
fn a_month_end_is_clamped_and_returns() {
    check(
        "FREQ=MONTHLY;BYMONTHDAY=28,29,30,31;BYSETPOS=-1;BYHOUR=9;BYMINUTE=0;BYSECOND=0",
        "2026-01-20 12:00",
        "Europe/Berlin",
        &["2026-01-31T09:00:00+01:00", "2026-02-28T09:00:00+01:00", "2026-03-31T09:00:00+02:00"],
    );
}

#[test]
fn several_times_a_day_that_one_gap_swallows_ring_once() {
    check(
        "FREQ=DAILY;BYHOUR=2;BYMINUTE=0,30;BYSECOND=0",
        "2026-03-08 00:00",
        "America/New_York",
        &["2026-03-08T03:00:00-04:00", "2026-03-09T02:00:00-04:00", "2026-03-09T02:30:00-04:00"],
    );
}

#[test]
fn a_fortnightly_rule_keeps_its_weeks_years_later() {
    let schedule = calendar("FREQ=WEEKLY;INTERVAL=2;BYDAY=TU;BYHOUR=9;BYMINUTE=0;BYSECOND=0", "2020-01-07 08:00");
    let berlin = zone("Europe/Berlin");
    let now = instant("2026-11-20 12:00", berlin);
    let near = schedule.next_after(None, now, berlin).expect("a next one");
    let walked = schedule.instances(None, Timestamp::MIN, berlin).find(|i| i.due > now).expect("a next one");
    assert_eq!(near, walked);
}

#[test]
fn a_count_counts_from_the_start() {
    let Rule::Calendar(rule) = calendar("FREQ=DAILY;BYHOUR=9;BYMINUTE=0;BYSECOND=0", "2026-01-01 08:00").rule else {
        unreachable!("a calendar rule")
    };
    let rule = Rule::Calendar(Calendar { count: Some(3), ..rule });
    let schedule = Schedule { text: String::new(), rule, zone: None };
    let utc = Tz::UTC;
    assert_eq!(schedule.instances(None, Timestamp::MIN, utc).count(), 3);
    assert_eq!(schedule.next_after(None, instant("2026-01-03 10:00", utc), utc), None);
}

#[test]
fn a_rule_that_cannot_be_read_or_is_too_fine_is_refused() {
    let error = calendar("FREQ=SOMETIMES", "2026-01-01 08:00").validate().expect_err("unreadable");
    assert!(error.to_string().starts_with("cannot read recurrence rule \"FREQ=SOMETIMES\""), "{error}");
    // Here the crate's own parser panics.
    let error = calendar("FREQ=MONTHLY;BYDAY=-1FR\u{55be2}", "2026-01-01 08:00").validate().expect_err("unreadable");
    assert!(error.to_string().contains("of ASCII"), "{error}");
    let error = calendar("FREQ=HOURLY", "2026-01-01 08:00").validate().expect_err("too fine");
    assert_eq!(
        error.to_string(),
        "cannot use recurrence rule \"FREQ=HOURLY\": expected FREQ=DAILY or coarser, finer ones are intervals"
    );
}

#[test]
fn a_rule_that_never_matches_ends_its_search() {
    let schedule = calendar("FREQ=MONTHLY;BYMONTH=4;BYMONTHDAY=31", "2026-01-01 08:00");
    assert_eq!(schedule.next_after(None, Timestamp::MIN, Tz::UTC), None);
}

proptest! {
    #[test]
    fn an_interval_finds_what_walking_finds(
        every in 1_i64..100_000, from in 0_i64..1_000_000, now in 0_i64..3_000_000,
        cursor_index in 0_u64..40, count in proptest::option::of(1_u32..60),
    ) {
        let at = |millis| Timestamp::from_millis(millis).expect("small");
        let interval = Interval { every: Span::from_secs(every), from: at(from), count, until: None };
        let schedule = Schedule { text: String::new(), rule: Rule::Interval(interval), zone: None };
        if let Some(cursor) = interval.at(cursor_index) {
            let walked: Vec<Instance> = (cursor_index + 1..).map_while(|i| interval.at(i)).take_while(|i| i.due <= at(now)).collect();
            let latest = schedule.latest_by(&cursor, at(now), Tz::UTC);
            let behind = |found: &[Instance]| {
                let (last, between) = found.split_last()?;
                let passed = between.iter().map(|each| Passed::one(each.due)).fold(Passed::NONE, Passed::and);
                Some((*last, passed))
            };
            prop_assert_eq!(latest, behind(&walked));
            let next = schedule.next_after(Some(&cursor), at(now), Tz::UTC);
            let expected = (cursor_index + 1..).map_while(|i| interval.at(i)).find(|i| i.due > at(now));
            prop_assert_eq!(next, expected);
        }
    }

    #[test]
    fn the_next_instance_is_ahead_and_skips_none(days in 0_i64..4000, hour in 0_u32..24, name in prop::sample::select(vec![
        "America/New_York", "Europe/Berlin", "Australia/Lord_Howe", "Pacific/Apia", "America/Havana", "Africa/Casablanca",
    ])) {
        let zone = zone(name);
        let schedule = calendar(&format!("FREQ=DAILY;BYHOUR={hour};BYMINUTE=30;BYSECOND=0"), "2010-01-01 00:00");
        let now = Timestamp::from_millis(1_262_304_000_000 + days * 86_400_000).expect("in range");
        let near = schedule.next_after(None, now, zone).expect("daily rules go on");
        prop_assert!(near.due > now);
        // 25 hours, and a day more where a date does not exist.
        prop_assert!(near.due.since(now).as_millis() <= 50 * 3_600_000);
        let walked = schedule.instances(None, Timestamp::MIN, zone).find(|i| i.due > now);
        prop_assert_eq!(Some(near), walked);
    }
}

fn cron(expression: &str, from: &str) -> Schedule {
    let cron = Cron { expression: expression.into(), from: local(from), count: None, until: None };
    Schedule { text: String::new(), rule: Rule::Cron(cron), zone: None }
}

#[track_caller]
fn check_cron(expression: &str, from: &str, in_zone: &str, expected: &[&str]) {
    let (schedule, zone) = (cron(expression, from), zone(in_zone));
    let now = instant(from, zone);
    let found: Vec<String> = schedule
        .instances(None, now, zone)
        .filter(|instance| instance.due > now)
        .take(expected.len())
        .map(|instance| instance.due.in_zone(zone).to_rfc3339())
        .collect();
    assert_eq!(found, expected, "{expression}");
}

#[test]
fn cron_knows_five_six_and_seven_fields_names_and_marks() {
    let berlin = "Europe/Berlin";
    let from = "2026-05-13 16:00";
    check_cron("0 9 * * MON-FRI", from, berlin, &["2026-05-14T09:00:00+02:00", "2026-05-15T09:00:00+02:00"]);
    check_cron("30 0 9 * * 0", from, berlin, &["2026-05-17T09:00:30+02:00", "2026-05-24T09:00:30+02:00"]);
    check_cron("0 9 * * 7", from, berlin, &["2026-05-17T09:00:00+02:00"]);
    check_cron("0 0 9 1 JAN ? 2028", from, berlin, &["2028-01-01T09:00:00+01:00"]);
    check_cron("0 9 L * *", from, berlin, &["2026-05-31T09:00:00+02:00", "2026-06-30T09:00:00+02:00"]);
    check_cron("0 9 15W * *", from, berlin, &["2026-05-15T09:00:00+02:00", "2026-06-15T09:00:00+02:00"]);
    check_cron("0 9 * * 5#2", from, berlin, &["2026-06-12T09:00:00+02:00"]);
    check_cron("0 9 * * FRI#3", from, berlin, &["2026-05-15T09:00:00+02:00", "2026-06-19T09:00:00+02:00"]);
    check_cron("0 9 * * FRIL", from, berlin, &["2026-05-29T09:00:00+02:00", "2026-06-26T09:00:00+02:00"]);
    check_cron("0 9 LW * *", from, berlin, &["2026-05-29T09:00:00+02:00", "2026-06-30T09:00:00+02:00"]);
    check_cron("0 9 L-3 * *", from, berlin, &["2026-05-28T09:00:00+02:00", "2026-06-27T09:00:00+02:00"]);
    check_cron("0 9-11/2 * * ?", from, berlin, &["2026-05-14T09:00:00+02:00", "2026-05-14T11:00:00+02:00"]);
    check_cron("0 9 1 */6 *", from, berlin, &["2026-07-01T09:00:00+02:00", "2027-01-01T09:00:00+01:00"]);
    check_cron("0 9 * * 5-7", "2026-05-15 16:00", berlin, &["2026-05-16T09:00:00+02:00", "2026-05-17T09:00:00+02:00"]);
    check_cron("0 9 * * *", "9998-12-31 16:00", "UTC", &["9999-01-01T09:00:00+00:00"]);
}

#[test]
fn cron_takes_the_day_of_the_month_or_the_weekday() {
    check_cron(
        "0 9 1 * FRI",
        "2026-05-27 16:00",
        "UTC",
        &["2026-05-29T09:00:00+00:00", "2026-06-01T09:00:00+00:00", "2026-06-05T09:00:00+00:00"],
    );
}

#[test]
fn cron_meets_clock_changes_as_other_rules_do() {
    check_cron(
        "30 2 * * *",
        "2026-03-07 12:00",
        "America/New_York",
        &["2026-03-08T03:00:00-04:00", "2026-03-09T02:30:00-04:00"],
    );
    check_cron(
        "30 1 * * *",
        "2026-10-31 12:00",
        "America/New_York",
        &["2026-11-01T01:30:00-04:00", "2026-11-02T01:30:00-05:00"],
    );
    check_cron("0 9 * * *", "2011-12-29 12:00", "Pacific/Apia", &["2011-12-31T09:00:00+14:00"]);
}

#[test]
fn a_daily_cron_is_named_by_its_date_and_a_finer_one_by_its_time() {
    let key = |expression| {
        let first = cron(expression, "2026-05-13 16:00").next_after(None, Timestamp::MIN, Tz::UTC);
        first.expect("a first instance").key
    };
    assert_eq!(key("0 9 * * *"), OccurrenceKey::Date(local("2026-05-14 00:00").date()));
    assert_eq!(key("0 9,18 * * *"), OccurrenceKey::DateTime(local("2026-05-13 18:00")));
    assert_eq!(key("0 * * * *"), OccurrenceKey::Instant(instant("2026-05-13 16:00", Tz::UTC)));
}

#[test]
fn a_cron_that_never_matches_or_cannot_be_read_is_refused() {
    let never = cron("0 9 31 2 *", "2026-01-01 08:00");
    assert_eq!(never.next_after(None, Timestamp::MIN, Tz::UTC), None);
    let error = cron("61 9 * * *", "2026-01-01 08:00").validate().expect_err("no such minute");
    assert!(error.to_string().starts_with("cannot read cron expression \"61 9 * * *\""), "{error}");
}

#[test]
fn a_counted_cron_ends_with_its_count() {
    let Rule::Cron(rule) = cron("0 9 * * *", "2026-01-01 08:00").rule else { unreachable!("a cron rule") };
    let schedule = Schedule { rule: Rule::Cron(Cron { count: Some(3), ..rule }), ..Schedule::none() };
    assert_eq!(schedule.instances(None, Timestamp::MIN, Tz::UTC).count(), 3);
    assert_eq!(schedule.next_after(None, instant("2026-01-03 10:00", Tz::UTC), Tz::UTC), None);
}

/// The zones whose clocks behave most unlike each other.
const ZONES: [&str; 7] = [
    "America/New_York",
    "Europe/Berlin",
    "Australia/Lord_Howe",
    "Africa/Casablanca",
    "Pacific/Apia",
    "America/Santiago",
    "America/Havana",
];

/// Returns the instants of 2000 to 2037 at which `zone`'s clock jumps, to the minute.
fn transitions(zone: Tz) -> Vec<Timestamp> {
    const HOUR_MS: i64 = 3_600_000;
    let at = |millis| Timestamp::from_millis(millis).expect("within 1970 to 9999");
    let offset = |millis: i64| at(millis).local(zone).and_utc().timestamp_millis() - millis;
    let (start, end) =
        (instant("2000-01-01 00:00", Tz::UTC).as_millis(), instant("2038-01-01 00:00", Tz::UTC).as_millis());
    (start..end)
        .step_by(usize::try_from(12 * HOUR_MS).expect("small"))
        .filter(|before| offset(*before) != offset(before + 12 * HOUR_MS))
        .map(|before| {
            let (mut low, mut high) = (before, before + 12 * HOUR_MS);
            while high - low > 60_000 {
                let middle = low + (high - low) / 120_000 * 60_000;
                if offset(middle) == offset(before) {
                    low = middle;
                } else {
                    high = middle;
                }
            }
            at(high)
        })
        .collect()
}

/// Local dates that `zone` shows, from three days before `at` to three days after it.
fn dates_around(at: Timestamp, zone: Tz) -> Vec<NaiveDate> {
    let day = at.local(zone).date();
    (-3..=3).filter_map(|days| add_days(day, days)).filter(|date| date_exists(*date, zone)).collect()
}

#[test]
fn every_kind_of_daily_rule_rings_once_on_each_date_through_every_clock_change() {
    for name in ZONES {
        let zone = zone(name);
        let found = transitions(zone);
        assert!(found.len() > 1, "{name} has clock changes");
        for (index, change) in found.into_iter().enumerate() {
            // Each quarter of an hour of the night comes up, and every hour of the day.
            let minute = [0, 15, 30, 45][index % 4];
            for hour in [index % 4, index % 24] {
                let from = change.local(zone).date() - TimeDelta::days(4);
                let from = from.format("%Y-%m-%d 00:00").to_string();
                let rules = [
                    calendar(&format!("FREQ=DAILY;BYHOUR={hour};BYMINUTE={minute};BYSECOND=0"), &from),
                    calendar(
                        &format!("FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR,SA,SU;BYHOUR={hour};BYMINUTE={minute};BYSECOND=0"),
                        &from,
                    ),
                    cron(&format!("{minute} {hour} * * *"), &from),
                ];
                for schedule in rules {
                    rings_once_a_date(&schedule, change, zone);
                }
            }
        }
    }
}

#[track_caller]
fn rings_once_a_date(schedule: &Schedule, change: Timestamp, zone: Tz) {
    let dates = dates_around(change, zone);
    let first = dates[0].and_time(NaiveTime::MIN);
    let mut now = resolve(first, zone).expect("within range").0.saturating_add(Span::from_millis(-1));
    let mut cursor = None;
    for date in &dates {
        let next = schedule.next_after(cursor.as_ref(), now, zone).expect("daily rules go on");
        assert!(next.due > now, "{schedule:?} {now} {next:?}");
        assert_eq!(next.key, OccurrenceKey::Date(*date), "{schedule:?} in {zone} around {change}");
        now = next.due;
        cursor = Some(next);
    }
}

#[test]
fn several_times_a_day_grow_strictly_through_every_clock_change() {
    for name in ZONES {
        let zone = zone(name);
        for change in transitions(zone) {
            let from = (change.local(zone).date() - TimeDelta::days(1)).format("%Y-%m-%d 00:00").to_string();
            let halves = "FREQ=DAILY;BYHOUR=0,1,2,3,4;BYMINUTE=0,30;BYSECOND=0";
            for schedule in [calendar(halves, &from), cron("*/30 0-4 * * *", &from)] {
                let due: Vec<Timestamp> =
                    schedule.instances(None, Timestamp::MIN, zone).take(30).map(|i| i.due).collect();
                assert!(due.windows(2).all(|pair| pair[0] < pair[1]), "{name} {change}");
            }
        }
    }
}
