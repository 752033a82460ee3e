//! The process that runs the commands of one data directory: what a daemon orders, once, whatever becomes of that daemon.
//!
//! It is the daemon's own program in another role ([`role`]), in a session of its own. It serves one daemon at a time: the
//! next one only when all that the one before said is read, so that no order is seen after the question whether there was
//! one. What has ended it keeps until a daemon has it on the disk; with nothing to keep and nobody to serve it ends. It
//! decides nothing, and writes nothing to the disk.

use std::ffi::OsString;
use std::fs::{self, DirBuilder, File, TryLockError};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Arc, mpsc};
use std::time::Duration;

use futures_util::StreamExt as _;
use tokio::io::{AsyncWriteExt as _, BufWriter};
use tokio::net::unix::OwnedWriteHalf;
use tokio::net::{UnixListener, UnixStream};
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio_util::codec::FramedRead;

use crate::runner::process::ledger::Ledger;
use crate::runner::process::limits::Limiter;
use crate::runner::wire::{self, Ask, Tell};

mod command;
mod job;
mod ledger;
pub(super) mod limits;
mod marks;
mod tail;

/// The argument that makes the daemon's program run commands.
pub(super) const ROLE: &str = "--runner";

/// What it says on standard output once it can be called.
pub(super) const READY: &str = "ready";

/// How many threads start programs: one alone starts some 1,500 a second (measured), which is fewer than may be due in one.
const THREADS: usize = 2;

/// How long it waits for the first daemon, which calls at once.
const FIRST_CALL_WITHIN: Duration = Duration::from_secs(10);

/// How long one that ends may take to let go of its lock.
const LOCK_WITHIN: Duration = Duration::from_secs(5);

/// Returns how this process ends, where its arguments give it another role than the daemon's; `None` where they do not.
#[must_use]
pub fn role() -> Option<ExitCode> {
    let mut arguments = std::env::args_os().skip(1);
    let first = arguments.next()?;
    if first == limits::ROLE {
        Some(limits::become_limited(arguments))
    } else if first == ROLE {
        Some(run(arguments))
    } else {
        None
    }
}

/// Runs commands until there are none. The arguments are the file of the lock and the sockets, best first.
fn run(mut arguments: impl Iterator<Item = OsString>) -> ExitCode {
    let lock = PathBuf::from(arguments.next().unwrap_or_default());
    let sockets: Vec<PathBuf> = arguments.map(PathBuf::from).collect();
    // So that neither the end of the daemon's terminal nor a signal to its group is the commands' end too.
    let _ = rustix::process::setsid();
    let _ = std::env::set_current_dir("/");
    match serve(&lock, &sockets) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            say(&error);
            ExitCode::FAILURE
        }
    }
}

fn serve(lock: &Path, sockets: &[PathBuf]) -> Result<(), String> {
    // Held to the end: whoever has it is the only one to run what this data directory orders.
    let _lock = take_lock(lock).map_err(|error| format!("cannot lock {}: {error}", lock.display()))?;
    let own = own_program().map_err(|error| format!("cannot find this program: {error}"))?;
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(THREADS).enable_all().build();
    let runtime = runtime.map_err(|error| format!("cannot start threads: {error}"))?;
    runtime.block_on(async {
        let line = Line::open(sockets)?;
        say(READY);
        let limiter = Arc::new(Limiter::new(own));
        tokio::spawn(line.serve(limiter)).await.map_err(|error| format!("cannot go on: {error}"))
    })
}

/// Tells whoever started it. Nobody may be there any more.
fn say(line: &str) {
    let mut output = io::stdout();
    let _ = writeln!(output, "{line}").and_then(|()| output.flush());
}

/// Returns this program, also where its file was replaced meanwhile.
pub(super) fn own_program() -> io::Result<PathBuf> {
    if cfg!(target_os = "linux") { Ok(PathBuf::from("/proc/self/exe")) } else { std::env::current_exe() }
}

fn take_lock(path: &Path) -> io::Result<File> {
    let mut file = File::options().create(true).truncate(false).read(true).write(true).mode(0o600).open(path)?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::Error(error)) => return Err(error),
        Err(TryLockError::WouldBlock) => {
            let waiting = file.try_clone()?;
            let (done, doing) = mpsc::channel();
            // A thread, since the system's wait for a lock knows no time limit. One that waits in vain ends with the process.
            std::thread::spawn(move || done.send(waiting.lock()));
            doing.recv_timeout(LOCK_WITHIN).map_err(|_| io::Error::from(io::ErrorKind::TimedOut))??;
        }
    }
    // Whoever finds the lock held and nobody answering asks this process to listen anew. A full disk keeps nobody from running.
    let _ = file.set_len(0).and_then(|()| writeln!(file, "{}", std::process::id()));
    Ok(file)
}

/// The socket that daemons call.
struct Line {
    listener: UnixListener,
    path: PathBuf,
    sockets: Vec<PathBuf>,
    /// Somebody cannot find the socket.
    asked_anew: Signal,
    ledger: Arc<Ledger>,
}

