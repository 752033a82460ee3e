//! What does the process know of each run, and what of that is to be told? Each run once, the latest of what it says, however
//! slow the daemon is; and all of it again to the next daemon.

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, MutexGuard};

use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use crate::domain::run::{Output, Process, Progress};
use crate::runner::process::marks::Mark;
use crate::runner::process::tail::Tail;
use crate::runner::wire::{EndLine, OutputLine, Tell};

/// The runs that are not forgotten.
#[derive(Debug, Default)]
pub(super) struct Ledger {
    runs: Mutex<Runs>,
    changed: Notify,
}

#[derive(Debug, Default)]
struct Runs {
    known: HashMap<Uuid, Known>,
    /// Those of which something is to be told, each once.
    untold: VecDeque<Uuid>,
    /// Those of which the daemon asked what they said, each once.
    asked: VecDeque<Uuid>,
}

#[derive(Debug, Default)]
struct Known {
    /// That it is known at all.
    taken: News<()>,
    process: News<Process>,
    progress: News<Progress>,
    checkpoint: News<String>,
    ended: News<(EndLine, Output)>,
    said: Tail,
    /// How many bytes the daemon knows of what it said, where it wants to be told as soon as there are more.
    followed: Option<u64>,
    end: CancellationToken,
    is_in_untold: bool,
}

/// Something to be told once to each daemon.
#[derive(Debug)]
struct News<T> {
    what: Option<T>,
    is_untold: bool,
}

impl<T> Default for News<T> {
    fn default() -> Self {
        Self { what: None, is_untold: false }
    }
}

impl<T> News<T> {
    fn set(&mut self, what: T) {
        *self = Self { what: Some(what), is_untold: true };
    }

    fn take(&mut self) -> Option<&T> {
        std::mem::take(&mut self.is_untold).then_some(self.what.as_ref()).flatten()
    }
}

