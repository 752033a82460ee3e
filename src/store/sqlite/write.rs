//! How one change is written in one transaction, or leaves no trace. It checks what the trait promises and decides
//! nothing else.

use std::collections::{BTreeSet, HashMap};
use std::sync::LazyLock;

use rusqlite::{Connection, ErrorCode, Statement, Transaction, TransactionBehavior, params};
use uuid::Uuid;

use crate::domain::event::{Event, Operation, Snapshot};
use crate::domain::occurrence::{Occurrence, OccurrenceName};
use crate::domain::pause::{ManyPause, Scope};
use crate::domain::state::StateName;
use crate::domain::task::{Task, TaskId};
use crate::domain::time::Timestamp;
use crate::store::sqlite::columns::{self, Present, UPSERT_OCCURRENCE, UPSERT_TASK, UPSERT_TASK_IN_PLACE};
use crate::store::sqlite::fault::Fault;
use crate::store::sqlite::rows::away::AwayRow;
use crate::store::sqlite::rows::occurrence::{OccurrenceRow, SnapshotRow};
use crate::store::sqlite::rows::operation::ValuesRow;
use crate::store::sqlite::rows::{from_sql_integer, to_json, to_sql_integer};
use crate::store::sqlite::{device_events, ops, outbox, read, runs};
use crate::store::{Change, Committed, RequestSeen, StoreError};

static INSERT_EVENT: LazyLock<String> = LazyLock::new(|| {
    let columns = "seq, event_id, op_id, task, occurrence_key, occurrence_generation, device, actor, at, operation, \
        operation_values, from_state, to_state, late, reason, fire_id, snapshot";
    columns::insert("events", columns)
});

/// Writes a change whole or not at all.
pub(crate) fn commit(connection: &mut Connection, change: &Change) -> Result<Committed, Fault> {
    // Taken at once, so that no other writer comes between the checks and the writes.
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let mut last_seq = last_seq(&transaction)?;
    let mut plans = Plans::default();
    for event in &change.device_events {
        last_seq += 1;
        device_events::write(&transaction, event, last_seq)?;
    }
    write_devices(&transaction, change)?;
    last_seq = write_events(&transaction, &change.events, last_seq, &mut plans)?;
    write_tasks(&transaction, &plans.tasks)?;
    outbox::write_deliveries(&transaction, &change.deliveries)?;
    for run in &change.runs {
        runs::write(&transaction, run)?;
    }
    for (run, output) in &change.outputs {
        runs::write_output(&transaction, *run, output)?;
    }
    for op in &change.ops {
        ops::write(&transaction, op)?;
    }
    for task in &change.purged {
        ops::purge(&transaction, *task)?;
    }
    for health in &change.targets {
        outbox::write_target(&transaction, health)?;
    }
    if let Some(pauses) = &change.pauses {
        write_pauses(&transaction, pauses)?;
    }
    for request in &change.requests {
        write_request(&transaction, request)?;
    }
    write_meta(&transaction, change, last_seq)?;
    transaction.commit()?;
    Ok(Committed { last_seq })
}

fn last_seq(transaction: &Transaction<'_>) -> Result<u64, Fault> {
    let sql = "SELECT last_seq FROM meta";
    let last_seq = transaction.prepare_cached(sql)?.query_row([], |row| row.get(0))?;
    Ok(from_sql_integer("last_seq", last_seq)?)
}

/// What is stored of a task.
const STORED: &str = "SELECT version, present_key, present_generation FROM tasks WHERE id = ?1";

/// What is stored of a task that a change touches.
#[derive(Clone, Copy)]
struct Stored {
    version: u64,
    present: OccurrenceName,
}

fn stored(transaction: &Transaction<'_>, statement: &mut Statement<'_>, id: TaskId) -> Result<Option<Stored>, Fault> {
    let mut rows = statement.query(params![id.0.as_bytes()])?;
    let Some(row) = rows.next()? else {
        return if ops::is_dead(transaction, id)? { Err(Fault::Refused(StoreError::Dead { id })) } else { Ok(None) };
    };
    let mut columns = columns::Columns::of(row);
    let version = columns.take_count("version")?;
    Ok(Some(Stored { version, present: read::name(&mut columns)? }))
}

/// What a change makes of each task: many events of one task are one write of its row.
#[derive(Default)]
struct Plans<'a> {
    /// In the order of their first events.
    tasks: Vec<TaskPlan<'a>>,
    by_id: HashMap<TaskId, usize>,
}

