//! What may a caller ask of a task beyond its time? Missed times, nags, deadlines, and what counts from completions.

use crate::api::Api;
use crate::api::handlers::details;
use crate::api::time::{self, Place, Time};
use crate::domain::occurrence::{Nominal, Slot};
use crate::domain::schedule::{AfterDone, Rule, Schedule};
use crate::domain::task::{Deadline, DeadlineTime, Missed, NAG_MAX_DEFAULT, Nag};
use crate::domain::time::{Span, Timestamp};
use crate::protocol::error_code::{ErrorKind, RpcError};
use crate::when::Grain;

/// Returns the rule for missed times.
pub(super) fn missed(word: &str) -> Result<Missed, RpcError> {
    let refusal = || {
        let message = format!("cannot use missed {word:?}: expected once, skip, or for a command all");
        RpcError::new(ErrorKind::Params, message)
    };
    Missed::from_word(word).ok_or_else(refusal)
}

/// Returns a nag: `before` is what the task has, where it has one.
pub(super) fn nag(every: Option<&str>, max: Option<u32>, before: Option<Nag>) -> Result<Option<Nag>, RpcError> {
    let every = every.map(time::length).transpose()?.or(before.map(|nag| nag.every));
    match (every, max) {
        (Some(every), max) => {
            let max = max.or(before.map(|nag| nag.max)).unwrap_or(NAG_MAX_DEFAULT);
            Ok(Some(Nag { every, max }))
        }
        (None, None) => Ok(None),
        (None, Some(_)) => Err(RpcError::new(
            ErrorKind::Params,
            "cannot use parameter \"nag_max\" alone: expected parameter \"nag\" beside it",
        )),
    }
}

/// Returns a deadline; what it speaks of by default is that it has come.
pub(super) fn deadline(time: DeadlineTime, alerts: Option<&[String]>) -> Result<Deadline, RpcError> {
    let alerts = alerts.map(details::alerts).transpose()?.unwrap_or_else(|| vec![Span::ZERO]);
    if let Some(behind) = alerts.iter().find(|alert| alert.is_positive()) {
        let message = format!("cannot speak of a deadline at {}: expected at or before it", Slot::Deadline(*behind));
        return Err(RpcError::new(ErrorKind::Params, message));
    }
    Ok(Deadline { time, alerts })
}

/// Refuses alerts of a deadline that is not there.
pub(super) fn no_deadline() -> RpcError {
    let message = "cannot use parameter \"deadline_alerts\" alone: expected parameter \"deadline\" beside it";
    RpcError::new(ErrorKind::Params, message)
}

/// Reads when something must be done at the latest; `due` is when it is due first, and `schedule` how it repeats.
///
/// A day is its end. What names no day ("5pm") and would lie on a day before due is read on from due; "today" stays today,
/// and is refused as before due.
pub(super) fn deadline_time(
    api: &Api,
    place: Place,
    text: &str,
    schedule: &Schedule,
    due: Option<Timestamp>,
) -> Result<DeadlineTime, RpcError> {
    let zone = schedule.zone.unwrap_or(place.zone);
    let is_series = schedule.rule.is_series();
    let now = api.handle.now();
    let read = |now: Timestamp| time::moment(api, place, text, now);
    // "tomorrow 9am" with a deadline of "5pm" means tomorrow; "5pm" with one of "4pm" is a slip, and refused as that.
    let is_meant = |read: Nominal| match (read, due) {
        (Nominal::Local(local), Some(due)) => local.date() >= due.local(zone).date(),
        (Nominal::Instant(at), Some(due)) => at >= due,
        (_, None) => true,
    };
    let from_now = if is_series { None } else { Some(read(now)?) };
    let stays = |read: Nominal| is_meant(read) || time::names_one_day(api, place, text);
    let nominal = match (from_now.filter(|read| stays(*read)), due) {
        (Some(nominal), _) => nominal,
        (None, Some(due)) => read(due).or_else(|error| from_now.ok_or(error))?,
        (None, None) => read(now)?,
    };
    match (is_series, due) {
        (true, Some(due)) => {
            let after = match nominal {
                Nominal::Local(local) => {
                    Span::from_millis(local.signed_duration_since(due.local(zone)).num_milliseconds())
                }
                Nominal::Instant(at) => at.since(due),
            };
            Ok(DeadlineTime::AfterDue(after))
        }
        (_, _) => Ok(DeadlineTime::At(nominal)),
    }
}

/// Makes a repetition count from each completion.
pub(super) fn after_done(api: &Api, place: Place, time: Time) -> Result<Time, RpcError> {
    let zone = time.schedule.zone.unwrap_or(place.zone);
    let keeps_clock = match time.grain {
        Grain::Second | Grain::Minute | Grain::Hour => true,
        Grain::Day | Grain::Week | Grain::Month | Grain::Year => false,
    };
    let refuse = |error: &dyn std::error::Error| {
        RpcError::new(ErrorKind::Time, error.to_string())
            .with_hint("say how long after, such as: --every 3d --after-done")
    };
    let rule = AfterDone::from_rule(&time.schedule.rule, first(api, &time)?, keeps_clock, zone)
        .map_err(|error| refuse(&error))?;
    Ok(Time { schedule: Schedule { rule: Rule::AfterDone(rule), ..time.schedule }, ..time })
}

/// Refuses to count from completions where no repetition is given.
pub(super) fn nothing_to_count() -> RpcError {
    let message = "cannot use parameter \"after_done\" alone: expected a repetition beside it";
    RpcError::new(ErrorKind::Params, message)
}

fn first(api: &Api, time: &Time) -> Result<Timestamp, RpcError> {
    let first = time.schedule.next_after(None, api.handle.now(), api.handle.zone());
    first.map(|first| first.due).ok_or_else(|| RpcError::new(ErrorKind::Time, "the schedule has no time ahead"))
}
