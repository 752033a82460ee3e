//! The answers to questions, from the last committed state. Each is one statement, or one transaction.

use std::ops::{Range, RangeInclusive};
use std::sync::LazyLock;

use rusqlite::{Connection, Params, Row, params};
use uuid::Uuid;

use crate::domain::event::{Actor, Event, SKIPPED, Snapshot};
use crate::domain::import::op_id;
use crate::domain::occurrence::{Occurrence, OccurrenceName, Spent};
use crate::domain::pause::{ManyPause, Scope};
use crate::domain::state::StateName;
use crate::domain::task::{Number, TaskId};
use crate::domain::time::Timestamp;
use crate::store::sqlite::columns::{Columns, OCCURRENCE, TASK, read_occurrence, read_task};
use crate::store::sqlite::fault::Fault;
use crate::store::sqlite::outbox::{IS_HELD, IS_IN_OUTBOX};
use crate::store::sqlite::rows::away::AwayRow;
use crate::store::sqlite::rows::occurrence::SnapshotRow;
use crate::store::sqlite::rows::operation::ValuesRow;
use crate::store::sqlite::rows::task::key;
use crate::store::sqlite::rows::{RowError, timestamp, to_sql_integer};
use crate::store::{AtHand, Counts, Identity, OpenKind, RequestSeen, StoredEvent, Wake, Which};

pub(crate) const EVENT: &str = "seq, event_id, op_id, device, actor, at, operation, operation_values, from_state, to_state, \
    reason, snapshot";

/// To each task its present occurrence. The cross join only fixes the order: tasks first, then one look-up each.
pub(crate) const PRESENT: &str = "CROSS JOIN occurrences ON occurrences.task = tasks.id \
    AND occurrences.key = tasks.present_key AND occurrences.generation = tasks.present_generation";

/// The open tasks, by their index: by itself SQLite reads all tasks, since those too lie in the order of a list.
pub(crate) const OPEN: &str = "FROM tasks INDEXED BY tasks_open";

/// As the partial index of open tasks has it.
pub(crate) const IS_OPEN: &str = "present_state NOT IN ('COMPLETED', 'CANCELLED') AND deleted_at IS NULL";

/// The events that say what was missed, by their index, which holds nothing else.
pub(crate) const MISSED_SINCE: &str =
    "FROM events INDEXED BY events_missed WHERE operation IN ('passed_over', 'missed') AND at >= ?1";

pub(crate) fn identity(connection: &Connection) -> Result<Identity, Fault> {
    let mut statement =
        connection.prepare_cached("SELECT device, next_number, last_seq, zone, shown_by, away FROM meta")?;
    let mut rows = statement.query([])?;
    let row = rows.next()?.ok_or(rusqlite::Error::QueryReturnedNoRows)?;
    let mut columns = Columns::of(row);
    Ok(Identity {
        device: columns.take_id()?,
        next_number: Number(columns.take_count("next_number")?),
        last_seq: columns.take_count("last_seq")?,
        zone: columns.take()?,
        shown_by: columns.take()?,
        away: columns.take_maybe_json::<AwayRow>("away")?.map(AwayRow::into_away).transpose()?,
    })
}

pub(crate) fn pauses(connection: &Connection) -> Result<Vec<ManyPause>, Fault> {
    let sql = "SELECT id, tag, since_at, until_at FROM pauses ORDER BY since_at, id";
    each(connection, sql, [], |row| {
        let mut columns = Columns::of(row);
        let (id, tag) = (columns.take_id()?, columns.take::<Option<String>>()?);
        Ok(ManyPause {
            id,
            scope: tag.map_or(Scope::All, Scope::Tag),
            since: timestamp("since_at", columns.take()?)?,
            until: columns.take::<Option<i64>>()?.map(|until| timestamp("until_at", until)).transpose()?,
        })
    })
}

