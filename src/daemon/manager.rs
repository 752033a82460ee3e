//! What does the service manager that started the daemon want to hear? That it is ready, reloads, stops, and lives.
//!
//! The protocol is that of `sd_notify(3)` and `sd_watchdog_enabled(3)`: a datagram of lines. Nothing is said where nobody asked,
//! to a manager that started somebody else, or in place of a loop that stands still.

use std::ffi::OsStr;
use std::fmt::Write as _;
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::net::{SocketAddr, UnixDatagram};
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use crate::api::{ConfigState, Configuration, Reloaded};
use crate::daemon::reload::Reloading;
use crate::engine::handle::Handle;

/// Where the manager listens.
const SOCKET: &str = "NOTIFY_SOCKET";

/// How often it wants to hear from us, in microseconds, and from which process.
const WATCHDOG: [&str; 2] = ["WATCHDOG_USEC", "WATCHDOG_PID"];

/// The process that it started, where it says so: what that one starts inherits all of these variables.
const STARTED: &str = "SYSTEMD_EXEC_PID";

/// The longest line about how it goes; a path may have 4096 bytes, and a datagram more than that.
const STATUS_CHARS_MAX: usize = 200;

/// The service manager, or nobody.
#[derive(Debug)]
pub(super) struct Manager {
    socket: Option<(UnixDatagram, SocketAddr)>,
    /// Within which time it must hear that the daemon lives.
    watchdog: Option<Duration>,
}

impl Manager {
    /// Returns the one of whom the environment tells.
    pub(super) fn of_environment() -> Self {
        let own = std::process::id().to_string();
        let is_ours = |name| std::env::var(name).map_or(true, |pid| pid.is_empty() || pid == own);
        if !is_ours(STARTED) {
            return Self { socket: None, watchdog: None };
        }
        let usec = std::env::var(WATCHDOG[0]).ok().and_then(|usec| usec.parse::<u64>().ok());
        let watchdog = usec.filter(|usec| *usec > 0 && is_ours(WATCHDOG[1])).map(Duration::from_micros);
        Self { socket: socket(), watchdog }
    }

    /// Says that calls are answered from now on.
    pub(super) fn ready(&self, status: &str) {
        self.tell(&["READY=1", &format!("STATUS={}", one_line(status))]);
    }

    /// Says that the daemon is about to end.
    pub(super) fn stopping(&self) {
        self.tell(&["STOPPING=1", "STATUS=stops"]);
    }

    /// Says that the configuration is read anew; [`Manager::ready`] ends it. The time tells the manager which of its requests
    /// this answers.
    fn reloading(&self) {
        let mut lines = "RELOADING=1\nSTATUS=reads its configuration anew".to_owned();
        #[cfg(target_os = "linux")]
        {
            let now = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
            let usec = i128::from(now.tv_sec) * 1_000_000 + i128::from(now.tv_nsec) / 1000;
            // Writing to a String cannot fail.
            let _ = write!(lines, "\nMONOTONIC_USEC={usec}");
        }
        self.tell(&[&lines]);
    }

    /// Says as often as is wanted that the daemon lives, which the loop itself must have shown each time; until `stop`.
    pub(super) async fn guard(self: Arc<Self>, handle: Handle, stop: CancellationToken) {
        let Some(limit) = self.watchdog.filter(|_| self.socket.is_some()) else { return };
        // Half of it, as sd_watchdog_enabled(3) asks.
        let rest = limit / 2;
        loop {
            // One that stands still is not spoken for: the manager makes an end of it.
            match timeout(rest, handle.beat()).await {
                Ok(Ok(())) => self.tell(&["WATCHDOG=1"]),
                // It is about to stop.
                Ok(Err(_)) => {}
                Err(_) => tracing::error!("the loop has stood still for {} s", rest.as_secs()),
            }
            if timeout(rest, stop.cancelled()).await.is_ok() {
                return;
            }
        }
    }

    fn tell(&self, lines: &[&str]) {
        let Some((socket, address)) = &self.socket else { return };
        // A manager that does not listen, or not in time, is no reason to do anything else.
        if let Err(error) = socket.send_to_addr(lines.join("\n").as_bytes(), address) {
            tracing::warn!(%error, "cannot tell the service manager");
        }
    }
}

fn socket() -> Option<(UnixDatagram, SocketAddr)> {
    let name = std::env::var_os(SOCKET).filter(|name| !name.is_empty())?;
    let address = address(&name);
    let socket = UnixDatagram::unbound().and_then(|socket| socket.set_nonblocking(true).map(|()| socket));
    match socket.and_then(|socket| Ok((socket, address?))) {
        Ok(found) => Some(found),
        Err(error) => {
            tracing::warn!(socket = %name.display(), %error, "cannot speak to the service manager");
            None
        }
    }
}

/// Returns where that is: a name that begins with `@` is no file's.
#[cfg(target_os = "linux")]
fn address(name: &OsStr) -> io::Result<SocketAddr> {
    use std::os::linux::net::SocketAddrExt as _;

    match name.as_bytes().strip_prefix(b"@") {
        Some(name) => SocketAddr::from_abstract_name(name),
        None => SocketAddr::from_pathname(name),
    }
}

#[cfg(not(target_os = "linux"))]
fn address(name: &OsStr) -> io::Result<SocketAddr> {
    SocketAddr::from_pathname(name)
}

/// Returns a text that cannot be taken for several lines.
fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(STATUS_CHARS_MAX).collect()
}

/// What reads the configuration anew, and lets the service manager know.
pub(super) struct Announced {
    /// What reads it.
    pub(super) reloading: Arc<Reloading>,
    /// Who is told.
    pub(super) manager: Arc<Manager>,
    /// What is said again behind it.
    pub(super) status: String,
}

impl Configuration for Announced {
    fn reload(&self, text: Option<String>) -> BoxFuture<'_, Result<Reloaded, String>> {
        Box::pin(async move {
            self.manager.reloading();
            let reloaded = self.reloading.reload(text).await;
            let refused = if reloaded.is_err() { "; the configuration is wrong, the former one holds" } else { "" };
            self.manager.ready(&format!("{}{refused}", self.status));
            reloaded
        })
    }

    fn check(&self, text: &str) -> Result<Reloaded, String> {
        self.reloading.check(text)
    }

    fn state(&self) -> ConfigState {
        self.reloading.state()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_is_one_line_of_a_bounded_length() {
        assert_eq!(one_line("serves /a\nREADY=1"), "serves /a READY=1");
        assert_eq!(one_line(&"家".repeat(4096)).chars().count(), STATUS_CHARS_MAX);
    }
}
