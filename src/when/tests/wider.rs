//! Readings beyond the families: periods, stretches, spellings, and rules as programs write them.

use super::*;

#[test]
fn weeks_quarters_and_parts_of_months_have_their_first_day() {
    check_all(&[
        ("review the budget in the 3rd week of june", "Mon 2026-06-15 09:00 · review the budget"),
        ("week 27", "Mon 2026-06-29 09:00"),
        ("stocktake the last week of september", "Mon 2026-09-21 09:00 · stocktake"),
        ("file taxes by the end of march", "Wed 2027-03-31 17:00 · file taxes"),
        ("trim the hedge late october", "Wed 2026-10-21 09:00 · trim the hedge"),
        ("repaint the fence mid-june", "Mon 2026-06-15 09:00 · repaint the fence"),
        ("beginning of july", "Wed 2026-07-01 09:00"),
        ("q4", "Thu 2026-10-01 09:00"),
        ("plan q3 2027", "Thu 2027-07-01 09:00 · plan"),
        ("the second quarter of 2027", "Thu 2027-04-01 09:00"),
        ("the month after next", "Wed 2026-07-01 09:00"),
        ("this week", "Thu 2026-05-14 09:00"),
        ("sort the photos this month", "Thu 2026-05-14 09:00 · sort the photos"),
        ("this month in numbers", "no time · this month in numbers"),
        ("week 3 report friday", "Fri 2026-05-15 09:00 · week 3 report"),
    ]);
}

#[test]
fn days_are_counted_from_other_days() {
    check_all(&[
        ("the 10th of next month", "Wed 2026-06-10 09:00"),
        ("the 12 of this month", "Fri 2026-06-12 09:00"),
        ("first tuesday in 3 months", "Tue 2026-08-04 09:00"),
        ("friday after next", "Fri 2026-05-22 09:00"),
        ("the tuesday before june 20", "Tue 2026-06-16 09:00"),
        ("2 sundays after june 3", "Sun 2026-06-14 09:00"),
        ("the day before june 9", "Mon 2026-06-08 09:00"),
        ("monday three weeks from now", "Mon 2026-06-01 09:00"),
        ("in 2 weeks on thursday", "Thu 2026-05-28 09:00"),
        ("the 200th day of 2026", "Sun 2026-07-19 09:00"),
        ("3 days before christmas", "Tue 2026-12-22 09:00"),
        ("on christmas eve", "Thu 2026-12-24 09:00"),
        ("by halloween", "Sat 2026-10-31 09:00"),
        ("christmas tree shopping saturday", "Sat 2026-05-16 09:00 · christmas tree shopping"),
    ]);
}

#[test]
fn a_stretch_starts_the_reminder_and_its_end_leaves_the_title() {
    check_all(&[
        ("retreat june 8-11", "Mon 2026-06-08 09:00 · retreat"),
        ("retreat from the 8th to 11 june", "Mon 2026-06-08 09:00 · retreat"),
        ("stay 3 - 9 july 2027", "Sat 2027-07-03 09:00 · stay"),
        ("fair between june 3 and june 5", "Wed 2026-06-03 09:00 · fair"),
        ("between the 19th and 21st", "Tue 2026-05-19 09:00"),
        ("from june to august", "Mon 2026-06-01 09:00"),
        ("exhibition from 6/20 through 6/28", "Sat 2026-06-20 09:00 · exhibition"),
        ("call sheet friday 9-11", "Fri 2026-05-15 09:00 · call sheet"),
        ("talk tomorrow from 2 to 4:30pm", "Thu 2026-05-14 14:00 · talk"),
        ("class 11-1pm friday", "Fri 2026-05-15 11:00 · class"),
        ("dec 2 at 4pm - dec 5", "Wed 2026-12-02 16:00"),
        ("dec 2 at 4pm - 1pm dec 5", "Wed 2026-12-02 16:00"),
        ("for 2 hours from 6pm", "Wed 2026-05-13 18:00"),
        ("shift friday 0830-1415", "Fri 2026-05-15 08:30 · shift"),
        ("meet between 5 and 6pm", "Wed 2026-05-13 17:00 · meet"),
        ("exam friday at 2pm lasting 3 hours", "Fri 2026-05-15 14:00 · exam"),
        ("Fair starts june 6, ends june 8", "Sat 2026-06-06 09:00 · Fair"),
        ("move meeting from friday to monday", "Fri 2026-05-15 09:00 · move meeting"),
        ("10-15 pushups tomorrow", "Thu 2026-05-14 09:00 · 10-15 pushups"),
        ("turn 20 to 30 lights on tomorrow", "Thu 2026-05-14 09:00 · turn 20 to 30 lights"),
        ("run for 30 minutes tomorrow 7am", "Thu 2026-05-14 07:00 · run for 30 minutes"),
    ]);
}

