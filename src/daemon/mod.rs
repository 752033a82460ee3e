//! The daemon's entry: builds every part, starts them in order, waits, and stops them in order. Holds no logic.

use std::collections::BTreeMap;
use std::io::{self, Read as _, Write as _};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use clap::{CommandFactory as _, Parser as _};
use futures_util::future::{BoxFuture, join_all};
use tokio_util::sync::CancellationToken;

use crate::api::listen::{ListenError, Listening, is_answered, is_greeted, listen};
use crate::api::{About, Api};
use crate::clock::Clock;
use crate::clock::sim::SimClock;
use crate::clock::system::SystemClock;
use crate::clock::zone;
use crate::config::Config;
use crate::config::file::{ConfigError, Warning};
use crate::config::paths::{Found, Keeper, Paths, PathsError};
use crate::config::whole::{self, FILE_BYTES_MAX};
use crate::daemon::args::Args;
use crate::daemon::damage::SetAside;
use crate::daemon::handed::Handed;
use crate::daemon::lock::{DataLock, LockError};
use crate::daemon::manager::{Announced, Manager};
use crate::daemon::reload::{Configured, Reloading};
use crate::daemon::signals::Signals;
use crate::engine::handle::Handle;
use crate::engine::ids::Ids;
use crate::engine::{self, EngineParts};
use crate::hooks::Hooks;
use crate::logging::{self, Log, LoggingError};
use crate::notify::desktop::{Choices, DesktopChannel, SessionBus};
use crate::notify::network::{Network, SilentNetwork, SystemNetwork};
use crate::notify::terminal::{TerminalChannel, Terminals};
use crate::notify::{Channel, first_look};
use crate::protocol::{FAILED_PREFIX, HINT_PREFIX, PROGRAM_VERSION, READY_LINE};
use crate::runner::client::{Place, ProcessRunner};
use crate::runner::{Runner, process};
use crate::store::sqlite::SqliteStore;
use crate::store::{Store, StoreError};

mod args;
mod damage;
mod examine;
mod handed;
mod inherited;
mod lock;
mod manager;
mod reload;
mod restore;
mod settings;
mod signals;
mod targets;
mod watch;
mod webhooks;

/// How long deliveries under way may take once the daemon stops: as long as a channel gives an attempt.
const DELIVERIES_GRACE: Duration = Duration::from_secs(5);

/// How long it may take to pass on the last orders of commands, which is done as they come.
const ORDERS_GRACE: Duration = Duration::from_secs(2);
/// How long what hooks have begun may take once all else has ended: what does not end by then is told anew at the next start.
const HOOKS_GRACE: Duration = Duration::from_secs(2);

/// How long a channel may look for somebody before what is due speaks without it: a bus answers within milliseconds.
const FIRST_LOOK_WAIT: Duration = Duration::from_millis(500);

/// How long tasks that nobody waits for may take once all else has ended.
const RUNTIME_GRACE: Duration = Duration::from_secs(1);

/// How long the daemon that has the lock may take to greet where a service manager takes the calls.
const GREETED_WITHIN: Duration = Duration::from_millis(100);

/// How it ends where another daemon serves already, as the commands do where something else came first. Service managers are
/// told not to try again.
const EXIT_CONFLICT: u8 = 8;

/// How it ends where the database is of a newer version, as the commands do.
const EXIT_VERSION: u8 = 7;

/// How it ends where the database cannot be used, as the commands do.
const EXIT_STORAGE: u8 = 9;

/// The variable that says how much is logged, above the configuration.
const LOG_VARIABLE: &str = "KEIKO_LOG";

