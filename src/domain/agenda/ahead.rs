//! What do the occurrences say that are not there yet? Each instance of the rule in turn, from its schedule alone.

use chrono_tz::Tz;

use crate::domain::agenda::{Bounds, Condition, Firing, Start, Stretch, fold, times_before};
use crate::domain::event::Snapshot;
use crate::domain::occurrence::{Due, Instance, Nominal, OccurrenceKey, Slot, Spent};
use crate::domain::schedule::{Interval, Rule};
use crate::domain::task::{DeadlineTime, Nag, Task};
use crate::domain::time::{Span, Timestamp};

/// The firings of the instances within the stretch.
pub(super) struct Walked {
    pub(super) firings: Vec<Firing>,
    pub(super) cut_at: Option<Timestamp>,
}

/// Walks the instances of the rule from `start` to the end of the stretch.
pub(super) fn walk(snapshot: &Snapshot, start: &Start, spent: &[Spent], stretch: &Stretch, bounds: Bounds) -> Walked {
    let task = &snapshot.task;
    let mut walked = Walked { firings: Vec::new(), cut_at: None };
    let reach = Reach::of(task);
    let comes_up = |instance: &Instance| !spent.iter().any(|spent| spent.key == instance.key);
    let instances = Instances::near(task, start, reach.floor(stretch), stretch.zone);
    let mut instances = instances.filter(comes_up).peekable();
    let (mut opened, mut answered) = (Some(start.opened), start.answered);
    let mut previous: Option<Instance> = None;
    for _ in 0..bounds.steps_max {
        let Some(instance) = instances.next() else { return walked };
        if instance.due.saturating_add(reach.before) >= stretch.to {
            return walked;
        }
        let next_due = instances.peek().map(|next| next.due);
        let successor = next_due.map(|next| takeover(task, &instance, next, stretch.zone));
        let told = Occurrence { task, instance, successor, opened: opened.unwrap_or(instance.due), answered };
        let said = told.said(stretch);
        opened = said.closed.or_else(|| successor.map(just_before));
        // Who answers does so when it rings first, which is at due.
        answered = instance.due;
        walked.firings.extend(said.firings);
        // Once the beat is steady, what follows of a fine interval is counted, not walked.
        if let (Rule::Interval(interval), Some(_), Some(next), true) = (
            &task.schedule.rule,
            previous,
            next_due,
            bounds.folds && is_fine(task) && spent.iter().all(|spent| spent.due < instance.due),
        ) {
            let beat = Beat { task, interval, instance, next, opened, answered };
            walked.firings.extend(beat.said(stretch));
            return walked;
        }
        previous = Some(instance);
    }
    walked.cut_at = previous.map(|instance| instance.due);
    walked
}

/// Returns whether so many instances fall into a day that they are folded.
fn is_fine(task: &Task) -> bool {
    const DAY: i64 = 86_400_000;
    matches!(&task.schedule.rule, Rule::Interval(interval) if interval.every.as_millis() < DAY / (fold::SINGLE_MAX.cast_signed() + 1))
}

/// How far from its due an occurrence speaks.
#[derive(Clone, Copy)]
struct Reach {
    /// The earliest, not positive.
    before: Span,
    /// The latest, not negative.
    behind: Span,
}

impl Reach {
    fn of(task: &Task) -> Self {
        // A change of the clock moves a deadline by hours at most.
        const SLACK: i64 = 26 * 3_600_000;
        let deadline = task.deadline.as_ref();
        let after = deadline.map_or(0, |deadline| match deadline.time {
            DeadlineTime::AfterDue(span) => span.as_millis(),
            DeadlineTime::At(_) => 0,
        });
        let of_deadline = deadline.into_iter().flat_map(|deadline| &deadline.alerts);
        let offsets: Vec<i64> = (task.alerts.iter().map(|offset| offset.as_millis()))
            .chain(of_deadline.map(|offset| offset.as_millis().saturating_add(after)))
            .collect();
        let nags = task.policy.nag.map_or(0, |Nag { every, max }| every.as_millis().saturating_mul(i64::from(max)));
        let earliest = offsets.iter().copied().min().unwrap_or(0).min(0).saturating_sub(SLACK);
        let latest = offsets.iter().copied().max().unwrap_or(0).max(0).saturating_add(SLACK).saturating_add(nags);
        Self { before: Span::from_millis(earliest), behind: Span::from_millis(latest) }
    }

