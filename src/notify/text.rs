//! How is a person's text made fit for a popup or a terminal?
//!
//! Text comes from people, programs and other devices. What leaves here holds no character that moves a cursor,
//! colours, rings, hides or turns around what follows. It never decides what is said, only in which characters.

use unicode_segmentation::UnicodeSegmentation;

/// Returns `text` on one line: each run of white space and control characters is one space, none at the ends.
#[must_use]
pub(crate) fn line(text: &str) -> String {
    let spaced: String = text.chars().map(|c| if is_unsafe(c) { ' ' } else { c }).collect();
    spaced.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns `text` with its lines kept, each made fit by [`line`], without empty ones at the ends.
#[must_use]
pub(crate) fn lines(text: &str) -> String {
    let fit: Vec<String> = text.lines().map(line).collect();
    fit.join("\n").trim_matches('\n').to_owned()
}

/// Returns `text` cut to at most `bytes_max` bytes between two clusters, with `…` where something is missing.
#[must_use]
pub(crate) fn cut(text: &str, bytes_max: usize) -> String {
    const MARK: &str = "…";
    if text.len() <= bytes_max {
        return text.to_owned();
    }
    let room = bytes_max.saturating_sub(MARK.len());
    let kept = text
        .grapheme_indices(true)
        .map(|(start, cluster)| start + cluster.len())
        .take_while(|end| *end <= room)
        .last()
        .unwrap_or(0);
    format!("{}{MARK}", &text[..kept])
}

/// Control characters (C0, DEL, C1), line separators, and the format characters that turn text around.
///
/// Joiners, variation selectors and tags stay: emoji and several scripts are written with them.
const fn is_unsafe(c: char) -> bool {
    matches!(c,
        '\u{0}'..='\u{1f}' | '\u{7f}'..='\u{9f}'
        | '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
        | '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_never_pass() {
        assert_eq!(line("a\u{1b}[31mred\u{7}\u{9b}2J\r\nb\0"), "a [31mred 2J b");
        assert_eq!(line("\u{202e}evil\u{2066} \u{2028}x\t\ty"), "evil x y");
        assert_eq!(line("\u{1b}\u{85}\n"), "");
        assert!((0..=0x10_ffff).filter_map(char::from_u32).all(|c| !line(&c.to_string()).contains(char::is_control)));
    }

    #[test]
    fn scripts_and_emoji_pass_whole() {
        for text in ["交房租", "👨‍👩‍👧 party", "e\u{301}tude", "❤\u{fe0f}", "می‌خواهم", "🏴\u{e0067}\u{e0062}\u{e007f}"]
        {
            assert_eq!(line(text), text);
        }
    }

    #[test]
    fn lines_are_kept_where_they_are_wanted() {
        assert_eq!(lines("\ndue 16:00\r\nbring\tmilk\n\nand eggs\u{1b}\n"), "due 16:00\nbring milk\n\nand eggs");
    }

    #[test]
    fn a_cut_never_splits_a_cluster() {
        assert_eq!(cut("short", 5), "short");
        assert_eq!(cut("longer", 5), "lo…");
        assert_eq!(cut("a👨‍👩‍👧b", 12), "a…");
        assert_eq!(cut("交房租了", 10), "交房…");
        assert_eq!(cut("交", 2), "…");
    }
}
