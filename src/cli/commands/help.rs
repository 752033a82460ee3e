//! `keiko help`: what there is to type, and what each command takes; needs no daemon.

use clap::error::ErrorKind;
use clap::{Args, CommandFactory as _, Parser as _};

use crate::cli::args::Arguments;
use crate::cli::context::Context;
use crate::cli::error::{CliError, Exit};
use crate::cli::usage;

/// Tells what a command takes, or which commands there are
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  keiko help\n  keiko help done\n  keiko help channel test")]
pub(crate) struct Help {
    /// The command; without it all are listed
    #[arg(value_name = "COMMAND")]
    command: Vec<String>,
}

impl Help {
    /// Shows the page that `keiko COMMAND --help` shows.
    pub(crate) fn run(self, context: &mut Context<'_>) -> Result<Exit, CliError> {
        let mut at = Arguments::command();
        let mut path: Vec<String> = Vec::new();
        for word in &self.command {
            let name = word.to_lowercase();
            let Some(next) = at.find_subcommand(&name) else {
                return Err(unknown(&path, word));
            };
            at = next.clone();
            path.push(name);
        }
        let arguments = std::iter::once("keiko".to_owned()).chain(path.iter().cloned()).chain(["--help".to_owned()]);
        match Arguments::try_parse_from(arguments) {
            Err(page) if page.kind() == ErrorKind::DisplayHelp => Ok(usage::tell(context.ui, &page, &path)),
            Ok(_) | Err(_) => Err(unknown(&[], &self.command.join(" "))),
        }
    }
}

fn unknown(path: &[String], word: &str) -> CliError {
    let path = path.iter().fold(String::new(), |path, name| path + " " + name);
    CliError::usage(
        format!("cannot help with {word:?}: there is no such command"),
        format!("keiko help{path} lists those that there are"),
    )
}
