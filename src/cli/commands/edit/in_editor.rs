//! How is a task edited as text? As TOML in the person's editor, as often as they want, until it can be done or they think
//! better of it; what they wrote is never lost.

use std::collections::BTreeMap;

use crate::cli::commands::drafting::{ended, goes_on, kept, left_as_it_was, unchanged};
use crate::cli::commands::each::Tally;
use crate::cli::commands::times::{Said, Times};
use crate::cli::context::Context;
use crate::cli::error::{CliError, Exit};
use crate::cli::render::change::{Change, change};
use crate::cli::render::say;
use crate::cli::sheet::read::{blamed, changes, line_of, merge, question};
use crate::cli::sheet::{explain, fields, write};
use crate::cli::ui::editor::Draft;
use crate::protocol::methods::{Get, TaskRef, Update, WriteResult};
use crate::protocol::objects::Task;

/// What became of an attempt to do what was written.
enum Outcome {
    /// It was done.
    Done(Box<WriteResult>),
    /// The person thought better of it when they were asked which times are meant.
    GivenUp,
    /// Another change came first: the task as it is now.
    Outrun(Box<Task>),
    /// The daemon refuses it.
    Refused(CliError),
}

/// Lets a person edit the task `name`, and does what they wrote as one operation.
pub(super) fn run(context: &mut Context<'_>, name: &str, times: &Times, said: Said) -> Result<Exit, CliError> {
    let mut base = context.ask(&Get { task: TaskRef(name.to_owned()) })?.task;
    let mut lines = fields(&base, context.zone);
    let mut sheet = write(base.number, &lines, &BTreeMap::new());
    let mut draft = Draft::begin(&format!("task-{}", base.number))?;
    let mut is_again = false;
    loop {
        let written = match draft.edit(&sheet) {
            Ok(written) => written,
            Err(error) => return Err(ended(context, &mut draft, error)),
        };
        if written == sheet && !is_again {
            return Ok(left_as_it_was(context, &mut draft));
        }
        let read = changes(&written, &lines)
            .and_then(|found| Ok((question(&written, &base, &found, context.zone.name())?, found)));
        let (asked, found) = match read {
            Ok((_, found)) if found.is_empty() => return Ok(unchanged(context)),
            Ok(read) => read,
            Err(error) => {
                context.ui.error(&error.to_string(), error.hint.as_deref());
                if !goes_on(context, &mut draft)? {
                    return Ok(Exit::Usage);
                }
                sheet = explain(&written, error.line, &error.message, error.hint.as_deref());
                is_again = false;
                continue;
            }
        };
        match attempt(context, &base, &asked, times, said) {
            Ok(Outcome::Done(result)) => return Ok(told(context, *result)),
            Ok(Outcome::GivenUp) => {
                kept(context, &mut draft);
                return Ok(Exit::Done);
            }
            Ok(Outcome::Outrun(latest)) => {
                let newer = fields(&latest, context.zone);
                let (merged, notes) = merge(&lines, &newer, &found);
                context.ui.explain(&say::changed_meanwhile(latest.number, &notes));
                if !goes_on(context, &mut draft)? {
                    return Ok(Exit::Conflict);
                }
                sheet = write(latest.number, &merged, &notes);
                (base, lines, is_again) = (*latest, newer, true);
            }
            Ok(Outcome::Refused(error)) => {
                context.fail(&error);
                if !goes_on(context, &mut draft)? {
                    return Ok(error.exit());
                }
                let message = error.to_string();
                let line = blamed(&found, &message).map_or(1, |key| line_of(&written, key));
                sheet = explain(&written, line, &message, error.hint().as_deref());
                is_again = false;
            }
            Err(error) => {
                kept(context, &mut draft);
                return Err(error);
            }
        }
    }
}

/// Tries to do what was written; first without doing it, so that nobody is asked about what cannot be.
fn attempt(
    context: &mut Context<'_>,
    base: &Task,
    asked: &Update,
    times: &Times,
    said: Said,
) -> Result<Outcome, CliError> {
    let scope = times.said(said.all);
    let result = context.ask(&Update { scope, preview: true, ..asked.clone() }).and_then(|_| {
        let meant = times.meant(context, &base.id, said, |context, scope| {
            context.ask(&Update { scope: Some(scope), preview: true, ..asked.clone() })
        })?;
        let Some(meant) = meant else { return Ok(None) };
        context.ask(&Update { scope: meant.scope, ..asked.clone() }).map(Some)
    });
    match result {
        Ok(Some(result)) => Ok(Outcome::Done(Box::new(result))),
        Ok(None) => Ok(Outcome::GivenUp),
        Err(error) => match error.latest() {
            Some(latest) => Ok(Outcome::Outrun(Box::new(latest.clone()))),
            None if error.refused().is_some() && !error.is_loss() => Ok(Outcome::Refused(error)),
            None => Err(error),
        },
    }
}

fn told(context: &mut Context<'_>, result: WriteResult) -> Exit {
    let mut tally = Tally::new(true);
    tally.add(context, None, Ok(result), |answer, view, _| change(Change::Edited, answer, view));
    tally.finish(context)
}
