//! A person at a new machine: an empty home, the real programs, and nothing that says where files are.

use std::ffi::{OsStr, OsString};
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;
use tempfile::TempDir;

/// An empty home and what belongs to it. At the end the daemon is told to stop, and its files go.
pub(crate) struct Person {
    root: TempDir,
    home: PathBuf,
    variables: Vec<(OsString, OsString)>,
}

/// What a command of `keiko` said, and how it ended.
#[derive(Debug)]
pub(crate) struct Said {
    pub(crate) out: String,
    pub(crate) err: String,
    pub(crate) code: Option<i32>,
}

impl Said {
    /// Returns the one JSON value that the output is.
    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("not one JSON value: {error}: {self:?}"))
    }

    /// Asserts that it went well, and returns the output.
    #[track_caller]
    pub(crate) fn fine(&self) -> &str {
        assert_eq!(self.code, Some(0), "{self:?}");
        &self.out
    }
}

impl Person {
    /// Makes a home, and a runtime directory as a login makes it.
    pub(crate) fn new() -> Self {
        let mut person = Self::without_session("home");
        let run = person.private_directory("run");
        person.set("XDG_RUNTIME_DIR", run);
        person
    }

    /// Makes a home of this name and no session, as under ssh and cron.
    pub(crate) fn without_session(home: &str) -> Self {
        let root = tempfile::tempdir().expect("a temporary directory can be made");
        let home = root.path().join(home);
        std::fs::create_dir_all(&home).expect("it is ours");
        let mut person = Self { root, home, variables: Vec::new() };
        // So that nothing is shown to whoever runs the tests inside tmux.
        person.set("TMUX_TMPDIR", person.root.path().to_owned());
        person.set("TZ", "America/New_York");
        person
    }

    /// Makes a directory for this person alone, outside their home.
    pub(crate) fn private_directory(&self, name: &str) -> PathBuf {
        let path = self.root.path().join(name);
        std::fs::DirBuilder::new().mode(0o700).create(&path).expect("it is ours");
        path
    }

    /// Returns the home.
    pub(crate) fn home(&self) -> &Path {
        &self.home
    }

    /// Writes the configuration file.
    pub(crate) fn configure(&self, text: &str) {
        let directory = self.home.join(".config/keiko");
        std::fs::create_dir_all(&directory).expect("it is ours");
        std::fs::write(directory.join("config.toml"), text).expect("it is ours");
    }

    /// Sets a variable for all later commands.
    pub(crate) fn set(&mut self, name: impl Into<OsString>, value: impl Into<OsString>) {
        self.variables.push((name.into(), value.into()));
    }

    /// Returns the command that runs `program` as this person, with nothing of the real person's session.
    pub(crate) fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new(program);
        command
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", &self.home)
            .envs(self.variables.iter().map(|(name, value)| (name, value)))
            .current_dir(&self.home)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    /// Returns the command that runs `keiko` with these words.
    pub(crate) fn keiko_command(&self, words: &str) -> Command {
        let mut command = self.command(env!("CARGO_BIN_EXE_keiko"));
        command.args(words.split_whitespace());
        command
    }

    /// Runs `keiko` with these words.
    pub(crate) fn keiko(&self, words: &str) -> Said {
        said(self.keiko_command(words))
    }

    /// Stops the daemon, where there is one, and returns what `keiko` said.
    pub(crate) fn stop(&self) -> Said {
        let status = self.keiko("daemon status --json").out;
        let stopped = self.keiko("daemon stop");
        let status: Option<Value> = serde_json::from_str(&status).ok();
        let socket = status.as_ref().and_then(|status| status["socket"].as_str()).map(PathBuf::from);
        // A short directory stays for the next daemon; after a test there is none.
        if let Some(directory) = socket.as_deref().and_then(Path::parent).filter(|path| !path.starts_with(&self.root)) {
            let _ = std::fs::remove_dir(directory);
        }
        stopped
    }
}

impl Drop for Person {
    fn drop(&mut self) {
        self.stop();
    }
}

/// Runs a command to its end.
pub(crate) fn said(mut command: Command) -> Said {
    let output = command.output().expect("the programs were built beside the tests");
    let text = |bytes| String::from_utf8(bytes).expect("keiko speaks UTF-8");
    Said { out: text(output.stdout), err: text(output.stderr), code: output.status.code() }
}
