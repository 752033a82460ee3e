//! `keiko watch`: the screen of `keiko` without a command, kept up to date; events in a pipe.

use clap::Args;

use crate::cli::commands::events;
use crate::cli::context::Context;
use crate::cli::error::{CliError, Exit};
#[cfg(unix)]
use crate::cli::ui::Form;

#[cfg(unix)]
mod live;

/// Shows what is due, next and paused, and keeps it up to date
///
/// On a terminal it takes the whole screen until q or Ctrl-C. In a pipe, and with --json, it tells each change from now on
/// as JSON, one a line, as keiko events --follow does. The exit code is 0 after q, 130 after Ctrl-C.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    keiko watch")]
pub(crate) struct Watch {}

impl Watch {
    /// Shows the screen until somebody wants no more.
    #[expect(clippy::unused_self, reason = "all commands run alike")]
    pub(crate) fn run(self, context: &mut Context<'_>) -> Result<Exit, CliError> {
        #[cfg(unix)]
        if context.ui.form() != Form::Json && context.ui.can_redraw() {
            return live::run(context);
        }
        events::follow(context, None, None)
    }
}
