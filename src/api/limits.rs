//! What is limited, and to what? For the manual, from the constants themselves.

use crate::api::connection::{FIRST_FRAME_WAIT, FRAME_WAIT, PUSH_WAIT, WRITE_WAIT};
use crate::api::listen::CONNECTIONS_MAX;
use crate::api::waiting::{WAITING_MAX, WAITS_MAX};
use crate::engine::handle::INPUTS_MAX;
use crate::protocol::envelope::BATCH_MAX;
use crate::protocol::framing::FRAME_BYTES_MAX;
use crate::protocol::methods::{AGENDA_MAX, CHOICES_MAX, DELIVERIES_MAX, EVENTS_MAX, OPS_MAX, PAGE_BYTES_MAX, WHY_MAX};

/// Returns what is limited, each with how much of it is taken.
#[must_use]
pub fn limits() -> Vec<(String, String)> {
    let bytes = |bytes: usize| format!("{bytes} bytes");
    let seconds = |wait: std::time::Duration| format!("{} s", wait.as_secs());
    [
        ("a request", format!("{}, on one line", bytes(FRAME_BYTES_MAX))),
        ("a batch", format!("{BATCH_MAX} calls")),
        ("connections", format!("{CONNECTIONS_MAX} at once")),
        ("the first request of a connection", format!("complete within {}", seconds(FIRST_FRAME_WAIT))),
        ("a request that has begun", format!("complete within {}", seconds(FRAME_WAIT))),
        ("an answer", format!("taken within {}", seconds(WRITE_WAIT))),
        ("a notification", format!("taken within {}; the subscription can go on from its cursor", seconds(PUSH_WAIT))),
        ("changes that wait to be done", format!("{INPUTS_MAX}, of all callers together")),
        ("calls of task.wait", format!("{WAITS_MAX} of a connection, on {WAITING_MAX} connections at once")),
        ("a page of a list", format!("{} or so; next says where the other tasks begin", bytes(PAGE_BYTES_MAX))),
        ("events of one answer", EVENTS_MAX.to_string()),
        ("events of one story", WHY_MAX.to_string()),
        ("entries of an agenda", AGENDA_MAX.to_string()),
        ("deliveries of one answer", DELIVERIES_MAX.to_string()),
        ("operations of one answer", OPS_MAX.to_string()),
        ("tasks to choose from", CHOICES_MAX.to_string()),
    ]
    .into_iter()
    .map(|(what, much)| (what.to_owned(), much))
    .collect()
}
