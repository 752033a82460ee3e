//! What may be typed: the commands and the options that all of them take. The doc comments are the help.
//!
//! Reads nothing but the arguments, and says nothing: [`crate::cli::usage`] tells what was wrong.

use clap::{ArgAction, Args, Parser, Subcommand};

use crate::cli::commands::{
    ack, add, agenda, away, backup, cancel, channel, completions, config, daemon, delete, doctor, done, edit, events,
    export, help, history, import, list, mcp, op, parse, pause, prompt, remind, restore, resume, retry, rpc, run, show,
    skip, snooze, status, unblock, undo, wait, watch, why,
};
use crate::cli::reference::exit_codes_in_short;
use crate::cli::ui::{ColorFlag, Form};

/// What can be typed first.
const EXAMPLES: &str = "Examples:\n  \
    keiko remind me in 20 minutes to check the oven\n  \
    keiko add pay rent tomorrow 3pm\n  \
    keiko list\n  \
    keiko snooze 12 1h\n  \
    keiko done 12\n  \
    keiko undo";

/// Where more is said.
const MORE: &str = "More: keiko help COMMAND, keiko help time, keiko help channels, keiko help exit-codes";

/// Remembers tasks and says at the right moment what is to be done
///
/// Without a command: one screen of what is due, next and paused.
#[derive(Debug, Parser)]
#[command(
    name = "keiko",
    version,
    max_term_width = crate::cli::help::WIDTH_MAX,
    subcommand_required = false,
    arg_required_else_help = false,
    disable_help_subcommand = true,
    disable_help_flag = true,
    disable_version_flag = true,
    override_usage = "keiko [OPTIONS]\n       keiko [OPTIONS] COMMAND ...",
    after_help = format!("{EXAMPLES}\n\n{}\n\n{MORE}", exit_codes_in_short())
)]
pub(crate) struct Arguments {
    /// What is to be done.
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
    /// The options of all commands.
    #[command(flatten)]
    pub(crate) global: Global,
    /// Show the version
    #[arg(long, short = 'V', action = ArgAction::Version, help_heading = GLOBAL)]
    version: Option<bool>,
}

/// Above the options of all commands, which stand last.
pub(crate) const GLOBAL: &str = "Global options";

/// Options of all commands.
#[derive(Clone, Copy, Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own on the command line")]
#[command(next_help_heading = GLOBAL)]
pub(crate) struct Global {
    /// Give results and errors as JSON
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Leave out confirmations, and hints but those of errors
    #[arg(long, short, global = true)]
    pub(crate) quiet: bool,
    /// Print the UUID of the task and nothing else
    #[arg(long, global = true, conflicts_with = "json")]
    pub(crate) print_id: bool,
    /// Whether to show colours
    #[arg(long, global = true, value_enum, value_name = "WHEN", default_value_t)]
    pub(crate) color: ColorFlag,
    /// Show on a terminal at once what is longer than the screen, without PAGER
    #[arg(long, global = true)]
    pub(crate) no_pager: bool,
    /// Show this help
    #[arg(long, short, global = true, action = ArgAction::Help)]
    help: Option<bool>,
}

impl Global {
    /// Returns in which form results are wanted.
    pub(crate) const fn form(self) -> Form {
        match self {
            Self { json: true, .. } => Form::Json,
            Self { print_id: true, .. } => Form::Id,
            Self { quiet: true, .. } => Form::Quiet,
            Self { json: false, print_id: false, quiet: false, .. } => Form::Human,
        }
    }
}

