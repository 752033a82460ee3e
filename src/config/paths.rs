//! Where does each file of Keiko lie?
//!
//! By the platform's conventions, unless `KEIKO_CONFIG`, `KEIKO_DATA_DIR` or `KEIKO_SOCKET` say otherwise. Never reads
//! the process's environment but in [`Environment::of_process`].
//!
//! # The socket
//!
//! One daemon serves one data directory, and whoever names that directory must reach that daemon, whatever else is in
//! their environment: a login shell has `XDG_RUNTIME_DIR`, cron and ssh may not. So the place of the socket is not
//! computed twice. The daemon, which holds the lock of the data directory, takes the best place that its own
//! environment has ([`Paths::prepare_socket`]) and writes it into the data directory ([`Paths::announce_socket`]);
//! everybody else reads it there ([`Paths::find_socket`]).
//!
//! The places, best first: `KEIKO_SOCKET`; `$XDG_RUNTIME_DIR/keiko/keikod-HASH.sock`, where that directory is the
//! user's alone; `/tmp/keiko-UID-HASH/keikod.sock`, unless somebody else took that name first; `keikod.sock` in the data
//! directory, where its path is short enough. HASH names the data directory, so that two of them never meet in
//! one socket.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use uuid::Uuid;

use crate::config::file::Origin;
use crate::config::private_dir::{self, PrivateDirError};

/// The longest path that a socket may have, in bytes: the system keeps one more for the end.
pub const SOCKET_PATH_MAX: usize = if cfg!(target_os = "linux") { 107 } else { 103 };

/// Where short private directories go. Not `TMPDIR`, which differs between sessions and may be long.
const SHORT_DIR: &str = "/tmp";

/// The file in the data directory that says where the socket is.
const SOCKET_NAME_FILE: &str = "keikod.socket";

/// What was attempted where a directory cannot be made.
const MAKE_DIRECTORY: &str = "make the directory";

/// What stands behind the path in that file where the socket is a service manager's: it is listened on while no daemon runs,
/// and who calls there starts one.
const KEPT: &[u8] = b"\nkept by the service manager\n";

/// What the places depend on.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Environment {
    /// `KEIKO_CONFIG`.
    pub keiko_config: Option<OsString>,
    /// `KEIKO_DATA_DIR`.
    pub keiko_data_dir: Option<OsString>,
    /// `KEIKO_SOCKET`.
    pub keiko_socket: Option<OsString>,
    /// `XDG_RUNTIME_DIR`.
    pub runtime_dir: Option<OsString>,
    /// Where this platform keeps the three kinds of files, `None` where there is no home.
    pub home: Option<Home>,
    /// The user that the process acts for.
    pub user: u32,
}

/// Where this platform keeps a program's files.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Home {
    /// Configuration.
    pub config_dir: PathBuf,
    /// Data.
    pub data_dir: PathBuf,
    /// Logs.
    pub state_dir: PathBuf,
}

impl Environment {
    /// Returns the environment of this process.
    #[must_use]
    pub fn of_process() -> Self {
        let home = directories::ProjectDirs::from("", "", "keiko").map(|home| Home {
            config_dir: home.config_dir().to_owned(),
            data_dir: home.data_dir().to_owned(),
            state_dir: home.state_dir().unwrap_or(home.data_local_dir()).to_owned(),
        });
        Self {
            keiko_config: std::env::var_os("KEIKO_CONFIG"),
            keiko_data_dir: std::env::var_os("KEIKO_DATA_DIR"),
            keiko_socket: std::env::var_os("KEIKO_SOCKET"),
            runtime_dir: std::env::var_os("XDG_RUNTIME_DIR"),
            home,
            user: private_dir::user(),
        }
    }
}

/// Where each file lies. All paths are absolute.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Paths {
    config_file: PathBuf,
    config_origin: Origin,
    data_dir: PathBuf,
    log_dir: PathBuf,
    socket: Option<PathBuf>,
    runtime_dir: Option<PathBuf>,
    user: u32,
}

/// Where a daemon is to listen.
#[derive(Debug)]
pub struct SocketPlace {
    /// The socket. Its directory is there.
    pub path: PathBuf,
    /// Why it is not in the runtime directory, where that was to be.
    pub passed_over: Option<PathsError>,
}

