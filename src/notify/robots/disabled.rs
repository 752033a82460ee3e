//! The robots' channels of a build without the feature `webhook`: always away, and they say why.

use std::sync::Arc;

use crate::domain::delivery::ChannelKind;
use crate::notify::Now;
use crate::notify::absent::{AbsentChannel, StandIn};
use crate::notify::fault::Fault;
use crate::notify::network::Network;
use crate::notify::robots::Settings;

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

impl StandIn for RobotChannel {
    fn absent(&self) -> &AbsentChannel {
        &self.0
    }
}
