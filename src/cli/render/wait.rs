//! What is said of a task that was waited for.

use crate::cli::render::task::title;
use crate::cli::render::text::{BAD, DIM, GOOD, NUMBER, Text};
use crate::protocol::methods::{WaitOutcome, WaitResult};

/// Returns how the wait ended: `fired 12  pay rent`.
pub(crate) fn line(answer: &WaitResult) -> Text {
    let mut line = match answer.result {
        WaitOutcome::Fired => Text::styled(GOOD, "fired"),
        WaitOutcome::Done => Text::styled(GOOD, "done"),
        WaitOutcome::Ended => Text::styled(BAD, &answer.how.as_deref().unwrap_or("ended").replace('_', " ")),
        WaitOutcome::TimedOut => Text::styled(BAD, "timed out"),
    };
    line.push(" ");
    line.push_styled(NUMBER, &answer.task.number.to_string());
    line.push("  ");
    line.append(title(&answer.task));
    if answer.result == WaitOutcome::TimedOut {
        line.push("  ");
        line.push_styled(DIM, &answer.task.stage);
    }
    line
}
