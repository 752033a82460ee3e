//! Does any rule stall, jump back, or never end?

use std::time::{Duration, Instant as Stopwatch};

use chrono_tz::Tz;
use proptest::prelude::*;

use super::{calendar, cron, instant};
use crate::domain::schedule::{Rule, Schedule};
use crate::domain::time::{Span, Timestamp};

/// More than any question about a rule may take, on a slow and busy machine without optimisation.
const ANSWER_MAX: Duration = Duration::from_secs(4);

const MINUTES: &str = "0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,\
    36,37,38,39,40,41,42,43,44,45,46,47,48,49,50,51,52,53,54,55,56,57,58,59";
const HOURS: &str = "0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23";

fn hostile() -> Vec<Schedule> {
    let rules = [
        "FREQ=SECONDLY;BYMONTH=2;BYMONTHDAY=30".to_owned(),
        "FREQ=YEARLY;BYYEARDAY=366;BYDAY=MO;BYMONTH=12;BYHOUR=0".to_owned(),
        "FREQ=YEARLY;BYYEARDAY=366;BYMONTH=1".to_owned(),
        "FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30".to_owned(),
        "FREQ=DAILY;BYMONTH=2;BYMONTHDAY=29;BYDAY=MO".to_owned(),
        "FREQ=DAILY;INTERVAL=65535".to_owned(),
        "FREQ=MONTHLY;INTERVAL=65535".to_owned(),
        "FREQ=YEARLY;INTERVAL=65535".to_owned(),
        "FREQ=YEARLY;INTERVAL=9999999999".to_owned(),
        "FREQ=WEEKLY;INTERVAL=65535;BYDAY=MO".to_owned(),
        "FREQ=MONTHLY;BYDAY=5MO;BYMONTH=2;BYMONTHDAY=1".to_owned(),
        "FREQ=YEARLY;BYWEEKNO=53;BYMONTH=6".to_owned(),
        "FREQ=YEARLY;BYSETPOS=366;BYMONTHDAY=1".to_owned(),
        "FREQ=WEEKLY;BYSETPOS=-366;BYDAY=MO".to_owned(),
        format!("FREQ=YEARLY;BYDAY=MO,TU,WE,TH,FR,SA,SU;BYHOUR={HOURS};BYMINUTE={MINUTES};BYSECOND={MINUTES}"),
        format!("FREQ=DAILY;BYHOUR={HOURS};BYMINUTE={MINUTES};BYSECOND={MINUTES}"),
        format!("FREQ=DAILY;BYHOUR={HOURS};BYMINUTE={MINUTES};BYSECOND=0"),
        format!("FREQ=WEEKLY;BYHOUR={HOURS};BYMINUTE={MINUTES};BYSECOND=0"),
        format!("FREQ=MONTHLY;BYHOUR={HOURS};BYMINUTE={MINUTES};BYSECOND=0"),
    ];
    let crons = [
        "* * * * * *",
        "0 0 30 2 *",
        "0 0 31 4,6,9,11 *",
        "0 0 29 2 MON#5",
        "* * * 29 2 ? 2097-2103",
        "0 0 0 1 1 ? 1999",
        "0 0 0 1 1 ? 9999",
        "0 0 L-27 2 *",
        "* * L-3 * *",
        "0 0 1W 1 6L",
    ];
    let rules = rules.iter().map(|rule| calendar(rule, "2000-01-31 00:00"));
    rules.chain(crons.map(|expression| cron(expression, "2000-01-31 00:00"))).collect()
}

#[test]
#[expect(clippy::disallowed_methods, reason = "how long an answer takes is what is tested")]
fn no_rule_stalls_whoever_asks_for_its_next_time() {
    for schedule in hostile() {
        for year in ["2026", "2099", "9998"] {
            let now = instant(&format!("{year}-05-13 16:00"), Tz::UTC);
            let start = Stopwatch::now();
            let is_valid = schedule.validate().is_ok();
            let next = schedule.next_after(None, now, Tz::America__New_York);
            assert!(next.is_none_or(|next| next.due > now && is_valid), "{schedule:?} {next:?}");
            let took = start.elapsed();
            assert!(took < ANSWER_MAX, "{schedule:?} took {took:?}");
        }
    }
}

