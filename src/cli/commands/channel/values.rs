//! The options that set a target up: one for each key that some kind has, made of the configuration's own table, so that a key
//! that is new there is an option here.
//!
//! Never takes what is secret as a word of the command line, but an address: the shell keeps such words, and every process
//! can see them.

use std::collections::BTreeMap;
use std::io::Read as _;
use std::path::Path;

use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};

use crate::cli::commands::channel::about::about;
use crate::cli::error::CliError;
use crate::config::edit::Entry;
use crate::config::literal::words;
use crate::config::target::{Key, SETTABLE, SOURCES, Shape, keys};
use crate::domain::delivery::ChannelKind;
use crate::domain::secret::Secret;

/// The longest secret that is read from standard input, in bytes: a key in PEM fits.
const SECRET_BYTES_MAX: u64 = 64 * 1024;

/// What was given of the keys, by their names with the endings of the configuration (`token_file`).
#[derive(Clone, Debug, Default)]
pub(super) struct Values(BTreeMap<String, Vec<String>>);

/// A value of a key as it was given.
pub(super) enum Taken {
    /// It goes into the configuration as it is, under this key.
    Plain(String, Entry),
    /// It is to be kept in a file of its own.
    Secret(Secret),
}

impl Values {
    /// Returns those of one key, as it was typed at a question.
    pub(super) fn of_one(key: &Key, value: String) -> Self {
        let values = match key.shape {
            // A list is typed with spaces between.
            Shape::Words if key.name != "command" => value.split_whitespace().map(str::to_owned).collect(),
            Shape::Words
            | Shape::Secret
            | Shape::Text
            | Shape::OneOf(_)
            | Shape::Truth
            | Shape::Number(..)
            | Shape::Path => vec![value],
        };
        Self(BTreeMap::from([(key.name.to_owned(), values)]))
    }

    /// Returns whether a secret is a word of the command line.
    pub(super) fn shows(&self, key: &Key) -> bool {
        matches!(key.shape, Shape::Secret) && self.0.contains_key(key.name)
    }

    /// Returns the options of keys that a kind does not have.
    pub(super) fn foreign_to(&self, kind: ChannelKind) -> Vec<String> {
        let known: Vec<String> = keys(kind).iter().flat_map(names).collect();
        self.0.keys().filter(|name| !known.contains(name)).map(|name| option(name)).collect()
    }

    /// Returns what was given of a key; `None` where nothing was.
    ///
    /// # Errors
    /// It was given in several ways, or cannot be used.
    pub(super) fn take(&self, key: &Key) -> Result<Option<Taken>, CliError> {
        let given: Vec<(String, &Vec<String>)> =
            names(key).into_iter().filter_map(|name| self.0.get(&name).map(|values| (name, values))).collect();
        let [(name, values)] = given.as_slice() else {
            if given.is_empty() {
                return Ok(None);
            }
            let options: Vec<String> = given.iter().map(|(name, _)| option(name)).collect();
            let message = format!("cannot use {} together", options.join(" and "));
            return Err(CliError::usage(message, "give one of them"));
        };
        read(key, name, values).map(Some)
    }
}

/// Returns every name that a key has in the configuration.
pub(super) fn names(key: &Key) -> Vec<String> {
    let plain = std::iter::once(key.name.to_owned());
    match key.shape {
        Shape::Secret => plain.chain(SOURCES.map(|ending| format!("{}{ending}", key.name))).collect(),
        Shape::Text | Shape::OneOf(_) | Shape::Words | Shape::Truth | Shape::Number(..) | Shape::Path => {
            plain.collect()
        }
    }
}

/// Returns the options by which a key may be given, as they are typed.
pub(super) fn options(key: &Key) -> String {
    match key.shape {
        Shape::Secret => {
            let sources: Vec<String> = SOURCES.iter().map(|ending| option(&format!("{}{ending}", key.name))).collect();
            format!("{} (or {})", sources[0], sources[1..].join(", "))
        }
        Shape::Text | Shape::OneOf(_) | Shape::Words | Shape::Truth | Shape::Number(..) | Shape::Path => {
            option(key.name)
        }
    }
}

fn option(name: &str) -> String {
    format!("--{}", name.replace('_', "-"))
}

fn read(key: &Key, name: &str, values: &[String]) -> Result<Taken, CliError> {
    let last = values.last().map(String::as_str).unwrap_or_default();
    let plain = |entry| Ok(Taken::Plain(name.to_owned(), entry));
    let unusable = |expected: &str| {
        CliError::usage(format!("cannot use {} {last:?}: expected {expected}", option(name)), about(key.name))
    };
    match key.shape {
        Shape::Text | Shape::OneOf(_) => plain(Entry::Text(last.to_owned())),
        Shape::Path => plain(Entry::Text(whole_path(last)?)),
        Shape::Truth => match last {
            "true" | "yes" => plain(Entry::Truth(true)),
            "false" | "no" => plain(Entry::Truth(false)),
            _ => Err(unusable("true or false")),
        },
        Shape::Number(from, to) => match last.parse() {
            Ok(number) if (from..=to).contains(&number) => plain(Entry::Number(number)),
            Ok(_) | Err(_) => Err(unusable(&format!("a whole number from {from} to {to}"))),
        },
        Shape::Words if key.name == "command" => plain(Entry::Words(words(last).ok_or_else(|| unusable(QUOTES))?)),
        Shape::Words => plain(Entry::Words(values.to_vec())),
        Shape::Secret => secret(key, name, last),
    }
}