/// As [`crate::store::Store::import_behind`].
pub(crate) fn import_behind(connection: &Connection, seq: u64) -> Result<Option<RangeInclusive<u64>>, Fault> {
    // Imports lie one behind the other: the first that does not end before is the one.
    let sql = "SELECT first_seq, last_seq FROM imports WHERE last_seq > ?1 ORDER BY first_seq LIMIT 1";
    let place = i64::try_from(seq).unwrap_or(i64::MAX);
    first(connection, sql, params![place], |row| {
        let mut columns = Columns::of(row);
        Ok(columns.take_count("first_seq")?..=columns.take_count("last_seq")?)
    })
}

pub(crate) fn wakes(connection: &Connection) -> Result<Vec<Wake>, Fault> {
    let sql = "SELECT next_wake_at, id, version FROM tasks WHERE next_wake_at IS NOT NULL";
    each(connection, sql, [], read_wake)
}

fn read_wake(row: &Row<'_>) -> Result<Wake, Fault> {
    let mut columns = Columns::of(row);
    Ok(Wake {
        at: timestamp("next_wake_at", columns.take()?)?,
        id: TaskId(columns.take_id()?),
        version: columns.take_count("version")?,
    })
}

/// As [`crate::store::Store::next_wake`]: the index has the rows of one time in the order of their numbers.
pub(crate) const NEXT_WAKE: &str =
    "SELECT next_wake_at, id, version FROM tasks WHERE next_wake_at IS NOT NULL ORDER BY next_wake_at, number LIMIT 1";

pub(crate) fn next_wake(connection: &Connection) -> Result<Option<Wake>, Fault> {
    first(connection, NEXT_WAKE, [], read_wake)
}

/// As [`crate::store::Store::next_coming`], along the same index.
pub(crate) const NEXT_COMING: &str = "SELECT next_wake_at, id, version FROM tasks \
    WHERE next_wake_at IS NOT NULL AND present_state <> 'RUNNING' ORDER BY next_wake_at, number LIMIT 1";

pub(crate) fn next_coming(connection: &Connection) -> Result<Option<Wake>, Fault> {
    first(connection, NEXT_COMING, [], read_wake)
}

static SNAPSHOT: LazyLock<String> =
    LazyLock::new(|| format!("SELECT {TASK}, {OCCURRENCE} FROM tasks {PRESENT} WHERE tasks.id = ?1"));

pub(crate) fn snapshot(connection: &Connection, id: TaskId) -> Result<Option<Snapshot>, Fault> {
    first(connection, &SNAPSHOT, params![id.0.as_bytes()], read_snapshot)
}

/// As [`crate::store::Store::snapshots`].
pub(crate) fn snapshots(connection: &Connection, ids: &[TaskId]) -> Result<Vec<Snapshot>, Fault> {
    let transaction = connection.unchecked_transaction()?;
    let mut statement = transaction.prepare_cached(&SNAPSHOT)?;
    let mut found = Vec::with_capacity(ids.len());
    for id in ids {
        let mut rows = statement.query(params![id.0.as_bytes()])?;
        found.extend(rows.next()?.map(read_snapshot).transpose()?);
    }
    Ok(found)
}

pub(crate) fn by_number(connection: &Connection, number: Number) -> Result<Option<TaskId>, Fault> {
    // No task has a number that SQL cannot hold.
    let Ok(number) = i64::try_from(number.0) else { return Ok(None) };
    let sql = "SELECT id FROM tasks WHERE number = ?1 UNION ALL SELECT id FROM dead_tasks WHERE number = ?1";
    first(connection, sql, params![number], read_id)
}

pub(crate) fn by_id_prefix(connection: &Connection, prefix: &str, limit: usize) -> Result<Vec<TaskId>, Fault> {
    let Some((lowest, highest)) = bounds(prefix) else { return Ok(Vec::new()) };
    let sql = "SELECT id FROM tasks WHERE id BETWEEN ?1 AND ?2 ORDER BY id LIMIT ?3";
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    each(connection, sql, params![lowest.as_bytes(), highest.as_bytes(), limit], read_id)
}

/// Returns the lowest and the highest id that begins with `prefix`, `None` where none can.
pub(crate) fn bounds(prefix: &str) -> Option<(Uuid, Uuid)> {
    let digits: String = prefix.chars().filter(|c| *c != '-').collect();
    let bound = |filler: &str| {
        let text = format!("{digits}{}", filler.repeat(32_usize.saturating_sub(digits.len())));
        Uuid::try_parse(&text).ok()
    };
    bound("0").zip(bound("f"))
}

