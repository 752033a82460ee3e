//! Which column holds which field of a row, in one order for reading and writing.

use std::sync::LazyLock;

use rusqlite::types::FromSql;
use rusqlite::{Row, Statement, params};
use uuid::Uuid;

use crate::domain::occurrence::OccurrenceName;
use crate::domain::state::StateName;
use crate::domain::task::TaskId;
use crate::domain::time::Timestamp;
use crate::store::sqlite::fault::Fault;
use crate::store::sqlite::rows::occurrence::{DueRow, OccurrenceRow, SlotRow, SnoozeRow, StateRow, SuspendedRow};
use crate::store::sqlite::rows::task::{InstanceRow, NagRow, ScheduleRow, TaskRow};
use crate::store::sqlite::rows::{from_json, from_sql_integer, to_json, to_sql_integer};

/// The columns of a task, in the order of [`read_task`].
pub(crate) const TASK: &str = "number, id, version, title, notes, link, priority, tags, metadata, targets, alerts_ms, \
    schedule_text, schedule_kind, schedule_zone, schedule_rrule, schedule_cron, schedule_every_ms, schedule_from, \
    schedule_until, schedule_count, schedule_after_done, missed, nag_ms, nag_max, auto_done, deadline, waits, \
    created_at, updated_at, cursor_key, cursor_nominal, cursor_due_at, last_ended_key, \
    last_ended_nominal, last_ended_due_at, previous_outcome, \
    max_retries, max_late_ms, follows, followed_by, deleted_at, command";

/// The columns of a task that follow from its present occurrence.
const PRESENT: &str = "present_key, present_generation, present_state, next_wake_at";

/// The columns of an occurrence, in the order of [`read_occurrence`].
pub(crate) const OCCURRENCE: &str = "key, generation, due_nominal, due_at, moved_from_nominal, \
    moved_from_at, successor_at, spoken, last_spoken, \
    deadline_nominal, deadline_at, is_past_deadline, nags, moved_by, state, snooze_id, snooze_until, snooze_slot, \
    snooze_is_chosen, snooze_is_duration, is_missed, fired_at, rang_at, nags_since, is_hushed, late, acked_at, \
    held_until, \
    suspended_id, suspended_at, suspended_until, remaining_ms, \
    suspended_is_this_only, failed_at, ended_at, outcome, retry_at";

/// Which of those say which occurrence that is: they refer to its row, which is looked for where they are assigned.
const PRESENT_NAME: &str = "present_key, present_generation";

/// Inserts or replaces the row of a task.
pub(crate) static UPSERT_TASK: LazyLock<String> =
    LazyLock::new(|| upsert("tasks", "id", "number", &format!("{TASK}, {PRESENT}")));

/// As [`UPSERT_TASK`], with the same parameters, for a task whose present occurrence stays the same one.
pub(crate) static UPSERT_TASK_IN_PLACE: LazyLock<String> =
    LazyLock::new(|| upsert("tasks", "id", &format!("number, {PRESENT_NAME}"), &format!("{TASK}, {PRESENT}")));

/// Inserts or replaces the row of an occurrence; the last parameter says whether it is opened by this.
pub(crate) static UPSERT_OCCURRENCE: LazyLock<String> = LazyLock::new(|| {
    let columns = format!("{OCCURRENCE}, task, opened_seq");
    let opened = columns.split(", ").count() + 1;
    let keys = "task, key, generation";
    format!(
        "{} ON CONFLICT ({keys}) DO UPDATE SET {}, \
         opened_seq = CASE WHEN ?{opened} THEN excluded.opened_seq ELSE opened_seq END",
        insert("occurrences", &columns),
        assignments(keys, OCCURRENCE),
    )
});

/// Returns the statement that inserts a row, with one parameter a column.
pub(crate) fn insert(table: &str, columns: &str) -> String {
    let parameters: Vec<String> = (1..=columns.split(", ").count()).map(|index| format!("?{index}")).collect();
    format!("INSERT INTO {table} ({columns}) VALUES ({})", parameters.join(", "))
}

