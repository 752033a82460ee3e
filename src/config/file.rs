//! What does the configuration file say, and where is it wrong?
//!
//! A key that nobody knows is a warning, for it may be of a newer version; a bad value is an error, for a default in its
//! place would do what the person did not ask. Never writes the file.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};

use chrono::NaiveTime;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::config::Config;
use crate::config::keys::{SECTIONS, Tables};
use crate::config::nearest::nearest;
use crate::config::place;
use crate::config::target::{self, ConfiguredTarget};
use crate::config::value::{self, Expected};
use crate::config::webhook::{self, Webhook};
use crate::config::whole::{self, FILE_BYTES_MAX};
use crate::config::{hooks, routing};
use crate::domain::day::Daily;
use crate::domain::delivery::{ChannelKind, Target};

/// Reads a value into its place.
type Setter = fn(&mut Config, &DeValue<'_>) -> Result<(), Expected>;

/// Every key that the file may have.
pub(super) const SETTINGS: &[(&str, Setter)] = &[
    ("grace_s", |config, value| put(&mut config.grace, value::grace(value))),
    ("dialect", |config, value| put(&mut config.dialect, value::dialect(value))),
    ("date_only_hour", |config, value| put(&mut config.date_only, value::clock_time(value))),
    ("snooze_default", |config, value| put(&mut config.snooze_default, value::snooze(value))),
    ("snooze_choices", |config, value| put(&mut config.snooze_choices, value::snoozes(value))),
    ("channels", |config, value| put(&mut config.routing.channels, value::channels(value))),
    ("fallback", |config, value| put(&mut config.routing.fallback, value::channels(value))),
    ("always", |config, value| put(&mut config.routing.always, value::channels(value))),
    ("day_parts.morning", |config, value| put(&mut config.day_parts.morning, value::clock_time(value))),
    ("day_parts.afternoon", |config, value| put(&mut config.day_parts.afternoon, value::clock_time(value))),
    ("day_parts.evening", |config, value| put(&mut config.day_parts.evening, value::clock_time(value))),
    ("day_parts.tonight", |config, value| put(&mut config.day_parts.tonight, value::clock_time(value))),
    ("day_parts.night", |config, value| put(&mut config.day_parts.night, value::clock_time(value))),
    ("day_parts.end_of_day", |config, value| put(&mut config.day_parts.end_of_day, value::clock_time(value))),
    ("quiet.hours", |config, value| put(&mut config.quiet.ranges, value::quiet_hours(value))),
    ("quiet.except", |config, value| put(&mut config.quiet.except, value::tags(value))),
    ("digest.at", |config, value| {
        value::clock_time(value).map(|at| config.daily = Some(Daily { at, ..daily(config) }))
    }),
    ("digest.channels", |config, value| {
        value::channels(value).map(|targets| config.daily = Some(Daily { targets, ..daily(config) }))
    }),
    ("commands.at_once", |config, value| put(&mut config.commands_at_once, value::at_once(value))),
    ("log.level", |config, value| put(&mut config.log.level, value::log_level(value))),
    ("log.format", |config, value| put(&mut config.log.format, value::log_format(value))),
];

/// Returns when and where each day is told, where one of the two is said: at eight in the morning by default.
fn daily(config: &Config) -> Daily {
    let at = NaiveTime::from_hms_opt(8, 0, 0).expect("a time of the day");
    config.daily.clone().unwrap_or(Daily { at, targets: Vec::new() })
}

/// The table that holds one table for each program to be told.
const WEBHOOKS: &str = "webhooks";

/// The list that holds one table for each rule of who is told by what.
const RULES: &str = "rules";

/// The list that holds one table for each program that is run when something happens.
const HOOKS: &str = "hooks";

/// What stands in an error in place of a value that may be a secret.
pub(super) const NOT_SHOWN: &str = "(not shown)";

/// A place in a file, both counted from 1; the column counts characters.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Position {
    /// The line.
    pub line: usize,
    /// The column.
    pub column: usize,
}

/// What is odd in the file, and does no harm.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Warning {
    /// A key that nobody knows. It is passed over.
    UnknownKey {
        /// The file.
        path: PathBuf,
        /// Where the key stands.
        at: Position,
        /// The key with its tables, such as `log.levl`.
        key: String,
        /// The known key that is most like it, where one is.
        nearest: Option<&'static str>,
    },
    /// The file that was asked for by name is not there. The defaults hold.
    NamedButMissing {
        /// The file.
        path: PathBuf,
    },
}

