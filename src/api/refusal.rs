//! In which words is a call refused? The engine's errors to the wire's, with a hint at what to do next.

use chrono_tz::Tz;

use crate::api::Api;
use crate::clock::AdvanceError;
use crate::domain::rejection::Rejection;
use crate::domain::schedule::ScheduleError;
use crate::domain::task::TaskId;
use crate::domain::time::Timestamp;
use crate::domain::transition::CreateError;
use crate::engine::input::{CallError, StoreFailure, store_failure};
use crate::protocol::error_code::{Candidate, ErrorKind, RpcError};
use crate::protocol::from_wire::Unusable;
use crate::protocol::to_wire::{self, Detail};

impl Api {
    /// Returns the refusal of a call that named no task.
    pub(super) fn refusal(&self, error: &CallError) -> RpcError {
        refusal(error, self.handle.zone())
    }

    /// Returns the refusal of a call on `task`, with the task as it is now where the caller's view of it was wrong.
    pub(super) async fn refusal_of(&self, task: TaskId, error: &CallError) -> RpcError {
        let refusal = self.refusal(error);
        let CallError::Rejected { rejection } = error else { return refusal };
        // The refusal stands whether or not the task can be read now.
        let Ok(snapshot) = self.handle.snapshot(task).await else { return refusal };
        let latest = to_wire::task(&snapshot, &[], Detail::Full, self.view());
        let state = snapshot.occurrence.state.name();
        let allowed = match rejection {
            Rejection::NotNow { allowed, .. } | Rejection::Waiting { allowed, .. } => {
                allowed.iter().map(|verb| (*verb).to_owned()).collect()
            }
            Rejection::Ended { .. }
            | Rejection::NoCommand { .. }
            | Rejection::StillRuns { .. }
            | Rejection::CommandChange { .. }
            | Rejection::Ahead { .. }
            | Rejection::NotSeries { .. }
            | Rejection::KindChange { .. }
            | Rejection::OneTime { .. }
            | Rejection::TimeOnly { .. }
            | Rejection::PastSuccessor { .. }
            | Rejection::FollowingOnce { .. }
            | Rejection::Past { .. }
            | Rejection::Schedule { .. }
            | Rejection::EmptyTitle { .. }
            | Rejection::TooLateToWait { .. }
            | Rejection::WaitsForNone { .. }
            | Rejection::Deleted { .. }
            | Rejection::CannotUndo { .. }
            | Rejection::ChangedSince { .. }
            | Rejection::Cycle { .. }
            | Rejection::TooDeep { .. }
            | Rejection::TooManyWait { .. }
            | Rejection::Stale { .. }
            | Rejection::OtherOccurrence { .. } => {
                state.successors().iter().map(|state| state.as_str().to_owned()).collect()
            }
        };
        match refusal.kind() {
            ErrorKind::Conflict => refusal.with(|data| data.latest = Some(Box::new(latest))),
            ErrorKind::Refused => refusal.with(|data| {
                data.state = Some(state.as_str().to_owned());
                data.allowed = Some(allowed);
                data.latest = Some(Box::new(latest));
            }),
            ErrorKind::Parse
            | ErrorKind::Request
            | ErrorKind::Method
            | ErrorKind::Params
            | ErrorKind::Internal
            | ErrorKind::Stopping
            | ErrorKind::Time
            | ErrorKind::NotFound
            | ErrorKind::Ambiguous
            | ErrorKind::Gone
            | ErrorKind::Version
            | ErrorKind::Limit
            | ErrorKind::Storage => refusal,
        }
    }
}

/// Returns the refusal of a value that means nothing.
#[expect(clippy::needless_pass_by_value, reason = "it is what map_err gives")]
pub(super) fn unusable(error: Unusable) -> RpcError {
    RpcError::new(ErrorKind::Params, error.to_string())
}

/// Returns how people read an instant in a message.
pub(super) fn read_aloud(at: Timestamp, zone: Tz) -> String {
    let local = at.in_zone(zone);
    let pattern = if at.as_millis() % 60_000 == 0 { "%a %-d %b %Y %H:%M" } else { "%a %-d %b %Y %H:%M:%S" };
    format!("{} ({})", local.format(pattern), zone.name())
}

/// Where to find what can be taken back.
const OPS_HINT: &str = "keiko op list shows what was done; keiko undo OP takes one of it back";

/// What to do about a task that is deleted.
pub(super) const DELETED_HINT: &str =
    "keiko undo brings it back for 30 days; keiko op list shows which change to take back";

