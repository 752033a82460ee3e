//! `keiko edit N` on a terminal: the task as text in an editor, errors explained in place, nothing of what was written lost.
//!
//! The editor is a script of the test's own: each time it runs it does the next line of a plan.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use crate::cli::Home;
use crate::cli::on_terminal::keiko;
use crate::support::pty::Pty;

/// Keeps each file that it is given, with its rights, and does to it what the next line of `plan` says.
const EDITOR: &str = r#"#!/bin/sh
cd "${0%/*}" || exit 9
for file do :; done
count=$(cat count 2>/dev/null || echo 0)
count=$((count + 1))
echo "$count" >count
cp "$file" "seen$count"
stat -c '%a %n' "$file" >>files
echo "$@" >>arguments
step=$(sed -n "${count}p" plan)
eval "$step"
"#;

/// Returns a home with a task and an editor that does the steps of `plan`; `$file` is the file there.
fn home(plan: &[&str]) -> Home {
    let home = Home::with_daemon();
    home.keiko("add 'pay rent' tomorrow 3pm +home");
    let editor = home.path().join("my editor");
    fs::write(&editor, EDITOR).expect("a file of the test's own");
    fs::set_permissions(&editor, fs::Permissions::from_mode(0o755)).expect("a file of the test's own");
    fs::write(home.path().join("plan"), plan.join("\n")).expect("a file of the test's own");
    home
}

/// Runs `keiko edit 1` with that editor.
fn edit(home: &Home) -> Pty {
    run(home, "edit 1")
}

fn run(home: &Home, line: &str) -> Pty {
    let editor = format!("'{}' --wait", home.path().join("my editor").display());
    // The shell says how keiko ended also where Ctrl-C reached it too, as a shell for people would.
    Pty::run(&format!("trap : INT; {}; echo exit=$?=", keiko(home, &[("EDITOR", &editor)], line)))
}

fn read(home: &Home, name: &str) -> String {
    fs::read_to_string(home.path().join(name)).unwrap_or_default()
}

/// Returns the files that were edited in and are there still.
fn left(home: &Home) -> Vec<String> {
    let files = read(home, "files");
    let mut files: Vec<String> = files.lines().filter_map(|line| line.split(' ').nth(1)).map(str::to_owned).collect();
    files.dedup();
    files.retain(|file| fs::exists(file).unwrap_or(false));
    files
}

