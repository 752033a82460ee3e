//! `keiko show`: all that is known of a task, or what its command said.

use clap::Args;

use crate::cli::commands::each::{Named, each};
use crate::cli::commands::run;
use crate::cli::context::Context;
use crate::cli::error::{CliError, Exit};
use crate::cli::render::task::details;
use crate::cli::ui::Form;
use crate::protocol::methods::{self, OutputGet, TaskRef};
use crate::protocol::objects::Task;

/// Shows all that is known of tasks, or what their commands said
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  keiko show 7\n  keiko show 7 --output | less\n  keiko show 7 --output --attempt 2"
)]
pub(crate) struct Show {
    /// Which tasks.
    #[command(flatten)]
    named: Named,
    /// What the latest run of its command said, of one that still runs until now
    #[arg(long)]
    output: bool,
    /// Of this attempt, not of the latest run; 0: of the latest that keiko run asked for
    #[arg(long, value_name = "N", requires = "output")]
    attempt: Option<u32>,
}

impl Show {
    /// Asks for each task and shows it.
    pub(crate) fn run(self, context: &mut Context<'_>) -> Result<Exit, CliError> {
        let names = self.named.names()?;
        if self.output {
            return Ok(self.outputs(context, &names));
        }
        Ok(each(
            context,
            &names,
            |task| methods::Get { task },
            |answer, view, _| {
                // Where it speaks by the configuration is of as much use as where it says itself.
                let task = Task { channels: answer.via.clone(), ..answer.task.clone() };
                details(&task, &answer.runs, view)
            },
        ))
    }

    fn outputs(&self, context: &mut Context<'_>, names: &[String]) -> Exit {
        let mut exit = Exit::Done;
        for name in names {
            let question =
                OutputGet { task: TaskRef(name.clone()), run: None, attempt: self.attempt, raw: true, since: None };
            match context.ask(&question) {
                Ok(output) if context.ui.form() == Form::Json => context.ui.json(&output),
                Ok(output) => run::show(context, &output),
                Err(error) => exit = exit.or(context.fail(&error)),
            }
        }
        exit
    }
}
