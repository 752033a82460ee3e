//! What is said of operations: what was done, and what was taken back.

use crate::cli::render::change::due;
use crate::cli::render::task::{home, title};
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
    line.push(&view.log_row(op.at.instant()));
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
        // Of an undo too: what is done again are the tasks below, not that undo.
        line.push_styled(GOOD, "taken back");
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
    if let Some(until) = task.snoozed_until.filter(|_| task.is_open()) {
        line.push(&format!("{GAP}until {}", view.full_with_home(until.instant(), home(task))));
    } else if task.is_open() && task.due_at.is_some() && !is_told {
        line.push(&format!("{GAP}{}", due(task, view)));
    }
    line
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::cli::render::fixture::{LONG, here, shown_at, task};

    fn ops() -> Vec<Op> {
        let titles = [format!("done 174 {LONG}"), "snooze 172 פגישה עם דנה".to_owned(), "add 1 交房租".to_owned()];
        let op = |(index, text): (usize, String)| {
            let op = json!({
                "op_id": format!("0192a000-0000-700{index}-8000-000000000012"), "at": "2026-05-03T15:00:00-04:00",
                "verb": "done", "text": text, "tasks": [174], "total": 1, "undoes": null, "undone_by": null,
                "is_next": index == 0,
            });
            serde_json::from_value(op).expect("an operation of the test's own")
        };
        titles.into_iter().enumerate().map(op).collect()
    }

    #[test]
    fn operations_fit_any_terminal() {
        let told = |width| shown_at(&ops().iter().map(|op| line(op, here())).collect::<Vec<_>>(), width);
        insta::assert_snapshot!(told(40), @"
        0192a000-0000-7000  Sun  3 May 15:00
          done 174 a very long title that goes
          on and on about the many things that
          one should really not put into a
          title, such as the whole agenda of the
          meeting, the room, and who brings the
          coffee  undo takes this one
        0192a000-0000-7001  Sun  3 May 15:00
          snooze 172 פגישה עם דנה
        0192a000-0000-7002  Sun  3 May 15:00
          add 1 交房租
        ");
        insta::assert_snapshot!(told(80), @"
        0192a000-0000-7000  Sun  3 May 15:00  done 174 a very long title that goes on
          and on about the many things that one should really not put into a title, such
          as the whole agenda of the meeting, the room, and who brings the coffee
          undo takes this one
        0192a000-0000-7001  Sun  3 May 15:00  snooze 172 פגישה עם דנה
        0192a000-0000-7002  Sun  3 May 15:00  add 1 交房租
        ");
        insta::assert_snapshot!(told(200), @"
        0192a000-0000-7000  Sun  3 May 15:00
          done 174 a very long title that goes on and on about the many things that one should really not put into a title, such as the whole agenda of the meeting, the room, and who brings the coffee
          undo takes this one
        0192a000-0000-7001  Sun  3 May 15:00  snooze 172 פגישה עם דנה
        0192a000-0000-7002  Sun  3 May 15:00  add 1 交房租
        ");
    }

    #[test]
    fn what_was_taken_back_fits_any_terminal() {
        let result = json!({
            "schema_version": 1, "now": "2026-05-13T16:00:00-04:00", "op_id": "o", "changed": true,
            "undone": ops()[0], "tasks": [task(&json!({ "title": LONG }))], "warnings": [],
        });
        let result = serde_json::from_value(result).expect("an answer of the test's own");
        let told = |width| shown_at(&undone(&result, here()), width);
        insta::assert_snapshot!(told(40), @"
        taken back: done 174 a very long title
          that goes on and on about the many
          things that one should really not put
          into a title, such as the whole agenda
          of the meeting, the room, and who
          brings the coffee
          12 a very long title that goes on and
            on about the many things that one
            should really not put into a title,
            such as the whole agenda of the
            meeting, the room, and who brings
            the coffee is scheduled
            Thu 14 May 2026 15:00 EDT (in 23h)
        ");
        insta::assert_snapshot!(told(80), @"
        taken back: done 174 a very long title that goes on and on about the many things
          that one should really not put into a title, such as the whole agenda of the
          meeting, the room, and who brings the coffee
          12 a very long title that goes on and on about the many things that one should
            really not put into a title, such as the whole agenda of the meeting, the
            room, and who brings the coffee is scheduled
            Thu 14 May 2026 15:00 EDT (in 23h)
        ");
    }
}
