//! What help and the manual show is true: every example runs, every page is clean, and nothing is left without either.

#![cfg(unix)]

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::sync::Mutex;

use keiko::cli::generate::{Daemon, examples, files};

use crate::cli::{Home, NOW, binary};
use crate::support::Killed;

const README: &str = include_str!("../../README.md");

/// The tasks that examples speak of, by their numbers.
const TASKS: [&str; 7] = [
    "water the plants tomorrow 9am +home",
    "call the plumber tomorrow 10am",
    "stretch today 5pm +work",
    "read the paper monday 9am +work",
    "answer letters today 6pm +work",
    "book the hotel friday 3pm +home",
    "pay rent tomorrow 3pm +home +money",
];

/// Those that take an option: from 8 on.
const MORE_TASKS: [&str; 6] = [
    "add cook --waits-for 7",
    "add standup --every 'weekday at 9:30'",
    "add 'buy milk' +med",
    "add 'an old idea'",
    "add 'check the oven' --at now",
    "add backup every night at 3am -- true",
];

/// Where the examples of a command need more than those tasks.
const BEFORE: [(&str, &[&str]); 15] = [
    ("keiko restore", &["backup backup.db"]),
    ("keiko import everything", &["export everything.jsonl"]),
    ("keiko import calendar", &["export calendar.ics"]),
    ("keiko show", &["edit 7 --at 'in 1m' --retries 3 -- sh -c 'echo hello; exit 1'", "~2026-05-13T16:30:00-04:00"]),
    ("keiko retry", &["edit 7 --at 'in 1m' -- false", "~2026-05-13T16:30:00-04:00"]),
    ("keiko run 7", &["edit 7 -- true"]),
    ("keiko resume", &["pause 3", "pause --tag work"]),
    ("keiko wait", &["done 3 5-7 --early"]),
    ("keiko undo", &["done 12"]),
    ("keiko edit 7 --this", &["edit 7 --every 'month on the 15th'"]),
    ("keiko edit 7 --following", &["edit 7 --every 'month on the 15th'"]),
    ("keiko channel test", &["channel add webhook ops --url-file address --no-test"]),
    ("keiko channel resume", &["channel add webhook ops --url-file address --no-test"]),
    (
        "keiko channel remove",
        &[
            "channel add webhook ops --url-file address --no-test",
            "channel add telegram phone --token-env X --chat 1 --no-test",
        ],
    ),
    ("keiko rpc hook.remove", &["rpc hook.add '{\"name\": \"lamp\", \"on\": [\"due\"], \"command\": [\"true\"]}'"]),
];

/// Examples that go on until they are ended.
const GOING_ON: [&str; 2] = ["keiko watch", "keiko events --follow --since 42"];

/// Examples that tests of their own run: they write where the system's own manager looks, or go on and say no JSON.
const ELSEWHERE: [&str; 6] = [
    "keiko daemon install",
    "keiko daemon logs",
    "keiko daemon logs -f",
    "keiko daemon logs -n 500",
    "keiko daemon restart",
    "keiko restore backup.db",
];

/// Examples that judge this machine, which may well lack something: then they end with 1.
const JUDGING: &str = "keiko doctor";

/// Examples that ask a person, with how they end where none is there.
const ASKING: [(&str, i32); 2] = [("keiko channel add telegram phone", 2), ("keiko edit 7", 2)];

/// The data of a home with the tasks, of which each example gets a copy.
fn template() -> Home {
    let mut home = Home::with_daemon();
    let ran = home.keiko_with("add -", &TASKS.join("\n"), |_| {});
    assert_eq!(ran.code, Some(0), "{ran:?}");
    for line in MORE_TASKS {
        let ran = home.keiko(line);
        assert_eq!(ran.code, Some(0), "{line}: {ran:?}");
    }
    assert_eq!(home.keiko("daemon stop").code, Some(0));
    home.kill();
    home
}

/// A home of an example, and the daemon in it, which finds the same programs.
struct House {
    home: Home,
    _daemon: Killed,
}

