//! Where else is it said when nobody was reached where it was said?
//!
//! Each is a delivery of its own, of the same firing, so that a target is told of a firing once. What is held for quiet hours
//! waits for their end.

use crate::domain::delivery::{Delivery, DeliveryId, DeliveryStatus};
use crate::domain::occurrence::FireId;
use crate::domain::quiet::rings;
use crate::domain::transition::steps::Steps;

/// Says a firing at the next of the chain, where none of those that it told was reached.
pub(super) fn fall_back(steps: &mut Steps<'_>, fire_id: FireId) {
    let routing = steps.moment.routing;
    let told: Vec<&Delivery> = steps.deliveries_of(fire_id).collect();
    let Some(first) = told.first() else { return };
    let Some(target) = routing.next_for(&told, first.occasion.slot, steps.task().policy.nag) else { return };
    let is_held = steps.moment.quiet_until.is_some() && !rings(steps.task(), &first.occasion);
    if is_held || first.is_expired(steps.now()) {
        return;
    }
    // What is told with others where it was said is told so here too.
    let is_grouped = told.iter().any(|delivery| delivery.status == DeliveryStatus::Grouped);
    let status = if is_grouped && target.kind.is_person() { DeliveryStatus::Grouped } else { DeliveryStatus::Queued };
    let elsewhere = Delivery {
        id: DeliveryId { fire_id, target: target.clone() },
        status,
        frozen: None,
        attempts: 0,
        created_at: steps.now(),
        last_error: None,
        digest: None,
        receipt: None,
        ..(*first).clone()
    };
    if status == DeliveryStatus::Queued {
        steps.hand_out(elsewhere.clone());
    }
    steps.change(elsewhere);
}