pub(crate) fn dependents(connection: &Connection, parent: TaskId) -> Result<Vec<TaskId>, Fault> {
    let sql = format!(
        "SELECT tasks.id FROM waits CROSS JOIN tasks ON tasks.id = waits.task \
         WHERE waits.parent = ?1 AND {IS_OPEN} ORDER BY number"
    );
    each(connection, &sql, params![parent.0.as_bytes()], read_id)
}

pub(crate) fn untold(connection: &Connection) -> Result<Vec<(TaskId, TaskId)>, Fault> {
    let sql = "SELECT tasks.id, waits.parent FROM waits CROSS JOIN tasks ON tasks.id = waits.task \
         LEFT JOIN tasks of ON of.id = waits.parent \
         WHERE tasks.present_state NOT IN ('COMPLETED', 'CANCELLED') AND tasks.deleted_at IS NULL \
         AND (of.id IS NULL OR (tasks.present_state = 'CREATED' \
             AND (of.deleted_at IS NOT NULL OR of.present_state IN ('COMPLETED', 'CANCELLED')))) \
         ORDER BY 1, 2";
    each(connection, sql, [], |row| {
        let mut columns = Columns::of(row);
        Ok((TaskId(columns.take_id()?), TaskId(columns.take_id()?)))
    })
}

pub(crate) fn imported_by(connection: &Connection, op: Uuid) -> Result<Option<Vec<TaskId>>, Fault> {
    let device = identity(connection)?.device;
    let seqs = each(connection, "SELECT first_seq, last_seq FROM imports ORDER BY first_seq", [], |row| {
        let mut columns = Columns::of(row);
        Ok(columns.take_count("first_seq")?..=columns.take_count("last_seq")?)
    })?;
    let Some(seqs) = seqs.into_iter().rfind(|seqs| op_id(device, seqs) == op) else { return Ok(None) };
    let places = [to_sql_integer("seq", *seqs.start())?, to_sql_integer("seq", *seqs.end())?];
    let sql = "SELECT task FROM events WHERE seq BETWEEN ?1 AND ?2 GROUP BY task ORDER BY min(seq)";
    each(connection, sql, places, read_id).map(Some)
}

pub(crate) fn list(connection: &Connection, which: Which, after: Number, limit: usize) -> Result<Vec<Snapshot>, Fault> {
    let (from, condition) = match which {
        Which::Open => (OPEN, format!("{IS_OPEN} AND")),
        Which::All => ("FROM tasks", "deleted_at IS NULL AND".to_owned()),
    };
    let sql =
        format!("SELECT {TASK}, {OCCURRENCE} {from} {PRESENT} WHERE {condition} number > ?1 ORDER BY number LIMIT ?2");
    let after = i64::try_from(after.0).unwrap_or(i64::MAX);
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    each(connection, &sql, params![after, limit], read_snapshot)
}

pub(crate) fn titles(connection: &Connection, which: Which) -> Result<Vec<(TaskId, String)>, Fault> {
    let (from, condition) = match which {
        Which::Open => (OPEN, IS_OPEN.to_owned()),
        Which::All => ("FROM tasks", "deleted_at IS NULL".to_owned()),
    };
    let sql = format!("SELECT tasks.id, tasks.title {from} WHERE {condition} ORDER BY number");
    each(connection, &sql, [], |row| {
        let mut columns = Columns::of(row);
        Ok((TaskId(columns.take_id()?), columns.take()?))
    })
}

/// As [`crate::store::Store::open_numbers`].
pub(crate) fn open_numbers(connection: &Connection, kind: OpenKind) -> Result<Vec<(Number, StateName)>, Fault> {
    // The first is answered from the index alone.
    let condition = match kind {
        OpenKind::Any => "",
        OpenKind::Series => " AND schedule_kind NOT IN ('none', 'once', 'countdown')",
        OpenKind::Command => " AND command IS NOT NULL",
        OpenKind::Waiting => " AND id IN (SELECT task FROM waits)",
    };
    let sql = format!("SELECT number, present_state {OPEN} WHERE {IS_OPEN}{condition} ORDER BY number");
    each(connection, &sql, [], |row| {
        let mut columns = Columns::of(row);
        let (number, word) = (Number(columns.take_count("number")?), columns.take::<String>()?);
        let state = StateName::from_word(&word).ok_or_else(|| RowError::unknown("present_state", &word))?;
        Ok((number, state))
    })
}

