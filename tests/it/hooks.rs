//! Programs that are run when something happens: what they are told and when, and what they cannot do to the daemon.

use std::fs::{self, OpenOptions};
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::mpsc::{Receiver, channel};

use keiko::config::Config;
use keiko::domain::hook::Happening;
use rustix::process::Signal;
use serde_json::{Value, json};

use crate::support::PATIENCE;
use crate::support::daemon::{Connection, Daemon, Home};
use crate::support::measure::instant;

/// A pipe into which hooks write, a line each time.
struct Journal {
    path: PathBuf,
    lines: Receiver<String>,
}

impl Journal {
    fn new(home: &Home) -> Self {
        let path = home.path("journal");
        rustix::fs::mknodat(rustix::fs::CWD, &path, rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
        // Held open for writing as well: so it never ends, and nobody waits to open it.
        let pipe = OpenOptions::new().read(true).write(true).open(&path).unwrap();
        let (told, lines) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(pipe).lines() {
                if told.send(line.unwrap()).is_err() {
                    return;
                }
            }
        });
        Self { path, lines }
    }

    /// Returns a command that writes what it is told.
    fn command(&self) -> Value {
        self.script("cat >> \"$0\"")
    }

    /// Returns a command that is this script; `$0` is the pipe.
    fn script(&self, script: &str) -> Value {
        json!(["sh", "-c", script, self.path.to_str().unwrap()])
    }

    #[track_caller]
    fn line(&self) -> String {
        self.lines.recv_timeout(PATIENCE).expect("a hook writes in time")
    }

    #[track_caller]
    fn told(&self) -> Value {
        serde_json::from_str(&self.line()).expect("JSON")
    }
}

fn add_hook(connection: &mut Connection, name: &str, on: &Value, command: &Value) -> Value {
    connection.call("hook.add", json!({"name": name, "on": on, "command": command}))
}

fn add(connection: &mut Connection, title: &str) -> u64 {
    let added = connection.call("task.add", json!({"title": title}));
    added["task"]["number"].as_u64().expect("a number")
}

fn hook(connection: &mut Connection, name: &str) -> Value {
    let list = connection.call("hook.list", json!({}));
    let hooks = list["hooks"].as_array().expect("a list");
    hooks.iter().find(|hook| hook["name"] == name).cloned().unwrap_or_default()
}

/// Returns the daemon with this configuration.
fn configured(home: &Home, config: &str) -> Command {
    fs::write(home.path("config.toml"), config).unwrap();
    let mut command = home.daemon();
    command.env("KEIKO_CONFIG", home.path("config.toml"));
    command
}

fn quoted(path: &Path) -> String {
    format!("'{}'", path.display())
}

#[test]
fn a_hook_is_told_what_event_list_tells_in_that_order_with_its_name() {
    let home = Home::new();
    let journal = Journal::new(&home);
    let _daemon = home.start();
    let mut connection = home.connect();
    add(&mut connection, "before");
    let added = add_hook(&mut connection, "all", &json!(["all"]), &journal.command());
    assert_eq!((&added["name"], &added["replaced"]), (&json!("all"), &json!(false)));
    let number = add(&mut connection, "交房租 \"rent\"");
    connection.call("task.update", json!({"task": number, "at": "2026-05-13T12:30:00-04:00"}));
    connection.call("clock.advance", json!({"to": "2026-05-13T12:30:00-04:00"}));
    connection.call("task.snooze", json!({"task": number}));
    connection.call("task.done", json!({"task": number}));
    let events = connection.call("event.list", json!({"since": added["cursor"]}));
    let events: Vec<Value> = events["events"].as_array().unwrap().clone();
    let mut words = Vec::new();
    for event in &events {
        // Nobody paused it: what is due is suspended on the way to its snooze.
        if event["operation"] == "suspended" {
            continue;
        }
        let mut told = journal.told();
        let object = told.as_object_mut().unwrap();
        let hook = object.remove("hook").unwrap();
        assert_eq!((&hook["name"], object.remove("schema_version")), (&json!("all"), Some(json!(1))));
        words.push(hook["event"].as_str().unwrap().to_owned());
        assert_eq!(&told, event);
    }
    assert_eq!(words, ["created", "edited", "moved", "armed", "due", "snoozed", "came_up", "completed"]);
}

