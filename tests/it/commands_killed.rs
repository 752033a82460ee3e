//! `kill -9` of the daemon while commands run, before and after: none is run twice, none is lost, and never do two of one task
//! run at once. The commands themselves keep the journal.
//!
//! `KEIKO_KILL_ROUNDS=50` runs more rounds, `KEIKO_KILL_SEED` others.

use std::collections::BTreeMap;
use std::fs;
use std::process::Command;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::support::daemon::{Connection, Daemon, Home};
use crate::support::office::stop;
use crate::support::random::Random;

/// How many rounds the suite plays.
const ROUNDS: u64 = 5;

/// How many tasks there are, and how often each round asks for one of them.
const TASKS: u64 = 12;
const ASKED: u64 = 30;

/// What each command does.
const SCRIPT: &str = "echo start $KEIKO_TASK $KEIKO_RUN >> $0; sleep 0.0$1; echo end $KEIKO_TASK $KEIKO_RUN >> $0";

/// Returns a daemon on the system's clock.
fn keikod(home: &Home) -> Daemon {
    Daemon::start(home.command(env!("CARGO_BIN_EXE_keikod")))
}

/// Kills what runs the commands of a home, once the daemon is gone; ends with the value.
struct Cleared<'a>(&'a Home);

impl Drop for Cleared<'_> {
    fn drop(&mut self) {
        kill_runner(self.0);
    }
}

/// Follows what happens until `is_over`.
fn follow(connection: &mut Connection, since: u64, mut is_over: impl FnMut(&Value) -> bool) {
    connection.call("event.subscribe", json!({"since": since}));
    loop {
        let told = connection.receive();
        assert!(!told.is_null(), "the daemon hung up");
        if is_over(&told["params"]["event"]) {
            return;
        }
    }
}

/// What the journal says of each run: whether it began, and whether it came to its end.
fn read_journal(journal: &str) -> BTreeMap<String, bool> {
    let (mut runs, mut present) = (BTreeMap::new(), BTreeMap::<String, String>::new());
    for line in journal.lines() {
        let [what, task, run] = line.split(' ').collect::<Vec<_>>()[..] else { panic!("{line:?}") };
        if what == "start" {
            let before = present.insert(task.to_owned(), run.to_owned());
            assert_eq!(before, None, "two of task {task} at once:\n{journal}");
            assert_eq!(runs.insert(run.to_owned(), false), None, "run {run} of task {task} twice:\n{journal}");
        } else {
            assert_eq!(present.remove(task).as_deref(), Some(run), "{journal}");
            runs.insert(run.to_owned(), true);
        }
    }
    runs
}

#[test]
fn killed_while_commands_run_the_daemon_runs_none_twice_and_loses_none() {
    play(|_| {}, |how, is_done| how == if is_done { "exit" } else { "interrupted" });
}

#[test]
fn where_all_is_killed_at_once_none_is_run_twice_and_none_meets_another_of_its_task() {
    // How those ended that had no parent any more nobody can know.
    play(kill_runner, |how, is_done| how == "interrupted" || is_done && how == "exit");
}

/// Kills the process that runs the commands of a home, where it is there.
fn kill_runner(home: &Home) {
    // Where it has ended nobody is meant: numbers come round, so only a lock that is held counts.
    let Ok(lock) = fs::File::open(home.path("data/runner.lock")) else { return };
    if lock.try_lock_shared().is_err() {
        let pid = fs::read_to_string(home.path("data/runner.lock")).unwrap_or_default();
        let _ = Command::new("kill").args(["-9", pid.trim()]).status();
        // Its lock ends with it.
        lock.lock_shared().unwrap();
    }
}

