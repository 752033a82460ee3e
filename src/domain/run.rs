//! What a task runs, and one attempt at that: a run.

use std::collections::BTreeMap;
use std::fmt;

use uuid::Uuid;

use crate::domain::occurrence::OccurrenceName;
use crate::domain::secret::Secret;
use crate::domain::task::TaskId;
use crate::domain::time::{Span, Timestamp};

/// How many attempts of a command follow one that failed, unless it is said (SPEC 7).
pub const COMMAND_RETRIES_DEFAULT: u32 = 0;

/// The command of a task, with all that is kept of where it was typed.
#[derive(Clone, PartialEq, Eq)]
pub struct Program {
    /// What is run.
    pub line: Line,
    /// The directory that it runs in, an absolute path; empty: the home directory.
    pub directory: String,
    /// The variables that were kept when it was typed: `PATH`, `HOME`, the locale, and those that were named.
    pub environment: BTreeMap<String, String>,
    /// How long it may run; `None`: for ever.
    pub timeout: Option<Span>,
    /// What becomes of a time at which it still runs.
    pub overlap: Overlap,
    /// How much it gives way to others, from 0 to 19 (`nice(1)`).
    pub nice: u8,
    /// What it may use at most.
    pub limits: Limits,
    /// The address of an outside dead-man's switch that is told of its start and its end. Often the whole key to it.
    pub ping: Option<Secret>,
}

/// Without the values of the variables: they may be secret, and this ends in logs.
impl fmt::Debug for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Program")
            .field("line", &self.line)
            .field("directory", &self.directory)
            .field("environment", &self.environment.keys().collect::<Vec<_>>())
            .field("timeout", &self.timeout)
            .field("overlap", &self.overlap)
            .field("nice", &self.nice)
            .field("limits", &self.limits)
            .field("ping", &self.ping)
            .finish()
    }
}

/// What is run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Line {
    /// A program and its arguments, never empty, never read by a shell.
    Arguments(Vec<String>),
    /// A text for `sh -c`.
    Shell(String),
}

impl Line {
    /// Returns the program and its arguments, as they are given to the system.
    #[must_use]
    pub fn arguments(&self) -> Vec<String> {
        match self {
            Self::Arguments(arguments) => arguments.clone(),
            Self::Shell(text) => vec!["sh".to_owned(), "-c".to_owned(), text.clone()],
        }
    }
}

/// As it can be typed into a shell: `tar czf 'my home.tgz' src`.
impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Arguments(arguments) => f.write_str(&quoted(arguments)),
            Self::Shell(text) => f.write_str(text),
        }
    }
}

/// Returns a program and its arguments as they can be typed into a shell.
#[must_use]
pub fn quoted(arguments: &[String]) -> String {
    // No argument that is taken holds a NUL, which is all that cannot be quoted.
    shlex::Quoter::new()
        .allow_nul(true)
        .join(arguments.iter().map(String::as_str))
        .unwrap_or_else(|_| arguments.join(" "))
}

/// What becomes of a time of a series at which its command still runs.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum Overlap {
    /// It is passed over.
    #[default]
    Skip,
    /// It runs when the one before has ended.
    Queue,
    /// Both run.
    Allow,
}

impl Overlap {
    /// Every rule.
    pub const ALL: [Self; 3] = [Self::Skip, Self::Queue, Self::Allow];

    /// Returns the word that people type and SQL and the wire use.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Skip => "skip",
            Self::Queue => "queue",
            Self::Allow => "allow",
        }
    }

    /// Returns the rule of a word, `None` for a word of another version.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|overlap| overlap.as_str() == word)
    }
}

/// What a command may use at most; `None`: what the daemon may.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Limits {
    /// Bytes of memory.
    pub memory_bytes: Option<u64>,
    /// Seconds of processor time.
    pub cpu_s: Option<u64>,
    /// Processes and threads.
    pub processes: Option<u64>,
    /// Open files.
    pub files: Option<u64>,
}

impl Limits {
    /// Returns whether there is none.
    #[must_use]
    pub fn is_none(&self) -> bool {
        *self == Self::default()
    }
}

/// Names a run on every device alike.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct RunId(pub Uuid);

impl RunId {
    /// Returns the name of an attempt; no attempt is made twice under one name.
    #[must_use]
    pub fn compute(task: TaskId, occurrence: OccurrenceName, attempt: u32) -> Self {
        Self(Uuid::new_v5(&task.0, format!("run|{occurrence}|{attempt}").as_bytes()))
    }

    /// Returns the name of a run that a request asks for besides the task's times.
    #[must_use]
    pub fn asked_for(task: TaskId, request: Uuid) -> Self {
        Self(Uuid::new_v5(&task.0, format!("run asked for|{request}").as_bytes()))
    }
}

