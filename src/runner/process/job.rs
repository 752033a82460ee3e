//! How does one command live? From its start to the last word in its pipes, in a process group of its own.
//!
//! It has ended when its own process has, whoever else keeps its pipes open. Its process is reaped last: until then its number
//! is no other's, so that no signal reaches a stranger.

use std::os::unix::process::ExitStatusExt as _;
use std::pin::{Pin, pin};
use std::process::{Child, ExitStatus};
use std::sync::Arc;
use std::time::Duration;

use rustix::process::Signal;
use tokio::io::{AsyncRead, AsyncReadExt as _};
use tokio::process::{ChildStderr, ChildStdout};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use crate::runner::exit::Exit;
use crate::runner::identity;
use crate::runner::process::command;
use crate::runner::process::ledger::Ledger;
use crate::runner::process::limits::Limiter;
use crate::runner::process::marks::{Mark, Marks};
use crate::runner::wire::{EndLine, StartLine};
use crate::runner::{ENDS_WITHIN, NEWS_REST};

/// How long it takes at most to read what is in the pipes once the command has ended: it is there already.
const READ_WITHIN: Duration = Duration::from_millis(100);

/// How much is read at once.
const CHUNK_BYTES: usize = 16 * 1024;

/// Runs a command to its end, and notes what becomes of it.
pub(super) async fn run(order: StartLine, ledger: Arc<Ledger>, end: CancellationToken, limiter: Arc<Limiter>) {
    let id = order.id;
    let ended = match start(&order, &end, &limiter).await {
        Ok(child) => Job::of(id, child, &ledger).live(order.timeout(), &end).await,
        Err(error) => EndLine::NotStarted(error),
    };
    ledger.ended(id, ended);
}

async fn start(order: &StartLine, end: &CancellationToken, limiter: &Limiter) -> Result<Child, String> {
    let mut command = command::of(order, limiter).await?;
    if end.is_cancelled() {
        return Err("it was to end before it was started".to_owned());
    }
    command.spawn().map_err(|error| {
        let file = command::file(order).unwrap_or_default();
        format!("cannot start {}: {}", command::name(order), command::why_not_run(&file, &error))
    })
}

/// Why nobody waits for a command any more.
enum Over {
    Exited,
    TimedOut,
    Asked,
}

struct Job<'a> {
    id: Uuid,
    child: Child,
    ledger: &'a Ledger,
    exit: Exit,
    has_exited: bool,
    ears: Ears,
    progress: Throttle,
    checkpoint: Throttle,
}

impl<'a> Job<'a> {
    fn of(id: Uuid, mut child: Child, ledger: &'a Ledger) -> Self {
        ledger.started(id, identity::of(child.id()));
        let exit = Exit::of(child.id()).expect("a child that is not reaped can be waited for");
        let ears = Ears {
            // Where the system has no room to listen, the command talks to nobody.
            stdout: child.stdout.take().and_then(|pipe| ChildStdout::from_std(pipe).ok()),
            stderr: child.stderr.take().and_then(|pipe| ChildStderr::from_std(pipe).ok()),
            stdout_chunk: Vec::with_capacity(CHUNK_BYTES),
            stderr_chunk: Vec::with_capacity(CHUNK_BYTES),
            marks: Marks::default(),
        };
        Self {
            id,
            child,
            ledger,
            exit,
            has_exited: false,
            ears,
            progress: Throttle::default(),
            checkpoint: Throttle::default(),
        }
    }

    async fn live(mut self, limit: Option<Duration>, end: &CancellationToken) -> EndLine {
        let over = self.until_over(limit, end).await;
        match over {
            Over::Exited => {}
            Over::TimedOut | Over::Asked => self.make_end().await,
        }
        // All that it said is in the pipes; who else holds their other ends may do so for ever.
        let _ = timeout(READ_WITHIN, async {
            while self.ears.is_open() {
                self.next().await;
            }
        })
        .await;
        self.tell_the_rest();
        let status = self.child.wait();
        match (over, status) {
            (Over::TimedOut, _) => EndLine::TimedOut,
            (Over::Exited | Over::Asked, Ok(status)) => end_of(status),
            // It cannot be: it has ended and is ours.
            (Over::Exited | Over::Asked, Err(error)) => {
                EndLine::NotStarted(format!("cannot tell how it ended: {error}"))
            }
        }
    }

    async fn until_over(&mut self, limit: Option<Duration>, end: &CancellationToken) -> Over {
        let mut limit = pin!(async move {
            match limit {
                Some(limit) => drop(timeout(limit, std::future::pending::<()>()).await),
                None => std::future::pending().await,
            }
        });
        while !self.has_exited {
            tokio::select! {
                () = &mut limit => return Over::TimedOut,
                () = end.cancelled() => return Over::Asked,
                () = self.next() => {}
            }
        }
        Over::Exited
    }

