//! How tasks stand in rows: number, when, how far away that is, stage, title. The same columns in the same order wherever
//! several tasks are shown.

use crate::cli::render::list::marked;
use crate::cli::render::table::{Column, table};
use crate::cli::render::text::{DIM, NUMBER, Text};
use crate::cli::render::time::Viewpoint;
use crate::domain::time::Timestamp;
use crate::protocol::objects::{Row, Time};

/// On a terminal narrower than this the columns that only repeat are left out.
const WIDE: usize = 72;

/// On a terminal narrower than this a stage is one word where it can be.
const WIDER: usize = 100;

/// The narrowest that a title becomes before the line is cut.
const TITLE_MIN: usize = 8;

/// Returns whether there is room for more than the most needed columns.
pub(crate) fn is_wide(width: Option<usize>) -> bool {
    width.is_none_or(|width| width >= WIDE)
}

/// Whether the columns have headings.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Heading {
    /// In a first line.
    Shown,
    /// None; a column that is empty then takes no room.
    None,
}

/// Returns a line for each task behind the heading; `stage` says of each what is not obvious, and
/// `mark` what stands behind its title.
///
/// On a narrow terminal the distance is left out, and the stage, where it is not simply scheduled, stands before the title:
/// the title has the room.
pub(crate) fn rows(
    tasks: &[&Row],
    view: Viewpoint,
    width: Option<usize>,
    heading: Heading,
    stage: impl Fn(&Row) -> Text,
    mark: impl Fn(&Row) -> Option<&'static str>,
) -> Vec<Text> {
    let is_wide = is_wide(width);
    let head = |word: &'static str| if heading == Heading::Shown { word } else { "" };
    let behind_heading = |lines: Vec<Text>| match heading {
        Heading::Shown => lines,
        Heading::None => lines.into_iter().skip(1).collect(),
    };
    let whole_title = |task: &Row| {
        let mut title = marked(task.priority, &task.title, &task.tags);
        if let Some(mark) = mark(task) {
            title.push_styled(DIM, mark);
        }
        title
    };
    let number = |task: &Row| Text::styled(NUMBER, &task.number.to_string());
    if !is_wide {
        let columns =
            [Column::numbers(head("#")), Column::numbers(head("WHEN")), Column::flexible(head("TITLE"), TITLE_MIN)];
        let row = |task: &&Row| {
            let at = at(task).map_or_else(no_time, |at| view.narrow_row(at).into());
            let mut last = Text::default();
            if task.stage != "scheduled" {
                last = stage(task).before(':');
                if last.width() > 0 {
                    last.push("  ");
                }
            }
            last.append(whole_title(task));
            vec![number(task), at, last]
        };
        return behind_heading(table(&columns, &tasks.iter().map(row).collect::<Vec<_>>(), width));
    }
    let columns = [
        Column::numbers(head("#")),
        Column::words(head("WHEN")),
        Column::words(""),
        Column::words(head("STAGE")),
        Column::flexible(head("TITLE"), TITLE_MIN),
    ];
    let has_room = width.is_none_or(|width| width >= WIDER);
    let days: Vec<Option<String>> = tasks.iter().map(|task| at(task).map(|at| view.day(at))).collect();
    // The names of days are plain.
    let widest = days.iter().flatten().map(String::len).max().unwrap_or(0);
    let row = |(task, day): (&&Row, Option<String>)| {
        let due = at(task);
        vec![
            number(task),
            due.zip(day).map_or_else(no_time, |(at, day)| Text::plain(&format!("{day:<widest$} {}", view.hour(at)))),
            due.map_or_else(Text::default, |at| Text::styled(DIM, &view.about(at))),
            if has_room { stage(task) } else { stage(task).before(':') },
            whole_title(task),
        ]
    };
    behind_heading(table(&columns, &tasks.iter().zip(days).map(row).collect::<Vec<_>>(), width))
}

fn at(row: &Row) -> Option<Timestamp> {
    row.at.map(Time::instant)
}

fn no_time() -> Text {
    Text::styled(DIM, "–")
}
