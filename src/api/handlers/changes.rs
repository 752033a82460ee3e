//! `task.update`, `task.done`, `task.ack`, `task.snooze`, `task.skip`, `task.cancel`,
//! `task.retry`: what changes a task that is there.

use crate::api::handlers::scope::{self, Mode};
use crate::api::handlers::{command, details, hooks, policy, waits};
use crate::api::time::{self, Place, RuleText};
use crate::api::{Api, refusal};
use crate::domain::command::{Command, Edit, Expected};
use crate::domain::event::{Actor, Snapshot};
use crate::domain::schedule::{Rule, Schedule};
use crate::domain::task::{Deadline, Nag, TaskId};
use crate::domain::time::{Span, Timestamp};
use crate::engine::input::{Applied, Call};
use crate::engine::request::RequestKey;
use crate::protocol::error_code::{ErrorKind, RpcError};
use crate::protocol::from_wire;
use crate::protocol::methods::{Ack, Cancel, Done, Method, Retry, SeriesScope, Skip, Snooze, Update, WriteResult};
use crate::when::Limits;

/// Changes what a task says or when it comes up.
pub(in crate::api) async fn update(api: &Api, params: Update) -> Result<WriteResult, RpcError> {
    let key = details::key(params.key.clone(), Method::TaskUpdate)?;
    if let Some(answer) = api.repeated_with_follower(key.as_ref(), params.scope).await? {
        return Ok(answer);
    }
    let id = api.find(&params.task).await?;
    let place = Place::of(api, params.zone.as_deref(), params.fixed_zone)?;
    let ping = hooks::new_ping(api, &params).await?;
    let (schedule, alerts) = new_times(api, id, place, &params).await?;
    let schedule = match schedule {
        Some(schedule) => Some(schedule),
        None => zone_alone(api, id, place, &params).await?,
    };
    let deadline = deadline(api, id, place, &params, schedule.as_ref()).await?;
    let nag = nag(api, id, &params).await?;
    let set_waits = waits::of_update(api, &params).await?;
    let sets_parents = set_waits.parents.is_some();
    let edit = Edit {
        command: None,
        title: params.title.as_deref().map(details::title).transpose()?,
        notes: params.notes.map(details::notes).transpose()?,
        link: params.link.map(details::link).transpose()?,
        priority: params.priority.map(from_wire::priority),
        tags: params.tags.as_deref().map(details::tags).transpose()?,
        metadata: params.metadata.map(details::metadata).transpose()?,
        targets: params
            .channels
            .as_deref()
            .map(|channels| details::targets(channels, &api.options().targets))
            .transpose()?,
        max_retries: params.max_retries.map(|new| new.map(details::max_retries).transpose()).transpose()?,
        max_late: params.max_late.map(|new| new.as_deref().map(time::length).transpose()).transpose()?,
        deadline,
        missed: params.missed.as_deref().map(policy::missed).transpose()?,
        nag,
        auto_done: params.auto_done,
        schedule,
        alerts,
        waits: set_waits,
    };
    let edit = command::edited(api, id, params.command.map(Into::into), ping, edit).await?;
    if edit == Edit::default() {
        let message = format!("cannot edit task {}: expected at least one new value, found none", params.task.0);
        return Err(RpcError::new(ErrorKind::Params, message));
    }
    let max_retries = edit.max_retries.flatten();
    let may_mute = edit.schedule.is_some() || edit.alerts.is_some();
    let mut warnings = if edit.schedule.is_some() { place.warnings() } else { Vec::new() };
    let expected = Expected { version: params.version, occurrence: None };
    let mode = Mode::of(params.preview);
    let applied = if params.scope == Some(SeriesScope::Following) {
        if sets_parents || edit.waits.delay.is_some() || edit.waits.on_fail.is_some() {
            return Err(scope::waits_of_following());
        }
        api.follow_or_preview(id, key, edit, expected, mode).await?
    } else {
        let edit = Box::new(edit);
        let command = scope::command(params.scope, Command::EditThis(edit.clone()), Command::Edit(edit));
        api.change_or_preview(Call { task: id, command, expected, actor: Actor::Person, key }, mode).await?
    };
    if sets_parents {
        warnings.extend(waits::warnings(&applied.snapshot));
    }
    if may_mute {
        warnings.extend(details::mute_warning(&applied.snapshot));
    }
    warnings.extend(details::retries_warning(max_retries, &applied.snapshot));
    api.written_or_previewed(applied, warnings, mode).await
}

