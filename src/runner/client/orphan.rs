//! What becomes of a command whose runner is gone too? It is waited for, so that the next attempt does not meet it; how it
//! ended nobody can know, since only its parent is told.

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

    /// Waits for its end; makes it end where that is asked.
    pub(super) async fn wait(self, end: CancellationToken) -> RunEnd {
        tokio::select! {
            () = self.exit.wait() => return RunEnd::Interrupted,
            () = end.cancelled() => {}
        }
        self.signal(Signal::TERM);
        if timeout(ENDS_WITHIN, self.exit.wait()).await.is_err() {
            self.signal(Signal::KILL);
            self.exit.wait().await;
            return RunEnd::Signal(Signal::KILL.as_raw());
        }
        RunEnd::Signal(Signal::TERM.as_raw())
    }

    /// Signals its group, if it is there still. Between the look and the signal its number could become another's only if all
    /// numbers went round meanwhile.
    fn signal(&self, signal: Signal) {
        if identity::is_there(&self.process) {
            identity::signal_group(self.process.pid, signal);
        }
    }
}
