//! How commands start the daemon.

use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::thread;

use serde_json::{Value, json};

use crate::cli::Home;
use crate::support::pty::Pty;

#[test]
fn the_first_command_starts_the_daemon_and_says_so_once() {
    let home = Home::empty();
    let first = home.keiko("list");
    assert_eq!((first.stdout.as_str(), first.stderr.as_str(), first.code), ("no tasks\n", "started keikod\n", Some(0)));
    let second = home.keiko("list");
    assert_eq!((second.stdout.as_str(), second.stderr.as_str()), ("no tasks\n", ""));
    let stopped = home.keiko("daemon stop");
    assert!(stopped.stdout.starts_with("stopped keikod (pid "), "{stopped:?}");
    // Its place is free at once.
    assert_eq!(home.keiko("daemon status").code, Some(6));
    assert_eq!(home.keiko("daemon start --json").code, Some(0));
}

#[test]
fn many_first_commands_at_once_start_one_daemon() {
    let home = Home::empty();
    let ran: Vec<_> = thread::scope(|scope| {
        let started: Vec<_> = (0..8)
            .map(|index| {
                scope.spawn({
                    let home = &home;
                    move || home.keiko(&format!("add task {index}"))
                })
            })
            .collect();
        started.into_iter().map(|thread| thread.join().expect("a thread that ends")).collect()
    });
    assert!(ran.iter().all(|ran| ran.code == Some(0)), "{ran:?}");
    let starters = ran.iter().filter(|ran| ran.stderr.contains("started keikod")).count();
    assert_eq!(starters, 1, "{ran:?}");
    assert_eq!(home.keiko("list --json").json()["tasks"].as_array().map(Vec::len), Some(8));
}

