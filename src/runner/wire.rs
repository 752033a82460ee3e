//! What do the daemon and the process that runs its commands say to each other? One JSON value a line.
//!
//! A daemon of a new version may find a process of an old one, which has its commands: what is not understood is passed
//! over, and what is not said has a value that changes nothing.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tokio::io::{AsyncWrite, AsyncWriteExt as _};
use tokio_util::codec::LinesCodec;
use uuid::Uuid;

use crate::domain::run::{Limits, Output, Process, Progress, RunEnd};

/// The longest line. A command with its environment is at most what the system takes (2 MiB on Linux), some of it escaped.
const LINE_BYTES_MAX: usize = 8 * 1024 * 1024;

/// Returns what takes lines apart.
pub(super) fn lines() -> LinesCodec {
    LinesCodec::new_with_max_length(LINE_BYTES_MAX)
}

/// Writes one line; the caller flushes.
///
/// # Errors
/// Nobody is there to read it.
pub(super) async fn write(to: &mut (impl AsyncWrite + Unpin), told: &impl Serialize) -> std::io::Result<()> {
    to.write_all(&line(told)).await
}

/// Returns what is said as a line.
pub(super) fn line(said: &impl Serialize) -> Vec<u8> {
    let mut bytes = serde_json::to_vec(said).expect("it holds nothing that JSON has no form for");
    bytes.push(b'\n');
    bytes
}

/// Returns whether the other side would not take a line.
pub(super) fn is_too_long(line: &impl Serialize) -> bool {
    serde_json::to_vec(line).expect("it holds nothing that JSON has no form for").len() >= LINE_BYTES_MAX
}

/// What the daemon says.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Ask {
    /// A run is to be started, unless its name is known.
    Start(Box<StartLine>),
    /// A run is to end.
    End(Uuid),
    /// How a run ended is on the disk.
    Forget(Uuid),
    /// What has a run said until now? Of one that nobody knows the answer is nothing, and says that the process answers.
    Output(Uuid),
    /// What has a run said, as soon as that is more than so many bytes?
    Follow {
        /// Which.
        id: Uuid,
        /// How many are known.
        since: u64,
    },
}

/// A run to be started.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) struct StartLine {
    /// Its name.
    pub(super) id: Uuid,
    /// The program and its arguments.
    pub(super) arguments: Vec<String>,
    /// Where it runs.
    pub(super) directory: String,
    /// All of its environment.
    pub(super) environment: BTreeMap<String, String>,
    /// How long it may run.
    #[serde(default)]
    pub(super) timeout_ms: Option<u64>,
    /// How much it gives way.
    #[serde(default)]
    pub(super) nice: u8,
    /// What it may use.
    #[serde(default)]
    pub(super) limits: LimitsLine,
}

impl StartLine {
    pub(super) fn timeout(&self) -> Option<Duration> {
        self.timeout_ms.map(Duration::from_millis)
    }
}

/// What a command may use.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct LimitsLine {
    memory_bytes: Option<u64>,
    cpu_s: Option<u64>,
    processes: Option<u64>,
    files: Option<u64>,
}

impl From<Limits> for LimitsLine {
    fn from(limits: Limits) -> Self {
        let Limits { memory_bytes, cpu_s, processes, files } = limits;
        Self { memory_bytes, cpu_s, processes, files }
    }
}

impl From<LimitsLine> for Limits {
    fn from(line: LimitsLine) -> Self {
        let LimitsLine { memory_bytes, cpu_s, processes, files } = line;
        Self { memory_bytes, cpu_s, processes, files }
    }
}

