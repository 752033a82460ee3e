//! The readings that people can rely on, by family of `phrases.md`.

mod described;
mod faults;
mod nothing_lost;
mod refusals;
mod stretches;
mod typed_by_people;
mod wider;

use proptest::prelude::*;

use super::*;
use crate::domain::schedule::Rule;
use crate::domain::time::resolve;

fn zone(name: &str) -> Tz {
    name.parse().expect("a zone of the test's own")
}

pub(super) fn context_at(local: &str, name: &str) -> Context {
    let local = chrono::NaiveDateTime::parse_from_str(local, "%Y-%m-%d %H:%M").expect("a time of the test's own");
    let zone = zone(name);
    let now = resolve(local, zone).expect("within range").0;
    Context { now, zone, settings: Settings::default() }
}

/// Wednesday 2026-05-13 16:00 in New York, the reference of `phrases.md`.
fn context() -> Context {
    context_at("2026-05-13 16:00", "America/New_York")
}

fn told(at: Timestamp, zone: Tz) -> String {
    let local = at.local(zone);
    let clock = if at.as_millis() % 60_000 == 0 { "%a %Y-%m-%d %H:%M" } else { "%a %Y-%m-%d %H:%M:%S" };
    local.format(clock).to_string()
}

/// Says a reading as `Thu 2026-05-14 15:00 · title`, a rule as `RULE from …`, an error by its text.
pub(super) fn read(text: &str, context: &Context) -> String {
    match parse_sentence(text, context) {
        Ok(Reading { time: None, title, .. }) => format!("no time · {title}"),
        Ok(Reading { time: Some(time), title, .. }) => {
            let when = rule(&time, context);
            if title.is_empty() { when } else { format!("{when} · {title}") }
        }
        Err(error) => error.to_string(),
    }
}

fn rule(time: &TimeReading, context: &Context) -> String {
    let due = told(time.due, context.zone);
    match &time.schedule.rule {
        Rule::None => "nothing".into(),
        Rule::Once(_) | Rule::Countdown(_) => due,
        Rule::Interval(interval) => {
            let count = interval.count.map_or(String::new(), |count| format!(" ×{count}"));
            let until = interval.until.map_or(String::new(), |until| format!(" until {}", told(until, context.zone)));
            format!("every {} from {due}{count}{until}", interval.every)
        }
        Rule::AfterDone(_) => unreachable!("no words say it"),
        Rule::Cron(cron) => {
            let count = cron.count.map_or(String::new(), |count| format!(" ×{count}"));
            format!("cron {} from {due}{count}", cron.expression)
        }
        Rule::Calendar(calendar) => {
            let rrule = calendar.rrule.replace(";BYMINUTE=0;BYSECOND=0", "").replace(";BYSECOND=0", "");
            let count = calendar.count.map_or(String::new(), |count| format!(" ×{count}"));
            let until = calendar.until.map_or(String::new(), |until| format!(" until {until}"));
            format!("{rrule} from {due}{count}{until}")
        }
    }
}

#[track_caller]
fn check(text: &str, expected: &str) {
    assert_eq!(read(text, &context()), expected, "{text}");
}

