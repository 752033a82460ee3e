//! What people type: reads the arguments, asks the daemon, tells the answer.
//!
//! Holds no rule, opens no database, and reads no clock: answers carry the daemon's time. Only [`ui`] prints.

use std::ffi::OsString;
use std::process::ExitCode;

use clap::Parser as _;

use crate::cli::args::{Arguments, Command};
use crate::cli::commands::{overview, status};
use crate::cli::context::Context;
use crate::cli::error::{CliError, Exit};
use crate::cli::ui::{ColorFlag, Ui};

mod args;
mod commands;
mod complete;
mod config_page;
mod context;
mod error;
mod exchange;
pub mod generate;
mod help;
mod manual;
#[cfg(feature = "mcp")]
mod mcp;
mod names;
mod reference;
mod render;
mod roff;
mod rpc_page;
mod service;
mod sheet;
mod start;
mod time_page;
mod ui;
mod upgrade;
mod usage;
pub mod week_page;
mod zone;

/// Runs `keiko` with the arguments of this process.
#[must_use]
pub fn main() -> ExitCode {
    let arguments: Vec<OsString> = std::env::args_os().collect();
    if arguments.get(1).is_some_and(|word| word == complete::ASKED) {
        return complete::run(arguments.into_iter().skip(2).collect());
    }
    let typed: Vec<String> = arguments.iter().skip(1).map(|word| word.to_string_lossy().into_owned()).collect();
    let early = args::early(&typed);
    let mut ui = Ui::new(early.color, early.form);
    let exit = match Arguments::try_parse_from(&arguments) {
        Ok(parsed) => {
            ui.set_form(parsed.global.form());
            if parsed.global.no_pager {
                ui.forbid_paging();
            }
            run(parsed, &mut ui)
        }
        Err(error) => {
            if !early.may_page {
                ui.forbid_paging();
            }
            usage::tell(&mut ui, &error, &typed)
        }
    };
    let exit = match ui.finish() {
        None => exit,
        Some(source) => exit.or(fail_to_print(&mut ui, source)),
    };
    ExitCode::from(exit.code())
}

fn run(arguments: Arguments, ui: &mut Ui) -> Exit {
    let is_prompt = matches!(arguments.command, Some(Command::Prompt(_)));
    if is_prompt && arguments.global.color == ColorFlag::Auto {
        // A prompt is no place for escape sequences that nobody asked for.
        *ui = Ui::new(ColorFlag::Never, arguments.global.form());
    }
    let zone = if is_prompt { zone::silently() } else { zone::detect(ui) };
    let mut context = Context::new(ui, zone);
    match dispatch(arguments.command, &mut context) {
        Ok(exit) => exit,
        Err(error) => context.fail(&error),
    }
}

fn dispatch(command: Option<Command>, context: &mut Context<'_>) -> Result<Exit, CliError> {
    match command {
        None => overview::run(context),
        Some(Command::Remind(command)) => command.run(context),
        Some(Command::Add(command)) => command.run(context),
        Some(Command::List(command)) => command.run(context),
        Some(Command::Show(command)) => command.run(context),
        Some(Command::Edit(command)) => command.run(context),
        Some(Command::Done(command)) => command.run(context),
        Some(Command::Ack(command)) => command.run(context),
        Some(Command::Snooze(command)) => command.run(context),
        Some(Command::Pause(command)) => command.run(context),
        Some(Command::Resume(command)) => command.run(context),
        Some(Command::Skip(command)) => command.run(context),
        Some(Command::Cancel(command)) => command.run(context),
        Some(Command::Delete(command)) => command.run(context),
        Some(Command::Retry(command)) => command.run(context),
        Some(Command::Run(command)) => command.run(context),
        Some(Command::Unblock(command)) => command.run(context),
        Some(Command::Undo(command)) => command.run(context),
        Some(Command::Op(command)) => command.run(context),
        Some(Command::History(command)) => command.run(context),
        Some(Command::Agenda(command)) => command.run(context),
        Some(Command::Away(command)) => command.run(context),
        Some(Command::Why(command)) => command.run(context),
        Some(Command::Parse(command)) => command.run(context),
        Some(Command::Status(status::Status)) => status::Status::run(context),
        Some(Command::Channel(command)) => command.run(context),
        Some(Command::Config(command)) => command.run(context),
        Some(Command::Daemon(command)) => command.run(context),
        Some(Command::Doctor(command)) => command.run(context),
        Some(Command::Backup(command)) => command.run(context),
        Some(Command::Restore(command)) => command.run(context),
        Some(Command::Export(command)) => command.run(context),
        Some(Command::Import(command)) => command.run(context),
        Some(Command::Wait(command)) => command.run(context),
        Some(Command::Watch(command)) => command.run(context),
        Some(Command::Events(command)) => command.run(context),
        Some(Command::Rpc(command)) => command.run(context),
        Some(Command::Completions(command)) => Ok(command.run(context)),
        Some(Command::Prompt(command)) => command.run(context),
        Some(Command::Mcp(command)) => command.run(context),
        Some(Command::Help(command)) => command.run(context),
    }
}

/// Says on standard error that standard output could not be written to, so that no script takes half a result for all.
fn fail_to_print(ui: &mut Ui, source: std::io::Error) -> Exit {
    let error = CliError::Output { source };
    ui.error(&error.to_string(), None);
    error.exit()
}
