//! Which times of a series a change means: by flags, and asked on a terminal.

use serde_json::json;

use crate::cli::{Home, binary};
use crate::support::pty::Pty;

fn standup() -> Home {
    let home = Home::with_daemon();
    home.keiko("add standup every day at 9:30");
    home
}

#[test]
fn one_time_is_another_and_the_series_stays() {
    let home = standup();
    insta::assert_snapshot!(home.transcript(&[
        "edit 1 --this tomorrow 4pm",
        "edit 1 --this --title coffee",
        "edit 1 --this --every 2h",
        "edit 1 --this saturday 4pm",
        "pause 1 --this",
        "resume 1",
        "cancel 1 --this",
        "cancel 1 --following",
    ]), @"
    $ keiko edit 1 --this tomorrow 4pm
    changed 1  standup  Thu 14 May 2026 16:00 EDT (in 1d)
      this time only, in place of Thu 14 May 09:30
      repeats Thu 14 May 16:00, Fri 15 May 09:30, Sat 16 May 09:30
    $ keiko edit 1 --this --title coffee
    ! error: cannot edit this time only of task 1: expected another time for it and nothing else
    ! hint: --following changes the rest from this time on, --all the whole series
    [exit 5]
    $ keiko edit 1 --this --every 2h
    ! error: cannot edit this time only of task 1: expected another time for it and nothing else
    ! hint: --following changes the rest from this time on, --all the whole series
    [exit 5]
    $ keiko edit 1 --this saturday 4pm
    ! error: cannot edit this time only of task 1: Sat 16 May 2026 16:00 (America/New_York) is not before its next time, Fri 15 May 2026 09:30 (America/New_York)
    ! hint: give an earlier time, or pass this one over with skip
    [exit 5]
    $ keiko pause 1 --this
    paused 1  standup  until Fri 15 May 2026 09:30 EDT (in 1d 18h), 1d left
      this time only, in place of Thu 14 May 09:30
    $ keiko resume 1
    resumed 1  standup  Thu 14 May 2026 16:00 EDT (in 1d)
      this time only, in place of Thu 14 May 09:30
      repeats Thu 14 May 16:00, Fri 15 May 09:30, Sat 16 May 09:30
    $ keiko cancel 1 --this
    skipped 1  standup  next Fri 15 May 2026 09:30 EDT (in 1d 18h)
    $ keiko cancel 1 --following
    cancelled 1  standup
    ! warning: the series ends with this; what came before stays in its history
    ");
    assert_eq!(home.keiko("rpc task.get '{\"task\":1}'").json()["task"]["outcome"], "cancelled");
}

#[test]
fn the_following_times_are_a_task_of_their_own() {
    let home = standup();
    home.advance("2026-05-14T09:30:00-04:00");
    insta::assert_snapshot!(home.transcript(&[
        "edit 1 --following --every 'day at 10am' --priority high",
        "edit 1 --following --title coffee",
        "done 1",
        "edit 2 --following --at 'tomorrow 4pm'",
    ]), @r#"
    $ keiko edit 1 --following --every 'day at 10am' --priority high
    changed 2  ! standup  Fri 15 May 2026 10:00 EDT (in 1d 1h)
      task 2 goes on with the series of 1
      repeats Fri 15 May 10:00, Sat 16 May 10:00, Sun 17 May 10:00
    $ keiko edit 1 --following --title coffee
    ! error: cannot edit task 1: the schedule has no time ahead
    ! hint: man keiko-time tells what can be said about time
    [exit 3]
    $ keiko done 1
    done 1  standup
    $ keiko edit 2 --following --at 'tomorrow 4pm'
    ! error: cannot edit the following times of task 2: expected a repetition, found one time
    ! hint: say how it repeats, such as: --every "day at 4pm" --following
    [exit 5]
    "#);
    let task = |number: u64| home.keiko(&format!("rpc task.get '{{\"task\":{number}}}'")).json()["task"].clone();
    let (old, new) = (task(1), task(2));
    assert_eq!((&old["followed_by"], &new["follows"]), (&json!(2), &json!(1)));
    assert_eq!(new["priority"], "high");
    let events = home.keiko("history 1 --json").json()["events"].as_array().expect("events").clone();
    let followed = events.iter().find(|event| event["operation"] == "followed").expect("it is told");
    assert_eq!(followed["values"]["followed_by"], 2);
    let born = home.keiko("history 2 --json").json()["events"][0].clone();
    assert_eq!(followed["op_id"], born["op_id"], "both were one request");
}

#[test]
fn what_comes_up_once_has_no_following_times() {
    let home = Home::with_daemon();
    home.keiko("add tea tomorrow 9am");
    insta::assert_snapshot!(home.transcript(&[
        "edit 1 --following --title coffee",
        "pause 1 --following",
        "cancel 1 --following",
        "edit 1 --this --title coffee",
        "cancel 1 --this",
        "edit 1 --this --all --title tea",
        "resume 1 --all",
    ]), @"
    $ keiko edit 1 --following --title coffee
    ! error: cannot edit task 1: it does not repeat
    ! hint: cancel ends it, snooze puts it off
    [exit 5]
    $ keiko pause 1 --following
    ! error: cannot pause task 1: it does not repeat
    ! hint: cancel ends it, snooze puts it off
    [exit 5]
    $ keiko cancel 1 --following
    ! error: cannot cancel task 1: it does not repeat
    ! hint: cancel ends it, snooze puts it off
    [exit 5]
    $ keiko edit 1 --this --title coffee
    changed 1  coffee  Thu 14 May 2026 09:00 EDT (in 17h)
    $ keiko cancel 1 --this
    cancelled 1  coffee
    $ keiko edit 1 --this --all --title tea
    ! error: the argument '--this' cannot be used with '--all'
    ! hint: run keiko edit --help to see how it is used
    [exit 2]
    $ keiko resume 1 --all
    ! error: cannot resume the tasks named and all tasks: expected one of both
    ! hint: name the tasks, or say --all alone
    [exit 2]
    ");
}

#[test]
fn a_preview_answers_what_would_be_and_stores_nothing() {
    let home = standup();
    let call = |method: &str, params: serde_json::Value| home.keiko(&format!("rpc {method} '{params}'")).json();
    let before = call("event.list", json!({}))["cursor"].clone();
    let moved = call("task.update", json!({"task": 1, "text": "tomorrow 4pm", "scope": "this", "preview": true}));
    assert_eq!((&moved["preview"], &moved["changed"]), (&json!(true), &json!(true)));
    assert_eq!(moved["task"]["next"][0], "2026-05-14T16:00:00-04:00");
    assert_eq!(moved["task"]["occurrence"]["moved_from"], "2026-05-14T09:30:00-04:00");
    let split = json!({"task": 1, "title": "coffee", "scope": "following", "preview": true, "key": "k"});
    let split = call("task.update", split);
    assert_eq!((&split["task"]["state"], &split["follower"]["number"]), (&json!("CANCELLED"), &json!(2)));
    let paused = call("task.pause", json!({"task": 1, "scope": "this", "preview": true}));
    assert_eq!(paused["task"]["paused_until"], "2026-05-15T09:30:00-04:00");
    let cancelled = call("task.cancel", json!({"task": 1, "preview": true}));
    assert_eq!((&cancelled["task"]["state"], &cancelled["warnings"][0]), (&json!("CANCELLED"), &json!(null)));
    assert_eq!(call("event.list", json!({}))["cursor"], before);
    // The key was not used up, and twice is once.
    let split = json!({"task": 1, "title": "coffee", "scope": "following", "key": "k"});
    let (first, second) = (call("task.update", split.clone()), call("task.update", split));
    assert_eq!((&first["changed"], &second["changed"]), (&json!(true), &json!(false)));
    assert_eq!(first["follower"]["id"], second["follower"]["id"]);
    let refused = home.keiko("rpc task.pause '{\"all\":true,\"scope\":\"this\"}'");
    assert_eq!(refused.code, Some(2), "{refused:?}");
}

fn on_terminal(home: &Home, line: &str) -> Pty {
    let place = home.path().display();
    Pty::run(&format!(
        "stty -echo; exec env XDG_RUNTIME_DIR={place}/run KEIKO_DATA_DIR={place}/data KEIKO_CONFIG={place}/config.toml \
         TZ=America/New_York NO_COLOR=1 sh -c '{} {line}; echo ended=$?='",
        binary("keiko").display(),
    ))
}

async fn asked(home: &Home, line: &str, answer: &str) -> String {
    let mut pty = on_terminal(home, line);
    pty.wait_for(" / no: ").await;
    pty.type_line(answer).await;
    let shown = pty.wait_for("=\r\n").await;
    let lines = shown.lines().filter(|line| !line.starts_with("warning: nobody"));
    lines.map(str::trim_end).collect::<Vec<_>>().join("\n")
}

#[tokio::test]
async fn on_a_terminal_it_is_asked_which_times_are_meant() {
    let home = standup();
    insta::assert_snapshot!(asked(&home, "edit 1 tomorrow 4pm", "this").await, @"
    1  standup
      now        Thu 14 May 09:30, Fri 15 May 09:30, Sat 16 May 09:30
      this       Thu 14 May 16:00, Fri 15 May 09:30, Sat 16 May 09:30
      following  cannot edit the following times of task 1: expected a repetition,
                 found one time
      all        cannot edit task 1: it repeats, and one time would end that:
                 expected a repetition
    which times? this / no: changed 1  standup  Thu 14 May 2026 16:00 EDT (in 1d)
      this time only, in place of Thu 14 May 09:30
      repeats Thu 14 May 16:00, Fri 15 May 09:30, Sat 16 May 09:30
    hint: keiko undo takes it back
    ended=0=
    ");
    insta::assert_snapshot!(asked(&home, "cancel 1", "no").await, @"
    1  standup
      now        Thu 14 May 16:00, Fri 15 May 09:30, Sat 16 May 09:30
      this       Fri 15 May 09:30, Sat 16 May 09:30, Sun 17 May 09:30
      following  no more times
      all        no more times
    which times? this / following / all / no: nothing was changed
    ended=0=
    ");
    insta::assert_snapshot!(asked(&home, "pause 1", "t").await, @"
    1  standup
      now        Thu 14 May 16:00, Fri 15 May 09:30, Sat 16 May 09:30
      this       nothing until Fri 15 May 09:30, then Fri 15 May 09:30, Sat 16 May
                 09:30
      following  nothing until it is resumed
      all        nothing until it is resumed
    which times? this / following / all / no: paused 1  standup  until Fri 15 May 2026 09:30 EDT (in 1d 18h), 1d left
      this time only, in place of Thu 14 May 09:30
    hint: keiko undo takes it back
    ended=0=
    ");
    insta::assert_snapshot!(asked(&home, "cancel 1", "all").await, @"
    1  standup
      now        nothing until Fri 15 May 09:30, then Fri 15 May 09:30, Sat 16 May
                 09:30
      this       cannot skip task 1: it is paused
      following  no more times
      all        no more times
    which times? following / all / no: cancelled 1  standup
    hint: keiko undo takes it back
    ended=0=
    ");
}

#[tokio::test]
async fn nobody_is_asked_who_said_it_and_of_what_comes_up_once() {
    let home = standup();
    home.keiko("add tea tomorrow 9am");
    for line in ["pause 1 --this", "pause 1 --yes", "pause 1 --json", "pause 2", "cancel 2"] {
        let shown = on_terminal(&home, line).wait_for("=\r\n").await;
        assert!(shown.contains("ended=0=") && !shown.contains("which times"), "{line}: {shown}");
        home.keiko("resume 1");
    }
}
