//! The ntfy channel of a build with the feature `webhook`: joins deliveries with topics, and listens to their buttons.

use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use tokio::sync::{mpsc, watch};
use tokio::time::timeout;

use crate::domain::delivery::{ChannelKind, Delivery, Report};
use crate::domain::effect::{Standing, Withdrawal};
use crate::notify::fault::Fault;
use crate::notify::network::Network;
use crate::notify::ntfy::Settings;
use crate::notify::ntfy::publisher::{Publisher, Trouble};
use crate::notify::progress::Progress;
use crate::notify::responses::Response;
use crate::notify::targets::Targets;
use crate::notify::{Channel, Now, Presence};

/// How many notifications are on their way at once, to all topics together; ntfy.sh takes 60 at once of one visitor
/// (`docs.ntfy.sh/publish/`, "Limitations").
const WORKERS: usize = 8;

/// How long it may take to clear all notifications of an occurrence.
const WITHDRAWN_WITHIN: Duration = Duration::from_secs(30);

/// Topics of ntfy.
#[derive(Debug)]
pub struct NtfyChannel {
    topics: Targets<Publisher>,
    progress: Progress<usize>,
}

impl NtfyChannel {
    /// Returns the channel, without topics.
    #[must_use]
    pub fn new(now: Now) -> Self {
        Self { topics: Targets::new(ChannelKind::Ntfy, now), progress: Progress::none() }
    }

    /// Returns the channel that looks again whenever `network` comes back.
    ///
    /// # Panics
    /// Outside of a runtime.
    #[must_use]
    pub fn heeding(self, network: Arc<dyn Network>) -> Self {
        Self { topics: self.topics.heeding(network), ..self }
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
        self.topics.configure(targets)
    }

    async fn send(&self, delivery: &Delivery) -> Report {
        let name = &delivery.id.target.address;
        match self.topics.find(name) {
            Some(topic) => topic.send(delivery, &self.progress).await,
            // It may come back into the configuration: nothing is lost meanwhile.
            None => Report::Away { reason: format!("no topic ntfy:{name} is configured") },
        }
    }

    async fn clear(&self, withdrawal: &Withdrawal) {
        if withdrawal.standing == Standing::Due {
            return;
        }
        let cleared = async {
            // The latest first: it is the one before the person.
            for told in withdrawal.told.iter().rev() {
                if let Some(topic) = self.topics.find(&told.id.target.address)
                    && let Err(Trouble { error, .. }) = topic.clear(told).await
                {
                    tracing::debug!(target = topic.name, error, "a notification is not cleared");
                }
            }
        };
        if timeout(WITHDRAWN_WITHIN, cleared).await.is_err() {
            tracing::debug!(task = %withdrawal.task, "some notifications are not cleared");
        }
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
        self.topics.presence()
    }

    fn responses(&self) -> Option<mpsc::Receiver<Response>> {
        Some(self.topics.responses())
    }
}
