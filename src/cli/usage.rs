//! What is said when the arguments are wrong: what is wrong with which, and what to type instead.

use clap::error::{ContextKind, ContextValue, ErrorKind};

use crate::cli::context::fail;
use crate::cli::error::{CliError, Exit};
use crate::cli::names::is_exact;
use crate::cli::ui::Ui;

/// What is typed first.
const PROGRAM: &str = "keiko";

/// Words that people try for ending a task.
const REMOVERS: [&str; 4] = ["rm", "del", "remove", "kill"];

/// Tells a help page, the version or an error of the arguments, and returns how keiko ends.
pub(crate) fn tell(ui: &mut Ui, error: &clap::Error, typed: &[String]) -> Exit {
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
            ui.page(&error.render().ansi().to_string());
            Exit::Done
        }
        _ => fail(ui, &explain(error, typed)),
    }
}

/// Returns the error in Keiko's words.
fn explain(error: &clap::Error, typed: &[String]) -> CliError {
    let rendered = error.render().to_string();
    match error.kind() {
        ErrorKind::InvalidSubcommand => unknown_command(error, typed),
        // Clap shows the whole help here, which hides what is missing.
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand | ErrorKind::MissingSubcommand => {
            let command = typed.iter().find(|word| !word.starts_with('-')).map_or(PROGRAM, String::as_str);
            CliError::usage(
                format!("cannot run {command}: expected what it is to do"),
                format!("run {} --help to see what there is", full_name(typed)),
            )
        }
        ErrorKind::UnknownArgument => {
            let hint = minus(error, typed).unwrap_or_else(|| tips(&rendered, typed));
            CliError::usage(first_paragraph(&rendered), hint)
        }
        _ => CliError::usage(first_paragraph(&rendered), tips(&rendered, typed)),
    }
}

fn unknown_command(error: &clap::Error, typed: &[String]) -> CliError {
    let word = match error.get(ContextKind::InvalidSubcommand) {
        Some(ContextValue::String(word)) => word.clone(),
        Some(_) | None => String::new(),
    };
    let behind = typed.iter().skip_while(|each| **each != word).nth(1);
    let hint = if is_exact(&word) {
        let verb = behind.filter(|verb| verb.chars().all(|c| c.is_ascii_lowercase())).map_or("show", String::as_str);
        format!("the command comes first: keiko {verb} {word}")
    } else if REMOVERS.contains(&word.as_str()) {
        let name = behind.map_or("N", String::as_str);
        format!(
            "run keiko done {name} when it is done, keiko cancel {name} when it is not wanted any more, keiko delete {name} \
             to remove it from sight"
        )
    } else {
        match error.get(ContextKind::SuggestedSubcommand) {
            Some(ContextValue::Strings(near)) if !near.is_empty() => {
                format!("did you mean {} {}?", full_name(typed), near.join(", "))
            }
            Some(_) | None if full_name(typed) != PROGRAM => {
                format!("run {} --help to see what there is", full_name(typed))
            }
            Some(_) | None => format!("to add a task, run keiko add {}", typed.join(" ")),
        }
    };
    CliError::usage(format!("cannot run {word:?}: there is no such command"), hint)
}

/// Returns how to write a value that begins with a minus.
fn minus(error: &clap::Error, typed: &[String]) -> Option<String> {
    let Some(ContextValue::String(found)) = error.get(ContextKind::InvalidArg) else { return None };
    let is_value = found.len() > 1 && found[1..].starts_with(|c: char| c.is_ascii_digit());
    let at = typed.iter().position(|word| is_value && word.starts_with(found.as_str()))?;
    let word = &typed[at];
    match at.checked_sub(1).and_then(|before| typed.get(before)).filter(|before| before.starts_with("--")) {
        Some(option) => Some(format!("a value that begins with a minus is written {option}={word}")),
        // Behind -- they take a command.
        None if ["keiko add", "keiko edit"].contains(&full_name(typed).as_str()) => {
            Some(format!("what begins with a minus is an option; as a word it is quoted with others: \"a {word}\""))
        }
        None => Some(format!("what begins with a minus is an option; as a value it stands behind --: -- {word}")),
    }
}

fn first_paragraph(rendered: &str) -> String {
    let lines: Vec<&str> = rendered.lines().map(str::trim).take_while(|line| !line.is_empty()).collect();
    let text = lines.join(" ");
    text.strip_prefix("error: ").unwrap_or(&text).to_owned()
}

