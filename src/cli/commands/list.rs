//! `keiko list`: the tasks, what is due first.

use clap::Args;

use crate::cli::args::at_least_one;
use crate::cli::commands::filter::{Filter, Tags, part_tags};
use crate::cli::context::Context;
use crate::cli::error::{CliError, Exit};
use crate::cli::render::list::{and_more, cut, cut_tasks, did_you_mean, folded, likely, list, none_fits, with_tag};
use crate::cli::ui::Form;
use crate::protocol::envelope::nearest;
use crate::protocol::methods;

/// Lists tasks, what is due first
///
/// Words find tasks by title and note, +TAG by tag; all that is said must be true. On a terminal a long list is folded.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  keiko list +home\n  keiko list rent --due \"this week\"\n  \
    keiko list --attention\n  keiko list --stage due,late --before today\n  keiko list --done")]
pub(crate) struct List {
    /// Words in title or note, and tags: +home
    #[arg(value_name = "WORDS")]
    words: Vec<String>,
    /// Also those that have ended
    #[arg(long, short)]
    all: bool,
    /// Only those that have ended
    #[arg(long, conflicts_with = "all")]
    done: bool,
    /// At most so many, those that are due first
    #[arg(long, value_name = "N", value_parser = at_least_one)]
    limit: Option<usize>,
    /// Every task on a line of its own, on a terminal too
    #[arg(long)]
    full: bool,
    /// What is true of them.
    #[command(flatten)]
    filter: Filter,
    /// Their tags.
    #[command(flatten)]
    tags: Tags,
}

impl List {
    /// Asks for the tasks and shows them.
    pub(crate) fn run(self, context: &mut Context<'_>) -> Result<Exit, CliError> {
        let (mut tags, words) = part_tags(&self.words);
        tags.extend(self.tags.tag.iter().map(|tag| tag.trim_start_matches('+').to_owned()));
        let asks_for_all = words.is_empty() && tags.is_empty() && self.filter.is_empty() && !self.done && !self.all;
        let mut filter = self.filter;
        if !words.is_empty() {
            let text = filter.text.into_iter().chain(words).collect::<Vec<_>>();
            filter.text = Some(text.join(" "));
        }
        let question = methods::List { all: self.all, ended: self.done, ..filter.question(&tags, context) };
        match context.ui.form() {
            Form::Json | Form::Id => {
                let mut answer = context.list(question)?;
                let more = self.limit.map_or(0, |limit| cut_tasks(&mut answer.tasks, limit));
                if context.ui.form() == Form::Id {
                    let ids: Vec<_> = answer.tasks.iter().map(|task| task.id.as_str().into()).collect();
                    context.ui.print(&ids);
                } else if more > 0 {
                    answer.warnings.push(and_more(more).to_plain());
                }
                context.answer(&answer, &answer.warnings, |_| Vec::new());
            }
            Form::Human | Form::Quiet => {
                let mut answer = context.rows(question)?;
                if answer.rows.is_empty() && !asks_for_all && !(filter.is_empty() && tags.is_empty()) {
                    let told = filter.told(&tags);
                    context.answer(&answer, &answer.warnings, |_| vec![none_fits(&told)]);
                    if let Some(likely) = likely(&self.words).or_else(|| near_tag(context, &tags)) {
                        context.ui.hint(&did_you_mean(&likely));
                    }
                    return Ok(Exit::Done);
                }
                // Which come first is known of all of them: the daemon gives them by their numbers.
                let more = self.limit.map_or(0, |limit| cut(&mut answer.rows, limit));
                let view = context.viewpoint(answer.now);
                // What is asked for is shown; what is not is folded, where a person reads it.
                let folds = asks_for_all && !self.full && self.limit.is_none() && context.ui.is_terminal();
                let lines = if folds { folded } else { list };
                context.answer_at_length(&answer, &answer.warnings, |width| {
                    let mut lines = lines(&answer.rows, view, width);
                    lines.extend((more > 0).then(|| and_more(more)));
                    lines
                });
            }
        }
        Ok(Exit::Done)
    }
}

/// Returns the command with the tag that is most like one that no task has.
fn near_tag(context: &mut Context<'_>, tags: &[String]) -> Option<String> {
    // Whatever is wrong with the daemon was told by what was asked before.
    let known = context.ask(&methods::Tags {}).ok().filter(|_| !tags.is_empty())?.tags;
    let unknown = tags.iter().find(|tag| !known.contains(tag))?;
    let near = nearest(unknown, known.iter().map(String::as_str))?;
    Some(with_tag(near))
}
