//! The Telegram channel of a build without the feature `webhook`: always away, and it says why.

use std::sync::Arc;

use crate::domain::delivery::ChannelKind;
use crate::notify::Now;
use crate::notify::absent::{AbsentChannel, StandIn};
use crate::notify::fault::Fault;
use crate::notify::network::Network;
use crate::notify::telegram::Settings;

/// Chats of Telegram.
#[derive(Debug)]
pub struct TelegramChannel(AbsentChannel);

impl TelegramChannel {
    /// Returns the channel.
    #[must_use]
    pub fn new(_now: Now) -> Self {
        Self(AbsentChannel::new(ChannelKind::Telegram, "keikod was built without the feature webhook"))
    }

    /// Returns the channel as it is: whatever the network does, it is away.
    #[must_use]
    pub fn heeding(self, _network: Arc<dyn Network>) -> Self {
        self
    }

    /// Leaves the chats to a build that can reach them.
    ///
    /// # Errors
    /// None in this build: nothing is looked at.
    pub fn configure(&self, _targets: Vec<Settings>) -> Result<(), Vec<Fault>> {
        Ok(())
    }
}

impl StandIn for TelegramChannel {
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
    fn a_build_without_http_says_so() {
        let channel = TelegramChannel::new(Arc::new(|| Timestamp::MIN));
        channel.configure(Vec::new()).unwrap();
        let away = Presence::Away { reason: "keikod was built without the feature webhook".to_owned() };
        assert_eq!(*channel.presence().borrow(), away);
    }
}
