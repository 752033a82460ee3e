//! `keiko cancel`: ends a task.

use clap::Args;

use crate::cli::commands::each::{Chosen, Tally, called};
use crate::cli::commands::times::{Meant, Said, Times};
use crate::cli::context::Context;
use crate::cli::error::{CliError, Exit};
use crate::cli::render::change::{Change, change};
use crate::protocol::methods::{self, TaskRef};

/// Ends tasks
///
/// Of a repeating task that is all of it; to pass over one time only, use skip, or --this. On a terminal it is asked which
/// times are meant, unless a flag says so.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    keiko cancel 7\n  \
    keiko cancel 9 --this\n  \
    keiko cancel +work --dry-run")]
pub(crate) struct Cancel {
    /// Which tasks.
    #[command(flatten)]
    chosen: Chosen,
    /// Which times of a series.
    #[command(flatten)]
    times: Times,
    /// The whole series, said on purpose: without the advice that skip would pass over one time only
    #[arg(long)]
    all: bool,
}

impl Cancel {
    /// Asks it of each task.
    pub(crate) fn run(self, context: &mut Context<'_>) -> Result<Exit, CliError> {
        let typed = self.chosen.typed();
        let said = Said { all: self.all, yes: typed.care.yes || typed.is_filtered() };
        let (names, is_single) = match called(context, typed, Change::Cancelled)? {
            Ok(names) => names,
            Err(exit) => return Ok(exit),
        };
        let mut tally = Tally::new(is_single);
        context.begin_op(names.len());
        for name in names {
            let question = |scope, occurrence, preview| methods::Cancel {
                task: TaskRef(name.clone()),
                all: false,
                occurrence,
                scope,
                preview,
                key: None,
            };
            let meant = self
                .times
                .meant(context, &name, said, |context, scope| context.ask(&question(Some(scope), None, true)));
            let result = match meant {
                Ok(None) => continue,
                Ok(Some(Meant { scope, occurrence })) => context.ask(&question(scope, occurrence, false)),
                Err(error) => Err(error),
            };
            tally.add(context, Some(&name), result, |answer, view, _| {
                // Of a series that goes on one time only was passed over.
                change(if answer.task.is_open() { Change::Skipped } else { Change::Cancelled }, answer, view)
            });
        }
        Ok(tally.finish(context))
    }
}
