//! Which tasks are meant, by what is true of them: the filters of `keiko list`, which writes take too.

use clap::Args;

use crate::cli::context::Context;
use crate::cli::error::{CliError, Exit};
use crate::cli::names::{has_range, names};
use crate::cli::render::change::Change;
use crate::cli::render::list::list;
use crate::cli::render::time::Viewpoint;
use crate::cli::render::{pick, say};
use crate::cli::ui::Form;
use crate::protocol::methods::{self, Get, TaskRef};
use crate::protocol::objects::{Row, Task};

/// How many tasks are changed without a question.
const UNASKED_MAX: usize = 3;

/// What is true of the tasks that are meant.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Which tasks")]
pub(crate) struct Filter {
    /// Those in a stage, such as due or late; several with commas
    #[arg(long, value_name = "STAGE", value_delimiter = ',')]
    pub(crate) stage: Vec<String>,
    /// Those with words in title or note
    #[arg(long, value_name = "WORDS")]
    pub(crate) text: Option<String>,
    /// Those due within days: today, this week, A..B
    #[arg(long, value_name = "RANGE")]
    pub(crate) due: Option<String>,
    /// Those due before a day or time
    #[arg(long, value_name = "TIME")]
    pub(crate) before: Option<String>,
    /// Those due behind a day, or from a time on
    #[arg(long, value_name = "TIME")]
    pub(crate) after: Option<String>,
    /// Those that repeat
    #[arg(long, conflicts_with = "one_shot")]
    pub(crate) series: bool,
    /// Those that do not repeat
    #[arg(long)]
    pub(crate) one_shot: bool,
    /// Those with which something is wrong: failed or not sent, missed, past their deadline, due for an hour unanswered
    #[arg(long)]
    pub(crate) attention: bool,
}

/// The tags of the tasks that are meant.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Which tasks")]
pub(crate) struct Tags {
    /// Those with a tag; several must all be there. +TAG says the same
    #[arg(long, value_name = "TAG")]
    pub(crate) tag: Vec<String>,
}

/// How a change of all that a filter means is made.
#[derive(Clone, Copy, Debug, Default, Args)]
#[command(next_help_heading = "Which tasks")]
pub(crate) struct Care {
    /// Show which tasks a filter means, and change nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Do not ask before changing more than three tasks
    #[arg(long, short = 'y')]
    pub(crate) yes: bool,
}

/// Which tasks are to be changed.
pub(crate) enum Meant {
    /// Those that were named; none where no name was given.
    Named(Vec<String>),
    /// Those that a filter means, by their numbers.
    Found(Vec<String>),
    /// None: it was only asked which, or the person said no.
    Nothing(Exit),
}

/// What was typed of the tasks that are to be changed.
#[derive(Clone, Copy)]
pub(crate) struct Typed<'a> {
    /// Names, and tags with a `+` before them.
    pub(crate) words: &'a [String],
    /// What is true of them.
    pub(crate) filter: &'a Filter,
    /// Tags by their option.
    pub(crate) tags: &'a [String],
    /// How the change is made.
    pub(crate) care: Care,
}

impl Typed<'_> {
    /// Returns whether a filter says which tasks are meant, so that it was asked about all of them at once.
    pub(crate) fn is_filtered(&self) -> bool {
        !(self.filter.is_empty() && self.tags.is_empty() && part_tags(self.words).0.is_empty())
    }

    /// Returns which tasks are meant; `what` is what is to be done to them. A person is asked where a filter or a range means
    /// more than a few; those that were typed one by one are meant for certain.
    ///
    /// # Errors
    /// A filter means none, stands beside names, or is missing where it is asked which tasks that are.
    pub(crate) fn meant(self, what: Change, context: &mut Context<'_>) -> Result<Meant, CliError> {
        let (mut tags, rest) = part_tags(self.words);
        tags.extend_from_slice(self.tags);
        let has_filter = !(self.filter.is_empty() && tags.is_empty());
        match (has_filter, rest.is_empty()) {
            (false, _) if self.care.dry_run => Err(CliError::usage(
                "cannot use --dry-run without a filter: it shows which tasks that means",
                "add a filter, such as --before today; keiko list shows all tasks",
            )),
            (false, _) => {
                let names = names(&rest)?;
                let is_asked = names.len() > UNASKED_MAX && has_range(&rest) && !self.care.yes && context.ui.may_ask();
                if is_asked && !agrees_to_named(&names, what, context)? {
                    return Ok(Meant::Nothing(Exit::Failure));
                }
                Ok(Meant::Named(names))
            }
            (true, true) => self.filter.find(&tags, self.care, what, context),
            (true, false) => Err(CliError::usage(
                format!("cannot take both names and a filter: {:?} names tasks", rest.join(" ")),
                "leave out one of them; --text finds words in titles",
            )),
        }
    }
}

impl Filter {
    /// Returns whether nothing is said.
    pub(crate) fn is_empty(&self) -> bool {
        let texts = [&self.text, &self.due, &self.before, &self.after];
        self.stage.is_empty()
            && texts.iter().all(|text| text.is_none())
            && !(self.series || self.one_shot || self.attention)
    }

