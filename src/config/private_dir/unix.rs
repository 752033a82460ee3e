//! Private directories where files have an owner and a mode.

use std::fs::{self, DirBuilder, Metadata, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::Path;

use crate::config::private_dir::PrivateDirError;

/// Nobody but the owner, who may do all.
const MODE: u32 = 0o700;

/// What the group and others may write.
const WRITABLE_BY_OTHERS: u32 = 0o022;

/// Returns the user that this process acts for.
pub(in crate::config) fn user() -> u32 {
    rustix::process::geteuid().as_raw()
}

/// Makes the directory `path` where it is missing, and sees to it that nobody but `user` has access.
///
/// The directory above must be there.
pub(in crate::config) fn create(path: &Path, user: u32) -> Result<(), PrivateDirError> {
    let unusable = |source| PrivateDirError::Unusable { path: path.to_owned(), source };
    match DirBuilder::new().mode(MODE).create(path) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(unusable(error)),
        Ok(()) | Err(_) => {}
    }
    let found = owned(path, user)?;
    // Ours, but made by hand or under a loose umask: what is in it was ours to change too.
    if found.mode() & 0o777 != MODE {
        fs::set_permissions(path, Permissions::from_mode(MODE)).map_err(unusable)?;
    }
    Ok(())
}

/// Checks that nobody but `user` could have put something into the directory `path`.
pub(in crate::config) fn check(path: &Path, user: u32) -> Result<(), PrivateDirError> {
    let found = owned(path, user)?;
    check_mode(path, &found)
}

/// Checks that `path` is a runtime directory of `user`. A link is followed: the system's login made it, not a stranger.
pub(in crate::config) fn is_runtime_dir(path: &Path, user: u32) -> Result<(), PrivateDirError> {
    let found = fs::metadata(path).map_err(|source| PrivateDirError::Unusable { path: path.to_owned(), source })?;
    check_owner(path, &found, user)?;
    check_mode(path, &found)
}

fn owned(path: &Path, user: u32) -> Result<Metadata, PrivateDirError> {
    // The link itself, not what it points to: a stranger's link may point into a directory of ours.
    let found =
        fs::symlink_metadata(path).map_err(|source| PrivateDirError::Unusable { path: path.to_owned(), source })?;
    check_owner(path, &found, user)?;
    Ok(found)
}

fn check_owner(path: &Path, found: &Metadata, user: u32) -> Result<(), PrivateDirError> {
    if !found.is_dir() {
        return Err(PrivateDirError::NoDirectory { path: path.to_owned() });
    }
    if found.uid() != user {
        return Err(PrivateDirError::Foreign { path: path.to_owned(), expected: user, found: found.uid() });
    }
    Ok(())
}

fn check_mode(path: &Path, found: &Metadata) -> Result<(), PrivateDirError> {
    let mode = found.mode() & 0o7777;
    if mode & WRITABLE_BY_OTHERS == 0 { Ok(()) } else { Err(PrivateDirError::Open { path: path.to_owned(), mode }) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().mode() & 0o777
    }

    #[test]
    fn a_directory_is_made_for_us_alone() {
        let above = tempfile::tempdir().unwrap();
        let path = above.path().join("keiko");
        create(&path, user()).unwrap();
        assert_eq!(mode(&path), 0o700);
        create(&path, user()).unwrap();
        check(&path, user()).unwrap();
    }

    #[test]
    fn a_loose_directory_of_ours_is_tightened() {
        let above = tempfile::tempdir().unwrap();
        let path = above.path().join("keiko");
        fs::create_dir(&path).unwrap();
        fs::set_permissions(&path, Permissions::from_mode(0o777)).unwrap();
        assert!(matches!(check(&path, user()), Err(PrivateDirError::Open { mode: 0o777, .. })));
        create(&path, user()).unwrap();
        assert_eq!(mode(&path), 0o700);
    }

    #[test]
    fn a_strangers_directory_is_refused_and_left_alone() {
        let above = tempfile::tempdir().unwrap();
        let path = above.path().join("keiko");
        fs::create_dir(&path).unwrap();
        fs::set_permissions(&path, Permissions::from_mode(0o755)).unwrap();
        let somebody = user() + 1;
        assert!(matches!(create(&path, somebody), Err(PrivateDirError::Foreign { .. })));
        assert!(matches!(check(&path, somebody), Err(PrivateDirError::Foreign { .. })));
        assert!(matches!(is_runtime_dir(&path, somebody), Err(PrivateDirError::Foreign { .. })));
        assert_eq!(mode(&path), 0o755);
    }

    #[test]
    fn a_link_is_refused_even_when_it_points_to_a_directory_of_ours() {
        let above = tempfile::tempdir().unwrap();
        let (link, target) = (above.path().join("link"), above.path().join("target"));
        create(&target, user()).unwrap();
        std::os::unix::fs::symlink(&target, &link).unwrap();
        assert!(matches!(create(&link, user()), Err(PrivateDirError::NoDirectory { .. })));
        assert!(matches!(check(&link, user()), Err(PrivateDirError::NoDirectory { .. })));
    }

    #[test]
    fn a_file_is_no_directory() {
        let above = tempfile::tempdir().unwrap();
        let path = above.path().join("keiko");
        fs::write(&path, "").unwrap();
        assert!(matches!(create(&path, user()), Err(PrivateDirError::NoDirectory { .. })));
        assert!(matches!(create(&path.join("below"), user()), Err(PrivateDirError::Unusable { .. })));
    }
}
