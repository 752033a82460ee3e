//! A shell that a test types into, and how what it says is compared with what a page shows.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, Stdio};
use std::sync::mpsc::{self, Receiver};

use crate::support::PATIENCE;
use crate::support::person::Person;

/// What stands for any text.
const ANYTHING: char = '…';

/// What the shell says when a command has ended.
const END: &str = "-- end of the command --";

/// Returns whether a line is as the page shows it, where `…` stands for any text.
pub(crate) fn matches(found: &str, expected: &str) -> bool {
    let Some((start, rest)) = expected.split_once(ANYTHING) else { return found == expected };
    let Some(mut left) = found.strip_prefix(start) else { return false };
    let (middle, end) = rest.rsplit_once(ANYTHING).map_or((None, rest), |(middle, end)| (Some(middle), end));
    for part in middle.into_iter().flat_map(|middle| middle.split(ANYTHING)) {
        let Some((_, after)) = left.split_once(part) else { return false };
        left = after;
    }
    left.ends_with(end)
}

/// A shell that a person types into.
pub(crate) struct Shell {
    process: Child,
    input: ChildStdin,
    said: Receiver<String>,
}

impl Shell {
    /// Starts one of this person's.
    pub(crate) fn start(person: &Person) -> Self {
        let mut process = person.command("sh").stdin(Stdio::piped()).spawn().expect("there is a shell");
        let mut input = process.stdin.take().expect("its input is a pipe");
        let output = BufReader::new(process.stdout.take().expect("its output is a pipe"));
        let (say, said) = mpsc::channel();
        // Ends with the shell and all that it started.
        std::thread::spawn(move || output.lines().map_while(Result::ok).try_for_each(|line| say.send(line)));
        input.write_all(b"exec 2>&1\n").expect("the shell reads");
        Self { process, input, said }
    }

    /// Runs a command and returns the lines that it says, both streams together.
    pub(crate) fn run(&mut self, command: &str) -> Vec<String> {
        writeln!(self.input, "{command}\necho '{END}'").expect("the shell reads");
        let mut lines = Vec::new();
        loop {
            let line = self.line();
            if line == END {
                return lines;
            }
            lines.push(line);
        }
    }

    /// Begins a command that goes on, and returns as many lines of what it says as are wanted.
    pub(crate) fn begin(&mut self, command: &str, lines: usize) -> Vec<String> {
        writeln!(self.input, "{command}").expect("the shell reads");
        (0..lines).map(|_| self.line()).collect()
    }

    fn line(&self) -> String {
        self.said.recv_timeout(PATIENCE).expect("the command ends in time")
    }
}

impl Drop for Shell {
    fn drop(&mut self) {
        // Where the tour broke off its daemon still runs.
        let _ = self.input.write_all(b"keiko daemon stop\nexit\n");
        let _ = self.process.wait();
    }
}

#[test]
fn the_sign_for_anything_stands_for_nothing_else() {
    for (found, expected, is_so) in [
        ("pid 17)", "pid …)", true),
        ("pid 17", "pid …)", false),
        ("a b c", "a … c", true),
        ("a b c d", "a …", true),
        ("x a b", "a …", false),
        ("ab", "ab", true),
        ("ab ", "ab", false),
        ("aba", "a…a…a", false),
    ] {
        assert_eq!(matches(found, expected), is_so, "{found:?} {expected:?}");
    }
}
