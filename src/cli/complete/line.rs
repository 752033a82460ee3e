//! Which words stand on a line that is not finished? As bash takes them apart: quotes, backslashes, blanks.
//!
//! Expands nothing: a `$` is a letter.

/// Returns the words of a line; the last one is the one at its end, empty where that is a blank.
pub(super) fn words(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quote: Option<char> = None;
    let mut letters = line.chars().peekable();
    let mut is_begun = false;
    while let Some(letter) = letters.next() {
        let word = words.last_mut().expect("there is one from the start");
        match (quote, letter) {
            (Some(open), _) if letter == open => quote = None,
            (Some('"'), '\\') if letters.peek().is_some_and(|next| matches!(next, '"' | '\\' | '$' | '`')) => {
                word.extend(letters.next());
            }
            (Some(_), _) => word.push(letter),
            (None, '\'' | '"') => (quote, is_begun) = (Some(letter), true),
            (None, '\\') => {
                word.extend(letters.next());
                is_begun = true;
            }
            (None, ' ' | '\t' | '\n') => {
                if is_begun {
                    words.push(String::new());
                }
                is_begun = false;
            }
            (None, _) => {
                word.push(letter);
                is_begun = true;
            }
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_taken_apart_as_bash_does() {
        let check = |line: &str, expected: &[&str]| assert_eq!(words(line), expected, "{line:?}");
        check("keiko done ", &["keiko", "done", ""]);
        check("keiko  done 1", &["keiko", "done", "1"]);
        check(r#"keiko add "pay the rent" --via webhook:o"#, &["keiko", "add", "pay the rent", "--via", "webhook:o"]);
        check(r#"keiko add "it's \"so\"" b"#, &["keiko", "add", "it's \"so\"", "b"]);
        check("keiko add 'not fin", &["keiko", "add", "not fin"]);
        check(r"keiko add a\ b '' c", &["keiko", "add", "a b", "", "c"]);
        check("keiko add $(touch x) `id`", &["keiko", "add", "$(touch", "x)", "`id`"]);
        check("", &[""]);
    }
}
