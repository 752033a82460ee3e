//! How does one configured chat get its messages, and its edits?
//!
//! Never sends a part twice that the service has taken, as long as this process lives.

use std::sync::Arc;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use reqwest::{Certificate, Url};
use serde_json::{Value, json};

use crate::domain::delivery::{Delivery, Report};
use crate::domain::effect::Withdrawal;
use crate::domain::secret::Secret;
use crate::domain::time::Span;
use crate::notify::Now;
use crate::notify::http::outcome::failed;
use crate::notify::http::{certificates, read_url};
use crate::notify::keys::Key;
use crate::notify::progress::Progress;
use crate::notify::targets::{Endpoint, Hearing};
use crate::notify::telegram::bot::{Bot, Refusal};
use crate::notify::telegram::message::{self, Link, Receipt};
use crate::notify::telegram::poller::Poller;
use crate::notify::telegram::{Moved, Settings};

/// One chat, ready for use.
pub(super) struct Chat {
    /// Its name, as in `telegram:NAME`.
    pub(super) name: String,
    /// Where the service is.
    pub(super) base: Url,
    /// Trusted beside the system's.
    pub(super) ca: Vec<Certificate>,
    /// The bot's token.
    pub(super) token: Arc<Key>,
    /// Calls the bot.
    pub(super) bot: Bot,
    has_buttons: bool,
    configured: String,
    snoozes: Vec<Span>,
    moved: Moved,
}

impl Endpoint for Chat {
    type Settings = Settings;

    fn name(settings: &Settings) -> &str {
        &settings.name
    }

    fn new(settings: Settings, now: &Now) -> Result<Self, (&'static str, String)> {
        let base = read_url(&settings.api_url).map_err(|why| ("api_url", why))?;
        let ca = settings.ca.as_deref().map(certificates).transpose().map_err(|why| ("ca_file", why))?;
        let (ca, token) = (ca.unwrap_or_default(), Arc::new(settings.token));
        let bot = Bot::new(base.clone(), Arc::clone(&token), ca.clone(), settings.timeout, Arc::clone(now));
        Ok(Self {
            name: settings.name,
            base,
            ca,
            token,
            bot,
            has_buttons: settings.buttons,
            configured: settings.chat,
            snoozes: settings.snoozes,
            moved: settings.moved,
        })
    }

    fn has_answers(&self) -> bool {
        self.has_buttons
    }

    /// Its service and its bot: two that ask for the answers of one bot would take each other's.
    fn queue(&self) -> BoxFuture<'_, Result<Secret, String>> {
        async {
            let token = self.token.reveal().await.map_err(|why| format!("telegram:{}: {why}", self.name))?;
            Ok(Secret::new(format!("{} {}", self.base, token.reveal())))
        }
        .boxed()
    }

    fn follow(first: &Arc<Self>, all: Vec<Arc<Self>>, hearing: Hearing) -> BoxFuture<'static, ()> {
        Poller::new(first, all, hearing).follow().boxed()
    }
}

impl Chat {
    /// Returns whether a chat, as the service describes it, is this one.
    pub(super) fn is_chat(&self, chat: &Value) -> bool {
        let Some(id) = chat["id"].as_i64() else { return false };
        let is_named = |name: &str| {
            let username = chat["username"].as_str().unwrap_or_default();
            !username.is_empty() && name.eq_ignore_ascii_case(username)
        };
        let is_configured = match self.configured.strip_prefix('@') {
            Some(name) => is_named(name),
            None => self.configured.parse() == Ok(id),
        };
        is_configured || self.moved.find(&self.configured) == Some(id)
    }

    /// Sends what is not sent yet of a delivery.
    pub(super) async fn send(&self, delivery: &Delivery, progress: &Progress<Vec<i64>>) -> Report {
        let (chat, parts) = (self.chat(), message::parts(delivery));
        let mut sent = progress.of(&delivery.id);
        for (index, part) in parts.iter().enumerate().skip(sent.len()) {
            let is_last = index + 1 == parts.len();
            match self.send_part(&chat, delivery, index, part, is_last).await {
                Ok(message) => sent.push(message["message_id"].as_i64().unwrap_or_default()),
                Err(refusal) => {
                    let count = sent.len();
                    progress.note(&delivery.id, sent);
                    return self.failed(refusal, count, parts.len());
                }
            }
        }
        progress.end(&delivery.id);
        let text = parts.into_iter().next_back().unwrap_or_default();
        let receipt = serde_json::to_string(&Receipt { chat, messages: sent, text });
        Report::Delivered { receipt: receipt.ok() }
    }

    async fn send_part(
        &self,
        chat: &str,
        delivery: &Delivery,
        index: usize,
        part: &str,
        is_last: bool,
    ) -> Result<Value, Refusal> {
        let below = |link| {
            let keyboard = || message::keyboard(delivery, &self.snoozes, link);
            (is_last && self.has_buttons).then(keyboard).flatten()
        };
        let keyboard = below(Link::Shown);
        let sent = self.bot.call("sendMessage", &message::send(chat, delivery, index, part, keyboard.clone())).await;
        let plain = below(Link::Hidden);
        match sent {
            // The service takes no address of a machine at home for one; the text has it, and the rest must arrive.
            Err(refusal) if refusal.code == Some(400) && keyboard != plain && is_about_link(&refusal) => {
                self.bot.call("sendMessage", &message::send(chat, delivery, index, part, plain)).await
            }
            sent => sent,
        }
    }

    /// Says what became of an occurrence. What cannot be said now stays unsaid: a later press is answered with words.
    pub(super) async fn edit(&self, receipt: &Receipt, withdrawal: &Withdrawal) {
        let Some(arguments) = message::edit(receipt, withdrawal) else { return };
        if let Err(refusal) = self.bot.call("editMessageText", &arguments).await
            && !refusal.error.contains("message is not modified")
        {
            tracing::debug!(target = self.name, error = refusal.error, "a message still says what it said");
        }
    }

    /// Answers the press of a button, so that it stops to turn.
    pub(super) async fn answer(&self, query: &str, words: &str) {
        // 0-200 characters (Bot API, `answerCallbackQuery`).
        let words: String = words.chars().take(200).collect();
        let arguments = json!({"callback_query_id": query, "text": words});
        if let Err(refusal) = self.bot.call("answerCallbackQuery", &arguments).await {
            tracing::debug!(target = self.name, error = refusal.error, "nobody was told what came of a button");
        }
    }

    fn failed(&self, refusal: Refusal, sent: usize, parts: usize) -> Report {
        let Refusal { mut error, retry_after, migrated_to, code: _ } = refusal;
        if let Some(chat) = migrated_to {
            self.moved.note(&self.configured, chat);
            error = format!("{error}; the chat is {chat} now, which is used from here on");
        }
        if sent > 0 {
            error = format!("{error}; {sent} of {parts} parts were sent before");
        }
        failed(error, false, retry_after)
    }

    fn chat(&self) -> String {
        self.moved.find(&self.configured).map_or_else(|| self.configured.clone(), |chat| chat.to_string())
    }
}

fn is_about_link(refusal: &Refusal) -> bool {
    let error = refusal.error.to_ascii_lowercase();
    error.contains("url") || error.contains("button")
}
