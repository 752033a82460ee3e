//! What the loop knows of the targets: how each has done lately, and when what is held for it may go out.
//!
//! Decides nothing: `domain::breaker` says what a report means, and when the next of the held goes out.

use std::collections::BTreeMap;

use crate::domain::breaker::TargetHealth;
use crate::domain::delivery::Target;
use crate::domain::time::Timestamp;
use crate::scheduler::Queue;

/// The targets as they were last committed.
#[derive(Default)]
pub(super) struct Targets {
    known: BTreeMap<Target, TargetHealth>,
    releases: Queue<Target>,
}

impl Targets {
    /// Returns what the store knows; nothing is planned yet.
    pub(super) fn of(stored: Vec<TargetHealth>) -> Self {
        let known = stored.into_iter().map(|health| (health.target.clone(), health)).collect();
        Self { known, releases: Queue::default() }
    }

    pub(super) fn health(&self, target: &Target) -> TargetHealth {
        self.known.get(target).cloned().unwrap_or_else(|| TargetHealth::new(target.clone()))
    }

    pub(super) fn all(&self) -> impl Iterator<Item = &TargetHealth> {
        self.known.values()
    }

    /// Notes what was committed.
    pub(super) fn note(&mut self, health: TargetHealth) {
        let target = health.target.clone();
        self.known.insert(target.clone(), health);
        self.plan(target);
    }

    /// Plans the next release of what is held for a target.
    pub(super) fn plan(&mut self, target: Target) {
        let at = self.known.get(&target).and_then(TargetHealth::next_release);
        // The latest word counts, so one version is enough.
        self.releases.set(target, 0, at);
    }

    pub(super) fn next_deadline(&mut self) -> Option<Timestamp> {
        self.releases.next_deadline()
    }

    /// Takes the targets of which one held delivery may go out by now; each is to be planned anew.
    pub(super) fn pop_due(&mut self, now: Timestamp) -> Vec<Target> {
        std::iter::from_fn(|| self.releases.pop_due(now)).map(|(target, _)| target).collect()
    }
}
