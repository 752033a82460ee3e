//! How does one value get into the configuration file, and out of it again? All else stays as it stands.
//!
//! Never decides whether a value is good: the text that would be is read as any other, and what is wrong with it is told.

use toml_edit::{Array, DocumentMut, InlineTable, Item, Table as EditTable, TableLike, Value};

use crate::config::edit::{ConfigFile, EditError, lines};
use crate::config::file::{ConfigError, NOT_SHOWN};
use crate::config::literal::{self, Literal};
use crate::config::place::{Place, Table};

impl ConfigFile {
    /// Returns the text in which a key says something else. What was typed is taken as TOML where that is good, else as a text,
    /// else as a list of what stands between commas.
    ///
    /// # Errors
    /// The key does not take it, its table is not there, or the file is wrong elsewhere.
    pub fn with_value(&self, place: &Place, typed: &str) -> Result<String, EditError> {
        let mut first = None;
        for value in readings(place, typed) {
            match self.with_one(place, value) {
                Ok(text) => return Ok(text),
                Err(error @ (EditError::NoTable { .. } | EditError::Unclear { .. })) => return Err(error),
                Err(error) => first = first.or(Some(error)),
            }
        }
        let shown = if place.is_hidden() { NOT_SHOWN.to_owned() } else { format!("{typed:?}") };
        Err(match first {
            Some(EditError::Config { source: ConfigError::BadValues { path, values } }) => {
                let key = place.to_string();
                // A table that lacks something, or a list that names what is not there, is told by another key.
                match values.iter().find(|bad| bad.key == key) {
                    Some(bad) => EditError::NotTaken { key, value: shown, expected: bad.expected },
                    None => EditError::Config { source: ConfigError::BadValues { path, values } },
                }
            }
            Some(error) => error,
            None => EditError::NotTaken { key: place.to_string(), value: shown, expected: place.key.takes },
        })
    }

    /// Returns the text in which a key says nothing. What else stands there stays, comments too.
    ///
    /// # Errors
    /// It says nothing already, or the file would be wrong without it.
    pub fn without_value(&self, place: &Place) -> Result<String, EditError> {
        let unset = || EditError::NotSet { key: place.to_string(), path: self.path.clone() };
        let mut document = self.document.clone();
        let table = table_of(&mut document, &place.table).ok_or_else(unset)?;
        take_out(table, place).ok_or_else(unset)?;
        // Where the key has lines of its own they go, so that no comment beside them is lost.
        let by_lines = self.text.as_deref().and_then(|text| lines::without(text, place));
        let text = by_lines.unwrap_or_else(|| self.as_it_was(&document));
        self.checked(text)
    }

    fn with_one(&self, place: &Place, value: Value) -> Result<String, EditError> {
        let mut document = self.document.clone();
        if let Table::One(name) = &place.table
            && !document.contains_key(name)
        {
            document.insert(name, Item::Table(EditTable::new()));
        }
        let no_table =
            || EditError::NoTable { key: place.to_string(), table: place.table.to_string(), path: self.path.clone() };
        let table = table_of(&mut document, &place.table).ok_or_else(no_table)?;
        let said = value.to_string();
        // A secret stands there in one way: another one goes.
        let has_others = others(place).iter().filter_map(|other| table.remove(other)).count() > 0;
        match &place.within {
            None => put(table, &place.name, value),
            Some(within) => {
                let inner = table.entry(&place.name).or_insert(Item::Value(Value::InlineTable(InlineTable::default())));
                put(inner.as_table_like_mut().ok_or_else(no_table)?, within, value);
            }
        }
        // In its own line where it can be, so that no other is touched.
        let before = self.text.as_deref().unwrap_or_default();
        let by_lines = if has_others { None } else { lines::with(before, place, said.trim()) };
        self.checked(by_lines.unwrap_or_else(|| self.as_it_was(&document)))
    }
}

