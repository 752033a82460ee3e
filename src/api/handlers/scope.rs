//! Which times of a series are meant, and whether a change is only looked at: what `task.update`, `task.pause` and
//! `task.cancel` have in common.

use crate::api::Api;
use crate::domain::command::{Command, Edit, Expected};
use crate::domain::event::Actor;
use crate::domain::rejection::Rejection;
use crate::domain::task::TaskId;
use crate::engine::input::{Applied, Call, CallError, FollowCall, PreviewCall};
use crate::engine::request::RequestKey;
use crate::protocol::error_code::{ErrorKind, RpcError};
use crate::protocol::methods::{SeriesScope, WriteResult};

/// How a change is asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Mode {
    /// It is to be done.
    Do,
    /// It is only asked what would be.
    Preview,
}

impl Mode {
    pub(super) const fn of(preview: bool) -> Self {
        if preview { Self::Preview } else { Self::Do }
    }
}

impl Api {
    /// Does what is asked of a task, or says what it would be.
    pub(super) async fn change_or_preview(&self, call: Call, mode: Mode) -> Result<Applied, RpcError> {
        let task = call.task;
        let answer = match mode {
            Mode::Do => self.handle.call(call).await,
            Mode::Preview => self.handle.preview(PreviewCall::One(call)).await,
        };
        self.or_refusal(task, answer).await
    }

    /// Changes a series from a time on, or says what that would be.
    pub(super) async fn follow_or_preview(
        &self,
        task: TaskId,
        key: Option<RequestKey>,
        edit: Edit,
        expected: Expected,
        mode: Mode,
    ) -> Result<Applied, RpcError> {
        let call = FollowCall { task, edit: Box::new(edit), expected, actor: Actor::Person, key };
        let answer = match mode {
            Mode::Do => self.handle.follow(call).await,
            Mode::Preview => self.handle.preview(PreviewCall::Follow(call)).await,
        };
        self.or_refusal(task, answer).await
    }

    async fn or_refusal(&self, task: TaskId, answer: Result<Applied, CallError>) -> Result<Applied, RpcError> {
        match answer {
            Ok(applied) => Ok(applied),
            Err(error) => Err(self.refusal_of(task, &error).await),
        }
    }

    /// Tells what was done, or what would be.
    pub(super) async fn written_or_previewed(
        &self,
        applied: Applied,
        warnings: Vec<String>,
        mode: Mode,
    ) -> Result<WriteResult, RpcError> {
        let written = self.written(applied, warnings).await?;
        Ok(WriteResult { preview: mode == Mode::Preview, ..written })
    }

    /// Returns the answer to a request that was done before, with the task that goes on with the series where that was
    /// asked for.
    pub(super) async fn repeated_with_follower(
        &self,
        key: Option<&RequestKey>,
        scope: Option<SeriesScope>,
    ) -> Result<Option<WriteResult>, RpcError> {
        let Some(mut answer) = self.repeated(key).await? else { return Ok(None) };
        if let (Some(SeriesScope::Following), Some(number)) = (scope, answer.task.followed_by) {
            let id = self.find(&number.into()).await?;
            let follower = self.handle.snapshot(id).await.map_err(|error| self.refusal(&error))?;
            answer.follower = Some(Box::new(self.tell(&follower).await?));
        }
        Ok(Some(answer))
    }

    /// Refuses to speak of the following times of what comes up once.
    pub(super) async fn check_scope(
        &self,
        id: TaskId,
        scope: Option<SeriesScope>,
        verb: &'static str,
    ) -> Result<(), RpcError> {
        match scope {
            Some(SeriesScope::Following) => {}
            Some(SeriesScope::This | SeriesScope::All) | None => return Ok(()),
        }
        let seen = self.handle.snapshot(id).await.map_err(|error| self.refusal(&error))?;
        if seen.task.is_series() {
            return Ok(());
        }
        let (number, state) = (seen.task.number, seen.occurrence.state.name());
        let rejection = Rejection::NotSeries { verb, number, state };
        Err(self.refusal_of(id, &CallError::Rejected { rejection }).await)
    }
}

/// Returns the command for the open occurrence where that alone is meant, else the one for the task.
pub(super) fn command(scope: Option<SeriesScope>, this: Command, all: Command) -> Command {
    match scope {
        Some(SeriesScope::This) => this,
        // What ends or sleeps from now on does so from the open occurrence on.
        Some(SeriesScope::Following | SeriesScope::All) | None => all,
    }
}

/// Refuses parameters that speak of one task where many are meant.
pub(super) fn of_one_only(parameter: &str) -> RpcError {
    let message =
        format!("cannot use parameter {parameter:?} with parameters \"all\" or \"tag\": expected it for one task");
    RpcError::new(ErrorKind::Params, message)
}

/// Refuses to say whom the following times wait for: that is said of the task that goes on with them.
pub(super) fn waits_of_following() -> RpcError {
    let message = "cannot use scope \"following\" with what a task waits for: expected them one after the other";
    RpcError::new(ErrorKind::Params, message)
        .with_hint("change the following times first, then say of the new task whom it waits for")
}
