//! One task as SPEC 4 and 5 tell it: when it speaks, and what became of it.
//!
//! Everything is found by looking at the whole list of what is to be said; must never use the core's rules.

use chrono_tz::Tz;
use keiko::domain::command::WAITED_MAX;
use keiko::domain::occurrence::{Nominal, OccurrenceKey, Slot};
use keiko::domain::schedule::Rule;
use keiko::domain::task::{DeadlineTime, Missed};
use keiko::domain::time::{Span, Timestamp};
use keiko::engine::input::AddRequest;
use uuid::Uuid;

use crate::oracle::days::Days;
use crate::oracle::rule::{Time, Walk, days_of};
use crate::oracle::wall::shown_at;
use crate::oracle::{Ring, Standing};

mod asked;

/// Past this what rings is late.
const GRACE: Span = Span::from_secs(30);

/// What the device knows at a moment.
#[derive(Clone, Copy)]
pub(super) struct Now {
    pub(super) at: Timestamp,
    pub(super) zone: Tz,
    /// The pause of many that holds for the task, and when it ends by itself.
    pub(super) standing: Option<(Uuid, Option<Timestamp>)>,
}

/// One task.
pub(super) struct Life {
    pub(super) plan: AddRequest,
    days: Option<Days>,
    open: Option<Open>,
    /// The latest time that ended before the open one.
    ended: Option<Time>,
    /// Whether the one before the open one was done.
    was_done: bool,
    /// How the last one ended, where none is open.
    end: &'static str,
    pub(super) rings: Vec<Ring>,
}

/// The occurrence that is open.
#[derive(Clone)]
struct Open {
    /// The rule's own time for it; none where the task has no time.
    time: Option<Time>,
    due: Option<Timestamp>,
    /// The due as the clock on the wall shows it, or as an instant.
    nominal: Option<Nominal>,
    /// When the next one of the series is due.
    successor: Option<Timestamp>,
    stage: Stage,
    /// What is not to be said any more.
    said: Vec<Slot>,
    last_said: Option<Slot>,
    said_at: Option<Timestamp>,
    repeat: Option<Repeat>,
    nags: u32,
    deadline: Option<(Nominal, Timestamp)>,
    is_past_deadline: bool,
}

#[derive(Clone, Copy)]
enum Stage {
    /// It has no time.
    Unarmed,
    Waiting {
        is_missed: bool,
    },
    Due(Due),
    Asleep(Asleep),
}

/// Due, and not answered.
#[derive(Clone, Copy, Default)]
struct Due {
    rang_at: Option<Timestamp>,
    nags: u32,
    is_hushed: bool,
    is_seen: bool,
    is_late: bool,
}

#[derive(Clone, Copy)]
struct Asleep {
    /// Which pause.
    id: Uuid,
    /// Whether a person had seen what rang before, and nothing nags of it.
    is_seen: bool,
    since: Timestamp,
    until: Option<Timestamp>,
    /// What was left to due.
    left: Option<Span>,
}

/// Something is said again.
#[derive(Clone, Copy)]
struct Repeat {
    at: Timestamp,
    slot: Slot,
    /// A person chose the time.
    is_chosen: bool,
}

impl Life {
    /// A task is added; none where it is refused.
    pub(super) fn begin(plan: AddRequest, now: Now) -> Option<Self> {
        let days = days_of(&plan.schedule.rule);
        let mut life = Self { plan, days, open: None, ended: None, was_done: false, end: "", rings: Vec::new() };
        let alerts = life.plan.alerts.get_or_insert_with(|| vec![Span::ZERO]);
        alerts.sort_unstable();
        alerts.dedup();
        let walk = life.walk(now);
        let first = walk.only().or_else(|| walk.ahead(None, now.at));
        let has_passed = |at: Timestamp| at.saturating_add(WAITED_MAX) < now.at;
        match (&life.plan.schedule.rule, first) {
            (Rule::None, _) => {}
            (_, None) => return None,
            (_, Some(first)) if has_passed(first.due) => return None,
            (_, Some(_)) => {}
        }
        let open = life.opened(first, now);
        if !is_possible(&open, now) {
            return None;
        }
        life.open = Some(open);
        life.fall_asleep(now);
        Some(life)
    }

