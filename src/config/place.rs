//! Which key of the configuration does a name such as `webhooks.ops.url_file` or `rules[0].tags` mean?
//!
//! Knows the table of keys and no file.

use std::fmt;

use crate::config::keys::{Hides, Key, SECTIONS, Section, Tables};
use crate::config::nearest::nearest;
use crate::config::target::{SOURCES, is_name};

/// A place where a value may stand.
#[derive(Clone, Debug)]
pub struct Place {
    /// The table.
    pub table: Table,
    /// What is known of the key.
    pub key: &'static Key,
    /// The key as it is written: a secret's may have an ending.
    pub name: String,
    /// A key within its value, as in `headers.X-Key`.
    pub within: Option<String>,
}

/// A table of the file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Table {
    /// The top of the file.
    Top,
    /// One of the file's own: `day_parts`.
    One(&'static str),
    /// One that a person named: `webhooks`, `ops`.
    Named(&'static str, String),
    /// One of several, from 0: `rules`, 2.
    Nth(&'static str, usize),
}

/// Why a name means no key.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("there is no key {name} in the configuration")]
pub struct NoKey {
    /// The name.
    pub name: String,
    /// What is most like it.
    pub nearest: Option<String>,
}

impl Place {
    /// Returns the place that a name means.
    ///
    /// # Errors
    /// There is no such key.
    pub fn parse(name: &str) -> Result<Self, NoKey> {
        let name = name.trim();
        let found = SECTIONS.iter().find_map(|section| Self::within_section(section, name));
        found.ok_or_else(|| NoKey { name: name.to_owned(), nearest: meant(name) })
    }

    /// Returns what stands there where nothing is said, as TOML; empty where that is nothing.
    #[must_use]
    pub fn default(&self) -> &'static str {
        if self.name == self.key.name && self.within.is_none() { self.key.default } else { "" }
    }

    /// Returns whether what stands there is not shown: a secret, or what may hold one. Where a secret is may be shown.
    #[must_use]
    pub fn is_hidden(&self) -> bool {
        match self.key.hides {
            Hides::Nothing => false,
            Hides::Value => true,
            Hides::Secret => !self.name.ends_with("_file") && !self.name.ends_with("_env"),
        }
    }

    /// Returns whether what stands there is the secret itself.
    #[must_use]
    pub fn is_secret(&self) -> bool {
        self.key.hides == Hides::Secret && self.name == self.key.name
    }

    /// Returns whether what stands there is a program with its arguments.
    #[must_use]
    pub fn is_command(&self) -> bool {
        self.name == "command" || self.name.ends_with("_command")
    }

    fn within_section(section: &'static Section, name: &str) -> Option<Self> {
        let (table, rest) = match section.tables {
            Tables::One if section.name.is_empty() => (Table::Top, name),
            Tables::One => (Table::One(section.name), name.strip_prefix(section.name)?.strip_prefix('.')?),
            Tables::Named => {
                let kind = kind(section);
                let (of, rest) = name.strip_prefix(kind)?.strip_prefix('.')?.split_once('.')?;
                (Table::Named(kind, Some(of).filter(|of| is_name(of))?.to_owned()), rest)
            }
            Tables::Listed => {
                let (index, rest) = name.strip_prefix(section.name)?.strip_prefix('[')?.split_once("].")?;
                (Table::Nth(section.name, index.parse().ok()?), rest)
            }
        };
        let (written, within) = rest.split_once('.').map_or((rest, None), |(written, within)| (written, Some(within)));
        let key = section.keys.iter().find(|key| {
            let ending = written.strip_prefix(key.name);
            let has_sources = key.hides == Hides::Secret;
            ending.is_some_and(|ending| ending.is_empty() || (has_sources && SOURCES.contains(&ending)))
        })?;
        // Only a value that is a table has something within.
        let has_within = key.example.starts_with('{');
        if within.is_some_and(|within| within.is_empty() || !has_within) {
            return None;
        }
        Some(Self { table, key, name: written.to_owned(), within: within.map(str::to_owned) })
    }
}

/// Returns the first part of the name of a section of which a person names the tables.
#[must_use]
pub fn kind(section: &Section) -> &'static str {
    section.name.split_once('.').map_or(section.name, |(kind, _)| kind)
}

