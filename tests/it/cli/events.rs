//! `keiko events`: of all tasks or of one, followed across restarts, and ended with whoever reads.

use std::io::{BufRead as _, BufReader, Lines};
use std::process::{Child, ChildStdout, Stdio};

use serde_json::Value;

use crate::cli::{Home, words};

/// A `keiko` that tells events.
struct Following {
    child: Child,
    lines: Lines<BufReader<ChildStdout>>,
}

impl Following {
    fn begin(home: &Home, line: &str) -> Self {
        let mut command = home.command("keiko");
        let errors = std::fs::File::create(home.path().join("said")).expect("a file of the test's own");
        let mut child = command
            .args(words(line))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(errors)
            .spawn()
            .expect("keiko is built");
        let lines = BufReader::new(child.stdout.take().expect("its output is a pipe")).lines();
        Self { child, lines }
    }

    /// Returns the next event.
    fn event(&mut self) -> Value {
        let line = self.lines.next().expect("it goes on").expect("text");
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"))
    }

    fn told(&mut self) -> (u64, String) {
        let event = self.event();
        (event["seq"].as_u64().expect("a number"), event["operation"].as_str().expect("a word").to_owned())
    }
}

impl Drop for Following {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn the_events_of_one_task_are_told_alone() {
    let home = Home::with_daemon();
    for line in
        ["add tea in 10m", "add coffee in 20m", "edit tea --priority high", "done coffee --early", "done 1 --early"]
    {
        home.keiko(line);
    }
    insta::assert_snapshot!(home.transcript(&[
        "events --task tea",
        "events --task 1 --since 3",
        "events --task 1 --limit 1",
        "events --task 9",
    ]), @r#"
    $ keiko events --task tea
       1  Wed 13 May 16:00  1 tea  added  → created
       2  Wed 13 May 16:00  1 tea  armed  created → scheduled
       5  Wed 13 May 16:00  1 tea  edited
       8  Wed 13 May 16:00  1 tea  started  scheduled → due  nothing sent
       9  Wed 13 May 16:00  1 tea  completed  due → done  done
    $ keiko events --task 1 --since 3
       5  Wed 13 May 16:00  1 tea  edited
       8  Wed 13 May 16:00  1 tea  started  scheduled → due  nothing sent
       9  Wed 13 May 16:00  1 tea  completed  due → done  done
    $ keiko events --task 1 --limit 1
       1  Wed 13 May 16:00  1 tea  added  → created
    $ keiko events --task 9
    ! error: cannot find a task named "9"
    ! hint: keiko list shows the open tasks, keiko list --all those that have ended too
    [exit 4]
    "#);
    let all = home.keiko("events --json").stdout;
    let of_one: Vec<&str> = all.lines().filter(|line| line.contains("\"task\":1,")).collect();
    let told = home.keiko("events --task 1 --json").stdout;
    assert_eq!(told.lines().collect::<Vec<_>>(), of_one, "they look alike");
}

#[test]
fn one_task_is_followed_from_its_history_on() {
    let home = Home::with_daemon();
    home.keiko("add tea in 10m");
    home.keiko("add coffee in 5m");
    let mut following = Following::begin(&home, "events --follow --task 1");
    assert_eq!(following.told(), (1, "added".into()));
    assert_eq!(following.told(), (2, "armed".into()));
    home.advance("2026-05-13T16:10:00-04:00");
    let fired = following.event();
    assert_eq!((&fired["operation"], &fired["task"]), (&"fired".into(), &1.into()), "in a pipe it is JSON");
}

#[test]
fn who_follows_misses_nothing_and_hears_nothing_twice_when_the_daemon_is_killed() {
    const ROUNDS: u64 = 3;
    let mut home = Home::with_daemon();
    let mut following = Following::begin(&home, "events --follow --since 0");
    let mut seq = 0;
    for _ in 0..ROUNDS {
        for _ in 0..5 {
            home.keiko("add tea in 10m");
        }
        // The last of them may not have been told yet.
        home.kill();
        home = home.start();
        home.keiko("add coffee in 10m");
        let stored = home.keiko("events --json").stdout.lines().count() as u64;
        while seq < stored {
            seq += 1;
            assert_eq!(following.event()["seq"], seq, "no gap and no repeat");
        }
    }
    let said = std::fs::read_to_string(home.path().join("said")).expect("a file of the test's own");
    assert_eq!(said, "keikod is gone; waiting for it to come back\nkeikod is back\n".repeat(3));
}

#[test]
fn a_reader_that_goes_away_ends_it_without_a_word_though_nothing_happens() {
    let home = Home::with_daemon();
    home.keiko("add tea in 10m");
    let mut following = Following::begin(&home, "events --follow");
    following.told();
    following.told();
    let Following { child, lines } = &mut following;
    // A pipe that nobody reads any more.
    let (empty, _) = std::io::pipe().expect("a pipe");
    drop(std::mem::replace(lines, BufReader::new(ChildStdout::from(std::os::fd::OwnedFd::from(empty))).lines()));
    assert_eq!(child.wait().expect("our child").code(), Some(0));
    assert_eq!(std::fs::read_to_string(home.path().join("said")).expect("text"), "");
}

#[test]
fn a_reader_that_sleeps_loses_nothing() {
    const TASKS: u64 = 40;
    let home = Home::with_daemon();
    let mut following = Following::begin(&home, "events --follow --since 0");
    let note = "x".repeat(64 * 1024);
    for _ in 0..TASKS {
        let params = serde_json::json!({ "title": "tea", "notes": note }).to_string();
        home.keiko_with("rpc task.add -", &params, |_| {});
    }
    // The daemon gives up a connection that is not read; until it has said so nobody reads.
    let log = home.path().join("log");
    let is_cut_off = || std::fs::read_to_string(&log).expect("a log").contains("a subscriber is cut off");
    while !is_cut_off() {
        home.keiko("status -q");
    }
    for seq in 1..=TASKS {
        assert_eq!(following.event()["seq"], seq, "no gap and no repeat");
    }
}
