//! How a command is done to several tasks: one after the other, each told of, and a bad one does not stop the others.

use clap::Args;
use serde::Serialize;
use serde_json::{Value, json};

use crate::cli::commands::events::Mark;
use crate::cli::commands::filter::{Care, Filter, Meant, Tags, Typed};
use crate::cli::commands::remarks::Remarks;
use crate::cli::context::Context;
use crate::cli::error::{CliError, Exit};
use crate::cli::names;
use crate::cli::render::change::{Change, change, of_many};
use crate::cli::render::say;
use crate::cli::render::text::Text;
use crate::cli::render::time::Viewpoint;
use crate::cli::ui::Form;
use crate::protocol::SCHEMA_VERSION;
use crate::protocol::methods::{Ask, Get, HistoryResult, PauseResult, TaskRef, TaskResult, WhyResult, WriteResult};
use crate::protocol::objects::{Task, Time};

/// The tasks that are meant.
#[derive(Debug, Args)]
pub(crate) struct Named {
    /// Number, range (5-7), beginning of the id, or words of the title
    #[arg(value_name = "TASK", required = true)]
    tasks: Vec<String>,
}

/// The tasks that are meant: by their names, or by what is true of them.
#[derive(Debug, Args)]
pub(crate) struct Chosen {
    /// Number, range (5-7), beginning of the id, or words of the title; or a tag: +home
    #[arg(value_name = "TASK", required_unless_present_any = [
        "stage", "text", "due", "before", "after", "series", "one_shot", "attention", "tag",
    ])]
    tasks: Vec<String>,
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

/// The tasks that are meant: by their names, by what is true of them, or many at once.
#[derive(Debug, Args)]
pub(crate) struct Several {
    /// Number, range (5-7), beginning of the id, or words of the title
    #[arg(value_name = "TASK", required_unless_present_any = [
        "all", "tag", "stage", "text", "due", "before", "after", "series", "one_shot", "attention",
    ])]
    tasks: Vec<String>,
    /// What is true of them.
    #[command(flatten)]
    filter: Filter,
    /// How the change is made.
    #[command(flatten)]
    care: Care,
    /// All tasks; of a named series, all its times
    #[arg(long, conflicts_with = "tag")]
    pub(crate) all: bool,
    /// All tasks with this tag
    #[arg(long, value_name = "TAG", conflicts_with = "tasks")]
    pub(crate) tag: Option<String>,
}

/// The tasks that are meant, or the one that is due.
#[derive(Debug, Args)]
pub(crate) struct NamedOrDue {
    /// Number, range (5-7), beginning of the id, or words of the title; or a tag: +home; without it the one that is due
    #[arg(value_name = "TASK")]
    tasks: Vec<String>,
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

impl Named {
    /// Returns what each task is called.
    ///
    /// # Errors
    /// A range is wrong.
    pub(crate) fn names(&self) -> Result<Vec<String>, CliError> {
        Ok(names::names(&self.tasks)?)
    }
}

impl NamedOrDue {
    /// Returns what was typed.
    pub(crate) fn typed(&self) -> Typed<'_> {
        Typed { words: &self.tasks, filter: &self.filter, tags: &self.tags.tag, care: self.care }
    }
}

impl Chosen {
    /// Returns what was typed.
    pub(crate) fn typed(&self) -> Typed<'_> {
        Typed { words: &self.tasks, filter: &self.filter, tags: &self.tags.tag, care: self.care }
    }
}

impl Several {
    /// Returns whether many are meant at once, and what is added later too.
    pub(crate) const fn is_many(&self) -> bool {
        self.tag.is_some() || self.all && self.tasks.is_empty()
    }

    /// Gives the words to `part`, which keeps of them what names tasks.
    pub(crate) fn part<T>(
        &mut self,
        part: impl FnOnce(&[String]) -> Result<(Vec<String>, T), CliError>,
    ) -> Result<T, CliError> {
        let had_names = !self.tasks.is_empty();
        let (names, rest) = part(&self.tasks)?;
        self.tasks = names;
        let is_said = self.all || self.tag.is_some() || !self.filter.is_empty();
        if had_names && self.tasks.is_empty() && !is_said {
            return Err(CliError::usage(
                "cannot tell which task is meant: only a time is said",
                "the task stands before it, such as 3 2h; --all means all",
            ));
        }
        Ok(rest)
    }

