//! What is said round a text that a person edits, and what becomes of what they wrote when it is not done: it is never lost.

use crate::cli::context::Context;
use crate::cli::error::{CliError, Exit};
use crate::cli::render::say;
use crate::cli::ui::editor::{Draft, EditorError};

/// Says that nothing came of it.
pub(crate) fn unchanged(context: &mut Context<'_>) -> Exit {
    context.ui.progress(say::NOTHING_CHANGED);
    Exit::Done
}

/// Asks whether the person goes on; where not, what they wrote stays.
///
/// # Errors
/// Their answer cannot be read.
pub(crate) fn goes_on(context: &mut Context<'_>, draft: &mut Draft) -> Result<bool, CliError> {
    let answer = context.ui.ask(say::EDIT_AGAIN).map_err(|source| {
        kept(context, draft);
        CliError::Input { source }
    })?;
    // Nobody is there any more who could.
    let goes_on = answer.is_some_and(|answer| say::is_yes_or_empty(&answer));
    if !goes_on {
        kept(context, draft);
    }
    Ok(goes_on)
}

/// Lets what was written stay, and says where.
pub(crate) fn kept(context: &mut Context<'_>, draft: &mut Draft) {
    draft.keep();
    context.ui.progress(&say::nothing_changed_but_kept(draft.path()));
}

/// Says that nothing came of it; what was written in an earlier round stays.
pub(crate) fn left_as_it_was(context: &mut Context<'_>, draft: &mut Draft) -> Exit {
    given_up(context, draft);
    Exit::Done
}

/// Keeps what was written, now or before, where an editor failed or was killed.
pub(crate) fn ended(context: &mut Context<'_>, draft: &mut Draft, error: EditorError) -> CliError {
    given_up(context, draft);
    CliError::Editor(error)
}

fn given_up(context: &mut Context<'_>, draft: &mut Draft) {
    if draft.is_written() {
        kept(context, draft);
    } else {
        context.ui.progress(say::NOTHING_CHANGED);
    }
}
