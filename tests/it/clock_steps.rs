//! A clock that is set, a machine that sleeps and a person who travels, on the real daemon: nothing fires early, twice or
//! never, and the events say what happened.

use serde_json::{Value, json};

use crate::support::daemon::{Connection, Daemon, Home};

fn start(home: &Home, clock: &str) -> Daemon {
    let mut command = home.command(env!("CARGO_BIN_EXE_keikod"));
    command.args(["--clock", clock]);
    Daemon::start(command)
}

fn stop(daemon: Daemon, mut connection: Connection) {
    connection.call("daemon.stop", json!({}));
    assert!(daemon.ended().success());
}

fn jump(connection: &mut Connection, how: &str, to: &str) {
    let moved = connection.call("clock.advance", json!({"to": to, "how": how}));
    assert_eq!(moved["now"], to);
}

fn events(connection: &mut Connection) -> Vec<Value> {
    let mut events: Vec<Value> = Vec::new();
    loop {
        let mut page = connection.call("event.list", json!({"since": events.len()}));
        events.extend(serde_json::from_value::<Vec<Value>>(page["events"].take()).expect("an array"));
        if page["more"] == false {
            break;
        }
    }
    for (seq, event) in (1..).zip(&events) {
        assert_eq!(event["seq"], seq, "one counter for all");
    }
    events
}

/// What happened to the device, without what differs from run to run.
fn of_device(connection: &mut Connection) -> Vec<Value> {
    let events = events(connection);
    let of_device: Vec<Value> = events.into_iter().filter(|event| event["task"].is_null()).collect();
    for event in &of_device {
        for field in ["task_id", "occurrence", "snapshot", "from", "to"] {
            assert!(event[field].is_null(), "{event}");
        }
    }
    of_device.into_iter().map(|event| json!([event["operation"], event["values"]])).collect()
}

/// The ids of all firings, each once, with the time of each.
fn firings(connection: &mut Connection) -> Vec<(String, String)> {
    let fired: Vec<(String, String)> = events(connection)
        .iter()
        .filter(|event| event["operation"] == "fired" || event["operation"] == "spoke")
        .map(|event| {
            let text = |value: &Value| value.as_str().expect("text").to_owned();
            (text(&event["values"]["fire_id"]), text(&event["at"]))
        })
        .collect();
    let mut ids: Vec<&String> = fired.iter().map(|(id, _)| id).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), fired.len(), "something fired twice: {fired:?}");
    fired
}

fn due_at(connection: &mut Connection, task: u64) -> Value {
    connection.call("task.get", json!({"task": task}))["task"]["due_at"].take()
}

fn add_series(connection: &mut Connection) {
    for more in [
        json!({"title": "daily", "every": "day at 9am"}),
        json!({"title": "weekly", "every": "friday at 10am"}),
        json!({"title": "interval", "every": "3 hours"}),
        json!({"title": "after done", "every": "3 days at 8am", "after_done": true}),
    ] {
        connection.call("task.add", more);
    }
}

/// Five minutes past noon on a Wednesday two years before.
const RIGHT: &str = "2026-05-13T12:05:00-04:00";

/// Each next time is the first from the right clock on.
fn check_recomputed(connection: &mut Connection) {
    assert_eq!(due_at(connection, 1), "2026-05-14T09:00:00-04:00");
    assert_eq!(due_at(connection, 2), "2026-05-15T10:00:00-04:00");
    let interval = due_at(connection, 3);
    let interval = interval.as_str().expect("a time");
    assert!((RIGHT..="2026-05-13T15:05:00-04:00").contains(&interval), "{interval}");
}

/// Lets everything ring for three days of the right time.
fn live_on(connection: &mut Connection, before: usize) {
    connection.call("clock.advance", json!({"to": "2026-05-16T12:00:00-04:00"}));
    let fired = firings(connection);
    let since: Vec<&str> = fired[before..].iter().map(|(_, at)| at.as_str()).collect();
    for (at, what) in [
        ("2026-05-14T09:00:00-04:00", "daily"),
        ("2026-05-15T09:00:00-04:00", "daily"),
        ("2026-05-16T09:00:00-04:00", "daily"),
        ("2026-05-15T10:00:00-04:00", "weekly"),
    ] {
        assert!(since.contains(&at), "{what} at {at} is not among {since:?}");
    }
}

