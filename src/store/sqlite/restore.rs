//! How does a copy take the place of the database, so that at every moment one whole database is there? Never while a daemon
//! has it: whoever calls this holds its lock.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use rusqlite::{Connection, OpenFlags};
use uuid::Uuid;

use crate::domain::op::{Op, RESTORE};
use crate::domain::time::Timestamp;
use crate::store::StoreError;
use crate::store::sqlite::examine::open_alone;
use crate::store::sqlite::fault::Fault;
use crate::store::sqlite::schema::{self, MIGRATIONS, log_of};
use crate::store::sqlite::{backup, damage, ops, read};

/// Within which namespace the names of restores are made.
const RESTORES: Uuid = Uuid::from_u128(0x2d4e_91c7_5b0a_4f68_8c13_7ae2_90d5_46bf);

/// What a copy holds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Copied {
    /// How many tasks, ended ones too.
    pub tasks: u64,
    /// When the last event in it happened, `None` where there is none.
    pub last_at: Option<Timestamp>,
    /// How many of its tasks the clock has passed meanwhile.
    pub overdue: u64,
}

/// What became of the database that was there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Former {
    /// There was none.
    None,
    /// It is kept whole in this file.
    Kept(PathBuf),
    /// It cannot be read, and is set aside as it was.
    SetAside(PathBuf),
}

/// What was done so far; for tests, which look at the files as a kill there leaves them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Step {
    /// The copy is checked, and lies complete beside the database.
    Drafted,
    /// The database that was there is kept.
    Kept,
    /// It lies in one file.
    Merged,
    /// The copy is in its place.
    Replaced,
}

/// Checks a copy and returns what it holds; it is left as it is.
///
/// # Errors
/// It is no database of Keiko, damaged, of a newer version, or the disk beside `database` has no room for it.
pub fn check(copy: &Path, database: &Path, now: Timestamp) -> Result<Copied, StoreError> {
    let checked = Draft::of(copy, database).and_then(|draft| draft.told(now));
    checked.map_err(|fault| fault.into_store_error("restore", &copy.display().to_string()))
}

/// Puts a copy in the place of `database`, once it is checked and what was there is kept in `kept`, or set aside under a name
/// that says `date` where it cannot be read.
///
/// # Errors
/// As [`check`], or what was there cannot be kept: it is where it was then.
pub fn restore(
    copy: &Path,
    database: &Path,
    kept: &Path,
    date: &str,
    now: Timestamp,
) -> Result<(Copied, Former), StoreError> {
    let restored = in_steps(copy, database, (kept, date), now, &mut |_| {});
    restored.map_err(|fault| fault.into_store_error("restore", &copy.display().to_string()))
}

pub(crate) fn in_steps(
    copy: &Path,
    database: &Path,
    (kept, date): (&Path, &str),
    now: Timestamp,
    done: &mut dyn FnMut(Step),
) -> Result<(Copied, Former), Fault> {
    let draft = Draft::of(copy, database)?;
    let copied = draft.told(now)?;
    done(Step::Drafted);
    let former = keep(database, kept, date, done)?;
    draft.note(&former, date, now)?;
    // One rename: before it there is what was, behind it what is to be.
    fs::rename(&draft.path, database)?;
    sync_folder(database)?;
    done(Step::Replaced);
    Ok((copied, former))
}

/// A checked copy beside the database. It goes unless it takes its place.
struct Draft {
    path: PathBuf,
}

