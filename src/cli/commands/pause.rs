//! `keiko pause`: stops the clocks of tasks.

use clap::Args;

use crate::cli::commands::each::{One, Several, Tally, ask_of_one, called, change_many};
use crate::cli::commands::times::{Meant, Said, Times};
use crate::cli::commands::trailing::{Number, Time, split};
use crate::cli::context::Context;
use crate::cli::error::{CliError, Exit};
use crate::cli::render::change::{Change, change};
use crate::protocol::methods::{self, SeriesScope, TaskRef};

/// Pauses tasks until they are resumed
///
/// A time may follow the tasks, as behind --for and --until. While a task is paused its clock does not count and nothing rings. While all tasks, or all with a tag, are paused,
/// what is added meanwhile sleeps too. With --this one time of a series does not ring, and the next does.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  keiko pause 3\n  keiko pause 3 5-7 --for 2h\n  \
    keiko pause 3 until monday 9am\n  keiko pause --tag work --until monday\n  keiko pause --all")]
pub(crate) struct Pause {
    /// Which tasks.
    #[command(flatten)]
    which: Several,
    /// Which times of a series.
    #[command(flatten)]
    times: Times,
    /// Resume by itself after so long, such as 2h
    #[arg(long = "for", value_name = "TIME", conflicts_with = "until")]
    for_: Option<String>,
    /// Resume by itself at a time, such as "monday 9am"
    #[arg(long, value_name = "TIME")]
    until: Option<String>,
    /// The zone in which --until is read
    #[arg(long, value_name = "ZONE")]
    tz: Option<String>,
}

impl Pause {
    /// Reads a time behind the tasks as the option that it stands for, so that no task is paused for ever beside it.
    fn read_time(&mut self) -> Result<(), CliError> {
        if self.for_.is_some() || self.until.is_some() {
            return Ok(());
        }
        let time = self.which.part(|words| {
            let meant = split(words, Number::IsTask)?;
            Ok((meant.names, meant.time))
        })?;
        match time {
            Some(Time::For(length)) => self.for_ = Some(length),
            Some(Time::Until(until)) => self.until = Some(until),
            None => {}
        }
        Ok(())
    }

    /// Asks it of each task, or of many at once.
    pub(crate) fn run(mut self, context: &mut Context<'_>) -> Result<Exit, CliError> {
        self.read_time()?;
        let zone = self.tz.clone().unwrap_or_else(|| context.zone.name().to_owned());
        let question = |task: Option<&str>, scope: Option<SeriesScope>, occurrence, preview| methods::Pause {
            task: task.map(TaskRef::from),
            all: task.is_none() && self.which.all,
            tag: self.which.tag.clone(),
            occurrence,
            r#for: self.for_.clone(),
            until: self.until.clone(),
            zone: Some(zone.clone()),
            scope,
            preview,
            key: None,
        };
        if self.which.is_many() {
            return change_many(
                context,
                &self.which,
                Change::Paused,
                &question(None, self.times.said(false), None, false),
            );
        }
        let said = Said { all: self.which.all, yes: self.which.is_agreed() || self.which.typed().is_filtered() };
        let (names, is_single) = match called(context, self.which.typed(), Change::Paused)? {
            Ok(names) => names,
            Err(exit) => return Ok(exit),
        };
        let mut tally = Tally::new(is_single);
        context.begin_op(names.len());
        for name in names {
            let meant = self.times.meant(context, &name, said, |context, scope| {
                ask_of_one(context, &name, &question(Some(&name), Some(scope), None, true))
            });
            let result = match meant {
                Ok(None) => continue,
                Ok(Some(Meant { scope, occurrence })) => {
                    ask_of_one(context, &name, &question(Some(&name), scope, occurrence, false))
                }
                Err(error) => Err(error),
            };
            let result = result.map(One::from);
            tally.add(context, Some(&name), result, |answer, view, _| change(Change::Paused, &answer.written, view));
        }
        Ok(tally.finish(context))
    }
}
