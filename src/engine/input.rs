//! Everything that can reach the loop, and what it answers.

use std::sync::Arc;

use tokio::sync::oneshot;
use uuid::Uuid;

use crate::clock::{AdvanceError, Jump};
use crate::domain::breaker::TargetHealth;
use crate::domain::command::{Command, Edit, Expected};
use crate::domain::day::Daily;
use crate::domain::delivery::{ChannelKind, DeliveryId, Report, Target};
use crate::domain::event::{Actor, Snapshot};
use crate::domain::import::Imported;
use crate::domain::op::Op;
use crate::domain::pause::Scope;
use crate::domain::quiet::{Away, QuietHours};
use crate::domain::rejection::Rejection;
use crate::domain::routing::Routing;
use crate::domain::run::RunId;
use crate::domain::schedule::Schedule;
use crate::domain::task::{Deadline, Details, Number, Policy, TaskId};
use crate::domain::time::{Span, Timestamp};
use crate::domain::transition::CreateError;
use crate::domain::waiting::SetWaits;
use crate::engine::archive::Import;
use crate::engine::request::RequestKey;
use crate::engine::waits::{Wait, Waited};
use crate::notify::responses::{Act, Ring};
use crate::runner::News;
use crate::store::{StoreError, Wake};

/// What the loop goes by, and may be configured anew.
#[derive(Clone, Debug)]
pub struct EngineSettings {
    /// Within it a firing is on time.
    pub grace: Span,
    /// When the person is to be left alone each day.
    pub quiet_hours: QuietHours,
    /// When and where each day is told; `None`: not at all.
    pub daily: Option<Daily>,
    /// Who is told by what.
    pub routing: Routing,
    /// How many commands run at once.
    pub commands_at_once: usize,
}

/// An input of the loop. Closed: what is not here cannot change anything.
#[derive(Debug)]
pub enum Input {
    /// A task is to be added.
    Add {
        /// What.
        request: Box<AddRequest>,
        /// The operation that it belongs to, where that began before.
        op: Option<Uuid>,
        /// Where the answer goes, after the commit.
        reply: oneshot::Sender<Result<Applied, CallError>>,
    },
    /// A task is to be changed.
    Call {
        /// What.
        call: Call,
        /// As in [`Input::Add`].
        op: Option<Uuid>,
        /// Where the answer goes, after the commit.
        reply: oneshot::Sender<Result<Applied, CallError>>,
    },
    /// A series is to be changed from a time on.
    Follow {
        /// What.
        call: FollowCall,
        /// As in [`Input::Add`].
        op: Option<Uuid>,
        /// Where the answer goes, after the commit.
        reply: oneshot::Sender<Result<Applied, CallError>>,
    },
    /// What a person did is to be taken back.
    Undo {
        /// What.
        call: UndoCall,
        /// Where the answer goes, after the commit.
        reply: oneshot::Sender<Result<Undone, CallError>>,
    },
    /// Somebody wants to know what would follow from a change.
    Preview {
        /// Of what.
        call: PreviewCall,
        /// Where the answer goes; nothing of it is committed.
        reply: oneshot::Sender<Result<Applied, CallError>>,
    },
    /// The person is away, or not any more.
    SetAway {
        /// What.
        call: AwayCall,
        /// Where the answer goes.
        reply: oneshot::Sender<Result<AwayApplied, CallError>>,
    },
    /// Many tasks are to be paused, or to go on.
    CallMany {
        /// What.
        call: ManyCall,
        /// Where the answer goes, after the commit.
        reply: oneshot::Sender<Result<ManyApplied, CallError>>,
    },
    /// A target is to be left alone, or sent to again.
    CallTarget {
        /// What.
        call: TargetCall,
        /// Where the answer goes, after the commit: the target as it then is.
        reply: oneshot::Sender<Result<TargetHealth, CallError>>,
    },
    /// The runner tells what became of a run.
    Run {
        /// What.
        news: News,
    },
    /// A command has kept a programmable clock long enough.
    RunsLong {
        /// Which run.
        run: RunId,
    },
    /// A worker reports.
    Report {
        /// Of which delivery.
        delivery: DeliveryId,
        /// What.
        report: Report,
    },
    /// A channel's presence changed, or what waits for it is to be tried anew.
    Presence {
        /// Which channel.
        kind: ChannelKind,
    },
    /// The person did something with what a channel showed.
    Responded {
        /// What, and with what.
        response: ResponseCall,
        /// Answered once it is committed.
        reply: oneshot::Sender<Result<Applied, CallError>>,
    },
    /// What a channel showed of a task was taken back.
    Silenced {
        /// Which channel.
        kind: ChannelKind,
    },
    /// Other settings hold from now on.
    Configure {
        /// The settings.
        settings: EngineSettings,
        /// Where it is told that they hold.
        reply: oneshot::Sender<Result<(), CallError>>,
    },
    /// Somebody waits for something to happen.
    Wait {
        /// For what.
        wait: Wait,
        /// Answered once it has happened, or the wait is over otherwise.
        reply: oneshot::Sender<Result<Waited, CallError>>,
    },
    /// Somebody wants to know whether the loop goes round.
    Beat {
        /// Answered at the end of the turn.
        reply: oneshot::Sender<()>,
    },
    /// What is staged is to come in.
    Import {
        /// What.
        import: Import,
        /// Where it is told what came in.
        reply: oneshot::Sender<Result<Imported, CallError>>,
    },
    /// Somebody wants to compare the queue with the store.
    Audit {
        /// Where the live entries go.
        reply: oneshot::Sender<Vec<Wake>>,
    },
    /// The programmable clock is to go to a time.
    Advance {
        /// Where to.
        to: Timestamp,
        /// How it gets there at once; `None`: through every instant on the way.
        jump: Option<Jump>,
        /// Answered when everything on the way is quiet, with the time that the clock then shows.
        reply: oneshot::Sender<Result<Timestamp, CallError>>,
    },
}

