//! The webhook channel: how does a firing become one HTTP request to a program, and did that program take it?
//!
//! Every attempt of a delivery carries the same id and the same bytes, so that the receiver can tell a repeat (FAULTS
//! B57). It never tries again by itself, never follows a redirect unasked, and never shows a secret: an address is named
//! in an error by its host alone, since the rest of it is often the key.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use crate::domain::secret::Secret;
use crate::domain::time::Timestamp;

#[cfg(not(feature = "webhook"))]
mod disabled;
#[cfg(feature = "webhook")]
mod enabled;
#[cfg(feature = "webhook")]
mod signature;
#[cfg(feature = "webhook")]
mod template;

#[cfg(not(feature = "webhook"))]
pub use disabled::WebhookChannel;
#[cfg(feature = "webhook")]
pub use enabled::WebhookChannel;

pub use crate::notify::http::{Redirects, Scalar, Success};

/// How long an attempt may take in all, where nothing else is configured.
pub const TIMEOUT: Duration = Duration::from_secs(10);

/// How long a connection may take to be there, where nothing else is configured.
pub const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// Tells the time: the channel has no clock of its own.
pub type Now = Arc<dyn Fn() -> Timestamp + Send + Sync>;

/// One target as it is configured.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Its name, as in `webhook:NAME`.
    pub name: String,
    /// Where it is. Often the whole key to it.
    pub url: Secret,
    /// What it expects.
    pub preset: Preset,
    /// What requests are signed with, each in turn: several while one replaces another. May be empty.
    pub secrets: Vec<Secret>,
    /// Headers as templates, each with its name.
    pub headers: Vec<(String, Secret)>,
    /// The body as a template, in place of the preset's.
    pub body: Option<String>,
    /// Certificates (PEM) that are trusted beside the system's.
    pub ca: Option<Vec<u8>>,
    /// Whether to go where an answer points.
    pub redirects: Redirects,
    /// How long an attempt may take in all.
    pub timeout: Duration,
    /// How long a connection may take to be there.
    pub connect_timeout: Duration,
    /// What the answer's body must hold, in place of the preset's rule.
    pub success: Option<Success>,
}

impl Settings {
    /// Returns what holds for a target where nothing but its address is configured.
    #[must_use]
    pub const fn new(name: String, url: Secret) -> Self {
        Self {
            name,
            url,
            preset: Preset::Generic,
            secrets: Vec::new(),
            headers: Vec::new(),
            body: None,
            ca: None,
            redirects: Redirects::Refused,
            timeout: TIMEOUT,
            connect_timeout: CONNECT_TIMEOUT,
            success: None,
        }
    }
}

/// What a target expects.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Preset {
    /// All that Keiko knows of the firing.
    #[default]
    Generic,
    /// Slack's incoming webhooks.
    Slack,
    /// Discord's webhooks.
    Discord,
    /// The robots of `DingTalk` groups.
    Dingtalk,
}

/// What is wrong with a target's settings.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("cannot use {key} of webhook {name:?}: {reason}")]
pub struct Fault {
    /// The target.
    pub name: String,
    /// Which setting.
    pub key: Key,
    /// Why, without the value.
    pub reason: String,
}

/// A setting of a target.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Key {
    /// Its address.
    Url,
    /// What it is signed with.
    Secret,
    /// The header of that name.
    Header(String),
    /// The body's template.
    Body,
    /// The trusted certificates.
    Ca,
    /// The rule for answers.
    Success,
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Url => f.write_str("url"),
            Self::Secret => f.write_str("secret"),
            Self::Header(name) => write!(f, "headers.{name}"),
            Self::Body => f.write_str("body"),
            Self::Ca => f.write_str("ca_file"),
            Self::Success => f.write_str("success"),
        }
    }
}
