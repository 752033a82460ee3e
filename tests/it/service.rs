//! The daemon under a service manager: the socket that it is handed, and what it says of itself. Both are given by hand, as
//! `sd_listen_fds(3)` and `sd_notify(3)` describe them.

#![cfg(target_os = "linux")]

use std::fs;
use std::io::{BufRead as _, ErrorKind};
use std::os::fd::OwnedFd;
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::net::{SocketAddr, UnixDatagram, UnixListener, UnixStream};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use rustix::process::Signal;
use serde_json::json;

use crate::support::daemon::{Connection, Daemon, Home, NOON};
use crate::support::{Killed, PATIENCE};

/// Hands standard input over as the first file, with what is said of it, and becomes the daemon.
const HAND_OVER: &str = r#"
import os, sys
os.dup2(0, 3, inheritable=True)
os.dup2(os.open("/dev/null", os.O_RDONLY), 0)
for said in sys.argv[1].split():
    name, value = said.split("=", 1)
    os.environ[name] = value.replace("OWN", str(os.getpid()))
os.execv(sys.argv[2], sys.argv[2:])
"#;

/// What a service manager says of one socket of ours.
const ONE: &str = "LISTEN_PID=OWN LISTEN_FDS=1 LISTEN_FDNAMES=keikod";

/// Returns the daemon that is handed a socket, of which this is said.
fn handed(home: &Home, socket: impl Into<OwnedFd>, said: &str) -> Command {
    let mut command = home.command("python3");
    command.args(["-c", HAND_OVER, said, env!("CARGO_BIN_EXE_keikod"), "--clock", NOON]);
    command.stdin(Stdio::from(socket.into()));
    command
}

fn listener(home: &Home, name: &str) -> UnixListener {
    UnixListener::bind(home.path(name)).expect("it is free")
}

fn announced(home: &Home) -> String {
    fs::read_to_string(home.path("data/keikod.socket")).unwrap_or_default()
}

fn keiko(home: &Home, words: &str) -> std::process::Output {
    home.command(env!("CARGO_BIN_EXE_keiko")).args(words.split(' ')).output().expect("keiko was built")
}

#[test]
fn a_socket_that_is_handed_over_is_served_and_stays_when_the_daemon_goes() {
    let home = Home::new();
    let kept = listener(&home, "run/kept.sock");
    kept.set_nonblocking(true).expect("a socket");
    let path = home.path("run/kept.sock");
    for _ in 0..2 {
        // Who calls before there is a daemon waits, and is answered.
        let mut early = Connection::open(&path);
        early.send("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"daemon.hello\"}\n");
        let daemon = Daemon::start(handed(&home, kept.try_clone().expect("a descriptor"), ONE));
        assert_eq!(early.receive()["result"]["pid"], daemon.pid());
        let status = Connection::open(&path).call("daemon.status", json!({}));
        assert_eq!(status["socket"], path.display().to_string());
        assert_eq!(announced(&home), format!("{}\nkept by the service manager\n", path.display()));
        daemon.signal(Signal::TERM);
        assert!(daemon.ended().success());
        assert!(path.exists() && !announced(&home).is_empty(), "it is not the daemon's to remove");
        // Nobody who only asks how things are starts a daemon: nobody calls.
        for words in ["daemon status", "daemon stop", "daemon reload"] {
            assert_eq!(keiko(&home, words).status.code(), Some(6), "{words}");
        }
        let called = kept.accept().map(|_| ()).expect_err("nobody called");
        assert_eq!(called.kind(), ErrorKind::WouldBlock);
    }
}

#[test]
fn after_kill_9_the_next_one_serves_the_same_socket_and_whoever_waited() {
    let home = Home::new();
    let kept = listener(&home, "run/kept.sock");
    let path = home.path("run/kept.sock");
    let daemon = Daemon::start(handed(&home, kept.try_clone().expect("a descriptor"), ONE));
    Connection::open(&path).call("task.add", json!({"title": "tea"}));
    daemon.kill();
    let mut waiting = Connection::open(&path);
    waiting.send("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"task.list\",\"params\":{}}\n");
    let _next = Daemon::start(handed(&home, kept, ONE));
    assert_eq!(waiting.receive()["result"]["tasks"][0]["title"], "tea");
}

