//! How do lines become a database again? In a file of their own beside the store's, of the version of the schema that the
//! header names, then brought forward and checked whole. Nothing of it is in the store before that.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rusqlite::types::Value;
use rusqlite::{Connection, OpenFlags, OptionalExtension, params_from_iter};
use serde::Deserialize;
use serde_json::value::RawValue;
use uuid::Uuid;

use crate::domain::device_event::AnyEvent;
use crate::domain::occurrence::OccurrenceName;
use crate::domain::outbox::{DeliveryFilter, Statuses};
use crate::domain::task::{Number, TaskId};
use crate::store::StoreError;
use crate::store::archive::{Staged, Staging};
use crate::store::sqlite::archive::{Column, END, FORMAT, Form, HEADER, Table, columns};
use crate::store::sqlite::columns::Columns;
use crate::store::sqlite::fault::Fault;
use crate::store::sqlite::schema::{self, MIGRATIONS};
use crate::store::sqlite::{device_events, ops, outbox, read, runs};

/// How many rows are read at once when all are checked.
const CHECKED_AT_ONCE: usize = 256;

/// What is wrong with a line.
#[derive(Debug, thiserror::Error)]
pub(crate) enum LineFault {
    /// It is no JSON.
    #[error("it is no JSON object: {source}")]
    NotJson {
        /// Why.
        source: serde_json::Error,
    },
    /// The file is none of ours.
    #[error("the file does not begin as an export of Keiko does")]
    NoHeader,
    /// The header says what is not understood.
    #[error("its form is version {found}, this program knows {FORMAT}")]
    Format {
        /// The version.
        found: u64,
    },
    /// The header names no version of the schema.
    #[error("there is no schema of version {found}")]
    Schema {
        /// The version.
        found: u32,
    },
    /// There is something behind the end.
    #[error("there is more behind the last line")]
    BehindEnd,
    /// The end is missing, or lines are.
    #[error("the file is cut off: expected {expected} lines, found {found}")]
    CutOff {
        /// How many there were.
        expected: u64,
        /// How many came.
        found: u64,
    },
    /// A line has no one word.
    #[error("it says nothing, or more than one thing")]
    NotOne,
    /// There is no such table.
    #[error("there is no {name:?}")]
    NoTable {
        /// The word.
        name: String,
    },
    /// There is no such column.
    #[error("{table} have no {column:?}")]
    NoColumn {
        /// The table.
        table: &'static str,
        /// The word.
        column: String,
    },
    /// A value is of the wrong kind.
    #[error("expected {expected} in {column}")]
    Value {
        /// Where.
        column: String,
        /// What kind.
        expected: &'static str,
    },
    /// The row fits nowhere.
    #[error("{source}")]
    Row {
        /// Why.
        source: rusqlite::Error,
    },
    /// Lines do not fit together.
    #[error("its lines do not fit together: {what}")]
    Apart {
        /// What does not.
        what: String,
    },
    /// A row says nothing that this program knows.
    #[error("{fault}")]
    Unknown {
        /// What.
        fault: Box<Fault>,
    },
}

/// The first line.
#[derive(Deserialize)]
struct Header {
    format: u64,
    schema_version: u32,
    lines: u64,
    /// An earlier program did not say it.
    #[serde(default)]
    zone: Option<String>,
}

/// The last line.
#[derive(Deserialize)]
struct End {
    lines: u64,
}

/// Lines on their way into a file.
#[derive(Debug)]
pub(crate) struct Stager {
    staged: Staged,
    _turn: Turn,
    connection: Option<Connection>,
    columns: HashMap<&'static str, Vec<Column>>,
    /// How many lines were taken.
    lines: u64,
    expected: u64,
    /// By which zone the floating times of the tasks were read.
    zone: Option<String>,
    has_ended: bool,
}

/// That one import is under way.
#[derive(Debug)]
struct Turn(Arc<AtomicBool>);

