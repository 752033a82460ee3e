//! `keiko parse`, which needs no daemon.

use std::io::Write as _;
use std::process::Stdio;

use serde_json::Value;

use crate::cli::Home;

const REFERENCE: &str = "--now 2026-05-13T16:00:00-04:00 --tz America/New_York";

#[test]
fn a_sentence_is_explained() {
    let home = Home::empty();
    insta::assert_snapshot!(home.transcript(&[
        &format!("parse {REFERENCE} remind me next friday at 9 to call mum"),
        &format!("parse {REFERENCE} every day at 9am until may 20"),
        &format!("parse {REFERENCE} buy milk"),
        &format!("parse {REFERENCE} today at 9am"),
        &format!("parse {REFERENCE} asap"),
        &format!("parse {REFERENCE} --dialect uk 6/5 9am"),
        "parse --now yesterday x",
        "parse --tz Mars/Olympus x",
        "parse",
    ]), @r#"
    $ keiko parse --now 2026-05-13T16:00:00-04:00 --tz America/New_York remind me next friday at 9 to call mum
    title   call mum
    time    next friday at 9
    due     Fri 22 May 2026 09:00 EDT (in 8d 17h)
    note    read as Fri 22 May 2026, not Fri 15 May 2026, which is `friday` alone
    $ keiko parse --now 2026-05-13T16:00:00-04:00 --tz America/New_York every day at 9am until may 20
    time    every day at 9am until may 20
    due     Thu 14 May 2026 09:00 EDT (in 17h)
    until   Wed 20 May 2026 23:59:59 EDT (in 7d 8h)
    rule    FREQ=DAILY;BYHOUR=9;UNTIL=20260520T235959
    next    Thu 14 May 2026 09:00 EDT (in 17h)
            Fri 15 May 2026 09:00 EDT (in 1d 17h)
            Sat 16 May 2026 09:00 EDT (in 2d 17h)
    $ keiko parse --now 2026-05-13T16:00:00-04:00 --tz America/New_York buy milk
    title   buy milk
    due     no time
    $ keiko parse --now 2026-05-13T16:00:00-04:00 --tz America/New_York today at 9am
    ! error: cannot set "today at 9am": Wed 13 May 2026 09:00 has passed
    ! hint: say `tomorrow 09:00`
    [exit 3]
    $ keiko parse --now 2026-05-13T16:00:00-04:00 --tz America/New_York asap
    ! error: cannot set a time by "asap": it does not say when
    ! hint: say a time, such as `in 1 hour` or `tomorrow 9am`
    [exit 3]
    $ keiko parse --now 2026-05-13T16:00:00-04:00 --tz America/New_York --dialect uk 6/5 9am
    time    6/5 9am
    due     Thu 6 May 2027 09:00 EDT (in 357d 17h)
    note    next on Thu 6 May 2027
    $ keiko parse --now yesterday x
    ! error: invalid value 'yesterday' for '--now <RFC3339>': premature end of input, expected RFC 3339 such as 2026-05-13T16:00:00-04:00
    ! hint: run keiko parse --help to see how it is used
    [exit 2]
    $ keiko parse --tz Mars/Olympus x
    ! error: invalid value 'Mars/Olympus' for '--tz <ZONE>': expected an IANA name such as Europe/Berlin
    ! hint: run keiko parse --help to see how it is used
    [exit 2]
    $ keiko parse
    "#);
    assert!(!home.path().join("data").exists(), "parse starts nothing");
}

#[test]
fn a_line_each_is_answered_with_a_line_of_json() {
    let home = Home::empty();
    let input = "tomorrow 3pm call mum\nevery 2 hours drink\n\nbuy milk\ntoday at 9am\n";
    let ran = home.keiko_with(&format!("parse --json {REFERENCE} -"), input, |_| {});
    assert_eq!(ran.code, Some(3));
    let lines: Vec<Value> = ran.stdout.lines().map(|line| serde_json::from_str(line).expect("JSON a line")).collect();
    assert_eq!(lines.len(), 5);
    for line in &lines {
        for field in
            ["at", "due", "until", "rrule", "cron", "next", "alerts", "title", "grain", "zone", "span", "note", "error"]
        {
            assert!(line.get(field).is_some(), "{line} lacks {field}");
        }
    }
    assert_eq!(lines[0]["at"], "2026-05-14T15:00:00-04:00");
    assert_eq!(lines[0]["title"], "call mum");
    assert_eq!(lines[1]["rrule"], "FREQ=HOURLY;INTERVAL=2");
    assert_eq!(lines[1]["next"].as_array().map(Vec::len), Some(3));
    assert!(lines[3]["at"].is_null() && lines[3]["error"].is_null());
    assert!(lines[4]["error"].is_string());
}

#[test]
fn the_daemon_reads_a_sentence_alike() {
    let home = Home::with_daemon();
    for text in ["every other friday at 9 call mum", "tomorrow 3pm pay rent", "today at 9am", "buy milk"] {
        let own = home.keiko(&format!("parse --json {REFERENCE} {text}")).json();
        let daemon = home.keiko(&format!("rpc time.parse '{{\"text\":\"{text}\"}}'")).json();
        assert_eq!(own, daemon);
    }
}

#[test]
fn odd_lines_are_answered_one_by_one() {
    let home = Home::empty();
    let long = "friday, ".repeat(130_000);
    let middle = "x ".repeat(6_000);
    let input = [
        b"tomorrow 3pm call mum\r\n".as_slice(),
        b"\r\n",
        b"   \n",
        b"\xff\xfe at 5\n",
        long.as_bytes(),
        b"\n",
        middle.as_bytes(),
        b"\n",
        "明天下午三点开会 🎂\n".as_bytes(),
        b"\x00\x1b[31m tomorrow 9am\n",
        b"friday 9:30",
    ]
    .concat();
    let mut child = home
        .command("keiko")
        .args(["parse", "--now", "2026-05-13T16:00:00-04:00", "--tz", "America/New_York", "--json", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("keiko is built");
    let mut pipe = child.stdin.take().expect("its input is a pipe");
    let writer = std::thread::spawn(move || pipe.write_all(&input).expect("it reads to the end"));
    let output = child.wait_with_output().expect("a child that ends");
    writer.join().expect("it has written");
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).expect("JSON a line")).collect();
    let at: Vec<Option<&str>> = lines.iter().map(|line| line["at"].as_str()).collect();
    assert_eq!(
        at,
        [
            Some("2026-05-14T15:00:00-04:00"),
            None,
            None,
            None,
            None,
            None,
            Some("2026-05-14T15:00:00-04:00"),
            Some("2026-05-14T09:00:00-04:00"),
            Some("2026-05-15T09:30:00-04:00"),
        ]
    );
    assert_eq!(lines[0]["text"], "tomorrow 3pm call mum");
    let has_error: Vec<bool> = lines.iter().map(|line| line["error"].is_string()).collect();
    assert_eq!(has_error, [false, false, false, true, true, true, false, false, false]);
    assert_eq!(lines[5]["error"], "cannot read a sentence of 12000 bytes: expected at most 8192");
}

#[test]
fn each_door_reads_a_phrase_alike() {
    let home = Home::with_daemon();
    let json = |line: &str| home.keiko(line).json();
    let mut number = 0;
    for phrase in [
        "tomorrow 3pm",
        "friday 9:30",
        "next friday",
        "2026-06-03 14:00",
        "in 26 hours",
        "明天下午三点",
        "下周五",
        "two days after tomorrow at noon",
        "june 3rd 2pm",
        "midnight friday",
    ] {
        let parsed = json(&format!("parse --json {REFERENCE} {phrase}"));
        let expected = parsed["at"].clone();
        assert!(expected.is_string(), "{phrase}");
        let said = |door: &str, answer: &Value, field: &str| {
            let task = answer["results"].get(0).map_or(&answer["task"], |result| &result["task"]);
            let found = field.split('.').fold(task, |value, name| &value[name]);
            assert_eq!(*found, expected, "{door} {phrase}: {answer}");
        };
        let told = json(&format!("rpc time.parse '{{\"text\":\"{phrase}\"}}'"));
        assert_eq!(told["at"], expected, "time.parse {phrase}");
        said("add", &json(&format!("add --json one {phrase}")), "due_at");
        said("--at", &json(&format!("add --json two --at '{phrase}'")), "due_at");
        said("remind", &json(&format!("remind --json me {phrase} to ring Ann")), "due_at");
        said("--from", &json(&format!("add --json four --every day --from '{phrase}'")), "due_at");
        let until = json(&format!("add --json five --every '2 hours' --until '{phrase}'"));
        if parsed["grain"] == "day" {
            // As an end a day counts whole.
            let date = expected.as_str().expect("a time").split('T').next().expect("a date");
            let whole = format!("{date}T23:59:59-04:00");
            assert_eq!(until["task"]["schedule"]["until"], whole.as_str(), "--until {phrase}");
        } else {
            said("--until", &until, "schedule.until");
        }
        number += 5;
        said("edit", &json(&format!("edit --json {} {phrase}", number - 4)), "due_at");
        said("pause", &json(&format!("pause --json {} --until '{phrase}'", number - 3)), "paused_until");
        said("snooze", &json(&format!("snooze --json {} --early --until '{phrase}'", number - 2)), "snoozed_until");
    }
}

#[test]
fn what_cannot_be_set_says_what_would_do_at_each_door() {
    let home = Home::with_daemon();
    insta::assert_snapshot!(home.transcript(&[
        "add report --at 'today at 9am'",
        "remind 本周一交房租",
        "add backup --cron '0 25 * * *'",
        "add backup --rrule FREQ=DAILY;BYHOUR=24",
        "add never --rrule FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30",
        "add rent --every 'month on the 31st'",
        "add lottery --cron '0 9 13 * FRI'",
        "add standup next friday at 9",
    ]), @r#"
    $ keiko add report --at 'today at 9am'
    ! error: cannot set "today at 9am": Wed 13 May 2026 09:00 has passed
    ! hint: say `tomorrow 09:00`
    [exit 3]
    $ keiko remind 本周一交房租
    ! error: cannot set "本周一": Mon 11 May 2026 09:00 has passed
    ! hint: say `2026年5月18日 09:00`: keiko add 2026年5月18日 09:00交房租
    [exit 3]
    $ keiko add backup --cron '0 25 * * *'
    ! error: cannot read "25" in a rule: expected hours of 0 to 23
    ! hint: a rule that can be read is `0 9 * * MON-FRI`
    [exit 3]
    $ keiko add backup --rrule FREQ=DAILY;BYHOUR=24
    ! error: cannot read "BYHOUR=24" in a rule: expected hours of 0 to 23
    ! hint: a rule that can be read is `FREQ=WEEKLY;BYDAY=MO,FR;BYHOUR=9`
    [exit 3]
    $ keiko add never --rrule FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30
    ! error: cannot repeat "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30": it has no time ahead
    ! hint: none of its times lies ahead: look at its days and its end
    [exit 3]
    $ keiko add rent --every 'month on the 31st'
    added 1  rent  Sun 31 May 2026 09:00 EDT (in 17d 17h)
      repeats Sun 31 May 09:00, Tue 30 Jun 09:00, Fri 31 Jul 09:00
    ! warning: months without day 31 use their last day
    $ keiko add lottery --cron '0 9 13 * FRI'
    added 2  lottery  Fri 15 May 2026 09:00 EDT (in 1d 17h)
      repeats Fri 15 May 09:00, Fri 22 May 09:00, Fri 29 May 09:00
    ! warning: cron takes the day of the month or the weekday, either is enough
    $ keiko add standup next friday at 9
    added 3  standup  Fri 22 May 2026 09:00 EDT (in 8d 17h)
    ! warning: read as Fri 22 May 2026, not Fri 15 May 2026, which is `friday` alone
    "#);
}

#[test]
fn a_pipe_is_read_without_a_word_as_with_a_minus() {
    let home = Home::empty();
    let of = |line: &str| home.keiko_with(line, "tomorrow 3pm\n", |_| {});
    let (bare, minus) = (of("parse --now 2026-05-13T16:00:00-04:00"), of("parse --now 2026-05-13T16:00:00-04:00 -"));
    assert_eq!(bare.json()["due"], "2026-05-14T15:00:00-04:00", "{bare:?}");
    assert_eq!(bare.stdout, minus.stdout);
}
