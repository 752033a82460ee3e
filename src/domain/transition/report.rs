//! What workers say of deliveries, and what a start does with those of an earlier run.

use crate::domain::delivery::{DeliveryId, Report, Target};
use crate::domain::event::Operation;
use crate::domain::retry::Jitter;
use crate::domain::transition::steps::Steps;

/// Notes the report. It touches the delivery only; of one that nobody knows there is nothing to note.
pub(super) fn report(steps: &mut Steps<'_>, id: &DeliveryId, report: &Report, jitter: Jitter) {
    let Some(before) = steps.delivery(id) else { return };
    let after = before.reported(report, jitter, steps.now());
    if after == *before {
        return;
    }
    let is_waiting = !after.status.is_final();
    let (message, occasion) = (after.message.clone(), after.occasion.clone());
    steps.change(after);
    // While the desktop is away the default is the terminal as well; here it was found away only by trying.
    let terminal = DeliveryId { fire_id: id.fire_id, target: Target::terminal() };
    let is_default = steps.task().details.targets.is_empty() && id.target == Target::desktop();
    let is_away = matches!(report, Report::Away { .. }) && is_waiting;
    if is_default && is_away && steps.delivery(&terminal).is_none() {
        steps.deliver(terminal, message, occasion);
    }
}

/// Hands out a delivery that an earlier run left unfinished, and says that its target may have it twice.
pub(super) fn resend(steps: &mut Steps<'_>, id: &DeliveryId) {
    let Some(delivery) = steps.delivery(id).filter(|delivery| !delivery.status.is_final()).cloned() else { return };
    let operation = Operation::Resent { fire_id: id.fire_id, target: id.target.clone() };
    steps.step(operation, "the daemon stopped before it heard of the result: this may be a repeat");
    steps.hand_out(delivery);
}
