//! How tasks are told: a row of a list, and the whole of one.

use chrono_tz::Tz;

use crate::cli::render::change::due;
use crate::cli::render::rows::{Heading, rows};
use crate::cli::render::run;
use crate::cli::render::text::{BAD, DIM, DUE, GOOD, HEAD, NUMBER, Text};
use crate::cli::render::time::{Viewpoint, length};
use crate::domain::time::Timestamp;
use crate::protocol::objects::{Priority, Run, Task, Time};

/// Returns the zone that the task keeps, `None` while it follows the device.
pub(crate) fn home(task: &Task) -> Option<Tz> {
    if task.schedule.floating { None } else { task.schedule.zone.parse().ok() }
}

/// Returns whether the task comes up more than once.
pub(crate) fn is_series(task: &Task) -> bool {
    matches!(task.schedule.kind.as_str(), "interval" | "calendar" | "cron" | "after_done")
}

/// Returns whether it has not ended.
pub(crate) fn is_open(task: &Task) -> bool {
    !matches!(task.state.as_str(), "COMPLETED" | "CANCELLED")
}

/// Returns the title, with what a person marked it by.
pub(crate) fn title(task: &Task) -> Text {
    let mut text = match task.priority {
        Priority::High => Text::styled(BAD, "! "),
        Priority::Normal | Priority::Low => Text::default(),
    };
    text.push(&task.title);
    for tag in &task.tags {
        text.push_styled(DIM, &format!(" +{tag}"));
    }
    text
}

/// Returns the stage in the colour of what it asks of the person.
pub(crate) fn stage(task: &Task) -> Text {
    let seen = if task.occurrence.acked_at.is_some() && task.state == "RUNNING" { ", seen" } else { "" };
    let percent = task.progress.as_ref().map_or(String::new(), |progress| format!(" {} %", progress.percent));
    let word = format!("{}{percent}{seen}", task.stage);
    let style = match task.stage.as_str() {
        "late" | "failed" | "retrying" | "missed" | "past deadline" => BAD,
        _ if !task.blocked_by.is_empty() => BAD,
        "due" if seen.is_empty() => DUE,
        "done" => GOOD,
        "running" => anstyle::Style::new(),
        _ => DIM,
    };
    Text::styled(style, &word)
}

/// Returns the rows of `keiko list`: what is due first, then what comes, then the rest.
pub(crate) fn list(tasks: &[Task], view: Viewpoint, width: Option<usize>) -> Vec<Text> {
    if tasks.is_empty() {
        return vec![Text::styled(DIM, "no tasks")];
    }
    of_sorted(&sorted(tasks.iter().collect()), view, width)
}

fn of_sorted(tasks: &[&Task], view: Viewpoint, width: Option<usize>) -> Vec<Text> {
    rows(tasks, view, width, Heading::Shown, stage, |task| (is_series(task) && is_open(task)).then_some(" (repeats)"))
}

/// How many tasks of one sort are shown before the rest is folded.
const SHOWN_MAX: usize = 20;

/// How many numbers a folded line names.
const NUMBERS_MAX: usize = 12;

/// Returns the rows of `keiko list` for a person on a terminal: what was seen, and what is many, is folded.
pub(crate) fn folded(tasks: &[Task], view: Viewpoint, width: Option<usize>) -> Vec<Text> {
    let is_seen = |task: &&Task| task.state == "RUNNING" && task.occurrence.acked_at.is_some();
    let mut seen: Vec<&Task> = tasks.iter().filter(is_seen).collect();
    let others: Vec<&Task> = tasks.iter().filter(|task| !is_seen(task)).collect();
    let sorted = sorted(others);
    let mut shown: Vec<&Task> = Vec::new();
    let mut notes = Vec::new();
    for of_rank in sorted.chunk_by(|one, other| rank(one) == rank(other)) {
        shown.extend(of_rank.iter().take(SHOWN_MAX));
        let more = of_rank.len().saturating_sub(SHOWN_MAX);
        if more > 0 {
            let what = match rank(of_rank[0]) {
                0 => "due or late",
                1 => "failing",
                4 => "paused",
                5 => "without a time",
                _ => "later",
            };
            notes.push(Text::styled(DIM, &format!("and {more} more {what}: keiko list --full")));
        }
    }
    let mut lines = if tasks.is_empty() { list(&[], view, width) } else { of_sorted(&shown, view, width) };
    if !seen.is_empty() {
        seen.sort_by_key(|task| task.number);
        lines.push(numbered("seen, not done", &seen));
    }
    lines.extend(notes);
    lines
}

