//! What is written is read again, and what is hostile does no harm.

use proptest::prelude::*;
use proptest::test_runner::Config;
use serde_json::json;

use crate::cli::exchange::ical::line::{components, decoded, escaped, listed, push};
use crate::cli::exchange::ical::read::{Here, entries};
use crate::cli::exchange::ical::write::calendar;
use crate::cli::exchange::{Entry, Found};
use crate::domain::time::Timestamp;
use crate::protocol::objects::Task;

fn here() -> Here {
    let now = Timestamp::from_millis(1_778_702_400_000).expect("Wednesday 13 May 2026 16:00 in New York");
    Here { now, zone: chrono_tz::America::New_York, with_silent: false }
}

/// Returns what becomes of the components of a calendar, in words.
fn told(components: &str) -> String {
    let text = format!("BEGIN:VCALENDAR\r\n{components}END:VCALENDAR\r\n");
    entries(&text, here()).iter().map(told_entry).collect::<Vec<_>>().join("\n")
}

fn told_entry(entry: &Entry) -> String {
    match &entry.found {
        Found::Silent => format!("{}: silent", entry.place),
        Found::LeftOut(why) => format!("{}: left out, {why}", entry.place),
        Found::Refused(why) => format!("{}: refused, {why}", entry.place),
        Found::Task(draft) => {
            let add = &draft.add;
            let mut parts = vec![
                add.at.as_ref().map(|at| format!("at {at}")),
                add.every.as_ref().map(|every| format!("every {every}")),
                add.rrule.as_ref().map(|rule| format!("rule {rule}")),
                add.from.as_ref().map(|from| format!("from {from}")),
                add.zone.as_ref().filter(|_| add.fixed_zone).map(|zone| format!("in {zone}")),
                add.alerts.as_ref().map(|alerts| format!("alerts {}", alerts.join(" "))),
                add.no_alert.then(|| "silent".to_owned()),
                add.priority.map(|priority| format!("{priority:?}")),
                add.tags.as_ref().map(|tags| tags.join("+")),
                add.notes.as_ref().map(|notes| format!("notes {notes:?}")),
                add.link.clone(),
            ];
            parts.extend(draft.waits.iter().map(|wait| Some(format!("waits for {wait}"))));
            parts.extend(draft.remarks.iter().map(|remark| Some(format!("({remark})"))));
            format!("{}: {}", entry.place, parts.into_iter().flatten().collect::<Vec<_>>().join(", "))
        }
    }
}

fn todo(lines: &str) -> String {
    format!("BEGIN:VTODO\r\nUID:u\r\nSUMMARY:x\r\n{}\r\nEND:VTODO\r\n", lines.replace('\n', "\r\n"))
}

#[track_caller]
fn check(lines: &str, expected: &str) {
    assert_eq!(told(&todo(lines)), format!("line 2 (x): {expected}"));
}

#[test]
fn times_are_read_where_they_belong() {
    check("DUE:20261213T090000", "at 2026-12-13T09:00:00");
    check("DUE:20261213T090000Z", "at 2026-12-13T04:00:00-05:00");
    check("DUE;TZID=Europe/Berlin:20261213T090000", "at 2026-12-13T09:00:00, in Europe/Berlin");
    check(
        "DUE;TZID=\"/citadel.org/20070227_1/Europe/Berlin\":20261213T090000",
        "at 2026-12-13T09:00:00, in Europe/Berlin",
    );
    check("DUE;TZID=America/New_York:20261213T090000", "at 2026-12-13T09:00:00");
    check("DUE;VALUE=DATE:20261213", "at 2026-12-13");
    check("DTSTART:20261213T090000\nDURATION:PT1H30M", "at 2026-12-13T10:30:00");
    check(
        "DUE;TZID=W. Europe Standard Time:20261213T090000",
        "refused, its zone \"W. Europe Standard Time\" is none of IANA's (it is one of Windows): expected a name such as Europe/Berlin",
    );
    check("DUE:tomorrow", "refused, cannot read DUE \"tomorrow\": expected a time such as 20261213T090000");
    check(
        "DTSTART:20261213T090000\nDURATION:-PT1H",
        "refused, cannot read DURATION \"-PT1H\": expected a length such as PT1H",
    );
    check(
        "DUE:20251213T090000",
        "notes \"was due 2025-12-13T09:00:00\", (it was due 2025-12-13T09:00:00, which has passed)",
    );
    check("", "");
}

