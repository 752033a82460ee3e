//! `task.wait`: answered once something has happened to a task, or at once where it has happened already.

use futures_util::future::BoxFuture;

use crate::api::dispatch::Answered;
use crate::api::handlers::runs;
use crate::api::{Api, refusal};
use crate::domain::awaiting::{Awaited, Ending, Verdict};
use crate::domain::task::TaskId;
use crate::domain::time::Span;
use crate::engine::input::CallError;
use crate::engine::waits::{Begun, WaitCall, Waited};
use crate::protocol::envelope::{RawJson, write_answer};
use crate::protocol::error_code::RpcError;
use crate::protocol::methods::{OutputGet, Wait, WaitFor, WaitOutcome, WaitResult};
use crate::protocol::to_wire::outcome_word;
use crate::protocol::{SCHEMA_VERSION, from_wire, objects};

/// What somebody waits for, for the words of the answer.
#[derive(Clone, Copy, Debug)]
pub(in crate::api) struct Wanted {
    id: TaskId,
    awaited: WaitFor,
}

/// A call that is answered when something has happened; it tells what.
pub(in crate::api) struct Awaiting(pub(in crate::api) BoxFuture<'static, Over>);

/// What was waited for, and what came of it.
pub(in crate::api) enum Over {
    /// `task.wait`.
    Task(Wanted, Result<Waited, CallError>),
    /// `task.output` behind what is known of it.
    Output(OutputGet, Result<(), CallError>),
}

/// Begins to wait.
pub(in crate::api) async fn wait(api: &Api, params: Wait) -> Result<Answered, RpcError> {
    let occurrence = params.occurrence.as_deref().map(from_wire::occurrence).transpose().map_err(refusal::unusable)?;
    let id = api.find_any(&params.task).await?;
    let awaited = match params.awaited {
        WaitFor::Fired => Awaited::Fired,
        WaitFor::Done => Awaited::Done,
    };
    let timeout = params.timeout_ms.map(|ms| Span::from_millis(i64::try_from(ms).unwrap_or(i64::MAX)));
    let wanted = Wanted { id, awaited: params.awaited };
    match api.handle.wait(WaitCall { id, awaited, occurrence, timeout }).await {
        Ok(Begun::Over(over)) => tell_wait(api, wanted, Ok(over)).await.map(Answered::Now),
        // Its end is told nowhere where the daemon stops first.
        Ok(Begun::Waiting(end)) => Ok(Answered::Later(Awaiting(Box::pin(async move {
            Over::Task(wanted, end.await.unwrap_or(Err(CallError::Stopping)))
        })))),
        Err(error) => Err(api.refusal_of(id, &error).await),
    }
}

/// Tells what came of what was waited for, as JSON text.
pub(in crate::api) async fn tell(api: &Api, over: Over) -> Result<RawJson, RpcError> {
    match over {
        Over::Task(wanted, waited) => tell_wait(api, wanted, waited).await,
        Over::Output(question, news) => {
            news.map_err(|error| api.refusal(&error))?;
            runs::said(api, question).await.map(write_answer)
        }
    }
}

async fn tell_wait(api: &Api, wanted: Wanted, end: Result<Waited, CallError>) -> Result<RawJson, RpcError> {
    let refusal = |error: CallError| api.refusal(&error);
    let Waited { occurrence, verdict, seq } = end.map_err(refusal)?;
    // Only now, so that a thousand waits that end at once hold one answer at a time.
    let snapshot = match seq {
        Some(seq) => api.handle.snapshot_at(wanted.id, seq).await.map_err(refusal)?,
        None => api.handle.snapshot(wanted.id).await.map_err(refusal)?,
    };
    let (result, how) = match verdict {
        Some(Verdict::Happened) => match wanted.awaited {
            WaitFor::Fired => (WaitOutcome::Fired, None),
            WaitFor::Done => (WaitOutcome::Done, None),
        },
        Some(Verdict::Ended(ending)) => (WaitOutcome::Ended, Some(ending_word(ending).to_owned())),
        None => (WaitOutcome::TimedOut, None),
    };
    Ok(write_answer(WaitResult {
        schema_version: SCHEMA_VERSION,
        now: api.told(api.handle.now()),
        result,
        how,
        occurrence: objects::OccurrenceName { key: occurrence.key.to_string(), generation: occurrence.generation },
        task: api.tell(&snapshot).await?,
        warnings: api.storage_warnings().await,
    }))
}

const fn ending_word(ending: Ending) -> &'static str {
    match ending {
        Ending::Outcome(outcome) => outcome_word(outcome),
        Ending::Missed => "missed",
        Ending::Withdrawn => "withdrawn",
        Ending::Deleted => "deleted",
    }
}
