//! Public faults of other reminders, each with its whole kind: ends of months, leap days, shifts of the clock, clocks that
//! are set.
//!
//! The letter and number before a test name the report. All of it runs on the real programs.

use chrono_tz::Tz::{self, America__New_York as NEW_YORK, Europe__Berlin as BERLIN};

use crate::support::life::Life;

/// Lets a life run to a time, and returns the dates at which each task rang; `MM-DD`, years are counted from the start.
#[track_caller]
fn dates(life: &mut Life, until: &str, tasks: u32) -> Vec<String> {
    life.to(until);
    let date = |ring: &String| ring.split_once('T').expect("a date and a time").0[2..].to_owned();
    (1..=tasks).map(|number| life.rings(number).iter().map(date).collect::<Vec<_>>().join(" ")).collect()
}

// B8
#[test]
fn months_without_the_day_do_not_move_it_for_ever() {
    let mut life = Life::begin(BERLIN, "2026-01-01T07:00");
    for day in [31, 30, 29, 28] {
        life.does(&format!("add day{day} --every 'month on the {day}th at 8am'"));
    }
    life.does("add skips --rrule 'FREQ=MONTHLY;BYMONTHDAY=31;BYHOUR=8'");
    life.does("add last --every 'last day of the month at 8am'");
    life.does("add cron31 --cron '0 8 31 * *'");
    life.does("add cronL --cron '0 8 L * *'");
    let clamped = "26-01-31 26-02-28 26-03-31 26-04-30 26-05-31 26-06-30 26-07-31 26-08-31 26-09-30 26-10-31 26-11-30 \
        26-12-31 27-01-31 27-02-28";
    let skipped = "26-01-31 26-03-31 26-05-31 26-07-31 26-08-31 26-10-31 26-12-31 27-01-31";
    let by_day = |day: u32, february: &str| {
        let months = (1..=14).map(|month| (26 + (month - 1) / 12, (month - 1) % 12 + 1));
        let date = |(year, month): (u32, u32)| match month {
            2 => format!("{year}-02-{february}"),
            _ => format!("{year}-{month:02}-{day}"),
        };
        months.map(date).collect::<Vec<_>>().join(" ")
    };
    let expected = [
        clamped.to_owned(),
        by_day(30, "28"),
        by_day(29, "28"),
        by_day(28, "28"),
        skipped.to_owned(),
        clamped.to_owned(),
        skipped.to_owned(),
        clamped.to_owned(),
    ];
    assert_eq!(dates(&mut life, "2027-03-01T00:00", 8), expected);
}

// B8: in a leap year, done and skipped by the person, and with crashes on the clamped day.
#[test]
fn the_day_of_the_month_outlives_what_happens_on_a_clamped_one() {
    let mut life = Life::begin(BERLIN, "2028-01-01T07:00");
    for title in ["ignored", "done", "early", "skipped", "edited"] {
        life.does(&format!("add {title} --every 'month on the 31st at 8am'"));
    }
    life.to("2028-02-28T12:00");
    life.does("done early --early");
    life.does("skip skipped");
    life.to("2028-02-29T12:00");
    life.does("done 2");
    life.does("edit edited --title renamed --note text +tag");
    life.crashes();
    let next = |life: &Life| (1..=5).map(|number| life.next(number)[0].clone()).collect::<Vec<_>>();
    assert_eq!(next(&life), ["2028-03-31T08:00"; 5]);
    life.is_off_until("2028-05-01T12:00");
    life.does("done 2");
    assert_eq!(next(&life), ["2028-05-31T08:00"; 5]);
}

// B8: yearly, and by weekday.
#[test]
fn leap_days_last_weekdays_and_fifth_mondays_stay_what_they_are() {
    let mut life = Life::begin(BERLIN, "2026-01-01T07:00");
    for rule in [
        "--every 'year on feb 29 at 8am'",
        "--rrule 'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29;BYHOUR=8'",
        "--rrule 'FREQ=MONTHLY;INTERVAL=6;BYDAY=5MO;BYHOUR=8'",
        "--every 'last friday of the month at 8am' --until 'may 1'",
        "--every '3 months on the 31st at 8am' --until 'jan 2 2027'",
        "--every 'month on the last business day at 8am' --until 'june 1'",
    ] {
        life.does(&format!("add task {rule}"));
    }
    let expected = [
        "26-02-28 27-02-28 28-02-29 29-02-28 30-02-28 31-02-28 32-02-29",
        "28-02-29 32-02-29",
        // Of March, the month of the first one, and September those that have five Mondays.
        "26-03-30 27-03-29 30-09-30 31-03-31 31-09-29",
        "26-01-30 26-02-27 26-03-27 26-04-24",
        "26-01-31 26-04-30 26-07-31 26-10-31",
        "26-01-30 26-02-27 26-03-31 26-04-30 26-05-29",
    ];
    assert_eq!(dates(&mut life, "2032-03-01T00:00", 6), expected);
}