    /// Returns whether the question which tasks or times are meant is answered beforehand.
    pub(crate) const fn is_agreed(&self) -> bool {
        self.care.yes
    }

    /// Returns whether tasks are named beside all of them.
    pub(crate) const fn names_some_and_all(&self) -> bool {
        self.all && !self.tasks.is_empty()
    }

    /// Returns what was typed.
    pub(crate) fn typed(&self) -> Typed<'_> {
        Typed { words: &self.tasks, filter: &self.filter, tags: &[], care: self.care }
    }
}

/// An answer that is about one task.
pub(crate) trait AboutTask: Serialize {
    /// Whether it tells of a change, rather than answering a question.
    const IS_CHANGE: bool;

    /// Returns the task.
    fn task(&self) -> &Task;
    /// Returns the daemon's time.
    fn now(&self) -> Time;
    /// Returns what the person should know besides.
    fn warnings(&self) -> &[String];
}

impl AboutTask for WriteResult {
    const IS_CHANGE: bool = true;

    fn task(&self) -> &Task {
        &self.task
    }

    fn now(&self) -> Time {
        self.now
    }

    fn warnings(&self) -> &[String] {
        &self.warnings
    }
}

/// What became of one task, of what may be asked of many too: programs find the same fields either way.
#[derive(Debug, Serialize)]
pub(crate) struct One {
    /// What became of it.
    #[serde(flatten)]
    pub(crate) written: WriteResult,
    tasks: Vec<u64>,
}

/// What became of many, with the fields of [`One`].
#[derive(Debug, Serialize)]
struct Many<'a> {
    #[serde(flatten)]
    result: &'a PauseResult,
    dependents: [u64; 0],
    dependents_total: u64,
    follower: Option<u64>,
}

impl From<WriteResult> for One {
    fn from(written: WriteResult) -> Self {
        let tasks = if written.changed { vec![written.task.number] } else { Vec::new() };
        Self { written, tasks }
    }
}

impl<'a> From<&'a PauseResult> for Many<'a> {
    fn from(result: &'a PauseResult) -> Self {
        Self { result, dependents: [], dependents_total: 0, follower: None }
    }
}

impl AboutTask for One {
    const IS_CHANGE: bool = true;

    fn task(&self) -> &Task {
        &self.written.task
    }

    fn now(&self) -> Time {
        self.written.now
    }

    fn warnings(&self) -> &[String] {
        &self.written.warnings
    }
}

impl AboutTask for TaskResult {
    const IS_CHANGE: bool = false;

    fn task(&self) -> &Task {
        &self.task
    }

    fn now(&self) -> Time {
        self.now
    }

    fn warnings(&self) -> &[String] {
        &self.warnings
    }
}

impl AboutTask for HistoryResult {
    const IS_CHANGE: bool = false;

    fn task(&self) -> &Task {
        &self.task
    }

    fn now(&self) -> Time {
        self.now
    }

    fn warnings(&self) -> &[String] {
        &[]
    }
}

impl AboutTask for WhyResult {
    const IS_CHANGE: bool = false;

    fn task(&self) -> &Task {
        &self.task
    }

    fn now(&self) -> Time {
        self.now
    }

    fn warnings(&self) -> &[String] {
        &[]
    }
}

/// Collects what became of each, since programs get one JSON value however many there were.
pub(crate) struct Tally {
    is_single: bool,
    has_changed: bool,
    results: Vec<Value>,
    exit: Exit,
    /// What is said of several at the end, where it is not said behind each.
    remarks: Option<Remarks>,
    /// Which line of what is read is the next.
    line: Option<usize>,
    /// Whether what is said of each says already that it can be taken back.
    tells_undo: bool,
}

impl Tally {
    /// Returns a tally of one thing, whose answer stands alone, or of several, whose answers stand in `results`.
    pub(crate) const fn new(is_single: bool) -> Self {
        Self {
            is_single,
            has_changed: false,
            results: Vec::new(),
            exit: Exit::Done,
            remarks: None,
            line: None,
            tells_undo: false,
        }
    }

    /// Returns a tally of what is added line by line: what is said of several is said once.
    pub(crate) fn of_lines() -> Self {
        Self { remarks: Some(Remarks::default()), ..Self::new(false) }
    }

