//! `hook.list`, `hook.add`, `hook.remove`: programs that are run when something happens.

use crate::api::{Api, refusal};
use crate::domain::hook::{Happening, Hook, TIMEOUT_DEFAULT};
use crate::domain::secret::Secret;
use crate::domain::task::{Details, Number};
use crate::domain::time::Span;
use crate::hooks::queue::Origin;
use crate::hooks::{HookError, HookState, PingError};
use crate::protocol::SCHEMA_VERSION;
use crate::protocol::error_code::{ErrorKind, RpcError};
use crate::protocol::methods::{
    HookAdd, HookAddResult, HookList, HookListResult, HookRemove, HookRemoveResult, HookStatus, PingStatus,
};
use crate::protocol::{from_wire, to_wire};

/// Tells the hooks.
pub(in crate::api) fn list(api: &Api, _params: HookList) -> HookListResult {
    HookListResult {
        schema_version: SCHEMA_VERSION,
        now: api.told(api.handle.now()),
        hooks: all(api),
        pings: pings(api),
    }
}

/// Registers a hook.
pub(in crate::api) async fn add(api: &Api, params: HookAdd) -> Result<HookAddResult, RpcError> {
    let hook = hook(params)?;
    let name = hook.name.clone();
    let cursor = *api.handle.last_seq().borrow();
    let replaced = api.hooks.add(hook).await.map_err(|error| refused(&error))?;
    Ok(HookAddResult { schema_version: SCHEMA_VERSION, now: api.told(api.handle.now()), name, replaced, cursor })
}

/// Removes a hook.
pub(in crate::api) async fn remove(api: &Api, params: HookRemove) -> Result<HookRemoveResult, RpcError> {
    let removed = api.hooks.remove(&params.name).await.map_err(|error| refused(&error))?;
    Ok(HookRemoveResult { schema_version: SCHEMA_VERSION, now: api.told(api.handle.now()), hook: told(api, removed) })
}

/// Returns how it goes with each hook.
pub(super) fn all(api: &Api) -> Vec<HookStatus> {
    api.hooks.list().into_iter().map(|state| told(api, state)).collect()
}

/// Returns how it goes with the pings.
pub(super) fn pings(api: &Api) -> PingStatus {
    let counts = api.hooks.pings();
    PingStatus {
        waiting: counts.waiting,
        taken: counts.taken,
        failures: counts.failures,
        dropped: counts.dropped,
        last_error: counts.last_error,
    }
}

/// Gives the command of a task the address of an outside dead-man's switch, where there is one.
pub(super) async fn ping(api: &Api, details: &mut Details, url: Option<&str>) -> Result<(), RpcError> {
    let Some(url) = url else { return Ok(()) };
    let Some(program) = &mut details.command else { return Err(no_command_to_ping()) };
    program.ping = Some(expected_ping(api, url).await?);
    Ok(())
}

/// Returns the address of a dead-man's switch, which is expected to be told something from now on.
pub(super) async fn expected_ping(api: &Api, url: &str) -> Result<Secret, RpcError> {
    let url = Secret::new(url.to_owned());
    api.hooks.expect_ping(&url).await.map_err(|error| match error {
        PingError::Unusable { .. } => params_error(error.to_string()),
        PingError::NotKept { .. } => RpcError::new(ErrorKind::Storage, error.to_string()),
    })?;
    Ok(url)
}

/// Refuses to tell a dead-man's switch of a task that has no command.
pub(super) fn no_command_to_ping() -> RpcError {
    params_error("cannot ping for a task without a command: nothing of it starts or ends by itself".to_owned())
        .with_hint("give it a command, or leave the ping out")
}

fn hook(params: HookAdd) -> Result<Hook, RpcError> {
    let HookAdd { on, command, name, tags, tasks, priority, late, directory, timeout_s } = params;
    let hook = Hook {
        name: name.unwrap_or_default(),
        on: happenings(&on)?,
        tags: from_wire::tags(&tags).map_err(refusal::unusable)?,
        tasks: tasks.into_iter().map(Number).collect(),
        priority: priority.map(from_wire::priority),
        is_late_only: late,
        directory: directory.unwrap_or_default(),
        timeout: timeout_s.map_or(TIMEOUT_DEFAULT, |seconds| Span::from_secs(seconds.into())),
        ..Hook::new(command)
    };
    hook.ready().map_err(|unfit| params_error(format!("cannot register a hook: expected {unfit}")))
}

fn happenings(words: &[String]) -> Result<Vec<Happening>, RpcError> {
    match words {
        [] => Err(params_error("cannot register a hook: expected the names of events, or \"all\"".to_owned())),
        [all] if all == "all" => Ok(Vec::new()),
        words => words.iter().map(|word| happening(word)).collect(),
    }
}

fn happening(word: &str) -> Result<Happening, RpcError> {
    let names = || Happening::ALL.iter().map(|each| each.as_str()).collect::<Vec<_>>().join(", ");
    Happening::from_word(word).ok_or_else(|| {
        params_error(format!("cannot register a hook: there is no event {word:?}; there are {}", names()))
    })
}

fn params_error(message: String) -> RpcError {
    RpcError::new(ErrorKind::Params, message)
}

fn refused(error: &HookError) -> RpcError {
    let message = error.to_string();
    match error {
        HookError::TooMany { .. } => {
            RpcError::new(ErrorKind::Limit, message).with_hint("remove one first; hook.list tells them")
        }
        HookError::Configured { .. } => RpcError::new(ErrorKind::Refused, message)
            .with_hint("change it in the configuration, then run keiko daemon reload"),
        HookError::NotFound { .. } => RpcError::new(ErrorKind::NotFound, message).with_hint("hook.list tells them"),
        HookError::NotKept { .. } => RpcError::new(ErrorKind::Storage, message),
    }
}

fn told(api: &Api, state: HookState) -> HookStatus {
    let HookState { hook, origin, counts } = state;
    let on: Vec<String> = hook.on.iter().map(ToString::to_string).collect();
    HookStatus {
        name: hook.name.clone(),
        origin: match origin {
            Origin::Configured => "configuration".to_owned(),
            Origin::Registered => "rpc".to_owned(),
        },
        on: if on.is_empty() { vec!["all".to_owned()] } else { on },
        tags: hook.tags.clone(),
        tasks: hook.tasks.iter().map(|number| number.0).collect(),
        priority: hook.priority.map(to_wire::priority),
        late: hook.is_late_only,
        program: hook.command.first().cloned().unwrap_or_default(),
        timeout_s: hook.timeout.to_duration().as_secs(),
        waiting: counts.waiting,
        running: counts.is_running,
        runs: counts.runs,
        failures: counts.failures,
        failures_in_a_row: counts.failures_in_a_row,
        dropped: counts.dropped,
        last_error: counts.last_error,
        last_run_at: counts.last_run_at.map(|at| api.told(at)),
    }
}
