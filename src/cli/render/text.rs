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

/// Where a line that is too long for its terminal goes on: so far in behind what it began with.
const STEP: usize = 2;

/// How much room there is at least for what goes on.
const ROOM_MIN: usize = 16;

/// How long may be what stands in brackets and is not parted.
const BRACKETS_MAX: usize = 24;

/// Begins what has a direction of its own (Unicode Bidirectional Algorithm, FIRST STRONG ISOLATE).
const ISOLATE: char = '\u{2068}';

/// Ends it (POP DIRECTIONAL ISOLATE).
const ISOLATE_END: char = '\u{2069}';

/// One line of cleaned text with styles.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Text {
    parts: Vec<(Style, String)>,
    /// How far in it goes on where it is longer than a line; `None`: a little further in than it begins.
    hang: Option<usize>,
}

/// One word of a line that is to be folded.
struct Word<'a> {
    /// How many spaces stand before it.
    gap: usize,
    /// Its clusters, each with the part that it is of and the cells that it takes.
    clusters: Vec<(usize, &'a str, usize)>,
    /// How many cells it takes.
    width: usize,
    /// How many cells it takes with what belongs to it: all up to the next two spaces. 0 where it begins nothing.
    field: usize,
}

impl Text {
    /// Returns a text without a style, on one line.
    pub(crate) fn plain(text: &str) -> Self {
        Self::styled(Style::new(), text)
    }

