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
    let path = match params.path {
        None => api.about.backup_dir.join(dated(api)),
        Some(path) => place(api, &path)?,
    };
    let bytes = api.handle.backup(path.clone()).await.map_err(|error| api.refusal(&error))?;
    tracing::info!(path = %path.display(), bytes, "backed up");
    Ok(BackupResult {
        schema_version: SCHEMA_VERSION,
        now: api.told(api.handle.now()),
        path: path.display().to_string(),
        bytes,
    })
}

fn place(api: &Api, path: &str) -> Result<PathBuf, RpcError> {
    let path = Path::new(path);
    if !path.is_absolute() {
        let message = format!("cannot back up to {:?}: expected an absolute path", path.display().to_string());
        return Err(RpcError::new(ErrorKind::Params, message));
    }
    Ok(if path.is_dir() { path.join(dated(api)) } else { path.to_owned() })
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
