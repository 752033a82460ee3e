//! What does the store in memory count, and whom does it find that nobody tells? Looks at all that it holds, and changes nothing.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashSet};

use crate::domain::delivery::{Delivery, DeliveryStatus};
use crate::domain::outbox::TargetCount;
use crate::domain::state::{State, StateName};
use crate::domain::task::TaskId;
use crate::domain::time::Timestamp;
use crate::store::memory::disk::Disk;
use crate::store::memory::entry::Entry;
use crate::store::{AtHand, Counts};

impl Disk {
    /// As [`crate::store::Store::untold`].
    pub(super) fn untold(&self) -> Vec<(TaskId, TaskId)> {
        let is_open = |entry: &&Entry| !entry.present().has_ended() && entry.task.deleted_at.is_none();
        let mut untold = Vec::new();
        for entry in self.waiting.iter().map(|id| &self.tasks[id]).filter(is_open) {
            let is_waiting = matches!(entry.present().state, State::Created);
            untold.extend(entry.task.waits.parents.iter().map(|parent| parent.id).filter_map(|parent| {
                let is_untold = match self.tasks.get(&parent) {
                    None => true,
                    Some(of) => is_waiting && (of.present().has_ended() || of.task.deleted_at.is_some()),
                };
                is_untold.then_some((entry.task.id, parent))
            }));
        }
        untold.sort_unstable();
        untold
    }

    /// As [`crate::store::Store::at_hand`].
    pub(super) fn at_hand(&self, now: Timestamp) -> AtHand {
        let mut at_hand = AtHand::default();
        let mut due = Vec::new();
        for entry in self.tasks.values().filter(|entry| entry.task.deleted_at.is_none()) {
            let State::Running(running) = &entry.present().state else { continue };
            if entry.task.details.command.is_some() {
                at_hand.commands += 1;
            } else if running.acked_at.is_some() {
                at_hand.seen += 1;
            } else if running.held_until.is_some_and(|end| end > now) {
                at_hand.held += 1;
            } else {
                at_hand.due += 1;
                at_hand.late += u64::from(running.late);
                let priority = Reverse(entry.task.details.priority);
                due.push((priority, running.fired_at, entry.task.number, entry.task.id));
            }
        }
        at_hand.first = due.into_iter().min().map(|(_, _, _, id)| id);
        at_hand
    }

    /// As [`crate::store::Store::counts`].
    pub(super) fn counts(&self) -> Counts {
        let outbox = self.deliveries.iter().filter(|delivery| !delivery.status.is_final()).count();
        let held = self.deliveries.iter().filter(|delivery| delivery.status == DeliveryStatus::Held).count();
        let mut counts = Counts { outbox: outbox as u64, held: held as u64, ..Counts::default() };
        for entry in self.tasks.values().filter(|entry| entry.task.deleted_at.is_none()) {
            let count = match entry.present().state.name() {
                StateName::Created => &mut counts.created,
                StateName::Pending => &mut counts.pending,
                StateName::Running => &mut counts.running,
                StateName::Suspended => &mut counts.suspended,
                StateName::Failed => &mut counts.failed,
                StateName::Completed | StateName::Cancelled => &mut counts.ended,
            };
            *count += 1;
        }
        counts
    }

    /// As [`crate::store::Store::counts_by_target`].
    pub(super) fn counts_by_target(&self) -> Vec<TargetCount> {
        let mut counts = BTreeMap::new();
        for delivery in self.deliveries.iter().filter(|delivery| !delivery.status.is_final()) {
            *counts.entry((delivery.id.target.clone(), delivery.status.name())).or_default() += 1;
        }
        counts.into_iter().map(|((target, status), count)| TargetCount { target, status, count }).collect()
    }

    /// As [`crate::store::Store::failed_since`].
    pub(super) fn failed_since(&self, since: Timestamp, limit: usize) -> (u64, Vec<Delivery>) {
        let about = |one: &Delivery| (one.task, one.occurrence, one.id.target.clone());
        let (mut taken, mut failed) = (HashSet::new(), Vec::new());
        // From the last one on, so that what made up for it is known.
        for delivery in self.deliveries.iter().rev() {
            match delivery.status {
                DeliveryStatus::Delivered(_) => {
                    taken.insert(about(delivery));
                }
                DeliveryStatus::Failed(at) if at >= since && !taken.contains(&about(delivery)) => {
                    failed.push(Delivery::clone(delivery));
                }
                DeliveryStatus::Failed(_)
                | DeliveryStatus::Queued
                | DeliveryStatus::Waiting
                | DeliveryStatus::Held
                | DeliveryStatus::Grouped
                | DeliveryStatus::Quiet
                | DeliveryStatus::Retrying(_)
                | DeliveryStatus::Withdrawn(_) => {}
            }
        }
        // Stable, so that of one moment the last written stays first.
        failed.sort_by_key(|delivery| Reverse(delivery.status.at()));
        let count = failed.len() as u64;
        failed.truncate(limit);
        (count, failed)
    }
}