/// Returns a home of its own for an example.
fn house(template: &Home, port: u16) -> House {
    let home = Home::empty();
    copy(&template.path().join("data"), &home.path().join("data"));
    let write = |name: &str, text: &str| fs::write(home.path().join(name), text).expect("it is ours");
    write("tasks.txt", "feed the cat tomorrow 8am\n");
    write("script.sh", "exit 0\n");
    write("jobs", "0 3 * * * true\n");
    fs::create_dir_all(home.path().join("etc")).expect("it is ours");
    write("etc/crontab", "0 3 * * * root true\n");
    write("address", &format!("http://127.0.0.1:{port}/hook\n"));
    fs::create_dir_all(home.path().join("bin")).expect("it is ours");
    fs::create_dir_all(home.path().join("mnt/stick")).expect("it is ours");
    for (name, text) in [
        ("make", "exit 0"),
        ("less", "exec cat"),
        ("notify-send", "exit 0"),
        ("crontab", "cat jobs"),
        ("ssh", "cat jobs"),
        (
            "task",
            r#"[ "$1" = export ] && echo '[{"uuid":"11111111-1111-4111-8111-111111111111","description":"call mum","status":"pending"}]' || cat >/dev/null"#,
        ),
        ("pass", &format!("echo http://127.0.0.1:{port}/topic")),
    ] {
        let path = home.path().join("bin").join(name);
        fs::write(&path, format!("#!/bin/sh\n{text}\n")).expect("it is ours");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("it is ours");
    }
    let mut daemon = in_shell(&home, &format!("exec keikod --foreground --clock {NOW} 2>log"));
    let mut daemon = Killed(daemon.spawn().expect("bash is installed"));
    let mut line = String::new();
    let _ = BufReader::new(daemon.0.stdout.take().expect("it is a pipe")).read_line(&mut line);
    let log = fs::read_to_string(home.path().join("log")).unwrap_or_default();
    assert_eq!(line, "ready\n", "the daemon did not come up: {log}");
    House { home, _daemon: daemon }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("it is ours");
    for entry in fs::read_dir(from).expect("it is ours") {
        let entry = entry.expect("it is ours");
        let kind = entry.file_type().expect("it is ours");
        if kind.is_dir() {
            copy(&entry.path(), &to.join(entry.file_name()));
        } else if kind.is_file() {
            fs::copy(entry.path(), to.join(entry.file_name())).expect("it is ours");
        }
    }
}

/// Answers every request with 200, so that what is sent is taken.
fn server() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port of this machine");
    let port = listener.local_addr().expect("it has one").port();
    std::thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            std::thread::spawn(move || {
                let mut reader = BufReader::new(&stream);
                let mut length = 0;
                let mut line = String::new();
                while reader.read_line(&mut line).is_ok_and(|count| count > 2) {
                    let lower = line.to_lowercase();
                    length = lower
                        .strip_prefix("content-length:")
                        .and_then(|text| text.trim().parse().ok())
                        .unwrap_or(length);
                    line.clear();
                }
                let mut body = vec![0; length];
                let _ = reader.read_exact(&mut body);
                // As a server of ntfy answers; others look at the status alone.
                let answer = r#"{"id":"1","time":1778702400,"event":"message","topic":"topic","message":"m"}"#;
                let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\nconnection: close\r\n\r\n", answer.len());
                let _ = (&stream).write_all((head + answer).as_bytes());
            });
        }
    });
    port
}

/// Returns the command that runs a line in a shell, as this person, with the programs under their names.
fn in_shell(home: &Home, line: &str) -> Command {
    let programs = binary("keiko").parent().expect("it lies in a directory").display().to_string();
    let path = format!("{}/bin:{programs}:/usr/bin:/bin", home.path().display());
    let mut shell = Command::new("timeout");
    shell.args(["120", "bash", "-c", line]).env_clear();
    shell.envs(home.command("keiko").get_envs().filter_map(|(name, value)| Some((name, value?))));
    shell.env("PATH", path).env("X", "12:secret").current_dir(home.path());
    shell.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    shell
}

