//! What does a task wait for? Other tasks that are to be done first, where each of them stands, and what becomes of the
//! task where one of them never will be. Never looks a task up: who knows them says how they ended.

use std::collections::{HashMap, VecDeque};

use crate::domain::event::{Operation, Snapshot};
use crate::domain::occurrence::{Occurrence, OccurrenceName, Outcome};
use crate::domain::state::State;
use crate::domain::task::{Number, TaskId};
use crate::domain::time::{Span, Timestamp};
use crate::domain::transition::Transition;

/// The most tasks that one task waits for: each event of it carries them all.
pub const PARENTS_MAX: usize = 100;

/// How many tasks may wait for one: all of them are set free in one commit, and nobody waits for that for long.
pub const CHILDREN_MAX: usize = 1000;

/// The most levels of tasks that wait for one another: what a cancelled one sets in motion is one transaction.
pub const LEVELS_MAX: usize = 100;

/// The most tasks that are looked at to find a cycle.
pub const LOOKED_AT_MAX: usize = 10_000;

/// How many numbers a stage tells.
const TOLD_MAX: usize = 5;

/// What a task waits for, before each of its times.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Waits {
    /// The tasks that are to be done first, by number, each once; empty where it waits for none.
    pub parents: Vec<Parent>,
    /// How long after the last of them was done it may come up.
    pub delay: Option<Span>,
    /// What becomes of it where one of them never will be done.
    pub on_fail: OnParentFail,
}

/// A task that is to be done first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Parent {
    /// The task.
    pub id: TaskId,
    /// Its number in this store, for people.
    pub number: Number,
    /// Where it stands for the open occurrence of the task that waits.
    pub wait: Wait,
    /// What it has come to since that occurrence was set free: it counts for the next one of a series.
    pub ahead: Option<Wait>,
}

/// Where a task that is to be done first stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Wait {
    /// It is not done yet.
    Awaited,
    /// It was done.
    Met(Met),
    /// It never will be.
    Failed(Failure),
}

/// One time that a task was done.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Met {
    /// Which occurrence was done.
    pub occurrence: OccurrenceName,
    /// When.
    pub at: Timestamp,
    /// Whether it was the last: the task is done for ever.
    pub is_last: bool,
}

/// Why a task never will be done.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Failure {
    /// How it ended.
    pub how: HowFailed,
    /// When.
    pub at: Timestamp,
}

/// How a task ended that was not done.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum HowFailed {
    /// It was cancelled.
    Cancelled,
    /// Its last occurrence was passed over.
    Skipped,
    /// Its last occurrence was not answered.
    Unanswered,
    /// Its last occurrence reached nobody.
    Undelivered,
    /// No attempt at it succeeded.
    RetriesExhausted,
    /// It was deleted.
    Deleted,
}

impl HowFailed {
    /// Every way.
    pub const ALL: [Self; 6] =
        [Self::Cancelled, Self::Skipped, Self::Unanswered, Self::Undelivered, Self::RetriesExhausted, Self::Deleted];

    /// Returns the word that SQL and the wire use.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Cancelled => "cancelled",
            Self::Skipped => "skipped",
            Self::Unanswered => "unanswered",
            Self::Undelivered => "undelivered",
            Self::RetriesExhausted => "retries_exhausted",
            Self::Deleted => "deleted",
        }
    }

    /// Returns the way of a word, `None` for a word of another version.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|how| how.as_str() == word)
    }

    /// Returns what people read: `7 cancelled`.
    #[must_use]
    pub const fn told(self) -> &'static str {
        match self {
            Self::Cancelled => "cancelled",
            Self::Skipped => "skipped",
            Self::Unanswered => "unanswered",
            Self::Undelivered | Self::RetriesExhausted => "failed",
            Self::Deleted => "deleted",
        }
    }

    const fn of(outcome: Outcome) -> Option<Self> {
        match outcome {
            Outcome::Done => None,
            Outcome::Unanswered => Some(Self::Unanswered),
            Outcome::Undelivered => Some(Self::Undelivered),
            Outcome::RetriesExhausted => Some(Self::RetriesExhausted),
            Outcome::Cancelled => Some(Self::Cancelled),
            Outcome::Skipped => Some(Self::Skipped),
        }
    }
}

