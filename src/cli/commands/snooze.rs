//! `keiko snooze`: lets it speak again later.

use clap::Args;

use crate::cli::commands::each::change_each_or_due;
use crate::cli::commands::filter::{Care, Filter, Tags, Typed};
use crate::cli::commands::trailing::{Meant, Number, Time, split};
use crate::cli::context::Context;
use crate::cli::error::{CliError, Exit};
use crate::cli::render::change::Change;
use crate::protocol::methods;

/// Lets tasks speak again later
///
/// By default in 10 minutes. A time may follow the tasks; it needs a unit (10m, 1h) or is a time phrase. Snoozing
/// never moves when a thing is due. Without a name the one that is due.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    keiko snooze\n  \
    keiko snooze 1h\n  \
    keiko snooze 12 30m\n  \
    keiko snooze 12 until tomorrow 9am")]
pub(crate) struct Snooze {
    /// Which tasks, and for how long or until when
    #[arg(value_name = "WORDS")]
    words: Vec<String>,
    /// For how long, such as 30m
    #[arg(long = "for", value_name = "TIME", conflicts_with = "until")]
    for_: Option<String>,
    /// Until when, such as "tomorrow 9am"
    #[arg(long, value_name = "TIME")]
    until: Option<String>,
    /// The zone in which the time is read
    #[arg(long, value_name = "ZONE")]
    tz: Option<String>,
    /// Also an occurrence that has not spoken yet
    #[arg(long)]
    early: bool,
    /// The occurrence that is meant, as `show --json` names it: KEY~GENERATION
    #[arg(long, value_name = "KEY")]
    occurrence: Option<String>,
    /// What is true of them.
    #[command(flatten)]
    filter: Filter,
    /// Their tags.
    #[command(flatten)]
    tags: Tags,
    /// How the change is made.
    #[command(flatten)]
    care: Care,
}

impl Snooze {
    /// Asks it of each task.
    pub(crate) fn run(self, context: &mut Context<'_>) -> Result<Exit, CliError> {
        let has_option = self.for_.is_some() || self.until.is_some();
        let meant =
            if has_option { Meant { names: self.words, time: None } } else { split(&self.words, Number::IsAsked)? };
        let (length, until) = match (meant.time, self.for_, self.until) {
            (Some(Time::For(length)), _, _) | (None, Some(length), _) => (Some(length), None),
            (Some(Time::Until(until)), _, _) | (None, None, Some(until)) => (None, Some(until)),
            (None, None, None) => (None, None),
        };
        let zone = self.tz.unwrap_or_else(|| context.zone.name().to_owned());
        let question = |task| methods::Snooze {
            task,
            r#for: length.clone(),
            until: until.clone(),
            early: self.early,
            occurrence: self.occurrence.clone(),
            zone: Some(zone.clone()),
            key: None,
        };
        let typed = Typed { words: &meant.names, filter: &self.filter, tags: &self.tags.tag, care: self.care };
        change_each_or_due(context, typed, Change::Snoozed, question)
    }
}