    /// Returns the instant before which no instance says anything within the stretch, nor has a say in what others say.
    fn floor(self, stretch: &Stretch) -> Timestamp {
        let back = self.behind.as_millis().saturating_sub(self.before.as_millis());
        stretch.from.saturating_add(Span::from_millis(back.saturating_neg()))
    }
}

/// How far before the floor the instance is looked for that lies before it.
const LOOK_BACK: Span = Span::from_minutes(32 * 24 * 60);

/// The instances from a start on, over as many bounded walks as it takes.
struct Instances<'a> {
    task: &'a Task,
    zone: Tz,
    last: Instance,
    is_new: bool,
    walk: Box<dyn Iterator<Item = Instance>>,
}

impl<'a> Instances<'a> {
    /// Returns the instances from `start` on. Many before the floor are left out, but never the last of those: when it
    /// ends tells when the next one opens.
    fn near(task: &'a Task, start: &Start, floor: Timestamp, zone: Tz) -> Self {
        let back = floor.saturating_add(neg(LOOK_BACK));
        if start.cursor.due < back {
            let walk = task.schedule.instances(Some(&start.cursor), back, zone);
            let mut walk = walk.skip_while(move |instance| instance.due < back).peekable();
            if walk.peek().is_some_and(|instance| instance.due < floor) {
                return Self { task, zone, last: start.cursor, is_new: true, walk: Box::new(walk) };
            }
        }
        // It comes up so seldom that each instance can be looked at.
        let behind = task.schedule.instances(Some(&start.cursor), start.cursor.due, zone);
        let walk = Box::new(start.is_open.then_some(start.cursor).into_iter().chain(behind));
        Self { task, zone, last: start.cursor, is_new: true, walk }
    }
}

impl Iterator for Instances<'_> {
    type Item = Instance;

    fn next(&mut self) -> Option<Instance> {
        loop {
            if let Some(instance) = self.walk.next() {
                (self.last, self.is_new) = (instance, false);
                return Some(instance);
            }
            if self.is_new {
                return None;
            }
            // One walk is bounded; a rule of every minute has more than that in a year.
            self.is_new = true;
            self.walk = self.task.schedule.instances(Some(&self.last), self.last.due, self.zone);
        }
    }
}

/// An occurrence that is not there yet.
#[derive(Clone, Copy)]
struct Occurrence<'a> {
    task: &'a Task,
    instance: Instance,
    /// When the next one takes over, which closes it.
    successor: Option<Timestamp>,
    /// When it opens: its early alerts of until then do not speak.
    opened: Timestamp,
    /// When it would open if the one before were answered at once.
    answered: Timestamp,
}

/// What an occurrence says.
struct Said {
    firings: Vec<Firing>,
    /// When it ends before its successor is due: a task for programs, or one that is done once delivered.
    closed: Option<Timestamp>,
}