/// What the process says.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Tell {
    /// It listens to this daemon now.
    Hello {
        /// Its version.
        version: String,
    },
    /// All that it knew when the daemon came is told.
    Known,
    /// A run is about to be started.
    Taken {
        /// Which.
        id: Uuid,
    },
    /// A run was started.
    Started {
        /// Which.
        id: Uuid,
        /// As which process.
        process: ProcessLine,
    },
    /// A run says how far it is.
    Progress {
        /// Which.
        id: Uuid,
        /// Per cent.
        percent: u8,
        /// What it does.
        text: String,
    },
    /// A run reports what the next attempt is to know.
    Checkpoint {
        /// Which.
        id: Uuid,
        /// What.
        text: String,
    },
    /// A run has ended.
    Ended {
        /// Which.
        id: Uuid,
        /// How.
        end: EndLine,
        /// What it said.
        output: OutputLine,
    },
    /// What a run has said until now.
    Output {
        /// Which.
        id: Uuid,
        /// `None`: it does not run.
        output: Option<OutputLine>,
    },
}

/// Which process a run is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) struct ProcessLine {
    pid: u32,
    started: u64,
    boot: Uuid,
}

impl From<Process> for ProcessLine {
    fn from(process: Process) -> Self {
        let Process { pid, started, boot } = process;
        Self { pid, started, boot }
    }
}

impl From<ProcessLine> for Process {
    fn from(line: ProcessLine) -> Self {
        let ProcessLine { pid, started, boot } = line;
        Self { pid, started, boot }
    }
}

impl Tell {
    pub(super) fn progress(id: Uuid, progress: &Progress) -> Self {
        Self::Progress { id, percent: progress.percent, text: progress.text.clone() }
    }
}

/// How a run ended.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum EndLine {
    Exit(i32),
    Signal(i32),
    TimedOut,
    NotStarted(String),
}

impl From<EndLine> for RunEnd {
    fn from(line: EndLine) -> Self {
        match line {
            EndLine::Exit(status) => Self::Exit(status),
            EndLine::Signal(signal) => Self::Signal(signal),
            EndLine::TimedOut => Self::TimedOut,
            EndLine::NotStarted(error) => Self::NotStarted { error },
        }
    }
}

/// What a run said, which need not be text: each byte is the character of its number, so that text stays readable and short.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub(super) struct OutputLine {
    tail: String,
    dropped: u64,
}

impl From<&Output> for OutputLine {
    fn from(output: &Output) -> Self {
        Self { tail: output.tail.iter().copied().map(char::from).collect(), dropped: output.dropped }
    }
}

impl From<OutputLine> for Output {
    fn from(line: OutputLine) -> Self {
        let tail = line.tail.chars().map(|character| u8::try_from(character).unwrap_or(b'?')).collect();
        Self { tail, dropped: line.dropped }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn round(tell: &Tell) -> Tell {
        serde_json::from_str(&serde_json::to_string(tell).unwrap()).unwrap()
    }

    #[test]
    fn whatever_a_command_says_comes_over_as_it_was() {
        let output = Output { tail: (0..=255).collect(), dropped: 7 };
        let line = OutputLine::from(&output);
        let told = Tell::Ended { id: Uuid::nil(), end: EndLine::Exit(3), output: line };
        let Tell::Ended { end, output: heard, .. } = round(&told) else { panic!("it is an end") };
        assert_eq!((RunEnd::from(end), Output::from(heard)), (RunEnd::Exit(3), output));
    }

    #[test]
    fn an_order_of_a_version_that_said_less_is_understood() {
        let line = r#"{"start":{"id":"00000000-0000-0000-0000-000000000000","arguments":["a"],"directory":"","environment":{}}}"#;
        let Ask::Start(start) = serde_json::from_str(line).unwrap() else { panic!("it is an order") };
        assert_eq!((start.timeout(), start.nice, Limits::from(start.limits)), (None, 0, Limits::default()));
    }

    #[test]
    fn messages_have_these_forms() {
        let text = |tell: &Tell| serde_json::to_string(tell).unwrap();
        assert_eq!(text(&Tell::Known), r#""known""#);
        let id = Uuid::nil();
        assert_eq!(
            text(&Tell::progress(id, &Progress { percent: 40, text: "half".into() })),
            r#"{"progress":{"id":"00000000-0000-0000-0000-000000000000","percent":40,"text":"half"}}"#
        );
    }
}