/// Returns the statement that inserts a row, or replaces the one that has the same `keys`, but for what is `fixed`.
pub(crate) fn upsert(table: &str, keys: &str, fixed: &str, columns: &str) -> String {
    let kept = format!("{keys}, {fixed}");
    format!("{} ON CONFLICT ({keys}) DO UPDATE SET {}", insert(table, columns), assignments(&kept, columns))
}

/// Returns the assignments that give each column what the insertion would have given it, but for those that are `kept`.
///
/// Those are the same already, and where one is assigned all the same SQLite does as if it were not: it looks for rows that
/// refer to it, in every delivery there ever was, for each task that is written; it looks for the row that it refers to,
/// and keeps a copy of each page for when there is none (<https://www.sqlite.org/foreignkeys.html>, section 3); and it
/// writes every index anew that has it.
fn assignments(kept: &str, columns: &str) -> String {
    let keys: Vec<&str> = kept.split(", ").collect();
    let others = columns.split(", ").filter(|column| !keys.contains(column));
    others.map(|column| format!("{column} = excluded.{column}")).collect::<Vec<_>>().join(", ")
}

/// What of the present occurrence stands in its task's row.
pub(crate) struct Present {
    pub(crate) name: OccurrenceName,
    pub(crate) state: StateName,
    pub(crate) next_wake: Option<Timestamp>,
}

/// Reads a row's columns one after another.
pub(crate) struct Columns<'a> {
    row: &'a Row<'a>,
    next: usize,
}

impl<'a> Columns<'a> {
    pub(crate) const fn of(row: &'a Row<'a>) -> Self {
        Self { row, next: 0 }
    }

    pub(crate) const fn from(row: &'a Row<'a>, first: usize) -> Self {
        Self { row, next: first }
    }

    pub(crate) fn take<T: FromSql>(&mut self) -> Result<T, rusqlite::Error> {
        let value = self.row.get(self.next)?;
        self.next += 1;
        Ok(value)
    }

    /// Takes two columns that are filled together or not at all.
    pub(crate) fn take_both<A: FromSql, B: FromSql>(&mut self) -> Result<Option<(A, B)>, rusqlite::Error> {
        let first: Option<A> = self.take()?;
        Ok(first.zip(self.take()?))
    }

    pub(crate) fn take_id(&mut self) -> Result<Uuid, rusqlite::Error> {
        self.take().map(Uuid::from_bytes)
    }

    pub(crate) fn take_count(&mut self, field: &'static str) -> Result<u64, Fault> {
        Ok(from_sql_integer(field, self.take()?)?)
    }

    pub(crate) fn take_json<T: serde::de::DeserializeOwned>(&mut self, field: &'static str) -> Result<T, Fault> {
        Ok(from_json(field, self.row.get_ref(self.step())?.as_str().map_err(rusqlite::Error::from)?)?)
    }

    pub(crate) fn take_maybe_json<T: serde::de::DeserializeOwned>(
        &mut self,
        field: &'static str,
    ) -> Result<Option<T>, Fault> {
        let text = self.row.get_ref(self.step())?.as_str_or_null().map_err(rusqlite::Error::from)?;
        Ok(text.map(|text| from_json(field, text)).transpose()?)
    }

    fn step(&mut self) -> usize {
        self.next += 1;
        self.next - 1
    }
}

