//! What stands in the place of a channel that this build does not have: always away, with the reason.

use futures_util::FutureExt;
use futures_util::future::{BoxFuture, ready};
use tokio::sync::watch;

use crate::domain::delivery::{ChannelKind, Delivery, Report};
use crate::domain::effect::Withdrawal;
use crate::notify::{Channel, Presence};

/// A channel that never reaches anybody.
#[derive(Debug)]
pub struct AbsentChannel {
    kind: ChannelKind,
    reason: &'static str,
    presence: watch::Sender<Presence>,
}

impl AbsentChannel {
    /// Returns the stand-in for `kind`, away for `reason`.
    #[must_use]
    pub fn new(kind: ChannelKind, reason: &'static str) -> Self {
        let presence = watch::Sender::new(Presence::Away { reason: reason.to_owned() });
        Self { kind, reason, presence }
    }
}

impl Channel for AbsentChannel {
    fn kind(&self) -> ChannelKind {
        self.kind
    }

    fn workers(&self) -> usize {
        1
    }

    fn deliver<'a>(&'a self, _delivery: &'a Delivery) -> BoxFuture<'a, Report> {
        ready(Report::Away { reason: self.reason.to_owned() }).boxed()
    }

    fn withdraw<'a>(&'a self, _withdrawal: &'a Withdrawal) -> BoxFuture<'a, ()> {
        ready(()).boxed()
    }

    fn presence(&self) -> watch::Receiver<Presence> {
        self.presence.subscribe()
    }
}
