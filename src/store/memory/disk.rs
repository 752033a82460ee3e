//! What a store in memory has committed, and how a change is checked and taken.

use std::collections::{BTreeMap, BTreeSet, btree_map};
use std::sync::Arc;

use uuid::Uuid;

use crate::domain::breaker::TargetHealth;
use crate::domain::delivery::{Delivery, DeliveryId, Target};
use crate::domain::device_event::AnyEvent;
use crate::domain::event::{Event, Operation, SKIPPED};
use crate::domain::occurrence::{OccurrenceKey, Spent};
use crate::domain::op::Op;
use crate::domain::pause::ManyPause;
use crate::domain::quiet::Away;
use crate::domain::run::{Output, Run, RunId};
use crate::domain::state::StateName;
use crate::domain::task::{Number, Task, TaskId};
use crate::domain::time::Timestamp;
use crate::store::memory::breach::Breach;
use crate::store::memory::entry::Entry;
use crate::store::{Change, Committed, OpenKind, RUNS_KEPT, RequestSeen, StoreError, StoredEvent};

/// What was committed. Cheap to clone: the values themselves are shared.
#[derive(Clone, Debug)]
pub(super) struct Disk {
    pub(super) device: Uuid,
    pub(super) next_number: Number,
    pub(super) zone: Option<String>,
    pub(super) shown_by: Option<String>,
    pub(super) away: Option<Away>,
    pub(super) pauses: Vec<ManyPause>,
    pub(super) tasks: BTreeMap<TaskId, Entry>,
    pub(super) numbers: BTreeMap<Number, TaskId>,
    /// The tasks that wait for others.
    pub(super) waiting: BTreeSet<TaskId>,
    /// In order: the first has seq 1.
    pub(super) events: Vec<Arc<AnyEvent>>,
    pub(super) event_ids: BTreeSet<Uuid>,
    pub(super) fired: BTreeSet<Uuid>,
    /// In the order in which they were first written.
    pub(super) deliveries: Vec<Arc<Delivery>>,
    pub(super) delivery_positions: BTreeMap<DeliveryId, usize>,
    pub(super) deliveries_by_task: BTreeMap<TaskId, Vec<usize>>,
    /// Those that are not final.
    pub(super) open_deliveries: BTreeSet<usize>,
    /// In the order in which they were decided on.
    pub(super) runs: Vec<Run>,
    pub(super) outputs: BTreeMap<RunId, Output>,
    /// What a person passed over before it rang.
    pub(super) passed_by_person: Vec<(TaskId, OccurrenceKey, Timestamp)>,
    pub(super) targets: BTreeMap<Target, TargetHealth>,
    pub(super) requests: BTreeMap<String, RequestSeen>,
    /// In the order in which they were done.
    pub(super) ops: Vec<Op>,
    /// The tasks that were purged, by their numbers.
    pub(super) dead: BTreeMap<Number, TaskId>,
}

impl Disk {
    pub(super) fn new(device: Uuid) -> Self {
        Self {
            device,
            next_number: Number(1),
            zone: None,
            shown_by: None,
            away: None,
            pauses: Vec::new(),
            tasks: BTreeMap::new(),
            numbers: BTreeMap::new(),
            waiting: BTreeSet::new(),
            events: Vec::new(),
            event_ids: BTreeSet::new(),
            fired: BTreeSet::new(),
            deliveries: Vec::new(),
            delivery_positions: BTreeMap::new(),
            deliveries_by_task: BTreeMap::new(),
            open_deliveries: BTreeSet::new(),
            runs: Vec::new(),
            outputs: BTreeMap::new(),
            passed_by_person: Vec::new(),
            targets: BTreeMap::new(),
            requests: BTreeMap::new(),
            ops: Vec::new(),
            dead: BTreeMap::new(),
        }
    }

    /// As [`crate::store::Store::open_numbers`].
    pub(super) fn open_numbers(&self, kind: OpenKind) -> Vec<(Number, StateName)> {
        let is_of_kind = |task: &Task| match kind {
            OpenKind::Any => true,
            OpenKind::Series => task.is_series(),
            OpenKind::Command => task.details.command.is_some(),
            OpenKind::Waiting => !task.waits.parents.is_empty(),
        };
        let fits = self.open_tasks().filter(|entry| is_of_kind(&entry.task));
        fits.map(|entry| (entry.task.number, entry.present().state.name())).collect()
    }

    /// As [`crate::store::Store::open_tags`].
    pub(super) fn open_tags(&self) -> Vec<String> {
        let tags: BTreeSet<&String> = self.open_tasks().flat_map(|entry| &entry.task.details.tags).collect();
        tags.into_iter().cloned().collect()
    }

    /// Returns the open tasks, ordered by number.
    fn open_tasks(&self) -> impl Iterator<Item = &Entry> {
        let entries = self.numbers.values().map(|id| &self.tasks[id]);
        entries.filter(|entry| entry.task.deleted_at.is_none() && !entry.present().has_ended())
    }

    pub(super) fn last_seq(&self) -> u64 {
        self.events.len() as u64
    }

