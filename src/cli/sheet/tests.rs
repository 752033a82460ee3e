//! What a sheet looks like, and what is read of it.

use std::collections::BTreeMap;

use serde_json::json;

use crate::cli::render::fixture::task;
use crate::cli::sheet::read::{Changes, blamed, changes, line_of, merge, question};
use crate::cli::sheet::{Value, explain, fields, write};
use crate::protocol::objects::{Json, Task};

const ZONE: chrono_tz::Tz = chrono_tz::America::New_York;

fn sheet(task: &Task) -> String {
    write(task.number, &fields(task, ZONE), &BTreeMap::new())
}

fn edited(task: &Task, from: &str, to: &str) -> String {
    let sheet = sheet(task);
    assert!(sheet.contains(from), "{from:?} is not in {sheet}");
    sheet.replacen(from, to, 1)
}

/// Returns what is asked of the daemon, or the error with its line.
fn asked(task: &Task, written: &str) -> String {
    let read = changes(written, &fields(task, ZONE))
        .and_then(|found| Ok((question(written, task, &found, ZONE.name())?, found)));
    match read {
        Ok((_, changes)) if changes.is_empty() => "nothing".to_owned(),
        Ok((asked, _)) => {
            let mut asked = json!(asked);
            let asked = asked.as_object_mut().expect("parameters are an object");
            asked.remove("task");
            asked.remove("version");
            json!(asked).to_string()
        }
        Err(error) => {
            let hint = error.hint.as_deref().map_or(String::new(), |hint| format!(" ({hint})"));
            format!("line {}: {error}{hint}", error.line)
        }
    }
}

fn check(task: &Task, from: &str, to: &str, expected: &str) {
    assert_eq!(asked(task, &edited(task, from, to)), expected, "{from} -> {to}");
}

fn full() -> Task {
    task(&json!({
        "notes": "two\nlines with \"quotes\" and \\", "link": "https://example.org", "tags": ["home", "money"],
        "priority": "high", "alerts": ["-1h", "0", "+15m"], "nag_ms": 600_000, "channels": ["desktop"], "auto_done": true,
        "deadline_at": "2026-05-14T18:00:00-04:00", "waits_for": [7, 8], "delay_ms": 1_800_000, "on_parent_fail": "run",
        "max_late_s": 7200, "max_retries": 3, "nag_max": 5, "deadline_alerts": ["-1d", "0"],
        "metadata": { "ical uid": "a@b", "note": "two\nlines \"q\"" },
        "command": {
            "arguments": ["tar", "czf", "my home.tgz"], "shell": null, "directory": "/home/me", "env": [], "timeout_s": 3600,
            "overlap": "queue", "nice": 5,
            "limits": { "memory_bytes": 536_870_912_u64, "cpu_s": 600, "processes": 20, "files": null },
        },
    }))
}