    /// Asks all of the group to end, and makes it after a while.
    ///
    /// Whoever of the group is left when its leader has ended has its time too, unless nobody speaks any more.
    async fn make_end(&mut self) {
        let leader = self.child.id();
        identity::signal_group(leader, Signal::TERM);
        let mut is_over = pin!(timeout(ENDS_WITHIN, std::future::pending::<()>()));
        while !self.has_exited || self.ears.is_open() {
            tokio::select! {
                _ = &mut is_over => break,
                () = self.next() => {}
            }
        }
        identity::signal_group(leader, Signal::KILL);
        while !self.has_exited {
            self.next().await;
        }
    }

    /// Waits for the next thing that happens, and sees to it.
    async fn next(&mut self) {
        tokio::select! {
            () = self.exit.wait(), if !self.has_exited => self.has_exited = true,
            heard = self.ears.hear(), if self.ears.is_open() => match heard {
                Heard::Stdout => {
                    self.ledger.said(self.id, &self.ears.stdout_chunk);
                    let (progress, checkpoint) = (&mut self.progress, &mut self.checkpoint);
                    let Ears { marks, stdout_chunk, .. } = &mut self.ears;
                    marks.read(stdout_chunk, |mark| match mark {
                        Mark::Progress(_) => progress.take(mark),
                        Mark::Checkpoint(_) => checkpoint.take(mark),
                    });
                    self.ears.stdout_chunk.clear();
                    self.tell();
                }
                Heard::Stderr => {
                    self.ledger.said(self.id, &self.ears.stderr_chunk);
                    self.ears.stderr_chunk.clear();
                }
            },
            () = self.progress.rested(), if self.progress.rest.is_some() => self.tell(),
            () = self.checkpoint.rested(), if self.checkpoint.rest.is_some() => self.tell(),
            // Nothing can happen any more, and nobody asks then.
            else => {}
        }
    }

    fn tell(&mut self) {
        for throttle in [&mut self.progress, &mut self.checkpoint] {
            if let Some(mark) = throttle.release() {
                self.ledger.marked(self.id, mark);
            }
        }
    }

    /// Tells what the command said last, which may be a line without end.
    fn tell_the_rest(&mut self) {
        match self.ears.marks.end() {
            Some(mark @ Mark::Progress(_)) => self.progress.take(mark),
            Some(mark @ Mark::Checkpoint(_)) => self.checkpoint.take(mark),
            None => {}
        }
        for throttle in [&mut self.progress, &mut self.checkpoint] {
            if let Some(mark) = throttle.waiting.take() {
                self.ledger.marked(self.id, mark);
            }
        }
    }
}

fn end_of(status: ExitStatus) -> EndLine {
    match (status.code(), status.signal()) {
        (Some(status), _) => EndLine::Exit(status),
        (None, signal) => EndLine::Signal(signal.unwrap_or_default()),
    }
}

/// The pipes of a command.
struct Ears {
    stdout: Option<ChildStdout>,
    stderr: Option<ChildStderr>,
    stdout_chunk: Vec<u8>,
    stderr_chunk: Vec<u8>,
    marks: Marks,
}

enum Heard {
    Stdout,
    Stderr,
}

impl Ears {
    fn is_open(&self) -> bool {
        self.stdout.is_some() || self.stderr.is_some()
    }

    /// Reads what is said next into the chunk of its pipe; an empty one is its end.
    async fn hear(&mut self) -> Heard {
        let heard = tokio::select! {
            () = read(&mut self.stdout, &mut self.stdout_chunk), if self.stdout.is_some() => Heard::Stdout,
            () = read(&mut self.stderr, &mut self.stderr_chunk), if self.stderr.is_some() => Heard::Stderr,
            else => std::future::pending().await,
        };
        match heard {
            Heard::Stdout if self.stdout_chunk.is_empty() => self.stdout = None,
            Heard::Stderr if self.stderr_chunk.is_empty() => self.stderr = None,
            Heard::Stdout | Heard::Stderr => {}
        }
        heard
    }
}

async fn read(pipe: &mut Option<impl AsyncRead + Unpin>, chunk: &mut Vec<u8>) {
    let Some(pipe) = pipe else { return };
    // What cannot be read is at its end.
    let _ = (&mut *pipe).take(CHUNK_BYTES as u64).read_buf(chunk).await;
}

/// Lets the first through at once, and then the latest after each rest: nothing that a command says makes a flood of events.
#[derive(Default)]
struct Throttle {
    waiting: Option<Mark>,
    rest: Option<Pin<Box<dyn Future<Output = ()> + Send>>>,
}

impl Throttle {
    fn take(&mut self, mark: Mark) {
        self.waiting = Some(mark);
    }

    /// Waits until the rest is over.
    async fn rested(&mut self) {
        if let Some(rest) = &mut self.rest {
            rest.await;
            self.rest = None;
        }
    }

    /// Returns what is to be told now.
    fn release(&mut self) -> Option<Mark> {
        if self.rest.is_some() {
            return None;
        }
        let mark = self.waiting.take()?;
        self.rest = Some(Box::pin(async { drop(timeout(NEWS_REST, std::future::pending::<()>()).await) }));
        Some(mark)
    }
}
