//! What may be shown on a terminal: text without control characters, measured in display cells.
//!
//! Everything that people see is a [`Text`], and every [`Text`] is cleaned when it is made, so no title, error or note
//! can move a cursor or change a colour. Never prints: `ui.rs` does.

use std::fmt::Write as _;

use anstyle::{AnsiColor, Style};
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

/// What stands for the rest of a text that was cut.
const ELLIPSIS: &str = "…";

/// For what is due.
pub(crate) const DUE: Style = AnsiColor::Yellow.on_default().bold();
/// For what is late or went wrong.
pub(crate) const BAD: Style = AnsiColor::Red.on_default().bold();
/// For a change that was made.
pub(crate) const GOOD: Style = AnsiColor::Green.on_default();
/// For numbers that people may type.
pub(crate) const NUMBER: Style = AnsiColor::Cyan.on_default();
/// For headings.
pub(crate) const HEAD: Style = Style::new().bold();
/// For what may be overlooked.
pub(crate) const DIM: Style = Style::new().dimmed();

/// One line, or several, of cleaned text with styles.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Text {
    parts: Vec<(Style, String)>,
}

impl Text {
    /// Returns a text without a style, on one line.
    pub(crate) fn plain(text: &str) -> Self {
        Self::styled(Style::new(), text)
    }

    /// Returns a text in one style, on one line.
    pub(crate) fn styled(style: Style, text: &str) -> Self {
        Self { parts: vec![(style, clean(text))] }
    }

    /// Appends a text without a style.
    pub(crate) fn push(&mut self, text: &str) {
        self.append(Self::plain(text));
    }

    /// Appends a text in one style.
    pub(crate) fn push_styled(&mut self, style: Style, text: &str) {
        self.append(Self::styled(style, text));
    }

    /// Appends another text.
    pub(crate) fn append(&mut self, other: Self) {
        self.parts.extend(other.parts);
    }

    /// Returns how many display cells it takes.
    pub(crate) fn width(&self) -> usize {
        self.parts.iter().map(|(_, text)| width(text)).sum()
    }

    /// Returns it in at most `cells` display cells, with an ellipsis in place of what was cut.
    ///
    /// Neither a grapheme cluster nor a wide cell is ever split; where a wide one does not fit, a cell stays free.
    pub(crate) fn cut(&self, cells: usize) -> Self {
        if self.width() <= cells {
            return self.clone();
        }
        let mut left = cells.saturating_sub(width(ELLIPSIS));
        let mut kept = Self::default();
        for (style, text) in &self.parts {
            let mut part = String::new();
            let mut is_whole = true;
            for cluster in text.graphemes(true) {
                let cells = width(cluster);
                if cells > left {
                    is_whole = false;
                    break;
                }
                left -= cells;
                part.push_str(cluster);
            }
            kept.parts.push((*style, part));
            if !is_whole {
                break;
            }
        }
        if cells > 0 {
            kept.parts.push((Style::new(), ELLIPSIS.to_owned()));
        }
        kept
    }

    /// Returns it in one style.
    pub(crate) fn in_style(mut self, style: Style) -> Self {
        for (of_part, _) in &mut self.parts {
            *of_part = style;
        }
        self
    }

    /// Returns it in lines of at most `cells` display cells, broken at spaces; a word that is longer than a line, as a
    /// text without spaces is, is broken where the line ends. There is one line at least.
    pub(crate) fn wrapped(&self, cells: Option<usize>) -> Vec<Self> {
        let Some(cells) = cells else { return vec![self.clone()] };
        let mut lines = vec![Self::default()];
        let mut left = cells;
        for (style, text) in &self.parts {
            for word in text.split_inclusive(' ') {
                let bare = width(word.trim_end_matches(' '));
                if bare > left && left < cells {
                    lines.push(Self::default());
                    left = cells;
                }
                for cluster in word.graphemes(true) {
                    let takes = width(cluster);
                    if cluster == " " && left == 0 {
                        continue;
                    }
                    if takes > left && left < cells {
                        lines.push(Self::default());
                        left = cells;
                    }
                    left = left.saturating_sub(takes);
                    let line = lines.last_mut().expect("there is one line at least");
                    match line.parts.last_mut() {
                        Some((of_part, part)) if of_part == style => part.push_str(cluster),
                        Some(_) | None => line.parts.push((*style, cluster.to_owned())),
                    }
                }
            }
        }
        for line in &mut lines {
            if let Some((_, part)) = line.parts.last_mut() {
                part.truncate(part.trim_end_matches(' ').len());
            }
        }
        lines
    }

    /// Returns it with spaces behind up to `cells` display cells.
    pub(crate) fn padded_right(mut self, cells: usize) -> Self {
        let missing = cells.saturating_sub(self.width());
        self.parts.push((Style::new(), " ".repeat(missing)));
        self
    }

    /// Returns it with spaces before up to `cells` display cells.
    pub(crate) fn padded_left(mut self, cells: usize) -> Self {
        let missing = cells.saturating_sub(self.width());
        self.parts.insert(0, (Style::new(), " ".repeat(missing)));
        self
    }

