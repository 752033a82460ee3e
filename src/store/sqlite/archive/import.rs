//! How does what is staged come into the store? In one transaction: which tasks are new here, under which numbers, and all
//! that belongs to them. A task that is here already is never touched.

use std::collections::HashMap;
use std::ops::RangeInclusive;
use std::path::Path;

use rusqlite::functions::FunctionFlags;
use rusqlite::{Connection, OptionalExtension, Row, Transaction, TransactionBehavior, params};
use serde_json::Value;
use uuid::Uuid;

use crate::domain::import::{IMPORT, Imported, Rehearsal, UNTAKEN_NAMED_MAX, Untaken, Why, op_id};
use crate::domain::op::{OP_TASKS_MAX, Op};
use crate::domain::task::Number;
use crate::domain::time::Timestamp;
use crate::store::sqlite::archive::{Column, Table, columns};
use crate::store::sqlite::fault::Fault;
use crate::store::sqlite::rows::{from_sql_integer, to_sql_integer};
use crate::store::sqlite::{ops, read};

/// The tasks of the file, each with what is here under its id and its number.
const FOUND: &str = "SELECT s.id, s.number, s.title, \
        s.present_state NOT IN ('COMPLETED', 'CANCELLED') AND s.deleted_at IS NULL, \
        EXISTS (SELECT 1 FROM main.dead_tasks d WHERE d.id = s.id), \
        (SELECT m.number FROM main.tasks m WHERE m.id = s.id), \
        (SELECT m.deleted_at IS NOT NULL FROM main.tasks m WHERE m.id = s.id), \
        EXISTS (SELECT 1 FROM main.tasks m WHERE m.number = s.number) \
            OR EXISTS (SELECT 1 FROM main.dead_tasks d WHERE d.number = s.number), \
        (SELECT event_id FROM staged.events e WHERE e.task = s.id ORDER BY e.seq DESC LIMIT 1), \
        (SELECT event_id FROM main.events e WHERE e.task = s.id ORDER BY e.seq DESC LIMIT 1) \
    FROM staged.tasks s ORDER BY s.number";

/// A task of the file.
struct Found {
    id: Uuid,
    number: u64,
    title: String,
    is_open: bool,
    here: Here,
    is_number_taken: bool,
    /// The latest of its events in the file.
    last_there: Option<Uuid>,
    /// The latest of its events here.
    last_here: Option<Uuid>,
}

/// What is here under the id of a task.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Here {
    /// Nothing.
    Nothing,
    /// A task, under this number, and whether it is deleted.
    Task(u64, bool),
    /// What was deleted for good.
    Dead,
}

/// The tasks that tasks of the file wait for, each with its number there.
const PARENTS: &str = "SELECT DISTINCT json_extract(p.value, '$.task'), json_extract(p.value, '$.number') \
    FROM staged.tasks s, json_each(s.waits, '$.parents') p";

/// The number that a task has here, or that it had.
const NUMBER_HERE: &str = "SELECT number FROM main.tasks WHERE id = ?1 UNION ALL SELECT number FROM temp.taken WHERE task = ?1 \
    UNION ALL SELECT number FROM main.dead_tasks WHERE id = ?1";

/// Brings in what is staged in the file at `staged`, or tells what that would be.
pub(crate) fn import(
    connection: &mut Connection,
    staged: &Path,
    rehearsal: Rehearsal,
    at: Timestamp,
) -> Result<Imported, Fault> {
    // As bytes: not every path is text.
    let path = staged.as_os_str().as_encoded_bytes();
    connection.execute("ATTACH CAST(?1 AS TEXT) AS staged", params![path])?;
    // What is noted on the way is some words a task and an event, and gone with the transaction.
    let imported = connection
        .pragma_update(None, "temp_store", "MEMORY")
        .map_err(Fault::from)
        .and_then(|()| bring_in(connection, rehearsal, at));
    let detached = connection.execute_batch("DETACH staged");
    let imported = imported?;
    detached?;
    Ok(imported)
}