/// Why the daemon did not come up, or did not go on.
#[derive(Debug, thiserror::Error)]
enum DaemonError {
    /// It is not known where the files are.
    #[error(transparent)]
    Paths {
        #[from]
        source: PathsError,
    },
    /// The configuration is wrong.
    #[error(transparent)]
    Config {
        #[from]
        source: ConfigError,
    },
    /// Nothing can be logged.
    #[error(transparent)]
    Logging {
        #[from]
        source: LoggingError,
    },
    /// Another daemon serves the data directory.
    #[error(transparent)]
    Lock {
        #[from]
        source: LockError,
    },
    /// Nobody could reach it.
    #[error(transparent)]
    Listen {
        #[from]
        source: ListenError,
    },
    /// The database cannot be used.
    #[error(transparent)]
    Store { source: Arc<StoreError> },
    /// The database is damaged, and out of the way.
    #[error("{}", set_aside.told())]
    Damaged { set_aside: SetAside },
    /// The system gives no threads or signals.
    #[error("cannot {what}: {source}")]
    System { what: &'static str, source: io::Error },
    /// The engine's loop ended by itself, which is a fault of this program.
    #[error("cannot go on: the engine has ended; the log says why")]
    EngineEnded,
}

impl DaemonError {
    /// Returns how the daemon ends: the same codes as those of the commands.
    fn exit_code(&self) -> u8 {
        match self {
            Self::Store { source } => match &**source {
                StoreError::Newer { .. } | StoreError::OtherBuild { .. } => EXIT_VERSION,
                StoreError::Conflict { .. }
                | StoreError::Dead { .. }
                | StoreError::FiredBefore { .. }
                | StoreError::Full { .. }
                | StoreError::Broken { .. }
                | StoreError::Damaged { .. }
                | StoreError::Taken { .. }
                | StoreError::BadExport { .. }
                | StoreError::Importing
                | StoreError::Closed => EXIT_STORAGE,
            },
            Self::Damaged { .. } => EXIT_STORAGE,
            Self::Lock { source: LockError::Held { .. } } => EXIT_CONFLICT,
            Self::Paths { .. }
            | Self::Config { .. }
            | Self::Logging { .. }
            | Self::Lock { source: LockError::Unusable { .. } }
            | Self::Listen { .. }
            | Self::System { .. }
            | Self::EngineEnded => 1,
        }
    }

    /// Returns what to do next, where that is known.
    fn hint(&self) -> Option<String> {
        match self {
            Self::Damaged { set_aside } => Some(set_aside.hint()),
            Self::Store { source } => match &**source {
                StoreError::Newer { .. } => Some(
                    "the file is as it was: install the version of keikod that wrote it, or a later one".to_owned(),
                ),
                StoreError::OtherBuild { .. } => Some(
                    "the file is as it was: keiko export of the build that made it writes what this one's keiko import reads"
                        .to_owned(),
                ),
                StoreError::Full { .. } => Some("free some space, then try again".to_owned()),
                StoreError::Conflict { .. }
                | StoreError::Dead { .. }
                | StoreError::FiredBefore { .. }
                | StoreError::Broken { .. }
                | StoreError::Damaged { .. }
                | StoreError::Taken { .. }
                | StoreError::BadExport { .. }
                | StoreError::Importing
                | StoreError::Closed => None,
            },
            Self::Config { .. } => Some(ConfigError::HINT.to_owned()),
            Self::Paths { source } => source.hint(),
            Self::Logging { .. }
            | Self::Lock { .. }
            | Self::Listen { .. }
            | Self::System { .. }
            | Self::EngineEnded => None,
        }
    }
}

/// Runs the daemon until it is told to stop.
#[must_use]
pub fn main() -> ExitCode {
    // While there is one thread and nothing is open.
    let handed = Handed::of_environment();
    inherited::close(&handed.numbers());
    if let Some(ended) = process::role() {
        return ended;
    }
    let args = Args::parse();
    if args.examine {
        return examined();
    }
    let mut log = None;
    let ended = match (&args.restore, &args.check_copy) {
        (Some(copy), _) => restore::run(copy, restore::Mode::Replace),
        (None, Some(copy)) => restore::run(copy, restore::Mode::Check),
        (None, None) => run(&args, &mut log, handed),
    };
    match ended {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            tracing::error!("{error}");
            report(&args, &error);
            ExitCode::from(error.exit_code())
        }
    }
}

/// Says in one line what is found, and serves nobody.
fn examined() -> ExitCode {
    match examine::look() {
        Ok(found) => {
            say(&found.to_line());
            ExitCode::SUCCESS
        }
        Err(error) => {
            say(&format!("{FAILED_PREFIX}{error}"));
            ExitCode::from(error.exit_code())
        }
    }
}

/// Describes the arguments, for the manual page.
#[must_use]
pub fn command() -> clap::Command {
    Args::command()
}

fn run(args: &Args, log: &mut Option<Log>, handed: Handed) -> Result<(), DaemonError> {
    let paths = Paths::of_process()?;
    paths.create_dirs()?;
    if let Some(file) = &args.check {
        return checked(&paths, file);
    }
    let (config, warnings) = Config::load(paths.config_file(), paths.config_origin())?;
    if !args.foreground {
        leave_session(paths.data_dir());
    }
    *log = Some(logging::init(&settings::logging(&config, &paths, args, std::env::var(LOG_VARIABLE).ok()))?);
    for warning in &warnings {
        tracing::warn!(file = %paths.config_file().display(), "{warning}");
    }
    // Held to the end: whoever has it is the only one to touch the database and the socket.
    let lock = DataLock::take(&paths.lock_file(), || is_served(&paths))?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|source| DaemonError::System { what: "start threads", source })?;
    let served = runtime.block_on(serve(args, &paths, &config, &warnings, handed));
    if served.is_err()
        && let Err(error) = paths.withdraw_socket()
    {
        tracing::warn!(%error, "cannot take back where the socket is");
    }
    runtime.shutdown_timeout(RUNTIME_GRACE);
    drop(lock);
    served
}

