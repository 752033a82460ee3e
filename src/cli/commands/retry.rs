//! `keiko retry`: sends what failed again, at once.

use clap::Args;

use crate::cli::commands::each::{Chosen, change_chosen};
use crate::cli::context::Context;
use crate::cli::error::{CliError, Exit};
use crate::cli::render::change::Change;
use crate::protocol::methods;

/// Sends what failed of a task again, at once
///
/// Who gets it sees that it is the same: the ids do not change. A task that ended since no program took it, or since its
/// command failed, is tried anew, as another generation of it. What is held for a target that fails goes out with
/// `keiko channel resume`.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  keiko retry 7\n  keiko retry --attention --dry-run\n  keiko retry +work --dry-run"
)]
pub(crate) struct Retry {
    /// Which tasks.
    #[command(flatten)]
    chosen: Chosen,
}

impl Retry {
    /// Asks it of each task.
    pub(crate) fn run(self, context: &mut Context<'_>) -> Result<Exit, CliError> {
        let question = |task| methods::Retry { task, occurrence: None, key: None };
        change_chosen(context, self.chosen.typed(), Change::Retried, question)
    }
}
