//! Where does one word end and the next begin, and what is quoted?
//!
//! Tokens carry their byte range in the text as typed. Nothing here knows what a word means, and nothing panics on
//! any input: all cuts are at `char` boundaries.

use std::ops::Range;

/// One word, number, mark or quoted part of the text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Token {
    /// Byte range in the text as typed.
    pub(super) span: Range<usize>,
    /// The token in lower case, full-width forms folded to ASCII; a quoted token's words without the quotes.
    pub(super) word: String,
    /// What sort of token it is.
    pub(super) kind: Kind,
    /// Whether no space stands before it.
    pub(super) is_glued: bool,
    /// Whether it starts with a capital letter as typed.
    pub(super) is_capital: bool,
}

/// The sorts of token.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// Letters, with digits and apostrophes inside ("mum's", "mp3").
    Word,
    /// At most nine digits.
    Number,
    /// One character that is neither.
    Mark,
    /// A quoted part, which is never read as time.
    Quoted,
}

impl Token {
    /// Returns whether a word beside it ends there: a bracket, a quote, an emoji, a Chinese character.
    pub(super) fn is_border(&self) -> bool {
        let is_border = |c: char| is_ideograph(c) || "()[]{}<>«»\"'“”‘’!?…".contains(c);
        // An emoji or an invisible mark ends a word; an accent written apart and a dash join it.
        let is_apart = |c: char| !c.is_ascii() && !matches!(c, '\u{300}'..='\u{36F}' | '\u{2010}'..='\u{2015}' | '〜');
        self.kind == Kind::Quoted
            || self.word.chars().all(is_border)
            || self.kind == Kind::Mark && self.word.chars().all(is_apart)
    }
}

/// Cuts `text` into tokens.
pub(super) fn tokens(text: &str) -> Vec<Token> {
    let chars: Vec<(usize, char)> = text.char_indices().map(|(at, c)| (at, fold_width(c))).collect();
    let mut tokens = Vec::new();
    let mut at = 0;
    while at < chars.len() {
        if chars[at].1.is_whitespace() {
            at += 1;
            continue;
        }
        let is_glued = at > 0 && !chars[at - 1].1.is_whitespace();
        let (end, kind) = token_end(&chars, at, is_glued);
        let byte = |index: usize| chars.get(index).map_or(text.len(), |(byte, _)| *byte);
        let inner = if kind == Kind::Quoted { at + 1..end - 1 } else { at..end };
        let folded: String = chars[inner].iter().map(|(_, c)| *c).collect();
        let word = match kind {
            Kind::Word => folded.to_lowercase().replace('’', "'"),
            Kind::Number | Kind::Mark | Kind::Quoted => folded,
        };
        let is_capital = chars[at].1.is_uppercase();
        tokens.push(Token { span: byte(at)..byte(end), word, kind, is_glued, is_capital });
        at = end;
    }
    tokens
}

/// Returns where the token that starts at `start` ends, and its kind.
fn token_end(chars: &[(usize, char)], start: usize, is_glued: bool) -> (usize, Kind) {
    let first = chars[start].1;
    if let Some(end) = quote_end(chars, start, is_glued) {
        return (end, Kind::Quoted);
    }
    let run = |keep: fn(char) -> bool| chars[start..].iter().take_while(|(_, c)| keep(*c)).count() + start;
    if first.is_ascii_digit() {
        let end = run(|c| c.is_ascii_digit());
        // Longer numbers are nobody's time; as words they stay in the title and overflow nothing.
        return (end, if end - start <= 9 { Kind::Number } else { Kind::Word });
    }
    if let Some(end) = dotted_meridiem_end(chars, start) {
        return (end, Kind::Word);
    }
    if !is_letter(first) {
        return (start + 1, if is_ideograph(first) { Kind::Word } else { Kind::Mark });
    }
    // "mp3" is one word, while "2h30m" is four tokens: letters behind a digit stop at the next digit.
    let is_behind_digit = is_glued && chars[start - 1].1.is_ascii_digit();
    let mut end = start;
    while let Some((_, c)) = chars.get(end) {
        let is_inner_apostrophe =
            matches!(c, '\'' | '’') && end > start && chars.get(end + 1).is_some_and(|(_, next)| is_letter(*next));
        if !(is_letter(*c) || is_inner_apostrophe || (c.is_ascii_digit() && !is_behind_digit)) {
            break;
        }
        end += 1;
    }
    (end, Kind::Word)
}

