//! `keiko wait`: what it waits for, how it ends, and that a daemon which comes back is asked again.

use std::io::{BufRead as _, BufReader, Read as _};
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Child, Stdio};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::cli::{Home, words};

/// A `keiko wait` that waits.
struct Waiting {
    child: Child,
    said: BufReader<std::process::ChildStderr>,
}

impl Waiting {
    /// Begins to wait, also for a task without a time: of that it says something, once it knows what is meant.
    fn begin(home: &Home, line: &str) -> Self {
        let mut command = home.command("keiko");
        let mut child = command
            .args(words(line))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("keiko is built");
        let said = BufReader::new(child.stderr.take().expect("its errors are a pipe"));
        let mut waiting = Self { child, said };
        waiting.hear("has no time, and does not ring until it gets one");
        waiting
    }

    /// Waits until it says a line on standard error.
    fn hear(&mut self, text: &str) {
        let mut line = String::new();
        while !line.contains(text) {
            line.clear();
            assert_ne!(self.said.read_line(&mut line).expect("a pipe"), 0, "it ended without {text:?}");
        }
    }

    /// Returns what it gives, its exit code, and the rest of what it says.
    fn end(mut self) -> (String, Option<i32>, String) {
        let (mut given, mut said) = (String::new(), String::new());
        self.child.stdout.take().expect("its output is a pipe").read_to_string(&mut given).expect("text");
        self.said.read_to_string(&mut said).expect("text");
        (given, self.child.wait().expect("our child").code(), said)
    }
}

fn with_tasks() -> Home {
    let home = Home::with_daemon();
    for line in ["add paint the fence", "add tea in 10m", "add pay rent tomorrow 3pm"] {
        home.keiko(line);
    }
    home
}

