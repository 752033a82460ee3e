//! How the whole of a task is told.

use chrono_tz::Tz;

use crate::cli::render::change::due;
use crate::cli::render::list::{marked, stage};
use crate::cli::render::run;
use crate::cli::render::text::{BAD, DIM, HEAD, NUMBER, Text};
use crate::cli::render::time::{Viewpoint, length};
use crate::protocol::objects::{Row, Run, Task, Time};

/// Returns the zone that the task keeps, `None` while it follows the device.
pub(crate) fn home(task: &Task) -> Option<Tz> {
    if task.schedule.floating { None } else { task.schedule.zone.parse().ok() }
}

/// Returns the title, with what a person marked it by.
pub(crate) fn title(task: &Task) -> Text {
    marked(task.priority, &task.title, &task.tags)
}

/// How wide the labels are.
const LABEL_WIDTH: usize = 10;

/// Returns all that is known of a task, a line for each thing that there is.
pub(crate) fn details(task: &Task, runs: &[Run], view: Viewpoint) -> Vec<Text> {
    let mut first = Text::styled(NUMBER, &task.number.to_string());
    first.push("  ");
    first.append(title(task));
    let mut lines = vec![first];
    let mut say = |label: &str, value: Text| {
        let mut line = Text::styled(HEAD, &format!("  {label:<LABEL_WIDTH$}"));
        line.append(value);
        lines.push(line.hanging(LABEL_WIDTH + 2));
    };
    let full = |at: Time| Text::plain(&view.full_with_home(at.instant(), home(task)));
    say("stage", stage(&Row::from(task.clone())));
    say("due", Text::plain(&due(task, view)));
    let times = [
        ("speaks", task.scheduled_at.filter(|at| Some(*at) != task.due_at)),
        (if task.command.is_some() { "started" } else { "rang" }, task.started_at),
        ("seen", task.occurrence.acked_at),
        ("deadline", task.deadline_at),
        ("ended", task.ended_at),
    ];
    for (label, until) in [("snoozed", task.snoozed_until), ("paused", task.paused_until)] {
        if let Some(until) = until {
            say(label, Text::plain(&format!("until {}", view.full_with_home(until.instant(), home(task)))));
        }
    }
    for (label, at) in times {
        if let Some(at) = at {
            say(label, full(at));
        }
    }
    if let Some(left) = task.remaining_ms.and_then(|millis| u64::try_from(millis).ok()).and_then(length) {
        say("left", left.into());
    }
    if task.is_series() {
        say("repeats", Text::plain(&repeats(task)));
        for (index, at) in task.next.iter().enumerate() {
            say(if index == 0 { "next" } else { "" }, full(*at));
        }
    }
    if !task.waits_for.is_empty() {
        say("waits for", Text::plain(&waits(task)));
    }
    if let Some(command) = &task.command {
        for (label, text) in run::details(command, runs, view) {
            say(label, text);
        }
    }
    if let Some(retries) = retries(task) {
        say("retries", Text::plain(&retries));
    }
    if task.alerts != alerts_default(task) {
        say("alerts", Text::plain(&alerts(&task.alerts)));
    }
    if let Some(every) = task.nag_ms.and_then(|millis| u64::try_from(millis).ok()).and_then(length) {
        say("nags", Text::plain(&format!("every {every}, until it is answered")));
    }
    let auto_done = if task.auto_done { "as soon as it was delivered" } else { "" };
    for (label, text) in [("missed", missed(task)), ("done", auto_done.to_owned()), ("via", task.channels.join(", "))] {
        if !text.is_empty() {
            say(label, Text::plain(&text));
        }
    }
    for (label, text) in written(task) {
        say(label, text);
    }
    if let Some(trouble) = trouble(task) {
        say("trouble", trouble);
    }
    say("added", Text::plain(&view.full(task.created_at.instant())));
    say("id", Text::styled(DIM, &task.id));
    lines
}

