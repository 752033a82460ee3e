//! What do the tables `[telegram.NAME]`, `[feishu.NAME]`, `[wecom.NAME]`, `[ntfy.NAME]`, `[mail.NAME]` and `[exec.NAME]` say?
//!
//! Every kind has a list of keys, each of a shape. Never opens a file or runs a program that a table names, and never shows
//! a value that may be a secret.

use std::collections::BTreeMap;
use std::path::PathBuf;

use toml::de::DeValue;

use crate::config::file::Position;
use crate::config::value::Expected;
use crate::config::webhook::Source;
use crate::domain::delivery::{ChannelKind, Target};
use crate::domain::secret::Secret;

/// One target as configured.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ConfiguredTarget {
    /// Which, by the name of its table.
    pub target: Target,
    /// Where its table stands.
    pub at: Position,
    /// What stands there, by the plain names of the keys: `token` also where it is given as `token_file`.
    pub values: BTreeMap<&'static str, (Position, Value)>,
}

/// What a key says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Value {
    /// A text.
    Text(String),
    /// Several.
    Words(Vec<String>),
    /// True or false.
    Truth(bool),
    /// A whole number.
    Number(u32),
    /// A path; a relative one is meant from the directory of the configuration.
    Path(PathBuf),
    /// A secret, or where it is.
    Secret(Source),
}

/// A key that a table may have.
#[derive(Clone, Copy, Debug)]
pub struct Key {
    /// Its name. A secret's is also that of `NAME_file`, `NAME_env` and `NAME_command`.
    pub name: &'static str,
    /// What it holds.
    pub shape: Shape,
    /// Whether the table is of no use without it.
    pub is_required: bool,
}

/// What a key holds.
#[derive(Clone, Copy, Debug)]
pub enum Shape {
    /// A text that may be shown.
    Text,
    /// One of some words.
    OneOf(&'static [&'static str]),
    /// A list of texts, or one.
    Words,
    /// True or false.
    Truth,
    /// A whole number within bounds, both possible.
    Number(u32, u32),
    /// A path.
    Path,
    /// A text that is never shown, or where it is.
    Secret,
}

/// The endings that a secret's key has by where the secret is.
pub const SOURCES: [&str; 3] = ["_file", "_env", "_command"];

/// The kinds that have tables here; a webhook's is read in [`crate::config::webhook`].
pub const KINDS: [ChannelKind; 6] = [
    ChannelKind::Telegram,
    ChannelKind::Feishu,
    ChannelKind::Wecom,
    ChannelKind::Ntfy,
    ChannelKind::Mail,
    ChannelKind::Exec,
];

/// The kinds of which targets can be set up.
pub const SETTABLE: [ChannelKind; 7] = [
    ChannelKind::Webhook,
    ChannelKind::Telegram,
    ChannelKind::Feishu,
    ChannelKind::Wecom,
    ChannelKind::Ntfy,
    ChannelKind::Mail,
    ChannelKind::Exec,
];

const fn required(name: &'static str, shape: Shape) -> Key {
    Key { name, shape, is_required: true }
}

const fn optional(name: &'static str, shape: Shape) -> Key {
    Key { name, shape, is_required: false }
}

/// How long an attempt may take in all, in seconds.
const TIMEOUT: Key = optional("timeout_s", Shape::Number(1, 120));

/// Certificates (PEM) to trust beside the system's.
const CA: Key = optional("ca_file", Shape::Path);

const TELEGRAM: &[Key] = &[
    required("token", Shape::Secret),
    required("chat", Shape::Text),
    optional("buttons", Shape::Truth),
    // Another server of the same interface, such as one of the person's own.
    optional("api_url", Shape::Text),
    CA,
    TIMEOUT,
];

const FEISHU: &[Key] = &[required("url", Shape::Secret), optional("secret", Shape::Secret), CA, TIMEOUT];

const WECOM: &[Key] = &[required("url", Shape::Secret), CA, TIMEOUT];

const NTFY: &[Key] = &[
    // With the topic, which is often the whole key to it.
    required("url", Shape::Secret),
    optional("token", Shape::Secret),
    // The topic on which its buttons answer.
    optional("answers_url", Shape::Secret),
    CA,
    TIMEOUT,
];

const MAIL: &[Key] = &[
    required("host", Shape::Text),
    optional("port", Shape::Number(1, 65_535)),
    optional("security", Shape::OneOf(&["tls", "starttls", "none"])),
    optional("user", Shape::Text),
    optional("password", Shape::Secret),
    required("from", Shape::Text),
    required("to", Shape::Words),
    CA,
    TIMEOUT,
];

const EXEC: &[Key] = &[required("command", Shape::Words), TIMEOUT];

/// The plain ones of a webhook, whose tables have further keys.
const WEBHOOK: &[Key] = &[
    required("url", Shape::Secret),
    optional("preset", Shape::OneOf(&["generic", "slack", "discord", "dingtalk"])),
    optional("secret", Shape::Secret),
    optional("allow_redirects", Shape::Truth),
    CA,
    TIMEOUT,
];