    /// Returns it without its styles.
    pub(crate) fn to_plain(&self) -> String {
        self.parts.iter().map(|(_, text)| text.as_str()).collect()
    }

    /// Returns it with each of a character twice, for programs that take one for their own.
    pub(crate) fn doubling(mut self, special: char) -> Self {
        for (_, text) in &mut self.parts {
            *text = text.replace(special, &format!("{special}{special}"));
        }
        self
    }

    /// Returns it as bytes for a terminal that understands colours; `ui.rs` strips them for one that does not.
    pub(crate) fn to_ansi(&self) -> String {
        let mut out = String::new();
        for (style, text) in self.parts.iter().filter(|(_, text)| !text.is_empty()) {
            // Writing to a String cannot fail.
            let _ = write!(out, "{style}{text}{style:#}");
        }
        out
    }
}

impl From<&str> for Text {
    fn from(text: &str) -> Self {
        Self::plain(text)
    }
}

impl From<String> for Text {
    fn from(text: String) -> Self {
        Self::plain(&text)
    }
}

/// Returns how many display cells `text` takes, cluster by cluster.
fn width(text: &str) -> usize {
    text.graphemes(true).map(UnicodeWidthStr::width).sum()
}

/// Returns `text` with nothing in it that a terminal would obey.
///
/// Line breaks and tabs become spaces; other control characters become their pictures, and what would turn the
/// direction of writing becomes the replacement character, so that people see that something was there.
pub(crate) fn clean(text: &str) -> String {
    text.chars().map(clean_char).collect()
}

fn clean_char(c: char) -> char {
    match c {
        '\n' | '\r' | '\t' | '\u{2028}' | '\u{2029}' => ' ',
        '\0'..='\u{1f}' => char::from_u32(0x2400 + u32::from(c)).unwrap_or(char::REPLACEMENT_CHARACTER),
        '\u{7f}' => '\u{2421}',
        _ if is_unsafe(c) => char::REPLACEMENT_CHARACTER,
        _ => c,
    }
}

/// Returns whether a terminal would obey `c`: controls, and marks that turn the direction of writing.
pub(crate) fn is_unsafe(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{2028}' | '\u{2029}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200e}' | '\u{200f}' | '\u{61c}')
}

#[cfg(test)]
mod tests {
    use super::*;

    const FAMILY: &str = "👨\u{200d}👩\u{200d}👧 party";

    #[track_caller]
    fn check_cut(text: &str, cells: usize, expected: &str) {
        let cut = Text::plain(text).cut(cells);
        assert_eq!(cut.to_ansi(), expected);
        assert!(cut.width() <= cells, "{} > {cells}", cut.width());
    }

    #[test]
    fn widths_are_display_cells() {
        assert_eq!(Text::plain("交房租").width(), 6);
        assert_eq!(Text::plain(FAMILY).width(), 8);
        assert_eq!(Text::plain("e\u{301}tude").width(), 5);
        assert_eq!(Text::plain("plain").width(), 5);
    }

    #[test]
    fn cutting_never_splits_a_cluster_or_a_wide_cell() {
        check_cut("交房租", 6, "交房租");
        check_cut("交房租", 5, "交房…");
        check_cut("交房租", 4, "交…");
        check_cut("交房租", 1, "…");
        check_cut("交房租", 0, "");
        check_cut(FAMILY, 4, "👨\u{200d}👩\u{200d}👧 …");
        check_cut(FAMILY, 2, "…");
        check_cut("e\u{301}tude", 3, "e\u{301}t…");
    }

    #[track_caller]
    fn check_wrapped(text: &str, cells: usize, expected: &[&str]) {
        let lines = Text::plain(text).wrapped(Some(cells));
        assert_eq!(lines.iter().map(Text::to_ansi).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn wrapping_breaks_at_spaces_and_long_words_where_the_line_ends() {
        check_wrapped("one two three", 40, &["one two three"]);
        check_wrapped("one two three", 7, &["one two", "three"]);
        check_wrapped("one two three", 4, &["one", "two", "thre", "e"]);
        check_wrapped("交房租和水费", 5, &["交房", "租和", "水费"]);
        check_wrapped("付 交房租和水费 了", 5, &["付", "交房", "租和", "水费", "了"]);
        check_wrapped("", 5, &[""]);
    }

    #[test]
    fn padding_counts_cells() {
        assert_eq!(Text::plain("交").padded_right(4).to_ansi(), "交  ");
        assert_eq!(Text::plain("7").padded_left(3).to_ansi(), "  7");
    }

    #[test]
    fn nothing_that_a_terminal_would_obey_is_left() {
        let hostile = "a\u{1b}[31mred\u{7}\r\nb\u{9b}2J\u{202e}c\u{7f}";
        assert_eq!(clean(hostile), "a␛[31mred␇  b\u{fffd}2J\u{fffd}c␡");
        assert!(!clean(hostile).chars().any(is_unsafe));
    }
}
