//! Which of several tasks does a person mean, whose name for it fits them all? On a terminal they pick it; what is asked then
//! names it by its number.

use serde_json::{Value, json};

use crate::cli::context::Context;
use crate::cli::error::CliError;
use crate::cli::render::pick;
use crate::cli::ui::picker::{Choice, Picked};
use crate::protocol::error_code::Candidate;
use crate::protocol::methods::{Ask, Get, List, TaskRef};
use crate::protocol::objects::Row;

/// How many candidates an error names at most: where it names as many there may be more.
const CANDIDATES_MAX: usize = 5;

/// How many tasks a list to pick from holds.
const CHOICES_MAX: usize = 200;

/// What several tasks fit that is not named at all: they are due.
const DUE: [&str; 2] = ["due", "late"];

/// Returns the question with the task that the person picked, `None` where its name is not what fits several.
///
/// # Errors
/// The person picked none, or the terminal cannot be used.
pub(super) fn ask_again<A: Ask>(
    context: &mut Context<'_>,
    question: &A,
    candidates: &[Candidate],
) -> Result<Option<A>, CliError> {
    let Ok(Value::Object(mut asked)) = serde_json::to_value(question) else { return Ok(None) };
    let name = match asked.get("task") {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(name)) => name.clone(),
        Some(_) => return Ok(None),
    };
    let number = match context.picked.get(&name) {
        Some(number) => *number,
        None => pick(context, &name, candidates)?,
    };
    context.picked.insert(name, number);
    asked.insert("task".to_owned(), json!(number));
    Ok(serde_json::from_value(Value::Object(asked)).ok())
}

fn pick(context: &mut Context<'_>, name: &str, candidates: &[Candidate]) -> Result<u64, CliError> {
    let now = context.now()?;
    let mut tasks: Vec<Row> = Vec::new();
    for candidate in candidates {
        // One that is gone meanwhile is no choice any more.
        if let Ok(found) = context.ask(&Get { task: TaskRef(candidate.number.to_string()) }) {
            tasks.push(found.task.into());
        }
    }
    if candidates.len() >= CANDIDATES_MAX {
        let stages = name.is_empty().then(|| DUE.map(str::to_owned).to_vec());
        let text = (!name.is_empty()).then(|| name.to_owned());
        let more = context.rows(List { stages, text, limit: Some(CHOICES_MAX), ..List::default() })?;
        let is_known = |row: &Row| candidates.iter().any(|candidate| candidate.number == row.number);
        let words = name.to_lowercase();
        let fits = |row: &Row| row.title.to_lowercase().contains(&words);
        tasks.extend(more.rows.into_iter().filter(|row| !is_known(row) && fits(row)));
    }
    let view = crate::cli::render::time::Viewpoint { now, zone: context.zone };
    let lines = pick::lines(&tasks, view, context.ui.err_width());
    let choice = |(task, line): (&Row, _)| Choice {
        line,
        words: format!("{} {} {}", task.number, task.title, task.tags.join(" ")),
    };
    let choices: Vec<Choice> = tasks.iter().zip(lines).map(choice).collect();
    match context.ui.pick(&choices).map_err(|source| CliError::Input { source })? {
        Picked::One(at) => Ok(tasks[at].number),
        Picked::None => Err(CliError::NonePicked { is_interrupted: false }),
        Picked::Interrupted => Err(CliError::NonePicked { is_interrupted: true }),
    }
}
