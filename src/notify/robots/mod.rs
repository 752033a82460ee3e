//! The channels `feishu` and `wecom`: how does a firing reach a group through its robot, and did that take it?
//!
//! What is too long for one message is said in several, never dropped; the next attempt goes on with the one that failed. A
//! robot answers 200 also where it took nothing, so that the code inside decides (FAULTS B29). Never tries again by itself,
//! and never shows an address: the rest of it behind the host is the whole key to the group.

use std::time::Duration;

use crate::notify::keys::Key;

#[cfg(not(feature = "webhook"))]
mod disabled;
#[cfg(feature = "webhook")]
mod enabled;
#[cfg(feature = "webhook")]
pub(in crate::notify) mod service;

#[cfg(not(feature = "webhook"))]
pub use disabled::RobotChannel;
#[cfg(feature = "webhook")]
pub use enabled::RobotChannel;

/// The robot of one group as it is configured.
#[derive(Debug)]
pub struct Settings {
    /// Its name, as in `feishu:NAME`.
    pub name: String,
    /// Where it is: the whole key to the group.
    pub url: Key,
    /// What requests are signed with, where the robot wants that.
    pub secret: Option<Key>,
    /// Certificates (PEM) that are trusted beside the system's.
    pub ca: Option<Vec<u8>>,
    /// How long a request may take in all.
    pub timeout: Duration,
}
