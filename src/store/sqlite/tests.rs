//! What only a store in a file can show: its file, its threads, and that it agrees with the store in memory.

use std::path::PathBuf;

use proptest::prelude::*;
use proptest::test_runner::Config;
use rusqlite::StatementStatus;
use tempfile::TempDir;

use crate::store::conformance::samples::{DEVICE, add_tasks, added, change, everything, snapshot, states, task_id};
use crate::store::conformance::strategies::{self, block_on};
use crate::store::conformance::{Fixture, conformance};
use crate::store::memory::MemoryStore;

use super::*;

struct InDirectory {
    store: SqliteStore,
    directory: TempDir,
}

impl InDirectory {
    fn path(&self) -> PathBuf {
        self.directory.path().join("keiko.db")
    }
}

impl Fixture for InDirectory {
    type Store = SqliteStore;

    fn open() -> Self {
        let directory = tempfile::tempdir().unwrap();
        Self { store: SqliteStore::open(&directory.path().join("keiko.db"), DEVICE).unwrap(), directory }
    }

    fn store(&self) -> &SqliteStore {
        &self.store
    }

    fn reopen(self) -> Self {
        let path = self.path();
        drop(self.store);
        // Another device id, which an existing database must not take.
        let store = SqliteStore::open(&path, Uuid::from_u128(99)).unwrap();
        Self { store, directory: self.directory }
    }
}

conformance! { InDirectory }

/// A store as on a full disk: with one connection for all.
struct Alone(InDirectory);

impl Alone {
    fn at(path: &Path, device: Uuid) -> SqliteStore {
        SqliteStore::open_as(path, device, Sharing::Alone).unwrap()
    }
}

impl Fixture for Alone {
    type Store = SqliteStore;

    fn open() -> Self {
        let directory = tempfile::tempdir().unwrap();
        Self(InDirectory { store: Self::at(&directory.path().join("keiko.db"), DEVICE), directory })
    }

    fn store(&self) -> &SqliteStore {
        &self.0.store
    }

    fn reopen(self) -> Self {
        let path = self.0.path();
        drop(self.0.store);
        let store = Self::at(&path, Uuid::from_u128(99));
        Self(InDirectory { store, directory: self.0.directory })
    }
}

mod alone {
    use super::*;

    conformance! { Alone }

    #[test]
    fn it_has_no_shared_memory_file_and_can_be_shared_the_next_time() {
        let fixture = Alone::open();
        block_on(add_tasks(fixture.store(), 3));
        assert!(!beside(&fixture.0.path(), "-shm").exists());
        let before = everything(fixture.store());
        let fixture = fixture.0.reopen();
        assert_eq!(everything(&fixture.store), before);
        assert!(beside(&fixture.path(), "-shm").exists());
    }

    #[test]
    fn a_newer_schema_is_refused_and_its_files_left_as_they_were() {
        let fixture = closed_with_tasks();
        let newer = raw(&fixture.path());
        newer.execute_batch(NEWER).unwrap();
        let killed = fixture.directory.path().join("killed.db");
        copy_as_killed(&fixture.path(), &killed);
        let files = || ["", "-wal"].map(|suffix| std::fs::read(beside(&killed, suffix)).unwrap());
        let before = files();
        let fault = SqliteStore::open_as(&killed, DEVICE, Sharing::Alone).unwrap_err();
        assert!(matches!(fault, Fault::Newer { found: 77, known: 14 }), "{fault}");
        assert!(files() == before, "a file was changed");
    }
}

fn raw(path: &Path) -> Connection {
    Connection::open(path).unwrap()
}

fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

/// Copies the files as a kill at this moment would leave them.
fn copy_as_killed(path: &Path, to: &Path) {
    for suffix in ["", "-wal", "-journal"] {
        if beside(path, suffix).exists() {
            std::fs::copy(beside(path, suffix), beside(to, suffix)).unwrap();
        }
    }
}

/// Makes a database with three tasks and closes it.
fn closed_with_tasks() -> InDirectory {
    let fixture = InDirectory::open();
    block_on(add_tasks(&fixture.store, 3));
    fixture.store.close();
    fixture
}

