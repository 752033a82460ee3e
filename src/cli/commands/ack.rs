//! `keiko ack`: silences without completing.

use clap::Args;

use crate::cli::commands::each::{NamedOrDue, change_each_or_due};
use crate::cli::context::Context;
use crate::cli::error::{CliError, Exit};
use crate::cli::render::change::Change;
use crate::protocol::methods;

/// Silences tasks without completing them
///
/// Popups close, and the task stays due until it is done. Without a name the one that is due.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    keiko ack\n  \
    keiko ack 12\n  \
    keiko seen 12")]
pub(crate) struct Ack {
    /// Which tasks.
    #[command(flatten)]
    named: NamedOrDue,
    /// Also an occurrence that has not spoken yet
    #[arg(long)]
    early: bool,
    /// The occurrence that is meant, as `show --json` names it: KEY~GENERATION
    #[arg(long, value_name = "KEY")]
    occurrence: Option<String>,
}

impl Ack {
    /// Asks it of each task.
    pub(crate) fn run(self, context: &mut Context<'_>) -> Result<Exit, CliError> {
        let question = |task| methods::Ack {
            task,
            early: self.early,
            dismissal: false,
            occurrence: self.occurrence.clone(),
            version: None,
            key: None,
        };
        change_each_or_due(context, self.named.typed(), Change::Seen, question)
    }
}
