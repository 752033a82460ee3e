//! What is run, and who is pinged, when something happened? Programs that want to hear of events (hooks), and outside
//! dead-man's switches that want to hear of commands (pings).
//!
//! Both follow what is committed, behind the loop's back: neither the loop nor a task knows of them, and nothing that they do
//! or fail to do changes one. What is told is told at least once: where each has come is kept, so that a crash repeats rather
//! than loses; whoever must not do a thing twice goes by the event's `event_id`.

use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::{Mutex as AsyncMutex, Notify, Semaphore};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::clock::Clock;
use crate::domain::hook::{HOOKS_MAX, Hook};
use crate::domain::secret::Secret;
use crate::engine::handle::Handle;
use crate::hooks::ledger::{Kept, Ledger};
use crate::hooks::pings::{PingCounts, Pings};
use crate::hooks::queue::{Counts, Job, Origin, Queue};
use crate::notify::ping::PingClient;
use crate::protocol::to_wire::View;

mod follow;
mod ledger;
pub mod pings;
pub mod queue;
mod told;

/// How many programs of hooks run at once, each hook's one at a time (I9): they are to be done soon, but not to crowd out what
/// tasks run.
const AT_ONCE_MAX: usize = 8;

/// How often it is written down at most how far hooks have come.
const SAVED_EVERY: Duration = Duration::from_secs(1);

/// Tells of what happens.
pub struct Hooks {
    shared: Arc<Shared>,
}

/// What all parts of it share.
struct Shared {
    handle: Handle,
    queues: Mutex<Vec<Arc<Queue>>>,
    pings: Arc<Pings>,
    /// The last event that was held against the hooks.
    read: AtomicU64,
    places: Semaphore,
    ledger: Ledger,
    /// Lets nobody write an older state over a newer one.
    writing: AsyncMutex<()>,
    /// Where each has come is to be written down.
    save: Notify,
    /// Nothing more is begun.
    stop: CancellationToken,
    /// What is under way is given up.
    give_up: CancellationToken,
    tasks: TaskTracker,
}

/// A hook, and how it goes with it.
#[derive(Debug)]
pub struct HookState {
    /// The hook.
    pub hook: Arc<Hook>,
    /// Where it comes from.
    pub origin: Origin,
    /// How it goes.
    pub counts: Counts,
}

/// Why a hook was not registered or removed.
#[derive(Debug, thiserror::Error)]
pub enum HookError {
    /// There are too many.
    #[error("cannot register hook {name:?}: there are {HOOKS_MAX} hooks already")]
    TooMany {
        /// Its name.
        name: String,
    },
    /// The configuration has one of that name.
    #[error("cannot {what} hook {name:?}: it stands in the configuration")]
    Configured {
        /// What was attempted.
        what: &'static str,
        /// Its name.
        name: String,
    },
    /// There is none of that name.
    #[error("cannot remove hook {name:?}: there is none of that name")]
    NotFound {
        /// Its name.
        name: String,
    },
    /// It cannot be kept.
    #[error("cannot keep hook {name:?}: {source}")]
    NotKept {
        /// Its name.
        name: String,
        /// Why.
        source: io::Error,
    },
}

/// Why a task cannot have a ping.
#[derive(Debug, thiserror::Error)]
pub enum PingError {
    /// It is no address.
    #[error("cannot use the address of a ping: {why}")]
    Unusable {
        /// Why, without the address.
        why: String,
    },
    /// It cannot be kept that there are pings.
    #[error("cannot keep that there are pings: {source}")]
    NotKept {
        /// Why.
        source: io::Error,
    },
}

impl Hooks {
    /// Starts to tell: the configured hooks, and those that were registered and are kept in `file`. `clock` is that of the
    /// pings alone: nobody else waits for it.
    ///
    /// A hook that was here before goes on behind what it was told last, any other behind what was committed before this start.
    pub async fn start(handle: Handle, clock: Arc<dyn Clock>, file: PathBuf, configured: Vec<Hook>) -> Arc<Self> {
        let ledger = Ledger::at(file);
        let (ledger, kept) = tokio::task::spawn_blocking(move || {
            let kept = ledger.read();
            (ledger, kept)
        })
        .await
        .expect("reading a file does not panic");
        let start = handle.identity().last_seq;
        // Beyond the last event: the database is an older one, restored.
        let since = |cursor: Option<u64>| cursor.unwrap_or(start).min(start);
        let Kept { registered, cursors, pings } = kept;
        let mut queues: Vec<Arc<Queue>> = Vec::new();
        let named = configured.into_iter().map(|hook| (hook, Origin::Configured));
        for (hook, origin) in named.chain(registered.into_iter().map(|hook| (hook, Origin::Registered))) {
            if queues.iter().any(|known| known.hook().name == hook.name) {
                tracing::info!(
                    hook = hook.name,
                    "the configuration has a hook of this name, the registered one is dropped"
                );
                continue;
            }
            let cursor = since(cursors.get(&hook.name).copied());
            queues.push(Arc::new(Queue::new(hook, origin, cursor)));
        }
        let pings = Arc::new(Pings::new(handle.clone(), clock, pings.map(|cursor| since(Some(cursor)))));
        let first = queues.iter().map(|queue| queue.cursor(0)).chain(pings.since()).min().unwrap_or(start);
        let last_seq = handle.last_seq();
        let shared = Arc::new(Shared {
            handle,
            queues: Mutex::new(queues.clone()),
            pings,
            read: AtomicU64::new(first),
            places: Semaphore::new(AT_ONCE_MAX),
            ledger,
            writing: AsyncMutex::new(()),
            save: Notify::new(),
            stop: CancellationToken::new(),
            give_up: CancellationToken::new(),
            tasks: TaskTracker::new(),
        });
        for queue in queues {
            shared.tasks.spawn(Arc::clone(&shared).serve(queue));
        }
        shared.tasks.spawn(follow::follow(Arc::clone(&shared), last_seq));
        shared.tasks.spawn(Arc::clone(&shared).keep_saving());
        shared.pings.start(&shared);
        shared.save.notify_one();
        Arc::new(Self { shared })
    }

