//! `task.wait` on the wire: what is answered when, how many may wait, and that nothing is missed.

use std::os::unix::net::UnixStream;
use std::sync::Barrier;

use serde_json::{Value, json};

use crate::support::daemon::{Connection, Home};

/// As many as one connection may have.
const CONNECTION_WAITS_MAX: usize = 1000;

/// As many as there may be.
const WAITS_MAX: usize = 4096;

/// As many connections as may wait.
const WAITING_MAX: usize = 256;

/// Sends a call that is answered later, and returns its number.
fn begin(connection: &mut Connection, id: usize, params: &Value) {
    connection.send(json!({"jsonrpc": "2.0", "id": id, "method": "task.wait", "params": params}).to_string() + "\n");
}

/// Makes sure that all that was sent before is taken.
fn settle(connection: &mut Connection) {
    connection.send(json!({"jsonrpc": "2.0", "id": "settled", "method": "daemon.hello"}).to_string() + "\n");
    let answer = connection.receive();
    assert_eq!(answer["id"], "settled", "{answer}");
}

fn add(connection: &mut Connection, at: &str) -> u64 {
    connection.call("task.add", json!({"title": "tea", "at": at}))["task"]["number"].as_u64().expect("a number")
}

fn advance(connection: &mut Connection, to: &str) {
    connection.call("clock.advance", json!({"to": to}));
}

#[test]
fn a_wait_is_answered_when_it_happens_and_other_calls_meanwhile() {
    let home = Home::new();
    let _daemon = home.start();
    let (mut waiting, mut other) = (home.connect(), home.connect());
    add(&mut other, "in 10m");
    begin(&mut waiting, 7, &json!({"task": 1}));
    begin(&mut waiting, 8, &json!({"task": 1, "for": "done"}));
    settle(&mut waiting);
    advance(&mut other, "2026-05-13T12:10:00-04:00");
    let fired = waiting.receive();
    assert_eq!((&fired["id"], &fired["result"]["result"]), (&json!(7), &json!("fired")), "{fired}");
    assert_eq!(fired["result"]["task"]["state"], "RUNNING");
    assert_eq!(fired["result"]["occurrence"], json!({"key": "once", "generation": 1}));
    settle(&mut waiting);
    other.call("task.done", json!({"task": 1}));
    let done = waiting.receive();
    assert_eq!((&done["id"], &done["result"]["result"]), (&json!(8), &json!("done")), "{done}");
    assert_eq!((&done["result"]["task"]["state"], &done["result"]["how"]), (&json!("COMPLETED"), &Value::Null));
}

#[test]
fn what_has_happened_already_is_answered_at_once() {
    let home = Home::new();
    let _daemon = home.start();
    let mut connection = home.connect();
    for _ in 0..3 {
        add(&mut connection, "in 10m");
    }
    connection.call("task.cancel", json!({"task": 2}));
    connection.call("task.done", json!({"task": 3, "early": true}));
    advance(&mut connection, "2026-05-13T12:10:00-04:00");
    let mut waited = |params: Value| {
        let result = connection.call("task.wait", params);
        (result["result"].clone(), result["how"].clone())
    };
    assert_eq!(waited(json!({"task": 1})), (json!("fired"), Value::Null));
    assert_eq!(waited(json!({"task": 2})), (json!("ended"), json!("cancelled")));
    assert_eq!(waited(json!({"task": 2, "for": "done"})), (json!("ended"), json!("cancelled")));
    assert_eq!(waited(json!({"task": 3})), (json!("ended"), json!("done")), "it was done before it rang");
    assert_eq!(waited(json!({"task": 3, "for": "done"})), (json!("done"), Value::Null));
    assert_eq!(waited(json!({"task": 1, "for": "done", "timeout_ms": 0})), (json!("timed_out"), Value::Null));
    assert_eq!(connection.refused("task.wait", json!({"task": 9}))["code"], 404);
    assert_eq!(connection.refused("task.wait", json!({"task": 1, "for": "ever"}))["code"], -32602);
    let other = connection.refused("task.wait", json!({"task": 1, "occurrence": "2026-05-13~1"}));
    assert_eq!(other["code"], 409, "{other}");
    connection.call("task.delete", json!({"task": 1}));
    assert_eq!(connection.refused("task.wait", json!({"task": 1}))["code"], 410);
}

