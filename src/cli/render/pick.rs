//! What a person sees who is asked which of several, and whether many.

use crate::cli::render::change::Change;
use crate::cli::render::list::stage;
use crate::cli::render::rows::{Heading, rows};
use crate::cli::render::text::{BAD, DIM, HEAD, Text};
use crate::cli::render::time::Viewpoint;
use crate::protocol::objects::Row;

/// How many tasks a question names.
pub(crate) const NAMED_MAX: usize = 8;

/// Returns the row in which is typed.
pub(crate) fn question(typed: &str) -> Text {
    let mut line = Text::styled(HEAD, "which one?");
    line.push(" ");
    line.push(typed);
    line
}

/// Returns a row of the list, with a mark where it is the one that Enter picks.
pub(crate) fn row(line: Text, is_marked: bool) -> Text {
    let mut row = if is_marked { Text::styled(HEAD, "> ") } else { Text::plain("  ") };
    row.append(line);
    row
}

/// Returns the last row: how many there are where not all are seen, or that there is none.
pub(crate) fn more(fitting: usize, shown: usize) -> Option<Text> {
    match fitting {
        0 => Some(Text::styled(BAD, "  none fits: Backspace takes back what was typed, Esc gives up")),
        all if all > shown => Some(Text::styled(DIM, &format!("  {all} in all: type to find, Esc gives up"))),
        _ => None,
    }
}

/// Returns a line for each task, as lists show them.
pub(crate) fn lines(tasks: &[Row], view: Viewpoint, width: Option<usize>) -> Vec<Text> {
    let tasks: Vec<&Row> = tasks.iter().collect();
    rows(&tasks, view, width, Heading::None, stage, |_| None)
}

/// Returns what is asked before many tasks are changed: which, as far as they fit.
pub(crate) fn many(
    what: Change,
    count: usize,
    first: &[Row],
    view: Viewpoint,
    width: Option<usize>,
) -> (Vec<Text>, String) {
    let shown = &first[..first.len().min(NAMED_MAX)];
    let mut told: Vec<Text> = lines(shown, view, width.map(|width| width.saturating_sub(2)))
        .into_iter()
        .map(|line| {
            let mut indented = Text::plain("  ");
            indented.append(line);
            indented
        })
        .collect();
    if count > shown.len() {
        told.push(Text::styled(DIM, &format!("  and {} more", count - shown.len())));
    }
    (told, format!("{} {count} tasks? [y/N] ", what.question()))
}
