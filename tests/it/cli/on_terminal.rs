//! What is asked on a terminal, and only there: which of several tasks, and whether many. And long answers in a pager.

use crate::cli::{Home, binary};
use crate::support::pty::Pty;

/// Returns the shell command that runs `keiko` in a home, with variables besides.
pub(crate) fn keiko(home: &Home, variables: &[(&str, &str)], line: &str) -> String {
    use std::os::unix::ffi::OsStrExt as _;
    let mut command = "env -i TERM=xterm ".to_owned();
    let quoted = |value: &str| shlex::try_quote(value).expect("no NUL").into_owned();
    for (name, value) in home.command("keiko").get_envs() {
        let value = String::from_utf8_lossy(value.unwrap_or_default().as_bytes()).into_owned();
        command.push_str(&name.to_string_lossy());
        command.push('=');
        command.push_str(&quoted(&value));
        command.push(' ');
    }
    for (name, value) in variables {
        command.push_str(name);
        command.push('=');
        command.push_str(&quoted(value));
        command.push(' ');
    }
    format!("{command} {} {line}", binary("keiko").display())
}

/// Returns a home with three tasks whose titles have a word in common.
fn home() -> Home {
    let home = Home::with_daemon();
    for line in ["add 'pay rent' tomorrow 3pm", "add 'pay tax' friday", "add '支付 pay 水费' +home"] {
        assert_eq!(home.keiko(line).code, Some(0));
    }
    home
}

