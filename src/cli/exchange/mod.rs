//! What do other programs' files say, in Keiko's words, and Keiko's tasks in theirs? Texts in, texts out: no file, no daemon.

use crate::protocol::methods::Add;

pub(crate) mod ical;
pub(crate) mod length;
pub(crate) mod taskwarrior;

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
    /// Nothing, as it should be: it is done, or nothing that rings.
    LeftOut(&'static str),
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
