//! `keiko undo`: takes back what was done.

use clap::Args;

use crate::cli::commands::events::Mark;
use crate::cli::context::Context;
use crate::cli::error::{CliError, Exit};
use crate::cli::render::op::undone;
use crate::protocol::methods;

/// Takes back what was done: the last change, or the one that is named
///
/// Without a name the last change that was typed and still stands; said again, the one before it. A change is taken back
/// whole or not at all: of a command for several tasks each of them. What comes back does not ring at once, and what was
/// sent stays sent. A named undo is done again; keiko op list shows the names.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    keiko undo\n  \
    keiko op list\n  \
    keiko undo 0192a000-0000-7000")]
pub(crate) struct Undo {
    /// The beginning of the change's id, eight letters or more, as keiko op list shows it
    #[arg(value_name = "OP")]
    op: Option<String>,
    /// Do it once, however often it is sent with this key
    #[arg(long, value_name = "KEY")]
    key: Option<String>,
}

impl Undo {
    /// Asks it, and tells what was taken back.
    pub(crate) fn run(self, context: &mut Context<'_>) -> Result<Exit, CliError> {
        let marked = Mark::of(context)?;
        let answer = context.ask(&methods::Undo { op: self.op, key: self.key })?;
        marked.tell(context, &answer.op_id)?;
        let view = context.viewpoint(answer.now);
        context.confirm(&answer, &answer.warnings, |_| undone(&answer, view));
        Ok(Exit::Done)
    }
}