#[test]
fn a_zone_of_a_name_of_its_own_is_told_by_its_location() {
    let zone = "BEGIN:VTIMEZONE\r\nTZID:Mine\r\nX-LIC-LOCATION:Asia/Tokyo\r\nEND:VTIMEZONE\r\n";
    let told = told(&(zone.to_owned() + &todo("DUE;TZID=Mine:20261213T090000")));
    assert_eq!(told, "line 6 (x): at 2026-12-13T09:00:00, in Asia/Tokyo");
}

#[test]
fn alarms_become_alerts_from_due() {
    let alarm = |lines: &str| format!("BEGIN:VALARM\nACTION:DISPLAY\n{lines}\nEND:VALARM");
    let due = "DUE:20261213T090000";
    let with = |lines: &str| format!("{due}\n{}", alarm(lines));
    check(&with("TRIGGER;RELATED=END:-PT15M"), "at 2026-12-13T09:00:00, alerts -15m");
    check(&with("TRIGGER:PT0S"), "at 2026-12-13T09:00:00, alerts 0");
    check(&with("TRIGGER;VALUE=DATE-TIME:20261213T130000Z"), "at 2026-12-13T09:00:00, alerts -1h");
    check(&with("TRIGGER:-P1D\nREPEAT:2\nDURATION:PT10M"), "at 2026-12-13T09:00:00, alerts -1d -1430m -1420m");
    check(
        &with("TRIGGER:-P1D\nREPEAT:2"),
        "refused, line 6: its alarm repeats (REPEAT) without a length between (DURATION)",
    );
    check(&with("TRIGGER:soon"), "refused, line 6: cannot read TRIGGER \"soon\": expected a length such as -PT15M");
    check(&with("X:1"), "refused, line 6: its alarm has no TRIGGER");
    let mail = "DUE:20261213T090000\nBEGIN:VALARM\nACTION:EMAIL\nTRIGGER:-PT1H\nEND:VALARM";
    check(mail, "at 2026-12-13T09:00:00, (line 6: an alarm that is EMAIL is left out)");
    check(&alarm("TRIGGER;VALUE=DATE-TIME:20261213T130000Z"), "at 2026-12-13T08:00:00-05:00");
    let span = "DTSTART:20261213T080000\nDUE:20261213T090000";
    check(&format!("{span}\n{}", alarm("TRIGGER:-PT15M")), "at 2026-12-13T09:00:00, alerts -75m");
    check(&alarm("TRIGGER:-PT15M"), "refused, line 5: its alarm counts from a time that it does not have");
}

#[test]
fn events_come_in_where_they_have_an_alarm_and_lie_ahead() {
    let event = |lines: &str| told(&todo(lines).replace("VTODO", "VEVENT"));
    let alarm = "\nBEGIN:VALARM\nACTION:AUDIO\nTRIGGER;RELATED=END:-PT5M\nEND:VALARM";
    assert_eq!(
        event(&format!("DTSTART:20261213T090000\nDTEND:20261213T100000{alarm}")),
        "line 2 (x): at 2026-12-13T09:00:00, alerts +55m"
    );
    assert_eq!(event("DTSTART:20261213T090000"), "line 2 (x): silent");
    assert_eq!(event(&format!("DTSTART:20251213T090000{alarm}")), "line 2 (x): left out, over");
}

#[test]
fn events_without_an_alarm_come_in_where_they_are_wanted() {
    let text = "BEGIN:VEVENT\r\nUID:u\r\nSUMMARY:x\r\nDTSTART:20261213T090000\r\nEND:VEVENT\r\n";
    let found = entries(text, Here { with_silent: true, ..here() });
    assert_eq!(found.iter().map(told_entry).collect::<Vec<_>>(), ["line 1 (x): at 2026-12-13T09:00:00"]);
}