/// Where a daemon listens, or would.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Found {
    /// The socket.
    pub path: PathBuf,
    /// Whether a service manager listens there while no daemon runs.
    pub is_kept: bool,
}

/// Who made a socket, and removes it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Keeper {
    /// The daemon, for as long as it runs.
    Daemon,
    /// A service manager, which starts the daemon for whoever calls.
    Manager,
}

/// Why a place cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum PathsError {
    /// Nothing says where the person's files are.
    #[error("cannot tell where to keep {what}: no home directory, and {variable} is not set")]
    NoHome {
        /// What is to be kept.
        what: &'static str,
        /// The variable that would tell.
        variable: &'static str,
    },
    /// The present directory is needed to understand a path, and is gone.
    #[error("cannot tell where {} is: {source}", path.display())]
    Relative {
        /// The path.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The system takes no socket of this path.
    #[error("cannot use the socket {}: its path has {length} bytes, at most {SOCKET_PATH_MAX} are possible", path.display())]
    SocketPathTooLong {
        /// The socket.
        path: PathBuf,
        /// Its length in bytes.
        length: usize,
    },
    /// There is no runtime directory.
    #[error("cannot use the runtime directory: XDG_RUNTIME_DIR is not set")]
    NoRuntimeDir,
    /// A directory is not ours alone.
    #[error(transparent)]
    NotPrivate {
        /// Why.
        #[from]
        source: PrivateDirError,
    },
    /// A file or directory cannot be made or read.
    #[error("cannot {what} {}: {source}", path.display())]
    Unusable {
        /// What was attempted.
        what: &'static str,
        /// The file or directory.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}

impl PathsError {
    /// Returns what mends it, where that is known: a command, or what to look at.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::NotPrivate { source } => source.hint(),
            Self::Unusable { what: MAKE_DIRECTORY, .. } => Some(private_dir::ELSEWHERE.to_owned()),
            Self::SocketPathTooLong { .. } => Some("KEIKO_SOCKET names a shorter one".to_owned()),
            Self::NoHome { .. } | Self::Relative { .. } | Self::NoRuntimeDir | Self::Unusable { .. } => None,
        }
    }

    /// Returns whether the disk was full.
    #[must_use]
    pub fn is_full(&self) -> bool {
        match self {
            Self::Unusable { source, .. } => {
                matches!(source.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded)
            }
            Self::NoHome { .. }
            | Self::Relative { .. }
            | Self::SocketPathTooLong { .. }
            | Self::NoRuntimeDir
            | Self::NotPrivate { .. } => false,
        }
    }
}

impl Paths {
    /// Returns where the files of this process's user lie.
    ///
    /// # Errors
    /// There is no home directory, and the variables do not say.
    pub fn of_process() -> Result<Self, PathsError> {
        Self::of(&Environment::of_process())
    }

    /// Returns where the files lie in an environment. Looks at no file.
    ///
    /// # Errors
    /// There is no home directory, and the variables do not say.
    pub fn of(environment: &Environment) -> Result<Self, PathsError> {
        let home = environment.home.as_ref();
        let named_config = named(environment.keiko_config.as_ref())?;
        let named_data_dir = named(environment.keiko_data_dir.as_ref())?;
        let config_origin = if named_config.is_some() { Origin::Named } else { Origin::Default };
        let no_home = |what, variable| move || PathsError::NoHome { what, variable };
        // A data directory of its own is a daemon of its own, whose log is not to mix with another's.
        let log_dir = match (&named_data_dir, home) {
            (Some(named), _) => named.clone(),
            (None, Some(home)) => home.state_dir.clone(),
            (None, None) => return Err(no_home("tasks", "KEIKO_DATA_DIR")()),
        };
        Ok(Self {
            config_file: named_config
                .or_else(|| home.map(|home| home.config_dir.join("config.toml")))
                .ok_or_else(no_home("the configuration", "KEIKO_CONFIG"))?,
            config_origin,
            data_dir: named_data_dir
                .or_else(|| home.map(|home| home.data_dir.clone()))
                .ok_or_else(no_home("tasks", "KEIKO_DATA_DIR"))?,
            log_dir,
            socket: named(environment.keiko_socket.as_ref())?,
            // The specification of XDG_RUNTIME_DIR: a relative path is not valid and is passed over.
            runtime_dir: environment.runtime_dir.as_ref().map(PathBuf::from).filter(|path| path.is_absolute()),
            user: environment.user,
        })
    }

