//! `keiko daemon logs`: what did the daemon say?

use std::process::Stdio;

use clap::Args;
use serde_json::json;

use crate::cli::args::at_least_one;
use crate::cli::context::Context;
use crate::cli::error::{CliError, Exit};
use crate::cli::render::text::Text;
use crate::cli::service::{self, Manager, ServiceError, system, tail};
use crate::cli::start;
use crate::cli::ui::Form;
use crate::config::paths::Paths;
use crate::protocol::SCHEMA_VERSION;
use crate::service::systemd;

/// Shows what the daemon said lately: from the journal where it runs as a service, else from its log file
///
/// With --json one object a line.
#[derive(Clone, Debug, Args)]
#[command(after_help = "Examples:\n  keiko daemon logs\n  keiko daemon logs -n 500\n  keiko daemon logs -f")]
pub(super) struct Logs {
    /// How many lines
    #[arg(long, short = 'n', value_name = "N", default_value = "50", value_parser = at_least_one)]
    lines: usize,
    /// Go on with what it says from now on
    #[arg(long, short)]
    follow: bool,
}

impl Logs {
    /// Shows it.
    pub(super) fn run(self, context: &mut Context<'_>) -> Result<Exit, CliError> {
        let paths = Paths::of_process()?;
        let unit = service::installed(&paths).filter(|service| service.manager == Manager::Systemd);
        let unit = unit.map(|service| systemd::service_unit(&service.name));
        // One that a command started writes into its file, whatever is installed.
        let served_by = start::served_by(&paths);
        let in_journal = unit.filter(|unit| served_by.is_none() || system::systemd_pid(unit) == served_by);
        match in_journal {
            Some(unit) => self.of_journal(context, &unit),
            None => self.of_file(context, &paths),
        }
    }

    fn of_journal(&self, context: &Context<'_>, unit: &str) -> Result<Exit, CliError> {
        let mut arguments = vec![format!("--lines={}", self.lines)];
        if self.follow {
            arguments.push("--follow".to_owned());
        }
        if context.ui.form() == Form::Json {
            arguments.push("--output=json".to_owned());
        }
        // It shows and pages by itself.
        let ended = system::journalctl(unit, &arguments).stdin(Stdio::inherit()).status();
        let ended = ended
            .map_err(|source| ServiceError::Refused { what: "run journalctl".to_owned(), why: source.to_string() })?;
        Ok(if ended.success() { Exit::Done } else { Exit::Failure })
    }

    fn of_file(&self, context: &mut Context<'_>, paths: &Paths) -> Result<Exit, CliError> {
        let path = paths.log_file();
        let unusable = |source| ServiceError::Unusable { what: "read", path: path.clone(), source };
        let opened = tail::Tail::open(&path).map_err(unusable)?;
        let mut tail = opened.ok_or_else(|| ServiceError::NoLog { path: path.clone() })?;
        for line in tail.last(self.lines).map_err(unusable)? {
            show(context, &line);
        }
        while self.follow && !context.ui.is_closed() {
            for line in tail.next().map_err(unusable)? {
                show(context, &line);
            }
        }
        Ok(Exit::Done)
    }
}

fn show(context: &mut Context<'_>, line: &str) {
    match context.ui.form() {
        Form::Json => context.ui.json(&json!({ "schema_version": SCHEMA_VERSION, "line": line })),
        Form::Human | Form::Quiet | Form::Id => context.ui.print(&[Text::plain(line)]),
    }
}