impl Ledger {
    fn runs(&self) -> MutexGuard<'_, Runs> {
        self.runs.lock().expect("no holder panics")
    }

    /// Takes a run, unless its name is known; returns what tells that it is to end.
    pub(super) fn take(&self, id: Uuid) -> Option<CancellationToken> {
        let mut runs = self.runs();
        if runs.known.contains_key(&id) {
            return None;
        }
        Some(runs.known.entry(id).or_default().end.clone())
    }

    /// Asks a run to end.
    pub(super) fn end(&self, id: Uuid) {
        if let Some(known) = self.runs().known.get(&id) {
            known.end.cancel();
        }
    }

    /// Forgets how a run ended. One that has not is kept.
    pub(super) fn forget(&self, id: Uuid) {
        let mut runs = self.runs();
        if runs.known.get(&id).is_some_and(|known| known.ended.what.is_some()) {
            runs.known.remove(&id);
        }
    }

    /// The daemon asks what a run has said until now.
    pub(super) fn ask_output(&self, id: Uuid) {
        let mut runs = self.runs();
        if !runs.asked.contains(&id) {
            runs.asked.push_back(id);
        }
        drop(runs);
        self.changed.notify_one();
    }

    /// The daemon asks what a run has said as soon as that is more than it knows; where it can say no more, at once.
    pub(super) fn follow_output(&self, id: Uuid, since: u64) {
        {
            let mut runs = self.runs();
            if let Some(known) = runs.known.get_mut(&id)
                && known.ended.what.is_none()
                && known.said.total() <= since
            {
                known.followed = Some(known.followed.map_or(since, |before| before.min(since)));
                return;
            }
        }
        self.ask_output(id);
    }

    /// Returns the next answer to that, `None` where all is answered.
    pub(super) fn next_output(&self) -> Option<Tell> {
        let mut runs = self.runs();
        let id = runs.asked.pop_front()?;
        let known = runs.known.get(&id).filter(|known| known.ended.what.is_none());
        Some(Tell::Output { id, output: known.map(|known| OutputLine::from(&known.said.output())) })
    }

    /// Returns whether there is nothing that the next daemon must know.
    pub(super) fn is_empty(&self) -> bool {
        self.runs().known.is_empty()
    }

    /// A run was started.
    pub(super) fn started(&self, id: Uuid, process: Process) {
        self.note(id, |known| known.process.set(process));
    }

    /// A run said something to people.
    pub(super) fn said(&self, id: Uuid, said: &[u8]) {
        let is_awaited = {
            let mut runs = self.runs();
            let Some(known) = runs.known.get_mut(&id) else { return };
            known.said.push(said);
            let total = known.said.total();
            known.followed.take_if(|since| *since < total).is_some()
        };
        if is_awaited {
            self.ask_output(id);
        }
    }

    /// A run said something to Keiko.
    pub(super) fn marked(&self, id: Uuid, mark: Mark) {
        self.note(id, |known| match mark {
            Mark::Progress(progress) => known.progress.set(progress),
            Mark::Checkpoint(text) => known.checkpoint.set(text),
        });
    }

    /// A run has ended.
    pub(super) fn ended(&self, id: Uuid, end: EndLine) {
        self.note(id, |known| {
            let output = std::mem::take(&mut known.said).output();
            known.ended.set((end, output));
        });
    }

    fn note(&self, id: Uuid, change: impl FnOnce(&mut Known)) {
        let mut runs = self.runs();
        let Some(known) = runs.known.get_mut(&id) else { return };
        change(known);
        if !std::mem::replace(&mut known.is_in_untold, true) {
            runs.untold.push_back(id);
        }
        drop(runs);
        self.changed.notify_one();
    }

    /// Another daemon listens: all is to be told again.
    pub(super) fn tell_all_again(&self) {
        let mut runs = self.runs();
        runs.untold.clear();
        runs.asked.clear();
        let ids: Vec<Uuid> = runs.known.keys().copied().collect();
        for known in runs.known.values_mut() {
            known.is_in_untold = true;
            known.followed = None;
            known.taken.set(());
            known.process.is_untold = true;
            known.progress.is_untold = true;
            known.checkpoint.is_untold = true;
            known.ended.is_untold = true;
        }
        runs.untold.extend(ids);
    }

    /// Returns what is to be told of one run, in its order; `None` where all is told.
    pub(super) fn next(&self) -> Option<Vec<Tell>> {
        let mut runs = self.runs();
        let id = runs.untold.pop_front()?;
        // It was forgotten meanwhile.
        let Some(known) = runs.known.get_mut(&id) else { return Some(Vec::new()) };
        known.is_in_untold = false;
        let mut tells = Vec::new();
        // The daemon that ordered it knows, the next one does not.
        tells.extend(known.taken.take().map(|()| Tell::Taken { id }));
        tells.extend(known.process.take().map(|process| Tell::Started { id, process: (*process).into() }));
        tells.extend(known.progress.take().map(|progress| Tell::progress(id, progress)));
        tells.extend(known.checkpoint.take().map(|text| Tell::Checkpoint { id, text: text.clone() }));
        let ended = known.ended.take();
        tells.extend(ended.map(|(end, said)| Tell::Ended { id, end: end.clone(), output: said.into() }));
        Some(tells)
    }

    /// Waits until there is something to tell; may return without.
    pub(super) async fn changed(&self) {
        self.changed.notified().await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tell_all(ledger: &Ledger) -> Vec<Tell> {
        std::iter::from_fn(|| ledger.next()).flatten().collect()
    }

    fn progress(percent: u8) -> Mark {
        Mark::Progress(Progress { percent, text: String::new() })
    }

    #[test]
    fn a_name_is_taken_once_until_it_is_forgotten() {
        let ledger = Ledger::default();
        let id = Uuid::from_u128(1);
        assert!(ledger.take(id).is_some());
        assert!(ledger.take(id).is_none());
        ledger.forget(id);
        assert!(ledger.take(id).is_none(), "it runs");
        ledger.ended(id, EndLine::Exit(0));
        assert!(ledger.take(id).is_none(), "its end is not on the disk");
        ledger.forget(id);
        assert!(ledger.is_empty());
    }

    #[test]
    fn the_latest_is_told_once_and_the_end_last() {
        let ledger = Ledger::default();
        let id = Uuid::from_u128(1);
        ledger.take(id);
        ledger.started(id, Process { pid: 1, started: 2, boot: Uuid::nil() });
        (1..=9).for_each(|percent| ledger.marked(id, progress(percent)));
        ledger.marked(id, Mark::Checkpoint("a".into()));
        ledger.said(id, b"said");
        ledger.ended(id, EndLine::Exit(0));
        let told = tell_all(&ledger);
        assert!(matches!(
            told[..],
            [Tell::Started { .. }, Tell::Progress { percent: 9, .. }, Tell::Checkpoint { .. }, Tell::Ended { .. }]
        ));
        assert_eq!(tell_all(&ledger), []);
    }

    #[test]
    fn the_next_daemon_is_told_of_what_is_about_to_start() {
        let ledger = Ledger::default();
        let id = Uuid::from_u128(1);
        ledger.take(id);
        ledger.tell_all_again();
        assert_eq!(tell_all(&ledger), [Tell::Taken { id }]);
    }

    #[test]
    fn who_follows_what_a_run_says_is_told_as_soon_as_it_says_more() {
        let ledger = Ledger::default();
        let id = Uuid::from_u128(1);
        let told = |ledger: &Ledger| match ledger.next_output() {
            Some(Tell::Output { output: Some(output), .. }) => Some(Output::from(output).tail),
            Some(Tell::Output { output: None, .. }) => Some(b"nothing".to_vec()),
            _ => None,
        };
        ledger.take(id);
        ledger.follow_output(id, 0);
        assert_eq!(told(&ledger), None, "it said nothing yet");
        ledger.said(id, b"one");
        assert_eq!(told(&ledger), Some(b"one".to_vec()));
        ledger.said(id, b"two");
        assert_eq!(told(&ledger), None, "that was not asked for");
        ledger.follow_output(id, 3);
        assert_eq!(told(&ledger), Some(b"onetwo".to_vec()));
        ledger.follow_output(id, 6);
        ledger.follow_output(id, 7);
        ledger.said(id, b"!");
        assert_eq!(told(&ledger), Some(b"onetwo!".to_vec()), "whoever knows least is told");
        ledger.ended(id, EndLine::Exit(0));
        ledger.follow_output(id, 7);
        assert_eq!(told(&ledger), Some(b"nothing".to_vec()), "it can say no more");
    }

    #[test]
    fn the_next_daemon_is_told_all_again() {
        let ledger = Ledger::default();
        let (runs, ended) = (Uuid::from_u128(1), Uuid::from_u128(2));
        assert!([runs, ended].iter().all(|id| ledger.take(*id).is_some()));
        ledger.started(runs, Process { pid: 1, started: 2, boot: Uuid::nil() });
        ledger.ended(ended, EndLine::NotStarted("gone".into()));
        let told = tell_all(&ledger);
        ledger.marked(runs, progress(5));
        ledger.tell_all_again();
        let again = tell_all(&ledger);
        assert_eq!((told.len(), again.len()), (2, 5));
        assert!(told.iter().all(|tell| again.contains(tell)));
    }
}
