//! Events told as they happen, and answers that come page by page: nothing missing, nothing twice, nothing without bound.

use std::io::{BufRead as _, BufReader};
use std::process::Stdio;

use serde_json::{Value, json};

use crate::support::Killed;
use crate::support::daemon::{Connection, Daemon, Home};

/// Notes as long as they may be: a handful of such tasks is more than a socket holds.
fn long_notes() -> String {
    "x".repeat(64 * 1024)
}

fn subscribe(connection: &mut Connection, since: &Value) -> u64 {
    let began = connection.call("event.subscribe", json!({"since": since}));
    began["subscription"].as_u64().expect("a number")
}

#[track_caller]
fn pushed(connection: &mut Connection, subscription: u64) -> Value {
    let mut told = connection.receive();
    assert_eq!((&told["method"], told.get("id")), (&json!("event"), None), "{told}");
    assert_eq!(told["params"]["subscription"], subscription);
    assert_eq!(told["params"]["cursor"], told["params"]["event"]["seq"]);
    told["params"]["event"].take()
}

#[test]
fn a_subscriber_is_told_each_event_once_from_its_cursor_on() {
    const WRITERS: usize = 4;
    const EACH: usize = 20;
    let home = Home::new();
    let _daemon = home.start();
    let mut before = home.connect();
    for _ in 0..5 {
        before.call("task.add", json!({"title": "tea"}));
    }
    std::thread::scope(|scope| {
        for _ in 0..WRITERS {
            scope.spawn(|| {
                let mut connection = home.connect();
                for _ in 0..EACH {
                    connection.call("task.add", json!({"title": "tea"}));
                }
            });
        }
        let mut connection = home.connect();
        let subscription = subscribe(&mut connection, &json!(2));
        let last = before.call("event.list", json!({}))["cursor"].as_u64().expect("a number");
        assert!(last >= 5);
        for seq in 3..=(5 + WRITERS * EACH) {
            let event = pushed(&mut connection, subscription);
            assert_eq!(event["seq"], seq, "no gap and no repeat");
            assert_eq!(event["snapshot"]["title"], "tea");
        }
    });
}

#[test]
fn a_subscription_begins_now_unless_told_otherwise_and_ends_when_asked() {
    let home = Home::new();
    let _daemon = home.start();
    let (mut writer, mut connection) = (home.connect(), home.connect());
    writer.call("task.add", json!({"title": "before"}));
    let subscription = subscribe(&mut connection, &Value::Null);
    assert_eq!(connection.refused("event.subscribe", json!({}))["code"], 429, "one a connection");
    writer.call("task.add", json!({"title": "after"}));
    let event = pushed(&mut connection, subscription);
    assert_eq!(event["snapshot"]["title"], "after");
    assert_eq!(connection.call("task.list", json!({}))["tasks"].as_array().map(Vec::len), Some(2), "it still asks");
    assert_eq!(connection.refused("event.unsubscribe", json!({"subscription": 9}))["code"], 404);
    let ended = connection.call("event.unsubscribe", json!({"subscription": subscription}));
    assert_eq!(ended["cursor"], event["seq"]);
    writer.call("task.add", json!({"title": "unheard"}));
    let again = subscribe(&mut connection, &ended["cursor"]);
    assert_ne!(again, subscription);
    assert_eq!(pushed(&mut connection, again)["snapshot"]["title"], "unheard");
}

#[test]
fn a_cursor_of_the_future_is_refused() {
    let home = Home::new();
    let _daemon = home.start();
    let error = home.connect().refused("event.subscribe", json!({"since": 7}));
    assert_eq!((&error["code"], &error["data"]["kind"]), (&json!(410), &json!("gone")));
    assert_eq!(error["message"], "cannot go on from cursor 7: the last event is 0");
    // Who polls would wait behind it just the same, and miss what happens up to there.
    assert_eq!(home.connect().refused("event.list", json!({"since": 7})), error);
    assert_eq!(home.connect().call("event.list", json!({"since": 0}))["cursor"], 0);
}

#[test]
fn a_subscriber_that_does_not_read_is_cut_off_with_words_and_slows_nobody() {
    const TASKS: usize = 20;
    let home = Home::new();
    let mut command = home.daemon();
    command.arg("--foreground");
    let mut daemon = Daemon::start(command);
    let mut log = daemon.log();
    let (mut writer, mut slow) = (home.connect(), home.connect());
    let subscription = subscribe(&mut slow, &json!(0));
    for _ in 0..TASKS {
        writer.call("task.add", json!({"title": "tea", "notes": long_notes()}));
    }
    // The daemon says so when it has given up; until then nobody reads.
    let mut line = String::new();
    while !line.contains("a subscriber is cut off") {
        line.clear();
        assert_ne!(log.read_line(&mut line).expect("a pipe can be read"), 0, "the daemon ended");
    }
    assert_eq!(writer.call("task.list", json!({"limit": 1}))["tasks"][0]["number"], 1, "others are served");
    let mut cursor = 0;
    let words = loop {
        let told = slow.receive();
        if told["method"] != "event" {
            break told;
        }
        assert_eq!(told["params"]["subscription"], subscription);
        assert_eq!(told["params"]["cursor"], cursor + 1);
        cursor += 1;
    };
    assert_eq!(words["error"]["code"], 429, "{words}");
    assert_eq!(words["error"]["data"]["hint"], format!("connect anew and subscribe since {cursor}"));
    assert_eq!(slow.receive(), Value::Null);
    assert!(cursor < TASKS as u64);
    let mut again = home.connect();
    let subscription = subscribe(&mut again, &json!(cursor));
    assert_eq!(pushed(&mut again, subscription)["seq"], cursor + 1);
}