#[test]
fn what_a_calendar_does_not_know_is_said_of_each_task() {
    let task = |number: u64, values: &serde_json::Value| Task { number, ..crate::cli::render::fixture::task(values) };
    let command = json!({
        "arguments": ["tar"], "shell": null, "directory": "/", "env": [], "timeout_s": null, "overlap": "skip", "nice": 0,
        "limits": { "memory_bytes": null, "cpu_s": null, "processes": null, "files": null },
    });
    let tasks = [
        task(1, &json!({})),
        task(2, &json!({ "command": command, "nag_ms": 600_000, "deadline_at": "2026-05-14T18:00:00-04:00" })),
        task(3, &json!({ "waits_for": [1, 9] })),
    ];
    assert_eq!(
        calendar(&tasks, here().now).remarks,
        [
            "2 pay rent: its command, its deadline and its nag have no form in iCalendar, and are left out",
            "3 pay rent: that it waits for 9 has no form in iCalendar, and is left out",
        ]
    );
}

#[test]
fn what_is_under_way_or_overdue_keeps_the_alarms_that_are_yet_to_come() {
    let alarm = |trigger: &str| format!("\nBEGIN:VALARM\nACTION:DISPLAY\n{trigger}\nEND:VALARM");
    let event = |lines: &str| told(&todo(lines).replace("VTODO", "VEVENT"));
    let span = "DTSTART:20260513T150000\nDTEND:20260513T180000";
    let said = "notes \"began 2026-05-13T15:00:00\", \
        (it began 2026-05-13T15:00:00; it is under way, and its alarm yet to come is kept)";
    let before_end = alarm("TRIGGER;RELATED=END:-PT15M");
    assert_eq!(event(&format!("{span}{before_end}")), format!("line 2 (x): at 2026-05-13T17:45:00-04:00, {said}"));
    let two = alarm("TRIGGER;RELATED=END:-PT30M") + &alarm("TRIGGER:-PT15M") + &alarm("TRIGGER;RELATED=END:PT0S");
    assert_eq!(
        event(&format!("{span}{two}")),
        format!("line 2 (x): at 2026-05-13T17:30:00-04:00, alerts 0 +30m, {said}")
    );
    assert_eq!(event(&format!("{span}{}", alarm("TRIGGER:-PT15M"))), "line 2 (x): left out, over");
    check(
        &format!("DUE:20260501T090000{}", alarm("TRIGGER;VALUE=DATE-TIME:20260514T130000Z")),
        "at 2026-05-14T09:00:00-04:00, notes \"was due 2026-05-01T09:00:00\", \
            (it was due 2026-05-01T09:00:00; that has passed, and its alarm yet to come is kept)",
    );
}

