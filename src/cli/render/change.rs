//! What a change is answered with: what was done to which task, and what follows from it.

use crate::cli::render::run;
use crate::cli::render::task::{home, repeats, title};
use crate::cli::render::text::{BAD, DIM, GOOD, NUMBER, Text};
use crate::cli::render::time::{Viewpoint, length};
use crate::protocol::methods::{PauseResult, WriteResult};
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
    /// `retry`.
    Retried,
    /// `unblock`.
    Unblocked,
    /// `delete`.
    Deleted,
}

impl Change {
    /// Returns the words that ask whether it is to be done to many tasks: they stand before how many.
    pub(crate) const fn question(self) -> &'static str {
        match self {
            Self::Added => "add",
            Self::Edited => "change",
            Self::Done => "mark as done",
            Self::Seen => "mark as seen",
            Self::Snoozed => "snooze",
            Self::Paused => "pause",
            Self::Resumed => "resume",
            Self::Skipped => "skip the open time of",
            Self::Cancelled => "cancel",
            Self::Retried => "send again",
            Self::Unblocked => "unblock",
            Self::Deleted => "delete",
        }
    }

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
            Self::Retried => "sent again",
            Self::Unblocked => "unblocked",
            Self::Deleted => "deleted",
        }
    }
}

/// Returns what is said of a change: `added 12  pay rent  Thu 14 May 2026 15:00 EDT (in 23h)`, and for a repeat the
/// next times.
pub(crate) fn change(what: Change, result: &WriteResult, view: Viewpoint) -> Vec<Text> {
    // What a series goes on with is what was asked for.
    let task = result.follower.as_deref().unwrap_or(&result.task);
    let mut line = Text::default();
    let is_gone = what == Change::Added && !result.changed && (task.ended_at.is_some() || task.stage == "deleted");
    if result.changed {
        let is_run_again = what == Change::Retried && task.command.is_some();
        line.push_styled(GOOD, if is_run_again { "tried again" } else { what.word() });
    } else if what == Change::Retried {
        line.push_styled(DIM, "nothing to send again");
    } else if what == Change::Unblocked {
        line.push_styled(DIM, "waits for no task:");
    } else if is_ahead(what, task) {
        // The time before was done, and the one that is open has not come up.
        line.push_styled(DIM, "nothing is due of");
    } else if is_gone {
        // It does nothing any more, which "already added" would hide.
        line.push_styled(BAD, &format!("not added, since it was added before and is {}:", task.stage));
    } else {
        line.push_styled(DIM, &format!("already {}", what.word()));
    }
    line.push(" ");
    line.push_styled(NUMBER, &task.number.to_string());
    line.push(GAP);
    line.append(title(task));
    if let Some(tail) = tail(what, task, view).filter(|_| !is_gone) {
        line.push(GAP);
        line.push(&tail);
    }
    let mut lines = vec![line];
    if let Some(follower) = &result.follower {
        let ended = result.task.number;
        lines.push(Text::styled(DIM, &format!("{GAP}task {} goes on with the series of {ended}", follower.number)));
    }
    lines.extend(moved_line(task, view));
    if matches!(what, Change::Added | Change::Edited | Change::Resumed) {
        lines.extend(alert_line(task, view));
        lines.extend(deadline_line(task, view));
        lines.extend(repeat_line(task, view));
        lines.extend(command_line(task));
    }
    if matches!(what, Change::Added | Change::Edited) && task.state == "SUSPENDED" {
        lines.push(Text::styled(DIM, &format!("{GAP}paused {}", paused_until(task, view))));
    }
    if result.passed_over > 0 {
        let times = if result.passed_over == 1 { "time was" } else { "times were" };
        lines.push(Text::styled(DIM, &format!("{GAP}{} {times} passed over", result.passed_over)));
    }
    lines.extend(running_line(what, result));
    lines.extend(dependents(result, view));
    lines
}