// B35, with tasks that were there before, and with tasks that were added under the wrong clock.
#[test]
fn a_clock_two_years_ahead_that_is_corrected_while_the_daemon_is_off_leaves_no_series_in_those_years() {
    for added_at in ["2026-05-13T12:00:00-04:00", "2028-05-12T08:30:00-04:00"] {
        let home = Home::new();
        let daemon = start(&home, added_at);
        let mut connection = home.connect();
        add_series(&mut connection);
        stop(daemon, connection);

        let daemon = start(&home, "2028-05-12T08:31:00-04:00");
        let mut connection = home.connect();
        connection.call("clock.advance", json!({"to": "2028-05-13T12:05:00-04:00"}));
        for task in [1, 4] {
            connection.call("task.done", json!({"task": task}));
        }
        let fired = firings(&mut connection).len();
        assert!(fired > 3, "the wrong clock made them ring");
        stop(daemon, connection);

        let daemon = start(&home, RIGHT);
        let mut connection = home.connect();
        check_recomputed(&mut connection);
        // Three dates after it was done, as far as the device knows.
        assert_eq!(due_at(&mut connection, 4), "2026-05-16T08:00:00-04:00", "added at {added_at}");
        assert_eq!(firings(&mut connection).len(), fired, "a correction rings nothing");
        let stepped = of_device(&mut connection).pop().expect("an event");
        assert_eq!((&stepped[0], &stepped[1]["to"]), (&json!("clock_stepped"), &json!(RIGHT)));
        assert_eq!(stepped[1]["by_ms"].as_i64(), Some(-731 * 86_400_000), "{stepped}");
        live_on(&mut connection, fired);
        let told = of_device(&mut connection).len();
        stop(daemon, connection);

        let daemon = start(&home, "2026-05-16T12:00:00-04:00");
        let mut connection = home.connect();
        assert_eq!(of_device(&mut connection).len(), told, "a restart at the same time is no step");
        stop(daemon, connection);
    }
}

#[test]
fn a_clock_two_years_ahead_that_is_corrected_while_the_daemon_runs_leaves_no_series_in_those_years() {
    let home = Home::new();
    let _daemon = start(&home, "2026-05-13T12:00:00-04:00");
    let mut connection = home.connect();
    add_series(&mut connection);
    jump(&mut connection, "set", "2028-05-12T08:31:00-04:00");
    connection.call("clock.advance", json!({"to": "2028-05-13T12:05:00-04:00"}));
    for task in [1, 4] {
        connection.call("task.done", json!({"task": task}));
    }
    let fired = firings(&mut connection).len();
    jump(&mut connection, "set", RIGHT);
    check_recomputed(&mut connection);
    assert_eq!(due_at(&mut connection, 4), "2026-05-16T08:00:00-04:00");
    assert_eq!(firings(&mut connection).len(), fired, "a correction rings nothing");
    assert_eq!(
        of_device(&mut connection),
        [
            json!(["clock_stepped", {
                "from": "2026-05-13T12:00:00-04:00", "to": "2028-05-12T08:31:00-04:00", "by_ms": 63_059_460_000_i64,
            }]),
            json!(["clock_stepped", {
                "from": "2028-05-13T12:05:00-04:00", "to": RIGHT, "by_ms": -63_158_400_000_i64,
            }]),
        ]
    );
    live_on(&mut connection, fired);
}

// B1: a daily task whose time passed in suspend.
#[test]
fn what_came_due_in_a_suspend_rings_late_on_waking_and_the_next_is_the_same_evening() {
    let home = Home::new();
    let _daemon = start(&home, "2026-05-13T19:00:00-04:00");
    let mut connection = home.connect();
    connection.call("task.add", json!({"title": "water the plants", "every": "day at 20:30"}));
    jump(&mut connection, "sleep", "2026-05-14T09:00:00-04:00");
    let fired: Vec<Value> = events(&mut connection).into_iter().filter(|event| event["operation"] == "fired").collect();
    assert_eq!(fired.len(), 1);
    assert_eq!((&fired[0]["at"], &fired[0]["late"]), (&json!("2026-05-14T09:00:00-04:00"), &json!(true)));
    assert_eq!(fired[0]["values"]["nominal_at"], "2026-05-13T20:30:00-04:00");
    assert_eq!(
        of_device(&mut connection),
        [json!(["slept", {
            "from": "2026-05-13T19:00:00-04:00", "to": "2026-05-14T09:00:00-04:00", "by_ms": 50_400_000,
        }])]
    );
    connection.call("clock.advance", json!({"to": "2026-05-14T21:00:00-04:00"}));
    assert_eq!(firings(&mut connection)[1].1, "2026-05-14T20:30:00-04:00");
}

