//! What a firing says, frozen when it is committed.

use std::collections::BTreeMap;

use chrono_tz::Tz;
use uuid::Uuid;

use crate::domain::delivery::Target;
use crate::domain::event::Snapshot;
use crate::domain::occurrence::{Due, Slot};
use crate::domain::run::RunEnd;
use crate::domain::task::{Number, Priority, Task};
use crate::domain::time::Timestamp;
use crate::domain::waiting::HowFailed;

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

/// What a program is told besides the message, frozen with it: the firing, and what the task then was.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Occasion {
    /// The device on which it fired.
    pub device: Uuid,
    /// Why it spoke.
    pub reason: Reason,
    /// Which alert it was.
    pub slot: Slot,
    /// When it was to speak.
    pub nominal_at: Timestamp,
    /// Whether it spoke past grace.
    pub late: bool,
    /// When the thing itself is due.
    pub due: Option<Due>,
    /// The task's notes, empty when there are none.
    pub notes: String,
    /// The task's tags.
    pub tags: Vec<String>,
    /// The task's metadata.
    pub metadata: BTreeMap<String, String>,
}

/// Why something was said.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Reason {
    /// The time of an alert came.
    Alert,
    /// A snooze was over.
    Snooze,
    /// A pause was over, and it was due meanwhile.
    Pause,
    /// Another target fails: the person is told of that.
    TargetFails,
    /// It waits for a task that never will be done: the person is told of that.
    Blocked,
    /// Somebody tries whether the target can be reached.
    Trial,
    /// Times were missed and are not made up for: the person is told of that.
    Skipped,
    /// Its command failed, and is not tried again.
    CommandFailed,
    /// Several that came late are told of at once.
    Digest,
}

impl Reason {
    /// Every reason.
    pub const ALL: [Self; 9] = [
        Self::Alert,
        Self::Snooze,
        Self::Pause,
        Self::TargetFails,
        Self::Blocked,
        Self::Trial,
        Self::Skipped,
        Self::CommandFailed,
        Self::Digest,
    ];

    /// Returns the word that SQL and programs use.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Alert => "alert",
            Self::Snooze => "snooze",
            Self::Pause => "pause",
            Self::TargetFails => "target_fails",
            Self::Blocked => "blocked",
            Self::Trial => "trial",
            Self::Skipped => "skipped",
            Self::CommandFailed => "command_failed",
            Self::Digest => "digest",
        }
    }

    /// Returns whether what is said for it answers for no firing.
    #[must_use]
    pub const fn is_notice(self) -> bool {
        match self {
            Self::TargetFails | Self::Blocked | Self::Skipped | Self::CommandFailed | Self::Digest => true,
            Self::Alert | Self::Snooze | Self::Pause | Self::Trial => false,
        }
    }

    /// Returns the reason of a word, `None` for a word of another version.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|reason| reason.as_str() == word)
    }
}

impl Message {
    /// Returns what to type about it.
    #[must_use]
    pub fn how(&self) -> String {
        // Numbers begin with 1: this is no task's.
        if self.number == Number(0) { "keiko list".to_owned() } else { format!("keiko done {}", self.number) }
    }

