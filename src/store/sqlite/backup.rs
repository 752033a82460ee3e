//! How is an open database copied whole? By SQLite's own way, page by page from one committed state, into a file that has its
//! name only once it is checked. It never takes another file's place.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use rusqlite::backup::{Backup, StepResult};
use rusqlite::{Connection, OpenFlags, ffi};

use crate::store::StoreError;
use crate::store::sqlite::fault::Fault;
use crate::store::sqlite::schema;

/// Copies what is committed to `to`, and returns the length of the copy.
pub(crate) fn copy(source: &Connection, to: &Path) -> Result<u64, Fault> {
    let taken = || Fault::Refused(StoreError::Taken { path: to.display().to_string() });
    if to.symlink_metadata().is_ok() {
        return Err(taken());
    }
    find_folder(source, to)?;
    let draft = Draft::beside(to)?;
    write(source, &draft.0)?;
    check(&draft.0)?;
    let file = File::open(&draft.0)?;
    file.sync_all()?;
    let bytes = file.metadata()?.len();
    put_in_place(&draft.0, to).map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => taken(),
        _ => Fault::File(error),
    })?;
    Ok(bytes)
}

/// A file that goes unless it was given its name.
struct Draft(PathBuf);

impl Draft {
    fn beside(to: &Path) -> Result<Self, Fault> {
        let path = to.with_added_extension("draft");
        // What a crash left of an earlier attempt.
        match fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error.into()),
            Ok(()) | Err(_) => {}
        }
        schema::create_private(&path)?;
        Ok(Self(path))
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        // Nothing is there where it has its name.
        let _ = fs::remove_file(&self.0);
        let _ = fs::remove_file(self.0.with_added_extension("journal"));
    }
}

/// Makes the folder for the owner only, where it is missing and lies beside the database, as that of the backups does. Any
/// other is to be there: a disk that is not mounted is no reason to write to this one.
fn find_folder(source: &Connection, to: &Path) -> io::Result<()> {
    let Some(folder) = to.parent().filter(|folder| !folder.as_os_str().is_empty() && !folder.is_dir()) else {
        return Ok(());
    };
    let data = source.path().and_then(|database| Path::new(database).parent());
    if data.is_none() || folder.parent() != data {
        let what = format!("there is no folder {}", folder.display());
        return Err(io::Error::new(io::ErrorKind::NotFound, what));
    }
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

fn write(source: &Connection, draft: &Path) -> Result<(), Fault> {
    let mut target = Connection::open_with_flags(draft, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    all_pages(source, &mut target)?;
    // One file is all that there is of a backup: no log is to be beside it.
    target.query_row("PRAGMA journal_mode = DELETE", [], |_| Ok(()))?;
    target.close().map_err(|(_, error)| Fault::from(error))
}

/// Copies all pages at once: one read of one state, which keeps nobody from writing meanwhile.
pub(crate) fn all_pages(source: &Connection, target: &mut Connection) -> Result<(), Fault> {
    // In one step, and not again where another program has the file to itself: the source waits as long as it was told.
    match Backup::new(source, target)?.step(-1)? {
        StepResult::Done => Ok(()),
        _ => Err(rusqlite::Error::SqliteFailure(ffi::Error::new(ffi::SQLITE_BUSY), None).into()),
    }
}

fn check(copy: &Path) -> Result<(), Fault> {
    let connection = Connection::open_with_flags(copy, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    let found: String = connection.query_row("PRAGMA integrity_check(1)", [], |row| row.get(0))?;
    if found == "ok" { Ok(()) } else { Err(Fault::Damaged { found }) }
}

/// Gives a file its name, unless another file has it.
fn put_in_place(draft: &Path, to: &Path) -> io::Result<()> {
    match fs::hard_link(draft, to) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Err(error),
        Ok(()) => fs::remove_file(draft)?,
        // Some file systems, such as those of memory sticks, know no second name.
        Err(_) if to.symlink_metadata().is_err() => fs::rename(draft, to)?,
        Err(_) => return Err(io::ErrorKind::AlreadyExists.into()),
    }
    let folder = to.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    File::open(folder)?.sync_all()
}
