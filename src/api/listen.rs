//! Where does the daemon listen, and who may come in? The socket from its making to its removal.
//!
//! Only a socket that nobody answers is replaced, and only the one that was made here is removed: one that a service manager
//! made and handed over stays, and takes calls while no daemon runs. The caller holds the
//! lock of the data directory meanwhile, so that no second daemon is between the question and the answer. A socket that
//! somebody else removed (the end of a session empties its runtime directory) is made anew at once, so that a daemon that
//! lives can be reached.

use std::ffi::OsStr;
use std::fmt::Display;
use std::fs::{self, File, Metadata};
use std::io::{self, Read as _, Write as _};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use interprocess::local_socket::tokio::Listener;
use interprocess::local_socket::traits::tokio::Listener as _;
use interprocess::local_socket::traits::{Stream as _, StreamCommon as _};
use interprocess::local_socket::{GenericFilePath, ListenerOptions, ToFsName as _};
use interprocess::os::unix::local_socket::ListenerOptionsExt as _;
use interprocess::os::unix::uds_local_socket::tokio::Listener as UdListener;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::api::listen::folder::Folder;
use crate::api::seats::Seats;
use crate::api::{Api, connection};
use crate::protocol::error_code::{ErrorKind, RpcError};

mod folder;

/// How many connections there may be: some hundred shells and editors of one person, and far below the usual limit of
/// 1024 descriptors, since the database and the popups need some too.
pub const CONNECTIONS_MAX: usize = 512;

/// How long accepting rests when the system has no descriptor left: without a rest it fails a million times a second.
const ACCEPT_REST: Duration = Duration::from_millis(100);

/// How long to rest before a socket that was removed and could not be made anew is tried again, unless its folder says
/// so before. Only a daemon that nobody can reach wakes up for it.
const ANEW_REST: Duration = Duration::from_secs(30);

/// How long requests under way may take once the daemon stops; the engine commits far faster unless the disk hangs.
const REQUESTS_GRACE: Duration = Duration::from_secs(5);

/// Only the owner may connect.
const SOCKET_MODE: u32 = 0o600;

/// Asks a daemon of any version who it is.
const GREETING: &[u8] = b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"daemon.hello\"}\n";

/// The bits of a folder's mode that would let others in.
const OTHERS: u32 = 0o077;

/// A connection.
pub(super) type Stream = interprocess::local_socket::tokio::Stream;

/// A socket that is listened on.
#[derive(Debug)]
pub struct Listening {
    listener: Listener,
    socket: Socket,
    folder: Folder,
    /// The file that tells others where the socket is, where there is one.
    announcement: Option<PathBuf>,
    /// Whether the socket is gone and could not be made anew yet.
    is_lost: bool,
}

/// The file of a socket that was made here; it goes with this value.
#[derive(Debug)]
pub struct Socket {
    path: PathBuf,
    /// Device and inode: another file of the same name is somebody else's.
    identity: (u64, u64),
    /// Whether it is somebody else's, who removes it.
    is_kept: bool,
}