#[test]
fn a_series_goes_on_from_its_next_time() {
    let rule = |start: &str, rule: &str| format!("{start}\nRRULE:{rule}");
    let berlin = "DTSTART;TZID=Europe/Berlin:20200106T093000";
    check(
        &rule(berlin, "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO"),
        "rule FREQ=WEEKLY;INTERVAL=2;BYDAY=MO, from 2026-05-18T09:30:00, in Europe/Berlin",
    );
    check(&rule("DTSTART:20260501T080000", "FREQ=DAILY;COUNT=20"), "rule FREQ=DAILY;COUNT=7, from 2026-05-14T08:00:00");
    check(&rule("DTSTART:20260501T080000", "FREQ=DAILY;COUNT=3"), "refused, all times of its rule have passed");
    check(&rule("DTSTART;VALUE=DATE:20200513", "FREQ=YEARLY"), "rule FREQ=YEARLY, from 2026-05-13");
    check(
        &rule("DTSTART:20260513T120000Z", "FREQ=HOURLY;INTERVAL=6"),
        "every 21600 seconds, from 2026-05-13T20:00:00-04:00",
    );
    check(&rule("X:1", "FREQ=DAILY"), "refused, its rule (RRULE) has no beginning (DTSTART)");
    check(
        &rule("DTSTART:20260513T120000Z", "FREQ=DAILY\nEXDATE:20260601T120000Z"),
        "rule FREQ=DAILY, from 2026-05-14T08:00:00, notes \"not on 2026-06-01: keiko skip\", (its calendar leaves out \
         2026-06-01 (EXDATE), and it rings then too: keiko skip passes over such a time once it is the next)",
    );
    check(
        &rule("DTSTART:20260513T120000", "FREQ=DAILY\nEXDATE:20260514T120000,20260515T120000"),
        "rule FREQ=DAILY, from 2026-05-16T12:00:00",
    );
    check(
        &rule("DTSTART:20260513T120000", "FREQ=DAILY;COUNT=5\nEXDATE:20260514T120000"),
        "rule FREQ=DAILY;COUNT=3, from 2026-05-15T12:00:00",
    );
    check(
        &rule("DTSTART;VALUE=DATE:20260514", "FREQ=DAILY\nEXDATE;VALUE=DATE:20260514"),
        "rule FREQ=DAILY, from 2026-05-15",
    );
    check(
        &rule("DTSTART:20260513T120000", "FREQ=DAILY\nEXDATE:20260501T120000"),
        "rule FREQ=DAILY, from 2026-05-14T12:00:00",
    );
    check(
        &rule("DTSTART:20260513T120000", "FREQ=DAILY\nRDATE:20260501T120000"),
        "refused, it names times besides its rule (RDATE), which a series of Keiko cannot",
    );
    check(
        "RECURRENCE-ID:20260513T120000\nDTSTART:20260513T130000",
        "refused, it changes one time of a series (RECURRENCE-ID); keiko edit N --this does that once the series is here",
    );
    assert!(told(&todo(&rule("DTSTART:20260513T120000", "FREQ=SOMETIMES"))).contains("refused"));
    assert!(told(&todo(&rule("DTSTART:20260513T120000", "BYDAY=ÄÖ;FREQ=WEEKLY"))).contains("refused"));
}

#[test]
fn what_it_says_is_kept() {
    check(
        "DESCRIPTION:one\\, two\\nthr\n ee\nLOCATION:home\nCATEGORIES:a,b c\nCATEGORIES:d\\,e\nPRIORITY:1\nURL:https://x.org/a;b\n\
         RELATED-TO;RELTYPE=DEPENDS-ON:other\nRELATED-TO:parent",
        "High, a+b-c+d,e, notes \"one, two\\nthree\\nat home\", https://x.org/a;b, waits for other",
    );
    check("STATUS:COMPLETED", "left out, done");
    check("COMPLETED:20260101T000000Z", "left out, done");
    check("STATUS:CANCELLED", "left out, cancelled");
}

#[test]
fn what_is_broken_is_refused_with_its_line_and_stops_nothing() {
    let two = |broken: &str| told(&(todo(broken) + &todo("DUE:20261213T090000").replace("UID:u", "UID:v")));
    assert_eq!(
        two("no colon here"),
        "line 2 (x): refused, line 5: expected NAME:VALUE\nline 7 (x): at 2026-12-13T09:00:00"
    );
    assert!(two("DESCRIPTION:\u{fffd}").starts_with("line 2 (x): refused, line 5: it holds bytes that are no UTF-8\n"));
    let cut = entries("BEGIN:VCALENDAR\nBEGIN:VTODO\nSUMMARY:x", here());
    assert_eq!(told_entry(&cut[0]), "line 2 (x): refused, line 2: the file ends within it");
    let unclosed = told("BEGIN:VTODO\nSUMMARY:x\nBEGIN:VALARM\nEND:VTODO\n");
    assert_eq!(unclosed, "line 2 (x): refused, line 6: its end is missing".replace('6', "5"));
}

