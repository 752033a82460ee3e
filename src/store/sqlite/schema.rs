//! How a database file comes to be one of this version, or is refused as it lies. A migration is never edited, only
//! followed by another.

use std::collections::BTreeSet;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use chrono::{DateTime, Utc};
use refinery_core::traits::sync::{Migrate, Query, Transaction};
use refinery_core::{Migration, Runner};
use rusqlite::config::DbConfig;
use rusqlite::types::Type;
use rusqlite::{Connection, ErrorCode, OpenFlags, TransactionBehavior, params};
use uuid::Uuid;

use crate::store::sqlite::fault::{Fault, is_full};
use crate::store::sqlite::reserve::Reserve;
use crate::store::sqlite::volume;

/// Every migration, oldest first, by the name of its file.
pub(crate) const MIGRATIONS: &[(&str, &str)] = &[
    ("V1__initial", include_str!("migrations/V1__initial.sql")),
    ("V2__deliveries", include_str!("migrations/V2__deliveries.sql")),
    ("V3__life", include_str!("migrations/V3__life.sql")),
    ("V4__device_events", include_str!("migrations/V4__device_events.sql")),
    ("V5__digests", include_str!("migrations/V5__digests.sql")),
    ("V6__waits", include_str!("migrations/V6__waits.sql")),
    ("V7__scope", include_str!("migrations/V7__scope.sql")),
    ("V8__quiet", include_str!("migrations/V8__quiet.sql")),
    ("V9__undo", include_str!("migrations/V9__undo.sql")),
    ("V10__receipts", include_str!("migrations/V10__receipts.sql")),
    ("V11__runs", include_str!("migrations/V11__runs.sql")),
    ("V12__quick_outbox", include_str!("migrations/V12__quick_outbox.sql")),
    ("V13__imports", include_str!("migrations/V13__imports.sql")),
    ("V14__exhausted", include_str!("migrations/V14__exhausted.sql")),
];

/// Marks the file as ours: "Keik", as the first migration writes it.
const APPLICATION_ID: i64 = 0x4b65_696b;

/// How long a statement waits for another program that holds the file, such as a backup.
pub(crate) const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

/// Past this a log that grew under a long read is cut back at the next checkpoint.
const LOG_BYTES_MAX: i64 = 64 * 1024 * 1024;

/// The room that the shared memory file and the first pages of the log take, doubled.
const ROOM_MIN: usize = 128 * 1024;

/// Up to this length a database is checked whole when it is opened, which takes some hundredths of a second; of a
/// longer one what is read is checked.
const CHECKED_BYTES_MAX: u64 = 16 * 1024 * 1024;

/// Where the whole disk is smaller than this, the log is merged into the database early, or it would fill the disk.
const SMALL_DISK: u64 = 64 * 1024 * 1024;

/// After how many pages that is.
const SMALL_LOG_PAGES: i64 = 50;

/// More statements than the writer or a reader uses, so that none is compiled twice.
const STATEMENTS_MAX: usize = 32;

/// Whether other connections can read beside the writer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Sharing {
    /// They can, through the shared memory file.
    Shared,
    /// They cannot, and there is no shared memory file: on a full disk it kills the process, since it is mapped
    /// before the disk has room for it.
    Alone,
}

impl Sharing {
    /// Returns how a database at `path` can be opened now.
    pub(crate) fn at(path: &Path) -> io::Result<Self> {
        // Written and flushed, since a file system may find only then that there is no room.
        let probe = path.with_added_extension("probe");
        let write = |mut file: File| file.write_all(&vec![1; ROOM_MIN]).and_then(|()| file.sync_all());
        let written = File::create(&probe).and_then(write);
        let removed = fs::remove_file(&probe);
        match written {
            Err(error) if is_full(&error) => Ok(Self::Alone),
            written => written.and(removed).map(|()| Self::Shared),
        }
    }
}

/// Opens the database for its one writer, making or migrating it where needed.
///
/// `device` names the installation where the database is new.
pub(crate) fn open(path: &Path, device: Uuid, sharing: Sharing) -> Result<Connection, Fault> {
    refuse_link(path)?;
    create_private(path)?;
    refuse_emptied(path)?;
    // Nothing may be written before this: a newer program must find its file as it left it.
    inspect(path, sharing)?;
    let mut connection = connect(path, OpenFlags::SQLITE_OPEN_READ_WRITE, sharing)?;
    // Where something is found to be wrong, the files are left as they are.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    let mode: String = connection.query_row("PRAGMA journal_mode = WAL", [], |row| row.get(0))?;
    if mode != "wal" {
        return Err(Fault::NoWal { found: mode });
    }
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.pragma_update(None, "journal_size_limit", LOG_BYTES_MAX)?;
    if volume::total(path) < SMALL_DISK {
        connection.pragma_update(None, "wal_autocheckpoint", SMALL_LOG_PAGES)?;
    }
    migrate(&mut connection, device, MIGRATIONS)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, false)?;
    Ok(connection)
}

