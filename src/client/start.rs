//! How does the daemon come up when nobody has started it? Under a lock, so that many commands at once start one.
//!
//! The daemon says on its standard output, in one line, that it is ready or why it is not; so nobody polls, and the
//! person sees the reason itself rather than a hint at a log.

use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Read as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use crate::client::{Client, ClientError};
use crate::protocol::{FAILED_PREFIX, HINT_PREFIX, READY_LINE};

/// How long the daemon may take to come up: a large database after a power cut is read within seconds.
pub const START_WAIT: Duration = Duration::from_secs(30);

/// What a service manager tells a process that it starts (`sd_notify(3)`, `sd_watchdog_enabled(3)`, `sd_listen_fds(3)`).
const MANAGER_VARIABLES: [&str; 6] =
    ["NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID", "LISTEN_FDS", "LISTEN_PID", "LISTEN_FDNAMES"];

/// What to start, and how to keep others from starting it meanwhile.
#[derive(Clone, Copy)]
pub struct Launch<'a> {
    /// The daemon's program.
    pub program: &'a Path,
    /// Its arguments.
    pub arguments: &'a [&'a str],
    /// Tells where it listens. Asked anew before each attempt, since the daemon itself chooses the place.
    pub socket: &'a dyn Fn() -> PathBuf,
    /// A file that is locked meanwhile; its folder must exist.
    pub lock: &'a Path,
}

/// A daemon that takes calls.
#[derive(Debug)]
pub struct Started {
    /// A connection to it.
    pub client: Client,
    /// Whether this call started it, and nobody else meanwhile.
    pub is_new: bool,
}

/// Why the daemon did not come up.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The lock cannot be taken.
    #[error("cannot lock {}: {source}", path.display())]
    Lock {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The program cannot be run.
    #[error("cannot run {}: {source}", program.display())]
    Run {
        /// The program.
        program: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// It came up and said why it will not run.
    #[error("{reason}")]
    Failed {
        /// What it said.
        reason: String,
        /// What it said is to be done.
        hint: Option<String>,
        /// How it ended.
        code: Option<i32>,
    },
    /// It ended without a word.
    #[error("cannot start {}: it ended without saying why", program.display())]
    Died {
        /// The program.
        program: PathBuf,
    },
    /// It neither came up nor ended in time.
    #[error("cannot start {}: it is not ready after {} s", program.display(), START_WAIT.as_secs())]
    TooSlow {
        /// The program.
        program: PathBuf,
    },
    /// It said that it is ready, and cannot be reached all the same.
    #[error(transparent)]
    Unreachable {
        /// Why.
        source: Box<ClientError>,
    },
}

/// Starts the daemon unless somebody else did meanwhile, and returns a connection to it once it takes calls.
///
/// # Errors
/// It did not come up.
pub fn start(launch: Launch<'_>) -> Result<Started, StartError> {
    let locked = File::options().create(true).truncate(false).write(true).open(launch.lock);
    let lock = locked.and_then(|file| file.lock().map(|()| file));
    // Held until the daemon is ready, so that whoever waits for it finds the daemon.
    let _lock = lock.map_err(|source| StartError::Lock { path: launch.lock.to_owned(), source })?;
    if let Ok(client) = Client::connect(&(launch.socket)()) {
        return Ok(Started { client, is_new: false });
    }
    let program = || launch.program.to_owned();
    // The daemon leaves this session by itself as the first thing it does; led out as a group it could not.
    let mut command = Command::new(launch.program);
    // What a service manager said to whoever runs this program is not said to the daemon.
    for variable in MANAGER_VARIABLES {
        command.env_remove(variable);
    }
    let mut child = command
        .args(launch.arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|source| StartError::Run { program: program(), source })?;
    let output = child.stdout.take().expect("the output was asked for as a pipe");
    let (said, saying) = mpsc::channel();
    // A thread, since a pipe knows no time limit. It ends with the daemon's first line or with the daemon.
    std::thread::spawn(move || {
        let (mut line, mut output) = (String::new(), BufReader::new(output));
        let mut is_read = output.read_line(&mut line).is_ok();
        if line.starts_with(FAILED_PREFIX) {
            // It ends now, so what it says does too.
            is_read &= output.read_to_string(&mut line).is_ok();
        }
        said.send(if is_read { line } else { String::new() })
    });
    let line = saying.recv_timeout(START_WAIT).map_err(|_| StartError::TooSlow { program: program() })?;
    if line.trim_end() == READY_LINE {
        return match Client::connect(&(launch.socket)()) {
            Ok(client) => Ok(Started { client, is_new: true }),
            Err(source) => Err(StartError::Unreachable { source: Box::new(source) }),
        };
    }
    // One that somebody else started at the same moment serves as well.
    if let Ok(client) = Client::connect(&(launch.socket)()) {
        return Ok(Started { client, is_new: false });
    }
    match line.trim_end().strip_prefix(FAILED_PREFIX) {
        Some(said) => {
            let (reason, hint) = said
                .split_once('\n')
                .map_or((said, None), |(reason, rest)| (reason, rest.strip_prefix(HINT_PREFIX).map(str::to_owned)));
            let code = child.wait().ok().and_then(|status| status.code());
            Err(StartError::Failed { reason: reason.to_owned(), hint, code })
        }
        None => Err(StartError::Died { program: program() }),
    }
}
