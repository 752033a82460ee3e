//! `keiko events`: the changes of all tasks, one a line, for programs that catch up.

use clap::Args;

use crate::cli::context::Context;
use crate::cli::error::{CliError, Exit};
use crate::cli::render::event::event_line;
use crate::cli::ui::Form;
use crate::protocol::methods::{self, EVENTS_DEFAULT};

/// Shows the changes of all tasks, oldest first
///
/// With --json one event a line; the seq of the last one is where --since goes on.
#[derive(Debug, Args)]
pub(crate) struct Events {
    /// Only those behind this seq
    #[arg(long, value_name = "SEQ", default_value_t = 0)]
    since: u64,
    /// At most so many
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
}

impl Events {
    /// Asks page after page, so that neither side holds a long history whole.
    pub(crate) fn run(self, context: &mut Context<'_>) -> Result<Exit, CliError> {
        let (mut since, mut left) = (self.since, self.limit.unwrap_or(usize::MAX));
        while left > 0 && !context.ui.is_closed() {
            let limit = left.min(EVENTS_DEFAULT);
            let page = context.ask(&methods::EventList { since, limit: Some(limit) })?;
            let view = context.viewpoint(page.now);
            match context.ui.form() {
                Form::Json => page.events.iter().for_each(|event| context.ui.json(event)),
                Form::Human | Form::Quiet => {
                    let lines: Vec<_> = page.events.iter().map(|event| event_line(event, view)).collect();
                    context.ui.print(&lines);
                }
                Form::Id => {
                    let ids: Vec<_> = page.events.iter().map(|event| event.task_id.as_str().into()).collect();
                    context.ui.print(&ids);
                }
            }
            left -= page.events.len().min(left);
            if page.events.len() < limit || page.cursor <= since {
                break;
            }
            since = page.cursor;
        }
        Ok(Exit::Done)
    }
}
