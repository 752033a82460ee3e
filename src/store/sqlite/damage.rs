//! What becomes of a database that cannot be read: it is set aside under a name of its own, whole, and never removed.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::store::sqlite::reserve::Reserve;

/// What stands between the database's name and the date of a damaged one.
const MARK: &str = ".corrupt-";

/// What belongs to a database besides its file. They go first: a log that stays behind would be read into the next
/// database of the name.
const BESIDE: [&str; 3] = ["-wal", "-shm", "-journal"];

/// Moves the database at `path`, with its log, to a name that says `date`; returns that name.
///
/// # Errors
/// A file cannot be renamed.
pub fn set_aside(path: &Path, date: &str) -> io::Result<PathBuf> {
    let free = (1..).map(|count| match count {
        1 => with(path, &format!("{MARK}{date}")),
        more => with(path, &format!("{MARK}{date}.{more}")),
    });
    let aside = free
        .into_iter()
        .find(|aside| ["", BESIDE[0]].iter().all(|suffix| with(aside, suffix).symlink_metadata().is_err()))
        .expect("a name without an end is free somewhere");
    for suffix in BESIDE.into_iter().chain([""]) {
        match fs::rename(with(path, suffix), with(&aside, suffix)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            Ok(()) | Err(_) => {}
        }
    }
    // It says that there was a database; what comes next is another one.
    match fs::remove_file(Reserve::path_of(path)) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        Ok(()) | Err(_) => Ok(aside),
    }
}

/// Returns the latest database that was set aside from `path` while nothing has taken its place.
#[must_use]
pub fn missing_since_damage(path: &Path) -> Option<PathBuf> {
    if path.symlink_metadata().is_ok() {
        return None;
    }
    let start = format!("{}{MARK}", path.file_name()?.to_string_lossy());
    let is_one = |name: &str| name.starts_with(&start) && !BESIDE.iter().any(|suffix| name.ends_with(suffix));
    latest(path.parent()?, is_one)
}

/// Returns the backup in `folder` whose name is the latest; their names are dates.
#[must_use]
pub fn newest_backup(folder: &Path) -> Option<PathBuf> {
    latest(folder, |name| name.starts_with("keiko-") && Path::new(name).extension().is_some_and(|end| end == "db"))
}

fn latest(folder: &Path, is_one: impl Fn(&str) -> bool) -> Option<PathBuf> {
    let files = fs::read_dir(folder).ok()?.filter_map(Result::ok);
    files.filter(|file| file.file_name().to_str().is_some_and(&is_one)).map(|file| file.path()).max()
}

fn with(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_damaged_database_is_set_aside_with_its_log_and_over_no_other() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("keiko.db");
        let write = |suffix: &str, text: &str| fs::write(with(&path, suffix), text).unwrap();
        assert_eq!(missing_since_damage(&path), None);
        write("", "first");
        write("-wal", "its log");
        let first = set_aside(&path, "2026-05-13").unwrap();
        assert_eq!(first, with(&path, ".corrupt-2026-05-13"));
        assert!(!with(&path, "-wal").exists());
        write("", "second");
        let second = set_aside(&path, "2026-05-13").unwrap();
        assert_eq!(missing_since_damage(&path), Some(second.clone()));
        write("", "new");
        assert_eq!(missing_since_damage(&path), None);
        let read = |path: &Path| fs::read_to_string(path).unwrap();
        assert_eq!([read(&first), read(&with(&first, "-wal")), read(&second)], ["first", "its log", "second"]);
    }

    #[test]
    fn the_newest_backup_is_the_one_of_the_latest_date() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(newest_backup(folder.path()), None);
        for name in ["keiko-2026-05-13T12-00-00Z.db", "keiko-2026-05-14T01-00-00Z.db", "keiko-2027.db.draft", "x.db"] {
            fs::write(folder.path().join(name), "").unwrap();
        }
        assert_eq!(newest_backup(folder.path()), Some(folder.path().join("keiko-2026-05-14T01-00-00Z.db")));
        assert_eq!(newest_backup(&folder.path().join("none")), None);
    }
}
