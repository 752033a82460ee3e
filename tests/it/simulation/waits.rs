//! Tasks that wait for one another, among all else that happens: none is free too early, none is stuck, none in a circle.

use std::collections::{BTreeMap, BTreeSet};

use keiko::domain::event::{Event, Operation, Snapshot};
use keiko::domain::task::TaskId;
use keiko::domain::waiting::{OnParentFail, Parent, SetWaits, Wait};
use keiko::store::{Store, Which};

use crate::simulation::world::World;

impl World {
    /// Some of the tasks that there are, to be waited for.
    pub(super) fn any_waits(&mut self) -> SetWaits {
        let tasks = self.store.list(Which::All).expect("readable");
        let mut parents = Vec::new();
        for _ in 0..self.random.below(3) {
            if !tasks.is_empty() {
                let index = usize::try_from(self.random.next() % tasks.len() as u64).expect("small");
                parents.push(Parent::new(tasks[index].task.id, tasks[index].task.number));
            }
        }
        let rules = [OnParentFail::Hold, OnParentFail::Run, OnParentFail::Cancel];
        let rule = usize::try_from(self.random.below(3)).expect("small");
        let delay = self.random.chance(30).then(|| self.random.minutes(0, 2000));
        let is_given = !parents.is_empty();
        SetWaits { parents: Some(parents), delay: is_given.then_some(delay), on_fail: is_given.then_some(rules[rule]) }
    }
}

/// What is due without its parents was set free too early.
pub(super) fn check_event(event: &Event) {
    let waits = &event.snapshot.task.waits;
    match &event.operation {
        Operation::Freed(_) => assert!(waits.is_met(), "{event:?} is free too early"),
        Operation::Fired(_) if !event.snapshot.task.is_series() => {
            assert!(waits.is_met(), "{event:?} rang although it waits");
        }
        _ => {}
    }
}

/// One that waits has something to wait for, which may come yet or never will; and no way leads back to itself.
pub(super) fn check(tasks: &[Snapshot]) {
    let by_id: BTreeMap<TaskId, &Snapshot> = tasks.iter().map(|task| (task.task.id, task)).collect();
    // One that is deleted is told nothing; it looks again when it is brought back.
    for task in tasks.iter().filter(|task| task.is_waiting() && task.task.deleted_at.is_none()) {
        let waits = &task.task.waits;
        assert!(!waits.is_met(), "nothing keeps it, and it is not free: {task:?}");
        let is_ended = waits.is_blocked() && waits.on_fail == OnParentFail::Cancel;
        assert!(!is_ended, "it was to end with what it waits for: {task:?}");
        assert_eq!(task.next_wake(), None, "the clock does nothing for it");
        for parent in waits.parents.iter().filter(|parent| parent.wait == Wait::Awaited) {
            assert!(
                !by_id[&parent.id].occurrence.has_ended(),
                "{} awaits {parent:?}, which has ended",
                task.task.number
            );
        }
    }
    let mut sound = BTreeSet::new();
    for task in tasks {
        check_no_way_back(&by_id, task.task.id, &mut Vec::new(), &mut sound);
    }
}

fn check_no_way_back(
    by_id: &BTreeMap<TaskId, &Snapshot>,
    id: TaskId,
    way: &mut Vec<TaskId>,
    sound: &mut BTreeSet<TaskId>,
) {
    assert!(!way.contains(&id), "a circle: {way:?}");
    if sound.contains(&id) {
        return;
    }
    way.push(id);
    for parent in by_id[&id].waits_yet_for() {
        check_no_way_back(by_id, parent, way, sound);
    }
    way.pop();
    sound.insert(id);
}