/// Says what becomes of a command that runs, where the change might be thought to end it.
fn running_line(what: Change, result: &WriteResult) -> Option<Text> {
    let may_end = match what {
        Change::Done | Change::Paused | Change::Skipped | Change::Cancelled | Change::Deleted => true,
        Change::Added
        | Change::Edited
        | Change::Seen
        | Change::Snoozed
        | Change::Resumed
        | Change::Retried
        | Change::Unblocked => false,
    };
    let run = result.runs.last().filter(|_| may_end)?;
    let told = match run.status.as_str() {
        "ending" => "its command is being ended",
        "ended" => "its command was ended",
        "queued" => "its command waits for a free place, and runs all the same",
        _ => "its command runs on",
    };
    let process = run.pid.map_or(String::new(), |pid| format!(" (process {pid})"));
    Some(Text::styled(DIM, &format!("{GAP}{told}{process}")))
}

/// Returns what became of those who waited for the task: `  8 cook is free now: due Thu 14 May 2026 15:00 EDT (in 23h)`.
fn dependents(result: &WriteResult, view: Viewpoint) -> Vec<Text> {
    let mut lines: Vec<Text> = result.dependents.iter().map(|task| dependent(task, view)).collect();
    let more = result.dependents_total.saturating_sub(lines.len() as u64);
    if more > 0 {
        lines.push(Text::styled(DIM, &format!("{GAP}and {more} more that waited for it")));
    }
    lines
}

fn dependent(task: &Task, view: Viewpoint) -> Text {
    let mut line = Text::plain(GAP);
    line.push_styled(NUMBER, &task.number.to_string());
    line.push(" ");
    line.append(title(task));
    match task.state.as_str() {
        "CREATED" if !task.blocked_by.is_empty() => {
            let stage = format!(" is {}; keiko unblock {} lets it go on without", task.stage, task.number);
            line.push_styled(BAD, &stage);
        }
        "CREATED" => line.push(&format!(" is {}", task.stage)),
        "CANCELLED" | "COMPLETED" => line.push(&format!(" is {} with it", task.stage)),
        "SUSPENDED" => line.push(" is free now, and paused"),
        "RUNNING" => line.push(" is free now, and due"),
        _ => line.push(&format!(" is free now: due {}", due(task, view))),
    }
    line
}

/// Returns what is said of a change of many tasks: `paused 3 tasks: 1 2 7  until it is resumed`; `first` is one of them.
pub(crate) fn of_many(what: Change, result: &PauseResult, first: Option<&Task>, view: Viewpoint) -> Text {
    let mut line = Text::default();
    line.push_styled(if result.changed { GOOD } else { DIM }, what.word());
    let numbers: Vec<String> = result.tasks.iter().map(ToString::to_string).collect();
    match numbers.len() {
        0 => line.push(" no task"),
        1 => line.push(" 1 task: "),
        count => line.push(&format!(" {count} tasks: ")),
    }
    line.push_styled(NUMBER, &numbers.join(" "));
    if let Some(first) = first.filter(|first| what == Change::Paused && first.paused_until.is_some()) {
        line.push(&format!("{GAP}{}", paused_until(first, view)));
    }
    if result.passed_over > 0 {
        line.push_styled(DIM, &format!("{GAP}{} passed over", result.passed_over));
    }
    line
}

/// Returns whether nothing of a task is there to be seen or put off.
fn is_ahead(what: Change, task: &Task) -> bool {
    let is_of_due = matches!(what, Change::Seen | Change::Snoozed);
    is_of_due && task.state == "PENDING" && task.snoozed_until.is_none()
}

/// Returns what follows from the change.
fn tail(what: Change, task: &Task, view: Viewpoint) -> Option<String> {
    match what {
        Change::Seen | Change::Snoozed if is_ahead(what, task) => Some(format!("next {}", due(task, view))),
        Change::Added | Change::Edited | Change::Resumed | Change::Unblocked => Some(due(task, view)),
        Change::Seen if task.is_open() => Some("stays due until it is done".to_owned()),
        Change::Snoozed => {
            task.snoozed_until.map(|until| format!("until {}", view.full_with_home(until.instant(), home(task))))
        }
        Change::Paused => Some(paused(task, view)),
        Change::Done | Change::Skipped if task.is_series() && task.is_open() => {
            Some(format!("next {}", due(task, view)))
        }
        Change::Deleted => Some("keiko undo brings it back for 30 days".to_owned()),
        Change::Done | Change::Seen | Change::Skipped | Change::Cancelled | Change::Retried => None,
    }
}