/// Returns what was typed as values, the likeliest first.
fn readings(place: &Place, typed: &str) -> Vec<Value> {
    let text = || Value::from(typed);
    let toml = typed.parse::<Value>().ok().map(|value| value.decorated("", ""));
    if place.is_command() {
        let is_toml_list = toml.as_ref().is_some_and(Value::is_array);
        return if is_toml_list { toml.into_iter().collect() } else { words(typed).into_iter().collect() };
    }
    let of_example = Literal::parse(place.key.example);
    let is_list = matches!(of_example, Some(Literal::List(_)));
    let split = || {
        let numbers =
            matches!(&of_example, Some(Literal::List(each)) if matches!(each.first(), Some(Literal::Number(_))));
        let value = |word: &str| match word.parse::<i64>() {
            Ok(number) if numbers => Value::from(number),
            Ok(_) | Err(_) => Value::from(word),
        };
        let words = typed.split(',').map(str::trim).filter(|word| !word.is_empty());
        Value::Array(words.map(value).collect::<Array>())
    };
    let mut readings: Vec<Value> = toml.into_iter().collect();
    if is_list && place.within.is_none() {
        readings.extend([split(), text()]);
    } else {
        readings.push(text());
    }
    readings
}

/// Returns a command line as a list of its words.
fn words(typed: &str) -> Option<Value> {
    let words = literal::words(typed)?;
    Some(Value::Array(words.iter().map(String::as_str).collect()))
}

/// Returns the other names under which a secret may stand.
fn others(place: &Place) -> Vec<String> {
    if place.key.hides != crate::config::keys::Hides::Secret {
        return Vec::new();
    }
    let endings = std::iter::once("").chain(crate::config::target::SOURCES);
    endings.map(|ending| format!("{}{ending}", place.key.name)).filter(|name| *name != place.name).collect()
}

/// Puts a value behind a key; what is said beside the former one stays.
fn put(table: &mut dyn TableLike, key: &str, mut value: Value) {
    match table.get(key).and_then(Item::as_value) {
        Some(before) => *value.decor_mut() = before.decor().clone(),
        None => value.decor_mut().clear(),
    }
    if let Some(item) = table.get_mut(key) {
        *item = Item::Value(value);
    } else {
        table.insert(key, Item::Value(value));
    }
}

fn take_out(table: &mut dyn TableLike, place: &Place) -> Option<Item> {
    match &place.within {
        None => table.remove(&place.name),
        Some(within) => table.get_mut(&place.name)?.as_table_like_mut()?.remove(within),
    }
}

