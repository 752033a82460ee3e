//! What is expected where a word is completed: a command, an option, or a value of which argument?
//!
//! Goes through what stands before as the parser of the arguments would, and forgives what that would not.

use clap::{Arg, ArgAction, Command};

/// What is expected.
pub(super) enum Place<'a> {
    /// The name of a command of this one, or, where it takes one, a value.
    Command { of: &'a Command, or: Option<Wanted<'a>> },
    /// An option.
    Option { of: Parsed<'a> },
    /// A value.
    Value(Wanted<'a>),
    /// Nothing that is known.
    Nothing,
}

/// A command, and what is said of it already.
pub(super) struct Parsed<'a> {
    /// The command.
    pub(super) command: &'a Command,
    /// The options that stand before.
    pub(super) given: Vec<&'a Arg>,
}

/// A value that is wanted.
pub(super) struct Wanted<'a> {
    /// The names of the commands, without the program.
    pub(super) path: Vec<&'a str>,
    /// Of what.
    pub(super) argument: &'a Arg,
    /// What stands before it in the word: `--via=`.
    pub(super) before: String,
    /// What is typed of it.
    pub(super) typed: String,
    /// The words without an option that stand before.
    pub(super) words: Vec<String>,
}

/// Goes through the words before the one that is completed.
struct Walk<'a> {
    command: &'a Command,
    path: Vec<&'a str>,
    given: Vec<&'a Arg>,
    words: Vec<String>,
    /// The option whose value is next.
    pending: Option<&'a Arg>,
    /// Whether `--` stands before.
    is_escaped: bool,
}

/// Returns what is expected in place of `current`, behind the words `before`.
pub(super) fn place<'a>(program: &'a Command, before: &[String], current: &str) -> Place<'a> {
    let mut walk = Walk {
        command: program,
        path: Vec::new(),
        given: Vec::new(),
        words: Vec::new(),
        pending: None,
        is_escaped: false,
    };
    for word in before {
        if !walk.pass(word) {
            return Place::Nothing;
        }
    }
    walk.end(current)
}

impl<'a> Walk<'a> {
    /// Goes past a word; answers whether what is behind it can be understood.
    fn pass(&mut self, word: &str) -> bool {
        if self.pending.take().is_some() {
            return true;
        }
        if self.is_escaped {
            self.words.push(word.to_owned());
        } else if word == "--" {
            self.is_escaped = true;
            // What stands behind it is counted anew.
            if self.last().is_some() {
                self.words.clear();
            }
        } else if let Some(long) = word.strip_prefix("--") {
            let (name, value) = long.split_once('=').map_or((long, None), |(name, value)| (name, Some(value)));
            if let Some(option) = self.long(name) {
                self.given.push(option);
                self.pending = Some(option).filter(|_| value.is_none() && takes_value(option));
            }
        } else if word.len() > 1 && word.starts_with('-') {
            self.pass_short(&word[1..]);
        } else if self.words.is_empty() && self.command.has_subcommands() {
            match self.command.find_subcommand(word) {
                Some(next) => {
                    self.command = next;
                    self.path.push(next.get_name());
                    self.given.clear();
                }
                // Some take a value in place of a command of theirs.
                None if self.positional().is_some() => self.words.push(word.to_owned()),
                None => return false,
            }
        } else {
            self.words.push(word.to_owned());
        }
        true
    }

    /// Goes past flags such as `-qy`; the value of one that takes one is what follows in the word, or the next word.
    fn pass_short(&mut self, flags: &str) {
        for (index, flag) in flags.char_indices() {
            let Some(option) = self.command.get_arguments().find(|each| each.get_short() == Some(flag)) else { return };
            self.given.push(option);
            if takes_value(option) {
                self.pending = Some(option).filter(|_| index + flag.len_utf8() == flags.len());
                return;
            }
        }
    }

    fn end(self, current: &str) -> Place<'a> {
        if let Some(option) = self.pending {
            return self.value(option, "", current);
        }
        if self.is_escaped {
            let Some(last) = self.last().or_else(|| self.positional()) else { return Place::Nothing };
            return self.value(last, "", current);
        }
        if let Some((name, value)) = current.strip_prefix("--").and_then(|long| long.split_once('=')) {
            let Some(option) = self.long(name).filter(|option| takes_value(option)) else { return Place::Nothing };
            return self.value(option, &format!("--{name}="), value);
        }
        if current.starts_with('-') {
            return Place::Option { of: Parsed { command: self.command, given: self.given } };
        }
        if self.words.is_empty() && self.command.has_subcommands() {
            let of = self.command;
            let or = self.positional().map(|positional| self.wanted(positional, "", current));
            return Place::Command { of, or };
        }
        let Some(positional) = self.positional() else { return Place::Nothing };
        self.value(positional, "", current)
    }

    /// Returns the value of an argument. Of several with commas between only the last is completed.
    fn value(self, argument: &'a Arg, before: &str, current: &str) -> Place<'a> {
        Place::Value(self.wanted(argument, before, current))
    }

    fn wanted(self, argument: &'a Arg, before: &str, current: &str) -> Wanted<'a> {
        let takes_several = argument.get_value_delimiter() == Some(',') || is_task(argument);
        let start = current.rfind(',').map_or(0, |comma| comma + 1);
        let start = if takes_several { start } else { 0 };
        let beside = current[..start].split_terminator(',').map(str::to_owned).collect::<Vec<_>>();
        Wanted {
            path: self.path,
            argument,
            before: format!("{before}{}", &current[..start]),
            typed: current[start..].to_owned(),
            words: self.words.into_iter().chain(beside).collect(),
        }
    }

    /// Returns the argument whose turn it is, by the words that stand before.
    fn positional(&self) -> Option<&'a Arg> {
        let all: Vec<&Arg> = self.command.get_positionals().filter(|each| !each.is_last_set()).collect();
        let mut left = self.words.len();
        for each in all {
            let takes = each.get_num_args().map_or(1, |range| range.max_values());
            let takes = if matches!(each.get_action(), ArgAction::Append) { usize::MAX } else { takes };
            if left < takes {
                return Some(each);
            }
            left -= takes;
        }
        None
    }

    /// Returns the argument that stands behind `--`.
    fn last(&self) -> Option<&'a Arg> {
        self.command.get_positionals().find(|each| each.is_last_set())
    }

    fn long(&self, name: &str) -> Option<&'a Arg> {
        self.command.get_arguments().find(|each| each.get_long() == Some(name))
    }
}

/// Returns whether the argument names a task, or several.
pub(super) fn is_task(argument: &Arg) -> bool {
    argument.get_value_names().is_some_and(|names| names.iter().any(|name| name == "TASK" || name == "TASKS"))
}

fn takes_value(option: &Arg) -> bool {
    option.get_num_args().is_some_and(|range| range.takes_values())
}
