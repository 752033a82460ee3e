//! What several tests stand on: a bus, servers, a screen and terminals of their own.
//!
//! Each is ready when it is returned (told by a pipe or a signal, never by time) and gone when it is dropped.

#[cfg(feature = "desktop")]
pub(crate) mod console;
pub(crate) mod daemon;
#[cfg(feature = "webhook")]
pub(crate) mod desk;
#[cfg(feature = "webhook")]
pub(crate) mod fake_ntfy;
#[cfg(feature = "desktop")]
pub(crate) mod fake_server;
#[cfg(feature = "webhook")]
pub(crate) mod fake_telegram;
#[cfg(feature = "webhook")]
pub(crate) mod http_server;
#[cfg(feature = "desktop")]
pub(crate) mod ledger;
pub(crate) mod life;
#[cfg(target_os = "linux")]
pub(crate) mod measure;
pub(crate) mod office;
#[cfg(feature = "desktop")]
pub(crate) mod opener;
pub(crate) mod person;
#[cfg(feature = "desktop")]
pub(crate) mod popup_desk;
#[cfg(feature = "desktop")]
pub(crate) mod private_bus;
#[cfg(unix)]
pub(crate) mod pty;
pub(crate) mod random;
pub(crate) mod sample;
#[cfg(feature = "mail")]
pub(crate) mod smtp_server;
#[cfg(any(feature = "mail", feature = "webhook"))]
pub(crate) mod tls;
#[cfg(feature = "desktop")]
pub(crate) mod users;
#[cfg(feature = "desktop")]
pub(crate) mod xvfb;

use std::process::Child;
use std::time::Duration;

/// The longest that a test waits for what must happen; far more than it takes, so that a busy machine fails nothing.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

/// A child process that does not outlive the test.
pub(crate) struct Killed(pub(crate) Child);

impl Drop for Killed {
    fn drop(&mut self) {
        // It may have ended by itself; then both fail, and that is as good.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Waits for what must happen, and fails the test where it does not.
pub(crate) async fn soon<T>(what: &str, wanted: impl Future<Output = T>) -> T {
    tokio::time::timeout(PATIENCE, wanted).await.unwrap_or_else(|_| panic!("waited in vain for {what}"))
}
