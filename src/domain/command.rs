//! Everything that can be asked of a task, by a person, by the clock or by a worker that reports back.

use std::collections::BTreeMap;

use chrono_tz::Tz;
use uuid::Uuid;

use crate::domain::delivery::{DeliveryId, Report, Target};
use crate::domain::occurrence::OccurrenceName;
use crate::domain::op::Taken;
use crate::domain::retry::Jitter;
use crate::domain::routing::Routing;
use crate::domain::run::{Program, RunId, RunReport};
use crate::domain::schedule::Schedule;
use crate::domain::task::{Deadline, Details, Missed, Nag, Number, Policy, Priority, TaskId};
use crate::domain::time::{Span, Timestamp};
use crate::domain::waiting::{ParentEnd, SetWaits};

/// Past this a firing is marked late (SPEC 4), unless configured otherwise.
pub const GRACE_DEFAULT: Span = Span::from_secs(30);

/// The longest that a request may have waited between being read and being done: as long as its client waits for the
/// answer. A time that was ahead, or "now", when it was read may lie so far behind.
pub const WAITED_MAX: Span = Span::from_secs(30);

/// The circumstances of a command: all that a rule may know besides its task.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Moment<'a> {
    /// Now.
    pub now: Timestamp,
    /// The zone of this device, where floating schedules live.
    pub zone: Tz,
    /// This device.
    pub device: Uuid,
    /// Names the request or cause; a snooze or pause gives it to the firings that it moves.
    pub op_id: Uuid,
    /// Within it a firing is on time.
    pub grace: Span,
    /// Whether popups cannot be shown at the moment, so that the default is the terminal as well.
    pub is_desktop_away: bool,
    /// The pause of many tasks that holds for this one: what is armed meanwhile goes to sleep too.
    pub standing: Option<StandingPause>,
    /// Until when what this task says is held, where it is quiet or the person is away.
    pub quiet_until: Option<Timestamp>,
    /// Who is told by what.
    pub routing: &'a Routing,
    /// Whether that is since the person is away, rather than for the hours of each night.
    pub is_away: bool,
}

/// A pause of all tasks, or of all with a tag, as it holds for one of them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct StandingPause {
    /// The request that began it.
    pub id: Uuid,
    /// When it ends by itself.
    pub until: Option<Timestamp>,
}

impl Moment<'_> {
    /// Returns whether `at` had passed already when the request was read; what passed since is at once.
    #[must_use]
    pub fn has_passed(&self, at: Timestamp) -> bool {
        at.saturating_add(WAITED_MAX) < self.now
    }
}

/// A task to be added.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NewTask {
    /// Made by the caller (`UUIDv7`).
    pub id: TaskId,
    /// The next of the store's counter.
    pub number: Number,
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
}

/// Something asked of a task.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Command {
    /// The clock may have reached something: whatever is due by now happens.
    Wake,
    /// The zone of this device changed: floating times follow it.
    Rezone,
    /// The clock of this device was set, forward or (negative) back; a sleep is none.
    ClockSet {
        /// By how much.
        by: Span,
    },
    /// Changes what it says or when it comes up.
    Edit(Box<Edit>),
    /// Gives the open occurrence of a series another time; of a task that comes up once, as [`Command::Edit`].
    EditThis(Box<Edit>),
    /// The person did it.
    Done {
        /// Whether an occurrence of a series that has not spoken yet is meant.
        early: bool,
    },
    /// The person saw it.
    Ack {
        /// As in [`Command::Done`].
        early: bool,
        /// Whether the person only closed what was shown.
        is_dismissal: bool,
    },
    /// It is to speak again later.
    Snooze {
        /// When.
        until: Timestamp,
        /// Whether that was asked for as so long from now.
        is_duration: bool,
        /// As in [`Command::Done`].
        early: bool,
    },
    /// Its clock stops.
    Pause {
        /// When it resumes by itself.
        until: Option<Timestamp>,
    },
    /// The open occurrence of a series does not ring, and the series goes on with the next; where there is none, as
    /// [`Command::Pause`].
    PauseThis {
        /// When it resumes by itself, if that comes before the next.
        until: Option<Timestamp>,
    },
    /// Its clock goes on.
    Resume {
        /// Whether what remained at the pause is added to now for wall-clock times too.
        shift: bool,
    },
    /// The pause that it slept with has ended, and another one holds for it: it sleeps on with that.
    SleepOn {
        /// The other one.
        pause: StandingPause,
    },
    /// Passes over the open occurrence of a series.
    Skip,
    /// Ends the task.
    Cancel,
    /// As [`Command::Skip`]; of a task that comes up once, as [`Command::Cancel`].
    CancelThis,
    /// It waits for no other task any more.
    Unblock,
    /// A task that it may wait for was done, or never will be.
    ParentEnded(ParentEnd),
    /// Removes the task from sight.
    Delete,
    /// Takes back what an earlier command did.
    Undo(Box<Taken>),
    /// Sends at once, under the same ids, what failed of the open occurrence.
    Retry,
    /// Starts its command now, besides its times.
    Run,
    /// The runner reports on an attempt at its command.
    RunReport {
        /// Which.
        run: RunId,
        /// What became of it.
        report: RunReport,
        /// Deviation of the back-off.
        jitter: Jitter,
    },
    /// A worker reports on an attempt.
    Report {
        /// Which delivery.
        delivery: DeliveryId,
        /// What came of it.
        report: Report,
        /// Deviation of the back-off.
        jitter: Jitter,
        /// Whether the target is left alone since it fails: the attempt only looked whether it answers again.
        is_probe: bool,
    },
    /// A target of the task failed so often that nothing is sent there any more: the person is to be told.
    TellTargetFails {
        /// Which.
        target: Target,
        /// How many attempts in a row failed.
        failures: u32,
        /// Why the latest one did, for people.
        error: String,
    },
    /// A delivery is held since its target is not sent to: it may have to be said elsewhere.
    FallBack {
        /// Which delivery.
        delivery: DeliveryId,
    },
    /// The daemon starts and finds a delivery that an earlier run may have made without learning so.
    Resend {
        /// Which delivery.
        delivery: DeliveryId,
    },
    /// What it said is held until then, or let go.
    Hold {
        /// Until when.
        until: Option<Timestamp>,
    },
    /// A delivery was about to be sent, and its time is over.
    Expire {
        /// Which delivery.
        delivery: DeliveryId,
    },
}