/// Starts everything, serves until the stop, and stops everything in order.
async fn serve(
    args: &Args,
    paths: &Paths,
    config: &Config,
    warnings: &[Warning],
    mut handed: Handed,
) -> Result<(), DaemonError> {
    let manager = Arc::new(Manager::of_environment());
    let signals = Signals::listen().map_err(|source| DaemonError::System { what: "hear signals", source })?;
    // Before anything is due: a daemon that nobody can reach must not fire.
    let listening = handed.listen(paths).map_or_else(|| announced_socket(paths), Ok)?;
    let socket = listening.path().to_owned();
    let clock = clock(args);
    let mut ids = Ids::from_system();
    check_undamaged(args, paths)?;
    let store = match SqliteStore::open(&paths.database(), ids.next(clock.now())) {
        Ok(store) => Arc::new(store),
        Err(error) => return Err(unusable(Arc::new(error), paths, config, &*clock).await),
    };
    let configured = Configured::new(paths, config, &clock, || network(args))?;
    let channels = channels(config, &configured).await;
    let runner = Arc::new(runner(paths));
    let edges = (Arc::clone(&runner) as Arc<dyn Runner>, Arc::clone(&store) as Arc<dyn Store>, Arc::clone(&clock));
    let (handle, running) = match engine::start(parts(config, edges, channels, ids)).await {
        Ok(started) => started,
        Err(error) => {
            store.close();
            return Err(unusable(error, paths, config, &*clock).await);
        }
    };
    runner.look();
    let stop = CancellationToken::new();
    let hooks = hooks(args, paths, config, &handle, &clock).await;
    let reloading = Arc::new(Reloading::new(paths, configured, &hooks, &clock, config, warnings));
    let status = format!("serves {}", paths.data_dir().display());
    let configuration =
        Announced { reloading: Arc::clone(&reloading), manager: Arc::clone(&manager), status: status.clone() };
    let api = Arc::new(Api::new(
        handle.clone(),
        clock,
        about(args, paths, &socket),
        settings::api(config),
        Arc::new(configuration),
        Arc::clone(&hooks),
        stop.clone(),
    ));
    tokio::spawn(reload::follow(paths.config_file().to_owned(), reloading, reload_of(&api)));
    let serving = tokio::spawn(listening.serve(Arc::clone(&api), stop.clone(), anew(paths.clone())));
    let reload = reload_of(&api);
    tokio::spawn(signals.pass_on(stop.clone(), move || reload(None)));
    tracing::info!(version = PROGRAM_VERSION, pid = std::process::id(), socket = %socket.display(), "ready");
    say(READY_LINE);
    manager.ready(&status);
    tokio::spawn(Arc::clone(&manager).guard(handle.clone(), stop.clone()));

    let ended = tokio::select! {
        () = stop.cancelled() => Ok(()),
        () = handle.ended() => Err(DaemonError::EngineEnded),
    };
    stop.cancel();
    manager.stopping();
    // The order of LAYOUT 3.7: accepting, requests, deliveries, orders of commands, store, socket.
    let socket = serving.await;
    running.stop(DELIVERIES_GRACE).await;
    // What is on the disk as about to start is started; commands go on, and the next daemon takes them up.
    let _ = tokio::time::timeout(ORDERS_GRACE, runner.flush()).await;
    hooks.stop(HOOKS_GRACE).await;
    close(store).await;
    if let Err(error) = paths.withdraw_socket() {
        tracing::warn!(%error, "cannot take back where the socket is");
    }
    drop(socket);
    tracing::info!("stopped");
    // With it go the connections of those who wait for the end.
    drop(api);
    ended
}

/// Returns what the loop is made of.
fn parts(
    config: &Config,
    (runner, store, clock): (Arc<dyn Runner>, Arc<dyn Store>, Arc<dyn Clock>),
    channels: Vec<Arc<dyn Channel>>,
    ids: Ids,
) -> EngineParts {
    EngineParts {
        runner,
        commands_at_once: config.commands_at_once,
        store,
        clock,
        channels,
        ids,
        grace: config.grace,
        quiet_hours: config.quiet.clone(),
        daily: config.daily.clone(),
        routing: config.routing.clone(),
    }
}

