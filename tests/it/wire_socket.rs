//! Whatever is done to the socket and its folders, there is one daemon, and its own person reaches it.

#![cfg(target_os = "linux")]

use std::fs::{self, File, Permissions};
use std::os::unix::fs::{FileTypeExt as _, PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use crate::support::PATIENCE;
use crate::support::daemon::{Connection, Home, NOON, refusal};
use crate::support::measure::instant;
use crate::support::person::{Person, Said, said};

/// Returns what the daemon of a person tells of itself.
#[track_caller]
fn status(person: &Person) -> Value {
    let status = person.keiko("daemon status --json");
    status.fine();
    status.json()
}

fn socket_of(status: &Value) -> PathBuf {
    status["socket"].as_str().expect("a path").into()
}

fn mode(path: &Path) -> u32 {
    path.symlink_metadata().expect("it is there").permissions().mode() & 0o777
}

/// Waits until the daemon has made its socket anew, as it does without being asked.
#[track_caller]
fn wait_for_socket(path: &Path) {
    let begun = instant();
    while !path.symlink_metadata().is_ok_and(|found| found.file_type().is_socket()) {
        assert!(begun.elapsed() < PATIENCE, "{} does not come back", path.display());
        std::thread::yield_now();
    }
}

/// The end of a session empties its runtime directory and then removes it, while the daemon goes on.
#[test]
fn a_daemon_whose_socket_or_folder_was_removed_is_reached_again_and_is_the_same() {
    let person = Person::new();
    person.keiko("add tea tomorrow 9am").fine();
    let first = status(&person);
    let socket = socket_of(&first);
    let folder = socket.parent().expect("a folder").to_owned();
    let run = folder.parent().expect("a folder").to_owned();
    let away = |name: &str| person.home().with_file_name(name);
    let remove: [&dyn Fn(); 4] = [
        &|| fs::remove_file(&socket).expect("it is there"),
        &|| fs::rename(&folder, away("folder")).expect("it is there"),
        &|| fs::remove_file(person.home().join(".local/share/keiko/keikod.socket")).expect("it is there"),
        // As with a file system that is unmounted, nothing happens in the folder itself.
        &|| fs::rename(&run, away("gone")).expect("it is there"),
    ];
    for removal in remove {
        removal();
        // At once: the command may come before the daemon has seen it.
        let listed = person.keiko("list");
        assert!(listed.fine().contains("tea"), "{listed:?}");
        assert!(!listed.err.contains("started"), "{listed:?}");
        let now = status(&person);
        assert_eq!((&now["pid"], &now["counts"]["pending"]), (&first["pid"], &json!(1)));
        let socket = socket_of(&now);
        assert_eq!((mode(&socket), mode(socket.parent().expect("a folder"))), (0o600, 0o700));
    }
    assert!(!socket_of(&status(&person)).starts_with(&run), "without a runtime directory it went to the short place");
}

#[test]
fn what_is_due_while_nobody_can_call_fires_once() {
    let home = Home::new();
    let daemon = home.start();
    let mut connection = home.connect();
    let socket = home.socket();
    connection.call("task.add", json!({"title": "tea", "at": "today 3pm"}));
    fs::remove_file(&socket).expect("it is there");
    // Who is connected is served on.
    connection.call("clock.advance", json!({"to": "2026-05-13T15:00:00-04:00"}));
    wait_for_socket(&socket);
    let mut again = home.connect();
    assert_eq!(again.call("daemon.status", json!({}))["pid"], daemon.pid());
    let events = again.call("event.list", json!({}))["events"].take();
    let fired = events.as_array().expect("an array").iter().filter(|event| event["operation"] == "fired").count();
    assert_eq!(fired, 1);
}

#[test]
fn a_file_in_the_socket_s_place_is_kept_and_the_socket_comes_back_when_it_goes() {
    let home = Home::new();
    let daemon = home.start();
    let mut connection = home.connect();
    let socket = home.socket();
    let notes = home.path("notes");
    fs::write(&notes, "mine").expect("it is ours");
    fs::rename(&notes, &socket).expect("it is ours");
    // The daemon has seen it by the time that it answers: the folder told it before.
    assert_eq!(connection.call("daemon.status", json!({}))["pid"], daemon.pid());
    assert_eq!(fs::read_to_string(&socket).expect("a file"), "mine");
    fs::remove_file(&socket).expect("it is there");
    wait_for_socket(&socket);
    assert_eq!(Connection::open(&socket).call("daemon.status", json!({}))["pid"], daemon.pid());
}

#[test]
fn a_symlink_in_place_of_the_socket_s_folder_is_passed_over() {
    let person = Person::new();
    let elsewhere = person.private_directory("elsewhere");
    symlink(&elsewhere, person.home().with_file_name("run").join("keiko")).expect("it is free");
    person.keiko("list").fine();
    let socket = socket_of(&status(&person));
    assert!(socket.starts_with("/tmp/") && socket.to_string_lossy().contains("/keiko-"), "{}", socket.display());
    assert_eq!(fs::read_dir(&elsewhere).expect("it is ours").count(), 0, "nothing was put behind the link");
}

#[test]
fn a_runtime_directory_that_is_relative_absent_a_file_or_open_to_others_is_passed_over() {
    let mut person = Person::new();
    let file = person.home().join("file");
    File::create(&file).expect("it is ours");
    let open = person.private_directory("open");
    fs::set_permissions(&open, Permissions::from_mode(0o777)).expect("it is ours");
    for bad in [Path::new("run"), Path::new("/absent/run"), &file, &open, Path::new("/dev/null"), Path::new("")] {
        person.set("XDG_RUNTIME_DIR", bad);
        let listed = person.keiko("list");
        assert_eq!((listed.fine(), listed.err.as_str()), ("no tasks\n", "started keikod\n"), "of {}", bad.display());
        let socket = socket_of(&status(&person));
        assert!(socket.starts_with("/tmp/"), "{} for {}", socket.display(), bad.display());
        assert_eq!((mode(&socket), mode(socket.parent().expect("a folder"))), (0o600, 0o700));
        person.stop().fine();
    }
}

#[test]
fn b47_a_runtime_directory_of_somebody_else_is_passed_over_and_a_taken_short_place_too() {
    const NOBODY: u32 = 65_534;
    if !rustix::process::geteuid().is_root() {
        return eprintln!("left out: only root can give files to others, run the tests as root for this one");
    }
    let person = Person::new();
    let run = person.home().with_file_name("run");
    std::os::unix::fs::chown(&run, Some(NOBODY), None).expect("we are root");
    person.keiko("list").fine();
    let short = socket_of(&status(&person));
    assert!(short.starts_with("/tmp/"), "{}", short.display());
    person.stop().fine();
    // Now somebody has taken that name too, and waits there for what is said to the daemon.
    let taken = short.parent().expect("a folder");
    fs::create_dir(taken).expect("it is free again");
    std::os::unix::fs::chown(taken, Some(NOBODY), None).expect("we are root");
    let listed = person.keiko("list");
    let found = socket_of(&status(&person));
    fs::remove_dir(taken).expect("it is there");
    listed.fine();
    assert_eq!(found.file_name(), Some("keikod.sock".as_ref()));
    assert!(found.starts_with(person.home()), "{}", found.display());
}

/// A login shell, cron, `sudo -u` to the same person, and an environment with nothing in it.
#[test]
fn b47_however_a_person_comes_they_reach_one_daemon() {
    let person = Person::new();
    person.keiko("list").fine();
    let expected = status(&person)["pid"].clone();
    let keiko = env!("CARGO_BIN_EXE_keiko");
    let home = format!("HOME={}", person.home().display());
    let ask = ["daemon", "status", "--json"];
    let mut ways: Vec<(&str, Vec<&str>)> = vec![
        ("env -i HOME", vec!["env", "-i", &home, keiko]),
        ("cron", vec!["env", "-i", &home, "LOGNAME=somebody", "PATH=/usr/bin:/bin", "SHELL=/bin/sh", "sh", "-c"]),
        ("a login shell", vec!["sh", "-l", "-c"]),
        ("another session", vec!["setsid", keiko]),
    ];
    if rustix::process::geteuid().is_root() {
        ways.push(("as sudo -u does", vec!["setpriv", "--reuid", "0", "--clear-groups", "env", "-i", &home, keiko]));
    } else {
        eprintln!("left out: changing the user as sudo does needs root");
    }
    let line = format!("exec {keiko} {}", ask.join(" "));
    for (name, way) in ways {
        let mut command = person.command(way[0]);
        command.args(&way[1..]);
        if way.last() == Some(&"-c") {
            command.arg(&line)
        } else {
            command.args(ask)
        };
        let told: Said = said(command);
        assert_eq!((told.json()["pid"].clone(), told.code), (expected.clone(), Some(0)), "{name}");
    }
}

#[test]
fn a_daemon_that_cannot_come_up_tells_its_last_words_to_the_command_that_started_it() {
    let mut person = Person::new();
    person.set("KEIKO_SOCKET", format!("/tmp/{}", "s".repeat(150)));
    let told = person.keiko("list");
    assert!(told.err.contains("its path has 155 bytes, at most 107 are possible"), "{told:?}");
    let mut person = Person::new();
    person.set("KEIKO_SOCKET", person.home().join("absent/twice/keikod.sock"));
    let told = person.keiko("list");
    assert!(told.err.contains("absent/twice") && told.err.contains("No such file"), "{told:?}");
}

/// A configuration must be read at once and whole, or refused: nobody waits for what never ends.
#[test]
fn a_configuration_that_is_no_file_or_far_too_long_is_refused_in_words() {
    let home = Home::new();
    let config = |name: &str| home.path(name);
    fs::create_dir(config("directory")).expect("it is free");
    File::create(config("long")).expect("it is free").set_len(100 * 1024 * 1024).expect("holes cost nothing");
    assert!(Command::new("mkfifo").arg(config("pipe")).status().expect("mkfifo is there").success());
    symlink("/dev/zero", config("endless")).expect("it is free");
    for (name, why) in [
        ("directory", "it is a directory, expected a file"),
        ("pipe", "it is a pipe, a socket or a device, expected a file"),
        ("endless", "it is a pipe, a socket or a device, expected a file"),
        ("long", "it is longer than 1048576 bytes"),
    ] {
        let mut command = home.command(env!("CARGO_BIN_EXE_keikod"));
        command.args(["--clock", NOON]).env("KEIKO_CONFIG", config(name));
        assert_eq!(
            refusal(command),
            format!(
                "failed: cannot read the configuration {}: {why}\nhint: keiko config check says all that is wrong with it",
                config(name).display()
            )
        );
        let mut command = home.command(env!("CARGO_BIN_EXE_keiko"));
        command.arg("list").env("KEIKO_CONFIG", config(name));
        let told = said(command);
        assert!(told.err.contains(why) && told.code != Some(0), "{told:?}");
        let mut command = home.command(env!("CARGO_BIN_EXE_keiko"));
        command.args(["parse", "tomorrow"]).env("KEIKO_CONFIG", config(name));
        let told = said(command);
        assert!(told.err.contains(why) && told.code != Some(0), "{told:?}");
    }
    symlink("/dev/null", config("masked")).expect("it is free");
    let mut command = home.command(env!("CARGO_BIN_EXE_keiko"));
    command.args(["parse", "tomorrow 9am"]).env("KEIKO_CONFIG", config("masked"));
    said(command).fine();
}
