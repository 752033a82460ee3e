//! What a change would do to the times of a series, answer by answer, before a person chooses.

use crate::cli::render::task::title;
use crate::cli::render::text::{DIM, NUMBER, Text};
use crate::cli::render::time::Viewpoint;
use crate::protocol::methods::WriteResult;
use crate::protocol::objects::{Task, Time};

/// How wide the longest answer is.
const WORD_WIDTH: usize = "following".len();

/// Returns what the series is, and its next times as they are.
pub(crate) fn before(task: &Task, view: Viewpoint) -> Vec<Text> {
    let mut line = Text::styled(NUMBER, &task.number.to_string());
    line.push("  ");
    line.append(title(task));
    vec![line, row("now", &times(task, view))]
}

/// Returns what an answer would do, or why it cannot be.
pub(crate) fn after(word: &str, answer: Result<&WriteResult, String>, view: Viewpoint) -> Text {
    match answer {
        Ok(WriteResult { follower: Some(follower), .. }) => {
            row(word, &format!("{}, as a task of its own", times(follower, view)))
        }
        Ok(answer) => row(word, &times(&answer.task, view)),
        Err(why) => row(word, &why),
    }
}

fn row(word: &str, what: &str) -> Text {
    let mut line = Text::default().hanging(WORD_WIDTH + 4);
    line.push_styled(DIM, &format!("  {word:WORD_WIDTH$}  "));
    line.push(what);
    line
}

fn times(task: &Task, view: Viewpoint) -> String {
    if !task.is_open() {
        return "no more times".to_owned();
    }
    let listed = |times: &[Time]| {
        let each: Vec<String> = times.iter().map(|at| view.row(at.instant())).collect();
        each.join(", ")
    };
    match (task.state.as_str(), task.paused_until) {
        ("SUSPENDED", None) => "nothing until it is resumed".to_owned(),
        ("SUSPENDED", Some(until)) => {
            let awake: Vec<Time> = task.next.iter().filter(|at| **at >= until).copied().collect();
            let awake = if awake.is_empty() { "what comes then".to_owned() } else { listed(&awake) };
            format!("nothing until {}, then {awake}", view.row(until.instant()))
        }
        (_, _) if task.next.is_empty() => "no more times".to_owned(),
        (_, _) => listed(&task.next),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::cli::render::fixture::{here, shown, task};
    use crate::protocol::objects::Json;

    fn series(changes: &Json) -> Task {
        let mut fields = json!({
            "number": 7, "title": "standup",
            "schedule": { "text": "every day at 9:30", "kind": "calendar", "rrule": "FREQ=DAILY", "floating": true },
            "next": ["2026-05-14T09:30:00-04:00", "2026-05-15T09:30:00-04:00", "2026-05-16T09:30:00-04:00"],
        });
        for (name, value) in changes.as_object().expect("an object").clone() {
            fields[name] = value;
        }
        task(&fields)
    }

    fn result(task: &Task, follower: Option<Task>) -> WriteResult {
        let mut result: WriteResult = serde_json::from_value(json!({
            "schema_version": 1, "now": "2026-05-13T16:00:00-04:00", "op_id": "op", "changed": true, "task": task,
            "passed_over": 0, "warnings": [], "preview": true,
        }))
        .expect("a result of the test's own");
        result.follower = follower.map(Box::new);
        result
    }

    #[test]
    fn each_answer_says_the_times_that_are_left() {
        let moved = json!({ "next": ["2026-05-14T16:00:00-04:00", "2026-05-15T09:30:00-04:00"] });
        let asleep = json!({ "state": "SUSPENDED", "paused_until": "2026-05-15T09:30:00-04:00" });
        let mut lines = before(&series(&json!({})), here());
        lines.extend([
            after("this", Ok(&result(&series(&moved), None)), here()),
            after("following", Ok(&result(&series(&json!({ "state": "CANCELLED" })), Some(series(&moved)))), here()),
            after("all", Ok(&result(&series(&json!({ "state": "CANCELLED" })), None)), here()),
            after("this", Ok(&result(&series(&asleep), None)), here()),
            after("all", Ok(&result(&series(&json!({ "state": "SUSPENDED" })), None)), here()),
            after("this", Err("cannot edit this time only of task 7".to_owned()), here()),
        ]);
        insta::assert_snapshot!(shown(&lines), @"
        7  standup
          now        Thu 14 May 09:30, Fri 15 May 09:30, Sat 16 May 09:30
          this       Thu 14 May 16:00, Fri 15 May 09:30
          following  Thu 14 May 16:00, Fri 15 May 09:30, as a task of its own
          all        no more times
          this       nothing until Fri 15 May 09:30, then Fri 15 May 09:30, Sat 16 May 09:30
          all        nothing until it is resumed
          this       cannot edit this time only of task 7
        ");
    }
}
