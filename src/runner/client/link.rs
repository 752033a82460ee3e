//! How is the process that runs commands reached, and how started where there is none?

use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use futures_util::StreamExt as _;
use rustix::process::{Pid, Signal, kill_process};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader, BufWriter};
use tokio::net::UnixStream;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;
use tokio_util::codec::{FramedRead, LinesCodec};

use crate::runner::client::Place;
use crate::runner::process;
use crate::runner::wire::{self, Ask, Tell};

/// How long the process may take to be there: it opens a file and a socket, and may have to wait for one that ends.
const READY_WITHIN: Duration = Duration::from_secs(10);

/// How long one that was reached may take to greet: one that serves a daemon that is going reads what that said first. Only one
/// that hangs, or was stopped, takes as long as this.
const GREETS_WITHIN: Duration = Duration::from_secs(2);

/// How long one that has the lock may take to listen anew.
const ANEW_WITHIN: Duration = Duration::from_secs(3);

/// How often is looked meanwhile.
const LOOK_AGAIN: Duration = Duration::from_millis(20);

/// How often one is started that may have met one that was about to end.
const TRIALS: usize = 3;

/// The longest line that it may say of why it is not there.
const WORDS_BYTES_MAX: u64 = 4096;

/// How much of what is to be said is said in one write.
const SAID_AT_ONCE: usize = 256;

/// A connection to the process.
pub(super) struct Link {
    incoming: FramedRead<OwnedReadHalf, LinesCodec>,
    /// Not bounded here: whoever says something says each thing once.
    outgoing: mpsc::UnboundedSender<Saying>,
}

/// What is on its way to the process.
enum Saying {
    /// A line.
    Line(Vec<u8>),
    /// Somebody wants to know when all before is passed on.
    Flush(oneshot::Sender<()>),
}

/// Why there is none.
#[derive(Debug, thiserror::Error)]
pub(super) enum LinkError {
    /// It cannot be started.
    #[error("cannot start the process that runs commands: {source}")]
    NotStarted { source: io::Error },
    /// It says why it is not there.
    #[error("cannot start the process that runs commands: {words}")]
    Refused { words: String },
    /// It holds its lock and does not answer.
    #[error("cannot reach the process that runs commands: it does not answer")]
    Silent,
}

impl Link {
    /// Returns a connection to the process that is there; `None`: there is none.
    ///
    /// # Errors
    /// There is one, and it cannot be reached.
    pub(super) async fn to_present(place: &Place) -> Result<Option<Self>, LinkError> {
        if let Some(link) = Self::call(place).await {
            return Ok(Some(link));
        }
        let Some(holder) = holder(&place.lock) else { return Ok(None) };
        // Its socket was removed, or it is just coming up or going.
        if let Some(holder) = holder.pid {
            let _ = kill_process(holder, Signal::HUP);
        }
        let trial = async {
            loop {
                if let Some(link) = Self::call(place).await {
                    return Some(link);
                }
                self::holder(&place.lock)?;
                // A rest.
                let _ = timeout(LOOK_AGAIN, std::future::pending::<()>()).await;
            }
        };
        timeout(ANEW_WITHIN, trial).await.map_err(|_| LinkError::Silent)
    }

    /// Returns a connection to the process, which is started where there is none.
    ///
    /// # Errors
    /// It cannot be started or reached.
    pub(super) async fn to_any(place: &Place) -> Result<Self, LinkError> {
        for _ in 0..TRIALS {
            if let Some(link) = Self::to_present(place).await? {
                return Ok(link);
            }
            start(place).await?;
        }
        Err(LinkError::Silent)
    }

    async fn call(place: &Place) -> Option<Self> {
        for socket in &place.sockets {
            let Ok(stream) = UnixStream::connect(socket).await else { continue };
            // A stranger who listens there is not told what is run.
            let is_ours = stream.peer_cred().is_ok_and(|peer| peer.uid() == rustix::process::geteuid().as_raw());
            if !is_ours {
                continue;
            }
            let (incoming, writing) = stream.into_split();
            let (outgoing, coming) = mpsc::unbounded_channel();
            tokio::spawn(pass_on(writing, coming));
            let mut link = Self { incoming: FramedRead::new(incoming, wire::lines()), outgoing };
            // One that was about to end hangs up. One that serves a daemon that is going says nothing until that has gone.
            if let Ok(Some(Tell::Hello { version })) = timeout(GREETS_WITHIN, link.hear()).await {
                tracing::debug!(version, "reached the process that runs commands");
                return Some(link);
            }
        }
        None
    }

