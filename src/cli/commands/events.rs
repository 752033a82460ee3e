//! `keiko events`: the changes of all tasks, or of one, one a line, for programs that catch up.

use std::collections::BTreeSet;

use clap::Args;

use crate::cli::args::at_least_one;
use crate::cli::context::Context;
use crate::cli::error::{CliError, Exit};
use crate::cli::render::event::event_line;
use crate::cli::render::time::Viewpoint;
use crate::cli::ui::{Form, Ui};
use crate::protocol::SCHEMA_VERSION;
use crate::protocol::methods::{self, EVENTS_DEFAULT, EventSubscribe, EventUnsubscribe, Get, History, TaskRef};
use crate::protocol::objects::Event;

/// Shows the changes of all tasks, oldest first, and what happened to the device
///
/// That is: its clock was set, it slept, it moved to another time zone.
///
/// With --json one event a line, and so with --follow where no terminal reads it; the seq of the last one is where --since
/// goes on. A daemon that goes away while it is followed is waited for a minute, and nothing is left out or told twice. Ctrl-C
/// ends it with 130.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    keiko events\n  \
    keiko events --task 12 --json\n  \
    keiko events --follow --since 42")]
pub(crate) struct Events {
    /// Only those behind this seq
    #[arg(long, value_name = "SEQ", default_value_t = 0)]
    since: u64,
    /// Only those of this task: its number, the beginning of its id, or words of its title
    #[arg(long, value_name = "TASK")]
    task: Option<String>,
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
        if !self.follow {
            context.ui.expect_long();
        }
        if let Some(name) = self.task.clone() {
            return self.of_task(context, name);
        }
        if self.follow {
            return follow(context, Some(self.since), None);
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

    /// Reads the task's own history, which may be short where that of all is long, then what follows.
    fn of_task(self, context: &mut Context<'_>, name: String) -> Result<Exit, CliError> {
        let id = context.ask(&Get { task: TaskRef(name) })?.task.id;
        let from = if self.follow {
            context.ui.flow();
            Some(last_seq(context)?)
        } else {
            None
        };
        let (mut since, mut left) = (self.since, self.limit.unwrap_or(usize::MAX));
        while left > 0 && !context.ui.is_closed() {
            let question = History { task: TaskRef(id.clone()), full: true, since: Some(since) };
            let mut page = context.ask(&question)?;
            // What happens meanwhile is followed.
            page.events.retain(|event| from.is_none_or(|from| event.seq <= from));
            page.events.truncate(left);
            let view = context.viewpoint(page.now);
            show(context.ui, &page.events, view);
            left -= page.events.len();
            match page.next {
                Some(next) if !page.events.is_empty() => since = next,
                Some(_) | None => break,
            }
        }
        match from {
            Some(from) if !context.ui.is_closed() => follow(context, Some(from.max(self.since)), Some(&id)),
            Some(_) | None => Ok(Exit::Done),
        }
    }
}

/// Tells each event behind a cursor and each that happens from then on, of all tasks or of one, until nobody reads it.
pub(crate) fn follow(context: &mut Context<'_>, since: Option<u64>, task: Option<&str>) -> Result<Exit, CliError> {
    context.ui.flow();
    let tell = |ui: &mut Ui, event: &Event, view| {
        if task.is_none() || event.task_id.as_deref() == task {
            show(ui, std::slice::from_ref(event), view);
        }
        !ui.is_closed()
    };
    context.follow(since, tell).map(|()| Exit::Done)
}

/// Returns the `seq` of the last event that there is.
fn last_seq(context: &mut Context<'_>) -> Result<u64, CliError> {
    let subscription = context.ask(&EventSubscribe { since: None })?.subscription;
    Ok(context.ask(&EventUnsubscribe { subscription })?.cursor)
}

/// The place in the history before a change of many tasks, where their ids are wanted and nothing else.
pub(crate) struct Mark(Option<u64>);

impl Mark {
    /// Notes the place.
    ///
    /// # Errors
    /// As [`Context::ask`].
    pub(crate) fn of(context: &mut Context<'_>) -> Result<Self, CliError> {
        Ok(Self(if context.ui.form() == Form::Id { Some(last_seq(context)?) } else { None }))
    }

    /// Gives the id of each task that an operation changed since, each once.
    ///
    /// # Errors
    /// As [`Context::ask`].
    pub(crate) fn tell(self, context: &mut Context<'_>, op_id: &str) -> Result<(), CliError> {
        let Some(mut since) = self.0 else { return Ok(()) };
        let mut told = BTreeSet::new();
        loop {
            let page = context.ask(&methods::EventList { since, limit: Some(EVENTS_DEFAULT) })?;
            let of_op = page.events.into_iter().filter(|event| event.op_id == op_id);
            for id in of_op.filter_map(|event| event.task_id) {
                if told.insert(id.clone()) {
                    context.ui.print(&[id.as_str().into()]);
                }
            }
            if !page.more || page.cursor <= since {
                return Ok(());
            }
            since = page.cursor;
        }
    }
}

/// An event as a line of its own, which says of which version its fields are.
#[derive(serde::Serialize)]
struct Line<'a> {
    schema_version: u32,
    #[serde(flatten)]
    event: &'a Event,
}

fn show(ui: &mut Ui, events: &[Event], view: Viewpoint) {
    match ui.form() {
        Form::Json => events.iter().for_each(|event| ui.json(&Line { schema_version: SCHEMA_VERSION, event })),
        Form::Human | Form::Quiet => {
            let width = ui.width();
            let lines: Vec<_> = events.iter().map(|event| event_line(event, view, width)).collect();
            ui.print(&lines);
        }
        Form::Id => {
            let ids: Vec<_> = events.iter().filter_map(|event| event.task_id.as_deref().map(Into::into)).collect();
            ui.print(&ids);
        }
    }
}
