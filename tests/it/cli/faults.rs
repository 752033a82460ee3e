//! Faults that other programs had on the command line, each test named after the fault that it looks for: colour codes in
//! pipes, columns that do not line up, warnings before JSON, exit codes that hide a failure, numbers that move.

use std::process::Command;

use crate::cli::{Home, Ran};

/// Commands of every sort of answer: tables, sentences, details, confirmations, errors, help.
const COMMANDS: [&str; 24] = [
    "",
    "list",
    "list --all",
    "show 1",
    "agenda",
    "history 1",
    "why 1",
    "status",
    "op list",
    "channel list",
    "events",
    "away",
    "parse tomorrow 9am",
    "snooze 1 10m --early",
    "edit 1 +x",
    "pause 1",
    "resume 1",
    "undo",
    "add one more tomorrow",
    "done 99",
    "add today at 9am",
    "nonsense",
    "help add",
    "--version",
];

/// B9: columns were padded by code points, so Chinese or emoji titles pushed every later column out of line.
#[test]
fn columns_line_up_for_every_script_at_every_width() {
    let home = Home::with_daemon();
    let titles = [
        "交房租",
        "👨\u{200d}👩\u{200d}👧 party",
        "e\u{301}tude",
        "plain ASCII",
        "פגישה עם דנה",
        "🏳\u{fe0f}\u{200d}🌈 🇫🇷 ❤\u{fe0f} 👍🏽",
        "a title so long that no terminal is wide enough for it, however wide it may be, since it goes on and on and on and on",
        "喝水喝水喝水喝水喝水喝水喝水喝水喝水喝水喝水喝水喝水喝水喝水喝水喝水喝水喝水喝水喝水喝水喝水喝水喝水喝水喝水喝水",
    ];
    for (title, day) in titles.iter().zip([14, 15, 16, 17, 18, 19, 20, 21]) {
        let ran = home.keiko(&format!("add '{title}' --at '2026-05-{day} 15:00'"));
        assert_eq!(ran.code, Some(0), "{ran:?}");
    }
    for width in [40, 80, 200] {
        let ran = home.keiko_with("list", "", |command: &mut Command| {
            command.env("COLUMNS", width.to_string());
        });
        let lines: Vec<&str> = ran.stdout.lines().collect();
        assert_eq!(lines.len(), 1 + titles.len(), "{width}: each task has one line: {lines:#?}");
        // Before the titles everything is as wide as it has letters, so they begin at the same letter of each line.
        let start = lines[0].find("TITLE").expect("a heading");
        for (line, title) in lines[1..].iter().zip(titles) {
            let shown: String = line.chars().skip(start).collect();
            let first = title.chars().next().expect("a letter");
            assert!(shown.starts_with(first), "{width}: {line:?} does not begin its title at {start}");
            let kept = shown.trim_end_matches('…');
            assert!(title.starts_with(kept), "{width}: {shown:?} is not the beginning of {title:?}");
            let rest = &title[kept.len()..];
            assert!(!rest.starts_with(['\u{200d}', '\u{301}', '\u{fe0f}']), "{width}: a cluster was split: {shown:?}");
        }
    }
}

/// B31: colour codes went into pipes and files, and `NO_COLOR` and `TERM=dumb` were ignored, on stderr too. Terminals, where
/// each stream is decided by itself, are tried in `shown`.
#[test]
fn no_command_colours_a_pipe_unless_it_is_forced() {
    let home = Home::with_daemon();
    home.keiko("add 'pay rent' tomorrow 3pm +home --priority high");
    let run = |line: &str, variables: &[(&str, &str)]| {
        home.keiko_with(line, "", |command: &mut Command| {
            command.envs(variables.iter().copied());
        })
    };
    for line in COMMANDS {
        for variables in [&[][..], &[("NO_COLOR", "1")], &[("TERM", "dumb")], &[("TERM", "xterm-256color")]] {
            let ran = run(line, variables);
            let told = ran.stdout.clone() + &ran.stderr;
            assert!(!told.contains('\u{1b}'), "{line:?} with {variables:?}: {told:?}");
            assert!(
                !told.contains(['\u{2068}', '\u{2069}']),
                "{line:?}: marks of direction are for terminals: {told:?}"
            );
        }
        let never = run(&format!("--color=never {line}"), &[("CLICOLOR_FORCE", "1")]);
        assert!(!(never.stdout + &never.stderr).contains('\u{1b}'), "{line:?}");
    }
    assert!(run("list", &[("CLICOLOR_FORCE", "1")]).stdout.contains('\u{1b}'));
    assert!(run("done 99 --color=always", &[]).stderr.contains('\u{1b}'));
}

