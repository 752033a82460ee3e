//! How what people did is written and read as one thing that can be taken back, and how deleted tasks go for ever.

use rusqlite::{Connection, OptionalExtension, Row, Transaction, params};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::domain::op::{AwayChanged, Op, PausesChanged};
use crate::domain::pause::{ManyPause, Scope};
use crate::domain::quiet::Away;
use crate::domain::task::{Number, TaskId};
use crate::domain::time::Timestamp;
use crate::store::StoredEvent;
use crate::store::sqlite::columns::{self, Columns};
use crate::store::sqlite::fault::Fault;
use crate::store::sqlite::read::{EVENT, bounds, each, first, read_event};
use crate::store::sqlite::rows::away::AwayRow;
use crate::store::sqlite::rows::{RowError, timestamp, to_json, to_sql_integer};

const OP: &str = "id, at, verb, title, tasks, total, is_typed, undoes, is_undo, undone_by, pauses, away";

/// What a bare undo may mean, as the partial index has it.
const IS_TO_UNDO: &str = "is_typed AND NOT is_undo AND undone_by IS NULL";

pub(crate) fn write(transaction: &Transaction<'_>, op: &Op) -> Result<(), Fault> {
    let sql = columns::upsert("ops", "id", "", OP);
    let tasks: Vec<u64> = op.tasks.iter().map(|number| number.0).collect();
    transaction.prepare_cached(&sql)?.execute(params![
        op.id.as_bytes(),
        op.at.as_millis(),
        op.verb,
        op.title,
        to_json(&tasks),
        to_sql_integer("total", op.total)?,
        op.is_typed,
        op.undoes.as_ref().map(Uuid::as_bytes),
        op.is_undo,
        op.undone_by.as_ref().map(Uuid::as_bytes),
        op.pauses.as_ref().map(|pauses| to_json(&PausesRow::of(pauses))),
        op.away.as_ref().map(|away| to_json(&AwayChangedRow::of(away))),
    ])?;
    Ok(())
}

pub(crate) fn page(connection: &Connection, before: Option<u64>, limit: usize) -> Result<Vec<(u64, Op)>, Fault> {
    let sql = format!("SELECT position, {OP} FROM ops WHERE position < ?1 ORDER BY position DESC LIMIT ?2");
    let before = before.and_then(|before| i64::try_from(before).ok()).unwrap_or(i64::MAX);
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    each(connection, &sql, params![before, limit], |row| {
        let position = Columns::of(row).take_count("position")?;
        Ok((position, read_op(&mut Columns::from(row, 1))?))
    })
}

pub(crate) fn by_prefix(connection: &Connection, prefix: &str, limit: usize) -> Result<Vec<Op>, Fault> {
    let Some((lowest, highest)) = bounds(prefix) else { return Ok(Vec::new()) };
    let sql = format!("SELECT {OP} FROM ops WHERE id BETWEEN ?1 AND ?2 ORDER BY id LIMIT ?3");
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    each(connection, &sql, params![lowest.as_bytes(), highest.as_bytes(), limit], |row| read_op(&mut Columns::of(row)))
}

pub(crate) fn to_undo(connection: &Connection) -> Result<Option<Op>, Fault> {
    let sql = format!("SELECT {OP} FROM ops WHERE {IS_TO_UNDO} ORDER BY position DESC LIMIT 1");
    first(connection, &sql, [], |row| read_op(&mut Columns::of(row)))
}

pub(crate) fn events(connection: &Connection, op: Uuid) -> Result<Vec<StoredEvent>, Fault> {
    let sql = format!("SELECT {EVENT} FROM events WHERE op_id = ?1 ORDER BY seq");
    each(connection, &sql, params![op.as_bytes()], read_event)
}

pub(crate) fn deleted(
    connection: &Connection,
    until: Timestamp,
    limit: usize,
) -> Result<Vec<(TaskId, Timestamp)>, Fault> {
    let sql = "SELECT id, deleted_at FROM tasks WHERE deleted_at IS NOT NULL AND deleted_at <= ?1 \
        ORDER BY deleted_at, number LIMIT ?2";
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    each(connection, sql, params![until.as_millis(), limit], |row: &Row<'_>| {
        let mut columns = Columns::of(row);
        Ok((TaskId(columns.take_id()?), timestamp("deleted_at", columns.take()?)?))
    })
}