#[test]
fn the_occurrence_of_a_series_that_has_passed_is_known() {
    let home = Home::new();
    let _daemon = home.start();
    let mut connection = home.connect();
    connection.call("task.add", json!({"title": "standup", "every": "day at 13:00"}));
    let first = connection.call("task.get", json!({"task": 1}))["task"]["occurrence"]["key"].clone();
    let first = format!("{}~1", first.as_str().expect("a key"));
    advance(&mut connection, "2026-05-13T13:00:00-04:00");
    connection.call("task.done", json!({"task": 1}));
    let mut waited = |wanted: &str| {
        let answer =
            connection.call("task.wait", json!({"task": 1, "for": wanted, "occurrence": first, "timeout_ms": 0}));
        (answer["result"].clone(), answer["occurrence"]["key"].clone(), answer["task"]["occurrence"]["key"].clone())
    };
    let key = json!("2026-05-13");
    assert_eq!(waited("fired"), (json!("fired"), key.clone(), key.clone()), "told as it then was");
    assert_eq!(waited("done"), (json!("done"), key.clone(), key));
    let open = connection.call("task.wait", json!({"task": 1, "timeout_ms": 0}));
    assert_eq!((&open["result"], &open["occurrence"]["key"]), (&json!("timed_out"), &json!("2026-05-14")));
}

#[test]
fn a_time_limit_is_by_the_daemons_clock_and_what_happens_at_its_end_has_happened() {
    let home = Home::new();
    let _daemon = home.start();
    let (mut waiting, mut other) = (home.connect(), home.connect());
    add(&mut other, "in 10m");
    add(&mut other, "in 3h");
    begin(&mut waiting, 1, &json!({"task": 1, "timeout_ms": 600_000}));
    begin(&mut waiting, 2, &json!({"task": 2, "timeout_ms": 3_600_000}));
    settle(&mut waiting);
    advance(&mut other, "2026-05-13T12:10:00-04:00");
    assert_eq!(waiting.receive()["result"]["result"], "fired", "not a moment too late");
    // A clock that is set makes it no longer and no shorter.
    other.call("clock.advance", json!({"to": "2026-05-13T13:10:00-04:00", "how": "set"}));
    settle(&mut waiting);
    advance(&mut other, "2026-05-13T13:59:59-04:00");
    settle(&mut waiting);
    advance(&mut other, "2026-05-13T14:00:00-04:00");
    let over = waiting.receive();
    assert_eq!((&over["id"], &over["result"]["result"]), (&json!(2), &json!("timed_out")), "{over}");
    assert_eq!(over["result"]["task"]["state"], "PENDING");
}

#[test]
fn a_batch_does_not_wait() {
    let home = Home::new();
    let _daemon = home.start();
    let mut connection = home.connect();
    add(&mut connection, "in 10m");
    let wait = json!({"jsonrpc": "2.0", "id": 1, "method": "task.wait", "params": {"task": 1}});
    let answers = connection.exchange(&json!([wait]).to_string());
    assert_eq!(answers[0]["error"]["code"], -32600, "{answers}");
    let mut notification = wait;
    notification.as_object_mut().expect("an object").remove("id");
    connection.send(notification.to_string() + "\n");
    advance(&mut connection, "2026-05-13T12:10:00-04:00");
    settle(&mut connection);
}

#[test]
fn a_thousand_waits_end_together_and_one_more_is_refused() {
    let home = Home::new();
    let _daemon = home.start();
    let (mut waiting, mut other) = (home.connect(), home.connect());
    add(&mut other, "in 10m");
    for id in 0..CONNECTION_WAITS_MAX {
        begin(&mut waiting, id, &json!({"task": 1}));
    }
    settle(&mut waiting);
    let refused = waiting.refused("task.wait", json!({"task": 1}));
    assert_eq!(refused["code"], 429, "{refused}");
    assert_eq!(refused["message"], "cannot wait: this connection waits for 1000 already");
    // With another's they are more than one commit wakes up at once, and nobody reads yet.
    advance(&mut other, "2026-05-13T12:10:00-04:00");
    let mut ids: Vec<u64> = (0..CONNECTION_WAITS_MAX)
        .map(|_| {
            let answer = waiting.receive();
            assert_eq!(answer["result"]["result"], "fired", "{answer}");
            answer["id"].as_u64().expect("a number")
        })
        .collect();
    ids.sort_unstable();
    assert_eq!(ids, (0..CONNECTION_WAITS_MAX as u64).collect::<Vec<_>>(), "each once");
    settle(&mut waiting);
}

