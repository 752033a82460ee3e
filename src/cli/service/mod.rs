//! Is the daemon kept running by the system, by what, and under which name? What is installed, and what would be.
//!
//! Looks at files and asks service managers. What the files say is [`crate::service`]'s.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

use crate::config::paths::{Paths, PathsError};
use crate::service::{Author, Service, Socket, TextError, autostart, launchd, systemd};

pub(crate) mod files;
pub(crate) mod system;
pub(crate) mod tail;

/// Where packages put units for everybody, most particular first (systemd.unit(5), "User Unit Search Path").
const PACKAGED: [&str; 3] = ["/etc/systemd/user", "/usr/local/lib/systemd/user", "/usr/lib/systemd/user"];

/// What the service and the socket are wanted by, below a folder of units.
const WANTED_BY: [&str; 2] = ["default.target.wants", "sockets.target.wants"];

/// The variables that say where Keiko's files lie. What they say at install holds for the service, which sees no shell.
const VARIABLES: [&str; 6] =
    ["KEIKO_CONFIG", "KEIKO_DATA_DIR", "KEIKO_SOCKET", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"];

/// What keeps the daemon running.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub(crate) enum Manager {
    /// A systemd service of yours, started at login (or at boot, where lingering is on) and again where it fails
    Systemd,
    /// A launchd agent of yours, on macOS
    Launchd,
    /// An entry by which your desktop starts it at login
    Autostart,
}

impl Manager {
    /// Returns the word for it, in JSON too.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Systemd => "systemd",
            Self::Launchd => "launchd",
            Self::Autostart => "autostart",
        }
    }
}

/// A daemon that the system starts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Installed {
    /// By what.
    pub(crate) manager: Manager,
    /// The name of the service.
    pub(crate) name: String,
    /// The file that says so.
    pub(crate) file: PathBuf,
}

/// Why the daemon cannot be set up, or what is set up cannot be changed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ServiceError {
    /// It is not known where such files lie.
    #[error("cannot tell where services lie: no home directory")]
    NoHome,
    /// A path cannot stand in a file.
    #[error(transparent)]
    Text(#[from] TextError),
    /// A place cannot be told.
    #[error(transparent)]
    Paths(#[from] PathsError),
    /// A file is somebody else's.
    #[error("cannot write {}: there is a file that keiko daemon install did not write", path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
    },
    /// A file was changed by somebody.
    #[error("cannot write {}: it was changed since keiko daemon install wrote it", path.display())]
    Changed {
        /// The file.
        path: PathBuf,
    },
    /// A file cannot be used.
    #[error("cannot {what} {}: {source}", path.display())]
    Unusable {
        /// What was attempted.
        what: &'static str,
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The program of the daemon is not there.
    #[error("cannot find the program keikod beside {}", keiko.display())]
    NoProgram {
        /// This program.
        keiko: PathBuf,
    },
    /// A service manager does not answer.
    #[error("cannot use {}: {why}", manager.as_str())]
    NoManager {
        /// Which.
        manager: Manager,
        /// Why.
        why: String,
    },
    /// A service manager refused.
    #[error("cannot {what}: {why}")]
    Refused {
        /// What was attempted.
        what: String,
        /// What it said.
        why: String,
    },
    /// There are no lines.
    #[error("cannot show what keikod said: there is no log at {}", path.display())]
    NoLog {
        /// Where it would be.
        path: PathBuf,
    },
}

impl ServiceError {
    /// Returns what to do next.
    pub(crate) fn hint(&self) -> Option<String> {
        match self {
            Self::Foreign { path } | Self::Changed { path } => {
                Some(format!("move {} away, then install again; keep changes in drop-ins", path.display()))
            }
            Self::NoProgram { .. } => Some("install keikod beside keiko".to_owned()),
            Self::NoManager { manager: Manager::Systemd, .. } => {
                Some("keiko daemon install --with autostart lets your desktop start it".to_owned())
            }
            Self::Refused { .. } => Some("keiko daemon logs shows what keikod said".to_owned()),
            Self::NoLog { .. } => Some("keiko daemon start starts keikod".to_owned()),
            Self::NoManager { .. } | Self::NoHome | Self::Text(_) | Self::Paths(_) | Self::Unusable { .. } => None,
        }
    }
}

/// Where the files of services lie.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Folders {
    /// Units of systemd.
    systemd: PathBuf,
    /// Entries that a desktop starts.
    autostart: PathBuf,
    /// Agents of launchd.
    launchd: PathBuf,
}