#[test]
fn a_character_that_a_fold_cuts_is_whole_again() {
    let file = |middle: &[u8]| {
        [b"BEGIN:VCALENDAR\r\nBEGIN:VTODO\r\nSUMMARY:caf", middle, b"\r\nEND:VTODO\r\nEND:VCALENDAR\r\n"].concat()
    };
    let read = |middle: &[u8]| {
        let all = components(&decoded(&file(middle)));
        (all[0].properties[0].text(), all[0].fault.is_some(), all[0].line)
    };
    assert_eq!(read(b"\xc3\r\n \xa9 x"), ("café x".to_owned(), false, 2));
    assert_eq!(read(b"\xc3\n\t\xa9 x"), ("café x".to_owned(), false, 2));
    assert_eq!(read(b"\xe4\r\n \xba\r\n \xa4"), ("caf交".to_owned(), false, 2));
    assert_eq!(read(b"\xf0\x9f\x98\r\n \x80"), ("caf😀".to_owned(), false, 2));
    assert!(components(&decoded(&file(b"\r\n \xa9")))[0].fault.is_some(), "what was never whole stays so");
}

#[test]
fn depth_and_length_cost_nothing_but_themselves() {
    let deep = "BEGIN:VTODO\n".repeat(200_000);
    assert!(components(&format!("BEGIN:VCALENDAR\n{deep}")).iter().all(|component| component.fault.is_some()));
    let closed = deep.clone() + &"END:VTODO\n".repeat(200_000);
    assert_eq!(components(&format!("BEGIN:VCALENDAR\n{closed}END:VCALENDAR")).len(), 1);
    let folded = format!("BEGIN:VCALENDAR\nBEGIN:VTODO\nSUMMARY:{}\nEND:VTODO\nEND:VCALENDAR", "\n x".repeat(100_000));
    assert_eq!(components(&folded)[0].properties[0].text().len(), 100_000);
    let many = todo(&"X:1\n".repeat(20_000));
    assert!(told(&many).contains("it has too many lines"));
}

#[test]
fn no_line_is_longer_than_75_octets_and_no_character_is_cut() {
    let mut out = String::new();
    let text = "交房租，".repeat(60) + &"x".repeat(200);
    push(&mut out, "SUMMARY", &escaped(&text));
    assert!(out.split("\r\n").all(|line| line.len() <= 75), "{out}");
    let read = components(&format!("BEGIN:VCALENDAR\r\nBEGIN:VTODO\r\n{out}END:VTODO\r\nEND:VCALENDAR\r\n"));
    assert_eq!(read[0].properties[0].text(), text);
}

fn task(number: u64, change: impl FnOnce(&mut serde_json::Value)) -> Task {
    let mut task = json!({
        "number": number, "id": format!("01900000-0000-7000-8000-{number:012}"), "key": null, "title": "pay; rent, \\ now",
        "notes": "one\ntwo", "link": "https://x.org", "state": "PENDING", "stage": "scheduled", "version": 1,
        "created_at": "2026-05-13T16:00:00-04:00", "updated_at": "2026-05-13T16:00:00-04:00",
        "due_at": "2026-12-13T09:00:00-05:00", "scheduled_at": null, "started_at": null, "ended_at": null,
        "snoozed_until": null, "paused_until": null, "remaining_ms": null,
        "schedule": { "text": "", "kind": "once", "rrule": null, "cron": null, "every_ms": null,
            "zone": "America/New_York", "floating": true, "from": null, "until": null, "count": null },
        "occurrence": { "key": "once", "generation": 1 }, "next": [], "deadline_at": null, "alerts": ["-1h30m", "0"],
        "waits_for": [], "blocked_by": [], "channels": [], "command": null, "timeout_s": null, "auto_done": false,
        "nag_ms": null, "missed": "once", "max_late_s": null, "attempts": 0, "max_retries": 0, "priority": "high",
        "tags": ["home", "money"], "metadata": {}, "late": false, "outcome": null, "last_error": null, "device": "d",
    });
    change(&mut task);
    serde_json::from_value(task).expect("a task")
}

