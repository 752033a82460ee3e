//! `keiko done`: says that it is done.

use clap::Args;

use crate::cli::commands::each::{NamedOrDue, change_each_or_due};
use crate::cli::context::Context;
use crate::cli::error::{CliError, Exit};
use crate::cli::render::change::Change;
use crate::protocol::methods;

/// Marks tasks done
///
/// Without a name the one that is due. Done on an occurrence of a repeat that is still ahead of its first alert needs
/// --early.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    keiko done\n  \
    keiko done 12\n  \
    keiko done 3 5-7\n  \
    keiko done pay rent\n  \
    keiko done 9 --early\n  \
    keiko done --due today --dry-run")]
pub(crate) struct Done {
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

impl Done {
    /// Asks it of each task.
    pub(crate) fn run(self, context: &mut Context<'_>) -> Result<Exit, CliError> {
        let question = |task| methods::Done {
            task,
            early: self.early,
            occurrence: self.occurrence.clone(),
            version: None,
            key: None,
        };
        change_each_or_due(context, self.named.typed(), Change::Done, question)
    }
}