/// Refuses to begin anew beside a database that was set aside, unless that is asked for.
fn check_undamaged(args: &Args, paths: &Paths) -> Result<(), DaemonError> {
    match SetAside::before(paths).filter(|_| !args.empty) {
        Some(set_aside) => Err(DaemonError::Damaged { set_aside }),
        None => Ok(()),
    }
}

/// Returns what runs commands, in a process that outlives this one.
fn runner(paths: &Paths) -> ProcessRunner {
    // So that `keiko` in a command means this daemon; where it listens is found beside the data.
    let mut variables = BTreeMap::from([("KEIKO_DATA_DIR".to_owned(), paths.data_dir().display().to_string())]);
    if paths.config_file().exists() {
        variables.insert("KEIKO_CONFIG".to_owned(), paths.config_file().display().to_string());
    }
    let (lock, sockets) = (paths.runner_lock_file(), paths.runner_sockets());
    ProcessRunner::at(Place { lock, sockets, program: None, variables })
}

async fn close(store: Arc<SqliteStore>) {
    if let Err(error) = tokio::task::spawn_blocking(move || store.close()).await {
        tracing::error!(%error, "cannot close the database");
    }
}

/// Returns what the daemon says of itself.
fn about(args: &Args, paths: &Paths, socket: &Path) -> About {
    About {
        schema: SqliteStore::schema_version(),
        config_file: paths.config_file().to_owned(),
        data_dir: paths.data_dir().to_owned(),
        backup_dir: paths.backup_dir(),
        socket: socket.to_owned(),
        has_programmable_clock: args.clock.is_some(),
    }
}

/// Returns what is done where a signal asks for it: the configuration is read anew.
fn reload_of(api: &Arc<Api>) -> impl Fn(Option<String>) -> BoxFuture<'static, ()> + Send + 'static {
    let api = Arc::downgrade(api);
    move |text| {
        let api = api.upgrade();
        Box::pin(async move {
            let Some(api) = api else { return };
            if let Err(error) = api.reload(text).await {
                tracing::error!(%error, "cannot reload the configuration, the former one holds");
            }
        })
    }
}

/// Says what is wrong with a configuration, and nothing where nothing is. Starts nothing.
fn checked(paths: &Paths, file: &Path) -> Result<(), DaemonError> {
    // What comes on standard input is meant to stand in the file.
    let (path, text) = if file == Path::new("-") {
        let read = io::read_to_string(io::stdin().lock().take(FILE_BYTES_MAX));
        let text = read.map_err(|source| DaemonError::System { what: "read standard input", source })?;
        (paths.config_file(), Some(text))
    } else {
        (file, whole::read(file)?)
    };
    let (config, _) = Config::parse(path, text.as_deref().unwrap_or_default())?;
    let clock: Arc<dyn Clock> = Arc::new(SystemClock::new());
    Ok(reload::check(path, &config, &clock)?)
}

/// Returns whether the daemon that has the lock answers. One that nobody can find is told so.
fn is_served(paths: &Paths) -> bool {
    let is_there = |found: &Found| {
        if found.is_kept { is_greeted(&found.path, GREETED_WITHIN) } else { is_answered(&found.path) }
    };
    if paths.find_place().is_ok_and(|found| is_there(&found)) {
        return true;
    }
    // What cannot be taken away stays as it is, and the daemon unfound.
    if let Err(error) = paths.withdraw_socket() {
        tracing::warn!(%error, "cannot tell the daemon that nobody finds it");
    }
    false
}

/// Returns how the socket is made anew where it was removed.
fn anew(paths: Paths) -> impl Fn() -> Result<Listening, DaemonError> + Send + 'static {
    move || announced_socket(&paths)
}

fn announced_socket(paths: &Paths) -> Result<Listening, DaemonError> {
    let place = paths.prepare_socket()?;
    if let Some(why) = &place.passed_over {
        tracing::info!(socket = %place.path.display(), "not in the runtime directory: {why}");
    }
    // At once: whoever calls meanwhile waits in the socket's queue, rather than starting another.
    let listening = announce(paths, listen(&place.path)?)?;
    Ok(listening.announced_in(&paths.announcement()))
}

