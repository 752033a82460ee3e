//! How a wait learns that the kernel has something to say on a descriptor.
//!
//! The one place where a descriptor is registered with the runtime. Never owns one.

use std::io;
use std::os::fd::BorrowedFd;

use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

/// Registers `descriptor` with the runtime until the result is dropped.
///
/// For one wait only, so that a clock may be made before the runtime and outlive it.
///
/// # Errors
/// The runtime's event queue does not take it.
#[expect(
    deprecated,
    reason = "deprecated for types whose descriptor may change or close meanwhile, which a BorrowedFd cannot; \
              the successor is an unsafe fn, which this crate forbids"
)]
pub(super) fn of(descriptor: BorrowedFd<'_>) -> io::Result<AsyncFd<BorrowedFd<'_>>> {
    AsyncFd::with_interest(descriptor, Interest::READABLE)
}