/// Writes a task's row by [`UPSERT_TASK`].
pub(crate) fn write_task(statement: &mut Statement<'_>, task: &TaskRow, present: &Present) -> Result<(), Fault> {
    let (schedule, cursor, last_ended) = (&task.schedule, task.cursor.as_ref(), task.last_ended.as_ref());
    statement.execute(params![
        to_sql_integer("number", task.number)?,
        task.id.as_bytes(),
        to_sql_integer("version", task.version)?,
        task.title,
        task.notes,
        task.link,
        task.priority,
        to_json(&task.tags),
        to_json(&task.metadata),
        to_json(&task.targets),
        to_json(&task.alerts_ms),
        schedule.text,
        schedule.kind,
        schedule.zone,
        schedule.rrule,
        schedule.cron,
        schedule.every_ms,
        schedule.from,
        schedule.until,
        schedule.count,
        schedule.after_done.as_ref().map(to_json),
        task.missed,
        task.nag.map(|nag| nag.every_ms),
        task.nag.map(|nag| nag.max),
        task.auto_done,
        task.deadline.as_ref().map(to_json),
        task.waits.as_ref().map(to_json),
        task.created_at,
        task.updated_at,
        cursor.map(|cursor| &cursor.key),
        cursor.map(|cursor| &cursor.nominal),
        cursor.map(|cursor| cursor.due_at),
        last_ended.map(|last| &last.key),
        last_ended.map(|last| &last.nominal),
        last_ended.map(|last| last.due_at),
        task.previous_outcome,
        task.max_retries,
        task.max_late_ms,
        task.follows.as_ref().map(to_json),
        task.followed_by.as_ref().map(to_json),
        task.deleted_at,
        task.command.as_ref().map(to_json),
        present.name.key.to_string(),
        present.name.generation,
        present.state.as_str(),
        present.next_wake.map(Timestamp::as_millis),
    ])?;
    Ok(())
}

/// Reads [`TASK`].
pub(crate) fn read_task(columns: &mut Columns<'_>) -> Result<TaskRow, Fault> {
    Ok(TaskRow {
        number: columns.take_count("number")?,
        id: columns.take_id()?,
        version: columns.take_count("version")?,
        title: columns.take()?,
        notes: columns.take()?,
        link: columns.take()?,
        priority: columns.take()?,
        tags: columns.take_json("tags")?,
        metadata: columns.take_json("metadata")?,
        targets: columns.take_json("targets")?,
        alerts_ms: columns.take_json("alerts_ms")?,
        schedule: ScheduleRow {
            text: columns.take()?,
            kind: columns.take()?,
            zone: columns.take()?,
            rrule: columns.take()?,
            cron: columns.take()?,
            every_ms: columns.take()?,
            from: columns.take()?,
            until: columns.take()?,
            count: columns.take()?,
            after_done: columns.take_maybe_json("schedule_after_done")?,
        },
        missed: columns.take()?,
        nag: columns.take_both()?.map(|(every_ms, max)| NagRow { every_ms, max }),
        auto_done: columns.take()?,
        deadline: columns.take_maybe_json("deadline")?,
        waits: columns.take_maybe_json("waits")?,
        created_at: columns.take()?,
        updated_at: columns.take()?,
        cursor: read_instance(columns)?,
        last_ended: read_instance(columns)?,
        previous_outcome: columns.take()?,
        max_retries: columns.take()?,
        max_late_ms: columns.take()?,
        follows: columns.take_maybe_json("follows")?,
        followed_by: columns.take_maybe_json("followed_by")?,
        deleted_at: columns.take()?,
        command: columns.take_maybe_json("command")?,
    })
}

/// Writes an occurrence's row by [`UPSERT_OCCURRENCE`].
pub(crate) fn write_occurrence(
    statement: &mut Statement<'_>,
    task: TaskId,
    occurrence: &OccurrenceRow,
    opened_seq: u64,
    is_opened: bool,
) -> Result<(), Fault> {
    let (due, deadline, state) = (occurrence.due.as_ref(), occurrence.deadline.as_ref(), &occurrence.state);
    let (snooze, suspended) = (state.snooze.as_ref(), state.suspended.as_ref());
    let moved_from = occurrence.moved_from.as_ref();
    statement.execute(params![
        occurrence.key,
        occurrence.generation,
        due.map(|due| &due.nominal),
        due.map(|due| due.at),
        moved_from.map(|due| &due.nominal),
        moved_from.map(|due| due.at),
        occurrence.successor_at,
        to_json(&occurrence.spoken),
        occurrence.last_spoken.as_ref().map(SlotRow::name),
        deadline.map(|deadline| &deadline.nominal),
        deadline.map(|deadline| deadline.at),
        occurrence.is_past_deadline,
        occurrence.nags,
        occurrence.moved_by.map(|id| *id.as_bytes()),
        state.name,
        snooze.map(|snooze| snooze.id.as_bytes()),
        snooze.map(|snooze| snooze.until),
        snooze.map(|snooze| snooze.slot.name()),
        snooze.map(|snooze| snooze.is_chosen),
        snooze.map(|snooze| snooze.is_duration),
        state.is_missed,
        state.fired_at,
        state.rang_at,
        state.nags_since,
        state.is_hushed,
        state.late,
        state.acked_at.or_else(|| suspended.and_then(|suspended| suspended.acked_at)),
        state.held_until,
        suspended.map(|suspended| suspended.id.as_bytes()),
        suspended.map(|suspended| suspended.at),
        suspended.and_then(|suspended| suspended.until),
        suspended.and_then(|suspended| suspended.remaining_ms),
        suspended.map(|suspended| suspended.is_this_only),
        state.failed_at,
        state.ended_at,
        state.outcome,
        state.retry_at,
        task.0.as_bytes(),
        to_sql_integer("opened_seq", opened_seq)?,
        is_opened,
    ])?;
    Ok(())
}

