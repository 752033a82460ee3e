//! How events of the device are written and read, and the one list of all events.

use rusqlite::{Connection, Row, Transaction, params};
use serde::{Deserialize, Serialize};

use crate::domain::device_event::{AnyEvent, DeviceEvent, DeviceOperation};
use crate::domain::event::Actor;
use crate::domain::time::Timestamp;
use crate::store::StoredEvent;
use crate::store::sqlite::columns::Columns;
use crate::store::sqlite::fault::Fault;
use crate::store::sqlite::read::{self, each};
use crate::store::sqlite::rows::{RowError, required, timestamp, to_json, to_sql_integer};

const DEVICE_EVENT: &str = "seq, event_id, op_id, device, actor, at, operation, operation_values, reason";

pub(crate) fn write(transaction: &Transaction<'_>, event: &DeviceEvent, seq: u64) -> Result<(), Fault> {
    let sql = "INSERT INTO devices (id) VALUES (?1) ON CONFLICT DO NOTHING";
    transaction.prepare_cached(sql)?.execute(params![event.device.as_bytes()])?;
    let sql = format!("INSERT INTO device_events ({DEVICE_EVENT}) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)");
    transaction.prepare_cached(&sql)?.execute(params![
        to_sql_integer("seq", seq)?,
        event.event_id.as_bytes(),
        event.op_id.as_bytes(),
        event.device.as_bytes(),
        event.actor.as_str(),
        event.at.as_millis(),
        event.operation.name(),
        to_json(&DeviceValuesRow::from_operation(&event.operation)),
        event.reason,
    ])?;
    Ok(())
}

/// Returns the events of tasks and of the device behind `cursor`.
pub(crate) fn all_since(
    connection: &Connection,
    cursor: u64,
    limit: usize,
) -> Result<Vec<StoredEvent<AnyEvent>>, Fault> {
    // One transaction, so that no event is passed over that was written between the two.
    let transaction = connection.unchecked_transaction()?;
    let sql = format!("SELECT {DEVICE_EVENT} FROM device_events WHERE seq > ?1 ORDER BY seq LIMIT ?2");
    let (behind, most) = (i64::try_from(cursor).unwrap_or(i64::MAX), i64::try_from(limit).unwrap_or(i64::MAX));
    let of_device = each(&transaction, &sql, params![behind, most], read_event)?;
    let of_tasks = read::events_since(&transaction, cursor, limit)?;
    let of_device =
        of_device.into_iter().map(|stored| StoredEvent { seq: stored.seq, event: AnyEvent::Device(stored.event) });
    let of_tasks = of_tasks
        .into_iter()
        .map(|stored| StoredEvent { seq: stored.seq, event: AnyEvent::Task(Box::new(stored.event)) });
    let mut all: Vec<_> = of_tasks.chain(of_device).collect();
    all.sort_by_key(|stored| stored.seq);
    all.truncate(limit);
    Ok(all)
}

pub(crate) fn between(
    connection: &Connection,
    from: Timestamp,
    to: Timestamp,
) -> Result<Vec<StoredEvent<DeviceEvent>>, Fault> {
    let sql = format!("SELECT {DEVICE_EVENT} FROM device_events WHERE at BETWEEN ?1 AND ?2 ORDER BY seq");
    each(connection, &sql, params![from.as_millis(), to.as_millis()], read_event)
}

fn read_event(row: &Row<'_>) -> Result<StoredEvent<DeviceEvent>, Fault> {
    let mut columns = Columns::of(row);
    let seq = columns.take_count("seq")?;
    let mut event = move || {
        Ok(DeviceEvent {
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
                columns.take_json::<DeviceValuesRow>("operation_values")?.into_operation(&name)?
            },
            reason: columns.take()?,
        })
    };
    let event = event().map_err(|fault: Fault| fault.in_row(|| format!("event {seq}")))?;
    Ok(StoredEvent { seq, event })
}

/// The values of an operation, as JSON. Which are there depends on the operation's name, which has its own column.
#[derive(Serialize, Deserialize, Default)]
struct DeviceValuesRow {
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    to: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    from_zone: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    to_zone: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    except: Vec<String>,
}

impl DeviceValuesRow {
    fn from_operation(operation: &DeviceOperation) -> Self {
        match operation {
            DeviceOperation::ClockStepped { from, to } | DeviceOperation::Slept { from, to } => {
                Self { from: Some(from.as_millis()), to: Some(to.as_millis()), ..Self::default() }
            }
            DeviceOperation::AwaySet { from, to, except } => Self {
                from: Some(from.as_millis()),
                to: Some(to.as_millis()),
                except: except.clone(),
                ..Self::default()
            },
            DeviceOperation::AwayEnded => Self::default(),
            DeviceOperation::ZoneChanged { from, to } => {
                Self { from_zone: Some(from.clone()), to_zone: Some(to.clone()), ..Self::default() }
            }
        }
    }

    fn into_operation(self, name: &str) -> Result<DeviceOperation, RowError> {
        let (from, to) = (self.from, self.to);
        let time = |field, millis| timestamp(field, required(field, millis)?);
        Ok(match name {
            "clock_stepped" => DeviceOperation::ClockStepped { from: time("from", from)?, to: time("to", to)? },
            "slept" => DeviceOperation::Slept { from: time("from", from)?, to: time("to", to)? },
            "zone_changed" => DeviceOperation::ZoneChanged {
                from: required("from_zone", self.from_zone)?,
                to: required("to_zone", self.to_zone)?,
            },
            "away_set" => {
                DeviceOperation::AwaySet { from: time("from", from)?, to: time("to", to)?, except: self.except }
            }
            "away_ended" => DeviceOperation::AwayEnded,
            unknown => return Err(RowError::unknown("operation", unknown)),
        })
    }
}
