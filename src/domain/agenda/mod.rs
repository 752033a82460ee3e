//! What will be said, and when, over days and months? Computed from the open tasks, as if nobody touched them meanwhile.
//!
//! The open occurrence is lived through by the rules themselves ([`present`]); what comes behind it follows from its
//! schedule ([`ahead`]). A property test holds both against the engine. Stores nothing, and is bounded: what would be many
//! lines is folded ([`fold`]), and of what is left over only the number is told.

use std::borrow::Cow;
use std::collections::{BTreeMap, BinaryHeap};

use chrono_tz::Tz;

use crate::domain::event::Snapshot;
use crate::domain::message::Reason;
use crate::domain::occurrence::{Instance, OccurrenceKey, Slot, Spent};
use crate::domain::pause::ManyPause;
use crate::domain::quiet::{Quiet, rings_at};
use crate::domain::schedule::Rule;
use crate::domain::state::State;
use crate::domain::task::{Number, TaskId};
use crate::domain::time::{Span, Timestamp};

mod ahead;
mod fold;
mod present;

#[cfg(test)]
mod tests;

/// How many firings of all tasks are looked at, so that one question costs seconds at most.
const STEPS_MAX: usize = 1_000_000;

/// How many firings of one task are looked at when there are few tasks: every minute for two months.
const STEPS_OF_ONE_MAX: usize = 100_000;

/// How many firings of one task are looked at however many tasks there are: a year of ten a day.
const STEPS_OF_ONE_MIN: usize = 4_000;

/// What is asked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stretch {
    /// The present instant: nothing before it is ahead.
    pub now: Timestamp,
    /// The device's zone, in which floating times are read.
    pub zone: Tz,
    /// The zone whose days are told: what is many on one of them is folded.
    pub days_of: Tz,
    /// The first instant that is asked about.
    pub from: Timestamp,
    /// The first instant that is not asked about any more.
    pub to: Timestamp,
}

/// Which of the entries are wanted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Part {
    /// Those at this instant or later.
    pub since: Timestamp,
    /// How many of those are left out: they stood in the part before.
    pub skip: usize,
    /// The most that are wanted.
    pub limit: usize,
}

/// What will be said.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Agenda {
    /// The earliest first; at one instant by the number of the task.
    pub entries: Vec<Entry>,
    /// How many entries come behind them within the stretch.
    pub left_out: usize,
    /// What is not among them, and why, by the number of the task.
    pub notes: Vec<Note>,
}

/// Something that will be said, once or, folded, several times.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Entry {
    /// The first time.
    pub at: Timestamp,
    /// The task, by its place in what was given.
    pub task: usize,
    /// Its number.
    pub number: Number,
    /// What is said.
    pub firing: Firing,
    /// Until when it is held, where it is quiet then; of several told as one, until when the first of them is.
    pub held_until: Option<Timestamp>,
    /// Whether a command runs then.
    pub runs: bool,
}

/// One alert of one occurrence, or several of them that are told as one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Firing {
    /// The first time.
    pub at: Timestamp,
    /// The last time, `at` where it is the only one.
    pub last_at: Timestamp,
    /// How many times, from 1.
    pub times: u64,
    /// How far apart those are, where that is the same for all.
    pub every: Option<Span>,
    /// Which alert, that of the first time.
    pub slot: Slot,
    /// The occurrence, that of the first time.
    pub key: OccurrenceKey,
    /// When that is due; `None` where it has only a deadline.
    pub due: Option<Timestamp>,
    /// What it depends on.
    pub only_if: Condition,
    /// Whether the occurrence is not there yet.
    pub is_predicted: bool,
}

/// What a firing depends on.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Condition {
    /// Nothing but that the task stays as it is.
    Nothing,
    /// That nobody has answered what rang before (nags, alerts after due).
    Unanswered,
    /// That the occurrence before was answered: one that has more to say keeps the early alerts of its successor silent.
    Answered,
}

/// Something that is not among the entries.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Note {
    /// The task, by its place in what was given.
    pub task: usize,
    /// Its number.
    pub number: Number,
    /// What.
    pub kind: NoteKind,
}