/// Returns the end of "p.m." or "a.m." at `start`.
fn dotted_meridiem_end(chars: &[(usize, char)], start: usize) -> Option<usize> {
    let at = |offset: usize| chars.get(start + offset).map(|(_, c)| c.to_ascii_lowercase());
    let is_dotted = matches!(at(0), Some('a' | 'p')) && at(1) == Some('.') && at(2) == Some('m');
    let is_whole = !at(3).is_some_and(is_letter);
    let is_start = start == 0 || !is_letter(chars[start - 1].1);
    (is_dotted && is_whole && is_start).then(|| if at(3) == Some('.') { start + 4 } else { start + 3 })
}

/// Returns the end of the quoted part that starts at `start`.
///
/// A single quote opens only at a word's start and closes only at a word's end, so that apostrophes stay letters.
fn quote_end(chars: &[(usize, char)], start: usize, is_glued: bool) -> Option<usize> {
    let close = match chars[start].1 {
        '"' => '"',
        '“' => '”',
        '‘' => '’',
        '「' => '」',
        '『' => '』',
        '《' => '》',
        '\'' if !is_glued => '\'',
        _ => return None,
    };
    let ends = |index: usize| {
        chars[index].1 == close
            && (!matches!(close, '\'' | '’') || !chars.get(index + 1).is_some_and(|(_, next)| is_letter(*next)))
    };
    (start + 1..chars.len()).find(|index| ends(*index)).map(|index| index + 1).filter(|end| end - start > 2)
}

/// Returns whether `c` is part of a word of an alphabet; ideographs stand for themselves.
fn is_letter(c: char) -> bool {
    c.is_alphabetic() && !is_ideograph(c)
}

/// Returns whether `c` is a Chinese character.
pub(super) fn is_ideograph(c: char) -> bool {
    matches!(c, '〇' | '\u{3400}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}' | '\u{20000}'..='\u{3FFFF}')
}

/// Folds full-width ASCII to ASCII.
fn fold_width(c: char) -> char {
    match c {
        '\u{FF01}'..='\u{FF5E}' => char::from_u32(u32::from(c) - 0xFEE0).unwrap_or(c),
        '\u{3000}' => ' ',
        '。' => '.',
        '、' => ',',
        _ => c,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        let found: Vec<String> = tokens(text).into_iter().map(|token| token.word).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn digits_and_units_are_cut_apart_but_words_with_digits_are_not() {
        check("2h30m", &["2", "h", "30", "m"]);
        check("buy mp3 player", &["buy", "mp3", "player"]);
        check("9:30pm", &["9", ":", "30", "pm"]);
        check("5:30 p.m. pills", &["5", ":", "30", "p.m.", "pills"]);
        check("June 3rd", &["june", "3", "rd"]);
    }

    #[test]
    fn apostrophes_stay_in_words_and_quotes_enclose_them() {
        check("mum's birthday", &["mum's", "birthday"]);
        check("'read 1984' at 8", &["read 1984", "at", "8"]);
        check("say “at 9” now", &["say", "at 9", "now"]);
        check("dogs' food", &["dogs", "'", "food"]);
    }

    #[test]
    fn full_width_forms_are_folded_and_spans_stay_those_of_the_text() {
        let found = tokens("１７：３０ 开会");
        assert_eq!(found.iter().map(|token| token.word.as_str()).collect::<Vec<_>>(), ["17", ":", "30", "开", "会"]);
        assert_eq!(found[0].span, 0..6);
    }

    #[test]
    fn a_number_too_long_for_any_time_is_a_word() {
        assert_eq!(tokens("12345678901234567890")[0].kind, Kind::Word);
    }
}
