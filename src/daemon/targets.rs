//! Which chat, topic, mail address or program gets which values of its table in the configuration?
//!
//! Never opens what a table names: a secret is read when it is first needed. Never shows a value.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::config::Config;
use crate::config::file::{ConfigError, Position, WebhookFault};
use crate::config::target::{ConfiguredTarget, Value};
use crate::config::webhook as configured;
use crate::domain::delivery::ChannelKind;
use crate::notify::keys::{Key, Source};
use crate::notify::mail::{self, Security};
use crate::notify::{exec, robots};

/// How long an attempt may take in all, where nothing else is configured.
const TIMEOUT: Duration = Duration::from_secs(10);

/// What stands for a key that the configuration does not let be missing.
const REQUIRED: &str = "a table without a key that it needs is refused when it is read";

/// Returns the robots of groups of one service.
pub(super) fn robots(path: &Path, config: &Config, kind: ChannelKind) -> Vec<robots::Settings> {
    let settings = |table: Table<'_>| robots::Settings {
        name: table.name(),
        url: table.secret("url").expect(REQUIRED),
        secret: table.secret("secret"),
        ca_file: table.path("ca_file"),
        timeout: table.timeout(),
    };
    tables(path, config, kind).map(settings).collect()
}

/// Returns the mail addresses.
///
/// # Errors
/// Everything that is wrong with them, with the places in the file.
pub(super) fn mail(path: &Path, config: &Config) -> Result<Vec<mail::Settings>, ConfigError> {
    let mut targets = Vec::new();
    let mut faults = Vec::new();
    for table in tables(path, config, ChannelKind::Mail) {
        let settings = mail_settings(&table);
        match settings.check() {
            Ok(()) => targets.push(settings),
            Err(mail::Fault { key, reason }) => faults.push(WebhookFault {
                at: table.position(key),
                key: format!("mail.{}.{key}", table.name()),
                reason,
            }),
        }
    }
    if faults.is_empty() { Ok(targets) } else { Err(ConfigError::Webhooks { path: path.to_owned(), faults }) }
}

fn mail_settings(table: &Table<'_>) -> mail::Settings {
    mail::Settings {
        name: table.name(),
        host: table.text("host").expect(REQUIRED),
        port: table.number("port").and_then(|port| u16::try_from(port).ok()),
        security: match table.text("security").as_deref() {
            Some("starttls") => Security::StartTls,
            Some("none") => Security::None,
            Some(_) | None => Security::Tls,
        },
        user: table.text("user"),
        password: table.secret("password"),
        from: table.text("from").expect(REQUIRED),
        to: table.words("to").expect(REQUIRED),
        ca_file: table.path("ca_file"),
        timeout: table.timeout(),
    }
}

/// Returns the person's own programs. They run where the configuration lies, from where relative paths are meant.
pub(super) fn exec(path: &Path, config: &Config) -> Vec<exec::Settings> {
    let settings = |table: Table<'_>| {
        let mut command = table.words("command").expect(REQUIRED);
        let program = Path::new(&command[0]);
        if program.is_relative() && program.components().count() > 1 {
            command[0] = table.beside(program).to_string_lossy().into_owned();
        }
        let directory = table.beside(Path::new(""));
        exec::Settings { name: table.name(), command, directory, timeout: table.timeout() }
    };
    tables(path, config, ChannelKind::Exec).map(settings).collect()
}

fn tables<'a>(path: &'a Path, config: &'a Config, kind: ChannelKind) -> impl Iterator<Item = Table<'a>> {
    let of_kind = config.targets.iter().filter(move |table| table.target.kind == kind);
    of_kind.map(move |table| Table::new(path, table))
}

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
