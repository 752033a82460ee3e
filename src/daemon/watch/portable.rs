//! The watch of systems without inotify: it never tells. There a change holds after `keiko daemon reload`.

use std::path::PathBuf;

/// Names in folders that are watched.
#[derive(Debug)]
pub(super) struct Watch;

impl Watch {
    /// Starts to watch.
    pub(super) fn over(_entries: &[(PathBuf, PathBuf)]) -> Self {
        Self
    }

    /// Waits until something happens to one of the names.
    pub(super) async fn changed(&self) {
        std::future::pending().await
    }
}