/// A value that cannot be used.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BadValue {
    /// Where the value stands.
    pub at: Position,
    /// The key with its tables.
    pub key: String,
    /// What would have been accepted.
    pub expected: Expected,
    /// What stands there.
    pub found: String,
}

/// Why a configuration cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The file cannot be read.
    #[error("cannot read the configuration {}: {source}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// It is no plain file, so reading it may never end.
    #[error("cannot read the configuration {}: it is {found}, expected a file", path.display())]
    NoFile {
        /// What was to be the file.
        path: PathBuf,
        /// What it is.
        found: &'static str,
    },
    /// The file is too long.
    #[error("cannot read the configuration {}: it is longer than {FILE_BYTES_MAX} bytes", path.display())]
    TooLong {
        /// The file.
        path: PathBuf,
    },
    /// The file is no TOML.
    #[error("{}:{at}: cannot read the configuration: {reason}", path.display())]
    Syntax {
        /// The file.
        path: PathBuf,
        /// Where.
        at: Position,
        /// Why.
        reason: String,
    },
    /// Some settings of programs to be told cannot be used.
    #[error("{}", told_each(path, faults))]
    Webhooks {
        /// The file.
        path: PathBuf,
        /// All of them, at least one.
        faults: Vec<WebhookFault>,
    },
    /// Some values cannot be used.
    #[error("{}", told(path, values))]
    BadValues {
        /// The file.
        path: PathBuf,
        /// All of them, at least one, in the order of the file.
        values: Vec<BadValue>,
    },
}

impl ConfigError {
    /// What to do next.
    pub const HINT: &str = "keiko config check says all that is wrong with it";
}

/// What is wrong with a setting of a program to be told, found when it was made ready.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WebhookFault {
    /// Where its value stands.
    pub at: Position,
    /// The key with its tables.
    pub key: String,
    /// Why it cannot be used, without its value.
    pub reason: String,
}

/// Whether somebody asked for the file by name (`KEIKO_CONFIG`).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Origin {
    /// It is where the platform keeps such files, and need not be there.
    Default,
    /// It was asked for by name, so its absence is worth a word: most likely the name is misspelt.
    Named,
}

impl Config {
    /// Reads the configuration; where there is no file, the defaults hold.
    ///
    /// # Errors
    /// The file is there but cannot be read, is no TOML, or has a bad value.
    pub fn load(path: &Path, origin: Origin) -> Result<(Self, Vec<Warning>), ConfigError> {
        match whole::read(path)? {
            Some(text) => Self::parse(path, &text),
            None => Ok((Self::default(), Self::missing(path, origin))),
        }
    }

    /// Returns what is odd about a file that is not there.
    #[must_use]
    pub fn missing(path: &Path, origin: Origin) -> Vec<Warning> {
        match origin {
            Origin::Default => Vec::new(),
            Origin::Named => vec![Warning::NamedButMissing { path: path.to_owned() }],
        }
    }

    /// Reads the `text` of the configuration file `path`.
    ///
    /// # Errors
    /// The text is no TOML, or has a bad value.
    pub fn parse(path: &Path, text: &str) -> Result<(Self, Vec<Warning>), ConfigError> {
        let text = without_mark(text);
        let document = DeTable::parse(text).map_err(|error| ConfigError::Syntax {
            path: path.to_owned(),
            at: position(text, error.span().unwrap_or_default().start),
            reason: error.message().trim().replace('\n', ", "),
        })?;
        let mut reading = Reading::of(path, text, document.get_ref());
        reading.check_targets(document.get_ref());
        reading.finish()
    }
}

/// All that there is to say of a file, right or wrong.
#[derive(Debug, Default)]
pub struct Checked {
    /// Each fault with its place and its key, where it has one; in the order of the file.
    pub faults: Vec<(Position, Option<String>, String)>,
    /// What is odd, and does no harm.
    pub warnings: Vec<Warning>,
    /// What it says, where it has no fault.
    pub config: Option<Config>,
}

