//! The part of a batch that is about operations: what a person did is noted as one thing, and taken back as one: all of it
//! or nothing. Whether and how, the rules say.

use std::cmp::Reverse;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use tokio::sync::oneshot;
use uuid::Uuid;

use crate::domain::command::{Command, Expected, Moment};
use crate::domain::delivery::{ChannelKind, DeliveryStatus};
use crate::domain::effect::Effect;
use crate::domain::event::{Actor, Event, Operation, Snapshot};
use crate::domain::import::IMPORT;
use crate::domain::op::{AwayChanged, DELETED_KEPT, Op, PausesChanged, RESTORE, Taken};
use crate::domain::pause::{ManyPause, standing};
use crate::domain::rejection::Rejection;
use crate::domain::state::State;
use crate::domain::task::TaskId;
use crate::domain::time::Timestamp;
use crate::domain::transition::transition;
use crate::domain::waiting::{LEVELS_MAX, Wait};
use crate::engine::input::{CallError, UndoCall, Undone};
use crate::engine::request::RequestKey;
use crate::engine::step::made::Made;
use crate::engine::step::{Answer, Batch};
use crate::store::{Change, StoreError, StoredEvent};

/// How many of the tasks are told one by one.
const TOLD_MAX: usize = 20;

/// How many operations are looked through for one that can be taken back in the place of another.
const OPS_LOOKED_AT: usize = 1000;

/// How many letters of an id name an operation at least.
const PREFIX_MIN: usize = 8;

/// The pause that stands again, by its name before and now, and those that stand no more.
type RestoredPauses = (Option<(Uuid, Uuid)>, Vec<Uuid>);

/// An event of an operation, with its place where it is stored already.
struct Placed {
    seq: Option<u64>,
    event: Event,
}

/// What a batch is put back to where a part of it is refused.
struct Saved {
    snapshots: HashMap<TaskId, Snapshot>,
    deliveries: Made,
    change: Change,
    effects: Vec<Effect>,
    waiting: HashMap<TaskId, BTreeSet<TaskId>>,
    pauses: Vec<ManyPause>,
    broken: Option<Arc<StoreError>>,
}

