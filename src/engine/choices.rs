//! Of which tasks may a verb be said just now? For a shell that completes a word, so it must be quick with very many.
//!
//! Reads the numbers of all, and of few the rest: it looks at no more than it gives, give or take, and then says that there
//! may be more.

use std::collections::VecDeque;

use uuid::Uuid;

use crate::domain::command::{GRACE_DEFAULT, Moment};
use crate::domain::event::Snapshot;
use crate::domain::routing::Routing;
use crate::domain::state::StateName;
use crate::domain::task::{Number, TaskId};
use crate::domain::time::{Span, Timestamp};
use crate::domain::transition::Known;
use crate::domain::verb::Verb;
use crate::engine::handle::{FAILED_WITHIN, Handle};
use crate::engine::input::CallError;
use crate::store::{OpenKind, Store};

/// How many tasks are looked at besides those that are given: of each the rules are asked.
const LOOKED_AT_BESIDES: usize = 200;

/// What is looked for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sought {
    /// What is to be said of it.
    pub verb: Verb,
    /// With what its number begins, in digits.
    pub number: String,
    /// At most so many.
    pub limit: usize,
}

/// What was found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Found {
    /// The tasks: what is due first, the others by number.
    pub tasks: Vec<Snapshot>,
    /// Whether there may be more; the numbers of those found have then no more in common than those of all.
    pub has_more: bool,
}

impl Handle {
    /// Returns the tasks of which a verb may be said just now.
    ///
    /// # Errors
    /// The store fails.
    pub async fn choices(&self, sought: Sought) -> Result<Found, CallError> {
        let (now, zone) = (self.now(), self.zone());
        self.read(move |store| {
            let routing = Routing::default();
            let moment = Moment {
                now,
                zone,
                device: Uuid::nil(),
                op_id: Uuid::nil(),
                grace: GRACE_DEFAULT,
                is_desktop_away: false,
                standing: None,
                quiet_until: None,
                routing: &routing,
                is_away: false,
            };
            choose(store, &sought, &moment)
        })
        .await
    }

    /// Returns the tags of the open tasks.
    ///
    /// # Errors
    /// The store fails.
    pub async fn open_tags(&self) -> Result<Vec<String>, CallError> {
        self.read(|store| Ok(store.open_tags()?)).await
    }
}

fn choose(store: &dyn Store, sought: &Sought, moment: &Moment<'_>) -> Result<Found, CallError> {
    let (mut left, has_more) = candidates(store, sought, moment.now)?;
    let mut found = Found { tasks: Vec::new(), has_more };
    let mut looked_at = 0;
    while let Some(number) = left.pop_front() {
        if found.tasks.len() >= sought.limit || looked_at >= sought.limit + LOOKED_AT_BESIDES {
            left.push_front(number);
            found.has_more = true;
            break;
        }
        looked_at += 1;
        found.tasks.extend(fitting(store, sought.verb, number, moment)?);
    }
    if found.has_more && sought.limit > 0 {
        part(store, sought, moment, &mut found, &left)?;
    }
    Ok(found)
}

/// Gives one more, in place of the last, where the numbers of those found begin alike and another does not: whoever
/// completes what they have in common would shut that one out.
fn part(
    store: &dyn Store,
    sought: &Sought,
    moment: &Moment<'_>,
    found: &mut Found,
    left: &VecDeque<Number>,
) -> Result<(), CallError> {
    let texts: Vec<String> = found.tasks.iter().map(|each| each.task.number.to_string()).collect();
    let common = common_beginning(&texts);
    if common.len() <= sought.number.len() {
        return Ok(());
    }
    let others = left.iter().filter(|number| !number.to_string().starts_with(common));
    for number in others.take(LOOKED_AT_BESIDES) {
        if let Some(other) = fitting(store, sought.verb, *number, moment)? {
            found.tasks.truncate(sought.limit - 1);
            found.tasks.push(other);
            break;
        }
    }
    Ok(())
}

/// Returns the numbers of all that are worth looking at, what is due first, then by number; and whether there may be others.
fn candidates(store: &dyn Store, sought: &Sought, now: Timestamp) -> Result<(VecDeque<Number>, bool), CallError> {
    let verb = sought.verb;
    let open = store.open_numbers(kind(verb))?;
    let begins_so = |number: &Number| number.to_string().starts_with(&sought.number);
    let mut fitting: Vec<(bool, Number)> = open
        .into_iter()
        .filter(|(number, state)| verb.may_fit(*state) && begins_so(number))
        .map(|(number, state)| (state != StateName::Running, number))
        .collect();
    fitting.sort_unstable();
    let mut numbers: VecDeque<Number> = fitting.into_iter().map(|(_, number)| number).collect();
    if verb == Verb::Retry {
        // What failed for good has ended, and can be tried anew.
        let since = now.saturating_add(Span::from_millis(-FAILED_WITHIN.as_millis()));
        let (total, failed) = store.commands_failed_since(since, sought.limit + LOOKED_AT_BESIDES)?;
        numbers.extend(failed.iter().map(|each| each.task.number).filter(begins_so));
        return Ok((numbers, total > failed.len() as u64));
    }
    Ok((numbers, false))
}

const fn kind(verb: Verb) -> OpenKind {
    match verb {
        Verb::Skip => OpenKind::Series,
        Verb::Run => OpenKind::Command,
        Verb::Unblock => OpenKind::Waiting,
        Verb::Get
        | Verb::Update
        | Verb::Done
        | Verb::Ack
        | Verb::Snooze
        | Verb::Pause
        | Verb::Resume
        | Verb::Cancel
        | Verb::Delete
        | Verb::Retry => OpenKind::Any,
    }
}

/// Returns the task of a number, where the rules let the verb be said of it.
fn fitting(store: &dyn Store, verb: Verb, number: Number, moment: &Moment<'_>) -> Result<Option<Snapshot>, CallError> {
    let id: Option<TaskId> = store.by_number(number)?;
    let Some(snapshot) = id.map(|id| store.snapshot(id)).transpose()?.flatten() else { return Ok(None) };
    let has_command = snapshot.task.details.command.is_some();
    let runs = if has_command { store.runs(snapshot.task.id)? } else { Vec::new() };
    let deliveries = match verb {
        Verb::Retry => store.deliveries(snapshot.task.id, Some(snapshot.occurrence.name()))?,
        Verb::Get
        | Verb::Update
        | Verb::Done
        | Verb::Ack
        | Verb::Snooze
        | Verb::Pause
        | Verb::Resume
        | Verb::Skip
        | Verb::Cancel
        | Verb::Delete
        | Verb::Run
        | Verb::Unblock => Vec::new(),
    };
    let known = Known { deliveries: &deliveries, spent: &[], runs: &runs, earlier: None };
    let fits = verb.fits(&snapshot, known, moment);
    Ok(fits.then_some(snapshot))
}

/// Returns with what all of the texts begin.
fn common_beginning(texts: &[String]) -> &str {
    let Some((first, others)) = texts.split_first() else { return "" };
    let common = |other: &String| first.bytes().zip(other.bytes()).take_while(|(a, b)| a == b).count();
    &first[..others.iter().map(common).min().unwrap_or(first.len())]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_numbers_begin_with_is_found() {
        let check = |texts: &[&str], expected| {
            let texts: Vec<String> = texts.iter().map(ToString::to_string).collect();
            assert_eq!(common_beginning(&texts), expected);
        };
        check(&[], "");
        check(&["12"], "12");
        check(&["12", "120", "13"], "1");
        check(&["120", "12"], "12");
        check(&["1", "2"], "");
    }
}