/// Reads the `text` of the configuration file `path` to its end, whatever is wrong before.
#[must_use]
pub fn check(path: &Path, text: &str) -> Checked {
    let text = without_mark(text);
    let (document, errors) = DeTable::parse_recoverable(text);
    let mut reading = Reading::of(path, text, document.get_ref());
    let mut faults: Vec<(Position, Option<String>, String)> = errors
        .iter()
        .map(|error| {
            let at = position(text, error.span().unwrap_or_default().start);
            (at, None, format!("cannot read the configuration: {}", error.message().trim().replace('\n', ", ")))
        })
        .collect();
    if faults.is_empty() {
        reading.check_targets(document.get_ref());
    }
    // What was guessed of a line that cannot be read is no fault of its own.
    let is_guessed = |at: Position| faults.iter().any(|(broken, ..)| broken.line == at.line);
    reading.bad.retain(|bad| !is_guessed(bad.at));
    reading.warnings.retain(|(at, _)| !is_guessed(*at));
    faults.extend(reading.bad.iter().map(|bad| (bad.at, Some(bad.key.clone()), bad.reason())));
    faults.sort_by_key(|(at, ..)| *at);
    reading.warnings.sort_by_key(|(at, _)| *at);
    let config = faults.is_empty().then_some(reading.config);
    let warnings = reading.warnings.into_iter().map(|(_, warning)| warning).collect();
    Checked { faults, warnings, config }
}

/// Returns the text without the mark that an editor of another system may have put at the front.
pub(super) fn without_mark(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}

fn put<T>(place: &mut T, value: Result<T, Expected>) -> Result<(), Expected> {
    value.map(|value| *place = value)
}

/// A walk over the document.
struct Reading<'a> {
    path: &'a Path,
    text: &'a str,
    config: Config,
    warnings: Vec<(Position, Warning)>,
    bad: Vec<BadValue>,
}

impl<'a> Reading<'a> {
    fn of(path: &'a Path, text: &'a str, document: &DeTable<'_>) -> Self {
        let mut reading = Self { path, text, config: Config::default(), warnings: Vec::new(), bad: Vec::new() };
        reading.table("", document);
        reading
    }

    /// Notes each list of channels that names a target of which nothing is configured.
    fn check_targets(&mut self, document: &DeTable<'_>) {
        for (key, span) in routing::places(document) {
            self.targets(key, span);
        }
        let digest = document.get("digest").and_then(|table| table.get_ref().as_table()?.get("channels"));
        if let Some(channels) = digest {
            self.digest_targets(channels.span());
        }
    }

    /// Reads a table whose keys stand behind `prefix`, which is empty or ends in a dot.
    fn table(&mut self, prefix: &str, table: &DeTable<'_>) {
        for (key, value) in table {
            let name = format!("{prefix}{}", key.get_ref());
            if name == WEBHOOKS {
                self.webhooks(value);
            } else if name == RULES {
                self.rules(value);
            } else if name == HOOKS {
                self.hooks(value);
            } else if let Some(kind) = target::KINDS.into_iter().find(|kind| kind.as_str() == name) {
                self.targets_of(kind, value);
            } else if let Some((_, set)) = SETTINGS.iter().find(|(known, _)| *known == name) {
                if let Err(expected) = set(&mut self.config, value.get_ref()) {
                    self.bad_value(name, expected, value.span());
                }
            } else if let DeValue::Table(inner) = value.get_ref()
                && !inner.is_empty()
            {
                match nearest(&name, tables_of_names()).filter(|_| prefix.is_empty() && !is_table(&name)) {
                    Some(meant) => self.unknown(name, Some(meant), &key.span()),
                    None => self.table(&format!("{name}."), inner),
                }
            } else if is_table(&name) {
                if !value.get_ref().is_table() {
                    self.bad_value(name, "a table", value.span());
                }
            } else {
                let known = SETTINGS.iter().map(|(known, _)| *known);
                let nearest = nearest(&name, known.chain(tables_of_names().filter(|_| prefix.is_empty())));
                self.unknown(name, nearest, &key.span());
            }
        }
    }

    fn webhooks(&mut self, value: &Spanned<DeValue<'_>>) {
        let Some(table) = value.get_ref().as_table() else {
            return self.secret_value(WEBHOOKS.to_owned(), "a table for each, such as [webhooks.ops]", &value.span());
        };
        for (key, value) in table {
            let name = format!("{WEBHOOKS}.{}", key.get_ref());
            match value.get_ref().as_table() {
                Some(_) if !target::is_name(key.get_ref()) => {
                    self.secret_value(name, "a name of letters, digits, - and _, at most 64", &key.span());
                }
                Some(table) => self.webhook(&name, key, table),
                None => self.secret_value(name, "a table", &value.span()),
            }
        }
    }

