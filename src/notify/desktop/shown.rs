//! What has the person said by what they did with a popup? Remembers what the server showed for us, one popup a task.
//!
//! A popup that went is remembered still: servers keep what expired or was closed in a history, with its buttons. A pure
//! record: it sends nothing, and what it does not know it does not guess.

use std::collections::{HashMap, HashSet, VecDeque};

use crate::domain::task::TaskId;
use crate::notify::desktop::actions::{Meaning, Offer};
use crate::notify::responses::Ring;

/// How many words of the server are remembered while it owes answers (I9): each may be about the answer's own popup.
const EARLY_MAX: usize = 64;

/// A popup that the server shows.
#[derive(Clone, Debug)]
pub(super) struct Popup<At> {
    /// The server's id.
    pub(super) id: u32,
    /// When the server's answer came that named the id.
    pub(super) since: At,
    /// What it means to the person; nothing where it is no ring, and nothing more once a button was pressed.
    pub(super) meaning: Option<Meaning>,
}

/// What the server says of a popup.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Word<At> {
    /// The server's id.
    pub(super) id: u32,
    /// When the word came.
    pub(super) at: At,
    /// What became of it.
    pub(super) news: News,
}

/// What became of a popup.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum News {
    /// The person closed it.
    Dismissed,
    /// A program took it back.
    TakenBack,
    /// It left the screen by itself, and may stand in the server's history.
    Left,
    /// The person pressed the button of this key.
    Pressed(String),
}

/// What the person said.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Said {
    /// Of what.
    pub(super) ring: Ring,
    /// By what they did.
    pub(super) deed: Deed,
}

/// What the person did.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Deed {
    /// Closed it.
    Dismissed,
    /// Pressed a button.
    Chose(Offer),
}

/// A popup as it is remembered.
#[derive(Clone, Debug)]
struct Known<At> {
    popup: Popup<At>,
    /// Whether it is gone since the person or we closed it: that it goes says nothing more.
    is_closed: bool,
}

/// What is shown. `At` tells the order in which messages came, since signals and answers are read apart from each other.
#[derive(Debug)]
pub(super) struct Shown<At> {
    popups: HashMap<TaskId, Known<At>>,
    /// The tasks of which the server owes an answer.
    under_way: HashSet<TaskId>,
    /// What was said meanwhile and may be of what the answers are about, in order.
    early: VecDeque<Word<At>>,
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
    /// Returns what the person has said meanwhile, in order.
    pub(super) fn answered(&mut self, task: TaskId, popup: Option<Popup<At>>) -> Vec<Said> {
        self.under_way.remove(&task);
        let mut said = Vec::new();
        let early: Vec<Word<At>> = self.early.iter().cloned().collect();
        if let Some(popup) = popup {
            // Whoever closed what was replaced at that moment has the new one before them; a pressed button was meant.
            let of_replaced =
                early.iter().filter(|word| word.at < popup.since && matches!(word.news, News::Pressed(_)));
            said.extend(of_replaced.filter_map(|word| self.said(task, word)));
            // An id that is given anew is no longer what it was.
            self.popups.retain(|_, known| known.popup.id != popup.id);
            self.popups.insert(task, Known { popup, is_closed: false });
        }
        said.extend(early.iter().filter_map(|word| self.said(task, word)));
        if self.under_way.is_empty() {
            self.early.clear();
        }
        said
    }

    /// Notes what the server says of a popup, ours or not. Returns what the person has said by it.
    pub(super) fn heard(&mut self, word: Word<At>) -> Option<Said> {
        match self.task_of(&word) {
            Some(task) if !self.under_way.contains(&task) => self.said(task, &word),
            // It may be of a popup of which the answer is not read yet.
            Some(_) | None => {
                if !self.under_way.is_empty() {
                    if self.early.len() == EARLY_MAX {
                        self.early.pop_front();
                    }
                    self.early.push_back(word);
                }
                None
            }
        }
    }

    /// Returns the task of the popup that a word is about, where it is one of ours.
    pub(super) fn task_of(&self, word: &Word<At>) -> Option<TaskId> {
        self.popups.iter().find(|(_, known)| is_of(word, &known.popup)).map(|(task, _)| *task)
    }

    /// Notes that we closed the popup of a task. A button that the server kept in its history still says something.
    pub(super) fn closed(&mut self, task: TaskId) {
        if let Some(known) = self.popups.get_mut(&task) {
            known.is_closed = true;
        }
    }

    /// Forgets the popup of a task: nothing that becomes of it matters any more.
    pub(super) fn forget(&mut self, task: TaskId) {
        self.popups.remove(&task);
    }