#[test]
fn who_follows_goes_on_with_the_next_daemon_of_a_service_manager() {
    let home = Home::new();
    let kept = listener(&home, "run/kept.sock");
    let daemon = Daemon::start(handed(&home, kept.try_clone().expect("a descriptor"), ONE));
    let mut command = home.command(env!("CARGO_BIN_EXE_keiko"));
    command.args(["events", "--follow", "--json"]);
    let mut follower = Killed(command.spawn().expect("keiko was built"));
    let mut said = std::io::BufReader::new(follower.0.stderr.take().expect("a pipe")).lines();
    let mut events = std::io::BufReader::new(follower.0.stdout.take().expect("a pipe")).lines();
    Connection::open(&home.path("run/kept.sock")).call("task.add", json!({"title": "tea"}));
    assert!(events.next().expect("an event").expect("text").contains("tea"));
    daemon.signal(Signal::TERM);
    assert!(daemon.ended().success());
    assert_eq!(said.next().expect("a line").expect("text"), "keikod is gone; waiting for it to come back");
    let _next = Daemon::start(handed(&home, kept, ONE));
    assert_eq!(said.next().expect("a line").expect("text"), "keikod is back");
    Connection::open(&home.path("run/kept.sock")).call("task.add", json!({"title": "bread"}));
    assert!(events.next().expect("an event").expect("text").contains("bread"));
}

#[test]
fn a_second_daemon_is_refused_where_a_service_manager_takes_the_calls_too() {
    let home = Home::new();
    let kept = listener(&home, "run/kept.sock");
    let daemon = Daemon::start(handed(&home, kept.try_clone().expect("a descriptor"), ONE));
    let told = crate::support::daemon::refusal_with(home.daemon(), 8);
    assert!(told.contains(&format!("another keikod does already (pid {})", daemon.pid())), "{told}");
    assert!(announced(&home).contains("kept.sock"), "the first one is still found");
    // While the first one ends, the second waits for its end, though the socket takes calls all along.
    daemon.signal(Signal::TERM);
    let second = Daemon::start(handed(&home, kept, ONE));
    assert!(daemon.ended().success());
    assert_eq!(home_pid(&home), second.pid());
}

fn home_pid(home: &Home) -> u32 {
    let path = home.path("run/kept.sock");
    let pid = Connection::open(&path).call("daemon.status", json!({}))["pid"].as_u64().expect("a number");
    u32::try_from(pid).expect("a process")
}

#[test]
fn a_removed_socket_of_a_service_manager_is_made_anew_as_the_daemon_s_own() {
    let home = Home::new();
    let kept = listener(&home, "run/kept.sock");
    let daemon = Daemon::start(handed(&home, kept, ONE));
    let mut connection = Connection::open(&home.path("run/kept.sock"));
    // By then it is let in.
    connection.call("daemon.status", json!({}));
    fs::remove_file(home.path("run/kept.sock")).expect("it is there");
    let begun = crate::support::measure::instant();
    while announced(&home).contains("kept by") || !home.socket().exists() {
        assert!(begun.elapsed() < PATIENCE, "no socket of its own: {}", announced(&home));
        std::thread::yield_now();
    }
    assert_eq!(home.connect().call("daemon.status", json!({}))["pid"], daemon.pid());
    assert_eq!(connection.call("daemon.status", json!({}))["pid"], daemon.pid(), "who is connected stays");
    let own = home.socket();
    daemon.signal(Signal::TERM);
    assert!(daemon.ended().success());
    assert!(!own.exists() && announced(&home).is_empty());
}

/// Starts a daemon that is handed something that it must not use, and returns what it says of that.
#[track_caller]
fn check_passed_over(home: &Home, socket: impl Into<OwnedFd>, said: &str, words: &str) {
    let mut daemon = Daemon::start(handed(home, socket, said));
    let own = home.socket();
    assert!(!announced(home).contains("kept by"), "{said}");
    assert_eq!(Connection::open(&own).call("daemon.status", json!({}))["pid"], daemon.pid(), "it serves all the same");
    // Closed, as all that is inherited: neither the daemon nor what it starts keeps it.
    let third = format!("/proc/{}/fd/3", daemon.pid());
    let inode = fs::read_link(third).map(|target| target.display().to_string()).unwrap_or_default();
    assert!(!inode.contains("kept"), "{inode}");
    daemon.signal(Signal::TERM);
    let log = fs::read_to_string(home.path("data/keikod.log")).unwrap_or_default();
    assert!(log.contains(words), "no {words:?} in {log}");
    let _ = daemon.log();
    assert!(daemon.ended().success());
    let _ = fs::remove_file(home.path("run/kept.sock"));
}