#[test]
fn a_rule_of_every_minute_still_comes_up_years_later() {
    let now = instant("2026-05-13 16:00", Tz::UTC);
    let minutely = format!("FREQ=DAILY;BYHOUR={HOURS};BYMINUTE={MINUTES};BYSECOND=0");
    for schedule in [
        calendar(&minutely, "2000-01-01 00:00"),
        cron("* * * * *", "2000-01-01 00:00"),
        cron("* * * * * *", "2000-01-01 00:00"),
        calendar(&format!("FREQ=MONTHLY;BYHOUR={HOURS};BYMINUTE=0"), "2000-01-31 00:00"),
    ] {
        let next = schedule.next_after(None, now, Tz::America__New_York).expect("it goes on");
        assert!(next.due > now, "{schedule:?}");
    }
}

#[test]
fn all_that_a_rule_of_every_minute_missed_is_counted() {
    let schedule = cron("* * * * *", "2026-01-01 00:00");
    let start = schedule.next_after(None, instant("2026-01-01 00:00", Tz::UTC), Tz::UTC).expect("a first");
    let now = instant("2026-05-01 00:00", Tz::UTC);
    let (latest, between) = schedule.latest_by(&start, now, Tz::UTC).expect("a latest");
    assert_eq!(latest.due, now);
    assert_eq!(between.instances, 120 * 1440 - 2);
}

#[test]
fn a_monthly_and_a_yearly_rule_keep_their_place_years_later() {
    let now = instant("2026-11-20 12:00", Tz::UTC);
    for (rule, from) in [
        ("FREQ=MONTHLY;BYHOUR=9", "2000-01-31 09:00"),
        ("FREQ=MONTHLY;INTERVAL=5;BYMONTHDAY=28,29,30,31;BYSETPOS=-1;BYHOUR=9", "2000-01-31 09:00"),
        ("FREQ=MONTHLY;INTERVAL=7;BYDAY=2TU;BYHOUR=9", "2001-03-10 09:00"),
        ("FREQ=YEARLY;BYHOUR=9", "2000-02-29 09:00"),
        ("FREQ=YEARLY;INTERVAL=3;BYMONTH=12,1;BYMONTHDAY=31;BYHOUR=9", "2000-06-30 09:00"),
        ("FREQ=YEARLY;BYWEEKNO=1;BYDAY=MO;BYHOUR=9", "2000-01-01 09:00"),
        ("FREQ=WEEKLY;INTERVAL=2;WKST=SU;BYDAY=SU,MO;BYHOUR=9", "2000-01-04 09:00"),
    ] {
        let schedule = calendar(rule, from);
        let near: Vec<_> = schedule.instances(None, now, Tz::UTC).filter(|i| i.due > now).take(4).collect();
        let walked: Vec<_> =
            schedule.instances(None, Timestamp::MIN, Tz::UTC).filter(|i| i.due > now).take(4).collect();
        assert_eq!(near, walked, "{rule}");
        assert_eq!(near.len(), 4, "{rule}");
    }
}

/// Returns parts of a rule, most of which can be read.
fn random_rule() -> impl Strategy<Value = String> {
    let list = |values: &'static [&'static str]| prop::sample::subsequence(values, 1..=values.len().min(4));
    let part = prop_oneof![
        list(&["1", "2", "6", "12"]).prop_map(|v| format!(";BYMONTH={}", v.join(","))),
        list(&["1", "15", "29", "31", "-1", "-31"]).prop_map(|v| format!(";BYMONTHDAY={}", v.join(","))),
        list(&["MO", "TU", "2FR", "-1SU", "SA", "5WE"]).prop_map(|v| format!(";BYDAY={}", v.join(","))),
        list(&["1", "60", "366", "-1"]).prop_map(|v| format!(";BYYEARDAY={}", v.join(","))),
        list(&["1", "20", "53", "-1"]).prop_map(|v| format!(";BYWEEKNO={}", v.join(","))),
        list(&["1", "2", "-1", "366"]).prop_map(|v| format!(";BYSETPOS={}", v.join(","))),
        list(&["0", "2", "9", "23"]).prop_map(|v| format!(";BYHOUR={}", v.join(","))),
        list(&["0", "30", "59"]).prop_map(|v| format!(";BYMINUTE={}", v.join(","))),
        prop::sample::select(&["MO", "SU", "WE"][..]).prop_map(|v| format!(";WKST={v}")),
        prop::sample::select(&[1_u32, 2, 3, 12, 100, 65_535][..]).prop_map(|v| format!(";INTERVAL={v}")),
    ];
    (prop::sample::select(&["DAILY", "WEEKLY", "MONTHLY", "YEARLY"][..]), prop::collection::vec(part, 0..5))
        .prop_map(|(frequency, parts)| format!("FREQ={frequency}{}", parts.concat()))
}

