//! What is said beside answers: what is going on, what is asked, what to do next. One place, so that every word of it can be
//! looked over, and put into another language.

use std::collections::BTreeMap;
use std::path::Path;

use crate::cli::render::text::{DIM, GOOD, HEAD, Text};

/// What is expected where a length of time is asked for.
pub(crate) const EXPECTED_LENGTH: &str = "expected a length of time, which is a number with a unit";

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

/// Asked of whoever adds nothing.
pub(crate) const WHAT_AND_WHEN: &str = "what, and when? ";

/// Returns a hint about words that hold no time, where they may have been meant for a title.
pub(crate) fn or_a_title(hint: Option<&str>, words: &str) -> String {
    let hint = hint.map_or_else(String::new, |hint| format!("{hint}; "));
    format!("{hint}a new title is --title {words:?}")
}

/// Returns what is asked of whoever changes a series; `words` are the answers that can be done.
pub(crate) fn which_times(words: &[&str]) -> String {
    format!("which times? {} / no: ", words.join(" / "))
}

/// Nothing keeps the daemon there.
pub(crate) const GONE_AT_REBOOT: &str =
    "after a reboot nothing rings until a keiko command has run: keiko daemon install has the system start keikod";

/// The configuration that stands in the file is refused.
pub(crate) const CONFIG_WRONG: &str = "the configuration is wrong, and what held before holds: keiko config check";

/// A secret is about to stand in the configuration.
pub(crate) const CONFIG_IS_PRIVATE: &str = "others could read the configuration: from now on you alone can";

/// Says that the configuration was written, and from when on it holds.
pub(crate) fn config_written(path: &Path, has_daemon: bool, at_next_start: &[String]) -> Vec<Text> {
    let mut line = Text::styled(GOOD, "written");
    line.push(&format!("  {}", path.display()));
    let mut lines = vec![line];
    if !has_daemon {
        lines.push(Text::plain("holds when keikod starts"));
    } else if !at_next_start.is_empty() {
        lines.push(Text::plain(&format!("from the next start on: {}", at_next_start.join(", "))));
    }
    lines
}

/// A daemon was started.
pub(crate) const STARTED: &str = "started keikod";

/// A daemon was to be started, and is there.
pub(crate) const RUNNING_ALREADY: &str = "keikod was running already";

/// The daemon went away while it was listened to.
pub(crate) const GONE: &str = "keikod is gone; waiting for it to come back";

/// As [`GONE`], of a screen that still shows something.
pub(crate) const GONE_ON_SCREEN: &str = "keikod is gone; this is how it was. Waiting for it to come back";

/// It came back.
pub(crate) const BACK: &str = "keikod is back";

/// Returns what to type so that a task without a time has one.
pub(crate) fn give_a_time(number: u64) -> String {
    format!("to give it a time, run keiko edit {number} tomorrow 3pm")
}

/// Says of a task that is waited for that nothing comes by itself.
pub(crate) fn never_rings(number: u64) -> String {
    format!("{number} has no time, and does not ring until it gets one")
}

/// Returns how many tasks sleep, which is easily forgotten.
pub(crate) fn paused(count: u64) -> String {
    match count {
        1 => "1 task is paused: keiko list shows it".to_owned(),
        _ => format!("{count} tasks are paused: keiko list shows them"),
    }
}

/// Returns what to type to see what came before.
pub(crate) fn before_that(place: u64) -> String {
    format!("keiko op list --before {place} goes on")
}

/// Says that a daemon ended.
pub(crate) fn stopped(pid: u32) -> Text {
    Text::plain(&format!("stopped keikod (pid {pid})"))
}

/// Says where a copy of the store is.
pub(crate) fn backed_up(path: &str, bytes: u64) -> Text {
    Text::plain(&format!("backed up to {path} ({} kB)", bytes.div_ceil(1000)))
}

/// Says that an older copy of the store was removed.
pub(crate) fn removed_older(path: &str) -> Text {
    Text::plain(&format!("removed the older {path}"))
}

/// Says what the daemon heeds of its configuration.
pub(crate) fn reloaded(configuration: &str, at_next_start: &[String]) -> Vec<Text> {
    let mut lines = vec![Text::plain(&format!("reads {configuration} from now on"))];
    if !at_next_start.is_empty() {
        lines.push(Text::plain(&format!("from the next start on: {}", at_next_start.join(", "))));
    }
    lines
}

/// Says that the beginning of what a command said is lost.
pub(crate) fn not_kept(bytes: u64) -> String {
    format!("the first {bytes} bytes were not kept")
}

/// Says that some of what a command said is lost.
pub(crate) fn lost_here(bytes: u64) -> String {
    format!("{bytes} bytes here were not kept")
}

/// Says to whoever looks away that a command goes on.
pub(crate) fn runs_on(number: u64) -> String {
    format!("the command runs on: keiko show {number} --output shows what it says")
}

/// Returns what mends a command that cannot be started.
pub(crate) fn change_what_is_run(number: u64) -> String {
    format!("keiko edit {number} changes what is run (-- COMMAND), where (--dir) and with which variables (--env)")
}

/// Says how a run ended, and how long it took.
pub(crate) fn run_ended(how: &str, took: Option<&str>) -> String {
    took.map_or_else(|| how.to_owned(), |took| format!("{how}, took {took}"))
}

/// Says that a command began to run, or that it had been run for the same key.
pub(crate) const fn run_began(is_new: bool) -> &'static str {
    if is_new { "running" } else { "already run" }
}

/// Names the tasks that are meant by a tag, by a name, or otherwise.
pub(crate) fn those_meant(name: Option<&str>) -> String {
    match name {
        Some(name) if name.starts_with('+') => format!("the tasks with {name}"),
        Some(name) => format!("task {name}"),
        None => "the tasks that the filter means".to_owned(),
    }
}

/// Returns what of the last days is to be looked at, with where it is told.
pub(crate) fn troubles(unsent: u64, commands: u64, skipped: u64) -> Vec<String> {
    const WHERE: &str = "within the last seven days";
    let mut told = Vec::new();
    if unsent > 0 {
        told.push(format!("{unsent} could not be sent {WHERE}; keiko status tells which"));
    }
    if commands > 0 {
        let word = if commands == 1 { "command" } else { "commands" };
        told.push(format!("{commands} {word} failed {WHERE}; keiko status tells which"));
    }
    if skipped > 0 {
        told.push(format!("{skipped} missed {WHERE}, and not made up for; keiko status tells what"));
    }
    told
}

/// Says that the person is to be left alone, with what ends that.
pub(crate) fn away(span: &str) -> String {
    format!("you are {span}; keiko away off ends that")
}

/// Says until when only what cannot wait rings.
pub(crate) fn quiet(until: &str) -> String {
    format!("quiet until {until}")
}

/// Says that a screen does not show all.
pub(crate) fn more_on_list() -> Text {
    Text::styled(DIM, "and more: keiko list")
}