#[test]
fn a_hook_runs_as_it_says_and_its_environment_names_what_happened() {
    let home = Home::new();
    let journal = Journal::new(&home);
    let mut command = home.daemon();
    command.env("SOME_TOKEN", "hunter2");
    let _daemon = Daemon::start(command);
    let mut connection = home.connect();
    let script =
        "echo \"$KEIKO_HOOK $KEIKO_EVENT $KEIKO_TASK $KEIKO_SEQ $KEIKO_EVENT_ID $(pwd) [$SOME_TOKEN] $1\" >> \"$0\"";
    let mut command = journal.script(script);
    command.as_array_mut().unwrap().push(json!("$(no shell) *"));
    let directory = fs::canonicalize(home.path("data")).unwrap();
    connection.call("hook.add", json!({"name": "x", "on": ["created"], "command": command, "directory": directory}));
    let number = add(&mut connection, "tea");
    let line = journal.line();
    let event = connection.call("event.list", json!({}))["events"][0].take();
    let (seq, id) = (&event["seq"], event["event_id"].as_str().unwrap());
    assert_eq!(line, format!("x created {number} {seq} {id} {} [] $(no shell) *", directory.display()));
}

#[test]
fn a_hook_is_kept_to_tags_tasks_priority_and_what_is_late() {
    let home = Home::new();
    let journal = Journal::new(&home);
    let _daemon = home.start();
    let mut connection = home.connect();
    let command = journal.script("echo \"$KEIKO_HOOK $KEIKO_TASK\" >> \"$0\"");
    for (name, kept_to) in [
        ("tags", json!({"tags": ["+ci", "x"]})),
        ("tasks", json!({"tasks": [2]})),
        ("high", json!({"priority": "high"})),
        ("late", json!({"late": true, "on": ["due"]})),
    ] {
        let mut params = json!({"name": name, "on": ["created"], "command": command});
        params.as_object_mut().unwrap().extend(kept_to.as_object().unwrap().clone());
        connection.call("hook.add", params);
    }
    connection.call("task.add", json!({"title": "a", "tags": ["ci"]}));
    assert_eq!(journal.line(), "tags 1");
    connection.call("task.add", json!({"title": "b"}));
    assert_eq!(journal.line(), "tasks 2");
    connection.call("task.add", json!({"title": "c", "priority": "high", "at": "2026-05-13T12:10:00-04:00"}));
    assert_eq!(journal.line(), "high 3");
    connection.call("task.add", json!({"title": "d", "at": "2026-05-13T14:00:00-04:00"}));
    connection.call("clock.advance", json!({"to": "2026-05-13T13:00:00-04:00", "how": "sleep"}));
    assert_eq!(journal.line(), "late 3");
    // On time: nobody is told of that, and the next line is of something else.
    connection.call("clock.advance", json!({"to": "2026-05-13T14:00:00-04:00"}));
    connection.call("task.add", json!({"title": "e", "tags": ["x"]}));
    assert_eq!(journal.line(), "tags 5");
}

