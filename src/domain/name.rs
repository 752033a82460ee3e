//! How people name a task: by number, by the beginning of its id, or by words of its title.

use crate::domain::task::Number;

/// The shortest id prefix that names a task; a shorter one could be a number.
pub const ID_PREFIX_MIN: usize = 8;

/// What somebody typed to name a task.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TaskName {
    /// Its number.
    Number(Number),
    /// The beginning of its id: eight or more hexadecimal digits, lower case, without hyphens.
    IdPrefix(String),
    /// Words of its title, lower case, at least one.
    Words(Vec<String>),
}

impl TaskName {
    /// Reads a name; `None` where there is nothing to read.
    ///
    /// Full-width digits count as digits. Digits alone are a number, never an id prefix.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let text: String = text.trim().chars().map(to_ascii_digit).collect();
        let digits = text.strip_prefix('#').unwrap_or(&text);
        if !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()) {
            // A number too long for the counter names no task; as words it would only confuse.
            return Some(Self::Number(Number(digits.parse().unwrap_or(u64::MAX))));
        }
        let hex: String = text.chars().filter(|c| *c != '-').collect::<String>().to_lowercase();
        if hex.len() >= ID_PREFIX_MIN && hex.len() <= 32 && hex.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Some(Self::IdPrefix(hex));
        }
        let words: Vec<String> = text.split_whitespace().map(str::to_lowercase).collect();
        (!words.is_empty()).then_some(Self::Words(words))
    }

    /// Returns how well a title fits, case ignored; `None` where a word does not stand in it. Only for
    /// [`TaskName::Words`].
    #[must_use]
    pub fn fit(&self, title: &str) -> Option<Fit> {
        let Self::Words(words) = self else { return None };
        let title = title.to_lowercase();
        if title.split_whitespace().eq(words.iter().map(String::as_str)) {
            return Some(Fit::Title);
        }
        if !words.iter().all(|word| title.contains(word)) {
            return None;
        }
        Some(if words.iter().all(|word| has_whole(&title, word)) { Fit::Words } else { Fit::Parts })
    }
}

/// How well words name a title; the best first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Fit {
    /// They are the title.
    Title,
    /// They are words of it.
    Words,
    /// They are parts of words.
    Parts,
}

/// Returns whether `word` stands in `title` with no letter or digit beside it.
fn has_whole(title: &str, word: &str) -> bool {
    title.match_indices(word).any(|(at, found)| {
        let is_edge = |beside: Option<char>| !beside.is_some_and(char::is_alphanumeric);
        is_edge(title[..at].chars().next_back()) && is_edge(title[at + found.len()..].chars().next())
    })
}

fn to_ascii_digit(c: char) -> char {
    match c {
        '０'..='９' => char::from_digit(u32::from(c) - u32::from('０'), 10).unwrap_or(c),
        _ => c,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_told_apart() {
        let words = |words: &[&str]| TaskName::Words(words.iter().map(|w| (*w).to_owned()).collect());
        assert_eq!(TaskName::parse("12"), Some(TaskName::Number(Number(12))));
        assert_eq!(TaskName::parse("１２"), Some(TaskName::Number(Number(12))));
        assert_eq!(TaskName::parse("#7"), Some(TaskName::Number(Number(7))));
        assert_eq!(TaskName::parse("12345678"), Some(TaskName::Number(Number(12_345_678))));
        assert_eq!(TaskName::parse("0190aBcd-12"), Some(TaskName::IdPrefix("0190abcd12".into())));
        assert_eq!(TaskName::parse("Pay Rent"), Some(words(&["pay", "rent"])));
        assert_eq!(TaskName::parse("abcdef"), Some(words(&["abcdef"])));
        assert_eq!(TaskName::parse("99999999999999999999999"), Some(TaskName::Number(Number(u64::MAX))));
        assert_eq!(TaskName::parse("  "), None);
    }
}
