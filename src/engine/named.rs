//! Which task does somebody mean who types a number, the beginning of an id, or words of a title?

use crate::domain::event::Snapshot;
use crate::domain::name::TaskName;
use crate::domain::task::TaskId;
use crate::engine::input::CallError;
use crate::store::{Store, StoreError, Which};

/// How many candidates an ambiguous name lists.
const CANDIDATES_MAX: usize = 5;

/// Returns the one task that `text` names.
pub(super) fn find(store: &dyn Store, text: String) -> Result<TaskId, CallError> {
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
            let open = store.list(Which::Open)?;
            let matching = open.iter().filter(|snapshot| name.matches_title(&snapshot.task));
            pick(&text, &matching.collect::<Vec<_>>(), nothing(text.clone()))
        }
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
