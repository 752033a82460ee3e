//! What does help say? The page of a command, and those of topics that belong to none.
//!
//! Pages are made from the arguments' own descriptions and from tables. Needs no daemon, and never prints.

use std::fmt::Write as _;

use clap::builder::StyledStr;
use clap::{Command, CommandFactory as _};

use crate::cli::args::{Arguments, GLOBAL};
use crate::cli::reference::{ENVIRONMENT, EXIT_CODES, FILES};
use crate::cli::render::text::{HEAD, NUMBER, Text};
use crate::cli::time_page;

/// Something that is explained and is no command.
pub(crate) struct Topic {
    /// What is typed.
    pub(crate) name: &'static str,
    /// In a line.
    pub(crate) about: &'static str,
    /// Where the manual says more.
    page: &'static str,
    lines: fn() -> Vec<Line>,
}

/// A line of a topic.
enum Line {
    Heading(&'static str),
    /// Prose, wrapped where the terminal ends.
    Prose(String),
    /// What is typed or shown, and what is said of it.
    Row(String, String),
}

/// The topics.
pub(crate) const TOPICS: [Topic; 5] = [
    Topic { name: "time", about: "What can be said about time", page: "man keiko-time", lines: time },
    Topic {
        name: "channels",
        about: "Where Keiko speaks, and how to choose",
        page: "man keiko-channel",
        lines: channels,
    },
    Topic { name: "exit-codes", about: "How commands end, for scripts", page: "man keiko", lines: exit_codes },
    Topic { name: "environment", about: "Variables that are read", page: "man keiko", lines: environment },
    Topic { name: "files", about: "Where everything lies", page: "man keiko", lines: files },
];

/// How wide a page is at most, as `args` has it for what clap lays out.
pub(crate) const WIDTH_MAX: usize = 100;

/// The commands, by what they are for, in the order in which one meets them.
const GROUPS: [(&str, &[&str]); 6] = [
    ("Every day", &["remind", "add", "list", "agenda", "done", "snooze", "ack", "undo"]),
    ("Tasks", &["show", "edit", "skip", "pause", "resume", "cancel", "delete", "unblock", "away"]),
    ("What happened", &["status", "history", "why", "op", "watch"]),
    ("Commands of tasks, and scripts", &["run", "retry", "wait", "parse", "events", "prompt", "rpc", "mcp"]),
    ("Setting up", &["channel", "config", "daemon", "doctor", "completions"]),
    ("Keeping", &["backup", "restore", "export", "import"]),
];

/// Returns `keiko` with everything that help and the manual show.
pub(crate) fn program() -> Command {
    let mut program = unmarked(Arguments::command());
    program.build();
    program
}

/// Returns a command without the marks that stand round code in the source: nobody reads them as such.
fn unmarked(command: Command) -> Command {
    let bare = |text: Option<&StyledStr>| {
        text.map(ToString::to_string).filter(|text| text.contains('`')).map(|text| text.replace('`', ""))
    };
    let (about, long) = (bare(command.get_about()), bare(command.get_long_about()));
    let command = command.mut_args(|argument| {
        let (help, long) = (bare(argument.get_help()), bare(argument.get_long_help()));
        let argument = help.into_iter().fold(argument, clap::Arg::help);
        long.into_iter().fold(argument, clap::Arg::long_help)
    });
    let command = about.into_iter().fold(command, Command::about);
    long.into_iter().fold(command, Command::long_about).mut_subcommands(unmarked)
}

/// Returns the help page of the command that the words name, or come nearest to; what is no command is passed over.
/// It is at most `width` cells wide.
pub(crate) fn page(words: &[String], width: Option<usize>) -> StyledStr {
    let program = program();
    let mut at = &program;
    for word in words.iter().take_while(|word| *word != "--") {
        if let Some(next) = at.find_subcommand(word) {
            at = next;
        }
    }
    let whole = at.get_long_about().or_else(|| at.get_about()).cloned();
    let mut page = at.clone();
    if at.get_name() == program.get_name() {
        page = page.help_template(format!(
            "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{}{HEAD}{GLOBAL}:{HEAD:#}\n{{options}}{{after-help}}",
            commands_by_group(&program, width.map_or(WIDTH_MAX, |width| width.min(WIDTH_MAX)))
        ));
    }
    if let Some(whole) = whole {
        page = page.about(whole);
    }
    page.render_help()
}

/// Returns the list of all commands, group by group. One that belongs to none comes last.
fn commands_by_group(program: &Command, width: usize) -> StyledStr {
    let shown: Vec<&Command> = program.get_subcommands().filter(|each| !each.is_hide_set()).collect();
    let widest = shown.iter().map(|each| each.get_name().len()).max().unwrap_or_default();
    let grouped = |name: &str| GROUPS.iter().any(|(_, names)| names.contains(&name));
    let others: Vec<&str> = shown.iter().map(|each| each.get_name()).filter(|name| !grouped(name)).collect();
    let mut text = String::new();
    for (heading, names) in GROUPS.iter().copied().chain([("Others", others.as_slice())]) {
        let found: Vec<&Command> =
            names.iter().filter_map(|name| shown.iter().find(|each| each.get_name() == *name).copied()).collect();
        if found.is_empty() {
            continue;
        }
        // Writing to a string does not fail.
        let _ = writeln!(text, "{HEAD}{heading}:{HEAD:#}");
        for each in found {
            let about = each.get_about().map(ToString::to_string).unwrap_or_default();
            for line in row(each.get_name(), &about, widest + 4, Some(width)) {
                let _ = writeln!(text, "{}", line.to_ansi());
            }
        }
        text.push('\n');
    }
    StyledStr::from(text.trim_end_matches('\n').to_owned() + "\n\n")
}

/// Returns the topic of a name.
pub(crate) fn topic(name: &str) -> Option<&'static Topic> {
    TOPICS.iter().find(|topic| topic.name == name)
}

