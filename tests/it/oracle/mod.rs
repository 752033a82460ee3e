//! A simple, slow answer to "what should have rung by now?", written from SPEC 4 and 5 and not from the core.
//!
//! It hears what happened to a device and what a person asked of it, and says of each task every ring so far and where it
//! stands. Of the core it knows plain data only: texts and figures of rules, slots, keys, instants. Restricted to
//! reminders on a desktop that takes what it is given, and to clocks that never go back.

use chrono::NaiveDateTime;
use chrono_tz::Tz;
use keiko::domain::command::Command;
use keiko::domain::occurrence::{OccurrenceKey, Slot};
use keiko::domain::pause::Scope;
use keiko::domain::time::Timestamp;
use keiko::engine::input::{AddRequest, ManyCall};
use uuid::Uuid;

use crate::oracle::life::{Life, Now};

mod day;
mod days;
pub(crate) mod device;
mod life;
mod rule;
pub(crate) mod simulated;
pub(crate) mod told;
mod wall;

/// Something that happens to a device or is asked of it.
#[derive(Clone, Debug)]
pub(crate) enum Happening {
    /// A task is added.
    Add(Box<AddRequest>),
    /// A person asks something of the task that was added so many tasks before, from 0.
    Ask(usize, Command),
    /// A person pauses many tasks, or lets them go on.
    Many(ManyCall),
    /// Time passes, and the daemon runs.
    Runs(Timestamp),
    /// The machine sleeps: the daemon sees nothing of what lies between.
    Sleeps(Timestamp),
    /// The machine is off, and is somewhere when it starts again.
    Off(Timestamp, Tz),
    /// The device is in another zone.
    Travels(Tz),
    /// The daemon is killed and starts again.
    Crashes,
}

/// What became of something that was asked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Answer {
    /// It is done.
    Done,
    /// There was nothing to do.
    Nothing,
    /// It cannot be done.
    Refused,
}

/// One ring.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Ring {
    pub(crate) at: Timestamp,
    pub(crate) slot: Slot,
    /// When it was to ring.
    pub(crate) nominal: Timestamp,
    pub(crate) late: bool,
    pub(crate) key: OccurrenceKey,
}

/// Where a task stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Standing {
    /// The word that people read, but for a passed deadline, which is told apart.
    pub(crate) stage: &'static str,
    pub(crate) due: Option<Timestamp>,
    pub(crate) is_past_deadline: bool,
    /// The due as the wall clock shows it.
    pub(crate) local: Option<NaiveDateTime>,
}

/// What it says of one device.
pub(crate) struct Oracle {
    now: Timestamp,
    zone: Tz,
    lives: Vec<Life>,
    /// The pauses of many tasks, oldest first.
    pauses: Vec<Pause>,
    asked: u128,
}

struct Pause {
    id: Uuid,
    scope: Scope,
    until: Option<Timestamp>,
}

impl Oracle {
    pub(crate) fn new(now: Timestamp, zone: Tz) -> Self {
        Self { now, zone, lives: Vec::new(), pauses: Vec::new(), asked: 0 }
    }

    /// Hears of something.
    pub(crate) fn hear(&mut self, happening: &Happening) -> Answer {
        match happening {
            Happening::Add(request) => self.add(request),
            Happening::Ask(task, command) => self.ask(*task, command),
            Happening::Many(ManyCall::Pause { scope, until }) => self.pause_many(scope, *until),
            Happening::Many(ManyCall::Resume { scope, shift }) => self.resume_many(scope, *shift),
            Happening::Runs(to) => {
                while let Some(next) = self.lives.iter().filter_map(Life::next_moment).min().filter(|at| at <= to) {
                    self.now = next.max(self.now);
                    self.look();
                }
                self.now = *to;
                Answer::Done
            }
            Happening::Sleeps(to) => {
                self.now = *to;
                self.look();
                Answer::Done
            }
            Happening::Off(to, zone) => {
                self.now = *to;
                self.travel(*zone);
                Answer::Done
            }
            Happening::Travels(zone) => {
                self.travel(*zone);
                Answer::Done
            }
            // Whatever was said is said, and whatever was promised is kept.
            Happening::Crashes => Answer::Done,
        }
    }

    /// Returns every ring of a task so far.
    pub(crate) fn rings(&self, task: usize) -> &[Ring] {
        &self.lives[task].rings
    }

    /// Returns where a task stands.
    pub(crate) fn standing(&self, task: usize) -> Standing {
        self.lives[task].standing(self.zone)
    }