impl Turn {
    fn take(busy: &Arc<AtomicBool>) -> Result<Self, Fault> {
        match busy.compare_exchange(false, true, Ordering::AcqRel, Ordering::Acquire) {
            Ok(_) => Ok(Self(Arc::clone(busy))),
            Err(_) => Err(Fault::Refused(StoreError::Importing)),
        }
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Release);
    }
}

impl Stager {
    /// Begins with no line. `busy` is shared by all imports of a store: one is under way at a time.
    pub(crate) fn begin(database: &Path, busy: &Arc<AtomicBool>) -> Result<Self, Fault> {
        let turn = Turn::take(busy)?;
        // What a crash left of an earlier one goes.
        drop(Staged::at(place(database)));
        schema::create_private(&place(database))?;
        Ok(Self {
            staged: Staged::at(place(database)),
            _turn: turn,
            connection: None,
            columns: HashMap::new(),
            lines: 0,
            expected: 0,
            zone: None,
            has_ended: false,
        })
    }

    fn bad(&self, fault: LineFault) -> Fault {
        Fault::Refused(StoreError::BadExport { line: self.lines, source: Box::new(fault) })
    }

    fn row(&mut self, line: &str) -> Result<(), Fault> {
        self.lines += 1;
        let fault = |this: &Self, source| this.bad(LineFault::NotJson { source });
        let line: HashMap<&str, &RawValue> = serde_json::from_str(line).map_err(|source| {
            if self.connection.is_none() { self.bad(LineFault::NoHeader) } else { fault(self, source) }
        })?;
        let (Some((word, value)), 1) = (line.iter().next(), line.len()) else {
            return Err(self.bad(if self.connection.is_none() { LineFault::NoHeader } else { LineFault::NotOne }));
        };
        if self.connection.is_none() {
            if *word != HEADER {
                return Err(self.bad(LineFault::NoHeader));
            }
            let header: Header = serde_json::from_str(value.get()).map_err(|source| fault(self, source))?;
            return self.open(&header);
        }
        if self.has_ended {
            return Err(self.bad(LineFault::BehindEnd));
        }
        if *word == END {
            let end: End = serde_json::from_str(value.get()).map_err(|source| fault(self, source))?;
            (self.expected, self.has_ended) = (end.lines, true);
            return Ok(());
        }
        let table = Table::named(word).ok_or_else(|| self.bad(LineFault::NoTable { name: (*word).to_owned() }))?;
        let row: HashMap<&str, &RawValue> = serde_json::from_str(value.get()).map_err(|source| fault(self, source))?;
        self.insert(table, &row)
    }

    fn open(&mut self, header: &Header) -> Result<(), Fault> {
        if header.format != FORMAT {
            return Err(self.bad(LineFault::Format { found: header.format }));
        }
        let (found, known) = (header.schema_version, schema::known_version());
        if found > known {
            return Err(Fault::Newer { found, known });
        }
        let version = usize::try_from(found).ok().filter(|version| *version > 0);
        let migrations = version.and_then(|version| MIGRATIONS.get(..version));
        let migrations = migrations.ok_or_else(|| self.bad(LineFault::Schema { found }))?;
        self.expected = header.lines;
        self.zone.clone_from(&header.zone);
        let access = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let mut connection = Connection::open_with_flags(self.staged.path(), access)?;
        // Nobody needs it after a crash.
        connection.query_row("PRAGMA journal_mode = MEMORY", [], |_| Ok(()))?;
        connection.pragma_update(None, "synchronous", "OFF")?;
        connection.pragma_update(None, "foreign_keys", false)?;
        schema::migrate(&mut connection, Uuid::nil(), migrations)?;
        // Those of the lines take their place.
        connection.execute_batch("DELETE FROM meta; DELETE FROM devices; BEGIN")?;
        self.connection = Some(connection);
        Ok(())
    }

