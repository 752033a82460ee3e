//! What does a notification on a topic say, and which buttons does it have?
//!
//! Pure: a delivery in, JSON out (`docs.ntfy.sh/publish/`, "Publish as JSON"). Nothing of a text is dropped; what does not
//! fit stands in the next part, since the server would make a file of it.

use serde_json::{Value, json};

use crate::domain::delivery::Delivery;
use crate::domain::occurrence::FireId;
use crate::domain::task::Priority;
use crate::domain::time::Span;
use crate::notify::press::encode;
use crate::notify::responses::{Act, Ring};
use crate::notify::{chat, text};

/// The longest message, in bytes (`docs.ntfy.sh/publish/`, "Limitations").
///
/// Counted as it stands in JSON: a server takes a body of twice that, with all that is beside the message.
const MESSAGE_BYTES_MAX: usize = 4096;

/// How much of a title is shown above the message; a longer one begins the message.
const TITLE_BYTES_MAX: usize = 200;

/// The longest link that can be tapped: longer ones stand in the message alone.
const LINK_BYTES_MAX: usize = 768;

/// How long all tags together may be, in bytes.
const TAGS_BYTES_MAX: usize = 256;

/// What a delivery says.
pub(super) struct Notification<'a> {
    delivery: &'a Delivery,
    title: String,
    /// The parts of the message, at least one.
    parts: Vec<String>,
}

impl<'a> Notification<'a> {
    /// Returns what a delivery says.
    pub(super) fn of(delivery: &'a Delivery) -> Self {
        let whole = chat::plain(&delivery.message);
        let (title, rest) = whole.split_once('\n').unwrap_or((&whole, ""));
        let cut = text::cut(title, TITLE_BYTES_MAX);
        let message = if cut == title { rest } else { &whole };
        let mut parts = chat::parts(message, MESSAGE_BYTES_MAX, json_bytes);
        // One that is blank would read "triggered".
        parts.retain(|part| !part.trim().is_empty());
        if parts.is_empty() {
            parts.push(title.to_owned());
        }
        Self { delivery, title: cut, parts }
    }

    /// Returns how many parts it has.
    pub(super) const fn count(&self) -> usize {
        self.parts.len()
    }

    /// Returns what is published for part `index` on a topic, with buttons that post to `answers`.
    pub(super) fn part(&self, index: usize, topic: &str, answers: Option<&str>, snooze: Option<Span>) -> Option<Value> {
        let part = self.parts.get(index)?;
        let is_last = index + 1 == self.count();
        let message = &self.delivery.message;
        let title = match self.count() {
            1 => self.title.clone(),
            count => format!("{} ({}/{count})", self.title, index + 1),
        };
        let mut body = json!({
            "topic": topic,
            "title": title,
            "message": part,
            "priority": match message.priority {
                Priority::Low => 2,
                Priority::Normal => 3,
                Priority::High => 5,
            },
            "tags": tags(&self.delivery.occasion.tags),
            "sequence_id": sequence(self.delivery.id.fire_id, index),
        });
        if let Some(link) = self.link() {
            body["click"] = link.into();
        }
        if let Some(answers) = answers.filter(|_| is_last)
            && let Some(ring) = Ring::of(self.delivery)
        {
            body["actions"] = self.actions(answers, ring, snooze).into();
        }
        Some(body)
    }

    /// Returns the buttons, at most three (`docs.ntfy.sh/publish/`, "Action buttons").
    fn actions(&self, answers: &str, ring: Ring, snooze: Option<Span>) -> Vec<Value> {
        let post = |label: String, act: Act| {
            let body = encode(act, ring);
            json!({"action": "http", "label": label, "url": answers, "method": "POST", "body": body, "clear": true})
        };
        let mut actions = vec![post("Done".to_owned(), Act::Done)];
        actions.extend(snooze.map(|by| post(format!("Snooze {by}"), Act::Snooze(by))));
        actions.extend(self.link().map(|link| json!({"action": "view", "label": "Open", "url": link})));
        actions
    }

    fn link(&self) -> Option<&'a str> {
        let is_web = |link: &&str| link.starts_with("https://") || link.starts_with("http://");
        self.delivery.message.link.as_deref().filter(is_web).filter(|link| link.len() <= LINK_BYTES_MAX)
    }
}

/// Returns the name by which part `index` of a firing is found again: at most 64 letters, digits, `-` and `_`.
pub(super) fn sequence(fire_id: FireId, index: usize) -> String {
    if index == 0 { fire_id.to_string() } else { format!("{fire_id}-{}", index + 1) }
}

/// Returns how many bytes a text is in JSON, without its quotes. It holds no control character but line breaks.
fn json_bytes(text: &str) -> usize {
    let escaped = text.bytes().filter(|byte| matches!(byte, b'"' | b'\\' | b'\n')).count();
    text.len() + escaped
}

/// Returns as many tags as there is room for.
fn tags(tags: &[String]) -> Vec<&str> {
    let mut room = TAGS_BYTES_MAX;
    let mut fits = |tag: &&str| {
        room = room.saturating_sub(json_bytes(tag));
        room > 0
    };
    tags.iter().map(String::as_str).take_while(|tag| fits(tag)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    use uuid::Uuid;

    use crate::domain::delivery::Target;
    use crate::domain::time::Timestamp;

    #[test]
    fn what_is_published_fits_whatever_is_said() {
        let target = Target::parse("ntfy:me").unwrap();
        let mut delivery = Delivery::trial(target, Uuid::nil(), Timestamp::MIN);
        delivery.occasion.reason = crate::domain::message::Reason::Alert;
        delivery.occasion.tags = (0..100).map(|number| format!("tag-{number}\"")).collect();
        let lines = format!("{}\n{}\n\n\n{}", "\"\\".repeat(3000), "租".repeat(3000), "👨‍👩‍👧".repeat(600));
        let answers = format!("https://{}/t", "a".repeat(300));
        for title in ["t".to_owned(), "\"".repeat(1000), "租".repeat(300)] {
            delivery.message.title = title;
            delivery.message.body.clone_from(&lines);
            delivery.message.link = Some(format!("https://{}", "l".repeat(700)));
            let notification = Notification::of(&delivery);
            assert!(notification.count() >= 4);
            let mut said = String::new();
            for index in 0..notification.count() {
                let body = notification.part(index, "t", Some(&answers), Some(Span::from_minutes(10))).unwrap();
                assert!(body["message"].as_str().unwrap().len() <= MESSAGE_BYTES_MAX);
                assert!(body.to_string().len() <= 2 * MESSAGE_BYTES_MAX, "{}", body.to_string().len());
                said.push_str(body["message"].as_str().unwrap());
            }
            assert!(said.matches('租').count() >= 3000);
            assert_eq!(said.matches('👧').count(), 600);
            assert!(sequence(delivery.id.fire_id, 1_000_000).len() <= 64);
        }
    }
}