struct TaskPlan<'a> {
    last: &'a Event,
    /// Its rows, as they stand in the last event.
    rows: Option<SnapshotRow>,
    /// It may have been withdrawn by now.
    present: OccurrenceName,
    /// Which it is in the store, `None` where the task is not there yet.
    stored: Option<OccurrenceName>,
    occurrences: Vec<OccurrencePlan<'a>>,
    /// Whether other tasks may be waited for than before.
    sets_waits: bool,
}

struct OccurrencePlan<'a> {
    name: OccurrenceName,
    /// `None` where it is removed.
    after: Option<&'a Occurrence>,
    seq: u64,
    /// Whether an event of this change opened it.
    is_opened: bool,
}

impl<'a> Plans<'a> {
    fn add(
        &mut self,
        event: &'a Event,
        seq: u64,
        stored: impl FnOnce(TaskId) -> Result<Option<Stored>, Fault>,
    ) -> Result<&mut TaskPlan<'a>, Fault> {
        let id = event.snapshot.task.id;
        let index = if let Some(index) = self.by_id.get(&id) {
            *index
        } else {
            let stored = stored(id)?;
            check_version(event, stored)?;
            // What comes first of a task is its present occurrence, whatever the operation is called.
            let stored = stored.map(|stored| stored.present);
            let present = stored.unwrap_or(event.snapshot.occurrence.name());
            self.tasks.push(TaskPlan {
                last: event,
                rows: None,
                present,
                stored,
                occurrences: Vec::new(),
                sets_waits: false,
            });
            self.by_id.insert(id, self.tasks.len() - 1);
            self.tasks.len() - 1
        };
        self.tasks[index].add(event, seq);
        Ok(&mut self.tasks[index])
    }
}

impl<'a> TaskPlan<'a> {
    fn add(&mut self, event: &'a Event, seq: u64) {
        let (occurrence, name) = (&event.snapshot.occurrence, event.snapshot.occurrence.name());
        self.last = event;
        self.sets_waits |= match &event.operation {
            Operation::Added(added) => !added.task.waits.is_none(),
            operation => {
                matches!(operation, Operation::WaitsSet(_) | Operation::Unblocked | Operation::Restored(_))
            }
        };
        let is_removed = matches!(event.operation, Operation::Withdrawn);
        let opens = matches!(event.operation, Operation::Added(_) | Operation::Opened(_));
        let takes_over = opens || matches!(event.operation, Operation::Moved(_));
        if takes_over {
            self.present = name;
        }
        let after = (!is_removed).then_some(occurrence);
        match self.occurrences.iter_mut().find(|plan| plan.name == name) {
            Some(plan) => {
                let is_opened = opens || (plan.after.is_none() && !is_removed);
                plan.after = after;
                plan.is_opened |= is_opened;
                plan.seq = if is_opened { seq } else { plan.seq };
            }
            None => self.occurrences.push(OccurrencePlan { name, after, seq, is_opened: opens }),
        }
    }

    /// Returns the present occurrence where this change leaves it as it is in the store, `None` where it withdrew it, so
    /// that the one that was opened last is.
    fn present_in_store(&self) -> Option<OccurrenceName> {
        let is_withdrawn = self.occurrences.iter().any(|plan| plan.name == self.present && plan.after.is_none());
        (!is_withdrawn).then_some(self.present)
    }

    fn occurrence(&self, name: OccurrenceName) -> Option<&'a Occurrence> {
        self.occurrences.iter().find(|plan| plan.name == name).and_then(|plan| plan.after)
    }
}

fn check_version(event: &Event, stored: Option<Stored>) -> Result<(), Fault> {
    let task = &event.snapshot.task;
    let found = stored.map(|stored| stored.version);
    if found.unwrap_or(0).checked_add(1) == Some(task.version) {
        return Ok(());
    }
    Err(Fault::Refused(StoreError::Conflict { id: task.id, expected: task.version.saturating_sub(1), found }))
}

/// Notes whose events they are: most often those of one device, which is then written once.
fn write_devices(transaction: &Transaction<'_>, change: &Change) -> Result<(), Fault> {
    let devices: BTreeSet<Uuid> = change.events.iter().map(|event| event.device).collect();
    for device in devices {
        let sql = "INSERT INTO devices (id) VALUES (?1) ON CONFLICT DO NOTHING";
        transaction.prepare_cached(sql)?.execute(params![device.as_bytes()])?;
    }
    Ok(())
}

