//! Who is told by what? The defaults, the rules by tag and priority, where else it is said when nobody is reached, and who is
//! told whatever becomes of a task (SPEC 7).
//!
//! A task that names its channels is told there alone; all else is decided when it fires, so that a new configuration holds
//! for the tasks that there are. Decides nothing of a task's state, and knows no target but by its name.

use crate::domain::delivery::{Delivery, DeliveryStatus, Target};
use crate::domain::occurrence::Slot;
use crate::domain::task::{Details, Nag, Priority};

/// So many failed attempts at a target count as not reached: with the back-off they take about half a minute, so that a
/// hiccup is waited out and a person hears of a reminder within its minute.
pub const ATTEMPTS_MAX: u32 = 3;

/// Who is told by what.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Routing {
    /// Where a task speaks that names no channel and that no rule fits; empty means the desktop, and the terminal while that
    /// is away.
    pub channels: Vec<Target>,
    /// Where else some speak that name no channel: the first that fits holds.
    pub rules: Vec<Rule>,
    /// Where it is said, one after another, when nobody is reached where it was said.
    pub fallback: Vec<Target>,
    /// What is on its way there is not withdrawn when a task is answered.
    pub always: Vec<Target>,
}

/// Where tasks speak that are of a sort.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rule {
    /// Those with one of these tags, written without their `+`; empty means any.
    pub tags: Vec<String>,
    /// Those of this priority; `None` means any.
    pub priority: Option<Priority>,
    /// Where. Not empty.
    pub channels: Vec<Target>,
}

impl Rule {
    /// Returns whether it holds for a task.
    #[must_use]
    pub fn fits(&self, details: &Details) -> bool {
        let has_tag = self.tags.is_empty() || self.tags.iter().any(|tag| details.tags.contains(tag));
        has_tag && self.priority.is_none_or(|priority| priority == details.priority)
    }
}

impl Routing {
    /// Nothing is configured: the desktop, and the terminal while that is away.
    pub const NONE: Self = Self { channels: Vec::new(), rules: Vec::new(), fallback: Vec::new(), always: Vec::new() };

    /// Returns [`Routing::NONE`], for whoever wants it lent.
    #[must_use]
    pub const fn none() -> &'static Self {
        static NONE: Routing = Routing::NONE;
        &NONE
    }

    /// Returns where a task speaks: where it says itself, else by the first rule that fits, else by default. Empty means the
    /// desktop, and the terminal while that is away.
    #[must_use]
    pub fn chosen_for<'a>(&'a self, details: &'a Details) -> &'a [Target] {
        if !details.targets.is_empty() {
            return &details.targets;
        }
        self.rules.iter().find(|rule| rule.fits(details)).map_or(&self.channels, |rule| &rule.channels)
    }

    /// Returns where else a firing is said now that it stands so with what it told; `None` where somebody was reached or may
    /// be yet, where nobody wants it any more, or where no other is left.
    ///
    /// `told` are all deliveries of the firing, `nag` is what its task nags by.
    #[must_use]
    pub fn next_for(&self, told: &[&Delivery], slot: Slot, nag: Option<Nag>) -> Option<&Target> {
        let is_for_person = |delivery: &&&Delivery| delivery.id.target.kind.is_person();
        // What fell back to a program before has told somebody, where that took it.
        let counts = |delivery: &&&Delivery| is_for_person(delivery) || self.fallback.contains(&delivery.id.target);
        if !told.iter().any(|delivery| is_for_person(&delivery))
            || told.iter().filter(counts).any(|delivery| !has_missed(delivery))
        {
            return None;
        }
        let is_new = |target: &&Target| told.iter().all(|delivery| delivery.id.target != **target);
        self.fallback.iter().filter(|target| is_nagged(target, slot, nag)).find(is_new)
    }
}

/// Returns whether a nag is said at `target`: what cannot be answered on the spot is told the first and the last only.
#[must_use]
pub fn is_nagged(target: &Target, slot: Slot, nag: Option<Nag>) -> bool {
    let max = nag.map_or(0, |nag| nag.max);
    let is_between = matches!(slot, Slot::Nag(count) if count != 1 && count < max);
    target.kind.has_buttons() || !is_between
}

/// Returns whether a target was not reached, and will not be in a moment: its channel is away, it is not sent to, or its
/// attempts failed.
fn has_missed(delivery: &Delivery) -> bool {
    match delivery.status {
        DeliveryStatus::Waiting | DeliveryStatus::Held | DeliveryStatus::Failed(_) => true,
        DeliveryStatus::Retrying(_) => delivery.attempts >= ATTEMPTS_MAX,
        // The digest that was to tell of it found nobody.
        DeliveryStatus::Grouped => delivery.last_error.is_some(),
        DeliveryStatus::Queued
        | DeliveryStatus::Quiet
        | DeliveryStatus::Delivered(_)
        | DeliveryStatus::Withdrawn(_) => false,
    }
}
