//! The watch of Linux: one inotify descriptor, no thread, no beat.

use std::ffi::CStr;
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt as _;
use std::path::PathBuf;

use rustix::fs::inotify::{self, CreateFlags, ReadFlags, WatchFlags};
use tokio::io::unix::AsyncFd;

/// What can make a path lead to another content: something is written, made, removed or renamed there, or the folder goes.
const CHANGES: WatchFlags = WatchFlags::CLOSE_WRITE
    .union(WatchFlags::CREATE)
    .union(WatchFlags::DELETE)
    .union(WatchFlags::MOVED_FROM)
    .union(WatchFlags::MOVED_TO)
    .union(WatchFlags::ATTRIB)
    .union(WatchFlags::DELETE_SELF)
    .union(WatchFlags::MOVE_SELF)
    .union(WatchFlags::ONLYDIR);

/// What happens to a folder itself, or says that something was not told.
const OF_ITSELF: ReadFlags = ReadFlags::DELETE_SELF
    .union(ReadFlags::MOVE_SELF)
    .union(ReadFlags::IGNORED)
    .union(ReadFlags::QUEUE_OVERFLOW)
    .union(ReadFlags::UNMOUNT);

/// Room for some events, each with the longest name (`NAME_MAX` is 255).
const BUFFER_BYTES: usize = 4096;

/// Names in folders that are watched.
#[derive(Debug)]
pub(super) struct Watch {
    /// `None` where the system gave no descriptor: then nothing is told.
    events: Option<AsyncFd<OwnedFd>>,
    names: Vec<PathBuf>,
}

impl Watch {
    /// Starts to watch. Where the system refuses (the limit of inotify instances is reached) nothing is told.
    pub(super) fn over(entries: &[(PathBuf, PathBuf)]) -> Self {
        let names = entries.iter().map(|(_, name)| name.clone()).collect();
        if entries.is_empty() {
            return Self { events: None, names };
        }
        let refused = |error: &io::Error| {
            tracing::warn!(%error, "cannot watch the configuration: a change holds after keiko daemon reload");
        };
        Self { events: open(entries).inspect_err(refused).ok(), names }
    }

    /// Waits until something happens to one of the names. Dropping the future loses nothing that was not yet read.
    pub(super) async fn changed(&self) {
        let Some(events) = &self.events else { return std::future::pending().await };
        loop {
            let Ok(mut ready) = events.readable().await else { return std::future::pending().await };
            if self.drain(events.get_ref()) {
                return;
            }
            ready.clear_ready();
        }
    }

    /// Takes all that waits; returns whether any of it is of one of the names.
    fn drain(&self, descriptor: &OwnedFd) -> bool {
        let mut buffer = [MaybeUninit::uninit(); BUFFER_BYTES];
        let mut reader = inotify::Reader::new(descriptor, &mut buffer);
        let mut is_ours = false;
        while let Ok(event) = reader.next() {
            let name = event.file_name().map(CStr::to_bytes);
            // Of a file by its name in whichever folder: one look too many does no harm.
            is_ours |= match name {
                Some(name) => self.names.iter().any(|known| known.as_os_str().as_bytes() == name),
                None => event.events().intersects(OF_ITSELF),
            };
        }
        is_ours
    }
}

#[expect(
    deprecated,
    reason = "an OwnedFd keeps its descriptor, which this constructor cannot require of every type; the new one is unsafe"
)]
fn open(entries: &[(PathBuf, PathBuf)]) -> io::Result<AsyncFd<OwnedFd>> {
    let descriptor = inotify::init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC)?;
    for (folder, _) in entries {
        // One that went meanwhile is seen by what is watched above it, or by the next look.
        match inotify::add_watch(&descriptor, folder, CHANGES) {
            Err(rustix::io::Errno::NOENT | rustix::io::Errno::NOTDIR | rustix::io::Errno::ACCESS) => {}
            Err(error) => return Err(error.into()),
            Ok(_) => {}
        }
    }
    AsyncFd::new(descriptor)
}
