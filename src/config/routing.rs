//! What do the tables `[[rules]]` say, and do the lists of channels name what there is?
//!
//! Never decides who is told: [`crate::domain::routing`] does, of the values that are read here.

use std::fmt;
use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::config::nearest::nearest;
use crate::config::value::{self, Expected};
use crate::domain::delivery::{ChannelKind, Target};
use crate::domain::routing::{Routing, Rule};
use crate::domain::task::Priority;

/// Every key that a rule may have.
pub(super) const KEYS: [&str; 3] = ["tags", "priority", "channels"];

/// The rules that were read, and what is wrong with the others.
#[derive(Default)]
pub(super) struct Read {
    pub(super) rules: Vec<Rule>,
    /// Each bad value: its key in full, what would have been accepted, and where it stands.
    pub(super) bad: Vec<(String, Expected, Range<usize>)>,
    /// Each key that nobody knows, with the one that is most like it.
    pub(super) unknown: Vec<(String, Option<&'static str>, Range<usize>)>,
}

/// A list of channels.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Place {
    Channels,
    Fallback,
    Always,
    /// The rule with this place among them, from 0.
    Rule(usize),
}

impl Place {
    /// Returns what stands there.
    pub(super) fn targets(self, routing: &Routing) -> &[Target] {
        match self {
            Self::Channels => &routing.channels,
            Self::Fallback => &routing.fallback,
            Self::Always => &routing.always,
            Self::Rule(index) => routing.rules.get(index).map_or(&[], |rule| &rule.channels),
        }
    }
}

/// The key in full.
impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Channels => f.write_str("channels"),
            Self::Fallback => f.write_str("fallback"),
            Self::Always => f.write_str("always"),
            Self::Rule(index) => write!(f, "rules[{index}].channels"),
        }
    }
}

/// Returns the lists of channels of a document, with the places of their values.
pub(super) fn places(document: &DeTable<'_>) -> Vec<(Place, Range<usize>)> {
    let at_top = [(Place::Channels, "channels"), (Place::Fallback, "fallback"), (Place::Always, "always")];
    let mut places: Vec<(Place, Range<usize>)> =
        at_top.into_iter().filter_map(|(place, key)| document.get(key).map(|value| (place, value.span()))).collect();
    let rules = document.get("rules").and_then(|rules| rules.get_ref().as_array());
    let channels = |rule: &Spanned<DeValue<'_>>| rule.get_ref().as_table()?.get("channels").map(Spanned::span);
    let spans = rules.into_iter().flat_map(|rules| rules.iter()).map(channels).enumerate();
    places.extend(spans.filter_map(|(index, span)| Some((Place::Rule(index), span?))));
    places
}

/// Returns whether a target is to be configured and is not.
pub(super) fn is_missing(target: &Target, named: &[Target]) -> bool {
    let is_url = target.kind == ChannelKind::Webhook && target.address.contains("://");
    target.kind.has_addresses() && !is_url && !named.contains(target)
}

/// Reads the rules.
pub(super) fn rules(value: &Spanned<DeValue<'_>>) -> Read {
    let mut read = Read::default();
    let Some(rules) = value.get_ref().as_array() else {
        read.bad.push(("rules".to_owned(), "a table for each, such as [[rules]]", value.span()));
        return read;
    };
    for (index, rule) in rules.iter().enumerate() {
        match rule.get_ref().as_table() {
            Some(table) => read.rule(index, table, &rule.span()),
            None => read.bad.push((format!("rules[{index}]"), "a table", rule.span())),
        }
    }
    read
}

