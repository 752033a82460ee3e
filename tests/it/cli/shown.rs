//! What reaches a terminal or a pipe: colours, widths, control characters, closed pipes.

use std::process::Command;

use crate::cli::{Home, Ran, binary};
use crate::support::pty::Pty;

const ESC: char = '\u{1b}';

/// A colour that a terminal is told, in the one place where nothing else is shown.
const LINES: [&str; 6] = ["list", "", "show 1", "history 1", "done 99", "--help"];

#[test]
fn no_colour_goes_into_a_pipe_unless_it_is_forced() {
    let home = Home::with_daemon();
    home.keiko("add pay rent tomorrow");
    let run = |line: &str, variables: &[(&str, &str)]| -> Ran {
        home.keiko_with(line, "", |command: &mut Command| {
            command.envs(variables.iter().copied());
        })
    };
    let has_colour = |ran: &Ran| (ran.stdout.clone() + &ran.stderr).contains(ESC);
    for line in LINES {
        for variables in [&[][..], &[("NO_COLOR", "1")], &[("TERM", "dumb")], &[("CLICOLOR_FORCE", "0")]] {
            assert!(!has_colour(&run(line, variables)), "{line} with {variables:?}");
        }
        assert!(!has_colour(&run(line, &[("NO_COLOR", "1"), ("CLICOLOR_FORCE", "1")])), "{line}");
        assert!(!has_colour(&run(&format!("{line} --color=never"), &[("CLICOLOR_FORCE", "1")])), "{line}");
        assert!(has_colour(&run(line, &[("CLICOLOR_FORCE", "1")])), "{line}");
        assert!(has_colour(&run(&format!("--color=always {line}"), &[("NO_COLOR", "1")])), "{line}");
    }
    assert!(!has_colour(&run("list --json --color=always", &[])));
}

#[tokio::test]
async fn each_stream_is_decided_by_itself_on_a_terminal() {
    let home = Home::with_daemon();
    home.keiko("add pay rent tomorrow");
    let keiko = binary("keiko");
    let shown = async |variables: &str, redirection: &str| {
        let home = home.path().display();
        let line = format!(
            "export KEIKO_DATA_DIR={home}/data XDG_RUNTIME_DIR={home}/run {variables}; \
             {} list {redirection}; {} done 99 {redirection}; echo all-said",
            keiko.display(),
            keiko.display(),
        );
        let mut pty = Pty::run(&line);
        pty.wait_for("all-said\r\n").await
    };
    let both = shown("A=1", "").await;
    assert!(both.contains(ESC) && both.contains("pay rent"), "{both:?}");
    let errors = shown("A=1", ">/dev/null").await;
    assert!(errors.contains(ESC) && !errors.contains("pay rent"), "{errors:?}");
    for variable in ["TERM=dumb", "NO_COLOR=1"] {
        let plain = shown(variable, "").await;
        assert!(!plain.contains(ESC) && plain.contains("pay rent"), "{plain:?}");
    }
}

#[test]
fn columns_line_up_whatever_the_titles_are() {
    let home = Home::with_daemon();
    for title in ["交房租", "👨\u{200d}👩\u{200d}👧 party", "e\u{301}tude", "a plain title of some length that is cut"]
    {
        home.keiko(&format!("add '{title}' tomorrow 3pm"));
    }
    let list = |columns: &str| {
        let ran = home.keiko_with("list", "", |command| {
            command.env("COLUMNS", columns);
        });
        ran.stdout.replace("e\u{301}", "é")
    };
    insta::assert_snapshot!(list("40"), @"
    #       WHEN  TITLE
    1  Thu 15:00  交房租
    2  Thu 15:00  👨‍👩‍👧 party
    3  Thu 15:00  étude
    4  Thu 15:00  a plain title of some len…
    ");
    insta::assert_snapshot!(list("80"), @"
    #  WHEN                    STAGE      TITLE
    1  tomorrow 15:00  in 23h  scheduled  交房租
    2  tomorrow 15:00  in 23h  scheduled  👨‍👩‍👧 party
    3  tomorrow 15:00  in 23h  scheduled  étude
    4  tomorrow 15:00  in 23h  scheduled  a plain title of some length that is cut
    ");
    insta::assert_snapshot!(list("200"), @"
    #  WHEN                    STAGE      TITLE
    1  tomorrow 15:00  in 23h  scheduled  交房租
    2  tomorrow 15:00  in 23h  scheduled  👨‍👩‍👧 party
    3  tomorrow 15:00  in 23h  scheduled  étude
    4  tomorrow 15:00  in 23h  scheduled  a plain title of some length that is cut
    ");
}

#[test]
fn control_characters_never_reach_a_terminal() {
    let home = Home::with_daemon();
    let hostile = "a\u{1b}[2J\u{9b}31m\u{202e}b\u{7}";
    let text = format!("{{\"title\":{}}}", serde_json::Value::from(hostile));
    home.keiko(&format!("rpc task.add '{text}'"));
    home.keiko(&format!("add x --note '{hostile}'"));
    for line in [
        "list",
        "",
        "show 1 2",
        "history 1",
        "events",
        "list --json",
        &format!("done '{hostile}'"),
        &format!("add --{hostile}"),
        &format!("'{hostile}' 3"),
        &format!("rpc '{hostile}'"),
        &format!("parse '{hostile}'"),
        &format!("show '{hostile}' --json"),
    ] {
        let ran = home.keiko(line);
        let shown = ran.stdout.clone() + &ran.stderr;
        let is_obeyed = |c: char| c != '\n' && (c.is_control() || c == '\u{202e}');
        assert!(!shown.contains(is_obeyed), "{line:?}: {ran:?}");
    }
}

#[test]
fn a_closed_pipe_is_silent() {
    let home = Home::with_daemon();
    home.keiko("add pay rent tomorrow");
    for line in ["list", "events --json", "--help", "show 1"] {
        let (reader, writer) = std::io::pipe().expect("a pipe can be made");
        drop(reader);
        let ran = home.keiko_with(line, "", |command| {
            command.stdout(writer);
        });
        assert_eq!((ran.stderr.as_str(), ran.code), ("", Some(0)), "{line}");
    }
}

#[test]
fn a_full_disk_is_not_silent() {
    let home = Home::with_daemon();
    let full = std::fs::File::options().write(true).open("/dev/full").expect("Linux has it");
    let ran = home.keiko_with("list", "", |command| {
        command.stdout(full);
    });
    assert_eq!(ran.code, Some(1));
    insta::assert_snapshot!(ran.stderr, @"error: cannot write to standard output: No space left on device (os error 28)");
}
