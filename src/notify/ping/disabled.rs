//! The pings of a build without the feature `webhook`: none, and it says why.

use crate::domain::delivery::Report;
use crate::domain::secret::Secret;
use crate::domain::time::Timestamp;
use crate::notify::ping::PingRequest;

/// Sends pings.
#[derive(Debug, Default)]
pub struct PingClient;

impl PingClient {
    /// Returns the client.
    #[must_use]
    pub const fn new() -> Self {
        Self
    }

    /// Refuses an address, with the reason.
    ///
    /// # Errors
    /// Always: this build pings none.
    pub fn check(_url: &Secret) -> Result<String, String> {
        Err("keikod was built without webhook support".to_owned())
    }

    /// Makes no attempt.
    pub async fn send(&self, _request: &PingRequest, _now: Timestamp) -> Report {
        let error = "keikod was built without webhook support".to_owned();
        std::future::ready(Report::Failed { error, is_final: true, retry_after: None }).await
    }
}
