//! How is a database written as lines of JSON, and read from them? Row by row, with the names of tables and columns: those of
//! the schema's version that the header names, so that what an older program wrote is brought forward as its database would be.

use rusqlite::Connection;

use crate::store::sqlite::fault::Fault;

pub(crate) mod export;
pub(crate) mod import;
pub(crate) mod stage;

/// The version of this form, apart from that of the schema.
pub(crate) const FORMAT: u64 = 1;

/// The word of the first line.
pub(crate) const HEADER: &str = "keiko_export";

/// The word of the last line.
pub(crate) const END: &str = "end";

/// A table whose rows are exported.
pub(crate) struct Table {
    /// Its name.
    pub(crate) name: &'static str,
    /// The columns that its rows are ordered by.
    order: &'static str,
    /// The columns whose text is JSON: it stands in the line as it is, not as a string.
    json: &'static [&'static str],
}

/// What is exported, in this order. Not what only this database is concerned with: its schema's history and its imports.
pub(crate) const TABLES: &[Table] = &[
    Table { name: "meta", order: "one", json: &["away"] },
    Table { name: "devices", order: "id", json: &[] },
    Table {
        name: "tasks",
        order: "number",
        json: &[
            "tags",
            "metadata",
            "targets",
            "alerts_ms",
            "deadline",
            "schedule_after_done",
            "waits",
            "follows",
            "followed_by",
            "command",
        ],
    },
    Table { name: "occurrences", order: "task, key, generation", json: &["spoken"] },
    Table { name: "waits", order: "parent, task", json: &[] },
    Table { name: "events", order: "seq", json: &["operation_values", "snapshot"] },
    Table { name: "device_events", order: "seq", json: &["operation_values"] },
    Table { name: "deliveries", order: "position", json: &["tags", "metadata", "frozen_headers"] },
    Table { name: "targets", order: "channel, address", json: &[] },
    Table { name: "runs", order: "position", json: &["run"] },
    Table { name: "run_outputs", order: "run", json: &[] },
    Table { name: "ops", order: "position", json: &["tasks", "pauses", "away"] },
    Table { name: "pauses", order: "id", json: &[] },
    Table { name: "requests", order: "key", json: &[] },
    Table { name: "dead_tasks", order: "id", json: &[] },
];

impl Table {
    /// Returns the table of a name.
    pub(crate) fn named(name: &str) -> Option<&'static Self> {
        TABLES.iter().find(|table| table.name == name)
    }

    /// Returns how a column's values stand in a line; `kind` is its type in SQL.
    fn form(&self, column: &str, kind: &str) -> Form {
        match kind {
            "INTEGER" => Form::Integer,
            "BLOB" if column == "tail" => Form::Bytes,
            "BLOB" => Form::Id,
            _ if self.json.contains(&column) => Form::Json,
            _ => Form::Text,
        }
    }
}

/// How a column's values stand in a line; each may be null.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Form {
    /// A number.
    Integer,
    /// A string.
    Text,
    /// The JSON that the text is.
    Json,
    /// The 16 bytes of a UUID, as such.
    Id,
    /// Any bytes, in base64.
    Bytes,
}

/// A column.
#[derive(Clone, Debug)]
pub(crate) struct Column {
    /// Its name.
    pub(crate) name: String,
    /// How its values stand in a line.
    pub(crate) form: Form,
}

/// Returns the columns of a table as it is in a database, but for those that SQLite computes.
pub(crate) fn columns(connection: &Connection, table: &Table) -> Result<Vec<Column>, Fault> {
    let mut statement = connection.prepare("SELECT name, type FROM pragma_table_info(?1)")?;
    let columns = statement.query_map([table.name], |row| {
        let (name, kind): (String, String) = (row.get(0)?, row.get(1)?);
        let form = table.form(&name, &kind);
        Ok(Column { name, form })
    })?;
    Ok(columns.collect::<Result<_, _>>()?)
}

/// Returns the names of columns, as they stand in a statement.
pub(crate) fn listed<'a>(columns: impl IntoIterator<Item = &'a Column>) -> String {
    columns.into_iter().map(|column| column.name.as_str()).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests;
