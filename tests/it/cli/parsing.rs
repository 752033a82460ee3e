//! `keiko parse`, which needs no daemon.

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
    due     Fri 22 May 2026 09:00 EDT (in 8d 17h)
    note    read as Fri 22 May 2026, not Fri 15 May 2026
    $ keiko parse --now 2026-05-13T16:00:00-04:00 --tz America/New_York every day at 9am until may 20
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
    ! hint: say a time, such as `in 1 hour` or `tonight`
    [exit 3]
    $ keiko parse --now 2026-05-13T16:00:00-04:00 --tz America/New_York --dialect uk 6/5 9am
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
    ! error: the following required arguments were not provided: <TEXT>...
    ! hint: run keiko parse --help to see how it is used
    [exit 2]
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
