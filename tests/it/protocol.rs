//! The wire as others see it: raw bytes to a real daemon, and what comes back.

use std::collections::BTreeSet;
use std::sync::Barrier;

use serde_json::{Value, json};

use crate::support::daemon::{Connection, Home};

/// The fields of a task in SPEC 2; a program may count on each of them.
const TASK_FIELDS: &str = "number id key title notes link state stage version created_at updated_at due_at scheduled_at \
    started_at ended_at snoozed_until paused_until remaining_ms schedule occurrence next deadline_at alerts waits_for \
    blocked_by channels command timeout_s auto_done nag_ms nag_max deadline_alerts missed max_late_s attempts max_retries priority tags metadata \
    late outcome last_error device delay_ms on_parent_fail follows followed_by progress";

fn hello(id: u64) -> String {
    format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"daemon.hello\"}}\n")
}

#[track_caller]
fn check_code(answer: &Value, code: i64, id: &Value) {
    assert_eq!((&answer["error"]["code"], &answer["id"]), (&json!(code), id), "{answer}");
    assert_eq!(answer["jsonrpc"], "2.0");
    assert!(answer.get("result").is_none(), "an answer has a result or an error: {answer}");
    assert!(answer["error"]["data"]["kind"].is_string(), "{answer}");
}

#[test]
fn what_is_no_request_is_answered_with_the_codes_of_the_specification() {
    let home = Home::new();
    let _daemon = home.start();
    let mut connection = home.connect();
    let null = Value::Null;
    for (line, code, id) in [
        (r#"{"jsonrpc": "2.0", "method": "foobar, "params": "bar", "baz]"#, -32700, null.clone()),
        (r#"{"jsonrpc": "2.0", "method": 1, "params": "bar"}"#, -32600, null.clone()),
        (r#"{"jsonrpc": "2.0", "method": "foobar", "id": "1"}"#, -32601, json!("1")),
        (r#"{"jsonrpc": "2.0", "method": "task.get", "id": 2}"#, -32602, json!(2)),
        (r#"{"jsonrpc": "2.0", "method": "task.get", "params": {"task": {}}, "id": 3}"#, -32602, json!(3)),
        (r#"{"jsonrpc": "1.0", "method": "daemon.hello", "id": 4}"#, -32600, json!(4)),
        ("[]", -32600, null.clone()),
        ("7", -32600, null.clone()),
        ("\u{0}", -32700, null),
    ] {
        check_code(&connection.exchange(line), code, &id);
    }
    assert_eq!(connection.exchange(hello(5).trim_end())["result"]["protocol"], 1, "the connection still serves");
}

#[test]
fn a_batch_is_answered_by_one_array_without_its_notifications() {
    let home = Home::new();
    let _daemon = home.start();
    let mut connection = home.connect();
    let answers = connection.exchange(
        r#"[{"jsonrpc":"2.0","id":"1","method":"daemon.hello"},{"jsonrpc":"2.0","method":"task.add","params":{"title":"tea"}},{"foo":"boo"},1,{"jsonrpc":"2.0","id":"5","method":"foo.get"},{"jsonrpc":"2.0","id":"9","method":"task.list"}]"#,
    );
    let answers = answers.as_array().expect("an array");
    assert_eq!(answers.len(), 5, "{answers:?}");
    assert_eq!((&answers[0]["id"], &answers[0]["result"]["version"]), (&json!("1"), &json!("0.1.0")));
    check_code(&answers[1], -32600, &Value::Null);
    check_code(&answers[2], -32600, &Value::Null);
    check_code(&answers[3], -32601, &json!("5"));
    assert_eq!(answers[4]["result"]["tasks"][0]["title"], "tea", "the notification was done, before what follows it");
}

#[test]
fn nobody_answers_notifications_alone() {
    let home = Home::new();
    let _daemon = home.start();
    let mut connection = home.connect();
    connection.send("{\"jsonrpc\":\"2.0\",\"method\":\"task.add\",\"params\":{\"title\":\"one\"}}\n");
    connection.send("{\"jsonrpc\":\"2.0\",\"method\":\"no.such\"}\n");
    connection.send("[{\"jsonrpc\":\"2.0\",\"method\":\"task.add\",\"params\":{\"title\":\"two\"}}]\n");
    let tasks = connection.call("task.list", json!({}));
    assert_eq!(tasks["tasks"].as_array().map(Vec::len), Some(2), "the first answer is that of the call: {tasks}");
}

#[test]
fn frames_arrive_in_pieces_and_in_heaps() {
    let home = Home::new();
    let _daemon = home.start();
    let mut connection = home.connect();
    for byte in hello(1).bytes() {
        connection.send([byte]);
    }
    assert_eq!(connection.receive()["id"], 1);
    let heap: String = (2..200).map(hello).collect();
    connection.send(format!("\n\r\n{heap}"));
    for id in 2..200 {
        assert_eq!(connection.receive()["id"], id, "answers come in the order of the calls");
    }
}

#[test]
fn a_frame_that_is_too_long_is_refused_and_the_next_is_served() {
    let home = Home::new();
    let _daemon = home.start();
    let mut connection = home.connect();
    let title = |length| {
        format!(r#"{{"jsonrpc":"2.0","id":1,"method":"task.add","params":{{"title":"{}"}}}}"#, "x".repeat(length))
    };
    connection.send(title(3 * 1024 * 1024) + "\n");
    check_code(&connection.receive(), 429, &Value::Null);
    check_code(&connection.exchange(&title(900 * 1024)), -32602, &json!(1));
    assert_eq!(connection.exchange(hello(2).trim_end())["id"], 2);
}

#[test]
fn half_a_frame_is_never_done() {
    let home = Home::new();
    let _daemon = home.start();
    let mut connection = home.connect();
    connection.send(r#"{"jsonrpc":"2.0","id":1,"method":"task.add","params":{"title":"half"}}"#);
    connection.close_sending();
    check_code(&connection.receive(), -32700, &Value::Null);
    assert_eq!(connection.receive(), Value::Null, "then the daemon hangs up");
    assert_eq!(home.connect().call("task.list", json!({}))["tasks"], json!([]));
}

#[test]
fn a_caller_that_hangs_up_early_harms_nobody() {
    let home = Home::new();
    let _daemon = home.start();
    for _ in 0..50 {
        let mut connection = home.connect();
        connection.send(hello(1).repeat(20));
    }
    assert_eq!(home.connect().call("daemon.status", json!({}))["protocol"], 1);
}

/// I9: the number of connections has a limit.
#[test]
fn one_connection_too_many_takes_the_place_of_the_idlest() {
    let home = Home::new();
    let _daemon = home.start();
    let socket = home.socket();
    let mut connections: Vec<Connection> = (0..keiko::api::listen::CONNECTIONS_MAX)
        .map(|_| {
            let mut connection = Connection::open(&socket);
            // Only an answer proves that it was let in.
            assert_eq!(connection.exchange(hello(1).trim_end())["id"], 1);
            connection
        })
        .collect();
    // Whoever has just asked is not the idlest, and whoever waits for events leaves last.
    connections[0].call("event.subscribe", json!({}));
    assert_eq!(connections[1].exchange(hello(2).trim_end())["id"], 2);
    let mut late = Connection::open(&socket);
    assert_eq!(late.exchange(hello(3).trim_end())["id"], 3);
    let idlest = &mut connections[2];
    check_code(&idlest.receive(), 429, &Value::Null);
    assert_eq!(idlest.receive(), Value::Null);
    for connection in [0, 1, 3] {
        assert_eq!(connections[connection].exchange(hello(4).trim_end())["id"], 4, "connection {connection}");
    }
}

#[test]
fn a_client_of_another_protocol_is_refused_with_all_that_it_says() {
    let home = Home::new();
    let _daemon = home.start();
    let mut connection = home.connect();
    let error = connection.refused("daemon.hello", json!({"protocol": 99, "client_version": "9.9.9"}));
    assert_eq!((&error["code"], &error["data"]["protocol"]), (&json!(426), &json!(1)));
    assert_eq!(
        error["message"],
        "cannot talk to a client of version 9.9.9 with protocol 99: this daemon is version 0.1.0 with protocol 1"
    );
    assert_eq!(connection.refused("task.add", json!({"title": "misunderstood"}))["code"], 426);
    assert_eq!(home.connect().call("task.list", json!({}))["tasks"], json!([]));
}

#[test]
fn a_task_always_has_all_its_fields() {
    let home = Home::new();
    let _daemon = home.start();
    let mut connection = home.connect();
    let expected: BTreeSet<&str> = TASK_FIELDS.split_whitespace().collect();
    let added = connection.call("task.add", json!({"title": "pay rent", "at": "tomorrow 3pm"}));
    for task in [&added["task"], &connection.call("task.list", json!({}))["tasks"][0]] {
        let found: BTreeSet<&str> = task.as_object().expect("an object").keys().map(String::as_str).collect();
        assert_eq!(found, expected);
    }
    assert_eq!(added["task"]["due_at"], "2026-05-14T15:00:00-04:00");
    assert_eq!(added["task"]["next"], json!(["2026-05-14T15:00:00-04:00"]));
    assert_eq!(added["task"]["schedule"]["floating"], true);
    assert_eq!(added["schema_version"], 1);
}

#[test]
fn a_key_that_was_seen_adds_nothing() {
    let home = Home::new();
    let _daemon = home.start();
    let mut connection = home.connect();
    let add = json!({"title": "tea", "key": "k1"});
    let first = connection.call("task.add", add.clone());
    let second = connection.call("task.add", add);
    assert_eq!((&first["changed"], &second["changed"]), (&json!(true), &json!(false)));
    assert_eq!(first["task"]["id"], second["task"]["id"]);
}

#[test]
fn every_refusal_has_a_kind_and_a_hint() {
    let home = Home::new();
    let _daemon = home.start();
    let mut connection = home.connect();
    connection.call("task.add", json!({"title": "tea"}));
    connection.call("task.done", json!({"task": 1}));
    connection.call("task.add", json!({"title": "rent"}));
    for (method, params, code, kind) in [
        ("nobody.knows", json!({}), -32601, "method"),
        ("store.exprt", json!({}), -32601, "method"),
        ("task.get", json!({"task": {}}), -32602, "params"),
        ("task.update", json!({"task": 1}), -32602, "params"),
        ("task.update", json!({"task": 2, "title": ""}), -32602, "params"),
        ("store.backup", json!({"path": "here"}), -32602, "params"),
        ("channel.pause", json!({"target": "x"}), -32602, "params"),
        ("task.add", json!({"text": "tea tomorrow 25:00"}), 400, "time"),
        ("task.add", json!({"title": "tea", "at": "yesterday"}), 400, "time"),
        ("task.add", json!({"title": "tea", "cron": "0 0 30 2 *"}), 400, "time"),
        ("task.get", json!({"task": 9}), 404, "not_found"),
        ("event.unsubscribe", json!({"subscription": 3}), 404, "not_found"),
        ("task.done", json!({"task": 1, "version": 1}), 409, "conflict"),
        ("event.list", json!({"since": 999}), 410, "gone"),
        ("task.skip", json!({"task": 1}), 422, "refused"),
        ("task.snooze", json!({"task": 1}), 422, "refused"),
        ("clock.advance", json!({"to": "2020-01-01T00:00:00Z"}), 422, "refused"),
    ] {
        let error = connection.refused(method, params.clone());
        assert_eq!(
            (&error["code"], &error["data"]["kind"]),
            (&json!(code), &json!(kind)),
            "{method} {params}: {error}"
        );
        assert!(error["data"]["hint"].as_str().is_some_and(|hint| !hint.is_empty()), "{method} {params}: {error}");
        if code == 409 {
            assert_eq!(error["data"]["latest"]["number"], 1, "{error}");
        }
        if code == 422 && method != "clock.advance" {
            assert_eq!(error["data"]["state"], "COMPLETED", "{error}");
            assert_eq!(error["data"]["allowed"], json!([]), "{error}");
        }
    }
}

#[test]
fn a_key_answers_for_words_that_fit_no_more() {
    let home = Home::new();
    let _daemon = home.start();
    let mut connection = home.connect();
    let add = json!({"title": "tea", "at": "2026-05-13 16:10", "key": "k1"});
    let first = connection.call("task.add", add.clone());
    connection.call("clock.advance", json!({"to": "2026-05-13T16:30:00-04:00"}));
    let second = connection.call("task.add", add);
    assert_eq!((&second["changed"], &second["task"]["id"]), (&json!(false), &first["task"]["id"]));
    assert_eq!(second["task"]["stage"], "due", "the task is told as it is now");
    assert_eq!(second["op_id"], first["op_id"], "both answers name the same events");
    assert_eq!(connection.call("event.list", json!({}))["events"][0]["op_id"], first["op_id"]);
}

#[test]
fn each_write_with_a_key_is_done_once() {
    let home = Home::new();
    let _daemon = home.start();
    let mut connection = home.connect();
    connection.call("task.add", json!({"title": "pills", "every": "day at 17:00"}));
    let mut last_seq = 0;
    for (method, params) in [
        ("task.skip", json!({"task": 1})),
        ("task.update", json!({"task": 1, "notes": "with water"})),
        ("task.pause", json!({"task": 1, "for": "1h"})),
        ("task.resume", json!({"task": 1})),
        ("task.snooze", json!({"task": 1, "for": "10m", "early": true})),
        ("task.ack", json!({"task": 1, "early": true})),
        ("task.done", json!({"task": 1, "early": true})),
        ("task.retry", json!({"task": 1})),
        ("task.cancel", json!({"task": 1})),
    ] {
        let mut keyed = params;
        keyed["key"] = json!(format!("key of {method}"));
        let first = connection.ask(method, keyed.clone());
        let events = connection.call("event.list", json!({"since": last_seq}));
        last_seq = events["cursor"].as_u64().expect("a number");
        let second = connection.ask(method, keyed);
        if first["error"].is_null() {
            assert_eq!(second["result"]["changed"], false, "{method}: {second}");
            assert_eq!(second["result"]["op_id"], first["result"]["op_id"], "{method}");
        } else {
            // What was refused was not done, and may be asked again.
            assert_eq!(second["error"], first["error"], "{method}");
        }
        assert_eq!(connection.call("event.list", json!({"since": last_seq}))["events"], json!([]), "{method}");
    }
}

#[test]
fn done_with_a_key_but_without_a_name_never_means_a_second_task() {
    let home = Home::new();
    let _daemon = home.start();
    let mut connection = home.connect();
    connection.call("task.add", json!({"text": "tea in 1m"}));
    connection.call("clock.advance", json!({"to": "2026-05-13T16:01:00-04:00"}));
    let first = connection.call("task.done", json!({"key": "k1"}));
    connection.call("task.add", json!({"text": "rent in 1m"}));
    connection.call("clock.advance", json!({"to": "2026-05-13T16:02:00-04:00"}));
    let second = connection.call("task.done", json!({"key": "k1"}));
    assert_eq!((&first["task"]["number"], &second["task"]["number"]), (&json!(1), &json!(1)));
    assert_eq!(connection.call("task.get", json!({"task": 2}))["task"]["stage"], "due");
    let taken = connection.ask("task.ack", json!({"task": 2, "key": "k1"}));
    assert_eq!(taken["error"]["code"], -32602);
    assert_eq!(taken["error"]["message"], "cannot use key \"k1\" for task.ack: it was used for task.done before");
}

#[test]
fn of_many_conflicting_edits_one_wins_and_all_others_see_the_latest() {
    const CLIENTS: usize = 20;
    let home = Home::new();
    let _daemon = home.start();
    let version = home.connect().call("task.add", json!({"title": "tea"}))["task"]["version"].clone();
    let start = Barrier::new(CLIENTS);
    let answers: Vec<Value> = std::thread::scope(|scope| {
        let clients: Vec<_> = (0..CLIENTS)
            .map(|number| {
                let (home, start, version) = (&home, &start, &version);
                scope.spawn(move || {
                    let mut connection = home.connect();
                    start.wait();
                    connection
                        .ask("task.update", json!({"task": 1, "version": version, "title": format!("tea {number}")}))
                })
            })
            .collect();
        clients.into_iter().map(|client| client.join().expect("no client panics")).collect()
    });
    let (won, lost): (Vec<_>, Vec<_>) = answers.iter().partition(|answer| answer["error"].is_null());
    assert_eq!((won.len(), lost.len()), (1, CLIENTS - 1));
    for answer in lost {
        assert_eq!(answer["error"]["code"], 409, "{answer}");
        assert_eq!(answer["error"]["data"]["latest"]["title"], won[0]["result"]["task"]["title"]);
    }
}

#[test]
fn what_has_ended_is_refused_with_its_state() {
    let home = Home::new();
    let _daemon = home.start();
    let mut connection = home.connect();
    connection.call("task.add", json!({"title": "tea"}));
    connection.call("task.cancel", json!({"task": 1}));
    let error = connection.refused("task.snooze", json!({"task": 1}));
    assert_eq!((&error["code"], &error["data"]["kind"]), (&json!(422), &json!("refused")));
    assert_eq!((&error["data"]["state"], &error["data"]["allowed"]), (&json!("CANCELLED"), &json!([])));
    assert_eq!(error["message"], "cannot snooze task 1: it is already cancelled");
    assert_eq!(connection.refused("task.get", json!({"task": "7"}))["code"], 404);
}

#[test]
fn names_that_fit_several_tasks_are_listed() {
    let home = Home::new();
    let _daemon = home.start();
    let mut connection = home.connect();
    for title in ["pay rent", "pay tax"] {
        connection.call("task.add", json!({"title": title}));
    }
    let error = connection.refused("task.get", json!({"task": "pay"}));
    assert_eq!((&error["code"], &error["data"]["kind"]), (&json!(404), &json!("ambiguous")));
    assert_eq!(
        error["data"]["candidates"],
        json!([{"number": 1, "title": "pay rent"}, {"number": 2, "title": "pay tax"}])
    );
    assert_eq!(connection.call("task.get", json!({"task": "RENT"}))["task"]["number"], 1);
}

#[test]
fn a_task_without_a_time_is_kept_with_a_warning_unless_it_must_ring() {
    let home = Home::new();
    let _daemon = home.start();
    let mut connection = home.connect();
    let added = connection.call("task.add", json!({"text": "buy milk"}));
    assert_eq!(added["warnings"], json!(["it has no time, so it will not ring"]));
    let error = connection.refused("task.add", json!({"text": "buy milk", "time_required": true}));
    assert_eq!((&error["code"], &error["data"]["kind"]), (&json!(400), &json!("time")));
    let error = connection.refused("task.add", json!({"title": "late", "at": "yesterday 3pm"}));
    assert_eq!(error["code"], 400, "{error}");
    assert!(error["data"]["span"].is_array(), "{error}");
    assert_eq!(connection.call("task.list", json!({}))["tasks"].as_array().map(Vec::len), Some(1));
}

#[test]
fn a_time_said_in_another_zone_stays_there() {
    let home = Home::new();
    let _daemon = home.start();
    let mut connection = home.connect();
    let mut add = |zone: Value| connection.call("task.add", zone);
    let elsewhere = add(json!({"title": "a", "at": "tomorrow 9am", "zone": "Asia/Tokyo"}));
    assert_eq!(
        (&elsewhere["task"]["schedule"]["zone"], &elsewhere["task"]["schedule"]["floating"]),
        (&json!("Asia/Tokyo"), &json!(false))
    );
    assert_eq!(
        elsewhere["task"]["due_at"], "2026-05-14T20:00:00-04:00",
        "the 15th at nine in Tokyo, where it is the 14th"
    );
    let told = elsewhere["warnings"][0].as_str().expect("a warning");
    assert_eq!(told, "its times are kept in Asia/Tokyo, where it was said; the daemon is in America/New_York");
    let here = add(json!({"title": "b", "at": "tomorrow 9am", "zone": "US/Eastern"}));
    assert_eq!(here["task"]["schedule"]["floating"], true, "another name of the same clock is no other zone");
    let fixed = add(json!({"title": "c", "at": "tomorrow 9am", "zone": "America/New_York", "fixed_zone": true}));
    assert_eq!(
        (&fixed["task"]["schedule"]["floating"], &fixed["task"]["schedule"]["zone"]),
        (&json!(false), &json!("America/New_York"))
    );
    assert_eq!(connection.refused("task.add", json!({"title": "d", "zone": "Mars/Olympus"}))["code"], -32602);
}

#[test]
fn events_are_caught_up_with_from_a_cursor() {
    let home = Home::new();
    let _daemon = home.start();
    let mut connection = home.connect();
    for title in ["one", "two", "three"] {
        connection.call("task.add", json!({"title": title, "at": "tomorrow 9am"}));
    }
    let mut cursor = json!(0);
    let mut seqs = Vec::new();
    loop {
        let page = connection.call("event.list", json!({"since": cursor, "limit": 2}));
        let events = page["events"].as_array().expect("an array");
        cursor = page["cursor"].clone();
        if events.is_empty() {
            break;
        }
        assert!(events.iter().all(|event| event["snapshot"]["title"].is_string()), "{events:?}");
        seqs.extend(events.iter().map(|event| event["seq"].as_u64().expect("a number")));
    }
    assert_eq!(seqs, (1..=seqs.len() as u64).collect::<Vec<_>>(), "one counter without gaps");
    assert_eq!(connection.refused("event.list", json!({"limit": 10_001}))["code"], -32602);
}

#[test]
fn snoozes_and_pauses_take_a_length_or_an_end() {
    let home = Home::new();
    let _daemon = home.start();
    let mut connection = home.connect();
    connection.call("task.add", json!({"title": "tea", "at": "today 3pm"}));
    let snoozed = connection.call("task.snooze", json!({"task": 1}));
    assert_eq!(snoozed["task"]["snoozed_until"], "2026-05-13T12:10:00-04:00", "ten minutes where nobody says");
    let snoozed = connection.call("task.snooze", json!({"task": 1, "until": "5pm"}));
    assert_eq!(
        (&snoozed["task"]["stage"], &snoozed["task"]["due_at"]),
        (&json!("snoozed"), &json!("2026-05-13T15:00:00-04:00"))
    );
    let paused = connection.call("task.pause", json!({"task": 1, "for": "2h"}));
    assert_eq!(
        (&paused["task"]["paused_until"], &paused["task"]["remaining_ms"]),
        (&json!("2026-05-13T14:00:00-04:00"), &json!(10_800_000))
    );
    assert_eq!(connection.refused("task.snooze", json!({"task": 1, "for": "1h", "until": "5pm"}))["code"], -32602);
    assert_eq!(
        connection.refused("task.snooze", json!({"task": 1, "for": "10"}))["code"],
        400,
        "a length needs a unit"
    );
}

#[test]
fn alerts_are_given_before_at_and_after_due() {
    let home = Home::new();
    let _daemon = home.start();
    let mut connection = home.connect();
    let add = json!({"title": "exam", "at": "tomorrow 9am", "alerts": ["1h", "0", "+15m", "-2d"]});
    let added = connection.call("task.add", add);
    assert_eq!(added["task"]["alerts"], json!(["-2d", "-1h", "0", "+15m"]));
    assert_eq!(connection.refused("task.add", json!({"title": "x", "alerts": ["soon"]}))["code"], 400);
}

#[test]
fn a_sentence_is_explained_without_storing_anything() {
    let home = Home::new();
    let _daemon = home.start();
    let mut connection = home.connect();
    let read = connection.call("time.parse", json!({"text": "pay rent tomorrow 3pm"}));
    assert_eq!(
        (&read["title"], &read["at"], &read["error"]),
        (&json!("pay rent"), &json!("2026-05-14T15:00:00-04:00"), &Value::Null)
    );
    let read = connection.call("time.parse", json!({"text": "pay rent yesterday 3pm"}));
    assert!(read["at"].is_null() && read["error"].is_string(), "{read}");
    assert_eq!(connection.call("task.list", json!({}))["tasks"], json!([]));
}

#[test]
fn a_store_leaves_page_by_page_and_comes_in_chunk_by_chunk() {
    let home = Home::new();
    let _daemon = home.start();
    let mut connection = home.connect();
    connection.call("task.add", json!({"title": "tea"}));
    let page = connection.call("store.export", json!({}));
    let lines = page["lines"].as_array().expect("lines").clone();
    assert_eq!((page["total"].as_u64(), &page["next"]), (Some(lines.len() as u64), &json!(1)));
    let refused = connection.refused("store.export", json!({"cursor": 7}));
    assert_eq!(refused["code"], -32602);
    let refused = connection.refused("store.export", json!({"cursor": 1}));
    assert_eq!(refused["code"], -32602, "what was refused is given up");
    connection.call("store.export", json!({}));
    let last = connection.call("store.export", json!({"cursor": 1}));
    assert_eq!((&last["lines"], &last["next"]), (&json!([]), &json!(null)));
    for line in &lines {
        assert_eq!(connection.call("store.import", json!({"lines": [line]}))["finished"], false);
    }
    let refused = home.connect().refused("store.import", json!({"lines": []}));
    assert_eq!(refused["code"], 429, "one at a time");
    let answer = connection.call("store.import", json!({"finish": true}));
    assert_eq!((&answer["finished"], &answer["already_there"], &answer["added"]), (&json!(true), &json!(1), &json!(0)));
    let refused = connection.refused("store.import", json!({"lines": [{"tasks": {}}]}));
    assert_eq!(
        refused["message"],
        "cannot read the export at line 1: the file does not begin as an export of Keiko does"
    );
    let refused = connection.refused("store.import", json!({"lines": lines[..3], "finish": true}));
    assert_eq!(refused["code"], -32602);
    // Whoever hangs up gives it up, so that the next one finds a place.
    let mut other = home.connect();
    other.call("store.import", json!({"lines": [lines[0]]}));
    drop(other);
    let mut tries = 0;
    while connection.ask("store.import", json!({"lines": [lines[0]]})).get("error").is_some() {
        tries += 1;
        assert!(tries < 100_000, "the place of one who hung up is not free");
    }
}
