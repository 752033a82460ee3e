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

/// A channel that a build does not have: what stands in its place.
pub trait StandIn: Send + Sync + 'static {
    /// Returns the one that never reaches anybody.
    fn absent(&self) -> &AbsentChannel;
}

impl StandIn for AbsentChannel {
    fn absent(&self) -> &AbsentChannel {
        self
    }
}

impl<T: StandIn> Channel for T {
    fn kind(&self) -> ChannelKind {
        self.absent().kind
    }

    fn workers(&self) -> usize {
        1
    }

    fn deliver<'a>(&'a self, _delivery: &'a Delivery) -> BoxFuture<'a, Report> {
        ready(Report::Away { reason: self.absent().reason.to_owned() }).boxed()
    }

    fn withdraw<'a>(&'a self, _withdrawal: &'a Withdrawal) -> BoxFuture<'a, ()> {
        ready(()).boxed()
    }

    fn presence(&self) -> watch::Receiver<Presence> {
        self.absent().presence.subscribe()
    }
}
