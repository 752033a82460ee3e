//! How it is told what a sentence means.

use crate::cli::render::text::{DIM, HEAD, Text};
use crate::cli::render::time::Viewpoint;
use crate::protocol::objects::Reading;

/// How wide the labels are.
const LABEL_WIDTH: usize = 8;

/// Returns a line for each thing that was understood; `words` are those that were taken as time.
pub(crate) fn reading(reading: &Reading, words: Option<&str>, view: Viewpoint) -> Vec<Text> {
    let mut lines = Vec::new();
    let mut say = |label: &str, value: Text| {
        let mut line = Text::styled(HEAD, &format!("{label:<LABEL_WIDTH$}"));
        line.append(value);
        lines.push(line.hanging(LABEL_WIDTH));
    };
    let full = |at: crate::protocol::objects::Time| Text::plain(&view.full(at.instant()));
    if !reading.title.is_empty() {
        say("title", Text::plain(&reading.title));
    }
    if let Some(words) = words {
        say("time", Text::plain(words));
    }
    match reading.due.or(reading.at) {
        Some(due) => say("due", full(due)),
        None => say("due", Text::styled(DIM, "no time")),
    }
    if let Some(at) = reading.at.filter(|at| reading.due.is_some_and(|due| due != *at)) {
        say("speaks", full(at));
    }
    if let Some(until) = reading.until {
        say("until", full(until));
    }
    if let Some(rule) = reading.rrule.as_ref().or(reading.cron.as_ref()) {
        say("rule", Text::plain(rule));
        for (index, at) in reading.next.iter().enumerate() {
            say(if index == 0 { "next" } else { "" }, full(*at));
        }
    }
    if let Some(note) = &reading.note {
        say("note", Text::plain(note));
    }
    lines
}
