//! The faults of other readers of time, each kind as a table.

use super::*;

#[track_caller]
fn check_at(now: &str, zone: &str, table: &[(&str, &str)]) {
    let context = context_at(now, zone);
    let wrong: Vec<String> = table
        .iter()
        .filter_map(|(text, expected)| {
            let found = read(text, &context);
            (found != *expected).then(|| format!("{text}\n    expected {expected}\n    found    {found}"))
        })
        .collect();
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

/// B4: twelve o'clock.
#[test]
fn twelve_oclock_is_noon_or_midnight_as_said() {
    check_at(
        "2026-05-13 16:00",
        "America/New_York",
        &[
            ("12am", "Thu 2026-05-14 00:00"),
            ("12:00 AM", "Thu 2026-05-14 00:00"),
            ("12:30am", "Thu 2026-05-14 00:30"),
            ("12:01 a.m.", "Thu 2026-05-14 00:01"),
            ("12pm", "Thu 2026-05-14 12:00"),
            ("12:00 PM", "Thu 2026-05-14 12:00"),
            ("12 noon", "Thu 2026-05-14 12:00"),
            ("noon", "Thu 2026-05-14 12:00"),
            ("midnight", "Thu 2026-05-14 00:00"),
            ("12 midnight", "Thu 2026-05-14 00:00"),
            ("tomorrow 12am", "Thu 2026-05-14 00:00"),
            ("tomorrow 12pm", "Thu 2026-05-14 12:00"),
            ("tomorrow at 0:00", "Thu 2026-05-14 00:00"),
            ("00:00", "Thu 2026-05-14 00:00"),
            ("tomorrow 24:00", "Fri 2026-05-15 00:00"),
            ("friday 24:00", "Sat 2026-05-16 00:00"),
            ("at 24:30", "cannot set \"at 24:30\": no clock shows that time"),
            ("every day at 12am", "FREQ=DAILY;BYHOUR=0 from Thu 2026-05-14 00:00"),
            ("every day at 12pm", "FREQ=DAILY;BYHOUR=12 from Thu 2026-05-14 12:00"),
            ("at 23:59:60", "cannot set \"at 23:59:60\": no clock shows that time"),
            ("2026-06-30T23:59:60Z", "cannot set \"2026-06-30T23:59:60Z\": no clock shows that time"),
            ("13pm", "Thu 2026-05-14 13:00"),
            ("9999-12-31 12:00", "Fri 9999-12-31 12:00"),
        ],
    );
    check_at(
        "2026-05-13 16:00",
        "Asia/Shanghai",
        &[
            ("今晚十二点", "Thu 2026-05-14 00:00"),
            ("明天中午十二点", "Thu 2026-05-14 12:00"),
            ("明天零点", "Thu 2026-05-14 00:00"),
            ("晚上0点", "Thu 2026-05-14 00:00"),
        ],
    );
}

/// B38: a part of the day never adds twelve hours to an hour that it does not have.
#[test]
fn chinese_parts_of_the_day_decide_or_refuse_their_hour() {
    check_at(
        "2026-05-13 16:00",
        "Asia/Shanghai",
        &[
            ("中午十点", "cannot set \"中午十点\": no clock shows that time"),
            ("今晚十二点", "Thu 2026-05-14 00:00"),
            ("凌晨两点", "Thu 2026-05-14 02:00"),
            ("晚上0点", "Thu 2026-05-14 00:00"),
            ("晚上13点", "cannot set \"晚上13点\": no clock shows that time"),
            ("下午三点半", "Thu 2026-05-14 15:30"),
            ("半小时后", "Wed 2026-05-13 16:30"),
            ("两个半小时后", "Wed 2026-05-13 18:30"),
            ("后天早上", "Fri 2026-05-15 09:00"),
            ("明天上午十五点", "cannot set \"明天上午十五点\": no clock shows that time"),
            ("中午一点", "Thu 2026-05-14 13:00"),
            ("中午十一点半", "Thu 2026-05-14 11:30"),
            ("下午五点", "Wed 2026-05-13 17:00"),
            ("早上六点", "Thu 2026-05-14 06:00"),
            ("晚上八点", "Wed 2026-05-13 20:00"),
        ],
    );
}

/// B18: each weekday as today, each way to name one. The table of keiko-time(7) says the same.
#[test]
fn bare_this_and_next_weekday_follow_one_table() {
    use chrono::{Datelike, Days, NaiveDate};
    const ENGLISH: [&str; 7] = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];
    const CHINESE: [&str; 7] = ["一", "二", "三", "四", "五", "六", "日"];
    let monday = NaiveDate::from_ymd_opt(2026, 5, 11).expect("a date");
    for today in 0..7_u64 {
        let date = monday + Days::new(today);
        let context = context_at(&date.format("%Y-%m-%d 16:00").to_string(), "America/New_York");
        let due = |text: &str| parse_sentence(text, &context).and_then(Reading::into_time);
        let told = |text: &str| due(text).map(|time| time.due.local(context.zone).date());
        for (wanted, (name, number)) in (0..7_u64).zip(ENGLISH.into_iter().zip(CHINESE)) {
            let this_week = monday + Days::new(wanted);
            let coming = if wanted > today { this_week } else { this_week + Days::new(7) };
            let next_week = this_week + Days::new(7);
            for bare in [name.to_owned(), format!("周{number}"), format!("星期{number}")] {
                assert_eq!(told(&bare), Ok(coming), "{bare} on {}", date.weekday());
            }
            assert_eq!(told(&format!("this {name}")), Ok(coming), "this {name} on {}", date.weekday());
            for next in [format!("next {name}"), format!("下周{number}"), format!("下個禮拜{number}")] {
                assert_eq!(told(&next), Ok(next_week), "{next} on {}", date.weekday());
                let is_nearer = coming != next_week;
                let notes = due(&next).expect("a time").notes;
                assert_eq!(!notes.is_empty(), is_nearer, "{next} on {} says {notes:?}", date.weekday());
            }
            let of_this_week = format!("这周{number}");
            if wanted > today {
                assert_eq!(told(&of_this_week), Ok(this_week), "{of_this_week} on {}", date.weekday());
            } else if wanted < today {
                assert!(
                    matches!(due(&of_this_week), Err(TimeError::Past { .. })),
                    "{of_this_week} on {}",
                    date.weekday()
                );
            }
            assert_eq!(told(&format!("下下周{number}")), Ok(next_week + Days::new(7)));
        }
    }
}

