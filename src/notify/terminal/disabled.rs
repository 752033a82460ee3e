//! The terminal channel of systems without Unix terminals: always away, and it says why.

use futures_util::future::BoxFuture;
use tokio::sync::watch;

use crate::domain::delivery::{ChannelKind, Delivery, Report};
use crate::domain::effect::Withdrawal;
use crate::notify::absent::AbsentChannel;
use crate::notify::terminal::Terminals;
use crate::notify::{Channel, Presence};

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

impl Channel for TerminalChannel {
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
