//! What a firing says, frozen when it is committed.

use chrono_tz::Tz;

use crate::domain::task::{Number, Priority, Task};
use crate::domain::time::Timestamp;

/// What is said to a person, in plain text; channels escape it as their target needs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Message {
    /// The task's number, for `keiko done N`.
    pub number: Number,
    /// The title.
    pub title: String,
    /// Further lines: when it was due, the notes. May be empty.
    pub body: String,
    /// How much it matters.
    pub priority: Priority,
    /// Something to open.
    pub link: Option<String>,
}

impl Message {
    /// Composes what `task` says when it speaks at `now` of what is due at `due`, in words of the local `zone`.
    #[must_use]
    pub fn compose(task: &Task, due: Option<Timestamp>, late: bool, now: Timestamp, zone: Tz) -> Self {
        let mut lines = Vec::new();
        if let Some(due) = due {
            lines.push(timing(due, late, now, zone));
        }
        if !task.details.notes.is_empty() {
            lines.push(task.details.notes.clone());
        }
        Self {
            number: task.number,
            title: task.details.title.clone(),
            body: lines.join("\n"),
            priority: task.details.priority,
            link: task.details.link.clone(),
        }
    }
}

fn timing(due: Timestamp, late: bool, now: Timestamp, zone: Tz) -> String {
    let is_today = due.local(zone).date() == now.local(zone).date();
    let clock = due.in_zone(zone).format(if is_today { "%H:%M" } else { "%a %-d %b %Y %H:%M" });
    if now < due {
        format!("due {clock}, in {}", due.since(now))
    } else if late {
        format!("due {clock}, late {}", now.since(due))
    } else {
        format!("due {clock}")
    }
}