/// B8: month ends come back to their day, and the policy is said.
#[test]
fn month_ends_are_clamped_and_come_back_and_it_is_said() {
    for (start, days) in [("2026-01-05 08:00", 365), ("2028-01-05 08:00", 366)] {
        let context = context_at(start, "America/New_York");
        for anchor in [28, 29, 30, 31_u32] {
            let reading = parse_every(&format!("month on the {anchor}th at 9am"), &context).expect("a rule");
            let months = reading.schedule.instances(None, Timestamp::MIN, context.zone).take(14);
            let found: Vec<u32> = months.map(|i| chrono::Datelike::day(&i.due.local(context.zone))).collect();
            let february = if days == 366 { 29 } else { 28 };
            let lengths = [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31, 31, 28];
            assert_eq!(found, lengths.map(|length: u32| length.min(anchor)), "{anchor}th from {start}");
            let is_said = reading.notes.iter().any(|note| matches!(note, Note::MonthEnd { .. }));
            assert_eq!(is_said, anchor > 28, "{anchor}th");
        }
    }
    let context = context_at("2026-01-05 08:00", "America/New_York");
    let skipping = parse_rrule("FREQ=MONTHLY;BYMONTHDAY=31;BYHOUR=9", &context).expect("a rule");
    let found: Vec<String> = skipping
        .schedule
        .instances(None, Timestamp::MIN, context.zone)
        .take(5)
        .map(|i| i.due.local(context.zone).format("%m-%d").to_string())
        .collect();
    assert_eq!(found, ["01-31", "03-31", "05-31", "07-31", "08-31"]);
    assert_eq!(
        read("every year on feb 29", &context),
        "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=28,29;BYSETPOS=-1;BYHOUR=9 from Sat 2026-02-28 09:00"
    );
}

/// Numeric dates by dialect, an impossible month flips; years of two digits are of this century.
#[test]
fn numeric_dates_follow_the_dialect() {
    let us = context();
    let uk = Context { settings: Settings { dialect: Dialect::Uk, ..Settings::default() }, ..us.clone() };
    for (text, in_us, in_uk) in [
        ("6/5 9am", "Fri 2026-06-05 09:00", "Thu 2027-05-06 09:00"),
        ("6/13 9am", "Sat 2026-06-13 09:00", "Sat 2026-06-13 09:00"),
        ("13/6 9am", "Sat 2026-06-13 09:00", "Sat 2026-06-13 09:00"),
        ("1/2/27", "Sat 2027-01-02 09:00", "Mon 2027-02-01 09:00"),
        ("1/1/45", "Sun 2045-01-01 09:00", "Sun 2045-01-01 09:00"),
        ("1/1/99", "Thu 2099-01-01 09:00", "Thu 2099-01-01 09:00"),
        ("2026-06-05", "Fri 2026-06-05 09:00", "Fri 2026-06-05 09:00"),
        ("2026/06/05", "Fri 2026-06-05 09:00", "Fri 2026-06-05 09:00"),
    ] {
        assert_eq!(read(text, &us), in_us, "{text} us");
        assert_eq!(read(text, &uk), in_uk, "{text} uk");
    }
}