    /// Returns the configuration file, which need not be there.
    #[must_use]
    pub fn config_file(&self) -> &Path {
        &self.config_file
    }

    /// Returns whether the configuration file was asked for by name.
    #[must_use]
    pub const fn config_origin(&self) -> Origin {
        self.config_origin
    }

    /// Returns the data directory.
    #[must_use]
    pub fn data_dir(&self) -> &Path {
        &self.data_dir
    }

    /// Returns the database.
    #[must_use]
    pub fn database(&self) -> PathBuf {
        self.data_dir.join("keiko.db")
    }

    /// Returns the file of the hooks that programs registered, and of how far each hook has come.
    #[must_use]
    pub fn hooks_file(&self) -> PathBuf {
        self.data_dir.join("hooks.json")
    }

    /// Returns the file of the numbers that chats of Telegram have in place of those that are configured.
    #[must_use]
    pub fn moved_chats_file(&self) -> PathBuf {
        self.data_dir.join("telegram.json")
    }

    /// Returns the file whose presence says that the person was told what a reboot means.
    #[must_use]
    pub fn reboot_told_file(&self) -> PathBuf {
        self.data_dir.join("told-of-reboot")
    }

    /// Returns the folder for backups for which nobody names a place.
    #[must_use]
    pub fn backup_dir(&self) -> PathBuf {
        self.data_dir.join("backups")
    }

    /// Returns the file whose lock one daemon holds.
    #[must_use]
    pub fn lock_file(&self) -> PathBuf {
        self.data_dir.join("keiko.lock")
    }

    /// Returns the file whose lock the process that runs commands holds.
    #[must_use]
    pub fn runner_lock_file(&self) -> PathBuf {
        self.data_dir.join("runner.lock")
    }

    /// Returns where the process that runs commands may listen, best first. What they are depends on nothing but the data
    /// directory: the next daemon, whatever else is in its environment, finds the commands of the one before.
    #[must_use]
    pub fn runner_sockets(&self) -> Vec<PathBuf> {
        let beside_data = self.socket_beside_data().with_file_name("runner.sock");
        let short = self.short_socket().with_file_name("runner.sock");
        // A file system may take no sockets.
        [beside_data, short].into_iter().filter(|path| check_length(path).is_ok()).collect()
    }

    /// Returns the log of a daemon that runs in the background.
    #[must_use]
    pub fn log_file(&self) -> PathBuf {
        self.log_dir.join("keikod.log")
    }

    /// Makes the directories of the data and the log where they are missing, for this user alone.
    ///
    /// # Errors
    /// They cannot be made, or are somebody else's.
    pub fn create_dirs(&self) -> Result<(), PathsError> {
        for path in [&self.data_dir, &self.log_dir] {
            if let Some(above) = path.parent() {
                fs::create_dir_all(above).map_err(|source| PathsError::Unusable {
                    what: MAKE_DIRECTORY,
                    path: above.to_owned(),
                    source,
                })?;
            }
            // A directory that the person made, or linked to another disk, stays as it is.
            if !path.is_dir() {
                private_dir::create(path, self.user)?;
            }
        }
        Ok(())
    }

    /// Returns where the daemon is to listen, and makes the directory of that place. The data directory must be there.
    ///
    /// # Errors
    /// `KEIKO_SOCKET` is too long or its directory cannot be made, or even the short place is taken by somebody else.
    pub fn prepare_socket(&self) -> Result<SocketPlace, PathsError> {
        if let Some(path) = &self.socket {
            check_length(path)?;
            // One that is there is the person's choice and stays as it is.
            if !directory_of(path).is_dir() {
                private_dir::create(directory_of(path), self.user)?;
            }
            return Ok(SocketPlace { path: path.clone(), passed_over: None });
        }
        match self.socket_in_runtime_dir() {
            Ok(path) => Ok(SocketPlace { path, passed_over: None }),
            Err(passed_over) => {
                let path = self.short_socket();
                check_length(&path)?;
                let Err(taken) = private_dir::create(directory_of(&path), self.user) else {
                    return Ok(SocketPlace { path, passed_over: Some(passed_over) });
                };
                // Anybody may take a name in a directory of all, but not one in our own.
                let path = self.socket_beside_data();
                match check_length(&path) {
                    Ok(()) => Ok(SocketPlace { path, passed_over: Some(taken.into()) }),
                    Err(_) => Err(taken.into()),
                }
            }
        }
    }