    /// Returns how many tasks there are.
    pub(crate) fn tasks(&self) -> usize {
        self.lives.len()
    }

    fn now_of(&self, tags: &[String]) -> Now {
        let covers = |pause: &&Pause| {
            pause.until.is_none_or(|until| until > self.now)
                && match &pause.scope {
                    Scope::All => true,
                    Scope::Tag(tag) => tags.contains(tag),
                }
        };
        let standing = self.pauses.iter().find(covers).map(|pause| (pause.id, pause.until));
        Now { at: self.now, zone: self.zone, standing }
    }

    fn look(&mut self) {
        for task in 0..self.lives.len() {
            let now = self.now_of(&self.lives[task].plan.details.tags);
            self.lives[task].look(now);
        }
    }

    fn travel(&mut self, zone: Tz) {
        let has_moved = self.zone != zone;
        self.zone = zone;
        for task in 0..self.lives.len() {
            let now = self.now_of(&self.lives[task].plan.details.tags);
            if has_moved {
                self.lives[task].follow_zone(now);
            }
            self.lives[task].look(now);
        }
    }

    fn add(&mut self, request: &AddRequest) -> Answer {
        let now = self.now_of(&request.details.tags);
        let Some(mut life) = Life::begin(request.clone(), now) else { return Answer::Refused };
        life.look(now);
        self.lives.push(life);
        Answer::Done
    }

    fn ask(&mut self, task: usize, command: &Command) -> Answer {
        let id = self.next_id();
        let now = self.now_of(&self.lives[task].plan.details.tags);
        let life = &mut self.lives[task];
        let answer = match command {
            Command::Done { early } => life.done(*early, now),
            Command::Ack { early, is_dismissal } => life.ack(*early, *is_dismissal),
            Command::Snooze { until, is_duration: _, early } => life.snooze(*until, *early, now),
            Command::Pause { until } => life.pause(id, *until, now),
            Command::Resume { shift } => life.resume(*shift, now),
            Command::Skip => life.skip(now),
            Command::Cancel => life.cancel(),
            Command::Edit(edit) => life.edit(edit, now),
            Command::Wake
            | Command::Rezone
            | Command::ClockSet { .. }
            | Command::EditThis(_)
            | Command::PauseThis { .. }
            | Command::CancelThis
            | Command::SleepOn { .. }
            | Command::Unblock
            | Command::Delete
            | Command::Undo(_)
            | Command::ParentEnded(_)
            | Command::Retry
            | Command::Run
            | Command::RunReport { .. }
            | Command::Report { .. }
            | Command::TellTargetFails { .. }
            | Command::Resend { .. }
            | Command::FallBack { .. }
            | Command::Expire { .. }
            | Command::Hold { .. } => panic!("no person asks for this: {command:?}"),
        };
        answer.map_or_else(|answer| answer, |()| Answer::Done)
    }

    fn pause_many(&mut self, scope: &Scope, until: Option<Timestamp>) -> Answer {
        if until.is_some_and(|until| until <= self.now) {
            return Answer::Refused;
        }
        let id = self.next_id();
        let replaced: Vec<Uuid> =
            self.pauses.extract_if(.., |pause| pause.scope == *scope).map(|pause| pause.id).collect();
        for life in &mut self.lives {
            let is_meant = match scope {
                Scope::All => true,
                Scope::Tag(tag) => life.plan.details.tags.contains(tag),
            };
            if life.sleeps_with().is_some_and(|asleep| replaced.contains(&asleep)) {
                life.sleep_on(id, until);
            } else if is_meant {
                // What cannot sleep, or does already, is left as it is.
                let _ = life.pause(id, until, Now { at: self.now, zone: self.zone, standing: None });
            }
        }
        self.pauses.push(Pause { id, scope: scope.clone(), until });
        Answer::Done
    }

    fn resume_many(&mut self, scope: &Scope, shift: bool) -> Answer {
        let ended: Vec<Uuid> =
            self.pauses.extract_if(.., |pause| pause.scope == *scope).map(|pause| pause.id).collect();
        for task in 0..self.lives.len() {
            let now = self.now_of(&self.lives[task].plan.details.tags);
            let life = &mut self.lives[task];
            if life.sleeps_with().is_some_and(|asleep| ended.contains(&asleep)) {
                match now.standing {
                    Some((id, until)) => life.sleep_on(id, until),
                    None => life.resume(shift, now).expect("it sleeps"),
                }
            }
        }
        Answer::Done
    }

    fn next_id(&mut self) -> Uuid {
        self.asked += 1;
        Uuid::from_u128(self.asked)
    }
}