#[test]
fn tasks_come_back_from_what_is_written() {
    let tasks = [
        task(1, |_| {}),
        task(2, |task| {
            task["schedule"]["zone"] = json!("Europe/Berlin");
            task["schedule"]["floating"] = json!(false);
            task["alerts"] = json!([]);
            task["waits_for"] = json!([1]);
        }),
        task(3, |task| {
            task["schedule"]["kind"] = json!("calendar");
            task["schedule"]["rrule"] = json!("FREQ=WEEKLY;BYDAY=SU;BYHOUR=9;BYMINUTE=0");
            task["schedule"]["until"] = json!("2027-12-13T09:00:00-05:00");
        }),
        task(4, |task| {
            task["schedule"]["kind"] = json!("interval");
            task["schedule"]["every_ms"] = json!(5_400_000);
        }),
        task(5, |task| task["schedule"]["kind"] = json!("countdown")),
        task(6, |task| task["due_at"] = json!(null)),
        task(7, |task| {
            task["schedule"]["kind"] = json!("cron");
            task["schedule"]["cron"] = json!("0 9 * * *");
        }),
    ];
    let written = calendar(&tasks, here().now);
    assert_eq!(
        written.remarks,
        ["7 pay; rent, \\ now: a cron rule has no form in iCalendar, only its next time is there"]
    );
    assert!(written.text.split("\r\n").all(|line| line.len() <= 75));
    let read: Vec<String> = entries(&written.text, here())
        .iter()
        .map(|entry| {
            told_entry(entry).split_once("): ").expect("a place").1.replace(", notes \"one\\ntwo\", https://x.org", "")
        })
        .collect();
    assert_eq!(
        read,
        [
            "at 2026-12-13T09:00:00, alerts -1h30m 0, High, home+money",
            "at 2026-12-13T15:00:00, in Europe/Berlin, silent, High, home+money, waits for 01900000-0000-7000-8000-000000000001",
            "rule FREQ=WEEKLY;BYDAY=SU;BYHOUR=9;BYMINUTE=0;UNTIL=20271213T090000, from 2026-12-13T09:00:00, alerts -1h30m 0, High, home+money",
            "every 5400 seconds, from 2026-12-13T09:00:00-05:00, alerts -1h30m 0, High, home+money",
            "at 2026-12-13T09:00:00-05:00, alerts -1h30m 0, High, home+money",
            "High, home+money",
            "at 2026-12-13T09:00:00, alerts -1h30m 0, High, home+money",
        ]
    );
    let uids: Vec<String> = entries(&written.text, here()).into_iter().map(|entry| entry.uid).collect();
    assert_eq!(uids[0], tasks[0].id);
}

#[test]
fn a_list_is_parted_at_its_commas() {
    assert_eq!(listed("a, b\\,c ,,"), ["a", "b,c"]);
}

proptest! {
    #![proptest_config(Config { cases: 200, ..Config::default() })]

    #[test]
    fn nothing_that_is_read_makes_it_panic(text in "(BEGIN|END|DUE|DTSTART|RRULE|TRIGGER|[A-Z;=:]{0,9}|VTODO|VEVENT|VALARM|VCALENDAR|FREQ=DAILY|[0-9TZP-]{0,16}|\\PC|\n| |\t|;TZID=|COUNT=[0-9]{1,12}|:){0,60}") {
        let _ = entries(&format!("BEGIN:VCALENDAR\nBEGIN:VTODO\n{text}"), here());
        let _ = entries(&text, here());
    }

    #[test]
    fn no_time_and_no_rule_makes_it_panic(start in "[0-9]{8}T[0-9]{6}Z?", rule in "FREQ=(YEARLY|MONTHLY|WEEKLY|DAILY|HOURLY)(;(INTERVAL|COUNT|BYDAY|BYMONTH|BYHOUR|BYMONTHDAY|BYSETPOS|UNTIL)=[-0-9A-Z,]{1,9}){0,3}", length in "[-+]?P[0-9WDTHMS]{0,20}") {
        let _ = told(&todo(&format!("DTSTART:{start}\nDURATION:{length}\nRRULE:{rule}\nBEGIN:VALARM\nTRIGGER:{length}\nEND:VALARM")));
    }
}