    /// Returns the question to the daemon.
    pub(crate) fn question(&self, tags: &[String], context: &Context<'_>) -> methods::List {
        let series = self.series.then_some(true).or(self.one_shot.then_some(false));
        methods::List {
            stages: (!self.stage.is_empty()).then(|| self.stage.clone()),
            tags: (!tags.is_empty()).then(|| tags.to_vec()),
            text: self.text.clone(),
            due: self.due.clone(),
            due_before: self.before.clone(),
            due_after: self.after.clone(),
            series,
            attention: self.attention,
            zone: Some(context.zone.name().to_owned()),
            ..methods::List::default()
        }
    }

    /// Finds the open tasks that are meant, and asks the person where those are more than a few; `what` is what is to be
    /// done to them.
    ///
    /// # Errors
    /// None is meant.
    fn find(&self, tags: &[String], care: Care, what: Change, context: &mut Context<'_>) -> Result<Meant, CliError> {
        if care.dry_run && matches!(context.ui.form(), Form::Json | Form::Id) {
            return self.tell_programs(tags, context);
        }
        let mut answer = context.rows(self.question(tags, context))?;
        answer.rows.retain(Row::is_open);
        if answer.rows.is_empty() {
            return Err(CliError::NoneMeant { filter: self.told(tags) });
        }
        let view = context.viewpoint(answer.now);
        if care.dry_run {
            context.answer(&answer, &answer.warnings, |width| list(&answer.rows, view, width));
            return Ok(Meant::Nothing(Exit::Done));
        }
        let numbers: Vec<String> = answer.rows.iter().map(|row| row.number.to_string()).collect();
        let is_asked = numbers.len() > UNASKED_MAX && !care.yes && context.ui.may_ask();
        if is_asked && !agrees(&answer.rows, numbers.len(), what, view, context)? {
            return Ok(Meant::Nothing(Exit::Failure));
        }
        Ok(Meant::Found(numbers))
    }

    /// Gives programs the tasks that are meant, whole or by their ids.
    fn tell_programs(&self, tags: &[String], context: &mut Context<'_>) -> Result<Meant, CliError> {
        let mut answer = context.list(self.question(tags, context))?;
        answer.tasks.retain(Task::is_open);
        if answer.tasks.is_empty() {
            return Err(CliError::NoneMeant { filter: self.told(tags) });
        }
        if context.ui.form() == Form::Id {
            let ids: Vec<_> = answer.tasks.iter().map(|task| task.id.as_str().into()).collect();
            context.ui.print(&ids);
        }
        context.answer(&answer, &answer.warnings, |_| Vec::new());
        Ok(Meant::Nothing(Exit::Done))
    }

    /// Returns what is said, as it is typed.
    pub(crate) fn told(&self, tags: &[String]) -> String {
        let option = |name: &str, value: &Option<String>| value.as_ref().map(|value| format!("--{name} {value:?}"));
        let stages = self.stage.iter().map(|stage| format!("--stage {stage:?}"));
        let tags = tags.iter().map(|tag| format!("+{}", tag.trim_start_matches('+')));
        let values = [
            option("text", &self.text),
            option("due", &self.due),
            option("before", &self.before),
            option("after", &self.after),
            self.series.then(|| "--series".to_owned()),
            self.one_shot.then(|| "--one-shot".to_owned()),
            self.attention.then(|| "--attention".to_owned()),
        ];
        stages.chain(tags).chain(values.into_iter().flatten()).collect::<Vec<_>>().join(" ")
    }
}

/// Asks a person whether many tasks are to be changed; `first` are those that are shown.
fn agrees(
    first: &[Row],
    count: usize,
    what: Change,
    view: Viewpoint,
    context: &mut Context<'_>,
) -> Result<bool, CliError> {
    let (lines, question) = pick::many(what, count, first, view, context.ui.err_width());
    context.ui.explain(&lines);
    let answer = context.ui.ask(&question).map_err(|source| CliError::Input { source })?.unwrap_or_default();
    let agrees = say::is_yes(&answer);
    if !agrees {
        context.ui.progress(say::NOTHING_CHANGED);
    }
    Ok(agrees)
}

/// As [`agrees`], of tasks that are known by their names only. One that cannot be found is told of when its turn comes.
fn agrees_to_named(names: &[String], what: Change, context: &mut Context<'_>) -> Result<bool, CliError> {
    let mut tasks = Vec::new();
    for name in names.iter().take(pick::NAMED_MAX) {
        match context.ask(&Get { task: TaskRef(name.clone()) }) {
            Ok(found) => tasks.push(found.task.into()),
            Err(error) if error.refused().is_some() => {}
            Err(error) => return Err(error),
        }
    }
    let view = Viewpoint { now: context.now()?, zone: context.zone };
    agrees(&tasks, names.len(), what, view, context)
}

/// Parts words with a `+` before them, which are tags, from the rest.
pub(crate) fn part_tags(words: &[String]) -> (Vec<String>, Vec<String>) {
    let is_tag = |word: &&String| word.len() > 1 && word.starts_with('+');
    let (tags, rest): (Vec<&String>, Vec<&String>) = words.iter().partition(is_tag);
    let tags = tags.into_iter().map(|tag| tag[1..].to_owned()).collect();
    (tags, rest.into_iter().cloned().collect())
}