#[test]
fn long_answers_come_in_pages_that_miss_nothing() {
    const TASKS: u64 = 40;
    let home = Home::new();
    let _daemon = home.start();
    let mut connection = home.connect();
    for _ in 0..TASKS {
        connection.call("task.add", json!({"title": "tea", "notes": long_notes()}));
    }
    let (mut since, mut pages, mut seqs) = (json!(0), 0, Vec::new());
    loop {
        let page = connection.call("event.list", json!({"since": since, "limit": 10_000}));
        assert!(page.to_string().len() < 1_100_000, "a page is a megabyte at most");
        let events = page["events"].as_array().expect("an array");
        seqs.extend(events.iter().map(|event| event["seq"].as_u64().expect("a number")));
        (since, pages) = (page["cursor"].clone(), pages + 1);
        if page["more"] == false {
            break;
        }
    }
    assert_eq!((seqs, pages), ((1..=TASKS).collect(), 3));

    let (mut after, mut numbers) = (Value::Null, Vec::new());
    loop {
        let page = connection.call("task.list", json!({"after": after}));
        assert!(page.to_string().len() < 1_100_000, "a page is a megabyte at most");
        let tasks = page["tasks"].as_array().expect("an array");
        numbers.extend(tasks.iter().map(|task| task["number"].as_u64().expect("a number")));
        after = page["next"].clone();
        if after.is_null() {
            break;
        }
    }
    assert_eq!(numbers, (1..=TASKS).collect::<Vec<_>>());
    let mut list = home.command(env!("CARGO_BIN_EXE_keiko"));
    let told = list.args(["list", "--json"]).output().expect("keiko runs");
    let told: Value = serde_json::from_slice(&told.stdout).expect("JSON");
    assert_eq!(told["tasks"].as_array().map(Vec::len), Some(40), "people and scripts see one list");
}

#[test]
fn a_long_history_comes_in_pages() {
    let home = Home::new();
    let _daemon = home.start();
    let mut connection = home.connect();
    connection.call("task.add", json!({"title": "tea", "notes": long_notes()}));
    for count in 1..=30 {
        connection.call("task.update", json!({"task": 1, "title": format!("tea {count}")}));
    }
    let first = connection.call("task.history", json!({"task": 1, "full": true}));
    assert!(first["next"].is_u64() && first["events"].as_array().map(Vec::len) < Some(20), "{}", first["next"]);
    let mut history = home.command(env!("CARGO_BIN_EXE_keiko"));
    let told = history.args(["history", "1", "--json", "--full"]).output().expect("keiko runs");
    let told: Value = serde_json::from_slice(&told.stdout).expect("JSON");
    assert_eq!((told["events"].as_array().map(Vec::len), &told["next"]), (Some(31), &Value::Null));
}

#[test]
fn many_callers_that_do_not_read_hold_a_page_each() {
    const CALLERS: usize = 60;
    let home = Home::new();
    let daemon = home.start();
    let mut connection = home.connect();
    for _ in 0..300 {
        connection.call("task.add", json!({"title": "tea", "notes": long_notes()}));
    }
    let ask =
        json!({"jsonrpc": "2.0", "id": 1, "method": "event.list", "params": {"limit": 10_000}}).to_string() + "\n";
    let mut callers: Vec<Connection> = (0..CALLERS).map(|_| home.connect()).collect();
    for caller in &mut callers {
        caller.send(&ask);
    }
    // Some bytes of each answer show that it was made.
    callers.iter_mut().for_each(Connection::peek);
    let status = std::fs::read_to_string(format!("/proc/{}/status", daemon.pid())).expect("it runs");
    let resident = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("Linux tells it");
    let kib: u64 = resident.trim().trim_end_matches(" kB").trim().parse().expect("a number");
    println!("{CALLERS} callers that do not read: at most {} MiB resident", kib / 1024);
    assert!(kib < 400 * 1024, "{kib} KiB");
}

#[test]
fn the_command_follows_what_happens() {
    let home = Home::new();
    let _daemon = home.start();
    let mut connection = home.connect();
    connection.call("task.add", json!({"title": "before"}));
    let mut command = home.command(env!("CARGO_BIN_EXE_keiko"));
    let mut follower =
        Killed(command.args(["events", "--follow", "--json"]).stdout(Stdio::piped()).spawn().expect("keiko runs"));
    let mut lines = BufReader::new(follower.0.stdout.take().expect("it was asked for")).lines();
    let mut title = || {
        let line = lines.next().expect("it goes on").expect("text");
        serde_json::from_str::<Value>(&line).expect("JSON a line")["snapshot"]["title"].take()
    };
    assert_eq!(title(), "before");
    connection.call("task.add", json!({"title": "after"}));
    assert_eq!(title(), "after");
}