/// Opens a shared database for a reader.
pub(crate) fn open_reader(path: &Path) -> Result<Connection, Fault> {
    // Not read-only as a file: a reader of a write-ahead log writes its shared memory.
    let connection = connect(path, OpenFlags::SQLITE_OPEN_READ_WRITE, Sharing::Shared)?;
    connection.pragma_update(None, "query_only", true)?;
    Ok(connection)
}

fn connect(path: &Path, access: OpenFlags, sharing: Sharing) -> Result<Connection, Fault> {
    let connection = Connection::open_with_flags(path, access | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
    connection.busy_timeout(BUSY_TIMEOUT)?;
    if sharing == Sharing::Alone {
        // Before anything is read, or the shared memory file is there already.
        connection.pragma_update(None, "locking_mode", "EXCLUSIVE")?;
    }
    connection.pragma_update(None, "foreign_keys", true)?;
    // Else a statement is compiled anew for each value that might change its plan, which costs more than to run it
    // (<https://www.sqlite.org/queryplanner-ng.html>, section 3.1). Each has the plan that its text and the indexes give.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS_MAX);
    Ok(connection)
}

/// Makes the file for its owner only, where there is none. SQLite gives its side files the same mode.
pub(crate) fn create_private(path: &Path) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    match options.open(path) {
        Ok(_) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(error),
    }
}

/// Returns where the log of a database lies.
pub(crate) fn log_of(database: &Path) -> PathBuf {
    let mut log = database.as_os_str().to_owned();
    log.push("-wal");
    log.into()
}

/// Refuses a file that was emptied: SQLite would take it for a new one, and throw away the log that is whole.
fn refuse_emptied(path: &Path) -> Result<(), Fault> {
    // The first page is in the file before there is a log.
    let has_log = fs::metadata(log_of(path)).is_ok_and(|log| log.len() > 0);
    let is_empty = fs::metadata(path)?.len() == 0;
    if is_empty && (has_log || has_held(path)) { Err(emptied()) } else { Ok(()) }
}

/// Refuses a link: the lock that keeps a second daemon away lies beside it, and another beside what it leads to.
fn refuse_link(path: &Path) -> io::Result<()> {
    let Ok(target) = fs::read_link(path) else { return Ok(()) };
    let what = format!(
        "it is a link to {}, which another daemon may have: let KEIKO_DATA_DIR name the directory where the database lies",
        target.display()
    );
    Err(io::Error::new(io::ErrorKind::InvalidInput, what))
}

/// Returns whether there was a database here: its reserve is made behind its schema.
fn has_held(path: &Path) -> bool {
    Reserve::path_of(path).symlink_metadata().is_ok()
}

fn emptied() -> Fault {
    Fault::Damaged { found: "there is nothing in it, though there was".to_owned() }
}

/// Refuses a file that this program must not write to, without writing to it.
fn inspect(path: &Path, sharing: Sharing) -> Result<(), Fault> {
    if sharing == Sharing::Alone {
        // To hold a file alone takes a lock that only a writer gets.
        return inspect_with(path, OpenFlags::SQLITE_OPEN_READ_WRITE, sharing);
    }
    match inspect_with(path, OpenFlags::SQLITE_OPEN_READ_ONLY, sharing) {
        // A crash while the file was made leaves a journal that only a writer can roll back.
        Err(Fault::Sqlite(error))
            if matches!(error.sqlite_error_code(), Some(ErrorCode::ReadOnly | ErrorCode::CannotOpen)) =>
        {
            inspect_with(path, OpenFlags::SQLITE_OPEN_READ_WRITE, sharing)
        }
        other => other,
    }
}

fn inspect_with(path: &Path, access: OpenFlags, sharing: Sharing) -> Result<(), Fault> {
    let connection = connect(path, access, sharing)?;
    // Else the last connection to close writes what a crash left in the log into the file.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    let tables: i64 = connection.query_row("SELECT count(*) FROM sqlite_master", [], |row| row.get(0))?;
    if tables == 0 {
        // The log that had the rest is gone.
        return if has_held(path) { Err(emptied()) } else { Ok(()) };
    }
    version(&connection)?;
    if path.metadata()?.len() <= CHECKED_BYTES_MAX {
        let found: String = connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?;
        if found != "ok" {
            return Err(Fault::Damaged { found });
        }
    }
    Ok(())
}

/// Refuses a copy that is none of ours, of a newer version, or empty.
pub(crate) fn inspect_copy(connection: &Connection) -> Result<(), Fault> {
    let tables: i64 = connection.query_row("SELECT count(*) FROM sqlite_master", [], |row| row.get(0))?;
    if tables == 0 {
        return Err(Fault::Damaged { found: "there is nothing in it".to_owned() });
    }
    version(connection)?;
    Ok(())
}