// B22
#[test]
fn a_time_that_the_clock_jumps_over_rings_at_the_end_of_the_jump_once() {
    let mut life = Life::begin(NEW_YORK, "2026-03-06T12:00");
    for rule in ["daily at 2:30am", "--cron '30 2 * * *'", "--rrule 'FREQ=DAILY;BYHOUR=2;BYMINUTE=30'"] {
        life.does(&format!("add task {rule}"));
    }
    let said = life.keiko("add single --at '2026-03-08 02:30'");
    assert_eq!(said.code, Some(0));
    assert!(said.out.contains("Sun 8 Mar 2026 03:00 EDT"), "{said:?}");
    assert!(said.err.contains("02:30"), "moved with a word: {said:?}");
    life.does("add interval --every '12 hours' --from 'march 7 at 2:30pm'");
    life.to("2026-03-09T12:00");
    for number in 1..=3 {
        assert_eq!(life.rings(number), ["2026-03-07T02:30", "2026-03-08T03:00", "2026-03-09T02:30"]);
    }
    assert_eq!(life.rings(4), ["2026-03-08T03:00"]);
    assert_eq!(life.rings(5), ["2026-03-07T14:30", "2026-03-08T03:30", "2026-03-08T15:30", "2026-03-09T03:30"]);
}

// B22: in autumn, with a crash between the two.
#[test]
fn a_time_that_the_clock_shows_twice_rings_the_first_time_only() {
    let mut life = Life::begin(NEW_YORK, "2026-10-30T12:00");
    for rule in ["daily at 1:30am", "--cron '30 1 * * *'", "--at 'november 1 1:30am'"] {
        life.does(&format!("add task {rule}"));
    }
    life.does("add hourly --every hour --from 'november 1 at 0:30am'");
    life.to("2026-11-01T01:45");
    life.crashes();
    life.to("2026-11-02T02:00");
    for number in 1..=2 {
        assert_eq!(life.rings(number), ["2026-10-31T01:30", "2026-11-01T01:30", "2026-11-02T01:30"]);
    }
    assert_eq!(life.rings(3), ["2026-11-01T01:30"]);
    let hours = life.rings(4);
    assert_eq!(hours[..4], ["2026-11-01T00:30", "2026-11-01T01:30", "2026-11-01T01:30", "2026-11-01T02:30"]);
}

// B35
#[test]
fn a_clock_that_was_years_ahead_leaves_nothing_in_those_years() {
    let mut life = Life::begin(BERLIN, "2028-05-11T07:00");
    for rule in [
        "daily at 8am",
        "--cron '0 8 * * MON'",
        "--every 'month on the 11th at 8am'",
        "--every '2 hours' --from 8am",
        "--every '2 days at 8am' --after-done",
        "--at '2026-05-11 8am'",
        "--at '2028-06-01 8am'",
        "daily at 8am",
    ] {
        // The sixth is refused: its time has passed.
        drop(life.keiko(&format!("add task {rule}")));
    }
    life.to("2028-05-11T09:00");
    life.does("done 1");
    let before: Vec<usize> = (1..=7).map(|number| life.rings(number).len()).collect();
    life.is_off_until("2026-05-11T09:30");
    let after: Vec<usize> = (1..=7).map(|number| life.rings(number).len()).collect();
    assert_eq!(after, before, "the step alone says nothing");
    let next: Vec<String> = (1..=7).map(|number| life.next(number).first().cloned().unwrap_or_default()).collect();
    let expected = [
        "2026-05-12T08:00",
        "2026-05-18T08:00",
        "2026-06-11T08:00",
        "2026-05-11T10:00",
        // It rang and has no successor: it stays due.
        "2028-05-11T08:00",
        "2028-06-01T08:00",
        "2026-05-12T08:00",
    ];
    assert_eq!(next, expected);
    assert_eq!(life.stage(5), "due");
    life.does("done 5");
    assert_eq!(life.next(5)[0], "2026-05-13T08:00");
    let steps = life.keiko("events --json").out;
    assert!(steps.lines().any(|event| event.contains("\"clock_stepped\"")), "the step is an event: {steps}");
    life.to("2026-05-12T08:00");
    assert_eq!(life.rings(1).last().expect("it rang"), "2026-05-12T08:00");
    assert_eq!(life.rings(7).last().expect("it rang"), "2026-05-12T08:00");
}

