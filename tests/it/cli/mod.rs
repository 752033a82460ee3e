//! The commands as people run them: both programs, a home of their own, and a clock that stands still.

mod adding;
mod alike;
mod changing;
#[cfg(feature = "webhook")]
mod channels;
mod choosing;
mod commands;
mod config;
mod crontab;
mod doctor;
mod events;
mod exchange;
mod failing;
mod faults;
mod hours;
#[cfg(unix)]
mod in_editor;
mod installing;
mod looking;
#[cfg(feature = "mcp")]
mod mcp;
mod naming;
#[cfg(unix)]
mod on_terminal;
mod parsing;
mod prompt;
mod series;
mod shown;
mod starting;
mod undo;
mod wait;
mod waiting;
#[cfg(unix)]
mod watch;
mod why;

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::support::Killed;

/// What the clock shows when a test begins: a Wednesday.
pub(crate) const NOW: &str = "2026-05-13T16:00:00-04:00";

/// A home, and the daemon in it where there is one.
pub(crate) struct Home {
    directory: tempfile::TempDir,
    daemon: Option<Killed>,
}

/// What a command came to.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    pub(crate) code: Option<i32>,
}

impl Ran {
    /// Returns standard output as the one JSON value that it must be.
    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
}

impl Home {
    /// Returns a home in which no daemon runs.
    pub(crate) fn empty() -> Self {
        let directory = tempfile::Builder::new().prefix("keiko").tempdir().expect("a temporary directory");
        let runtime = directory.path().join("run");
        fs::create_dir(&runtime).expect("a directory of the test's own");
        fs::set_permissions(&runtime, fs::Permissions::from_mode(0o700)).expect("a directory of the test's own");
        let home = Self { directory, daemon: None };
        // The terminals of whoever runs the tests are left alone.
        home.configure("channels = [\"desktop\"]\n");
        home
    }

    /// Returns a home whose daemon's clock stands at [`NOW`].
    pub(crate) fn with_daemon() -> Self {
        Self::empty().start()
    }

    /// Starts the daemon in it, as it is configured; its clock stands at [`NOW`].
    pub(crate) fn start(self) -> Self {
        let mut home = self;
        let mut child = home
            .command("keikod")
            .args(["--foreground", "--clock", NOW])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(fs::File::create(home.path().join("log")).expect("a file of the test's own"))
            .spawn()
            .expect("keikod is built");
        let output = child.stdout.take().expect("its output is a pipe");
        home.daemon = Some(Killed(child));
        let mut line = String::new();
        BufReader::new(output).read_line(&mut line).expect("a pipe that can be read");
        let log = fs::read_to_string(home.path().join("log")).unwrap_or_default();
        assert_eq!(line, "ready\n", "the daemon did not come up: {log}");
        home
    }

    /// Kills the daemon as `kill -9` does.
    pub(crate) fn kill(&mut self) {
        drop(self.daemon.take());
    }

    /// Returns where it is.
    pub(crate) fn path(&self) -> &Path {
        self.directory.path()
    }

    /// Writes the configuration.
    pub(crate) fn configure(&self, text: &str) {
        fs::write(self.path().join("config.toml"), text).expect("a file of the test's own");
    }

    /// Returns one of the programs in this home's environment, and in no other.
    pub(crate) fn command(&self, program: &str) -> Command {
        let mut command = Command::new(binary(program));
        command
            .env_clear()
            .env("PATH", "/usr/bin:/bin")
            .env("HOME", self.path())
            .env("XDG_RUNTIME_DIR", self.path().join("run"))
            .env("KEIKO_DATA_DIR", self.path().join("data"))
            .env("KEIKO_CONFIG", self.path().join("config.toml"))
            .env("TZ", "America/New_York")
            .current_dir(self.path());
        command
    }

    /// Runs `keiko` with the words of a line; single quotes hold words together.
    pub(crate) fn keiko(&self, line: &str) -> Ran {
        self.keiko_with(line, "", |_| {})
    }

    /// Runs `keiko` with standard input and with changes to how it is run.
    pub(crate) fn keiko_with(&self, line: &str, input: &str, change: impl FnOnce(&mut Command)) -> Ran {
        let mut command = self.command("keiko");
        command.args(words(line)).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        change(&mut command);
        let mut child = command.spawn().expect("keiko is built");
        // It may end without reading; then nobody needs the input.
        let _ = child.stdin.take().expect("its input is a pipe").write_all(input.as_bytes());
        let output = child.wait_with_output().expect("a child that ends");
        Ran {
            stdout: String::from_utf8(output.stdout).expect("keiko speaks UTF-8"),
            stderr: String::from_utf8(output.stderr).expect("keiko speaks UTF-8"),
            code: output.status.code(),
        }
    }

    /// Runs each line and returns what a person would see, with `!` before what was said on standard error.
    pub(crate) fn transcript(&self, lines: &[&str]) -> String {
        let mut told: Vec<String> = Vec::new();
        for line in lines {
            let ran = self.keiko(line);
            told.push(format!("$ keiko {line}").trim_end().to_owned());
            told.extend(ran.stdout.lines().map(str::to_owned));
            let said = ran.stderr.lines().filter(|line| !line.starts_with("warning: nobody can be reached"));
            told.extend(said.map(|line| format!("! {line}")));
            told.extend(ran.code.filter(|code| *code != 0).map(|code| format!("[exit {code}]")));
        }
        let told = told.join("\n") + "\n";
        // Without a runtime directory's daemon the place is a short one, named after the user and the data.
        let place = self.keiko("daemon status --json").json()["error"]["message"].as_str().map(str::to_owned);
        let place = place.and_then(|message| Some(message.split_once(" at ")?.1.split_once(": ")?.0.to_owned()));
        let told = place.map_or(told.clone(), |place| told.replace(&place, "[socket]"));
        without_ids(&told.replace(&self.path().display().to_string(), "[home]"))
    }

    /// Moves the daemon's clock.
    #[track_caller]
    pub(crate) fn advance(&self, to: &str) {
        let ran = self.keiko(&format!("rpc clock.advance '{{\"to\":\"{to}\"}}'"));
        assert_eq!(ran.code, Some(0), "{ran:?}");
    }
}

/// Returns a text with `[id]` in the place of each id, which is another one each time.
fn without_ids(text: &str) -> String {
    let is_id = |word: &str| word.len() == 36 && uuid::Uuid::parse_str(word).is_ok();
    let lines = text.split('\n').map(|line| {
        let words = line.split(' ').map(|word| if is_id(word) { "[id]" } else { word });
        words.collect::<Vec<_>>().join(" ")
    });
    lines.collect::<Vec<_>>().join("\n")
}

impl Drop for Home {
    fn drop(&mut self) {
        if self.daemon.is_none() {
            // One that a command started; where there is none the command says so to nobody.
            self.keiko("daemon stop");
        }
    }
}

/// Returns where a program was built.
pub(crate) fn binary(program: &str) -> PathBuf {
    match program {
        "keiko" => env!("CARGO_BIN_EXE_keiko").into(),
        "keikod" => env!("CARGO_BIN_EXE_keikod").into(),
        other => panic!("there is no program {other}"),
    }
}

/// Parts a line into words, as a shell does with single quotes and nothing else.
fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    for (index, part) in line.split('\'').enumerate() {
        if index % 2 == 1 {
            words.push(part.to_owned());
        } else {
            words.extend(part.split_whitespace().map(str::to_owned));
        }
    }
    words
}
