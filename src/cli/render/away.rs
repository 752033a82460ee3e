//! How it is told that the person is to be left alone.

use crate::cli::render::text::{DIM, Text};
use crate::cli::render::time::Viewpoint;
use crate::protocol::methods::AwayResult;
use crate::protocol::objects;

/// Returns what holds or will hold.
pub(crate) fn away(answer: &AwayResult, view: Viewpoint) -> Vec<Text> {
    let mut lines = vec![match &answer.away {
        Some(away) => {
            let mut line = Text::plain(&span(away, view));
            line.push_styled(DIM, "  undo: keiko away off");
            line
        }
        None if answer.op_id.is_some() && answer.changed => Text::plain("you are not away any more"),
        None => Text::plain("you are not away"),
    }];
    if let Some(end) = answer.quiet_until {
        lines.push(Text::plain(&format!("what comes by itself is held until {}", view.exact(end.instant()))));
    }
    lines
}

/// `away until Mon 11 May 09:00, but not +med`.
pub(crate) fn span(away: &objects::Away, view: Viewpoint) -> String {
    let (from, to) = (away.from.instant(), away.to.instant());
    let since = if from > view.now { format!(" from {}", view.exact(from)) } else { String::new() };
    let mut line = format!("away{since} until {}", view.exact(to));
    let except: Vec<String> = away.except.iter().map(|tag| format!("+{tag}")).collect();
    if !except.is_empty() {
        line = format!("{line}, but for {}", except.join(" "));
    }
    line
}
