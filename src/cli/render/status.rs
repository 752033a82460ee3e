//! How the daemon is told to be.

use crate::cli::render::text::{BAD, DIM, GOOD, HEAD, Text};
use crate::cli::render::time::{Viewpoint, length};
use crate::protocol::methods::StatusResult;

/// Returns the state of the daemon, a line for each thing.
pub(crate) fn status(answer: &StatusResult, view: Viewpoint, _width: Option<usize>) -> Vec<Text> {
    let mut first = Text::styled(GOOD, "keikod runs");
    let uptime = length(answer.uptime_s.saturating_mul(1000)).unwrap_or_else(|| "0s".to_owned());
    first.push(&format!(", version {}, pid {}, up {uptime}", answer.version, answer.pid));
    let mut lines = vec![first];
    let mut say = |label: &str, value: Text| {
        let mut line = Text::styled(HEAD, &format!("  {label:<9}"));
        line.append(value);
        lines.push(line);
    };
    let counts = &answer.counts;
    let named = [
        (counts.running, "due"),
        (counts.failed, "failed"),
        (counts.pending, "scheduled"),
        (counts.suspended, "paused"),
        (counts.created, "without a time"),
        (counts.ended, "ended"),
    ];
    let told: Vec<String> =
        named.iter().filter(|(count, _)| *count > 0).map(|(count, name)| format!("{count} {name}")).collect();
    say("tasks", Text::plain(if told.is_empty() { "none".to_owned() } else { told.join(", ") }.as_str()));
    if counts.outbox > 0 {
        say("to send", Text::plain(&counts.outbox.to_string()));
    }
    say(
        "next",
        match &answer.next {
            Some(next) => Text::plain(&format!("{}  {}  {}", next.number, next.title, view.full(next.at.instant()))),
            None => Text::styled(DIM, "nothing"),
        },
    );
    for channel in &answer.channels {
        let mut text = Text::plain(&channel.kind);
        if channel.present {
            text.push(" reaches you");
        } else {
            text.push_styled(BAD, " is away");
            if let Some(reason) = &channel.reason {
                text.push(&format!(": {reason}"));
            }
        }
        say("channel", text);
    }
    say("time", Text::plain(&format!("{} ({})", view.exact(answer.now.instant()), answer.zone)));
    say("data", Text::plain(&answer.data_dir));
    say("socket", Text::plain(&answer.socket));
    lines
}