#[test]
fn dates_are_written_in_many_ways() {
    check_all(&[
        ("12/oct/2026", "Mon 2026-10-12 09:00"),
        ("2026/oct/12", "Mon 2026-10-12 09:00"),
        ("oct-12", "Mon 2026-10-12 09:00"),
        ("oct12", "Mon 2026-10-12 09:00"),
        ("20261012", "Mon 2026-10-12 09:00"),
        ("the twenty first", "Thu 2026-05-21 09:00"),
        ("june twenty seventh at 8", "Sat 2026-06-27 08:00"),
        ("june 3 two thousand twenty seven", "Thu 2027-06-03 09:00"),
        ("sat jun 6 09:30:15 2026", "Sat 2026-06-06 09:30:15"),
        ("wednsday 7pm", "Wed 2026-05-13 19:00"),
        ("call on thurdsay", "Thu 2026-05-14 09:00 · call"),
        ("sundae with ann friday", "Fri 2026-05-15 09:00 · sundae with ann"),
        ("10/2026", "Thu 2026-10-01 09:00"),
        ("version 2.15 release friday", "Fri 2026-05-15 09:00 · version 2.15 release"),
    ]);
}

#[test]
fn times_of_day_are_said_in_many_ways() {
    check_all(&[
        ("seven forty five tomorrow evening", "Thu 2026-05-14 19:45"),
        ("nine thirty p m", "Wed 2026-05-13 21:30"),
        ("0830h", "Thu 2026-05-14 08:30"),
        ("1730", "Wed 2026-05-13 17:30"),
        ("room 1430 tomorrow", "Thu 2026-05-14 09:00 · room 1430"),
        ("9ish", "Wed 2026-05-13 21:00"),
        ("call ann at lunch tomorrow", "Thu 2026-05-14 12:00 · call ann"),
        ("lunch with ann friday", "Fri 2026-05-15 09:00 · lunch with ann"),
        ("pick up kids after 3pm thursday", "Thu 2026-05-14 15:00 · pick up kids"),
        ("tomorrow late morning", "Thu 2026-05-14 10:00"),
        ("8 in the am", "Thu 2026-05-14 08:00"),
        ("10, tonight", "Wed 2026-05-13 22:00"),
    ]);
}

#[test]
fn lengths_may_be_rough_or_longer() {
    check_all(&[
        ("in about two hours", "Wed 2026-05-13 18:00"),
        ("in less than 10 minutes", "Wed 2026-05-13 16:10"),
        ("after 2 weeks", "Wed 2026-05-27 16:00"),
        ("in 0,5 hours", "Wed 2026-05-13 16:30"),
        ("in two weeks' time", "Wed 2026-05-27 16:00"),
        ("in 2 decades", "Sun 2046-05-13 16:00"),
        ("next hour", "Wed 2026-05-13 17:00"),
    ]);
}