fn stages(home: &Home) -> Vec<String> {
    let tasks = home.keiko("list --all --json").json()["tasks"].clone();
    let mut tasks: Vec<(u64, String)> = tasks
        .as_array()
        .expect("tasks")
        .iter()
        .map(|task| (task["number"].as_u64().expect("a number"), task["stage"].as_str().expect("a stage").to_owned()))
        .collect();
    tasks.sort();
    tasks.into_iter().map(|(_, stage)| stage).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_names_several_picks_one() {
    let home = home();
    let mut pty = Pty::run(&format!("{}; echo exit=$?=; stty -a; echo the end", keiko(&home, &[], "cancel pay")));
    let shown = pty.wait_for("水费").await;
    assert!(shown.contains("which one?") && shown.contains("pay rent") && shown.contains("pay tax"), "{shown}");
    // Down, and up again; then typing finds another.
    pty.press("\x1b[B\x1b[A").await;
    pty.press("tax").await;
    pty.wait_for("which one?\x1b[0m tax").await;
    pty.press("\r").await;
    let shown = pty.wait_for("the end").await;
    assert!(shown.contains("exit=0=") && shown.contains("isig icanon") && shown.contains(" echo "), "{shown}");
    assert_eq!(stages(&home), ["scheduled", "cancelled", "no time"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_picks_none_does_nothing() {
    let home = home();
    for (key, exit) in [("\x1b", "exit=4="), ("\x03", "exit=130="), ("\x04", "exit=4=")] {
        let mut pty = Pty::run(&format!("{}; echo exit=$?=", keiko(&home, &[], "done pay")));
        pty.wait_for("水费").await;
        pty.press(key).await;
        let shown = pty.wait_for(exit).await;
        assert!(shown.contains("nothing was done: no task was picked"), "{shown}");
    }
    assert_eq!(stages(&home), ["scheduled", "scheduled", "no time"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn several_that_are_due_are_picked_from() {
    let home = home();
    home.keiko("add tea in 1m");
    home.keiko("add coffee in 2m");
    home.advance("2026-05-13T16:05:00-04:00");
    let mut pty = Pty::run(&format!("{}; echo exit=$?=", keiko(&home, &[], "done")));
    pty.wait_for("coffee").await;
    pty.press("cof\r").await;
    pty.wait_for("exit=0=").await;
    assert_eq!(stages(&home)[3..], ["due", "done"]);
}

#[test]
fn where_nobody_can_be_asked_the_error_names_the_candidates() {
    let home = home();
    let ran = home.keiko("done pay");
    assert_eq!(ran.code, Some(4));
    insta::assert_snapshot!(ran.stderr, @r#"
    error: cannot tell which task "pay" means: 1 pay rent, 2 pay tax, 3 支付 pay 水费
    hint: name one by its number
    "#);
}

#[tokio::test(flavor = "multi_thread")]
async fn programs_on_a_terminal_are_not_asked() {
    let home = home();
    let mut pty = Pty::run(&format!("{}; echo exit=$?=", keiko(&home, &[], "done pay --json")));
    let shown = pty.wait_for("exit=4=").await;
    assert!(shown.contains("\"ambiguous\"") && !shown.contains("which one?"), "{shown}");
    let mut pty = Pty::run(&format!("{}; echo exit=$?=", keiko(&home, &[], "done pay -q")));
    let shown = pty.wait_for("exit=4=").await;
    assert!(!shown.contains("which one?"), "{shown}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_range_of_many_is_asked_about_and_a_list_of_numbers_is_not() {
    let home = home();
    home.keiko("add 'one more' tomorrow");
    let mut pty = Pty::run(&format!("{}; echo exit=$?=", keiko(&home, &[], "cancel 1-4")));
    let shown = pty.wait_for("cancel 4 tasks? [y/N] ").await;
    assert!(shown.contains("pay rent") && shown.contains("one more"), "{shown}");
    pty.type_line("").await;
    pty.wait_for("exit=1=").await;
    assert_eq!(stages(&home), ["scheduled", "scheduled", "no time", "scheduled"]);
    // No question in a pipe, nor with -y, nor of those that were typed one by one.
    let mut pty = Pty::run(&format!("{}; echo exit=$?=", keiko(&home, &[], "pause 1 2 4 3")));
    let shown = pty.wait_for("exit=").await;
    assert!(!shown.contains("[y/N]"), "{shown}");
    let mut pty = Pty::run(&format!("{}; echo exit=$?=", keiko(&home, &[], "resume 1-4 -y")));
    let shown = pty.wait_for("exit=").await;
    assert!(!shown.contains("[y/N]"), "{shown}");
    assert_eq!(home.keiko("cancel 1-4").code, Some(0));
    assert_eq!(stages(&home), ["cancelled"; 4]);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_longer_than_the_screen_is_read_in_a_pager() {
    let home = home();
    for _ in 0..15 {
        home.keiko("pause 1");
        home.keiko("resume 1");
    }
    let pager = "sh -c 'echo [page; cat; echo page]'";
    let run =
        |line: &str, variables: &[(&str, &str)]| Pty::run(&format!("{}; echo exit=$?=", keiko(&home, variables, line)));
    for line in ["history 1", "events", "help add"] {
        let shown = run(line, &[("PAGER", pager)]).wait_for("exit=0=").await;
        assert!(shown.contains("[page\r\n") && shown.contains("page]\r\nexit"), "{line}: {shown}");
    }
    let shown = run("history 1 99", &[("PAGER", "cat"), ("KEIKO_PAGER", pager)]).wait_for("exit=4=").await;
    assert!(shown.contains("page]\r\n\x1b[1m\x1b[31merror"), "an error waits until all was read: {shown}");
    for (line, variables) in [
        ("history 2", &[("PAGER", pager)][..]),
        ("history 1 --no-pager", &[("PAGER", pager)]),
        ("--no-pager help add", &[("PAGER", pager)]),
        ("history 1 --json", &[("PAGER", pager)]),
        ("history 1", &[("PAGER", pager), ("KEIKO_PAGER", "")]),
        ("history 1", &[("PAGER", pager), ("TERM", "dumb")]),
        ("list", &[("PAGER", pager)]),
        ("history 1", &[("PAGER", "no-such-pager")]),
    ] {
        let shown = run(line, variables).wait_for("exit=0=").await;
        assert!(!shown.contains("[page"), "{line} with {variables:?}: {shown}");
        assert!(shown.lines().count() > 1, "{line} with {variables:?}: {shown}");
    }
    let shown = run("events", &[("PAGER", "head -n 3")]).wait_for("exit=").await;
    assert!(shown.contains("exit=0="), "whoever has seen enough ends it: {shown}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_list_and_an_agenda_that_are_longer_than_the_screen_are_read_in_a_pager() {
    let home = Home::with_daemon();
    let lines: Vec<String> = (1..=60).map(|number| format!("task {number} tomorrow 3pm")).collect();
    assert_eq!(home.keiko_with("add -", &lines.join("\n"), |_| {}).code, Some(0));
    let pager = "sh -c 'echo [page; cat; echo page]'";
    let run = |line: &str| Pty::run(&format!("{}; echo exit=$?=", keiko(&home, &[("PAGER", pager)], line)));
    for line in ["list --full", "agenda"] {
        let shown = run(line).wait_for("exit=0=").await;
        assert!(shown.contains("[page\r\n") && shown.contains("page]\r\nexit"), "{line}: {shown}");
    }
    for line in ["list --limit 3", "agenda --limit 3", "list --full --no-pager"] {
        let shown = run(line).wait_for("exit=0=").await;
        assert!(!shown.contains("[page") && shown.contains("task 1"), "{line}: {shown}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_title_from_right_to_left_turns_nothing_round() {
    let home = Home::with_daemon();
    home.keiko("add 'פגישה עם דנה' tomorrow 3pm");
    let mut pty = Pty::run(&format!("{}; echo exit=$?=", keiko(&home, &[], "list")));
    let shown = pty.wait_for("exit=0=").await;
    assert!(shown.contains("\u{2068}פגישה עם דנה\u{2069}"), "{shown:?}");
    assert!(!home.keiko("list").stdout.contains('\u{2068}'), "a pipe gets the title as it is");
}