    pub(super) fn stored_events(&self, cursor: u64) -> impl Iterator<Item = StoredEvent<&AnyEvent>> {
        let skipped = usize::try_from(cursor).unwrap_or(usize::MAX);
        let events = self.events.iter().enumerate().skip(skipped);
        events.map(|(index, event)| StoredEvent { seq: index as u64 + 1, event: &**event })
    }

    pub(super) fn spent(&self, since: Timestamp) -> Vec<(TaskId, Spent)> {
        let occurrences = self.tasks.iter().flat_map(|(id, entry)| entry.occurrences.iter().map(|o| (*id, o)));
        let ended = occurrences.filter(|(_, occurrence)| occurrence.has_ended());
        let ended = ended.filter_map(|(id, occurrence)| Some((id, occurrence.key, occurrence.due_at()?)));
        let skipped = self.passed_by_person.iter().copied();
        let ended = ended.filter_map(|spent| is_ahead(spent, since));
        let skipped = skipped.filter_map(|spent| is_ahead(spent, since));
        let sorted: BTreeSet<(TaskId, Spent)> = ended.chain(skipped).collect();
        sorted.into_iter().collect()
    }

    /// Returns the deliveries that are not final, with their places.
    pub(super) fn open(&self) -> impl Iterator<Item = (usize, &Arc<Delivery>)> {
        self.open_deliveries.iter().map(|index| (*index, &self.deliveries[*index]))
    }

    pub(super) fn deliveries_where(&self, is_meant: impl Fn(&Delivery) -> bool) -> Vec<Delivery> {
        self.deliveries.iter().filter(|delivery| is_meant(delivery)).map(|delivery| (**delivery).clone()).collect()
    }

    /// Checks all first, so that what is refused has changed nothing.
    pub(super) fn commit(&mut self, change: &Change) -> Result<Committed, StoreError> {
        let tasks = self.stage_tasks(change)?;
        self.check_events(change)?;
        self.check_rest(change, &tasks)?;
        for entry in tasks.values() {
            self.numbers.insert(entry.task.number, entry.task.id);
            if entry.task.waits.is_none() {
                self.waiting.remove(&entry.task.id);
            } else {
                self.waiting.insert(entry.task.id);
            }
            self.next_number = self.next_number.max(Number(entry.task.number.0 + 1));
        }
        self.tasks.extend(tasks);
        for event in &change.device_events {
            self.event_ids.insert(event.event_id);
            self.events.push(Arc::new(AnyEvent::Device(event.clone())));
        }
        for event in &change.events {
            self.event_ids.insert(event.event_id);
            self.fired.extend(event.operation.firing().map(|firing| firing.fire_id.0));
            if event.operation == Operation::Withdrawn && event.reason == SKIPPED {
                let (task, occurrence) = (event.snapshot.task.id, &event.snapshot.occurrence);
                self.passed_by_person.extend(occurrence.due_at().map(|due| (task, occurrence.key, due)));
            }
            self.events.push(Arc::new(AnyEvent::Task(Box::new(event.clone()))));
        }
        for delivery in &change.deliveries {
            let position = *self.delivery_positions.entry(delivery.id.clone()).or_insert(self.deliveries.len());
            if position == self.deliveries.len() {
                self.deliveries.push(Arc::new(delivery.clone()));
                self.deliveries_by_task.entry(delivery.task).or_default().push(position);
            } else {
                self.deliveries[position] = Arc::new(delivery.clone());
            }
            if delivery.status.is_final() {
                self.open_deliveries.remove(&position);
            } else {
                self.open_deliveries.insert(position);
            }
        }
        change.runs.iter().for_each(|run| self.write_run(run));
        self.outputs.extend(change.outputs.iter().cloned());
        for op in &change.ops {
            match self.ops.iter_mut().find(|known| known.id == op.id) {
                Some(known) => known.clone_from(op),
                None => self.ops.push(op.clone()),
            }
        }
        change.purged.iter().for_each(|task| self.purge(*task));
        self.targets.extend(change.targets.iter().map(|health| (health.target.clone(), health.clone())));
        self.requests.extend(change.requests.iter().map(|request| (request.key.clone(), request.clone())));
        if let Some(pauses) = &change.pauses {
            self.pauses.clone_from(pauses);
        }
        self.zone = change.zone.clone().or_else(|| self.zone.take());
        self.shown_by = change.shown_by.clone().or_else(|| self.shown_by.take());
        self.away = change.away.clone().unwrap_or_else(|| self.away.take());
        Ok(Committed { last_seq: self.last_seq() })
    }

    fn write_run(&mut self, run: &Run) {
        match self.runs.iter_mut().find(|known| known.id == run.id) {
            Some(known) => known.clone_from(run),
            None => self.runs.push(run.clone()),
        }
        if run.is_over() {
            let of_task: Vec<RunId> = self.runs.iter().filter(|old| old.task == run.task).map(|old| old.id).collect();
            let kept = &of_task[of_task.len().saturating_sub(RUNS_KEPT)..];
            self.runs.retain(|old| {
                let is_another = old.task != run.task || old.occurrence == run.occurrence;
                is_another || !old.is_over() || kept.contains(&old.id)
            });
            self.drop_outputs();
        }
    }