    fn walk(&self, now: Now) -> Walk<'_> {
        let zone = self.plan.schedule.zone.unwrap_or(now.zone);
        Walk { rule: &self.plan.schedule.rule, days: self.days.as_ref(), zone }
    }

    fn is_series(&self) -> bool {
        matches!(self.plan.schedule.rule, Rule::Interval(_) | Rule::Calendar(_) | Rule::Cron(_) | Rule::AfterDone(_))
    }

    fn alerts(&self) -> &[Span] {
        self.plan.alerts.as_deref().expect("set when it was added")
    }

    /// An occurrence comes up. Early alerts whose time has passed already are not said.
    fn opened(&self, time: Option<Time>, now: Now) -> Open {
        let due = time.map(|time| time.due);
        let deadline = self.deadline_of(time.map(|time| time.nominal), now);
        let has_time = due.is_some() || deadline.is_some();
        let mut open = Open {
            time,
            due,
            nominal: time.map(|time| time.nominal),
            successor: time.and_then(|time| self.successor(&time, time.due, deadline.map(|(_, at)| at), now)),
            stage: if has_time { Stage::Waiting { is_missed: false } } else { Stage::Unarmed },
            said: Vec::new(),
            last_said: None,
            said_at: None,
            repeat: None,
            nags: 0,
            deadline,
            is_past_deadline: false,
        };
        let is_early = |slot: &Slot| matches!(slot, Slot::Alert(by) | Slot::Deadline(by) if *by < Span::ZERO);
        let over = self.unsaid(&open).into_iter().filter(|(slot, at)| is_early(slot) && *at <= now.at);
        open.said = over.map(|(slot, _)| slot).collect();
        open
    }

    /// Returns when the next one behind `time` speaks first, which is the end of this one; it never speaks before this one
    /// has said its last.
    fn successor(&self, time: &Time, due: Timestamp, deadline: Option<Timestamp>, now: Now) -> Option<Timestamp> {
        let next = self.walk(now).behind(time)?.due;
        Some(self.end_by(due, deadline, next, Timestamp::MIN))
    }

    /// Returns when the open one ends by its successor; what that would have said before `from` it does not say.
    fn end_by(&self, due: Timestamp, deadline: Option<Timestamp>, next: Timestamp, from: Timestamp) -> Timestamp {
        let own = self.alerts().iter().map(|by| due.saturating_add(*by));
        let of_deadline = self.plan.deadline.iter().flat_map(|deadline| deadline.alerts.iter().copied());
        let of_deadline = of_deadline.chain([Span::ZERO]).filter_map(|by| Some(deadline?.saturating_add(by)));
        let last = own.chain(of_deadline).chain([due, from]).max().expect("at least one");
        let of_next = self.alerts().iter().map(|by| next.saturating_add(*by)).chain([next]);
        of_next.filter(|at| *at > last && *at <= next).min().unwrap_or(next)
    }

    fn deadline_of(&self, due: Option<Nominal>, now: Now) -> Option<(Nominal, Timestamp)> {
        let nominal = match (self.plan.deadline.as_ref()?.time, due) {
            (DeadlineTime::At(nominal), _) => nominal,
            (DeadlineTime::AfterDue(span), Some(Nominal::Local(due))) => {
                Nominal::Local(due + chrono::TimeDelta::milliseconds(span.as_millis()))
            }
            (DeadlineTime::AfterDue(span), Some(Nominal::Instant(due))) => Nominal::Instant(due.saturating_add(span)),
            (DeadlineTime::AfterDue(_), None) => return None,
        };
        Some((nominal, self.walk(now).instant_of(nominal)))
    }

    /// Returns what is still to be said at a time of its own.
    fn unsaid(&self, open: &Open) -> Vec<(Slot, Timestamp)> {
        let mut all = Vec::new();
        if let Some(due) = open.due {
            all.extend(self.alerts().iter().map(|by| (Slot::Alert(*by), due.saturating_add(*by))));
        }
        if let (Some(deadline), Some((_, at))) = (&self.plan.deadline, open.deadline) {
            all.extend(deadline.alerts.iter().map(|by| (Slot::Deadline(*by), at.saturating_add(*by))));
        }
        all.retain(|(slot, _)| !open.said.contains(slot));
        // At one moment what is said of the deadline comes last.
        all.sort_by_key(|(slot, at)| (*at, matches!(slot, Slot::Deadline(_))));
        all
    }

    fn next_nag(&self, open: &Open) -> Option<Timestamp> {
        let Stage::Due(due) = open.stage else { return None };
        let nag = self.plan.policy.nag.filter(|nag| due.nags < nag.max && !due.is_hushed)?;
        Some(due.rang_at?.saturating_add(nag.every))
    }

    /// Returns when the clock next has a part in it.
    pub(super) fn next_moment(&self) -> Option<Timestamp> {
        let open = self.open.as_ref()?;
        let deadline = open.deadline.map(|(_, at)| at).filter(|_| !open.is_past_deadline);
        let mut moments: Vec<Timestamp> = deadline.into_iter().collect();
        match open.stage {
            Stage::Unarmed => {}
            Stage::Asleep(asleep) => moments.extend(asleep.until),
            Stage::Waiting { is_missed } => {
                moments.extend(open.due.filter(|_| open.repeat.is_none() && !is_missed));
                moments.extend(self.to_speak(open));
            }
            Stage::Due(_) => {
                moments.extend(self.next_nag(open));
                moments.extend(self.to_speak(open));
            }
        }
        moments.into_iter().min()
    }

    fn to_speak(&self, open: &Open) -> Vec<Timestamp> {
        let mut moments: Vec<Timestamp> = self.unsaid(open).into_iter().map(|(_, at)| at).collect();
        moments.extend(open.successor);
        moments.extend(open.repeat.map(|repeat| repeat.at));
        moments
    }

    /// The clock is looked at: whatever has come happens.
    pub(super) fn look(&mut self, now: Now) {
        while self.look_once(now) {}
    }

    fn look_once(&mut self, now: Now) -> bool {
        let Some(open) = &mut self.open else { return false };
        open.is_past_deadline |= open.deadline.is_some_and(|(_, at)| at <= now.at);
        match (open.stage, now.standing) {
            (Stage::Unarmed, _) => false,
            (Stage::Asleep(asleep), _) if asleep.until.is_none_or(|until| until > now.at) => false,
            // What wakes while many sleep goes to sleep again.
            (Stage::Asleep(asleep), Some((id, until))) => {
                open.stage = Stage::Asleep(Asleep { id, until, ..asleep });
                true
            }
            (Stage::Asleep(_), None) => {
                self.wake_up(now, false);
                true
            }
            (Stage::Waiting { .. } | Stage::Due(_), _) if open.successor.is_some_and(|at| at <= now.at) => {
                if !self.stays_to_ring(now) {
                    self.make_way(now);
                }
                true
            }
            (Stage::Waiting { .. } | Stage::Due(_), _) => self.speak(now),
        }
    }

    /// One that did not ring in its time rings late, where the next is not due yet: that is then silent until it is. Returns
    /// whether it is so.
    fn stays_to_ring(&mut self, now: Now) -> bool {
        let open = self.open.as_ref().expect("it is open");
        let (Some(time), Some(due)) = (open.time, open.due) else { return false };
        let next = self.walk(now).behind(&time).map(|next| next.due);
        let waits = matches!(open.stage, Stage::Waiting { is_missed: false }) && open.repeat.is_none();
        let waits = waits && !self.has_come_up();
        let stays = waits && due <= now.at && next.is_some_and(|next| next > now.at) && !self.is_too_late(due, now);
        if stays {
            self.open.as_mut().expect("it is open").successor = next;
        }
        stays
    }

    /// The successor is due: the open one is closed, and the latest of those that have come by now rings, unless it is too
    /// late for that.
    fn make_way(&mut self, now: Now) {
        let open = self.open.as_ref().expect("it is open");
        let present = Time { due: open.due.expect("a series has times"), ..open.time.expect("a series has times") };
        let latest = self.walk(now).latest(&present, now.at).filter(|latest| !self.is_too_late(latest.due, now));
        let next = latest.or_else(|| self.next(now));
        let end = if self.has_come_up() { "unanswered" } else { "skipped" };
        self.make_way_for(next, end, now);
    }

    /// As [`Life::follow_by`]; where the next one had begun to speak, it goes on with that.
    pub(in crate::oracle) fn make_way_for(&mut self, next: Option<Time>, end: &'static str, now: Now) {
        let since = self.open.as_ref().and_then(|open| open.successor).filter(|since| *since <= now.at);
        self.follow_by(next, end, now);
        if let (Some(since), Some(open), Some(due)) = (since, &mut self.open, next.map(|next| next.due))
            && due > now.at
        {
            open.said.retain(|slot| !matches!(slot, Slot::Alert(by) if due.saturating_add(*by) >= since));
        }
    }

    fn has_come_up(&self) -> bool {
        let open = self.open.as_ref().expect("it is open");
        open.last_said.is_some() || matches!(open.stage, Stage::Due(_))
    }

    fn is_too_late(&self, at: Timestamp, now: Now) -> bool {
        let late = now.at.since(at);
        let is_dropped =
            self.plan.policy.missed == Missed::Skip || self.plan.details.max_late.is_some_and(|max| late > max);
        late > GRACE && is_dropped
    }

    /// Returns the first time of the rule that lies ahead.
    fn next(&self, now: Now) -> Option<Time> {
        let present = self.open.as_ref().and_then(|open| open.time)?;
        match self.plan.schedule.rule {
            Rule::None | Rule::Once(_) | Rule::Countdown(_) => None,
            Rule::AfterDone(_) => self.walk(now).follower(Some(&present), now.at),
            Rule::Interval(_) | Rule::Calendar(_) | Rule::Cron(_) => self.walk(now).ahead(Some(&present), now.at),
        }
    }

    /// The open one is over, and `next` comes up, if there is one.
    fn follow_by(&mut self, next: Option<Time>, end: &'static str, now: Now) {
        let open = self.open.take().expect("it is open");
        // One of which nothing was said and that is passed over leaves no trace.
        let is_withdrawn =
            end == "skipped" && open.last_said.is_none() && next.is_some() && !matches!(open.stage, Stage::Due(_));
        // The same one that comes up again says nothing anew of the one before it.
        let is_again = is_withdrawn && open.time.map(|time| time.key) == next.map(|next| next.key);
        self.was_done = end == "done" || is_again && self.was_done;
        self.end = end;
        if !is_withdrawn {
            let due = open.due;
            self.ended = open.time.map(|time| Time { due: due.unwrap_or(time.due), ..time }).or(self.ended);
        }
        if let Some(next) = next {
            self.open = Some(self.opened(Some(next), now));
            self.fall_asleep(now);
        }
    }

    fn fall_asleep(&mut self, now: Now) {
        if let (Some((id, until)), Some(open)) = (now.standing, &mut self.open)
            && !matches!(open.stage, Stage::Unarmed)
        {
            open.stage = Stage::Asleep(Asleep { id, is_seen: false, since: now.at, until, left: left(open, now.at) });
        }
    }

    /// Says what is to be said by now, once; the latest of several speaks for all. Returns whether anything happened.
    fn speak(&mut self, now: Now) -> bool {
        let open = self.open.as_ref().expect("it is open");
        let mut overdue: Vec<(Slot, Timestamp)> = self.unsaid(open);
        overdue.retain(|(_, at)| *at <= now.at);
        let repeat = open.repeat.filter(|repeat| repeat.at <= now.at);
        if repeat.is_none() && self.misses(&mut overdue, now) {
            return true;
        }
        let open = self.open.as_ref().expect("it is open");
        let latest = overdue.last().copied();
        match (latest, repeat) {
            (Some((slot, at)), None) => self.ring(slot, at, &overdue, now),
            (Some((slot, at)), Some(repeat)) if repeat.at < at => self.ring(slot, at, &overdue, now),
            (_, Some(repeat)) => {
                // What a pause kept back was due when it was due.
                let due = open.due.filter(|_| !repeat.is_chosen).unwrap_or(repeat.at);
                self.ring(repeat.slot, due.min(repeat.at), &overdue, now);
            }
            (None, None) => return self.nag_or_come_due(now),
        }
        true
    }

    /// Takes out what is too late and not made up for. Returns whether nothing is left to be said; a deadline always is.
    fn misses(&mut self, overdue: &mut Vec<(Slot, Timestamp)>, now: Now) -> bool {
        let open = self.open.as_ref().expect("it is open");
        let is_waiting = matches!(open.stage, Stage::Waiting { .. });
        let (deadlines, alerts): (Vec<_>, Vec<_>) =
            overdue.iter().copied().partition(|(slot, _)| matches!(slot, Slot::Deadline(_)));
        if !alerts.last().is_some_and(|(_, at)| self.is_too_late(*at, now)) {
            return false;
        }
        let ends_it = self.is_series() && is_waiting && alerts.iter().any(|(slot, _)| *slot == Slot::DUE);
        if ends_it && !deadlines.is_empty() {
            return false;
        }
        self.miss(&alerts, now);
        *overdue = deadlines;
        overdue.is_empty()
    }

    fn nag_or_come_due(&mut self, now: Now) -> bool {
        let open = self.open.as_ref().expect("it is open");
        if let Some(at) = self.next_nag(open).filter(|at| *at <= now.at) {
            self.ring(Slot::Nag(open.nags + 1), at, &[], now);
            return true;
        }
        let is_due = open.due.is_some_and(|due| due <= now.at) && open.repeat.is_none();
        if is_due && matches!(open.stage, Stage::Waiting { is_missed: false }) {
            let open = self.open.as_mut().expect("it is open");
            // What rang before it came due nags from here on.
            let rang_at = open.said.contains(&Slot::DUE).then_some(now.at);
            open.stage = Stage::Due(Due { rang_at, ..Due::default() });
            // Something that was said since due has told of it.
            let is_told = open.said_at.is_some_and(|at| open.due.is_some_and(|due| due <= at));
            if self.plan.policy.auto_done && is_told {
                let next = self.next(now);
                self.make_way_for(next, "done", now);
            }
            return true;
        }
        false
    }

    /// What was missed is not made up for.
    fn miss(&mut self, overdue: &[(Slot, Timestamp)], now: Now) {
        let open = self.open.as_ref().expect("it is open");
        let is_of_due =
            matches!(open.stage, Stage::Waiting { .. }) && overdue.iter().any(|(slot, _)| *slot == Slot::DUE);
        if is_of_due && self.is_series() {
            let next = self.next(now);
            return self.follow_by(next, "skipped", now);
        }
        let all = self.unsaid(open);
        let open = self.open.as_mut().expect("it is open");
        if is_of_due {
            open.said.extend(all.into_iter().map(|(slot, _)| slot).filter(|slot| matches!(slot, Slot::Alert(_))));
            open.stage = Stage::Waiting { is_missed: true };
        } else {
            open.said.extend(overdue.iter().map(|(slot, _)| *slot));
        }
    }

    fn ring(&mut self, slot: Slot, nominal: Timestamp, overdue: &[(Slot, Timestamp)], now: Now) {
        let open = self.open.as_mut().expect("it is open");
        let late = now.at.since(nominal) > GRACE;
        let own_time = match slot {
            Slot::Alert(by) => open.due.map(|due| due.saturating_add(by)),
            Slot::Deadline(by) => open.deadline.map(|(_, at)| at.saturating_add(by)),
            Slot::Nag(_) => None,
        };
        open.said.extend(overdue.iter().map(|(slot, _)| *slot));
        // A repeat before its own time does not take that away.
        if own_time.is_some_and(|at| at <= nominal) {
            open.said.push(slot);
        }
        match slot {
            Slot::Nag(n) => open.nags = n,
            Slot::Alert(_) | Slot::Deadline(_) => open.last_said = Some(slot),
        }
        open.said_at = Some(now.at);
        open.repeat = open.repeat.filter(|repeat| repeat.at > now.at);
        let is_due = open.due.is_some_and(|due| due <= now.at);
        // A deadline that stands for what was to be said since due says that too.
        let is_of_due = |(slot, _): &(Slot, Timestamp)| matches!(slot, Slot::Alert(by) if *by >= Span::ZERO);
        let says_due = !matches!(slot, Slot::Deadline(_)) || overdue.iter().any(is_of_due);
        match &mut open.stage {
            Stage::Waiting { .. } if is_due && says_due => {
                open.stage = Stage::Due(Due { rang_at: Some(now.at), is_late: late, ..Due::default() });
            }
            Stage::Due(due) => {
                due.rang_at = Some(now.at);
                due.nags += u32::from(matches!(slot, Slot::Nag(_)));
                due.is_seen = false;
            }
            Stage::Waiting { .. } | Stage::Unarmed | Stage::Asleep(_) => {}
        }
        let key = open.time.map_or(OccurrenceKey::Once, |time| time.key);
        let is_told = is_due && matches!(open.stage, Stage::Due(_));
        self.rings.push(Ring { at: now.at, slot, nominal, late, key });
        if self.plan.policy.auto_done && is_told {
            let next = self.next(now);
            self.make_way_for(next, "done", now);
        }
    }

    /// The device is in another zone: what floats follows, until it has spoken and its due has passed.
    pub(super) fn follow_zone(&mut self, now: Now) {
        if self.plan.schedule.zone.is_some() {
            return;
        }
        let Some(open) = &self.open else { return };
        if matches!(open.stage, Stage::Unarmed) {
            return;
        }
        let is_due = matches!(open.stage, Stage::Due(_));
        let stays = is_due || open.last_said.is_some() && open.due.is_some_and(|due| due <= now.at);
        let is_of_days = self.days.is_some();
        let mut moved = open.clone();
        match open.time {
            Some(time) if is_of_days && matches!(time.nominal, Nominal::Instant(_)) && !stays => {
                // Each hour is another one there.
                if open.last_said.is_none()
                    && let Some(next) = self.walk(now).ahead(self.ended.as_ref(), now.at)
                {
                    if next.due != time.due {
                        self.replace_by(next, now);
                    }
                    return;
                }
            }
            Some(Time { nominal: Nominal::Local(_), .. }) if !stays => {
                let nominal = open.nominal.expect("what has a time has its name");
                moved.due = Some(self.walk(now).instant_of(nominal));
            }
            Some(_) | None => {}
        }
        if let Some((nominal, at)) = &mut moved.deadline
            && !moved.is_past_deadline
        {
            *at = self.walk(now).instant_of(*nominal);
        }
        if let Some(time) = &mut moved.time {
            time.due = moved.due.expect("it has a time");
            if is_of_days {
                let deadline = moved.deadline.map(|(_, at)| at);
                moved.successor = self.successor(time, moved.due.expect("it has a time"), deadline, now);
            }
        }
        if let Stage::Asleep(asleep) = &mut moved.stage
            && moved.due != open.due
        {
            asleep.left = moved.due.map(|due| due.since(asleep.since)).filter(|left| left.is_positive());
        }
        self.open = Some(moved);
    }

    /// Returns where the task stands: the state's word, when it is due, when it speaks next.
    pub(super) fn standing(&self, zone: Tz) -> Standing {
        let Some(open) = &self.open else {
            return Standing { stage: self.end, due: None, is_past_deadline: false, local: None };
        };
        let stage = match open.stage {
            Stage::Unarmed => "no time",
            Stage::Waiting { .. } if open.repeat.is_some_and(|repeat| repeat.is_chosen) => "snoozed",
            Stage::Waiting { is_missed: true } => "missed",
            Stage::Waiting { .. } => "scheduled",
            Stage::Due(Due { is_late: true, .. }) => "late",
            Stage::Due(_) => "due",
            Stage::Asleep(_) => "paused",
        };
        let local = open.due.map(|due| shown_at(due, zone));
        Standing { stage, due: open.due, is_past_deadline: open.is_past_deadline, local }
    }
}

fn left(open: &Open, since: Timestamp) -> Option<Span> {
    open.due.map(|due| due.since(since)).filter(|left| left.is_positive())
}

/// A deadline lies ahead, and not before due.
fn is_possible(open: &Open, now: Now) -> bool {
    open.deadline.is_none_or(|(_, deadline)| {
        open.due.is_none_or(|due| due <= deadline) && deadline.saturating_add(WAITED_MAX) >= now.at
    })
}