/// What becomes of a task where one that it waits for never will be done.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum OnParentFail {
    /// It is blocked, and the person is told.
    #[default]
    Hold,
    /// That one counts as done; others are still awaited.
    Run,
    /// It is cancelled too.
    Cancel,
}

impl OnParentFail {
    /// Returns the word that people type and SQL and the wire use.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Hold => "hold",
            Self::Run => "run",
            Self::Cancel => "cancel",
        }
    }

    /// Returns the rule of a word, `None` for a word of another version.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        [Self::Hold, Self::Run, Self::Cancel].into_iter().find(|rule| rule.as_str() == word)
    }
}

/// New values for what a task waits for; `None` leaves a field as it is.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SetWaits {
    /// All tasks that are to be done first, anew; none: it waits for none any more. Where they stand is looked up when
    /// the command is done.
    pub parents: Option<Vec<Parent>>,
    /// See [`Waits::delay`]; the inner `None` removes it.
    pub delay: Option<Option<Span>>,
    /// See [`Waits::on_fail`].
    pub on_fail: Option<OnParentFail>,
}

/// That a task which others may wait for was done, or never will be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ParentEnd {
    /// The task.
    pub parent: TaskId,
    /// What it came to; never [`Wait::Awaited`].
    pub wait: Wait,
}

impl ParentEnd {
    /// Returns that a task was deleted.
    #[must_use]
    pub const fn deleted(parent: TaskId, at: Timestamp) -> Self {
        Self { parent, wait: Wait::Failed(Failure { how: HowFailed::Deleted, at }) }
    }

    /// Returns what those who wait for the task of a transition are to be told.
    ///
    /// One occurrence of a series that was skipped, unanswered or failed says nothing: the next may be done yet.
    #[must_use]
    pub fn all_of(transition: &Transition) -> Vec<Self> {
        let task = &transition.after.task;
        let last = Some(&transition.after.occurrence).filter(|last| last.has_ended()).map(Occurrence::name);
        let end_of = |operation: &Operation, occurrence: OccurrenceName, at: Timestamp| {
            let is_last = last == Some(occurrence);
            match operation.outcome().map(HowFailed::of)? {
                None => Some(Wait::Met(Met { occurrence, at, is_last })),
                Some(how) if is_last => Some(Wait::Failed(Failure { how, at })),
                Some(_) => None,
            }
        };
        let was_open = !transition.after.occurrence.has_ended();
        let is_deleted = transition.steps.iter().any(|step| step.operation == Operation::Deleted);
        let deleted = (was_open && is_deleted).then(|| Self::deleted(task.id, task.updated_at));
        let ends = transition.steps.iter().filter_map(|step| {
            let (occurrence, at) = (&step.snapshot.occurrence, step.snapshot.task.updated_at);
            end_of(&step.operation, occurrence.name(), at)
        });
        ends.map(|wait| Self { parent: task.id, wait }).chain(deleted).collect()
    }
}

impl Wait {
    /// Returns where a task stands for one that begins to wait for it: what ended is done for ever, or never will be.
    #[must_use]
    pub fn of(parent: &Snapshot) -> Self {
        if let (Some(at), false) = (parent.task.deleted_at, parent.occurrence.has_ended()) {
            return Self::Failed(Failure { how: HowFailed::Deleted, at });
        }
        match &parent.occurrence.state {
            State::Completed(ended) | State::Cancelled(ended) => match HowFailed::of(ended.outcome) {
                None => Self::Met(Met { occurrence: parent.occurrence.name(), at: ended.at, is_last: true }),
                Some(how) => Self::Failed(Failure { how, at: ended.at }),
            },
            State::Created | State::Pending(_) | State::Running(_) | State::Suspended(_) | State::Failed(_) => {
                Self::Awaited
            }
        }
    }

    /// Returns how it ended without being done, `None` where it may be or was.
    #[must_use]
    pub const fn how_failed(self) -> Option<HowFailed> {
        match self {
            Self::Awaited | Self::Met(_) => None,
            Self::Failed(Failure { how, .. }) => Some(how),
        }
    }