#[track_caller]
fn check_refused_untouched(path: &Path, is_expected: impl Fn(&StoreError) -> bool) {
    let before = std::fs::read(path).unwrap();
    let error = SqliteStore::open(path, DEVICE).unwrap_err();
    assert!(is_expected(&error), "{error}");
    assert!(std::fs::read(path).unwrap() == before, "the file was changed");
}

const fn is_newer(error: &StoreError) -> bool {
    matches!(error, StoreError::Newer { found: 77, known: 14, .. })
}

const NEWER: &str = "INSERT INTO refinery_schema_history VALUES (77, 'later', '2030-01-01T00:00:00Z', '1');";

#[test]
fn a_database_of_another_build_is_refused_as_such_and_left_as_it_was() {
    let fixture = closed_with_tasks();
    let is_other = |error: &StoreError| {
        let text = error.to_string();
        matches!(error, StoreError::OtherBuild { .. }) && text.contains("another build of Keiko made it")
    };
    let sql = "UPDATE refinery_schema_history SET checksum = '1' WHERE version = 13";
    raw(&fixture.path()).execute_batch(sql).unwrap();
    check_refused_untouched(&fixture.path(), is_other);
    // One of them is not there.
    let fixture = closed_with_tasks();
    raw(&fixture.path()).execute_batch("UPDATE refinery_schema_history SET name = 'other' WHERE version = 14").unwrap();
    check_refused_untouched(&fixture.path(), is_other);
}

/// I8: a database of another version is refused with what to do, and untouched.
#[test]
fn a_newer_schema_is_refused_and_its_file_left_as_it_was() {
    let fixture = closed_with_tasks();
    raw(&fixture.path()).execute_batch(NEWER).unwrap();
    check_refused_untouched(&fixture.path(), is_newer);
    raw(&fixture.path()).execute_batch("PRAGMA journal_mode = DELETE").unwrap();
    check_refused_untouched(&fixture.path(), is_newer);
}

#[test]
fn a_newer_schema_that_a_crash_left_in_the_log_is_refused() {
    let fixture = closed_with_tasks();
    let newer = raw(&fixture.path());
    newer.execute_batch(NEWER).unwrap();
    let killed = fixture.directory.path().join("killed.db");
    copy_as_killed(&fixture.path(), &killed);
    let log = std::fs::read(beside(&killed, "-wal")).unwrap();
    assert!(!log.is_empty());
    check_refused_untouched(&killed, is_newer);
    assert!(std::fs::read(beside(&killed, "-wal")).unwrap() == log, "the log was changed");
}

#[test]
fn a_file_that_is_no_database_is_refused_and_left_as_it_was() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("keiko.db");
    std::fs::write(&path, "these are not the bytes of a database, but a letter of some length".repeat(99)).unwrap();
    check_refused_untouched(&path, |error| {
        let told = error.to_string();
        matches!(error, StoreError::Damaged { .. }) && told.ends_with("the database is damaged: file is not a database")
    });
}

#[test]
fn a_database_of_another_program_is_refused_and_left_as_it_was() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("keiko.db");
    raw(&path).execute_batch("CREATE TABLE tasks (id); PRAGMA user_version = 3").unwrap();
    check_refused_untouched(&path, |error| error.to_string().ends_with("it is a database of another program"));
}

#[test]
fn a_damaged_database_gives_errors_and_no_panic() {
    let fixture = closed_with_tasks();
    let bytes = std::fs::read(fixture.path()).unwrap();
    let pages = bytes.len() / 4096;
    let mut failures = 0;
    for page in 0..pages {
        let mut damaged = bytes.clone();
        damaged[page * 4096..(page + 1) * 4096].fill(0xa5);
        let path = fixture.directory.path().join(format!("damaged-{page}.db"));
        std::fs::write(&path, damaged).unwrap();
        let outcome = SqliteStore::open(&path, DEVICE).and_then(|store| {
            store.identity()?;
            store.list(Which::All)?;
            store.events_since(0, 10)?;
            store.wakes()
        });
        if let Err(error) = outcome {
            assert!(matches!(error, StoreError::Broken { .. } | StoreError::Damaged { .. }), "{error}");
            failures += 1;
        }
    }
    // Pages of empty tables and of indexes that are not asked are not noticed.
    assert!(failures >= 5, "{failures} of {pages}");
}