    /// Puts these hooks in the place of all that are configured; what waits for one that stays is told to it.
    pub fn configure(&self, configured: Vec<Hook>) {
        let shared = &self.shared;
        let mut queues = shared.lock();
        queues.retain(|queue| {
            let name = &queue.hook().name;
            let is_there = configured.iter().any(|hook| hook.name == *name);
            let stays = is_there == (queue.origin == Origin::Configured);
            if !stays {
                let waiting = queue.counts().waiting;
                tracing::info!(hook = name, waiting, "a hook is gone, what waits for it is not told");
                queue.gone.cancel();
            }
            stays
        });
        for hook in configured {
            match queues.iter().find(|queue| queue.hook().name == hook.name) {
                Some(known) => known.replace_hook(hook),
                None => queues.push(shared.serve_new(hook, Origin::Configured)),
            }
        }
        drop(queues);
        shared.save.notify_one();
    }

    /// Registers a hook, in the place of one of its name; kept until it is removed, also when the daemon starts anew.
    ///
    /// Returns whether it took the place of another.
    ///
    /// # Errors
    /// The configuration has one of its name, there are too many, or it cannot be kept.
    pub async fn add(&self, hook: Hook) -> Result<bool, HookError> {
        let shared = &self.shared;
        let name = hook.name.clone();
        let was = {
            let mut queues = shared.lock();
            match queues.iter().find(|queue| queue.hook().name == name) {
                Some(known) if known.origin == Origin::Configured => {
                    return Err(HookError::Configured { what: "register", name });
                }
                Some(known) => {
                    let was = known.hook();
                    known.replace_hook(hook);
                    Some(was)
                }
                None if queues.len() >= HOOKS_MAX => return Err(HookError::TooMany { name }),
                None => {
                    let queue = shared.serve_new(hook, Origin::Registered);
                    queues.push(queue);
                    None
                }
            }
        };
        if let Err(source) = shared.write().await {
            // What was answered to have failed must not go on.
            let mut queues = shared.lock();
            if let Some(index) = queues.iter().position(|queue| queue.hook().name == name) {
                match was {
                    Some(was) => queues[index].replace_hook(Hook::clone(&was)),
                    None => queues.remove(index).gone.cancel(),
                }
            }
            return Err(HookError::NotKept { name, source });
        }
        Ok(was.is_some())
    }

    /// Removes a hook that was registered; its program that runs goes on to its end.
    ///
    /// # Errors
    /// There is none, or it stands in the configuration.
    pub async fn remove(&self, name: &str) -> Result<HookState, HookError> {
        let shared = &self.shared;
        let name = name.to_owned();
        let removed = {
            let mut queues = shared.lock();
            let Some(index) = queues.iter().position(|queue| queue.hook().name == name) else {
                return Err(HookError::NotFound { name });
            };
            if queues[index].origin == Origin::Configured {
                return Err(HookError::Configured { what: "remove", name });
            }
            queues.remove(index)
        };
        removed.gone.cancel();
        shared.write().await.map_err(|source| HookError::NotKept { name, source })?;
        Ok(state(&removed))
    }

    /// Returns all hooks: the configured ones in the order of the file, then those that were registered.
    #[must_use]
    pub fn list(&self) -> Vec<HookState> {
        let mut states: Vec<HookState> = self.shared.queues().iter().map(|queue| state(queue)).collect();
        states.sort_by_key(|state| state.origin == Origin::Registered);
        states
    }

    /// Returns how it goes with the pings.
    #[must_use]
    pub fn pings(&self) -> PingCounts {
        self.shared.pings.counts()
    }