/// What to do about a database that is damaged.
pub(super) const DAMAGED_HINT: &str = "keiko daemon stop, then keiko: a damaged database is set aside at the start, and the \
     newest backup is named";

fn refusal(error: &CallError, zone: Tz) -> RpcError {
    let refuse = |kind| RpcError::new(kind, error.to_string());
    match error {
        CallError::Rejected { rejection } => rejected(rejection, zone),
        CallError::NotAdded { source } => not_added(source, zone),
        CallError::NotFound { .. } | CallError::NoSuchName { .. } => refuse(ErrorKind::NotFound)
            .with_hint("keiko list shows the open tasks, keiko list --all those that have ended too"),
        CallError::HasEnded { ended, .. } => {
            let number = ended.first().map_or(0, |(number, _)| *number);
            let candidates = ended.iter().map(|(number, title)| Candidate { number: *number, title: title.clone() });
            let candidates = candidates.collect();
            refuse(ErrorKind::NotFound)
                .with_hint(format!("keiko why {number} tells how it ended; what has ended is named by its number"))
                .with(|data| data.candidates = Some(candidates))
        }
        CallError::Gone { is_for_ever: false, .. } => refuse(ErrorKind::Gone).with_hint(DELETED_HINT),
        CallError::Gone { is_for_ever: true, .. } => {
            refuse(ErrorKind::Gone).with_hint("nothing brings it back; keiko add makes a new one")
        }
        CallError::UndoRefused { refused, next: Some((id, words)) } => {
            let done = if let CallError::Restored { kept } = &**refused { brings_back(kept) } else { None };
            let done = done.unwrap_or_else(|| "nothing was taken back".to_owned());
            let hint = format!("{done}; keiko undo {id} takes back the one before it: {words}");
            refusal(refused, zone).with_hint(hint)
        }
        CallError::UndoRefused { refused, next: None } => refusal(refused, zone),
        CallError::Restored { kept } => {
            refuse(ErrorKind::Refused).with_hint(brings_back(kept).unwrap_or_else(|| OPS_HINT.to_owned()))
        }
        CallError::NothingToUndo => refuse(ErrorKind::Refused).with_hint(OPS_HINT),
        CallError::NoSuchOp { .. } | CallError::ManySuchOps { .. } => refuse(ErrorKind::NotFound).with_hint(OPS_HINT),
        CallError::UndoneBefore { .. } | CallError::CannotUndo { .. } => refuse(ErrorKind::Refused).with_hint(OPS_HINT),
        CallError::NoneDue => {
            refuse(ErrorKind::NotFound).with_hint("name one by its number: keiko list shows those that there are")
        }
        CallError::Ambiguous { candidates, .. } => {
            let candidates =
                candidates.iter().map(|(number, title)| Candidate { number: *number, title: title.clone() }).collect();
            refuse(ErrorKind::Ambiguous)
                .with_hint("name one by its number")
                .with(|data| data.candidates = Some(candidates))
        }
        CallError::Store { source } => of_store(error, store_failure(source)),
        CallError::TooManyPauses { .. } => {
            refuse(ErrorKind::Limit).with_hint("keiko resume --tag TAG ends one of them")
        }
        CallError::PauseInPast { scope, until } => {
            let message = format!("cannot pause {scope}: {} has passed", read_aloud(*until, zone));
            RpcError::new(ErrorKind::Time, message).with_hint("give a time that lies ahead")
        }
        CallError::AwayInPast { from, to } => {
            let (from, to) = (read_aloud(*from, zone), read_aloud(*to, zone));
            let message = format!("cannot be away from {from} to {to}: that is over before it begins");
            RpcError::new(ErrorKind::Time, message).with_hint("give a time that lies ahead")
        }
        CallError::KeyTaken { .. } => refuse(ErrorKind::Params).with_hint("give each request a key of its own"),
        CallError::Busy { .. } => refuse(ErrorKind::Limit).with_hint("try again in a moment"),
        CallError::Advance { source: AdvanceError::NotProgrammable } => {
            refuse(ErrorKind::Refused).with_hint("only a daemon that was started with --clock has a clock to advance")
        }
        CallError::Advance { source: AdvanceError::Backwards { .. } } => {
            refuse(ErrorKind::Refused).with_hint("time does not go back by itself: give a later one, or how \"set\"")
        }
        CallError::Stopping => refuse(ErrorKind::Stopping).with_hint("try again in a moment"),
    }
}