/// Removes a task with all but its events, and keeps its id and number dead.
pub(crate) fn purge(transaction: &Transaction<'_>, task: TaskId) -> Result<(), Fault> {
    let id = task.0.as_bytes();
    let sql = "INSERT INTO dead_tasks (id, number, purged_at) SELECT id, number, deleted_at FROM tasks \
        WHERE id = ?1 AND deleted_at IS NOT NULL";
    if transaction.prepare_cached(sql)?.execute(params![id])? == 0 {
        return Ok(());
    }
    for sql in [
        "DELETE FROM deliveries WHERE task = ?1",
        "DELETE FROM runs WHERE task = ?1",
        "DELETE FROM waits WHERE task = ?1",
        "DELETE FROM occurrences WHERE task = ?1",
        "DELETE FROM tasks WHERE id = ?1",
    ] {
        transaction.prepare_cached(sql)?.execute(params![id])?;
    }
    Ok(())
}

pub(crate) fn is_dead(connection: &Connection, task: TaskId) -> Result<bool, Fault> {
    let mut statement = connection.prepare_cached("SELECT 1 FROM dead_tasks WHERE id = ?1")?;
    Ok(statement.query_row(params![task.0.as_bytes()], |_| Ok(())).optional()?.is_some())
}

fn read_op(columns: &mut Columns<'_>) -> Result<Op, Fault> {
    let maybe_id = |columns: &mut Columns<'_>| -> Result<Option<Uuid>, rusqlite::Error> {
        Ok(columns.take::<Option<[u8; 16]>>()?.map(Uuid::from_bytes))
    };
    Ok(Op {
        id: columns.take_id()?,
        at: timestamp("at", columns.take()?)?,
        verb: columns.take()?,
        title: columns.take()?,
        tasks: columns.take_json::<Vec<u64>>("tasks")?.into_iter().map(Number).collect(),
        total: columns.take_count("total")?,
        is_typed: columns.take()?,
        undoes: maybe_id(columns)?,
        is_undo: columns.take()?,
        undone_by: maybe_id(columns)?,
        pauses: columns.take_maybe_json::<PausesRow>("pauses")?.map(PausesRow::into_pauses).transpose()?,
        away: columns.take_maybe_json::<AwayChangedRow>("away")?.map(AwayChangedRow::into_away).transpose()?,
    })
}

/// For when the person had said to be away before and after, as JSON.
#[derive(Serialize, Deserialize)]
struct AwayChangedRow {
    before: Option<AwayRow>,
    after: Option<AwayRow>,
}

impl AwayChangedRow {
    fn of(away: &AwayChanged) -> Self {
        let row = |away: &Option<Away>| away.as_ref().map(AwayRow::from_away);
        Self { before: row(&away.before), after: row(&away.after) }
    }

    fn into_away(self) -> Result<AwayChanged, RowError> {
        let away = |row: Option<AwayRow>| row.map(AwayRow::into_away).transpose();
        Ok(AwayChanged { before: away(self.before)?, after: away(self.after)? })
    }
}

/// The pauses of many tasks before and after, as JSON.
#[derive(Serialize, Deserialize)]
struct PausesRow {
    before: Vec<PauseRow>,
    after: Vec<PauseRow>,
}

/// A pause of many tasks, as JSON.
#[derive(Serialize, Deserialize)]
struct PauseRow {
    id: Uuid,
    #[serde(skip_serializing_if = "Option::is_none")]
    tag: Option<String>,
    since: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    until: Option<i64>,
}

impl PausesRow {
    fn of(pauses: &PausesChanged) -> Self {
        let rows = |pauses: &[ManyPause]| pauses.iter().map(PauseRow::of).collect();
        Self { before: rows(&pauses.before), after: rows(&pauses.after) }
    }

    fn into_pauses(self) -> Result<PausesChanged, RowError> {
        let pauses = |rows: Vec<PauseRow>| rows.into_iter().map(PauseRow::into_pause).collect::<Result<_, _>>();
        Ok(PausesChanged { before: pauses(self.before)?, after: pauses(self.after)? })
    }
}

impl PauseRow {
    fn of(pause: &ManyPause) -> Self {
        let tag = match &pause.scope {
            Scope::All => None,
            Scope::Tag(tag) => Some(tag.clone()),
        };
        Self { id: pause.id, tag, since: pause.since.as_millis(), until: pause.until.map(Timestamp::as_millis) }
    }

    fn into_pause(self) -> Result<ManyPause, RowError> {
        Ok(ManyPause {
            id: self.id,
            scope: self.tag.map_or(Scope::All, Scope::Tag),
            since: timestamp("since", self.since)?,
            until: self.until.map(|until| timestamp("until", until)).transpose()?,
        })
    }
}
