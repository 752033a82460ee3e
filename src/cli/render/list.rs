//! How many tasks are told in rows: what is due first, the rest folded where a person reads it.

use crate::cli::render::rows::{Heading, rows};
use crate::cli::render::text::{BAD, DIM, DUE, GOOD, HEAD, NUMBER, Text};
use crate::cli::render::time::Viewpoint;
use crate::domain::stage::STAGES;
use crate::domain::time::Timestamp;
use crate::protocol::objects::{Priority, Row, Task, Time};

/// Returns a title, with what a person marked it by.
pub(crate) fn marked(priority: Priority, title: &str, tags: &[String]) -> Text {
    let mut text = match priority {
        Priority::High => Text::styled(BAD, "! "),
        Priority::Normal | Priority::Low => Text::default(),
    };
    text.push(title);
    for tag in tags {
        text.push_styled(DIM, &format!(" +{tag}"));
    }
    text
}

/// Returns the stage in the colour of what it asks of the person.
pub(crate) fn stage(row: &Row) -> Text {
    let seen = if row.seen { ", seen" } else { "" };
    let percent = row.percent.map_or(String::new(), |percent| format!(" {percent} %"));
    let word = format!("{}{percent}{seen}", row.stage);
    let style = match row.stage.as_str() {
        "late" | "failed" | "retrying" | "missed" | "past deadline" => BAD,
        _ if row.blocked => BAD,
        "due" if seen.is_empty() => DUE,
        "done" => GOOD,
        "running" => anstyle::Style::new(),
        _ => DIM,
    };
    Text::styled(style, &word)
}

/// Returns the rows of `keiko list`: what is due first, then what comes, then the rest.
pub(crate) fn list(tasks: &[Row], view: Viewpoint, width: Option<usize>) -> Vec<Text> {
    if tasks.is_empty() {
        return vec![Text::styled(DIM, "no tasks")];
    }
    of_sorted(&sorted(tasks.iter().collect()), view, width)
}

/// Says that there may be tasks, but none of which all is true that was said.
pub(crate) fn none_fits(told: &str) -> Text {
    Text::styled(DIM, &format!("no task fits {told}"))
}

/// Returns the command that lists what has a tag.
pub(crate) fn with_tag(tag: &str) -> String {
    format!("keiko list +{tag}")
}

/// Returns what is said of a command that was likely meant.
pub(crate) fn did_you_mean(command: &str) -> String {
    format!("did you mean {command}?")
}

/// Words for days, which are no words of titles where nothing has them.
const DAYS: [&str; 12] = [
    "today",
    "tomorrow",
    "yesterday",
    "this week",
    "next week",
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "saturday",
    "sunday",
];

/// Returns the command that was likely meant by words that are in no title.
pub(crate) fn likely(words: &[String]) -> Option<String> {
    let words = words.join(" ").to_lowercase();
    let words = words.trim();
    if DAYS.contains(&words) {
        let quoted = if words.contains(' ') { format!("\"{words}\"") } else { words.to_owned() };
        return Some(format!("keiko list --due {quoted}"));
    }
    match words {
        "overdue" => Some("keiko list --stage late".to_owned()),
        "done" | "ended" | "completed" => Some("keiko list --done".to_owned()),
        "all" => Some("keiko list --all".to_owned()),
        "repeating" | "series" => Some("keiko list --series".to_owned()),
        stage if STAGES.contains(&stage) && !stage.contains(' ') => Some(format!("keiko list --stage {stage}")),
        _ => None,
    }
}

fn of_sorted(tasks: &[&Row], view: Viewpoint, width: Option<usize>) -> Vec<Text> {
    rows(tasks, view, width, Heading::Shown, stage, |row| row.repeats.then_some(" (repeats)"))
}

/// How many tasks of one sort are shown before the rest is folded.
const SHOWN_MAX: usize = 20;

/// How many numbers a folded line names.
const NUMBERS_MAX: usize = 12;

/// Returns the rows of `keiko list` for a person on a terminal: what was seen, and what is many, is folded.
pub(crate) fn folded(tasks: &[Row], view: Viewpoint, width: Option<usize>) -> Vec<Text> {
    let is_seen = |row: &&Row| row.seen;
    let mut seen: Vec<&Row> = tasks.iter().filter(is_seen).collect();
    let others: Vec<&Row> = tasks.iter().filter(|row| !is_seen(row)).collect();
    let sorted = sorted(others);
    let mut shown: Vec<&Row> = Vec::new();
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
        seen.sort_by_key(|row| row.number);
        lines.push(numbered("seen, not done", &seen));
    }
    lines.extend(notes);
    lines
}