/// Returns the refusal where the store failed.
fn of_store(error: &CallError, failure: StoreFailure) -> RpcError {
    let refuse = |kind| RpcError::new(kind, error.to_string());
    match failure {
        StoreFailure::Full => {
            refuse(ErrorKind::Storage).with_hint("nothing was changed: free some space, then try again")
        }
        StoreFailure::Damaged => refuse(ErrorKind::Storage).with_hint(DAMAGED_HINT),
        StoreFailure::Refused => refuse(ErrorKind::Params).with_hint("give another name"),
        StoreFailure::Unusable => {
            refuse(ErrorKind::Params).with_hint("nothing was imported; keiko export writes such a file")
        }
        StoreFailure::Newer => refuse(ErrorKind::Version)
            .with_hint("nothing was changed: install the version of Keiko that wrote it, or a later one"),
        StoreFailure::Busy => refuse(ErrorKind::Limit).with_hint("try again once that is done"),
        StoreFailure::Broken => refuse(ErrorKind::Storage).with_hint("nothing was changed"),
        StoreFailure::OurFault => refuse(ErrorKind::Internal),
        StoreFailure::Closed => refuse(ErrorKind::Stopping).with_hint("try again in a moment"),
    }
}

/// Returns why a schedule cannot be used, its times as people read them.
fn schedule_aloud(error: &ScheduleError, zone: Tz) -> String {
    match error {
        ScheduleError::DeadlineBeforeDue { deadline, due } => {
            format!("the deadline {} lies before the due time {}", read_aloud(*deadline, zone), read_aloud(*due, zone))
        }
        ScheduleError::DeadlinePast { deadline } => {
            format!("the deadline {} has passed", read_aloud(*deadline, zone))
        }
        ScheduleError::Unreadable { .. }
        | ScheduleError::UnreadableCron { .. }
        | ScheduleError::TooFine { .. }
        | ScheduleError::TooOften { .. }
        | ScheduleError::TooMany { .. }
        | ScheduleError::NothingAhead
        | ScheduleError::NotADistance
        | ScheduleError::Nag { .. } => error.to_string(),
    }
}

/// Says what to do about a schedule that cannot be used, where what can be said about time is no help.
fn hinted(refusal: RpcError, error: &ScheduleError) -> RpcError {
    match error {
        ScheduleError::DeadlineBeforeDue { .. } => refusal.with_hint("set a later one with --deadline"),
        ScheduleError::DeadlinePast { .. } => refusal.with_hint("give a time that lies ahead"),
        ScheduleError::Unreadable { .. }
        | ScheduleError::UnreadableCron { .. }
        | ScheduleError::TooFine { .. }
        | ScheduleError::TooOften { .. }
        | ScheduleError::TooMany { .. }
        | ScheduleError::NothingAhead
        | ScheduleError::NotADistance
        | ScheduleError::Nag { .. } => refusal,
    }
}

fn not_added(error: &CreateError, zone: Tz) -> RpcError {
    match error {
        CreateError::Past { at } => {
            let message = format!("cannot add the task: {} has passed", read_aloud(*at, zone));
            RpcError::new(ErrorKind::Time, message).with_hint("give a time that lies ahead")
        }
        CreateError::Schedule { source } => {
            let message = format!("cannot add the task: {}", schedule_aloud(source, zone));
            hinted(RpcError::new(ErrorKind::Time, message), source)
        }
        CreateError::EmptyTitle => {
            RpcError::new(ErrorKind::Params, error.to_string()).with_hint("say what is to be remembered")
        }
    }
}

