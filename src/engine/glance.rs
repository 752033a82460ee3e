//! What asks for the person now, and what comes next? Little enough to be asked before each line of a shell.

use crate::domain::event::Snapshot;
use crate::domain::time::Timestamp;
use crate::engine::handle::Handle;
use crate::engine::input::CallError;
use crate::store::{Counts, Which};

/// What there is to say in a few words.
#[derive(Clone, Debug)]
pub struct Glance {
    /// What came up and has not ended.
    pub running: Vec<Snapshot>,
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
        self.read(move |store| {
            let next = match store.next_coming()? {
                Some(wake) => store.snapshot(wake.id)?.map(|snapshot| (wake.at, snapshot)),
                None => None,
            };
            Ok(Glance { running: store.list(Which::Running)?, next, counts: store.counts()? })
        })
        .await
    }
}
