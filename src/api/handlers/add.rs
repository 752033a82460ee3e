//! `task.add`: a new task from a sentence, a title with a time, or both.

use crate::api::Api;
use crate::api::handlers::scope::Mode;
use crate::api::handlers::{command, details, hooks, policy, waits};
use crate::api::time::{self, Asked, Place, RuleText, Sentence, Time};
use crate::domain::delivery::{ChannelKind, Target};
use crate::domain::occurrence::Nominal;
use crate::domain::run::Program;
use crate::domain::schedule::Schedule;
use crate::domain::task::{Deadline, DeadlineTime, Details, Missed, Policy};
use crate::domain::time::Span;
use crate::engine::input::{AddRequest, PreviewCall};
use crate::protocol::error_code::{ErrorKind, RpcError};
use crate::protocol::from_wire;
use crate::protocol::methods::{Add, Method, WriteResult};
use crate::when::Limits;

/// The title of a reminder that has none.
const TITLE_DEFAULT: &str = "Reminder";

/// Adds a task.
pub(in crate::api) async fn add(api: &Api, params: Add) -> Result<WriteResult, RpcError> {
    let key = details::key(params.key.clone(), Method::TaskAdd)?;
    if let Some(answer) = api.repeated(key.as_ref()).await? {
        return Ok(answer);
    }
    let place = Place::of(api, params.zone.as_deref(), params.fixed_zone)?;
    let waits = waits::of_new(api, &params).await?;
    let is_to_wait = waits.parents.as_ref().is_some_and(|parents| !parents.is_empty());
    let understood = understand(api, place, &params)?;
    let time = match understood.time {
        Ok(time) if params.after_done => Some(policy::after_done(api, place, time)?),
        Ok(time) => Some(time),
        // What waits for another task rings when that is done.
        Err(missing) if params.time_required && !is_to_wait || params.after_done => return Err(missing),
        Err(_) => None,
    };
    let has_time = time.is_some();
    let program = params.command.clone().map(|asked| command::program(asked, None)).transpose()?;
    let policy = policy(&params, program.is_some())?;
    let title = title(&understood.title, program.as_ref(), has_time)?;
    let (schedule, words_alerts, words_deadline) = match time {
        Some(time) => (time.schedule, time.alerts, time.deadline),
        // A deadline alone is read in a zone too.
        None if params.deadline.is_some() => (place.settle(Schedule::none()), None, None),
        None => (Schedule::none(), None, None),
    };
    let alerts = match alerts(&params)? {
        // A command is run when it is due, and nobody need be told besides.
        None if program.is_some() => Some(words_alerts.unwrap_or_default()),
        None => words_alerts,
        said => said,
    };
    let is_silent = alerts.as_ref().is_some_and(Vec::is_empty);
    let options = api.options();
    let mut details = Details {
        command: program.map(Box::new),
        title,
        notes: details::notes(params.notes.clone().unwrap_or_default())?,
        link: details::link(params.link.clone())?,
        priority: params.priority.map(from_wire::priority).unwrap_or_default(),
        tags: details::tags(params.tags.as_deref().unwrap_or_default())?,
        metadata: details::metadata(params.metadata.clone().unwrap_or_default())?,
        targets: match params.channels.as_deref() {
            Some(channels) => details::targets(channels, &options.targets)?,
            None => Vec::new(),
        },
        max_retries: params.max_retries.map(details::max_retries).transpose()?,
        max_late: params.max_late.as_deref().map(time::length).transpose()?,
    };
    if !params.preview {
        hooks::ping(api, &mut details, params.ping.as_deref()).await?;
    }
    let routes = options.routing.chosen_for(&details).to_vec();
    // It is for programs only from the first, and stays so whatever is configured later: they end it, and no person does.
    if details.command.is_none() && !routes.iter().any(|target| target.kind.is_person()) {
        details.targets.clone_from(&routes);
    }
    let mut warnings = understood.notes;
    if has_time || is_to_wait || params.deadline.is_some() {
        warnings.extend(place.warnings());
        if !is_silent {
            warnings.extend(unreachable(api, &routes, &options.routing.fallback));
        }
    } else {
        warnings.push(without_time(&details).to_owned());
    }
    let deadline = deadline(api, place, &params, &schedule, words_deadline)?;
    let request = AddRequest { details, schedule, alerts, deadline, policy, waits, key };
    added(api, request, warnings, Mode::of(params.preview)).await
}

