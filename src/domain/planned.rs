//! When does a task speak next, and when has the clock something to do for it? It only looks: what is then done is for the
//! transitions to say.

use chrono_tz::Tz;

use crate::domain::event::Snapshot;
use crate::domain::occurrence::Slot;
use crate::domain::state::{Pending, State};
use crate::domain::task::Nag;
use crate::domain::time::Timestamp;

impl Snapshot {
    /// Returns when the clock has something to do for the task next, `None` when it waits for a person.
    ///
    /// This is what the queue holds and the store indexes; it never depends on the zone, since due times are instants.
    #[must_use]
    pub fn next_wake(&self) -> Option<Timestamp> {
        if self.task.deleted_at.is_some() {
            return None;
        }
        let occurrence = &self.occurrence;
        match &occurrence.state {
            State::Created | State::Failed(_) | State::Completed(_) | State::Cancelled(_) => None,
            State::Suspended(suspended) => earliest([
                suspended.until,
                occurrence.successor_at.filter(|_| suspended.is_this_only),
                self.deadline_ahead(),
            ]),
            State::Running(running) => earliest([
                occurrence.successor_at,
                self.next_alert().map(|(_, at)| at),
                self.next_nag().map(|(_, at)| at),
                running.snooze.map(|snooze| snooze.until),
                self.deadline_ahead(),
            ]),
            State::Pending(Pending { retry_at: Some(at), .. }) => {
                earliest([Some(*at), occurrence.successor_at, self.deadline_ahead()])
            }
            State::Pending(pending) => earliest([
                occurrence.successor_at,
                self.next_alert().map(|(_, at)| at),
                pending.snooze.map(|snooze| snooze.until),
                // A task whose alerts are all spoken or opted out of still becomes due.
                occurrence.due_at().filter(|_| pending.snooze.is_none() && !pending.is_missed),
                self.deadline_ahead(),
            ]),
        }
    }

    /// Returns when it speaks next, `None` when it will not by itself.
    #[must_use]
    pub fn speaks_at(&self) -> Option<Timestamp> {
        if self.task.deleted_at.is_some() {
            return None;
        }
        match &self.occurrence.state {
            State::Created | State::Failed(_) | State::Completed(_) | State::Cancelled(_) | State::Suspended(_) => None,
            State::Running(running) => earliest([
                self.occurrence.successor_at,
                self.next_alert().map(|(_, at)| at),
                self.next_nag().map(|(_, at)| at),
                running.snooze.map(|snooze| snooze.until),
                running.held_until,
            ]),
            State::Pending(Pending { retry_at: Some(at), .. }) => Some(*at),
            State::Pending(pending) => {
                // The successor takes the place of one that is snoozed beyond it.
                earliest([
                    self.next_alert().map(|(_, at)| at),
                    pending.snooze.map(|snooze| snooze.until),
                    self.occurrence.successor_at.filter(|_| pending.snooze.is_some()),
                ])
            }
        }
    }

    /// Returns the earliest alert that has not spoken, with its time.
    #[must_use]
    pub fn next_alert(&self) -> Option<(Slot, Timestamp)> {
        self.alerts_ahead().min_by_key(|(_, at)| *at)
    }

    /// Returns the alerts that have not spoken, with their times.
    pub fn alerts_ahead(&self) -> impl Iterator<Item = (Slot, Timestamp)> {
        let of_deadline = self.task.deadline.iter().flat_map(|deadline| &deadline.alerts);
        let slots = self.task.alerts.iter().map(|offset| Slot::Alert(*offset));
        slots
            .chain(of_deadline.map(|offset| Slot::Deadline(*offset)))
            .filter(|slot| !self.occurrence.spoken.contains(slot))
            .filter_map(|slot| Some((slot, self.occurrence.time_of(slot)?)))
    }

    /// Returns whether an alert is ahead that is not one of the deadline.
    #[must_use]
    pub fn says_more_of_due(&self) -> bool {
        self.alerts_ahead().any(|(slot, _)| matches!(slot, Slot::Alert(_)))
    }

    /// Returns the next repetition of what rang and was not answered, with its time. Programs are not nagged: they have
    /// taken it, or it is tried again.
    #[must_use]
    pub fn next_nag(&self) -> Option<(Slot, Timestamp)> {
        let State::Running(running) = self.occurrence.state else { return None };
        let is_on = |nag: &Nag| running.nags < nag.max && !running.is_hushed && !self.task.is_program_only();
        let nag = self.task.policy.nag.filter(is_on)?;
        // What is held is told first.
        let told_at = running.rang_at?.max(running.held_until.unwrap_or(Timestamp::MIN));
        Some((Slot::Nag(self.occurrence.nags + 1), told_at.saturating_add(nag.every)))
    }

    /// Returns the deadline, while it was not yet found to have passed.
    #[must_use]
    pub fn deadline_ahead(&self) -> Option<Timestamp> {
        self.occurrence.deadline.map(|deadline| deadline.at).filter(|_| !self.occurrence.is_past_deadline)
    }

    /// Returns the zone in which the schedule's local times are read, given the device's.
    #[must_use]
    pub fn zone(&self, device: Tz) -> Tz {
        self.task.schedule.zone.unwrap_or(device)
    }
}

fn earliest<const N: usize>(times: [Option<Timestamp>; N]) -> Option<Timestamp> {
    times.into_iter().flatten().min()
}