/// Why something is not among the entries.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NoteKind {
    /// It is paused, until then or until somebody resumes it.
    Paused {
        /// When the pause ends by itself.
        until: Option<Timestamp>,
    },
    /// It counts from completions: what comes behind the open occurrence is known once that is done.
    AfterDone,
    /// It comes up too often to be followed to the end: it is told up to here.
    CutAt {
        /// The last instant that was looked at.
        at: Timestamp,
    },
}

/// What the store knows besides the tasks.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Around {
    /// The pauses of many tasks that stand.
    pub pauses: Vec<ManyPause>,
    /// The instances that do not come up again although they lie ahead, since the clock was set back.
    pub spent: BTreeMap<TaskId, Vec<Spent>>,
    /// When the person is to be left alone.
    pub quiet: Quiet,
}

impl Around {
    fn spent_of(&self, task: TaskId) -> &[Spent] {
        self.spent.get(&task).map_or(&[], Vec::as_slice)
    }
}

/// Returns what will be said within a stretch. `tasks` are the open ones with their occurrences.
#[must_use]
pub fn agenda(tasks: &[Snapshot], around: &Around, stretch: &Stretch, part: Part) -> Agenda {
    let steps_max = (STEPS_MAX / tasks.len().max(1)).clamp(STEPS_OF_ONE_MIN, STEPS_OF_ONE_MAX);
    // What stood at an instant that has passed meanwhile is not there to be left out.
    let skip = if part.since < stretch.from { 0 } else { part.skip };
    let mut page = Page { first: BinaryHeap::new(), room: skip.saturating_add(part.limit), left_out: 0 };
    let mut notes = Vec::new();
    for (index, snapshot) in tasks.iter().enumerate() {
        let number = snapshot.task.number;
        let told = of_one(&as_told(snapshot), around, stretch, Bounds { steps_max, folds: true });
        for firing in told.firings {
            let mut entry = entry(index, number, firing);
            entry.runs = snapshot.task.details.command.is_some() && firing.slot == Slot::DUE;
            // A command waits for no end of what is quiet.
            if !entry.runs {
                entry.held_until = held_until(snapshot, &firing, around, stretch);
            }
            if (part.since.max(stretch.from)..stretch.to).contains(&entry.at) {
                page.take(entry);
            }
        }
        notes.extend(notes_of(snapshot, told.cut_at).map(|kind| Note { task: index, number, kind }));
    }
    notes.sort_by_key(|note| note.number);
    let mut entries: Vec<Entry> = page.first.into_sorted_vec().into_iter().map(|Ranked(entry)| entry).collect();
    entries.drain(..skip.min(entries.len()));
    Agenda { entries, left_out: page.left_out, notes }
}

/// Gives a firing its place in the agenda: the one door by which a time enters it, so that whatever holds a firing back
/// until later changes its time here and nowhere else.
const fn entry(task: usize, number: Number, firing: Firing) -> Entry {
    Entry { at: firing.at, task, number, firing, held_until: None, runs: false }
}

/// Returns the task as the agenda tells of it: what runs says nothing when it is due, and stands there all the same.
fn as_told(snapshot: &Snapshot) -> Cow<'_, Snapshot> {
    let is_silent = !snapshot.task.alerts.contains(&Span::ZERO);
    if snapshot.task.details.command.is_none() || !is_silent {
        return Cow::Borrowed(snapshot);
    }
    let mut told = snapshot.clone();
    told.task.alerts.push(Span::ZERO);
    told.task.alerts.sort_unstable();
    Cow::Owned(told)
}

/// Returns until when a firing is held; of several told as one, until when the first of them is.
fn held_until(snapshot: &Snapshot, firing: &Firing, around: &Around, stretch: &Stretch) -> Option<Timestamp> {
    let snooze = match &snapshot.occurrence.state {
        State::Pending(pending) => pending.snooze,
        State::Running(running) => running.snooze,
        State::Created | State::Suspended(_) | State::Failed(_) | State::Completed(_) | State::Cancelled(_) => None,
    };
    let is_chosen = snooze.is_some_and(|snooze| snooze.is_chosen && snooze.until == firing.at);
    let task = &snapshot.task;
    if is_chosen || task.is_program_only() || rings_at(task, Reason::Alert, firing.slot) {
        return None;
    }
    around.quiet.until(&task.details.tags, firing.at, stretch.zone)
}

