//! Public faults of other reminders, each with its whole kind: sleep, restarts, snoozes, and what is done late.
//!
//! The letter and number before a test name the report. All of it runs on the real programs.

use chrono_tz::Tz::{Asia__Tokyo as TOKYO, Europe__Berlin as BERLIN};
use serde_json::json;

use crate::support::life::Life;

/// A day as far as a machine sleeps through it.
struct Slept {
    added: &'static str,
    rings: &'static [&'static str],
    next: &'static str,
}

// B1
#[test]
fn what_came_due_in_a_suspend_rings_once_on_waking_and_again_at_its_own_time() {
    let mut life = Life::begin(BERLIN, "2026-05-11T19:00");
    let cases = [
        Slept {
            added: "add pill daily at 8:30pm",
            rings: &["2026-05-12T09:00 late", "2026-05-12T20:30"],
            next: "2026-05-12T20:30",
        },
        Slept {
            added: "add bins --every 'monday at 8:30pm'",
            rings: &["2026-05-12T09:00 late"],
            next: "2026-05-18T20:30",
        },
        Slept {
            added: "add rent --every 'month on the 11th at 8:30pm'",
            rings: &["2026-05-12T09:00 late"],
            next: "2026-06-11T20:30",
        },
        Slept {
            added: "add log --cron '30 20 * * *'",
            rings: &["2026-05-12T09:00 late", "2026-05-12T20:30"],
            next: "2026-05-12T20:30",
        },
        Slept {
            added: "add drink --every '2 hours' --from 8:30pm",
            rings: &[
                "2026-05-12T09:00 late",
                "2026-05-12T10:30",
                "2026-05-12T12:30",
                "2026-05-12T14:30",
                "2026-05-12T16:30",
                "2026-05-12T18:30",
                "2026-05-12T20:30",
            ],
            next: "2026-05-12T10:30",
        },
        Slept {
            added: "add plants --every '3 days at 8:30pm' --after-done",
            rings: &["2026-05-12T09:00 late"],
            next: "",
        },
        Slept { added: "add call at 8:30pm", rings: &["2026-05-12T09:00 late"], next: "" },
    ];
    for case in &cases {
        life.does(case.added);
    }
    life.is_off_until("2026-05-12T09:00");
    for (number, case) in (1..).zip(&cases) {
        let added = case.added;
        assert_eq!(life.rings(number), case.rings[..1], "{added}");
        assert_eq!(life.stage(number), "late", "{added}");
        assert_eq!(life.next(number).first().map_or("", String::as_str), case.next, "{added}");
    }
    let shown = life.does("show 1");
    assert!(shown.contains("due       Mon 11 May 2026 20:30 CEST (12h 30m ago)"), "{shown}");
    life.to("2026-05-12T20:30");
    for (number, case) in (1..).zip(&cases) {
        assert_eq!(life.rings(number), case.rings, "{}", case.added);
    }
}

// B1: what else is due at a moment at which the machine sleeps.
#[test]
fn early_alerts_deadlines_and_ends_of_pauses_are_not_slept_through() {
    let mut life = Life::begin(BERLIN, "2026-05-11T19:00");
    life.does("add exam --at 'tomorrow 2pm' --alert 16h,1h,0");
    life.does("add taxes --at 'today 7:30pm' --deadline 'today 11pm' --deadline-alert 1h,0");
    life.does("add report --at 'tomorrow 2pm'");
    life.does("pause 3 --until 'today 11pm'");
    life.does("add pill --at 8pm");
    life.does("pause 4 --until 'today 11pm'");
    life.to("2026-05-11T19:30");
    life.does("snooze taxes until 9pm");
    life.is_off_until("2026-05-12T09:00");
    assert_eq!(life.rings(1), ["2026-05-12T09:00 late"], "the alert at 22:00");
    assert_eq!((life.stage(1).as_str(), life.time(1, "scheduled_at").as_str()), ("scheduled", "2026-05-12T13:00"));
    assert_eq!(life.rings(2), ["2026-05-11T19:30", "2026-05-12T09:00 late"], "snooze and deadline in one ring");
    assert_eq!(life.stage(2), "past deadline");
    assert_eq!((life.stage(3).as_str(), life.rings(3)), ("scheduled", vec![]), "it keeps its time");
    assert_eq!((life.stage(4).as_str(), life.rings(4)), ("late", vec!["2026-05-12T09:00 late".to_owned()]));
    life.to("2026-05-12T14:00");
    assert_eq!(life.rings(1)[1..], ["2026-05-12T13:00", "2026-05-12T14:00"]);
    assert_eq!(life.rings(3), ["2026-05-12T14:00"]);
}

