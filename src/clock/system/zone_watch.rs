//! How Linux tells that the device's zone was changed: `/etc/localtime` is replaced.
//!
//! Never polls. Without a watch (none left on the system, no such directory) the zone is still read anew at each plan,
//! only a change of it is not told.

use std::ffi::CStr;
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use rustix::fs::inotify::{self, CreateFlags, Reader, WatchFlags};
use rustix::io::Errno;
use tokio::sync::{Mutex, watch};

use crate::clock::system::events;

/// The directory in which the zone is set.
const DIRECTORY: &str = "/etc";

/// The files that set it: the link that everybody reads, and the name that Debian keeps beside it.
const FILES: [&[u8]; 2] = [b"localtime", b"timezone"];

/// Tells of changes of the zone, also of one that nobody was waiting for.
#[derive(Debug)]
pub(super) struct ZoneWatch {
    /// Read by one at a time; who reads tells the others.
    queue: Option<Mutex<OwnedFd>>,
    changes: watch::Sender<u64>,
    /// How many changes have been told to somebody.
    told: AtomicU64,
}

impl ZoneWatch {
    /// Returns a watch that notices every change from now on.
    pub(super) fn new() -> Self {
        Self::on(Path::new(DIRECTORY))
    }

    fn on(directory: &Path) -> Self {
        let queue =
            open(directory).inspect_err(|error| tracing::debug!(%error, "changes of the zone are not told")).ok();
        Self { queue: queue.map(Mutex::new), changes: watch::Sender::new(0), told: AtomicU64::new(0) }
    }

    /// Waits until the zone changes.
    pub(super) async fn changed(&self) {
        let mut changes = self.changes.subscribe();
        let known = self.told.load(Ordering::SeqCst);
        tokio::select! {
            biased;
            () = self.read() => {}
            _ = changes.wait_for(|count| *count != known) => {}
        }
        self.told.fetch_max(*self.changes.borrow(), Ordering::SeqCst);
    }

    /// Waits for the next change in the queue and counts it; for ever where there is no queue.
    async fn read(&self) {
        if let Some(queue) = &self.queue {
            let queue = queue.lock().await;
            match wait_on(&queue).await {
                Ok(()) => return self.changes.send_modify(|count| *count += 1),
                Err(error) => tracing::warn!(%error, "changes of the zone are no longer told"),
            }
        }
        std::future::pending::<()>().await;
    }
}

fn open(directory: &Path) -> io::Result<OwnedFd> {
    let queue = inotify::init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC)?;
    // The directory, because the link itself is replaced, not written; written in place it may be in a container.
    let changes =
        WatchFlags::CREATE | WatchFlags::MOVED_TO | WatchFlags::CLOSE_WRITE | WatchFlags::DELETE | WatchFlags::ONLYDIR;
    inotify::add_watch(&queue, directory, changes)?;
    Ok(queue)
}

async fn wait_on(queue: &OwnedFd) -> io::Result<()> {
    let descriptor = events::of(queue.as_fd())?;
    loop {
        let mut ready = descriptor.readable().await?;
        if drain(queue)? {
            return Ok(());
        }
        ready.clear_ready();
    }
}

/// Takes all that waits; returns whether any of it was the zone.
fn drain(queue: &OwnedFd) -> io::Result<bool> {
    let mut buffer = [MaybeUninit::uninit(); 4096];
    let mut reader = Reader::new(queue, &mut buffer);
    let mut is_zone = false;
    loop {
        match reader.next() {
            Ok(event) => {
                let name = event.file_name().map(CStr::to_bytes);
                is_zone |= name.is_some_and(|name| FILES.contains(&name));
                // Events were lost: one of them may have been it.
                is_zone |= event.events().contains(inotify::ReadFlags::QUEUE_OVERFLOW);
            }
            Err(Errno::AGAIN) => return Ok(is_zone),
            Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::task::Poll;

    use futures_util::poll;

    use super::*;

    #[tokio::test]
    async fn a_replaced_link_is_told_even_when_nobody_was_waiting() {
        let directory = tempfile::tempdir().unwrap();
        let watch = ZoneWatch::on(directory.path());
        std::os::unix::fs::symlink("/usr/share/zoneinfo/Europe/Berlin", directory.path().join("new")).unwrap();
        std::fs::rename(directory.path().join("new"), directory.path().join("localtime")).unwrap();
        watch.changed().await;
    }

    #[tokio::test]
    async fn everybody_who_waits_is_told_of_a_change() {
        let directory = tempfile::tempdir().unwrap();
        let watch = ZoneWatch::on(directory.path());
        let (mut first, mut second) = (Box::pin(watch.changed()), Box::pin(watch.changed()));
        assert_eq!((poll!(&mut first), poll!(&mut second)), (Poll::Pending, Poll::Pending));
        std::fs::write(directory.path().join("localtime"), "x").unwrap();
        tokio::join!(first, second);
    }

    #[tokio::test]
    async fn other_files_are_not_the_zone() {
        let directory = tempfile::tempdir().unwrap();
        let watch = ZoneWatch::on(directory.path());
        std::fs::write(directory.path().join("passwd"), "x").unwrap();
        assert!(!drain(&watch.queue.as_ref().unwrap().try_lock().unwrap()).unwrap());
        assert_eq!(poll!(Box::pin(watch.changed())), Poll::Pending);
    }

    #[tokio::test]
    async fn a_watch_that_cannot_be_had_waits_for_ever() {
        let directory = tempfile::tempdir().unwrap();
        let watch = ZoneWatch::on(&directory.path().join("absent"));
        assert_eq!(poll!(Box::pin(watch.changed())), Poll::Pending);
    }
}
