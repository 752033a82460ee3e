//! What workers say of deliveries, what follows from it, and what a start does with those of an earlier run.

use uuid::Uuid;

use crate::domain::delivery::{Delivery, DeliveryId, DeliveryStatus, Report, Spent, Target};
use crate::domain::event::Operation;
use crate::domain::message::{Reason, target_fails};
use crate::domain::occurrence::{FireId, Occurrence, Outcome, Slot};
use crate::domain::quiet::{AWAY, QUIET_HOURS};
use crate::domain::retry::Jitter;
use crate::domain::state::{Snooze, State};
use crate::domain::time::Timestamp;
use crate::domain::transition::steps::Steps;
use crate::domain::transition::{fall_back, wake};

/// Notes the report; of a delivery that nobody knows there is nothing to note.
pub(super) fn report(steps: &mut Steps<'_>, id: &DeliveryId, report: &Report, spent: Spent, jitter: Jitter) {
    let Some(before) = steps.delivery(id) else { return };
    let attempts_max = steps.task().attempts_max().filter(|_| !before.id.target.kind.is_person());
    let after = before.reported(report, spent, attempts_max, jitter, steps.now());
    if after == *before {
        return;
    }
    let is_waiting = !after.status.is_final();
    let is_grouped = after.status == DeliveryStatus::Grouped;
    let is_default = if after.is_notice() { is_told_by_default(steps) } else { steps.is_built_in() };
    let (message, occasion) = (after.message.clone(), after.occasion.clone());
    steps.change(after);
    // While the desktop is away the default is the terminal as well; here it was found away only by trying.
    let terminal = DeliveryId { fire_id: id.fire_id, target: Target::terminal() };
    let is_away = matches!(report, Report::Away { .. }) && is_waiting && id.target == Target::desktop();
    if is_default && is_away && steps.delivery(&terminal).is_none() {
        // What was told in a digest is told in one there too.
        if is_grouped && steps.moment.quiet_until.is_none() {
            steps.deliver_as(DeliveryStatus::Grouped, terminal, message, occasion);
        } else {
            steps.deliver(terminal, message, occasion);
        }
    }
    fall_back::fall_back(steps, id.fire_id);
    finish_where_told(steps);
    end_where_all_are_over(steps);
}

/// Returns whether notices go to the desktop since nothing else is the default.
fn is_told_by_default(steps: &Steps<'_>) -> bool {
    steps.moment.routing.channels.iter().all(|target| !target.kind.is_person())
}

/// A task that is done once it was delivered ends when a person has what was said at due; a series then goes on.
pub(super) fn finish_where_told(steps: &mut Steps<'_>) {
    let (State::Running(_), Some(due)) = (steps.state(), steps.occurrence().due_at()) else { return };
    let is_told = |delivery: &Delivery| {
        let is_delivered = matches!(delivery.status, DeliveryStatus::Delivered(_));
        is_delivered && due <= delivery.created_at && delivery.id.target.kind.is_person()
    };
    if steps.task().policy.auto_done && steps.deliveries_of_present().any(is_told) {
        end_as(steps, "it was delivered, and is done with that");
    }
}

fn end_as(steps: &mut Steps<'_>, why: &'static str) {
    let next = wake::take_next(steps);
    steps.step(Operation::Completed(Outcome::Done), why);
    // What is on the screen stays there; it is all that there was to say.
    steps.drop_unsent_to_persons();
    if let Some(next) = next {
        steps.open(&next);
        wake::wake(steps);
    }
}

/// A task for programs only ends when each has taken it, refused it, or failed too often; a series then goes on.
pub(super) fn end_where_all_are_over(steps: &mut Steps<'_>) {
    let State::Running(running) = steps.state() else { return };
    // What is to be said yet may be taken yet; what is said of a deadline changes no state.
    let speaks_again = running.snooze.is_some() || steps.now_is.says_more_of_due();
    if !steps.task().is_program_only() || speaks_again {
        return;
    }
    let answers = answers_of_programs(steps);
    if answers.is_empty() || answers.iter().any(|status| !status.is_final()) {
        return;
    }
    let next = wake::take_next(steps);
    if answers.iter().any(|status| matches!(status, DeliveryStatus::Delivered(_))) {
        steps.step(Operation::Completed(Outcome::Done), "a program took it");
    } else {
        steps.step(Operation::Failed, "no program took it");
        steps.step(Operation::Cancelled(Outcome::RetriesExhausted), "");
    }
    if let Some(next) = next {
        steps.open(&next);
        wake::wake(steps);
    }
}

