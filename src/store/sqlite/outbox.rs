//! Deliveries and their targets in SQL: how they are written, and the answers to questions about them.

use std::sync::{Arc, LazyLock};

use rusqlite::types::Value;
use rusqlite::{Connection, Row, Statement, Transaction, params, params_from_iter};
use uuid::Uuid;

use crate::domain::breaker::{Breaker, TargetHealth};
use crate::domain::delivery::{ChannelKind, Delivery, DeliveryId, Frozen, StatusName, Target};
use crate::domain::message::{Message, Occasion, Reason};
use crate::domain::occurrence::{FireId, OccurrenceName};
use crate::domain::outbox::{DeliveryFilter, Statuses, TargetCount};
use crate::domain::task::{Number, TaskId};
use crate::domain::time::Timestamp;
use crate::store::sqlite::columns::{self, Columns};
use crate::store::sqlite::fault::Fault;
use crate::store::sqlite::read::{each, first, name};
use crate::store::sqlite::rows::delivery::StatusRow;
use crate::store::sqlite::rows::occurrence::{DueRow, slot};
use crate::store::sqlite::rows::{
    RowError, from_json, from_sql_integer, priority, required, timestamp, to_json, to_sql_integer,
};

/// The columns of a delivery, in the order of [`read_delivery`].
pub(crate) const DELIVERY: &str = "fire_id, channel, address, task, occurrence_key, occurrence_generation, number, \
    title, body, priority, link, device, reason, slot, nominal_at, late, due_nominal, due_at, notes, tags, \
    metadata, status, status_at, frozen_headers, frozen_body, expires_at, attempts, created_at, last_error, digest, \
    receipt";

/// The columns of a target, in the order of [`read_target`].
const TARGET: &str = "channel, address, failures, breaker, since_at, next_at, probes, last_error";

/// As the partial index of the outbox has it, so that the index answers.
pub(crate) const IS_IN_OUTBOX: &str = "status <> 'delivered' AND status <> 'failed' AND status <> 'withdrawn'";

/// As the partial index of what is held has it, so that the index answers.
pub(crate) const IS_HELD: &str = "status = 'held'";

/// As the partial index of what digests tell has it, so that the index answers.
pub(crate) const IS_MEMBER: &str = "digest IS NOT NULL AND digest = ?1 AND channel = ?2 AND address = ?3";

/// A delivery is of the same task for ever, and made for the same reason.
pub(crate) static UPSERT_DELIVERY: LazyLock<String> =
    LazyLock::new(|| columns::upsert("deliveries", "fire_id, channel, address", "task, reason", DELIVERY));

static UPSERT_TARGET: LazyLock<String> = LazyLock::new(|| columns::upsert("targets", "channel, address", "", TARGET));

pub(crate) fn delivery(connection: &Connection, id: &DeliveryId) -> Result<Option<Delivery>, Fault> {
    let sql = format!("SELECT {DELIVERY} FROM deliveries WHERE fire_id = ?1 AND channel = ?2 AND address = ?3");
    let target = &id.target;
    first(connection, &sql, params![id.fire_id.0.as_bytes(), target.kind.as_str(), target.address], read_delivery)
}

pub(crate) fn deliveries(
    connection: &Connection,
    task: TaskId,
    occurrence: Option<OccurrenceName>,
) -> Result<Vec<Delivery>, Fault> {
    let sql = format!(
        "SELECT {DELIVERY} FROM deliveries WHERE task = ?1 \
         AND (?2 IS NULL OR (occurrence_key = ?2 AND occurrence_generation = ?3)) ORDER BY position"
    );
    let key = occurrence.map(|name| name.key.to_string());
    let generation = occurrence.map(|name| name.generation);
    each(connection, &sql, params![task.0.as_bytes(), key, generation], read_delivery)
}

pub(crate) fn of_firings(connection: &Connection, firings: &[FireId]) -> Result<Vec<Delivery>, Fault> {
    let sql = format!("SELECT {DELIVERY} FROM deliveries WHERE fire_id = ?1 ORDER BY position");
    let mut all = Vec::new();
    for firing in firings {
        all.extend(each(connection, &sql, params![firing.0.as_bytes()], read_delivery)?);
    }
    Ok(all)
}

