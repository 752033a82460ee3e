//! `agenda.get`: what will be said, if nobody does anything meanwhile.

use std::ops::Range;

use crate::api::Api;
use crate::api::time::{self, Place, Purpose};
use crate::domain::agenda::{Agenda, Part, Stretch};
use crate::domain::time::{Span, Timestamp};
use crate::protocol::SCHEMA_VERSION;
use crate::protocol::envelope::{RawJson, write_answer};
use crate::protocol::error_code::{ErrorKind, RpcError};
use crate::protocol::methods::{AGENDA_DEFAULT, AGENDA_MAX, AGENDA_NOTES_MAX, AgendaGet, AgendaResult, PAGE_BYTES_MAX};
use crate::protocol::objects::Time;
use crate::protocol::to_wire;

/// How far an agenda reaches when nobody says.
const RANGE_DEFAULT: Span = Span::from_minutes(7 * 24 * 60);

/// Tells what will be said.
pub(in crate::api) async fn get(api: &Api, params: AgendaGet) -> Result<RawJson, RpcError> {
    let limit = params.limit.unwrap_or(AGENDA_DEFAULT);
    if limit > AGENDA_MAX {
        let message = format!("cannot tell {limit} entries at once: expected at most {AGENDA_MAX}");
        return Err(RpcError::new(ErrorKind::Params, message));
    }
    let place = Place::of_question(api, params.zone.as_deref())?;
    let now = api.handle.now();
    let range = range(api, place, &params, now)?;
    let stretch =
        Stretch { now, zone: api.handle.zone(), days_of: place.zone, from: range.start.max(now), to: range.end };
    let since = match &params.after {
        None => Part { since: stretch.from, skip: 0, limit },
        Some(cursor) => Part { limit, ..part_of(cursor)? },
    };
    let (tasks, agenda) = api.handle.agenda(stretch, since).await.map_err(|error| api.refusal(&error))?;
    let mut warnings = api.storage_warnings().await;
    if agenda.notes.len() > AGENDA_NOTES_MAX {
        let left_out = agenda.notes.len() - AGENDA_NOTES_MAX;
        warnings.push(format!("{left_out} more tasks are paused, count from completions, or come up too often"));
    }
    let zone = place.zone;
    let mut entries = Vec::new();
    let mut bytes = 0;
    for entry in &agenda.entries {
        let text = write_answer(to_wire::agenda::entry(entry, &tasks[entry.task], zone));
        bytes += text.get().len();
        // The first goes in however long it is, so that every page is nearer to the end.
        if bytes > PAGE_BYTES_MAX && !entries.is_empty() {
            break;
        }
        entries.push(text);
    }
    let left_out = agenda.left_out + agenda.entries.len() - entries.len();
    let notes = agenda.notes.iter().take(AGENDA_NOTES_MAX);
    Ok(write_answer(AgendaResult {
        schema_version: SCHEMA_VERSION,
        now: to_wire::time(now, zone),
        from: to_wire::time(stretch.from, zone),
        to: to_wire::time(stretch.to, zone),
        left_out: u64::try_from(left_out).unwrap_or(u64::MAX),
        notes: notes.map(|note| to_wire::agenda::note(note, &tasks[note.task], zone)).collect(),
        warnings,
        next: (left_out > 0).then(|| cursor(&agenda, since, entries.len())).flatten(),
        entries,
    }))
}

fn range(api: &Api, place: Place, params: &AgendaGet, now: Timestamp) -> Result<Range<Timestamp>, RpcError> {
    match (&params.range, params.from, params.to) {
        (Some(words), None, None) => time::stretch(api, place, words, Purpose::Agenda),
        (Some(_), _, _) => {
            let message = "cannot use parameter \"range\" beside \"from\" and \"to\": expected words or two times";
            Err(RpcError::new(ErrorKind::Params, message))
        }
        (None, from, to) => {
            let from = from.map_or(now, Time::instant);
            let to = to.map_or_else(|| from.saturating_add(RANGE_DEFAULT), Time::instant);
            if from <= to {
                return Ok(from..to);
            }
            Err(RpcError::new(
                ErrorKind::Params,
                format!("cannot tell from {from} to {to}: the end lies before the beginning"),
            ))
        }
    }
}

/// Names the place behind the first `told` entries: an instant, and how many at that instant were told.
fn cursor(agenda: &Agenda, part: Part, told: usize) -> Option<String> {
    let told = &agenda.entries[..told];
    let at = told.last()?.at;
    let same = told.iter().rev().take_while(|entry| entry.at == at).count();
    let before = if part.since == at { part.skip } else { 0 };
    Some(format!("{}+{}", at.as_millis(), before + same))
}

fn part_of(cursor: &str) -> Result<Part, RpcError> {
    let read = || {
        let (at, skip) = cursor.split_once('+')?;
        let since = Timestamp::from_millis(at.parse().ok()?)?;
        Some(Part { since, skip: skip.parse().ok()?, limit: 0 })
    };
    read().ok_or_else(|| {
        let message = format!("cannot go on after {cursor:?}: expected the `next` of a page of the agenda");
        RpcError::new(ErrorKind::Params, message)
    })
}
