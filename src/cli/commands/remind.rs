//! `keiko remind`: stores a task that rings.

use clap::Args;

use crate::cli::commands::add::{NewTask, Verb};
use crate::cli::context::Context;
use crate::cli::error::{CliError, Exit};

/// Reminds you at a time
///
/// Like add, but a time is needed. The words are a sentence that says when and what, with or without "me".
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    keiko remind me in 20 minutes to check the oven\n  \
    keiko remind me tomorrow 3pm to pay rent\n  \
    keiko remind me every weekday at 9:30 to join the standup")]
pub(crate) struct Remind {
    /// What is to be added.
    #[command(flatten)]
    task: NewTask,
}

impl Remind {
    /// Adds the task.
    pub(crate) fn run(self, context: &mut Context<'_>) -> Result<Exit, CliError> {
        self.task.run(context, Verb::Remind, None)
    }
}
