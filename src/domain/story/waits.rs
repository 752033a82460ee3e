//! What does it wait for, what came of that, and what set it free?

use crate::domain::event::{Event, Operation};
use crate::domain::story::Said;
use crate::domain::waiting::{Parent, Wait};

/// Returns what an event says of waiting, `None` where it is of something else.
pub(super) fn said(event: &Event) -> Option<Said> {
    if let Operation::WaitsSet(waits) = &event.operation {
        return Some(Said::WaitsSet {
            by: event.actor,
            parents: waits.parents.iter().map(|parent| parent.number).collect(),
            delay: waits.delay,
            why: event.reason.clone(),
        });
    }
    if let Operation::ParentDone(parent) = &event.operation {
        return Some(Said::ParentDone { parent: parent.number });
    }
    if let Operation::ParentFailed(parent) = &event.operation {
        return Some(failed(parent));
    }
    if let Operation::Freed(freed) = &event.operation {
        return Some(Said::Freed { due: freed.due_at() });
    }
    matches!(event.operation, Operation::Unblocked).then_some(Said::Unblocked)
}

fn failed(parent: &Parent) -> Said {
    let how = match (parent.wait, parent.ahead) {
        (_, Some(Wait::Failed(failure))) | (Wait::Failed(failure), _) => Some(failure.how),
        (Wait::Awaited | Wait::Met(_), Some(Wait::Awaited | Wait::Met(_)) | None) => None,
    };
    Said::ParentFailed { parent: parent.number, how }
}
