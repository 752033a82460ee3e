//! `keiko channel remove`: takes a target out of the configuration, with the secrets that were kept for it.

use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use crate::cli::commands::channel::settle::settle;
use crate::cli::context::Context;
use crate::cli::error::{CliError, Exit};
use crate::cli::render::text::{GOOD, Text};
use crate::config::edit::{ConfigFile, Turn};
use crate::config::paths::Paths;
use crate::domain::delivery::Target;
use crate::protocol::SCHEMA_VERSION;
use crate::protocol::methods::{ChannelList, List};

/// How many tasks are named that speak at a target.
const TASKS_NAMED_MAX: usize = 5;

/// What is to be removed.
#[derive(Clone, Debug, Args)]
pub(super) struct Remove {
    /// Which, such as telegram:phone
    #[arg(value_name = "TARGET")]
    target: String,
    /// Also where tasks or rules name it: rules lose it, and what tasks say there waits
    #[arg(long)]
    force: bool,
}

impl Remove {
    pub(super) fn run(self, context: &mut Context<'_>) -> Result<Exit, CliError> {
        let target = Target::parse(&self.target).filter(|target| target.kind.has_addresses()).ok_or_else(|| {
            let message = format!("cannot remove {:?}: expected KIND:NAME", self.target);
            CliError::usage(message, "keiko channel list shows them")
        })?;
        let _turn = Turn::take(Paths::of_process()?.config_file())?;
        let file = ConfigFile::read(Paths::of_process()?.config_file())?;
        let removal = file.without(&target)?;
        let tasks = tasks_of(context, &target)?;
        let by: Vec<String> = file.mentions(&target).into_iter().chain(tasks.clone()).collect();
        if !self.force && !by.is_empty() {
            return Err(CliError::InUse { target: target.to_string(), by });
        }
        let waiting = waiting_for(context, &target)?;
        let settled = settle(context, &file, &removal.text)?;
        let (gone, left) = forget(&removal.secrets);
        let mut warnings = settled.warnings;
        warnings.extend(left);
        let via = |tasks: String| format!("{tasks} names {target} still: keiko edit N --via says where else");
        warnings.extend(tasks.map(via));
        if waiting > 0 {
            warnings.push(format!("{waiting} unsent for {target} wait until it is configured again"));
        }
        let answer = json!({
            "schema_version": SCHEMA_VERSION,
            "target": target.to_string(),
            "config": settled.path.display().to_string(),
            "secrets": gone.iter().map(|path| path.display().to_string()).collect::<Vec<_>>(),
            "waiting": waiting,
        });
        context.confirm(&answer, &warnings, |_| {
            let mut line = Text::styled(GOOD, "removed");
            line.push(&format!("  {target}  from {}", settled.path.display()));
            let mut lines = vec![line];
            lines.extend(gone.iter().map(|path| Text::plain(&format!("deleted  {}", path.display()))));
            lines
        });
        Ok(Exit::Done)
    }
}

/// Returns the open tasks that speak at a target, in words.
fn tasks_of(context: &mut Context<'_>, target: &Target) -> Result<Option<String>, CliError> {
    let answer = context.list(List::default())?;
    let name = target.to_string();
    let numbers: Vec<String> =
        answer.tasks.iter().filter(|task| task.channels.contains(&name)).map(|task| task.number.to_string()).collect();
    let more = numbers.len().saturating_sub(TASKS_NAMED_MAX);
    let named = numbers.iter().take(TASKS_NAMED_MAX).cloned().collect::<Vec<_>>().join(", ");
    Ok(match (numbers.len(), more) {
        (0, _) => None,
        (1, _) => Some(format!("task {named}")),
        (_, 0) => Some(format!("tasks {named}")),
        (_, more) => Some(format!("tasks {named} and {more} more")),
    })
}

/// Returns how many deliveries to a target are not sent yet.
fn waiting_for(context: &mut Context<'_>, target: &Target) -> Result<u64, CliError> {
    let name = target.to_string();
    let answer = context.ask(&ChannelList {})?;
    let found = answer.targets.iter().find(|known| known.target == name);
    Ok(found.map_or(0, |known| known.held + known.retrying + known.waiting + known.queued + known.grouped))
}

/// Deletes files, and returns which are gone and why others are not.
fn forget(paths: &[PathBuf]) -> (Vec<PathBuf>, Vec<String>) {
    let (mut gone, mut left) = (Vec::new(), Vec::new());
    for path in paths {
        match std::fs::remove_file(path) {
            Ok(()) => gone.push(path.clone()),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            Err(error) => left.push(format!("cannot delete {}: {error}", path.display())),
        }
    }
    (gone, left)
}