/// Returns a line that names several tasks by their numbers.
pub(crate) fn numbered(name: &str, tasks: &[&Row]) -> Text {
    let numbers: Vec<String> = tasks.iter().take(NUMBERS_MAX).map(|row| row.number.to_string()).collect();
    let mut line = Text::styled(HEAD, name);
    line.push(": ");
    line.push_styled(NUMBER, &numbers.join(", "));
    if tasks.len() > NUMBERS_MAX {
        line.push_styled(DIM, &format!(" and {} more", tasks.len() - NUMBERS_MAX));
    }
    line
}

fn sorted(mut rows: Vec<&Row>) -> Vec<&Row> {
    rows.sort_by_cached_key(|row| place(row));
    rows
}

/// Returns by what a list is sorted: what is due first, then what comes, then the rest.
fn place(row: &Row) -> (u8, i64, u64) {
    (rank(row), moment(row), row.number)
}

/// Leaves the first `limit` of a list, as it is shown; returns how many more there were.
pub(crate) fn cut(rows: &mut Vec<Row>, limit: usize) -> usize {
    let more = rows.len().saturating_sub(limit);
    rows.sort_by_cached_key(place);
    rows.truncate(limit);
    more
}

/// As [`cut`], of whole tasks.
pub(crate) fn cut_tasks(tasks: &mut Vec<Task>, limit: usize) -> usize {
    let more = tasks.len().saturating_sub(limit);
    tasks.sort_by_cached_key(|task| place(&Row::from(task.clone())));
    tasks.truncate(limit);
    more
}

/// Says how many more there are than were asked for.
pub(crate) fn and_more(more: usize) -> Text {
    Text::styled(DIM, &format!("and {more} more: a higher --limit, or none, shows them"))
}

/// Returns the time that matters most at present, in milliseconds since 1970; without one it comes last.
pub(crate) fn moment(row: &Row) -> i64 {
    row.at.map(Time::instant).map_or(i64::MAX, Timestamp::as_millis)
}

fn rank(row: &Row) -> u8 {
    match row.state.as_str() {
        // A command that runs asks nothing of the person.
        "RUNNING" if row.stage == "running" => 2,
        "RUNNING" if !row.seen => 0,
        "FAILED" => 1,
        "RUNNING" => 2,
        "PENDING" => 3,
        "SUSPENDED" => 4,
        "CREATED" => 5,
        _ => 6,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::cli::render::fixture::{here, row, rows, shown, shown_at, tasks};

    #[test]
    fn a_list_fits_any_terminal() {
        for width in [40, 80, 200] {
            for line in list(&rows(), here(), Some(width)) {
                assert!(line.width() <= width, "{line:?} is wider than {width}");
            }
        }
        insta::assert_snapshot!(shown_at(&list(&rows(), here(), Some(200)), 200), @"
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
        insta::assert_snapshot!(shown(&list(&rows(), here(), Some(80))), @"
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
        insta::assert_snapshot!(shown(&list(&rows(), here(), Some(40))), @"
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
        let mut many = rows();
        many.extend((200..240).map(|number| row(&json!({ "number": number, "title": format!("later {number}") }))));
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
    fn of_many_those_are_left_that_are_due_first() {
        let (mut rows, mut tasks) = (rows(), tasks());
        let count = rows.len();
        assert_eq!(cut(&mut rows, 3), count - 3);
        assert_eq!(rows.iter().map(|row| row.number).collect::<Vec<_>>(), [3, 4, 16]);
        assert_eq!(cut(&mut rows, 3), 0);
        assert_eq!(cut_tasks(&mut tasks, 3), count - 3);
        assert_eq!(tasks.iter().map(|task| task.number).collect::<Vec<_>>(), [3, 4, 16]);
    }

    #[test]
    fn an_empty_list_says_so() {
        insta::assert_snapshot!(shown(&list(&[], here(), Some(80))), @"no tasks");
    }

    #[test]
    fn what_was_likely_meant_by_words_that_are_in_no_title() {
        let told = |words: &str| likely(&words.split(' ').map(str::to_owned).collect::<Vec<_>>()).unwrap_or_default();
        assert_eq!(told("today"), "keiko list --due today");
        assert_eq!(told("This week"), "keiko list --due \"this week\"");
        assert_eq!(told("overdue"), "keiko list --stage late");
        assert_eq!(told("paused"), "keiko list --stage paused");
        assert_eq!(told("done"), "keiko list --done");
        assert_eq!(told("rent"), "");
    }
}
