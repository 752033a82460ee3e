//! When does a socket or a terminal appear, vanish or change? Waits for it without a beat of its own.
//!
//! The answer is only a hint to look again; it never says what is there.

use std::path::PathBuf;

#[cfg(any(target_os = "linux", target_os = "android"))]
mod inotify;
#[cfg(not(any(target_os = "linux", target_os = "android")))]
mod portable;

#[cfg(any(target_os = "linux", target_os = "android"))]
pub(crate) use inotify::Changes;
#[cfg(not(any(target_os = "linux", target_os = "android")))]
pub(crate) use portable::Changes;

/// What is looked at.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Watched {
    #[cfg_attr(
        not(any(feature = "desktop", test)),
        expect(dead_code, reason = "only the session bus is one entry that may not exist yet")
    )]
    /// One entry of a directory, which may not exist yet, nor its directory.
    Entry(PathBuf),
    /// Every entry of a directory; nothing while that does not exist.
    Inside(PathBuf),
    /// One entry of a directory, and what is written there; nothing while the directory does not exist.
    Content(PathBuf),
}
