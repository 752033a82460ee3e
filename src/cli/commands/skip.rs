//! `keiko skip`: passes over one time of a repeat.

use clap::Args;

use crate::cli::commands::each::{Chosen, change_chosen};
use crate::cli::context::Context;
use crate::cli::error::{CliError, Exit};
use crate::cli::render::change::Change;
use crate::protocol::methods;

/// Passes over the open time of a repeating task
///
/// The task goes on with its next time.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    keiko skip 9\n  \
    keiko skip standup")]
pub(crate) struct Skip {
    /// Which tasks.
    #[command(flatten)]
    chosen: Chosen,
}

impl Skip {
    /// Asks it of each task.
    pub(crate) fn run(self, context: &mut Context<'_>) -> Result<Exit, CliError> {
        change_chosen(context, self.chosen.typed(), Change::Skipped, |task| methods::Skip {
            task,
            occurrence: None,
            key: None,
        })
    }
}