impl fmt::Display for RunId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// One attempt at a command.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Run {
    /// Its name.
    pub id: RunId,
    /// The task.
    pub task: TaskId,
    /// The occurrence that it is an attempt at.
    pub occurrence: OccurrenceName,
    /// Counts the attempts at the occurrence, from 1.
    pub attempt: u32,
    /// What is run, as it was when the attempt was decided on.
    pub program: Program,
    /// Where it stands.
    pub status: RunStatus,
    /// When the attempt was decided on.
    pub created_at: Timestamp,
    /// What the attempt before had reported last, where that was cut short.
    pub resumes_from: Option<String>,
    /// What it reported last of how far it is, for the attempt behind it.
    pub checkpoint: Option<String>,
    /// How far it says that it is.
    pub progress: Option<Progress>,
}

/// Where a run stands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RunStatus {
    /// It waits for a free place; it was not started for certain.
    Queued,
    /// It is about to be started: after a crash nobody can tell whether it was.
    Starting,
    /// It runs.
    Running {
        /// When it was started.
        since: Timestamp,
        /// Which process it is.
        process: Process,
    },
    /// Its occurrence has ended meanwhile, and what runs is asked to end: until it has, it is in the way of another.
    Ending {
        /// When it was started, and as which process, where that is known.
        since: Option<Timestamp>,
        /// Which process it is, where that is known.
        process: Option<Process>,
    },
    /// It runs no more.
    Ended {
        /// When it was started, if it was.
        since: Option<Timestamp>,
        /// When it ended.
        at: Timestamp,
        /// How.
        end: RunEnd,
    },
}

/// A process, so that no other that has its number by now is taken for it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Process {
    /// Its number, which is that of its group too.
    pub pid: u32,
    /// When it was started, in the system's own count since it booted.
    pub started: u64,
    /// Names the boot of the machine.
    pub boot: Uuid,
}

/// How a run ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RunEnd {
    /// It exited.
    Exit(i32),
    /// A signal ended it.
    Signal(i32),
    /// It ran longer than it may.
    TimedOut,
    /// It could not be started.
    NotStarted {
        /// Why, for people.
        error: String,
    },
    /// The machine or the daemon went, and it is gone: how it ended is not known.
    Interrupted,
    /// Its occurrence had ended, so it was asked to end.
    Stopped,
    /// It was no longer wanted before it was started.
    Withdrawn,
}

impl RunEnd {
    /// Returns whether it did what it was to do.
    #[must_use]
    pub const fn is_success(&self) -> bool {
        matches!(self, Self::Exit(0))
    }

    /// Returns the word for it that SQL and the wire use, its exit status or signal, and why it was not started.
    #[must_use]
    pub fn parts(&self) -> (&'static str, Option<i32>, Option<&str>) {
        match self {
            Self::Exit(status) => ("exit", Some(*status), None),
            Self::Signal(signal) => ("signal", Some(*signal), None),
            Self::TimedOut => ("timed_out", None, None),
            Self::NotStarted { error } => ("not_started", None, Some(error)),
            Self::Interrupted => ("interrupted", None, None),
            Self::Stopped => ("stopped", None, None),
            Self::Withdrawn => ("withdrawn", None, None),
        }
    }
}

/// `exit status 3`, as people read it.
impl fmt::Display for RunEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exit(status) => write!(f, "exit status {status}"),
            Self::Signal(signal) => write!(f, "ended by signal {signal}"),
            Self::TimedOut => f.write_str("it ran longer than it may"),
            Self::NotStarted { error } => write!(f, "it could not be started: {error}"),
            Self::Interrupted => f.write_str("interrupted"),
            Self::Stopped => f.write_str("stopped, since its task had ended"),
            Self::Withdrawn => f.write_str("not started, since its task had ended"),
        }
    }
}

/// How far a run says that it is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Progress {
    /// Per cent, from 0 to 100.
    pub percent: u8,
    /// What it does, possibly empty.
    pub text: String,
}

/// What a run said on standard output and standard error, as it came.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Output {
    /// The end of it.
    pub tail: Vec<u8>,
    /// How many bytes before that were not kept.
    pub dropped: u64,
}

/// How much of what a run says is kept.
pub const OUTPUT_BYTES_MAX: usize = 64 * 1024;

/// What a runner says of a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RunReport {
    /// A place is free: it is started as soon as this is on the disk.
    Starting,
    /// It runs.
    Started {
        /// Which process it is.
        process: Process,
    },
    /// It says how far it is.
    Progress(Progress),
    /// What the attempt behind it is to know, if it is cut short.
    Checkpoint(String),
    /// It runs no more.
    Ended {
        /// How it ended.
        end: RunEnd,
        /// What it said.
        output: Output,
    },
}

impl Run {
    /// Returns whether it runs no more.
    #[must_use]
    pub const fn is_over(&self) -> bool {
        matches!(self.status, RunStatus::Ended { .. })
    }
}
