//! What do a caller's words and numbers mean to the rules? Wire values to domain values.

use chrono_tz::Tz;

use crate::domain;
use crate::domain::delivery::Target;
use crate::domain::occurrence::OccurrenceName;
use crate::protocol::objects::Priority;

/// Why a value of a caller means nothing.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Unusable {
    /// No such zone.
    #[error("cannot use zone {name:?}: expected an IANA name such as Europe/Berlin")]
    Zone {
        /// The name.
        name: String,
    },
    /// No such channel.
    #[error("cannot use channel {text:?}: expected desktop, terminal, or a kind with a name such as webhook:ops")]
    Channel {
        /// The text.
        text: String,
    },
    /// No such occurrence.
    #[error("cannot use occurrence {text:?}: expected KEY~GENERATION, such as 2026-05-13~1")]
    Occurrence {
        /// The text.
        text: String,
    },
    /// A tag with nothing in it, or with a space.
    #[error("cannot use tag {text:?}: expected one word")]
    Tag {
        /// The text.
        text: String,
    },
}

/// Returns the zone of a name.
///
/// # Errors
/// There is none of that name.
pub fn zone(name: &str) -> Result<Tz, Unusable> {
    name.parse().map_err(|_| Unusable::Zone { name: name.to_owned() })
}

/// Returns the target of a text: `desktop`, `terminal`, or `webhook:` with a configured name or a URL.
///
/// # Errors
/// There is no such channel, or it has no addresses.
pub fn target(text: &str) -> Result<Target, Unusable> {
    Target::parse(text).ok_or_else(|| Unusable::Channel { text: text.to_owned() })
}

/// Returns the targets of texts, sorted, each once.
///
/// # Errors
/// One is no target.
pub fn targets(texts: &[String]) -> Result<Vec<Target>, Unusable> {
    let mut targets = texts.iter().map(|text| target(text)).collect::<Result<Vec<_>, _>>()?;
    targets.sort_unstable();
    targets.dedup();
    Ok(targets)
}

/// Returns the name of an occurrence.
///
/// # Errors
/// The text is none.
pub fn occurrence(text: &str) -> Result<OccurrenceName, Unusable> {
    text.parse().map_err(|_| Unusable::Occurrence { text: text.to_owned() })
}

/// Returns the priority.
#[must_use]
pub const fn priority(priority: Priority) -> domain::task::Priority {
    match priority {
        Priority::Low => domain::task::Priority::Low,
        Priority::Normal => domain::task::Priority::Normal,
        Priority::High => domain::task::Priority::High,
    }
}

/// Returns tags without their leading `+`, sorted, each once.
///
/// # Errors
/// One is empty or has a space in it.
pub fn tags(texts: &[String]) -> Result<Vec<String>, Unusable> {
    let mut tags = texts
        .iter()
        .map(|text| {
            let tag = text.strip_prefix('+').unwrap_or(text);
            let is_word = !tag.is_empty() && !tag.contains(|c: char| c.is_whitespace() || c.is_control());
            if is_word { Ok(tag.to_owned()) } else { Err(Unusable::Tag { text: text.clone() }) }
        })
        .collect::<Result<Vec<_>, _>>()?;
    tags.sort_unstable();
    tags.dedup();
    Ok(tags)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_are_sorted_words_without_their_plus() {
        let tags = |texts: &[&str]| tags(&texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>());
        assert_eq!(tags(&["+b", "a", "b"]), Ok(vec!["a".to_owned(), "b".to_owned()]));
        assert_eq!(
            tags(&["two words"]).expect_err("no tag").to_string(),
            "cannot use tag \"two words\": expected one word"
        );
        assert!(tags(&["+"]).is_err());
    }

    #[test]
    fn what_means_nothing_is_named() {
        assert_eq!(
            zone("Mars/Olympus").expect_err("no zone").to_string(),
            "cannot use zone \"Mars/Olympus\": expected an IANA name such as Europe/Berlin"
        );
        assert_eq!(
            target("pigeon").expect_err("no channel").to_string(),
            "cannot use channel \"pigeon\": expected desktop, terminal, or a kind with a name such as webhook:ops"
        );
        assert!(occurrence("someday").is_err());
    }
}
