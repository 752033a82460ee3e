//! Sentences as people type them, each of a kind that was once misread.

use super::*;

#[test]
fn the_end_of_a_rule_may_name_its_weekday_which_must_agree() {
    check_all(&[
        ("every day until thu 20 jun 2030", "FREQ=DAILY;BYHOUR=9 from Thu 2026-05-14 09:00 until 2030-06-20 23:59:59"),
        (
            "swim every sunday until sunday, august 30",
            "FREQ=WEEKLY;BYDAY=SU;BYHOUR=9 from Sun 2026-05-17 09:00 until 2026-08-30 23:59:59 · swim",
        ),
        (
            "every day until fri 20 jun 2030",
            "cannot set \"every day until fri 20 jun 2030\": Thu 20 June 2030 is not the day that the other words name",
        ),
    ]);
}

#[test]
fn a_length_that_no_rule_has_is_refused_and_is_no_title() {
    check_all(&[
        ("every 1.5 days feed", "cannot repeat \"every 1.5 days\": expected a whole interval of 1 to 65535"),
        ("every -2 weeks feed", "cannot repeat \"every -2 weeks\": expected a whole interval of 1 to 65535"),
        (
            "every 88888888888 days feed",
            "cannot repeat \"every 88888888888 days\": expected a whole interval of 1 to 65535",
        ),
        (
            "every year on thanksgiving",
            "cannot repeat \"every year on\": its date is not known, expected one such as `on june 3`",
        ),
    ]);
}

#[test]
fn only_minutes_stand_before_an_hour() {
    check_all(&[
        ("20 minutes to seven", "Wed 2026-05-13 18:40"),
        ("in 30 hours to four", "Thu 2026-05-14 22:00 · four"),
    ]);
}

#[test]
fn days_and_weeks_are_read_in_their_longer_wordings() {
    check_all(&[
        ("rent on the first of each month", "FREQ=MONTHLY;BYMONTHDAY=1;BYHOUR=9 from Mon 2026-06-01 09:00 · rent"),
        ("tuesday after next at 8 haircut", "Tue 2026-05-26 08:00 · haircut"),
        ("sunday evenings call dad", "FREQ=WEEKLY;BYDAY=SU;BYHOUR=19 from Sun 2026-05-17 19:00 · call dad"),
        (
            "every 30 minutes from 9 to 5 on weekdays",
            "FREQ=DAILY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17;\
             BYHOUR=9,10,11,12,13,14,15,16,17;BYMINUTE=0,30 from Wed 2026-05-13 16:30",
        ),
    ]);
}

#[test]
fn several_days_without_every_are_refused() {
    check_all(&[
        ("tue/thu/sat 7am row", "cannot choose between the times in \"7am\""),
        (
            "tuesday, thursday and saturday at 7 row",
            "cannot choose between the times in \"tuesday, thursday and saturday at 7\"",
        ),
    ]);
}

#[test]
fn leads_and_the_marks_around_the_time_leave_the_title() {
    check_all(&[
        ("pls remind me tomorrow noon about the soup", "Thu 2026-05-14 12:00 · the soup"),
        ("remind us friday at 4 to vote", "Fri 2026-05-15 16:00 · vote"),
        ("dont let me forget the cake on june 9", "Tue 2026-06-09 09:00 · the cake"),
        ("call ann@5pm", "Wed 2026-05-13 17:00 · call ann"),
        ("call ann [tomorrow 5pm]", "Thu 2026-05-14 17:00 · call ann"),
        ("eggs for 7m", "Wed 2026-05-13 16:07 · eggs"),
        ("in 6 mintues turn the rice off", "Wed 2026-05-13 16:06 · turn the rice off"),
    ]);
}

#[track_caller]
fn check_alerts(text: &str, expected: &str, minutes: &[i64]) {
    check(text, expected);
    let time = parse_sentence(text, &context()).expect("readable").time.expect("a time");
    let found: Vec<i64> = time.alerts.iter().map(|span| span.as_millis() / 60_000).collect();
    assert_eq!(found, minutes, "{text}");
}

#[test]
fn an_alert_may_be_the_night_before_or_months_before() {
    check_alerts("train friday 6:45am, remind me the night before", "Fri 2026-05-15 06:45 · train", &[-585]);
    check_alerts("exam june 9 2pm, remind me the day before", "Tue 2026-06-09 14:00 · exam", &[-1440]);
    check_alerts(
        "exam june 9 2pm, remind me the evening before and 1 hour before",
        "Tue 2026-06-09 14:00 · exam",
        &[-1140, -60],
    );
    // Over the change to summer time the clock times agree, not the lengths.
    check_alerts(
        "visa renewal april 3 2027 at 9am, remind me a month before",
        "Sat 2027-04-03 09:00 · visa renewal",
        &[-31 * 1440 + 60],
    );
}

#[test]
fn marks_that_nobody_sees_and_emoji_end_a_word_and_keep_its_neighbours_time() {
    check_all(&[
        ("\u{200f}friday pay", "Fri 2026-05-15 09:00 · \u{200f} pay"),
        ("🎂friday cake", "Fri 2026-05-15 09:00 · 🎂 cake"),
        ("cake friday🎂", "Fri 2026-05-15 09:00 · cake 🎂"),
    ]);
}

#[test]
fn a_long_chain_of_names_is_read_in_no_more_than_its_length() {
    let text = "mon/wed/".repeat(1000);
    assert!(parse_sentence(&text, &context_at("2026-05-13 16:00", "America/New_York")).is_ok());
}

/// B56: a lead is no hour, and both ends of a stretch are on its day.
#[test]
fn leads_and_ends_of_stretches_are_no_times_of_their_own() {
    check_alerts(
        "call Ada tomorrow 10am, remind me 20 min before and again at 10",
        "Thu 2026-05-14 10:00 · call Ada",
        &[-20, 0],
    );
    check("tomorrow from 8am to 9am", "Thu 2026-05-14 08:00");
}