    fn insert(&mut self, table: &'static Table, row: &HashMap<&str, &RawValue>) -> Result<(), Fault> {
        let connection = self.connection.as_ref().expect("it is opened by the header, which comes first");
        if !self.columns.contains_key(table.name) {
            let known = columns(connection, table)?;
            self.columns.insert(table.name, known);
        }
        let known = &self.columns[table.name];
        if let Some(column) = row.keys().find(|name| known.iter().all(|known| known.name != **name)) {
            return Err(self.bad(LineFault::NoColumn { table: table.name, column: (*column).to_owned() }));
        }
        let given: Vec<&Column> = known.iter().filter(|column| row.contains_key(column.name.as_str())).collect();
        let values: Vec<Value> = given
            .iter()
            .map(|column| value(column, row[column.name.as_str()].get()).map_err(|fault| self.bad(fault)))
            .collect::<Result<_, _>>()?;
        let places = vec!["?"; given.len()].join(", ");
        let names = super::listed(given.iter().copied());
        let sql = format!("INSERT INTO {} ({names}) VALUES ({places})", table.name);
        let inserted = connection.prepare_cached(&sql).and_then(|mut it| it.execute(params_from_iter(values)));
        match inserted.map_err(Fault::from) {
            Ok(_) => Ok(()),
            Err(fault) if fault.is_full() => Err(fault),
            Err(Fault::Sqlite(source)) => Err(self.bad(LineFault::Row { source })),
            Err(fault) => Err(fault),
        }
    }

    fn check(mut self) -> Result<Staged, Fault> {
        let found = self.lines;
        if !self.has_ended || found != self.expected {
            let expected = self.expected.max(found + u64::from(!self.has_ended));
            return Err(self.bad(LineFault::CutOff { expected, found }));
        }
        let mut connection = self.connection.take().expect("the end comes behind the header");
        // Where only some tasks were exported there is none.
        connection.execute("INSERT OR IGNORE INTO devices (id) VALUES (zeroblob(16))", [])?;
        let sql = "INSERT INTO meta (one, device, next_number, last_seq, zone) SELECT 1, zeroblob(16), 1, 0, ?1 \
            WHERE NOT EXISTS (SELECT 1 FROM meta)";
        connection.execute(sql, [&self.zone])?;
        connection.execute_batch("COMMIT")?;
        schema::migrate(&mut connection, Uuid::nil(), MIGRATIONS)?;
        self.lines = 0;
        check_references(&connection).map_err(|what| match what {
            Ok(what) => self.bad(LineFault::Apart { what }),
            Err(fault) => fault,
        })?;
        let checked = check_rows(&connection);
        checked.map_err(|fault| match fault {
            Fault::Row { .. } | Fault::Value(_) => self.bad(LineFault::Unknown { fault: Box::new(fault) }),
            fault if fault.is_full() => fault,
            Fault::Sqlite(source) => self.bad(LineFault::Row { source }),
            fault => fault,
        })?;
        connection.close().map_err(|(_, error)| Fault::from(error))?;
        Ok(self.staged)
    }
}

impl Staging for Stager {
    fn take(&mut self, line: &str) -> Result<(), StoreError> {
        self.row(line).map_err(|fault| fault.into_store_error("read", "the export"))
    }

    fn finish(self: Box<Self>) -> Result<Staged, StoreError> {
        self.check().map_err(|fault| fault.into_store_error("read", "the export"))
    }
}

/// Returns where lines are staged: on the disk that they go to.
fn place(database: &Path) -> PathBuf {
    database.with_added_extension("import")
}

/// Removes what a crash left of an import.
pub(crate) fn clear(database: &Path) {
    if fs::symlink_metadata(place(database)).is_ok_and(|found| found.is_file()) {
        drop(Staged::at(place(database)));
    }
}

