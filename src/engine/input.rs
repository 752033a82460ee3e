//! Everything that can reach the loop, and what it answers.

use tokio::sync::oneshot;
use uuid::Uuid;

use crate::clock::Jump;
use crate::domain::breaker::TargetHealth;
use crate::domain::command::{Command, Edit, Expected};
use crate::domain::day::Daily;
use crate::domain::delivery::{ChannelKind, DeliveryId, Report, Target};
use crate::domain::event::{Actor, Snapshot};
use crate::domain::import::Imported;
use crate::domain::op::Op;
use crate::domain::pause::Scope;
use crate::domain::quiet::{Away, QuietHours};
use crate::domain::routing::Routing;
use crate::domain::run::RunId;
use crate::domain::schedule::Schedule;
use crate::domain::task::{Deadline, Details, Number, Policy, TaskId};
use crate::domain::time::{Span, Timestamp};
use crate::domain::waiting::SetWaits;
use crate::engine::archive::Import;
use crate::engine::request::RequestKey;
use crate::engine::waits::{Wait, Waited};
use crate::notify::responses::{Act, Ring};
use crate::runner::News;
use crate::store::Wake;

pub use crate::engine::call_error::{CallError, StoreFailure, store_failure};

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