/// As [`crate::store::Store::open_tags`].
pub(crate) fn open_tags(connection: &Connection) -> Result<Vec<String>, Fault> {
    let tags = "json_each(tasks.tags) AS tag";
    let sql = format!("SELECT DISTINCT tag.value {OPEN}, {tags} WHERE {IS_OPEN} AND tags <> '[]' ORDER BY 1");
    each(connection, &sql, [], |row| Ok(Columns::of(row).take()?))
}

pub(crate) fn history(
    connection: &Connection,
    id: TaskId,
    cursor: u64,
    limit: usize,
) -> Result<Vec<StoredEvent>, Fault> {
    let sql = format!("SELECT {EVENT} FROM events WHERE task = ?1 AND seq > ?2 ORDER BY seq LIMIT ?3");
    let cursor = i64::try_from(cursor).unwrap_or(i64::MAX);
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    each(connection, &sql, params![id.0.as_bytes(), cursor, limit], read_event)
}

pub(crate) fn history_before(
    connection: &Connection,
    id: TaskId,
    before: u64,
    during: &Range<Timestamp>,
    limit: usize,
) -> Result<Vec<StoredEvent>, Fault> {
    let sql = format!(
        "SELECT {EVENT} FROM events WHERE task = ?1 AND seq < ?2 AND at >= ?3 AND at < ?4 ORDER BY seq DESC LIMIT ?5"
    );
    let before = i64::try_from(before).unwrap_or(i64::MAX);
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let (from, to) = (during.start.as_millis(), during.end.as_millis());
    let mut events = each(connection, &sql, params![id.0.as_bytes(), before, from, to, limit], read_event)?;
    events.reverse();
    Ok(events)
}

pub(crate) fn events_since(connection: &Connection, cursor: u64, limit: usize) -> Result<Vec<StoredEvent>, Fault> {
    let sql = format!("SELECT {EVENT} FROM events WHERE seq > ?1 ORDER BY seq LIMIT ?2");
    let cursor = i64::try_from(cursor).unwrap_or(i64::MAX);
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    each(connection, &sql, params![cursor, limit], read_event)
}

/// As [`crate::store::Store::skipped_since`].
pub(crate) fn skipped_since(
    connection: &Connection,
    since: Timestamp,
    limit: usize,
) -> Result<(u64, Vec<StoredEvent>), Fault> {
    // One transaction, so that both are of one moment.
    let transaction = connection.unchecked_transaction()?;
    let (since, limit) = (since.as_millis(), i64::try_from(limit).unwrap_or(i64::MAX));
    let counted = each(&transaction, &format!("SELECT count(*) {MISSED_SINCE}"), params![since], |row| {
        Columns::of(row).take_count("count")
    })?;
    let sql = format!("SELECT {EVENT} {MISSED_SINCE} ORDER BY at DESC, seq DESC LIMIT ?2");
    let latest = each(&transaction, &sql, params![since, limit], read_event)?;
    Ok((counted.into_iter().sum(), latest))
}

pub(crate) fn spent(connection: &Connection, since: Timestamp) -> Result<Vec<(TaskId, Spent)>, Fault> {
    // The second has few rows by its index, however long the history is.
    let sql = format!(
        "SELECT task, key, due_at FROM occurrences WHERE ended_at IS NOT NULL AND key <> 'once' AND due_at > ?1 UNION \
         SELECT task, occurrence_key, json_extract(snapshot, '$.occurrence.due.at') AS due FROM events \
         WHERE operation = 'withdrawn' AND reason = '{SKIPPED}' AND due > ?1"
    );
    let mut spent = each(connection, &sql, params![since.as_millis()], |row| {
        let mut columns = Columns::of(row);
        let (task, text) = (TaskId(columns.take_id()?), columns.take::<String>()?);
        Ok((task, Spent { key: key("key", &text)?, due: timestamp("due_at", columns.take()?)? }))
    })?;
    spent.sort_unstable();
    Ok(spent)
}

