//! Stretches of time and their bounds, contradictions, and what is left over, in both languages.

use super::*;

#[track_caller]
fn check_chinese(table: &[(&str, &str)]) {
    let context = context_at("2026-05-13 16:00", "Asia/Shanghai");
    let wrong: Vec<String> = table
        .iter()
        .filter_map(|(text, expected)| {
            let found = read(text, &context);
            (found != *expected).then(|| format!("{text}\n    expected {expected}\n    found    {found}"))
        })
        .collect();
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn what_is_bounded_above_only_begins_at_once() {
    check_all(&[
        ("within 4 days", "Wed 2026-05-13 16:00"),
        ("within the next 3 hours", "Wed 2026-05-13 16:00"),
        ("less than 2 weeks from today", "Wed 2026-05-13 16:00"),
        ("within 3 days after friday", "Fri 2026-05-15 09:00"),
        ("from now until sunday", "Wed 2026-05-13 16:00"),
        ("today to saturday", "Wed 2026-05-13 16:00"),
        ("in less than an hour", "Wed 2026-05-13 17:00"),
    ]);
    check_chinese(&[
        ("未来五天", "Wed 2026-05-13 16:00"),
        ("接下来两小时", "Wed 2026-05-13 16:00"),
        ("两天之内寄出", "Fri 2026-05-15 16:00 · 寄出"),
    ]);
}

#[test]
fn halves_quarters_and_seasons_begin_with_their_first_day() {
    check_all(&[
        ("h2 2027", "Thu 2027-07-01 09:00"),
        ("2028-q2", "Sat 2028-04-01 09:00"),
        ("27q4", "Fri 2027-10-01 09:00"),
        ("the second half of the year", "Wed 2026-07-01 09:00"),
        ("first half of next year", "Fri 2027-01-01 09:00"),
        ("second half of june", "Tue 2026-06-16 09:00"),
        ("this summer", "Sun 2026-06-21 09:00"),
        ("in the autumn prune the roses", "Wed 2026-09-23 09:00 · prune the roses"),
        ("winter of 2027", "Tue 2027-12-21 09:00"),
        ("buy spring onions", "no time · buy spring onions"),
        ("middle of next month", "Mon 2026-06-15 09:00"),
        ("early 2028", "Sat 2028-01-01 09:00"),
        ("4 july 27", "Sun 2027-07-04 09:00"),
    ]);
    check_chinese(&[
        ("下季度", "Wed 2026-07-01 09:00"),
        ("2027年第三季度", "Thu 2027-07-01 09:00"),
        ("三季度", "Wed 2026-07-01 09:00"),
        ("明年下半年", "Thu 2027-07-01 09:00"),
        ("七月下旬", "Tue 2026-07-21 09:00"),
        ("年中盘点", "Wed 2026-07-01 09:00 · 盘点"),
        ("明年秋天", "Thu 2027-09-23 09:00"),
        ("下半周", "Thu 2026-05-14 09:00"),
        ("七月的第二周", "Mon 2026-07-13 09:00"),
        ("2027年最后两个月", "Mon 2027-11-01 09:00"),
    ]);
}

#[test]
fn working_days_are_counted_from_monday_to_friday() {
    check_all(&[
        ("in 3 business days", "Mon 2026-05-18 09:00"),
        ("2 working days from now call the notary", "Fri 2026-05-15 09:00 · call the notary"),
        ("next business day", "Thu 2026-05-14 09:00"),
    ]);
    check_chinese(&[("三个工作日后回访", "Mon 2026-05-18 09:00 · 回访")]);
    let sunday = context_at("2026-05-17 10:00", "America/New_York");
    assert_eq!(read("in 1 business day", &sunday), "Mon 2026-05-18 09:00");
}

#[test]
fn before_is_by_and_after_a_day_is_the_next() {
    check_all(&[
        ("hand in the essay before friday", "Fri 2026-05-15 09:00 · hand in the essay"),
        ("leave before 5:30pm", "Wed 2026-05-13 17:30 · leave"),
        ("ring Zoe after saturday", "Sun 2026-05-17 09:00 · ring Zoe"),
        ("after friday 5pm", "Fri 2026-05-15 17:00"),
        ("mow the lawn after work", "Wed 2026-05-13 17:00 · mow the lawn"),
        ("mind the shop until 6pm", "Wed 2026-05-13 18:00 · mind the shop"),
        ("sort the post from tuesday", "Tue 2026-05-19 09:00 · sort the post"),
    ]);
    check_chinese(&[
        ("周六之后给王老师回信", "Sun 2026-05-17 09:00 · 给王老师回信"),
        ("6月8日之后", "Tue 2026-06-09 09:00"),
        ("六点以后浇花", "Wed 2026-05-13 18:00 · 浇花"),
        ("从6月8日起", "Mon 2026-06-08 09:00"),
        ("三点和五点之间", "Thu 2026-05-14 15:00"),
        ("明天上午到下午", "Thu 2026-05-14 09:00"),
    ]);
}

#[test]
fn two_times_for_one_thing_are_refused_and_both_pointed_at() {
    for (text, words) in [
        ("at 2pm at 4pm", "at 2pm at 4pm"),
        ("swim friday or saturday", "friday saturday"),
        ("today tomorrow", "today tomorrow"),
        ("in 3 hours tomorrow", "in 3 hours tomorrow"),
        ("tomorrow at 2pm fetch Kim at 4pm", "tomorrow at 2pm at 4pm"),
        ("on tuesday and thursday", "on tuesday and thursday"),
    ] {
        check(text, &format!("cannot choose between the times in {words:?}"));
    }
    check_all(&[
        ("tell Kim at 2pm that supper is at 7pm", "Thu 2026-05-14 14:00 · tell Kim that supper is at 7pm"),
        ("remind me friday about the monday lesson", "Fri 2026-05-15 09:00 · the monday lesson"),
        ("tomorrow friday", "cannot set \"tomorrow friday\": Thu 14 May 2026 is not the day that the other words name"),
    ]);
}

#[test]
fn time_that_was_not_understood_is_no_title() {
    for (text, words) in [("may 5 6 7", "6 7"), ("tomorrow morning evening", "evening"), ("12 at 8:00", "12")] {
        check(text, &format!("cannot read {words:?} as part of a time"));
    }
    check_all(&[
        ("lunch tomorrow", "Thu 2026-05-14 09:00 · lunch"),
        ("18h for 45 minutes", "Wed 2026-05-13 18:00 · for 45 minutes"),
        ("second tomorrow", "Thu 2026-05-14 09:00 · second"),
    ]);
}

#[test]
fn impossible_amounts_and_clocks_are_refused() {
    let refused = [
        "ring at 4:7pm",
        "in -5 minutes",
        "in 99999999999 years",
        "tomorrow evening at 2",
        "this afternoon at 11",
        "the last 3 weeks",
        "9am in the evening",
    ];
    for text in refused {
        assert!(parse_sentence(text, &context()).is_err(), "{text}");
    }
}

#[test]
fn how_often_needs_the_times() {
    check(
        "twice a day",
        "cannot repeat \"twice a day\": it does not say when, expected times such as `every day at 9 and 18`",
    );
    check_all(&[
        ("drops twice a day at 8am and 8pm", "FREQ=DAILY;BYHOUR=8,20 from Wed 2026-05-13 20:00 · drops"),
        ("twice a week on tuesday and friday", "FREQ=WEEKLY;BYDAY=TU,FR;BYHOUR=9 from Fri 2026-05-15 09:00"),
        ("every day but sunday", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR,SA;BYHOUR=9 from Thu 2026-05-14 09:00"),
        ("every march", "FREQ=YEARLY;BYMONTH=3;BYMONTHDAY=1;BYHOUR=9 from Mon 2027-03-01 09:00"),
        ("an apple a day", "no time · an apple a day"),
    ]);
    check_chinese(&[
        ("每天早晚九点", "FREQ=DAILY;BYHOUR=9,21 from Wed 2026-05-13 21:00"),
        ("一天两次早上七点和晚上七点", "FREQ=DAILY;BYHOUR=7,19 from Wed 2026-05-13 19:00"),
        ("周二四六游泳", "FREQ=WEEKLY;BYDAY=TU,TH,SA;BYHOUR=9 from Thu 2026-05-14 09:00 · 游泳"),
        ("一点蔬菜", "no time · 一点蔬菜"),
        ("一点开会", "Thu 2026-05-14 13:00 · 开会"),
        ("五一", "Sat 2027-05-01 09:00"),
    ]);
}

#[test]
fn leads_and_joints_leave_the_title() {
    check_all(&[
        ("could you remind me to ring Zoe at 5", "Wed 2026-05-13 17:00 · ring Zoe"),
        ("don't forget to ring Zoe at 5", "Wed 2026-05-13 17:00 · ring Zoe"),
        ("set a reminder for tomorrow at 9 to ring Zoe", "Thu 2026-05-14 09:00 · ring Zoe"),
        ("turn the roast in 20 min please", "Wed 2026-05-13 16:20 · turn the roast"),
        ("pay the fee (due friday)", "Fri 2026-05-15 09:00 · pay the fee"),
        ("read pages 10-20 tonight", "Wed 2026-05-13 20:00 · read pages 10-20"),
        ("meet Kim at 5 at the shop on 5th street", "Wed 2026-05-13 17:00 · meet Kim at the shop on 5th street"),
        ("6am tokyo time", "Wed 2026-05-13 17:00"),
    ]);
    check_chinese(&[("提醒我周六要修自行车", "Sat 2026-05-16 09:00 · 修自行车")]);
}

#[test]
fn a_thing_to_do_within_a_length_is_due_at_its_end_and_not_at_once() {
    check_all(&[
        ("answer the letter within 2 weeks", "Wed 2026-05-27 16:00 · answer the letter"),
        ("remind me within 4 hours to stretch", "Wed 2026-05-13 20:00 · stretch"),
        ("remind me within 4 hours", "Wed 2026-05-13 20:00"),
        ("in less than 3 days return the skates", "Sat 2026-05-16 16:00 · return the skates"),
        ("sign within 3 days after friday", "Mon 2026-05-18 09:00 · sign"),
    ]);
    let alone = parse_time("within 4 hours", &context()).expect("a time");
    assert_eq!(told(alone.due, context().zone), "Wed 2026-05-13 20:00");
}
