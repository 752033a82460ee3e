//! What a change is answered with: what was done to which task, and what follows from it.

use crate::cli::render::task::{home, is_open, is_series, title};
use crate::cli::render::text::{DIM, GOOD, NUMBER, Text};
use crate::cli::render::time::{Viewpoint, length};
use crate::protocol::methods::WriteResult;
use crate::protocol::objects::Task;

/// What stands between number, title and time.
const GAP: &str = "  ";

/// An interval up to this long has a time in every night of nine hours.
const NIGHT_MS: i64 = 9 * 3_600_000;

/// What was asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Change {
    /// `add`, `remind`.
    Added,
    /// `edit`.
    Edited,
    /// `done`.
    Done,
    /// `ack`.
    Seen,
    /// `snooze`.
    Snoozed,
    /// `pause`.
    Paused,
    /// `resume`.
    Resumed,
    /// `skip`.
    Skipped,
    /// `cancel`.
    Cancelled,
}

impl Change {
    const fn word(self) -> &'static str {
        match self {
            Self::Added => "added",
            Self::Edited => "changed",
            Self::Done => "done",
            Self::Seen => "seen",
            Self::Snoozed => "snoozed",
            Self::Paused => "paused",
            Self::Resumed => "resumed",
            Self::Skipped => "skipped",
            Self::Cancelled => "cancelled",
        }
    }
}

/// Returns what is said of a change: `added 12  pay rent  Thu 14 May 2026 15:00 EDT (in 23h)`, and for a repeat the
/// next times.
pub(crate) fn change(what: Change, result: &WriteResult, view: Viewpoint) -> Vec<Text> {
    let task = &result.task;
    let mut line = Text::default();
    if result.changed {
        line.push_styled(GOOD, what.word());
    } else {
        line.push_styled(DIM, &format!("already {}", what.word()));
    }
    line.push(" ");
    line.push_styled(NUMBER, &task.number.to_string());
    line.push(GAP);
    line.append(title(task));
    if let Some(tail) = tail(what, task, view) {
        line.push(GAP);
        line.push(&tail);
    }
    let mut lines = vec![line];
    if matches!(what, Change::Added | Change::Edited | Change::Resumed) {
        lines.extend(alert_line(task, view));
        lines.extend(repeat_line(task, view));
    }
    if result.passed_over > 0 {
        let times = if result.passed_over == 1 { "time was" } else { "times were" };
        lines.push(Text::styled(DIM, &format!("{GAP}{} {times} passed over", result.passed_over)));
    }
    lines
}

/// Returns what follows from the change.
fn tail(what: Change, task: &Task, view: Viewpoint) -> Option<String> {
    match what {
        Change::Added | Change::Edited | Change::Resumed => Some(due(task, view)),
        Change::Done if is_series(task) && is_open(task) => Some(format!("next {}", due(task, view))),
        Change::Seen if is_open(task) => Some("stays due until it is done".to_owned()),
        Change::Snoozed => {
            task.snoozed_until.map(|until| format!("until {}", view.full_with_home(until.instant(), home(task))))
        }
        Change::Paused => Some(paused(task, view)),
        Change::Skipped if is_series(task) && is_open(task) => Some(format!("next {}", due(task, view))),
        Change::Done | Change::Seen | Change::Skipped | Change::Cancelled => None,
    }
}

/// Returns when a task is due, or that it never rings.
pub(crate) fn due(task: &Task, view: Viewpoint) -> String {
    match task.due_at {
        Some(due) => view.full_with_home(due.instant(), home(task)),
        None => "no time, so it will not ring".to_owned(),
    }
}

fn paused(task: &Task, view: Viewpoint) -> String {
    let left = task
        .remaining_ms
        .and_then(|millis| u64::try_from(millis).ok())
        .and_then(length)
        .map_or(String::new(), |length| format!(", {length} left"));
    match task.paused_until {
        Some(until) => format!("until {}{left}", view.full(until.instant())),
        None => format!("until it is resumed{left}"),
    }
}

/// Says when it speaks, where that is not simply when it is due.
fn alert_line(task: &Task, view: Viewpoint) -> Option<Text> {
    let due = task.due_at?;
    if task.alerts.is_empty() {
        return Some(Text::styled(DIM, &format!("{GAP}without an alert")));
    }
    let first = task.scheduled_at.filter(|first| first.instant() != due.instant())?;
    Some(Text::styled(DIM, &format!("{GAP}speaks first {}", view.full(first.instant()))))
}

/// Says the next times of a repeat.
fn repeat_line(task: &Task, view: Viewpoint) -> Option<Text> {
    if !is_series(task) || task.next.is_empty() {
        return None;
    }
    let next: Vec<String> = task.next.iter().map(|at| view.row(at.instant())).collect();
    let night = match task.schedule.every_ms {
        Some(every) if every <= NIGHT_MS => " (also at night)",
        Some(_) | None => "",
    };
    Some(Text::styled(DIM, &format!("{GAP}repeats {}{night}", next.join(", "))))
}