    /// Returns when it came to that.
    const fn at(self) -> Option<Timestamp> {
        match self {
            Self::Awaited => None,
            Self::Met(Met { at, .. }) | Self::Failed(Failure { at, .. }) => Some(at),
        }
    }
}

impl Parent {
    /// Returns one of which it is yet to be looked up where it stands.
    #[must_use]
    pub const fn new(id: TaskId, number: Number) -> Self {
        Self { id, number, wait: Wait::Awaited, ahead: None }
    }

    /// Returns it after it came to `end`, for a task whose open occurrence waits, or is free already.
    #[must_use]
    pub const fn ended(self, end: Wait, is_waiting: bool) -> Self {
        match (self.wait, end) {
            // What was done for this time stays done, whatever became of the task since.
            (Wait::Met(_), Wait::Failed(_)) => Self { ahead: Some(end), ..self },
            (Wait::Awaited | Wait::Met(_) | Wait::Failed(_), _) if is_waiting => {
                Self { wait: end, ahead: None, ..self }
            }
            (Wait::Awaited | Wait::Met(_) | Wait::Failed(_), _) => Self { ahead: Some(end), ..self },
        }
    }

    /// Returns it for the next occurrence of a series: what is done for ever stays so, else it is to be done anew.
    fn anew(self) -> Self {
        match self.wait {
            Wait::Met(Met { is_last: false, .. }) => Self { wait: Wait::Awaited, ..self },
            Wait::Awaited | Wait::Met(_) | Wait::Failed(_) => self,
        }
    }
}

impl Waits {
    /// Returns whether it waits for no task at all.
    #[must_use]
    pub fn is_none(&self) -> bool {
        self.parents.is_empty()
    }

    /// Returns whether nothing keeps it from coming up any more.
    #[must_use]
    pub fn is_met(&self) -> bool {
        self.parents.iter().all(|parent| match parent.wait {
            Wait::Awaited => false,
            Wait::Met(_) => true,
            Wait::Failed(_) => self.on_fail == OnParentFail::Run,
        })
    }

    /// Returns the tasks that are not done yet.
    pub fn awaited(&self) -> impl Iterator<Item = Number> {
        self.parents.iter().filter(|parent| parent.wait == Wait::Awaited).map(|parent| parent.number)
    }

    /// Returns the tasks that never will be done, where that keeps it from coming up.
    pub fn failed(&self) -> impl Iterator<Item = (Number, HowFailed)> {
        let counts = self.on_fail != OnParentFail::Run;
        self.parents.iter().filter(move |_| counts).filter_map(|parent| match parent.wait {
            Wait::Failed(failure) => Some((parent.number, failure.how)),
            Wait::Awaited | Wait::Met(_) => None,
        })
    }

    /// Returns whether one of the tasks never will be done, and that keeps it from coming up.
    #[must_use]
    pub fn is_blocked(&self) -> bool {
        self.failed().next().is_some()
    }

    /// Returns from when on it may come up, once all are done.
    #[must_use]
    pub fn free_from(&self) -> Option<Timestamp> {
        let last = self.parents.iter().filter_map(|parent| parent.wait.at()).max()?;
        Some(self.delay.map_or(last, |delay| last.saturating_add(delay)))
    }

    /// Returns it for the next occurrence of a series. What was done while the one before still waited is not used up.
    #[must_use]
    pub fn anew(&self) -> Self {
        let is_used_up = self.is_met();
        let anew = |parent: &Parent| match parent.ahead {
            Some(wait) => Parent { wait, ahead: None, ..*parent },
            None if is_used_up => parent.anew(),
            None => *parent,
        };
        Self { parents: self.parents.iter().map(anew).collect(), ..self.clone() }
    }

    /// Returns it for an occurrence that was free and waits now: what the tasks that it was not done by have come to since
    /// counts at once, and nobody tells of it again.
    #[must_use]
    pub fn caught_up(&self) -> Self {
        let caught_up = |parent: &Parent| match (parent.wait, parent.ahead) {
            (Wait::Awaited | Wait::Failed(_), Some(wait)) => Parent { wait, ahead: None, ..*parent },
            (Wait::Met(_), _) | (Wait::Awaited | Wait::Failed(_), None) => *parent,
        };
        Self { parents: self.parents.iter().map(caught_up).collect(), ..self.clone() }
    }