impl Topic {
    /// Returns the page, in lines of at most `width` cells.
    pub(crate) fn page(&self, width: Option<usize>) -> Vec<Text> {
        let lines = (self.lines)();
        let mut page = vec![Text::styled(HEAD, self.about), Text::default()];
        let widest = |lines: &[Line]| lines.iter().map(Line::first_width).max().unwrap_or_default();
        let column = widest(&lines).min(26) + 4;
        for line in lines {
            match line {
                Line::Heading(text) => page.extend([Text::default(), Text::styled(HEAD, text)]),
                Line::Prose(text) => page.extend(Text::plain(&text).hanging(0).fitted(width)),
                Line::Row(first, said) => page.extend(row(&first, &said, column, width)),
            }
        }
        page.extend([Text::default(), Text::plain(&format!("More: {}", self.page))]);
        page
    }
}

impl Line {
    fn first_width(&self) -> usize {
        match self {
            Self::Row(first, _) => Text::plain(first).width(),
            Self::Heading(_) | Self::Prose(_) => 0,
        }
    }
}

/// Returns what is typed, and beside it what is said of it; below it, where it is too long.
fn row(first: &str, said: &str, column: usize, width: Option<usize>) -> Vec<Text> {
    let mut line = Text::plain("  ");
    line.push_styled(NUMBER, first);
    let room = width.map(|width| width.saturating_sub(column).max(20));
    let mut rest = Text::plain(said).hanging(0).fitted(room).into_iter();
    let mut lines = Vec::new();
    if line.width() + 2 > column {
        lines.push(line);
    } else if let Some(beside) = rest.next() {
        line.push(&" ".repeat(column - line.width()));
        line.append(beside);
        lines.push(line);
    }
    lines.extend(rest.map(|below| {
        let mut indented = Text::plain(&" ".repeat(column));
        indented.append(below);
        indented
    }));
    lines
}

