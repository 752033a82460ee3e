//! Where does a task speak? Where it says itself, else by the configuration of now, else where nothing is configured.

use crate::domain::delivery::Target;
use crate::domain::occurrence::Slot;
use crate::domain::state::State;
use crate::domain::transition::steps::Steps;

impl Steps<'_> {
    /// Returns where an alert is said. What cannot be answered on the spot is nagged of twice only: at first and at last.
    pub(super) fn targets_of(&self, slot: Slot) -> Vec<Target> {
        // What is to be done then is done by the command; who is to know of it is told where that fails.
        if self.has_command() && slot == Slot::DUE {
            return Vec::new();
        }
        let mut targets = self.targets();
        let max = self.task().policy.nag.map_or(0, |nag| nag.max);
        // It was counted by the step that said it.
        let is_between = matches!(self.state(), State::Running(running) if running.nags != 1 && running.nags < max);
        if matches!(slot, Slot::Nag(_)) && is_between {
            targets.retain(|target| target.kind.has_buttons());
        }
        targets
    }

    pub(super) fn targets(&self) -> Vec<Target> {
        let mut targets = self.moment.routing.chosen_for(&self.task().details).to_vec();
        // Who did not say that it is for programs only is to hear of it.
        if !self.task().is_program_only() && !targets.iter().any(|target| target.kind.is_person()) {
            targets.extend(self.built_in());
        }
        targets
    }

    /// Returns where the person is reached by default, whatever the task says.
    pub(super) fn default_targets(&self) -> Vec<Target> {
        let default = self.moment.routing.channels.iter();
        let persons: Vec<Target> = default.filter(|target| target.kind.is_person()).cloned().collect();
        if persons.is_empty() { self.built_in() } else { persons }
    }

    /// Returns whether the task goes by what is built in, as nothing else reaches the person.
    pub(super) fn is_built_in(&self) -> bool {
        let details = &self.task().details;
        let chosen = self.moment.routing.chosen_for(details);
        details.targets.is_empty() && chosen.iter().all(|target| !target.kind.is_person())
    }

    /// Returns what reaches the person where nothing is configured: the desktop, and while that is away the terminal too.
    fn built_in(&self) -> Vec<Target> {
        let mut targets = vec![Target::desktop()];
        if self.moment.is_desktop_away {
            targets.push(Target::terminal());
        }
        targets
    }
}
