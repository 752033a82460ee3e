//! What does the table `[webhooks.NAME]` say? Addresses, keys and templates of programs to be told.
//!
//! Never opens a file that it names, and never shows a value: an address, a key and a header are secrets alike.

use std::path::PathBuf;
use std::time::Duration;

use toml::de::{DeTable, DeValue};

use crate::config::file::Position;
use crate::config::target::words;
use crate::config::value::Expected;
use crate::domain::secret::Secret;

/// The longest that an attempt may take: it keeps one of its target's two places.
const TIMEOUT_S_MAX: i64 = 120;

/// One program to be told, as configured.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Webhook {
    /// Its name, as in `--via webhook:NAME`.
    pub name: String,
    /// Where its table stands.
    pub at: Position,
    /// Where each of its keys has its value, `headers.NAME` for a header.
    pub positions: Vec<(String, Position)>,
    /// Where it is; `None` only until the table was read to its end.
    pub url: Option<Source>,
    /// What it expects.
    pub preset: Preset,
    /// What requests are signed with.
    pub secrets: Option<Source>,
    /// Headers as templates.
    pub headers: Vec<(String, Secret)>,
    /// The body as a template, in place of the preset's.
    pub body: Option<String>,
    /// Certificates to trust beside the system's; a relative path is meant from the directory of the configuration.
    pub ca_file: Option<PathBuf>,
    /// Whether to go where an answer points.
    pub allow_redirects: bool,
    /// How long an attempt may take in all, where it is said.
    pub timeout: Option<Duration>,
    /// How long a connection may take to be there, where it is said.
    pub connect_timeout: Option<Duration>,
    /// What the answer's body must hold.
    pub success: Option<Success>,
}

/// Where secrets are.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Source {
    /// Here.
    Given(Vec<Secret>),
    /// In a file, one a line; a relative path is meant from the directory of the configuration.
    File(PathBuf),
    /// In a variable of the daemon's environment, separated by spaces.
    Variable(String),
    /// In what a program prints, one a line.
    Command(Vec<String>),
}

/// What a program expects.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Preset {
    /// All that Keiko knows of the firing.
    #[default]
    Generic,
    /// Slack's incoming webhooks.
    Slack,
    /// Discord's webhooks.
    Discord,
    /// The robots of `DingTalk` groups.
    Dingtalk,
}

/// What the body of an answer must hold.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Success {
    /// Where, as a JSON pointer.
    pub pointer: String,
    /// What.
    pub equals: Scalar,
}

/// A plain value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Scalar {
    /// A whole number.
    Number(i64),
    /// A text.
    Text(String),
    /// True or false.
    Bool(bool),
}