/// Returns where the deliveries stand that decide how a task for programs ends; none where none decides.
///
/// Early alerts change no state, and what a snooze said before due is said again at due. It is not where the clock was set
/// back behind the firing: a snooze has then withdrawn that, and its repeat, though before due, is all that is said of it.
fn answers_of_programs(steps: &Steps<'_>) -> Vec<DeliveryStatus> {
    let due_at = steps.occurrence().due_at();
    // What is said of a deadline changes no state.
    let is_of_deadline = |delivery: &Delivery| matches!(delivery.occasion.slot, Slot::Deadline(_));
    let of_programs = || {
        let deliveries = steps.deliveries_of_present().filter(|delivery| !delivery.id.target.kind.is_person());
        deliveries.filter(|delivery| !is_of_deadline(delivery))
    };
    let since_due: Vec<DeliveryStatus> = of_programs()
        .filter(|delivery| due_at.is_none_or(|due| due <= delivery.created_at))
        .map(|delivery| delivery.status)
        .collect();
    if since_due.iter().any(|status| !matches!(status, DeliveryStatus::Withdrawn(_))) {
        return since_due;
    }
    // One that was moved after it spoke has not said anything of its new time.
    let is_of_due = |delivery: &&Delivery| steps.has_spoken() && delivery.occasion.slot.is_of_due();
    of_programs().filter(is_of_due).map(|delivery| delivery.status).collect()
}

/// Tells the person by another channel that `target` fails.
pub(super) fn tell_target_fails(steps: &mut Steps<'_>, target: &Target, failures: u32, error: &str) {
    let name = format!("target fails|{target}|{}", steps.now());
    let fire_id = FireId(Uuid::new_v5(&steps.task().id.0, name.as_bytes()));
    let message = target_fails(steps.task(), target, failures, error);
    let occasion = steps.occasion(Reason::TargetFails);
    let mut others = steps.default_targets();
    others.retain(|other| other != target);
    if others.is_empty() {
        // What is said elsewhere when nobody is reached there is that at once; it is told once.
        let fallback = &steps.moment.routing.fallback;
        let elsewhere = fallback.iter().find(|other| *other != target && other.kind.is_person());
        others.push(elsewhere.cloned().unwrap_or_else(Target::terminal));
    }
    for target in others {
        steps.deliver(DeliveryId { fire_id, target }, message.clone(), occasion.clone());
    }
}

/// What no program took is said to all of them once more, by a new generation.
///
/// It must be CANCELLED with [`Outcome::RetriesExhausted`].
pub(super) fn try_anew(steps: &mut Steps<'_>) {
    let was = steps.occurrence().clone();
    let slot = was.last_spoken.unwrap_or(Slot::DUE);
    let generation = was.generation + 1;
    let again = Occurrence { generation, last_spoken: None, nags: 0, state: State::Created, ..was };
    steps.step(Operation::Opened(Box::new(again)), "it is tried anew");
    steps.step(Operation::Armed, "");
    let now = steps.now();
    // It is on time: who asks for it wants it now.
    let asked = Snooze { id: steps.moment.op_id, until: now, slot, is_chosen: false, is_duration: false };
    steps.ring(slot, Some(asked), now, Vec::new());
}

/// Hands out a delivery that an earlier run left unfinished, and says that its target may have it twice.
pub(super) fn resend(steps: &mut Steps<'_>, id: &DeliveryId) {
    let Some(delivery) = steps.delivery(id).filter(|delivery| !delivery.status.is_final()).cloned() else { return };
    if delivery.is_expired(steps.now()) {
        return expire(steps, id);
    }
    let operation = Operation::Resent { fire_id: id.fire_id, target: id.target.clone() };
    steps.step(operation, "the daemon stopped before it heard of the result: this may be a repeat");
    steps.hand_out(delivery);
}

/// Notes until when what it said is held; what has ended meanwhile is told all the same, and has no stage to show it.
pub(super) fn hold(steps: &mut Steps<'_>, until: Option<Timestamp>) {
    if matches!(steps.state(), State::Running(running) if running.held_until != until) {
        let why = if steps.moment.is_away { AWAY } else { QUIET_HOURS };
        steps.step(Operation::Held { until }, if until.is_some() { why } else { "" });
    }
}

/// Gives up a delivery whose time is over; it was held, or its channel away, for too long.
pub(super) fn expire(steps: &mut Steps<'_>, id: &DeliveryId) {
    let Some(delivery) = steps.delivery(id).filter(|delivery| !delivery.status.is_final()) else { return };
    let expired = delivery.expired(steps.now());
    let operation = Operation::Expired { fire_id: id.fire_id, target: id.target.clone() };
    steps.change(expired);
    steps.step(operation, "too late to be sent (--max-late)");
    end_where_all_are_over(steps);
}

/// Sends what failed of the open occurrence at once, under the same ids, however late it is.
pub(super) fn retry(steps: &mut Steps<'_>) {
    let is_failed = |delivery: &&Delivery| match delivery.status {
        DeliveryStatus::Failed(_) | DeliveryStatus::Retrying(_) => true,
        DeliveryStatus::Queued
        | DeliveryStatus::Waiting
        | DeliveryStatus::Held
        | DeliveryStatus::Grouped
        | DeliveryStatus::Quiet
        | DeliveryStatus::Delivered(_)
        | DeliveryStatus::Withdrawn(_) => false,
    };
    let failed: Vec<Delivery> = steps.deliveries_of_present().filter(is_failed).cloned().collect();
    for delivery in failed {
        let again = Delivery { status: DeliveryStatus::Queued, expires_at: None, digest: None, ..delivery };
        let operation = Operation::Resent { fire_id: again.id.fire_id, target: again.id.target.clone() };
        steps.change(again.clone());
        steps.step(operation, "asked for; an attempt that failed may have arrived all the same");
        steps.hand_out(again);
    }
}
