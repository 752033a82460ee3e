//! `keiko status`: how the daemon is, and what it does next.

use clap::Args;

use crate::cli::context::Context;
use crate::cli::error::{CliError, Exit};
use crate::cli::render::status::status;
use crate::protocol::methods;

/// Shows how things are: counts, what comes next, and who can be reached
///
/// Like `daemon status`, but starts the daemon where none answers.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    keiko status\n  \
    keiko status --json")]
pub(crate) struct Status;

impl Status {
    /// Asks and shows it.
    pub(crate) fn run(context: &mut Context<'_>) -> Result<Exit, CliError> {
        let answer = context.ask(&methods::Status {})?;
        let view = context.viewpoint(answer.now);
        context.answer(&answer, &[], |width| status(&answer, view, width));
        Ok(Exit::Done)
    }
}