#[test]
fn zones_and_offsets_are_read_with_their_time() {
    check_all(&[
        ("9am pacific friday", "Fri 2026-05-15 12:00"),
        ("8pm mountain time tomorrow", "Thu 2026-05-14 22:00"),
        ("at 6pm (CET)", "Thu 2026-05-14 12:00"),
        ("between 2pm and 4pm AEST friday", "Fri 2026-05-15 00:00"),
        ("call at 9am Europe/Berlin friday", "Fri 2026-05-15 03:00 · call"),
        ("call Kim 2026-05-20T15:00:00+02:00", "Wed 2026-05-20 09:00 · call Kim"),
        ("deploy 2026-05-20T15:00:00Z", "Wed 2026-05-20 11:00 · deploy"),
        ("2026-05-20 15:00:00.250-05:30 x", "Wed 2026-05-20 16:30 · x"),
        ("call at 5pm UTC+2 tomorrow", "Thu 2026-05-14 11:00 · call"),
        ("pacific rim movie friday 8pm", "Fri 2026-05-15 20:00 · pacific rim movie"),
        (
            "every day at 9am UTC+2",
            "cannot repeat \"every day at 9am UTC+2\": an offset is no zone, expected one such as Europe/Berlin",
        ),
    ]);
}

#[test]
fn repetitions_have_ranges_ends_and_several_parts() {
    check_all(&[
        ("every week on friday through monday", "FREQ=WEEKLY;BYDAY=MO,FR,SA,SU;BYHOUR=9 from Fri 2026-05-15 09:00"),
        (
            "every tuesday for the next month",
            "FREQ=WEEKLY;BYDAY=TU;BYHOUR=9 from Tue 2026-05-19 09:00 until 2026-06-13 16:00:00",
        ),
        (
            "first and third monday and second friday of every month",
            "FREQ=MONTHLY;BYDAY=1MO,3MO,2FR;BYHOUR=9 from Mon 2026-05-18 09:00",
        ),
        ("every year on the 20th sunday", "FREQ=YEARLY;BYDAY=20SU;BYHOUR=9 from Sun 2026-05-17 09:00"),
        ("daily starting in june", "FREQ=DAILY;BYHOUR=9 from Mon 2026-06-01 09:00"),
        (
            "every monday from june 1 to july 1",
            "FREQ=WEEKLY;BYDAY=MO;BYHOUR=9 from Mon 2026-06-01 09:00 until 2026-07-01 23:59:59",
        ),
        (
            "every day from june 1 - june 5 at 8",
            "FREQ=DAILY;BYHOUR=8 from Mon 2026-06-01 08:00 until 2026-06-05 23:59:59",
        ),
        (
            "every monday at 8 ending july 1",
            "FREQ=WEEKLY;BYDAY=MO;BYHOUR=8 from Mon 2026-05-18 08:00 until 2026-07-01 23:59:59",
        ),
        (
            "read for 20 minutes every day at 9pm",
            "FREQ=DAILY;BYHOUR=21 from Wed 2026-05-13 21:00 · read for 20 minutes",
        ),
        ("every 15 min for 2 hours", "every 15m from Wed 2026-05-13 16:15 until Wed 2026-05-13 18:00"),
        (
            "take antibiotics every day for 3 weeks at 8am",
            "FREQ=DAILY;BYHOUR=8 from Thu 2026-05-14 08:00 until 2026-06-03 16:00:00 · take antibiotics",
        ),
    ]);
}

