//! `task.glance`: what asks for the person now, in a few words.

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
    let at_hand = glance.at_hand;
    let came_up_at = |snapshot: &Snapshot| snapshot.occurrence.due_at().or_else(|| Some(running(snapshot)?.fired_at));
    Ok(GlanceResult {
        schema_version: SCHEMA_VERSION,
        now: api.told(now),
        due: at_hand.due,
        late: at_hand.late,
        seen: at_hand.seen,
        held: at_hand.held,
        running: at_hand.commands,
        failing: glance.counts.failed,
        paused: glance.counts.suspended,
        first: glance.first.as_ref().and_then(|first| Some(next(api, came_up_at(first)?, first))),
        next: glance.next.as_ref().map(|(at, snapshot)| next(api, *at, snapshot)),
        away: quiet.away_ahead(now).map(|away| away::object(api, away)),
        quiet_until: quiet.until(&[], now, zone).map(|end| api.told(end)),
    })
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
