//! `keiko wait`: ends when tasks have fired or are done, for scripts that go on then.

use std::collections::BTreeMap;

use clap::Args;

use crate::cli::commands::each::{AboutTask, Named, Tally};
use crate::cli::context::Context;
use crate::cli::error::{CliError, Exit};
use crate::cli::render::say;
use crate::cli::render::wait::line;
use crate::cli::ui::Form;
use crate::client::ClientError;
use crate::domain::time::{Span, Timestamp};
use crate::protocol::envelope;
use crate::protocol::methods::{self, Get, Hello, TaskRef, WaitFor, WaitOutcome, WaitResult};
use crate::protocol::objects::{Task, Time};
use crate::when::{TimeError, parse_span};

/// How many waits are begun before their answers are read: what is asked for must fit into the socket, since the daemon
/// does not read on while it answers.
const BEGUN_AT_ONCE: usize = 25;

/// Waits until tasks have fired or are done
///
/// Fired: it rings at its due or behind it, or comes up in silence where it has no alert there. What is due now has fired;
/// of what is ahead, snoozed or paused it is the next time. An early alert does not count. Done: somebody or a program has
/// done it; to pass unanswered does not count. Of a series it is the open time, and the one that takes its place where it is
/// given another time.
///
/// Several tasks are all waited for. The exit code is 0 when each happened, 1 when one ended otherwise (cancelled, skipped,
/// deleted, failed, missed), 124 when the time was over, 130 after Ctrl-C, which changes nothing. A daemon that goes away is waited for a minute; it is not started
/// anew.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  keiko wait 12 && make release\n  keiko wait 3 5-7 --for done --timeout 2h")]
pub(crate) struct Wait {
    /// Which tasks.
    #[command(flatten)]
    named: Named,
    /// What to wait for
    #[arg(long = "for", value_name = "WHAT", value_enum, default_value_t)]
    awaited: What,
    /// How long at most: 5m, 1h 30m
    #[arg(long, value_name = "SPAN")]
    timeout: Option<String>,
}

/// What is waited for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, clap::ValueEnum)]
enum What {
    /// It rings, or is due in silence
    #[default]
    Fired,
    /// It is done
    Done,
}

/// A task that is waited for.
struct Awaited {
    /// What the person called it.
    name: String,
    id: String,
    /// The occurrence that is meant, also after a restart of the daemon.
    occurrence: String,
}

/// Reads how long is waited; what proposes a time of the clock proposes what is none.
fn length(text: &str) -> Result<Span, CliError> {
    parse_span(text).map_err(|error| match error {
        TimeError::Missing { words, span } => CliError::Time(TimeError::Impossible {
            words,
            span,
            reason: say::EXPECTED_LENGTH,
            proposal: Some("10m".to_owned()),
        }),
        other => CliError::Time(other),
    })
}

impl Wait {
    /// Waits for all, each told when it has happened.
    pub(crate) fn run(self, context: &mut Context<'_>) -> Result<Exit, CliError> {
        let timeout = self.timeout.as_deref().map(length).transpose()?;
        let names = self.named.names()?;
        let mut tally = Tally::new(names.len() == 1);
        let mut open = BTreeMap::new();
        let (mut ends_at, mut never) = (None, Vec::new());
        for (index, name) in names.into_iter().enumerate() {
            match context.ask(&Get { task: TaskRef(name.clone()) }) {
                Ok(found) => {
                    // By the daemon's clock, from the first answer on.
                    ends_at = ends_at.or_else(|| Some(found.now.instant().saturating_add(timeout?)));
                    never.extend(never_rings(&found.task).then_some(found.task.number));
                    let occurrence = &found.task.occurrence;
                    let occurrence = format!("{}~{}", occurrence.key, occurrence.generation);
                    open.insert(index, Awaited { name, id: found.task.id, occurrence });
                }
                Err(error) => drop(tally.add(context, Some(&name), Err::<WaitResult, _>(error), |_, _, _| Vec::new())),
            }
        }
        context.stay();
        let mut exit = Exit::Done;
        while !open.is_empty() {
            match self.wait(context, &mut open, ends_at, &mut never, &mut tally, &mut exit) {
                Err(error) if error.is_loss() => context.come_back()?,
                ended => ended?,
            }
        }
        Ok(tally.finish(context).or(exit))
    }

