//! Which values does an argument take, and what is said of each?
//!
//! By the names of arguments, which say the same with every command; so a new command is completed without a word here.

use chrono_tz::TZ_VARIANTS;
use clap::{Arg, ArgAction, Command};
use unicode_segmentation::UnicodeSegmentation as _;

use crate::cli::complete::live;
use crate::cli::complete::place::{Parsed, Wanted, is_task};
use crate::cli::complete::shells::Shell;
use crate::cli::help::{self, TOPICS};
use crate::cli::render::text::clean;
use crate::config::edit::ConfigFile;
use crate::config::keys::{SECTIONS, Tables};
use crate::config::paths::Paths;
use crate::config::target::SETTABLE;
use crate::domain::delivery::ChannelKind;
use crate::domain::stage::STAGES;
use crate::protocol::methods::Method;

/// How much of a title is shown, in letters: more fits beside a number on no terminal.
const ABOUT_MAX: usize = 60;

/// What fits.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Offer {
    /// The words that fit, whole, in their order.
    pub(crate) candidates: Vec<Candidate>,
    /// What the shell itself knows better.
    pub(crate) rest: Rest,
    /// Whether more of the word follows, so that no space does.
    pub(crate) is_open: bool,
}

/// What the shell itself knows better.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum Rest {
    /// Nothing.
    #[default]
    Nothing,
    /// Which files there are.
    Files,
    /// Which directories there are.
    Directories,
    /// Which programs there are.
    Commands,
}

/// A word that fits.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Candidate {
    /// The word.
    pub(crate) value: String,
    /// What it stands for, on one line and with nothing that a terminal would obey; may be empty.
    pub(crate) about: String,
}

impl Candidate {
    /// Returns a word with what it stands for.
    pub(crate) fn new(value: String, about: &str) -> Self {
        let about = clean(about);
        let about = about.split_whitespace().collect::<Vec<_>>().join(" ");
        let short: String = about.graphemes(true).take(ABOUT_MAX).collect();
        Self { value, about: if short.len() < about.len() { format!("{short}…") } else { short } }
    }
}

impl Offer {
    fn of(candidates: Vec<Candidate>) -> Self {
        Self { candidates, ..Self::default() }
    }
}

/// Returns the commands of a command whose name begins with `typed`.
pub(super) fn commands(of: &Command, typed: &str) -> Offer {
    let shown = of.get_subcommands().filter(|each| !each.is_hide_set());
    let named = shown.flat_map(|each| each.get_name_and_visible_aliases().into_iter().map(move |name| (name, each)));
    let fitting = named.filter(|(name, _)| name.starts_with(typed));
    Offer::of(fitting.map(|(name, each)| Candidate::new(name.to_owned(), &about(each))).collect())
}

fn about(command: &Command) -> String {
    command.get_about().map(ToString::to_string).unwrap_or_default()
}

/// Returns the options of a command that begin with `typed` and are not given already, save those that may stand twice.
pub(super) fn options(of: &Parsed<'_>, typed: &str) -> Offer {
    let is_left = |each: &&Arg| {
        let is_given = of.given.iter().any(|given| given.get_id() == each.get_id());
        !each.is_hide_set() && (!is_given || matches!(each.get_action(), ArgAction::Append | ArgAction::Count))
    };
    let left = of.command.get_arguments().filter(is_left);
    let named = left.filter_map(|each| Some((format!("--{}", each.get_long()?), each)));
    let fitting = named.filter(|(name, _)| name.starts_with(typed));
    let said = |each: &Arg| each.get_help().map(ToString::to_string).unwrap_or_default();
    Offer::of(fitting.map(|(name, each)| Candidate::new(name, &said(each))).collect())
}

/// Returns the values that fit.
pub(super) fn values(wanted: &Wanted<'_>) -> Offer {
    let mut offer = all(wanted);
    offer.candidates.retain(|each| !wanted.words.contains(&each.value));
    for each in &mut offer.candidates {
        each.value.insert_str(0, &wanted.before);
    }
    offer
}

fn all(wanted: &Wanted<'_>) -> Offer {
    let typed = wanted.typed.as_str();
    let listed = wanted.argument.get_possible_values();
    if !listed.is_empty() {
        let shown = listed.iter().filter(|each| !each.is_hide_set());
        let said = shown.map(|each| (each.get_name(), each.get_help().map(ToString::to_string).unwrap_or_default()));
        let fitting = said.filter(|(name, _)| name.starts_with(typed));
        return Offer::of(fitting.map(|(name, about)| Candidate::new(name.to_owned(), &about)).collect());
    }
    let command = wanted.path.first().copied().unwrap_or_default();
    if is_task(wanted.argument) || command == "snooze" && wanted.argument.is_positional() {
        return match typed.strip_prefix('+') {
            Some(tag) => tags("+", tag),
            None => Offer::of(live::tasks(verb(command, wanted.argument), typed)),
        };
    }
    let words = |words: &[&str]| {
        let fitting = words.iter().filter(|each| each.starts_with(typed));
        Offer::of(fitting.map(|each| Candidate::new((*each).to_owned(), "")).collect())
    };
    match (command, wanted.argument.get_id().as_str()) {
        (_, "via") | ("channel", "target") => starting(live::targets(), typed),
        (_, "tag" | "untag") => tags("", typed),
        ("away", "except") => match typed.strip_prefix('+') {
            Some(tag) => tags("+", tag),
            None => tags("", typed),
        },
        ("add" | "remind" | "list" | "edit", "words") => {
            typed.strip_prefix('+').map_or_else(Offer::default, |tag| tags("+", tag))
        }
        (_, "tz") => zones(typed),
        (_, "stage") => words(&STAGES),
        (_, "missed") => words(&["once", "skip", "all"]),
        (_, "overlap") => words(&["skip", "queue", "allow"]),
        (_, "on_parent_fail") => words(&["hold", "run", "cancel"]),
        ("config", "key") => starting(keys(), typed),
        ("channel", "kind") => words(&SETTABLE.map(ChannelKind::as_str)),
        ("undo" | "op", "op") => starting(live::ops(), typed),
        ("rpc", "method") => words(&Method::ALL.iter().map(|method| method.as_str()).collect::<Vec<_>>()),
        ("help", "command") => topics(wanted, typed),
        ("completions", "shell") => words(&Shell::ALL.map(|(_, word)| word)),
        (_, "dir") => Offer { rest: Rest::Directories, ..Offer::default() },
        (_, "command") if wanted.argument.is_last_set() => {
            // First the program, then what it is told.
            let rest = if wanted.words.is_empty() { Rest::Commands } else { Rest::Files };
            Offer { rest, ..Offer::default() }
        }
        _ if is_file(wanted.argument) => Offer { rest: Rest::Files, ..Offer::default() },
        _ => Offer::default(),
    }
}

