//! `keiko events`: the changes of all tasks, one a line, for programs that catch up.

use clap::Args;

use crate::cli::args::at_least_one;
use crate::cli::context::Context;
use crate::cli::error::{CliError, Exit};
use crate::cli::render::event::event_line;
use crate::cli::render::time::Viewpoint;
use crate::cli::ui::{Form, Ui};
use crate::protocol::methods::{self, EVENTS_DEFAULT};
use crate::protocol::objects::Event;

/// Shows the changes of all tasks, oldest first, and what happened to the device
///
/// That is: its clock was set, it slept, it moved to another time zone.
///
/// With --json one event a line; the seq of the last one is where --since goes on.
#[derive(Debug, Args)]
pub(crate) struct Events {
    /// Only those behind this seq
    #[arg(long, value_name = "SEQ", default_value_t = 0)]
    since: u64,
    /// At most so many
    #[arg(long, value_name = "N", value_parser = at_least_one)]
    limit: Option<usize>,
    /// Go on with what happens, until interrupted
    #[arg(long, short, conflicts_with = "limit")]
    follow: bool,
}

impl Events {
    /// Asks page after page, so that neither side holds a long history whole.
    pub(crate) fn run(self, context: &mut Context<'_>) -> Result<Exit, CliError> {
        if self.follow {
            let tell = |ui: &mut Ui, event: &Event, view| {
                show(ui, std::slice::from_ref(event), view);
                !ui.is_closed()
            };
            return context.follow(self.since, tell).map(|()| Exit::Done);
        }
        let (mut since, mut left) = (self.since, self.limit.unwrap_or(usize::MAX));
        while left > 0 && !context.ui.is_closed() {
            let limit = left.min(EVENTS_DEFAULT);
            let page = context.ask(&methods::EventList { since, limit: Some(limit) })?;
            let view = context.viewpoint(page.now);
            show(context.ui, &page.events, view);
            left -= page.events.len().min(left);
            if !page.more || page.cursor <= since {
                break;
            }
            since = page.cursor;
        }
        Ok(Exit::Done)
    }
}

fn show(ui: &mut Ui, events: &[Event], view: Viewpoint) {
    match ui.form() {
        Form::Json => events.iter().for_each(|event| ui.json(event)),
        Form::Human | Form::Quiet => {
            let lines: Vec<_> = events.iter().map(|event| event_line(event, view)).collect();
            ui.print(&lines);
        }
        Form::Id => {
            let ids: Vec<_> = events.iter().filter_map(|event| event.task_id.as_deref().map(Into::into)).collect();
            ui.print(&ids);
        }
    }
}
