//! What can go wrong in front of a person, with which exit code, and what to do next.
//!
//! The one table of exit codes (SPEC 10). Never prints.

use std::io;
use std::path::PathBuf;

use serde_json::{Value, json};

use crate::cli::names::NameError;
use crate::cli::start::StartError;
use crate::client::ClientError;
use crate::protocol::SCHEMA_VERSION;
use crate::protocol::error_code::{ErrorKind, RpcError};

/// How keiko ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Exit {
    /// All was done.
    Done = 0,
    /// Something failed.
    Failure = 1,
    /// The arguments are wrong.
    Usage = 2,
    /// A time was not understood.
    Time = 3,
    /// No task has the name, or several have.
    NotFound = 4,
    /// The task's state does not allow it.
    Refused = 5,
    /// No daemon answers.
    NoDaemon = 6,
    /// The daemon is of another version.
    Version = 7,
    /// Another change came first.
    Conflict = 8,
    /// The store cannot write or read.
    Storage = 9,
}

impl Exit {
    /// Returns the code that the shell sees.
    pub(crate) const fn code(self) -> u8 {
        self as u8
    }

    /// Returns the first thing that went wrong of the two.
    pub(crate) const fn or(self, later: Self) -> Self {
        match self {
            Self::Done => later,
            Self::Failure
            | Self::Usage
            | Self::Time
            | Self::NotFound
            | Self::Refused
            | Self::NoDaemon
            | Self::Version
            | Self::Conflict
            | Self::Storage => self,
        }
    }

    /// Returns the exit code of a daemon's error, the only table of it.
    const fn of(kind: ErrorKind) -> Self {
        match kind {
            ErrorKind::Parse
            | ErrorKind::Request
            | ErrorKind::Internal
            | ErrorKind::Stopping
            | ErrorKind::Limit => Self::Failure,
            ErrorKind::Method | ErrorKind::Params => Self::Usage,
            ErrorKind::Time => Self::Time,
            ErrorKind::NotFound | ErrorKind::Ambiguous | ErrorKind::Gone => Self::NotFound,
            ErrorKind::Refused => Self::Refused,
            ErrorKind::Version => Self::Version,
            ErrorKind::Conflict => Self::Conflict,
            ErrorKind::Storage => Self::Storage,
        }
    }
}

/// Why a command failed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CliError {
    /// The arguments are wrong.
    #[error("{message}")]
    Usage {
        /// What is wrong with which of them.
        message: String,
        /// What to type instead.
        hint: String,
    },
    /// The names of tasks are wrong.
    #[error(transparent)]
    Names(#[from] NameError),
    /// The daemon refused.
    #[error("{}", .0.message)]
    Daemon(RpcError),
    /// The daemon could not be asked.
    #[error(transparent)]
    Client(ClientError),
    /// No daemon answers, and this command starts none.
    #[error("cannot reach keikod at {}: nobody answers", socket.display())]
    NoDaemon {
        /// Where it would listen.
        socket: PathBuf,
    },
    /// The daemon could not be started.
    #[error(transparent)]
    Start(#[from] StartError),
    /// A file of the configuration or the place for data is wrong.
    #[error(transparent)]
    Config(crate::config::ConfigError),
    /// Standard input cannot be read.
    #[error("cannot read standard input: {source}")]
    Input {
        /// Why.
        source: io::Error,
    },
    /// Standard output cannot be written to.
    #[error("cannot write to standard output: {source}")]
    Output {
        /// Why.
        source: io::Error,
    },
    /// The parameters of `rpc` are no JSON.
    #[error("cannot read the parameters {text:?} as JSON: {source}")]
    Json {
        /// What was typed.
        text: String,
        /// Why.
        source: serde_json::Error,
    },
}

impl CliError {
    /// Returns a wrong argument with what to type instead.
    pub(crate) fn usage(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::Usage { message: message.into(), hint: hint.into() }
    }

    /// Returns how keiko ends.
    pub(crate) fn exit(&self) -> Exit {
        match self {
            Self::Usage { .. } | Self::Names(_) | Self::Json { .. } => Exit::Usage,
            Self::Daemon(error) => Exit::of(error.kind()),
            Self::NoDaemon { .. } | Self::Start(_) => Exit::NoDaemon,
            Self::Client(_) | Self::Config(_) | Self::Input { .. } | Self::Output { .. } => Exit::Failure,
        }
    }

    /// Returns what to do next, where that is known.
    pub(crate) fn hint(&self) -> Option<String> {
        match self {
            Self::Usage { hint, .. } => Some(hint.clone()),
            Self::Names(_) => Some("name tasks by number, such as 3 5-7".to_owned()),
            Self::Daemon(error) => error.hint().map(str::to_owned).or_else(|| candidates(error)),
            Self::NoDaemon { .. } => Some("keiko daemon start starts it".to_owned()),
            Self::Start(error) => error.hint(),
            Self::Json { .. } => Some("parameters are one JSON object, such as '{\"task\":3}'".to_owned()),
            Self::Client(_) | Self::Config(_) | Self::Input { .. } | Self::Output { .. } => None,
        }
    }

    /// Returns the error as programs read it.
    pub(crate) fn to_json(&self) -> Value {
        let (code, data) = match self {
            Self::Daemon(error) => (Some(error.code), serde_json::to_value(&error.data).ok()),
            Self::Usage { .. }
            | Self::Names(_)
            | Self::Client(_)
            | Self::NoDaemon { .. }
            | Self::Start(_)
            | Self::Config(_)
            | Self::Input { .. }
            | Self::Output { .. }
            | Self::Json { .. } => (None, None),
        };
        json!({
            "schema_version": SCHEMA_VERSION,
            "error": {
                "kind": self.kind(),
                "code": code,
                "exit": self.exit().code(),
                "message": self.to_string(),
                "hint": self.hint(),
                "data": data,
            },
        })
    }

    fn kind(&self) -> &str {
        match self {
            Self::Usage { .. } | Self::Names(_) | Self::Json { .. } => "usage",
            Self::Daemon(error) => error.kind().as_str(),
            Self::Client(_) => "connection",
            Self::NoDaemon { .. } => "no_daemon",
            Self::Start(_) => "start",
            Self::Config(_) => "config",
            Self::Input { .. } => "input",
            Self::Output { .. } => "output",
        }
    }
}

/// Returns the tasks that an ambiguous name may mean, as a hint.
fn candidates(error: &RpcError) -> Option<String> {
    let candidates = error.data.as_ref()?.candidates.as_ref()?;
    let named: Vec<String> = candidates.iter().map(|task| format!("{} {}", task.number, task.title)).collect();
    Some(format!("name one of them by number: {}", named.join(", ")))
}
