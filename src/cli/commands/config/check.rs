//! `keiko config check`: all that is wrong with the file at once, each with its place.

use std::io;
use std::path::Path;

use serde_json::{Value, json};

use crate::cli::context::Context;
use crate::cli::error::{CliError, Exit};
use crate::cli::render::text::{BAD, DIM, DUE, GOOD, Text};
use crate::cli::start;
use crate::client::ClientError;
use crate::config::Config;
use crate::config::file::{self, Position, Warning};
use crate::config::paths::Paths;
use crate::config::suspicious::{self, Surroundings};
use crate::config::whole;
use crate::protocol::SCHEMA_VERSION;
use crate::protocol::error_code::ErrorKind;
use crate::protocol::methods::Reload;

/// What was found.
pub(super) struct Finding {
    /// How much it matters.
    pub(super) kind: Kind,
    /// Where it stands.
    pub(super) at: Option<Position>,
    key: Option<String>,
    /// What is wrong.
    pub(super) message: String,
}

/// How much it matters.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    /// The daemon refuses the file.
    Error,
    /// Nobody knows the key, so it does nothing.
    Unknown,
    /// It can be used, and is most likely not meant.
    Odd,
}

impl Kind {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Unknown => "unknown",
            Self::Odd => "odd",
        }
    }
}

/// Checks the file, or another.
pub(super) fn check(context: &mut Context<'_>, named: Option<&Path>) -> Result<Exit, CliError> {
    let paths = Paths::of_process()?;
    let path = named.filter(|named| *named != Path::new("-")).unwrap_or(paths.config_file());
    let text = if named == Some(Path::new("-")) {
        Some(io::read_to_string(io::stdin().lock()).map_err(|source| CliError::Input { source })?)
    } else {
        whole::read(path)?
    };
    let mut findings = Vec::new();
    match &text {
        Some(text) => findings = found(context, path, text),
        None if named.is_some() => {
            let message = format!("cannot check {}: it is not there", path.display());
            return Err(CliError::not_found(message, "keiko config path tells where the configuration is"));
        }
        None => {
            let odd = |warning: Warning| Finding { kind: Kind::Odd, at: None, key: None, message: warning.to_string() };
            findings.extend(Config::missing(path, paths.config_origin()).into_iter().map(odd));
        }
    }
    let is_good = findings.iter().all(|finding| finding.kind == Kind::Odd);
    let answer = json!({
        "schema_version": SCHEMA_VERSION,
        "file": path.display().to_string(),
        "exists": text.is_some(),
        "good": is_good,
        "findings": findings.iter().map(object).collect::<Vec<Value>>(),
    });
    context.answer(&answer, &[], |_| {
        let mut lines: Vec<Text> = findings.iter().map(|finding| line(finding, path)).collect();
        if is_good {
            let mut line = Text::styled(GOOD, "good");
            line.push(&format!("  {}", path.display()));
            line.push(if text.is_some() { "" } else { " is not there: the defaults hold" });
            lines.push(line);
        }
        lines
    });
    Ok(if is_good { Exit::Done } else { Exit::Failure })
}

