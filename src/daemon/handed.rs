//! Which socket did a service manager open for this daemon? Taken only where all that is said of it holds: that it is for this
//! process, by its name, and that it listens where this daemon is to be found.
//!
//! The protocol is that of `sd_listen_fds(3)`. Never trusts a number alone: what is handed over to somebody else is closed as all
//! else that is inherited, and what is wrong is told and closed. The daemon then listens on a socket of its own.

use std::os::unix::net::UnixListener;
use std::path::PathBuf;

use listenfd::ListenFd;

use crate::api::listen::{ListenError, Listening, adopt};
use crate::config::paths::{Keeper, Paths, PathsError};
use crate::daemon::inherited;

/// The number of the first file that is handed over (`sd_listen_fds(3)`, `SD_LISTEN_FDS_START`).
const FIRST: i32 = 3;

/// The most that may be handed over (I9). One is of use; who says that there are millions is not believed.
const HANDED_MAX: i32 = 16;

/// What our units call the socket (systemd.socket(5), `FileDescriptorName=`).
const NAME: &str = "keikod";

/// What was handed over to this process.
pub(super) struct Handed {
    files: ListenFd,
    count: i32,
    names: Vec<String>,
}

/// Why a socket that was handed over is not used.
#[derive(Debug, thiserror::Error)]
enum HandedError {
    /// It has another name.
    #[error("expected the name {NAME}, found {found:?}")]
    Name { found: String },
    /// It is none.
    #[error("expected a stream socket of the file system")]
    Kind,
    /// There is one already.
    #[error("expected one, and took the first")]
    Second,
    /// It is elsewhere than this daemon is to be found.
    #[error("expected {}, as KEIKO_SOCKET says, found {}", expected.display(), found.display())]
    Elsewhere { expected: PathBuf, found: PathBuf },
    /// It cannot be listened on.
    #[error(transparent)]
    Listen(#[from] ListenError),
    /// Nobody can be told of it.
    #[error(transparent)]
    Announce(#[from] PathsError),
}

impl Handed {
    /// Returns what the environment says. Must be called while the process has one thread: it takes the variables away.
    pub(super) fn of_environment() -> Self {
        let number = |name| std::env::var(name).ok().and_then(|text| text.parse::<i64>().ok());
        let is_ours = number("LISTEN_PID") == Some(i64::from(std::process::id()));
        let count = number("LISTEN_FDS").and_then(|count| i32::try_from(count).ok());
        // Where the number is that of another place, somebody speaks another protocol.
        let is_plain = std::env::var_os("LISTEN_FDS_FIRST_FD").is_none();
        match count.filter(|count| is_ours && is_plain && (1..=HANDED_MAX).contains(count)) {
            Some(count) => {
                let names = std::env::var("LISTEN_FDNAMES").unwrap_or_default();
                let names = names.split(':').filter(|name| !name.is_empty()).map(str::to_owned).collect();
                Self { files: ListenFd::from_env(), count, names }
            }
            None => Self { files: ListenFd::empty(), count: 0, names: Vec::new() },
        }
    }

    /// Returns the numbers of the files.
    pub(super) const fn numbers(&self) -> std::ops::Range<i32> {
        FIRST..FIRST + self.count
    }

    /// Listens on the socket among them and says where it is; `None` where there is none that can be used. Must be called within
    /// the runtime, by the holder of the lock.
    pub(super) fn listen(&mut self, paths: &Paths) -> Option<Listening> {
        let mut listening = None;
        for (index, number) in (0..).zip(self.numbers()) {
            match self.take(index).and_then(|socket| {
                let is_first = listening.is_none();
                if is_first { serve(socket, paths) } else { Err(HandedError::Second) }
            }) {
                Ok(taken) => listening = Some(taken),
                Err(error) => tracing::warn!(number, %error, "does not use a socket that was handed over"),
            }
        }
        self.count = 0;
        listening
    }

    fn take(&mut self, index: usize) -> Result<UnixListener, HandedError> {
        let number = FIRST + i32::try_from(index).expect("at most as many as may be handed over");
        // Who starts it by hand gives no names.
        let taken = match self.names.get(index) {
            Some(found) if found != NAME => Err(HandedError::Name { found: found.clone() }),
            Some(_) | None => match self.files.take_unix_listener(index) {
                Ok(Some(listener)) => Ok(listener),
                Ok(None) | Err(_) => Err(HandedError::Kind),
            },
        };
        if taken.is_err() {
            inherited::close_one(number);
        }
        taken
    }
}

fn serve(socket: UnixListener, paths: &Paths) -> Result<Listening, HandedError> {
    let address = socket.local_addr().map_err(|_| HandedError::Kind)?;
    let path = address.as_pathname().ok_or(HandedError::Kind)?.to_owned();
    if let Some(expected) = paths.named_socket().filter(|expected| *expected != path) {
        return Err(HandedError::Elsewhere { expected: expected.to_owned(), found: path });
    }
    let listening = adopt(socket, &path)?;
    paths.announce_socket(&path, Keeper::Manager)?;
    Ok(listening.announced_in(&paths.announcement()))
}
