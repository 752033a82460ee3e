//! `store.backup`, and what is said of a store that does not take what is written.

use std::path::{Path, PathBuf};

use crate::api::Api;
use crate::api::refusal::{DAMAGED_HINT, read_aloud};
use crate::engine::input::StoreFailure;
use crate::engine::storage::Trouble;
use crate::protocol::SCHEMA_VERSION;
use crate::protocol::error_code::{ErrorKind, RpcError};
use crate::protocol::methods::{Backup, BackupResult};
use crate::protocol::objects::StorageTrouble;

/// Copies the store into a file.
pub(in crate::api) async fn backup(api: &Api, params: Backup) -> Result<BackupResult, RpcError> {
    let path = match &params.path {
        None => api.about.backup_dir.join(dated(api)),
        Some(path) => place(api, path)?,
    };
    if params.keep == Some(0) {
        return Err(RpcError::new(ErrorKind::Params, "cannot keep 0 backups: expected 1 or more"));
    }
    if params.keep.is_some() && !is_dated(&path) {
        let message = format!("cannot keep some of the backups beside {}: it has a name of its own", path.display());
        return Err(
            RpcError::new(ErrorKind::Params, message).with_hint("give a folder: backups are named by date there")
        );
    }
    let bytes = api.handle.backup(path.clone()).await.map_err(|error| api.refusal(&error))?;
    tracing::info!(path = %path.display(), bytes, "backed up");
    let removed = match params.keep {
        Some(keep) => rotate(&path, keep as usize).await,
        None => Vec::new(),
    };
    Ok(BackupResult {
        schema_version: SCHEMA_VERSION,
        now: api.told(api.handle.now()),
        path: path.display().to_string(),
        bytes,
        removed,
    })
}

fn place(api: &Api, text: &str) -> Result<PathBuf, RpcError> {
    let path = Path::new(text);
    if !path.is_absolute() {
        let message = format!("cannot back up to {:?}: expected an absolute path", path.display().to_string());
        return Err(RpcError::new(ErrorKind::Params, message));
    }
    if !path.is_dir() && text.ends_with('/') {
        let message = format!("cannot back up to {text:?}: there is no such folder");
        return Err(RpcError::new(ErrorKind::Params, message).with_hint("make it, or name a file"));
    }
    Ok(if path.is_dir() { path.join(dated(api)) } else { path.to_owned() })
}

/// Removes the oldest backups beside the one at `path`, so that `keep` are left, and returns them. Only what is named by a date,
/// as backups are, is ever removed.
async fn rotate(path: &Path, keep: usize) -> Vec<String> {
    let path = path.to_owned();
    let rotated = tokio::task::spawn_blocking(move || {
        let Some(folder) = path.parent() else { return Vec::new() };
        let files = std::fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
        let mut backups: Vec<PathBuf> = files.map(|file| file.path()).filter(|file| is_dated(file)).collect();
        // Names in order are dates in order.
        backups.sort_unstable();
        let older = backups.len().saturating_sub(keep);
        let removed =
            backups.into_iter().take(older).filter(|file| *file != path && std::fs::remove_file(file).is_ok());
        removed.map(|file| file.display().to_string()).collect()
    });
    rotated.await.unwrap_or_default()
}

/// Returns whether a file is named as backups are: `keiko-2026-05-13T12-00-00Z.db`.
fn is_dated(file: &Path) -> bool {
    const PATTERN: &[u8] = b"keiko-0000-00-00T00-00-00Z.db";
    let name = file.file_name().map(std::ffi::OsStr::as_encoded_bytes).unwrap_or_default();
    let fits = |(found, expected): (&u8, &u8)| found == expected || (*expected == b'0' && found.is_ascii_digit());
    name.len() == PATTERN.len() && name.iter().zip(PATTERN).all(fits)
}

/// Returns the name of a backup of now; names in order are dates in order.
fn dated(api: &Api) -> String {
    api.handle.now().to_utc().format("keiko-%Y-%m-%dT%H-%M-%SZ.db").to_string()
}

/// Tells what is wrong with the store.
pub(in crate::api) fn trouble(api: &Api, trouble: &Trouble) -> StorageTrouble {
    let kind = match trouble.failure {
        StoreFailure::Full => "full",
        StoreFailure::Damaged => "damaged",
        StoreFailure::Broken
        | StoreFailure::Refused
        | StoreFailure::Unusable
        | StoreFailure::Newer
        | StoreFailure::Busy
        | StoreFailure::OurFault
        | StoreFailure::Closed => "broken",
    };
    StorageTrouble {
        kind: kind.to_owned(),
        since: api.told(trouble.since),
        reason: trouble.reason.clone(),
        hint: hint(trouble.failure).to_owned(),
    }
}

impl Api {
    /// Warns when the store does not take what people write.
    pub(in crate::api) async fn storage_warnings(&self) -> Vec<String> {
        let trouble = self.handle.trouble().await;
        let told = trouble.map(|trouble| {
            let since = read_aloud(trouble.since, self.handle.zone());
            format!("since {since}: {}; {}", trouble.reason, hint(trouble.failure))
        });
        told.into_iter().collect()
    }
}

const fn hint(failure: StoreFailure) -> &'static str {
    match failure {
        StoreFailure::Full => "nothing can be added or changed until there is room; what is due still rings",
        StoreFailure::Damaged => DAMAGED_HINT,
        StoreFailure::Broken
        | StoreFailure::Refused
        | StoreFailure::Unusable
        | StoreFailure::Newer
        | StoreFailure::Busy
        | StoreFailure::OurFault
        | StoreFailure::Closed => "nothing can be added or changed meanwhile; it is tried again by itself",
    }
}
