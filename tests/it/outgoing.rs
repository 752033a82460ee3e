//! Channels, targets and what is held for them, asked for and changed over the wire.

use serde_json::{Value, json};

use crate::support::daemon::{Connection, Home};

fn target<'a>(list: &'a Value, name: &str) -> &'a Value {
    let targets = list["targets"].as_array().expect("an array");
    targets.iter().find(|target| target["target"] == name).unwrap_or_else(|| panic!("no {name} in {list}"))
}

fn ring_in_a_minute(connection: &mut Connection) {
    let add = json!({"title": "tea", "at": "in 1 minute", "channels": ["desktop"]});
    connection.call("task.add", add);
    connection.call("clock.advance", json!({"to": "2026-05-13T12:01:00-04:00"}));
}

#[test]
fn what_is_for_a_paused_target_is_held_until_it_is_resumed() {
    let home = Home::new();
    let _daemon = home.start();
    let mut connection = home.connect();
    let paused = connection.call("channel.pause", json!({"target": "desktop"}));
    assert_eq!(
        (&paused["target"]["breaker"], &paused["target"]["since"]),
        (&json!("paused"), &json!("2026-05-13T12:00:00-04:00"))
    );
    ring_in_a_minute(&mut connection);
    let held = connection.call("delivery.list", json!({"status": "held"}));
    let delivery = &held["deliveries"][0];
    assert_eq!(
        (&delivery["target"], &delivery["task"], &delivery["status"]),
        (&json!("desktop"), &json!(1), &json!("held")),
        "{held}"
    );
    assert_eq!(held["next"], Value::Null);
    let counts = connection.call("daemon.status", json!({}))["counts"].take();
    assert_eq!((&counts["held"], &counts["outbox"]), (&json!(1), &json!(1)), "{counts}");
    assert_eq!(target(&connection.call("channel.list", json!({})), "desktop")["held"], 1);

    connection.call("channel.resume", json!({"target": "desktop"}));
    connection.call("clock.advance", json!({"to": "2026-05-13T12:02:00-04:00"}));
    let list = connection.call("channel.list", json!({}));
    assert_eq!(
        (&target(&list, "desktop")["held"], &target(&list, "desktop")["failures"]),
        (&json!(0), &json!(0)),
        "{list}"
    );
    let waiting = connection.call("delivery.list", json!({"target": "desktop"}));
    assert_eq!(waiting["deliveries"][0]["status"], "waiting", "no desktop is there: {waiting}");
    assert_eq!(connection.call("delivery.list", json!({"target": "terminal"}))["deliveries"], json!([]));
}

#[test]
fn deliveries_come_a_page_at_a_time_and_by_task() {
    let home = Home::new();
    let _daemon = home.start();
    let mut connection = home.connect();
    connection.call("channel.pause", json!({"target": "desktop"}));
    for minutes in 1..=2 {
        connection
            .call("task.add", json!({"title": "tea", "at": format!("in {minutes} minutes"), "channels": ["desktop"]}));
    }
    connection.call("clock.advance", json!({"to": "2026-05-13T12:02:00-04:00"}));
    let list = connection.call("delivery.list", json!({"limit": 1}));
    assert_eq!(list["deliveries"].as_array().map(Vec::len), Some(1));
    let rest = connection.call("delivery.list", json!({"limit": 1, "after": list["next"]}));
    assert_eq!((&list["deliveries"][0]["task"], &rest["deliveries"][0]["task"]), (&json!(1), &json!(2)), "{rest}");
    assert_eq!(rest["next"], Value::Null, "{rest}");
    let of_two = connection.call("delivery.list", json!({"task": 2}));
    assert_eq!(
        (of_two["deliveries"].as_array().map(Vec::len), &of_two["deliveries"][0]["status"]),
        (Some(1), &json!("held"))
    );
    assert_eq!(connection.call("delivery.list", json!({"task": 2, "status": "delivered"}))["deliveries"], json!([]));
    assert_eq!(connection.call("delivery.list", json!({"status": "failed"}))["deliveries"], json!([]));
    assert_eq!(connection.refused("delivery.list", json!({"limit": 1001}))["code"], -32602);
    assert_eq!(connection.refused("delivery.list", json!({"status": "delivered"}))["code"], -32602);
}

#[test]
fn a_trial_of_what_is_away_says_why_and_leaves_no_trace() {
    let home = Home::new();
    let _daemon = home.start();
    let mut connection = home.connect();
    let tried = connection.call("channel.test", json!({"target": "desktop"}));
    assert_eq!((&tried["delivered"], &tried["target"]), (&json!(false), &json!("desktop")), "{tried}");
    assert!(tried["error"].is_string(), "{tried}");
    assert_eq!(connection.call("delivery.list", json!({}))["deliveries"], json!([]));
    assert_eq!(target(&connection.call("channel.list", json!({})), "desktop")["failures"], 0);
}

#[test]
fn a_target_that_no_task_may_name_is_refused() {
    let home = Home::new();
    let _daemon = home.start();
    let mut connection = home.connect();
    for method in ["channel.pause", "channel.resume", "channel.test"] {
        for bad in ["pigeon", "webhook", "webhook:nobody", "desktop:here"] {
            assert_eq!(connection.refused(method, json!({"target": bad}))["code"], -32602, "{method} {bad}");
        }
    }
}

#[test]
fn what_could_not_be_sent_is_told_by_status_and_by_keiko_alone() {
    let home = Home::new();
    let _daemon = home.start();
    let mut connection = home.connect();
    // Nobody listens there any more.
    let port = std::net::TcpListener::bind("127.0.0.1:0").expect("a port").local_addr().expect("it is bound").port();
    let target = format!("webhook:http://127.0.0.1:{port}/");
    connection.call("task.add", json!({"title": "tea", "at": "in 1 minute", "channels": [target]}));
    connection.call("clock.advance", json!({"to": "2026-05-13T14:00:00-04:00"}));
    let status = connection.call("daemon.status", json!({}));
    let failed = &status["failed"][0];
    assert_eq!(
        (&status["failed_total"], &failed["task"], &failed["target"], &failed["attempts"]),
        (&json!(1), &json!(1), &json!(target), &json!(4)),
        "{status}"
    );
    assert!(failed["last_error"].is_string(), "{status}");
    let told = |arguments: &[&str]| {
        let output = home.command(env!("CARGO_BIN_EXE_keiko")).args(arguments).output().expect("it runs");
        String::from_utf8([output.stdout, output.stderr].concat()).expect("UTF-8")
    };
    let status = told(&["status"]);
    assert!(status.contains("not sent") && status.contains(&target), "{status}");
    let screen = told(&[]);
    assert!(screen.contains("1 could not be sent within the last seven days; keiko status tells which"), "{screen}");
    // A week later it is history.
    connection.call("clock.advance", json!({"to": "2026-05-21T12:00:00-04:00"}));
    assert_eq!(connection.call("daemon.status", json!({}))["failed_total"], 0);
    assert!(!told(&[]).contains("could not be sent"));
}
