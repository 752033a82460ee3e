//! How does the daemon hear that it is to stop? The first signal asks, the second insists.

use std::io;

use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio_util::sync::CancellationToken;

/// The exit code of a daemon that was told twice, as of one that a signal ended.
const INSISTED: i32 = 130;

/// The signals that mean stop, taken over from the system's own ways.
#[derive(Debug)]
pub(super) struct StopSignals {
    terminate: Signal,
    interrupt: Signal,
    hang_up: Signal,
}

impl StopSignals {
    /// Takes the signals over. From now on none of them ends the process by itself.
    ///
    /// # Errors
    /// The system refuses.
    pub(super) fn listen() -> io::Result<Self> {
        Ok(Self {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
            hang_up: signal(SignalKind::hangup())?,
        })
    }

    /// Cancels `stop` at the first signal, and ends the process on the spot at the second.
    pub(super) async fn pass_on(mut self, stop: CancellationToken) {
        let name = self.next().await;
        tracing::info!(signal = name, "stops");
        stop.cancel();
        let name = self.next().await;
        tracing::warn!(signal = name, "stops at once");
        // Every acknowledged change is durable already: this is what kill -9 would do, and no worse.
        std::process::exit(INSISTED);
    }

    async fn next(&mut self) -> &'static str {
        tokio::select! {
            _ = self.terminate.recv() => "SIGTERM",
            _ = self.interrupt.recv() => "SIGINT",
            _ = self.hang_up.recv() => "SIGHUP",
        }
    }
}