    /// Tells everybody who names this data directory where its daemon listens. For the holder of the lock only.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn announce_socket(&self, socket: &Path, keeper: Keeper) -> Result<(), PathsError> {
        let path = self.announcement();
        let draft = self.data_dir.join(format!("{SOCKET_NAME_FILE}.new"));
        let told = match keeper {
            Keeper::Daemon => socket.as_os_str().as_encoded_bytes().to_vec(),
            Keeper::Manager => [socket.as_os_str().as_encoded_bytes(), KEPT].concat(),
        };
        // What a killed daemon left may still be true, and costs no room on a full disk.
        let is_told = fs::read(&path).is_ok_and(|found| found == told);
        // Where the socket itself is there all along, whoever waits for a daemon sees it come by the file that says so.
        if is_told && keeper == Keeper::Daemon {
            return Ok(());
        }
        // Renamed into place, so that nobody reads half a path.
        match fs::write(&draft, &told).and_then(|()| fs::rename(&draft, &path)) {
            Ok(()) => Ok(()),
            Err(source) => {
                // It is of no use to anybody, and takes room.
                let _ = fs::remove_file(&draft);
                if is_told { Ok(()) } else { Err(PathsError::Unusable { what: "write", path, source }) }
            }
        }
    }

    /// Returns where everybody looks for the daemon when nothing is announced, and makes the directory of that place; `None`
    /// where `KEIKO_SOCKET` says it.
    ///
    /// # Errors
    /// The place is somebody else's, or cannot be made.
    pub fn prepare_unannounced(&self) -> Result<Option<PathBuf>, PathsError> {
        if self.socket.is_some() {
            return Ok(None);
        }
        let path = self.short_socket();
        private_dir::create(directory_of(&path), self.user)?;
        Ok(Some(path))
    }

    /// Returns the file that says where the daemon listens.
    #[must_use]
    pub fn announcement(&self) -> PathBuf {
        self.data_dir.join(SOCKET_NAME_FILE)
    }

    /// Takes the announcement back. For the holder of the lock, and for whoever found nobody there: a daemon that lives
    /// sees it and announces itself anew. A socket that a service manager keeps stays announced: it outlives each daemon.
    ///
    /// # Errors
    /// The file is there and cannot be removed.
    pub fn withdraw_socket(&self) -> Result<(), PathsError> {
        match self.announced_socket() {
            Ok(Some(Found { is_kept: true, .. })) => Ok(()),
            Ok(_) | Err(_) => self.forget_socket(),
        }
    }

    /// Takes the announcement back, whoever keeps the socket. For whoever took that socket away.
    ///
    /// # Errors
    /// The file is there and cannot be removed.
    pub fn forget_socket(&self) -> Result<(), PathsError> {
        let path = self.announcement();
        match fs::remove_file(&path) {
            Err(source) if source.kind() != io::ErrorKind::NotFound => {
                Err(PathsError::Unusable { what: "remove", path, source })
            }
            Ok(()) | Err(_) => Ok(()),
        }
    }

    /// Returns where the daemon of this data directory listens, or would; to be asked anew before each attempt.
    ///
    /// What is announced may be stale: nobody may listen there. But it is never in a directory in which a stranger
    /// could listen in the daemon's place.
    ///
    /// # Errors
    /// The place is somebody else's, or `KEIKO_SOCKET` is too long.
    pub fn find_socket(&self) -> Result<PathBuf, PathsError> {
        Ok(self.find_place()?.path)
    }

    /// Returns what [`Paths::find_socket`] does, and who keeps the socket.
    ///
    /// # Errors
    /// As there.
    pub fn find_place(&self) -> Result<Found, PathsError> {
        if let Some(path) = &self.socket {
            check_length(path)?;
            // What cannot be read here says nothing against the path that was named.
            let announced = self.announced_socket().ok().flatten();
            let is_kept = announced.is_some_and(|found| found.is_kept && found.path == *path);
            return Ok(Found { path: path.clone(), is_kept });
        }
        let own = |path| Found { path, is_kept: false };
        let announced = self.announced_socket()?;
        let is_announced = announced.is_some();
        let found = announced.unwrap_or_else(|| own(self.short_socket()));
        match private_dir::check(directory_of(&found.path), self.user) {
            // Nobody can listen where there is no directory, and the caller finds that out.
            Err(PrivateDirError::Unusable { source, .. }) if source.kind() == io::ErrorKind::NotFound => Ok(found),
            Err(source) if is_announced => Err(source.into()),
            // Nothing of ours is where a stranger is: the daemon, once it is started, announces where it found room.
            Err(_) => Ok(own(self.socket_beside_data())),
            Ok(()) => Ok(found),
        }
    }

    /// Returns where the daemon of this data directory would listen if it were started now; nothing is made for it.
    #[must_use]
    pub fn socket_of_next(&self) -> PathBuf {
        let in_runtime_dir = || {
            let runtime_dir = self.runtime_dir.as_ref()?;
            private_dir::is_runtime_dir(runtime_dir, self.user).ok()?;
            let path = runtime_dir.join("keiko").join(self.socket_name());
            check_length(&path).ok().map(|()| path)
        };
        self.socket.clone().or_else(in_runtime_dir).unwrap_or_else(|| self.short_socket())
    }

    fn socket_name(&self) -> String {
        format!("keikod-{}.sock", self.hash())
    }

    /// Returns the socket that `KEIKO_SOCKET` names.
    #[must_use]
    pub fn named_socket(&self) -> Option<&Path> {
        self.socket.as_deref()
    }

    fn announced_socket(&self) -> Result<Option<Found>, PathsError> {
        let path = self.announcement();
        match fs::read(&path) {
            Ok(mut bytes) => {
                let is_kept = bytes.ends_with(KEPT);
                if is_kept {
                    bytes.truncate(bytes.len() - KEPT.len());
                }
                let socket = path_of_bytes(bytes);
                Ok(socket.is_absolute().then_some(Found { path: socket, is_kept }))
            }
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => Ok(None),
            Err(source) => Err(PathsError::Unusable { what: "read", path, source }),
        }
    }

    fn socket_in_runtime_dir(&self) -> Result<PathBuf, PathsError> {
        let runtime_dir = self.runtime_dir.as_ref().ok_or(PathsError::NoRuntimeDir)?;
        private_dir::is_runtime_dir(runtime_dir, self.user)?;
        let directory = runtime_dir.join("keiko");
        let path = directory.join(self.socket_name());
        check_length(&path)?;
        private_dir::create(&directory, self.user)?;
        Ok(path)
    }

    fn short_socket(&self) -> PathBuf {
        Path::new(SHORT_DIR).join(format!("keiko-{}-{}", self.user, self.hash())).join("keikod.sock")
    }

    fn socket_beside_data(&self) -> PathBuf {
        // By its real name, which is no link: the directory of a socket must not be one.
        fs::canonicalize(&self.data_dir).unwrap_or_else(|_| self.data_dir.clone()).join("keikod.sock")
    }

    /// Returns a short name of the data directory, the same by whichever links it is reached, for what is not to be shared with
    /// another one.
    #[must_use]
    pub fn data_name(&self) -> String {
        self.hash()
    }

    fn hash(&self) -> String {
        let real = fs::canonicalize(&self.data_dir).unwrap_or_else(|_| self.data_dir.clone());
        let mut name = Uuid::new_v5(&Uuid::NAMESPACE_URL, real.as_os_str().as_encoded_bytes()).simple().to_string();
        name.truncate(12);
        name
    }
}