/// Runs an example; says what is wrong with it.
fn run(template: &Home, port: u16, example: &str) -> Option<String> {
    let house = house(template, port);
    let home = &house.home;
    let before = BEFORE.iter().filter(|(name, _)| example.starts_with(name)).flat_map(|(_, lines)| lines.iter());
    for line in before {
        if let Some(time) = line.strip_prefix('~') {
            home.advance(time);
        } else {
            let ran = home.keiko(line);
            assert_eq!(ran.code, Some(0), "{line}: {ran:?}");
        }
    }
    let here = home.path().display();
    // The system's own table is known by its path.
    let mut line = example.replace(" /mnt/", &format!(" {here}/mnt/"));
    line = line.replace(" /etc/crontab", &format!(" --system {here}/etc/crontab"));
    if line.contains("0192a000-0000-7000") {
        let ops = home.keiko("op list --json").json();
        line = line.replace("0192a000-0000-7000", ops["ops"][0]["op_id"].as_str().expect("there is a change"));
    }
    if GOING_ON.contains(&example) {
        return goes_on(home, &line);
    }
    let output: Output = in_shell(home, &line).output().expect("bash is installed");
    if example.starts_with(JUDGING) && output.status.code() == Some(1) {
        return None;
    }
    let expected = ASKING.iter().find(|(asking, _)| *asking == example).map_or(0, |(_, code)| *code);
    let said = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    (output.status.code() != Some(expected)).then(|| format!("{example}: {:?}\n{said}", output.status.code()))
}

/// Starts what goes on, and waits until it has told a change.
fn goes_on(home: &Home, line: &str) -> Option<String> {
    let mut child = Killed(in_shell(home, line).spawn().expect("bash is installed"));
    let mut told = BufReader::new(child.0.stdout.take().expect("it is a pipe"));
    let mut first = String::new();
    let (say, said) = std::sync::mpsc::channel();
    let waits = std::thread::spawn(move || {
        let read = told.read_line(&mut first);
        let _ = say.send(());
        (read.is_ok(), first)
    });
    // What follows begins with the next change, and nothing tells when it has begun: so there are changes until one is told.
    while said.try_recv().is_err() && !waits.is_finished() {
        home.keiko("done 1 2 3 4 5 6 7 --early");
        home.keiko("undo");
    }
    let (is_read, first) = waits.join().expect("it does not panic");
    (!is_read || !first.starts_with('{')).then(|| format!("{line}: {first:?}"))
}

#[test]
fn every_example_runs() {
    let (template, port) = (template(), server());
    let all: Vec<String> = examples().into_iter().flat_map(|(_, lines)| in_folders(lines)).chain(readme()).collect();
    let all: Vec<String> = all.into_iter().filter(|line| !ELSEWHERE.contains(&line.as_str())).collect();
    assert!(all.len() > 80, "{}", all.len());
    let (left, wrong) = (Mutex::new(all), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                while let Some(example) = { left.lock().expect("no panic").pop() } {
                    if let Some(what) = run(&template, port, &example) {
                        wrong.lock().expect("no panic").push(what);
                    }
                }
            });
        }
    });
    let wrong = wrong.into_inner().expect("no panic");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Puts a line that makes a folder before the one that writes into it: they are typed one after the other.
fn in_folders(lines: Vec<String>) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for line in lines {
        match all.last_mut().filter(|last| last.starts_with("mkdir -p ") && !last.contains('\n')) {
            Some(last) => *last = format!("{last}\n{line}"),
            None => all.push(line),
        }
    }
    all
}

/// Returns the lines of README that are for a shell and run `keiko`.
fn readme() -> Vec<String> {
    let blocks = README.split("```sh\n").skip(1).filter_map(|rest| rest.split_once("```"));
    let lines = blocks.flat_map(|(block, _)| block.lines()).filter(|line| line.starts_with("keiko "));
    lines.map(str::to_owned).collect()
}

#[test]
fn every_command_has_an_example_and_a_first_line() {
    let all = examples();
    // Those of its actions are its own.
    let has_some = |name: &str| {
        let is_its_own = |each: &str| each == name || name != "keiko" && each.starts_with(&format!("{name} "));
        all.iter().any(|(each, lines)| is_its_own(each) && !lines.is_empty())
    };
    let commands = all.iter().map(|(name, _)| name).filter(|name| name.split(' ').count() <= 2);
    let without: Vec<&String> = commands.filter(|name| !has_some(name)).collect();
    assert!(without.is_empty(), "these commands have no example: {without:?}");
    for (command, lines) in &all {
        for line in lines {
            // One may show what belongs together, such as what is undone.
            assert!(
                line.contains("keiko ") || line.starts_with("mkdir -p "),
                "{command}: {line:?} runs nothing of ours"
            );
        }
    }
}

fn pages() -> BTreeMap<String, String> {
    let daemon = Daemon { arguments: keiko::daemon::command(), limits: keiko::api::limits::limits() };
    let pages = files(&daemon).into_iter().filter(|file| file.path.starts_with("man"));
    pages
        .map(|file| {
            let name = file.path.file_name().expect("a page has a name").to_string_lossy().into_owned();
            (name, String::from_utf8(file.content).expect("pages are UTF-8"))
        })
        .collect()
}