/// Says where it is listened. On a full disk the reserve gives room for that; where there is none left, it is listened
/// where everybody looks when nothing is said.
fn announce(paths: &Paths, listening: Listening) -> Result<Listening, DaemonError> {
    match paths.announce_socket(listening.path(), Keeper::Daemon) {
        Err(error) if error.is_full() => tracing::warn!(%error, "the disk is full"),
        announced => return Ok(announced.map(|()| listening)?),
    }
    let is_given_up = SqliteStore::give_up_reserve(&paths.database()).is_ok();
    if is_given_up && paths.announce_socket(listening.path(), Keeper::Daemon).is_ok() {
        return Ok(listening);
    }
    paths.withdraw_socket()?;
    match paths.prepare_unannounced()? {
        Some(path) if path != listening.path() => Ok(listen(&path)?),
        Some(_) | None => Ok(listening),
    }
}

/// Returns why a database is of no use. One that is damaged is set aside first, and the person is told.
async fn unusable(error: Arc<StoreError>, paths: &Paths, config: &Config, clock: &dyn Clock) -> DaemonError {
    if !matches!(*error, StoreError::Damaged { .. }) {
        return DaemonError::Store { source: error };
    }
    tracing::error!(%error, "sets the database aside");
    match SetAside::now(paths, clock.now()) {
        Ok(set_aside) => {
            set_aside.tell(&person_channels(config), config, clock, FIRST_LOOK_WAIT).await;
            DaemonError::Damaged { set_aside }
        }
        Err(failed) => {
            tracing::error!(error = %failed, "cannot set it aside");
            DaemonError::Store { source: error }
        }
    }
}

fn clock(args: &Args) -> Arc<dyn Clock> {
    let detected = zone::detect();
    for why in &detected.passed_over {
        tracing::warn!(zone = detected.zone.name(), "{why}");
    }
    match args.clock {
        Some(time) => Arc::new(SimClock::starting_at(time, detected.zone)),
        None => Arc::new(SystemClock::new()),
    }
}

/// Starts what is run, and who is pinged, when something happens. Pings wait by a clock of their own, since the loop's is
/// waited for by the loop alone.
async fn hooks(args: &Args, paths: &Paths, config: &Config, handle: &Handle, clock: &Arc<dyn Clock>) -> Arc<Hooks> {
    let clock = match args.clock {
        Some(_) => Arc::clone(clock),
        None => Arc::new(SystemClock::new()),
    };
    Hooks::start(handle.clone(), clock, paths.hooks_file(), settings::hooks(config, paths)).await
}

/// Beside a programmable clock the real network is not listened to: its changes would come at no time of that clock.
fn network(args: &Args) -> Arc<dyn Network> {
    match args.clock {
        Some(_) => Arc::new(SilentNetwork),
        None => Arc::new(SystemNetwork::listen()),
    }
}

/// Returns every channel, once each has looked whether it can reach somebody.
async fn channels(config: &Config, configured: &Configured) -> Vec<Arc<dyn Channel>> {
    let mut channels = person_channels(config);
    channels.extend(configured.channels());
    join_all(channels.iter().map(|channel| first_look(&**channel, FIRST_LOOK_WAIT))).await;
    channels
}

fn person_channels(config: &Config) -> Vec<Arc<dyn Channel>> {
    let user = rustix::process::geteuid().as_raw();
    let choices = Choices::of(config.snooze_choices.clone());
    vec![
        Arc::new(DesktopChannel::start(SessionBus::of_environment(user), choices)),
        Arc::new(TerminalChannel::start(Terminals::of_environment(user))),
    ]
}

/// Leaves the terminal that the starting command ran in, so that its end and its Ctrl-C are not the daemon's.
fn leave_session(home: &Path) {
    // A process that leads its group already cannot, and need not: somebody started it so on purpose.
    let _ = rustix::process::setsid();
    // Whatever directory it was started in may be unmounted.
    let _ = std::env::set_current_dir(home);
}

/// Tells whoever started the daemon why it is not there.
fn report(args: &Args, error: &DaemonError) {
    if args.check.is_some() {
        say(&error.to_string());
    } else if args.foreground {
        // Where it is logged to standard error it has been said; before logging began it has not.
        let _ = writeln!(io::stderr(), "error: {error}");
        if let Some(hint) = error.hint() {
            let _ = writeln!(io::stderr(), "hint: {hint}");
        }
    } else {
        let hint = error.hint().map(|hint| format!("\n{HINT_PREFIX}{hint}")).unwrap_or_default();
        say(&format!("{FAILED_PREFIX}{}{hint}", error.to_string().replace('\n', " ")));
    }
}

/// Says a line on standard output. Nobody may be there to hear it.
fn say(line: &str) {
    let mut output = io::stdout();
    let _ = writeln!(output, "{line}").and_then(|()| output.flush());
}