/// Returns when the task is to come up and to speak, each `None` where it stays.
async fn new_times(
    api: &Api,
    id: TaskId,
    place: Place,
    params: &Update,
) -> Result<(Option<Schedule>, Option<Vec<Span>>), RpcError> {
    let rule = RuleText::of(params.every.as_deref(), params.cron.as_deref(), params.rrule.as_deref())?;
    let limits = Limits { from: params.from.as_deref(), until: params.until.as_deref() };
    let (text, at) = (params.text.as_deref(), params.at.as_deref());
    let is_limit_alone = rule.is_none() && text.is_none() && at.is_none() && !limits.is_empty();
    let day = if params.scope == Some(SeriesScope::This) {
        // One time of a series is moved within its own day: "6am" is that morning's.
        let seen = api.handle.snapshot(id).await.map_err(|error| api.refusal(&error))?;
        seen.occurrence.due_at().map(|due| due.local(seen.task.schedule.zone.unwrap_or(place.zone)).date())
    } else {
        None
    };
    let time = if is_limit_alone { None } else { time::time(api, place, time::Asked { text, at, rule, limits, day })? };
    let alerts = params.alerts.as_deref().map(details::alerts).transpose()?;
    let time = match time {
        Some(time) if params.after_done => Some(policy::after_done(api, place, time)?),
        None if params.after_done => return Err(policy::nothing_to_count()),
        time => time,
    };
    let (schedule, alerts) = match time {
        // The alerts move along with the due, unless the words or the caller name others.
        Some(time) => (Some(time.schedule), alerts.or(time.alerts)),
        None if is_limit_alone => {
            let seen = api.handle.snapshot(id).await.map_err(|error| api.refusal(&error))?;
            (Some(time::limited(api, place, limits, seen.task.schedule.clone())?), alerts)
        }
        None => (None, alerts),
    };
    Ok((schedule, alerts))
}

/// Returns a schedule without a time that has the zone in which a deadline is given, `None` where the task has a time or
/// floats.
async fn zone_alone(api: &Api, id: TaskId, place: Place, params: &Update) -> Result<Option<Schedule>, RpcError> {
    if !matches!(params.deadline, Some(Some(_))) {
        return Ok(None);
    }
    let seen = api.handle.snapshot(id).await.map_err(|error| api.refusal(&error))?.task.schedule;
    let settled = place.settle(Schedule { zone: None, ..seen.clone() });
    Ok(Some(settled).filter(|settled| matches!(seen.rule, Rule::None) && settled.zone.is_some()))
}

/// Returns the new deadline, `None` where it stays.
async fn deadline(
    api: &Api,
    id: TaskId,
    place: Place,
    params: &Update,
    schedule: Option<&Schedule>,
) -> Result<Option<Option<Deadline>>, RpcError> {
    if params.deadline.is_none() && params.deadline_alerts.is_none() {
        return Ok(None);
    }
    let seen = api.handle.snapshot(id).await.map_err(|error| api.refusal(&error))?;
    let alerts = params.deadline_alerts.as_deref();
    match (&params.deadline, seen.task.deadline) {
        (Some(None), _) => Ok(Some(None)),
        (Some(Some(text)), before) => {
            let (schedule, due) = match schedule {
                Some(schedule) => (schedule, schedule.next_after(None, api.handle.now(), api.handle.zone())),
                None => (&seen.task.schedule, seen.occurrence.instance()),
            };
            let time = policy::deadline_time(api, place, text, schedule, due.map(|due| due.due))?;
            let mut new = policy::deadline(time, alerts)?;
            if let (None, Some(before)) = (alerts, before) {
                new.alerts = before.alerts;
            }
            Ok(Some(Some(new)))
        }
        (None, Some(before)) => policy::deadline(before.time, alerts).map(|new| Some(Some(new))),
        (None, None) => Err(policy::no_deadline()),
    }
}