fn tips(rendered: &str, typed: &[String]) -> String {
    // Behind `--` stands a command, not a value.
    let is_true = |tip: &&str| !tip.starts_with("to pass ");
    let tips = rendered.lines().filter_map(|line| line.trim().strip_prefix("tip: ")).filter(is_true);
    let tips: Vec<&str> = tips.collect();
    if tips.is_empty() { format!("run {} --help to see how it is used", full_name(typed)) } else { tips.join("; ") }
}

/// Returns the program and its command, as far as one was typed.
fn full_name(typed: &[String]) -> String {
    use clap::CommandFactory as _;
    let known = crate::cli::args::Arguments::command();
    let command = typed.iter().find(|word| !word.starts_with('-')).filter(|word| known.find_subcommand(word).is_some());
    command.map_or(PROGRAM.to_owned(), |command| format!("{PROGRAM} {command}"))
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::*;
    use crate::cli::args::Arguments;

    fn told(line: &str) -> String {
        let typed: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        let error = Arguments::try_parse_from(std::iter::once("keiko".to_owned()).chain(typed.clone())).unwrap_err();
        let error = explain(&error, &typed);
        format!("error: {error}\nhint: {}\nexit: {}", error.hint().unwrap_or_default(), error.exit().code())
    }

    #[test]
    fn a_number_in_front_gets_a_hint() {
        insta::assert_snapshot!(told("12 done"), @r#"
        error: cannot run "12": there is no such command
        hint: the command comes first: keiko done 12
        exit: 2
        "#);
        insta::assert_snapshot!(told("12"), @r#"
        error: cannot run "12": there is no such command
        hint: the command comes first: keiko show 12
        exit: 2
        "#);
    }

    #[test]
    fn rm_gets_a_hint() {
        insta::assert_snapshot!(told("rm 12"), @r#"
        error: cannot run "rm": there is no such command
        hint: run keiko done 12 when it is done, keiko cancel 12 when it is not wanted any more, keiko delete 12 to remove it from sight
        exit: 2
        "#);
    }

    #[test]
    fn an_unknown_command_gets_the_nearest_one_or_add() {
        insta::assert_snapshot!(told("snoze 12"), @r#"
        error: cannot run "snoze": there is no such command
        hint: did you mean keiko snooze?
        exit: 2
        "#);
        insta::assert_snapshot!(told("milk tomorrow"), @r#"
        error: cannot run "milk": there is no such command
        hint: to add a task, run keiko add milk tomorrow
        exit: 2
        "#);
    }

    #[test]
    fn wrong_options_are_named() {
        insta::assert_snapshot!(told("add milk --att tomorrow"), @"
        error: unexpected argument '--att' found
        hint: a similar argument exists: '--at'
        exit: 2
        ");
        insta::assert_snapshot!(told("done -5"), @"
        error: unexpected argument '-5' found
        hint: what begins with a minus is an option; as a value it stands behind --: -- -5
        exit: 2
        ");
        insta::assert_snapshot!(told("add tea --nag -5m"), @"
        error: unexpected argument '-5' found
        hint: a value that begins with a minus is written --nag=-5m
        exit: 2
        ");
        insta::assert_snapshot!(told("pause"), @"
        error: the following required arguments were not provided: <TASK>...
        hint: run keiko pause --help to see how it is used
        exit: 2
        ");
        insta::assert_snapshot!(told("pause 3 --for 1h --until 9am"), @"
        error: the argument '--for <TIME>' cannot be used with '--until <TIME>'
        hint: run keiko pause --help to see how it is used
        exit: 2
        ");
        insta::assert_snapshot!(told("add x --priority urgent"), @"
        error: invalid value 'urgent' for '--priority <LEVEL>' [possible values: low, normal, high]
        hint: run keiko add --help to see how it is used
        exit: 2
        ");
        insta::assert_snapshot!(told("list --limit many"), @"
        error: invalid value 'many' for '--limit <N>': expected a number from 1 on
        hint: run keiko list --help to see how it is used
        exit: 2
        ");
        insta::assert_snapshot!(told("daemon"), @"
        error: cannot run daemon: expected what it is to do
        hint: run keiko daemon --help to see what there is
        exit: 2
        ");
        insta::assert_snapshot!(told("daemon tea"), @r#"
        error: cannot run "tea": there is no such command
        hint: run keiko daemon --help to see what there is
        exit: 2
        "#);
        insta::assert_snapshot!(told("daemon strt"), @r#"
        error: cannot run "strt": there is no such command
        hint: did you mean keiko daemon start?
        exit: 2
        "#);
    }
}