/// Adds what was read, or says what that would be.
async fn added(api: &Api, request: AddRequest, mut warnings: Vec<String>, mode: Mode) -> Result<WriteResult, RpcError> {
    let max_retries = request.details.max_retries;
    let applied = match mode {
        Mode::Do => api.handle.add(request).await,
        Mode::Preview => api.handle.preview(PreviewCall::Add(Box::new(request))).await,
    };
    let applied = applied.map_err(|error| api.refusal(&error))?;
    warnings.extend(waits::warnings(&applied.snapshot));
    warnings.extend(details::mute_warning(&applied.snapshot));
    warnings.extend(details::retries_warning(max_retries, &applied.snapshot));
    warnings.extend(api.hold_warnings(&api.quiet().await?, &applied.snapshot));
    let is_new = applied.changed;
    let mut written = api.written_or_previewed(applied, warnings, mode).await?;
    if mode == Mode::Preview && is_new {
        written.task.number = 0;
    }
    Ok(written)
}

/// Returns the title: what was said, else what it runs, else that of a reminder.
fn title(said: &str, program: Option<&Program>, has_time: bool) -> Result<String, RpcError> {
    match (details::title(said)?, program) {
        (title, Some(program)) if title.is_empty() => command::title(&program.line),
        (title, None) if title.is_empty() && has_time => Ok(TITLE_DEFAULT.to_owned()),
        (title, _) => Ok(title),
    }
}

/// Returns when it speaks, where that is said beside its words.
fn alerts(params: &Add) -> Result<Option<Vec<Span>>, RpcError> {
    match (params.no_alert, params.alerts.as_deref()) {
        (true, Some(_)) => {
            let message = "cannot use both parameters \"alerts\" and \"no_alert\": expected one of them";
            Err(RpcError::new(ErrorKind::Params, message))
        }
        (true, None) => Ok(Some(Vec::new())),
        (false, Some(alerts)) => details::alerts(alerts).map(Some),
        (false, None) => Ok(None),
    }
}

/// Returns the deadline: of the request, else of the words.
fn deadline(
    api: &Api,
    place: Place,
    params: &Add,
    schedule: &Schedule,
    of_words: Option<Nominal>,
) -> Result<Option<Deadline>, RpcError> {
    let due = schedule.next_after(None, api.handle.now(), api.handle.zone()).map(|first| first.due);
    match params.deadline.as_deref() {
        Some(text) => {
            let time = policy::deadline_time(api, place, text, schedule, due)?;
            policy::deadline(time, params.deadline_alerts.as_deref()).map(Some)
        }
        None => match of_words {
            Some(time) => policy::deadline(DeadlineTime::At(time), params.deadline_alerts.as_deref()).map(Some),
            None if params.deadline_alerts.is_some() => Err(policy::no_deadline()),
            None => Ok(None),
        },
    }
}

/// Returns how the task behaves beyond its schedule.
fn policy(params: &Add, has_command: bool) -> Result<Policy, RpcError> {
    let default = if has_command { Missed::Skip } else { Missed::default() };
    let policy = Policy {
        missed: params.missed.as_deref().map(policy::missed).transpose()?.unwrap_or(default),
        nag: policy::nag(params.nag.as_deref(), params.nag_max, None)?,
        auto_done: params.auto_done.unwrap_or(false),
    };
    let Policy { missed, nag, auto_done } = policy;
    command::Beside { has_command, nags: nag.is_some(), auto_done, missed }.check()?;
    Ok(policy)
}