/// Returns why something of it did not arrive, or failed.
fn trouble(task: &Task) -> Option<Text> {
    let error = task.last_error.as_ref()?;
    let after = if task.attempts > 1 { format!(" (after {} attempts)", task.attempts) } else { String::new() };
    Some(Text::styled(BAD, &format!("{error}{after}")))
}

/// Returns how often a command, or what is for programs only, is tried again, and how often it still will be.
fn retries(task: &Task) -> Option<String> {
    let most = match task.max_retries {
        0 => return None,
        1 => "once".to_owned(),
        most => format!("up to {most} times"),
    };
    let made = task.attempts.saturating_sub(1);
    Some(match task.max_retries.saturating_sub(made) {
        _ if made == 0 || !task.is_open() => most,
        0 => format!("{most}, none left"),
        left => format!("{most}, {left} left"),
    })
}

/// Returns what was written about it, each with the label that stands before it.
fn written(task: &Task) -> Vec<(&'static str, Text)> {
    let link = task.link.iter().map(|link| ("link", Text::plain(link)));
    let lines = task.notes.lines().enumerate();
    let notes = lines.map(|(index, line)| (if index == 0 { "note" } else { "" }, Text::plain(line)));
    let metadata = task.metadata.iter().map(|(key, value)| ("metadata", Text::plain(&format!("{key}={value}"))));
    link.chain(notes).chain(metadata).collect()
}

/// Returns when it speaks where nobody says: a command runs, and need not speak besides.
pub(crate) fn alerts_default(task: &Task) -> &'static [&'static str] {
    if task.command.is_some() { &[] } else { &["0"] }
}

/// Returns which tasks are to be done first, and what holds beside that.
fn waits(task: &Task) -> String {
    let numbers: Vec<String> = task.waits_for.iter().map(ToString::to_string).collect();
    let delay = task.delay_ms.and_then(|millis| u64::try_from(millis).ok()).and_then(length);
    let delay = delay.map_or(String::new(), |delay| format!(", and {delay} from then"));
    let rule = match task.on_parent_fail.as_deref() {
        Some("run") => "; goes on without one that fails",
        Some("cancel") => "; ends with one that fails",
        Some(_) | None => "",
    };
    format!("{}{delay}{rule}", numbers.join(", "))
}

/// Returns what becomes of times that were missed, where that is not simply that the latest rings late.
fn missed(task: &Task) -> String {
    let late = task.max_late_s.and_then(|seconds| u64::try_from(seconds).ok()).and_then(|late| length(late * 1000));
    match (task.missed.as_str(), late) {
        ("skip", _) if task.command.is_some() => String::new(),
        ("all", _) => "each is made up for".to_owned(),
        ("once", None) if task.command.is_some() => "the latest is made up for".to_owned(),
        ("skip", _) => "is passed over".to_owned(),
        (_, Some(late)) => format!("rings up to {late} late"),
        (_, None) => String::new(),
    }
}

/// Returns the rule as it was typed, else as it is kept.
pub(crate) fn repeats(task: &Task) -> String {
    let schedule = &task.schedule;
    let every = || {
        let millis = schedule.every_ms.and_then(|every| u64::try_from(every).ok());
        millis.and_then(length).map(|length| format!("every {length}"))
    };
    let rule = if schedule.text.is_empty() {
        every().or_else(|| schedule.rrule.clone()).unwrap_or_default()
    } else {
        schedule.text.clone()
    };
    let rule = if is_behind_every(&rule) { format!("every {rule}") } else { rule };
    let rule = if schedule.kind == "after_done" { format!("{rule}, counted from when it is done") } else { rule };
    match schedule.count {
        Some(count) => format!("{rule}, {count} times"),
        None => rule,
    }
}