/// B41 and the rest of RFC 5545 that libraries get wrong.
#[test]
fn recurrence_rules_are_read_as_rfc_5545_says() {
    let context = context_at("2026-10-09 08:00", "Europe/Berlin");
    let next = |text: &str| match parse_rrule(text, &context) {
        Ok(time) => {
            let instances = time.schedule.instances(None, Timestamp::MIN, context.zone).take(3);
            instances
                .map(|i| i.due.local(context.zone).format("%y-%m-%d %H:%M").to_string())
                .collect::<Vec<_>>()
                .join(", ")
        }
        Err(error) => error.to_string(),
    };
    for (text, expected) in [
        // The end is the last instance, said in UTC behind a change of the clock.
        (
            "FREQ=WEEKLY;INTERVAL=2;BYDAY=SA;BYHOUR=9;UNTIL=20261107T080000Z",
            "26-10-10 09:00, 26-10-24 09:00, 26-11-07 09:00",
        ),
        ("FREQ=WEEKLY;INTERVAL=2;BYDAY=SA;BYHOUR=9;UNTIL=20261107T075959Z", "26-10-10 09:00, 26-10-24 09:00"),
        // A date alone counts whole, on the clock of the place.
        ("FREQ=DAILY;BYHOUR=23;BYMINUTE=30;UNTIL=20261010", "26-10-09 23:30, 26-10-10 23:30"),
        ("FREQ=DAILY;BYHOUR=9;UNTIL=20261010T085959", "26-10-09 09:00"),
        (
            "FREQ=DAILY;COUNT=3;UNTIL=20261201T000000Z",
            "cannot repeat \"FREQ=DAILY;COUNT=3;UNTIL=20261201T000000Z\": COUNT and UNTIL exclude each other (RFC 5545)",
        ),
        ("FREQ=DAILY;BYHOUR=9;COUNT=2", "26-10-09 09:00, 26-10-10 09:00"),
        ("FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1;BYHOUR=9", "26-10-30 09:00, 26-11-30 09:00, 26-12-31 09:00"),
        ("FREQ=MONTHLY;BYDAY=SU;BYSETPOS=2;BYHOUR=9", "26-10-11 09:00, 26-11-08 09:00, 26-12-13 09:00"),
        ("FREQ=YEARLY;BYDAY=20MO;BYHOUR=9", "27-05-17 09:00, 28-05-15 09:00, 29-05-14 09:00"),
        ("FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU;BYHOUR=9", "27-03-28 09:00, 28-03-26 09:00, 29-03-25 09:00"),
        ("FREQ=YEARLY;BYWEEKNO=53;BYDAY=MO;BYHOUR=9", "26-12-28 09:00, 32-12-27 09:00, 37-12-28 09:00"),
        ("FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29;BYHOUR=9", "28-02-29 09:00, 32-02-29 09:00, 36-02-29 09:00"),
        ("FREQ=WEEKLY;INTERVAL=2;WKST=SU;BYDAY=SU,MO;BYHOUR=9", "26-10-11 09:00, 26-10-12 09:00, 26-10-25 09:00"),
        ("FREQ=WEEKLY;INTERVAL=2;WKST=MO;BYDAY=SU,MO;BYHOUR=9", "26-10-11 09:00, 26-10-19 09:00, 26-10-25 09:00"),
        ("rrule:freq=daily;byhour=9", "26-10-09 09:00, 26-10-10 09:00, 26-10-11 09:00"),
        (
            "FREQ=MONTHLY;BYMONTHDAY=31;BYMONTH=2,4",
            "cannot repeat \"FREQ=MONTHLY;BYMONTHDAY=31;BYMONTH=2,4\": it has no time ahead",
        ),
        ("FREQ=DAILY;UNTIL=20200101", "cannot repeat \"FREQ=DAILY;UNTIL=20200101\": it has no time ahead"),
        ("FREQ=HOURLY;INTERVAL=6;BYDAY=MO", "26-10-12 00:00, 26-10-12 06:00, 26-10-12 12:00"),
    ] {
        assert_eq!(next(text), expected, "{text}");
    }
}

/// B22: the gap and the fold for one-shots and rules, with leads.
#[test]
fn clock_changes_move_what_they_must_and_say_so() {
    let spring = context_at("2026-03-07 12:00", "America/New_York");
    assert_eq!(read("2026-03-08 02:30", &spring), "Sun 2026-03-08 03:00");
    assert_eq!(read("every day at 2:30am", &spring), "FREQ=DAILY;BYHOUR=2;BYMINUTE=30 from Sun 2026-03-08 03:00");
    // A lead is elapsed time: an hour before 03:30 is 01:30.
    let lead = parse_sentence("tomorrow 3:30am flight, remind me 1 hour before", &spring).expect("a time");
    let time = lead.time.expect("a time");
    let speaks = time.due.saturating_add(time.alerts[0]);
    assert_eq!(speaks.in_zone(spring.zone).to_rfc3339(), "2026-03-08T01:30:00-05:00");
    let autumn = context_at("2026-10-31 12:00", "America/New_York");
    let time = parse_sentence("tomorrow 2:30am flight, remind me 1 hour before", &autumn).expect("a time").time;
    let time = time.expect("a time");
    let speaks = time.due.saturating_add(time.alerts[0]);
    assert_eq!(speaks.in_zone(autumn.zone).to_rfc3339(), "2026-11-01T01:30:00-05:00");
    let countdown = parse_sentence("in 14 hours", &autumn).expect("a time").time.expect("a time");
    assert_eq!(countdown.due.in_zone(autumn.zone).to_rfc3339(), "2026-11-01T01:00:00-05:00");
}
