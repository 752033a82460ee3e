//! The watch of systems without inotify: it never tells. A daemon there stays out of reach once its socket is removed.

use std::path::Path;

/// A folder that is watched.
#[derive(Debug)]
pub(in crate::api::listen) struct Folder;

impl Folder {
    /// Starts to watch.
    pub(in crate::api::listen) fn watch(_path: &Path) -> Self {
        Self
    }

    /// Watches a file too.
    pub(in crate::api::listen) fn watch_file(&self, _path: &Path) {}

    /// Waits until something is taken out of the folder, or the folder itself goes.
    pub(in crate::api::listen) async fn changed(&self) {
        std::future::pending().await
    }
}
