//! The ways to reach a person. A channel makes one attempt and reports; when to try again, the rules decide.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use tokio::sync::{mpsc, watch};
use tokio::time::timeout;

use crate::domain::delivery::{ChannelKind, Delivery, Frozen, Report};
use crate::domain::effect::Withdrawal;
use crate::domain::time::Timestamp;
use crate::notify::responses::Response;

pub mod absent;
#[cfg(feature = "webhook")]
mod answers;
#[cfg(unix)]
pub(crate) mod changes;
#[cfg(any(feature = "mail", feature = "webhook"))]
mod chat;
pub mod desktop;
pub mod exec;
pub mod fault;
#[cfg(feature = "webhook")]
mod feishu;
mod http;
pub mod keys;
pub mod mail;
mod named;
pub mod network;
pub mod ntfy;
mod payload;
pub mod ping;
#[cfg(feature = "webhook")]
mod press;
#[cfg(any(feature = "mail", feature = "webhook"))]
mod progress;
pub mod recording;
pub mod responses;
pub mod robots;
#[cfg(feature = "webhook")]
mod targets;
pub mod telegram;
pub mod terminal;
mod text;
pub mod webhook;
#[cfg(feature = "webhook")]
mod wecom;

/// Tells the time: a channel has no clock of its own.
pub type Now = Arc<dyn Fn() -> Timestamp + Send + Sync>;

/// One way to reach a person.
pub trait Channel: Send + Sync + 'static {
    /// Returns which one it is.
    fn kind(&self) -> ChannelKind;

    /// Returns how many deliveries may be under way at once.
    fn workers(&self) -> usize;

    /// Returns what every attempt of a delivery is to say, to be kept from before the first; `None` where it is made anew
    /// each time. Never waits.
    fn freeze(&self, _delivery: &Delivery) -> Option<Frozen> {
        None
    }

    /// Makes one attempt. Always answers, within a time of its own.
    fn deliver<'a>(&'a self, delivery: &'a Delivery) -> BoxFuture<'a, Report>;

    /// Returns what shows what is delivered now, where that keeps it on a screen until it goes; another one is to be shown
    /// again what nobody has seen.
    fn shown_by(&self) -> Option<String> {
        None
    }

    /// Shows once more, quietly, what was delivered before, in place of what may be shown. Always returns, within a time of
    /// its own.
    fn show_again<'a>(&'a self, _delivery: &'a Delivery) -> BoxFuture<'a, ()> {
        Box::pin(std::future::ready(()))
    }

    /// Takes back what is shown of a task, or says what became of it, where that can be done. Always returns, within a time
    /// of its own.
    fn withdraw<'a>(&'a self, withdrawal: &'a Withdrawal) -> BoxFuture<'a, ()>;

    /// Returns whether somebody can be reached now, and tells of each change.
    ///
    /// Every send means "look again", also when the value is the same: what waits is tried anew.
    fn presence(&self) -> watch::Receiver<Presence>;

    /// Returns the queue in which it tells from now on what the person does with what it shows, which ends an earlier
    /// one; `None` where that cannot be told.
    fn responses(&self) -> Option<mpsc::Receiver<Response>> {
        None
    }
}

/// Whether a channel can reach somebody.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Presence {
    /// It can.
    Present,
    /// It cannot at the moment: no server, no terminal.
    Away {
        /// Why, for people.
        reason: String,
    },
}

impl Presence {
    /// Returns why it cannot reach anybody, `None` where it can.
    #[must_use]
    pub fn reason(&self) -> Option<&str> {
        match self {
            Self::Present => None,
            Self::Away { reason } => Some(reason),
        }
    }

    /// As [`Presence::reason`], and `None` too where the channel has not looked yet, as just after the start.
    #[must_use]
    pub fn known_reason(&self) -> Option<&str> {
        self.reason().filter(|_| *self != Self::not_looked_yet())
    }

    /// Returns what a channel says until it has looked for the first time.
    #[must_use]
    pub fn not_looked_yet() -> Self {
        Self::Away { reason: "not looked for yet".to_owned() }
    }
}

/// Waits until a channel knows whether it can reach somebody, at most `limit`.
///
/// For the start: what speaks before the first look would be told to channels that only stand in for this one.
pub async fn first_look(channel: &dyn Channel, limit: Duration) {
    let mut presence = channel.presence();
    let looked = presence.wait_for(|now| *now != Presence::not_looked_yet());
    // Past the limit the channel is what it says it is; it tells when it knows more.
    let _ = timeout(limit, looked).await;
}
