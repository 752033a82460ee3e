//! `keiko resume`: lets a task's clock go on.

use clap::Args;

use crate::cli::commands::each::{Named, change_each};
use crate::cli::context::Context;
use crate::cli::error::{CliError, Exit};
use crate::cli::render::change::Change;
use crate::protocol::methods;

/// Resumes paused tasks
///
/// A countdown goes on with what remained; a task of the wall clock keeps its time, and is due at once where that has
/// passed.
#[derive(Debug, Args)]
pub(crate) struct Resume {
    /// Which tasks.
    #[command(flatten)]
    named: Named,
    /// Add what remained at the pause to now, for tasks of the wall clock too
    #[arg(long)]
    shift: bool,
}

impl Resume {
    /// Asks it of each task.
    pub(crate) fn run(self, context: &mut Context<'_>) -> Result<Exit, CliError> {
        let question = |task| methods::Resume { task, shift: self.shift, occurrence: None, key: None };
        Ok(change_each(context, &self.named.names()?, Change::Resumed, question))
    }
}
