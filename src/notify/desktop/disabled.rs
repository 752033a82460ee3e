//! The desktop channel of a build without the feature `desktop`: always away, and it says why.

use crate::domain::delivery::ChannelKind;
use crate::notify::absent::{AbsentChannel, StandIn};
use crate::notify::desktop::{Choices, Looked, SessionBus};

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

impl DesktopChannel {
    /// Says that it cannot look.
    #[expect(clippy::unused_async, reason = "where there is something to look at, it takes time")]
    pub async fn look(_bus: SessionBus) -> Looked {
        Looked::NotBuilt
    }
}

impl StandIn for DesktopChannel {
    fn absent(&self) -> &AbsentChannel {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::notify::{Channel as _, Presence};

    use std::path::PathBuf;

    use crate::notify::desktop::ANSWER_WITHIN;

    #[test]
    fn a_build_without_desktop_support_says_so() {
        let bus = SessionBus { address: None, runtime_dir: PathBuf::new(), answer_within: ANSWER_WITHIN };
        let away = Presence::Away { reason: "keikod was built without desktop support".to_owned() };
        assert_eq!(*DesktopChannel::start(bus, Choices::of(Vec::new())).presence().borrow(), away);
    }
}
