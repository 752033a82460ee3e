//! What people read in place of a state: one word for where a task stands.

use std::borrow::Cow;

use chrono_tz::Tz;

use crate::domain::event::Snapshot;
use crate::domain::occurrence::Outcome;
use crate::domain::quiet::end_in_words;
use crate::domain::state::State;
use crate::domain::time::Timestamp;

/// All stages that there are, for those who ask for tasks by them.
pub const STAGES: [&str; 17] = [
    "scheduled",
    "due",
    "late",
    "running",
    "retrying",
    "held",
    "snoozed",
    "paused",
    "waiting",
    "blocked",
    "no time",
    "past deadline",
    "missed",
    "failed",
    "done",
    "unanswered",
    "cancelled",
];

/// Returns the stage of a task (SPEC 3).
#[must_use]
pub fn stage(snapshot: &Snapshot, now: Timestamp, zone: Tz) -> Cow<'static, str> {
    match held_until(snapshot, now) {
        // Seen only by who has just deleted it, and in its events.
        _ if snapshot.task.deleted_at.is_some() => Cow::Borrowed("deleted"),
        _ if snapshot.is_waiting() => Cow::Owned(snapshot.task.waits.told()),
        Some(end) => Cow::Owned(format!("held until {}", end_in_words(end, now, zone))),
        None => Cow::Borrowed(word(snapshot, now)),
    }
}

/// Returns until when what a task said is held for quiet hours.
fn held_until(snapshot: &Snapshot, now: Timestamp) -> Option<Timestamp> {
    match &snapshot.occurrence.state {
        State::Running(running) => running.held_until.filter(|end| *end > now),
        State::Created
        | State::Pending(_)
        | State::Suspended(_)
        | State::Failed(_)
        | State::Completed(_)
        | State::Cancelled(_) => None,
    }
}

fn word(snapshot: &Snapshot, now: Timestamp) -> &'static str {
    let occurrence = &snapshot.occurrence;
    let is_past_deadline = occurrence.deadline.is_some_and(|deadline| deadline.at <= now);
    match &occurrence.state {
        State::Created => "no time",
        State::Pending(_) | State::Running(_) if is_past_deadline => "past deadline",
        State::Pending(pending) if pending.retry_at.is_some() => "retrying",
        State::Running(_) if snapshot.task.details.command.is_some() => "running",
        State::Pending(pending) => match pending.snooze {
            Some(snooze) if snooze.is_chosen => "snoozed",
            Some(_) | None if pending.is_missed => "missed",
            Some(_) | None if occurrence.due_at().is_some_and(|due| due <= now) => "due",
            Some(_) | None if !occurrence.has_time() => "no time",
            Some(_) | None => "scheduled",
        },
        State::Running(running) if running.late => "late",
        State::Running(_) => "due",
        State::Suspended(_) => "paused",
        State::Failed(_) => "failed",
        State::Completed(ended) | State::Cancelled(ended) => match ended.outcome {
            Outcome::Done => "done",
            Outcome::Unanswered => "unanswered",
            Outcome::Undelivered | Outcome::RetriesExhausted => "failed",
            Outcome::Cancelled | Outcome::Skipped => "cancelled",
        },
    }
}
