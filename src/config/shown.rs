//! What holds of each key, and where does it come from? For `config show` and `config get`; secrets are in no answer.
//!
//! Never decides whether a value is good: the readers do.

use std::path::Path;

use toml::de::{DeTable, DeValue};

use crate::config::file::{Position, position, without_mark};
use crate::config::keys::{Key, SECTIONS, Section, Tables};
use crate::config::literal::Literal;
use crate::config::place::{Place, Table, kind};

/// The variable that stands above `log.level`.
pub const LOG_VARIABLE: &str = "KEIKO_LOG";

/// The key that it stands above.
const LOG_LEVEL: &str = "log.level";

/// A key with what holds.
#[derive(Clone, PartialEq, Debug)]
pub struct Shown {
    /// The key in full.
    pub key: String,
    /// What holds; `None` where that is nothing, or is not shown.
    pub value: Option<Literal>,
    /// Whether it is not shown, since it may be a secret.
    pub is_hidden: bool,
    /// Where it comes from.
    pub origin: Origin,
}

/// Where a value comes from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Origin {
    /// Nobody says anything.
    Default,
    /// The configuration file.
    File(Position),
    /// A variable of the environment.
    Environment(&'static str),
}

/// Returns every key that holds: those of the file's own tables, and those of each table that somebody made.
///
/// `text` is a file that can be read; `variable` tells what the environment says.
#[must_use]
pub fn all(text: &str, variable: impl Fn(&str) -> Option<String>) -> Vec<Shown> {
    let text = without_mark(text);
    let Ok(document) = DeTable::parse(text) else { return Vec::new() };
    let mut shown = Vec::new();
    for section in SECTIONS {
        match section.tables {
            Tables::One => {
                let table = document.get_ref().get(section.name).and_then(|table| table.get_ref().as_table());
                let table = if section.name.is_empty() { Some(document.get_ref()) } else { table };
                let of = if section.name.is_empty() { Table::Top } else { Table::One(section.name) };
                shown.extend(of_table(section, &of, table, text));
            }
            Tables::Named => {
                let tables = document.get_ref().get(kind(section)).and_then(|tables| tables.get_ref().as_table());
                for (name, table) in tables.into_iter().flatten() {
                    let of = Table::Named(kind(section), name.get_ref().to_string());
                    shown.extend(of_table(section, &of, table.get_ref().as_table(), text));
                }
            }
            Tables::Listed => {
                let tables = document.get_ref().get(section.name).and_then(|tables| tables.get_ref().as_array());
                for (index, table) in tables.into_iter().flat_map(|tables| tables.iter()).enumerate() {
                    let of = Table::Nth(section.name, index);
                    shown.extend(of_table(section, &of, table.get_ref().as_table(), text));
                }
            }
        }
    }
    if let Some(level) = variable(LOG_VARIABLE).filter(|level| !level.trim().is_empty())
        && let Some(log) = shown.iter_mut().find(|shown| shown.key == LOG_LEVEL)
    {
        log.value = Some(Literal::Text(level));
        log.origin = Origin::Environment(LOG_VARIABLE);
    }
    shown
}

/// Returns what holds of one key; `None` where its table is not there.
#[must_use]
pub fn one(text: &str, place: &Place, variable: impl Fn(&str) -> Option<String>) -> Option<Shown> {
    let wanted = place.to_string();
    let all = all(text, variable);
    if let Some(found) = all.iter().find(|shown| shown.key == wanted) {
        return Some(found.clone());
    }
    // A table of texts is said by what stands in it, which is told text by text.
    let inner = format!("{wanted}.");
    if let Some(first) = all.iter().find(|shown| shown.origin != Origin::Default && shown.key.starts_with(&inner)) {
        return Some(Shown { key: wanted, value: None, ..first.clone() });
    }
    let has_table = match &place.table {
        Table::Top | Table::One(_) => true,
        Table::Named(..) | Table::Nth(..) => {
            all.iter().any(|shown| shown.key.starts_with(&format!("{}.", place.table)))
        }
    };
    has_table.then(|| unset(&place.table, &place.name, place.default(), place.is_hidden()))
}

/// Returns each key of a table: those that are said where they are said, and those that are not.
fn of_table(section: &Section, of: &Table, table: Option<&DeTable<'_>>, text: &str) -> Vec<Shown> {
    let mut shown = Vec::new();
    for key in section.keys {
        let said = said(key, of, table, text);
        if said.is_empty() {
            // Of a table that somebody made only what holds is told: most keys say nothing where they are not there.
            if section.tables == Tables::One || !key.default.is_empty() {
                shown.push(unset(of, key.name, key.default, false));
            }
        } else {
            shown.extend(said);
        }
    }
    shown
}

/// Returns where a key is said in a table: a secret's by one of its names, and a table of texts text by text.
fn said(key: &Key, of: &Table, table: Option<&DeTable<'_>>, text: &str) -> Vec<Shown> {
    let mut shown = Vec::new();
    for (name, value) in table.into_iter().flatten() {
        let full = if *of == Table::Top { name.get_ref().to_string() } else { format!("{of}.{}", name.get_ref()) };
        let Ok(place) = Place::parse(&full) else { continue };
        if place.key.name != key.name || place.table != *of {
            continue;
        }
        let mut push = |name: String, value: &toml::Spanned<DeValue<'_>>| {
            let is_hidden = place.is_hidden();
            let literal = (!is_hidden).then(|| Literal::of(value.get_ref()));
            let origin = Origin::File(position(text, value.span().start));
            shown.push(Shown { key: name, value: literal, is_hidden, origin });
        };
        match value.get_ref().as_table() {
            Some(inner) if place.is_hidden() => {
                for (name, value) in inner {
                    push(format!("{full}.{}", name.get_ref()), value);
                }
            }
            Some(_) | None => push(full, value),
        }
    }
    shown
}

