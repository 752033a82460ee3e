//! The webhook channel of a build without the feature `webhook`: always away, and it says why.

use std::sync::Arc;

use crate::domain::delivery::ChannelKind;
use crate::notify::absent::{AbsentChannel, StandIn};
use crate::notify::network::Network;
use crate::notify::webhook::{Fault, Now, Settings};

/// Programs that take HTTP requests.
#[derive(Debug)]
pub struct WebhookChannel(AbsentChannel);

impl WebhookChannel {
    /// Returns the channel; the targets are kept for a build that can reach them.
    ///
    /// # Errors
    /// None in this build: nothing is looked at.
    pub fn new(_targets: Vec<Settings>, _now: Now) -> Result<Self, Vec<Fault>> {
        Ok(Self(AbsentChannel::new(ChannelKind::Webhook, "keikod was built without webhook support")))
    }
}

impl WebhookChannel {
    /// Returns what is wrong with settings: nothing in this build, which looks at none.
    #[must_use]
    pub fn check(_targets: Vec<Settings>) -> Vec<Fault> {
        Vec::new()
    }

    /// Goes by other targets, which this build cannot reach either.
    ///
    /// # Errors
    /// As for [`WebhookChannel::new`].
    pub fn configure(&self, _targets: Vec<Settings>) -> Result<(), Vec<Fault>> {
        Ok(())
    }

    /// Returns the channel as it is: whatever the network does, it is away.
    #[must_use]
    pub fn heeding(self, _network: Arc<dyn Network>) -> Self {
        self
    }
}

impl StandIn for WebhookChannel {
    fn absent(&self) -> &AbsentChannel {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::notify::{Channel as _, Presence};

    use crate::domain::time::Timestamp;

    #[test]
    fn a_build_without_webhook_support_says_so() {
        let channel = WebhookChannel::new(Vec::new(), Arc::new(|| Timestamp::MIN)).unwrap();
        let away = Presence::Away { reason: "keikod was built without webhook support".to_owned() };
        assert_eq!(*channel.presence().borrow(), away);
    }
}
