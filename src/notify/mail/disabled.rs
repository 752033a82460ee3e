//! The mail channel of a build without the feature `mail`: always away, and it says why.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use tokio::sync::watch;

use crate::domain::delivery::{ChannelKind, Delivery, Report};
use crate::domain::effect::Withdrawal;
use crate::notify::absent::AbsentChannel;
use crate::notify::fault::Fault;
use crate::notify::mail::Settings;
use crate::notify::network::Network;
use crate::notify::{Channel, Presence};

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

impl Channel for MailChannel {
    fn kind(&self) -> ChannelKind {
        self.0.kind()
    }

    fn workers(&self) -> usize {
        self.0.workers()
    }

    fn deliver<'a>(&'a self, delivery: &'a Delivery) -> BoxFuture<'a, Report> {
        self.0.deliver(delivery)
    }

    fn withdraw<'a>(&'a self, withdrawal: &'a Withdrawal) -> BoxFuture<'a, ()> {
        self.0.withdraw(withdrawal)
    }

    fn presence(&self) -> watch::Receiver<Presence> {
        self.0.presence()
    }
}
