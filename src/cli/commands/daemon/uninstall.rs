//! `keiko daemon uninstall`: takes back what install did.

use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use crate::cli::context::Context;
use crate::cli::error::{CliError, Exit};
use crate::cli::render::text::Text;
use crate::cli::service::files::{self, Fate};
use crate::cli::service::{self, Folders, Manager, ServiceError, system};
use crate::config::paths::Paths;
use crate::protocol::SCHEMA_VERSION;
use crate::service::{launchd, systemd};

/// Takes back what install did, and nothing else
///
/// A service stops with it; the next keiko command starts keikod as before. Tasks, settings and logs stay. A file that somebody wrote or
/// changed stays too, and is named.
#[derive(Clone, Debug, Args)]
pub(super) struct Uninstall {
    /// Show what would be removed, and do nothing
    #[arg(long)]
    dry_run: bool,
}

impl Uninstall {
    /// Does it.
    pub(super) fn run(self, context: &mut Context<'_>) -> Result<Exit, CliError> {
        let paths = Paths::of_process()?;
        let folders = Folders::of_process()?;
        let name = service::name(&paths);
        let places = places(&folders, &name);
        if self.dry_run {
            let files: Vec<_> = places.iter().map(|(_, path)| path).filter(|path| path.is_file()).collect();
            let told: Vec<String> = files.iter().map(|path| path.display().to_string()).collect();
            let answer = json!({ "schema_version": SCHEMA_VERSION, "dry_run": true, "files": told });
            context.answer(&answer, &[], |_| match &told[..] {
                [] => vec![Text::plain("nothing is installed")],
                told => told.iter().map(|path| Text::plain(&format!("would remove {path}"))).collect(),
            });
            return Ok(Exit::Done);
        }
        // A service that somebody else wrote is theirs to stop, too.
        let is_ours = |of: Manager| places.iter().any(|(manager, path)| *manager == of && files::is_ours(path));
        let answers = is_ours(Manager::Systemd) && stop_units(context, &folders, &name)?;
        if is_ours(Manager::Launchd) {
            // One that does not run is none to be stopped.
            let _ = system::launchctl(&["bootout", &format!("{}/{}", system::launchd_domain(), launchd::label(&name))]);
        }
        let mut fates = Vec::new();
        for (_, path) in &places {
            if let Some(fate) = files::remove(path)? {
                fates.push((path.display().to_string(), fate));
            }
        }
        if answers {
            system::systemd_do(&["daemon-reload"])?;
        }
        if paths.find_place().is_ok_and(|found| found.is_kept) {
            paths.forget_socket()?;
        }
        let files: Vec<_> = fates.iter().map(|(path, fate)| json!({ "path": path, "fate": fate.as_str() })).collect();
        let answer = json!({ "schema_version": SCHEMA_VERSION, "dry_run": false, "files": files });
        let kept = fates.iter().filter(|(_, fate)| *fate == Fate::Kept);
        let warnings: Vec<String> =
            kept.map(|(path, _)| format!("{path} stays: keiko daemon install did not write it as it is")).collect();
        context.confirm(&answer, &warnings, |_| match &fates[..] {
            [] => vec![Text::plain("nothing was installed")],
            fates => {
                let removed = fates.iter().filter(|(_, fate)| *fate == Fate::Removed);
                removed.map(|(path, _)| Text::plain(&format!("removed {path}"))).collect()
            }
        });
        Ok(Exit::Done)
    }
}

/// Returns every file that install may have written, the service first.
fn places(folders: &Folders, name: &str) -> Vec<(Manager, PathBuf)> {
    let of = |manager, file: String| (manager, folders.of(manager).join(file));
    vec![
        of(Manager::Systemd, systemd::service_unit(name)),
        of(Manager::Systemd, systemd::socket_unit(name)),
        of(Manager::Autostart, format!("{name}.desktop")),
        of(Manager::Launchd, format!("{}.plist", launchd::label(name))),
    ]
}

/// Stops the service, and has it started no more; answers whether its manager was there to do so.
fn stop_units(context: &mut Context<'_>, folders: &Folders, name: &str) -> Result<bool, ServiceError> {
    let (unit, socket) = (systemd::service_unit(name), systemd::socket_unit(name));
    if system::systemd_answers().is_ok() {
        system::systemd_do(&["disable", "--now", "--", &socket, &unit])?;
        return Ok(true);
    }
    for link in folders.wants(name) {
        // Only a link: a file in its place is somebody else's.
        if link.symlink_metadata().is_ok_and(|found| found.is_symlink()) {
            std::fs::remove_file(&link).map_err(|source| ServiceError::Unusable {
                what: "remove",
                path: link,
                source,
            })?;
        }
    }
    context.ui.hint("no systemd manager of yours answers: a service that runs elsewhere goes on until it is stopped");
    Ok(false)
}
