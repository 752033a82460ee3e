//! What stands behind a key, as a value that can be shown: on one line, and without what may be a key to something.
//!
//! Never decides which values are secrets; see [`crate::config::place`].

use std::collections::BTreeMap;
use std::fmt::{self, Write as _};

use serde::Serialize;
use toml::de::{DeTable, DeValue};

/// How targets begin that are addresses themselves.
const ADDRESS: &str = "webhook:http";

/// A value.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(untagged)]
pub enum Literal {
    /// A text.
    Text(String),
    /// A whole number.
    Number(i64),
    /// True or false.
    Truth(bool),
    /// Several.
    List(Vec<Self>),
    /// Each with a name.
    Table(BTreeMap<String, Self>),
}

impl Literal {
    /// Returns a value that was read; what no key takes, such as a date, is its text.
    #[must_use]
    pub fn of(value: &DeValue<'_>) -> Self {
        match value {
            DeValue::String(text) => Self::Text(without_path(text)),
            DeValue::Integer(number) => i64::from_str_radix(number.as_str(), number.radix())
                .map_or_else(|_| Self::Text(number.as_str().to_owned()), Self::Number),
            DeValue::Float(number) => Self::Text(number.as_str().to_owned()),
            DeValue::Boolean(truth) => Self::Truth(*truth),
            DeValue::Datetime(date) => Self::Text(date.to_string()),
            DeValue::Array(values) => Self::List(values.iter().map(|value| Self::of(value.get_ref())).collect()),
            DeValue::Table(table) => {
                let each = table.iter().map(|(key, value)| (key.get_ref().to_string(), Self::of(value.get_ref())));
                Self::Table(each.collect())
            }
        }
    }

    /// Returns the value that a piece of TOML says; `None` where it says none.
    #[must_use]
    pub fn parse(toml: &str) -> Option<Self> {
        let text = format!("value = {toml}");
        let document = DeTable::parse(&text).ok()?;
        (document.get_ref().len() == 1)
            .then(|| document.get_ref().get("value").map(|value| Self::of(value.get_ref())))?
    }

    /// Returns it as people read it: a text without quotes, all else as TOML.
    #[must_use]
    pub fn plain(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Number(_) | Self::Truth(_) | Self::List(_) | Self::Table(_) => self.to_string(),
        }
    }
}

/// As TOML, on one line.
impl fmt::Display for Literal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => f.write_str(&quoted(text)),
            Self::Number(number) => write!(f, "{number}"),
            Self::Truth(truth) => write!(f, "{truth}"),
            Self::List(values) => {
                let each: Vec<String> = values.iter().map(ToString::to_string).collect();
                write!(f, "[{}]", each.join(", "))
            }
            Self::Table(values) => {
                let each: Vec<String> = values.iter().map(|(key, value)| format!("{} = {value}", bare(key))).collect();
                write!(f, "{{ {} }}", each.join(", "))
            }
        }
    }
}

fn bare(key: &str) -> String {
    let is_bare = !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte));
    if is_bare { key.to_owned() } else { quoted(key) }
}

/// Returns a text between double quotes, with all that a line cannot hold escaped.
fn quoted(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for c in text.chars() {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\t' => quoted.push_str("\\t"),
            c if c.is_control() => {
                // Writing to a String cannot fail.
                let _ = write!(quoted, "\\u{:04X}", u32::from(c));
            }
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

/// Returns a target that is an address with its server alone: the rest is often the whole key to it.
fn without_path(text: &str) -> String {
    let path = text.strip_prefix(ADDRESS).and_then(|rest| {
        let server = rest.find("://")? + 3;
        let end = server + rest[server..].find(['/', '?', '#'])?;
        (rest.len() > end + 1).then_some(ADDRESS.len() + end)
    });
    path.map_or_else(|| text.to_owned(), |end| format!("{}/…", &text[..end]))
}

/// Returns the words of a command: divided by spaces, with quotes around what has some; `None` where there are none, or a
/// quote has no other half. No shell reads them.
#[must_use]
pub fn words(text: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    for letter in text.chars() {
        match quote {
            Some(open) if open == letter => quote = None,
            Some(_) => word.get_or_insert_default().push(letter),
            None if letter == '"' || letter == '\'' => {
                quote = Some(letter);
                word.get_or_insert_default();
            }
            None if letter.is_whitespace() => words.extend(word.take()),
            None => word.get_or_insert_default().push(letter),
        }
    }
    words.extend(word);
    (quote.is_none() && words.first().is_some_and(|program| !program.is_empty())).then_some(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(toml: &str, expected: &str) {
        assert_eq!(Literal::parse(toml).expect("a value").to_string(), expected);
    }

    #[test]
    fn a_value_is_told_on_one_line() {
        check("'a \"b\" \\'", "\"a \\\"b\\\" \\\\\"");
        check("\"\"\"\na\nb\u{7}\"\"\"".replace('\u{7}', "\\u0007").as_str(), "\"a\\nb\\u0007\"");
        check("[ 'a', # one\n 0x10, true ]", "[\"a\", 16, true]");
        check("{ pointer = '/x', 'a b' = 0 }", "{ \"a b\" = 0, pointer = \"/x\" }");
        assert_eq!(Literal::parse("1\nother = 2"), None);
        assert_eq!(Literal::parse("plain words"), None);
        assert_eq!(Literal::parse("'10m'").expect("a text").plain(), "10m");
    }

    #[test]
    fn of_an_address_only_the_server_is_told() {
        check("['webhook:https://x.org:8/a?token=hunter2', 'desktop']", "[\"webhook:https://x.org:8/…\", \"desktop\"]");
        check("'webhook:http://x.org/'", "\"webhook:http://x.org/\"");
        check("'webhook:http://x.org?hunter2'", "\"webhook:http://x.org/…\"");
        check("'webhook:ops'", "\"webhook:ops\"");
    }
}