    fn said(&mut self, task: TaskId, word: &Word<At>) -> Option<Said> {
        let known = self.popups.get_mut(&task).filter(|known| is_of(word, &known.popup))?;
        let ring = known.popup.meaning.as_ref()?.ring;
        let deed = match &word.news {
            News::TakenBack | News::Left => return None,
            News::Dismissed if known.is_closed => return None,
            News::Dismissed => Deed::Dismissed,
            News::Pressed(key) => {
                let offer = known.popup.meaning.as_ref()?.offer(key)?.clone();
                // One answer a popup: what the server tells besides, that it went or the same once more, is none.
                known.popup.meaning = None;
                Deed::Chose(offer)
            }
        };
        known.is_closed = true;
        Some(Said { ring, deed })
    }
}

fn is_of<At: Ord>(word: &Word<At>, popup: &Popup<At>) -> bool {
    word.id == popup.id && word.at > popup.since
}

#[cfg(test)]
mod tests {
    use super::*;

    use uuid::Uuid;

    use crate::domain::occurrence::{OccurrenceKey, OccurrenceName};
    use crate::domain::time::Span;

    const TEN: Offer = Offer::Snooze(Span::from_minutes(10));

    fn task(number: u128) -> TaskId {
        TaskId(Uuid::from_u128(number))
    }

    fn ring(number: u128, generation: u32) -> Ring {
        Ring { task: task(number), occurrence: OccurrenceName { key: OccurrenceKey::Once, generation } }
    }

    fn popup(id: u32, since: u64, ring: Ring) -> Popup<u64> {
        Popup { id, since, meaning: Some(Meaning { ring, offers: vec![Offer::Done, TEN] }) }
    }

    fn dismissed(id: u32, at: u64) -> Word<u64> {
        Word { id, at, news: News::Dismissed }
    }

    fn left(id: u32, at: u64) -> Word<u64> {
        Word { id, at, news: News::Left }
    }

    fn pressed(id: u32, at: u64, key: &str) -> Word<u64> {
        Word { id, at, news: News::Pressed(key.to_owned()) }
    }

    fn seen(ring: Ring) -> Said {
        Said { ring, deed: Deed::Dismissed }
    }

    fn chose(ring: Ring, offer: Offer) -> Said {
        Said { ring, deed: Deed::Chose(offer) }
    }

    fn showing(popups: &[Popup<u64>]) -> Shown<u64> {
        let mut shown = Shown::new();
        for popup in popups {
            let task = popup.meaning.as_ref().expect("a ring").ring.task;
            shown.begin(task);
            assert_eq!(shown.answered(task, Some(popup.clone())), []);
        }
        shown
    }

    #[test]
    fn what_the_person_closes_is_told_once_and_nothing_of_what_goes_otherwise() {
        let mut shown = showing(&[popup(5, 1, ring(1, 1)), popup(6, 2, ring(2, 1))]);
        assert_eq!(shown.heard(dismissed(7, 3)), None, "another program's");
        assert_eq!(shown.heard(dismissed(5, 4)), Some(seen(ring(1, 1))));
        assert_eq!(shown.heard(dismissed(5, 5)), None);
        assert_eq!(shown.heard(left(6, 6)), None);
        assert!(shown.early.is_empty());
    }

    #[test]
    fn what_is_replaced_or_taken_back_is_not_dismissed() {
        let mut shown = showing(&[popup(5, 1, ring(1, 1)), popup(6, 2, ring(1, 2))]);
        assert_eq!(shown.heard(dismissed(5, 3)), None);
        shown.closed(task(1));
        assert_eq!(shown.heard(dismissed(6, 4)), None);
    }

    #[test]
    fn a_button_says_one_thing_once_whatever_the_server_tells_besides() {
        let mut shown = showing(&[popup(5, 1, ring(1, 1)), popup(6, 2, ring(2, 1))]);
        assert_eq!(shown.heard(pressed(5, 3, "done")), Some(chose(ring(1, 1), Offer::Done)));
        for word in [pressed(5, 4, "done"), pressed(5, 5, "snooze:600"), dismissed(5, 6), left(5, 7)] {
            assert_eq!(shown.heard(word), None);
        }
        // Some servers tell first that it went.
        assert_eq!(shown.heard(dismissed(6, 8)), Some(seen(ring(2, 1))));
        assert_eq!(shown.heard(pressed(6, 9, "snooze:600")), Some(chose(ring(2, 1), TEN)));
    }

