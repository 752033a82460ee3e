//! `keiko add` and `keiko remind`.

use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::net::{UnixListener, UnixStream};

use serde_json::json;

use crate::cli::{Home, binary};
use crate::support::pty::Pty;

#[test]
fn sentences_are_understood_and_shown_back() {
    let home = Home::with_daemon();
    insta::assert_snapshot!(home.transcript(&[
        "add pay rent tomorrow 3pm",
        "add 'pay rent' tomorrow 3pm +home",
        "add 'pay rent tomorrow' --at 'friday 9am' --alert 1d,1h,0 --priority high",
        "remind me in 20 minutes to check the oven",
        "remind me tomorrow 3pm",
        "add standup --every 'weekday at 9:30'",
        "add call Tokyo --at 'tomorrow 9am' --tz Asia/Tokyo",
        "add buy milk",
        "add tea in 5m --no-alert",
        "remind me in 20 minutes to 'check the oven'",
    ]), @"
    $ keiko add pay rent tomorrow 3pm
    added 1  pay rent  Thu 14 May 2026 15:00 EDT (in 23h)
    $ keiko add 'pay rent' tomorrow 3pm +home
    added 2  pay rent +home  Thu 14 May 2026 15:00 EDT (in 23h)
    $ keiko add 'pay rent tomorrow' --at 'friday 9am' --alert 1d,1h,0 --priority high
    added 3  ! pay rent tomorrow  Fri 15 May 2026 09:00 EDT (in 1d 17h)
      speaks first Thu 14 May 2026 09:00 EDT (in 17h)
    $ keiko remind me in 20 minutes to check the oven
    added 4  check the oven  Wed 13 May 2026 16:20 EDT (in 20m)
    $ keiko remind me tomorrow 3pm
    added 5  Reminder  Thu 14 May 2026 15:00 EDT (in 23h)
    $ keiko add standup --every 'weekday at 9:30'
    added 6  standup  Thu 14 May 2026 09:30 EDT (in 17h 30m)
      repeats Thu 14 May 09:30, Fri 15 May 09:30, Mon 18 May 09:30
    $ keiko add call Tokyo --at 'tomorrow 9am' --tz Asia/Tokyo
    added 7  call Tokyo  Thu 14 May 2026 20:00 EDT (in 1d 4h; Fri 09:00 in Asia/Tokyo)
    $ keiko add buy milk
    added 8  buy milk  no time
    ! warning: it has no time, so it will not ring
    ! hint: to give it a time, run keiko edit 8 tomorrow 3pm
    $ keiko add tea in 5m --no-alert
    added 9  tea  Wed 13 May 2026 16:05 EDT (in 5m)
      without an alert
    $ keiko remind me in 20 minutes to 'check the oven'
    added 10  check the oven  Wed 13 May 2026 16:20 EDT (in 20m)
    ");
}

#[test]
fn times_that_cannot_be_are_refused_and_nothing_is_stored() {
    let home = Home::with_daemon();
    insta::assert_snapshot!(home.transcript(&[
        "remind me to breathe",
        "remind me today at 9am to run",
        "add x --at nonsense",
        "add x --at 'tomorrow 3pm' --tz Mars/Olympus",
        "add x tomorrow --via pigeon",
        "add",
        "list",
    ]), @r#"
    $ keiko remind me to breathe
    ! error: cannot find a time in "breathe"
    ! hint: say when, such as `tomorrow 3pm` or `in 20 minutes`: keiko remind me to breathe tomorrow 3pm
    [exit 3]
    $ keiko remind me today at 9am to run
    ! error: cannot set "today at 9am": Wed 13 May 2026 09:00 has passed
    ! hint: say `tomorrow 09:00`: keiko remind me tomorrow 09:00 to run
    [exit 3]
    $ keiko add x --at nonsense
    ! error: cannot find a time in "nonsense"
    ! hint: say when, such as `tomorrow 3pm` or `in 20 minutes`
    [exit 3]
    $ keiko add x --at 'tomorrow 3pm' --tz Mars/Olympus
    ! error: cannot use zone "Mars/Olympus": expected an IANA name such as Europe/Berlin
    ! hint: keiko help tells what each command takes
    [exit 2]
    $ keiko add x tomorrow --via pigeon
    ! error: cannot use channel "pigeon": expected desktop, terminal, or a kind with a name such as webhook:ops
    ! hint: keiko help tells what each command takes
    [exit 2]
    $ keiko add
    ! error: cannot add nothing
    ! hint: say what and when, such as: keiko add pay rent tomorrow 3pm
    [exit 2]
    $ keiko list
    no tasks
    "#);
}

#[test]
fn noon_and_midnight_are_what_they_are() {
    let home = Home::with_daemon();
    let due = |time: &str| {
        let ran = home.keiko(&format!("add x --json --at '{time}'"));
        ran.json()["task"]["due_at"].as_str().unwrap_or_default().to_owned()
    };
    assert_eq!(due("12am"), "2026-05-14T00:00:00-04:00");
    assert_eq!(due("12:00 AM"), "2026-05-14T00:00:00-04:00");
    assert_eq!(due("12:30am"), "2026-05-14T00:30:00-04:00");
    assert_eq!(due("12pm"), "2026-05-14T12:00:00-04:00");
    assert_eq!(due("noon"), "2026-05-14T12:00:00-04:00");
    assert_eq!(due("midnight"), "2026-05-14T00:00:00-04:00");
    insta::assert_snapshot!(home.transcript(&["add x --at '12:00 AM'", "add x --at noon"]), @"
    $ keiko add x --at '12:00 AM'
    added 7  x  Thu 14 May 2026 00:00 EDT (in 8h)
    ! warning: next on Thu 14 May 2026
    $ keiko add x --at noon
    added 8  x  Thu 14 May 2026 12:00 EDT (in 20h)
    ! warning: next on Thu 14 May 2026
    ");
}

#[test]
fn a_line_each_is_added_and_a_bad_one_does_not_stop_the_others() {
    let home = Home::with_daemon();
    let input = "pay rent tomorrow 3pm\n\nrun today at 9am\nbuy milk +shop\n";
    let ran = home.keiko_with("add -", input, |_| {});
    assert_eq!(ran.code, Some(3));
    insta::assert_snapshot!(ran.stdout, @"
    added 1  pay rent  Thu 14 May 2026 15:00 EDT (in 23h)
    added 2  buy milk +shop  no time
    ");
    assert!(ran.stderr.contains("error: line 3: cannot set \"today at 9am\""), "{ran:?}");
    let ran = home.keiko_with("add - --json", input, |_| {});
    assert_eq!(ran.code, Some(3));
    let results = ran.json()["results"].as_array().expect("an array").clone();
    assert_eq!(results.len(), 3);
    assert_eq!(results[1]["name"], "run today at 9am");
    assert_eq!(results[1]["error"]["kind"], "time");
    assert_eq!(results[1]["line"], 3);
    assert_eq!(results[2]["task"]["tags"], json!(["shop"]));
}

#[test]
fn what_holds_for_all_lines_is_said_once() {
    let home = Home::with_daemon();
    let ran = home.keiko_with("add -", "tea tomorrow 3pm\ncake tomorrow 4pm\nmilk\n", |_| {});
    assert_eq!(ran.code, Some(0));
    assert_eq!(ran.stderr.matches("nobody can be reached").count(), 1, "{ran:?}");
    assert!(ran.stderr.contains("warning: line 1, line 2: nobody can be reached"), "{ran:?}");
    assert!(ran.stderr.contains("warning: line 3: it has no time"), "{ran:?}");
}

#[test]
fn retries_that_count_for_nothing_are_not_dropped_in_silence() {
    let home = Home::with_daemon();
    let says = |line: &str| home.keiko(line).stderr.contains("the number of retries counts for nothing");
    assert!(says("add tea tomorrow 3pm --retries 3"));
    assert!(says("edit 1 --retries 4"));
    assert!(!says("add build tomorrow 3pm --retries 3 -- true"));
    assert!(!says("add hook tomorrow 3pm --retries 3 --via webhook:http://127.0.0.1:9/"));
    assert!(!says("add coffee tomorrow 3pm"));
}

#[test]
fn a_key_adds_once() {
    let home = Home::with_daemon();
    let first = home.keiko("add pay rent tomorrow --key k1 --json").json();
    let second = home.keiko("add pay rent tomorrow --key k1 --json").json();
    assert_eq!((&first["changed"], &second["changed"]), (&json!(true), &json!(false)));
    assert_eq!(first["task"]["id"], second["task"]["id"]);
}

#[test]
fn the_id_alone_is_printed_where_it_is_asked_for() {
    let home = Home::with_daemon();
    let id = home.keiko("add pay rent tomorrow --print-id").stdout;
    assert_eq!(home.keiko("show 1 --json").json()["task"]["id"], id.trim());
    assert_eq!(home.keiko("list --print-id").stdout, id);
    assert!(home.keiko("list -q").stdout.contains("pay rent"));
    assert_eq!(home.keiko(&format!("done {} -q", &id[..13])).stdout, "");
    assert_eq!(home.keiko("show 1 --json").json()["task"]["state"], "COMPLETED");
}

#[test]
fn a_terminal_in_another_zone_keeps_its_own() {
    let home = Home::with_daemon();
    let ran = home.keiko_with("add call home tomorrow 9am", "", |command| {
        command.env("TZ", "Europe/Berlin");
    });
    insta::assert_snapshot!(ran.stdout, @"added 1  call home  Thu 14 May 2026 09:00 CEST (in 11h)");
    assert_eq!(home.keiko("show 1 --json").json()["task"]["schedule"]["zone"], "Europe/Berlin");
}

#[tokio::test]
async fn a_line_is_asked_for_where_no_words_are_given() {
    let home = Home::with_daemon();
    let mut pty = Pty::run(&format!(
        "export KEIKO_DATA_DIR={0}/data XDG_RUNTIME_DIR={0}/run TZ=America/New_York; {1} add; echo all-said",
        home.path().display(),
        binary("keiko").display()
    ));
    pty.wait_for("what, and when? ").await;
    pty.type_line("don't pay $RENT tomorrow 3pm").await;
    pty.wait_for("all-said\r\n").await;
    assert_eq!(home.keiko("show 1 --json").json()["task"]["title"], "don't pay $RENT");
}

#[test]
fn an_add_is_no_failure_when_the_daemon_stops_right_after_it() {
    let home = Home::with_daemon();
    let real = std::fs::read_to_string(home.path().join("data/keikod.socket")).expect("the daemon announced it");
    let proxy = home.path().join("run/proxy.sock");
    let listener = UnixListener::bind(&proxy).expect("a socket of the test's own");
    let relay = std::thread::spawn(move || {
        let (caller, _) = listener.accept().expect("a caller");
        let daemon = UnixStream::connect(real).expect("the daemon listens");
        let mut requests = BufReader::new(caller.try_clone().expect("a stream")).lines();
        let mut answers = BufReader::new(daemon.try_clone().expect("a stream")).lines();
        // The greeting and the add; then nothing more.
        for _ in 0..2 {
            writeln!(&daemon, "{}", requests.next().expect("a request").expect("UTF-8")).expect("it reads");
            writeln!(&caller, "{}", answers.next().expect("an answer").expect("UTF-8")).expect("it reads");
        }
    });
    let added = home.keiko_with("add tea", "", |command| {
        command.env("KEIKO_SOCKET", &proxy);
    });
    relay.join().expect("it relayed what it was to");
    assert_eq!((added.stdout.as_str(), added.code), ("added 1  tea  no time\n", Some(0)), "{added:?}");
}

#[test]
fn who_asks_for_alerts_that_have_passed_is_told_that_it_will_not_ring() {
    let home = Home::with_daemon();
    insta::assert_snapshot!(home.transcript(&[
        "add bus in 30 minutes --alert 1h",
        "add bus in 30 minutes --alert 1h,0",
        "edit 2 --alert 3d",
        "edit 1 --alert 0",
    ]), @"
    $ keiko add bus in 30 minutes --alert 1h
    added 1  bus  Wed 13 May 2026 16:30 EDT (in 30m)
    ! warning: all its alerts lie in the past, so it comes due in silence; keiko edit 1 --alert 0 rings then
    $ keiko add bus in 30 minutes --alert 1h,0
    added 2  bus  Wed 13 May 2026 16:30 EDT (in 30m)
    $ keiko edit 2 --alert 3d
    changed 2  bus  Wed 13 May 2026 16:30 EDT (in 30m)
    ! warning: all its alerts lie in the past, so it comes due in silence; keiko edit 2 --alert 0 rings then
    $ keiko edit 1 --alert 0
    changed 1  bus  Wed 13 May 2026 16:30 EDT (in 30m)
    ");
}