#[test]
fn every_page_is_clean_for_man_and_mandoc() {
    let folder = tempfile::tempdir().expect("a temporary directory can be made");
    let mut complaints = String::new();
    for (name, content) in pages() {
        let path = folder.path().join(&name);
        fs::write(&path, content).expect("it is ours");
        let run = |program: &str, words: &[&str]| {
            let output = Command::new(program)
                .args(words)
                .arg(&path)
                .env("LC_ALL", "C.UTF-8")
                .env("MANROFFSEQ", "")
                .env("MANWIDTH", "80")
                .output()
                .unwrap_or_else(|error| panic!("{program}: {error}"));
            (String::from_utf8_lossy(&output.stdout).into_owned(), String::from_utf8_lossy(&output.stderr).into_owned())
        };
        let (lint, broken) = run("mandoc", &["-Tlint"]);
        let (_, warnings) = run("man", &["--warnings", "-E", "UTF-8", "-l", "-Tutf8", "-Z"]);
        complaints.extend([lint, broken, warnings]);
    }
    assert!(complaints.is_empty(), "{complaints}");
}

#[test]
fn every_page_says_how_it_ends_and_where_more_is_said() {
    let pages = pages();
    for (name, content) in &pages {
        let has = |section: &str| {
            content.contains(&format!("\n.SH {section}\n")) || content.contains(&format!("\n.SH \"{section}\"\n"))
        };
        assert!(has("DESCRIPTION") && has("SEE ALSO"), "{name}");
        if name.ends_with(".1") || name.ends_with(".8") {
            assert!(has("SYNOPSIS") && has("EXAMPLES") && has("EXIT STATUS"), "{name}");
        }
    }
    for name in ["keiko.1", "keikod.8"] {
        assert!(pages[name].contains("\n.SH FILES\n") && pages[name].contains("\n.SH ENVIRONMENT\n"), "{name}");
    }
    // A page that is named is there. The section stands behind the last dot: keiko.toml.5.
    let named_so = |name: &String| name.rsplit_once('.').map(|(page, section)| format!("{page}({section})"));
    let there: Vec<String> = pages.keys().filter_map(named_so).collect();
    for (name, content) in &pages {
        for line in content.lines().filter_map(|line| line.strip_prefix(".BR ")) {
            let named = line.trim_end_matches(',').replace("\\-", "-").replace(' ', "");
            assert!(there.contains(&named), "{name} names {named}");
        }
    }
}

#[test]
fn help_has_topics_and_finds_the_nearest() {
    let home = Home::empty();
    let hint = |line: &str| {
        let ran = home.keiko(line);
        assert_eq!(ran.code, Some(2), "{ran:?}");
        ran.stderr.lines().find_map(|line| line.strip_prefix("hint: ")).unwrap_or_default().to_owned()
    };
    assert_eq!(hint("help chanels"), "did you mean keiko help channels?");
    assert_eq!(hint("help snoze"), "did you mean keiko help snooze?");
    assert_eq!(hint("help channel tset"), "did you mean keiko help channel test?");
    assert_eq!(
        hint("help gardening"),
        "keiko help lists the commands; topics are time, channels, exit-codes, environment, files"
    );
    for line in ["help exit-codes", "help 'exit codes'", "help exitcodes", "help exit codes"] {
        let ran = home.keiko(line);
        assert!(ran.code == Some(0) && ran.stdout.contains("124  timed out"), "{line}: {ran:?}");
    }
    for topic in ["time", "channels", "environment", "files"] {
        let ran = home.keiko(&format!("help {topic}"));
        assert!(ran.code == Some(0) && ran.stdout.contains("More: man keiko"), "{topic}: {ran:?}");
    }
    let said = |line: &str| home.keiko(line).stdout;
    assert_eq!(said("help channel test"), said("channel test --help"));
    assert_eq!(said("help keiko-done"), said("done -h"));
    assert_eq!(said("help keiko done"), said("done 12 --help"));
    assert!(
        home.keiko("help done --json").json()["text"].as_str().is_some_and(|text| text.contains("Usage: keiko done"))
    );
    assert_eq!(home.keiko("daemon status").code, Some(6), "help starts no daemon");
}