pub(crate) fn outbox(connection: &Connection) -> Result<Vec<Delivery>, Fault> {
    let sql = format!("SELECT {DELIVERY} FROM deliveries WHERE {IS_IN_OUTBOX} ORDER BY position");
    each(connection, &sql, [], read_delivery)
}

/// As [`crate::store::Store::members`].
pub(crate) fn members(connection: &Connection, digest: &DeliveryId) -> Result<Vec<Delivery>, Fault> {
    let sql = format!("SELECT {DELIVERY} FROM deliveries WHERE {IS_MEMBER} ORDER BY position");
    let target = &digest.target;
    each(connection, &sql, params![digest.fire_id.0.as_bytes(), target.kind.as_str(), target.address], read_delivery)
}

pub(crate) fn held(connection: &Connection, target: &Target, limit: usize) -> Result<Vec<Delivery>, Fault> {
    let sql = format!(
        "SELECT {DELIVERY} FROM deliveries WHERE {IS_HELD} AND channel = ?1 AND address = ?2 ORDER BY position LIMIT ?3"
    );
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    each(connection, &sql, params![target.kind.as_str(), target.address, limit], read_delivery)
}

/// As [`crate::store::Store::deliveries_after`]. Only the conditions that are there are written, so that the index of each
/// shape answers.
pub(crate) fn page(
    connection: &Connection,
    which: &DeliveryFilter,
    after: u64,
    limit: usize,
) -> Result<Vec<(u64, Delivery)>, Fault> {
    let mut conditions = vec!["position > ?".to_owned()];
    let mut values = vec![Value::Integer(to_sql_integer("position", after)?)];
    if let Some(task) = which.task {
        conditions.push("task = ?".to_owned());
        values.push(Value::Blob(task.0.as_bytes().to_vec()));
    }
    if let Some(kind) = which.kind {
        conditions.push("channel = ?".to_owned());
        values.push(Value::Text(kind.as_str().to_owned()));
    }
    if let Some(target) = &which.target {
        conditions.push("channel = ? AND address = ?".to_owned());
        values.extend([Value::Text(target.kind.as_str().to_owned()), Value::Text(target.address.clone())]);
    }
    match which.statuses {
        Statuses::All => {}
        Statuses::Open => conditions.push(IS_IN_OUTBOX.to_owned()),
        // As a literal: a partial index is not found by a parameter.
        Statuses::One(status) => {
            conditions.push(format!("status = '{}'", status.as_str()));
            if !status.is_final() {
                conditions.push(IS_IN_OUTBOX.to_owned());
            }
        }
    }
    values.push(Value::Integer(i64::try_from(limit).unwrap_or(i64::MAX)));
    let conditions = conditions.join(" AND ");
    let sql = format!("SELECT position, {DELIVERY} FROM deliveries WHERE {conditions} ORDER BY position LIMIT ?");
    each(connection, &sql, params_from_iter(values), |row| {
        let position = from_sql_integer("position", row.get(0)?)?;
        Ok((position, read_delivery_from(row, 1)?))
    })
}

/// As [`crate::store::Store::failed_since`].
pub(crate) fn failed_since(
    connection: &Connection,
    since: Timestamp,
    limit: usize,
) -> Result<(u64, Vec<Delivery>), Fault> {
    // One transaction, so that both are of one moment.
    let transaction = connection.unchecked_transaction()?;
    // As a literal: a partial index is not found by a parameter.
    let which = "FROM deliveries AS failed WHERE status = 'failed' AND status_at >= ?1 AND NOT EXISTS (SELECT 1 \
        FROM deliveries AS later WHERE later.task = failed.task AND later.position > failed.position \
        AND later.occurrence_key = failed.occurrence_key \
        AND later.occurrence_generation = failed.occurrence_generation AND later.channel = failed.channel \
        AND later.address = failed.address AND later.status = 'delivered')";
    let (since, limit) = (since.as_millis(), i64::try_from(limit).unwrap_or(i64::MAX));
    let counted = each(&transaction, &format!("SELECT count(*) {which}"), params![since], |row| {
        Columns::of(row).take_count("count")
    })?;
    let sql = format!("SELECT {DELIVERY} {which} ORDER BY status_at DESC, position DESC LIMIT ?2");
    let latest = each(&transaction, &sql, params![since, limit], read_delivery)?;
    Ok((counted.into_iter().sum(), latest))
}

