//! Which targets of one kind are configured now, and who hears what is answered there?
//!
//! The set can be replaced while the daemon runs. It sends nothing by itself, and knows no service.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, RwLock};

use futures_util::FutureExt as _;
use futures_util::future::{BoxFuture, ready};
use tokio::sync::{Notify, mpsc, watch};
use tokio::task::AbortHandle;

use crate::domain::delivery::{ChannelKind, Target};
use crate::domain::secret::Secret;
use crate::notify::answers::follow_each;
use crate::notify::fault::Fault;
use crate::notify::network::{Heeding, Network};
use crate::notify::responses::{Response, Responses};
use crate::notify::{Now, Presence};

/// One target of a service, ready for use.
pub(in crate::notify) trait Endpoint: Send + Sync + Sized + 'static {
    /// What it is made of.
    type Settings;

    /// Returns the name of the target that some settings are for.
    fn name(settings: &Self::Settings) -> &str;

    /// Makes one ready; nothing is opened.
    ///
    /// # Errors
    /// The key that cannot be used, and why.
    fn new(settings: Self::Settings, now: &Now) -> Result<Self, (&'static str, String)>;

    /// Returns whether a person can answer there.
    fn has_answers(&self) -> bool;

    /// Returns what names the place where its answers wait: those of one place are asked for once.
    fn queue(&self) -> BoxFuture<'_, Result<Secret, String>>;

    /// Hears the answers of those that share a place, until it is dropped; `first` is one of `all`.
    fn follow(first: &Arc<Self>, all: Vec<Arc<Self>>, hearing: Hearing) -> BoxFuture<'static, ()>;
}

/// What somebody needs who hears answers.
#[derive(Clone)]
pub(in crate::notify) struct Hearing {
    /// Where they are told.
    pub(in crate::notify) responses: Arc<Responses>,
    /// Ends a pause.
    pub(in crate::notify) knock: Arc<Notify>,
    /// Tells the time.
    pub(in crate::notify) now: Now,
}

/// The targets by their names.
type Named<E> = Arc<BTreeMap<String, Arc<E>>>;

/// The targets of one kind.
pub(in crate::notify) struct Targets<E> {
    kind: ChannelKind,
    named: RwLock<Named<E>>,
    hearing: Hearing,
    /// Hears the answers of the present targets.
    listening: Mutex<Option<AbortHandle>>,
    presence: watch::Sender<Presence>,
    heeding: Option<Heeding>,
}

impl<E: Endpoint> Targets<E> {
    /// Returns a set without targets.
    pub(in crate::notify) fn new(kind: ChannelKind, now: Now) -> Self {
        Self {
            kind,
            named: RwLock::default(),
            hearing: Hearing { responses: Arc::default(), knock: Arc::default(), now },
            listening: Mutex::new(None),
            presence: watch::Sender::new(Presence::Present),
            heeding: None,
        }
    }

    /// Returns the set that looks again whenever `network` comes back.
    pub(in crate::notify) fn heeding(mut self, network: Arc<dyn Network>) -> Self {
        let (presence, knock) = (self.presence.clone(), Arc::clone(&self.hearing.knock));
        self.heeding = Some(Heeding::of(network, move || {
            presence.send_replace(Presence::Present);
            knock.notify_waiters();
        }));
        self
    }

    /// Puts these targets in the place of all that were. Answers are listened to at once where somebody hears of them.
    ///
    /// # Errors
    /// Everything that is wrong with their settings; then all stays as it was.
    pub(in crate::notify) fn configure(&self, targets: Vec<E::Settings>) -> Result<(), Vec<Fault>> {
        let (mut named, mut faults) = (BTreeMap::new(), Vec::new());
        for settings in targets {
            let address = E::name(&settings).to_owned();
            match E::new(settings, &self.hearing.now) {
                Ok(endpoint) => {
                    named.insert(address, Arc::new(endpoint));
                }
                Err((key, reason)) => faults.push(Fault { target: Target { kind: self.kind, address }, key, reason }),
            }
        }
        if !faults.is_empty() {
            return Err(faults);
        }
        *self.named.write().expect("no holder of the targets panics") = Arc::new(named);
        self.listen();
        // What waits for a target that was not there is tried anew.
        self.presence.send_replace(Presence::Present);
        Ok(())
    }

    /// Returns a target; `None` where it is not configured any more.
    pub(in crate::notify) fn find(&self, name: &str) -> Option<Arc<E>> {
        self.named().get(name).cloned()
    }

    /// Returns the queue of all that is answered from now on.
    pub(in crate::notify) fn responses(&self) -> mpsc::Receiver<Response> {
        let heard = self.hearing.responses.listen();
        self.listen();
        heard
    }

    /// Tells whenever what waits is to be tried anew.
    pub(in crate::notify) fn presence(&self) -> watch::Receiver<Presence> {
        self.presence.subscribe()
    }

    /// Hears the answers of the present targets, and of no others any more.
    fn listen(&self) {
        let mut listening = self.listening.lock().expect("no holder of the listening task panics");
        if let Some(before) = listening.take() {
            before.abort();
        }
        let all: Vec<Arc<E>> = self.named().values().filter(|endpoint| endpoint.has_answers()).cloned().collect();
        if all.is_empty() || self.hearing.responses.listener().is_none() {
            return;
        }
        let hearing = self.hearing.clone();
        let follow = move |all: Vec<Arc<E>>| match all.first().cloned() {
            Some(first) => E::follow(&first, all, hearing.clone()),
            None => ready(()).boxed(),
        };
        let knock = Arc::clone(&self.hearing.knock);
        *listening = Some(tokio::spawn(follow_each(all, E::queue, follow, knock)).abort_handle());
    }

    fn named(&self) -> Named<E> {
        Arc::clone(&self.named.read().expect("no holder of the targets panics"))
    }
}

impl<E> Drop for Targets<E> {
    fn drop(&mut self) {
        if let Some(listening) = self.listening.lock().expect("no holder of the listening task panics").take() {
            listening.abort();
        }
    }
}

/// Only the names: the rest holds keys.
impl<E: Endpoint> fmt::Debug for Targets<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.named().keys()).finish()
    }
}
