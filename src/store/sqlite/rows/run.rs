//! How a command and its runs lie in their rows.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::domain::run::{Limits, Line, Overlap, Process, Program, Progress, Run, RunEnd, RunId, RunStatus};
use crate::domain::secret::Secret;
use crate::domain::task::TaskId;
use crate::domain::time::Span;
use crate::store::sqlite::rows::{RowError, maybe_timestamp, millis, required, timestamp};

/// A command, as JSON.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct ProgramRow {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    arguments: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    shell: Option<String>,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    directory: String,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    environment: BTreeMap<String, String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    timeout_ms: Option<i64>,
    overlap: String,
    #[serde(default)]
    nice: u8,
    #[serde(skip_serializing_if = "Option::is_none")]
    memory_bytes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cpu_s: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    processes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    files: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    ping: Option<String>,
}

impl ProgramRow {
    pub(crate) fn from_program(program: &Program) -> Self {
        let (arguments, shell) = match &program.line {
            Line::Arguments(arguments) => (arguments.clone(), None),
            Line::Shell(text) => (Vec::new(), Some(text.clone())),
        };
        Self {
            arguments,
            shell,
            directory: program.directory.clone(),
            environment: program.environment.clone(),
            timeout_ms: program.timeout.map(Span::as_millis),
            overlap: program.overlap.as_str().to_owned(),
            nice: program.nice,
            memory_bytes: program.limits.memory_bytes,
            cpu_s: program.limits.cpu_s,
            processes: program.limits.processes,
            files: program.limits.files,
            ping: program.ping.as_ref().map(|url| url.reveal().to_owned()),
        }
    }

    pub(crate) fn into_program(self) -> Result<Program, RowError> {
        let line = match self.shell {
            Some(text) => Line::Shell(text),
            None if self.arguments.is_empty() => return Err(RowError::Missing { field: "arguments" }),
            None => Line::Arguments(self.arguments),
        };
        let overlap = Overlap::from_word(&self.overlap).ok_or_else(|| RowError::unknown("overlap", self.overlap))?;
        Ok(Program {
            line,
            directory: self.directory,
            environment: self.environment,
            timeout: self.timeout_ms.map(Span::from_millis),
            overlap,
            nice: self.nice,
            limits: Limits {
                memory_bytes: self.memory_bytes,
                cpu_s: self.cpu_s,
                processes: self.processes,
                files: self.files,
            },
            ping: self.ping.map(Secret::new),
        })
    }
}

/// A run, as JSON.
#[derive(Serialize, Deserialize)]
pub(crate) struct RunRow {
    id: Uuid,
    task: Uuid,
    occurrence: String,
    attempt: u32,
    program: ProgramRow,
    status: String,
    created_at: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    since: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    process: Option<ProcessRow>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ended_at: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    end: Option<EndRow>,
    #[serde(skip_serializing_if = "Option::is_none")]
    resumes_from: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    checkpoint: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    progress: Option<ProgressRow>,
}

impl RunRow {
    pub(crate) fn from_run(run: &Run) -> Self {
        let (status, since, process, ended) = match &run.status {
            RunStatus::Queued => ("queued", None, None, None),
            RunStatus::Starting => ("starting", None, None, None),
            RunStatus::Running { since, process } => ("running", Some(*since), Some(*process), None),
            RunStatus::Ending { since, process } => ("ending", *since, *process, None),
            RunStatus::Ended { since, at, end } => ("ended", *since, None, Some((*at, end))),
        };
        Self {
            id: run.id.0,
            task: run.task.0,
            occurrence: run.occurrence.to_string(),
            attempt: run.attempt,
            program: ProgramRow::from_program(&run.program),
            status: status.to_owned(),
            created_at: run.created_at.as_millis(),
            since: millis(since),
            process: process.map(ProcessRow::from_process),
            ended_at: ended.map(|(at, _)| at.as_millis()),
            end: ended.map(|(_, end)| EndRow::from_end(end)),
            resumes_from: run.resumes_from.clone(),
            checkpoint: run.checkpoint.clone(),
            progress: run.progress.as_ref().map(ProgressRow::from_progress),
        }
    }

    pub(crate) fn into_run(self) -> Result<Run, RowError> {
        let since = maybe_timestamp("since", self.since)?;
        let process = self.process.map(ProcessRow::into_process);
        let status = match self.status.as_str() {
            "queued" => RunStatus::Queued,
            "starting" => RunStatus::Starting,
            "running" => {
                RunStatus::Running { since: required("since", since)?, process: required("process", process)? }
            }
            "ending" => RunStatus::Ending { since, process },
            "ended" => RunStatus::Ended {
                since,
                at: timestamp("ended_at", required("ended_at", self.ended_at)?)?,
                end: required("end", self.end)?.into_end()?,
            },
            word => return Err(RowError::unknown("status", word)),
        };
        Ok(Run {
            id: RunId(self.id),
            task: TaskId(self.task),
            occurrence: self
                .occurrence
                .parse()
                .map_err(|_| RowError::unknown("occurrence", self.occurrence.clone()))?,
            attempt: self.attempt,
            program: self.program.into_program()?,
            status,
            created_at: timestamp("created_at", self.created_at)?,
            resumes_from: self.resumes_from,
            checkpoint: self.checkpoint,
            progress: self.progress.map(ProgressRow::into_progress),
        })
    }
}

/// A process, as JSON.
#[derive(Serialize, Deserialize)]
struct ProcessRow {
    pid: u32,
    started: u64,
    boot: Uuid,
}

impl ProcessRow {
    const fn from_process(process: Process) -> Self {
        Self { pid: process.pid, started: process.started, boot: process.boot }
    }

    const fn into_process(self) -> Process {
        Process { pid: self.pid, started: self.started, boot: self.boot }
    }
}

/// How far a run is, as JSON.
#[derive(Serialize, Deserialize)]
pub(crate) struct ProgressRow {
    percent: u8,
    text: String,
}

impl ProgressRow {
    pub(crate) fn from_progress(progress: &Progress) -> Self {
        Self { percent: progress.percent, text: progress.text.clone() }
    }

    pub(crate) fn into_progress(self) -> Progress {
        Progress { percent: self.percent, text: self.text }
    }
}

/// How a run ended, as JSON.
#[derive(Serialize, Deserialize)]
pub(crate) struct EndRow {
    how: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

impl EndRow {
    pub(crate) fn from_end(end: &RunEnd) -> Self {
        let (how, code, error) = end.parts();
        Self { how: how.to_owned(), code, error: error.map(str::to_owned) }
    }

    pub(crate) fn into_end(self) -> Result<RunEnd, RowError> {
        Ok(match self.how.as_str() {
            "exit" => RunEnd::Exit(required("code", self.code)?),
            "signal" => RunEnd::Signal(required("code", self.code)?),
            "timed_out" => RunEnd::TimedOut,
            "not_started" => RunEnd::NotStarted { error: required("error", self.error)? },
            "interrupted" => RunEnd::Interrupted,
            "stopped" => RunEnd::Stopped,
            "withdrawn" => RunEnd::Withdrawn,
            word => return Err(RowError::unknown("how", word)),
        })
    }
}
