//! What is said when the arguments are wrong: what is wrong with which, and what to type instead.

use clap::error::{ContextKind, ContextValue, ErrorKind};

use crate::cli::context::fail;
use crate::cli::error::{CliError, Exit};
use crate::cli::generate::examples;
use crate::cli::help;
use crate::cli::names::is_exact;
use crate::cli::ui::Ui;

/// What is typed first.
const PROGRAM: &str = "keiko";

/// Words that people try for ending a task.
const REMOVERS: [&str; 4] = ["rm", "del", "remove", "kill"];

/// Words that other programs and people have for what is called otherwise here.
const SYNONYMS: [(&str, &[&str]); 15] = [
    ("done", &["complete", "completed", "finish", "finished", "tick", "check", "close"]),
    ("snooze", &["later", "postpone", "defer", "delay"]),
    ("add", &["new", "create", "todo", "task", "schedule"]),
    ("remind", &["remember", "reminder", "alarm", "timer"]),
    ("ack", &["mute", "silence", "dismiss"]),
    ("edit", &["change", "modify", "update", "rename", "move", "reschedule"]),
    ("list", &["find", "search", "tasks", "all"]),
    ("agenda", &["today", "next", "upcoming", "calendar", "week"]),
    ("show", &["info", "get", "view"]),
    ("history", &["log"]),
    ("undo", &["redo", "revert", "reopen"]),
    ("pause", &["stop", "suspend", "hold"]),
    ("resume", &["continue", "unpause", "start"]),
    ("channel list", &["channels", "target", "targets"]),
    ("--version", &["version"]),
];

/// What is done with the daemon, where no task is named behind it.
const DAEMON: [&str; 7] = ["start", "stop", "restart", "reload", "logs", "install", "uninstall"];

/// Words with which a time begins, and so a sentence: they are like no command.
const TIME: [&str; 9] = ["at", "in", "on", "by", "every", "after", "until", "before", "each"];