/// Why the socket cannot be listened on.
#[derive(Debug, thiserror::Error)]
pub enum ListenError {
    /// Another daemon answers there.
    #[error("cannot listen on {}: another daemon answers there", path.display())]
    Taken {
        /// The socket.
        path: PathBuf,
    },
    /// There is a file of another kind.
    #[error("cannot listen on {}: there is a file that is no socket", path.display())]
    NoSocket {
        /// The file.
        path: PathBuf,
    },
    /// A socket that was handed over takes no calls.
    #[error("cannot listen on {}: the socket that was handed over does not listen", path.display())]
    Silent {
        /// The socket.
        path: PathBuf,
    },
    /// The folder is somebody else's.
    #[error("cannot listen in {}: it belongs to user {found}, expected user {expected}", path.display())]
    Foreign {
        /// The folder.
        path: PathBuf,
        /// Whose it is.
        found: u32,
        /// Whose it must be.
        expected: u32,
    },
    /// Others may enter the folder.
    #[error("cannot listen in {}: others may enter it (mode {mode:04o}), expected mode 0700", path.display())]
    Open {
        /// The folder.
        path: PathBuf,
        /// Its mode.
        mode: u32,
    },
    /// The system refuses.
    #[error("cannot listen on {}: {source}", path.display())]
    Unusable {
        /// The socket.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}

/// Listens on `path`, after removing a socket that nobody answers. Must be called within the runtime.
///
/// # Errors
/// Somebody answers there, the folder is not this user's alone, or the system refuses.
pub fn listen(path: &Path) -> Result<Listening, ListenError> {
    let unusable = |source| ListenError::Unusable { path: path.to_owned(), source };
    check_folder(path)?;
    remove_stale(path)?;
    // Under another name until it is listened on, so that whoever finds it is answered.
    let unheard = unheard(path);
    remove_stale(&unheard)?;
    let name = unheard.as_path().to_fs_name::<GenericFilePath>().map_err(unusable)?;
    let options = ListenerOptions::new().name(name).mode(SOCKET_MODE).reclaim_name(false);
    let listener = Listener::from_options(options).map_err(unusable)?;
    // A link, since a renamed file would take the place of somebody else's.
    let linked = fs::hard_link(&unheard, path);
    fs::remove_file(&unheard).and(linked).map_err(unusable)?;
    // Watched before it is looked at, so that no removal falls between.
    let folder = Folder::watch(folder_of(path));
    let made = path.symlink_metadata().map_err(unusable)?;
    let socket = Socket { path: path.to_owned(), identity: identity(&made), is_kept: false };
    Ok(Listening { listener, socket, folder, announcement: None, is_lost: false })
}

/// Listens with a socket that somebody else made at `path`, listens on, and removes when it is theirs to go. Must be called
/// within the runtime.
///
/// # Errors
/// It does not listen, its file is gone or is no socket, or the folder is not this user's alone.
pub fn adopt(listener: UnixListener, path: &Path) -> Result<Listening, ListenError> {
    let unusable = |source| ListenError::Unusable { path: path.to_owned(), source };
    check_folder(path)?;
    if !rustix::net::sockopt::socket_acceptconn(&listener).map_err(|error| unusable(error.into()))? {
        return Err(ListenError::Silent { path: path.to_owned() });
    }
    let folder = Folder::watch(folder_of(path));
    let found = path.symlink_metadata().map_err(unusable)?;
    if !found.file_type().is_socket() {
        return Err(ListenError::NoSocket { path: path.to_owned() });
    }
    // Whoever made it may have left it waiting.
    listener.set_nonblocking(true).map_err(unusable)?;
    let listener = UdListener::try_from(OwnedFd::from(listener)).map_err(unusable)?.into();
    let socket = Socket { path: path.to_owned(), identity: identity(&found), is_kept: true };
    Ok(Listening { listener, socket, folder, announcement: None, is_lost: false })
}

/// Returns a name of the same length in the same folder: paths of sockets have a limit.
fn unheard(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().as_bytes().to_vec();
    if let Some(last) = name.last_mut() {
        *last = if *last == b'~' { b'-' } else { b'~' };
    }
    path.with_file_name(OsStr::from_bytes(&name))
}

impl Listening {
    /// Returns where it is listened.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.socket.path
    }

    /// Watches over the file that tells others where the socket is. Whoever finds nobody there, as after the file system
    /// of the socket was unmounted, takes that file away, and so is heard.
    #[must_use]
    pub fn announced_in(mut self, announcement: &Path) -> Self {
        self.folder.watch_file(announcement);
        self.announcement = Some(announcement.to_owned());
        self
    }

    /// Serves whoever connects, until `stop`; then finishes the requests under way and returns the socket's file, which
    /// is to go when all else has ended. `anew` listens once more where nobody can find the socket any more.
    pub async fn serve<E: Display>(
        mut self,
        api: Arc<Api>,
        stop: CancellationToken,
        anew: impl Fn() -> Result<Self, E>,
    ) -> Socket {
        let connections = TaskTracker::new();
        let seats = Arc::new(Seats::default());
        let mut spare = spare();
        loop {
            let accepted = tokio::select! {
                () = stop.cancelled() => break,
                accepted = self.listener.accept() => accepted,
                () = self.lost() => {
                    self.listen_anew(&api, &anew);
                    continue;
                }
            };
            match accepted {
                Ok(stream) if connections.len() >= CONNECTIONS_MAX && !seats.free_one() => {
                    let message = format!("cannot take the connection: {CONNECTIONS_MAX} are open already, all busy");
                    turn_away(&stream, RpcError::new(ErrorKind::Limit, message));
                }
                Ok(stream) => {
                    if let Some(refusal) = stranger(&stream) {
                        turn_away(&stream, refusal);
                        continue;
                    }
                    connections.spawn(connection::serve(stream, Arc::clone(&api), seats.take(), stop.clone()));
                }
                Err(error) if is_exhausted(&error) => {
                    tracing::warn!(%error, "cannot take a connection");
                    // With one descriptor set free the one who waits can be told, rather than left to wait.
                    drop(spare.take());
                    self.turn_away_one().await;
                    spare = self::spare();
                    // Ended early by the stop; else it is the rest.
                    let _ = tokio::time::timeout(ACCEPT_REST, stop.cancelled()).await;
                }
                // The caller hung up before it was let in.
                Err(error) => tracing::debug!(%error, "cannot take a connection"),
            }
        }
        // From here on whoever connects is refused by the system.
        drop(self.listener);
        connections.close();
        if tokio::time::timeout(REQUESTS_GRACE, connections.wait()).await.is_err() {
            tracing::warn!(connections = connections.len(), "requests under way were given up");
        }
        self.socket
    }

    /// Waits until nobody can find the socket any more, or that is worth another trial.
    async fn lost(&self) {
        if self.is_lost {
            // Either is a reason to try.
            let _ = tokio::time::timeout(ANEW_REST, self.folder.changed()).await;
            return;
        }
        while self.socket.is_there() && self.announcement.as_deref().is_none_or(Path::exists) {
            self.folder.changed().await;
        }
    }

    fn listen_anew<E: Display>(&mut self, api: &Api, anew: impl Fn() -> Result<Self, E>) {
        let path = self.path().to_owned();
        // Where only the announcement went it is still there, and nobody else's.
        self.socket.remove();
        match anew() {
            Ok(listening) => {
                tracing::warn!(path = %path.display(), now = %listening.path().display(), "the socket was removed");
                api.moved_to(listening.path());
                // The old one is dropped only now: while it is held, no new file can have its inode's number.
                *self = listening;
            }
            Err(error) => {
                if !std::mem::replace(&mut self.is_lost, true) {
                    tracing::error!(path = %path.display(), %error, "the socket was removed, and nobody can call");
                }
            }
        }
    }

    async fn turn_away_one(&self) {
        if let Ok(Ok(stream)) = tokio::time::timeout(ACCEPT_REST, self.listener.accept()).await {
            let message = "cannot take the connection: the daemon has no file descriptor left";
            turn_away(&stream, RpcError::new(ErrorKind::Limit, message));
        }
    }
}

impl Socket {
    /// Returns whether the file is there, and is the one that was made here.
    fn is_there(&self) -> bool {
        self.path.symlink_metadata().is_ok_and(|found| identity(&found) == self.identity)
    }

