//! How is an outside dead-man's switch told that a command has started, succeeded or failed?
//!
//! In the way of healthchecks.io (<https://healthchecks.io/docs/http_api/>), which others speak too: a POST to the address says
//! success, to the address with `/start` or `/fail` the others; the parameter `rid` joins the start of a run to its end, and
//! the body, of which a service keeps the first 100 kB, is shown to people. One attempt, never another by itself; the address
//! is named in an error by its host alone, since the rest of it is the key.

use std::time::Duration;

use uuid::Uuid;

use crate::domain::secret::Secret;

#[cfg(not(feature = "webhook"))]
mod disabled;
#[cfg(feature = "webhook")]
mod enabled;

#[cfg(not(feature = "webhook"))]
pub use disabled::PingClient;
#[cfg(feature = "webhook")]
pub use enabled::PingClient;

/// How long an attempt may take in all.
pub const TIMEOUT: Duration = Duration::from_secs(10);

/// What is said of a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Signal {
    /// It has started.
    Start,
    /// It did what it was to do.
    Success,
    /// It failed, and is not tried again.
    Failure,
}

impl Signal {
    /// Returns what stands behind the address.
    #[must_use]
    pub const fn suffix(self) -> &'static str {
        match self {
            Self::Start => "/start",
            Self::Success => "",
            Self::Failure => "/fail",
        }
    }
}

/// One request.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PingRequest {
    /// The address of the switch.
    pub url: Secret,
    /// What is said.
    pub signal: Signal,
    /// Joins a start to its end, where there is one name for both.
    pub run: Option<Uuid>,
    /// What people are shown.
    pub body: String,
}
