//! What does the mail say, and whose are its addresses?
//!
//! Pure: a delivery in, the bytes of a message out, the same on every attempt. No text of a task reaches a header but the
//! title, and that on one line.

use std::time::{Duration, SystemTime};

use lettre::Message as Letter;
use lettre::message::header::{ContentType, HeaderName, HeaderValue};
use lettre::message::{Mailbox, MessageBuilder};
use uuid::Uuid;

use crate::domain::delivery::Delivery;
use crate::domain::task::Priority;
use crate::domain::time::Timestamp;
use crate::notify::chat;
use crate::notify::mail::Settings;

/// The domain of message ids: one that nobody can have (RFC 2606, 2). The ids are worth something by themselves.
const DOMAIN: &str = "keiko.invalid";

/// Whose the mail is.
#[derive(Clone, Debug)]
pub(super) struct Addresses {
    /// Who it is from.
    pub(super) from: Mailbox,
    /// Who is to read it.
    pub(super) to: Vec<Mailbox>,
}

impl Addresses {
    /// Reads those of a target.
    ///
    /// # Errors
    /// The first that is none.
    pub(super) fn of(settings: &Settings) -> Result<Self, (&'static str, String)> {
        let from = read("from", &settings.from)?;
        let to = settings.to.iter().map(|address| read("to", address)).collect::<Result<_, _>>()?;
        Ok(Self { from, to })
    }
}

fn read(key: &'static str, address: &str) -> Result<Mailbox, (&'static str, String)> {
    address.parse().map_err(|error| {
        let reason = format!(
            "expected a mail address such as me@example.org or Me <me@example.org>, found {address:?}: {error}"
        );
        (key, reason)
    })
}

/// Returns the message of a delivery.
///
/// # Errors
/// Why it cannot be made.
pub(super) fn letter(delivery: &Delivery, addresses: &Addresses) -> Result<Vec<u8>, String> {
    let message = &delivery.message;
    let thread = id(Uuid::new_v5(&delivery.task.0, delivery.occurrence.to_string().as_bytes()));
    let mut letter = Letter::builder()
        .from(addresses.from.clone())
        .date(system_time(delivery.created_at))
        .subject(chat::title(message))
        .message_id(Some(id(delivery.id.token())))
        // A message that was never sent: all rings of one occurrence name it, and so stand together (RFC 5322, 3.6.4).
        .in_reply_to(thread.clone())
        .references(thread)
        .header(ContentType::TEXT_PLAIN);
    for mailbox in &addresses.to {
        letter = letter.to(mailbox.clone());
    }
    // No program on holiday answers it (RFC 3834, 5).
    letter = with(letter, HeaderName::new_from_ascii_str("Auto-Submitted"), "auto-generated");
    let weight = match message.priority {
        Priority::High => Some(("high", "1")),
        Priority::Normal => None,
        Priority::Low => Some(("low", "5")),
    };
    if let Some((importance, number)) = weight {
        letter = with(letter, HeaderName::new_from_ascii_str("Importance"), importance);
        letter = with(letter, HeaderName::new_from_ascii_str("X-Priority"), number);
    }
    let letter = letter.body(chat::details(message)).map_err(|error| error.to_string())?;
    Ok(letter.formatted())
}

fn with(letter: MessageBuilder, name: HeaderName, value: &str) -> MessageBuilder {
    letter.raw_header(HeaderValue::new(name, value.to_owned()))
}

fn id(id: Uuid) -> String {
    format!("<{id}@{DOMAIN}>")
}

/// Dates before 1970 have no form that servers agree on.
fn system_time(at: Timestamp) -> SystemTime {
    let since_1970 = u64::try_from(at.as_millis()).unwrap_or(0);
    SystemTime::UNIX_EPOCH + Duration::from_millis(since_1970)
}
