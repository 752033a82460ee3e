//! `keiko import` of what `keiko export` wrote: sent on in chunks, and brought in at once.

use serde_json::{Value, json};

use crate::cli::commands::import::source::Source;
use crate::cli::context::Context;
use crate::cli::error::{CliError, Exit};
use crate::cli::render::say::UNDO;
use crate::cli::render::text::{DIM, Text};
use crate::protocol::envelope::read_json;
use crate::protocol::methods::{Import, ImportResult};

/// How much is sent at once: half of what a message may be.
const CHUNK_BYTES: usize = 512 * 1024;

/// Imports all lines, or tells what that would be. What the file says wrong is no wrong use of the command.
pub(super) fn import(context: &mut Context<'_>, source: Source, is_dry_run: bool) -> Result<Exit, CliError> {
    match import_all(context, source, is_dry_run) {
        Err(error) if error.exit() == Exit::Usage => {
            context.fail(&error);
            Ok(Exit::Failure)
        }
        imported => imported,
    }
}

fn import_all(context: &mut Context<'_>, mut source: Source, is_dry_run: bool) -> Result<Exit, CliError> {
    let mut progress =
        source.bytes.map_or_else(crate::cli::ui::progress::Progress::hidden, |bytes| context.ui.bar(bytes, "reading"));
    let (mut chunk, mut bytes, mut number) = (Import::default(), 0, 0_u64);
    while let Some(line) = source.line()? {
        number += 1;
        if line.trim().is_empty() {
            continue;
        }
        // In one message with others an end of line within it would be lost on nobody.
        let json = read_json(&line).map_err(|error| {
            let why = format!("cannot read line {number} of {}: {}", source.name, error.source);
            CliError::usage(why, "nothing was imported; keiko export writes such a file")
        })?;
        progress.advance(line.len() as u64 + 1);
        bytes += line.len();
        chunk.lines.push(json);
        if bytes >= CHUNK_BYTES {
            context.ask_patiently(&chunk)?;
            (chunk, bytes) = (Import::default(), 0);
        }
    }
    drop(progress);
    chunk.finish = true;
    chunk.dry_run = is_dry_run;
    let patience = context.ui.patience(if is_dry_run { "checking" } else { "bringing it in" });
    let answer = context.ask_patiently(&chunk);
    drop(patience);
    let answer = answer?;
    context.confirm(&told(&answer), &[], |_| summary(&answer));
    if answer.deleted > 0 {
        let stay = format!("{} of those that are here already are deleted here, and stay so", answer.deleted);
        context
            .ui
            .hint(&format!("{stay}; keiko op names what deleted them, and keiko undo with its id brings them back"));
    }
    if answer.op_id.is_some() {
        context.ui.hint(&format!("{UNDO}: it deletes what came in"));
    }
    for untaken in &answer.refused {
        context.ui.warning(&format!("{} ({}): {}; it stays as it is here", untaken.title, untaken.id, untaken.reason));
    }
    let more = answer.refused_total.saturating_sub(answer.refused.len() as u64);
    if more > 0 {
        context.ui.warning(&format!("so it is with {more} more"));
    }
    Ok(if answer.refused_total > 0 { Exit::Failure } else { Exit::Done })
}

/// Returns the answer with the fields that an import of another form has, and those of each that was not taken.
fn told(answer: &ImportResult) -> Value {
    let mut told = json!(answer);
    told["left_out"] = json!({});
    told["without_alarm"] = json!([]);
    told["tasks"] = json!([]);
    for untaken in told["refused"].as_array_mut().into_iter().flatten() {
        untaken["place"] = Value::Null;
    }
    told
}

fn summary(answer: &ImportResult) -> Vec<Text> {
    let would = if answer.dry_run { "would add" } else { "added" };
    let mut lines = vec![Text::plain(&format!(
        "{would} {} tasks; {} are here already, {} refused",
        answer.added, answer.already_there, answer.refused_total
    ))];
    if answer.renumbered > 0 {
        let has = if answer.dry_run { "would have" } else { "have" };
        lines.push(Text::styled(
            DIM,
            &format!("{} {has} another number here, or none where they have ended: theirs is taken", answer.renumbered),
        ));
    }
    lines
}