impl Occurrence<'_> {
    /// Returns what it says. Mirrors what the rules make of a wake, which a property test holds.
    fn said(&self, stretch: &Stretch) -> Said {
        let due = self.instance.due;
        let end = self.successor.unwrap_or(Timestamp::MAX);
        let slots = self.slots(stretch.zone);
        let closed = self.closed(&slots);
        let mut firings = Vec::new();
        let mut rings = Vec::new();
        for (index, (slot, at)) in slots.iter().copied().enumerate() {
            // Of several at one instant the last is said and swallows the others.
            let is_swallowed = slots.get(index + 1).is_some_and(|(_, next)| *next == at);
            let is_early = is_before(slot);
            if at >= end || is_swallowed || closed.is_some_and(|closed| at > closed) {
                continue;
            }
            if is_early && at <= self.opened {
                if at > self.answered {
                    firings.push(self.firing(slot, at, Condition::Answered));
                }
                continue;
            }
            rings.push((slot, at));
        }
        let waits = !(self.ends_once_told() || self.task.is_program_only());
        let mut is_running = false;
        for (index, (slot, at)) in rings.iter().copied().enumerate() {
            // It is RUNNING from due on; an alert of the deadline at due leaves it PENDING until it was said.
            is_running |= at > due;
            let only_if = if is_running && waits { Condition::Unanswered } else { Condition::Nothing };
            firings.push(self.firing(slot, at, only_if));
            let rings_as_due = matches!(slot, Slot::Alert(_)) && at >= due;
            is_running |= rings_as_due;
            let next = rings.get(index + 1).map_or(end, |(_, next)| *next);
            if is_running && closed.is_none() {
                self.nag(at, next.min(stretch.to), &mut firings);
            }
        }
        Said { firings, closed }
    }

    /// Returns its alerts in the order in which they speak.
    fn slots(&self, zone: Tz) -> Vec<(Slot, Timestamp)> {
        let due = Due { nominal: self.instance.nominal, at: self.instance.due };
        let of_due = self.task.alerts.iter().map(|offset| (Slot::Alert(*offset), due.at.saturating_add(*offset)));
        let deadline = self.task.deadline_of(Some(due), self.task.schedule.zone.unwrap_or(zone));
        let offsets = self.task.deadline.iter().flat_map(|deadline| &deadline.alerts);
        let of_deadline =
            offsets.filter_map(|offset| Some((Slot::Deadline(*offset), deadline.as_ref()?.at.saturating_add(*offset))));
        let mut slots: Vec<_> = of_due.chain(of_deadline).collect();
        slots.sort_by_key(|(_, at)| *at);
        slots
    }

    /// Returns when it ends by what was delivered, `None` where it waits for a person or its successor.
    fn closed(&self, slots: &[(Slot, Timestamp)]) -> Option<Timestamp> {
        let due = self.instance.due;
        let end = self.successor.unwrap_or(Timestamp::MAX);
        let of_due = || slots.iter().filter(|(slot, _)| matches!(slot, Slot::Alert(_)));
        if self.ends_once_told() {
            slots.iter().map(|(_, at)| *at).find(|at| *at >= due).filter(|at| *at < end)
        } else if self.task.is_program_only() {
            let last = of_due().map(|(_, at)| *at).max().filter(|at| (due..end).contains(at))?;
            // One that is swallowed by an alert of the deadline was not said to anybody.
            let is_said = |at: Timestamp| {
                slots.iter().rfind(|(_, other)| *other == at).is_some_and(|(slot, _)| matches!(slot, Slot::Alert(_)))
            };
            of_due().any(|(_, at)| *at >= due && is_said(*at)).then_some(last)
        } else {
            None
        }
    }

    /// Returns whether it is done as soon as a person has it.
    fn ends_once_told(&self) -> bool {
        self.task.policy.auto_done && !self.task.is_program_only()
    }

    /// Says again what rang at `rang_at`, until the next thing is said.
    fn nag(&self, rang_at: Timestamp, next: Timestamp, firings: &mut Vec<Firing>) {
        let Some(Nag { every, max }) = self.task.policy.nag.filter(|_| !self.task.is_program_only()) else { return };
        let said: u64 =
            firings.iter().filter(|firing| matches!(firing.slot, Slot::Nag(_))).map(|each| each.times).sum();
        let first = rang_at.saturating_add(every);
        let times = times_before(first, every, next).min(u64::from(max).saturating_sub(said));
        if times > 0 {
            let slot = Slot::Nag(u32::try_from(said + 1).unwrap_or(u32::MAX));
            firings.push(self.firing(slot, first, Condition::Unanswered).repeated(times, every));
        }
    }

    const fn firing(&self, slot: Slot, at: Timestamp, only_if: Condition) -> Firing {
        let once = Firing::once(at, slot, self.instance.key, Some(self.instance.due));
        Firing { only_if, is_predicted: true, ..once }
    }
}

/// Returns when the instance that is due at `next` takes over from the one before it.
fn takeover(task: &Task, present: &Instance, next: Timestamp, zone: Tz) -> Timestamp {
    let due = Due { nominal: present.nominal, at: present.due };
    let deadline = task.deadline_of(Some(due), task.schedule.zone.unwrap_or(zone)).map(|deadline| deadline.at);
    task.takeover(task.busy_until(present.due, deadline), next)
}