impl Batch<'_> {
    /// Takes back what a person did.
    pub(in crate::engine) fn undo(&mut self, call: &UndoCall, reply: oneshot::Sender<Result<Undone, CallError>>) {
        let result = self.undone(call);
        self.undo_answers.push(Answer { reply, result });
    }

    /// Lets what `call` does belong to an operation that began before, unless that was taken back meanwhile.
    pub(in crate::engine) fn within(&mut self, op: Option<Uuid>, call: impl FnOnce(&mut Self)) {
        let is_over = |op: Uuid| self.op(op).ok().flatten().is_some_and(|op| op.undone_by.is_some());
        self.op = op.filter(|op| !is_over(*op));
        call(self);
        self.op = None;
    }

    /// Notes that a person asked something of a task.
    pub(super) fn note_op(&mut self, id: Uuid, command: &Command, task: &Snapshot) {
        let Some(verb) = typed(command) else { return };
        self.note_verb(id, verb, task);
        if verb == DISMISSED
            && let Some(op) = self.change.ops.iter_mut().find(|op| op.id == id)
        {
            op.is_typed = false;
        }
    }

    /// As [`Batch::note_op`], by the verb.
    pub(super) fn note_verb(&mut self, id: Uuid, verb: &str, task: &Snapshot) {
        let now = self.circumstances.now;
        match self.op(id) {
            Ok(Some(mut known)) => {
                known.add(task);
                self.set_op(known);
            }
            Ok(None) => self.set_op(Op::new(id, now, verb, task)),
            Err(error) => self.broken = Some(error),
        }
    }

    /// Notes what a person asked of many tasks at once.
    pub(super) fn note_many(&mut self, id: Uuid, verb: &str, tasks: &[Snapshot], pauses: PausesChanged) {
        let mut op = Op::of_none(id, self.circumstances.now, verb);
        for task in tasks {
            op.add(task);
        }
        op.pauses = Some(pauses);
        self.set_op(op);
    }

    pub(super) fn set_op(&mut self, op: Op) {
        match self.change.ops.iter_mut().find(|known| known.id == op.id) {
            Some(known) => *known = op,
            None => self.change.ops.push(op),
        }
    }

    fn op(&self, id: Uuid) -> Result<Option<Op>, Arc<StoreError>> {
        if let Some(op) = self.change.ops.iter().find(|op| op.id == id) {
            return Ok(Some(op.clone()));
        }
        // Most ids are new, and a new one is above all that there are.
        Ok(self.store.ops_by_prefix(&id.simple().to_string(), 1)?.pop())
    }

    fn undone(&mut self, call: &UndoCall) -> Result<Undone, CallError> {
        let now = self.circumstances.now;
        if let Some(key) = &call.key
            && let Some(done) = self.op(key.op_id()).map_err(|source| CallError::Store { source })?
        {
            return self.done_before(&done);
        }
        let op = self.meant(call.op.as_deref())?;
        if op.undone_by.is_some() {
            return Err(CallError::UndoneBefore { op: op.told() });
        }
        let id = call.key.as_ref().map_or_else(|| self.ids.next(now), RequestKey::op_id);
        let saved = self.save();
        let result = self.take_back(&op, id);
        if result.is_err() {
            self.load(saved);
        }
        match result {
            Err(refused) if call.op.is_none() => {
                let next = self.before_it(&op)?.map(|next| (next.id, next.told()));
                Err(CallError::UndoRefused { refused: Box::new(refused), next })
            }
            result => result,
        }
    }

    /// Returns what a bare undo would mean if an operation had been taken back.
    fn before_it(&self, op: &Op) -> Result<Option<Op>, StoreError> {
        let ops = self.store.ops(None, OPS_LOOKED_AT)?;
        let mut older = ops.into_iter().map(|(_, known)| known).skip_while(|known| known.id != op.id).skip(1);
        Ok(older.find(Op::is_next_to_undo))
    }

    fn done_before(&self, done: &Op) -> Result<Undone, CallError> {
        let op = match done.undoes {
            Some(op) => self.op(op).map_err(|source| CallError::Store { source })?,
            None => None,
        };
        Ok(Undone {
            op_id: done.id,
            now: self.circumstances.now,
            op: op.unwrap_or_else(|| done.clone()),
            changed: false,
            tasks: Vec::new(),
            notes: Vec::new(),
        })
    }

    /// Finds the operation that is meant: the named one, or the latest that a person typed and did not take back.
    fn meant(&self, name: Option<&str>) -> Result<Op, CallError> {
        let Some(name) = name else {
            let of_batch = self.change.ops.iter().rev().find(|op| op.is_next_to_undo()).cloned();
            let latest = of_batch.map_or_else(|| self.latest(), |op| Ok(Some(op)))?;
            // What is older may be of tasks that are gone for ever; by name it can be tried.
            let is_recent = |op: &Op| self.circumstances.now < op.at.saturating_add(DELETED_KEPT);
            return latest.filter(is_recent).ok_or(CallError::NothingToUndo);
        };
        let prefix = name.to_ascii_lowercase();
        let digits: String = prefix.chars().filter(|c| *c != '-').collect();
        let is_prefix = digits.len() >= PREFIX_MIN && digits.chars().all(|c| c.is_ascii_hexdigit());
        let mut found = if is_prefix { self.store.ops_by_prefix(&prefix, 2)? } else { Vec::new() };
        if is_prefix {
            found.retain(|op| !self.change.ops.iter().any(|known| known.id == op.id));
            let matches = |op: &&Op| op.id.simple().to_string().starts_with(&digits);
            found.extend(self.change.ops.iter().filter(matches).cloned());
        }
        match found.as_slice() {
            [op] => Ok(op.clone()),
            [_, ..] => Err(CallError::ManySuchOps { name: name.to_owned() }),
            [] => Err(CallError::NoSuchOp { name: name.to_owned() }),
        }
    }

    /// Returns the latest of the store that this batch has not taken back.
    fn latest(&self) -> Result<Option<Op>, StoreError> {
        let Some(latest) = self.store.op_to_undo()? else { return Ok(None) };
        let known = |op: &Op| self.change.ops.iter().find(|known| known.id == op.id).cloned();
        if known(&latest).is_none_or(|known| known.is_next_to_undo()) {
            return Ok(Some(latest));
        }
        // This very batch has taken it back: those before it are looked through.
        let ops = self.store.ops(None, usize::MAX)?;
        let as_now = ops.into_iter().map(|(_, op)| known(&op).unwrap_or(op));
        Ok(as_now.into_iter().find(Op::is_next_to_undo))
    }

    fn take_back(&mut self, op: &Op, id: Uuid) -> Result<Undone, CallError> {
        if op.verb == RESTORE {
            return Err(CallError::Restored { kept: op.title.clone() });
        }
        let now = self.circumstances.now;
        let events = self.events_of(op.id)?;
        let (pause, ended) = self.restore_pauses(op, id)?;
        self.restore_away(op, id)?;
        let mut undone =
            Undone { op_id: id, now, op: op.clone(), changed: true, tasks: Vec::new(), notes: self.sent_by(&events)? };
        if op.verb == IMPORT && !self.delete_imported(op, id, &mut undone)? {
            let why = "it came in with an import itself, and what it brought is not known here";
            return Err(CallError::CannotUndo { op: op.told(), why });
        }
        // What waits for another finds that as it is to be.
        for of_task in parents_first(by_task(events)) {
            self.take_back_of(&of_task, (id, pause), &mut undone)?;
        }
        self.wake_those_of(&ended, id)?;
        let mut done = Op::of_none(id, now, if op.is_undo { "redo" } else { "undo" });
        (done.undoes, done.is_undo) = (Some(op.id), !op.is_undo);
        (done.tasks, done.total, done.title) = (op.tasks.clone(), op.total, op.title.clone());
        if let Some(changed) = &op.pauses {
            done.pauses = Some(PausesChanged { before: changed.after.clone(), after: self.pauses.clone() });
        }
        if let Some(AwayChanged { before, after }) = &op.away {
            done.away = Some(AwayChanged { before: after.clone(), after: before.clone() });
        }
        self.set_op(done);
        let mut taken = op.clone();
        taken.undone_by = Some(id);
        self.set_op(taken);
        Ok(undone)
    }

    /// Deletes what came in with an import; returns whether that is known here.
    fn delete_imported(&mut self, op: &Op, id: Uuid, undone: &mut Undone) -> Result<bool, CallError> {
        let Some(tasks) = self.store.imported_by(op.id)? else { return Ok(false) };
        let mut snapshots = Vec::new();
        for task in tasks {
            match self.snapshot(task) {
                Ok(snapshot) if snapshot.task.deleted_at.is_none() => snapshots.push(snapshot),
                // It was deleted before or since, or is gone for ever.
                Ok(_) | Err(CallError::NotFound { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        let parents = snapshots.iter().map(|snapshot| {
            let waits = snapshot.task.waits.parents.iter().map(|parent| parent.id);
            (snapshot.task.id, waits.collect())
        });
        let levels = levels(&parents.collect());
        // Nobody is told that what it waits for was deleted, where it is deleted too.
        snapshots.sort_by_key(|snapshot| Reverse(levels.get(&snapshot.task.id).copied().unwrap_or(0)));
        let pauses = self.pauses.clone();
        for snapshot in snapshots {
            let (transition, moment) = self.plan_one(&snapshot, &Command::Delete, id, &pauses)?;
            let applied = self.take(transition, Actor::Person, &moment);
            if undone.tasks.len() < TOLD_MAX {
                undone.tasks.push(applied.snapshot);
            }
        }
        undone.tasks.sort_by_key(|snapshot| snapshot.task.number);
        Ok(true)
    }

    fn take_back_of(
        &mut self,
        placed: &[Placed],
        (id, pause): (Uuid, Option<(Uuid, Uuid)>),
        undone: &mut Undone,
    ) -> Result<(), CallError> {
        let Some(first) = placed.first() else { return Ok(()) };
        let (task, number) = (first.event.snapshot.task.id, first.event.snapshot.task.number);
        let before = self.before(first)?;
        let of_task: Vec<&Event> = placed.iter().map(|placed| &placed.event).collect();
        let Some(mut taken) = Taken::of(before, &of_task) else { return Ok(()) };
        let is_asked = taken.is_asked;
        let snapshot = match self.snapshot(task) {
            Err(CallError::NotFound { .. }) => {
                return Err(CallError::Gone { name: number.to_string(), is_for_ever: true });
            }
            other => other?,
        };
        taken.pause = pause;
        taken.parents = self.parents_of(&taken, &snapshot)?;
        let command = Command::Undo(Box::new(taken));
        let deliveries = self.deliveries_for(&snapshot, &command)?;
        let tags = &snapshot.task.details.tags;
        let moment =
            Moment { op_id: id, standing: standing(&self.pauses, tags, undone.now), ..self.moment_of(None, tags) };
        let runs = self.runs_of(&snapshot)?;
        let known = self.world.known(task, &deliveries, &runs);
        let planned = transition(&snapshot, known, &command, Expected::default(), &moment);
        let planned = planned.map_err(CallError::from).and_then(|transition| {
            let waits_for: Vec<TaskId> = transition.after.waits_yet_for().collect();
            self.check_sound(task, number, &waits_for)?;
            Ok(transition)
        });
        match planned {
            Ok(transition) => {
                let actor = if is_asked { Actor::Person } else { Actor::Daemon };
                let applied = self.take(transition, actor, &moment);
                if applied.changed && undone.tasks.len() < TOLD_MAX {
                    undone.tasks.push(applied.snapshot);
                }
                Ok(())
            }
            // What followed from it for others goes back where it can.
            Err(CallError::Rejected { rejection }) if !is_asked => {
                let why = match &rejection {
                    Rejection::CannotUndo { why, .. } => (*why).to_owned(),
                    other => other.to_string(),
                };
                undone.notes.push(format!("task {number} stays as it is: {why}"));
                Ok(())
            }
            Err(error) => Err(error),
        }
    }

    /// Puts the pauses of many tasks back. Returns the one that stands again, by its name before and now, and those that
    /// stand no more.
    fn restore_pauses(&mut self, op: &Op, id: Uuid) -> Result<RestoredPauses, CallError> {
        let Some(changed) = &op.pauses else { return Ok((None, Vec::new())) };
        let now = self.circumstances.now;
        let standing = |pauses: &[ManyPause]| {
            pauses.iter().filter(|pause| !pause.is_over(now)).cloned().collect::<Vec<ManyPause>>()
        };
        if standing(&self.pauses) != standing(&changed.after) {
            let why = "other pauses of many tasks have begun or ended since";
            return Err(CallError::CannotUndo { op: op.told(), why });
        }
        let stood = |pauses: &[ManyPause], id: Uuid| pauses.iter().any(|pause| pause.id == id);
        let mut again = None;
        let mut pauses = standing(&changed.before);
        for pause in pauses.iter_mut().filter(|pause| !stood(&changed.after, pause.id)) {
            again = Some((pause.id, id));
            pause.id = id;
        }
        let ended = changed.after.iter().map(|pause| pause.id).filter(|id| !stood(&changed.before, *id)).collect();
        self.pauses.clone_from(&pauses);
        self.change.pauses = Some(pauses);
        Ok((again, ended))
    }

    /// What was armed under a pause that was taken back sleeps with it still: it goes on.
    fn wake_those_of(&mut self, ended: &[Uuid], id: Uuid) -> Result<(), CallError> {
        if ended.is_empty() {
            return Ok(());
        }
        let pauses = self.pauses.clone();
        for snapshot in self.open_tasks()? {
            let State::Suspended(suspended) = snapshot.occurrence.state else { continue };
            if !ended.contains(&suspended.id) {
                continue;
            }
            let command = match standing(&pauses, &snapshot.task.details.tags, self.circumstances.now) {
                Some(pause) => Command::SleepOn { pause },
                None => Command::Resume { shift: false },
            };
            let (transition, moment) = self.plan_one(&snapshot, &command, id, &pauses)?;
            self.take(transition, Actor::Person, &moment);
        }
        Ok(())
    }

    fn events_of(&self, op: Uuid) -> Result<Vec<Placed>, StoreError> {
        let stored = self.store.events_of_op(op)?.into_iter();
        let stored = stored.map(|stored| Placed { seq: Some(stored.seq), event: stored.event });
        let of_batch = self.change.events.iter().filter(|event| event.op_id == op);
        Ok(stored.chain(of_batch.map(|event| Placed { seq: None, event: event.clone() })).collect())
    }

    /// Returns the task as it was before an event; `None` where that added it.
    fn before(&self, Placed { seq, event }: &Placed) -> Result<Option<Snapshot>, StoreError> {
        let task = event.snapshot.task.id;
        if let Some(seq) = *seq {
            let mut limit = 1;
            loop {
                let before = self.store.history_before(task, seq, Timestamp::MIN..Timestamp::MAX, limit)?;
                let Some(last) = before.last().map(|stored| stored.event.snapshot.clone()) else { return Ok(None) };
                // An occurrence that its successor left open (`--overlap allow`) may have had a word in between.
                let is_of_it = |stored: &&StoredEvent| {
                    event.from.is_none() || stored.event.snapshot.occurrence.name() == event.snapshot.occurrence.name()
                };
                if let Some(of_it) = before.iter().rev().find(is_of_it) {
                    return Ok(Some(Snapshot { occurrence: of_it.event.snapshot.occurrence.clone(), ..last }));
                }
                if before.len() < limit {
                    return Ok(Some(last));
                }
                limit *= 16;
            }
        }
        let is_of_batch = self.change.events.iter().position(|known| known.event_id == event.event_id);
        let earlier = &self.change.events[..is_of_batch.unwrap_or(0)];
        if let Some(earlier) = earlier.iter().rfind(|earlier| earlier.snapshot.task.id == task) {
            return Ok(Some(earlier.snapshot.clone()));
        }
        self.store.snapshot(task)
    }

    /// Returns where the tasks stand now that a task waited for or waits for.
    fn parents_of(&self, taken: &Taken, now: &Snapshot) -> Result<Vec<(TaskId, Wait)>, CallError> {
        let before = taken.before.iter().flat_map(|before| &before.task.waits.parents);
        let ids: HashSet<TaskId> = before.chain(&now.task.waits.parents).map(|parent| parent.id).collect();
        let mut parents = Vec::new();
        for id in ids {
            match self.snapshot(id) {
                Ok(parent) => parents.push((id, Wait::of(&parent))),
                Err(CallError::NotFound { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(parents)
    }

    /// Returns what went out with an operation, which nobody can call back.
    fn sent_by(&self, events: &[Placed]) -> Result<Vec<String>, StoreError> {
        let mut notes = BTreeSet::new();
        for Placed { event, .. } in events {
            let number = event.snapshot.task.number;
            // Of what was added, all that was ever sent of it.
            let sent = match (&event.operation, event.operation.firing()) {
                (Operation::Added(_), _) => self.store.deliveries(event.snapshot.task.id, None)?,
                (_, Some(firing)) => self.store.deliveries_of(&[firing.fire_id])?,
                (_, None) => continue,
            };
            for delivery in sent {
                let is_sent = matches!(delivery.status, DeliveryStatus::Delivered(_));
                let target = &delivery.id.target;
                match target.kind {
                    ChannelKind::Desktop if is_sent => notes.insert(format!("the popup of task {number} was shown")),
                    _ if is_sent => notes.insert(format!("task {number} was sent to {}", target.public_name())),
                    _ => false,
                };
            }
        }
        Ok(notes.into_iter().collect())
    }

    fn save(&self) -> Saved {
        Saved {
            snapshots: self.snapshots.clone(),
            deliveries: self.deliveries.clone(),
            change: self.change.clone(),
            effects: self.effects.clone(),
            waiting: self.waiting.clone(),
            pauses: self.pauses.clone(),
            broken: self.broken.clone(),
        }
    }

    fn load(&mut self, saved: Saved) {
        self.snapshots = saved.snapshots;
        self.deliveries = saved.deliveries;
        self.change = saved.change;
        self.effects = saved.effects;
        self.waiting = saved.waiting;
        self.pauses = saved.pauses;
        self.broken = saved.broken;
    }

    /// Lets deleted tasks go for ever.
    pub(in crate::engine) fn purge(&mut self, tasks: Vec<TaskId>) {
        self.change.purged.extend(tasks);
    }
}

/// Returns the tasks in their order, but none before another of them that it waits for.
fn parents_first(tasks: Vec<Vec<Placed>>) -> Vec<Vec<Placed>> {
    let id_of = |placed: &[Placed]| placed.first().map(|placed| placed.event.snapshot.task.id);
    let parents: HashMap<TaskId, Vec<TaskId>> = tasks
        .iter()
        .filter_map(|placed| {
            let waits = placed.iter().flat_map(|placed| &placed.event.snapshot.task.waits.parents);
            Some((id_of(placed)?, waits.map(|parent| parent.id).collect()))
        })
        .collect();
    let levels = levels(&parents);
    let mut tasks = tasks;
    tasks.sort_by_key(|placed| id_of(placed).and_then(|id| levels.get(&id).copied()).unwrap_or(0));
    tasks
}

/// Returns how many levels of those that each task waits for lie below it, among these.
fn levels(parents: &HashMap<TaskId, Vec<TaskId>>) -> HashMap<TaskId, usize> {
    let mut levels: HashMap<TaskId, usize> = HashMap::new();
    // Those that wait for one another are few levels deep, so few rounds settle all.
    for _ in 0..LEVELS_MAX {
        let level = |id: &TaskId| levels.get(id).copied().unwrap_or(0);
        let raised: HashMap<TaskId, usize> = parents
            .iter()
            .map(|(id, waits)| (*id, waits.iter().filter(|id| parents.contains_key(id)).map(|id| level(id) + 1).max()))
            .filter_map(|(id, raised)| Some((id, raised?)))
            .collect();
        if raised == levels {
            break;
        }
        levels = raised;
    }
    levels
}

/// Returns the events of each task, the tasks in the order in which they come up.
fn by_task(events: Vec<Placed>) -> Vec<Vec<Placed>> {
    let mut tasks: Vec<Vec<Placed>> = Vec::new();
    let mut places: HashMap<TaskId, usize> = HashMap::new();
    for placed in events {
        let place = *places.entry(placed.event.snapshot.task.id).or_insert(tasks.len());
        if place == tasks.len() {
            tasks.push(Vec::new());
        }
        tasks[place].push(placed);
    }
    tasks
}

/// The word for closing what was shown, which nobody types.
const DISMISSED: &str = "dismiss";

/// Returns what a person typed to ask it, `None` for what no person asks.
const fn typed(command: &Command) -> Option<&'static str> {
    match command {
        Command::Edit(_) | Command::EditThis(_) => Some("edit"),
        Command::Done { .. } => Some("done"),
        Command::Ack { is_dismissal: false, .. } => Some("ack"),
        Command::Ack { is_dismissal: true, .. } => Some(DISMISSED),
        Command::Snooze { .. } => Some("snooze"),
        Command::Pause { .. } | Command::PauseThis { .. } => Some("pause"),
        Command::Resume { .. } => Some("resume"),
        Command::Skip => Some("skip"),
        Command::Cancel | Command::CancelThis => Some("cancel"),
        Command::Unblock => Some("unblock"),
        Command::Delete => Some("delete"),
        Command::Retry => Some("retry"),
        Command::Run => Some("run"),
        Command::Wake
        | Command::Rezone
        | Command::ClockSet { .. }
        | Command::SleepOn { .. }
        | Command::ParentEnded(_)
        | Command::Undo(_)
        | Command::RunReport { .. }
        | Command::Report { .. }
        | Command::TellTargetFails { .. }
        | Command::Resend { .. }
        | Command::Hold { .. }
        | Command::FallBack { .. }
        | Command::Expire { .. } => None,
    }
}