/// Plays the rounds; `kill_more` kills what else is to be killed with the daemon, and `is_told` says whether a run may be told
/// of so.
fn play(kill_more: impl Fn(&Home), is_told: impl Fn(&str, bool) -> bool) {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let mut random = Random(number("KEIKO_KILL_SEED").unwrap_or(1));
    let home = Home::new();
    let _cleared = Cleared(&home);
    let journal = home.path("journal");
    let daemon = keikod(&home);
    let mut connection = home.connect();
    for task in 1..=TASKS {
        let arguments = json!(["sh", "-c", SCRIPT, journal, (task % 10).to_string()]);
        let command = json!({"arguments": arguments, "env": {"PATH": "/usr/bin:/bin"}, "overlap": "queue"});
        connection.call("task.add", json!({"title": format!("task {task}"), "at": "in 2 years", "command": command}));
    }
    let mut asked = Vec::new();
    daemon.kill();
    for _ in 0..number("KEIKO_KILL_ROUNDS").unwrap_or(ROUNDS) {
        let daemon = keikod(&home);
        let mut connection = home.connect();
        let killed_after = random.below(ASKED);
        for turn in 0..ASKED {
            let task = 1 + random.below(TASKS);
            let answer = connection.ask("task.run", json!({"task": task}));
            // One that still runs is not run besides.
            assert!(answer["error"].is_null() || answer["error"]["code"] == 422, "{answer}");
            if let Some(run) = answer["result"]["run"]["id"].as_str() {
                asked.push((task, run.to_owned()));
            }
            if turn == killed_after {
                break;
            }
        }
        daemon.kill();
        kill_more(&home);
    }
    assert!(!asked.is_empty());
    let _daemon = keikod(&home);
    let mut ended = 0;
    follow(&mut home.connect(), 0, |event| {
        ended += usize::from(event["operation"] == "run_ended");
        ended == asked.len()
    });
    let done = read_journal(&fs::read_to_string(&journal).expect("some have run"));
    assert!(done.values().all(|is_done| *is_done), "none was cut short: {done:?}");
    let mut connection = home.connect();
    for (task, run) in &asked {
        let answer = connection.ask("task.output", json!({"task": task, "run": run}));
        // Of each task the latest runs are kept.
        let Some(how) = answer["result"]["run"]["end"]["how"].as_str() else { continue };
        // Where the daemon went between the disk and the order nobody could tell whether it was started: it was not again.
        assert!(is_told(how, done.contains_key(run)), "{answer}");
    }
}

#[test]
fn a_command_outlives_the_daemon_that_started_it() {
    let home = Home::new();
    let _cleared = Cleared(&home);
    let gate = home.path("gate");
    assert!(Command::new("mkfifo").arg(&gate).status().unwrap().success());
    let daemon = keikod(&home);
    let mut connection = home.connect();
    let script = "echo ::progress 40 half; read x < $0; echo said; exit 3";
    let command = json!({"arguments": ["sh", "-c", script, gate], "env": {"PATH": "/usr/bin:/bin"}});
    connection.call("task.add", json!({"title": "long", "at": "in 2 years", "command": command}));
    connection.call("task.run", json!({"task": 1}));
    follow(&mut home.connect(), 0, |event| event["operation"] == "progressed");
    daemon.kill();
    // Stopped in order it goes on too.
    let daemon = keikod(&home);
    daemon.signal(rustix::process::Signal::TERM);
    assert!(daemon.ended().success());
    let _daemon = keikod(&home);
    let mut connection = home.connect();
    fs::write(&gate, "go\n").unwrap();
    follow(&mut home.connect(), 0, |event| event["operation"] == "run_ended");
    let output = connection.call("task.output", json!({"task": 1}));
    assert!(output.to_string().contains("said"), "{output}");
    let events = connection.call("event.list", json!({"since": 0}));
    let ends: Vec<&Value> =
        events["events"].as_array().unwrap().iter().filter(|event| event["operation"] == "run_ended").collect();
    assert_eq!((ends.len(), &ends[0]["values"]["how"], &ends[0]["values"]["code"]), (1, &json!("exit"), &json!(3)));
}

#[test]
fn a_runner_that_was_stopped_is_told_of_in_the_status_and_keeps_no_daemon_from_ending() {
    let home = Home::new();
    let _cleared = Cleared(&home);
    let daemon = keikod(&home);
    let mut connection = home.connect();
    let command = json!({"shell": "sleep 60", "env": {"PATH": "/usr/bin:/bin"}});
    connection.call("task.add", json!({"title": "long", "at": "in 2 years", "command": command}));
    connection.call("task.run", json!({"task": 1}));
    follow(&mut home.connect(), 0, |event| event["operation"] == "run_started");
    assert_eq!(connection.call("daemon.status", json!({}))["runner"], json!(null));
    let pid: i32 = fs::read_to_string(home.path("data/runner.lock")).unwrap().trim().parse().unwrap();
    let process = Pid::from_raw(pid).unwrap();
    stop(process);
    let told = connection.call("daemon.status", json!({}))["runner"].clone();
    assert_eq!(told, json!(format!("the process that runs commands (pid {pid}) does not answer")));
    // What it does not answer is not waited for.
    connection.call("task.cancel", json!({"task": 1}));
    daemon.signal(Signal::TERM);
    assert!(daemon.ended().success());
    kill_process(process, Signal::CONT).unwrap();
    // The next daemon ends what was to end.
    let _daemon = keikod(&home);
    follow(&mut home.connect(), 0, |event| event["operation"] == "run_ended");
    assert_eq!(home.connect().call("daemon.status", json!({}))["runner"], json!(null));
}
