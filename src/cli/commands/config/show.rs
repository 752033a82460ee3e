//! `keiko config show` and `get`: what holds, and where it comes from.

use serde_json::{Value, json};

use crate::cli::commands::config::place;
use crate::cli::context::Context;
use crate::cli::error::{CliError, Exit};
use crate::cli::render::table::{Column, table};
use crate::cli::render::text::{DIM, Text};
use crate::config::Config;
use crate::config::paths::Paths;
use crate::config::place::Place;
use crate::config::shown::{self, Origin, Shown};
use crate::config::whole;
use crate::protocol::SCHEMA_VERSION;

/// What stands in place of a value that may be a secret.
const NOT_SHOWN: &str = "(not shown)";

/// Shows every key, or those of a table.
pub(super) fn show(context: &mut Context<'_>, only: Option<&str>) -> Result<Exit, CliError> {
    let paths = Paths::of_process()?;
    let (text, warnings) = read(&paths)?;
    let mut all = shown::all(&text, variable);
    if let Some(only) = only {
        let is_in =
            |key: &str| key.strip_prefix(only).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']));
        all.retain(|shown| is_in(&shown.key));
        if all.is_empty() {
            // A key that is said nowhere is none of a table that somebody made.
            let place = place(only)?;
            all.push(one(&text, &place)?);
        }
    }
    let keys: Vec<Value> = all.iter().map(|shown| object(shown, &paths)).collect();
    let answer = json!({
        "schema_version": SCHEMA_VERSION,
        "file": paths.config_file().display().to_string(),
        "keys": keys,
    });
    context.answer(&answer, &warnings, |width| {
        let columns = [Column::words("KEY"), Column::flexible("VALUE", 12), Column::flexible("FROM", 12)];
        let rows: Vec<Vec<Text>> = all.iter().map(|shown| row(shown, &paths)).collect();
        table(&columns, &rows, width)
    });
    Ok(Exit::Done)
}

/// Prints what holds of one key, for people and scripts: a text without quotes, all else as TOML.
pub(super) fn get(context: &mut Context<'_>, key: &str) -> Result<Exit, CliError> {
    let place = place(key)?;
    let paths = Paths::of_process()?;
    let (text, warnings) = read(&paths)?;
    let shown = one(&text, &place)?;
    if shown.is_hidden && shown.origin != Origin::Default {
        let message = format!("cannot show {key}: it may be a secret");
        return Err(CliError::refusal(
            message,
            format!("it stands at {}", shown::told(&shown.origin, paths.config_file())),
        ));
    }
    let Some(value) = &shown.value else {
        let message = format!("{key} is not set, and nothing holds in its place");
        return Err(CliError::not_found(message, format!("keiko config set {key} VALUE sets it")));
    };
    let mut answer = object(&shown, &paths);
    answer["schema_version"] = json!(SCHEMA_VERSION);
    context.answer(&answer, &warnings, |_| vec![Text::plain(&value.plain())]);
    Ok(Exit::Done)
}

fn one(text: &str, place: &Place) -> Result<Shown, CliError> {
    shown::one(text, place, variable).ok_or_else(|| {
        let message = format!("there is no table {} in the configuration", place.table);
        CliError::not_found(message, "keiko config show lists what there is")
    })
}

/// Reads the file, which must be good, or nobody could say what holds.
fn read(paths: &Paths) -> Result<(String, Vec<String>), CliError> {
    let text = whole::read(paths.config_file())?;
    let warnings = match &text {
        Some(text) => Config::parse(paths.config_file(), text)?.1,
        None => Config::missing(paths.config_file(), paths.config_origin()),
    };
    Ok((text.unwrap_or_default(), warnings.iter().map(ToString::to_string).collect()))
}

fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

fn row(shown: &Shown, paths: &Paths) -> Vec<Text> {
    let value = match (&shown.value, shown.is_hidden) {
        (_, true) if shown.origin != Origin::Default => Text::styled(DIM, NOT_SHOWN),
        (Some(value), _) => Text::plain(&value.to_string()),
        (None, _) => Text::styled(DIM, "-"),
    };
    let origin = shown::told(&shown.origin, paths.config_file());
    let origin = if shown.origin == Origin::Default { Text::styled(DIM, &origin) } else { Text::plain(&origin) };
    vec![Text::plain(&shown.key), value, origin]
}

fn object(shown: &Shown, paths: &Paths) -> Value {
    let (origin, at, variable) = match &shown.origin {
        Origin::Default => ("default", None, None),
        Origin::File(at) => ("file", Some(at), None),
        Origin::Environment(variable) => ("environment", None, Some(*variable)),
    };
    json!({
        "key": shown.key,
        "value": shown.value,
        "secret": shown.is_hidden,
        "origin": origin,
        "file": at.map(|_| paths.config_file().display().to_string()),
        "line": at.map(|at| at.line),
        "column": at.map(|at| at.column),
        "variable": variable,
    })
}