/// Tells a help page, the version or an error of the arguments, and returns how keiko ends.
pub(crate) fn tell(ui: &mut Ui, error: &clap::Error, typed: &[String]) -> Exit {
    match error.kind() {
        ErrorKind::DisplayHelp => {
            ui.expect_long();
            let page = help::page(typed, ui.width());
            ui.page(&page.ansi().to_string());
            Exit::Done
        }
        ErrorKind::DisplayVersion => {
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
        ErrorKind::UnknownArgument => {
            let hint = minus(error, typed)
                .or_else(|| denied(error, typed))
                .or_else(|| source(error, typed))
                .or_else(|| near_option(error, typed));
            CliError::usage(first_paragraph(&rendered), hint.unwrap_or_else(|| tips(&rendered, typed)))
        }
        ErrorKind::MissingRequiredArgument => {
            CliError::usage(first_paragraph(&rendered), example(typed).unwrap_or_else(|| tips(&rendered, typed)))
        }
        _ => CliError::usage(first_paragraph(&rendered), tips(&rendered, typed)),
    }
}

fn unknown_command(error: &clap::Error, typed: &[String]) -> CliError {
    let word = match error.get(ContextKind::InvalidSubcommand) {
        Some(ContextValue::String(word)) => word.clone(),
        Some(_) | None => String::new(),
    };
    let rest: Vec<&str> = typed.iter().skip_while(|each| **each != word).skip(1).map(String::as_str).collect();
    let name = full_name(typed);
    let hint = if name != PROGRAM {
        match suggested(error) {
            Some(near) => format!("did you mean {}?", [name.as_str(), &near].join(" ")),
            None => format!("run {name} --help to see what there is"),
        }
    } else if is_exact(&word) {
        let verb = rest.first().and_then(|verb| known(verb).or_else(|| synonym(verb))).unwrap_or("show".to_owned());
        format!("the command comes first: keiko {verb} {word}")
    } else if let ("mark", Some((verb, rest))) = (word.as_str(), rest.split_last())
        && let Some(verb) = known(verb).or_else(|| synonym(verb))
    {
        format!("did you mean {}?", [vec![PROGRAM, &verb], rest.to_vec()].concat().join(" "))
    } else if REMOVERS.contains(&word.as_str()) {
        let name = rest.first().copied().unwrap_or("N");
        format!(
            "run keiko done {name} when it is done, keiko cancel {name} when it is not wanted any more, keiko delete {name} \
             to remove it from sight"
        )
    } else {
        let add = format!("to add a task, run keiko add {}", typed.join(" "));
        // A sentence may begin with a word that is like a command.
        let is_sentence = rest.iter().any(|word| word.chars().all(char::is_alphabetic));
        let lower = word.to_lowercase();
        let of_daemon = DAEMON.contains(&lower.as_str()) && rest.iter().all(|word| word.starts_with('-'));
        let near = if of_daemon { Some(format!("daemon {lower}")) } else { synonym(&lower) };
        match near.or_else(|| suggested(error).filter(|_| !TIME.contains(&lower.as_str()))) {
            Some(near) => {
                let whole = [vec![PROGRAM, &near], rest].concat().join(" ");
                if is_sentence { format!("did you mean {whole}? {add}") } else { format!("did you mean {whole}?") }
            }
            None => add,
        }
    };
    CliError::usage(format!("cannot run {word:?}: there is no such command"), hint)
}

/// Returns the command of a word that other programs have for it.
fn synonym(word: &str) -> Option<String> {
    let (command, _) = SYNONYMS.iter().find(|(_, words)| words.contains(&word))?;
    Some((*command).to_owned())
}

/// Returns the name of the command that a word is a name of.
fn known(word: &str) -> Option<String> {
    use clap::CommandFactory as _;
    let program = crate::cli::args::Arguments::command();
    program.find_subcommand(word).map(|command| command.get_name().to_owned())
}

/// Returns the command that is most like what was typed.
fn suggested(error: &clap::Error) -> Option<String> {
    match error.get(ContextKind::SuggestedSubcommand) {
        // The nearest comes last.
        Some(ContextValue::Strings(near)) => near.last().map(|near| known(near).unwrap_or_else(|| near.clone())),
        Some(_) | None => None,
    }
}

/// Returns how to write a value that begins with a minus.
fn minus(error: &clap::Error, typed: &[String]) -> Option<String> {
    let Some(ContextValue::String(found)) = error.get(ContextKind::InvalidArg) else { return None };
    let is_value = found.strip_prefix('-').is_some_and(|value| value.starts_with(|c: char| c.is_ascii_digit()));
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

/// Returns how to say that a value is not wanted, of an option that has one and no opposite.
fn denied(error: &clap::Error, typed: &[String]) -> Option<String> {
    let Some(ContextValue::String(found)) = error.get(ContextKind::InvalidArg) else { return None };
    let option = found.strip_prefix("--no-")?.split('=').next()?.replace("colour", "color");
    match option.as_str() {
        "color" => Some("--color never shows none".to_owned()),
        "note" if full_name(typed) == "keiko edit" => Some("--note \"\" leaves it without one".to_owned()),
        _ => None,
    }
}

/// Returns whether an option of the command that was typed takes a value.
fn takes_value(option: &str, typed: &[String]) -> bool {
    let mut program = help::program();
    program.build();
    let (_, command) = commands(&program, typed);
    let mut options = command.get_arguments().chain(program.get_arguments());
    let name = option.trim_start_matches('-');
    options.any(|each| each.get_long() == Some(name) && each.get_action().takes_values())
}

/// Returns what was typed with the option in it that is most like the one that there is not.
fn near_option(error: &clap::Error, typed: &[String]) -> Option<String> {
    let Some(ContextValue::String(found)) = error.get(ContextKind::InvalidArg) else { return None };
    let Some(ContextValue::String(near)) = error.get(ContextKind::SuggestedArg) else { return None };
    let at = typed.iter().position(|word| word == found || word.starts_with(&format!("{found}=")))?;
    let is_denied = |option: &str| option.starts_with("--no-");
    let has_value = typed[at].contains('=') || typed.get(at + 1).is_some_and(|next| !next.starts_with('-'));
    // What denies is not like what does not, and what needs a value is nothing without one.
    if is_denied(found) != is_denied(near) || (takes_value(near, typed) && !has_value) {
        return None;
    }
    let mut words = typed.to_vec();
    words[at] = words[at].replacen(found.as_str(), near, 1);
    // What would be refused as well was not meant.
    is_understood(&words).then_some(())?;
    Some(format!("did you mean {PROGRAM} {}?", words.join(" ")))
}

/// Returns what was typed with a command of the command where that is the value of an option that there is not:
/// `import --from crontab`.
fn source(error: &clap::Error, typed: &[String]) -> Option<String> {
    let Some(ContextValue::String(found)) = error.get(ContextKind::InvalidArg) else { return None };
    let at = typed.iter().position(|word| found.starts_with("--") && word == found)?;
    let mut words = typed.to_vec();
    words.remove(at);
    let is_command = at < words.len() && full_name(&words[..=at]) != full_name(&words[..at]);
    (is_command && is_understood(&words)).then(|| format!("did you mean {PROGRAM} {}?", words.join(" ")))
}

fn is_understood(words: &[String]) -> bool {
    use clap::Parser as _;
    let line = std::iter::once(PROGRAM).chain(words.iter().map(String::as_str));
    crate::cli::args::Arguments::try_parse_from(line).is_ok()
}

/// Returns how the command is typed, by the first of its examples.
fn example(typed: &[String]) -> Option<String> {
    let name = full_name(typed);
    let all = examples();
    // Those of a command of a command stand with that.
    let above = |command: &String| name.starts_with(&format!("{command} "));
    let mut own =
        all.iter().filter(|(command, _)| *command == name || above(command)).flat_map(|(_, examples)| examples);
    let example = own.find(|example| example.starts_with(&name))?;
    Some(format!("such as {example}; {name} --help says more"))
}

fn first_paragraph(rendered: &str) -> String {
    let lines: Vec<&str> = rendered.lines().map(str::trim).take_while(|line| !line.is_empty()).collect();
    let text = lines.join(" ");
    text.strip_prefix("error: ").unwrap_or(&text).to_owned()
}

fn tips(rendered: &str, typed: &[String]) -> String {
    // Behind `--` stands a command, not a value.
    let is_true = |tip: &&str| !tip.starts_with("to pass ") && !tip.starts_with("a similar argument");
    let tips = rendered.lines().filter_map(|line| line.trim().strip_prefix("tip: ")).filter(is_true);
    let tips: Vec<&str> = tips.collect();
    if tips.is_empty() { format!("run {} --help to see how it is used", full_name(typed)) } else { tips.join("; ") }
}

/// Returns the program and its command, as far as one was typed, with the command of that.
fn full_name(typed: &[String]) -> String {
    use clap::CommandFactory as _;
    commands(&crate::cli::args::Arguments::command(), typed).0
}

/// Returns the innermost command that was typed, and its whole name as it was typed.
fn commands<'a>(program: &'a clap::Command, typed: &[String]) -> (String, &'a clap::Command) {
    let (mut name, mut command) = (PROGRAM.to_owned(), program);
    for word in typed.iter().filter(|word| !word.starts_with('-')) {
        let Some(next) = command.find_subcommand(word) else { break };
        name = format!("{name} {word}");
        command = next;
    }
    (name, command)
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
        hint: did you mean keiko snooze 12?
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
        hint: did you mean keiko add milk --at tomorrow?
        exit: 2
        ");
        insta::assert_snapshot!(told("done -5"), @"
        error: unexpected argument '-5' found
        hint: what begins with a minus is an option; as a value it stands behind --: -- -5
        exit: 2
        ");
        // What begins with no minus is called none, and may begin with any letter.
        for word in ["a5", "é5", "五5", "५"] {
            let told = told(&format!("status {word}"));
            assert!(told.starts_with(&format!("error: unexpected argument '{word}' found")), "{told}");
            assert!(!told.contains("minus"), "{told}");
        }
        assert!(told("done -é").contains("unexpected argument '-é' found"), "{}", told("done -é"));
        insta::assert_snapshot!(told("add tea --nag -5m"), @"
        error: unexpected argument '-5' found
        hint: a value that begins with a minus is written --nag=-5m
        exit: 2
        ");
        insta::assert_snapshot!(told("pause"), @"
        error: the following required arguments were not provided: <TASK>...
        hint: such as keiko pause 3; keiko pause --help says more
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

    #[track_caller]
    fn check(line: &str, hint: &str) {
        let told = told(line);
        assert!(told.contains(&format!("\nhint: {hint}\nexit: 2")), "{line}: {told}");
    }

    #[test]
    fn what_is_proposed_is_what_was_likely_meant_and_can_be_run() {
        check("import --from crontab ct", "did you mean keiko import crontab ct?");
        check("logs", "did you mean keiko daemon logs?");
        check("logs -f", "did you mean keiko daemon logs -f?");
        check("stop", "did you mean keiko daemon stop?");
        check("start", "did you mean keiko daemon start?");
        check("restart", "did you mean keiko daemon restart?");
        check("stop 3", "did you mean keiko pause 3?");
        check("start 3", "did you mean keiko resume 3?");
        check("at 5pm call", "to add a task, run keiko add at 5pm call");
        check("every monday standup", "to add a task, run keiko add every monday standup");
        check("list --stge", "run keiko list --help to see how it is used");
        check("channel add webhook ops http://x", "run keiko channel add --help to see how it is used");
        check("channel add", "such as keiko channel add telegram phone; keiko channel add --help says more");
        check("channel test", "such as keiko channel test webhook:ops; keiko channel test --help says more");
    }

    #[test]
    fn a_tag_of_a_new_task_is_an_option_too() {
        use crate::cli::args::Arguments;
        for line in ["keiko add x --tag home", "keiko remind me to x at 5pm --tag home,work"] {
            assert!(Arguments::try_parse_from(line.split(' ')).is_ok(), "{line}");
        }
    }

    #[test]
    fn a_command_of_commands_alone_shows_what_there_is() {
        use crate::cli::args::Arguments;
        for line in ["keiko channel", "keiko config", "keiko op", "keiko daemon"] {
            assert!(Arguments::try_parse_from(line.split(' ')).is_ok(), "{line}");
        }
    }

    #[test]
    fn what_is_proposed_can_be_typed_and_the_help_is_that_of_the_very_command() {
        insta::assert_snapshot!(told("daemon start foo"), @"
        error: unexpected argument 'foo' found
        hint: run keiko daemon start --help to see how it is used
        exit: 2
        ");
        for (line, hint) in [
            ("list --no-color", "--color never shows none"),
            ("edit 1 --no-note", "--note \"\" leaves it without one"),
            ("-q edit 1 --no-such", "run keiko edit --help to see how it is used"),
            ("mark 4 done", "did you mean keiko done 4?"),
            ("mark 4 complete", "did you mean keiko done 4?"),
            ("import crontab x --nosuch", "run keiko import crontab --help to see how it is used"),
            ("list --colr", "run keiko list --help to see how it is used"),
        ] {
            let told = told(line);
            assert!(told.contains(&format!("hint: {hint}\n")), "{line}: {told}");
        }
        assert!(told("config get").contains("keiko config get --help"), "{}", told("config get"));
    }
}
