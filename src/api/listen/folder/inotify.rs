//! The watch of Linux: one inotify descriptor, no thread, no beat.

use std::io;
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::path::Path;

use rustix::fs::inotify::{self, CreateFlags, WatchFlags};
use tokio::io::unix::AsyncFd;

/// What can take a socket away: it is removed or renamed, another file is renamed over it, or its folder goes.
const CHANGES: WatchFlags = WatchFlags::DELETE
    .union(WatchFlags::MOVED_FROM)
    .union(WatchFlags::MOVED_TO)
    .union(WatchFlags::DELETE_SELF)
    .union(WatchFlags::MOVE_SELF)
    .union(WatchFlags::ONLYDIR);

/// What can take a file of its own away.
const REMOVAL: WatchFlags = WatchFlags::DELETE_SELF.union(WatchFlags::MOVE_SELF).union(WatchFlags::ATTRIB);

/// Room for some events, each with the longest name (`NAME_MAX` is 255).
const BUFFER_BYTES: usize = 4096;

/// A folder that is watched.
///
/// What happens between [`Folder::watch`] and [`Folder::changed`] is told too.
#[derive(Debug)]
pub(in crate::api::listen) struct Folder {
    /// `None` where the system gave no descriptor: then nothing is told.
    events: Option<AsyncFd<OwnedFd>>,
}

impl Folder {
    /// Starts to watch. Where the system refuses (the limit of inotify instances is reached) nothing is told.
    pub(in crate::api::listen) fn watch(path: &Path) -> Self {
        let refused = |error: &io::Error| {
            tracing::warn!(path = %path.display(), %error, "cannot watch the folder: a socket that is removed stays so");
        };
        Self { events: open(path).inspect_err(refused).ok() }
    }

    /// Watches a file too, wherever it lies. One that is not there is not watched.
    pub(in crate::api::listen) fn watch_file(&self, path: &Path) {
        let added = self.events.as_ref().map(|events| inotify::add_watch(events.get_ref(), path, REMOVAL));
        if let Some(Err(error)) = added {
            tracing::debug!(path = %path.display(), %error, "cannot watch the file");
        }
    }

    /// Waits until something is taken out of the folder, or the folder or the file itself goes. Dropping the future loses nothing
    /// that was not yet read.
    pub(in crate::api::listen) async fn changed(&self) {
        let Some(events) = &self.events else { return std::future::pending().await };
        loop {
            let Ok(mut ready) = events.readable().await else { return std::future::pending().await };
            if drain(events.get_ref()) {
                return;
            }
            ready.clear_ready();
        }
    }
}

#[expect(
    deprecated,
    reason = "an OwnedFd keeps its descriptor, which this constructor cannot require of every type; the new one is unsafe"
)]
fn open(path: &Path) -> io::Result<AsyncFd<OwnedFd>> {
    let descriptor = inotify::init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC)?;
    inotify::add_watch(&descriptor, path, CHANGES)?;
    AsyncFd::new(descriptor)
}

/// Takes all that waits; returns whether there was any.
fn drain(descriptor: &OwnedFd) -> bool {
    let mut buffer = [MaybeUninit::uninit(); BUFFER_BYTES];
    let mut reader = inotify::Reader::new(descriptor, &mut buffer);
    let mut has_any = false;
    while reader.next().is_ok() {
        has_any = true;
    }
    has_any
}

#[cfg(test)]
mod tests {
    use std::fs;

    use futures_util::FutureExt as _;

    use super::*;

    #[tokio::test]
    async fn a_file_that_is_made_is_not_told_and_one_that_goes_is() {
        let place = tempfile::tempdir().unwrap();
        let folder = Folder::watch(place.path());
        fs::write(place.path().join("file"), "").unwrap();
        assert!(folder.changed().now_or_never().is_none());
        fs::remove_file(place.path().join("file")).unwrap();
        folder.changed().await;
        assert!(folder.changed().now_or_never().is_none(), "it is told once");
    }

    #[tokio::test]
    async fn a_folder_that_goes_is_told_and_then_nothing_more() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("run");
        fs::create_dir(&path).unwrap();
        let folder = Folder::watch(&path);
        fs::remove_dir(&path).unwrap();
        folder.changed().await;
        while folder.changed().now_or_never().is_some() {}
        assert!(Folder::watch(&path).changed().now_or_never().is_none(), "one that is not there is quiet");
    }

    #[tokio::test]
    async fn a_file_of_another_folder_is_told_when_it_goes_and_its_neighbours_are_not() {
        let place = tempfile::tempdir().unwrap();
        let data = tempfile::tempdir().unwrap();
        for name in ["file", "neighbour"] {
            fs::write(data.path().join(name), "").unwrap();
        }
        let folder = Folder::watch(place.path());
        folder.watch_file(&data.path().join("file"));
        fs::remove_file(data.path().join("neighbour")).unwrap();
        assert!(folder.changed().now_or_never().is_none());
        fs::remove_file(data.path().join("file")).unwrap();
        folder.changed().await;
    }
}