fn table_of<'a>(document: &'a mut DocumentMut, table: &Table) -> Option<&'a mut dyn TableLike> {
    match table {
        Table::Top => Some(document.as_table_mut()),
        Table::One(name) => document.get_mut(name)?.as_table_like_mut(),
        Table::Named(kind, name) => document.get_mut(kind)?.as_table_like_mut()?.get_mut(name)?.as_table_like_mut(),
        Table::Nth(name, index) => match document.get_mut(name)? {
            Item::ArrayOfTables(tables) => tables.get_mut(*index).map(|table| table as &mut dyn TableLike),
            Item::Value(Value::Array(tables)) => {
                tables.get_mut(*index)?.as_inline_table_mut().map(|table| table as &mut dyn TableLike)
            }
            Item::None | Item::Value(_) | Item::Table(_) => None,
        },
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    const BEFORE: &str = "# mine\ngrace_s = 30 # soon\n\n# at the desk\nchannels = [\n  'desktop', # first\n]\n\n[log] # loud\n# why\nlevel = \"debug\"\n\n\
                          [webhooks.ops]\nurl_env = 'OPS'\nheaders = { A = 'a' }\n\n[[rules]]\ntags = ['a']\nchannels = ['desktop']\n";

    fn file(text: &str) -> (tempfile::TempDir, ConfigFile) {
        let directory = tempfile::tempdir().expect("a directory of the test's own");
        let path = directory.path().join("config.toml");
        fs::write(&path, text).expect("it is ours");
        let file = ConfigFile::read_to_mend(&path).expect("a file that can be mended");
        (directory, file)
    }

    /// Returns which lines differ: those that go with `-`, those that come with `+`; or why nothing does.
    fn told(directory: &tempfile::TempDir, before: &str, after: Result<String, EditError>) -> String {
        let after = match after {
            Ok(after) => after,
            Err(error) => return format!("! {error}").replace(&format!("{}/", directory.path().display()), ""),
        };
        let lacks = |text: &str, line: &str| !text.lines().any(|other| other == line);
        let gone = before.lines().filter(|line| lacks(&after, line)).map(|line| format!("-{line}\n"));
        let new = after.lines().filter(|line| lacks(before, line)).map(|line| format!("+{line}\n"));
        gone.chain(new).collect()
    }

    #[track_caller]
    fn check_set(key: &str, typed: &str, expected: &str) {
        let (directory, file) = file(BEFORE);
        let after = file.with_value(&Place::parse(key).expect("a key"), typed);
        assert_eq!(told(&directory, BEFORE, after), expected);
    }

    #[track_caller]
    fn check_unset(key: &str, expected: &str) {
        let (directory, file) = file(BEFORE);
        let after = file.without_value(&Place::parse(key).expect("a key"));
        assert_eq!(told(&directory, BEFORE, after), expected);
    }

    #[test]
    fn a_value_takes_the_place_of_another_and_nothing_else_changes() {
        check_set("grace_s", "60", "-grace_s = 30 # soon\n+grace_s = 60 # soon\n");
        check_set("log.level", "warn", "-level = \"debug\"\n+level = \"warn\"\n");
        check_set("log.level", "'warn'", "-level = \"debug\"\n+level = 'warn'\n");
        check_set("webhooks.ops.headers.A", "b", "-headers = { A = 'a' }\n+headers = { A = \"b\" }\n");
        check_set("rules[0].priority", "high", "+priority = \"high\"\n");
        check_set(
            "rules[0].channels",
            "desktop,terminal",
            "-channels = ['desktop']\n+channels = [\"desktop\", \"terminal\"]\n",
        );
    }

    #[test]
    fn a_key_that_is_not_there_comes_behind_the_others_of_its_table() {
        check_set("dialect", "uk", "+dialect = \"uk\"\n");
        check_set("quiet.hours", "sat,sun 23:00-09:00", "+[quiet]\n+hours = \"sat,sun 23:00-09:00\"\n");
        check_set("quiet.hours", "22:00-07:00,13:00-14:00", "+[quiet]\n+hours = [\"22:00-07:00\", \"13:00-14:00\"]\n");
        check_set("quiet.except", "+med,+baby", "+[quiet]\n+except = [\"+med\", \"+baby\"]\n");
        check_set(
            "webhooks.ops.url_command",
            "pass show 'a b'",
            "-url_env = 'OPS'\n+url_command = [\"pass\", \"show\", \"a b\"]\n",
        );
        let (directory, file) = file("");
        let after = file.with_value(&Place::parse("day_parts.night").expect("a key"), "22:00");
        assert_eq!(told(&directory, "", after), "+[day_parts]\n+night = \"22:00\"\n");
    }

    #[test]
    fn what_the_daemon_would_refuse_is_refused_with_what_would_do() {
        check_set(
            "grace_s",
            "soon",
            "! cannot set grace_s to \"soon\": expected a whole number of seconds from 0 to 86400",
        );
        check_set(
            "log.level",
            "loud",
            "! cannot set log.level to \"loud\": expected \"error\", \"warn\", \"info\", \"debug\" or \"trace\"",
        );
        check_set(
            "webhooks.ops.url",
            "hunter2",
            "! cannot set webhooks.ops.url to (not shown): expected a URL that begins with https:// or http://",
        );
        check_set(
            "channels",
            "mail:me",
            "! cannot set channels to \"mail:me\": expected each webhook:NAME to have a table [webhooks.NAME], each other KIND:NAME one [KIND.NAME]",
        );
        check_set("mail.me.host", "h", "! cannot set mail.me.host: config.toml has no table mail.me");
        check_set("rules[1].tags", "a", "! cannot set rules[1].tags: config.toml has no table rules[1]");
    }

    #[test]
    fn a_file_that_is_wrong_can_be_mended() {
        let text = "grace_s = 'soon'\n";
        let (directory, file) = file(text);
        let after = file.with_value(&Place::parse("grace_s").expect("a key"), "5");
        assert_eq!(told(&directory, text, after), "-grace_s = 'soon'\n+grace_s = 5\n");
        let refused =
            file.with_value(&Place::parse("dialect").expect("a key"), "uk").expect_err("wrong elsewhere").to_string();
        assert!(refused.contains("cannot use grace_s = 'soon'"), "{refused}");
    }

    #[test]
    fn a_key_goes_with_its_lines_and_no_comment_but_its_own() {
        check_unset("grace_s", "-grace_s = 30 # soon\n");
        check_unset("channels", "-channels = [\n-  'desktop', # first\n-]\n");
        check_unset("log.level", "-level = \"debug\"\n");
        check_unset("webhooks.ops.headers.A", "-headers = { A = 'a' }\n+headers = {}\n");
        check_unset("dialect", "! cannot unset dialect: config.toml does not set it");
        check_unset(
            "rules[0].tags",
            "! config.toml:17:1: cannot use rules[0] = [[rules]]: expected tags, a priority, or both",
        );
    }
}
