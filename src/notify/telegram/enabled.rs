//! The Telegram channel of a build with the feature `webhook`: joins deliveries with chats, and listens to their buttons.

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
use crate::domain::effect::Withdrawal;
use crate::notify::answers::follow_each;
use crate::notify::fault::Fault;
use crate::notify::network::{Heeding, Network};
use crate::notify::progress::Progress;
use crate::notify::responses::{Response, Responses};
use crate::notify::telegram::endpoint::Endpoint;
use crate::notify::telegram::message::Receipt;
use crate::notify::telegram::poller::Poller;
use crate::notify::telegram::{Now, Settings};
use crate::notify::{Channel, Presence};

/// How many messages are on their way at once, to all chats together; a bot may send 30 a second (Bots FAQ, "My bot is
/// hitting limits").
const WORKERS: usize = 8;

/// How long it may take to say in all messages what became of an occurrence.
const WITHDRAWN_WITHIN: Duration = Duration::from_secs(30);

/// The chats by their names.
type Endpoints = BTreeMap<String, Arc<Endpoint>>;

/// Chats of Telegram.
pub struct TelegramChannel {
    endpoints: RwLock<Arc<Endpoints>>,
    progress: Progress<i64>,
    responses: Arc<Responses>,
    /// Wakes those that pause after a failure.
    knock: Arc<Notify>,
    /// Listens to the buttons of the present chats.
    listening: Mutex<Option<AbortHandle>>,
    now: Now,
    presence: watch::Sender<Presence>,
    heeding: Option<Heeding>,
}

impl TelegramChannel {
    /// Returns the channel, without chats.
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

    /// Puts these chats in the place of all that were; nothing is opened, but buttons are listened to at once where
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
                    let target = Target { kind: ChannelKind::Telegram, address: name };
                    faults.push(Fault { target, key, reason });
                }
            }
        }
        if !faults.is_empty() {
            return Err(faults);
        }
        *self.endpoints.write().expect("no holder of the chats panics") = Arc::new(endpoints);
        self.listen();
        // What waits for a chat that was not there is tried anew.
        self.presence.send_replace(Presence::Present);
        Ok(())
    }

    /// Listens to the buttons of the present chats, and to no others any more.
    fn listen(&self) {
        let mut listening = self.listening.lock().expect("no holder of the listening task panics");
        if let Some(before) = listening.take() {
            before.abort();
        }
        let chats: Vec<Arc<Endpoint>> = self.endpoints().values().filter(|chat| chat.has_buttons).cloned().collect();
        if chats.is_empty() || self.responses.listener().is_none() {
            return;
        }
        let (responses, knock, now) = (Arc::clone(&self.responses), Arc::clone(&self.knock), Arc::clone(&self.now));
        let follow = move |chats: Vec<Arc<Endpoint>>| {
            let poller = Poller::new(chats, Arc::clone(&responses), Arc::clone(&knock), &now);
            poller.map_or_else(|| ready(()).boxed(), |poller| poller.follow().boxed())
        };
        let knock = Arc::clone(&self.knock);
        *listening = Some(tokio::spawn(follow_each(chats, Endpoint::queue, follow, knock)).abort_handle());
    }

    fn endpoints(&self) -> Arc<Endpoints> {
        Arc::clone(&self.endpoints.read().expect("no holder of the chats panics"))
    }

    async fn send(&self, delivery: &Delivery) -> Report {
        let name = &delivery.id.target.address;
        match self.endpoints().get(name) {
            Some(endpoint) => endpoint.send(delivery, &self.progress).await,
            // It may come back into the configuration: nothing is lost meanwhile.
            None => Report::Away { reason: format!("no chat telegram:{name} is configured") },
        }
    }

    async fn edit(&self, withdrawal: &Withdrawal) {
        let endpoints = self.endpoints();
        let edits = async {
            // The latest first: it is the one before the person.
            for told in withdrawal.told.iter().rev() {
                let endpoint = endpoints.get(&told.id.target.address);
                let receipt = told.receipt.as_deref().and_then(|text| serde_json::from_str::<Receipt>(text).ok());
                if let (Some(endpoint), Some(receipt)) = (endpoint, receipt) {
                    endpoint.edit(&receipt, withdrawal).await;
                }
            }
        };
        if timeout(WITHDRAWN_WITHIN, edits).await.is_err() {
            tracing::debug!(task = %withdrawal.task, "some messages still say what they said");
        }
    }
}

impl Drop for TelegramChannel {
    fn drop(&mut self) {
        if let Some(listening) = self.listening.lock().expect("no holder of the listening task panics").take() {
            listening.abort();
        }
    }
}

/// Only the names: the rest holds keys.
impl fmt::Debug for TelegramChannel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TelegramChannel").field("named", &self.endpoints().keys()).finish_non_exhaustive()
    }
}

impl Channel for TelegramChannel {
    fn kind(&self) -> ChannelKind {
        ChannelKind::Telegram
    }

    fn workers(&self) -> usize {
        WORKERS
    }

    fn deliver<'a>(&'a self, delivery: &'a Delivery) -> BoxFuture<'a, Report> {
        self.send(delivery).boxed()
    }

    fn withdraw<'a>(&'a self, withdrawal: &'a Withdrawal) -> BoxFuture<'a, ()> {
        self.edit(withdrawal).boxed()
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