/// Returns whether a rule was typed behind `--every`, which takes what would follow the word: `day at 3am`, `2 weeks`.
pub(crate) fn is_behind_every(rule: &str) -> bool {
    const UNITS: [&str; 11] =
        ["second", "minute", "hour", "day", "weekday", "weekend", "week", "month", "quarter", "year", "other"];
    const DAYS: [&str; 7] = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];
    let first = rule.split(|c: char| c.is_whitespace() || c == ',').next().unwrap_or_default().to_lowercase();
    let is_day = DAYS.iter().any(|day| first == *day || first.starts_with(day) && first.ends_with("day"));
    first.starts_with(|c: char| c.is_ascii_digit()) || UNITS.contains(&first.as_str()) || is_day
}

/// Returns when it speaks, for people: `1h before, when due, 15m after`.
fn alerts(alerts: &[String]) -> String {
    let told: Vec<String> = alerts
        .iter()
        .map(|alert| match (alert.as_str(), alert.strip_prefix('-'), alert.strip_prefix('+')) {
            ("0", _, _) => "when due".to_owned(),
            (_, Some(before), _) => format!("{before} before"),
            (_, _, Some(after)) => format!("{after} after"),
            (other, None, None) => other.to_owned(),
        })
        .collect();
    if told.is_empty() { "none".to_owned() } else { told.join(", ") }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::cli::render::fixture::{here, shown, shown_at, task, tasks};

    #[test]
    fn a_rule_typed_behind_every_is_told_with_it() {
        let told = |text: &str| repeats(&task(&json!({ "schedule": { "text": text, "kind": "calendar" } })));
        assert_eq!(told("day at 3am"), "every day at 3am");
        assert_eq!(told("monday 9am"), "every monday 9am");
        assert_eq!(told("2 weeks"), "every 2 weeks");
        assert_eq!(told("every weekday at 9:30"), "every weekday at 9:30");
        assert_eq!(told("daily at 9"), "daily at 9");
        assert_eq!(told("每天早上九点"), "每天早上九点");
    }

    #[test]
    fn the_retries_of_a_command_are_told_with_those_that_are_left() {
        let told = |changes: &serde_json::Value| retries(&task(changes));
        assert_eq!(told(&json!({ "max_retries": 3 })).as_deref(), Some("up to 3 times"));
        assert_eq!(told(&json!({ "max_retries": 3, "attempts": 1 })).as_deref(), Some("up to 3 times"));
        let again = json!({ "max_retries": 3, "attempts": 3, "state": "FAILED" });
        assert_eq!(told(&again).as_deref(), Some("up to 3 times, 1 left"));
        let over = json!({ "max_retries": 1, "attempts": 2, "state": "FAILED" });
        assert_eq!(told(&over).as_deref(), Some("once, none left"));
        assert_eq!(told(&json!({ "max_retries": 0, "attempts": 2 })), None);
    }

    #[test]
    fn the_whole_of_a_task() {
        let whole = task(&json!({
            "alerts": ["-1h", "0", "+15m"], "scheduled_at": "2026-05-14T14:00:00-04:00", "notes": "two\nlines",
            "link": "https://example.org", "tags": ["home"], "channels": ["desktop"], "priority": "high",
            "metadata": { "a": "b" },
            "schedule": { "text": "every 2 days", "kind": "calendar", "count": 3, "floating": false, "zone": "Asia/Tokyo" },
            "next": ["2026-05-14T15:00:00-04:00", "2026-05-16T15:00:00-04:00"],
        }));
        insta::assert_snapshot!(shown(&details(&whole, &[], here())), @"
        12  ! pay rent +home
          stage     scheduled
          due       Thu 14 May 2026 15:00 EDT (in 23h; Fri 04:00 in Asia/Tokyo)
          speaks    Thu 14 May 2026 14:00 EDT (in 22h; Fri 03:00 in Asia/Tokyo)
          repeats   every 2 days, 3 times
          next      Thu 14 May 2026 15:00 EDT (in 23h; Fri 04:00 in Asia/Tokyo)
                    Sat 16 May 2026 15:00 EDT (in 2d 23h; Sun 04:00 in Asia/Tokyo)
          alerts    1h before, when due, 15m after
          via       desktop
          link      https://example.org
          note      two
                    lines
          metadata  a=b
          added     Wed 13 May 2026 16:00 EDT (now)
          id        0192a000-0000-7000-8000-000000000012
        ");
        insta::assert_snapshot!(shown_at(&details(&whole, &[], here()), 40), @"
        12  ! pay rent +home
          stage     scheduled
          due       Thu 14 May 2026 15:00 EDT
                    (in 23h; Fri 04:00 in
                    Asia/Tokyo)
          speaks    Thu 14 May 2026 14:00 EDT
                    (in 22h; Fri 03:00 in
                    Asia/Tokyo)
          repeats   every 2 days, 3 times
          next      Thu 14 May 2026 15:00 EDT
                    (in 23h; Fri 04:00 in
                    Asia/Tokyo)
                    Sat 16 May 2026 15:00 EDT
                    (in 2d 23h; Sun 04:00 in
                    Asia/Tokyo)
          alerts    1h before, when due, 15m
                    after
          via       desktop
          link      https://example.org
          note      two
                    lines
          metadata  a=b
          added     Wed 13 May 2026 16:00 EDT
                    (now)
          id
            0192a000-0000-7000-8000-000000000012
        ");
        let late = task(&json!({
            "state": "RUNNING", "stage": "late", "due_at": "2026-05-13T15:00:00-04:00",
            "started_at": "2026-05-13T15:30:00-04:00", "late": true, "attempts": 2, "last_error": "no server",
        }));
        insta::assert_snapshot!(shown(&details(&late, &[], here())), @"
        12  pay rent
          stage     late
          due       Wed 13 May 2026 15:00 EDT (1h ago)
          speaks    Thu 14 May 2026 15:00 EDT (in 23h)
          rang      Wed 13 May 2026 15:30 EDT (30m ago)
          trouble   no server (after 2 attempts)
          added     Wed 13 May 2026 16:00 EDT (now)
          id        0192a000-0000-7000-8000-000000000012
        ");
    }

    #[test]
    fn the_whole_of_a_task_fits_any_terminal() {
        let many = tasks().into_iter().find(|task| task.number == 174).expect("the long one");
        insta::assert_snapshot!(shown_at(&details(&many, &[], here()), 40), @"
        174  a very long title that goes on and
          on about the many things that one
          should really not put into a title,
          such as the whole agenda of the
          meeting, the room, and who brings the
          coffee +one +two +three +four +five
          +six +seven
          stage     scheduled
          due       Sun 17 May 2026 14:00 EDT
                    (in 3d 22h)
          speaks    Thu 14 May 2026 15:00 EDT
                    (in 23h)
          added     Wed 13 May 2026 16:00 EDT
                    (now)
          id
            0192a000-0000-7000-8000-000000000012
        ");
        insta::assert_snapshot!(shown_at(&details(&many, &[], here()), 80), @"
        174  a very long title that goes on and on about the many things that one should
          really not put into a title, such as the whole agenda of the meeting, the
          room, and who brings the coffee +one +two +three +four +five +six +seven
          stage     scheduled
          due       Sun 17 May 2026 14:00 EDT (in 3d 22h)
          speaks    Thu 14 May 2026 15:00 EDT (in 23h)
          added     Wed 13 May 2026 16:00 EDT (now)
          id        0192a000-0000-7000-8000-000000000012
        ");
        insta::assert_snapshot!(shown_at(&details(&many, &[], here()), 200), @"
        174  a very long title that goes on and on about the many things that one should really not put into a title, such as the whole agenda of the meeting, the room, and who brings the coffee +one +two
          +three +four +five +six +seven
          stage     scheduled
          due       Sun 17 May 2026 14:00 EDT (in 3d 22h)
          speaks    Thu 14 May 2026 15:00 EDT (in 23h)
          added     Wed 13 May 2026 16:00 EDT (now)
          id        0192a000-0000-7000-8000-000000000012
        ");
    }
}
