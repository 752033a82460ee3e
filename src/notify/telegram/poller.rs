//! Which buttons were pressed? Asks the service for a bot's presses, one after the other, as long as it lives.
//!
//! A press is confirmed only once it is known what came of it (Bot API, `getUpdates`: "an update is considered confirmed as
//! soon as getUpdates is called with an offset higher than its `update_id`"), so that none is lost with this process; its id
//! makes that it is done once. Presses of other chats are told so, and do nothing.

use std::future::pending;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::timeout;

use crate::domain::time::Span;
use crate::notify::answers::{pause, tell};
use crate::notify::press::decode;
use crate::notify::targets::Hearing;
use crate::notify::telegram::bot::Bot;
use crate::notify::telegram::chat::Chat;

/// How long the service holds a question that has no answer yet, in seconds.
const HELD_S: u64 = 50;

/// How long a question may take in all.
const ANSWERED_WITHIN: Duration = Duration::from_secs(HELD_S + 15);

/// A service that answers "nothing" sooner does not hold questions; it is not asked oftener than this.
const HELD_AT_LEAST: Duration = Duration::from_secs(1);

/// The presses of one bot.
pub(super) struct Poller {
    polls: Bot,
    /// The chats of the bot.
    chats: Vec<Arc<Chat>>,
    /// One of them, by which those of others are told so.
    first: Arc<Chat>,
    hearing: Hearing,
}

/// Why a round came to nothing.
struct Fault {
    error: String,
    is_conflict: bool,
    retry_after: Option<Span>,
}

impl Poller {
    /// Returns the poller of the bot that tells these chats.
    pub(super) fn new(first: &Arc<Chat>, chats: Vec<Arc<Chat>>, hearing: Hearing) -> Self {
        let (base, token, ca) = (first.base.clone(), Arc::clone(&first.token), first.ca.clone());
        let polls = Bot::new(base, token, ca, ANSWERED_WITHIN, Arc::clone(&hearing.now));
        Self { polls, chats, first: Arc::clone(first), hearing }
    }

    /// Hears presses, for ever.
    pub(super) async fn follow(self) {
        let (mut offset, mut failures) = (None, 0);
        loop {
            match self.round(&mut offset).await {
                Ok(()) => {
                    if failures > 0 {
                        tracing::info!(chats = self.names(), "buttons are heard again");
                    }
                    failures = 0;
                }
                Err(fault) => {
                    failures += 1;
                    self.log(&fault, failures);
                    pause(failures, fault.retry_after, &self.hearing.knock).await;
                }
            }
        }
    }

    async fn round(&self, offset: &mut Option<i64>) -> Result<(), Fault> {
        // One at a time: each holds its whole message, and an answer is read up to a limit only.
        let mut arguments = json!({"limit": 1, "timeout": HELD_S, "allowed_updates": ["callback_query"]});
        if let Some(offset) = offset {
            arguments["offset"] = (*offset).into();
        }
        let mut question = std::pin::pin!(self.polls.call("getUpdates", &arguments));
        let (answer, is_early) = match timeout(HELD_AT_LEAST, &mut question).await {
            Ok(answer) => (answer, true),
            Err(_) => (question.await, false),
        };
        let updates = answer.map_err(|refusal| Fault {
            is_conflict: refusal.code == Some(409),
            retry_after: refusal.retry_after,
            error: refusal.error,
        })?;
        let strange = || fault(format!("{} answered getUpdates with something else", self.polls.host()));
        let updates = updates.as_array().ok_or_else(strange)?;
        for update in updates {
            let id = update["update_id"].as_i64().ok_or_else(strange)?;
            if let Some(query) = update.get("callback_query") {
                self.hear(query).await?;
            }
            *offset = Some(id + 1);
        }
        if updates.is_empty() && is_early {
            let _ = timeout(HELD_AT_LEAST, pending::<()>()).await;
        }
        Ok(())
    }

    async fn hear(&self, query: &Value) -> Result<(), Fault> {
        let Some(id) = query["id"].as_str() else { return Ok(()) };
        let chat = &query["message"]["chat"];
        let Some(of) = self.chats.iter().find(|known| known.is_chat(chat)) else {
            tracing::warn!(chat = %chat["id"], chats = self.names(), "a button was pressed in a chat that is not configured");
            self.first.answer(id, "Keiko is not told to listen to this chat").await;
            return Ok(());
        };
        let words = match decode(query["data"].as_str().unwrap_or_default()) {
            Some((act, ring)) => match tell(&self.hearing.responses, ring, act, id).await.map_err(fault)? {
                Ok(words) | Err(words) => words,
            },
            None => "this button is of another version of Keiko".to_owned(),
        };
        of.answer(id, &words).await;
        Ok(())
    }

    fn log(&self, fault: &Fault, failures: u32) {
        let (chats, error) = (self.names(), &fault.error);
        if failures > 1 {
            tracing::debug!(chats, error, failures, "buttons are not heard yet");
        } else if fault.is_conflict {
            tracing::warn!(
                chats,
                error,
                "buttons are not heard: another program asks for the answers of this bot, or has a webhook set; give \
                 Keiko a bot of its own, or set `buttons = false` on all machines but one"
            );
        } else {
            tracing::warn!(chats, error, "buttons are not heard");
        }
    }

    fn names(&self) -> String {
        let names: Vec<String> = self.chats.iter().map(|chat| format!("telegram:{}", chat.name)).collect();
        names.join(", ")
    }
}

fn fault(error: String) -> Fault {
    Fault { error, is_conflict: false, retry_after: None }
}