/// Returns a line that names several tasks by their numbers.
pub(crate) fn numbered(name: &str, tasks: &[&Task]) -> Text {
    let numbers: Vec<String> = tasks.iter().take(NUMBERS_MAX).map(|task| task.number.to_string()).collect();
    let mut line = Text::styled(HEAD, name);
    line.push(": ");
    line.push_styled(NUMBER, &numbers.join(", "));
    if tasks.len() > NUMBERS_MAX {
        line.push_styled(DIM, &format!(" and {} more", tasks.len() - NUMBERS_MAX));
    }
    line
}

fn sorted(mut tasks: Vec<&Task>) -> Vec<&Task> {
    tasks.sort_by_key(|task| place(task));
    tasks
}

/// Returns by what a list is sorted: what is due first, then what comes, then the rest.
fn place(task: &Task) -> (u8, i64, u64) {
    (rank(task), when(task).map_or(i64::MAX, Timestamp::as_millis), task.number)
}

/// Leaves the first `limit` of a list, as it is shown; returns how many more there were.
pub(crate) fn cut(tasks: &mut Vec<Task>, limit: usize) -> usize {
    let more = tasks.len().saturating_sub(limit);
    tasks.sort_by_key(place);
    tasks.truncate(limit);
    more
}

/// Says how many more there are than were asked for.
pub(crate) fn and_more(more: usize) -> Text {
    Text::styled(DIM, &format!("and {more} more: a higher --limit, or none, shows them"))
}

/// Returns the time that matters most at present.
pub(crate) fn when(task: &Task) -> Option<Timestamp> {
    let at = match task.state.as_str() {
        "COMPLETED" | "CANCELLED" => task.ended_at,
        "SUSPENDED" => task.paused_until.or(task.due_at),
        "PENDING" => task.snoozed_until.or(task.due_at),
        _ => task.due_at,
    };
    at.map(Time::instant)
}

