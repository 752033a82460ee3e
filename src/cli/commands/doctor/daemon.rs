//! Are the programs of one version, does the system start the daemon, and does it run?

use crate::cli::commands::doctor::Known;
use crate::cli::commands::doctor::finding::Finding;
use crate::cli::error::CliError;
use crate::cli::service::files::{self, Fate};
use crate::cli::service::{self, Folders, Installed, Manager, system, tail};
use crate::cli::start;
use crate::cli::upgrade::{self, Age};
use crate::client::ClientError;
use crate::config::paths::Paths;
use crate::protocol::PROGRAM_VERSION;
use crate::protocol::examination::Examination;
use crate::service::systemd;

/// How many of the last lines of the log are looked through for an error.
const LOG_LINES: usize = 200;

/// How an error begins in a log, as text and as JSON.
const ERRORS: [&str; 2] = [" ERROR ", "\"level\":\"ERROR\""];

/// Looks whether the programs, and the daemon that runs, are of one version.
pub(super) fn versions(known: &Known, examination: Option<&Examination>, found: &mut Vec<Finding>) {
    let area = "versions";
    let mut told = format!("keiko {PROGRAM_VERSION}");
    if let Some(examination) = examination {
        told = format!("{told}, keikod {}, schema {}", examination.version, examination.schema);
        if examination.version != PROGRAM_VERSION {
            let mend = "install keiko and keikod of one version side by side".to_owned();
            return found.push(Finding::wrong(area, &format!("{told}: they are not of one version"), Some(mend)));
        }
    }
    let running = match known {
        Known::Answers { status, .. } => Some((status.version.clone(), status.protocol)),
        Known::Unasked { error: CliError::Client(ClientError::Version { version, found }) } => {
            Some((version.clone(), *found))
        }
        Known::Unasked { .. } | Known::Absent => None,
    };
    let Some((version, protocol)) = running else { return found.push(Finding::fine(area, &told)) };
    found.push(match upgrade::age(&version, protocol) {
        Age::Same => Finding::fine(area, &told),
        Age::Older => {
            let text = format!("{told}; the keikod that runs is still version {version}");
            Finding::wrong(area, &text, Some("keiko daemon restart".to_owned()))
        }
        Age::Newer => {
            let text = format!("{told}; the keikod that runs is version {version}");
            Finding::wrong(area, &text, Some(format!("install keiko {version}, or remove the older one from PATH")))
        }
    });
}

/// Looks whether the system starts the daemon.
pub(super) fn service(paths: &Paths, found: &mut Vec<Finding>) {
    let area = "service";
    let install = || Some("keiko daemon install".to_owned());
    let Some(installed) = service::installed(paths) else {
        return found.push(Finding::note(
            area,
            "after a reboot nothing rings until a keiko command has run",
            install(),
        ));
    };
    match installed.manager {
        Manager::Systemd => unit(&installed, found),
        Manager::Launchd => found.push(Finding::fine(area, "a launchd agent of yours")),
        Manager::Autostart => {
            found.push(Finding::fine(
                area,
                "your desktop starts keikod when you log in; nothing restarts it where it fails",
            ));
        }
    }
    // A package's own file is none of ours.
    let is_stale = Folders::of_process().is_ok_and(|folders| {
        let wanted =
            service::wanted(paths).and_then(|wanted| service::wanted_files(installed.manager, &wanted, &folders));
        let is_ours = installed.file.starts_with(folders.of(installed.manager));
        is_ours
            && wanted.is_ok_and(|files| {
                files::look(&files).is_ok_and(|fates| fates.iter().any(|fate| *fate != Fate::Unchanged))
            })
    });
    if is_stale {
        let text = "what is installed is not what would be installed now: another program, or other variables";
        found.push(Finding::note(area, text, install()));
    }
}

fn unit(installed: &Installed, found: &mut Vec<Finding>) {
    let area = "service";
    let unit = systemd::service_unit(&installed.name);
    let Some(state) = system::systemd_state(&unit) else {
        let text = format!("{unit} is installed, and no systemd manager of yours answers here");
        return found.push(Finding::note(area, &text, Some(format!("systemctl --user status {unit}"))));
    };
    found.push(match state.as_str() {
        "active" | "reloading" | "activating" => Finding::fine(area, &format!("{unit} is {state}")),
        // Who stopped it meant it.
        "inactive" => Finding::note(area, &format!("{unit} is stopped"), Some("keiko daemon start".to_owned())),
        _ => Finding::wrong(
            area,
            &format!("{unit} is {state}"),
            Some("keiko daemon logs, then keiko daemon restart".to_owned()),
        ),
    });
    if system::lingers() == Some(false) {
        let text = "it runs only while you are logged in";
        found.push(Finding::note(area, text, Some("loginctl enable-linger".to_owned())));
    }
}

/// Looks whether the daemon runs, and what it said last where it does not.
pub(super) fn process(paths: &Paths, known: &Known, found: &mut Vec<Finding>) {
    let area = "daemon";
    let restart = || Some("keiko daemon restart".to_owned());
    match known {
        Known::Answers { status, .. } => {
            found.push(Finding::fine(area, &format!("runs, pid {}, socket {}", status.pid, status.socket)));
            if let Some(trouble) = &status.storage {
                found.push(Finding::wrong("storage", &trouble.reason, Some(trouble.hint.clone())));
            }
        }
        Known::Absent => {
            let start = Some("keiko daemon start".to_owned());
            found.push(Finding::note(area, "does not run; the next keiko command starts it", start));
            if let Some(error) = last_error(paths) {
                let text = format!("the last error in its log: {error}");
                found.push(Finding::note(area, &text, Some("keiko daemon logs".to_owned())));
            }
        }
        Known::Unasked { error: CliError::Client(ClientError::Version { .. }) } => {}
        Known::Unasked { error } => {
            let text = match error {
                CliError::Client(ClientError::TimedOut { wait, .. }) => {
                    format!("it does not answer within {} s", wait.as_secs())
                }
                error => error.to_string(),
            };
            let mend = match error {
                // Only who hangs is to be killed.
                CliError::Client(ClientError::TimedOut { .. }) => match start::served_by(paths) {
                    Some(pid) => Some(format!("kill -9 {pid}, then keiko daemon start")),
                    None => restart(),
                },
                error => error.hint().or_else(restart),
            };
            found.push(Finding::wrong(area, &text, mend));
        }
    }
}

/// Returns the last error in the log of a daemon that is no service.
fn last_error(paths: &Paths) -> Option<String> {
    let lines = tail::Tail::open(&paths.log_file()).ok()??.last(LOG_LINES).ok()?;
    lines.into_iter().rev().find(|line| ERRORS.iter().any(|mark| line.contains(mark)))
}
