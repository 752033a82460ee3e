//! `keiko resume`: lets the clocks of tasks go on.

use clap::Args;

use crate::cli::commands::each::{Several, change_each_or_many};
use crate::cli::context::Context;
use crate::cli::error::{CliError, Exit};
use crate::cli::render::change::Change;
use crate::protocol::methods;

/// Resumes paused tasks
///
/// A countdown goes on with what remained; a task of the wall clock keeps its time, and is due at once where that has
/// passed. A series passes over what fell into its pause. --all and --tag wake only what such a pause put to sleep.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  keiko resume 3\n  keiko resume 3 --shift\n  keiko resume --tag work\n  \
    keiko resume --all")]
pub(crate) struct Resume {
    /// Which tasks.
    #[command(flatten)]
    which: Several,
    /// Add what remained at the pause to now, for tasks of the wall clock too
    #[arg(long)]
    shift: bool,
}

impl Resume {
    /// Asks it of each task, or of many at once.
    pub(crate) fn run(self, context: &mut Context<'_>) -> Result<Exit, CliError> {
        if self.which.names_some_and_all() {
            return Err(CliError::usage(
                "cannot resume the tasks named and all tasks: expected one of both",
                "name the tasks, or say --all alone",
            ));
        }
        let question = |task| methods::Resume {
            task,
            all: self.which.all,
            tag: self.which.tag.clone(),
            shift: self.shift,
            occurrence: None,
            key: None,
        };
        change_each_or_many(context, &self.which, Change::Resumed, question)
    }
}
