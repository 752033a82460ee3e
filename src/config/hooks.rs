//! What do the tables `[[hooks]]` say?
//!
//! Never runs one, and never decides what is told to which: [`crate::domain::hook`] does, of the values that are read here.

use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::config::nearest::nearest;
use crate::config::routing::priority;
use crate::config::target::words;
use crate::config::value::{self, Expected};
use crate::domain::hook::{HOOKS_MAX, Happening, Hook};
use crate::domain::task::Number;

/// Every key that a hook may have.
pub(super) const KEYS: [&str; 9] =
    ["name", "on", "tags", "tasks", "priority", "late", "command", "directory", "timeout"];

/// The hooks that were read, and what is wrong with the others.
#[derive(Default)]
pub(super) struct Read {
    pub(super) hooks: Vec<Hook>,
    /// Each bad value: its key in full, what would have been accepted, where it stands, and whether it may be shown.
    pub(super) bad: Vec<Bad>,
    /// Each key that nobody knows, with the one that is most like it.
    pub(super) unknown: Vec<(String, Option<&'static str>, Range<usize>)>,
}

/// A bad value.
pub(super) struct Bad {
    pub(super) key: String,
    pub(super) expected: Expected,
    pub(super) span: Range<usize>,
    /// Arguments may hold keys.
    pub(super) is_secret: bool,
}

/// Reads the hooks.
pub(super) fn hooks(value: &Spanned<DeValue<'_>>) -> Read {
    let mut read = Read::default();
    let Some(hooks) = value.get_ref().as_array() else {
        read.bad("hooks".to_owned(), "a table for each, such as [[hooks]]", value.span());
        return read;
    };
    for (index, hook) in hooks.iter().enumerate() {
        match hook.get_ref().as_table() {
            Some(table) => read.hook(index, table, &hook.span()),
            None => read.bad(format!("hooks[{index}]"), "a table", hook.span()),
        }
    }
    if hooks.len() > HOOKS_MAX {
        read.bad("hooks".to_owned(), "at most 64 hooks", value.span());
    }
    read
}

impl Read {
    fn bad(&mut self, key: String, expected: Expected, span: Range<usize>) {
        self.bad.push(Bad { key, expected, span, is_secret: true });
    }

    fn hook(&mut self, index: usize, table: &DeTable<'_>, span: &Range<usize>) {
        let mut hook = Hook::new(Vec::new());
        let bad_before = self.bad.len();
        for (key, value) in table {
            let name = format!("hooks[{index}].{}", key.get_ref());
            if key.get_ref() == "on" {
                hook.on = self.happenings(&name, value);
                continue;
            }
            match set(&mut hook, key.get_ref(), value.get_ref()) {
                None => self.unknown.push((name, nearest(key.get_ref(), KEYS.into_iter()), key.span())),
                Some(Ok(())) => {}
                Some(Err(expected)) => {
                    let is_secret = key.get_ref() == "command";
                    self.bad.push(Bad { key: name, expected, span: value.span(), is_secret });
                }
            }
        }
        if self.bad.len() > bad_before {
            return;
        }
        if !table.contains_key("on") {
            return self.bad(format!("hooks[{index}]"), "on, such as on = [\"completed\", \"failed\"]", span.clone());
        }
        match hook.ready() {
            Ok(hook) if self.hooks.iter().any(|known| known.name == hook.name) => {
                self.bad(format!("hooks[{index}]"), "a name that no other hook has", span.clone());
            }
            Ok(hook) => self.hooks.push(hook),
            Err(expected) => self.bad(format!("hooks[{index}]"), expected, span.clone()),
        }
    }

