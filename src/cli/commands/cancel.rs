//! `keiko cancel`: ends a task.

use clap::Args;

use crate::cli::commands::each::{Chosen, change_chosen};
use crate::cli::context::Context;
use crate::cli::error::{CliError, Exit};
use crate::cli::render::change::Change;
use crate::protocol::methods;

/// Ends tasks
///
/// Of a repeating task that is all of it; to pass over one time only, use skip.
#[derive(Debug, Args)]
pub(crate) struct Cancel {
    /// Which tasks.
    #[command(flatten)]
    chosen: Chosen,
    /// The whole series, said on purpose: without the advice that skip would pass over one time only
    #[arg(long)]
    all: bool,
}

impl Cancel {
    /// Asks it of each task.
    pub(crate) fn run(self, context: &mut Context<'_>) -> Result<Exit, CliError> {
        change_chosen(context, self.chosen.typed(), Change::Cancelled, |task| methods::Cancel {
            task,
            all: self.all,
            occurrence: None,
            key: None,
        })
    }
}