impl Folders {
    /// Returns where they lie for the person of this process.
    pub(crate) fn of_process() -> Result<Self, ServiceError> {
        let home = std::env::home_dir().filter(|home| home.is_absolute()).ok_or(ServiceError::NoHome)?;
        // The XDG Base Directory Specification: a relative path is not valid and is passed over.
        let config = std::env::var_os("XDG_CONFIG_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
        let config = config.unwrap_or_else(|| home.join(".config"));
        Ok(Self {
            systemd: config.join("systemd/user"),
            autostart: config.join("autostart"),
            launchd: home.join("Library/LaunchAgents"),
        })
    }

    /// Returns where the files of a manager lie.
    pub(crate) fn of(&self, manager: Manager) -> &Path {
        match manager {
            Manager::Systemd => &self.systemd,
            Manager::Launchd => &self.launchd,
            Manager::Autostart => &self.autostart,
        }
    }

    /// Returns the links by which a unit is started.
    pub(crate) fn wants(&self, name: &str) -> [PathBuf; 2] {
        let units = [systemd::service_unit(name), systemd::socket_unit(name)];
        [0, 1].map(|index| self.systemd.join(WANTED_BY[index]).join(&units[index]))
    }
}

/// Returns what the service of a data directory is called: every other one has a name of its own.
pub(crate) fn name(paths: &Paths) -> String {
    let is_other = std::env::var_os("KEIKO_DATA_DIR").is_some_and(|named| !named.is_empty());
    if is_other { format!("keikod-{}", paths.data_name()) } else { "keikod".to_owned() }
}

/// Returns by what the daemon of this person is started; `None` where nothing does. Looks at files alone.
pub(crate) fn installed(paths: &Paths) -> Option<Installed> {
    let folders = Folders::of_process().ok()?;
    let name = name(paths);
    let found = |manager, file: PathBuf| Some(Installed { manager, name: name.clone(), file });
    let agent = folders.launchd.join(format!("{}.plist", launchd::label(&name)));
    if cfg!(target_os = "macos") {
        return agent.is_file().then_some(agent).and_then(|file| found(Manager::Launchd, file));
    }
    let unit = systemd::service_unit(&name);
    let homes = [folders.systemd.as_path()].into_iter().chain(PACKAGED.map(Path::new));
    let units = homes.clone().map(|folder| folder.join(&unit)).find(|file| file.is_file());
    let is_wanted = || homes.clone().any(|folder| folder.join(WANTED_BY[0]).join(&unit).symlink_metadata().is_ok());
    if let Some(file) = units.filter(|_| is_wanted()) {
        return found(Manager::Systemd, file);
    }
    let entry = folders.autostart.join(format!("{name}.desktop"));
    // Desktops hide an entry that the person turned off.
    let is_on = |text: String| !text.lines().any(|line| line.replace(' ', "").eq_ignore_ascii_case("hidden=true"));
    std::fs::read_to_string(&entry).is_ok_and(is_on).then_some(entry).and_then(|file| found(Manager::Autostart, file))
}

/// Returns the service that would be installed now.
pub(crate) fn wanted(paths: &Paths) -> Result<Service, ServiceError> {
    let keiko = std::env::current_exe().map_err(|source| ServiceError::Unusable {
        what: "find",
        path: PathBuf::from("keiko"),
        source,
    })?;
    let daemon = keiko.with_file_name("keikod");
    if !daemon.is_file() {
        return Err(ServiceError::NoProgram { keiko });
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let socket = match paths.named_socket() {
        Some(socket) => Socket::At(socket.to_owned()),
        // Another name than a daemon takes by itself, so that one that was started otherwise finds its own place free.
        None => Socket::InRuntimeDir(format!("service-{}.sock", paths.data_name())),
    };
    Ok(Service {
        name: name(paths),
        daemon: as_in_path(&daemon, &path),
        keiko: as_in_path(&keiko, &path),
        variables: variables(|name| std::env::var_os(name))?,
        socket,
        log: paths.log_file(),
        author: Author::Install,
    })
}

/// Returns the files of the service that would be installed, each with its path.
pub(crate) fn wanted_files(
    manager: Manager,
    service: &Service,
    folders: &Folders,
) -> Result<Vec<(PathBuf, String)>, ServiceError> {
    let files = match manager {
        Manager::Systemd => systemd::files(service)?,
        Manager::Launchd => vec![launchd::file(service)?],
        Manager::Autostart => vec![autostart::file(service)?],
    };
    Ok(files.into_iter().map(|file| (folders.of(manager).join(file.name), file.text)).collect())
}

/// Returns the variables that hold now, their paths whole.
fn variables(of: impl Fn(&str) -> Option<OsString>) -> Result<Vec<(String, PathBuf)>, ServiceError> {
    let mut variables = Vec::new();
    for name in VARIABLES {
        let Some(path) = of(name).filter(|path| !path.is_empty()).map(PathBuf::from) else { continue };
        let is_ours = name.starts_with("KEIKO_");
        if is_ours {
            let whole = std::path::absolute(&path);
            let whole = whole.map_err(|source| ServiceError::Unusable { what: "find", path, source })?;
            variables.push((name.to_owned(), whole));
        } else if path.is_absolute() {
            variables.push((name.to_owned(), path));
        }
    }
    Ok(variables)
}

/// Returns a program by the name under which PATH has it, which stays when a new version takes the place of the file behind.
fn as_in_path(program: &Path, path: &OsString) -> PathBuf {
    let Some(name) = program.file_name() else { return program.to_owned() };
    let real = program.canonicalize().ok();
    let mut places = std::env::split_paths(path).filter(|folder| folder.is_absolute()).map(|folder| folder.join(name));
    places.find(|place| real.is_some() && place.canonicalize().ok() == real).unwrap_or_else(|| program.to_owned())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_program_is_called_by_the_name_that_path_has_for_it() {
        let root = tempfile::tempdir().unwrap();
        let at = |name: &str| root.path().join(name);
        fs::create_dir(at("cellar")).unwrap();
        fs::create_dir(at("bin")).unwrap();
        fs::write(at("cellar/keikod"), "").unwrap();
        let path = std::env::join_paths([at("absent"), at("bin")]).unwrap();
        assert_eq!(as_in_path(&at("cellar/keikod"), &path), at("cellar/keikod"));
        std::os::unix::fs::symlink(at("cellar/keikod"), at("bin/keikod")).unwrap();
        assert_eq!(as_in_path(&at("cellar/keikod"), &path), at("bin/keikod"));
        fs::remove_file(at("bin/keikod")).unwrap();
        fs::write(at("bin/keikod"), "another").unwrap();
        assert_eq!(as_in_path(&at("cellar/keikod"), &path), at("cellar/keikod"));
    }

    #[test]
    fn what_says_where_files_lie_is_kept_and_whole() {
        let of = |name: &str| match name {
            "KEIKO_DATA_DIR" => Some("data".into()),
            "KEIKO_CONFIG" => Some(OsString::new()),
            "XDG_DATA_HOME" => Some("/data".into()),
            "XDG_STATE_HOME" => Some("relative".into()),
            _ => None,
        };
        let here = std::env::current_dir().unwrap();
        let kept = [("KEIKO_DATA_DIR".to_owned(), here.join("data")), ("XDG_DATA_HOME".to_owned(), "/data".into())];
        assert_eq!(variables(of).unwrap(), kept);
    }
}
