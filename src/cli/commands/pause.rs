//! `keiko pause`: stops a task's clock.

use clap::Args;

use crate::cli::commands::each::{Named, change_each};
use crate::cli::context::Context;
use crate::cli::error::{CliError, Exit};
use crate::cli::render::change::Change;
use crate::protocol::methods;

/// Pauses tasks until they are resumed
///
/// While a task is paused its clock does not count and nothing rings.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  keiko pause 3\n  keiko pause 3 5-7 --for 2h\n  keiko pause 3 --until \"monday 9am\""
)]
pub(crate) struct Pause {
    /// Which tasks.
    #[command(flatten)]
    named: Named,
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
    /// Asks it of each task.
    pub(crate) fn run(self, context: &mut Context<'_>) -> Result<Exit, CliError> {
        let zone = self.tz.unwrap_or_else(|| context.zone.name().to_owned());
        let question = |task| methods::Pause {
            occurrence: None,
            task,
            r#for: self.for_.clone(),
            until: self.until.clone(),
            zone: Some(zone.clone()),
            key: None,
        };
        Ok(change_each(context, &self.named.names()?, Change::Paused, question))
    }
}
