//! Why did it ring then, was it late and why, and who was told?

use crate::domain::device_event::DeviceOperation;
use crate::domain::event::{Event, Firing, Operation};
use crate::domain::occurrence::Slot;
use crate::domain::story::tell::{Place, Teller, snooze_of};
use crate::domain::story::{Cause, DeviceEntry, News, Ring, Said, Why};
use crate::domain::time::Timestamp;

/// Returns what there is to say of a firing.
pub(super) fn ring(teller: &Teller<'_>, place: Place<'_>, firing: &Firing) -> Ring {
    let event = place.event;
    let late_by = firing.late.then(|| event.at.since(firing.nominal_at));
    Ring {
        slot: firing.slot,
        nominal_at: firing.nominal_at,
        late_by,
        cause: late_by.and_then(|_| cause_between(teller.device, firing.nominal_at, event.at)),
        is_again: teller.before.is_some_and(|before| before.occurrence.last_spoken.is_some()),
        why: why(teller, event, firing),
        swallowed: firing.swallowed.clone(),
        is_run: event.snapshot.task.details.command.is_some() && firing.slot == Slot::DUE,
        is_held: matches!(place.next(), Some(Operation::Held { until: Some(_) })),
    }
}

/// Returns why it spoke then, as the rules decide it: a snooze whose time has come gives the firing its own time.
fn why(teller: &Teller<'_>, event: &Event, firing: &Firing) -> Why {
    let Some(before) = teller.before else { return Why::OwnTime };
    let snooze = snooze_of(&before.occurrence.state).filter(|snooze| {
        let due = before.occurrence.due_at().filter(|_| !snooze.is_chosen);
        let its_time = due.unwrap_or(snooze.until).min(snooze.until);
        snooze.until <= event.at && snooze.slot == firing.slot && its_time == firing.nominal_at
    });
    match (snooze, firing.slot) {
        (Some(snooze), _) if snooze.is_chosen => Why::Snoozed { asked_at: teller.asked.get(&snooze.id).copied() },
        (Some(snooze), _) => Why::Paused { since: teller.asked.get(&snooze.id).copied() },
        (None, Slot::Nag(_)) => Why::Unanswered,
        (None, Slot::Alert(_) | Slot::Deadline(_)) => Why::OwnTime,
    }
}

/// Returns what became of each delivery of a firing, with its time.
pub(super) fn news(teller: &Teller<'_>, firing: &Firing) -> Vec<(Timestamp, Said)> {
    let deliveries = teller.deliveries.get(&firing.fire_id).into_iter().flatten();
    deliveries
        .map(|delivery| {
            let news = News {
                target: delivery.id.target.clone(),
                status: delivery.status,
                is_in_digest: delivery.digest.is_some(),
                is_late: firing.late,
                attempts: delivery.attempts,
                error: delivery.last_error.clone(),
            };
            // A retry lies ahead; it is told of as of the firing.
            let at = delivery.status.at().filter(|_| delivery.status.is_final()).unwrap_or(delivery.created_at);
            (at, Said::Sent(news))
        })
        .collect()
}

/// Returns what the device did at `from`, when something was to be said that was found out at `at`.
pub(super) fn cause_between(device: &[DeviceEntry], from: Timestamp, at: Timestamp) -> Option<Cause> {
    device.iter().rev().find_map(|note| match note.event.operation {
        DeviceOperation::Slept { from: since, to } if since <= from && from <= to && to <= at => {
            Some(Cause::Slept { from: since, to })
        }
        DeviceOperation::ClockStepped { from: was, to } if was <= from && from <= to && to <= at => {
            Some(Cause::Stepped { from: was, to })
        }
        DeviceOperation::Slept { .. }
        | DeviceOperation::ClockStepped { .. }
        | DeviceOperation::ZoneChanged { .. }
        | DeviceOperation::AwaySet { .. }
        | DeviceOperation::AwayEnded => None,
    })
}