/// Returns the key that was most likely meant.
fn meant(name: &str) -> Option<String> {
    let own = SECTIONS.iter().filter(|section| section.tables == Tables::One && section.name.is_empty());
    let top = own.flat_map(|section| section.keys).map(|key| key.name.to_owned());
    let tables = SECTIONS.iter().filter(|section| section.tables == Tables::One && !section.name.is_empty());
    let one = tables.flat_map(|section| section.keys.iter().map(|key| format!("{}.{}", section.name, key.name)));
    // In a table that a person named, or in one of several, only the last part can be misspelt.
    let (table, last) = name.rsplit_once('.').unwrap_or(("", name));
    let of = SECTIONS.iter().find(|section| match section.tables {
        Tables::One => false,
        Tables::Named => table.strip_prefix(kind(section)).is_some_and(|rest| rest.starts_with('.')),
        Tables::Listed => table.strip_prefix(section.name).is_some_and(|rest| rest.starts_with('[')),
    });
    match of {
        Some(section) => {
            nearest_of(last, section.keys.iter().map(|key| key.name.to_owned())).map(|key| format!("{table}.{key}"))
        }
        None => nearest_of(name, top.chain(one)),
    }
}

fn nearest_of(name: &str, known: impl Iterator<Item = String>) -> Option<String> {
    let known: Vec<String> = known.collect();
    nearest(name, known.iter().map(String::as_str)).map(str::to_owned)
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Top => Ok(()),
            Self::One(name) => f.write_str(name),
            Self::Named(kind, name) => write!(f, "{kind}.{name}"),
            Self::Nth(name, index) => write!(f, "{name}[{index}]"),
        }
    }
}

/// The name in full.
impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.table != Table::Top {
            write!(f, "{}.", self.table)?;
        }
        f.write_str(&self.name)?;
        self.within.as_ref().map_or(Ok(()), |within| write!(f, ".{within}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_means_one_key_and_is_told_as_it_was_typed() {
        for name in [
            "grace_s",
            "day_parts.night",
            "webhooks.ops.url_file",
            "webhooks.ops.headers.X-Key",
            "mail.me.password_command",
            "rules[0].tags",
            "hooks[12].command",
        ] {
            assert_eq!(Place::parse(name).expect("a key").to_string(), name);
        }
    }

    #[test]
    fn what_means_no_key_is_told_with_what_is_like_it() {
        for (name, nearest) in [
            ("grace", Some("grace_s")),
            ("log.levl", Some("log.level")),
            ("level", Some("log.level")),
            ("webhooks.ops.ulr", Some("webhooks.ops.url")),
            ("rules[0].tag", Some("rules[0].tags")),
            ("rules.tags", None),
            ("webhooks.ops", None),
            ("webhooks.a b.url", Some("webhooks.a b.url")),
            ("grace_s.x", Some("grace_s")),
            ("", None),
        ] {
            assert_eq!(Place::parse(name).expect_err("no key").nearest.as_deref(), nearest, "of {name:?}");
        }
    }

    #[test]
    fn secrets_are_hidden_and_where_they_are_is_not() {
        let hidden = |name: &str| Place::parse(name).expect("a key").is_hidden();
        assert!(hidden("webhooks.ops.url") && hidden("webhooks.ops.url_command") && hidden("hooks[0].command"));
        assert!(hidden("webhooks.ops.headers.X-Key") && hidden("webhooks.ops.body"));
        assert!(!hidden("webhooks.ops.url_file") && !hidden("mail.me.password_env") && !hidden("mail.me.host"));
    }
}