/// Returns the new nag, `None` where it stays.
async fn nag(api: &Api, id: TaskId, params: &Update) -> Result<Option<Option<Nag>>, RpcError> {
    match (&params.nag, params.nag_max) {
        (None, None) => Ok(None),
        (Some(None), _) => Ok(Some(None)),
        (Some(Some(every)), None) => policy::nag(Some(every), None, None).map(Some),
        (every, max) => {
            let seen = api.handle.snapshot(id).await.map_err(|error| api.refusal(&error))?;
            policy::nag(every.as_ref().and_then(|every| every.as_deref()), max, seen.task.policy.nag).map(Some)
        }
    }
}

/// The person did it.
pub(in crate::api) async fn done(api: &Api, params: Done) -> Result<WriteResult, RpcError> {
    let key = details::key(params.key, Method::TaskDone)?;
    if let Some(answer) = api.repeated(key.as_ref()).await? {
        return Ok(answer);
    }
    let id = api.find_or_due(params.task.as_ref()).await?;
    let expected = expected(params.version, params.occurrence.as_deref())?;
    let applied = api.change(id, key, Command::Done { early: params.early }, expected).await?;
    api.written(applied, Vec::new()).await
}

/// The person saw it.
pub(in crate::api) async fn ack(api: &Api, params: Ack) -> Result<WriteResult, RpcError> {
    let key = details::key(params.key, Method::TaskAck)?;
    if let Some(answer) = api.repeated(key.as_ref()).await? {
        return Ok(answer);
    }
    let id = api.find_or_due(params.task.as_ref()).await?;
    let expected = expected(params.version, params.occurrence.as_deref())?;
    let applied =
        api.change(id, key, Command::Ack { early: params.early, is_dismissal: params.dismissal }, expected).await?;
    api.written(applied, Vec::new()).await
}

/// It is to speak again later.
pub(in crate::api) async fn snooze(api: &Api, params: Snooze) -> Result<WriteResult, RpcError> {
    let key = details::key(params.key, Method::TaskSnooze)?;
    if let Some(answer) = api.repeated(key.as_ref()).await? {
        return Ok(answer);
    }
    let id = api.find_or_due(params.task.as_ref()).await?;
    let expected = expected(None, params.occurrence.as_deref())?;
    let place = Place::of_question(api, params.zone.as_deref())?;
    let until = match until(api, place, params.r#for.as_deref(), params.until.as_deref())? {
        Some(until) => until,
        None => api.handle.now().saturating_add(api.options().snooze_default),
    };
    let is_duration = params.until.is_none();
    let applied = api.change(id, key, Command::Snooze { until, is_duration, early: params.early }, expected).await?;
    let warnings = reaching_the_next(api, &applied.snapshot, until);
    api.written(applied, warnings).await
}

/// Passes over the open occurrence of a series.
pub(in crate::api) async fn skip(api: &Api, params: Skip) -> Result<WriteResult, RpcError> {
    let key = details::key(params.key, Method::TaskSkip)?;
    if let Some(answer) = api.repeated(key.as_ref()).await? {
        return Ok(answer);
    }
    let id = api.find(&params.task).await?;
    let applied = api.change(id, key, Command::Skip, expected(None, params.occurrence.as_deref())?).await?;
    api.written(applied, Vec::new()).await
}