#[test]
fn a_sheet_shows_what_can_be_edited_and_how() {
    insta::assert_snapshot!(sheet(&task(&json!({}))), @r#"
    # Task 12. Save it and close the editor to change the task; as it is, nothing changes.
    # A line that is taken away, or begins with #, takes its value away.

    title = "pay rent"
    # note = "what to remember"
    # link = "https://example.org"  # something to open
    # tags = ["home"]
    priority = "normal"  # low, normal or high

    # When it is due: a time phrase, such as "tomorrow 3pm" or "2026-12-24 18:00"
    when = "2026-05-14 15:00"
    # every = "month on the 1st"  # in place of when: to repeat it

    # When it speaks: "1h" is before, "0" when it is due, "+15m" after; none is []
    alerts = ["0"]
    # nag = "10m"  # rings again until it is answered
    # nag_max = 20  # and so often at most
    # via = ["desktop"]  # where it speaks; else as configured
    # auto_done = true  # done as soon as it was delivered

    # When it must be done at the latest, and what it waits for
    # deadline = "friday 6pm"
    # deadline_alerts = ["1d", "0"]  # when it speaks of that
    # waits_for = [7, 8]  # the tasks that are to be done first
    # delay = "30m"  # so long after they were done
    # on_parent_fail = "hold"  # hold, run or cancel where one of them never will be done

    # What becomes of times that were missed, and of what fails
    missed = "once"  # once, skip, or all of a command
    # max_late = "2h"  # what is later is passed over
    # retries = 3  # how often a command, or what is for programs only, is tried again

    # What programs keep beside it
    # metadata = { "name" = "value" }
    "#);
}

#[test]
fn a_sheet_shows_all_that_a_task_has() {
    insta::assert_snapshot!(sheet(&full()), @r#"
    # Task 12. Save it and close the editor to change the task; as it is, nothing changes.
    # A line that is taken away, or begins with #, takes its value away.

    title = "pay rent"
    note = """
    two
    lines with "quotes" and \\"""
    link = "https://example.org"  # something to open
    tags = ["home", "money"]
    priority = "high"  # low, normal or high

    # When it is due: a time phrase, such as "tomorrow 3pm" or "2026-12-24 18:00"
    when = "2026-05-14 15:00"
    # every = "month on the 1st"  # in place of when: to repeat it

    # When it speaks: "1h" is before, "0" when it is due, "+15m" after; none is []
    alerts = ["1h", "0", "+15m"]
    nag = "10m"  # rings again until it is answered
    nag_max = 5  # and so often at most
    via = ["desktop"]  # where it speaks; else as configured
    auto_done = true  # done as soon as it was delivered

    # When it must be done at the latest, and what it waits for
    deadline = "2026-05-14 18:00"
    deadline_alerts = ["1d", "0"]  # when it speaks of that
    waits_for = [7, 8]  # the tasks that are to be done first
    delay = "30m"  # so long after they were done
    on_parent_fail = "run"  # hold, run or cancel where one of them never will be done

    # What becomes of times that were missed, and of what fails
    missed = "once"  # once, skip, or all of a command
    max_late = "2h"  # what is later is passed over
    retries = 3  # how often a command, or what is for programs only, is tried again

    # What programs keep beside it
    metadata = { "ical uid" = "a@b", "note" = "two\nlines \"q\"" }

    # What it runs: a program with its arguments, or in place of it a line for the shell
    run = ["tar", "czf", "my home.tgz"]
    # sh = "make && ./deploy"
    timeout = "1h"  # how long it may take
    dir = "/home/me"  # where it runs; else in the home directory
    overlap = "queue"  # of a time at which it still runs: skip, queue or allow
    nice = 5  # how much it gives way to others, up to 19

    # What it may use at most
    memory = "512M"
    cpu = "10m"  # time of a processor
    processes = 20  # with threads
    # files = 100  # that are open
    "#);
}

#[test]
fn a_series_is_shown_by_its_rule() {
    let rule = |schedule: Json| {
        let sheet = sheet(&task(&json!({ "schedule": schedule })));
        let lines =
            sheet.lines().skip_while(|line| !line.starts_with("# When it is due") && !line.starts_with("# How"));
        lines.take(4).collect::<Vec<_>>().join("\n")
    };
    insta::assert_snapshot!(rule(json!({ "text": "weekday at 9:30", "kind": "calendar", "rrule": "FREQ=DAILY" })), @r#"
    # How it repeats: what would follow "every", such as "weekday at 9:30"
    every = "weekday at 9:30"
    # from = "2026-12-24 18:00"  # the first time
    # until = "31 december"  # the last time, or the day of it
    "#);
    insta::assert_snapshot!(rule(json!({ "text": "every weekday at 9:30", "kind": "calendar", "rrule": "FREQ=DAILY" })), @r#"
    # How it repeats: what would follow "every", such as "weekday at 9:30"
    every = "weekday at 9:30"
    # from = "2026-12-24 18:00"  # the first time
    # until = "31 december"  # the last time, or the day of it
    "#);
    insta::assert_snapshot!(rule(json!({ "text": "每天早上九点", "kind": "calendar", "rrule": "FREQ=DAILY" })), @r#"
    # When it is due: a time phrase, such as "tomorrow 3pm" or "2026-12-24 18:00"
    when = "每天早上九点"
    # from = "2026-12-24 18:00"  # the first time
    # until = "31 december"  # the last time, or the day of it
    "#);
    insta::assert_snapshot!(rule(json!({ "text": "*/15 9-17 * * 1-5", "kind": "cron", "cron": "*/15 9-17 * * 1-5" })), @r#"
    # When it is due: a cron expression
    cron = "*/15 9-17 * * 1-5"
    # from = "2026-12-24 18:00"  # the first time
    # until = "31 december"  # the last time, or the day of it
    "#);
    insta::assert_snapshot!(rule(json!({ "text": "FREQ=DAILY", "kind": "calendar", "rrule": "FREQ=DAILY" })), @r#"
    # When it is due: a recurrence rule of RFC 5545
    rrule = "FREQ=DAILY"
    # from = "2026-12-24 18:00"  # the first time
    # until = "31 december"  # the last time, or the day of it
    "#);
}

#[test]
fn a_sheet_that_is_left_as_it_is_changes_nothing() {
    let titles =
        ["pay rent", "交房租 \"now\"", "a\\b", "פגישה", "e\u{301} 👨\u{200d}👩\u{200d}👧", "\u{1b}[31m\u{202e}"];
    for title in titles {
        let task = task(&json!({ "title": title }));
        assert_eq!(asked(&task, &sheet(&task)), "nothing", "{title:?}");
    }
    assert_eq!(asked(&full(), &sheet(&full())), "nothing");
    let spaced = sheet(&full()).replace(" = ", "=").replace("# ", "#  ");
    assert_eq!(asked(&full(), &spaced), "nothing");
}

#[test]
fn nothing_in_a_sheet_moves_a_cursor() {
    let task = task(&json!({ "title": "\u{1b}[2J\u{9b}1m\u{202e}x", "notes": "\u{1b}]0;t\u{7}\nb" }));
    let sheet = sheet(&task);
    assert!(!sheet.chars().any(|c| c != '\n' && crate::cli::render::text::is_unsafe(c)), "{sheet:?}");
    assert_eq!(asked(&task, &sheet), "nothing");
}

#[test]
fn what_was_changed_is_asked_for_and_nothing_else() {
    let plain = task(&json!({}));
    check(&plain, "title = \"pay rent\"", "title = \"pay the rent\"", r#"{"title":"pay the rent"}"#);
    check(
        &plain,
        "when = \"2026-05-14 15:00\"",
        "when = \"friday 4pm\"",
        r#"{"text":"friday 4pm","zone":"America/New_York"}"#,
    );
    check(&plain, "# tags = [\"home\"]", "tags = [\"a\", \"b\"]", r#"{"tags":["a","b"]}"#);
    check(&plain, "# nag = ", "nag = ", r#"{"nag":"10m"}"#);
    check(&plain, "alerts = [\"0\"]", "alerts = []", r#"{"alerts":[]}"#);
    check(&plain, "# waits_for = [7, 8]", "waits_for = [7, \"cook\"]", r#"{"waits_for":["7","cook"]}"#);
    check(
        &plain,
        "when = \"2026-05-14 15:00\"",
        "every = \"day at 9am\"",
        r#"{"every":"day at 9am","zone":"America/New_York"}"#,
    );
    check(&plain, "# auto_done = true", "auto_done = false", "nothing");
}

#[test]
fn what_is_taken_away_is_removed() {
    let full = full();
    check(&full, "link = ", "# link = ", r#"{"link":null}"#);
    check(&full, "nag = \"10m\"", "", r#"{"nag":null}"#);
    check(&full, "tags = [\"home\", \"money\"]", "", r#"{"tags":[]}"#);
    check(&full, "auto_done = true", "", r#"{"auto_done":false}"#);
    check(&full, "waits_for = [7, 8]", "waits_for = []", r#"{"waits_for":[]}"#);
    check(&full, "retries = 3", "", r#"{"max_retries":null}"#);
    check(&full, "nag_max = 5", "", r#"{"nag_max":20}"#);
    check(&full, "nag = \"10m\"", "nag = \"5m\"", r#"{"nag":"5m","nag_max":5}"#);
    check(&full, "deadline_alerts = [\"1d\", \"0\"]", "", r#"{"deadline_alerts":["0"]}"#);
    check(&full, "deadline_alerts = [\"1d\", \"0\"]", "deadline_alerts = []", r#"{"deadline_alerts":[]}"#);
    check(&full, "metadata = ", "# metadata = ", r#"{"metadata":{}}"#);
    check(&full, "\"note\" = \"two\\nlines \\\"q\\\"\"", "room = 12", r#"{"metadata":{"ical uid":"a@b","room":"12"}}"#);
    let limits = r#"{"command":{"limits":{"cpu":"10m","memory":"1G","processes":20}}}"#;
    check(&full, "memory = \"512M\"", "memory = \"1G\"", limits);
    check(&full, "cpu = \"10m\"", "", r#"{"command":{"limits":{"memory":"512M","processes":20}}}"#);
    check(
        &full,
        "# files = 100",
        "files = 7",
        r#"{"command":{"limits":{"cpu":"10m","files":7,"memory":"512M","processes":20}}}"#,
    );
    check(&full, "nice = 5", "", r#"{"command":{"nice":0}}"#);
    check(&full, "overlap = \"queue\"", "overlap = \"allow\"", r#"{"command":{"overlap":"allow"}}"#);
    check(&full, "dir = \"/home/me\"", "", r#"{"command":{"directory":""}}"#);
    check(&full, "timeout = \"1h\"", "", r#"{"command":{"timeout":null}}"#);
    check(&full, "run = [\"tar\", \"czf\", \"my home.tgz\"]", "", r#"{"command":null}"#);
    check(&full, "run = [\"tar\", \"czf\", \"my home.tgz\"]", "sh = \"make\"", r#"{"command":{"shell":"make"}}"#);
    let series = task(&json!({
        "schedule": { "text": "day at 9am", "kind": "calendar", "rrule": "FREQ=DAILY", "until": "2026-06-01T09:00:00-04:00" },
    }));
    check(&series, "until = \"2026-06-01 09:00\"", "", r#"{"every":"day at 9am","zone":"America/New_York"}"#);
}

#[test]
fn the_time_of_a_task_of_another_zone_is_its_own() {
    let tokyo = task(&json!({ "schedule": { "kind": "once", "zone": "Asia/Tokyo", "floating": false } }));
    check(
        &tokyo,
        "when = \"2026-05-15 04:00\"",
        "when = \"2026-05-15 05:00\"",
        r#"{"fixed_zone":true,"text":"2026-05-15 05:00","zone":"Asia/Tokyo"}"#,
    );
}

#[test]
fn what_cannot_be_read_is_told_with_its_line() {
    let plain = task(&json!({}));
    let told = |from: &str, to: &str| asked(&plain, &edited(&plain, from, to));
    insta::assert_snapshot!(told("title = \"pay rent\"", "title = \"pay rent"), @r#"line 4: cannot read this: invalid basic string, expected `"` (a line is: key = "text", key = ["one", "two"], key = true or key = 3)"#);
    insta::assert_snapshot!(told("title = \"pay rent\"", "title = pay rent"), @r#"line 4: cannot read this: string values must be quoted, expected literal string (a line is: key = "text", key = ["one", "two"], key = true or key = 3)"#);
    insta::assert_snapshot!(told("title = \"pay rent\"", ""), @r#"line 1: cannot take title away: a task has one (it was: title = "pay rent")"#);
    insta::assert_snapshot!(told("# link = ", "lnik = "), @r#"line 6: there is no value "lnik" here (did you mean link?)"#);
    insta::assert_snapshot!(told("# link = \"https://example.org\"", "link = 3"), @r#"line 6: cannot read link: expected a text in quotes, such as "tomorrow 3pm""#);
    insta::assert_snapshot!(told("alerts = [\"0\"]", "alerts = \"0\""), @r#"line 15: cannot read alerts: expected texts in brackets, such as ["home", "work"]"#);
    insta::assert_snapshot!(told("# every = ", "every = "), @r#"{"every":"month on the 1st","zone":"America/New_York"}"#);
    insta::assert_snapshot!(told("when = \"2026-05-14 15:00\"", ""), @r#"line 1: cannot take when away: a task has one (it was: when = "2026-05-14 15:00")"#);
    for wrong in ["-1", "5000000000", "1.5", "\"3\""] {
        let told = told("# retries = 3", &format!("retries = {wrong}"));
        assert!(told.contains("cannot read retries: expected a whole number from 0 on"), "{told}");
    }
    let told_pairs = told("# metadata = { \"name\" = \"value\" }", "metadata = { a = [1] }");
    assert!(told_pairs.contains("cannot read metadata: expected names with texts in braces"), "{told_pairs}");
    insta::assert_snapshot!(told("# link = ", "title = "), @r#"line 6: cannot read this: duplicate key (a line is: key = "text", key = ["one", "two"], key = true or key = 3)"#);
}

#[test]
fn an_error_stands_above_its_line_and_the_next_one_in_its_place() {
    let plain = task(&json!({}));
    let written = edited(&plain, "when = \"2026-05-14 15:00\"", "when = \"yesterday\"");
    let explained = explain(&written, line_of(&written, "when"), "it is past", Some("say when"));
    let lines: Vec<&str> = explained.lines().skip_while(|line| !line.starts_with("# When")).take(4).collect();
    insta::assert_snapshot!(lines.join("\n"), @r#"
    # When it is due: a time phrase, such as "tomorrow 3pm" or "2026-12-24 18:00"
    # error: it is past
    # hint: say when
    when = "yesterday"
    "#);
    let again = explain(&explained, line_of(&explained, "title"), "no title", None);
    assert_eq!(again.matches("# error: ").count(), 1);
    assert!(!again.contains("# hint: "));
    assert!(again.contains("# error: no title\ntitle = "), "{again}");
    assert_eq!(again.replace("# error: no title\n", ""), written, "nothing else was touched");
    assert_eq!(explain("", 7, "m", None), "# error: m\n");
}

#[test]
fn an_error_of_the_daemon_is_about_the_value_that_it_names() {
    let changes = Changes::from([
        ("deadline", Some(Value::Text("someday".into()))),
        ("title", Some(Value::Text("x y".into()))),
        ("alerts", Some(Value::Texts(vec!["bad".into()]))),
    ]);
    assert_eq!(blamed(&changes, "cannot find a time in \"someday\""), Some("deadline"));
    assert_eq!(blamed(&changes, "cannot use --alert: x"), Some("alerts"));
    assert_eq!(blamed(&changes, "cannot read \"bad\""), Some("alerts"));
    assert_eq!(blamed(&changes, "no room"), None);
    assert_eq!(blamed(&Changes::from([("nag", None)]), "no room"), Some("nag"));
}

#[test]
fn what_two_changed_is_shown_with_both() {
    let base = task(&json!({ "link": "https://a" }));
    let theirs = task(&json!({ "title": "rent", "priority": "high", "version": 2 }));
    let mine = edited(&base, "\"pay rent\"", "\"pay the rent\"").replacen("# tags = ", "tags = ", 1);
    let lines = fields(&base, ZONE);
    let mine = changes(&mine, &lines).expect("it can be read");
    let (merged, notes) = merge(&lines, &fields(&theirs, ZONE), &mine);
    let merged = write(12, &merged, &notes);
    insta::assert_snapshot!(merged.lines().take(11).collect::<Vec<_>>().join("\n"), @r#"
    # Task 12. Save it and close the editor to change the task; as it is, nothing changes.
    # A line that is taken away, or begins with #, takes its value away.

    # changed meanwhile: was "pay rent", became "rent"; you wrote "pay the rent"
    title = "pay the rent"
    # note = "what to remember"
    # changed meanwhile: was "https://a", became none
    # link = "https://example.org"  # something to open
    tags = ["home"]
    # changed meanwhile: was "normal", became "high"
    priority = "high"  # low, normal or high
    "#);
    let again = asked(&theirs, &merged);
    assert_eq!(again, r#"{"tags":["home"],"title":"pay the rent"}"#, "saved as it is, what I wrote is done");
}

#[test]
fn a_word_that_a_key_does_not_take_is_refused_at_its_line_and_never_lost() {
    let full = full();
    for (from, to, error) in [
        (
            "\"high\"",
            "\"hihg\"",
            "cannot read priority \"hihg\": expected low, normal or high (did you mean priority = \"high\"?)",
        ),
        (
            "on_parent_fail = \"run\"",
            "on_parent_fail = \"rnu\"",
            "cannot read on_parent_fail \"rnu\": expected hold, run or cancel (did you mean on_parent_fail = \"run\"?)",
        ),
        ("missed = \"once\"", "missed = \"twice\"", "cannot read missed \"twice\": expected once, skip or all"),
        ("overlap = \"queue\"", "overlap = \"\"", "cannot read overlap \"\": expected skip, queue or allow"),
        ("nice = 5", "nice = 300", "cannot use nice 300: invalid value: integer `300`, expected u8"),
    ] {
        let written = edited(&full, from, to);
        let line =
            written.lines().position(|line| line.starts_with(to.split('=').next().unwrap_or(to)) || line.contains(to));
        assert_eq!(asked(&full, &written), format!("line {}: {error}", line.map_or(0, |at| at + 1)));
    }
    check(&full, "\"high\"", "\" Low\"", r#"{"priority":"low"}"#);
    check(&full, "\"high\"", "\"High\"", "nothing");
}
