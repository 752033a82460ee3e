//! `keiko` without a command: one screen of what is due, next and paused.

use std::collections::BTreeMap;

use serde_json::json;

use crate::cli::context::Context;
use crate::cli::error::{CliError, Exit};
use crate::cli::render::away::span;
use crate::cli::render::overview::{Groups, overview};
use crate::cli::render::say;
use crate::cli::ui::Form;
use crate::domain::quiet::end_in_words;
use crate::protocol::SCHEMA_VERSION;
use crate::protocol::methods::{List, RowsResult, Status};
use crate::protocol::objects::{Row, Task, Time};

/// Asks for the rows of the open tasks, and for what there is to warn of.
///
/// # Errors
/// The daemon cannot be asked.
pub(crate) fn look(context: &mut Context<'_>) -> Result<RowsResult, CliError> {
    let mut answer = context.rows(List::default())?;
    answer.warnings.extend(troubles(context, answer.now)?);
    Ok(answer)
}

/// Returns what the person is warned of on this screen, beside what every answer warns of.
fn troubles(context: &mut Context<'_>, now: Time) -> Result<Vec<String>, CliError> {
    // What failed may belong to a task that has ended, which is in no group.
    let status = context.ask(&Status {})?;
    let mut warnings = say::troubles(status.failed_total, status.commands_failed_total, status.skipped_total);
    if status.config.error.is_some() {
        warnings.push(say::CONFIG_WRONG.to_owned());
    }
    let view = context.viewpoint(now);
    if let Some(away) = &status.away {
        warnings.push(say::away(&span(away, view)));
    } else if let Some(end) = status.quiet_until {
        warnings.push(say::quiet(&end_in_words(end.instant(), view.now, view.zone)));
    }
    Ok(warnings)
}

/// Asks for the open tasks and shows them by what they ask of the person.
pub(crate) fn run(context: &mut Context<'_>) -> Result<Exit, CliError> {
    if context.ui.form() == Form::Json {
        return tell_programs(context);
    }
    let answer = look(context)?;
    let view = context.viewpoint(answer.now);
    let groups = Groups::of(&answer.rows);
    context.answer(&answer, &answer.warnings, |width| overview(&groups, view, width));
    Ok(Exit::Done)
}

/// Gives programs the whole tasks, by the same groups.
fn tell_programs(context: &mut Context<'_>) -> Result<Exit, CliError> {
    let mut answer = context.list(List::default())?;
    answer.warnings.extend(troubles(context, answer.now)?);
    let rows: Vec<Row> = answer.tasks.iter().cloned().map(Row::from).collect();
    let whole: BTreeMap<u64, &Task> = answer.tasks.iter().map(|task| (task.number, task)).collect();
    let tasks = |rows: &[&Row]| rows.iter().filter_map(|row| whole.get(&row.number)).copied().collect::<Vec<_>>();
    let groups = Groups::of(&rows);
    context.ui.json(&json!({
        "schema_version": SCHEMA_VERSION,
        "now": answer.now,
        "due": tasks(&groups.due),
        "failing": tasks(&groups.failing),
        "missed": tasks(&groups.missed),
        "running": tasks(&groups.running),
        "next": tasks(&groups.next),
        "paused": tasks(&groups.paused),
        "seen": tasks(&groups.seen),
        "no_time": tasks(&groups.no_time),
        "warnings": answer.warnings,
    }));
    Ok(Exit::Done)
}
