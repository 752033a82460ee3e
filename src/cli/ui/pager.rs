//! How is read what is longer than the screen? In the pager of the person's choice; what fits is simply shown.
//!
//! Never decides what is long enough to be worth it: whoever prints says that it may be.

use std::io::{self, Write as _};
use std::process::{Child, Command, Stdio};

use crate::cli::render::text::Text;
use crate::cli::ui::lent::Lent;

/// What is asked for a pager, in this order; one that is empty, or `cat`, is none.
const VARIABLES: [&str; 2] = ["KEIKO_PAGER", "PAGER"];

/// The pager of whoever names none.
const FALLBACK: &str = "less";

/// What makes a pager show colours, and leave what was read on the screen; where it is not set otherwise.
const SETTINGS: [(&str, &str); 2] = [("LESS", "FRX"), ("LV", "-c")];

/// What waits to be read, or is being read.
pub(super) struct Pager {
    command: Vec<String>,
    /// How many rows the screen has.
    rows: usize,
    /// What was printed before it was more than the screen holds.
    waiting: String,
    lines: usize,
    reader: Option<(Child, Lent)>,
    /// What was said on standard error meanwhile: it is shown once the pager is gone.
    pub(super) said: Vec<Text>,
}

impl Pager {
    /// Returns a pager for a screen of so many rows; `None` where none is wanted.
    pub(super) fn begin(rows: usize) -> Option<Self> {
        let command = command(|name| std::env::var(name).ok())?;
        Some(Self { command, rows, waiting: String::new(), lines: 0, reader: None, said: Vec::new() })
    }

    /// Takes lines, each with its end; answers with what is to be shown without a pager, as one cannot be run.
    ///
    /// # Errors
    /// The reader has seen enough.
    pub(super) fn take(&mut self, lines: &str) -> io::Result<Option<String>> {
        if let Some((reader, _)) = &mut self.reader {
            let input = reader.stdin.as_mut().expect("it was asked for, and is taken at the end only");
            return input.write_all(lines.as_bytes()).map(|()| None);
        }
        self.waiting.push_str(lines);
        self.lines += lines.matches('\n').count();
        // The prompt of the shell needs a row too.
        if self.lines < self.rows {
            return Ok(None);
        }
        let lent = Lent::begin();
        let waiting = std::mem::take(&mut self.waiting);
        let Ok(reader) = self.run() else {
            // Whoever has no pager reads it as it comes.
            self.rows = usize::MAX;
            return Ok(Some(waiting));
        };
        self.reader = Some((reader, lent));
        self.take(&waiting)
    }

    /// Waits until all was read, and returns what is to be shown without a pager.
    pub(super) fn end(mut self) -> String {
        if let Some((mut reader, _lent)) = self.reader.take() {
            drop(reader.stdin.take());
            // How it ended says nothing of what was read.
            let _ = reader.wait();
        }
        self.waiting
    }

    fn run(&self) -> io::Result<Child> {
        let mut command = Command::new(&self.command[0]);
        command.args(&self.command[1..]).stdin(Stdio::piped());
        for (name, value) in SETTINGS {
            if std::env::var_os(name).is_none() {
                command.env(name, value);
            }
        }
        command.spawn()
    }
}

/// Returns the pager with its arguments, by the variables; `None` where none is wanted.
fn command(variable: impl Fn(&str) -> Option<String>) -> Option<Vec<String>> {
    let named = VARIABLES.into_iter().find_map(variable);
    let words = shlex::split(named.as_deref().unwrap_or(FALLBACK))?;
    (!words.is_empty() && words != ["cat"]).then_some(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pager_is_what_the_variables_say() {
        let named = |own: Option<&str>, all: Option<&str>| {
            let value = |name: &str| if name == "PAGER" { all } else { own };
            command(|name| value(name).map(str::to_owned)).map(|words| words.join(" "))
        };
        assert_eq!(named(None, None).as_deref(), Some("less"));
        assert_eq!(named(None, Some("more -d")).as_deref(), Some("more -d"));
        assert_eq!(named(Some("less -S"), Some("more")).as_deref(), Some("less -S"));
        assert_eq!(named(Some(""), Some("more")), None, "an empty one says that none is wanted");
        assert_eq!(named(None, Some("cat")), None);
        assert_eq!(named(None, Some("'less")), None);
    }
}
