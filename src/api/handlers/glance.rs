//! `task.glance`: what asks for the person now, in a few words.

use std::cmp::Reverse;

use crate::api::Api;
use crate::api::handlers::away;
use crate::domain::event::Snapshot;
use crate::domain::state::{Running, State};
use crate::domain::time::Timestamp;
use crate::protocol::SCHEMA_VERSION;
use crate::protocol::error_code::RpcError;
use crate::protocol::methods::{Glance, GlanceResult};
use crate::protocol::objects::Next;

/// Says it.
pub(in crate::api) async fn glance(api: &Api, _params: Glance) -> Result<GlanceResult, RpcError> {
    let glance = api.handle.glance().await.map_err(|error| api.refusal(&error))?;
    let quiet = api.quiet().await?;
    let (now, zone) = (api.handle.now(), api.handle.zone());
    let mut told = GlanceResult {
        schema_version: SCHEMA_VERSION,
        now: api.told(now),
        due: 0,
        late: 0,
        seen: 0,
        held: 0,
        running: 0,
        failing: glance.counts.failed,
        paused: glance.counts.suspended,
        first: None,
        next: glance.next.as_ref().map(|(at, snapshot)| next(api, *at, snapshot)),
        away: quiet.away_ahead(now).map(|away| away::object(api, away)),
        quiet_until: quiet.until(&[], now, zone).map(|end| api.told(end)),
    };
    let mut due = Vec::new();
    for snapshot in &glance.running {
        let Some(running) = running(snapshot) else { continue };
        if snapshot.task.details.command.is_some() {
            told.running += 1;
        } else if running.acked_at.is_some() {
            told.seen += 1;
        } else if running.held_until.is_some_and(|end| end > now) {
            told.held += 1;
        } else {
            told.due += 1;
            told.late += u64::from(running.late);
            due.push((Reverse(snapshot.task.details.priority), running.fired_at, snapshot.task.number, snapshot));
        }
    }
    let first = due.into_iter().min_by_key(|(priority, fired_at, number, _)| (*priority, *fired_at, *number));
    told.first =
        first.map(|(_, fired_at, _, snapshot)| next(api, snapshot.occurrence.due_at().unwrap_or(fired_at), snapshot));
    Ok(told)
}

fn next(api: &Api, at: Timestamp, snapshot: &Snapshot) -> Next {
    Next { number: snapshot.task.number.0, title: snapshot.task.details.title.clone(), at: api.told(at) }
}

fn running(snapshot: &Snapshot) -> Option<&Running> {
    match &snapshot.occurrence.state {
        State::Running(running) => Some(running),
        State::Created
        | State::Pending(_)
        | State::Suspended(_)
        | State::Failed(_)
        | State::Completed(_)
        | State::Cancelled(_) => None,
    }
}