/// A task to be added.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AddRequest {
    /// What it says.
    pub details: Details,
    /// When it comes up.
    pub schedule: Schedule,
    /// When it speaks, relative to due; `None`: at due.
    pub alerts: Option<Vec<Span>>,
    /// When it must be done at the latest.
    pub deadline: Option<Deadline>,
    /// How it behaves beyond its schedule.
    pub policy: Policy,
    /// What it waits for.
    pub waits: SetWaits,
    /// What makes it be done once.
    pub key: Option<RequestKey>,
}

/// A change of a task.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Call {
    /// The task.
    pub task: TaskId,
    /// What is asked.
    pub command: Command,
    /// What the caller saw.
    pub expected: Expected,
    /// Who asks.
    pub actor: Actor,
    /// What makes it be done once.
    pub key: Option<RequestKey>,
}

/// What a person did with what a channel showed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ResponseCall {
    /// What was shown: where another occurrence is open meanwhile, nothing is done.
    pub ring: Ring,
    /// What they did.
    pub act: Act,
    /// What makes it be done once, where its channel may tell of it twice.
    pub key: Option<RequestKey>,
}

/// A change of a series from its open occurrence on: another task goes on with it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FollowCall {
    /// The task whose series it is.
    pub task: TaskId,
    /// What the other task has that this one had not.
    pub edit: Box<Edit>,
    /// What the caller saw.
    pub expected: Expected,
    /// Who asks.
    pub actor: Actor,
    /// What makes it be done once.
    pub key: Option<RequestKey>,
}

/// An operation is to be taken back.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UndoCall {
    /// The beginning of its id, eight letters or more; absent: the latest that a person typed and that stands.
    pub op: Option<String>,
    /// What makes it be done once.
    pub key: Option<RequestKey>,
}

/// The answer to what was taken back.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Undone {
    /// The request, an operation itself.
    pub op_id: Uuid,
    /// When it was done.
    pub now: Timestamp,
    /// What was taken back.
    pub op: Op,
    /// Whether it was done now; not where the key was seen before.
    pub changed: bool,
    /// The first of the tasks that changed, as they are now.
    pub tasks: Vec<Snapshot>,
    /// What could not be taken back, for people.
    pub notes: Vec<String>,
}

/// A change that is only to be looked at.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PreviewCall {
    /// Of a task that is to be added.
    Add(Box<AddRequest>),
    /// Of a task.
    One(Call),
    /// Of a series from a time on.
    Follow(FollowCall),
}

/// Something asked of many tasks at once.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ManyCall {
    /// Their clocks stop, and those of tasks that are armed meanwhile.
    Pause {
        /// Which.
        scope: Scope,
        /// When they resume by themselves.
        until: Option<Timestamp>,
    },
    /// Those that such a pause put to sleep go on.
    Resume {
        /// Which pause.
        scope: Scope,
        /// As in [`Command::Resume`].
        shift: bool,
    },
}