#[test]
fn a_schema_is_made_whole_or_not_at_all() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("keiko.db");
    let mut connection = raw(&path);
    connection.execute_batch("PRAGMA journal_mode = WAL").unwrap();
    let broken = [schema::MIGRATIONS[0], ("V2__broken", "CREATE TABLE more (id); CREATE TABLE more (id);")];
    schema::migrate(&mut connection, DEVICE, &broken).unwrap_err();
    let count = |connection: &Connection| {
        connection.query_row("SELECT count(*) FROM sqlite_master", [], |row| row.get::<_, i64>(0)).unwrap()
    };
    assert_eq!(count(&connection), 0);
    // The same seen by a process that was killed inside the transaction.
    connection.execute_batch("BEGIN IMMEDIATE; PRAGMA cache_size = 1; CREATE TABLE half (id);").unwrap();
    let killed = directory.path().join("killed.db");
    copy_as_killed(&path, &killed);
    assert_eq!(count(&raw(&killed)), 0);
    let store = SqliteStore::open(&killed, DEVICE).unwrap();
    assert_eq!(store.identity().unwrap().device, DEVICE);
}

#[test]
fn a_newer_migration_leaves_what_was_stored() {
    let fixture = closed_with_tasks();
    let next = ("V99__more", "ALTER TABLE tasks ADD COLUMN colour TEXT;");
    schema::migrate(&mut raw(&fixture.path()), DEVICE, &[schema::MIGRATIONS, &[next]].concat()).unwrap();
    let tasks: i64 = raw(&fixture.path())
        .query_row("SELECT count(*) FROM tasks WHERE colour IS NULL", [], |row| row.get(0))
        .unwrap();
    assert_eq!(tasks, 3);
}

/// I8: what the first version wrote is read, and its deliveries go on as they were.
#[test]
fn a_database_of_the_first_version_opens_with_what_it_held() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("keiko.db");
    let mut connection = raw(&path);
    connection.execute_batch("PRAGMA journal_mode = WAL").unwrap();
    schema::migrate(&mut connection, DEVICE, &schema::MIGRATIONS[..1]).unwrap();
    // A row as the first version wrote it: every column that it had.
    let rows = "INSERT INTO tasks VALUES (1, x'0190aaaa000070008000000000000001', 1, 'tea', '', NULL, 'normal', '[]', \
         '{}', '[]', '[0]', '', 'none', NULL, NULL, NULL, NULL, NULL, NULL, NULL, 1, 1, NULL, NULL, NULL, NULL, NULL, NULL, \
         NULL, 'once', 1, 'CREATED', NULL);
         INSERT INTO occurrences (task, key, generation, opened_seq, spoken_ms, state) \
         VALUES (x'0190aaaa000070008000000000000001', 'once', 1, 1, '[]', 'CREATED');
         INSERT INTO deliveries VALUES (1, x'00000000000000000000000000000009', 'webhook', 'ops', \
         x'0190aaaa000070008000000000000001', 'once', 1, 1, 'tea', '', 'normal', NULL, \
         x'00000000000000000000000000000005', 'alert', 0, 1, 0, NULL, NULL, '', '[]', '{}', 'retrying', 77, 2, 1, 'no');
         UPDATE meta SET next_number = 2;";
    let written = connection.execute_batch(&format!("BEGIN; {rows} COMMIT;"));
    written.unwrap();
    drop(connection);
    let store = SqliteStore::open(&path, DEVICE).unwrap();
    let task = store.list(Which::All).unwrap().remove(0).task;
    assert_eq!((task.details.max_retries, task.details.max_late), (None, None));
    let delivery = store.outbox().unwrap().remove(0);
    assert_eq!((delivery.attempts, delivery.frozen, delivery.expires_at), (2, None, None));
}

#[test]
fn migrations_are_numbered_from_one_without_gaps() {
    for (number, (name, _)) in (1..).zip(schema::MIGRATIONS) {
        assert!(name.starts_with(&format!("V{number}__")), "{name}");
    }
}