#[test]
fn a_daemon_that_does_not_come_up_says_why() {
    let home = Home::empty();
    home.configure("grace_s = \"soon\"\n");
    insta::assert_snapshot!(home.transcript(&["list"]), @r#"
    $ keiko list
    ! error: [home]/config.toml:1:11: cannot use grace_s = "soon": expected a whole number of seconds from 0 to 86400
    ! hint: keiko config check says all that is wrong with it
    [exit 6]
    "#);
    home.configure("");
}

#[test]
fn a_command_that_meets_a_daemon_about_to_end_asks_the_next_one() {
    let home = Home::empty();
    let announcement = home.path().join("data/keikod.socket");
    std::fs::create_dir(home.path().join("data")).expect("a directory of the test's own");
    let socket = home.path().join("run/ending.sock");
    let ending = || {
        let listener = UnixListener::bind(&socket).expect("a socket of the test's own");
        std::fs::write(&announcement, socket.as_os_str().as_encoded_bytes()).expect("a file of the test's own");
        let socket = socket.clone();
        thread::spawn(move || {
            let (_stream, _) = listener.accept().expect("a caller");
            std::fs::remove_file(socket).expect("it was made above");
        })
    };
    let ended = ending();
    assert_eq!(home.keiko("daemon status").code, Some(6), "asking how it is starts none");
    ended.join().expect("it was called");
    let ended = ending();
    let added = home.keiko("add tea");
    assert_eq!((added.stdout.as_str(), added.code), ("added 1  tea  no time\n", Some(0)), "{added:?}");
    assert!(added.stderr.contains("started keikod"), "{added:?}");
    ended.join().expect("it was called");
}

#[test]
fn help_and_parse_start_nothing() {
    let home = Home::empty();
    for line in ["--help", "help", "help done", "add --help", "--version", "parse tomorrow", "daemon status", "12 done"]
    {
        home.keiko(line);
        assert!(!home.path().join("data").exists(), "{line} started something");
    }
}

#[test]
fn arming_a_time_tells_once_of_reboots_and_names_the_command() {
    let home = Home::empty();
    let hints = |line: &str| {
        let ran = home.keiko(line);
        assert_eq!(ran.code, Some(0), "{ran:?}");
        ran.stderr.lines().filter(|line| line.starts_with("hint")).map(str::to_owned).collect::<Vec<_>>()
    };
    home.keiko("list");
    assert_eq!(hints("add bread"), ["hint: to give it a time, run keiko edit 1 tomorrow 3pm"]);
    let expected = "hint: after a reboot nothing rings until a keiko command has run: keiko daemon install has the system start \
                    keikod";
    assert_eq!(hints("add tea in 3h"), [expected]);
    assert_eq!(hints("add more tea in 4h"), [""; 0]);
}

#[test]
fn a_daemon_of_another_version_is_named_and_stopped() {
    let home = Home::empty();
    let socket = home.path().join("run/other.sock");
    let listener = UnixListener::bind(&socket).expect("a socket of the test's own");
    let refusal = |id: u64| {
        json!({ "jsonrpc": "2.0", "id": id, "error": {
            "code": 426, "message": "cannot talk to a client of version 0.1.0 with protocol 1: this daemon is version 9.0.0",
            "data": { "kind": "version", "hint": "run keiko daemon stop", "protocol": 9, "version": "9.0.0" },
        } })
    };
    let hello = json!({
        "schema_version": 9, "version": "9.0.0", "protocol": 9, "schema": 9, "pid": 999_999_999,
        "now": "2026-05-13T16:00:00-04:00", "zone": "UTC", "programmable_clock": false, "of_later_versions": 1,
    });
    let answers = [
        // `list` greets and asks in one go; both are refused.
        [refusal(1), refusal(2)],
        // `daemon stop` does not greet.
        [
            json!({ "jsonrpc": "2.0", "id": 1, "result": hello }),
            json!({ "jsonrpc": "2.0", "id": 2, "result": { "schema_version": 9, "stopping": true } }),
        ],
    ];
    let other = thread::spawn(move || {
        for lines in answers {
            let (stream, _) = listener.accept().expect("a caller");
            let mut requests = BufReader::new(stream.try_clone().expect("a stream")).lines();
            for line in lines {
                requests.next().expect("a request").expect("UTF-8");
                writeln!(&stream, "{line}").expect("a caller that listens");
            }
        }
    });
    let run = |line: &str| {
        home.keiko_with(line, "", |command| {
            command.env("KEIKO_SOCKET", &socket);
        })
    };
    let refused = run("list");
    assert_eq!(refused.code, Some(7), "{refused:?}");
    insta::assert_snapshot!(refused.stderr, @"
    error: cannot talk to the daemon: it is version 9.0.0 with protocol 9, and this is version 0.1.0 with protocol 1
    hint: install keiko 9.0.0, or use the one that is installed beside that daemon
    ");
    assert_eq!(run("daemon stop").stdout, "stopped keikod (pid 999999999)\n");
    other.join().expect("it was asked all that it answers");
}

/// Answers as a daemon of another version does, as many callers as are told, one after another.
fn other_daemon(socket: &Path, version: &'static str, protocol: u32, callers: usize) -> thread::JoinHandle<()> {
    let listener = UnixListener::bind(socket).expect("a socket of the test's own");
    thread::spawn(move || {
        let mut listener = Some(listener);
        for _ in 0..callers {
            let Some(open) = &listener else { break };
            let (stream, _) = open.accept().expect("a caller");
            let requests = BufReader::new(stream.try_clone().expect("a stream")).lines();
            for request in requests.map_while(Result::ok) {
                let request: Value = serde_json::from_str(&request).expect("a request");
                if request["method"] == "daemon.stop" {
                    // Its process counts as gone from the answer on: nobody may reach it then.
                    listener = None;
                }
                let result = match request["method"].as_str() {
                    Some("daemon.hello") => json!({
                        "schema_version": 1, "version": version, "protocol": protocol, "schema": 1, "pid": 999_999_999,
                        "now": "2026-05-13T16:00:00-04:00", "zone": "UTC", "programmable_clock": false,
                    }),
                    Some("daemon.stop") => json!({ "schema_version": 1, "stopping": true }),
                    Some("channel.list") => json!({
                        "schema_version": 1, "now": "2026-05-13T16:00:00-04:00", "channels": [], "targets": [],
                    }),
                    _ => json!({}),
                };
                // Who knows enough hangs up.
                let _ = writeln!(&stream, "{}", json!({ "jsonrpc": "2.0", "id": request["id"], "result": result }));
                if request["method"] == "daemon.stop" {
                    break;
                }
            }
        }
    })
}

/// Returns a home in which a daemon of another version is announced.
fn with_other(version: &'static str, protocol: u32, callers: usize) -> (Home, thread::JoinHandle<()>) {
    let home = Home::empty();
    std::fs::create_dir(home.path().join("data")).expect("a directory of the test's own");
    let socket = home.path().join("run/other.sock");
    std::fs::write(home.path().join("data/keikod.socket"), socket.as_os_str().as_encoded_bytes()).expect("it is ours");
    let other = other_daemon(&socket, version, protocol, callers);
    (home, other)
}

#[test]
fn an_older_daemon_is_named_with_the_command_that_replaces_it_and_restart_does_so_without_a_question() {
    let (home, other) = with_other("0.0.9", 0, 2);
    let refused = home.keiko("list");
    assert_eq!(refused.code, Some(7), "{refused:?}");
    insta::assert_snapshot!(refused.stderr, @"
    error: cannot talk to the daemon: it is version 0.0.9 with protocol 0, and this is version 0.1.0 with protocol 1
    hint: keiko daemon restart stops it and starts version 0.1.0
    ");
    let restarted = home.keiko("daemon restart");
    other.join().expect("it was asked all that it answers");
    assert!(restarted.stdout.starts_with("keikod runs, version 0.1.0"), "{restarted:?}");
    assert_eq!(home.keiko("list").stdout, "no tasks\n");
}

#[tokio::test]
async fn a_person_is_asked_before_an_older_daemon_is_replaced() {
    // Whoever agrees calls it once more, to stop it.
    let (home, other) = with_other("0.0.9", 0, 3);
    let keiko = home.command("keiko");
    let variables = keiko.get_envs().filter_map(|(name, value)| Some((name.to_str()?, value?.to_str()?)));
    let variables: Vec<String> = variables.map(|(name, value)| format!("{name}={value}")).collect();
    let program = keiko.get_program().display();
    let line = format!("stty -echo; env -i {} {program} list; echo exit=$?=", variables.join(" "));
    for (answer, expected) in [("n", "exit=7="), ("", "exit=0=")] {
        let mut pty = Pty::run(&line);
        let asked = pty.wait_for("[Y/n] ").await;
        assert!(asked.contains("keikod runs version 0.0.9, which this keiko cannot talk to"), "{asked}");
        pty.type_line(answer).await;
        pty.wait_for(expected).await;
    }
    other.join().expect("it was asked all that it answers");
    assert_eq!(home.keiko("daemon status --json").json()["version"], env!("CARGO_PKG_VERSION"));
}

#[test]
fn a_newer_daemon_is_never_replaced() {
    let (home, other) = with_other("9.0.0", 1, 1);
    let refused = home.keiko("daemon restart");
    assert_eq!(refused.code, Some(7), "{refused:?}");
    assert!(refused.stderr.contains("hint: install keiko 9.0.0"), "{refused:?}");
    other.join().expect("it was asked all that it answers");
}

#[test]
fn an_older_daemon_of_the_same_protocol_serves_on_and_is_told_of_once() {
    let (home, other) = with_other("0.0.9", 1, 1);
    let told = home.keiko("channel list");
    assert_eq!(told.code, Some(0), "{told:?}");
    assert_eq!(told.stderr, "hint: keikod still runs version 0.0.9: keiko daemon restart starts version 0.1.0\n");
    other.join().expect("it was asked all that it answers");
}

#[test]
fn a_daemon_keeps_nothing_open_of_whoever_starts_it() {
    let home = Home::empty();
    let lock = home.path().join("lock");
    let script = "exec 9> \"$1\"; flock -n 9 && exec \"$2\" list";
    let keiko = home.command("keiko");
    let mut shell = std::process::Command::new("bash");
    shell.env_clear().envs(keiko.get_envs().filter_map(|(name, value)| Some((name, value?))));
    shell.args(["-c", script, "bash"]).arg(&lock).arg(keiko.get_program());
    assert!(shell.output().expect("bash is there").status.success());
    assert_eq!(home.keiko("daemon status").code, Some(0), "it runs");
    let lock = std::fs::File::open(&lock).expect("it was made");
    lock.try_lock().expect("nobody holds it any more");
}
