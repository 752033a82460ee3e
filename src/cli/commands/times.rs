//! Which times of a series does a person mean? By a flag, else asked on a terminal with what each answer would do.

use clap::Args;

use crate::cli::context::Context;
use crate::cli::error::CliError;
use crate::cli::render::say;

use crate::cli::render::times::{after, before};
use crate::protocol::methods::{Get, SeriesScope, TaskRef, WriteResult};
use crate::protocol::objects::Task;

/// Each answer with the words for it.
const ANSWERS: [(&str, SeriesScope); 3] =
    [("this", SeriesScope::This), ("following", SeriesScope::Following), ("all", SeriesScope::All)];

/// How often a person is asked who answers something else.
const QUESTIONS_MAX: usize = 3;

/// Which times of a series are meant.
#[derive(Clone, Debug, Args)]
pub(crate) struct Times {
    /// Of a series: this time only
    #[arg(long, conflicts_with_all = ["following", "all"], help_heading = "Which times of a series")]
    this: bool,
    /// Of a series: this time and all behind it
    #[arg(long, conflicts_with = "all", help_heading = "Which times of a series")]
    following: bool,
}

/// What else was said of the times that are meant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Said {
    /// All of them.
    pub(crate) all: bool,
    /// Not to ask.
    pub(crate) yes: bool,
}

/// What a person means.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Meant {
    /// Which times; `None`: nobody said so.
    pub(crate) scope: Option<SeriesScope>,
    /// The occurrence that was shown when it was asked, so that no other one is taken for it.
    pub(crate) occurrence: Option<String>,
}

impl Times {
    /// Returns what the flags say.
    pub(crate) const fn said(&self, all: bool) -> Option<SeriesScope> {
        match (self.this, self.following, all) {
            (true, _, _) => Some(SeriesScope::This),
            (false, true, _) => Some(SeriesScope::Following),
            (false, false, true) => Some(SeriesScope::All),
            (false, false, false) => None,
        }
    }

    /// Returns which times of the task `name` are meant; `None`: none, the person thought better of it.
    ///
    /// Asked only of a series, on a terminal, where no flag says it. `preview` says what an answer would do.
    ///
    /// # Errors
    /// The task cannot be found, or the person cannot be understood.
    pub(crate) fn meant(
        &self,
        context: &mut Context<'_>,
        name: &str,
        said: Said,
        preview: impl Fn(&mut Context<'_>, SeriesScope) -> Result<WriteResult, CliError>,
    ) -> Result<Option<Meant>, CliError> {
        let Said { all, yes } = said;
        let said = Meant { scope: self.said(all), occurrence: None };
        if said.scope.is_some() || yes || !context.ui.may_ask() {
            return Ok(Some(said));
        }
        let seen = context.ask(&Get { task: TaskRef(name.to_owned()) })?;
        if !seen.task.is_series() || !seen.task.is_open() {
            return Ok(Some(said));
        }
        let view = context.viewpoint(seen.now);
        let mut lines = before(&seen.task, view);
        let (mut possible, mut refused) = (Vec::new(), None);
        for (word, scope) in ANSWERS {
            let answer = preview(context, scope);
            lines.push(after(word, answer.as_ref().map_err(ToString::to_string), view));
            match answer {
                Ok(_) => possible.push((word, scope)),
                Err(error) => refused = refused.or(Some(error)),
            }
        }
        if let Some(refused) = refused.filter(|_| possible.is_empty()) {
            return Err(refused);
        }
        context.ui.explain(&lines);
        let occurrence = Some(occurrence(&seen.task));
        Ok(ask(context, &seen.task, &possible)?.map(|scope| Meant { scope: Some(scope), occurrence }))
    }
}

fn occurrence(task: &Task) -> String {
    format!("{}~{}", task.occurrence.key, task.occurrence.generation)
}

fn ask(
    context: &mut Context<'_>,
    task: &Task,
    possible: &[(&str, SeriesScope)],
) -> Result<Option<SeriesScope>, CliError> {
    let words: Vec<&str> = possible.iter().map(|(word, _)| *word).collect();
    for _ in 0..QUESTIONS_MAX {
        let line = context.ui.ask(&say::which_times(&words));
        let line = line.map_err(|source| CliError::Input { source })?.unwrap_or_default();
        let answer = line.trim().to_lowercase();
        if answer.is_empty() || "no".starts_with(&answer) {
            context.ui.progress(say::NOTHING_CHANGED);
            return Ok(None);
        }
        if let Some((_, scope)) = possible.iter().find(|(word, _)| word.starts_with(&answer)) {
            return Ok(Some(*scope));
        }
    }
    Err(CliError::usage(
        format!("cannot tell which times of task {} are meant: expected {} or no", task.number, words.join(", ")),
        format!("say it with --{}", words.join(" or --")),
    ))
}
