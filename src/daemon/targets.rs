//! Which chat, topic, mail address or program gets which values of its table in the configuration?
//!
//! Never opens what a table names: a secret is read when it is first needed. Never shows a value.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::config::file::Position;
use crate::config::target::{ConfiguredTarget, Value};
use crate::config::webhook as configured;
use crate::notify::keys::{Key, Source};

/// How long an attempt may take in all, where nothing else is configured.
const TIMEOUT: Duration = Duration::from_secs(10);

/// The table of one target, read key by key.
pub(super) struct Table<'a> {
    /// The configuration, from whose directory relative paths are meant.
    path: &'a Path,
    table: &'a ConfiguredTarget,
}

impl<'a> Table<'a> {
    pub(super) const fn new(path: &'a Path, table: &'a ConfiguredTarget) -> Self {
        Self { path, table }
    }

    /// Returns the name of the target.
    pub(super) fn name(&self) -> String {
        self.table.target.address.clone()
    }

    /// Returns where a key has its value, or the table where it has none.
    pub(super) fn position(&self, key: &str) -> Position {
        self.table.values.get(key).map_or(self.table.at, |(at, _)| *at)
    }

    pub(super) fn text(&self, key: &str) -> Option<String> {
        match self.value(key)? {
            Value::Text(text) => Some(text.clone()),
            Value::Words(_) | Value::Truth(_) | Value::Number(_) | Value::Path(_) | Value::Secret(_) => None,
        }
    }

    pub(super) fn words(&self, key: &str) -> Option<Vec<String>> {
        match self.value(key)? {
            Value::Words(words) => Some(words.clone()),
            Value::Text(_) | Value::Truth(_) | Value::Number(_) | Value::Path(_) | Value::Secret(_) => None,
        }
    }

    pub(super) fn truth(&self, key: &str) -> Option<bool> {
        match self.value(key)? {
            Value::Truth(truth) => Some(*truth),
            Value::Text(_) | Value::Words(_) | Value::Number(_) | Value::Path(_) | Value::Secret(_) => None,
        }
    }

    pub(super) fn number(&self, key: &str) -> Option<u32> {
        match self.value(key)? {
            Value::Number(number) => Some(*number),
            Value::Text(_) | Value::Words(_) | Value::Truth(_) | Value::Path(_) | Value::Secret(_) => None,
        }
    }

    pub(super) fn path(&self, key: &str) -> Option<PathBuf> {
        match self.value(key)? {
            Value::Path(path) => Some(self.beside(path)),
            Value::Text(_) | Value::Words(_) | Value::Truth(_) | Value::Number(_) | Value::Secret(_) => None,
        }
    }

    /// Returns a secret, to be read when it is first needed.
    pub(super) fn secret(&self, key: &str) -> Option<Key> {
        let source = match self.value(key)? {
            Value::Secret(source) => source,
            Value::Text(_) | Value::Words(_) | Value::Truth(_) | Value::Number(_) | Value::Path(_) => return None,
        };
        Some(Key::new(match source {
            configured::Source::Given(secrets) => Source::Given(secrets.first()?.clone()),
            configured::Source::File(path) => Source::File(self.beside(path)),
            configured::Source::Variable(name) => Source::Variable(name.clone()),
            configured::Source::Command(words) => Source::Program(words.clone()),
        }))
    }

    pub(super) fn timeout(&self) -> Duration {
        self.number("timeout_s").map_or(TIMEOUT, |seconds| Duration::from_secs(seconds.into()))
    }

    fn value(&self, key: &str) -> Option<&Value> {
        self.table.values.get(key).map(|(_, value)| value)
    }

    fn beside(&self, path: &Path) -> PathBuf {
        self.path.parent().unwrap_or(Path::new("")).join(path)
    }
}
