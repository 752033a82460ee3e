//! `keiko config set` and `unset`: one value in the file, all else as it stands.
//!
//! What is wrong is found before anything is written: by the daemon that runs, else by the one that would be started.

use std::io;

use serde_json::json;

use crate::cli::commands::config::place;
use crate::cli::context::Context;
use crate::cli::error::{CliError, Exit};
use crate::cli::render::say;
use crate::cli::render::text::{DIM, GOOD, Text};
use crate::cli::start;
use crate::client::ClientError;
use crate::config::edit::{ConfigFile, EditError, Turn};
use crate::config::paths::Paths;
use crate::config::place::Place;
use crate::config::shown::{self, Origin, Shown};
use crate::config::whole;
use crate::protocol::SCHEMA_VERSION;
use crate::protocol::methods::{Reload, ReloadResult};

/// What stands in place of a value that may be a secret.
const NOT_SHOWN: &str = "(not shown)";

/// Lets a key say something else.
pub(super) fn set(context: &mut Context<'_>, key: &str, typed: String) -> Result<Exit, CliError> {
    let place = place(key)?;
    let typed = if typed == "-" { read_input()? } else { check_shown(context, &place, typed)? };
    // From reading it to what the daemon says of it: so nobody's change is lost.
    let _turn = Turn::take(Paths::of_process()?.config_file())?;
    let file = ConfigFile::read_to_mend(Paths::of_process()?.config_file())?;
    let text = file.with_value(&place, &typed)?;
    settle(context, &file, &place, &text)
}

/// Lets a key say nothing.
pub(super) fn unset(context: &mut Context<'_>, key: &str) -> Result<Exit, CliError> {
    let place = place(key)?;
    let path = Paths::of_process()?.config_file().to_owned();
    let _turn = path.exists().then(|| Turn::take(&path)).transpose()?;
    let file = ConfigFile::read_to_mend(&path)?;
    match file.without_value(&place) {
        // Nothing is to be done, as with a task that is done already.
        Err(EditError::NotSet { key, .. }) => {
            let answer = json!({ "schema_version": SCHEMA_VERSION, "key": key, "changed": false });
            context.confirm(&answer, &[], |_| {
                vec![Text::plain(&format!("already  {key} is not set in {}", path.display()))]
            });
            Ok(Exit::Done)
        }
        Err(error) => Err(error.into()),
        Ok(text) => settle(context, &file, &place, &text),
    }
}

/// Checks the text, writes it, lets the daemon go by it where one runs, and says what holds now.
fn settle(context: &mut Context<'_>, file: &ConfigFile, place: &Place, text: &str) -> Result<Exit, CliError> {
    let path = Paths::of_process()?.config_file().to_owned();
    let before = one(whole::read(&path).ok().flatten().as_deref().unwrap_or_default(), place);
    let has_daemon = check(context, text)?;
    // Before a secret stands there.
    if place.is_hidden() && !place.is_command() && file.make_private()? {
        context.ui.warning(say::CONFIG_IS_PRIVATE);
    }
    file.write(text)?;
    let reloaded = if has_daemon { Some(reload(context, file)?) } else { None };
    let after = one(text, place);
    let at_next_start = place.key.at_next_start && has_daemon;
    let warnings = reloaded.as_ref().map(|reloaded| reloaded.warnings.clone()).unwrap_or_default();
    let value = |shown: &Option<Shown>| shown.as_ref().and_then(|shown| shown.value.clone());
    let answer = json!({
        "schema_version": SCHEMA_VERSION,
        "key": place.to_string(),
        "value": value(&after),
        "before": value(&before),
        "secret": place.is_hidden(),
        "config": path.display().to_string(),
        "changed": true,
        "holds": if at_next_start || !has_daemon { "next_start" } else { "now" },
    });
    context.confirm(&answer, &warnings, |_| {
        let is_said = after.as_ref().is_some_and(|after| after.origin != Origin::Default);
        let mut line = Text::styled(GOOD, if is_said { "set" } else { "unset" });
        line.push(&match (is_said, told(after.as_ref())) {
            (true, value) => format!("  {place} = {value}"),
            (false, value) if after.as_ref().is_some_and(|after| after.value.is_some()) => {
                format!("  {place}, so {value} holds")
            }
            (false, _) => format!("  {place}"),
        });
        line.push_styled(DIM, &format!("  (was {})  in {}", told(before.as_ref()), path.display()));
        let mut lines = vec![line];
        if at_next_start {
            lines.push(Text::plain("holds from keikod's next start on"));
        } else if !has_daemon {
            lines.push(Text::plain("holds when keikod starts"));
        }
        lines
    });
    Ok(Exit::Done)
}

/// Returns whether a daemon runs; refuses what that, or the one that would be started, would refuse.
fn check(context: &mut Context<'_>, text: &str) -> Result<bool, CliError> {
    match context.connect() {
        Ok(()) => {
            context.ask(&Reload { check: Some(text.to_owned()) })?;
            Ok(true)
        }
        Err(CliError::Client(ClientError::NoDaemon { .. } | ClientError::NotTaken { .. })) => {
            match start::check(text) {
                Ok(None) => Ok(false),
                Ok(Some(reason)) => Err(EditError::Refused { reason }.into()),
                Err(error) => {
                    context.ui.warning(&format!("cannot run keikod to check it: {error}"));
                    Ok(false)
                }
            }
        }
        Err(error) => Err(error),
    }
}

/// Lets the daemon go by what was written; where it does not take it after all, the file says again what it said.
pub(super) fn reload(context: &mut Context<'_>, file: &ConfigFile) -> Result<ReloadResult, CliError> {
    context.ask(&Reload::default()).inspect_err(|_| {
        // That it was refused is what is told.
        let _ = file.restore();
    })
}

fn one(text: &str, place: &Place) -> Option<Shown> {
    shown::one(text, place, |_| None)
}

fn told(shown: Option<&Shown>) -> String {
    match shown {
        Some(Shown { is_hidden: true, .. }) => NOT_SHOWN.to_owned(),
        Some(Shown { value: Some(value), .. }) => value.to_string(),
        Some(Shown { value: None, .. }) | None => "not set".to_owned(),
    }
}

/// Returns what was typed, unless it is a secret that must not be typed there.
fn check_shown(context: &mut Context<'_>, place: &Place, typed: String) -> Result<String, CliError> {
    if place.is_secret() {
        if !place.name.ends_with("url") {
            let message =
                format!("cannot take {place} from the command line: the shell keeps it, and every process can see it");
            let name = place.to_string();
            let hint = format!(
                "keiko config set {name} - reads it from standard input; {name}_file, {name}_env and {name}_command say where it is"
            );
            return Err(CliError::usage(message, hint));
        }
        let warning =
            format!("the shell keeps what follows {place}; keiko config set {place} - reads it from standard input");
        context.ui.warning(&warning);
    }
    Ok(typed)
}

fn read_input() -> Result<String, CliError> {
    let text = io::read_to_string(io::stdin().lock()).map_err(|source| CliError::Input { source })?;
    Ok(text.strip_suffix('\n').map_or(text.as_str(), |line| line.strip_suffix('\r').unwrap_or(line)).to_owned())
}
