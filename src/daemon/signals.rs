//! How does the daemon hear that it is to stop, or to read its configuration anew? Of those that mean stop the first asks, the
//! second insists.

use std::io::{self, IsTerminal as _};

use futures_util::future::BoxFuture;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio_util::sync::CancellationToken;

/// The exit code of a daemon that was told twice, as of one that a signal ended.
const INSISTED: i32 = 130;

/// The signal that asks for the configuration to be read anew.
const HANG_UP: &str = "SIGHUP";

/// The signals that mean something, taken over from the system's own ways.
#[derive(Debug)]
pub(super) struct Signals {
    terminate: Signal,
    interrupt: Signal,
    hang_up: Signal,
    /// A file that may not become as large (`RLIMIT_FSIZE`, signal(7)): that is told where it is written, as a full disk is.
    _too_large: Signal,
}

impl Signals {
    /// Takes the signals over. From now on none of them ends the process by itself.
    ///
    /// # Errors
    /// The system refuses.
    pub(super) fn listen() -> io::Result<Self> {
        Ok(Self {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
            hang_up: signal(SignalKind::hangup())?,
            _too_large: signal(SignalKind::from_raw(rustix::process::Signal::XFSZ.as_raw()))?,
        })
    }

    /// Cancels `stop` at the first signal that means it, and ends the process on the spot at the second; does `reload` at each
    /// that asks for that.
    pub(super) async fn pass_on(mut self, stop: CancellationToken, reload: impl Fn() -> BoxFuture<'static, ()> + Send) {
        // Where it runs on somebody's terminal, that terminal is gone.
        let is_on_terminal = io::stderr().is_terminal();
        let name = loop {
            match self.next().await {
                HANG_UP if !is_on_terminal => {
                    tracing::info!(signal = HANG_UP, "reads its configuration anew");
                    reload().await;
                }
                name => break name,
            }
        };
        tracing::info!(signal = name, "stops");
        stop.cancel();
        let name = loop {
            match self.next().await {
                HANG_UP => {}
                name => break name,
            }
        };
        tracing::warn!(signal = name, "stops at once");
        // Every acknowledged change is durable already: this is what kill -9 would do, and no worse.
        std::process::exit(INSISTED);
    }

    async fn next(&mut self) -> &'static str {
        tokio::select! {
            _ = self.terminate.recv() => "SIGTERM",
            _ = self.interrupt.recv() => "SIGINT",
            _ = self.hang_up.recv() => HANG_UP,
        }
    }
}