    /// Says which line is the next, by its number.
    pub(crate) const fn at_line(&mut self, line: usize) {
        self.line = Some(line);
    }

    fn place(&self) -> Option<String> {
        self.line.map(|line| format!("line {line}"))
    }

    /// Tells what became of one of them; `name` is what the person called it.
    pub(crate) fn add<T: AboutTask>(
        &mut self,
        context: &mut Context<'_>,
        name: Option<&str>,
        result: Result<T, CliError>,
        lines: impl FnOnce(&T, Viewpoint, Option<usize>) -> Vec<Text>,
    ) -> Option<T> {
        match result {
            Ok(answer) => {
                self.has_changed |= T::IS_CHANGE;
                if context.ui.form() == Form::Json && !self.is_single {
                    self.results.push(json!(answer));
                } else {
                    let view = context.viewpoint(answer.now());
                    if context.ui.form() == Form::Id {
                        context.ui.print(&[answer.task().id.as_str().into()]);
                    }
                    let lines = |width| lines(&answer, view, width);
                    let place = self.place();
                    let warnings = match (&mut self.remarks, place) {
                        (Some(remarks), Some(place)) => {
                            remarks.add(&place, answer.warnings().iter().cloned());
                            &[]
                        }
                        (_, _) => answer.warnings(),
                    };
                    if T::IS_CHANGE {
                        context.confirm(&answer, warnings, lines);
                    } else {
                        context.answer(&answer, warnings, lines);
                    }
                }
                Some(answer)
            }
            Err(error) => {
                if context.ui.form() == Form::Json && !self.is_single {
                    let mut value = error.to_json();
                    value["name"] = json!(name);
                    if let Some(line) = self.line {
                        value["line"] = json!(line);
                    }
                    self.results.push(value);
                } else if let Some(place) = self.place() {
                    context.ui.error(&format!("{place}: {error}"), error.hint().as_deref());
                } else {
                    context.fail(&error);
                }
                self.exit = self.exit.or(error.exit());
                None
            }
        }
    }

    /// Gives the JSON of several, and returns how keiko ends: as the first that failed says.
    pub(crate) fn finish(self, context: &mut Context<'_>) -> Exit {
        if context.ui.form() == Form::Json && !self.is_single {
            context.ui.json(&json!({ "schema_version": SCHEMA_VERSION, "results": self.results }));
        }
        if let Some(remarks) = self.remarks {
            remarks.tell(context);
        }
        if self.has_changed && !self.tells_undo && context.ui.form() == Form::Human && context.ui.can_ask() {
            context.ui.hint(say::UNDO);
        }
        self.exit
    }
}

/// Asks the same of each task and tells each answer.
pub(crate) fn each<A: Ask>(
    context: &mut Context<'_>,
    names: &[String],
    question: impl Fn(TaskRef) -> A,
    lines: impl Fn(&A::Answer, Viewpoint, Option<usize>) -> Vec<Text>,
) -> Exit
where
    A::Answer: AboutTask,
{
    let mut tally = Tally::new(names.len() == 1);
    for name in names {
        let result = context.ask(&question(TaskRef(name.clone())));
        tally.add(context, Some(name), result, &lines);
    }
    tally.finish(context)
}

/// Changes each task that is meant, or the one that is due where none is named, and says what changed.
pub(crate) fn change_each_or_due<A: Ask<Answer = WriteResult>>(
    context: &mut Context<'_>,
    typed: Typed<'_>,
    what: Change,
    question: impl Fn(Option<TaskRef>) -> A,
) -> Result<Exit, CliError> {
    let (names, is_single) = match typed.meant(what, context)? {
        Meant::Nothing(exit) => return Ok(exit),
        Meant::Found(numbers) => (numbers.into_iter().map(Some).collect(), false),
        Meant::Named(names) if names.is_empty() => (vec![None], true),
        Meant::Named(names) => {
            let is_single = names.len() == 1;
            (names.into_iter().map(Some).collect(), is_single)
        }
    };
    let mut tally = Tally::new(is_single);
    context.begin_op(names.len());
    for name in names {
        let result = context.ask(&question(name.clone().map(TaskRef)));
        tally.add(context, name.as_deref(), result, |answer, view, _| change(what, answer, view));
    }
    Ok(tally.finish(context))
}