fn bring_in(connection: &mut Connection, rehearsal: Rehearsal, at: Timestamp) -> Result<Imported, Fault> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let mut import = Import::begin(&transaction)?;
    import.choose()?;
    import.number_events()?;
    import.copy()?;
    import.note_op(at)?;
    let imported = import.finish(at)?;
    transaction.remove_function(RENUMBERED, 1)?;
    match rehearsal {
        Rehearsal::Only => transaction.rollback()?,
        Rehearsal::No => transaction.commit()?,
    }
    Ok(imported)
}

/// The function that gives tasks in JSON their numbers here.
const RENUMBERED: &str = "keiko_renumbered";

struct Import<'a> {
    transaction: &'a Transaction<'a>,
    /// Whether nothing was ever kept here: then all comes in, settings too.
    is_fresh: bool,
    last_seq: u64,
    imported: Imported,
    has_renumbered: bool,
}

impl<'a> Import<'a> {
    fn begin(transaction: &'a Transaction<'a>) -> Result<Self, Fault> {
        let sql = "SELECT NOT (EXISTS (SELECT 1 FROM main.tasks) OR EXISTS (SELECT 1 FROM main.events) \
            OR EXISTS (SELECT 1 FROM main.dead_tasks) OR EXISTS (SELECT 1 FROM main.ops))";
        let is_fresh = transaction.query_row(sql, [], |row| row.get(0))?;
        let last_seq = transaction.query_row("SELECT last_seq FROM main.meta", [], |row| row.get(0))?;
        transaction.execute_batch(
            "CREATE TEMP TABLE taken (task BLOB PRIMARY KEY, number INTEGER NOT NULL) WITHOUT ROWID; \
             CREATE TEMP TABLE seqs (old INTEGER PRIMARY KEY, new INTEGER NOT NULL);",
        )?;
        let imported = Imported { was_empty: is_fresh, ..Imported::default() };
        let last_seq = from_sql_integer("last_seq", last_seq)?;
        Ok(Self { transaction, is_fresh, last_seq, imported, has_renumbered: false })
    }