/// Returns the keys of a kind's tables, in the order in which a person is asked for them; none where it has no tables.
#[must_use]
pub const fn keys(kind: ChannelKind) -> &'static [Key] {
    match kind {
        ChannelKind::Desktop | ChannelKind::Terminal => &[],
        ChannelKind::Webhook => WEBHOOK,
        ChannelKind::Telegram => TELEGRAM,
        ChannelKind::Feishu => FEISHU,
        ChannelKind::Wecom => WECOM,
        ChannelKind::Ntfy => NTFY,
        ChannelKind::Mail => MAIL,
        ChannelKind::Exec => EXEC,
    }
}

/// Returns the key that a name in a table of `kind` means, and the ending behind it.
pub(super) fn find(kind: ChannelKind, name: &str) -> Option<(&'static Key, &'static str)> {
    keys(kind).iter().find_map(|key| {
        let rest = name.strip_prefix(key.name)?;
        let is_secret = matches!(key.shape, Shape::Secret);
        let ending = SOURCES.iter().find(|ending| is_secret && rest == **ending).copied();
        if rest.is_empty() { Some((key, "")) } else { ending.map(|ending| (key, ending)) }
    })
}

/// Returns whether a name can be typed behind `telegram:` and the like, and is no URL.
#[must_use]
pub fn is_name(name: &str) -> bool {
    (1..=64).contains(&name.len()) && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
}

/// Returns every name that a table of `kind` may have.
pub(super) fn names(kind: ChannelKind) -> impl Iterator<Item = &'static str> {
    keys(kind).iter().map(|key| key.name)
}

/// Reads what stands behind a key with an ending.
pub(super) fn read(key: &Key, ending: &str, value: &DeValue<'_>) -> Result<Value, Expected> {
    // What stands here can be looked at here; what stands elsewhere is looked at when it is read.
    if ending.is_empty()
        && let (Some(expected), Some(text)) = (form(key.name), value.as_str())
        && !expected.fits(text)
    {
        return Err(expected.words);
    }
    match key.shape {
        Shape::Text => text(value).map(Value::Text).ok_or("a text"),
        Shape::OneOf(words) => {
            let found = text(value).filter(|text| words.contains(&text.as_str()));
            found.map(Value::Text).ok_or("one of the words that the manual names")
        }
        Shape::Words => words(value).map(Value::Words).ok_or("a text, or a list of texts that is not empty"),
        Shape::Truth => value.as_bool().map(Value::Truth).ok_or("true or false"),
        Shape::Number(from, to) => number(value)
            .filter(|number| (from..=to).contains(number))
            .map(Value::Number)
            .ok_or("a whole number in its bounds"),
        Shape::Path => text(value).map(|text| Value::Path(text.into())).ok_or("the path of a file"),
        Shape::Secret => source(ending, value).map(Value::Secret),
    }
}

/// How a text of some keys must look.
struct Form {
    fits: fn(&str) -> bool,
    words: Expected,
}

impl Form {
    fn fits(&self, text: &str) -> bool {
        (self.fits)(text)
    }
}

fn form(name: &str) -> Option<Form> {
    match name {
        "url" | "answers_url" | "api_url" => Some(Form {
            fits: |text| {
                ["https://", "http://"]
                    .iter()
                    .any(|scheme| text.strip_prefix(scheme).is_some_and(|rest| !rest.is_empty()))
            },
            words: "a URL that begins with https:// or http://",
        }),
        "chat" => Some(Form {
            fits: |text| match text.strip_prefix('@') {
                Some(name) => !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_'),
                None => text.parse::<i64>().is_ok(),
            },
            words: "a chat's number, or the @name of a public channel",
        }),
        _ => None,
    }
}

fn source(ending: &str, value: &DeValue<'_>) -> Result<Source, Expected> {
    match ending {
        "_file" => text(value).map(|text| Source::File(text.into())).ok_or("the path of a file"),
        "_env" => {
            text(value).filter(|text| !text.contains(['=', '\0'])).map(Source::Variable).ok_or("the name of a variable")
        }
        "_command" => words(value).map(Source::Command).ok_or("a command with its arguments, as a list of texts"),
        _ => text(value).map(|text| Source::Given(vec![Secret::new(text)])).ok_or("a text"),
    }
}

fn text(value: &DeValue<'_>) -> Option<String> {
    value.as_str().filter(|text| !text.is_empty()).map(str::to_owned)
}

pub(super) fn words(value: &DeValue<'_>) -> Option<Vec<String>> {
    let words: Vec<String> = match value.as_array() {
        Some(values) => values.iter().map(|value| text(value.get_ref())).collect::<Option<_>>()?,
        None => vec![text(value)?],
    };
    (!words.is_empty()).then_some(words)
}

fn number(value: &DeValue<'_>) -> Option<u32> {
    value.as_integer().and_then(|number| u32::from_str_radix(number.as_str(), number.radix()).ok())
}