    /// Reads the table of one program, `name` in full.
    fn webhook(&mut self, name: &str, key: &Spanned<Cow<'_, str>>, table: &DeTable<'_>) {
        let mut read = Webhook::new(key.get_ref().to_string(), position(self.text, key.span().start));
        for (key, value) in table {
            let Some((known, set)) = webhook::SETTINGS.iter().find(|(known, _)| known == key.get_ref()) else {
                let nearest = nearest(key.get_ref(), webhook::SETTINGS.iter().map(|(known, _)| *known));
                self.unknown(format!("{name}.{}", key.get_ref()), nearest, &key.span());
                continue;
            };
            let at = position(self.text, value.span().start);
            read.positions.push(((*known).to_owned(), at));
            let inner = value.get_ref().as_table().into_iter().flatten();
            read.positions.extend(inner.map(|(inner, value)| {
                (format!("{known}.{}", inner.get_ref()), position(self.text, value.span().start))
            }));
            if let Err(expected) = set(&mut read, value.get_ref()) {
                self.secret_value(format!("{name}.{known}"), expected, &value.span());
            }
        }
        if let Some(expected) = read.lacks() {
            // Where the address is there and bad, that has been said.
            if !self.bad.iter().any(|bad| bad.key.starts_with(&format!("{name}.url"))) {
                self.secret_value(name.to_owned(), expected, &key.span());
            }
        }
        self.config.webhooks.push(read);
    }

    /// Reads the tables of one kind of target.
    fn targets_of(&mut self, kind: ChannelKind, value: &Spanned<DeValue<'_>>) {
        let Some(table) = value.get_ref().as_table() else {
            return self.secret_value(kind.to_string(), "a table for each, such as [ntfy.phone]", &value.span());
        };
        for (key, value) in table {
            let name = format!("{kind}.{}", key.get_ref());
            match value.get_ref().as_table() {
                Some(_) if !target::is_name(key.get_ref()) => {
                    self.secret_value(name, "a name of letters, digits, - and _, at most 64", &key.span());
                }
                Some(table) => self.target(kind, &name, key, table),
                None => self.secret_value(name, "a table", &value.span()),
            }
        }
    }

    /// Reads the table of one target, `name` in full.
    fn target(&mut self, kind: ChannelKind, name: &str, key: &Spanned<Cow<'_, str>>, table: &DeTable<'_>) {
        let target = Target { kind, address: key.get_ref().to_string() };
        let mut values = BTreeMap::new();
        let bad_before = self.bad.len();
        for (key, value) in table {
            let Some((known, ending)) = target::find(kind, key.get_ref()) else {
                let nearest = nearest(key.get_ref(), target::names(kind));
                self.unknown(format!("{name}.{}", key.get_ref()), nearest, &key.span());
                continue;
            };
            let at = position(self.text, value.span().start);
            let full = format!("{name}.{}", key.get_ref());
            match target::read(known, ending, value.get_ref()) {
                Ok(read) => {
                    if values.insert(known.name, (at, read)).is_some() {
                        self.secret_value(full, "only one of its forms", &value.span());
                    }
                }
                Err(expected) => self.secret_value(full, expected, &value.span()),
            }
        }
        // Where one is there and bad, that has been said.
        if self.bad.len() == bad_before
            && let Some(missing) =
                target::keys(kind).iter().find(|key| key.is_required && !values.contains_key(key.name))
        {
            self.secret_value(format!("{name}.{}", missing.name), "it to be there", &key.span());
        }
        let at = position(self.text, key.span().start);
        self.config.targets.push(ConfiguredTarget { target, at, values });
    }

    fn rules(&mut self, value: &Spanned<DeValue<'_>>) {
        let read = routing::rules(value);
        self.config.routing.rules = read.rules;
        for (key, expected, span) in read.bad {
            self.bad_value(key, expected, span);
        }
        for (key, nearest, span) in read.unknown {
            self.unknown(key, nearest, &span);
        }
    }

    fn hooks(&mut self, value: &Spanned<DeValue<'_>>) {
        let read = hooks::hooks(value);
        self.config.hooks = read.hooks;
        for bad in read.bad {
            if bad.is_secret {
                self.secret_value(bad.key, bad.expected, &bad.span);
            } else {
                self.bad_value(bad.key, bad.expected, bad.span);
            }
        }
        for (key, nearest, span) in read.unknown {
            self.unknown(key, nearest, &span);
        }
    }

