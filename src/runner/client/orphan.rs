//! What becomes of a command whose runner is gone too? It is waited for, so that the next attempt does not meet it; how it
//! ended nobody can know, since only its parent is told.

use std::time::Duration;

use rustix::process::Signal;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use crate::domain::run::{Process, RunEnd};
use crate::runner::exit::Exit;
use crate::runner::{ENDS_WITHIN, identity};

/// A process that runs without a runner.
pub(super) struct Orphan {
    process: Process,
    exit: Exit,
}

impl Orphan {
    /// Finds a process again; `None` where it is gone or cannot be told from another.
    pub(super) fn find(process: Process) -> Option<Self> {
        let exit = Exit::of(process.pid)?;
        // Looked at only now: what waits is bound to the process that has the number, be it this one.
        identity::is_there(&process).then_some(Self { process, exit })
    }

    /// Waits for its end; makes it end where that is asked, or where it has run for as long as it may.
    pub(super) async fn wait(self, end: CancellationToken, ends_in: Option<Duration>) -> RunEnd {
        let over = async {
            match ends_in {
                Some(limit) => drop(timeout(limit, std::future::pending::<()>()).await),
                None => std::future::pending().await,
            }
        };
        let is_timed_out = tokio::select! {
            () = self.exit.wait() => return RunEnd::Interrupted,
            () = end.cancelled() => false,
            () = over => true,
        };
        self.signal(Signal::TERM);
        let is_killed = timeout(ENDS_WITHIN, self.exit.wait()).await.is_err();
        if is_killed {
            self.signal(Signal::KILL);
            self.exit.wait().await;
        }
        match (is_timed_out, is_killed) {
            (true, _) => RunEnd::TimedOut,
            (false, true) => RunEnd::Signal(Signal::KILL.as_raw()),
            (false, false) => RunEnd::Signal(Signal::TERM.as_raw()),
        }
    }

    /// Signals its group, if it is there still. Between the look and the signal its number could become another's only if all
    /// numbers went round meanwhile.
    fn signal(&self, signal: Signal) {
        if identity::is_there(&self.process) {
            identity::signal_group(self.process.pid, signal);
        }
    }
}