#[test]
fn a_crash_in_rollback_mode_is_rolled_back() {
    let fixture = closed_with_tasks();
    let connection = raw(&fixture.path());
    let crash = "PRAGMA journal_mode = DELETE; PRAGMA cache_size = 1; PRAGMA cache_spill = 1; BEGIN IMMEDIATE; \
        UPDATE tasks SET notes = hex(zeroblob(100000)); UPDATE meta SET last_seq = 99;";
    connection.execute_batch(crash).unwrap();
    let killed = fixture.directory.path().join("killed.db");
    copy_as_killed(&fixture.path(), &killed);
    assert!(beside(&killed, "-journal").metadata().unwrap().len() > 0);
    let store = SqliteStore::open(&killed, DEVICE).unwrap();
    assert_eq!(store.identity().unwrap().last_seq, 3);
    assert_eq!(store.list(Which::All).unwrap()[0].task.details.notes, "");
}

#[test]
fn a_kill_after_a_commit_loses_nothing() {
    let fixture = InDirectory::open();
    let mut last = String::new();
    for round in 1..=5 {
        let next = snapshot(round, 13, states().remove(1));
        block_on(fixture.store.commit(change([added(round.into(), &next)]))).unwrap();
        let killed = fixture.directory.path().join(format!("killed-{round}.db"));
        copy_as_killed(&fixture.path(), &killed);
        last = everything(&SqliteStore::open(&killed, DEVICE).unwrap());
        let check: String = raw(&killed).query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
        assert_eq!(check, "ok");
    }
    assert_eq!(last, everything(&fixture.store));
}

#[test]
fn readers_answer_while_a_write_is_under_way() {
    let fixture = InDirectory::open();
    block_on(add_tasks(&fixture.store, 3));
    let before = everything(&fixture.store);
    let writer = raw(&fixture.path());
    writer.execute_batch("BEGIN IMMEDIATE; UPDATE tasks SET title = 'half'; UPDATE meta SET zone = 'half'").unwrap();
    // Every question, from more threads than there are connections.
    std::thread::scope(|scope| {
        for _ in 0..16 {
            scope.spawn(|| assert_eq!(everything(&fixture.store), before));
        }
    });
    writer.execute_batch("ROLLBACK").unwrap();
}

#[test]
fn events_are_neither_changed_nor_removed() {
    let fixture = InDirectory::open();
    block_on(add_tasks(&fixture.store, 2));
    let connection = raw(&fixture.path());
    for (sql, reason) in [
        ("UPDATE events SET reason = 'other'", "events are never changed"),
        ("DELETE FROM events WHERE seq = 1", "events are never removed"),
    ] {
        assert_eq!(connection.execute(sql, []).unwrap_err().to_string(), reason);
    }
}

#[cfg(unix)]
#[test]
fn the_files_are_for_their_owner_only() {
    use std::os::unix::fs::PermissionsExt;

    let fixture = InDirectory::open();
    block_on(add_tasks(&fixture.store, 1));
    fixture.store.list(Which::All).unwrap();
    for suffix in ["", "-wal", "-shm"] {
        let mode = beside(&fixture.path(), suffix).metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{suffix}");
    }
}

#[test]
fn a_closed_store_refuses_and_leaves_the_database_and_the_reserve() {
    let fixture = closed_with_tasks();
    assert!(matches!(block_on(fixture.store.commit(Change::default())), Err(StoreError::Closed)));
    assert!(matches!(fixture.store.list(Which::All), Err(StoreError::Closed)));
    fixture.store.close();
    let files: Vec<_> = fixture.directory.path().read_dir().unwrap().map(|file| file.unwrap().file_name()).collect();
    let files: std::collections::BTreeSet<_> = files.into_iter().collect();
    assert_eq!(files.iter().collect::<Vec<_>>(), ["keiko.db", "keiko.reserve"]);
}

#[test]
fn a_change_handed_over_before_the_store_is_dropped_is_written() {
    let fixture = InDirectory::open();
    let commit = fixture.store.commit(change([added(1, &snapshot(1, 13, states().remove(1)))]));
    let fixture = fixture.reopen();
    assert_eq!(block_on(commit).unwrap().last_seq, 1);
    assert_eq!(fixture.store.identity().unwrap().last_seq, 1);
}