pub(crate) fn counts_by_target(connection: &Connection) -> Result<Vec<TargetCount>, Fault> {
    let sql = format!(
        "SELECT channel, address, status, count(*) FROM deliveries INDEXED BY deliveries_open_by_target \
         WHERE {IS_IN_OUTBOX} GROUP BY channel, address, status"
    );
    let mut counts = each(connection, &sql, [], |row| {
        let mut columns = Columns::of(row);
        let (kind, address, status): (String, String, String) = (columns.take()?, columns.take()?, columns.take()?);
        Ok(TargetCount {
            target: Target {
                kind: ChannelKind::from_word(&kind).ok_or_else(|| RowError::unknown("channel", kind))?,
                address,
            },
            status: StatusName::from_word(&status).ok_or_else(|| RowError::unknown("status", status))?,
            count: columns.take_count("count")?,
        })
    })?;
    counts.sort_unstable();
    Ok(counts)
}

pub(crate) fn targets(connection: &Connection) -> Result<Vec<TargetHealth>, Fault> {
    let mut targets = each(connection, &format!("SELECT {TARGET} FROM targets"), [], read_target)?;
    targets.sort_by(|one, other| one.target.cmp(&other.target));
    Ok(targets)
}

pub(crate) fn write_deliveries(transaction: &Transaction<'_>, deliveries: &[Delivery]) -> Result<(), Fault> {
    if deliveries.is_empty() {
        return Ok(());
    }
    let mut statement = transaction.prepare_cached(&UPSERT_DELIVERY)?;
    deliveries.iter().try_for_each(|delivery| write_delivery(&mut statement, delivery))
}

fn write_delivery(statement: &mut Statement<'_>, delivery: &Delivery) -> Result<(), Fault> {
    let (id, message) = (&delivery.id, &delivery.message);
    let occasion = &delivery.occasion;
    let due = occasion.due.as_ref().map(DueRow::from_due);
    let status = StatusRow::from_status(delivery.status);
    statement.execute(params![
        id.fire_id.0.as_bytes(),
        id.target.kind.as_str(),
        id.target.address,
        delivery.task.0.as_bytes(),
        delivery.occurrence.key.to_string(),
        delivery.occurrence.generation,
        to_sql_integer("number", message.number.0)?,
        message.title,
        message.body,
        message.priority.as_str(),
        message.link,
        occasion.device.as_bytes(),
        occasion.reason.as_str(),
        occasion.slot.exact(),
        occasion.nominal_at.as_millis(),
        occasion.late,
        due.as_ref().map(|due| &due.nominal),
        due.as_ref().map(|due| due.at),
        occasion.notes,
        to_json(&occasion.tags),
        to_json(&occasion.metadata),
        status.word,
        status.at,
        delivery.frozen.as_ref().map(|frozen| to_json(&frozen.headers)),
        delivery.frozen.as_ref().map(|frozen| &frozen.body),
        delivery.expires_at.map(Timestamp::as_millis),
        delivery.attempts,
        delivery.created_at.as_millis(),
        delivery.last_error,
        delivery.digest.map(|digest| *digest.0.as_bytes()),
        delivery.receipt,
    ])?;
    Ok(())
}

pub(crate) fn write_target(transaction: &Transaction<'_>, health: &TargetHealth) -> Result<(), Fault> {
    let (since_at, next_at, probes) = match health.breaker {
        Breaker::Closed => (None, None, None),
        Breaker::Open { since, probe_at, probes } => (Some(since), Some(probe_at), Some(probes)),
        Breaker::Paused { since } => (Some(since), None, None),
        Breaker::Releasing { next_at } => (None, Some(next_at), None),
    };
    transaction.prepare_cached(&UPSERT_TARGET)?.execute(params![
        health.target.kind.as_str(),
        health.target.address,
        health.failures,
        health.breaker.as_str(),
        since_at.map(Timestamp::as_millis),
        next_at.map(Timestamp::as_millis),
        probes,
        health.last_error,
    ])?;
    Ok(())
}

