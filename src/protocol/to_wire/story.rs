//! How is a story told to programs? Each sentence with its words, and the events that it rests on.

use chrono_tz::Tz;

use crate::domain::story::Sentence;
use crate::domain::story::words::{Listener, english};
use crate::protocol::objects;
use crate::protocol::to_wire::{name, time};

/// Returns a sentence of a story, said to `listener`.
#[must_use]
pub fn sentence(sentence: &Sentence, listener: Listener, device: Tz) -> objects::Sentence {
    objects::Sentence {
        at: time(sentence.at, device),
        kind: sentence.said.kind().to_owned(),
        text: english(sentence, listener),
        detail: sentence.is_detail,
        occurrence: sentence.occurrence.map(name),
        events: sentence.events.iter().map(ToString::to_string).collect(),
    }
}
