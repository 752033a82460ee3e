//! How commands start the daemon.

use std::thread;

use crate::cli::Home;

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
    home.configure("grace_period = \"soon\"\n");
    insta::assert_snapshot!(home.transcript(&["list"]), @"
    $ keiko list
    no tasks
    ! started keikod
    ");
    home.configure("");
}

#[test]
fn help_and_parse_start_nothing() {
    let home = Home::empty();
    for line in ["--help", "add --help", "--version", "parse tomorrow", "daemon status", "12 done"] {
        home.keiko(line);
        assert!(!home.path().join("data").exists(), "{line} started something");
    }
}

#[test]
fn arming_a_time_right_after_the_start_mentions_reboots() {
    let home = Home::empty();
    let ran = home.keiko("add tea in 3h");
    let hints: Vec<&str> = ran.stderr.lines().filter(|line| line.starts_with("hint")).collect();
    assert_eq!(hints, ["hint: after a reboot nothing rings until a keiko command has started keikod again"]);
}