impl Draft {
    fn of(copy: &Path, database: &Path) -> Result<Self, Fault> {
        if is_same(copy, database) {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is the database itself").into());
        }
        let source = open_alone(copy)?;
        schema::inspect_copy(&source)?;
        let path = database.with_added_extension("restore");
        remove(&path)?;
        schema::create_private(&path)?;
        let draft = Self { path };
        let mut target = Connection::open_with_flags(&draft.path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
        backup::all_pages(&source, &mut target)?;
        target.query_row("PRAGMA journal_mode = DELETE", [], |_| Ok(()))?;
        let found: String = target.query_row("PRAGMA integrity_check(1)", [], |row| row.get(0))?;
        if found != "ok" {
            return Err(Fault::Damaged { found });
        }
        // Here, where it can fail without harm.
        schema::migrate(&mut target, Uuid::nil(), MIGRATIONS)?;
        schema::refuse_strange(&target)?;
        read::identity(&target)?;
        target.close().map_err(|(_, error)| Fault::from(error))?;
        File::open(&draft.path)?.sync_all()?;
        Ok(draft)
    }

    fn told(&self, now: Timestamp) -> Result<Copied, Fault> {
        let connection = Connection::open_with_flags(&self.path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
        let count = |sql: &str| -> Result<u64, Fault> {
            let count: i64 = connection.query_row(sql, [], |row| row.get(0))?;
            Ok(u64::try_from(count).unwrap_or(0))
        };
        let last: Option<i64> = connection.query_row("SELECT max(at) FROM events", [], |row| row.get(0))?;
        let wakes = read::wakes(&connection)?;
        Ok(Copied {
            tasks: count("SELECT count(*) FROM tasks WHERE deleted_at IS NULL")?,
            last_at: last.and_then(Timestamp::from_millis),
            overdue: wakes.iter().filter(|wake| wake.at <= now).count() as u64,
        })
    }
}

impl Draft {
    /// Notes in it that it took the place of another, so that the next undo is not taken for one of what was done before it
    /// was made.
    fn note(&self, former: &Former, date: &str, now: Timestamp) -> Result<(), Fault> {
        let mut connection = Connection::open_with_flags(&self.path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
        let transaction = connection.transaction()?;
        let title = match former {
            Former::Kept(kept) => kept.display().to_string(),
            Former::None | Former::SetAside(_) => String::new(),
        };
        let id = Uuid::new_v5(&RESTORES, format!("{date}|{now}|{title}").as_bytes());
        ops::write(&transaction, &Op { title, ..Op::of_none(id, now, RESTORE) })?;
        transaction.commit()?;
        connection.close().map_err(|(_, error)| Fault::from(error))?;
        Ok(File::open(&self.path)?.sync_all()?)
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        // Nothing is there where it has taken its place.
        let _ = fs::remove_file(&self.path);
        let _ = fs::remove_file(self.path.with_added_extension("journal"));
    }
}

/// Keeps the database that is there, and lets all of it lie in its one file: a log that stayed behind would be read into the
/// one that takes its place.
fn keep(database: &Path, kept: &Path, date: &str, done: &mut dyn FnMut(Step)) -> Result<Former, Fault> {
    if database.symlink_metadata().is_err() {
        // A log alone is what is left of one: it goes aside with its name.
        return match log_of(database).symlink_metadata() {
            Ok(_) => Ok(Former::SetAside(damage::set_aside(database, date)?)),
            Err(_) => Ok(Former::None),
        };
    }
    match keep_readable(database, kept, done) {
        Ok(()) => Ok(Former::Kept(kept.to_owned())),
        Err(fault) if fault.is_damage() => {
            tracing::warn!(%fault, "the former database cannot be read and is set aside");
            Ok(Former::SetAside(damage::set_aside(database, date)?))
        }
        // What another program holds, or the disk has no room for, is as whole as it was.
        Err(fault) => Err(Fault::Refused(fault.into_store_error("keep", &database.display().to_string()))),
    }
}

fn keep_readable(database: &Path, kept: &Path, done: &mut dyn FnMut(Step)) -> Result<(), Fault> {
    let connection = Connection::open_with_flags(database, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    connection.busy_timeout(schema::BUSY_TIMEOUT)?;
    backup::copy(&connection, kept)?;
    done(Step::Kept);
    let merged = merge(connection, database);
    if merged.as_ref().is_err_and(|fault| !fault.is_damage()) {
        // It stays where it is, and needs no copy.
        remove(kept)?;
    }
    merged?;
    done(Step::Merged);
    Ok(())
}

/// Lets all of a database lie in its one file.
fn merge(connection: Connection, database: &Path) -> Result<(), Fault> {
    connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?;
    connection.query_row("PRAGMA journal_mode = DELETE", [], |_| Ok(()))?;
    connection.close().map_err(|(_, error)| Fault::from(error))?;
    if fs::metadata(log_of(database)).is_ok_and(|log| log.len() > 0) {
        return Err(io::Error::other("its log cannot be merged, another program has it open").into());
    }
    Ok(sync_folder(database)?)
}

fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        Ok(()) | Err(_) => Ok(()),
    }
}

fn is_same(one: &Path, other: &Path) -> bool {
    match (fs::canonicalize(one), fs::canonicalize(other)) {
        (Ok(one), Ok(other)) => one == other,
        (_, _) => false,
    }
}

fn sync_folder(path: &Path) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    File::open(folder)?.sync_all()
}

#[cfg(test)]
mod tests {
    use crate::store::conformance::samples::{DEVICE, add_tasks, everything};
    use crate::store::conformance::strategies::block_on;
    use crate::store::sqlite::SqliteStore;
    use crate::store::{Change, Store as _, Which};

    use super::*;

    struct Scene {
        folder: tempfile::TempDir,
    }

