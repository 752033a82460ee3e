//! `keiko list`: the tasks, what is due first.

use clap::Args;

use crate::cli::context::Context;
use crate::cli::error::{CliError, Exit};
use crate::cli::render::task::list;
use crate::cli::ui::Form;

/// Lists tasks, what is due first
#[derive(Debug, Args)]
pub(crate) struct List {
    /// Also those that have ended
    #[arg(long, short)]
    all: bool,
    /// At most so many
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
}

impl List {
    /// Asks for the tasks and shows them.
    pub(crate) fn run(self, context: &mut Context<'_>) -> Result<Exit, CliError> {
        let answer = context.list(self.all, self.limit)?;
        let view = context.viewpoint(answer.now);
        if context.ui.form() == Form::Id {
            let ids: Vec<_> = answer.tasks.iter().map(|task| task.id.as_str().into()).collect();
            context.ui.print(&ids);
        }
        context.answer(&answer, &answer.warnings, |width| list(&answer.tasks, view, width));
        Ok(Exit::Done)
    }
}
