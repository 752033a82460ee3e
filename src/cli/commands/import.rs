//! `keiko import`: takes over what another Keiko or another program keeps.

use clap::{Args, Subcommand};

use crate::cli::context::Context;
use crate::cli::error::{CliError, Exit};
use crate::cli::exchange::Format;

mod crontab;
mod entries;
mod lines;
mod source;
mod table;

/// Takes over what another Keiko or another program keeps
///
/// FILE is what keiko export wrote (lines of JSON), an iCalendar file, or what Taskwarrior exports. Doing it again adds nothing
/// twice. What cannot be taken is named with its place and the reason, and does not stop the others; of lines of JSON all comes in
/// at once or nothing does. Of a calendar the to-dos come in, and the events that have an alarm.
///
/// Of lines of JSON an empty Keiko becomes the same as the one that was exported. Where there are tasks already, those that are
/// here stay as they are. A number that is taken is given anew to open tasks; tasks that have ended then have none. What has come
/// up meanwhile is late, as after a time with the machine off. What waits for a task that is not there goes on as if that was
/// deleted. keiko undo deletes all that came in.
#[derive(Debug, Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "Examples:\n  \
    keiko import everything.jsonl --dry-run\n  \
    keiko import calendar.ics\n  \
    task export | keiko import -\n  \
    keiko import crontab"
)]
pub(crate) struct Import {
    /// From what else.
    #[command(subcommand)]
    source: Option<Source>,
    /// What is read.
    #[command(flatten)]
    file: OfFile,
}

/// A file that is read.
#[derive(Debug, Args)]
struct OfFile {
    /// The file, or - for standard input
    #[arg(value_name = "FILE")]
    file: Option<String>,
    /// In which form; without it what the file says and its name tell
    #[arg(long, value_enum, value_name = "FORMAT")]
    format: Option<Format>,
    /// Say what would be added, and add nothing
    #[arg(long)]
    dry_run: bool,
    /// Of a calendar also events that have no alarm: they speak when they begin
    #[arg(long)]
    without_alarm: bool,
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
            Some(Source::Crontab(crontab)) => crontab.run(context),
            None => self.file.run(context),
        }
    }
}

impl OfFile {
    fn run(self, context: &mut Context<'_>) -> Result<Exit, CliError> {
        let Some(name) = &self.file else {
            return Err(CliError::usage(
                "cannot import: no file is named",
                "name one, such as keiko import calendar.ics, or - for standard input",
            ));
        };
        let mut source = source::Source::open(name)?;
        let format = match self.format {
            Some(format) => format,
            None => Format::guess(name, source.beginning()?).ok_or_else(|| {
                CliError::usage(
                    format!(
                        "cannot tell in which form {name} is: it is none that Keiko writes, no calendar and no JSON"
                    ),
                    "--format says so: jsonl, ics or taskwarrior; keiko import crontab reads a crontab",
                )
            })?,
        };
        match format {
            Format::Jsonl => lines::import(context, source, self.dry_run),
            Format::Ics | Format::Taskwarrior => {
                entries::import(context, source, format, (self.dry_run, self.without_alarm))
            }
        }
    }
}