// B35: by an hour, with what has rung and what has not.
#[test]
fn a_clock_that_is_set_back_repeats_nothing() {
    let mut life = Life::begin(BERLIN, "2026-05-11T07:00");
    life.does("add pill daily at 8am");
    life.does("add call --at 8am");
    life.does("add later --at 10am --alert 2h,0");
    life.to("2026-05-11T08:30");
    life.is_off_until("2026-05-11T07:30");
    life.to("2026-05-11T12:00");
    assert_eq!(life.rings(1), ["2026-05-11T08:00"]);
    assert_eq!(life.rings(2), ["2026-05-11T08:00"]);
    assert_eq!(life.rings(3), ["2026-05-11T08:00", "2026-05-11T10:00"]);
    life.to("2026-05-12T08:00");
    assert_eq!(life.rings(1), ["2026-05-11T08:00", "2026-05-12T08:00"]);
}

// B41
#[test]
fn the_last_time_that_a_rule_includes_is_not_lost() {
    let mut life = Life::begin(BERLIN, "2026-05-01T07:00");
    for rule in [
        // 15 June 2026 09:00 in Berlin.
        "--rrule 'FREQ=WEEKLY;INTERVAL=2;BYDAY=MO;UNTIL=20260615T070000Z' --from 'may 4 at 9am'",
        "--rrule 'FREQ=WEEKLY;INTERVAL=2;BYDAY=MO;UNTIL=20260615' --from 'may 4 at 9am'",
        "--rrule 'FREQ=WEEKLY;INTERVAL=2;BYDAY=MO;COUNT=4' --from 'may 4 at 9am'",
        "--every '2 weeks' --from 'may 4 at 9am' --until 'june 15'",
        "--cron '0 9 4,18 5 *' --until 'may 18'",
    ] {
        life.does(&format!("add task {rule}"));
    }
    let fortnights = "26-05-04 26-05-18 26-06-01 26-06-15";
    let expected = [fortnights, fortnights, fortnights, fortnights, "26-05-04 26-05-18"];
    assert_eq!(dates(&mut life, "2026-09-01T00:00", 5), expected);
    for number in 1..=5 {
        assert_eq!(
            (life.next(number), life.stage(number).as_str()),
            (vec![], "due"),
            "the last one waits for an answer"
        );
    }
}

// B41: rules that RFC 5545 forbids, or that say nothing.
#[test]
fn a_rule_with_two_ends_or_none_of_its_days_is_refused() {
    let life = Life::begin(BERLIN, "2026-05-01T07:00");
    for rule in [
        "FREQ=WEEKLY;COUNT=4;UNTIL=20260615T070000Z",
        "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30",
        "FREQ=DAILY;UNTIL=20260101T000000Z",
        "FREQ=DAILY;COUNT=0",
    ] {
        let said = life.keiko(&format!("add task --rrule '{rule}'"));
        assert_eq!((said.code, said.out.as_str()), (Some(3), ""), "{rule}: {said:?}");
    }
    assert_eq!(life.keiko("list --all --json").json()["tasks"], serde_json::json!([]));
}

// B22 of zones whose days differ: a day that a zone left out, and one that begins at one o'clock.
#[test]
fn a_date_that_a_zone_lacks_has_no_ring_and_midnight_may_be_one_oclock() {
    for (zone, start, until, rings) in [
        (
            Tz::Pacific__Apia,
            "2011-12-28T12:00",
            "2012-01-01T12:00",
            &["2011-12-29T09:00", "2011-12-31T09:00", "2012-01-01T09:00"][..],
        ),
        (Tz::Asia__Beirut, "2026-03-27T12:00", "2026-03-29T12:00", &["2026-03-28T09:00", "2026-03-29T09:00"][..]),
    ] {
        let mut life = Life::begin(zone, start);
        life.does("add pill daily at 9am");
        life.does("add midnight daily at 0:00");
        life.to(until);
        assert_eq!(life.rings(1), rings, "{zone}");
        let days: Vec<String> = life.rings(2).iter().map(|ring| ring[..10].to_owned()).collect();
        let expected: Vec<&str> = rings.iter().map(|ring| &ring[..10]).collect();
        assert_eq!(days, expected, "{zone}");
    }
}
