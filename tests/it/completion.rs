//! Words that are completed: what the program offers, and that real shells show it and run nothing of it.

#![cfg(unix)]

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::cli::{Home, binary};
use crate::support::pty::Pty;

/// What a title may hold that a shell or a terminal would obey.
const HOSTILE: &str = "it's \"quoted\" $(touch pwned) `touch pwned` ${HOME} a:b \\x %d; touch pwned & | > pwned * [7]";

/// How long a shell of a test may wait for the daemon: a busy machine fails nothing.
const PATIENT: &str = "20000";

/// Returns the words that are offered behind a line, as fish gets them.
fn offered(home: &Home, words: &[&str]) -> Vec<String> {
    let answer = answer(home, words);
    answer.lines().skip(1).map(|line| line.split('\t').next().unwrap_or_default().to_owned()).collect()
}

fn answer(home: &Home, words: &[&str]) -> String {
    let ran = home.keiko_with("__complete fish", "", |command| {
        command.args(words).env("KEIKO_COMPLETION_WAIT", PATIENT);
    });
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "{words:?}");
    ran.stdout
}

fn add(home: &Home, title: &str) {
    let params = serde_json::json!({"title": title, "at": "tomorrow 3pm"}).to_string();
    let ran = home.keiko_with("rpc task.add", "", |command| {
        command.arg(params);
    });
    assert_eq!(ran.code, Some(0), "{ran:?}");
}

/// A home with a task in every place where one can stand.
fn one_of_each() -> Home {
    let home = Home::with_daemon();
    for line in [
        "add due in 5m --nag 1h +here",
        "add ahead tomorrow 3pm +there",
        "add sleeps friday 3pm",
        "pause 3",
        "add 'no time at all'",
        "add waits --waits-for 2",
        "add series every day at 9am",
        "add finished tomorrow",
        "done 7",
        "add 'fails for good' --in 1m -- false",
        "add 'is run' every day at 5am -- true",
        "add dropped monday",
        "cancel 10",
        "add 'was due' --at 4:02pm",
        "add gone monday",
        "delete 12",
        "add 'to a place that is away' --in 1m --via desktop",
    ] {
        let ran = home.keiko(line);
        assert_eq!(ran.code, Some(0), "{line}: {ran:?}");
    }
    home.advance("2026-05-13T16:10:00-04:00");
    home.keiko("ack 11");
    home
}

#[test]
fn only_what_may_be_said_of_a_task_just_now_is_offered() {
    let verbs = ["done", "ack", "snooze", "pause", "resume", "skip", "cancel", "retry", "unblock", "delete"];
    for verb in verbs {
        let home = one_of_each();
        let last = 13;
        // From the last on, so that what is done to one frees none that is still to be looked at.
        for number in (1..=last).rev().map(|number: u32| number.to_string()) {
            let is_offered = offered(&home, &["keiko", verb, ""]).contains(&number);
            let ran = home.keiko(&format!("{verb} {number} --json"));
            let result: Value = serde_json::from_str(ran.stdout.trim()).unwrap_or_default();
            let results = result["results"].as_array().cloned().unwrap_or_else(|| vec![result.clone()]);
            let did = ran.code == Some(0) && results.iter().any(|each| each["changed"] != false);
            // What has ended can still be deleted, and is not offered for that.
            let has_ended = ["7", "8", "10"].contains(&number.as_str()) && verb == "delete";
            assert_eq!(is_offered, did && !has_ended, "{verb} {number}: {ran:?}");
        }
    }
}

#[test]
fn any_open_task_can_be_looked_at_changed_and_waited_for() {
    let home = one_of_each();
    let open = ["1", "11", "13", "2", "3", "4", "5", "6", "9"];
    for words in [["show"], ["why"], ["history"], ["edit"], ["wait"]] {
        let mut found = offered(&home, &["keiko", words[0], ""]);
        found.sort();
        assert_eq!(found, open, "{words:?}");
    }
    assert_eq!(offered(&home, &["keiko", "run", ""]), ["9"]);
    assert_eq!(offered(&home, &["keiko", "show", "1"]), ["1", "11", "13"], "what is due comes first");
    assert_eq!(offered(&home, &["keiko", "done", "2", ""]).iter().filter(|each| *each == "2").count(), 0);
    assert_eq!(offered(&home, &["keiko", "add", "x", "--waits-for", "2,3"]), ["2,3"]);
    assert_eq!(offered(&home, &["keiko", "show", "x"]), [""; 0]);
}