    impl Scene {
        /// A copy of a store with three tasks, and a database with one that was killed, so that it has a log.
        fn new() -> Self {
            let folder = tempfile::tempdir().unwrap();
            let scene = Self { folder };
            let other = SqliteStore::open(&scene.path("other.db"), DEVICE).unwrap();
            block_on(add_tasks(&other, 3));
            other.backup(&scene.path("copy.db")).unwrap();
            other.close();
            let live = SqliteStore::open(&scene.path("live.db"), DEVICE).unwrap();
            block_on(add_tasks(&live, 1));
            for suffix in ["", "-wal"] {
                fs::copy(scene.path(&format!("live.db{suffix}")), scene.path(&format!("keiko.db{suffix}"))).unwrap();
            }
            live.close();
            scene
        }

        fn path(&self, name: &str) -> PathBuf {
            self.folder.path().join(name)
        }

        fn restore(&self, done: &mut dyn FnMut(Step)) -> Result<(Copied, Former), Fault> {
            let (copy, database, kept) = (self.path("copy.db"), self.path("keiko.db"), self.path("backups/kept.db"));
            in_steps(&copy, &database, (&kept, "2026"), Timestamp::MAX, done)
        }
    }

    fn tasks(path: &Path) -> usize {
        SqliteStore::open(path, DEVICE).unwrap().list(Which::All).unwrap().len()
    }

    #[test]
    fn a_copy_takes_the_place_of_the_database_which_is_kept() {
        let scene = Scene::new();
        let (copied, former) = scene.restore(&mut |_| {}).unwrap();
        assert_eq!((copied.tasks, copied.overdue > 0), (3, true));
        assert_eq!(former, Former::Kept(scene.path("backups/kept.db")));
        assert_eq!((tasks(&scene.path("keiko.db")), tasks(&scene.path("backups/kept.db"))), (3, 1));
        assert!(!scene.path("keiko.db.restore").exists());
        let (one, other) = (SqliteStore::open(&scene.path("keiko.db"), DEVICE).unwrap(), scene.path("other.db"));
        let other = SqliteStore::open(&other, DEVICE).unwrap();
        // That it was restored is all that it knows besides.
        let noted = one.op_to_undo().unwrap().unwrap();
        assert_eq!((noted.verb.as_str(), Path::new(&noted.title)), (RESTORE, scene.path("backups/kept.db").as_path()));
        block_on(other.commit(Change { ops: vec![noted], ..Change::default() })).unwrap();
        assert_eq!(everything(&one), everything(&other));
    }

    #[test]
    fn a_kill_at_any_step_leaves_one_whole_database() {
        let scene = Scene::new();
        let mut seen = Vec::new();
        let mut killed = |step: Step| {
            let at_kill = tempfile::tempdir().unwrap();
            for name in ["keiko.db", "keiko.db-wal", "keiko.db-shm", "keiko.db.restore"] {
                let _ = fs::copy(scene.path(name), at_kill.path().join(name));
            }
            seen.push((step, tasks(&at_kill.path().join("keiko.db"))));
            // What the kill left does not keep the next attempt from its work.
            let (database, kept) = (at_kill.path().join("keiko.db"), at_kill.path().join("kept.db"));
            in_steps(&scene.path("copy.db"), &database, (&kept, "2026"), Timestamp::MIN, &mut |_| {}).unwrap();
            assert_eq!(tasks(&database), 3);
        };
        scene.restore(&mut killed).unwrap();
        assert_eq!(seen, [(Step::Drafted, 1), (Step::Kept, 1), (Step::Merged, 1), (Step::Replaced, 3)]);
    }

    #[track_caller]
    fn check_refused(spoil: impl Fn(&Path), expected: &str) {
        let scene = Scene::new();
        spoil(&scene.path("copy.db"));
        let before = fs::read(scene.path("keiko.db")).unwrap();
        let database = scene.path("keiko.db");
        let error =
            restore(&scene.path("copy.db"), &database, &scene.path("kept.db"), "2026", Timestamp::MIN).unwrap_err();
        let text = error.to_string();
        assert!(text.contains(expected), "{text}");
        assert_eq!(fs::read(scene.path("keiko.db")).unwrap(), before);
        assert_eq!(tasks(&database), 1);
        assert!(!scene.path("keiko.db.restore").exists() && !scene.path("kept.db").exists());
    }

