//! The mail channel of a build without the feature `mail`: always away, and it says why.

use std::sync::Arc;

use crate::domain::delivery::ChannelKind;
use crate::notify::absent::{AbsentChannel, StandIn};
use crate::notify::fault::Fault;
use crate::notify::mail::Settings;
use crate::notify::network::Network;

/// Mail addresses.
#[derive(Debug)]
pub struct MailChannel(AbsentChannel);

impl MailChannel {
    /// Returns the channel.
    #[must_use]
    pub fn new() -> Self {
        Self(AbsentChannel::new(ChannelKind::Mail, "keikod was built without mail support"))
    }

    /// Leaves the targets to a build that can reach them.
    ///
    /// # Errors
    /// None in this build: nothing is looked at.
    pub fn configure(&self, _targets: Vec<Settings>) -> Result<(), Vec<Fault>> {
        Ok(())
    }

    /// Returns the channel as it is: whatever the network does, it is away.
    #[must_use]
    pub fn heeding(self, _network: Arc<dyn Network>) -> Self {
        self
    }
}

impl Default for MailChannel {
    fn default() -> Self {
        Self::new()
    }
}

impl StandIn for MailChannel {
    fn absent(&self) -> &AbsentChannel {
        &self.0
    }
}
