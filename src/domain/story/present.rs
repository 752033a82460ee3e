//! How does it stand, and when does it speak next and why then?

use crate::domain::event::Snapshot;
use crate::domain::occurrence::Outcome;
use crate::domain::state::State;
use crate::domain::story::tell::snooze_of;
use crate::domain::story::{Next, Said, Sentence};
use crate::domain::time::{Span, Timestamp};

/// Returns how a task stands now, and what comes next.
#[must_use]
pub fn present(snapshot: &Snapshot, now: Timestamp) -> Vec<Sentence> {
    let sentence = |at, said| Sentence {
        at,
        occurrence: Some(snapshot.occurrence.name()),
        is_detail: false,
        said,
        events: Vec::new(),
    };
    let standing = sentence(now, Said::Now(Box::new(standing(snapshot))));
    let waits = snapshot.is_waiting() && !snapshot.task.waits.is_blocked();
    let (at, next) = next(snapshot).unwrap_or((now, if waits { Next::Freed } else { Next::Nothing }));
    vec![standing, sentence(at, Said::Next(next))]
}

/// How a task stands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Standing {
    /// It has no time.
    NoTime,
    /// It waits for other tasks.
    Waiting {
        /// What for, or what blocks it.
        told: String,
    },
    /// It lies ahead.
    Ahead {
        /// When it is due.
        due: Option<Timestamp>,
    },
    /// It is to speak again at a time that a person chose.
    Snoozed {
        /// When.
        until: Timestamp,
    },
    /// Its time was missed.
    Missed {
        /// When it was due.
        due: Option<Timestamp>,
    },
    /// It came up, and its command does it.
    Runs {
        /// Since when.
        since: Timestamp,
    },
    /// It came up and was not done.
    Due {
        /// Since when.
        since: Timestamp,
        /// When the person saw it.
        seen_at: Option<Timestamp>,
    },
    /// Its clock does not count.
    Paused {
        /// Since when.
        since: Timestamp,
        /// Until when.
        until: Option<Timestamp>,
        /// What was left to due.
        remaining: Option<Span>,
    },
    /// An attempt failed.
    Failed {
        /// When.
        at: Timestamp,
    },
    /// It ended.
    Ended {
        /// When.
        at: Timestamp,
        /// How.
        outcome: Outcome,
    },
}

fn standing(snapshot: &Snapshot) -> Standing {
    let occurrence = &snapshot.occurrence;
    if snapshot.is_waiting() {
        return Standing::Waiting { told: snapshot.task.waits.told() };
    }
    match &occurrence.state {
        State::Created => Standing::NoTime,
        State::Pending(pending) => match pending.snooze.filter(|snooze| snooze.is_chosen) {
            Some(snooze) => Standing::Snoozed { until: snooze.until },
            None if pending.is_missed => Standing::Missed { due: occurrence.due_at() },
            None if !occurrence.has_time() => Standing::NoTime,
            None => Standing::Ahead { due: occurrence.due_at() },
        },
        // Ringing late or again moves no due.
        State::Running(running) => {
            let since = occurrence.due_at().map_or(running.fired_at, |due| due.min(running.fired_at));
            if snapshot.task.details.command.is_some() {
                return Standing::Runs { since };
            }
            Standing::Due { since, seen_at: running.acked_at }
        }
        State::Suspended(suspended) => {
            Standing::Paused { since: suspended.since, until: suspended.until, remaining: suspended.remaining }
        }
        State::Failed(failed) => Standing::Failed { at: failed.at },
        State::Completed(ended) | State::Cancelled(ended) => Standing::Ended { at: ended.at, outcome: ended.outcome },
    }
}

/// Returns what the clock brings next, with its time.
fn next(snapshot: &Snapshot) -> Option<(Timestamp, Next)> {
    let occurrence = &snapshot.occurrence;
    match &occurrence.state {
        State::Created | State::Failed(_) | State::Completed(_) | State::Cancelled(_) => return None,
        State::Suspended(suspended) => return suspended.until.map(|until| (until, Next::Resumes)),
        State::Pending(_) | State::Running(_) => {}
    }
    let alert = snapshot.next_alert().map(|(slot, at)| (at, Next::Alert(slot)));
    let nag = snapshot.next_nag().map(|(slot, at)| (at, Next::Alert(slot)));
    let snooze = snooze_of(&occurrence.state).map(|snooze| (snooze.until, Next::Snoozed(snooze.slot)));
    let waits = matches!(&occurrence.state, State::Pending(each) if each.snooze.is_none() && !each.is_missed);
    let silence = if snapshot.task.details.command.is_some() { Next::Runs } else { Next::Silence };
    let silence = occurrence.due_at().filter(|_| waits).map(|due| (due, silence));
    let speaks_early = snapshot.task.alerts.iter().any(|offset| *offset < Span::ZERO);
    let successor = occurrence.successor_at.map(|at| (at, Next::Successor { speaks_early }));
    // Where two come at one time, the first of these is what is said.
    let all = [snooze, alert, nag, silence, successor];
    all.into_iter().flatten().min_by_key(|(at, _)| *at)
}