#[test]
fn a_full_disk_refuses_the_change_and_the_next_one_passes_when_there_is_room() {
    let fixture = closed_with_tasks();
    let mut connection = schema::open(&fixture.path(), DEVICE, Sharing::Shared).unwrap();
    connection.execute_batch("PRAGMA max_page_count = 1").unwrap();
    let mut large = snapshot(4, 13, states().remove(1));
    large.task.details.notes = "x".repeat(1 << 20);
    let large = change([added(4, &large)]);
    let error = write::commit(&mut connection, &large).unwrap_err().into_store_error("write", "keiko.db");
    assert_eq!(error.to_string(), "cannot write keiko.db: the disk is full, no space left on the device");
    assert_eq!(read::identity(&connection).unwrap().last_seq, 3);
    connection.execute_batch("PRAGMA max_page_count = 1000000").unwrap();
    assert_eq!(write::commit(&mut connection, &large).unwrap().last_seq, 4);
}

#[test]
fn a_missing_directory_is_named() {
    let directory = tempfile::tempdir().unwrap();
    let error = SqliteStore::open(&directory.path().join("none/keiko.db"), DEVICE).unwrap_err().to_string();
    assert!(error.starts_with("cannot open ") && error.contains("none/keiko.db: No such file"), "{error}");
}

#[test]
fn a_word_of_another_version_is_named_with_its_row() {
    let fixture = InDirectory::open();
    block_on(add_tasks(&fixture.store, 3));
    let connection = raw(&fixture.path());
    let check = |sql: &str, expected: &str| {
        connection.execute_batch(sql).unwrap();
        let error = fixture.store.list(Which::All).unwrap_err().to_string();
        assert!(error.ends_with(expected), "{error}");
    };
    check(
        "UPDATE tasks SET priority = 'urgent' WHERE number = 3",
        "task 3: expected a known word in priority, found \"urgent\"",
    );
    check(
        "UPDATE tasks SET schedule_kind = 'lunar' WHERE number = 2",
        "task 2: expected a known word in schedule_kind, found \"lunar\"",
    );
    check("UPDATE occurrences SET state = 'ASLEEP'", "task 1: expected a known word in state, found \"ASLEEP\"");
    check("UPDATE occurrences SET state = 'FAILED'", "task 1: expected a value in failed_at, found nothing");
    check("UPDATE tasks SET tags = '['", "task 1: cannot read tags: EOF while parsing a list at line 1 column 1");
}

#[test]
fn an_unknown_field_is_passed_over_and_an_unknown_operation_is_named() {
    let fixture = InDirectory::open();
    block_on(add_tasks(&fixture.store, 1));
    let before = fixture.store.history(task_id(1)).unwrap();
    let connection = raw(&fixture.path());
    connection.execute_batch("DROP TRIGGER events_are_not_updated").unwrap();
    let more = "UPDATE events SET snapshot = json_set(snapshot, '$.task.colour', 'red', '$.mood', json('[1]')), \
        operation_values = json_set(operation_values, '$.snapshot.occurrence.state.speed', 3)";
    connection.execute_batch(more).unwrap();
    assert_eq!(fixture.store.history(task_id(1)).unwrap(), before);
    connection.execute_batch("UPDATE events SET operation = 'teleported'").unwrap();
    let error = fixture.store.events_since(0, 10).unwrap_err().to_string();
    assert!(error.ends_with("event 1: expected a known word in operation, found \"teleported\""), "{error}");
}

