//! `keiko show`: all that is known of a task.

use clap::Args;

use crate::cli::commands::each::{Named, each};
use crate::cli::context::Context;
use crate::cli::error::{CliError, Exit};
use crate::cli::render::task::details;
use crate::protocol::methods::{self, TaskRef};

/// Shows all that is known of tasks
#[derive(Debug, Args)]
pub(crate) struct Show {
    /// Which tasks.
    #[command(flatten)]
    named: Named,
}

impl Show {
    /// Asks for each task and shows it.
    pub(crate) fn run(self, context: &mut Context<'_>) -> Result<Exit, CliError> {
        let names: Vec<Option<String>> = self.named.names()?.into_iter().map(Some).collect();
        let question = |task: Option<TaskRef>| methods::Get { task: task.unwrap_or(TaskRef(String::new())) };
        Ok(each(context, &names, question, |answer, view, _| details(&answer.task, view)))
    }
}