#[test]
fn hooks_are_registered_replaced_listed_and_removed_and_outlive_the_daemon() {
    let home = Home::new();
    let journal = Journal::new(&home);
    let config = "[[hooks]]\nname = 'fixed'\non = 'failed'\ncommand = ['true', 'hunter2']\n";
    let daemon = Daemon::start(configured(&home, config));
    let mut connection = home.connect();
    add_hook(&mut connection, "mine", &json!(["created"]), &json!(["false", "hunter2"]));
    let again = add_hook(&mut connection, "mine", &json!(["created"]), &journal.command());
    assert_eq!(again["replaced"], true);
    let unnamed = json!({"on": ["all"], "command": ["true"], "tags": ["x"], "priority": "low", "timeout_s": 7});
    let name = connection.call("hook.add", unnamed.clone())["name"].as_str().unwrap().to_owned();
    assert_eq!(connection.call("hook.add", unnamed)["name"], name);
    let list = connection.call("hook.list", json!({}));
    assert!(!list.to_string().contains("hunter2"), "{list}");
    let told: Vec<(&Value, &Value)> =
        list["hooks"].as_array().unwrap().iter().map(|hook| (&hook["name"], &hook["origin"])).collect();
    let (rpc, name_told) = (json!("rpc"), json!(name));
    assert_eq!(told, [(&json!("fixed"), &json!("configuration")), (&json!("mine"), &rpc), (&name_told, &rpc)]);
    let told = &list["hooks"][2];
    assert_eq!(
        (&told["on"], &told["tags"], &told["priority"], &told["timeout_s"], &told["program"]),
        (&json!(["all"]), &json!(["x"]), &json!("low"), &json!(7), &json!("true"))
    );
    for (params, kind, text) in [
        (
            json!({"on": ["complete"], "command": ["x"]}),
            "params",
            "there is no event \"complete\"; there are created, ",
        ),
        (json!({"on": [], "command": ["x"]}), "params", "expected the names of events, or \"all\""),
        (json!({"on": ["all"], "command": []}), "params", "expected a command"),
        (json!({"on": ["all"], "command": ["x"], "name": "a b"}), "params", "expected a name of letters"),
        (json!({"on": ["all"], "command": ["x"], "timeout_s": 0}), "params", "expected a timeout"),
        (json!({"on": ["all"], "command": ["x"], "name": "fixed"}), "refused", "it stands in the configuration"),
    ] {
        let error = connection.refused("hook.add", params);
        assert_eq!(error["data"]["kind"], kind, "{error}");
        assert!(error["message"].as_str().unwrap().contains(text), "{error}");
    }
    assert_eq!(connection.refused("hook.remove", json!({"name": "fixed"}))["data"]["kind"], "refused");
    assert_eq!(connection.refused("hook.remove", json!({"name": "none"}))["data"]["kind"], "not_found");
    connection.call("hook.remove", json!({"name": name}));
    drop(connection);
    daemon.kill();
    let _daemon = Daemon::start(configured(&home, config));
    let mut connection = home.connect();
    assert_eq!(hook(&mut connection, "mine")["origin"], "rpc");
    assert_eq!(hook(&mut connection, &name), Value::Null);
    add(&mut connection, "tea");
    assert_eq!(journal.told()["snapshot"]["title"], "tea");
}

