//! `keiko config edit`: the file in the person's editor, as often as they want, and put in its place only when it can be used.

use crate::cli::commands::config::check::{Kind, found};
use crate::cli::commands::config::set::reload;
use crate::cli::commands::drafting::{ended, goes_on, kept, unchanged};
use crate::cli::context::Context;
use crate::cli::error::{CliError, Exit};
use crate::cli::render::say;
use crate::cli::render::text::clean;
use crate::cli::ui::editor::Draft;
use crate::config::default_file;
use crate::config::edit::{ConfigFile, Turn};
use crate::config::paths::Paths;
use crate::config::shown::{self, Origin};
use crate::protocol::SCHEMA_VERSION;

/// What begins the line that explains an error above its place, in a text that is opened again; no person begins one so.
const ERROR: &str = "# error (keiko config edit): ";

/// Lets a person edit the file. Where there is none, they begin with one that explains every key.
pub(super) fn edit(context: &mut Context<'_>) -> Result<Exit, CliError> {
    if !context.ui.can_edit() {
        return Err(CliError::usage(
            "cannot edit the configuration: no person is at a terminal here",
            "keiko config set KEY VALUE changes a key, keiko config path tells where the file is",
        ));
    }
    let paths = Paths::of_process()?;
    let path = paths.config_file().to_owned();
    let file = ConfigFile::read_as_text(&path)?;
    let before = file.text().map_or_else(default_file::text, str::to_owned);
    let mut draft = Draft::begin("config")?;
    let mut text = before.clone();
    loop {
        let left = match draft.edit(&text) {
            Ok(left) => left,
            Err(error) => return Err(ended(context, &mut draft, error)),
        };
        let written = without_explanations(&left);
        if written == before {
            return Ok(unchanged(context));
        }
        let findings = found(context, &path, &written);
        let faults: Vec<_> = findings.iter().filter(|finding| finding.kind == Kind::Error).collect();
        let Some(first) = faults.first() else {
            return settle(context, &file, &written).inspect_err(|_| kept(context, &mut draft));
        };
        for fault in &faults {
            let place = fault.at.map_or(String::new(), |at| format!("line {}: ", at.line));
            context.ui.error(&format!("{place}{}", fault.message), None);
        }
        if !goes_on(context, &mut draft)? {
            return Ok(Exit::Failure);
        }
        let explained = format!("{ERROR}{}\n", clean(&first.message));
        text = with_line(&written, first.at.map_or(1, |at| at.line), &explained);
    }
}

/// Writes the text, lets the daemon go by it where one runs, and says so.
fn settle(context: &mut Context<'_>, file: &ConfigFile, text: &str) -> Result<Exit, CliError> {
    let has_daemon = match context.connect() {
        Ok(()) => true,
        Err(error) if error.is_loss() => false,
        Err(error) => return Err(error),
    };
    let path = Paths::of_process()?.config_file().to_owned();
    let _turn = Turn::take(&path)?;
    let holds_secret = shown::all(text, |_| None).iter().any(|key| key.is_hidden && key.origin != Origin::Default);
    if holds_secret && file.make_private()? {
        context.ui.warning(say::CONFIG_IS_PRIVATE);
    }
    file.write(text)?;
    let reloaded = if has_daemon { Some(reload(context, file)?) } else { None };
    let at_next_start = reloaded.as_ref().map(|reloaded| reloaded.at_next_start.clone()).unwrap_or_default();
    let warnings = reloaded.as_ref().map(|reloaded| reloaded.warnings.clone()).unwrap_or_default();
    let answer = serde_json::json!({
        "schema_version": SCHEMA_VERSION,
        "config": path.display().to_string(),
        "changed": true,
        "holds": if has_daemon { "now" } else { "next_start" },
    });
    context.confirm(&answer, &warnings, |_| say::config_written(&path, has_daemon, &at_next_start));
    Ok(Exit::Done)
}

/// Returns a text without what was put above its errors, which is no part of it.
fn without_explanations(text: &str) -> String {
    text.split_inclusive('\n').filter(|line| !line.starts_with(ERROR)).collect()
}

/// Returns a text with a line more above the line `at`, counted from 1.
fn with_line(text: &str, at: usize, line: &str) -> String {
    let above: usize = text.split_inclusive('\n').take(at.saturating_sub(1)).map(str::len).sum();
    let (above, below) = text.split_at(above);
    // The last line may have no end.
    let end = if above.is_empty() || above.ends_with('\n') { "" } else { "\n" };
    format!("{above}{end}{line}{below}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_put_above_its_place_and_taken_out_again() {
        let line = format!("{ERROR}no\n");
        for (text, at, expected) in [
            ("a\nb\n", 1, "# error: no\na\nb\n"),
            ("a\r\nbé\n", 2, "a\r\n# error: no\nbé\n"),
            ("", 3, "# error: no\n"),
            ("a", 9, "a\n# error: no\n"),
        ] {
            let with = with_line(text, at, &line);
            assert_eq!(with.replace(&line, "# error: no\n"), expected);
            assert_eq!(without_explanations(&with).trim_end(), text.trim_end());
        }
    }
}