    /// Returns a text in one style, on one line.
    pub(crate) fn styled(style: Style, text: &str) -> Self {
        Self { parts: vec![(style, clean(text))], hang: None }
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

    /// Returns what of it stands before the first `end`.
    pub(crate) fn before(mut self, end: char) -> Self {
        if let Some(at) = self.parts.iter().position(|(_, text)| text.contains(end)) {
            self.parts.truncate(at + 1);
            let (_, last) = &mut self.parts[at];
            last.truncate(last.find(end).unwrap_or(last.len()));
        }
        self
    }

    /// Returns it in one style.
    pub(crate) fn in_style(mut self, style: Style) -> Self {
        for (of_part, _) in &mut self.parts {
            *of_part = style;
        }
        self
    }

    /// Returns it so that it goes on `cells` cells further in where it is longer than a line.
    pub(crate) const fn hanging(mut self, cells: usize) -> Self {
        self.hang = Some(cells);
        self
    }

    /// Returns it in lines of at most `width` display cells. It is broken where two spaces part what stands side by side,
    /// else between words, else, as a text without spaces is, where the line ends. What is to be copied in one piece, such
    /// as an address, stays in one piece, and is left to the terminal where it is wider than that. There is one line at
    /// least.
    pub(crate) fn fitted(&self, width: Option<usize>) -> Vec<Self> {
        match width {
            Some(width) if !self.fits(Some(width)) => self.folded(width),
            Some(_) | None => vec![self.clone()],
        }
    }

    /// Returns whether it is no longer than a line.
    pub(crate) fn fits(&self, width: Option<usize>) -> bool {
        width.is_none_or(|width| self.width() <= width)
    }

    fn folded(&self, width: usize) -> Vec<Self> {
        let words = self.words();
        let leading = words.first().map_or(0, |word| word.gap);
        let hang = self.hang.unwrap_or(leading + STEP).min((width / 2).max(width.saturating_sub(ROOM_MIN)));
        let mut fold = Fold { lines: vec![Self::default()], part: None, used: 0, width, is_fresh: true };
        for word in &words {
            let whole = fold.used + word.gap;
            let is_tight = whole * 5 > width * 3 && word.gap > 1;
            let is_better_below = whole > hang
                && word.field > 0
                && whole + word.field > width
                && (is_tight || hang + word.field <= width);
            let is_one_piece = word.width > width - hang && word.is_one_piece(width);
            if !fold.is_fresh
                && (is_better_below || is_one_piece || word.width <= width - hang && whole + word.width > width)
            {
                fold.next_line(if is_one_piece { width.saturating_sub(word.width).min(hang) } else { hang });
            }
            let is_behind = !(fold.is_fresh && fold.lines.len() > 1);
            if is_behind && word.gap > 0 {
                fold.push(None, Style::new(), &" ".repeat(word.gap), word.gap);
            }
            for (part, cluster, cells) in &word.clusters {
                if fold.used + cells > width && !fold.is_fresh && !is_one_piece {
                    fold.next_line(hang);
                }
                fold.push(Some(*part), self.parts[*part].0, cluster, *cells);
            }
        }
        fold.lines
    }

    fn words(&self) -> Vec<Word<'_>> {
        let mut words: Vec<Word<'_>> = Vec::new();
        let mut gap = 0;
        let mut is_in_word = false;
        let parts = self.parts.iter().enumerate();
        let clusters = parts.flat_map(|(part, (_, text))| text.graphemes(true).map(move |cluster| (part, cluster)));
        for (part, cluster) in clusters {
            if cluster == " " {
                gap += 1;
                is_in_word = false;
                continue;
            }
            let cells = width(cluster);
            if !is_in_word {
                words.push(Word { gap: std::mem::take(&mut gap), clusters: Vec::new(), width: 0, field: 0 });
                is_in_word = true;
            }
            let word = words.last_mut().expect("pushed above");
            word.clusters.push((part, cluster, cells));
            word.width += cells;
        }
        let mut field = 0;
        for at in (0..words.len()).rev() {
            field += words[at].width;
            if at == 0 || words[at].gap > 1 {
                words[at].field = std::mem::take(&mut field);
            } else {
                field += words[at].gap;
            }
            if words[at].field == 0 {
                words[at].field = brackets(&words[at..]).filter(|width| *width <= BRACKETS_MAX).unwrap_or(0);
            }
        }
        words
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

    /// Returns it without styles.
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

    /// Returns it for a terminal that understands colours; `ui.rs` strips them for one that does not.
    pub(crate) fn to_ansi(&self) -> String {
        self.written(|_| false)
    }

    /// Returns it for a person's terminal: as [`Text::to_ansi`], and what is written from right to left keeps to itself, so
    /// that it turns nothing round that stands beside it.
    pub(crate) fn to_terminal(&self) -> String {
        self.written(|text| text.chars().any(is_right_to_left))
    }

    fn written(&self, is_isolated: impl Fn(&str) -> bool) -> String {
        let mut out = String::new();
        for (style, text) in self.parts.iter().filter(|(_, text)| !text.is_empty()) {
            // Writing to a String cannot fail.
            let _ = if is_isolated(text) {
                write!(out, "{style}{ISOLATE}{text}{ISOLATE_END}{style:#}")
            } else {
                write!(out, "{style}{text}{style:#}")
            };
        }
        out
    }
}

/// Returns how wide what stands in brackets is, which begins with the first word.
fn brackets(words: &[Word<'_>]) -> Option<usize> {
    let (_, first, _) = words.first()?.clusters.first()?;
    let end = words.iter().position(|word| word.clusters.iter().any(|(_, cluster, _)| *cluster == ")"))?;
    let gaps: usize = words[1..=end].iter().map(|word| word.gap).sum();
    (*first == "(").then(|| gaps + words[..=end].iter().map(|word| word.width).sum::<usize>())
}

impl Word<'_> {
    /// Returns whether it stays whole where it has no room as far in as other lines: a word that fits a line, and what is to be
    /// copied in one piece, such as a path, an address or an id.
    fn is_one_piece(&self, line: usize) -> bool {
        let is_copied = |(_, cluster, _): &(usize, &str, usize)| matches!(*cluster, "/" | "-" | ".");
        self.clusters.iter().all(|(_, cluster, _)| cluster.is_ascii())
            && (self.width <= line || self.clusters.iter().any(is_copied))
    }
}

/// Lines in the making.
struct Fold {
    lines: Vec<Text>,
    /// Which part of the long line was added last; parts stay apart, since each is written in its own direction.
    part: Option<usize>,
    /// How many cells of the last one are used.
    used: usize,
    width: usize,
    /// Whether nothing but spaces stands on it.
    is_fresh: bool,
}

impl Fold {
    fn next_line(&mut self, hang: usize) {
        // A space at the end would wrap on a terminal that is exactly as wide.
        if let Some((_, text)) = self.lines.last_mut().and_then(|line| line.parts.last_mut()) {
            text.truncate(text.trim_end_matches(' ').len());
        }
        let indent = hang.min(self.width);
        self.lines.push(Text::plain(&" ".repeat(indent)));
        self.part = None;
        self.used = indent;
        self.is_fresh = true;
    }

