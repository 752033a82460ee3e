//! `keiko op`: what was done, as things that can be taken back.

use clap::{Args, Subcommand};

use crate::cli::args::at_least_one;
use crate::cli::context::Context;
use crate::cli::error::{CliError, Exit};
use crate::cli::render::op::{line, op};
use crate::cli::render::say;
use crate::protocol::methods;

/// Shows what was done, and what of it can be taken back
///
/// Without more it shows the latest changes, as list does.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    keiko op list\n  \
    keiko op list --limit 5")]
pub(crate) struct Op {
    /// What is to be shown; else what was done lately.
    #[command(subcommand)]
    what: Option<What>,
}

#[derive(Debug, Subcommand)]
enum What {
    List(List),
    Show(Show),
}

/// Shows what was done, latest first
#[derive(Debug, Args)]
struct List {
    /// At most so many (20)
    #[arg(long, value_name = "N", value_parser = at_least_one)]
    limit: Option<usize>,
    /// Go on with what came before: the number that the last line names
    #[arg(long, value_name = "PLACE")]
    before: Option<u64>,
}

/// Shows one change
#[derive(Debug, Args)]
struct Show {
    /// The beginning of its id, eight letters or more
    #[arg(value_name = "OP")]
    op: String,
}

impl Op {
    /// Asks for it and tells it.
    pub(crate) fn run(self, context: &mut Context<'_>) -> Result<Exit, CliError> {
        match self.what.unwrap_or(What::List(List { limit: None, before: None })) {
            What::List(List { limit, before }) => {
                let answer = context.ask(&methods::OpList { before, limit })?;
                let view = context.viewpoint(answer.now);
                context.answer(&answer, &[], |_| answer.ops.iter().map(|op| line(op, view)).collect());
                if let Some(next) = answer.next {
                    context.ui.hint(&say::before_that(next));
                }
            }
            What::Show(Show { op: name }) => {
                let answer = context.ask(&methods::OpGet { op: name })?;
                let view = context.viewpoint(answer.now);
                context.answer(&answer, &[], |_| op(&answer.op, view));
            }
        }
        Ok(Exit::Done)
    }
}