/// What the words say.
struct Understood {
    title: String,
    /// The time, or why there is none.
    time: Result<Time, RpcError>,
    /// What was assumed.
    notes: Vec<String>,
}

fn understand(api: &Api, place: Place, params: &Add) -> Result<Understood, RpcError> {
    let rule = RuleText::of(params.every.as_deref(), params.cron.as_deref(), params.rrule.as_deref())?;
    let limits = Limits { from: params.from.as_deref(), until: params.until.as_deref() };
    let is_time_given = params.at.is_some() || rule.is_some();
    let (title, text) = match (params.title.as_deref(), params.text.as_deref()) {
        // Word for word; whatever else there is says when.
        (Some(title), text) => (title, text),
        // With a time of its own all words are title.
        (None, Some(text)) if is_time_given => (text, None),
        (None, Some(text)) => {
            let Sentence { title, time, notes } = time::sentence(api, place, text, limits)?;
            return Ok(Understood { title, time, notes });
        }
        (None, None) => ("", None),
    };
    let asked = Asked { text, at: params.at.as_deref(), rule, limits, day: None };
    let time = time::time(api, place, asked)?;
    let notes = time.as_ref().map(|time| time.notes.clone()).unwrap_or_default();
    let missing = || {
        RpcError::new(ErrorKind::Time, format!("cannot tell when {title:?} is to ring: no time is given"))
            .with_hint("say when, such as `tomorrow 3pm` or `in 20 minutes`")
    };
    Ok(Understood { title: title.to_owned(), time: time.ok_or_else(missing), notes })
}

/// Says what follows for a task that has no time.
fn without_time(details: &Details) -> &'static str {
    match details.command {
        Some(_) => "it has no time, so it runs only when keiko run is asked to run it",
        None => "it has no time, so it will not ring",
    }
}

/// Warns when none of the channels of a task can reach anybody at the moment.
fn unreachable(api: &Api, targets: &[Target], fallback: &[Target]) -> Option<String> {
    let mut reasons = Vec::new();
    for (kind, presence) in api.handle.channels().into_iter().filter(|(kind, _)| is_meant(*kind, targets, fallback)) {
        reasons.push(format!("{kind}: {}", presence.known_reason()?));
    }
    let why = if reasons.is_empty() { "no channel is set up".to_owned() } else { reasons.join("; ") };
    Some(format!("nobody can be reached at the moment ({why}); what is due is shown once that changes"))
}

/// Returns whether a task speaks through a kind of channel. Where nobody chose one it is the desktop, and the terminals while
/// that is away (SPEC 7).
fn is_meant(kind: ChannelKind, targets: &[Target], fallback: &[Target]) -> bool {
    let is_own = targets.is_empty() && matches!(kind, ChannelKind::Desktop | ChannelKind::Terminal);
    is_own || targets.iter().chain(fallback).any(|target| target.kind == kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nobody_chose_a_channel_for_is_for_the_persons_own() {
        let target = |text: &str| Target::parse(text).expect("a target");
        let meant = |targets: &[&str], fallback: &[&str]| {
            let of = |texts: &[&str]| texts.iter().map(|text| target(text)).collect::<Vec<_>>();
            let (targets, fallback) = (of(targets), of(fallback));
            let kinds = [ChannelKind::Desktop, ChannelKind::Terminal, ChannelKind::Webhook, ChannelKind::Mail];
            kinds
                .into_iter()
                .filter(|kind| is_meant(*kind, &targets, &fallback))
                .map(ChannelKind::as_str)
                .collect::<Vec<_>>()
        };
        assert_eq!(meant(&[], &[]), ["desktop", "terminal"], "what is only built in reaches nobody");
        assert_eq!(meant(&[], &["mail:me"]), ["desktop", "terminal", "mail"]);
        assert_eq!(meant(&["webhook:a"], &[]), ["webhook"]);
        assert_eq!(meant(&["desktop"], &["webhook:a"]), ["desktop", "webhook"]);
    }
}
