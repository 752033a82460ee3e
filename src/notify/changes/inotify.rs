//! The watch of Linux: one inotify descriptor, no thread, no beat.

use std::ffi::OsString;
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use rustix::fs::inotify::{self, CreateFlags, ReadFlags, WatchFlags};
use tokio::io::unix::AsyncFd;

use crate::notify::changes::Watched;

/// Appearing, vanishing, and changes of mode or owner; opening and writing would tell of every key pressed.
const CHANGES: WatchFlags = WatchFlags::CREATE
    .union(WatchFlags::MOVED_TO)
    .union(WatchFlags::MOVED_FROM)
    .union(WatchFlags::DELETE)
    .union(WatchFlags::ATTRIB)
    .union(WatchFlags::DELETE_SELF)
    .union(WatchFlags::MOVE_SELF)
    .union(WatchFlags::ONLYDIR);

/// Room for some events, each with the longest name (`NAME_MAX` is 255).
const BUFFER_BYTES: usize = 4096;

/// Waits for changes of files.
///
/// What changes between [`Changes::over`] and [`Changes::next`] is told too: watch first, then look, then wait.
#[derive(Debug)]
pub(crate) struct Changes {
    /// `None` where the system gave no descriptor: then nothing is told.
    events: Option<AsyncFd<OwnedFd>>,
    interests: Vec<Interest>,
}

#[derive(Debug)]
struct Interest {
    descriptor: i32,
    /// Only this entry; `None`: all.
    name: Option<OsString>,
}

impl Changes {
    /// Starts to watch.
    ///
    /// Where the system refuses (the limit of inotify instances is reached), nothing is told and a line is logged;
    /// whoever waits then looks again when a delivery asks for it.
    pub(crate) fn over(watched: &[Watched]) -> Self {
        match Self::try_over(watched) {
            Ok(watch) => watch,
            Err(error) => {
                tracing::warn!(%error, ?watched, "cannot watch for changes");
                Self { events: None, interests: Vec::new() }
            }
        }
    }

    fn try_over(watched: &[Watched]) -> io::Result<Self> {
        let descriptor = inotify::init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC)?;
        let mut interests = Vec::new();
        for one in watched {
            match one {
                Watched::Entry(path) => interests.extend(watch_entry(&descriptor, path)),
                Watched::Inside(directory) => {
                    let found = inotify::add_watch(&descriptor, directory, CHANGES).ok();
                    interests.extend(found.map(|descriptor| Interest { descriptor, name: None }));
                }
                Watched::Content(path) => {
                    let directory = path.parent().unwrap_or(path);
                    let found = inotify::add_watch(&descriptor, directory, CHANGES.union(WatchFlags::CLOSE_WRITE)).ok();
                    let name = path.file_name().map(ToOwned::to_owned);
                    interests.extend(found.map(|descriptor| Interest { descriptor, name }));
                }
            }
        }
        Ok(Self { events: Some(register(descriptor)?), interests })
    }

    /// Waits for the next change. Dropping the future loses nothing that was not yet read.
    pub(crate) async fn next(&self) {
        let Some(events) = &self.events else { return std::future::pending().await };
        loop {
            let Ok(mut ready) = events.readable().await else { return std::future::pending().await };
            if self.drain(events.get_ref()) {
                return;
            }
            ready.clear_ready();
        }
    }

    /// Reads all that waits; returns whether any of it matters.
    fn drain(&self, descriptor: &OwnedFd) -> bool {
        let mut buffer = [MaybeUninit::uninit(); BUFFER_BYTES];
        let mut reader = inotify::Reader::new(descriptor, &mut buffer);
        let mut matters = false;
        while let Ok(event) = reader.next() {
            let name = event.file_name().map(std::ffi::CStr::to_bytes);
            // An event without a name is about the directory itself, or tells that events were lost.
            matters |= name.is_none()
                || event.events().intersects(ReadFlags::QUEUE_OVERFLOW | ReadFlags::IGNORED)
                || self.interests.iter().any(|interest| {
                    interest.descriptor == event.wd()
                        && interest.name.as_ref().is_none_or(|wanted| Some(wanted.as_bytes()) == name)
                });
        }
        matters
    }
}

#[expect(
    deprecated,
    reason = "an OwnedFd keeps its descriptor, which this constructor cannot require of every type; the new one is unsafe"
)]
fn register(descriptor: OwnedFd) -> io::Result<AsyncFd<OwnedFd>> {
    AsyncFd::new(descriptor)
}

/// Watches the deepest directory on the way to `path` that exists, for the next step of the way.
fn watch_entry(inotify: &OwnedFd, path: &Path) -> Option<Interest> {
    let mut entry = path;
    while let Some(directory) = entry.parent() {
        if let Ok(descriptor) = inotify::add_watch(inotify, directory, CHANGES) {
            return Some(Interest { descriptor, name: entry.file_name().map(ToOwned::to_owned) });
        }
        entry = directory;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    use futures_util::FutureExt;

    #[tokio::test]
    async fn an_entry_is_told_when_it_appears_even_below_a_directory_that_is_not_there_yet() {
        let place = tempfile::tempdir().unwrap();
        let socket = place.path().join("run").join("bus");
        let watch = Changes::over(&[Watched::Entry(socket.clone())]);
        std::fs::write(place.path().join("other"), "").unwrap();
        assert!(watch.next().now_or_never().is_none());
        std::fs::create_dir(place.path().join("run")).unwrap();
        watch.next().await;
        let watch = Changes::over(&[Watched::Entry(socket.clone())]);
        std::fs::write(&socket, "").unwrap();
        watch.next().await;
    }

    #[tokio::test]
    async fn changes_inside_a_directory_are_told_and_a_missing_one_is_quiet() {
        let place = tempfile::tempdir().unwrap();
        let watch =
            Changes::over(&[Watched::Inside(place.path().to_owned()), Watched::Inside(place.path().join("missing"))]);
        assert!(watch.next().now_or_never().is_none());
        std::fs::write(place.path().join("entry"), "").unwrap();
        watch.next().await;
    }
}