/// Reads a value into its place.
type Setter = fn(&mut Webhook, &DeValue<'_>) -> Result<(), Expected>;

/// Every key of the table.
pub(super) const SETTINGS: &[(&str, Setter)] = &[
    ("url", |hook, value| put(&mut hook.url, one(value))),
    ("url_file", |hook, value| put(&mut hook.url, file(value))),
    ("url_env", |hook, value| put(&mut hook.url, variable(value))),
    ("preset", |hook, value| preset(value).map(|preset| hook.preset = preset)),
    ("secret", |hook, value| put(&mut hook.secrets, some(value))),
    ("secret_file", |hook, value| put(&mut hook.secrets, file(value))),
    ("secret_env", |hook, value| put(&mut hook.secrets, variable(value))),
    ("url_command", |hook, value| put(&mut hook.url, command(value))),
    ("secret_command", |hook, value| put(&mut hook.secrets, command(value))),
    ("headers", |hook, value| headers(value).map(|headers| hook.headers = headers)),
    ("body", |hook, value| put(&mut hook.body, text(value))),
    ("ca_file", |hook, value| put(&mut hook.ca_file, path(value))),
    ("allow_redirects", |hook, value| truth(value).map(|truth| hook.allow_redirects = truth)),
    ("timeout_s", |hook, value| put(&mut hook.timeout, seconds(value))),
    ("connect_timeout_s", |hook, value| put(&mut hook.connect_timeout, seconds(value))),
    ("success", |hook, value| put(&mut hook.success, success(value))),
];

/// The keys that name one thing in several ways.
const EITHER: &[[&str; 4]] =
    &[["url", "url_file", "url_env", "url_command"], ["secret", "secret_file", "secret_env", "secret_command"]];

impl Webhook {
    /// Returns one of which nothing is known yet.
    pub(super) const fn new(name: String, at: Position) -> Self {
        Self {
            name,
            at,
            positions: Vec::new(),
            url: None,
            preset: Preset::Generic,
            secrets: None,
            headers: Vec::new(),
            body: None,
            ca_file: None,
            allow_redirects: false,
            timeout: None,
            connect_timeout: None,
            success: None,
        }
    }

    /// Returns where the value of `key` stands: of `url` that of `url_file` where it is given so; else the table.
    #[must_use]
    pub fn position(&self, key: &str) -> Position {
        let of = |key: &str| self.positions.iter().find(|(known, _)| known == key).map(|(_, at)| *at);
        let others = EITHER.iter().filter(|ways| ways.contains(&key)).flatten();
        of(key).or_else(|| others.copied().find_map(of)).or_else(|| of("headers")).unwrap_or(self.at)
    }

    /// Returns what the table lacks, or has twice, now that it was read to its end.
    pub(super) fn lacks(&self) -> Option<Expected> {
        let given = |key: &&&str| self.positions.iter().any(|(known, _)| known == **key);
        for ways in EITHER {
            if ways.iter().filter(given).count() > 1 {
                return Some(if ways[0] == "url" {
                    "only one of url, url_file, url_env and url_command"
                } else {
                    "only one of secret, secret_file, secret_env and secret_command"
                });
            }
        }
        self.url.is_none().then_some("a url, url_file, url_env or url_command")
    }
}

fn put<T>(place: &mut Option<T>, value: Result<T, Expected>) -> Result<(), Expected> {
    value.map(|value| *place = Some(value))
}

fn text(value: &DeValue<'_>) -> Result<String, Expected> {
    value.as_str().map(str::to_owned).ok_or("a text")
}

fn one(value: &DeValue<'_>) -> Result<Source, Expected> {
    let is_url = |text: &&str| text.starts_with("https://") || text.starts_with("http://");
    let url = value.as_str().filter(is_url).ok_or("a URL that begins with https:// or http://")?;
    Ok(Source::Given(vec![Secret::new(url.to_owned())]))
}

fn some(value: &DeValue<'_>) -> Result<Source, Expected> {
    let expected = "a secret, or a list of secrets while one replaces another";
    let secret = |value: &DeValue<'_>| value.as_str().map(|text| Secret::new(text.to_owned()));
    let secrets: Option<Vec<Secret>> = match value.as_array() {
        Some(values) => values.iter().map(|value| secret(value.get_ref())).collect(),
        None => secret(value).map(|secret| vec![secret]),
    };
    secrets.filter(|secrets| !secrets.is_empty()).map(Source::Given).ok_or(expected)
}

fn path(value: &DeValue<'_>) -> Result<PathBuf, Expected> {
    value.as_str().filter(|text| !text.is_empty()).map(PathBuf::from).ok_or("the path of a file")
}

fn file(value: &DeValue<'_>) -> Result<Source, Expected> {
    path(value).map(Source::File)
}

fn variable(value: &DeValue<'_>) -> Result<Source, Expected> {
    let is_name = |text: &&str| !text.is_empty() && !text.contains(['=', '\0']);
    value.as_str().filter(is_name).map(|name| Source::Variable(name.to_owned())).ok_or("the name of a variable")
}

fn command(value: &DeValue<'_>) -> Result<Source, Expected> {
    words(value).map(Source::Command).ok_or("a command with its arguments, as a list of texts")
}

fn preset(value: &DeValue<'_>) -> Result<Preset, Expected> {
    match value.as_str() {
        Some("generic") => Ok(Preset::Generic),
        Some("slack") => Ok(Preset::Slack),
        Some("discord") => Ok(Preset::Discord),
        Some("dingtalk") => Ok(Preset::Dingtalk),
        _ => Err("\"generic\", \"slack\", \"discord\" or \"dingtalk\""),
    }
}

fn headers(value: &DeValue<'_>) -> Result<Vec<(String, Secret)>, Expected> {
    let header = |(name, value): (&toml::Spanned<std::borrow::Cow<'_, str>>, &toml::Spanned<DeValue<'_>>)| {
        let text = value.get_ref().as_str()?;
        Some((name.get_ref().to_string(), Secret::new(text.to_owned())))
    };
    let headers = value.as_table().and_then(|table| table.iter().map(header).collect());
    headers.ok_or("a table of headers, each a text")
}

fn truth(value: &DeValue<'_>) -> Result<bool, Expected> {
    value.as_bool().ok_or("true or false")
}

fn seconds(value: &DeValue<'_>) -> Result<Duration, Expected> {
    let seconds = integer(value).filter(|seconds| (1..=TIMEOUT_S_MAX).contains(seconds));
    let seconds = seconds.and_then(|seconds| u64::try_from(seconds).ok());
    seconds.map(Duration::from_secs).ok_or("a whole number of seconds from 1 to 120")
}

fn success(value: &DeValue<'_>) -> Result<Success, Expected> {
    let expected = "a table such as { pointer = \"/errcode\", equals = 0 }";
    let read = |table: &DeTable<'_>| {
        let pointer = table.get("pointer")?.get_ref().as_str()?.to_owned();
        let equals = scalar(table.get("equals")?.get_ref())?;
        (table.len() == 2).then_some(Success { pointer, equals })
    };
    value.as_table().and_then(read).ok_or(expected)
}

fn scalar(value: &DeValue<'_>) -> Option<Scalar> {
    if let Some(text) = value.as_str() {
        return Some(Scalar::Text(text.to_owned()));
    }
    value.as_bool().map(Scalar::Bool).or_else(|| integer(value).map(Scalar::Number))
}

fn integer(value: &DeValue<'_>) -> Option<i64> {
    value.as_integer().and_then(|number| i64::from_str_radix(number.as_str(), number.radix()).ok())
}
