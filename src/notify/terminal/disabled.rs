//! The terminal channel of systems without Unix terminals: always away, and it says why.

use crate::domain::delivery::ChannelKind;
use crate::notify::absent::{AbsentChannel, StandIn};
use crate::notify::terminal::Terminals;

/// The person's terminals.
#[derive(Debug)]
pub struct TerminalChannel(AbsentChannel);

impl TerminalChannel {
    /// Returns the channel; nothing is started.
    #[must_use]
    pub fn start(_terminals: Terminals) -> Self {
        Self(AbsentChannel::new(ChannelKind::Terminal, "this system has no terminals that take messages"))
    }
}

impl StandIn for TerminalChannel {
    fn absent(&self) -> &AbsentChannel {
        &self.0
    }
}
