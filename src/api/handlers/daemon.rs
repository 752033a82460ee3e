//! `daemon.hello`, `daemon.status`, `daemon.stop`, `daemon.reload`, `clock.advance`: what concerns the daemon itself.

use crate::api::handlers::{away, hooks, outgoing, storage};
use crate::api::refusal;
use crate::api::{Api, ReloadError};
use crate::clock::Jump;
use crate::protocol::error_code::{ErrorKind, RpcError};
use crate::protocol::methods::{
    Advance, AdvanceResult, Hello, HelloResult, Reload, ReloadResult, Status, StatusResult, Stop, StopResult,
};
use crate::protocol::objects::{ConfigStatus, Counts, Next};
use crate::protocol::{PROGRAM_VERSION, PROTOCOL_VERSION, SCHEMA_VERSION};
use crate::protocol::{from_wire, to_wire};

/// Says who is there, unless the caller speaks another protocol.
pub(in crate::api) fn hello(api: &Api, params: &Hello) -> Result<HelloResult, RpcError> {
    if let Some(protocol) = params.protocol.filter(|protocol| *protocol != PROTOCOL_VERSION) {
        let client = params.client_version.as_deref().unwrap_or("unknown");
        let message = format!(
            "cannot talk to a client of version {client} with protocol {protocol}: this daemon is version \
             {PROGRAM_VERSION} with protocol {PROTOCOL_VERSION}"
        );
        return Err(RpcError::new(ErrorKind::Version, message)
            .with_hint("run keiko daemon restart, with the keiko that is installed")
            .with(|data| {
                data.protocol = Some(PROTOCOL_VERSION);
                data.version = Some(PROGRAM_VERSION.to_owned());
            }));
    }
    Ok(HelloResult {
        schema_version: SCHEMA_VERSION,
        version: PROGRAM_VERSION.to_owned(),
        protocol: PROTOCOL_VERSION,
        schema: api.about.schema,
        pid: std::process::id(),
        now: api.told(api.handle.now()),
        zone: api.handle.zone().name().to_owned(),
        programmable_clock: api.about.has_programmable_clock,
    })
}

/// Says how the daemon is.
pub(in crate::api) async fn status(api: &Api, _params: Status) -> Result<StatusResult, RpcError> {
    let status = api.handle.status().await.map_err(|error| api.refusal(&error))?;
    let counts = status.counts;
    let next = status.next.map(|(at, snapshot)| Next {
        number: snapshot.task.number.0,
        title: snapshot.task.details.title,
        at: api.told(at),
    });
    let quiet = api.quiet().await?;
    let (now, zone) = (api.handle.now(), api.handle.zone());
    let skipped = status.skipped.iter().filter_map(|stored| to_wire::outgoing::skip(&stored.event, zone));
    let commands_failed = status.commands_failed.iter();
    let commands_failed = commands_failed.filter_map(|(failed, end)| to_wire::run::failed(failed, end.as_ref(), zone));
    Ok(StatusResult {
        schema_version: SCHEMA_VERSION,
        version: PROGRAM_VERSION.to_owned(),
        protocol: PROTOCOL_VERSION,
        schema: api.about.schema,
        pid: std::process::id(),
        uptime_s: api.clock.monotonic().since(api.started).as_secs(),
        now: api.told(api.handle.now()),
        zone: api.handle.zone().name().to_owned(),
        data_dir: api.about.data_dir.display().to_string(),
        socket: api.socket().display().to_string(),
        counts: Counts {
            created: counts.created,
            pending: counts.pending,
            running: counts.running,
            suspended: counts.suspended,
            failed: counts.failed,
            ended: counts.ended,
            outbox: counts.outbox,
            held: counts.held,
        },
        next,
        channels: outgoing::channels(&status.channels),
        failed_total: status.failed_total,
        failed: status.failed.iter().map(|delivery| to_wire::outgoing::delivery(delivery, api.handle.zone())).collect(),
        commands_failed_total: status.commands_failed_total,
        commands_failed: commands_failed.collect(),
        skipped_total: status.skipped_total,
        skipped: skipped.collect(),
        away: quiet.away_ahead(now).map(|away| away::object(api, away)),
        quiet_until: quiet.until(&[], now, zone).map(|end| api.told(end)),
        hooks: hooks::all(api),
        pings: hooks::pings(api),
        runs: to_wire::run::counts(&api.handle.open_runs().await.map_err(|error| api.refusal(&error))?),
        runner: api.handle.runner_trouble().await,
        storage: status.storage.map(|trouble| storage::trouble(api, &trouble)),
        config: config(api),
    })
}

/// Says that the daemon stops; it does once the answer is on its way.
pub(in crate::api) const fn stop(_params: Stop) -> StopResult {
    StopResult { schema_version: SCHEMA_VERSION, stopping: true }
}

/// Reads the configuration anew, or says of a text what would come of that.
pub(in crate::api) async fn reload(api: &Api, params: Reload) -> Result<ReloadResult, RpcError> {
    let reloaded = match &params.check {
        Some(text) => api.configuration.check(text).map_err(|reason| {
            let message = format!("cannot use the configuration: {reason}");
            RpcError::new(ErrorKind::Refused, message).with_hint("nothing was changed")
        })?,
        None => api.reload(None).await.map_err(|error| match error {
            ReloadError::Refused { reason } => {
                let message = format!("cannot reload the configuration, the former one holds: {reason}");
                RpcError::new(ErrorKind::Refused, message).with_hint("mend the file, then run keiko daemon reload")
            }
            ReloadError::Call { source } => api.refusal(&source),
        })?,
    };
    Ok(ReloadResult {
        schema_version: SCHEMA_VERSION,
        now: api.told(api.handle.now()),
        config: api.about.config_file.display().to_string(),
        targets: reloaded.options.targets.iter().map(ToString::to_string).collect(),
        at_next_start: reloaded.at_next_start.into_iter().map(str::to_owned).collect(),
        warnings: reloaded.warnings,
    })
}

/// Says how it stands with the configuration.
fn config(api: &Api) -> ConfigStatus {
    let state = api.configuration.state();
    ConfigStatus {
        file: api.about.config_file.display().to_string(),
        error: state.error,
        warnings: state.warnings,
        at_next_start: state.at_next_start,
    }
}

/// Moves the programmable clock, and answers when everything on the way is quiet.
pub(in crate::api) async fn advance(api: &Api, params: Advance) -> Result<AdvanceResult, RpcError> {
    let zone = params.zone.as_deref().map(from_wire::zone).transpose().map_err(refusal::unusable)?;
    let jump = match (params.how.as_deref(), zone) {
        (None | Some("pass"), None) => None,
        (Some("sleep"), None) => Some(Jump::Sleep),
        (Some("set"), zone) => Some(Jump::Set { zone }),
        (None | Some("pass" | "sleep"), Some(zone)) => {
            let message = format!("cannot move the device to {zone}: expected how \"set\" with it");
            return Err(RpcError::new(ErrorKind::Params, message));
        }
        (Some(how), _) => {
            let message = format!("cannot move the clock by {how:?}: expected \"pass\", \"sleep\" or \"set\"");
            return Err(RpcError::new(ErrorKind::Params, message));
        }
    };
    let to = params.to.instant();
    let moved = match jump {
        None => api.handle.advance(to).await,
        Some(jump) => api.handle.jump(to, jump).await,
    };
    let now = moved.map_err(|error| api.refusal(&error))?;
    Ok(AdvanceResult { schema_version: SCHEMA_VERSION, now: api.told(now) })
}
