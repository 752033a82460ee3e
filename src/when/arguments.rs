//! Which of the words typed at the shell are title, and which are a sentence?

use crate::when::lexicon::{Meaning, lexemes};
use crate::when::token::tokens;

/// The words of a command line, sorted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Arguments {
    /// A sentence: time and title mixed.
    Sentence(String),
    /// A title word for word, and the time phrase beside it.
    Titled {
        /// The title.
        title: String,
        /// The other arguments, joined.
        phrase: String,
    },
}

/// Sorts command line arguments (SPEC 5): one is a sentence; among several, the first with a space in it was quoted, and
/// is the title; otherwise all together are a sentence.
#[must_use]
pub fn from_arguments(words: &[String]) -> Arguments {
    let quoted = words.iter().position(|word| word.trim().contains(char::is_whitespace));
    match quoted {
        Some(at) if words.len() > 1 => {
            let (before, behind) = (&words[..at], &words[at + 1..]);
            let before = match before {
                // "in 10 minutes to 'call Bob'": what leads to the title is no part of the time.
                [time @ .., joint] if leads(joint) => time,
                all => all,
            };
            let phrase = [before, behind].concat().join(" ");
            Arguments::Titled { title: words[at].trim().to_owned(), phrase }
        }
        Some(_) | None => Arguments::Sentence(words.join(" ")),
    }
}

/// Returns whether a word only leads to the title: "to", "about".
fn leads(word: &str) -> bool {
    matches!(&*lexemes(&tokens(word)), [only] if only.meanings.contains(&Meaning::LeadEnd))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(words: &[&str], expected: &Arguments) {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        assert_eq!(from_arguments(&words), *expected);
    }

    #[test]
    fn one_argument_or_plain_words_are_a_sentence() {
        check(&["call mum at 5"], &Arguments::Sentence("call mum at 5".into()));
        check(&["call", "mum", "at", "5"], &Arguments::Sentence("call mum at 5".into()));
        check(&[], &Arguments::Sentence(String::new()));
    }

    #[test]
    fn among_several_the_quoted_one_is_the_title() {
        let expected = Arguments::Titled { title: "standup at 9".into(), phrase: "tomorrow 9:30".into() };
        check(&["standup at 9", "tomorrow", "9:30"], &expected);
        check(&["tomorrow", "standup at 9", "9:30"], &expected);
    }

    #[test]
    fn the_word_that_leads_to_a_quoted_title_is_no_part_of_the_time() {
        let expected = Arguments::Titled { title: "call Bob".into(), phrase: "in 10 minutes".into() };
        check(&["in", "10", "minutes", "to", "call Bob"], &expected);
        check(&["in 10", "minutes"], &Arguments::Titled { title: "in 10".into(), phrase: "minutes".into() });
        let expected = Arguments::Titled { title: "call Bob".into(), phrase: "from 9 to 5".into() };
        check(&["call Bob", "from", "9", "to", "5"], &expected);
    }
}
