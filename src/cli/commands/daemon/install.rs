//! `keiko daemon install`: has the system start the daemon.

use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use crate::cli::context::Context;
use crate::cli::error::{CliError, Exit};
use crate::cli::render::text::{DIM, HEAD, Text};
use crate::cli::service::files::{self, Fate};
use crate::cli::service::{self, Folders, Manager, system};
use crate::config::paths::Paths;
use crate::protocol::SCHEMA_VERSION;
use crate::protocol::methods;
use crate::service::{launchd, systemd};

/// Has the system start the daemon, at login and again where it fails; doing so twice changes nothing
///
/// On Linux a systemd service of yours, with the socket through which keiko calls; where no such manager runs, an entry that your
/// desktop starts at login. On macOS a launchd agent. `KEIKO_CONFIG`, `KEIKO_DATA_DIR` and `KEIKO_SOCKET`, and the homes of files that XDG names, hold
/// for the service as they are now. A daemon that runs is replaced by the service; commands of tasks go on meanwhile.
#[derive(Clone, Debug, Args)]
#[command(after_help = "Examples:\n  \
    keiko daemon install\n  \
    keiko daemon install --dry-run\n  \
    keiko daemon install --with autostart\n\n\
    loginctl enable-linger has it run also while you are not logged in.")]
pub(super) struct Install {
    /// By what, where that is not to be what fits this machine
    #[arg(long, value_name = "WHAT", value_enum)]
    with: Option<Manager>,
    /// Show the files and what would be run, and do nothing
    #[arg(long, visible_alias = "print")]
    dry_run: bool,
}

/// What is installed.
struct Plan {
    manager: Manager,
    name: String,
    files: Vec<(PathBuf, String)>,
    fates: Vec<Fate>,
}

impl Install {
    /// Does it.
    pub(super) fn run(self, context: &mut Context<'_>) -> Result<Exit, CliError> {
        let paths = Paths::of_process()?;
        if !self.dry_run {
            paths.create_dirs()?;
        }
        let folders = Folders::of_process()?;
        let manager = self.with.unwrap_or_else(|| choose(context));
        let service = service::wanted(&paths)?;
        let files = service::wanted_files(manager, &service, &folders)?;
        let fates = files::look(&files)?;
        let plan = Plan { manager, name: service.name, files, fates };
        if self.dry_run {
            context.answer(&plan.to_json(true), &[], |_| plan.shown());
            return Ok(Exit::Done);
        }
        // Before anything is written that nobody would read.
        match manager {
            Manager::Systemd => system::systemd_answers()?,
            Manager::Launchd => system::launchd_answers()?,
            Manager::Autostart => {}
        }
        files::write(&plan.files)?;
        match manager {
            Manager::Systemd => start_units(context, &plan)?,
            Manager::Launchd => start_agent(context, &plan)?,
            Manager::Autostart => {}
        }
        if manager == Manager::Systemd {
            // What install did before on a machine without such a manager would start a second one.
            files::remove(&folders.of(Manager::Autostart).join(format!("{}.desktop", plan.name)))?;
        }
        // Where the desktop starts it, it does so at the next login only.
        let running = context.ask(&methods::Hello::default())?;
        let mut told = plan.to_json(false);
        told["pid"] = running.pid.into();
        context.confirm(&told, &[], |_| plan.done(running.pid));
        hints(context, manager);
        Ok(Exit::Done)
    }
}

fn choose(context: &mut Context<'_>) -> Manager {
    if cfg!(target_os = "macos") {
        return Manager::Launchd;
    }
    match system::systemd_answers() {
        Ok(()) => Manager::Systemd,
        Err(error) => {
            context.ui.hint(&format!("{error}; so your desktop is to start keikod"));
            Manager::Autostart
        }
    }
}

/// Has systemd start the units, in place of whatever daemon runs.
fn start_units(context: &mut Context<'_>, plan: &Plan) -> Result<(), CliError> {
    let (unit, socket) = (systemd::service_unit(&plan.name), systemd::socket_unit(&plan.name));
    system::systemd_do(&["daemon-reload"])?;
    system::systemd_do(&["enable", "--", &socket, &unit])?;
    let own = system::systemd_pid(&unit);
    if context.running()?.is_some_and(|hello| own != Some(hello.pid)) {
        context.stop()?;
    }
    context.hang_up();
    if plan.is_changed() && own.is_some() {
        // A socket cannot be made anew while its service runs.
        system::systemd_do(&["stop", "--", &unit, &socket])?;
    }
    // One that failed too often before is tried again.
    let _ = system::systemd_do(&["reset-failed", "--", &unit]);
    if plan.is_changed() || own.is_none() {
        system::systemd_do(&["start", "--", &socket])?;
    }
    system::systemd_do(&["start", "--", &unit])?;
    Ok(())
}