#[test]
fn rules_are_read_as_programs_write_them() {
    check_all(&[
        ("0 9 * * MON-FRI standup", "cron 0 9 * * MON-FRI from Thu 2026-05-14 09:00 · standup"),
        ("water plants 30 7 */3 * *", "cron 30 7 */3 * * from Sat 2026-05-16 07:30 · water plants"),
        ("0 9 L * ?", "cron 0 9 L * ? from Sun 2026-05-31 09:00"),
        ("30 3 1 * 5", "cron 30 3 1 * 5 from Fri 2026-05-15 03:30"),
        ("0 0 9 * * 1 2030", "cron 0 0 9 * * 1 2030 from Mon 2030-01-07 09:00"),
        (
            "FREQ=WEEKLY;INTERVAL=2;BYDAY=TU;BYHOUR=9 bins",
            "FREQ=WEEKLY;INTERVAL=2;BYDAY=TU;BYHOUR=9 from Tue 2026-05-19 09:00 · bins",
        ),
        (
            "pay rent RRULE:FREQ=MONTHLY;BYMONTHDAY=31",
            "FREQ=MONTHLY;BYMONTHDAY=31;BYHOUR=9 from Sun 2026-05-31 09:00 · pay rent",
        ),
        ("FREQ=HOURLY;BYHOUR=9,10", "FREQ=DAILY;BYHOUR=9,10 from Thu 2026-05-14 09:00"),
        ("FREQ=MINUTELY;INTERVAL=15", "every 15m from Wed 2026-05-13 16:15"),
        (
            "FREQ=DAILY;BYHOUR=8;UNTIL=20260515",
            "FREQ=DAILY;BYHOUR=8 from Thu 2026-05-14 08:00 until 2026-05-15 23:59:59",
        ),
        (
            "FREQ=DAILY;COUNT=3;UNTIL=20270101",
            "cannot repeat \"FREQ=DAILY;COUNT=3;UNTIL=20270101\": COUNT and UNTIL exclude each other (RFC 5545)",
        ),
        (
            "FREQ=MONTHLY;BYMONTH=4;BYMONTHDAY=31",
            "cannot repeat \"FREQ=MONTHLY;BYMONTH=4;BYMONTHDAY=31\": it has no time ahead",
        ),
        ("0 0 31 2 *", "cannot repeat \"0 0 31 2 *\": it has no time ahead"),
        (
            "FREQ=SOMETIMES",
            "cannot read \"FREQ=SOMETIMES\" in a rule: expected FREQ=YEARLY, MONTHLY, WEEKLY, DAILY, HOURLY, MINUTELY or SECONDLY alone",
        ),
        ("multiply 2 * 3 * 4 tomorrow", "Thu 2026-05-14 09:00 · multiply 2 * 3 * 4"),
    ]);
}

#[test]
fn a_title_drops_the_verb_before_its_time() {
    check_all(&[
        ("the exam is on friday", "Fri 2026-05-15 09:00 · the exam"),
        ("my flight is tomorrow at 9am", "Thu 2026-05-14 09:00 · my flight"),
        ("is the oven off in 5 minutes", "Wed 2026-05-13 16:05 · is the oven off"),
        ("this is a test tomorrow", "Thu 2026-05-14 09:00 · this is a test"),
    ]);
}

#[test]
fn a_stretch_that_names_no_moment_is_refused_with_its_words_kept() {
    for text in [
        "since monday",
        "rest of the day",
        "later this week",
        "friday late afternoon",
        "an hour before friday",
        "after mid june",
    ] {
        let reading = parse_sentence(text, &context()).expect("a title");
        assert_eq!((reading.time.is_none(), reading.title.as_str()), (true, text));
        assert!(matches!(reading.into_time(), Err(TimeError::Vague { .. })), "{text}");
    }
    check_all(&[
        ("in less than an hour", "Wed 2026-05-13 17:00"),
        ("late tonight", "Wed 2026-05-13 21:00"),
        ("saturday late evening at 10", "Sat 2026-05-16 22:00"),
        ("an hour before the 9pm film on friday", "Fri 2026-05-15 20:00 · the 9pm film"),
        ("buy 2 tickets next week", "Mon 2026-05-18 09:00 · buy 2 tickets"),
    ]);
}

#[test]
fn stretches_of_several_units_begin_with_the_first() {
    check_all(&[
        ("the last 2 months of 2027", "Mon 2027-11-01 09:00"),
        ("the second week of next year", "Mon 2027-01-11 09:00"),
        ("in september in a year", "Wed 2027-09-01 09:00"),
        ("2026-06-03 17:00/2026-06-04 09:00", "Wed 2026-06-03 17:00"),
        ("the 17 between 2 and 4pm", "Sun 2026-05-17 14:00"),
        ("18h for 45 minutes", "Wed 2026-05-13 18:00 · for 45 minutes"),
    ]);
}