/// Returns the last instant before another: what opens by speaking early speaks at that.
pub(super) fn just_before(at: Timestamp) -> Timestamp {
    at.saturating_add(Span::from_millis(-1))
}

/// Returns whether an alert speaks before what it is relative to: one whose time has passed when it opens stays silent.
const fn is_before(slot: Slot) -> bool {
    match slot {
        Slot::Alert(offset) | Slot::Deadline(offset) => offset.as_millis() < 0,
        Slot::Nag(_) => false,
    }
}

/// An interval of which every instance says the same.
struct Beat<'a> {
    task: &'a Task,
    interval: &'a Interval,
    /// An instance that was told already.
    instance: Instance,
    /// When the one behind it is due.
    next: Timestamp,
    opened: Option<Timestamp>,
    answered: Timestamp,
}

impl Beat<'_> {
    /// Returns when the one behind takes over from the one that is due at `due`.
    fn takeover(&self, due: Timestamp) -> Timestamp {
        let present = Instance { nominal: Nominal::Instant(due), due, ..self.instance };
        // An interval is of instants, so the zone has no part in it.
        takeover(self.task, &present, due.saturating_add(self.interval.every), Tz::UTC)
    }

    /// Returns what the instances behind say, each alert of theirs once for each local day.
    fn said(&self, stretch: &Stretch) -> Vec<Firing> {
        let every = self.interval.every;
        let model = Occurrence {
            task: self.task,
            instance: Instance { nominal: Nominal::Instant(self.next), due: self.next, ..self.instance },
            successor: Some(self.takeover(self.next)),
            opened: self.opened.unwrap_or(self.next),
            answered: self.answered,
        };
        let Said { firings, closed } = model.said(stretch);
        let pattern: Vec<Firing> = firings.iter().flat_map(each_time).collect();
        let is_endless = self.interval.count.is_none() && self.interval.until.is_none();
        let last = self.interval.index_by(Timestamp::MAX).filter(|_| !is_endless);
        let last = last.and_then(|index| self.interval.at(index));
        let mut said = Vec::new();
        // The last has no successor, and may go on for longer.
        if let Some(instance) = last.filter(|last| last.due >= self.next) {
            let before = instance.due.saturating_add(neg(every));
            let opened = closed.map_or_else(
                || just_before(self.takeover(before)),
                |closed| before.saturating_add(closed.since(self.next)),
            );
            let last = Occurrence { instance, successor: None, opened, answered: before, ..model };
            said.extend(last.said(stretch).firings);
        }
        let last_due = last.map_or(Timestamp::MAX, |instance| instance.due);
        for day in fold::days(stretch) {
            said.extend(pattern.iter().filter_map(|firing| {
                // How far behind its due, and so where the first of the day is.
                let behind = firing.at.since(self.next);
                let first = first_from(self.next, every, day.start.saturating_add(neg(behind)));
                let end = day.end.saturating_add(neg(behind)).min(last_due);
                let times = times_before(first, every, end);
                let due = firing.due.map(|_| first);
                let key = OccurrenceKey::Instant(first);
                let once = Firing { at: first.saturating_add(behind), key, due, ..*firing };
                (times > 0).then(|| fold::together(once, firing, times, every))
            }));
        }
        said
    }
}

/// How many times in one are counted each by itself, so that those beyond the end of a day belong to the next.
const EACH_MAX: u64 = 100;

/// Returns each of several times in one, unless they are very many.
fn each_time(firing: &Firing) -> Vec<Firing> {
    let Some(every) = firing.every.filter(|_| firing.times <= EACH_MAX) else { return vec![*firing] };
    let once = Firing { last_at: firing.at, times: 1, every: None, ..*firing };
    std::iter::successors(Some(once), |one| {
        let at = one.at.saturating_add(every);
        (at <= firing.last_at).then_some(Firing { at, last_at: at, ..*one })
    })
    .collect()
}

/// Returns the first of `base`, `base + every`, … that is not before `from`.
fn first_from(base: Timestamp, every: Span, from: Timestamp) -> Timestamp {
    let missing = from.since(base).as_millis().max(0);
    let every = every.as_millis().max(1);
    base.saturating_add(Span::from_millis((missing + every - 1) / every * every))
}

const fn neg(span: Span) -> Span {
    Span::from_millis(-span.as_millis())
}
