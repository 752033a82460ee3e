//! How is an operation told to programs?

use chrono_tz::Tz;
use uuid::Uuid;

use crate::domain::op;
use crate::protocol::objects;
use crate::protocol::to_wire::time;

/// Returns an operation; `next` is the one that a bare undo means, and times are told in `zone`.
#[must_use]
pub fn op(op: &op::Op, next: Option<Uuid>, zone: Tz) -> objects::Op {
    objects::Op {
        op_id: op.id.to_string(),
        at: time(op.at, zone),
        verb: op.verb.clone(),
        text: op.told(),
        tasks: op.tasks.iter().map(|number| number.typed()).collect(),
        total: op.total,
        undoes: op.undoes.map(|id| id.to_string()),
        undone_by: op.undone_by.map(|id| id.to_string()),
        is_next: next == Some(op.id),
    }
}