#[test]
fn tags_targets_and_changes_are_offered() {
    let home = one_of_each();
    assert_eq!(offered(&home, &["keiko", "add", "tea", "+"]), ["+here", "+there"]);
    assert_eq!(offered(&home, &["keiko", "list", "--tag", "t"]), ["there"]);
    assert_eq!(offered(&home, &["keiko", "done", "+h"]), ["+here"]);
    assert_eq!(offered(&home, &["keiko", "add", "tea", "--via", ""]), ["desktop", "terminal"]);
    assert_eq!(offered(&home, &["keiko", "channel", "test", "d"]), ["desktop"]);
    let ops = answer(&home, &["keiko", "undo", ""]);
    let latest = ops.lines().nth(1).expect("there are changes").to_owned();
    assert!(latest.ends_with("ack 11 was due"), "{ops}");
    let name = latest.split('\t').next().unwrap_or_default();
    assert_eq!(home.keiko(&format!("undo {name}")).code, Some(0), "what is offered can be taken back");
}

#[test]
fn of_very_many_some_are_offered_and_no_digit_is_completed_that_is_not_certain() {
    let home = Home::with_daemon();
    let lines: Vec<String> = (1..=420).map(|number| format!("task {number} tomorrow 3pm")).collect();
    let lines = lines.join("\n");
    assert_eq!(home.keiko_with("add -", &lines, |_| {}).code, Some(0));
    // So that the first hundred that are left all begin with 1.
    assert_eq!(home.keiko("cancel 1-99 --yes").code, Some(0));
    let found = offered(&home, &["keiko", "done", ""]);
    assert_eq!(found.len(), 100);
    assert!(found.iter().any(|number| !number.starts_with('1')), "{found:?}");
    let found = offered(&home, &["keiko", "done", "41"]);
    assert_eq!(found, ["410", "411", "412", "413", "414", "415", "416", "417", "418", "419"]);
}

#[test]
fn without_a_daemon_nothing_is_said_and_none_is_started() {
    let home = Home::empty();
    assert_eq!(answer(&home, &["keiko", "done", ""]), ":\n");
    assert_eq!(answer(&home, &["keiko", "undo", ""]), ":\n");
    assert_eq!(answer(&home, &["keiko", "add", "tea", "--priority", "h"]), ":\nhigh\tShown first\n");
    assert_eq!(home.keiko("daemon status").code, Some(6), "completing started one");
}

#[test]
fn a_daemon_that_hangs_holds_up_no_shell() {
    let home = Home::with_daemon();
    add(&home, "pay rent");
    let pid = home.keiko("daemon status --json").json()["pid"].as_i64().expect("a number");
    let pid = i32::try_from(pid).ok().and_then(rustix::process::Pid::from_raw).expect("a process");
    rustix::process::kill_process(pid, rustix::process::Signal::STOP).expect("it is ours");
    // It comes back while the daemon still hangs: that it does is what is shown here.
    let ran = home.keiko("__complete fish keiko done ''");
    rustix::process::kill_process(pid, rustix::process::Signal::CONT).expect("it is ours");
    assert_eq!((ran.code, ran.stdout.as_str(), ran.stderr.as_str()), (Some(0), "", ""));
}

#[test]
fn titles_are_one_line_without_controls_for_every_shell() {
    let home = Home::with_daemon();
    add(&home, HOSTILE);
    for shell in ["zsh", "fish", "elvish", "powershell"] {
        let ran = home.keiko_with(&format!("__complete {shell} keiko done ''"), "", |command| {
            command.env("KEIKO_COMPLETION_WAIT", PATIENT);
        });
        assert_eq!(ran.stdout.lines().count(), 2, "{shell}: {ran:?}");
        assert!(!ran.stdout.chars().any(|c| c.is_control() && c != '\n' && c != '\t'), "{shell}: {ran:?}");
        assert!(ran.stdout.contains("$(touch pwned)"), "{shell}: {ran:?}");
    }
}