/// Returns when a task is due, or that it never rings; of one that waits for another what it waits for first.
pub(crate) fn due(task: &Task, view: Viewpoint) -> String {
    if task.state == "CREATED" && !task.waits_for.is_empty() {
        let delay = task.delay_ms.and_then(|millis| u64::try_from(millis).ok()).and_then(length);
        return match (task.due_at, delay) {
            (Some(due), None) => format!("{}, then {}", task.stage, view.full_with_home(due.instant(), home(task))),
            (Some(due), Some(delay)) => {
                let due = view.full_with_home(due.instant(), home(task));
                format!("{}, then {due}, or {delay} later if that is later", task.stage)
            }
            (None, Some(delay)) => format!("{}, then {delay} later", task.stage),
            (None, None) => format!("{}, then at once", task.stage),
        };
    }
    match task.due_at {
        Some(due) => view.full_with_home(due.instant(), home(task)),
        None => "no time".to_owned(),
    }
}

fn paused(task: &Task, view: Viewpoint) -> String {
    let left = task
        .remaining_ms
        .and_then(|millis| u64::try_from(millis).ok())
        .and_then(length)
        .map_or(String::new(), |length| format!(", {length} left"));
    format!("{}{left}", paused_until(task, view))
}

/// Returns until when a task is paused.
pub(crate) fn paused_until(task: &Task, view: Viewpoint) -> String {
    match task.paused_until {
        Some(until) => format!("until {}", view.full(until.instant())),
        None => "until it is resumed".to_owned(),
    }
}

/// Says that one time only is another than the rule says.
fn moved_line(task: &Task, view: Viewpoint) -> Option<Text> {
    let by_rule = task.occurrence.moved_from.filter(|_| task.is_open())?;
    Some(Text::styled(DIM, &format!("{GAP}this time only, in place of {}", view.row(by_rule.instant()))))
}

/// Says when it speaks, where that is not simply when it is due.
fn alert_line(task: &Task, view: Viewpoint) -> Option<Text> {
    let due = task.due_at?;
    if task.alerts.is_empty() && task.command.is_some() {
        return None;
    }
    if task.alerts.is_empty() {
        return Some(Text::styled(DIM, &format!("{GAP}without an alert")));
    }
    let first = task.scheduled_at.filter(|first| first.instant() != due.instant())?;
    Some(Text::styled(DIM, &format!("{GAP}speaks first {}", view.full(first.instant()))))
}

/// Says when it must be done at the latest.
fn deadline_line(task: &Task, view: Viewpoint) -> Option<Text> {
    let deadline = view.full_with_home(task.deadline_at?.instant(), home(task));
    Some(Text::styled(DIM, &format!("{GAP}deadline {deadline}")))
}

/// Says what it runs, where the title does not say just that.
fn command_line(task: &Task) -> Option<Text> {
    let line = run::line(task.command.as_ref()?);
    let first = line.lines().next().unwrap_or_default();
    let more = if line.lines().nth(1).is_some() { " …" } else { "" };
    (line != task.title).then(|| Text::styled(DIM, &format!("{GAP}runs {first}{more}")))
}

