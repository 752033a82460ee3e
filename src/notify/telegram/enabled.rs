//! The Telegram channel of a build with the feature `webhook`: joins deliveries with chats, and listens to their buttons.

use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use tokio::sync::{mpsc, watch};
use tokio::time::timeout;

use crate::domain::delivery::{ChannelKind, Delivery, Report};
use crate::domain::effect::Withdrawal;
use crate::notify::fault::Fault;
use crate::notify::network::Network;
use crate::notify::progress::Progress;
use crate::notify::responses::Response;
use crate::notify::targets::Targets;
use crate::notify::telegram::Settings;
use crate::notify::telegram::chat::Chat;
use crate::notify::telegram::message::Receipt;
use crate::notify::{Channel, Now, Presence};

/// How many messages are on their way at once, to all chats together; a bot may send 30 a second (Bots FAQ, "My bot is
/// hitting limits").
const WORKERS: usize = 8;

/// How long it may take to say in all messages what became of an occurrence.
const WITHDRAWN_WITHIN: Duration = Duration::from_secs(30);

/// Chats of Telegram.
#[derive(Debug)]
pub struct TelegramChannel {
    chats: Targets<Chat>,
    progress: Progress<Vec<i64>>,
}

impl TelegramChannel {
    /// Returns the channel, without chats.
    #[must_use]
    pub fn new(now: Now) -> Self {
        Self { chats: Targets::new(ChannelKind::Telegram, now), progress: Progress::none() }
    }

    /// Returns the channel that looks again whenever `network` comes back.
    ///
    /// # Panics
    /// Outside of a runtime.
    #[must_use]
    pub fn heeding(self, network: Arc<dyn Network>) -> Self {
        Self { chats: self.chats.heeding(network), ..self }
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
        self.chats.configure(targets)
    }

    async fn send(&self, delivery: &Delivery) -> Report {
        let name = &delivery.id.target.address;
        match self.chats.find(name) {
            Some(chat) => chat.send(delivery, &self.progress).await,
            // It may come back into the configuration: nothing is lost meanwhile.
            None => Report::Away { reason: format!("no chat telegram:{name} is configured") },
        }
    }

    async fn edit(&self, withdrawal: &Withdrawal) {
        let edits = async {
            // The latest first: it is the one before the person.
            for told in withdrawal.told.iter().rev() {
                let chat = self.chats.find(&told.id.target.address);
                let receipt = told.receipt.as_deref().and_then(|text| serde_json::from_str::<Receipt>(text).ok());
                if let (Some(chat), Some(receipt)) = (chat, receipt) {
                    chat.edit(&receipt, withdrawal).await;
                }
            }
        };
        if timeout(WITHDRAWN_WITHIN, edits).await.is_err() {
            tracing::debug!(task = %withdrawal.task, "some messages still say what they said");
        }
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
        self.chats.presence()
    }

    fn responses(&self) -> Option<mpsc::Receiver<Response>> {
        Some(self.chats.responses())
    }
}
