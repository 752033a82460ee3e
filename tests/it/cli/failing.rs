//! What is said when something is wrong, and with which exit code.

use serde_json::Value;

use crate::cli::{Home, Ran};

/// A home with a task that is scheduled, another that shares a word with it, and one that is done.
fn home() -> Home {
    let home = Home::with_daemon();
    for line in ["add pay rent tomorrow 3pm", "add pay the milkman friday", "add call mum", "done 3"] {
        home.keiko(line);
    }
    home
}

#[test]
fn names_that_mean_no_task_or_several() {
    insta::assert_snapshot!(home().transcript(&[
        "done 99", "done pay", "show nothing like it", "done", "history 99", "snooze 1 20", "edit pay --title x",
    ]), @r#"
    $ keiko done 99
    ! error: cannot find a task named "99"
    ! hint: keiko list shows the open tasks, keiko list --all those that have ended too
    [exit 4]
    $ keiko done pay
    ! error: cannot tell which task "pay" means: 1 pay rent, 2 pay the milkman
    ! hint: name one by its number
    [exit 4]
    $ keiko show nothing like it
    ! error: cannot find a task named "nothing like it"
    ! hint: keiko list shows the open tasks, keiko list --all those that have ended too
    [exit 4]
    $ keiko done
    ! error: cannot tell which task is meant: none is due
    ! hint: name one by its number: keiko list shows those that there are
    [exit 4]
    $ keiko history 99
    ! error: cannot find a task named "99"
    ! hint: keiko list shows the open tasks, keiko list --all those that have ended too
    [exit 4]
    $ keiko snooze 1 20
    ! error: cannot tell whether 20 is a time or a task: a time needs a unit
    ! hint: write 20m for minutes; several tasks need a time behind them, such as `snooze 3 5 10m`
    [exit 2]
    $ keiko edit pay --title x
    ! error: cannot tell which task "pay" means: 1 pay rent, 2 pay the milkman
    ! hint: name one by its number
    [exit 4]
    "#);
}

#[test]
fn changes_that_a_state_does_not_allow() {
    insta::assert_snapshot!(home().transcript(&["done 3", "snooze 3", "pause 3", "cancel 3", "skip 1", "resume 1"]), @"
    $ keiko done 3
    ! error: cannot complete task 3: it is already done
    ! hint: what has ended stays so: add it anew with keiko add
    [exit 5]
    $ keiko snooze 3
    ! error: cannot snooze task 3: it is already done
    ! hint: what has ended stays so: add it anew with keiko add
    [exit 5]
    $ keiko pause 3
    ! error: cannot pause task 3: it is already done
    ! hint: what has ended stays so: add it anew with keiko add
    [exit 5]
    $ keiko cancel 3
    ! error: cannot cancel task 3: it is already done
    ! hint: what has ended stays so: add it anew with keiko add
    [exit 5]
    $ keiko skip 1
    ! error: cannot skip task 1: it does not repeat
    ! hint: cancel ends it, snooze puts it off
    [exit 5]
    $ keiko resume 1
    ! error: cannot resume task 1: it is scheduled
    ! hint: possible now: edit, done, snooze, pause, cancel
    [exit 5]
    ");
}

#[test]
fn arguments_and_times_that_are_wrong() {
    insta::assert_snapshot!(home().transcript(&[
        "snooze 1 for 20",
        "pause 1 --for tomorrow",
        "show",
        "list --wrong",
        "rpc no.such",
        "rpc task.get '{\"tusk\":1}'",
        "rpc task.get nonsense",
    ]), @r#"
    $ keiko snooze 1 for 20
    ! error: cannot read "20" as a length of time: it needs a unit
    ! hint: say `20m` for minutes or `20h` for hours
    [exit 3]
    $ keiko pause 1 --for tomorrow
    ! error: cannot use "tomorrow" as a length of time: expected a number with a unit
    ! hint: say how long, such as 10m or 2h
    [exit 3]
    $ keiko show
    ! error: the following required arguments were not provided: <TASK>...
    ! hint: such as keiko show 7; keiko show --help says more
    [exit 2]
    $ keiko list --wrong
    ! error: unexpected argument '--wrong' found
    ! hint: run keiko list --help to see how it is used
    [exit 2]
    $ keiko rpc no.such
    ! error: cannot call "no.such": there is no such method
    ! hint: rpc.discover tells the methods that there are
    [exit 2]
    $ keiko rpc task.get '{"tusk":1}'
    ! error: cannot call task.get: unknown parameter "tusk", expected task
    ! hint: did you mean "task"?
    [exit 2]
    $ keiko rpc task.get nonsense
    ! error: cannot read the parameters "nonsense": cannot read the text as JSON: expected ident at line 1 column 2
    ! hint: parameters are one JSON object, such as '{"task":3}'
    [exit 2]
    "#);
}

#[test]
fn a_change_that_came_first_is_a_conflict() {
    let home = Home::with_daemon();
    home.keiko("add pay rent tomorrow");
    let ran = home.keiko("rpc task.update '{\"task\":1,\"version\":99,\"title\":\"x\"}'");
    assert_eq!(ran.code, Some(8), "{ran:?}");
    assert_eq!(home.keiko("show 1 --json").json()["task"]["title"], "pay rent");
}

#[test]
fn every_failure_is_one_json_value_for_programs() {
    let home = Home::with_daemon();
    home.keiko("add pay rent tomorrow");
    let check = |line: &str, kind: &str, code: i32| {
        let ran: Ran = home.keiko(line);
        let error = &ran.json()["error"];
        assert_eq!(error["kind"], kind, "{line}: {ran:?}");
        assert_eq!((ran.code, error["exit"].as_i64()), (Some(code), Some(code.into())), "{line}");
        assert!(error["message"].is_string(), "{line}");
        for field in ["code", "hint", "data"] {
            assert!(error.get(field).is_some(), "{line} lacks {field}");
        }
        assert_eq!(ran.stderr, "", "{line}");
    };
    check("done 99 --json", "not_found", 4);
    check("--json add today at 9am", "time", 3);
    check("parse today at 9am --now 2026-05-13T16:00:00-04:00 --json --wrong", "usage", 2);
    check("done 7-5 --json", "usage", 2);
    check("--json 12 done", "usage", 2);
    check("resume 1 --json", "refused", 5);
    check("rpc task.get '{\"task\":99}' --json", "not_found", 4);
}

#[test]
fn answers_are_one_json_value_with_all_fields() {
    let home = Home::with_daemon();
    home.keiko("add pay rent tomorrow");
    for line in ["list", "show 1", "history 1", "status", "daemon status", "", "snooze 1 --early", "pause 1", "done 1"]
    {
        let ran = home.keiko(&format!("{line} --json"));
        let answer = ran.json();
        assert_eq!(answer["schema_version"], 1, "{line}: {ran:?}");
    }
    let task = &home.keiko("show 1 --json").json()["task"];
    for field in [
        "number",
        "id",
        "key",
        "title",
        "notes",
        "link",
        "state",
        "stage",
        "version",
        "created_at",
        "updated_at",
        "due_at",
        "scheduled_at",
        "started_at",
        "ended_at",
        "snoozed_until",
        "paused_until",
        "remaining_ms",
        "schedule",
        "occurrence",
        "next",
        "deadline_at",
        "alerts",
        "waits_for",
        "blocked_by",
        "channels",
        "command",
        "timeout_s",
        "auto_done",
        "nag_ms",
        "missed",
        "max_late_s",
        "attempts",
        "max_retries",
        "priority",
        "tags",
        "metadata",
        "late",
        "outcome",
        "last_error",
        "device",
    ] {
        assert!(task.get(field).is_some(), "a task lacks {field}");
    }
}

#[test]
fn warnings_never_stand_in_the_way_of_json() {
    let home = Home::empty();
    home.configure("channels = [\"desktop\"]\nno_such_key = 1\n");
    // Starts the daemon, which warns too.
    let ran = home.keiko("add pay rent tomorrow --json");
    assert_eq!(ran.json()["task"]["title"], "pay rent");
    assert_eq!(ran.stderr, "started keikod\n");
    let ran = home.keiko("parse tomorrow --json");
    assert!(ran.json()["at"].is_string());
    assert!(ran.stderr.contains("no_such_key"), "{ran:?}");
}

#[test]
fn without_a_daemon_the_commands_that_start_none_say_so() {
    let home = Home::empty();
    insta::assert_snapshot!(home.transcript(&["daemon status", "daemon stop", "rpc daemon.status"]), @"
    $ keiko daemon status
    ! error: cannot reach the daemon at [socket]: it is not running
    ! hint: keiko daemon start starts it
    [exit 6]
    $ keiko daemon stop
    ! error: cannot reach the daemon at [socket]: it is not running
    ! hint: keiko daemon start starts it
    [exit 6]
    $ keiko rpc daemon.status
    ! error: cannot reach the daemon at [socket]: it is not running
    ! hint: keiko daemon start starts it
    [exit 6]
    ");
    let error: Value = home.keiko("daemon status --json").json()["error"].clone();
    assert_eq!((error["kind"].as_str(), error["exit"].as_i64()), (Some("no_daemon"), Some(6)));
}

#[test]
fn help_explains_one_command_or_lists_all() {
    let home = Home::empty();
    for (asked, page) in [("help", "--help"), ("help done", "done --help"), ("help ls", "ls --help")] {
        let (asked, page) = (home.keiko(asked), home.keiko(page));
        assert_eq!((&asked.stdout, asked.code), (&page.stdout, Some(0)), "{asked:?}");
    }
    assert_eq!(home.keiko("help channel test").stdout, home.keiko("channel test --help").stdout);
    insta::assert_snapshot!(home.transcript(&["help nosuch", "help channel nosuch"]), @r#"
    $ keiko help nosuch
    ! error: cannot help with "nosuch": there is no such command or topic
    ! hint: keiko help lists the commands; topics are time, channels, exit-codes, environment, files
    [exit 2]
    $ keiko help channel nosuch
    ! error: cannot help with "nosuch": there is no such command or topic
    ! hint: keiko help channel tells what there is
    [exit 2]
    "#);
}

#[test]
fn hints_propose_what_can_be_said() {
    let home = Home::with_daemon();
    assert_eq!(home.keiko("add tea tomorrow 9am").code, Some(0));
    for (line, hint) in [
        ("wait 1 --timeout 'in 1 seconds'", "say `10m`"),
        ("wait 1 --timeout foo", "say `10m`"),
        ("help man", "man keiko is the manual"),
        ("events --since 99999", "keiko list"),
    ] {
        let ran = home.keiko(line);
        assert!(ran.stderr.contains(hint), "{line}: {ran:?}");
        assert!(!ran.stderr.contains("in 20 minutes"), "{line}: {ran:?}");
    }
    for (line, message) in [
        ("op show zzzz", "cannot find operation \"zzzz\": there is none of that name"),
        ("undo zzzz", "cannot find operation \"zzzz\": there is none of that name"),
        ("op show 0", "cannot tell which operation \"0\" means: several begin so"),
    ] {
        assert_eq!(home.keiko("add more tomorrow 9am").code, Some(0));
        let ran = home.keiko(line);
        assert!(ran.stderr.contains(message), "{line}: {ran:?}");
    }
    let help = home.keiko("help environment").stdout;
    for name in ["VISUAL", "EDITOR", "KEIKO_PAGER", "PAGER"] {
        assert!(help.contains(name), "{name}: {help}");
    }
    let help = home.keiko("edit --help").stdout;
    let under =
        |heading: &str| help.split(heading).nth(1).and_then(|rest| rest.split("\n\n").next()).unwrap_or_default();
    for option in ["--note", "--link", "--priority", "--no-link", "--untag"] {
        assert!(under("What it says").contains(option), "{option}: {help}");
    }
}
