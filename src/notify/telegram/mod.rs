//! The Telegram channel: how does a firing become messages of a bot in a chat, and how is it answered there?
//!
//! Built from the public description of the Bot API (<https://core.telegram.org/bots/api>). A message is plain text, so
//! nothing in it is to be escaped, in parts where it is too long, with buttons below the last. What becomes of the
//! occurrence is written into the message, and its buttons go. Buttons are heard by long polling: no port is opened.
//!
//! It never tries again by itself, believes a button only in the chat that is configured, and never shows the token, which
//! is part of every address. Nothing that the service answers is final: a person can mend a token, unblock the bot or let it
//! into the chat, and a reminder waits for that.

use std::time::Duration;

use crate::domain::time::Span;
use crate::notify::keys::Key;

#[cfg(feature = "webhook")]
mod bot;
#[cfg(feature = "webhook")]
mod chat;
#[cfg(not(feature = "webhook"))]
mod disabled;
#[cfg(feature = "webhook")]
mod enabled;
#[cfg(feature = "webhook")]
mod message;
mod moved;
#[cfg(feature = "webhook")]
mod poller;

#[cfg(not(feature = "webhook"))]
pub use disabled::TelegramChannel;
#[cfg(feature = "webhook")]
pub use enabled::TelegramChannel;

pub use moved::Moved;

/// Where the service is, where nothing else is configured.
pub const API_URL: &str = "https://api.telegram.org";

/// One chat as it is configured.
#[derive(Debug)]
pub struct Settings {
    /// Its name, as in `telegram:NAME`.
    pub name: String,
    /// The bot's token, such as `@BotFather` gives it.
    pub token: Key,
    /// The chat: its number, or `@NAME` of a public channel.
    pub chat: String,
    /// Where chats went that have another number than is configured.
    pub moved: Moved,
    /// Whether messages have buttons, and these are heard.
    pub buttons: bool,
    /// How long the snoozes are that buttons offer.
    pub snoozes: Vec<Span>,
    /// Where the service is: [`API_URL`], or a server of one's own.
    pub api_url: String,
    /// Certificates (PEM) that are trusted beside the system's.
    pub ca: Option<Vec<u8>>,
    /// How long a call may take in all.
    pub timeout: Duration,
}
