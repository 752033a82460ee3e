//! When does the digest on the desktop hold no more? Remembers what it tells of until nothing of that waits for the person.
//!
//! Nothing in it outlives the process, as no popup can be taken back by another run. A digest that also tells what
//! somebody should know, as of times that were skipped, stays until the person closes it.

use std::collections::{BTreeSet, HashMap};

use crate::domain::delivery::{ChannelKind, Delivery, DeliveryStatus};
use crate::domain::event::Snapshot;
use crate::domain::occurrence::OccurrenceName;
use crate::domain::state::State;
use crate::domain::task::TaskId;

/// The digest that stands on the desktop: there is one at most, for each takes the place of the one before.
#[derive(Debug, Default)]
pub(super) struct DigestPopup {
    /// What of it waits for the person still; nothing where no digest stands that could be taken back.
    open: Option<BTreeSet<(TaskId, OccurrenceName)>>,
}

impl DigestPopup {
    /// Notes that the desktop shows a digest of `members` now.
    pub(super) fn shows<'a>(&mut self, members: impl Iterator<Item = &'a Delivery>) {
        self.open = members.map(|member| (!member.is_notice()).then_some((member.task, member.occurrence))).collect();
    }

    /// Notes that another digest is on its way there.
    pub(super) fn is_replaced(&mut self) {
        self.open = None;
    }

    /// Notes what a commit left. Returns whether that ended the last of what the digest tells of: it is then to be taken
    /// back, once.
    pub(super) fn ends_with(&mut self, deliveries: &[Delivery], snapshots: &HashMap<TaskId, Snapshot>) -> bool {
        let is_told =
            |delivery: &&Delivery| matches!(delivery.status, DeliveryStatus::Delivered(_)) && is_there(delivery);
        if let Some(digest) = deliveries.iter().filter(is_told).rfind(|delivery| delivery.is_digest()) {
            // Those that were over before are not told of any more.
            self.shows(deliveries.iter().filter(is_told).filter(|member| member.digest == Some(digest.id.fire_id)));
        }
        let Some(open) = &mut self.open else { return false };
        open.retain(|(task, occurrence)| snapshots.get(task).is_none_or(|snapshot| waits(snapshot, *occurrence)));
        let is_over = open.is_empty();
        if is_over {
            self.open = None;
        }
        is_over
    }
}

fn is_there(delivery: &Delivery) -> bool {
    delivery.id.target.kind == ChannelKind::Desktop
}

/// Returns whether an occurrence that was told of waits for the person still.
fn waits(snapshot: &Snapshot, occurrence: OccurrenceName) -> bool {
    let is_open = snapshot.occurrence.name() == occurrence && snapshot.task.deleted_at.is_none();
    is_open
        && match &snapshot.occurrence.state {
            State::Running(running) => running.acked_at.is_none(),
            // It may have spoken early.
            State::Pending(pending) => pending.snooze.is_none(),
            State::Created | State::Failed(_) => true,
            State::Suspended(_) | State::Completed(_) | State::Cancelled(_) => false,
        }
}