    fn drop_outputs(&mut self) {
        let runs: BTreeSet<RunId> = self.runs.iter().map(|run| run.id).collect();
        self.outputs.retain(|run, _| runs.contains(run));
    }

    pub(super) fn purge(&mut self, id: TaskId) {
        let Some(entry) = self.tasks.get(&id).filter(|entry| entry.task.deleted_at.is_some()) else { return };
        let number = entry.task.number;
        self.dead.insert(number, id);
        self.tasks.remove(&id);
        self.numbers.remove(&number);
        self.deliveries.retain(|delivery| delivery.task != id);
        self.runs.retain(|run| run.task != id);
        self.drop_outputs();
        let placed = self.deliveries.iter().enumerate();
        self.delivery_positions = placed.map(|(index, delivery)| (delivery.id.clone(), index)).collect();
        self.waiting.remove(&id);
        self.deliveries_by_task.clear();
        for (index, delivery) in self.deliveries.iter().enumerate() {
            self.deliveries_by_task.entry(delivery.task).or_default().push(index);
        }
        let open = self.deliveries.iter().enumerate().filter(|(_, delivery)| !delivery.status.is_final());
        self.open_deliveries = open.map(|(index, _)| index).collect();
    }

    /// Returns the tasks that a change touches as they are after it.
    pub(super) fn stage_tasks(&self, change: &Change) -> Result<BTreeMap<TaskId, Entry>, StoreError> {
        let mut staged: BTreeMap<TaskId, Entry> = BTreeMap::new();
        for event in &change.events {
            let entry = match staged.entry(event.snapshot.task.id) {
                btree_map::Entry::Occupied(staged) => staged.into_mut(),
                btree_map::Entry::Vacant(place) => place.insert(self.entry_before(event)?),
            };
            entry.apply(event);
        }
        for entry in staged.values_mut() {
            entry.settle();
            if entry.occurrences.is_empty() {
                return Err(Breach::NoOccurrence { task: entry.task.id }.into());
            }
        }
        Ok(staged)
    }

    /// Returns the stored task, if the first event of it in a change builds on that.
    pub(super) fn entry_before(&self, first: &Event) -> Result<Entry, StoreError> {
        let Task { id, version, .. } = first.snapshot.task;
        if self.dead.values().any(|dead| *dead == id) {
            return Err(StoreError::Dead { id });
        }
        let stored = self.tasks.get(&id);
        let found = stored.map(|entry| entry.task.version);
        if found.unwrap_or(0).checked_add(1) != Some(version) {
            return Err(StoreError::Conflict { id, expected: version.saturating_sub(1), found });
        }
        Ok(stored.cloned().unwrap_or_else(|| Entry::new(&first.snapshot)))
    }

    pub(super) fn check_events(&self, change: &Change) -> Result<(), StoreError> {
        let (mut event_ids, mut fired) = (BTreeSet::new(), BTreeSet::new());
        let of_device = change.device_events.iter().map(|event| event.event_id);
        for event_id in of_device.chain(change.events.iter().map(|event| event.event_id)) {
            if self.event_ids.contains(&event_id) || !event_ids.insert(event_id) {
                return Err(Breach::EventTwice { event_id }.into());
            }
        }
        for event in &change.events {
            if let Some(fire_id) = event.operation.firing().map(|firing| firing.fire_id.0)
                && (self.fired.contains(&fire_id) || !fired.insert(fire_id))
            {
                return Err(StoreError::FiredBefore { fire_id });
            }
        }
        Ok(())
    }

    pub(super) fn check_rest(&self, change: &Change, staged: &BTreeMap<TaskId, Entry>) -> Result<(), StoreError> {
        let mut numbers = BTreeMap::new();
        for Entry { task, .. } in staged.values() {
            let owner = self.numbers.get(&task.number).or_else(|| numbers.get(&task.number));
            if owner.is_some_and(|owner| *owner != task.id) {
                return Err(Breach::NumberTwice { number: task.number }.into());
            }
            numbers.insert(task.number, task.id);
        }
        for Delivery { task, .. } in change.deliveries.iter().filter(|delivery| !delivery.is_digest()) {
            if !self.tasks.contains_key(task) && !staged.contains_key(task) {
                return Err(Breach::DeliveryOfNoTask { task: *task }.into());
            }
        }
        let mut keys = BTreeSet::new();
        for RequestSeen { key, .. } in &change.requests {
            if self.requests.contains_key(key) || !keys.insert(key) {
                return Err(Breach::RequestTwice { key: key.clone() }.into());
            }
        }
        Ok(())
    }
}

fn is_ahead((task, key, due): (TaskId, OccurrenceKey, Timestamp), since: Timestamp) -> Option<(TaskId, Spent)> {
    (since < due && key != OccurrenceKey::Once).then_some((task, Spent { key, due }))
}
