//! What did a person do, as one thing that can be taken back? Never says whether it can: the transitions do.

use uuid::Uuid;

use crate::domain::event::{Actor, Event, Operation, Snapshot};
use crate::domain::pause::ManyPause;
use crate::domain::quiet::Away;
use crate::domain::task::{Number, TaskId};
use crate::domain::time::{Span, Timestamp};
use crate::domain::waiting::Wait;

/// The word for a backup that was put in the place of all that there was, which no undo brings back. Its title is the file
/// in which that is kept, empty where there is none.
pub const RESTORE: &str = "restore";

/// How many tasks of an operation are named one by one.
pub const OP_TASKS_MAX: usize = 100;

/// For how long what was deleted can be brought back.
pub const DELETED_KEPT: Span = Span::from_secs(30 * 24 * 60 * 60);

/// Everything that one command of a person did.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Op {
    /// Its name: that of its events.
    pub id: Uuid,
    /// When it was done.
    pub at: Timestamp,
    /// What was asked, as people type it.
    pub verb: String,
    /// The title that the first of its tasks then had.
    pub title: String,
    /// The tasks of which it was asked, the first [`OP_TASKS_MAX`].
    pub tasks: Vec<Number>,
    /// How many tasks those are.
    pub total: u64,
    /// Whether a person typed it, rather than closed something that was shown.
    pub is_typed: bool,
    /// The operation that this took back, or did again.
    pub undoes: Option<Uuid>,
    /// Whether this took something back; what did something again is none.
    pub is_undo: bool,
    /// The operation that took this back.
    pub undone_by: Option<Uuid>,
    /// The pauses of many tasks that stood before and after, where it changed them.
    pub pauses: Option<PausesChanged>,
    /// For when the person had said to be away before and after, where it changed that.
    pub away: Option<AwayChanged>,
}

/// How the time has changed for which the person said to be away.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AwayChanged {
    /// The one that stood before.
    pub before: Option<Away>,
    /// The one that stood after.
    pub after: Option<Away>,
}

/// How the pauses of many tasks that stand have changed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PausesChanged {
    /// Those that stood before.
    pub before: Vec<ManyPause>,
    /// Those that stood after.
    pub after: Vec<ManyPause>,
}

impl Op {
    /// Returns an operation of which one task is known so far.
    #[must_use]
    pub fn new(id: Uuid, at: Timestamp, verb: &str, first: &Snapshot) -> Self {
        Self {
            title: first.task.details.title.clone(),
            tasks: vec![first.task.number],
            total: 1,
            ..Self::of_none(id, at, verb)
        }
    }

    /// Returns an operation that no task is known of so far.
    #[must_use]
    pub fn of_none(id: Uuid, at: Timestamp, verb: &str) -> Self {
        Self {
            id,
            at,
            verb: verb.to_owned(),
            title: String::new(),
            tasks: Vec::new(),
            total: 0,
            is_typed: true,
            undoes: None,
            is_undo: false,
            undone_by: None,
            pauses: None,
            away: None,
        }
    }

    /// Notes that it was asked of a task as well.
    pub fn add(&mut self, task: &Snapshot) {
        let number = task.task.number;
        if self.tasks.contains(&number) {
            return;
        }
        if self.tasks.is_empty() {
            self.title.clone_from(&task.task.details.title);
        }
        self.total += 1;
        if self.tasks.len() < OP_TASKS_MAX {
            self.tasks.push(number);
        }
    }

    /// Returns whether a bare undo means it, where it is the latest.
    #[must_use]
    pub const fn is_next_to_undo(&self) -> bool {
        self.is_typed && !self.is_undo && self.undone_by.is_none()
    }

    /// Returns it in words: `done 7 pay rent`, `pause 3 tasks: 1, 2, 7`.
    #[must_use]
    pub fn told(&self) -> String {
        let numbers: Vec<String> = self.tasks.iter().map(ToString::to_string).collect();
        match self.total {
            0 if self.away.is_some() => self.verb.clone(),
            0 if self.verb == RESTORE => format!("{} a backup", self.verb),
            0 => format!("{} no task", self.verb),
            1 => format!("{} {} {}", self.verb, numbers.join(", "), self.title),
            total if total == self.tasks.len() as u64 => format!("{} {total} tasks: {}", self.verb, numbers.join(", ")),
            total => format!("{} {total} tasks: {} and more", self.verb, numbers.join(", ")),
        }
    }
}

/// What one operation did to one task, as its events tell.
#[derive(Clone, PartialEq, Eq, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a question of its own about the events")]
pub struct Taken {
    /// The task before it; `None` where the operation added it.
    pub before: Option<Snapshot>,
    /// The task after it.
    pub after: Snapshot,
    /// Whether it ended the occurrence that was open before, rather than withdrew or kept it.
    pub has_ended: bool,
    /// Whether something rang with it.
    pub has_rung: bool,
    /// Whether something was sent again.
    pub has_resent: bool,
    /// Whether a person asked it of this very task; else it followed from what was asked of another.
    pub is_asked: bool,
    /// The pause of many tasks that stands again, by its name before and its name now.
    pub pause: Option<(Uuid, Uuid)>,
    /// Where the tasks stand now that it waited for.
    pub parents: Vec<(TaskId, Wait)>,
}

impl Taken {
    /// Returns what the events of one operation did to one task; `None` where there are none.
    #[must_use]
    pub fn of(before: Option<Snapshot>, events: &[&Event]) -> Option<Self> {
        let after = events.last()?.snapshot.clone();
        let open = before.as_ref().map(|before| before.occurrence.name());
        let ends =
            |event: &&&Event| event.operation.outcome().is_some() && Some(event.snapshot.occurrence.name()) == open;
        Some(Self {
            after,
            has_ended: events.iter().any(|event| ends(&event)),
            has_rung: events.iter().any(|event| event.operation.firing().is_some()),
            has_resent: events.iter().any(|event| matches!(event.operation, Operation::Resent { .. })),
            is_asked: events.iter().any(|event| event.actor == Actor::Person),
            pause: None,
            parents: Vec::new(),
            before,
        })
    }
}