/// Writes events, the first behind `last_seq`, and plans the rows of their tasks; returns the place of the last.
fn write_events<'a>(
    transaction: &Transaction<'_>,
    events: &'a [Event],
    mut last_seq: u64,
    plans: &mut Plans<'a>,
) -> Result<u64, Fault> {
    if events.is_empty() {
        return Ok(last_seq);
    }
    // Once for all: to find a statement by its text costs a part of what it does.
    let mut look_up = transaction.prepare_cached(STORED)?;
    let mut insert = transaction.prepare_cached(&INSERT_EVENT)?;
    for event in events {
        last_seq += 1;
        let plan = plans.add(event, last_seq, |id| stored(transaction, &mut look_up, id))?;
        let rows = SnapshotRow::from_snapshot(&event.snapshot);
        match write_event(&mut insert, event, &rows, last_seq) {
            Err(Fault::Sqlite(error)) => return Err(why_not_written(transaction, event, error)?),
            written => written?,
        }
        plan.rows = Some(rows);
    }
    Ok(last_seq)
}

/// Returns why an event was not written: most often its firing was before, which the index of firings found.
fn why_not_written(transaction: &Transaction<'_>, event: &Event, error: rusqlite::Error) -> Result<Fault, Fault> {
    let is_constraint = error.sqlite_error_code() == Some(ErrorCode::ConstraintViolation);
    let Some(fire_id) = event.operation.firing().map(|firing| firing.fire_id.0).filter(|_| is_constraint) else {
        return Ok(Fault::Sqlite(error));
    };
    let mut statement = transaction.prepare_cached("SELECT 1 FROM events WHERE fire_id = ?1")?;
    let has_fired = statement.exists(params![fire_id.as_bytes()])?;
    Ok(if has_fired { Fault::Refused(StoreError::FiredBefore { fire_id }) } else { Fault::Sqlite(error) })
}

fn write_event(insert: &mut Statement<'_>, event: &Event, rows: &SnapshotRow, seq: u64) -> Result<(), Fault> {
    let fire_id = event.operation.firing().map(|firing| firing.fire_id.0);
    let occurrence = &event.snapshot.occurrence;
    insert.execute(params![
        to_sql_integer("seq", seq)?,
        event.event_id.as_bytes(),
        event.op_id.as_bytes(),
        event.snapshot.task.id.0.as_bytes(),
        rows.occurrence.key,
        occurrence.generation,
        event.device.as_bytes(),
        event.actor.as_str(),
        event.at.as_millis(),
        event.operation.name(),
        to_json(&ValuesRow::from_operation(&event.operation)),
        event.from.map(StateName::as_str),
        event.to.map(StateName::as_str),
        event.is_late(),
        event.reason,
        fire_id.map(|id| *id.as_bytes()),
        to_json(rows),
    ])?;
    Ok(())
}

fn write_tasks(transaction: &Transaction<'_>, plans: &[TaskPlan<'_>]) -> Result<(), Fault> {
    if plans.is_empty() {
        return Ok(());
    }
    let mut occurrence = transaction.prepare_cached(&UPSERT_OCCURRENCE)?;
    let mut in_place = transaction.prepare_cached(&UPSERT_TASK_IN_PLACE)?;
    for plan in plans {
        let rows = plan.rows.as_ref().expect("a plan is made of events that were written");
        write_occurrences(transaction, &mut occurrence, plan, &rows.occurrence)?;
        let present = present_of(transaction, plan)?;
        if plan.stored == Some(present.name) {
            columns::write_task(&mut in_place, &rows.task, &present)?;
        } else {
            columns::write_task(&mut *transaction.prepare_cached(&UPSERT_TASK)?, &rows.task, &present)?;
        }
        if plan.sets_waits {
            write_waits(transaction, &plan.last.snapshot.task)?;
        }
    }
    Ok(())
}

fn write_occurrences(
    transaction: &Transaction<'_>,
    statement: &mut Statement<'_>,
    plan: &TaskPlan<'_>,
    last: &OccurrenceRow,
) -> Result<(), Fault> {
    let name_of_last = plan.last.snapshot.occurrence.name();
    let task = &plan.last.snapshot.task;
    let id = task.id.0.as_bytes();
    for removed in plan.occurrences.iter().filter(|plan| plan.after.is_none()) {
        let sql = "DELETE FROM occurrences WHERE task = ?1 AND key = ?2 AND generation = ?3";
        let name = removed.name;
        transaction.prepare_cached(sql)?.execute(params![id, name.key.to_string(), name.generation])?;
    }
    for plan in &plan.occurrences {
        let Some(occurrence) = plan.after else { continue };
        if plan.name == name_of_last {
            columns::write_occurrence(statement, task.id, last, plan.seq, plan.is_opened)?;
        } else {
            let row = OccurrenceRow::from_occurrence(occurrence);
            columns::write_occurrence(statement, task.id, &row, plan.seq, plan.is_opened)?;
        }
    }
    Ok(())
}