#[test]
fn what_is_for_somebody_else_or_is_no_such_socket_is_passed_over_and_the_daemon_serves_on_its_own() {
    let home = Home::new();
    let kept = || listener(&home, "run/kept.sock");
    check_passed_over(&home, kept(), "LISTEN_PID=1 LISTEN_FDS=1 LISTEN_FDNAMES=keikod", "ready");
    check_passed_over(&home, kept(), "LISTEN_FDS=1 LISTEN_FDNAMES=keikod", "ready");
    check_passed_over(&home, kept(), "LISTEN_PID=OWN LISTEN_FDS=4000000000", "ready");
    check_passed_over(&home, kept(), "LISTEN_PID=OWN LISTEN_FDS=-1", "ready");
    let named = "LISTEN_PID=OWN LISTEN_FDS=1 LISTEN_FDNAMES=other";
    check_passed_over(&home, kept(), named, "expected the name keikod, found \"other\"");
    let datagrams = UnixDatagram::bind(home.path("run/kept.sock")).expect("it is free");
    check_passed_over(&home, datagrams, ONE, "expected a stream socket of the file system");
    let (one, other) = UnixStream::pair().expect("a pair");
    check_passed_over(&home, one, ONE, "expected a stream socket of the file system");
    drop(other);
    let file = fs::File::open("/dev/null").expect("it is there");
    check_passed_over(&home, file, ONE, "expected a stream socket of the file system");
    let hidden = SocketAddr::from_abstract_name(format!("keiko-test-{}", std::process::id())).expect("a name");
    let hidden = UnixListener::bind_addr(&hidden).expect("it is free");
    check_passed_over(&home, hidden, ONE, "expected a stream socket of the file system");
    // Its file is gone: nobody could call.
    let gone = listener(&home, "run/gone.sock");
    fs::remove_file(home.path("run/gone.sock")).expect("it is there");
    check_passed_over(&home, gone, ONE, "gone.sock");
    // A folder that others may enter.
    fs::create_dir(home.path("open")).expect("it is free");
    let open = listener(&home, "open/kept.sock");
    fs::set_permissions(home.path("open"), std::os::unix::fs::PermissionsExt::from_mode(0o755)).expect("it is ours");
    check_passed_over(&home, open, ONE, "others may enter it");
}

#[test]
fn a_socket_elsewhere_than_keiko_socket_says_is_passed_over() {
    let home = Home::new();
    let mut command = handed(&home, listener(&home, "run/kept.sock"), ONE);
    command.env("KEIKO_SOCKET", home.path("run/named.sock"));
    let daemon = Daemon::start(command);
    assert_eq!(home.socket(), home.path("run/named.sock"));
    assert_eq!(home.connect().call("daemon.status", json!({}))["pid"], daemon.pid());
    let log = fs::read_to_string(home.path("data/keikod.log")).expect("it logs");
    assert!(log.contains("as KEIKO_SOCKET says"), "{log}");
}

/// A service manager that hears.
struct Hears(UnixDatagram);

impl Hears {
    fn at(path: &Path) -> Self {
        Self::on(UnixDatagram::bind(path).expect("it is free"))
    }

    fn on(socket: UnixDatagram) -> Self {
        socket.set_read_timeout(Some(PATIENCE)).expect("a socket takes a limit");
        Self(socket)
    }

    /// Returns what is said next, within a time; nothing where nothing is.
    fn within(&self, limit: Duration) -> Option<String> {
        self.0.set_read_timeout(Some(limit)).expect("a socket takes a limit");
        let mut bytes = [0; 8192];
        loop {
            match self.0.recv(&mut bytes) {
                Ok(count) => return Some(String::from_utf8_lossy(&bytes[..count]).into_owned()),
                // A signal to the test's process, such as the end of another test's child, ends a call that has a limit
                // (signal(7)) and says nothing of what is heard.
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(_) => return None,
            }
        }
    }

    /// Returns what is said next but that the daemon lives.
    #[track_caller]
    fn next(&self) -> String {
        loop {
            let said = self.within(PATIENCE).expect("the daemon says something");
            if said != "WATCHDOG=1" {
                return said;
            }
        }
    }
}

#[test]
fn it_says_that_it_is_ready_when_it_answers_and_that_it_reloads_and_stops() {
    let home = Home::new();
    let hears = Hears::at(&home.path("notify"));
    fs::write(home.path("config.toml"), "").expect("it is ours");
    let mut command = home.daemon();
    command.env("NOTIFY_SOCKET", home.path("notify")).env("KEIKO_CONFIG", home.path("config.toml"));
    let daemon = Daemon::start(command);
    let ready = format!("READY=1\nSTATUS=serves {}", home.path("data").display());
    assert_eq!(hears.next(), ready);
    // By then it answers.
    let mut connection = home.connect();
    assert_eq!(connection.call("daemon.status", json!({}))["pid"], daemon.pid());

    daemon.signal(Signal::HUP);
    let monotonic_usec = |said: &str| {
        let (what, usec) = said.split_once("\nMONOTONIC_USEC=").unwrap_or_else(|| panic!("no time in {said}"));
        assert!(what.starts_with("RELOADING=1"), "{said}");
        usec.parse::<u64>().unwrap_or_else(|_| panic!("no number in {said}"))
    };
    let first = monotonic_usec(&hears.next());
    assert_eq!(hears.next(), ready);
    connection.call("daemon.reload", json!({}));
    assert!(monotonic_usec(&hears.next()) >= first);
    assert_eq!(hears.next(), ready);
    fs::write(home.path("config.toml"), "grace_s = \"soon\"\n").expect("it is ours");
    connection.refused("daemon.reload", json!({}));
    monotonic_usec(&hears.next());
    assert_eq!(hears.next(), format!("{ready}; the configuration is wrong, the former one holds"));

    daemon.signal(Signal::TERM);
    assert!(hears.next().starts_with("STOPPING=1"));
    assert!(daemon.ended().success());
    assert_eq!(hears.within(Duration::from_millis(1)), None, "it says no more");
}

