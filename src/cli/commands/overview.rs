//! `keiko` without a command: one screen of what is due, next and paused.

use serde_json::json;

use crate::cli::context::Context;
use crate::cli::error::{CliError, Exit};
use crate::cli::render::away::span;
use crate::cli::render::overview::{Groups, overview};
use crate::cli::render::say;
use crate::cli::ui::Form;
use crate::domain::quiet::end_in_words;
use crate::protocol::SCHEMA_VERSION;
use crate::protocol::methods::{List, ListResult, Status};

/// Asks for the open tasks, and for what there is to warn of.
///
/// # Errors
/// The daemon cannot be asked.
pub(crate) fn look(context: &mut Context<'_>) -> Result<ListResult, CliError> {
    let mut answer = context.list(List::default())?;
    // What failed may belong to a task that has ended, which is in no group.
    let status = context.ask(&Status {})?;
    answer.warnings.extend(say::troubles(status.failed_total, status.commands_failed_total, status.skipped_total));
    if status.config.error.is_some() {
        answer.warnings.push(say::CONFIG_WRONG.to_owned());
    }
    let view = context.viewpoint(answer.now);
    if let Some(away) = &status.away {
        answer.warnings.push(say::away(&span(away, view)));
    } else if let Some(end) = status.quiet_until {
        answer.warnings.push(say::quiet(&end_in_words(end.instant(), view.now, view.zone)));
    }
    Ok(answer)
}

/// Asks for the open tasks and shows them by what they ask of the person.
pub(crate) fn run(context: &mut Context<'_>) -> Result<Exit, CliError> {
    let answer = look(context)?;
    let view = context.viewpoint(answer.now);
    let groups = Groups::of(&answer.tasks);
    if context.ui.form() == Form::Json {
        context.ui.json(&json!({
            "schema_version": SCHEMA_VERSION,
            "now": answer.now,
            "due": groups.due,
            "failing": groups.failing,
            "missed": groups.missed,
            "running": groups.running,
            "next": groups.next,
            "paused": groups.paused,
            "seen": groups.seen,
            "no_time": groups.no_time,
            "warnings": answer.warnings,
        }));
    } else {
        context.answer(&answer, &answer.warnings, |width| overview(&groups, view, width));
    }
    Ok(Exit::Done)
}