/// The answer to what was done to many tasks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ManyApplied {
    /// The request.
    pub op_id: Uuid,
    /// When it was done.
    pub now: Timestamp,
    /// Whether such a pause began, or one stood that has ended.
    pub is_done: bool,
    /// The tasks that changed, in order.
    pub numbers: Vec<Number>,
    /// How many instances of series were passed over.
    pub passed_over: u64,
    /// The other pauses with which tasks that were meant sleep.
    pub held_by: Vec<Scope>,
}

/// Something said of the person being away.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum AwayCall {
    /// What rings by itself is held meanwhile; this takes the place of what was said before.
    Until {
        /// Since when.
        from: Timestamp,
        /// Until when.
        to: Timestamp,
        /// Tasks with one of these tags ring all the same.
        except: Vec<String>,
    },
    /// Not away any more, nor later.
    Off,
}

/// The answer to what was said of the person being away.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AwayApplied {
    /// The request.
    pub op_id: Uuid,
    /// When it was done.
    pub now: Timestamp,
    /// Whether anything changed.
    pub is_changed: bool,
    /// What holds now or is ahead.
    pub away: Option<Away>,
    /// What held or was ahead before.
    pub before: Option<Away>,
}

/// Something asked of a target.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TargetCall {
    /// Nothing is sent there; what is for it is held.
    Pause(Target),
    /// It is sent to again, and what was held goes out.
    Resume(Target),
}

impl TargetCall {
    /// Returns the target.
    #[must_use]
    pub const fn target(&self) -> &Target {
        match self {
            Self::Pause(target) | Self::Resume(target) => target,
        }
    }
}

/// The answer to what was done.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Applied {
    /// The task now.
    pub snapshot: Snapshot,
    /// The request.
    pub op_id: Uuid,
    /// When it was done.
    pub now: Timestamp,
    /// Whether anything changed; it did not where the thing was done already or the key was seen before.
    pub changed: bool,
    /// How many instances of a series were passed over.
    pub passed_over: u64,
    /// The task that goes on with its series, where this was asked for.
    pub follower: Option<Box<Snapshot>>,
    /// What became of those who waited for the task.
    pub dependents: Dependents,
}

/// What became of those who waited for a task.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Dependents {
    /// Those that were set free, are blocked now, or ended: the first few.
    pub told: Vec<Snapshot>,
    /// How many they are.
    pub total: u64,
}