fn present_of(transaction: &Transaction<'_>, plan: &TaskPlan<'_>) -> Result<Present, Fault> {
    let task = &plan.last.snapshot.task;
    let of = |snapshot: &Snapshot| Present {
        name: snapshot.occurrence.name(),
        state: snapshot.occurrence.state.name(),
        next_wake: snapshot.next_wake(),
    };
    // Most often the last event is of it.
    if plan.last.snapshot.occurrence.name() == plan.present && plan.occurrence(plan.present).is_some() {
        return Ok(of(&plan.last.snapshot));
    }
    let occurrence = match plan.occurrence(plan.present) {
        Some(occurrence) => occurrence.clone(),
        None => read::present(transaction, task.id, plan.present_in_store())?
            .ok_or(Fault::NoOccurrence { task: task.id.0 })?,
    };
    Ok(of(&Snapshot { task: task.clone(), occurrence }))
}

fn write_waits(transaction: &Transaction<'_>, task: &Task) -> Result<(), Fault> {
    let id = task.id.0.as_bytes();
    transaction.prepare_cached("DELETE FROM waits WHERE task = ?1")?.execute(params![id])?;
    for parent in &task.waits.parents {
        let sql = "INSERT INTO waits (parent, task) VALUES (?1, ?2)";
        transaction.prepare_cached(sql)?.execute(params![parent.id.0.as_bytes(), id])?;
    }
    Ok(())
}

/// Few stand at a time, so all are written anew.
fn write_pauses(transaction: &Transaction<'_>, pauses: &[ManyPause]) -> Result<(), Fault> {
    transaction.prepare_cached("DELETE FROM pauses")?.execute([])?;
    let sql = "INSERT INTO pauses (id, tag, since_at, until_at) VALUES (?1, ?2, ?3, ?4)";
    for pause in pauses {
        let tag = match &pause.scope {
            Scope::All => None,
            Scope::Tag(tag) => Some(tag),
        };
        let until = pause.until.map(Timestamp::as_millis);
        transaction.prepare_cached(sql)?.execute(params![pause.id.as_bytes(), tag, pause.since.as_millis(), until])?;
    }
    Ok(())
}

fn write_request(transaction: &Transaction<'_>, request: &RequestSeen) -> Result<(), Fault> {
    // No upsert: a key that is seen twice would be a request that is done twice.
    let sql = "INSERT INTO requests (key, method, task, at) VALUES (?1, ?2, ?3, ?4)";
    let mut statement = transaction.prepare_cached(sql)?;
    statement.execute(params![request.key, request.method, request.task.0.as_bytes(), request.at.as_millis()])?;
    Ok(())
}

fn write_meta(transaction: &Transaction<'_>, change: &Change, last_seq: u64) -> Result<(), Fault> {
    let numbers = change.events.iter().map(|event| event.snapshot.task.number.typed());
    let highest = numbers.max().unwrap_or(0);
    let sql = "UPDATE meta SET last_seq = ?1, next_number = max(next_number, ?2), zone = coalesce(?3, zone), \
        shown_by = coalesce(?4, shown_by), away = iif(?5, ?6, away)";
    let mut statement = transaction.prepare_cached(sql)?;
    statement.execute(params![
        to_sql_integer("seq", last_seq)?,
        to_sql_integer("number", highest.saturating_add(1))?,
        change.zone,
        change.shown_by,
        change.away.is_some(),
        change.away.iter().flatten().next().map(|away| to_json(&AwayRow::from_away(away))),
    ])?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::store::sqlite::schema;

    use super::*;

    #[test]
    fn a_kill_between_statements_leaves_no_trace() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("keiko.db");
        let mut connection = schema::open(&path, uuid::Uuid::from_u128(1), schema::Sharing::Shared).unwrap();
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate).unwrap();
        write_meta(&transaction, &Change { zone: Some("Asia/Tokyo".into()), ..Change::default() }, 7).unwrap();
        // The file as it lies on the disk when the process is killed here.
        let copy = directory.path().join("killed.db");
        for suffix in ["", "-wal"] {
            std::fs::copy(with_suffix(&path, suffix), with_suffix(&copy, suffix)).unwrap();
        }
        drop(transaction);
        let reopened = schema::open(&copy, uuid::Uuid::from_u128(2), schema::Sharing::Shared).unwrap();
        let identity = read::identity(&reopened).unwrap();
        assert_eq!((identity.last_seq, identity.zone), (0, None));
        assert_eq!(identity.device, uuid::Uuid::from_u128(1));
    }

    fn with_suffix(path: &std::path::Path, suffix: &str) -> std::path::PathBuf {
        let mut name = path.as_os_str().to_owned();
        name.push(suffix);
        name.into()
    }
}
