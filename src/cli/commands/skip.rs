//! `keiko skip`: passes over one time of a repeat.

use clap::Args;

use crate::cli::commands::each::{Named, change_each};
use crate::cli::context::Context;
use crate::cli::error::{CliError, Exit};
use crate::cli::render::change::Change;
use crate::protocol::methods;

/// Passes over the open time of a repeating task
///
/// The task goes on with its next time.
#[derive(Debug, Args)]
pub(crate) struct Skip {
    /// Which tasks.
    #[command(flatten)]
    named: Named,
}

impl Skip {
    /// Asks it of each task.
    pub(crate) fn run(self, context: &mut Context<'_>) -> Result<Exit, CliError> {
        Ok(change_each(context, &self.named.names()?, Change::Skipped, |task| methods::Skip {
            task,
            occurrence: None,
            key: None,
        }))
    }
}