pub(crate) fn request(connection: &Connection, key: &str) -> Result<Option<RequestSeen>, Fault> {
    let sql = "SELECT key, method, task, at FROM requests WHERE key = ?1";
    first(connection, sql, params![key], |row| {
        let mut columns = Columns::of(row);
        Ok(RequestSeen {
            key: columns.take()?,
            method: columns.take()?,
            task: TaskId(columns.take_id()?),
            at: timestamp("at", columns.take()?)?,
        })
    })
}

pub(crate) fn at_hand(connection: &Connection, now: Timestamp) -> Result<AtHand, Fault> {
    const IS_DUE: &str = "command IS NULL AND acked_at IS NULL AND coalesce(held_until, 0) <= ?1";
    // One transaction, so that all is of one moment.
    let transaction = connection.unchecked_transaction()?;
    let from = format!("{OPEN} {PRESENT} WHERE {IS_OPEN} AND present_state = 'RUNNING'");
    let sql = format!(
        "SELECT count(*) FILTER (WHERE {IS_DUE}), count(*) FILTER (WHERE {IS_DUE} AND late), \
            count(*) FILTER (WHERE command IS NULL AND acked_at IS NOT NULL), \
            count(*) FILTER (WHERE command IS NULL AND acked_at IS NULL AND held_until > ?1), \
            count(*) FILTER (WHERE command IS NOT NULL) {from}"
    );
    let at_hand = first(&transaction, &sql, params![now.as_millis()], |row| {
        let mut columns = Columns::of(row);
        Ok(AtHand {
            due: columns.take_count("due")?,
            late: columns.take_count("late")?,
            seen: columns.take_count("seen")?,
            held: columns.take_count("held")?,
            commands: columns.take_count("commands")?,
            first: None,
        })
    })?;
    let sql = format!(
        "SELECT tasks.id {from} AND {IS_DUE} \
         ORDER BY CASE priority WHEN 'high' THEN 0 WHEN 'normal' THEN 1 ELSE 2 END, fired_at, number LIMIT 1"
    );
    let most_important = first(&transaction, &sql, params![now.as_millis()], read_id)?;
    Ok(AtHand { first: most_important, ..at_hand.expect("a count gives one row") })
}

pub(crate) fn counts(connection: &Connection) -> Result<Counts, Fault> {
    // One transaction, so that the numbers are of one moment.
    let transaction = connection.unchecked_transaction()?;
    let mut counts = Counts::default();
    // No grouping, which would sort all of them.
    let of = |state: StateName| format!("count(*) FILTER (WHERE present_state = '{}')", state.as_str());
    let open = [StateName::Created, StateName::Pending, StateName::Running, StateName::Suspended, StateName::Failed];
    let sql = format!("SELECT {}, count(*) {OPEN} WHERE {IS_OPEN}", open.map(of).join(", "));
    let is_open = first(&transaction, &sql, [], |row| {
        let mut columns = Columns::of(row);
        counts.created = columns.take_count("created")?;
        counts.pending = columns.take_count("pending")?;
        counts.running = columns.take_count("running")?;
        counts.suspended = columns.take_count("suspended")?;
        counts.failed = columns.take_count("failed")?;
        columns.take_count("open")
    })?;
    // Not by a condition that all but few fulfil, which would read every row.
    let all = count(&transaction, "SELECT count(*) FROM tasks")?;
    let deleted = count(&transaction, "SELECT count(*) FROM tasks WHERE deleted_at IS NOT NULL")?;
    counts.ended = all.saturating_sub(deleted).saturating_sub(is_open.expect("a count gives one row"));
    counts.outbox = count(&transaction, &format!("SELECT count(*) FROM deliveries WHERE {IS_IN_OUTBOX}"))?;
    counts.held = count(&transaction, &format!("SELECT count(*) FROM deliveries WHERE {IS_HELD}"))?;
    Ok(counts)
}