fn rows(table: &[(&str, &str)]) -> Vec<Line> {
    table.iter().map(|(first, said)| Line::Row((*first).to_owned(), (*said).to_owned())).collect()
}

fn exit_codes() -> Vec<Line> {
    let row = |code: &crate::cli::reference::ExitCode| {
        Line::Row(code.exit.code().to_string(), format!("{}: {}", code.name, code.meaning))
    };
    let mut lines: Vec<Line> = EXIT_CODES.iter().map(row).collect();
    lines.push(Line::Prose(String::new()));
    lines.push(Line::Prose(
        "Of several tasks the first that went wrong gives the code, and the others are done all the same. With --json an \
         error tells its kind and its hint as well."
            .to_owned(),
    ));
    lines
}

fn environment() -> Vec<Line> {
    rows(&ENVIRONMENT)
}

fn files() -> Vec<Line> {
    let mut lines = rows(&FILES);
    lines.push(Line::Prose(String::new()));
    lines.push(Line::Prose("keiko daemon status tells which of them are in use.".to_owned()));
    lines
}

fn time() -> Vec<Line> {
    let mut lines = vec![Line::Prose(
        "The words of keiko remind and keiko add are a sentence: the time in it says when, the rest is the title. English and \
         Chinese, also mixed. keiko parse shows what any sentence means, and stores nothing."
            .to_owned(),
    )];
    for section in time_page::in_short() {
        lines.push(Line::Heading(section.heading));
        lines.extend(section.rows.into_iter().map(|(said, meant)| Line::Row(said, meant)));
    }
    lines
}

fn channels() -> Vec<Line> {
    let mut lines = vec![
        Line::Prose(
            "Nothing needs to be set up: a reminder is a popup on your desktop, and while that is away a line on your \
             terminals. keiko status says who can be reached now."
                .to_owned(),
        ),
        Line::Heading("Kinds"),
    ];
    lines.extend(rows(&[
        ("desktop", "a popup, with buttons for done and snooze where the desktop has them"),
        ("terminal", "a message in tmux, else a line and a bell on your terminals"),
        ("telegram:NAME", "a chat with a bot of yours, with buttons"),
        ("ntfy:NAME", "a push message to a phone"),
        ("feishu:NAME, wecom:NAME", "a robot in a group"),
        ("mail:NAME", "a letter"),
        ("webhook:NAME", "a signed POST to a program; webhook:URL without configuration"),
        ("exec:NAME", "a program of your own that tells you"),
    ]));
    lines.push(Line::Heading("Where a task speaks"));
    lines.extend(rows(&[
        ("--via ntfy:phone,desktop", "there, and there alone: an option of keiko add and keiko edit"),
        ("[[rules]]", "else the first rule of the configuration that fits its tags and priority"),
        ("channels", "else those of the configuration, else the desktop"),
        ("fallback", "and there as well, where nobody was reached"),
    ]));
    lines.push(Line::Heading("Next"));
    lines.extend(rows(&[
        ("keiko channel list", "shows them, and how each does"),
        ("keiko channel add telegram phone", "sets one up, step by step"),
        ("keiko channel test telegram:phone", "sends a message that is no reminder's"),
    ]));
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_of_commands_fits_the_terminal() {
        for width in [40, 80, 200] {
            let list = commands_by_group(&program(), width).to_string();
            let widest = list.lines().map(|line| Text::plain(line).width()).max().expect("there are commands");
            assert!(widest <= width, "{width}:\n{list}");
            assert_eq!(list.lines().filter(|line| line.starts_with("  prompt ")).count(), 1, "{list}");
        }
        let narrow = commands_by_group(&program(), 40).to_string();
        let prompt: Vec<&str> = narrow.lines().skip_while(|line| !line.contains(" prompt ")).take(4).collect();
        insta::assert_snapshot!(prompt.join("\n"), @"
        prompt       Shows what is due and
                     what comes next in a few
                     cells, for prompts and
                     status bars
        ");
    }
}