    /// Removes the file, unless another took its place.
    fn remove(&self) {
        if !self.is_kept
            && self.is_there()
            && let Err(error) = std::fs::remove_file(&self.path)
        {
            tracing::warn!(path = %self.path.display(), %error, "cannot remove the socket");
        }
    }
}

impl Drop for Socket {
    fn drop(&mut self) {
        self.remove();
    }
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

fn check_folder(path: &Path) -> Result<(), ListenError> {
    let folder = folder_of(path);
    let found = folder.metadata().map_err(|source| ListenError::Unusable { path: path.to_owned(), source })?;
    let expected = rustix::process::geteuid().as_raw();
    if found.uid() != expected {
        return Err(ListenError::Foreign { path: folder.to_owned(), found: found.uid(), expected });
    }
    let mode = found.mode() & 0o7777;
    if mode & OTHERS != 0 {
        return Err(ListenError::Open { path: folder.to_owned(), mode });
    }
    Ok(())
}

/// Returns whether somebody says a word on `path` within `limit`: where a service manager listens, a connection alone says nothing.
#[must_use]
pub fn is_greeted(path: &Path, limit: Duration) -> bool {
    let ask = || {
        let mut stream = UnixStream::connect(path)?;
        stream.set_read_timeout(Some(limit))?;
        stream.set_write_timeout(Some(limit))?;
        stream.write_all(GREETING)?;
        stream.read(&mut [0])
    };
    ask().is_ok_and(|count: usize| count > 0)
}

/// Returns whether somebody listens on `path`.
#[must_use]
pub fn is_answered(path: &Path) -> bool {
    let name = path.to_fs_name::<GenericFilePath>();
    name.and_then(interprocess::local_socket::Stream::connect).is_ok()
}

fn remove_stale(path: &Path) -> Result<(), ListenError> {
    let unusable = |source| ListenError::Unusable { path: path.to_owned(), source };
    match path.symlink_metadata() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(unusable(error)),
        Ok(found) if !found.file_type().is_socket() => return Err(ListenError::NoSocket { path: path.to_owned() }),
        Ok(_) => {}
    }
    let name = path.to_fs_name::<GenericFilePath>().map_err(unusable)?;
    match interprocess::local_socket::Stream::connect(name) {
        // Nobody listens any more: what a killed daemon left behind.
        Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => {
            tracing::info!(path = %path.display(), "removes the socket of a daemon that is gone");
            std::fs::remove_file(path).map_err(unusable)
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(unusable(error)),
        Ok(_) => Err(ListenError::Taken { path: path.to_owned() }),
    }
}

fn identity(file: &Metadata) -> (u64, u64) {
    (file.dev(), file.ino())
}

/// Opens a descriptor whose only use is to be closed when there is no other.
fn spare() -> Option<File> {
    File::open("/dev/null").ok()
}

/// Returns the refusal of a caller who is not the daemon's own user; the socket's mode keeps all but root out already.
fn stranger(stream: &Stream) -> Option<RpcError> {
    let expected = rustix::process::geteuid().as_raw();
    let found = stream.peer_creds().ok().and_then(|peer| peer.euid());
    let refuse = |who: String| {
        let message = format!("cannot take the connection: it is {who}, expected user {expected}");
        Some(RpcError::new(ErrorKind::Request, message).with_hint("run the command as the user of the daemon"))
    };
    match found {
        Some(uid) if uid == expected => None,
        Some(uid) => refuse(format!("user {uid}'s")),
        None => refuse("of an unknown user".to_owned()),
    }
}

/// Says why in one line, as far as that goes without waiting, and hangs up.
pub(super) fn turn_away(stream: &Stream, refusal: RpcError) {
    let line = connection::unasked(refusal);
    let Stream::UdSocket(socket) = stream;
    // A new or an idle connection has room for a line; one that has none is not waited for.
    let _ = socket.inner().try_write(line.as_bytes());
}

fn is_exhausted(error: &io::Error) -> bool {
    let exhausted =
        [rustix::io::Errno::MFILE, rustix::io::Errno::NFILE, rustix::io::Errno::NOBUFS, rustix::io::Errno::NOMEM];
    error.raw_os_error().is_some_and(|code| exhausted.iter().any(|errno| errno.raw_os_error() == code))
}
