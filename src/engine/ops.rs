//! The way into the loop for what concerns operations: they begin, are looked at, and are taken back.

use std::sync::atomic::Ordering;

use uuid::Uuid;

use crate::domain::op::{DELETED_KEPT, Op};
use crate::engine::handle::Handle;
use crate::engine::input::{CallError, Input, UndoCall, Undone};

impl Handle {
    /// Takes back what a person did; answers when that is committed.
    ///
    /// # Errors
    /// There is nothing to take back, the rules refuse it, the store fails, or too many inputs wait.
    pub async fn undo(&self, call: UndoCall) -> Result<Undone, CallError> {
        self.ask(|reply| Input::Undo { call, reply }).await
    }

    /// Returns a handle of which all that is asked is one operation, until that is taken back.
    #[must_use]
    pub fn within(&self, op: Uuid) -> Self {
        let mut within = self.clone();
        within.op = Some(op);
        within
    }

    /// Returns the name of an operation that begins.
    #[must_use]
    pub fn begin_op(&self) -> Uuid {
        // What was begun by an earlier run and done has left events, so that no later one begins at the same place.
        let count = self.begun.fetch_add(1, Ordering::Relaxed);
        let text = format!("op|{}|{}|{count}", *self.last_seq().borrow(), self.now());
        Uuid::new_v5(&self.identity().device, text.as_bytes())
    }

    /// Returns the operations before the place `before`, latest first, with their places, at most `limit`.
    ///
    /// # Errors
    /// The store fails.
    pub async fn ops(&self, before: Option<u64>, limit: usize) -> Result<Vec<(u64, Op)>, CallError> {
        self.read(move |store| Ok(store.ops(before, limit)?)).await
    }

    /// Returns the name of the operation that a bare undo means.
    ///
    /// # Errors
    /// The store fails.
    pub async fn op_to_undo(&self) -> Result<Option<Uuid>, CallError> {
        let now = self.now();
        self.read(move |store| {
            // What is older is taken back by its name only.
            let is_recent = |op: &Op| now < op.at.saturating_add(DELETED_KEPT);
            Ok(store.op_to_undo()?.filter(is_recent).map(|op| op.id))
        })
        .await
    }

    /// Returns an operation, by the beginning of its id.
    ///
    /// # Errors
    /// None begins so, or several do, or the store fails.
    pub async fn op(&self, name: &str) -> Result<Op, CallError> {
        let name = name.to_ascii_lowercase();
        self.read(move |store| {
            let mut found = store.ops_by_prefix(&name, 2)?;
            match (found.pop(), found.is_empty()) {
                (Some(op), true) => Ok(op),
                (Some(_), false) => Err(CallError::ManySuchOps { name }),
                (None, _) => Err(CallError::NoSuchOp { name }),
            }
        })
        .await
    }
}
