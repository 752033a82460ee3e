//! What is a week with Keiko like? The manual page keiko(7), made from a text that a test plays on the real programs.
//!
//! So the page can show nothing that does not happen. Adds nothing to the text but its form.

use crate::cli::time_page::escaped;

/// The week: headings, prose, and indented what is typed, said and shown. `tests/it/week.rs` plays it.
pub const WEEK: &str = include_str!("week.txt");

/// What stands before each line of the session.
pub const INDENT: &str = "    ";

/// Returns the page as roff.
pub(super) fn page(version: &str) -> String {
    let mut page = format!(
        ".TH keiko 7 \"\" \"keiko {version}\" Keiko\n.SH NAME\nkeiko \\- a week with reminders that repeat, nag, wait and \
         come late\n.SH DESCRIPTION\nBefore a dollar sign stands what the clock shows when the command behind it is typed; a \
         line with a star is a popup that appears, without its last line, which is the command that answers it.\n"
    );
    let lines: Vec<&str> = WEEK.lines().collect();
    let mut was_session = false;
    for (index, line) in lines.iter().enumerate() {
        let is_session = is_session(&lines, index);
        match (was_session, is_session) {
            (false, true) => page.push_str(".PP\n.nf\n"),
            (true, false) => page.push_str(".fi\n"),
            (false, false) | (true, true) => {}
        }
        was_session = is_session;
        if is_session {
            page.push_str(&session(line.strip_prefix(INDENT).unwrap_or_default()));
        } else if let Some(heading) = line.strip_prefix("# ") {
            page.extend([".SH ", heading, "\n"]);
        } else if !line.is_empty() {
            page.extend([".PP\n", &escaped(line), "\n"]);
        }
    }
    if was_session {
        page.push_str(".fi\n");
    }
    page.push_str(
        ".SH SEE ALSO\n.BR keiko (1),\n.BR keiko\\-add (1),\n.BR keiko\\-snooze (1),\n.BR keiko\\-pause (1),\n.BR \
         keiko\\-history (1),\n.BR keiko\\-time (7),\nwhich shows what can be said about time\n",
    );
    page
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
        Some((clock, command)) => format!("{} $ \\fB{}\\fR\n", escaped(clock), escaped(command)),
        None if line.is_empty() => "\n".to_owned(),
        None => format!("{}\n", escaped(line)),
    }
}
