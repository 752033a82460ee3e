//! The part of a batch that is about tasks that wait for others: what a completion sets free, and whether a new wait would
//! go in a circle. It looks up and hands on; what follows is for the rules to say.

use std::collections::{HashSet, VecDeque};
use std::sync::Arc;

use crate::domain::command::{Command, Edit, Expected, Moment};
use crate::domain::event::{Actor, Operation, Snapshot};
use crate::domain::rejection::Rejection;
use crate::domain::state::StateName;
use crate::domain::task::{Number, TaskId};
use crate::domain::transition::{Step, Transition, transition};
use crate::domain::waiting::{CHILDREN_MAX, LEVELS_MAX, Parent, ParentEnd, Search, SetWaits, Wait, find_cycle};
use crate::engine::input::{CallError, Dependents};
use crate::engine::step::Batch;
use crate::store::StoreError;

/// How many of those who waited are told of one by one.
const TOLD_MAX: usize = 20;

/// Notes what became of one that waited, where a person would want to know.
fn note(dependents: &mut Dependents, was_blocked: bool, transition: &Transition) {
    let after = &transition.after;
    let is_blocked = after.is_waiting() && after.task.waits.is_blocked();
    let has_left = |step: &Step| step.from == Some(StateName::Created) && step.to.is_some() && step.to != step.from;
    if !transition.steps.iter().any(has_left) && (was_blocked || !is_blocked) {
        return;
    }
    dependents.total += 1;
    if dependents.told.len() < TOLD_MAX {
        dependents.told.push(after.clone());
    }
}

impl<'a> Batch<'a> {
    /// Tells those who wait for a task what became of it, and those who wait for them, and so on, one after the other: all
    /// of it is part of the same commit and bears the id of what caused it.
    ///
    /// # Errors
    /// The store cannot be read; then nothing of the batch may be committed.
    pub(super) fn tell_dependents(
        &mut self,
        ends: Vec<ParentEnd>,
        moment: &Moment,
    ) -> Result<Dependents, Arc<StoreError>> {
        let mut dependents = Dependents::default();
        let mut queue = VecDeque::from(ends);
        while let Some(end) = queue.pop_front() {
            for child in self.dependents_of(end.parent)? {
                let Some((before, transition, moment)) = self.follow_parent(child, end, moment)? else { continue };
                note(&mut dependents, before.task.waits.is_blocked(), &transition);
                queue.extend(ParentEnd::all_of(&transition));
                self.write_down(transition, Actor::Daemon, &moment);
            }
        }
        Ok(dependents)
    }

    /// Tells tasks, each with one that it waits for, what became of that where they do not know: it has ended elsewhere, or is
    /// not here, which is as if it was deleted.
    ///
    /// # Errors
    /// The store cannot be read; then nothing of the batch may be committed.
    pub(in crate::engine) fn tell_untold(&mut self, pairs: &[(TaskId, TaskId)]) -> Result<(), Arc<StoreError>> {
        let now = self.circumstances.now;
        for (child, parent) in pairs {
            let looked_up = |id| match self.snapshot(id) {
                Ok(snapshot) => Ok(Some(snapshot)),
                Err(CallError::Store { source }) => Err(source),
                Err(_) => Ok(None),
            };
            let end = match looked_up(*parent)? {
                Some(parent) => ParentEnd { parent: parent.task.id, wait: Wait::of(&parent) },
                None => ParentEnd::deleted(*parent, now),
            };
            let Some(before) = looked_up(*child)? else { continue };
            let is_awaited = |known: &&Parent| known.id == *parent && known.ahead.is_none();
            let known = before.task.waits.parents.iter().find(is_awaited).map(|known| known.wait);
            if known != Some(Wait::Awaited) || end.wait == Wait::Awaited {
                continue;
            }
            let op_id = self.ids.next(now);
            let moment = Moment { op_id, ..self.moment_of(None, &before.task.details.tags) };
            let Some((_, transition, moment)) = self.follow_parent(*child, end, &moment)? else { continue };
            let ends = ParentEnd::all_of(&transition);
            self.write_down(transition, Actor::Daemon, &moment);
            self.tell_dependents(ends, &moment)?;
        }
        Ok(())
    }

