//! One task of a store in memory, and how the events of a change make its rows.

use std::sync::Arc;

use crate::domain::event::{Event, Operation, Snapshot};
use crate::domain::occurrence::{Occurrence, OccurrenceName};
use crate::domain::task::Task;

/// A task with its occurrences.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) task: Arc<Task>,
    present: OccurrenceName,
    /// In the order in which they were opened.
    pub(super) occurrences: Vec<Arc<Occurrence>>,
}

impl Entry {
    pub(super) fn new(first: &Snapshot) -> Self {
        let present = first.occurrence.name();
        Self { task: Arc::new(first.task.clone()), present, occurrences: Vec::new() }
    }

    pub(super) fn snapshot(&self) -> Snapshot {
        Snapshot { task: (*self.task).clone(), occurrence: self.present().clone() }
    }

    pub(super) fn present(&self) -> &Occurrence {
        let present = self.occurrences.iter().find(|occurrence| occurrence.name() == self.present);
        present.expect("a task without its present occurrence is refused")
    }

    pub(super) fn apply(&mut self, event: &Event) {
        let Snapshot { task, occurrence } = &event.snapshot;
        let name = occurrence.name();
        self.task = Arc::new(task.clone());
        let position = self.occurrences.iter().position(|occurrence| occurrence.name() == name);
        if let Some(position) = position {
            self.occurrences.remove(position);
        }
        match (&event.operation, position) {
            (Operation::Withdrawn, _) => {}
            (Operation::Added(_) | Operation::Opened(_), _) | (_, None) => {
                self.occurrences.push(Arc::new(occurrence.clone()));
            }
            (_, Some(position)) => self.occurrences.insert(position, Arc::new(occurrence.clone())),
        }
        if matches!(event.operation, Operation::Added(_) | Operation::Opened(_) | Operation::Moved(_)) {
            self.present = name;
        }
    }

    /// Makes the occurrence that was opened last the present one, where the present one was withdrawn.
    pub(super) fn settle(&mut self) {
        let is_there = self.occurrences.iter().any(|occurrence| occurrence.name() == self.present);
        if let (false, Some(last)) = (is_there, self.occurrences.last()) {
            self.present = last.name();
        }
    }
}