    /// Reads what a hook is told of: words, or `all` for everything. Each word that is none is noted with the one that was meant.
    fn happenings(&mut self, key: &str, value: &Spanned<DeValue<'_>>) -> Vec<Happening> {
        let mut happenings = Vec::new();
        let single = std::slice::from_ref(value);
        let each = value.get_ref().as_array().map_or(single, |list| list.as_ref());
        if each.is_empty() {
            self.bad(key.to_owned(), EVENTS, value.span());
        }
        for word in each {
            let each_span = word.span();
            match word.get_ref().as_str().map(|word| (word, Happening::from_word(word))) {
                Some((_, Some(happening))) if happenings.contains(&happening) => {}
                Some((_, Some(happening))) => happenings.push(happening),
                Some(("all", None)) if each.len() == 1 => {}
                Some((word, None)) => {
                    let meant = nearest(word, Happening::ALL.iter().map(|each| each.as_str()));
                    let expected = meant.and_then(Happening::from_word).map_or(EVENTS, Happening::meant);
                    self.bad.push(Bad { key: key.to_owned(), expected, span: each_span, is_secret: false });
                }
                None => self.bad(key.to_owned(), EVENTS, each_span),
            }
        }
        happenings
    }
}

/// What a hook can be told of, where nothing is like what stands there.
const EVENTS: Expected = "\"all\", or names of events such as [\"completed\", \"failed\"]; keikod --help lists them";

/// Reads a value into its place; `None` where there is no such key.
fn set(hook: &mut Hook, key: &str, value: &DeValue<'_>) -> Option<Result<(), Expected>> {
    let text = |expected| value.as_str().filter(|text| !text.is_empty()).map(str::to_owned).ok_or(expected);
    Some(match key {
        "name" => text("a name of letters, digits, - and _, at most 64").map(|name| hook.name = name),
        "tags" => value::tags(value).map(|tags| hook.tags = tags),
        "tasks" => tasks(value).map(|tasks| hook.tasks = tasks),
        "priority" => priority(value).map(|priority| hook.priority = Some(priority)),
        "late" => value.as_bool().map(|is_late_only| hook.is_late_only = is_late_only).ok_or("true or false"),
        "command" => words(value)
            .map(|command| hook.command = command)
            .ok_or("a program, or a list of it and its arguments: texts that are not empty"),
        "directory" => text("the path of a directory").map(|directory| hook.directory = directory),
        "timeout" => value::snooze(value)
            .map(|timeout| hook.timeout = timeout)
            .map_err(|_| "a length of time with its unit, such as \"30s\" or \"5m\""),
        _ => return None,
    })
}

fn tasks(value: &DeValue<'_>) -> Result<Vec<Number>, Expected> {
    let number = |value: &DeValue<'_>| {
        let integer = value.as_integer()?;
        u64::from_str_radix(integer.as_str(), integer.radix()).ok().map(Number)
    };
    let numbers = match value.as_array() {
        Some(values) => values.iter().map(|value| number(value.get_ref())).collect(),
        None => number(value).map(|number| vec![number]),
    };
    numbers.ok_or("a list of numbers of tasks, such as [3, 7]")
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::config::Config;
    use crate::domain::task::Priority;
    use crate::domain::time::Span;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let told = match Config::parse(Path::new("config.toml"), text) {
            Ok((config, warnings)) => {
                assert_eq!(config.hooks.len(), text.matches("[[hooks]]").count());
                warnings.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
            }
            Err(error) => error.to_string(),
        };
        assert_eq!(told, expected, "of {text:?}");
    }

    #[test]
    fn hooks_are_read_whole() {
        let text = "[[hooks]]\nname = 'ci'\non = ['completed', 'failed', 'failed']\ntags = ['+ci']\ntasks = [3, 0x7]\n\
                    priority = 'high'\nlate = true\ncommand = ['/bin/tell', '--key', 'x y']\ndirectory = '/srv'\ntimeout = '2m'\n\
                    [[hooks]]\non = 'all'\ncommand = 'true'\n";
        let (config, warnings) = Config::parse(Path::new("config.toml"), text).expect("it is good");
        let first = Hook {
            name: "ci".to_owned(),
            on: vec![Happening::Completed, Happening::Failed],
            tags: vec!["ci".to_owned()],
            tasks: vec![Number(3), Number(7)],
            priority: Some(Priority::High),
            is_late_only: true,
            directory: "/srv".to_owned(),
            timeout: Span::from_secs(120),
            ..Hook::new(["/bin/tell", "--key", "x y"].map(str::to_owned).to_vec())
        };
        let second = Hook::new(vec!["true".to_owned()]).ready().expect("it is good");
        assert!(second.name.starts_with("hook-") && second.name.len() == 13, "{}", second.name);
        assert_eq!((config.hooks, warnings), (vec![first, second], Vec::new()));
    }

    #[test]
    fn what_cannot_be_used_is_told_with_its_place_and_what_was_meant() {
        check(
            "[[hooks]]\non = ['complete']\ncommand = 'x'\n",
            "config.toml:2:7: cannot use hooks[0].on = 'complete': expected names of events, did you mean \"completed\"?",
        );
        check(
            "[[hooks]]\non = ['due', 'xyzzyxyzzy']\ncommand = 'x'\n",
            "config.toml:2:14: cannot use hooks[0].on = 'xyzzyxyzzy': expected \"all\", or names of events such as \
             [\"completed\", \"failed\"]; keikod --help lists them",
        );
        check(
            "[[hooks]]\non = 'due'\ncomand = 'x'\ncommand = 'x'\n",
            "config.toml:3:1: passed over the unknown key hooks[0].comand, did you mean command?",
        );
        check(
            "[[hooks]]\non = 'due'\ncommand = ['tell', 'hunter2', 3]\n",
            "config.toml:3:11: cannot use hooks[0].command = (not shown): expected a program, or a list of it and its \
             arguments: texts that are not empty",
        );
        check(
            "[[hooks]]\non = 'due'\n",
            "config.toml:1:1: cannot use hooks[0] = (not shown): expected a command: a program with its arguments",
        );
        check(
            "[[hooks]]\ncommand = 'x'\n",
            "config.toml:1:1: cannot use hooks[0] = (not shown): expected on, such as on = [\"completed\", \"failed\"]",
        );
        check(
            "[[hooks]]\nname = 'a'\non = 'due'\ncommand = 'x'\n[[hooks]]\nname = 'a'\non = 'all'\ncommand = 'x'\n",
            "config.toml:5:1: cannot use hooks[1] = (not shown): expected a name that no other hook has",
        );
        check(
            "[[hooks]]\non = 'due'\ncommand = 'x'\ntimeout = '2h'\n",
            "config.toml:1:1: cannot use hooks[0] = (not shown): expected a timeout from 1s to 1h",
        );
    }
}
