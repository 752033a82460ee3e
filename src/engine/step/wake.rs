//! The part of a batch that is about what the clock brings.

use std::sync::Arc;

use crate::domain::command::{Command, Expected};
use crate::domain::event::{Actor, Snapshot};
use crate::domain::task::TaskId;
use crate::engine::input::CallError;
use crate::engine::step::Batch;
use crate::store::StoreError;

impl Batch<'_> {
    /// Does whatever is due of a task by now. Where the batch has not touched the task, `ahead` is how it is in the store,
    /// if that was read already.
    ///
    /// # Errors
    /// The store cannot be read.
    pub(in crate::engine) fn wake(&mut self, task: TaskId, ahead: Option<&Snapshot>) -> Result<(), Arc<StoreError>> {
        let Some(before) = ahead.filter(|_| !self.snapshots.contains_key(&task)) else {
            return self.command(task, &Command::Wake, Actor::Clock);
        };
        match self.planned_from(before, None, &Command::Wake, Expected::default()) {
            Ok((transition, moment)) => {
                self.carry_out(transition, Actor::Clock, &moment);
                Ok(())
            }
            Err(CallError::Store { source }) => Err(source),
            Err(_) => Ok(()),
        }
    }
}
