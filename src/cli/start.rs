//! How the command line comes to a daemon: it connects, or starts `keikod` and waits until that is ready.
//!
//! Never polls: the daemon says on its standard output that it is ready, and its end is seen through its process.

use std::fs::{File, TryLockError};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::cli::error::CliError;
use crate::cli::service::{self, Manager, system};
use crate::client::start::{Launch, start};
use crate::client::{Client, ClientError};
use crate::config::paths::Paths;
use crate::service::systemd;

/// A daemon that answers.
pub(crate) struct Reached {
    /// The connection.
    pub(crate) client: Client,
    /// Whether this process started it.
    pub(crate) is_new: bool,
}

/// Connects to a daemon that is there already.
///
/// # Errors
/// There is none, or nobody can tell where.
pub(crate) fn connect(paths: &Paths) -> Result<Client, CliError> {
    let found = paths.find_place()?;
    if found.is_kept && !is_served(paths) {
        // A service manager listens, and would start one for whoever calls.
        return Err(ClientError::NoDaemon { socket: found.path, source: std::io::ErrorKind::NotFound.into() }.into());
    }
    Client::connect(&found.path).map_err(|error| match error {
        // Where nothing is announced it was looked for in a place for the worst case, which says nothing to a person.
        ClientError::NoDaemon { source, .. } if !paths.announcement().exists() => {
            ClientError::NoDaemon { socket: paths.socket_of_next(), source }.into()
        }
        other => other.into(),
    })
}

/// Returns the process that has the lock of the data directory, as far as it has said which it is.
pub(crate) fn served_by(paths: &Paths) -> Option<u32> {
    let text = std::fs::read_to_string(paths.lock_file()).ok().filter(|_| is_served(paths))?;
    text.trim().parse().ok()
}

/// Returns whether a daemon has the lock of the data directory. It is not called.
pub(crate) fn is_served(paths: &Paths) -> bool {
    match File::open(paths.lock_file()) {
        // Let go at once: one that starts just now waits for it.
        Ok(file) => matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)),
        Err(_) => false,
    }
}

/// Connects to the daemon, and starts it where none is there.
///
/// # Errors
/// It cannot be reached, and not be started either.
pub(crate) fn connect_or_start(paths: &Paths, arguments: &[&str]) -> Result<Reached, CliError> {
    match connect(paths) {
        Ok(client) => return Ok(Reached { client, is_new: false }),
        Err(CliError::Client(ClientError::NoDaemon { .. })) => {}
        Err(error) => return Err(error),
    }
    paths.create_dirs()?;
    if arguments.is_empty()
        && let Some(reached) = start_service(paths)
    {
        return Ok(reached);
    }
    let program = program();
    let started = start(Launch {
        program: &program,
        arguments,
        // Asked anew each time: only the daemon knows where it came to listen.
        socket: &|| socket_of_daemon(paths),
        lock: &start_lock(paths),
    })?;
    Ok(Reached { client: started.client, is_new: started.is_new })
}

/// Has the service manager start the daemon, where it is one of its services; `None` where it is not, or does not come up so. What
/// is started otherwise then says why, or rings all the same.
fn start_service(paths: &Paths) -> Option<Reached> {
    let installed = service::installed(paths).filter(|installed| installed.manager == Manager::Systemd)?;
    let lock = File::options().create(true).truncate(false).write(true).open(start_lock(paths)).ok()?;
    lock.lock().ok()?;
    if let Ok(client) = connect(paths) {
        return Some(Reached { client, is_new: false });
    }
    system::systemd_do(&["start", "--", &systemd::service_unit(&installed.name)]).ok()?;
    connect(paths).ok().map(|client| Reached { client, is_new: true })
}

/// Returns the file that is locked while a daemon is started.
fn start_lock(paths: &Paths) -> PathBuf {
    paths.data_dir().join("start.lock")
}

