//! Which task does somebody mean who types a number, the beginning of an id, or words of a title?

use std::collections::HashSet;

use crate::domain::event::Snapshot;
use crate::domain::name::{Fit, TaskName};
use crate::domain::task::TaskId;
use crate::engine::input::CallError;
use crate::store::{Store, StoreError, Which};

/// How many candidates an ambiguous name lists.
const CANDIDATES_MAX: usize = 5;

/// Which tasks words of a title name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Reach {
    /// Those that are open: what has ended is not changed by a title that came again.
    Open,
    /// Those that are open, or else those that have ended.
    Ended,
}

/// Returns the one task that `text` names.
pub(super) fn find(store: &dyn Store, text: String, reach: Reach) -> Result<TaskId, CallError> {
    let nothing = |name: String| CallError::NoSuchName { name };
    match TaskName::parse(&text) {
        None => Err(nothing(text)),
        Some(TaskName::Number(number)) => {
            let Some(id) = store.by_number(number)? else { return Err(nothing(text)) };
            match store.snapshot(id)? {
                Some(snapshot) if snapshot.task.deleted_at.is_none() => Ok(id),
                found => Err(CallError::Gone { name: text, is_for_ever: found.is_none() }),
            }
        }
        Some(TaskName::IdPrefix(prefix)) => {
            let ids = store.by_id_prefix(&prefix, CANDIDATES_MAX)?;
            let mut matching: Vec<Snapshot> =
                ids.into_iter().filter_map(|id| store.snapshot(id).transpose()).collect::<Result<_, StoreError>>()?;
            let is_any = !matching.is_empty();
            matching.retain(|snapshot| snapshot.task.deleted_at.is_none());
            if is_any && matching.is_empty() {
                return Err(CallError::Gone { name: text, is_for_ever: false });
            }
            pick(&text, &matching.iter().collect::<Vec<_>>(), nothing(text.clone()))
        }
        Some(name @ TaskName::Words(_)) => by_title(store, text, &name, reach),
    }
}

/// Returns the one task that words of a title mean.
fn by_title(store: &dyn Store, text: String, name: &TaskName, reach: Reach) -> Result<TaskId, CallError> {
    let open_titles = store.titles(Which::Open)?;
    let open = best(name, &open_titles);
    // What is open is preferred, but not because "tea" is a part of "steam".
    if open.fit.is_some_and(|fit| fit < Fit::Parts) {
        return open.one(store, &text);
    }
    let mut ended = store.titles(Which::All)?;
    let is_open: HashSet<TaskId> = open_titles.into_iter().map(|(id, _)| id).collect();
    ended.retain(|(id, _)| !is_open.contains(id));
    // The latest are the first candidates.
    ended.reverse();
    let ended = best(name, &ended);
    let is_better = ended.fit.is_some_and(|fit| open.fit.is_none_or(|known| fit < known));
    match reach {
        Reach::Ended if is_better => ended.one(store, &text),
        // "done tea" said twice must not do "steam": the person sees both.
        Reach::Open if ended.fit == Some(Fit::Title) && open.fit.is_some() => {
            Fitting { ids: ended.ids.into_iter().chain(open.ids).collect(), ..open }.one(store, &text)
        }
        Reach::Open if open.fit.is_none() && ended.fit.is_some() => {
            Err(CallError::HasEnded { name: text, ended: ended.candidates(store)? })
        }
        Reach::Open | Reach::Ended => open.one(store, &text),
    }
}

/// The tasks whose titles fit best.
struct Fitting {
    /// How well.
    fit: Option<Fit>,
    ids: Vec<TaskId>,
}

fn best(name: &TaskName, titles: &[(TaskId, String)]) -> Fitting {
    let fitting: Vec<(Fit, TaskId)> = titles.iter().filter_map(|(id, title)| Some((name.fit(title)?, *id))).collect();
    let fit = fitting.iter().map(|(fit, _)| *fit).min();
    let ids = fitting.into_iter().filter(|(found, _)| Some(*found) == fit).map(|(_, id)| id).collect();
    Fitting { fit, ids }
}

impl Fitting {
    /// Returns the one task, if there is one and no other.
    fn one(self, store: &dyn Store, name: &str) -> Result<TaskId, CallError> {
        match self.ids[..] {
            [] => Err(CallError::NoSuchName { name: name.to_owned() }),
            [one] => Ok(one),
            [..] => Err(CallError::Ambiguous { name: name.to_owned(), candidates: self.candidates(store)? }),
        }
    }

    /// Returns the first of them, as people are shown them.
    fn candidates(&self, store: &dyn Store) -> Result<Vec<(u64, String)>, CallError> {
        let first = self.ids.iter().take(CANDIDATES_MAX);
        let found: Vec<Snapshot> =
            first.filter_map(|id| store.snapshot(*id).transpose()).collect::<Result<_, StoreError>>()?;
        Ok(found.into_iter().map(|each| (each.task.number.0, each.task.details.title)).collect())
    }
}

/// Returns the one task of those that match.
pub(super) fn pick(name: &str, matching: &[&Snapshot], none: CallError) -> Result<TaskId, CallError> {
    match matching {
        [] => Err(none),
        [one] => Ok(one.task.id),
        [..] => Err(CallError::Ambiguous {
            name: name.to_owned(),
            candidates: matching
                .iter()
                .take(CANDIDATES_MAX)
                .map(|snapshot| (snapshot.task.number.0, snapshot.task.details.title.clone()))
                .collect(),
        }),
    }
}
