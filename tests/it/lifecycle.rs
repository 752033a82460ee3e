//! The daemon's life: who may start, where it listens, what it leaves behind, and what survives its death.

use std::fs;
use std::os::unix::fs::{DirBuilderExt as _, FileTypeExt as _, PermissionsExt as _};
use std::os::unix::net::UnixListener;
use std::path::Path;

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::support::daemon::{Connection, Daemon, Home, refusal, refusal_with};

fn mode(path: &Path) -> u32 {
    fs::symlink_metadata(path).expect("it is there").permissions().mode() & 0o777
}

// B46
#[test]
fn a_second_daemon_is_refused_by_the_name_of_the_first() {
    let home = Home::new();
    let daemon = home.start();
    let data = home.path("data");
    let expected =
        format!("failed: cannot serve {}: another keikod does already (pid {})", data.display(), daemon.pid());
    assert_eq!(refusal_with(home.daemon(), 8), expected);
    let status = home.connect().call("daemon.status", json!({}));
    assert_eq!(status["pid"], daemon.pid(), "the first one goes on, and its socket is untouched");
}

#[test]
fn only_the_owner_reaches_the_socket_and_the_data() {
    let home = Home::new();
    let _daemon = home.start();
    let socket = home.socket();
    assert_eq!((mode(&socket), mode(socket.parent().expect("a folder"))), (0o600, 0o700));
    for name in ["data", "data/keiko.db", "data/keiko.lock", "data/keikod.log"] {
        assert_eq!(mode(&home.path(name)) & 0o077, 0, "{name}");
    }
}

#[test]
fn a_term_signal_stops_it_in_order_and_nothing_is_left() {
    for signal in [Signal::TERM, Signal::INT] {
        let home = Home::new();
        let daemon = home.start();
        let socket = home.socket();
        let mut connection = home.connect();
        connection.call("task.add", json!({"title": "tea"}));
        daemon.signal(signal);
        assert_eq!(connection.receive(), Value::Null, "who waits is hung up on");
        assert!(daemon.ended().success());
        assert!(!socket.exists() && !home.path("data/keikod.socket").exists());
        assert!(!home.path("data/keiko.db-wal").exists(), "the store was closed in order");
        let _next = home.start();
        assert_eq!(home.connect().call("task.get", json!({"task": 1}))["task"]["title"], "tea");
    }
}

#[test]
fn who_never_reads_what_the_daemon_logs_holds_up_nothing() {
    let home = Home::new();
    let mut command = home.daemon();
    command.arg("--foreground").env("KEIKO_LOG", "trace");
    // Its standard error is a pipe that is kept open and never read: 64 KiB, and each request logs some hundred bytes.
    let daemon = Daemon::start(command);
    let mut connection = home.connect();
    for number in 0..2000 {
        connection.call("task.add", json!({"title": format!("task {number}"), "at": "in 1h"}));
    }
    connection.call("clock.advance", json!({"to": "2026-05-13T18:00:00-04:00"}));
    connection.call("daemon.stop", json!({}));
    assert!(daemon.ended().success());
}

#[test]
fn who_asks_it_to_stop_can_wait_for_its_end() {
    let home = Home::new();
    let daemon = home.start();
    let mut connection = home.connect();
    assert_eq!(connection.call("daemon.stop", json!({})), json!({"schema_version": 1, "stopping": true}));
    assert_eq!(connection.receive(), Value::Null);
    assert!(!home.path("data/keikod.socket").exists(), "the connection ends behind all else");
    assert!(daemon.ended().success());
}

#[test]
fn requests_that_have_come_are_finished_before_it_stops() {
    let home = Home::new();
    let daemon = home.start();
    let mut connection = home.connect();
    let call = |id: u64, method: &str, params: Value| {
        json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string() + "\n"
    };
    let adds: String = (0..200).map(|id| call(id, "task.add", json!({"title": format!("task {id}")}))).collect();
    connection.send(adds);
    assert_eq!(connection.receive()["id"], 0);
    daemon.signal(Signal::TERM);
    let mut answered = 1;
    while connection.receive() != Value::Null {
        answered += 1;
    }
    assert!(daemon.ended().success());
    let _next = home.start();
    let kept = home.connect().call("task.list", json!({}))["tasks"].as_array().map(Vec::len);
    assert_eq!(kept, Some(answered), "what was answered is kept, and what was not answered was not done");
}