/// Finds all that there is to find in a text.
pub(super) fn found(context: &mut Context<'_>, path: &Path, text: &str) -> Vec<Finding> {
    let checked = file::check(path, text);
    let error = |(at, key, message): (Position, Option<String>, String)| Finding {
        kind: Kind::Error,
        at: Some(at),
        key,
        message,
    };
    let mut findings: Vec<Finding> = checked.faults.into_iter().map(error).collect();
    findings.extend(checked.warnings.into_iter().map(|warning| match warning {
        Warning::UnknownKey { at, key, nearest, .. } => {
            let meant = nearest.map(|nearest| format!(", did you mean {nearest}?")).unwrap_or_default();
            let message = format!("passed over the unknown key {}{meant}", key.escape_debug());
            Finding { kind: Kind::Unknown, at: Some(at), key: Some(key), message }
        }
        warning @ Warning::NamedButMissing { .. } => {
            Finding { kind: Kind::Odd, at: None, key: None, message: warning.to_string() }
        }
    }));
    if let Some(config) = &checked.config {
        findings.extend(of_channels(context, path, text));
        let around = Surroundings { variable: &|name| std::env::var(name).ok() };
        let odd = suspicious::all(path, text, config, &around).into_iter();
        findings.extend(odd.map(|odd| Finding {
            kind: Kind::Odd,
            at: Some(odd.at),
            key: (!odd.key.is_empty()).then_some(odd.key),
            message: odd.what,
        }));
    }
    // What is refused need not be called odd as well.
    let refused: Vec<Option<Position>> =
        findings.iter().filter(|one| one.kind == Kind::Error).map(|one| one.at).collect();
    findings.retain(|one| one.kind != Kind::Odd || !refused.contains(&one.at));
    findings.sort_by_key(|finding| (finding.at, finding.kind));
    findings
}

/// Finds what only the daemon's channels know, such as a template that means nothing.
fn of_channels(context: &mut Context<'_>, path: &Path, text: &str) -> Vec<Finding> {
    let told = match of_daemon(context, path, text) {
        Some(told) => told,
        None => match start::check_file(path, text) {
            Ok(told) => told.unwrap_or_default(),
            Err(error) => {
                context.ui.warning(&format!("cannot run keikod to check the targets: {error}"));
                return Vec::new();
            }
        },
    };
    let prefix = format!("{}:", path.display());
    told.lines().map(|line| placed(line.strip_prefix(&prefix).unwrap_or(line))).collect()
}

/// Returns what the daemon that runs says against the text, a line for each fault: it knows its own environment. `None` where none
/// can be asked.
fn of_daemon(context: &mut Context<'_>, path: &Path, text: &str) -> Option<String> {
    let is_its_own = Paths::of_process().is_ok_and(|paths| paths.config_file() == path);
    if !is_its_own || context.connect().is_err() {
        return None;
    }
    match context.ask(&Reload { check: Some(text.to_owned()) }) {
        Ok(_) => Some(String::new()),
        Err(CliError::Client(ClientError::Refused { error })) if error.kind() == ErrorKind::Refused => {
            Some(error.message.trim_start_matches("cannot use the configuration: ").to_owned())
        }
        Err(_) => None,
    }
}

/// Returns a finding of a line that begins with its place.
fn placed(line: &str) -> Finding {
    let place = line.split_once(": ").and_then(|(place, message)| {
        let (line, column) = place.split_once(':')?;
        Some((Position { line: line.parse().ok()?, column: column.parse().ok()? }, message))
    });
    let (at, message) = place.map_or((None, line), |(at, message)| (Some(at), message));
    let key =
        message.strip_prefix("cannot use ").and_then(|rest| rest.split_once([':', ' '])).map(|(key, _)| key.to_owned());
    Finding { kind: Kind::Error, at, key, message: message.to_owned() }
}

fn line(finding: &Finding, path: &Path) -> Text {
    let mut line = Text::plain(&path.display().to_string());
    if let Some(at) = finding.at {
        line.push(&format!(":{at}"));
    }
    line.push(": ");
    let style = match finding.kind {
        Kind::Error => BAD,
        Kind::Unknown => DUE,
        Kind::Odd => DIM,
    };
    line.push_styled(style, finding.kind.as_str());
    line.push(": ");
    if let (Kind::Odd, Some(key)) = (finding.kind, &finding.key) {
        line.push(&format!("{key}: "));
    }
    line.push(&finding.message);
    line
}

fn object(finding: &Finding) -> Value {
    json!({
        "kind": finding.kind.as_str(),
        "line": finding.at.map(|at| at.line),
        "column": finding.at.map(|at| at.column),
        "key": finding.key,
        "message": finding.message,
    })
}