    #[test]
    fn what_is_no_whole_copy_of_a_known_version_is_refused_and_changes_nothing() {
        check_refused(|copy| fs::write(copy, "no database, whatever its name").unwrap(), "not a database");
        check_refused(|copy| fs::write(copy, "").unwrap(), "there is nothing in it");
        check_refused(|copy| fs::remove_file(copy).unwrap(), "No such file");
        let broken = |copy: &Path| {
            let mut bytes = fs::read(copy).unwrap();
            bytes[4096..].iter_mut().for_each(|byte| *byte = 0x5a);
            fs::write(copy, bytes).unwrap();
        };
        check_refused(broken, "damaged");
        let newer = |copy: &Path| {
            let sql =
                "INSERT INTO refinery_schema_history (version, name, applied_on, checksum) VALUES (77, 'x', 'x', '1')";
            Connection::open(copy).unwrap().execute(sql, []).unwrap();
        };
        check_refused(newer, "its schema is version 77");
        let foreign = |copy: &Path| {
            fs::remove_file(copy).unwrap();
            Connection::open(copy).unwrap().execute_batch("CREATE TABLE tasks (x)").unwrap();
        };
        check_refused(foreign, "another program");
        let changed =
            |sql: &'static str| move |copy: &Path| Connection::open(copy).unwrap().execute_batch(sql).unwrap();
        let trigger = changed("CREATE TRIGGER evil AFTER INSERT ON tasks BEGIN DELETE FROM tasks; END");
        check_refused(trigger, "there is trigger evil, unlike in what Keiko makes");
        let view = changed("DROP TABLE pauses; CREATE VIEW pauses AS SELECT 1 AS id");
        check_refused(view, "there is no table pauses");
        let orphans = changed("PRAGMA foreign_keys = OFF; DELETE FROM occurrences");
        check_refused(orphans, "that are not there");
    }

    #[test]
    fn a_database_that_another_program_reads_is_whole_and_stays_where_it_is() {
        let scene = Scene::new();
        let reader = Connection::open(scene.path("keiko.db")).unwrap();
        reader.execute_batch("BEGIN; SELECT count(*) FROM tasks").unwrap();
        let fault = scene.restore(&mut |_| {}).unwrap_err();
        let error = fault.into_store_error("restore", "copy.db").to_string();
        assert!(error.contains("cannot keep") && error.contains("another program"), "{error}");
        drop(reader);
        let names: Vec<String> = fs::read_dir(scene.folder.path())
            .unwrap()
            .map(|it| it.unwrap().file_name().into_string().unwrap())
            .collect();
        assert!(!names.iter().any(|name| name.contains("corrupt") || name.contains("restore")), "{names:?}");
        assert_eq!(fs::read_dir(scene.path("backups")).unwrap().count(), 0);
        assert_eq!(tasks(&scene.path("keiko.db")), 1);
    }

    #[test]
    fn a_database_that_another_program_has_to_itself_is_not_waited_for_for_ever() {
        let scene = Scene::new();
        let writer = Connection::open(scene.path("copy.db")).unwrap();
        writer.execute_batch("BEGIN EXCLUSIVE").unwrap();
        let source = Connection::open(scene.path("copy.db")).unwrap();
        source.busy_timeout(std::time::Duration::ZERO).unwrap();
        let error = backup::copy(&source, &scene.path("backups/kept.db")).unwrap_err();
        assert!(error.into_store_error("keep", "x").to_string().contains("another program"));
        assert!(!scene.path("backups/kept.db").exists());
    }

    #[test]
    fn nothing_is_left_beside_a_copy_that_is_looked_at() {
        let scene = Scene::new();
        let folder = tempfile::tempdir().unwrap();
        let copy = folder.path().join("a copy.db");
        fs::copy(scene.path("copy.db"), &copy).unwrap();
        // As one that was copied while it was a database that is in use.
        let connection = Connection::open(&copy).unwrap();
        connection.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(())).unwrap();
        connection.close().unwrap();
        assert_eq!(check(&copy, &scene.path("keiko.db"), Timestamp::MAX).unwrap().tasks, 3);
        let names: Vec<_> = fs::read_dir(folder.path()).unwrap().map(|it| it.unwrap().file_name()).collect();
        assert_eq!(names, ["a copy.db"]);
    }

    #[test]
    fn a_database_that_cannot_be_read_is_set_aside_whole() {
        let scene = Scene::new();
        // Else the log would still have all of it.
        fs::remove_file(scene.path("keiko.db-wal")).unwrap();
        fs::write(scene.path("keiko.db"), "spoilt by something else, at some length, so that it is no database")
            .unwrap();
        let (_, former) = scene.restore(&mut |_| {}).unwrap();
        assert!(matches!(former, Former::SetAside(_)), "{former:?}");
        assert_eq!(tasks(&scene.path("keiko.db")), 3);
    }

    #[test]
    fn where_there_was_none_the_copy_is_all_there_is() {
        let scene = Scene::new();
        fs::remove_file(scene.path("keiko.db")).unwrap();
        fs::remove_file(scene.path("keiko.db-wal")).unwrap();
        assert_eq!(scene.restore(&mut |_| {}).unwrap().1, Former::None);
        assert_eq!(tasks(&scene.path("keiko.db")), 3);
        let same = in_steps(
            &scene.path("keiko.db"),
            &scene.path("keiko.db"),
            (&scene.path("kept.db"), "2026"),
            Timestamp::MIN,
            &mut |_| {},
        );
        assert!(same.is_err());
        assert_eq!(tasks(&scene.path("keiko.db")), 3);
    }
}