/// Ends a task.
pub(in crate::api) async fn cancel(api: &Api, params: Cancel) -> Result<WriteResult, RpcError> {
    let key = details::key(params.key, Method::TaskCancel)?;
    if let Some(answer) = api.repeated(key.as_ref()).await? {
        return Ok(answer);
    }
    let scope = match (params.all, params.scope) {
        (false, scope) => scope,
        (true, None | Some(SeriesScope::All)) => Some(SeriesScope::All),
        (true, Some(SeriesScope::This | SeriesScope::Following)) => {
            let message = "cannot use parameters \"all\" and \"scope\" together: expected one of them";
            return Err(RpcError::new(ErrorKind::Params, message));
        }
    };
    let id = api.find(&params.task).await?;
    api.check_scope(id, scope, "cancel").await?;
    let expected = expected(None, params.occurrence.as_deref())?;
    let command = scope::command(scope, Command::CancelThis, Command::Cancel);
    let mode = Mode::of(params.preview);
    let applied = api.change_or_preview(Call { task: id, command, expected, actor: Actor::Person, key }, mode).await?;
    let warning = match scope {
        None => Some("the whole series has ended; skip would have passed over one time only"),
        Some(SeriesScope::Following) => Some("the series ends with this; what came before stays in its history"),
        Some(SeriesScope::This | SeriesScope::All) => None,
    };
    let is_told = applied.changed && applied.snapshot.task.is_series() && mode == Mode::Do;
    let warnings = warning.filter(|_| is_told).map(str::to_owned).into_iter().collect();
    api.written_or_previewed(applied, warnings, mode).await
}

/// Sends at once what failed of a task that is due.
pub(in crate::api) async fn retry(api: &Api, params: Retry) -> Result<WriteResult, RpcError> {
    let key = details::key(params.key, Method::TaskRetry)?;
    if let Some(answer) = api.repeated(key.as_ref()).await? {
        return Ok(answer);
    }
    // What ended since it failed can be tried anew.
    let id = api.find_any(&params.task).await?;
    let applied = api.change(id, key, Command::Retry, expected(None, params.occurrence.as_deref())?).await?;
    let warnings = if applied.changed {
        Vec::new()
    } else {
        vec!["nothing of it has failed; what is held goes out with keiko channel resume".to_owned()]
    };
    api.written(applied, warnings).await
}

impl Api {
    pub(super) async fn change(
        &self,
        task: TaskId,
        key: Option<RequestKey>,
        command: Command,
        expected: Expected,
    ) -> Result<Applied, RpcError> {
        match self.handle.call(Call { task, command, expected, actor: Actor::Person, key }).await {
            Ok(applied) => Ok(applied),
            Err(error) => Err(self.refusal_of(task, &error).await),
        }
    }
}

pub(super) fn expected(version: Option<u64>, occurrence: Option<&str>) -> Result<Expected, RpcError> {
    let occurrence = occurrence.map(from_wire::occurrence).transpose().map_err(refusal::unusable)?;
    Ok(Expected { version, occurrence })
}

/// Returns until when something lasts, `None` where neither a length nor an end is given.
pub(super) fn until(
    api: &Api,
    place: Place,
    length: Option<&str>,
    end: Option<&str>,
) -> Result<Option<Timestamp>, RpcError> {
    match (length, end) {
        (None, None) => Ok(None),
        (Some(length), None) => Ok(Some(api.handle.now().saturating_add(time::length(length)?))),
        (None, Some(end)) => time::end(api, place, end).map(Some),
        (Some(_), Some(_)) => Err(RpcError::new(
            ErrorKind::Params,
            "cannot use both parameters \"for\" and \"until\": expected one of them",
        )),
    }
}

fn reaching_the_next(api: &Api, snapshot: &Snapshot, until: Timestamp) -> Vec<String> {
    match snapshot.occurrence.successor_at.filter(|next| *next <= until) {
        Some(next) => {
            let next = refusal::read_aloud(next, api.handle.zone());
            vec![format!("the next time, {next}, comes before the snooze ends, and closes this one")]
        }
        None => Vec::new(),
    }
}
