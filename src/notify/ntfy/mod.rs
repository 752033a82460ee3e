//! The ntfy channel: how does a firing become a notification on a topic, and how is it answered from there?
//!
//! Built from the public description of ntfy (<https://docs.ntfy.sh/publish/>, <https://docs.ntfy.sh/subscribe/api/>). A
//! notification is published as JSON, which carries every script in its title. Its sequence id is the id of the firing, so
//! that one that is sent again replaces itself, and is cleared once somebody has answered.
//!
//! Buttons have the phone post to a second topic, which Keiko reads. ntfy knows no sender: **whoever can write to that topic
//! can answer in your name**, and whoever can read the first one learns its address. Where that matters both belong on a
//! server with access control. Never again by itself, never shows an address but its host, and nothing that the service
//! answers is final: a person can mend a topic and a token.

use std::time::Duration;

use crate::domain::time::Span;
use crate::notify::keys::Key;

#[cfg(not(feature = "webhook"))]
mod disabled;
#[cfg(feature = "webhook")]
mod enabled;
#[cfg(feature = "webhook")]
mod notification;
#[cfg(feature = "webhook")]
mod publisher;
#[cfg(feature = "webhook")]
mod subscriber;
#[cfg(feature = "webhook")]
mod topic;

#[cfg(not(feature = "webhook"))]
pub use disabled::NtfyChannel;
#[cfg(feature = "webhook")]
pub use enabled::NtfyChannel;

/// One topic as it is configured.
#[derive(Debug)]
pub struct Settings {
    /// Its name, as in `ntfy:NAME`.
    pub name: String,
    /// The topic with its server, such as `https://ntfy.sh/TOPIC`. Often the whole key to it.
    pub url: Key,
    /// An access token, where the server asks for one.
    pub token: Option<Key>,
    /// The topic that buttons post to; without one there are none.
    pub answers_url: Option<Key>,
    /// How long the snooze is that a button offers: the first of these.
    pub snoozes: Vec<Span>,
    /// Certificates (PEM) that are trusted beside the system's.
    pub ca: Option<Vec<u8>>,
    /// How long a request may take in all.
    pub timeout: Duration,
}
