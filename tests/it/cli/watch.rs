//! `keiko watch`: on a terminal the screen as it changes, with the terminal as before afterwards; in a pipe the events.

use std::os::unix::ffi::OsStrExt as _;

use rustix::termios::{Winsize, tcsetwinsize};

use crate::cli::Home;
use crate::support::pty::Pty;

/// What gives the terminal back.
const LEAVE: &str = "\x1b[?25h\x1b[?1049l";

/// Returns the shell command that runs `keiko watch` in a home, and tells how it ended and how the terminal then is.
fn watch(home: &Home) -> String {
    let command = home.command("keiko");
    let mut line = "echo device=$(tty)=; env -i TERM=xterm ".to_owned();
    for (name, value) in command.get_envs() {
        let value = String::from_utf8_lossy(value.unwrap_or_default().as_bytes()).into_owned();
        for part in [&*name.to_string_lossy(), "='", value.as_str(), "' "] {
            line.push_str(part);
        }
    }
    line + &format!("{} watch; echo code=$?=; stty -a; echo the end", command.get_program().to_string_lossy())
}

#[tokio::test(flavor = "multi_thread")]
async fn the_screen_follows_what_happens_and_the_terminal_is_given_back() {
    let mut home = Home::with_daemon();
    let mut pty = Pty::run(&watch(&home));
    let shown = pty.wait_for("nothing to do").await;
    assert!(shown.contains("Wed 13 May 2026 16:00 EDT"), "{shown:?}");
    home.keiko("add tea in 10m");
    pty.wait_for("in 10m").await;
    home.keiko("add 'evil \u{1b}]0;title\u{7}' tomorrow");
    let shown = pty.wait_for("evil").await;
    assert!(!shown.contains("\u{1b}]0;"), "nothing of a title reaches the terminal: {shown:?}");
    home.advance("2026-05-13T16:10:00-04:00");
    pty.wait_for("\x1b[1m\x1b[33mdue\x1b[0m").await;
    home.kill();
    pty.wait_for("keikod is gone; this is how it was.").await;
    home = home.start();
    home.keiko("add coffee in 2h");
    pty.wait_for("coffee").await;
    pty.press("q").await;
    let shown = pty.wait_for("the end").await;
    let after = shown.split(LEAVE).nth(1).expect("it gave the terminal back");
    assert!(after.contains("code=0="), "{after:?}");
    assert!(after.contains("isig icanon") && after.contains(" echo "), "{after:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn ctrl_c_ends_it_and_another_size_is_heeded() {
    let home = Home::with_daemon();
    for _ in 0..12 {
        home.keiko("add a title that is longer than a narrow terminal is wide in 10m");
    }
    let mut pty = Pty::run(&watch(&home));
    let shown = pty.wait_for("and 4 more: keiko list").await;
    let device = shown.split('=').nth(1).expect("the device between two signs").to_owned();
    let terminal = std::fs::File::open(device).expect("a terminal");
    let size = Winsize { ws_row: 8, ws_col: 40, ws_xpixel: 0, ws_ypixel: 0 };
    tcsetwinsize(&terminal, size).expect("a terminal has a size");
    let shown = pty.wait_for("and more: keiko list").await;
    // It may be drawn once more meanwhile, which has only begun then.
    let last = shown.split("\x1b[H").find(|frame| frame.contains("and more: keiko list")).expect("it was drawn anew");
    let rows: Vec<&str> = last.split("\r\n").collect();
    assert_eq!(rows.len(), 8, "{rows:?}");
    assert!(rows.iter().any(|row| row.contains('…')), "{rows:?}");
    pty.press("\u{3}").await;
    let shown = pty.wait_for("the end").await;
    assert!(shown.contains("code=130=") && shown.contains(LEAVE), "{shown:?}");
}

#[test]
fn in_a_pipe_it_tells_what_happens_from_now_on() {
    use std::io::{BufRead as _, BufReader};

    let home = Home::with_daemon();
    home.keiko("add tea in 10m");
    let mut command = home.command("keiko");
    let mut child = command.arg("watch").stdout(std::process::Stdio::piped()).spawn().expect("keiko is built");
    let mut lines = BufReader::new(child.stdout.take().expect("its output is a pipe")).lines();
    // When it began nobody is told; one of these is behind that.
    let (stop, is_over) = std::sync::mpsc::channel::<()>();
    let adding = &home;
    let first = std::thread::scope(|scope| {
        scope.spawn(move || {
            while is_over.try_recv() == Err(std::sync::mpsc::TryRecvError::Empty) {
                adding.keiko("add coffee in 10m -q");
            }
        });
        let first = lines.next().expect("it goes on").expect("text");
        drop(stop);
        first
    });
    let event: serde_json::Value = serde_json::from_str(&first).expect("JSON");
    assert!(event["seq"].as_u64() > Some(2), "{event}");
    assert_eq!(event["snapshot"]["title"], "coffee");
    drop(lines);
    assert_eq!(child.wait().expect("our child").code(), Some(0), "a closed pipe is silent");
}