    #[test]
    fn a_button_that_was_not_offered_or_is_of_no_popup_of_ours_says_nothing() {
        let mut shown = showing(&[popup(5, 1, ring(1, 1))]);
        for word in
            [pressed(5, 2, "open"), pressed(5, 2, "default"), pressed(5, 2, "snooze:601"), pressed(9, 2, "done")]
        {
            assert_eq!(shown.heard(word), None);
        }
        assert_eq!(shown.heard(pressed(5, 3, "done")), Some(chose(ring(1, 1), Offer::Done)));
    }

    #[test]
    fn a_button_in_the_servers_history_still_works_unless_another_popup_took_the_place() {
        let mut shown = showing(&[popup(5, 1, ring(1, 1)), popup(6, 2, ring(2, 1)), popup(7, 3, ring(3, 1))]);
        assert_eq!(shown.heard(left(5, 4)), None);
        assert_eq!(shown.heard(pressed(5, 5, "done")), Some(chose(ring(1, 1), Offer::Done)));
        shown.closed(task(2));
        assert_eq!(shown.heard(pressed(6, 6, "done")), Some(chose(ring(2, 1), Offer::Done)));
        shown.begin(task(3));
        assert_eq!(shown.answered(task(3), Some(popup(8, 7, ring(3, 2)))), []);
        assert_eq!(shown.heard(pressed(7, 8, "done")), None);
    }

    #[test]
    fn an_id_given_to_another_task_is_that_tasks() {
        let mut shown = showing(&[popup(5, 1, ring(1, 1))]);
        assert_eq!(shown.heard(dismissed(5, 2)), Some(seen(ring(1, 1))));
        shown.begin(task(2));
        assert_eq!(shown.answered(task(2), Some(popup(5, 3, ring(2, 1)))), []);
        assert_eq!(shown.heard(pressed(5, 4, "done")), Some(chose(ring(2, 1), Offer::Done)));
    }

    #[test]
    fn what_is_said_before_the_answer_was_read_is_told_with_the_answer() {
        let mut shown = Shown::new();
        shown.begin(task(1));
        assert_eq!(shown.heard(dismissed(5, 4)), None);
        assert_eq!(shown.answered(task(1), Some(popup(5, 3, ring(1, 1)))), [seen(ring(1, 1))]);
        shown.begin(task(2));
        assert_eq!(shown.heard(pressed(6, 6, "done")), None);
        assert_eq!(shown.heard(dismissed(6, 7)), None);
        assert_eq!(shown.answered(task(2), Some(popup(6, 5, ring(2, 1)))), [chose(ring(2, 1), Offer::Done)]);
        assert!(shown.early.is_empty());
    }

    #[test]
    fn of_two_that_share_an_id_the_one_is_meant_that_was_shown_then() {
        for (at, by_closing, by_button) in [(4, None, ring(1, 1)), (6, Some(ring(1, 2)), ring(1, 2))] {
            let mut shown = showing(&[popup(5, 1, ring(1, 1))]);
            shown.begin(task(1));
            assert_eq!(shown.heard(dismissed(5, at)), None);
            let said = shown.answered(task(1), Some(popup(5, 5, ring(1, 2))));
            assert_eq!(said, by_closing.map(seen).into_iter().collect::<Vec<_>>());
            let mut shown = showing(&[popup(5, 1, ring(1, 1))]);
            shown.begin(task(1));
            assert_eq!(shown.heard(pressed(5, at, "done")), None);
            let said = shown.answered(task(1), Some(popup(5, 5, ring(1, 2))));
            assert_eq!(said, [chose(by_button, Offer::Done)]);
        }
    }

    #[test]
    fn where_the_server_refused_the_new_one_the_old_one_still_counts() {
        let mut shown = showing(&[popup(5, 1, ring(1, 1))]);
        shown.begin(task(1));
        assert_eq!(shown.heard(dismissed(5, 4)), None);
        assert_eq!(shown.answered(task(1), None), [seen(ring(1, 1))]);
    }

    #[test]
    fn what_a_server_that_answers_nothing_says_is_remembered_in_bounds() {
        let mut shown = Shown::new();
        shown.begin(task(1));
        (0..1000).for_each(|n| assert_eq!(shown.heard(dismissed(n, u64::from(n) + 10)), None));
        assert_eq!(shown.early.len(), EARLY_MAX);
        assert_eq!(shown.answered(task(1), Some(popup(999, 3, ring(1, 1)))), [seen(ring(1, 1))]);
        assert!(shown.early.is_empty());
    }
}
