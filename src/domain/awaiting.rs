//! Has what somebody waits for happened? What "fired" and "done" mean of an occurrence, and what else ends a wait.
//!
//! Fired: it comes up, ringing at its due or behind it, or in silence where it has no alert there. What is due now has
//! fired; of what is ahead, snoozed or paused it is the next time. An early alert is no firing of this kind, since the
//! thing is not due yet. Done: it is completed, by a person or a program; to pass unanswered is not to be done.

use crate::domain::event::{Event, Operation, SKIPPED};
use crate::domain::occurrence::{Occurrence, OccurrenceName, Outcome};
use crate::domain::state::{State, StateName};

/// What somebody waits for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Awaited {
    /// That it comes up.
    Fired,
    /// That it is done.
    Done,
}

/// Why a wait is over.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// What was waited for happened.
    Happened,
    /// It ended otherwise.
    Ended(Ending),
}

/// How an occurrence ended for one who waited for something else.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ending {
    /// It ended.
    Outcome(Outcome),
    /// Its time was missed, and is not made up for.
    Missed,
    /// It was removed before it came up, and nothing came in its place.
    Withdrawn,
    /// Its task was deleted.
    Deleted,
}

/// What is known of an occurrence from where it stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Standing {
    /// The wait is over.
    Over(Verdict),
    /// It has ended, and only its history tells how.
    Past,
    /// It is to be waited for.
    Open,
}

/// Somebody's wait for an occurrence.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Watch {
    awaited: Awaited,
    occurrence: OccurrenceName,
    /// Whether the occurrence was removed and nothing has come in its place so far.
    is_withdrawn: bool,
    /// Whether it stands so that it is due.
    is_running: bool,
}

impl Watch {
    /// Returns a wait for an occurrence.
    #[must_use]
    pub const fn new(awaited: Awaited, occurrence: OccurrenceName) -> Self {
        Self { awaited, occurrence, is_withdrawn: false, is_running: false }
    }

    /// Returns the occurrence: the one that took its place where the first was removed.
    #[must_use]
    pub const fn occurrence(&self) -> OccurrenceName {
        self.occurrence
    }

    /// Returns what is waited for.
    #[must_use]
    pub const fn awaited(&self) -> Awaited {
        self.awaited
    }

    /// Returns what the present occurrence of the task tells.
    pub fn look(&mut self, present: &Occurrence) -> Standing {
        if present.name() != self.occurrence {
            return Standing::Past;
        }
        self.is_running = matches!(present.state, State::Running(_));
        match (self.awaited, &present.state) {
            (Awaited::Fired, State::Running(_) | State::Failed(_)) => Standing::Over(Verdict::Happened),
            (Awaited::Fired, State::Pending(pending)) if pending.is_missed => {
                Standing::Over(Verdict::Ended(Ending::Missed))
            }
            (Awaited::Done, State::Running(_) | State::Failed(_))
            | (_, State::Created | State::Pending(_) | State::Suspended(_)) => Standing::Open,
            (Awaited::Fired | Awaited::Done, State::Completed(_) | State::Cancelled(_)) => Standing::Past,
        }
    }

    /// Looks at an event of the task; returns why the wait is over, where that tells it.
    ///
    /// Events come in their order; behind those that were committed together [`Watch::settle`] has the last word.
    pub fn see(&mut self, event: &Event) -> Option<Verdict> {
        if event.operation == Operation::Deleted {
            return Some(Verdict::Ended(Ending::Deleted));
        }
        // What was removed is waited for in what comes in its place. What is moved is the open one, under another name
        // maybe; what has come up keeps its name, also where its command runs on beside the next (`--overlap allow`).
        let is_ahead = !self.is_running;
        if let (Operation::Opened(next), true, _) | (Operation::Moved(next), _, true) =
            (&event.operation, self.is_withdrawn, is_ahead)
        {
            (self.occurrence, self.is_withdrawn) = (next.name(), false);
        }
        if event.snapshot.occurrence.name() != self.occurrence {
            return None;
        }
        self.is_running = event.to == Some(StateName::Running);
        match &event.operation {
            Operation::Fired(_) if self.awaited == Awaited::Fired => Some(Verdict::Happened),
            Operation::Completed(Outcome::Done) if self.awaited == Awaited::Done => Some(Verdict::Happened),
            Operation::Completed(outcome) | Operation::Cancelled(outcome) => {
                Some(Verdict::Ended(Ending::Outcome(*outcome)))
            }
            Operation::Missed { .. } if self.awaited == Awaited::Fired && is_missed(event) => {
                Some(Verdict::Ended(Ending::Missed))
            }
            Operation::Withdrawn if event.reason == SKIPPED => Some(Verdict::Ended(Ending::Outcome(Outcome::Skipped))),
            Operation::Withdrawn => {
                self.is_withdrawn = true;
                None
            }
            Operation::Fired(_)
            | Operation::Missed { .. }
            | Operation::Added(_)
            | Operation::Opened(_)
            | Operation::Armed
            | Operation::Spoke(_)
            | Operation::Started
            | Operation::Acked { .. }
            | Operation::Suspended(_)
            | Operation::Snoozed { .. }
            | Operation::Resumed { .. }
            | Operation::Edited(_)
            | Operation::Moved(_)
            | Operation::Followed { .. }
            | Operation::Failed
            | Operation::Retried { .. }
            | Operation::RunStarted { .. }
            | Operation::Progressed(_)
            | Operation::RunEnded { .. }
            | Operation::PassedOver { .. }
            | Operation::DeadlinePassed
            | Operation::WaitsSet(_)
            | Operation::ParentDone(_)
            | Operation::ParentFailed(_)
            | Operation::Freed(_)
            | Operation::Unblocked
            | Operation::Deleted
            | Operation::Restored(_)
            | Operation::Resent { .. }
            | Operation::Held { .. }
            | Operation::Expired { .. } => None,
        }
    }

    /// Returns why the wait is over by where those events left it that were committed together: what passes through
    /// RUNNING on the way to its end has not come up.
    #[must_use]
    pub fn settle(&self) -> Option<Verdict> {
        if self.is_withdrawn {
            return Some(Verdict::Ended(Ending::Withdrawn));
        }
        (self.awaited == Awaited::Fired && self.is_running).then_some(Verdict::Happened)
    }
}

fn is_missed(event: &Event) -> bool {
    matches!(event.snapshot.occurrence.state, State::Pending(pending) if pending.is_missed)
}

/// What the history of an occurrence tells.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Recalled {
    /// The occurrence; the one that took its place where it was removed.
    pub occurrence: OccurrenceName,
    /// What became of it, with the place of the event that tells it; `None` where it is open still.
    pub verdict: Option<(Verdict, u64)>,
}

/// Returns what became of an occurrence. Once it has fired it has fired, whatever came behind.
///
/// The events are those of its task from the one on that opened it, in their order, each with its place.
#[must_use]
pub fn recall(mut watch: Watch, events: &[(u64, Event)]) -> Recalled {
    let mut ended = None;
    for (index, (seq, event)) in events.iter().enumerate() {
        let is_last_of_op = events.get(index + 1).is_none_or(|(_, next)| next.op_id != event.op_id);
        match watch.see(event).or_else(|| if is_last_of_op { watch.settle() } else { None }) {
            Some(Verdict::Happened) => {
                return Recalled { occurrence: watch.occurrence, verdict: Some((Verdict::Happened, *seq)) };
            }
            Some(verdict @ Verdict::Ended(_)) => ended = Some((verdict, *seq)),
            None => {}
        }
    }
    Recalled { occurrence: watch.occurrence, verdict: ended }
}
