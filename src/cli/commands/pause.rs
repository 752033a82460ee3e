//! `keiko pause`: stops the clocks of tasks.

use clap::Args;

use crate::cli::commands::each::{Several, change_each_or_many};
use crate::cli::context::Context;
use crate::cli::error::{CliError, Exit};
use crate::cli::render::change::Change;
use crate::protocol::methods;

/// Pauses tasks until they are resumed
///
/// While a task is paused its clock does not count and nothing rings. While all tasks, or all with a tag, are paused,
/// what is added meanwhile sleeps too.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  keiko pause 3\n  keiko pause 3 5-7 --for 2h\n  \
    keiko pause 3 --until \"monday 9am\"\n  keiko pause --tag work --until monday\n  keiko pause --all")]
pub(crate) struct Pause {
    /// Which tasks.
    #[command(flatten)]
    which: Several,
    /// Resume by itself after so long, such as 2h
    #[arg(long = "for", value_name = "TIME", conflicts_with = "until")]
    for_: Option<String>,
    /// Resume by itself at a time, such as "monday 9am"
    #[arg(long, value_name = "TIME")]
    until: Option<String>,
    /// The zone in which --until is read
    #[arg(long, value_name = "ZONE")]
    tz: Option<String>,
}

impl Pause {
    /// Asks it of each task, or of many at once.
    pub(crate) fn run(self, context: &mut Context<'_>) -> Result<Exit, CliError> {
        let zone = self.tz.unwrap_or_else(|| context.zone.name().to_owned());
        let question = |task| methods::Pause {
            task,
            all: self.which.all,
            tag: self.which.tag.clone(),
            occurrence: None,
            r#for: self.for_.clone(),
            until: self.until.clone(),
            zone: Some(zone.clone()),
            key: None,
        };
        change_each_or_many(context, &self.which, Change::Paused, question)
    }
}