    /// As [`Reading::targets`], of where each day is told.
    fn digest_targets(&mut self, span: Range<usize>) {
        let named = self.config.named_targets();
        let told = self.config.daily.iter().flat_map(|daily| &daily.targets);
        if told.into_iter().any(|target| routing::is_missing(target, &named)) {
            let expected = "each webhook:NAME to have a table [webhooks.NAME], each other KIND:NAME one [KIND.NAME]";
            self.bad_value("digest.channels".to_owned(), expected, span);
        }
    }

    /// Notes a list of channels that names a target of which nothing is configured.
    fn targets(&mut self, place: routing::Place, span: Range<usize>) {
        let named = self.config.named_targets();
        if place.targets(&self.config.routing).iter().any(|target| routing::is_missing(target, &named)) {
            let expected = "each webhook:NAME to have a table [webhooks.NAME], each other KIND:NAME one [KIND.NAME]";
            self.bad_value(place.to_string(), expected, span);
        }
    }

    /// Notes a bad value that may be a secret.
    fn secret_value(&mut self, key: String, expected: Expected, span: &Range<usize>) {
        let at = position(self.text, span.start);
        self.bad.push(BadValue { at, key, expected, found: NOT_SHOWN.to_owned() });
    }

    fn bad_value(&mut self, key: String, expected: Expected, span: Range<usize>) {
        let at = position(self.text, span.start);
        let found = self.text.get(span).unwrap_or_default().lines().next().unwrap_or_default().to_owned();
        self.bad.push(BadValue { at, key, expected, found });
    }

    fn unknown(&mut self, key: String, nearest: Option<&'static str>, span: &Range<usize>) {
        let at = position(self.text, span.start);
        self.warnings.push((at, Warning::UnknownKey { path: self.path.to_owned(), at, key, nearest }));
    }

    fn finish(mut self) -> Result<(Config, Vec<Warning>), ConfigError> {
        if !self.bad.is_empty() {
            self.bad.sort_by_key(|bad| bad.at);
            return Err(ConfigError::BadValues { path: self.path.to_owned(), values: self.bad });
        }
        self.warnings.sort_by_key(|(at, _)| *at);
        Ok((self.config, self.warnings.into_iter().map(|(_, warning)| warning).collect()))
    }
}

/// Returns the names under which a person has tables of their own.
fn tables_of_names() -> impl Iterator<Item = &'static str> {
    SECTIONS.iter().filter(|section| section.tables != Tables::One).map(place::kind)
}

fn is_table(name: &str) -> bool {
    SETTINGS.iter().any(|(known, _)| known.strip_prefix(name).is_some_and(|rest| rest.starts_with('.')))
}

pub(super) fn position(text: &str, offset: usize) -> Position {
    let before = text.get(..offset).unwrap_or(text);
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    Position { line: before.matches('\n').count() + 1, column: before[line_start..].chars().count() + 1 }
}

fn told_each(path: &Path, faults: &[WebhookFault]) -> String {
    let line = |fault: &WebhookFault| {
        let WebhookFault { at, key, reason } = fault;
        format!("{}:{at}: cannot use {key}: {reason}", path.display())
    };
    faults.iter().map(line).collect::<Vec<_>>().join("\n")
}

fn told(path: &Path, values: &[BadValue]) -> String {
    let each: Vec<String> = values.iter().map(|bad| format!("{}:{bad}", path.display())).collect();
    each.join("\n")
}

/// `line:column`.
impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

impl BadValue {
    /// Returns why it cannot be used.
    fn reason(&self) -> String {
        let Self { key, expected, found, .. } = self;
        format!("cannot use {key} = {found}: expected {expected}")
    }
}

impl fmt::Display for BadValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.at, self.reason())
    }
}

