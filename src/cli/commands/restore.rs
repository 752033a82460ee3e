//! `keiko restore`: puts a backup in the place of all that there is, once that is kept.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command as Process;

use clap::Args;

use crate::cli::context::Context;
use crate::cli::error::{CliError, Exit};
use crate::cli::render::text::Text;
use crate::cli::render::time::Viewpoint;
use crate::cli::start;
use crate::client::ClientError;
use crate::client::start::StartError;
use crate::config::paths::Paths;
use crate::protocol::methods::{RestoreResult, Status};
use crate::protocol::{FAILED_PREFIX, HINT_PREFIX};

/// How many of the backups that are there are named.
const NAMED_MAX: usize = 3;

/// Puts a backup in the place of all tasks and their history
///
/// The backup is checked first, and what there is now is kept as a backup of its own. keikod is stopped for that and started
/// again. At no moment is there less than one whole database, whatever happens on the way.
///
/// What has come up since the backup was made is due again: what is late then rings late, at most three singly and the rest in
/// one digest, of a repeating task the latest time only.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  keiko restore backup.db --dry-run\n  keiko restore backup.db")]
pub(crate) struct Restore {
    /// A file that keiko backup made
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Check the backup and say what it holds, and change nothing
    #[arg(long)]
    dry_run: bool,
    /// Do not ask
    #[arg(long, short = 'y')]
    yes: bool,
}

impl Restore {
    /// Asks, stops the daemon, restores, and starts it again.
    pub(crate) fn run(self, context: &mut Context<'_>) -> Result<Exit, CliError> {
        let file = std::path::absolute(&self.file).map_err(|error| {
            CliError::usage(format!("cannot tell where {} is: {error}", self.file.display()), "give the whole path")
        })?;
        if !file.exists() {
            return Err(CliError::usage(
                format!("cannot restore {}: there is no such file", file.display()),
                backups(&Paths::of_process()?.backup_dir()),
            ));
        }
        let checked = run("--check-copy", &file)?;
        if self.dry_run {
            let view = context.viewpoint(checked.now);
            context.answer(&checked, &[], |_| holds(&checked, view));
            return Ok(Exit::Done);
        }
        let is_running = is_running(context)?;
        if !self.yes {
            agree(context, &checked, is_running)?;
        }
        if is_running {
            // One that ended by itself meanwhile is stopped too.
            match context.stop() {
                Ok(_) | Err(CliError::Client(ClientError::NoDaemon { .. })) => {}
                Err(error) => return Err(error),
            }
            context.leave();
        }
        let restored = run("--restore", &file);
        if is_running {
            // Also where it failed: what was there is there.
            context.ask(&Status {})?;
        }
        let restored = restored?;
        context.confirm(&restored, &[], |_| lines(&restored));
        if !is_running {
            context.ui.hint("nothing rings until keikod runs: keiko daemon start");
        }
        Ok(Exit::Done)
    }
}

/// Names the latest of the backups that are there.
fn backups(folder: &Path) -> String {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let is_backup = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "db");
    let mut found: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(is_backup).collect();
    // Their names begin with when they were made.
    found.sort();
    if found.is_empty() {
        return format!("keiko backup makes one; there is none in {}", folder.display());
    }
    let names = found.iter().rev().take(NAMED_MAX).map(|path| path.display().to_string());
    format!("there is {}", names.collect::<Vec<_>>().join(", "))
}

/// Returns whether a daemon has the database.
fn is_running(context: &mut Context<'_>) -> Result<bool, CliError> {
    match context.connect() {
        Ok(()) => Ok(true),
        Err(CliError::Client(ClientError::NoDaemon { .. })) => Ok(false),
        Err(error) => Err(error),
    }
}

/// Asks the person; where nobody can be asked it is refused.
fn agree(context: &mut Context<'_>, checked: &RestoreResult, is_running: bool) -> Result<(), CliError> {
    if !context.ui.can_ask() {
        let stops = if is_running { ", and stops keikod meanwhile" } else { "" };
        return Err(CliError::usage(
            format!("cannot restore {} unasked: it takes the place of all tasks{stops}", checked.path),
            "--yes agrees to that",
        ));
    }
    let told = holds(checked, context.viewpoint(checked.now));
    context.ui.explain(&told);
    let question = "put it in the place of all tasks that there are now, which are kept as a backup? [y/N] ";
    let answer = context.ui.ask(question).map_err(|source| CliError::Input { source })?.unwrap_or_default();
    if ["y", "yes", "是", "好"].contains(&answer.trim().to_lowercase().as_str()) {
        return Ok(());
    }
    Err(CliError::GivenUp)
}

fn holds(checked: &RestoreResult, view: Viewpoint) -> Vec<Text> {
    let last = checked.last_at.map_or_else(
        || "nothing ever changed in it".to_owned(),
        |at| format!("last changed {}", view.full(at.instant())),
    );
    let mut lines = vec![Text::plain(&format!("{}: whole, {} tasks, {last}", checked.path, checked.tasks))];
    lines.extend(overdue(checked));
    lines
}

fn lines(restored: &RestoreResult) -> Vec<Text> {
    let mut lines = vec![Text::plain(&format!("restored {} ({} tasks)", restored.path, restored.tasks))];
    if let Some(kept) = &restored.kept {
        lines.push(Text::plain(&format!("what was there is kept: keiko restore {kept} brings it back")));
    }
    if let Some(aside) = &restored.set_aside {
        lines.push(Text::plain(&format!("what was there cannot be read and is set aside as {aside}")));
    }
    lines.extend(overdue(restored));
    lines
}

/// Says what happens to times that passed meanwhile.
fn overdue(told: &RestoreResult) -> Option<Text> {
    (told.overdue > 0).then(|| {
        Text::plain(&format!(
            "of {} tasks a time has passed since: they are late, at most three ring singly and the rest in one digest",
            told.overdue
        ))
    })
}

/// Lets keikod do it, which alone may touch the database.
fn run(what: &str, file: &Path) -> Result<RestoreResult, CliError> {
    let program = start::program();
    let ran = Process::new(&program).arg(what).arg(file).output();
    let ran = ran.map_err(|source| StartError::Run { program: program.clone(), source })?;
    let said = String::from_utf8_lossy(&ran.stdout);
    let last = said.lines().last().unwrap_or_default();
    if let Some(result) = ran.status.success().then(|| serde_json::from_str::<RestoreResult>(last)).and_then(Result::ok)
    {
        return Ok(result);
    }
    let mut lines = said.lines();
    match lines.find_map(|line| line.strip_prefix(FAILED_PREFIX)) {
        Some(reason) => {
            let hint = lines.find_map(|line| line.strip_prefix(HINT_PREFIX)).map(str::to_owned);
            Err(StartError::Failed { reason: reason.to_owned(), hint, code: ran.status.code() }.into())
        }
        None => Err(StartError::Died { program }.into()),
    }
}
