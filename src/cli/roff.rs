//! How is a manual page written? Sections, paragraphs and lists as roff, in lines short enough for those who read the source.
//!
//! Clean for `man --warnings` and `mandoc -Tlint`: no blank line, no long line, nothing that a formatter takes for a request.

use std::fmt::Write as _;

/// The day that stands below every page. Changed by hand with what the pages say, so that they are the same wherever made.
const DATE: &str = "2026-11-30";

/// The longest line of prose, in bytes.
const LINE_BYTES: usize = 78;

/// A manual page.
pub(super) struct Page {
    out: String,
    /// Whether a paragraph would follow a heading, which is one already.
    is_fresh: bool,
}

impl Page {
    /// Begins a page: its name with dashes, its section of the manual, and what it is in a line.
    pub(super) fn new(name: &str, section: char, version: &str, about: &str) -> Self {
        let out = format!(
            ".TH {} {section} {DATE} \"keiko {version}\" \"Keiko Manual\"\n.SH NAME\n",
            escaped(&name.to_uppercase())
        );
        let mut page = Self { out, is_fresh: true };
        page.fill(&format!("{name} - {}", about.trim_end_matches('.')));
        page
    }

    /// Returns the page.
    pub(super) fn finish(self) -> String {
        self.out
    }

    /// Begins a section.
    pub(super) fn section(&mut self, heading: &str) {
        let heading = escaped(&heading.to_uppercase());
        let quoted = if heading.contains(' ') { format!("\"{heading}\"") } else { heading };
        self.request(&format!(".SH {quoted}"));
        self.is_fresh = true;
    }

    /// Begins a part of a section.
    pub(super) fn part(&mut self, heading: &str) {
        let heading = escaped(heading);
        let quoted = if heading.contains(' ') { format!("\"{heading}\"") } else { heading };
        self.request(&format!(".SS {quoted}"));
        self.is_fresh = true;
    }

    /// Adds a paragraph.
    pub(super) fn paragraph(&mut self, text: &str) {
        if !self.is_fresh {
            self.request(".PP");
        }
        self.fill(text);
    }

    /// Lets what follows be a paragraph of its own.
    pub(super) const fn end_of_paragraph(&mut self) {
        self.is_fresh = false;
    }

    /// Adds what is typed or named, and below it what is said of it. `lead` is roff.
    pub(super) fn tagged(&mut self, lead: &str, text: &str) {
        self.request(".TP");
        self.request(lead);
        if text.trim().is_empty() {
            // A tag without a text would take the next one for it.
            self.request("\\&");
        }
        self.fill(text);
    }

    /// Adds prose to what stands there, on a line of its own.
    pub(super) fn line(&mut self, text: &str) {
        self.request(".br");
        self.fill(text);
    }

    /// Adds lines as they are. Each is roff.
    pub(super) fn verbatim(&mut self, lines: &[String]) {
        if !self.is_fresh {
            self.request(".PP");
        }
        self.request(".RS 4");
        self.request(".nf");
        for line in lines {
            self.request(if line.is_empty() { "\\&" } else { line });
        }
        self.request(".fi");
        self.request(".RE");
        self.is_fresh = false;
    }

    /// Adds the pages where more is said: `keiko-add(1)`.
    pub(super) fn see_also(&mut self, pages: &[&str]) {
        self.section("SEE ALSO");
        for (index, page) in pages.iter().enumerate() {
            let (name, section) = page.trim_end_matches(')').split_once('(').expect("a page has a section");
            let comma = if index + 1 < pages.len() { "," } else { "" };
            self.request(&format!(".BR {} ({section}){comma}", escaped(name)));
        }
        self.is_fresh = false;
    }

    /// Adds a line of roff.
    pub(super) fn request(&mut self, line: &str) {
        self.out.push_str(line);
        self.out.push('\n');
    }

    fn fill(&mut self, text: &str) {
        let mut line = String::new();
        for word in text.split_whitespace().map(bare) {
            if !line.is_empty() && length(&line) + 1 + length(&word) > LINE_BYTES {
                self.end(&line);
                line.clear();
            }
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(&word);
        }
        if !line.is_empty() {
            self.end(&line);
        }
        self.is_fresh = false;
    }

    /// Adds a line of prose, of which no beginning may be taken for a request.
    fn end(&mut self, line: &str) {
        let guard = if line.starts_with(['.', '\'']) { "\\&" } else { "" };
        // Writing to a string does not fail.
        let _ = writeln!(self.out, "{guard}{line}");
    }
}

/// Returns text so that roff shows it as it is.
pub(super) fn escaped(text: &str) -> String {
    let text = bare(text);
    if text.starts_with(['.', '\'']) { format!("\\&{text}") } else { text }
}

/// Returns text in bold.
pub(super) fn bold(text: &str) -> String {
    format!("\\fB{}\\fR", bare(text))
}

/// Returns text in italics.
pub(super) fn italic(text: &str) -> String {
    format!("\\fI{}\\fR", bare(text))
}

/// Returns how long a text is for formatters: they write a letter that is not ASCII as \[uXXXX].
fn length(text: &str) -> usize {
    text.chars().map(|c| if c.is_ascii() { 1 } else { 8 }).sum()
}

fn bare(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\\' => out.push_str("\\e"),
            '-' => out.push_str("\\-"),
            '\'' => out.push_str("\\(aq"),
            '`' => out.push_str("\\(ga"),
            '^' => out.push_str("\\(ha"),
            '~' => out.push_str("\\(ti"),
            '"' => out.push_str("\\(dq"),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_of_a_text_is_taken_for_a_request() {
        assert_eq!(escaped(".so /etc/passwd"), "\\&.so /etc/passwd");
        assert_eq!(escaped("it's --all \\n \"x\" ~/a `b`"), "it\\(aqs \\-\\-all \\en \\(dqx\\(dq \\(ti/a \\(gab\\(ga");
        let mut page = Page::new("keiko-x", '1', "1", "says .x");
        page.section("description");
        page.paragraph(&format!("{} .so it", "x".repeat(76)));
        page.tagged(&bold("--x"), "");
        insta::assert_snapshot!(page.finish(), @r#"
        .TH KEIKO\-X 1 2026-11-30 "keiko 1" "Keiko Manual"
        .SH NAME
        keiko\-x \- says .x
        .SH DESCRIPTION
        xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
        \&.so it
        .TP
        \fB\-\-x\fR
        \&
        "#);
    }
}
