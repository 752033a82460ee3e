//! Which lines of a command's standard output are meant for Keiko?
//!
//! `::checkpoint TEXT` and `::progress PERCENT [TEXT]`, from the first column, to the end of a line. Whatever is not quite
//! that is plain output. Nothing here grows with what is said.

use crate::domain::run::Progress;

/// How long a line is at most that is looked at: a longer one is plain output. It has to go into a variable of the next
/// attempt, and a checkpoint cut in two would lead that astray.
const LINE_BYTES_MAX: usize = 4 * 1024;

/// How much of the text of a progress is told: one line of a terminal.
const TEXT_CHARS_MAX: usize = 200;

/// What these lines begin with.
const PREFIX: &[u8] = b"::";

/// What a command says to Keiko.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Mark {
    /// How far it is.
    Progress(Progress),
    /// What the next attempt is to know.
    Checkpoint(String),
}

/// Takes the lines out of what comes in pieces.
#[derive(Debug, Default)]
pub(super) struct Marks {
    line: Vec<u8>,
    /// Whether the line that began is plain output for certain.
    is_plain: bool,
}

impl Marks {
    /// Takes what was said next, and hands on each line that is meant for Keiko.
    pub(super) fn read(&mut self, said: &[u8], mut mark: impl FnMut(Mark)) {
        for piece in said.split_inclusive(|byte| *byte == b'\n') {
            let (text, is_end) = piece.strip_suffix(b"\n").map_or((piece, false), |text| (text, true));
            self.take(text);
            if is_end {
                self.end().into_iter().for_each(&mut mark);
            }
        }
    }

    /// Returns what the last line said, which had no end.
    pub(super) fn end(&mut self) -> Option<Mark> {
        let found = if self.is_plain { None } else { parse(&self.line) };
        self.line.clear();
        self.is_plain = false;
        found
    }

    fn take(&mut self, text: &[u8]) {
        if self.is_plain {
            return;
        }
        let room = (LINE_BYTES_MAX + 1).saturating_sub(self.line.len());
        self.line.extend_from_slice(&text[..text.len().min(room)]);
        let begun = self.line.len().min(PREFIX.len());
        self.is_plain = self.line.len() > LINE_BYTES_MAX || self.line[..begun] != PREFIX[..begun];
        if self.is_plain {
            self.line.clear();
        }
    }
}

fn parse(line: &[u8]) -> Option<Mark> {
    let line = String::from_utf8_lossy(line.strip_prefix(PREFIX)?);
    let (word, rest) = line.split_once(' ')?;
    let rest = rest.trim();
    match word {
        "checkpoint" => {
            let text = printable(rest, LINE_BYTES_MAX);
            (!text.is_empty()).then_some(Mark::Checkpoint(text))
        }
        "progress" => {
            let (percent, text) = rest.split_once(' ').unwrap_or((rest, ""));
            let percent = percent.strip_suffix('%').unwrap_or(percent);
            let percent = percent.parse().ok().filter(|percent| *percent <= 100)?;
            Some(Mark::Progress(Progress { percent, text: printable(text.trim(), TEXT_CHARS_MAX) }))
        }
        _ => None,
    }
}

/// Returns the text without what a terminal would obey.
fn printable(text: &str, chars_max: usize) -> String {
    text.chars().filter(|character| !character.is_control()).take(chars_max).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marks_in(pieces: &[&[u8]]) -> Vec<Mark> {
        let (mut marks, mut found) = (Marks::default(), Vec::new());
        for piece in pieces {
            marks.read(piece, |mark| found.push(mark));
        }
        found.extend(marks.end());
        found
    }

    #[track_caller]
    fn check(line: &str, expected: &[Mark]) {
        assert_eq!(marks_in(&[line.as_bytes()]), expected, "{line:?}");
    }

    fn progress(percent: u8, text: &str) -> Mark {
        Mark::Progress(Progress { percent, text: text.into() })
    }

    fn checkpoint(text: &str) -> Mark {
        Mark::Checkpoint(text.into())
    }

    #[test]
    fn what_is_quite_so_is_heard() {
        check("::progress 40 copies files\n", &[progress(40, "copies files")]);
        check("::progress 40%\n", &[progress(40, "")]);
        check("::progress 0", &[progress(0, "")]);
        check("::progress 100 \u{1b}[31mred\u{7}\r\n", &[progress(100, "[31mred")]);
        check("::checkpoint page 7\n", &[checkpoint("page 7")]);
        check("::checkpoint 第7页\r\n", &[checkpoint("第7页")]);
    }

    #[test]
    fn what_is_not_quite_so_is_plain_output() {
        for line in [
            "::progress\n",
            "::progress 101\n",
            "::progress -1\n",
            "::progress half\n",
            " ::progress 4\n",
            ":: progress 4\n",
            "::Progress 4\n",
            "::checkpoint\n",
            "::checkpoint  \n",
            "::other 4\n",
            "::\n",
            ":\n",
            "\n",
            "",
        ] {
            check(line, &[]);
        }
    }

    #[test]
    fn a_line_may_come_in_pieces() {
        let pieces: [&[u8]; 5] = [b"plain\n:", b":progr", b"ess 3", b" x\n::check", b"point y\nplain ::progress 4"];
        assert_eq!(marks_in(&pieces), [progress(3, "x"), checkpoint("y")]);
    }

    #[test]
    fn a_line_without_end_takes_no_room_and_is_plain() {
        let mut marks = Marks::default();
        marks.read(b"::checkpoint ", |_| panic!("it has not ended"));
        for _ in 0..1000 {
            marks.read(&[b'x'; 1024], |_| panic!("it has not ended"));
            assert!(marks.line.capacity() <= 2 * (LINE_BYTES_MAX + 1));
        }
        let mut found = Vec::new();
        marks.read(b"\n::progress 5\n", |mark| found.push(mark));
        assert_eq!(found, [progress(5, "")]);
    }
}
