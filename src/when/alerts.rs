//! How long before due does each alert speak?

use chrono::{NaiveDateTime, TimeDelta};

use crate::domain::schedule::Rule;
use crate::domain::time::{Span, Timestamp, resolve};
use crate::when::Note;
use crate::when::days::later;
use crate::when::grammar::{Alert, Clock, Face};
use crate::when::resolve::Here;

/// The length of a day of an alert; alerts are spans, and no calendar.
const DAY_MS: i64 = 86_400_000;

/// Returns the alerts as spans from due, sorted, each once; those of a single time that have passed are left out.
///
/// Empty means at due alone, so that a lead longer than the time that is left still rings.
pub(super) fn spans(
    alerts: &[Alert],
    rule: &Rule,
    due: Timestamp,
    here: &Here<'_>,
    notes: &mut Vec<Note>,
) -> Vec<Span> {
    let mut spans: Vec<Span> = alerts.iter().filter_map(|alert| span(*alert, due, here)).collect();
    spans.sort_unstable();
    spans.dedup();
    if !rule.is_series() {
        spans.retain(|span| {
            let at = due.checked_add(*span);
            let is_ahead = at.is_some_and(|at| at > here.context.now);
            if let Some(at) = at.filter(|_| !is_ahead) {
                notes.push(Note::AlertPassed { at: at.local(here.zone) });
            }
            is_ahead
        });
    }
    spans
}

fn span(alert: Alert, due: Timestamp, here: &Here<'_>) -> Option<Span> {
    match alert {
        Alert::AtDue => Some(Span::ZERO),
        // Months before have the length that they have before due.
        Alert::Before(amount) if amount.months != 0 => until(later(due.local(here.zone), amount, true)?, due, here),
        Alert::Eve(part) => until(due.local(here.zone).date().pred_opt()?.and_time(here.part_time(part)), due, here),
        Alert::Before(amount) => {
            let millis = amount.days.checked_mul(DAY_MS)?.checked_add(amount.millis)?;
            millis.checked_neg().map(Span::from_millis)
        }
        Alert::At(clock) => {
            let due = due.local(here.zone);
            let distance =
                readings(clock, due).map(|local| local.signed_duration_since(due)).min_by_key(TimeDelta::abs)?;
            Some(Span::from_millis(distance.num_milliseconds()))
        }
    }
}

/// Returns the span from due to a local time, whatever the clock does in between.
fn until(local: NaiveDateTime, due: Timestamp, here: &Here<'_>) -> Option<Span> {
    let (at, _) = resolve(local, here.zone)?;
    at.as_millis().checked_sub(due.as_millis()).map(Span::from_millis)
}

/// Returns what a clock time may mean on the day of `due`.
fn readings(clock: Clock, due: NaiveDateTime) -> impl Iterator<Item = NaiveDateTime> {
    let hours = match clock.face {
        Face::Open => vec![clock.hour % 12, clock.hour % 12 + 12],
        Face::Day | Face::Midnight | Face::Impossible => vec![clock.hour],
    };
    hours.into_iter().filter_map(move |hour| due.date().and_hms_opt(hour, clock.minute, clock.second))
}
