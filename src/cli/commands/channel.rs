//! `keiko channel`: where it speaks, how each target does, and what people do about it.

use clap::{Args, Subcommand};

use crate::cli::context::Context;
use crate::cli::error::{CliError, Exit};
use crate::cli::render::channel::{channels, target, trial};
use crate::protocol::methods;

mod about;
mod add;
mod remove;
mod settle;
mod values;

/// Shows where Keiko speaks; adds a target, tests, pauses, resumes or removes it
///
/// Without more it shows every target, as list does.
///
/// A target is desktop, terminal, or a kind with a name, such as webhook:ops or telegram:phone. Where tasks speak that name
/// none is configured: channels, [[rules]], fallback and always in config.toml.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    keiko channel list\n  \
    keiko channel add telegram phone\n  \
    keiko channel add ntfy phone --url-command 'pass show ntfy' --no-test\n  \
    keiko channel add webhook ops --url-file - < address\n  \
    keiko channel test webhook:ops\n  \
    keiko channel resume webhook:ops\n  \
    keiko channel remove telegram:phone")]
pub(crate) struct Channel {
    /// What is to be done; else every target is shown.
    #[command(subcommand)]
    action: Option<Action>,
}

/// What is to be done with targets.
#[derive(Clone, Debug, Subcommand)]
enum Action {
    /// Show every target, how it does, and what waits for it
    List {
        /// Only this one
        #[arg(value_name = "TARGET")]
        target: Option<String>,
    },
    /// Add a target to the configuration; on a terminal it asks for what the kind needs
    ///
    /// What is secret is asked for without being shown, or comes from a file, the environment or a command. It is kept in a
    /// file beside the configuration that only you can read, never with the tasks.
    Add(Box<add::Add>),
    /// Remove a target from the configuration, with the secrets that were kept for it
    Remove(remove::Remove),
    /// Send one message that is no task's, and say what came of it
    Test {
        /// Which
        #[arg(value_name = "TARGET")]
        target: String,
    },
    /// Send nothing there; what is for it is held
    Pause {
        /// Which
        #[arg(value_name = "TARGET")]
        target: String,
    },
    /// Send there again, and what was held for it
    Resume {
        /// Which
        #[arg(value_name = "TARGET")]
        target: String,
    },
}

impl Channel {
    /// Does it.
    pub(crate) fn run(self, context: &mut Context<'_>) -> Result<Exit, CliError> {
        match self.action.unwrap_or(Action::List { target: None }) {
            Action::List { target: only } => {
                let mut answer = context.ask(&methods::ChannelList {})?;
                if let Some(only) = &only {
                    answer.targets.retain(|target| target.target == *only);
                }
                let view = context.viewpoint(answer.now);
                context.answer(&answer, &[], |width| channels(&answer, view, width));
            }
            Action::Add(add) => return add.run(context),
            Action::Remove(remove) => return remove.run(context),
            Action::Test { target } => {
                let answer = context.ask(&methods::ChannelTest { target })?;
                context.answer(&answer, &[], |_| vec![trial(&answer)]);
                return Ok(if answer.delivered { Exit::Done } else { Exit::Failure });
            }
            Action::Pause { target: name } => {
                let answer = context.ask(&methods::ChannelPause { target: name })?;
                let view = context.viewpoint(answer.now);
                context.confirm(&answer, &[], |_| vec![target("paused", &answer.target, view)]);
            }
            Action::Resume { target: name } => {
                let answer = context.ask(&methods::ChannelResume { target: name })?;
                let view = context.viewpoint(answer.now);
                context.confirm(&answer, &[], |_| vec![target("resumed", &answer.target, view)]);
            }
        }
        Ok(Exit::Done)
    }
}