/// The commands. Each has a file of its name, whose doc comment is its help.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    #[command(name = "remind")]
    Remind(remind::Remind),
    #[command(name = "add")]
    Add(add::Add),
    #[command(name = "list", alias = "ls")]
    List(list::List),
    #[command(name = "show")]
    Show(show::Show),
    #[command(name = "edit")]
    Edit(Box<edit::Edit>),
    #[command(name = "done")]
    Done(done::Done),
    #[command(name = "ack", visible_alias = "seen")]
    Ack(ack::Ack),
    #[command(name = "snooze")]
    Snooze(snooze::Snooze),
    #[command(name = "pause")]
    Pause(pause::Pause),
    #[command(name = "resume")]
    Resume(resume::Resume),
    #[command(name = "skip")]
    Skip(skip::Skip),
    #[command(name = "cancel")]
    Cancel(cancel::Cancel),
    #[command(name = "delete")]
    Delete(delete::Delete),
    #[command(name = "retry")]
    Retry(retry::Retry),
    #[command(name = "run")]
    Run(run::RunCommand),
    #[command(name = "unblock")]
    Unblock(unblock::Unblock),
    #[command(name = "undo")]
    Undo(undo::Undo),
    #[command(name = "op")]
    Op(op::Op),
    #[command(name = "history")]
    History(history::History),
    #[command(name = "agenda")]
    Agenda(agenda::Agenda),
    #[command(name = "away")]
    Away(away::Away),
    #[command(name = "why")]
    Why(why::Why),
    #[command(name = "parse")]
    Parse(parse::Parse),
    #[command(name = "status")]
    Status(status::Status),
    #[command(name = "channel")]
    Channel(channel::Channel),
    #[command(name = "config")]
    Config(config::ConfigCommand),
    #[command(name = "daemon")]
    Daemon(daemon::Daemon),
    #[command(name = "doctor")]
    Doctor(doctor::Doctor),
    #[command(name = "backup")]
    Backup(backup::Backup),
    #[command(name = "restore")]
    Restore(restore::Restore),
    #[command(name = "export")]
    Export(export::Export),
    #[command(name = "import")]
    Import(import::Import),
    #[command(name = "wait")]
    Wait(wait::Wait),
    #[command(name = "watch")]
    Watch(watch::Watch),
    #[command(name = "events")]
    Events(events::Events),
    #[command(name = "rpc")]
    Rpc(rpc::Rpc),
    #[command(name = "completions")]
    Completions(completions::Completions),
    #[command(name = "prompt")]
    Prompt(prompt::Prompt),
    #[command(name = "mcp")]
    Mcp(mcp::Mcp),
    #[command(name = "help")]
    Help(help::Help),
}

/// Reads how many lines are wanted: none would hide what there is.
///
/// # Errors
/// It is no number, or zero.
pub(crate) fn at_least_one(text: &str) -> Result<usize, &'static str> {
    text.parse().ok().filter(|count| *count > 0).ok_or("expected a number from 1 on")
}

/// What must be known before the arguments are understood, since an error in them is told accordingly.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Early {
    /// Whether colours are shown.
    pub(crate) color: ColorFlag,
    /// In which form errors are given.
    pub(crate) form: Form,
    /// Whether what is long is given to a pager.
    pub(crate) may_page: bool,
}

/// Returns what the arguments seem to say of colours and form, however wrong they are otherwise.
pub(crate) fn early(arguments: &[String]) -> Early {
    let mut early = Early { color: ColorFlag::Auto, form: Form::Human, may_page: true };
    let mut options = arguments.iter().take_while(|argument| *argument != "--").peekable();
    while let Some(option) = options.next() {
        let value = match option.strip_prefix("--color") {
            Some("") => options.peek().map(|value| value.as_str()),
            Some(value) => value.strip_prefix('='),
            None => None,
        };
        match value {
            Some("always") => early.color = ColorFlag::Always,
            Some("never") => early.color = ColorFlag::Never,
            Some(_) | None => {}
        }
        if option == "--json" {
            early.form = Form::Json;
        }
        early.may_page &= option != "--no-pager";
    }
    early
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    fn words(line: &str) -> Vec<String> {
        line.split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn clap_finds_nothing_wrong_with_the_commands() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn colour_and_form_are_known_before_the_rest_is() {
        let check = |line: &str, color, form| {
            let told = early(&words(line));
            assert_eq!((told.color, told.form), (color, form), "{line}");
        };
        check("add --nonsense", ColorFlag::Auto, Form::Human);
        check("--json add --nonsense", ColorFlag::Auto, Form::Json);
        check("add --color=never --json", ColorFlag::Never, Form::Json);
        check("add --color always", ColorFlag::Always, Form::Human);
        check("add -- --json --color=never", ColorFlag::Auto, Form::Human);
        assert!(early(&words("--help")).may_page && !early(&words("add --help --no-pager")).may_page);
    }
}