fn read_delivery(row: &Row<'_>) -> Result<Delivery, Fault> {
    read_delivery_from(row, 0)
}

/// Reads [`DELIVERY`] from a column on.
fn read_delivery_from(row: &Row<'_>, first: usize) -> Result<Delivery, Fault> {
    let mut columns = Columns::from(row, first);
    let fire_id = FireId(columns.take_id()?);
    let mut delivery = move || {
        let kind: String = columns.take()?;
        let kind = ChannelKind::from_word(&kind).ok_or_else(|| RowError::unknown("channel", kind))?;
        Ok(Delivery {
            id: DeliveryId { fire_id, target: Target { kind, address: columns.take()? } },
            task: TaskId(columns.take_id()?),
            occurrence: name(&mut columns)?,
            message: Message {
                number: Number(columns.take_count("number")?),
                title: columns.take()?,
                body: columns.take()?,
                priority: priority(&columns.take::<String>()?)?,
                link: columns.take()?,
            },
            occasion: read_occasion(&mut columns)?,
            status: StatusRow { word: columns.take()?, at: columns.take()? }.into_status()?,
            frozen: read_frozen(&mut columns)?,
            expires_at: columns.take::<Option<i64>>()?.map(|at| timestamp("expires_at", at)).transpose()?,
            attempts: columns.take()?,
            created_at: timestamp("created_at", columns.take()?)?,
            last_error: columns.take()?,
            digest: columns.take::<Option<[u8; 16]>>()?.map(|id| FireId(Uuid::from_bytes(id))),
            receipt: columns.take()?,
        })
    };
    delivery().map_err(|fault: Fault| fault.in_row(|| format!("delivery of firing {fire_id}")))
}

fn read_occasion(columns: &mut Columns<'_>) -> Result<Occasion, Fault> {
    Ok(Occasion {
        device: columns.take_id()?,
        reason: {
            let word: String = columns.take()?;
            Reason::from_word(&word).ok_or_else(|| RowError::unknown("reason", word))?
        },
        slot: slot(&columns.take::<String>()?)?,
        nominal_at: timestamp("nominal_at", columns.take()?)?,
        late: columns.take()?,
        due: columns.take_both()?.map(|(nominal, at)| DueRow { nominal, at }.into_due()).transpose()?,
        notes: columns.take()?,
        tags: columns.take_json("tags")?,
        metadata: columns.take_json("metadata")?,
    })
}

fn read_frozen(columns: &mut Columns<'_>) -> Result<Option<Arc<Frozen>>, Fault> {
    let Some((headers, body)) = columns.take_both::<String, String>()? else { return Ok(None) };
    Ok(Some(Arc::new(Frozen { headers: from_json("frozen_headers", &headers)?, body })))
}

fn read_target(row: &Row<'_>) -> Result<TargetHealth, Fault> {
    let mut columns = Columns::of(row);
    let (word, address): (String, String) = (columns.take()?, columns.take()?);
    let kind = ChannelKind::from_word(&word).ok_or_else(|| RowError::unknown("channel", word))?;
    let failures = columns.take()?;
    let word: String = columns.take()?;
    let (since, next, probes): (Option<i64>, Option<i64>, Option<u32>) =
        (columns.take()?, columns.take()?, columns.take()?);
    let since = || timestamp("since_at", required("since_at", since)?);
    let next = || timestamp("next_at", required("next_at", next)?);
    let breaker = match word.as_str() {
        "closed" => Breaker::Closed,
        "open" => Breaker::Open { since: since()?, probe_at: next()?, probes: required("probes", probes)? },
        "paused" => Breaker::Paused { since: since()? },
        "releasing" => Breaker::Releasing { next_at: next()? },
        _ => return Err(RowError::unknown("breaker", word).into()),
    };
    let last_error = columns.take()?;
    Ok(TargetHealth { target: Target { kind, address }, failures, breaker, last_error })
}
