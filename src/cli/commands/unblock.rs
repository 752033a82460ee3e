//! `keiko unblock`: a task waits for no other task any more.

use clap::Args;

use crate::cli::commands::each::{Chosen, change_chosen};
use crate::cli::context::Context;
use crate::cli::error::{CliError, Exit};
use crate::cli::render::change::Change;
use crate::protocol::methods;

/// Lets a task go on without those that it waits for
///
/// It comes up at its time, or at once where that has passed or it has none.
///
/// A task that was added with --waits-for waits until each of those tasks is done; then it comes up at its time, or so long
/// after the last was done as --delay says, whichever is later. A time that has passed meanwhile is due at once, and on time;
/// without time and delay it is due at once. Until then it neither rings nor counts as missed, and a deadline that passes is
/// told once it is free. What is done already is not waited for; a circle is refused.
///
/// Of a repeating task its next time that is done counts; one that nobody answers does not. A repeating task that waits
/// does so before each of its times: what it waits for is to be done again since the time before was set free, but a task
/// that comes up once is done for ever. Times that go by while it waits are passed over, and the latest of them is due at
/// once when it is set free.
///
/// Where one of those tasks is cancelled, deleted or fails for good, --on-parent-fail decides: hold (the task is blocked,
/// says so once, and waits for this command), run (that one counts as done, the others are still awaited) or cancel (the
/// task is cancelled too, and so on along the chain).
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    keiko add cook tomorrow 10am --waits-for 7\n  \
    keiko add eat --waits-for 8 --delay 30m\n  \
    keiko unblock 8")]
pub(crate) struct Unblock {
    /// Which tasks.
    #[command(flatten)]
    chosen: Chosen,
}

impl Unblock {
    /// Asks it of each task.
    pub(crate) fn run(self, context: &mut Context<'_>) -> Result<Exit, CliError> {
        let question = |task| methods::Unblock { task, version: None, key: None };
        change_chosen(context, self.chosen.typed(), Change::Unblocked, question)
    }
}
