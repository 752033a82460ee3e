//! `keiko history`: what happened to a task, and what was sent.

use clap::Args;

use crate::cli::commands::each::{Named, each};
use crate::cli::context::Context;
use crate::cli::error::{CliError, Exit};
use crate::cli::render::event::history;
use crate::protocol::methods::{self, TaskRef};

/// Shows what happened to tasks, and what was sent
#[derive(Debug, Args)]
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
        let names: Vec<Option<String>> = self.named.names()?.into_iter().map(Some).collect();
        let question =
            |task: Option<TaskRef>| methods::History { task: task.unwrap_or(TaskRef(String::new())), full: self.full };
        Ok(each(context, &names, question, history))
    }
}