    fn push(&mut self, part: Option<usize>, style: Style, cluster: &str, cells: usize) {
        let line = self.lines.last_mut().expect("there is one line at least");
        match line.parts.last_mut() {
            Some((_, text)) if part.is_some() && self.part == part => text.push_str(cluster),
            // Between two words of one part the space is of it too.
            Some((_, text)) if part.is_none() && self.part.is_some() && cells == 1 => text.push_str(cluster),
            Some(_) | None => line.parts.push((style, cluster.to_owned())),
        }
        self.part = if cells == 1 && part.is_none() { self.part } else { part };
        self.used += cells;
        self.is_fresh &= cluster.trim_matches(' ').is_empty();
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
    if is_plain(text) { text.len() } else { text.graphemes(true).map(UnicodeWidthStr::width).sum() }
}

/// Returns `text` with nothing in it that a terminal would obey.
///
/// Line breaks and tabs become spaces; other control characters become their pictures, and what would turn the
/// direction of writing becomes the replacement character, so that people see that something was there.
pub(crate) fn clean(text: &str) -> String {
    if is_plain(text) { text.to_owned() } else { text.chars().map(clean_char).collect() }
}

/// Returns whether each byte is a character of one cell, which most are, and which is found much sooner than clusters are.
fn is_plain(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b' '..=b'~'))
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

/// Returns whether `c` is of a script that is written from right to left: Hebrew, Arabic, Syriac, Thaana and their kin.
const fn is_right_to_left(c: char) -> bool {
    matches!(c, '\u{590}'..='\u{8ff}' | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{fefc}' | '\u{10800}'..='\u{10fff}' | '\u{1e800}'..='\u{1efff}')
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
    fn check_fitted(text: &str, cells: usize, expected: &[&str]) {
        let lines = Text::plain(text).fitted(Some(cells));
        assert_eq!(lines.iter().map(Text::to_ansi).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn a_long_line_goes_on_further_in() {
        check_fitted("one two three", 40, &["one two three"]);
        check_fitted("one two three", 7, &["one two", "  three"]);
        check_fitted("one two three", 4, &["one", " two", "  th", "  re", "  e"]);
        check_fitted("  one two three", 10, &["  one two", "    three"]);
        check_fitted("交房租和水费", 5, &["交房", "  租", "  和", "  水", "  费"]);
        check_fitted("付 交房租和水费了", 11, &["付 交房租和", "  水费了"]);
        check_fitted("", 5, &[""]);
        let labelled = Text::plain("label  one two three").hanging(7);
        let lines: Vec<String> = labelled.fitted(Some(15)).iter().map(Text::to_ansi).collect();
        assert_eq!(lines, ["label  one two", "       three"]);
    }

    #[test]
    fn what_stands_side_by_side_is_parted_first() {
        check_fitted("added 12  pay rent  Thu 14 May (in 23h)", 30, &["added 12  pay rent", "  Thu 14 May (in 23h)"]);
        check_fitted("at /home/somebody/a/long/path: no", 20, &["at", "/home/somebody/a/long/path:", "  no"]);
        check_fitted("id 0192a000-0000-7000", 19, &["id", " 0192a000-0000-7000"]);
    }

    #[test]
    fn right_to_left_keeps_to_itself_on_a_terminal() {
        let mut line = Text::plain("3  ");
        line.push("שלום");
        line.push("  late");
        assert_eq!(line.to_terminal(), "3  \u{2068}שלום\u{2069}  late");
        assert_eq!(line.to_ansi(), "3  שלום  late");
        assert_eq!(line.width(), 13);
        assert_eq!(line.cut(6).to_terminal(), "3  \u{2068}של\u{2069}…");
        assert_eq!(Text::plain("ab\u{2068}").to_terminal(), "ab\u{fffd}", "a title cannot do it itself");
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
