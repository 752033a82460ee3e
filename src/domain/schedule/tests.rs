//! Each kind of rule, and what clock changes do to it.

use proptest::prelude::*;

use super::*;

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
            prop_assert_eq!(latest, walked.last().map(|last| (*last, walked.len() as u64 - 1)));
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
