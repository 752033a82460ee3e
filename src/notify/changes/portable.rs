//! The watch of systems without inotify: it never tells. Whoever waits looks again when a delivery asks for it.

use crate::notify::changes::Watched;

/// Waits for changes of files.
#[derive(Debug)]
pub(crate) struct Changes;

impl Changes {
    /// Starts to watch.
    pub(crate) fn over(_watched: &[Watched]) -> Self {
        Self
    }

    /// Waits for the next change.
    pub(crate) async fn next(&self) {
        std::future::pending().await
    }
}