/// Returns a stored occurrence: the named one, or the one that was opened last.
pub(crate) fn present(
    connection: &Connection,
    task: TaskId,
    name: Option<OccurrenceName>,
) -> Result<Option<Occurrence>, Fault> {
    let read = |row: &Row<'_>| Ok(read_occurrence(&mut Columns::of(row))?.into_occurrence()?);
    let id = task.0.as_bytes();
    if let Some(name) = name {
        let sql = format!("SELECT {OCCURRENCE} FROM occurrences WHERE task = ?1 AND key = ?2 AND generation = ?3");
        first(connection, &sql, params![id, name.key.to_string(), name.generation], read)
    } else {
        let sql = format!("SELECT {OCCURRENCE} FROM occurrences WHERE task = ?1 ORDER BY opened_seq DESC LIMIT 1");
        first(connection, &sql, params![id], read)
    }
}

/// Reads an occurrence's key and generation.
pub(crate) fn name(columns: &mut Columns<'_>) -> Result<OccurrenceName, Fault> {
    let text: String = columns.take()?;
    Ok(OccurrenceName { key: key("occurrence_key", &text)?, generation: columns.take()? })
}

pub(crate) fn each<T>(
    connection: &Connection,
    sql: &str,
    params: impl Params,
    read: impl Fn(&Row<'_>) -> Result<T, Fault>,
) -> Result<Vec<T>, Fault> {
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query(params)?;
    let mut all = Vec::new();
    while let Some(row) = rows.next()? {
        all.push(read(row)?);
    }
    Ok(all)
}

pub(crate) fn first<T>(
    connection: &Connection,
    sql: &str,
    params: impl Params,
    read: impl FnOnce(&Row<'_>) -> Result<T, Fault>,
) -> Result<Option<T>, Fault> {
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query(params)?;
    rows.next()?.map(read).transpose()
}

fn count(connection: &Connection, sql: &str) -> Result<u64, Fault> {
    let counted = first(connection, sql, [], |row| Columns::of(row).take_count("count"))?;
    Ok(counted.expect("count(*) gives one row"))
}

pub(crate) fn read_id(row: &Row<'_>) -> Result<TaskId, Fault> {
    Ok(TaskId(Columns::of(row).take_id()?))
}

fn read_snapshot(row: &Row<'_>) -> Result<Snapshot, Fault> {
    let mut columns = Columns::of(row);
    let mut snapshot = || {
        let task = read_task(&mut columns)?.into_task()?;
        Ok(Snapshot { task, occurrence: read_occurrence(&mut columns)?.into_occurrence()? })
    };
    let number = || row.get::<_, i64>(0).unwrap_or_default();
    snapshot().map_err(|fault: Fault| fault.in_row(|| format!("task {}", number())))
}

pub(crate) fn read_event(row: &Row<'_>) -> Result<StoredEvent, Fault> {
    let mut columns = Columns::of(row);
    let seq = columns.take_count("seq")?;
    let mut event = move || {
        Ok(Event {
            event_id: columns.take_id()?,
            op_id: columns.take_id()?,
            device: columns.take_id()?,
            actor: {
                let word: String = columns.take()?;
                Actor::from_word(&word).ok_or_else(|| RowError::unknown("actor", word))?
            },
            at: timestamp("at", columns.take()?)?,
            operation: {
                let name: String = columns.take()?;
                columns.take_json::<ValuesRow>("operation_values")?.into_operation(&name)?
            },
            from: columns.take::<Option<String>>()?.map(|word| state("from_state", word)).transpose()?,
            to: columns.take::<Option<String>>()?.map(|word| state("to_state", word)).transpose()?,
            reason: columns.take()?,
            snapshot: columns.take_json::<SnapshotRow>("snapshot")?.into_snapshot()?,
        })
    };
    let event = event().map_err(|fault: Fault| fault.in_row(|| format!("event {seq}")))?;
    Ok(StoredEvent { seq, event })
}

fn state(field: &'static str, word: String) -> Result<StateName, RowError> {
    StateName::from_word(&word).ok_or_else(|| RowError::unknown(field, word))
}
