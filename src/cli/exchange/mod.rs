//! What do other programs' files say, in Keiko's words, and Keiko's tasks in theirs? Texts in, texts out: no file, no daemon.

use std::collections::BTreeMap;

use crate::protocol::methods::Add;
use crate::protocol::objects::Task;

pub(crate) mod ical;
pub(crate) mod length;
pub(crate) mod taskwarrior;

/// What becomes of times that were missed, unless a task says otherwise.
const MISSED_DEFAULT: &str = "once";

/// The forms of files.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub(crate) enum Format {
    /// Everything, as lines of JSON: what an empty Keiko becomes the same by
    Jsonl,
    /// iCalendar: to-dos with their alarms
    Ics,
    /// JSON as Taskwarrior exports and imports it
    Taskwarrior,
}

impl Format {
    /// Returns the form that a name or the beginning of a file tells, `None` where neither does.
    pub(crate) fn guess(name: &str, beginning: &[u8]) -> Option<Self> {
        let beginning = beginning.strip_prefix(b"\xef\xbb\xbf").unwrap_or(beginning).trim_ascii_start();
        let begins = |word: &[u8]| beginning.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word));
        if begins(b"{\"keiko_export\"") {
            return Some(Self::Jsonl);
        }
        if begins(b"BEGIN:VCALENDAR") {
            return Some(Self::Ics);
        }
        if begins(b"[") || begins(b"{") {
            return Some(Self::Taskwarrior);
        }
        Self::of_name(name)
    }

    /// Returns the form that a file's name tells.
    pub(crate) fn of_name(name: &str) -> Option<Self> {
        let end = name.rsplit_once('.')?.1.to_ascii_lowercase();
        match end.as_str() {
            "jsonl" | "ndjson" => Some(Self::Jsonl),
            "ics" | "ical" | "icalendar" => Some(Self::Ics),
            "json" => Some(Self::Taskwarrior),
            _ => None,
        }
    }
}

/// One thing of a file that may become a task.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Entry {
    /// Where it stands, for people: `line 12 (pay rent)`.
    pub(crate) place: String,
    /// Its name in the file, which others may wait for.
    pub(crate) uid: String,
    /// What becomes of it.
    pub(crate) found: Found,
}

/// What becomes of an entry.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Found {
    /// A task.
    Task(Box<Draft>),
    /// Nothing, as it should be: it is done, or over.
    LeftOut(&'static str),
    /// Nothing, unless that is wished: it is an event that rings nowhere.
    Silent,
    /// Nothing, and why.
    Refused(String),
}

/// A task to be added.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Draft {
    /// What is asked of the daemon; what it waits for is named by `waits`.
    pub(crate) add: Add,
    /// What it waits for, by names in the file.
    pub(crate) waits: Vec<String>,
    /// What of it is not kept, or otherwise than in the file.
    pub(crate) remarks: Vec<String>,
}

/// Returns what of a task has no form in another program's file, in words; `names` are the tasks that stand in it.
///
/// What a command has besides goes with it, and so does what says how it waits with whom it waits for.
pub(crate) fn without_form(task: &Task, names: &BTreeMap<u64, String>) -> Vec<String> {
    let has_command = task.command.is_some();
    let waits: Vec<String> =
        task.waits_for.iter().filter(|number| !names.contains_key(number)).map(ToString::to_string).collect();
    let kinds = [
        (has_command, "its command"),
        (task.deadline_at.is_some(), "its deadline"),
        (task.nag_ms.is_some(), "its nag"),
        (!task.channels.is_empty(), "where it speaks"),
        (task.auto_done, "that it is done once it was delivered"),
        (!has_command && task.missed != MISSED_DEFAULT, "what becomes of missed times"),
        (task.max_late_s.is_some(), "how late it may be"),
        (task.delay_ms.is_some(), "its delay"),
    ];
    let mut without: Vec<String> =
        kinds.into_iter().filter(|(is_there, _)| *is_there).map(|(_, kind)| kind.to_owned()).collect();
    if !waits.is_empty() {
        without.push(format!("that it waits for {}", waits.join(", ")));
    }
    without
}

/// Returns the remark about what of a task is left out of a file, `None` where all of it has a form there.
pub(crate) fn left_out(task: &Task, without: &[String], program: &str) -> Option<String> {
    let (last, others) = without.split_last()?;
    let told = if others.is_empty() { last.clone() } else { format!("{} and {last}", others.join(", ")) };
    let (have, are) = if others.is_empty() { ("has", "is") } else { ("have", "are") };
    Some(format!("{} {}: {told} {have} no form in {program}, and {are} left out", task.number, task.title))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_form_is_guessed_by_what_a_file_says_before_its_name() {
        let guess = |name, beginning: &str| Format::guess(name, beginning.as_bytes());
        assert_eq!(guess("x.ics", "{\"keiko_export\":{"), Some(Format::Jsonl));
        assert_eq!(guess("-", "\u{feff}begin:vcalendar\r\n"), Some(Format::Ics));
        assert_eq!(guess("-", " \n[{\"uuid\""), Some(Format::Taskwarrior));
        assert_eq!(guess("a.JSONL", ""), Some(Format::Jsonl));
        assert_eq!(guess("a.ics", "hello"), Some(Format::Ics));
        assert_eq!(guess("notes.txt", "hello"), None);
    }
}
