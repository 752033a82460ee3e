//! Which ring of which task does a closed popup stand for? Remembers what the server shows for us, one popup a task.
//!
//! A pure record: it sends nothing, and what it does not know it does not guess.

use std::collections::{HashMap, HashSet, VecDeque};

use crate::domain::task::TaskId;
use crate::notify::responses::Ring;

/// How many closed popups are remembered while the server owes answers (I9): each may be the answer's own.
const EARLY_MAX: usize = 64;

/// A popup that the server shows.
#[derive(Clone, Copy, Debug)]
pub(super) struct Popup<At> {
    /// The server's id.
    pub(super) id: u32,
    /// When the server's answer came that named the id.
    pub(super) since: At,
    /// What it means when the person closes it.
    pub(super) ring: Option<Ring>,
}

/// A popup that the server says is closed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Closing<At> {
    /// The server's id.
    pub(super) id: u32,
    /// When the server's word came.
    pub(super) at: At,
    /// Whether the person did it.
    pub(super) by_person: bool,
}

/// What is shown. `At` tells the order in which messages came, since signals and answers are read apart from each other.
#[derive(Debug)]
pub(super) struct Shown<At> {
    popups: HashMap<TaskId, Popup<At>>,
    /// The tasks of which the server owes an answer.
    under_way: HashSet<TaskId>,
    /// What was closed meanwhile and may be what the answers are about, in order.
    early: VecDeque<Closing<At>>,
}

impl<At: Ord + Copy> Shown<At> {
    pub(super) fn new() -> Self {
        Self { popups: HashMap::new(), under_way: HashSet::new(), early: VecDeque::new() }
    }

    /// Notes that the server is asked to show a popup of a task. The calls of one task follow each other.
    pub(super) fn begin(&mut self, task: TaskId) {
        self.under_way.insert(task);
    }

    /// Notes what the server answered: the popup that it shows now in place of an earlier one, `None` where it showed none.
    /// Returns what the person has meant already.
    pub(super) fn answered(&mut self, task: TaskId, popup: Option<Popup<At>>) -> Option<Ring> {
        self.under_way.remove(&task);
        // Whoever closed what was replaced at that moment has the new one before them.
        if let Some(popup) = popup {
            self.popups.insert(task, popup);
        }
        let shown = self.popups.get(&task).copied();
        let closing = shown.and_then(|shown| self.early.iter().find(|one| is_of(one, &shown)).copied());
        if self.under_way.is_empty() {
            self.early.clear();
        }
        self.remove(task, closing?)
    }

    /// Notes that the server closed a popup, ours or not. Returns what the person has meant by it.
    pub(super) fn closed(&mut self, closing: Closing<At>) -> Option<Ring> {
        let task = self.popups.iter().find(|(_, popup)| is_of(&closing, popup)).map(|(task, _)| *task);
        match task {
            Some(task) if !self.under_way.contains(&task) => self.remove(task, closing),
            // It may be a popup of which the answer is not read yet.
            Some(_) | None => {
                if !self.under_way.is_empty() {
                    if self.early.len() == EARLY_MAX {
                        self.early.pop_front();
                    }
                    self.early.push_back(closing);
                }
                None
            }
        }
    }

    /// Forgets the popup of a task: nothing that becomes of it matters any more.
    pub(super) fn forget(&mut self, task: TaskId) {
        self.popups.remove(&task);
    }

    fn remove(&mut self, task: TaskId, closing: Closing<At>) -> Option<Ring> {
        let popup = self.popups.remove(&task)?;
        popup.ring.filter(|_| closing.by_person)
    }
}

fn is_of<At: Ord>(closing: &Closing<At>, popup: &Popup<At>) -> bool {
    closing.id == popup.id && closing.at > popup.since
}

#[cfg(test)]
mod tests {
    use super::*;

    use uuid::Uuid;

    use crate::domain::occurrence::{OccurrenceKey, OccurrenceName};

    fn task(number: u128) -> TaskId {
        TaskId(Uuid::from_u128(number))
    }

    fn ring(number: u128, generation: u32) -> Ring {
        Ring { task: task(number), occurrence: OccurrenceName { key: OccurrenceKey::Once, generation } }
    }

    fn popup(id: u32, since: u64, ring: Ring) -> Popup<u64> {
        Popup { id, since, ring: Some(ring) }
    }

    fn by_person(id: u32, at: u64) -> Closing<u64> {
        Closing { id, at, by_person: true }
    }

    fn showing(popups: &[Popup<u64>]) -> Shown<u64> {
        let mut shown = Shown::new();
        for popup in popups {
            let task = popup.ring.expect("a ring").task;
            shown.begin(task);
            assert_eq!(shown.answered(task, Some(*popup)), None);
        }
        shown
    }

    #[test]
    fn what_the_person_closes_is_told_once_and_nothing_of_what_goes_otherwise() {
        let mut shown = showing(&[popup(5, 1, ring(1, 1)), popup(6, 2, ring(2, 1))]);
        assert_eq!(shown.closed(by_person(7, 3)), None, "another program's");
        assert_eq!(shown.closed(by_person(5, 4)), Some(ring(1, 1)));
        assert_eq!(shown.closed(by_person(5, 5)), None);
        assert_eq!(shown.closed(Closing { id: 6, at: 6, by_person: false }), None);
        assert!(shown.popups.is_empty() && shown.early.is_empty());
    }

    #[test]
    fn what_is_replaced_or_taken_back_is_not_answered() {
        let mut shown = showing(&[popup(5, 1, ring(1, 1)), popup(6, 2, ring(1, 2))]);
        assert_eq!(shown.closed(by_person(5, 3)), None);
        shown.forget(task(1));
        assert_eq!(shown.closed(by_person(6, 4)), None);
    }

    #[test]
    fn a_popup_closed_before_its_answer_was_read_is_told_of_with_the_answer() {
        let mut shown = Shown::new();
        shown.begin(task(1));
        assert_eq!(shown.closed(by_person(5, 4)), None);
        assert_eq!(shown.answered(task(1), Some(popup(5, 3, ring(1, 1)))), Some(ring(1, 1)));
        assert!(shown.popups.is_empty() && shown.early.is_empty());
    }

    #[test]
    fn of_two_that_share_an_id_the_one_is_meant_that_was_shown_then() {
        for (closed_at, answer) in [(4, None), (6, Some(ring(1, 2)))] {
            let mut shown = showing(&[popup(5, 1, ring(1, 1))]);
            shown.begin(task(1));
            assert_eq!(shown.closed(by_person(5, closed_at)), None);
            assert_eq!(shown.answered(task(1), Some(popup(5, 5, ring(1, 2)))), answer);
        }
    }

    #[test]
    fn where_the_server_refused_the_new_one_the_old_one_still_counts() {
        let mut shown = showing(&[popup(5, 1, ring(1, 1))]);
        shown.begin(task(1));
        assert_eq!(shown.closed(by_person(5, 4)), None);
        assert_eq!(shown.answered(task(1), None), Some(ring(1, 1)));
    }

    #[test]
    fn what_a_server_that_answers_nothing_closes_is_remembered_in_bounds() {
        let mut shown = Shown::new();
        shown.begin(task(1));
        (0..1000).for_each(|n| assert_eq!(shown.closed(by_person(n, u64::from(n) + 10)), None));
        assert_eq!(shown.early.len(), EARLY_MAX);
        assert_eq!(shown.answered(task(1), Some(popup(999, 3, ring(1, 1)))), Some(ring(1, 1)));
        assert!(shown.early.is_empty());
    }
}