/// `file:line:column: what, and what may have been meant`.
impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownKey { path, at, key, nearest } => {
                write!(f, "{}:{at}: passed over the unknown key {}", path.display(), key.escape_debug())?;
                nearest.map_or(Ok(()), |nearest| write!(f, ", did you mean {nearest}?"))
            }
            Self::NamedButMissing { path } => {
                write!(f, "cannot find the configuration {}: the defaults hold", path.display())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::time::Duration;

    use chrono::NaiveTime;

    use super::*;
    use crate::config::webhook::{Preset, Scalar, Source, Success};
    use crate::config::{DayParts, Dialect, Log, LogFormat, LogLevel};
    use crate::domain::quiet::{QuietHours, QuietRange, Weekdays};
    use crate::domain::routing::Routing;
    use crate::domain::secret::Secret;
    use crate::domain::time::Span;

    fn parse(text: &str) -> Result<(Config, Vec<Warning>), ConfigError> {
        Config::parse(Path::new("config.toml"), text)
    }

    #[track_caller]
    fn check_warnings(text: &str, expected: &[&str]) {
        let (_, warnings) = parse(text).unwrap();
        let warnings: Vec<String> = warnings.iter().map(ToString::to_string).collect();
        assert_eq!(warnings, expected);
    }

    #[track_caller]
    fn check_refused(text: &str, expected: &str) {
        assert_eq!(parse(text).unwrap_err().to_string(), expected);
    }

    #[test]
    fn an_empty_file_means_the_defaults() {
        assert_eq!(parse("").unwrap(), (Config::default(), Vec::new()));
        assert_eq!(parse("\u{feff}# nothing\n[log]\n[day_parts]\n").unwrap(), (Config::default(), Vec::new()));
    }

    #[test]
    fn every_key_is_read() {
        let text = r#"
            grace_s = 1_0
            dialect = "uk"
            date_only_hour = "08:30"
            snooze_default = "1h30m"
            snooze_choices = ["5m", "2h", "5min"]
            channels = ["terminal", "desktop", "terminal"]
            [day_parts]
            morning = "07:00"
            afternoon = "14:00"
            evening = "18:00"
            tonight = "19:00"
            night = "22:00"
            end_of_day = "18:30"
            [quiet]
            hours = "22:00-07:00"
            except = ["+med"]
            [commands]
            at_once = 7
            [log]
            level = "debug"
            format = "json"
        "#;
        let (config, warnings) = parse(text).unwrap();
        assert_eq!(warnings, []);
        let at = |hour, minute| NaiveTime::from_hms_opt(hour, minute, 0).unwrap();
        let expected = Config {
            grace: Span::from_secs(10),
            dialect: Dialect::Uk,
            date_only: at(8, 30),
            snooze_default: Span::from_minutes(90),
            snooze_choices: vec![Span::from_minutes(5), Span::from_minutes(120)],
            routing: Routing { channels: vec![Target::terminal(), Target::desktop()], ..Routing::NONE },
            webhooks: Vec::new(),
            targets: Vec::new(),
            daily: None,
            commands_at_once: 7,
            hooks: Vec::new(),
            quiet: QuietHours {
                ranges: vec![QuietRange { days: Weekdays::ALL, from: at(22, 0), to: at(7, 0) }],
                except: vec!["med".to_owned()],
            },
            day_parts: DayParts {
                morning: at(7, 0),
                afternoon: at(14, 0),
                evening: at(18, 0),
                tonight: at(19, 0),
                night: at(22, 0),
                end_of_day: at(18, 30),
            },
            log: Log { level: LogLevel::Debug, format: LogFormat::Json },
        };
        assert_eq!(config, expected);
    }

    #[test]
    fn an_unknown_key_is_passed_over_with_its_line_and_the_nearest_name() {
        check_warnings(
            "gracs_s = 3\n",
            &["config.toml:1:1: passed over the unknown key gracs_s, did you mean grace_s?"],
        );
        check_warnings(
            "grace_s = 1\n\n[log]\n  levl = 3\n",
            &["config.toml:4:3: passed over the unknown key log.levl, did you mean log.level?"],
        );
        check_warnings("level = 3", &["config.toml:1:1: passed over the unknown key level, did you mean log.level?"]);
        check_warnings(
            "[logs]\nlevel = 3",
            &["config.toml:2:1: passed over the unknown key logs.level, did you mean log.level?"],
        );
        check_warnings(
            "[webhok.ops]\nurl = 'x'",
            &["config.toml:1:2: passed over the unknown key webhok, did you mean webhooks?"],
        );
        check_warnings(
            "[[rule]]\ntags = 'x'",
            &["config.toml:1:3: passed over the unknown key rule, did you mean rules?"],
        );
        check_warnings("Dialect = 3", &["config.toml:1:1: passed over the unknown key Dialect, did you mean dialect?"]);
    }

    #[test]
    fn a_key_of_a_newer_version_has_no_nearest_name() {
        check_warnings("[hub]\n", &["config.toml:1:2: passed over the unknown key hub"]);
        check_warnings("\"提醒\" = 1", &["config.toml:1:1: passed over the unknown key 提醒"]);
    }

    #[test]
    fn a_program_to_be_told_has_a_table_of_its_own() {
        let text = r#"
            channels = ["webhook:ops", "desktop"]
            [webhooks.ops]
            url = "https://x/?token=hunter2"
            preset = "dingtalk"
            secret = ["one", "two"]
            body = '{}'
            ca_file = "ca.pem"
            allow_redirects = true
            timeout_s = 3
            connect_timeout_s = 1
            success = { pointer = "/ok", equals = true }
            headers.X-Key = "hunter2"
            [webhooks.chat]
            url_env = "CHAT_URL"
            secret_file = "chat.key"
            success = { pointer = "/code", equals = "0" }
        "#;
        let (config, warnings) = parse(text).unwrap();
        assert_eq!(warnings, []);
        assert!(!format!("{config:?}").contains("hunter2"));
        let [chat, ops] = &config.webhooks[..] else { panic!("{config:?}") };
        let secret = |text: &str| Secret::new(text.to_owned());
        assert_eq!(chat.url, Some(Source::Variable("CHAT_URL".to_owned())));
        assert_eq!(chat.secrets, Some(Source::File("chat.key".into())));
        assert_eq!(chat.success.as_ref().unwrap().equals, Scalar::Text("0".to_owned()));
        let expected = Webhook {
            url: Some(Source::Given(vec![secret("https://x/?token=hunter2")])),
            preset: Preset::Dingtalk,
            secrets: Some(Source::Given(vec![secret("one"), secret("two")])),
            headers: vec![("X-Key".to_owned(), secret("hunter2"))],
            body: Some("{}".to_owned()),
            ca_file: Some("ca.pem".into()),
            allow_redirects: true,
            timeout: Some(Duration::from_secs(3)),
            connect_timeout: Some(Duration::from_secs(1)),
            success: Some(Success { pointer: "/ok".to_owned(), equals: Scalar::Bool(true) }),
            positions: ops.positions.clone(),
            ..Webhook::new("ops".to_owned(), Position { line: 3, column: 23 })
        };
        assert_eq!(*ops, expected);
        assert_eq!(ops.position("headers.X-Key"), Position { line: 13, column: 29 });
        assert_eq!(chat.position("url"), Position { line: 15, column: 23 });
    }

    #[test]
    fn a_bad_value_of_a_webhook_is_told_without_the_value() {
        check_refused(
            "[webhooks.ops]\nurl = 'user:hunter2@x'\nsecret = 5\ntimeout_s = 0",
            "config.toml:2:7: cannot use webhooks.ops.url = (not shown): expected a URL that begins with https:// or http://\n\
             config.toml:3:10: cannot use webhooks.ops.secret = (not shown): expected a secret, or a list of secrets while one replaces another\n\
             config.toml:4:13: cannot use webhooks.ops.timeout_s = (not shown): expected a whole number of seconds from 1 to 120",
        );
        check_refused(
            "[webhooks.ops]\nurl = 'https://x'\nurl_env = 'X'",
            "config.toml:1:11: cannot use webhooks.ops = (not shown): expected only one of url, url_file, url_env and url_command",
        );
        check_refused(
            "[webhooks.ops]\npreset = 'slack'",
            "config.toml:1:11: cannot use webhooks.ops = (not shown): expected a url, url_file, url_env or url_command",
        );
        check_refused(
            "[webhooks.'a b']\nurl = 'https://x'",
            "config.toml:1:11: cannot use webhooks.a b = (not shown): expected a name of letters, digits, - and _, at most 64",
        );
        check_refused(
            "webhooks = 'https://x'",
            "config.toml:1:12: cannot use webhooks = (not shown): expected a table for each, such as [webhooks.ops]",
        );
        check_refused(
            "channels = ['webhook:ops']\n[webhooks.chat]\nurl = 'https://x'",
            "config.toml:1:12: cannot use channels = ['webhook:ops']: expected each webhook:NAME to have a table [webhooks.NAME], \
             each other KIND:NAME one [KIND.NAME]",
        );
        check_warnings(
            "[webhooks.ops]\nurl = 'https://x'\nsecrt = 'y'",
            &["config.toml:3:1: passed over the unknown key webhooks.ops.secrt, did you mean secret?"],
        );
    }

    #[test]
    fn warnings_stand_in_the_order_of_the_file() {
        let (_, warnings) = parse("zzzzzzzz = 1\naaaaaaaa = 2\n").unwrap();
        let lines: Vec<usize> = warnings
            .iter()
            .map(|warning| match warning {
                Warning::UnknownKey { at, .. } => at.line,
                Warning::NamedButMissing { .. } => 0,
            })
            .collect();
        assert_eq!(lines, [1, 2]);
    }

    #[test]
    fn a_bad_value_is_refused_with_its_place_and_what_was_expected() {
        check_refused(
            "grace_s = 1\ndialect = \"de\"",
            "config.toml:2:11: cannot use dialect = \"de\": expected \"us\" or \"uk\"",
        );
        check_refused(
            "grace_s = \"30\"",
            "config.toml:1:11: cannot use grace_s = \"30\": expected a whole number of seconds from 0 to 86400",
        );
        check_refused(
            "snooze_default = \"10\"",
            "config.toml:1:18: cannot use snooze_default = \"10\": expected a length of time with its unit, such as \"10m\" or \"1h30m\"",
        );
        for value in ["\"10m\"", "[\"10\"]", "[10]", "[\"0m\"]", "['1m', '2m', '3m', '4m', '5m']"] {
            check_refused(
                &format!("snooze_choices = {value}"),
                &format!(
                    "config.toml:1:18: cannot use snooze_choices = {value}: expected a list of at most 4 lengths of time with their units, such as [\"10m\", \"1h\"]"
                ),
            );
        }
        assert_eq!(parse("snooze_choices = []").unwrap().0.snooze_choices, []);
        check_refused(
            "[day_parts]\nnight = \"25:00\"",
            "config.toml:2:9: cannot use day_parts.night = \"25:00\": expected a time from \"00:00\" to \"23:59\"",
        );
        check_refused(
            "channels = [\"desktop\", \"pager\"]",
            "config.toml:1:12: cannot use channels = [\"desktop\", \"pager\"]: expected a list of channels, each \"desktop\", \"terminal\", or a kind with a name such as \"webhook:ops\"",
        );
        check_refused("log = 3", "config.toml:1:7: cannot use log = 3: expected a table");
    }

    #[test]
    fn all_bad_values_are_told_at_once() {
        check_refused(
            "log.level = 1\nlog.format = 2\n",
            "config.toml:1:13: cannot use log.level = 1: expected \"error\", \"warn\", \"info\", \"debug\" or \"trace\"\n\
             config.toml:2:14: cannot use log.format = 2: expected \"text\" or \"json\"",
        );
    }

    #[test]
    fn a_number_out_of_range_is_refused() {
        for number in ["-1", "86401", "99999999999999999999", "1.5", "0x1_0000_0000_0000_0000"] {
            assert!(parse(&format!("grace_s = {number}")).is_err(), "at {number}");
        }
        assert_eq!(parse("grace_s = 0x10").unwrap().0.grace, Span::from_secs(16));
    }

    #[test]
    fn what_is_no_toml_is_refused_with_its_place() {
        for text in ["\n=", "\n[log", "\na = 1\na = 2"] {
            let ConfigError::Syntax { at, .. } = parse(text).unwrap_err() else { unreachable!("{text:?} is no TOML") };
            assert!(at.line >= 2, "{at} in {text:?}");
        }
    }

    #[test]
    fn a_missing_file_means_the_defaults_and_a_word_when_it_was_named() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("config.toml");
        assert_eq!(Config::load(&path, Origin::Default).unwrap(), (Config::default(), Vec::new()));
        let (config, warnings) = Config::load(&path, Origin::Named).unwrap();
        assert_eq!((config, warnings), (Config::default(), vec![Warning::NamedButMissing { path }]));
    }

    #[test]
    fn a_file_that_cannot_be_read_is_refused() {
        let directory = tempfile::tempdir().unwrap();
        assert!(matches!(Config::load(directory.path(), Origin::Default), Err(ConfigError::NoFile { .. })));
        assert!(matches!(Config::load(Path::new("/dev/zero"), Origin::Default), Err(ConfigError::NoFile { .. })));
        assert_eq!(Config::load(Path::new("/dev/null"), Origin::Named).unwrap(), (Config::default(), Vec::new()));
        let long = directory.path().join("long.toml");
        fs::File::create(&long).unwrap().set_len(FILE_BYTES_MAX + 1).unwrap();
        assert!(matches!(Config::load(&long, Origin::Default), Err(ConfigError::TooLong { .. })));
        let binary = directory.path().join("binary.toml");
        fs::write(&binary, b"\xff\xfe").unwrap();
        assert!(matches!(Config::load(&binary, Origin::Default), Err(ConfigError::Unreadable { .. })));
    }
}
