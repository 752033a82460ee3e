//! `keiko daemon`: looks after the daemon itself.

use clap::{Args, Subcommand};
use serde_json::json;

use crate::cli::context::Context;
use crate::cli::error::{CliError, Exit};
use crate::cli::render::say;
use crate::cli::render::status::status;
use crate::protocol::SCHEMA_VERSION;
use crate::protocol::methods;

mod install;
mod logs;
mod uninstall;

/// Looks after the daemon: has the system start it, starts, stops and restarts it, shows what it says
///
/// Without more it shows how it is, as status does.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    keiko daemon install\n  \
    keiko daemon install --dry-run\n  \
    keiko daemon logs -f\n  \
    keiko daemon restart\n  \
    keiko daemon status\n  \
    keiko daemon reload")]
pub(crate) struct Daemon {
    /// What is to be done; else it is shown how it is.
    #[command(subcommand)]
    action: Option<Action>,
}

/// What is to be done with the daemon.
#[derive(Clone, Debug, Subcommand)]
enum Action {
    /// Show how it is; exit code 6 where there is none
    Status,
    /// Start it where there is none
    Start {
        /// Begin with no tasks where the database was damaged and is set aside
        #[arg(long)]
        empty: bool,
    },
    /// Let it read its configuration anew; one that is wrong is refused, and the former one holds
    Reload,
    /// Stop it in order; exit code 6 where there is none
    Stop,
    /// Stop it, where it runs, and start the one of this version; commands of tasks go on meanwhile
    Restart,
    /// Have the system start it, at login and again where it fails; doing so twice changes nothing
    Install(install::Install),
    /// Take back what install did, and nothing else
    Uninstall(uninstall::Uninstall),
    /// Show what it said lately: from the journal where it runs as a service, else from its log file
    Logs(logs::Logs),
}

impl Daemon {
    /// Does it.
    pub(crate) fn run(self, context: &mut Context<'_>) -> Result<Exit, CliError> {
        match self.action.unwrap_or(Action::Status) {
            Action::Status => {
                context.connect()?;
                let answer = context.ask(&methods::Status {})?;
                let view = context.viewpoint(answer.now);
                context.answer(&answer, &[], |width| status(&answer, view, width));
            }
            Action::Start { empty } => {
                if empty {
                    context.begin_empty();
                }
                let answer = context.ask(&methods::Status {})?;
                let view = context.viewpoint(answer.now);
                let is_new = context.has_started();
                context.confirm(&answer, &[], |width| {
                    let mut lines = status(&answer, view, width);
                    if !is_new {
                        lines.insert(0, say::RUNNING_ALREADY.into());
                    }
                    lines
                });
            }
            Action::Reload => {
                context.connect()?;
                let answer = context.ask(&methods::Reload::default())?;
                context.confirm(&answer, &answer.warnings, |_| say::reloaded(&answer.config, &answer.at_next_start));
            }
            Action::Stop => {
                let pid = context.stop()?;
                let answer = json!({ "schema_version": SCHEMA_VERSION, "stopped": true, "pid": pid });
                context.confirm(&answer, &[], |_| vec![say::stopped(pid)]);
            }
            Action::Restart => {
                context.restart()?;
                let answer = context.ask(&methods::Status {})?;
                let view = context.viewpoint(answer.now);
                context.confirm(&answer, &[], |width| status(&answer, view, width));
            }
            Action::Install(install) => return install.run(context),
            Action::Uninstall(uninstall) => return uninstall.run(context),
            Action::Logs(logs) => return logs.run(context),
        }
        Ok(Exit::Done)
    }
}