    /// Waits on one connection for what is open still.
    fn wait(
        &self,
        context: &mut Context<'_>,
        open: &mut BTreeMap<usize, Awaited>,
        ends_at: Option<Timestamp>,
        never: &mut Vec<u64>,
        tally: &mut Tally,
        exit: &mut Exit,
    ) -> Result<(), CliError> {
        let timeout_ms = match ends_at {
            Some(at) => Some(left(at, context.now()?)),
            None => None,
        };
        let mut calls = BTreeMap::new();
        let indexes: Vec<usize> = open.keys().copied().collect();
        for chunk in indexes.chunks(BEGUN_AT_ONCE) {
            for index in chunk {
                let Some(awaited) = open.get(index) else { continue };
                let question = methods::Wait {
                    task: TaskRef(awaited.id.clone()),
                    awaited: self.awaited.into(),
                    timeout_ms,
                    occurrence: Some(awaited.occurrence.clone()),
                };
                calls.insert(context.begin(&question)?, *index);
            }
            // Its answer says that all before it were taken.
            let last = context.begin(&Hello::default())?;
            while Some(last) != take_answer(context, &mut calls, open, tally, exit)? {}
        }
        // Once all are waited for: whoever reads it may go on.
        for number in never.drain(..) {
            context.ui.hint(&say::never_rings(number));
        }
        while !open.is_empty() {
            take_answer(context, &mut calls, open, tally, exit)?;
        }
        Ok(())
    }
}

/// Takes the next answer; returns the number of its call where that was no wait.
fn take_answer(
    context: &mut Context<'_>,
    calls: &mut BTreeMap<u64, usize>,
    open: &mut BTreeMap<usize, Awaited>,
    tally: &mut Tally,
    exit: &mut Exit,
) -> Result<Option<u64>, CliError> {
    let (number, outcome) = context.next_answer()?;
    let Some(index) = calls.remove(&number) else { return Ok(Some(number)) };
    let result = match outcome {
        Ok(result) => Ok(envelope::read_result::<methods::Wait>(&result).map_err(ClientError::from)?),
        Err(error) => Err(CliError::from(ClientError::Refused { error })),
    };
    match result {
        // The daemon stops, and the next one is asked anew.
        Err(error) if error.is_loss() => return Err(error),
        result => {
            let Some(awaited) = open.remove(&index) else { return Ok(None) };
            let is_quiet = context.ui.form() == Form::Quiet;
            let told =
                tally.add(
                    context,
                    Some(&awaited.name),
                    result,
                    |answer: &WaitResult, _, _| {
                        if is_quiet { Vec::new() } else { vec![line(answer)] }
                    },
                );
            *exit = exit.or(told.map_or(Exit::Done, |answer| match answer.result {
                WaitOutcome::Fired | WaitOutcome::Done => Exit::Done,
                WaitOutcome::Ended => Exit::Failure,
                WaitOutcome::TimedOut => Exit::TimedOut,
            }));
        }
    }
    Ok(None)
}

/// Returns whether it does not ring unless somebody gives it a time.
fn never_rings(task: &Task) -> bool {
    task.state == "CREATED" && task.waits_for.is_empty()
}

fn left(ends_at: Timestamp, now: Timestamp) -> u64 {
    u64::try_from(ends_at.since(now).max(Span::ZERO).as_millis()).unwrap_or(0)
}

impl From<What> for WaitFor {
    fn from(what: What) -> Self {
        match what {
            What::Fired => Self::Fired,
            What::Done => Self::Done,
        }
    }
}

impl AboutTask for WaitResult {
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
