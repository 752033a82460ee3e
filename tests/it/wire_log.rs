//! What the daemon writes down: one line a change, with the names by which the history tells it, wherever it goes.

#![cfg(target_os = "linux")]

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::os::unix::fs::MetadataExt as _;
use std::os::unix::net::UnixDatagram;
use std::process::Command;

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::support::PATIENCE;
use crate::support::daemon::{Daemon, Home, NOON};

#[test]
fn each_change_is_a_line_with_its_names_and_each_outcome_of_a_delivery_one_with_its_own() {
    let home = Home::new();
    let log = home.path("log");
    let mut command = home.daemon();
    command.args(["--foreground", "--log-format", "json"]).stderr(File::create(&log).expect("it is ours"));
    let daemon = Daemon::start(command);
    let mut connection = home.connect();
    connection.call("task.add", json!({"title": "secret title", "at": "today 3pm", "channels": ["desktop"]}));
    connection.call("clock.advance", json!({"to": "2026-05-13T15:00:00-04:00"}));
    let events = connection.call("event.list", json!({}))["events"].take();
    let deliveries = connection.call("delivery.list", json!({}))["deliveries"].take();
    daemon.signal(Signal::TERM);
    assert!(daemon.ended().success());

    let text = fs::read_to_string(&log).expect("a log");
    assert!(!text.contains("secret title"), "{text}");
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).expect("one object a line")).collect();
    let told: Vec<_> = lines.iter().filter(|line| line["event_id"].is_string()).collect();
    let events = events.as_array().expect("an array");
    assert_eq!(told.len(), events.len());
    for (line, event) in told.into_iter().zip(events) {
        for (name, field) in [("op_id", "op_id"), ("event_id", "event_id"), ("event", "operation")] {
            assert_eq!(line[name], event[field], "{line}");
        }
        assert_eq!(line["task"], "1");
    }
    // Nobody has a desktop here, so its delivery waits.
    let outcome = lines.iter().find(|line| line["delivery"] == "waiting").expect("a line of the delivery");
    assert_eq!((&outcome["fire_id"], &outcome["channel"]), (&deliveries[0]["fire_id"], &json!("desktop")));
    assert!(outcome["delivery_id"].is_string() && outcome["task"] == "1", "{outcome}");
}

#[test]
fn started_by_systemd_it_logs_to_the_journal_with_every_field() {
    // The journal's socket has one place, so it is put there for this daemon alone.
    const IN_A_NAMESPACE: &str = "mount -t tmpfs none /run && mkdir -p /run/systemd/journal &&
        mount --bind \"$1\" /run/systemd/journal && exec \"$2\" --foreground --clock \"$3\"";
    let can_mount = Command::new("unshare").args(["-m", "mount", "-t", "tmpfs", "none", "/run"]).output();
    if !can_mount.is_ok_and(|output| output.status.success()) {
        return eprintln!("left out: a journal of one's own needs root and a mount namespace");
    }
    let home = Home::new();
    let journal_dir = home.path("journal");
    fs::create_dir(&journal_dir).expect("it is free");
    let journal = UnixDatagram::bind(journal_dir.join("socket")).expect("it is free");
    journal.set_read_timeout(Some(PATIENCE)).expect("a socket takes a limit");
    let stderr = File::create(home.path("stderr")).expect("it is ours");
    let found = stderr.metadata().expect("it is open");
    let mut command = home.command("unshare");
    command
        .args(["-m", "sh", "-c", IN_A_NAMESPACE, "sh"])
        .arg(&journal_dir)
        .args([env!("CARGO_BIN_EXE_keikod"), NOON])
        .env("JOURNAL_STREAM", format!("{}:{}", found.dev(), found.ino()))
        .stderr(stderr);
    let _daemon = Daemon::start(command);
    let op_id = home.connect().call("task.add", json!({"title": "tea"}))["op_id"].take();
    let mut bytes = vec![0; 64 * 1024];
    let entry = loop {
        let count = loop {
            match journal.recv(&mut bytes) {
                // A signal to the test's process ends a call that has a limit (signal(7)).
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                heard => break heard.expect("the daemon logs"),
            }
        };
        let entry = fields(&bytes[..count]);
        if entry.get("KEIKO_OP_ID").map(String::as_str) == op_id.as_str() {
            break entry;
        }
    };
    let expected = [("PRIORITY", "5"), ("KEIKO_TASK", "1"), ("KEIKO_EVENT", "added"), ("SYSLOG_IDENTIFIER", "keikod")];
    for (name, value) in expected {
        assert_eq!(entry.get(name).map(String::as_str), Some(value), "{name} of {entry:?}");
    }
    assert!(entry.contains_key("KEIKO_EVENT_ID"), "{entry:?}");
    assert_eq!(fs::read_to_string(home.path("stderr")).expect("a file"), "", "nothing is told twice");
}

/// Reads an entry of the journal's own protocol: `NAME=value` lines, or a name, a length of eight bytes and a value.
fn fields(mut entry: &[u8]) -> BTreeMap<String, String> {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("we write text");
    let mut fields = BTreeMap::new();
    while let Some(end) = entry.iter().position(|byte| *byte == b'\n') {
        let (line, rest) = (&entry[..end], &entry[end + 1..]);
        if let Some(equals) = line.iter().position(|byte| *byte == b'=') {
            fields.insert(text(&line[..equals]), text(&line[equals + 1..]));
            entry = rest;
        } else {
            let (length, rest) = rest.split_first_chunk::<8>().expect("a length");
            let length = usize::try_from(u64::from_le_bytes(*length)).expect("short");
            fields.insert(text(line), text(&rest[..length]));
            // Behind the value stands a newline of its own.
            entry = &rest[length + 1..];
        }
    }
    fields
}
