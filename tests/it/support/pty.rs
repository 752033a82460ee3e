//! A terminal of the test's own: what runs on it, what it shows, and how it is stopped.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::{Child, ChildStdout, Command};

use crate::support::PATIENCE;

/// A terminal on which a program runs; both are gone when it is dropped.
pub(crate) struct Pty {
    /// `script` holds the other end of the terminal, and copies what is shown to its output.
    holder: Child,
    output: ChildStdout,
    shown: Vec<u8>,
}

impl Pty {
    /// Runs a shell command on a new terminal of 80 columns.
    pub(crate) fn run(command: &str) -> Self {
        let mut holder = Command::new("script")
            .args(["-qf", "-c", &format!("stty cols 80 rows 24; {command}"), "/dev/null"])
            .env("TERM", "xterm")
            .env("LC_ALL", "C.UTF-8")
            .env_remove("TMUX")
            // Kept open: at its end `script` ends too.
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn()
            .expect("script is installed");
        let output = holder.stdout.take().expect("its output is a pipe");
        Self { holder, output, shown: Vec::new() }
    }

    /// Starts a terminal on which somebody has a session, with this mode; returns it and its device.
    pub(crate) async fn session(mode: &str) -> (Self, PathBuf) {
        let mut pty = Self::run(&format!("stty -echo; chmod {mode} $(tty); echo device=$(tty)=; exec sleep 1000"));
        let shown = pty.wait_for("=\r\n").await;
        let device = shown.split('=').nth(1).expect("the device between two signs").into();
        (pty, device)
    }

    /// Types a line, with the key at its end.
    pub(crate) async fn type_line(&mut self, line: &str) {
        let keys = self.holder.stdin.as_mut().expect("its input is a pipe");
        keys.write_all(format!("{line}\r").as_bytes()).await.expect("a terminal that lives");
    }

    /// Presses keys.
    pub(crate) async fn press(&mut self, typed: &str) {
        let keys = self.holder.stdin.as_mut().expect("its input is a pipe");
        keys.write_all(typed.as_bytes()).await.expect("a terminal that lives");
    }

    /// Waits until `text` was shown, and returns all that was until then.
    pub(crate) async fn wait_for(&mut self, text: &str) -> String {
        self.wait_for_all(text, &[]).await
    }

    /// Waits until `text` was shown and behind it the `others`, in any order; returns all that was until then.
    pub(crate) async fn wait_for_all(&mut self, text: &str, others: &[&str]) -> String {
        loop {
            let shown = String::from_utf8_lossy(&self.shown).into_owned();
            let behind = shown.find(text).map(|at| &shown[at + text.len()..]);
            if behind.is_some_and(|behind| others.iter().all(|other| behind.contains(other))) {
                return shown;
            }
            let read = tokio::time::timeout(PATIENCE, self.output.read_buf(&mut self.shown)).await;
            let count = read.unwrap_or_else(|_| panic!("waited in vain for {text:?}; shown was {shown:?}"));
            assert_ne!(count.expect("a pipe that can be read"), 0, "the terminal ended; it had shown {shown:?}");
        }
    }
}

/// Writes a process table in which one process has its session on `device`.
pub(crate) fn process_table(directory: &Path, device: &Path) {
    let number = device.metadata().expect("a device").rdev();
    let (major, minor) = (rustix::fs::major(number), rustix::fs::minor(number));
    let encoded = (minor & 0xff) | (major << 8) | ((minor & !0xff) << 12);
    // One process a terminal, so that several can have a session.
    let process = directory.join(minor.to_string());
    std::fs::create_dir_all(&process).expect("a directory of the test's own");
    let stat = format!("{minor} (a (shell)) S 1 42 42 {encoded} 42 0");
    std::fs::write(process.join("stat"), stat).expect("a file of the test's own");
}
