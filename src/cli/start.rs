//! How the command line comes to a daemon: it connects, or starts `keikod` and waits until that is ready.
//!
//! Never polls: the daemon says on its standard output that it is ready, and its end is seen through its process.

use std::path::{Path, PathBuf};

use crate::cli::error::CliError;
use crate::client::start::{Launch, start};
use crate::client::{Client, ClientError};
use crate::config::paths::Paths;

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
    Ok(Client::connect(&paths.find_socket()?)?)
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
    let program = program();
    let started = start(Launch {
        program: &program,
        arguments,
        // Asked anew each time: only the daemon knows where it came to listen.
        socket: &|| paths.find_socket().unwrap_or_default(),
        lock: &paths.data_dir().join("start.lock"),
    })?;
    Ok(Reached { client: started.client, is_new: started.is_new })
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

/// Returns the `keikod` beside this program, else the one in PATH.
fn program() -> PathBuf {
    let name = Path::new("keikod").with_extension(std::env::consts::EXE_EXTENSION);
    let beside = std::env::current_exe().map(|keiko| keiko.with_file_name(&name));
    beside.ok().filter(|beside| beside.is_file()).unwrap_or(name)
}