/// B42: a warning line came before the JSON on stdout, so parsers failed whenever there was anything to warn about.
#[test]
fn json_is_alone_on_its_stream_whatever_there_is_to_warn_of() {
    let check = |home: &Home, line: &str| -> Ran {
        let ran = home.keiko(&format!("{line} --json"));
        let value = ran.json();
        assert_eq!(ran.stdout.lines().count(), 1, "{line}: {ran:?}");
        assert_eq!(value["schema_version"], 1, "{line}: {ran:?}");
        assert_eq!(value["error"].is_object(), ran.code != Some(0), "{line}: {ran:?}");
        ran
    };
    // A configuration to warn of, and a daemon that is started on the way.
    let home = Home::empty();
    home.configure("channels = [\"desktop\"]\nno_such_key = 1\n");
    let ran = check(&home, "add 'pay rent' tomorrow 3pm");
    assert!(ran.stderr.contains("started keikod"), "{ran:?}");
    home.keiko("snooze 1 1h --early");
    let lines = COMMANDS.iter().filter(|line| !["events", "help add", "--version"].contains(line));
    for line in lines.chain(&["done 1-2 --early", "cancel +nothing"]) {
        // What stands on standard error may be warnings, and is no JSON.
        let ran = check(&home, line);
        assert!(!ran.stderr.contains("schema_version"), "{line}: {ran:?}");
    }
    for line in home.keiko("events --json").stdout.lines() {
        assert!(serde_json::from_str::<serde_json::Value>(line).is_ok(), "{line}");
    }
    // No daemon, and none is started.
    home.keiko("daemon stop");
    for line in ["daemon status", "daemon stop", "rpc daemon.status"] {
        assert_eq!(check(&home, line).code, Some(6), "{line}");
    }
}

/// B51: a command on a name that does not exist printed a message and exited 0.
#[test]
fn each_failure_has_its_own_exit_code_and_one_of_several_is_told() {
    let home = Home::with_daemon();
    for line in ["add 'pay rent' tomorrow 3pm", "add 'pay tax' friday", "add done tomorrow", "done 3 --early"] {
        assert_eq!(home.keiko(line).code, Some(0));
    }
    for verb in ["done", "snooze", "cancel", "show", "pause", "resume", "skip", "delete", "edit", "history", "why"] {
        let tail = if verb == "edit" { " --priority high" } else { "" };
        let check = |name: &str, code: i32| {
            let ran = home.keiko(&format!("{verb} {name}{tail}"));
            assert_eq!(ran.code, Some(code), "{verb} {name}: {ran:?}");
            assert!(ran.stderr.starts_with("error: "), "{verb} {name}: {ran:?}");
        };
        check("99", 4);
        check("pay", 4);
        check("no-such-title", 4);
        check("1 --no-such-flag", 2);
    }
    let code = |line: &str| home.keiko(line).code;
    assert_eq!(code("snooze 3 10m"), Some(5), "it has ended");
    assert_eq!(code("resume 1"), Some(5), "it is not paused");
    assert_eq!(code("add x today at 9am"), Some(3));
    assert_eq!(code("snooze 1 until nonsense"), Some(3));
    assert_eq!(code("done 7-5"), Some(2));
    let several = home.keiko("pause 1 99 2");
    assert_eq!(several.code, Some(4), "one of several failed: {several:?}");
    assert_eq!((several.stdout.lines().count(), several.stderr.matches("error: ").count()), (2, 1), "{several:?}");
    let alone = Home::empty();
    assert_eq!(alone.keiko("daemon status").code, Some(6));
}

/// B54: short numbers were renumbered after each command, so the second `done` from one listing hit a different task.
#[test]
fn a_number_means_the_task_that_was_shown_whatever_happened_since() {
    let home = Home::with_daemon();
    for title in ["one", "two", "three", "four"] {
        home.keiko(&format!("add {title} tomorrow"));
    }
    let shown = home.keiko("list").stdout;
    let number = |title: &str| {
        let line = shown.lines().find(|line| line.ends_with(title)).expect("it was shown");
        line.split_whitespace().next().expect("its number").to_owned()
    };
    let first = home.keiko(&format!("done {} --early", number("one")));
    assert!(first.stdout.contains("one"), "it says which: {first:?}");
    // In between others list, add, delete and take back.
    home.keiko("list --all");
    home.keiko("add five tomorrow");
    home.keiko("delete 2");
    home.keiko("add six tomorrow");
    let second = home.keiko(&format!("done {} --early", number("four")));
    assert!(second.stdout.contains("four"), "{second:?}");
    assert!(home.keiko("undo").stdout.contains("four"), "what was done last is taken back");
    assert_eq!(home.keiko("show 2").code, Some(4), "the number of what was deleted is no other's");
    let all = home.keiko("list --all --json").json();
    let mut numbers: Vec<u64> =
        all["tasks"].as_array().expect("tasks").iter().filter_map(|task| task["number"].as_u64()).collect();
    numbers.sort_unstable();
    assert_eq!(numbers, [1, 3, 4, 5, 6]);
}