fn rejected(rejection: &Rejection, zone: Tz) -> RpcError {
    let refuse = |kind| RpcError::new(kind, rejection.to_string());
    match rejection {
        Rejection::Ended { .. } => {
            refuse(ErrorKind::Refused).with_hint("what has ended stays so: add it anew with keiko add")
        }
        Rejection::NotNow { allowed, .. } | Rejection::Waiting { allowed, .. } => {
            refuse(ErrorKind::Refused).with_hint(format!("possible now: {}", allowed.join(", ")))
        }
        Rejection::Ahead { verb, number, due } => {
            let message = format!("cannot {verb} task {number}: it is not due before {}", read_aloud(*due, zone));
            RpcError::new(ErrorKind::Refused, message).with_hint("--early means this one all the same")
        }
        Rejection::TooLateToWait { .. } => {
            refuse(ErrorKind::Refused).with_hint("only what has not rung yet can be told to wait")
        }
        Rejection::WaitsForNone { .. } => {
            refuse(ErrorKind::Refused).with_hint("--waits-for says which it is to wait for")
        }
        Rejection::Cycle { .. } => refuse(ErrorKind::Refused).with_hint("none of them would ever come up"),
        Rejection::TooDeep { .. } => refuse(ErrorKind::Refused).with_hint("let it wait for one that comes earlier"),
        Rejection::TooManyWait { .. } => {
            refuse(ErrorKind::Limit).with_hint("let it wait for one of those that wait, or for a task between")
        }
        Rejection::NoCommand { number, .. } => refuse(ErrorKind::Refused)
            .with_hint(format!("keiko edit {number} --run -- COMMAND gives it one, keiko done {number} says that it is done")),
        Rejection::StillRuns { number, .. } => refuse(ErrorKind::Refused)
            .with_hint(format!("keiko wait {number} --for done waits for its end, keiko cancel {number} ends it")),
        Rejection::CommandChange { number, .. } => refuse(ErrorKind::Refused)
            .with_hint(format!("keiko wait {number} --for done waits for its end, keiko cancel {number} ends it")),
        Rejection::NotSeries { .. } => refuse(ErrorKind::Refused).with_hint("cancel ends it, snooze puts it off"),
        Rejection::OneTime { number, .. } => refuse(ErrorKind::Refused).with_hint(format!(
            "`keiko edit {number} --this 11am` moves its open time only, `keiko edit {number} --every \"day at 11am\"` all of them"
        )),
        Rejection::KindChange { .. } => refuse(ErrorKind::Refused).with_hint("cancel it and add it anew"),
        Rejection::TimeOnly { .. } => refuse(ErrorKind::Refused)
            .with_hint("--following changes the rest from this time on, --all the whole series"),
        Rejection::PastSuccessor { number, at, successor, .. } => {
            let (at, next) = (read_aloud(*at, zone), read_aloud(*successor, zone));
            let message =
                format!("cannot edit this time only of task {number}: {at} is not before its next time, {next}");
            RpcError::new(ErrorKind::Refused, message)
                .with_hint("give an earlier time, or pass this one over with skip")
        }
        Rejection::FollowingOnce { .. } => {
            refuse(ErrorKind::Refused).with_hint("say how it repeats, such as: --every \"day at 4pm\" --following")
        }
        Rejection::Past { verb, number, at } => {
            let message = format!("cannot {verb} task {number}: {} has passed", read_aloud(*at, zone));
            RpcError::new(ErrorKind::Time, message).with_hint("give a time that lies ahead")
        }
        Rejection::Schedule { verb, number, source } => {
            let message = format!("cannot {verb} task {number}: {}", schedule_aloud(source, zone));
            hinted(RpcError::new(ErrorKind::Time, message), source)
        }
        Rejection::EmptyTitle { .. } => refuse(ErrorKind::Params),
        Rejection::Deleted { .. } => refuse(ErrorKind::Gone).with_hint(DELETED_HINT),
        Rejection::CannotUndo { .. } | Rejection::ChangedSince { .. } => {
            refuse(ErrorKind::Refused).with_hint("nothing was taken back; keiko op list shows the other changes, keiko undo OP takes back one of them")
        }
        Rejection::Stale { number, .. } | Rejection::OtherOccurrence { number, .. } => {
            refuse(ErrorKind::Conflict).with_hint(format!("look at it with keiko show {number}, then try again"))
        }
    }
}

/// Returns what brings back what was there before a restore, where that is kept.
fn brings_back(kept: &str) -> Option<String> {
    (!kept.is_empty()).then(|| format!("keiko restore {kept} brings it back"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(error: &CallError, code: i64, kind: &str) {
        let refusal = refusal(error, chrono_tz::UTC);
        assert_eq!((refusal.code, refusal.kind().as_str()), (code, kind));
        assert!(refusal.hint().is_some_and(|hint| !hint.is_empty()), "{refusal:?}");
    }

    #[test]
    fn what_the_engine_could_not_do_has_its_code() {
        check(&CallError::Busy { limit: 4096 }, 429, "limit");
        check(&CallError::Stopping, -32000, "stopping");
        check(&CallError::NoneDue, 404, "not_found");
        check(&CallError::Ambiguous { name: "pay".into(), candidates: vec![(1, "pay rent".into())] }, 404, "ambiguous");
    }
}
