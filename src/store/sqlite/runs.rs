//! Runs of commands in SQL: how they are written, and the answers to questions about them.

use rusqlite::{Connection, Transaction, params};

use crate::domain::event::Snapshot;
use crate::domain::run::{Output, Run, RunId};
use crate::domain::task::TaskId;
use crate::domain::time::Timestamp;
use crate::store::RUNS_KEPT;
use crate::store::sqlite::columns::Columns;
use crate::store::sqlite::fault::Fault;
use crate::store::sqlite::read::{self, each, first, name};
use crate::store::sqlite::rows::run::RunRow;
use crate::store::sqlite::rows::{from_json, from_sql_integer, to_json, to_sql_integer};

const UPSERT: &str = "INSERT INTO runs (id, task, occurrence_key, occurrence_generation, is_over, run) \
    VALUES (?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT (id) DO UPDATE SET is_over = excluded.is_over, run = excluded.run";

/// Of a task only the latest are kept, and all of the occurrence that is at it.
const DROP_OLD: &str = "DELETE FROM runs WHERE task = ?1 AND is_over = 1 \
    AND NOT (occurrence_key = ?2 AND occurrence_generation = ?3) \
    AND position <= (SELECT position FROM runs WHERE task = ?1 ORDER BY position DESC LIMIT 1 OFFSET ?4)";

pub(crate) fn write(transaction: &Transaction<'_>, run: &Run) -> Result<(), Fault> {
    let (id, task) = (run.id.0.as_bytes(), run.task.0.as_bytes());
    let (key, generation) = (run.occurrence.key.to_string(), run.occurrence.generation);
    let json = to_json(&RunRow::from_run(run));
    transaction.prepare_cached(UPSERT)?.execute(params![id, task, key, generation, run.is_over(), json])?;
    if run.is_over() {
        let kept = to_sql_integer("kept", RUNS_KEPT as u64)?;
        transaction.prepare_cached(DROP_OLD)?.execute(params![task, key, generation, kept])?;
    }
    Ok(())
}

pub(crate) fn write_output(transaction: &Transaction<'_>, run: RunId, output: &Output) -> Result<(), Fault> {
    let sql = "INSERT INTO run_outputs (run, tail, dropped) VALUES (?1, ?2, ?3) \
        ON CONFLICT (run) DO UPDATE SET tail = excluded.tail, dropped = excluded.dropped";
    let dropped = to_sql_integer("dropped", output.dropped)?;
    transaction.prepare_cached(sql)?.execute(params![run.0.as_bytes(), output.tail, dropped])?;
    Ok(())
}

pub(crate) fn run(connection: &Connection, id: RunId) -> Result<Option<Run>, Fault> {
    first(connection, "SELECT run FROM runs WHERE id = ?1", params![id.0.as_bytes()], read_run)
}

pub(crate) fn of_task(connection: &Connection, task: TaskId) -> Result<Vec<Run>, Fault> {
    let sql = "SELECT run FROM runs WHERE task = ?1 ORDER BY position";
    each(connection, sql, params![task.0.as_bytes()], read_run)
}

pub(crate) fn open(connection: &Connection) -> Result<Vec<Run>, Fault> {
    each(connection, "SELECT run FROM runs WHERE is_over = 0 ORDER BY position", [], read_run)
}

pub(crate) fn output(connection: &Connection, run: RunId) -> Result<Option<Output>, Fault> {
    let sql = "SELECT tail, dropped FROM run_outputs WHERE run = ?1";
    first(connection, sql, params![run.0.as_bytes()], |row| {
        Ok(Output { tail: row.get(0)?, dropped: from_sql_integer("dropped", row.get(1)?)? })
    })
}

/// As [`crate::store::Store::commands_failed_since`].
pub(crate) fn failed_since(
    connection: &Connection,
    since: Timestamp,
    limit: usize,
) -> Result<(u64, Vec<Snapshot>), Fault> {
    // One transaction, so that all is of one moment.
    let transaction = connection.unchecked_transaction()?;
    // As a literal: a partial index is not found by a parameter.
    let which = "FROM occurrences JOIN tasks ON tasks.id = occurrences.task \
        WHERE outcome = 'retries_exhausted' AND ended_at >= ?1 AND command IS NOT NULL AND deleted_at IS NULL";
    let (since, limit) = (since.as_millis(), i64::try_from(limit).unwrap_or(i64::MAX));
    let counted = each(&transaction, &format!("SELECT count(*) {which}"), params![since], |row| {
        Ok(from_sql_integer("count", row.get(0)?)?)
    })?;
    let sql = format!(
        "SELECT occurrences.task, key, generation {which} ORDER BY ended_at DESC, tasks.number DESC, opened_seq DESC LIMIT ?2"
    );
    let latest = each(&transaction, &sql, params![since, limit], |row| {
        let mut columns = Columns::of(row);
        Ok((TaskId(columns.take_id()?), name(&mut columns)?))
    })?;
    let mut failed = Vec::new();
    for (task, name) in latest {
        let Some(snapshot) = read::snapshot(&transaction, task)? else { continue };
        let Some(occurrence) = read::present(&transaction, task, Some(name))? else { continue };
        failed.push(Snapshot { occurrence, ..snapshot });
    }
    Ok((counted.into_iter().sum(), failed))
}

fn read_run(row: &rusqlite::Row<'_>) -> Result<Run, Fault> {
    Ok(from_json::<RunRow>("run", row.get_ref(0)?.as_str().map_err(rusqlite::Error::from)?)?.into_run()?)
}