/// Returns where a daemon listens; nowhere where only a service manager does, whose daemon does not come up.
fn socket_of_daemon(paths: &Paths) -> PathBuf {
    match paths.find_place() {
        Ok(found) if !found.is_kept || is_served(paths) => found.path,
        Ok(_) | Err(_) => PathBuf::new(),
    }
}

/// How long a daemon that went away may take to come back: an update, a service that starts it anew.
const RETURN_WAIT: Duration = Duration::from_mins(1);

/// How often a sign of a daemon may turn out to be none.
const SIGNS_MAX: usize = 100;

/// Connects to a daemon that went away, once there is one again. Starts none: whoever stopped it meant it.
///
/// # Errors
/// It does not come back in time, or cannot be used.
pub(crate) fn connect_again(paths: &Paths) -> Result<Client, CliError> {
    let mut tries = 0;
    loop {
        // Watched before it is tried, so that it cannot come between.
        let signs = Signs::over(paths);
        // One that is about to end lets in who knocks, and greets nobody.
        let greeted = connect(paths).and_then(|mut client| {
            client.hello()?;
            Ok(client)
        });
        let Err(error) = greeted else { return greeted };
        tries += 1;
        let is_there = !matches!(error, CliError::Client(ClientError::NoDaemon { .. }));
        if !error.is_loss() || tries > SIGNS_MAX || !(is_there || signs.wait(RETURN_WAIT)) {
            return Err(error);
        }
    }
}

/// The signs that a daemon has come: its socket, and the file that says where that is.
struct Signs {
    #[cfg(target_os = "linux")]
    descriptor: Option<std::os::fd::OwnedFd>,
    /// The names of the two files.
    #[cfg(target_os = "linux")]
    names: Vec<std::ffi::OsString>,
}

#[cfg(target_os = "linux")]
impl Signs {
    fn over(paths: &Paths) -> Self {
        use rustix::fs::inotify::{CreateFlags, WatchFlags, add_watch, init};
        let descriptor = init(CreateFlags::CLOEXEC).ok();
        let files = [Some(paths.announcement()), paths.find_socket().ok()];
        let mut names = Vec::new();
        for file in files.into_iter().flatten() {
            if let (Some(descriptor), Some(folder), Some(name)) = (&descriptor, file.parent(), file.file_name()) {
                // A folder that is not there yet has no sign to give; the other has.
                let _ = add_watch(descriptor, folder, WatchFlags::CREATE | WatchFlags::MOVED_TO);
                names.push(name.to_owned());
            }
        }
        Self { descriptor, names }
    }

    /// Waits for a sign; answers whether there was one in time.
    fn wait(&self, limit: Duration) -> bool {
        use std::os::unix::ffi::OsStrExt as _;

        use rustix::event::{PollFd, PollFlags, Timespec, poll};
        let Some(descriptor) = &self.descriptor else { return false };
        let limit = Timespec::try_from(limit).ok();
        let mut buffer = [std::mem::MaybeUninit::uninit(); 4096];
        let mut reader = rustix::fs::inotify::Reader::new(descriptor, &mut buffer);
        loop {
            // What was read with the one before is not told again.
            if reader.is_buffer_empty() {
                let mut signs = [PollFd::new(descriptor, PollFlags::IN)];
                match poll(&mut signs, limit.as_ref()) {
                    Ok(0) => return false,
                    Ok(_) => {}
                    Err(rustix::io::Errno::INTR) => continue,
                    Err(_) => return false,
                }
            }
            let Ok(event) = reader.next() else { return false };
            let name = event.file_name().map(std::ffi::CStr::to_bytes);
            if self.names.iter().any(|known| Some(known.as_bytes()) == name) {
                return true;
            }
        }
    }
}

#[cfg(not(target_os = "linux"))]
impl Signs {
    const fn over(_paths: &Paths) -> Self {
        Self {}
    }

