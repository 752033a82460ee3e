//! What does a program see of commands and their runs? Values of variables are never among it: they may be secret.

use chrono_tz::Tz;

use crate::domain::event::Snapshot;
use crate::domain::run::{Line, Output, Program, Run, RunEnd, RunStatus};
use crate::domain::secret::Secret;
use crate::domain::state::State;
use crate::domain::time::Timestamp;
use crate::protocol::to_wire::{name, time};
use crate::protocol::{bytes, objects};

/// Returns a command, its variables by their names only.
#[must_use]
pub fn command(program: &Program) -> objects::Command {
    let (arguments, shell) = match &program.line {
        Line::Arguments(arguments) => (Some(arguments.clone()), None),
        Line::Shell(text) => (None, Some(text.clone())),
    };
    let limits = program.limits;
    objects::Command {
        arguments,
        shell,
        directory: program.directory.clone(),
        env: program.environment.keys().cloned().collect(),
        timeout_s: program.timeout.map(|timeout| timeout.as_millis() / 1000),
        overlap: program.overlap.as_str().to_owned(),
        nice: program.nice,
        limits: objects::CommandLimits {
            memory_bytes: limits.memory_bytes,
            cpu_s: limits.cpu_s,
            processes: limits.processes,
            files: limits.files,
        },
        ping: program.ping.as_ref().map(Secret::shown_address),
    }
}

/// Tells in a task's object what its runs, oldest first, have come to at its present occurrence.
pub fn tell_runs(told: &mut objects::Task, snapshot: &Snapshot, runs: &[Run]) {
    if snapshot.task.details.command.is_none() {
        return;
    }
    let occurrence = snapshot.occurrence.name();
    let attempts = || runs.iter().filter(|run| run.occurrence == occurrence && run.attempt > 0);
    told.attempts = attempts().map(|run| run.attempt).max().unwrap_or(0);
    let mut ends = attempts().filter_map(|run| match &run.status {
        RunStatus::Ended { end, .. } => Some(end),
        RunStatus::Queued | RunStatus::Starting | RunStatus::Running { .. } | RunStatus::Ending { .. } => None,
    });
    if let Some(end) = ends.next_back() {
        // What a person ended is no trouble.
        let is_trouble = !end.is_success() && !matches!(end, RunEnd::Stopped | RunEnd::Withdrawn);
        told.last_error = is_trouble.then(|| end.to_string());
    }
    told.progress = attempts().rfind(|run| !run.is_over()).and_then(progress);
}

/// Returns a run.
#[must_use]
pub fn run(run: &Run, zone: Tz) -> objects::Run {
    let told = |at: Timestamp| time(at, zone);
    let (status, since, pid, ended) = match &run.status {
        RunStatus::Queued => ("queued", None, None, None),
        RunStatus::Starting => ("starting", None, None, None),
        RunStatus::Running { since, process } => ("running", Some(*since), Some(process.pid), None),
        RunStatus::Ending { since, process } => ("ending", *since, process.map(|process| process.pid), None),
        RunStatus::Ended { since, at, end } => ("ended", *since, None, Some((*at, end))),
    };
    objects::Run {
        id: run.id.to_string(),
        attempt: run.attempt,
        occurrence: name(run.occurrence),
        status: status.to_owned(),
        created_at: told(run.created_at),
        since: since.map(told),
        ended_at: ended.map(|(at, _)| told(at)),
        pid,
        end: ended.map(|(_, end)| end_of(end)),
        checkpoint: run.checkpoint.clone(),
        resumes_from: run.resumes_from.clone(),
        progress: progress(run),
    }
}

/// Returns a command that failed for good; nothing of what has not.
#[must_use]
pub fn failed(snapshot: &Snapshot, end: Option<&RunEnd>, zone: Tz) -> Option<objects::CommandFailed> {
    let at = match &snapshot.occurrence.state {
        State::Cancelled(ended) => ended.at,
        State::Created
        | State::Pending(_)
        | State::Running(_)
        | State::Suspended(_)
        | State::Failed(_)
        | State::Completed(_) => return None,
    };
    Some(objects::CommandFailed {
        number: snapshot.task.number.typed(),
        title: snapshot.task.details.title.clone(),
        occurrence: name(snapshot.occurrence.name()),
        at: time(at, zone),
        error: end.map(ToString::to_string),
    })
}

/// Returns how many of the runs that are not over have been started, and wait.
#[must_use]
pub fn counts(open: &[Run]) -> objects::RunCounts {
    let waiting = open.iter().filter(|run| run.status == RunStatus::Queued).count();
    objects::RunCounts { running: (open.len() - waiting) as u64, waiting: waiting as u64 }
}

fn progress(run: &Run) -> Option<objects::Progress> {
    let progress = run.progress.as_ref()?;
    Some(objects::Progress { percent: progress.percent, text: progress.text.clone() })
}

fn end_of(end: &RunEnd) -> objects::RunEnd {
    let (how, code, error) = end.parts();
    objects::RunEnd { how: how.to_owned(), code, error: error.map(str::to_owned), text: end.to_string() }
}

/// What a run has said, as JSON can hold it.
pub struct Said {
    /// It, with U+FFFD in place of what is no UTF-8.
    pub text: String,
    /// It whole, where it is no UTF-8.
    pub base64: Option<String>,
}

/// Returns what a run has said.
#[must_use]
pub fn said(output: &Output) -> Said {
    // What was not kept may have cut a character in two.
    let cut = if output.dropped > 0 {
        output.tail.iter().take(3).take_while(|byte| **byte & 0xC0 == 0x80).count()
    } else {
        0
    };
    let tail = &output.tail[cut..];
    match std::str::from_utf8(tail) {
        Ok(text) => Said { text: text.to_owned(), base64: None },
        Err(_) => Said { text: String::from_utf8_lossy(tail).into_owned(), base64: Some(bytes::encode(&output.tail)) },
    }
}
