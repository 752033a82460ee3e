//! What is said of operations: what was done, and what was taken back.

use crate::cli::render::change::due;
use crate::cli::render::task::{home, is_open, title};
use crate::cli::render::text::{DIM, GOOD, NUMBER, Text};
use crate::cli::render::time::Viewpoint;
use crate::protocol::methods::UndoResult;
use crate::protocol::objects::{Op, Task};

/// Between two parts of a line.
const GAP: &str = "  ";

/// How many letters of an id are shown: a time and what tells two of one moment apart.
pub(crate) const ID_SHOWN: usize = 18;

/// Returns one operation in a line: `0192a000-0000-7000  Thu 14 May 15:00  done 7 pay rent`.
pub(crate) fn line(op: &Op, view: Viewpoint) -> Text {
    let mut line = Text::styled(NUMBER, &op.op_id.chars().take(ID_SHOWN).collect::<String>());
    line.push(GAP);
    line.push(&view.row(op.at.instant()));
    line.push(GAP);
    line.push(&op.text);
    if op.is_next {
        line.push_styled(GOOD, &format!("{GAP}undo takes this one"));
    } else if op.undone_by.is_some() {
        line.push_styled(DIM, &format!("{GAP}taken back"));
    }
    line
}

/// Returns one operation whole.
pub(crate) fn op(op: &Op, view: Viewpoint) -> Vec<Text> {
    let mut lines = vec![line(op, view)];
    let numbers: Vec<String> = op.tasks.iter().map(ToString::to_string).collect();
    lines.push(Text::plain(&format!("{GAP}tasks {}", numbers.join(", "))));
    lines.push(Text::plain(&format!("{GAP}id {}", op.op_id)));
    let others = [("takes back", op.undoes.as_ref()), ("taken back by", op.undone_by.as_ref())];
    lines.extend(others.into_iter().filter_map(|(what, id)| Some(Text::plain(&format!("{GAP}{what} {}", id?)))));
    lines
}

/// Returns what is said of what was taken back, with the tasks as they are now.
pub(crate) fn undone(result: &UndoResult, view: Viewpoint) -> Vec<Text> {
    let mut line = Text::default();
    if result.changed {
        line.push_styled(GOOD, if result.undone.verb == "undo" { "done again" } else { "taken back" });
    } else {
        line.push_styled(DIM, "already taken back");
    }
    line.push(&format!(": {}", result.undone.text));
    let mut lines = vec![line];
    lines.extend(result.tasks.iter().map(|task| now(task, view)));
    lines
}

fn now(task: &Task, view: Viewpoint) -> Text {
    let mut line = Text::plain(GAP);
    line.push_styled(NUMBER, &task.number.to_string());
    line.push(" ");
    line.append(title(task));
    line.push(&format!(" is {}", task.stage));
    let is_told = task.stage == "deleted" || task.state == "CREATED";
    if let Some(until) = task.snoozed_until.filter(|_| is_open(task)) {
        line.push(&format!("{GAP}until {}", view.full_with_home(until.instant(), home(task))));
    } else if is_open(task) && task.due_at.is_some() && !is_told {
        line.push(&format!("{GAP}{}", due(task, view)));
    }
    line
}