impl Line {
    fn open(sockets: &[PathBuf]) -> Result<Self, String> {
        let asked_anew = signal(SignalKind::hangup()).map_err(|error| format!("cannot hear signals: {error}"))?;
        let (listener, path) = listen(sockets)?;
        Ok(Self { listener, path, sockets: sockets.to_vec(), asked_anew, ledger: Arc::default() })
    }

    async fn serve(mut self, limiter: Arc<Limiter>) {
        let mut wait = FIRST_CALL_WITHIN;
        loop {
            let ledger = Arc::clone(&self.ledger);
            let call = async {
                if ledger.is_empty() {
                    tokio::time::timeout(wait, self.listener.accept()).await.ok()
                } else {
                    Some(self.listener.accept().await)
                }
            };
            tokio::select! {
                called = call => match called {
                    Some(Ok((stream, _))) if is_ours(&stream) => {
                        self.attend(stream, &limiter).await;
                        wait = Duration::ZERO;
                    }
                    // A stranger, or one who hung up.
                    Some(_) => {}
                    None => break,
                },
                _ = self.asked_anew.recv() => self.listen_anew(),
            }
        }
        // Before the lock is let go, so that nobody else's is taken away.
        let _ = fs::remove_file(&self.path);
    }

    async fn attend(&mut self, stream: UnixStream, limiter: &Arc<Limiter>) {
        let (incoming, outgoing) = stream.into_split();
        let mut lines = FramedRead::new(incoming, wire::lines());
        let ledger = &self.ledger;
        ledger.tell_all_again();
        let mut telling = std::pin::pin!(tell(outgoing, ledger));
        let mut is_heard = true;
        loop {
            let line = tokio::select! {
                line = lines.next() => line,
                _ = &mut telling, if is_heard => {
                    // It reads no more; what it said before is read to the end.
                    is_heard = false;
                    continue;
                }
            };
            match line.map(|line| line.map(|line| serde_json::from_str(&line))) {
                Some(Ok(Ok(Ask::Start(order)))) => {
                    if let Some(end) = ledger.take(order.id) {
                        tokio::spawn(job::run(*order, Arc::clone(ledger), end, Arc::clone(limiter)));
                    }
                }
                Some(Ok(Ok(Ask::End(id)))) => ledger.end(id),
                Some(Ok(Ok(Ask::Forget(id)))) => ledger.forget(id),
                Some(Ok(Ok(Ask::Output(id)))) => ledger.ask_output(id),
                Some(Ok(Ok(Ask::Follow { id, since }))) => ledger.follow_output(id, since),
                // Of another version.
                Some(Ok(Err(_))) => {}
                Some(Err(_)) | None => return,
            }
        }
    }

    fn listen_anew(&mut self) {
        if let Ok((listener, path)) = listen(&self.sockets) {
            (self.listener, self.path) = (listener, path);
        }
    }
}

/// Tells all that is known and then what becomes of it, until nobody hears it.
async fn tell(outgoing: OwnedWriteHalf, ledger: &Ledger) -> io::Result<()> {
    let mut outgoing = BufWriter::new(outgoing);
    wire::write(&mut outgoing, &Tell::Hello { version: env!("CARGO_PKG_VERSION").to_owned() }).await?;
    let mut has_told_all = false;
    loop {
        while let Some(tells) = ledger.next() {
            for tell in tells {
                wire::write(&mut outgoing, &tell).await?;
            }
        }
        if !has_told_all {
            has_told_all = true;
            wire::write(&mut outgoing, &Tell::Known).await?;
        }
        while let Some(asked) = ledger.next_output() {
            wire::write(&mut outgoing, &asked).await?;
        }
        outgoing.flush().await?;
        ledger.changed().await;
    }
}

/// Listens on the first socket that can be. Whatever is there is of one that is gone: the lock is ours.
fn listen(sockets: &[PathBuf]) -> Result<(UnixListener, PathBuf), String> {
    let mut why = "there is no place for the socket".to_owned();
    for path in sockets {
        match listen_on(path) {
            Ok(listener) => return Ok((listener, path.clone())),
            Err(error) => why = format!("cannot listen on {}: {error}", path.display()),
        }
    }
    Err(why)
}

fn listen_on(path: &Path) -> io::Result<UnixListener> {
    let folder = path.parent().unwrap_or(path);
    match DirBuilder::new().mode(0o700).create(folder) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
        Ok(()) | Err(_) => {}
    }
    // The person may have linked it to another disk.
    let found = fs::metadata(folder)?;
    if found.uid() != rustix::process::geteuid().as_raw() || !found.is_dir() {
        return Err(io::Error::other("the folder is somebody else's"));
    }
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        Ok(()) | Err(_) => {}
    }
    let listener = UnixListener::bind(path)?;
    // Others may see it in the data directory that the person opened to them. Who calls is looked at besides.
    fs::set_permissions(path, fs::Permissions::from_mode(0o600))?;
    Ok(listener)
}

/// Returns whether a caller is the same user.
fn is_ours(stream: &UnixStream) -> bool {
    stream.peer_cred().is_ok_and(|peer| peer.uid() == rustix::process::geteuid().as_raw())
}