/// Says the next times of a repeat.
fn repeat_line(task: &Task, view: Viewpoint) -> Option<Text> {
    if !task.is_series() || task.next.is_empty() {
        return None;
    }
    if task.schedule.kind == "after_done" {
        return Some(Text::styled(DIM, &format!("{GAP}repeats {}", repeats(task))));
    }
    let next: Vec<String> = task.next.iter().map(|at| view.row(at.instant())).collect();
    let night = match task.schedule.every_ms {
        Some(every) if every <= NIGHT_MS => " (also at night)",
        Some(_) | None => "",
    };
    Some(Text::styled(DIM, &format!("{GAP}repeats {}{night}", next.join(", "))))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::cli::render::fixture::{LONG, here, shown, shown_at, task};
    use crate::protocol::objects::Json;

    fn told(what: Change, is_change: bool, fields: &Json) -> String {
        let result = json!({
            "schema_version": 1, "now": "2026-05-13T16:00:00-04:00", "op_id": "op", "changed": is_change,
            "task": task(fields), "passed_over": 0, "warnings": [],
        });
        let result = serde_json::from_value(result).expect("a result of the test's own");
        shown(&change(what, &result, here()))
    }

    fn series() -> Json {
        json!({
            "number": 7, "title": "standup", "due_at": "2026-05-14T09:30:00-04:00",
            "scheduled_at": "2026-05-14T09:30:00-04:00",
            "schedule": { "text": "every weekday at 9:30", "kind": "calendar", "rrule": "FREQ=WEEKLY", "floating": true },
            "next": ["2026-05-14T09:30:00-04:00", "2026-05-15T09:30:00-04:00", "2026-05-18T09:30:00-04:00"],
        })
    }

    #[test]
    fn adding_says_the_time_with_weekday_zone_and_distance() {
        insta::assert_snapshot!(told(Change::Added, true, &json!({})), @"added 12  pay rent  Thu 14 May 2026 15:00 EDT (in 23h)");
        insta::assert_snapshot!(told(Change::Added, false, &json!({})), @"already added 12  pay rent  Thu 14 May 2026 15:00 EDT (in 23h)");
        insta::assert_snapshot!(told(Change::Added, true, &series()), @"
        added 7  standup  Thu 14 May 2026 09:30 EDT (in 17h 30m)
          repeats Thu 14 May 09:30, Fri 15 May 09:30, Mon 18 May 09:30
        ");
        insta::assert_snapshot!(told(Change::Added, true, &json!({ "due_at": null, "scheduled_at": null, "state": "CREATED" })), @"added 12  pay rent  no time");
    }

    #[test]
    fn a_confirmation_fits_any_terminal() {
        let told = |title: &str, width| {
            let mut fields = series();
            fields["title"] = json!(title);
            let result = json!({
                "schema_version": 1, "now": "2026-05-13T16:00:00-04:00", "op_id": "op", "changed": true,
                "task": task(&fields), "passed_over": 0, "warnings": [],
            });
            let result = serde_json::from_value(result).expect("a result of the test's own");
            shown_at(&change(Change::Added, &result, here()), width)
        };
        insta::assert_snapshot!(told(LONG, 40), @"
        added 7  a very long title that goes on
          and on about the many things that one
          should really not put into a title,
          such as the whole agenda of the
          meeting, the room, and who brings the
          coffee
          Thu 14 May 2026 09:30 EDT (in 17h 30m)
          repeats Thu 14 May 09:30, Fri 15 May
            09:30, Mon 18 May 09:30
        ");
        insta::assert_snapshot!(told(LONG, 80), @"
        added 7  a very long title that goes on and on about the many things that one
          should really not put into a title, such as the whole agenda of the meeting,
          the room, and who brings the coffee  Thu 14 May 2026 09:30 EDT (in 17h 30m)
          repeats Thu 14 May 09:30, Fri 15 May 09:30, Mon 18 May 09:30
        ");
        insta::assert_snapshot!(told(LONG, 200), @"
        added 7  a very long title that goes on and on about the many things that one should really not put into a title, such as the whole agenda of the meeting, the room, and who brings the coffee
          Thu 14 May 2026 09:30 EDT (in 17h 30m)
          repeats Thu 14 May 09:30, Fri 15 May 09:30, Mon 18 May 09:30
        ");
        insta::assert_snapshot!(told("喝水，提醒我每半小时站起来走一走，看看窗外", 40), @"
        added 7  喝水，提醒我每半小时站起来走一
          走，看看窗外
          Thu 14 May 2026 09:30 EDT (in 17h 30m)
          repeats Thu 14 May 09:30, Fri 15 May
            09:30, Mon 18 May 09:30
        ");
        insta::assert_snapshot!(told("e\u{301}tude 👨\u{200d}👩\u{200d}👧 פגישה", 40), @"
        added 7  étude 👨‍👩‍👧 פגישה
          Thu 14 May 2026 09:30 EDT (in 17h 30m)
          repeats Thu 14 May 09:30, Fri 15 May
            09:30, Mon 18 May 09:30
        ");
    }

    #[test]
    fn adding_says_what_is_not_as_usual() {
        insta::assert_snapshot!(told(Change::Added, true, &json!({ "alerts": ["-1d", "0"], "scheduled_at": "2026-05-13T15:00:00-04:00" })), @"
        added 12  pay rent  Thu 14 May 2026 15:00 EDT (in 23h)
          speaks first Wed 13 May 2026 15:00 EDT (1h ago)
        ");
        insta::assert_snapshot!(told(Change::Added, true, &json!({ "alerts": [], "scheduled_at": null })), @"
        added 12  pay rent  Thu 14 May 2026 15:00 EDT (in 23h)
          without an alert
        ");
        let tokyo = json!({ "schedule": { "kind": "once", "zone": "Asia/Tokyo", "floating": false } });
        insta::assert_snapshot!(told(Change::Added, true, &tokyo), @"added 12  pay rent  Thu 14 May 2026 15:00 EDT (in 23h; Fri 04:00 in Asia/Tokyo)");
        let after = json!({ "schedule": { "kind": "after_done", "text": "every 3 days" }, "next": ["2026-05-14T15:00:00-04:00"] });
        insta::assert_snapshot!(told(Change::Added, true, &after), @"
        added 12  pay rent  Thu 14 May 2026 15:00 EDT (in 23h)
          repeats every 3 days, counted from when it is done
        ");
        let asleep = json!({ "state": "SUSPENDED", "paused_until": "2026-05-15T09:00:00-04:00" });
        insta::assert_snapshot!(told(Change::Added, true, &asleep), @"
        added 12  pay rent  Thu 14 May 2026 15:00 EDT (in 23h)
          paused until Fri 15 May 2026 09:00 EDT (in 1d 17h)
        ");
        let interval = json!({
            "schedule": { "kind": "interval", "every_ms": 7_200_000 }, "next": ["2026-05-13T18:00:00-04:00"],
        });
        insta::assert_snapshot!(told(Change::Added, true, &interval), @"
        added 12  pay rent  Thu 14 May 2026 15:00 EDT (in 23h)
          repeats Wed 13 May 18:00 (also at night)
        ");
    }

    #[test]
    fn each_change_says_what_follows() {
        let done = json!({ "state": "COMPLETED", "outcome": "done" });
        insta::assert_snapshot!(told(Change::Done, true, &done), @"done 12  pay rent");
        insta::assert_snapshot!(told(Change::Done, false, &done), @"already done 12  pay rent");
        insta::assert_snapshot!(told(Change::Done, true, &series()), @"done 7  standup  next Thu 14 May 2026 09:30 EDT (in 17h 30m)");
        insta::assert_snapshot!(told(Change::Seen, true, &json!({ "state": "RUNNING" })), @"seen 12  pay rent  stays due until it is done");
        insta::assert_snapshot!(told(Change::Snoozed, true, &json!({ "snoozed_until": "2026-05-13T16:10:00-04:00" })), @"snoozed 12  pay rent  until Wed 13 May 2026 16:10 EDT (in 10m)");
        insta::assert_snapshot!(told(Change::Paused, true, &json!({ "state": "SUSPENDED", "remaining_ms": 82_800_000 })), @"paused 12  pay rent  until it is resumed, 23h left");
        insta::assert_snapshot!(told(Change::Paused, true, &json!({ "state": "SUSPENDED", "paused_until": "2026-05-13T18:00:00-04:00" })), @"paused 12  pay rent  until Wed 13 May 2026 18:00 EDT (in 2h)");
        insta::assert_snapshot!(told(Change::Resumed, true, &json!({})), @"resumed 12  pay rent  Thu 14 May 2026 15:00 EDT (in 23h)");
        insta::assert_snapshot!(told(Change::Skipped, true, &series()), @"skipped 7  standup  next Thu 14 May 2026 09:30 EDT (in 17h 30m)");
        insta::assert_snapshot!(told(Change::Cancelled, true, &json!({ "state": "CANCELLED" })), @"cancelled 12  pay rent");
        insta::assert_snapshot!(told(Change::Edited, true, &json!({ "title": "a\u{1b}[31m", "tags": ["home"], "priority": "high" })), @"changed 12  ! a␛[31m +home  Thu 14 May 2026 15:00 EDT (in 23h)");
    }
}