fn rank(task: &Task) -> u8 {
    match task.state.as_str() {
        // A command that runs asks nothing of the person.
        "RUNNING" if task.stage == "running" => 2,
        "RUNNING" if task.occurrence.acked_at.is_none() => 0,
        "FAILED" => 1,
        "RUNNING" => 2,
        "PENDING" => 3,
        "SUSPENDED" => 4,
        "CREATED" => 5,
        _ => 6,
    }
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
    say("stage", stage(task));
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
    if is_series(task) {
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
    if let Some(error) = &task.last_error {
        let after = if task.attempts > 1 { format!(" (after {} attempts)", task.attempts) } else { String::new() };
        say("trouble", Text::styled(BAD, &format!("{error}{after}")));
    }
    say("added", Text::plain(&view.full(task.created_at.instant())));
    say("id", Text::styled(DIM, &task.id));
    lines
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
        _ if made == 0 || !is_open(task) => most,
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
    fn a_list_fits_any_terminal() {
        for width in [40, 80, 200] {
            for line in list(&tasks(), here(), Some(width)) {
                assert!(line.width() <= width, "{line:?} is wider than {width}");
            }
        }
        insta::assert_snapshot!(shown_at(&list(&tasks(), here(), Some(200)), 200), @"
          #  WHEN                           STAGE                  TITLE
          3  today          15:00  1h ago   late                   étude
          4  today          15:59  10s ago  due                    a plain title that is longer than a narrow terminal is wide +home
         16  today          12:00  4h ago   due, seen              seen one
        177  today          15:20  40m ago  running 40 %           🏳️‍🌈 and 🇫🇷 and ❤️
        175  yesterday      09:00  1d ago   scheduled              喝水，提醒我每半小时站起来走一走，看看窗外，休息一下眼睛
        170  today          16:10  in 10m   snoozed                snoozed one
        173  today          18:00  in 2h    scheduled              ! اجتماع الفريق
        171  tomorrow       09:30  in 18h   scheduled              standup (repeats)
          1  tomorrow       15:00  in 23h   scheduled              交房租
        172  Fri 15 May     10:00  in 2d    scheduled              פגישה עם דנה +עבודה
        174  Sun 17 May     14:00  in 4d    scheduled              a very long title that goes on and on about the many things that one should really not put into a title, such as the whole agenda of the mee…
          2  Sat 2 Jan 2027 09:00  in 33w   scheduled              👨‍👩‍👧 party
         14  tomorrow       15:00  in 23h   paused                 paused one
         15  –                              no time                buy milk
        176  –                              blocked: 24 cancelled  cook
        ");
    }

    #[test]
    fn a_list_begins_with_what_is_due() {
        insta::assert_snapshot!(shown(&list(&tasks(), here(), Some(80))), @"
          #  WHEN                           STAGE         TITLE
          3  today          15:00  1h ago   late          étude
          4  today          15:59  10s ago  due           a plain title that is longer …
         16  today          12:00  4h ago   due, seen     seen one
        177  today          15:20  40m ago  running 40 %  🏳️‍🌈 and 🇫🇷 and ❤️
        175  yesterday      09:00  1d ago   scheduled     喝水，提醒我每半小时站起来走…
        170  today          16:10  in 10m   snoozed       snoozed one
        173  today          18:00  in 2h    scheduled     ! اجتماع الفريق
        171  tomorrow       09:30  in 18h   scheduled     standup (repeats)
          1  tomorrow       15:00  in 23h   scheduled     交房租
        172  Fri 15 May     10:00  in 2d    scheduled     פגישה עם דנה +עבודה
        174  Sun 17 May     14:00  in 4d    scheduled     a very long title that goes o…
          2  Sat 2 Jan 2027 09:00  in 33w   scheduled     👨‍👩‍👧 party
         14  tomorrow       15:00  in 23h   paused        paused one
         15  –                              no time       buy milk
        176  –                              blocked       cook
        ");
    }

    #[test]
    fn a_list_fits_a_narrow_terminal() {
        insta::assert_snapshot!(shown(&list(&tasks(), here(), Some(40))), @"
          #        WHEN  TITLE
          3       15:00  late  étude
          4       15:59  due  a plain title tha…
         16       12:00  due, seen  seen one
        177       15:20  running 40 %  🏳️‍🌈 and …
        175      12 May  喝水，提醒我每半小时站…
        170       16:10  snoozed  snoozed one
        173       18:00  ! اجتماع الفريق
        171   Thu 09:30  standup (repeats)
          1   Thu 15:00  交房租
        172   Fri 10:00  פגישה עם דנה +עבודה
        174   Sun 14:00  a very long title that…
          2  2 Jan 2027  👨‍👩‍👧 party
         14   Thu 15:00  paused  paused one
         15           –  no time  buy milk
        176           –  blocked  cook
        ");
    }

    #[test]
    fn on_a_terminal_what_was_seen_and_what_is_many_is_folded() {
        let mut many = tasks();
        many.extend((200..240).map(|number| task(&json!({ "number": number, "title": format!("later {number}") }))));
        let shown = shown(&folded(&many, here(), Some(60)));
        let lines: Vec<&str> = shown.lines().collect();
        assert_eq!(lines.len(), 1 + 3 + 1 + 20 + 1 + 2 + 1);
        insta::assert_snapshot!(lines[lines.len() - 4..].join("\n"), @"
         15          –  no time  buy milk
        176          –  blocked  cook
        seen, not done: 16
        and 28 more later: keiko list --full
        ");
    }

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
    fn of_many_those_are_left_that_are_due_first() {
        let mut tasks = tasks();
        let count = tasks.len();
        assert_eq!(cut(&mut tasks, 3), count - 3);
        assert_eq!(tasks.iter().map(|task| task.number).collect::<Vec<_>>(), [3, 4, 16]);
        assert_eq!(cut(&mut tasks, 3), 0);
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
    fn an_empty_list_says_so() {
        insta::assert_snapshot!(shown(&list(&[], here(), Some(80))), @"no tasks");
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
