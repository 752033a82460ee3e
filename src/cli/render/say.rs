//! What is said beside answers: what is going on, what is asked, what to do next. One place, so that every word of it can be
//! looked over, and put into another language.

use std::collections::BTreeMap;
use std::path::Path;

use crate::cli::render::text::{DIM, HEAD, Text};

/// Nothing came of it.
pub(crate) const NOTHING_CHANGED: &str = "nothing was changed";

/// Asked of whoever wrote what cannot be done.
pub(crate) const EDIT_AGAIN: &str = "open it again? [Y/n] ";

/// Behind a change.
pub(crate) const UNDO: &str = "keiko undo takes it back";

/// Returns whether an answer means yes.
pub(crate) fn is_yes(answer: &str) -> bool {
    ["y", "yes", "是", "好"].contains(&answer.trim().to_lowercase().as_str())
}

/// Returns whether an answer means yes where that is what Enter alone means.
pub(crate) fn is_yes_or_empty(answer: &str) -> bool {
    answer.trim().is_empty() || is_yes(answer)
}

/// Returns where what somebody wrote is found.
pub(crate) fn nothing_changed_but_kept(path: &Path) -> String {
    format!("nothing was changed; what you wrote is kept in {}", path.display())
}

/// Returns what changed of a task while somebody edited it, key by key.
pub(crate) fn changed_meanwhile(number: u64, notes: &BTreeMap<&'static str, Vec<String>>) -> Vec<Text> {
    let mut first = Text::styled(HEAD, &format!("task {number} was changed while you edited it"));
    first.push_styled(DIM, "; nothing of yours is done yet");
    let mut lines = vec![first];
    for (key, notes) in notes {
        lines.extend(notes.iter().map(|note| Text::plain(&format!("  {key}  {note}")).hanging(key.len() + 4)));
    }
    lines
}
