//! `keiko run`: tries the command of a task now.

use clap::Args;

use crate::cli::context::Context;
use crate::cli::error::{CliError, Exit};
use crate::cli::render::run::{progress, said, took};
use crate::cli::render::say;
use crate::cli::render::task::title;
use crate::cli::render::text::{GOOD, NUMBER, Text};
use crate::cli::ui::Form;
use crate::protocol::bytes;
use crate::protocol::methods::{EventSubscribe, OutputGet, OutputResult, RunNow, RunNowResult, TaskRef};
use crate::protocol::objects::{Event, Progress, Run, RunEnd};

/// Runs the command of a task now, and shows how it goes
///
/// It is one run besides the task's times: neither its state nor a time of it changes, and it is not tried again. Where its
/// command failed and waits for another attempt, that is made now. What it says is shown when it has ended; Ctrl-C leaves it
/// running. The exit code is 0 where the command succeeded, 1 where it failed.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  keiko run 7\n  keiko run backup --no-wait && keiko show backup --output")]
pub(crate) struct RunCommand {
    /// Number, beginning of the id, or words of the title
    #[arg(value_name = "TASK")]
    task: String,
    /// Do not wait for its end
    #[arg(long)]
    no_wait: bool,
    /// An idempotency key: sent twice, run once
    #[arg(long, value_name = "KEY")]
    key: Option<String>,
}

impl RunCommand {
    /// Orders the run, and follows it to its end.
    pub(crate) fn run(self, context: &mut Context<'_>) -> Result<Exit, CliError> {
        let question = RunNow { task: TaskRef(self.task), occurrence: None, key: self.key };
        let ordered = context.ask(&question)?;
        let Some(run) = ordered.run.as_ref().filter(|_| !self.no_wait) else {
            context.confirm(&ordered, &ordered.warnings, |_| vec![began(&ordered)]);
            return Ok(Exit::Done);
        };
        let output = follow(context, &ordered, run)?;
        if context.ui.form() == Form::Json {
            context.ui.json(&output);
        } else {
            show(context, &output);
            tell_end(context, &output);
        }
        let has_succeeded = output.run.end.as_ref().is_some_and(RunEnd::is_success);
        Ok(if has_succeeded { Exit::Done } else { Exit::Failure })
    }
}

fn began(ordered: &RunNowResult) -> Text {
    let mut line = Text::styled(GOOD, say::run_began(ordered.run.is_some()));
    line.push(" ");
    line.push_styled(NUMBER, &ordered.task.number.to_string());
    line.push("  ");
    line.append(title(&ordered.task));
    line
}

/// Waits until a run is over, and returns what it said; a daemon that goes away meanwhile is waited for.
fn follow(context: &mut Context<'_>, ordered: &RunNowResult, run: &Run) -> Result<OutputResult, CliError> {
    let question =
        OutputGet { task: TaskRef(ordered.task.id.clone()), run: Some(run.id.clone()), attempt: None, raw: true };
    let mut since = ordered.cursor;
    loop {
        match follow_on(context, &question, &mut since) {
            Err(error) if error.is_loss() => {
                // Whoever stopped it is not thwarted.
                context.stay();
                context.come_back()?;
            }
            ended => return ended,
        }
    }
}

fn follow_on(context: &mut Context<'_>, question: &OutputGet, since: &mut u64) -> Result<OutputResult, CliError> {
    context.ask(&EventSubscribe { since: Some(*since) })?;
    loop {
        let event = context.next_event()?;
        *since = event.seq;
        if event.task_id.as_deref() != Some(question.task.0.as_str()) {
            continue;
        }
        match event.operation.as_str() {
            "run_started" => {}
            "progressed" => {
                if let Some(how_far) = progress_of(&event) {
                    context.ui.progress(&progress(&how_far));
                }
            }
            // Its own end, or something that ends it.
            _ => {
                let output = context.ask(question)?;
                if !output.live {
                    return Ok(output);
                }
            }
        }
    }
}

fn progress_of(event: &Event) -> Option<Progress> {
    serde_json::from_value(event.values.clone()).ok()
}

/// Gives what a run has said: as it came to a pipe, harmless to a terminal.
pub(crate) fn show(context: &mut Context<'_>, output: &OutputResult) {
    let whole = output.base64.as_deref().and_then(bytes::decode).unwrap_or_else(|| output.text.clone().into_bytes());
    if output.dropped > 0 {
        context.ui.progress(&say::not_kept(output.dropped));
    }
    if context.ui.is_terminal() {
        context.ui.print(&said(&whole));
    } else {
        context.ui.bytes(&whole);
    }
}

fn tell_end(context: &mut Context<'_>, output: &OutputResult) {
    let Some(end) = &output.run.end else { return };
    context.ui.progress(&say::run_ended(&end.text, took(&output.run).as_deref()));
}