    fn follow_parent(
        &mut self,
        child: TaskId,
        end: ParentEnd,
        moment: &Moment,
    ) -> Result<Option<(Snapshot, Transition, Moment<'a>)>, Arc<StoreError>> {
        let command = Command::ParentEnded(end);
        let looked_up = self.snapshot(child).and_then(|before| {
            let deliveries = self.deliveries_for(&before, &command)?;
            let moment = Moment { op_id: moment.op_id, ..self.moment_of(None, &before.task.details.tags) };
            let runs = self.runs_of(&before)?;
            let known = self.world.known(child, &deliveries, &runs);
            let transition = transition(&before, known, &command, Expected::default(), &moment)?;
            Ok((before, transition, moment))
        });
        match looked_up {
            Ok(found) => Ok(Some(found).filter(|(_, transition, _)| transition.has_changed())),
            Err(CallError::Store { source }) => Err(source),
            // What is not there any more waits for nothing; and what became of a parent is never refused.
            Err(_) => Ok(None),
        }
    }

    /// Returns the open tasks that were told to wait for `parent`, as this batch leaves them.
    fn dependents_of(&self, parent: TaskId) -> Result<Vec<TaskId>, StoreError> {
        let mut dependents = self.store.dependents(parent)?;
        let stored: HashSet<TaskId> = dependents.iter().copied().collect();
        let of_batch = self.waiting.get(&parent).into_iter().flatten();
        dependents.extend(of_batch.filter(|id| !stored.contains(id)));
        Ok(dependents)
    }

    /// Notes who waits for whom by this batch; the store does not know it yet.
    pub(super) fn note_waits(&mut self, transition: &Transition) {
        let sets = |operation: &Operation| matches!(operation, Operation::Added(_) | Operation::WaitsSet(_));
        let task = &transition.after.task;
        if !task.waits.is_none() && transition.steps.iter().any(|step| sets(&step.operation)) {
            for parent in &task.waits.parents {
                self.waiting.entry(parent.id).or_default().insert(task.id);
            }
        }
    }

    /// Looks up where the tasks stand that `child` is to wait for, and that none of them waits for it.
    ///
    /// # Errors
    /// One of them is not there, it would go in a circle or too deep, or the store cannot be read.
    pub(super) fn resolve(&self, child: TaskId, number: Number, set: &mut SetWaits) -> Result<(), CallError> {
        let Some(parents) = &mut set.parents else { return Ok(()) };
        for parent in parents.iter_mut() {
            let snapshot = self.snapshot(parent.id)?;
            parent.number = snapshot.task.number;
            parent.wait = Wait::of(&snapshot);
            let waiting = self.dependents_of(parent.id)?;
            if waiting.len() >= CHILDREN_MAX && !waiting.contains(&child) {
                let parent = parent.number;
                return Err(Rejection::TooManyWait { number, parent, limit: CHILDREN_MAX }.into());
            }
        }
        let ids: Vec<TaskId> = parents.iter().map(|parent| parent.id).collect();
        self.check_sound(child, number, &ids)
    }

    /// Looks whether a task may wait for others.
    ///
    /// # Errors
    /// It would go in a circle or too deep, or the store cannot be read.
    pub(super) fn check_sound(&self, child: TaskId, number: Number, ids: &[TaskId]) -> Result<(), CallError> {
        let look_up = |id| match self.snapshot(id) {
            Ok(snapshot) => Ok(Some(snapshot)),
            Err(CallError::NotFound { .. }) => Ok(None),
            Err(error) => Err(error),
        };
        match find_cycle(child, ids, look_up)? {
            Search::Sound => Ok(()),
            Search::Cycle(path) => Err(Rejection::Cycle { number, path }.into()),
            Search::TooDeep => Err(Rejection::TooDeep { number, limit: LEVELS_MAX }.into()),
        }
    }

    /// Returns the command with where the tasks stand that it names; any but an edit as it is.
    pub(super) fn resolved(&self, task: TaskId, command: &Command) -> Result<Command, CallError> {
        match command {
            Command::Edit(edit) if edit.waits.parents.is_some() => {
                let number = self.snapshot(task)?.task.number;
                let mut edit: Edit = (**edit).clone();
                self.resolve(task, number, &mut edit.waits)?;
                Ok(Command::Edit(Box::new(edit)))
            }
            command => Ok(command.clone()),
        }
    }
}