/// Why a call was not done.
#[derive(Clone, Debug, thiserror::Error)]
pub enum CallError {
    /// The rules refuse it.
    #[error(transparent)]
    Rejected {
        /// Why.
        #[from]
        rejection: Rejection,
    },
    /// A pause of many tasks would end before it began.
    #[error("cannot pause {scope}: {until} has passed")]
    PauseInPast {
        /// Which tasks.
        scope: Scope,
        /// When it was to end.
        until: Timestamp,
    },
    /// The person would be away until before it began.
    #[error("cannot be away from {from} to {to}: that is over before it begins")]
    AwayInPast {
        /// Since when.
        from: Timestamp,
        /// Until when.
        to: Timestamp,
    },
    /// The rules refuse to add it.
    #[error(transparent)]
    NotAdded {
        /// Why.
        #[from]
        source: CreateError,
    },
    /// There is no such task.
    #[error("cannot find task {id}: it is not in this store")]
    NotFound {
        /// Its id.
        id: TaskId,
    },
    /// No task has the name.
    #[error("cannot find a task named {name:?}")]
    NoSuchName {
        /// What was typed.
        name: String,
    },
    /// Only tasks that have ended have the name.
    #[error("cannot find an open task named {name:?}: {} ended", has_or_have(ended))]
    HasEnded {
        /// What was typed.
        name: String,
        /// The latest of them first.
        ended: Vec<(u64, String)>,
    },
    /// Several tasks have the name.
    #[error("cannot tell which task {}: {}", meant_by(name), crate::engine::input::told(candidates))]
    Ambiguous {
        /// What was typed.
        name: String,
        /// Number and title of those that match, at most a few.
        candidates: Vec<(u64, String)>,
    },
    /// The task was deleted.
    #[error("cannot use task {name}: it was deleted{}", if *is_for_ever { " for good" } else { "" })]
    Gone {
        /// What it was called.
        name: String,
        /// Whether it cannot be brought back any more.
        is_for_ever: bool,
    },
    /// The latest that a person did cannot be taken back.
    #[error("{refused}")]
    UndoRefused {
        /// Why.
        refused: Box<CallError>,
        /// The one before it, by its name and in words.
        next: Option<(Uuid, String)>,
    },
    /// Nothing that a person did stands.
    #[error("cannot undo: there is nothing to take back")]
    NothingToUndo,
    /// No operation has the name.
    #[error("cannot undo {name:?}: there is no such operation")]
    NoSuchOp {
        /// What was typed.
        name: String,
    },
    /// Several operations have the name.
    #[error("cannot undo {name:?}: several operations begin so")]
    ManySuchOps {
        /// What was typed.
        name: String,
    },
    /// The operation was taken back before.
    #[error("cannot undo \"{op}\": it was taken back already")]
    UndoneBefore {
        /// What it did.
        op: String,
    },
    /// The operation cannot be taken back.
    #[error("cannot undo \"{op}\": {why}")]
    CannotUndo {
        /// What it did.
        op: String,
        /// Why, for people.
        why: &'static str,
    },
    /// No task is due, so a verb without a name means nothing.
    #[error("cannot tell which task is meant: none is due")]
    NoneDue,
    /// The store could not write or read; nothing was done.
    #[error(transparent)]
    Store {
        /// Why.
        source: Arc<StoreError>,
    },
    /// The idempotency key was used for something else.
    #[error("cannot use key {key:?} for {method}: it was used for {seen} before")]
    KeyTaken {
        /// The key.
        key: String,
        /// What it is to be used for.
        method: &'static str,
        /// What it was used for.
        seen: String,
    },
    /// Too many pauses of many tasks stand.
    #[error("cannot pause {scope}: {limit} pauses of many tasks stand already")]
    TooManyPauses {
        /// Which tasks.
        scope: Scope,
        /// How many may stand.
        limit: usize,
    },
    /// Too many inputs wait.
    #[error("cannot take the request: {limit} others wait already")]
    Busy {
        /// The limit.
        limit: usize,
    },
    /// The clock was not moved.
    #[error(transparent)]
    Advance {
        /// Why.
        #[from]
        source: AdvanceError,
    },
    /// The daemon is about to stop.
    #[error("cannot take the request: the daemon is stopping")]
    Stopping,
}

impl From<StoreError> for CallError {
    fn from(source: StoreError) -> Self {
        Self::Store { source: Arc::new(source) }
    }
}

fn meant_by(name: &str) -> String {
    // A verb without a name means the one that is due.
    if name.is_empty() { "is meant, since several are due".to_owned() } else { format!("{name:?} means") }
}

/// Lists candidates as `3 pay rent, 7 pay tax`.
fn has_or_have(ended: &[(u64, String)]) -> String {
    format!("{} {}", told(ended), if ended.len() == 1 { "has" } else { "have" })
}

pub(crate) fn told(candidates: &[(u64, String)]) -> String {
    let each: Vec<String> = candidates.iter().map(|(number, title)| format!("{number} {title}")).collect();
    each.join(", ")
}

/// What kind of failure of the store it was, for those above the engine, who do not know the store.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StoreFailure {
    /// The disk is full.
    Full,
    /// The database cannot be read or written.
    Broken,
    /// The database's file is damaged.
    Damaged,
    /// What was asked for would do harm.
    Refused,
    /// What is to be imported cannot be used.
    Unusable,
    /// The database, or what is to be imported, is of a newer program.
    Newer,
    /// The same is under way already.
    Busy,
    /// This program asked for what must not be.
    OurFault,
    /// The store was closed: the daemon stops.
    Closed,
}

/// Returns what kind of failure it was.
#[must_use]
pub const fn store_failure(error: &StoreError) -> StoreFailure {
    match error {
        StoreError::Full { .. } => StoreFailure::Full,
        StoreError::Broken { .. } => StoreFailure::Broken,
        StoreError::Newer { .. } => StoreFailure::Newer,
        StoreError::BadExport { .. } => StoreFailure::Unusable,
        StoreError::Importing => StoreFailure::Busy,
        StoreError::Damaged { .. } => StoreFailure::Damaged,
        StoreError::Taken { .. } => StoreFailure::Refused,
        StoreError::Conflict { .. } | StoreError::Dead { .. } | StoreError::FiredBefore { .. } => {
            StoreFailure::OurFault
        }
        StoreError::Closed => StoreFailure::Closed,
    }
}
