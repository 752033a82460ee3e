//! Which instants are the local times of a rule?
//!
//! The one place where a rule's local times meet a zone: dates that the zone lacks, gaps and folds are decided here.

use chrono::NaiveDateTime;
use chrono_tz::Tz;

use crate::domain::occurrence::{Instance, Nominal, OccurrenceKey};
use crate::domain::time::{date_exists, resolve};

/// The most instances that one question looks at; a rule that has not answered by then never will (some 270 years of a
/// daily rule).
pub(super) const INSTANCES_MAX: usize = 100_000;

/// What a rule's local times are read with.
#[derive(Clone, Copy)]
pub(super) struct Reading {
    pub(super) zone: Tz,
    /// Whether the rule comes up at most once a day, so that its date names an instance.
    pub(super) is_at_most_daily: bool,
    /// The last local time that may be one.
    pub(super) until: Option<NaiveDateTime>,
    /// The instance behind which all others lie.
    pub(super) cursor: Option<Instance>,
}

/// Turns local times, in order, into instances.
pub(super) fn instances(
    locals: impl Iterator<Item = NaiveDateTime>,
    reading: Reading,
) -> impl Iterator<Item = Instance> {
    let Reading { zone, is_at_most_daily, until, cursor } = reading;
    let mut last_due = cursor.map(|cursor| cursor.due);
    locals
        .take(INSTANCES_MAX)
        .take_while(move |local| until.is_none_or(|until| *local <= until))
        .filter(move |local| date_exists(local.date(), zone))
        .filter_map(move |local| {
            let key = if is_at_most_daily { OccurrenceKey::Date(local.date()) } else { OccurrenceKey::DateTime(local) };
            let (due, _) = resolve(local, zone)?;
            Some(Instance { key, nominal: Nominal::Local(local), due })
        })
        .filter(move |instance| {
            // Invariant: instants grow strictly, so that two local times that one gap swallows ring once.
            let is_new = cursor.is_none_or(|cursor| is_behind(instance, &cursor))
                && last_due.is_none_or(|last| instance.due > last);
            if is_new {
                last_due = Some(instance.due);
            }
            is_new
        })
}

/// Returns whether `instance` comes after `cursor` by name: by local date or time where both are local, so that a
/// change of zone neither repeats nor loses a day, else by instant.
fn is_behind(instance: &Instance, cursor: &Instance) -> bool {
    match (&instance.key, &cursor.key) {
        (OccurrenceKey::Date(instance), OccurrenceKey::Date(cursor)) => instance > cursor,
        (OccurrenceKey::DateTime(instance), OccurrenceKey::DateTime(cursor)) => instance > cursor,
        (
            OccurrenceKey::Once
            | OccurrenceKey::Date(_)
            | OccurrenceKey::DateTime(_)
            | OccurrenceKey::Instant(_)
            | OccurrenceKey::Nth(_),
            OccurrenceKey::Once
            | OccurrenceKey::Date(_)
            | OccurrenceKey::DateTime(_)
            | OccurrenceKey::Instant(_)
            | OccurrenceKey::Nth(_),
        ) => instance.due > cursor.due,
    }
}