#[test]
fn what_a_hook_does_wrong_is_counted_and_told_and_the_task_does_not_know() {
    let home = Home::new();
    let journal = Journal::new(&home);
    let _daemon = home.start();
    let mut connection = home.connect();
    let slow = "exec 9>>\"$0\"; trap '' TERM; (trap '' TERM; while :; do sleep 1; done) & wait; wait";
    connection
        .call("hook.add", json!({"name": "hangs", "on": ["created"], "command": journal.script(slow), "timeout_s": 1}));
    let flood = "yes; echo told >> \"$0\"";
    add_hook(&mut connection, "gone", &json!(["created"]), &json!(["/no/such/program", "hunter2"]));
    add_hook(&mut connection, "fails", &json!(["created"]), &journal.script("echo 'no\u{7} way' >&2; exit 3"));
    add_hook(&mut connection, "deaf", &json!(["created"]), &journal.script("exec <&- >&- 2>&-; sleep 0"));
    let flooding = journal.script(&flood.replace("yes;", "yes | head -c 3000000; echo >&2;"));
    add_hook(&mut connection, "floods", &json!(["created"]), &flooding);
    let number = add(&mut connection, &"交".repeat(200));
    assert_eq!(journal.line(), "told");
    let ended = |connection: &mut Connection, name: &str| {
        let begin = instant();
        loop {
            let told = hook(connection, name);
            if told["runs"] == 1 {
                return told;
            }
            assert!(begin.elapsed() < PATIENCE, "{told}");
            std::thread::yield_now();
        }
    };
    assert_eq!(ended(&mut connection, "fails")["last_error"], "it ended with exit status: 3: no  way");
    let gone = ended(&mut connection, "gone");
    assert_eq!(gone["last_error"], "it cannot be run: No such file or directory (os error 2)");
    assert_eq!((&gone["failures"], &gone["failures_in_a_row"]), (&json!(1), &json!(1)));
    assert_eq!(ended(&mut connection, "floods")["failures"], 0);
    assert_eq!(ended(&mut connection, "deaf")["failures"], 0);
    assert_eq!(ended(&mut connection, "hangs")["last_error"], "it did not end within 1 s");
    let status = connection.call("daemon.status", json!({}));
    assert_eq!(status["hooks"].as_array().unwrap().len(), 5);
    let history = connection.call("task.history", json!({"task": number}));
    assert_eq!(history["events"].as_array().unwrap().len(), 1, "{history}");
    assert_eq!(history["task"]["last_error"], Value::Null);
}