    /// Returns it with new values. Where a task that stays had been done already, it stays done.
    #[must_use]
    pub fn set(&self, set: &SetWaits) -> Self {
        let known = |id| self.parents.iter().find(|known| known.id == id && matches!(known.wait, Wait::Met(_)));
        let anew = |parents: &Vec<Parent>| -> Vec<Parent> {
            let mut parents: Vec<Parent> = parents.iter().map(|new| *known(new.id).unwrap_or(new)).collect();
            parents.sort_unstable_by_key(|parent| (parent.number, parent.id));
            parents.dedup_by_key(|parent| parent.id);
            parents
        };
        let parents = set.parents.as_ref().map_or_else(|| self.parents.clone(), anew);
        if parents.is_empty() {
            return Self::default();
        }
        Self { parents, delay: set.delay.unwrap_or(self.delay), on_fail: set.on_fail.unwrap_or(self.on_fail) }
    }

    /// Returns why it does not come up, for people: `waiting for 7, 8`, or `blocked: 7 cancelled`.
    #[must_use]
    pub fn told(&self) -> String {
        let failed: Vec<String> = self.failed().map(|(number, how)| format!("{number} {}", how.told())).collect();
        if failed.is_empty() {
            format!("waiting for {}", listed(self.awaited().map(|number| number.to_string()).collect()))
        } else {
            format!("blocked: {}", listed(failed))
        }
    }
}

fn listed(mut each: Vec<String>) -> String {
    let more = each.len().saturating_sub(TOLD_MAX);
    each.truncate(TOLD_MAX);
    let told = each.join(", ");
    if more == 0 { told } else { format!("{told} and {more} more") }
}

impl Snapshot {
    /// Returns whether its open occurrence waits for another task.
    #[must_use]
    pub fn is_waiting(&self) -> bool {
        matches!(self.occurrence.state, State::Created) && !self.task.waits.is_none()
    }

    /// Returns the tasks that it may have to wait for yet: an occurrence that is free waits for none any more, but the
    /// next one of a series will.
    pub fn waits_yet_for(&self) -> impl Iterator<Item = TaskId> {
        let waits = !self.occurrence.has_ended() && (self.is_waiting() || self.task.is_series());
        self.task.waits.parents.iter().filter(move |_| waits).map(|parent| parent.id)
    }
}

/// What was found among the tasks that wait for one another.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Search {
    /// Nothing is wrong.
    Sound,
    /// The task would wait for itself: by these, from one that it is to wait for to one that waits for it.
    Cycle(Vec<Number>),
    /// There are too many levels, or too many tasks to look at.
    TooDeep,
}

/// Looks for a way from `parents` back to `child`, breadth first, so that the shortest is told.
///
/// # Errors
/// `look_up` fails; it returns `None` for a task that is not there.
pub fn find_cycle<E>(
    child: TaskId,
    parents: &[TaskId],
    mut look_up: impl FnMut(TaskId) -> Result<Option<Snapshot>, E>,
) -> Result<Search, E> {
    let mut came_from: HashMap<TaskId, (Number, Option<TaskId>)> = HashMap::new();
    let mut queue: VecDeque<(TaskId, Option<TaskId>, usize)> =
        parents.iter().map(|parent| (*parent, None, 1)).collect();
    while let Some((id, from, level)) = queue.pop_front() {
        if id == child {
            return Ok(Search::Cycle(path(&came_from, from)));
        }
        if came_from.contains_key(&id) {
            continue;
        }
        let Some(snapshot) = look_up(id)? else { continue };
        came_from.insert(id, (snapshot.task.number, from));
        queue.extend(snapshot.waits_yet_for().map(|parent| (parent, Some(id), level + 1)));
        if level > LEVELS_MAX || came_from.len() > LOOKED_AT_MAX {
            return Ok(Search::TooDeep);
        }
    }
    Ok(Search::Sound)
}

fn path(came_from: &HashMap<TaskId, (Number, Option<TaskId>)>, mut last: Option<TaskId>) -> Vec<Number> {
    let mut path = Vec::new();
    while let Some((number, before)) = last.and_then(|id| came_from.get(&id)) {
        path.push(*number);
        last = *before;
    }
    path.reverse();
    path
}