    /// Returns what it says next, `None` where it is gone. Dropping the future loses nothing.
    pub(super) async fn hear(&mut self) -> Option<Tell> {
        loop {
            let line = self.incoming.next().await?.ok()?;
            match serde_json::from_str(&line) {
                Ok(tell) => return Some(tell),
                // Of another version.
                Err(error) => tracing::debug!(%error, "passes over what is not understood"),
            }
        }
    }

    /// Says something. Returns at once, however slowly the process reads; that it is gone is heard.
    pub(super) fn say(&self, ask: &Ask) {
        let _ = self.outgoing.send(Saying::Line(wire::line(ask)));
    }

    /// Lets `done` know when all that was said is passed on, or cannot be any more.
    pub(super) fn flush(&self, done: oneshot::Sender<()>) {
        let _ = self.outgoing.send(Saying::Flush(done));
    }
}

/// Passes on what is said, so that whoever says it waits for nobody: a process that was stopped reads nothing.
async fn pass_on(writing: OwnedWriteHalf, mut coming: mpsc::UnboundedReceiver<Saying>) -> io::Result<()> {
    let mut writing = BufWriter::new(writing);
    let mut sayings = Vec::new();
    while coming.recv_many(&mut sayings, SAID_AT_ONCE).await > 0 {
        let mut waiting = Vec::new();
        for saying in sayings.drain(..) {
            match saying {
                Saying::Line(line) => writing.write_all(&line).await?,
                Saying::Flush(done) => waiting.push(done),
            }
        }
        writing.flush().await?;
        for done in waiting {
            // Who waited may have gone.
            let _ = done.send(());
        }
    }
    Ok(())
}

/// Who holds a lock.
struct Holder {
    pid: Option<Pid>,
}

/// Returns the number of the process, where it is there and has said it.
pub(super) fn pid(lock: &Path) -> Option<i32> {
    holder(lock)?.pid.map(Pid::as_raw_pid)
}

/// Returns who holds the lock of the process, if somebody does.
fn holder(lock: &Path) -> Option<Holder> {
    let mut file = File::open(lock).ok()?;
    // Shared, and let go at once.
    if file.try_lock_shared().is_ok() {
        return None;
    }
    let mut text = String::new();
    // Who it is only helps.
    let _ = file.read_to_string(&mut text);
    Some(Holder { pid: text.trim().parse().ok().and_then(Pid::from_raw) })
}

/// Starts the process, and waits until it can be called.
async fn start(place: &Place) -> Result<(), LinkError> {
    let failed = |source| LinkError::NotStarted { source };
    let program = match &place.program {
        Some(program) => program.clone(),
        None => own_program().map_err(failed)?,
    };
    let mut command = tokio::process::Command::new(program);
    command.arg(process::ROLE).arg(&place.lock).args(&place.sockets);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().map_err(failed)?;
    let output = child.stdout.take().expect("it was asked for, and is taken once");
    let mut words = String::new();
    let mut heard = BufReader::new(output.take(WORDS_BYTES_MAX));
    let read = timeout(READY_WITHIN, heard.read_line(&mut words)).await;
    // Its end is seen to by the runtime.
    drop(child);
    match (read, words.trim()) {
        (Ok(Ok(_)), process::READY) => Ok(()),
        (Ok(Ok(_)), "") => Err(LinkError::Refused { words: "it ended without a word".to_owned() }),
        (Ok(Ok(_)), words) => Err(LinkError::Refused { words: words.to_owned() }),
        (Ok(Err(source)), _) => Err(failed(source)),
        (Err(_), _) => Err(LinkError::Silent),
    }
}

/// Returns this program by a name that people know, where its file is still there.
fn own_program() -> io::Result<std::path::PathBuf> {
    match std::env::current_exe() {
        Ok(program) if program.is_file() => Ok(program),
        Ok(_) | Err(_) => process::own_program(),
    }
}