impl Command {
    /// Returns whether a person answers with it what was said, or wants to hear no more of it.
    #[must_use]
    pub const fn is_answer(&self) -> bool {
        match self {
            Self::Done { .. }
            | Self::Ack { .. }
            | Self::Snooze { .. }
            | Self::Pause { .. }
            | Self::PauseThis { .. }
            | Self::Skip
            | Self::Cancel
            | Self::CancelThis
            | Self::Delete => true,
            Self::Wake
            | Self::Rezone
            | Self::ClockSet { .. }
            | Self::Edit(_)
            | Self::EditThis(_)
            | Self::Resume { .. }
            | Self::SleepOn { .. }
            | Self::Unblock
            | Self::ParentEnded(_)
            | Self::Retry
            | Self::Run
            | Self::RunReport { .. }
            | Self::Report { .. }
            | Self::TellTargetFails { .. }
            | Self::FallBack { .. }
            | Self::Resend { .. }
            | Self::Hold { .. }
            | Self::Undo(_)
            | Self::Expire { .. } => false,
        }
    }

    /// Returns the verb, as errors say it.
    #[must_use]
    pub const fn verb(&self) -> &'static str {
        match self {
            Self::Wake => "wake",
            Self::Rezone => "rezone",
            Self::ClockSet { .. } => "follow the clock of",
            Self::Edit(_) | Self::EditThis(_) => "edit",
            Self::Done { .. } => "complete",
            Self::Ack { .. } => "ack",
            Self::Snooze { .. } => "snooze",
            Self::Pause { .. } | Self::PauseThis { .. } => "pause",
            Self::Resume { .. } => "resume",
            Self::SleepOn { .. } => "pause",
            Self::Skip => "skip",
            Self::Cancel | Self::CancelThis => "cancel",
            Self::Unblock => "unblock",
            Self::Delete => "delete",
            Self::Undo(_) => "undo",
            Self::ParentEnded(_) => "follow",
            Self::Retry => "retry",
            Self::Run => "run",
            Self::RunReport { .. } | Self::Report { .. } => "report",
            Self::TellTargetFails { .. } => "tell of",
            Self::FallBack { .. } => "fall back for",
            Self::Resend { .. } => "resend",
            Self::Hold { .. } => "hold",
            Self::Expire { .. } => "expire",
        }
    }
}

/// New values; `None` leaves a field as it is.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Edit {
    /// See [`Details::title`].
    pub title: Option<String>,
    /// See [`Details::notes`].
    pub notes: Option<String>,
    /// See [`Details::link`]; the inner `None` removes it.
    pub link: Option<Option<String>>,
    /// See [`Details::priority`].
    pub priority: Option<Priority>,
    /// See [`Details::tags`].
    pub tags: Option<Vec<String>>,
    /// See [`Details::metadata`].
    pub metadata: Option<BTreeMap<String, String>>,
    /// See [`Details::targets`].
    pub targets: Option<Vec<Target>>,
    /// See [`Details::command`]; the inner `None` removes it.
    pub command: Option<Option<Box<Program>>>,
    /// See [`Details::max_retries`]; the inner `None` goes back to the default.
    pub max_retries: Option<Option<u32>>,
    /// See [`Details::max_late`]; the inner `None` removes it.
    pub max_late: Option<Option<Span>>,
    /// See [`crate::domain::task::Task::schedule`].
    pub schedule: Option<Schedule>,
    /// See [`crate::domain::task::Task::alerts`].
    pub alerts: Option<Vec<Span>>,
    /// See [`crate::domain::task::Task::deadline`]; the inner `None` removes it.
    pub deadline: Option<Option<Deadline>>,
    /// See [`Policy::missed`].
    pub missed: Option<Missed>,
    /// See [`Policy::nag`]; the inner `None` removes it.
    pub nag: Option<Option<Nag>>,
    /// See [`Policy::auto_done`].
    pub auto_done: Option<bool>,
    /// See [`crate::domain::task::Task::waits`]; an event has them in an operation of their own.
    pub waits: SetWaits,
}

/// What the caller saw when it asked; a command that saw something else is refused.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Expected {
    /// The version of the task.
    pub version: Option<u64>,
    /// The open occurrence. Naming it counts as `early`.
    pub occurrence: Option<OccurrenceName>,
}