#[test]
fn each_shell_gets_the_script_that_is_checked_in() {
    let home = Home::empty();
    for (shell, file) in [
        ("bash", "keiko.bash"),
        ("zsh", "_keiko"),
        ("fish", "keiko.fish"),
        ("elvish", "keiko.elv"),
        ("powershell", "keiko.ps1"),
    ] {
        let ran = home.keiko(&format!("completions {shell}"));
        let kept = fs::read_to_string(scripts().join(file)).expect("it is checked in");
        assert_eq!((ran.code, ran.stdout), (Some(0), kept), "{shell}");
    }
    assert_eq!(home.keiko("completions tcsh").code, Some(2));
    assert_eq!(home.keiko("daemon status").code, Some(6), "it needs no daemon");
}

fn scripts() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("completions")
}

/// A home in which a person is about to complete words, in a directory of files with names that a shell would obey.
struct Desk {
    home: Home,
    files: PathBuf,
}

impl Desk {
    fn new() -> Self {
        let home = Home::with_daemon();
        add(&home, HOSTILE);
        add(&home, "call mum");
        add(&home, "sleep well");
        home.keiko("pause 3");
        let files = home.path().join("files");
        fs::create_dir(&files).expect("it is ours");
        for name in ["$(touch pwned)", "`touch pwned`", "; touch pwned", "two\nlines", "-rf", "12 * ?", "it's \"one\""]
        {
            fs::write(files.join(format!("hostile {name}")), "").expect("it is ours");
        }
        fs::write(files.join("$(touch pwned)"), "").expect("it is ours");
        Self { home, files }
    }

    /// Starts a shell on a terminal in the directory of files, with this program under its own name.
    fn shell(&self, command: &str) -> Pty {
        let bin = binary("keiko").parent().expect("it lies in a directory").to_owned();
        let home = self.home.path().display();
        // The prompt is told by a variable, which bash and zsh both read.
        Pty::run(&format!(
            "cd '{}'; exec env -i HOME='{home}' XDG_RUNTIME_DIR='{home}/run' KEIKO_DATA_DIR='{home}/data' \
             KEIKO_CONFIG='{home}/config.toml' KEIKO_COMPLETION_WAIT={PATIENT} TZ=America/New_York TERM=xterm \
             NO_COLOR=1 LC_ALL=C.UTF-8 PS1='ready> ' PATH='{}:/usr/bin:/bin' {command}",
            self.files.display(),
            bin.display()
        ))
    }

    /// Asserts that nothing of what people wrote was run.
    #[track_caller]
    fn is_unharmed(&self) {
        for directory in [&self.files, &self.home.path().to_owned()] {
            assert!(!directory.join("pwned").exists(), "something was run in {}", directory.display());
        }
    }
}

/// What a shell shows when it reads keys again: its prompt, and that it takes pasted text.
const READY: [&str; 2] = ["ready>", "[?2004h"];

/// Types `keiko done`, sees the tasks, completes the one that can be resumed, a tag and a target.
async fn try_it(desk: &Desk, mut shell: Pty, list: &str) {
    shell.press(&format!("keiko done {list}")).await;
    let shown = shell.wait_for("call mum").await;
    assert!(shown.contains("it's \"quoted\" $(touch pwned) `touch pwned`"), "{shown}");
    assert!(!shown.contains("hostile"), "a file is offered for a task: {shown}");
    // Control-U gives the line up.
    shell.press("\x15echo here-'1'\r").await;
    shell.wait_for_all("here-1", &READY).await;
    shell.press("keiko resume \t\r").await;
    shell.wait_for_all("resumed 3", &READY).await;
    shell.press("keiko sno\t").await;
    // What a shell draws of the word is its end at least.
    shell.wait_for("oze").await;
    shell.press("2 1h\r").await;
    shell.wait_for_all("snoozed 2", &READY).await;
    shell.press("keiko add tea tomorrow --via te\t\r").await;
    shell.wait_for_all("added 4", &READY).await;
    shell.press("keiko show 4 --js\t | tr -d '{'\r").await;
    let shown = shell.wait_for("\"channels\":[\"terminal\"]").await;
    assert!(!shown.contains("hostile"), "{shown}");
    desk.is_unharmed();
}