#[test]
fn a_wait_says_how_it_ends_and_its_exit_code_does_too() {
    let home = with_tasks();
    home.advance("2026-05-13T16:10:00-04:00");
    home.keiko("cancel 3");
    insta::assert_snapshot!(home.transcript(&[
        "wait 2",
        "wait 2 --quiet",
        "wait tea --for done --timeout 0s",
        "wait 3",
        "wait 1 --timeout 0s",
        "wait 2 9 3",
        "wait",
        "wait 2 --for ever",
        "wait 2 --timeout soon",
    ]), @r#"
    $ keiko wait 2
    fired 2  tea
    $ keiko wait 2 --quiet
    $ keiko wait tea --for done --timeout 0s
    timed out 2  tea  due
    [exit 124]
    $ keiko wait 3
    cancelled 3  pay rent
    [exit 1]
    $ keiko wait 1 --timeout 0s
    timed out 1  paint the fence  no time
    ! hint: 1 has no time, and does not ring until it gets one
    [exit 124]
    $ keiko wait 2 9 3
    fired 2  tea
    cancelled 3  pay rent
    ! error: cannot find a task named "9"
    ! hint: keiko list shows the open tasks, keiko list --all those that have ended too
    [exit 4]
    $ keiko wait
    ! error: the following required arguments were not provided: <TASK>...
    ! hint: such as keiko wait 12 && make release; keiko wait --help says more
    [exit 2]
    $ keiko wait 2 --for ever
    ! error: invalid value 'ever' for '--for <WHAT>' [possible values: fired, done]
    ! hint: run keiko wait --help to see how it is used
    [exit 2]
    $ keiko wait 2 --timeout soon
    ! error: cannot set "soon": expected a length of time, which is a number with a unit
    ! hint: say `10m`
    [exit 3]
    "#);
    let id = home.keiko("wait 2 --print-id").stdout;
    assert_eq!(id.trim().len(), 36, "{id}");
}

#[test]
fn programs_get_the_task() {
    let home = with_tasks();
    home.advance("2026-05-13T16:10:00-04:00");
    let one = home.keiko("wait 2 --json").json();
    assert_eq!((&one["result"], &one["task"]["number"]), (&"fired".into(), &2.into()));
    assert_eq!(
        (&one["schema_version"], &one["how"], &one["occurrence"]["key"]),
        (&1.into(), &Value::Null, &"once".into())
    );
    let ran = home.keiko("wait 2 9 1 --timeout 0s --json");
    let results = ran.json()["results"].clone();
    let told: Vec<_> = results.as_array().expect("an array").iter().map(|each| each["result"].as_str()).collect();
    assert_eq!((told, ran.code), (vec![None, Some("fired"), Some("timed_out")], Some(4)));
}

#[test]
fn all_of_several_are_waited_for_and_the_time_is_the_daemons() {
    let home = with_tasks();
    let waiting = Waiting::begin(&home, "wait 1-3 --timeout 30m");
    home.advance("2026-05-13T16:31:00-04:00");
    let (given, code, said) = waiting.end();
    let mut lines: Vec<&str> = given.lines().collect();
    lines.sort_unstable();
    assert_eq!(lines, ["fired 2  tea", "timed out 1  paint the fence  no time", "timed out 3  pay rent  scheduled"]);
    assert_eq!((code, said.as_str()), (Some(124), ""));
}

#[test]
fn a_wait_outlives_its_daemon_whether_that_is_killed_or_stops() {
    let mut home = with_tasks();
    let mut waiting = Waiting::begin(&home, "wait 1 2 --for done");
    for _ in 0..2 {
        home.kill();
        waiting.hear("keikod is gone; waiting for it to come back");
        home = home.start();
        waiting.hear("keikod is back");
    }
    home.keiko("daemon stop");
    waiting.hear("keikod is gone; waiting for it to come back");
    home = home.start();
    waiting.hear("keikod is back");
    home.keiko("done 1 2 --early");
    let (given, code, said) = waiting.end();
    let mut lines: Vec<&str> = given.lines().collect();
    lines.sort_unstable();
    assert_eq!((lines, code, said.as_str()), (vec!["done 1  paint the fence", "done 2  tea"], Some(0), ""));
}

#[test]
fn what_happened_while_the_daemon_was_away_has_happened() {
    let mut home = with_tasks();
    let mut waiting = Waiting::begin(&home, "wait 1 2 --for done --timeout 1h");
    home.kill();
    waiting.hear("keikod is gone");
    // Another process starts it, and is quicker than who waits.
    home = home.start();
    home.keiko("cancel 1");
    home.advance("2026-05-13T17:30:00-04:00");
    let (given, code, _) = waiting.end();
    let mut lines: Vec<&str> = given.lines().collect();
    lines.sort_unstable();
    assert_eq!(lines, ["cancelled 1  paint the fence", "timed out 2  tea  due"]);
    assert!(code == Some(1) || code == Some(124), "the first of them decides: {code:?}");
}

#[test]
fn an_interrupted_wait_says_nothing() {
    let home = with_tasks();
    let mut waiting = Waiting::begin(&home, "wait 1");
    let pid = i32::try_from(waiting.child.id()).ok().and_then(Pid::from_raw).expect("a process");
    // Not INT: what runs in a shell's background is born deaf to that.
    kill_process(pid, Signal::TERM).expect("it is our child");
    assert_eq!(waiting.child.wait().expect("our child").signal(), Some(15), "a shell says 143");
    let (given, _, said) = waiting.end();
    assert_eq!((given.as_str(), said.as_str()), ("", ""));
}

#[test]
fn a_thousand_tasks_are_waited_for_by_one() {
    let home = Home::with_daemon();
    home.keiko("add paint the fence");
    let lines = "tea in 10m\n".repeat(999);
    home.keiko_with("add -", &lines, |_| {});
    let waiting = Waiting::begin(&home, "wait 1-1000 --timeout 20m");
    home.advance("2026-05-13T16:20:00-04:00");
    let (given, code, _) = waiting.end();
    assert_eq!(given.lines().filter(|line| line.starts_with("fired ")).count(), 999);
    assert!(given.lines().any(|line| line == "timed out 1  paint the fence  no time"), "{given}");
    assert_eq!(code, Some(124));
}