fn random_cron() -> impl Strategy<Value = String> {
    let field = |values: &'static [&'static str]| prop::sample::select(values);
    (
        field(&["*", "0", "*/10", "0,30", "5-20", "59"]),
        field(&["*", "9", "*/6", "0-23", "2", "1,2,3"]),
        field(&["*", "?", "1", "31", "L", "LW", "15W", "L-3", "13", "29-31"]),
        field(&["*", "2", "JAN,FEB", "*/3", "4"]),
        field(&["*", "?", "0", "7", "FRI", "FRI#5", "5L", "MON-FRI", "MON#1"]),
    )
        .prop_map(|(minute, hour, day, month, weekday)| format!("{minute} {hour} {day} {month} {weekday}"))
}

fn random_schedule() -> impl Strategy<Value = Schedule> {
    let from =
        prop::sample::select(&["2000-01-31 00:00", "2024-02-29 09:30", "2025-12-30 23:59", "9998-06-15 12:00"][..]);
    let rule = prop_oneof![random_rule().prop_map(Ok), random_cron().prop_map(Err)];
    (rule, from, prop::option::weighted(0.2, 1_u32..50)).prop_map(|(rule, from, count)| {
        let mut schedule = match rule {
            Ok(parts) => calendar(&parts, from),
            Err(expression) => cron(&expression, from),
        };
        match &mut schedule.rule {
            Rule::Calendar(calendar) => calendar.count = count,
            Rule::Cron(cron) => cron.count = count,
            Rule::None | Rule::Once(_) | Rule::Countdown(_) | Rule::Interval(_) | Rule::AfterDone(_) => {}
        }
        schedule
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(160))]

    #[test]
    fn the_next_time_of_any_rule_is_later_and_grows_with_the_question(
        schedule in random_schedule(), days in 0_i64..14_000, more in 0_i64..500_000,
        name in prop::sample::select(&["America/New_York", "Australia/Lord_Howe", "Pacific/Apia", "UTC"][..]),
    ) {
        let zone: Tz = name.parse().expect("a zone of the test's own");
        let now = Timestamp::from_millis(days * 86_400_000 + 1).expect("within range");
        let later = Timestamp::from_millis(now.as_millis() + more * 1000).expect("within range");
        if let Some(next) = schedule.next_after(None, now, zone) {
            prop_assert!(next.due > now);
            let then = schedule.next_after(None, later, zone);
            prop_assert!(then.is_none_or(|then| then.due >= next.due), "{:?}", then);
            // Nothing lies between: asked from just before, the same is found.
            if next.due > later {
                prop_assert_eq!(then, Some(next));
            }
            let second = schedule.next_after(Some(&next), now, zone);
            prop_assert!(second.is_none_or(|second| second.due > next.due && second.key != next.key));
        }
    }
}

#[test]
fn a_rule_of_every_second_is_passed_over_in_a_moment() {
    let schedule = cron("* * * * * *", "2026-05-04 09:00");
    let at = |text| instant(text, Tz::UTC);
    let (first, now) = (at("2026-05-04 09:00"), at("2026-06-06 09:00"));
    let first = schedule.next_after(None, first, Tz::UTC).expect("every second");
    let (latest, passed) = schedule.latest_by(&first, now, Tz::UTC).expect("many");
    let (_, last) = passed.range.expect("many");
    assert_eq!((latest.due, now.since(last)), (now, Span::from_secs(1)));
    let exact = 33 * 86_400 - 2;
    assert!(passed.instances.abs_diff(exact) < 1000, "{} of {exact}", passed.instances);
}
