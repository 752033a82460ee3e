//! `keiko import`: takes over what another program keeps.

use clap::{Args, Subcommand};

use crate::cli::context::Context;
use crate::cli::error::{CliError, Exit};

mod crontab;
mod table;

/// Takes over what another program keeps
#[derive(Debug, Args)]
pub(crate) struct Import {
    /// From what.
    #[command(subcommand)]
    source: Source,
}

/// From what is taken over.
#[derive(Debug, Subcommand)]
enum Source {
    Crontab(crontab::Crontab),
}

impl Import {
    /// Takes it over.
    pub(crate) fn run(self, context: &mut Context<'_>) -> Result<Exit, CliError> {
        match self.source {
            Source::Crontab(crontab) => crontab.run(context),
        }
    }
}
