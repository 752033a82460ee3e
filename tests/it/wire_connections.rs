//! Callers that are too many, too slow, deaf, or somebody else: each loses at most its own connection.

#![cfg(target_os = "linux")]

use std::io::{ErrorKind, Read as _, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use keiko::api::listen::CONNECTIONS_MAX;
use rustix::process::{Resource, Rlimit, Signal, getrlimit, setrlimit};
use serde_json::{Value, json};

use crate::support::PATIENCE;
use crate::support::daemon::{Connection, Daemon, Home};
use crate::support::measure::{cpu_ticks, instant, status_field, tell, to_f64, wait};

const HELLO: &str = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"daemon.hello\"}\n";

/// A thousand connections need a thousand descriptors on this side too, above what many systems give at first.
fn allow_descriptors() {
    let limit = getrlimit(Resource::Nofile);
    let current = limit.current.unwrap_or(u64::MAX).max(limit.maximum.unwrap_or(4096).min(4096));
    setrlimit(Resource::Nofile, Rlimit { current: Some(current), ..limit }).expect("below the hard limit");
}

/// I9: whoever is one too many is told or makes an idle one leave, and nobody is left waiting.
#[test]
fn of_a_thousand_connections_at_once_each_is_served_or_told_and_the_next_is_served() {
    const MANY: usize = 1_000;
    allow_descriptors();
    let home = Home::new();
    let daemon = home.start();
    let socket = home.socket();
    let mut streams: Vec<UnixStream> = (0..MANY)
        .map(|_| {
            let mut stream = UnixStream::connect(&socket).expect("somebody listens");
            stream.set_read_timeout(Some(PATIENCE)).expect("a socket takes a limit");
            // Who was turned away at once cannot be written to any more.
            let _ = stream.write_all(HELLO.as_bytes());
            stream
        })
        .collect();
    let (mut served, mut told) = (0, 0);
    for stream in &mut streams {
        // The first line only: a connection that was served stays open.
        let mut line = Vec::new();
        let mut byte = [0];
        while !line.ends_with(b"\n") {
            match stream.read(&mut byte) {
                Ok(1) => line.push(byte[0]),
                Ok(_) => break,
                Err(error) if error.kind() == ErrorKind::ConnectionReset => break,
                Err(error) => panic!("left waiting: {error}"),
            }
        }
        match serde_json::from_slice::<Value>(&line) {
            Ok(answer) if answer["result"]["pid"] == daemon.pid() => served += 1,
            Ok(answer) => {
                assert_eq!(answer["error"]["code"], 429, "{answer}");
                told += 1;
            }
            Err(_) => assert!(line.is_empty(), "half a line: {line:?}"),
        }
    }
    tell("of 1,000 connections at once served", to_f64(served), &format!("{told} told that there are too many"));
    assert!(served >= CONNECTIONS_MAX as u64, "only {served}");
    let open = std::fs::read_dir(format!("/proc/{}/fd", daemon.pid())).expect("it runs").count();
    assert!(open < CONNECTIONS_MAX + 64, "{open} descriptors");
    assert_eq!(Connection::open(&socket).exchange(HELLO.trim_end())["result"]["pid"], daemon.pid());
}

/// The time to a frame is one for the whole of it: a byte now and then gains none.
#[test]
fn who_sends_a_byte_now_and_then_is_hung_up_on_with_words_and_so_is_who_sends_nothing() {
    let home = Home::new();
    let _daemon = home.start();
    let socket = home.socket();
    let silent = std::thread::spawn({
        let socket = socket.clone();
        move || Connection::open(&socket).receive()
    });
    let mut stream = UnixStream::connect(&socket).expect("somebody listens");
    stream.set_read_timeout(Some(Duration::from_millis(500))).expect("a socket takes a limit");
    let begun = instant();
    let mut answer = Vec::new();
    let mut sent = 0;
    for byte in HELLO.bytes().cycle().filter(|byte| *byte != b'\n') {
        assert!(begun.elapsed() < PATIENCE, "it may go on for ever");
        if stream.write_all(&[byte]).is_err() {
            break;
        }
        sent += 1;
        // The wait between two bytes.
        match stream.read_to_end(&mut answer) {
            Ok(_) => break,
            Err(error) if error.kind() == ErrorKind::WouldBlock => {}
            Err(_) => break,
        }
    }
    let told = String::from_utf8_lossy(&answer).into_owned();
    assert!(told.contains("\"code\":429") && told.contains("did not come within 10 s"), "{told:?} after {sent} bytes");
    let told = silent.join().expect("no panic");
    assert_eq!(told["error"]["message"], "cannot wait for the message: it did not come within 10 s");
}

#[test]
fn who_never_reads_holds_little_and_slows_nobody() {
    let home = Home::new();
    let daemon = home.start();
    let socket = home.socket();
    let mut connection = home.connect();
    for number in 0..50 {
        let notes = "n".repeat(10_000);
        connection.call("task.add", json!({"title": format!("task {number}"), "notes": notes}));
    }
    let before = status_field(daemon.pid(), "VmRSS:");
    let list = json!({"jsonrpc": "2.0", "id": 1, "method": "task.list", "params": {}}).to_string() + "\n";
    let deaf: Vec<UnixStream> = (0..20)
        .map(|_| {
            let mut stream = UnixStream::connect(&socket).expect("somebody listens");
            stream.set_nonblocking(true).expect("a socket can be");
            // As much as goes in: the daemon stops reading once its answer is not taken.
            let mut sent = 0;
            while sent < 4 * 1024 * 1024 {
                match stream.write(list.as_bytes()) {
                    Ok(count) => sent += count,
                    Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                    Err(error) => panic!("{error}"),
                }
            }
            assert!(sent < 4 * 1024 * 1024, "what nobody reads the answer of is not read either");
            stream
        })
        .collect();
    for _ in 0..50 {
        let begun = instant();
        connection.call("task.get", json!({"task": 1}));
        assert!(begun.elapsed() < Duration::from_secs(2), "others wait for the deaf");
    }
    let grown = to_f64(status_field(daemon.pid(), "VmRSS:").saturating_sub(before)) / 1024.0;
    tell("20 callers that never read cost, MiB", grown, "");
    assert!(grown < 64.0, "{grown} MiB");
    drop(deaf);
}

/// Half a message and then nothing, a connection whose other end is gone, one that was only opened.
#[test]
fn half_open_connections_cost_nobody_a_place() {
    let home = Home::new();
    let _daemon = home.start();
    let socket = home.socket();
    let mut kept = Vec::new();
    for number in 0..2 * CONNECTIONS_MAX {
        let mut stream = UnixStream::connect(&socket).expect("somebody listens");
        match number % 3 {
            0 => drop(stream.write_all(&HELLO.as_bytes()[..20])),
            1 => drop(stream.shutdown(std::net::Shutdown::Read)),
            _ => {}
        }
        if number % 5 > 0 {
            kept.push(stream);
        }
    }
    for _ in 0..10 {
        assert_eq!(Connection::open(&socket).exchange(HELLO.trim_end())["id"], 1);
    }
}

#[test]
fn another_user_is_refused_even_where_the_files_would_let_them_in() {
    const NOBODY: u32 = 65_534;
    const CALLER: &str = "import socket, sys
s = socket.socket(socket.AF_UNIX)
s.settimeout(30)
s.connect(sys.argv[1])
print(s.makefile().readline(), end='')";
    if !rustix::process::geteuid().is_root() {
        return eprintln!("left out: only root can be another user too, run the tests as root for this one");
    }
    let home = Home::new();
    let _daemon = home.start();
    let socket = home.socket();
    let call = |program: &str| {
        let mut command = Command::new("setpriv");
        command.args(["--reuid", &NOBODY.to_string(), "--clear-groups", program, "-c", CALLER]).arg(&socket);
        command.output().expect("setpriv is there")
    };
    let python = "/usr/bin/python3";
    let shut_out = call(python);
    let told = String::from_utf8_lossy(&shut_out.stderr).into_owned();
    assert!(told.contains("PermissionError"), "the folders keep others out: {told}");
    // As if somebody had opened every folder and the socket to all.
    let mut opened: Option<&Path> = Some(&socket);
    while let Some(path) = opened.filter(|path| path.starts_with(home.path(""))) {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o777)).expect("it is ours");
        opened = path.parent();
    }
    let refused = call(python);
    let answer: Value = serde_json::from_slice(&refused.stdout).unwrap_or_else(|_| panic!("{refused:?}"));
    assert_eq!(
        answer["error"]["message"],
        format!("cannot take the connection: it is user {NOBODY}'s, expected user 0")
    );
    assert_eq!(home.connect().exchange(HELLO.trim_end())["id"], 1, "the owner is served on");
}

