//! `op.begin`, `op.list`, `op.get`, `op.undo`, and `task.delete`: what people did, what of it is taken back, and what goes
//! from sight.

use std::sync::Arc;

use uuid::Uuid;

use crate::api::Api;
use crate::api::dispatch::Session;
use crate::api::handlers::changes::expected;
use crate::api::handlers::details;
use crate::domain::command::Command;
use crate::domain::op::Op;
use crate::engine::input::UndoCall;
use crate::protocol::SCHEMA_VERSION;
use crate::protocol::error_code::{ErrorKind, RpcError};
use crate::protocol::methods::{
    Delete, Method, OPS_DEFAULT, OPS_MAX, OpBegin, OpBeginResult, OpGet, OpGetResult, OpList, OpListResult, Undo,
    UndoResult, WriteResult,
};
use crate::protocol::objects;
use crate::protocol::to_wire::{self, Detail};

/// Makes what the connection changes from now on one operation.
pub(in crate::api) fn begin(api: &Api, session: &mut Session, OpBegin {}: OpBegin) -> OpBeginResult {
    let op = api.handle.begin_op();
    session.within = Some(Arc::new(api.within(op)));
    OpBeginResult { schema_version: SCHEMA_VERSION, op_id: op.to_string() }
}

/// Tells what people did, latest first.
pub(in crate::api) async fn list(api: &Api, params: OpList) -> Result<OpListResult, RpcError> {
    let limit = params.limit.unwrap_or(OPS_DEFAULT);
    if limit == 0 || limit > OPS_MAX {
        let message = format!("cannot list {limit} operations at once: expected 1 to {OPS_MAX}");
        return Err(RpcError::new(ErrorKind::Params, message).with_hint("go on from the next of the answer"));
    }
    let mut found = api.handle.ops(params.before, limit + 1).await.map_err(|error| api.refusal(&error))?;
    let has_more = found.len() > limit;
    found.truncate(limit);
    let next = found.last().map(|(place, _)| *place).filter(|_| has_more);
    let to_undo = api.op_to_undo().await?;
    let ops = found.iter().map(|(_, op)| api.tell_op(op, to_undo)).collect();
    Ok(OpListResult { schema_version: SCHEMA_VERSION, now: api.told(api.handle.now()), ops, next })
}

/// Tells of one operation.
pub(in crate::api) async fn get(api: &Api, params: OpGet) -> Result<OpGetResult, RpcError> {
    let op = api.handle.op(&params.op).await.map_err(|error| api.refusal(&error))?;
    Ok(OpGetResult {
        schema_version: SCHEMA_VERSION,
        now: api.told(api.handle.now()),
        op: api.tell_op(&op, api.op_to_undo().await?),
    })
}

/// Takes an operation back.
pub(in crate::api) async fn undo(api: &Api, params: Undo) -> Result<UndoResult, RpcError> {
    let key = details::key(params.key, Method::OpUndo)?;
    let undone = api.handle.undo(UndoCall { op: params.op, key }).await.map_err(|error| api.refusal(&error))?;
    let mut warnings = undone.notes;
    warnings.extend(api.storage_warnings().await);
    let tell = |task| to_wire::task(task, &[], Detail::Full, api.view());
    Ok(UndoResult {
        schema_version: SCHEMA_VERSION,
        now: api.told(undone.now),
        op_id: undone.op_id.to_string(),
        changed: undone.changed,
        // Now it is taken back, or was before.
        undone: api.tell_op(&undone.op, None),
        tasks: undone.tasks.iter().map(tell).collect(),
        warnings,
    })
}

/// Removes a task from sight.
pub(in crate::api) async fn delete(api: &Api, params: Delete) -> Result<WriteResult, RpcError> {
    let key = details::key(params.key, Method::TaskDelete)?;
    if let Some(answer) = api.repeated(key.as_ref()).await? {
        return Ok(answer);
    }
    let id = api.find(&params.task).await?;
    let applied = api.change(id, key, Command::Delete, expected(params.version, None)?).await?;
    api.written(applied, Vec::new()).await
}

impl Api {
    async fn op_to_undo(&self) -> Result<Option<Uuid>, RpcError> {
        self.handle.op_to_undo().await.map_err(|error| self.refusal(&error))
    }

    fn tell_op(&self, op: &Op, to_undo: Option<Uuid>) -> objects::Op {
        to_wire::ops::op(op, to_undo, self.handle.zone())
    }
}
