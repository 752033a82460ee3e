//! The ntfy channel of a build without the feature `webhook`: always away, and it says why.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use tokio::sync::watch;

use crate::domain::delivery::{ChannelKind, Delivery, Report};
use crate::domain::effect::Withdrawal;
use crate::notify::absent::AbsentChannel;
use crate::notify::fault::Fault;
use crate::notify::network::Network;
use crate::notify::ntfy::Settings;
use crate::notify::{Channel, Now, Presence};

/// Topics of ntfy.
#[derive(Debug)]
pub struct NtfyChannel(AbsentChannel);

impl NtfyChannel {
    /// Returns the channel.
    #[must_use]
    pub fn new(_now: Now) -> Self {
        Self(AbsentChannel::new(ChannelKind::Ntfy, "keikod was built without the feature webhook"))
    }

    /// Returns the channel as it is: whatever the network does, it is away.
    #[must_use]
    pub fn heeding(self, _network: Arc<dyn Network>) -> Self {
        self
    }

    /// Leaves the topics to a build that can reach them.
    ///
    /// # Errors
    /// None in this build: nothing is looked at.
    pub fn configure(&self, _targets: Vec<Settings>) -> Result<(), Vec<Fault>> {
        Ok(())
    }
}

impl Channel for NtfyChannel {
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

#[cfg(test)]
mod tests {
    use super::*;

    use crate::domain::time::Timestamp;

    #[test]
    fn a_build_without_http_says_so() {
        let channel = NtfyChannel::new(Arc::new(|| Timestamp::MIN));
        channel.configure(Vec::new()).unwrap();
        let away = Presence::Away { reason: "keikod was built without the feature webhook".to_owned() };
        assert_eq!(*channel.presence().borrow(), away);
    }
}
