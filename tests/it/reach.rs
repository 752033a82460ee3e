//! Whoever calls, and from wherever, reaches the one daemon of their data, and nothing they are told is lost.

#![cfg(target_os = "linux")]

use std::collections::BTreeSet;
use std::io::{BufRead as _, BufReader};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Stdio};

use keiko::config::paths::SOCKET_PATH_MAX;

use crate::support::Killed;
use crate::support::person::{Person, said};

fn mode(path: &Path) -> u32 {
    path.metadata().expect("it is there").permissions().mode() & 0o777
}

/// Returns the process id of the daemon that a command reaches.
#[track_caller]
fn pid(command: Command) -> u64 {
    let status = said(command);
    status.fine();
    status.json()["pid"].as_u64().unwrap_or_else(|| panic!("{status:?}"))
}

#[test]
fn b47_from_a_login_from_cron_and_with_another_runtime_directory_one_daemon_is_reached() {
    let person = Person::new();
    let other_run = person.private_directory("other");
    let ask = || person.keiko_command("daemon status --json");
    let bare = |words: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_keiko"));
        command.args(words.split_whitespace()).env_clear().env("HOME", person.home());
        command
    };
    // Whichever of them comes first starts it, and the others find it.
    for starter in [person.keiko_command("list"), bare("list"), {
        let mut command = person.keiko_command("list");
        command.env("XDG_RUNTIME_DIR", &other_run);
        command
    }] {
        let started = said(starter);
        assert_eq!((started.fine(), started.err.as_str()), ("no tasks\n", "started keikod\n"));
        let expected = pid(ask());
        assert_eq!(pid(bare("daemon status --json")), expected);
        let mut elsewhere = ask();
        elsewhere.env("XDG_RUNTIME_DIR", &other_run);
        assert_eq!(pid(elsewhere), expected);
        let mut shared = ask();
        shared.env("XDG_RUNTIME_DIR", "/tmp");
        assert_eq!(pid(shared), expected);

        let second = said(person.command(env!("CARGO_BIN_EXE_keikod")));
        assert_eq!(second.code, Some(8), "{second:?}");
        person.stop().fine();
    }
}

#[test]
fn b25_a_long_home_with_wide_letters_and_no_runtime_directory_works() {
    let person = Person::without_session(&format!("{}/{}", "家".repeat(30), "庭".repeat(30)));
    assert!(person.home().as_os_str().len() > 150);
    let added = person.keiko("add 买牛奶 tomorrow 3pm");
    assert!(added.fine().starts_with("added 1  买牛奶  "), "{added:?}");
    let status = person.keiko("daemon status --json").json();
    let socket = Path::new(status["socket"].as_str().expect("a path"));
    assert!(socket.as_os_str().len() <= SOCKET_PATH_MAX, "{socket:?}");
    assert_eq!(mode(socket), 0o600);
    assert_eq!(mode(socket.parent().expect("a directory")), 0o700);
}

#[test]
fn b25_a_socket_that_was_named_and_is_too_long_is_refused_with_its_length_and_the_limit() {
    let person = Person::new();
    let long = person.home().join("s".repeat(SOCKET_PATH_MAX));
    let mut command = person.keiko_command("list");
    command.env("KEIKO_SOCKET", &long);
    let refused = said(command);
    assert_ne!(refused.code, Some(0));
    let length = long.as_os_str().len().to_string();
    for part in [long.to_str().expect("UTF-8"), length.as_str(), &SOCKET_PATH_MAX.to_string()] {
        assert!(refused.err.contains(part), "no {part} in {refused:?}");
    }
}

#[test]
fn b42_json_stays_alone_on_standard_output_whatever_there_is_to_warn_about() {
    let person = Person::new();
    person.configure("no_such_key = 1\n");
    // The daemon is started, warns of the key, and nobody can be reached.
    let added = person.keiko("add stretch in 1h --json");
    assert_eq!((&added.json()["task"]["title"], added.code), (&"stretch".into(), Some(0)), "{added:?}");
    assert!(added.err.starts_with("started keikod\n"), "{added:?}");
    for words in ["list --json", "show 1 --json", "history 1 --json", "status --json", "parse tomorrow --json"] {
        let said = person.keiko(words);
        assert_eq!((said.json()["schema_version"].as_u64(), said.code), (Some(1), Some(0)), "{said:?}");
    }
    person.keiko("daemon stop --json").fine();
    let down = person.keiko("daemon status --json");
    assert_eq!((&down.json()["error"]["kind"], down.code), (&"no_daemon".into(), Some(6)), "{down:?}");
}

/// Holds the write lock for two seconds, after it has read in the same transaction where `read_first` says so.
const HOLDER: &str = r"
import sqlite3, sys, time
path, read_first = sys.argv[1:]
database = sqlite3.connect(path, timeout=30, isolation_level=None)
if read_first == 'yes':
    database.execute('BEGIN')
    database.execute('SELECT count(*) FROM sqlite_master').fetchone()
    database.execute('CREATE TABLE held (x)')
else:
    database.execute('BEGIN IMMEDIATE')
print('held', flush=True)
time.sleep(2)
database.execute('ROLLBACK')
";

#[test]
fn b5_many_at_once_wait_for_a_stranger_who_holds_the_database() {
    let person = Person::new();
    person.keiko("list").fine();
    let database = person.home().join(".local/share/keiko/keiko.db");
    let mut numbers = BTreeSet::new();
    for (round, read_first) in ["no", "yes"].into_iter().enumerate() {
        let mut holder = Command::new("python3");
        holder.args(["-c", HOLDER]).arg(&database).arg(read_first).stdout(Stdio::piped());
        let mut holder = Killed(holder.spawn().expect("python3 is installed"));
        let mut line = String::new();
        BufReader::new(holder.0.stdout.take().expect("a pipe")).read_line(&mut line).expect("a pipe can be read");
        assert_eq!(line, "held\n");

        let adding: Vec<_> = (0..32)
            .map(|index| person.keiko_command(&format!("add task {round} {index} tomorrow 3pm --json")))
            .map(|mut command| command.spawn().expect("keiko was built beside the tests"))
            .collect();
        // Questions are answered meanwhile.
        person.keiko("list").fine();
        for child in adding {
            let output = child.wait_with_output().expect("it is our child");
            let told = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success() && !told.contains("is locked"), "{told}");
            let answer: serde_json::Value = serde_json::from_slice(&output.stdout).expect("one JSON value");
            numbers.insert(answer["task"]["number"].as_u64().expect("a number"));
        }
    }
    assert_eq!(numbers, (1..=64).collect());
}