// B21
#[test]
fn a_length_from_now_is_an_instant_that_sleep_does_not_stretch() {
    let mut life = Life::begin(BERLIN, "2026-05-11T09:00");
    for added in [
        "remind tea --at 'in 10m'",
        "add snoozed --at now",
        "add nagging --at now --nag 10m",
        "add paused --at 'in 20m'",
        "add every --every '10 minutes'",
    ] {
        life.does(added);
    }
    life.to("2026-05-11T09:00");
    life.does("snooze 2 10m");
    life.does("pause 4 --for 10m");
    life.to("2026-05-11T09:02");
    life.is_off_until("2026-05-11T09:32");
    assert_eq!(life.rings(1), ["2026-05-11T09:32 late"]);
    assert_eq!(life.rings(2), ["2026-05-11T09:00", "2026-05-11T09:32 late"]);
    assert_eq!(life.rings(3), ["2026-05-11T09:00", "2026-05-11T09:32 late"], "one nag for all that were slept through");
    assert_eq!(life.time(3, "scheduled_at"), "2026-05-11T09:42", "and the next counts from that ring");
    assert_eq!(life.rings(5), ["2026-05-11T09:32 late"]);
    assert_eq!(life.next(5)[0], "2026-05-11T09:40", "an interval keeps its cadence");
    assert_eq!(life.stage(4), "scheduled", "the pause is over");
}

// B6
#[test]
fn a_snooze_outlives_edits_of_others_and_a_crash() {
    let mut life = Life::begin(BERLIN, "2026-05-11T09:00");
    life.does("add A --at '9:05'");
    life.does("add B --at 'tomorrow 8am'");
    life.to("2026-05-11T09:05");
    life.does("snooze A 10m");
    life.does("edit B --title C tomorrow 7am");
    life.crashes();
    life.to("2026-05-11T09:14");
    assert_eq!(life.rings(1), ["2026-05-11T09:05"]);
    life.to("2026-05-11T11:00");
    assert_eq!(life.rings(1), ["2026-05-11T09:05", "2026-05-11T09:15"]);
}

/// Something that happens in a life.
type Happening<'a> = &'a dyn Fn(&mut Life);