impl Read {
    fn rule(&mut self, index: usize, table: &DeTable<'_>, span: &Range<usize>) {
        let mut rule = Rule { tags: Vec::new(), priority: None, channels: Vec::new() };
        let bad_before = self.bad.len();
        for (key, value) in table {
            let name = format!("rules[{index}].{}", key.get_ref());
            let set = match key.get_ref().as_ref() {
                "tags" => value::tags(value.get_ref()).map(|tags| rule.tags = tags),
                "priority" => priority(value.get_ref()).map(|priority| rule.priority = Some(priority)),
                "channels" => value::channels(value.get_ref()).map(|channels| rule.channels = channels),
                unknown => {
                    self.unknown.push((name, nearest(unknown, KEYS.into_iter()), key.span()));
                    continue;
                }
            };
            if let Err(expected) = set {
                self.bad.push((name, expected, value.span()));
            }
        }
        if self.bad.len() == bad_before {
            let lacks = if rule.channels.is_empty() {
                Some("channels, one at least")
            } else if rule.tags.is_empty() && rule.priority.is_none() {
                Some("tags, a priority, or both")
            } else {
                None
            };
            self.bad.extend(lacks.map(|lacks| (format!("rules[{index}]"), lacks, span.clone())));
        }
        self.rules.push(rule);
    }
}

/// Reads a priority.
pub(super) fn priority(value: &DeValue<'_>) -> Result<Priority, Expected> {
    let named = |text: &str| Priority::ALL.into_iter().find(|priority| priority.as_str() == text);
    value.as_str().and_then(named).ok_or("\"low\", \"normal\" or \"high\"")
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::config::Config;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let told = match Config::parse(Path::new("config.toml"), text) {
            Ok((config, warnings)) => {
                assert_eq!(config.routing.rules.len(), text.matches("[[rules]]").count());
                warnings.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
            }
            Err(error) => error.to_string(),
        };
        assert_eq!(told, expected, "of {text:?}");
    }

    #[test]
    fn rules_and_lists_are_read() {
        let text = "fallback = ['terminal', 'desktop']\nalways = ['webhook:https://x/']\n\
                    [[rules]]\ntags = '+med'\nchannels = ['desktop']\n\
                    [[rules]]\npriority = 'high'\ntags = ['a', '+b']\nchannels = ['ntfy:phone', 'terminal']\n\
                    [ntfy.phone]\nurl_env = 'TOPIC'\n";
        let (config, warnings) = Config::parse(Path::new("config.toml"), text).expect("it is good");
        let targets = |text: &str| -> Vec<Target> {
            text.split(' ').map(|name| Target::parse(name).expect("a target of the test's own")).collect()
        };
        let rule = |tags: &[&str], priority, channels| Rule {
            tags: tags.iter().map(|tag| (*tag).to_owned()).collect(),
            priority,
            channels: targets(channels),
        };
        let expected = Routing {
            channels: Vec::new(),
            rules: vec![
                rule(&["med"], None, "desktop"),
                rule(&["a", "b"], Some(Priority::High), "ntfy:phone terminal"),
            ],
            fallback: targets("terminal desktop"),
            always: targets("webhook:https://x/"),
        };
        assert_eq!((config.routing, warnings), (expected, Vec::new()));
    }

    #[test]
    fn what_cannot_be_used_is_told_with_its_place() {
        check(
            "[[rules]]\ntags = ['a']\nchanels = ['desktop']\nchannels = ['desktop']\n",
            "config.toml:3:1: passed over the unknown key rules[0].chanels, did you mean channels?",
        );
        check(
            "[[rules]]\nchannels = ['desktop']\n",
            "config.toml:1:1: cannot use rules[0] = [[rules]]: expected tags, a priority, or both",
        );
        check(
            "[[rules]]\ntags = ['a']\n",
            "config.toml:1:1: cannot use rules[0] = [[rules]]: expected channels, one at least",
        );
        check(
            "[[rules]]\npriority = 'urgent'\nchannels = ['desktop']\n",
            "config.toml:2:12: cannot use rules[0].priority = 'urgent': expected \"low\", \"normal\" or \"high\"",
        );
        check(
            "fallback = ['mail:me']\n[[rules]]\ntags = ['a']\nchannels = ['webhook:ops']\n",
            "config.toml:1:12: cannot use fallback = ['mail:me']: expected each webhook:NAME to have a table \
             [webhooks.NAME], each other KIND:NAME one [KIND.NAME]\n\
             config.toml:4:12: cannot use rules[0].channels = ['webhook:ops']: expected each webhook:NAME to have a table \
             [webhooks.NAME], each other KIND:NAME one [KIND.NAME]",
        );
        check("rules = 3\n", "config.toml:1:9: cannot use rules = 3: expected a table for each, such as [[rules]]");
    }
}
