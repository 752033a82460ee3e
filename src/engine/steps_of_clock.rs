//! Was the wall clock set, and did the machine sleep? Noticed at each turn, told as events of the device, and followed by
//! the tasks at once.
//!
//! Decides nothing of a task: what moves with the clock, and what goes on from now, the rules say.

use std::collections::HashMap;
use std::sync::Arc;

use crate::clock::{STEP_MIN, Shifted};
use crate::domain::command::Command;
use crate::domain::device_event::DeviceOperation;
use crate::domain::event::Actor;
use crate::domain::occurrence::Spent;
use crate::domain::task::TaskId;
use crate::domain::time::{Span, Timestamp};
use crate::engine::run::Engine;
use crate::store::{StoreError, Which};

/// How far behind now what has come up is still known: the same local date is over a day apart in two zones at most, and an
/// edit may have moved it within its day.
const SPENT_WITHIN: Span = Span::from_secs(3 * 24 * 60 * 60);

impl Engine {
    /// Looks whether the clock was set or the machine slept since the last look, and follows it.
    ///
    /// Called before anything is done in a turn: what counts from before a step is moved before it could ring. Where it
    /// cannot be written the look is taken as not made, so that the next one finds the same and more.
    pub(super) async fn follow_clock(&mut self) -> Result<(), Arc<StoreError>> {
        let reading = self.clock.reading();
        let shifted = reading.since(&self.reading);
        if !shifted.is_nothing() {
            self.follow_shift(reading.wall, shifted, "").await?;
            self.waits.shift(shifted.stepped);
            self.has_unreleased = true;
        }
        self.reading = reading;
        Ok(())
    }

    /// Where what the store knows lies ahead of now, the clock was set back while the daemon was off, by as much at least:
    /// how far it had gone since then nobody knows.
    pub(super) async fn follow_earlier_clock(&mut self, last_seq: u64) -> Result<(), Arc<StoreError>> {
        let reading = self.clock.reading();
        let last = self.store.events_since(last_seq.saturating_sub(1), 1)?;
        let Some(last_at) = last.first().map(|stored| stored.event.at()) else { return Ok(()) };
        let stepped = reading.wall.since(last_at);
        if stepped.as_millis() > -STEP_MIN.as_millis() {
            return Ok(());
        }
        let shifted = Shifted { stepped, slept: Span::ZERO };
        self.follow_shift(reading.wall, shifted, "while the daemon was off, by as much at least").await?;
        self.reading = reading;
        Ok(())
    }

    /// Commits the events of the device, and what a step makes of the tasks, all at once.
    ///
    /// In one transaction, however many tasks there are, and not in batches as a change of zone is: where a time is in
    /// another zone can be asked again after a crash on the way, but by how much a snooze is to be moved cannot. What was
    /// known of the step is lost with the process, and half of the tasks would have been moved twice or never. Most tasks
    /// write nothing: only what is snoozed for a duration, nags, counts from a completion, or lies ahead of a clock that
    /// was set back changes.
    async fn follow_shift(
        &mut self,
        now: Timestamp,
        shifted: Shifted,
        reason: &'static str,
    ) -> Result<(), Arc<StoreError>> {
        let Shifted { stepped, slept } = shifted;
        let before = |span: Span| now.saturating_add(Span::from_millis(span.as_millis().saturating_neg()));
        let mut operations = Vec::new();
        if slept > Span::ZERO {
            operations.push(DeviceOperation::Slept { from: before(slept), to: now });
        }
        let mut tasks = Vec::new();
        if stepped != Span::ZERO {
            operations.push(DeviceOperation::ClockStepped { from: before(stepped), to: now });
            tasks = self.store.list(Which::Open)?.into_iter().map(|snapshot| snapshot.task.id).collect();
        }
        if stepped < Span::ZERO {
            self.spent = self.spent_by(now)?;
        }
        let command = Command::ClockSet { by: stepped };
        let all = self.commit(|batch| {
            for operation in &operations {
                batch.device_event(operation.clone(), reason);
            }
            tasks.iter().try_for_each(|task| batch.command(*task, &command, Actor::Daemon))
        });
        match all.await {
            Err(error) if error.is_particular() => {
                tracing::error!(%error, "a task cannot follow the clock; the others do");
                self.follow_one_by_one(&tasks, &command, operations, reason).await?;
            }
            other => drop(other?),
        }
        // What was open and had come up is closed now. The step is followed whether or not that can be read.
        if stepped < Span::ZERO {
            match self.spent_by(now) {
                Ok(spent) => self.spent = spent,
                Err(error) => self.hold_back(&error, now),
            }
        }
        Ok(())
    }

    /// One task made the whole fail, and would again: it alone is left behind. Whatever else fails on the way is not done
    /// anew, since those before it have moved already.
    async fn follow_one_by_one(
        &mut self,
        tasks: &[TaskId],
        command: &Command,
        operations: Vec<DeviceOperation>,
        reason: &'static str,
    ) -> Result<(), Arc<StoreError>> {
        for task in tasks {
            match self.commit(|batch| batch.command(*task, command, Actor::Daemon)).await {
                Ok(_) => {}
                Err(error) => tracing::error!(%error, %task, "it is left as it was"),
            }
        }
        let told = self.commit(|batch| {
            for operation in operations {
                batch.device_event(operation, reason);
            }
            Ok(())
        });
        told.await.map(drop)
    }

    /// Returns what does not come up again and may lie ahead of `now`, by task.
    pub(super) fn spent_by(&self, now: Timestamp) -> Result<HashMap<TaskId, Vec<Spent>>, Arc<StoreError>> {
        let since = now.saturating_add(Span::from_millis(-SPENT_WITHIN.as_millis()));
        let mut by_task: HashMap<TaskId, Vec<Spent>> = HashMap::new();
        for (task, spent) in self.store.spent(since)? {
            by_task.entry(task).or_default().push(spent);
        }
        Ok(by_task)
    }
}