/// Refuses a database of this version in which something lies that no program of ours puts there, such as a trigger, or in which
/// rows refer to nothing.
pub(crate) fn refuse_strange(connection: &Connection) -> Result<(), Fault> {
    let mut own = Connection::open_in_memory()?;
    migrate(&mut own, Uuid::nil(), MIGRATIONS)?;
    // Not their text, which each version of SQLite writes in its own way when a table is altered.
    let sql = "SELECT type || ' ' || name FROM sqlite_master WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\'";
    let entries = |connection: &Connection| -> Result<BTreeSet<String>, rusqlite::Error> {
        connection.prepare(sql)?.query_map([], |row| row.get(0))?.collect()
    };
    let (expected, found) = (entries(&own)?, entries(connection)?);
    if let Some(strange) = found.symmetric_difference(&expected).next() {
        let what = if found.contains(strange) { "there is" } else { "there is no" };
        return Err(Fault::Damaged { found: format!("{what} {strange}, unlike in what Keiko makes") });
    }
    let mut statement = connection.prepare("SELECT \"table\", parent FROM pragma_foreign_key_check LIMIT 1")?;
    let mut rows = statement.query([])?;
    match rows.next()? {
        Some(row) => {
            let (table, parent): (String, String) = (row.get(0)?, row.get(1)?);
            Err(Fault::Damaged { found: format!("{table} name {parent} that are not there") })
        }
        None => Ok(()),
    }
}

/// Returns the version of the schema of a database that is ours.
///
/// # Errors
/// It is another program's, or of a newer version than this program knows.
pub(crate) fn version(connection: &Connection) -> Result<u32, Fault> {
    let application: i64 = connection.query_row("PRAGMA application_id", [], |row| row.get(0))?;
    if application != APPLICATION_ID {
        return Err(Fault::Foreign);
    }
    let newest = "SELECT coalesce(max(version), 0) FROM refinery_schema_history";
    let found: u32 = connection.query_row(newest, [], |row| row.get(0))?;
    let known = known_version();
    if found > known { Err(Fault::Newer { found, known }) } else { Ok(found) }
}

pub(crate) fn known_version() -> u32 {
    u32::try_from(MIGRATIONS.len()).expect("migrations are numbered from 1 without gaps, and few")
}

/// Brings the schema to this version in one transaction: a kill at any point leaves what was before.
pub(crate) fn migrate(connection: &mut Connection, device: Uuid, migrations: &[(&str, &str)]) -> Result<(), Fault> {
    let migrations: Vec<Migration> =
        migrations.iter().map(|(name, sql)| Migration::unapplied(name, sql)).collect::<Result<_, _>>()?;
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    Runner::new(&migrations).set_grouped(true).run(&mut Migrator { transaction: &transaction })?;
    let is_new = transaction.query_row("SELECT count(*) FROM meta", [], |row| row.get::<_, i64>(0))? == 0;
    if is_new {
        transaction.execute("INSERT INTO devices (id) VALUES (?1)", params![device.as_bytes()])?;
        let sql = "INSERT INTO meta (one, device, next_number, last_seq) VALUES (1, ?1, 1, 0)";
        transaction.execute(sql, params![device.as_bytes()])?;
    }
    transaction.commit()?;
    Ok(())
}

/// Lets refinery run inside a transaction that somebody else commits.
struct Migrator<'a> {
    transaction: &'a rusqlite::Transaction<'a>,
}

impl Transaction for Migrator<'_> {
    type Error = rusqlite::Error;

    fn execute<'a, T: Iterator<Item = &'a str>>(&mut self, queries: T) -> Result<usize, rusqlite::Error> {
        let mut count = 0;
        for query in queries {
            self.transaction.execute_batch(query)?;
            count += 1;
        }
        Ok(count)
    }
}

impl Query<Vec<Migration>> for Migrator<'_> {
    fn query(&mut self, query: &str) -> Result<Vec<Migration>, rusqlite::Error> {
        let mut statement = self.transaction.prepare(query)?;
        let applied = statement.query_map([], |row| {
            let unreadable = |column, error| rusqlite::Error::FromSqlConversionFailure(column, Type::Text, error);
            let applied_on = DateTime::parse_from_rfc3339(&row.get::<_, String>(2)?)
                .map_err(|error| unreadable(2, Box::new(error) as _))?;
            let checksum = row
                .get::<_, String>(3)?
                .parse()
                .map_err(|error: std::num::ParseIntError| unreadable(3, Box::new(error)))?;
            let applied_on = SystemTime::from(applied_on.with_timezone(&Utc));
            Ok(Migration::applied(row.get(0)?, row.get(1)?, applied_on.into(), checksum))
        })?;
        applied.collect()
    }
}

impl Migrate for Migrator<'_> {}