#[test]
fn a_manager_that_is_found_by_a_name_and_not_by_a_file_hears_too() {
    let home = Home::new();
    let name = format!("keiko-hears-{}", std::process::id());
    let address = SocketAddr::from_abstract_name(&name).expect("a name");
    let hears = Hears::on(UnixDatagram::bind_addr(&address).expect("it is free"));
    let mut command = home.daemon();
    command.env("NOTIFY_SOCKET", format!("@{name}"));
    let _daemon = Daemon::start(command);
    assert!(hears.next().starts_with("READY=1\n"));
}

#[test]
fn a_manager_of_somebody_else_or_one_that_is_gone_hears_nothing_and_holds_up_nothing() {
    let home = Home::new();
    let hears = Hears::at(&home.path("notify"));
    let mut command = home.daemon();
    command.env("NOTIFY_SOCKET", home.path("notify")).env("SYSTEMD_EXEC_PID", "1");
    let daemon = Daemon::start(command);
    daemon.signal(Signal::TERM);
    assert!(daemon.ended().success());
    assert_eq!(hears.within(Duration::from_millis(1)), None);
    let mut command = home.daemon();
    command.env("NOTIFY_SOCKET", home.path("absent")).env("WATCHDOG_USEC", "nonsense");
    let daemon = Daemon::start(command);
    daemon.signal(Signal::TERM);
    assert!(daemon.ended().success());
    // A daemon that a command starts is none of the manager's that started the command.
    let started =
        home.command(env!("CARGO_BIN_EXE_keiko")).arg("list").env("NOTIFY_SOCKET", home.path("notify")).output();
    assert!(started.expect("keiko was built").status.success());
    assert!(keiko(&home, "daemon stop").status.success());
    assert_eq!(hears.within(Duration::from_millis(1)), None);
}

/// Holds the write lock of a database until it is told to let go.
const HOLDER: &str = r"
import sqlite3, sys
database = sqlite3.connect(sys.argv[1], timeout=30, isolation_level=None)
database.execute('BEGIN IMMEDIATE')
print('held', flush=True)
sys.stdin.readline()
database.execute('ROLLBACK')
";

#[test]
fn the_watchdog_hears_of_the_daemon_only_while_its_loop_goes_round() {
    let home = Home::new();
    let hears = Hears::at(&home.path("notify"));
    let mut command = home.daemon();
    command.env("NOTIFY_SOCKET", home.path("notify")).env("WATCHDOG_USEC", "1000000");
    let _daemon = Daemon::start(command);
    let lives = || hears.within(PATIENCE).expect("it lives");
    for _ in 0..4 {
        lives();
    }
    let mut holder = Command::new("python3");
    holder.args(["-c", HOLDER]).arg(home.path("data/keiko.db")).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut holder = Killed(holder.spawn().expect("python3 is installed"));
    let mut line = String::new();
    std::io::BufReader::new(holder.0.stdout.take().expect("a pipe")).read_line(&mut line).expect("it can be read");
    assert_eq!(line, "held\n");
    // The commit waits for the holder, and the loop for the commit.
    let mut stuck = home.connect();
    stuck.send("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"task.add\",\"params\":{\"title\":\"tea\"}}\n");
    let mut said = 0;
    while hears.within(Duration::from_secs(2)).is_some() {
        said += 1;
        assert!(said < 50, "it is spoken for while it stands still");
    }
    drop(holder.0.stdin.take());
    assert_eq!(lives(), "WATCHDOG=1");
    assert_eq!(stuck.receive()["result"]["task"]["title"], "tea");
}

#[test]
fn without_a_watchdog_or_with_that_of_another_process_it_says_nothing_of_its_life() {
    for said in [("WATCHDOG_USEC", "0"), ("WATCHDOG_PID", "1")] {
        let home = Home::new();
        let hears = Hears::at(&home.path("notify"));
        let mut command = home.daemon();
        command.env("NOTIFY_SOCKET", home.path("notify")).env("WATCHDOG_USEC", "20000").env(said.0, said.1);
        let _daemon = Daemon::start(command);
        assert!(hears.next().starts_with("READY=1"));
        assert_eq!(hears.within(Duration::from_millis(200)), None, "{said:?}");
    }
}
