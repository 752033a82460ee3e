//! `keiko delete`: removes tasks from sight.

use clap::Args;

use crate::cli::commands::each::{Chosen, change_chosen};
use crate::cli::context::Context;
use crate::cli::error::{CliError, Exit};
use crate::cli::render::change::Change;
use crate::protocol::methods;

/// Removes tasks from sight, as if they had never been
///
/// Nothing of them rings any more, no list has them, and what waits for them is told. For 30 days keiko undo brings them
/// back; then they are gone for good, and their numbers are not used again. What is done is rather marked done, and what
/// is not wanted any more cancelled: both stay in the history.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    keiko delete 7\n  \
    keiko delete 3 5-7\n  \
    keiko undo")]
pub(crate) struct Delete {
    /// Which tasks.
    #[command(flatten)]
    chosen: Chosen,
}

impl Delete {
    /// Asks it of each task.
    pub(crate) fn run(self, context: &mut Context<'_>) -> Result<Exit, CliError> {
        let question = |task| methods::Delete { task, version: None, key: None };
        change_chosen(context, self.chosen.typed(), Change::Deleted, question)
    }
}