// B6: what else might lose one.
#[test]
fn a_snooze_outlives_all_that_does_not_end_it() {
    let events: [(&str, Happening<'_>); 9] = [
        ("its own title", &|life| drop(life.does("edit 1 --title other +tag --note text --priority high"))),
        ("what it nags and how late it may be", &|life| drop(life.does("edit 1 --nag 2h --max-late 3h"))),
        ("a deadline", &|life| drop(life.does("edit 1 --deadline 'tomorrow 8am'"))),
        ("a pause and its end", &|life| {
            life.does("pause 1");
            life.does("resume 1");
        }),
        ("a pause of all", &|life| {
            life.does("pause --all");
            life.crashes();
            life.does("resume --all");
        }),
        ("a restart in order", &|life| life.is_off_until("2026-05-11T09:06")),
        ("a refused edit", &|life| drop(life.keiko("edit 1 tomorrow 25:00"))),
        ("a backup that is put back", &|life| {
            life.does(&format!("backup '{}'", life.home().path("copy.db").display()));
            life.does("done 1");
            life.switch_off();
            std::fs::copy(life.home().path("copy.db"), life.home().path("data/keiko.db")).expect("it is ours");
            life.switch_on();
        }),
        ("a skip of another", &|life| drop(life.does("skip 2"))),
    ];
    for (what, event) in events {
        let mut life = Life::begin(BERLIN, "2026-05-11T09:00");
        life.does("add A --at 9:05");
        life.does("add B daily at 8am");
        life.to("2026-05-11T09:05");
        life.does("snooze A 10m");
        event(&mut life);
        life.to("2026-05-11T09:14");
        assert_eq!(life.rings(1), ["2026-05-11T09:05"], "{what}");
        life.to("2026-05-11T10:00");
        assert_eq!(life.rings(1), ["2026-05-11T09:05", "2026-05-11T09:15"], "{what}");
        assert_eq!(life.time(1, "due_at"), "2026-05-11T09:05", "{what}: snoozing never moves the due");
    }
}

// B6: on a journey an instant stays an instant.
#[test]
fn a_snooze_outlives_a_new_zone() {
    let mut life = Life::begin(BERLIN, "2026-05-11T09:00");
    life.does("add A --at 9:05");
    life.to("2026-05-11T09:05");
    life.does("snooze A 10m");
    life.travels_until(TOKYO, "2026-05-11T16:10");
    assert_eq!(life.rings(1), ["2026-05-11T16:05"]);
    life.to("2026-05-11T17:00");
    assert_eq!(life.rings(1), ["2026-05-11T16:05", "2026-05-11T16:15"]);
}

// B6: what ends it.
#[test]
fn a_snooze_ends_with_its_task_and_with_a_new_time() {
    let mut life = Life::begin(BERLIN, "2026-05-11T09:00");
    for title in ["A", "B", "C"] {
        life.does(&format!("add {title} --at 9:05"));
    }
    life.does("add D daily at 9:05");
    life.to("2026-05-11T09:05");
    life.does("snooze 1-4 10m");
    life.does("done A");
    life.does("cancel B");
    life.does("edit C today 11am");
    life.does("skip D");
    life.crashes();
    life.to("2026-05-11T12:00");
    assert_eq!(life.rings(1), ["2026-05-11T09:05"]);
    assert_eq!(life.rings(2), ["2026-05-11T09:05"]);
    assert_eq!(life.rings(3), ["2026-05-11T09:05", "2026-05-11T11:00"]);
    assert_eq!(life.rings(4), ["2026-05-11T09:05"]);
    assert_eq!(life.next(4)[0], "2026-05-12T09:05");
}

// B11
#[test]
fn a_weekly_job_of_the_night_is_made_up_for_each_week_or_told_as_missed() {
    let mut life = Life::begin(BERLIN, "2026-05-09T20:00");
    life.does("add backup --every 'sunday at 3am'");
    life.does("add once --every 'sunday at 3am' --missed skip");
    life.does("add briefly --every 'sunday at 3am' --max-late 2h");
    life.does("add single --at 'sunday 3am' --missed skip");
    for (night, morning) in [
        ("2026-05-10T02:00", "2026-05-10T08:00"),
        ("2026-05-17T02:00", "2026-05-17T08:00"),
        ("2026-05-24T02:00", "2026-05-24T08:00"),
    ] {
        life.to(night);
        life.is_off_until(morning);
    }
    assert_eq!(life.rings(1), ["2026-05-10T08:00 late", "2026-05-17T08:00 late", "2026-05-24T08:00 late"]);
    assert_eq!(life.next(1)[0], "2026-05-31T03:00");
    for (number, why) in [(2, "1 missed, and it is not made up for"), (3, "1 missed, and by more than it may be late")]
    {
        assert_eq!(life.rings(number), [""; 0]);
        assert_eq!(life.passed_over(number), [why; 3]);
        assert_eq!(life.next(number)[0], "2026-05-31T03:00");
    }
    assert_eq!((life.rings(4), life.stage(4).as_str()), (vec![], "missed"));
    let history = life.does("history 2");
    assert!(history.contains("1 time, missed, and it is not made up for"), "{history}");
}

// B39: the state side; who is told how is the digest's.
#[test]
fn three_days_of_ticks_are_one_ring_and_a_count() {
    let mut life = Life::begin(BERLIN, "2026-05-11T09:00");
    life.does("add tick --every minute");
    let overdue = "task today at 10am\n".repeat(300);
    let file = life.home().path("tasks");
    std::fs::write(&file, overdue).expect("it is ours");
    let mut adding = life.command(env!("CARGO_BIN_EXE_keiko"));
    adding.args(["add", "-q", "-"]).stdin(std::fs::File::open(file).expect("it is there"));
    assert_eq!(crate::support::person::said(adding).code, Some(0));
    life.is_off_until("2026-05-14T09:00");
    assert_eq!(life.rings(1), ["2026-05-14T09:00"], "the last tick is on time");
    assert_eq!(life.passed_over(1), ["4319 missed"]);
    let tasks = life.keiko("list --json").json();
    let tasks = tasks["tasks"].as_array().expect("a list");
    let late = tasks.iter().filter(|task| task["stage"] == "late").count();
    assert_eq!((tasks.len(), late), (301, 300));
    for number in [2, 150, 301] {
        assert_eq!(life.rings(number), ["2026-05-14T09:00 late"]);
    }
    life.crashes();
    assert_eq!(life.rings(1), ["2026-05-14T09:00"], "and a crash behind it repeats nothing");
    assert_eq!(life.rings(301), ["2026-05-14T09:00 late"]);
}

// B13
#[test]
fn done_on_what_is_long_overdue_lands_in_the_future() {
    let rules = [
        ("daily at 8am", "2026-08-09T08:00", "2026-08-10T08:00"),
        ("--cron '0 8 * * *'", "2026-08-09T08:00", "2026-08-10T08:00"),
        ("--rrule 'FREQ=DAILY;BYHOUR=8'", "2026-08-09T08:00", "2026-08-10T08:00"),
        ("--every 'saturday at 8am'", "2026-08-15T08:00", "2026-08-15T08:00"),
        ("--every 'month on the 1st at 8am'", "2026-09-01T08:00", "2026-09-01T08:00"),
        ("--every '12 hours' --from 8am", "2026-08-09T08:00", "2026-08-09T20:00"),
        ("--every '2 days at 8am' --after-done", "2026-08-11T08:00", "2026-08-11T08:00"),
    ];
    let mut life = Life::begin(BERLIN, "2026-08-01T07:00");
    for (rule, _, _) in &rules {
        life.does(&format!("add first {rule}"));
        life.does(&format!("add second {rule}"));
    }
    life.is_off_until("2026-08-09T07:45");
    let numbers = |first: u32| (first..).step_by(2);
    for (number, (rule, next, _)) in numbers(1).zip(&rules) {
        life.does(&format!("done {number}"));
        assert_eq!((life.next(number)[0].as_str(), life.stage(number).as_str()), (*next, "scheduled"), "{rule}");
    }
    life.to("2026-08-09T08:15");
    for (number, (rule, _, next)) in numbers(2).zip(&rules) {
        let closed = life.outcomes(number);
        life.does(&format!("done {number}"));
        assert_eq!((life.next(number)[0].as_str(), life.stage(number).as_str()), (*next, "scheduled"), "{rule}");
        assert_eq!(life.outcomes(number), [closed, vec!["done".to_owned()]].concat(), "{rule}: one done is enough");
        assert!(life.keiko(&format!("done {number}")).fine().starts_with("already done"), "{rule}");
    }
}

// B13: what else closes one that is overdue.
#[test]
fn skipping_or_resuming_what_is_long_overdue_lands_in_the_future() {
    for (verb, next) in [
        ("skip 1", "2026-08-13T08:00"),
        ("edit 1 --every 'day at 7am'", "2026-08-13T07:00"),
        ("done 1", "2026-08-13T08:00"),
    ] {
        let mut life = Life::begin(BERLIN, "2026-08-01T07:00");
        life.does("add pill daily at 8am");
        life.to("2026-08-02T09:00");
        life.does("pause 1");
        life.is_off_until("2026-08-09T07:45");
        life.does("resume 1");
        assert_eq!((life.stage(1).as_str(), life.next(1)[0].as_str()), ("scheduled", "2026-08-09T08:00"));
        life.to("2026-08-09T08:15");
        life.is_off_until("2026-08-12T09:00");
        life.does(verb);
        assert_eq!(life.next(1)[0], next, "{verb}");
        life.to("2026-08-13T08:00");
        assert_eq!(life.rings(1).last().expect("it rang"), next, "{verb}");
    }
}

// B55, B24: nothing is lost or said twice by a crash at any moment of a day.
#[test]
fn crashes_all_day_long_neither_lose_nor_repeat_a_ring() {
    let mut life = Life::begin(BERLIN, "2026-05-11T07:00");
    life.does("add pill daily at 8am --nag 30m --nag-max 2");
    life.does("add call --at 10am --alert 1h,0 --deadline noon");
    life.does("add drink --every '2 hours' --from 9am");
    for time in ["08:00", "08:30", "09:00", "09:15", "10:00", "11:00", "12:00", "13:00"] {
        life.crashes();
        life.to(&format!("2026-05-11T{time}"));
        life.crashes();
    }
    let today = |times: &[&str]| times.iter().map(|time| format!("2026-05-11T{time}")).collect::<Vec<_>>();
    assert_eq!(life.rings(1), today(&["08:00", "08:30", "09:00"]));
    assert_eq!(life.rings(2), today(&["09:00", "10:00", "12:00"]));
    assert_eq!(life.rings(3), today(&["09:00", "11:00", "13:00"]));
    assert_eq!(life.task(1)["nag_ms"], json!(1_800_000));
}
