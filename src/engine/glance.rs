//! What asks for the person now, and what comes next? Little enough to be asked before each line of a shell.

use crate::domain::event::Snapshot;
use crate::domain::state::State;
use crate::domain::time::Timestamp;
use crate::engine::handle::Handle;
use crate::engine::input::CallError;
use crate::store::{Counts, Which};

/// How many of the next wake-ups are looked at: those of what is due already, such as nags, are none that come up.
const WAKES_LOOKED_AT_MAX: usize = 64;

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
            let mut wakes = store.wakes()?;
            wakes.sort_unstable();
            let mut next = None;
            for wake in wakes.into_iter().take(WAKES_LOOKED_AT_MAX) {
                let snapshot = store.snapshot(wake.id)?;
                if let Some(snapshot) = snapshot.filter(|found| !matches!(found.occurrence.state, State::Running(_))) {
                    next = Some((wake.at, snapshot));
                    break;
                }
            }
            Ok(Glance { running: store.list(Which::Running)?, next, counts: store.counts()? })
        })
        .await
    }
}
