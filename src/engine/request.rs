//! Was this asked before? What makes a request that is sent twice be done once. It never forgets and never guesses: a key
//! stands for one request, of one method.

use uuid::Uuid;

use crate::domain::event::{Event, Operation, Snapshot};
use crate::domain::task::TaskId;
use crate::domain::time::Timestamp;
use crate::engine::handle::Handle;
use crate::engine::input::{Applied, CallError, Dependents};
use crate::store::{RequestSeen, Store, StoreError};

/// The method that adds a task, as a key has it.
const ADD: &str = "task.add";

/// Within which namespace the ids of requests with a key are made.
const REQUESTS: Uuid = Uuid::from_u128(0x6b1f_0d6e_53f4_4c1e_9a57_2f0f_5c8e_7d31);

/// What makes a request that is sent twice be done once: a key that was seen before changes nothing, and is answered with
/// the task of the first time as it is now.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RequestKey {
    /// The caller's key.
    pub key: String,
    /// What is asked; the key of one method is not taken for another.
    pub method: &'static str,
}

impl RequestKey {
    /// Returns the id of the request: the same each time it is sent, so that every answer names the same events.
    pub(super) fn op_id(&self) -> Uuid {
        Uuid::new_v5(&REQUESTS, format!("{}|{}", self.method, self.key).as_bytes())
    }

    /// Returns the task that a request of this key was about.
    ///
    /// # Errors
    /// It was a request of another method.
    pub(super) fn task_of(&self, seen: RequestSeen) -> Result<TaskId, CallError> {
        if seen.method == self.method {
            return Ok(seen.task);
        }
        Err(CallError::KeyTaken { key: self.key.clone(), method: self.method, seen: seen.method })
    }

    /// Returns whether an event is one by which the request was done, as far as that is not told by the id: what was added
    /// with others belongs to the operation of them all.
    pub(super) fn is_done_by(&self, event: &Event) -> bool {
        self.method == ADD && matches!(event.operation, Operation::Added(_))
    }

    /// Returns the operation with which `task` was added by this request, `None` where its own id names it.
    pub(super) fn op_in(&self, store: &dyn Store, task: TaskId) -> Result<Option<Uuid>, StoreError> {
        if self.method != ADD {
            return Ok(None);
        }
        let first = store.history_since(task, 0, 1)?;
        Ok(first.iter().find(|stored| self.is_done_by(&stored.event)).map(|stored| stored.event.op_id))
    }

    /// Returns the answer to a request that is sent again, which was done by the operation `op`, or by its own.
    pub(super) fn repeated(&self, snapshot: Snapshot, op: Option<Uuid>, now: Timestamp) -> Applied {
        Applied {
            snapshot,
            op_id: op.unwrap_or_else(|| self.op_id()),
            now,
            changed: false,
            passed_over: 0,
            follower: None,
            dependents: Dependents::default(),
        }
    }
}

impl Handle {
    /// Returns the answer to a request whose key was seen before, so that it need not be understood again: its words may
    /// say a time that has passed meanwhile, or a name that fits another task.
    ///
    /// # Errors
    /// The key was used for another method, or the store fails.
    pub async fn repeated(&self, key: RequestKey) -> Result<Option<Applied>, CallError> {
        let now = self.now();
        self.read(move |store| {
            let Some(seen) = store.request(&key.key)? else { return Ok(None) };
            let id = key.task_of(seen)?;
            let snapshot = store.snapshot(id)?.ok_or(CallError::NotFound { id })?;
            let op = key.op_in(store, id)?;
            Ok(Some(key.repeated(snapshot, op, now)))
        })
        .await
    }
}
