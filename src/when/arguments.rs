//! Which of the words typed at the shell are title, and which are a sentence?

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
            let others: Vec<&str> =
                words.iter().enumerate().filter(|(index, _)| *index != at).map(|(_, word)| word.as_str()).collect();
            Arguments::Titled { title: words[at].trim().to_owned(), phrase: others.join(" ") }
        }
        Some(_) | None => Arguments::Sentence(words.join(" ")),
    }
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
}
