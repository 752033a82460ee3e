//! How is a program run so that it ends in time, whatever it does? In a process group of its own, with bounds on all that it
//! says.
//!
//! Never waits for a pipe that somebody keeps open who does not belong to the run, and never leaves behind what runs past
//! its time: the group is asked to end (TERM), then made to (KILL).

use std::io;
use std::path::Path;
use std::pin::pin;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use futures_util::future::{Either, join, select};
#[cfg(unix)]
use rustix::process::{Pid, Signal, kill_process_group};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWriteExt as _};
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};
use tokio::time::timeout;

/// How much of what it says on standard error is kept; the rest is read and dropped.
const COMPLAINT_BYTES_MAX: usize = 4 * 1024;

/// How long it takes at most to read what is in a pipe once the program has ended.
const READ_WITHIN: Duration = Duration::from_secs(1);

/// How long a program may take to end once it was asked to.
const ENDS_WITHIN: Duration = Duration::from_secs(2);

/// What of the daemon's environment a program gets. Not all: where keys are in it they are meant for other targets.
const PASSED_ON: [&str; 20] = [
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "SHELL",
    "LANG",
    "LANGUAGE",
    "TZ",
    "TMPDIR",
    "XDG_RUNTIME_DIR",
    "DISPLAY",
    "WAYLAND_DISPLAY",
    "XAUTHORITY",
    "DBUS_SESSION_BUS_ADDRESS",
    "http_proxy",
    "https_proxy",
    "no_proxy",
    "KEIKO_CONFIG",
    "KEIKO_DATA_DIR",
    "KEIKO_SOCKET",
];

/// What a service manager says to the daemon alone (`sd_notify(3)`, `sd_watchdog_enabled(3)`, `sd_listen_fds(3)`): for programs that get
/// the rest of its environment.
pub(crate) const MANAGER_VARIABLES: [&str; 4] = ["NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID", "LISTEN_FDNAMES"];

/// What stands before the names of further variables that it gets.
const LOCALE: &str = "LC_";

/// What is to be run.
pub(crate) struct Program<'a> {
    /// The program and its arguments.
    pub(crate) command: &'a [String],
    /// Where it runs, where that is not empty.
    pub(crate) directory: &'a Path,
    /// Variables of its own.
    pub(crate) variables: Vec<(&'static str, String)>,
    /// What it reads on standard input.
    pub(crate) input: String,
    /// How long it may run.
    pub(crate) timeout: Duration,
    /// What of that which it says on standard output is heard.
    pub(crate) heard: Heard,
}

/// What of that which a program says on standard output is heard.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Heard {
    /// So many bytes; one that says more is ended.
    UpTo(usize),
    /// Nothing: it is read and dropped.
    Nothing,
}

/// How a run ended.
#[derive(Debug)]
pub(crate) struct Ended {
    /// What it said on standard output.
    pub(crate) output: Vec<u8>,
    /// The beginning of what it said on standard error.
    pub(crate) complaint: Vec<u8>,
    /// How it went.
    pub(crate) end: End,
}

/// How a program's run went.
#[derive(Debug)]
pub(crate) enum End {
    /// It ended by itself.
    Exit(ExitStatus),
    /// It was ended, since it ran longer than that.
    TimedOut(Duration),
    /// It was ended, since it said more than so many bytes.
    TooMuch(usize),
}

/// Runs a program to its end, which comes at the latest some seconds after its time.
///
/// # Errors
/// Where it cannot be started.
pub(crate) async fn run(program: Program<'_>) -> io::Result<Ended> {
    let [name, arguments @ ..] = program.command else { return Err(io::ErrorKind::InvalidInput.into()) };
    let inherited = std::env::vars_os()
        .filter(|(name, _)| name.to_str().is_some_and(|name| PASSED_ON.contains(&name) || name.starts_with(LOCALE)));
    let mut command = Command::new(name);
    command.args(arguments).env_clear().envs(inherited).envs(program.variables);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
    if !program.directory.as_os_str().is_empty() {
        command.current_dir(program.directory);
    }
    #[cfg(unix)]
    command.process_group(0);
    let child = command.spawn()?;
    let mut group = Group::of(child);
    let (input, output, complaint) = group.pipes();
    let mut said = (Vec::new(), Vec::new());
    let end = {
        let hearing = hear(output, program.heard, &mut said.0);
        let talk = talk(hearing, join(tell(input, &program.input), note(complaint, &mut said.1)));
        converse(&mut group, talk, program.timeout, program.heard).await?
    };
    if !matches!(end, End::Exit(_)) {
        group.end().await;
    }
    group.is_over = true;
    let (output, complaint) = said;
    Ok(Ended { output, complaint, end })
}

