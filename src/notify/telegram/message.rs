//! What does a message in a chat say, which buttons stand below it, and what becomes of both?
//!
//! Pure: a delivery in, arguments of methods out. Nothing of a text is dropped; what does not fit stands in the next part.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::domain::delivery::Delivery;
use crate::domain::effect::{Standing, Withdrawal};
use crate::domain::occurrence::Outcome;
use crate::domain::task::Priority;
use crate::domain::time::Span;
use crate::notify::chat;
use crate::notify::press::encode;
use crate::notify::responses::{Act, Ring};

/// The longest text, in UTF-16 units (Bot API, `sendMessage`: "1-4096 characters after entities parsing").
const UNITS_MAX: usize = 4096;

/// How much of it is left free for what becomes of the occurrence.
const MARK_UNITS: usize = 32;

/// The longest address of a button: longer ones stand in the text alone.
const LINK_BYTES_MAX: usize = 1024;

/// What is needed to find a message again, and to say what became of it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) struct Receipt {
    /// The chat that has it.
    pub(super) chat: String,
    /// The numbers of its parts, in order.
    pub(super) messages: Vec<i64>,
    /// What the last part says, which has the buttons.
    pub(super) text: String,
}

/// Whether a button may open the link.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Link {
    /// Where there is one that a chat can open.
    Shown,
    /// No: the service does not take it.
    Hidden,
}

/// Returns the parts of what is said, at least one, none of them blank.
pub(super) fn parts(delivery: &Delivery) -> Vec<String> {
    let text = chat::plain(&delivery.message);
    let mut parts = chat::parts(&text, UNITS_MAX - MARK_UNITS, |text| text.encode_utf16().count());
    // The service refuses a text without anything to see; white space between two parts is no loss.
    parts.retain(|part| !part.trim().is_empty());
    parts
}

/// Returns the buttons below a delivery, `None` where there is nothing to press.
pub(super) fn keyboard(delivery: &Delivery, snoozes: &[Span], link: Link) -> Option<Value> {
    let mut rows = Vec::new();
    if let Some(ring) = Ring::of(delivery) {
        rows.push(vec![done(ring)]);
        rows.push(snoozes.iter().map(|by| button(&format!("Snooze {by}"), Act::Snooze(*by), ring)).collect());
    }
    let openable = |link: &&str| {
        let is_web = link.starts_with("https://") || link.starts_with("http://");
        is_web && link.len() <= LINK_BYTES_MAX
    };
    if let Some(url) = delivery.message.link.as_deref().filter(|_| link == Link::Shown).filter(openable) {
        rows.push(vec![json!({"text": "Open", "url": url})]);
    }
    rows.retain(|row| !row.is_empty());
    (!rows.is_empty()).then(|| json!({"inline_keyboard": rows}))
}

/// Returns the arguments of `sendMessage` for part `index` of a delivery.
pub(super) fn send(chat: &str, delivery: &Delivery, index: usize, part: &str, keyboard: Option<Value>) -> Value {
    // One message, one sound.
    let is_quiet = delivery.message.priority == Priority::Low || index > 0;
    let mut arguments = json!({
        "chat_id": chat_id(chat),
        "text": part,
        "link_preview_options": {"is_disabled": true},
        "disable_notification": is_quiet,
    });
    if let Some(keyboard) = keyboard {
        arguments["reply_markup"] = keyboard;
    }
    arguments
}

/// Returns the arguments of `editMessageText` that say what became of an occurrence; `None` where nothing did.
pub(super) fn edit(receipt: &Receipt, withdrawal: &Withdrawal) -> Option<Value> {
    let mark = mark(withdrawal.standing)?;
    let rows = match withdrawal.standing {
        // It is still to be done.
        Standing::Seen => vec![vec![done(Ring { task: withdrawal.task, occurrence: withdrawal.occurrence })]],
        Standing::Due | Standing::Later | Standing::Paused | Standing::Ended(_) => Vec::new(),
    };
    Some(json!({
        "chat_id": chat_id(&receipt.chat),
        "message_id": receipt.messages.last()?,
        "text": format!("{}\n\n{mark}", receipt.text),
        "link_preview_options": {"is_disabled": true},
        "reply_markup": {"inline_keyboard": rows},
    }))
}

fn mark(standing: Standing) -> Option<&'static str> {
    match standing {
        Standing::Due => None,
        Standing::Seen => Some("seen"),
        // Snoozed, or given another time.
        Standing::Later => Some("later"),
        Standing::Paused => Some("paused"),
        Standing::Ended(Outcome::Done) => Some("✓ done"),
        Standing::Ended(Outcome::Skipped) => Some("skipped"),
        Standing::Ended(Outcome::Cancelled) => Some("cancelled"),
        Standing::Ended(Outcome::Unanswered) => Some("not answered"),
        Standing::Ended(Outcome::Undelivered | Outcome::RetriesExhausted) => Some("over"),
    }
}

fn done(ring: Ring) -> Value {
    button("✓ Done", Act::Done, ring)
}

fn button(label: &str, act: Act, ring: Ring) -> Value {
    json!({"text": label, "callback_data": encode(act, ring)})
}

/// A number where it is one (Bot API: "Integer or String").
fn chat_id(chat: &str) -> Value {
    chat.parse::<i64>().map_or_else(|_| chat.into(), Value::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::domain::delivery::Target;
    use crate::domain::time::Timestamp;
    use uuid::Uuid;

    fn delivery(body: &str) -> Delivery {
        let target = Target::parse("telegram:me").unwrap();
        let mut delivery = Delivery::trial(target, Uuid::nil(), Timestamp::MIN);
        delivery.message.body = body.to_owned();
        delivery
    }

    #[test]
    fn every_part_has_room_for_what_becomes_of_it() {
        let body = format!("{}\n{}\n{}", "租".repeat(5000), "👨‍👩‍👧".repeat(600), "\n".repeat(9000));
        let parts = parts(&delivery(&body));
        assert!(parts.len() >= 3, "{}", parts.len());
        let longest = Outcome::ALL.into_iter().filter_map(|outcome| mark(Standing::Ended(outcome)));
        let longest = longest.map(|mark| mark.encode_utf16().count()).max().unwrap();
        assert!(longest + 2 <= MARK_UNITS);
        for part in &parts {
            assert!(part.encode_utf16().count() + MARK_UNITS <= UNITS_MAX);
            assert!(!part.trim().is_empty());
        }
        let said = |c: char| parts.iter().flat_map(|part| part.chars()).filter(|found| *found == c).count();
        assert_eq!((said('租'), said('👧')), (5000, 600));
    }

    #[test]
    fn what_answers_for_nothing_has_no_buttons() {
        assert_eq!(keyboard(&delivery(""), &[Span::from_minutes(10)], Link::Shown), None);
    }
}
