//! How does a channel tell that the person closed what it showed? A short queue to the one who listens.
//!
//! It decides nothing, and never makes a channel wait: what finds no room, or no listener, is lost, and the person has the
//! task in every list still.

use std::sync::Mutex;

use tokio::sync::mpsc;

use crate::domain::delivery::Delivery;
use crate::domain::message::Reason;
use crate::domain::occurrence::OccurrenceName;
use crate::domain::task::TaskId;

/// How many dismissals may wait for the listener (I9): more than a screen shows popups.
pub const DISMISSALS_MAX: usize = 256;

/// The person closed what a channel showed of an occurrence.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Dismissal {
    /// The task.
    pub task: TaskId,
    /// The occurrence that it was shown of; a later one has not been seen.
    pub occurrence: OccurrenceName,
}

impl Dismissal {
    /// Returns what it means when the person closes a delivery; nothing where that is no ring of a task.
    ///
    /// Who closes a digest has seen a list and no task of it, and who closes a notice or a trial has read that.
    #[must_use]
    pub fn of(delivery: &Delivery) -> Option<Self> {
        match delivery.occasion.reason {
            Reason::Alert | Reason::Snooze | Reason::Pause => {
                Some(Self { task: delivery.task, occurrence: delivery.occurrence })
            }
            Reason::TargetFails | Reason::Blocked | Reason::Skipped | Reason::Digest | Reason::Trial => None,
        }
    }
}

/// Where a channel tells of dismissals. There is one listener at a time.
#[derive(Debug, Default)]
pub struct Dismissals {
    listener: Mutex<Option<mpsc::Sender<Dismissal>>>,
}

impl Dismissals {
    /// Returns the queue of all that is told from now on, which ends the one before.
    pub fn listen(&self) -> mpsc::Receiver<Dismissal> {
        let (told, heard) = mpsc::channel(DISMISSALS_MAX);
        *self.listener.lock().expect("no holder of the listener panics") = Some(told);
        heard
    }

    /// Tells of one. Never waits.
    pub fn tell(&self, dismissal: Dismissal) {
        if let Some(listener) = self.listener()
            && let Err(error) = listener.try_send(dismissal)
        {
            tracing::debug!(%error, task = %dismissal.task, "nobody heard that a popup was dismissed");
        }
    }

    /// Returns where the listener is told, if there is one.
    pub(in crate::notify) fn listener(&self) -> Option<mpsc::Sender<Dismissal>> {
        self.listener.lock().expect("no holder of the listener panics").clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use uuid::Uuid;

    use crate::domain::occurrence::OccurrenceKey;

    fn dismissal(number: usize) -> Dismissal {
        let task = TaskId(Uuid::from_u128(number as u128));
        Dismissal { task, occurrence: OccurrenceName { key: OccurrenceKey::Once, generation: 1 } }
    }

    #[test]
    fn whoever_does_not_listen_holds_up_nothing_and_a_new_listener_hears_what_is_new() {
        let dismissals = Dismissals::default();
        dismissals.tell(dismissal(0));
        let mut first = dismissals.listen();
        (1..=DISMISSALS_MAX + 1).for_each(|number| dismissals.tell(dismissal(number)));
        assert_eq!((first.len(), first.try_recv()), (DISMISSALS_MAX, Ok(dismissal(1))));
        let mut second = dismissals.listen();
        dismissals.tell(dismissal(7));
        assert_eq!(second.try_recv(), Ok(dismissal(7)));
        assert_eq!(std::iter::from_fn(|| first.try_recv().ok()).count(), DISMISSALS_MAX - 1);
        assert_eq!(first.try_recv(), Err(mpsc::error::TryRecvError::Disconnected));
    }
}
