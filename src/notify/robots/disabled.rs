//! The robots' channels of a build without the feature `webhook`: always away, and they say why.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use tokio::sync::watch;

use crate::domain::delivery::{ChannelKind, Delivery, Report};
use crate::domain::effect::Withdrawal;
use crate::notify::absent::AbsentChannel;
use crate::notify::fault::Fault;
use crate::notify::network::Network;
use crate::notify::robots::Settings;
use crate::notify::{Channel, Now, Presence};

/// Why it is away.
const REASON: &str = "keikod was built without webhook support";

/// The robots of groups of one service.
#[derive(Debug)]
pub struct RobotChannel(AbsentChannel);

impl RobotChannel {
    /// Returns the channel of Feishu.
    #[must_use]
    pub fn feishu(_now: Now) -> Self {
        Self(AbsentChannel::new(ChannelKind::Feishu, REASON))
    }

    /// Returns the channel of `WeCom`.
    #[must_use]
    pub fn wecom(_now: Now) -> Self {
        Self(AbsentChannel::new(ChannelKind::Wecom, REASON))
    }

    /// Leaves the robots to a build that can reach them.
    ///
    /// # Errors
    /// None in this build: nothing is looked at.
    pub fn configure(&self, _robots: Vec<Settings>) -> Result<(), Vec<Fault>> {
        Ok(())
    }

    /// Returns the channel as it is: whatever the network does, it is away.
    #[must_use]
    pub fn heeding(self, _network: Arc<dyn Network>) -> Self {
        self
    }
}

impl Channel for RobotChannel {
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