#[test]
fn without_descriptors_accepting_rests_and_does_not_spin() {
    let home = Home::new();
    let mut command = home.command("sh");
    let line = "ulimit -n 48; exec \"$0\" --clock 2026-05-13T12:00:00Z";
    command.args(["-c", line, env!("CARGO_BIN_EXE_keikod")]);
    let daemon = Daemon::start(command);
    let socket = home.socket();
    // More than it can accept, and each keeps its place in the queue of the socket.
    let connections: Vec<UnixStream> =
        (0..120).map(|_| UnixStream::connect(&socket).expect("there is a queue")).collect();
    let before = cpu_ticks(daemon.pid());
    wait(Duration::from_secs(3));
    let ticks = cpu_ticks(daemon.pid()) - before;
    tell("CPU of a daemon without descriptors in 3 s, ms", to_f64(ticks) * 10.0, "a spinning loop takes 3000");
    assert!(ticks < 60, "{ticks} ticks of 300");
    drop(connections);
    // It may still turn away who came while there was none; soon it takes everybody.
    let begun = instant();
    while Connection::open(&socket).exchange(HELLO.trim_end())["result"]["pid"] != daemon.pid() {
        assert!(begun.elapsed() < PATIENCE, "it does not recover");
    }
}

#[test]
fn a_second_signal_while_it_stops_ends_it_at_once() {
    for signal in [Signal::TERM, Signal::INT] {
        let home = Home::new();
        let daemon = home.start();
        let socket = home.socket();
        let mut connection = home.connect();
        for number in 0..50 {
            connection.call("task.add", json!({"title": format!("task {number}"), "notes": "n".repeat(50_000)}));
        }
        // An answer that nobody reads keeps the daemon from ending for some seconds.
        let mut deaf = UnixStream::connect(&socket).expect("somebody listens");
        let list = json!({"jsonrpc": "2.0", "id": 1, "method": "event.list", "params": {}}).to_string() + "\n";
        deaf.write_all(list.as_bytes()).expect("it is read");
        let mut first = [0; 1];
        deaf.read_exact(&mut first).expect("the answer has begun");
        daemon.signal(Signal::TERM);
        // It stops: nobody is let in any more.
        let begun = instant();
        while UnixStream::connect(&socket).is_ok() {
            assert!(begun.elapsed() < PATIENCE, "it goes on");
        }
        let begun = instant();
        daemon.signal(signal);
        assert_eq!(daemon.ended().code(), Some(130), "as a process that a signal ended");
        assert!(begun.elapsed() < Duration::from_secs(4), "at once, not after the grace time");
        let _next = home.start();
        assert_eq!(home.connect().call("task.get", json!({"task": 50}))["task"]["title"], "task 49");
    }
}

