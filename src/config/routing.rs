//! What do the tables `[[rules]]` say, and do the lists of channels name what there is?
//!
//! Never decides who is told: [`crate::domain::routing`] does, of the values that are read here.

use std::fmt;
use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::config::file::nearest;
use crate::config::value::{self, Expected};
use crate::domain::delivery::{ChannelKind, Target};
use crate::domain::routing::{Routing, Rule};
use crate::domain::task::Priority;

/// Every key that a rule may have.
const KEYS: [&str; 3] = ["tags", "priority", "channels"];

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

fn priority(value: &DeValue<'_>) -> Result<Priority, Expected> {
    match value.as_str() {
        Some("low") => Ok(Priority::Low),
        Some("normal") => Ok(Priority::Normal),
        Some("high") => Ok(Priority::High),
        _ => Err("\"low\", \"normal\" or \"high\""),
    }
}
