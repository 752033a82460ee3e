//! How does a channel tell what the person did with what it showed? A short queue to the one who listens.
//!
//! It decides nothing, and never makes a channel wait: what finds no room, or no listener, is lost, and the person has the
//! task in every list still.

use std::sync::Mutex;

use tokio::sync::{mpsc, oneshot};

use crate::domain::delivery::Delivery;
use crate::domain::message::Reason;
use crate::domain::occurrence::OccurrenceName;
use crate::domain::task::TaskId;
use crate::domain::time::Span;

/// How many responses may wait for the listener (I9): more than a screen shows popups.
pub const RESPONSES_MAX: usize = 256;

/// What a person can respond to: an occurrence that was shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ring {
    /// The task.
    pub task: TaskId,
    /// The occurrence that it was shown of; a later one has not been seen.
    pub occurrence: OccurrenceName,
}

impl Ring {
    /// Returns what the person responds to with a delivery before them; nothing where that is no ring of a task.
    ///
    /// Who closes a digest has seen a list and no task of it, and who closes a notice or a trial has read that.
    #[must_use]
    pub fn of(delivery: &Delivery) -> Option<Self> {
        match delivery.occasion.reason {
            Reason::Alert | Reason::Snooze | Reason::Pause => {
                Some(Self { task: delivery.task, occurrence: delivery.occurrence })
            }
            Reason::TargetFails
            | Reason::Blocked
            | Reason::Skipped
            | Reason::CommandFailed
            | Reason::Digest
            | Reason::Trial => None,
        }
    }
}

/// What the person did with what was shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Act {
    /// Closed it.
    Dismiss,
    /// Said that it was seen.
    Ack,
    /// Said that it is done.
    Done,
    /// Wants to hear of it again, so long from now.
    Snooze(Span),
}

/// A person's response.
#[derive(Debug)]
pub struct Response {
    /// To what.
    pub ring: Ring,
    /// What they did.
    pub act: Act,
    /// Names it, where its channel may tell of it twice: done once.
    pub key: Option<String>,
    /// Hears what came of it, in words for people where it was refused; told once it is committed.
    pub outcome: Option<oneshot::Sender<Result<(), String>>>,
}

impl Response {
    /// Returns that the person closed a ring.
    #[must_use]
    pub const fn dismissed(ring: Ring) -> Self {
        Self { ring, act: Act::Dismiss, key: None, outcome: None }
    }
}

/// Where a channel tells of responses. There is one listener at a time.
#[derive(Debug, Default)]
pub struct Responses {
    listener: Mutex<Option<mpsc::Sender<Response>>>,
}

impl Responses {
    /// Returns the queue of all that is told from now on, which ends the one before.
    pub fn listen(&self) -> mpsc::Receiver<Response> {
        let (told, heard) = mpsc::channel(RESPONSES_MAX);
        *self.listener.lock().expect("no holder of the listener panics") = Some(told);
        heard
    }

    /// Tells of one. Never waits.
    pub fn tell(&self, response: Response) {
        let task = response.ring.task;
        if let Some(listener) = self.listener()
            && listener.try_send(response).is_err()
        {
            tracing::debug!(%task, "nobody heard what the person did");
        }
    }

    /// Returns where the listener is told, if there is one.
    pub(in crate::notify) fn listener(&self) -> Option<mpsc::Sender<Response>> {
        self.listener.lock().expect("no holder of the listener panics").clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use uuid::Uuid;

    use crate::domain::occurrence::OccurrenceKey;

    fn ring(number: usize) -> Ring {
        let task = TaskId(Uuid::from_u128(number as u128));
        Ring { task, occurrence: OccurrenceName { key: OccurrenceKey::Once, generation: 1 } }
    }

    #[test]
    fn whoever_does_not_listen_holds_up_nothing_and_a_new_listener_hears_what_is_new() {
        let responses = Responses::default();
        responses.tell(Response::dismissed(ring(0)));
        let mut first = responses.listen();
        (1..=RESPONSES_MAX + 1).for_each(|number| responses.tell(Response::dismissed(ring(number))));
        assert_eq!((first.len(), first.try_recv().unwrap().ring), (RESPONSES_MAX, ring(1)));
        let mut second = responses.listen();
        responses.tell(Response::dismissed(ring(7)));
        assert_eq!(second.try_recv().unwrap().ring, ring(7));
        assert_eq!(std::iter::from_fn(|| first.try_recv().ok()).count(), RESPONSES_MAX - 1);
        assert_eq!(first.try_recv().unwrap_err(), mpsc::error::TryRecvError::Disconnected);
    }
}