// B21: "in 10 minutes" is an instant, and sleeping does not stretch it.
#[test]
fn a_countdown_that_ends_in_a_suspend_rings_on_waking() {
    let home = Home::new();
    let _daemon = home.start();
    let mut connection = home.connect();
    connection.call("task.add", json!({"title": "tea", "at": "in 10 minutes"}));
    connection.call("clock.advance", json!({"to": "2026-05-13T12:02:00-04:00"}));
    jump(&mut connection, "sleep", "2026-05-13T12:32:00-04:00");
    let fired = firings(&mut connection);
    assert_eq!(fired.iter().map(|(_, at)| at.as_str()).collect::<Vec<_>>(), ["2026-05-13T12:32:00-04:00"]);
}

#[test]
fn a_snooze_by_duration_moves_with_a_clock_that_is_set_and_not_with_a_suspend() {
    let home = Home::new();
    let _daemon = home.start();
    let mut connection = home.connect();
    for title in ["by duration", "until a time"] {
        connection.call("task.add", json!({"title": title, "at": "in 1 minute"}));
    }
    connection.call("clock.advance", json!({"to": "2026-05-13T12:01:00-04:00"}));
    connection.call("task.snooze", json!({"task": 1, "for": "30m"}));
    connection.call("task.snooze", json!({"task": 2, "until": "12:31"}));
    let until = |connection: &mut Connection, task: u64| {
        connection.call("task.get", json!({"task": task}))["task"]["snoozed_until"].take()
    };
    jump(&mut connection, "set", "2026-05-13T10:11:00-04:00");
    assert_eq!(until(&mut connection, 1), "2026-05-13T10:41:00-04:00");
    assert_eq!(until(&mut connection, 2), "2026-05-13T12:31:00-04:00");
    jump(&mut connection, "sleep", "2026-05-13T10:21:00-04:00");
    assert_eq!(until(&mut connection, 1), "2026-05-13T10:41:00-04:00");
    connection.call("clock.advance", json!({"to": "2026-05-13T13:00:00-04:00"}));
    let times: Vec<String> = firings(&mut connection).into_iter().map(|(_, at)| at).collect();
    assert_eq!(times[2..], ["2026-05-13T10:41:00-04:00", "2026-05-13T12:31:00-04:00"]);
}

#[test]
fn who_travels_has_floating_times_in_the_new_zone_at_once() {
    let home = Home::new();
    let _daemon = home.start();
    let mut connection = home.connect();
    connection.call("task.add", json!({"title": "call mum", "at": "tomorrow 3pm"}));
    let moved = connection
        .call("clock.advance", json!({"to": "2026-05-13T12:00:00-04:00", "how": "set", "zone": "Asia/Shanghai"}));
    assert_eq!(moved["now"], "2026-05-14T00:00:00+08:00");
    assert_eq!(due_at(&mut connection, 1), "2026-05-14T15:00:00+08:00");
    assert_eq!(
        of_device(&mut connection),
        [json!(["zone_changed", {"from": "America/New_York", "to": "Asia/Shanghai"}])]
    );
    connection.call("clock.advance", json!({"to": "2026-05-14T16:00:00+08:00"}));
    assert_eq!(firings(&mut connection)[0].1, "2026-05-14T15:00:00+08:00");
}

#[test]
fn a_subscriber_is_told_of_a_step_and_people_read_it_in_words() {
    let home = Home::new();
    let _daemon = home.start();
    let mut connection = home.connect();
    connection.call("event.subscribe", json!({}));
    let mut other = home.connect();
    jump(&mut other, "set", "2026-05-13T11:00:00-04:00");
    let told = connection.receive()["params"]["event"].take();
    assert_eq!((&told["operation"], &told["task"]), (&json!("clock_stepped"), &Value::Null));
    let output = home.command(env!("CARGO_BIN_EXE_keiko")).arg("events").output().expect("keiko was built");
    let said = String::from_utf8(output.stdout).expect("text");
    assert_eq!(
        said,
        "   1  Wed 13 May 11:00  the clock was set by -1h, from Wed 13 May 12:00 to Wed 13 May 11:00\n",
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

#[test]
fn a_jump_that_cannot_be_made_is_refused_with_words() {
    let home = Home::new();
    let _daemon = home.start();
    let mut connection = home.connect();
    let to = "2026-05-13T11:00:00-04:00";
    for (params, code) in [
        (json!({"to": to, "how": "fly"}), -32602),
        (json!({"to": to, "how": "set", "zone": "Mars/Olympus"}), -32602),
        (json!({"to": to, "zone": "Asia/Tokyo"}), -32602),
        (json!({"to": to, "how": "sleep"}), 422),
        (json!({"to": to}), 422),
    ] {
        assert_eq!(connection.refused("clock.advance", params.clone())["code"], code, "{params}");
    }
    assert_eq!(of_device(&mut connection), [] as [Value; 0]);
}