/// The earliest entries so far, and how many are behind them.
struct Page {
    first: BinaryHeap<Ranked>,
    room: usize,
    left_out: usize,
}

/// Entries in the order in which they are told.
#[derive(PartialEq, Eq)]
struct Ranked(Entry);

impl Ord for Ranked {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        let rank = |entry: &Entry| (entry.at, entry.number, entry.firing.slot, entry.firing.key);
        rank(&self.0).cmp(&rank(&other.0))
    }
}

impl PartialOrd for Ranked {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Page {
    fn take(&mut self, entry: Entry) {
        self.first.push(Ranked(entry));
        if self.first.len() > self.room {
            self.first.pop();
            self.left_out += 1;
        }
    }
}

/// How far one task is followed.
#[derive(Clone, Copy)]
struct Bounds {
    steps_max: usize,
    /// Whether what is many a day becomes one.
    folds: bool,
}

/// The firings of one task.
struct Told {
    firings: Vec<Firing>,
    cut_at: Option<Timestamp>,
}

/// Returns the firings of one task within the stretch, in no order.
fn of_one(snapshot: &Snapshot, around: &Around, stretch: &Stretch, bounds: Bounds) -> Told {
    let mut lived = present::live(snapshot, around, stretch, bounds.steps_max);
    let mut firings = lived.firings;
    if let Some(start) = lived.start {
        let walked = ahead::walk(&lived.snapshot, &start, around.spent_of(snapshot.task.id), stretch, bounds);
        firings.extend(walked.firings);
        lived.cut_at = walked.cut_at;
    }
    // Several times in one, such as nags, may begin before the stretch.
    firings.retain_mut(|firing| fold::clip(firing, stretch));
    let firings = if bounds.folds { fold::by_day(firings, stretch.days_of) } else { firings };
    Told { firings, cut_at: lived.cut_at }
}

/// Where the open occurrence ends and what is ahead begins.
#[derive(Clone, Copy, Debug)]
struct Start {
    /// The first instance ahead lies behind this one, or is it.
    cursor: Instance,
    /// Whether it is this one.
    is_open: bool,
    /// When it opens: what it would have said until then is not said.
    opened: Timestamp,
    /// When it would open if the person answered at once.
    answered: Timestamp,
}

fn notes_of(snapshot: &Snapshot, cut_at: Option<Timestamp>) -> impl Iterator<Item = NoteKind> {
    let paused = match &snapshot.occurrence.state {
        State::Suspended(suspended) => Some(NoteKind::Paused { until: suspended.until }),
        State::Created
        | State::Pending(_)
        | State::Running(_)
        | State::Failed(_)
        | State::Completed(_)
        | State::Cancelled(_) => None,
    };
    let after_done = matches!(snapshot.task.schedule.rule, Rule::AfterDone(_)).then_some(NoteKind::AfterDone);
    paused.into_iter().chain(after_done).chain(cut_at.map(|at| NoteKind::CutAt { at }))
}

impl Firing {
    /// Returns a firing of an occurrence, which is said once.
    const fn once(at: Timestamp, slot: Slot, key: OccurrenceKey, due: Option<Timestamp>) -> Self {
        Self {
            at,
            last_at: at,
            times: 1,
            every: None,
            slot,
            key,
            due,
            only_if: Condition::Nothing,
            is_predicted: false,
        }
    }

    /// Returns the same said `times` times, `every` apart.
    fn repeated(self, times: u64, every: Span) -> Self {
        let behind = i64::try_from(times.saturating_sub(1)).unwrap_or(i64::MAX).saturating_mul(every.as_millis());
        let last_at = self.at.saturating_add(Span::from_millis(behind));
        Self { last_at, times, every: (times > 1).then_some(every), ..self }
    }
}

/// Returns how many times something can be said from `first` on, `every` apart, before `end`.
fn times_before(first: Timestamp, every: Span, end: Timestamp) -> u64 {
    let room = end.since(first).as_millis();
    if room <= 0 { 0 } else { u64::try_from((room - 1) / every.as_millis().max(1) + 1).unwrap_or(0) }
}