/// Talks with the program until it ends, its time is over, or it said too much: then `talk` is false.
async fn converse(
    group: &mut Group,
    talk: impl Future<Output = bool>,
    limit: Duration,
    heard: Heard,
) -> io::Result<End> {
    let too_much = match heard {
        Heard::UpTo(bytes) => bytes,
        Heard::Nothing => usize::MAX,
    };
    let mut talk = pin!(talk);
    let mut is_whole = None;
    let whole_run = async {
        loop {
            tokio::select! {
                status = group.child.wait() => return Ok(End::Exit(status?)),
                whole = &mut talk, if is_whole.is_none() => {
                    if !whole {
                        return Ok(End::TooMuch(too_much));
                    }
                    is_whole = Some(whole);
                }
            }
        }
    };
    let end = timeout(limit, whole_run).await.unwrap_or(Ok(End::TimedOut(limit)));
    // All that it said is in the pipes; who else holds their other ends may do so for ever.
    if is_whole.is_none() && matches!(end, Ok(End::Exit(_))) && timeout(READ_WITHIN, talk).await == Ok(false) {
        return Ok(End::TooMuch(too_much));
    }
    end
}

/// Returns false as soon as too much was heard, and true once all is said and heard.
async fn talk(hearing: impl Future<Output = bool>, rest: impl Future) -> bool {
    match select(pin!(hearing), pin!(rest)).await {
        Either::Left((false, _)) => false,
        Either::Left((true, rest)) => {
            rest.await;
            true
        }
        Either::Right((_, hearing)) => hearing.await,
    }
}

/// Writes all of the input. A program need not read it.
async fn tell(mut pipe: ChildStdin, input: &str) {
    let _ = pipe.write_all(input.as_bytes()).await;
    let _ = pipe.shutdown().await;
}

/// Reads what a program says; returns false as soon as that is too much.
async fn hear(mut pipe: impl AsyncRead + Unpin, heard: Heard, said: &mut Vec<u8>) -> bool {
    let mut chunk = vec![0; 8 * 1024];
    while let Ok(count @ 1..) = pipe.read(&mut chunk).await {
        let Heard::UpTo(bytes) = heard else { continue };
        said.extend_from_slice(&chunk[..count]);
        if said.len() > bytes {
            return false;
        }
    }
    true
}

/// Reads what a program says on standard error, and keeps the beginning.
async fn note(mut pipe: impl AsyncRead + Unpin, said: &mut Vec<u8>) {
    let mut chunk = vec![0; 8 * 1024];
    while let Ok(count @ 1..) = pipe.read(&mut chunk).await {
        let room = COMPLAINT_BYTES_MAX.saturating_sub(said.len());
        said.extend_from_slice(&chunk[..count.min(room)]);
    }
}

/// A program that runs, with all that it started and that did not leave its group.
struct Group {
    child: Child,
    /// Whether nothing is to be ended any more.
    is_over: bool,
}

impl Group {
    const fn of(child: Child) -> Self {
        Self { child, is_over: false }
    }

    fn pipes(&mut self) -> (ChildStdin, ChildStdout, ChildStderr) {
        let asked = "it was asked for, and is taken once";
        let child = &mut self.child;
        (child.stdin.take().expect(asked), child.stdout.take().expect(asked), child.stderr.take().expect(asked))
    }

    /// Ends it, and waits for that.
    async fn end(&mut self) {
        #[cfg(unix)]
        if let Some(group) = self.id() {
            let _ = kill_process_group(group, Signal::TERM);
            let _ = timeout(ENDS_WITHIN, self.child.wait()).await;
            // Who has ended already is not there any more; who is left of the group did not heed the first.
            let _ = kill_process_group(group, Signal::KILL);
        }
        let _ = self.child.start_kill();
        let _ = timeout(ENDS_WITHIN, self.child.wait()).await;
    }

    /// Returns its group while nobody else can have its number.
    #[cfg(unix)]
    fn id(&self) -> Option<Pid> {
        self.child.id().and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw)
    }
}

/// The daemon ends in the midst: a child that was started goes with it.
impl Drop for Group {
    fn drop(&mut self) {
        #[cfg(unix)]
        if let Some(group) = self.id().filter(|_| !self.is_over) {
            let _ = kill_process_group(group, Signal::KILL);
        }
    }
}