/// Reads a value of a line.
fn value(column: &Column, text: &str) -> Result<Value, LineFault> {
    let wrong = |expected| LineFault::Value { column: column.name.clone(), expected };
    if text == "null" {
        return Ok(Value::Null);
    }
    let string = || serde_json::from_str::<String>(text);
    match column.form {
        Form::Integer => text.parse().map(Value::Integer).map_err(|_| wrong("a whole number")),
        Form::Text => string().map(Value::Text).map_err(|_| wrong("a string")),
        Form::Json => Ok(Value::Text(text.to_owned())),
        Form::Id => {
            let id = string().ok().and_then(|text| Uuid::parse_str(&text).ok());
            id.map(|id| Value::Blob(id.as_bytes().to_vec())).ok_or_else(|| wrong("a UUID"))
        }
        Form::Bytes => {
            let bytes = string().ok().and_then(|text| STANDARD.decode(text).ok());
            bytes.map(Value::Blob).ok_or_else(|| wrong("base64"))
        }
    }
}

/// Returns what refers to what is not there.
fn check_references(connection: &Connection) -> Result<(), Result<String, Fault>> {
    // The devices of events are named there only for the sake of order.
    let sql = "SELECT \"table\", parent FROM pragma_foreign_key_check WHERE parent <> 'devices' LIMIT 1";
    let found = connection.query_row(sql, [], |row| Ok((row.get(0)?, row.get(1)?))).optional();
    match found.map_err(|error| Err(error.into()))? {
        None => Ok(()),
        Some::<(String, String)>((table, parent)) => Err(Ok(format!("{table} name {parent} that are not there"))),
    }
}

/// Reads all as the store would, so that nothing comes in that nobody can read, and holds tasks against their histories.
fn check_rows(connection: &Connection) -> Result<(), Fault> {
    let next = read::identity(connection)?.next_number;
    read::pauses(connection)?;
    let mut versions: HashMap<TaskId, u64> = HashMap::new();
    let mut cursor = 0;
    loop {
        let events = device_events::all_since(connection, cursor, CHECKED_AT_ONCE)?;
        let Some(last) = events.last() else { break };
        cursor = last.seq;
        for stored in events {
            if let AnyEvent::Task(event) = stored.event {
                versions.insert(event.snapshot.task.id, event.snapshot.task.version);
            }
        }
    }
    let apart =
        |what: String| Fault::Refused(StoreError::BadExport { line: 0, source: Box::new(LineFault::Apart { what }) });
    // Those behind it are given to nobody, and the store would take no more tasks.
    if next.0 >= Number::UNTYPED_FROM {
        return Err(apart(format!("the next number {} is none that a task can have", next.0)));
    }
    let sql = "SELECT id FROM tasks";
    for id in read::each(connection, sql, [], read::read_id)? {
        let snapshot = read::snapshot(connection, id)?;
        let (version, of_events) = (snapshot.map(|snapshot| snapshot.task.version), versions.get(&id).copied());
        if version.is_none() || version != of_events {
            return Err(apart(format!("task {id} is not as its events made it")));
        }
        for run in runs::of_task(connection, id)? {
            runs::output(connection, run.id)?;
        }
    }
    let sql = "SELECT key, generation, task FROM occurrences";
    let names = read::each(connection, sql, [], |row| {
        let mut columns = Columns::of(row);
        let name: OccurrenceName = read::name(&mut columns)?;
        Ok((name, TaskId(columns.take_id()?)))
    })?;
    for (name, task) in names {
        read::present(connection, task, Some(name))?;
    }
    let (mut cursor, all) = (0, DeliveryFilter { statuses: Statuses::All, ..DeliveryFilter::default() });
    while let Some((place, _)) = outbox::page(connection, &all, cursor, CHECKED_AT_ONCE)?.pop() {
        cursor = place;
    }
    outbox::targets(connection)?;
    let mut before = None;
    while let Some((place, _)) = ops::page(connection, before, CHECKED_AT_ONCE)?.pop() {
        before = Some(place);
    }
    Ok(())
}