#[test]
fn there_is_a_limit_for_all_and_who_goes_makes_room() {
    let home = Home::new();
    let _daemon = home.start();
    let mut other = home.connect();
    add(&mut other, "in 10m");
    let mut connections: Vec<Connection> = (0..5).map(|_| home.connect()).collect();
    for id in 0..WAITS_MAX {
        let connection = &mut connections[id / CONNECTION_WAITS_MAX];
        begin(connection, id, &json!({"task": 1}));
        if id % 100 == 99 {
            settle(connection);
        }
    }
    connections.iter_mut().for_each(settle);
    let refused = other.refused("task.wait", json!({"task": 1}));
    assert_eq!((&refused["code"], &refused["data"]["kind"]), (&json!(429), &json!("limit")), "{refused}");
    drop(connections);
    // Until the daemon has seen that they are gone.
    while other.ask("task.wait", json!({"task": 1, "timeout_ms": 0}))["error"]["code"] == 429 {}
}

#[test]
fn half_of_all_places_is_left_to_those_who_ask() {
    let home = Home::new();
    let _daemon = home.start();
    let mut other = home.connect();
    add(&mut other, "in 10m");
    let mut waiting: Vec<Connection> = (0..WAITING_MAX).map(|_| home.connect()).collect();
    for connection in &mut waiting {
        begin(connection, 1, &json!({"task": 1}));
        settle(connection);
    }
    let refused = other.refused("task.wait", json!({"task": 1}));
    assert_eq!(
        (&refused["code"], &refused["message"]),
        (&json!(429), &json!("cannot wait: 256 connections wait already"))
    );
    // Many who come and stay push out each other, and none of those who wait.
    let idle: Vec<UnixStream> =
        (0..300).map(|_| UnixStream::connect(home.socket()).expect("somebody listens")).collect();
    let mut latest = home.connect();
    drop(idle);
    advance(&mut latest, "2026-05-13T12:10:00-04:00");
    for connection in &mut waiting {
        assert_eq!(connection.receive()["result"]["result"], "fired");
    }
}

#[test]
fn a_daemon_that_stops_says_so_to_whoever_waits() {
    let home = Home::new();
    let daemon = home.start();
    let mut waiting = home.connect();
    add(&mut waiting, "in 10m");
    begin(&mut waiting, 1, &json!({"task": 1}));
    begin(&mut waiting, 2, &json!({"task": 1, "for": "done"}));
    settle(&mut waiting);
    home.connect().call("daemon.stop", json!({}));
    let mut ids = Vec::new();
    for _ in 0..2 {
        let told = waiting.receive();
        assert_eq!(told["error"]["message"], "cannot go on waiting: the daemon is about to stop", "{told}");
        assert_eq!((&told["error"]["code"], &told["error"]["data"]["kind"]), (&json!(-32000), &json!("stopping")));
        ids.push(told["id"].clone());
    }
    assert_eq!(ids, [json!(1), json!(2)]);
    assert_eq!(waiting.receive(), Value::Null);
    assert!(daemon.ended().success());
}

#[test]
fn nothing_falls_between_the_look_and_the_wait() {
    const ROUNDS: u64 = 100;
    let home = Home::new();
    let _daemon = home.start();
    let (mut waiting, mut doing) = (home.connect(), home.connect());
    let barrier = Barrier::new(2);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for number in 1..=ROUNDS {
                add(&mut doing, "in 10m");
                barrier.wait();
                doing.call("task.done", json!({"task": number, "early": true}));
            }
        });
        for number in 1..=ROUNDS {
            barrier.wait();
            // The answer does not come where the change is seen neither before nor behind.
            let answer = waiting.call("task.wait", json!({"task": number, "for": "done"}));
            assert_eq!(answer["result"], "done", "{answer}");
        }
    });
}