/// Reads [`OCCURRENCE`].
pub(crate) fn read_occurrence(columns: &mut Columns<'_>) -> Result<OccurrenceRow, Fault> {
    Ok(OccurrenceRow {
        key: columns.take()?,
        generation: columns.take()?,
        due: columns.take_both()?.map(|(nominal, at)| DueRow { nominal, at }),
        moved_from: columns.take_both()?.map(|(nominal, at)| DueRow { nominal, at }),
        successor_at: columns.take()?,
        spoken: columns.take_json("spoken")?,
        last_spoken: columns.take::<Option<String>>()?.map(SlotRow::Name),
        deadline: columns.take_both()?.map(|(nominal, at)| DueRow { nominal, at }),
        is_past_deadline: columns.take()?,
        nags: columns.take()?,
        moved_by: columns.take::<Option<[u8; 16]>>()?.map(Uuid::from_bytes),
        state: read_state(columns)?,
    })
}

fn read_state(columns: &mut Columns<'_>) -> Result<StateRow, Fault> {
    let mut state = StateRow {
        name: columns.take()?,
        snooze: read_snooze(columns)?,
        is_missed: columns.take()?,
        fired_at: columns.take()?,
        rang_at: columns.take()?,
        nags_since: columns.take()?,
        is_hushed: columns.take()?,
        late: columns.take()?,
        acked_at: columns.take()?,
        held_until: columns.take()?,
        suspended: read_suspended(columns)?,
        failed_at: columns.take()?,
        ended_at: columns.take()?,
        outcome: columns.take()?,
        retry_at: columns.take()?,
    };
    // What is asleep was seen before it fell asleep.
    if let Some(suspended) = &mut state.suspended {
        suspended.acked_at = state.acked_at.take();
    }
    Ok(state)
}

fn read_instance(columns: &mut Columns<'_>) -> Result<Option<InstanceRow>, Fault> {
    let (name, due_at) = (columns.take_both()?, columns.take::<Option<i64>>()?);
    Ok(name.zip(due_at).map(|((key, nominal), due_at)| InstanceRow { key, nominal, due_at }))
}

fn read_snooze(columns: &mut Columns<'_>) -> Result<Option<SnoozeRow>, Fault> {
    let (first, second) = (columns.take_both()?, columns.take_both()?);
    let is_duration = columns.take::<Option<bool>>()?.unwrap_or(false);
    Ok(first.zip(second).map(|((id, until), (slot, is_chosen))| SnoozeRow {
        id: Uuid::from_bytes(id),
        until,
        slot: SlotRow::Name(slot),
        is_chosen,
        is_duration,
    }))
}

fn read_suspended(columns: &mut Columns<'_>) -> Result<Option<SuspendedRow>, Fault> {
    let suspended = columns.take_both()?;
    let (until, remaining_ms) = (columns.take()?, columns.take()?);
    let is_this_only = columns.take::<Option<bool>>()?.unwrap_or(false);
    Ok(suspended.map(|(id, at)| SuspendedRow {
        id: Uuid::from_bytes(id),
        at,
        until,
        remaining_ms,
        is_this_only,
        acked_at: None,
    }))
}
