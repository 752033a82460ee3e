//! Which instants are the local times of a rule?
//!
//! The one place where a rule's local times meet a zone: dates that the zone lacks, gaps and folds are decided here.

use std::collections::VecDeque;

use chrono::{Datelike, NaiveDateTime, TimeDelta, Timelike};
use chrono_tz::Tz;

use crate::domain::occurrence::{Instance, Nominal, OccurrenceKey};
use crate::domain::time::{Meeting, Span, Timestamp, date_exists, resolve, second_reading};

/// The most instances that one question looks at; a rule that has not answered by then never will (some 270 years of a
/// daily rule, a day of one that comes up each second).
pub(super) const INSTANCES_MAX: usize = 100_000;

/// How far a change of the clock can move a rule's times.
const CHANGE_MAX: Span = Span::from_minutes(25 * 60);

/// What names an instance (SPEC 2), and with it what becomes of an hour that the clock shows twice.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Naming {
    /// At most once a day: its local date.
    Date,
    /// Several times a day: its local date and time. A time that the clock shows twice comes up the first time.
    DateTime,
    /// In every hour: its instant. An hour that the clock shows twice passes twice, and what comes up every hour, or
    /// every ten minutes, is not silent in it (so does cron with `*` as hour).
    Instant,
}

/// What a rule's local times are read with.
#[derive(Clone, Copy)]
pub(super) struct Reading {
    pub(super) zone: Tz,
    /// What names an instance.
    pub(super) naming: Naming,
    /// How many instances there are in all, of those that the zone's clock shows.
    pub(super) count: Option<u32>,
    /// The last local time that may be one.
    pub(super) until: Option<NaiveDateTime>,
    /// The instance behind which all others lie.
    pub(super) cursor: Option<Instance>,
}

/// Turns local times, in order, into instances. A counted rule's must be all of them, from its start.
pub(super) fn instances(
    locals: impl Iterator<Item = NaiveDateTime>,
    reading: Reading,
) -> impl Iterator<Item = Instance> {
    let Reading { zone, naming, count, until, cursor } = reading;
    // Behind the year 9999 there is no instant, and looking on would find none.
    let is_within = move |local: &NaiveDateTime| local.year() <= 9999 && until.is_none_or(|until| *local <= until);
    let locals = locals.take(INSTANCES_MAX).take_while(is_within);
    let count = count.map_or(usize::MAX, |count| usize::try_from(count).unwrap_or(usize::MAX));
    let mut last = None;
    let cursor_due = cursor.map(|cursor| cursor.due);
    meetings(locals, zone, naming)
        // Invariant: instants grow strictly, so that two local times that one gap swallows ring once.
        .filter(move |(_, due)| last.replace(*due).is_none_or(|last| *due > last))
        .take(count)
        .map(move |(local, due)| {
            let (key, nominal) = match naming {
                Naming::Date => (OccurrenceKey::Date(local.date()), Nominal::Local(local)),
                Naming::DateTime => (OccurrenceKey::DateTime(local), Nominal::Local(local)),
                Naming::Instant => (OccurrenceKey::Instant(due), Nominal::Instant(due)),
            };
            Instance { key, nominal, due }
        })
        .filter(move |instance| {
            cursor.is_none_or(|cursor| is_behind(instance, &cursor))
                && cursor_due.is_none_or(|last| instance.due > last)
        })
}

/// Returns the instants at which the zone's clock shows each local time, in order.
fn meetings(
    locals: impl Iterator<Item = NaiveDateTime>,
    zone: Tz,
    naming: Naming,
) -> impl Iterator<Item = (NaiveDateTime, Timestamp)> {
    let mut firsts = locals
        .filter_map(move |local| {
            let (due, meeting) = resolve(local, zone)?;
            let is_shown = meeting != Meeting::Gap || date_exists(local.date(), zone);
            let again = (meeting == Meeting::Fold && naming == Naming::Instant).then(|| second_reading(local, zone));
            is_shown.then_some((local, due, again.flatten()))
        })
        .peekable();
    // The second readings of a fold come behind all its first ones, in the same order.
    let mut seconds: VecDeque<(NaiveDateTime, Timestamp)> = VecDeque::new();
    std::iter::from_fn(move || {
        let next = firsts.peek().map(|(_, due, _)| *due);
        if seconds.front().is_some_and(|(_, second)| next.is_none_or(|next| *second < next)) {
            return seconds.pop_front();
        }
        let (local, due, again) = firsts.next()?;
        seconds.extend(again.map(|again| (local, again)));
        Some((local, due))
    })
}

/// Returns a local time from which on all instances behind `at` lie, and few before it.
pub(super) fn near(at: Timestamp, zone: Tz) -> NaiveDateTime {
    let offset = |at: Timestamp| at.local(zone).signed_duration_since(at.to_utc().naive_utc());
    let (before, after) =
        (at.saturating_add(Span::from_millis(-CHANGE_MAX.as_millis())), at.saturating_add(CHANGE_MAX));
    // Around a change of the clock a local time that lies behind may be an instant ahead.
    let is_steady = offset(before) == offset(at) && offset(at) == offset(after);
    let near = if is_steady { at } else { before }.local(zone);
    near.with_nanosecond(0).unwrap_or(near)
}

/// Returns how far `local` is from the same place in the 400 years from `base` on.
///
/// The calendar repeats itself every 400 years, weekdays included. Expanders search until the last year that they know; asked
/// in the last centuries before it they find the same, and soon notice that a rule never matches.
pub(super) fn to_last_centuries(local: NaiveDateTime, base: i64) -> TimeDelta {
    const CYCLE_DAYS: i64 = 146_097;
    TimeDelta::days(-(i64::from(local.year()) - base).div_euclid(400) * CYCLE_DAYS)
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