#[test]
fn questions_are_answered_by_indexes() {
    let fixture = closed_with_tasks();
    let connection = raw(&fixture.path());
    let plan = |sql: &str| {
        let sql = ["?1", "?2", "?3"].into_iter().fold(sql.to_owned(), |sql, value| sql.replace(value, "0"));
        let mut statement = connection.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap();
        let steps = statement.query_map([], |row| row.get::<_, String>(3)).unwrap();
        steps.collect::<Result<Vec<_>, _>>().unwrap().join("; ")
    };
    let open = plan(&format!("SELECT * {} {} WHERE {} ORDER BY number", read::OPEN, read::PRESENT, read::IS_OPEN));
    let look_up = "SEARCH occurrences USING PRIMARY KEY (task=? AND key=? AND generation=?)";
    assert_eq!(open, format!("SCAN tasks USING INDEX tasks_open; {look_up}"));
    let outbox = plan(&format!("SELECT * FROM deliveries WHERE {} ORDER BY position", outbox::IS_IN_OUTBOX));
    assert_eq!(outbox, "SCAN deliveries USING INDEX deliveries_open");
    let held = "channel = 'webhook' AND address = 'a' ORDER BY position LIMIT 1";
    let held = plan(&format!("SELECT * FROM deliveries WHERE {} AND {held}", outbox::IS_HELD));
    assert_eq!(held, "SEARCH deliveries USING INDEX deliveries_held (channel=? AND address=?)");
    let history = plan("SELECT * FROM events WHERE task = x'' ORDER BY seq");
    assert_eq!(history, "SEARCH events USING INDEX events_by_task (task=?)");
    let missed = plan(&format!("SELECT * {} ORDER BY at DESC, seq DESC LIMIT 5", read::MISSED_SINCE));
    assert_eq!(missed, "SEARCH events USING INDEX events_missed (at>?)");
    let members = plan(&format!("SELECT * FROM deliveries WHERE {} ORDER BY position", outbox::IS_MEMBER));
    assert_eq!(members, "SEARCH deliveries USING INDEX deliveries_by_digest (digest=? AND channel=? AND address=?)");
}

#[test]
fn what_comes_next_is_found_along_an_index_and_sorted_by_nobody() {
    let fixture = closed_with_tasks();
    let connection = raw(&fixture.path());
    for sql in [read::NEXT_WAKE, read::NEXT_COMING] {
        let mut statement = connection.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap();
        let steps: Vec<String> = statement.query_map([], |row| row.get(3)).unwrap().collect::<Result<_, _>>().unwrap();
        assert_eq!(steps, ["SEARCH tasks USING INDEX tasks_by_next_wake (next_wake_at>?)"]);
    }
}

/// The lock of each directory keeps a second daemon from its own database, not from what that leads to.
#[test]
fn a_database_that_is_a_link_is_refused() {
    let fixture = closed_with_tasks();
    let link = fixture.path().with_file_name("link.db");
    std::os::unix::fs::symlink(fixture.path(), &link).unwrap();
    let error = SqliteStore::open(&link, DEVICE).err().unwrap().to_string();
    assert!(error.contains("it is a link to") && error.contains("KEIKO_DATA_DIR"), "{error}");
}

