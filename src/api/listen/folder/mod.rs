//! When is something taken out of a folder? Waits for it without a beat of its own.
//!
//! The answer is only a hint to look again; it never says what is gone.

#[cfg(any(target_os = "linux", target_os = "android"))]
mod inotify;
#[cfg(not(any(target_os = "linux", target_os = "android")))]
mod portable;

#[cfg(any(target_os = "linux", target_os = "android"))]
pub(super) use inotify::Folder;
#[cfg(not(any(target_os = "linux", target_os = "android")))]
pub(super) use portable::Folder;