/// Has launchd start the agent, in place of whatever daemon runs.
fn start_agent(context: &mut Context<'_>, plan: &Plan) -> Result<(), CliError> {
    let domain = system::launchd_domain();
    let file = plan.files.first().map(|(path, _)| path.display().to_string()).unwrap_or_default();
    // It is an error where there is none, which is what is wanted.
    let _ = system::launchctl(&["bootout", &format!("{domain}/{}", launchd::label(&plan.name))]);
    if context.running()?.is_some() {
        context.stop()?;
    }
    context.hang_up();
    Ok(system::launchctl(&["bootstrap", &domain, &file])?)
}

fn hints(context: &mut Context<'_>, manager: Manager) {
    match manager {
        Manager::Systemd if system::lingers() == Some(false) => {
            context.ui.hint("it runs while you are logged in: loginctl enable-linger has it run from boot on");
        }
        Manager::Autostart => {
            context.ui.hint("it starts when you log in at your desktop, and with your first keiko command");
        }
        Manager::Systemd | Manager::Launchd => {}
    }
}

impl Plan {
    fn is_changed(&self) -> bool {
        self.fates.iter().any(|fate| *fate != Fate::Unchanged)
    }

    /// Returns what is run behind the files.
    fn commands(&self) -> Vec<String> {
        let (unit, socket) = (systemd::service_unit(&self.name), systemd::socket_unit(&self.name));
        match self.manager {
            Manager::Systemd => vec![
                "systemctl --user daemon-reload".to_owned(),
                format!("systemctl --user enable {socket} {unit}"),
                format!("systemctl --user start {socket} {unit}"),
            ],
            Manager::Launchd => {
                let file = self.files.first().map(|(path, _)| path.display().to_string()).unwrap_or_default();
                vec![format!("launchctl bootstrap {} {file}", system::launchd_domain())]
            }
            Manager::Autostart => Vec::new(),
        }
    }

    fn to_json(&self, is_dry: bool) -> serde_json::Value {
        let file = |((path, text), fate): (&(PathBuf, String), &Fate)| {
            let text = is_dry.then_some(text);
            json!({ "path": path.display().to_string(), "fate": fate.as_str(), "text": text })
        };
        let files: Vec<_> = self.files.iter().zip(&self.fates).map(file).collect();
        json!({
            "schema_version": SCHEMA_VERSION, "dry_run": is_dry, "manager": self.manager.as_str(), "name": self.name,
            "files": files, "commands": self.commands(), "pid": null,
        })
    }

    /// Returns what would be done.
    fn shown(&self) -> Vec<Text> {
        let mut lines = Vec::new();
        for ((path, text), fate) in self.files.iter().zip(&self.fates) {
            let what = match fate {
                Fate::Written => "would write",
                Fate::Replaced => "would replace",
                Fate::Unchanged | Fate::Removed | Fate::Kept => "would leave as it is",
            };
            lines.push(Text::styled(HEAD, &format!("{what} {}", path.display())));
            lines.extend(text.lines().map(|line| Text::plain(format!("  {line}").trim_end())));
        }
        lines.extend(self.commands().iter().map(|command| Text::styled(DIM, &format!("would run {command}"))));
        lines
    }

    fn done(&self, pid: u32) -> Vec<Text> {
        let mut lines: Vec<Text> = Vec::new();
        for ((path, _), fate) in self.files.iter().zip(&self.fates) {
            lines.push(Text::plain(&format!("{} {}", fate.as_str(), path.display())));
        }
        let by = match self.manager {
            Manager::Systemd => "as a systemd service of yours",
            Manager::Launchd => "as a launchd agent of yours",
            Manager::Autostart => "and your desktop starts it at login",
        };
        lines.push(Text::plain(&format!("keikod runs {by} (pid {pid})")));
        lines
    }
}
