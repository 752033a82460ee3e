//! `keiko backup`: copies all tasks and their history into one file.

use std::path::PathBuf;

use clap::Args;

use crate::cli::context::Context;
use crate::cli::error::{CliError, Exit};
use crate::cli::render::say;
use crate::protocol::methods;

/// Copies all tasks and their history into a file
///
/// The copy is made while Keiko runs, checked, and put in place only when it is complete. It never takes another file's
/// place. Without PATH it goes into the folder backups beside the database, under the date. keiko restore puts one back.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  keiko backup\n  keiko backup /mnt/stick --keep 7\n  \
    keiko add backup every day at 1pm -- keiko backup --keep 7")]
pub(crate) struct Backup {
    /// A file that is not there yet, or a folder
    #[arg(value_name = "PATH")]
    path: Option<PathBuf>,
    /// Keep so many of the backups that were made there under a date, and remove older ones
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    keep: Option<u32>,
}

impl Backup {
    /// Makes the copy.
    pub(crate) fn run(self, context: &mut Context<'_>) -> Result<Exit, CliError> {
        let path = match self.path {
            None => None,
            // The daemon works in another folder.
            Some(path) => Some(std::path::absolute(&path).map_err(|error| {
                CliError::usage(format!("cannot tell where {} is: {error}", path.display()), "give the whole path")
            })?),
        };
        let path = path.map(|path| path.display().to_string());
        let patience = context.ui.patience("backing up");
        let answer = context.ask_patiently(&methods::Backup { path, keep: self.keep });
        drop(patience);
        let answer = answer?;
        context.confirm(&answer, &[], |_| {
            let mut lines = vec![say::backed_up(&answer.path, answer.bytes)];
            lines.extend(answer.removed.iter().map(|path| say::removed_older(path)));
            lines
        });
        Ok(Exit::Done)
    }
}