/// Changes each task that is meant and says what changed.
pub(crate) fn change_chosen<A: Ask<Answer = WriteResult>>(
    context: &mut Context<'_>,
    typed: Typed<'_>,
    what: Change,
    question: impl Fn(TaskRef) -> A,
) -> Result<Exit, CliError> {
    let (names, is_single) = match called(context, typed, what)? {
        Ok(names) => names,
        Err(exit) => return Ok(exit),
    };
    Ok(change_all(context, &names, is_single, what, question))
}

/// Changes each task that is named, or many at once, and says what changed.
pub(crate) fn change_each_or_many<A: Ask<Answer = PauseResult>>(
    context: &mut Context<'_>,
    which: &Several,
    what: Change,
    question: impl Fn(Option<TaskRef>) -> A,
) -> Result<Exit, CliError> {
    if which.is_many() {
        return change_many(context, which, what, &question(None));
    }
    let (names, is_single) = match called(context, which.typed(), what)? {
        Ok(names) => names,
        Err(exit) => return Ok(exit),
    };
    let mut tally = Tally::new(is_single);
    context.begin_op(names.len());
    for name in names {
        let result = ask_of_one(context, &name, &question(Some(TaskRef(name.clone()))));
        let result = result.map(One::from);
        tally.add(context, Some(&name), result, |answer, view, _| change(what, &answer.written, view));
    }
    Ok(tally.finish(context))
}

/// What tasks are called, and whether it is one that was named.
pub(crate) type Called = (Vec<String>, bool);

/// Returns what the tasks are called that are meant, or how keiko ends where none is to be changed.
pub(crate) fn called(
    context: &mut Context<'_>,
    typed: Typed<'_>,
    what: Change,
) -> Result<Result<Called, Exit>, CliError> {
    Ok(match typed.meant(what, context)? {
        Meant::Nothing(exit) => Err(exit),
        Meant::Found(numbers) => Ok((numbers, false)),
        Meant::Named(names) => {
            let is_single = names.len() == 1;
            Ok((names, is_single))
        }
    })
}

/// Changes many tasks at once and says which changed.
pub(crate) fn change_many<A: Ask<Answer = PauseResult>>(
    context: &mut Context<'_>,
    which: &Several,
    what: Change,
    question: &A,
) -> Result<Exit, CliError> {
    if !which.filter.is_empty() || which.care.dry_run {
        return Err(CliError::usage(
            "cannot use a filter beside --all and --tag: those stand for what is added later too",
            "leave out --all or --tag; a filter means the tasks that there are now",
        ));
    }
    let marked = Mark::of(context)?;
    let answer = context.ask(question)?;
    marked.tell(context, &answer.op_id)?;
    // One of them tells until when, which the answer about all does not; without it that goes unsaid, no more.
    let first = answer.tasks.first().filter(|_| what == Change::Paused && context.ui.form() == Form::Human);
    let first = first.and_then(|number| context.ask(&Get { task: TaskRef(number.to_string()) }).ok());
    let view = context.viewpoint(answer.now);
    let first = first.map(|first| first.task);
    context.confirm(&Many::from(&answer), &answer.warnings, |_| vec![of_many(what, &answer, first.as_ref(), view)]);
    Ok(Exit::Done)
}

/// Asks something of one task that can be asked of many.
pub(crate) fn ask_of_one<A: Ask<Answer = PauseResult>>(
    context: &mut Context<'_>,
    name: &str,
    question: &A,
) -> Result<WriteResult, CliError> {
    context.ask(question)?.into_one().map_err(|_| of_another_daemon(name))
}

fn of_another_daemon(name: &str) -> CliError {
    CliError::usage(
        format!("cannot tell what became of task {name}: the daemon answered about many"),
        "keiko daemon stop, then keiko: that starts the daemon of this program",
    )
}

fn change_all<A: Ask<Answer = WriteResult>>(
    context: &mut Context<'_>,
    names: &[String],
    is_single: bool,
    what: Change,
    question: impl Fn(TaskRef) -> A,
) -> Exit {
    let mut tally = Tally { tells_undo: what == Change::Deleted, ..Tally::new(is_single) };
    context.begin_op(names.len());
    for name in names {
        let result = context.ask(&question(TaskRef(name.clone())));
        tally.add(context, Some(name), result, |answer, view, _| change(what, answer, view));
    }
    tally.finish(context)
}
