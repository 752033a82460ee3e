//! When does a process end? Waited for without taking its exit status and without looking again and again.
//!
//! Its number stays its own meanwhile: whoever waits here for a child may signal its group until it reaps it.

#[cfg(target_os = "linux")]
use std::io;
#[cfg(target_os = "linux")]
use std::os::fd::OwnedFd;

use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};
#[cfg(target_os = "linux")]
use rustix::process::{PidfdFlags, pidfd_open};
#[cfg(target_os = "linux")]
use tokio::io::Interest;
#[cfg(target_os = "linux")]
use tokio::io::unix::AsyncFd;
use tokio::signal::unix::{SignalKind, signal};

/// The end of a process.
pub(super) enum Exit {
    /// A descriptor that is readable once it has ended.
    #[cfg(target_os = "linux")]
    Descriptor(AsyncFd<OwnedFd>),
    /// A child of ours, on a system or in a sandbox without such descriptors.
    Child(Pid),
}

impl Exit {
    /// Returns the end of a process that is not reaped yet. Must be called within the runtime.
    ///
    /// `None` where the system offers no way to wait for it.
    pub(super) fn of(pid: u32) -> Option<Self> {
        let pid = i32::try_from(pid).ok().and_then(Pid::from_raw)?;
        #[cfg(target_os = "linux")]
        if let Ok(descriptor) = pidfd_open(pid, PidfdFlags::NONBLOCK).or_else(|_| pidfd_open(pid, PidfdFlags::empty()))
            && let Ok(descriptor) = register(descriptor)
        {
            return Some(Self::Descriptor(descriptor));
        }
        // Only of a child can this be asked.
        has_ended(pid).map(|_| Self::Child(pid))
    }

    /// Waits for it.
    pub(super) async fn wait(&self) {
        match self {
            #[cfg(target_os = "linux")]
            Self::Descriptor(descriptor) => {
                // Where the reactor is gone nobody waits any more.
                let _ = descriptor.readable().await;
            }
            Self::Child(pid) => {
                let Ok(mut children) = signal(SignalKind::child()) else { return std::future::pending().await };
                while has_ended(*pid) == Some(false) {
                    children.recv().await;
                }
            }
        }
    }
}

#[cfg(target_os = "linux")]
#[expect(
    deprecated,
    reason = "deprecated for types whose descriptor may change or close meanwhile, which an OwnedFd cannot; its \
              successor is unsafe, and there is no unsafe code here"
)]
fn register(descriptor: OwnedFd) -> io::Result<AsyncFd<OwnedFd>> {
    AsyncFd::with_interest(descriptor, Interest::READABLE)
}

/// Returns whether a child has ended; `None` where it is none.
fn has_ended(pid: Pid) -> Option<bool> {
    let look = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | WaitIdOptions::NOHANG;
    waitid(WaitId::Pid(pid), look).ok().map(|status| status.is_some())
}
