//! A real `keikod` with files of its own, and raw connections to it.

use std::io::{BufRead as _, BufReader, ErrorKind, Read as _, Write as _};
use std::net::Shutdown;
use std::os::unix::fs::DirBuilderExt as _;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, ChildStdout, Command, ExitStatus, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::{Killed, PATIENCE};

/// What the programmable clock of a test's daemon shows at first.
pub(crate) const NOON: &str = "2026-05-13T12:00:00-04:00";

/// The files of one person: home, data, runtime directory. They go with this value.
pub(crate) struct Home {
    root: TempDir,
}

impl Home {
    /// Makes them, empty.
    pub(crate) fn new() -> Self {
        let root = tempfile::tempdir().expect("a temporary directory can be made");
        std::fs::DirBuilder::new().mode(0o700).create(root.path().join("run")).expect("it is ours");
        Self { root }
    }

    /// Returns a path in it.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.root.path().join(name)
    }

    /// Returns where the daemon says that it listens.
    pub(crate) fn socket(&self) -> PathBuf {
        let text = std::fs::read_to_string(self.path("data/keikod.socket")).expect("the daemon announced its socket");
        text.into()
    }

    /// Returns the command that runs `program` as this person, with nothing of the real person's session.
    pub(crate) fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.root.path())
            .env("XDG_RUNTIME_DIR", self.path("run"))
            .env("TMUX_TMPDIR", self.root.path())
            .env("KEIKO_DATA_DIR", self.path("data"))
            .env("KEIKO_CONFIG", "/dev/null")
            .env("TZ", "America/New_York")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    /// Returns the command that runs a daemon on a programmable clock that shows [`NOON`].
    pub(crate) fn daemon(&self) -> Command {
        let mut command = self.command(env!("CARGO_BIN_EXE_keikod"));
        command.args(["--clock", NOON]);
        command
    }

    /// Starts the daemon and waits until it is ready.
    pub(crate) fn start(&self) -> Daemon {
        Daemon::start(self.daemon())
    }

    /// Connects to the daemon.
    pub(crate) fn connect(&self) -> Connection {
        Connection::open(&self.socket())
    }
}

/// A daemon that is ready; killed with this value.
pub(crate) struct Daemon {
    process: Killed,
    output: BufReader<ChildStdout>,
}

impl Daemon {
    /// Starts a daemon and waits until it is ready.
    pub(crate) fn start(mut command: Command) -> Self {
        let mut process = Killed(command.spawn().expect("keikod was built beside the tests"));
        let mut output = BufReader::new(process.0.stdout.take().expect("it was asked for"));
        let mut line = String::new();
        output.read_line(&mut line).expect("a pipe can be read");
        assert_eq!(line, "ready\n");
        Self { process, output }
    }

    /// Returns its process id.
    pub(crate) fn pid(&self) -> u32 {
        self.process.0.id()
    }

    /// Returns what it says on standard error, once.
    pub(crate) fn log(&mut self) -> BufReader<ChildStderr> {
        BufReader::new(self.process.0.stderr.take().expect("it was asked for, and is taken once"))
    }

    /// Sends it a signal.
    pub(crate) fn signal(&self, signal: rustix::process::Signal) {
        let pid = i32::try_from(self.pid()).ok().and_then(rustix::process::Pid::from_raw).expect("a process id");
        rustix::process::kill_process(pid, signal).expect("it is our child");
    }

    /// Kills it as `kill -9` does.
    pub(crate) fn kill(mut self) {
        self.process.0.kill().expect("it is our child");
        self.process.0.wait().expect("it is our child");
    }

    /// Waits for its end, which its output shows first.
    pub(crate) fn ended(mut self) -> ExitStatus {
        let mut rest = String::new();
        self.output.read_to_string(&mut rest).expect("a pipe can be read");
        assert_eq!(rest, "", "a daemon says one line only");
        self.process.0.wait().expect("it is our child")
    }
}

/// Runs a daemon that will not come up, and returns what it says.
pub(crate) fn refusal(command: Command) -> String {
    refusal_with(command, 1)
}

/// Runs a daemon that will not come up and ends with `code`, and returns what it says.
pub(crate) fn refusal_with(mut command: Command, code: i32) -> String {
    let child: Child = command.spawn().expect("keikod was built beside the tests");
    let output = child.wait_with_output().expect("it is our child");
    assert_eq!(output.status.code(), Some(code));
    String::from_utf8(output.stdout).expect("text").trim_end().to_owned()
}

/// A raw connection.
pub(crate) struct Connection {
    stream: UnixStream,
    input: BufReader<UnixStream>,
    last_id: u64,
}

impl Connection {
    /// Connects to a socket.
    pub(crate) fn open(socket: &Path) -> Self {
        let stream = UnixStream::connect(socket).expect("somebody listens");
        stream.set_read_timeout(Some(PATIENCE)).expect("a socket takes a limit");
        let input = BufReader::new(stream.try_clone().expect("a descriptor is free"));
        Self { stream, input, last_id: 0 }
    }

    /// Sends bytes as they are.
    pub(crate) fn send(&mut self, bytes: impl AsRef<[u8]>) {
        self.stream.write_all(bytes.as_ref()).expect("the daemon reads");
    }

    /// Says that nothing more is sent.
    pub(crate) fn close_sending(&self) {
        self.stream.shutdown(Shutdown::Write).expect("it is open");
    }

    /// Returns the next line; an empty one where the daemon has hung up.
    pub(crate) fn receive_line(&mut self) -> String {
        let mut line = String::new();
        match self.input.read_line(&mut line) {
            Ok(_) => line,
            // It hung up before it had read all that was sent.
            Err(error) if error.kind() == ErrorKind::ConnectionReset => String::new(),
            Err(error) => panic!("the daemon does not answer in time: {error}"),
        }
    }

    /// Returns the next line as JSON; null where the daemon has hung up.
    pub(crate) fn receive(&mut self) -> Value {
        let line = self.receive_line();
        if line.is_empty() { Value::Null } else { serde_json::from_str(&line).expect("the daemon speaks JSON") }
    }

    /// Waits until something has come, and leaves it there.
    pub(crate) fn peek(&mut self) {
        assert!(!self.input.fill_buf().expect("the daemon answers in time").is_empty(), "the daemon hung up");
    }

    /// Sends a line and returns the next one.
    pub(crate) fn exchange(&mut self, line: &str) -> Value {
        self.send(format!("{line}\n"));
        self.receive()
    }

    /// Calls a method and returns the whole answer.
    #[expect(clippy::needless_pass_by_value, reason = "reads best with json! in its place")]
    pub(crate) fn ask(&mut self, method: &str, params: Value) -> Value {
        self.last_id += 1;
        let answer = self
            .exchange(&json!({"jsonrpc": "2.0", "id": self.last_id, "method": method, "params": params}).to_string());
        assert_eq!(answer["id"], self.last_id, "{answer}");
        answer
    }

    /// Calls a method and returns its result.
    #[track_caller]
    pub(crate) fn call(&mut self, method: &str, params: Value) -> Value {
        let mut answer = self.ask(method, params);
        assert!(answer["error"].is_null(), "{method}: {answer}");
        answer["result"].take()
    }

    /// Calls a method and returns its error.
    #[track_caller]
    pub(crate) fn refused(&mut self, method: &str, params: Value) -> Value {
        let mut answer = self.ask(method, params);
        assert!(answer["result"].is_null(), "{method}: {answer}");
        answer["error"].take()
    }
}