fn unset(of: &Table, name: &str, default: &str, is_hidden: bool) -> Shown {
    let key = if *of == Table::Top { name.to_owned() } else { format!("{of}.{name}") };
    Shown { key, value: Literal::parse(default), is_hidden, origin: Origin::Default }
}

/// Returns `FILE:LINE:COLUMN`, the variable, or `default`.
#[must_use]
pub fn told(origin: &Origin, path: &Path) -> String {
    match origin {
        Origin::Default => "default".to_owned(),
        Origin::File(at) => format!("{}:{}", path.display(), at.line),
        Origin::Environment(variable) => format!("environment {variable}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told_all(text: &str, level: Option<&str>) -> String {
        let shown = all(text, |_| level.map(str::to_owned));
        let line = |each: &Shown| {
            let value = match (&each.value, each.is_hidden) {
                (_, true) => "(not shown)".to_owned(),
                (Some(value), false) => value.to_string(),
                (None, false) => "-".to_owned(),
            };
            format!("{} = {value}  {}\n", each.key, told(&each.origin, Path::new("config.toml")))
        };
        shown.iter().map(line).collect()
    }

    #[test]
    fn each_key_is_told_with_where_it_comes_from() {
        let text = "\u{feff}dialect = 'uk'\nday_parts.night = '22:00'\nchannels = ['webhook:https://x/hunter2']\n\
                    [webhooks.ops]\nurl = 'https://hunter2'\nheaders.X-Key = 'hunter2'\nurll = 'hunter2'\n\
                    [mail.me]\nhost = 'h'\nfrom = 'a@x'\nto = 'b@x'\npassword_env = 'MAIL'\n\
                    [[rules]]\ntags = ['a']\nchannels = ['desktop']\n[[hooks]]\non = 'all'\ncommand = ['x', 'hunter2']\n";
        insta::assert_snapshot!(told_all(text, Some("debug")), @r#"
        grace_s = 30  default
        dialect = "uk"  config.toml:1
        date_only_hour = "09:00"  default
        snooze_default = "10m"  default
        snooze_choices = ["10m", "1h"]  default
        channels = ["webhook:https://x/…"]  config.toml:3
        fallback = []  default
        always = []  default
        day_parts.morning = "09:00"  default
        day_parts.afternoon = "15:00"  default
        day_parts.evening = "19:00"  default
        day_parts.tonight = "20:00"  default
        day_parts.night = "22:00"  config.toml:2
        day_parts.end_of_day = "17:00"  default
        quiet.hours = []  default
        quiet.except = []  default
        digest.at = -  default
        digest.channels = -  default
        commands.at_once = 32  default
        log.level = "debug"  environment KEIKO_LOG
        log.format = "text"  default
        rules[0].tags = ["a"]  config.toml:14
        rules[0].channels = ["desktop"]  config.toml:15
        hooks[0].on = "all"  config.toml:17
        hooks[0].late = false  default
        hooks[0].command = (not shown)  config.toml:18
        hooks[0].timeout = "30s"  default
        webhooks.ops.url = (not shown)  config.toml:5
        webhooks.ops.preset = "generic"  default
        webhooks.ops.headers.X-Key = (not shown)  config.toml:6
        webhooks.ops.allow_redirects = false  default
        webhooks.ops.timeout_s = 10  default
        webhooks.ops.connect_timeout_s = 5  default
        mail.me.host = "h"  config.toml:9
        mail.me.security = "tls"  default
        mail.me.password_env = "MAIL"  config.toml:12
        mail.me.from = "a@x"  config.toml:10
        mail.me.to = "b@x"  config.toml:11
        mail.me.timeout_s = 10  default
        "#);
    }

    #[test]
    fn a_key_that_nobody_sets_is_told_all_the_same() {
        let one = |name: &str| one("[ntfy.me]\nurl = 'https://x'\n", &Place::parse(name).unwrap(), |_| None);
        assert_eq!(one("grace_s").unwrap().value, Some(Literal::Number(30)));
        assert_eq!(one("digest.at").unwrap().value, None);
        assert_eq!(one("ntfy.me.timeout_s").unwrap().value, Some(Literal::Number(10)));
        assert_eq!(one("ntfy.me.token_env").unwrap().value, None);
        assert!(one("ntfy.me.url").unwrap().is_hidden);
        let headers = super::one(
            "[webhooks.ops]\nurl = 'https://x'\nheaders.A = 'b'\n",
            &Place::parse("webhooks.ops.headers").unwrap(),
            |_| None,
        );
        let headers = headers.unwrap();
        assert!(headers.is_hidden && headers.origin != Origin::Default && headers.value.is_none(), "{headers:?}");
        assert_eq!(one("ntfy.you.url"), None);
        assert_eq!(one("rules[0].tags"), None);
    }
}