    /// Decides which tasks come in, and under which numbers: their own where that is free; else open ones get the next, and
    /// closed ones none.
    fn choose(&mut self) -> Result<(), Fault> {
        let one = |sql: &str| -> Result<u64, Fault> {
            let number: i64 =
                self.transaction.query_row(sql, [to_sql_integer("number", Number::UNTYPED_FROM)?], |row| row.get(0))?;
            Ok(from_sql_integer("number", number)?)
        };
        let mut next = one("SELECT max((SELECT next_number FROM main.meta), \
                coalesce((SELECT max(number) + 1 FROM staged.tasks WHERE number < ?1), 1))")?;
        let mut next_untyped = one("SELECT max(?1, coalesce((SELECT max(number) + 1 FROM main.tasks), 1), \
                coalesce((SELECT max(number) + 1 FROM main.dead_tasks), 1))")?;
        let mut numbers = HashMap::new();
        let mut statement = self.transaction.prepare(FOUND)?;
        let mut taken = self.transaction.prepare("INSERT INTO temp.taken (task, number) VALUES (?1, ?2)")?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let found = Found::read(row)?;
            if found.here != Here::Nothing {
                // Others of the file may name it, and mean the one that is here.
                if let Here::Task(number, _) = found.here
                    && number != found.number
                {
                    numbers.insert(found.id, (found.number, number));
                }
                self.leave(found)?;
                continue;
            }
            let number = if !found.is_number_taken && found.number < Number::UNTYPED_FROM {
                found.number
            } else {
                let counter = if found.is_open { &mut next } else { &mut next_untyped };
                *counter += 1;
                *counter - 1
            };
            if number != found.number {
                numbers.insert(found.id, (found.number, number));
                self.imported.renumbered += 1;
            }
            taken.execute(params![found.id.as_bytes(), to_sql_integer("number", number)?])?;
            self.imported.added += 1;
        }
        drop(rows);
        self.number_parents(&mut numbers)?;
        self.has_renumbered = !numbers.is_empty();
        let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC;
        self.transaction.create_scalar_function(RENUMBERED, 1, flags, move |context| {
            let Some(text) = context.get::<Option<String>>(0)? else { return Ok(None) };
            let Ok(mut value) = serde_json::from_str(&text) else { return Ok(Some(text)) };
            renumber(&mut value, &numbers);
            Ok(Some(value.to_string()))
        })?;
        Ok(())
    }

    /// Lets a task that is waited for, and is not in the file, have the number that it has here, or none: under the one that it
    /// has there, another may be known here.
    fn number_parents(&self, numbers: &mut HashMap<Uuid, (u64, u64)>) -> Result<(), Fault> {
        if self.is_fresh {
            return Ok(());
        }
        let mut statement = self.transaction.prepare(PARENTS)?;
        let mut number_here = self.transaction.prepare(NUMBER_HERE)?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let (id, number): (String, i64) = (row.get(0)?, row.get(1)?);
            let Ok(id) = Uuid::parse_str(&id) else { continue };
            if numbers.contains_key(&id) {
                continue;
            }
            let here = number_here.query_row([id.as_bytes()], |row| row.get(0)).optional()?;
            let here = here.map_or(Ok(Number::UNTYPED_FROM), |here| from_sql_integer("number", here))?;
            let number = from_sql_integer("number", number)?;
            if here != number {
                numbers.insert(id, (number, here));
            }
        }
        Ok(())
    }

    /// Counts a task that is here already, and names it where it is not the same.
    fn leave(&mut self, found: Found) -> Result<(), Fault> {
        self.imported.deleted += u64::from(matches!(found.here, Here::Task(_, true)));
        let why = if found.here == Here::Dead {
            Why::Dead
        } else if found.last_there == found.last_here || self.has_event("main", found.last_there)? {
            self.imported.there += 1;
            return Ok(());
        } else if self.has_event("staged", found.last_here)? {
            Why::OlderHere
        } else {
            Why::Differs
        };
        self.imported.untaken_total += 1;
        if self.imported.untaken.len() < UNTAKEN_NAMED_MAX {
            self.imported.untaken.push(Untaken { id: found.id, title: found.title, why });
        }
        Ok(())
    }

    fn has_event(&self, database: &str, event: Option<Uuid>) -> Result<bool, Fault> {
        let Some(event) = event else { return Ok(false) };
        let sql = format!("SELECT EXISTS (SELECT 1 FROM {database}.events WHERE event_id = ?1)");
        Ok(self.transaction.query_row(&sql, params![event.as_bytes()], |row| row.get(0))?)
    }

    /// Gives the events that come in the next places here, in their order.
    fn number_events(&mut self) -> Result<(), Fault> {
        let sql = "INSERT INTO temp.seqs (old, new) SELECT seq, ?1 + row_number() OVER (ORDER BY seq) FROM ( \
            SELECT seq FROM staged.events WHERE ?2 OR task IN (SELECT task FROM temp.taken) \
            UNION ALL SELECT seq FROM staged.device_events WHERE ?2)";
        let count = self.transaction.execute(sql, params![to_sql_integer("seq", self.last_seq)?, self.is_fresh])?;
        self.imported.events = count as u64;
        self.imported.last_seq = self.last_seq + count as u64;
        Ok(())
    }

    fn copy(&self) -> Result<(), Fault> {
        let of_taken = "s.task IN (SELECT task FROM temp.taken)";
        self.transaction.execute_batch(&format!(
            "INSERT OR IGNORE INTO main.devices (id) SELECT id FROM staged.devices WHERE id <> zeroblob(16); \
             INSERT OR IGNORE INTO main.devices (id) SELECT device FROM staged.events s WHERE {}; \
             INSERT OR IGNORE INTO main.devices (id) SELECT device FROM staged.device_events WHERE {};",
            if self.is_fresh { "1" } else { of_taken },
            if self.is_fresh { "1" } else { "0" },
        ))?;
        let number = "(SELECT t.number FROM temp.taken t WHERE t.task = s.id)";
        self.rows("tasks", &[("number", number)], "WHERE s.id IN (SELECT task FROM temp.taken)")?;
        let opened = "coalesce((SELECT q.new FROM temp.seqs q WHERE q.old = s.opened_seq), 0)";
        self.rows("occurrences", &[("opened_seq", opened)], &format!("WHERE {of_taken}"))?;
        self.rows("waits", &[], &format!("WHERE {of_taken}"))?;
        let in_order = "JOIN temp.seqs q ON q.old = s.seq ORDER BY q.old";
        self.rows("events", &[("seq", "q.new")], in_order)?;
        self.rows("device_events", &[("seq", "q.new")], in_order)?;
        let number = "coalesce((SELECT t.number FROM temp.taken t WHERE t.task = s.owner), s.number)";
        // Of a digest that tells of a task, the task needs the digest.
        // It may have come in with another of its tasks before.
        let is_wanted = format!(
            "WHERE s.owner IN (SELECT task FROM temp.taken) OR (s.owner IS NULL AND ({} OR s.fire_id IN ( \
                SELECT digest FROM staged.deliveries s WHERE {of_taken}) \
                AND s.fire_id NOT IN (SELECT m.fire_id FROM main.deliveries m))) ORDER BY s.position",
            self.is_fresh
        );
        self.rows("deliveries", &[("number", number)], &is_wanted)?;
        self.rows("runs", &[], &format!("WHERE {of_taken} ORDER BY s.position"))?;
        let of_run = format!("WHERE s.run IN (SELECT s.id FROM staged.runs s WHERE {of_taken})");
        self.rows("run_outputs", &[], &of_run)?;
        self.rows("requests", &[], &format!("WHERE {of_taken} OR {}", self.is_fresh))?;
        if self.is_fresh {
            self.rows("ops", &[], "")?;
            self.rows("pauses", &[], "")?;
            self.rows("targets", &[], "")?;
            self.rows("dead_tasks", &[], "")?;
        }
        Ok(())
    }

    /// Copies rows of a table, `s`, with some values put in place of its own.
    fn rows(&self, table: &str, instead: &[(&str, &str)], which: &str) -> Result<(), Fault> {
        let table = Table::named(table).expect("it is one of those that are exported");
        let all = columns(self.transaction, table)?;
        // What was never kept here keeps its places.
        let kept: Vec<&Column> = all.iter().filter(|column| self.is_fresh || column.name != "position").collect();
        let values = kept.iter().map(|column| {
            let name = column.name.as_str();
            if let Some((_, value)) = instead.iter().find(|(of, _)| *of == name) {
                return (*value).to_owned();
            }
            match name {
                "snapshot" | "operation_values" | "waits" | "follows" | "followed_by" if self.has_renumbered => {
                    format!("{RENUMBERED}(s.{name})")
                }
                _ => format!("s.{name}"),
            }
        });
        let sql = format!(
            "INSERT OR {} INTO main.{1} ({2}) SELECT {3} FROM staged.{1} AS s {which}",
            // Only these may be here already, and then say the same.
            if matches!(table.name, "requests" | "targets") { "IGNORE" } else { "ABORT" },
            table.name,
            super::listed(kept.iter().copied()),
            values.collect::<Vec<_>>().join(", "),
        );
        self.transaction.execute(&sql, [])?;
        Ok(())
    }

    /// Notes that a person brought it in, so that what is taken back next is this.
    fn note_op(&mut self, at: Timestamp) -> Result<(), Fault> {
        if self.imported.added == 0 {
            return Ok(());
        }
        let device: [u8; 16] = self.transaction.query_row("SELECT device FROM main.meta", [], |row| row.get(0))?;
        let mut op = Op::of_none(op_id(Uuid::from_bytes(device), &self.seqs()), at, IMPORT);
        let sql = format!("SELECT number FROM temp.taken ORDER BY number LIMIT {OP_TASKS_MAX}");
        let numbers = read::each(self.transaction, &sql, [], |row| Ok(row.get(0)?))?;
        let numbers: Vec<u64> =
            numbers.into_iter().map(|number| from_sql_integer("number", number)).collect::<Result<_, _>>()?;
        op.tasks = numbers.into_iter().map(Number).collect();
        op.total = self.imported.added;
        let sql = "SELECT title FROM main.tasks WHERE id IN (SELECT task FROM temp.taken) ORDER BY number LIMIT 1";
        op.title = self.transaction.query_row(sql, [], |row| row.get(0))?;
        ops::write(self.transaction, &op)?;
        self.imported.op = Some(op.id);
        Ok(())
    }

    /// Returns the places of the events that come in.
    fn seqs(&self) -> RangeInclusive<u64> {
        self.last_seq + 1..=self.imported.last_seq
    }

    /// Notes what has come in, and where the store goes on.
    fn finish(self, at: Timestamp) -> Result<Imported, Fault> {
        let imported = self.imported;
        let (before, after) = (to_sql_integer("seq", self.last_seq)?, to_sql_integer("seq", imported.last_seq)?);
        // Floating times were resolved where the file comes from: where that is another zone, all are read anew at once.
        let sql = "UPDATE main.meta SET last_seq = ?1, \
            next_number = max(next_number, \
                coalesce((SELECT max(number) + 1 FROM main.tasks WHERE number < ?2), 1), \
                iif(?3, (SELECT next_number FROM staged.meta), 1)), \
            zone = CASE WHEN ?3 THEN (SELECT zone FROM staged.meta) \
                WHEN ?4 AND zone IS NOT (SELECT zone FROM staged.meta) THEN NULL ELSE zone END, \
            away = iif(?3, (SELECT away FROM staged.meta), away)";
        self.transaction.execute(
            sql,
            params![after, to_sql_integer("number", Number::UNTYPED_FROM)?, self.is_fresh, imported.added > 0],
        )?;
        if after > before {
            let sql = "INSERT INTO main.imports (first_seq, last_seq, at) VALUES (?1, ?2, ?3)";
            self.transaction.execute(sql, params![before + 1, after, at.as_millis()])?;
        }
        self.transaction.execute_batch("DROP TABLE temp.taken; DROP TABLE temp.seqs")?;
        Ok(imported)
    }
}

