//! Which task does somebody mean who types a number, the beginning of an id, or words of a title?

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
        Some(name @ TaskName::Words(_)) => {
            let found = by_title(store, &name, reach)?;
            pick(&text, &found.iter().map(|(_, snapshot)| snapshot).collect::<Vec<_>>(), nothing(text.clone()))
        }
    }
}

/// Returns the tasks that words of a title may mean.
fn by_title(store: &dyn Store, name: &TaskName, reach: Reach) -> Result<Vec<(Fit, Snapshot)>, CallError> {
    let open = best(name, store.list(Which::Open)?);
    let fit_of = |found: &[(Fit, Snapshot)]| found.first().map(|(fit, _)| *fit);
    // What is open is preferred, but not because "tea" is a part of "steam".
    if fit_of(&open).is_some_and(|fit| fit < Fit::Parts) || open.is_empty() && reach == Reach::Open {
        return Ok(open);
    }
    let mut ended = store.list(Which::All)?;
    ended.retain(|snapshot| snapshot.occurrence.has_ended() && snapshot.task.deleted_at.is_none());
    // The latest are the first candidates.
    ended.reverse();
    let ended = best(name, ended);
    let is_better = fit_of(&ended).is_some_and(|fit| fit_of(&open).is_none_or(|known| fit < known));
    Ok(match reach {
        Reach::Ended if is_better => ended,
        // "done tea" said twice must not do "steam": the person sees both.
        Reach::Open if fit_of(&ended) == Some(Fit::Title) => ended.into_iter().chain(open).collect(),
        Reach::Open | Reach::Ended => open,
    })
}

/// Returns the tasks whose titles fit best.
fn best(name: &TaskName, tasks: Vec<Snapshot>) -> Vec<(Fit, Snapshot)> {
    let mut fitting: Vec<(Fit, Snapshot)> =
        tasks.into_iter().filter_map(|task| Some((name.fit(&task.task)?, task))).collect();
    let best = fitting.iter().map(|(fit, _)| *fit).min();
    fitting.retain(|(fit, _)| Some(*fit) == best);
    fitting
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
