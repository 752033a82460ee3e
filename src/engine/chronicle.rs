//! What of a task's history is needed to tell its story? A stretch of events, the latest first, and what belongs to them.
//!
//! Never more than fits one answer: a series may have a hundred thousand events.

use std::ops::Range;

use crate::domain::delivery::Delivery;
use crate::domain::event::{Operation, Snapshot};
use crate::domain::occurrence::FireId;
use crate::domain::story::{Account, DeviceEntry, Entry};
use crate::domain::task::TaskId;
use crate::domain::time::Timestamp;
use crate::engine::input::CallError;
use crate::store::{Store, StoreError, StoredEvent};

/// How long the texts of the tasks within the events may be together, in bytes: each event carries its task whole.
const TEXT_BYTES_MAX: usize = 16 * 1024 * 1024;

/// How many events are read at once.
const CHUNK: usize = 200;

/// A stretch of a task's history.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Chronicle {
    /// The task now.
    pub present: Snapshot,
    /// The task just before the first event; `None` where that is the first of all.
    pub before: Option<Snapshot>,
    /// The events, oldest first, each operation whole.
    pub events: Vec<Entry>,
    /// The deliveries of the firings among them.
    pub deliveries: Vec<Delivery>,
    /// What happened to the device meanwhile.
    pub device: Vec<DeviceEntry>,
    /// Where to go on with what came before and was asked for too, `None` where nothing did.
    pub earlier: Option<u64>,
}

impl Chronicle {
    /// Returns it as what a story is told from.
    #[must_use]
    pub fn account(&self) -> Account<'_> {
        Account {
            before: self.before.as_ref(),
            events: &self.events,
            deliveries: &self.deliveries,
            device: &self.device,
        }
    }
}

pub(super) fn read(
    store: &dyn Store,
    id: TaskId,
    before: u64,
    during: Range<Timestamp>,
    limit: usize,
) -> Result<Chronicle, CallError> {
    let present = store.snapshot(id)?.ok_or(CallError::NotFound { id })?;
    let mut events = latest(store, id, before, &during, limit)?;
    let first = events.first().map_or(before, |first| first.seq);
    let always = Timestamp::MIN..Timestamp::MAX;
    let context = store.history_before(id, first, always, 1)?.pop();
    let is_cut = !store.history_before(id, first, during.clone(), 1)?.is_empty();
    let mut before = context;
    if is_cut {
        before = drop_half_an_operation(&mut events, before);
    }
    let earlier = events.first().map(|first| first.seq).filter(|_| is_cut);
    let firings: Vec<FireId> =
        events.iter().filter_map(|stored| stored.event.operation.firing()).map(|firing| firing.fire_id).collect();
    Ok(Chronicle {
        present,
        before: before.map(|stored| stored.event.snapshot),
        deliveries: store.deliveries_of(&firings)?,
        device: device(store, &events)?,
        events: events.into_iter().map(|stored| Entry { seq: stored.seq, event: stored.event }).collect(),
        earlier,
    })
}

/// Returns what happened to the device while the events did, from the earliest time that any of them speaks of.
fn device(store: &dyn Store, events: &[StoredEvent]) -> Result<Vec<DeviceEntry>, StoreError> {
    let spoken_of = |stored: &StoredEvent| match &stored.event.operation {
        Operation::PassedOver { from, .. } | Operation::Missed { from, .. } => (*from).min(stored.event.at),
        operation => operation.firing().map_or(stored.event.at, |firing| firing.nominal_at.min(stored.event.at)),
    };
    let Some(from) = events.iter().map(spoken_of).min() else { return Ok(Vec::new()) };
    let to = events.iter().map(|stored| stored.event.at).max().unwrap_or(from);
    let found = store.device_events(from, to)?;
    Ok(found.into_iter().map(|stored| DeviceEntry { seq: stored.seq, event: stored.event }).collect())
}

fn latest(
    store: &dyn Store,
    id: TaskId,
    before: u64,
    during: &Range<Timestamp>,
    limit: usize,
) -> Result<Vec<StoredEvent>, StoreError> {
    let mut events: Vec<StoredEvent> = Vec::new();
    let (mut place, mut bytes) = (before, 0);
    while events.len() < limit && bytes < TEXT_BYTES_MAX {
        let wanted = CHUNK.min(limit - events.len());
        let mut page = store.history_before(id, place, during.clone(), wanted)?;
        let is_last = page.len() < wanted;
        bytes += page.iter().map(text_bytes).sum::<usize>();
        place = page.first().map_or(place, |first| first.seq);
        page.append(&mut events);
        events = page;
        if is_last {
            break;
        }
    }
    Ok(events)
}

fn text_bytes(stored: &StoredEvent) -> usize {
    let details = &stored.event.snapshot.task.details;
    let metadata: usize = details.metadata.iter().map(|(key, value)| key.len() + value.len()).sum();
    details.title.len() + details.notes.len() + metadata
}

/// Takes away the first events where others of the same operation lie before them, and returns the event before the rest.
///
/// Invariant: no operation has as many events as are read, so something is left.
fn drop_half_an_operation(events: &mut Vec<StoredEvent>, before: Option<StoredEvent>) -> Option<StoredEvent> {
    let Some(op_id) = before.as_ref().map(|stored| stored.event.op_id) else { return before };
    let half = events.iter().take_while(|stored| stored.event.op_id == op_id).count();
    if half == events.len() {
        return before;
    }
    events.drain(..half).next_back().or(before)
}
