//! The server's side of the socket: who may ask, what is asked, and the words in which it is answered.
//!
//! Connections read frames ([`connection`]), methods are found ([`dispatch`]) and done ([`handlers`]). It never touches
//! the store, and never answers before the commit: all that changes goes through [`Handle`].

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use futures_util::future::BoxFuture;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use crate::api::listen::Stream;
use crate::clock::{Clock, Monotonic};
use crate::domain::delivery::Target;
use crate::domain::routing::Routing;
use crate::domain::time::{Span, Timestamp};
use crate::engine::handle::Handle;
use crate::engine::input::{CallError, EngineSettings};
use crate::hooks::Hooks;
use crate::protocol::objects;
use crate::protocol::to_wire::{self, View};
use crate::when::Settings;

mod connection;
mod dispatch;
mod handlers;
pub mod limits;
pub mod listen;
mod page;
mod refusal;
mod seats;
mod time;
mod waiting;

/// What the daemon says of itself.
#[derive(Clone, Debug)]
pub struct About {
    /// The version of the database's schema.
    pub schema: u32,
    /// Where the configuration is, or would be.
    pub config_file: PathBuf,
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
#[derive(Clone, Debug)]
pub struct Options {
    /// How times are read.
    pub settings: Settings,
    /// How long a snooze is when nobody says.
    pub snooze_default: Span,
    /// Who is told by what.
    pub routing: Routing,
    /// The names of the programs that can be told, as in `webhook:NAME`.
    pub targets: Vec<Target>,
}

/// What reads the configuration anew.
pub trait Configuration: Send + Sync {
    /// Reads it, unless the caller has just done so and found `text`, and lets every channel go by it.
    ///
    /// Where it is refused, with the place of what is wrong, all is as it was.
    fn reload(&self, text: Option<String>) -> BoxFuture<'_, Result<Reloaded, String>>;

    /// Says of a text what [`Configuration::reload`] would say if it stood in the file, and changes nothing.
    ///
    /// # Errors
    /// It would be refused.
    fn check(&self, text: &str) -> Result<Reloaded, String>;

    /// Returns how it stands with what was read last.
    fn state(&self) -> ConfigState;
}

/// How it stands with the configuration that was read last.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ConfigState {
    /// Why it is refused; the former one holds meanwhile.
    pub error: Option<String>,
    /// What is odd in the one that holds, and does no harm.
    pub warnings: Vec<String>,
    /// What differs from the start, and holds from the next one on only.
    pub at_next_start: Vec<String>,
}

/// A configuration that was read anew, for those parts that do not go by it yet.
#[derive(Debug)]
pub struct Reloaded {
    /// What requests are served with.
    pub options: Options,
    /// What the loop goes by.
    pub engine: EngineSettings,
    /// What is odd in the file, and does no harm.
    pub warnings: Vec<String>,
    /// What differs, and holds from the next start on only.
    pub at_next_start: Vec<&'static str>,
}

/// Why the configuration was not read anew.
#[derive(Debug, thiserror::Error)]
pub enum ReloadError {
    /// It is refused.
    #[error("{reason}")]
    Refused {
        /// Why, with the place.
        reason: String,
    },
    /// The loop does not take it.
    #[error(transparent)]
    Call {
        /// Why.
        source: CallError,
    },
}

/// All that a request needs. One for all connections, but for those whose changes are one operation.
pub struct Api {
    handle: Handle,
    clock: Arc<dyn Clock>,
    about: Arc<About>,
    /// Shared: it may be configured anew.
    options: Arc<RwLock<Arc<Options>>>,
    configuration: Arc<dyn Configuration>,
    hooks: Arc<Hooks>,
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
    pub fn new(
        handle: Handle,
        clock: Arc<dyn Clock>,
        about: About,
        options: Options,
        configuration: Arc<dyn Configuration>,
        hooks: Arc<Hooks>,
        stop: CancellationToken,
    ) -> Self {
        let started = clock.monotonic();
        let socket = Arc::new(Mutex::new(about.socket.clone()));
        let (about, options) = (Arc::new(about), Arc::new(RwLock::new(Arc::new(options))));
        Self { handle, clock, about, options, configuration, hooks, started, stop, leaving: Arc::default(), socket }
    }

    /// Returns what serves a connection of which all changes are one operation.
    fn within(&self, op: Uuid) -> Self {
        Self {
            handle: self.handle.within(op),
            clock: Arc::clone(&self.clock),
            about: Arc::clone(&self.about),
            options: Arc::clone(&self.options),
            configuration: Arc::clone(&self.configuration),
            hooks: Arc::clone(&self.hooks),
            started: self.started,
            stop: self.stop.clone(),
            leaving: Arc::clone(&self.leaving),
            socket: Arc::clone(&self.socket),
        }
    }

    /// Reads the configuration anew, unless the caller has just found `text` in it, and goes by it from now on.
    ///
    /// # Errors
    /// It is refused: the former one holds.
    pub async fn reload(&self, text: Option<String>) -> Result<Reloaded, ReloadError> {
        let reloaded = self.configuration.reload(text).await.map_err(|reason| ReloadError::Refused { reason })?;
        let configured = self.handle.configure(reloaded.engine.clone()).await;
        configured.map_err(|source| ReloadError::Call { source })?;
        let options = Arc::new(reloaded.options.clone());
        *self.options.write().unwrap_or_else(PoisonError::into_inner) = options;
        Ok(reloaded)
    }

    fn options(&self) -> Arc<Options> {
        Arc::clone(&self.options.read().unwrap_or_else(PoisonError::into_inner))
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
