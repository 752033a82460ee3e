//! The ntfy channel of a build with the feature `webhook`: joins deliveries with topics, and listens to their buttons.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, RwLock};
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::{BoxFuture, ready};
use tokio::sync::{Notify, mpsc, watch};
use tokio::task::AbortHandle;
use tokio::time::timeout;

use crate::domain::delivery::{ChannelKind, Delivery, Report, Target};
use crate::domain::effect::{Standing, Withdrawal};
use crate::notify::answers::follow_each;
use crate::notify::fault::Fault;
use crate::notify::network::{Heeding, Network};
use crate::notify::ntfy::endpoint::{Endpoint, Trouble};
use crate::notify::ntfy::subscriber::Subscriber;
use crate::notify::ntfy::{Now, Settings};
use crate::notify::progress::Progress;
use crate::notify::responses::{Response, Responses};
use crate::notify::{Channel, Presence};

/// How many notifications are on their way at once, to all topics together; ntfy.sh takes 60 at once of one visitor
/// (`docs.ntfy.sh/publish/`, "Limitations").
const WORKERS: usize = 8;

/// How long it may take to clear all notifications of an occurrence.
const WITHDRAWN_WITHIN: Duration = Duration::from_secs(30);

/// The topics by their names.
type Endpoints = BTreeMap<String, Arc<Endpoint>>;

/// Topics of ntfy.
pub struct NtfyChannel {
    endpoints: RwLock<Arc<Endpoints>>,
    progress: Progress<()>,
    responses: Arc<Responses>,
    /// Wakes those that pause after a failure.
    knock: Arc<Notify>,
    /// Listens to the buttons of the present topics.
    listening: Mutex<Option<AbortHandle>>,
    now: Now,
    presence: watch::Sender<Presence>,
    heeding: Option<Heeding>,
}

impl NtfyChannel {
    /// Returns the channel, without topics.
    #[must_use]
    pub fn new(now: Now) -> Self {
        Self {
            endpoints: RwLock::default(),
            progress: Progress::new(),
            responses: Arc::default(),
            knock: Arc::default(),
            listening: Mutex::new(None),
            now,
            presence: watch::Sender::new(Presence::Present),
            heeding: None,
        }
    }

    /// Returns the channel that looks again whenever `network` comes back.
    ///
    /// # Panics
    /// Outside of a runtime.
    #[must_use]
    pub fn heeding(mut self, network: Arc<dyn Network>) -> Self {
        let (presence, knock) = (self.presence.clone(), Arc::clone(&self.knock));
        self.heeding = Some(Heeding::of(network, move || {
            presence.send_replace(Presence::Present);
            knock.notify_waiters();
        }));
        self
    }

    /// Puts these topics in the place of all that were; nothing is opened, but buttons are listened to at once where
    /// somebody hears of them.
    ///
    /// # Errors
    /// Everything that is wrong with their settings; then all stays as it was.
    ///
    /// # Panics
    /// Outside of a runtime.
    pub fn configure(&self, targets: Vec<Settings>) -> Result<(), Vec<Fault>> {
        let (mut endpoints, mut faults) = (Endpoints::new(), Vec::new());
        for settings in targets {
            let name = settings.name.clone();
            match Endpoint::new(settings, &self.now) {
                Ok(endpoint) => drop(endpoints.insert(name, Arc::new(endpoint))),
                Err((key, reason)) => {
                    let target = Target { kind: ChannelKind::Ntfy, address: name };
                    faults.push(Fault { target, key, reason });
                }
            }
        }
        if !faults.is_empty() {
            return Err(faults);
        }
        *self.endpoints.write().expect("no holder of the topics panics") = Arc::new(endpoints);
        self.listen();
        // What waits for a topic that was not there is tried anew.
        self.presence.send_replace(Presence::Present);
        Ok(())
    }

    /// Listens to the buttons of the present topics, and to no others any more.
    fn listen(&self) {
        let mut listening = self.listening.lock().expect("no holder of the listening task panics");
        if let Some(before) = listening.take() {
            before.abort();
        }
        let topics: Vec<Arc<Endpoint>> =
            self.endpoints().values().filter(|topic| topic.has_answers()).cloned().collect();
        if topics.is_empty() || self.responses.listener().is_none() {
            return;
        }
        let (responses, knock, now) = (Arc::clone(&self.responses), Arc::clone(&self.knock), Arc::clone(&self.now));
        let follow = move |topics: Vec<Arc<Endpoint>>| {
            let subscriber = Subscriber::new(topics, Arc::clone(&responses), Arc::clone(&knock), Arc::clone(&now));
            subscriber.map_or_else(|| ready(()).boxed(), |subscriber| subscriber.follow().boxed())
        };
        let knock = Arc::clone(&self.knock);
        *listening = Some(tokio::spawn(follow_each(topics, Endpoint::queue, follow, knock)).abort_handle());
    }

    fn endpoints(&self) -> Arc<Endpoints> {
        Arc::clone(&self.endpoints.read().expect("no holder of the topics panics"))
    }

    async fn send(&self, delivery: &Delivery) -> Report {
        let name = &delivery.id.target.address;
        match self.endpoints().get(name) {
            Some(endpoint) => endpoint.send(delivery, &self.progress).await,
            // It may come back into the configuration: nothing is lost meanwhile.
            None => Report::Away { reason: format!("no topic ntfy:{name} is configured") },
        }
    }

    async fn clear(&self, withdrawal: &Withdrawal) {
        if withdrawal.standing == Standing::Due {
            return;
        }
        let endpoints = self.endpoints();
        let cleared = async {
            // The latest first: it is the one before the person.
            for told in withdrawal.told.iter().rev() {
                if let Some(endpoint) = endpoints.get(&told.id.target.address)
                    && let Err(Trouble { error, .. }) = endpoint.clear(told).await
                {
                    tracing::debug!(target = endpoint.name, error, "a notification is not cleared");
                }
            }
        };
        if timeout(WITHDRAWN_WITHIN, cleared).await.is_err() {
            tracing::debug!(task = %withdrawal.task, "some notifications are not cleared");
        }
    }
}

impl Drop for NtfyChannel {
    fn drop(&mut self) {
        if let Some(listening) = self.listening.lock().expect("no holder of the listening task panics").take() {
            listening.abort();
        }
    }
}

/// Only the names: the rest holds keys.
impl fmt::Debug for NtfyChannel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NtfyChannel").field("named", &self.endpoints().keys()).finish_non_exhaustive()
    }
}

impl Channel for NtfyChannel {
    fn kind(&self) -> ChannelKind {
        ChannelKind::Ntfy
    }

    fn workers(&self) -> usize {
        WORKERS
    }

    fn deliver<'a>(&'a self, delivery: &'a Delivery) -> BoxFuture<'a, Report> {
        self.send(delivery).boxed()
    }

    fn withdraw<'a>(&'a self, withdrawal: &'a Withdrawal) -> BoxFuture<'a, ()> {
        self.clear(withdrawal).boxed()
    }

    fn presence(&self) -> watch::Receiver<Presence> {
        self.presence.subscribe()
    }

    fn responses(&self) -> Option<mpsc::Receiver<Response>> {
        let heard = self.responses.listen();
        self.listen();
        Some(heard)
    }
}
