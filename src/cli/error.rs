//! What can go wrong in front of a person, with which exit code, and what to do next.
//!
//! The one table of exit codes (SPEC 10). Never prints.

use std::io;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::cli::names::NameError;
use crate::cli::service::ServiceError;
use crate::cli::ui::editor::EditorError;
use crate::cli::upgrade;
use crate::client::start::StartError;
use crate::client::{ClientError, is_question};
use crate::config::edit::EditError;
use crate::config::file::ConfigError;
use crate::config::paths::PathsError;
use crate::protocol::SCHEMA_VERSION;
use crate::protocol::envelope::NotJson;
use crate::protocol::error_code::{Candidate, ErrorKind, RpcError};
use crate::protocol::objects::Task;
use crate::when::TimeError;

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
    /// What was waited for did not happen in time, as `timeout` says it.
    TimedOut = 124,
    /// The person pressed Ctrl-C, as a shell says it.
    Interrupted = 130,
    /// The process was asked to end, as a shell says it.
    Terminated = 143,
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
            | Self::Storage
            | Self::TimedOut
            | Self::Interrupted
            | Self::Terminated => self,
        }
    }

    fn of_client(error: &ClientError) -> Self {
        match error {
            ClientError::NoDaemon { .. } | ClientError::NotTaken { .. } => Self::NoDaemon,
            ClientError::Refused { .. } | ClientError::Version { .. } => error.kind().map_or(Self::Failure, Self::of),
            ClientError::Connect { .. }
            | ClientError::TimedOut { .. }
            | ClientError::Closed { .. }
            | ClientError::Broken { .. }
            | ClientError::NotAMessage { .. }
            | ClientError::Frame { .. } => Self::Failure,
        }
    }

    /// Returns how keiko ends where the daemon that it started ended with `code`.
    fn of_daemon(code: Option<i32>) -> Self {
        let alike = [Self::Storage, Self::Version];
        alike.into_iter().find(|exit| code == Some(i32::from(exit.code()))).unwrap_or(Self::NoDaemon)
    }

    /// Returns the exit code of a daemon's error, the only table of it.
    const fn of(kind: ErrorKind) -> Self {
        match kind {
            ErrorKind::Parse | ErrorKind::Request | ErrorKind::Internal | ErrorKind::Stopping | ErrorKind::Limit => {
                Self::Failure
            }
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
    /// The daemon refused, or could not be asked.
    #[error(transparent)]
    Client(#[from] ClientError),
    /// The daemon could not be started.
    #[error(transparent)]
    Start(#[from] StartError),
    /// A time was not understood.
    #[error(transparent)]
    Time(TimeError),
    /// The configuration is wrong.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// A place for files is wrong.
    #[error(transparent)]
    Paths(#[from] PathsError),
    /// Standard input cannot be read.
    #[error("cannot read standard input: {source}")]
    Input {
        /// Why.
        source: io::Error,
    },
    /// A file cannot be used.
    #[error("cannot {what} {}: {source}", path.display())]
    File {
        /// What was attempted.
        what: &'static str,
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// Standard output cannot be written to.
    #[error("cannot write to standard output: {source}")]
    Output {
        /// Why.
        source: io::Error,
    },
    /// A filter means no task.
    #[error("no open task fits {filter}")]
    NoneMeant {
        /// The filter as it would be typed.
        filter: String,
    },
    /// The daemon cannot be set up as a service, or asked of as one.
    #[error(transparent)]
    Service(#[from] ServiceError),
    /// The configuration cannot be changed.
    #[error(transparent)]
    Edit(#[from] EditError),
    /// A target is to be removed, and is named elsewhere.
    #[error("cannot remove {target}: {} names it", by.join(", "))]
    InUse {
        /// The target.
        target: String,
        /// What names it, at least one.
        by: Vec<String>,
    },
    /// What is named is not there.
    #[error("{message}")]
    NotFound {
        /// What.
        message: String,
        /// What to do next.
        hint: String,
    },
    /// What is asked for is not given.
    #[error("{message}")]
    Refused {
        /// What, and why.
        message: String,
        /// What to do next.
        hint: String,
    },
    /// The person was asked something, and gave no answer.
    #[error("nothing was changed: there was no answer")]
    GivenUp,
    /// A person was shown several tasks to pick from, and picked none.
    #[error("nothing was done: no task was picked")]
    NonePicked {
        /// Whether all was to end.
        is_interrupted: bool,
    },
    /// A text could not be edited.
    #[error(transparent)]
    Editor(#[from] EditorError),
    /// The parameters of `rpc` are no JSON.
    #[error("cannot read the parameters {text:?}: {source}")]
    Json {
        /// What was typed.
        text: String,
        /// Why.
        source: NotJson,
    },
}

impl CliError {
    /// Returns a wrong argument with what to type instead.
    pub(crate) fn usage(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::Usage { message: message.into(), hint: hint.into() }
    }

    /// Returns that a file cannot be read or written.
    pub(crate) fn file(what: &'static str, path: &Path, source: io::Error) -> Self {
        Self::File { what, path: path.to_owned(), source }
    }

    /// Returns that something is not there, with what to do next.
    pub(crate) fn not_found(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::NotFound { message: message.into(), hint: hint.into() }
    }

    /// Returns that something is not given, with what to do next.
    pub(crate) fn refusal(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::Refused { message: message.into(), hint: hint.into() }
    }

    /// Returns the error in the words of the command line: programs give parameters, people options.
    pub(crate) fn into_typed(self) -> Self {
        match self {
            Self::Client(ClientError::Refused { mut error }) => {
                error.message = with_options(&error.message);
                if let Some(hint) = error.data.as_mut().and_then(|data| data.hint.as_mut()) {
                    *hint = hint.replace(FOR_PROGRAMS, "");
                }
                Self::Client(ClientError::Refused { error })
            }
            other => other,
        }
    }

    /// Returns the error with the whole command that would do, where it proposes another time for words of the sentence
    /// `text`.
    pub(crate) fn proposing(self, text: &str) -> Self {
        match self {
            Self::Client(ClientError::Refused { mut error }) if error.kind() == ErrorKind::Time => {
                if let Some(data) = error.data.as_mut() {
                    let hint = data.hint.as_deref().unwrap_or_default();
                    let span = data.span.filter(|_| !error.message.starts_with(NO_TIME));
                    if let Some(whole) = proposed(text, span, hint).filter(|_| is_said_in(text, span, &error.message)) {
                        data.hint = Some(format!("{hint}: {whole}"));
                    }
                }
                Self::Client(ClientError::Refused { error })
            }
            other => other,
        }
    }

    /// Returns whether the daemon went away: it ended, or is about to.
    pub(crate) fn is_loss(&self) -> bool {
        match self {
            Self::Client(ClientError::Refused { error }) => error.kind() == ErrorKind::Stopping,
            Self::Client(
                ClientError::NoDaemon { .. }
                | ClientError::NotTaken { .. }
                | ClientError::Closed { .. }
                | ClientError::Broken { .. },
            ) => true,
            Self::Client(
                ClientError::Connect { .. }
                | ClientError::Version { .. }
                | ClientError::TimedOut { .. }
                | ClientError::NotAMessage { .. }
                | ClientError::Frame { .. },
            )
            | Self::Usage { .. }
            | Self::Names(_)
            | Self::Start(_)
            | Self::Time(_)
            | Self::Config(_)
            | Self::Paths(_)
            | Self::Input { .. }
            | Self::Output { .. }
            | Self::File { .. }
            | Self::NoneMeant { .. }
            | Self::Service(_)
            | Self::Edit(_)
            | Self::InUse { .. }
            | Self::NotFound { .. }
            | Self::Refused { .. }
            | Self::GivenUp
            | Self::NonePicked { .. }
            | Self::Editor(_)
            | Self::Json { .. } => false,
        }
    }

    /// Returns whether the daemon refused since a limit is reached.
    pub(crate) fn is_limit(&self) -> bool {
        self.refused().is_some_and(|error| error.kind() == ErrorKind::Limit)
    }

    /// Returns how keiko ends.
    pub(crate) fn exit(&self) -> Exit {
        match self {
            Self::Usage { .. } | Self::Names(_) | Self::Json { .. } => Exit::Usage,
            Self::Time(_) => Exit::Time,
            Self::NoneMeant { .. } | Self::NotFound { .. } | Self::NonePicked { is_interrupted: false } => {
                Exit::NotFound
            }
            Self::NonePicked { is_interrupted: true } => Exit::Interrupted,
            Self::Client(error) => Exit::of_client(error),
            Self::Start(StartError::Unreachable { source }) => Exit::of_client(source),
            Self::Start(StartError::Failed { code, .. }) => Exit::of_daemon(*code),
            Self::Start(
                StartError::Lock { .. } | StartError::Run { .. } | StartError::Died { .. } | StartError::TooSlow { .. },
            ) => Exit::NoDaemon,
            Self::InUse { .. } | Self::Refused { .. } | Self::Edit(EditError::Refused { .. }) => Exit::Refused,
            Self::Edit(
                EditError::Taken { .. }
                | EditError::Missing { .. }
                | EditError::Unusable { .. }
                | EditError::NotTaken { .. }
                | EditError::NoTable { .. },
            ) => Exit::Usage,
            Self::Config(_)
            | Self::Service(_)
            | Self::Edit(_)
            | Self::Editor(_)
            | Self::GivenUp
            | Self::Paths(_)
            | Self::Input { .. }
            | Self::Output { .. }
            | Self::File { .. } => Exit::Failure,
        }
    }

    /// Returns what to do next, where that is known.
    pub(crate) fn hint(&self) -> Option<String> {
        match self {
            Self::Usage { hint, .. } | Self::NotFound { hint, .. } | Self::Refused { hint, .. } => Some(hint.clone()),
            Self::Names(_) => Some("name tasks by number, such as 3 5-7".to_owned()),
            Self::Json { .. } => Some("parameters are one JSON object, such as '{\"task\":3}'".to_owned()),
            Self::Time(error) => error.hint(),
            Self::NoneMeant { .. } => {
                Some("keiko list with the same filter and --all also shows what has ended".to_owned())
            }
            Self::Client(error) => client_hint(error),
            Self::Start(StartError::Run { .. }) => Some("install keikod beside keiko, or in PATH".to_owned()),
            Self::Start(StartError::Died { .. } | StartError::TooSlow { .. }) => {
                Some("keikod --foreground shows what it does".to_owned())
            }
            Self::Start(StartError::Failed { hint, .. }) => hint.clone(),
            Self::Service(error) => error.hint(),
            Self::Paths(error) => error.hint(),
            Self::Config(_) => Some(ConfigError::HINT.to_owned()),
            Self::Start(StartError::Lock { .. } | StartError::Unreachable { .. })
            | Self::GivenUp
            | Self::NonePicked { .. }
            | Self::Editor(EditorError::File { .. } | EditorError::NoText { .. } | EditorError::Failed { .. })
            | Self::Input { .. }
            | Self::Output { .. }
            | Self::File { .. } => None,
            Self::Editor(EditorError::Run { .. } | EditorError::Unquoted { .. }) => {
                Some("set VISUAL or EDITOR to an editor and its arguments, such as EDITOR=\"code --wait\"".to_owned())
            }
            Self::InUse { target, .. } => Some(format!(
                "keiko channel remove {target} --force removes it there too; what tasks say there then waits"
            )),
            Self::Edit(EditError::Missing { .. }) => Some("keiko channel list shows what is configured".to_owned()),
            Self::Edit(EditError::Changed { .. } | EditError::Busy { .. }) => Some("try again".to_owned()),
            Self::Edit(EditError::NotTaken { .. }) => {
                Some("nothing was changed; keiko config default explains every key".to_owned())
            }
            Self::Edit(EditError::Refused { .. }) => Some("nothing was changed".to_owned()),
            Self::Edit(EditError::Config { source: ConfigError::Syntax { .. } } | EditError::Unclear { .. }) => {
                Some("nothing was changed; mend it in an editor, and keiko config check says what is left".to_owned())
            }
            Self::Edit(EditError::Config { .. }) => Some(ConfigError::HINT.to_owned()),
            Self::Edit(EditError::NoTable { table, .. }) => Some(match table.split_once('.') {
                Some((kind, name)) => format!("keiko channel add {} {name} makes it", kind.trim_end_matches('s')),
                None => format!("write it into the file; keiko config default shows how {table} looks"),
            }),
            Self::Edit(_) => None,
        }
    }

    /// Returns the error as programs read it.
    pub(crate) fn to_json(&self) -> Value {
        let refused = self.refused();
        json!({
            "schema_version": SCHEMA_VERSION,
            "error": {
                "kind": self.kind(),
                "code": refused.map(|error| error.code),
                "exit": self.exit().code(),
                "message": self.to_string(),
                "hint": self.hint(),
                "data": refused.map(|error| json!(error.data)),
            },
        })
    }

    /// Returns the tasks that a name may mean, where it may mean several.
    pub(crate) fn candidates(&self) -> Option<&[Candidate]> {
        let refused = self.refused().filter(|error| error.kind() == ErrorKind::Ambiguous)?;
        refused.data.as_ref()?.candidates.as_deref()
    }

    /// Returns the task as it is now, where another change came first.
    pub(crate) fn latest(&self) -> Option<&Task> {
        let refused = self.refused().filter(|error| error.kind() == ErrorKind::Conflict)?;
        refused.data.as_ref()?.latest.as_deref()
    }

    /// Returns what the daemon refuses, and why.
    pub(crate) const fn refused(&self) -> Option<&RpcError> {
        match self {
            Self::Client(ClientError::Refused { error }) => Some(error),
            Self::Usage { .. }
            | Self::Names(_)
            | Self::Client(_)
            | Self::Start(_)
            | Self::Time(_)
            | Self::Config(_)
            | Self::Service(_)
            | Self::Edit(_)
            | Self::InUse { .. }
            | Self::NotFound { .. }
            | Self::Refused { .. }
            | Self::GivenUp
            | Self::NonePicked { .. }
            | Self::Editor(_)
            | Self::Paths(_)
            | Self::Input { .. }
            | Self::Output { .. }
            | Self::File { .. }
            | Self::NoneMeant { .. }
            | Self::Json { .. } => None,
        }
    }

    fn kind(&self) -> &'static str {
        match self {
            Self::Usage { .. } | Self::Names(_) | Self::Json { .. } => "usage",
            Self::Client(ClientError::NoDaemon { .. } | ClientError::NotTaken { .. }) => "no_daemon",
            Self::Client(error) => error.kind().map_or("connection", ErrorKind::as_str),
            Self::Start(_) => match self.exit() {
                Exit::Storage => "storage",
                Exit::Version => "version",
                Exit::Done
                | Exit::Failure
                | Exit::Usage
                | Exit::Time
                | Exit::NotFound
                | Exit::Refused
                | Exit::NoDaemon
                | Exit::Conflict
                | Exit::TimedOut
                | Exit::Interrupted
                | Exit::Terminated => "start",
            },
            Self::Time(_) => "time",
            Self::NoneMeant { .. } | Self::NotFound { .. } => "not_found",
            Self::Service(_) => "service",
            Self::Config(_) | Self::Edit(_) => "config",
            Self::InUse { .. } | Self::Refused { .. } => "refused",
            Self::GivenUp | Self::NonePicked { .. } => "given_up",
            Self::Editor(_) => "editor",
            Self::Paths(_) => "paths",
            Self::Input { .. } => "input",
            Self::Output { .. } => "output",
            Self::File { .. } => "file",
        }
    }
}

/// How an error begins where a sentence says no time at all: one that is proposed then stands behind it.
pub(crate) const NO_TIME: &str = "cannot find a time in ";

/// How an error ends where a length has no unit: only options are lengths, and no sentence is refused for it.
const NO_UNIT: &str = "it needs a unit";

/// Returns whether the words that `message` cites are those of the sentence at `span`, and not those of an option
/// (`--deadline`, `--nag`), nor words apart in the sentence, between which its title stands.
fn is_said_in(text: &str, span: Option<(usize, usize)>, message: &str) -> bool {
    if let Some((start, end)) = span {
        let cited = text.get(start..end).is_some_and(|words| message.contains(&format!("{words:?}")));
        return cited && !message.ends_with(NO_UNIT);
    }
    let cited = message.strip_prefix(NO_TIME).unwrap_or_default().trim_matches('"');
    cited.split_whitespace().all(|word| text.contains(word))
}

/// Returns the command with the first time that a hint proposes, in place of the words that were not understood.
fn proposed(text: &str, span: Option<(usize, usize)>, hint: &str) -> Option<String> {
    let proposal = hint.split('`').nth(1)?;
    let whole = match span {
        Some((start, end)) => format!("{}{proposal}{}", text.get(..start)?, text.get(end..)?),
        None => format!("{text} {proposal}"),
    };
    // What a shell would look into is left to those who typed it.
    let is_plain = |c: char| c.is_alphanumeric() || " .,:/+-_%@=".contains(c);
    let command = if whole.starts_with("remind ") { "keiko" } else { "keiko add" };
    whole.chars().all(is_plain).then(|| format!("{command} {whole}"))
}

/// What a hint says to those who call methods.
const FOR_PROGRAMS: &str = ", rpc.discover what each method takes";

/// The parameters whose options are called otherwise.
const OPTIONS: [(&str, &str); 4] =
    [("alerts", "alert"), ("deadline_alerts", "deadline_alert"), ("channels", "via"), ("max_retries", "retries")];

/// What stands before the names of parameters.
const PARAMETERS: [&str; 2] = ["parameters ", "parameter "];

/// Returns `message` with options in place of parameters: `--waits-for` for `parameter "waits_for"`.
fn with_options(message: &str) -> String {
    let found = PARAMETERS.iter().filter_map(|word| Some((message.find(&format!("{word}\""))?, word.len()))).min();
    let Some((start, len)) = found else { return message.to_owned() };
    let (mut told, mut rest) = (message[..start].to_owned(), &message[start + len..]);
    while let Some((name, behind)) = rest.strip_prefix('"').and_then(|rest| rest.split_once('"')) {
        let option = OPTIONS.iter().find(|(parameter, _)| *parameter == name).map_or(name, |(_, option)| option);
        told.push_str("--");
        told.push_str(&option.replace('_', "-"));
        let join = [", ", " and ", " or "]
            .into_iter()
            .find(|join| behind.strip_prefix(join).is_some_and(|next| next.starts_with('"')));
        rest = behind;
        if let Some(join) = join {
            told.push_str(join);
            rest = &behind[join.len()..];
        } else {
            break;
        }
    }
    told + &with_options(rest)
}

fn client_hint(error: &ClientError) -> Option<String> {
    match error {
        ClientError::NoDaemon { .. } | ClientError::NotTaken { .. } => Some("keiko daemon start starts it".to_owned()),
        ClientError::Refused { error } => error.hint().map(str::to_owned),
        ClientError::Version { version, found } => Some(upgrade::hint(version, *found)),
        ClientError::TimedOut { method, .. } | ClientError::Closed { method, .. } if is_question(method) => {
            Some("keiko doctor says what is wrong with it".to_owned())
        }
        ClientError::TimedOut { .. } | ClientError::Closed { .. } => {
            Some("look whether it was done before you do it again".to_owned())
        }
        ClientError::Connect { .. }
        | ClientError::Broken { .. }
        | ClientError::NotAMessage { .. }
        | ClientError::Frame { .. } => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_refused_in_the_sentence_is_replaced_in_it() {
        let hint = |text: &str, message: &str, span: (usize, usize), hint: &str| {
            let error = RpcError::new(ErrorKind::Time, message).with(|data| data.span = Some(span)).with_hint(hint);
            CliError::Client(ClientError::Refused { error }).proposing(text).hint()
        };
        let past = "cannot set \"yesterday 3pm\": Sun 29 Nov 2026 15:00 has passed";
        assert_eq!(
            hint("call Ann yesterday 3pm", past, (9, 22), "say `tomorrow 15:00`").as_deref(),
            Some("say `tomorrow 15:00`: keiko add call Ann tomorrow 15:00")
        );
        // Of --nag, of --deadline, and of words between which the title stands.
        let unit = "cannot read \"5\" as a length of time: it needs a unit";
        let say = "say `5m` for minutes or `5h` for hours";
        assert_eq!(hint("water ferns tomorrow", unit, (0, 1), say).as_deref(), Some(say));
        assert_eq!(hint("5 ferns tomorrow", unit, (0, 1), say).as_deref(), Some(say));
        let day = "cannot set \"31 june\": no calendar has that day";
        assert_eq!(hint("mow tomorrow", day, (0, 7), "say `30 june`").as_deref(), Some("say `30 june`"));
        let apart = hint("yesterday call Ann 3pm", past, (0, 22), "say `tomorrow 15:00`");
        assert_eq!(apart.as_deref(), Some("say `tomorrow 15:00`"));
    }

    #[test]
    fn each_kind_of_error_has_its_exit_code() {
        let kinds = [
            ErrorKind::Parse,
            ErrorKind::Request,
            ErrorKind::Method,
            ErrorKind::Params,
            ErrorKind::Internal,
            ErrorKind::Stopping,
            ErrorKind::Time,
            ErrorKind::NotFound,
            ErrorKind::Ambiguous,
            ErrorKind::Conflict,
            ErrorKind::Gone,
            ErrorKind::Refused,
            ErrorKind::Version,
            ErrorKind::Limit,
            ErrorKind::Storage,
        ];
        let table: Vec<String> =
            kinds.iter().map(|kind| format!("{} {}", Exit::of(*kind).code(), kind.as_str())).collect();
        insta::assert_snapshot!(table.join("\n"), @"
        1 parse
        1 request
        2 method
        2 params
        1 internal
        1 stopping
        3 time
        4 not_found
        4 ambiguous
        8 conflict
        4 gone
        5 refused
        7 version
        1 limit
        9 storage
        ");
    }

    #[test]
    fn parameters_are_options_to_people() {
        let check = |message: &str, told: &str| assert_eq!(with_options(message), told);
        check(
            "cannot use parameter \"on_parent_fail\" alone: expected parameter \"waits_for\" beside it",
            "cannot use --on-parent-fail alone: expected --waits-for beside it",
        );
        check("cannot use both parameters \"for\" and \"until\": x", "cannot use both --for and --until: x");
        check("one of the parameters \"a\", \"b\" and \"c\"", "one of the --a, --b and --c");
        check("cannot find a task named \"delay\"", "cannot find a task named \"delay\"");
    }

    #[test]
    fn the_first_failure_decides() {
        assert_eq!(Exit::Done.or(Exit::Time).or(Exit::Usage), Exit::Time);
        assert_eq!(Exit::Done.or(Exit::Done), Exit::Done);
    }
}