#[tokio::test(flavor = "multi_thread")]
async fn bash_shows_tasks_and_runs_nothing_of_them() {
    let desk = Desk::new();
    let mut shell = desk.shell("bash --norc --noprofile -i");
    shell.wait_for_all("", &READY).await;
    shell.type_line("source <(keiko completions bash); echo so-'far'").await;
    shell.wait_for_all("so-far", &READY).await;
    // The second key lists what the first could not decide.
    try_it(&desk, shell, "\t\t").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn bash_completion_finds_it_by_its_name() {
    let desk = Desk::new();
    let folder = desk.home.path().join(".local/share/bash-completion/completions");
    fs::create_dir_all(&folder).expect("it is ours");
    fs::copy(scripts().join("keiko.bash"), folder.join("keiko")).expect("it is ours");
    let mut shell = desk.shell("bash --norc --noprofile -i");
    shell.wait_for_all("", &READY).await;
    shell.type_line("source /usr/share/bash-completion/bash_completion; echo so-'far'").await;
    shell.wait_for_all("so-far", &READY).await;
    try_it(&desk, shell, "\t\t").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn bash_completes_files_where_a_file_is_meant_and_targets_behind_their_colon() {
    let desk = Desk::new();
    desk.home.configure("channels = [\"desktop\"]\n[webhooks.ops]\nurl = \"http://127.0.0.1:9/\"\n");
    assert_eq!(desk.home.keiko("daemon reload").code, Some(0));
    let mut shell = desk.shell("bash --norc --noprofile -i");
    shell.wait_for_all("", &READY).await;
    shell.type_line("source <(keiko completions bash); keiko() { printf '<%s>' \"$@\"; echo; }; echo so-'far'").await;
    shell.wait_for_all("so-far", &READY).await;
    shell.press("keiko backup \\$\t\r").await;
    shell.wait_for_all("<backup><$(touch pwned)>", &READY).await;
    shell.press("keiko add --via webhook:o\t\r").await;
    shell.wait_for_all("<add><--via><webhook:ops>", &READY).await;
    shell.press("keiko add --via=webhook:o\t\r").await;
    shell.wait_for_all("<add><--via=webhook:ops>", &READY).await;
    shell.press("keiko add --tz Europe/Berl\t\r").await;
    shell.wait_for("<add><--tz><Europe/Berlin>").await;
    desk.is_unharmed();
}

#[tokio::test(flavor = "multi_thread")]
async fn zsh_shows_tasks_and_runs_nothing_of_them() {
    let desk = Desk::new();
    let mut shell = desk.shell("zsh -f -i");
    shell.wait_for_all("", &READY).await;
    let folder = scripts();
    let folder = folder.display();
    shell
        .type_line(&format!("fpath=('{folder}' $fpath); autoload -Uz compinit; compinit -u -d ~/dump; echo so-'far'"))
        .await;
    shell.wait_for_all("so-far", &READY).await;
    try_it(&desk, shell, "\t").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn fish_shows_tasks_and_runs_nothing_of_them() {
    let desk = Desk::new();
    let folder = desk.home.path().join(".config/fish");
    fs::create_dir_all(folder.join("completions")).expect("it is ours");
    fs::copy(scripts().join("keiko.fish"), folder.join("completions/keiko.fish")).expect("it is ours");
    fs::write(folder.join("config.fish"), "function fish_prompt; echo 'ready> '; end; set -g fish_greeting\n")
        .expect("it is ours");
    let mut shell = desk.shell("fish -i");
    shell.wait_for_all("", &READY).await;
    try_it(&desk, shell, "\t").await;
}
