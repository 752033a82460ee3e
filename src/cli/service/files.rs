//! How do the files of a service come to be, and go? Whole or not at all, and never one that somebody else wrote or changed.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::cli::service::ServiceError;
use crate::files;
use crate::service::{Origin, origin};

/// What became of a file, or would.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Fate {
    /// It was not there.
    Written,
    /// Ours was there, and says something else.
    Replaced,
    /// It says so already.
    Unchanged,
    /// It is gone.
    Removed,
    /// Somebody else wrote it, or changed it: it stays.
    Kept,
}

impl Fate {
    /// Returns the word for it, in JSON too.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Written => "written",
            Self::Replaced => "replaced",
            Self::Unchanged => "unchanged",
            Self::Removed => "removed",
            Self::Kept => "kept",
        }
    }
}

/// Returns what would become of each file.
///
/// # Errors
/// One is somebody else's, was changed, or cannot be read.
pub(crate) fn look(files: &[(PathBuf, String)]) -> Result<Vec<Fate>, ServiceError> {
    files.iter().map(|(path, text)| fate(path, text)).collect()
}

fn fate(path: &Path, text: &str) -> Result<Fate, ServiceError> {
    let path = path.to_owned();
    match fs::read(&path) {
        Ok(found) if found == text.as_bytes() => Ok(Fate::Unchanged),
        Ok(found) => match origin(&String::from_utf8_lossy(&found)) {
            Origin::Ours => Ok(Fate::Replaced),
            Origin::Changed => Err(ServiceError::Changed { path }),
            Origin::Foreign => Err(ServiceError::Foreign { path }),
        },
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Fate::Written),
        Err(source) => Err(ServiceError::Unusable { what: "read", path, source }),
    }
}

/// Writes the files, where all of them may be written.
///
/// # Errors
/// As [`look`]; or one cannot be written, and those before it are.
pub(crate) fn write(files: &[(PathBuf, String)]) -> Result<Vec<Fate>, ServiceError> {
    let fates = look(files)?;
    for ((path, text), fate) in files.iter().zip(&fates) {
        if matches!(fate, Fate::Written | Fate::Replaced) {
            put(path, text).map_err(|source| ServiceError::Unusable { what: "write", path: path.clone(), source })?;
        }
    }
    Ok(fates)
}

/// Puts a file into its place, and the folder where there is none.
fn put(path: &Path, text: &str) -> io::Result<()> {
    fs::create_dir_all(path.parent().unwrap_or(Path::new("/")))?;
    files::replace(path, text.as_bytes())
}

/// Returns whether a file is there, ours, and as it was written.
pub(crate) fn is_ours(path: &Path) -> bool {
    fs::read(path).is_ok_and(|found| origin(&String::from_utf8_lossy(&found)) == Origin::Ours)
}

/// Removes a file that is ours and as it was written; `None` where there is none.
///
/// # Errors
/// It cannot be read or removed.
pub(crate) fn remove(path: &Path) -> Result<Option<Fate>, ServiceError> {
    let failed = |what, source| ServiceError::Unusable { what, path: path.to_owned(), source };
    match fs::read(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(source) => Err(failed("read", source)),
        Ok(found) if origin(&String::from_utf8_lossy(&found)) == Origin::Ours => {
            fs::remove_file(path).map_err(|source| failed("remove", source))?;
            Ok(Some(Fate::Removed))
        }
        Ok(_) => Ok(Some(Fate::Kept)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::service::{Author, Service, Socket, systemd};

    fn files(folder: &Path, program: &str) -> Vec<(PathBuf, String)> {
        let service = Service {
            name: "keikod".to_owned(),
            daemon: program.into(),
            keiko: "/bin/keiko".into(),
            variables: Vec::new(),
            socket: Socket::InRuntimeDir("s".to_owned()),
            log: "/log".into(),
            author: Author::Install,
        };
        systemd::files(&service).unwrap().into_iter().map(|file| (folder.join(file.name), file.text)).collect()
    }

    #[test]
    fn the_same_twice_writes_once_and_what_is_ours_is_replaced_and_removed() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("not/there/yet");
        let first = files(&folder, "/bin/keikod");
        assert_eq!(look(&first).unwrap(), [Fate::Written; 2]);
        assert!(!folder.exists(), "looking writes nothing");
        assert_eq!(write(&first).unwrap(), [Fate::Written; 2]);
        assert_eq!(write(&first).unwrap(), [Fate::Unchanged; 2]);
        assert_eq!(write(&files(&folder, "/opt/keikod")).unwrap(), [Fate::Replaced, Fate::Unchanged]);
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 2, "no draft is left");
        for (path, _) in &first {
            assert_eq!(remove(path).unwrap(), Some(Fate::Removed));
            assert_eq!(remove(path).unwrap(), None);
        }
    }

    #[test]
    fn what_somebody_wrote_or_changed_is_never_touched_and_nothing_is_written_beside_it() {
        let root = tempfile::tempdir().unwrap();
        let files = files(root.path(), "/bin/keikod");
        let (path, text) = &files[1];
        for (found, is_changed) in [("[Socket]\n".to_owned(), false), (format!("{text}Backlog=1\n"), true)] {
            fs::write(path, &found).unwrap();
            let error = write(&files).unwrap_err();
            assert_eq!(matches!(error, ServiceError::Changed { .. }), is_changed, "{error}");
            assert!(!files[0].0.exists());
            assert_eq!(remove(path).unwrap(), Some(Fate::Kept));
            assert_eq!(fs::read_to_string(path).unwrap(), found);
        }
    }
}