    /// Looks whether an address can be pinged, before a task has it: from now on, events are looked through for pings.
    ///
    /// # Errors
    /// It is no address, or it cannot be kept that there are pings.
    pub async fn expect_ping(&self, url: &Secret) -> Result<(), PingError> {
        PingClient::check(url).map_err(|why| PingError::Unusable { why })?;
        let shared = &self.shared;
        if shared.pings.expect(shared.read.load(Ordering::Acquire)) {
            shared.write().await.map_err(|source| PingError::NotKept { source })?;
        }
        Ok(())
    }

    /// Begins nothing more, lets what is under way come to its end within `grace`, and writes down how far each has come. What
    /// is given up or waits is told when the daemon starts again.
    pub async fn stop(&self, grace: Duration) {
        let shared = &self.shared;
        shared.stop.cancel();
        shared.tasks.close();
        if timeout(grace, shared.tasks.wait()).await.is_err() {
            shared.give_up.cancel();
            shared.tasks.wait().await;
        }
        if let Err(error) = shared.write().await {
            tracing::warn!(%error, "cannot write down how far hooks have come: they may be told some events again");
        }
    }
}

fn state(queue: &Queue) -> HookState {
    HookState { hook: queue.hook(), origin: queue.origin, counts: queue.counts() }
}

impl Shared {
    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<Arc<Queue>>> {
        self.queues.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn queues(&self) -> Vec<Arc<Queue>> {
        self.lock().clone()
    }

    fn go_on_to(&self, seq: u64) {
        self.read.fetch_max(seq, Ordering::AcqRel);
    }

    /// Begins to serve a hook, which is told of what is committed from now on.
    fn serve_new(self: &Arc<Self>, hook: Hook, origin: Origin) -> Arc<Queue> {
        let since = *self.handle.last_seq().borrow();
        let queue = Arc::new(Queue::new(hook, origin, since));
        self.tasks.spawn(Arc::clone(self).serve(Arc::clone(&queue)));
        queue
    }

    /// Tells a hook its events, one after another.
    async fn serve(self: Arc<Self>, queue: Arc<Queue>) {
        loop {
            let place = async {
                queue.ready().await;
                self.places.acquire().await
            };
            let place = tokio::select! {
                biased;
                () = self.stop.cancelled() => return,
                () = queue.gone.cancelled() => return,
                place = place => place,
            };
            let Some(job) = queue.begin() else { continue };
            tokio::select! {
                () = self.tell(&queue, job) => {}
                // With it goes the program. It counts as not told.
                () = self.give_up.cancelled() => return,
            }
            drop(place);
            self.save.notify_one();
        }
    }

    async fn tell(&self, queue: &Queue, job: Job) {
        let Job { seq, happening } = job;
        let read = self.handle.events_since(seq - 1, 1).await;
        let result = match read.map(|mut page| page.pop()) {
            Ok(Some(stored)) if stored.seq == seq => {
                let view =
                    View { now: self.handle.now(), zone: self.handle.zone(), device: self.handle.identity().device };
                told::tell(&queue.hook(), happening, seq, &stored.event, view).await
            }
            // Its task was purged meanwhile, and all that happened to it.
            Ok(_) => return queue.pass_over(),
            Err(error) => Err(format!("the event cannot be read: {error}")),
        };
        queue.ended(result, self.handle.now());
    }

    async fn keep_saving(self: Arc<Self>) {
        let mut is_failing = false;
        loop {
            tokio::select! {
                biased;
                () = self.stop.cancelled() => return,
                () = self.save.notified() => {}
            }
            let written = self.write().await;
            if let Err(error) = &written
                && !is_failing
            {
                tracing::warn!(%error, "cannot write down how far hooks have come: after a crash they are told some events again");
            }
            is_failing = written.is_err();
            // What is done within that is told again after a crash; each write waits for the disk that the store writes to.
            let _ = timeout(SAVED_EVERY, self.stop.cancelled()).await;
        }
    }

    async fn write(self: &Arc<Self>) -> io::Result<()> {
        let _turn = self.writing.lock().await;
        let shared = Arc::clone(self);
        let written = tokio::task::spawn_blocking(move || shared.ledger.write(&shared.kept())).await;
        written.unwrap_or_else(|error| Err(io::Error::other(error)))
    }

    fn kept(&self) -> Kept {
        // Before the queues are looked at: what is read meanwhile may be told again, and never passed over.
        let read = self.read.load(Ordering::Acquire);
        let queues = self.queues();
        let registered = queues.iter().filter(|queue| queue.origin == Origin::Registered);
        Kept {
            registered: registered.map(|queue| Hook::clone(&queue.hook())).collect(),
            cursors: queues.iter().map(|queue| (queue.hook().name.clone(), queue.cursor(read))).collect(),
            pings: self.pings.cursor(read),
        }
    }
}

/// Without the hooks: their commands may hold keys.
impl std::fmt::Debug for Hooks {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Hooks").finish_non_exhaustive()
    }
}
