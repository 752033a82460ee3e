//! Which hooks are told of what is committed? Events are read from the store behind a cursor, held against each hook, and put
//! into the queues of those that want them.
//!
//! Sees nothing but what is committed, and holds up nobody: whoever commits does not know of it.

use std::ops::RangeInclusive;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use tokio::sync::watch;

use crate::domain::device_event::AnyEvent;
use crate::domain::hook::Happening;
use crate::engine::input::CallError;
use crate::hooks::Shared;
use crate::hooks::pings::Ping;
use crate::hooks::queue::Job;

/// How many events are read at once: each has a task with it, which may be long.
const READ_AT_ONCE: usize = 64;

/// After so many events the place is written down, though nothing was told: as many are read again after a crash.
const NOTED_AFTER: u64 = 4096;

/// Follows what is committed until the daemon stops.
pub(super) async fn follow(shared: Arc<Shared>, mut last_seq: watch::Receiver<u64>) {
    let mut noted = shared.read.load(Ordering::Acquire);
    loop {
        let last = *last_seq.borrow_and_update();
        let at = shared.read.load(Ordering::Acquire);
        if at < last {
            if shared.queues().is_empty() && !shared.pings.are_expected() {
                shared.go_on_to(last);
                continue;
            }
            match page(&shared, at).await {
                Ok(to) if to > at => {
                    shared.go_on_to(to);
                    if to - noted >= NOTED_AFTER {
                        noted = to;
                        shared.save.notify_one();
                    }
                    continue;
                }
                // The counter is ahead of what can be read: nothing is behind.
                Ok(_) => shared.go_on_to(last),
                Err(error) => {
                    tracing::warn!(%error, after = at, "cannot read what hooks are to be told, will look again");
                }
            }
        }
        tokio::select! {
            () = shared.stop.cancelled() => return,
            changed = last_seq.changed() => if changed.is_err() { return },
        }
    }
}

/// Holds the next events against the hooks, and returns the last of them.
async fn page(shared: &Shared, at: u64) -> Result<u64, CallError> {
    // What came in with an import happened before, or elsewhere, and was told there.
    let import = shared.handle.import_behind(at).await?;
    if let Some(last) = import.as_ref().filter(|import| *import.start() <= at + 1).map(RangeInclusive::end) {
        return Ok(*last);
    }
    let page = shared.handle.events_since(at, READ_AT_ONCE).await?;
    let is_told = |seq: u64| import.as_ref().is_none_or(|import| seq < *import.start());
    let events = page.into_iter().map(|stored| (stored.seq, stored.event));
    let events: Vec<(u64, AnyEvent)> = events.take_while(|(seq, _)| is_told(*seq)).collect();
    // Only now: a hook that was registered before one of these was committed is to be told.
    let queues = shared.queues();
    let whole = whole(&events, READ_AT_ONCE);
    for (index, (seq, event)) in events[..whole].iter().enumerate() {
        let behind = || events[index + 1..].iter().map(|(_, event)| event);
        if let Some(happening) = Happening::of(event, behind()) {
            for queue in queues.iter().filter(|queue| queue.hook().wants(happening, event)) {
                queue.push(Job { seq: *seq, happening });
            }
        }
        if let Some(ping) = Ping::of(*seq, event, behind()) {
            shared.pings.push(ping);
        }
    }
    Ok(events[..whole].last().map_or(at, |(seq, _)| *seq))
}

/// Returns how many of the events are told now: what an event is may show in those of its operation behind it, so that the
/// operation at the end of a full page waits for the next, unless it fills the page.
fn whole(events: &[(u64, AnyEvent)], limit: usize) -> usize {
    let Some((_, last)) = events.last().filter(|_| events.len() == limit) else { return events.len() };
    match events.iter().rposition(|(_, event)| op(event) != op(last)) {
        Some(before) => before + 1,
        None => events.len(),
    }
}

const fn op(event: &AnyEvent) -> uuid::Uuid {
    match event {
        AnyEvent::Task(event) => event.op_id,
        AnyEvent::Device(event) => event.op_id,
    }
}
