//! Is a database whole, and of a version that this program knows? Only looks: beside a daemon that writes, and where none runs.

use std::fs;
use std::path::Path;

use rusqlite::{Connection, OpenFlags};

use crate::store::StoreError;
use crate::store::sqlite::fault::Fault;
use crate::store::sqlite::schema::{self, BUSY_TIMEOUT, log_of};

/// A database in which nothing is wrong.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Examined {
    /// The version of its schema.
    pub schema: u32,
    /// How long its file is.
    pub bytes: u64,
}

/// Looks through the whole database at `path`, which must be there. `is_alone` says that nobody has it open.
///
/// # Errors
/// It is damaged, of a newer program or of another one, or cannot be read.
pub fn examine(path: &Path, is_alone: bool) -> Result<Examined, StoreError> {
    look(path, is_alone).map_err(|fault| fault.into_store_error("read", &path.display().to_string()))
}

fn look(path: &Path, is_alone: bool) -> Result<Examined, Fault> {
    let bytes = fs::metadata(path)?.len();
    let connection = if is_alone { open_alone(path)? } else { open_shared(path)? };
    connection.busy_timeout(BUSY_TIMEOUT)?;
    let schema = schema::version(&connection)?;
    let found: String = connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?;
    if found == "ok" { Ok(Examined { schema, bytes }) } else { Err(Fault::Damaged { found }) }
}

/// Opens a database that nobody else has open only to be read; where it has no log, nothing is written beside it then, not even
/// what readers share.
pub(crate) fn open_alone(path: &Path) -> Result<Connection, Fault> {
    // SQLite would say only that it cannot be opened.
    fs::metadata(path)?;
    if fs::metadata(log_of(path)).is_ok_and(|log| log.len() > 0) {
        return open_shared(path);
    }
    let uri = format!("file:{}?immutable=1", escaped(path));
    Ok(Connection::open_with_flags(uri, READ_ONLY | OpenFlags::SQLITE_OPEN_URI)?)
}

fn open_shared(path: &Path) -> Result<Connection, Fault> {
    Ok(Connection::open_with_flags(path, READ_ONLY)?)
}

const READ_ONLY: OpenFlags = OpenFlags::SQLITE_OPEN_READ_ONLY.union(OpenFlags::SQLITE_OPEN_NO_MUTEX);

/// Returns a path as the path of a URI (<https://www.sqlite.org/uri.html>, section 3).
fn escaped(path: &Path) -> String {
    use std::fmt::Write as _;

    let mut text = String::new();
    for byte in path.as_os_str().as_encoded_bytes() {
        if byte.is_ascii_alphanumeric() || b"/._-~".contains(byte) {
            text.push(char::from(*byte));
        } else {
            // Writing to a String cannot fail.
            let _ = write!(text, "%{byte:02x}");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;
    use crate::store::sqlite::SqliteStore;

    #[test]
    fn a_whole_database_is_found_whole_beside_its_writer_and_alone_and_nothing_is_left_there() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("a ?b#100%.db");
        let store = SqliteStore::open(&path, Uuid::nil()).unwrap();
        let expected = SqliteStore::schema_version();
        assert_eq!(examine(&path, false).unwrap().schema, expected);
        store.close();
        let names = || {
            let mut names: Vec<_> = fs::read_dir(root.path()).unwrap().map(|file| file.unwrap().file_name()).collect();
            names.sort();
            names
        };
        let before = (names(), fs::read(&path).unwrap());
        assert_eq!(examine(&path, true).unwrap().schema, expected);
        assert_eq!((names(), fs::read(&path).unwrap()), before);
    }

    #[test]
    fn one_that_is_not_there_is_said_not_to_be_there() {
        let root = tempfile::tempdir().unwrap();
        let error = open_alone(&root.path().join("none.db")).map(drop).unwrap_err();
        let error = error.into_store_error("read", "none.db").to_string();
        assert!(error.contains("No such file") && !error.contains("immutable"), "{error}");
    }

    #[test]
    fn a_damaged_one_and_one_of_somebody_else_are_told_apart() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("keiko.db");
        SqliteStore::open(&path, Uuid::nil()).unwrap().close();
        let mut bytes = fs::read(&path).unwrap();
        let middle = bytes.len() / 2;
        bytes[4096..middle].fill(0x5a);
        fs::write(&path, bytes).unwrap();
        assert!(matches!(examine(&path, true), Err(StoreError::Damaged { .. })), "{:?}", examine(&path, true));
        fs::remove_file(&path).unwrap();
        Connection::open(&path).unwrap().execute_batch("CREATE TABLE of_others (x)").unwrap();
        let error = examine(&path, true).unwrap_err();
        assert!(error.to_string().contains("another program"), "{error}");
        fs::write(&path, "this is no database, however long one looks at it").unwrap();
        assert!(examine(&path, true).is_err());
    }
}
