//! The desktop channel of a build without the feature `desktop`: always away, and it says why.

use futures_util::future::BoxFuture;
use tokio::sync::watch;

use crate::domain::delivery::{ChannelKind, Delivery, Report};
use crate::domain::effect::Withdrawal;
use crate::notify::absent::AbsentChannel;
use crate::notify::desktop::{Choices, SessionBus};
use crate::notify::{Channel, Presence};

/// Popups of the desktop's notification server.
#[derive(Debug)]
pub struct DesktopChannel(AbsentChannel);

impl DesktopChannel {
    /// Returns the channel; nothing is started.
    #[must_use]
    pub fn start(_bus: SessionBus, _choices: Choices) -> Self {
        Self(AbsentChannel::new(ChannelKind::Desktop, "keikod was built without desktop support"))
    }
}

impl Channel for DesktopChannel {
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

    use std::path::PathBuf;

    use crate::notify::desktop::ANSWER_WITHIN;

    #[test]
    fn a_build_without_desktop_support_says_so() {
        let bus = SessionBus { address: None, runtime_dir: PathBuf::new(), answer_within: ANSWER_WITHIN };
        let away = Presence::Away { reason: "keikod was built without desktop support".to_owned() };
        assert_eq!(*DesktopChannel::start(bus, Choices::of(Vec::new())).presence().borrow(), away);
    }
}
