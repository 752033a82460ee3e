//! How does a person pick one of several? A short list that is filtered by typing, drawn on standard error below what is there
//! and gone afterwards.
//!
//! Never decides what is on the list, and what follows.

use std::io::{self, Read as _, Write as _};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcgetwinsize, tcsetattr};

use crate::cli::render::pick;
use crate::cli::render::text::Text;

/// How many rows are shown at once: a list to look over, and room for what stood above.
const ROWS_MAX: usize = 10;

/// How long the rest of a key may take: arrows are several bytes that begin as the Esc key alone does.
const KEY_REST: Timespec = Timespec { tv_sec: 0, tv_nsec: 25_000_000 };

/// The size that is taken for that of a terminal that does not tell.
const SIZE_UNKNOWN: (usize, usize) = (80, 24);

/// One thing that can be picked.
#[derive(Clone, Debug)]
pub(crate) struct Choice {
    /// How it is shown, on one line.
    pub(crate) line: Text,
    /// What is typed to find it.
    pub(crate) words: String,
}

/// What a person picked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Picked {
    /// The one at this place of the list.
    One(usize),
    /// None: Esc, or the end of the input.
    None,
    /// None, and all is to end: Ctrl-C.
    Interrupted,
}

/// Lets a person pick one of `choices`.
///
/// # Errors
/// The terminal cannot be used.
pub(super) fn pick(choices: &[Choice], has_colors: bool) -> io::Result<Picked> {
    let mut list = List { choices, typed: String::new(), at: 0 };
    let keys = Keys::begin()?;
    let drawing = Drawing { has_colors };
    let mut waiting = Vec::new();
    let picked = loop {
        drawing.draw(&list)?;
        match keys.next(&mut waiting)? {
            None => break Picked::None,
            Some(key) => {
                if let Some(picked) = list.press(key) {
                    break picked;
                }
            }
        }
    };
    write("\r\x1b[J")?;
    Ok(picked)
}

/// What is shown and what was typed.
struct List<'a> {
    choices: &'a [Choice],
    typed: String,
    /// Which of those that fit is marked.
    at: usize,
}

/// A key that means something here.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Key {
    Letter(char),
    Up,
    Down,
    Enter,
    Escape,
    Interrupt,
    Erase,
    EraseAll,
    /// One that means nothing.
    Other,
}

impl List<'_> {
    /// Returns the places of those that fit what was typed.
    fn fitting(&self) -> Vec<usize> {
        let typed = self.typed.to_lowercase();
        let fits = |choice: &Choice| {
            let words = choice.words.to_lowercase();
            typed.split_whitespace().all(|word| words.contains(word))
        };
        (0..self.choices.len()).filter(|at| fits(&self.choices[*at])).collect()
    }

    /// Does what a key says; returns what was picked, once that is known.
    fn press(&mut self, key: Key) -> Option<Picked> {
        let fitting = self.fitting();
        match key {
            Key::Letter(letter) => self.typed.push(letter),
            Key::Erase => drop(self.typed.pop()),
            Key::EraseAll => self.typed.clear(),
            Key::Up => self.at = self.at.checked_sub(1).unwrap_or(fitting.len().saturating_sub(1)),
            Key::Down => self.at = if self.at + 1 < fitting.len() { self.at + 1 } else { 0 },
            Key::Enter => return fitting.get(self.at).map(|at| Picked::One(*at)),
            Key::Escape => return Some(Picked::None),
            Key::Interrupt => return Some(Picked::Interrupted),
            Key::Other => {}
        }
        self.at = self.at.min(self.fitting().len().saturating_sub(1));
        None
    }

    /// Returns the rows that are shown on a terminal of so many.
    fn rows(&self, height: usize) -> Vec<Text> {
        let fitting = self.fitting();
        let count = ROWS_MAX.min(height.saturating_sub(3)).max(1);
        let first = (self.at + 1).saturating_sub(count);
        let mut rows = vec![pick::question(&self.typed)];
        for (place, at) in fitting.iter().enumerate().skip(first).take(count) {
            rows.push(pick::row(self.choices[*at].line.clone(), place == self.at));
        }
        rows.extend(pick::more(fitting.len(), count));
        rows
    }
}

/// How the list is drawn, below what is there; the cursor then stands in its first row.
struct Drawing {
    has_colors: bool,
}

impl Drawing {
    fn draw(&self, list: &List<'_>) -> io::Result<()> {
        let told = tcgetwinsize(io::stderr()).ok().filter(|size| size.ws_col > 0 && size.ws_row > 0);
        let (columns, height) = told.map_or(SIZE_UNKNOWN, |size| (size.ws_col.into(), size.ws_row.into()));
        let rows = list.rows(height);
        let mut out = "\r\x1b[J".to_owned();
        for (index, row) in rows.iter().enumerate() {
            if index > 0 {
                out.push_str("\r\n");
            }
            // One cell is left free: some terminals wrap as soon as the last one is used.
            let shown = row.cut(columns.saturating_sub(1)).to_terminal();
            out.push_str(&if self.has_colors { shown } else { anstream::adapter::strip_str(&shown).to_string() });
        }
        let up = if rows.len() > 1 { format!("\x1b[{}A", rows.len() - 1) } else { String::new() };
        let cursor = rows[0].width().min(columns.saturating_sub(1));
        write(&format!("{out}{up}\r\x1b[{cursor}C"))
    }
}

fn write(text: &str) -> io::Result<()> {
    let mut err = io::stderr().lock();
    err.write_all(text.as_bytes())?;
    err.flush()
}

/// A terminal that tells each key, for as long as this value lives.
struct Keys {
    before: Termios,
}

