//! How does a database leave as lines? On a thread of its own, from one committed state, a page at a time: whoever takes the
//! pages slowly holds up nobody, and no more than two are in memory.

use std::fmt::Write as _;
use std::path::Path;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::Builder;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rusqlite::Connection;
use rusqlite::types::ValueRef;
use serde_json::json;
use uuid::Uuid;

use crate::store::StoreError;
use crate::store::archive::Export;
use crate::store::sqlite::archive::{Column, END, FORMAT, Form, HEADER, TABLES, Table, columns, listed};
use crate::store::sqlite::fault::Fault;
use crate::store::sqlite::rows::RowError;
use crate::store::sqlite::schema;

/// How long a page gets: half of what a message may be.
const PAGE_BYTES: usize = 512 * 1024;

/// An export that goes on while it is read. Dropping it ends it.
#[derive(Debug)]
pub(crate) struct Exporting {
    total: u64,
    pages: Receiver<Result<Vec<String>, Fault>>,
    path: String,
}

impl Exporting {
    /// Begins to export the database at `path` as it now is.
    pub(crate) fn begin(path: &Path) -> Result<Self, Fault> {
        let connection = schema::open_reader(path)?;
        connection.execute_batch("BEGIN")?;
        // The first read fixes what is seen.
        let total = total(&connection)?;
        let (sender, pages) = sync_channel(1);
        let run = move || {
            let mut pages = Pages { sender: &sender, lines: Vec::new(), bytes: 0 };
            if let Err(Ended::Fault(fault)) = write(&connection, total, &mut pages) {
                // Who read may be gone.
                let _ = sender.send(Err(fault));
            }
        };
        Builder::new().name("keiko-export".to_owned()).spawn(run)?;
        Ok(Self { total, pages, path: path.display().to_string() })
    }
}

impl Export for Exporting {
    fn total(&self) -> u64 {
        self.total
    }

    fn page(&mut self) -> Result<Vec<String>, StoreError> {
        match self.pages.recv() {
            Ok(page) => page.map_err(|fault| fault.into_store_error("read", &self.path)),
            // The thread has ended behind the last page.
            Err(_) => Ok(Vec::new()),
        }
    }
}

/// Why the thread ends early.
enum Ended {
    /// The database cannot be read.
    Fault(Fault),
    /// Nobody reads any more.
    Unread,
}

impl<E: Into<Fault>> From<E> for Ended {
    fn from(error: E) -> Self {
        Self::Fault(error.into())
    }
}

struct Pages<'a> {
    sender: &'a SyncSender<Result<Vec<String>, Fault>>,
    lines: Vec<String>,
    bytes: usize,
}

impl Pages<'_> {
    fn push(&mut self, line: String) -> Result<(), Ended> {
        self.bytes += line.len();
        self.lines.push(line);
        if self.bytes >= PAGE_BYTES { self.send() } else { Ok(()) }
    }

    fn send(&mut self) -> Result<(), Ended> {
        self.bytes = 0;
        let lines = std::mem::take(&mut self.lines);
        if lines.is_empty() { Ok(()) } else { self.sender.send(Ok(lines)).map_err(|_| Ended::Unread) }
    }
}

/// Returns how many lines there will be.
fn total(connection: &Connection) -> Result<u64, Fault> {
    let mut total = 2;
    for table in TABLES {
        let rows: i64 = connection.query_row(&format!("SELECT count(*) FROM {}", table.name), [], |row| row.get(0))?;
        total += u64::try_from(rows).unwrap_or(0);
    }
    Ok(total)
}

fn write(connection: &Connection, total: u64, pages: &mut Pages<'_>) -> Result<(), Ended> {
    let newest = "SELECT max(version) FROM refinery_schema_history";
    let schema_version: i64 = connection.query_row(newest, [], |row| row.get(0))?;
    let (device, last_seq, zone): (Vec<u8>, i64, Option<String>) =
        connection.query_row("SELECT device, last_seq, zone FROM meta", [], |row| {
            Ok((row.get(0)?, row.get(1)?, row.get(2)?))
        })?;
    let device = Uuid::from_slice(&device).map_or_else(|_| String::new(), |device| device.to_string());
    pages.push(
        json!({ HEADER: {
            "format": FORMAT, "schema_version": schema_version, "device": device, "last_seq": last_seq, "lines": total,
            // Where only some tasks are passed on, nothing else says by which zone their times were read.
            "zone": zone,
        } })
        .to_string(),
    )?;
    for table in TABLES {
        write_table(connection, table, pages)?;
    }
    pages.push(json!({ END: { "lines": total } }).to_string())?;
    pages.send()
}

fn write_table(connection: &Connection, table: &Table, pages: &mut Pages<'_>) -> Result<(), Ended> {
    let columns = columns(connection, table)?;
    let sql = format!("SELECT {} FROM {} ORDER BY {}", listed(&columns), table.name, table.order);
    let mut statement = connection.prepare(&sql)?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let mut line = format!("{{\"{}\":{{", table.name);
        for (index, column) in columns.iter().enumerate() {
            let comma = if index == 0 { "" } else { "," };
            let _ = write!(line, "{comma}\"{}\":", column.name);
            push_value(&mut line, column, row.get_ref(index)?)?;
        }
        line.push_str("}}");
        pages.push(line)?;
    }
    Ok(())
}

fn push_value(line: &mut String, column: &Column, value: ValueRef<'_>) -> Result<(), Fault> {
    let unexpected = || RowError::unknown("a column", format!("{}: {}", column.name, value.data_type()));
    match (value, column.form) {
        (ValueRef::Null, _) => line.push_str("null"),
        (ValueRef::Integer(number), _) => line.push_str(&number.to_string()),
        (ValueRef::Text(text), form) => {
            let text = std::str::from_utf8(text).map_err(|_| unexpected())?;
            // A line is a line: what a hand put into the database may hold more of them.
            if form == Form::Json && !text.contains('\n') {
                line.push_str(text);
            } else if form == Form::Json {
                let value: serde_json::Value =
                    serde_json::from_str(text).map_err(|source| RowError::Json { field: "a column", source })?;
                line.push_str(&value.to_string());
            } else {
                line.push_str(&json!(text).to_string());
            }
        }
        (ValueRef::Blob(bytes), Form::Bytes) => line.push_str(&json!(STANDARD.encode(bytes)).to_string()),
        (ValueRef::Blob(bytes), _) => {
            let id = Uuid::from_slice(bytes).map_err(|_| unexpected())?;
            let _ = write!(line, "\"{id}\"");
        }
        (ValueRef::Real(_), _) => return Err(unexpected().into()),
    }
    Ok(())
}
