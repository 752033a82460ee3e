//! `away.set`, `away.get`: when the person is to be left alone; and the words with which other answers say so.

use crate::api::Api;
use crate::api::handlers::details;
use crate::api::refusal::read_aloud;
use crate::api::time::{self, Place, Purpose};
use crate::domain::event::Snapshot;
use crate::domain::quiet::{Away, Quiet, end_in_words, has_typed_time};
use crate::domain::time::Timestamp;
use crate::engine::input::AwayCall;
use crate::protocol::SCHEMA_VERSION;
use crate::protocol::error_code::{ErrorKind, RpcError};
use crate::protocol::methods::{AwayGet, AwayResult, AwaySet};
use crate::protocol::objects;

/// Notes that the person is away, or not any more.
pub(in crate::api) async fn set(api: &Api, params: AwaySet) -> Result<AwayResult, RpcError> {
    let place = Place::of_question(api, params.zone.as_deref())?;
    let now = api.handle.now();
    let words = (params.range.as_deref(), params.r#for.as_deref(), params.until.as_deref(), params.off);
    let (from, to) = match words {
        (Some(range), None, None, false) => {
            let range = time::stretch(api, place, range, Purpose::Away)?;
            (range.start.max(now), range.end)
        }
        (None, Some(length), None, false) => (now, now.saturating_add(time::length(length)?)),
        (None, None, Some(until), false) => (now, time::end(api, place, until)?),
        (None, None, None, true) if params.except.is_empty() => return off(api).await,
        (_, _, _, _) => {
            let message = "cannot tell when you are away: expected one of the parameters \"range\", \"for\", \"until\" \
                and, without \"except\", \"off\"";
            return Err(RpcError::new(ErrorKind::Params, message));
        }
    };
    let except = params.except.iter().map(|tag| tag.strip_prefix("tag:").unwrap_or(tag).to_owned());
    let except = details::tags(&except.collect::<Vec<_>>())?;
    say(api, AwayCall::Until { from, to, except }).await
}

async fn off(api: &Api) -> Result<AwayResult, RpcError> {
    say(api, AwayCall::Off).await
}

async fn say(api: &Api, call: AwayCall) -> Result<AwayResult, RpcError> {
    let done = api.handle.set_away(call).await.map_err(|error| api.refusal(&error))?;
    let answer = told(api, &api.quiet().await?);
    let mut warnings = answer.warnings;
    if let (Some(before), Some(_)) = (&done.before, &done.away) {
        let (from, to) = (read_aloud(before.from, api.handle.zone()), read_aloud(before.to, api.handle.zone()));
        warnings.push(format!("this takes the place of the time from {from} to {to}"));
    }
    Ok(AwayResult { op_id: Some(done.op_id.to_string()), changed: done.is_changed, warnings, ..answer })
}

/// Says when the person is to be left alone.
pub(in crate::api) async fn get(api: &Api, _params: AwayGet) -> Result<AwayResult, RpcError> {
    Ok(told(api, &api.quiet().await?))
}

fn told(api: &Api, quiet: &Quiet) -> AwayResult {
    let now = api.handle.now();
    AwayResult {
        schema_version: SCHEMA_VERSION,
        now: api.told(now),
        op_id: None,
        changed: false,
        away: quiet.away_ahead(now).map(|away| object(api, away)),
        quiet_until: quiet.until(&[], now, api.handle.zone()).map(|end| api.told(end)),
        warnings: Vec::new(),
    }
}

/// Returns a time for which the person is away, as programs see it.
pub(super) fn object(api: &Api, away: &Away) -> objects::Away {
    objects::Away { from: api.told(away.from), to: api.told(away.to), except: away.except.clone() }
}

impl Api {
    /// Returns when the person is to be left alone.
    pub(super) async fn quiet(&self) -> Result<Quiet, RpcError> {
        self.handle.quiet().await.map_err(|error| self.refusal(&error))
    }

    /// Says that the person is away, where that is so.
    pub(super) fn away_warning(&self, quiet: &Quiet) -> Option<String> {
        let now = self.handle.now();
        let away = quiet.away_ahead(now).filter(|away| away.from <= now)?;
        Some(format!("you are away until {}: keiko away off", end_in_words(away.to, now, self.handle.zone())))
    }

    /// Says of a task that was added that the person is away, and that what it says first will be held.
    pub(super) fn hold_warnings(&self, quiet: &Quiet, snapshot: &Snapshot) -> Vec<String> {
        let (now, zone) = (self.handle.now(), self.handle.zone());
        let held = |at: Timestamp| {
            // Programs are told at once, however late at night.
            let is_held = !has_typed_time(&snapshot.task.schedule.rule) && !snapshot.task.is_program_only();
            let end = quiet.until(&snapshot.task.details.tags, at, zone).filter(|_| is_held)?;
            Some(format!("it is quiet then: what it says is held until {}", end_in_words(end, now, zone)))
        };
        let held = snapshot.next_alert().and_then(|(_, at)| held(at));
        self.away_warning(quiet).into_iter().chain(held).collect()
    }
}