impl Keys {
    fn begin() -> io::Result<Self> {
        let input = io::stdin();
        let before = tcgetattr(&input)?;
        let mut taken = before.clone();
        // Ctrl-C is a key too, so that the list is gone before the process is.
        taken.local_modes.remove(LocalModes::ECHO | LocalModes::ICANON | LocalModes::ISIG);
        tcsetattr(&input, OptionalActions::Now, &taken)?;
        Ok(Self { before })
    }

    /// Waits for a key; `None` at the end of the input. `waiting` are bytes that came with the last one.
    fn next(&self, waiting: &mut Vec<u8>) -> io::Result<Option<Key>> {
        loop {
            if let Some((key, taken)) = first_key(waiting) {
                // The Esc key alone, or the beginning of an arrow?
                if key != Key::Escape || taken < waiting.len() || !self.has_more() {
                    waiting.drain(..taken);
                    return Ok(Some(key));
                }
            }
            let mut bytes = [0; 64];
            match io::stdin().lock().read(&mut bytes)? {
                0 => return Ok(None),
                count => waiting.extend_from_slice(&bytes[..count]),
            }
        }
    }

    #[expect(clippy::unused_self, reason = "only who takes the keys may look for more")]
    fn has_more(&self) -> bool {
        let input = io::stdin();
        let mut waiting = [PollFd::new(&input, PollFlags::IN)];
        poll(&mut waiting, Some(&KEY_REST)).is_ok_and(|ready| ready > 0)
    }
}

impl Drop for Keys {
    fn drop(&mut self) {
        // A terminal that is gone needs nothing given back.
        let _ = tcsetattr(io::stdin(), OptionalActions::Now, &self.before);
    }
}

/// Returns the first key of what was typed and how many bytes it is; `None` where more is to come.
fn first_key(bytes: &[u8]) -> Option<(Key, usize)> {
    let (first, rest) = bytes.split_first()?;
    let key = match first {
        3 => Key::Interrupt,
        4 => Key::Escape,
        8 | 127 => Key::Erase,
        b'\r' | b'\n' => Key::Enter,
        14 | b'\t' => Key::Down,
        16 => Key::Up,
        21 => Key::EraseAll,
        0x1b => return Some(escape_sequence(rest)),
        0..=31 => Key::Other,
        _ => {
            let length = match first {
                0xc0..=0xdf => 2,
                0xe0..=0xef => 3,
                0xf0..=0xf7 => 4,
                _ => 1,
            };
            let letter = bytes.get(..length)?;
            let letter = std::str::from_utf8(letter).ok().and_then(|letter| letter.chars().next());
            return Some((letter.map_or(Key::Other, Key::Letter), length));
        }
    };
    Some((key, 1))
}

/// Returns the key that an Esc byte begins, with what follows it, and how many bytes it is.
fn escape_sequence(rest: &[u8]) -> (Key, usize) {
    match rest {
        [b'[' | b'O', behind @ ..] => {
            let Some(end) = behind.iter().position(|byte| (0x40..=0x7e).contains(byte)) else {
                return (Key::Other, 2 + behind.len());
            };
            let key = match behind[end] {
                b'A' => Key::Up,
                b'B' => Key::Down,
                _ => Key::Other,
            };
            (key, end + 3)
        }
        _ => (Key::Escape, 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::render::fixture::shown;

    fn choices() -> Vec<Choice> {
        ["3  pay rent", "7  pay tax", "12  支付 rent"]
            .iter()
            .map(|line| Choice { line: Text::plain(line), words: (*line).to_owned() })
            .collect()
    }

    fn pressed<'a>(choices: &'a [Choice], typed: &[u8]) -> (List<'a>, Option<Picked>) {
        let mut list = List { choices, typed: String::new(), at: 0 };
        let mut left = typed;
        while let Some((key, taken)) = first_key(left) {
            if let Some(picked) = list.press(key) {
                return (list, Some(picked));
            }
            left = &left[taken..];
        }
        (list, None)
    }

    #[test]
    fn typing_filters_and_arrows_move() {
        let choices = choices();
        let picked = |typed: &str| pressed(&choices, typed.as_bytes()).1;
        assert_eq!(picked("\r"), Some(Picked::One(0)));
        assert_eq!(picked("\x1b[B\r"), Some(Picked::One(1)));
        assert_eq!(picked("\x1b[A\r"), Some(Picked::One(2)), "up from the first is the last");
        assert_eq!(picked("rent\x1bOB\r"), Some(Picked::One(2)));
        assert_eq!(picked("支\r"), Some(Picked::One(2)));
        assert_eq!(picked("PAY 7\r"), Some(Picked::One(1)));
        assert_eq!(picked("nothing\r"), None, "nothing fits, so nothing is picked");
        assert_eq!(picked("nothing\x15tax\r"), Some(Picked::One(1)));
        assert_eq!(picked("taxx\x7f\r"), Some(Picked::One(1)));
        assert_eq!(picked("\x1b"), Some(Picked::None));
        assert_eq!(picked("\x03"), Some(Picked::Interrupted));
    }

    #[test]
    fn the_list_shows_where_one_is_and_how_many_there_are() {
        let choices = choices();
        insta::assert_snapshot!(shown(&pressed(&choices, b"rent\x1b[B").0.rows(24)), @"
        which one? rent
          3  pay rent
        > 12  支付 rent
        ");
        insta::assert_snapshot!(shown(&pressed(&choices, b"\x1b[B\x1b[B").0.rows(4)), @"
        which one? 
        > 12  支付 rent
          3 in all: type to find, Esc gives up
        ");
        insta::assert_snapshot!(shown(&pressed(&choices, b"zzz").0.rows(24)), @"
        which one? zzz
          none fits: Backspace takes back what was typed, Esc gives up
        ");
    }
}