#[test]
fn a_thousand_events_behind_a_slow_hook_do_not_move_the_daemon_and_none_is_lost() {
    const EVENTS: usize = 1000;
    let home = Home::new();
    let journal = Journal::new(&home);
    let gate = home.path("gate");
    rustix::fs::mknodat(rustix::fs::CWD, &gate, rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
    let _daemon = home.start();
    let mut connection = home.connect();
    // The first waits until the gate is opened, and all others behind it.
    let script = format!("[ $KEIKO_TASK -gt 1 ] || read x < {}; echo $KEIKO_TASK >> \"$0\"", quoted(&gate));
    add_hook(&mut connection, "slow", &json!(["created"]), &journal.script(&script));
    let mut slowest = 0;
    for _ in 0..EVENTS {
        let begin = instant();
        add(&mut connection, "tea");
        slowest = slowest.max(begin.elapsed().as_millis());
    }
    let begin = instant();
    let told = loop {
        let told = hook(&mut connection, "slow");
        if told["waiting"] == EVENTS - 1 {
            break told;
        }
        assert!(begin.elapsed() < PATIENCE, "{told}");
    };
    assert_eq!((&told["running"], &told["dropped"], &told["runs"]), (&json!(true), &json!(0), &json!(0)));
    let asked = instant();
    connection.call("daemon.status", json!({}));
    let asked = asked.elapsed().as_millis();
    assert!(slowest < 500 && asked < 500, "an add took up to {slowest} ms, a question {asked} ms");
    fs::write(&gate, "x\n").unwrap();
    for number in 1..=EVENTS {
        assert_eq!(journal.line(), number.to_string());
    }
}

#[test]
fn after_a_kill_a_hook_goes_on_with_what_it_was_being_told() {
    let home = Home::new();
    let journal = Journal::new(&home);
    let daemon = home.start();
    let mut connection = home.connect();
    let script = "echo \"$KEIKO_TASK $KEIKO_EVENT_ID\" >> \"$0\"; [ $KEIKO_TASK != 2 ] || [ -e gone ] || sleep 1000";
    let params =
        json!({"name": "x", "on": ["created"], "command": journal.script(script), "directory": home.path("data")});
    connection.call("hook.add", params);
    for title in ["a", "b", "c"] {
        add(&mut connection, title);
    }
    let first = [journal.line(), journal.line()];
    assert!(first[0].starts_with("1 ") && first[1].starts_with("2 "), "{first:?}");
    // That the first was told is written down before long; until then it may be told again.
    drop(connection);
    daemon.kill();
    fs::write(home.path("data/gone"), "").unwrap();
    let daemon = home.start();
    let mut again = journal.line();
    if again == first[0] {
        again = journal.line();
    }
    assert_eq!(again, first[1], "the same event, by its id");
    assert!(journal.line().starts_with("3 "));
    let mut connection = home.connect();
    add(&mut connection, "d");
    assert!(journal.line().starts_with("4 "));
    // A stop in order leaves nothing to be told again.
    drop(connection);
    daemon.signal(Signal::TERM);
    assert!(daemon.ended().success());
    let _daemon = home.start();
    add(&mut home.connect(), "e");
    assert!(journal.line().starts_with("5 "));
}

#[test]
fn a_reload_swaps_the_hooks_and_a_wrong_file_swaps_nothing() {
    let home = Home::new();
    let journal = Journal::new(&home);
    let table = |name: &str, on: &str| {
        let script = "echo $KEIKO_HOOK $KEIKO_EVENT >> \"$0\"";
        let path = quoted(&journal.path);
        format!("[[hooks]]\nname = '{name}'\non = ['{on}']\ncommand = ['sh', '-c', '{script}', {path}]\n")
    };
    let _daemon = Daemon::start(configured(&home, &table("one", "created")));
    let mut connection = home.connect();
    add(&mut connection, "tea");
    assert_eq!(journal.line(), "one created");
    fs::write(home.path("config.toml"), table("one", "complete")).unwrap();
    let error = connection.refused("daemon.reload", json!({}));
    let text =
        "config.toml:3:7: cannot use hooks[0].on = 'complete': expected names of events, did you mean \"completed\"?";
    assert!(error["message"].as_str().unwrap().contains(text), "{error}");
    fs::write(home.path("config.toml"), format!("{}{}", table("two", "created"), table("one", "completed"))).unwrap();
    connection.call("daemon.reload", json!({}));
    let number = add(&mut connection, "tea");
    assert_eq!(journal.line(), "two created");
    connection.call("task.done", json!({"task": number}));
    assert_eq!(journal.line(), "one completed");
    fs::write(home.path("config.toml"), "").unwrap();
    connection.call("daemon.reload", json!({}));
    assert_eq!(connection.call("hook.list", json!({}))["hooks"], json!([]));
}

#[test]
fn a_hook_that_makes_what_it_is_told_of_goes_in_a_circle_that_ends_with_it() {
    let home = Home::new();
    let journal = Journal::new(&home);
    let _daemon = home.start();
    let mut connection = home.connect();
    let keiko = env!("CARGO_BIN_EXE_keiko");
    let script = format!("'{keiko}' add again > /dev/null 2>&1; echo $KEIKO_TASK >> \"$0\"");
    add_hook(&mut connection, "circle", &json!(["created"]), &journal.script(&script));
    add(&mut connection, "tea");
    for number in 1..=10 {
        assert_eq!(journal.line(), number.to_string(), "one after another, and no faster");
    }
    let removed = connection.call("hook.remove", json!({"name": "circle"}));
    assert_eq!(removed["hook"]["dropped"], 0);
    // One that has begun goes on to its end, and would start a daemon of its own where this one is gone before.
    if removed["hook"]["running"] == true {
        assert_eq!(journal.line(), "11");
    }
}

#[test]
fn every_event_is_in_the_readme_and_its_example_is_taken() {
    let readme = include_str!("../../README.md");
    let (_, section) = readme.split_once("## Hooks and pings\n").expect("there is one");
    let (section, _) = section.split_once("\n## ").expect("it is not the last");
    for happening in Happening::ALL {
        assert!(section.contains(&format!("`{happening}`")), "{happening} is not told of");
    }
    let (_, block) = section.split_once("```toml\n").expect("there is a block");
    let (block, _) = block.split_once("```").expect("a block ends");
    let (config, warnings) = Config::parse(Path::new("config.toml"), block).expect("it can be read");
    assert_eq!((config.hooks.len(), warnings), (1, Vec::new()));
}