#[track_caller]
fn check_all(table: &[(&str, &str)]) {
    let wrong: Vec<String> = table
        .iter()
        .filter_map(|(text, expected)| {
            let found = read(text, &context());
            (found != *expected).then(|| format!("{text}\n    expected {expected}\n    found    {found}"))
        })
        .collect();
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn offsets_from_now_are_exact_or_keep_the_wall_clock() {
    check_all(&[
        ("in 45 minutes", "Wed 2026-05-13 16:45"),
        ("remind me in 10 seconds to stretch", "Wed 2026-05-13 16:00:10 · stretch"),
        ("remind me in 1h15m to turn the roast", "Wed 2026-05-13 17:15 · turn the roast"),
        ("in 90 min check laundry", "Wed 2026-05-13 17:30 · check laundry"),
        ("call the bank in 2 hours", "Wed 2026-05-13 18:00 · call the bank"),
        ("25 minutes from now", "Wed 2026-05-13 16:25"),
        ("two hours later", "Wed 2026-05-13 18:00"),
        ("now + 3 hours", "Wed 2026-05-13 19:00"),
        ("20m tea", "Wed 2026-05-13 16:20 · tea"),
        ("ring the vet 2h", "Wed 2026-05-13 18:00 · ring the vet"),
        ("1h30m", "Wed 2026-05-13 17:30"),
        ("1h30 bread", "Wed 2026-05-13 17:30 · bread"),
        ("in a quarter of an hour", "Wed 2026-05-13 16:15"),
        ("in half an hour feed the fish", "Wed 2026-05-13 16:30 · feed the fish"),
        ("in two and a half hours", "Wed 2026-05-13 18:30"),
        ("in 1.5 hours", "Wed 2026-05-13 17:30"),
        ("in 1/2 hour", "Wed 2026-05-13 16:30"),
        ("in a few minutes", "Wed 2026-05-13 16:03"),
        ("in forty-five minutes", "Wed 2026-05-13 16:45"),
        ("in 4 days", "Sun 2026-05-17 16:00"),
        ("5 days from now", "Mon 2026-05-18 16:00"),
        ("in 3 days at 8", "Sat 2026-05-16 08:00"),
        ("in 3 days at 4", "Sat 2026-05-16 16:00"),
        ("descale the kettle in 5 days at 7pm", "Mon 2026-05-18 19:00 · descale the kettle"),
        ("in 3 weeks", "Wed 2026-06-03 16:00"),
        ("in two months", "Mon 2026-07-13 16:00"),
        ("in a year", "Thu 2027-05-13 16:00"),
        ("now", "Wed 2026-05-13 16:00"),
    ]);
}

#[test]
fn months_from_now_clamp_at_the_months_end() {
    let context = context_at("2027-01-31 10:00", "America/New_York");
    assert_eq!(read("in a month", &context), "Sun 2027-02-28 10:00");
    assert_eq!(read("in 13 months", &context), "Tue 2028-02-29 10:00");
}

#[test]
fn days_from_now_keep_the_wall_clock_through_clock_changes() {
    let spring = context_at("2026-03-07 16:00", "America/New_York");
    assert_eq!(read("in 1 day", &spring), "Sun 2026-03-08 16:00");
    assert_eq!(read("in 24 hours", &spring), "Sun 2026-03-08 17:00");
}

#[test]
fn named_days_stand_before_or_after_their_time() {
    check_all(&[
        ("remind me tomorrow 4pm to water the ferns", "Thu 2026-05-14 16:00 · water the ferns"),
        ("4pm tomorrow: water the ferns", "Thu 2026-05-14 16:00 · water the ferns"),
        ("Tomorrow at 4 PM, water the ferns", "Thu 2026-05-14 16:00 · water the ferns"),
        ("water the ferns tomorrow", "Thu 2026-05-14 09:00 · water the ferns"),
        ("day after tomorrow dentist", "Fri 2026-05-15 09:00 · dentist"),
        ("today", "Wed 2026-05-13 19:00"),
        ("today at 6 call Ann", "Wed 2026-05-13 18:00 · call Ann"),
        ("tomorrow afternoon", "Thu 2026-05-14 15:00"),
        ("saturday night", "Sat 2026-05-16 21:00"),
        ("sunday morning run", "Sun 2026-05-17 09:00 · run"),
        ("in the morning", "Thu 2026-05-14 09:00"),
        ("tomorrow morning at 6", "Thu 2026-05-14 06:00"),
        ("friday evening at 8", "Fri 2026-05-15 20:00"),
        ("9 tonight", "Wed 2026-05-13 21:00"),
        ("7 in the evening", "Wed 2026-05-13 19:00"),
        ("this evening", "Wed 2026-05-13 19:00"),
        ("bins out tonight", "Wed 2026-05-13 20:00 · bins out"),
        ("tonight at 10", "Wed 2026-05-13 22:00"),
        ("tonight at 1", "Thu 2026-05-14 01:00"),
        ("tonight at 12", "Thu 2026-05-14 00:00"),
    ]);
}

#[test]
fn clock_times_without_a_day_are_the_next_ones() {
    check_all(&[
        ("at 6pm", "Wed 2026-05-13 18:00"),
        ("6:45 p.m. feed the cat", "Wed 2026-05-13 18:45 · feed the cat"),
        ("at 2pm", "Thu 2026-05-14 14:00"),
        ("8AM run", "Thu 2026-05-14 08:00 · run"),
        ("at 2", "Thu 2026-05-14 14:00"),
        ("at 4", "Thu 2026-05-14 16:00"),
        ("at 7 fold laundry", "Wed 2026-05-13 19:00 · fold laundry"),
        ("at 11:30", "Wed 2026-05-13 23:30"),
        ("at 18:05", "Wed 2026-05-13 18:05"),
        ("at 07:30", "Thu 2026-05-14 07:30"),
        ("18h30", "Wed 2026-05-13 18:30"),
        ("at 1815", "Wed 2026-05-13 18:15"),
        ("tomorrow 23:59:59", "Thu 2026-05-14 23:59:59"),
        ("at noon", "Thu 2026-05-14 12:00"),
        ("noon friday", "Fri 2026-05-15 12:00"),
        ("midnight", "Thu 2026-05-14 00:00"),
        ("midnight friday", "Sat 2026-05-16 00:00"),
        ("tomorrow 12am", "Thu 2026-05-14 00:00"),
        ("saturday 12pm", "Sat 2026-05-16 12:00"),
        ("half past 6", "Wed 2026-05-13 18:30"),
        ("quarter to 7 tomorrow", "Thu 2026-05-14 18:45"),
        ("at ten past five", "Wed 2026-05-13 17:10"),
        ("half six", "Wed 2026-05-13 18:30"),
        ("at 5 o'clock", "Wed 2026-05-13 17:00"),
        ("17:30 pm", "Wed 2026-05-13 17:30"),
        ("3-4pm standup", "Thu 2026-05-14 15:00 · standup"),
        ("workshop friday from 9 to 12", "Fri 2026-05-15 09:00 · workshop"),
    ]);
    let late = context_at("2026-05-13 23:28", "America/New_York");
    assert_eq!(read("at 11:30", &late), "Wed 2026-05-13 23:30");
    assert_eq!(read("at 11", &late), "Thu 2026-05-14 11:00");
}

#[test]
fn the_ends_of_day_week_month_and_year_have_their_hour() {
    check_all(&[
        ("submit timesheet by end of day", "Wed 2026-05-13 17:00 · submit timesheet"),
        ("cob", "Wed 2026-05-13 17:00"),
        ("eow", "Fri 2026-05-15 17:00"),
        ("pay rent by the end of the month", "Sun 2026-05-31 17:00 · pay rent"),
        ("eoy", "Thu 2026-12-31 17:00"),
        ("eod tomorrow", "Thu 2026-05-14 17:00"),
    ]);
}

#[test]
fn weekdays_are_the_coming_this_weeks_or_next_weeks() {
    check_all(&[
        ("saturday", "Sat 2026-05-16 09:00"),
        ("tuesday 14:15 review", "Tue 2026-05-19 14:15 · review"),
        ("thursday at 7", "Thu 2026-05-14 07:00"),
        ("fri 5pm", "Fri 2026-05-15 17:00"),
        ("sunday 8", "Sun 2026-05-17 08:00"),
        ("wednesday", "Wed 2026-05-20 09:00"),
        ("wednesday 5pm", "Wed 2026-05-13 17:00"),
        ("wednesday 9am", "Wed 2026-05-20 09:00"),
        ("this saturday", "Sat 2026-05-16 09:00"),
        ("this tuesday", "Tue 2026-05-19 09:00"),
        ("next thursday", "Thu 2026-05-21 09:00"),
        ("next tuesday at 7am", "Tue 2026-05-19 07:00"),
        ("thursday next week", "Thu 2026-05-21 09:00"),
        ("next week on thursday", "Thu 2026-05-21 09:00"),
        ("saturday week", "Sat 2026-05-23 09:00"),
        ("two weeks from monday", "Mon 2026-06-01 09:00"),
        ("3 days after tomorrow at 10am", "Sun 2026-05-17 10:00"),
        ("three fridays from now", "Fri 2026-05-29 09:00"),
        ("next week", "Mon 2026-05-18 09:00"),
        ("next month plan the trip", "Mon 2026-06-01 09:00 · plan the trip"),
        ("next year", "Fri 2027-01-01 09:00"),
        ("this weekend", "Sat 2026-05-16 09:00"),
        ("next weekend", "Sat 2026-05-23 09:00"),
    ]);
    let sunday = context_at("2026-05-17 08:00", "America/New_York");
    assert_eq!(read("this weekend", &sunday), "Sun 2026-05-17 09:00");
    assert_eq!(read("next sunday", &sunday), "Sun 2026-05-24 09:00");
}

#[test]
fn dates_without_a_year_are_the_next_ones() {
    check_all(&[
        ("july 9th 3pm haircut", "Thu 2026-07-09 15:00 · haircut"),
        ("9 july", "Thu 2026-07-09 09:00"),
        ("the 9th of July at noon", "Thu 2026-07-09 12:00"),
        ("april 2", "Fri 2027-04-02 09:00"),
        ("june 3, 2027", "Thu 2027-06-03 09:00"),
        ("june 3 2027 18:00", "Thu 2027-06-03 18:00"),
        ("feb 29", "Tue 2028-02-29 09:00"),
        ("on the 25th", "Mon 2026-05-25 09:00"),
        ("the 2nd", "Tue 2026-06-02 09:00"),
        ("on the 31st", "Sun 2026-05-31 09:00"),
        ("2026-07-09 08:15", "Thu 2026-07-09 08:15"),
        ("2026-07-09T08:15", "Thu 2026-07-09 08:15"),
        ("7/9 8am", "Thu 2026-07-09 08:00"),
        ("13/7", "Mon 2026-07-13 09:00"),
        ("7/9/27", "Fri 2027-07-09 09:00"),
        ("9.7.2026", "Thu 2026-07-09 09:00"),
        ("in august", "Sat 2026-08-01 09:00"),
        ("Thursday, July 9 at 11", "Thu 2026-07-09 11:00"),
        ("friday the 13th", "Fri 2026-11-13 09:00"),
        ("second tuesday of july", "Tue 2026-07-14 09:00"),
        ("last monday of the month", "Mon 2026-05-25 09:00"),
        ("last weekday of june at 4pm", "Tue 2026-06-30 16:00"),
    ]);
    let uk = Context { settings: Settings { dialect: Dialect::Uk, ..Settings::default() }, ..context() };
    assert_eq!(read("9/7", &uk), "Thu 2026-07-09 09:00");
    assert_eq!(read("7/13", &uk), "Mon 2026-07-13 09:00");
}

#[test]
fn the_title_is_what_remains_word_for_word() {
    check_all(&[
        ("ask Jo at 6 about the van", "Wed 2026-05-13 18:00 · ask Jo about the van"),
        ("on monday at 10am send the invoice", "Mon 2026-05-18 10:00 · send the invoice"),
        ("tomorrow   buy  two   loaves", "Thu 2026-05-14 09:00 · buy  two   loaves"),
        ("Pick up Zoë, tomorrow.", "Thu 2026-05-14 09:00 · Pick up Zoë"),
        ("\"lunch at noon\" tomorrow 11:30", "Thu 2026-05-14 11:30 · lunch at noon"),
        ("'plan 2027' friday 4pm", "Fri 2026-05-15 16:00 · plan 2027"),
        ("read “in 5 minutes” aloud tomorrow", "Thu 2026-05-14 09:00 · read “in 5 minutes” aloud"),
        ("buy 3 lamps saturday", "Sat 2026-05-16 09:00 · buy 3 lamps"),
        ("pack room 12 tomorrow", "Thu 2026-05-14 09:00 · pack room 12"),
        ("fix the 3D printer tomorrow", "Thu 2026-05-14 09:00 · fix the 3D printer"),
        ("5th avenue walk tomorrow", "Thu 2026-05-14 09:00 · 5th avenue walk"),
        ("buy 1/2 pound of butter tomorrow", "Thu 2026-05-14 09:00 · buy 1/2 pound of butter"),
        ("order marzipan and monkey nuts tomorrow", "Thu 2026-05-14 09:00 · order marzipan and monkey nuts"),
        ("tell April about the march on sunday", "Sun 2026-05-17 09:00 · tell April about the march"),
        ("sunscreen friday", "Fri 2026-05-15 09:00 · sunscreen"),
        ("mail jo@friday.com at 5pm", "Wed 2026-05-13 17:00 · mail jo@friday.com"),
        ("read #friday tomorrow", "Thu 2026-05-14 09:00 · read #friday"),
        ("tomorrow at 3pm remind me to pay rent", "Thu 2026-05-14 15:00 · pay rent"),
        ("me tomorrow 3pm to pay rent", "Thu 2026-05-14 15:00 · pay rent"),
        ("please remind me that the oven is on in 5 minutes", "Wed 2026-05-13 16:05 · the oven is on"),
        ("rent due friday", "Fri 2026-05-15 09:00 · rent"),
        ("ten minutes before the 8pm train", "Wed 2026-05-13 19:50 · the 8pm train"),
        ("15 minutes before 6pm", "Wed 2026-05-13 17:45"),
        ("17:30 开会", "Wed 2026-05-13 17:30 · 开会"),
    ]);
}

#[test]
fn a_sentence_without_a_time_is_a_title() {
    check_all(&[
        ("", "no time · "),
        ("water the ferns", "no time · water the ferns"),
        ("remind me to smile", "no time · smile"),
        ("sort 3 boxes", "no time · sort 3 boxes"),
        ("second opinion", "no time · second opinion"),
        ("this month in numbers", "no time · this month in numbers"),
    ]);
}

#[test]
fn vague_words_are_named_and_refused_where_a_time_is_needed() {
    let reading = parse_sentence("remind me later to stretch", &context()).expect("a title");
    assert_eq!((reading.time.as_ref(), reading.title.as_str()), (None, "stretch"));
    let error = reading.into_time().expect_err("no time");
    assert_eq!(error.to_string(), "cannot set a time by \"later\": it does not say when");
    assert_eq!(error.span(), &(10..15));
    for text in ["asap", "soon", "in a while"] {
        assert!(matches!(parse_time(text, &context()), Err(TimeError::Vague { .. })), "{text}");
    }
    check("sort the later fees", "no time · sort the later fees");
}

#[test]
fn daily_and_weekly_rules_have_their_days_and_hours() {
    check_all(&[
        ("every day at 7am", "FREQ=DAILY;BYHOUR=7 from Thu 2026-05-14 07:00"),
        ("stretch daily at 6pm", "FREQ=DAILY;BYHOUR=18 from Wed 2026-05-13 18:00 · stretch"),
        ("every morning", "FREQ=DAILY;BYHOUR=9 from Thu 2026-05-14 09:00"),
        ("every night at 10", "FREQ=DAILY;BYHOUR=22 from Wed 2026-05-13 22:00"),
        ("every day at 3", "FREQ=DAILY;BYHOUR=15 from Thu 2026-05-14 15:00"),
        ("every day at midnight", "FREQ=DAILY;BYHOUR=0 from Thu 2026-05-14 00:00"),
        (
            "scrum every weekday at 9:15",
            "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR;BYHOUR=9;BYMINUTE=15 from Thu 2026-05-14 09:15 · scrum",
        ),
        ("every workday", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR;BYHOUR=9 from Thu 2026-05-14 09:00"),
        ("every weekend at 11am", "FREQ=WEEKLY;BYDAY=SA,SU;BYHOUR=11 from Sat 2026-05-16 11:00"),
        ("every tuesday 8am", "FREQ=WEEKLY;BYDAY=TU;BYHOUR=8 from Tue 2026-05-19 08:00"),
        ("every wednesday at 5pm", "FREQ=WEEKLY;BYDAY=WE;BYHOUR=17 from Wed 2026-05-13 17:00"),
        ("yoga tuesdays and fridays at 6pm", "FREQ=WEEKLY;BYDAY=TU,FR;BYHOUR=18 from Fri 2026-05-15 18:00 · yoga"),
        ("every mon, wed and fri at 7", "FREQ=WEEKLY;BYDAY=MO,WE,FR;BYHOUR=7 from Fri 2026-05-15 07:00"),
        ("every mon-thu at 7am", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH;BYHOUR=7 from Thu 2026-05-14 07:00"),
        ("every day except sundays at 8am", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR,SA;BYHOUR=8 from Thu 2026-05-14 08:00"),
        ("every day at 8am and 8pm", "FREQ=DAILY;BYHOUR=8,20 from Wed 2026-05-13 20:00"),
        ("drops at 7, 13 and 19 every day", "FREQ=DAILY;BYHOUR=7,13,19 from Wed 2026-05-13 19:00 · drops"),
        ("every day at 8:15 and 20:30", "FREQ=DAILY;BYSETPOS=1,4;BYHOUR=8,20;BYMINUTE=15,30 from Wed 2026-05-13 20:30"),
        (
            "every hour from 10 to 12 on weekdays",
            "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR;BYHOUR=10,11,12 from Thu 2026-05-14 10:00",
        ),
    ]);
}

#[test]
fn every_other_counts_from_the_first_coming_one() {
    check_all(&[
        ("every other thursday", "FREQ=WEEKLY;INTERVAL=2;BYDAY=TH;BYHOUR=9 from Thu 2026-05-14 09:00"),
        ("every other monday at 7pm", "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO;BYHOUR=19 from Mon 2026-05-18 19:00"),
        ("every other day at 8pm", "FREQ=DAILY;INTERVAL=2;BYHOUR=20 from Wed 2026-05-13 20:00"),
        ("every 4 days", "FREQ=DAILY;INTERVAL=4;BYHOUR=9 from Thu 2026-05-14 09:00"),
        ("every second week on friday", "FREQ=WEEKLY;INTERVAL=2;BYDAY=FR;BYHOUR=9 from Fri 2026-05-15 09:00"),
        ("every 3 weeks", "FREQ=WEEKLY;INTERVAL=3;BYHOUR=9 from Thu 2026-05-14 09:00"),
        ("fortnightly on tuesday", "FREQ=WEEKLY;INTERVAL=2;BYDAY=TU;BYHOUR=9 from Tue 2026-05-19 09:00"),
        (
            "close the books quarterly on the 5th",
            "FREQ=MONTHLY;INTERVAL=3;BYMONTHDAY=5;BYHOUR=9 from Fri 2026-06-05 09:00 · close the books",
        ),
    ]);
}

#[test]
fn hours_and_minutes_repeat_from_now() {
    check_all(&[
        ("every 3 hours drink water", "every 3h from Wed 2026-05-13 19:00 · drink water"),
        ("every 20 minutes", "every 20m from Wed 2026-05-13 16:20"),
        ("every half hour", "every 30m from Wed 2026-05-13 16:30"),
        ("hourly", "every 1h from Wed 2026-05-13 17:00"),
        ("every 30 seconds", "every 30s from Wed 2026-05-13 16:00:30"),
        ("every 4 hours 3 times", "every 4h from Wed 2026-05-13 20:00 ×3"),
        ("every 6 hours until may 15", "every 6h from Wed 2026-05-13 22:00 until Fri 2026-05-15 23:59:59"),
        ("every 2 hours starting at 9am", "every 2h from Thu 2026-05-14 09:00"),
    ]);
}

#[test]
fn monthly_and_yearly_rules_clamp_at_the_months_end() {
    check_all(&[
        (
            "pay the gym every month on the 3rd",
            "FREQ=MONTHLY;BYMONTHDAY=3;BYHOUR=9 from Wed 2026-06-03 09:00 · pay the gym",
        ),
        ("every 15th at noon", "FREQ=MONTHLY;BYMONTHDAY=15;BYHOUR=12 from Fri 2026-05-15 12:00"),
        ("the 30th of every month", "FREQ=MONTHLY;BYMONTHDAY=28,29,30;BYSETPOS=-1;BYHOUR=9 from Sat 2026-05-30 09:00"),
        (
            "every month on the 1st and 31st",
            "FREQ=MONTHLY;BYMONTHDAY=1,28,29,30,31;BYSETPOS=1,-1;BYHOUR=9 from Sun 2026-05-31 09:00",
        ),
        ("last day of the month at 6pm every month", "FREQ=MONTHLY;BYMONTHDAY=-1;BYHOUR=18 from Sun 2026-05-31 18:00"),
        (
            "every last weekday of the month",
            "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1;BYHOUR=9 from Fri 2026-05-29 09:00",
        ),
        ("first monday of every month at 10am", "FREQ=MONTHLY;BYDAY=1MO;BYHOUR=10 from Mon 2026-06-01 10:00"),
        ("every 3rd thursday", "FREQ=MONTHLY;BYDAY=3TH;BYHOUR=9 from Thu 2026-05-21 09:00"),
        ("first and third friday of every month", "FREQ=MONTHLY;BYDAY=1FR,3FR;BYHOUR=9 from Fri 2026-05-15 09:00"),
        ("every month", "FREQ=MONTHLY;BYHOUR=9 from Thu 2026-05-14 09:00"),
        (
            "dad's birthday every year on july 9",
            "FREQ=YEARLY;BYMONTH=7;BYMONTHDAY=9;BYHOUR=9 from Thu 2026-07-09 09:00 · dad's birthday",
        ),
        ("every july 9 at 8am", "FREQ=YEARLY;BYMONTH=7;BYMONTHDAY=9;BYHOUR=8 from Thu 2026-07-09 08:00"),
        (
            "every year on feb 29",
            "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=28,29;BYSETPOS=-1;BYHOUR=9 from Sun 2027-02-28 09:00",
        ),
    ]);
}

#[test]
fn a_clamped_rule_returns_to_its_day() {
    let reading = parse_every("month on the 31st at 9am", &context()).expect("a rule");
    let instances = reading.schedule.instances(None, Timestamp::MIN, zone("America/New_York"));
    let found: Vec<String> = instances.take(5).map(|i| told(i.due, zone("America/New_York"))).collect();
    assert_eq!(
        found,
        [
            "Sun 2026-05-31 09:00",
            "Tue 2026-06-30 09:00",
            "Fri 2026-07-31 09:00",
            "Mon 2026-08-31 09:00",
            "Wed 2026-09-30 09:00"
        ]
    );
    assert_eq!(reading.notes, [Note::MonthEnd { day: 31 }]);
}

#[test]
fn several_times_of_day_expand_to_those_times_only() {
    let reading = parse_every("weekday at 8:15 and 20:30", &context()).expect("a rule");
    let instances = reading.schedule.instances(None, Timestamp::MIN, zone("America/New_York"));
    let found: Vec<String> = instances.take(6).map(|i| told(i.due, zone("America/New_York"))).collect();
    assert_eq!(
        found,
        [
            "Wed 2026-05-13 20:30",
            "Thu 2026-05-14 08:15",
            "Thu 2026-05-14 20:30",
            "Fri 2026-05-15 08:15",
            "Fri 2026-05-15 20:30",
            "Mon 2026-05-18 08:15",
        ]
    );
}

#[test]
fn a_repetition_starts_and_ends_where_it_says() {
    check_all(&[
        ("every day at 7am until may 18", "FREQ=DAILY;BYHOUR=7 from Thu 2026-05-14 07:00 until 2026-05-18 23:59:59"),
        (
            "every day at 7am until friday 6pm",
            "FREQ=DAILY;BYHOUR=7 from Thu 2026-05-14 07:00 until 2026-05-15 18:00:00",
        ),
        ("every week 4 times", "FREQ=WEEKLY;BYHOUR=9 from Thu 2026-05-14 09:00 ×4"),
        ("every day at 6pm twice", "FREQ=DAILY;BYHOUR=18 from Wed 2026-05-13 18:00 ×2"),
        ("every day at 8am starting june 1", "FREQ=DAILY;BYHOUR=8 from Mon 2026-06-01 08:00"),
        ("every monday from june 2", "FREQ=WEEKLY;BYDAY=MO;BYHOUR=9 from Mon 2026-06-08 09:00"),
        ("every day for 2 weeks", "FREQ=DAILY;BYHOUR=9 from Thu 2026-05-14 09:00 until 2026-05-27 16:00:00"),
    ]);
}

#[test]
fn a_count_counts_only_what_lies_ahead() {
    let context = context_at("2026-05-13 09:00", "America/New_York");
    let reading = parse_every("day at 9am 3 times", &context).expect("a rule");
    let instances = reading.schedule.instances(None, Timestamp::MIN, zone("America/New_York"));
    let found: Vec<String> = instances.map(|instance| told(instance.due, zone("America/New_York"))).collect();
    assert_eq!(found, ["Thu 2026-05-14 09:00", "Fri 2026-05-15 09:00", "Sat 2026-05-16 09:00"]);
}

#[test]
fn what_follows_every_may_stand_alone() {
    let every =
        |text: &str| parse_every(text, &context()).map_or_else(|e| e.to_string(), |time| rule(&time, &context()));
    assert_eq!(every("day at 9am"), "FREQ=DAILY;BYHOUR=9 from Thu 2026-05-14 09:00");
    assert_eq!(
        every("weekday at 9:30"),
        "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR;BYHOUR=9;BYMINUTE=30 from Thu 2026-05-14 09:30"
    );
    assert_eq!(every("2 hours 3 times"), "every 2h from Wed 2026-05-13 18:00 ×3");
    assert_eq!(every("90 minutes"), "every 1h30m from Wed 2026-05-13 17:30");
    assert_eq!(every("3d"), "FREQ=DAILY;INTERVAL=3;BYHOUR=9 from Thu 2026-05-14 09:00");
    assert_eq!(every("monday"), "FREQ=WEEKLY;BYDAY=MO;BYHOUR=9 from Mon 2026-05-18 09:00");
    assert_eq!(every("every monday"), "FREQ=WEEKLY;BYDAY=MO;BYHOUR=9 from Mon 2026-05-18 09:00");
    assert_eq!(every("day at 02:30"), "FREQ=DAILY;BYHOUR=2;BYMINUTE=30 from Thu 2026-05-14 02:30");
    assert_eq!(every("cheese"), "cannot repeat \"cheese\": expected what follows `every`, such as `day at 9am`");
    assert_eq!(every("day at cheese"), "cannot read \"at cheese\" as part of a time");
    let reading = parse_every("day at 9am", &context()).expect("a rule");
    assert_eq!(
        (reading.schedule.text.as_str(), reading.spans.len(), reading.spans[0].clone()),
        ("day at 9am", 1, 0..10)
    );
    let error = parse_every("day at cheese", &context()).expect_err("cheese is no time");
    assert_eq!(error.span(), &(4..13));
    assert_eq!(every("tomorrow"), "cannot repeat \"tomorrow\": expected what follows `every`, such as `day at 9am`");
}

#[test]
fn a_time_alone_may_not_have_other_words() {
    let time =
        |text: &str| parse_time(text, &context()).map_or_else(|e| e.to_string(), |time| told(time.due, context().zone));
    assert_eq!(time("tomorrow 3pm"), "Thu 2026-05-14 15:00");
    assert_eq!(time("5"), "Wed 2026-05-13 17:00");
    assert_eq!(time("20 minutes"), "Wed 2026-05-13 16:20");
    assert_eq!(time("in 20 minutes"), "Wed 2026-05-13 16:20");
    assert_eq!(time("11:30"), "Wed 2026-05-13 23:30");
    assert_eq!(time("friday pay rent"), "cannot read \"pay rent\" as part of a time");
    assert_eq!(time("rent"), "cannot find a time in \"rent\"");
    assert_eq!(time(""), "cannot find a time in \"\"");
    assert_eq!(parse_time("friday pay rent", &context()).expect_err("words are left").span(), &(7..15));
}

#[test]
fn times_that_cannot_be_set_are_refused_with_a_proposal() {
    check_all(&[
        ("yesterday 3pm", "cannot set \"yesterday 3pm\": Tue 12 May 2026 15:00 has passed"),
        ("today at 9am", "cannot set \"today at 9am\": Wed 13 May 2026 09:00 has passed"),
        ("this morning", "cannot set \"this morning\": Wed 13 May 2026 09:00 has passed"),
        ("2 hours ago", "cannot set \"2 hours ago\": that time has passed"),
        ("2020-01-01", "cannot set \"2020-01-01\": Wed 1 Jan 2020 09:00 has passed"),
        ("thursday june 5", "cannot set \"thursday june 5\": Fri 5 June 2026 is not the day that the other words name"),
        ("31 april", "cannot set \"31 april\": no calendar has that day"),
        ("30 feb 2027", "cannot set \"30 feb 2027\": no calendar has that day"),
        ("at 25:00", "cannot set \"at 25:00\": no clock shows that time"),
        ("at 9:75", "cannot set \"at 9:75\": no clock shows that time"),
        ("10000-01-01 09:00", "cannot set \"10000-01-01 09:00\": expected a time within the years 1970 to 9999"),
        ("in 999999999 years", "cannot set \"in 999999999 years\": expected a time within the years 1970 to 9999"),
        ("tomorrow at 3pm and 5pm", "cannot choose between the times in \"tomorrow at 3pm and 5pm\""),
        ("every 0 days", "cannot repeat \"every 0 days\": expected an interval of at least one second"),
        ("every month on monday", "cannot repeat \"every month on monday\": its days do not fit its cycle"),
        (
            "every day at 9am until yesterday",
            "cannot set \"every day at 9am until yesterday\": Tue 12 May 2026 09:00 has passed",
        ),
    ]);
    let hint = |text: &str| parse_sentence(text, &context()).expect_err("refused").hint();
    assert_eq!(hint("today at 9am").as_deref(), Some("say `tomorrow 09:00`"));
    assert_eq!(hint("yesterday 6pm").as_deref(), Some("say `today 18:00`"));
    assert_eq!(hint("thursday june 5").as_deref(), Some("say `5 june 2026`, or the weekday alone"));
    // The day that was said stays theirs: only the time of day is at fault.
    assert_eq!(hint("at 25:00").as_deref(), Some("say `tomorrow 01:00`"));
    for text in ["friday 25:00", "tomorrow 3:75pm", "every monday at 25:00", "明天25点", "20 may 25:00"] {
        let hint = hint(text).expect("there is one");
        assert!(hint.starts_with("the time of day is the fault") && !hint.contains('`'), "{text}: {hint}");
    }
    let utc = context_at("2038-01-19 03:14", "UTC");
    assert_eq!(read("9999-12-31 23:00", &utc), "Fri 9999-12-31 23:00");
}

#[test]
fn gaps_and_folds_of_the_clock_are_said_aloud() {
    let spring = context_at("2026-03-07 12:00", "America/New_York");
    assert_eq!(read("tomorrow 02:30", &spring), "Sun 2026-03-08 03:00");
    let notes = parse_sentence("tomorrow 02:30", &spring).expect("a time").notes;
    assert_eq!(notes[0].to_string(), "the clock jumps over 02:30 that day, so Sun 8 Mar 2026 03:00");
    let autumn = context_at("2026-10-31 12:00", "America/New_York");
    let reading = parse_sentence("tomorrow 01:30", &autumn).expect("a time");
    assert_eq!(reading.time.expect("a time").due.to_string(), "2026-11-01T05:30:00Z");
    assert!(matches!(reading.notes[..], [Note::Fold { .. }]));
    let santiago = context_at("2024-09-07 12:00", "America/Santiago");
    assert_eq!(read("sunday 9am", &santiago), "Sun 2024-09-08 09:00");
}

#[test]
fn ambiguous_words_are_said_aloud() {
    let notes = |text: &str| {
        let reading = parse_sentence(text, &context()).expect("a time");
        reading.notes.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    assert_eq!(notes("next friday"), ["read as Fri 22 May 2026, not Fri 15 May 2026, which is `friday` alone"]);
    assert_eq!(notes("this monday"), ["Mon 11 May 2026 has passed, read as Mon 18 May 2026"]);
    assert_eq!(notes("may 3"), ["next on Mon 3 May 2027"]);
    assert_eq!(notes("at 3pm"), ["next on Thu 14 May 2026"]);
    assert_eq!(notes("midnight friday"), ["midnight ends the day: Sat 16 May 2026 00:00"]);
    assert_eq!(notes("tomorrow 3pm"), Vec::<String>::new());
}

#[test]
fn a_named_zone_is_the_regions_clock() {
    check("4pm CET tomorrow", "Thu 2026-05-14 10:00");
    check("8am PST friday", "Fri 2026-05-15 11:00");
    let reading = parse_sentence("4pm CET tomorrow", &context()).expect("a time");
    assert_eq!(reading.time.expect("a time").zone, Some(zone("Europe/Paris")));
}

#[test]
fn rules_and_times_are_said_in_words() {
    let say = |text: &str| {
        let reading = parse_sentence(text, &context()).expect("a time");
        render::describe(&reading.time.expect("a time").schedule, context().zone)
    };
    assert_eq!(say("every day at 9am"), "every day at 09:00");
    assert_eq!(say("every weekday at 9:30"), "every weekday at 09:30");
    assert_eq!(say("every monday and friday"), "every Mon and Fri at 09:00");
    assert_eq!(say("every other tuesday at 7pm"), "every other week on Tue at 19:00");
    assert_eq!(say("every month on the 31st"), "every month on the 31st at 09:00");
    assert_eq!(say("every month on the 1st and 31st"), "every month on the 1st and 31st at 09:00");
    assert_eq!(say("last day of every month"), "every month on the last day at 09:00");
    assert_eq!(say("first monday of every month"), "every month on the 1st Mon at 09:00");
    assert_eq!(say("last weekday of every month"), "every month on the last weekday at 09:00");
    assert_eq!(say("every year on feb 29"), "every year on 29 Feb at 09:00");
    assert_eq!(say("every week 5 times"), "every Thu at 09:00, 5 times");
    assert_eq!(say("every day at 9am until may 20"), "every day at 09:00 until Wed 20 May 2026");
    assert_eq!(say("every day at 8:15 and 20:30"), "every day at 08:15 and 20:30");
    assert_eq!(say("every 90 minutes"), "every 1 hour 30 minutes");
    assert_eq!(say("every hour"), "every hour");
    assert_eq!(say("tomorrow 3pm"), "Thu 14 May 2026 15:00");
    assert_eq!(say("4pm CET tomorrow"), "Thu 14 May 2026 16:00 (Europe/Paris)");
}

#[test]
fn instants_are_told_with_their_distance() {
    let context = context();
    let later = |millis| context.now.saturating_add(Span::from_millis(millis));
    assert_eq!(render::absolute(later(23 * 3_600_000), context.now, context.zone), "Thu 14 May 2026 15:00 EDT");
    assert_eq!(render::absolute(later(10_000), context.now, context.zone), "Wed 13 May 2026 16:00:10 EDT");
    let distance = |millis| render::distance(later(millis), context.now);
    assert_eq!(distance(0), "now");
    assert_eq!(distance(10_000), "in 10 s");
    assert_eq!(distance(90_000), "in 1 min 30 s");
    assert_eq!(distance(20 * 60_000), "in 20 min");
    assert_eq!(distance(23 * 3_600_000), "in 23 h");
    assert_eq!(distance(9_000_000), "in 2 h 30 min");
    assert_eq!(distance(86_400_000 + 7_200_000), "in 1 day 2 h");
    assert_eq!(distance(20 * 86_400_000), "in 20 days");
    assert_eq!(distance(-3 * 86_400_000), "3 days ago");
    assert_eq!(distance(800 * 86_400_000), "in 2 years");
}

/// Words that mean time, and some that do not, for random sentences.
const WORDS: &[&str] = &[
    "remind",
    "me",
    "to",
    "at",
    "on",
    "in",
    "by",
    "every",
    "other",
    "day",
    "days",
    "week",
    "month",
    "year",
    "monday",
    "fri",
    "sat",
    "mondays",
    "weekday",
    "weekend",
    "june",
    "may",
    "3",
    "31st",
    "5",
    "99999999999",
    "999999999",
    "0",
    "2026-06-03",
    "2/30",
    "9:30",
    "25:61",
    "3pm",
    "12am",
    "noon",
    "midnight",
    "tomorrow",
    "today",
    "yesterday",
    "next",
    "last",
    "this",
    "first",
    "2nd",
    "of",
    "the",
    "and",
    ",",
    "-",
    ":",
    ".",
    "/",
    "until",
    "from",
    "starting",
    "times",
    "3",
    "for",
    "half",
    "past",
    "quarter",
    "an",
    "a",
    "hour",
    "minutes",
    "2h30m",
    "1.5",
    "before",
    "after",
    "ago",
    "except",
    "tonight",
    "morning",
    "night",
    "eod",
    "end",
    "later",
    "now",
    "+",
    "CET",
    "\"",
    "'",
    "“x”",
    "明天",
    "三点",
    "Zoë",
    "🎂",
    "pay",
    "rent",
    "@",
    "each",
    "daily",
    "second",
    "through",
    "to",
    "weeks",
    "1/2",
    "'s",
    "10000-01-01",
];

/// Zones whose clock changes are of many kinds.
const ZONES: &[&str] = &[
    "America/New_York",
    "Europe/Berlin",
    "Australia/Lord_Howe",
    "Pacific/Apia",
    "America/Havana",
    "America/Santiago",
    "Africa/Casablanca",
    "Asia/Beirut",
    "UTC",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn any_text_is_read_without_panic(text in "\\PC{0,60}") {
        let _ = parse_sentence(&text, &context());
        let _ = parse_time(&text, &context());
        let _ = parse_every(&text, &context());
        let _ = parse_span(&text);
    }

    #[test]
    fn any_words_of_time_are_read_without_panic(
        picks in prop::collection::vec((prop::sample::select(WORDS), prop::bool::weighted(0.9)), 0..12),
        (name, now_ms) in (prop::sample::select(ZONES), 946_684_800_000_i64..2_114_380_800_000),
    ) {
        let text: String = picks.iter().map(|(word, has_space)| if *has_space { format!("{word} ") } else { (*word).into() }).collect();
        let now = Timestamp::from_millis(now_ms).expect("within 2000 to 2037");
        let context = Context { now, zone: zone(name), settings: Settings::default() };
        for time in [parse_time(&text, &context).ok(), parse_every(&text, &context).ok()].into_iter().flatten() {
            prop_assert!(time.schedule.validate().is_ok(), "{text}: {:?}", time.schedule);
            prop_assert!(time.spans.iter().all(|span| text.get(span.clone()).is_some()), "{text}");
        }
        if let Err(error) = parse_every(&text, &context) {
            prop_assert!(text.get(error.span().clone()).is_some(), "{text}: {error:?}");
        }
        match parse_sentence(&text, &context) {
            Ok(reading) => {
                let time = reading.time.as_ref();
                let spans = time.map_or(&[][..], |time| &time.spans);
                prop_assert!(spans.iter().all(|span| text.get(span.clone()).is_some()), "{text}");
                // The title is the remaining words in their order.
                let mut rest = text.clone();
                for span in spans.iter().rev() {
                    rest.replace_range(span.clone(), " ");
                }
                let mut left = rest.split_whitespace().flat_map(str::chars);
                prop_assert!(reading.title.split_whitespace().flat_map(str::chars).all(|c| left.any(|l| l == c)), "{text} → {}", reading.title);
                if let Some(time) = time {
                    let is_now = matches!(time.schedule.rule, Rule::Countdown(_));
                    prop_assert!(is_now || time.due > context.now, "{text}");
                    let first = time.schedule.next_after(None, context.now, context.zone);
                    prop_assert_eq!(first.map(|first| first.due), Some(time.due), "{}", text);
                }
            }
            Err(error) => prop_assert!(text.get(error.span().clone()).is_some(), "{text}: {error:?}"),
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn the_first_instance_is_the_schedules_own_around_clock_changes(
        name in prop::sample::select(ZONES), days in 0_i64..13_500, minutes in 0_i64..1440,
        text in prop::sample::select(&[
            "every day at 02:30", "every day at 00:30", "every day at 1:45 and 14:30", "every sunday at 02:00", "every other day",
            "every 2 hours", "tomorrow 02:30", "at 01:30", "in 1 day", "friday midnight", "every month on the 31st at 2am",
            "every day at 01:30 3 times", "every day at 2am until sunday", "every week", "every hour from 0:30 to 3:30",
        ][..]),
    ) {
        let now = Timestamp::from_millis(946_684_800_000 + (days * 1440 + minutes) * 60_000).expect("within 2000 to 2037");
        let context = Context { now, zone: zone(name), settings: Settings::default() };
        let time = parse_time(text, &context).expect("readable whenever it is said");
        prop_assert!(time.due > now);
        let first = time.schedule.next_after(None, now, context.zone);
        prop_assert_eq!(first.map(|first| first.due), Some(time.due));
        let from_start = time.schedule.instances(None, Timestamp::MIN, context.zone).next();
        prop_assert_eq!(from_start.map(|first| first.due), Some(time.due), "counting starts at the first one ahead");
    }
}