    /// Lets some time pass, since nothing tells; [`SIGNS_MAX`] ends it.
    #[expect(clippy::unused_self, reason = "on Linux there is something to watch")]
    fn wait(&self, limit: Duration) -> bool {
        let (_never, told) = std::sync::mpsc::channel::<()>();
        let count = u32::try_from(SIGNS_MAX).unwrap_or(u32::MAX);
        told.recv_timeout(limit / count) == Err(std::sync::mpsc::RecvTimeoutError::Timeout)
    }
}

/// Waits until a daemon that stops is gone, so that whoever starts the next one finds its place free.
///
/// `process` was opened while the daemon still answered, so it cannot be another process of the same number.
pub(crate) fn wait_for_end(client: &mut Client, process: &Process) {
    if client.wait_for_ever().is_ok() {
        // It has nothing more to say; the connection ends with it.
        while client.notification().is_ok() {}
    }
    process.wait();
}

/// A process whose end can be waited for; nothing where the system cannot tell.
pub(crate) struct Process {
    #[cfg(target_os = "linux")]
    descriptor: Option<std::os::fd::OwnedFd>,
}

#[cfg(target_os = "linux")]
impl Process {
    /// Returns the process of that number.
    pub(crate) fn open(pid: u32) -> Self {
        let pid = i32::try_from(pid).ok().and_then(rustix::process::Pid::from_raw);
        let open = |pid| rustix::process::pidfd_open(pid, rustix::process::PidfdFlags::empty()).ok();
        Self { descriptor: pid.and_then(open) }
    }

    /// Waits until it has ended.
    pub(crate) fn wait(&self) {
        if let Some(descriptor) = &self.descriptor {
            let mut ended = [rustix::event::PollFd::new(descriptor, rustix::event::PollFlags::IN)];
            while rustix::event::poll(&mut ended, None) == Err(rustix::io::Errno::INTR) {}
        }
    }
}

#[cfg(not(target_os = "linux"))]
impl Process {
    /// Returns a process of which nothing can be told.
    pub(crate) const fn open(_pid: u32) -> Self {
        Self {}
    }

    /// Returns at once: the end of the connection is all that is seen.
    pub(crate) const fn wait(&self) {}
}

/// Lets the daemon that would be started look at the text of a configuration; returns what it would say against it.
///
/// # Errors
/// It cannot be run.
pub(crate) fn check(text: &str) -> io::Result<Option<String>> {
    let mut child = Command::new(program())
        .args(["--check", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    if let Some(mut input) = child.stdin.take() {
        // One that ends without reading says why.
        let _ = input.write_all(text.as_bytes());
    }
    against(&child.wait_with_output()?)
}

/// Returns what was said against a configuration.
fn against(output: &std::process::Output) -> io::Result<Option<String>> {
    let said = String::from_utf8_lossy(&output.stdout).trim_end().to_owned();
    match output.status.success() {
        true => Ok(None),
        // One of before, which knows no such check, or one that fell over.
        false if said.is_empty() => Err(io::Error::other(format!("it said nothing, {}", output.status))),
        false => Ok(Some(said)),
    }
}

/// As [`check`], of a file; of the configuration's own its text is told, which may be that of standard input.
///
/// # Errors
/// It cannot be run.
pub(crate) fn check_file(path: &Path, text: &str) -> io::Result<Option<String>> {
    if Paths::of_process().is_ok_and(|paths| paths.config_file() == path) {
        return check(text);
    }
    let output = Command::new(program()).arg("--check").arg(path).stdin(Stdio::null()).output()?;
    against(&output)
}

/// Returns the `keikod` beside this program, else the one in PATH.
pub(crate) fn program() -> PathBuf {
    let name = Path::new("keikod").with_extension(std::env::consts::EXE_EXTENSION);
    let beside = std::env::current_exe().map(|keiko| keiko.with_file_name(&name));
    beside.ok().filter(|beside| beside.is_file()).unwrap_or(name)
}