/// One winner, whatever the number of those who saw the same version.
#[test]
fn of_five_hundred_updates_of_the_same_version_one_wins_and_the_rest_see_the_latest() {
    allow_descriptors();
    let home = Home::new();
    let _daemon = home.start();
    let mut figures = conflicts::run(&home);
    conflicts::tell_all(&mut figures);
}

/// Five hundred clients, each with a connection of its own, update the same version of a task at once.
pub(crate) mod conflicts {
    use std::sync::Barrier;

    use serde_json::{Value, json};

    use crate::support::daemon::{Connection, Home};
    use crate::support::measure::{micros, quantile, tell};

    /// How many clients there are: as many as the daemon takes connections, but for a few.
    const CLIENTS: usize = 500;

    /// Lets them all try; returns how long each answer took, in ms.
    pub(crate) fn run(home: &Home) -> Vec<f64> {
        let task = home.connect().call("task.add", json!({"title": "tea"}))["task"].take();
        let (number, version) = (&task["number"], &task["version"]);
        let socket = &home.socket();
        let start = &Barrier::new(CLIENTS);
        let answers: Vec<(Value, f64)> = std::thread::scope(|scope| {
            let clients: Vec<_> = (0..CLIENTS)
                .map(|client| {
                    let params = json!({"task": number, "version": version, "title": format!("tea {client}")});
                    scope.spawn(move || {
                        let mut connection = Connection::open(socket);
                        start.wait();
                        let mut answer = Value::Null;
                        let took = micros(|| answer = connection.ask("task.update", params));
                        (answer, took / 1000.0)
                    })
                })
                .collect();
            clients.into_iter().map(|client| client.join().expect("no client panics")).collect()
        });
        let (won, lost): (Vec<_>, Vec<_>) = answers.iter().partition(|(answer, _)| answer["error"].is_null());
        assert_eq!((won.len(), lost.len()), (1, CLIENTS - 1));
        let winner = &won[0].0["result"]["task"];
        for (answer, _) in lost {
            assert_eq!(answer["error"]["code"], 409, "{answer}");
            assert_eq!(answer["error"]["data"]["latest"]["title"], winner["title"]);
            assert_eq!(answer["error"]["data"]["latest"]["version"], winner["version"]);
        }
        answers.into_iter().map(|(_, took)| took).collect()
    }

    /// Prints the figures.
    pub(crate) fn tell_all(figures: &mut [f64]) {
        tell("500 conflicting updates at once p50, ms", quantile(figures, 0.5), "each client a thread of its own");
        tell("500 conflicting updates at once p99, ms", quantile(figures, 0.99), "goal 5 with --release");
    }
}