impl Found {
    fn read(row: &Row<'_>) -> Result<Self, Fault> {
        let id = |index| -> Result<Option<Uuid>, Fault> {
            let bytes: Option<[u8; 16]> = row.get(index)?;
            Ok(bytes.map(Uuid::from_bytes))
        };
        Ok(Self {
            id: Uuid::from_bytes(row.get(0)?),
            number: from_sql_integer("number", row.get(1)?)?,
            title: row.get(2)?,
            is_open: row.get(3)?,
            here: match (row.get(4)?, row.get::<_, Option<i64>>(5)?) {
                (true, _) => Here::Dead,
                (false, Some(number)) => Here::Task(from_sql_integer("number", number)?, row.get(6)?),
                (false, None) => Here::Nothing,
            },
            is_number_taken: row.get(7)?,
            last_there: id(8)?,
            last_here: id(9)?,
        })
    }
}

/// Gives every task that is named in a value, by id and number, its number here.
fn renumber(value: &mut Value, numbers: &HashMap<Uuid, (u64, u64)>) {
    match value {
        Value::Object(fields) => {
            let id = fields.get("id").or_else(|| fields.get("task")).and_then(Value::as_str);
            let known = id.and_then(|id| Uuid::parse_str(id).ok()).and_then(|id| numbers.get(&id));
            if let Some((old, new)) = known
                && fields.get("number").and_then(Value::as_u64) == Some(*old)
            {
                fields.insert("number".to_owned(), (*new).into());
            }
            fields.values_mut().for_each(|field| renumber(field, numbers));
        }
        Value::Array(list) => list.iter_mut().for_each(|each| renumber(each, numbers)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}
