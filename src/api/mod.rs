//! The server's side of the socket: who may ask, what is asked, and the words in which it is answered.
//!
//! Connections read frames ([`connection`]), methods are found ([`dispatch`]) and done ([`handlers`]). It never touches
//! the store, and never answers before the commit: all that changes goes through [`Handle`].

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use crate::api::listen::Stream;
use crate::clock::{Clock, Monotonic};
use crate::domain::delivery::Target;
use crate::domain::time::{Span, Timestamp};
use crate::engine::handle::Handle;
use crate::protocol::objects;
use crate::protocol::to_wire::{self, View};
use crate::when::Settings;

mod connection;
mod dispatch;
mod handlers;
pub mod listen;
mod page;
mod refusal;
mod seats;
mod time;

/// What the daemon says of itself.
#[derive(Clone, Debug)]
pub struct About {
    /// The version of the database's schema.
    pub schema: u32,
    /// Where the database is.
    pub data_dir: PathBuf,
    /// Where backups go for which nobody names a place.
    pub backup_dir: PathBuf,
    /// Where it listens at first.
    pub socket: PathBuf,
    /// Whether `clock.advance` moves its clock.
    pub has_programmable_clock: bool,
}

/// What requests are served with.
#[derive(Debug)]
pub struct Options {
    /// How times are read.
    pub settings: Settings,
    /// How long a snooze is when nobody says.
    pub snooze_default: Span,
    /// Where a task speaks that names no channel.
    pub channels: Vec<Target>,
    /// The names of the programs that can be told, as in `webhook:NAME`.
    pub targets: Vec<Target>,
}

/// All that a request needs. One for all connections, but for those whose changes are one operation.
pub struct Api {
    handle: Handle,
    clock: Arc<dyn Clock>,
    about: Arc<About>,
    options: Arc<Options>,
    started: Monotonic,
    stop: CancellationToken,
    /// The connections of those who asked the daemon to stop: they end with it, so that its end can be waited for.
    leaving: Arc<Mutex<Vec<Stream>>>,
    /// Where it listens now.
    socket: Arc<Mutex<PathBuf>>,
}

impl Api {
    /// Returns what serves requests with `handle`; `stop` is cancelled when somebody asks the daemon to stop.
    #[must_use]
    pub fn new(handle: Handle, clock: Arc<dyn Clock>, about: About, options: Options, stop: CancellationToken) -> Self {
        let started = clock.monotonic();
        let socket = Arc::new(Mutex::new(about.socket.clone()));
        let (about, options) = (Arc::new(about), Arc::new(options));
        Self { handle, clock, about, options, started, stop, leaving: Arc::default(), socket }
    }

    /// Returns what serves a connection of which all changes are one operation.
    fn within(&self, op: Uuid) -> Self {
        Self {
            handle: self.handle.within(op),
            clock: Arc::clone(&self.clock),
            about: Arc::clone(&self.about),
            options: Arc::clone(&self.options),
            started: self.started,
            stop: self.stop.clone(),
            leaving: Arc::clone(&self.leaving),
            socket: Arc::clone(&self.socket),
        }
    }

    /// Asks the daemon to stop, and keeps the connection of who asked for it open until that has happened.
    fn leave(&self, stream: Stream) {
        self.leaving.lock().unwrap_or_else(PoisonError::into_inner).push(stream);
        self.stop.cancel();
    }

    /// Notes that the socket was made anew.
    fn moved_to(&self, socket: &Path) {
        socket.clone_into(&mut self.socket.lock().unwrap_or_else(PoisonError::into_inner));
    }

    fn socket(&self) -> PathBuf {
        self.socket.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn view(&self) -> View {
        View { now: self.handle.now(), zone: self.handle.zone(), device: self.handle.identity().device }
    }

    fn told(&self, at: Timestamp) -> objects::Time {
        to_wire::time(at, self.handle.zone())
    }
}
