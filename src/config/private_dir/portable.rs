//! Private directories where the person's profile is private by itself, and files have no owner that we could ask for.

use std::fs;
use std::io;
use std::path::Path;

use crate::config::private_dir::PrivateDirError;

/// Returns a number that stands for the user: there is one a profile.
pub(in crate::config) fn user() -> u32 {
    0
}

/// Makes the directory `path` where it is missing.
pub(in crate::config) fn create(path: &Path, user: u32) -> Result<(), PrivateDirError> {
    match fs::create_dir(path) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
            Err(PrivateDirError::Unusable { path: path.to_owned(), source: error })
        }
        Ok(()) | Err(_) => check(path, user),
    }
}

/// Checks that `path` is a directory.
pub(in crate::config) fn check(path: &Path, _user: u32) -> Result<(), PrivateDirError> {
    let found =
        fs::symlink_metadata(path).map_err(|source| PrivateDirError::Unusable { path: path.to_owned(), source })?;
    if found.is_dir() { Ok(()) } else { Err(PrivateDirError::NoDirectory { path: path.to_owned() }) }
}

/// Checks that `path` is a directory.
pub(in crate::config) fn is_runtime_dir(path: &Path, user: u32) -> Result<(), PrivateDirError> {
    check(path, user)
}
