//! `keiko show`: all that is known of a task.

use clap::Args;

use crate::cli::commands::each::{Named, each};
use crate::cli::context::Context;
use crate::cli::error::{CliError, Exit};
use crate::cli::render::task::details;
use crate::protocol::methods;
use crate::protocol::objects::Task;

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
        Ok(each(
            context,
            &self.named.names()?,
            |task| methods::Get { task },
            |answer, view, _| {
                // Where it speaks by the configuration is of as much use as where it says itself.
                let task = Task { channels: answer.via.clone(), ..answer.task.clone() };
                details(&task, view)
            },
        ))
    }
}