/// What is wrong with a command.
const QUOTES: &str = "a program and its arguments, each quote with its other half";

fn secret(key: &Key, name: &str, value: &str) -> Result<Taken, CliError> {
    let ending = name.strip_prefix(key.name).unwrap_or_default();
    let plain = |entry| Ok(Taken::Plain(name.to_owned(), entry));
    match ending {
        "_file" if value == "-" => Ok(Taken::Secret(of_input()?)),
        "_file" => plain(Entry::Text(whole_path(value)?)),
        "_env" => plain(Entry::Text(value.to_owned())),
        "_command" => {
            let message = || format!("cannot use {} {value:?}: expected {QUOTES}", option(name));
            let words = words(value).ok_or_else(|| CliError::usage(message(), "such as 'pass show keiko'"))?;
            plain(Entry::Words(words))
        }
        // An address is often no secret, and is kept like one all the same.
        _ if key.name.ends_with("url") => Ok(Taken::Secret(Secret::new(value.to_owned()))),
        _ => {
            let message = format!(
                "cannot take {} from the command line: the shell keeps it, and every process can see it",
                option(name)
            );
            let hint = format!(
                "{0}-file - reads it from standard input; {0}-file PATH, {0}-env NAME and {0}-command 'pass show …' say \
                 where it is; on a terminal it is asked for",
                option(key.name)
            );
            Err(CliError::usage(message, hint))
        }
    }
}

/// Returns a secret from standard input.
fn of_input() -> Result<Secret, CliError> {
    let mut text = String::new();
    let read = std::io::stdin().lock().take(SECRET_BYTES_MAX).read_to_string(&mut text);
    read.map_err(|source| CliError::Input { source })?;
    let text = text.trim();
    if text.is_empty() {
        return Err(CliError::usage("cannot use standard input as a secret: nothing stands there", "pipe it in"));
    }
    Ok(Secret::new(text.to_owned()))
}

/// Returns a path as the daemon, which works in another folder, understands it.
fn whole_path(path: &str) -> Result<String, CliError> {
    let whole = std::path::absolute(Path::new(path))
        .map_err(|error| CliError::usage(format!("cannot tell where {path:?} is: {error}"), "give the whole path"))?;
    Ok(whole.display().to_string())
}

/// Every key of every kind, each once, with every name that it has.
fn all() -> BTreeMap<String, Key> {
    let keys = SETTABLE.into_iter().flat_map(keys);
    keys.flat_map(|key| names(key).into_iter().map(|name| (name, *key))).collect()
}

impl Args for Values {
    fn augment_args(mut command: Command) -> Command {
        for (name, key) in all() {
            let ending = name.strip_prefix(key.name).unwrap_or_default().to_owned();
            let (value, help) = match ending.as_str() {
                "_file" => ("PATH", format!("A file that holds it; - reads it from standard input ({})", key.name)),
                "_env" => ("NAME", format!("The variable of the daemon's environment that holds it ({})", key.name)),
                "_command" => {
                    ("COMMAND", format!("A program that prints it, such as 'pass show keiko' ({})", key.name))
                }
                _ => ("VALUE", about(key.name).to_owned()),
            };
            let long = name.replace('_', "-");
            let argument = Arg::new(name).long(long).value_name(value).help(help).action(ArgAction::Append);
            command = command.arg(argument.allow_hyphen_values(true).help_heading("What the kind needs"));
        }
        command
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for Values {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let given = |name: &String| Some(matches.get_many::<String>(name)?.cloned().collect());
        Ok(Self(all().into_keys().filter_map(|name| given(&name).map(|values| (name, values))).collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_divided_by_spaces_outside_of_quotes() {
        let words = |text| words(text).map(|words| words.join("|"));
        for (text, expected) in [
            ("pass show keiko", Some("pass|show|keiko")),
            ("  sh -c 'echo \"a b\"'  ", Some("sh|-c|echo \"a b\"")),
            ("say \"\"", Some("say|")),
            ("a'b c'd", Some("ab cd")),
            ("pass 'show", None),
            ("", None),
            ("''", None),
        ] {
            assert_eq!(words(text).as_deref(), expected, "of {text:?}");
        }
    }

    #[test]
    fn a_secret_is_no_word_of_the_command_line() {
        let key = keys(ChannelKind::Telegram).iter().find(|key| key.name == "token").expect("telegram has a token");
        let values = |name: &str, value: &str| Values(BTreeMap::from([(name.to_owned(), vec![value.to_owned()])]));
        let refused = values("token", "hunter2").take(key).err().expect("it is refused");
        assert_eq!(
            refused.to_string(),
            "cannot take --token from the command line: the shell keeps it, and every process can see it"
        );
        assert!(!refused.hint().expect("what to do instead").contains("hunter2"));
        let taken = values("token_command", "pass show bot").take(key).ok().flatten().expect("it is taken");
        let words = ["pass", "show", "bot"].map(str::to_owned).to_vec();
        assert!(matches!(taken, Taken::Plain(name, Entry::Words(found)) if name == "token_command" && found == words));
        assert_eq!(values("to", "me@example.org").foreign_to(ChannelKind::Telegram), ["--to"]);
    }
}
