//! `keiko run`: tries the command of a task now.

use clap::Args;

use crate::cli::context::Context;
use crate::cli::error::{CliError, Exit};
use crate::cli::render::run::{Flow, progress, said, took};
use crate::cli::render::task::title;
use crate::cli::render::text::{GOOD, NUMBER, Text};
use crate::cli::ui::Form;
use crate::protocol::bytes;
use crate::protocol::methods::{OutputGet, OutputResult, RunNow, RunNowResult, TaskRef};
use crate::protocol::objects::{Progress, Run};

/// Runs the command of a task now, and shows how it goes
///
/// It is one run besides the task's times: neither its state nor a time of it changes, and it is not tried again. Where its
/// command failed and waits for another attempt, that is made now. What it says is shown as it says it, with --json when it has
/// ended. Ctrl-C leaves the command running and ends with 130: keiko show N --output shows what it says then. The exit code is 0
/// where the command succeeded, 1 where it failed.
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
        let number = ordered.task.number;
        context
            .ui
            .say_when_interrupted(&format!("the command runs on: keiko show {number} --output shows what it says"));
        let end = follow(context, &ordered, run)?;
        tell_end(context, &end);
        if end.run.end.as_ref().is_some_and(|end| end.how == "not_started") {
            context.ui.hint(&format!(
                "keiko edit {number} changes what is run (-- COMMAND), where (--dir) and with which variables (--env)"
            ));
        }
        // Where nobody reads on its end is not waited for.
        let has_failed = end.run.end.as_ref().is_some_and(|end| !end.is_success());
        Ok(if has_failed { Exit::Failure } else { Exit::Done })
    }
}

fn began(ordered: &RunNowResult) -> Text {
    let mut line = Text::styled(GOOD, if ordered.run.is_some() { "running" } else { "already run" });
    line.push(" ");
    line.push_styled(NUMBER, &ordered.task.number.to_string());
    line.push("  ");
    line.append(title(&ordered.task));
    line
}

/// Gives what a run says as it says it, until it is over; a daemon that goes away meanwhile is waited for.
fn follow(context: &mut Context<'_>, ordered: &RunNowResult, run: &Run) -> Result<OutputResult, CliError> {
    let mut question = OutputGet {
        task: TaskRef(ordered.task.id.clone()),
        run: Some(run.id.clone()),
        attempt: None,
        raw: true,
        since: Some(0),
    };
    let mut shown = Shown::default();
    loop {
        let answer = match context.ask_patiently(&question) {
            Err(error) if error.is_loss() => {
                // Whoever stopped it is not thwarted.
                context.stay();
                context.come_back()?;
                continue;
            }
            answer => answer?,
        };
        question.since = Some(answer.said);
        shown.show(context, &answer);
        if !answer.live {
            if context.ui.form() == Form::Json {
                let whole = context.ask(&OutputGet { since: None, ..question })?;
                context.ui.json(&whole);
            }
            return Ok(answer);
        }
        if context.ui.is_closed() {
            // Whoever read has seen enough; the command goes on.
            return Ok(answer);
        }
    }
}

/// What is shown of a run already.
#[derive(Default)]
struct Shown {
    flow: Flow,
    progress: Option<Progress>,
}

impl Shown {
    /// Gives what it said since: as it came to a pipe, harmless to a terminal, and to programs not before its end.
    fn show(&mut self, context: &mut Context<'_>, answer: &OutputResult) {
        if context.ui.form() != Form::Json {
            tell_lost(context, answer);
            let said = bytes_of(answer);
            if context.ui.is_terminal() {
                let (lines, rest) = self.flow.next(&said);
                context.ui.print(&lines);
                context.ui.piece(&rest);
                if let Some(end) = (!answer.live).then(|| self.flow.end()).flatten() {
                    context.ui.print(&[end]);
                }
                // What it says of it is seen.
                return;
            }
            context.ui.bytes(&said);
        }
        if answer.run.progress.is_some() && answer.run.progress != self.progress {
            self.progress.clone_from(&answer.run.progress);
            if let Some(how_far) = &self.progress {
                context.ui.progress(&progress(how_far));
            }
        }
    }
}

fn bytes_of(output: &OutputResult) -> Vec<u8> {
    output.base64.as_deref().and_then(bytes::decode).unwrap_or_else(|| output.text.clone().into_bytes())
}

fn tell_lost(context: &mut Context<'_>, output: &OutputResult) {
    if output.dropped > 0 {
        context.ui.progress(&format!("{} bytes here were not kept", output.dropped));
    }
}

/// Gives what a run has said: as it came to a pipe, harmless to a terminal.
pub(crate) fn show(context: &mut Context<'_>, output: &OutputResult) {
    let whole = bytes_of(output);
    if output.dropped > 0 {
        context.ui.progress(&format!("the first {} bytes were not kept", output.dropped));
    }
    if context.ui.is_terminal() {
        context.ui.print(&said(&whole));
    } else {
        context.ui.bytes(&whole);
    }
}

fn tell_end(context: &mut Context<'_>, output: &OutputResult) {
    let Some(end) = &output.run.end else { return };
    let took = took(&output.run).map_or(String::new(), |took| format!(", took {took}"));
    context.ui.progress(&format!("{}{took}", end.text));
}