/// Returns what is said of a task with a command, as the daemon knows it.
fn verb<'a>(command: &'a str, argument: &Arg) -> &'a str {
    const CHANGING: [&str; 10] =
        ["done", "ack", "snooze", "pause", "resume", "skip", "cancel", "delete", "retry", "unblock"];
    match command {
        // Of what another one waits for, any open task.
        _ if !argument.is_positional() => "get",
        "edit" => "update",
        "run" => "run",
        _ if CHANGING.contains(&command) => command,
        _ => "get",
    }
}

/// Returns the keys of the configuration, those of tables that are named with the names that are there.
fn keys() -> Vec<Candidate> {
    let file = Paths::of_process().ok().and_then(|paths| ConfigFile::read(paths.config_file()).ok());
    let named = file.map(|file| file.config().named_targets()).unwrap_or_default();
    let mut keys = Vec::new();
    for section in SECTIONS {
        let table = section.name.split('.').next().unwrap_or_default();
        let tables: Vec<String> = match section.tables {
            Tables::One if section.name.is_empty() => vec![String::new()],
            Tables::One => vec![format!("{}.", section.name)],
            Tables::Named => {
                let of_table = named.iter().filter(|target| table.starts_with(target.kind.as_str()));
                of_table.map(|target| format!("{table}.{}.", target.address)).collect()
            }
            // They have no names.
            Tables::Listed => Vec::new(),
        };
        for prefix in tables {
            keys.extend(section.keys.iter().map(|key| Candidate::new(format!("{prefix}{}", key.name), key.about)));
        }
    }
    keys
}

fn starting(candidates: Vec<Candidate>, typed: &str) -> Offer {
    Offer::of(candidates.into_iter().filter(|each| each.value.starts_with(typed)).collect())
}

fn tags(sign: &str, typed: &str) -> Offer {
    let fitting = live::tags().into_iter().filter(|tag| tag.starts_with(typed));
    Offer::of(fitting.map(|tag| Candidate::new(format!("{sign}{tag}"), "")).collect())
}

/// Returns the zones, part by part: there are six hundred.
fn zones(typed: &str) -> Offer {
    let fits = |name: &&str| name.get(..typed.len()).is_some_and(|start| start.eq_ignore_ascii_case(typed));
    let whole: Vec<&str> = TZ_VARIANTS.iter().map(|zone| zone.name()).filter(fits).collect();
    let mut parts: Vec<&str> = Vec::new();
    for name in &whole {
        let part = name[typed.len()..].find('/').map_or(*name, |slash| &name[..=typed.len() + slash]);
        if !parts.contains(&part) {
            parts.push(part);
        }
    }
    let is_open = !parts.is_empty() && parts.iter().all(|part| part.ends_with('/'));
    let candidates = parts.into_iter().map(|part| Candidate::new(part.to_owned(), "")).collect();
    Offer { candidates, is_open, ..Offer::default() }
}

/// Returns the commands that help can be asked for, and at first the other topics.
fn topics(wanted: &Wanted<'_>, typed: &str) -> Offer {
    let mut at = help::program();
    let named: Vec<&String> = wanted.words.iter().filter(|word| !word.is_empty()).collect();
    for word in &named {
        let Some(next) = at.find_subcommand(word) else { return Offer::default() };
        at = next.clone();
    }
    let mut offer = commands(&at, typed);
    if named.is_empty() {
        let fitting = TOPICS.iter().filter(|topic| topic.name.starts_with(typed));
        offer.candidates.extend(fitting.map(|topic| Candidate::new(topic.name.to_owned(), topic.about)));
    }
    offer
}

fn is_file(argument: &Arg) -> bool {
    let is_named = |name: &str| matches!(name, "FILE" | "PATH");
    argument.get_value_names().is_some_and(|names| names.iter().any(|name| is_named(name)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_of_a_word_is_one_short_line_without_controls() {
        let about = |title: &str| Candidate::new("1".to_owned(), title).about;
        assert_eq!(about("pay\n\trent"), "pay rent");
        assert_eq!(about("\u{1b}[31mred\u{7}"), "␛[31mred␇");
        assert_eq!(about("$(touch /tmp/x) `id` 'a' \"b\" a:b"), "$(touch /tmp/x) `id` 'a' \"b\" a:b");
        assert_eq!(about(&"交".repeat(70)), format!("{}…", "交".repeat(60)));
    }
}
