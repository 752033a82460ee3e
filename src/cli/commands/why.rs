//! `keiko why`: the story of a task in plain sentences.

use clap::Args;

use crate::cli::args::at_least_one;
use crate::cli::commands::each::{Named, Tally};
use crate::cli::context::Context;
use crate::cli::error::{CliError, Exit};
use crate::cli::render::story::story;
use crate::protocol::methods::{self, TaskRef};

/// Tells why tasks rang, or did not, and what comes next
///
/// Oldest first; what went alike again and again is counted. keiko history shows the events themselves.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    keiko why 12\n  \
    keiko why standup --since \"this morning\"")]
pub(crate) struct Why {
    /// Which tasks.
    #[command(flatten)]
    named: Named,
    /// From when on: "yesterday 9am", "monday", or how long back, "2h"
    #[arg(long, value_name = "TIME")]
    since: Option<String>,
    /// Up to when
    #[arg(long, value_name = "TIME")]
    until: Option<String>,
    /// Tell each time, however alike they were
    #[arg(long)]
    all: bool,
    /// Of at most so many events, the latest (1000)
    #[arg(long, value_name = "N", value_parser = at_least_one)]
    limit: Option<usize>,
    /// Go on with what came before: the number that the first line of the story names
    #[arg(long, value_name = "SEQ")]
    before: Option<u64>,
}

impl Why {
    /// Asks for each task's story and tells it.
    pub(crate) fn run(self, context: &mut Context<'_>) -> Result<Exit, CliError> {
        let names = self.named.names()?;
        context.ui.expect_long();
        let mut tally = Tally::new(names.len() == 1);
        for name in names {
            let question = methods::Why {
                task: TaskRef(name.clone()),
                since: self.since.clone(),
                until: self.until.clone(),
                zone: Some(context.zone.name().to_owned()),
                all: self.all,
                before: self.before,
                limit: self.limit,
            };
            let result = context.ask(&question);
            tally.add(context, Some(&name), result, story);
        }
        Ok(tally.finish(context))
    }
}