/// Returns the absolute path that a variable names; one that is empty counts as not set.
fn named(variable: Option<&OsString>) -> Result<Option<PathBuf>, PathsError> {
    let Some(path) = variable.filter(|value| !value.is_empty()).map(PathBuf::from) else { return Ok(None) };
    match std::path::absolute(&path) {
        Ok(absolute) => Ok(Some(absolute)),
        Err(source) => Err(PathsError::Relative { path, source }),
    }
}

fn check_length(path: &Path) -> Result<(), PathsError> {
    let length = path.as_os_str().len();
    if length <= SOCKET_PATH_MAX {
        Ok(())
    } else {
        Err(PathsError::SocketPathTooLong { path: path.to_owned(), length })
    }
}

fn directory_of(socket: &Path) -> &Path {
    // Only the root has none above it, and no socket can be bound there.
    socket.parent().unwrap_or(socket)
}

#[cfg(unix)]
fn path_of_bytes(bytes: Vec<u8>) -> PathBuf {
    use std::os::unix::ffi::OsStringExt;

    PathBuf::from(OsString::from_vec(bytes))
}

#[cfg(not(unix))]
fn path_of_bytes(bytes: Vec<u8>) -> PathBuf {
    PathBuf::from(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use tempfile::TempDir;

    use super::*;

    /// A person's home and runtime directory; what lands in the shared short directory is removed at the end.
    struct Person {
        root: TempDir,
        environment: Environment,
    }

    impl Person {
        fn new() -> Self {
            Self::with_home("home")
        }

        fn with_home(home: &str) -> Self {
            let root = tempfile::tempdir().unwrap();
            let runtime_dir = root.path().join("run");
            fs::create_dir(&runtime_dir).unwrap();
            fs::set_permissions(&runtime_dir, fs::Permissions::from_mode(0o700)).unwrap();
            let home = root.path().join(home);
            let environment = Environment {
                runtime_dir: Some(runtime_dir.into()),
                home: Some(Home {
                    config_dir: home.join(".config/keiko"),
                    data_dir: home.join(".local/share/keiko"),
                    state_dir: home.join(".local/state/keiko"),
                }),
                user: private_dir::user(),
                ..Environment::default()
            };
            Self { root, environment }
        }

        fn paths(&self) -> Paths {
            let paths = Paths::of(&self.environment).unwrap();
            paths.create_dirs().unwrap();
            paths
        }

        /// The same person without a session, as under cron, ssh and `env -i`.
        fn paths_without_session(&self) -> Paths {
            Paths::of(&Environment { runtime_dir: None, ..self.environment.clone() }).unwrap()
        }
    }

    #[test]
    fn where_nothing_is_announced_the_place_of_the_next_daemon_is_named() {
        let person = Person::new();
        let paths = person.paths();
        let next = paths.socket_of_next();
        assert!(next.starts_with(person.root.path().join("run/keiko")), "{next:?}");
        assert!(!directory_of(&next).exists(), "looking makes nothing");
        assert_eq!(paths.prepare_socket().unwrap().path, next);
        let without = person.paths_without_session();
        assert_eq!(without.socket_of_next(), without.short_socket());
    }

    impl Drop for Person {
        fn drop(&mut self) {
            let short = self.paths_without_session().short_socket();
            // Most tests make none.
            let _ = fs::remove_dir(directory_of(&short));
        }
    }

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn files_lie_where_the_platform_keeps_them() {
        let person = Person::new();
        let paths = person.paths();
        let home = person.root.path().join("home");
        assert_eq!(paths.config_file(), home.join(".config/keiko/config.toml"));
        assert_eq!(paths.config_origin(), Origin::Default);
        assert_eq!(paths.database(), home.join(".local/share/keiko/keiko.db"));
        assert_eq!(paths.lock_file(), home.join(".local/share/keiko/keiko.lock"));
        assert_eq!(paths.log_file(), home.join(".local/state/keiko/keikod.log"));
        assert_eq!(mode(paths.data_dir()), 0o700);
    }

    #[test]
    fn the_variables_say_otherwise() {
        let mut person = Person::new();
        let root = person.root.path().to_owned();
        person.environment.keiko_config = Some(root.join("my.toml").into());
        person.environment.keiko_data_dir = Some(root.join("data").into());
        person.environment.keiko_socket = Some(root.join("my.sock").into());
        let paths = person.paths();
        assert_eq!((paths.config_file(), paths.config_origin()), (&*root.join("my.toml"), Origin::Named));
        assert_eq!(paths.database(), root.join("data/keiko.db"));
        assert_eq!(paths.log_file(), root.join("data/keikod.log"), "a daemon of its own has a log of its own");
        assert_eq!(paths.prepare_socket().unwrap().path, root.join("my.sock"));
        assert_eq!(paths.find_socket().unwrap(), root.join("my.sock"));
    }

    #[test]
    fn an_empty_variable_counts_as_not_set() {
        let mut person = Person::new();
        let plain = person.paths();
        let empty = Some(OsString::new());
        person.environment.keiko_config = empty.clone();
        person.environment.keiko_data_dir = empty.clone();
        person.environment.keiko_socket = empty;
        assert_eq!(person.paths(), plain);
    }

    #[test]
    fn without_a_home_the_variables_must_say() {
        let mut environment = Environment::default();
        assert!(matches!(Paths::of(&environment), Err(PathsError::NoHome { variable: "KEIKO_DATA_DIR", .. })));
        environment.keiko_data_dir = Some("/data".into());
        assert!(matches!(Paths::of(&environment), Err(PathsError::NoHome { variable: "KEIKO_CONFIG", .. })));
        environment.keiko_config = Some("/config.toml".into());
        assert_eq!(Paths::of(&environment).unwrap().database(), Path::new("/data/keiko.db"));
    }

    #[test]
    fn the_socket_lies_in_the_runtime_directory() {
        let person = Person::new();
        let place = person.paths().prepare_socket().unwrap();
        assert!(place.passed_over.is_none());
        assert_eq!(directory_of(&place.path), person.root.path().join("run/keiko"));
        assert_eq!(mode(directory_of(&place.path)), 0o700);
    }

    #[test]
    fn two_data_directories_never_share_a_socket() {
        let mut person = Person::new();
        let first = person.paths().prepare_socket().unwrap().path;
        person.environment.keiko_data_dir = Some(person.root.path().join("other").into());
        let second = person.paths().prepare_socket().unwrap().path;
        assert_ne!(first, second);
        assert_eq!(directory_of(&first), directory_of(&second));
    }

    #[test]
    fn a_data_directory_has_one_socket_by_whichever_link_it_is_reached() {
        let mut person = Person::new();
        let first = person.paths().prepare_socket().unwrap().path;
        let link = person.root.path().join("link");
        std::os::unix::fs::symlink(person.paths().data_dir(), &link).unwrap();
        person.environment.keiko_data_dir = Some(link.into());
        assert_eq!(person.paths().prepare_socket().unwrap().path, first);
    }

    #[test]
    fn b47_with_and_without_a_session_the_same_daemon_is_reached() {
        let person = Person::new();
        let (with, without) = (person.paths(), person.paths_without_session());
        for daemon in [&with, &without] {
            let socket = daemon.prepare_socket().unwrap().path;
            daemon.announce_socket(&socket, Keeper::Daemon).unwrap();
            assert_eq!(with.find_socket().unwrap(), socket);
            assert_eq!(without.find_socket().unwrap(), socket);
            daemon.withdraw_socket().unwrap();
        }
        with.withdraw_socket().unwrap();
    }

    #[test]
    fn b47_a_strangers_runtime_directory_is_passed_over() {
        let mut person = Person::new();
        let run = person.root.path().join("run");
        let paths = person.paths();
        let mut foreign = paths.clone();
        foreign.user += 1;
        assert!(matches!(
            foreign.socket_in_runtime_dir(),
            Err(PathsError::NotPrivate { source: PrivateDirError::Foreign { .. } })
        ));
        fs::set_permissions(&run, fs::Permissions::from_mode(0o777)).unwrap();
        let place = paths.prepare_socket().unwrap();
        assert_eq!(place.path, paths.short_socket());
        assert!(matches!(place.passed_over, Some(PathsError::NotPrivate { source: PrivateDirError::Open { .. } })));
        person.environment.runtime_dir = Some("relative".into());
        assert!(matches!(person.paths().prepare_socket().unwrap().passed_over, Some(PathsError::NoRuntimeDir)));
        person.environment.runtime_dir = Some(person.root.path().join("absent").into());
        assert_eq!(person.paths().prepare_socket().unwrap().path, paths.short_socket());
    }

    #[test]
    fn b25_a_long_home_with_wide_letters_gets_a_short_private_socket() {
        let mut person = Person::with_home(&format!("{}/{}", "家".repeat(30), "庭".repeat(30)));
        person.environment.runtime_dir = None;
        let paths = person.paths();
        let place = paths.prepare_socket().unwrap();
        assert!(place.path.as_os_str().len() <= SOCKET_PATH_MAX);
        assert_eq!(mode(directory_of(&place.path)), 0o700);
        std::os::unix::net::UnixListener::bind(&place.path).unwrap();
        fs::remove_file(&place.path).unwrap();
        paths.announce_socket(&place.path, Keeper::Daemon).unwrap();
        assert_eq!(paths.find_socket().unwrap(), place.path);
    }

    #[test]
    fn a_long_runtime_directory_is_passed_over() {
        let mut person = Person::new();
        let long = person.root.path().join("r".repeat(SOCKET_PATH_MAX));
        fs::create_dir(&long).unwrap();
        person.environment.runtime_dir = Some(long.into());
        let place = person.paths().prepare_socket().unwrap();
        assert!(matches!(place.passed_over, Some(PathsError::SocketPathTooLong { .. })));
        assert_eq!(place.path, person.paths().short_socket());
    }

    #[test]
    fn a_socket_that_was_named_and_is_too_long_is_refused_in_words() {
        let mut person = Person::new();
        let long = format!("/{}", "s".repeat(SOCKET_PATH_MAX));
        person.environment.keiko_socket = Some(long.clone().into());
        let length = SOCKET_PATH_MAX + 1;
        let expected = format!(
            "cannot use the socket {long}: its path has {length} bytes, at most {SOCKET_PATH_MAX} are possible"
        );
        assert_eq!(person.paths().prepare_socket().unwrap_err().to_string(), expected);
        assert_eq!(person.paths().find_socket().unwrap_err().to_string(), expected);
    }

    #[test]
    fn the_directory_of_a_named_socket_is_made_for_us_alone() {
        let mut person = Person::new();
        let socket = person.root.path().join("mine/keikod.sock");
        person.environment.keiko_socket = Some(socket.clone().into());
        assert_eq!(person.paths().prepare_socket().unwrap().path, socket);
        assert_eq!(mode(directory_of(&socket)), 0o700);
        person.environment.keiko_socket = Some("/".into());
        assert_eq!(person.paths().prepare_socket().unwrap().path, Path::new("/"));
    }

    #[test]
    fn an_announced_socket_in_a_strangers_hands_is_refused() {
        let person = Person::new();
        let paths = person.paths();
        let open = person.root.path().join("open");
        fs::create_dir(&open).unwrap();
        fs::set_permissions(&open, fs::Permissions::from_mode(0o777)).unwrap();
        paths.announce_socket(&open.join("keikod.sock"), Keeper::Daemon).unwrap();
        assert!(matches!(paths.find_socket(), Err(PathsError::NotPrivate { .. })));
    }

    #[test]
    fn an_announcement_of_before_the_last_boot_does_no_harm() {
        let person = Person::new();
        let paths = person.paths();
        let gone = person.root.path().join("gone/keikod.sock");
        paths.announce_socket(&gone, Keeper::Daemon).unwrap();
        assert_eq!(paths.find_socket().unwrap(), gone);
        // A half-written or foreign file is as good as none.
        paths.announce_socket(Path::new(""), Keeper::Daemon).unwrap();
        assert_eq!(paths.find_socket().unwrap(), paths.short_socket());
    }

    /// Makes the short directory of `person` as if another user had been there first, and returns the paths of the person.
    fn squatted(person: &Person) -> (Paths, PathBuf) {
        let mut paths = person.paths();
        paths.runtime_dir = None;
        // It belongs to us, and we are somebody else.
        let ours = directory_of(&paths.prepare_socket().unwrap().path).to_owned();
        paths.user += 1;
        let theirs = directory_of(&paths.short_socket()).to_owned();
        fs::rename(ours, &theirs).unwrap();
        (paths, theirs)
    }

    #[test]
    fn where_a_stranger_made_the_short_directory_first_the_socket_lies_beside_the_data() {
        let person = Person::new();
        let (paths, theirs) = squatted(&person);
        let place = paths.prepare_socket().unwrap();
        assert_eq!(place.path, fs::canonicalize(paths.data_dir()).unwrap().join("keikod.sock"));
        assert!(matches!(place.passed_over, Some(PathsError::NotPrivate { source: PrivateDirError::Foreign { .. } })));
        // Who looks for the daemon does not ask the stranger, nor gives up before one is started.
        assert_eq!(paths.find_socket().unwrap(), place.path);
        fs::remove_dir(theirs).unwrap();
    }

    #[test]
    fn without_any_place_the_strangers_directory_is_named() {
        let person = Person::with_home(&"h".repeat(SOCKET_PATH_MAX));
        let (paths, theirs) = squatted(&person);
        assert!(matches!(paths.prepare_socket(), Err(PathsError::NotPrivate { .. })));
        fs::remove_dir(theirs).unwrap();
    }
}
