//! `keiko agenda`: what will ring and run, day by day.

use clap::Args;

use crate::cli::args::at_least_one;
use crate::cli::context::Context;
use crate::cli::error::{CliError, Exit};
use crate::cli::render::agenda::agenda;
use crate::cli::ui::Form;
use crate::protocol::methods::AgendaGet;

/// Shows what will ring and which commands run, day by day
///
/// Computed from the tasks as they are, as if nobody touched them meanwhile; nothing is stored. What rings more than
/// six times a day is one line. Without words the next seven days.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  keiko agenda\n  keiko agenda tomorrow\n  keiko agenda this week\n  \
    keiko agenda next 3 months\n  keiko agenda june\n  keiko agenda 2026-06-01..2026-06-30")]
pub(crate) struct Agenda {
    /// Which days: today, next week, june, 2 weeks, 2026-06-01..2026-06-30
    #[arg(value_name = "RANGE")]
    range: Vec<String>,
    /// At most so many lines
    #[arg(long, value_name = "N", default_value_t = 1000, hide_default_value = true, value_parser = at_least_one)]
    limit: usize,
    /// The zone in which the days are read and shown
    #[arg(long, value_name = "ZONE")]
    tz: Option<String>,
}

impl Agenda {
    /// Asks for the agenda and shows it.
    pub(crate) fn run(self, context: &mut Context<'_>) -> Result<Exit, CliError> {
        let range = (!self.range.is_empty()).then(|| self.range.join(" "));
        let zone = self.tz.unwrap_or_else(|| context.zone.name().to_owned());
        // The daemon refuses a zone that it does not know.
        let shown = zone.parse().unwrap_or(context.zone);
        let limit = Some(self.limit);
        let question = AgendaGet { range, from: None, to: None, zone: Some(zone), limit, after: None };
        let answer = context.agenda(question)?;
        let mut view = context.viewpoint(answer.now);
        view.zone = shown;
        if context.ui.form() == Form::Id {
            let mut ids: Vec<&str> = Vec::new();
            for entry in &answer.entries {
                if !ids.contains(&entry.task_id.as_str()) {
                    ids.push(&entry.task_id);
                }
            }
            let ids: Vec<_> = ids.into_iter().map(Into::into).collect();
            context.ui.print(&ids);
        }
        context.answer_at_length(&answer, &answer.warnings, |width| agenda(&answer, view, width));
        Ok(Exit::Done)
    }
}