    /// Composes what a task says when it speaks at `now`, in words of the local `zone`; `late` is when it was to speak,
    /// where that is past grace, `missed` how many of its times before this one were missed.
    #[must_use]
    pub fn compose(snapshot: &Snapshot, late: Option<Timestamp>, missed: u64, now: Timestamp, zone: Tz) -> Self {
        let (task, occurrence) = (&snapshot.task, &snapshot.occurrence);
        let mut lines = Vec::new();
        if let Some(due) = occurrence.due_at() {
            lines.push(timing(due, late, now, zone));
        }
        // An early alert, a snooze, a nag, a deadline: the due time alone would not say by how much this comes late.
        if let Some(at) = late.filter(|at| Some(*at) != occurrence.due_at()) {
            lines.push(format!("late {}, was to speak {}", now.since(at), clock(at, now, zone)));
        }
        if missed > 0 {
            lines.push(format!("{} before it missed", digits(missed)));
        }
        if let Some(deadline) = occurrence.deadline {
            lines.push(of_deadline(deadline.at, now, zone));
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

/// Composes what is said to a person of times that were missed and are not made up for.
///
/// The body is what a line of a digest says behind the title.
#[must_use]
pub fn skipped(task: &Task, skip: &Skip, now: Timestamp, zone: Tz) -> Message {
    let (from, to) = (clock(skip.from, now, zone), clock(skip.to, now, zone));
    // Without its day a time is today's, which is not to be read as that of the first.
    let today = if from.len() > to.len() { "today " } else { "" };
    let times = if skip.times == 1 {
        format!("skipped, {from}")
    } else {
        format!("{} skipped, {from} to {today}{to}", digits(skip.times))
    };
    Message {
        number: task.number,
        title: task.details.title.clone(),
        body: format!("{times}: {}", skip.why),
        priority: task.details.priority,
        link: None,
    }
}

/// Times of a task that were missed and are not made up for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Skip {
    /// How many.
    pub times: u64,
    /// The first of them.
    pub from: Timestamp,
    /// The last of them.
    pub to: Timestamp,
    /// Why, for people.
    pub why: &'static str,
}

/// Composes what is said to a person when `target` fails, of which `task` is the latest witness.
#[must_use]
pub fn target_fails(task: &Task, target: &Target, failures: u32, error: &str) -> Message {
    let body = format!(
        "{failures} failures in a row, the latest: {error}\n\
         what is for {target} is held, and one is tried now and then; `keiko channel resume {target}` sends at once"
    );
    Message {
        number: task.number,
        title: format!("{target} fails ({})", task.details.title),
        body,
        priority: Priority::High,
        link: None,
    }
}

/// Returns what is said where a command has failed for good.
#[must_use]
pub fn command_failed(task: &Task, attempt: u32, end: &RunEnd) -> Message {
    let number = task.number;
    let after = if attempt > 1 { format!(" after {attempt} attempts") } else { String::new() };
    Message {
        number,
        title: format!("failed: {}", task.details.title),
        body: format!(
            "{end}{after}\n`keiko show {number} --output` shows what it said, `keiko retry {number}` tries it anew"
        ),
        priority: task.details.priority,
        link: task.details.link.clone(),
    }
}

/// Composes what is said to a person when `task` waits for others that never will be done.
#[must_use]
pub fn blocked(task: &Task) -> Message {
    let told = |(number, how): (Number, HowFailed)| match how {
        HowFailed::Cancelled => format!("{number}, which it waits for, was cancelled"),
        HowFailed::Skipped => format!("{number}, which it waits for, was skipped for the last time"),
        HowFailed::Unanswered => format!("{number}, which it waits for, ended unanswered"),
        HowFailed::Undelivered | HowFailed::RetriesExhausted => format!("{number}, which it waits for, failed"),
        HowFailed::Deleted => format!("{number}, which it waits for, was deleted"),
    };
    let number = task.number;
    let mut lines: Vec<String> = task.waits.failed().map(told).collect();
    lines.push(format!("`keiko unblock {number}` lets it go on without, `keiko cancel {number}` ends it"));
    Message {
        number,
        title: format!("blocked: {}", task.details.title),
        body: lines.join("\n"),
        priority: task.details.priority,
        link: task.details.link.clone(),
    }
}

fn of_deadline(deadline: Timestamp, now: Timestamp, zone: Tz) -> String {
    let clock = clock(deadline, now, zone);
    if now < deadline {
        format!("deadline {clock}, in {}", deadline.since(now))
    } else {
        format!("past its deadline {clock}")
    }
}

/// Returns a time as people read it, with its day where that is not today's.
#[must_use]
pub fn clock(at: Timestamp, now: Timestamp, zone: Tz) -> String {
    let is_today = at.local(zone).date() == now.local(zone).date();
    at.in_zone(zone).format(if is_today { "%H:%M" } else { "%a %-d %b %Y %H:%M" }).to_string()
}

/// Returns a count as people read it: `4,319`.
#[must_use]
pub fn digits(count: u64) -> String {
    let plain = count.to_string();
    let mut grouped = String::new();
    for (index, digit) in plain.char_indices() {
        if index > 0 && (plain.len() - index).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

fn timing(due: Timestamp, late: Option<Timestamp>, now: Timestamp, zone: Tz) -> String {
    let clock = clock(due, now, zone);
    if now < due {
        format!("due {clock}, in {}", due.since(now))
    } else if late == Some(due) {
        format!("due {clock}, late {}", now.since(due))
    } else {
        format!("due {clock}")
    }
}
