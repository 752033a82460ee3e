//! The part of a batch that is about many tasks at once: all are paused, or go on, by one request.

use tokio::sync::oneshot;
use uuid::Uuid;

use crate::domain::command::{Command, Expected, Moment};
use crate::domain::event::{Actor, Snapshot};
use crate::domain::pause::{ManyPause, Scope, standing};
use crate::domain::state::State;
use crate::domain::time::Timestamp;
use crate::domain::transition::transition;
use crate::engine::input::{CallError, ManyApplied, ManyCall};
use crate::engine::step::{Answer, Batch};
use crate::store::Which;

impl Batch<'_> {
    /// Does what a person asks of many tasks: to each or to none, since all is one commit.
    pub(in crate::engine) fn call_many(
        &mut self,
        call: &ManyCall,
        reply: oneshot::Sender<Result<ManyApplied, CallError>>,
    ) {
        let result = match call {
            ManyCall::Pause { scope, until } => self.pause_many(scope, *until),
            ManyCall::Resume { scope, shift } => self.resume_many(scope, *shift),
        };
        self.many_answers.push(Answer { reply, result });
    }

    fn pause_many(&mut self, scope: &Scope, until: Option<Timestamp>) -> Result<ManyApplied, CallError> {
        let now = self.circumstances.now;
        if let Some(until) = until.filter(|until| *until <= now) {
            return Err(CallError::PauseInPast { scope: scope.clone(), until });
        }
        let id = self.ids.next(now);
        let mut many = ManyApplied { is_done: true, ..self.many(id) };
        for snapshot in self.open_tasks()? {
            let is_awake =
                matches!(snapshot.occurrence.state, State::Pending(_) | State::Running(_) | State::Failed(_));
            if is_awake && scope.covers(&snapshot.task.details.tags) {
                self.change_one(&snapshot, &Command::Pause { until }, &mut many)?;
            }
        }
        // Behind the tasks, so that none of them sleeps twice.
        self.pauses.retain(|pause| !pause.is_over(now));
        self.pauses.push(ManyPause { id, scope: scope.clone(), since: now, until });
        self.change.pauses = Some(self.pauses.clone());
        Ok(many)
    }

    fn resume_many(&mut self, scope: &Scope, shift: bool) -> Result<ManyApplied, CallError> {
        let now = self.circumstances.now;
        let op_id = self.ids.next(now);
        let mut many = self.many(op_id);
        let (ended, left): (Vec<ManyPause>, Vec<ManyPause>) =
            self.pauses.drain(..).partition(|pause| pause.scope == *scope);
        self.pauses = left;
        if ended.is_empty() {
            return Ok(many);
        }
        many.is_done = true;
        self.pauses.retain(|pause| !pause.is_over(now));
        self.change.pauses = Some(self.pauses.clone());
        for snapshot in self.open_tasks()? {
            let State::Suspended(suspended) = snapshot.occurrence.state else { continue };
            if !ended.iter().any(|pause| pause.id == suspended.id) {
                continue;
            }
            let command = match standing(&self.pauses, &snapshot.task.details.tags, now) {
                Some(pause) => Command::SleepOn { pause },
                None => Command::Resume { shift },
            };
            self.change_one(&snapshot, &command, &mut many)?;
        }
        Ok(many)
    }

    const fn many(&self, op_id: Uuid) -> ManyApplied {
        ManyApplied { op_id, now: self.circumstances.now, is_done: false, numbers: Vec::new(), passed_over: 0 }
    }

    /// Returns the open tasks, as this batch leaves them.
    fn open_tasks(&self) -> Result<Vec<Snapshot>, CallError> {
        let mut open = self.store.list(Which::Open)?;
        open.retain(|stored| !self.snapshots.contains_key(&stored.task.id));
        open.extend(self.snapshots.values().cloned());
        open.sort_by_key(|snapshot| snapshot.task.number);
        Ok(open)
    }

    /// Changes one of many: they share the request's id, by which a later one finds them again.
    fn change_one(&mut self, before: &Snapshot, command: &Command, many: &mut ManyApplied) -> Result<(), CallError> {
        let deliveries = self.deliveries_for(before, command)?;
        let moment = Moment { op_id: many.op_id, ..self.moment_of(None, &before.task.details.tags) };
        let transition = transition(before, &deliveries, command, Expected::default(), &moment)?;
        many.passed_over += transition.passed_over;
        if transition.has_changed() {
            many.numbers.push(before.task.number);
        }
        self.take(transition, Actor::Person, &moment);
        Ok(())
    }
}
