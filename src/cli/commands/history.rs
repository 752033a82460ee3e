//! `keiko history`: what happened to a task, and what was sent.

use clap::Args;

use crate::cli::commands::each::{Named, Tally};
use crate::cli::context::Context;
use crate::cli::error::{CliError, Exit};
use crate::cli::render::event::history;
use crate::protocol::methods::{self, TaskRef};

/// Shows what happened to tasks, and what was sent
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    keiko history 12\n  \
    keiko history 3 5-7\n  \
    keiko history 12 --json")]
pub(crate) struct History {
    /// Which tasks.
    #[command(flatten)]
    named: Named,
    /// With --json: each event with the task as it then was
    #[arg(long, requires = "json")]
    full: bool,
}

impl History {
    /// Asks for each task's history and shows it.
    pub(crate) fn run(self, context: &mut Context<'_>) -> Result<Exit, CliError> {
        let names = self.named.names()?;
        context.ui.expect_long();
        let mut tally = Tally::new(names.len() == 1);
        for name in names {
            let question = methods::History { task: TaskRef(name.clone()), full: self.full, since: None };
            let result = context.history(question);
            tally.add(context, Some(&name), result, history);
        }
        Ok(tally.finish(context))
    }
}
