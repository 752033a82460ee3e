//! What is a week with Keiko like? The manual page keiko(7), made from a text that a test plays on the real programs.
//!
//! So the page can show nothing that does not happen. Adds nothing to the text but its form.

use crate::cli::roff::{Page, bold, escaped};

/// The week: headings, prose, and indented what is typed, said and shown. `tests/it/week.rs` plays it.
pub const WEEK: &str = include_str!("week.txt");

/// What stands before each line of the session.
pub const INDENT: &str = "    ";

/// Returns the page as roff.
pub(super) fn page(version: &str) -> String {
    let mut page = Page::new("keiko", '7', version, "a week with reminders that repeat, nag, wait and come late");
    page.section("DESCRIPTION");
    page.paragraph(
        "Before a dollar sign stands what the clock shows when the command behind it is typed; a line with a star is a popup that \
         appears, without its last line, which is the command that answers it.",
    );
    let lines: Vec<&str> = WEEK.lines().collect();
    let mut said: Vec<String> = Vec::new();
    for (index, line) in lines.iter().enumerate() {
        if is_session(&lines, index) {
            said.push(session(line.strip_prefix(INDENT).unwrap_or_default()));
            continue;
        }
        if !said.is_empty() {
            page.verbatim(&std::mem::take(&mut said));
        }
        match line.strip_prefix("# ") {
            Some(heading) => page.section(heading),
            None if line.is_empty() => {}
            None => page.paragraph(line),
        }
    }
    if !said.is_empty() {
        page.verbatim(&said);
    }
    page.see_also(&[
        "keiko(1)",
        "keiko-add(1)",
        "keiko-snooze(1)",
        "keiko-pause(1)",
        "keiko-history(1)",
        "keiko-time(7)",
    ]);
    page.finish()
}

/// Returns whether a line of the text belongs to the session: it is indented, or an empty one between two that are.
#[must_use]
pub fn is_session(lines: &[&str], index: usize) -> bool {
    let is_indented = |index: usize| lines.get(index).is_some_and(|line| line.starts_with(INDENT));
    let is_between = || index > 0 && lines[index].is_empty() && is_indented(index - 1) && is_indented(index + 1);
    is_indented(index) || is_between()
}

/// Returns a line of the session; what is typed stands out.
fn session(line: &str) -> String {
    match line.split_once(" $ ") {
        Some((clock, command)) => format!("{} $ {}", escaped(clock), bold(command)),
        None => escaped(line),
    }
}
