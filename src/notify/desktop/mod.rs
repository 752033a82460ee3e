//! The desktop channel: how does a reminder become a popup of the person's notification server?
//!
//! The server, the bus and the desktop may come and go at any time, before and after the daemon; none of that may
//! lose a popup, hang a delivery or need a restart. It never tries again by itself: it tells when the server is there.

use std::path::PathBuf;
use std::time::Duration;

use crate::domain::time::Span;

#[cfg(all(feature = "desktop", unix))]
mod actions;
#[cfg(not(all(feature = "desktop", unix)))]
mod disabled;
#[cfg(all(feature = "desktop", unix))]
mod enabled;
#[cfg(all(feature = "desktop", unix))]
mod hearing;
#[cfg(all(feature = "desktop", unix))]
mod link;
#[cfg(all(feature = "desktop", unix))]
mod opener;
#[cfg(all(feature = "desktop", unix))]
mod popup;
#[cfg(all(feature = "desktop", unix))]
mod server;
#[cfg(all(feature = "desktop", unix))]
mod shown;

#[cfg(not(all(feature = "desktop", unix)))]
pub use disabled::DesktopChannel;
#[cfg(all(feature = "desktop", unix))]
pub use enabled::DesktopChannel;

/// The longest that anything on the bus may take; then it has failed (SPEC 7, FAULTS B23).
pub const ANSWER_WITHIN: Duration = Duration::from_secs(5);

/// The program with which a desktop opens links, whichever desktop it is (freedesktop.org xdg-utils).
const OPENER: &str = "xdg-open";

/// What a person may say by the buttons of a popup, besides that it is done.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Choices {
    /// For how long they may put it off; a button for each.
    pub snoozes: Vec<Span>,
    /// The program that opens a link, given as its only argument.
    pub opener: PathBuf,
}

impl Choices {
    /// Returns the choice of these lengths, and of links that the desktop's own program opens.
    #[must_use]
    pub fn of(snoozes: Vec<Span>) -> Self {
        Self { snoozes, opener: PathBuf::from(OPENER) }
    }
}

/// What is found where popups are to be shown.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Looked {
    /// A server.
    Server {
        /// What it calls itself, with its version.
        name: String,
        /// What it says that it can do.
        capabilities: Vec<String>,
    },
    /// A bus, and no server on it that answers.
    NoServer {
        /// Why, in words.
        reason: String,
    },
    /// No bus.
    NoBus {
        /// Why, in words.
        reason: String,
    },
    /// This program cannot look.
    NotBuilt,
}

/// Where the session bus is looked for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SessionBus {
    /// The value of `DBUS_SESSION_BUS_ADDRESS`, if it is set.
    pub address: Option<String>,
    /// Where `bus` is looked for without an address.
    pub runtime_dir: PathBuf,
    /// The longest that a call may take; [`ANSWER_WITHIN`] but in tests.
    pub answer_within: Duration,
}

impl SessionBus {
    /// Returns the place that the environment of this process names; `uid` gives the runtime directory without one.
    #[must_use]
    pub fn of_environment(uid: u32) -> Self {
        let filled = |name| std::env::var_os(name).filter(|value| !value.is_empty());
        Self {
            address: filled("DBUS_SESSION_BUS_ADDRESS").map(|address| address.to_string_lossy().into_owned()),
            runtime_dir: filled("XDG_RUNTIME_DIR")
                .map_or_else(|| PathBuf::from(format!("/run/user/{uid}")), PathBuf::from),
            answer_within: ANSWER_WITHIN,
        }
    }
}
