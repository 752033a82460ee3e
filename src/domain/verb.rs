//! Which verb may be said of a task just now? For those who offer tasks to choose from.
//!
//! Asks the rules themselves, by trying what would follow, so that nothing is offered that they refuse.

use crate::domain::command::{Command, Expected, Moment};
use crate::domain::event::Snapshot;
use crate::domain::state::StateName;
use crate::domain::time::Span;
use crate::domain::transition::{Known, transition};

/// How far ahead a snooze is tried; any time ahead would do.
const SNOOZE: Span = Span::from_secs(600);

/// What may be said of a task.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verb {
    /// To look at it, or to name it: any open task.
    Get,
    /// To change it: any open task.
    Update,
    /// See [`Command::Done`].
    Done,
    /// See [`Command::Ack`].
    Ack,
    /// See [`Command::Snooze`].
    Snooze,
    /// See [`Command::Pause`].
    Pause,
    /// See [`Command::Resume`].
    Resume,
    /// See [`Command::Skip`].
    Skip,
    /// See [`Command::Cancel`].
    Cancel,
    /// See [`Command::Delete`].
    Delete,
    /// See [`Command::Retry`].
    Retry,
    /// See [`Command::Run`].
    Run,
    /// See [`Command::Unblock`].
    Unblock,
}

impl Verb {
    /// Every verb with its word, which stands behind `task.` in the name of its method.
    pub const ALL: [(Self, &'static str); 13] = [
        (Self::Get, "get"),
        (Self::Update, "update"),
        (Self::Done, "done"),
        (Self::Ack, "ack"),
        (Self::Snooze, "snooze"),
        (Self::Pause, "pause"),
        (Self::Resume, "resume"),
        (Self::Skip, "skip"),
        (Self::Cancel, "cancel"),
        (Self::Delete, "delete"),
        (Self::Retry, "retry"),
        (Self::Run, "run"),
        (Self::Unblock, "unblock"),
    ];

    /// Returns the verb of a word, `None` where there is none.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|(_, each)| *each == word).map(|(verb, _)| verb)
    }

    /// Returns whether an open task in that state may be worth trying: no other one needs to be read.
    #[must_use]
    pub const fn may_fit(self, state: StateName) -> bool {
        match (self, state) {
            (_, StateName::Completed | StateName::Cancelled) => false,
            (Self::Get | Self::Update | Self::Done | Self::Cancel | Self::Delete | Self::Run, _) => true,
            (Self::Ack | Self::Snooze, StateName::Pending | StateName::Running) => true,
            (Self::Pause, StateName::Pending | StateName::Running | StateName::Failed) => true,
            (Self::Resume, StateName::Suspended) => true,
            (Self::Skip, StateName::Created | StateName::Pending | StateName::Running) => true,
            (Self::Retry, StateName::Running) => true,
            (Self::Unblock, StateName::Created) => true,
            (Self::Ack | Self::Snooze | Self::Pause | Self::Resume | Self::Skip | Self::Retry | Self::Unblock, _) => {
                false
            }
        }
    }

    /// Returns whether it may be said of the task, and would do something.
    #[must_use]
    pub fn fits(self, snapshot: &Snapshot, known: Known<'_>, moment: &Moment<'_>) -> bool {
        let command = match self {
            Self::Get | Self::Update | Self::Delete => return true,
            Self::Unblock => return snapshot.is_waiting(),
            Self::Done => Command::Done { early: false },
            Self::Ack => Command::Ack { early: false, is_dismissal: false },
            Self::Snooze => {
                let until = moment.now.saturating_add(SNOOZE);
                Command::Snooze { until, is_duration: true, early: false }
            }
            Self::Pause => Command::Pause { until: None },
            Self::Resume => Command::Resume { shift: false },
            Self::Skip => Command::Skip,
            Self::Cancel => Command::Cancel,
            Self::Retry => Command::Retry,
            Self::Run => Command::Run,
        };
        transition(snapshot, known, &command, Expected::default(), moment)
            .is_ok_and(|would| would.has_changed() || !would.deliveries.is_empty() || !would.runs.is_empty())
    }
}
