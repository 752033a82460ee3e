//! The part of a batch that is about many tasks at once: all are paused, or go on, by one request.

use tokio::sync::oneshot;
use uuid::Uuid;

use crate::domain::command::{Command, Expected, Moment};
use crate::domain::event::{Actor, Snapshot};
use crate::domain::op::PausesChanged;
use crate::domain::pause::{ManyPause, Scope, standing};
use crate::domain::state::State;
use crate::domain::time::Timestamp;
use crate::domain::transition::{Transition, transition};
use crate::engine::input::{CallError, ManyApplied, ManyCall};
use crate::engine::step::{Answer, Batch};
use crate::store::Which;

/// How many pauses of many tasks may stand: one of all, and those of more tags than people pause at a time. Each commit
/// that changes one writes all.
const STANDING_MAX: usize = 100;

impl<'a> Batch<'a> {
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
        let mut pauses = self.pauses.clone();
        pauses.retain(|pause| !pause.is_over(now));
        // One of the same scope is taken over: what sleeps with it sleeps on with the new one.
        let replaced: Vec<ManyPause> = pauses.extract_if(.., |pause| pause.scope == *scope).collect();
        if pauses.len() >= STANDING_MAX {
            return Err(CallError::TooManyPauses { scope: scope.clone(), limit: STANDING_MAX });
        }
        let pause = ManyPause { id, scope: scope.clone(), since: now, until };
        let mut planned = Vec::new();
        let held_by = self.others(&pauses, scope)?;
        for snapshot in self.open_tasks()? {
            let command = match &snapshot.occurrence.state {
                State::Pending(_) | State::Running(_) | State::Failed(_) => {
                    scope.covers(&snapshot.task.details.tags).then_some(Command::Pause { until })
                }
                State::Suspended(suspended) => {
                    is_of(&replaced, suspended.id).then(|| Command::SleepOn { pause: pause.standing() })
                }
                State::Created | State::Completed(_) | State::Cancelled(_) => None,
            };
            if let Some(command) = command {
                planned.push(self.plan_one(&snapshot, &command, id, &pauses)?);
            }
        }
        pauses.push(pause);
        Ok(self.take_many("pause", planned, pauses, ManyApplied { is_done: true, held_by, ..self.many(id) }))
    }

    fn resume_many(&mut self, scope: &Scope, shift: bool) -> Result<ManyApplied, CallError> {
        let now = self.circumstances.now;
        let op_id = self.ids.next(now);
        let mut pauses = self.pauses.clone();
        let ended: Vec<ManyPause> = pauses.extract_if(.., |pause| pause.scope == *scope).collect();
        pauses.retain(|pause| !pause.is_over(now));
        let mut held_by = self.others(&pauses, scope)?;
        if ended.is_empty() {
            return Ok(ManyApplied { held_by, ..self.many(op_id) });
        }
        let mut planned = Vec::new();
        for snapshot in self.open_tasks()? {
            let State::Suspended(suspended) = snapshot.occurrence.state else { continue };
            if is_of(&ended, suspended.id) {
                let command = match standing(&pauses, &snapshot.task.details.tags, now) {
                    Some(pause) => {
                        held_by.extend(pauses.iter().find(|one| one.id == pause.id).map(|one| one.scope.clone()));
                        Command::SleepOn { pause }
                    }
                    None => Command::Resume { shift },
                };
                planned.push(self.plan_one(&snapshot, &command, op_id, &pauses)?);
            }
        }
        held_by.sort();
        held_by.dedup();
        Ok(self.take_many("resume", planned, pauses, ManyApplied { is_done: true, held_by, ..self.many(op_id) }))
    }

    /// Returns which of `pauses` hold tasks of `scope`.
    fn others(&self, pauses: &[ManyPause], scope: &Scope) -> Result<Vec<Scope>, CallError> {
        let mut others = Vec::new();
        for snapshot in self.open_tasks()? {
            let State::Suspended(suspended) = snapshot.occurrence.state else { continue };
            if scope.covers(&snapshot.task.details.tags) {
                others.extend(pauses.iter().find(|pause| pause.id == suspended.id).map(|pause| pause.scope.clone()));
            }
        }
        others.sort();
        others.dedup();
        Ok(others)
    }

    const fn many(&self, op_id: Uuid) -> ManyApplied {
        ManyApplied {
            op_id,
            now: self.circumstances.now,
            is_done: false,
            numbers: Vec::new(),
            passed_over: 0,
            held_by: Vec::new(),
        }
    }

    /// Returns the open tasks, as this batch leaves them.
    pub(super) fn open_tasks(&self) -> Result<Vec<Snapshot>, CallError> {
        let mut open = self.store.list(Which::Open)?;
        open.retain(|stored| !self.snapshots.contains_key(&stored.task.id));
        open.extend(self.snapshots.values().filter(|snapshot| snapshot.task.deleted_at.is_none()).cloned());
        open.sort_by_key(|snapshot| snapshot.task.number);
        Ok(open)
    }

    /// Returns what follows for one of many: they share the request's id, by which a later one finds them again.
    ///
    /// Of the pauses only `pauses` hold for it: what comes up behind one that ends now does not sleep with that.
    pub(super) fn plan_one(
        &mut self,
        before: &Snapshot,
        command: &Command,
        op_id: Uuid,
        pauses: &[ManyPause],
    ) -> Result<(Transition, Moment<'a>), CallError> {
        let deliveries = self.deliveries_for(before, command)?;
        let tags = &before.task.details.tags;
        let standing = standing(pauses, tags, self.circumstances.now);
        let moment = Moment { op_id, standing, ..self.moment_of(None, tags) };
        let runs = self.runs_of(before)?;
        let known = self.world.known(before.task.id, &deliveries, &runs);
        Ok((transition(before, known, command, Expected::default(), &moment)?, moment))
    }

    /// Takes what was planned of every one, since nothing of it may be left out.
    fn take_many(
        &mut self,
        verb: &str,
        planned: Vec<(Transition, Moment<'a>)>,
        pauses: Vec<ManyPause>,
        mut many: ManyApplied,
    ) -> ManyApplied {
        let mut changed = Vec::new();
        for (transition, moment) in planned {
            many.passed_over += transition.passed_over;
            if transition.has_changed() {
                // What sleeps on with another pause was not resumed.
                let is_asleep = matches!(transition.after.occurrence.state, State::Suspended(_));
                if verb != "resume" || !is_asleep {
                    many.numbers.push(transition.after.task.number);
                }
                changed.push(transition.after.clone());
            }
            self.take(transition, Actor::Person, &moment);
        }
        let pauses_changed = PausesChanged { before: self.pauses.clone(), after: pauses.clone() };
        self.note_many(many.op_id, verb, &changed, pauses_changed);
        self.change.pauses = Some(pauses.clone());
        self.pauses = pauses;
        many
    }
}

fn is_of(pauses: &[ManyPause], id: Uuid) -> bool {
    pauses.iter().any(|pause| pause.id == id)
}