/// Whoever has a database made by an earlier build would be refused: each stays as it was, and another follows.
#[test]
fn a_migration_is_never_edited() {
    let migrations =
        schema::MIGRATIONS.iter().map(|(name, sql)| refinery_core::Migration::unapplied(name, sql).unwrap());
    let told: Vec<String> = migrations.map(|one| format!("{one} {}", one.checksum())).collect();
    insta::assert_snapshot!(told.join("\n"), @"
    V1__initial 15615605543055268701
    V2__deliveries 3180988899024572884
    V3__life 2402798333923475672
    V4__device_events 4886860181255757014
    V5__digests 11801825382745070276
    V6__waits 15474180855587638958
    V7__scope 14432841068616750269
    V8__quiet 5715718736554545044
    V9__undo 11666815184406508299
    V10__receipts 10948565227908487272
    V11__runs 514678115197741406
    V12__quick_outbox 5219017960445913150
    V13__imports 6469946412985732172
    V14__exhausted 9592098120409119101
    ");
}

/// Compiled for each value anew, a look-up costs many times what it costs to run.
#[test]
fn a_look_up_is_compiled_once_for_all_values() {
    let fixture = closed_with_tasks();
    let connection = schema::open_reader(&fixture.path()).unwrap();
    for number in 1..=3 {
        read::snapshot(&connection, task_id(number)).unwrap();
    }
    let (task, occurrence, present) = (columns::TASK, columns::OCCURRENCE, read::PRESENT);
    let sql = format!("SELECT {task}, {occurrence} FROM tasks {present} WHERE tasks.id = ?1");
    let statement = connection.prepare_cached(&sql).unwrap();
    let status = |status| statement.get_status(status);
    assert_eq!((status(StatementStatus::Run), status(StatementStatus::RePrepare)), (3, 0));
}

/// Writing a task costs the same however many deliveries there ever were.
#[test]
fn a_task_is_written_without_a_look_at_what_refers_to_it() {
    let fixture = closed_with_tasks();
    let connection = raw(&fixture.path());
    connection.pragma_update(None, "foreign_keys", true).unwrap();
    let sql = "SELECT rootpage FROM sqlite_schema WHERE tbl_name = 'deliveries' AND rootpage > 0";
    let mut statement = connection.prepare(sql).unwrap();
    let of_deliveries: Vec<i64> = statement.query_map([], |row| row.get(0)).unwrap().collect::<Result<_, _>>().unwrap();
    assert!(of_deliveries.len() > 2, "the table and its indexes");
    let mut statement = connection.prepare(&format!("EXPLAIN {}", *columns::UPSERT_TASK)).unwrap();
    let values = rusqlite::params_from_iter(vec![rusqlite::types::Null; statement.parameter_count()]);
    let steps = statement.query_map(values, |row| Ok((row.get::<_, String>(1)?, row.get::<_, i64>(3)?))).unwrap();
    let steps: Vec<(String, i64)> = steps.collect::<Result<_, _>>().unwrap();
    let opens_deliveries = |(opcode, root): &(String, i64)| opcode.starts_with("Open") && of_deliveries.contains(root);
    // Where a new task could mend a reference of the same statement it is looked for; there are none.
    let is_over = |(opcode, target): &(String, i64), at: usize| {
        opcode == "FkIfZero" && usize::try_from(*target).is_ok_and(|target| target > at)
    };
    let is_guarded = |at: usize| steps[..at].iter().any(|step| is_over(step, at));
    let unguarded: Vec<usize> =
        (0..steps.len()).filter(|at| opens_deliveries(&steps[*at]) && !is_guarded(*at)).collect();
    assert!(unguarded.is_empty(), "{unguarded:?} of {steps:?}");
}

/// A partial index whose condition is a list of more than two words costs a table of its own for each row, and most of the
/// time that writing takes.
#[test]
fn a_row_is_written_without_a_table_of_its_own() {
    let fixture = closed_with_tasks();
    let connection = raw(&fixture.path());
    connection.pragma_update(None, "foreign_keys", true).unwrap();
    let in_place = &columns::UPSERT_TASK_IN_PLACE;
    for sql in [&columns::UPSERT_TASK, in_place, &columns::UPSERT_OCCURRENCE, &outbox::UPSERT_DELIVERY] {
        let mut statement = connection.prepare(&format!("EXPLAIN {}", **sql)).unwrap();
        let values = rusqlite::params_from_iter(vec![rusqlite::types::Null; statement.parameter_count()]);
        let steps = statement.query_map(values, |row| row.get::<_, String>(1)).unwrap();
        let opened: Vec<String> = steps.map(Result::unwrap).filter(|opcode| opcode == "OpenEphemeral").collect();
        assert_eq!(opened, Vec::<String>::new(), "{}", **sql);
    }
}

proptest! {
    #![proptest_config(Config { cases: 12, ..Config::default() })]

    #[test]
    fn both_stores_answer_any_changes_alike(batches in strategies::batches()) {
        let (memory, fixture) = (MemoryStore::new(DEVICE), InDirectory::open());
        let mut last_id = 0;
        for steps in batches {
            let change = strategies::change_of(&memory, steps, &mut last_id);
            let of_memory = block_on(memory.commit(change.clone()));
            let of_sqlite = block_on(fixture.store.commit(change));
            prop_assert_eq!(of_memory.as_ref().ok(), of_sqlite.as_ref().ok(), "{:?} {:?}", &of_memory, &of_sqlite);
            prop_assert_eq!(everything(&memory), everything(&fixture.store));
        }
        let fixture = fixture.reopen();
        prop_assert_eq!(everything(&memory), everything(&fixture.store));
    }
}