#[track_caller]
fn title(home: &Home) -> String {
    home.keiko("show 1 --json").json()["task"]["title"].as_str().expect("a title").to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_saved_is_done_as_one_operation() {
    let home = home(&["sed -i 's/^title.*/title = \"交房租\"/; s/^# nag/nag/; s/^tags.*//' \"$file\""]);
    let mut pty = edit(&home);
    let shown = pty.wait_for("exit=0=").await;
    assert!(shown.contains("keiko undo takes it back"), "{shown}");
    let task = &home.keiko("show 1 --json").json()["task"];
    assert_eq!(
        (&task["title"], &task["nag_ms"], &task["tags"]),
        (&"交房租".into(), &600_000.into(), &serde_json::json!([]))
    );
    assert!(read(&home, "seen1").contains("when = \"2026-05-14 15:00\""), "{}", read(&home, "seen1"));
    assert!(read(&home, "files").starts_with("600 "), "nobody else reads it");
    assert!(read(&home, "arguments").starts_with("--wait "), "an editor has arguments");
    assert!(left(&home).is_empty(), "the file is gone");
    home.keiko("undo");
    assert_eq!(title(&home), "pay rent");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_saved_as_it_is_changes_nothing() {
    let home = home(&["true"]);
    let mut pty = edit(&home);
    let shown = pty.wait_for("exit=0=").await;
    assert!(shown.contains("nothing was changed"), "{shown}");
    assert_eq!(home.keiko("show 1 --json").json()["task"]["version"], 1);
    assert!(left(&home).is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn an_error_is_explained_in_place_as_often_as_it_takes() {
    let home = home(&[
        "sed -i 's/^title.*/title = \"x/' \"$file\"",
        "sed -i 's/^title.*/title = \"x\"/; s/^when.*/when = \"yesterday\"/' \"$file\"",
        "sed -i 's/^when.*/when = \"friday 4pm\"/' \"$file\"",
    ]);
    let mut pty = edit(&home);
    pty.wait_for("open it again? [Y/n] ").await;
    pty.type_line("").await;
    pty.wait_for("has passed").await;
    pty.wait_for("09:00`").await;
    pty.type_line("y").await;
    pty.wait_for("exit=0=").await;
    assert_eq!(home.keiko("show 1 --json").json()["task"]["due_at"], "2026-05-15T16:00:00-04:00");
    let second = read(&home, "seen2");
    assert!(second.contains("# error: cannot read this: invalid basic string"), "{second}");
    assert!(second.contains("\ntitle = \"x\n"), "what was written is there: {second}");
    let third = read(&home, "seen3");
    assert!(third.contains("has passed\n# hint: say `tomorrow 09:00`\nwhen = \"yesterday\"\n"), "{third}");
    assert_eq!(third.matches("# error").count(), 1, "{third}");
    assert!(left(&home).is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_gives_up_loses_nothing_of_what_they_wrote() {
    let home = home(&["echo 'nonsense = 1' >>\"$file\""]);
    let mut pty = edit(&home);
    pty.wait_for("open it again? [Y/n] ").await;
    pty.type_line("n").await;
    let shown = pty.wait_for("exit=2=").await;
    assert!(shown.contains("what you wrote is kept in"), "{shown}");
    let [kept] = &left(&home)[..] else { panic!("one file is kept") };
    assert!(fs::read_to_string(kept).expect("it is there").ends_with("nonsense = 1\n"));
    fs::remove_file(kept).expect("it is the test's own");
    assert_eq!(title(&home), "pay rent");
}

#[tokio::test(flavor = "multi_thread")]
async fn another_change_meanwhile_is_shown_with_both() {
    let home = home(&["sed -i 's/^title.*/title = \"mine\"/' \"$file\"; until [ -f go ]; do :; done", "true"]);
    let mut pty = edit(&home);
    while read(&home, "seen1").is_empty() {
        tokio::task::yield_now().await;
    }
    home.keiko("edit 1 --title theirs --priority high");
    fs::write(home.path().join("go"), "").expect("a file of the test's own");
    let shown = pty.wait_for("open it again? [Y/n] ").await;
    assert!(shown.contains("task 1 was changed while you edited it"), "{shown}");
    pty.type_line("").await;
    pty.wait_for("exit=0=").await;
    let second = read(&home, "seen2");
    let both = "# changed meanwhile: was \"pay rent\", became \"theirs\"; you wrote \"mine\"\ntitle = \"mine\"\n";
    assert!(second.contains(both), "{second}");
    let task = &home.keiko("show 1 --json").json()["task"];
    assert_eq!(
        (&task["title"], &task["priority"]),
        (&"mine".into(), &"high".into()),
        "theirs stays where I wrote nothing"
    );
    assert!(left(&home).is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn an_editor_that_fails_or_is_killed_changes_nothing() {
    let home = home(&["exit 3", "kill -KILL $$"]);
    for told in ["exit status: 3", "signal: 9"] {
        let mut pty = edit(&home);
        let shown = pty.wait_for("exit=1=").await;
        assert!(shown.contains("nothing was changed") && shown.contains(told), "{shown}");
        assert_eq!(title(&home), "pay rent");
        assert!(left(&home).is_empty());
    }
    let mut pty = Pty::run(&format!("{}; echo exit=$?=", keiko(&home, &[("VISUAL", "no-such-editor -w")], "edit 1")));
    let shown = pty.wait_for("exit=1=").await;
    assert!(
        shown.contains("cannot run the editor \"no-such-editor\"") && shown.contains("set VISUAL or EDITOR"),
        "{shown}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_saved_once_stays_whatever_becomes_of_a_later_round() {
    let bad = "sed -i 's/^when.*/when = \"yesterday\"/; s/^title.*/title = \"much work\"/' \"$file\"";
    for (later, code, told) in [
        ("exit 3", 1, "exit status: 3"),
        ("kill -KILL $$", 1, "signal: 9"),
        // Looked at again, and left as it was.
        ("true", 0, "nothing was changed"),
    ] {
        let home = home(&[bad, later]);
        let mut pty = edit(&home);
        pty.wait_for("open it again? [Y/n] ").await;
        pty.type_line("y").await;
        let shown = pty.wait_for(&format!("exit={code}=")).await;
        assert!(shown.contains("what you wrote is kept in") && shown.contains(told), "{shown}");
        let [kept] = &left(&home)[..] else { panic!("one file is kept") };
        assert!(fs::read_to_string(kept).expect("it is there").contains("title = \"much work\"\n"));
        fs::remove_file(kept).expect("it is the test's own");
        assert_eq!(title(&home), "pay rent");
    }
    // The first round is no other.
    let home = home(&["sed -i 's/^title.*/title = \"x\"/' \"$file\"; exit 3"]);
    let shown = edit(&home).wait_for("exit=1=").await;
    assert!(shown.contains("what you wrote is kept in"), "{shown}");
    let [kept] = &left(&home)[..] else { panic!("one file is kept") };
    fs::remove_file(kept).expect("it is the test's own");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_editor_that_leaves_a_pipe_holds_up_nobody() {
    let home = home(&["rm \"$file\"; mkfifo \"$file\""]);
    let shown = edit(&home).wait_for("exit=1=").await;
    assert!(shown.contains("socket or a device, expected a file"), "{shown}");
}

#[tokio::test(flavor = "multi_thread")]
async fn ctrl_c_is_the_editors_own() {
    // Sent to all on the terminal, as the key does; the editor lives on and saves.
    let home = home(&["trap true INT; kill -INT 0; sed -i 's/^title.*/title = \"saved\"/' \"$file\""]);
    let mut pty = edit(&home);
    pty.wait_for("exit=0=").await;
    assert_eq!(title(&home), "saved");
}

#[test]
fn without_a_terminal_it_is_refused_as_before() {
    let home = home(&["true"]);
    let ran = home.keiko_with("edit 1", "", |command| {
        command.env("EDITOR", "true");
    });
    assert_eq!(ran.code, Some(2));
    insta::assert_snapshot!(ran.stderr, @"
    error: cannot edit task 1: nothing to change was given
    hint: say what is to change, such as: keiko edit 1 tomorrow 4pm
    ");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_configuration_is_edited_as_a_whole_and_holds_at_once() {
    let home = home(&["echo 'snooze_default = \"20m\"  # mine' >>\"$file\""]);
    let shown = run(&home, "config edit").wait_for("exit=0=").await;
    assert!(shown.contains("written"), "{shown}");
    let config = read(&home, "config.toml");
    assert!(config.starts_with("channels = ") && config.ends_with("snooze_default = \"20m\"  # mine\n"), "{config}");
    assert!(home.keiko("config get snooze_default").stdout.contains("20m"));
    assert!(read(&home, "files").starts_with("600 ") && left(&home).is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wrong_configuration_takes_no_place_and_can_be_opened_again() {
    let wrong = "echo 'snooze_default = \"soon\"' >>\"$file\"";
    let home = home(&[
        wrong,
        "sed -i 's/= \"soon\"/= = 3/' \"$file\"",
        "sed -i 's/= = 3/= \"20m\"/' \"$file\"",
        wrong,
        "true",
    ]);
    let before = read(&home, "config.toml");
    let mut pty = run(&home, "config edit");
    pty.wait_for("open it again? [Y/n] ").await;
    assert_eq!(read(&home, "config.toml"), before);
    pty.type_line("").await;
    pty.wait_for("line 2: cannot read the configuration").await;
    pty.wait_for("[Y/n] ").await;
    pty.type_line("y").await;
    pty.wait_for("exit=0=").await;
    assert!(
        read(&home, "seen2").contains("# error (keiko config edit): cannot use snooze_default"),
        "{}",
        read(&home, "seen2")
    );
    assert_eq!(read(&home, "seen3").matches("# error").count(), 1, "{}", read(&home, "seen3"));
    let good = read(&home, "config.toml");
    assert_eq!(good, format!("{before}snooze_default = \"20m\"\n"));

    let mut pty = run(&home, "config edit");
    pty.wait_for("open it again? [Y/n] ").await;
    pty.type_line("n").await;
    let shown = pty.wait_for("exit=1=").await;
    assert!(shown.contains("what you wrote is kept in"), "{shown}");
    assert_eq!(read(&home, "config.toml"), good);
    assert_eq!(left(&home).len(), 1);
    let shown = run(&home, "config edit").wait_for("exit=0=").await;
    assert!(shown.contains("nothing was changed"), "{shown}");
    let nobody = home.keiko("config edit");
    assert_eq!(nobody.code, Some(2), "{nobody:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn every_value_of_a_task_stays_as_it_was_where_none_is_changed_and_new_ones_are_done() {
    let home = home(&[
        "sed -i 's/^nag_max.*/nag_max = 3/; s/^deadline_alerts.*/deadline_alerts = [\"2h\"]/; s/^# metadata.*/metadata = { room = \"12\" }/' \
         \"$file\"",
        "sed -i 's/^memory.*/memory = \"64M\"/' \"$file\"",
    ]);
    home.keiko("edit 1 --nag 10m --nag-max 5 --deadline 'friday 6pm' --deadline-alert 1d,0");
    edit(&home).wait_for("exit=0=").await;
    let task = home.keiko("show 1 --json").json()["task"].clone();
    assert_eq!(
        (&task["nag_ms"], &task["nag_max"], &task["deadline_alerts"], &task["metadata"]),
        (&600_000.into(), &3.into(), &serde_json::json!(["-2h"]), &serde_json::json!({"room": "12"}))
    );
    home.keiko("add build tomorrow 3pm --limit memory=32M --limit cpu=10m --nice 3 -- true");
    run(&home, "edit 2").wait_for("exit=0=").await;
    let command = home.keiko("show 2 --json").json()["task"]["command"].clone();
    assert_eq!(command["limits"]["memory_bytes"], 64 << 20);
    assert_eq!((&command["limits"]["cpu_s"], &command["nice"]), (&600.into(), &3.into()));
}
