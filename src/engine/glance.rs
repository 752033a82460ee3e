//! What asks for the person now, and what comes next? Little enough to be asked before each line of a shell.

use crate::domain::event::Snapshot;
use crate::domain::time::Timestamp;
use crate::engine::handle::Handle;
use crate::engine::input::CallError;
use crate::store::{AtHand, Counts};

/// What there is to say in a few words.
#[derive(Clone, Debug)]
pub struct Glance {
    /// How many came up and have not ended.
    pub at_hand: AtHand,
    /// The most important of those that are due.
    pub first: Option<Snapshot>,
    /// What comes up next, with the time.
    pub next: Option<(Timestamp, Snapshot)>,
    /// How many there are.
    pub counts: Counts,
}

impl Handle {
    /// Returns what asks for the person now, and what comes next.
    ///
    /// # Errors
    /// The store fails.
    pub async fn glance(&self) -> Result<Glance, CallError> {
        let now = self.now();
        self.read(move |store| {
            let next = match store.next_coming()? {
                Some(wake) => store.snapshot(wake.id)?.map(|snapshot| (wake.at, snapshot)),
                None => None,
            };
            let at_hand = store.at_hand(now)?;
            let first = at_hand.first.map_or(Ok(None), |first| store.snapshot(first))?;
            Ok(Glance { at_hand, first, next, counts: store.counts()? })
        })
        .await
    }
}
