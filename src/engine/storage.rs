//! Does the store take what is written, and if not, since when and why? One answer for the loop and for whoever asks.
//!
//! It only remembers: the loop decides what waits.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::domain::time::Timestamp;
use crate::engine::input::{StoreFailure, store_failure};
use crate::store::StoreError;

/// What is wrong with the store.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Trouble {
    /// What kind of failure it is.
    pub failure: StoreFailure,
    /// Since when.
    pub since: Timestamp,
    /// The error, in words.
    pub reason: String,
}

/// What is known of the store. Clones know the same.
#[derive(Clone, Debug, Default)]
pub(crate) struct StoreHealth(Arc<Mutex<Option<Trouble>>>);

impl StoreHealth {
    /// Returns what is wrong, as far as is known.
    pub(crate) fn trouble(&self) -> Option<Trouble> {
        self.lock().clone()
    }

    /// Returns whether the disk was full when it was last written to.
    pub(crate) fn is_full(&self) -> bool {
        self.lock().as_ref().is_some_and(|trouble| trouble.failure == StoreFailure::Full)
    }

    /// Notes an error; whether it is one that people should hear of even when they ask nothing.
    pub(crate) fn failed(&self, error: &StoreError, now: Timestamp) {
        let failure = store_failure(error);
        let is_trouble = match failure {
            StoreFailure::Full | StoreFailure::Broken | StoreFailure::Damaged => true,
            // The store is open, so it is what somebody wants to import.
            StoreFailure::Newer
            | StoreFailure::Refused
            | StoreFailure::Unusable
            | StoreFailure::Busy
            | StoreFailure::OurFault
            | StoreFailure::Closed => false,
        };
        let mut known = self.lock();
        // Damage stays the worse news: it does not end by itself.
        let is_known = known.as_ref().is_some_and(|it| it.failure == failure || it.failure == StoreFailure::Damaged);
        if is_trouble && !is_known {
            *known = Some(Trouble { failure, since: now, reason: error.to_string() });
        }
    }

    /// Notes that the store took what somebody wrote.
    pub(crate) fn written(&self) {
        let mut known = self.lock();
        // A damaged page does no harm to most writes, and is there all the same.
        if known.as_ref().is_some_and(|trouble| trouble.failure != StoreFailure::Damaged) {
            *known = None;
        }
    }

    fn lock(&self) -> MutexGuard<'_, Option<Trouble>> {
        // Each change is one statement, so a panic elsewhere leaves nothing half done.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