#[test]
fn after_kill_9_the_next_one_takes_over_socket_and_tasks() {
    let home = Home::new();
    let daemon = home.start();
    let socket = home.socket();
    home.connect().call("task.add", json!({"title": "pay rent", "at": "tomorrow 3pm"}));
    daemon.kill();
    assert!(socket.exists(), "nobody removed it");
    let _next = home.start();
    assert_eq!(home.socket(), socket);
    let task = home.connect().call("task.get", json!({"task": 1}))["task"].take();
    assert_eq!((&task["title"], &task["state"]), (&json!("pay rent"), &json!("PENDING")));
}

#[test]
fn a_socket_that_somebody_answers_is_not_taken_over() {
    let home = Home::new();
    let socket = home.path("run/mine.sock");
    let listener = UnixListener::bind(&socket).expect("it is free");
    let mut command = home.daemon();
    command.env("KEIKO_SOCKET", &socket);
    let expected = format!("failed: cannot listen on {}: another daemon answers there", socket.display());
    assert_eq!(refusal(command), expected);
    drop(listener);
    assert!(fs::symlink_metadata(&socket).expect("it is still there").file_type().is_socket());
}

#[test]
fn a_file_that_is_no_socket_is_never_removed() {
    let home = Home::new();
    let socket = home.path("run/notes.txt");
    fs::write(&socket, "mine").expect("it can be written");
    let mut command = home.daemon();
    command.env("KEIKO_SOCKET", &socket);
    let expected = format!("failed: cannot listen on {}: there is a file that is no socket", socket.display());
    assert_eq!(refusal(command), expected);
    assert_eq!(fs::read_to_string(&socket).expect("it is still there"), "mine");
}

#[test]
fn another_socket_that_took_the_place_is_left_alone() {
    let home = Home::new();
    let daemon = home.start();
    let socket = home.socket();
    // Put there at once, since the daemon would make its own anew.
    let other = home.path("run/other.sock");
    let _other = UnixListener::bind(&other).expect("it is free");
    fs::rename(&other, &socket).expect("it is there");
    daemon.signal(Signal::TERM);
    assert!(daemon.ended().success());
    assert!(socket.exists());
}

#[test]
fn a_folder_that_others_may_enter_is_refused() {
    let home = Home::new();
    let folder = home.path("open");
    fs::DirBuilder::new().mode(0o755).create(&folder).expect("it is free");
    let mut command = home.daemon();
    command.env("KEIKO_SOCKET", folder.join("keikod.sock"));
    let expected =
        format!("failed: cannot listen in {}: others may enter it (mode 0755), expected mode 0700", folder.display());
    assert_eq!(refusal(command), expected);
}

#[test]
fn a_path_that_is_too_long_is_told() {
    let home = Home::new();
    let mut command = home.daemon();
    command.env("KEIKO_SOCKET", home.path(&"x".repeat(120)));
    let told = refusal(command);
    assert!(told.starts_with("failed: cannot use the socket") && told.contains("bytes"), "{told}");
}

#[test]
fn a_database_that_is_none_is_told_and_the_socket_goes() {
    let home = Home::new();
    fs::DirBuilder::new().mode(0o700).create(home.path("data")).expect("it is free");
    fs::write(home.path("data/keiko.db"), "this is no database, however long one looks at it")
        .expect("it can be written");
    let told = refusal_with(home.daemon(), 9);
    assert!(told.starts_with("failed: cannot ") && told.contains("keiko.db"), "{told}");
    let sockets = fs::read_dir(home.path("run/keiko")).expect("it is there").count();
    assert_eq!(sockets, 0);
}

#[test]
fn in_the_foreground_it_logs_to_standard_error() {
    let home = Home::new();
    let mut command = home.daemon();
    command.arg("--foreground");
    let daemon = Daemon::start(command);
    assert!(!home.path("data/keikod.log").exists());
    daemon.signal(Signal::TERM);
    assert!(daemon.ended().success());
}

#[test]
fn without_descriptors_it_waits_and_then_serves_again() {
    let home = Home::new();
    let mut command = home.command("sh");
    command.args([
        "-c",
        "ulimit -n 64; exec \"$0\" \"$@\"",
        env!("CARGO_BIN_EXE_keikod"),
        "--clock",
        "2026-05-13T12:00:00Z",
    ]);
    let daemon = Daemon::start(command);
    let socket = home.socket();
    let mut connections: Vec<Connection> = (0..80).map(|_| Connection::open(&socket)).collect();
    let hello = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"daemon.hello\"}";
    let refused = connections.iter_mut().rev().find_map(|connection| {
        let answer = connection.receive();
        (answer["error"]["code"] == 429).then_some(answer)
    });
    assert!(refused.is_some(), "the last of them is told");
    drop(connections);
    assert_eq!(Connection::open(&socket).exchange(hello)["result"]["pid"], daemon.pid());
}
